"""Tables of openml.org that the user has in other formats, in the folder GRAMIAN_DATA."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.datasets._download import local_folder
from gramian.datasets._openml_table import start_of_rows

__all__ = ["MNIST", "is_mnist", "local_mnist", "mnist_columns", "read_mnist"]

MNIST = {
    "id": "554",
    "name": "mnist_784",
    "version": "1",
    "format": "ARFF",
    "status": "active",
    "default_target_attribute": "class",
}
_STEMS = ("mnist_784", "mnist")
_SUFFIXES = (".npz", ".parquet", ".csv", ".arff")
_N_PIXELS = 784
_TARGETS = ("class", "label", "target", "y")
_ARRAYS = (("X",), ("y",)), (("data",), ("target",)), (("x_train", "x_test"), ("y_train", "y_test"))


def is_mnist(name: str | None, version: str | int, data_id: int | None) -> bool:
    """Tell whether a table is the one of handwritten digits."""
    by_name = name is not None and data_id is None and name.lower() == MNIST["name"]
    by_number = name is None and data_id == int(MNIST["id"])
    return (by_name or by_number) and version in ("active", int(MNIST["version"]))


def local_mnist() -> Path | None:
    """Return the user's own file of the digits, the first of several."""
    folder = local_folder()
    if folder is None:
        return None
    paths = (folder / (stem + suffix) for stem in _STEMS for suffix in _SUFFIXES)
    return next((path for path in paths if path.is_file()), None)


def mnist_columns() -> list[dict[str, str]]:
    """Return the columns as the server lists them."""
    common = {"is_ignore": "false", "is_row_identifier": "false", "number_of_missing_values": "0"}
    names = [*(f"pixel{k}" for k in range(1, _N_PIXELS + 1)), "class"]
    return [
        {
            "index": str(k),
            "name": name,
            "data_type": "nominal" if name == "class" else "numeric",
            "is_target": "true" if name == "class" else "false",
            **common,
        }
        for k, name in enumerate(names)
    ]


def read_mnist(path: Path, options: dict[str, Any]) -> Any:
    """Return the table as a data frame: whole numbers, and classes that are texts."""
    import pandas as pd

    if options and path.suffix not in (".csv", ".arff"):
        raise ValueError(
            f"read_csv_kwargs is for tables of text, but the table is read from {path}."
        )
    try:
        pixels, labels = _READERS[path.suffix](path, options)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"The digits cannot be read from {path}: {error}") from error
    if pixels.ndim != 2 or pixels.shape[1] != _N_PIXELS or len(pixels) != len(labels):
        raise ValueError(
            f"{path} should have {_N_PIXELS} pixels and a class for each digit, but has pixels of "
            f"shape {pixels.shape} and {len(labels)} classes."
        )
    names = [column["name"] for column in mnist_columns()]
    frame = pd.DataFrame(pixels.astype(np.int64, copy=False), columns=names[:-1])
    return frame.assign(**{names[-1]: pd.Categorical(_as_texts(labels))})


def _as_texts(labels: NDArray[Any]) -> list[str]:
    if labels.dtype.kind in "fiu":
        return [str(int(label)) for label in labels]
    texts = (label.decode() if isinstance(label, bytes) else str(label) for label in labels)
    return [text.strip("'\"") for text in texts]


def _from_npz(path: Path, options: dict[str, Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    with np.load(path, allow_pickle=False) as arrays:
        for parts in _ARRAYS:
            if all(name in arrays for part in parts for name in part):
                pixels, labels = (np.concatenate([arrays[n] for n in part]) for part in parts)
                return pixels.reshape(len(pixels), -1), labels.reshape(-1)
        found = ", ".join(arrays)
    raise ValueError(f"it should have arrays X and y, or data and target, but has {found}.")


def _from_frame(frame: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    names = [str(name) for name in frame.columns]
    at = next((names.index(name) for name in _TARGETS if name in names), len(names) - 1)
    return np.delete(frame.to_numpy(), at, axis=1), frame.iloc[:, at].to_numpy()


def _from_parquet(path: Path, options: dict[str, Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    import pandas as pd

    return _from_frame(pd.read_parquet(path))


def _from_csv(path: Path, options: dict[str, Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    import pandas as pd

    return _from_frame(pd.read_csv(path, **options))


def _from_arff(path: Path, options: dict[str, Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    import pandas as pd

    content = path.read_bytes()
    rows = io.BytesIO(content[start_of_rows(content) :])
    return _from_frame(pd.read_csv(rows, **{"header": None, "comment": "%", **options}))


_READERS = {
    ".npz": _from_npz,
    ".parquet": _from_parquet,
    ".csv": _from_csv,
    ".arff": _from_arff,
}
