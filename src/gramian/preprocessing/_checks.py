"""What the transformers of this family share: reading features, and naming what they return.

Unlike models, they take the columns of a data frame as they are: nothing is encoded or filled in.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import feature_names
from gramian._output import output_container
from gramian.blocks import Scan
from gramian.table import as_table, number_table
from gramian.validation import (
    check_array,
    check_is_fitted,
    check_predict,
    is_sparse,
    numbers_of_scan,
    set_feature_names,
)

__all__ = [
    "OneToOneNames",
    "fit_matrix",
    "frame_of",
    "is_sparse",
    "refuse_sparse_frames",
    "transform_matrix",
]

FLOATS = (np.float64, np.float32)


def frame_of(X: Any) -> Any:
    """Return a data frame of any library as a narwhals frame; None if `X` is something else."""
    if isinstance(X, (np.ndarray, list, tuple)) or is_sparse(X):
        return None
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    is_stream = hasattr(type(X), "schema") and hasattr(type(X), "__arrow_c_stream__")
    if is_stream and not nw.dependencies.is_into_dataframe(X) and not hasattr(X, "collect"):
        import pyarrow as pa

        X = pa.table(X)
    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError:
        frame = None
    if isinstance(frame, nw.DataFrame):
        return frame
    as_table(X)  # says what is wrong with a lazy frame, or with columns of the same name
    return None


def fit_matrix(
    estimator: Any,
    X: Any,
    *,
    accept_sparse: Any = False,
    dtype: Any = FLOATS,
    min_samples: int = 1,
    check_finite: bool = True,
) -> Any:
    """Return the features that were passed to ``fit`` as a matrix, and note number and names.

    NaN is allowed if the estimator's tag ``allow_nan`` says so.
    """
    if isinstance(X, Scan):
        return numbers_of_scan(estimator, X)[0]
    table = number_table(X)
    frame = frame_of(X) if table is None else None
    nan_rule: bool | str = "allow-nan" if estimator._tags().allow_nan else True
    data = check_array(
        X if table is None else table.matrix,
        accept_sparse,
        dtype=dtype,
        ensure_all_finite=nan_rule if check_finite else False,
        ensure_min_samples=min_samples,
        estimator=estimator,
        input_name="X",
    )
    named = data if frame is None else frame.head(0).to_native()
    set_feature_names(estimator, named if table is None else table)
    vars(estimator)["n_features_in_"] = int(data.shape[1])
    return data


def transform_matrix(
    estimator: Any,
    X: Any,
    *,
    accept_sparse: Any = False,
    dtype: Any = FLOATS,
    check_finite: bool = True,
) -> Any:
    """Return new rows as a matrix with the columns of ``fit``."""
    if "n_features_in_" in vars(estimator) or estimator._tags().requires_fit:
        return check_predict(
            estimator, X, accept_sparse=accept_sparse, dtype=dtype, check_finite=check_finite
        )
    nan_rule: bool | str = "allow-nan" if estimator._tags().allow_nan else True
    return check_array(
        X,
        accept_sparse,
        dtype=dtype,
        ensure_all_finite=nan_rule,
        estimator=estimator,
        input_name="X",
    )


def refuse_sparse_frames(estimator: Any, *, dense: str, sparse_output: bool) -> None:
    """Raise ValueError if a sparse result is to be given as a data frame.

    `dense` is what makes the result dense.
    """
    container = output_container(estimator)
    if container != "default" and sparse_output:
        name = container.capitalize()
        raise ValueError(
            f"{name} output does not support sparse data. Set {dense} to output {container} "
            f'dataframes or disable {name} output via set_output(transform="default").'
        )


class OneToOneNames:
    """Mixin of transformers that return one column for each input column, under its name."""

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the output columns.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the input columns; by default those seen at fit, or x0, x1, ...
        """
        check_is_fitted(self, "n_features_in_")
        return feature_names(self, input_features)
