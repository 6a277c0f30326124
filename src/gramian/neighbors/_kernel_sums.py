"""Kernels of a density estimate, what they integrate to, and their weights."""

import math
from typing import Any

import numpy as np

from gramian._typing import Floats

__all__ = ["KERNELS", "checked_weight", "log_kernel_norm"]

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")


def log_kernel_norm(kernel: str, bandwidth: float, n_features: int) -> float:
    """Return minus the logarithm of the integral of ``K(|x| / bandwidth)`` over all x.

    In polar coordinates that is ``bandwidth^d S_d`` times the integral of ``r^(d - 1) K(r)``, with
    the surface ``S_d`` of the unit sphere.
    """
    d = n_features
    log_surface = math.log(2.0) + 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d)
    if kernel == "gaussian":
        log_integral = 0.5 * d * math.log(2.0 * math.pi) - log_surface
    elif kernel == "tophat":
        log_integral = -math.log(d)
    elif kernel == "epanechnikov":
        log_integral = math.log(2.0) - math.log(d * (d + 2.0))
    elif kernel == "exponential":
        log_integral = math.lgamma(d)
    elif kernel == "linear":
        log_integral = -math.log(d * (d + 1.0))
    else:
        log_integral = _log_integral_of_cosine(d)
    return -log_integral - log_surface - d * math.log(bandwidth)


def _log_integral_of_cosine(d: int) -> float:
    """Return log of the integral of ``r^(d - 1) cos(pi r / 2)`` from 0 to 1, by Gauss's rule."""
    nodes, weights = np.polynomial.legendre.leggauss(32 + d // 2)
    r = 0.5 * (nodes + 1.0)
    values = np.exp((d - 1) * np.log(r)) * np.cos(0.5 * math.pi * r)
    return math.log(0.5 * float(weights @ values))


def checked_weight(sample_weight: Any, n_rows: int) -> Floats | None:
    """Return the weights of the rows, or None; raise if they do not fit or one is negative."""
    if sample_weight is None:
        return None
    weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one entry for each of the {n_rows} rows. Got shape "
            f"{weight.shape}."
        )
    if not (weight >= 0).all():
        raise ValueError("sample_weight must not be negative or NaN.")
    return weight
