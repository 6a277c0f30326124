"""Columns made more normal by a power whose exponent is found by maximum likelihood."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._interrupt import interruptible
from gramian._rows import row_slices
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import BaseEstimator, TransformerMixin
from gramian.params import Boolean, OneOf, param
from gramian.preprocessing._checks import OneToOneNames, fit_matrix, transform_matrix
from gramian.preprocessing._columns import given_back
from gramian.preprocessing._standard import StandardScaler, is_constant
from gramian.validation import check_array, check_is_fitted


class PowerTransformer(OneToOneNames, TransformerMixin, BaseEstimator):
    """Apply a power to each column that makes it as normal as possible.

    Box-Cox, for positive numbers: ``(x^λ - 1) / λ``, or ``log x`` for λ = 0. Yeo-Johnson, for all:
    ``((x + 1)^λ - 1) / λ`` for x ≥ 0 and ``-((1 - x)^(2 - λ) - 1) / (2 - λ)`` for x < 0. λ
    maximises the likelihood of a normal distribution. NaN is left out and stays in place.

    Parameters
    ----------
    method : {"yeo-johnson", "box-cox"}, default="yeo-johnson"
        The formula.
    standardize : bool, default=True
        Whether to scale the result to mean 0 and variance 1.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.

    Attributes
    ----------
    lambdas_ : ndarray of shape (n_features,)
        The exponents.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import PowerTransformer
    >>> PowerTransformer().fit([[1.0, 2.0], [3.0, 2.0], [4.0, 5.0]]).lambdas_.round(3)
    array([ 1.387, -3.101])
    """

    method: str = param("yeo-johnson", OneOf("yeo-johnson", "box-cox"), positional=True)
    standardize: bool = param(True, Boolean())
    copy: bool = param(True, Boolean())

    _own_tags = tagged(allow_nan=True)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the exponents.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        """
        data = fit_matrix(self, X)
        self._require_positive(data)
        exponents = [self._find_exponent(j, column) for j, column in enumerate(data.T)]
        self.lambdas_ = np.array(exponents, data.dtype)
        if self.standardize:
            scaler = StandardScaler(copy=False).set_output(transform="default")
            self._scaler = scaler.fit(self._powers(data))
        else:
            vars(self).pop("_scaler", None)
        return self

    def _find_exponent(self, j: int, column: NDArray[Any]) -> float:
        from scipy import stats

        mean, var = np.mean(column, dtype=np.float64), np.var(column, dtype=np.float64)
        if self.method == "yeo-johnson" and is_constant(mean, var, np.float64(len(column))):
            return 1.0
        numbers = column[~np.isnan(column)]
        if not len(numbers):
            if self.method == "box-cox":
                raise ValueError("Column must not be all nan.")
            return float("nan")
        find = stats.boxcox if self.method == "box-cox" else stats.yeojohnson
        try:
            with np.errstate(invalid="ignore"):
                return float(interruptible(2000 * len(numbers), find, numbers)[1])
        except ValueError as error:  # no exponent is left whose powers are all finite
            raise ValueError(
                f"Column {j} of X has values up to {np.abs(numbers).max():.3g}, which are too "
                "large: their powers overflow. Divide the column by its size first."
            ) from error

    def _require_positive(self, data: NDArray[Any]) -> None:
        with np.errstate(invalid="ignore"):
            if self.method == "box-cox" and (data <= 0).any():
                raise ValueError(
                    "The Box-Cox transformation can only be applied to strictly positive data"
                )

    def _powers(self, data: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        result = np.empty_like(data) if out is None else out
        function = _box_cox if self.method == "box-cox" else _yeo_johnson
        for j, exponent in enumerate(np.asarray(self.lambdas_).tolist()):
            result[:, j] = _in_parts(function, data[:, j], exponent)
        return result

    def transform(self, X: Any) -> Any:
        """Return the powers.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        data = transform_matrix(self, X)
        self._require_positive(data)
        result = self._powers(data, data if not self.copy and data.flags.writeable else None)
        return self._scaler.transform(result, copy=False) if self.standardize else result

    def inverse_transform(self, X: Any) -> Any:
        """Return the original numbers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Transformed rows.
        """
        check_is_fitted(self)
        data = given_back(self, X, copy=self.copy)
        if self.standardize:
            data = self._scaler.inverse_transform(data)
        result = data if data.flags.writeable else data.copy()
        function = _inverse_box_cox if self.method == "box-cox" else _inverse_yeo_johnson
        for j, exponent in enumerate(np.asarray(self.lambdas_).tolist()):
            found = _in_parts(function, data[:, j], exponent)
            if (np.isnan(found) & ~np.isnan(data[:, j])).any():
                warnings.warn(
                    f"Some values in column {j} of the inverse-transformed data are NaN. This may "
                    "be caused by numerical issues in the transformation process, e.g. extremely "
                    "skewed data. Consider inspecting the input data or preprocessing it before "
                    "applying the transformation.",
                    UserWarning,
                    stacklevel=2,
                )
            result[:, j] = found
        return result


def _in_parts(function: Callable[..., Any], column: NDArray[Any], exponent: float) -> Floats:
    """Return a function of each number, and hear of Ctrl-C on the way."""
    found = np.empty(len(column))
    for rows in row_slices(len(column)):
        with np.errstate(invalid="ignore"):
            found[rows] = function(column[rows].astype(np.float64), exponent)
    return found


def _box_cox(x: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    # (x^lambda - 1) / lambda; expm1 keeps the digits of a small lambda.
    return np.log(x) if exponent == 0 else np.expm1(exponent * np.log(x)) / exponent


def _inverse_box_cox(x: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    return np.exp(x) if exponent == 0 else np.exp(np.log1p(exponent * x) / exponent)


def _yeo_johnson(x: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    """Return the power: that of Box-Cox from x = 0 on, mirrored with 2 - exponent below."""
    result = np.empty_like(x)
    is_up = x >= 0
    for mask, sign, power in ((is_up, 1.0, exponent), (~is_up, -1.0, 2.0 - exponent)):
        logs = np.log1p(sign * x[mask])
        is_zero = abs(power) < np.spacing(1.0)
        result[mask] = sign * (logs if is_zero else np.expm1(power * logs) / power)
    return result


def _inverse_yeo_johnson(x: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    result = np.empty_like(x)
    is_up = x >= 0
    for mask, sign, power in ((is_up, 1.0, exponent), (~is_up, -1.0, 2.0 - exponent)):
        values = sign * x[mask]
        is_zero = abs(power) < np.spacing(1.0)
        logs = values if is_zero else np.log1p(power * values) / power
        result[mask] = sign * np.expm1(logs)
    return result


def power_transform(
    X: Any, method: str = "yeo-johnson", *, standardize: bool = True, copy: bool = True
) -> NDArray[Any]:
    """Apply a power to each column that makes it as normal as possible.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data.
    method : {"yeo-johnson", "box-cox"}, default="yeo-johnson"
        The formula; see `PowerTransformer`.
    standardize : bool, default=True
        Whether to scale the result to mean 0 and variance 1.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Examples
    --------
    >>> from gramian.preprocessing import power_transform
    >>> power_transform([[1.0], [2.0], [8.0]], method="box-cox").round(3)
    array([[-1.161],
           [-0.12 ],
           [ 1.28 ]])
    """
    mapping = PowerTransformer(method, standardize=standardize, copy=copy)
    result: NDArray[Any] = mapping.fit_transform(
        check_array(X, ensure_all_finite="allow-nan", input_name="X")
    )
    return result
