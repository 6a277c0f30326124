"""Dask collections in the place of arrays and data frames."""

from typing import Any

from gramian.blocks._dask_frames import frame_of, is_array, is_dask, side_by_side
from gramian.blocks._dask_rows import DaskRows
from gramian.blocks._scan import Scan

__all__ = ["dask_fit_arguments"]


def dask_fit_arguments(
    X: Any, y: Any = None, sample_weight: Any = None, **others: Any
) -> dict[str, Any]:
    """Return the arguments of ``fit`` for a Dask collection: a scan, and names of its columns.

    Parameters
    ----------
    X : dask DataFrame or Array
        The rows.
    y, sample_weight : str, list of str, Dask collection or None
        Collections become columns beside those of `X`, so that all comes from one graph.
    **others
        What else ``fit`` was given.
    """
    rows = frame_of("X", X)
    names, added = list(rows.columns), {}
    found = {"y": y, "sample_weight": sample_weight}
    for argument, given in found.items():
        if not is_dask(given):
            continue
        added[argument] = frame_of(argument, given, names)
        own = list(added[argument].columns)
        names += own
        is_vector = len(own) == 1 and getattr(given, "ndim", 2) == 1
        found[argument] = own[0] if is_vector or argument == "sample_weight" else own
    scan = Scan(DaskRows(side_by_side(rows, added), has_names=not is_array(X)))
    return {"X": scan, **{k: v for k, v in found.items() if v is not None}, **others}
