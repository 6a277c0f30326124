"""Helpers that programs import beside the models, by scikit-learn's names."""

from gramian.datasets import Bunch
from gramian.registry import all_estimators
from gramian.utils._resampling import resample, shuffle
from gramian.utils._slices import gen_batches, gen_even_slices, safe_mask
from gramian.utils.class_weight import compute_class_weight, compute_sample_weight
from gramian.utils.validation import (
    as_float_array,
    assert_all_finite,
    check_array,
    check_consistent_length,
    check_random_state,
    check_scalar,
    check_symmetric,
    check_X_y,
    column_or_1d,
    indexable,
)

__all__ = [
    "Bunch",
    "all_estimators",
    "as_float_array",
    "assert_all_finite",
    "check_X_y",
    "check_array",
    "check_consistent_length",
    "check_random_state",
    "check_scalar",
    "check_symmetric",
    "column_or_1d",
    "compute_class_weight",
    "compute_sample_weight",
    "gen_batches",
    "gen_even_slices",
    "indexable",
    "resample",
    "safe_mask",
    "shuffle",
]
