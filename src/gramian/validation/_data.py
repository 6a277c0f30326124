"""What `check_fit` returns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._tags import tags_of
from gramian.encoding import TableEncoding

__all__ = ["FitData", "encoding_for"]


@dataclass(frozen=True, eq=False, slots=True)
class FitData:
    """Checked training data.

    Parameters
    ----------
    X : ndarray, CSR matrix, Table or BlockMatrix
        Features: a float32 or float64 matrix of any strides, possibly read-only; or CSR with
        sorted indices and no duplicates; or the table of a data frame, for estimators whose tag
        ``native_table`` is set; or a matrix that comes in blocks, where the tag ``blocks`` is set.
    y : ndarray or None
        Target.
    sample_weight : ndarray of float64 or None
        Weights of the rows.
    """

    X: Any
    y: NDArray[Any] | None
    sample_weight: NDArray[np.float64] | None

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns of `X`, after the encoding of a data frame."""
        return int(self.X.shape[1])


def encoding_for(estimator: Any, takes_sparse: bool) -> TableEncoding:
    """Return the encoding, not yet fitted, of the data frames that an estimator is given."""
    tags = tags_of(estimator)
    reads_words = tags.reads_words and takes_sparse
    return TableEncoding(scale=tags.scales_tables, text="words" if reads_words else "directions")
