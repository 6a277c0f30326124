"""The parts of a composition: fitted, asked, named, on workers if there are any."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gramian._output import output_container
from gramian._requests import routing_enabled
from gramian._routing import RoutedMethods
from gramian._tags import tags_of
from gramian.config import config, get_config, n_workers_for
from gramian.exceptions import NotFittedError
from gramian.validation import check_is_fitted

_WIDTH = 70


def name_estimators(estimators: Sequence[Any]) -> list[tuple[str, Any]]:
    """Pair estimators with their class names in lower case, numbered where they repeat."""
    names = [e if isinstance(e, str) else type(e).__name__.lower() for e in estimators]
    totals, seen, unique = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        unique.append(f"{name}-{seen[name]}" if totals[name] > 1 else name)
    return list(zip(unique, estimators, strict=True))


def copy_names(
    part: Any, outer: Any, attributes: Iterable[str] = ("n_features_in_", "feature_names_in_")
) -> None:
    """Set on `outer` what a fitted part says of the columns, and forget what it does not say."""
    for name in attributes:
        vars(outer).pop(name, None)
        if hasattr(part, name):
            setattr(outer, name, getattr(part, name))


def is_fitted(estimator: Any) -> bool:
    """Tell whether an estimator, ours or scikit-learn's, was fitted or needs no fit."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return not tags_of(estimator).requires_fit
    return True


@contextmanager
def elapsed(source: str, message: str | None) -> Iterator[None]:
    """Print, after the block, how long it took; nothing if `message` is None."""
    start = time.perf_counter()
    yield
    if message is not None:
        seconds = time.perf_counter() - start
        shown = f" {seconds:5.1f}s" if seconds <= 60 else f"{seconds / 60:4.1f}min"
        left, right = f"[{source}] ", f" {message}, total={shown}"
        print(f"{left}{'.' * (_WIDTH - len(left) - len(right))}{right}")


def fit_transform_part(
    part: Any, X: Any, y: Any, params: RoutedMethods, source: str, message: str | None
) -> tuple[Any, Any]:
    """Fit a transformer and return what it makes of `X`, and the fitted transformer."""
    with elapsed(source, message):
        if hasattr(part, "fit_transform"):
            return part.fit_transform(X, y, **params["fit_transform"]), part
        return part.fit(X, y, **params["fit"]).transform(X, **params["transform"]), part


def fit_part(
    part: Any, X: Any, y: Any, params: RoutedMethods, source: str, message: str | None
) -> Any:
    """Fit a transformer and return it."""
    with elapsed(source, message):
        return part.fit(X, y, **params["fit"])


def transform_part(part: Any, X: Any, params: RoutedMethods) -> Any:
    """Return what a fitted transformer makes of `X`."""
    return part.transform(X, **params["transform"])


def run_parts(
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    *,
    verbose: int = 0,
) -> list[Any]:
    """Call a function with each of several tuples of arguments, through joblib if that helps."""
    from joblib import Parallel, delayed, effective_n_jobs

    settings, n_workers = worker_settings(), n_workers_for(n_jobs, len(calls))
    if effective_n_jobs(n_workers) == 1 and not verbose:
        with config(**settings):
            return [function(*call) for call in calls]
    jobs = [delayed(_with_settings)(settings, function, call) for call in calls]
    return list(Parallel(n_jobs=n_workers, verbose=verbose)(jobs))


def worker_settings() -> dict[str, Any]:
    """Return the settings in force, with what scikit-learn's own settings add to them."""
    return {
        **get_config(),
        "enable_metadata_routing": routing_enabled(),
        "transform_output": output_container(None),
    }


def _with_settings(
    settings: dict[str, Any], function: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    """Call a function under settings that a worker would not know."""
    with config(**settings):
        return function(*arguments)


def set_output_of(step: Any, transform: str | None) -> None:
    """Tell a transformer what to return; one that transforms but cannot be told raises."""
    if hasattr(step, "set_output"):
        step.set_output(transform=transform)
    elif transform is not None and hasattr(step, "transform"):
        raise ValueError(f"Unable to configure output for {step!r}: it has no set_output.")
