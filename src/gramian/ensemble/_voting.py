"""Votes: several models fitted to the same rows, and their predictions joined."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import feature_names
from gramian._composition import Entries, available_if
from gramian._routing import Routed
from gramian.base import ClassifierMixin, RegressorMixin
from gramian.ensemble._named import NamedEnsemble, class_codes
from gramian.params import Arrays, Boolean, Integer, Nothing, OneOf, param
from gramian.validation import check_is_fitted, column_or_1d

if TYPE_CHECKING:
    from typing import Self

__all__ = ["VotingClassifier", "VotingRegressor"]


class BaseVoting(NamedEnsemble):
    """What both votes share: the fits, and the weights of the votes."""

    weights: Any
    verbose: bool

    def _begin_fit(self, fit_params: dict[str, Any]) -> tuple[dict[str, Any], Routed]:
        begun = super()._begin_fit(fit_params)
        if self.weights is not None and len(self.weights) != len(self.estimators):
            raise ValueError(
                "Number of `estimators` and weights must be equal; got "
                f"{len(self.weights)} weights, {len(self.estimators)} estimators"
            )
        return begun

    def _fit_to(self, X: Any, y: NDArray[Any], routed: Routed) -> None:
        self._store(self._fit_members(X, y, routed, "Voting", verbose=bool(self.verbose)))

    def _kept_weights(self) -> NDArray[np.float64] | None:
        """Return the weights of the fitted estimators."""
        if self.weights is None:
            return None
        result: NDArray[np.float64] | None = np.asarray(self.weights, dtype=np.float64)[
            np.asarray(self._kept)
        ]
        return result

    def _predictions(self, X: Any) -> NDArray[Any]:
        """Return what each estimator predicts, a column for each."""
        return np.column_stack([model.predict(X) for model in self.estimators_])

    def _name_outputs(self, input_features: Any, suffixes: list[str]) -> NDArray[Any]:
        check_is_fitted(self, "n_features_in_")
        if input_features is not None:
            feature_names(self, input_features)  # raises if they are not those of fit
        head = type(self).__name__.lower()
        names = [f"{head}_{name}{suffix}" for name in self._kept_names() for suffix in suffixes]
        return np.array(names, dtype=object)


def _votes_softly(voting: Any) -> bool:
    if voting.voting == "hard":
        raise AttributeError(f"predict_proba is not available when voting={voting.voting!r}")
    return True


class VotingClassifier(ClassifierMixin, BaseVoting):
    """Classifiers that vote.

    A hard vote is the class that most classifiers predict, a soft vote the class with the highest
    mean probability. Each classifier is fitted to all rows.

    Parameters
    ----------
    estimators : list of (str, classifier)
        Names and classifiers, which are copied and fitted; "drop" leaves one out.
    voting : {"hard", "soft"}, default="hard"
        Whether classes or probabilities are counted.
    weights : array-like of shape (n_classifiers,), optional
        How much each classifier counts; equally by default.
    n_jobs : int, optional
        How many classifiers joblib fits at the same time; -1 for one on each processor.
    flatten_transform : bool, default=True
        Whether ``transform`` of a soft vote puts the probabilities side by side, rather than in an
        array of shape (n_classifiers, n_samples, n_classes).
    verbose : bool, default=False
        Whether to print the time that each fit takes.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted classifiers, without those dropped. They know the classes by their numbers.
    named_estimators_ : Bunch
        The fitted classifiers by name; "drop" for those left out.
    le_ : LabelEncoder
        The numbers of the classes.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Number of columns seen at fit, if the first classifier says so.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if a classifier saw names.

    See Also
    --------
    gramian.inspection.worked : The table of the votes for one row.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.ensemble import VotingClassifier
    >>> from gramian.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("tight", LogisticRegression(C=0.01)), ("loose", LogisticRegression())]
    >>> model = VotingClassifier(members, voting="soft", weights=[1, 2]).fit(X, y)
    >>> model.predict_proba(X[:1]).round(2)
    array([[0.89, 0.08, 0.02]])
    >>> model.named_estimators_.loose.C
    1.0
    """

    _member_kind = "classifier"

    estimators: Any = param((), Entries("(name, classifier)"), positional=True)
    voting: str = param("hard", OneOf("hard", "soft"))
    weights: Any = param(None, Arrays() | Nothing())
    n_jobs: int | None = param(None, Integer() | Nothing())
    flatten_transform: bool = param(True, Boolean())
    verbose: bool = param(False, Boolean() | Integer(0))

    def __init__(
        self,
        estimators: Any,
        *,
        voting: str = "hard",
        weights: Any = None,
        n_jobs: int | None = None,
        flatten_transform: bool = True,
        verbose: bool = False,
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.n_jobs = n_jobs
        self.flatten_transform = flatten_transform
        self.verbose = verbose

    def fit(self, X: Any, y: Any, **fit_params: Any) -> "Self":
        """Fit the classifiers.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the classifiers take.
        y : array-like of shape (n_samples,)
            The classes.
        **fit_params : dict
            `sample_weight`, for every classifier; while metadata routing is on, whatever the
            classifiers request.
        """
        _, routed = self._begin_fit(fit_params)
        codes, encoder = class_codes(self, y)
        self._fit_to(X, codes, routed)
        self.le_ = encoder
        self.classes_ = encoder.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that wins the vote; of those that tie, the first.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        shares = self._mean_proba(X) if self.voting == "soft" else self._counts(X)
        found: NDArray[Any] = self.classes_[np.argmax(shares, axis=1)]
        return found

    def _counts(self, X: Any) -> NDArray[np.float64]:
        """Return the weight of the votes for each class."""
        predicted = self._predictions(X)
        weights = self._kept_weights()
        counts = np.zeros((len(predicted), len(self.classes_)))
        rows = np.arange(len(predicted))
        for member, codes in enumerate(predicted.T):
            counts[rows, codes] += 1.0 if weights is None else weights[member]
        return counts

    def _probas(self, X: Any) -> NDArray[Any]:
        return np.asarray([model.predict_proba(X) for model in self.estimators_])

    def _mean_proba(self, X: Any) -> NDArray[Any]:
        mean: NDArray[Any] = np.average(self._probas(X), axis=0, weights=self._kept_weights())
        return mean

    @available_if(_votes_softly)
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the weighted mean of the probabilities; a soft vote only.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._mean_proba(X)

    def transform(self, X: Any) -> NDArray[Any]:
        """Return what each classifier says: its probabilities, or for a hard vote its class.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classifiers), (n_samples, n_classifiers * n_classes) or \
(n_classifiers, n_samples, n_classes)
            Numbers of classes for a hard vote; see `flatten_transform` for a soft one.
        """
        check_is_fitted(self)
        if self.voting == "hard":
            return self._predictions(X)
        probas = self._probas(X)
        return np.hstack(list(probas)) if self.flatten_transform else probas

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns of ``transform``.

        Parameters
        ----------
        input_features : array-like of str, optional
            Must be the names of the columns of fit; not used otherwise.
        """
        check_is_fitted(self, "n_features_in_")
        if self.voting == "hard":
            return self._name_outputs(input_features, [""])
        if not self.flatten_transform:
            raise ValueError(
                "get_feature_names_out is not supported when `voting='soft'` and "
                "`flatten_transform=False`"
            )
        return self._name_outputs(input_features, [str(k) for k in range(len(self.classes_))])


class VotingRegressor(RegressorMixin, BaseVoting):
    """The mean of what several regressors predict, each fitted to all rows.

    Parameters
    ----------
    estimators : list of (str, regressor)
        Names and regressors, which are copied and fitted; "drop" leaves one out.
    weights : array-like of shape (n_regressors,), optional
        How much each regressor counts; equally by default.
    n_jobs : int, optional
        How many regressors joblib fits at the same time; -1 for one on each processor.
    verbose : bool, default=False
        Whether to print the time that each fit takes.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted regressors, without those dropped.
    named_estimators_ : Bunch
        The fitted regressors by name; "drop" for those left out.
    n_features_in_ : int
        Number of columns seen at fit, if the first regressor says so.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if a regressor saw names.

    Examples
    --------
    >>> from gramian.dummy import DummyRegressor
    >>> from gramian.ensemble import VotingRegressor
    >>> from gramian.linear_model import LinearRegression
    >>> model = VotingRegressor([("line", LinearRegression()), ("mean", DummyRegressor())])
    >>> model.fit([[0.0], [1.0], [2.0]], [0.0, 2.0, 4.0]).predict([[2.0]]).round(6)
    array([3.])
    """

    _member_kind = "regressor"

    estimators: Any = param((), Entries("(name, regressor)"), positional=True)
    weights: Any = param(None, Arrays() | Nothing())
    n_jobs: int | None = param(None, Integer() | Nothing())
    verbose: bool = param(False, Boolean() | Integer(0))

    def __init__(
        self,
        estimators: Any,
        *,
        weights: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, **fit_params: Any) -> "Self":
        """Fit the regressors.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the regressors take.
        y : array-like of shape (n_samples,)
            The target.
        **fit_params : dict
            `sample_weight`, for every regressor; while metadata routing is on, whatever the
            regressors request.
        """
        _, routed = self._begin_fit(fit_params)
        self._fit_to(X, column_or_1d(y, warn=True), routed)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the weighted mean of the predictions.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        mean: NDArray[Any] = np.average(self._predictions(X), axis=1, weights=self._kept_weights())
        return mean

    def transform(self, X: Any) -> NDArray[Any]:
        """Return what each regressor predicts, a column for each.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._predictions(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns of ``transform``.

        Parameters
        ----------
        input_features : array-like of str, optional
            Must be the names of the columns of fit; not used otherwise.
        """
        return self._name_outputs(input_features, [""])
