"""The picture of a calibration curve."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian._drawing import CYCLE, GUIDE, Display, require_pyplot, style
from gramian._labels import positive_label, type_of_target
from gramian.base import is_classifier
from gramian.calibration._curve import calibration_curve
from gramian.validation import check_consistent_length, check_is_fitted, column_or_1d

__all__ = ["CalibrationDisplay"]

_PERFECT = "Perfectly calibrated"


class CalibrationDisplay(Display):
    """Share of positives against predicted probability, also called a reliability diagram.

    Made by `from_estimator` or `from_predictions`.

    Parameters
    ----------
    prob_true : ndarray of shape (n_bins,)
        The share of positives in each bin.
    prob_pred : ndarray of shape (n_bins,)
        The mean predicted probability there.
    y_prob : ndarray of shape (n_samples,)
        The probabilities of all rows.
    estimator_name : str, optional
        What the legend calls the curve.
    pos_label : int, float, bool or str, optional
        The positive class, named at the axes.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from gramian.calibration import CalibrationDisplay
    >>> display = CalibrationDisplay.from_predictions(
    ...     [0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.7, 0.9], n_bins=2
    ... )
    >>> display.frame().round(3)
       prob_pred  prob_true
    0      0.267      0.333
    1      0.733      0.667
    """

    line_: Any

    def __init__(
        self,
        prob_true: Any,
        prob_pred: Any,
        y_prob: Any,
        *,
        estimator_name: str | None = None,
        pos_label: Any = None,
    ) -> None:
        self.prob_true = prob_true
        self.prob_pred = prob_pred
        self.y_prob = y_prob
        self.estimator_name = estimator_name
        self.pos_label = pos_label

    def _columns(self) -> Mapping[str, Any]:
        return {"prob_pred": np.asarray(self.prob_pred), "prob_true": np.asarray(self.prob_true)}

    def plot(
        self, *, ax: Any = None, name: str | None = None, ref_line: bool = True, **kwargs: Any
    ) -> "CalibrationDisplay":
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        name : str, optional
            What the legend calls the curve; `estimator_name` by default.
        ref_line : bool, default=True
            Whether to draw the line of perfect calibration, once per axes.
        **kwargs : dict
            Properties of the curve, as for ``matplotlib.pyplot.plot``.

        Returns
        -------
        CalibrationDisplay
            The object itself.
        """
        pyplot = require_pyplot()
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        axes = pyplot.subplots()[1] if ax is None else ax
        name = self.estimator_name if name is None else name
        n_curves = sum(line.get_label() != _PERFECT for line in axes.get_lines())
        options = {"marker": "s", "linestyle": "-", "color": CYCLE[n_curves % len(CYCLE)]}
        options.update(normalize_kwargs(kwargs, Line2D))
        if name is not None:
            options.setdefault("label", name)
        if ref_line and _PERFECT not in axes.get_legend_handles_labels()[1]:
            axes.plot([0, 1], [0, 1], color=GUIDE, linestyle=":", label=_PERFECT)
        (self.line_,) = axes.plot(self.prob_pred, self.prob_true, **options)
        positive = "" if self.pos_label is None else f"(Positive class: {self.pos_label})"
        style(
            axes,
            "Calibration",
            f"Mean predicted probability {positive}",
            f"Fraction of positives {positive}",
        )
        axes.legend(loc="lower right", frameon=False)
        self.ax_, self.figure_ = axes, axes.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        n_bins: int = 5,
        strategy: str = "uniform",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        ref_line: bool = True,
        **kwargs: Any,
    ) -> "CalibrationDisplay":
        """Draw the curve of a fitted classifier of two classes.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier with ``predict_proba``.
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows; best those that the classifier was not fitted to.
        y : array-like of shape (n_samples,)
            Their classes.
        n_bins, strategy
            As for `calibration_curve`.
        pos_label : int, float, bool or str, optional
            The positive class; ``estimator.classes_[1]`` by default.
        name : str, optional
            What the legend calls the curve; the class of the estimator by default.
        ax, ref_line, **kwargs
            As for `plot`.

        Returns
        -------
        CalibrationDisplay
        """
        require_pyplot()
        probability, pos_label = _probability(estimator, X, pos_label)
        return cls.from_predictions(
            y,
            probability,
            n_bins=n_bins,
            strategy=strategy,
            pos_label=pos_label,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            ref_line=ref_line,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        n_bins: int = 5,
        strategy: str = "uniform",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        ref_line: bool = True,
        **kwargs: Any,
    ) -> "CalibrationDisplay":
        """Draw the curve of predicted probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of two classes.
        y_prob : array-like of shape (n_samples,)
            Probabilities of the positive class.
        n_bins, strategy, pos_label
            As for `calibration_curve`.
        name : str, optional
            What the legend calls the curve; "Classifier" by default.
        ax, ref_line, **kwargs
            As for `plot`.

        Returns
        -------
        CalibrationDisplay
        """
        require_pyplot()
        labels = column_or_1d(y_true, input_name="y_true")
        kind = type_of_target(labels, "y_true")
        if kind != "binary":
            raise ValueError(f"The target y is not binary. Got {kind} type of target.")
        check_consistent_length(labels, y_prob)
        pos_label = positive_label(labels) if pos_label is None else pos_label
        prob_true, prob_pred = calibration_curve(
            labels, y_prob, n_bins=n_bins, strategy=strategy, pos_label=pos_label
        )
        name = "Classifier" if name is None else name
        display = cls(prob_true, prob_pred, y_prob, estimator_name=name, pos_label=pos_label)
        return display.plot(ax=ax, ref_line=ref_line, **kwargs)


def _probability(estimator: Any, X: Any, pos_label: Any) -> tuple[Any, Any]:
    """Return a classifier's probabilities of the positive class, and that class."""
    expected = "Expected 'estimator' to be a binary classifier."
    if not is_classifier(estimator):
        raise ValueError(f"{expected} Got {type(estimator).__name__} instead.")
    check_is_fitted(estimator)
    classes = np.asarray(estimator.classes_)
    if len(classes) != 2:
        raise ValueError(f"{expected} Got {len(classes)} classes instead.")
    if not hasattr(estimator, "predict_proba"):
        raise AttributeError(
            f"{type(estimator).__name__} has none of the following attributes: predict_proba."
        )
    pos_label = classes[1] if pos_label is None else pos_label
    if pos_label not in classes.tolist():
        raise ValueError(
            f"pos_label={pos_label} is not a valid label: It should be one of {classes}"
        )
    column = classes.tolist().index(pos_label)
    return np.asarray(estimator.predict_proba(X))[:, column], pos_label
