"""The picture of the ROC curve."""

from collections.abc import Mapping
from typing import Any

from gramian._drawing import legend_clear, merge_style
from gramian.metrics._curve_display import (
    CurveDisplay,
    Style,
    binary_scores,
    check_predictions,
    draw_unit_square,
    folds,
)
from gramian.metrics._curves import auc, roc_curve


class RocCurveDisplay(CurveDisplay):
    """Picture of one ROC curve or several: hits against false alarms at all thresholds.

    Make it with `from_estimator`, `from_predictions` or `from_cv_results`, which draw at once.

    Parameters
    ----------
    fpr : ndarray or list of ndarray
        False positive rates, a list for several curves.
    tpr : ndarray or list of ndarray
        True positive rates.
    roc_auc : float or list of float, optional
        Areas under the curves, for the legend.
    name : str or list of str, optional
        Names of the curves, for the legend.
    pos_label : int, float, bool or str, optional
        The positive class, for the labels of the axes.

    Attributes
    ----------
    line_ : Line2D or list of Line2D
        The curves.
    chance_level_ : Line2D or None
        The curve of a model that guesses, if it was asked for.
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    roc_curve : The numbers.
    roc_auc_score : The area.

    Examples
    --------
    >>> from gramian.metrics import RocCurveDisplay
    >>> display = RocCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.roc_auc
    0.75
    >>> display.frame()
       curve  fpr  tpr
    0      0  0.0  0.0
    1      0  0.0  0.5
    2      0  0.5  0.5
    3      0  0.5  1.0
    4      0  1.0  1.0
    """

    _metric_name = "AUC"
    chance_level_: Any

    def __init__(
        self, *, fpr: Any, tpr: Any, roc_auc: Any = None, name: Any = None, pos_label: Any = None
    ) -> None:
        self.fpr = fpr
        self.tpr = tpr
        self.roc_auc = roc_auc
        self.name = name
        self.pos_label = pos_label

    def _columns(self) -> Mapping[str, Any]:
        return self._curve_columns(fpr=self.fpr, tpr=self.tpr)

    def _validate_plot_params(self, *, ax: Any, name: Any) -> tuple[Any, Any, Any, Any]:
        name, lists = self._lists(
            ax=ax, name=name, fpr=self.fpr, tpr=self.tpr, roc_auc=self.roc_auc
        )
        return lists["fpr"], lists["tpr"], lists["roc_auc"], name

    def plot(
        self,
        ax: Any = None,
        *,
        name: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
    ) -> "RocCurveDisplay":
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
            Whether to draw the diagonal, the curve of a model that guesses.
        chance_level_kw : dict, optional
            Arguments of Matplotlib's ``plot`` for the diagonal.
        despine : bool, default=False
            Whether to remove the upper and the right border.

        Returns
        -------
        self
        """
        fpr, tpr, roc_auc, name = self._validate_plot_params(ax=ax, name=name)
        styles = self._curve_styles(len(fpr), name, roc_auc, curve_kwargs)
        default = {"label": "Chance level (AUC = 0.5)", "color": "k", "linestyle": "--"}
        chance_style = merge_style({**default, "linewidth": 1.0}, chance_level_kw)
        self._draw_curves(list(zip(fpr, tpr, strict=True)), styles)
        self.chance_level_ = None
        if plot_chance_level:
            (self.chance_level_,) = self.ax_.plot((0, 1), (0, 1), **chance_style)
        labels = ("False Positive Rate", "True Positive Rate")
        draw_unit_square(self.ax_, labels, self.pos_label, despine)
        if self.ax_.get_legend_handles_labels()[0]:
            legend_clear(self.ax_, "lower right")
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
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
    ) -> "RocCurveDisplay":
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
            Whether to leave out points on straight parts of the curve.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Where the scores come from; "auto" takes the first that there is.
        pos_label : int, float, bool or str, optional
            The positive class; by default the second of ``estimator.classes_``.
        name : str, optional
            Name of the curve; by default that of the class of the estimator.
        ax, curve_kwargs, plot_chance_level, chance_level_kw, despine
            As for `plot`.

        Returns
        -------
        RocCurveDisplay
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
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
    ) -> "RocCurveDisplay":
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
            Whether to leave out points on straight parts of the curve.
        pos_label : int, float, bool or str, optional
            The positive class; may be left out for labels {0, 1} or {-1, 1}, where it is 1.
        name : str, optional
            Name of the curve; "Classifier" by default.
        ax, curve_kwargs, plot_chance_level, chance_level_kw, despine
            As for `plot`.

        Returns
        -------
        RocCurveDisplay
        """
        positive = check_predictions(y_true, y_score, sample_weight, pos_label)
        fpr, tpr, _ = roc_curve(
            y_true,
            y_score,
            pos_label=pos_label,
            sample_weight=sample_weight,
            drop_intermediate=drop_intermediate,
        )
        name = "Classifier" if name is None else name
        display = cls(fpr=fpr, tpr=tpr, roc_auc=auc(fpr, tpr), name=name, pos_label=positive)
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
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
        ax: Any = None,
        name: Any = None,
        curve_kwargs: Any = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: Style = None,
        despine: bool = False,
    ) -> "RocCurveDisplay":
        """Draw the curve of each fold of a cross-validation.

        Parameters
        ----------
        cv_results : dict
            What ``cross_validate`` returns with ``return_estimator=True, return_indices=True``.
        X, y : array-likes
            The data that were given to it.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        drop_intermediate, response_method, pos_label
            As for `from_estimator`.
        ax, name, curve_kwargs, plot_chance_level, despine
            As for `plot`.
        chance_level_kwargs : dict, optional
            Arguments of Matplotlib's ``plot`` for the diagonal.

        Returns
        -------
        RocCurveDisplay
        """
        curves = []
        for fold in folds(cv_results, (X, y, sample_weight), response_method, pos_label):
            fpr, tpr, _ = roc_curve(
                fold.y_true,
                fold.y_score,
                pos_label=fold.pos_label,
                sample_weight=fold.sample_weight,
                drop_intermediate=drop_intermediate,
            )
            curves.append((fpr, tpr, auc(fpr, tpr)))
            pos_label = fold.pos_label
        fprs, tprs, areas = (list(values) for values in zip(*curves, strict=True))
        display = cls(fpr=fprs, tpr=tprs, roc_auc=areas, name=name, pos_label=pos_label)
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kwargs,
            despine=despine,
        )
