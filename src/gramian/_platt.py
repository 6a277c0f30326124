"""Platt's sigmoid: probabilities from scores, by maximum likelihood."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from gramian._typing import Floats

_MAX_STEPS = 100


def platt_sigmoid(
    values: Floats, positive: NDArray[np.bool_], weights: Floats | None = None
) -> tuple[float, float]:
    """Return a and b of the probability ``1 / (1 + exp(a s + b))`` of a score s.

    They minimise the log loss against Platt's targets, which keep away from zero and one: with
    weights W+ and W- of the classes, ``(W+ + 1) / (W+ + 2)`` and ``1 / (W- + 2)``.
    """
    weights = np.ones(len(values)) if weights is None else weights
    W_pos, W_neg = float(weights[positive].sum()), float(weights[~positive].sum())
    target = np.where(positive, (W_pos + 1.0) / (W_pos + 2.0), 1.0 / (W_neg + 2.0))
    start = math.log((W_neg + 1.0) / (W_pos + 1.0))
    largest = float(np.abs(values).max())
    unit = largest if largest >= 30.0 else 1.0
    values = values / unit
    used = weights > 0
    if np.ptp(values[used]) == 0.0:
        slope, offset = _shortest_move(float(values[used][0]), target, weights, start)
    else:
        slope, offset = _minimise_log_loss(values[used], target[used], weights[used], start)
    return slope / unit, offset


def _shortest_move(
    value: float, target: Floats, weight: Floats, start: float
) -> tuple[float, float]:
    """Return (a, b) with the best probability at the only score, nearest to (0, start)."""
    wanted = -float(logit(np.average(target, weights=weight)))
    move = (wanted - start) / (value * value + 1.0)
    return move * value, start + move


def _minimise_log_loss(
    values: Floats, target: Floats, weight: Floats, start: float
) -> tuple[float, float]:
    """Return (a, b) by Newton steps, halved until the loss falls.

    The scores are centred and scaled first, so that the Hessian is well conditioned. With the
    logit z = -(a s + b), the loss is sum_i w_i (log(1 + exp(z_i)) - t_i z_i): convex, and, as
    the targets are inside (0, 1), with a finite minimum.
    """
    centre = float(np.average(values, weights=weight))
    spread = math.sqrt(float(np.average((values - centre) ** 2, weights=weight)))
    scaled = (values - centre) / spread
    total = float(weight.sum())

    def loss_at(point: Floats) -> float:
        z = -(point[0] * scaled + point[1])
        return float(weight @ (np.logaddexp(0.0, z) - target * z))

    point = np.array([0.0, start])
    loss = loss_at(point)
    for _ in range(_MAX_STEPS):
        probability = expit(-(point[0] * scaled + point[1]))
        slack = weight * (target - probability)
        gradient = np.array([slack @ scaled, slack.sum()])
        curvature = weight * probability * (1.0 - probability)
        mixed = curvature @ scaled
        hessian = np.array([[curvature @ scaled**2, mixed], [mixed, curvature.sum()]])
        hessian[[0, 1], [0, 1]] += 1e-12 * total  # far out, the curvature vanishes
        step = -np.linalg.solve(hessian, gradient)
        decrease = -float(gradient @ step)
        if decrease <= 1e-14 * total:  # squared by the last step
            point = point + step
            break
        length = 1.0
        while (new_loss := loss_at(point + length * step)) > loss - 1e-4 * length * decrease:
            length /= 2.0
            if length < 1e-10:
                break
        point, loss = point + length * step, new_loss
    slope = float(point[0]) / spread
    return slope, float(point[1]) - slope * centre
