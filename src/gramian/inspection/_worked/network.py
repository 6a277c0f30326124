"""The worked calculation of a multilayer perceptron: one row forward, and its error back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from gramian._typing import Floats
from gramian.diagnostics import column_names
from gramian.inspection._worked.numbers import number_text
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.neural_network import MLPClassifier, MLPRegressor
from gramian.validation import training_matrix

_MAX_PARAMETERS = 300
_ALPHA = r"\alpha"


@dataclass(frozen=True)
class _Layer:
    """What one layer computes for the row, and the derivatives of the error in its parts."""

    weights: Floats  # (n_in, n_out)
    biases: Floats
    inputs: Floats
    net: Floats
    out: Floats
    slope: Floats | None  # of the activation; None for softmax, whose outputs depend on each other
    symbol: str


@register_worked(MLPClassifier, MLPRegressor)
def work_network(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out a small net: the first row (or the query) forward, and its error back."""
    if model._n_nets() > 1:
        raise ValueError(
            "worked: one net is worked out; take one of the `nets_`, for example model.nets_[0]."
        )
    if model._embedding() is not None:
        raise ValueError("worked: nets with embeddings of levels are not worked out.")
    if model._shares() or (model._loss_parameter() and model.loss == "log_loss"):
        raise ValueError("worked: parametric=True and label_smoothing are not worked out.")
    n_parameters = sum(
        c.size + b.size for c, b in zip(model.coefs_, model.intercepts_, strict=True)
    )
    if n_parameters > _MAX_PARAMETERS:
        raise ValueError(
            f"worked: a net of {n_parameters} weights and biases is too large to read; at most "
            f"{_MAX_PARAMETERS} are worked out."
        )
    if model.loss not in ("log_loss", "squared_error", "poisson"):
        raise ValueError(
            "worked: nets are worked out for the log loss, the squared error and the Poisson loss; "
            f"this one has loss={model.loss!r}."
        )
    row, target = _row_and_target(model, X, y)
    layers = _forward(model, row)
    deltas = _deltas(model, layers, target)
    steps = [_model_step(model, row)]
    steps += [_forward_step(layer, k) for k, layer in enumerate(layers, start=1)]
    steps.append(_error_step(model, layers[-1], target))
    steps += _back_steps(model, layers, deltas, target)
    steps += [_update_step(model, layers, deltas), _check_step(model, row, target, layers, deltas)]
    steps += _query_steps(model, query)
    return Worked(f"{type(model).__name__}: one row forward, its error back", steps)


def _row_and_target(model: Any, X: Any, y: Any) -> tuple[Floats, Floats]:
    """Return the first row and its target, as many numbers as there are outputs."""
    rows = training_matrix(model, X, y)
    first = rows[:1] if isinstance(rows, np.ndarray) else rows[:1].toarray()
    label = np.asarray(y)[0]
    n_outputs = model.coefs_[-1].shape[1]
    if isinstance(model, MLPRegressor) or np.ndim(label) == 1:
        target = np.asarray(label, dtype=np.float64).reshape(-1)
    elif n_outputs == 1:
        target = np.array([float(label == model.classes_[-1])])
    else:
        target = (model.classes_ == label).astype(np.float64)
    if target.shape != (n_outputs,):
        raise ValueError(f"worked: the net has {n_outputs} outputs, but y {target.size} numbers.")
    return first[0].astype(np.float64), target


def _activated(name: str, z: Floats) -> tuple[Floats, Floats | None]:
    """Return an activation's values and derivatives."""
    s, one = expit(z), np.ones_like(z)
    if name == "softmax":
        e = np.exp(z - z.max())
        return e / e.sum(), None
    if name == "gelu":
        c = np.sqrt(2 / np.pi)
        t = np.tanh(c * (z + 0.044715 * z**3))
        return z * (1 + t) / 2, (1 + t) / 2 + z * (1 - t**2) * c * (1 + 0.134145 * z**2) / 2
    if name == "mish":
        t = np.tanh(np.logaddexp(0, z))
        return z * t, t + z * (1 - t**2) * s
    scale, tail = 1.0507009873554805, 1.0507009873554805 * 1.6732632423543772
    e = np.exp(np.minimum(z, 0))
    found = {
        "identity": (z, one),
        "selu": (np.where(z > 0, scale * z, tail * (e - 1)), np.where(z > 0, scale, tail * e)),
        "logistic": (s, s * (1 - s)),
        "tanh": (np.tanh(z), 1 - np.tanh(z) ** 2),
        "relu": (np.maximum(z, 0), (z > 0) * one),
        "leaky_relu": (np.maximum(z, 0.01 * z), np.where(z > 0, 1.0, 0.01)),
        "softplus": (np.logaddexp(0, z), s),
        "silu": (z * s, s * (1 + z * (1 - s))),
        "exp": (np.exp(np.minimum(z, 709.0)), np.exp(np.minimum(z, 709.0))),
    }
    return found[name]


def _forward(model: Any, row: Floats) -> list[_Layer]:
    layers: list[_Layer] = []
    shape, out = model._shape(), row
    for k, (coef, bias) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        is_last = k + 1 == len(model.coefs_)
        coef, bias = np.asarray(coef, np.float64), np.asarray(bias, np.float64)
        net = out @ coef + bias
        name = shape.out_activation if is_last else shape.activation
        value, slope = _activated(name, net)
        symbol = "O" if is_last else "H" if len(model.coefs_) == 2 else f"H{k + 1}"
        layers.append(_Layer(coef, bias, out, net, value, slope, symbol))
        out = value
    return layers


def _deltas(model: Any, layers: list[_Layer], target: Floats) -> list[Floats]:
    """Return the derivatives of the error in the net inputs of each layer."""
    last = layers[-1]
    delta = last.out - target
    if model.loss == "squared_error" and last.slope is not None:
        delta = delta * last.slope
    deltas = [delta]
    for layer, above in zip(layers[-2::-1], layers[:0:-1], strict=True):
        assert layer.slope is not None
        deltas.append((above.weights @ deltas[-1]) * layer.slope)
    return deltas[::-1]


def _model_step(model: Any, row: Floats) -> Step:
    is_by_hand = not hasattr(model, "n_features_in_")  # weights were set, no fit was made
    known = [f"x{j}" for j in range(len(row))] if is_by_hand else column_names(model)
    names = [escape_text(name) for name in known]
    table = [
        [f"$i_{{{j}}}$", name, x] for j, (name, x) in enumerate(zip(names, row, strict=True), 1)
    ]
    shape = model._shape()
    return Step(
        "The row",
        r"\mathrm{out} = \Gamma(\mathrm{net}), \quad \mathrm{net} = \sum_k w_k \mathrm{in}_k + b",
        f"Layers of {', '.join(map(str, shape.sizes))} neurons; the activation is "
        f"{escape_text(shape.activation)} in hidden layers and {escape_text(shape.out_activation)} "
        "at the outputs. This is the first row.",
        table=StepTable(["input", "column", "value"], table),
    )


def _number(layers_before: int, layer: _Layer, i: int, j: int) -> int:
    """Return the number of the weight from input i to neuron j: neuron by neuron."""
    return layers_before + j * len(layer.weights) + i + 1


def _forward_step(layer: _Layer, k: int) -> Step:
    rows = []
    for j in range(len(layer.net)):
        terms = [
            f"{number_text(w)} · {number_text(x)}"
            for w, x in zip(layer.weights[:4, j], layer.inputs[:4], strict=True)
        ]
        terms += ["..."] if len(layer.inputs) > 4 else []
        shown = " + ".join([*terms, number_text(layer.biases[j])])
        rows.append([f"${layer.symbol}_{{{j + 1}}}$", shown, layer.net[j], layer.out[j]])
    return Step(
        f"Forward, layer {k}",
        values={r"\mathrm{net}": layer.net, r"\mathrm{out}": layer.out},
        table=StepTable(["neuron", "weighted sum", "net", "out"], rows),
    )


def _error_step(model: Any, last: _Layer, target: Floats) -> Step:
    out = last.out
    if model.loss == "squared_error":
        formula = r"E = \sum_o \frac{1}{2} (t_o - \mathrm{out}_o)^2"
        parts = 0.5 * (target - out) ** 2
    elif model.loss == "poisson":
        formula = r"E = \sum_o t_o \log(t_o / \mathrm{out}_o) - t_o + \mathrm{out}_o"
        parts = np.where(target > 0, target * np.log(np.where(target > 0, target, 1) / out), 0.0)
        parts = parts - target + out
    elif last.slope is None:
        formula = r"E = -\sum_o t_o \log \mathrm{out}_o"
        parts = -target * np.log(np.maximum(out, 1e-300))
    else:
        formula = r"E = -\sum_o t_o \log \mathrm{out}_o + (1 - t_o) \log(1 - \mathrm{out}_o)"
        parts = -np.log(np.maximum(np.where(target > 0, out, 1 - out), 1e-300))
    rows = [
        [f"${last.symbol}_{{{j + 1}}}$", t, o, e]
        for j, (t, o, e) in enumerate(zip(target, out, parts, strict=True))
    ]
    table = StepTable(["output", "target", "out", "error"], rows)
    return Step("Error", formula, values={"E": float(parts.sum())}, table=table)


def _back_steps(
    model: Any, layers: list[_Layer], deltas: list[Floats], target: Floats
) -> list[Step]:
    steps = []
    before = sum(layer.weights.size for layer in layers)
    for k in range(len(layers) - 1, -1, -1):
        layer, delta = layers[k], deltas[k]
        before -= layer.weights.size
        steps.append(
            _output_deltas(model, layer, delta, target)
            if k + 1 == len(layers)
            else _hidden_deltas(layer, layers[k + 1], delta, deltas[k + 1])
        )
        rows = [
            [f"$w_{{{_number(before, layer, i, j)}}}$", delta[j], layer.inputs[i],
             delta[j] * layer.inputs[i]]
            for j in range(len(delta))
            for i in range(len(layer.inputs))
        ]  # fmt: skip
        rows += [[f"$b_{{{layer.symbol}_{{{j + 1}}}}}$", d, 1.0, d] for j, d in enumerate(delta)]
        steps.append(
            Step(
                f"Back, weights of layer {k + 1}",
                r"\frac{\partial E}{\partial w} = \delta \cdot \mathrm{in}",
                values={r"\partial E / \partial W": np.outer(layer.inputs, delta)},
                table=StepTable(["weight", r"$\delta$", "in", r"$\partial E / \partial w$"], rows),
            )
        )
    return steps


def _output_deltas(model: Any, layer: _Layer, delta: Floats, target: Floats) -> Step:
    names = [f"${layer.symbol}_{{{j + 1}}}$" for j in range(len(delta))]
    if model.loss != "squared_error" or layer.slope is None:
        rows = [list(row) for row in zip(names, layer.out, target, delta, strict=True)]
        return Step(
            "Back, outputs",
            r"\delta = \frac{\partial E}{\partial \mathrm{net}} = \mathrm{out} - t",
            "This loss and this activation cancel to a difference.",
            {r"\delta": delta},
            StepTable(["output", "out", "target", r"$\delta$"], rows),
        )
    rows = [list(row) for row in zip(names, layer.out - target, layer.slope, delta, strict=True)]
    return Step(
        "Back, outputs",
        r"\delta = \frac{\partial E}{\partial \mathrm{out}} \cdot "
        r"\frac{\partial \mathrm{out}}{\partial \mathrm{net}} = (\mathrm{out} - t) \cdot "
        r"\Gamma'(\mathrm{net})",
        "",
        {r"\delta": delta},
        StepTable(
            ["output", r"$\partial E / \partial \mathrm{out}$",
             r"$\partial \mathrm{out} / \partial \mathrm{net}$", r"$\delta$"],
            rows,
        ),
    )  # fmt: skip


def _hidden_deltas(layer: _Layer, above: _Layer, delta: Floats, above_delta: Floats) -> Step:
    assert layer.slope is not None
    through = above.weights * above_delta  # (neurons here, neurons above)
    rows = [
        [
            f"${layer.symbol}_{{{i + 1}}}$",
            *through[i][:4],
            through[i].sum(),
            layer.slope[i],
            delta[i],
        ]
        for i in range(len(delta))
    ]
    paths = [f"through ${above.symbol}_{{{j + 1}}}$" for j in range(min(4, len(above_delta)))]
    return Step(
        f"Back, neurons {layer.symbol}",
        r"\frac{\partial E}{\partial \mathrm{out}} = \sum_o w_o \delta_o , \quad "
        r"\delta = \frac{\partial E}{\partial \mathrm{out}} \cdot \Gamma'(\mathrm{net})",
        "Each output that a neuron feeds hands back its error by the weight between them.",
        {r"\delta": delta},
        StepTable(
            ["neuron", *paths, r"$\partial E / \partial \mathrm{out}$",
             r"$\partial \mathrm{out} / \partial \mathrm{net}$", r"$\delta$"],
            rows,
        ),
    )  # fmt: skip


def _update_step(model: Any, layers: list[_Layer], deltas: list[Floats]) -> Step:
    rate, alpha, rows, before = model.learning_rate_init, model.alpha, [], 0
    for layer, delta in zip(layers, deltas, strict=True):
        for j in range(len(delta)):
            for i in range(len(layer.inputs)):
                w = layer.weights[i, j]
                slope = delta[j] * layer.inputs[i] + alpha * w
                name = f"$w_{{{_number(before, layer, i, j)}}}$"
                rows.append([name, w, slope, w - rate * slope])
        before += layer.weights.size
        for j, d in enumerate(delta):
            b = layer.biases[j]
            rows.append([f"$b_{{{layer.symbol}_{{{j + 1}}}}}$", b, d, b - rate * d])
    return Step(
        "A step of gradient descent on this row",
        r"w \leftarrow w - \eta ( \frac{\partial E}{\partial w} + \alpha w ) , \quad "
        r"b \leftarrow b - \eta \frac{\partial E}{\partial b}",
        values={r"\eta": rate, _ALPHA: alpha},
        table=StepTable(["parameter", "before", "slope", "after"], rows),
    )


def _check_step(
    model: Any, row: Floats, target: Floats, layers: list[_Layer], deltas: list[Floats]
) -> Step:
    """Compare with the native forward pass and the native gradient."""
    from gramian._network.certificate import gradient_at
    from gramian._network.rows import TrainingData
    from gramian._network.shape import native_network
    from gramian.config import core_context

    shape = model._shape()
    network = native_network(shape, model.coefs_, model.intercepts_, np.float64)
    is_one_of_many = shape.out_activation == "softmax"
    codes = np.array([target.argmax()], dtype=np.int32) if is_one_of_many else None
    values = None if is_one_of_many else target.reshape(1, -1)
    data = TrainingData(row.reshape(1, -1), values, codes, None)
    like = [layer.weights for layer in layers] + [layer.biases for layer in layers]
    *_, native = gradient_at(network, data, 0.0, like, len(layers), core_context())
    by_hand = [np.outer(layer.inputs, d) for layer, d in zip(layers, deltas, strict=True)] + deltas
    gap = max(float(np.abs(a - b).max()) for a, b in zip(by_hand, native, strict=True))
    size = max(1.0, *(float(np.abs(each).max()) for each in by_hand))
    verdict = "agree" if gap <= 1e-9 * size else "differ"
    return Step(
        "Comparison",
        "",
        f"These derivatives and those that the fit computes {verdict}.",
        {r"\max \lvert \partial E - \partial E^{\text{model}} \rvert": gap},
    )


def _query_steps(model: Any, query: Any) -> list[Step]:
    from gramian.inspection._worked.linear import query_rows

    steps = []
    for row in query_rows(model, query):
        layers = _forward(model, np.asarray(row, dtype=np.float64))
        nets = [layer.out for layer in layers[:-1]]
        values: dict[str, Any] = {rf"h_{{{k}}}": out for k, out in enumerate(nets, start=1)}
        values[r"\hat{y}"] = layers[-1].out
        steps.append(Step("Prediction", r"\hat{y} = \mathrm{out}", values=values))
    return steps
