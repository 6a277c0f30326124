"""What the estimators fitted by stochastic gradient descent share."""

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._linear.advice import scale_advice
from gramian._linear.sgd_descent import (
    SgdData,
    SgdResult,
    SgdState,
    certify,
    descend,
    seeds_of,
    with_validation,
)
from gramian._tags import tagged
from gramian.base import BaseEstimator, is_classifier
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import Boolean, Integer, Nothing, RandomState, Real, param

if TYPE_CHECKING:
    from gramian.certificate import Certificate

LEARNING_RATES = ("constant", "optimal", "invscaling", "adaptive", "pa1", "pa2")
POSITIVE = Real(0.0, closed="neither")


class SGDBase(BaseEstimator):
    """Base of the estimators that are fitted by stochastic gradient descent."""

    _own_tags = tagged(scales_tables=True, reads_words=True)

    fit_intercept: bool = param(True, Boolean())
    max_iter: int = param(1000, Integer(1))
    tol: float | None = param(1e-3, Real(0.0) | Nothing())
    shuffle: bool = param(True, Boolean())
    verbose: int = param(0, Integer(0) | Boolean())
    random_state: Any = param(None, RandomState())
    eta0: float = param(0.01, POSITIVE)
    warm_start: bool = param(False, Boolean())

    # What a subclass does not let its users choose.
    loss: str
    penalty: str | None
    alpha: float
    l1_ratio: float | None
    learning_rate: str
    epsilon: float = 0.1
    power_t: float = 0.5
    average: bool | int = False
    batch_size: int | str = 1
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5

    _passive_aggressive_loss: ClassVar[str] = "hinge"
    _is_one_class: bool = False

    coef_: NDArray[Any]
    certificate_: "Certificate"
    t_: float
    n_iter_: int

    def _check_settings(self, *, is_partial: bool = False) -> None:
        """Check the parameters, and what holds between them."""
        if self.early_stopping and is_partial:
            raise ValueError("early_stopping should be False with partial_fit")
        if self.learning_rate == "optimal" and self.alpha == 0:
            raise ValueError(
                "alpha must be > 0 since learning_rate is 'optimal'. alpha is used to compute the "
                "optimal learning rate."
            )
        if self.learning_rate in ("pa1", "pa2"):
            self._check_passive_aggressive()
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError("l1_ratio must be set when penalty is 'elasticnet'")
        if self.power_t < 0:
            warnings.warn(
                "Negative values for `power_t` are deprecated: the steps grow. Use values in the "
                "range [0.0, inf) instead.",
                FutureWarning,
                stacklevel=5,
            )

    def _check_passive_aggressive(self) -> None:
        needed = self._passive_aggressive_loss
        if self.loss != needed:
            raise ValueError(
                f"Learning rate '{self.learning_rate}' only works with loss '{needed}'."
            )
        if self.batch_size != 1:
            raise ValueError(
                f"Learning rate '{self.learning_rate}' steps on one row at a time, which "
                f"batch_size={self.batch_size!r} forbids. Use batch_size=1."
            )

    def _start(
        self,
        shape: tuple[int, int],
        dtype: Any,
        coef_init: Any,
        intercept_init: Any,
        name: str = "intercept",
    ) -> SgdState:
        """Return the state before the first step: zeros, what the user gives, or the last fit."""
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            last = getattr(self, f"{name}_")
            intercept_init = last if intercept_init is None else intercept_init
        coef = _initial(coef_init, shape, "coef_init", dtype)
        return SgdState.start(coef, _initial(intercept_init, shape[:1], f"{name}_init", dtype))

    def _continue(self, intercept: NDArray[Any]) -> SgdState:
        """Return the state that the last call of fit or partial_fit ended in."""
        n_targets = len(intercept)
        coef = _as_rows(getattr(self, "_standard_coef", self.coef_), n_targets)
        intercept = np.array(getattr(self, "_standard_intercept", intercept), dtype=np.float64)
        state = SgdState.start(coef, intercept)
        if self.average and hasattr(self, "_average_coef"):
            state.average_coef = _as_rows(self._average_coef, n_targets)
            state.average_intercept = np.array(self._average_intercept, dtype=np.float64)
        state.t = self.t_
        return state

    def _run(self, data: SgdData, state: SgdState, *, is_partial: bool = False) -> SgdResult:
        """Descend from `state`, and set what all of these estimators have in common."""
        rng = random_state_of(self.random_state)
        if self.early_stopping:
            data = self._split(data)
        seeds = seeds_of(rng, data)
        result = descend(self, data, state, seeds, 1 if is_partial else self.max_iter)
        vars(self).pop("certificate_", None)
        if not is_partial:
            self.certificate_ = certify(self, data, *self._returned(state, data.X.dtype), result)
            self._warn(data, result)
        self._keep_average(state, data.X.dtype)
        self.t_ = state.t
        self.n_iter_ = result.n_iter
        return result

    def _returned(self, state: SgdState, dtype: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the coefficients and intercepts of the model, in the precision of the data."""
        coef, intercept = state.result(int(self.average))
        return coef.astype(dtype), intercept.astype(dtype)

    def _row_orders(self, n_rows: int, n_epochs: int) -> NDArray[np.int64]:
        """Return the rows in the order in which the epochs of a fit to two classes take them."""
        orders = np.tile(np.arange(n_rows), (n_epochs, 1))
        if self.shuffle:
            data = SgdData(None, np.empty(0), None, np.ones((1, 2)))
            seed = seeds_of(random_state_of(self.random_state), data)[0]
            _core.sgd_orders(int(seed), out=orders)
        return orders

    def _split(self, data: SgdData) -> SgdData:
        """Set rows apart, at random and by class, to judge each epoch by."""
        from gramian.model_selection import ShuffleSplit, StratifiedShuffleSplit

        splitter = StratifiedShuffleSplit if is_classifier(self) else ShuffleSplit
        cv = splitter(test_size=self.validation_fraction, random_state=self.random_state)
        _, rows = next(cv.split(np.zeros((len(data.y), 1)), data.y))
        if data.weight is not None and not data.weight[rows].any():
            raise ValueError(
                "The sample weights for validation set are all zero, consider using a different "
                "random state."
            )
        return with_validation(data, rows)

    def _keep_average(self, state: SgdState, dtype: Any) -> None:
        for name in ("_standard_coef", "_standard_intercept", "_average_coef"):
            vars(self).pop(name, None)
        vars(self).pop("_average_intercept", None)
        if self.average:
            self._standard_coef = state.coef.astype(dtype)
            self._standard_intercept = state.intercept.astype(dtype)
            self._average_coef = state.average_coef.astype(dtype)
            self._average_intercept = state.average_intercept.astype(dtype)

    def _warn(self, data: SgdData, result: SgdResult) -> None:
        if self.tol is None or result.end != "max_iter":
            return
        names = None
        if getattr(self, "encoding_", None) is None:
            names = getattr(self, "feature_names_in_", None)
        advice = scale_advice(data.X, names)
        warnings.warn(
            "Maximum number of iteration reached before convergence. Consider increasing max_iter "
            f"to improve the fit. {self.certificate_.statement}. {advice}".rstrip(),
            shared(ConvergenceWarning),
            stacklevel=5,
        )


def _as_rows(coef: Any, n_targets: int) -> NDArray[np.float64]:
    dense = coef if isinstance(coef, np.ndarray) else coef.toarray()
    return np.array(dense, dtype=np.float64).reshape(n_targets, -1)


def _initial(value: Any, shape: tuple[int, ...], name: str, dtype: Any) -> NDArray[np.float64]:
    """Return a new array of this shape, zeros unless the user gives values."""
    if value is None:
        return np.zeros(shape)
    dense = value if not hasattr(value, "toarray") else value.toarray()
    array = np.array(dense, dtype=dtype)
    fits = array.shape == shape or (shape[0] == 1 and array.size == np.prod(shape))
    if not fits:
        raise ValueError(
            f"Provided {name} does not match dataset: it has shape {array.shape}, expected {shape}."
        )
    return array.astype(np.float64).reshape(shape)
