"""A hash of a model that is equal for equal bits."""

import json
from hashlib import sha256
from typing import Any

import numpy as np

from gramian.persistence._encode import Encoder
from gramian.persistence._format import Node, Ref

__all__ = ["fingerprint"]

_UNORDERED = ("dict", "set", "frozenset")


class _StateEncoder(Encoder):
    """Leaves out what a class declares to be measured rather than computed.

    A class with such attributes has a static method ``_computed_state(state)``, which returns the
    attributes that equal fits have in common.
    """

    def _state(self, value: Any) -> dict[str, Any]:
        state = super()._state(value)
        computed = getattr(type(value), "_computed_state", None)
        return state if computed is None else computed(state)


def fingerprint(model: object) -> str:
    """Return a hash of the class, the parameters and the fitted state of a model.

    Two models have the same fingerprint when all their numbers have the same bits: 0.0 and -0.0
    differ, NaNs are all alike. The order of dictionaries, the memory layout of arrays, and
    whether equal parts are one shared object play no role, nor do the times that a search measured.
    The hash is the same in every process and on every machine.

    Parameters
    ----------
    model : object
        An estimator, or anything else that `save` can write.

    Returns
    -------
    fingerprint : str
        64 hexadecimal digits.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> a = np.arange(6.0).reshape(2, 3)
    >>> gramian.fingerprint(a) == gramian.fingerprint(np.asfortranarray(a))
    True
    >>> gramian.fingerprint(0.0) == gramian.fingerprint(-0.0)
    False
    """
    encoder = _StateEncoder()
    root = encoder.encode(model)
    digests: list[str] = []
    for node in encoder.nodes:
        digests.append(_digest(_canonical_node(node, digests)))
    return _digest({"fingerprint": 1, "root": _canonical(root, digests)})


def _canonical_node(node: Node, digests: list[str]) -> Node:
    canonical = {key: _canonical(item, digests) for key, item in node.items() if key != "order"}
    if node["type"] in _UNORDERED:
        canonical["items"].sort(key=json.dumps)
    return canonical


def _canonical(item: Any, digests: list[str]) -> Any:
    """Replace references by what they refer to, and arrays by the hash of their content."""
    if isinstance(item, Ref):
        return {"sha256": digests[item["ref"]]}
    if isinstance(item, list):
        return [_canonical(part, digests) for part in item]
    if isinstance(item, dict):
        return {key: _canonical(part, digests) for key, part in item.items()}
    if isinstance(item, np.ndarray):
        return sha256(_canonical_array(item)).hexdigest()
    return item


def _canonical_array(array: np.ndarray[Any, Any]) -> memoryview:
    array = np.ascontiguousarray(array)
    if array.dtype.kind == "c":
        array = array.reshape(-1).view(f"<f{array.dtype.itemsize // 2}")
    if array.dtype.kind == "f" and (is_nan := np.isnan(array)).any():
        array = np.where(is_nan, array.dtype.type(np.nan), array)
    return array.reshape(-1).view(np.uint8).data


def _digest(node: Node) -> str:
    return sha256(json.dumps(node, sort_keys=True).encode()).hexdigest()
