"""What metrics of regression share: checked input, and means over rows and outputs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._quantiles import weighted_quantiles
from gramian._typing import AnyFloats
from gramian.metrics._arguments import OPTIONAL_ARRAY
from gramian.params import Arrays, Constraint, OneOf, check_arguments
from gramian.validation import check_array, check_consistent_length, check_sample_weight

AVERAGES = OneOf("raw_values", "uniform_average") | Arrays()


@dataclass(frozen=True)
class Pair:
    """Checked input of a metric; `y_true` and `y_pred` have shape (n_samples, n_outputs)."""

    y_true: AnyFloats
    y_pred: AnyFloats
    weight: AnyFloats | None
    multioutput: str | AnyFloats | None

    def mean(self, values: AnyFloats) -> AnyFloats:
        """Return the weighted mean of each column."""
        if self.weight is None:
            means: AnyFloats = values.mean(axis=0)
            return means
        return np.average(values, axis=0, weights=self.weight)


def check_pair(
    function: str,
    y_true: Any,
    y_pred: Any,
    sample_weight: Any = None,
    multioutput: Any = None,
    *,
    averages: Constraint = AVERAGES,
    allow_single_weight: bool = False,
) -> Pair:
    """Check the arguments of a metric that takes several outputs.

    Parameters
    ----------
    function : str
        The metric's name, for messages.
    y_true, y_pred, sample_weight, multioutput
        Its arguments.
    averages : Constraint
        What `multioutput` may be.
    allow_single_weight : bool, default=False
        Whether `multioutput` may be one number for one output.
    """
    check_arguments(
        function,
        y_true=(y_true, Arrays()),
        y_pred=(y_pred, Arrays()),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        multioutput=(multioutput, averages),
    )
    pair = _read_pair(y_true, y_pred, sample_weight)
    if multioutput is None or isinstance(multioutput, str):
        return Pair(*pair, multioutput)
    return Pair(*pair, _check_weights(multioutput, pair[0].shape[1], allow_single_weight))


def check_single(function: str, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Pair:
    """Check the arguments of a metric that takes one output."""
    check_arguments(
        function,
        y_true=(y_true, Arrays()),
        y_pred=(y_pred, Arrays()),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
    )
    pair = Pair(*_read_pair(y_true, y_pred, sample_weight), None)
    if pair.y_true.shape[1] > 1:
        raise ValueError(f"Multioutput not supported in {function}")
    return pair


def combine(values: AnyFloats, multioutput: str | AnyFloats | None) -> Any:
    """Return the values of all outputs, or their mean."""
    if isinstance(multioutput, str):
        if multioutput == "raw_values":
            return values
        multioutput = None
    if multioutput is None:
        return float(values.mean())
    return float(np.average(values, weights=multioutput))


def explained(residual: AnyFloats, total: AnyFloats, *, force_finite: bool) -> AnyFloats:
    """Return the fraction of `total` that is not in `residual`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scores: AnyFloats = 1 - residual / total
    if force_finite:
        scores = np.where(total == 0, np.where(residual == 0, 1.0, 0.0), scores)
    return scores.astype(residual.dtype, copy=False)


def weighted_quantile(values: AnyFloats, weight: AnyFloats | None, fraction: float) -> AnyFloats:
    """Return the quantile of each column, the middle of two values that are both quantiles."""
    found = weighted_quantiles(values, weight, [fraction], method="averaged_inverted_cdf")[0]
    result: AnyFloats = found.astype(values.dtype, copy=False)
    return result


def _read_pair(
    y_true: Any, y_pred: Any, sample_weight: Any
) -> tuple[AnyFloats, AnyFloats, AnyFloats | None]:
    dtype = _common_float(y_true, y_pred, sample_weight)
    check_consistent_length(y_true, y_pred, sample_weight)
    y_true = _as_columns(y_true, dtype, "y_true")
    y_pred = _as_columns(y_pred, dtype, "y_pred")
    if y_true.shape[1] != y_pred.shape[1]:
        raise ValueError(
            "y_true and y_pred have different number of output "
            f"({y_true.shape[1]}!={y_pred.shape[1]})"
        )
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, y_true).astype(dtype, copy=False)
    return y_true, y_pred, sample_weight


def _common_float(*arrays: Any) -> np.dtype[Any]:
    """Return the precision to compute in: that of the floating inputs, float64 without any."""
    dtypes = [a.dtype for a in arrays if isinstance(getattr(a, "dtype", None), np.dtype)]
    floating = [dtype for dtype in dtypes if dtype.kind == "f"]
    return np.result_type(*floating) if floating else np.dtype(np.float64)


def _as_columns(y: Any, dtype: np.dtype[Any], name: str) -> AnyFloats:
    array: AnyFloats = check_array(y, dtype=dtype, ensure_2d=False, input_name=name)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _check_weights(weights: Any, n_outputs: int, allow_single: bool) -> AnyFloats:
    array: AnyFloats = check_array(weights, ensure_2d=False, input_name="multioutput")
    if n_outputs == 1 and not allow_single:
        raise ValueError("Custom weights are useful only in multi-output cases.")
    if array.shape[0] != n_outputs:
        raise ValueError(
            f"There must be equally many custom weights ({array.shape[0]}) "
            f"as outputs ({n_outputs})."
        )
    return array
