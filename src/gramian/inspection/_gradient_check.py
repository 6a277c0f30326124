"""Back-propagation against central differences, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._network.certificate import gradient_at
from gramian._network.rows import TrainingData
from gramian._network.shape import native_network
from gramian.config import core_context
from gramian.neural_network import MLPClassifier, MLPRegressor
from gramian.validation import check_is_fitted

_MOST = 200  # parameters of a block that are looked at


@dataclass(frozen=True)
class GradientCheck:
    """How far back-propagation is from central differences.

    Attributes
    ----------
    blocks : dict of str to float
        Largest absolute difference of each block of parameters.
    error : float
        The largest of all, relative to the largest derivative or to 1.
    """

    blocks: dict[str, float]
    error: float

    def __str__(self) -> str:
        lines = [f"{name:14} {gap:.1e}" for name, gap in self.blocks.items()]
        return "\n".join([*lines, f"{'relative':14} {self.error:.1e}"])


def gradient_check(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, step: float = 1e-5
) -> GradientCheck:
    """Compare a net's back-propagation with central differences of its objective.

    In double precision, at the net's present weights, for the objective of all rows with its
    penalty. Of large blocks 200 parameters are taken, evenly spread.

    Parameters
    ----------
    model : MLPClassifier or MLPRegressor
        A fitted net.
    X : table, array or sparse matrix of shape (n_samples, n_features)
        Rows; a few suffice.
    y : array of shape (n_samples,) or (n_samples, n_outputs)
        Their targets.
    sample_weight : array of shape (n_samples,), optional
        Their weights.
    step : float, default=1e-5
        Half the distance of the differences. Where a "relu" bends within it, they differ.

    Returns
    -------
    GradientCheck

    Examples
    --------
    >>> from gramian.inspection import gradient_check
    >>> from gramian.neural_network import MLPRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0]
    >>> model = MLPRegressor(
    ...     hidden_layer_sizes=4, activation="tanh", solver="lbfgs", random_state=0, max_iter=1000
    ... )
    >>> bool(gradient_check(model.fit(X, y), X, y).error < 1e-7)
    True
    """
    if not isinstance(model, (MLPClassifier, MLPRegressor)):
        raise TypeError(f"gradient_check takes an MLPClassifier or MLPRegressor, got {model!r}.")
    check_is_fitted(model)
    if model._n_nets() > 1:
        raise ValueError(
            "gradient_check looks at one net; pass one of the `nets_`, for example model.nets_[0]."
        )
    data = model._judged_data(X, y, sample_weight)
    lists = {"coefs_": model.coefs_, "intercepts_": model.intercepts_, "shares_": model._shares()}
    parameters = [np.array(each, dtype=np.float64) for found in lists.values() for each in found]
    n = len(model.coefs_)
    network = native_network(
        model._shape(), parameters[:n], parameters[n : 2 * n], np.float64, parameters[2 * n :]
    )
    alpha = model._settings().alpha
    *_, gradient = gradient_at(network, data, alpha, parameters, n, core_context())
    names = [f"{name}[{k}]" for name, found in lists.items() for k in range(len(found))]
    blocks, size = {}, 1.0
    for k, (name, block, slopes) in enumerate(zip(names, parameters, gradient, strict=True)):
        learned = _learned(model, k, block)
        chosen = np.linspace(0, len(learned) - 1, min(len(learned), _MOST)).astype(np.intp)
        places = learned[np.unique(chosen)]
        if len(places) == 0:
            continue
        found = _differences(network, data, alpha, parameters, n, (block, places), step)
        blocks[name] = float(np.abs(found - slopes.ravel()[places]).max())
        size = max(size, float(np.abs(slopes).max()))
    return GradientCheck(blocks, max(blocks.values()) / size)


def _learned(model: Any, k: int, block: NDArray[Any]) -> NDArray[np.intp]:
    """Return the entries of a block that a fit changes: of embeddings and waves not all."""
    layer, n = model._embedding(), len(model.coefs_)
    if layer is None or k > n + 1 or k % n > 1:
        return np.arange(block.size)
    if k % n == 0:
        return np.flatnonzero(layer.mask()) if k == 0 else np.arange(0)
    waves = model._shape().waves
    if waves.n_frequencies == 0:
        return np.arange(block.size)
    return (
        np.flatnonzero(waves.mask(layer.n_neurons))
        if k == 1
        else np.arange(layer.n_neurons, block.size)
    )


def _differences(
    network: _core.Network,
    data: TrainingData,
    alpha: float,
    parameters: list[NDArray[Any]],
    n: int,
    chosen: tuple[NDArray[Any], NDArray[np.intp]],
    step: float,
) -> NDArray[np.float64]:
    """Return the central differences in some entries of a block, which is one of the parameters."""
    block, places = chosen
    flat, found = block.reshape(-1), np.empty(len(places))
    parts = parameters[:n], parameters[n : 2 * n], parameters[2 * n :]
    for k, place in enumerate(places):
        before, values = flat[place], []
        for shift in (step, -step):
            flat[place] = before + shift
            network.set_parameters(*parts)
            values.append(gradient_at(network, data, alpha, parameters, n, core_context())[0])
        flat[place] = before
        found[k] = (values[0] - values[1]) / (2.0 * step)
    network.set_parameters(*parts)
    return found
