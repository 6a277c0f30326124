"""Multilayer perceptrons, for a fixed number of epochs."""

from typing import Any

from benchmarks._row import Contender, Row, Score, same_api
from benchmarks.rows.distance import blobs


def loss(model: Any, X: Any, y: Any) -> Score:
    """Return the loss of the last epoch."""
    return Score(float(model.loss_), 1e-3)


def _net(sizes: tuple[int, ...], max_iter: int) -> dict[str, Contender]:
    params = {"hidden_layer_sizes": sizes, "max_iter": max_iter, "tol": 0.0, "random_state": 0}
    contenders = same_api("neural_network", "MLPClassifier", n_iter_no_change=max_iter, **params)
    del contenders["intelex"]
    return contenders


ROWS: list[Row] = [
    Row(
        "MLPClassifier fit 20,000x100, (100,), 10 epochs",
        (20_000, 100),
        (500, 10),
        blobs,
        _net((100,), 10),
        "fit",
        loss,
    ),
    Row(
        "MLPClassifier fit 150x4, (12, 6), 200 epochs",
        (150, 4),
        (100, 4),
        blobs,
        _net((12, 6), 200),
        "fit",
        loss,
    ),
]
