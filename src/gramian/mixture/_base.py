"""What mixtures share: starts, and steps until the bound settles."""

import math
import time
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._magnitude import require_squares
from gramian._typing import Floats
from gramian.certificate import Certificate
from gramian.cluster import KMeans, kmeans_plusplus
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared
from gramian.mixture._answers import MixtureAnswers, State
from gramian.mixture._moments import Estimates, Rows, factor_of
from gramian.params import Boolean, Integer, OneOf, RandomState, Real, param
from gramian.validation import check_fit

__all__ = ["FORMS", "BaseMixture", "State", "check_shape"]

FORMS = ("full", "tied", "diag", "spherical")


def check_shape(values: Any, shape: tuple[int, ...], name: str) -> None:
    """Raise ValueError unless a given parameter has its shape."""
    if values.shape != shape:
        raise ValueError(
            f"The parameter '{name}' should have the shape of {shape}, but got {values.shape}"
        )


class BaseMixture(MixtureAnswers):
    """A mixture fitted by steps that raise a lower bound of the log-likelihood."""

    n_components: int = param(1, Integer(1))
    covariance_type: str = param("full", OneOf(*FORMS))
    tol: float = param(1e-3, Real(0.0))
    reg_covar: float = param(1e-6, Real(0.0))
    max_iter: int = param(100, Integer(0))
    n_init: int = param(1, Integer(1))
    init_params: str = param("kmeans", OneOf("kmeans", "k-means++", "random", "random_from_data"))
    random_state: Any = param(None, RandomState())
    warm_start: bool = param(False, Boolean())
    verbose: int = param(0, Integer(0) | Boolean())
    verbose_interval: int = param(10, Integer(1))

    converged_: bool
    lower_bound_: float

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the components.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; an integer weight k counts as k copies of the row.
        """
        self._fit(X, sample_weight)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[np.int64]:
        """Fit the components, and return the likeliest one of each row.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        return self._answer(self._fit(X, sample_weight), "label", dtype=None)

    def _fit(self, X: Any, sample_weight: Any) -> Any:
        """Fit the components, and return the rows as numbers."""
        data = check_fit(self, X, None, sample_weight, accept_sparse=False, min_samples=2)
        rows, weight = data.X, data.sample_weight
        if weight is not None and not (weight > 0).all():
            rows, weight = rows[weight > 0], weight[weight > 0]
        if rows.shape[0] < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, "
                f"n_samples = {rows.shape[0]}"
            )
        given = self._rows(rows, weight)
        self._check_parameters(given)
        self._set(self._best_run(given), given)
        for name in ("_given", "_began", "_stepped"):
            vars(self).pop(name, None)
        return data.X

    def _rows(self, X: Any, weight: Floats | None) -> Rows:
        with np.errstate(over="ignore", invalid="ignore"):
            given = Rows(X, weight, self.covariance_type, float(self.reg_covar), core_context())
        if not np.isfinite(given.variance).all():
            require_squares(self, X)
            raise ValueError("The variances of X are too large for double precision; scale X.")
        return given

    # What the kinds of mixture differ in.

    def _check_parameters(self, X: Any, k: int | None = None) -> None:
        raise NotImplementedError

    def _first(self, given: Rows, found: Estimates | None) -> State:
        """Return the state to start from."""
        raise NotImplementedError

    def _next(self, found: Estimates) -> State:
        """Return the state after a step."""
        raise NotImplementedError

    def _bound(self, state: State, likelihood: float, entropy: float, total: float) -> float:
        """Return the bound; likelihood and entropy at the state before, as scikit-learn has it."""
        raise NotImplementedError

    def _derived(self, state: State) -> State:
        """Return further attributes."""
        raise NotImplementedError

    def _needs_start(self) -> bool:
        return True

    # Steps.

    def _best_run(self, given: Rows) -> State:
        is_warm = bool(self.warm_start) and hasattr(self, "converged_")
        rng = random_state_of(self.random_state)
        best: State | None = None
        for start in range(1 if is_warm else self.n_init):
            self._say_start(start)
            state = self._restored() if is_warm else self._start(given, rng)
            bound = self.lower_bound_ if is_warm else -math.inf
            run = self._run(given, state, bound)
            if best is None or run["lower_bound_"] > best["lower_bound_"]:
                best = run
            if given.ctx.expired:
                break
        assert best is not None
        return best

    def _start(self, given: Rows, rng: np.random.RandomState) -> State:
        if not self._needs_start():
            return self._first(given, None)
        X, k, n = given.X, self.n_components, given.X.shape[0]
        if self.init_params == "kmeans":
            model = KMeans(k, n_init=1, random_state=rng)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                labels = model.fit(X, sample_weight=given.weight).labels_
            return self._first(given, given.of_labels(labels, k))
        if self.init_params == "random":
            parts = rng.uniform(size=(n, k))
            parts /= parts.sum(axis=1)[:, None]
            return self._first(given, self._of_parts(given, parts))
        if self.init_params == "k-means++":
            chosen = kmeans_plusplus(X, k, sample_weight=given.weight, random_state=rng)[1]
        else:
            chosen = rng.choice(n, size=k, replace=False)
        return self._first(given, given.of_rows(chosen))

    def _of_parts(self, given: Rows, parts: Floats) -> Estimates:
        p, k = given.X.shape[1], parts.shape[1]
        mean = np.ascontiguousarray(np.broadcast_to(given.mean, (k, p)))
        unit = {"full": np.tile(np.eye(p), (k, 1)), "tied": np.eye(p)}
        factor = unit.get(self.covariance_type, np.ones((k, p)))
        return given.step(mean, factor, np.zeros(k), parts)[2]

    def _step(self, given: Rows, state: State) -> tuple[float, State]:
        """Return the bound at the state, and the next one."""
        p = given.X.shape[1]
        factor = factor_of(state["precisions_cholesky_"], self.covariance_type, p)
        likelihood, entropy, found = given.step(state["means_"], factor, self._constants(state, p))
        after = self._next(found)
        return self._bound(after, likelihood, entropy, given.total), after

    def _bound_at(self, given: Rows, state: State) -> float:
        """Return the bound at the state."""
        return self._step(given, state)[0]

    def _run(self, given: Rows, state: State, bound: float) -> State:
        """Return the state at the end of one start's steps."""
        bounds: list[float] = []
        converged = False
        for n_iter in range(1, self.max_iter + 1):
            before = bound
            bound, state = self._step(given, state)
            bounds.append(bound)
            self._say_step(n_iter, bound - before)
            if abs(bound - before) < self.tol:
                converged = True
                break
            if given.ctx.expired:
                break
        if self.max_iter > 0:
            self._say_end(bound, converged)
        reached = bound if bounds else -math.inf
        return {
            **state,
            "converged_": converged,
            "n_iter_": len(bounds),
            "lower_bound_": reached,
            "lower_bounds_": bounds,
        }

    def _set(self, state: State, given: Rows) -> None:
        """Set what was found, in the precision of the rows."""
        dtype = np.float64 if self._is_double else given.X.dtype
        self.certificate_ = self._certify(given, state)
        if not state["converged_"] and self.max_iter > 0:
            warnings.warn(
                "Best performing initialization did not converge. Try different init parameters, "
                "or increase max_iter, tol, or check for degenerate data.",
                shared(ConvergenceWarning),
                stacklevel=5,
            )
        single = {name: _in_dtype(value, dtype) for name, value in state.items()}
        for name in ("converged_", "n_iter_", "lower_bound_", "lower_bounds_"):
            setattr(self, name, single[name])
        self._set_parameters([single[name] for name in self._stated])

    def _set_parameters(self, params: Any) -> None:
        """Set the attributes of a state, given in its order, and what follows from them."""
        state = dict(zip(self._stated, params, strict=True))
        for name, value in {**state, **self._derived(state)}.items():
            setattr(self, name, value)

    def _initialize_parameters(self, X: Any, random_state: np.random.RandomState) -> None:
        """Set the parameters that a fit to these rows would start from."""
        given = self._rows(X, None)
        self._check_parameters(given)
        state = self._start(given, random_state)
        self._set_parameters([state[name] for name in self._stated])

    def _initialize(self, X: Any, resp: Floats) -> None:
        """Set the parameters that follow from given parts of the components in rows."""
        given = self._rows(X, None)
        parts = np.ascontiguousarray(resp, np.float64)
        self._check_parameters(given, parts.shape[1])
        state = self._first(given, self._of_parts(given, parts))
        self._set_parameters([state[name] for name in self._stated])

    def _certify(self, given: Rows, state: State) -> Certificate:
        """Return the bound at the returned parameters, and what one more step would gain."""
        try:
            bound, after = self._step(given, state)
        except ValueError:  # a component would collapse
            statement = "the next step would collapse a component: raise reg_covar"
            details: dict[str, float | int | str] = {"gain": math.nan}
            bound = state["lower_bound_"]
            return Certificate(-bound, 1.0, False, statement, state["n_iter_"], details=details)
        gain = self._bound_at(given, after) - bound
        bounds = state["lower_bounds_"]
        falls = int((np.diff(bounds) < -1e-10 * max(abs(bound), 1.0)).sum())
        statement = (
            f"log-likelihood {bound:.6g} after {state['n_iter_']} steps; one more step would raise "
            f"it by {gain:.1e}"
        )
        if falls:
            statement += f"; it fell in {falls} steps, where reg_covar rules"
        details = {"gain": gain, "falls": falls}
        relative = abs(gain) / max(abs(bound), 1.0)
        return Certificate(
            -bound,
            relative,
            bool(state["converged_"]),
            statement,
            state["n_iter_"],
            details=details,
        )

    def _say_start(self, start: int) -> None:
        if self.verbose:
            print(f"Initialization {start}")
            self._began = self._stepped = time.monotonic()

    def _say_step(self, n_iter: int, change: float) -> None:
        if n_iter % self.verbose_interval or not self.verbose:
            return
        if self.verbose == 1:
            print(f"  Iteration {n_iter}")
            return
        now = time.monotonic()
        print(
            f"  Iteration {n_iter}\t time lapse {now - self._stepped:.5f}s\t ll change {change:.5f}"
        )
        self._stepped = now

    def _say_end(self, bound: float, converged: bool) -> None:
        if not self.verbose:
            return
        how = "converged" if converged else "did not converge"
        if self.verbose == 1:
            print(f"Initialization {how}.")
            return
        lapse = time.monotonic() - self._began
        print(f"Initialization {how}. time lapse {lapse:.5f}s\t lower bound {bound:.5f}.")


def _in_dtype(value: Any, dtype: Any) -> Any:
    """Return an array, or those of a tuple, in a type; other values as they are."""
    if isinstance(value, tuple):
        return tuple(each.astype(dtype) for each in value)
    return value.astype(dtype) if isinstance(value, np.ndarray) else value
