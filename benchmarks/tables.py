"""Data frames as they are: gramian's own encoding against a scikit-learn pipeline.

Both are cross-validated on the same folds. The pipeline fills gaps (mean, most frequent), encodes
categories one-hot and fits the same model. The data are Parquet files of a folder, ``--data``.

The pipeline's matrix is dense, so that both sides solve to the optimum. Given a sparse one,
scikit-learn changes to iterative solvers, which on columns of such different scales stop far from
it: that would compare solvers, and on ames_housing costs its Ridge 0.04 of R2.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._table import TextTable

N_FOLDS, N_REPEATS = 5, 3
ROUNDING = 1e-6  # smaller differences of R2 decide no fold
MODELS: dict[str, dict[str, Any]] = {"LinearRegression": {}, "Ridge": {"alpha": 1.0}}


@dataclass(frozen=True)
class DataSet:
    """A table on disk, its target, and columns that are no features."""

    name: str
    target: str
    ignored: tuple[str, ...] = ()

    def read(self, folder: Path) -> tuple[Any, NDArray[np.float64]]:
        """Return the data frame of the features, and the target."""
        import pandas as pd

        frame = pd.read_parquet(folder / f"{self.name}.parquet")
        y = frame[self.target].to_numpy(dtype=np.float64)
        return frame.drop(columns=[self.target, *self.ignored]), y


DATA_SETS = (
    DataSet("ames_housing", "SalePrice", ("Order", "PID")),
    DataSet("insurance", "charges"),
    DataSet("diamonds", "price"),
)


def main() -> None:
    """Print R2 of both ways for each data set and model, and their paired difference."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="Parquet files")
    folder = parser.parse_args().data
    headers = ["data, model", "gramian", "pipeline", "difference", "folds won : lost"]
    table = TextTable(f"R2, {N_FOLDS} folds, {N_REPEATS} repeats", headers)
    for data_set in DATA_SETS:
        X, y = data_set.read(folder)
        for name, params in MODELS.items():
            ours = _cross_validate(partial(_gramian, name, params), X, y)
            theirs = _cross_validate(partial(_pipeline, name, params, X), X, y)
            table.rows.append([f"{data_set.name}, {name}", *_cells(ours, theirs)])
    table.show()
    print("The standard error of the difference is corrected for overlapping training sets.")


def _gramian(name: str, params: dict[str, Any]) -> Any:
    from gramian import linear_model

    return getattr(linear_model, name)(**params)


def _pipeline(name: str, params: dict[str, Any], X: Any) -> Any:
    from sklearn import linear_model
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    numeric = list(X.select_dtypes("number").columns)
    categories = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    columns = make_column_transformer(
        (SimpleImputer(strategy="mean"), numeric),
        (categories, [column for column in X.columns if column not in numeric]),
    )
    return make_pipeline(columns, getattr(linear_model, name)(**params))


def _cross_validate(
    build: Callable[[], Any], X: Any, y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return R2 on each test fold."""
    from sklearn.metrics import r2_score
    from sklearn.model_selection import RepeatedKFold

    folds = RepeatedKFold(n_splits=N_FOLDS, n_repeats=N_REPEATS, random_state=0)
    scores = []
    for train, test in folds.split(y):
        model = build().fit(X.iloc[train], y[train])
        scores.append(r2_score(y[test], model.predict(X.iloc[test])))
    return np.array(scores)


def _cells(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> list[str]:
    difference = ours - theirs
    # Nadeau and Bengio (2003): training sets overlap, so the variance is 1/J + n_test / n_train.
    error = difference.std(ddof=1) * math.sqrt(1 / len(difference) + 1 / (N_FOLDS - 1))
    return [
        f"{ours.mean():.4f} ± {ours.std(ddof=1):.4f}",
        f"{theirs.mean():.4f} ± {theirs.std(ddof=1):.4f}",
        f"{difference.mean():+.5f} ± {error:.5f}",
        f"{(difference > ROUNDING).sum()} : {(difference < -ROUNDING).sum()}",
    ]


if __name__ == "__main__":
    main()
