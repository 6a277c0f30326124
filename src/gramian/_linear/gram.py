"""Gram matrices that users bring along."""

import warnings
from typing import Any

import numpy as np

from gramian._linear.descent import Moments, moments, total_weight
from gramian._linear.problem import Problem, centred_means, half_gradient
from gramian._typing import Floats
from gramian.validation import check_array

__all__ = ["check_gram", "given_moments"]


def given_moments(
    problem: Problem, precompute: Any, *, cross: Any = None, check: bool = True
) -> Moments:
    """Return the moments of which the user gives the Gram matrix (and perhaps ``X' y``).

    As in scikit-learn, it belongs to centred data, with weights scaled to sum to the number of
    rows.
    """
    if problem.is_sparse:
        raise TypeError("A precomputed Gram matrix is for dense data; pass precompute=False.")
    n, p = problem.X.shape
    mean_x, mean_y = centred_means(problem)
    if problem.fit_intercept and not np.allclose(mean_x, 0.0):
        warnings.warn(
            "Gram matrix was provided but X was centered to fit intercept: recomputing Gram "
            "matrix.",
            UserWarning,
            stacklevel=5,
        )
        return moments(problem)
    weight = total_weight(problem)
    gram = check_array(precompute, dtype=np.float64, input_name="precompute")
    if gram.shape != (p, p):
        raise ValueError(f"precompute must have shape ({p}, {p}). Got {gram.shape}.")
    gram = np.ascontiguousarray(gram) * (weight / n)
    if check:
        check_gram(problem, gram, mean_x)
    slopes, yy = half_gradient(problem, np.zeros((p, problem.n_targets)), mean_x, mean_y)
    if cross is not None:
        given = check_array(cross, dtype=np.float64, ensure_2d=False, input_name="Xy")
        slopes = np.ascontiguousarray(given.reshape(p, -1)) * (weight / n)
    return Moments(gram, slopes, yy, mean_x, mean_y, weight, n)


def check_gram(problem: Problem, gram: Floats, mean_x: Floats) -> None:
    """Raise ValueError unless one entry of a Gram matrix agrees with the data."""
    p = gram.shape[0]
    i, j = p // 2, min(p // 2 + 1, p - 1)
    left = problem.X[:, i].astype(np.float64) - mean_x[i]
    right = problem.X[:, j].astype(np.float64) - mean_x[j]
    weight = np.ones(len(left)) if problem.weight is None else problem.weight
    expected, actual = float(np.einsum("i,i,i->", weight, left, right)), float(gram[i, j])
    size = float(np.abs(weight * left * right).sum())
    rtol = 1e-4 if problem.is_float32 else 1e-7
    if not abs(expected - actual) <= rtol * max(size, abs(expected)) + 1e-12:
        raise ValueError(
            "Gram matrix passed in via 'precompute' parameter did not pass validation when a "
            f"single element was checked - please check that it was computed properly. For "
            f"element ({i},{j}) we computed {expected} but the user-supplied value was {actual}."
        )
