"""What the server of openml.org answers, kept in a folder."""

import gzip
import hashlib
import io
import json
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit

from gramian.datasets._download import Retry, atomic_file, download, local_folder

SERVER = "https://www.openml.org"
_NOT_FOUND = 412  # the server's code for a question that it cannot answer


class OpenmlError(ValueError):
    """The server knows no such table."""


@dataclass(frozen=True)
class OpenmlApi:
    """Questions to the server; answers are kept in `folder` unless that is None."""

    folder: Path | None
    retry: Retry

    def find(self, name: str, version: str | int) -> int:
        """Return the number of the table of that name and version."""
        search = f"list/data_name/{quote(name, safe='')}/limit/2"
        if version == "active":
            answer = self._ask(f"{search}/status/active/", f"No active dataset {name} found.")
            found = answer["data"]["dataset"]
            if len(found) > 1:
                _warn_of_versions(name, found)
            return int(found[0]["did"])
        search += f"/data_version/{version}"
        try:
            answer = self._ask(search, "")
        except OpenmlError:
            answer = self._ask(
                f"{search}/status/deactivated", f"Dataset {name} with version {version} not found."
            )
        return int(answer["data"]["dataset"][0]["did"])

    def description(self, data_id: int) -> dict[str, Any]:
        """Return the facts about a table."""
        answer = self._ask(str(data_id), f"Dataset with data_id {data_id} not found.")
        description: dict[str, Any] = answer["data_set_description"]
        return description

    def features(self, data_id: int) -> list[dict[str, str]]:
        """Return the facts about a table's columns."""
        answer = self._ask(f"features/{data_id}", f"Dataset with data_id {data_id} not found.")
        features: list[dict[str, str]] = answer["data_features"]["feature"]
        return features

    def table(self, description: dict[str, Any]) -> bytes:
        """Return the text of the table, verified."""
        expected = description["md5_checksum"]
        url = description["url"]
        content = self._read(url, lambda text: _md5(text) == expected)
        if content is None:
            raise ValueError(
                f"The md5 checksum of the file downloaded from {url} does not match the expected "
                f"checksum {expected} from the dataset description. The file was not used; the "
                "server may have changed it, or the network damaged it."
            )
        return content

    def _ask(self, question: str, message: str) -> dict[str, Any]:
        url = f"{SERVER}/api/v1/json/data/{question}"
        try:
            content = self._read(url, _is_json)
        except HTTPError as error:
            if error.code != _NOT_FOUND:
                raise
            raise OpenmlError(message) from None
        if content is None:
            raise OSError(f"{url} did not answer with JSON.")
        answer: dict[str, Any] = json.loads(content)
        return answer

    def _read(self, url: str, is_whole: Callable[[bytes], bool]) -> bytes | None:
        """Return a kept answer, or a new one; None if the new one is not whole."""
        for path in self._kept(url):
            content = _unpack(path)
            if content is not None and is_whole(content):
                return content
            warnings.warn(
                f"Invalid cache, redownloading file to {path}", RuntimeWarning, stacklevel=6
            )
        answer = io.BytesIO()
        relative = _relative_path(url)
        download(url, answer, self.retry, name=str(relative), folder=self.folder or "the cache")
        content = answer.getvalue()
        if not is_whole(content):
            return None
        if self.folder is not None:
            with atomic_file(self.folder / relative) as file:
                file.write(gzip.compress(content, mtime=0))
        return content

    def _kept(self, url: str) -> Iterator[Path]:
        own = local_folder()
        folders = [self.folder, own / "openml" if own is not None else None]
        for folder in reversed(folders):
            if folder is not None and (folder / _relative_path(url)).is_file():
                yield folder / _relative_path(url)


def _relative_path(url: str) -> Path:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or ".." in parts.path.split("/"):
        raise ValueError(f"The server names a file at {url!r}, which is no plain web address.")
    return Path("openml.org", parts.path.strip("/") + ".gz")


def _unpack(path: Path) -> bytes | None:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error):
        return None


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _warn_of_versions(name: str, found: list[dict[str, Any]]) -> None:
    listed = "".join(
        f"- version {one['version']}, status: {one['status']}\n"
        f"  url: {SERVER}/search?type=data&id={one['did']}\n"
        for one in found
    )
    warnings.warn(
        f"Multiple active versions of the dataset matching the name {name} exist. Versions may be "
        f"fundamentally different, returning version {found[0]['version']}. Available versions:\n"
        f"{listed}",
        stacklevel=5,
    )
