"""Download files once, into a folder, verified and whole."""

import contextlib
import gzip
import hashlib
import http.client
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from gramian.datasets._arguments import Paths, checked
from gramian.params import Integer, Nothing, Real

N_RETRIES = Integer(1)
DELAY = Real(0.0, closed="neither")

_TIMEOUT_S = 30.0
_BLOCK_BYTES = 1 << 16
_UNPACKED_FLOOR = 64 * 2**20
_UNPACKED_RATIO = 100  # tables are packed to a tenth or less; gzip could pack to a thousandth
_WORTH_RETRYING = (408, 425, 429)


class DownloadError(URLError):
    """A file could not be downloaded; the message says what to do without a network."""

    def __str__(self) -> str:
        return str(self.reason)


@dataclass(frozen=True)
class RemoteFile:
    """A file on a server: its name here, where it is, and the SHA-256 of its content."""

    filename: str
    url: str
    sha256: str


@dataclass(frozen=True)
class Retry:
    """How often to try again after a failure of the network, and the seconds between."""

    n_retries: int = 3
    delay: float = 1.0


@checked(data_home=Paths() | Nothing())
def get_data_home(data_home: str | os.PathLike[str] | None = None) -> str:
    """Return the folder of downloaded data; it is made if it does not exist.

    Parameters
    ----------
    data_home : str or path, default=None
        The folder; ``~`` stands for the home folder. None stands for ``gramian`` in the user's
        cache folder (``$XDG_CACHE_HOME``, or else ``~/.cache``).

    Returns
    -------
    str
        The path of the folder.

    Examples
    --------
    >>> import os, tempfile
    >>> from gramian.datasets import get_data_home
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     os.path.isdir(get_data_home(os.path.join(folder, "data")))
    True
    """
    if data_home is None:
        data_home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "gramian"
    folder = os.path.expanduser(data_home)
    os.makedirs(folder, exist_ok=True)
    return folder


@checked(data_home=Paths() | Nothing())
def clear_data_home(data_home: str | os.PathLike[str] | None = None) -> None:
    """Delete the folder of downloaded data with all that is in it.

    Parameters
    ----------
    data_home : str or path, default=None
        The folder, as for `get_data_home`.

    Examples
    --------
    >>> import os, tempfile
    >>> from gramian.datasets import clear_data_home, get_data_home
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     home = get_data_home(os.path.join(folder, "data"))
    ...     clear_data_home(home)
    ...     os.path.exists(home)
    False
    """
    shutil.rmtree(get_data_home(data_home))


def local_folder() -> Path | None:
    """Return the folder of the user's own copies (variable GRAMIAN_DATA), or None."""
    value = os.environ.get("GRAMIAN_DATA")
    if not value:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise NotADirectoryError(
            f"The environment variable GRAMIAN_DATA is {value!r}, which is not a folder."
        )
    return folder


def fetch_file(
    remote: RemoteFile, folder: Path, retry: Retry, *, download_if_missing: bool = True
) -> Path:
    """Return the path of a verified copy of a file; download it into `folder` if there is none."""
    own = local_folder()
    if own is not None and (own / remote.filename).is_file():
        _verify(own / remote.filename, remote)
        return own / remote.filename
    path = folder / remote.filename
    if path.is_file():
        if _sha256(path) == remote.sha256:
            return path
        warnings.warn(
            f"{path} is damaged (its SHA-256 is not that of {remote.url}); downloading it again.",
            stacklevel=2,
        )
    if not download_if_missing:
        raise OSError(
            f"Data not found and `download_if_missing` is False: there is no {path}, and no "
            f"{remote.filename} in a folder named by the environment variable GRAMIAN_DATA."
        )
    with atomic_file(path) as file:
        download(remote.url, file, retry, name=remote.filename, folder=folder)
        file.flush()
        _verify(Path(file.name), remote)
    return path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _verify(path: Path, remote: RemoteFile) -> None:
    found = _sha256(path)
    if found != remote.sha256:
        raise OSError(
            f"{remote.filename} (from {path.parent} or {remote.url}) is not the file it should be: "
            f"its SHA-256 is {found}, expected {remote.sha256}. It was not used."
        )


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file that takes its name only when it is whole; else it is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=path.name + ".part_", delete=False
    ) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def download(url: str, sink: IO[bytes], retry: Retry, *, name: str, folder: Any) -> None:
    """Write what a server sends into `sink`, unpacked if it was packed for the way.

    Raises `HTTPError` at once if the server refuses (codes 400 to 499), and `DownloadError` if
    all tries fail or a packed answer unpacks to more than 64 MiB and 100 times its size.
    """
    request = Request(url, headers={"Accept-Encoding": "gzip", "User-Agent": "gramian"})
    for tries_left in range(retry.n_retries, -1, -1):
        sink.seek(0)
        sink.truncate()
        try:
            with urlopen(request, timeout=_TIMEOUT_S) as response:
                if response.headers.get("Content-Encoding") == "gzip":
                    _unpack(response, sink, url)
                else:
                    shutil.copyfileobj(response, sink, _BLOCK_BYTES)
                if response.length:  # bytes that were announced and did not come
                    raise http.client.IncompleteRead(b"", response.length)
                return
        except (OSError, EOFError, http.client.HTTPException) as error:
            if isinstance(error, DownloadError):
                raise
            if isinstance(error, HTTPError):
                error.close()
                if 400 <= error.code < 500 and error.code not in _WORTH_RETRYING:
                    raise
            if tries_left == 0:
                raise _explain(url, error, name, folder) from error
        warnings.warn(f"Retry downloading from url: {url}", stacklevel=3)
        time.sleep(retry.delay)


class _Counted:
    """A stream that knows how many bytes were read from it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.n_bytes = 0

    def read(self, size: int = -1) -> bytes:
        block: bytes = self._stream.read(size)
        self.n_bytes += len(block)
        return block


def _unpack(response: Any, sink: IO[bytes], url: str) -> None:
    """Write what a gzip stream holds, unless it grows out of proportion: a small one could fill
    the disk."""
    packed, n_bytes = _Counted(response), 0
    content: Any = gzip.GzipFile(fileobj=packed)  # type: ignore[call-overload]
    while block := content.read(_BLOCK_BYTES):
        n_bytes += len(block)
        limit = _UNPACKED_FLOOR + _UNPACKED_RATIO * packed.n_bytes
        if n_bytes > limit:
            raise DownloadError(
                f"{url} sent {packed.n_bytes} bytes that unpack to more than {limit}. They were "
                "not kept."
            )
        sink.write(block)


def _explain(url: str, error: Exception, name: str, folder: Any) -> DownloadError:
    reason = getattr(error, "reason", None) or error
    return DownloadError(
        f"{url} could not be downloaded: {reason}. Without a network, put the file into "
        f"{folder} as {name}, or into a folder of yours named by the environment variable "
        "GRAMIAN_DATA."
    )
