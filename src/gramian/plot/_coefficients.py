"""Coefficients and their intervals in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gramian._drawing import GUIDE, LINE, POINT, Display
from gramian._typing import Floats


class CoefficientsDisplay(Display):
    """Picture of coefficients with their confidence intervals.

    One line for each parameter: a dot at the estimate, a bar over the interval, in another colour
    where the interval holds no zero. Make it with `coefficients`, which draws at once.

    Parameters
    ----------
    names : sequence of str
        Names of the parameters.
    coef : array-like of shape (n_parameters,)
        Estimates.
    conf_int : array-like of shape (n_parameters, 2)
        Lower and upper limits.
    alpha : float, default=0.05
        One minus the level of the intervals.
    exponentiate : bool, default=False
        Show ``exp(coef)`` on a logarithmic axis: odds ratios of logistic regression.
    title : str, default=""
        Heading.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes

    Examples
    --------
    >>> from gramian.plot import CoefficientsDisplay
    >>> display = CoefficientsDisplay(names=["dose"], coef=[0.7], conf_int=[[0.2, 1.2]])
    >>> display.frame().round(2)
      parameter  coef  lower  upper
    0      dose   0.7    0.2    1.2
    """

    def __init__(
        self,
        *,
        names: Sequence[str],
        coef: Any,
        conf_int: Any,
        alpha: float = 0.05,
        exponentiate: bool = False,
        title: str = "",
    ) -> None:
        self.names = tuple(names)
        self.coef = np.asarray(coef, dtype=np.float64)
        self.conf_int = np.asarray(conf_int, dtype=np.float64)
        if self.coef.shape != (len(self.names),) or self.conf_int.shape != (len(self.names), 2):
            raise ValueError(
                f"{len(self.names)} names need as many coefficients and pairs of limits. Got the "
                f"shapes {self.coef.shape} and {self.conf_int.shape}."
            )
        self.alpha = alpha
        self.exponentiate = exponentiate
        self.title = title

    def _columns(self) -> Mapping[str, Any]:
        coef, lower, upper = self._shown()
        return {"parameter": list(self.names), "coef": coef, "lower": lower, "upper": upper}

    def _shown(self) -> tuple[Floats, Floats, Floats]:
        values = np.column_stack([self.coef, self.conf_int])
        coef, lower, upper = (np.exp(values) if self.exponentiate else values).T
        return coef, lower, upper

    def plot(
        self, ax: Any = None, *, figsize: tuple[float, float] | None = None
    ) -> CoefficientsDisplay:
        """Draw the coefficients.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        figsize : tuple of two floats, optional
            Width and height of a new figure in inches; by default it grows with the parameters.

        Returns
        -------
        self
        """
        height = 1.2 + 0.35 * len(self.names)
        axes = self._set_axes(ax, (7.0, height) if figsize is None else figsize)
        coef, lower, upper = self._shown()
        neutral = 1.0 if self.exponentiate else 0.0
        at = np.arange(len(self.names))[::-1]
        clear = (self.conf_int[:, 0] > 0.0) | (self.conf_int[:, 1] < 0.0)
        axes.axvline(neutral, color=GUIDE, linewidth=1.0, linestyle="--")
        for chosen, colour in ((clear, LINE), (~clear, POINT)):
            axes.hlines(at[chosen], lower[chosen], upper[chosen], color=colour, linewidth=2.0)
            axes.plot(coef[chosen], at[chosen], "o", color=colour, markersize=6.0)
        axes.set_yticks(at, self.names)
        axes.set_ylim(-0.6, len(self.names) - 0.4)
        if self.exponentiate:
            axes.set_xscale("log")
        quantity = "exp(coefficient)" if self.exponentiate else "coefficient"
        axes.set_xlabel(f"{quantity} with {1.0 - self.alpha:.4g} interval")
        axes.set_title(self.title)
        return self


def coefficients(
    summary: Any,
    *,
    exponentiate: bool = False,
    intercept: bool = False,
    ax: Any = None,
    figsize: tuple[float, float] | None = None,
) -> CoefficientsDisplay:
    """Draw the coefficients of a summary with their intervals.

    Parameters
    ----------
    summary : summary
        What the method ``summary`` of a linear model returns, also by the bootstrap.
    exponentiate : bool, default=False
        Show ``exp(coef)`` on a logarithmic axis: odds ratios of logistic regression, ratios of
        means for models with a log link.
    intercept : bool, default=False
        Whether to show the intercept, whose scale is seldom that of the others.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    figsize : tuple of two floats, optional
        Width and height of a new figure in inches.

    Returns
    -------
    display : CoefficientsDisplay
        The picture, drawn; its `frame` has the numbers.

    Examples
    --------
    >>> from gramian.linear_model import LinearRegression
    >>> from gramian.plot import coefficients
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [1.1, 2.9, 5.2, 6.8, 9.0]
    >>> display = coefficients(LinearRegression().fit(X, y).summary(X, y))
    >>> display.frame().round(2)
      parameter  coef  lower  upper
    0        x0  1.97   1.79   2.15
    """
    if isinstance(summary, tuple):
        raise ValueError(
            f"there are {len(summary)} targets, each with a summary of its own; draw one of them."
        )
    shown = [
        j
        for j, name in enumerate(summary.names)
        if intercept or (name != "const" and not name.endswith(": const"))
    ]
    display = CoefficientsDisplay(
        names=[summary.names[j] for j in shown],
        coef=summary.coef[shown],
        conf_int=summary.conf_int[shown],
        alpha=summary.alpha,
        exponentiate=exponentiate,
        title=f"{type(summary.model).__name__}: {summary.target}",
    )
    return display.plot(ax, figsize=figsize)
