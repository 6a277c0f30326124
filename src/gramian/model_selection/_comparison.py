"""What `compare` answers: a table, a picture, and the numbers behind them."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gramian._drawing import (
    GUIDE,
    LINE,
    POINT,
    Backend,
    Display,
    frame_of,
    legend_above,
    require_pyplot,
    style,
)
from gramian._text import difference, html_table, plus_minus, probability, seconds, text_table
from gramian._typing import Floats
from gramian.model_selection._corrected_test import ScoreDifference, corrected_ttest

_NOT_TOLD = "not told apart"
_NOTE = "p: corrected resampled t-test, by Holm's method for the number of tests"


@dataclass(frozen=True)
class MetricComparison:
    """The models by one measure.

    Attributes
    ----------
    metric : str
        The measure.
    scores : dict of str to ndarray of shape (n_splits,)
        Of each model, the best first.
    reference : str
        The model that the others are compared with: the baseline, or the best.
    differences : tuple of ScoreDifference
        To the reference, or of all pairs.
    """

    metric: str
    scores: dict[str, Floats]
    reference: str
    differences: tuple[ScoreDifference, ...]

    @property
    def to_reference(self) -> dict[str, ScoreDifference]:
        """The differences to the reference by model, those of other pairs left out."""
        return {d.model: d for d in self.differences if d.reference == self.reference}

    @property
    def best(self) -> str:
        """The model of the largest mean score."""
        return next(iter(self.scores))


class ModelComparison(Display):
    """Models cross-validated on the same splits; see `compare`.

    Attributes
    ----------
    metrics : dict of str to MetricComparison
        For each measure the scores, the best first, and the tests.
    metric : str
        The first measure; ``scores``, ``best``, ``reference`` and ``differences`` are by it.
    fit_times, score_times : dict of str to ndarray of shape (n_splits,)
        Seconds on each split, for each model.
    confidence : float
        Of intervals and claims.
    test_train_ratio : float
        Rows of a test part for each row of its training part.
    splitter : str
        How the rows were split; empty if the row numbers were given.
    """

    def __init__(
        self,
        *,
        metrics: dict[str, MetricComparison],
        fit_times: dict[str, Floats],
        score_times: dict[str, Floats],
        confidence: float,
        test_train_ratio: float,
        splitter: str = "",
    ) -> None:
        self.metrics = metrics
        self.metric = next(iter(metrics))
        self.fit_times = fit_times
        self.score_times = score_times
        self.confidence = confidence
        self.test_train_ratio = test_train_ratio
        self.splitter = splitter

    # -- the first measure -------------------------------------------------------------------------

    @property
    def scores(self) -> dict[str, Floats]:
        """The scores on each split by model, the best first."""
        return self.metrics[self.metric].scores

    @property
    def best(self) -> str:
        """The name of the model of the largest mean score."""
        return self.metrics[self.metric].best

    @property
    def reference(self) -> str:
        """The model that the others are compared with."""
        return self.metrics[self.metric].reference

    @property
    def differences(self) -> tuple[ScoreDifference, ...]:
        """The tests: against the reference, or of all pairs."""
        return self.metrics[self.metric].differences

    def _by(self, metric: str | None) -> MetricComparison:
        if metric is not None and metric not in self.metrics:
            names = ", ".join(self.metrics)
            raise ValueError(f"metric must be one of {names}, not {metric!r}.")
        return self.metrics[self.metric if metric is None else metric]

    # -- numbers -----------------------------------------------------------------------------------

    def frame(
        self,
        backend: Backend = "pandas",
        *,
        rows: Literal["models", "differences", "splits"] = "models",
    ) -> Any:
        """Return the numbers as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the data frame.
        rows : {"models", "differences", "splits"}, default="models"
            What a row is: a model (its mean, interval and difference to the reference), a test of
            two models, or a model on a split; each for each measure.

        Returns
        -------
        frame : data frame
        """
        tables = {
            "models": self._columns,
            "differences": self._difference_columns,
            "splits": self._split_columns,
        }
        if rows not in tables:
            raise ValueError(f"rows must be one of {', '.join(map(repr, tables))}, not {rows!r}.")
        return frame_of(tables[rows](), backend)

    def _columns(self) -> Mapping[str, Any]:
        rows = []
        for by in self.metrics.values():
            against = by.to_reference
            for name, scores in by.scores.items():
                own = corrected_ttest(scores, self.test_train_ratio, confidence=self.confidence)
                found = against.get(name)
                test = (np.nan,) * 7 if found is None else found.test
                rows.append(
                    {
                        "metric": by.metric,
                        "model": name,
                        "mean": own.mean,
                        "std": float(scores.std()),
                        "low": own.low,
                        "high": own.high,
                        "reference": by.reference,
                        "difference": test[0],
                        "difference_low": test[5],
                        "difference_high": test[6],
                        "pvalue": np.nan if found is None else found.pvalue,
                        "is_different": found is not None and found.is_different,
                        "fit_time": float(self.fit_times[name].mean()),
                        "score_time": float(self.score_times[name].mean()),
                    }
                )
        return _transposed(rows)

    def _difference_columns(self) -> Mapping[str, Any]:
        return _transposed(
            [
                {
                    "metric": by.metric,
                    "model": found.model,
                    "reference": found.reference,
                    "difference": found.test.mean,
                    "low": found.test.low,
                    "high": found.test.high,
                    "statistic": found.test.statistic,
                    "df": found.test.df,
                    "pvalue_alone": found.test.pvalue,
                    "pvalue": found.pvalue,
                    "is_different": found.is_different,
                }
                for by in self.metrics.values()
                for found in by.differences
            ]
        )

    def _split_columns(self) -> Mapping[str, Any]:
        return _transposed(
            [
                {
                    "metric": by.metric,
                    "model": name,
                    "split": split,
                    "score": float(score),
                    "fit_time": float(self.fit_times[name][split]),
                    "score_time": float(self.score_times[name][split]),
                }
                for by in self.metrics.values()
                for name, scores in by.scores.items()
                for split, score in enumerate(scores)
            ]
        )

    # -- text --------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        parts = [self._caption()]
        for by in self.metrics.values():
            parts.append(text_table(*self._table(by)))
            pairs = [found for found in by.differences if found.reference != by.reference]
            if pairs:
                parts.append(text_table(*self._pair_table(pairs), n_left=2))
        return "\n\n".join([*parts, _NOTE])

    def _repr_html_(self) -> str:
        parts = []
        for by in self.metrics.values():
            parts.append(html_table(f"{by.metric}: {self._caption()}", *self._table(by)))
            pairs = [found for found in by.differences if found.reference != by.reference]
            if pairs:
                parts.append(html_table("other pairs", *self._pair_table(pairs), n_left=2))
        return f"<div>{''.join(parts)}<small>{html.escape(_NOTE)}</small></div>"

    def _caption(self) -> str:
        n_splits = len(next(iter(self.scores.values())))
        how = f" of {self.splitter}" if self.splitter else ""
        return f"{len(self.scores)} models on {n_splits} splits{how}"

    def _interval_heading(self) -> str:
        return f"{100 * self.confidence:g} % interval"

    def _table(self, by: MetricComparison) -> tuple[list[str], list[list[str]]]:
        what = "best" if by.reference == by.best else "baseline"
        heading = ["model", by.metric, f"vs {what}", self._interval_heading(), "p"]
        rows = []
        for name, scores in by.scores.items():
            found = by.to_reference.get(name)
            rows.append(
                [
                    name,
                    plus_minus(float(scores.mean()), float(scores.std())),
                    *_cells(found),
                    seconds(self.fit_times[name].tolist()),
                    seconds(self.score_times[name].tolist()),
                    _remark(by, name, found),
                ]
            )
        return [*heading, "fit", "score", ""], rows

    def _pair_table(self, pairs: list[ScoreDifference]) -> tuple[list[str], list[list[str]]]:
        rows = [
            [
                found.model,
                found.reference,
                *_cells(found),
                "differs" if found.is_different else _NOT_TOLD,
            ]
            for found in pairs
        ]
        return ["model", "against", "difference", self._interval_heading(), "p", ""], rows

    # -- a picture ---------------------------------------------------------------------------------

    def plot(self, ax: Any = None, *, metric: str | None = None) -> "ModelComparison":
        """Draw each model's difference to the reference with its interval.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure if not given.
        metric : str, optional
            The measure; the first if not given.

        Returns
        -------
        self
            With the attributes ``figure_`` and ``ax_``.
        """
        pyplot = require_pyplot()
        by = self._by(metric)
        if ax is None:
            height = 1.4 + 0.38 * len(by.scores)
            _, ax = pyplot.subplots(figsize=(7.0, height), layout="constrained")
        self.figure_, self.ax_ = ax.figure, ax
        names = list(by.scores)
        ax.axvline(0.0, color=GUIDE, linewidth=1.0)
        ax.plot([0.0], [names.index(by.reference)], "D", color=GUIDE, label=by.reference)
        for is_different, colour, label in ((True, LINE, "differs"), (False, POINT, _NOT_TOLD)):
            shown = [d for d in by.to_reference.values() if d.is_different is is_different]
            if shown:
                _draw(ax, shown, names, color=colour, label=label)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        fraction = f"{100 * self.confidence:g} %"
        title = f"{by.metric}: difference to {by.reference}"
        style(ax, title, f"difference of the means, {fraction} interval", "")
        legend_above(ax, 3)
        return self


def _draw(ax: Any, shown: list[ScoreDifference], names: list[str], **look: str) -> None:
    tests = [found.test for found in shown]
    ax.errorbar(
        [test.mean for test in tests],
        [names.index(found.model) for found in shown],
        xerr=[[t.mean - t.low for t in tests], [t.high - t.mean for t in tests]],
        fmt="o",
        capsize=3,
        **look,
    )


def _cells(found: ScoreDifference | None) -> list[str]:
    if found is None:
        return ["", "", ""]
    test = found.test
    return [*difference(test.mean, test.low, test.high), probability(found.pvalue)]


def _remark(by: MetricComparison, name: str, found: ScoreDifference | None) -> str:
    n_failed = int(np.isnan(by.scores[name]).sum())
    if n_failed:
        return f"no score on {n_failed} splits"
    if found is not None:
        return "differs" if found.is_different else _NOT_TOLD
    return "best" if name == by.best else "baseline"


def _transposed(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}
