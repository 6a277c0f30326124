"""What the words of free text say of a target: linear scores, cross-fitted on the training rows.

A tree asks one column at a time, and each of thousands of words says little: a penalised linear
model of all words says in one number what a tree would need many splits for. As with target means,
a training row takes its score from rows outside its fold; equal texts share a fold.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.encoding._target import hash_text
from gramian.encoding._text import ROW_LENGTH, product
from gramian.persistence import persistable

__all__ = ["TextScores", "fit_scores"]

_PENALTY = 0.6 * ROW_LENGTH**2  # as 0.6 with rows of length one
_FOLDS = 5
_WORTH = 0.01  # of the variance of the target
_BEYOND_LUCK = 3.5  # standard deviations of a correlation
_TOLERANCE, _MOST_STEPS = 1e-4, 100  # of conjugate gradients


@persistable
@dataclass(frozen=True, eq=False)
class TextScores:
    """Ridge regression of a target on the weights of words.

    Parameters
    ----------
    coef : ndarray of shape (n_words, n_targets)
        Coefficients of the words.
    intercept : ndarray of shape (n_targets,)
        The score of a text of no known word.
    labels : tuple of str
        What the scores are of: a class, an output, or an empty text if there is one only.
    """

    coef: Floats
    intercept: Floats
    labels: tuple[str, ...]

    def of(self, weights: Any) -> Floats:
        """Return the scores of texts from the weights of their words."""
        return np.asarray(product(weights, self.coef)) + self.intercept

    def _check_state(self) -> None:
        n_targets = len(self.labels) if isinstance(self.labels, tuple) else -1
        for values, shape in ((self.coef, (len(self.coef), n_targets)), (self.intercept, None)):
            is_array = isinstance(values, np.ndarray) and values.dtype == np.float64
            if not is_array or values.shape != ((n_targets,) if shape is None else shape):
                raise ValueError("The scores of a text column are damaged.")


def fit_scores(
    weights: Any,
    texts: tuple[str, ...],
    place: NDArray[np.intp],
    target: Floats,
    labels: tuple[str, ...],
    sample_weight: Floats | None,
) -> tuple[TextScores | None, Floats]:
    """Return the scores, and those of the training texts from the texts outside their fold.

    None in place of scores if the latter do not predict the target.

    Parameters
    ----------
    weights : CSR array of shape (n_texts, n_words)
        Weights of the words in the distinct texts.
    texts : tuple of str
        The texts.
    place : ndarray of shape (n_rows,)
        The text of each row.
    target : ndarray of shape (n_rows, n_targets)
        The target as numbers.
    labels : tuple of str
        Names of its columns.
    sample_weight : ndarray of shape (n_rows,) or None
        Weights of the rows; a weight of k is k copies.
    """
    n_rows = np.bincount(place, sample_weight, len(texts)).astype(np.float64)
    scale = float(np.abs(target).max(initial=0.0)) or 1.0
    own = np.ones(len(place)) if sample_weight is None else sample_weight
    sums = [np.bincount(place, own * column, len(texts)) for column in (target / scale).T]
    means = np.column_stack(sums) / np.maximum(n_rows, 1e-300)[:, None]
    fold = np.array([int(hash_text(text)) % _FOLDS for text in texts], dtype=np.int64)
    left_out = np.empty(means.shape)
    for number in np.unique(fold).tolist():
        is_out = fold == number
        coef, intercept = _ridge(weights, means, np.where(is_out, 0.0, n_rows))
        left_out[is_out] = np.asarray(product(weights[is_out], coef)) + intercept
    if not _tell(left_out, means, n_rows):
        return None, left_out
    coef, intercept = _ridge(weights, means, n_rows)
    return TextScores(scale * coef, scale * intercept, labels), scale * left_out


def _tell(scores: Floats, target: Floats, n_rows: Floats) -> bool:
    """Tell whether the scores of texts left out predict a target better than its mean does.

    By a share that is worth a column, and by more than the luck of so many texts.
    """
    total = n_rows.sum()
    mean = n_rows @ target / total
    spread = n_rows @ (target - mean) ** 2
    explained = 1.0 - _ratio(n_rows @ (target - scores) ** 2, spread)
    deviations = np.sqrt(np.maximum(explained, 0.0) * np.count_nonzero(n_rows))
    return bool(((explained > _WORTH) & (deviations > _BEYOND_LUCK) & (spread > 0.0)).any())


def _ridge(weights: Any, target: Floats, n_rows: Floats) -> tuple[Floats, Floats]:
    """Return coefficients and constants that minimise the penalised squared error.

    Conjugate gradients with the diagonal as preconditioner, for all targets at once; the constant
    is the last unknown, and is not penalised.
    """
    n_words, n_targets = weights.shape[1], target.shape[1]
    counted = weights.multiply(n_rows[:, None]).tocsr()
    turned = counted.T.tocsr()
    diagonal = np.append(
        counted.multiply(weights).sum(axis=0) + _PENALTY, max(n_rows.sum(), 1e-300)
    )
    solution = np.zeros((n_words + 1, n_targets))
    residual = np.vstack([np.asarray(product(turned, target)), (n_rows @ target)[None]])
    first = _squares(residual)
    moved = residual / diagonal[:, None]
    direction, energy = moved, (residual * moved).sum(axis=0)
    for _ in range(_MOST_STEPS):
        if (_squares(residual) <= _TOLERANCE**2 * first).all():
            break
        fitted = np.asarray(product(weights, direction[:-1])) + direction[-1]
        image = np.vstack(
            [
                np.asarray(product(turned, fitted)) + _PENALTY * direction[:-1],
                (n_rows @ fitted)[None],
            ]
        )
        step = _ratio(energy, (direction * image).sum(axis=0))
        solution += step * direction
        residual = residual - step * image
        moved = residual / diagonal[:, None]
        before, energy = energy, (residual * moved).sum(axis=0)
        direction = moved + _ratio(energy, before) * direction
    return np.ascontiguousarray(solution[:-1]), solution[-1].copy()


def _squares(values: Floats) -> Floats:
    found: Floats = (values**2).sum(axis=0)
    return found


def _ratio(upper: Floats, lower: Floats) -> Floats:
    """Return the quotients, 0 for targets that are solved."""
    found: Floats = np.divide(upper, lower, out=np.zeros_like(upper), where=lower > 0.0)
    return found
