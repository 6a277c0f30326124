"""Some rows of a scan, such as those of a fold."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian.blocks._sources import Part, Source

__all__ = ["TakenRows", "mask_of"]


class TakenRows(Source):
    """Rows of another source by a mask; all of them are read, and the others forgotten."""

    def __init__(self, source: Source, mask: NDArray[np.bool_]) -> None:
        self._source, self._mask = source, mask
        self.is_repeatable, self.has_names = source.is_repeatable, source.has_names

    def parts(self) -> list[Part] | None:
        """Return the columns of each part."""
        parts = self._source.parts()
        if parts is None:
            return None
        return [Part(p.label, p.dtypes, 0 if p.n_rows == 0 else None) for p in parts]

    def frames(self, columns: Sequence[str] | None, n_rows: int) -> Iterator[tuple[str, Any]]:
        """Yield what the frames hold of the rows."""
        import narwhals.stable.v2 as nw

        first = 0
        for label, frame in self._source.frames(columns, n_rows):
            own = self._mask[first : first + len(frame)]
            first += len(frame)
            if first > len(self._mask):
                break
            if own.all():
                yield label, frame
            elif own.any():
                yield label, nw.from_native(frame, eager_only=True).filter(own.tolist()).to_native()
        if first != len(self._mask):
            raise ValueError(
                f"The source gave {first} rows or more in this pass and {len(self._mask)} before. "
                "The rows must stay the same while a model is evaluated."
            )


def mask_of(rows: ArrayLike, n_rows: int) -> NDArray[np.bool_]:
    """Return the mask of some rows by their numbers, which ascend."""
    numbers = np.asarray(rows)
    if numbers.dtype == np.bool_:
        return numbers
    if len(numbers) > 1 and not (np.diff(numbers) > 0).all():
        raise ValueError(
            "Rows of a scan are taken in their order, each once. Take KFold, StratifiedKFold or "
            "another splitter whose row numbers ascend."
        )
    mask = np.zeros(n_rows, np.bool_)
    mask[numbers] = True
    return mask
