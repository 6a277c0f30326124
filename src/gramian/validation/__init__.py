"""The one place where what users hold becomes what the library computes with.

`check_fit` and `check_predict` are called by every estimator; the other functions are their parts,
for metrics and for estimators that need only some of them.
"""

from gramian.validation._arrays import (
    check_array,
    check_consistent_length,
    n_samples_of,
)
from gramian.validation._blocks import numbers_of_scan, refuse_scan, require_blocks
from gramian.validation._data import FitData
from gramian.validation._features import (
    check_n_features,
    match_names,
    names_checked,
    set_feature_names,
)
from gramian.validation._finite import all_finite, raise_non_finite
from gramian.validation._fit import (
    check_fit,
    check_is_fitted,
    check_predict,
    training_matrix,
)
from gramian.validation._random import check_random_state, seed_of
from gramian.validation._sparse import check_sparse, is_sparse
from gramian.validation._target import (
    check_sample_weight,
    check_X_y,
    check_y,
    column_or_1d,
    plain_objects,
)

__all__ = [
    "FitData",
    "all_finite",
    "check_X_y",
    "check_array",
    "check_consistent_length",
    "check_fit",
    "check_is_fitted",
    "check_n_features",
    "check_predict",
    "check_random_state",
    "check_sample_weight",
    "check_sparse",
    "check_y",
    "column_or_1d",
    "is_sparse",
    "match_names",
    "n_samples_of",
    "names_checked",
    "numbers_of_scan",
    "plain_objects",
    "raise_non_finite",
    "refuse_scan",
    "require_blocks",
    "seed_of",
    "set_feature_names",
    "training_matrix",
]
