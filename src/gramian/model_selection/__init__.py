"""How well a model does on rows that it has not seen, and which parameters do best."""

from gramian.model_selection._bias_variance import (
    BiasVarianceCurve,
    bias_variance_curve,
    bias_variance_decomp,
)
from gramian.model_selection._bias_variance_display import BiasVarianceDisplay
from gramian.model_selection._candidates import ParameterGrid, ParameterSampler
from gramian.model_selection._compare import compare
from gramian.model_selection._comparison import MetricComparison, ModelComparison
from gramian.model_selection._corrected_test import (
    CorrectedTest,
    ScoreDifference,
    compare_scores,
    corrected_ttest,
)
from gramian.model_selection._curve_display import LearningCurveDisplay
from gramian.model_selection._curves import learning_curve, validation_curve
from gramian.model_selection._halving import HalvingGridSearchCV, HalvingRandomSearchCV
from gramian.model_selection._nested import NestedResult, nested_cross_validate
from gramian.model_selection._permutation import permutation_test_score
from gramian.model_selection._predict import cross_val_predict
from gramian.model_selection._search import GridSearchCV, RandomizedSearchCV
from gramian.model_selection._split import (
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from gramian.model_selection._split_base import BaseCrossValidator
from gramian.model_selection._split_groups import (
    GroupKFold,
    LeaveOneGroupOut,
    LeavePGroupsOut,
    StratifiedGroupKFold,
)
from gramian.model_selection._split_leave import (
    LeaveOneOut,
    LeavePOut,
    PredefinedSplit,
    check_cv,
)
from gramian.model_selection._split_shuffle import (
    BaseShuffleSplit,
    GroupShuffleSplit,
    ShuffleSplit,
    StratifiedShuffleSplit,
)
from gramian.model_selection._split_time import TimeSeriesSplit
from gramian.model_selection._threshold import FixedThresholdClassifier, TunedThresholdClassifierCV
from gramian.model_selection._train_test import train_test_split
from gramian.model_selection._validation import cross_val_score, cross_validate
from gramian.model_selection._validation_curve_display import ValidationCurveDisplay

__all__ = [
    "BaseCrossValidator",
    "BaseShuffleSplit",
    "BiasVarianceCurve",
    "BiasVarianceDisplay",
    "CorrectedTest",
    "FixedThresholdClassifier",
    "GridSearchCV",
    "GroupKFold",
    "GroupShuffleSplit",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "KFold",
    "LearningCurveDisplay",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePGroupsOut",
    "LeavePOut",
    "MetricComparison",
    "ModelComparison",
    "NestedResult",
    "ParameterGrid",
    "ParameterSampler",
    "PredefinedSplit",
    "RandomizedSearchCV",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ScoreDifference",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
    "TunedThresholdClassifierCV",
    "ValidationCurveDisplay",
    "bias_variance_curve",
    "bias_variance_decomp",
    "check_cv",
    "compare",
    "compare_scores",
    "corrected_ttest",
    "cross_val_predict",
    "cross_val_score",
    "cross_validate",
    "learning_curve",
    "nested_cross_validate",
    "permutation_test_score",
    "train_test_split",
    "validation_curve",
]
