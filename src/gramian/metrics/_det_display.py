"""The picture of the detection error trade-off."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import Display, legend_clear, light_axes, merge_style
from gramian.metrics._curve_display import (
    binary_scores,
    check_predictions,
    positive_suffix,
    renamed_score,
)
from gramian.metrics._curves import det_curve

_TICKS = {
    0.001: "0.1%",
    0.01: "1%",
    0.05: "5%",
    0.2: "20%",
    0.5: "50%",
    0.8: "80%",
    0.95: "95%",
    0.99: "99%",
    0.999: "99.9%",
}


class DetCurveDisplay(Display):
    """Picture of a detection error trade-off: misses against false alarms at all thresholds.

    Both axes have the scale of normal deviates, on which normal scores of equal spread give a
    straight line. Make it with `from_estimator` or `from_predictions`, which draw at once.

    Parameters
    ----------
    fpr : ndarray
        False positive rates.
    fnr : ndarray
        False negative rates.
    estimator_name : str, optional
        Name of the curve, for the legend.
    pos_label : int, float, bool or str, optional
        The positive class, for the labels of the axes.

    Attributes
    ----------
    line_ : Line2D
        The curve.
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    det_curve : The numbers.

    Examples
    --------
    >>> from gramian.metrics import DetCurveDisplay
    >>> display = DetCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.frame()
       fpr  fnr
    0  0.5  0.0
    1  0.5  0.5
    2  0.0  0.5
    """

    line_: Any

    def __init__(
        self, *, fpr: Any, fnr: Any, estimator_name: str | None = None, pos_label: Any = None
    ) -> None:
        self.fpr = fpr
        self.fnr = fnr
        self.estimator_name = estimator_name
        self.pos_label = pos_label

    def _columns(self) -> Mapping[str, Any]:
        return {"fpr": np.asarray(self.fpr), "fnr": np.asarray(self.fnr)}

    def plot(self, ax: Any = None, *, name: str | None = None, **kwargs: Any) -> "DetCurveDisplay":
        """Draw the curve.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        name : str, optional
            Name of the curve instead of `self.estimator_name`.
        **kwargs : dict
            Arguments of Matplotlib's ``plot``.

        Returns
        -------
        self
        """
        from scipy.special import ndtri

        axes = self._set_axes(ax)
        name = self.estimator_name if name is None else name
        look = merge_style({} if name is None else {"label": name}, kwargs)
        (self.line_,) = axes.plot(_deviates(self.fpr), _deviates(self.fnr), **look)
        suffix = positive_suffix(self.pos_label)
        places = ndtri(list(_TICKS))
        axes.set_xticks(places, _TICKS.values())
        axes.set_yticks(places, _TICKS.values())
        axes.set(
            xlabel=f"False Positive Rate{suffix}",
            ylabel=f"False Negative Rate{suffix}",
            xlim=(-3, 3),
            ylim=(-3, 3),
            aspect="equal",
        )
        axes.tick_params(axis="x", labelsize="small")
        axes.tick_params(axis="y", labelsize="small")
        light_axes(axes)
        if axes.get_legend_handles_labels()[0]:
            legend_clear(axes, "upper right")
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> "DetCurveDisplay":
        """Draw the curve of a fitted classifier of two classes on some rows.

        Parameters
        ----------
        estimator : classifier
            The fitted classifier, or a pipeline that ends with one.
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        drop_intermediate : bool, default=True
            Whether to leave out points between others with the same misses.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Where the scores come from; "auto" takes the first that there is.
        pos_label : int, float, bool or str, optional
            The positive class; by default the second of ``estimator.classes_``.
        name : str, optional
            Name of the curve; by default that of the class of the estimator.
        ax, **kwargs
            As for `plot`.

        Returns
        -------
        DetCurveDisplay
        """
        scores, pos_label = binary_scores(estimator, X, response_method, pos_label)
        return cls.from_predictions(
            y,
            scores,
            sample_weight=sample_weight,
            drop_intermediate=drop_intermediate,
            pos_label=pos_label,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any = None,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = True,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        y_pred: Any = "deprecated",
        **kwargs: Any,
    ) -> "DetCurveDisplay":
        """Draw the curve of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_score : array-like of shape (n_samples,)
            Probabilities of the positive class or decision values.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        drop_intermediate : bool, default=True
            Whether to leave out points between others with the same misses.
        pos_label : int, float, bool or str, optional
            The positive class; may be left out for labels {0, 1} or {-1, 1}, where it is 1.
        name : str, optional
            Name of the curve; "Classifier" by default.
        ax, **kwargs
            As for `plot`.
        y_pred : array-like of shape (n_samples,)
            The name that scikit-learn gave `y_score` until 1.8.

        Returns
        -------
        DetCurveDisplay
        """
        y_score = renamed_score(y_score, y_pred)
        positive = check_predictions(y_true, y_score, sample_weight, pos_label)
        fpr, fnr, _ = det_curve(
            y_true,
            y_score,
            pos_label=pos_label,
            sample_weight=sample_weight,
            drop_intermediate=drop_intermediate,
        )
        name = "Classifier" if name is None else name
        return cls(fpr=fpr, fnr=fnr, estimator_name=name, pos_label=positive).plot(ax, **kwargs)


def _deviates(rates: Any) -> NDArray[Any]:
    """Return the normal deviates of rates, those of 0 and 1 far outside the picture."""
    from scipy.special import ndtri

    rates = np.asarray(rates, dtype=np.float64)
    eps = np.finfo(rates.dtype).eps
    deviates: NDArray[Any] = ndtri(rates.clip(eps, 1.0 - eps))
    return deviates
