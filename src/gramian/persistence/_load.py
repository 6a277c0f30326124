"""Reading model files, trusting nothing in them."""

import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, NoReturn
from zipfile import ZipFile

from gramian.exceptions import ModelFileError
from gramian.persistence._decode import Decoder
from gramian.persistence._format import FORMAT, VERSION, FormatError
from gramian.persistence._members import Members

__all__ = ["load"]

_KEYS = {"format", "version", "gramian", "members", "objects", "root"}


def load(path: str | os.PathLike[str] | IO[bytes]) -> Any:
    """Read a model that `save` wrote.

    Nothing that the file says is executed or imported: a file names classes, and those which are
    not estimators of the library or declared with `gramian.persistence.persistable` are refused.
    Structure, checksums, sizes, types and shapes are checked before they are used, so that a
    damaged or hostile file gives an error, not a crash. What a model then *predicts* is the
    author's affair: load models from people whose predictions you would use.

    Parameters
    ----------
    path : str, path-like or binary file object
        What to read. A file object must be seekable; it is read as a whole and left open.

    Returns
    -------
    model : object
        What was saved. Arrays are new, writeable, and in the order that they had.

    Raises
    ------
    ModelFileError
        If the file is not a model file, is damaged, or was written by a newer format version.
    OSError
        If the file cannot be opened.

    See Also
    --------
    save : Write the file.
    gramian.persistence : The file format, and what loading a file can cost at most.

    Examples
    --------
    >>> import io
    >>> import gramian
    >>> file = io.BytesIO()
    >>> gramian.save({"threshold": 0.5}, file)
    >>> gramian.load(file)
    {'threshold': 0.5}
    >>> gramian.load(io.BytesIO(b"not a model"))
    Traceback (most recent call last):
        ...
    gramian.exceptions.ModelFileError: <file object> cannot be loaded: it is no zip file, ...
    """
    with _opened(path) as (file, name):
        try:
            return _read(file)
        except (MemoryError, ImportError):  # the machine's fault, not the file's
            raise
        except FormatError as error:
            raise ModelFileError(f"{name} cannot be loaded: {error}.") from None
        except Exception as error:  # zipfile alone lets nine kinds of exception out
            raise ModelFileError(
                f"{name} cannot be loaded: it is damaged ({type(error).__name__}: {error})."
            ) from error


@contextmanager
def _opened(path: str | os.PathLike[str] | IO[bytes]) -> Iterator[tuple[Any, str]]:
    if hasattr(path, "read"):
        if isinstance(path, io.TextIOBase):
            raise TypeError(f"path must be a binary file object. Got the text file {path!r}.")
        yield path, "<file object>"
    else:
        with open(path, "rb") as file:
            yield file, os.fsdecode(path)


def _read(file: Any) -> Any:
    n_bytes = file.seek(0, os.SEEK_END)
    file.seek(0)
    if file.read(4) != b"PK\x03\x04":
        raise FormatError("it is no zip file, and so no model file of gramian")
    with ZipFile(file) as archive:
        members = Members(archive, n_bytes)
        manifest = _parse(members.manifest())
        _check_manifest(manifest)
        members.declare(manifest["members"])
        model = Decoder(members).decode(manifest["objects"], manifest["root"])
        members.check_all_read()
        return model


def _check_manifest(manifest: Any) -> None:
    if type(manifest) is not dict or manifest.get("format") != FORMAT:
        raise FormatError("it is not a model file of gramian")
    version = manifest.get("version")
    if type(version) is not int or version < 1:
        raise FormatError(f"{version!r} is no format version")
    if version > VERSION:
        raise FormatError(
            f"it has the format version {version}, written by gramian {manifest.get('gramian')!r}; "
            f"this gramian reads up to version {VERSION}: upgrade gramian"
        )
    if manifest.keys() != _KEYS:
        raise FormatError(f"its manifest has the wrong keys: {sorted(manifest.keys() ^ _KEYS)}")


def _refuse_literal(text: str) -> NoReturn:
    raise FormatError(f"its manifest has the number {text[:40]}, which is not an integer")


def _integer(text: str) -> int:
    if len(text) > 20:  # the time to read decimal digits is quadratic in their number
        raise FormatError(f"its manifest has the integer {text[:20]}..., which is too long")
    return int(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        raise FormatError("its manifest has a key twice in one object")
    return unique


_JSON = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_integer,
    parse_float=_refuse_literal,
    parse_constant=_refuse_literal,
)


def _parse(text: bytes) -> Any:
    try:
        return _JSON.decode(text.decode("utf-8"))
    except RecursionError:
        raise FormatError("its manifest is nested too deeply") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"its manifest is not JSON: {error}") from None
