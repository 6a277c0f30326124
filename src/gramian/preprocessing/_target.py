"""Categories as means of the target."""

import copy
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._column_blocks import feature_names
from gramian._labels import type_of_target
from gramian._requests import raise_for_params
from gramian._routing import MetadataRouter, MethodMapping, process_routing
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.params import (
    Anything,
    Boolean,
    OneOf,
    RandomState,
    Real,
    param,
)
from gramian.preprocessing._encoder import CategoryEncoder, Lists
from gramian.preprocessing._factors import Factor, factorise, read_factors
from gramian.preprocessing._labels import label_binarize
from gramian.validation import (
    check_consistent_length,
    check_is_fitted,
    check_y,
    column_or_1d,
)


class MeanEncoder(CategoryEncoder):
    """What the encoders by means of the target share."""

    target_type: str
    min_frequency = None
    max_categories = None
    handle_unknown = "ignore"
    encodings_: list[Floats]
    target_mean_: Any
    target_type_: str
    classes_: NDArray[Any] | None

    _own_tags = tagged(required_y=True)

    def _read_target(self, y: Any) -> Floats:
        """Set ``target_type_`` and ``classes_``; return the target, a column for each output."""
        kind = self.target_type
        if kind == "auto":
            kind = self._inferred_type(y)
            allowed = ("binary", "multiclass", "continuous")
            if kind not in allowed:
                raise ValueError(
                    f"Unknown label type: Target type was inferred to be {kind!r}. Only {allowed} "
                    "are supported."
                )
        self.target_type_, self.classes_ = kind, None
        if kind == "continuous":
            numbers: Floats = check_y(y, y_numeric=True, estimator=self).astype(np.float64)
            return numbers.reshape(-1, 1)
        factor = factorise(column_or_1d(y, warn=True))
        self.classes_ = factor.values
        if kind == "binary":
            return factor.codes.astype(np.float64).reshape(-1, 1)
        result: Floats = label_binarize(factor.codes, classes=np.arange(len(factor.values))).astype(
            float
        )
        return result

    def _inferred_type(self, y: Any) -> str:
        return type_of_target(y, input_name="y")

    def _means_of(self, target: Floats) -> Any:
        means = target.mean(axis=0)
        return means if self.target_type_ == "multiclass" else means[0]

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Find the means of the categories.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The columns of categories.
        y : array-like of shape (n_samples,)
            The target.
        """
        self._fit_all(X, y)
        return self

    def _fit_all(self, X: Any, y: Any) -> tuple[list[NDArray[np.intp]], Floats]:
        if y is None:
            check_y(None, estimator=self)
        check_consistent_length(X, y)
        factors = self._fit_categories(X)
        target = self._read_target(y)
        codes = self._codes(factors)
        self.target_mean_ = self._means_of(target)
        self.encodings_ = self._encode(codes, target)
        return codes, target

    def _encode(self, codes: list[NDArray[np.intp]], target: Floats) -> list[Floats]:
        """Return the encoding of each category, for each column and class."""
        return [
            self._encode_column(column, len(categories), target[:, c], c)
            for column, categories in zip(codes, self.categories_, strict=True)
            for c in range(target.shape[1])
        ]

    def _encode_column(self, codes: NDArray[np.intp], size: int, y: Floats, c: int) -> Floats:
        """Return the encoding of each category of a column, for class `c`."""
        raise NotImplementedError(f"{type(self).__name__} must write _encode_column.")

    def transform(self, X: Any) -> Any:
        """Return the means of the categories over all training rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The columns of categories; one not seen at fit gets the mean of the whole target.

        Returns
        -------
        ndarray of shape (n_samples, n_features), or (n_samples, n_features * n_classes)
        """
        check_is_fitted(self)
        factors = read_factors(self, X, reset=False)
        n_outputs = len(self.encodings_) // len(factors)
        others = np.atleast_1d(self._value_of_unknown())
        out = np.empty((len(factors[0].codes), len(self.encodings_)))
        for j, factor in enumerate(factors):
            positions = factor.positions(self.categories_[j])
            for c in range(n_outputs):
                known = np.append(self.encodings_[j * n_outputs + c], others[c])
                out[:, j * n_outputs + c] = known[positions][factor.codes]
        return out

    def _value_of_unknown(self) -> Any:
        return self.target_mean_

    def _codes(self, factors: list[Factor]) -> list[NDArray[np.intp]]:
        """Return the position of each row's category; -1 for one that was left out by the user."""
        return [
            factor.positions(categories)[factor.codes]
            for factor, categories in zip(factors, self.categories_, strict=True)
        ]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the output columns: with the class, if there are several.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the input columns; by default those seen at fit, or x0, x1, ...
        """
        check_is_fitted(self, "n_features_in_")
        names = feature_names(self, input_features)
        if self.target_type_ != "multiclass" or self.classes_ is None:
            return names
        return np.array([f"{n}_{label}" for n in names for label in self.classes_], dtype=object)


class TargetEncoder(MeanEncoder):
    """Turn each category into the mean of the target over its rows, drawn to the overall mean.

    The encoding of a category with n rows is ``(sum of y + smooth * mean) / (n + smooth)``; with
    ``smooth="auto"`` the weight of the mean follows from the variances (empirical Bayes).
    ``fit_transform`` encodes each training row from the rows of the other folds, so that no row
    sees its own target; ``fit(X, y).transform(X)`` does not.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        The categories of each column; by default those that occur.
    target_type : {"auto", "continuous", "binary", "multiclass"}, default="auto"
        The kind of target; several classes give one output column for each.
    smooth : "auto" or float, default="auto"
        The weight of the overall mean, counted in rows.
    cv : int, splitter or iterable, default=5
        The folds of ``fit_transform``; an int shuffles the rows.
    shuffle, random_state : default="deprecated"
        Deprecated in scikit-learn 1.9: pass a splitter as `cv` instead.

    Attributes
    ----------
    encodings_ : list of ndarray
        For each column (and class) the encoding of each category.
    categories_ : list of ndarray
        The categories of each column.
    target_type_ : str
        The kind of target.
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
    >>> from gramian.preprocessing import TargetEncoder
    >>> encoder = TargetEncoder(smooth=1.0, target_type="continuous")
    >>> encoder.fit([["a"], ["a"], ["b"]], [1.0, 3.0, 8.0]).transform([["a"], ["b"], ["c"]])
    array([[2.66666667],
           [6.        ],
           [4.        ]])
    """

    categories: Any = param("auto", OneOf("auto") | Lists(), positional=True)
    target_type: str = param(
        "auto", OneOf("auto", "continuous", "binary", "multiclass"), positional=True
    )
    smooth: Any = param("auto", OneOf("auto") | Real(0.0), positional=True)
    cv: Any = param(5, Anything(), positional=True)
    shuffle: Any = param("deprecated", Boolean() | OneOf("deprecated"), positional=True)
    random_state: Any = param("deprecated", RandomState() | OneOf("deprecated"), positional=True)

    def _encode_column(self, codes: NDArray[np.intp], size: int, y: Floats, c: int) -> Floats:
        mean, variance = y.mean(), y.var()
        is_known = codes >= 0
        codes, y = codes[is_known], y[is_known]
        counts = np.bincount(codes, minlength=size)
        sums = np.bincount(codes, y, minlength=size)
        if self.smooth != "auto":
            weight = counts + self.smooth
            smoothed = sums + self.smooth * mean
            result: Floats = np.divide(smoothed, weight, out=np.full(size, mean), where=weight > 0)
            return result
        own = np.divide(sums, counts, out=np.zeros(size), where=counts > 0)
        squares = np.bincount(codes, (y - own[codes]) ** 2, minlength=size)
        within = np.divide(squares, counts, out=np.zeros(size), where=counts > 0)
        between = variance * counts
        total = between + within
        fraction = np.divide(between, total, out=np.zeros(size), where=total > 0)
        result = fraction * own + (1.0 - fraction) * mean
        return result

    def fit_transform(self, X: Any, y: ArrayLike, **params: Any) -> Any:  # type: ignore[override]
        """Fit, and encode each training row from the rows of the other folds.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The columns of categories.
        y : array-like of shape (n_samples,)
            The target.
        **params : dict
            Arguments of the splitter, such as `groups`; only while metadata routing is on.
        """
        raise_for_params(params, self, "fit_transform")
        routed = process_routing(self, "fit_transform", params)["splitter"]["split"]
        fitted = copy.copy(self)
        codes, target = fitted._fit_all(X, y)
        splitter = fitted._splitter(y)
        folds = list(splitter.split(np.empty((len(target), 1)), np.asarray(y), **routed))
        seen = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(target))
        if not (seen == 1).all():
            raise ValueError(
                "Validation indices from `cv` must cover each sample index exactly once with no "
                "overlap. Pass a splitter with non-overlapping validation folds as `cv` or refer "
                "to the docs for other options."
            )
        out = np.empty((len(target), len(fitted.encodings_)))
        for train, test in folds:
            encodings = fitted._encode([column[train] for column in codes], target[train])
            means = target[train].mean(axis=0)
            for e, encoding in enumerate(encodings):
                j, c = divmod(e, target.shape[1])
                out[test, e] = np.append(encoding, means[c])[codes[j][test]]
        vars(self).clear()
        vars(self).update(vars(fitted))
        return out

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the splitter."""
        mapping = MethodMapping(fit_transform="split")
        return MetadataRouter(self).add(splitter=self.cv, method_mapping=mapping)

    def _splitter(self, y: Any) -> Any:
        from gramian.model_selection import check_cv

        choices = {"shuffle": self.shuffle, "random_state": self.random_state}
        given = {
            name: value
            for name, value in choices.items()
            if not (isinstance(value, str) and value == "deprecated")
        }
        if given:
            warnings.warn(
                "`TargetEncoder.shuffle` and `TargetEncoder.random_state` are deprecated in "
                "version 1.9 and will be removed in version 1.11. Pass a cross-validation "
                "generator as `cv` argument to specify the shuffling behaviour instead.",
                FutureWarning,
                stacklevel=4,
            )
        is_classifier = self.target_type_ != "continuous"
        return check_cv(self.cv, y, classifier=is_classifier, **{"shuffle": True, **given})
