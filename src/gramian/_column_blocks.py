"""Blocks of columns that parts of a composition return, joined."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.table import CategoricalColumn, Table, as_table
from gramian.validation import check_sparse, is_sparse


def feature_names(estimator: Any, input_features: Any = None) -> NDArray[Any]:
    """Return the names of the columns of fit: those given, those seen, or x0, x1, ..."""
    fitted = getattr(estimator, "feature_names_in_", None)
    n_features = getattr(estimator, "n_features_in_", None)
    if input_features is None:
        if fitted is not None:
            return np.asarray(fitted, dtype=object)
        if n_features is None:
            raise ValueError("Unable to generate feature names without n_features_in_")
        return np.array([f"x{j}" for j in range(n_features)], dtype=object)
    names = np.asarray(input_features, dtype=object)
    if fitted is not None and not np.array_equal(fitted, names):
        raise ValueError("input_features is not equal to feature_names_in_")
    if n_features is not None and len(names) != n_features:
        raise ValueError(
            f"input_features should have length equal to number of features ({n_features}), got "
            f"{len(names)}"
        )
    return names


def prefixed_names(
    blocks: Sequence[tuple[str, Any]], rename: Callable[[str, str], str] | None
) -> NDArray[Any]:
    """Join the names of several blocks of columns; without `rename` they must be distinct."""
    if rename is not None:
        names = [rename(block, str(name)) for block, columns in blocks for name in columns]
        return np.array(names, dtype=object)
    joined = [name for _, columns in blocks for name in columns]
    repeated = sorted(name for name, count in Counter(joined).items() if count > 1)
    if repeated:
        shown = str(repeated) if len(repeated) <= 5 else f"{str(repeated[:5])[:-1]}, ...]"
        raise ValueError(
            f"Output feature names: {shown} are not unique. Please set "
            "verbose_feature_names_out=True to add prefixes to feature names"
        )
    return np.array(joined, dtype=object)


def as_frame(X: Any) -> Any:
    """Return a data frame of any library as a narwhals frame; None for anything else."""
    if isinstance(X, (np.ndarray, list, tuple)) or hasattr(X, "tocsr"):
        return None
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def as_matrix(block: Any) -> Any:
    """Return a block of columns as an array; numbers with gaps and dates become floats."""
    frame = as_frame(block)
    if frame is None:
        return check_sparse(block) if is_sparse(block) else np.asarray(block)
    values = frame.to_numpy()
    if values.dtype.kind not in "OmM":
        return values
    table = as_table(block)
    return values if table is None else table_matrix(table)


def table_matrix(table: Table) -> NDArray[Any]:
    """Return a table as a matrix: of floats if all columns are numeric, else of objects."""
    if table.matrix is not None:
        return table.matrix
    if not table.columns:
        return np.empty(table.shape)
    columns: list[NDArray[Any] | None] = []
    for column in table.columns:
        numbers = column.numbers()
        if numbers is None and isinstance(column, CategoricalColumn):
            levels: NDArray[Any] = np.array([*column.categories, np.nan], dtype=object)
            numbers = levels[column.codes]
        columns.append(numbers)
    return np.column_stack(columns)  # type: ignore[arg-type]


def join_columns(blocks: Sequence[Any], container: str) -> Any:
    """Put blocks of columns side by side: frames if all are of the container, else an array."""
    frames = [as_frame(block) for block in blocks]
    if container != "default" and all(
        frame is not None and str(frame.implementation) == container for frame in frames
    ):
        import narwhals.stable.v2 as nw

        # The names may repeat between blocks; the caller gives the final ones.
        unique = [
            frame.rename({name: f"{i}_{j}" for j, name in enumerate(frame.columns)})
            for i, frame in enumerate(frames)
        ]
        return nw.concat(unique, how="horizontal").to_native()
    if any(hasattr(block, "tocsr") for block in blocks):
        from scipy import sparse

        return sparse.hstack([as_matrix(block) for block in blocks]).tocsr()
    return np.hstack([as_matrix(block) for block in blocks])
