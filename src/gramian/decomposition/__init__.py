"""Dimension reduction: directions that keep most of the variance."""

from gramian.decomposition._choose import ComponentsChoice, choose_components
from gramian.decomposition._factor_analysis import FactorAnalysis
from gramian.decomposition._fastica import FastICA, fastica
from gramian.decomposition._incremental_pca import IncrementalPCA
from gramian.decomposition._kernel_pca import KernelPCA
from gramian.decomposition._mini_batch_nmf import MiniBatchNMF
from gramian.decomposition._nmf import NMF, non_negative_factorization
from gramian.decomposition._pca import PCA
from gramian.decomposition._truncated_svd import TruncatedSVD, randomized_svd

__all__ = [
    "NMF",
    "PCA",
    "ComponentsChoice",
    "FactorAnalysis",
    "FastICA",
    "IncrementalPCA",
    "KernelPCA",
    "MiniBatchNMF",
    "TruncatedSVD",
    "choose_components",
    "fastica",
    "non_negative_factorization",
    "randomized_svd",
]
