"""The text of an OpenML table as arrays and data frames."""

import io
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.datasets._arff import read_arff

# data, target, frame, levels of the categorical columns
Parts = tuple[Any, Any, Any, Any]


@dataclass(frozen=True)
class Selection:
    """The columns of a table as the server lists them, and which of them are wanted."""

    columns: dict[str, dict[str, str]]
    features: list[str]
    targets: list[str]

    @classmethod
    def of(cls, listed: list[dict[str, str]], target_column: Any) -> "Selection":
        """Choose the target, and as features all other columns that are not to be ignored."""
        columns = {column["name"]: column for column in listed}
        if target_column is None:
            targets = []
        elif isinstance(target_column, str):
            default = [name for name, column in columns.items() if column["is_target"] == "true"]
            targets = default if target_column == "default-target" else [target_column]
        else:
            targets = list(target_column)
        features = [
            name
            for name, column in columns.items()
            if name not in targets and not _is_left_out(column)
        ]
        for name in targets:
            _check_target(name, columns)
        if len({columns[name]["data_type"] == "numeric" for name in targets}) > 1:
            raise ValueError(
                "Can only handle homogeneous multi-target datasets, i.e., all targets are either "
                "numeric or categorical."
            )
        return cls(columns, features, targets)

    def check_no_text(self) -> None:
        """Refuse columns of text, which have no array form."""
        for column in self.columns.values():
            if column["data_type"] == "string" and not _is_left_out(column):
                raise ValueError(
                    "STRING attributes are not supported for array representation. Try "
                    f"as_frame=True (column {column['name']!r})."
                )

    def positions(self, names: list[str]) -> list[int]:
        """Return the columns' positions in the file."""
        return [int(self.columns[name]["index"]) for name in names]


def _is_left_out(column: dict[str, str]) -> bool:
    return "true" in (column["is_ignore"], column["is_row_identifier"])


def _check_target(name: str, columns: dict[str, dict[str, str]]) -> None:
    if name not in columns:
        raise KeyError(f"Could not find target_column={name!r}")
    for flag in ("is_ignore", "is_row_identifier"):
        if columns[name][flag] == "true":
            warnings.warn(f"target_column={name!r} has flag {flag}.", stacklevel=6)
    n_missing = int(columns[name]["number_of_missing_values"])
    if n_missing > 0:
        raise ValueError(
            f"Target column {name!r} has {n_missing} missing values. Missing values are not "
            "supported for target columns."
        )


def read_frame(content: bytes, selection: Selection, parser: str, options: dict[str, Any]) -> Parts:
    """Read a dense table into pandas objects."""
    import pandas as pd

    if parser == "pandas":
        frame = _read_csv(content, selection, options)
    else:
        arff = read_arff(io.StringIO(content.decode("utf-8")))
        columns = [
            c if any(v is not None for v in c) else np.full(len(c), np.nan) for c in arff.columns()
        ]
        frame = pd.DataFrame(dict(zip(arff.names, columns, strict=True)))
        kinds = {n: c["data_type"].lower() for n, c in selection.columns.items()}
        dtypes = {"integer": "Int64", "nominal": "category"}
        frame = frame.astype({n: dtypes[kind] for n, kind in kinds.items() if kind in dtypes})
    return divide_frame(frame, selection)


def divide_frame(frame: Any, selection: Selection) -> Parts:
    """Take the selected columns of a data frame apart."""
    import pandas as pd

    wanted = {*selection.features, *selection.targets}
    frame = frame[[name for name in frame.columns if name in wanted]]
    categories = {
        name: dtype.categories.tolist()
        for name, dtype in frame.dtypes.items()
        if isinstance(dtype, pd.CategoricalDtype)
    }
    targets = selection.targets
    y = frame[targets[0]] if len(targets) == 1 else frame[targets] if targets else None
    return frame[selection.features], y, frame, categories


def _read_csv(content: bytes, selection: Selection, options: dict[str, Any]) -> Any:
    import pandas as pd

    # Levels are read as texts: for "category" newer versions of pandas would make numbers of them.
    dtypes: dict[str, Any] = {"integer": "Int64", "nominal": str}
    columns = enumerate(selection.columns.values())
    settings: dict[str, Any] = {
        "header": None,
        "index_col": False,
        "na_values": ["?"],
        "keep_default_na": False,
        "comment": "%",
        "quotechar": '"',
        "skipinitialspace": True,
        "escapechar": "\\",
        "dtype": {
            i: dtypes[column["data_type"].lower()]
            for i, column in columns
            if column["data_type"].lower() in dtypes
        },
    }
    rows = content[start_of_rows(content) :]
    try:
        frame = _named_frame(rows, selection, {**settings, **options})
    except pd.errors.ParserError:  # the file quotes with ' and has commas inside
        frame = _named_frame(rows, selection, {**settings, **options, "quotechar": "'"})
    for name, column in selection.columns.items():
        if column["data_type"].lower() == "nominal":
            levels = frame[name].astype("category")
            frame[name] = levels.cat.rename_categories(_strip_quotes)
    return frame


def start_of_rows(content: bytes) -> int:
    """Return where the rows of an ARFF file begin."""
    start = 0
    for line in io.BytesIO(content):
        start += len(line)
        if line.lower().startswith(b"@data"):
            return start
    raise ValueError("The ARFF text has no line @data.")


def _named_frame(rows: bytes, selection: Selection, settings: dict[str, Any]) -> Any:
    import pandas as pd

    frame = pd.read_csv(io.BytesIO(rows), **settings)
    if frame.shape[1] != len(selection.columns):
        raise pd.errors.ParserError(
            f"The rows have {frame.shape[1]} columns; OpenML lists {len(selection.columns)}."
        )
    frame.columns = list(selection.columns)
    return frame


def _strip_quotes(level: Any) -> Any:
    is_quoted = isinstance(level, str) and len(level) >= 2 and level[0] == level[-1] == "'"
    return level[1:-1] if is_quoted else level


def read_arrays(content: bytes, selection: Selection) -> Parts:
    """Read a dense table into a matrix; classes become the positions of their levels."""
    arff = read_arff(io.StringIO(content.decode("utf-8")))
    matrix = np.column_stack(
        [_codes(column, levels) for column, levels in zip(arff.columns(), arff.levels, strict=True)]
    )
    X = matrix[:, selection.positions(selection.features)]
    y = matrix[:, selection.positions(selection.targets)]
    return _with_levels(X, y, dict(zip(arff.names, arff.levels, strict=True)), selection)


def _codes(column: list[Any], levels: list[str | None] | None) -> Any:
    if levels is None:
        return np.array(column, dtype=np.float64)
    code_of: dict[Any, float] = {level: float(i) for i, level in enumerate(levels)}
    return np.array([np.nan if cell is None else code_of[cell] for cell in column])


def read_sparse(content: bytes, selection: Selection) -> Parts:
    """Read a sparse table into a CSR matrix; classes become the positions of their levels."""
    from scipy import sparse

    arff = read_arff(io.StringIO(content.decode("utf-8")))
    entries = arff.entries()
    starts = np.cumsum([0, *entries.counts])
    shape = (len(entries.counts), len(arff.names))
    columns = np.array(entries.columns, dtype=np.int32)
    table = sparse.csr_matrix((np.array(entries.values), columns, starts), shape=shape)
    X = table[:, selection.positions(selection.features)]
    y = table[:, selection.positions(selection.targets)].toarray()
    return _with_levels(X, y, dict(zip(arff.names, arff.levels, strict=True)), selection)


def _with_levels(
    X: Any, y: Any, levels: dict[str, list[str | None] | None], selection: Selection
) -> Parts:
    """Write the levels of categorical targets out, and drop an axis of length 1."""
    if selection.targets and levels[selection.targets[0]] is not None:
        named = [
            np.array(levels[name], dtype=object)[y[:, i].astype(np.intp)]
            for i, name in enumerate(selection.targets)
        ]
        y = np.column_stack(named)
    if len(selection.targets) < 2:
        y = y[:, 0] if selection.targets else None
    categories = {name: levels[name] for name in selection.features if levels[name] is not None}
    return X, y, None, categories
