"""From a value to the list of objects that stands for it; shared by `save` and `fingerprint`."""

import sys
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from gramian.persistence import _allowed
from gramian.persistence._format import (
    MAX_DEPTH,
    FormatError,
    Ledger,
    Node,
    Ref,
    Slot,
    builtin_types,
    is_any_dtype,
    is_array_dtype,
)

__all__ = ["Encoder"]

_NOT_ATOM = object()
_Parts = tuple[Node, list[Slot]]  # an object and all its slots

_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, np.ufunc)


class Encoder:
    """Turns values into slots and objects.

    Objects are appended to ``nodes`` after everything they refer to. The ``data`` of an object is
    an array here, contiguous in the order that the object states.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._indices: dict[int, int] = {}
        self._kept: list[object] = []  # as long as an object lives, no other can have its id
        self._open: set[int] = set()
        self._path: list[str] = []
        self._ledger = Ledger()

    def encode(self, value: object) -> Slot:
        """Return the slot of a value, adding to ``nodes`` what it needs.

        Raises
        ------
        TypeError
            For something that a model file cannot hold; the message says where it is.
        ValueError
            For a value that contains itself, or is nested too deeply.
        """
        self._path.append(type(value).__name__)
        return self._slot(value)

    def _slot(self, value: object) -> Slot:
        atom = _atom(value)
        if atom is not _NOT_ATOM:
            return atom
        key = id(value)
        if key not in self._indices:
            if key in self._open:
                raise ValueError(f"{self._where} contains itself; a model file holds no cycles.")
            if len(self._open) >= MAX_DEPTH:
                raise ValueError(f"{self._where} is nested more than {MAX_DEPTH} deep.")
            self._open.add(key)
            node, slots = self._parts(value)
            self._open.remove(key)
            self._append(node, slots)
            self._indices[key] = len(self.nodes) - 1
            self._kept.append(value)
        return Ref(self._indices[key])

    def _append(self, node: Node, slots: Iterable[Slot]) -> None:
        try:
            for slot in slots:
                self._ledger.use(slot)
            self._ledger.close()
        except FormatError as error:
            raise ValueError(f"{self._where} cannot be saved: {error}.") from None
        self.nodes.append(node)

    @property
    def _where(self) -> str:
        return "".join(self._path)

    def _child(self, step: str, value: object) -> Slot:
        self._path.append(step)
        slot = self._slot(value)
        self._path.pop()
        return slot

    def _items(self, values: Iterable[object]) -> list[Slot]:
        return [self._child(f"[{i}]", value) for i, value in enumerate(values)]

    def _parts(self, value: Any) -> _Parts:
        encode = _ENCODERS.get(type(value))
        if encode is not None:
            return encode(self, value)
        if isinstance(value, np.generic):
            return self._scalar(value)
        if isinstance(value, np.dtype):
            if is_any_dtype(value.str):
                return {"type": "dtype", "name": value.str}, []
        elif isinstance(value, type):
            name = f"numpy.{value.__name__}" if issubclass(value, np.generic) else value.__name__
            if builtin_types().get(name) is value:
                return {"type": "builtin", "name": name}, []
        elif _is_loaded("scipy.sparse", "sparray", "spmatrix", value):
            return self._sparse(value)
        elif _is_loaded("numpy.random", "RandomState", "Generator", value):
            return self._random(value)
        elif isinstance(value, _FUNCTIONS) or _allowed.is_reduction(value):
            return self._function(value)
        elif _allowed.class_name(type(value)) is not None:
            return self._object(value)
        raise TypeError(
            f"{self._where} is {_describe(value)}, which a model file cannot hold; a class of your "
            "own can be declared with gramian.persistence.persistable."
        )

    def _sequence(self, value: list[Any] | tuple[Any, ...]) -> _Parts:
        slots = self._items(value)
        return {"type": type(value).__name__, "items": slots}, slots

    def _set(self, value: set[Any] | frozenset[Any]) -> _Parts:
        # The order of a set differs between processes; the bytes of a file should not.
        slots = self._items(sorted(value, key=lambda item: (type(item).__name__, repr(item))))
        return {"type": type(value).__name__, "items": slots}, slots

    def _dict(self, value: dict[Any, Any]) -> _Parts:
        pairs = []
        for key, item in value.items():
            step = f"[{_short(key)}]"
            pairs.append([self._child(step, key), self._child(step, item)])
        return {"type": "dict", "items": pairs}, [slot for pair in pairs for slot in pair]

    def _bounds(self, value: slice | range) -> _Parts:
        slots = {name: self._slot(getattr(value, name)) for name in ("start", "stop", "step")}
        return {"type": type(value).__name__, **slots}, list(slots.values())

    def _bytes(self, value: bytes) -> _Parts:
        return {"type": "bytes", "data": np.frombuffer(value, np.uint8)}, []

    def _array(self, value: np.ndarray[Any, Any]) -> _Parts:
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        layout: Node = {"shape": list(value.shape), "order": order}
        if value.dtype == object:
            slots = self._items(value.ravel(order="C"))
            return {"type": "object_array", **layout, "items": slots}, slots
        little = self._little_endian(value.dtype)
        data = np.asarray(value, dtype=little, order=order)  # type: ignore[call-overload]
        return {"type": "array", "dtype": little.str, **layout, "data": data}, []

    def _masked(self, value: Any) -> _Parts:
        hidden = None if value.mask is np.ma.nomask else np.asarray(value.mask)
        parts = {"values": value.data, "mask": hidden, "fill_value": value.fill_value}
        slots = {name: self._child(f".{name}", part) for name, part in parts.items()}
        return {"type": "masked_array", **slots}, list(slots.values())

    def _scalar(self, value: Any) -> _Parts:
        little = self._little_endian(value.dtype)
        if isinstance(value, (np.str_, np.bytes_)):  # as an array these lose trailing zeros
            data = np.frombuffer(_text_bytes(value), np.uint8)
        else:
            data = np.asarray(value, dtype=little)
        return {"type": "scalar", "dtype": little.str, "data": data}, []

    def _little_endian(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        if dtype.kind not in "biufcSUmM" or not is_array_dtype(dtype.newbyteorder("<").str):
            raise TypeError(
                f"{self._where} has the dtype {dtype}; a model file holds plain types of a size "
                "that is the same on all machines."
            )
        return dtype.newbyteorder("<")

    def _sparse(self, value: Any) -> _Parts:
        if value.format not in ("csr", "csc", "coo") or value.ndim != 2:
            raise TypeError(
                f"{self._where} is {_describe(value)} in the format {value.format!r} with "
                f"{value.ndim} axes; a model file holds csr, csc and coo with two: convert it."
            )
        names = ("data", "row", "col") if value.format == "coo" else ("data", "indices", "indptr")
        slots = [self._child(f".{name}", getattr(value, name)) for name in names]
        is_array = isinstance(value, sys.modules["scipy.sparse"].sparray)
        node = {
            "type": "sparse",
            "format": value.format,
            "container": "array" if is_array else "matrix",
            "shape": [int(n) for n in value.shape],
            "parts": slots,
        }
        return node, slots

    def _random(self, value: Any) -> _Parts:
        is_legacy = hasattr(value, "get_state")
        state = value.get_state(legacy=False) if is_legacy else value.bit_generator.state
        slot = self._child(".state", state)
        container = "RandomState" if is_legacy else "Generator"
        return {"type": "random", "container": container, "state": slot}, [slot]

    def _function(self, value: Any) -> _Parts:
        name = _allowed.function_name(value)
        if name is None:
            raise TypeError(
                f"{self._where} is a Python function; a model file holds data only. Functions "
                "of gramian.metrics, NumPy ufuncs, and functions declared with "
                f"gramian.persistence.persistable are kept by name. Got {value!r}."
            )
        return {"type": "function", "name": name}, []

    def _object(self, value: Any) -> _Parts:
        cls: type = type(value)
        state = self._state(value)
        slots = {name: self._child(f".{name}", item) for name, item in state.items()}
        params = _allowed.state_params(cls)
        node = {
            "type": "object",
            "class": _allowed.class_name(cls),
            "params": {name: slot for name, slot in slots.items() if name in params},
            "attributes": {name: slot for name, slot in slots.items() if name not in params},
        }
        return node, list(slots.values())

    def _state(self, value: Any) -> dict[str, Any]:
        """Return the attributes of an object, without the values of cached properties."""
        cls: type = type(value)
        names = dict.fromkeys((*_allowed.state_params(cls), *getattr(value, "__dict__", ())))
        state = {}
        for name in names:
            if _allowed.is_derived(cls, name):
                continue
            if not hasattr(value, name):
                raise TypeError(f"{self._where} has no attribute for its parameter {name!r}.")
            if not _allowed.may_hold(cls, name):
                raise TypeError(f"{self._where}.{name} hides a method or property of the class.")
            state[name] = getattr(value, name)
        return state


_ENCODERS: dict[type, Callable[[Encoder, Any], _Parts]] = {
    list: Encoder._sequence,
    tuple: Encoder._sequence,
    set: Encoder._set,
    frozenset: Encoder._set,
    dict: Encoder._dict,
    slice: Encoder._bounds,
    range: Encoder._bounds,
    bytes: Encoder._bytes,
    np.ndarray: Encoder._array,
    np.memmap: Encoder._array,
    np.ma.MaskedArray: Encoder._masked,
}


def _atom(value: object) -> Slot:
    """Return the slot of a value that is written where it stands."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if isinstance(value, int) and kind is int:
        return value if -(2**63) <= value < 2**63 else {"int": hex(value)}
    if isinstance(value, float) and kind is float:
        return {"float": value.hex()}
    if isinstance(value, complex) and kind is complex:
        return {"complex": [value.real.hex(), value.imag.hex()]}
    return _NOT_ATOM


def _is_loaded(module: str, first: str, second: str, value: object) -> bool:
    """Tell whether a value is of one of two classes, without importing their module."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(
        value, (getattr(loaded, first), getattr(loaded, second))
    )


def _text_bytes(value: Any) -> bytes:
    return bytes(value) if isinstance(value, bytes) else value.encode("utf-32-le", "surrogatepass")


def _short(key: object) -> str:
    text = repr(key)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _describe(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__module__}.{value.__qualname__}"
    cls = type(value)
    return f"an object of {cls.__module__}.{cls.__qualname__}"
