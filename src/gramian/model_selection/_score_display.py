"""What displays of scores along a parameter share."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import Display, legend_clear, light_axes, merge_style

Style = Mapping[str, Any] | None
Curve = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # positions, means, standard deviations

_STYLES = ("errorbar", "fill_between", None)
_PARTS = {"train": ("Train",), "test": ("Test",), "both": ("Train", "Test")}


class ScoreDisplay(Display):
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

    def _axis(self) -> tuple[Any, str]:
        """Return what the scores are drawn against: the values, and the label of the axis."""
        raise NotImplementedError

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
    ) -> Self:
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
        values, xlabel = self._axis()
        x = positions(values)
        sign = -1.0 if negate_score else 1.0
        scores = {"Train": np.asarray(self.train_scores), "Test": np.asarray(self.test_scores)}
        curves = {
            label: (x, sign * scores[label].mean(axis=1), scores[label].std(axis=1))
            for label in _PARTS[score_type]
        }
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
        return self


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


def positions(values: Any) -> NDArray[Any]:
    """Return numbers as they are, and anything else as text."""
    array = np.asarray(values)
    return array if array.dtype.kind in "iuf" else np.array([str(value) for value in values])


def _scale(x: NDArray[Any]) -> str:
    """Return the scale of an axis: logarithmic if one gap is over five times another."""
    gaps = np.diff(np.unique(x)) if x.dtype.kind in "iuf" else np.empty(0)
    if len(gaps) == 0 or gaps.max() <= 5.0 * gaps.min():
        return "linear"
    return "log" if x.min() > 0 else "symlog"


def name_of_score(score_name: str | None, scoring: Any, negate_score: bool) -> str:
    """Return what the vertical axis says of a score."""
    if score_name is not None:
        return score_name
    name: str = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
    is_negative = name.startswith("neg_") != negate_score
    name = name.removeprefix("neg_").replace("_", " ")
    return (f"Negative {name}" if is_negative else name).capitalize()
