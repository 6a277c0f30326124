"""Clusters: groups of rows that are near each other."""

from gramian.cluster._kmeans import KMeans, k_means
from gramian.cluster._kmeans_start import kmeans_plusplus

__all__ = ["KMeans", "k_means", "kmeans_plusplus"]
