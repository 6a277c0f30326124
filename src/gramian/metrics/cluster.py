"""How good clusterings are: against known classes, or by their shape alone."""

from gramian.metrics._biclusters import consensus_score
from gramian.metrics._clustering import (
    adjusted_mutual_info_score,
    completeness_score,
    entropy,
    expected_mutual_information,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    v_measure_score,
)
from gramian.metrics._dispersion import calinski_harabasz_score, davies_bouldin_score
from gramian.metrics._pair_counts import (
    adjusted_rand_score,
    contingency_matrix,
    fowlkes_mallows_score,
    pair_confusion_matrix,
    rand_score,
)
from gramian.metrics._silhouette import silhouette_samples, silhouette_score

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "completeness_score",
    "consensus_score",
    "contingency_matrix",
    "davies_bouldin_score",
    "entropy",
    "expected_mutual_information",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
]
