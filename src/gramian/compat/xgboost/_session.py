"""Parameters of a booster, and the trees that grow by them on one set of rows."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gramian._boosting.constraints import interaction_sets, monotone_signs
from gramian._boosting.growth import drop_plan, row_sampling
from gramian._boosting.losses import Loss, Objective
from gramian._boosting.model import BoostedModel
from gramian._boosting.objectives import CustomLoss
from gramian._boosting.presets import PRESETS
from gramian._boosting.rows import BinnedRows, Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.settings import BoostingSettings, TreePlan
from gramian._draws import random_state_of
from gramian._typing import Floats
from gramian.compat._chosen_columns import column_sets, column_signs
from gramian.compat._input_rules import InputRules
from gramian.compat._parameters import Translation
from gramian.compat.xgboost._data import DMatrix
from gramian.compat.xgboost._metrics import Metric, metric_of
from gramian.compat.xgboost._objectives import OBJECTIVES, ObjectiveSpec, make_loss, start_of
from gramian.compat.xgboost._parameters import PARAMETERS

__all__ = ["CustomObjective", "Session", "Settings"]

CustomObjective = Callable[[Any, DMatrix], tuple[Any, Any]]


@dataclass(frozen=True)
class Settings:
    """Parameters of a booster, read.

    Attributes
    ----------
    translation : Translation
        What the user's parameters mean.
    """

    translation: Translation

    @classmethod
    def read(cls, params: Mapping[str, Any], call: str, stacklevel: int = 2) -> "Settings":
        """Return what parameters mean; warn of those that `call` ignores."""
        found = PARAMETERS.translate(params, call, stacklevel=stacklevel + 1)
        own, given = found.own, found.given
        if not str(own["device"]).startswith("cpu"):
            warnings.warn(
                f"device={own['device']!r}: gramian runs on the CPU.", stacklevel=stacklevel + 1
            )
        unused = {"rate_drop", "skip_drop"} & set(given) if own["booster"] != "dart" else set()
        if unused:
            warnings.warn(
                f"XGBoost ignores {sorted(unused)} unless booster='dart', and so does gramian.",
                stacklevel=stacklevel + 1,
            )
        is_multi = own["objective"].startswith("multi:")
        if is_multi != (own["num_class"] > 1):
            wanted = "needs num_class of 2 or more" if is_multi else "takes no num_class"
            raise ValueError(f"objective={own['objective']!r} {wanted}. Got {own['num_class']}.")
        if own["objective"] == "reg:quantileerror" and own["quantile_alpha"] is None:
            raise ValueError("objective='reg:quantileerror' needs quantile_alpha.")
        if own["booster"] == "dart" and own["num_parallel_tree"] > 1:
            raise ValueError("num_parallel_tree above 1 is not supported with booster='dart'.")
        return cls(found)

    @property
    def own(self) -> dict[str, Any]:
        """Parameters by XGBoost's names."""
        return self.translation.own

    @property
    def spec(self) -> ObjectiveSpec:
        """The objective."""
        return OBJECTIVES[self.own["objective"]]

    @property
    def learning_rate(self) -> float:
        """What leaves are multiplied by."""
        return float(self.translation.engine["learning_rate"])

    @property
    def n_jobs(self) -> int | None:
        """Number of threads."""
        threads: int | None = self.translation.engine.get("n_jobs")
        return threads

    @cached_property
    def seed(self) -> int:
        """Seed of all draws."""
        given = self.own["seed"]
        return int(random_state_of(given).randint(1 << 62, dtype=np.int64))

    @property
    def n_parallel(self) -> int:
        """Trees of a round and group."""
        return int(self.own["num_parallel_tree"])

    def run_settings(self, names: list[str] | None, n_features: int) -> BoostingSettings:
        """Return the settings of the engine for rows of some columns."""
        own = self.own
        step = own["max_delta_step"]
        if step is None:
            step = 0.7 if own["objective"] == "count:poisson" else 0.0
        values = {**PRESETS["xgboost"], **self.translation.engine, "max_delta_step": step}
        values |= {"cat_smooth": values["reg_lambda"], "max_drop": 0}
        if own["booster"] != "dart":
            values["drop_rate"] = 0.0
        columns = [f"f{k}" for k in range(n_features)] if names is None else names
        signs, sets = own["monotone_constraints"], own["interaction_constraints"]
        signs = None if signs is None else column_signs(signs, columns)
        sets = (
            None if sets is None else _with_single_columns(column_sets(sets, columns), n_features)
        )
        trees = TreePlan.of(
            values,
            monotone=monotone_signs(signs, n_features),
            interaction_sets=interaction_sets(sets, n_features),
            orders_absent=True,
        )
        return BoostingSettings(
            trees,
            learning_rate=self.learning_rate,
            seed=self.seed,
            max_bins=int(values["max_bins"]),
            sampling=row_sampling(values),
            drops=drop_plan(values),
            n_parallel=self.n_parallel,
            absent_is_missing=True,
            n_jobs=self.n_jobs,
        )

    def metrics(self, names: Any = None) -> list[Metric]:
        """Return the metrics of these names, of `eval_metric`, or of the objective."""
        given = self.own["eval_metric"] if names is None else names
        if given is None and self.own["disable_default_eval_metric"]:
            return []
        if given is None:
            given = self.spec.metric
            if self.own["objective"].startswith("rank:"):
                given = f"{given}@{self.own['lambdarank_num_pair_per_sample']}"
        items = [given] if isinstance(given, str) else list(given)
        return [metric_of(item, self.own) for item in items]


class Session:
    """Trees while they grow on one set of rows.

    Parameters
    ----------
    settings : Settings
        The parameters.
    train : DMatrix
        The rows.
    before : BoostedModel or None
        Trees that are there.
    bias : ndarray of shape (n_groups,) or None
        Where scores start, if that is known.
    custom : callable or None
        Objective of the user.
    """

    def __init__(
        self,
        settings: Settings,
        train: DMatrix,
        before: BoostedModel | None,
        bias: Floats | None,
        custom: CustomObjective | None,
    ) -> None:
        self.settings, self.data, self.before, self.custom = settings, train, before, custom
        self.levels, self.n_levels = train._levels(), train._n_levels()
        no_zero = np.zeros(train.num_col(), np.bool_)
        self.rules = InputRules(
            self.levels, self.n_levels, True, False, no_zero, absent_is_missing=True
        )
        y = _target(settings, train, needs_label=custom is None)
        # Who writes an objective weights its derivatives, as in XGBoost.
        weight = _weight(settings, train) if custom is None else None
        loss = self._loss(y)
        if custom is None:
            settings.spec.check(y, loss.n_groups)
        if bias is None:
            bias = _start(settings, loss, y, weight, custom is not None)
        self.bias = settings.spec.written(bias)
        self.n_parallel = settings.n_parallel
        self.run = self._run(train, y, weight, loss)
        self._start(self.run.train, train, before)
        self._followed: dict[int, tuple[DMatrix, BinnedRows]] = {}

    def _loss(self, y: Floats) -> Objective:
        own = self.settings.own
        if self.custom is not None:
            n_groups = int(own["num_class"]) or 1
            like = Loss("softmax", n_groups=n_groups) if n_groups > 1 else Loss("squared_error")
            custom, data = self.custom, self.data
            return CustomLoss(lambda _, scores: custom(scores.astype(np.float32), data), like)
        loss = make_loss(own["objective"], own, y, self.data._offsets)
        if isinstance(loss, CustomLoss) and y.ndim == 2:
            raise ValueError(f"objective={own['objective']!r} takes a label of one column.")
        return loss

    def _run(
        self, train: DMatrix, y: Floats, weight: Floats | None, loss: Objective
    ) -> BoostingRun:
        settings = self.settings.run_settings(train.feature_names, train.num_col())
        if settings.drops is not None and self.before is not None:
            raise ValueError("booster='dart' cannot go on from other trees.")
        part = Part(train._matrix(self.levels), y, weight)
        return BoostingRun(part, loss, settings, n_levels=self.n_levels, baseline=self.bias)

    def _start(self, rows: BinnedRows, data: DMatrix, before: BoostedModel | None) -> None:
        """Let the scores of rows start from the trees that are there, and the user's margin."""
        if before is not None:
            X = self.rules.of_matrix(data._matrix(self.levels))
            rows.scores[:] = self.rules.scores(before, X, self.settings.n_jobs).T
        if data._margin is not None:
            rows.add_scores(data._margin.reshape(data.num_row(), -1) - self.bias, "base_margin")

    def follow(self, data: DMatrix) -> BinnedRows:
        """Return the scores of rows, which from now on take part in all rounds."""
        if data is self.data:
            return self.run.train
        if id(data) not in self._followed:
            y = np.zeros(data.num_row())  # metrics look at the labels themselves
            rows = self.run.follow(data._matrix(self.levels), y)
            self._start(rows, data, self.model())
            self._followed[id(data)] = data, rows
        return self._followed[id(data)][1]

    def use(self, settings: Settings) -> None:
        """Take other parameters from the next round on."""
        if settings is self.settings:
            return
        self.settings = settings
        found = settings.run_settings(self.data.feature_names, self.data.num_col())
        self.run.use(replace(found, n_parallel=self.n_parallel))

    def model(self) -> BoostedModel | None:
        """Return all trees so far, their leaves in single precision; None if there are none."""
        if not self.run.grown:
            return self.before
        own = self.run.model()
        trees = replace(
            own.trees,
            leaf_value=_rounded(own.trees.leaf_value),
            leaf_weight=_rounded(own.trees.leaf_weight),
            node_value=np.empty((0, 0)),  # files do not hold it, either
        )
        own = replace(own, trees=trees, split_gain=_rounded(own.split_gain))
        return own if self.before is None else self.before.followed_by(own)


def _with_single_columns(sets: list[list[int]], n_features: int) -> list[list[int]]:
    """Return sets of columns, with one for each column that is in none of the given ones."""
    alone = set(range(n_features)).difference(*sets)
    return [*sets, *([k] for k in sorted(alone))]


def _rounded(values: Floats) -> Floats:
    """Return numbers in single precision, as files hold them; gains may be beyond its range."""
    most = float(np.finfo(np.float32).max)
    return np.clip(values, -most, most).astype(np.float32).astype(np.float64)


def _target(settings: Settings, data: DMatrix, *, needs_label: bool) -> Floats:
    """Return the labels as the engine wants them: several targets as rows."""
    label = data._label
    if label is None:
        if needs_label:
            raise ValueError("The training rows have no label; pass label= to DMatrix.")
        return np.zeros(data.num_row())
    y: Floats = np.ascontiguousarray(label.T)
    alphas = settings.own["quantile_alpha"]
    if settings.own["objective"] == "reg:quantileerror" and np.size(alphas) > 1:
        if y.ndim == 2:
            raise ValueError("Several quantiles need a label of one column.")
        return np.broadcast_to(y, (np.size(alphas), len(y)))
    if y.ndim == 2 and settings.own["objective"].startswith(("multi:", "rank:")):
        raise ValueError(f"objective={settings.own['objective']!r} takes a label of one column.")
    return y


def _weight(settings: Settings, data: DMatrix) -> Floats | None:
    """Return the weights of the training rows, those of class 1 scaled."""
    scale = float(settings.own["scale_pos_weight"])
    if scale == 1.0:
        return data._weight
    if settings.spec.loss != "logistic" or data._label is None or data._label.ndim == 2:
        raise ValueError("scale_pos_weight is for logistic objectives of one target only.")
    factor = np.where(data._label == 1.0, scale, 1.0)
    return factor if data._weight is None else factor * data._weight


def _start(
    settings: Settings, loss: Objective, y: Floats, weight: Floats | None, is_custom: bool
) -> Floats:
    """Return the scores that trees are added to."""
    base = settings.own["base_score"]
    if base is None and not is_custom:
        is_scaled = float(settings.own["scale_pos_weight"]) != 1.0
        return start_of(settings.spec, loss, y, weight, is_scaled)
    given = np.atleast_1d(np.asarray(0.5 if base is None else base, dtype=np.float64))
    if len(given) not in (1, loss.n_groups):
        raise ValueError(f"base_score has {len(given)} entries for {loss.n_groups} outputs.")
    if not np.isfinite(given).all():
        raise ValueError(f"base_score must be finite. Got {base!r}.")
    return np.repeat(settings.spec.score_of(given), loss.n_groups // len(given))
