"""The metrics that each way of searching takes, by scikit-learn's names."""

from gramian.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS, PAIRWISE_DISTANCE_FUNCTIONS

__all__ = ["ALL_METRICS", "GOWER", "VALID_METRICS", "VALID_METRICS_SPARSE"]

_KD_TREE = [
    *("euclidean", "l2", "minkowski", "p", "manhattan", "cityblock", "l1", "chebyshev"),
    "infinity",
]
_BALL_TREE = [
    *_KD_TREE,
    *("seuclidean", "mahalanobis", "hamming", "canberra", "braycurtis", "jaccard", "dice"),
    *("rogerstanimoto", "russellrao", "sokalsneath", "haversine"),
]
_SCIPY = [
    *("braycurtis", "canberra", "chebyshev", "correlation", "hamming", "mahalanobis", "minkowski"),
    *("seuclidean", "sqeuclidean"),
    *PAIRWISE_BOOLEAN_FUNCTIONS,
]

VALID_METRICS = {
    "ball_tree": _BALL_TREE,
    "kd_tree": _KD_TREE,
    "brute": sorted({*PAIRWISE_DISTANCE_FUNCTIONS, *_SCIPY}),
}
"""Way of searching -> the names of the metrics that it takes."""

VALID_METRICS_SPARSE: dict[str, list[str]] = {
    "ball_tree": [],
    "kd_tree": [],
    "brute": sorted({*PAIRWISE_DISTANCE_FUNCTIONS} - {"haversine", "nan_euclidean"}),
}
"""The same for sparse matrices."""

GOWER = "gower"

ALL_METRICS = sorted({GOWER, *(name for names in VALID_METRICS.values() for name in names)})
