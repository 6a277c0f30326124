"""Universal Binary JSON, as far as XGBoost uses it; what is read cannot be trusted."""

import struct
from typing import Any

import numpy as np

from gramian.exceptions import ModelFileError

__all__ = ["is_ubjson", "parsed_ubjson", "ubjson_bytes"]

_MOST_NESTING = 100
_INTEGERS = {b"i": ">i1", b"U": ">u1", b"I": ">i2", b"l": ">i4", b"L": ">i8"}
_NUMBERS = {**_INTEGERS, b"d": ">f4", b"D": ">f8"}
_FORMATS = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q", b"d": ">f", b"D": ">d"}
_MARKS = {"int8": b"i", "int32": b"l", "int64": b"L", "uint8": b"U", "float32": b"d"}
_CONSTANTS = {b"Z": None, b"T": True, b"F": False}


def is_ubjson(data: bytes) -> bool:
    """Tell whether bytes that begin an object go on as no JSON text can."""
    return data[:1] == b"{" and data[1:2] in (*_INTEGERS, b"$", b"#")


def parsed_ubjson(data: bytes) -> Any:
    """Return the value of a document; arrays with a type are NumPy arrays."""
    reader = _Reader(data)
    value = reader.value(reader.take(1), 0)
    if reader.at != len(data):
        raise ModelFileError(f"bytes follow its end at {reader.at}")
    return value


def ubjson_bytes(value: Any) -> bytes:
    """Return the document of a value; NumPy arrays become arrays with a type."""
    if isinstance(value, dict):
        members = (_text_bytes(name) + ubjson_bytes(member) for name, member in value.items())
        return b"{" + b"".join(members) + b"}"
    if isinstance(value, np.ndarray):
        mark = _MARKS[value.dtype.name]
        size = struct.pack(">q", len(value))
        return b"[$" + mark + b"#L" + size + value.astype(_NUMBERS[mark]).tobytes()
    if isinstance(value, list):
        return b"[" + b"".join(ubjson_bytes(member) for member in value) + b"]"
    if isinstance(value, str):
        return b"S" + _text_bytes(value)
    if isinstance(value, bool):
        return b"T" if value else b"F"
    return b"L" + struct.pack(">q", value)


def _text_bytes(text: str) -> bytes:
    data = text.encode()
    return b"L" + struct.pack(">q", len(data)) + data


class _Reader:
    """A place in the bytes; every step forward is checked."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, n: int) -> bytes:
        """Return the next bytes."""
        if not 0 <= n <= len(self.data) - self.at:
            raise ModelFileError(f"it ends before byte {self.at + n}")
        self.at += n
        return self.data[self.at - n : self.at]

    def value(self, mark: bytes, depth: int) -> Any:
        """Return the value that follows a type mark."""
        if mark in _FORMATS:
            form = _FORMATS[mark]
            return struct.unpack(form, self.take(struct.calcsize(form)))[0]
        if mark in _CONSTANTS:
            return _CONSTANTS[mark]
        if mark in (b"S", b"H"):
            return self.text()
        if mark == b"C":
            return self.take(1).decode("latin-1")
        if mark in (b"[", b"{") and depth >= _MOST_NESTING:
            raise ModelFileError("it is nested too deeply")
        if mark == b"[":
            return self.array(depth + 1)
        if mark == b"{":
            return self.object(depth + 1)
        raise ModelFileError(f"byte {self.at} is {mark!r}, which is no type of value")

    def text(self) -> str:
        """Return a string with its length before it."""
        try:
            return self.take(self.count()).decode()
        except UnicodeDecodeError:
            raise ModelFileError(f"a text before byte {self.at} is not UTF-8") from None

    def count(self) -> int:
        """Return a length, which is a typed whole number."""
        mark = self.take(1)
        if mark not in _INTEGERS:
            raise ModelFileError(f"byte {self.at} is {mark!r}, where a length should be")
        found = int(self.value(mark, 0))
        if not 0 <= found <= len(self.data):
            raise ModelFileError(f"a length of {found} before byte {self.at}")
        return found

    def head(self) -> tuple[bytes | None, int | None]:
        """Return the type and the number of the values of a container, as far as it gives them."""
        kind, n = None, None
        if self.data[self.at : self.at + 1] == b"$":
            kind = self.take(2)[1:]
        if self.data[self.at : self.at + 1] == b"#":
            self.take(1)
            n = self.count()
        if kind is not None and (n is None or kind in (*_CONSTANTS, b"N")):
            raise ModelFileError(f"a container before byte {self.at} has a type of no size")
        return kind, n

    def array(self, depth: int) -> Any:
        """Return an array."""
        kind, n = self.head()
        if kind in _NUMBERS and n is not None:
            dtype = np.dtype(_NUMBERS[kind])
            return np.frombuffer(self.take(n * dtype.itemsize), dtype).astype(
                dtype.newbyteorder("=")
            )
        values: list[Any] = []
        while n is None or len(values) < n:
            mark = kind or self.take(1)
            if n is None and mark == b"]":
                break
            if mark != b"N":  # N fills a place, and means nothing
                values.append(self.value(mark, depth))
        return values

    def object(self, depth: int) -> dict[str, Any]:
        """Return an object."""
        kind, n = self.head()
        values: dict[str, Any] = {}
        read = 0
        while n is None or read < n:
            if n is None and self.data[self.at : self.at + 1] == b"}":
                self.take(1)
                break
            name = self.text()
            values[name] = self.value(kind or self.take(1), depth)
            read += 1
        return values
