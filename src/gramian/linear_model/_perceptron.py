"""The perceptron."""

from typing import Any

from gramian.linear_model._sgd_classifier import SGDClassifierBase
from gramian.params import Nothing, OneOf, RandomState, Real, param


class Perceptron(SGDClassifierBase):
    """The perceptron: each row on the wrong side pulls the boundary towards itself.

    For classes y = -1 and 1, a row with ``y (x' v + b) <= 0`` changes v by ``eta0 y x`` and b by
    ``eta0 y``; the others change nothing. If some boundary separates the classes, the steps end
    after finitely many (Novikoff 1962). With several classes each is separated from the others.

    The same as ``SGDClassifier(loss="perceptron", eta0=1, learning_rate="constant",
    penalty=None)``.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet"} or None, default=None
        Penalty on the coefficients.
    alpha : float, default=0.0001
        Strength of the penalty, >= 0.
    l1_ratio : float, default=0.15
        Fraction of the L1 penalty in the elastic net, in [0, 1].
    fit_intercept : bool, default=True
        Whether to fit the constant b. With sparse rows its steps are a hundredth as long.
    max_iter : int, default=1000
        Most epochs of ``fit``, that is, passes over the rows.
    tol : float or None, default=1e-3
        ``fit`` ends when `n_iter_no_change` epochs in a row do not lower the mean loss, taken while
        the steps are made, by as much as this. None runs all `max_iter` epochs.
    shuffle : bool, default=True
        Whether to put the rows into another order before each epoch.
    verbose : int, default=0
        Above 0, prints a line for each epoch once the fit has ended.
    eta0 : float, default=1.0
        Length of the steps, > 0. Without a penalty it scales the coefficients and nothing else.
    n_jobs : int, optional
        Threads, of which one fits one class of several; the result does not depend on it.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order of the rows and of the validation rows.
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
        Mean loss, 0 if every row is on its side, and gradient; only after ``fit``.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    The logical "and" of two inputs:

    >>> from gramian.linear_model import Perceptron
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]
    >>> model = Perceptron(tol=None, max_iter=20).fit(X, y)
    >>> model.predict(X)
    array([0, 0, 0, 1])
    """

    loss = "perceptron"
    learning_rate = "constant"

    penalty: str | None = param(None, OneOf("l2", "l1", "elasticnet") | Nothing())
    l1_ratio: float | None = param(0.15, Real(0.0, 1.0, closed="both"))
    eta0: float = param(1.0, Real(0.0, closed="neither"))
    random_state: Any = param(0, RandomState())
