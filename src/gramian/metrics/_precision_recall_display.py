"""The picture of the precision-recall curve."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian._drawing import legend_clear, merge_style
from gramian._labels import as_label_array
from gramian.metrics._curve_display import (
    CurveDisplay,
    Style,
    binary_scores,
    check_predictions,
    draw_unit_square,
    folds,
    renamed_score,
)
from gramian.metrics._curves import precision_recall_curve
from gramian.metrics._deprecated_arguments import merged_kwargs, renamed_name
from gramian.metrics._ranking import average_precision_score
from gramian.metrics._thresholds import is_label


class PrecisionRecallDisplay(CurveDisplay):
    """Picture of one precision-recall curve or several.

    Make it with `from_estimator`, `from_predictions` or `from_cv_results`, which draw at once. The
    curves are steps, as average precision is their area without interpolation.

    Parameters
    ----------
    precision : ndarray or list of ndarray
        Precisions, a list for several curves.
    recall : ndarray or list of ndarray
        Recalls.
    average_precision : float or list of float, optional
        Average precisions, for the legend.
    name : str or list of str, optional
        Names of the curves, for the legend.
    pos_label : int, float, bool or str, optional
        The positive class, for the labels of the axes.
    prevalence_pos_label : float or list of float, optional
        The fraction of the positive class, which is the precision of a model that guesses.
    estimator_name : str
        The name that scikit-learn gave `name` until 1.8.

    Attributes
    ----------
    line_ : Line2D or list of Line2D
        The curves.
    chance_level_ : Line2D, list of Line2D or None
        The curves of a model that guesses, if they were asked for.
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    precision_recall_curve : The numbers.
    average_precision_score : The area.

    Examples
    --------
    >>> from gramian.metrics import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(display.average_precision, 4)
    0.8333
    >>> display.frame().round(2)
       curve  recall  precision
    0      0     1.0       0.50
    1      0     1.0       0.67
    2      0     0.5       0.50
    3      0     0.5       1.00
    4      0     0.0       1.00
    """

    _metric_name = "AP"
    chance_level_: Any

    def __init__(
        self,
        precision: Any,
        recall: Any,
        *,
        average_precision: Any = None,
        name: Any = None,
        pos_label: Any = None,
        prevalence_pos_label: Any = None,
        estimator_name: Any = "deprecated",
    ) -> None:
        self.precision = precision
        self.recall = recall
        self.average_precision = average_precision
        self.name = renamed_name(name, estimator_name)
        self.pos_label = pos_label
        self.prevalence_pos_label = prevalence_pos_label

    def _columns(self) -> Mapping[str, Any]:
        return self._curve_columns(recall=self.recall, precision=self.precision)

    def _validate_plot_params(self, *, ax: Any, name: Any) -> tuple[Any, Any, Any, Any, Any]:
        name, lists = self._lists(
            ax=ax,
            name=name,
            precision=self.precision,
            recall=self.recall,
            average_precision=self.average_precision,
            prevalence_pos_label=self.prevalence_pos_label,
        )
        *curves, prevalence = lists.values()
        return (*curves, name, prevalence)

    def plot(
        self,
        ax: Any = None,
        *,
        name: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
        **kwargs: Any,
    ) -> "PrecisionRecallDisplay":
        """Draw the curves.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        name : str or list of str, optional
            Names of the curves instead of `self.name`; a list needs a list of `curve_kwargs`.
        curve_kwargs : dict or list of dict, optional
            Arguments of Matplotlib's ``plot``. A list has those of each curve and gives each an
            entry in the legend; otherwise several curves share one, with mean and spread.
        plot_chance_level : bool, default=False
            Whether to draw the precision of a model that guesses.
        chance_level_kw : dict, optional
            Arguments of Matplotlib's ``plot`` for that line.
        despine : bool, default=False
            Whether to remove the upper and the right border.
        **kwargs : dict
            Arguments of Matplotlib's ``plot``; deprecated for `curve_kwargs`.

        Returns
        -------
        self
        """
        curve_kwargs = merged_kwargs(curve_kwargs, kwargs)
        precision, recall, average_precision, name, prevalence = self._validate_plot_params(
            ax=ax, name=name
        )
        steps = {"drawstyle": "steps-post"}
        styles = self._curve_styles(len(precision), name, average_precision, curve_kwargs, steps)
        self._draw_curves(list(zip(recall, precision, strict=True)), styles)
        self.chance_level_ = None
        if plot_chance_level:
            self._draw_chance(prevalence, chance_level_kw)
        draw_unit_square(self.ax_, ("Recall", "Precision"), self.pos_label, despine)
        if self.ax_.get_legend_handles_labels()[0]:
            legend_clear(self.ax_, "lower left")
        return self

    def _draw_chance(self, prevalence: Any, given: Style) -> None:
        if prevalence is None:
            raise ValueError(
                "You must provide prevalence_pos_label when constructing the "
                "PrecisionRecallDisplay object in order to plot the chance level line. "
                "Alternatively, you may use PrecisionRecallDisplay.from_estimator or "
                "PrecisionRecallDisplay.from_predictions to automatically set prevalence_pos_label"
            )
        default: dict[str, Any] = {"color": "k", "linestyle": "--", "linewidth": 1.0}
        is_one = len(prevalence) == 1
        if not is_one:
            default["alpha"] = 0.3
        chosen = merge_style(default, given)
        lines = [
            self.ax_.plot((0, 1), (fraction, fraction), **chosen)[0] for fraction in prevalence
        ]
        if "label" not in chosen:
            level = f"{np.mean(prevalence):0.2f}"
            level += "" if is_one else f" +/- {np.std(prevalence):0.2f}"
            lines[0].set_label(f"Chance level (AP = {level})")
        self.chance_level_ = lines[0] if is_one else lines

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = False,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
        **kwargs: Any,
    ) -> "PrecisionRecallDisplay":
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
        drop_intermediate : bool, default=False
            Whether to leave out points that the picture does not need.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Where the scores come from; "auto" takes the first that there is.
        pos_label : int, float, bool or str, optional
            The positive class; by default the second of ``estimator.classes_``.
        name : str, optional
            Name of the curve; by default that of the class of the estimator.
        ax, curve_kwargs, plot_chance_level, chance_level_kw, despine, **kwargs
            As for `plot`.

        Returns
        -------
        PrecisionRecallDisplay
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
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any = None,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = False,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
        y_pred: Any = "deprecated",
        **kwargs: Any,
    ) -> "PrecisionRecallDisplay":
        """Draw the curve of scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_score : array-like of shape (n_samples,)
            Probabilities of the positive class or decision values.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        drop_intermediate : bool, default=False
            Whether to leave out points that the picture does not need.
        pos_label : int, float, bool or str, optional
            The positive class; may be left out for labels {0, 1} or {-1, 1}, where it is 1.
        name : str, optional
            Name of the curve; "Classifier" by default.
        ax, curve_kwargs, plot_chance_level, chance_level_kw, despine, **kwargs
            As for `plot`.
        y_pred : array-like of shape (n_samples,)
            The name that scikit-learn gave `y_score` until 1.8.

        Returns
        -------
        PrecisionRecallDisplay
        """
        y_score = renamed_score(y_score, y_pred)
        pos_label = check_predictions(y_true, y_score, sample_weight, pos_label)
        precision, recall, average, prevalence = _curve(
            y_true, y_score, pos_label, sample_weight, drop_intermediate
        )
        display = cls(
            precision=precision,
            recall=recall,
            average_precision=average,
            name="Classifier" if name is None else name,
            pos_label=pos_label,
            prevalence_pos_label=prevalence,
        )
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            **kwargs,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: Any = None,
        name: Any = None,
        ax: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: Style = None,
        despine: bool = False,
    ) -> "PrecisionRecallDisplay":
        """Draw the curve of each fold of a cross-validation.

        Parameters
        ----------
        cv_results : dict
            What ``cross_validate`` returns with ``return_estimator=True, return_indices=True``.
        X, y : array-likes
            The data that were given to it.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        drop_intermediate : bool, default=True
            Whether to leave out points that the picture does not need.
        response_method, pos_label
            As for `from_estimator`.
        name, ax, curve_kwargs, plot_chance_level, despine
            As for `plot`.
        chance_level_kwargs : dict, optional
            Arguments of Matplotlib's ``plot`` for the precision of a model that guesses.

        Returns
        -------
        PrecisionRecallDisplay
        """
        curves = []
        for fold in folds(cv_results, (X, y, sample_weight), response_method, pos_label):
            pos_label, weight = fold.pos_label, fold.sample_weight
            curves.append(_curve(fold.y_true, fold.y_score, pos_label, weight, drop_intermediate))
        precisions, recalls, averages, prevalences = (list(v) for v in zip(*curves, strict=True))
        display = cls(
            precision=precisions,
            recall=recalls,
            average_precision=averages,
            name=name,
            pos_label=pos_label,
            prevalence_pos_label=prevalences,
        )
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kwargs,
            despine=despine,
        )


def _curve(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, drop_intermediate: bool
) -> tuple[Any, Any, float, float]:
    """Return precision, recall, average precision and the fraction of the positive class."""
    precision, recall, _ = precision_recall_curve(
        y_true,
        y_score,
        pos_label=pos_label,
        sample_weight=sample_weight,
        drop_intermediate=drop_intermediate,
    )
    average = average_precision_score(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
    )
    is_positive = is_label(as_label_array(y_true).reshape(-1), pos_label)
    return precision, recall, average, float(np.average(is_positive, weights=sample_weight))
