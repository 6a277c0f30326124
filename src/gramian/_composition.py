"""What estimators made of other estimators share: parts by name, tags, and joined columns."""

import html
from collections.abc import Callable, Iterable, Sequence
from functools import update_wrapper
from types import MethodType
from typing import Any, ClassVar

from gramian import _repr
from gramian._estimator import BaseEstimator
from gramian._parts import is_fitted
from gramian.params import Constraint


class _ConditionalMethod:
    """A method that an object has only if a check of the object holds."""

    def __init__(self, method: Callable[..., Any], check: Callable[[Any], bool]) -> None:
        self._method = method
        self._check = check
        update_wrapper(self, method)  # type: ignore[arg-type]

    def wrapped(
        self, wrapper: Callable[[Callable[..., Any]], Callable[..., Any]]
    ) -> "_ConditionalMethod":
        """Return the method in a wrapper, under the same condition."""
        return _ConditionalMethod(wrapper(self._method), self._check)

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self._method
        message = f"This {owner.__name__!r} has no attribute {self._method.__name__!r}"
        try:
            holds = self._check(instance)
        except AttributeError as error:
            raise AttributeError(message) from error
        if not holds:
            raise AttributeError(message)
        return MethodType(self._method, instance)


def available_if(check: Callable[[Any], bool]) -> Callable[[Callable[..., Any]], Any]:
    """Make a method exist only where ``check(self)`` holds and raises no AttributeError."""
    return lambda method: _ConditionalMethod(method, check)


class Entries(Constraint):
    """A list or tuple; what its entries must be is checked with the data."""

    def __init__(self, entry: str) -> None:
        self.entry = entry

    def accepts(self, value: Any) -> bool:
        return isinstance(value, (list, tuple))

    def describe(self) -> str:
        return f"a list of {self.entry} tuples"


class Composition(BaseEstimator):
    """Base of estimators whose parameter ``_parts_name`` lists (name, estimator, ...) entries."""

    _parts_name: ClassVar[str]
    _parts_rule: ClassVar[str] = "All estimators should implement"

    def _parts(self) -> list[tuple[str, Any]]:
        """Return name and estimator of each entry; none if the parameter is malformed."""
        try:
            return [(entry[0], entry[1]) for entry in getattr(self, self._parts_name)]
        except (TypeError, IndexError, KeyError):
            return []

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Also give the parts by their names, and their parameters as ``<part>__<name>``.
        """
        params = super().get_params(deep=deep)
        for name, part in self._parts() if deep else ():
            params[name] = part
            if hasattr(part, "get_params") and not isinstance(part, type):
                params.update({f"{name}__{k}": v for k, v in part.get_params().items()})
        return params

    def set_params(self, **params: Any) -> Any:
        """Set parameters, whole parts by their names, or ``<part>__<name>``; return self."""
        if self._parts_name in params:
            setattr(self, self._parts_name, params.pop(self._parts_name))
        names = {name for name, _ in self._parts()}
        replaced = {name: params.pop(name) for name in list(params) if name in names}
        if replaced:
            entries = [
                (name, replaced.get(name, part), *rest)
                for name, part, *rest in getattr(self, self._parts_name)
            ]
            setattr(self, self._parts_name, entries)
        return super().set_params(**params)

    def _check_names(self, names: Sequence[str]) -> None:
        if len(set(names)) != len(names):
            raise ValueError(f"Names provided are not unique: {list(names)!r}")
        taken = sorted(set(names) & set(self.get_params(deep=False)))
        if taken:
            raise ValueError(f"Estimator names conflict with constructor arguments: {taken!r}")
        nested = [name for name in names if "__" in name]
        if nested:
            raise ValueError(f"Estimator names must not contain __: got {nested!r}")

    def _check_transformers(self, parts: Iterable[Any], skipped: tuple[Any, ...]) -> None:
        """Raise TypeError for a part that is neither a transformer nor one of `skipped`."""
        for part in parts:
            if isinstance(part, type):
                raise TypeError(
                    f"Expected an estimator instance ({part.__name__}()), got estimator class "
                    f"instead ({part.__name__})."
                )
            if part is None or isinstance(part, str):
                is_right = part in skipped
            else:
                fits = hasattr(part, "fit") or hasattr(part, "fit_transform")
                is_right = fits and hasattr(part, "transform")
            if not is_right:
                words = " or ".join(repr(word) for word in skipped if word is not None)
                raise TypeError(
                    f"{self._parts_rule} fit and transform, or be {words}. "
                    f"{part!r} (type {type(part)}) doesn't."
                )

    def _repr_html_(self) -> str:
        """Return a small box: the name, opening to the parameters and the boxes of the parts."""
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td style='text-align:left'>"
            f"{self._parts_html() if name == self._parts_name else _value_html(value)}</td></tr>"
            for name, value in sorted(self.get_params(deep=False).items())
        )
        state = "fitted" if is_fitted(self) else "not fitted"
        return (
            "<details style='display:inline-block;font:13px/1.45 ui-monospace,monospace;"
            "border:1px solid #8888;border-radius:6px;padding:.35em .7em'><summary>"
            f"<b>{html.escape(type(self).__name__)}</b> <small>({state})</small></summary>"
            f"<table>{rows}</table></details>"
        )

    def _parts_html(self) -> str:
        return "".join(
            f"<div>{html.escape(str(name))}: {_value_html(part)}</div>"
            for name, part in self._parts()
        )


def _value_html(value: Any) -> str:
    if isinstance(value, BaseEstimator):
        return value._repr_html_()
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _repr.estimator_html(value)
    return f"<code>{html.escape(repr(value))}</code>"
