"""Which penalties a cross-validated logistic regression tries, with the warnings they deserve."""

import numbers
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.linear_model._logistic_penalty import check_solver
from gramian.params import Real


@dataclass(frozen=True)
class Grid:
    """Values of C, and of the fraction of the L1 penalty."""

    Cs: Floats
    ratios: tuple[float, ...]  # those that are fitted
    given: Any  # as asked for; None if they were not

    @property
    def listed(self) -> list[Any]:
        """What ``l1_ratios_`` holds."""
        return [None] if self.given is None else list(self.given)


def grid_of(model: Any) -> Grid:
    """Return the grid of a `LogisticRegressionCV`."""
    given = _given_ratios(model)
    penalty = _penalty_name(model, given)
    check_solver(model.solver, penalty, model.dual)
    if penalty == "elasticnet" or (given is not None and not len(given)):
        _check_ratios(given)
    elif given is not None and model.penalty != "deprecated":
        warnings.warn(
            "l1_ratios parameter is only used when penalty is 'elasticnet'. Got "
            f"(penalty={penalty})",
            stacklevel=4,
        )
    count = 1 if given is None else len(given)
    single = {"l1": 1.0, "l2": 0.0}.get(penalty)
    ratios = (single,) * count if single is not None else tuple(float(r) for r in given)
    return Grid(_checked_grid(model.Cs, model.solver), ratios, given)


def _given_ratios(model: Any) -> Any:
    if isinstance(model.l1_ratios, str):
        _warn_future(
            "The default value for l1_ratios will change from None to (0.0,) in version 1.10 of "
            "scikit-learn, which will take only arrays of numbers from 0 to 1. To silence this "
            "warning, set a value, for example l1_ratios=(0,)."
        )
        return None
    if model.l1_ratios is None and model.penalty == "deprecated":
        _warn_future(
            "'l1_ratios=None' was deprecated in version 1.8 of scikit-learn and will be an error "
            "in 1.10. Use an array of numbers from 0 to 1 instead."
        )
    return model.l1_ratios


def _penalty_name(model: Any, given: Any) -> str:
    if model.penalty != "deprecated":
        _warn_future(
            "'penalty' was deprecated in version 1.8 of scikit-learn. Leave it at its default and "
            "use l1_ratios=(0,) instead of penalty='l2', l1_ratios=(1,) instead of penalty='l1', "
            "and floats between 0 and 1 instead of penalty='elasticnet'."
        )
        return str(model.penalty)
    if given is None or np.all(np.asarray(given) == 0):
        return "l2"
    return "l1" if np.all(np.asarray(given) == 1) else "elasticnet"


def _check_ratios(given: Any) -> None:
    is_valid = given is not None and len(given) > 0
    if not is_valid or not all(Real(0.0, 1.0, closed="both").accepts(r) for r in given):
        raise ValueError(
            f"l1_ratios must be an array-like of numbers between 0 and 1; got (l1_ratios={given!r})"
        )


def _checked_grid(Cs: Any, solver: str) -> Floats:
    if isinstance(Cs, numbers.Integral):
        return np.logspace(-4, 4, int(Cs))
    values = np.asarray(Cs, dtype=np.float64)
    if values.ndim != 1 or not values.size or not (values > 0).all():
        raise ValueError(f"Cs must be an int or a sequence of numbers > 0. Got {Cs!r}.")
    if solver == "liblinear" and np.isinf(values).any():
        check_solver(solver, None, False)
    return values


def _warn_future(message: str) -> None:
    warnings.warn(message, FutureWarning, stacklevel=6)
