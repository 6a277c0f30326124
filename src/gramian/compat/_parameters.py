"""Parameters of another library, declared once: what each becomes here, and what is refused.

A library's module makes one `Parameters` table of entries made by `engine`, `own`, `idle` and
`refused`. From that table come the translation of what a user passes, the refusal of unknown names
with a hint, the warning for names that a call ignores, and the table of the documentation.
"""

import difflib
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian.exceptions import InvalidParameterError
from gramian.params import Anything, Constraint, Nothing, param

__all__ = [
    "Parameter",
    "Parameters",
    "Translation",
    "each_refused",
    "engine",
    "idle",
    "own",
    "refused",
]


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a library.

    Attributes
    ----------
    name : str
        Its main name.
    default : object
        What the library takes it to be if it is not given.
    role : {"engine", "own", "idle", "refused"}
        Whether it becomes parameters of our engine, is used by the call itself, is accepted
        because it cannot change the model, or is accepted at its default only.
    constraint : Constraint
        What it may be.
    aliases : tuple of str
        Its other names.
    targets : tuple of str
        Parameters of the engine.
    convert : callable or None
        Takes a value, returns that of the engine: a tuple of them if there are several targets.
    calls : tuple of str
        The only calls that heed it; empty: all do.
    instead : str
        What to do in the other calls, to follow a semicolon.
    note : str
        What there is to say, for the documentation and the messages.
    refuses : mapping
        Values that the library knows and gramian does not support -> why, to follow a semicolon.
    """

    name: str
    default: Any
    role: str
    constraint: Constraint = field(default_factory=Anything)
    aliases: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    convert: Callable[[Any], Any] | None = None
    calls: tuple[str, ...] = ()
    instead: str = ""
    note: str = ""
    refuses: Mapping[Any, str] = field(default_factory=dict)

    def read(self, value: Any, call: str, spelling: str) -> Any:
        """Return a value that is allowed, or the one that its text stands for."""
        for meaning in _meanings(value):
            if self.constraint.accepts(meaning):
                break
        else:
            raise InvalidParameterError(
                f"The {spelling!r} parameter of {call} must be {self.constraint.describe()}. "
                f"Got {value!r} instead."
            )
        why = self.refuses.get(meaning) if isinstance(meaning, (str, int)) else None
        if self.role == "refused" and not _same(meaning, self.default):
            why = self.note
        if why is not None:
            raise InvalidParameterError(f"{spelling}={value!r} is not supported by gramian; {why}.")
        return meaning

    def translated(self, value: Any) -> Iterator[tuple[str, Any]]:
        """Yield the parameters of the engine that stand for a value."""
        found = value if self.convert is None else self.convert(value)
        values = (found,) if len(self.targets) == 1 else found
        yield from zip(self.targets, values, strict=True)


def engine(
    names: str,
    default: Any,
    constraint: Constraint,
    *,
    target: str | tuple[str, ...] = (),
    **others: Any,
) -> Parameter:
    """Return a parameter that becomes one, or several, of our engine: by default that of its name.

    A value of None, given or by default, leaves the engine's parameter alone. Here and in the next
    functions `names` is the main name and then the aliases, parted by blanks, and the further
    arguments are attributes of `Parameter`.
    """
    targets = (target,) if isinstance(target, str) else target or (names.split()[0],)
    return _entry(names, default, "engine", constraint=constraint, targets=targets, **others)


def own(names: str, default: Any, constraint: Constraint, note: str, **others: Any) -> Parameter:
    """Return a parameter that the call itself uses, such as the objective."""
    return _entry(names, default, "own", constraint=constraint, note=note, **others)


def idle(names: str, default: Any, note: str, *constraint: Constraint, **others: Any) -> Parameter:
    """Return a parameter that is accepted since it cannot change the model."""
    (allowed,) = constraint or (Anything(),)
    return _entry(names, default, "idle", constraint=allowed, note=note, **others)


def refused(names: str, default: Any, note: str) -> Parameter:
    """Return a parameter that may be given at its default only; `note` says what to do instead."""
    return _entry(names, default, "refused", note=note)


def each_refused(note: str, names: str) -> list[Parameter]:
    """Return several parameters, None by default, that are refused for one reason."""
    return [refused(name, None, note) for name in names.split()]


def _entry(names: str, default: Any, role: str, **facts: Any) -> Parameter:
    name, *aliases = names.split()
    return Parameter(name=name, aliases=tuple(aliases), default=default, role=role, **facts)


@dataclass(frozen=True)
class Translation:
    """What a user's parameters mean.

    Attributes
    ----------
    engine : dict
        Parameters of our engine, those of the library's defaults among them.
    own : dict
        Parameters that the call itself uses, by main name, given or by default.
    given : dict
        All that the user gave and that is not None, by main name.
    """

    engine: dict[str, Any]
    own: dict[str, Any]
    given: dict[str, Any]


class Parameters:
    """All parameters of a library.

    Parameters
    ----------
    library : str
        Its name, for messages.
    *entries : Parameter
        The parameters, in the order of the documentation.
    first_counts : bool, default=False
        If a parameter is given by two names with different values: whether the main name, or else
        the alias that is listed first, counts with a warning. Otherwise that is an error.
    """

    def __init__(self, library: str, *entries: Parameter, first_counts: bool = False) -> None:
        self.library, self.first_counts = library, first_counts
        self.entries = {entry.name: entry for entry in entries}
        self._by_spelling = {
            spelling: entry for entry in entries for spelling in (entry.name, *entry.aliases)
        }

    def find(self, spelling: str) -> Parameter | None:
        """Return the parameter of a name or alias, if there is one."""
        return self._by_spelling.get(spelling)

    def declared(
        self, name: str, default: Any = None, *others: Constraint, positional: bool = False
    ) -> Any:
        """Return the declaration of a parameter of an estimator.

        It may be what the table allows, None, and whatever `others` allow.
        """
        allowed = self._by_spelling[name].constraint
        for other in (*others, Nothing()):
            allowed = allowed | other
        return param(default, allowed, positional=positional)

    def given(self, params: Mapping[str, Any], call: str, *, stacklevel: int = 2) -> dict[str, Any]:
        """Return the given parameters that are not None by main name, checked.

        Parameters
        ----------
        params : mapping
            Name or alias -> value.
        call : str
            What was called, for messages, and to tell which parameters it ignores.
        stacklevel : int, default=2
            Of warnings; 2 is the caller of this method.
        """
        found: dict[str, Any] = {}
        spellings: dict[str, str] = {}
        for spelling in sorted(params, key=self._rank):
            value, entry = params[spelling], self._by_spelling.get(spelling)
            if entry is None:
                raise InvalidParameterError(self.unknown(spelling, call))
            if value is None:
                continue
            if entry.calls and call not in entry.calls:
                hint = f"; {entry.instead}" if entry.instead else ""
                message = f"{self.library} ignores {spelling!r} in {call}, and so does gramian"
                warnings.warn(f"{message}{hint}.", UserWarning, stacklevel=stacklevel)
                continue
            read = entry.read(value, call, spelling)
            if entry.name in found:
                self._settle(spellings[entry.name], found[entry.name], spelling, read, stacklevel)
                continue
            found[entry.name], spellings[entry.name] = read, spelling
        return found

    def translate(
        self, params: Mapping[str, Any], call: str, *, stacklevel: int = 2
    ) -> Translation:
        """Return what parameters mean here; see `given` for the arguments."""
        given = self.given(params, call, stacklevel=stacklevel + 1)
        for_engine: dict[str, Any] = {}
        used: dict[str, Any] = {}
        for name, entry in self.entries.items():
            value = given.get(name, entry.default)
            if entry.role == "own":
                used[name] = value
            elif entry.role == "engine" and value is not None:
                for_engine.update(entry.translated(value))
        return Translation(for_engine, used, given)

    def unknown(self, spelling: str, call: str) -> str:
        """Return a message about a name that is not known, with the one that was perhaps meant."""
        near = difflib.get_close_matches(str(spelling), self._by_spelling, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return f"{self.library} has no parameter {spelling!r}, which {call} was given.{hint}"

    def markdown(self) -> str:
        """Return the table of the documentation: what becomes of each parameter."""
        rows = ["| parameter | default | here |", "|---|---|---|"]
        rows += [f"| {' | '.join(_cells(entry))} |" for entry in self.entries.values()]
        return "\n".join(rows) + "\n"

    def _rank(self, spelling: str) -> int:
        """Return where a name stands among those of its parameter: the main name is first."""
        entry = self._by_spelling.get(spelling)
        if entry is None or spelling == entry.name:
            return 0
        return 1 + entry.aliases.index(spelling)

    def _settle(self, first: str, value: Any, second: str, other: Any, stacklevel: int) -> None:
        """Raise, or warn, if two names of one parameter have different values."""
        if _same(value, other):
            return
        both = f"{first}={value!r} and {second}={other!r} are one parameter of {self.library}"
        if not self.first_counts:
            raise InvalidParameterError(f"{both}; pass one of them.")
        warnings.warn(f"{both}; {first} counts.", UserWarning, stacklevel=stacklevel + 1)


def main_name(aliases: Mapping[str, str], given: str) -> str | None:
    """Return the name that one of its aliases, or itself in any case of letters, stands for.

    Parameters
    ----------
    aliases : mapping of str to str
        Name -> its aliases, parted by blanks.
    given : str
        What the user wrote.
    """
    wanted = given.lower()
    return next((name for name in aliases if wanted in (name, *aliases[name].split())), None)


def _meanings(value: Any) -> Iterator[Any]:
    """Yield what a value may stand for: itself, the number or truth that it is the text of."""
    yield value
    if isinstance(value, (bool, np.bool_)):
        yield int(value)
    elif isinstance(value, str):
        text = value.strip().lower()
        for kind in (int, float):
            try:
                yield kind(text)
            except ValueError:
                continue
        if text in ("true", "false"):
            yield text == "true"
    elif isinstance(value, (int, np.integer)) and value in (0, 1):
        yield bool(value)


def _same(value: Any, other: Any) -> bool:
    """Tell whether two values are equal; arrays and other objects may be compared, too."""
    if isinstance(value, (str, bool)) or isinstance(other, (str, bool)):
        return type(value) is type(other) and bool(value == other)
    return bool(np.array_equal(value, other))


def _cells(entry: Parameter) -> tuple[str, str, str]:
    """Return the cells of a parameter in the documentation."""
    names = ", ".join(f"`{name}`" for name in (entry.name, *entry.aliases))
    targets = " and ".join(f"`{target}`" for target in entry.targets)
    if entry.role == "engine":
        here = f"{targets}; {entry.note}" if entry.note else targets
    elif entry.role == "idle":
        here = f"accepted without effect: {entry.note}"
    elif entry.role == "refused":
        here = f"not supported: {entry.note}"
    else:
        here = entry.note
    for why in dict.fromkeys(entry.refuses.values()):
        values = [f"`{value!r}`" for value, reason in entry.refuses.items() if reason == why]
        here += f"; not {' or '.join(values)}: {why}"
    if entry.calls:
        call, others = entry.calls[0], " and its like" if len(entry.calls) > 1 else ""
        here += f" (only in {f'`{call}`' if call.isidentifier() else call}{others})"
    default = "" if entry.default is None else f"`{entry.default!r}`"
    parts = here.replace("|", "\\|").split("`")
    parts[::2] = [part.replace("*", "\\*") for part in parts[::2]]  # outside of code
    return names, default, "`".join(parts)
