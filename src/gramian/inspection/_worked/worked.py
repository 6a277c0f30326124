"""Worked calculations: the steps from the data to a fitted model, with the numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gramian.inspection._dispatch import ClassDispatch
from gramian.inspection._worked.steps import Worked

WorkedFunction = Callable[[Any, Any, Any, Any], Worked]

_CALCULATIONS: ClassDispatch[WorkedFunction] = ClassDispatch("worked")


def worked(model: Any, X: Any, y: Any = None, query: Any = None) -> Worked:
    """Show how a fitted model follows from its data, step by step.

    Every number is calculated anew from the data, as one would on paper; the last step compares
    the result with the fitted model.

    Parameters
    ----------
    model : estimator
        Fitted model.
    X : array-like or data frame of shape (n_samples, n_features)
        Features the model was fitted on.
    y : array-like of shape (n_samples,), default=None
        Target the model was fitted on, if it has one.
    query : array-like of shape (n_features,) or (n_queries, n_features), default=None
        Rows whose prediction is written out.

    Returns
    -------
    calculation : Worked
        A sequence of `Step`; prints in a terminal, shows as HTML in a notebook, and exports with
        `to_latex`.

    Examples
    --------
    >>> from gramian.inspection import worked
    >>> from gramian.linear_model import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 4.0]
    >>> calculation = worked(LinearRegression().fit(X, y), X, y, query=[3.0])
    >>> print(calculation[2:5])  # doctest: +NORMALIZE_WHITESPACE
    Linear regression by the normal equation
    ========================================
    <BLANKLINE>
    1. Normal equation
         XᵀXθ = Xᵀy
       Setting the gradient 1/m Xᵀ(Xθ - y) of the cost to zero gives n = 2 linear equations.
         XᵀX = ⎡ 3  3 ⎤
               ⎣ 3  5 ⎦
         Xᵀy = ⎡  8 ⎤
               ⎣ 11 ⎦
    <BLANKLINE>
    2. Is XᵀX invertible?
       The rank is n = 2: the columns are independent and the solution is unique.
         det(XᵀX) = 6
         κ(XᵀX) = 8.5497
    <BLANKLINE>
    3. Parameters
         θ = (XᵀX)⁻¹Xᵀy
         (XᵀX)⁻¹ = ⎡  0.833333  -0.5 ⎤
                   ⎣ -0.500000   0.5 ⎦
         θ = ⎡ 1.16667 ⎤
             ⎣ 1.50000 ⎦
    >>> round(float(calculation.values[r"\\hat{y}"]), 6)
    5.666667
    """
    return _CALCULATIONS.find_with_target(model, y)(model, X, y, query)


def register_worked(*classes: type) -> Callable[[WorkedFunction], WorkedFunction]:
    """Register the function that works out models of the given classes.

    Parameters
    ----------
    *classes : type
        Estimator classes; subclasses are included.

    Returns
    -------
    decorator : callable
        Takes a function ``(model, X, y, query) -> Worked`` and returns it.

    Examples
    --------
    >>> from gramian.inspection import Worked, register_worked, worked
    >>> class Oracle:
    ...     pass
    >>> @register_worked(Oracle)
    ... def work_oracle(model, X, y, query):
    ...     return Worked("Nothing to calculate", [])
    >>> len(worked(Oracle(), None, None))
    0
    """
    return _CALCULATIONS.register(*classes)
