"""Pieces of a range of rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.params import Integer, check_arguments


def gen_batches(n: int, batch_size: int, *, min_batch_size: int = 0) -> Iterator[slice]:
    """Yield slices of `batch_size` rows that cover the rows 0 to n - 1.

    Parameters
    ----------
    n : int
        Number of rows.
    batch_size : int
        Number of rows of a slice; the last may have fewer.
    min_batch_size : int, default=0
        The least number of rows of a slice; what is left at the end joins the slice before.

    Examples
    --------
    >>> from gramian.utils import gen_batches
    >>> list(gen_batches(7, 3, min_batch_size=2))
    [slice(0, 3, None), slice(3, 7, None)]
    """
    check_arguments(
        "gen_batches",
        n=(n, Integer(1)),
        batch_size=(batch_size, Integer(1)),
        min_batch_size=(min_batch_size, Integer(0)),
    )
    start = 0
    for end in range(batch_size, n + 1, batch_size):
        if end + min_batch_size <= n or end == n:
            yield slice(start, end)
            start = end
    if start < n:
        yield slice(start, n)


def gen_even_slices(n: int, n_packs: int, *, n_samples: int | None = None) -> Iterator[slice]:
    """Yield up to `n_packs` slices, as equal as possible, that cover the rows 0 to n - 1.

    Parameters
    ----------
    n : int
        Number of rows.
    n_packs : int
        Number of slices.
    n_samples : int, optional
        An end that no slice goes beyond.

    Examples
    --------
    >>> from gramian.utils import gen_even_slices
    >>> list(gen_even_slices(5, 2))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    check_arguments("gen_even_slices", n=(n, Integer(1)), n_packs=(n_packs, Integer(1)))
    whole, rest = divmod(n, n_packs)
    start = 0
    for pack in range(n_packs):
        size = whole + (pack < rest)
        if size:
            end = start + size if n_samples is None else min(n_samples, start + size)
            yield slice(start, end)
            start = end


def safe_mask(X: Any, mask: Any) -> NDArray[Any]:
    """Return a mask by which the rows of `X` can be taken: row numbers for a sparse matrix.

    Parameters
    ----------
    X : array or sparse matrix
    mask : array-like of bool, or of row numbers

    Examples
    --------
    >>> from gramian.utils import safe_mask
    >>> safe_mask([[1], [2], [3]], [True, False, True])
    array([ True, False,  True])
    """
    chosen = np.asarray(mask)
    is_flags = chosen.dtype.kind == "b"
    return np.flatnonzero(chosen) if is_flags and hasattr(X, "toarray") else chosen
