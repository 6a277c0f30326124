"""Random draws that generators and other functions share.

For an integer seed each generator takes the same numbers from NumPy's ``RandomState`` in the same
order as scikit-learn's function of that name, so that programs keep their data. That order is part
of the contract: a draw may not be moved, joined with another or left out.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import row_slices
from gramian.validation import check_random_state


def random_state_of(seed: Any) -> np.random.RandomState:
    """Return a ``RandomState``; one for a ``Generator`` shares and advances its bits."""
    source = check_random_state(seed)
    if isinstance(source, np.random.Generator):
        return np.random.RandomState(source.bit_generator)
    result: np.random.RandomState = source
    return result


def shuffle_rows(rng: np.random.RandomState, *arrays: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the arrays with their rows in one common random order."""
    order = np.arange(len(arrays[0]))
    rng.shuffle(order)
    return [array[order] for array in arrays]


def sample_without_replacement(
    rng: np.random.RandomState, n_population: int, n_samples: int
) -> NDArray[np.int64]:
    """Draw `n_samples` different whole numbers below `n_population`.

    Few of many are drawn one by one, with repeated ones drawn again; almost all by replacing
    entries of a reservoir; anything between by a permutation.
    """
    fraction = n_samples / n_population
    if 0.01 < fraction < 0.99:
        return rng.permutation(n_population)[:n_samples].astype(np.int64, copy=False)
    if fraction < 0.2:
        chosen: dict[int, None] = {}
        while len(chosen) < n_samples:
            chosen[int(rng.randint(n_population))] = None
        return np.array(list(chosen), dtype=np.int64)
    reservoir = np.arange(n_samples, dtype=np.int64)
    for i in range(n_samples, n_population):
        place = rng.randint(0, i + 1)
        if place < n_samples:
            reservoir[place] = i
    return reservoir


def draw_by_weight(
    rng: np.random.RandomState, weight: NDArray[np.float64], n_draws: int
) -> NDArray[np.intp]:
    """Draw rows with replacement, each as probable as its weight is of the sum.

    That is ``rng.choice(len(weight), n_draws, p=weight / weight.sum())``, the same numbers from the
    same stream, in pieces between which Ctrl-C is heard of.
    """
    bounds = np.cumsum(weight / weight.sum())
    bounds /= bounds[-1]
    drawn = np.empty(n_draws, dtype=np.intp)
    for part in row_slices(n_draws):
        places = rng.random_sample(len(drawn[part]))
        drawn[part] = bounds.searchsorted(places, side="right")
    return drawn


def likely_counts(counts: NDArray[np.intp], n_draws: int, source: Any) -> NDArray[np.intp]:
    """Return how many rows of each class are (about) most likely in `n_draws` draws.

    Each class gets the whole part of its fraction; what is then missing goes to the largest
    remainders, at random among equal ones.
    """
    fractions = counts / counts.sum() * n_draws
    drawn = np.floor(fractions)
    missing = int(n_draws - drawn.sum())
    remainders = fractions - drawn
    for remainder in np.unique(remainders)[::-1]:
        if missing <= 0:
            break
        equal = np.flatnonzero(remainders == remainder)
        chosen = source.choice(equal, size=min(len(equal), missing), replace=False)
        drawn[chosen] += 1
        missing -= len(chosen)
    whole: NDArray[np.intp] = drawn.astype(np.intp)
    return whole
