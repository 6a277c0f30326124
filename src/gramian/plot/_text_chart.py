"""Curves as plain text."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gramian._typing import Floats

_MARKS = "*o+x#"


def text_chart(curves: Mapping[str, tuple[Floats, Floats]], width: int, height: int) -> list[str]:
    """Return the lines of a chart of curves, the first one on top.

    Parameters
    ----------
    curves : mapping of str to (x, y)
        The points of each curve, by its name; x ascends.
    width, height : int
        Columns and lines of the area of the chart.
    """
    xs = np.concatenate([x for x, _ in curves.values()])
    ys = np.concatenate([y[np.isfinite(y)] for _, y in curves.values()])
    left, right = float(xs.min()), float(xs.max())
    low, high = (float(ys.min()), float(ys.max())) if len(ys) else (0.0, 0.0)
    places = np.linspace(left, right, width) if right > left else np.array([left])
    cells = [[" "] * len(places) for _ in range(height)]
    marks = dict(zip(curves, _MARKS * len(curves), strict=False))
    for name, (x, y) in reversed(list(curves.items())):
        values = np.interp(places, x, y)
        for column, value in enumerate(values.tolist()):
            if np.isfinite(value):
                fraction = (high - value) / (high - low) if high > low else 0.5
                cells[round(fraction * (height - 1))][column] = marks[name]
    labels = [f"{high:.4g}", *[""] * (height - 2), f"{low:.4g}"]
    margin = max(map(len, labels))
    lines = [
        f"{label:>{margin}} │{''.join(row)}".rstrip()
        for label, row in zip(labels, cells, strict=True)
    ]
    ends = f"{right:g}".rjust(len(places) - len(f"{left:g}"))
    lines += [f"{'':{margin}} └{'─' * len(places)}", f"{'':{margin}}  {left:g}{ends}"]
    return [*lines, f"{'':{margin}}  " + "   ".join(f"{marks[n]} {n}" for n in curves)]
