"""What logistic regressions share: the problem that is solved, and probabilities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._linear.classifier import LinearClassifierBase
from gramian._linear.glm import GlmProblem
from gramian._sums import row_sum
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import Tags
from gramian.linear_model._logistic_penalty import Penalty

SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga", "gd")
_METHODS = {"newton-cg": "newton-cg", "newton-cholesky": "newton-cholesky", "gd": "gd"}
_LARGEST = 1e30  # above it the penalised constant of "liblinear" is lost in rounding


class LogisticClassifier(LinearClassifierBase):
    """Base of classifiers whose scores are log-odds."""

    _own_tags = tagged(reads_words=True)

    solver: str
    n_features_in_: int

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probability of each class, in the order of ``classes_``.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        from scipy.special import expit

        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            zero = scores.dtype.type(0)
            return -np.column_stack([np.logaddexp(zero, scores), np.logaddexp(zero, -scores)])
        scores -= scores.max(axis=1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return scores

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_class = self.solver != "liblinear"
        return tags


def logistic_problem(
    model: Any, X: Any, y: Floats, weight: Floats | None, n_classes: int, penalty: Penalty
) -> GlmProblem:
    """Return the mean objective of some rows, from a penalty on the sum of their losses.

    Parameters
    ----------
    model : estimator
        Has the parameters of the solver.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        The numbers of the classes.
    weight : ndarray of shape (n_samples,) or None
    n_classes : int
    penalty : Penalty
    """
    total = float(X.shape[0] if weight is None else row_sum(weight))
    l1, l2 = penalty.l1 / total, penalty.l2 / total
    is_penalised = model.solver == "liblinear" and model.fit_intercept
    scaling = float(model.intercept_scaling)
    return GlmProblem(
        X=X,
        y=y,
        weight=weight,
        loss="logistic" if n_classes == 2 else "multinomial",
        l2=l2,
        l1=l1,
        l2_intercept=l2 / scaling**2 if is_penalised else 0.0,
        l1_intercept=l1 / scaling if is_penalised else 0.0,
        fit_intercept=bool(model.fit_intercept),
        method=_METHODS.get(model.solver, "auto"),
        tol=float(model.tol),
        max_iter=int(model.max_iter),
        n_jobs=model.n_jobs,
        estimator=model,
        # As in scikit-learn, whose liblinear works in double precision only.
        keeps_double=model.solver == "liblinear",
    )


def check_liblinear(X: Any, n_classes: int) -> None:
    """Raise ValueError for data that "liblinear" does not take."""
    if n_classes > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass. The "
            "'liblinear' solver does not support multiclass classification (n_classes >= 3). "
            "Either use another solver or wrap the estimator in a OneVsRestClassifier to keep "
            "applying a one-versus-rest scheme."
        )
    if _LARGEST < X.max() < np.inf:
        raise ValueError(
            "Using the 'liblinear' solver while X contains a maximum value > 1e30 results in a "
            "frozen fit. Please choose another solver or rescale the input X."
        )
