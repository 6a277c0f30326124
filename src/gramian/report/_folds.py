"""Which rows judge a model, and which it is fitted to before."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from gramian.report._features import count_rows
from gramian.report._problem import Problem
from gramian.report._reading import TableError
from gramian.report._results import Settings

Split = tuple[NDArray[np.intp], NDArray[np.intp]]

_ENOUGH_ROWS = 20_000  # from here on the intervals are narrow after one round of folds
_N_BLOCKS = 50  # of rows in the order of time, taken for independent


@dataclass(frozen=True, eq=False)
class Folds:
    """The training and test parts that all models share.

    Attributes
    ----------
    splits : sequence of (train, test)
        Row numbers; the test parts of one round do not overlap.
    n_repeats : int
        How many rounds there are.
    explanation : str
        How the rows were dealt out and why, in a sentence.
    tested : ndarray of int
        The rows that are in a test part.
    units : ndarray of int or None
        For each tested row the number of its independent unit, a group or a stretch of time. None
        if each row is one.
    """

    splits: Sequence[Split]
    n_repeats: int
    explanation: str
    tested: NDArray[np.intp]
    units: NDArray[np.intp] | None = None

    @property
    def n_folds(self) -> int:
        """The number of test parts of a round."""
        return len(self.splits) // self.n_repeats

    def first(self, n_splits: int) -> "Folds":
        """Return the folds up to a number; after the first round whole rounds of them."""
        if n_splits >= self.n_folds:
            n_splits -= n_splits % self.n_folds
        if n_splits == len(self.splits):
            return self
        splits = self.splits[:n_splits]
        is_kept = np.isin(self.tested, np.concatenate([test for _, test in splits]))
        units = self.units
        if units is not None:
            units = np.unique(units[is_kept], return_inverse=True)[1]
        return Folds(
            splits,
            max(1, n_splits // self.n_folds),
            f"the first {n_splits} of {self.explanation}",
            self.tested[is_kept],
            units,
        )


def make_folds(problem: Problem, settings: Settings) -> Folds:
    """Choose the folds that tell how models do on the new rows they will meet."""
    if problem.is_test is not None:
        return _from_test_file(problem)
    _check_rows(problem, settings.cv)
    if problem.time_column is not None:
        return _in_time(problem, settings)
    if problem.groups is not None:
        return _of_groups(problem, settings)
    return _at_random(problem, settings)


def _from_test_file(problem: Problem) -> Folds:
    assert problem.is_test is not None
    train, test = np.flatnonzero(~problem.is_test), np.flatnonzero(problem.is_test)
    words = (
        f"{len(test)} rows of the test file judge models fitted to the {len(train)} of the table"
    )
    return Folds([(train, test)], 1, words, test)


def _in_time(problem: Problem, settings: Settings) -> Folds:
    splits = list(TimeSeriesSplit(settings.cv).split(problem.X))
    tested = np.concatenate([test for _, test in splits])
    blocks = min(_N_BLOCKS, len(tested) // 2)
    words = (
        f"{settings.cv} folds in the order of {problem.time_column!r}: each test part comes after "
        "the rows that models were fitted to, as new rows will"
    )
    units = np.arange(len(tested)) * blocks // len(tested)
    return Folds(splits, 1, words, tested, units)


def _of_groups(problem: Problem, settings: Settings) -> Folds:
    assert problem.groups is not None
    n_groups, cv = int(problem.groups.max()) + 1, settings.cv
    if n_groups < cv:
        raise TableError(
            f"{problem.group!r} has {n_groups} groups, too few for {cv} folds; use --cv {n_groups}."
            if n_groups > 1
            else f"{problem.group!r} has one group only; folds of groups need two or more."
        )
    is_regression = problem.task == "regression"
    splitter = GroupKFold if is_regression else StratifiedGroupKFold
    n_repeats = settings.repeats or _usual_repeats(problem)
    splits = [
        split
        for repeat in range(n_repeats)
        for split in splitter(cv, shuffle=True, random_state=settings.seed + repeat).split(
            problem.X, problem.y, problem.groups
        )
    ]
    words = (
        f"{_count(cv, n_repeats)} of whole groups ({n_groups} of {problem.group!r}): models are "
        "judged by groups that they have not seen"
    )
    return Folds(splits, n_repeats, words, np.arange(problem.n_rows), problem.groups)


def _at_random(problem: Problem, settings: Settings) -> Folds:
    is_regression = problem.task == "regression"
    splitter: Any = KFold if is_regression else StratifiedKFold
    n_repeats = settings.repeats or _usual_repeats(problem)
    splits = [
        split
        for repeat in range(n_repeats)
        for split in splitter(settings.cv, shuffle=True, random_state=settings.seed + repeat).split(
            problem.X, problem.y
        )
    ]
    how = "at random" if is_regression else "at random, each with its share of every class"
    words = f"{_count(settings.cv, n_repeats)} {how}: each row is predicted by models without it"
    return Folds(splits, n_repeats, words, np.arange(problem.n_rows))


def _usual_repeats(problem: Problem) -> int:
    return 1 if problem.n_rows > _ENOUGH_ROWS else 2


def _count(cv: int, n_repeats: int) -> str:
    return f"{cv} x {n_repeats} folds" if n_repeats > 1 else f"{cv} folds"


def _check_rows(problem: Problem, n_folds: int) -> None:
    if problem.n_rows < 2 * n_folds:
        raise TableError(
            f"{problem.n_rows} rows are too few for {n_folds} folds of two rows or more; "
            "use fewer folds or more rows."
        )
    if problem.task == "classification":
        least = np.unique(problem.y, return_counts=True)[1].min()
        if least < n_folds:
            raise TableError(
                f"the rarest class of {problem.target!r} has {count_rows(least)}, too few for "
                f"{n_folds} folds; merge rare classes or use fewer folds."
            )
