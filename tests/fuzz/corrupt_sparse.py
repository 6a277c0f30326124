"""Sparse matrices whose arrays were overwritten after they were made."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

FORMATS = ("csr", "csc", "bsr", "coo", "lil", "dok", "dia")


def _index_of(value: int) -> Callable[[Any], None]:
    def corrupt(S: Any) -> None:
        S.indices[len(S.indices) // 2] = value

    return corrupt


def _index_past_the_end(S: Any) -> None:
    S.indices[-1] = S.shape[1]


def _offset_of(place: int, value: int) -> Callable[[Any], None]:
    def corrupt(S: Any) -> None:
        S.indptr[place] = value

    return corrupt


def _short_offsets(S: Any) -> None:
    S.indptr = S.indptr[:-1]


def _no_offsets(S: Any) -> None:
    S.indptr = S.indptr[:0]


def _few_values(S: Any) -> None:
    S.data = S.data[:-5]


def _few_indices(S: Any) -> None:
    S.indices = S.indices[:-5]


def _indices_as(dtype: str) -> Callable[[Any], None]:
    def corrupt(S: Any) -> None:
        S.indices = S.indices.astype(dtype)

    return corrupt


def _more_rows(S: Any) -> None:
    S._shape = (S.shape[0] + 10_000, S.shape[1])


def _claimed_canonical(S: Any) -> None:
    S.has_canonical_format = True
    S.indices[-1] = 2**30


CORRUPTIONS: dict[str, Callable[[Any], None]] = {
    "an index equal to the number of columns": _index_past_the_end,
    "a large index": _index_of(2**30),
    "a negative index": _index_of(-1),
    "the lowest index": _index_of(-(2**31)),
    "a falling offset": _offset_of(11, -(2**30)),
    "a large offset": _offset_of(11, 2**30),
    "a first offset above 0": _offset_of(0, 2),
    "a negative first offset": _offset_of(0, -(2**20)),
    "a last offset behind the indices": _offset_of(-1, 2**20),
    "too few offsets": _short_offsets,
    "no offsets": _no_offsets,
    "fewer values than indices": _few_values,
    "fewer indices than values": _few_indices,
    "fractions as indices": _indices_as("float64"),
    "unsigned indices": _indices_as("uint32"),
    "more rows than offsets": _more_rows,
    "a false claim of order": _claimed_canonical,
}
"""What -> a function that does it to a CSR matrix."""


def corrupted(S: Any, corrupt: Callable[[Any], None]) -> Any:
    """Return a corrupt copy of a matrix."""
    copy = S.copy()
    corrupt(copy)
    return copy


def with_index_outside(kind: str, X: Any, *, container: str = "array") -> Any:
    """Return rows in a sparse format, with one index or offset far outside."""
    S = getattr(sparse, f"{kind}_{container}")(X)
    if kind in ("csr", "csc", "bsr"):
        S.indices[-1] = 2**30
    elif kind == "coo":
        S.coords[0][-1] = 2**30
    elif kind == "lil":
        S.rows[-1][-1] = 2**30
    elif kind == "dok":
        S._dict[(2**30, 0)] = 1.0
    else:
        S.offsets[-1] = np.iinfo(S.offsets.dtype).max
    return S


def corrupt_matrices(X: Any) -> dict[tuple[str, str], Any]:
    """Return every corruption of CSR, and an index outside in every other format.

    The keys are format and corruption.
    """
    S = sparse.csr_matrix(X)
    found = {("csr", what): corrupted(S, corrupt) for what, corrupt in CORRUPTIONS.items()}
    return found | {(kind, "an index outside"): with_index_outside(kind, X) for kind in FORMATS[1:]}
