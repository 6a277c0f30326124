"""What XGBoost's estimators share: parameters, the fit, and what follows from the booster."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.inputs import of_sets
from gramian._draws import random_state_of
from gramian._levels.matrix import predict_matrix
from gramian._trees.ensemble import TreeEnsemble
from gramian._typing import Singles
from gramian.base import Tags
from gramian.compat._library_params import LibraryParams
from gramian.compat.xgboost._booster import Booster
from gramian.compat.xgboost._columns import column_types
from gramian.compat.xgboost._data import DMatrix
from gramian.compat.xgboost._parameters import PARAMETERS, declared
from gramian.compat.xgboost._train import train
from gramian.compat.xgboost._wrapping import listed, metric_of, objective_of
from gramian.params import Callables
from gramian.table import Table
from gramian.validation import check_fit, check_is_fitted, check_y

__all__ = ["XGBModel"]

Range = tuple[int, int]


class XGBModel(LibraryParams):
    """Base of XGBoost's estimators."""

    _library = PARAMETERS
    _multi_output: ClassVar[bool] = False
    _predicts_by_scores: ClassVar[bool] = False

    objective: Any = declared("objective", None, Callables())
    max_depth: int | None = declared("max_depth")
    max_leaves: int | None = declared("max_leaves")
    max_bin: int | None = declared("max_bin")
    grow_policy: str | None = declared("grow_policy")
    learning_rate: float | None = declared("learning_rate")
    n_estimators: int | None = declared("n_estimators")
    verbosity: int | None = declared("verbosity")
    booster: str | None = declared("booster")
    tree_method: str | None = declared("tree_method")
    n_jobs: int | None = declared("n_jobs")
    gamma: float | None = declared("gamma")
    min_child_weight: float | None = declared("min_child_weight")
    max_delta_step: float | None = declared("max_delta_step")
    subsample: float | None = declared("subsample")
    sampling_method: str | None = declared("sampling_method")
    colsample_bytree: float | None = declared("colsample_bytree")
    colsample_bylevel: float | None = declared("colsample_bylevel")
    colsample_bynode: float | None = declared("colsample_bynode")
    reg_alpha: float | None = declared("reg_alpha")
    reg_lambda: float | None = declared("reg_lambda")
    scale_pos_weight: float | None = declared("scale_pos_weight")
    base_score: Any = declared("base_score")
    random_state: Any = declared("random_state")
    missing: float = declared("missing", np.nan)
    num_parallel_tree: int | None = declared("num_parallel_tree")
    monotone_constraints: Any = declared("monotone_constraints")
    interaction_constraints: Any = declared("interaction_constraints")
    importance_type: str | None = declared("importance_type")
    device: str | None = declared("device")
    validate_parameters: bool | None = declared("validate_parameters")
    enable_categorical: bool = declared("enable_categorical", False)
    feature_types: Any = declared("feature_types")
    feature_weights: Any = declared("feature_weights")
    max_cat_to_onehot: int | None = declared("max_cat_to_onehot")
    max_cat_threshold: int | None = declared("max_cat_threshold")
    multi_strategy: str | None = declared("multi_strategy")
    eval_metric: Any = declared("eval_metric")
    early_stopping_rounds: int | None = declared("early_stopping_rounds")
    callbacks: Any = declared("callbacks")

    n_features_in_: int
    encoding_: Any
    _booster: Booster
    _evals_result: dict[str, dict[str, list[float]]]

    # -- parameters -------------------------------------------------------------------------------

    def _name(self) -> str:
        """Return the name of the class of XGBoost that this is, or is made of."""
        for cls in type(self).__mro__:
            if cls.__module__.startswith("gramian."):
                return cls.__name__
        return type(self).__name__

    def _validate_params(self) -> None:
        """Check the parameters by the table of XGBoost's."""
        params = self.get_params()
        if callable(params["objective"]):
            params["objective"] = None
        PARAMETERS.translate(params, self._name(), stacklevel=4)  # the caller of fit

    def get_xgb_params(self) -> dict[str, Any]:
        """Return the parameters that `train` takes."""
        params = self.get_params()
        if callable(params["objective"]):
            params["objective"] = None
        if not isinstance(params["eval_metric"], str):
            named = [m for m in listed(params["eval_metric"]) if not callable(m)]
            params["eval_metric"] = named or None
        if params["random_state"] is not None and not isinstance(params["random_state"], int):
            drawn = random_state_of(params["random_state"]).randint(np.iinfo(np.int32).max)
            params["random_state"] = int(drawn)
        kept = {}
        for name, value in params.items():
            entry = PARAMETERS.find(name)
            if entry is not None and not entry.calls:
                kept[name] = value
        return kept

    def get_num_boosting_rounds(self) -> int:
        """Return the number of rounds."""
        others = vars(self).get("_other_params", {})
        given = others.get("num_boost_round", self.n_estimators)
        return 100 if given is None else int(given)

    # -- fit --------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        base_margin: Any = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        verbose: bool | int | None = True,
        xgb_model: Any = None,
        sample_weight_eval_set: Sequence[Any] | None = None,
        base_margin_eval_set: Sequence[Any] | None = None,
        feature_weights: Any = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value, and so is what a sparse matrix does not store.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        base_margin : array-like, optional
            Where the scores of each row start.
        eval_set : list of (X, y), optional
            Rows that are judged after each round, as ``"validation_0"`` and so on. The last one
            decides early stopping.
        verbose : bool or int, default=True
            Whether, or after how many rounds, to print the metrics of `eval_set`.
        xgb_model : path, Booster or estimator, optional
            Trees to go on from.
        sample_weight_eval_set, base_margin_eval_set : list of array-likes, optional
            Weights of the rows of each evaluation set, and where their scores start.
        feature_weights : None
            Not supported.
        """
        rows = self._training_rows(X, y, sample_weight, base_margin)
        n_sets = len(eval_set or ())
        weights = of_sets("sample_weight_eval_set", sample_weight_eval_set, n_sets)
        margins = of_sets("base_margin_eval_set", base_margin_eval_set, n_sets)
        sets = [
            self._eval_rows(*pair, weight=weight, base_margin=margin)
            for pair, weight, margin in zip(eval_set or (), weights, margins, strict=True)
        ]
        return self._grow(rows, sets, verbose, xgb_model, feature_weights)

    def _training_rows(self, X: Any, y: Any, weight: Any, base_margin: Any) -> DMatrix:
        """Return the rows, checked; remember the columns and the target."""
        data = check_fit(
            self,
            X,
            y,
            weight,
            y_numeric=self._estimator_type != "classifier",
            multi_output=self._multi_output,
            check_finite=False,
        )
        del self.encoding_  # trees take the columns as they are
        assert data.y is not None
        label = self._read_target(data.y)
        types = self.feature_types
        if types is None and isinstance(data.X, Table):
            types = column_types(X, data.X)
        rows = DMatrix(
            data.X,
            label,
            weight=data.sample_weight,
            base_margin=base_margin,
            missing=self.missing,
            feature_types=types,
        )
        names = vars(self).get("feature_names_in_")
        rows.feature_names = None if names is None else names.tolist()
        self._levels = rows._levels()
        return rows

    def _eval_rows(self, X: Any, y: Any, **info: Any) -> DMatrix:
        """Return the rows of an evaluation set."""
        target = check_y(
            y,
            y_numeric=self._estimator_type != "classifier",
            multi_output=self._multi_output,
            estimator=self,
        )
        return self._rows(X, label=self._read_known_target(target), **info)

    def _rows(self, X: Any, **info: Any) -> DMatrix:
        """Return rows of the columns of the fit."""
        rows = predict_matrix(self, X, self._levels, check_finite=False)
        found = DMatrix(rows, missing=self.missing, **info)
        names = vars(self).get("feature_names_in_")
        found.feature_names = None if names is None else names.tolist()
        return found

    def _read_target(self, y: NDArray[Any]) -> Any:
        return y

    def _read_known_target(self, y: NDArray[Any]) -> Any:
        return y

    def _train_params(self) -> dict[str, Any]:
        return self.get_xgb_params()

    def _grow(
        self,
        rows: DMatrix,
        sets: Sequence[DMatrix],
        verbose: bool | int | None,
        xgb_model: Any,
        feature_weights: Any,
    ) -> Self:
        """Grow trees on rows that are checked."""
        if feature_weights is not None:
            raise ValueError("feature_weights is not supported by gramian.")
        before = xgb_model.get_booster() if isinstance(xgb_model, XGBModel) else xgb_model
        result: dict[str, dict[str, list[float]]] = {}
        self._booster = train(
            self._train_params(),
            rows,
            self.get_num_boosting_rounds(),
            evals=[(data, f"validation_{k}") for k, data in enumerate(sets)],
            obj=objective_of(self.objective),
            early_stopping_rounds=self.early_stopping_rounds,
            evals_result=result,
            verbose_eval=verbose,
            xgb_model=before,
            callbacks=self.callbacks,
            custom_metric=metric_of(self.eval_metric),
        )
        self._evals_result = result
        return self

    # -- what follows from the booster ------------------------------------------------------------

    def get_booster(self) -> Booster:
        """Return the trees."""
        check_is_fitted(self, "_booster")
        return self._booster

    def evals_result(self) -> dict[str, dict[str, list[float]]]:
        """Return set -> metric -> values after each round."""
        check_is_fitted(self, "_booster")
        return self._evals_result

    @property
    def best_iteration(self) -> int:
        """The round that early stopping found best, from 0."""
        return self.get_booster().best_iteration

    @property
    def best_score(self) -> float:
        """The metric of that round."""
        return self.get_booster().best_score

    @property
    def feature_importances_(self) -> Singles:
        """Fraction of each feature in `importance_type`: by default the mean gain of its splits."""
        booster = self.get_booster()
        found = booster.get_score(importance_type=self.importance_type or "gain")
        values = np.array([found.get(name, 0.0) for name in booster._column_names()], np.float32)
        total = values.sum()
        return values / total if total > 0.0 else values

    @property
    def intercept_(self) -> Singles:
        """What the trees are added to, as a prediction."""
        booster = self.get_booster()
        assert booster._bias is not None
        return booster._settings.spec.base_of(booster._bias).astype(np.float32)

    def _used_rounds(self, iteration_range: Range | None) -> Range:
        """Return the rounds to predict by: up to the best one, if early stopping found it."""
        if iteration_range is not None and tuple(iteration_range) != (0, 0):
            return iteration_range
        best = self.get_booster().attr("best_iteration")
        return (0, 0) if best is None or self.early_stopping_rounds is None else (0, int(best) + 1)

    def _predicted(
        self, X: Any, base_margin: Any, iteration_range: Range | None, **options: Any
    ) -> Singles:
        booster = self.get_booster()
        rows = self._rows(X, base_margin=base_margin)
        return booster.predict(rows, iteration_range=self._used_rounds(iteration_range), **options)

    def predict(
        self,
        X: Any,
        *,
        output_margin: bool = False,
        validate_features: bool = True,
        base_margin: Any = None,
        iteration_range: Range | None = None,
    ) -> Any:
        """Predict the target of each row: its class, if that is what was learnt.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        output_margin : bool, default=False
            Return scores: sums of leaves, before they become means or probabilities.
        validate_features : bool, default=True
            Without effect: columns of data frames are always matched by name.
        base_margin : array-like, optional
            Where the scores start.
        iteration_range : (int, int), optional
            First round and the one after the last; by default up to the best one if early stopping
            has found one, else all.

        Returns
        -------
        ndarray
        """
        wants_scores = output_margin or self._predicts_by_scores
        found = self._predicted(X, base_margin, iteration_range, output_margin=wants_scores)
        return found if output_margin else self._answer(found)

    def _answer(self, found: Singles) -> Any:
        """Return what is predicted: of the booster's predictions, or of its scores."""
        return found

    def apply(self, X: Any, iteration_range: Range | None = None) -> Singles:
        """Return the number of the leaf of each tree in which each row ends.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        iteration_range : (int, int), optional
            As for `predict`.
        """
        return self._predicted(X, None, iteration_range, pred_leaf=True)

    # -- files ------------------------------------------------------------------------------------

    def save_model(self, fname: Any) -> None:
        """Write the trees into a file that XGBoost reads; see `Booster.save_model`."""
        self.get_booster().save_model(fname)

    def load_model(self, fname: Any) -> None:
        """Read the trees from a file that XGBoost, or `save_model`, has written."""
        booster = Booster(model_file=fname)
        self._booster, self._evals_result = booster, {}
        self.n_features_in_ = booster.num_features()
        assert booster._rules is not None
        self._levels = booster._rules.levels
        if booster.feature_names is not None:
            self.feature_names_in_ = np.array(booster.feature_names, dtype=object)

    def _tree_ensemble(self) -> TreeEnsemble:
        model = self.get_booster()._part(self._used_rounds(None))
        assert model is not None
        return model.ensemble("_margins")

    def _tree_rows(self, X: Any) -> Any:
        booster, rows = self.get_booster(), self._rows(X)
        assert booster._rules is not None
        return booster._rules.dense(booster._rows(rows))

    def _margins(self, X: Any) -> Singles:
        """Return the scores, which explanations of trees add up to."""
        return self._predicted(X, None, None, output_margin=True)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.allow_nan = tags.native_table = True
        tags.multi_output = self._multi_output
        return tags
