"""Checks of the arguments of functions, with the constraints and the words of estimators."""

import math
from typing import Any

from gramian import params
from gramian.params import (
    Boolean,
    Constraint,
    Estimator,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    RandomState,
    Real,
    Strings,
)

_REAL = Real(-math.inf, math.inf, closed="both")


class ErrorScore(Constraint):
    """Any number, NaN too."""

    def accepts(self, value: Any) -> bool:
        return _REAL.accepts(value) or (isinstance(value, float) and math.isnan(value))

    def describe(self) -> str:
        return "a number"


JOBS = Integer(-math.inf) | Nothing()

_CONSTRAINTS: dict[str, Constraint] = {
    "estimator": Estimator(("fit",)),
    "n_jobs": JOBS,
    "verbose": Integer(0) | Boolean(),
    "params": Mappings() | Nothing(),
    "pre_dispatch": Integer(-math.inf) | Strings() | Nothing(),
    "error_score": OneOf("raise") | ErrorScore(),
    "return_train_score": Boolean(),
    "return_estimator": Boolean(),
    "return_indices": Boolean(),
    "return_times": Boolean(),
    "exploit_incremental_learning": Boolean(),
    "shuffle": Boolean(),
    "random_state": RandomState(),
    "n_permutations": Integer(1),
    "param_name": Strings(),
    "pairs": Boolean(),
    "confidence": Real(0, 1, closed="neither"),
    "test_train_ratio": Real(0),
    "n_repeats": Integer(1),
    "num_rounds": Integer(1),
    "method": OneOf("predict", "predict_proba", "predict_log_proba", "decision_function"),
    "test_size": Real(0, 1, closed="neither") | Integer(1) | Nothing(),
    "train_size": Real(0, 1, closed="neither") | Integer(1) | Nothing(),
}
"""Name of an argument -> what it may be, in every function of the family."""


def check_arguments(function: str, **arguments: Any) -> None:
    """Raise `InvalidParameterError` for the first argument that is out of its range."""
    pairs = {name: (value, _CONSTRAINTS[name]) for name, value in arguments.items()}
    params.check_arguments(function, **pairs)
