"""Steps one after another as one estimator."""

from collections.abc import Callable
from copy import copy
from typing import Any, Self

from gramian._composition import Entries, available_if
from gramian._parts import elapsed, fit_transform_part, name_estimators
from gramian._requests import raise_for_params
from gramian._routing import (
    Routed,
    RoutedMethods,
    process_routing,
    route,
)
from gramian.base import clone
from gramian.params import REQUIRED, Boolean, Constraint, Nothing, Strings, param
from gramian.pipeline._steps import StepSequence, is_skipped
from gramian.validation import check_is_fitted


class _Cache(Constraint):
    """An object with ``cache``, as of joblib."""

    def accepts(self, value: Any) -> bool:
        return callable(getattr(value, "cache", None))

    def describe(self) -> str:
        return "an object with the method cache (joblib.Memory)"


def _last_has(name: str) -> Callable[[Any], bool]:
    """Return a check that the last step of a pipeline has a method."""

    def check(pipeline: "Pipeline") -> bool:
        getattr(pipeline._last, name)  # an AttributeError of the step says why not
        return True

    return check


class Pipeline(StepSequence):
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

    steps: Any = param(REQUIRED, Entries("(name, estimator)"), positional=True)
    transform_input: Any = param(None, Entries("str") | Nothing())
    memory: Any = param(None, Nothing() | Strings() | _Cache())
    verbose: bool = param(False, Boolean())

    # -- fitting -------------------------------------------------------------------------------

    def _fit_transformers(self, X: Any, y: Any, by_step: Routed, params: dict[str, Any]) -> Any:
        """Fit all steps but the last; return the data that the last one gets."""
        memory = _memory(self.memory)
        run = fit_transform_part
        if memory is not None:
            run = memory.cache(fit_transform_part, ignore=["source", "message"])
        for position, (name, step) in enumerate(self.steps[:-1]):
            message = self._message(position)
            if is_skipped(step):
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
            if is_skipped(last):
                return X
            given = self._step_params(position, by_step[name], params)
            if method == "fit_transform" and not hasattr(last, "fit_transform"):
                return last.fit(X, y, **given["fit"]).transform(X, **given["transform"])
            return getattr(last, method)(X, y, **given[method])

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
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
        if not own_fit or not self.steps or is_skipped(self._last):
            return False
        prefix = f"{self.steps[-1][0]}__"
        return all(key.startswith(prefix) for candidate in candidates for key in candidate)

    def _fit_candidates(
        self, candidates: list[dict[str, Any]], X: Any, y: Any = None, **params: Any
    ) -> list[Self]:
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

    def _ending_in(self, model: Any) -> Self:
        """Return a pipeline with the same fitted transformers and another last step."""
        other = copy(self)
        other.steps = [*self.steps[:-1], (self.steps[-1][0], model)]
        return other

    @available_if(lambda self: is_skipped(self._last) or self._can("fit_transform", "transform"))
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

    @available_if(lambda self: is_skipped(self._last) or self._can("transform"))
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
