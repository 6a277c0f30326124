"""The models of the library as a table."""

from dataclasses import dataclass
from typing import Any

from gramian.registry import all_estimators
from gramian.report import TableError
from gramian.utils.validation import has_fit_parameter


@dataclass(frozen=True)
class ModelLine:
    """What there is to say of a model in a line."""

    name: str
    kind: str
    module: str
    takes: str
    summary: str


def find_models(kind: str | None = None) -> list[ModelLine]:
    """Return a line for each registered model, or for those of a kind."""
    lines = [_line(name, cls) for name, cls in all_estimators()]
    kinds = sorted({line.kind for line in lines})
    if kind is not None and kind not in kinds:
        raise TableError(
            f"there are no models of the kind {kind!r}; use one of {', '.join(kinds)}."
        )
    return [line for line in lines if kind in (None, line.kind)]


def _line(name: str, cls: Any) -> ModelLine:
    summary = (cls.__doc__ or "").strip().partition("\n")[0].rstrip(".")
    module = cls.__module__.partition("._")[0]
    return ModelLine(name, _kind(cls), module, ", ".join(_taken(cls)), summary)


def _kind(cls: Any) -> str:
    """Return what an estimator does, in one word."""
    if cls._estimator_type is not None:
        return str(cls._estimator_type)
    return "transformer" if cls._transforms else "estimator"


def _taken(cls: Any) -> list[str]:
    """Return what a model takes beyond numbers, in words; frames go into all models."""
    try:
        model = cls()
    except TypeError:  # it needs another model to be made
        return []
    tags = model._tags()
    known = (
        ("weights", has_fit_parameter(model, "sample_weight")),
        ("gaps", tags.allow_nan or tags.native_table),
        ("sparse", tags.sparse),
        ("targets", tags.multi_output),
    )
    return [word for word, holds in known if holds]
