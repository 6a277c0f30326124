"""LightGBM's Booster: trees, while they grow and afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Self

from gramian.compat.lightgbm._dataset import Dataset
from gramian.compat.lightgbm._file import model_from_text, parameters_from_text
from gramian.compat.lightgbm._fitted_booster import FittedBooster
from gramian.compat.lightgbm._metrics import LightMetric, metrics_of
from gramian.compat.lightgbm._model import LightModel
from gramian.compat.lightgbm._parameters import PARAMETERS
from gramian.compat.lightgbm._refit import refitted
from gramian.compat.lightgbm._settings import settings_of
from gramian.compat.lightgbm._training import EvalResult, Training, evaluated
from gramian.params import Real, check_arguments

__all__ = ["Booster"]


_OF_LEAVES = (
    "num_class",
    "lambda_l1",
    "lambda_l2",
    "max_delta_step",
    "alpha",
    "fair_c",
    "poisson_max_delta_step",
    "tweedie_variance_power",
    "sigmoid",
    "reg_sqrt",
    "scale_pos_weight",
    "is_unbalance",
    "lambdarank_truncation_level",
    "lambdarank_norm",
)
_OF_METRICS = (
    "metric",
    "alpha",
    "fair_c",
    "tweedie_variance_power",
    "eval_at",
    "multi_error_top_k",
)


class Booster(FittedBooster):
    """Boosted trees.

    Parameters
    ----------
    params : dict, optional
        Parameters by any of their names.
    train_set : Dataset, optional
        Rows to grow trees on, by `update`.
    model_file : path, optional
        A model in LightGBM's text format, written by it or by `save_model`.
    model_str : str, optional
        The text of such a file.

    Attributes
    ----------
    params : dict
        The parameters by their main names.
    best_iteration : int
        Number of rounds that early stopping found best; 0 or less: there was none.
    best_score : dict
        Set -> metric -> value after the best round, or the last one.
    pandas_categorical : list or None
        Categories of the columns of data frames.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.compat.lightgbm import Booster, Dataset, train
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((200, 3))
    >>> booster = train({"objective": "binary"}, Dataset(X, X[:, 0] > 0.5), 10)
    >>> again = Booster(model_str=booster.model_to_string())
    >>> bool((again.predict(X) == booster.predict(X)).all())
    True
    """

    params: dict[str, Any]
    best_iteration: int
    best_score: dict[str, dict[str, float]]
    train_data_name = "training"

    _training: Training | None
    _model: LightModel | None
    _parameters: list[tuple[str, str]]

    def __init__(
        self,
        params: Mapping[str, Any] | None = None,
        train_set: Dataset | None = None,
        model_file: str | PathLike[str] | None = None,
        model_str: str | None = None,
    ) -> None:
        self._prepare(params or {})
        if train_set is not None:
            if not isinstance(train_set, Dataset):
                raise TypeError(f"train_set must be a Dataset. Got {type(train_set).__name__}.")
            merged = {**train_set.params, **self.params}
            self.params = PARAMETERS.given(merged, "Booster", stacklevel=3)
            self._begin(train_set, None)
        elif model_file is not None:
            self.model_from_string(Path(model_file).read_text(encoding="utf-8"))
        elif model_str is not None:
            self.model_from_string(model_str)
        else:
            raise TypeError("A Booster needs train_set, model_file or model_str.")

    @classmethod
    def _of(cls, model: LightModel, params: Mapping[str, Any], written: Any) -> Self:
        """Return a booster of trees that have grown."""
        booster = cls.__new__(cls)
        booster._prepare(params)
        booster._model, booster._parameters = model, list(written)
        return booster

    def _prepare(self, params: Mapping[str, Any]) -> None:
        """Set what every booster has."""
        self.params, self.best_iteration, self.best_score = dict(params), -1, {}
        self._training, self._model, self._parameters = None, None, []

    def _begin(self, data: Dataset, before: LightModel | None) -> None:
        settings = settings_of(self.params, "train")
        if before is not None:
            data._adopt(before.columns)
        data._construct(self.params)
        self._training = Training(settings, data, before)
        self._parameters = settings.written(data.columns)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_training": None, "_model": self._trees}

    # -- growing -----------------------------------------------------------------------------------

    @property
    def _trees(self) -> LightModel:
        """The trees so far."""
        if self._model is None:
            assert self._training is not None
            self._model = self._training.model()
        return self._model

    @property
    def _grows(self) -> Training:
        if self._training is None:
            raise ValueError(
                "The booster has let go of its data. Make it with keep_training_booster=True to "
                "go on."
            )
        return self._training

    @property
    def is_dart(self) -> bool:
        """Whether rounds are left out while others grow."""
        return self._training is not None and self._training.settings.is_dart

    @property
    def pandas_categorical(self) -> list[list[Any]] | None:
        """Categories of the columns of data frames, in the order of their codes."""
        return [list(values) for values in self._columns.categories] or None

    @property
    def _columns(self) -> Any:
        return self._trees.columns if self._training is None else self._training.data.columns

    def update(
        self, train_set: Dataset | None = None, fobj: Callable[..., Any] | None = None
    ) -> bool:
        """Grow one round; return whether no split was possible.

        Parameters
        ----------
        train_set : Dataset, optional
            Other rows to go on with.
        fobj : callable, optional
            A custom objective: a function of the scores and the Dataset that returns gradient and
            hessian.
        """
        if train_set is not None and train_set is not self._grows.data:
            before = self._trees if self.num_trees() else None
            self._begin(train_set, before)
        is_finished = self._grows.step(fobj)
        self._model = None
        return is_finished

    def rollback_one_iter(self) -> Self:
        """Take back the last round; return self."""
        self._grows.undo()
        self._model = None
        return self

    def reset_parameter(self, params: Mapping[str, Any]) -> Self:
        """Change parameters for the rounds to come; return self.

        Parameters
        ----------
        params : dict
            The new values by any name.
        """
        given = PARAMETERS.given(params, "reset_parameter")
        self.params = {**self.params, **given}
        self._grows.reset(settings_of(self.params, "reset_parameter"))
        return self

    def add_valid(self, data: Dataset, name: str) -> Self:
        """Add an evaluation set; return self.

        Parameters
        ----------
        data : Dataset
            The rows.
        name : str
            Its name in the results.
        """
        self._grows.add_eval_set(data, name)
        return self

    def set_train_data_name(self, name: str) -> Self:
        """Set the name of the training rows in results; return self."""
        self.train_data_name = name
        return self

    def free_dataset(self) -> Self:
        """Let go of the data, so that no round can follow; return self."""
        self._model, self._training = self._trees, None
        return self

    def eval_train(self, feval: Any = None) -> list[EvalResult]:
        """Return the metrics of the training rows.

        Parameters
        ----------
        feval : callable or list of callables, optional
            Further metrics; see `train`.
        """
        return self._grows.evaluate_training(self.train_data_name, feval)

    def eval_valid(self, feval: Any = None) -> list[EvalResult]:
        """Return the metrics of the evaluation sets.

        Parameters
        ----------
        feval : callable or list of callables, optional
            Further metrics; see `train`.
        """
        return self._grows.evaluate(self._grows.eval_sets, feval)

    def eval(self, data: Dataset, name: str, feval: Any = None) -> list[EvalResult]:
        """Return the metrics of any rows.

        Parameters
        ----------
        data : Dataset
            The rows; they are read like those of the training.
        name : str
            Their name in the results.
        feval : callable or list of callables, optional
            Further metrics; see `train`.
        """
        if not isinstance(data, Dataset):
            raise TypeError(f"data must be a Dataset. Got {type(data).__name__}.")
        data._adopt(self._columns)
        model = self._trees
        predictions = model.response(model.scores(data.rows))
        return evaluated(self._metrics(), data, name, predictions, feval)

    def _metrics(self) -> list[LightMetric]:
        """Return the metrics of the fit, also if it is known from a file only."""
        if self._training is not None:
            return self._training.settings.metrics
        known = {name: value for name, value in self._parameters if name in _OF_METRICS and value}
        task = self._trees.objective.split()[0]
        return metrics_of(known.get("metric"), task, PARAMETERS.translate(known, "eval").own)

    def num_model_per_iteration(self) -> int:
        """Return the number of trees of a round."""
        if self._training is not None:
            return self._training.settings.task.n_groups
        return self._trees.n_groups

    def current_iteration(self) -> int:
        """Return the number of rounds."""
        if self._training is None:
            return self._trees.n_rounds
        before = self._training.before
        return len(self._training.rates) + (0 if before is None else before.n_rounds)

    def refit(
        self,
        data: Any,
        label: Any,
        decay_rate: float = 0.9,
        reference: Dataset | None = None,
        weight: Any = None,
        group: Any = None,
        init_score: Any = None,
        feature_name: Any = "auto",
        categorical_feature: Any = "auto",
        dataset_params: Mapping[str, Any] | None = None,
        free_raw_data: bool = True,
        validate_features: bool = False,
        **kwargs: Any,
    ) -> Booster:
        """Return a booster of the same splits, whose leaves have moved towards other rows.

        Parameters
        ----------
        data : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        label : array-like of shape (n_samples,)
            Their target.
        decay_rate : float, default=0.9
            What the old value of a leaf is multiplied by in the new one.
        weight, group, init_score
            As for `Dataset`.
        reference, feature_name, categorical_feature, dataset_params, free_raw_data
            Without effect: the columns are read like those of the fit.
        validate_features : bool, default=False
            Whether data frames must have the columns of the training rows.
        **kwargs
            Parameters of LightGBM for `predict`.
        """
        check_arguments("refit", decay_rate=(decay_rate, Real(0.0, 1.0, closed="both")))
        PARAMETERS.given(kwargs, "predict", stacklevel=3)
        model = self._trees
        model.columns.read(data, validate=validate_features)
        rows = Dataset(data, label, weight=weight, group=group, init_score=init_score)
        rows._adopt(model.columns)
        settings = settings_of(self.params or self._known_parameters(), "refit")
        made = refitted(model, settings, rows, decay_rate)
        return type(self)._of(made, self.params, self._parameters)

    def _known_parameters(self) -> dict[str, Any]:
        """Return the parameters that a file names and that matter for leaves."""
        known: dict[str, Any] = {
            name: int(value) if value.isdecimal() else value
            for name, value in self._parameters
            if name in _OF_LEAVES and value
        }
        name = self._trees.objective.split()[0]
        return PARAMETERS.given({**known, "objective": name}, "refit")

    def model_from_string(self, model_str: str) -> Self:
        """Take the trees of a text in LightGBM's format; return self.

        Parameters
        ----------
        model_str : str
            The text.
        """
        self._model, self._training = model_from_text(model_str), None
        self._parameters = parameters_from_text(model_str)
        return self
