"""Clusters: groups of rows that are near each other."""

from gramian.cluster._agglomerative import AgglomerativeClustering
from gramian.cluster._bisecting import BisectingKMeans
from gramian.cluster._dbscan import DBSCAN, dbscan
from gramian.cluster._feature_agglomeration import FeatureAgglomeration
from gramian.cluster._hdbscan import HDBSCAN
from gramian.cluster._kmeans import KMeans, k_means
from gramian.cluster._kmeans_start import kmeans_plusplus
from gramian.cluster._linkage import linkage
from gramian.cluster._mini_batches import MiniBatchKMeans
from gramian.cluster._optics import OPTICS
from gramian.cluster._optics_clusters import cluster_optics_dbscan, cluster_optics_xi
from gramian.cluster._optics_graph import compute_optics_graph
from gramian.cluster._spectral import SpectralClustering, spectral_clustering
from gramian.cluster._tree_builders import linkage_tree, ward_tree

__all__ = [
    "DBSCAN",
    "HDBSCAN",
    "OPTICS",
    "AgglomerativeClustering",
    "BisectingKMeans",
    "FeatureAgglomeration",
    "KMeans",
    "MiniBatchKMeans",
    "SpectralClustering",
    "cluster_optics_dbscan",
    "cluster_optics_xi",
    "compute_optics_graph",
    "dbscan",
    "k_means",
    "kmeans_plusplus",
    "linkage",
    "linkage_tree",
    "spectral_clustering",
    "ward_tree",
]
