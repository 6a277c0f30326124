"""Metric and non-metric multidimensional scaling by majorisation."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.config import core_context
from gramian.manifold._dissimilarities import require_dissimilarities
from gramian.params import (
    Arrays,
    Boolean,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Real,
    check_arguments,
)
from gramian.validation import check_array

__all__ = ["Majorisation", "Scaled", "smacof"]

_FARTHEST = 1e100  # figures beyond it, or its inverse, are scaled: squares leave the range else


def smacof(
    dissimilarities: Any,
    *,
    metric: bool = True,
    n_components: int = 2,
    init: Any = None,
    n_init: int = 1,
    n_jobs: int | None = None,
    max_iter: int = 300,
    verbose: int = 0,
    eps: float = 1e-6,
    random_state: Any = None,
    return_n_iter: bool = False,
    normalized_stress: bool | str = "auto",
) -> Any:
    """Return points whose distances are near given dissimilarities, by majorisation.

    See `MDS`, which says what is minimised, and how.

    Parameters
    ----------
    dissimilarities : array-like of shape (n_samples, n_samples)
        Symmetric, and none below zero.
    metric : bool, default=True
        Whether distances should be near the dissimilarities, or only in their order.
    n_components : int, default=2
        Number of coordinates; with `init` that many as this has.
    init : array-like of shape (n_samples, n_components), default=None
        Where the points start; None draws them.
    n_init : int, default=1
        Number of drawn starts, of which the one that ends with the least stress is taken.
    n_jobs : int, default=None
        Number of threads; None for what the settings say. The points are the same for any.
    max_iter : int, default=300
        Most steps from a start.
    verbose : int, default=0
        1 prints when steps end early, 2 also the stress after each.
    eps : float, default=1e-6
        Steps end when one lowers the stress by less than this part of the sum of the squared
        distances.
    random_state : int, RandomState, Generator or None, default=None
        Source of the starts.
    return_n_iter : bool, default=False
        Whether the number of steps is returned, too.
    normalized_stress : bool or "auto", default="auto"
        Whether Kruskal's Stress-1 is returned; "auto" does so for ``metric=False``.

    Returns
    -------
    X : ndarray of shape (n_samples, n_components)
        The points.
    stress : float
        Their stress.
    n_iter : int
        Number of steps; with `return_n_iter` only.

    Examples
    --------
    >>> from gramian.manifold import smacof
    >>> from gramian.metrics import euclidean_distances
    >>> X, stress = smacof(euclidean_distances([[0, 0], [3, 0], [0, 4]]), random_state=0)
    >>> X.shape, stress < 1e-4
    ((3, 2), True)
    """
    check_arguments(
        "smacof",
        dissimilarities=(dissimilarities, Arrays()),
        metric=(metric, Boolean()),
        n_components=(n_components, Integer(1)),
        init=(init, Arrays() | Nothing()),
        n_init=(n_init, Integer(1)),
        n_jobs=(n_jobs, Integer() | Nothing()),
        max_iter=(max_iter, Integer(1)),
        verbose=(verbose, Integer(0) | Boolean()),
        eps=(eps, Real(0.0)),
        random_state=(random_state, RandomState()),
        return_n_iter=(return_n_iter, Boolean()),
        normalized_stress=(normalized_stress, Boolean() | OneOf("auto")),
    )
    given = check_array(dissimilarities, input_name="dissimilarities")
    require_dissimilarities(given, "smacof")
    majorisation = Majorisation(
        bool(metric), n_components, n_init, max_iter, eps, int(verbose), n_jobs, normalized_stress
    )
    best = majorisation.run(given, init, random_state)
    return (best.points, best.stress, best.n_iter)[: 3 if return_n_iter else 2]


@dataclass(frozen=True)
class Scaled:
    """Points, their stress, and how far they are from those of least stress.

    `optimality` is ``|X - G(X)| / |X|`` with Guttman's transform G: the gradient of the stress as a
    part of what its terms come to, and the root of a lower bound on what the next step gains.
    """

    points: Floats
    stress: float
    stress_1: float
    n_iter: int
    optimality: float
    is_settled: bool
    is_timed_out: bool


@dataclass(frozen=True)
class Majorisation:
    """How points are found."""

    is_metric: bool
    n_components: int
    n_init: int
    max_iter: int
    eps: float
    verbose: int
    n_jobs: int | None
    normalized_stress: bool | str

    def run(self, dissimilarities: NDArray[Any], init: Any, random_state: Any) -> Scaled:
        """Return the points of least stress that any start leads to."""
        given = np.ascontiguousarray(dissimilarities, np.float64)
        farthest = float(given.max(initial=0.0))
        unit = 1.0
        if farthest > _FARTHEST or 0.0 < farthest < 1.0 / _FARTHEST:
            unit = float(np.ldexp(1.0, int(np.frexp(farthest)[1])))
            given = given / unit
        starts = self._starts(len(given), init, unit, random_state)
        found = [self._from(given, start, unit) for start in starts]
        return min(found, key=lambda scaled: scaled.stress)

    def _starts(self, n: int, init: Any, unit: float, random_state: Any) -> list[Floats]:
        if init is None:
            source = random_state_of(random_state)
            shape = (n, self.n_components)
            return [source.uniform(size=n * shape[1]).reshape(shape) for _ in range(self.n_init)]
        start = check_array(init, dtype=np.float64, input_name="init")
        if len(start) != n:
            raise ValueError(
                f"init matrix should be of shape ({n}, {start.shape[1]}), a row for each of the "
                f"dissimilarities. Got {start.shape}."
            )
        if self.n_init != 1:
            warnings.warn(
                "Explicit initial positions passed: performing only one init of the MDS instead "
                f"of {self.n_init}",
                stacklevel=5,
            )
        return [start / unit]

    def _from(self, dissimilarities: Floats, start: Floats, unit: float) -> Scaled:
        ctx = core_context(self.n_jobs)
        kind = _Given if self.is_metric else _Ranked
        aim = kind(dissimilarities, ctx)
        points, previous, is_settled, n_iter = aim.moved(start), np.inf, False, 0
        while not is_settled:
            n_iter += 1
            raw, squares, following = aim.stress(points)
            self._say(2, f"Iteration {n_iter - 1}, stress {raw * unit * unit:.4f}")
            is_settled = squares == 0.0 or previous - raw < self.eps * squares
            if is_settled:
                self._say(1, f"Convergence criterion reached (iteration {n_iter - 1}).")
            elif n_iter == self.max_iter or ctx.expired:
                break
            else:
                points, previous = aim.adapted(points, following), raw
        gradient = np.linalg.norm(points - aim.adapted(points, following))
        size = float(np.linalg.norm(points))
        stress_1 = float(np.sqrt(raw / squares)) if squares > 0.0 else 0.0
        return Scaled(
            points * unit,
            stress_1 if self.is_normalized else raw * unit * unit,
            stress_1,
            n_iter,
            float(gradient) / size if size > 0.0 else 0.0,
            is_settled,
            ctx.expired and not is_settled,
        )

    @property
    def is_normalized(self) -> bool:
        """Whether the stress is Kruskal's Stress-1."""
        if self.normalized_stress == "auto":
            return not self.is_metric
        return bool(self.normalized_stress)

    def _say(self, level: int, what: str) -> None:
        if self.verbose >= level:
            print(what)


class _Given:
    """Distances to come near, the same in every step."""

    def __init__(self, dissimilarities: Floats, ctx: Any) -> None:
        self.disparities, self._ctx = dissimilarities, ctx

    def _pass(self, points: Floats, distances: Floats | None) -> tuple[float, float, Floats]:
        following = np.empty_like(points)
        raw, squares = _core.smacof_pass(
            self.disparities, points, next=following, distances=distances, ctx=self._ctx
        )
        return raw, squares, following

    def moved(self, points: Floats) -> Floats:
        """Return Guttman's transform of points."""
        return self._pass(points, None)[2]

    def stress(self, points: Floats) -> tuple[float, float, Floats]:
        """Return the stress, the sum of the squared distances, and Guttman's transform."""
        return self._pass(points, None)

    def adapted(self, points: Floats, following: Floats) -> Floats:
        """Return where points go next, of which the stress was asked last."""
        return following


class _Ranked(_Given):
    """Disparities: of all with the order of the dissimilarities those nearest to the distances."""

    def __init__(self, dissimilarities: Floats, ctx: Any) -> None:
        super().__init__(np.zeros_like(dissimilarities), ctx)
        self._distances: Floats = np.empty_like(dissimilarities)
        self._pairs = _core.ranked_pairs(dissimilarities, ctx=ctx)
        if self._pairs.n_ranks == 0:
            raise ValueError(
                "Non-metric scaling needs dissimilarities above zero: all of them are zero."
            )
        self._spread(*self._means(dissimilarities))

    def _means(self, values: Floats) -> tuple[Floats, Floats]:
        means, counts = np.empty(self._pairs.n_ranks), np.empty(self._pairs.n_ranks)
        self._pairs.means(values, means=means, counts=counts, ctx=self._ctx)
        return means, counts

    def _spread(self, of_rank: Floats, counts: Floats) -> None:
        """Set the disparities, scaled so that their mean square over all pairs is one."""
        n = len(self.disparities)
        squares = row_sum(counts * of_rank**2)
        scale = np.sqrt(0.5 * n * (n - 1) / squares) if squares > 0.0 else 0.0
        self._pairs.spread(of_rank, scale=float(scale), out=self.disparities, ctx=self._ctx)

    def stress(self, points: Floats) -> tuple[float, float, Floats]:
        """Return the stress, the sum of the squared distances, and Guttman's transform."""
        return self._pass(points, self._distances)

    def adapted(self, points: Floats, following: Floats) -> Floats:
        """Return where points go next, of which the stress was asked last."""
        means, counts = self._means(self._distances)
        _core.isotonic_values(means, counts, increasing=True, out=means, ctx=self._ctx)
        self._spread(means, counts)
        return self.moved(points)
