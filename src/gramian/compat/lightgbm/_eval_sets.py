"""The evaluation sets that users hand to LightGBM's estimators."""

from dataclasses import dataclass
from typing import Any

from gramian._boosting.inputs import as_pairs

__all__ = ["EvalSets"]


@dataclass(frozen=True)
class EvalSets:
    """Arguments of ``fit`` about evaluation sets; see `LGBMRegressor.fit`."""

    eval_set: Any
    names: Any
    eval_sample_weight: Any
    eval_init_score: Any
    eval_X: Any
    eval_y: Any
    eval_class_weight: Any = None
    eval_group: Any = None

    def item(self, name: str, at: int) -> Any:
        """Return what an argument holds for an evaluation set; None if nothing is given for it."""
        given = getattr(self, name)
        if given is None:
            return None
        if isinstance(given, dict):
            return given.get(at)
        if not isinstance(given, (list, tuple)):
            raise TypeError(f"{name} must be a list or a dict. Got {type(given).__name__}.")
        return given[at] if at < len(given) else None

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return the evaluation sets as pairs of rows and target."""
        eval_X, eval_y = self.eval_X, self.eval_y
        if (eval_X is None) != (eval_y is None):
            raise ValueError("Pass both eval_X and eval_y, or neither.")
        if eval_X is None:
            return as_pairs(self.eval_set)
        if self.eval_set is not None:
            raise ValueError("Pass either eval_set, or eval_X and eval_y.")
        if not isinstance(eval_X, tuple):
            return [(eval_X, eval_y)]
        if not isinstance(eval_y, tuple) or len(eval_X) != len(eval_y):
            raise ValueError("eval_X and eval_y must be tuples of one length, or single sets.")
        return list(zip(eval_X, eval_y, strict=True))
