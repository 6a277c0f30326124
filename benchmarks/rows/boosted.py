"""Boosting of trees: fit and predict, judged by rows that the fit has not seen."""

from benchmarks._row import Contender, Row, same_api
from benchmarks.rows.forest import (
    CLASSES,
    NUMBERS,
    QUICK,
    classes,
    error_rate,
    numbers,
    squared_error,
)


def _of(name: str) -> dict[str, Contender]:
    contenders = same_api("ensemble", name, n_estimators=100, random_state=0)
    contenders.pop("intelex")  # has none of its own
    return contenders


ROWS: list[Row] = [
    Row(
        f"{name} {timed} {n:,}x{p}",
        (n, p),
        QUICK,
        make,
        _of(name),
        timed,
        score,
    )
    for name, (n, p), make, timed, score in [
        ("AdaBoostClassifier", CLASSES, classes, "fit", error_rate),
        ("AdaBoostClassifier", CLASSES, classes, "predict", error_rate),
        ("AdaBoostRegressor", NUMBERS, numbers, "fit", squared_error),
        ("GradientBoostingClassifier", CLASSES, classes, "fit", error_rate),
        ("GradientBoostingRegressor", NUMBERS, numbers, "fit", squared_error),
        ("GradientBoostingRegressor", NUMBERS, numbers, "predict", squared_error),
    ]
]
