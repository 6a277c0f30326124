"""Clusters: groups of rows that are near each other."""

from gramian.cluster._dbscan import DBSCAN, dbscan
from gramian.cluster._kmeans import KMeans, k_means
from gramian.cluster._kmeans_start import kmeans_plusplus
from gramian.cluster._spectral import SpectralClustering, spectral_clustering

__all__ = [
    "DBSCAN",
    "KMeans",
    "SpectralClustering",
    "dbscan",
    "k_means",
    "kmeans_plusplus",
    "spectral_clustering",
]
