"""Categories as means of the target over the rows before, in a random order."""

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._typing import Floats
from gramian.params import Nothing, OneOf, RandomState, Real, param
from gramian.preprocessing._target import MeanEncoder
from gramian.validation import check_random_state


class OrderedTargetEncoder(MeanEncoder):
    """Turn each category into the mean of the target over the rows before, in a random order.

    ``fit_transform`` puts the training rows into a random order and encodes each from the n rows of
    its category that come before it: ``(sum of y + smooth * prior) / (n + smooth)``. No row sees
    its own target, and no folds are needed. New rows are encoded from all training rows.

    Parameters
    ----------
    smooth : float, default=1.0
        The weight of the prior, counted in rows.
    prior : float or None, default=None
        What is expected of a category before its first row; by default the mean of the target, for
        each class the fraction of the class.
    random_state : int, RandomState, Generator or None, default=None
        The source of the order.
    target_type : {"auto", "continuous", "binary", "multiclass"}, default="auto"
        The kind of target. "auto" takes floats as numbers; otherwise two values are a binary
        target, and more values are classes.

    Attributes
    ----------
    encodings_ : list of ndarray
        For each column (and class) the encoding of each category, from all rows.
    categories_ : list of ndarray
        The categories of each column.
    target_type_ : {"continuous", "binary", "multiclass"}
        The kind of target; more than two classes give one output column for each.
    target_mean_ : float or ndarray of shape (n_classes,)
        The overall mean.
    classes_ : ndarray or None
        The classes of the target.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import OrderedTargetEncoder
    >>> encoder = OrderedTargetEncoder(prior=0.0, random_state=0)
    >>> encoder.fit_transform([["a"], ["a"], ["a"]], [1.0, 3.0, 8.0])  # the last row comes first
    array([[3.66666667],
           [4.        ],
           [0.        ]])
    >>> encoder.transform([["a"], ["b"]])
    array([[3.],
           [0.]])
    """

    categories = "auto"
    smooth: float = param(1.0, Real(0.0))
    prior: float | None = param(None, Real() | Nothing())
    random_state: Any = param(None, RandomState())
    target_type: str = param("auto", OneOf("auto", "continuous", "binary", "multiclass"))

    def _encode_column(self, codes: NDArray[np.intp], size: int, y: Floats, c: int) -> Floats:
        prior = np.atleast_1d(self._value_of_unknown())[c]
        return _drawn_means(codes, y, size, prior, self.smooth)

    def _inferred_type(self, y: Any) -> str:
        is_float = np.asarray(y).dtype.kind == "f" and np.ndim(y) == 1
        return "continuous" if is_float else super()._inferred_type(y)

    def _value_of_unknown(self) -> Any:
        if self.prior is None:
            return self.target_mean_
        return np.full_like(self.target_mean_, self.prior)

    def fit_transform(self, X: Any, y: ArrayLike) -> Any:  # type: ignore[override]
        """Fit, and encode each training row from the rows before it in a random order.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The columns of categories.
        y : array-like of shape (n_samples,)
            The target.
        """
        fitted = copy.copy(self)
        codes, target = fitted._fit_all(X, y)
        order = check_random_state(self.random_state).permutation(len(target))
        priors = np.atleast_1d(fitted._value_of_unknown())
        out = np.empty((len(target), len(fitted.encodings_)))
        for j, column in enumerate(codes):
            for c in range(target.shape[1]):
                out[order, j * target.shape[1] + c] = _running_means(
                    column[order], target[order, c], priors[c], self.smooth
                )
        vars(self).clear()
        vars(self).update(vars(fitted))
        return out


def _drawn_means(
    codes: NDArray[np.intp], y: Floats, size: int, prior: float, smooth: float
) -> Floats:
    """Return the mean of each category, drawn to the prior."""
    counts = np.bincount(codes, minlength=size)
    sums = np.bincount(codes, y - prior, minlength=size)
    weight = counts + smooth
    result: Floats = prior + np.divide(sums, weight, out=np.zeros(size), where=weight > 0)
    return result


def _running_means(codes: NDArray[np.intp], y: Floats, prior: float, smooth: float) -> Floats:
    """Return for each row the drawn mean over the rows of its category that come before it."""
    grouped = np.argsort(codes, kind="stable")
    n_before = np.arange(len(codes))
    starts = np.flatnonzero(np.diff(codes[grouped], prepend=-1))
    lengths = np.diff(starts, append=len(codes))
    n_before -= np.repeat(starts, lengths)
    distances = (y - prior)[grouped]
    sums = np.cumsum(distances) - distances
    sums -= np.repeat(sums[starts], lengths)
    weight = n_before + smooth
    means = np.empty(len(codes))
    means[grouped] = prior + np.divide(sums, weight, out=np.zeros(len(codes)), where=weight > 0)
    return means
