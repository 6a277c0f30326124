"""Read a table from a file, or take a built-in one by name."""

import codecs
import gzip
from functools import partial
from pathlib import Path

import polars as pl

from gramian.datasets import find_table, table_names

_SEPARATORS = (",", ";", "\t", "|")
_TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
_MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"]
_SNIFFED_BYTES = 65536
_TIME = r"^\s*\d{1,4}([-/.]\d{1,2}[-/.]\d{1,4}|:\d{2})"


MOST_COLUMNS = 10_000


class TableError(ValueError):
    """A table, or what is asked of it, cannot be used; the message is one line for people."""


def read_table(source: str | Path) -> pl.DataFrame:
    """Read a CSV, TSV or Parquet file, or return the built-in table of that name.

    Parameters
    ----------
    source : str or path
        A path that ends in .csv, .tsv, .txt (all also with .gz) or .parquet, or the name of a
        built-in table. Text has a header line and is UTF-8, UTF-16 with a byte order mark, or else
        Windows-1252 (Latin-1); the separator is the one of ``, ; | tab`` that is most frequent in
        the header. Empty cells and NA, N/A, NaN, null, None and ? are missing values. Columns
        without a name, or with that of an earlier one, are named by their place: column_3, a_2.

    Returns
    -------
    polars.DataFrame

    Examples
    --------
    >>> from gramian.report import read_table
    >>> read_table("auto_mpg").shape
    (398, 9)
    """
    builtin = find_table(str(source))
    if builtin is not None:
        frame: pl.DataFrame = builtin.frame("polars")
        return frame
    path = Path(source)
    _check_file(path)
    table = _read_parquet(path) if path.suffix.lower() == ".parquet" else _read_text(path)
    if table.width == 0 or table.height == 0:
        raise TableError(f"{path} has a header but no rows.")
    return table


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise TableError(f"{path} is a directory; give a CSV, TSV or Parquet file.")
    if not path.exists():
        names = ", ".join(table_names())
        raise TableError(f"{path} does not exist, nor is it a built-in table ({names}).")
    if not path.is_file():
        raise TableError(f"{path} is not a regular file.")
    if path.suffix.lower() != ".parquet" and _text_suffix(path) not in _TEXT_SUFFIXES:
        raise TableError(
            f"{path} is no table this command reads: the name must end in .csv, .tsv, .txt "
            "(also with .gz) or .parquet."
        )
    if path.stat().st_size == 0:
        raise TableError(f"{path} is empty.")


def _text_suffix(path: Path) -> str:
    is_packed = path.suffix.lower() == ".gz"
    return Path(path.stem).suffix.lower() if is_packed else path.suffix.lower()


def _read_parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except OSError as error:
        raise _unreadable(path, error) from None
    except pl.exceptions.PolarsError as error:
        raise TableError(f"{path} is not a Parquet file: {_first_line(error)}.") from None


def _read_text(path: Path) -> pl.DataFrame:
    head = _first_bytes(path)
    if not head.strip():
        raise TableError(f"{path} is empty.")
    source: Path | bytes = path
    if not _is_utf8(head):
        source = _as_utf8(path)
        head = source[:_SNIFFED_BYTES]
    separator = _find_separator(path, head)
    try:
        try:
            return _parse(path, source, separator)
        except pl.exceptions.PolarsError as error:  # the bytes that are not UTF-8 come later
            if "utf-8" not in str(error).lower() or isinstance(source, bytes):
                raise
            return _parse(path, _as_utf8(path), separator)
    except OSError as error:
        raise _unreadable(path, error) from None
    except pl.exceptions.PolarsError as error:
        raise TableError(_explain(path, error)) from None


def _parse(path: Path, source: Path | bytes, separator: str) -> pl.DataFrame:
    header = pl.read_csv(
        source, has_header=False, n_rows=1, infer_schema=False, separator=separator
    )
    check_width(header.width)
    read = partial(
        pl.read_csv,
        source,
        separator=separator,
        has_header=False,
        skip_rows=1,
        infer_schema_length=None,
        null_values=_MISSING,
    )
    table = read()
    # To try every text for a date takes a hundred times as long as to read it.
    times = [column.name for column in table.select(pl.col(pl.String)) if _begins_with_time(column)]
    if times:
        table = table.with_columns(read(columns=times, try_parse_dates=True))
    if table.width > header.width:
        raise TableError(f"{path} is no table: some line has more cells than the header.")
    table.columns = _unique_names([str(name or "") for name in header.row(0)])
    return _parse_padded_numbers(table, decimal_comma=separator == ";")


def _begins_with_time(column: pl.Series) -> bool:
    """Tell whether the first text of a column has the form of a date or of a time of day."""
    first = column.drop_nulls().head(1)
    return bool(first.str.contains(_TIME).any())


def _is_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character may be cut in two
    except UnicodeDecodeError:
        return False
    return b"\x00" not in head


def _as_utf8(path: Path) -> bytes:
    """Return the text of a file that is not UTF-8: UTF-16 with its mark, or Windows-1252."""
    try:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix.lower() == ".gz" else content
    except OSError as error:
        raise _unreadable(path, error) from None
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return content.decode("utf-16").encode()
        except UnicodeDecodeError:
            raise TableError(f"{path} begins like UTF-16 text, but is cut off.") from None
    if b"\x00" in content:
        raise TableError(f"{path} is not text (it holds zero bytes); save it as CSV in UTF-8.")
    return content.decode("cp1252", errors="replace").encode()


def _first_bytes(path: Path) -> bytes:
    try:
        if path.suffix.lower() == ".gz":
            with gzip.open(path) as packed:
                return packed.read(_SNIFFED_BYTES)
        with path.open("rb") as plain:
            return plain.read(_SNIFFED_BYTES)
    except EOFError:
        raise TableError(f"{path} cannot be read: the compressed file is cut off.") from None
    except OSError as error:
        raise _unreadable(path, error) from None


def _find_separator(path: Path, head: bytes) -> str:
    if _text_suffix(path) == ".tsv":
        return "\t"
    first = head.split(b"\n", 1)[0].decode("utf-8", errors="replace")
    return max(_SEPARATORS, key=first.count)


def _unique_names(names: list[str]) -> list[str]:
    """Return the names without blanks around, each once."""
    stripped = [name.removeprefix("\ufeff").strip() for name in names]
    taken, unique = set(stripped), []
    seen: set[str] = set()
    for place, name in enumerate(stripped, start=1):
        stem, count = name or f"column_{place}", 2
        candidate = stem
        while candidate in seen or (candidate != name and candidate in taken):
            candidate, count = f"{stem}_{count}", count + 1
        seen.add(candidate)
        unique.append(candidate)
    return unique


def check_width(n_columns: int) -> None:
    """Refuse a table that all models together would need hours for."""
    if n_columns > MOST_COLUMNS:
        raise TableError(
            f"the table has {n_columns} columns, and a comparison takes {MOST_COLUMNS} at most; "
            "keep those that matter, or fit a model for many columns, such as Lasso, by itself."
        )


def _unreadable(path: Path, error: OSError) -> TableError:
    return TableError(f"{path} cannot be read: {error.strerror or _first_line(error)}.")


def _explain(path: Path, error: Exception) -> str:
    if isinstance(error, pl.exceptions.NoDataError):
        return f"{path} has a header but no rows."
    if "more fields" in str(error):
        return f"{path} is no table: some line has more cells than the header."
    return f"{path} cannot be read as a table: {_first_line(error)}."


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _parse_padded_numbers(table: pl.DataFrame, *, decimal_comma: bool) -> pl.DataFrame:
    """Trim texts, and read as numbers the columns that hold nothing else.

    Cells such as " 2" after a comma and a blank, or "1,5" where the separator is a semicolon,
    arrive as text.
    """
    columns = []
    for column in table.select(pl.col(pl.String)):
        text = column.str.strip_chars()
        digits = text.str.replace(",", ".", literal=True) if decimal_comma else text
        number = digits.cast(pl.Float64, strict=False)
        is_number = number.null_count() == text.null_count() < table.height
        columns.append(number if is_number else text)
    return table.with_columns(columns)
