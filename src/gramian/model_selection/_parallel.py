"""Independent calls, through joblib, so that any of its backends runs them."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from gramian._parts import worker_settings
from gramian.config import config, n_workers_for

T = TypeVar("T")


def run_all(
    function: Callable[..., T],
    calls: Iterable[tuple[Any, ...]],
    *,
    n_jobs: int | None,
    verbose: int = 0,
    pre_dispatch: Any = "2*n_jobs",
) -> list[T]:
    """Call a function with each tuple of arguments; the library's settings hold there too.

    Parameters
    ----------
    function : callable
    calls : iterable of tuple
        The arguments of each call; taken one by one as workers become free.
    n_jobs : int or None
        The number of workers; None follows joblib's context, which is one by default.
    verbose : int, default=0
        How much joblib prints.
    pre_dispatch : int or str, default="2*n_jobs"
        How many calls are prepared at once.
    """
    from joblib import Parallel, delayed

    settings = worker_settings()
    n_workers = n_workers_for(n_jobs)
    parallel = Parallel(n_jobs=n_workers, verbose=verbose, pre_dispatch=pre_dispatch)
    results: list[T] = parallel(delayed(_call)(settings, function, args) for args in calls)
    return results


def _call(settings: dict[str, Any], function: Callable[..., T], args: tuple[Any, ...]) -> T:
    with config(**settings):
        return function(*args)
