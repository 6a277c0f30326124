"""Sources of randomness."""

import numbers
import secrets
from typing import Any

import numpy as np

__all__ = ["check_random_state", "seed_of"]

_WORD = 0xFFFFFFFFFFFFFFFF


def check_random_state(seed: Any) -> Any:
    """Return a NumPy random number generator.

    Parameters
    ----------
    seed : None, int, RandomState or Generator
        None gives NumPy's global generator, an int a new ``RandomState`` with that seed (so that
        splits and generated data follow scikit-learn's stream); a generator is returned as it is.

    Returns
    -------
    RandomState or Generator

    Examples
    --------
    >>> from gramian.validation import check_random_state
    >>> check_random_state(0).randint(100)
    44
    """
    if seed is None or seed is np.random:
        return np.random.mtrand._rand
    if isinstance(seed, numbers.Integral) and not isinstance(seed, bool):
        return np.random.RandomState(int(seed))
    if isinstance(seed, (np.random.RandomState, np.random.Generator)):
        return seed
    raise ValueError(
        f"{seed!r} cannot be used to seed a numpy.random.RandomState instance. "
        "Use None, an integer, a RandomState or a Generator."
    )


def seed_of(random_state: Any) -> int:
    """Return the 64-bit seed from which a model's own random streams are derived.

    Parameters
    ----------
    random_state : None, int, RandomState or Generator
        An int always gives the same seed; a generator is advanced, so that the next call gives
        another seed; None gives a new seed from the operating system.

    Returns
    -------
    int
        In [0, 2**64).

    Examples
    --------
    >>> from gramian.validation import seed_of
    >>> seed_of(0) == seed_of(0), seed_of(0) == seed_of(1)
    (True, False)
    """
    if random_state is None or random_state is np.random:
        return secrets.randbits(64)
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        return _mix(int(random_state) & _WORD)
    source = check_random_state(random_state)
    if isinstance(source, np.random.Generator):
        return int(source.integers(0, 2**64, dtype=np.uint64))
    high, low = source.randint(0, 2**32, size=2, dtype=np.uint64).tolist()
    return int(high << 32 | low)


def _mix(word: int) -> int:
    """Spread near-by integers over all bits: the generator SplitMix64."""
    word = (word + 0x9E3779B97F4A7C15) & _WORD
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _WORD
    return word ^ word >> 31
