"""Linear classifiers fitted by stochastic gradient descent."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._class_weight import class_weights
from gramian._composition import available_if
from gramian._incremental import codes_of_known, further_rows, known_classes
from gramian._linear.classifier import LinearClassifierBase, encode_classes
from gramian._linear.sgd_descent import SgdData, SgdState
from gramian.linear_model._sgd_base import LEARNING_RATES, SGDBase
from gramian.params import (
    Boolean,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    Real,
    param,
)
from gramian.validation import FitData, check_fit

CLASSIFIER_LOSSES = (
    "hinge",
    "log_loss",
    "modified_huber",
    "squared_hinge",
    "perceptron",
    "squared_error",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
)


class SGDClassifierBase(LinearClassifierBase, SGDBase):
    """Base of the classifiers fitted by stochastic gradient descent."""

    penalty: str | None = param("l2", OneOf("l2", "l1", "elasticnet") | Nothing())
    alpha: float = param(0.0001, Real(0.0))
    l1_ratio: float | None = param(0.15, Real(0.0, 1.0, closed="both") | Nothing())
    n_jobs: int | None = param(None, Integer() | Nothing())
    early_stopping: bool = param(False, Boolean())
    validation_fraction: float = param(0.1, Real(0.0, 1.0, closed="neither"))
    n_iter_no_change: int = param(5, Integer(1))
    class_weight: Any = param(None, OneOf("balanced") | Mappings() | Nothing())

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The class of each row.
        coef_init : array of shape (n_classes, n_features), optional
            Where to start; with two classes of shape (1, n_features).
        intercept_init : array of shape (n_classes,), optional
            The intercepts to start with; with two classes of shape (1,).
        sample_weight : float or array of shape (n_samples,), optional
            Factors of the rows' steps, multiplied with `class_weight`.

        Returns
        -------
        self
        """
        self._check_settings()
        data = check_fit(self, X, y, sample_weight)
        assert data.y is not None
        classes, codes = encode_classes(data.y, self)
        sgd_data = self._sgd_data(data, classes, codes)
        shape = (sgd_data.n_targets, data.n_features)
        state = self._start(shape, data.X.dtype, coef_init, intercept_init)
        self._run(sgd_data, state)
        self._store(classes, state, data.X.dtype)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Run one epoch over further rows, from where the last call ended.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The class of each row; not all classes need be there.
        classes : array of shape (n_classes,), optional
            All classes; needed in the first call.
        sample_weight : float or array of shape (n_samples,), optional
            Factors of the rows' steps.

        Returns
        -------
        self
        """
        self._check_settings(is_partial=True)
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' is not supported for partial_fit. In order to use "
                "'balanced' weights, use compute_class_weight('balanced', classes=classes, y=y). "
                "In place of y you can use a large enough sample of the full training set target "
                "to properly estimate the class frequency distributions. Pass the resulting "
                "weights as the class_weight parameter."
            )
        known = known_classes(self, classes)
        if len(known) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(known)} class"
            )
        data, state = self._further(X, y, sample_weight, len(known))
        assert data.y is not None
        codes = codes_of_known(data.y, known)
        self._run(self._sgd_data(data, known, codes), state, is_partial=True)
        self._store(known, state, data.X.dtype)
        return self

    def _further(
        self, X: Any, y: Any, sample_weight: Any, n_classes: int
    ) -> tuple[FitData, SgdState]:
        """Return further rows, and where to go on."""
        if not hasattr(self, "classes_"):
            data = check_fit(self, X, y, sample_weight)
            shape = (1 if n_classes == 2 else n_classes, data.n_features)
            return data, SgdState.start(np.zeros(shape), np.zeros(shape[0]))
        return further_rows(self, X, y, sample_weight), self._continue(self.intercept_)

    def _sgd_data(self, data: FitData, classes: NDArray[Any], codes: NDArray[np.intp]) -> SgdData:
        by_class = class_weights(self.class_weight, classes, codes, None)
        pairs = np.ones((len(classes), 2))
        pairs[:, 1] = by_class
        if len(classes) == 2:
            pairs = by_class.reshape(1, 2)
        return SgdData.of(data.X, codes, data.sample_weight, pairs, self.n_jobs)

    def _store(self, classes: NDArray[Any], state: SgdState, dtype: Any) -> None:
        self.classes_ = classes
        self.coef_, self.intercept_ = self._returned(state, dtype)


class SGDClassifier(SGDClassifierBase):
    """Linear classifiers, such as the support vector machine, by stochastic gradient descent.

    For each target (the second class of two, else each class against the others) minimises
    ``mean_i w_i loss(x_i' v + b, y_i) + alpha R(v)`` by steps along the gradient at one row, in
    random order. ``R(v)`` is ``|v|^2 / 2``, ``|v|_1`` or a mixture of both. A step costs no more
    than its row has entries; sparse rows are never made dense.

    For the same integer `random_state` the rows come in the same order as for scikit-learn's class.

    Parameters
    ----------
    loss : str, default="hinge"
        "hinge" gives a linear support vector machine, "log_loss" logistic regression,
        "modified_huber" a smooth loss that forgives outliers and has probabilities,
        "squared_hinge" a hinge with quadratic slack, "perceptron" the perceptron. The losses of
        `SGDRegressor` fit the numbers 1 and -1.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        The penalty R.
    alpha : float, default=0.0001
        Strength of the penalty, >= 0; the "optimal" learning rate needs it > 0.
    l1_ratio : float or None, default=0.15
        Fraction of the L1 penalty in the elastic net, in [0, 1].
    fit_intercept : bool, default=True
        Whether to fit the constant b. With sparse rows its steps are a hundredth as long.
    max_iter : int, default=1000
        Most epochs of ``fit``, that is, passes over the rows.
    tol : float or None, default=1e-3
        ``fit`` ends when `n_iter_no_change` epochs in a row do not lower the mean objective, taken
        while the steps are made, by as much as this. None runs all `max_iter` epochs.
    shuffle : bool, default=True
        Whether to put the rows into another order before each epoch.
    verbose : int, default=0
        Above 0, prints a line for each epoch once the fit has ended.
    epsilon : float, default=0.1
        Width of the losses "huber", "epsilon_insensitive" and "squared_epsilon_insensitive".
    n_jobs : int, optional
        Threads, of which one fits one class of several; the result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the order of the rows and of the validation rows.
    learning_rate : str, default="optimal"
        Length eta of step t: "constant" is `eta0`; "optimal" is ``1 / (alpha (t0 + t - 1))`` with
        a t0 that makes the first step as long as weights typically are; "invscaling" is
        ``eta0 / t ** power_t``; "adaptive" is `eta0`, a fifth of it each time the objective stops
        falling. "pa1" and "pa2" are the passive-aggressive steps for the hinge loss, with `eta0` as
        their constant C.
    eta0 : float, default=0.01
        First step length, > 0.
    power_t : float, default=0.5
        Exponent of "invscaling".
    early_stopping : bool, default=False
        Whether to set rows apart, by class, and to end when the accuracy on them stops rising.
    validation_fraction : float, default=0.1
        Fraction of the rows set apart.
    n_iter_no_change : int, default=5
        Epochs without enough gain that end the fit.
    class_weight : dict, "balanced" or None, default=None
        Factors of the steps by class; "balanced" gives ``n_samples / (n_classes * count)``.
    warm_start : bool, default=False
        Whether ``fit`` starts from the last solution.
    average : bool or int, default=False
        Whether ``coef_`` is the average of the weights after each step; an int is the step to
        begin with.
    batch_size : int or "full", default=1
        Rows of a step, which goes along the mean of their gradients; "full" takes all rows and is
        plain gradient descent, spread over the threads.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; for a data frame one for each column of ``encoding_``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constants b.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_iter_ : int
        Epochs, the most of all targets.
    t_ : float
        One more than ``n_iter_`` times the number of rows.
    certificate_ : Certificate
        Objective and gradient at the solution; only after ``fit``.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Notes
    -----
    A weight is the factor of a row's step. A row of weight 2 counts as two copies in the objective,
    but one long step is not two short ones, so that the fitted numbers differ.

    With `early_stopping` the accuracy is that of the weights as ``predict`` would use them.

    Examples
    --------
    Scaled columns make steps of one length fit all of them:

    >>> from gramian.linear_model import SGDClassifier
    >>> from gramian.pipeline import make_pipeline
    >>> from gramian.preprocessing import StandardScaler
    >>> X = [[-1.0, -1.0], [-2.0, -1.0], [1.0, 1.0], [2.0, 1.0]]
    >>> model = make_pipeline(StandardScaler(), SGDClassifier(random_state=0))
    >>> model.fit(X, ["low", "low", "high", "high"]).predict([[-0.8, -1.0]])
    array(['low'], dtype='<U4')
    """

    loss: str = param("hinge", OneOf(*CLASSIFIER_LOSSES), positional=True)
    epsilon: float = param(0.1, Real(0.0))
    learning_rate: str = param("optimal", OneOf(*LEARNING_RATES))
    power_t: float = param(0.5, Real(closed="neither"))
    average: bool | int = param(False, Integer(1) | Boolean())
    batch_size: int | str = param(1, Integer(1) | OneOf("full"))

    @available_if(lambda self: self.loss in ("log_loss", "modified_huber"))
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probability of each class, for the losses "log_loss" and "modified_huber".

        With the score s of a class those are ``1 / (1 + exp(-s))`` and ``(1 + s) / 2``, cut at 0
        and 1; those of several classes are divided by their sum.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        from scipy.special import expit

        scores = self.decision_function(X)
        chances = expit(scores) if self.loss == "log_loss" else (scores.clip(-1, 1) + 1) / 2
        if chances.ndim == 1:
            return np.column_stack([1 - chances, chances])
        total = chances.sum(axis=1, keepdims=True)
        chances[total[:, 0] == 0] = 1.0  # no class is likely: all are equally so
        total[total == 0] = chances.shape[1]
        fractions: NDArray[Any] = chances / total
        return fractions

    @available_if(lambda self: self.loss in ("log_loss", "modified_huber"))
    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Return the logarithm of `predict_proba`, minus infinity where that is 0.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            logarithms: NDArray[Any] = np.log(self.predict_proba(X))
        return logarithms
