"""Nearest neighbours: searches, classification and regression by near rows, and their graphs."""

from gramian.neighbors._binary_tree import BallTree, KDTree
from gramian.neighbors._classification import KNeighborsClassifier
from gramian.neighbors._components import NeighborhoodComponentsAnalysis
from gramian.neighbors._graph import kneighbors_graph, radius_neighbors_graph
from gramian.neighbors._kernel_density import KernelDensity
from gramian.neighbors._lof import LocalOutlierFactor
from gramian.neighbors._metrics import VALID_METRICS, VALID_METRICS_SPARSE
from gramian.neighbors._nearest_centroid import NearestCentroid
from gramian.neighbors._precomputed import sort_graph_by_row_values
from gramian.neighbors._radius_classification import RadiusNeighborsClassifier
from gramian.neighbors._regression import KNeighborsRegressor, RadiusNeighborsRegressor
from gramian.neighbors._transformers import KNeighborsTransformer, RadiusNeighborsTransformer
from gramian.neighbors._unsupervised import NearestNeighbors

__all__ = [
    "VALID_METRICS",
    "VALID_METRICS_SPARSE",
    "BallTree",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "KernelDensity",
    "LocalOutlierFactor",
    "NearestCentroid",
    "NearestNeighbors",
    "NeighborhoodComponentsAnalysis",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "kneighbors_graph",
    "radius_neighbors_graph",
    "sort_graph_by_row_values",
]
