"""Sources of rows that are handed to ``fit`` as they are: a path, a data set, a lazy frame."""

import os
from typing import Any

from gramian._tags import tags_of

__all__ = ["SurveyNeededError", "settle", "with_scan", "with_survey"]

_FIT_ARGUMENTS = ("X", "y", "sample_weight")


class SurveyNeededError(Exception):
    """Columns that were read as plain numbers have gaps: the fit starts again with an encoding."""


def settle(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Let a scan, if ``fit`` was given one, give what it has promised; may raise the above."""
    scan: Any = args[0] if args else kwargs.get("X")
    if _is_scan(scan):
        scan.settle()


def with_survey(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Let the columns of a scan be looked at before its rows are taken for numbers."""
    scan: Any = args[0] if args else kwargs.get("X")
    scan.needs_survey = True


def _is_scan(X: Any) -> bool:
    return type(X).__module__ == "gramian.blocks._scan"


def with_scan(
    estimator: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of ``fit``, with a scan of the source in the place of `X`.

    Raises TypeError for an estimator that needs its rows in memory.
    """
    given = dict(zip(("X", "y"), args, strict=False)) | kwargs
    X = given.get("X")
    if hasattr(type(X), "__dask_graph__"):
        return _read_from_dask(estimator, args, kwargs)
    if _is_scan(X):
        from gramian.validation import require_blocks

        require_blocks(estimator)
        return args, kwargs
    # A reader is a table, too, unless the target is a column of it.
    is_reader = type(X).__qualname__ == "RecordBatchReader" and isinstance(given.get("y"), str)
    if not (_is_source(X) or is_reader):
        return args, kwargs
    tags = tags_of(estimator)
    if not tags.blocks:
        if not tags.two_d_array or callable(X):  # of texts, say; what it is, the estimator tells
            return args, kwargs
        raise TypeError(
            f"{type(estimator).__name__} with these parameters needs its rows in memory. Got a "
            f"{type(X).__name__}: read it into a data frame, or a sample of its rows. "
            "gramian.blocks lists the models that read from disk."
        )
    from gramian.blocks import scan

    if args:
        return (scan(X), *args[1:]), kwargs
    return args, kwargs | {"X": scan(X)}


def _read_from_dask(
    estimator: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    from gramian.blocks import dask_fit_arguments
    from gramian.validation import require_blocks

    require_blocks(estimator)
    given = dict(zip(_FIT_ARGUMENTS, args[: len(_FIT_ARGUMENTS)], strict=False))
    return args[len(_FIT_ARGUMENTS) :], dask_fit_arguments(**given, **kwargs)


def _is_source(X: Any) -> bool:
    """Tell whether rows can be had from an object that is no data itself."""
    if isinstance(X, str):
        # Path.exists raises for text that can be no path.
        return X.endswith(".parquet") or os.sep in X or os.path.exists(X)
    if isinstance(X, os.PathLike):
        return True
    kind = type(X)
    library = kind.__module__.partition(".")[0]
    if library == "polars":
        return kind.__qualname__ == "LazyFrame"
    if library == "pyarrow":
        return hasattr(X, "get_fragments")
    return callable(X) and not isinstance(X, type) and not hasattr(X, "shape")
