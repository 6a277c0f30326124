"""Classical machine learning on tables: one API, a native core, models that show their work."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from gramian._estimator import clone
from gramian.config import config, config_context, get_config, set_config
from gramian.persistence import fingerprint, load, save

__version__ = "0.1.0"

__all__ = [
    "clone",
    "config",
    "config_context",
    "fingerprint",
    "get_config",
    "load",
    "save",
    "set_config",
]

# Those that are loaded at their first use; `config` is the function of that name.
_MODULES = frozenset(
    module.name for module in iter_modules(__path__) if not module.name.startswith("_")
).difference(__all__)


def __getattr__(name: str) -> Any:
    """Import a sub-module at its first use, so that ``import gramian`` stays quick."""
    if name == "audit":
        return import_module("gramian.inspection").audit
    if name in _MODULES:
        return import_module(f"gramian.{name}")
    raise AttributeError(f"module 'gramian' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES, "audit"])
