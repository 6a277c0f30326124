"""How many rounds of boosting of a file to use."""

from typing import Any

from gramian.exceptions import ModelFileError
from gramian.params import Integer, Nothing, OneOf, check_arguments

__all__ = ["check_iterations", "rounds_used"]


def check_iterations(n_iterations: Any) -> None:
    """Check the argument of this name of `load_model`."""
    constraint = Integer(1) | OneOf("all") | Nothing()
    check_arguments("load_model", n_iterations=(n_iterations, constraint))


def rounds_used(n_iterations: Any, n_rounds: int, best: int | None = None) -> int:
    """Return the number of rounds: the given one, or up to the best one, or all."""
    if n_rounds < 1:
        raise ModelFileError("it holds no trees")
    if n_iterations == "all" or (n_iterations is None and best is None):
        return n_rounds
    if n_iterations is None:
        return min(max(best or 0, 0) + 1, n_rounds)
    if n_iterations > n_rounds:
        raise ValueError(f"n_iterations={n_iterations!r}: the model has {n_rounds} only.")
    return int(n_iterations)
