"""Which classes and functions a model file may name: the only way from a name to code."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from importlib import import_module
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from gramian.params import param_names

__all__ = [
    "class_attribute",
    "class_name",
    "find_class",
    "find_function",
    "function_name",
    "is_derived",
    "may_hold",
    "persistable",
    "state_params",
]

# Families are found through the registry; these are the other modules whose declarations must be
# known before a file is read.
_DECLARING_MODULES = ("gramian.certificate", "gramian.compat", "gramian.encoding")
_FUNCTION_MODULES = ("gramian.metrics",)

_declared: dict[str, Any] = {}

_T = TypeVar("_T", bound=Callable[..., Any])

_REDUCTIONS = tuple(
    getattr(np, name)
    for name in ("max", "mean", "median", "min", "prod", "ptp", "std", "sum", "var")
)


def persistable(item: _T) -> _T:
    """Declare a class or a function that may appear in model files; use it as a decorator.

    Objects of the class are saved as their attributes and restored without calling ``__init__``.
    A method ``_check_state()``, if the class has one, is called after an object was read; it
    raises ValueError or TypeError when the attributes do not fit together. A class method
    ``_upgrade_state(params, attributes)`` is called before, with two dicts of what the file holds;
    it changes them when they are of an older version of the class. A program that loads such a file
    must have declared the class too: a file's names are looked up, never imported.

    Parameters
    ----------
    item : class or function

    Returns
    -------
    item : class or function
        The same, unchanged.

    Examples
    --------
    >>> import io
    >>> from dataclasses import dataclass
    >>> import gramian
    >>> from gramian.persistence import persistable
    >>> @persistable
    ... @dataclass(frozen=True)
    ... class Interval:
    ...     low: float
    ...     high: float
    >>> file = io.BytesIO()
    >>> gramian.save([Interval(0.0, 0.5)], file)
    >>> gramian.load(file)
    [Interval(low=0.0, high=0.5)]
    """
    if not isinstance(item, (type, FunctionType)):
        raise TypeError(f"persistable declares a class or a function. Got {item!r}.")
    if isinstance(item, type) and not _is_plain(item):
        raise TypeError(
            f"Objects of {item!r} hold more than the attributes in vars(obj): it has __slots__ "
            "without being a dataclass, or a __new__ of its own or of a built-in type."
        )
    name = _qualified(item)
    known = _declared.get(name, item)
    if known.__module__ != item.__module__ or known.__qualname__ != item.__qualname__:
        raise ValueError(f"{item!r} and {known!r} would both be called {name!r} in model files.")
    _declared[name] = item
    return item


def _is_plain(cls: type) -> bool:
    has_slots = any(vars(base).get("__slots__") for base in cls.__mro__)
    has_own_new = cast(Any, cls).__new__ is not object.__new__
    return not has_own_new and (not has_slots or is_dataclass(cls))


def class_name(cls: type) -> str | None:
    """Return the name of a class in model files, or None if it may not appear there."""
    name = _qualified(cls)
    return name if find_class(name) is cls else None


def find_class(name: str) -> type | None:
    """Return the class that `name` stands for in model files, or None."""
    found = _find(name)
    return found if isinstance(found, type) else None


def is_reduction(item: object) -> bool:
    """Tell whether it is a NumPy function that takes an axis away, such as the mean."""
    return any(item is function for function in _REDUCTIONS)


def function_name(function: object) -> str | None:
    """Return the name of a function in model files, or None if it may not appear there."""
    if isinstance(function, np.ufunc) or is_reduction(function):
        name = f"numpy.{getattr(function, '__name__', '')}"
    elif isinstance(function, FunctionType):
        name = _qualified(function)
    else:
        return None
    return name if find_function(name) is function else None


def find_function(name: str) -> Callable[..., Any] | None:
    """Return the function that `name` stands for in model files, or None."""
    if name.startswith("numpy."):
        found = vars(np).get(name.removeprefix("numpy."))
        return found if isinstance(found, np.ufunc) or is_reduction(found) else None
    found = _find(name)
    return found if isinstance(found, FunctionType) else None


def _find(name: str) -> Any:
    if name in _declared:
        return _declared[name]
    library = _library()  # imports modules that may declare the name
    return library.get(name, _declared.get(name))


def _qualified(item: Any) -> str:
    """Name of an item; without the module for our own, so that modules may be rearranged."""
    name: str = item.__qualname__
    package = item.__module__.partition(".")[0]
    return name if package == "gramian" else f"{item.__module__}.{name}"


@cache
def _library() -> dict[str, Any]:
    """Import what may declare names, and return the library's own estimators and functions."""
    from gramian.registry import COMPATIBLE, FAMILIES, PARTS, estimators_of

    for module in _DECLARING_MODULES:
        import_module(module)
    found: dict[str, Any] = dict(estimators_of(FAMILIES + PARTS + COMPATIBLE))
    for module in _FUNCTION_MODULES:
        public = vars(import_module(module))
        functions = {name: public[name] for name in public["__all__"]}
        found.update({k: f for k, f in functions.items() if isinstance(f, FunctionType)})
    return found


@cache
def state_params(cls: type) -> tuple[str, ...]:
    """Return the attributes that each object of a class has: parameters or dataclass fields."""
    if is_dataclass(cls):
        return tuple(field.name for field in fields(cls))
    return tuple(param_names(cls)) if hasattr(cls, "get_params") else ()


def class_attribute(cls: type, name: str) -> Any:
    """Return what a class itself holds under a name, without invoking descriptors."""
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


def may_hold(cls: type, name: str) -> bool:
    """Tell whether an object may hold an attribute: it must not hide a method or property."""
    if not name.isidentifier() or name.startswith("__"):
        return False
    if name in state_params(cls):
        return True
    hidden = class_attribute(cls, name)
    return not (callable(hidden) or hasattr(hidden, "__get__") or hasattr(hidden, "__set__"))


def is_derived(cls: type, name: str) -> bool:
    """Tell whether an attribute is only the remembered value of a cached property."""
    return isinstance(class_attribute(cls, name), cast(type, cached_property))
