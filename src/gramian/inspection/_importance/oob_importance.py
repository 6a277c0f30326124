"""What a forest loses, on the rows its trees have not seen, when a column is shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._draws import random_state_of
from gramian.inspection._importance.permutation_importance import Importances
from gramian.params import Estimator, Fraction, RandomState, check_arguments


def oob_permutation_importance(
    forest: Any, X: Any, y: Any, random_state: Any = None, *, confidence_level: float = 0.95
) -> Importances:
    """Measure how much a forest depends on each feature, without rows set aside.

    For each tree, the rows that it has not seen are predicted twice: as they are, and with the
    values of one feature shuffled among them. The importance of the feature is by how much that
    raises the loss, the mean over the trees: the fraction of wrong classes, or the squared error
    (Breiman, 2001). Unlike the decrease of impurity it does not favour features of many values.
    Features that resemble one another still hide each other.

    Parameters
    ----------
    forest : fitted RandomForestClassifier, RandomForestRegressor or extra-trees
        With ``bootstrap=True``.
    X : array-like or data frame of shape (n_samples, n_features)
        The rows of the fit, in their order.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Their target.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffles, one for each tree.
    confidence_level : float, default=0.95
        Of the intervals.

    Returns
    -------
    Importances
        With `importances` of shape (n_features, n_trees), `importances_mean`, `importances_std`,
        `importances_ci` (by Student's t over the trees) and ``frame()``.

    References
    ----------
    Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> from gramian.datasets import load_wine
    >>> from gramian.ensemble import RandomForestClassifier
    >>> from gramian.inspection import oob_permutation_importance
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> found = oob_permutation_importance(forest, X, y, random_state=0)
    >>> sorted(found.frame()["feature"].head(3))
    ['color_intensity', 'flavanoids', 'proline']
    """
    check_arguments(
        "oob_permutation_importance",
        forest=(forest, Estimator(("fit", "_oob_shuffled_losses"))),
        random_state=(random_state, RandomState()),
        confidence_level=(confidence_level, Fraction()),
    )
    from scipy.special import stdtrit

    losses = forest._oob_shuffled_losses(X, y, random_state_of(random_state))
    losses = losses[:, np.isfinite(losses).all(axis=0)]
    n_trees = losses.shape[1]
    mean = losses.mean(axis=1)
    deviation = losses.std(axis=1, ddof=1) if n_trees > 1 else np.full(len(mean), np.inf)
    half = stdtrit(max(n_trees - 1, 1), (1.0 + confidence_level) / 2.0) * deviation / n_trees**0.5
    names = getattr(forest, "feature_names_in_", None)
    return Importances(
        importances_mean=mean,
        importances_std=losses.std(axis=1),
        importances=losses,
        importances_ci=np.column_stack([mean - half, mean + half]),
        features=[f"x{j}" for j in range(len(mean))] if names is None else names.tolist(),
    )
