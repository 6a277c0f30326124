"""Naive Bayes for columns of levels."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._incremental import codes_of_known, known_classes
from gramian._labels import encode_labels
from gramian._levels.codes import feature_names, fit_table, predict_table
from gramian._tags import Tags
from gramian._typing import Floats
from gramian.naive_bayes._classifier import BayesClassifier
from gramian.naive_bayes._discrete import class_log_prior, smoothing
from gramian.naive_bayes._level_counts import LevelTables, count_levels
from gramian.naive_bayes._table_codes import codes_among, codes_below, whole_numbers, with_levels
from gramian.params import Arrays, Boolean, Integer, Nothing, OneOf, Real, param
from gramian.table import Table
from gramian.validation import FitData, check_is_fitted, check_sample_weight, check_y

if TYPE_CHECKING:
    from typing import Self

__all__ = ["CategoricalNB"]


class CategoricalNB(BayesClassifier):
    """Naive Bayes for columns of levels: text, categories, or whole numbers.

    The class k of a row x is chosen by ``log P(k) + sum_j log P(x_j | k)`` with
    ``P(v | k) = (N_jkv + alpha) / (N_jk + alpha V_j)``: how often column j has the level v in class
    k, among its `V_j` levels. A missing value leaves its factor out, which is exact for this model:
    it is the probability of what is known.

    Parameters
    ----------
    alpha : float, default=1.0
        What is added to every count (1 is Laplace's rule); 0 for plain frequencies.
    force_alpha : bool, default=True
        Whether an `alpha` below 1e-10 is taken as it is; if not, 1e-10 takes its place.
    fit_prior : bool, default=True
        Whether the priors are the fractions of the classes; if not, all are the same.
    class_prior : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None leaves them to `fit_prior`.
    min_categories : int or array-like of shape (n_features,), default=None
        The least number of levels of each column.
    unseen : {"auto", "error", "ignore", "smooth"}, default="auto"
        What a level that was not seen in fit does: it raises, its factor is left out, or it counts
        as a level that was seen 0 times. "auto" is "error" for arrays of numbers, and "ignore" for
        text and data frames.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the training rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithms of the priors.
    categories_ : list of (tuple of str) or None
        The levels of each column, in the order of the counts; None if they are numbers from 0 on.
    category_count_ : list of ndarray of shape (n_classes, n_categories)
        For each column the weight of each level in each class.
    feature_log_prob_ : list of ndarray of shape (n_classes, n_categories)
        For each column the logarithms of the smoothed frequencies.
    n_categories_ : ndarray of shape (n_features,)
        Number of levels of each column.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.naive_bayes import CategoricalNB
    >>> weather = [["sunny", "hot"], ["sunny", "mild"], ["rainy", "mild"], ["rainy", "cool"]]
    >>> model = CategoricalNB().fit(weather, ["no", "no", "yes", "yes"])
    >>> model.predict([["rainy", "hot"], ["foggy", "cool"]])
    array(['yes', 'yes'], dtype='<U3')
    """

    alpha: float = param(1.0, Real(0.0))
    force_alpha: bool = param(True, Boolean())
    fit_prior: bool = param(True, Boolean())
    class_prior: Any = param(None, Arrays() | Nothing())
    min_categories: Any = param(None, Integer(1) | Arrays() | Nothing())
    unseen: str = param("auto", OneOf("auto", "error", "ignore", "smooth"))

    classes_: NDArray[Any]
    class_count_: Floats
    class_log_prior_: Floats
    categories_: list[tuple[str, ...]] | None
    category_count_: list[Floats]
    feature_log_prob_: list[Floats]
    n_categories_: NDArray[np.int64]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Self":
        """Count the levels in each class.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows: a data frame, an array of text, or whole numbers 0, 1, ...
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; an integer weight k counts as k copies of the row.
        """
        data, table = fit_table(self, X, y, sample_weight)
        assert data.y is not None
        classes, codes = encode_labels(data.y)
        return self._start(classes, data, table, codes)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "Self":
        """Count the levels of further rows, which may be new.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Further rows.
        y : array-like of shape (n_samples,)
            Their classes; not all need be there.
        classes : array-like of shape (n_classes,), optional
            All classes; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        known = known_classes(self, classes)
        if not hasattr(self, "category_count_"):
            data, table = fit_table(self, X, y, sample_weight)
            assert data.y is not None
            return self._start(known, data, table, codes_of_known(data.y, known))
        table = predict_table(self, X)
        target = check_y(y, estimator=self)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, table)
        return self._join(FitData(table, target, weight), table, codes_of_known(target, known))

    def _start(
        self, classes: NDArray[Any], data: FitData, table: Table, codes: NDArray[np.intp]
    ) -> "Self":
        is_numbers = table.matrix is not None and not isinstance(data.X, Table)
        counts = [np.zeros((len(classes), 0))] * data.n_features
        levels: list[tuple[str, ...]] | None = None if is_numbers else [()] * data.n_features
        return self._add(classes, data, table, codes, (np.zeros(len(classes)), counts, levels))

    def _join(self, data: FitData, table: Table, codes: NDArray[np.intp]) -> "Self":
        before = (self.class_count_, self.category_count_, self.categories_)
        return self._add(self.classes_, data, table, codes, before)

    def _add(
        self,
        classes: NDArray[Any],
        data: FitData,
        table: Table,
        codes: NDArray[np.intp],
        before: tuple[Floats, list[Floats], list[tuple[str, ...]] | None],
    ) -> "Self":
        """Add the counts of these rows to those before."""
        alpha = smoothing(self.alpha, self.force_alpha, data.n_features)
        count, counts, levels = before
        if levels is None:
            rows = whole_numbers(table, self)
            seen = rows if data.sample_weight is None else rows[data.sample_weight > 0]
            n_levels = self._n_categories(seen.max(axis=0, initial=-1) + 1)
        else:
            rows, levels, counts = with_levels(table, levels, counts, data.sample_weight)
            n_levels = self._n_categories(np.array([len(known) for known in levels]))
        n_levels = np.maximum(n_levels, [known.shape[1] for known in counts])
        if data.sample_weight is not None:
            rows = np.where(rows < n_levels, rows, -1)  # what only rows of weight 0 have
        new = count_levels(rows, n_levels, codes, data.sample_weight, len(classes))
        log_prior_count = count + np.bincount(codes, data.sample_weight, len(classes))
        log_prior = class_log_prior(self.class_prior, self.fit_prior, log_prior_count)
        self.classes_, self.class_count_, self.class_log_prior_ = (
            classes,
            log_prior_count,
            log_prior,
        )
        self.categories_, self.n_categories_ = levels, n_levels
        self.category_count_ = [
            _padded(a, b.shape[1]) + b for a, b in zip(counts, new, strict=True)
        ]
        tables = LevelTables.smoothed(self.category_count_, alpha, has_unseen=False)
        self.feature_log_prob_ = list(tables.tables)
        return self

    def _n_categories(self, found: NDArray[Any]) -> NDArray[np.int64]:
        if self.min_categories is None:
            return found.astype(np.int64)
        least = np.asarray(self.min_categories)
        if not np.issubdtype(least.dtype, np.signedinteger):
            raise ValueError(
                f"'min_categories' should have integral type. Got {least.dtype} instead."
            )
        if least.ndim > 0 and least.shape != found.shape:
            raise ValueError(
                f"'min_categories' should have shape ({len(found)},) when an array-like is "
                f"provided. Got {least.shape} instead."
            )
        n_levels: NDArray[np.int64] = np.maximum(found, least).astype(np.int64)
        return n_levels

    def _coded(self, X: Any) -> NDArray[np.int32]:
        """Return the rows as codes of levels, -1 for missing values and -2 for levels not seen."""
        check_is_fitted(self)
        table = predict_table(self, X)
        if self.categories_ is None:
            codes = codes_below(self.n_categories_, table, self)
        else:
            codes = codes_among(table, self.categories_)
        if self._policy() == "error" and (codes == -2).any():
            self._refuse_unseen(table, codes)
        return codes

    def _policy(self) -> str:
        if self.unseen != "auto":
            return self.unseen
        return "error" if self.categories_ is None else "ignore"

    def _answer(self, X: Any, answer: str) -> NDArray[Any]:
        codes = self._coded(X)
        tables = LevelTables(self.feature_log_prob_)
        if self._policy() == "smooth":
            alpha = smoothing(self.alpha, self.force_alpha, codes.shape[1])
            tables = LevelTables.smoothed(self.category_count_, alpha, has_unseen=True)
        return tables.answer(codes, self.class_log_prior_, self.class_log_prior_, answer)

    def _refuse_unseen(self, table: Table, codes: NDArray[np.int32]) -> None:
        i, j = np.argwhere(codes == -2)[0]
        name = feature_names(self)[j]
        column: Any = table.columns[j]
        is_text = hasattr(column, "categories")
        level = column.categories[column.codes[i]] if is_text else f"{column.values[i]:g}"
        raise ValueError(
            f"Column {name!r} has the level {level!r} in row {i}, which was not seen in fit. Leave "
            "it out with unseen='ignore', count it as a level seen 0 times with unseen='smooth', "
            "or make room for more numbers with min_categories."
        )

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.categorical = tags.positive_only = True
        tags.string = tags.allow_nan = tags.native_table = tags.poor_score = True
        return tags


def _padded(count: Floats, n_levels: int) -> Floats:
    more = n_levels - count.shape[1]
    return np.pad(count, [(0, 0), (0, more)]) if more > 0 else count
