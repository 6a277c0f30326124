"""Diagnosis of a fitted model: are the hypotheses it rests on true of the data?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from gramian.inspection._diagnosis.findings import Diagnosis
from gramian.inspection._dispatch import ClassDispatch

DiagnosisFunction = Callable[[Any, Any, Any, Any], Diagnosis]

_DIAGNOSES: ClassDispatch[DiagnosisFunction] = ClassDispatch("diagnose")


def diagnose(
    model: Any, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
) -> Diagnosis:
    """Check the hypotheses of a fitted model on data.

    A verdict rests on a significance test *and* on an effect size, so that a trivial departure is
    not reported just because the table is long, nor a chance one because it is short.

    Parameters
    ----------
    model : estimator
        Fitted model.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Features; those of the training data, usually. Only for these are columns encoded by means
        of the target as they were in ``fit``.
    y : array-like of shape (n_samples,), default=None
        Target, of models that have one.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights the model was fitted with.

    Returns
    -------
    diagnosis : Diagnosis
        A sequence of `Finding`; prints as a table and shows as HTML in a notebook.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.inspection import diagnose
    >>> from gramian.linear_model import LinearRegression
    >>> x = np.linspace(0.0, 3.0, 60)
    >>> wiggle = 0.2 * np.sin(37.0 * np.arange(60))
    >>> X, y = np.column_stack([x, np.cos(5.0 * x)]), np.exp(x) + wiggle
    >>> diagnosis = diagnose(LinearRegression().fit(X, y), X, y)
    >>> diagnosis["linearity"].verdict, diagnosis["linearity"].columns
    ('problem', ('x0',))
    >>> diagnosis["multicollinearity"].verdict
    'ok'
    """
    return _DIAGNOSES.find_with_target(model, y)(model, X, y, sample_weight)


def register_diagnosis(*classes: type) -> Callable[[DiagnosisFunction], DiagnosisFunction]:
    """Register the function that diagnoses models of the given classes.

    Parameters
    ----------
    *classes : type
        Estimator classes; subclasses are included.

    Returns
    -------
    decorator : callable
        Takes a function ``(model, X, y, sample_weight) -> Diagnosis`` and returns it.

    Examples
    --------
    >>> from gramian.inspection import Diagnosis, diagnose, register_diagnosis
    >>> class Oracle:
    ...     pass
    >>> @register_diagnosis(Oracle)
    ... def diagnose_oracle(model, X, y, sample_weight):
    ...     return Diagnosis("Oracle", [])
    >>> diagnose(Oracle(), None, None).ok
    True
    """
    return _DIAGNOSES.register(*classes)
