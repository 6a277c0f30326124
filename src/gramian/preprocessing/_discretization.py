"""Numbers in bins."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._column_blocks import feature_names
from gramian._quantiles import weighted_quantiles
from gramian.base import BaseEstimator, TransformerMixin
from gramian.params import Arrays, Constraint, Integer, Nothing, OneOf, RandomState, param
from gramian.preprocessing._checks import (
    fit_matrix,
    refuse_sparse_frames,
    transform_matrix,
)
from gramian.preprocessing._one_hot import indicator_matrix
from gramian.preprocessing._weighted import sampled_rows
from gramian.validation import (
    check_array,
    check_is_fitted,
    check_random_state,
    check_sample_weight,
)

_QUANTILE_METHODS = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
)


class _FloatTypes(Constraint):
    """float64 or float32, as a type."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, type) and value in (np.float64, np.float32)

    def describe(self) -> str:
        return "np.float64 or np.float32"


class KBinsDiscretizer(TransformerMixin, BaseEstimator):
    """Put the numbers of each column into bins.

    Parameters
    ----------
    n_bins : int or array-like of shape (n_features,), default=5
        The number of bins, at least 2.
    encode : {"onehot", "onehot-dense", "ordinal"}, default="onehot"
        Whether to return a column of zeros and ones for each bin, sparse or dense, or the number
        of the bin.
    strategy : {"uniform", "quantile", "kmeans"}, default="quantile"
        Bins of equal width, of equally many rows, or around the centres of clusters.
    quantile_method : str, default="averaged_inverted_cdf"
        How quantiles are interpolated; one of the methods of `numpy.percentile`.
    dtype : {np.float32, np.float64}, default=None
        The type of the result; by default that of `X`.
    subsample : int or None, default=200000
        The most rows from which bins are found; None takes all.
    random_state : int, RandomState, Generator or None, default=None
        The source of the choice of rows.

    Attributes
    ----------
    bin_edges_ : ndarray of shape (n_features,) of arrays
        The edges of the bins of each column; bins contain their left edge.
    n_bins_ : ndarray of shape (n_features,)
        The number of bins; those too narrow are removed.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import KBinsDiscretizer
    >>> bins = KBinsDiscretizer(n_bins=3, encode="ordinal", strategy="uniform")
    >>> bins.fit_transform([[0.0], [2.0], [5.0], [9.0]])
    array([[0.],
           [0.],
           [1.],
           [2.]])
    """

    n_bins: Any = param(5, Integer(2) | Arrays(), positional=True)
    encode: str = param("onehot", OneOf("onehot", "onehot-dense", "ordinal"))
    strategy: str = param("quantile", OneOf("uniform", "quantile", "kmeans"))
    quantile_method: str = param("averaged_inverted_cdf", OneOf(*_QUANTILE_METHODS))
    dtype: Any = param(None, _FloatTypes() | Nothing())
    subsample: int | None = param(200_000, Integer(1) | Nothing())
    random_state: Any = param(None, RandomState())

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the edges of the bins.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        data = fit_matrix(self, X)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, data)
        if self.subsample is not None and data.shape[0] > self.subsample:
            source = check_random_state(self.random_state)
            data = data[sampled_rows(data.shape[0], self.subsample, source, weight)]
            weight = None
        wanted = self._wanted_bins(data.shape[1])
        is_weighted_method = self.quantile_method in ("inverted_cdf", "averaged_inverted_cdf")
        if self.strategy == "quantile" and weight is not None and not is_weighted_method:
            raise ValueError(
                "When fitting with strategy='quantile' and sample weights, quantile_method should "
                "either be set to 'averaged_inverted_cdf' or 'inverted_cdf', got "
                f"quantile_method='{self.quantile_method}' instead."
            )
        edges: NDArray[Any] = np.empty(data.shape[1], dtype=object)
        for j, column in enumerate(data.T):
            edges[j] = self._column_edges(j, column, weight, int(wanted[j]))
        self.bin_edges_ = edges
        self.n_bins_ = np.array([len(found) - 1 for found in edges], dtype=np.int64)
        return self

    def _wanted_bins(self, n_features: int) -> NDArray[Any]:
        if isinstance(self.n_bins, (int, np.integer)):
            return np.full(n_features, self.n_bins, dtype=np.int64)
        given = check_array(self.n_bins, dtype="numeric", ensure_2d=False, input_name="n_bins")
        if given.ndim > 1 or len(given) != n_features:
            raise ValueError("n_bins must be a scalar or array of shape (n_features,).")
        whole = given.astype(np.int64)
        wrong = np.flatnonzero((whole < 2) | (whole != given))
        if len(wrong):
            raise ValueError(
                "KBinsDiscretizer received an invalid number of bins at indices "
                f"{', '.join(map(str, wrong))}. Number of bins must be at least 2, and must be an "
                "int."
            )
        result: NDArray[Any] = whole
        return result

    def _column_edges(
        self, j: int, column: NDArray[Any], weight: NDArray[Any] | None, n_bins: int
    ) -> NDArray[Any]:
        is_used = slice(None) if weight is None or self.strategy == "quantile" else weight != 0
        low, high = column[is_used].min(), column[is_used].max()
        if low == high:
            _warn(f"Feature {j} is constant and will be replaced with 0.")
            return np.array([-np.inf, np.inf])
        if self.strategy == "uniform":
            return np.linspace(low, high, n_bins + 1)
        if self.strategy == "quantile":
            edges = self._quantile_edges(column, weight, n_bins)
        else:
            uniform = np.linspace(low, high, n_bins + 1)
            centres = _cluster(column, weight, 0.5 * (uniform[1:] + uniform[:-1]))
            edges = np.concatenate([[low], 0.5 * (centres[1:] + centres[:-1]), [high]])
        is_wide = np.ediff1d(edges, to_begin=np.inf) > 1e-8
        if not is_wide.all():
            _warn(
                f"Bins whose width are too small (i.e., <= 1e-8) in feature {j} are removed. "
                "Consider decreasing the number of bins."
            )
        return edges[is_wide]

    def _quantile_edges(
        self, column: NDArray[Any], weight: NDArray[Any] | None, n_bins: int
    ) -> NDArray[Any]:
        levels = np.linspace(0, 100, n_bins + 1)
        if weight is not None:
            return weighted_quantiles(column, weight, levels / 100, method=self.quantile_method)
        found: NDArray[Any] = np.percentile(column, levels, method=self.quantile_method)  # type: ignore[call-overload]
        return found.astype(np.float64)

    def transform(self, X: Any) -> Any:
        """Return the bins.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features), or with a column for each bin
        """
        check_is_fitted(self)
        refuse_sparse_frames(
            self, dense="encode='onehot-dense'", sparse_output=self.encode == "onehot"
        )
        types = {} if self.dtype is None else {"dtype": self.dtype}
        data = transform_matrix(self, X, **types)
        codes = np.empty(data.shape, dtype=np.int32)
        for j, edges in enumerate(self.bin_edges_):
            codes[:, j] = np.searchsorted(edges[1:-1], data[:, j], side="right")
        if self.encode == "ordinal":
            return codes.astype(data.dtype)
        codes += np.concatenate([[0], np.cumsum(self.n_bins_)[:-1]]).astype(np.int32)
        width = int(self.n_bins_.sum())
        is_sparse_wanted = self.encode == "onehot"
        return indicator_matrix(codes, width, data.dtype, sparse_output=is_sparse_wanted)

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return the middle of the bins.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or with a column per bin
            What ``transform`` returned.
        """
        check_is_fitted(self)
        is_one_hot = self.encode != "ordinal"
        data = check_array(X, "csr" if is_one_hot else False, estimator=self, input_name="X")
        codes = self._numbers(data) if is_one_hot else data
        if codes.shape[1] != len(self.n_bins_):
            raise ValueError(
                f"Incorrect number of features. Expecting {len(self.n_bins_)}, received "
                f"{codes.shape[1]}."
            )
        result: NDArray[Any] = np.empty(codes.shape, dtype=codes.dtype)
        for j, edges in enumerate(self.bin_edges_):
            with np.errstate(invalid="ignore"):  # a constant column has no middle
                centres = 0.5 * (edges[1:] + edges[:-1])
            result[:, j] = centres[codes[:, j].astype(np.int64)]
        return result

    def _numbers(self, data: Any) -> NDArray[np.float64]:
        """Return the number of the bin from columns of zeros and ones."""
        ends = np.cumsum(self.n_bins_)
        if data.shape[1] != ends[-1]:
            raise ValueError(
                f"Shape of the passed X data is not correct. Expected {ends[-1]} columns, got "
                f"{data.shape[1]}."
            )
        parts = [data[:, end - n : end] for end, n in zip(ends, self.n_bins_, strict=True)]
        for part in parts:
            is_zero = np.asarray(part.sum(axis=1)).reshape(-1) == 0
            if is_zero.any():
                raise ValueError(
                    f"Samples {np.flatnonzero(is_zero)} can not be inverted because they contain "
                    "all zeros"
                )
        best = [np.asarray(part.argmax(axis=1)).reshape(-1) for part in parts]
        return np.column_stack(best).astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the output columns: with the bin's number, if there is one per bin.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the input columns; by default those seen at fit, or x0, x1, ...
        """
        check_is_fitted(self, "n_features_in_")
        names = feature_names(self, input_features)
        if self.encode == "ordinal":
            return names
        bins = [(name, k) for name, n in zip(names, self.n_bins_, strict=True) for k in range(n)]
        return np.array([f"{name}_{float(k)}" for name, k in bins], dtype=object)


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=5)


def _cluster(
    column: NDArray[Any], weight: NDArray[Any] | None, centres: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sorted centres of k-means in one dimension, from given ones.

    Each step moves the centres to the means of the values nearest to them, until they move by less
    than 1e-4 of the variance, as k-means does by default. Equal values are taken together, so that
    a weight is the same as copies.
    """
    values, codes = np.unique(column.astype(np.float64), return_inverse=True)
    weights = np.bincount(codes, weight).astype(np.float64)
    values, weights = values[weights > 0], weights[weights > 0]
    shift = np.average(values, weights=weights)
    values = values - shift
    tol = 1e-4 * float(np.average(values**2, weights=weights))
    centres = centres - shift
    labels = np.full(len(values), -1)
    for _ in range(300):
        previous = labels
        labels = np.searchsorted(0.5 * (centres[1:] + centres[:-1]), values)
        moved = _moved_centres(values, weights, labels, centres)
        distance = float(((moved - centres) ** 2).sum())
        centres = np.sort(moved)
        if np.array_equal(labels, previous) or distance <= tol:
            break
    return centres + shift


def _moved_centres(
    values: NDArray[Any], weights: NDArray[Any], labels: NDArray[Any], centres: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the means of the clusters; an empty one takes a row farthest from its centre."""
    sums = np.bincount(labels, weights * values, minlength=len(centres))
    totals = np.bincount(labels, weights, minlength=len(centres))
    empty = np.flatnonzero(totals == 0)
    distances = (values - centres[labels]) ** 2
    if len(empty) and distances.max() > 0:
        order = np.argsort(distances, kind="stable")[::-1][: len(empty)]
        copies = np.repeat(order, np.ceil(weights[order]).astype(np.int64))
        for cluster, place in zip(empty, copies, strict=False):  # rows may be fewer
            moved = min(1.0, weights[place])
            sums[labels[place]] -= moved * values[place]
            totals[labels[place]] -= moved
            sums[cluster], totals[cluster] = moved * values[place], moved
    return np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), centres)
