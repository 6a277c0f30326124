"""Embeddings: rows of many columns as points of few, so that near rows stay near."""

from gramian.manifold._isomap import Isomap
from gramian.manifold._spectral_embedding import SpectralEmbedding, spectral_embedding
from gramian.manifold._trustworthiness import trustworthiness
from gramian.manifold._tsne import TSNE

__all__ = ["TSNE", "Isomap", "SpectralEmbedding", "spectral_embedding", "trustworthiness"]
