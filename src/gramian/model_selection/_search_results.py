"""The table of a search: means, deviations, ranks and parameters of all candidates."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.model_selection._fit_score import Outcome, scores_by_name

_TIMES = ("fit_time", "score_time")

TIME_COLUMNS = tuple(f"{moment}_{name}" for name in _TIMES for moment in ("mean", "std"))
"""The columns of the table that differ between equal searches."""


def results_table(
    candidates: list[dict[str, Any]],
    outcomes: list[Outcome],
    more: dict[str, list[Any]],
    *,
    with_train_score: bool,
) -> dict[str, Any]:
    """Return ``cv_results_``; the outcomes are ordered by candidate, then by split."""
    results: dict[str, Any] = {name: np.asarray(values) for name, values in more.items()}
    n_candidates = len(candidates)
    for name in _TIMES:
        times = np.array([getattr(outcome, name) for outcome in outcomes])
        _store_moments(results, name, times.reshape(n_candidates, -1))
    results |= _parameter_columns(candidates)
    results["params"] = candidates
    test = scores_by_name([outcome.test_scores for outcome in outcomes])
    train = {}
    if with_train_score:
        train = scores_by_name([outcome.train_scores for outcome in outcomes])
    for name in test:
        means = _store_scores(results, f"test_{name}", test[name].reshape(n_candidates, -1))
        results[f"rank_test_{name}"] = _ranks(means)
        if name in train:
            _store_scores(results, f"train_{name}", train[name].reshape(n_candidates, -1))
    return results


def _store_scores(results: dict[str, Any], name: str, scores: NDArray[Any]) -> NDArray[Any]:
    scores = scores.astype(np.float64)
    for split, values in enumerate(scores.T):
        results[f"split{split}_{name}"] = values.copy()
    means = _store_moments(results, name, scores)
    if not np.isfinite(means).all():
        warnings.warn(
            f"One or more of the {name.partition('_')[0]} scores are non-finite: {means}",
            UserWarning,
            stacklevel=5,
        )
    return means


def _store_moments(results: dict[str, Any], name: str, values: NDArray[Any]) -> NDArray[Any]:
    means: NDArray[Any] = values.mean(axis=1)
    results[f"mean_{name}"] = means
    with np.errstate(invalid="ignore"):
        results[f"std_{name}"] = np.sqrt(np.mean((values - means[:, None]) ** 2, axis=1))
    return means


def _ranks(means: NDArray[Any]) -> NDArray[np.int32]:
    """Return 1 for the highest mean; equal ones share the best rank, NaN is last."""
    if np.isnan(means).all():
        return np.ones(len(means), dtype=np.int32)
    losses = -np.where(np.isnan(means), np.nanmin(means) - 1, means)
    return (1 + np.searchsorted(np.sort(losses), losses, side="left")).astype(np.int32)


def _parameter_columns(candidates: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a masked array for each parameter; candidates without it are masked."""
    found: dict[str, dict[int, Any]] = {}
    for number, candidate in enumerate(candidates):
        for name, value in candidate.items():
            found.setdefault(f"param_{name}", {})[number] = value
    columns = {}
    for name, values in found.items():
        dtype = _common_dtype(list(values.values()))
        column = np.ma.MaskedArray(np.empty(len(candidates), dtype=dtype), mask=True)
        for number, value in values.items():
            column[number] = value
        columns[name] = column
    return columns


def _common_dtype(values: list[Any]) -> np.dtype[Any]:
    try:
        array = np.array(values)
    except ValueError:  # of different lengths
        return np.dtype(object)
    is_plain = array.ndim == 1 and array.dtype.kind != "U"
    return array.dtype if is_plain else np.dtype(object)
