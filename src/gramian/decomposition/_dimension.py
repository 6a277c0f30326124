"""How many components to keep."""

import math
from typing import Any

import numpy as np
from scipy.special import gammaln

from gramian._typing import Floats

__all__ = ["components_for_fraction", "is_count", "likeliest_dimension"]


def is_count(n_components: Any) -> bool:
    """Return whether a number of components is given, not a fraction of the variance or "mle"."""
    return not isinstance(n_components, str) and (n_components == 0 or n_components >= 1)


def components_for_fraction(ratio: Floats, fraction: float) -> int:
    """Return the least number of components whose variance is more than a fraction of all."""
    return min(int(np.searchsorted(ratio.cumsum(), fraction, side="right")) + 1, len(ratio))


def likeliest_dimension(spectrum: Floats, n_samples: int) -> int:
    """Return the number of components of the largest evidence (Minka, 2001)."""
    evidence = [-math.inf, *(_evidence(spectrum, k, n_samples) for k in range(1, len(spectrum)))]
    return int(np.argmax(evidence))


def _evidence(spectrum: Floats, rank: int, n: int) -> float:
    """Return the logarithm of Laplace's approximation of the evidence, up to a constant."""
    p, eps = len(spectrum), 1e-15
    if spectrum[rank - 1] < eps:
        return -math.inf
    noise = max(eps, float(spectrum[rank:].sum()) / (p - rank))
    halves = (p - np.arange(rank)) / 2.0
    prior = float((gammaln(halves) - math.log(math.pi) * halves).sum()) - rank * math.log(2.0)
    fit = -n / 2.0 * (float(np.log(spectrum[:rank]).sum()) + (p - rank) * math.log(noise))
    m = p * rank - rank * (rank + 1) / 2.0
    flat = np.concatenate((spectrum[:rank], np.full(p - rank, noise)))
    i, j = np.triu_indices(rank, 1, p)
    gaps = (spectrum[i] - spectrum[j]) * (1.0 / flat[j] - 1.0 / flat[i])
    with np.errstate(divide="ignore", invalid="ignore"):
        curvature = float(np.log(gaps).sum()) + len(gaps) * math.log(n)
    volume = math.log(2.0 * math.pi) * (m + rank) / 2.0
    total = prior + fit + volume - curvature / 2.0 - rank * math.log(n) / 2.0
    return total if not math.isnan(total) else -math.inf
