"""What estimators made of other estimators share: parts by name, tags, and joined columns."""

import html
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import update_wrapper
from types import MethodType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian import _repr
from gramian._estimator import BaseEstimator
from gramian._output import output_container
from gramian._requests import routing_enabled
from gramian._routing import RoutedMethods
from gramian._tags import tags_of
from gramian.config import config, get_config
from gramian.exceptions import NotFittedError
from gramian.params import Constraint
from gramian.table import NumericColumn, Table, as_table
from gramian.validation import check_is_fitted, check_sparse, is_sparse

__all__ = [
    "Composition",
    "Entries",
    "as_frame",
    "as_matrix",
    "available_if",
    "copy_names",
    "elapsed",
    "feature_names",
    "fit_part",
    "fit_transform_part",
    "is_fitted",
    "join_columns",
    "name_estimators",
    "output_container",
    "prefixed_names",
    "run_parts",
    "set_output_of",
    "table_matrix",
    "tags_of",
    "transform_part",
    "worker_settings",
]

_WIDTH = 70


# -- methods that depend on the parts --------------------------------------------------------------


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


# -- parameters of the parts -----------------------------------------------------------------------


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


def name_estimators(estimators: Sequence[Any]) -> list[tuple[str, Any]]:
    """Pair estimators with their class names in lower case, numbered where they repeat."""
    names = [e if isinstance(e, str) else type(e).__name__.lower() for e in estimators]
    totals, seen, unique = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        unique.append(f"{name}-{seen[name]}" if totals[name] > 1 else name)
    return list(zip(unique, estimators, strict=True))


# -- what the parts are ----------------------------------------------------------------------------


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


# -- names of columns ------------------------------------------------------------------------------


def feature_names(estimator: Any, input_features: Any = None) -> NDArray[Any]:
    """Return the names of the columns of fit: those given, those seen, or x0, x1, ..."""
    fitted = getattr(estimator, "feature_names_in_", None)
    n_features = getattr(estimator, "n_features_in_", None)
    if input_features is None:
        if fitted is not None:
            return np.asarray(fitted, dtype=object)
        if n_features is None:
            raise ValueError("Unable to generate feature names without n_features_in_")
        return np.array([f"x{j}" for j in range(n_features)], dtype=object)
    names = np.asarray(input_features, dtype=object)
    if fitted is not None and not np.array_equal(fitted, names):
        raise ValueError("input_features is not equal to feature_names_in_")
    if n_features is not None and len(names) != n_features:
        raise ValueError(
            f"input_features should have length equal to number of features ({n_features}), got "
            f"{len(names)}"
        )
    return names


def prefixed_names(
    blocks: Sequence[tuple[str, Any]], rename: Callable[[str, str], str] | None
) -> NDArray[Any]:
    """Join the names of several blocks of columns; without `rename` they must be distinct."""
    if rename is not None:
        names = [rename(block, str(name)) for block, columns in blocks for name in columns]
        return np.array(names, dtype=object)
    joined = [name for _, columns in blocks for name in columns]
    repeated = sorted(name for name, count in Counter(joined).items() if count > 1)
    if repeated:
        shown = str(repeated) if len(repeated) <= 5 else f"{str(repeated[:5])[:-1]}, ...]"
        raise ValueError(
            f"Output feature names: {shown} are not unique. Please set "
            "verbose_feature_names_out=True to add prefixes to feature names"
        )
    return np.array(joined, dtype=object)


# -- running the parts -----------------------------------------------------------------------------


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
    """Call a function with each of several tuples of arguments, through joblib."""
    from joblib import Parallel, delayed

    settings = worker_settings()
    jobs = [delayed(_with_settings)(settings, function, call) for call in calls]
    return list(Parallel(n_jobs=n_jobs, verbose=verbose)(jobs))


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


# -- joining what they return ----------------------------------------------------------------------


def set_output_of(step: Any, transform: str | None) -> None:
    """Tell a transformer what to return; one that transforms but cannot be told raises."""
    if hasattr(step, "set_output"):
        step.set_output(transform=transform)
    elif transform is not None and hasattr(step, "transform"):
        raise ValueError(f"Unable to configure output for {step!r}: it has no set_output.")


def as_frame(X: Any) -> Any:
    """Return a data frame of any library as a narwhals frame; None for anything else."""
    if isinstance(X, (np.ndarray, list, tuple)) or hasattr(X, "tocsr"):
        return None
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def as_matrix(block: Any) -> Any:
    """Return a block of columns as an array; numbers with gaps and dates become floats."""
    frame = as_frame(block)
    if frame is None:
        return check_sparse(block) if is_sparse(block) else np.asarray(block)
    values = frame.to_numpy()
    if values.dtype.kind not in "OmM":
        return values
    table = as_table(block)
    return values if table is None else table_matrix(table)


def table_matrix(table: Table) -> NDArray[Any]:
    """Return a table as a matrix: of floats if all columns are numeric, else of objects."""
    if table.matrix is not None:
        return table.matrix
    if not table.columns:
        return np.empty(table.shape)
    columns: list[NDArray[Any]] = []
    for column in table.columns:
        if isinstance(column, NumericColumn):
            columns.append(column.values)
        else:
            levels: NDArray[Any] = np.array([*column.categories, np.nan], dtype=object)
            columns.append(levels[column.codes])
    return np.column_stack(columns)


def join_columns(blocks: Sequence[Any], container: str) -> Any:
    """Put blocks of columns side by side: frames if all are of the container, else an array."""
    frames = [as_frame(block) for block in blocks]
    if container != "default" and all(
        frame is not None and str(frame.implementation) == container for frame in frames
    ):
        import narwhals.stable.v2 as nw

        # The names may repeat between blocks; the caller gives the final ones.
        unique = [
            frame.rename({name: f"{i}_{j}" for j, name in enumerate(frame.columns)})
            for i, frame in enumerate(frames)
        ]
        return nw.concat(unique, how="horizontal").to_native()
    if any(hasattr(block, "tocsr") for block in blocks):
        from scipy import sparse

        return sparse.hstack([as_matrix(block) for block in blocks]).tocsr()
    return np.hstack([as_matrix(block) for block in blocks])
