"""Pictures of scores against the number of training rows, and against a parameter."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import Display, legend_clear, light_axes, merge_style, require_pyplot
from gramian.model_selection._curves import learning_curve, validation_curve

__all__ = ["LearningCurveDisplay", "ValidationCurveDisplay"]

Style = Mapping[str, Any] | None

_SIZES = np.linspace(0.1, 1.0, 5)
_STYLES = ("errorbar", "fill_between", None)
_PARTS = {"train": ("Train",), "test": ("Test",), "both": ("Train", "Test")}


class _ScoreDisplay(Display):
    """Mean scores of the training and the test parts, and their spread."""

    train_scores: Any
    test_scores: Any
    score_name: str | None
    lines_: Any
    errorbar_: Any
    fill_between_: Any

    def _score_columns(self) -> dict[str, Any]:
        scores = {"train": np.asarray(self.train_scores), "test": np.asarray(self.test_scores)}
        return {
            f"{part}_{statistic}": getattr(values, statistic)(axis=1)
            for part, values in scores.items()
            for statistic in ("mean", "std")
        }

    def _draw(
        self,
        x: Any,
        xlabel: str,
        ax: Any,
        *,
        negate_score: bool,
        score_name: str | None,
        score_type: str,
        std_display_style: str | None,
        kwargs: tuple[Style, Style, Style],
    ) -> None:
        """Draw the scores with the arguments of lines, areas and error bars."""
        if std_display_style not in _STYLES:
            raise ValueError(
                f"Unknown std_display_style: {std_display_style}. Should be one of 'errorbar', "
                "'fill_between', or None."
            )
        if score_type not in _PARTS:
            raise ValueError(
                f"Unknown score_type: {score_type}. Should be one of 'test', 'train', or 'both'."
            )
        axes = self._set_axes(ax)
        x = _positions(x)
        sign = -1.0 if negate_score else 1.0
        scores = {"Train": np.asarray(self.train_scores), "Test": np.asarray(self.test_scores)}
        curves = {
            label: (x, sign * scores[label].mean(axis=1), scores[label].std(axis=1))
            for label in _PARTS[score_type]
        }
        line_kw, fill_between_kw, errorbar_kw = kwargs
        self.lines_ = self.errorbar_ = self.fill_between_ = None
        if std_display_style == "errorbar":
            self.errorbar_ = [_error_bars(axes, c, name, errorbar_kw) for name, c in curves.items()]
        else:
            self.lines_ = [_line(axes, c, name, line_kw) for name, c in curves.items()]
        if std_display_style == "fill_between":
            self.fill_between_ = [
                _area(axes, curve, line, fill_between_kw)
                for curve, line in zip(curves.values(), self.lines_, strict=True)
            ]
        if _scale(x) != "linear":
            axes.set_xscale(_scale(x))
        axes.set(xlabel=xlabel, ylabel=self.score_name if score_name is None else score_name)
        light_axes(axes)
        legend_clear(axes)


class LearningCurveDisplay(_ScoreDisplay):
    """Picture of the scores against the number of training rows.

    Make it with `from_estimator`, which draws at once. A gap that stays between the curves speaks
    of too flexible a model, low scores of both of too rigid a one; test scores that still rise
    at the right end, of too few rows.

    Parameters
    ----------
    train_sizes : ndarray of shape (n_ticks,)
        Numbers of training rows.
    train_scores, test_scores : ndarray of shape (n_ticks, n_splits)
        Scores on the training and on the test parts.
    score_name : str, optional
        What the vertical axis says.

    Attributes
    ----------
    lines_ : list of Line2D or None
        Mean scores; None with error bars.
    fill_between_ : list of PolyCollection or None
        Mean plus and minus one standard deviation, as areas.
    errorbar_ : list of ErrorbarContainer or None
        The same as error bars.
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    learning_curve : The numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import LearningCurveDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> display = LearningCurveDisplay.from_estimator(Ridge(), X, y, train_sizes=[50, 200, 350])
    >>> display.frame()[["train_size", "train_mean", "test_mean"]].round(2)
       train_size  train_mean  test_mean
    0          50        0.18       0.13
    1         200        0.36       0.34
    2         350        0.43       0.41
    """

    def __init__(
        self,
        *,
        train_sizes: Any,
        train_scores: Any,
        test_scores: Any,
        score_name: str | None = None,
    ) -> None:
        self.train_sizes = train_sizes
        self.train_scores = train_scores
        self.test_scores = test_scores
        self.score_name = score_name

    def _columns(self) -> Mapping[str, Any]:
        return {"train_size": np.asarray(self.train_sizes), **self._score_columns()}

    def plot(
        self,
        ax: Any = None,
        *,
        negate_score: bool = False,
        score_name: str | None = None,
        score_type: str = "both",
        std_display_style: str | None = "fill_between",
        line_kw: Style = None,
        fill_between_kw: Style = None,
        errorbar_kw: Style = None,
    ) -> "LearningCurveDisplay":
        """Draw the scores.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        negate_score : bool, default=False
            Whether to change the sign of the scores, as for those named ``neg_*``.
        score_name : str, optional
            What the vertical axis says instead of `self.score_name`.
        score_type : {"both", "train", "test"}, default="both"
            Which scores to draw.
        std_display_style : {"fill_between", "errorbar"} or None, default="fill_between"
            How to show the standard deviation over the splits, if at all.
        line_kw, fill_between_kw, errorbar_kw : dict, optional
            Arguments of Matplotlib's ``plot``, ``fill_between`` and ``errorbar``.

        Returns
        -------
        self
        """
        self._draw(
            self.train_sizes,
            "Number of samples in the training set",
            ax,
            negate_score=negate_score,
            score_name=score_name,
            score_type=score_type,
            std_display_style=std_display_style,
            kwargs=(line_kw, fill_between_kw, errorbar_kw),
        )
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        train_sizes: Any = _SIZES,
        cv: Any = None,
        scoring: Any = None,
        exploit_incremental_learning: bool = False,
        n_jobs: int | None = None,
        pre_dispatch: Any = "all",
        verbose: int = 0,
        shuffle: bool = False,
        random_state: Any = None,
        error_score: Any = np.nan,
        fit_params: dict[str, Any] | None = None,
        ax: Any = None,
        negate_score: bool = False,
        score_name: str | None = None,
        score_type: str = "both",
        std_display_style: str | None = "fill_between",
        line_kw: Style = None,
        fill_between_kw: Style = None,
        errorbar_kw: Style = None,
    ) -> "LearningCurveDisplay":
        """Compute the learning curve of an estimator and draw it.

        Parameters
        ----------
        estimator, X, y, groups, train_sizes, cv, scoring, exploit_incremental_learning
            As for `learning_curve`.
        n_jobs, pre_dispatch, verbose, shuffle, random_state, error_score
            As for `learning_curve`.
        fit_params : dict, optional
            Arguments of ``fit``.
        score_name : str, optional
            What the vertical axis says; by default made of the name of `scoring`.
        ax, negate_score, score_type, std_display_style, line_kw, fill_between_kw, errorbar_kw
            As for `plot`.

        Returns
        -------
        LearningCurveDisplay
        """
        require_pyplot()
        train_sizes, train_scores, test_scores = learning_curve(
            estimator,
            X,
            y,
            groups=groups,
            train_sizes=train_sizes,
            cv=cv,
            scoring=scoring,
            exploit_incremental_learning=exploit_incremental_learning,
            n_jobs=n_jobs,
            pre_dispatch=pre_dispatch,
            verbose=verbose,
            shuffle=shuffle,
            random_state=random_state,
            error_score=error_score,
            params=fit_params,
        )
        display = cls(
            train_sizes=train_sizes,
            train_scores=train_scores,
            test_scores=test_scores,
            score_name=_name_of_score(score_name, scoring, negate_score),
        )
        return display.plot(
            ax,
            negate_score=negate_score,
            score_type=score_type,
            std_display_style=std_display_style,
            line_kw=line_kw,
            fill_between_kw=fill_between_kw,
            errorbar_kw=errorbar_kw,
        )


class ValidationCurveDisplay(_ScoreDisplay):
    """Picture of the scores against the values of one parameter.

    Make it with `from_estimator`, which draws at once.

    Parameters
    ----------
    param_name : str
        The parameter.
    param_range : array-like of shape (n_ticks,)
        Its values. The horizontal axis is logarithmic if their distances differ much; values that
        are no numbers stand at equal distances.
    train_scores, test_scores : ndarray of shape (n_ticks, n_splits)
        Scores on the training and on the test parts.
    score_name : str, optional
        What the vertical axis says.

    Attributes
    ----------
    lines_ : list of Line2D or None
        Mean scores; None with error bars.
    fill_between_ : list of PolyCollection or None
        Mean plus and minus one standard deviation, as areas.
    errorbar_ : list of ErrorbarContainer or None
        The same as error bars.
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    validation_curve : The numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import ValidationCurveDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> display = ValidationCurveDisplay.from_estimator(
    ...     Ridge(), X, y, param_name="alpha", param_range=[0.01, 1.0, 10.0]
    ... )
    >>> display.frame()[["alpha", "train_mean", "test_mean"]].round(2)
       alpha  train_mean  test_mean
    0   0.01        0.52       0.48
    1   1.00        0.44       0.41
    2  10.00        0.16       0.14
    """

    def __init__(
        self,
        *,
        param_name: str,
        param_range: Any,
        train_scores: Any,
        test_scores: Any,
        score_name: str | None = None,
    ) -> None:
        self.param_name = param_name
        self.param_range = param_range
        self.train_scores = train_scores
        self.test_scores = test_scores
        self.score_name = score_name

    def _columns(self) -> Mapping[str, Any]:
        return {self.param_name: _positions(self.param_range), **self._score_columns()}

    def plot(
        self,
        ax: Any = None,
        *,
        negate_score: bool = False,
        score_name: str | None = None,
        score_type: str = "both",
        std_display_style: str | None = "fill_between",
        line_kw: Style = None,
        fill_between_kw: Style = None,
        errorbar_kw: Style = None,
    ) -> "ValidationCurveDisplay":
        """Draw the scores.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        negate_score : bool, default=False
            Whether to change the sign of the scores, as for those named ``neg_*``.
        score_name : str, optional
            What the vertical axis says instead of `self.score_name`.
        score_type : {"both", "train", "test"}, default="both"
            Which scores to draw.
        std_display_style : {"fill_between", "errorbar"} or None, default="fill_between"
            How to show the standard deviation over the splits, if at all.
        line_kw, fill_between_kw, errorbar_kw : dict, optional
            Arguments of Matplotlib's ``plot``, ``fill_between`` and ``errorbar``.

        Returns
        -------
        self
        """
        self._draw(
            self.param_range,
            str(self.param_name),
            ax,
            negate_score=negate_score,
            score_name=score_name,
            score_type=score_type,
            std_display_style=std_display_style,
            kwargs=(line_kw, fill_between_kw, errorbar_kw),
        )
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        param_name: str,
        param_range: Any,
        groups: Any = None,
        cv: Any = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        pre_dispatch: Any = "all",
        verbose: int = 0,
        error_score: Any = np.nan,
        fit_params: dict[str, Any] | None = None,
        ax: Any = None,
        negate_score: bool = False,
        score_name: str | None = None,
        score_type: str = "both",
        std_display_style: str | None = "fill_between",
        line_kw: Style = None,
        fill_between_kw: Style = None,
        errorbar_kw: Style = None,
    ) -> "ValidationCurveDisplay":
        """Compute the validation curve of an estimator and draw it.

        Parameters
        ----------
        estimator, X, y, param_name, param_range, groups, cv, scoring
            As for `validation_curve`.
        n_jobs, pre_dispatch, verbose, error_score
            As for `validation_curve`.
        fit_params : dict, optional
            Arguments of ``fit``.
        score_name : str, optional
            What the vertical axis says; by default made of the name of `scoring`.
        ax, negate_score, score_type, std_display_style, line_kw, fill_between_kw, errorbar_kw
            As for `plot`.

        Returns
        -------
        ValidationCurveDisplay
        """
        require_pyplot()
        train_scores, test_scores = validation_curve(
            estimator,
            X,
            y,
            param_name=param_name,
            param_range=param_range,
            groups=groups,
            cv=cv,
            scoring=scoring,
            n_jobs=n_jobs,
            pre_dispatch=pre_dispatch,
            verbose=verbose,
            error_score=error_score,
            params=fit_params,
        )
        display = cls(
            param_name=param_name,
            param_range=np.asarray(param_range),
            train_scores=train_scores,
            test_scores=test_scores,
            score_name=_name_of_score(score_name, scoring, negate_score),
        )
        return display.plot(
            ax,
            negate_score=negate_score,
            score_type=score_type,
            std_display_style=std_display_style,
            line_kw=line_kw,
            fill_between_kw=fill_between_kw,
            errorbar_kw=errorbar_kw,
        )


Curve = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # positions, means, standard deviations


def _line(axes: Any, curve: Curve, label: str, given: Style) -> Any:
    look = merge_style({"label": label, "marker": "o", "markersize": 4.0}, given)
    return axes.plot(curve[0], curve[1], **look)[0]


def _error_bars(axes: Any, curve: Curve, label: str, given: Style) -> Any:
    look = {"label": label, "marker": "o", "markersize": 4.0, "capsize": 3.0}
    return axes.errorbar(*curve, **merge_style(look, given))


def _area(axes: Any, curve: Curve, line: Any, given: Style) -> Any:
    """Fill the area around a line with a pale shade of its colour."""
    from matplotlib.colors import to_rgb

    x, mean, std = curve
    shade = {"facecolor": tuple(0.5 + 0.5 * part for part in to_rgb(line.get_color()))}
    look = merge_style({"alpha": 0.5, "linewidth": 0.0, "zorder": 1.5}, given)
    if "color" not in look:
        look = {**shade, **look}
    return axes.fill_between(x, mean - std, mean + std, **look)


def _positions(values: Any) -> NDArray[Any]:
    """Return numbers as they are, and anything else as text."""
    array = np.asarray(values)
    return array if array.dtype.kind in "iuf" else np.array([str(value) for value in values])


def _scale(x: NDArray[Any]) -> str:
    """Return the scale of an axis: logarithmic if one gap is over five times another."""
    gaps = np.diff(np.unique(x)) if x.dtype.kind in "iuf" else np.empty(0)
    if len(gaps) == 0 or gaps.max() <= 5.0 * gaps.min():
        return "linear"
    return "log" if x.min() > 0 else "symlog"


def _name_of_score(score_name: str | None, scoring: Any, negate_score: bool) -> str:
    """Return what the vertical axis says of a score."""
    if score_name is not None:
        return score_name
    name: str = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
    is_negative = name.startswith("neg_") != negate_score
    name = name.removeprefix("neg_").replace("_", " ")
    return (f"Negative {name}" if is_negative else name).capitalize()
