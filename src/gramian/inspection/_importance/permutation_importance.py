"""What a model's score loses when a column is shuffled."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame
from gramian._drawing import Backend
from gramian._draws import random_state_of, sample_without_replacement
from gramian._labels import as_label_array
from gramian._parts import run_parts
from gramian._rows import take_rows
from gramian.base import is_classifier
from gramian.config import n_workers_for
from gramian.datasets import Bunch
from gramian.inspection._columns import Columns, columns_of, default_names
from gramian.metrics import check_scoring
from gramian.params import Arrays, Estimator, Integer, Nothing, RandomState, Real, check_arguments
from gramian.validation import check_array, check_consistent_length

N_BLOCKS = 10
"""Parts of the rows whose scores, one by one, tell how sure an importance is."""

_SEEDS = np.iinfo(np.int32).max + 1


class Importances(Bunch):
    """Importances of features: what `permutation_importance` returns.

    Attributes
    ----------
    importances_mean, importances_std : ndarray of shape (n_features,)
        Mean and standard deviation over the repeats.
    importances : ndarray of shape (n_features, n_repeats)
        The loss of score in each repeat.
    importances_ci : ndarray of shape (n_features, 2)
        Confidence intervals of the means, if a `confidence_level` was given.
    features : list
        Names of the features, or of the groups.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.inspection import permutation_importance
    >>> from gramian.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> result = permutation_importance(Ridge().fit(X, y), X, y, random_state=0)
    >>> result.frame()["feature"].head(2).tolist()
    ['bmi', 's5']
    """

    def frame(self, backend: Backend = "pandas") -> Any:
        """Return the features with mean, standard deviation and interval, most important first.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the data frame.
        """
        import narwhals as nw

        order = np.argsort(-self.importances_mean, kind="stable")
        columns = {
            "feature": [str(self.features[row]) for row in order],
            "mean": self.importances_mean[order],
            "std": self.importances_std[order],
        }
        if "importances_ci" in self:
            columns |= dict(zip(("lower", "upper"), self.importances_ci[order].T, strict=True))
        return nw.from_dict(columns, backend=backend).to_native()


@dataclass(frozen=True)
class _Task:
    """Everything that the score of a shuffled column depends on, besides the column."""

    estimator: Any
    X: Any
    y: Any
    sample_weight: Any
    scorer: Any
    seed: int
    n_repeats: int
    n_drawn: int
    n_blocks: int


def permutation_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
    sample_weight: Any = None,
    max_samples: float = 1.0,
    groups: Any = None,
    confidence_level: float | None = None,
) -> Any:
    """Measure how much a fitted model depends on each feature.

    The importance of a feature is the score on `X` and `y` less the score after the values of
    that feature are shuffled among the rows, which breaks its link with the target and with the
    other features.

    Parameters
    ----------
    estimator : fitted estimator
    X : array-like or data frame of shape (n_samples, n_features)
        The rows to score: held-out rows tell what helps on new data, the training rows what the
        fit has used.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), or None
        The target; None if the scorer needs none.
    scoring : str, callable, list, tuple, dict or None, default=None
        One scorer, or several: names, or a dict of names with scorers, or a callable that returns
        a dict. None takes the estimator's own ``score``.
    n_repeats : int, default=5
        How often each feature is shuffled.
    n_jobs : int or None, default=None
        Number of workers, through joblib; they share the features out.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffles. All features are shuffled alike.
    sample_weight : array-like of shape (n_samples,), optional
        Weights for the scorer.
    max_samples : int or float, default=1.0
        Number, or share, of the rows on which the shuffled features are scored.
    groups : dict of str to columns, or list of columns, optional
        Columns that are shuffled together, by name or position: a model can replace a shuffled
        column by others that resemble it, and all of them then look unimportant. There is one
        importance for each group, then for each column in no group.
    confidence_level : float, optional
        Between 0 and 1: adds `importances_ci`, an interval for the importance on new rows. The
        rows are cut at random into ten blocks, each is scored alone, and the spread of the
        blocks' importances gives the interval (by Student's t). It takes twice as long.

    Returns
    -------
    Importances or dict of str to Importances
        With `importances_mean`, `importances_std`, `importances`, and ``frame()``; for several
        scorers a dict of them by name.

    References
    ----------
    Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.inspection import permutation_importance
    >>> from gramian.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> y = 3 * X[:, 0]
    >>> result = permutation_importance(LinearRegression().fit(X, y), X, y, random_state=0)
    >>> bool(result.importances_mean[0] > 1), bool(abs(result.importances_mean[1]) < 1e-12)
    (True, True)
    """
    optional = Arrays() | Nothing()
    check_arguments(
        "permutation_importance",
        estimator=(estimator, Estimator(("fit",))),
        y=(y, optional),
        n_repeats=(n_repeats, Integer(1)),
        n_jobs=(n_jobs, Integer(-math.inf) | Nothing()),
        random_state=(random_state, RandomState()),
        sample_weight=(sample_weight, optional),
        confidence_level=(confidence_level, Real(0.0, 1.0, closed="neither") | Nothing()),
    )
    if as_frame(X) is None:
        X = check_array(X, dtype=None, ensure_all_finite="allow-nan")
    check_consistent_length(X, y, sample_weight)
    table = columns_of(X)
    chosen = _groups(groups, table)
    task = _Task(
        estimator,
        X,
        y,
        sample_weight,
        check_scoring(estimator, scoring=scoring),
        int(random_state_of(random_state).randint(_SEEDS)),
        n_repeats,
        _n_drawn(max_samples, table.n_rows),
        0 if confidence_level is None else N_BLOCKS,
    )
    _check_blocks(task)
    whole = _score(task, X, y, sample_weight)
    scored = _shuffled_scores(task, list(chosen.values()), n_jobs)
    if not isinstance(whole, dict):
        return _importances(list(chosen), whole, *scored, confidence_level)
    return {
        name: _importances(
            list(chosen), whole[name], _of(scored[0], name), _of(scored[1], name), confidence_level
        )
        for name in whole
    }


# -- arguments -------------------------------------------------------------------------------------


def _n_drawn(max_samples: float, n_rows: int) -> int:
    """Return the number of rows on which shuffled columns are scored."""
    if not Integer().accepts(max_samples):
        allowed = Real(0.0, 1.0, closed="right")
        check_arguments("permutation_importance", max_samples=(max_samples, allowed))
        drawn = int(max_samples * n_rows)
        if drawn == 0:
            raise ValueError(f"max_samples={max_samples} of {n_rows} rows leaves none; raise it.")
        return drawn
    check_arguments("permutation_importance", max_samples=(max_samples, Integer(1)))
    if max_samples > n_rows:
        raise ValueError(f"max_samples must be <= n_samples. Got {max_samples} of {n_rows} rows.")
    return int(max_samples)


def _check_blocks(task: _Task) -> None:
    if task.n_drawn < 2 * task.n_blocks:
        raise ValueError(
            f"confidence_level needs at least {2 * task.n_blocks} rows, two for each of "
            f"{task.n_blocks} blocks. Got {task.n_drawn}."
        )


def _groups(groups: Any, table: Columns) -> dict[Any, list[int]]:
    """Return name and columns of each group; a column in no group is one by itself."""
    names = default_names(table)
    chosen: dict[Any, list[int]] = {}
    if groups is not None:
        listed = isinstance(groups, Mapping)
        for label, columns in groups.items() if listed else ((None, part) for part in groups):
            single = isinstance(columns, (str, numbers.Integral))
            positions = [_position(c, names) for c in ([columns] if single else columns)]
            if not positions:
                raise ValueError(f"groups: {label or 'a group'} has no columns.")
            joined = " + ".join(str(names[position]) for position in positions)
            chosen[joined if label is None else label] = positions
    grouped = [position for positions in chosen.values() for position in positions]
    twice = sorted({str(names[p]) for p in grouped if grouped.count(p) > 1})
    if twice:
        raise ValueError(f"groups: a column belongs to one group only; {', '.join(twice)} to more.")
    return chosen | {n: [p] for p, n in enumerate(names) if p not in set(grouped)}


def _position(column: Any, names: Sequence[Any]) -> int:
    if column in names and not isinstance(column, (bool, np.bool_)):
        return list(names).index(column)
    if Integer().accepts(column) and -len(names) <= column < len(names):
        return int(column) % len(names)
    raise ValueError(f"groups: {column!r} is no column of X; it has {', '.join(map(str, names))}.")


# -- scores ----------------------------------------------------------------------------------------


def _score(task: _Task, X: Any, y: Any, sample_weight: Any) -> Any:
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    return task.scorer(task.estimator, X, y, **options)


def _shuffled_scores(
    task: _Task, groups: list[list[int]], n_jobs: int | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return scores (groups, repeats), and losses of score (groups, repeats, blocks)."""
    from joblib import effective_n_jobs

    n_parts = min(len(groups), effective_n_jobs(n_workers_for(n_jobs)))
    bounds = np.linspace(0, len(groups), n_parts + 1).astype(int)
    parts = [groups[start:stop] for start, stop in pairwise(bounds)]
    done = run_parts(_scores_of_part, [(task, part) for part in parts], n_jobs)
    scores, losses = (np.concatenate(kind) for kind in zip(*done, strict=True))
    return scores, losses


def _scores_of_part(task: _Task, groups: list[list[int]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores of some groups; the shuffles are the same for all of them."""
    source = np.random.RandomState(task.seed)
    table, y, weight = columns_of(task.X), task.y, task.sample_weight
    if task.n_drawn < table.n_rows:
        rows = sample_without_replacement(source, table.n_rows, task.n_drawn)
        table = table.rows(rows)
        y, weight = (None if part is None else take_rows(part, rows) for part in (y, weight))
    blocks = _blocks(task, y)
    before = _block_scores(task, table.data, y, weight, blocks)
    scores: list[list[Any]] = [[] for _ in groups]
    losses: list[list[Any]] = [[] for _ in groups]
    shuffle, order = np.arange(table.n_rows), np.arange(table.n_rows)
    for _ in range(task.n_repeats):
        source.shuffle(shuffle)
        order = order[shuffle]  # each repeat shuffles what the one before has left
        for columns, scores_of, losses_of in zip(groups, scores, losses, strict=True):
            X = table.permuted(columns, order)
            scores_of.append(_score(task, X, y, weight))
            after = _block_scores(task, X, y, weight, blocks)
            losses_of.append([_minus(b, a) for b, a in zip(before, after, strict=True)])
    return np.array(scores), np.array(losses)


def _blocks(task: _Task, y: Any) -> list[NDArray[np.intp]]:
    """Return the rows of each block, with the classes of a classifier spread evenly.

    The stream is one of its own, lest the shuffles change.
    """
    order = np.random.RandomState((task.seed + 1) % _SEEDS).permutation(task.n_drawn)
    if task.n_blocks and y is not None and is_classifier(task.estimator):
        codes = np.unique(as_label_array(y), return_inverse=True)[1]
        if codes.size == task.n_drawn:  # one label for each row
            order = order[np.argsort(codes.ravel()[order], kind="stable")]
    return [order[block :: task.n_blocks] for block in range(task.n_blocks)]


def _block_scores(task: _Task, X: Any, y: Any, weight: Any, blocks: list[Any]) -> list[Any]:
    parts = [
        [None if part is None else take_rows(part, rows) for part in (X, y, weight)]
        for rows in blocks
    ]
    return [_score(task, *part) for part in parts]


def _minus(before: Any, after: Any) -> Any:
    if isinstance(before, dict):
        return {name: before[name] - after[name] for name in before}
    return before - after


def _of(scores: NDArray[Any], name: str) -> NDArray[np.float64]:
    """Return the scores of one of several scorers."""
    flat = [score[name] for score in scores.ravel()]
    return np.array(flat, dtype=np.float64).reshape(scores.shape)


def _importances(
    features: list[Any],
    whole: Any,
    scores: NDArray[Any],
    losses: NDArray[Any],
    confidence_level: float | None,
) -> Importances:
    importances = whole - scores
    result = Importances(
        importances_mean=np.mean(importances, axis=1),
        importances_std=np.std(importances, axis=1),
        importances=importances,
        features=features,
    )
    if confidence_level is not None:
        from scipy.special import stdtrit

        spread = losses.mean(axis=1).std(axis=1, ddof=1) / math.sqrt(N_BLOCKS)
        half = stdtrit(N_BLOCKS - 1, (1.0 + confidence_level) / 2.0) * spread
        mean = result.importances_mean
        result.importances_ci = np.column_stack([mean - half, mean + half])
    return result
