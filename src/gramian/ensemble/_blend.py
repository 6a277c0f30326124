"""Blends: the weighted mean of models that differ in kind, chosen by rows held out."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._composition import Entries
from gramian.base import ClassifierMixin, RegressorMixin
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.ensemble._blend_base import BaseBlend
from gramian.ensemble._named import class_codes
from gramian.params import Anything, Boolean, Integer, Nothing, OneOf, RandomState, Real, param
from gramian.validation import check_y

if TYPE_CHECKING:
    from typing import Self

__all__ = ["BlendClassifier", "BlendRegressor"]

_SECONDS = Real(0.0, closed="neither") | Nothing()


class BlendClassifier(ClassifierMixin, BaseBlend):
    """A mean of classifiers of different kinds, with weights from rows held out.

    Each member predicts the rows of each fold from the others. A greedy selection then adds one
    member after the other, each time the one with which the log loss of the mean is least; a member
    may come again, and its share of the selection is its weight. Members of weight are fitted to
    all rows.

    Parameters
    ----------
    estimators : "auto" or list of (str, classifier), default="auto"
        Names and classifiers, which are copied and fitted; "drop" leaves one out. A classifier
        without probabilities is calibrated. "auto" tries a linear model, boosting in two growths,
        two forests, and for tables that are not too large a support vector machine, a network and
        nearest neighbours, each with gaps filled and units removed where it needs that.
    time_limit : float, optional
        Seconds for the whole fit; by default the setting `time_limit`, else there is no limit. A
        member that would not be done in time is left out, and iterative members end early. Fits
        that cannot end early may take longer. If no member comes to its end, the model is the
        baseline, with a warning.
    cv : int, splitter, iterable of (train, test) or None, default=5
        How rows are held out, each once; a number is that of shuffled folds with the shares of the
        classes.
    n_steps : int, default=50
        Most members that a selection adds.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the folds, and of what the members of "auto" draw.
    verbose : bool, default=False
        Whether to print the time that each member takes.

    Attributes
    ----------
    weights_ : dict of str to float
        The weights of the members of the blend, by name; their sum is 1.
    leaderboard_ : list of dict
        For each member its "name", its "loss" on rows held out, its "weight" and its "outcome": "in
        the blend", "not chosen", or why it has no loss. The best comes first.
    certificate_ : Certificate
        The log loss of the blend on rows held out, of its best member, a bound that no other
        weights come below, and among the details the loss of weights that were found without the
        rows that judge them.
    estimators_ : list of classifiers
        The members of the blend, fitted to all rows. They know the classes by their numbers.
    named_estimators_ : Bunch
        The same by name; "drop" for those left out.
    stack_method_ : list of str
        What each member is asked: "predict_proba".
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if a member saw names.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.ensemble import BlendClassifier
    >>> from gramian.linear_model import LogisticRegression
    >>> from gramian.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("logistic", LogisticRegression()), ("bayes", GaussianNB())]
    >>> model = BlendClassifier(members, random_state=0).fit(X, y)
    >>> [row["name"] for row in model.leaderboard_]
    ['bayes', 'logistic']
    >>> model.predict(X[:1])
    array([0])
    """

    _member_kind = "classifier"
    _method = "predict_proba"

    estimators: Any = param("auto", OneOf("auto") | Entries("(name, classifier)"), positional=True)
    time_limit: float | None = param(None, _SECONDS)
    cv: Any = param(5, Anything())
    n_steps: int = param(50, Integer(1, 10_000, "both"))
    random_state: Any = param(None, RandomState())
    verbose: bool = param(False, Boolean() | Integer(0))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> "Self":
        """Choose the members and their weights, and fit them.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the members take.
        y : array-like of shape (n_samples,)
            The classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, for every member and for the loss.
        **fit_params : dict
            What the members request, while metadata routing is on.
        """
        codes, encoder = class_codes(self, y)
        self.classes_, self._encoder = encoder.classes_, encoder
        if sample_weight is not None:
            fit_params["sample_weight"] = sample_weight
        self._fit_to(X, codes, fit_params)
        return self

    def _baseline(self) -> Any:
        return DummyClassifier()

    def _judged(self, predicted: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
        chances = np.asarray(predicted, dtype=np.float64)
        chosen: NDArray[np.float64] = chances[np.arange(len(y)), y]
        return chosen

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of the highest mean probability.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        chances = self._blended(X)
        return self._encoder.inverse_transform(chances.argmax(axis=1))

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the weighted mean of the members' probabilities.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._blended(X)


class BlendRegressor(RegressorMixin, BaseBlend):
    """A mean of regressors of different kinds, with weights from rows held out.

    Each member predicts the rows of each fold from the others. A greedy selection then adds one
    member after the other, each time the one with which the squared error of the mean is least; a
    member may come again, and its share of the selection is its weight. Members of weight are
    fitted to all rows.

    Parameters
    ----------
    estimators : "auto" or list of (str, regressor), default="auto"
        Names and regressors, which are copied and fitted; "drop" leaves one out. "auto" tries a
        linear model, boosting in two growths, two forests, and for tables that are not too large a
        support vector machine, a network and nearest neighbours, each with gaps filled and units
        removed where it needs that.
    time_limit : float, optional
        Seconds for the whole fit; by default the setting `time_limit`, else there is no limit. A
        member that would not be done in time is left out, and iterative members end early. Fits
        that cannot end early may take longer. If no member comes to its end, the model is the
        baseline, with a warning.
    cv : int, splitter, iterable of (train, test) or None, default=5
        How rows are held out, each once; a number is that of shuffled folds.
    n_steps : int, default=50
        Most members that a selection adds.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the folds, and of what the members of "auto" draw.
    verbose : bool, default=False
        Whether to print the time that each member takes.

    Attributes
    ----------
    weights_ : dict of str to float
        The weights of the members of the blend, by name; their sum is 1.
    leaderboard_ : list of dict
        For each member its "name", its "loss" on rows held out, its "weight" and its "outcome": "in
        the blend", "not chosen", or why it has no loss. The best comes first.
    certificate_ : Certificate
        The mean squared error of the blend on rows held out, of its best member, a bound that no
        other weights come below, and among the details the error of weights that were found without
        the rows that judge them.
    estimators_ : list of regressors
        The members of the blend, fitted to all rows.
    named_estimators_ : Bunch
        The same by name; "drop" for those left out.
    stack_method_ : list of str
        What each member is asked: "predict".
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if a member saw names.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.ensemble import BlendRegressor, RandomForestRegressor
    >>> from gramian.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> members = [("ridge", Ridge(0.1)), ("forest", RandomForestRegressor(random_state=0))]
    >>> model = BlendRegressor(members, random_state=0).fit(X, y)
    >>> sorted(model.weights_)
    ['forest', 'ridge']
    """

    _member_kind = "regressor"
    _method = "predict"

    estimators: Any = param("auto", OneOf("auto") | Entries("(name, regressor)"), positional=True)
    time_limit: float | None = param(None, _SECONDS)
    cv: Any = param(5, Anything())
    n_steps: int = param(50, Integer(1, 10_000, "both"))
    random_state: Any = param(None, RandomState())
    verbose: bool = param(False, Boolean() | Integer(0))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> "Self":
        """Choose the members and their weights, and fit them.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the members take.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, for every member and for the loss.
        **fit_params : dict
            What the members request, while metadata routing is on.
        """
        target = check_y(y, y_numeric=True, estimator=self)
        if sample_weight is not None:
            fit_params["sample_weight"] = sample_weight
        self._fit_to(X, target, fit_params)
        return self

    def _baseline(self) -> Any:
        return DummyRegressor()

    def _judged(self, predicted: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
        errors: NDArray[np.float64] = np.subtract(predicted, y, dtype=np.float64)
        return errors

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the weighted mean of the members' predictions.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        return self._blended(X)
