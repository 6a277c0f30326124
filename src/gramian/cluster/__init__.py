"""Clusters: groups of rows that are near each other."""

from gramian.cluster._affinity_propagation import AffinityPropagation, affinity_propagation
from gramian.cluster._agglomerative import AgglomerativeClustering
from gramian.cluster._biclusters import SpectralBiclustering, SpectralCoclustering
from gramian.cluster._birch import Birch
from gramian.cluster._bisecting import BisectingKMeans
from gramian.cluster._choice import ClusterChoice, choose_k
from gramian.cluster._dbscan import DBSCAN, dbscan
from gramian.cluster._feature_agglomeration import FeatureAgglomeration
from gramian.cluster._hdbscan import HDBSCAN
from gramian.cluster._kmeans import KMeans, k_means
from gramian.cluster._kmeans_start import kmeans_plusplus
from gramian.cluster._linkage import linkage
from gramian.cluster._mean_shift import MeanShift, mean_shift
from gramian.cluster._mean_shift_seeds import estimate_bandwidth, get_bin_seeds
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
    "AffinityPropagation",
    "AgglomerativeClustering",
    "Birch",
    "BisectingKMeans",
    "ClusterChoice",
    "FeatureAgglomeration",
    "KMeans",
    "MeanShift",
    "MiniBatchKMeans",
    "SpectralBiclustering",
    "SpectralClustering",
    "SpectralCoclustering",
    "affinity_propagation",
    "choose_k",
    "cluster_optics_dbscan",
    "cluster_optics_xi",
    "compute_optics_graph",
    "dbscan",
    "estimate_bandwidth",
    "get_bin_seeds",
    "k_means",
    "kmeans_plusplus",
    "linkage",
    "linkage_tree",
    "mean_shift",
    "spectral_clustering",
    "ward_tree",
]
