"""Sums of derivatives over the nodes of a tree, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats


@dataclass(frozen=True)
class NodeSums:
    """What a second-order step says of each node of a tree.

    Attributes
    ----------
    count : ndarray of shape (n_nodes,)
        Number of rows.
    gradient, hessian : ndarray of shape (n_nodes,)
        Sums of the derivatives.
    weight : ndarray of shape (n_nodes,)
        The best value of the node as a leaf, ``-G / (H + lambda)``.
    score : ndarray of shape (n_nodes,)
        What that value saves, twice: ``G² / (H + lambda)``.
    l2 : float
        The penalty lambda.
    """

    count: NDArray[np.int64]
    gradient: Floats
    hessian: Floats
    weight: Floats
    score: Floats
    l2: float

    @classmethod
    def of(cls, passes: Any, gradient: Floats, hessian: Floats, plan: Any) -> NodeSums:
        """Sum over the rows that pass each node.

        Parameters
        ----------
        passes : sparse matrix of shape (n_samples, n_nodes)
            Ones where a row passes a node.
        gradient, hessian : ndarray of shape (n_samples,)
            Derivatives, with the weights of the rows.
        plan : TreePlan
            Penalties `l1` and `l2`, and the longest step `max_step`.
        """
        down = passes.T
        g, h = (np.asarray(down @ values, np.float64) for values in (gradient, hessian))
        g[np.abs(g) <= 1e-13 * np.abs(gradient).sum()] = 0.0  # rounding alone
        count = np.asarray(down @ np.ones(len(gradient))).astype(np.int64)
        shrunk = np.sign(g) * np.maximum(np.abs(g) - plan.l1, 0.0)
        size = h + plan.l2
        weight = np.divide(-shrunk, size, out=np.zeros_like(g), where=size > 0.0)
        if plan.max_step > 0.0:
            weight = np.clip(weight, -plan.max_step, plan.max_step)
        score = -(2.0 * g * weight + size * weight**2 + 2.0 * plan.l1 * np.abs(weight))
        return cls(count, g, h, weight, score, float(plan.l2))

    def gains(self, nodes: Any, left: Any, right: Any, extra: Floats) -> Floats:
        """Return what splits save: the scores of both sides less that of the node.

        Parameters
        ----------
        nodes, left, right : ndarray of int
            The nodes that are split, and their children.
        extra : ndarray
            What the splits add to the penalty `l2` of their sides.
        """
        sides: Floats = self._charged(left, extra) + self._charged(right, extra)
        result: Floats = sides - self.score[nodes]
        return result

    def _charged(self, nodes: Any, extra: Floats) -> Floats:
        """Return scores with a larger penalty; with none more they are as they are."""
        size = self.hessian[nodes] + self.l2
        fraction = np.divide(size, size + extra, out=np.ones_like(size), where=size > 0.0)
        charged: Floats = self.score[nodes] * fraction
        return charged
