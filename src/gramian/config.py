"""Settings of the library: threads, time limit, and how things are shown.

A setting holds for the current thread (or asynchronous task) and for those started from it.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from gramian import _core
from gramian.exceptions import InvalidParameterError

__all__ = [
    "available_threads",
    "config",
    "config_context",
    "core_context",
    "get_config",
    "n_threads_for",
    "n_workers_for",
    "set_config",
]

_DEFAULTS: dict[str, Any] = {
    "n_threads": None,
    "time_limit": None,
    "assume_finite": False,
    "working_memory": 1024,
    "memory_limit": None,
    "dask_timeout": 300.0,
    "transform_output": "default",
    "display": "diagram",
    "print_changed_only": True,
    "enable_metadata_routing": False,
}

_CHOICES = {
    "transform_output": ("default", "pandas", "polars"),
    "display": ("diagram", "text"),
    "assume_finite": (True, False),
    "print_changed_only": (True, False),
    "enable_metadata_routing": (True, False),
}

_LIMITS: dict[str, tuple[Any, str]] = {
    "n_threads": (int, "a positive integer"),
    "time_limit": ((int, float), "a positive number of seconds"),
    "working_memory": ((int, float), "a number of MiB, at least 0"),
    "memory_limit": ((int, float), "a positive number of MiB"),
    "dask_timeout": ((int, float), "a positive number of seconds"),
}
_NEVER_NONE = ("working_memory", "dask_timeout")
_MAY_BE_ZERO = ("working_memory",)
_MOST_THREADS = 1 << 16  # no machine has more
_WORKERS_PER_THREAD = 4  # of the machine; each is a process

_settings: ContextVar[dict[str, Any]] = ContextVar("gramian_settings", default=_DEFAULTS)


def get_config() -> dict[str, Any]:
    """Return the settings in force, as a new dictionary.

    Examples
    --------
    >>> import gramian
    >>> gramian.get_config()["assume_finite"]
    False
    """
    return dict(_settings.get())


def set_config(**options: Any) -> None:
    """Change settings from here on.

    Parameters
    ----------
    **options : settings
        ``n_threads`` (int or None: all that the process may use), ``time_limit`` (seconds or None;
        an iterative fit then ends in time with the best model so far), ``assume_finite``
        (skip the search for NaN and infinity), ``transform_output`` ("default", "pandas" or
        "polars"), ``working_memory`` (MiB for a block of a matrix that is computed in blocks),
        ``memory_limit`` (MiB that bound the blocks of `gramian.blocks`, or None),
        ``dask_timeout`` (seconds without progress of a Dask cluster after which a fit raises),
        ``display`` ("diagram" or "text"), ``print_changed_only``, ``enable_metadata_routing``
        (compositions hand extra arguments to the parts that request them). None leaves a setting
        that has no None as it is.
    """
    _settings.set({**_settings.get(), **_checked(options)})


@contextmanager
def config(**options: Any) -> Iterator[None]:
    """Change settings inside a ``with`` block; see `set_config` for their names.

    Examples
    --------
    >>> import gramian
    >>> with gramian.config(n_threads=1):
    ...     gramian.get_config()["n_threads"]
    1
    """
    token = _settings.set({**_settings.get(), **_checked(options)})
    try:
        yield
    finally:
        _settings.reset(token)


config_context = config  # scikit-learn's name for it


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings to change; None leaves those that cannot be None as they are."""
    unknown = [name for name in options if name not in _DEFAULTS]
    if unknown:
        raise TypeError(f"Unknown setting {unknown[0]!r}; the settings are {', '.join(_DEFAULTS)}.")
    changed = {k: v for k, v in options.items() if v is not None or _DEFAULTS[k] is None}
    for name, value in changed.items():
        _check_option(name, value)
    return changed


def _check_option(name: str, value: Any) -> None:
    if name in _CHOICES and value not in _CHOICES[name]:
        allowed = ", ".join(repr(choice) for choice in _CHOICES[name])
        raise InvalidParameterError(
            f"The setting {name!r} must be one of {allowed}. Got {value!r}."
        )
    if name in _LIMITS and value is not None:
        kinds, words = _LIMITS[name]
        is_number = isinstance(value, kinds) and not isinstance(value, bool)
        if not (is_number and (value > 0 or (value == 0 and name in _MAY_BE_ZERO))):
            other = "" if name in _NEVER_NONE else " or None"
            raise InvalidParameterError(
                f"The setting {name!r} must be {words}{other}. Got {value!r}."
            )


def available_threads() -> int:
    """Return how many threads this process may keep busy.

    The least of: the CPU affinity, the container's CPU quota, and the first of the environment
    variables ``GRAMIAN_NUM_THREADS`` and ``OMP_NUM_THREADS`` that is set.
    """
    limit = _hardware_threads()
    for variable in ("GRAMIAN_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(variable, "").split(",")[0].strip()
        if text.isdigit() and int(text) > 0:
            return min(limit, int(text))
    return limit


@cache
def _hardware_threads() -> int:
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    quota = Path("/sys/fs/cgroup/cpu.max")  # "max 100000" or "200000 100000"
    try:
        used, period = quota.read_text().split()
        if used != "max":
            count = min(count, max(1, math.ceil(int(used) / int(period))))
    except (OSError, ValueError):
        pass
    return count


def n_threads_for(n_jobs: int | None) -> int:
    """Return the number of threads for an estimator's `n_jobs`.

    ``None`` follows the settings, a positive number is that many, -1 is all, -2 all but one.
    Never more than the setting ``n_threads`` allows, if that is given.
    """
    setting = _settings.get()["n_threads"]
    allowed = setting if setting is not None else available_threads()
    if n_jobs is None:
        return int(allowed)
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning: use None or -1 for all processors, or 1.")
    if n_jobs < 0:
        return int(max(1, min(allowed, available_threads() + 1 + n_jobs)))
    return int(min(n_jobs, allowed if setting is not None else _MOST_THREADS))


def n_workers_for(n_jobs: int | None, n_calls: int = 1 << 30) -> int | None:
    """Return an estimator's `n_jobs` for joblib: no more processes than calls or processors."""
    if n_jobs is None:
        return None
    most = min(max(n_calls, 1), _WORKERS_PER_THREAD * _hardware_threads())
    return int(max(min(n_jobs, most), -_MOST_THREADS))


def core_context(n_jobs: int | None = None, seed: int = 0) -> _core.Context:
    """Return what native functions take: threads, seed, deadline and the interrupt check."""
    return _core.Context(
        n_threads=n_threads_for(n_jobs),
        seed=seed & 0xFFFFFFFFFFFFFFFF,
        time_limit=_settings.get()["time_limit"],
    )
