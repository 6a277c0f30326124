"""The native predictor of some trees, made when it is first asked."""

from typing import Any

from gramian import _core
from gramian._trees.trees import Trees

__all__ = ["LazyPredictor"]


class LazyPredictor:
    """Makes the predictor of some trees at the first call, on the threads of that call.

    Parameters
    ----------
    trees : Trees
        The trees.
    linear : object or None, default=None
        The linear functions of the leaves, if they have any.
    """

    def __init__(self, trees: Trees, linear: Any = None) -> None:
        self._trees, self._linear = trees, linear
        self._made: _core.TreePredictor | None = None

    def __call__(self, ctx: _core.Context) -> _core.TreePredictor:
        """Return the predictor."""
        if self._made is None:
            self._made = _core.TreePredictor(self._trees, self._linear, ctx=ctx)
        return self._made
