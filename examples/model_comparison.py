"""Differences of models to the best one, with their intervals."""

from gramian.datasets import load_diabetes
from gramian.dummy import DummyRegressor
from gramian.linear_model import LinearRegression, Ridge
from gramian.model_selection import compare

X, y = load_diabetes(return_X_y=True)
models = {
    "least squares": LinearRegression(),
    "ridge 0.01": Ridge(0.01),
    "ridge 0.1": Ridge(0.1),
    "ridge 1": Ridge(1.0),
    "mean": DummyRegressor(),
}
compare(models, X, y, scoring="r2").plot().figure_.savefig("model_comparison.svg")
