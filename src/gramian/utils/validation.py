"""Checks of input for one's own estimators, with scikit-learn's signatures.

`gramian.validation` is what the library's own models use; it also takes data frames with text.
"""

from gramian.utils._arrays import (
    as_float_array,
    assert_all_finite,
    check_array,
    check_non_negative,
    check_symmetric,
    check_X_y,
    indexable,
)
from gramian.utils._data import validate_data
from gramian.utils._scalars import check_memory, check_scalar, has_fit_parameter
from gramian.validation import (
    check_consistent_length,
    check_is_fitted,
    check_random_state,
    column_or_1d,
)

__all__ = [
    "as_float_array",
    "assert_all_finite",
    "check_X_y",
    "check_array",
    "check_consistent_length",
    "check_is_fitted",
    "check_memory",
    "check_non_negative",
    "check_random_state",
    "check_scalar",
    "check_symmetric",
    "column_or_1d",
    "has_fit_parameter",
    "indexable",
    "validate_data",
]
