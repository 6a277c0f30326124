"""Hostile matrices, targets, weights and parameters, for every registered estimator."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from tests.contract.cases import ARGUMENTS, METHODS, as_array, classes, make_data, takes_weight
from tests.fuzz.arrays import draw_twists, is_moderate, twisted
from tests.fuzz.outcomes import FoundError, refusal
from tests.fuzz.parameters import asks_for_work, choices

from gramian.base import clone

ANSWERS_NAN = ("FunctionTransformer", "IsotonicRegression", "RadiusNeighborsRegressor")
"""Classes that pass on, or answer with, NaN by design."""
NOT_DRAWN = {"n_jobs", "thread_count", "memory", "train_dir"}
"""Parameters that start processes or write files."""


@dataclass(frozen=True)
class InputCase:
    """An estimator, the twists of what it is given, and parameters by their number in `choices`."""

    name: str
    seed: int = 0
    rows: int = 30
    columns: int = 3
    params: tuple[tuple[str, int], ...] = ()
    X: tuple[str, ...] = ()
    y: tuple[str, ...] = ()
    weight: tuple[str, ...] | None = None
    new_rows: tuple[str, ...] = ()

    def run(self) -> str:
        """Fit, and ask the fitted estimator about new rows."""
        try:
            estimator = self.estimator()
            X, y, weight, new = self.data()
            self._fit(estimator, X, y, weight)
        except Exception as error:
            return refusal(error)
        is_plain = all(map(is_moderate, (X, y, weight, new))) and self._has_moderate_params()
        for method in METHODS:
            try:
                answer = getattr(estimator, method)(new) if hasattr(estimator, method) else None
            except Exception as error:
                refusal(error)
                continue
            if is_plain and self.name not in ANSWERS_NAN:
                _check_finite(method, answer)
        return "answered"

    def estimator(self) -> Any:
        """Return the estimator, with its parameters."""
        return plain_estimator(self.name).set_params(**self.values())

    def values(self) -> dict[str, Any]:
        """Return the parameters that are not the usual ones."""
        cls = classes()[self.name]
        return {name: choices(cls, name)[index] for name, index in self.params}

    def data(self) -> tuple[Any, Any, Any, Any]:
        """Return X, y, weights and new rows."""
        X, y = make_data(plain_estimator(self.name), self.rows, self.columns, self.seed % 100)
        new = X[::-1].copy()
        weight = np.random.default_rng(self.seed).uniform(0.5, 2.0, len(X))
        return (
            twisted(X, self.X, self.seed),
            None if y is None else twisted(y, self.y, self.seed + 1),
            None if self.weight is None else twisted(weight, self.weight, self.seed + 2),
            twisted(new, self.new_rows, self.seed),
        )

    def _fit(self, estimator: Any, X: Any, y: Any, weight: Any) -> None:
        target = () if y is None and not self.y else (y,)
        estimator.fit(X, *target, **({} if weight is None else {"sample_weight": weight}))

    def _has_moderate_params(self) -> bool:
        numbers = [v for v in self.values().values() if isinstance(v, (float, np.floating))]
        return all(map(is_moderate, numbers))

    def smaller(self) -> Iterator["InputCase"]:
        """Yield cases with fewer parameters, twists, rows or columns."""
        for index in range(len(self.params)):
            yield replace(self, params=self.params[:index] + self.params[index + 1 :])
        if self.weight is not None:
            yield replace(self, weight=None)
        for field in ("X", "y", "weight", "new_rows"):
            names = getattr(self, field) or ()
            for index in range(len(names)):
                yield replace(self, **{field: names[:index] + names[index + 1 :]})
        if self.columns > 1:
            yield replace(self, columns=self.columns - 1)
        for rows in (2, self.rows // 2, self.rows - 1):
            if 2 <= rows < self.rows:
                yield replace(self, rows=rows)

    def snippet(self) -> str:
        """Return code that runs the case, and what it does in a comment."""
        return (
            "from tests.fuzz.inputs import InputCase\n"
            f"{self!r}.run()  # {plain_estimator(self.name)} with {self.values()}"
        )


@cache
def _plain(name: str) -> Any:
    return classes()[name](**clone(ARGUMENTS.get(name, {}), safe=False))


def plain_estimator(name: str) -> Any:
    """Return an unfitted estimator that suits few rows, with a seed."""
    estimator = clone(_plain(name))
    has_seed = "random_state" in estimator.get_params(deep=False)
    return estimator.set_params(random_state=0) if has_seed else estimator


def _check_finite(method: str, answer: Any) -> None:
    values = None if answer is None else as_array(answer)
    if values is not None and values.dtype.kind == "f" and not np.isfinite(values).all():
        raise FoundError(f"{method} answered with numbers that are not finite")


def input_cases(seed: int, only: str = "") -> Iterator[InputCase]:
    """Yield cases without end, the classes in turn."""
    names = [name for name in classes() if not only or name == only]
    number = 0
    while True:
        for name in names:
            yield make_input_case(name, f"{seed}/{number}")
        number += 1


def make_input_case(name: str, seed: str) -> InputCase:
    """Return the case of a class and a seed."""
    draws = random.Random(f"{name}/{seed}")
    rng = np.random.default_rng(draws.randrange(2**32))
    chance = draws.choice((0.0, 0.15, 0.15, 0.4))
    X = draw_twists(rng, chance)
    takes = takes_weight(plain_estimator(name))
    return InputCase(
        name,
        draws.randrange(2**31),
        draws.choice((30, 30, 60, 5, 2)),
        draws.choice((3, 3, 1, 12)),
        _draw_params(name, draws),
        X,
        draw_twists(rng, draws.choice((0.0, 0.0, 0.15))),
        draw_twists(rng, draws.choice((0.0, 0.15))) if takes and draws.random() < 0.4 else None,
        X if draws.random() < 0.5 else draw_twists(rng, draws.choice((0.0, 0.15))),
    )


def _draw_params(name: str, draws: random.Random) -> tuple[tuple[str, int], ...]:
    cls = classes()[name]
    known = sorted(plain_estimator(name).get_params(deep=False).keys() - NOT_DRAWN)
    drawn = []
    for param in draws.sample(known, min(len(known), draws.choice((0, 0, 1, 1, 2, 4)))):
        values = choices(cls, param)
        index = draws.randrange(len(values))
        if not asks_for_work(param, values[index]):
            drawn.append((param, index))
    return tuple(drawn)
