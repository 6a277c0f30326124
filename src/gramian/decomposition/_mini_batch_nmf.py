"""Non-negative matrix factorization of rows that come in batches."""

import math
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.decomposition._nmf_base import Factorization, warn_of_max_iter
from gramian.decomposition._nmf_data import Data
from gramian.decomposition._nmf_steps import exponent_of, multiplied_rows, ratio_of
from gramian.params import Boolean, Integer, Nothing, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["MiniBatchNMF"]

_EPS = float(np.finfo(np.float64).eps)


class MiniBatchNMF(Factorization):
    """Non-negative matrix factorization that updates H after each batch of rows.

    Multiplicative updates of H by numerators and denominators that are summed over the batches,
    those of the past with falling weight (Lefèvre, Bach and Févotte, 2011).

    Parameters
    ----------
    n_components : int, "auto" or None, default="auto"
        Number of components. None is the number of columns, and so is "auto", unless
        `init="custom"`: then it is that of the given factors.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar", "custom"}, default=None
        Where to start; as of `NMF`.
    batch_size : int, default=1024
        Rows of a batch.
    beta_loss : float or {"frobenius", "kullback-leibler", "itakura-saito"}, default="frobenius"
        The divergence: 2, 1 and 0 are those with names.
    tol : float, default=1e-4
        Relative change of H in one batch at which the fit ends; 0 leaves the rule out.
    max_no_improvement : int or None, default=10
        Ends when so many batches in a row do not lower the smoothed cost; None leaves it out.
    max_iter : int, default=200
        Most passes over the rows.
    alpha_W : float, default=0.0
        Weight of the penalty of W.
    alpha_H : float or "same", default="same"
        Weight of the penalty of H.
    l1_ratio : float, default=0.0
        Share of the absolute values in the penalties; the rest are squares.
    forget_factor : float, default=0.7
        Weight that the sums keep over one pass.
    fresh_restarts : bool, default=False
        Whether W is solved for anew in each batch, and for all rows at the end.
    fresh_restarts_max_iter : int, default=30
        Most steps of such a solution in a batch.
    transform_max_iter : int or None, default=None
        Most steps of `transform`; None is `max_iter`.
    random_state : int, RandomState, Generator or None, default=None
        Draws the start of "random" and "nndsvdar".
    verbose : int, default=0
        Whether the progress is printed.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        The factor H.
    n_components_ : int
        Number of components.
    reconstruction_err_ : float
        Root of twice the divergence of the training rows; not of `partial_fit`.
    n_iter_ : int
        Number of passes begun.
    n_steps_ : int
        Number of batches.
    certificate_ : Certificate
        The objective, and the projected gradient in both factors. Batches leave it larger than
        `NMF` does.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.decomposition import MiniBatchNMF
    >>> X = [[1.0, 1.0], [2.0, 1.0], [3.0, 1.2], [4.0, 1.0], [5.0, 0.8], [6.0, 1.0]]
    >>> model = MiniBatchNMF(n_components=2, init="random", max_iter=1000, random_state=0)
    >>> model.fit_transform(X).shape
    (6, 2)
    """

    _signature = (
        "n_components, *, init, batch_size, beta_loss, tol, max_no_improvement, max_iter, alpha_W, "
        "alpha_H, l1_ratio, forget_factor, fresh_restarts, fresh_restarts_max_iter, "
        "transform_max_iter, random_state, verbose"
    )

    batch_size: int = param(1024, Integer(1))
    max_no_improvement: int | None = param(10, Integer(1) | Nothing())
    forget_factor: float = param(0.7, Real(0.0, 1.0, "both"))
    fresh_restarts: bool = param(False, Boolean())
    fresh_restarts_max_iter: int = param(30, Integer(1))
    transform_max_iter: int | None = param(None, Integer(1) | Nothing())

    n_steps_: int
    _numerator: Floats
    _denominator: Floats
    _forget: float

    def fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Self:
        """Find the factors.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows, non-negative.
        y : None
            Not used.
        W : array-like of shape (n_samples, n_components), optional
            Where to start, with `init="custom"`.
        H : array-like of shape (n_components, n_features), optional
            The same for H.
        """
        self._fit(X, W, H)
        return self

    def fit_transform(  # type: ignore[override]
        self, X: Any, y: Any = None, W: Any = None, H: Any = None
    ) -> Any:
        """Find the factors, and return W.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows, non-negative.
        y : None
            Not used.
        W : array-like of shape (n_samples, n_components), optional
            Where to start, with `init="custom"`.
        H : array-like of shape (n_components, n_features), optional
            The same for H.
        """
        return self._fit(X, W, H)

    def _fit(self, X: Any, W: Any, H: Any) -> Any:
        rows = check_fit(self, X, accept_sparse=("csr",)).X
        data = self._checked(rows)
        W, H = self._first(data, W, H, rows.dtype)
        n = len(W)
        size = min(self.batch_size, n)
        self._begin(H, size / n)
        per_pass = -(-n // size)
        rule = _Stop(self, n, self.max_iter * per_pass)
        has_converged = False
        self.n_steps_ = 0
        for batch in _cycle(n, size, self.max_iter):
            of_batch = Data(rows[batch])
            W[batch], new, cost = self._step(of_batch, W[batch], H)
            self.n_steps_ += 1
            has_converged = rule.is_met(self.n_steps_, of_batch.shape[0], cost, new, H)
            H = new
            if has_converged:
                break
        if self.fresh_restarts:
            W = self._solved_rows(data, H, self._transform_steps)
        self.n_iter_ = -(-self.n_steps_ // per_pass)
        self._store(data, W, H, self.n_iter_, has_converged)
        if self.n_iter_ == self.max_iter and self.tol > 0.0:
            warn_of_max_iter(self.max_iter, 4)
        return W.astype(rows.dtype)

    def partial_fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Self:
        """Update the factor H by one batch of rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows, non-negative.
        y : None
            Not used.
        W : array-like of shape (n_samples, n_components), optional
            Where to start, with `init="custom"` at the first batch.
        H : array-like of shape (n_components, n_features), optional
            The same for H.
        """
        if hasattr(self, "components_"):
            data = self._checked(check_predict(self, X, accept_sparse=("csr",)))
            start = self.components_.astype(np.float64)
        else:
            rows = check_fit(self, X, accept_sparse=("csr",)).X
            data = self._checked(rows)
            start = self._first(data, W, H, rows.dtype)[1]
            self._begin(start, min(self.batch_size, data.shape[0]) / data.shape[0])
            self.n_steps_ = 0
        _, found, _ = self._step(data, None, start)
        dtype = data.X.dtype if self.n_steps_ == 0 else self.components_.dtype
        self.components_ = found.astype(dtype)
        self.n_components_ = len(found)
        self.n_steps_ += 1
        return self

    def _begin(self, H: Floats, share: float) -> None:
        """Start the sums; `share` of the rows make a batch."""
        self._numerator, self._denominator = H.copy(), np.ones_like(H)
        self._forget = float(self.forget_factor) ** share

    @property
    def _transform_steps(self) -> int:
        return self.max_iter if self.transform_max_iter is None else self.transform_max_iter

    def _step(self, data: Data, W: Any, H: Floats) -> tuple[Floats, Floats, float]:
        """Return W of a batch, H after it, and its cost for each row."""
        beta, penalty, n = self._beta, self._penalty(data.shape), data.shape[0]
        if self.fresh_restarts or W is None:
            W = self._solved_rows(data, H, self.fresh_restarts_max_iter)
        else:
            W = multiplied_rows(data, W, H, beta, penalty)
        cost = data.divergence(W, H, beta) + penalty.of(W, H)
        terms = ratio_of(H, data.column_terms(W, H, beta), penalty.l1_H, penalty.l2_H)
        power = exponent_of(beta)
        self._numerator = self._forget * self._numerator + H ** (1.0 / power) * terms[0]
        self._denominator = self._forget * self._denominator + terms[1]
        found: Floats = (self._numerator / self._denominator) ** power
        if beta <= 1.0:
            found[found < _EPS] = 0.0
        return W, found, cost / n

    def _solved_rows(self, data: Data, H: Floats, max_iter: int) -> Floats:
        """Return W for H as it is, from multiplicative updates until they change little."""
        penalty, k = self._penalty(data.shape), len(H)
        W: Floats = np.full((data.shape[0], k), math.sqrt(data.mean() / k))
        for _ in range(max_iter):
            new = multiplied_rows(data, W, H, self._beta, penalty)
            change, W = _change(new, W), new
            if self.tol > 0.0 and change <= self.tol:
                break
        return W

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the coefficients of rows: W with H as it is.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows, non-negative.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=("csr",))
        H = np.ascontiguousarray(self.components_, np.float64)
        found = self._solved_rows(self._checked(rows), H, self._transform_steps)
        return found.astype(rows.dtype)


def _cycle(n: int, size: int, n_passes: int) -> Iterator[slice]:
    for _ in range(n_passes):
        for begin in range(0, n, size):
            yield slice(begin, min(begin + size, n))


def _change(new: Floats, old: Floats) -> float:
    """Return the size of a change, relative to what it led to."""
    size = float((new**2).sum())
    return math.sqrt(float(((new - old) ** 2).sum()) / size) if size > 0.0 else 0.0


class _Stop:
    """Whether H changes little, or the smoothed cost does not fall any more."""

    def __init__(self, model: MiniBatchNMF, n: int, n_steps: int) -> None:
        self.model, self.n, self.n_steps = model, n, n_steps
        self.smoothed: float | None = None
        self.least = math.inf
        self.n_worse = 0

    def is_met(self, step: int, n_rows: int, cost: float, new: Floats, old: Floats) -> bool:
        model = self.model
        if model.verbose:
            print(f"Minibatch step {step}/{self.n_steps}: mean batch cost: {cost}")
        if step == 1:  # its cost is that of the start
            return False
        share = min(n_rows / (self.n + 1), 1.0)
        before = cost if self.smoothed is None else self.smoothed
        self.smoothed = before * (1.0 - share) + cost * share
        if model.tol > 0.0 and _change(new, old) <= model.tol:
            return True
        self.n_worse = 0 if self.smoothed < self.least else self.n_worse + 1
        self.least = min(self.least, self.smoothed)
        return model.max_no_improvement is not None and self.n_worse >= model.max_no_improvement
