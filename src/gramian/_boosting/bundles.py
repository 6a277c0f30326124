"""Exclusive feature bundling: many sparse columns in a few columns of codes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.bins import make_bins
from gramian.params import Real, check_arguments
from gramian.validation import check_array

__all__ = ["FeatureBundles", "bundle_exclusive_features"]


@dataclass(frozen=True, eq=False)
class FeatureBundles:
    """Columns of a table in bundles, each written as one column of codes.

    Attributes
    ----------
    bundles : list of list of int
        The columns of each bundle. Columns of a single bin are in none.
    codes : uint8 array of shape (n_samples, n_bundles)
        In a bundle of several columns, code 0 says that all of them are in their usual bin. In a
        bundle of one column the codes are its bins, the one after the last for missing values.
    offsets : list of int arrays
        For each bundle of several columns, the first code of each of its columns: the codes from
        there on stand for its bins but the usual one, in their order. Empty for a single column.
    usual_bins : int array of shape (n_features,)
        The usual bin of each column in a bundle of several, else -1.
    """

    bundles: list[list[int]]
    codes: NDArray[np.uint8]
    offsets: list[NDArray[np.int32]]
    usual_bins: NDArray[np.int32]


def bundle_exclusive_features(X: Any, max_conflict_rate: float = 0.0) -> FeatureBundles:
    """Put columns that are hardly ever away from their usual value together into bundles.

    Of the columns of a one-hot encoded variable one is 1 in each row and all others are 0: a single
    column can say which. The same holds for other sparse columns that happen not to meet. Boosting
    does this by itself; the time that it takes is by the number of bundles and not of columns, and
    the trees stay the same.

    Columns are first cut into at most 255 bins. A column takes part if at least half of the rows
    are in one bin, its usual one. From the fullest to the emptiest, each column joins the first
    bundle of which no column is away from its usual bin in the same row. The work is about
    proportional to the number of such entries.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        The table; NaN is a missing value. A sparse matrix is never written out.
    max_conflict_rate : float, default=0.0
        Fraction of the rows, less than 1, in which columns of a bundle may be away from their usual
        bins together. In such a row only the one that comes first in `X` is written; with 0 nothing
        is lost.

    Returns
    -------
    FeatureBundles
        The bundles and their codes.

    References
    ----------
    G. Ke et al., "LightGBM: A highly efficient gradient boosting decision tree", NeurIPS 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.boosting import bundle_exclusive_features
    >>> X = np.eye(3)[[0, 1, 2, 2, 1, 0]]  # one variable of three levels
    >>> found = bundle_exclusive_features(X)
    >>> found.bundles
    [[0, 1, 2]]
    >>> found.codes.ravel()
    array([1, 2, 3, 3, 2, 1], dtype=uint8)
    """
    check_arguments(
        "bundle_exclusive_features",
        max_conflict_rate=(max_conflict_rate, Real(0.0, 1.0, closed="left")),
    )
    X = check_array(X, accept_sparse=("csr", "csc"), ensure_all_finite="allow-nan")
    bins = make_bins(X, sharing="exclusive", max_conflict_rate=float(max_conflict_rate))
    places = bins.places()
    order = np.argsort(places["track"], kind="stable")
    starts = np.searchsorted(places["track"][order], np.arange(bins.n_tracks + 1))
    sets = [order[a:b] for a, b in pairwise(starts)]
    codes = np.empty((X.shape[0], len(sets)), np.uint8, order="F")
    for track in range(len(sets)):
        codes[:, track] = bins.codes(track)
    first, none = places["first_code"], np.empty(0, np.int32)
    return FeatureBundles(
        bundles=[columns.tolist() for columns in sets],
        codes=codes,
        offsets=[first[columns] if len(columns) > 1 else none for columns in sets],
        usual_bins=places["usual_bin"],
    )
