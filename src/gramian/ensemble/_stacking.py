"""Stacks: a final model fitted to what other models predict for rows they have not seen."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._composition import Entries
from gramian.base import ClassifierMixin, RegressorMixin
from gramian.ensemble._stacking_base import METHODS, BaseStacking, final_has
from gramian.linear_model import LogisticRegression, RidgeCV
from gramian.multiclass import check_classification_targets, type_of_target
from gramian.params import Anything, Boolean, Estimator, Integer, Nothing, OneOf, param
from gramian.preprocessing import LabelEncoder
from gramian.validation import check_y, column_or_1d

if TYPE_CHECKING:
    from typing import Self

__all__ = ["StackingClassifier", "StackingRegressor"]


class StackingClassifier(ClassifierMixin, BaseStacking):
    """A classifier of the predictions of other models.

    The final classifier is fitted to out-of-fold predictions: what each model says of rows that it
    was not fitted to. The models themselves are then fitted to all rows.

    Parameters
    ----------
    estimators : list of (str, estimator)
        Names and models, which are copied and fitted; "drop" leaves one out. Mostly classifiers;
        regressors see the numbers of the classes in their sorted order.
    final_estimator : classifier, optional
        Copied and fitted to the predictions; None is a `LogisticRegression`.
    cv : int, splitter, iterable of (train, test), "prefit" or None, default=None
        How rows are held out; None is five folds, stratified. With "prefit" the models are fitted
        already, and stay as they are; the final one then learns from their predictions for rows
        that they may have seen.
    stack_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What is asked of the models; "auto" is the first of these that each one has.
    n_jobs : int, optional
        How many models joblib fits at the same time; -1 for one on each processor.
    passthrough : bool, default=False
        Whether the final classifier gets the columns of `X` too. It gets those of a data frame
        with text or gaps as a data frame.
    verbose : int, default=0
        How much joblib prints about the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of such for several labels
        The classes, sorted.
    estimators_ : list of estimators
        The models, fitted to all rows, without those dropped. They know the classes by their
        numbers.
    named_estimators_ : Bunch
        The same by name; "drop" for those left out.
    final_estimator_ : classifier
        The final classifier.
    stack_method_ : list of str
        What was asked of each model.
    n_features_in_ : int
        Number of columns seen at fit, if the first model says so.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if a model saw names.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.ensemble import StackingClassifier
    >>> from gramian.linear_model import LogisticRegression, RidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("logistic", LogisticRegression()), ("ridge", RidgeClassifier())]
    >>> model = StackingClassifier(members).fit(X, y)
    >>> model.stack_method_, model.transform(X).shape
    (['predict_proba', 'decision_function'], (150, 6))
    >>> round(model.score(X, y), 2)
    0.98
    """

    estimators: Any = param((), Entries("(name, estimator)"), positional=True)
    final_estimator: Any = param(None, Nothing() | Estimator(), positional=True)
    cv: Any = param(None, Anything())
    stack_method: str = param("auto", OneOf("auto", *METHODS))
    n_jobs: int | None = param(None, Integer() | Nothing())
    passthrough: bool = param(False, Boolean())
    verbose: int = param(0, Integer(0) | Boolean())

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        stack_method: str = "auto",
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.stack_method = stack_method
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose

    def _default_final(self) -> Any:
        return LogisticRegression()

    def fit(self, X: Any, y: Any, **fit_params: Any) -> "Self":
        """Fit the models, and the final classifier to what they predict.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the models take.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            The classes, or ones and zeros for several labels.
        **fit_params : dict
            `sample_weight`, for every model and the final one; while metadata routing is on,
            whatever the models request.
        """
        given, routed = self._begin_fit(fit_params)
        check_classification_targets(y)
        if type_of_target(y) == "multilabel-indicator":
            columns = list(check_y(y, multi_output=True, estimator=self).T)
            encoders = [LabelEncoder().fit(column) for column in columns]
            codes = np.column_stack(
                [encoder.transform(c) for encoder, c in zip(encoders, columns, strict=True)]
            )
            self.classes_ = [encoder.classes_ for encoder in encoders]
        else:
            encoders = [LabelEncoder()]
            codes = encoders[0].fit_transform(y)
            self.classes_ = encoders[0].classes_
        self._encoders = encoders
        self._fit_to(X, codes, given, routed)
        return self

    @final_has("predict")
    def predict(self, X: Any, **predict_params: Any) -> NDArray[Any]:
        """Return the classes that the final classifier predicts.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        **predict_params : dict
            Parameters of the final classifier's ``predict``; while metadata routing is on, those
            that it requests.
        """
        codes = self._predict(X, predict_params)
        if isinstance(self.classes_, np.ndarray):
            return self._encoders[0].inverse_transform(codes)
        columns = zip(self._encoders, codes.T, strict=True)
        return np.column_stack([encoder.inverse_transform(c) for encoder, c in columns])

    @final_has("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probabilities that the final classifier gives the classes.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples, n_labels)
            For several labels the probability of the first class of each.
        """
        found = self._ask_final("predict_proba", X)
        if isinstance(self.classes_, list):
            return np.column_stack([label[:, 0] for label in found])
        return np.asarray(found)

    @final_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the scores of the final classifier.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        return np.asarray(self._ask_final("decision_function", X))


class StackingRegressor(RegressorMixin, BaseStacking):
    """A regressor of the predictions of other regressors.

    The final regressor is fitted to out-of-fold predictions: what each model says of rows that it
    was not fitted to. The models themselves are then fitted to all rows.

    Parameters
    ----------
    estimators : list of (str, regressor)
        Names and regressors, which are copied and fitted; "drop" leaves one out.
    final_estimator : regressor, optional
        Copied and fitted to the predictions; None is a `RidgeCV`.
    cv : int, splitter, iterable of (train, test), "prefit" or None, default=None
        How rows are held out; None is five folds. With "prefit" the regressors are fitted already,
        and stay as they are; the final one then learns from their predictions for rows that they
        may have seen.
    n_jobs : int, optional
        How many regressors joblib fits at the same time; -1 for one on each processor.
    passthrough : bool, default=False
        Whether the final regressor gets the columns of `X` too. It gets those of a data frame with
        text or gaps as a data frame.
    verbose : int, default=0
        How much joblib prints about the folds.

    Attributes
    ----------
    estimators_ : list of regressors
        The regressors, fitted to all rows, without those dropped.
    named_estimators_ : Bunch
        The same by name; "drop" for those left out.
    final_estimator_ : regressor
        The final regressor.
    stack_method_ : list of str
        What was asked of each regressor: "predict".
    n_features_in_ : int
        Number of columns seen at fit, if the first regressor says so.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if a regressor saw names.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.ensemble import StackingRegressor
    >>> from gramian.linear_model import HuberRegressor, Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = StackingRegressor([("ridge", Ridge()), ("huber", HuberRegressor())]).fit(X, y)
    >>> model.final_estimator_.coef_.round(1)
    array([0.4, 0.7])
    """

    _member_kind = "regressor"
    stack_method = "predict"

    estimators: Any = param((), Entries("(name, regressor)"), positional=True)
    final_estimator: Any = param(None, Nothing() | Estimator(), positional=True)
    cv: Any = param(None, Anything())
    n_jobs: int | None = param(None, Integer() | Nothing())
    passthrough: bool = param(False, Boolean())
    verbose: int = param(0, Integer(0) | Boolean())

    def __init__(
        self,
        estimators: Any,
        final_estimator: Any = None,
        *,
        cv: Any = None,
        n_jobs: int | None = None,
        passthrough: bool = False,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose

    def _default_final(self) -> Any:
        return RidgeCV()

    def fit(self, X: Any, y: Any, **fit_params: Any) -> "Self":
        """Fit the regressors, and the final one to what they predict.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the regressors take.
        y : array-like of shape (n_samples,)
            The target.
        **fit_params : dict
            `sample_weight`, for every regressor and the final one; while metadata routing is on,
            whatever the regressors request.
        """
        given, routed = self._begin_fit(fit_params)
        self._fit_to(X, column_or_1d(y, warn=True), given, routed)
        return self

    @final_has("predict")
    def predict(self, X: Any, **predict_params: Any) -> Any:
        """Return what the final regressor predicts.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        **predict_params : dict
            Parameters of the final regressor's ``predict``, such as ``return_std``; while metadata
            routing is on, those that it requests.
        """
        return self._predict(X, predict_params)
