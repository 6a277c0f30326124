"""LambdaMART: queries, the loss of an order, and the measures of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.metrics import Metric, checked_metrics
from gramian._boosting.rows import Part
from gramian._typing import Floats, Singles
from gramian.config import core_context
from gramian.validation import check_consistent_length, column_or_1d

__all__ = [
    "RankLoss",
    "Ranked",
    "WithinQueries",
    "measure_of",
    "rank_metrics",
    "rows_of_queries",
    "with_queries",
]

Offsets = NDArray[np.int64]

_EVERY_PLACE = 1 << 40
_MEASURES = ("ndcg", "map")


@dataclass(frozen=True)
class Ranked:
    """Relevances of rows that stand query by query; those of query q begin at ``offsets[q]``."""

    relevance: Floats
    offsets: Offsets


def measure_of(measure: str, truncation: int | None, rows: Ranked, scores: Floats) -> Floats:
    """Return the measure of each query in the order of the scores; 1 if nothing is relevant."""
    values = np.empty(len(rows.offsets) - 1)
    _core.boost_rank_measure(
        measure,
        truncation or _EVERY_PLACE,
        1.0,
        rows.relevance,
        rows.offsets,
        np.ascontiguousarray(scores),
        values,
        core_context(),
    )
    return values


class WithinQueries:
    """What losses share that look at differences of scores within a query only."""

    parameter = 0.0
    n_groups = 1
    self_concordance = None  # not a loss of each row alone

    def renewal_of(self, group: int) -> float | None:
        """Return None: leaves are Newton steps."""
        return None

    def baseline(self, y: Floats, weight: Floats | None) -> Floats:
        """Return zero: only differences of scores count."""
        return np.zeros(1)


@dataclass(frozen=True)
class RankLoss(WithinQueries):
    """LambdaMART's loss: pairs of one query, weighted by what their exchange would change.

    Attributes
    ----------
    measure : {"ndcg", "map", "pairwise"}
        What the exchange changes; "pairwise": nothing, all pairs count alike.
    truncation : int
        Pairs with a row among so many first ones count.
    offsets : ndarray of shape (n_queries + 1,)
        Where queries begin, and the last ends.
    normalises : bool, default=True
        Whether the derivatives of a query are divided by the sum of its pairs, so that long ones
        do not outweigh others.
    divides_by_gap : bool, default=False
        Whether a pair counts the less the further apart its scores are.
    """

    measure: str
    truncation: int
    offsets: Offsets
    normalises: bool = True
    divides_by_gap: bool = False

    name = "lambdarank"
    has_unit_hessian = False

    def differentiate(
        self, y: Floats, scores: Floats, gradient: Singles, hessian: Singles | None, ctx: Any
    ) -> None:
        """Write first and second derivatives."""
        assert hessian is not None
        _core.boost_lambdas(
            self.measure,
            self.truncation,
            self.normalises,
            self.divides_by_gap,
            y,
            self.offsets,
            scores[0],
            gradient[0],
            hessian[0],
            ctx,
        )

    def mean(self, y: Floats, weight: Floats | None, scores: Floats, ctx: Any) -> float:
        """Return what the mean of the measure over the queries is short of 1."""
        rows = Ranked(y, self.offsets)
        measure = "ndcg" if self.measure == "pairwise" else self.measure
        return 1.0 - float(measure_of(measure, self.truncation, rows, scores[0]).mean())


# -- metrics ---------------------------------------------------------------------------------------


def rank_metrics(given: Any) -> list[Metric]:
    """Return the measures that the user names: "ndcg", "map", "ndcg@5", or functions."""
    if given is None:
        given = "ndcg"
    items = [given] if isinstance(given, str) or callable(given) else list(given)
    return checked_metrics([_metric_of(item) for item in items])


def _metric_of(item: Any) -> Metric:
    if callable(item):
        return _of_user(item)
    measure, _, places = str(item).partition("@")
    if item == "loss":
        return Metric("loss", None)
    if measure not in _MEASURES or (places and not (places.isdigit() and int(places))):
        raise ValueError(
            "eval_metric must be a callable, 'loss', 'ndcg' or 'map', the latter two also with "
            f"the number of places that count, as in 'ndcg@5'. Got {item!r}."
        )
    truncation = int(places) if places else None

    def judge(rows: Ranked, scores: Floats, weight: Floats | None) -> float:
        return float(measure_of(measure, truncation, rows, scores).mean())

    return Metric(str(item), judge, True)


def _of_user(function: Callable[..., Any]) -> Metric:
    def judge(rows: Ranked, scores: Floats, weight: Floats | None) -> Any:
        return function(rows.relevance, scores, rows.offsets)

    return Metric(getattr(function, "__name__", type(function).__name__), judge)


# -- queries ---------------------------------------------------------------------------------------


def with_queries(part: Part, qid: Any, group: Any) -> Part:
    """Return rows brought together query by query; without any hint they are one query.

    Parameters
    ----------
    part : Part
        The rows in the user's order.
    qid : array-like of shape (n_samples,) or None
        The query of each row.
    group : array-like of int or None
        Sizes of the queries, whose rows follow each other.
    """
    n_samples = part.X.shape[0]
    if qid is not None and group is not None:
        raise ValueError("Pass either qid, the query of each row, or group, the queries' sizes.")
    if qid is None:
        sizes = np.asarray([n_samples] if group is None else group)
        if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes <= 0).any():
            raise ValueError("group must hold the sizes of the queries, positive whole numbers.")
        if sizes.sum() != n_samples:
            raise ValueError(
                f"group must add up to the number of rows, {n_samples}. Got {int(sizes.sum())}."
            )
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return Part(part.X, part.y, part.weight, offsets)
    queries = column_or_1d(qid)
    check_consistent_length(part.X, queries)
    _, codes, sizes = np.unique(queries, return_inverse=True, return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ordered = part
    if (np.diff(codes) < 0).any():
        ordered = part.take(np.argsort(codes, kind="stable"))
    return Part(ordered.X, ordered.y, ordered.weight, offsets)


def rows_of_queries(part: Part, is_kept: NDArray[np.bool_]) -> Part:
    """Return some of the rows, and the queries that still have any."""
    assert part.offsets is not None
    n_queries = len(part.offsets) - 1
    numbers = np.repeat(np.arange(n_queries), np.diff(part.offsets))
    sizes = np.bincount(numbers[is_kept], minlength=n_queries)
    rows = part.take(np.flatnonzero(is_kept))
    offsets = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64)
    return Part(rows.X, rows.y, rows.weight, offsets)
