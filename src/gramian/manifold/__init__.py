"""Embeddings: rows of many columns as points of few, so that near rows stay near."""

from gramian.manifold._classical_mds import ClassicalMDS
from gramian.manifold._isomap import Isomap
from gramian.manifold._locally_linear import LocallyLinearEmbedding, locally_linear_embedding
from gramian.manifold._mds import MDS
from gramian.manifold._smacof import smacof
from gramian.manifold._spectral_embedding import SpectralEmbedding, spectral_embedding
from gramian.manifold._trustworthiness import trustworthiness
from gramian.manifold._tsne import TSNE

__all__ = [
    "MDS",
    "TSNE",
    "ClassicalMDS",
    "Isomap",
    "LocallyLinearEmbedding",
    "SpectralEmbedding",
    "locally_linear_embedding",
    "smacof",
    "spectral_embedding",
    "trustworthiness",
]
