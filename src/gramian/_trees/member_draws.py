"""Which rows and columns the members of an ensemble are fitted to.

For an integer seed they are those of scikit-learn's bagging: each member has a seed of its own, and
draws its columns first, then its rows.
"""

import numbers
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import draw_by_weight, random_state_of, sample_without_replacement
from gramian.persistence import persistable

__all__ = ["Draws", "Indices", "n_columns_drawn", "n_rows_drawn"]

Indices = NDArray[np.int64]


@persistable
@dataclass(frozen=True, eq=False)
class Draws:
    """The draws of members that were fitted together.

    Parameters
    ----------
    seeds : ndarray of int64
        One for each member.
    n_samples, n_features : int
        The size of the training data.
    max_samples, max_features : int
        How many rows and columns each member gets.
    bootstrap, bootstrap_features : bool
        Whether they are drawn with replacement.
    sample_weight : ndarray of shape (n_samples,) or None
        How probable each row is, up to a factor.
    """

    seeds: Indices
    n_samples: int
    n_features: int
    max_samples: int
    max_features: int
    bootstrap: bool = True
    bootstrap_features: bool = False
    sample_weight: NDArray[np.float64] | None = None

    @property
    def takes_all_columns(self) -> bool:
        """Whether every member gets all columns in their order."""
        return not self.bootstrap_features and self.max_features == self.n_features

    @property
    def takes_all_rows(self) -> bool:
        """Whether every member gets each row once."""
        return not self.bootstrap and self.max_samples == self.n_samples

    def draw(self, seed: int, rng: np.random.RandomState | None = None) -> tuple[Indices, Indices]:
        """Return the rows and the columns of the member with that seed.

        A generator that is given is seeded with it, in a fraction of the time that another takes.
        """
        if rng is None:
            rng = random_state_of(int(seed))
        else:
            rng.seed(int(seed))
        columns = self._columns(rng)
        if self.sample_weight is None:
            return _indices(rng, self.bootstrap, self.n_samples, self.max_samples), columns
        if self.bootstrap:
            return draw_by_weight(rng, self.sample_weight, self.max_samples), columns
        probabilities = self.sample_weight / self.sample_weight.sum()
        rows = rng.choice(self.n_samples, self.max_samples, replace=False, p=probabilities)
        return rows, columns

    def columns(self, seed: int) -> Indices:
        """Return the columns of the member with that seed."""
        if self.takes_all_columns:
            return np.arange(self.n_features, dtype=np.int64)
        return self._columns(random_state_of(int(seed)))

    def _columns(self, rng: np.random.RandomState) -> Indices:
        return _indices(rng, self.bootstrap_features, self.n_features, self.max_features)


def _indices(rng: np.random.RandomState, replace: bool, n_population: int, n: int) -> Indices:
    if replace:
        return rng.randint(0, n_population, n)
    return sample_without_replacement(rng, n_population, n)


def n_rows_drawn(max_samples: Any, n_samples: int, sample_weight: Any) -> int:
    """Return how many rows a member gets: all, a number, or a share of the rows or weights.

    Warns if a share gives suspiciously few.
    """
    if max_samples is None:
        return n_samples
    if isinstance(max_samples, numbers.Integral):
        return _countable(int(max_samples), max_samples)
    whole, of = n_samples, "number of samples"
    if sample_weight is not None:
        whole, of = sample_weight.sum(), "total sum of sample weights"
    n_drawn = max(int(max_samples * whole), 1)
    if n_drawn < max(10.0, n_samples ** (1 / 3)):
        warnings.warn(
            f"Using the fractional value max_samples={max_samples} when the {of} is {whole} "
            f"results in a low number ({n_drawn}) of bootstrap samples. We recommend passing "
            "`max_samples` as an integer instead.",
            UserWarning,
            stacklevel=4,
        )
    return _countable(n_drawn, max_samples)


def _countable(n_drawn: int, max_samples: Any) -> int:
    """Return a number of draws; raise ValueError if a row's own could not be counted."""
    most = int(np.iinfo(np.int32).max)
    if n_drawn > most:
        raise ValueError(
            f"max_samples={max_samples!r} asks for {n_drawn} draws of rows for each member. The "
            f"most is {most}."
        )
    return n_drawn


def n_columns_drawn(max_features: Any, n_features: int) -> int:
    """Return how many columns a member gets: a number, or a share; one at least."""
    if not isinstance(max_features, numbers.Integral):
        return max(1, int(max_features * n_features))
    if int(max_features) > n_features:
        raise ValueError(
            f"max_features must be <= n_features. Got {max_features} of {n_features} features."
        )
    return max(1, int(max_features))
