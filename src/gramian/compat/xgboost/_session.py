"""Parameters of a booster, and the trees that grow by them on one set of rows."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._boosting.dart import DartBoosting, DropPlan
from gramian._boosting.growth import row_sampling, tree_plan
from gramian._boosting.losses import Loss, Objective
from gramian._boosting.model import BoostedModel
from gramian._boosting.objectives import CustomLoss
from gramian._boosting.rounds import BinnedRows, Boosting
from gramian._draws import random_state_of
from gramian.boosting import BoostingRegressor
from gramian.compat._parameters import Translation
from gramian.compat._rows import InputRules
from gramian.compat.xgboost import _prediction as prediction
from gramian.compat.xgboost._data import DMatrix
from gramian.compat.xgboost._metrics import Metric, metric_of
from gramian.compat.xgboost._objectives import OBJECTIVES, ObjectiveSpec, make_loss, start_of
from gramian.compat.xgboost._parameters import (
    PARAMETERS,
    interaction_sets,
    monotone_signs,
)
from gramian.config import core_context

__all__ = ["CustomObjective", "Session", "Settings"]

Floats = NDArray[np.float64]
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

    def engine(self, names: list[str] | None, n_features: int) -> BoostingRegressor:
        """Return the parameters as those of our own estimator, for rows of some columns."""
        step = self.own["max_delta_step"]
        if step is None:
            step = 0.7 if self.own["objective"] == "count:poisson" else 0.0
        values = {**self.translation.engine, "max_delta_step": float(step)}
        if self.own["booster"] != "dart":
            values["drop_rate"] = 0.0
        estimator = BoostingRegressor(
            **values,
            preset="xgboost",
            max_drop=0,
            cat_smooth=values["reg_lambda"],
            cat_l2=0.0,
            monotonic_cst=monotone_signs(self.own["monotone_constraints"], names, n_features),
            interaction_cst=interaction_sets(
                self.own["interaction_constraints"], names, n_features
            ),
        )
        estimator._validate_params()
        estimator.n_features_in_ = n_features
        estimator.is_categorical_ = None
        return estimator

    def metrics(self, names: Any = None) -> list[Metric]:
        """Return the metrics that are asked for, or the objective's own."""
        given = self.own["eval_metric"] if names is None else names
        if given is None and self.own["disable_default_eval_metric"]:
            return []
        if given is None:
            given = self.spec.metric
            if self.own["objective"].startswith("rank:"):
                given = f"{given}@{self.own['lambdarank_num_pair_per_sample']}"
        items = [given] if isinstance(given, str) else list(given)
        return [metric_of(item, self.own) for item in items]


@dataclass
class ForestBoosting(Boosting):
    """Boosting with several trees for the gradients of one round, each taking its share.

    Parameters
    ----------
    n_parallel : int
        Trees of a round and group; all else is as for `Boosting`.
    """

    n_parallel: int = 1

    def grow_round(
        self, learning_rate: float, seed: int, others: tuple[BinnedRows, ...]
    ) -> list[_core.BoostTree]:
        """Return the trees of one round, which are added to the scores of all rows."""
        ctx = core_context(self.n_jobs)
        train, n_groups = self.train, self.loss.n_groups
        self.loss.differentiate(self.y, train.scores, self._gradient, self._hessian, ctx)
        added, trees = np.zeros_like(train.scores), []
        for number in range(self.n_parallel * n_groups):
            group = number % n_groups
            options = self.plan.options(learning_rate / self.n_parallel, seed + number)
            tree = self._tree(group, options, ctx)
            self._grower.add_last(tree, added[group], X=train.X, ctx=ctx)
            for rows in others:
                rows.add(group, tree, 1.0, ctx)
            trees.append(tree)
        train.scores += added
        return trees


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
        self.boosting = self._boosting(train, y, weight, loss)
        self._start(self.boosting.train.scores, train, before)
        self._others: dict[int, tuple[DMatrix, BinnedRows]] = {}

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

    def _boosting(
        self, train: DMatrix, y: Floats, weight: Floats | None, loss: Objective
    ) -> Boosting:
        estimator = self.settings.engine(train.feature_names, train.num_col())
        options: dict[str, Any] = {
            "max_bins": int(estimator.max_bins),
            "sampling": row_sampling(estimator),
            "n_jobs": self.settings.n_jobs,
            "baseline": self.bias,
            "absent_is_missing": True,
        }
        maker: type[Boosting] = Boosting
        if estimator.drop_rate > 0.0:
            if self.before is not None:
                raise ValueError("booster='dart' cannot go on from other trees.")
            maker = DartBoosting
            options["drops"] = DropPlan(estimator.drop_rate, estimator.skip_drop, 0)
        elif self.n_parallel > 1:
            maker, options["n_parallel"] = ForestBoosting, self.n_parallel
        plan = tree_plan(estimator, loss.n_groups)
        X = train._matrix(self.levels)
        return maker(X, y, weight, self.n_levels, loss, plan, **options)

    @property
    def n_parallel(self) -> int:
        """Trees of a round and group."""
        return int(self.settings.own["num_parallel_tree"])

    def _start(self, scores: Floats, data: DMatrix, before: BoostedModel | None) -> None:
        """Set scores of shape (n_groups, n_samples) to those of the trees that are there."""
        if before is not None:
            rows = self.rules.of_matrix(data._matrix(self.levels))
            scores[:] = prediction.scores(before, self.rules, rows, self.settings.n_jobs).T
        if data._margin is not None:
            margin = data._margin.reshape(data.num_row(), -1)
            if margin.shape[1] != len(self.bias):
                raise ValueError(
                    f"base_margin has {margin.shape[1]} columns for {len(self.bias)} outputs."
                )
            scores += margin.T - self.bias[:, None]

    def follow(self, data: DMatrix) -> BinnedRows:
        """Return the scores of rows, which from now on take part in all rounds."""
        if data is self.data:
            return self.boosting.train
        if id(data) not in self._others:
            y = np.zeros(data.num_row())  # metrics look at the labels themselves
            rows = self.boosting.rows_of(data._matrix(self.levels), y, None)
            self._start(rows.scores, data, self.model())
            self._others[id(data)] = data, rows
        return self._others[id(data)][1]

    def use(self, settings: Settings) -> None:
        """Take other parameters from the next round on."""
        if settings is self.settings:
            return
        self.settings = settings
        estimator = settings.engine(self.data.feature_names, self.data.num_col())
        self.boosting.plan = tree_plan(estimator, self.boosting.loss.n_groups)
        self.boosting.sampling = row_sampling(estimator)

    def step(self, number: int) -> None:
        """Grow the trees of one round."""
        n_trees = self.boosting.loss.n_groups * self.n_parallel
        others = tuple(rows for _, rows in self._others.values())
        seed = self.settings.seed + number * n_trees
        self.boosting.step(self.settings.learning_rate, seed, others)

    def model(self) -> BoostedModel | None:
        """Return all trees so far, their leaves in single precision; None if there are none."""
        if not self.boosting.grown:
            return self.before
        own = BoostedModel.joined(None, self.boosting)
        trees = own.trees.arrays()
        for name in ("leaf_value", "leaf_weight"):
            trees[name] = _rounded(trees[name])
        trees["node_value"] = np.empty((0, 0))  # files do not hold it, either
        rounded = type(own.trees)(**trees)
        gains = _rounded(own.split_gain)
        if self.before is not None:
            rounded = type(rounded).concatenate([self.before.trees, rounded])
            gains = np.concatenate([self.before.split_gain, gains])
        return replace(own, trees=rounded, split_gain=gains, baseline=self.bias)


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
    return np.repeat(settings.spec.score_of(given), loss.n_groups // len(given))
