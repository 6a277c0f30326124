"""Calls in an order that nobody should use: before ``fit``, after a refit, from many threads."""

import copy
import io
import pickle
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from tests.contract.cases import METHODS, as_array, classes, fit, make_data
from tests.fuzz.inputs import plain_estimator
from tests.fuzz.outcomes import FoundError, refusal
from tests.fuzz.parameters import asks_for_work, choices

import gramian
from gramian.base import clone


@dataclass
class Story:
    """An estimator and what has happened to it."""

    estimator: Any
    draws: random.Random
    n_columns: int = 3
    fitted_on: Any = None
    expected: dict[str, Any] = field(default_factory=dict)

    def data(self, n_rows: int = 40) -> tuple[Any, Any]:
        plain = plain_estimator(type(self.estimator).__name__)
        return make_data(plain, n_rows, self.n_columns, self.draws.randrange(100))

    def fit(self) -> None:
        """Fit, and remember what the estimator then says."""
        X, y = self.data()
        self.estimator = fit(self.estimator, X, y)
        self.fitted_on, self.expected = X, answers(self.estimator, X)

    def check(self) -> None:
        """Compare what the estimator says with what it said after the last fit."""
        if self.fitted_on is not None and not alike(
            answers(self.estimator, self.fitted_on), self.expected
        ):
            raise FoundError("a fitted estimator has changed its answers")


def answers(estimator: Any, X: Any) -> dict[str, Any]:
    """Return what an estimator says about rows, by method."""
    return {m: as_array(getattr(estimator, m)(X)) for m in METHODS if hasattr(estimator, m)}


def alike(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Tell whether two sets of answers are the same."""
    return first.keys() == second.keys() and all(
        np.array_equal(first[m], second[m], equal_nan=first[m].dtype.kind == "f") for m in first
    )


def _other_width(story: Story) -> None:
    story.n_columns = story.draws.choice((1, 2, 5))


def _failing_fit(story: Story) -> None:
    X, y = story.data()
    try:
        fit(story.estimator, X[:0], y)
    except Exception as error:
        refusal(error)
        story.check()
    else:  # no labels are labels, too
        story.fitted_on = None


def _set_params(story: Story) -> None:
    names = sorted(story.estimator.get_params(deep=False).keys() - {"n_jobs", "memory"})
    if names:
        name = story.draws.choice(names)
        value = story.draws.choice(choices(type(story.estimator), name))
        if _is_allowed(story.estimator, name, value) and not asks_for_work(name, value):
            story.estimator.set_params(**{name: value})
            story.fitted_on = None  # what a parameter means to a fitted estimator is its affair


def _is_allowed(estimator: Any, name: str, value: Any) -> bool:
    """Tell whether a value is one that ``fit``, which checks parameters, would take."""
    declared = getattr(type(estimator), "_declared_params", {})
    return name in declared and declared[name].constraint.accepts(value)


def _partial_fit(story: Story) -> None:
    if hasattr(story.estimator, "partial_fit"):
        X, y = story.data()
        arguments = {} if y is None else {"y": y}
        if getattr(story.estimator, "classes_", None) is None and y is not None:
            arguments["classes"] = np.unique(y)
        story.fitted_on = None
        try:
            story.estimator.partial_fit(X, **arguments)
        except TypeError:
            arguments.pop("classes", None)
            story.estimator.partial_fit(X, **arguments)


def _partial_fit_others(story: Story) -> None:
    if hasattr(story.estimator, "partial_fit"):
        X, _ = story.data(20)
        others = story.draws.choice((np.arange(20), np.array(["new"] * 20), np.full(20, 2.5)))
        try:
            story.estimator.partial_fit(X, others)
        finally:
            story.fitted_on = None


def _predict_other_width(story: Story) -> None:
    for width in (1, 2, 7):
        for method in METHODS:
            try:
                if hasattr(story.estimator, method):
                    getattr(story.estimator, method)(np.ones((3, width)))
            except Exception as error:
                refusal(error)


def _names(story: Story) -> None:
    if hasattr(story.estimator, "get_feature_names_out"):
        story.estimator.get_feature_names_out()


def _cloned(story: Story) -> None:
    copied = clone(story.estimator)
    left = [k for k in vars(copied) if k.endswith("_") and not k.startswith("_")]
    if left:
        raise FoundError(f"a clone is fitted: it has {left}")


def _replaced(copy_of: Callable[[Any], Any]) -> Callable[[Story], None]:
    def step(story: Story) -> None:
        story.estimator = copy_of(story.estimator)
        story.check()

    return step


def _saved(estimator: Any) -> Any:
    file = io.BytesIO()
    gramian.save(estimator, file)
    return gramian.load(file)


def _threads(story: Story) -> None:
    """Let four threads ask a fitted estimator at once."""
    if story.fitted_on is None:
        return
    found: list[Any] = []

    def ask() -> None:
        try:
            found.append(alike(answers(story.estimator, story.fitted_on), story.expected))
        except Exception as error:
            found.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if found != [True] * 4:
        raise FoundError(f"four threads were told {found}")


def _fit_in_threads(story: Story) -> None:
    """Fit copies at once: they must not share anything."""
    X, y = story.data()
    found: list[Any] = []

    def work() -> None:
        try:
            found.append(answers(fit(clone(story.estimator), X, y), X))
        except Exception as error:
            found.append(refusal(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    has_seed = story.estimator.get_params(deep=False).get("random_state", 0) == 0
    if len(found) < 3 or (has_seed and not all(_same(found[0], one) for one in found)):
        raise FoundError("fits in three threads differ")


def _same(first: Any, second: Any) -> bool:
    return (
        first == second
        if isinstance(first, str)
        else isinstance(second, dict) and alike(first, second)
    )


STEPS: dict[str, Callable[[Story], None]] = {
    "fit": Story.fit,
    "ask": lambda story: answers(story.estimator, story.data()[0]) and None,
    "other width": _other_width,
    "ask with other widths": _predict_other_width,
    "fit that fails": _failing_fit,
    "set_params": _set_params,
    "partial_fit": _partial_fit,
    "partial_fit with others": _partial_fit_others,
    "names": _names,
    "repr": lambda story: repr(story.estimator) and None,
    "clone": _cloned,
    "deepcopy": _replaced(copy.deepcopy),
    "pickle": _replaced(lambda estimator: pickle.loads(pickle.dumps(estimator))),
    "save": _replaced(_saved),
    "threads": _threads,
    "fit in threads": _fit_in_threads,
}


@dataclass(frozen=True)
class CallCase:
    """A class and the names of steps."""

    name: str
    steps: tuple[str, ...]
    seed: int = 0

    def run(self) -> str:
        """Take the steps; those that are refused change nothing."""
        story = Story(plain_estimator(self.name), random.Random(self.seed))
        outcome = "answered"
        for step in self.steps:
            try:
                STEPS[step](story)
            except FoundError:
                raise
            except Exception as error:
                outcome = refusal(error)
        return outcome

    def smaller(self) -> Iterator["CallCase"]:
        """Yield cases with a step less."""
        for index in range(len(self.steps)):
            yield replace(self, steps=self.steps[:index] + self.steps[index + 1 :])

    def snippet(self) -> str:
        """Return code that runs the case."""
        return f"from tests.fuzz.calls import CallCase\n{self!r}.run()"


def call_cases(seed: int, only: str = "") -> Iterator[CallCase]:
    """Yield cases without end, the classes in turn."""
    number = 0
    while True:
        for name in classes():
            if only in ("", name):
                draws = random.Random(f"{seed}/{number}/{name}")
                steps = tuple(draws.choices(list(STEPS), k=draws.choice((2, 4, 8))))
                yield CallCase(name, steps, draws.randrange(2**31))
        number += 1
