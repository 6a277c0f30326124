"""Choosing columns by a score of each one alone."""

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._label_codes import label_codes
from gramian.base import BaseEstimator, Tags
from gramian.feature_selection._base import SelectorMixin, read_fit
from gramian.feature_selection._scores import f_classif
from gramian.params import Callables, Integer, OneOf, Real, param
from gramian.validation import check_is_fitted, check_y

if TYPE_CHECKING:
    from typing import Self

Mask = NDArray[np.bool_]


class _Univariate(SelectorMixin, BaseEstimator):
    """Base of selectors that score each column."""

    score_func: Callable[..., Any] = param(f_classif, Callables(), positional=True)

    scores_: NDArray[np.float64]
    pvalues_: NDArray[np.float64] | None

    def fit(self, X: Any, y: Any = None) -> "Self":
        """Score the columns.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            The target; None only if `score_func` needs none.
        """
        target = None if y is None else check_y(y, multi_output=True, estimator=self)
        data, _ = read_fit(self, X, _as_numbers(target))
        self._check_number(data.shape[1])
        found = self.score_func(data, target)
        scores, p_values = found if isinstance(found, (list, tuple)) else (found, None)
        self.scores_ = np.asarray(scores)
        _check_length(self.scores_, data.shape[1], vars(self)["n_features_in_"])
        self.pvalues_ = None if p_values is None else np.asarray(p_values)
        return self

    def _check_number(self, n_features: int) -> None:
        """Warn if more columns are asked for than there are."""

    def _p_values(self) -> NDArray[np.float64]:
        if self.pvalues_ is None:
            raise ValueError(
                f"{type(self).__name__} needs p-values, but score_func={self.score_func!r} returns "
                "scores alone."
            )
        return self.pvalues_

    def _choose(self) -> Mask:
        raise NotImplementedError

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self)
        return self._choose()

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.required_y = True
        tags.sparse = True
        return tags


class _Ranked(_Univariate):
    """Base of selectors that need no p-values, and no target if the score needs none."""

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.required_y = False
        return tags


class SelectKBest(_Ranked):
    """Keep the k columns with the highest scores.

    Parameters
    ----------
    score_func : callable, default=f_classif
        A function of X and y that returns scores, or scores and p-values: `f_classif`, `chi2` for
        classes, `f_regression`, `r_regression` for numbers.
    k : int or "all", default=10
        How many columns to keep.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of each column.
    pvalues_ : ndarray of shape (n_features,) or None
        Its p-value, if `score_func` gives one.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import SelectKBest, f_regression
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> SelectKBest(f_regression, k=3).fit(X, y).get_feature_names_out().tolist()
    ['bmi', 'bp', 's5']
    """

    k: Any = param(10, Integer(0) | OneOf("all"))

    def _check_number(self, n_features: int) -> None:
        if self.k != "all" and self.k > n_features:
            warnings.warn(
                f"k={self.k} is greater than n_features={n_features}. All the features will be "
                "returned.",
                UserWarning,
                stacklevel=4,
            )

    def _choose(self) -> Mask:
        n_features = len(self.scores_)
        n_chosen = n_features if self.k == "all" else min(self.k, n_features)
        mask = np.zeros(n_features, dtype=np.bool_)
        # Of equal scores the last ones are kept; NaN counts as the lowest.
        order = np.argsort(_ordered(self.scores_), kind="stable")
        mask[order[n_features - n_chosen :]] = True
        return mask


class SelectPercentile(_Ranked):
    """Keep a percentage of the columns, those with the highest scores.

    Parameters
    ----------
    score_func : callable, default=f_classif
        A function of X and y that returns scores, or scores and p-values.
    percentile : float, default=10
        How many of 100 columns to keep.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of each column.
    pvalues_ : ndarray of shape (n_features,) or None
        Its p-value, if `score_func` gives one.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import SelectPercentile, f_regression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> SelectPercentile(f_regression, percentile=20).fit_transform(X, y).shape
    (442, 2)
    """

    percentile: float = param(10, Real(0.0, 100.0, closed="both"))

    def _choose(self) -> Mask:
        n_features = len(self.scores_)
        if self.percentile in (0, 100):
            return np.full(n_features, self.percentile == 100, dtype=np.bool_)
        scores = _ordered(self.scores_)
        threshold = np.percentile(scores, 100 - self.percentile)
        mask: Mask = scores > threshold
        ties = np.flatnonzero(scores == threshold)
        n_chosen = int(n_features * self.percentile / 100)
        if len(ties):
            mask[ties[: n_chosen - int(mask.sum())]] = True
        return mask


def _check_length(scores: NDArray[Any], n_encoded: int, n_features: int) -> None:
    """Raise unless there is a score of each column of the matrix, or of each of the data frame."""
    if scores.shape not in ((n_encoded,), (n_features,)):
        or_frame = "" if n_encoded == n_features else f", or of the {n_features} of the data frame"
        raise ValueError(
            "score_func must return one score for each column: of the "
            f"{n_encoded} of the matrix that it is given{or_frame}. Got scores of shape "
            f"{scores.shape}."
        )


def _as_numbers(target: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return the target, or the codes of its classes: what columns of text may be encoded by."""
    if target is None or target.dtype.kind in "biuf":
        return target
    return label_codes(target)[1].reshape(target.shape).astype(np.float64)


def _ordered(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return scores that can be sorted: NaN is the least."""
    return np.where(np.isnan(scores), np.finfo(np.float64).min, scores)


class SelectFpr(_Univariate):
    """Keep the columns with a p-value below `alpha`: it bounds the false positive rate.

    Parameters
    ----------
    score_func : callable, default=f_classif
        A function of X and y that returns scores and p-values.
    alpha : float, default=0.05
        The level of each test.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of each column.
    pvalues_ : ndarray of shape (n_features,)
        Its p-value.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import SelectFpr, f_regression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> SelectFpr(f_regression, alpha=0.01).fit_transform(X, y).shape
    (442, 9)
    """

    alpha: float = param(5e-2, Real(0.0, 1.0, closed="both"))

    def _choose(self) -> Mask:
        mask: Mask = self._p_values() < self.alpha
        return mask


class SelectFdr(_Univariate):
    """Keep columns so that `alpha` bounds the false discovery rate (Benjamini and Hochberg).

    With the p-values sorted, the largest rank i with ``p_(i) <= alpha i / n`` decides.

    Parameters
    ----------
    score_func : callable, default=f_classif
        A function of X and y that returns scores and p-values.
    alpha : float, default=0.05
        The highest expected share of false ones among the columns that are kept.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of each column.
    pvalues_ : ndarray of shape (n_features,)
        Its p-value.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import SelectFdr, f_regression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> SelectFdr(f_regression, alpha=0.01).fit_transform(X, y).shape
    (442, 9)
    """

    alpha: float = param(5e-2, Real(0.0, 1.0, closed="both"))

    def _choose(self) -> Mask:
        p_values = self._p_values()
        ordered = np.sort(p_values)
        levels = self.alpha * np.arange(1, len(ordered) + 1) / len(ordered)
        passing = ordered[ordered <= levels]
        mask: Mask = p_values <= passing.max(initial=-1.0)
        return mask


class SelectFwe(_Univariate):
    """Keep columns so that `alpha` bounds the chance of any false one (Bonferroni).

    Parameters
    ----------
    score_func : callable, default=f_classif
        A function of X and y that returns scores and p-values.
    alpha : float, default=0.05
        The highest chance; each column is tested at ``alpha / n_features``.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of each column.
    pvalues_ : ndarray of shape (n_features,)
        Its p-value.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import SelectFwe, f_regression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> SelectFwe(f_regression, alpha=0.01).fit_transform(X, y).shape
    (442, 9)
    """

    alpha: float = param(5e-2, Real(0.0, 1.0, closed="both"))

    def _choose(self) -> Mask:
        p_values = self._p_values()
        mask: Mask = p_values < self.alpha / len(p_values)
        return mask


class GenericUnivariateSelect(_Univariate):
    """Keep columns by their scores, in a way that is itself a parameter.

    Parameters
    ----------
    score_func : callable, default=f_classif
        A function of X and y that returns scores, or scores and p-values.
    mode : {"percentile", "k_best", "fpr", "fdr", "fwe"}, default="percentile"
        Which of `SelectPercentile`, `SelectKBest`, `SelectFpr`, `SelectFdr` and `SelectFwe`.
    param : float, int or "all", default=1e-5
        That one's parameter.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of each column.
    pvalues_ : ndarray of shape (n_features,) or None
        Its p-value, if `score_func` gives one.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import GenericUnivariateSelect, f_regression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> GenericUnivariateSelect(f_regression, mode="k_best", param=3).fit_transform(X, y).shape
    (442, 3)
    """

    mode: str = param("percentile", OneOf("percentile", "k_best", "fpr", "fdr", "fwe"))
    param: Any = param(1e-5, Real(0.0) | OneOf("all"))

    def _selector(self) -> _Univariate:
        make: dict[str, Callable[[], _Univariate]] = {
            "percentile": lambda: SelectPercentile(self.score_func, percentile=self.param),
            "k_best": lambda: SelectKBest(self.score_func, k=self.param),
            "fpr": lambda: SelectFpr(self.score_func, alpha=self.param),
            "fdr": lambda: SelectFdr(self.score_func, alpha=self.param),
            "fwe": lambda: SelectFwe(self.score_func, alpha=self.param),
        }
        return make[self.mode]()

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.required_y = self.mode not in ("percentile", "k_best")
        return tags

    def _check_number(self, n_features: int) -> None:
        selector = self._selector()
        selector._validate_params()
        selector._check_number(n_features)

    def _choose(self) -> Mask:
        selector = self._selector()
        selector.scores_, selector.pvalues_ = self.scores_, self.pvalues_
        return selector._choose()
