"""Target statistics of the levels of a column, and their cross-fitted values for the training rows.

The fold of a row is drawn from a hash of what the row holds, not from its position, and never from
its target. So equal rows share a fold: permuting rows changes nothing, and a row of weight k
counts exactly as k copies of it.
"""

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.table import CategoricalColumn, Column, Table

Codes = NDArray[np.int64]

_UNIDENTIFIED_SMOOTH = 20.0


@dataclass(frozen=True)
class Target:
    """What target statistics are taken of.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_outputs)
        The target as numbers, one column for each statistic.
    labels : tuple of str
        What each column stands for; an empty text if there is one column only.
    weight : ndarray of shape (n_rows,)
        Weights of the rows.
    row_hash : ndarray of uint64
        Hash of each row's content.
    n_folds : int
        Number of folds.
    smooth : float or "auto"
        Weight of the prior mean in rows.
    """

    values: Floats
    labels: tuple[str, ...]
    weight: Floats
    row_hash: NDArray[np.uint64]
    n_folds: int
    smooth: float | str


def target_columns(
    y: NDArray[np.generic], weight: Floats, classification: bool
) -> tuple[Floats, tuple[str, ...]]:
    """Return the columns whose means are taken, with their names.

    A number is its own column; a binary class gives the indicator of the second class, several
    classes give one indicator each; several outputs are put side by side. Classes that occur with
    weight 0 only are absent.
    """
    outputs = y.reshape(len(y), -1)
    blocks, labels = [], []
    for j in range(outputs.shape[1]):
        prefix = f"y{j}" if outputs.shape[1] > 1 else ""
        if not classification:
            blocks.append(outputs[:, j].astype(np.float64))
            labels.append(prefix)
            continue
        classes = np.unique(outputs[weight > 0, j])
        for value in classes[-1:] if len(classes) <= 2 else classes:
            blocks.append((outputs[:, j] == value).astype(np.float64))
            labels.append(f"{prefix}={value}".lstrip("=") if len(classes) > 2 else prefix)
    return np.column_stack(blocks), tuple(labels)


def level_means(codes: Codes, n_levels: int, target: Target) -> tuple[Floats, Floats, Floats]:
    r"""Return the smoothed means of the levels, those for the training rows, and the overall means.

    With the sum S and the weight n of a level's rows, the overall mean p and the smoothing a, a
    level becomes (S + a p) / (n + a). A training row gets the same from the rows outside its fold.

    Rows of a level that are all alike cannot be told apart by content. If their targets differ
    they are repeated observations, and get the level's mean with the weight of one of them left
    out; if not, they count as one observation, which must not see itself, and get p.

    Parameters
    ----------
    codes : ndarray of int64
        Level of each row, in [0, n_levels).
    n_levels : int
        The number of levels.
    target : Target
        The target, weights and folds.

    Returns
    -------
    levels : ndarray of shape (n_levels, n_outputs)
    rows : ndarray of shape (n_rows, n_outputs)
    prior : ndarray of shape (n_outputs,)
    """
    weight = target.weight
    is_counted = weight > 0
    fold = (target.row_hash % np.uint64(target.n_folds)).astype(np.int64)
    cell = fold * n_levels + codes
    n = np.bincount(codes, weight, n_levels)
    n_cell = np.bincount(cell, weight, n_levels * target.n_folds)
    repeated = _is_uniform(codes, target.row_hash, is_counted, n_levels)
    levels = np.empty((n_levels, target.values.shape[1]))
    rows = np.empty(target.values.shape)
    prior = np.empty(target.values.shape[1])
    for j, y in enumerate(target.values.T):
        total = np.bincount(codes, weight * y, n_levels)
        p = prior[j] = total.sum() / n.sum()
        a = smoothing(codes, y, weight, n_levels) if target.smooth == "auto" else target.smooth
        levels[:, j] = (total + float(a) * p) / (n + float(a))
        out_total = total[codes] - np.bincount(cell, weight * y, len(n_cell))[cell]
        rows[:, j] = (out_total + float(a) * p) / (n[codes] - n_cell[cell] + float(a))
        alike = repeated & ~_is_uniform(codes, y, is_counted, n_levels)
        fewer = np.maximum(n - 1, 0)
        own = (total / np.maximum(n, 1e-300) * fewer + float(a) * p) / (fewer + float(a))
        rows[:, j] = np.where(alike[codes], own[codes], rows[:, j])
    return levels, rows, prior


def _is_uniform(
    codes: Codes, values: NDArray[np.generic], is_counted: NDArray[np.bool_], n_levels: int
) -> NDArray[np.bool_]:
    """Tell for each level whether all its counted rows have the same value."""
    codes, values = codes[is_counted], values[is_counted]
    example = np.zeros(n_levels, dtype=values.dtype)
    example[codes] = values
    n_different = np.bincount(codes, values != example[codes], n_levels)
    is_uniform: NDArray[np.bool_] = n_different == 0
    return is_uniform


def smoothing(codes: Codes, y: Floats, weight: Floats, n_levels: int) -> float:
    r"""Return the smoothing a = sigma^2 / tau^2 that the data suggest.

    In the model y = p + u_l + e with independent level effects u of variance tau^2 and noise e of
    variance sigma^2, (S + a p) / (n + a) is the best linear predictor of p + u_l. Both variances
    are estimated by the method of moments from the sums of squares within and between levels.
    """
    n = np.bincount(codes, weight, n_levels)
    total_weight = n.sum()
    mean = np.bincount(codes, weight * y, n_levels) / np.maximum(n, 1e-300)
    overall = float(weight @ y) / total_weight
    n_present = int((n > 0).sum())
    if total_weight <= n_present or n_present < 2:
        return _UNIDENTIFIED_SMOOTH
    noise = float(weight @ (y - mean[codes]) ** 2) / (total_weight - n_present)
    between = float(n @ (mean - overall) ** 2) - (n_present - 1) * noise
    effect = between / (total_weight - float(n @ n) / total_weight)
    if effect * total_weight <= noise:
        return float(max(total_weight, 1.0))
    return float(max(noise / effect, 1.0))


# -- hashing rows ------------------------------------------------------------------------------


def hash_rows(table: Table) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each row's content; the order of the columns does not matter."""
    total = np.zeros(table.n_rows, dtype=np.uint64)
    for column in table.columns:
        total += _mix(_column_words(column) ^ hash_text(column.name))
    return _mix(total)


def _column_words(column: Column) -> NDArray[np.uint64]:
    if isinstance(column, CategoricalColumn):
        words = [hash_text(category) for category in column.categories]
        return np.array([*words, 0], dtype=np.uint64)[column.codes]
    values = column.values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    values[np.isnan(values)] = np.nan  # one bit pattern for all NaN
    return values.view(np.uint64)


def hash_text(text: Hashable) -> np.uint64:
    digest = hashlib.blake2b(str(text).encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def _mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread each word over all bits (the finaliser of SplitMix64); works in place."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words
