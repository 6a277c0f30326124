"""Pictures of partial dependence and of individual conditional expectations."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import Display, require_pyplot
from gramian.datasets import Bunch
from gramian.inspection._columns import columns_of
from gramian.inspection._dependence import dependence_drawing as drawing
from gramian.inspection._dependence.dependence_frame import long_columns
from gramian.inspection._dependence.dependence_panels import (
    check_kinds,
    check_subsample,
    panels_of,
    target_index,
)
from gramian.inspection._dependence.dependence_results import compute, deciles_of, output_index
from gramian.inspection._dependence.features import check_names
from gramian.inspection._dependence.partial_dependence import readable
from gramian.validation import check_random_state


class PartialDependenceDisplay(Display):
    """Partial dependence and individual conditional expectations (ICE), drawn.

    `from_estimator` makes one. One feature gives a curve (bars for a category), two give filled
    contours (a table of cells for two categories). The marks on the axes are the features'
    deciles: beyond them, the model has seen little.

    Parameters
    ----------
    pd_results : list of Bunch
        Results of `partial_dependence`, one for each panel.
    features : list of (int,) or (int, int)
        The features of each panel.
    feature_names : list of str
        Names of all features.
    target_idx : int
        The output to show: a class of three or more, or a target of several.
    deciles : dict
        Feature -> its deciles.
    kind : {"average", "individual", "both"} or list of them, default="average"
        What the panels show.
    subsample : float, int or None, default=1000
        How many rows, or which fraction of them, have their curve drawn; None draws all.
    random_state : int, RandomState, Generator or None, default=None
        Which rows those are.
    is_categorical : list of (bool,) or (bool, bool), optional
        Whether the features of each panel are categories.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
    bounding_ax_ : matplotlib Axes or None
        The axes in whose place the panels are; None if the panels' axes were given.
    axes_ : ndarray of matplotlib Axes
        The panels.
    lines_, contours_, bars_, heatmaps_ : ndarray of matplotlib artists
        What is drawn in each panel, None where it is something else; for curves of rows,
        `lines_` has one more dimension, with the average last.
    deciles_vlines_, deciles_hlines_ : ndarray of matplotlib artists
        Marks of the deciles.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.inspection import PartialDependenceDisplay
    >>> from gramian.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = Ridge().fit(X, y)
    >>> display = PartialDependenceDisplay.from_estimator(model, X, ["bmi", ("bmi", "s5")])
    >>> display.axes_.shape
    (1, 2)
    """

    bounding_ax_: Any
    axes_: NDArray[Any]
    lines_: NDArray[Any]
    contours_: NDArray[Any]
    bars_: NDArray[Any]
    heatmaps_: NDArray[Any]
    deciles_vlines_: NDArray[Any]
    deciles_hlines_: NDArray[Any]

    def __init__(
        self,
        pd_results: Sequence[Any],
        *,
        features: Sequence[Any],
        feature_names: Sequence[Any],
        target_idx: int,
        deciles: Mapping[int, Any],
        kind: Any = "average",
        subsample: Any = 1000,
        random_state: Any = None,
        is_categorical: Sequence[Any] | None = None,
    ) -> None:
        self.pd_results = pd_results
        self.features = features
        self.feature_names = feature_names
        self.target_idx = target_idx
        self.deciles = deciles
        self.kind = kind
        self.subsample = subsample
        self.random_state = random_state
        self.is_categorical = is_categorical

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        features: Any,
        *,
        sample_weight: Any = None,
        categorical_features: Any = None,
        feature_names: Any = None,
        target: Any = None,
        response_method: str = "auto",
        n_cols: int = 3,
        grid_resolution: int = 100,
        percentiles: tuple[float, float] = (0.05, 0.95),
        custom_values: dict[Any, Any] | None = None,
        method: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
        line_kw: dict[str, Any] | None = None,
        ice_lines_kw: dict[str, Any] | None = None,
        pd_line_kw: dict[str, Any] | None = None,
        contour_kw: dict[str, Any] | None = None,
        ax: Any = None,
        kind: Any = "average",
        centered: bool = False,
        subsample: Any = 1000,
        random_state: Any = None,
    ) -> PartialDependenceDisplay:
        """Compute and draw the partial dependence of a fitted model.

        Parameters
        ----------
        estimator, X, sample_weight, categorical_features, feature_names
            As for `partial_dependence`.
        features : list of int, str, or pairs of them
            One panel for each; a pair gives contours.
        target : class or int, optional
            The class, of three or more, or the number of the target, of several.
        response_method, grid_resolution, percentiles, custom_values, method
            As for `partial_dependence`.
        n_cols : int, default=3
            Most panels side by side.
        n_jobs : int or None, default=None
            Number of workers, through joblib; they share the panels out.
        verbose : int, default=0
            How much joblib prints.
        line_kw, ice_lines_kw, pd_line_kw, contour_kw, ax, centered
            As for `plot`.
        kind : {"average", "individual", "both"} or list of them, default="average"
            What the panels show: the average, the curves of single rows, or both.
        subsample, random_state
            Which rows have their curve drawn, as in the constructor.
        """
        options = {
            "sample_weight": sample_weight,
            "categorical_features": categorical_features,
            "feature_names": feature_names,
            "response_method": response_method,
            "percentiles": percentiles,
            "grid_resolution": grid_resolution,
            "custom_values": custom_values,
            "method": method,
        }
        shown = {"kind": kind, "subsample": subsample, "random_state": random_state}
        jobs = {"n_jobs": n_jobs, "verbose": verbose}
        display = cls._computed(estimator, X, features, target, options, shown, jobs, ax)
        return display.plot(
            ax=ax,
            n_cols=n_cols,
            line_kw=line_kw,
            ice_lines_kw=ice_lines_kw,
            pd_line_kw=pd_line_kw,
            contour_kw=contour_kw,
            centered=centered,
        )

    @classmethod
    def _computed(
        cls,
        estimator: Any,
        X: Any,
        features: Any,
        target: Any,
        options: dict[str, Any],
        shown: dict[str, Any],
        jobs: dict[str, Any],
        ax: Any,
    ) -> PartialDependenceDisplay:
        """Check everything, the axes too, then compute; return the display, not drawn yet."""
        pyplot = require_pyplot()
        target_idx = target_index(estimator, target)
        X = readable(X)
        table = columns_of(X)
        names = check_names(table, options["feature_names"])
        categories, resolution = options["categorical_features"], options["grid_resolution"]
        panels = panels_of(features, shown["kind"], categories, table, names, resolution)
        if ax is not None and not isinstance(ax, pyplot.Axes):
            _check_axes(ax, len(panels.features))
        check_subsample(shown["subsample"])
        results = compute(estimator, X, panels, {**options, "feature_names": names}, **jobs)
        return cls(
            results,
            features=panels.features,
            feature_names=names,
            target_idx=output_index(estimator, results[0], target, target_idx),
            deciles=deciles_of(panels, table),
            is_categorical=panels.is_categorical,
            **shown,
        )

    def plot(
        self,
        *,
        ax: Any = None,
        n_cols: int = 3,
        line_kw: dict[str, Any] | None = None,
        ice_lines_kw: dict[str, Any] | None = None,
        pd_line_kw: dict[str, Any] | None = None,
        contour_kw: dict[str, Any] | None = None,
        bar_kw: dict[str, Any] | None = None,
        heatmap_kw: dict[str, Any] | None = None,
        pdp_lim: dict[int, tuple[float, float]] | None = None,
        centered: bool = False,
    ) -> PartialDependenceDisplay:
        """Draw the panels.

        Parameters
        ----------
        ax : matplotlib Axes or array of them, optional
            One whose place the panels take, or one for each panel.
        n_cols : int, default=3
            Most panels side by side.
        line_kw, ice_lines_kw, pd_line_kw : dict, optional
            Arguments of matplotlib's ``plot`` for all curves, those of rows, and the average.
        contour_kw, bar_kw, heatmap_kw : dict, optional
            Arguments of ``contourf``, ``bar`` and ``imshow``.
        pdp_lim : dict, optional
            Number of features (1 or 2) -> range of the response; by default that of all panels.
        centered : bool, default=False
            Whether every curve begins at zero, so that their shapes can be compared.
        """
        pyplot = require_pyplot()
        kinds = check_kinds(self.kind, len(self.features))
        results = self._centred(kinds) if centered else list(self.pd_results)
        limits = pdp_lim or drawing.limits_of(results, kinds, self.target_idx)
        given = (line_kw, ice_lines_kw, pd_line_kw, contour_kw, bar_kw, heatmap_kw)
        looks = drawing.Looks(*[part or {} for part in given])
        if ax is None:
            width, height = drawing.PANEL_SIZE
            across = min(n_cols, len(kinds))
            size = (width * across, height * math.ceil(len(kinds) / across))
            _, ax = pyplot.subplots(figsize=size, layout="constrained")
        self._lay_out(ax, n_cols, pyplot.Axes)
        n_curves = self._make_room(kinds)
        for panel, result in enumerate(results):
            if len(result.grid_values) == 1:
                self._one_way(panel, result, kinds[panel], limits, looks, n_curves)
            else:
                self._two_way(panel, result, limits, looks)
        return self

    # -- parts of plot -----------------------------------------------------------------------------

    def _centred(self, kinds: Sequence[str]) -> list[Bunch]:
        """Return the results with the first value of each curve subtracted."""
        results = []
        for result, kind in zip(self.pd_results, kinds, strict=True):
            centred = Bunch(grid_values=result["grid_values"])
            if kind != "average":
                centred.individual = result.individual - result.individual[:, :, :1]
            if kind != "individual":
                centred.average = result.average - result.average[:, :1]
            results.append(centred)
        return results

    def _lay_out(self, ax: Any, n_cols: int, axes_type: type) -> None:
        n_panels = len(self.features)
        if isinstance(ax, axes_type):
            self.bounding_ax_, self.figure_ = ax, ax.figure  # type: ignore[attr-defined]
            self.axes_ = drawing.make_axes(ax, n_panels, n_cols)
            return
        self.axes_ = _check_axes(ax, n_panels)
        self.bounding_ax_, self.figure_ = None, self.axes_.flat[0].figure

    def _make_room(self, kinds: Sequence[str]) -> int:
        """Make the arrays of artists; return the number of curves of rows in a panel."""
        shape = self.axes_.shape
        names = ("contours_", "bars_", "heatmaps_", "deciles_vlines_", "deciles_hlines_")
        for name in names:
            setattr(self, name, np.full(shape, None, dtype=object))
        first = next((i for i, kind in enumerate(kinds) if kind != "average"), None)
        if first is None:
            self.lines_ = np.full(shape, None, dtype=object)
            return 0
        n_curves = self._n_drawn(self.pd_results[first].individual.shape[1])
        self.lines_ = np.full((*shape, n_curves + ("both" in kinds)), None, dtype=object)
        return n_curves

    def _n_drawn(self, n_rows: int) -> int:
        if isinstance(self.subsample, numbers.Integral):
            return min(int(self.subsample), n_rows)
        return n_rows if self.subsample is None else math.ceil(n_rows * self.subsample)

    def _one_way(
        self,
        panel: int,
        result: Any,
        kind: str,
        limits: Any,
        looks: drawing.Looks,
        n_curves: int,
    ) -> None:
        axes, column, target = self.axes_.flat[panel], self.features[panel][0], self.target_idx
        grid, is_category = result.grid_values[0], self._flags(panel)[0]
        average = None if kind == "individual" else result.average[target]
        if is_category and average is not None:
            self.bars_.flat[panel] = drawing.bars(axes, grid, average, looks)[0]
        else:
            individual = None
            if kind != "average":
                rows = check_random_state(self.random_state)
                chosen = rows.choice(result.individual.shape[1], n_curves, replace=False)
                individual = result.individual[target][chosen]
            drawn, means = drawing.curves(axes, grid, average, individual, looks)
            lines = self.lines_.reshape(self.axes_.size, -1)
            lines[panel, : len(drawn)] = drawn
            if means:
                lines[panel, -1 if drawn else 0] = means[0]
        n_columns = self.axes_.shape[1] if self.axes_.ndim == 2 else 1
        self.deciles_vlines_.flat[panel] = drawing.finish_one_way(
            axes,
            str(self.feature_names[column]),
            self.deciles.get(column),
            limits,
            is_first=panel % n_columns == 0,
            is_category=is_category,
        )

    def _two_way(self, panel: int, result: Any, limits: Any, looks: drawing.Looks) -> None:
        axes, columns = self.axes_.flat[panel], self.features[panel]
        names = [str(self.feature_names[column]) for column in columns]
        grid, average = result.grid_values, result.average[self.target_idx]
        if all(self._flags(panel)):
            self.heatmaps_.flat[panel] = drawing.heatmap(axes, grid, average, names, looks)
            return
        self.contours_.flat[panel] = drawing.contours(axes, grid, average, limits, looks)
        deciles = [self.deciles.get(column) for column in columns]
        marks = drawing.finish_two_way(axes, names, deciles)
        self.deciles_vlines_.flat[panel], self.deciles_hlines_.flat[panel] = marks

    def _flags(self, panel: int) -> Sequence[bool]:
        if self.is_categorical is None:
            return (False,) * len(self.features[panel])
        flags: Sequence[bool] = self.is_categorical[panel]
        return flags

    def _columns(self) -> Mapping[str, Any]:
        names = [[str(self.feature_names[c]) for c in columns] for columns in self.features]
        return long_columns(names, self.pd_results, self.target_idx)


def _check_axes(ax: Any, n_panels: int) -> NDArray[Any]:
    axes = np.asarray(ax, dtype=object)
    if axes.size != n_panels:
        raise ValueError(f"Expected ax to have {n_panels} axes, got {axes.size}")
    return axes
