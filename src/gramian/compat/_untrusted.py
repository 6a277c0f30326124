"""Reading what cannot be trusted: model files of other libraries, and the parts of their JSON."""

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.exceptions import ModelFileError

__all__ = [
    "Fields",
    "check_n_features",
    "level_text",
    "parsed_json",
    "reading",
    "source_bytes",
]

_MOST_FEATURES = 1_000_000  # that a small file may claim; larger files may have one for each byte
_WRONG = (ValueError, TypeError, OverflowError, RecursionError, LookupError, AttributeError)


@contextmanager
def reading(library: str) -> Iterator[None]:
    """Turn whatever goes wrong while a file is read into a ModelFileError that says what it is."""
    try:
        with np.errstate(all="ignore"):  # what is infinite is looked for
            yield
    except ModelFileError as error:
        raise ModelFileError(f"The model of {library} cannot be read: {error}") from None
    except _WRONG as error:
        raise ModelFileError(f"The model of {library} cannot be read: {error}") from error


def source_bytes(source: Any) -> bytes:
    """Return the bytes of a path, a binary file object, or bytes themselves."""
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as file:
            return file.read()
    if hasattr(source, "read"):
        data = source.read()
        return data.encode() if isinstance(data, str) else bytes(data)
    raise TypeError(
        "A model is read from a path, bytes, a file object or the dict of a JSON document. Got "
        f"{type(source).__name__}."
    )


def parsed_json(data: bytes) -> Any:
    """Return the value of a JSON document."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ModelFileError("its JSON is nested too deeply") from None
    except ValueError as error:
        raise ModelFileError(f"it is not valid JSON ({error})") from None


def check_n_features(n_features: int, n_bytes: int) -> int:
    """Return the number of features, unless it is absurd for a file of this size."""
    if not 1 <= n_features <= max(_MOST_FEATURES, n_bytes):
        raise ModelFileError(f"{n_features} features in a file of {n_bytes} bytes")
    return n_features


def level_text(value: Any) -> str:
    """Return the text that stands for a category in data frames of this library."""
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return str(int(value))
    return str(value)


class Fields:
    """The members of a JSON object, each with the type that it must have.

    Parameters
    ----------
    value : object
        What should be a JSON object.
    where : str
        Its name in messages.
    """

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, Mapping):
            raise ModelFileError(f"{where} is not a JSON object")
        self._value, self.where = value, where

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def get(self, name: str) -> Any:
        """Return a member of any type."""
        if name not in self._value:
            raise ModelFileError(f"{self.where} has no {name!r}")
        return self._value[name]

    def object(self, name: str) -> "Fields":
        """Return a member that is an object."""
        return Fields(self.get(name), name)

    def list(self, name: str) -> Any:
        """Return a member that is an array."""
        found = self.get(name)
        if isinstance(found, np.ndarray):
            return found.tolist()
        if not isinstance(found, list):
            raise ModelFileError(f"{name!r} of {self.where} is not an array")
        return found

    def text(self, name: str) -> str:
        """Return a member that is a string."""
        found = self.get(name)
        if not isinstance(found, str):
            raise ModelFileError(f"{name!r} of {self.where} is not a string")
        return found

    def integer(self, name: str, default: int | None = None) -> int:
        """Return a member that is a whole number, or the text of one."""
        if default is not None and name not in self._value:
            return default
        found = self.get(name)
        is_right = isinstance(found, str | int) and not isinstance(found, bool)
        if not is_right or len(str(found)) > 20 or not str(found).lstrip("-").isdecimal():
            raise ModelFileError(f"{name!r} of {self.where} is not a whole number")
        return int(found)

    def integers(self, name: str, size: int | None = None) -> NDArray[np.int64]:
        """Return a member that is an array of whole numbers (or truth values) of this length."""
        found = self._array(name, size)
        if found.size and found.dtype.kind not in "iub":
            raise ModelFileError(f"{name!r} of {self.where} does not hold whole numbers")
        return found.astype(np.int64)

    def numbers(self, name: str, size: int | None = None) -> NDArray[np.float64]:
        """Return a member that is an array of finite numbers of this length."""
        found = self._array(name, size)
        if found.size and found.dtype.kind not in "iuf":
            raise ModelFileError(f"{name!r} of {self.where} does not hold numbers")
        found = found.astype(np.float64)
        if not np.isfinite(found).all():
            raise ModelFileError(f"{name!r} of {self.where} holds an infinite number or NaN")
        return found

    def number(self, name: str) -> float:
        """Return a member that is a finite number."""
        found = self.get(name)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise ModelFileError(f"{name!r} of {self.where} is not a number")
        if not math.isfinite(found):
            raise ModelFileError(f"{name!r} of {self.where} is infinite or NaN")
        return float(found)

    def _array(self, name: str, size: int | None) -> NDArray[Any]:
        found = self.get(name)
        found = found if isinstance(found, np.ndarray) else np.array(self.list(name))
        if found.ndim != 1 or (size is not None and len(found) != size):
            expected = "numbers" if size is None else f"{size} numbers"
            raise ModelFileError(f"{name!r} of {self.where} is not an array of {expected}")
        return found
