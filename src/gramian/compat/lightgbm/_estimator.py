"""What LightGBM's estimators share."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._constructor import default_values
from gramian._trees.ensemble import TreeEnsemble
from gramian._typing import Floats
from gramian.base import Tags
from gramian.compat._library_params import LibraryParams
from gramian.compat.lightgbm._booster import Booster
from gramian.compat.lightgbm._callbacks import record_evaluation
from gramian.compat.lightgbm._dataset import Dataset
from gramian.compat.lightgbm._eval_sets import EvalSets
from gramian.compat.lightgbm._model import LightModel
from gramian.compat.lightgbm._parameters import PARAMETERS, only, without
from gramian.compat.lightgbm._train import train
from gramian.params import (
    Callables,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    RandomState,
    Real,
    Strings,
    param,
)
from gramian.validation import check_fit, check_is_fitted, check_predict, check_y

__all__ = ["LightEstimator"]


_NONE = Nothing()
_FIT_ARGUMENTS = 4  # target, predictions, weight, group: the most that a user's function takes


class LightEstimator(LibraryParams):
    """Base of LightGBM's estimators."""

    boosting_type: str = param("gbdt", OneOf("gbdt", "gbrt", "dart", "goss", "rf", "random_forest"))
    num_leaves: int = param(31, Integer(2))
    max_depth: int = param(-1, Integer())
    learning_rate: float = param(0.1, Real(0.0, closed="neither"))
    n_estimators: int = param(100, Integer(1))
    subsample_for_bin: int = param(200_000, Integer(1))
    objective: Any = param(None, Strings() | Callables() | _NONE)
    class_weight: Any = param(None, OneOf("balanced") | Mappings() | _NONE)
    min_split_gain: float = param(0.0, Real(0.0))
    min_child_weight: float = param(1e-3, Real(0.0))
    min_child_samples: int = param(20, Integer(0))
    subsample: float = param(1.0, Real(0.0, 1.0, closed="right"))
    subsample_freq: int = param(0, Integer())
    colsample_bytree: float = param(1.0, Real(0.0, 1.0, closed="right"))
    reg_alpha: float = param(0.0, Real(0.0))
    reg_lambda: float = param(0.0, Real(0.0))
    random_state: Any = param(None, RandomState())
    n_jobs: int | None = param(None, Integer() | _NONE)
    importance_type: str = param("split", OneOf("split", "gain"))

    evals_result_: dict[str, dict[str, list[float]]]
    best_score_: dict[str, dict[str, float]]
    best_iteration_: int
    objective_: Any
    n_features_in_: int
    encoding_: None

    _library = PARAMETERS
    _default_objective: ClassVar[str] = "regression"
    _light: LightModel
    _written: list[tuple[str, str]]

    # -- what the models do differently ------------------------------------------------------------

    def _target(self, y: NDArray[Any]) -> Floats:
        """Return the target of the fit as numbers; set what is known of it."""
        return np.asarray(y, dtype=np.float64)

    def _known_target(self, y: NDArray[Any]) -> Floats:
        """Return the target of other rows in the same numbers."""
        return np.asarray(y, dtype=np.float64)

    def _row_weights(self, class_weight: Any, target: Floats, weight: Any) -> Any:
        """Return the weights of rows."""
        if class_weight is not None:
            raise ValueError(f"class_weight is for classifiers. Got class_weight={class_weight!r}.")
        return weight

    def _group(self, group: Any, rows: Any) -> Any:
        """Return the sizes of queries, if there are any."""
        return group

    def _task_params(self) -> dict[str, Any]:
        """Return the parameters that follow from the target: the objective and its classes."""
        return {"objective": self._default_objective}

    @property
    def _usual_metric(self) -> str:
        """The metric for a custom objective."""
        return "l2"

    def _metric_name(self, name: str) -> str:
        """Return the metric that a user means by a name."""
        return name

    # -- fit ---------------------------------------------------------------------------------------

    def _params(self, eval_metric: Any) -> dict[str, Any]:
        """Return the parameters for `train`, by the names that the user gave."""
        others = dict(vars(self).get("_other_params", {}))
        given = PARAMETERS.given(others, type(self).__name__, stacklevel=5)
        named = {}
        for name, default in default_values(type(self)).items():
            entry, value = PARAMETERS.find(name), getattr(self, name)
            if entry is not None and (entry.name not in given or value != default):
                named[name] = value
        task = self._task_params()
        chosen = given.get("objective", self.objective)
        self.objective_ = task["objective"] if chosen is None else chosen
        objective = self.objective_
        if callable(objective):
            objective = _with_dataset(objective)
        metrics = given.get("metric", self.objective_)
        if callable(metrics):
            metrics = self._usual_metric
        known = metrics.split(",") if isinstance(metrics, str) else list(metrics)
        more = [self._metric_name(item) for item in _listed(eval_metric) if not callable(item)]
        return {
            **without({**others, **named}, "metric", *task),
            **task,
            "objective": objective,
            "metric": [name for name in more if name not in known] + known,
        }

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        init_score: Any,
        sets: EvalSets,
        eval_metric: Any,
        names: tuple[Any, Any],
        callbacks: Any,
        init_model: Any,
        group: Any = None,
    ) -> Self:
        """Grow the trees; `names` are those of all columns, and of the categorical ones."""
        is_classifier = self._estimator_type == "classifier"
        data = check_fit(self, X, y, sample_weight, y_numeric=not is_classifier, check_finite=False)
        del self.encoding_  # trees take the columns as they are
        assert data.y is not None
        target = self._target(data.y)
        params = self._params(eval_metric)
        train_set = Dataset(
            data.X,
            target,
            weight=self._row_weights(self.class_weight, target, data.sample_weight),
            group=self._group(group, data.X),
            init_score=init_score,
            feature_name=self._names(names[0]),
            categorical_feature=names[1],
            params=params,
        )
        history: dict[str, dict[str, list[float]]] = {}
        booster = train(
            params,
            train_set,
            valid_sets=self._valid_sets(X, y, train_set, sets) or None,
            valid_names=sets.names,
            feval=[_with_dataset(item) for item in _listed(eval_metric) if callable(item)],
            init_model=init_model.booster_ if hasattr(init_model, "booster_") else init_model,
            callbacks=[*(callbacks or ()), record_evaluation(history)],
        )
        return self._keep(booster, history)

    def _keep(self, booster: Booster, history: dict[str, dict[str, list[float]]]) -> Self:
        """Set the fitted attributes."""
        self._light, self._written = booster._trees, booster._parameters
        self.evals_result_, self.best_score_ = history, booster.best_score
        self.best_iteration_ = booster.best_iteration
        return self

    def _names(self, feature_name: Any) -> Any:
        """Return the names of the columns; "auto" leaves them to the data."""
        names = vars(self).get("feature_names_in_")
        is_auto = isinstance(feature_name, str)
        return list(names) if is_auto and names is not None else feature_name

    def _valid_sets(self, X: Any, y: Any, train_set: Dataset, sets: EvalSets) -> list[Dataset]:
        """Return the evaluation sets."""
        found = []
        for at, (rows, labels) in enumerate(sets.pairs()):
            if rows is X and labels is y:
                found.append(train_set)
                continue
            data = check_predict(self, rows, check_finite=False)
            checked = check_y(
                labels, y_numeric=self._estimator_type != "classifier", estimator=self
            )
            target, weight = self._known_target(checked), sets.item("eval_sample_weight", at)
            weight = None if weight is None else np.asarray(weight, dtype=np.float64)
            weight = self._row_weights(sets.item("eval_class_weight", at), target, weight)
            group = self._group(sets.item("eval_group", at), data)
            start = sets.item("eval_init_score", at)
            found.append(Dataset(data, target, train_set, weight, group, start))
        return found

    # -- predictions -------------------------------------------------------------------------------

    def predict(
        self,
        X: Any,
        raw_score: bool = False,
        start_iteration: int = 0,
        num_iteration: int | None = None,
        pred_leaf: bool = False,
        pred_contrib: bool = False,
        validate_features: bool = False,
        **kwargs: Any,
    ) -> NDArray[Any]:
        """Predict the target of each row: of a ranker the score, of a classifier the class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        raw_score, start_iteration, num_iteration, pred_leaf, pred_contrib, validate_features, \
**kwargs
            As for `Booster.predict`.

        Returns
        -------
        ndarray of shape (n_samples,), or with a second axis for classes, leaves or features
        """
        options = (raw_score, start_iteration, num_iteration, pred_leaf, pred_contrib)
        found = self._predicted(X, *options, validate_features, kwargs)
        return found if raw_score or pred_leaf or pred_contrib else self._answer(found)

    def _answer(self, found: NDArray[Any]) -> NDArray[Any]:
        """Return what is predicted, of the booster's predictions."""
        return found

    def _predicted(
        self,
        X: Any,
        raw_score: bool,
        start_iteration: int,
        num_iteration: int | None,
        pred_leaf: bool,
        pred_contrib: bool,
        validate_features: bool,
        others: dict[str, Any],
    ) -> NDArray[Any]:
        """Return what the booster predicts; the arguments are those of `predict`."""
        check_is_fitted(self, "_light")
        rows = check_predict(self, X, check_finite=False)
        if self.n_jobs is not None and not only(others, "num_threads"):
            others = {**others, "num_threads": self.n_jobs}
        options = (start_iteration, num_iteration, raw_score, pred_leaf, pred_contrib)
        return self.booster_.predict(rows, *options, validate_features=validate_features, **others)

    def _raw_scores(self, X: Any) -> Floats:
        """Return the scores, for explanations."""
        return self._predicted(X, True, 0, None, False, False, False, {})

    def _tree_ensemble(self) -> TreeEnsemble:
        return self.booster_._part(0, None).ensemble()

    def _tree_rows(self, X: Any) -> Any:
        check_is_fitted(self, "_light")
        return self._light.columns.read(check_predict(self, X, check_finite=False))

    # -- what there is -----------------------------------------------------------------------------

    @property
    def booster_(self) -> Booster:
        """The trees as a Booster."""
        check_is_fitted(self, "_light")
        booster = Booster._of(self._light, self.get_params(), self._written)
        booster.best_iteration, booster.best_score = self.best_iteration_, self.best_score_
        return booster

    @property
    def n_estimators_(self) -> int:
        """Number of rounds that were grown."""
        check_is_fitted(self, "_light")
        return self._light.n_rounds

    @property
    def n_iter_(self) -> int:
        """Number of rounds that were grown."""
        return self.n_estimators_

    @property
    def n_features_(self) -> int:
        """Number of features."""
        check_is_fitted(self, "_light")
        return self.n_features_in_

    @property
    def feature_name_(self) -> list[str]:
        """Names of the features; ``Column_0`` and so on if the data had none."""
        return self.booster_.feature_name()

    @property
    def feature_importances_(self) -> NDArray[Any]:
        """Number of splits of each feature, or the sum of their gains, by `importance_type`."""
        return self.booster_.feature_importance(self.importance_type)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.allow_nan = tags.native_table = True
        return tags


def _listed(given: Any) -> list[Any]:
    """Return one item, or several, as a list."""
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _with_dataset(function: Callable[..., Any]) -> Callable[[Floats, Dataset], Any]:
    """Return a user's function of target and predictions as one of predictions and Dataset."""
    n_arguments = _n_arguments(function)

    def call(predictions: Floats, data: Dataset) -> Any:
        given = (data.label, predictions, data.weight, data.group)
        return function(*given[:n_arguments])

    return call


def _n_arguments(function: Callable[..., Any]) -> int:
    """Return how many of target, predictions, weight and group a function takes."""
    n_arguments = len(signature(function).parameters)
    if not 2 <= n_arguments <= _FIT_ARGUMENTS:
        raise TypeError(
            "A function of the user must take the target and the predictions, and may take the "
            f"weights and the sizes of the queries. Got one of {n_arguments} arguments."
        )
    return n_arguments
