"""Clusters: groups of rows that are near each other."""

from gramian.cluster._bisecting import BisectingKMeans
from gramian.cluster._dbscan import DBSCAN, dbscan
from gramian.cluster._kmeans import KMeans, k_means
from gramian.cluster._kmeans_start import kmeans_plusplus
from gramian.cluster._mini_batches import MiniBatchKMeans

__all__ = [
    "DBSCAN",
    "BisectingKMeans",
    "KMeans",
    "MiniBatchKMeans",
    "dbscan",
    "k_means",
    "kmeans_plusplus",
]
