"""A picture of importances."""

from typing import Any

from gramian.compat.xgboost._base import XGBModel
from gramian.compat.xgboost._booster import Booster

__all__ = ["plot_importance"]


def plot_importance(
    booster: Any,
    ax: Any = None,
    height: float = 0.2,
    xlim: tuple[float, float] | None = None,
    ylim: tuple[float, float] | None = None,
    title: str = "Feature importance",
    xlabel: str = "Importance score",
    ylabel: str = "Features",
    importance_type: str = "weight",
    max_num_features: int | None = None,
    grid: bool = True,
    show_values: bool = True,
    values_format: str = "{v}",
    **kwargs: Any,
) -> Any:
    """Draw the importances of columns as bars.

    Parameters
    ----------
    booster : Booster, estimator or dict
        The trees, or importances by name.
    ax : matplotlib axes, optional
        Where to draw.
    height : float, default=0.2
        Height of a bar.
    xlim, ylim : (float, float), optional
        Limits of the axes.
    title, xlabel, ylabel : str
        Texts; empty: none.
    importance_type : str, default="weight"
        As for `Booster.get_score`.
    max_num_features : int, optional
        How many of the largest to draw; by default all.
    grid : bool, default=True
        Whether to draw a grid.
    show_values : bool, default=True
        Whether to write the values beside the bars.
    values_format : str, default="{v}"
        How.
    **kwargs
        Passed on to ``ax.barh``.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import gramian.compat.xgboost as xgb
    >>> xgb.plot_importance({"height": 3.0, "age": 5.0}).get_title()
    'Feature importance'
    """
    import matplotlib.pyplot as plt

    if isinstance(booster, XGBModel):
        booster = booster.get_booster()
    found = booster.get_score("", importance_type) if isinstance(booster, Booster) else booster
    if not found:
        raise ValueError("There is nothing to draw: no column is split.")
    ordered = sorted(found.items(), key=lambda item: item[1])
    if max_num_features is not None and max_num_features > 0:
        ordered = ordered[-max_num_features:]
    names, values = [name for name, _ in ordered], [value for _, value in ordered]
    axes = plt.subplots(1, 1)[1] if ax is None else ax
    places = list(range(len(names)))
    axes.barh(places, values, align="center", height=height, **kwargs)
    if show_values:
        for place, value in zip(places, values, strict=True):
            axes.text(value + 1, place, values_format.format(v=value), va="center")
    axes.set_yticks(places)
    axes.set_yticklabels(names)
    axes.set_xlim((0, max(values) * 1.1) if xlim is None else xlim)
    axes.set_ylim((-1, len(values)) if ylim is None else ylim)
    for text, setter in ((title, axes.set_title), (xlabel, axes.set_xlabel)):
        if text:
            setter(text)
    if ylabel:
        axes.set_ylabel(ylabel)
    axes.grid(grid)
    return axes
