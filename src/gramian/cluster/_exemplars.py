"""Affinity propagation on a matrix of similarities."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._interrupt import interruptible
from gramian._memory import available_bytes
from gramian._rows import row_slices
from gramian._typing import Floats
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared

__all__ = ["Exemplars", "find_exemplars", "require_memory"]

Indices = NDArray[np.intp]

_MATRICES = 3  # similarities, availabilities, responsibilities


@dataclass(frozen=True)
class Exemplars:
    """Rows that stand for others, and which of them each row has.

    Attributes
    ----------
    indices : ndarray of shape (n_clusters,)
        Numbers of the exemplars, ascending.
    labels : ndarray of shape (n_samples,)
        Place in `indices` of the exemplar of each row, -1 if there are none.
    n_iter : int
        Passes of the messages.
    certificate : Certificate
        What one exemplar more or less would do to the sum of similarities.
    """

    indices: Indices
    labels: NDArray[np.int64]
    n_iter: int
    certificate: Certificate


def require_memory(n: int, n_held: int) -> None:
    """Raise MemoryError if the matrices that are not held yet would not find room."""
    needed, available = 8 * (_MATRICES - n_held) * n * n, available_bytes()
    if available is not None and needed > available:
        raise MemoryError(
            f"The messages between {n} rows take {needed / 2**30:.1f} GiB, of which "
            f"{available / 2**30:.1f} are available. Birch or MiniBatchKMeans make fewer rows of "
            "many."
        )


def find_exemplars(
    S: NDArray[Any],
    preference: Any,
    rng: np.random.RandomState,
    *,
    damping: float,
    max_iter: int,
    convergence_iter: int,
) -> Exemplars:
    """Pass messages until the exemplars stay; `S` takes the preferences and a little noise."""
    n = len(S)
    preferences = _preferences(S, preference)
    if n == 1 or _are_all_equal(S, preferences):
        return _arbitrary(S, preferences)
    S.flat[:: n + 1] = preferences
    _break_ties(S, rng)
    similarities = S.astype(np.float64, order="C", copy=False)
    require_memory(n, 1)
    is_exemplar = np.empty(n, dtype=np.uint8)
    n_iter, is_converged = _core.propagate_affinity(
        similarities,
        damping=damping,
        max_iter=max_iter,
        convergence_iter=convergence_iter,
        A=np.zeros((n, n)),
        R=np.zeros((n, n)),
        is_exemplar=is_exemplar,
        ctx=core_context(),
    )
    chosen = np.flatnonzero(is_exemplar)
    _warn_of(len(chosen), is_converged)
    if len(chosen) == 0:
        statement = f"no exemplars after {n_iter} iterations: the messages did not settle"
        none = Certificate(0.0, 1.0, False, statement, n_iter)
        return Exemplars(chosen, np.full(n, -1, dtype=np.int64), n_iter, none)
    indices, labels = _refined(similarities, chosen)
    return Exemplars(
        indices, labels, n_iter, _certify(similarities, indices, labels, n_iter, is_converged)
    )


def _preferences(S: NDArray[Any], preference: Any) -> NDArray[Any]:
    """Return the preferences: one for each row, or one for all in an array of one."""
    if preference is None:
        return np.atleast_1d(interruptible(S.size, np.median, S))
    given: NDArray[Any] = np.atleast_1d(np.asarray(preference))
    if given.ndim != 1 or len(given) not in (1, len(S)):
        raise ValueError(
            f"preference must be one number or one for each of the {len(S)} rows. Got an array of "
            f"shape {given.shape}."
        )
    return given


def _are_all_equal(S: NDArray[Any], preferences: NDArray[Any]) -> bool:
    """Tell whether no row differs from another, by similarities nor by preferences."""
    if (preferences != preferences[0]).any():
        return False
    for part in row_slices(len(S), len(S)):
        is_other = S[part] != S[0, 1]
        place = np.arange(len(is_other))
        is_other[place, part.start + place] = False
        if is_other.any():
            return False
    return True


def _arbitrary(S: NDArray[Any], preferences: NDArray[Any]) -> Exemplars:
    warnings.warn(
        "All samples have mutually equal similarities. Returning arbitrary cluster center(s).",
        stacklevel=4,
    )
    n = len(S)
    each_alone = bool(preferences[0] > S.flat[n - 1])
    indices = np.arange(n if each_alone else 1)
    labels = np.arange(n) if each_alone else np.zeros(n, dtype=np.int64)
    statement = "all rows are equally similar: any exemplars are as good"
    return Exemplars(indices, labels, 0, Certificate(0.0, 0.0, True, statement))


def _break_ties(S: NDArray[Any], rng: np.random.RandomState) -> None:
    """Add noise of the size of rounding, drawn as scikit-learn draws it, in blocks of rows."""
    kind = np.finfo(S.dtype)
    for part in row_slices(len(S), len(S)):
        rows = S[part]
        rows += (kind.eps * rows + kind.tiny * 100) * rng.standard_normal(size=rows.shape)


def _warn_of(n_exemplars: int, is_converged: bool) -> None:
    if n_exemplars and is_converged:
        return
    what = "may return degenerate cluster centers and labels"
    if not n_exemplars:
        what = "will not have any cluster centers"
    joined = ", this model" if n_exemplars else " and this model"
    warnings.warn(
        f"Affinity propagation did not converge{joined} {what}.",
        shared(ConvergenceWarning),
        stacklevel=5,
    )


def _refined(S: Floats, chosen: Indices) -> tuple[Indices, NDArray[np.int64]]:
    """Move each exemplar to the row that its cluster is most similar to, and label by them."""
    nearest = _most_similar(S, chosen)
    refined = chosen.copy()
    order = np.argsort(nearest, kind="stable")
    ends = np.searchsorted(nearest[order], np.arange(len(chosen) + 1))
    for k in range(len(chosen)):
        members = order[ends[k] : ends[k + 1]]
        sums = np.zeros(len(members))
        for part in row_slices(len(members), len(S)):
            sums += np.sum(S[members[part]][:, members], axis=0)
        refined[k] = members[sums.argmax()]
    of_row = refined[_most_similar(S, refined)]
    indices = np.unique(of_row)
    return indices, np.searchsorted(indices, of_row).astype(np.int64)


def _most_similar(S: Floats, exemplars: Indices) -> Indices:
    """Return the place of each row's exemplar; exemplars have themselves."""
    places = np.empty(len(S), dtype=np.intp)
    for part in row_slices(len(S), len(exemplars)):
        places[part] = S[part][:, exemplars].argmax(axis=1)
    places[exemplars] = np.arange(len(exemplars))
    return places


def _certify(
    S: Floats, indices: Indices, labels: NDArray[np.int64], n_iter: int, is_converged: bool
) -> Certificate:
    """Return what the similarities to the exemplars sum up to, and how that could be raised."""
    n = len(S)
    own = S[np.arange(n), indices[labels]]
    total = float(own.sum())
    gain = max(_gain_of_one_more(S, own, indices), _gain_of_one_less(S, own, indices, labels))
    relative = max(gain, 0.0) / max(abs(total), np.finfo(np.float64).tiny)
    how = "after" if is_converged else "when the messages had not settled after"
    statement = (
        f"{len(indices)} exemplars {how} {n_iter} iterations; one more or one less would raise the "
        f"sum of similarities by {relative:.1e} of itself at most"
    )
    return Certificate(-total, relative, is_converged, statement, n_iter)


def _gain_of_one_more(S: Floats, own: Floats, indices: Indices) -> float:
    """Return the most that another exemplar would add: rows that gain move to it."""
    gains = np.zeros(len(S))
    moves = np.ones(len(S), dtype=bool)
    moves[indices] = False
    for part in row_slices(len(S), len(S)):
        above = np.maximum(S[part] - own[part, None], 0.0)
        above[~moves[part]] = 0.0
        place = np.arange(len(above))
        above[place, part.start + place] = S[part].diagonal(part.start) - own[part]
        gains += above.sum(axis=0)
    gains[indices] = -np.inf
    return float(gains.max())


def _gain_of_one_less(S: Floats, own: Floats, indices: Indices, labels: NDArray[np.int64]) -> float:
    """Return the most that one exemplar's end would add: its rows move to their second best."""
    if len(indices) == 1:
        return -np.inf
    gains = np.zeros(len(indices))
    for part in row_slices(len(S), len(indices)):
        others = S[part][:, indices]
        others[np.arange(len(others)), labels[part]] = -np.inf
        step = others.max(axis=1) - own[part]
        gains += np.bincount(labels[part], weights=step, minlength=len(indices))
    return float(gains.max())
