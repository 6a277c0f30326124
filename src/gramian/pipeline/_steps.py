"""The steps of a pipeline: which they are, what each is given, what they say of themselves."""

from collections.abc import Callable, Iterator
from typing import Any, Self

from numpy.typing import NDArray

from gramian._composition import Composition
from gramian._parts import is_fitted, set_output_of
from gramian._requests import routing_enabled
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    Routed,
    RoutedMethods,
    fitting,
    process_routing,
)
from gramian._tags import tags_of
from gramian.base import Tags
from gramian.datasets import Bunch

_SKIPPED = (None, "passthrough")


def is_skipped(step: Any) -> bool:
    """Tell whether a step leaves the data as they are."""
    return step is None or (isinstance(step, str) and step == "passthrough")


_LAST_METHODS = (
    "fit",
    "fit_predict",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
    "transform",
    "inverse_transform",
)


def _mapping_of_transformer(step: Any) -> MethodMapping:
    """Return which methods of a step before the last are called by those of the pipeline."""
    fits = ("fit_transform",) if hasattr(step, "fit_transform") else ("fit", "transform")
    callees: dict[str, str | tuple[str, ...]] = dict.fromkeys(_LAST_METHODS, "transform")
    callees |= dict.fromkeys(("fit", "fit_transform", "fit_predict"), fits)
    return MethodMapping(**{**callees, "inverse_transform": "inverse_transform"})


def _each(value: Any, function: Callable[[Any], Any]) -> Any:
    """Apply a function to a value, or to each of a tuple of values."""
    return tuple(map(function, value)) if isinstance(value, tuple) else function(value)


class StepSequence(Composition):
    """Named steps of which each takes what the one before it returns."""

    steps: Any
    transform_input: Any
    memory: Any
    verbose: bool

    _parts_name = "steps"
    _parts_rule = "All intermediate steps should be transformers and implement"

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, key: Any) -> Any:
        """Return a step by position or name, or the pipeline of a slice of the steps."""
        if isinstance(key, slice):
            if key.step not in (1, None):
                raise ValueError(f"Pipeline slicing only supports a step of 1. Got {key.step}.")
            return type(self)(
                self.steps[key],
                transform_input=self.transform_input,
                memory=self.memory,
                verbose=self.verbose,
            )
        return self.named_steps[key] if isinstance(key, str) else self.steps[key][1]

    @property
    def named_steps(self) -> Bunch:
        """The steps by name."""
        return Bunch(**dict(self.steps))

    @property
    def _last(self) -> Any:
        if not self.steps:
            raise AttributeError("The pipeline is empty. Please add steps.")
        last = self.steps[-1][1]
        return "passthrough" if last is None else last

    def _active(self, stop: int | None = None) -> Iterator[tuple[str, Any]]:
        """Yield name and estimator of the steps that do something."""
        return ((name, step) for name, step in self.steps[:stop] if not is_skipped(step))

    def _check_steps(self) -> None:
        if not self.steps:
            raise ValueError("The pipeline is empty. Please add steps.")
        for step in self.steps:
            if not isinstance(step, (tuple, list)) or len(step) != 2:
                raise TypeError(f"Each of steps must be a pair (name, estimator). Got {step!r}.")
        names, steps = zip(*self.steps, strict=True)
        self._check_names(names)
        self._check_transformers(steps[:-1], _SKIPPED)
        last = steps[-1]
        if isinstance(last, type):
            self._check_transformers([last], _SKIPPED)
        if not is_skipped(last) and not hasattr(last, "fit"):
            raise TypeError(
                "Last step of Pipeline should implement fit or be the string 'passthrough'. "
                f"{last!r} (type {type(last)}) doesn't"
            )

    def _message(self, position: int) -> str | None:
        if not self.verbose:
            return None
        return f"(step {position + 1} of {len(self)}) Processing {self.steps[position][0]}"

    def _by_step(self, method: str, params: dict[str, Any]) -> Routed:
        """Sort the arguments of a method that fits by step, ``<step>__<name>`` without routing."""
        if routing_enabled():
            return process_routing(self, method, params)
        found: dict[str, dict[str, Any]] = {name: {} for name, _ in self.steps}
        for key, value in params.items():
            step, separator, name = key.partition("__")
            if not separator:
                raise ValueError(
                    f"Pipeline.fit does not accept the {key} parameter. You can pass parameters to "
                    "specific steps of your pipeline using the stepname__parameter format, e.g. "
                    "`Pipeline.fit(X, y, logisticregression__sample_weight=sample_weight)`."
                )
            if step not in found:
                raise KeyError(f"{step} (of {key}) is no step; the steps are {', '.join(found)}")
            found[step][name] = value
        return Routed({name: fitting(given) for name, given in found.items()})

    def _step_params(
        self, position: int, given: RoutedMethods, params: dict[str, Any]
    ) -> RoutedMethods:
        """Return a step's arguments, those in `transform_input` sent through the steps before."""
        wanted = set(self.transform_input or ())
        if position == 0 or not any(wanted & set(arguments) for arguments in given.values()):
            return given
        routed = self._routed_to_transform(position, params)
        done: dict[int, Any] = {}  # a value may be given to several methods

        def sent(value: Any) -> Any:
            if id(value) not in done:
                done[id(value)] = _each(value, lambda data: self._through(data, position, routed))
            return done[id(value)]

        return RoutedMethods(
            {
                method: {
                    name: sent(value) if name in wanted else value
                    for name, value in arguments.items()
                }
                for method, arguments in given.items()
            }
        )

    def _routed_to_transform(self, stop: int, params: dict[str, Any]) -> Routed:
        """Return those arguments that the ``transform`` of the steps before `stop` requests."""
        if not routing_enabled():
            return Routed()
        before = self[:stop]
        taken = before.get_metadata_routing().consumes("transform", params)
        return process_routing(before, "transform", {name: params[name] for name in taken})

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to which steps."""
        router = MetadataRouter(self)
        for name, step in self._active(-1):
            router.add(**{name: step}, method_mapping=_mapping_of_transformer(step))
        name, last = self.steps[-1]
        if not is_skipped(last):
            joint = hasattr(last, "fit_transform")
            mapping = MethodMapping(
                fit_transform="fit_transform" if joint else ("fit", "transform"),
                **{method: method for method in _LAST_METHODS},
            )
            router.add(**{name: last}, method_mapping=mapping)
        return router

    @property
    def classes_(self) -> Any:
        """The classes of the last step."""
        return self._last.classes_

    @property
    def n_features_in_(self) -> int:
        """Number of columns that the first step saw."""
        return self._first.n_features_in_  # type: ignore[no-any-return]

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns that the first step saw."""
        return self._first.feature_names_in_  # type: ignore[no-any-return]

    @property
    def _first(self) -> Any:
        if not self.steps:
            raise AttributeError("The pipeline is empty. Please add steps.")
        return self.steps[0][1]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns after all steps.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the columns of `X`; by default those seen at fit.
        """
        names = input_features
        for name, step in self._active():
            if not hasattr(step, "get_feature_names_out"):
                raise AttributeError(
                    f"Estimator {name} does not provide get_feature_names_out. Did you mean to "
                    "call pipeline[:-1].get_feature_names_out()?"
                )
            names = step.get_feature_names_out(names)
        return names  # type: ignore[no-any-return]

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what the ``transform`` of every step returns.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            None leaves the choice as it is.
        """
        for _, step in self._active():
            set_output_of(step, transform)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        last = [step for _, step in self._active()][-1:]
        return all(is_fitted(step) for step in last)

    def _allows_nan(self) -> bool:
        """Tell whether each step takes NaN, up to the one that fills the gaps."""
        for _, step in self._active():
            if not hasattr(step, "fit") or not tags_of(step).allow_nan:
                return False
            if type(step).__name__.endswith("Imputer"):
                return True
        return True

    def _tags(self) -> Tags:
        tags = super()._tags()
        known = [tags_of(step) for _, step in self._active() if hasattr(step, "fit")]
        if not known:
            return tags
        first, last = known[0], known[-1]
        tags.allow_nan = self._allows_nan()
        for name in ("pairwise", "positive_only", "string", "categorical"):
            setattr(tags, name, getattr(first, name))
        for name in ("estimator_type", "required_y", "single_output", "multi_output"):
            setattr(tags, name, getattr(last, name))
        for name in ("multi_class", "multi_label", "positive_y", "poor_score", "transformer"):
            setattr(tags, name, getattr(last, name))
        tags.no_validation = all(step.no_validation for step in known)
        tags.sparse = all(step.sparse for step in known)
        tags.non_deterministic = any(step.non_deterministic for step in known)
        return tags

    def _through(self, X: Any, stop: int | None, routed: Routed) -> Any:
        """Send data through the fitted steps before position `stop`."""
        for name, step in self._active(stop):
            X = step.transform(X, **routed[name]["transform"])
        return X
