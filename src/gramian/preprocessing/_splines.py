"""B-splines as basis functions."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian import _core
from gramian._column_blocks import feature_names
from gramian._quantiles import column_percentiles, weighted_quantiles
from gramian._typing import Floats
from gramian.base import BaseEstimator, Tags, TransformerMixin
from gramian.config import core_context
from gramian.params import Arrays, Boolean, Integer, OneOf, param
from gramian.preprocessing._checks import (
    fit_matrix,
    refuse_sparse_frames,
    transform_matrix,
)
from gramian.preprocessing._columns import column_ranges, require_no_infinity
from gramian.validation import check_array, check_is_fitted, check_sample_weight


class SplineTransformer(TransformerMixin, BaseEstimator):
    """Turn each column into the values of B-splines, the basis of piecewise polynomials.

    Parameters
    ----------
    n_knots : int, default=5
        The number of knots, where the pieces meet, both ends included.
    degree : int, default=3
        The degree of the polynomials.
    knots : {"uniform", "quantile"} or array-like of shape (n_knots, n_features), default="uniform"
        Knots at equal distances between the least and the largest value, at quantiles, or where
        they are given.
    extrapolation : {"error", "constant", "linear", "continue", "periodic"}, default="constant"
        Outside the knots: raise, keep the values at the ends, continue by straight lines or by the
        polynomials themselves, or repeat with the period from the first to the last knot.
    include_bias : bool, default=True
        Whether to keep the last spline of each column; the splines of a column sum to 1.
    order : {"C", "F"}, default="C"
        The memory order of a dense result.
    handle_missing : {"error", "zeros"}, default="error"
        Whether NaN raises, or gives zeros.
    sparse_output : bool, default=False
        Whether to return a sparse matrix (CSR).

    Attributes
    ----------
    bsplines_ : list of scipy.interpolate.BSpline
        The splines of each column.
    n_features_out_ : int
        The number of output columns.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import SplineTransformer
    >>> splines = SplineTransformer(n_knots=3, degree=1)
    >>> splines.fit_transform([[0.0], [1.0], [2.0], [4.0]])
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ],
           [0. , 1. , 0. ],
           [0. , 0. , 1. ]])
    """

    n_knots: int = param(5, Integer(2), positional=True)
    degree: int = param(3, Integer(0), positional=True)
    knots: Any = param("uniform", OneOf("uniform", "quantile") | Arrays())
    extrapolation: str = param(
        "constant", OneOf("error", "constant", "linear", "continue", "periodic")
    )
    include_bias: bool = param(True, Boolean())
    order: str = param("C", OneOf("C", "F"))
    handle_missing: str = param("error", OneOf("error", "zeros"))
    sparse_output: bool = param(False, Boolean())

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.allow_nan = self.handle_missing == "zeros"
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Place the knots.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, for quantiles; rows of weight 0 do not count.
        """
        data = fit_matrix(self, X, min_samples=2, check_finite=False)
        self._check_finite(data)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, data)
        if isinstance(self.knots, str):
            base = self._find_knots(data, weight)
        else:
            base = self._given_knots(data.shape[1])
        if self.extrapolation == "periodic" and len(base) <= int(self.degree):
            raise ValueError(
                f"Periodic splines require degree < n_knots. Got n_knots={len(base)} and "
                f"degree={self.degree}."
            )
        self._knots = self._with_outer_knots(base)
        self.n_features_out_ = data.shape[1] * (self._n_splines - (not self.include_bias))
        return self

    def _check_finite(self, data: NDArray[Any]) -> None:
        if self.handle_missing == "error" and np.isnan(data).any():
            raise ValueError(
                "Input X contains NaN values and `SplineTransformer` is configured to error in "
                "this case (handle_missing='error'). To avoid this error, set "
                "handle_missing='zeros' to encode missing values as splines with value 0 or ensure "
                "no missing values in X."
            )
        require_no_infinity(data, self)

    def _find_knots(self, X: NDArray[Any], weight: NDArray[Any] | None) -> Floats:
        fractions = np.linspace(0, 1, self.n_knots)
        if self.knots == "uniform":
            low, high = column_ranges(X if weight is None else X[weight > 0])
            return np.linspace(np.nan_to_num(low), np.nan_to_num(high), self.n_knots)
        if weight is None:
            return column_percentiles(X, 100 * fractions)
        return weighted_quantiles(X, weight, 100 * fractions / 100, method="linear")

    def _given_knots(self, n_features: int) -> Floats:
        base: Floats = check_array(self.knots, dtype=np.float64, input_name="knots")
        if len(base) < 2:
            raise ValueError("Number of knots, knots.shape[0], must be >= 2.")
        if base.shape[1] != n_features:
            raise ValueError("knots.shape[1] == n_features is violated.")
        if not (np.diff(base, axis=0) > 0).all():
            raise ValueError("knots must be sorted without duplicates.")
        return base

    def _with_outer_knots(self, base: Floats) -> Floats:
        """Return the knots with as many beyond each end as the degree says."""
        k = int(self.degree)
        if self.extrapolation == "periodic":
            period = base[-1] - base[0]
            return np.concatenate([base[-(k + 1) : -1] - period, base, base[1 : k + 1] + period])
        steps = np.arange(1, k + 1)[:, None]
        before = base[0] - steps[::-1] * (base[1] - base[0])
        after = base[-1] + steps * (base[-1] - base[-2])
        return np.concatenate([before, base, after])

    @property
    def _n_splines(self) -> int:
        n_basis = len(self._knots) - int(self.degree) - 1
        return n_basis - int(self.degree) if self.extrapolation == "periodic" else n_basis

    @property
    def bsplines_(self) -> list[Any]:
        """The splines of each column, as SciPy's objects."""
        check_is_fitted(self)
        from scipy.interpolate import BSpline

        coef = np.eye(self._n_splines)
        if self.extrapolation == "periodic":
            coef = np.concatenate([coef, coef[: int(self.degree)]])
        extrapolate = self.extrapolation in ("periodic", "continue")
        return [
            BSpline.construct_fast(t, coef, int(self.degree), extrapolate=extrapolate)
            for t in self._knots.T
        ]

    def transform(self, X: Any) -> Any:
        """Return the values of the splines.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features_out_)
        """
        check_is_fitted(self)
        refuse_sparse_frames(self, dense="sparse_output=False", sparse_output=self.sparse_output)
        data = transform_matrix(self, X)
        n_splines = self._n_splines
        if self.sparse_output:
            return self._sparse(data, n_splines)
        n_kept = n_splines - (not self.include_bias)
        shape = len(data), n_kept * data.shape[1]
        out = np.empty(shape, dtype=data.dtype, order=self.order)  # type: ignore[call-overload]
        self._require_inside(_core.spline_values(data, out=out, **self._described(n_splines)))
        return out

    def _sparse(self, data: NDArray[Any], n_splines: int) -> Any:
        from scipy import sparse

        n, p = data.shape
        n_values = p * (int(self.degree) + 1)
        places, values = np.empty(n * n_values, np.int64), np.empty(n * n_values, data.dtype)
        self._require_inside(
            _core.spline_entries(data, places=places, values=values, **self._described(n_splines))
        )
        starts = np.arange(0, n * n_values + 1, n_values)
        matrix = sparse.csr_matrix((values, places, starts), shape=(n, p * n_splines))
        if self.extrapolation == "periodic":  # splines may fall together
            matrix.sum_duplicates()
        if not self.include_bias:
            is_kept = np.arange(1, p * n_splines + 1) % n_splines != 0
            matrix = sparse.csr_matrix(matrix[:, np.flatnonzero(is_kept)])
        matrix.eliminate_zeros()
        return matrix

    def _described(self, n_splines: int) -> dict[str, Any]:
        return {
            "knots": np.ascontiguousarray(self._knots.T),
            "degree": int(self.degree),
            "n_splines": n_splines,
            "extrapolation": self.extrapolation,
            "ctx": core_context(),
        }

    def _require_inside(self, is_inside: bool) -> None:
        if not is_inside:
            raise ValueError("Out of bounds: `X` contains values beyond the limits of the knots.")

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the output columns, for example ``age_sp_0``.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the input columns; by default those seen at fit, or x0, x1, ...
        """
        check_is_fitted(self, "n_features_in_")
        names = feature_names(self, input_features)
        n_kept = self._n_splines - (not self.include_bias)
        return np.array([f"{name}_sp_{k}" for name in names for k in range(n_kept)], dtype=object)
