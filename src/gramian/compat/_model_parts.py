"""What the file of a model says, whichever library wrote it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.model import BoostedModel
from gramian._trees.trees import Trees
from gramian.compat._input_rules import InputRules
from gramian.exceptions import ModelFileError

__all__ = ["ModelParts", "in_single_precision", "rounds_used"]


@dataclass
class ModelParts:
    """What a file says of a model.

    Attributes
    ----------
    library, objective : str
        Who wrote it, and what was minimised, by the name it has there.
    trees : Trees
        The trees; tree t adds to the outputs of group t % n_groups.
    bias : ndarray of shape (n_groups * width of a leaf,)
        What the trees are added to.
    link : str
        A name of `LINKS`: what turns the sum into a prediction.
    rules : InputRules
        How rows are read.
    classes : ndarray or None
        The classes of a classifier.
    feature_names : list of str or None
        Names of the columns, unless the library made them up.
    n_iterations : int
        Number of rounds of boosting.
    best_iteration : int or None
        The round that early stopping found best, counted from 0, if the file names one.
    slope : float, default=1.0
        What the sum is multiplied by before the link.
    split_gain : ndarray or None
        What each split of the trees has gained, if that was read.
    """

    library: str
    objective: str
    trees: Trees
    bias: NDArray[np.float64]
    link: str
    rules: InputRules
    classes: NDArray[Any] | None
    feature_names: list[str] | None
    n_iterations: int
    best_iteration: int | None = None
    slope: float = 1.0
    split_gain: NDArray[np.float64] | None = None


def in_single_precision(model: BoostedModel) -> BoostedModel:
    """Return a model whose trees take float32 as it is, rather than after a cast to double."""
    trees = replace(model.trees, is_double=np.zeros_like(model.trees.is_double))
    return replace(model, trees=trees)


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
