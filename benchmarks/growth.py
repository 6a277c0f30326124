"""How the time of the fits of linear models, trees and forests grows with the number of rows."""

import argparse
import inspect
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks._harness import run_row
from benchmarks._row import OURS, Contender, Data, Row, Score
from benchmarks._table import TextTable, seconds_text
from benchmarks.rows import forest
from benchmarks.rows.sgd import classes, numbers
from benchmarks.scaling import slope_text
from gramian import ensemble, linear_model, tree
from gramian.base import is_classifier

COLUMNS = 20
SIZES = tuple(50_000 * 2**k for k in range(5))
QUICK_SIZES = (1_000, 2_000, 4_000)
# Linear growth, with room for caches on one side and for threads that start to pay on the other.
LEAST, MOST = 0.9, 1.15
# The slope of n log n is 1.08 here; rows of a node, gathered from beyond the caches, add to it.
MOST_OF_TREES = 1.3
EPOCHS = {"max_iter": 5, "tol": None, "random_state": 0}
# Settings that ask for the same work at every size: epochs, and penalties that keep columns.
PARAMS: dict[str, dict[str, Any]] = {
    "Lasso": {"alpha": 0.1},
    "ElasticNet": {"alpha": 0.1},
    "MultiTaskLasso": {"alpha": 0.1},
    "MultiTaskElasticNet": {"alpha": 0.1},
    "QuantileRegressor": {"alpha": 0.01},
    "SGDClassifier": EPOCHS,
    "SGDRegressor": EPOCHS,
    "SGDOneClassSVM": EPOCHS,
    "Perceptron": EPOCHS,
}
TREES: dict[str, dict[str, Any]] = {
    "DecisionTreeClassifier": {},
    "DecisionTreeRegressor": {},
    "ExtraTreeClassifier": {},
    "ExtraTreeRegressor": {},
    "RandomForestClassifier": {"n_estimators": 10},
    "RandomForestRegressor": {"n_estimators": 10, "max_features": 0.3},
    "ExtraTreesClassifier": {"n_estimators": 10},
    "ExtraTreesRegressor": {"n_estimators": 10, "max_features": 0.3},
}
OF_ALL_TREES = {"max_depth": 10, "random_state": 0}
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "LogisticRegression": {"L1": {"solver": "saga", "l1_ratio": 1.0, "C": 0.01}},
}


def several(n: int, p: int) -> Data:
    """Return normal columns, and three linear targets with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return X, X @ rng.standard_normal((p, 3)) + rng.standard_normal((n, 3))


def counts(n: int, p: int) -> Data:
    """Return normal columns, and positive numbers whose logarithm is about linear."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return X, 1.0 + rng.poisson(np.exp(0.1 * (X @ rng.standard_normal(p))))


def unscored(model: Any, X: Any, y: Any) -> Score:
    """Return a constant: only the time counts here."""
    return Score(0.0, 1.0)


def rows_of(name: str, n: int) -> dict[str, Row]:
    """Return the rows of a class, one for each of its variants, by the name in the table."""
    family = family_of(name)
    kind = getattr(family, name)
    make, common = numbers, PARAMS.get(name, {})
    if name in TREES:
        make = forest.classes if is_classifier(kind()) else forest.numbers
        common = OF_ALL_TREES | TREES[name]
    elif name.startswith("MultiTask"):
        make = several
    elif is_classifier(kind()):
        make = classes
    elif name.startswith(("Poisson", "Gamma", "Tweedie")):
        make = counts
    shape = (n, COLUMNS)
    settings = {name: common, **{f"{name}, {k}": v for k, v in VARIANTS.get(name, {}).items()}}
    return {
        label: Row(
            f"{label} {n}",
            shape,
            shape,
            make,
            {OURS: Contender(family.__name__, name, params)},
            "fit",
            unscored,
        )
        for label, params in settings.items()
    }


def family_of(name: str) -> ModuleType:
    """Return the module of a class."""
    if name not in TREES:
        return linear_model
    return tree if name in tree.__all__ else ensemble


def model_names() -> list[str]:
    """Return the names of the linear models, trees and forests."""
    linear = [name for name in linear_model.__all__ if inspect.isclass(getattr(linear_model, name))]
    return [*linear, *TREES]


def main() -> None:
    """Print the time of each model for doubling numbers of rows, and its log-log slope."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--filter", default="", metavar="TEXT", help="only names with TEXT in them")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="turns (default 3)")
    parser.add_argument("--quick", action="store_true", help="few rows: does it all run?")
    arguments = parser.parse_args()
    sizes = QUICK_SIZES if arguments.quick else SIZES
    headers = ["model", *(f"{n:,} rows" for n in sizes), "log-log slope", ""]
    table = TextTable(f"fits of {COLUMNS} columns, doubling rows", headers)
    for name in model_names():
        if arguments.filter not in name:
            continue
        seconds: dict[str, list[float | None]] = {}
        for n in sizes:
            for label, row in rows_of(name, n).items():
                result = run_row(row, n_turns=arguments.repeat, quick=False).results[OURS]
                seconds.setdefault(label, []).append(result.best)
        for label, values in seconds.items():
            slope = slope_text(sizes, values)
            most = MOST_OF_TREES if name in TREES else MOST
            is_linear = slope != "-" and LEAST <= float(slope) <= most
            cells = [seconds_text(value) for value in values]
            print(f"{label}: {', '.join(cells)}; slope {slope}", flush=True)
            table.rows.append([label, *cells, slope, "" if is_linear else "not as it should"])
    table.show()


if __name__ == "__main__":
    main()
