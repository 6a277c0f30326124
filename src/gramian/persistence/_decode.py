"""From the objects of a manifest to values, each checked before it is built."""

import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from gramian.persistence import _allowed
from gramian.persistence._format import (
    MAX_NDIM,
    FormatError,
    Ledger,
    Node,
    Slot,
    builtin_types,
    is_any_dtype,
    is_array_dtype,
)
from gramian.persistence._members import Members
from gramian.persistence._restore import (
    restore_masked,
    restore_object,
    restore_random,
    restore_sparse,
)
from gramian.persistence._sizes import Sizes

__all__ = ["Decoder"]

_HEX_INT = re.compile(r"-?0x[0-9a-f]+")
_HEX_BYTES = re.compile(r"(?:[0-9a-f]{2})*")
_MAX_COLLISIONS = 1000
_MAX_CODE_POINT = 0x10FFFF

_K = TypeVar("_K")
_C = TypeVar("_C", set[Any], frozenset[Any], dict[Any, Any])


class Decoder:
    """Builds the objects of a manifest in order: each refers to earlier ones only."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._values: list[Any] = []
        self._ledger = Ledger()
        self._sizes = Sizes()

    def decode(self, nodes: Any, root: Slot) -> Any:
        """Return the value of the slot `root`."""
        if type(nodes) is not list:
            raise FormatError("its objects are not a list")
        for index, node in enumerate(nodes):
            try:
                self._values.append(self._value(node))
                self._ledger.close()
            except FormatError as error:
                raise FormatError(f"object {index}: {error}") from error
        self._sizes.check()
        return self._slot(root)

    def _value(self, node: Any) -> Any:
        kind = node.get("type") if type(node) is dict else None
        if type(kind) is not str or kind not in _DECODERS:
            raise FormatError(f"the type {_short(kind)} is unknown")
        keys, decode = _DECODERS[kind]
        if node.keys() != keys:
            raise FormatError(f"the keys for type {kind!r} must be {', '.join(sorted(keys))}")
        try:
            return decode(self, node)
        except FormatError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise FormatError(f"not a valid {kind}: {error}") from error

    def _slot(self, slot: Slot) -> Any:
        kind = type(slot)
        if kind is dict and slot.keys() == {"ref"}:
            index = slot["ref"]
            if type(index) is not int or not 0 <= index < len(self._values):
                raise FormatError(f"the reference {_short(index)} is not to an earlier object")
            self._ledger.use(slot)
            return self._values[index]
        self._ledger.use(None)
        if slot is None or kind is bool or kind is str:
            return slot
        if kind is int and -(2**63) <= slot < 2**63:
            return slot
        if kind is dict and len(slot) == 1:
            return _number(*next(iter(slot.items())))
        raise FormatError(f"{_short(slot)} is not a value")

    def _items(self, slots: Any) -> list[Any]:
        if type(slots) is not list:
            raise FormatError("the items are not a list")
        self._sizes.see(len(slots))
        return [self._slot(slot) for slot in slots]

    def _list(self, node: Node) -> list[Any]:
        return self._items(node["items"])

    def _tuple(self, node: Node) -> tuple[Any, ...]:
        return tuple(self._items(node["items"]))

    def _set(self, node: Node) -> set[Any]:
        items = self._items(node["items"])
        return _unique(set(_hashable(items)), items)

    def _frozenset(self, node: Node) -> frozenset[Any]:
        items = self._items(node["items"])
        return _unique(frozenset(_hashable(items)), items)

    def _dict(self, node: Node) -> dict[Any, Any]:
        pairs = node["items"]
        if type(pairs) is not list or any(type(p) is not list or len(p) != 2 for p in pairs):
            raise FormatError("the items of a dict are not pairs")
        items = self._items([slot for pair in pairs for slot in pair])
        keys = _hashable(items[::2])
        return _unique(dict(zip(keys, items[1::2], strict=True)), keys)

    def _slice(self, node: Node) -> slice:
        return slice(*self._items([node["start"], node["stop"], node["step"]]))

    def _range(self, node: Node) -> range:
        return range(*self._items([node["start"], node["stop"], node["step"]]))

    def _bytes(self, node: Node) -> bytes:
        data = node["data"]
        if type(data) is str and _HEX_BYTES.fullmatch(data):
            return bytes.fromhex(data)
        if type(data) is int:
            content = bytearray(self._members.size(data))
            self._members.read_into(data, memoryview(content))
            return bytes(content)
        raise FormatError("the data are neither bytes nor the number of a member")

    def _array(self, node: Node) -> np.ndarray[Any, Any]:
        dtype = _dtype(node["dtype"], is_array_dtype)
        shape, order = _layout(node)
        data = node["data"]
        content = b"" if type(data) is int else self._bytes(node)
        n_bytes = self._members.size(data) if type(data) is int else len(content)
        if dtype.itemsize == 0 or math.prod(shape) * dtype.itemsize != n_bytes:
            raise FormatError(f"{n_bytes} bytes are no array of {dtype.str} with shape {shape}")
        self._sizes.see(*shape)
        array: np.ndarray[Any, Any] = np.empty(shape, dtype, order)
        flat = array.reshape(-1, order="A")
        if type(data) is int:
            self._members.read_into(data, flat.view(np.uint8).data)
        else:
            flat.view(np.uint8)[:] = np.frombuffer(content, np.uint8)
        _check_bits(flat)
        return array

    def _object_array(self, node: Node) -> np.ndarray[Any, Any]:
        shape, order = _layout(node)
        items = self._items(node["items"])
        if math.prod(shape) != len(items):
            raise FormatError(f"{len(items)} items are no array with shape {shape}")
        array: np.ndarray[Any, Any] = np.empty(shape, object, order)
        for position, item in zip(np.ndindex(*shape), items, strict=True):
            array[position] = item
        return array

    def _masked(self, node: Node) -> Any:
        data, mask, fill_value = self._items([node["values"], node["mask"], node["fill_value"]])
        return restore_masked(data, mask, fill_value)

    def _scalar(self, node: Node) -> Any:
        dtype = _dtype(node["dtype"], is_array_dtype)
        content = self._bytes(node)
        if len(content) != dtype.itemsize:
            raise FormatError(f"{len(content)} bytes are no {dtype.str}")
        if dtype.kind == "U":
            return np.str_(content.decode("utf-32-le", "surrogatepass"))
        if dtype.kind == "S":
            return np.bytes_(content)
        array = np.frombuffer(content, dtype)
        _check_bits(array)
        return array[0]

    def _dtype(self, node: Node) -> np.dtype[Any]:
        return _dtype(node["name"], is_any_dtype)

    def _builtin(self, node: Node) -> type:
        return _known(node["name"], builtin_types().get)

    def _function(self, node: Node) -> Callable[..., Any]:
        return _known(node["name"], _allowed.find_function)

    def _sparse(self, node: Node) -> Any:
        return restore_sparse(
            node["format"], node["container"], _shape(node["shape"]), self._items(node["parts"])
        )

    def _random(self, node: Node) -> Any:
        return restore_random(node["container"], self._slot(node["state"]))

    def _object(self, node: Node) -> Any:
        cls = _known(node["class"], _allowed.find_class)
        params = self._attributes(cls, node["params"])
        attributes = self._attributes(cls, node["attributes"])
        self._sizes.declare(cls, attributes)
        return restore_object(cls, params, attributes)

    def _attributes(self, cls: type, slots: Any) -> dict[str, Any]:
        if type(slots) is not dict:
            raise FormatError("the attributes are not a JSON object")
        for name in slots:
            if not _allowed.may_hold(cls, name):
                raise FormatError(f"{cls.__name__} cannot have an attribute {_short(name)}")
        return {name: self._slot(slot) for name, slot in slots.items()}


_DECODERS: dict[str, tuple[set[str], Callable[[Decoder, Node], Any]]] = {
    kind: ({"type", *keys.split()}, decode)
    for kind, keys, decode in (
        ("list", "items", Decoder._list),
        ("tuple", "items", Decoder._tuple),
        ("set", "items", Decoder._set),
        ("frozenset", "items", Decoder._frozenset),
        ("dict", "items", Decoder._dict),
        ("slice", "start stop step", Decoder._slice),
        ("range", "start stop step", Decoder._range),
        ("bytes", "data", Decoder._bytes),
        ("array", "dtype shape order data", Decoder._array),
        ("object_array", "shape order items", Decoder._object_array),
        ("masked_array", "values mask fill_value", Decoder._masked),
        ("scalar", "dtype data", Decoder._scalar),
        ("dtype", "name", Decoder._dtype),
        ("builtin", "name", Decoder._builtin),
        ("function", "name", Decoder._function),
        ("sparse", "format container shape parts", Decoder._sparse),
        ("random", "container state", Decoder._random),
        ("object", "class params attributes", Decoder._object),
    )
}


def _number(tag: str, value: Any) -> int | float | complex:
    """Return a number that JSON cannot hold exactly."""
    if tag == "int" and type(value) is str and _HEX_INT.fullmatch(value):
        return int(value, 16)
    if tag == "float" and type(value) is str:
        return float.fromhex(value)
    if tag == "complex" and type(value) is list and len(value) == 2:
        return complex(float.fromhex(value[0]), float.fromhex(value[1]))
    raise FormatError(f"{_short({tag: value})} is not a value")


def _known(name: Any, find: Callable[[str], _K | None]) -> _K:
    found = find(name) if type(name) is str else None
    if found is None:
        raise FormatError(
            f"the name {_short(name)} is unknown to this version of gramian; classes and functions "
            "of other modules must be declared with gramian.persistence.persistable before loading"
        )
    return found


def _dtype(name: Any, is_allowed: Callable[[str], bool]) -> np.dtype[Any]:
    if type(name) is not str or not is_allowed(name):
        raise FormatError(f"the dtype {_short(name)} is not allowed")
    return np.dtype(name)


def _shape(shape: Any) -> tuple[int, ...]:
    if type(shape) is not list or len(shape) > MAX_NDIM:
        raise FormatError(f"the shape {_short(shape)} is not a list of at most {MAX_NDIM} integers")
    if any(type(n) is not int or not 0 <= n < 2**63 for n in shape):
        raise FormatError(f"the shape {_short(shape)} has an entry that is no length")
    return tuple(shape)


def _layout(node: Node) -> tuple[tuple[int, ...], Any]:
    if node["order"] not in ("C", "F"):
        raise FormatError(f"the order {_short(node['order'])} is neither 'C' nor 'F'")
    return _shape(node["shape"]), node["order"]


def _check_bits(flat: np.ndarray[Any, Any]) -> None:
    """Refuse bytes that are no value of the type: NumPy and Python trust them not to occur."""
    if flat.dtype.kind == "b" and flat.size and flat.view(np.uint8).max() > 1:
        raise FormatError("an array of booleans has bytes other than 0 and 1")
    if flat.dtype.kind == "U" and flat.size and flat.view("<u4").max() > _MAX_CODE_POINT:
        raise FormatError("an array of strings has characters outside of Unicode")


def _hashable(keys: list[Any]) -> list[Any]:
    """Return keys that can go into a set or dict in linear time.

    Integers can be chosen so that they all have one hash, which makes the time quadratic.
    """
    if len(keys) - len({hash(key) for key in keys}) > _MAX_COLLISIONS:
        raise FormatError("too many keys of a set or dict have the same hash")
    return keys


def _unique(container: _C, keys: list[Any]) -> _C:
    if len(container) != len(keys):
        raise FormatError("a set or dict has a key twice")
    return container


def _short(value: Any) -> str:
    text = repr(value) if type(value) in (str, int, type(None)) else type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."
