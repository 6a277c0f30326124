"""Twists that turn a good matrix, target or weight into a hostile one.

A twist is a function of an array and a generator of random numbers. Twists are applied one after
another, so that a case is told by their names, and a smaller one has fewer of them.
"""

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse
from tests.fuzz.corrupt_sparse import CORRUPTIONS, FORMATS, corrupted, with_index_outside

Twist = Callable[[Any, np.random.Generator], Any]


class Subclass(np.ndarray):
    """An array of another class, whose functions answer in that class."""


class Refuses:
    """Looks like an array, and is none."""

    def __init__(self, array: Any) -> None:
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __len__(self) -> int:
        return int(self.shape[0])

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError("this is no array")


def _put(*values: Any) -> Twist:
    """Return a twist that writes a value, of some, into a few places."""

    def twist(array: Any, rng: np.random.Generator) -> Any:
        out = np.array(array, dtype=np.float64)
        if out.size:
            out.flat[rng.integers(out.size, size=rng.choice([1, 3]))] = rng.choice(values)
        return out

    return twist


def _everywhere(*values: Any) -> Twist:
    return lambda array, rng: np.full(np.shape(array), rng.choice(values))


def _times(*factors: float) -> Twist:
    return lambda array, rng: np.asarray(array, dtype=np.float64) * rng.choice(factors)


VALUES: dict[str, Twist] = {
    "a gap": _put(np.nan),
    "an infinity": _put(np.inf, -np.inf),
    "a denormal number": _put(5e-324, -1e-310),
    "an enormous number": _put(1e308, -1.5e308, 1e160),
    "minus zero": _put(-0.0),
    "a constant": _everywhere(0.0, 1.0, -3.5, 1e-30),
    "denormal numbers": _times(1e-310),
    "large numbers": _times(1e30, 1e100),
    "small numbers": _times(1e-30, 1e-100),
    "enormous numbers": _times(1e155, 1e250, 1e307),
    "huge integers": lambda a, rng: (np.nan_to_num(a) * 2**60).astype(np.int64),
    "equal rows": lambda a, rng: np.repeat(a[:1], len(a), axis=0) if np.ndim(a) else a,
    "integers beyond 64 bits": lambda a, rng: np.array(
        [10**30 * k for k in range(np.size(a))], dtype=object
    ).reshape(np.shape(a)),
}

SHAPES: dict[str, Twist] = {
    "no rows": lambda a, rng: a[:0],
    "one row": lambda a, rng: a[:1],
    "two rows": lambda a, rng: a[:2],
    "no columns": lambda a, rng: a[:, :0] if np.ndim(a) == 2 else a.reshape(len(a), 1)[:, :0],
    "one column": lambda a, rng: a[:, :1] if np.ndim(a) == 2 else a[:, None],
    "three axes": lambda a, rng: np.stack([a, a]),
    "no axes": lambda a, rng: np.float64(2.5),
    "one axis": lambda a, rng: np.ravel(a),
    "turned": lambda a, rng: a.T,
    "another number of rows": lambda a, rng: a[: len(a) // 2],
    "nothing": lambda a, rng: None,
}


def _as(dtype: Any) -> Twist:
    return lambda array, rng: np.nan_to_num(np.asarray(array, dtype=np.float64)).astype(dtype)


def _structured(array: Any, rng: np.random.Generator) -> Any:
    out = np.zeros(np.shape(array)[:1], dtype=[("a", "f8"), ("b", "i4")])
    out["a"] = np.asarray(array, dtype=np.float64).reshape(len(out), -1)[:, 0]
    return out


def _mixed(array: Any, rng: np.random.Generator) -> Any:
    out = np.array(array, dtype=object)
    if out.size:
        odd: list[Any] = [None, "text", b"bytes", (1, 2), [1], {}, object, 1j, pd.NA, True]
        out.flat[int(rng.integers(out.size))] = odd[int(rng.integers(len(odd)))]
    return out


TYPES: dict[str, Twist] = {
    **{
        name: _as(name)
        for name in ("bool", "int8", "int64", "uint64", "float16", "float32", "longdouble")
    },
    "objects": _as(object),
    "complex numbers": _as("complex128"),
    "dates": _as("M8[s]"),
    "durations": _as("m8[s]"),
    "text": _as("U8"),
    "bytes": _as("S8"),
    "void": lambda a, rng: np.asarray(a, dtype=np.float64).view("V8"),
    "a structure": _structured,
    "mixed objects": _mixed,
    "signs and brackets": lambda a, rng: np.full(np.shape(a), "\x1b[31m<b>\x00é\ud800"),
}


def _misaligned(array: Any, rng: np.random.Generator) -> Any:
    plain = np.ascontiguousarray(array)
    if plain.dtype.hasobject:
        return array
    buffer = np.zeros(plain.nbytes + 1, dtype=np.uint8)
    out = buffer[1:].view(plain.dtype).reshape(plain.shape)
    out[...] = plain
    return out


def _read_only(array: Any, rng: np.random.Generator) -> Any:
    out = np.array(array)
    out.flags.writeable = False
    return out


def _mapped(array: Any, rng: np.random.Generator) -> Any:
    plain = np.ascontiguousarray(array)
    if plain.dtype.hasobject:  # a file cannot hold them
        return array
    with tempfile.TemporaryFile() as file:
        file.write(plain.tobytes() or b"\0" * 8)
        file.flush()
        return np.memmap(file, dtype=plain.dtype, mode="r", shape=plain.shape or (1,))


def _every_other(array: Any, rng: np.random.Generator) -> Any:
    wide = np.repeat(np.asarray(array), 2, axis=-1)
    return wide[..., ::2]


LAYOUTS: dict[str, Twist] = {
    "negative strides": lambda a, rng: np.ascontiguousarray(a[::-1])[::-1],
    "both strides negative": lambda a, rng: a[::-1, ::-1] if np.ndim(a) == 2 else a[::-1],
    "rows of stride zero": lambda a, rng: np.broadcast_to(a[:1], np.shape(a)),
    "columns of stride zero": lambda a, rng: np.broadcast_to(a[..., :1], np.shape(a)),
    "column order": lambda a, rng: np.asfortranarray(a),
    "every other": _every_other,
    "misaligned": _misaligned,
    "big-endian": lambda a, rng: np.asarray(a).astype(np.asarray(a).dtype.newbyteorder(">")),
    "read-only": _read_only,
    "a memory map": _mapped,
}


def _frame(make: Callable[[dict[str, Any]], Any], prefix: str = "x") -> Twist:
    def twist(array: Any, rng: np.random.Generator) -> Any:
        columns = np.asarray(array)
        columns = columns[:, None] if columns.ndim == 1 else columns
        return make({f"{prefix}{j}": columns[:, j] for j in range(columns.shape[1])})

    return twist


def _nullable(columns: dict[str, Any]) -> Any:
    return pd.DataFrame(columns).convert_dtypes()


def _levels(columns: dict[str, Any]) -> Any:
    frame = pd.DataFrame(columns)
    frame[frame.columns[0]] = pd.Categorical(np.asarray(frame[frame.columns[0]]).astype(str))
    return frame


CONTAINERS: dict[str, Twist] = {
    "lists": lambda a, rng: np.asarray(a).tolist(),
    "tuples": lambda a, rng: tuple(np.asarray(a).tolist()),
    "ragged lists": lambda a, rng: [[1.0], [1.0, 2.0]] * (len(a) // 2),
    "a generator": lambda a, rng: (row for row in np.asarray(a)),
    "masked": lambda a, rng: np.ma.masked_array(a, rng.random(np.shape(a)) < 0.1),
    "a matrix": lambda a, rng: np.asarray(a).view(np.matrix) if np.ndim(a) == 2 else a,
    "a subclass": lambda a, rng: np.asarray(a).view(Subclass),
    "an array in name": lambda a, rng: Refuses(np.asarray(a)),
    "a pandas frame": _frame(pd.DataFrame),
    "a polars frame": _frame(pl.DataFrame),
    "an arrow table": _frame(pa.table),
    "a frame of nullable columns": _frame(_nullable),
    "a frame with levels": _frame(_levels),
    "names with control characters": _frame(pd.DataFrame, "\x1b[2J<i>\0"),
    "a frame of repeated names": lambda a, rng: pd.concat(
        [pd.DataFrame(np.asarray(a))] * 2, axis=1
    ),
    "a series": lambda a, rng: pd.Series(np.ravel(a)),
    "one set": lambda a, rng: {1.0, 2.0},
}


def _sparse(kind: str, container: str) -> Twist:
    return lambda array, rng: getattr(sparse, f"{kind}_{container}")(np.asarray(array))


def _corrupt(what: str) -> Twist:
    return lambda array, rng: corrupted(_thinned(array, rng), CORRUPTIONS[what])


def _outside(kind: str) -> Twist:
    return lambda array, rng: with_index_outside(kind, _thinned(array, rng).toarray())


def _thinned(array: Any, rng: np.random.Generator) -> Any:
    dense = np.asarray(array, dtype=np.float64)
    return sparse.csr_matrix(np.where(rng.random(dense.shape) < 0.3, 0.0, dense))


SPARSE: dict[str, Twist] = {
    **{f"{kind}_{c}": _sparse(kind, c) for kind in FORMATS for c in ("array", "matrix")},
    **{f"sparse with {what}": _corrupt(what) for what in CORRUPTIONS},
    **{f"{kind} with an index outside": _outside(kind) for kind in FORMATS},
}

STAGES = (VALUES, SHAPES, TYPES, LAYOUTS, CONTAINERS, SPARSE)
"""In the order in which they are applied: containers come last."""

TWISTS: dict[str, Twist] = {name: twist for stage in STAGES for name, twist in stage.items()}


def draw_twists(rng: np.random.Generator, chance: float) -> tuple[str, ...]:
    """Draw names of twists, from each stage none or one."""
    chosen = []
    for stage in STAGES:
        if rng.random() < chance:
            names = list(stage)
            chosen.append(names[int(rng.integers(len(names)))])
    return tuple(chosen)


def twisted(array: Any, names: tuple[str, ...], seed: int) -> Any:
    """Return an array with the twists applied; one that does not fit the others is left out."""
    rng = np.random.default_rng(seed)
    for name in names:
        try:
            with np.errstate(all="ignore"):
                array = TWISTS[name](array, rng)
        except Exception:
            continue
    return array


MODERATE = (1e-100, 1e100)
"""Magnitudes of numbers from which an answer must be finite; beyond them it may be refused."""


def is_moderate(values: Any) -> bool:
    """Tell whether values are numbers, finite, and neither enormous nor tiny."""
    if values is None:
        return True
    try:
        # What a corrupt matrix points to must not be followed here either.
        entries = values.data if sparse.issparse(values) else np.asarray(values)
        numbers = np.abs(entries.astype(np.float64))
    except Exception:
        return False
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        return False
    kept = numbers[numbers != 0]
    return bool(
        np.isfinite(kept).all() and (kept < MODERATE[1]).all() and (kept > MODERATE[0]).all()
    )
