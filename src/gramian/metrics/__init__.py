"""How good predictions are."""

from gramian.metrics import cluster
from gramian.metrics._at_thresholds import metric_at_thresholds
from gramian.metrics._biclusters import consensus_score
from gramian.metrics._classification import (
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    hamming_loss,
    matthews_corrcoef,
    zero_one_loss,
)
from gramian.metrics._clustering import (
    adjusted_mutual_info_score,
    completeness_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    v_measure_score,
)
from gramian.metrics._confusion import (
    class_likelihood_ratios,
    confusion_matrix,
    multilabel_confusion_matrix,
)
from gramian.metrics._confusion_display import ConfusionMatrixDisplay
from gramian.metrics._curves import (
    auc,
    confusion_matrix_at_thresholds,
    det_curve,
    precision_recall_curve,
    roc_curve,
)
from gramian.metrics._decision_scores import (
    hinge_loss,
    top_k_accuracy_score,
)
from gramian.metrics._det_display import DetCurveDisplay
from gramian.metrics._deviance import (
    mean_gamma_deviance,
    mean_pinball_loss,
    mean_poisson_deviance,
    mean_tweedie_deviance,
)
from gramian.metrics._dispersion import calinski_harabasz_score, davies_bouldin_score
from gramian.metrics._distance_metric import DistanceMetric
from gramian.metrics._explained import (
    d2_absolute_error_score,
    d2_pinball_score,
    d2_tweedie_score,
    explained_variance_score,
    r2_score,
)
from gramian.metrics._gains import (
    dcg_score,
    mean_reciprocal_rank,
    ndcg_score,
)
from gramian.metrics._label_ranking import (
    coverage_error,
    label_ranking_average_precision_score,
    label_ranking_loss,
)
from gramian.metrics._pair_counts import (
    adjusted_rand_score,
    fowlkes_mallows_score,
    pair_confusion_matrix,
    rand_score,
)
from gramian.metrics._precision_recall import (
    f1_score,
    fbeta_score,
    jaccard_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)
from gramian.metrics._precision_recall_display import PrecisionRecallDisplay
from gramian.metrics._prediction_error_display import PredictionErrorDisplay
from gramian.metrics._probability_losses import (
    brier_score_loss,
    d2_brier_score,
    d2_log_loss_score,
    log_loss,
)
from gramian.metrics._ranking import (
    average_precision_score,
    roc_auc_score,
)
from gramian.metrics._regression import (
    max_error,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_log_error,
    median_absolute_error,
    root_mean_squared_error,
    root_mean_squared_log_error,
)
from gramian.metrics._report import classification_report
from gramian.metrics._roc_display import RocCurveDisplay
from gramian.metrics._scorer import check_scoring, get_scorer, get_scorer_names, make_scorer
from gramian.metrics._silhouette import silhouette_samples, silhouette_score
from gramian.metrics.pairwise import (
    euclidean_distances,
    nan_euclidean_distances,
    pairwise_distances,
    pairwise_distances_argmin,
    pairwise_distances_argmin_min,
    pairwise_distances_chunked,
    pairwise_kernels,
)

__all__ = [
    "ConfusionMatrixDisplay",
    "DetCurveDisplay",
    "DistanceMetric",
    "PrecisionRecallDisplay",
    "PredictionErrorDisplay",
    "RocCurveDisplay",
    "accuracy_score",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "auc",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "calinski_harabasz_score",
    "check_scoring",
    "class_likelihood_ratios",
    "classification_report",
    "cluster",
    "cohen_kappa_score",
    "completeness_score",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "consensus_score",
    "coverage_error",
    "d2_absolute_error_score",
    "d2_brier_score",
    "d2_log_loss_score",
    "d2_pinball_score",
    "d2_tweedie_score",
    "davies_bouldin_score",
    "dcg_score",
    "det_curve",
    "euclidean_distances",
    "explained_variance_score",
    "f1_score",
    "fbeta_score",
    "fowlkes_mallows_score",
    "get_scorer",
    "get_scorer_names",
    "hamming_loss",
    "hinge_loss",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "jaccard_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "log_loss",
    "make_scorer",
    "matthews_corrcoef",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_gamma_deviance",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "mean_reciprocal_rank",
    "mean_squared_error",
    "mean_squared_log_error",
    "mean_tweedie_deviance",
    "median_absolute_error",
    "metric_at_thresholds",
    "multilabel_confusion_matrix",
    "mutual_info_score",
    "nan_euclidean_distances",
    "ndcg_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "pairwise_distances",
    "pairwise_distances_argmin",
    "pairwise_distances_argmin_min",
    "pairwise_distances_chunked",
    "pairwise_kernels",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_score",
    "r2_score",
    "rand_score",
    "recall_score",
    "roc_auc_score",
    "roc_curve",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "silhouette_samples",
    "silhouette_score",
    "top_k_accuracy_score",
    "v_measure_score",
    "zero_one_loss",
]
