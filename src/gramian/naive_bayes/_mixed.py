"""Naive Bayes on any table: each column with a distribution of its own."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._labels import encode_labels
from gramian._levels.codes import LevelCodes, feature_names, fit_table, predict_table
from gramian._tags import Tags
from gramian._typing import Floats
from gramian.config import core_context
from gramian.naive_bayes._classifier import (
    BayesClassifier,
    checked_priors,
    log_or_infinity,
    room_for,
)
from gramian.naive_bayes._column_families import (
    FAMILIES,
    ColumnFamily,
    Labels,
    fit_gaussian,
    fit_histogram,
    fit_levels,
    fit_poisson,
)
from gramian.naive_bayes._kernel_column import fit_kernel
from gramian.params import Arrays, Mappings, Nothing, OneOf, Real, param
from gramian.validation import check_is_fitted

if TYPE_CHECKING:
    from typing import Self

__all__ = ["MixedNB"]


class MixedNB(BayesClassifier):
    """Naive Bayes on any table, each column with a distribution of its own.

    The class k of a row x is chosen by ``log P(k) + sum_j log P(x_j | k)``; the distribution of a
    column within a class is normal, Poisson, a table of levels, a histogram or a kernel density. A
    missing value and a level that was not seen at fit leave their factor out: that is the
    probability of what is known.

    Parameters
    ----------
    distributions : {"auto"}, str, dict or list of str, default="auto"
        Families of the columns: "gaussian", "poisson" (counts), "bernoulli" (above 0 or not),
        "categorical", "histogram", "kernel" (a normal density about every training value: exact,
        and slower) or "auto"; one for all, by name of the column, or one for each.
        "auto" takes levels for text and for numbers that are 0 or 1, and for other numbers the one
        of "gaussian", "poisson" and "histogram" that describes the training rows best (by BIC).
    categorical_features : {"from_dtype", "all"} or array-like, default="from_dtype"
        Columns of numbers that hold levels: a mask, positions or names. Text is levels in any case.
    alpha : float, default=1.0
        What is added to the counts of levels and bins; 0 for plain frequencies.
    var_smoothing : float, default=1e-9
        The fraction of the variance of a column that is added to those of its classes.
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None takes their fractions of the training weight.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Weight of the training rows of each class.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    distributions_ : list of str
        The family of each column.
    columns_ : list
        What was learnt of each column: means and variances, rates, or tables.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> import pandas as pd
    >>> from gramian.naive_bayes import MixedNB
    >>> people = pd.DataFrame(
    ...     {"height": [1.9, 1.8, None, 1.6], "hair": ["short", "short", "long", None]}
    ... )
    >>> model = MixedNB(distributions={"height": "gaussian"}).fit(people, ["m", "m", "f", "f"])
    >>> model.distributions_
    ['gaussian', 'categorical']
    >>> model.predict(pd.DataFrame({"height": [None], "hair": ["long"]}))
    array(['f'], dtype='<U1')
    """

    distributions: Any = param("auto", OneOf("auto", *FAMILIES) | Mappings() | Arrays())
    categorical_features: Any = param("from_dtype", OneOf("from_dtype", "all") | Arrays())
    alpha: float = param(1.0, Real(0.0))
    var_smoothing: float = param(1e-9, Real(0.0))
    priors: Any = param(None, Arrays() | Nothing())

    classes_: NDArray[Any]
    class_count_: Floats
    class_prior_: Floats
    distributions_: list[str]
    columns_: list[Any]
    _codes: LevelCodes

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Self":
        """Fit a distribution to every column of every class.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; an integer weight k counts as k copies of the row.
        """
        data, table = fit_table(self, X, y, sample_weight)
        assert data.y is not None
        classes, codes = encode_labels(data.y)
        priors = checked_priors(self.priors, len(classes))
        labels = Labels(np.ascontiguousarray(codes, np.int64), data.sample_weight, len(classes))
        level_codes, table = LevelCodes.of(table, self.categorical_features)
        values = level_codes.columns(table)
        if data.sample_weight is not None:  # rows of weight 0 are as good as absent
            counts = data.sample_weight > 0
            values, labels = [column[counts] for column in values], labels.of(counts)
        asked = self._asked(feature_names(self))
        fitted = [
            self._fit_column(column, levels, labels, family)
            for column, levels, family in zip(values, level_codes.levels, asked, strict=True)
        ]
        count = np.bincount(labels.codes, labels.weight, len(classes)).astype(np.float64)
        self.classes_, self.class_count_ = classes, count
        self.class_prior_ = count / count.sum() if priors is None else priors
        self.distributions_ = [family for family, _ in fitted]
        self.columns_ = [column for _, column in fitted]
        self._codes = level_codes
        return self

    def _asked(self, names: tuple[str, ...]) -> list[str]:
        """Return the family asked for each column."""
        asked = self.distributions
        if isinstance(asked, str):
            families = [asked] * len(names)
        elif isinstance(asked, Mapping):
            unknown = [name for name in asked if str(name) not in names]
            if unknown:
                raise ValueError(f"distributions names {unknown[0]!r}, which is no column of X.")
            families = [asked.get(name, "auto") for name in names]
        else:
            families = [str(family) for family in asked]
            if len(families) != len(names):
                raise ValueError(
                    f"distributions must have one entry for each of the {len(names)} columns. Got "
                    f"{len(families)}."
                )
        wrong = [family for family in families if family not in ("auto", *FAMILIES)]
        if wrong:
            raise ValueError(
                f"distributions must be among 'auto', {', '.join(map(repr, FAMILIES))}. Got "
                f"{wrong[0]!r}."
            )
        return families

    def _fit_column(
        self, values: NDArray[Any], levels: Any, labels: Labels, family: str
    ) -> tuple[str, ColumnFamily]:
        if levels is not None:
            if family not in ("auto", "categorical"):
                raise ValueError(
                    f"distributions: {family!r} is for numbers, but a column holds levels such as "
                    f"{(*levels, 'nothing')[0]!r}; take 'categorical'."
                )
            return "categorical", fit_levels(values, len(levels), labels, self.alpha)
        if family == "categorical":
            raise ValueError(
                "distributions: 'categorical' is for levels; name columns of numbers in "
                "categorical_features."
            )
        if family == "auto":
            return self._best(values, labels)
        return family, self._fit_numbers(values, labels, family)

    def _fit_numbers(self, values: NDArray[Any], labels: Labels, family: str) -> ColumnFamily:
        if family == "gaussian":
            return fit_gaussian(values, labels, float(self.var_smoothing))
        if family == "poisson":
            return fit_poisson(values, labels, self.alpha)
        if family == "histogram":
            return fit_histogram(values, labels, self.alpha)
        if family == "kernel":
            return fit_kernel(values, labels, float(self.var_smoothing))
        codes = np.where(np.isnan(values), -1, values > 0)
        return fit_levels(codes, 2, labels, self.alpha, np.array([np.nextafter(0.0, 1.0)]))

    def _best(self, values: NDArray[Any], labels: Labels) -> tuple[str, ColumnFamily]:
        """Return the family with the least BIC."""
        known = values[~np.isnan(values)]
        if ((known == 0) | (known == 1)).all():
            return "bernoulli", self._fit_numbers(values, labels, "bernoulli")
        candidates = ["gaussian", "histogram"]
        if known.min() >= 0 and (known == np.floor(known)).all():
            candidates.append("poisson")
        fitted = {name: self._fit_numbers(values, labels, name) for name in candidates}
        scores = {name: _bic(column, values, labels) for name, column in fitted.items()}
        best = min(scores, key=scores.__getitem__)
        return best, fitted[best]

    def _log_likelihoods(self, X: Any) -> list[Floats]:
        """Return ``log P(x_j | k)`` of each row and class, for each column."""
        check_is_fitted(self)
        values = self._codes.columns(predict_table(self, X))
        with np.errstate(over="ignore"):  # a number beyond all: its density is 0
            return [
                column.log_likelihood(x) for column, x in zip(self.columns_, values, strict=True)
            ]

    def _answer(self, X: Any, answer: str) -> NDArray[Any]:
        parts = self._log_likelihoods(X)
        log_prior = log_or_infinity(self.class_prior_)
        joint = np.tile(log_prior, (len(parts[0]), 1))
        for part in parts:
            joint += part
        out = room_for(answer, len(joint), len(log_prior), np.float64)
        _core.joint_answers(joint, log_prior, answer=answer, out=out, ctx=core_context())
        return out

    def column_distribution(self, column: int, n_values: int = 401) -> tuple[NDArray[Any], Floats]:
        """Return values of a column, and their density or probability in each class.

        Parameters
        ----------
        column : int
            Number of the column.
        n_values : int, default=401
            How many numbers, between those beyond which the densities are nearly 0.

        Returns
        -------
        values : ndarray of shape (n_values,)
            Numbers, or text for the levels of "categorical" and "bernoulli".
        densities : ndarray of shape (n_values, n_classes)

        Examples
        --------
        >>> from gramian.naive_bayes import MixedNB
        >>> model = MixedNB().fit([["a", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1])
        >>> levels, probabilities = model.column_distribution(0)
        >>> levels.tolist(), probabilities.round(2).tolist()
        (['a', 'b'], [[0.75, 0.33], [0.25, 0.67]])
        """
        check_is_fitted(self)
        fitted, family = self.columns_[column], self.distributions_[column]
        if family in ("categorical", "bernoulli"):
            names = self._codes.levels[column] if family == "categorical" else ("0", "above 0")
            return np.array(names or (), dtype=np.str_), np.exp(fitted.table)
        values = fitted.grid(n_values)
        return values, np.exp(fitted.log_likelihood(values))

    def feature_contributions(self, X: Any) -> Floats:
        """Return what each column says for each class: the explanation of a prediction.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_classes)
            Of two classes ``log(P(x_j | classes_[1]) / P(x_j | classes_[0]))``: with the logarithm
            of the ratio of the priors they add up to that of the probabilities. Of more classes
            ``log(P(x_j | k) / P(x_j))``, in which ``P(x_j)`` is the mean over the classes by their
            priors.

        Examples
        --------
        >>> from gramian.naive_bayes import MixedNB
        >>> model = MixedNB().fit([["a", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1])
        >>> model.feature_contributions([["b", "y"]]).round(3)
        array([[0.981, 0.288]])
        """
        parts = np.stack(self._log_likelihoods(X), axis=1)
        if len(self.classes_) == 2:
            with np.errstate(invalid="ignore"):
                ratio: Floats = np.nan_to_num(parts[:, :, 1] - parts[:, :, 0], nan=0.0)
            return ratio
        top = parts.max(axis=2, keepdims=True)
        top[np.isneginf(top)] = 0.0
        mean = log_or_infinity(np.exp(parts - top) @ self.class_prior_)[:, :, None] + top
        with np.errstate(invalid="ignore"):
            contributions: Floats = np.nan_to_num(parts - mean, nan=0.0)
        return contributions

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.categorical = False
        tags.string = tags.allow_nan = tags.native_table = True
        return tags


def _bic(column: ColumnFamily, values: NDArray[Any], labels: Labels) -> float:
    """Return minus the log-likelihood of the rows, and half of ``log n`` for each parameter."""
    with np.errstate(over="ignore"):
        logs = column.log_likelihood(values)[np.arange(len(values)), labels.codes]
    weight = np.ones(len(values)) if labels.weight is None else labels.weight
    present = weight > 0
    loss = -float(logs[present] @ weight[present])
    n_parameters = column.n_parameters * labels.n_classes
    return loss + 0.5 * n_parameters * float(np.log(max(weight.sum(), 1.0)))
