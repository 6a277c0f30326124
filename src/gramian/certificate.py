"""What an optimiser proves about the solution it returns."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from gramian.persistence import persistable

__all__ = ["Certificate", "optimal_within"]

_LOOSE = 0.01  # a tolerance above which nobody would speak of an optimum


@persistable
@dataclass(frozen=True)
class Certificate:
    """How far a fitted model is from the optimum of its objective.

    Every number is computed from the returned solution and the data, not taken over from the
    solver's running estimates, so that a faulty solver cannot vouch for itself.

    Attributes
    ----------
    objective : float
        Value of the minimised function at the solution.
    optimality : float
        Relative size of what must vanish at the optimum (gradient or KKT residual).
    converged : bool
        Whether `optimality` (or `gap`) is within the tolerance asked for. Never if one of these, or
        `objective`, is not a finite number.
    statement : str
        One sentence for people.
    n_iter : int
        Iterations, or refinement steps of a direct method.
    dual_bound : float or None
        A proven lower bound on the optimum, where one is cheap.
    gap : float or None
        Relative distance between `objective` and `dual_bound`.
    details : mapping
        Further facts by name, such as ``condition``, ``rank`` and ``solver``.
    """

    objective: float
    optimality: float
    converged: bool
    statement: str
    n_iter: int = 0
    dual_bound: float | None = None
    gap: float | None = None
    details: Mapping[str, float | int | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        figures = (self.objective, self.optimality, self.gap)
        if all(figure is None or math.isfinite(figure) for figure in figures):
            return
        # The fields are frozen, and these two may not be as they were given.
        object.__setattr__(self, "converged", False)
        object.__setattr__(
            self,
            "statement",
            "not proven optimal: the objective, or its distance from the optimum, is not a finite "
            "number",
        )

    def __str__(self) -> str:
        return self.statement


def optimal_within(tol: float, figure: float = 0.0, name: str = "") -> str:
    """Return how a statement names a solution that is within the tolerance asked for.

    Parameters
    ----------
    tol : float
        The tolerance; a loose one makes nothing optimal.
    figure : float, default=0.0
        The relative distance from the optimum that was measured, where it is.
    name : str, default=""
        What a solution within a tight tolerance is called; by default so, with the tolerance.
    """
    if max(tol if not name else 0.0, figure) > _LOOSE:
        return f"as good as tol={tol:g} asks for"
    return name or f"optimal within tol={tol:g}"
