"""Steps one after another as one estimator."""

from collections.abc import Callable, Iterator
from copy import copy
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gramian._composition import Composition, Entries, available_if
from gramian._parts import elapsed, fit_transform_part, is_fitted, name_estimators, set_output_of
from gramian._requests import raise_for_params, routing_enabled
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    Routed,
    RoutedMethods,
    fitting,
    process_routing,
    route,
)
from gramian._tags import tags_of
from gramian.base import Tags, clone
from gramian.datasets import Bunch
from gramian.params import Boolean, Constraint, Nothing, Strings, param
from gramian.validation import check_is_fitted

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Pipeline", "make_pipeline"]

_SKIPPED = (None, "passthrough")


class _Cache(Constraint):
    """An object with ``cache``, as of joblib."""

    def accepts(self, value: Any) -> bool:
        return callable(getattr(value, "cache", None))

    def describe(self) -> str:
        return "an object with the method cache (joblib.Memory)"


def _is_skipped(step: Any) -> bool:
    return step is None or (isinstance(step, str) and step == "passthrough")


def _last_has(name: str) -> Callable[[Any], bool]:
    """Return a check that the last step of a pipeline has a method."""

    def check(pipeline: "Pipeline") -> bool:
        getattr(pipeline._last, name)  # an AttributeError of the step says why not
        return True

    return check


class Pipeline(Composition):
    """Transformers one after another, then a final estimator.

    ``fit`` fits the first step, transforms the data with it, fits the second step to the result,
    and so on; ``predict`` sends new data the same way. The whole is one estimator: it can be
    cross-validated, searched and saved.

    Parameters
    ----------
    steps : list of (str, estimator)
        Names and steps, in order. All but the last must have ``fit`` and ``transform``;
        "passthrough" or None leaves the data as they are. The steps themselves are fitted, not
        copies, unless `memory` is given.
    transform_input : list of str, optional
        Names of fit parameters that hold data like `X` (a validation set, say): before a step gets
        such a parameter it is transformed by the steps before.
    memory : str or joblib.Memory, optional
        A folder, or a cache, in which fitted transformers are kept: a step that was fitted before
        with the same parameters and data is read instead of fitted again.
    verbose : bool, default=False
        Whether to print the time that each step takes.

    Attributes
    ----------
    named_steps : Bunch
        The steps by name, also as attributes.
    classes_ : ndarray
        The classes of the last step, if it is a classifier.
    n_features_in_ : int
        Number of columns that the first step saw.
    feature_names_in_ : ndarray
        Their names, if the first step saw names.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import SelectKBest, f_regression
    >>> from gramian.linear_model import Ridge
    >>> from gramian.pipeline import Pipeline
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = Pipeline([("best", SelectKBest(f_regression, k=4)), ("ridge", Ridge())])
    >>> round(model.set_params(ridge__alpha=0.01).fit(X, y).score(X, y), 3)
    0.481
    """

    _parts_name = "steps"
    _parts_rule = "All intermediate steps should be transformers and implement"

    steps: Any = param((), Entries("(name, estimator)"), positional=True)
    transform_input: Any = param(None, Entries("str") | Nothing())
    memory: Any = param(None, Nothing() | Strings() | _Cache())
    verbose: bool = param(False, Boolean())

    def __init__(
        self,
        steps: Any,
        *,
        transform_input: Any = None,
        memory: Any = None,
        verbose: bool = False,
    ) -> None:
        self.steps = steps
        self.transform_input = transform_input
        self.memory = memory
        self.verbose = verbose

    # -- the steps -----------------------------------------------------------------------------

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
        return ((name, step) for name, step in self.steps[:stop] if not _is_skipped(step))

    def _check_steps(self) -> None:
        if not self.steps:
            raise ValueError("The pipeline is empty. Please add steps.")
        names, steps = zip(*self.steps, strict=True)
        self._check_names(names)
        self._check_transformers(steps[:-1], _SKIPPED)
        last = steps[-1]
        if isinstance(last, type):
            self._check_transformers([last], _SKIPPED)
        if not _is_skipped(last) and not hasattr(last, "fit"):
            raise TypeError(
                "Last step of Pipeline should implement fit or be the string 'passthrough'. "
                f"{last!r} (type {type(last)}) doesn't"
            )

    def _message(self, position: int) -> str | None:
        if not self.verbose:
            return None
        return f"(step {position + 1} of {len(self)}) Processing {self.steps[position][0]}"

    # -- fitting -------------------------------------------------------------------------------

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

    def _fit_transformers(self, X: Any, y: Any, by_step: Routed, params: dict[str, Any]) -> Any:
        """Fit all steps but the last; return the data that the last one gets."""
        memory = _memory(self.memory)
        run = fit_transform_part
        if memory is not None:
            run = memory.cache(fit_transform_part, ignore=["source", "message"])
        for position, (name, step) in enumerate(self.steps[:-1]):
            message = self._message(position)
            if _is_skipped(step):
                with elapsed("Pipeline", message):
                    continue
            part = step if memory is None else clone(step)
            step_params = self._step_params(position, by_step[name], params)
            X, part = run(part, X, y, step_params, source="Pipeline", message=message)
            if part is not step:  # from the cache
                self.steps = [*self.steps[:position], (name, part), *self.steps[position + 1 :]]
        return X

    def _fit_with(self, method: str, X: Any, y: Any, params: dict[str, Any]) -> Any:
        """Fit all steps, the last by a method; return that method's result."""
        self._check_steps()
        by_step = self._by_step(method, params)
        X = self._fit_transformers(X, y, by_step, params)
        position = len(self) - 1
        name, last = self.steps[position]
        with elapsed("Pipeline", self._message(position)):
            if _is_skipped(last):
                return X
            given = self._step_params(position, by_step[name], params)
            if method == "fit_transform" and not hasattr(last, "fit_transform"):
                return last.fit(X, y, **given["fit"]).transform(X, **given["transform"])
            return getattr(last, method)(X, y, **given[method])

    def fit(self, X: Any, y: Any = None, **params: Any) -> "Self":
        """Fit the steps one after another.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            What the first step takes.
        y : array-like, optional
            The target, given to every step.
        **params : dict
            Parameters of the steps' ``fit``, as ``<step>__<name>``; while metadata routing is on,
            what the steps request.
        """
        self._fit_with("fit", X, y, params)
        return self

    def _shares_fits(self, candidates: list[dict[str, Any]]) -> bool:
        """Tell whether candidates of a search differ in the last step only, which is a model."""
        own_fit = type(self).fit is Pipeline.fit and self.memory is None and not self.verbose
        if not own_fit or not self.steps or _is_skipped(self._last):
            return False
        prefix = f"{self.steps[-1][0]}__"
        return all(key.startswith(prefix) for candidate in candidates for key in candidate)

    def _fit_candidates(
        self, candidates: list[dict[str, Any]], X: Any, y: Any = None, **params: Any
    ) -> list["Self"]:
        """Fit the transformers once, and the last step with the parameters of each candidate."""
        self._check_steps()
        by_step = self._by_step("fit", params)
        X = self._fit_transformers(X, y, by_step, params)
        name, last = self.steps[-1]
        last_params = self._step_params(len(self) - 1, by_step[name], params)["fit"]
        own = [{key[len(name) + 2 :]: v for key, v in each.items()} for each in candidates]
        if hasattr(last, "_shares_fits") and last._shares_fits(own):
            models = last._fit_candidates(own, X, y, **last_params)
        else:
            models = [clone(last).set_params(**clone(each, safe=False)) for each in own]
            for model in models:
                model.fit(X, y, **last_params)
        return [self._ending_in(model) for model in models]

    def _ending_in(self, model: Any) -> "Self":
        """Return a pipeline with the same fitted transformers and another last step."""
        other = copy(self)
        other.steps = [*self.steps[:-1], (self.steps[-1][0], model)]
        return other

    @available_if(lambda self: _is_skipped(self._last) or self._can("fit_transform", "transform"))
    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit the steps and return what the last one makes of the data; see `fit`."""
        return self._fit_with("fit_transform", X, y, params)

    @available_if(_last_has("fit_predict"))
    def fit_predict(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit the steps and return the last one's ``fit_predict``; see `fit`."""
        return self._fit_with("fit_predict", X, y, params)

    def _can(self, *methods: str) -> bool:
        return any(hasattr(self._last, method) for method in methods)

    # -- using ---------------------------------------------------------------------------------

    def _through(self, X: Any, stop: int | None, routed: Routed) -> Any:
        """Send data through the fitted steps before position `stop`."""
        for name, step in self._active(stop):
            X = step.transform(X, **routed[name]["transform"])
        return X

    def _ask_last(self, method: str, X: Any, *args: Any, **params: Any) -> Any:
        check_is_fitted(self)
        name = self.steps[-1][0]
        otherwise = Routed({name: RoutedMethods({method: params})})
        routed = route(self, method, params, otherwise)
        found = self._through(X, -1, routed)
        return getattr(self._last, method)(found, *args, **routed[name][method])

    @available_if(_last_has("predict"))
    def predict(self, X: Any, **params: Any) -> Any:
        """Transform `X` and return the last step's ``predict``, which gets `params`."""
        return self._ask_last("predict", X, **params)

    @available_if(_last_has("predict_proba"))
    def predict_proba(self, X: Any, **params: Any) -> Any:
        """Transform `X` and return the last step's ``predict_proba``."""
        return self._ask_last("predict_proba", X, **params)

    @available_if(_last_has("predict_log_proba"))
    def predict_log_proba(self, X: Any, **params: Any) -> Any:
        """Transform `X` and return the last step's ``predict_log_proba``."""
        return self._ask_last("predict_log_proba", X, **params)

    @available_if(_last_has("decision_function"))
    def decision_function(self, X: Any, **params: Any) -> Any:
        """Transform `X` and return the last step's ``decision_function``."""
        raise_for_params(params, self, "decision_function")
        return self._ask_last("decision_function", X, **params)

    @available_if(_last_has("score_samples"))
    def score_samples(self, X: Any) -> Any:
        """Transform `X` and return the last step's ``score_samples``."""
        check_is_fitted(self)
        return self._last.score_samples(self._through(X, -1, Routed()))

    @available_if(_last_has("score"))
    def score(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        """Transform `X` and return the last step's ``score`` against `y`.

        `params` go to the steps that request them, while metadata routing is on.
        """
        raise_for_params(params, self, "score")
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._ask_last("score", X, y, **weight, **params)

    @available_if(lambda self: _is_skipped(self._last) or self._can("transform"))
    def transform(self, X: Any, **params: Any) -> Any:
        """Send `X` through all steps; `params` as for `score`."""
        check_is_fitted(self)
        raise_for_params(params, self, "transform")
        return self._through(X, None, process_routing(self, "transform", params))

    @available_if(lambda self: all(hasattr(s, "inverse_transform") for _, s in self._active()))
    def inverse_transform(self, X: Any, **params: Any) -> Any:
        """Send transformed data back through all steps, the last first; `params` as for `score`."""
        check_is_fitted(self)
        raise_for_params(params, self, "inverse_transform")
        routed = process_routing(self, "inverse_transform", params)
        for name, step in reversed(list(self._active())):
            X = step.inverse_transform(X, **routed[name]["inverse_transform"])
        return X

    # -- what it is ----------------------------------------------------------------------------

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to which steps."""
        router = MetadataRouter(self)
        for name, step in self._active(-1):
            router.add(**{name: step}, method_mapping=_mapping_of_transformer(step))
        name, last = self.steps[-1]
        if not _is_skipped(last):
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

    def set_output(self, *, transform: str | None = None) -> "Self":
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


def _memory(memory: Any) -> Any:
    """Return a joblib cache for a folder; a given cache as it is, None if it keeps nothing."""
    if isinstance(memory, str):
        from joblib import Memory

        return Memory(location=memory, verbose=0)
    is_idle = memory is None or getattr(memory, "location", memory) is None
    return None if is_idle else memory


def make_pipeline(
    *steps: Any, memory: Any = None, transform_input: Any = None, verbose: bool = False
) -> Pipeline:
    """Return a `Pipeline` whose steps are named after their classes.

    Parameters
    ----------
    *steps : estimators
        The steps, in order.
    memory, transform_input, verbose
        As for `Pipeline`.

    Examples
    --------
    >>> from gramian.impute import SimpleImputer
    >>> from gramian.linear_model import Ridge
    >>> from gramian.pipeline import make_pipeline
    >>> make_pipeline(SimpleImputer(), Ridge(alpha=2.0))
    Pipeline(steps=[('simpleimputer', SimpleImputer()), ('ridge', Ridge(alpha=2.0))])
    """
    return Pipeline(
        name_estimators(steps), memory=memory, transform_input=transform_input, verbose=verbose
    )
