"""Diagnosis of nets: scales, dead and saturated neurons, slopes by layer, the loss curve, size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._network.certificate import gradient_at
from gramian._network.shape import native_network
from gramian.config import core_context
from gramian.diagnostics import column_names
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import (
    Diagnosis,
    Finding,
    Verdict,
    conclude,
    counted,
    graded,
)
from gramian.neural_network import MLPClassifier, MLPRegressor

_MAX_ROWS = 5000  # on which neurons are watched
_SPREAD = (10.0, 100.0)  # of a column's size from 1, or to 1: warning, problem
_SHARE = (0.1, 0.5)  # of the neurons of a layer that are lost: warning, problem
_SLOPES = (100.0, 1e4)  # largest over smallest mean slope of the layers: warning, problem
_RISES = (0.2, 0.4)  # share of the epochs in which the loss rose: warning, problem
_FALL = (0.01, 0.05)  # of the loss in the last tenth of the epochs, as a share: warning, problem
_EDGE = 0.98  # of the activation's range, beyond which a neuron is at its end
_MOSTLY = 0.95  # share of the rows for which it is there
_LOST = (0.02, 0.1)  # of the validation score since its best: warning, problem
_FEW = (10.0, 1.0)  # numbers to fit for each parameter, below: warning, problem


@register_diagnosis(MLPClassifier, MLPRegressor)
def diagnose_network(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose a net, the first of several: columns, neurons, slopes, loss curve, size."""
    which = f", the first of {model._n_nets()} nets" if model._n_nets() > 1 else ""
    model = model.nets_[0] if model._n_nets() > 1 else model
    data = model._judged_data(X, y, sample_weight)
    if data.n_rows > _MAX_ROWS:
        data = data.take(np.arange(_MAX_ROWS) * data.n_rows // _MAX_ROWS)
    n_rows = int(np.shape(y)[0])
    title = f"{type(model).__name__} on {counted(n_rows, 'row')}, layers {model._sizes()}{which}"
    findings = [
        _check_scales(model, data.X),
        _check_neurons(model, data.X),
        _check_slopes(model, data),
        _check_rises(model),
        _check_fall(model),
        _check_overfit(model),
        _check_size(model, n_rows),
    ]
    return Diagnosis(title, findings)


def _check_scales(model: Any, X: Any) -> Finding:
    """Are the columns of a size about one?"""
    about = ("scale", "The columns have a size about one")
    if model._embedding() is not None:
        return Finding.not_applicable(*about, "The embedding scales them itself.")
    squares = X.multiply(X).mean(axis=0) if hasattr(X, "multiply") else np.square(X).mean(axis=0)
    sizes = np.sqrt(np.asarray(squares, dtype=np.float64).ravel())
    off = np.maximum(sizes, np.divide(1.0, sizes, out=np.ones_like(sizes), where=sizes > 0))
    worst = float(off.max())
    names = np.array(column_names(model), dtype=object)
    columns = tuple(str(name) for name in names[off > _SPREAD[0]])
    return conclude(
        about,
        "farthest root mean square from 1, as a factor",
        worst,
        graded(worst, *_SPREAD),
        f"The root mean square of {str(names[off.argmax()])!r} is {sizes[off.argmax()]:.3g}, while "
        "the first weights suit columns of size one.",
        "Put a StandardScaler before the net.",
        columns=columns,
    )


def _hidden_values(model: Any, X: Any) -> list[NDArray[np.float64]]:
    """Return what each hidden layer gives for the rows: outputs of nets that end there."""
    shape, values = model._shape(), []
    for k in range(shape.n_front + 1, len(model.coefs_)):
        n = shape.sizes[k]
        part = replace(
            shape,
            sizes=(*shape.sizes[: k + 1], n),
            out_activation="identity",
            loss="squared_error",
            loss_parameter=0.0,
        )
        network = native_network(
            part,
            [*model.coefs_[:k], np.eye(n)],
            [*model.intercepts_[:k], np.zeros(n)],
            np.float64,
            model._shares()[: k - shape.n_front],
        )
        out = np.empty((X.shape[0], n))
        network.predict(X, out=out, ctx=core_context())
        values.append(out)
    return values


def _check_neurons(model: Any, X: Any) -> Finding:
    """Do the neurons answer to the rows?"""
    about = ("neurons", "The hidden neurons answer to the rows")
    layers = _hidden_values(model, X)
    if not layers:
        return Finding.not_applicable(*about, "The net has no hidden layer.")
    activation = model._settings().activation
    lost = [_is_lost(activation, values) for values in layers]
    shares = [float(each.mean()) for each in lost]
    worst = int(np.argmax(shares))
    is_dead = activation not in ("tanh", "logistic")
    what = "give the same for all rows" if is_dead else "are at an end of their range"
    remedy = (
        "Lower learning_rate_init, scale the columns, or take activation='leaky_relu'."
        if is_dead
        else "Scale the columns, raise alpha, or take activation='relu'."
    )
    return conclude(
        about,
        "largest share of lost neurons in a layer",
        shares[worst],
        graded(shares[worst], *_SHARE),
        f"{int(lost[worst].sum())} of {counted(len(lost[worst]), 'neuron')} of hidden layer "
        f"{worst + 1} {what}.",
        remedy,
    )


def _is_lost(activation: str, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    if activation in ("tanh", "logistic"):
        centred = values if activation == "tanh" else 2.0 * values - 1.0
        at_end: NDArray[np.bool_] = (np.abs(centred) > _EDGE).mean(axis=0) > _MOSTLY
        return at_end
    constant: NDArray[np.bool_] = np.ptp(values, axis=0) == 0.0
    return constant


def _check_slopes(model: Any, data: Any) -> Finding:
    """Do the slopes vanish or explode from layer to layer?"""
    about = ("slopes", "The layers have slopes of like size")
    first = model._shape().n_front
    if len(model.coefs_) < first + 3:
        return Finding.not_applicable(*about, "The net has fewer than two hidden layers.")
    network = model._network(np.float64)
    n = len(model.coefs_)
    parameters = [*model.coefs_, *model.intercepts_, *model._shares()]
    *_, gradient = gradient_at(network, data, 0.0, parameters, n, core_context())
    means = [float(np.sqrt(np.mean(np.square(each)))) for each in gradient[first:n]]
    ratio = max(means) / min(means) if min(means) > 0 else float("inf")
    return conclude(
        about,
        "largest / smallest root mean square of a layer's slopes",
        ratio,
        graded(ratio, *_SLOPES),
        f"From the first layer to the last they are {', '.join(f'{m:.2g}' for m in means)}.",
        "Use fewer layers, activation='relu' or 'gelu', and scaled columns.",
    )


def _curve(model: Any) -> NDArray[np.float64]:
    curve = np.asarray(getattr(model, "loss_curve_", ()), dtype=np.float64)
    return curve[-max(model.n_iter_, 1) :]


def _rises(curve: NDArray[np.float64]) -> float:
    """Return the share of the epochs in which the loss rose by more than 1 %."""
    return float((np.diff(curve) > 0.01 * curve[:-1]).mean())


def _check_rises(model: Any) -> Finding:
    """Is the learning rate too large?"""
    about = ("learning rate", "The steps are short enough for the loss to fall")
    curve = _curve(model)
    if len(curve) < 5:
        return Finding.not_applicable(*about, "There is no loss curve of five epochs.")
    rises = _rises(curve)
    return conclude(
        about,
        "share of epochs in which the loss rose by 1 %",
        rises,
        graded(rises, *_RISES),
        f"The loss rose by more than 1 % in {rises:.0%} of the epochs.",
        f"Lower learning_rate_init={model.learning_rate_init:g}, to a third say.",
    )


def _check_fall(model: Any) -> Finding:
    """Is the learning rate too small, or were there too few epochs?"""
    about = ("epochs", "The loss has stopped falling")
    curve = _curve(model)
    if len(curve) < 10:
        return Finding.not_applicable(*about, "There is no loss curve of ten epochs.")
    if _rises(curve) >= _RISES[0]:
        return Finding.not_applicable(*about, "The loss jumps: shorter steps come first.")
    tenth = max(len(curve) // 10, 2)
    settings = model._settings()
    whole = float(curve[0] - curve.min())
    fall = max(float(curve[-1 - tenth] - curve[-1]) / whole, 0.0) if whole > 0 else 0.0
    return conclude(
        about,
        "share of the loss's fall in the last tenth of the epochs",
        fall,
        graded(fall, *_FALL),
        f"The last {tenth} of {len(curve)} epochs brought {fall:.1%} of the fall of the loss.",
        f"Raise max_iter={settings.max_iter}, or "
        f"learning_rate_init={settings.learning_rate_init:g}; lower tol={settings.tol:g}.",
    )


def _check_overfit(model: Any) -> Finding:
    """Did the score on other rows fall while the loss fell?"""
    about = ("over-fitting", "Further epochs did not harm other rows")
    scores = np.asarray(getattr(model, "validation_scores_", None) or (), dtype=np.float64)
    if len(scores) < 5:
        return Finding.not_applicable(*about, "No rows were set apart: early_stopping is False.")
    lost = float(np.nanmax(scores) - scores[-1])
    return conclude(
        about,
        "score lost since the best epoch",
        lost,
        graded(lost, *_LOST),
        f"The score was best after epoch {int(np.nanargmax(scores)) + 1} of {len(scores)}, and "
        f"{lost:.3f} less at the end; the weights returned are those of the best.",
        f"Raise alpha={model._settings().alpha:g}, or use fewer neurons.",
    )


def _check_size(model: Any, n_rows: int) -> Finding:
    """Are there enough rows for the weights?"""
    about = ("size", "There are more numbers to fit than parameters")
    n_parameters = model._shape().n_parameters
    ratio = n_rows * model.coefs_[-1].shape[1] / n_parameters
    verdict: Verdict = "ok" if ratio >= _FEW[0] else "warning" if ratio >= _FEW[1] else "problem"
    return conclude(
        about,
        "targets / parameters",
        ratio,
        verdict,
        f"{counted(n_rows, 'row')} have {ratio:.2g} targets for each of {n_parameters:,} "
        "parameters.",
        f"Use fewer neurons than {model._sizes()[1:-1]}, a larger alpha than {model.alpha:g}, or "
        "early_stopping=True.",
    )
