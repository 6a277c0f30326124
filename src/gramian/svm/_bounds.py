"""The least C at which an L1 penalty leaves a coefficient."""

from typing import Any

import numpy as np

from gramian._labels import encode_labels
from gramian.params import Boolean, OneOf, Real, check_arguments
from gramian.validation import check_array, check_consistent_length, check_y


def l1_min_c(
    X: Any,
    y: Any,
    *,
    loss: str = "squared_hinge",
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
) -> float:
    """Return the C up to which all coefficients of an L1-penalised classifier are zero.

    At zero coefficients the gradient of the loss is proportional to ``y' X``, and the penalty
    outweighs it as long as ``C`` times its largest entry is at most 1.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Features.
    y : array of shape (n_samples,)
        The class of each row; with more than two, each is taken against the others.
    loss : {"squared_hinge", "log"}, default="squared_hinge"
        The loss: of linear support vector machines, or of logistic regression.
    fit_intercept : bool, default=True
        Whether the model has an intercept, which is penalised too, as by liblinear.
    intercept_scaling : float, default=1.0
        The constant column whose coefficient the intercept is, > 0.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.svm import l1_min_c
    >>> l1_min_c([[-1.0, 0.5], [2.0, 0.0], [1.0, -1.0]], [0, 1, 1])
    0.125
    """
    check_arguments(
        "l1_min_c",
        loss=(loss, OneOf("squared_hinge", "log")),
        fit_intercept=(fit_intercept, Boolean()),
        intercept_scaling=(intercept_scaling, Real(0.0, closed="neither")),
    )
    X = check_array(X, accept_sparse=("csr", "csc"))
    check_consistent_length(X, y)
    classes, codes = encode_labels(check_y(y))
    positive = [1] if len(classes) == 2 else range(len(classes))
    signs = np.array([np.where(codes == k, 1.0, -1.0) for k in positive])
    largest = float(np.abs(signs @ X).max())
    if fit_intercept:
        largest = max(largest, intercept_scaling * float(np.abs(signs.sum(axis=1)).max()))
    if largest == 0.0:
        raise ValueError(
            "Ill-posed l1_min_c calculation: l1 will always select zero coefficients for this data"
        )
    return (0.5 if loss == "squared_hinge" else 2.0) / largest
