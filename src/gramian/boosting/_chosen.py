"""What is chosen for a table once its rows are known, and the models without a fold each."""

from typing import Any

import numpy as np

from gramian._boosting.categories import TrainingColumns
from gramian._boosting.choice import Choice, TableFacts, choices_for
from gramian._boosting.evaluation import EvalRows, Evaluation
from gramian._boosting.folds import FOLD_PATIENCE, FOLD_TOLERANCE, FoldedRun, folds_of
from gramian._boosting.inputs import Monitor
from gramian._boosting.metrics import metrics_of
from gramian._boosting.progress import Progress
from gramian._boosting.rows import Part
from gramian._levels.matrix import n_levels_of
from gramian.config import get_config

__all__ = ["choice_for", "folded_run", "follow_folds"]

_SHAPE = ("growth", "max_leaves", "max_depth", "split_score", "monotonic_cst")
"""Parameters each of which says how trees grow, if it is given."""


def choice_for(estimator: Any, train: Part, monitor: Monitor, ctx: Any) -> Choice:
    """Return what is chosen for some rows; nothing where the rounds are given, or found otherwise.

    Parameters
    ----------
    estimator : estimator
        A boosted model that knows its columns.
    train : Part
        The rows.
    monitor : Monitor
        What is followed while the model grows.
    ctx : Context
        With the time limit of the whole fit.
    """
    is_open = estimator.preset is None and estimator.n_estimators is None and estimator.n_folds != 0
    if not is_open or monitor.patience is not None or _reason_against_folds(estimator):
        _check_folds(estimator, monitor)
        return Choice()
    facts = TableFacts.of(
        train.X,
        train.y,
        train.weight,
        estimator._objective(train).n_groups,
        has_classes=_has_classes(estimator),
    )
    has_shape = any(getattr(estimator, name) is not None for name in _SHAPE)
    choices = choices_for(
        facts, may_be_symmetric=not has_shape and not bool(estimator.linear_leaves)
    )
    if len(choices) <= 1 or get_config()["time_limit"] is not None:  # time is for the model itself
        return choices[0] if choices else Choice()
    losses = [_loss_of_fold(estimator, choice, train, ctx) for choice in choices]
    return choices[losses.index(min(losses))]


def _has_classes(estimator: Any) -> bool:
    return bool(estimator._estimator_type == "classifier")


def _reason_against_folds(estimator: Any) -> str | None:
    """Return why models without a fold each cannot be averaged; None if they can."""
    reasons = {
        "BoostingRanker": estimator._estimator_type not in ("classifier", "regressor"),
        "boosting_type='ordered'": estimator.boosting_type == "ordered",
        "DART": estimator.drop_rate > 0.0,
        "warm_start=True": bool(estimator.warm_start),
        "a loss of your own": callable(getattr(estimator, "loss", None)),
    }
    return next((name for name, holds in reasons.items() if holds), None)


def _check_folds(estimator: Any, monitor: Monitor) -> None:
    """Refuse folds that are asked for where there can be none."""
    if not estimator.n_folds:
        return
    reason = _reason_against_folds(estimator)
    if reason is None and monitor.patience is not None:
        reason = "early_stopping_rounds"
    if reason is not None:
        raise ValueError(
            f"n_folds={estimator.n_folds} cannot be used with {reason}. Leave n_folds at None."
        )


def folded_run(
    estimator: Any, train: Part, columns: TrainingColumns | None, n_members: int | None = None
) -> FoldedRun:
    """Return what grows models without a fold each, of which there may be fewer than folds."""
    values, objective = estimator._settings(), estimator._objective(train)
    folds = folds_of(
        train.y,
        train.weight,
        int(values["n_folds"]),
        estimator._seed,
        has_classes=_has_classes(estimator),
    )
    if not all(len(fold) for fold in folds):
        raise ValueError(
            f"n_folds={values['n_folds']} is more than the rows, or than those of each class."
        )
    return FoldedRun(
        train,
        estimator._objective,
        estimator._run_settings(objective, train.X.shape[0], has_statistics=columns is not None),
        folds[:n_members],
        n_levels=n_levels_of(estimator._table_levels, train.X.shape[1]),
        baseline=estimator._baseline(objective),
        columns=columns,
    )


def follow_folds(estimator: Any, run: FoldedRun, evaluation: Evaluation) -> None:
    """Let the rows that the models have left out end the fit."""
    part = run.left_out
    rows = EvalRows(
        "left_out", run.follow_left_out(), estimator._labels(part), estimator._objective(part)
    )
    evaluation.decide_by(rows, FOLD_PATIENCE, FOLD_TOLERANCE)


def _loss_of_fold(estimator: Any, choice: Choice, train: Part, ctx: Any) -> float:
    """Return the least loss of a fold in the rounds of a model that has not seen it."""
    estimator._choice = choice
    run = folded_run(estimator, train, estimator._statistics(train, None), n_members=1)
    evaluation = estimator._evaluation(run, Monitor({}, metrics_of(None, {}), [], None))
    follow_folds(estimator, run, evaluation)

    def ended(number: int) -> str | None:
        return "early stopping" if evaluation.update(number) else None

    progress = Progress(0, 0, int(estimator._settings()["n_estimators"]))
    run.grow(progress, ended=ended, summary=str, ctx=ctx)
    return np.inf if evaluation.best_score is None else evaluation.best_score
