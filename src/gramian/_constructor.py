"""The constructor of an estimator, written from its declared parameters."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from gramian._text import meant


def write_init(cls: type, declared: Mapping[str, Any]) -> Callable[..., None]:
    """Write ``def __init__(self, alpha=..., *, tol=...): self.alpha = alpha; ...`` of a class.

    A function of its own text, not a closure over ``**kwargs``: Python itself then binds the
    arguments, and constructing is about as quick as if the method were written by hand. Names that
    are no parameter are collected for a message that says which one might be meant.
    """
    positional = [name for name, p in declared.items() if p.positional]
    keyword = [name for name, p in declared.items() if not p.positional]
    defaults = {
        name: "" if p.default is inspect.Parameter.empty else f"=default_{name}"
        for name, p in declared.items()
    }
    arguments = ["self", *(f"{name}{defaults[name]}" for name in positional)]
    if keyword:
        arguments += ["*", *(f"{name}{defaults[name]}" for name in keyword)]
    values = {
        name: f"current_{name}({name!r}, {name})" if p.renamed else name
        for name, p in declared.items()
    }
    body = "".join(f"    self.{name} = {value}\n" for name, value in values.items())
    arguments.append("**kwargs")
    if hasattr(cls, "_take_others"):
        body += "    self._take_others(kwargs)\n"
    else:
        body += "    if kwargs: refuse(type(self).__name__, kwargs)\n"
    namespace: dict[str, Any] = {f"default_{name}": p.default for name, p in declared.items()}
    namespace["refuse"] = partial(_refuse_unknown, tuple(declared))
    namespace |= {f"current_{name}": p.current for name, p in declared.items()}
    exec(f"def __init__({', '.join(arguments)}):\n{body}", namespace)
    init: Callable[..., None] = namespace["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    init.__doc__ = None
    named = [p for p in inspect.signature(init).parameters.values() if p.kind != p.VAR_KEYWORD]
    init.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    return init


def _refuse_unknown(names: tuple[str, ...], owner: str, unknown: Mapping[str, Any]) -> NoReturn:
    """Raise Python's error for the first unknown argument, and ask after the name that is near."""
    wanted = next(iter(unknown))
    question = meant(wanted, names)
    raise TypeError(
        f"{owner}.__init__() got an unexpected keyword argument {wanted!r}"
        f"{'.' if question else ''}{question}"
    )


def in_order(declared: Mapping[str, Any], signature: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that a signature lists, in its order, then a class's further ones."""
    names = signature.split(", ")
    n_positional = names.index("*") if "*" in names else len(names)
    listed = {
        name: replace(declared[name], positional=place < n_positional)
        for place, name in enumerate(names)
        if name != "*"
    }
    return listed | {name: value for name, value in own.items() if name not in listed}


def _named_parameters(class_name: str, init: Callable[..., None]) -> list[inspect.Parameter]:
    """Return the parameters of a constructor, without self and keyword arguments of any name."""
    parameters = list(inspect.signature(init).parameters.values())[1:]
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            raise RuntimeError(
                f"{class_name}.__init__ takes *{p.name}; an estimator must name its parameters in "
                "the signature of __init__."
            )
    return [p for p in parameters if p.kind is not p.VAR_KEYWORD]


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
