"""What the parameters of LightGBM mean for one fit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.constraints import monotone_signs
from gramian._boosting.presets import PRESETS
from gramian._boosting.sampling import GossSampling, UniformSampling
from gramian._boosting.settings import BoostingSettings, DropPlan, RowSampling, TreePlan
from gramian._typing import Floats, Singles
from gramian.compat._chosen_columns import column_sets
from gramian.compat._parameters import Translation
from gramian.compat.lightgbm._columns import Columns
from gramian.compat.lightgbm._metrics import LightMetric, metrics_of
from gramian.compat.lightgbm._objective import Task, task_of
from gramian.compat.lightgbm._parameters import PARAMETERS
from gramian.exceptions import InvalidParameterError

__all__ = ["PeriodicSampling", "Settings", "settings_of"]


@dataclass(frozen=True)
class PeriodicSampling:
    """Rows that are drawn anew after some rounds only, alike for all trees of a round.

    Attributes
    ----------
    inner : RowSampling
        Draws the rows.
    first_seed, n_groups : int
        The seed of the first tree, and the trees of a round, whose seeds follow each other.
    seed : int
        The first seed of the draws.
    every : int
        Rounds that share a draw.
    begin : int
        Rounds before the first draw; they take all rows.
    """

    inner: RowSampling
    first_seed: int
    n_groups: int
    seed: int
    every: int = 1
    begin: int = 0

    def draw(
        self, seed: int, gradient: Singles, hessian: Singles | None
    ) -> tuple[NDArray[np.uint32] | None, Floats | None]:
        """Return the rows of a tree, and factors of their weights."""
        number = (seed - self.first_seed) // self.n_groups
        if number < self.begin:
            return None, None
        return self.inner.draw(self.seed + number // self.every, gradient, hessian)


@dataclass(frozen=True)
class Settings:
    """The parameters of one fit.

    Attributes
    ----------
    values : Translation
        What they mean.
    task : Task
        What is learnt.
    metrics : list of LightMetric
        What evaluation sets are judged by.
    """

    values: Translation
    task: Task
    metrics: list[LightMetric]

    def __getitem__(self, name: str) -> Any:
        return self.values.own[name]

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return int(self["num_iterations"])

    @property
    def learning_rate(self) -> float:
        """What leaves are multiplied by."""
        return float(self.values.engine["learning_rate"])

    @property
    def max_bins(self) -> int:
        """Most bins of a column."""
        return int(self.values.engine["max_bins"])

    @property
    def n_jobs(self) -> int | None:
        """Number of threads."""
        return int(self["num_threads"]) or None

    @property
    def is_dart(self) -> bool:
        """Whether rounds are left out while others grow."""
        return bool(self["boosting"] == "dart")

    @property
    def seed(self) -> int:
        """The seed of the first tree."""
        return self._seed("feature_fraction_seed", "drop_seed")

    def _seed(self, *names: str) -> int:
        entropy = [self["seed"] or 0, *(self[name] for name in names)]
        entropy = [int(number) & 0xFFFFFFFFFFFFFFFF for number in entropy]
        return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0] >> np.uint64(2))

    def run_settings(self, columns: Columns) -> BoostingSettings:
        """Return the settings of the engine for rows of some columns."""
        values = {**PRESETS["lightgbm"], "colsample_bylevel": 1.0, **self.values.engine}
        values["min_samples_category"] = values["cat_smooth"]
        trees = TreePlan.of(
            values,
            monotone=self._signs(columns),
            interaction_sets=_interaction_sets(self["interaction_constraints"], columns.names),
        )
        return BoostingSettings(
            trees,
            learning_rate=self.learning_rate,
            seed=self.seed,
            max_bins=self.max_bins,
            sampling=self._sampling(),
            drops=self._drops() if self.is_dart else None,
            n_jobs=self.n_jobs,
        )

    def _signs(self, columns: Columns) -> tuple[int, ...]:
        """Return the monotone constraint of each column; nothing if there is none."""
        given, n_features = self.values.engine.get("monotonic_cst"), len(columns.names)
        if given is None:
            return ()
        if len(given) != n_features:
            raise InvalidParameterError(
                f"monotone_constraints must have one entry for each of the {n_features} "
                f"features. Got {len(given)}."
            )
        return monotone_signs(given, n_features, is_categorical=columns.rules.n_levels > 0)

    def _sampling(self) -> RowSampling | None:
        """Return what draws the rows of a tree; None if all are taken."""
        top, other = (float(self.values.engine[name]) for name in ("top_rate", "other_rate"))
        inner: RowSampling
        every, begin = int(self["bagging_freq"]), 0
        if "goss" in (self["boosting"], self["data_sample_strategy"]):
            if not 0.0 < top + other <= 1.0:
                raise InvalidParameterError(
                    f"top_rate + other_rate must be above 0 and at most 1. Got {top} + {other}."
                )
            # Gradients say little before the first rounds have been grown.
            inner, every, begin = GossSampling(top, other), 1, int(1.0 / self.learning_rate)
        elif every > 0 and self["bagging_fraction"] < 1.0:
            inner = UniformSampling(float(self["bagging_fraction"]))
        else:
            return None
        seed = self._seed("bagging_seed")
        return PeriodicSampling(inner, self.seed, self.task.n_groups, seed, every, begin)

    def _drops(self) -> DropPlan:
        """Return which rounds DART leaves out."""
        return DropPlan(
            float(self["drop_rate"]),
            float(self["skip_drop"]),
            max(0, int(self["max_drop"])),
            by_weight=not self["uniform_drop"],
            by_rate=bool(self["xgboost_dart_mode"]),
        )

    def written(self, columns: Columns) -> list[tuple[str, str]]:
        """Return the parameters as a model file names them."""
        sets = _interaction_sets(self["interaction_constraints"], columns.names)
        known = {
            "objective": self.task.name,
            "seed": self["seed"] or 0,
            "categorical_feature": np.flatnonzero(columns.rules.n_levels),
            "interaction_constraints": json.dumps(sets)[1:-1].replace(" ", ""),
        }
        found = []
        for name, entry in PARAMETERS.entries.items():
            if not entry.calls:
                value = known.get(name, self.values.given.get(name, entry.default))
                found.append((name, _text(value)))
        return found


def _text(value: Any) -> str:
    """Return a value as a model file writes it."""
    if value is None:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_text(item) for item in value)
    return str(value)


def _interaction_sets(given: Any, names: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Return sets of columns, which may come as text, "[0,1],[2]", and by name."""
    if given is None or len(given) == 0:
        return ()
    sets = column_sets(f"[{given}]" if isinstance(given, str) else given, names)
    return tuple(tuple(sorted(set(places))) for places in sets)


def settings_of(params: Mapping[str, Any], call: str) -> Settings:
    """Return what parameters mean, checked.

    Parameters
    ----------
    params : mapping
        Parameters by their main names.
    call : str
        What was called, for messages.
    """
    values = PARAMETERS.translate(params, call)
    own = values.own
    if own["seed"] is not None:
        own["seed"] = _seed_number(own["seed"])
    task = task_of(own["objective"], own)
    return Settings(values, task, metrics_of(own["metric"], task.name, own))


def _seed_number(seed: Any) -> int:
    if isinstance(seed, np.random.RandomState):
        return int(seed.randint(np.iinfo(np.int32).max))
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(np.iinfo(np.int32).max))
    if isinstance(seed, (int, np.integer)):
        return int(seed)
    raise InvalidParameterError(
        f"seed must be a whole number, a RandomState, a Generator or None. Got {seed!r}."
    )
