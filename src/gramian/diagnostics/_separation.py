"""Separation: whether the likelihood of logistic regression has a maximum at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._typing import Floats
from gramian.diagnostics._design import Design
from gramian.validation import check_array, check_consistent_length, column_or_1d

Kind = Literal["none", "quasi-complete", "complete"]

# A sample of this many rows that overlap and span all columns proves that all rows overlap.
_SAMPLE = 2000
_ZERO = 1e-6


@dataclass(frozen=True)
class Separation:
    """Whether a linear function of the features tells classes apart.

    Attributes
    ----------
    kind : {"none", "quasi-complete", "complete"}
        "complete" if every row lies strictly on its class's side, "quasi-complete" if some lie on
        the boundary, "none" if the classes overlap and the likelihood has a maximum.
    direction : ndarray of shape (n_features,) or (n_classes - 1, n_features)
        Coefficients along which the likelihood grows without end, of few columns, the largest of
        them 1 in units of the column's spread; zero if there is no separation. With several
        classes, one row for each but the first.
    intercept : float or ndarray of shape (n_classes - 1,)
        The constant that belongs to `direction`.
    columns : tuple of str
        Names of the columns that `direction` uses.
    separated : ndarray of bool of shape (n_samples,)
        The rows that lie strictly on their side of some separating direction.
    """

    kind: Kind
    direction: Floats
    intercept: Any
    columns: tuple[str, ...]
    separated: NDArray[np.bool_]

    def __bool__(self) -> bool:
        return self.kind != "none"

    def __str__(self) -> str:
        """Return one sentence about the classes."""
        if self.kind == "none":
            return "The classes overlap: the likelihood of logistic regression has a maximum."
        by = ", ".join(self.columns[:8]) or "the intercept alone"
        more = f" and {len(self.columns) - 8} more" if len(self.columns) > 8 else ""
        how_many = "all" if self.kind == "complete" else f"{int(self.separated.sum())} of"
        return (
            f"The classes are separated ({self.kind}, {how_many} {len(self.separated)} rows) by "
            f"{by}{more}: the likelihood has no maximum, and the coefficients grow without end."
        )


def check_separation(
    X: Any, y: ArrayLike, *, fit_intercept: bool = True, names: Any = None
) -> Separation:
    r"""Find out by linear programming whether classes are linearly separated.

    Albert and Anderson (1984) showed that logistic regression has no maximum of the likelihood if
    and only if some direction has :math:`(\beta_{y_i} - \beta_k)^\top x_i \ge 0` for every row and
    class, not all equal to 0. The largest set of rows that some direction separates strictly is
    found by maximising

    .. math:: \sum_{i, k \neq y_i} t_{ik} \quad \text{with} \quad
        (\beta_{y_i} - \beta_k)^\top x_i \ge t_{ik}, \; 0 \le t_{ik} \le 1,

    and then a direction that separates them with few columns.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of numbers of shape (n_samples, n_features)
        Features, without a column of ones.
    y : array-like of shape (n_samples,)
        Classes, at least two.
    fit_intercept : bool, default=True
        Whether the model has an intercept.
    names : sequence of str, default=None
        Names of the columns; by default those of a data frame, else ``x0``, ``x1``, ...

    Returns
    -------
    separation : Separation
        True in a condition if the classes are separated; prints as a sentence.

    References
    ----------
    A. Albert and J. A. Anderson, On the existence of maximum likelihood estimates in logistic
    regression models, *Biometrika* 71, 1984.

    K. Konis, *Linear programming algorithms for detecting separated data in binary logistic
    regression models*, University of Oxford, 2007.

    Examples
    --------
    >>> from gramian.diagnostics import check_separation
    >>> X = [[1.0, 3.0], [2.0, 1.0], [3.0, 2.0], [4.0, 2.5]]
    >>> check_separation(X, [0, 0, 1, 1]).columns
    ('x0',)
    >>> check_separation([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]).kind
    'none'
    """
    labels = names if names is not None else getattr(X, "columns", None)
    matrix = check_array(X, accept_sparse=("csr",), dtype=np.float64)
    target = column_or_1d(y)
    check_consistent_length(matrix, target)
    classes, codes = np.unique(target, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y needs at least two classes; it has only {classes[0]!r}.")
    n, p = matrix.shape
    shown = [f"x{j}" for j in range(p)] if labels is None else [str(name) for name in labels]
    if len(shown) != p:
        raise ValueError(f"names has {len(shown)} entries for {p} columns.")
    shape = (len(classes) - 1, p)
    if _sample_overlaps(matrix, codes, len(classes), fit_intercept):
        nothing = np.zeros(n, dtype=bool)
        return _result("none", np.zeros(shape), np.zeros(shape[0]), [], nothing)
    problem = _Problem.of(matrix, codes, len(classes), fit_intercept)
    reached = problem.reach()
    separated = np.logical_and.reduceat(reached, np.arange(0, len(reached), shape[0]))
    if not reached.any():
        return _result("none", np.zeros(shape), np.zeros(shape[0]), [], separated)
    coef, intercept = problem.sparsest(reached)
    kind: Kind = "complete" if reached.all() else "quasi-complete"
    used = np.flatnonzero((np.abs(coef) * problem.scale > _ZERO).any(axis=0))
    return _result(kind, coef, intercept, [shown[j] for j in used], separated)


@dataclass(frozen=True)
class _Problem:
    """The cone of directions, in columns of unit spread.

    Attributes
    ----------
    X : sparse matrix
        Scaled features, and ones for the intercept last.
    codes : ndarray of int
        Positions of the classes.
    n_classes : int
    fit_intercept : bool
    mean, scale : ndarray of shape (n_features,)
        What the columns were shifted and divided by.
    """

    X: Any
    codes: NDArray[np.intp]
    n_classes: int
    fit_intercept: bool
    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, X: Any, codes: Any, n_classes: int, fit_intercept: bool) -> _Problem:
        from scipy.sparse import csr_array, hstack

        is_dense = isinstance(X, np.ndarray)
        mean = X.mean(axis=0) if is_dense and fit_intercept else np.zeros(X.shape[1])
        centred = X - mean if is_dense else X
        square = np.square(centred) if is_dense else X.multiply(X)
        spread = np.sqrt(np.asarray(square.mean(axis=0)).ravel())
        spread[spread <= 1e-12 * np.abs(mean)] = 0.0
        inverse = np.divide(1.0, spread, where=spread > 0.0, out=np.zeros_like(spread))
        scaled = csr_array(centred * inverse) if is_dense else csr_array(X.multiply(inverse))
        if fit_intercept:
            scaled = hstack([scaled, np.ones((X.shape[0], 1))], format="csr")
        return cls(scaled, codes, n_classes, fit_intercept, mean, np.where(spread > 0, spread, 1.0))

    def margins(self) -> Any:
        """Return the matrix that takes a direction to the margins of each row over each class."""
        from scipy.sparse import csr_array, vstack

        n, k = self.X.shape[0], self.n_classes
        blocks = []
        for step in range(1, k):
            other = (self.codes + step) % k
            signs = np.zeros((n, k))
            signs[np.arange(n), self.codes] = 1.0
            signs[np.arange(n), other] = -1.0
            blocks.append(_row_products(csr_array(signs[:, 1:]), self.X))
        order = np.arange(n * (k - 1)).reshape(k - 1, n).T.ravel()
        return vstack(blocks, format="csr")[order]

    def reach(self) -> NDArray[np.bool_]:
        """Return which margins some direction makes positive."""
        from scipy.optimize import linprog
        from scipy.sparse import hstack, identity

        margins = self.margins()
        m, q = margins.shape
        result = linprog(
            np.append(np.zeros(q), -np.ones(m)),
            A_ub=hstack([-margins, identity(m)], format="csr"),
            b_ub=np.zeros(m),
            bounds=[(None, None)] * q + [(0.0, 1.0)] * m,
            method="highs",
        )
        return _solved(result)[q:] > 0.5

    def sparsest(self, reached: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return coefficients and constants of a direction with few columns.

        The columns are ranked by the direction of least 1-norm; the shortest list of the first
        ones that still separates the same rows is kept.
        """
        margins = self.margins()
        found = self._shortest(margins, reached, np.arange(len(self.scale)))
        assert found is not None
        order = np.argsort(-np.abs(found[:, : len(self.scale)]).max(axis=0), kind="stable")
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            shorter = self._shortest(margins, reached, order[:middle])
            if shorter is None:
                low = middle + 1
            else:
                found, high = shorter, middle
        coef = found[:, : len(self.scale)]
        largest = np.abs(coef).max(initial=0.0)
        found = found / largest if largest > 0.0 else found
        coef = found[:, : len(self.scale)] / self.scale
        constant = found[:, -1] - coef @ self.mean if self.fit_intercept else np.zeros(len(coef))
        return coef, constant

    def _shortest(self, margins: Any, reached: NDArray[np.bool_], kept: Any) -> Floats | None:
        """Return the direction of least 1-norm in some columns, or None if there is none."""
        from scipy.optimize import linprog
        from scipy.sparse import hstack

        width = margins.shape[1] // (self.n_classes - 1)
        cost = np.ones((self.n_classes - 1, width))
        most = np.zeros((self.n_classes - 1, width))
        most[:, kept] = np.inf
        if self.fit_intercept:
            cost[:, -1], most[:, -1] = 0.0, np.inf
        result = linprog(
            np.tile(cost.ravel(), 2),
            A_ub=hstack([-margins, margins], format="csr"),
            b_ub=-reached.astype(np.float64),
            bounds=np.column_stack([np.zeros(2 * most.size), np.tile(most.ravel(), 2)]),
            method="highs",
        )
        if result.status == 2:  # infeasible
            return None
        positive, negative = _solved(result).reshape(2, self.n_classes - 1, width)
        direction: Floats = positive - negative
        return direction


def _sample_overlaps(X: Any, codes: Any, n_classes: int, fit_intercept: bool) -> bool:
    """Whether some of very many rows prove that the classes overlap."""
    if X.shape[0] <= 2 * _SAMPLE:
        return False
    rows = np.unique(np.linspace(0, X.shape[0] - 1, _SAMPLE).astype(np.intp))
    if len(np.unique(codes[rows])) < n_classes:
        return False
    if Design(X[rows], fit_intercept=fit_intercept).rank < X.shape[1] + int(fit_intercept):
        return False
    return not _Problem.of(X[rows], codes[rows], n_classes, fit_intercept).reach().any()


def _row_products(signs: Any, X: Any) -> Any:
    """Return, for each row, the products of its signs with its features, class by class."""
    from scipy.sparse import diags_array, hstack

    columns = signs.toarray().T
    return hstack([diags_array(column) @ X for column in columns], format="csr")


def _solved(result: Any) -> Floats:
    if result.status != 0:
        raise RuntimeError(f"the linear program of separation was not solved: {result.message}")
    solution: Floats = result.x
    return solution


def _result(
    kind: Kind, coef: Floats, intercept: Floats, columns: list[str], separated: Any
) -> Separation:
    if len(coef) == 1:
        return Separation(kind, coef[0], float(intercept[0]), tuple(columns), separated)
    return Separation(kind, coef, intercept, tuple(columns), separated)
