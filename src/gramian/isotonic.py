"""Regression by a function that only rises, or only falls."""

import math
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.base import BaseEstimator, RegressorMixin, Tags, TransformerMixin
from gramian.config import core_context
from gramian.params import Arrays, Boolean, Nothing, OneOf, Real, check_arguments, param
from gramian.table import as_table
from gramian.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    check_predict,
    check_sample_weight,
    set_feature_names,
)

__all__ = ["IsotonicRegression", "check_increasing", "isotonic_regression"]

_BOUND = Real(closed="both") | Nothing()


def check_increasing(x: Any, y: Any) -> bool:
    """Tell whether `y` rather rises than falls with `x`: the sign of Spearman's correlation.

    Warns if the correlation's 95 % confidence interval, by Fisher's transform, holds zero.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        Places.
    y : array-like of shape (n_samples,)
        Values.

    Returns
    -------
    bool

    Examples
    --------
    >>> from gramian.isotonic import check_increasing
    >>> check_increasing([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    True
    >>> check_increasing([1, 2, 3, 4, 5], [10, 8, 6, 4, 2])
    False
    """
    check_arguments("check_increasing", x=(x, Arrays()), y=(y, Arrays()))
    from scipy.stats import spearmanr

    rho = float(spearmanr(x, y).statistic)
    if abs(rho) != 1.0 and len(x) > 3:
        centre, half_width = math.atanh(rho), 1.96 / math.sqrt(len(x) - 3)
        if not abs(centre) > half_width:
            warnings.warn(
                "Confidence interval of the Spearman correlation coefficient spans zero. "
                "Determination of ``increasing`` may be suspect.",
                stacklevel=2,
            )
    return rho >= 0


def isotonic_regression(
    y: Any,
    *,
    sample_weight: Any = None,
    y_min: float | None = None,
    y_max: float | None = None,
    increasing: bool = True,
) -> NDArray[Any]:
    """Return the rising (or falling) sequence that is nearest to `y` in weighted squares.

    Solved exactly by pooling adjacent violators, in O(n).

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The values, in their order.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the values, all positive.
    y_min, y_max : float, optional
        Bounds of the result.
    increasing : bool, default=True
        Whether the result rises or falls.

    Returns
    -------
    ndarray of shape (n_samples,)
        float32 if `y` is float32, otherwise float64.

    Examples
    --------
    >>> from gramian.isotonic import isotonic_regression
    >>> isotonic_regression([5, 3, 1, 2, 8, 10, 7])
    array([2.75, 2.75, 2.75, 2.75, 8.  , 8.5 , 8.5 ])
    """
    check_arguments(
        "isotonic_regression",
        y=(y, Arrays()),
        sample_weight=(sample_weight, Arrays() | Nothing()),
        y_min=(y_min, _BOUND),
        y_max=(y_max, _BOUND),
        increasing=(increasing, Boolean()),
    )
    values = check_array(y, ensure_2d=False, input_name="y")
    weight = None
    if sample_weight is not None:
        weight = np.array(sample_weight, dtype=np.float64)
    if values.ndim != 1 or (weight is not None and weight.shape != values.shape):
        shown = "" if weight is None else f" and sample_weight of shape {weight.shape}"
        raise ValueError(
            f"y and sample_weight must be 1-d and of the same length, got y of shape "
            f"{values.shape}{shown}."
        )
    if weight is not None and not np.all(weight > 0):
        raise ValueError("Weights w must be strictly positive.")
    fitted = np.empty(len(values), dtype=values.dtype)
    _core.isotonic_values(
        np.ascontiguousarray(values),
        weight,
        increasing=bool(increasing),
        out=fitted,
        ctx=core_context(),
    )
    if y_min is not None or y_max is not None:
        np.clip(fitted, y_min, y_max, out=fitted)
    return fitted


class IsotonicRegression(RegressorMixin, TransformerMixin, BaseEstimator):
    """Regression by the function of one feature that rises (or falls) and is nearest to the data.

    Minimises ``sum_i w_i (y_i - f(x_i))^2`` over all functions f that never fall. Points at one
    place count as their mean. The solution is exact, found by pooling adjacent violators, in O(n)
    after a sort. Between the places seen at fit, f is interpolated by straight lines.

    Parameters
    ----------
    y_min, y_max : float, optional
        Bounds of the prediction.
    increasing : bool or "auto", default=True
        Whether the function rises or falls; "auto" takes the sign of Spearman's correlation.
    out_of_bounds : {"nan", "clip", "raise"}, default="nan"
        What happens to a place outside of those seen at fit: the prediction is NaN, that of the
        nearest place seen, or there is a ValueError.

    Attributes
    ----------
    X_min_, X_max_ : float
        The first and the last place seen at fit.
    X_thresholds_ : ndarray of shape (n_thresholds,)
        The corners of the function: rising places.
    y_thresholds_ : ndarray of shape (n_thresholds,)
        The values there.
    f_ : callable
        The function, without a check of its argument.
    increasing_ : bool
        Whether the function rises.
    n_features_in_ : int
        1: the number of features.
    feature_names_in_ : ndarray of shape (1,)
        The feature's name, if it came in a data frame. Later frames must have it too.

    Examples
    --------
    >>> from gramian.isotonic import IsotonicRegression
    >>> model = IsotonicRegression().fit([1, 2, 3, 4], [1.0, 3.0, 2.0, 4.0])
    >>> model.predict([1.5, 2.0, 2.8, 4.0])
    array([1.75, 2.5 , 2.5 , 4.  ])
    """

    y_min: float | None = param(None, _BOUND)
    y_max: float | None = param(None, _BOUND)
    increasing: bool | str = param(True, Boolean() | OneOf("auto"))
    out_of_bounds: str = param("nan", OneOf("nan", "clip", "raise"))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the function.

        Parameters
        ----------
        X : array-like, series or data frame of shape (n_samples,) or (n_samples, 1)
            The feature.
        y : array-like of shape (n_samples,)
            The target; of the feature's type.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; a row of weight zero is as good as absent.
        """
        x = check_array(X, ensure_2d=False, estimator=self, input_name="X")
        target = check_array(
            y, dtype=x.dtype, ensure_2d=False, estimator=self, input_name="y"
        ).reshape(-1)
        check_consistent_length(x, target, sample_weight)
        x = _one_feature(x)
        increasing = self.increasing
        is_increasing = check_increasing(x, target) if increasing == "auto" else bool(increasing)
        weight = None
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, x)
            kept = weight > 0
            if not kept.all():
                x, target, weight = x[kept], target[kept], weight[kept]
        places, values = self._corners(x, target, weight, is_increasing)
        set_feature_names(self, X)
        self.n_features_in_ = 1
        self.increasing_ = is_increasing
        self.X_min_, self.X_max_ = places[0], places[-1]
        self.X_thresholds_, self.y_thresholds_ = places, values
        return self

    def _corners(
        self, x: NDArray[Any], y: NDArray[Any], weight: Any, is_increasing: bool
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        places, values = np.empty_like(x), np.empty_like(y)
        n_corners = _core.isotonic_corners(
            x,
            y,
            None if weight is None else np.ascontiguousarray(weight),
            increasing=is_increasing,
            y_min=-math.inf if self.y_min is None else float(self.y_min),
            y_max=math.inf if self.y_max is None else float(self.y_max),
            x_tolerance=float(np.finfo(x.dtype).resolution),
            x_out=places,
            y_out=values,
            ctx=core_context(),
        )
        return places[:n_corners].copy(), values[:n_corners].copy()

    def predict(self, T: Any) -> NDArray[Any]:
        """Return the function's values.

        Parameters
        ----------
        T : array-like, series or data frame of shape (n_samples,) or (n_samples, 1)
            Places.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        dtype = self.X_thresholds_.dtype if "X_thresholds_" in vars(self) else np.float64
        if as_table(T) is not None:
            T = check_predict(self, T, dtype=dtype)
        places = _one_feature(check_array(T, dtype=dtype, ensure_2d=False, input_name="T"))
        check_is_fitted(self)
        if self.out_of_bounds == "clip":
            places = np.clip(places, self.X_min_, self.X_max_)
        return self._interpolate(places)

    def transform(self, T: Any) -> Any:
        """Return the function's values, as `predict` does.

        Parameters
        ----------
        T : array-like, series or data frame of shape (n_samples,) or (n_samples, 1)
            Places.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.predict(T)

    def _interpolate(self, places: Any) -> NDArray[Any]:
        places = np.asarray(places)
        x, y = self.X_thresholds_, self.y_thresholds_
        if len(y) == 1:
            return np.full(places.shape, y[0])
        if self.out_of_bounds == "raise":
            for end, is_beyond, words in (
                (x[0], places < x[0], "below the interpolation range's minimum"),
                (x[-1], places > x[-1], "above the interpolation range's maximum"),
            ):
                if np.any(is_beyond):
                    raise ValueError(
                        f"A value ({places[is_beyond][0]}) in x_new is {words} value ({end}); "
                        "out_of_bounds='clip' would take the value there."
                    )
        result: NDArray[Any] = np.interp(places, x, y, left=np.nan, right=np.nan).astype(
            x.dtype, copy=False
        )
        return result

    @property
    def f_(self) -> Any:
        """The function, without a check of its argument."""
        if "X_thresholds_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} object has no attribute 'f_'")
        return self._interpolate

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the name of the one column that `transform` gives.

        Parameters
        ----------
        input_features : array-like of str, optional
            Not used; the feature has no name if it is given as a vector.
        """
        check_is_fitted(self)
        return np.array([f"{type(self).__name__.lower()}0"], dtype=object)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.one_d_array, tags.two_d_array = True, False
        return tags


def _one_feature(x: NDArray[Any]) -> NDArray[Any]:
    if not (x.ndim == 1 or (x.ndim == 2 and x.shape[1] == 1)):
        raise ValueError(
            "Isotonic regression input X should be a 1d array or 2d array with 1 feature. Got an "
            f"array of shape {x.shape}."
        )
    return x.reshape(-1)
