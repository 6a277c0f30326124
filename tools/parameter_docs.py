"""Complete docstrings of classes: each parameter with its type, its real default and a sentence.

Models of a family share dozens of parameters, and their docstrings list them by name, "as for
`BoostingRegressor`". Here each gets the entry that is meant, with the default of the class itself.
The pages of the reference are made so, and a test asks it of every model.
"""

import inspect
import re
from dataclasses import dataclass
from typing import Any

from gramian.registry import all_estimators

ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?:\s*:\s*(.*))?$")
DEFAULT = re.compile(r",?\s*(?:default\s*[=:]\s*.*|optional)$")
_FEW = 4  # names in one entry, all of which its sentences are about
LIKE = re.compile(r"\b[Aa]s (?:for|by|in|of|those of) `(\w+)`")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a class, as its docstring or that of a class it names has it."""

    name: str
    kind: str
    default: str
    text: str


def parameters(cls: type) -> dict[str, Parameter]:
    """Return the constructor's parameters that the docstring tells of, in its order."""
    return {
        name: Parameter(name, kind, _default(cls, name), text)
        for name, (kind, text) in _entries(cls, ()).items()
    }


def completed(cls: type) -> str:
    """Return the docstring of a class with an entry of its own for each parameter."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    lines = doc.splitlines()
    place = _section(lines)
    if place is None:
        return doc
    start, stop = place
    known = parameters(cls)
    missing = [name for name in _signature(cls) if name not in known]
    entries = []
    for entry in known.values():
        default = f", default={entry.default}" if entry.default else ""
        entries.append(f"{entry.name} : {entry.kind}{default}")
        entries += [f"    {line}".rstrip() for line in entry.text.splitlines()]
    assert not missing, f"{cls.__name__} says nothing of {missing}"
    return "\n".join([*lines[:start], *entries, "", *lines[stop:]])


def _signature(cls: type) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(cls).parameters)


def _default(cls: type, name: str) -> str:
    """Return the default as one would write it; empty where there is none."""
    found = _signature(cls).get(name)
    if found is None or found.default is found.empty:
        return ""
    if isinstance(found.default, str):
        return f'"{found.default}"'
    if callable(found.default):
        return f"{found.default.__module__}.{found.default.__name__}"
    return repr(found.default)


def _section(lines: list[str]) -> tuple[int, int] | None:
    """Return where the entries of the parameters begin and end."""
    rules = [i for i in range(1, len(lines)) if lines[i] and set(lines[i]) == {"-"}]
    for place, i in enumerate(rules):
        if lines[i - 1] == "Parameters":
            end = rules[place + 1] - 1 if place + 1 < len(rules) else len(lines)
            return i + 1, end
    return None


def _entries(cls: type, seen: tuple[type, ...]) -> dict[str, tuple[str, str]]:
    """Return type and text of each parameter; lists of names take them from the class meant."""
    lines = inspect.cleandoc(cls.__doc__ or "").splitlines()
    place = _section(lines)
    found: dict[str, tuple[str, str]] = {}
    if place is None:
        return found
    groups: list[tuple[list[str], str, list[str]]] = []
    for line in lines[place[0] : place[1]]:
        match = ENTRY.match(line)
        if match and not line.startswith(" "):
            groups.append((match[1].split(", "), match[2] or "", []))
        elif groups:
            groups[-1][2].append(line.removeprefix("    "))
    for names, kind, text_lines in groups:
        text = "\n".join(text_lines).strip()
        for name in names:
            kind_alone = DEFAULT.sub("", kind)
            found[name] = _entry(cls, name, (kind_alone, text, len(names)), seen)
    return found


def _entry(
    cls: type, name: str, said: tuple[str, str, int], seen: tuple[type, ...]
) -> tuple[str, str]:
    """Return type and text; what is not said here comes from the class that the text names."""
    kind, text, n_names = said
    like = LIKE.search(text)
    other = _classes().get(like[1]) if like else None
    if other is not None and other is not cls and other not in seen:
        meant = _entries(other, (*seen, cls)).get(name)
        if meant is not None:
            own = _beyond(text, name, n_names)
            return kind or meant[0], f"{meant[1]}\n{own}".strip()
    return kind or _kind(cls, name), text


def _beyond(text: str, name: str, n_names: int) -> str:
    """Return what a text says of a parameter beyond where to look.

    In a long list a sentence is of the parameter that it names.
    """
    kept = []
    for sentence in re.split(r"(?<=\.) ", " ".join(text.split())):
        like = LIKE.search(sentence)
        own = sentence[like.end() :].lstrip(",;. ") if like else sentence
        if own and (n_names <= _FEW or name.lower()[:5] in own.lower()):
            kept.append(own[:1].upper() + own[1:])
    return " ".join(kept)


def _kind(cls: type, name: str) -> str:
    """Return what the declaration allows, in words."""
    declared: Any = getattr(cls, "_declared_params", {}).get(name)
    return "object" if declared is None else str(declared.constraint.describe())


_known: dict[str, type] = {}


def _classes() -> dict[str, type]:
    if not _known:
        _known.update(all_estimators())
    return _known
