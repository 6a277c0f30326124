"""Models of XGBoost, LightGBM and CatBoost: predictions by themselves, and by ours from a file."""

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from benchmarks._row import OURS, Contender, Row, Shape
from benchmarks.rows.forest import classes, error_rate

SHAPE: Shape = (200_000, 28)
QUICK: Shape = (3_000, 28)
N_TRAIN = 50_000
"""Rows that models are fitted to."""

LIBRARIES: dict[str, tuple[str, dict[str, Any]]] = {
    "XGBoost": ("XGBClassifier", {"n_estimators": 100, "max_depth": 6, "n_jobs": 2}),
    "LightGBM": ("LGBMClassifier", {"n_estimators": 100, "num_leaves": 31, "verbose": -1}),
    "CatBoost": ("CatBoostClassifier", {"iterations": 100, "depth": 6, "verbose": 0}),
}


class Fitted:
    """A classifier of another library, which predicts itself or, if `read`, by ours."""

    def __init__(self, library: str, read: bool) -> None:
        self.library, self.read = library, read
        name, params = LIBRARIES[library]
        params = {**params, "allow_writing_files": False} if library == "CatBoost" else params
        self.model = getattr(import_module(library.lower()), name)(**params)

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the other library's model, and read it back."""
        self.model.fit(X[:N_TRAIN], y[:N_TRAIN])
        if self.read:
            self.model = _read(self.model, self.library)
        return self

    def predict(self, X: Any) -> Any:
        """Return the classes."""
        return self.model.predict(X)

    def score(self, X: Any, y: Any) -> float:
        """Return the share of rows that are classified rightly."""
        return float((self.predict(X) == y).mean())


def _read(model: Any, library: str) -> Any:
    reader = import_module(f"gramian.compat.{library.lower()}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        if library == "LightGBM":
            model.booster_.save_model(path)
        else:
            form = {"format": "json"} if library == "CatBoost" else {}
            model.save_model(str(path), **form)
        return reader.load_model(path)


def _contender(library: str, read: bool) -> Contender:
    return Contender("benchmarks.rows.compat", "Fitted", {"library": library, "read": read})


ROWS: list[Row] = [
    Row(
        f"{library} model predict {SHAPE[0]:,}x{SHAPE[1]}",
        SHAPE,
        QUICK,
        classes,
        {OURS: _contender(library, True), library: _contender(library, False)},
        "predict",
        error_rate,
    )
    for library in LIBRARIES
]
