"""Constructor parameters, declared once.

A class body says ``alpha: float = param(1.0, Real(0.0), positional=True)``; from that one line come
the ``__init__``, its signature, ``get_params``, and the check at ``fit`` with its message.
"""

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from gramian._constraints import (
    Anything,
    Arrays,
    Boolean,
    Callables,
    Constraint,
    Estimator,
    Fraction,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    RandomState,
    Real,
    Strings,
)
from gramian.exceptions import InvalidParameterError

__all__ = [
    "REQUIRED",
    "Anything",
    "Arrays",
    "Boolean",
    "Callables",
    "Constraint",
    "Estimator",
    "Fraction",
    "Integer",
    "Mappings",
    "Nothing",
    "OneOf",
    "Param",
    "RandomState",
    "Real",
    "Strings",
    "check_arguments",
    "check_params",
    "declare_params",
    "param",
    "param_names",
]

REQUIRED: Any = inspect.Parameter.empty
"""The default of a parameter that has none."""


@dataclass(frozen=True)
class Param:
    """One declared parameter."""

    default: Any
    constraint: Constraint
    positional: bool
    renamed: Mapping[str, str]

    def current(self, name: str, value: Any) -> Any:
        """Return the present name of an option; warn of the old one."""
        if not isinstance(value, str) or value not in self.renamed:
            return value
        present = self.renamed[value]
        warnings.warn(
            f'Value `"{value}"` for `{name}` is deprecated: it is the same as `"{present}"`. Use '
            f'`{name}="{present}"` to remove this warning.',
            FutureWarning,
            stacklevel=3,
        )
        return present


def param(
    default: Any,
    constraint: Constraint,
    *,
    positional: bool = False,
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Declare a constructor parameter in the body of an estimator class.

    Parameters
    ----------
    default : object
        The default value; immutable, since all instances share it. `REQUIRED` stands for none.
    constraint : Constraint
        What is allowed; checked at ``fit``. Join several with ``|``.
    positional : bool, default=False
        Whether it may be given by position, as scikit-learn allows for a few.
    renamed : mapping of str to str, optional
        Old names of options with their present names, which the constructor sets in their place.
    """
    return Param(default, constraint, positional, renamed)


def declare_params(cls: type) -> None:
    """Turn the `Param` entries of a class body into its ``__init__``.

    The parameters of parent classes come first, in their order; a class may declare one anew to
    change its default or range. A class that writes its own ``__init__`` keeps it, and one with a
    method ``_take_others`` takes other keyword arguments, too, as a dict.
    """
    own = {name: value for name, value in vars(cls).items() if isinstance(value, Param)}
    for name in own:
        delattr(cls, name)  # the instance holds the value; the class must not shadow a missing one
    inherited: dict[str, Param] = {}
    for parent in reversed(cls.__mro__[1:]):
        inherited.update(vars(parent).get("_declared_params", {}))
    cls._declared_params = {**inherited, **own}  # type: ignore[attr-defined]
    if own and "__init__" not in vars(cls):
        cls.__init__ = _make_init(cls)  # type: ignore[misc]


def _make_init(cls: type) -> Callable[..., None]:
    """Write ``def __init__(self, alpha=..., *, tol=...): self.alpha = alpha; ...``."""
    declared: dict[str, Param] = cls._declared_params  # type: ignore[attr-defined]
    positional = [name for name, p in declared.items() if p.positional]
    keyword = [name for name, p in declared.items() if not p.positional]
    defaults = {
        name: "" if p.default is REQUIRED else f"=default_{name}" for name, p in declared.items()
    }
    arguments = ["self", *(f"{name}{defaults[name]}" for name in positional)]
    if keyword:
        arguments += ["*", *(f"{name}{defaults[name]}" for name in keyword)]
    values = {
        name: f"current_{name}({name!r}, {name})" if p.renamed else name
        for name, p in declared.items()
    }
    body = "".join(f"    self.{name} = {value}\n" for name, value in values.items())
    if hasattr(cls, "_take_others"):
        arguments.append("**kwargs")
        body += "    self._take_others(kwargs)\n"
    namespace: dict[str, Any] = {f"default_{name}": p.default for name, p in declared.items()}
    namespace |= {f"current_{name}": p.current for name, p in declared.items()}
    exec(f"def __init__({', '.join(arguments)}):\n{body}", namespace)
    init: Callable[..., None] = namespace["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    init.__doc__ = None
    if "**kwargs" in arguments:  # which are parameters by names that the signature need not list
        named = [p for p in inspect.signature(init).parameters.values() if p.kind != p.VAR_KEYWORD]
        init.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    return init


_defaults: dict[type, dict[str, Any]] = {}


def default_values(cls: type) -> dict[str, Any]:
    """Return the constructor's parameters of any estimator class, sorted, with their defaults.

    ``inspect.Parameter.empty`` stands for none.
    """
    if cls not in _defaults:
        init = cls.__init__  # type: ignore[misc]
        parameters = [] if init is object.__init__ else _named_parameters(cls.__name__, init)
        _defaults[cls] = {p.name: p.default for p in sorted(parameters, key=lambda p: p.name)}
    return _defaults[cls]


def _named_parameters(class_name: str, init: Callable[..., None]) -> list[inspect.Parameter]:
    parameters = list(inspect.signature(init).parameters.values())[1:]
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            raise RuntimeError(
                f"{class_name}.__init__ takes *{p.name}; an estimator must name its parameters in "
                "the signature of __init__."
            )
    return [p for p in parameters if p.kind is not p.VAR_KEYWORD]


def param_names(cls: type) -> list[str]:
    """Return the names of the constructor's parameters, sorted."""
    return list(default_values(cls))


def check_params(estimator: object) -> None:
    """Raise `InvalidParameterError` for the first parameter that is out of its range."""
    cls = type(estimator)
    for name, declared in cls._declared_params.items():  # type: ignore[attr-defined]
        value = getattr(estimator, name)
        if not declared.constraint.accepts(value):
            raise InvalidParameterError(
                f"The {name!r} parameter of {cls.__name__} must be "
                f"{declared.constraint.describe()}. Got {value!r} instead."
            )


def check_arguments(function: str, **arguments: tuple[Any, Constraint]) -> None:
    """Raise `InvalidParameterError` for the first argument that is not what it must be."""
    for name, (value, allowed) in arguments.items():
        if not allowed.accepts(value):
            raise InvalidParameterError(
                f"The {name!r} parameter of {function} must be {allowed.describe()}. "
                f"Got {value!r} instead."
            )
