"""Checks of single arguments."""

from collections.abc import Sequence
from inspect import signature
from numbers import Integral
from typing import Any


def check_scalar(
    x: Any,
    name: str,
    target_type: type | tuple[type, ...],
    *,
    min_val: Any = None,
    max_val: Any = None,
    include_boundaries: str = "both",
) -> Any:
    """Return a number, or raise TypeError or ValueError if it is of a wrong type or size.

    Parameters
    ----------
    x : object
        The number.
    name : str
        What messages call it.
    target_type : type or tuple of types
        What it may be.
    min_val, max_val : number, optional
        The limits.
    include_boundaries : {"both", "left", "right", "neither"}, default="both"
        Which limits are themselves allowed.

    Examples
    --------
    >>> from gramian.utils import check_scalar
    >>> check_scalar(10, "x", int, min_val=1, max_val=20)
    10
    """
    types: Sequence[type] = target_type if isinstance(target_type, tuple) else (target_type,)
    if not isinstance(x, target_type):
        words = [_type_name(kind) for kind in types]
        wanted = words[0] if len(words) == 1 else f"{{{', '.join(words)}}}"
        raise TypeError(f"{name} must be an instance of {wanted}, not {_type_name(type(x))}.")
    if include_boundaries not in ("both", "left", "right", "neither"):
        raise ValueError(
            f"Unknown value for `include_boundaries`: {include_boundaries!r}. Possible values are: "
            "('left', 'right', 'both', 'neither')."
        )
    for limit, side in ((min_val, "left"), (max_val, "right")):
        if limit is None and include_boundaries == side:
            raise ValueError(
                f"`include_boundaries`='{side}' without specifying explicitly "
                f"`{'min' if side == 'left' else 'max'}_val` is inconsistent."
            )
    low_counts, high_counts = (
        include_boundaries in ("both", "left"),
        include_boundaries
        in (
            "both",
            "right",
        ),
    )
    if min_val is not None and (x < min_val if low_counts else x <= min_val):
        raise ValueError(f"{name} == {x}, must be {'>=' if low_counts else '>'} {min_val}.")
    if max_val is not None and (x > max_val if high_counts else x >= max_val):
        raise ValueError(f"{name} == {x}, must be {'<=' if high_counts else '<'} {max_val}.")
    return x


def _type_name(kind: type) -> str:
    if kind is Integral:
        return "int"
    is_plain = kind.__module__ in ("builtins", "numbers")
    name = "float" if kind.__qualname__ == "Real" else kind.__qualname__
    return name if is_plain else f"{kind.__module__}.{name}"


def has_fit_parameter(estimator: Any, parameter: str) -> bool:
    """Tell whether an estimator's ``fit`` takes an argument of that name.

    Parameters
    ----------
    estimator : estimator
    parameter : str

    Examples
    --------
    >>> from gramian.linear_model import Ridge
    >>> from gramian.utils.validation import has_fit_parameter
    >>> has_fit_parameter(Ridge(), "sample_weight")
    True
    """
    return hasattr(estimator, "fit") and parameter in signature(estimator.fit).parameters


def check_memory(memory: Any) -> Any:
    """Return a joblib.Memory for a folder's name, or the object given if it can cache.

    Parameters
    ----------
    memory : None, str or object with a method ``cache``

    Examples
    --------
    >>> from gramian.utils.validation import check_memory
    >>> check_memory(None).location is None
    True
    """
    if memory is None or isinstance(memory, str):
        import joblib

        return joblib.Memory(location=memory, verbose=0)
    if not hasattr(memory, "cache"):
        raise ValueError(
            "'memory' should be None, a string or have the same interface as joblib.Memory. Got "
            f"memory='{memory}' instead."
        )
    return memory
