"""Periodic functions of numbers, as a layer that learns their frequencies."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Waves"]

_SPREAD = 0.1  # standard deviation of the first frequencies, in turns per unit


@dataclass(frozen=True)
class Waves:
    """A layer that hands on the numbers below and adds waves of some of them.

    Its weights are rows, one entry for each output: frequencies, phases, amplitudes, and the scale
    that outputs are multiplied by.

    Examples
    --------
    >>> Waves(2, [0, 0, 3]).n_rows
    7
    """

    n_frequencies: int = 0
    sources: list[int] = field(default_factory=list)

    @property
    def n_rows(self) -> int:
        """Rows of the weights."""
        return 3 * self.n_frequencies + 1

    def draw(
        self, n_handed: int, rng: np.random.RandomState, dtype: Any
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Draw first weights and biases; what is handed on has none but the scale."""
        k, n_waves = self.n_frequencies, len(self.sources)
        weights = np.zeros((self.n_rows, n_handed + n_waves))
        biases = np.zeros(n_handed + n_waves)
        bound = 1.0 / np.sqrt(k)
        weights[:k, n_handed:] = _SPREAD * rng.normal(size=(k, n_waves))
        weights[k : 2 * k, n_handed:] = rng.uniform(-0.5, 0.5, (k, n_waves))
        weights[2 * k : 3 * k, n_handed:] = rng.uniform(-bound, bound, (k, n_waves))
        weights[3 * k] = 1.0
        biases[n_handed:] = rng.uniform(-bound, bound, n_waves)
        return weights.astype(dtype), biases.astype(dtype)

    def mask(self, n_handed: int) -> NDArray[np.bool_]:
        """Tell which weights are learned."""
        learned = np.zeros((self.n_rows, n_handed + len(self.sources)), dtype=bool)
        learned[:, n_handed:] = True
        learned[-1] = True
        return learned
