"""Non-negative matrix factorization."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.decomposition._nmf_base import Factorization, given_factor, warn_of_max_iter
from gramian.decomposition._nmf_data import Data
from gramian.decomposition._nmf_steps import Found, descend, multiply
from gramian.params import Boolean, OneOf, check_arguments, param
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict

__all__ = ["NMF", "non_negative_factorization"]


class NMF(Factorization):
    """Non-negative matrix factorization: rows as sums of few non-negative parts.

    Minimises ``d(X, W H) + p a_W R(W) + n a_H R(H)`` over non-negative factors W of shape (n, k)
    and H of shape (k, p), where d is half the squared difference or another beta divergence, a_W
    and a_H are `alpha_W` and `alpha_H`, and ``R(A) = r |A|_1 + (1 - r) |A|² / 2`` with r the
    `l1_ratio`.

    Parameters
    ----------
    n_components : int, "auto" or None, default="auto"
        Number k of components. None is the number of columns, and so is "auto", unless
        `init="custom"`: then it is that of the given factors.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar", "custom"}, default=None
        Where to start: random factors; the signed parts of the leading singular vectors, with zeros
        kept, replaced by the mean of `X`, or by small random numbers; or `W` and `H` of `fit`. None
        is "nndsvda", and "random" where there are more components than rows or columns.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent, for the squared difference alone, or multiplicative updates.
    beta_loss : float or {"frobenius", "kullback-leibler", "itakura-saito"}, default="frobenius"
        The divergence: 2, 1 and 0 are those with names.
    tol : float, default=1e-4
        Coordinate descent ends when the projected gradient is this small beside that of the first
        iteration; multiplicative updates end when ten of them lower the root of the divergence by
        less than this part of the first.
    max_iter : int, default=200
        Most iterations.
    random_state : int, RandomState, Generator or None, default=None
        Draws the start of "random" and "nndsvdar", and the order of `shuffle`.
    alpha_W : float, default=0.0
        Weight of the penalty of W.
    alpha_H : float or "same", default="same"
        Weight of the penalty of H.
    l1_ratio : float, default=0.0
        Share of the absolute values in the penalties; the rest are squares.
    verbose : int, default=0
        Whether the progress is printed.
    shuffle : bool, default=False
        Whether coordinate descent takes the components in a random order.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        The factor H.
    n_components_ : int
        Number of components.
    reconstruction_err_ : float
        Root of twice the divergence of the training rows.
    n_iter_ : int
        Number of iterations.
    certificate_ : Certificate
        The objective, and the projected gradient in both factors. The problem is not convex: other
        starts can end lower.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.decomposition import NMF
    >>> X = [[1.0, 1.0], [2.0, 1.0], [3.0, 1.2], [4.0, 1.0], [5.0, 0.8], [6.0, 1.0]]
    >>> model = NMF(n_components=2, init="random", random_state=0, max_iter=500).fit(X)
    >>> model.reconstruction_err_ < 0.01
    True
    """

    _signature = (
        "n_components, *, init, solver, beta_loss, tol, max_iter, random_state, alpha_W, alpha_H, "
        "l1_ratio, verbose, shuffle"
    )

    solver: str = param("cd", OneOf("mu", "cd"))
    shuffle: bool = param(False, Boolean())

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
        self._check_solver()
        data = self._checked(rows)
        first = self._first(data, W, H, rows.dtype)
        found = self._solve(data, *first, update_H=True)
        self.n_iter_ = found.n_iter
        self._store(data, found.W, found.H, found.n_iter, found.converged)
        if found.n_iter == self.max_iter and self.tol > 0.0:
            warn_of_max_iter(self.max_iter, 4)
        return found.W.astype(rows.dtype)

    def _check_solver(self) -> None:
        if self.solver == "cd" and self._beta != 2.0:
            raise ValueError(
                f"Invalid beta_loss parameter: solver 'cd' does not handle beta_loss = "
                f"{self.beta_loss!r}; solver='mu' does."
            )
        if self.solver == "mu" and self.init == "nndsvd":
            warnings.warn(
                "The multiplicative update ('mu') solver cannot update zeros present in the "
                "initialization, and so leads to poorer results when used jointly with "
                "init='nndsvd'. You may try init='nndsvda' or init='nndsvdar' instead.",
                stacklevel=5,
            )

    def _solve(self, data: Data, W: Floats, H: Floats, *, update_H: bool) -> Found:
        penalty, settings = self._penalty(data.shape), self._settings(update_H)
        if self.solver == "cd":
            return descend(data, W, H, penalty, settings)
        return multiply(data, W, H, self._beta, penalty, settings)

    def transform(self, X: Any) -> Any:
        """Return the coefficients of rows: W with H as it is.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows, non-negative.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=("csr",))
        found = self._coefficients(self._checked(rows), self.components_)
        return found.W.astype(rows.dtype)

    def _coefficients(self, data: Data, H: Any) -> Found:
        k = len(H)
        # Multiplicative updates leave zeros as they are.
        start = 0.0 if self.solver == "cd" else np.sqrt(data.mean() / k)
        W = np.full((data.shape[0], k), start)
        return self._solve(data, W, np.ascontiguousarray(H, np.float64), update_H=False)


def non_negative_factorization(
    X: Any,
    W: Any = None,
    H: Any = None,
    n_components: Any = "auto",
    *,
    init: str | None = None,
    update_H: bool = True,
    solver: str = "cd",
    beta_loss: Any = "frobenius",
    tol: float = 1e-4,
    max_iter: int = 200,
    alpha_W: float = 0.0,
    alpha_H: Any = "same",
    l1_ratio: float = 0.0,
    random_state: Any = None,
    verbose: int = 0,
    shuffle: bool = False,
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Return non-negative factors of a matrix, and the number of iterations; see `NMF`.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The matrix, non-negative.
    W : array-like of shape (n_samples, n_components), optional
        Where to start, with `init="custom"`.
    H : array-like of shape (n_components, n_features), optional
        The same for H; with `update_H=False` the factor that stays.
    n_components, init, solver, beta_loss, tol, max_iter, alpha_W, alpha_H, l1_ratio, shuffle
        As of `NMF`.
    update_H : bool, default=True
        Whether both factors are sought, or W alone.
    random_state : int, RandomState, Generator or None, default=None
        Draws the start, and the order of `shuffle`.
    verbose : int, default=0
        Whether the progress is printed.

    Returns
    -------
    W : ndarray of shape (n_samples, n_components)
    H : ndarray of shape (n_components, n_features)
    n_iter : int

    Examples
    --------
    >>> from gramian.decomposition import non_negative_factorization
    >>> X = [[1.0, 1.0], [2.0, 1.0], [3.0, 1.2], [4.0, 1.0], [5.0, 0.8], [6.0, 1.0]]
    >>> W, H, n_iter = non_negative_factorization(X, n_components=2, max_iter=500)
    >>> (W @ H).round(1)[:2]
    array([[1., 1.],
           [2., 1.]])
    """
    check_arguments("non_negative_factorization", update_H=(update_H, Boolean()))
    model = NMF(
        n_components,
        init=init,
        solver=solver,
        beta_loss=beta_loss,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        alpha_W=alpha_W,
        alpha_H=alpha_H,
        l1_ratio=l1_ratio,
        verbose=verbose,
        shuffle=shuffle,
    )
    if update_H:
        coefficients = model.fit_transform(X, W=W, H=H)
        return coefficients, model.components_, model.n_iter_
    return _rows_alone(model, X, W, H)


def _rows_alone(model: NMF, X: Any, W: Any, H: Any) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Return the coefficients of rows for a factor H that is given."""
    model._validate_params()
    rows = check_array(X, ("csr",), dtype=(np.float64, np.float32), input_name="X")
    if W is not None:
        warnings.warn(
            "When update_H=False, the provided initial W is not used.",
            RuntimeWarning,
            stacklevel=3,
        )
    width = rows.shape[1] if model.n_components is None else model.n_components
    given = given_factor(H, (width, rows.shape[1]), "NMF (input H)")
    if given.dtype != rows.dtype:
        raise TypeError(
            f"H should have the same dtype as X. Got H.dtype = {given.dtype}, and X.dtype = "
            f"{rows.dtype}."
        )
    model._check_solver()
    found = model._coefficients(model._checked(rows), given)
    if found.n_iter == model.max_iter and model.tol > 0.0:
        warn_of_max_iter(model.max_iter, 3)
    return found.W.astype(rows.dtype), given, found.n_iter
