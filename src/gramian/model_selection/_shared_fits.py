"""Candidates of a search that are fitted together, because they share most of the work.

An estimator takes part by two methods. ``_shares_fits(candidates)`` tells whether it can fit these
parameter dicts together; ``_fit_candidates(candidates, X, y, **fit_params)`` returns one fitted
estimator for each, the same as single fits would give (up to rounding, where rows are sparse): what
a candidate scores should not depend on those beside it.
"""

import time
from typing import Any

import numpy as np

from gramian._rows import rows_of_params, split_rows
from gramian.base import clone
from gramian.config import n_workers_for
from gramian.model_selection._fit_score import (
    Evaluation,
    Outcome,
    fit_and_score,
    print_end,
    print_start,
    score_parts,
)
from gramian.model_selection._split_base import Indices
from gramian.validation import n_samples_of


def shares_fits(
    estimator: Any, candidates: list[dict[str, Any]], n_splits: int, n_jobs: int | None
) -> bool:
    """Tell whether an estimator fits these candidates together, and no worker goes idle by it."""
    can_share = getattr(estimator, "_shares_fits", None)
    if len(candidates) < 2 or can_share is None or not can_share(candidates):
        return False
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_workers_for(n_jobs))) <= n_splits


def fit_and_score_many(
    estimator: Any,
    data: tuple[Any, Any],
    split: tuple[Indices, Indices],
    evaluation: Evaluation,
    candidates: list[dict[str, Any]],
    progress: list[str],
) -> list[Outcome]:
    """Fit all candidates on the training rows at once, and score each on the test rows.

    The time of the fit is shared out evenly. If the common fit fails, every candidate is fitted
    on its own, so that the others do not fail with it.
    """
    X, y = data
    train, test = (np.asarray(rows) for rows in split)
    start = time.perf_counter()
    parts = split_rows(estimator, X, y, train), split_rows(estimator, X, y, test, train)
    fit_params = rows_of_params(X, evaluation.fit_params, train)
    try:
        models = estimator._fit_candidates(candidates, *parts[0], **fit_params)
    except Exception:
        pairs = zip(candidates, progress, strict=True)
        return [
            fit_and_score(clone(estimator), data, split, evaluation, parameters, text)
            for parameters, text in pairs
        ]
    fit_time = (time.perf_counter() - start) / len(models)
    outcomes = []
    for model, parameters, text in zip(models, candidates, progress, strict=True):
        print_start(evaluation, parameters, text)
        outcome = Outcome(fit_time, n_test_samples=n_samples_of(parts[1][0]))
        score_parts(outcome, model, X, (train, test), parts, evaluation)
        outcome.estimator = model if evaluation.with_estimator else None
        print_end(evaluation, parameters, text, outcome)
        outcomes.append(outcome)
    return outcomes
