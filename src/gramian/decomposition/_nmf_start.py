"""Where non-negative factorizations start."""

import math
from typing import Any

import numpy as np

from gramian._draws import random_state_of
from gramian._spectral.singular import leading_triplets
from gramian._spectral.spectrum import svd_flip
from gramian._typing import Floats
from gramian.decomposition._nmf_data import Data

__all__ = ["first_factors"]

_LEAST = 1e-6  # smaller entries, in units of the largest or of 1, are zeros
_TOLERANCE = 1e-9
_WIDTH = 8


def first_factors(
    data: Data, n_components: int, init: str | None, seed: Any
) -> tuple[Floats, Floats]:
    """Return W and H to start with, drawn or from the leading singular triplets."""
    n, p = data.shape
    if init not in (None, "random") and n_components > min(n, p):
        raise ValueError(
            f"init = '{init}' can only be used when n_components <= min(n_samples, n_features): "
            f"{n_components} is more than {min(n, p)}."
        )
    if init is None:
        init = "nndsvda" if n_components <= min(n, p) else "random"
    rng = random_state_of(seed)
    average = data.mean()
    if init == "random":
        scale = math.sqrt(average / n_components)
        H = np.abs(scale * rng.standard_normal(size=(n_components, p)))
        return np.abs(scale * rng.standard_normal(size=(n, n_components))), H
    W, H = _from_triplets(data, n_components)
    if init == "nndsvda":
        W[W == 0.0], H[H == 0.0] = average, average
    elif init == "nndsvdar":
        for factor in (W, H):
            zeros = factor == 0.0
            drawn = rng.standard_normal(size=int(zeros.sum()))
            factor[zeros] = np.abs(average * drawn / 100.0)
    return W, H


def _from_triplets(data: Data, k: int) -> tuple[Floats, Floats]:
    """Return the non-negative double singular value decomposition (Boutsidis, Gallopoulos, 2008).

    Of the positive and the negative parts of a pair of singular vectors the larger pair stays.
    """
    start = np.random.default_rng(0).normal(size=(min(data.shape), _WIDTH))
    found = leading_triplets(data.X, k, start=start, tol=_TOLERANCE)
    if found is None:
        raise ValueError("The squares of X are too large for double precision; scale X.")
    U = svd_flip(found.U)
    V = found.V * np.where((U == found.U).all(axis=0), 1.0, -1.0)
    W, Ht = np.zeros((data.shape[0], k)), np.zeros((data.shape[1], k))
    W[:, 0], Ht[:, 0] = (math.sqrt(found.s[0]) * np.abs(A[:, 0]) for A in (U, V))
    for j in range(1, k):
        pairs = [
            (np.maximum(sign * U[:, j], 0.0), np.maximum(sign * V[:, j], 0.0)) for sign in (1, -1)
        ]
        sizes = [[math.sqrt(float((part**2).sum())) for part in pair] for pair in pairs]
        best = 0 if math.prod(sizes[0]) > math.prod(sizes[1]) else 1
        size = math.prod(sizes[best])
        if size > 0.0:
            scale = math.sqrt(found.s[j] * size)
            W[:, j] = scale * pairs[best][0] / sizes[best][0]
            Ht[:, j] = scale * pairs[best][1] / sizes[best][1]
    for factor in (W, Ht):
        factor[factor < _LEAST * min(float(factor.max()), 1.0)] = 0.0
    return W, np.ascontiguousarray(Ht.T)
