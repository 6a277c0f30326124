"""The steps of t-SNE, in blocks between which progress is looked at."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.manifold._affinities import Affinities

__all__ = ["Descent", "Phase"]

_LEAST_GAIN = 0.01


@dataclass(frozen=True)
class Phase:
    """Steps with one momentum and one exaggeration."""

    end: int  # number of the step behind the last
    momentum: float
    exaggeration: float
    patience: int  # steps without progress


@dataclass(eq=False)
class Descent:
    """An embedding on its way."""

    affinities: Affinities
    points: NDArray[np.float32]
    method: str
    angle: float
    learning_rate: float
    min_grad_norm: float
    n_iter_check: int
    verbose: int
    ctx: Any
    n_done: int = 0
    divergence: float = np.inf
    gradient_norm: float = np.inf
    attraction_norm: float = 0.0
    is_timed_out: bool = False
    is_settled: bool = False

    def run(self, phase: Phase) -> None:
        """Go on until the phase ends, nothing moves, or the time is over."""
        updates, gains = np.zeros_like(self.points), np.ones_like(self.points)
        best, best_step = np.inf, self.n_done
        self.is_settled = False
        while self.n_done < phase.end and not self.is_timed_out:
            n_steps = min(
                self.n_iter_check - self.n_done % self.n_iter_check, phase.end - self.n_done
            )
            self._steps(n_steps, phase, updates, gains)
            if self.n_done % self.n_iter_check:
                continue
            self._say(f"error = {self.divergence:.7f}, gradient norm = {self.gradient_norm:.7f}")
            if self.divergence < best:
                best, best_step = self.divergence, self.n_done
            elif self.n_done - best_step > phase.patience:
                self._say(
                    "did not make any progress during the last "
                    f"{phase.patience} episodes. Finished."
                )
                self.is_settled = True
                break
            if self.gradient_norm <= self.min_grad_norm:
                self._say(f"gradient norm {self.gradient_norm:f}. Finished.")
                self.is_settled = True
                break

    def _steps(self, n_steps: int, phase: Phase, updates: Any, gains: Any) -> None:
        n_taken, self.divergence, self.gradient_norm, self.attraction_norm = _core.tsne_descend(
            *self.affinities.parts,
            points=self.points,
            updates=updates,
            gains=gains,
            n_steps=n_steps,
            momentum=phase.momentum,
            learning_rate=self.learning_rate,
            exaggeration=phase.exaggeration,
            least_gain=_LEAST_GAIN,
            method=self.method,
            angle=self.angle,
            ctx=self.ctx,
        )
        self.n_done += n_taken
        self.is_timed_out = n_taken < n_steps

    def _say(self, what: str) -> None:
        if self.verbose >= 2:
            print(f"[t-SNE] Iteration {self.n_done}: {what}")
