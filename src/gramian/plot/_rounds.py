"""What the rounds of a boosted fit have brought, in a picture or as text."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import CYCLE, GUIDE, Display, legend_above, require_pyplot, style
from gramian._typing import Floats
from gramian.plot._text_chart import text_chart
from gramian.validation import check_is_fitted


class RoundsDisplay(Display):
    """Picture of a loss or score after each round of a boosted fit.

    Make it with `rounds` or `from_estimator`, which draw at once. ``print(display)`` shows the
    curves as text, for which matplotlib is not needed.

    Parameters
    ----------
    curves : mapping of str to array-like
        The values after each round, by the name of the rows.
    metric : str, default="loss"
        What they are.
    first : int, default=1
        Number of rounds of the first value; 0 if it is that of no tree.
    best : int, optional
        Number of rounds at which the last curve is best, marked by a line.
    title : str, default=""
        Heading.

    Attributes
    ----------
    figure_ : Figure
    ax_ : Axes

    Examples
    --------
    >>> from gramian.plot import RoundsDisplay
    >>> display = RoundsDisplay({"new rows": [0.7, 0.5, 0.4, 0.45]}, best=3)
    >>> print(display.text(width=24, height=4))
    loss
    0.7 │**
        │  ****
        │      ******           *
    0.4 │            ***********
        └────────────────────────
         1                      4
         * new rows
    best: 0.4 after 3 rounds
    """

    _unit: ClassVar[str] = "rounds"

    def __init__(
        self,
        curves: Mapping[str, Any],
        *,
        metric: str = "loss",
        first: int = 1,
        best: int | None = None,
        title: str = "",
    ) -> None:
        self.curves: dict[str, Floats] = {
            str(name): np.asarray(values, dtype=np.float64) for name, values in curves.items()
        }
        if not self.curves or any(v.ndim != 1 or not v.size for v in self.curves.values()):
            raise ValueError("curves must hold at least one curve, each of one value or more.")
        self.metric, self.first, self.best, self.title = metric, int(first), best, title
        n_rounds = len(self._last)
        if best is not None and not self.first <= best < self.first + n_rounds:
            raise ValueError(
                f"best must be from {self.first} to {self.first + n_rounds - 1}, the rounds of "
                f"the last curve. Got {best!r}."
            )

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        *,
        metric: str | None = None,
        names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> RoundsDisplay:
        """Draw what a boosted model has kept of its rounds.

        Parameters
        ----------
        model : estimator
            A fitted boosted model: one with `evals_result_`, or with `train_score_`.
        metric : str, optional
            Which metric of `evals_result_`; by default the last, which decides early stopping.
        names : sequence of str, optional
            Names of the curves, in place of ``"validation_0"`` and so on.
        ax : Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        display : RoundsDisplay
            Drawn; without matplotlib there is a warning instead, and ``print(display)``.
        """
        check_is_fitted(model)
        found = _of_sets(model, metric) if hasattr(model, "evals_result_") else _of_scores(model)
        if metric not in (None, found["metric"]):
            raise ValueError(f"The model has kept {found['metric']!r} alone. Got {metric!r}.")
        if names is not None:
            found["curves"] = _renamed(found["curves"], names)
        display = cls(**found, title=f"{type(model).__name__} by rounds")
        try:
            require_pyplot()
        except ImportError as error:
            warnings.warn(f"{error}. print(display) shows the curves as text.", stacklevel=2)
            return display
        return display.plot(ax)

    @property
    def _last(self) -> Floats:
        return list(self.curves.values())[-1]

    def _rounds(self, values: Floats) -> NDArray[np.int64]:
        return np.arange(self.first, self.first + len(values))

    @property
    def best_value(self) -> float | None:
        """The value of the last curve at the best round; None if no round is marked."""
        return None if self.best is None else float(self._last[self.best - self.first])

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] = (6.4, 4.0)) -> RoundsDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default in a new figure.
        figsize : tuple of two floats, default=(6.4, 4.0)
            Width and height of a new figure in inches.

        Returns
        -------
        self
        """
        axes = self._set_axes(ax, figsize)
        for place, (name, values) in enumerate(self.curves.items()):
            color, marker = CYCLE[place % len(CYCLE)], "o" if len(values) == 1 else None
            axes.plot(self._rounds(values), values, color=color, label=name, marker=marker)
        if self.best is not None:
            self._mark_best(axes, self.best)
        style(axes, self.title, self._unit, self.metric)
        legend_above(axes, n_columns=3)
        return self

    def _mark_best(self, axes: Any, best: int) -> None:
        """Draw a line at the best round, and write what is reached there, off the curves."""
        color = CYCLE[(len(self.curves) - 1) % len(CYCLE)]
        axes.axvline(best, color=GUIDE, linestyle="--", linewidth=1.0, zorder=0)
        axes.plot([best], [self.best_value], "o", color=color)
        values = np.concatenate(list(self.curves.values()))
        is_low = float(self.best_value or 0.0) < 0.5 * (np.nanmin(values) + np.nanmax(values))
        is_late = best - self.first > 0.5 * max(map(len, self.curves.values()))
        axes.annotate(
            f"best: {self.best_value:.4g}\nafter {_counted(best)}",
            (best, 0.97 if is_low else 0.03),
            xycoords=("data", "axes fraction"),
            xytext=(-6 if is_late else 6, 0),
            textcoords="offset points",
            ha="right" if is_late else "left",
            va="top" if is_low else "bottom",
            color=color,
        )

    def text(self, width: int = 64, height: int = 12) -> str:
        """Return the curves as a chart of characters.

        Parameters
        ----------
        width, height : int, default=64, 12
            Columns and lines of the chart, without the labels.

        Returns
        -------
        str
        """
        if width < 8 or height < 2:
            raise ValueError(f"A chart needs 8 columns and 2 lines. Got {width!r} and {height!r}.")
        points = {name: (self._rounds(v).astype(float), v) for name, v in self.curves.items()}
        lines = [": ".join(filter(None, [self.title, self.metric]))]
        lines += text_chart(points, width, height)
        if self.best is not None:
            lines.append(f"best: {self.best_value:.4g} after {_counted(self.best)}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def _columns(self) -> Mapping[str, Any]:
        names = np.repeat(list(self.curves), [len(v) for v in self.curves.values()])
        return {
            "rows": names.tolist(),
            "rounds": np.concatenate([self._rounds(v) for v in self.curves.values()]),
            self.metric: np.concatenate(list(self.curves.values())),
        }


def _counted(number: int) -> str:
    return f"{number} round" if number == 1 else f"{number} rounds"


def _of_sets(model: Any, metric: str | None) -> dict[str, Any]:
    """Return the curves of evaluation sets."""
    sets = model.evals_result_
    if not sets:
        raise ValueError(
            f"This {type(model).__name__} was fitted without evaluation sets: pass "
            "eval_set=[(X, y), (X_new, y_new)] to fit."
        )
    *_, last = sets.values()
    *_, decisive = last
    chosen = decisive if metric is None else metric
    if chosen not in last:
        raise ValueError(f"metric must be one of {list(last)}. Got {metric!r}.")
    # The best round is counted from the first fit, the values from the last one.
    place = last[decisive].index(model.best_score_)
    first = model.best_iteration_ - place + 1
    return {
        "curves": {name: values[chosen] for name, values in sets.items()},
        "metric": chosen,
        "first": first,
        "best": first + place if chosen == decisive else None,
    }


def _of_scores(model: Any) -> dict[str, Any]:
    """Return the curves of training rows, and of those that were left out."""
    kept = {
        "training rows": getattr(model, "train_score_", ()),
        "validation rows": getattr(model, "validation_score_", ()),
        "rows out of the bag": getattr(model, "oob_scores_", ()),
    }
    curves = {name: np.asarray(values) for name, values in kept.items() if len(values)}
    if not curves:
        raise ValueError(
            f"This {type(model).__name__} has kept no curve of its rounds. Boosting on histograms "
            "keeps one with early_stopping=True, BoostingClassifier one of each eval_set."
        )
    if not hasattr(model, "scoring"):
        return {"curves": curves, "metric": "loss"}
    is_loss = model.scoring == "loss"
    *_, last = curves.values()
    return {
        "curves": {name: -values for name, values in curves.items()} if is_loss else curves,
        "metric": "loss" if is_loss else "score",
        "first": 0,
        "best": int(last.argmax()),
    }


def _renamed(curves: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    if isinstance(names, str) or len(set(names)) != len(curves):
        raise ValueError(
            f"names must hold a name for each curve, which are {list(curves)}. Got {names!r}."
        )
    return dict(zip(names, curves.values(), strict=True))


def rounds(
    model: Any,
    *,
    metric: str | None = None,
    names: Sequence[str] | None = None,
    ax: Any = None,
) -> RoundsDisplay:
    """Draw the loss, or another metric, after each round of a boosted fit.

    Parameters
    ----------
    model : estimator
        A fitted boosted model. `BoostingClassifier` and its kin keep a curve for each `eval_set`,
        `HistGradientBoostingClassifier` with ``early_stopping=True``, and
        `GradientBoostingClassifier` always.
    metric : str, optional
        Which metric of the evaluation sets; by default the last, which decides early stopping.
    names : sequence of str, optional
        Names of the curves.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    display : RoundsDisplay
        The picture, drawn; its `frame` has the numbers, and ``print(display)`` shows it as text.

    Examples
    --------
    >>> from gramian.boosting import BoostingRegressor
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.plot import rounds
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BoostingRegressor(n_estimators=50, random_state=0)
    >>> model = model.fit(X[:300], y[:300], eval_set=(X[300:], y[300:]), eval_metric="mae")
    >>> display = rounds(model, names=["new rows"])
    >>> display.best == model.best_iteration_ + 1
    True
    """
    return RoundsDisplay.from_estimator(model, metric=metric, names=names, ax=ax)
