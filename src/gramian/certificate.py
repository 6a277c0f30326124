"""What an optimiser proves about the solution it returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gramian.persistence import persistable

__all__ = ["Certificate"]


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
        Whether `optimality` (or `gap`) is within the tolerance asked for.
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

    def __str__(self) -> str:
        return self.statement
