"""The picture of the errors of a regression."""

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian._drawing import POINT, Display, light_axes, merge_style
from gramian._rows import take_rows
from gramian.validation import check_consistent_length, check_random_state, column_or_1d

_KINDS = ("actual_vs_predicted", "residual_vs_predicted")


class PredictionErrorDisplay(Display):
    """Picture of the errors of a regression: actual values or residuals against predictions.

    Make it with `from_estimator` or `from_predictions`, which draw at once.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,)
        Actual values.
    y_pred : ndarray of shape (n_samples,)
        Predicted values.

    Attributes
    ----------
    line_ : Line2D
        Where predictions are exact.
    scatter_ : PathCollection
        The rows.
    ax_ : Axes
    figure_ : Figure

    Examples
    --------
    >>> from gramian.metrics import PredictionErrorDisplay
    >>> display = PredictionErrorDisplay.from_predictions([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    >>> display.frame()
       y_true  y_pred  residual
    0     1.0     1.5      -0.5
    1     2.0     2.0       0.0
    2     4.0     3.0       1.0
    """

    line_: Any
    scatter_: Any

    def __init__(self, *, y_true: Any, y_pred: Any) -> None:
        self.y_true = y_true
        self.y_pred = y_pred

    def _columns(self) -> Mapping[str, Any]:
        true, predicted = column_or_1d(self.y_true), column_or_1d(self.y_pred)
        return {"y_true": true, "y_pred": predicted, "residual": true - predicted}

    def plot(
        self,
        ax: Any = None,
        *,
        kind: str = "residual_vs_predicted",
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> "PredictionErrorDisplay":
        """Draw the rows and the line of exact predictions.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="residual_vs_predicted"
            What stands on the vertical axis: actual values, or actual less predicted ones.
        scatter_kwargs : dict, optional
            Arguments of Matplotlib's ``scatter``.
        line_kwargs : dict, optional
            Arguments of Matplotlib's ``plot`` for the line.

        Returns
        -------
        self
        """
        if kind not in _KINDS:
            raise ValueError(f"`kind` must be one of {', '.join(_KINDS)}. Got {kind!r} instead.")
        columns = self._columns()
        predicted, is_actual = columns["y_pred"], kind == _KINDS[0]
        values = columns["y_true" if is_actual else "residual"]
        size = float(np.clip(9000.0 / max(len(values), 1), 8.0, 30.0))
        dots = {"color": POINT, "alpha": 0.8, "s": size, "linewidths": 0.0}
        dash = {"color": "black", "alpha": 0.7, "linestyle": "--", "zorder": 3}
        dots, dash = merge_style(dots, scatter_kwargs), merge_style(dash, line_kwargs)
        axes = self._set_axes(ax)
        shown = np.concatenate([predicted, values]) if is_actual else predicted
        ends = [shown.min(), shown.max()]
        (self.line_,) = axes.plot(ends, ends if is_actual else [0, 0], **dash)
        self.scatter_ = axes.scatter(predicted, values, **dots)
        axes.set(
            xlabel="Predicted values",
            ylabel="Actual values" if is_actual else "Residuals (actual - predicted)",
        )
        if is_actual:
            self._make_square(ends)
        light_axes(axes)
        return self

    def _make_square(self, ends: list[Any]) -> None:
        """Give both axes the same limits and the same ticks."""
        from matplotlib.ticker import MaxNLocator

        margin = 0.04 * (ends[1] - ends[0]) or 0.5
        limits = (ends[0] - margin, ends[1] + margin)
        self.ax_.set(xlim=limits, ylim=limits, aspect="equal")
        for axis in (self.ax_.xaxis, self.ax_.yaxis):
            axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        kind: str = "residual_vs_predicted",
        subsample: float | int | None = 1_000,
        random_state: Any = None,
        ax: Any = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> "PredictionErrorDisplay":
        """Draw the errors of a fitted regressor on some rows.

        Parameters
        ----------
        estimator : regressor
            The fitted regressor, or a pipeline that ends with one.
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Actual values.
        subsample, random_state
            As for `from_predictions`.
        kind, ax, scatter_kwargs, line_kwargs
            As for `plot`.

        Returns
        -------
        PredictionErrorDisplay
        """
        return cls.from_predictions(
            y,
            estimator.predict(X),
            kind=kind,
            subsample=subsample,
            random_state=random_state,
            ax=ax,
            scatter_kwargs=scatter_kwargs,
            line_kwargs=line_kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        kind: str = "residual_vs_predicted",
        subsample: float | int | None = 1_000,
        random_state: Any = None,
        ax: Any = None,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> "PredictionErrorDisplay":
        """Draw the errors of predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Actual values.
        y_pred : array-like of shape (n_samples,)
            Predicted values.
        subsample : float, int or None, default=1000
            How many rows to draw, or which fraction of them, chosen at random; None for all.
        random_state : int, RandomState, Generator or None, default=None
            The source of the choice.
        kind, ax, scatter_kwargs, line_kwargs
            As for `plot`.

        Returns
        -------
        PredictionErrorDisplay
        """
        check_consistent_length(y_true, y_pred)
        random = check_random_state(random_state)
        n_rows, n_drawn = len(y_true), _n_drawn(subsample, len(y_true))
        if n_drawn < n_rows:
            rows = random.choice(np.arange(n_rows), size=n_drawn)
            y_true, y_pred = take_rows(y_true, rows), take_rows(y_pred, rows)
        display = cls(y_true=y_true, y_pred=y_pred)
        return display.plot(ax, kind=kind, scatter_kwargs=scatter_kwargs, line_kwargs=line_kwargs)


def _n_drawn(subsample: float | int | None, n_rows: int) -> int:
    if subsample is None:
        return n_rows
    if isinstance(subsample, numbers.Integral):
        if subsample <= 0:
            raise ValueError(f"When an integer, subsample={subsample} should be positive.")
        return int(subsample)
    if not 0.0 < subsample < 1.0:
        raise ValueError(
            f"When a floating-point, subsample={subsample} should be in the (0, 1) range."
        )
    return int(n_rows * subsample)
