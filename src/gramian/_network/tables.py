"""A net for tables: its parameters, first weights taken from the data, and rates by layer.

What it is made of follows Holzmüller, Grinsztajn and Steinwart, "Better by default" (NeurIPS 2024).
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._network.embedding import EmbeddingOptions, LevelEmbedding
from gramian._network.rows import TrainingData
from gramian._network.shape import Shape, native_network

__all__ = [
    "N_FREQUENCIES",
    "OPTIONS",
    "PRESETS",
    "WITHOUT_STEPS",
    "draw_from_rows",
    "layer_rates",
    "rows_of_step",
    "waves_of",
]

OPTIONS = EmbeddingOptions(most_one_hot=9, most_numbers=8, bound=3.0)
N_FREQUENCIES = 8  # of a wave
N_WAVES = 3  # of a number
_ROWS = 512  # that first weights are fitted to
_CORNERS = 5  # rows between which a first neuron bends

_TABLE: dict[str, Any] = {
    "hidden_layer_sizes": (128, 128, 128),
    "solver": "adamw",
    "alpha": 0.0,
    "max_iter": 64,
    "early_stopping": True,
    "validation_fraction": 0.2,
    "n_iter_no_change": math.inf,
    "beta_2": 0.95,
    "weight_decay": 0.02,
    "schedule": "cosine_cycles",
    "dropout": 0.15,
    "fade": True,
    "parametric": True,
    "encoding": "table",
    "n_nets": 4,
}
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "table": {
        "classifier": {
            **_TABLE,
            "activation": "selu",
            "learning_rate_init": 0.02,
        },
        "regressor": {**_TABLE, "activation": "mish", "learning_rate_init": 0.2},
    }
}
"""Preset -> kind of estimator -> what its parameters are where the user left the default."""


WITHOUT_STEPS = ("hidden_layer_sizes", "activation", "encoding", "parametric", "n_nets")
"""What a preset chooses for solver="lbfgs", which takes no steps on batches."""

_STEPS = 12  # of an epoch on a small table
_BATCH = (32, 256)  # fewest and most rows of a step


def rows_of_step(n_rows: int) -> int:
    """Return how many rows a step takes: fewer of small tables, so that there are enough steps.

    Examples
    --------
    >>> [rows_of_step(n) for n in (100, 1200, 50_000)]
    [32, 100, 256]
    """
    return min(max(n_rows // _STEPS, _BATCH[0]), _BATCH[1])


def waves_of(layer: LevelEmbedding) -> list[int]:
    """Return the number below that each wave is one of."""
    return [int(each) for each in layer.numbers for _ in range(N_WAVES)]


def layer_rates(shape: Shape) -> list[float]:
    """Return factors of the learning rate: of weights, biases and shares of each layer.

    Weights move in proportion to their first size, which falls with the root of the inputs; biases,
    shares and waves slowly; the scale of inputs fast, so that it soon chooses among them.
    """
    rates: list[float] = []
    for k, n_in in enumerate(shape.n_inputs):
        if k >= shape.n_front:
            rates += [1.0 / math.sqrt(n_in), 0.1, 0.1]
        elif k == 1:
            rates += [0.1, 0.1, 6.0]
        else:
            rates += [0.25, 1.0, 1.0]
    return rates


def draw_from_rows(
    shape: Shape,
    layer: LevelEmbedding,
    data: TrainingData,
    rng: np.random.RandomState,
    dtype: Any,
    ctx: _core.Context,
) -> tuple[list[NDArray[Any]], list[NDArray[Any]], list[NDArray[Any]]]:
    """Draw first weights, biases and shares.

    The weights of each neuron are scaled so that its sums have the standard deviation 1 over rows,
    and its bias puts the bend at a random point between rows.
    """
    rows = np.sort(rng.permutation(data.n_rows)[:_ROWS])
    sample = data.take(rows).X.astype(dtype, copy=False)
    coefs = [layer.draw(rng, dtype)]
    intercepts = [np.zeros(layer.n_neurons, dtype)]
    shares = [np.ones(n, dtype) for n in shape.with_shares()]
    if shape.waves.n_frequencies:
        weights, biases = shape.waves.draw(layer.n_neurons, rng, dtype)
        coefs.append(weights)
        intercepts.append(biases)
    n_front, n_layers = shape.n_front, len(shape.sizes) - 1
    for k in range(n_front, n_layers):
        n_in, n_out = shape.sizes[k : k + 2]
        weights = (rng.normal(size=(n_in, n_out)) / math.sqrt(n_in)).astype(dtype)
        part = replace(
            shape, sizes=shape.sizes[: k + 2], out_activation="identity", loss="squared_error"
        )
        network = native_network(
            part,
            [*coefs, weights],
            [*intercepts, np.zeros(n_out, dtype)],
            dtype,
            shares[: k - n_front],
        )
        sums = np.empty((len(rows), n_out), dtype)
        network.predict(sample, out=sums, ctx=ctx)
        spread = sums.std(axis=0, dtype=np.float64)
        factor = 1.0 / np.where(spread > 1e-6, spread, 1.0)
        coefs.append((weights * factor).astype(dtype))
        if k + 1 == n_layers:
            intercepts.append(np.zeros(n_out, dtype))
            continue
        corners = rng.randint(len(rows), size=(_CORNERS, n_out))
        parts = rng.exponential(size=(_CORNERS, n_out))
        points = (np.take_along_axis(sums, corners, axis=0) * parts).sum(axis=0) / parts.sum(axis=0)
        intercepts.append((-points * factor).astype(dtype))
    return coefs, intercepts, shares
