"""The picture of error, bias and variance against a parameter."""

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian._drawing import GUIDE, LINE, POINT, Display, legend_above, require_pyplot, style
from gramian.model_selection._bias_variance import (
    BiasVarianceCurve,
    bias_variance_curve,
    default_loss,
)


class BiasVarianceDisplay(Display):
    """Error, bias and variance of a model against one of its parameters.

    Make one with `from_estimator`, or from a curve that is there already.

    Parameters
    ----------
    curve : BiasVarianceCurve
        What `bias_variance_curve` returned.
    param_name : str
        The parameter.
    loss : {"0-1_loss", "mse"}, default="mse"
        The loss of the curve; the bias is squared for "mse".

    Attributes
    ----------
    figure_, ax_ : matplotlib figure and axes
        After `plot`.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import BiasVarianceDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> display = BiasVarianceDisplay.from_estimator(
    ...     Ridge(), X[:300], y[:300], X[300:], y[300:],
    ...     param_name="alpha", param_range=[0.01, 1.0], num_rounds=20, random_seed=1,
    ... )
    >>> list(display.frame().columns)
    ['alpha', 'error', 'bias', 'variance']
    """

    def __init__(self, curve: BiasVarianceCurve, param_name: str, loss: str = "mse") -> None:
        self.curve = curve
        self.param_name = param_name
        self.loss = loss

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X_train: Any,
        y_train: Any,
        X_test: Any,
        y_test: Any,
        *,
        param_name: str,
        param_range: Any,
        loss: str | None = None,
        num_rounds: int = 200,
        random_seed: Any = None,
        n_jobs: int | None = None,
        params: dict[str, Any] | None = None,
        ax: Any = None,
    ) -> "BiasVarianceDisplay":
        """Compute the curves, and draw them.

        Parameters
        ----------
        estimator, X_train, y_train, X_test, y_test, param_name, param_range
            As for `bias_variance_curve`.
        loss, num_rounds, random_seed, n_jobs, params
            As for `bias_variance_curve`.
        ax : matplotlib axes, optional
            Where to draw; a new figure if not given.

        Returns
        -------
        BiasVarianceDisplay
        """
        require_pyplot()
        loss = default_loss(estimator) if loss is None else loss
        curve = bias_variance_curve(
            estimator,
            X_train,
            y_train,
            X_test,
            y_test,
            param_name=param_name,
            param_range=param_range,
            loss=loss,
            num_rounds=num_rounds,
            random_seed=random_seed,
            n_jobs=n_jobs,
            params=params,
        )
        return cls(curve, param_name, loss).plot(ax)

    def _columns(self) -> Mapping[str, Any]:
        values = [v.item() if isinstance(v, np.generic) else v for v in self.curve.param_range]
        return {
            self.param_name: values,
            "error": self.curve.error,
            "bias": self.curve.bias,
            "variance": self.curve.variance,
        }

    def plot(self, ax: Any = None) -> "BiasVarianceDisplay":
        """Draw the three curves; values that span a factor of 100 or more on a logarithmic axis.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure if not given.

        Returns
        -------
        self
        """
        pyplot = require_pyplot()
        if ax is None:
            _, ax = pyplot.subplots(figsize=(7.0, 4.0), layout="constrained")
        self.figure_, self.ax_ = ax.figure, ax
        places, names = self._places()
        squared = "bias²" if self.loss == "mse" else "bias"
        ax.plot(places, self.curve.error, "o-", color="black", label="error")
        ax.plot(places, self.curve.bias, "s--", color=POINT, label=squared)
        ax.plot(places, self.curve.variance, "^--", color=LINE, label="variance")
        lowest = int(np.argmin(self.curve.error))
        ax.axvline(places[lowest], color=GUIDE, linewidth=1.0, linestyle=":", label="least error")
        if names is not None:
            ax.set_xticks(places, names)
        elif min(places) > 0 and max(places) >= 100 * min(places):
            ax.set_xscale("log")
        ax.set_ylim(bottom=0.0)
        what = "squared loss" if self.loss == "mse" else "0-1 loss"
        style(ax, f"Bias and variance against {self.param_name}", self.param_name, what)
        legend_above(ax, 4)
        return self

    def _places(self) -> tuple[list[float], list[str] | None]:
        """Return where the values stand on the axis, and their names if they are not numbers."""
        values = self.curve.param_range
        if all(isinstance(v, numbers.Real) and not isinstance(v, bool) for v in values):
            return [float(value) for value in values], None
        return [float(i) for i in range(len(values))], [str(value) for value in values]
