"""True and predicted labels, checked and read once for any number of metrics."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._label_codes import Coded, Ints, code_integers, code_text
from gramian._labels import as_label_array, merge_labels, type_of_target
from gramian.metrics._label_pairs import MAX_CELLS, count_pairs
from gramian.validation import (
    check_array,
    check_consistent_length,
    check_sample_weight,
    check_sparse,
    is_sparse,
    n_samples_of,
)

_SINGLE_LABEL = ("binary", "multiclass")


@dataclass(frozen=True)
class SetCounts:
    """For each label (or each row) the weight of its true and false positives and negatives."""

    tp: NDArray[Any]
    fp: NDArray[Any]
    fn: NDArray[Any]
    total: Any

    @classmethod
    def of_sums(
        cls, tp: NDArray[Any], predicted: NDArray[Any], true: NDArray[Any], total: Any
    ) -> "SetCounts":
        """Return the counts for the sums of all that is predicted and of all that is true."""
        return cls(tp, predicted - tp, true - tp, total)

    @property
    def predicted(self) -> NDArray[Any]:
        """Weight of what is predicted positive."""
        result: NDArray[Any] = self.tp + self.fp
        return result

    @property
    def true(self) -> NDArray[Any]:
        """Weight of what is positive."""
        result: NDArray[Any] = self.tp + self.fn
        return result

    def matrices(self) -> NDArray[Any]:
        """Return the 2 x 2 confusion matrix of each label: [[tn, fp], [fn, tp]]."""
        tn = self.total - self.tp - self.fp - self.fn
        return np.stack([tn, self.fp, self.fn, self.tp]).T.reshape(-1, 2, 2)

    def take(self, positions: Ints) -> "SetCounts":
        """Return the counts at these positions, zeros where a position is negative."""
        tp, fp, fn = (
            np.where(positions < 0, 0, values[positions]).astype(values.dtype, copy=False)
            for values in (self.tp, self.fp, self.fn)
        )
        return SetCounts(tp, fp, fn, self.total)


class LabelPair:
    """Two columns of single labels.

    Parameters
    ----------
    true, pred : Coded
        The columns.
    weight : ndarray of shape (n_samples,), optional
        Weights of the rows, as they were given: whole weights give whole confusion matrices.
    """

    def __init__(self, true: Coded, pred: Coded, weight: NDArray[Any] | None) -> None:
        if len(true.levels) * len(pred.levels) > MAX_CELLS:
            true, pred = true.compressed(), pred.compressed()
        rows, cols, self._cell_counts = count_pairs(true, pred)
        row_levels, col_levels = np.unique(rows), np.unique(cols)
        levels = true.levels[row_levels], pred.levels[col_levels]
        self.labels = merge_labels(*levels)
        self.true_labels = levels[0]
        self.weight = weight
        self.n_samples = len(true.codes)
        self._codes = true.codes, pred.codes
        self._positions = (
            _scatter(row_levels, self.labels.searchsorted(levels[0]), len(true.levels)),
            _scatter(col_levels, self.labels.searchsorted(levels[1]), len(pred.levels)),
        )
        self._cells = self._positions[0][rows], self._positions[1][cols]

    @property
    def kind(self) -> str:
        """Return "binary" for at most two labels, "multiclass" for more."""
        return "binary" if len(self.labels) <= 2 else "multiclass"

    def positions(self, labels: NDArray[Any]) -> Ints:
        """Return where each of `labels` is in ``self.labels``, -1 for one that does not occur."""
        known = {label: i for i, label in enumerate(self.labels.tolist())}
        found = (known.get(label, -1) for label in labels.tolist())
        return np.fromiter(found, np.int64, len(labels))

    def table(self, labels: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the weight of the rows with each true (row) and predicted (column) label."""
        n_labels = len(self.labels if labels is None else labels)
        target = np.arange(n_labels)
        if labels is not None:
            target = np.full(len(self.labels) + 1, -1)
            target[self.positions(labels)] = np.arange(n_labels)
            target[-1] = -1  # where the labels that do not occur have gone
        if self.weight is None:
            return _fill(target, *self._cells, self._cell_counts, n_labels)
        return _fill(target, *self._row_labels, self.weight, n_labels)

    def counts(self, labels: NDArray[Any] | None = None, *, samplewise: bool = False) -> SetCounts:
        """Return the counts of each label, by default of all that occur."""
        if samplewise:
            raise ValueError(
                "Samplewise metrics are not available outside of multilabel classification."
            )
        every = self._counts_of_all
        return every if labels is None else every.take(self.positions(labels))

    @cached_property
    def _counts_of_all(self) -> SetCounts:
        dtype: type = np.int64 if self.weight is None else np.float64
        if self.weight is None:
            (rows, cols), weight, total = self._cells, self._cell_counts, self.n_samples
        else:
            (rows, cols), weight, total = self._row_labels, self.weight, np.sum(self.weight)
        weight = weight.astype(np.float64)  # whole numbers stay exact below 2^53

        def sums(positions: Ints, weights: NDArray[Any]) -> NDArray[Any]:
            by_label = np.bincount(positions, weights=weights, minlength=len(self.labels))
            return by_label.astype(dtype)

        hit = rows == cols
        tp, predicted, true = sums(rows[hit], weight[hit]), sums(cols, weight), sums(rows, weight)
        if not hit.any():
            tp = tp.astype(np.float64)  # as scikit-learn's; a report then shows supports as floats
        return SetCounts.of_sums(tp, predicted, true, total)

    def correct_fraction(self) -> float:
        """Return the fraction (of the weight) of the rows whose labels are equal."""
        if self.weight is None:
            rows, cols = self._cells
            return int(self._cell_counts[rows == cols].sum()) / self.n_samples
        return float(np.average(self._is_hit, weights=self.weight))

    def correct_sum(self) -> float:
        """Return the number (the weight) of the rows whose labels are equal."""
        if self.weight is None:
            rows, cols = self._cells
            return float(self._cell_counts[rows == cols].sum())
        return float(self._is_hit @ self.weight)

    def wrong_fraction(self) -> float:
        """Return the fraction (of the weight) of the rows whose labels differ."""
        if self.weight is None:
            rows, cols = self._cells
            return int(self._cell_counts[rows != cols].sum()) / self.n_samples
        return float(np.average(~self._is_hit, weights=self.weight))

    @property
    def _is_hit(self) -> NDArray[np.bool_]:
        rows, cols = self._row_labels
        hit: NDArray[np.bool_] = rows == cols
        return hit

    @cached_property
    def _row_labels(self) -> tuple[Ints, Ints]:
        """Positions in ``self.labels`` of the true and of the predicted label of each row."""
        true, pred = (
            codes if _is_identity(positions) else positions[codes]
            for codes, positions in zip(self._codes, self._positions, strict=True)
        )
        return true, pred


class IndicatorPair:
    """Two label indicator matrices of the same shape.

    Parameters
    ----------
    y_true, y_pred : csr_array
        The matrices, without stored zeros.
    weight : ndarray of shape (n_samples,), optional
        Weights of the rows.
    """

    kind = "multilabel-indicator"

    def __init__(self, y_true: Any, y_pred: Any, weight: NDArray[Any] | None) -> None:
        self.y_true, self.y_pred, self.weight = y_true, y_pred, weight
        self.n_samples, n_labels = y_true.shape
        self.labels = np.arange(n_labels)

    def counts(self, labels: NDArray[Any] | None = None, *, samplewise: bool = False) -> SetCounts:
        """Return the counts of each label, or of each row, among `labels`."""
        y_true, y_pred = self.y_true, self.y_pred
        if labels is not None:
            self._check_labels(labels)
            y_true, y_pred = y_true[:, labels], y_pred[:, labels]
        total = y_true.shape[1] if samplewise else y_true.shape[0]
        if self.weight is not None:
            total = self.weight * total if samplewise else np.sum(self.weight)
        tp, predicted, true = (
            _count_nonzero(matrix, self.weight, samplewise=samplewise)
            for matrix in (y_true.multiply(y_pred).tocsr(), y_pred, y_true)
        )
        return SetCounts.of_sums(tp, predicted, true, total)

    def _check_labels(self, labels: NDArray[Any]) -> None:
        highest = len(self.labels) - 1
        if np.max(labels) > highest:
            raise ValueError(
                "All labels must be in [0, n labels) for multilabel targets. "
                f"Got {np.max(labels)} > {highest}"
            )
        if np.min(labels) < 0:
            raise ValueError(
                "All labels must be in [0, n labels) for multilabel targets. "
                f"Got {np.min(labels)} < 0"
            )

    def n_differences(self) -> Ints:
        """Return in how many labels each row differs."""
        different = self.y_true != self.y_pred
        return np.asarray(different.astype(np.int64).sum(axis=1)).reshape(-1)

    def correct_fraction(self) -> float:
        """Return the fraction (of the weight) of the rows whose labels are all equal."""
        return float(np.average(self.n_differences() == 0, weights=self.weight))

    def correct_sum(self) -> float:
        """Return the number (the weight) of the rows whose labels are all equal."""
        correct = self.n_differences() == 0
        return float(np.sum(correct) if self.weight is None else correct @ self.weight)


def read_pair(y_true: Any, y_pred: Any, sample_weight: Any = None) -> LabelPair | IndicatorPair:
    """Check that two targets belong to the same task of classification, and code their labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,) or (n_samples, 1), or indicator matrices
        The labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    LabelPair or IndicatorPair
    """
    check_consistent_length(y_true, y_pred, sample_weight)
    true, pred = _read_labels(y_true, "y_true"), _read_labels(y_pred, "y_pred")
    if n_samples_of(y_true) < 1:
        raise ValueError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum "
            "of 1 sample is required."
        )
    if sample_weight is not None:
        sample_weight = _read_weight(sample_weight, y_true)
    if isinstance(true, Coded) and isinstance(pred, Coded):
        return LabelPair(true, pred, sample_weight)
    kinds = [_kind_of(true), _kind_of(pred)]
    if kinds[0] != kinds[1] and set(kinds) != set(_SINGLE_LABEL):
        raise ValueError(
            f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets"
        )
    if kinds[0] in _SINGLE_LABEL:
        raise TypeError("Sparse input is only supported when targets are of multilabel type")
    if kinds[0] != IndicatorPair.kind:
        raise ValueError(f"{kinds[0]} is not supported")
    return _read_indicators(y_true, y_pred, sample_weight)


def _read_weight(sample_weight: Any, y_true: Any) -> NDArray[Any]:
    """Return weights of any sign; whole ones stay whole."""
    weight = check_array(sample_weight, dtype=None, ensure_2d=False, input_name="sample_weight")
    dtype = np.dtype(np.float64) if weight.dtype.kind == "O" else weight.dtype
    return check_sample_weight(weight, y_true, dtype=dtype, ensure_non_negative=False)


def _read_indicators(y_true: Any, y_pred: Any, weight: NDArray[Any] | None) -> IndicatorPair:
    from scipy.sparse import csr_array

    def without_zeros(y: Any, name: str) -> Any:
        matrix = csr_array(check_sparse(y, name) if is_sparse(y) else np.asarray(y))
        if matrix.nnz and not matrix.data.all():
            matrix = matrix.copy()
            matrix.eliminate_zeros()
        return matrix

    true, pred = without_zeros(y_true, "y_true"), without_zeros(y_pred, "y_pred")
    if true.shape[1] != pred.shape[1]:
        raise ValueError("Multi-label binary indicator input with different numbers of labels")
    return IndicatorPair(true, pred, weight)


def _kind_of(labels: Coded | str) -> str:
    if isinstance(labels, str):
        return labels
    return "binary" if len(labels.compressed().levels) <= 2 else "multiclass"


def _read_labels(y: Any, name: str) -> Coded | str:
    """Return a column of labels, coded, or what kind of target it is instead."""
    if hasattr(y, "tocsr"):
        return type_of_target(y, name)
    array = as_label_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.reshape(-1)
    if array.ndim != 1 or array.size == 0:
        return type_of_target(y, name)
    if array.dtype.kind in "biu":
        return code_integers(array)
    if array.dtype.kind == "f" and type_of_target(array, name) in _SINGLE_LABEL:
        return code_integers(array)
    if array.dtype.kind in "UT" or isinstance(array[0], str):
        return code_text(array, name)
    return type_of_target(array, name)


def _fill(
    target: Ints, rows: Ints, cols: Ints, weight: NDArray[Any], n_labels: int
) -> NDArray[Any]:
    """Return a square table of the weight at (target[row], target[col]), negatives left out."""
    if _is_identity(target):
        joint = rows * n_labels + cols
    else:
        rows, cols = target[rows], target[cols]
        kept = (rows >= 0) & (cols >= 0)
        joint, weight = rows[kept] * n_labels + cols[kept], weight[kept]
    if weight.dtype.kind == "f":
        table = np.bincount(joint, weights=weight, minlength=n_labels * n_labels)
    else:
        table = np.zeros(n_labels * n_labels, dtype=np.int64)
        np.add.at(table, joint, weight.astype(np.int64))
    return table.reshape(n_labels, n_labels)


def _count_nonzero(matrix: Any, weight: NDArray[Any] | None, *, samplewise: bool) -> NDArray[Any]:
    """Return the (weighted) number of stored entries of each column, or of each row."""
    n_stored = np.diff(matrix.indptr).astype(np.int64)
    if samplewise:
        result: NDArray[Any] = n_stored if weight is None else n_stored * weight
        return result
    weights = None if weight is None else np.repeat(weight, n_stored)
    return np.bincount(matrix.indices, weights=weights, minlength=matrix.shape[1])


def _scatter(positions: Ints, values: Ints, size: int) -> Ints:
    out = np.zeros(size, dtype=np.int64)
    out[positions] = values
    return out


def _is_identity(positions: Ints) -> bool:
    return bool(np.array_equal(positions, np.arange(len(positions))))
