"""Writing model files, atomically."""

import errno
import io
import json
import os
import secrets
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from gramian.persistence._encode import Encoder
from gramian.persistence._format import (
    CHUNK,
    FORMAT,
    INLINE_BYTES,
    MANIFEST,
    MANIFEST_CEILING,
    MANIFEST_FLOOR,
    MANIFEST_RATIO,
    VERSION,
    Node,
    member_name,
)

__all__ = ["save"]

_SAMPLE = 2**16
_WORTHWHILE = 0.8  # deflate an array whose sample shrinks below this share of its size


def save(model: object, path: str | os.PathLike[str] | IO[bytes]) -> None:
    """Write a model to a file that `load` reads.

    The file holds data only, with checksums, and is the same for the same model. It is written
    under another name in the same directory and then moved into place: whatever happens on the
    way, `path` is either what it was before or the whole new file.

    Parameters
    ----------
    model : object
        An estimator, fitted or not, or any value made of: None, numbers, strings, bytes, lists,
        tuples, dicts, sets, slices, ranges, NumPy scalars, dtypes and arrays (of numbers, dates,
        strings, or of values of this list), SciPy sparse matrices, NumPy's RandomState and
        Generator (restored at the same point of its stream, without its SeedSequence), and
        objects of classes declared with `gramian.persistence.persistable`. What is shared stays
        shared.
    path : str, path-like or binary file object
        Where to write. A file object is written to in place, and left open.

    Raises
    ------
    TypeError
        If something in the model is not data, such as a function; the message says where it is.

    See Also
    --------
    load : Read the file.
    gramian.persistence : The file format.

    Examples
    --------
    >>> import io
    >>> import gramian
    >>> from gramian.linear_model import Ridge
    >>> model = Ridge(alpha=2.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> file = io.BytesIO()
    >>> gramian.save(model, file)
    >>> gramian.load(file).predict([[1.0]])
    array([1.])
    """
    manifest, members = _pack(model)
    if hasattr(path, "write"):
        if isinstance(path, io.TextIOBase):
            raise TypeError(f"path must be a binary file object. Got the text file {path!r}.")
        _write(path, manifest, members)
        return
    with _replacing(os.fsdecode(path)) as file:
        _write(file, manifest, members)


def _pack(model: object) -> tuple[bytes, list[memoryview]]:
    """Return the manifest and the content of the array members."""
    from gramian import __version__

    encoder = Encoder()
    root = encoder.encode(model)
    members: list[memoryview] = []
    for node in encoder.nodes:
        _pack_data(node, members)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "gramian": __version__,
        "members": [{"size": m.nbytes, "sha256": sha256(m).hexdigest()} for m in members],
        "objects": encoder.nodes,
        "root": root,
    }
    text = json.dumps(manifest, separators=(",", ":")).encode()
    if len(text) > MANIFEST_CEILING:
        raise ValueError(
            f"The model holds too many Python objects for a model file: they take {len(text)} "
            f"bytes, of which {MANIFEST_CEILING} are allowed. Keep numbers in NumPy arrays."
        )
    return text, members


def _pack_data(node: Node, members: list[memoryview]) -> None:
    """Put the data of an object into the manifest if they are few, else into a member."""
    array = node.get("data")
    if array is None:
        return
    content = _bytes_of(array)
    if content.nbytes <= INLINE_BYTES:
        node["data"] = content.hex()
    else:
        node["data"] = len(members)
        members.append(content)


def _bytes_of(array: np.ndarray[Any, Any]) -> memoryview:
    flat = array.T if array.flags.f_contiguous else array
    return flat.reshape(-1).view(np.uint8).data


def _write(file: Any, manifest: bytes, members: list[memoryview]) -> None:
    with ZipFile(file, "w") as archive:
        deflate = len(manifest) <= MANIFEST_FLOOR or (
            len(manifest) <= MANIFEST_RATIO * len(zlib.compress(manifest))
        )
        _write_member(archive, MANIFEST, memoryview(manifest), deflate=deflate)
        for index, content in enumerate(members):
            sample = zlib.compress(content[:_SAMPLE], 1)
            deflate = len(sample) < _WORTHWHILE * min(_SAMPLE, content.nbytes)
            _write_member(archive, member_name(index), content, deflate=deflate)


def _write_member(archive: ZipFile, name: str, content: memoryview, *, deflate: bool) -> None:
    info = ZipInfo(name)  # dated 1980, so that equal models give equal files
    info.compress_type = ZIP_DEFLATED if deflate else ZIP_STORED
    info.file_size = content.nbytes  # tells zipfile whether the member needs 64-bit sizes
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    with archive.open(info, "w") as stream:
        for start in range(0, content.nbytes, CHUNK):
            stream.write(content[start : start + CHUNK])


@contextmanager
def _replacing(path: str) -> Iterator[IO[bytes]]:
    """Open a new file that takes the place of `path` once everything has reached the disk."""
    target = os.path.realpath(path)  # a link stays a link, to the new file
    if os.path.exists(target) and not os.path.isfile(target):
        raise OSError(f"path must be a regular file, new or to be replaced. Got {path!r}.")
    directory = os.path.dirname(target)
    if not os.path.isdir(directory):
        raise FileNotFoundError(errno.ENOENT, "The directory of path does not exist", directory)
    temporary = os.path.join(directory, f".gramian-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    _sync_directory(directory)


def _sync_directory(directory: str) -> None:
    if os.name != "posix":
        return  # elsewhere a directory cannot be opened
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
