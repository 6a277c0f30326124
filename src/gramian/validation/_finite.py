"""Finding NaN and infinity, and saying where they are."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gramian._finite import all_finite as all_finite_in_memory
from gramian.blocks import BlockMatrix, is_blocks
from gramian.config import get_config

__all__ = ["all_finite", "raise_non_finite", "require_finite"]

_N_SHOWN = 5


def all_finite(X: Any) -> bool:
    """Tell whether a float array, a sparse one or one that comes in blocks is all finite."""
    if not is_blocks(X):
        return all_finite_in_memory(X)
    if X.is_finite is None:
        X.is_finite = all(all_finite_in_memory(block) for block in X.row_blocks())
    return bool(X.is_finite)


def _first_non_finite(X: BlockMatrix) -> NDArray[Any]:
    """Return the first block that holds NaN or infinity."""
    return next(block for block in X.row_blocks() if not all_finite_in_memory(block))


def require_finite(
    X: Any,
    name: str,
    estimator: Any = None,
    *,
    allow_nan: bool = False,
    names: Sequence[str] | None = None,
) -> None:
    """Raise ValueError if `X` holds infinity, or NaN where that is not allowed."""
    if get_config()["assume_finite"] or all_finite(X):
        return
    if is_blocks(X):
        raise_non_finite(X, name, estimator, names=names)
    values = X if isinstance(X, np.ndarray) else X.data
    if not allow_nan or np.isinf(values).any():
        raise_non_finite(X, name, estimator, allow_nan=allow_nan, names=names)


def raise_non_finite(
    X: Any,
    name: str,
    estimator: Any = None,
    *,
    allow_nan: bool = False,
    names: Sequence[str] | None = None,
) -> NoReturn:
    """Raise the ValueError that says which values of `X` are NaN or infinite.

    Parameters
    ----------
    X : ndarray or sparse matrix
        Data with at least one such value.
    name : str
        What the data are called: "X", "y", "sample_weight".
    estimator : estimator or str, optional
        Who cannot use them.
    allow_nan : bool, default=False
        Whether NaN is fine, so that infinity alone is meant.
    names : sequence of str, optional
        Names of the columns; by default those of the estimator's encoding or features.
    """
    if is_blocks(X):
        X = _first_non_finite(X)
    values = X if isinstance(X, np.ndarray) else X.data
    is_nan = np.isnan(values)
    has_nan = bool(is_nan.any()) and not allow_nan
    mask = is_nan if has_nan else np.isinf(values)
    label = f"{name} " if name else ""
    if has_nan:
        first = f"Input {label}contains NaN."
    else:
        first = f"Input {label}contains infinity or a value too large for {X.dtype!r}."
    if name == "X" and X.ndim == 2:
        where = _columns(_count_by_column(X, mask), X.shape[0], names or _names(estimator, X))
    else:
        where = _rows(mask)
    raise ValueError(f"{first}\n{where}{_advice(name, estimator, has_nan)}")


def _count_by_column(X: Any, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return in how many rows of each column the mask of the (stored) values holds."""
    if isinstance(X, np.ndarray):
        count: NDArray[np.int64] = mask.sum(axis=0)
        return count
    column = X.tocoo().col if X.format != "csr" else X.indices
    return np.bincount(column[mask], minlength=X.shape[1])


def _columns(count: NDArray[np.int64], n_rows: int, names: Sequence[str] | None) -> str:
    """Name the first columns that are counted."""
    columns = np.flatnonzero(count)
    shown = ", ".join(
        f"{j if names is None else repr(names[j])} ({count[j]} of {n_rows} rows)"
        for j in columns[:_N_SHOWN]
    )
    more = f" and {len(columns) - _N_SHOWN} more" if len(columns) > _N_SHOWN else ""
    return f"{'Column' if len(columns) == 1 else 'Columns'}: {shown}{more}."


def _rows(mask: NDArray[np.bool_]) -> str:
    """Number the first rows in which the mask holds."""
    rows = np.flatnonzero(mask.reshape(len(mask), -1).any(axis=1))
    shown = ", ".join(str(row) for row in rows[:_N_SHOWN])
    more = ", ..." if len(rows) > _N_SHOWN else ""
    return f"{len(rows)} of {len(mask)} rows: {shown}{more}."


def _names(estimator: Any, X: Any) -> Sequence[str] | None:
    """Return the names of the columns, if the estimator knows them."""
    state = getattr(estimator, "__dict__", {})
    encoding = state.get("encoding_")
    if encoding is not None:
        names: Sequence[str] = encoding.get_feature_names_out().tolist()
    else:
        names = list(state.get("feature_names_in_", ()))
    return names if len(names) == X.shape[1] else None


def _advice(name: str, estimator: Any, has_nan: bool) -> str:
    if name != "X":
        return f"\nDrop these rows first, or correct {name}." if name else ""
    if not has_nan:
        return "\nReplace or drop these values first."
    whom = estimator_name(estimator) or "This method"
    refusal = f"\n{whom} does not accept missing values encoded as NaN"
    if _encodes_frames(estimator):
        return (
            f"{refusal} in an array. Pass a data frame, in which missing values are encoded "
            "automatically (the mean, with an indicator column), or fill or drop them first."
        )
    return (
        f"{refusal}. Fill them first, for example with gramian.impute.SimpleImputer in a pipeline, "
        "or drop these rows."
    )


def _encodes_frames(estimator: Any) -> bool:
    """Tell whether the estimator is a model, which encodes data frames, not a transformer."""
    tags = getattr(estimator, "_tags", None)
    return callable(tags) and tags().estimator_type is not None


def is_missing(value: Any) -> bool:
    """Tell whether a Python object is None, NaN or pandas' mark for a missing value."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def estimator_name(estimator: Any) -> str | None:
    """Return how messages call an estimator, which may be given by name."""
    if estimator is None or isinstance(estimator, str):
        return estimator
    return type(estimator).__name__
