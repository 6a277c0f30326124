"""Building estimators, sparse matrices and random generators from parts that were checked."""

from types import MemberDescriptorType
from typing import Any

import numpy as np

from gramian.persistence import _allowed
from gramian.persistence._format import FormatError
from gramian.persistence._sizes import check_columns

__all__ = ["restore_masked", "restore_object", "restore_random", "restore_sparse"]

_BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")

# NumPy's generators index their buffers with the positions without looking.
_STATE_BOUNDS = {
    "pos": 624,
    "buffer_pos": 4,
    "has_uint32": 1,
    "has_gauss": 1,
    "uinteger": 2**32 - 1,
    "state": 2**128 - 1,
    "inc": 2**128 - 1,
}


def restore_object(cls: type, params: dict[str, Any], attributes: dict[str, Any]) -> Any:
    """Return an object of a class with the given attributes, without running its ``__init__``."""
    if hasattr(cls, "_upgrade_state"):
        cls._upgrade_state(params, attributes)
    expected = set(_allowed.state_params(cls))
    if params.keys() != expected or not expected.isdisjoint(attributes):
        missing = sorted(expected - params.keys())
        unknown = sorted(params.keys() - expected)
        raise FormatError(
            f"the parameters of {cls.__name__} are not those of this version of gramian: "
            f"missing {missing}, unknown {unknown[:10]}"
        )
    check_columns(cls, attributes)
    restored: Any = object.__new__(cls)
    for name, value in {**params, **attributes}.items():
        if isinstance(_allowed.class_attribute(cls, name), MemberDescriptorType):
            object.__setattr__(restored, name, value)  # a slot
        else:
            vars(restored)[name] = value
    if hasattr(cls, "_check_state"):
        try:
            restored._check_state()
        except Exception as error:
            raise FormatError(f"the state of a {cls.__name__} is inconsistent: {error}") from error
    return restored


def restore_masked(data: Any, mask: Any, fill_value: Any) -> Any:
    """Return a masked array whose mask has the shape of the data."""
    if type(data) is not np.ndarray:
        raise FormatError("the data of a masked array are no array")
    if mask is not None and (
        type(mask) is not np.ndarray or mask.dtype != np.bool_ or mask.shape != data.shape
    ):
        raise FormatError("the mask of a masked array does not fit its data")
    is_atom = fill_value is None or isinstance(fill_value, (str, bool, int, float, complex))
    if data.dtype == object:
        is_right = is_atom or isinstance(fill_value, np.generic)
    else:
        is_right = isinstance(fill_value, np.generic) and fill_value.dtype.kind == data.dtype.kind
    if not is_right:
        raise FormatError("the fill value of a masked array is of another type than its data")
    hidden: Any = np.ma.nomask if mask is None else mask
    restored: Any = np.ma.MaskedArray(data, mask=hidden, fill_value=fill_value, copy=False)
    return restored


def restore_sparse(kind: Any, container: Any, shape: tuple[int, ...], parts: list[Any]) -> Any:
    """Return a SciPy sparse matrix or array whose indices are within its shape.

    The indices are set again after it was made, since SciPy may have narrowed them to 32 bits.
    """
    from scipy import sparse

    if kind not in ("csr", "csc", "coo") or container not in ("array", "matrix"):
        raise FormatError("the sparse format is unknown")
    if len(shape) != 2 or len(parts) != 3 or not all(_is_vector(part) for part in parts):
        raise FormatError("a sparse matrix needs a shape of two and three plain vectors")
    data, first, second = parts
    if data.dtype.kind not in "biufc" or {first.dtype, second.dtype} not in _INDEX_TYPES:
        raise FormatError("the dtypes of a sparse matrix are wrong")
    cls: Any = getattr(sparse, f"{kind}_{container}")
    if kind == "coo":
        _check_indices(first, shape[0], data.size)
        _check_indices(second, shape[1], data.size)
        restored = cls((data, (first, second)), shape=shape)
        restored.coords = (first, second)
        return restored
    n_major, n_minor = shape if kind == "csr" else shape[::-1]
    _check_indices(first, n_minor, data.size)
    if second.size != n_major + 1 or second[0] != 0 or second[-1] != data.size:
        raise FormatError("indptr of a sparse matrix does not fit its shape")
    if (second[1:] < second[:-1]).any():
        raise FormatError("indptr of a sparse matrix decreases")
    restored = cls((data, first, second), shape=shape)
    restored.indices, restored.indptr = first, second
    return restored


_INDEX_TYPES = ({np.dtype("<i4")}, {np.dtype("<i8")})


def _is_vector(part: Any) -> bool:
    return type(part) is np.ndarray and part.ndim == 1


def _check_indices(indices: np.ndarray[Any, Any], stop: int, size: int) -> None:
    if indices.size != size:
        raise FormatError("a sparse matrix has not as many indices as data")
    if size and (indices.min() < 0 or indices.max() >= stop):
        raise FormatError("an index of a sparse matrix is outside of its shape")


def restore_random(container: Any, state: Any) -> Any:
    """Return a NumPy generator at the point of its stream that `state` describes."""
    name = state.get("bit_generator") if type(state) is dict else None
    if name not in _BIT_GENERATORS or container not in ("RandomState", "Generator"):
        raise FormatError("the random generator is unknown")
    bit_generator = getattr(np.random, name)(0)
    if container == "RandomState":
        restored = np.random.RandomState(bit_generator)
        _check_like(restored.get_state(legacy=False), state)
        restored.set_state(state)
        return restored
    _check_like(bit_generator.state, state)
    bit_generator.state = state
    return np.random.Generator(bit_generator)


def _check_like(example: Any, state: Any, name: str = "") -> None:
    """Refuse a state that does not have the keys, types, shapes and ranges of `example`."""
    if type(state) is not type(example):
        raise FormatError(f"the state {name!r} of a random generator has the wrong type")
    if isinstance(example, dict):
        if state.keys() != example.keys():
            raise FormatError("the state of a random generator has the wrong keys")
        for key, part in example.items():
            _check_like(part, state[key], key)
    elif isinstance(example, np.ndarray):
        if state.dtype != example.dtype or state.shape != example.shape:
            raise FormatError(f"the state {name!r} of a random generator has the wrong shape")
    elif isinstance(example, int) and not 0 <= state <= _STATE_BOUNDS[name]:
        raise FormatError(f"the state {name!r} of a random generator is out of range")
