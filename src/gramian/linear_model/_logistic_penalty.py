"""Which penalty the parameters of logistic regression ask for, and whether the solver has it."""

import math
import warnings
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Penalty:
    """The penalty ``l1 |v|_1 + l2/2 |v|^2`` on a sum of losses."""

    l1: float
    l2: float

    @classmethod
    def of(cls, C: float, l1_ratio: float) -> "Penalty":
        """Return the penalty that goes with C times the loss; an infinite C means none."""
        strength = 0.0 if math.isinf(C) else 1.0 / float(C)
        return cls(strength * l1_ratio, strength * (1.0 - l1_ratio))


def penalty_of(model: Any) -> Penalty:
    """Return the penalty of a logistic regression, with the warnings and errors it deserves."""
    name = _name_of(model)
    check_solver(model.solver, name, model.dual)
    _warn_inconsistent(model, name)
    if model.penalty is None:
        if model.C != 1.0:
            warnings.warn(
                "Setting penalty=None will ignore the C and l1_ratio parameters", stacklevel=4
            )
        return Penalty(0.0, 0.0)
    return Penalty.of(model.C, {"l1": 1.0, "l2": 0.0, None: 0.0}.get(name, model.l1_ratio))


def _name_of(model: Any) -> str | None:
    if model.penalty != "deprecated":
        warnings.warn(
            "'penalty' was deprecated in version 1.8 of scikit-learn. Leave it at its default and "
            "use l1_ratio=0 instead of penalty='l2', l1_ratio=1 instead of penalty='l1', a float "
            "between 0 and 1 instead of penalty='elasticnet', and C=np.inf instead of "
            "penalty=None.",
            FutureWarning,
            stacklevel=5,
        )
        if model.penalty == "elasticnet" and model.l1_ratio is None:
            raise ValueError("l1_ratio must be specified when penalty is elasticnet.")
        name: str | None = model.penalty
        return name
    if model.l1_ratio is None:
        warnings.warn(
            "'l1_ratio=None' was deprecated in version 1.8 of scikit-learn. Use "
            "0<=l1_ratio<=1 instead.",
            FutureWarning,
            stacklevel=5,
        )
    if math.isinf(model.C):
        return None
    if model.l1_ratio in (0, None):
        return "l2"
    return "l1" if model.l1_ratio == 1 else "elasticnet"


def check_solver(solver: str, penalty: str | None, dual: bool) -> None:
    """Raise ValueError if a solver does not take a penalty, "l1", "l2", "elasticnet" or None."""
    if solver not in ("liblinear", "saga") and penalty not in ("l2", None):
        raise ValueError(
            f"Solver {solver} supports only 'l2' or None penalties, got {penalty} penalty."
        )
    if solver != "liblinear" and dual:
        raise ValueError(f"Solver {solver} supports only dual=False, got dual={dual}")
    if penalty == "elasticnet" and solver != "saga":
        raise ValueError(f"Only 'saga' solver supports elasticnet penalty, got solver={solver}.")
    if solver == "liblinear" and penalty is None:
        raise ValueError(
            "C=np.inf as well as penalty=None is not supported for the liblinear solver"
        )
    if penalty == "l1" and dual:
        raise ValueError(
            "Unsupported set of arguments: The combination of penalty='l1' and dual=True is not "
            "supported with solver='liblinear'."
        )


def _warn_inconsistent(model: Any, penalty: str | None) -> None:
    ratio = model.l1_ratio
    if penalty != "elasticnet" and ratio is not None and 0 < ratio < 1:
        warnings.warn(
            "l1_ratio parameter is only used when penalty is 'elasticnet'. Got "
            f"(penalty={penalty})",
            stacklevel=4,
        )
    if (model.penalty == "l2" and ratio != 0) or (model.penalty == "l1" and ratio != 1):
        warnings.warn(
            f"Inconsistent values: penalty={model.penalty} with l1_ratio={ratio}. penalty is "
            "deprecated. Please use l1_ratio only.",
            stacklevel=4,
        )
