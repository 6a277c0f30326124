"""Ensembles as sequences of their members."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

__all__ = ["MemberSequence"]


class MemberSequence:
    """An ensemble that is indexed, counted and looped over by its ``estimators_``."""

    if TYPE_CHECKING:  # of the model that this is mixed into

        @property
        def estimators_(self) -> Any: ...

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)
