"""How sure cross-validated scores are.

The training parts of the folds overlap, so their scores are not independent and the usual standard
error is too small. Nadeau and Bengio (2003, "Inference for the generalization error", Machine
Learning 52) replace its factor 1/J, for J scores, by 1/J + n_test/n_train; k folds have
n_test/n_train = 1/(k - 1).
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr, stdtrit

__all__ = ["corrected_interval", "corrected_p_value"]


def corrected_interval(
    scores: Sequence[float], n_folds: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the corrected t interval of the mean score."""
    mean, error = float(np.mean(scores)), _standard_error(scores, n_folds)
    half = float(stdtrit(len(scores) - 1, 0.5 + confidence / 2)) * error
    return mean - half, mean + half


def corrected_p_value(differences: Sequence[float], n_folds: int) -> float:
    """Return the two-sided p-value of the corrected resampled t-test that the mean is zero."""
    mean, error = float(np.mean(differences)), _standard_error(differences, n_folds)
    if error == 0.0:
        return 1.0 if mean == 0.0 else 0.0
    return float(2.0 * stdtr(len(differences) - 1, -abs(mean) / error))


def _standard_error(scores: Sequence[float], n_folds: int) -> float:
    variance = float(np.var(scores, ddof=1))
    return float(np.sqrt(variance * (1.0 / len(scores) + 1.0 / (n_folds - 1))))
