"""Whether a score could have come about by chance."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._routing import Routed
from gramian._rows import indexable, rows_of_params, split_rows, take_rows
from gramian.base import clone, is_classifier
from gramian.model_selection._arguments import check_arguments
from gramian.model_selection._fit_score import fit_rows
from gramian.model_selection._parallel import run_all
from gramian.model_selection._routes import route_params
from gramian.model_selection._split_base import group_codes
from gramian.model_selection._split_leave import check_cv
from gramian.model_selection._validation import single_scorer
from gramian.validation import check_consistent_length, check_random_state, n_samples_of


def permutation_test_score(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    cv: Any = None,
    n_permutations: int = 100,
    n_jobs: int | None = None,
    random_state: Any = 0,
    verbose: int = 0,
    scoring: Any = None,
    params: dict[str, Any] | None = None,
) -> tuple[float, NDArray[Any], float]:
    """Compare the cross-validated score with those for shuffled targets.

    The p-value is ``(C + 1) / (n_permutations + 1)``, where C is the number of shuffles that
    score at least as well: the chance of such a score if the features say nothing about the target.

    Parameters
    ----------
    estimator, X, y, cv, n_jobs, verbose, params
        As for `cross_validate`.
    groups : array-like of shape (n_samples,), optional
        The group of each row; targets are shuffled within their group.
    n_permutations : int, default=100
        The number of shuffles.
    random_state : int, RandomState, Generator or None, default=0
        The source of the shuffles.
    scoring : str, callable or None, default=None
        As for `cross_val_score`.

    Returns
    -------
    score : float
        The mean score on the test parts.
    permutation_scores : ndarray of shape (n_permutations,)
        The mean score for each shuffle.
    pvalue : float

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import permutation_test_score
    >>> X, y = load_diabetes(return_X_y=True)
    >>> score, permutation_scores, pvalue = permutation_test_score(Ridge(), X, y, n_permutations=49)
    >>> round(score, 3), pvalue
    (0.41, 0.02)
    """
    check_arguments(
        "permutation_test_score",
        estimator=estimator,
        n_permutations=n_permutations,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        params=params,
    )
    X, y = indexable(X), indexable(y, "y")
    check_consistent_length(X, y)
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    scorer = single_scorer("permutation_test_score", estimator, scoring)
    source = check_random_state(random_state)
    parts = {"estimator": estimator, "splitter": splitter, "scorer": scorer}
    routed = route_params("permutation_test_score", params, groups, **parts)
    check_consistent_length(X, groups)
    common = (splitter, scorer, routed)
    score = _mean_score(clone(estimator), X, y, *common)
    scores = run_all(
        _mean_score,
        (
            (clone(estimator), X, _shuffled(y, groups, source), *common)
            for _ in range(n_permutations)
        ),
        n_jobs=n_jobs,
        verbose=verbose,
    )
    permutation_scores = np.array(scores)
    pvalue = (np.sum(permutation_scores >= score) + 1.0) / (n_permutations + 1)
    return score, permutation_scores, float(pvalue)


def _shuffled(y: Any, groups: Any, source: Any) -> Any:
    if groups is None:
        return take_rows(y, source.permutation(n_samples_of(y)))
    names, codes = group_codes(groups)
    order = np.arange(len(codes))
    for group in range(len(names)):
        members = np.flatnonzero(codes == group)
        order[members] = source.permutation(members)
    return take_rows(y, order)


def _mean_score(estimator: Any, X: Any, y: Any, cv: Any, scorer: Any, routed: Routed) -> float:
    scores = []
    for train, test in cv.split(X, y, **routed["splitter"]["split"]):
        fit_params = rows_of_params(X, routed["estimator"]["fit"], train)
        score_params = rows_of_params(X, routed["scorer"]["score"], test)
        fit_rows(estimator.fit, split_rows(estimator, X, y, train), fit_params)
        test_data = split_rows(estimator, X, y, test, train)
        scores.append(scorer(estimator, *test_data, **score_params))
    return float(np.mean(scores))
