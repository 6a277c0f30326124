"""Margins and tubes without errors (``C=inf``): their bounds, and why there are none."""

import numpy as np

from gramian._kernel.machine import Solved
from gramian._typing import Floats

__all__ = ["no_boundary", "no_tube", "upper_bounds"]

_NAMED = 6  # rows of a combination that a message names
_ROUNDING = 1e-9  # shares of a combination that are none


def upper_bounds(C: float, weight: Floats) -> Floats:
    """Return ``C * weight``: infinite bounds, or 0, for an infinite C, else finite ones."""
    if np.isinf(C):
        return np.where(weight > 0.0, np.inf, 0.0)
    with np.errstate(over="ignore"):
        bounds: Floats = np.minimum(float(C) * weight, np.finfo(np.float64).max)
    return bounds


def no_boundary(part: Solved, labels: tuple[str, str], *, through_origin: bool = False) -> str:
    """Say which combinations of rows of two classes are the same point."""
    plane = "plane through the origin" if through_origin else "plane"
    first, second = (_combination(part, sign) for sign in (1.0, -1.0))
    meet = "add up to zero" if through_origin else "are the same point to within rounding"
    sides = [
        f"{rows} (class {label})"
        for rows, label in zip((first, second), labels, strict=True)
        if rows
    ]
    return (
        f"C=inf allows no errors, but no {plane} separates the classes {labels[0]} and "
        f"{labels[1]}: the combinations {' and '.join(sides)} {meet}. Take a finite C, or a kernel "
        "with more features, such as 'rbf'."
    )


def no_tube(part: Solved, epsilon: float) -> str:
    """Say which rows no function of the kernel has within the tube."""
    rows = _rows(part)
    named = ", ".join(map(str, rows[:_NAMED]))
    more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    return (
        f"C=inf allows no errors, but no function of this kernel is within epsilon={epsilon:g} of "
        f"the targets of rows {named}{more}: the combinations {_combination(part, 1.0)} and "
        f"{_combination(part, -1.0)} are the same point to within rounding, but their targets "
        "differ by more than the tube is wide. Take a finite C, a larger epsilon, or a kernel with "
        "more features."
    )


def _rows(part: Solved) -> list[int]:
    """Return the rows of both combinations, in order."""
    machine = part.machine
    used = np.flatnonzero(machine.alpha > _ROUNDING * machine.alpha.max())
    return sorted(set(machine.rows[used % len(machine.rows)].tolist()))


def _combination(part: Solved, sign: float) -> str:
    """Return the convex combination of the rows of a sign, as text."""
    machine = part.machine
    used = np.flatnonzero((machine.alpha > 0.0) & (machine.sign == sign))
    if not len(used):
        return ""
    share = machine.alpha[used] / machine.alpha[used].sum()
    rows = machine.rows[used % len(machine.rows)]
    order = [k for k in np.lexsort((rows, -share.round(9))) if share[k] > _ROUNDING]
    terms = [f"{share[k]:.3g} x row {rows[k]}" for k in order[:_NAMED]]
    if len(order) > _NAMED:
        terms.append(f"{len(order) - _NAMED} more")
    return " + ".join(terms)
