"""Arrays as pandas objects, and table files as arrays."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def with_target(
    data: Any, target: Any, feature_names: Any, *, as_frame: bool, target_name: str = "target"
) -> tuple[Any, Any, Any]:
    """Return data, target and the frame of both; the frame is None unless `as_frame`."""
    if not as_frame:
        return data, target, None
    import pandas as pd

    features = pd.DataFrame(data, columns=feature_names)
    frame = pd.concat([features, pd.Series(target, name=target_name)], axis=1)
    return frame[list(feature_names)], frame[target_name], frame


def read_matrix(path: Path, n_columns: int) -> NDArray[np.float64]:
    """Read a Parquet or CSV file of numbers with whichever data frame library there is."""
    import narwhals as nw

    backend = next((name for name in ("polars", "pyarrow", "pandas") if find_spec(name)), None)
    if backend is None:
        raise ImportError(f"{path} can be read once polars, pyarrow or pandas is installed.")
    read = nw.read_parquet if path.suffix == ".parquet" else nw.read_csv
    frame = read(str(path), backend=backend)  # type: ignore[arg-type]
    if frame.shape[1] != n_columns:
        raise ValueError(
            f"{path} should have {n_columns} columns, the target last; it has {frame.shape[1]}."
        )
    return np.column_stack([frame[name].to_numpy() for name in frame.columns]).astype(np.float64)
