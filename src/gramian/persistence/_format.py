"""What writer and reader of model files agree on: names, limits, types, and the cost of sharing."""

import re
from functools import cache
from typing import Any

import numpy as np

__all__ = [
    "ARRAY_FLOOR",
    "ARRAY_RATIO",
    "CHUNK",
    "FORMAT",
    "INLINE_BYTES",
    "MANIFEST",
    "MANIFEST_CEILING",
    "MANIFEST_FLOOR",
    "MANIFEST_RATIO",
    "MAX_DEPTH",
    "MAX_NDIM",
    "VERSION",
    "FormatError",
    "Ledger",
    "Node",
    "Ref",
    "Slot",
    "builtin_types",
    "is_any_dtype",
    "is_array_dtype",
    "member_name",
]

FORMAT = "gramian-model"
VERSION = 1
MANIFEST = "manifest.json"

ARRAY_FLOOR = 64 * 2**20
ARRAY_RATIO = 1100
MANIFEST_FLOOR = 2**20
MANIFEST_RATIO = 32
MANIFEST_CEILING = 512 * 2**20
MAX_DEPTH = 100
MAX_NDIM = 32
EXPANSION_FLOOR = 10_000_000

INLINE_BYTES = 256  # a member of its own costs about this much in headers and checksum
CHUNK = 2**20

Slot = Any
Node = dict[str, Any]


class FormatError(ValueError):
    """A value or a file that the format does not allow; the message says why."""


class Ref(dict[str, int]):
    """The slot that points to an object: a class of its own, as an attribute may be named "ref"."""

    def __init__(self, index: int) -> None:
        super().__init__(ref=index)


def member_name(index: int) -> str:
    """Return the name of the array member of that number."""
    return f"arrays/{index}.bin"


class Ledger:
    """Bounds the nesting and the expanded size of objects, so that walking a value stays cheap.

    Ten shared tuples, each holding the one before it twice, are 1024 tuples to whoever hashes,
    prints or compares the last; a hundred never end. Without sharing, the expanded sizes of all
    objects sum up to the depth of every slot, so that honest trees stay below ``MAX_DEPTH`` times
    the number of slots.
    """

    def __init__(self) -> None:
        self._depths: list[int] = []
        self._sizes: list[int] = []
        self._depth = 0
        self._size = 0
        self._total = 0
        self._n_slots = 0

    def use(self, slot: Slot) -> None:
        """Count a slot as part of the object being read or written."""
        self._n_slots += 1
        if type(slot) is dict or type(slot) is Ref:
            index = slot.get("ref")
            if index is not None:
                self._use_object(index)
                return
        self._size += 1
        self._total += 1

    def _use_object(self, index: int) -> None:
        size = self._sizes[index]
        self._size += size
        self._total += size
        self._depth = max(self._depth, self._depths[index])
        if self._total > EXPANSION_FLOOR + MAX_DEPTH * self._n_slots:
            raise FormatError("shared values are repeated too often within each other")

    def close(self) -> None:
        """End the object: later ones may refer to it."""
        if self._depth >= MAX_DEPTH:
            raise FormatError(f"values are nested more than {MAX_DEPTH} deep")
        self._depths.append(self._depth + 1)
        self._sizes.append(self._size + 1)
        self._depth = self._size = 0


_UNIT = r"8(\[([1-9]\d{0,8})?(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?"
_FIXED = r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<c8|<c16"
_ARRAY_DTYPE = re.compile(rf"{_FIXED}|\|S\d{{1,9}}|<U\d{{1,9}}|<[mM]{_UNIT}")
_ANY_DTYPE = re.compile(_ARRAY_DTYPE.pattern.replace("<", "[<>]") + r"|\|O")


def is_array_dtype(name: str) -> bool:
    """Tell whether `name` is the type string of an array that a file may hold."""
    return _ARRAY_DTYPE.fullmatch(name) is not None


def is_any_dtype(name: str) -> bool:
    """Tell whether `name` is the type string of a dtype that may be a value itself."""
    return _ANY_DTYPE.fullmatch(name) is not None


@cache
def builtin_types() -> dict[str, type]:
    """Return the scalar types that may be values, such as for a parameter ``dtype``, by name."""
    python = (bool, int, float, complex, str, bytes, object)
    fixed = {np.dtype(code).type for code in "?bhiqBHIQefdFDSUOMm"}
    abstract = {np.number, np.integer, np.inexact, np.floating, np.complexfloating}
    return {
        **{cls.__name__: cls for cls in python},
        **{f"numpy.{cls.__name__}": cls for cls in fixed | abstract},
    }
