"""What a fitted mixture tells about rows: components, probabilities, densities; and draws."""

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._sums import row_mean
from gramian._typing import Floats
from gramian.base import BaseEstimator, DensityMixin
from gramian.config import core_context
from gramian.mixture._moments import factor_of, log_det
from gramian.validation import check_is_fitted, check_predict

__all__ = ["MixtureAnswers", "State"]

State = dict[str, Any]


class MixtureAnswers(DensityMixin, BaseEstimator):
    """The methods of a fitted mixture."""

    covariance_type: str
    random_state: Any

    weights_: Floats
    means_: Floats
    covariances_: Floats
    precisions_cholesky_: Floats
    precisions_: Floats

    _is_double: ClassVar[bool] = False  # whether float32 becomes float64, as in scikit-learn
    _stated: ClassVar[tuple[str, ...]]  # fitted attributes that determine a step

    def _log_weights(self, state: State) -> Floats:
        """Return what is added to the log-density of each component."""
        raise NotImplementedError

    def _restored(self) -> State:
        """Return the state of the fit before."""
        state = {name: getattr(self, name) for name in self._stated}
        return {
            name: np.asarray(value, np.float64) if isinstance(value, np.ndarray) else value
            for name, value in state.items()
        }

    def _constants(self, state: State, p: int) -> Floats:
        """Return the logarithms of the densities at the means, with the weights."""
        constants = -0.5 * p * math.log(2.0 * math.pi) + self._log_weights(state)
        added = log_det(state["precisions_cholesky_"], self.covariance_type, p)
        return np.ascontiguousarray(constants + added)

    def _native(self, state: State) -> tuple[str, Floats, Floats, Floats]:
        """Return the components as the core takes them."""
        p = state["means_"].shape[1]
        form = "diag" if self.covariance_type == "spherical" else self.covariance_type
        factor = factor_of(state["precisions_cholesky_"], self.covariance_type, p)
        return form, np.ascontiguousarray(state["means_"]), factor, self._constants(state, p)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return check_predict(self, X, accept_sparse=False)

    def _answer(self, rows: Any, answer: str, dtype: Any) -> NDArray[Any]:
        form, mean, factor, constant = self._native(self._restored())
        is_label = answer == "label"
        out: NDArray[Any] = (
            np.empty(rows.shape[0], np.int64) if is_label else np.empty((rows.shape[0], len(mean)))
        )
        with np.errstate(divide="ignore"):
            log_prior = np.log(np.asarray(self.weights_, np.float64))
        _core.mixture_answers(
            rows,
            form,
            mean,
            factor,
            constant,
            log_prior,
            answer=answer,
            out=out,
            ctx=core_context(),
        )
        return out if is_label or self._is_double else out.astype(dtype, copy=False)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the likeliest component of each row.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._answer(self._checked(X), "label", None)

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probability of each component for each row.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        rows = self._checked(X)
        return self._answer(rows, "probability", rows.dtype)

    def score_samples(self, X: Any) -> NDArray[Any]:
        """Return the log-density of each row.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        rows = self._checked(X)
        out = np.empty(rows.shape[0])
        _core.mixture_evidence(rows, *self._native(self._restored()), out=out, ctx=core_context())
        return out if self._is_double else out.astype(rows.dtype, copy=False)

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-density of rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        """
        return row_mean(self.score_samples(X))

    def sample(self, n_samples: int = 1) -> tuple[Floats, NDArray[np.int64]]:
        """Draw rows, one component after the other.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of shape (n_samples,)
            The component of each row.
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(
                f"Invalid value for 'n_samples': {n_samples} . The sampling requires at least one "
                "sample."
            )
        rng = random_state_of(self.random_state)
        weights = np.asarray(self.weights_, np.float64)
        counts = rng.multinomial(n_samples, weights / weights.sum())
        p = self.means_.shape[1]
        parts = []
        for k, (mean, count) in enumerate(zip(self.means_, counts, strict=True)):
            if self.covariance_type in ("full", "tied"):
                full = self.covariance_type == "full"
                covariance = self.covariances_[k] if full else self.covariances_
                parts.append(rng.multivariate_normal(mean, covariance, int(count)))
            else:
                spread = np.sqrt(self.covariances_[k])
                parts.append(mean + rng.standard_normal(size=(int(count), p)) * spread)
        return np.vstack(parts), np.repeat(np.arange(len(counts)), counts)
