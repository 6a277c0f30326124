"""Baselines: predictions that do not look at the features."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._powers import mean_of
from gramian._quantiles import weighted_quantiles
from gramian._tags import tagged
from gramian.base import BaseEstimator, ClassifierMixin, RegressorMixin
from gramian.params import Arrays, Integer, Nothing, OneOf, RandomState, Real, Strings, param
from gramian.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    check_random_state,
    check_sample_weight,
    check_sparse,
    is_sparse,
    n_samples_of,
    set_feature_names,
)

__all__ = ["DummyClassifier", "DummyRegressor"]


class _Dummy(BaseEstimator):
    """What the baselines share: `X` is counted, never read."""

    _own_tags = tagged(multi_output=True, sparse=True, poor_score=True, no_validation=True)

    def _remember_columns(self, X: Any) -> None:
        is_array_like = not hasattr(X, "shape") and hasattr(X, "__array__")
        set_feature_names(self, np.asarray(X) if is_array_like else X)


class DummyRegressor(RegressorMixin, _Dummy):
    """Predict one number for every row: a baseline for real regressors.

    Parameters
    ----------
    strategy : {"mean", "median", "quantile", "constant"}, default="mean"
        Predict the training target's mean, its median, its `quantile`, or `constant`.
    constant : float or array-like of shape (n_outputs,), default=None
        The prediction of ``strategy="constant"``.
    quantile : float in [0, 1], default=None
        Which quantile ``strategy="quantile"`` predicts.

    Attributes
    ----------
    constant_ : ndarray of shape (1, n_outputs)
        The prediction.
    n_outputs_ : int
        The number of columns of the target.
    n_features_in_ : int
        The number of columns of `X`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if all are strings.

    Examples
    --------
    >>> from gramian.dummy import DummyRegressor
    >>> DummyRegressor(strategy="median").fit([[0], [0], [0]], [1.0, 2.0, 9.0]).predict([[5]])
    array([2.])
    """

    strategy: str = param("mean", OneOf("mean", "median", "quantile", "constant"))
    constant: Any = param(None, Real() | Arrays() | Nothing())
    quantile: float | None = param(None, Real(0.0, 1.0, "both") | Nothing())

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the prediction.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its shape and names are used.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        targets = check_array(y, ensure_2d=False, input_name="y")
        targets = targets.reshape(-1, 1) if targets.ndim == 1 else targets
        check_consistent_length(X, targets, sample_weight)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, targets)
        constant = self._find_constant(targets, weight)
        self._remember_columns(X)
        self.n_outputs_ = int(targets.shape[1])
        self.constant_ = np.reshape(constant, (1, -1))
        return self

    def _find_constant(
        self, targets: NDArray[Any], weight: NDArray[np.float64] | None
    ) -> NDArray[Any]:
        if self.strategy == "constant":
            return self._check_constant(targets.shape[1])
        if self.strategy == "mean":
            mean: NDArray[Any] = mean_of(targets, weight)
            return mean
        if self.strategy == "quantile" and self.quantile is None:
            raise ValueError(
                "When using `strategy='quantile', you have to specify the desired quantile in "
                "the range [0, 1]."
            )
        level = 0.5 if self.strategy == "median" or self.quantile is None else self.quantile
        if weight is not None:
            result: NDArray[Any] = weighted_quantiles(targets, weight, [level], method="linear")[0]
            return result
        quantile: NDArray[Any] = np.quantile(targets, level, axis=0)
        return quantile

    def _check_constant(self, n_outputs: int) -> NDArray[Any]:
        if self.constant is None:
            raise TypeError(
                "Constant target value has to be specified when the constant strategy is used."
            )
        constant = np.atleast_1d(np.asarray(self.constant))
        if constant.size != n_outputs:
            raise ValueError(f"Constant target value should have shape ({n_outputs}, 1).")
        return constant

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the same prediction for each row of `X`.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.
        return_std : bool, default=False
            Also return the standard deviation of the prediction: zeros.
        """
        check_is_fitted(self)
        y: NDArray[Any] = np.repeat(self.constant_, n_samples_of(X), axis=0)
        std: NDArray[np.float64] = np.zeros(y.shape)
        if self.n_outputs_ == 1:
            y, std = y.ravel(), std.ravel()
        return (y, std) if return_std else y

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return R² of the prediction; `X` may be None, since it does not matter."""
        return super().score(_rows_for(X, y), y, sample_weight)


class DummyClassifier(ClassifierMixin, _Dummy):
    """Predict classes without looking at the features: a baseline for real classifiers.

    Parameters
    ----------
    strategy : {"most_frequent", "prior", "stratified", "uniform", "constant"}, default="prior"
        "most_frequent" predicts the most frequent class, with probability 1; "prior" predicts the
        same class, with the classes' shares as probabilities; "stratified" draws classes with
        those shares; "uniform" draws each class equally often; "constant" predicts `constant`.
    random_state : int, RandomState, Generator or None, default=None
        The source of what "stratified" and "uniform" draw.
    constant : int, str or array-like of shape (n_outputs,), default=None
        The class that ``strategy="constant"`` predicts; it must occur in the training target.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of them
        The classes, for each output if there are several.
    n_classes_ : int or list of int
        Their number.
    class_prior_ : ndarray of shape (n_classes,), or list of them
        Their shares of the training rows (or of their weight).
    n_outputs_ : int
        The number of columns of the target.
    sparse_output_ : bool
        Whether predictions are sparse, as the target was.
    n_features_in_ : int
        The number of columns of `X`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if all are strings.

    Examples
    --------
    >>> from gramian.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0], [0], [0]], ["a", "b", "b"])
    >>> model.predict([[7]]), model.predict_proba([[7]])
    (array(['b'], dtype='<U1'), array([[0.33333333, 0.66666667]]))
    """

    strategy: str = param(
        "prior", OneOf("most_frequent", "prior", "stratified", "uniform", "constant")
    )
    random_state: Any = param(None, RandomState())
    constant: Any = param(None, Integer() | Strings() | Arrays() | Nothing())

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Count the classes.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its shape and names are used.
        y : array-like or sparse matrix of shape (n_samples,) or (n_samples, n_outputs)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        sparse_output = is_sparse(y)
        labels = np.atleast_1d(check_sparse(y, "y").toarray() if is_sparse(y) else np.asarray(y))
        if sparse_output and self.strategy == "uniform":
            sparse_output = False
            warnings.warn(
                "A local copy of the target data has been converted to a numpy array. Predicting "
                "on sparse target data with the uniform strategy would not save memory and would "
                "be slower.",
                stacklevel=3,
            )
        labels = labels.reshape(-1, 1) if labels.ndim == 1 else labels
        check_consistent_length(X, labels, sample_weight)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, labels)
        counted = [_shares(column, weight) for column in labels.T]
        if self.strategy == "constant":
            self._check_constant([classes for classes, _ in counted])
        self._remember_columns(X)
        self.sparse_output_ = sparse_output
        self.n_outputs_ = len(counted)
        self.classes_ = _unwrap([classes for classes, _ in counted])
        self.n_classes_ = _unwrap([len(classes) for classes, _ in counted])
        self.class_prior_ = _unwrap([shares for _, shares in counted])
        return self

    def _check_constant(self, classes: list[NDArray[Any]]) -> None:
        if self.constant is None:
            raise ValueError(
                "Constant target value has to be specified when the constant strategy is used."
            )
        constant = np.atleast_1d(self.constant).ravel()
        if len(constant) != len(classes):
            raise ValueError(f"Constant target value should have shape ({len(classes)}, 1).")
        for label, present in zip(constant, classes, strict=True):
            if not any(label == known for known in present):
                raise ValueError(
                    "The constant target value must be present in the training data. You "
                    f"provided constant={self.constant}. Possible values are: {present.tolist()}."
                )

    def predict(self, X: Any) -> Any:
        """Return a class for each row of `X`.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            A sparse matrix if the target of ``fit`` was one.
        """
        check_is_fitted(self)
        n_samples = n_samples_of(X)
        classes, priors = _wrap(self.classes_), _wrap(self.class_prior_)
        if self.strategy == "constant":
            labels = np.tile(np.atleast_1d(self.constant).ravel(), (n_samples, 1))
        elif self.strategy == "stratified":
            drawn = [proba.argmax(axis=1) for proba in _wrap(self.predict_proba(X))]
            labels = np.column_stack([c[codes] for c, codes in zip(classes, drawn, strict=True)])
        elif self.strategy == "uniform":
            source = check_random_state(self.random_state)
            labels = np.column_stack([c[_integers(source, len(c), n_samples)] for c in classes])
        else:
            first = [c[shares.argmax()] for c, shares in zip(classes, priors, strict=True)]
            labels = np.tile(first, (n_samples, 1))
        if self.sparse_output_:
            from scipy import sparse

            return sparse.csc_matrix(labels)
        return labels.ravel() if self.n_outputs_ == 1 else labels

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class for each row of `X`, in the order of ``classes_``.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them for several outputs
        """
        check_is_fitted(self)
        n_samples = n_samples_of(X)
        source = check_random_state(self.random_state)
        constants = np.atleast_1d(self.constant).ravel()
        probabilities = []
        for output, (classes, prior) in enumerate(
            zip(_wrap(self.classes_), _wrap(self.class_prior_), strict=True)
        ):
            if self.strategy == "stratified":
                probabilities.append(source.multinomial(1, prior, size=n_samples).astype(float))
                continue
            if self.strategy == "prior":
                row = prior
            elif self.strategy == "uniform":
                row = np.full(len(classes), 1.0 / len(classes))
            elif self.strategy == "constant":
                row = (classes == constants[output]).astype(float)
            else:
                row = np.eye(len(classes))[prior.argmax()]
            probabilities.append(np.tile(row, (n_samples, 1)))
        return _unwrap(probabilities)

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of `predict_proba`: minus infinity for a probability of 0."""
        with np.errstate(divide="ignore"):
            return _unwrap([np.log(proba) for proba in _wrap(self.predict_proba(X))])

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy; `X` may be None, since it does not matter."""
        return super().score(_rows_for(X, y), y, sample_weight)


def _rows_for(X: Any, y: ArrayLike) -> Any:
    return np.zeros((n_samples_of(y), 1)) if X is None else X


def _wrap(values: Any) -> list[Any]:
    """Return a list with one entry for each output."""
    return values if isinstance(values, list) else [values]


def _unwrap(values: list[Any]) -> Any:
    """Return the only entry if there is one output, as scikit-learn does."""
    return values[0] if len(values) == 1 else values


def _shares(
    labels: NDArray[Any], weight: NDArray[np.float64] | None
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    classes, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes, weights=weight)
    return classes, counts / counts.sum()


def _integers(
    source: np.random.RandomState | np.random.Generator, high: int, size: int
) -> NDArray[Any]:
    if isinstance(source, np.random.Generator):
        return source.integers(high, size=size)
    return source.randint(high, size=size)
