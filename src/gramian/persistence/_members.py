"""The members of a model file's archive: bounded, named and summed as declared."""

import struct
from hashlib import sha256
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from gramian.persistence._format import (
    ARRAY_FLOOR,
    ARRAY_RATIO,
    CHUNK,
    MANIFEST,
    MANIFEST_CEILING,
    MANIFEST_FLOOR,
    MANIFEST_RATIO,
    FormatError,
    member_name,
)

__all__ = ["Members"]

_ENCRYPTED = 0x1
_DESCRIBED = 0x8  # written as a stream: the sizes follow the content

# Lengths of the records of a zip file; those with 64-bit sizes are longer.
_HEADER, _NAME_LENGTH, _RECORD = 30, 26, 46
_DESCRIPTIONS = (16, 24)
_ENDS = (22, 22 + 20 + 56)


class Members:
    """The members of the archive, with their sizes and names checked."""

    def __init__(self, archive: ZipFile, n_bytes: int) -> None:
        self._archive = archive
        self._n_bytes = n_bytes
        self._infos: dict[str, ZipInfo] = {}
        self._declared: list[dict[str, Any]] = []
        self._unread: set[int] = set()
        for info in archive.infolist():
            if info.filename in self._infos:
                raise FormatError(f"it has two members named {info.filename!r}")
            if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or info.flag_bits & _ENCRYPTED:
                raise FormatError(f"its member {info.filename!r} is not stored or deflated")
            self._infos[info.filename] = info
        self._check_sizes()
        self._check_places()

    def _check_sizes(self) -> None:
        infos = self._infos.values()
        if sum(info.compress_size for info in infos) > self._n_bytes:
            raise FormatError("its members overlap")
        total = sum(info.file_size for info in infos)
        if total > (limit := max(ARRAY_FLOOR, ARRAY_RATIO * self._n_bytes)):
            raise FormatError(
                f"its members declare {total} bytes; a file of {self._n_bytes} bytes may hold "
                f"{limit} at most"
            )

    def _check_places(self) -> None:
        """Refuse bytes that belong to no record of the archive, anywhere in the file."""
        infos = sorted(self._infos.values(), key=lambda info: info.header_offset)
        starts = [info.header_offset for info in infos] + [self._archive.start_dir]
        records = sum(_RECORD + len(i.orig_filename.encode()) + len(i.extra) for i in infos)
        is_whole = starts[0] == 0 and self._n_bytes - starts[-1] - records in _ENDS
        for info, stop in zip(infos, starts[1:], strict=True):
            behind = _DESCRIPTIONS if info.flag_bits & _DESCRIBED else (0,)
            is_whole = is_whole and stop - self._end(info) in behind
        if not is_whole or self._archive.comment:
            raise FormatError("some of its bytes belong to no member")

    def _end(self, info: ZipInfo) -> int:
        """Return where the content of a member ends."""
        stream: Any = self._archive.fp
        stream.seek(info.header_offset + _NAME_LENGTH)
        n_name, n_extra = struct.unpack("<HH", stream.read(4))
        end: int = info.header_offset + _HEADER + n_name + n_extra + info.compress_size
        return end

    def manifest(self) -> bytes:
        """Return the content of the manifest."""
        info = self._infos.get(MANIFEST)
        if info is None:
            raise FormatError(f"it has no member {MANIFEST!r}, and so is no model file of gramian")
        limit = min(MANIFEST_CEILING, max(MANIFEST_FLOOR, MANIFEST_RATIO * self._n_bytes))
        if info.file_size > limit:
            raise FormatError(f"its manifest has {info.file_size} bytes; {limit} are allowed")
        content = bytearray(info.file_size)
        self._fill(MANIFEST, memoryview(content))
        return bytes(content)

    def declare(self, declared: Any) -> None:
        """Check what the manifest says about the array members against the archive."""
        if type(declared) is not list or len(declared) != len(self._infos) - 1:
            raise FormatError("its manifest does not list the members that it has")
        for index, member in enumerate(declared):
            info = self._infos.get(member_name(index))
            if info is None or type(member) is not dict or member.keys() != {"size", "sha256"}:
                raise FormatError(f"its manifest does not describe the member {index}")
            if type(member["size"]) is not int or member["size"] != info.file_size:
                raise FormatError(f"its member {index} does not have the size that is declared")
        self._declared = declared
        self._unread = set(range(len(declared)))

    def size(self, index: int) -> int:
        """Return the size of an array member that was not read yet, in bytes."""
        if index not in self._unread:
            raise FormatError(f"the member {index} does not exist or is used twice")
        size: int = self._declared[index]["size"]
        return size

    def read_into(self, index: int, out: memoryview) -> None:
        """Fill `out`, of the right size, with an array member, and compare its checksum."""
        self._unread.remove(index)
        self._fill(member_name(index), out)
        if sha256(out).hexdigest() != self._declared[index]["sha256"]:
            raise FormatError(f"the checksum of the member {index} is wrong")

    def check_all_read(self) -> None:
        """Refuse a file with members that nothing refers to."""
        if self._unread:
            raise FormatError(f"its member {min(self._unread)} is not used")

    def _fill(self, name: str, out: memoryview) -> None:
        done = 0
        stream: Any
        with self._archive.open(self._infos[name]) as stream:
            while done < out.nbytes:
                n_read = stream.readinto(out[done : done + CHUNK])
                if not n_read:
                    raise FormatError(f"its member {name!r} is cut short")
                done += n_read
            stream.read(1)  # at the end of the member, zipfile compares the CRC-32
