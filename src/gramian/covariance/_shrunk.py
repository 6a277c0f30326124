"""Covariances shrunk towards a multiple of the identity: of full rank, and closer to the truth."""

from typing import Any

import numpy as np

from gramian._covariance import (
    covariance_of,
    is_one_column,
    ledoit_wolf_amount,
    oas_amount,
    shrunk,
)
from gramian._spectral.operator import CentredRows, column_means
from gramian._typing import Floats
from gramian.covariance._empirical import EmpiricalCovariance, warn_of_one_row
from gramian.params import Integer, Real, check_arguments, param
from gramian.validation import FitData, check_array

__all__ = [
    "OAS",
    "LedoitWolf",
    "ShrunkCovariance",
    "ledoit_wolf",
    "ledoit_wolf_shrinkage",
    "oas",
    "shrunk_covariance",
]


def shrunk_covariance(emp_cov: Any, shrinkage: float = 0.1) -> Floats:
    """Return ``(1 - shrinkage) C + shrinkage tr(C) / p I``.

    Parameters
    ----------
    emp_cov : array-like of shape (..., n_features, n_features)
        Covariances.
    shrinkage : float, default=0.1
        How far to go, from 0 to 1.

    Examples
    --------
    >>> from gramian.covariance import shrunk_covariance
    >>> shrunk_covariance([[3.0, 1.0], [1.0, 1.0]], shrinkage=0.5)
    array([[2.5, 0.5],
           [0.5, 1.5]])
    """
    check_arguments("shrunk_covariance", shrinkage=(shrinkage, Real(0.0, 1.0)))
    covariance = check_array(emp_cov, allow_nd=True, dtype=np.float64)
    return shrunk(covariance, shrinkage)


class ShrunkCovariance(EmpiricalCovariance):
    """The covariance, shrunk by a given amount towards a multiple of the identity.

    ``(1 - shrinkage) C + shrinkage tr(C) / p I``.

    Parameters
    ----------
    store_precision : bool, default=True
        Whether to keep the inverse.
    assume_centered : bool, default=False
        Whether the means are known to be zero.
    shrinkage : float, default=0.1
        How far to go, from 0 to 1.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Means of the columns.
    covariance_ : ndarray of shape (n_features, n_features)
        The shrunk covariance.
    precision_ : ndarray of shape (n_features, n_features) or None
        Its (pseudo-)inverse.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.covariance import ShrunkCovariance
    >>> model = ShrunkCovariance(shrinkage=0.5).fit([[1.0, 2.0], [3.0, 3.0], [5.0, 7.0]])
    >>> model.covariance_.round(3)
    array([[3.167, 1.667],
           [1.667, 4.167]])
    """

    shrinkage: float = param(0.1, Real(0.0, 1.0))

    def _regularised(self, covariance: Floats, location: Floats, data: FitData, n: float) -> Floats:
        return shrunk(covariance, float(self.shrinkage))


class LedoitWolf(EmpiricalCovariance):
    """The covariance, shrunk by the amount of Ledoit and Wolf (2004).

    The amount is the one that makes the expected squared error least for many rows and columns,
    estimated from the spread of ``x x'`` about its mean, the covariance.

    Parameters
    ----------
    store_precision : bool, default=True
        Whether to keep the inverse.
    assume_centered : bool, default=False
        Whether the means are known to be zero.
    block_size : int, default=1000
        Taken for scikit-learn's sake: the sums take no memory beside the covariance.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Means of the columns.
    covariance_ : ndarray of shape (n_features, n_features)
        The shrunk covariance.
    precision_ : ndarray of shape (n_features, n_features) or None
        Its (pseudo-)inverse.
    shrinkage_ : float
        The amount, from 0 to 1.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.covariance import LedoitWolf
    >>> model = LedoitWolf().fit([[1.0, 2.0], [3.0, 3.0], [5.0, 7.0], [2.0, 1.0]])
    >>> round(model.shrinkage_, 4)
    0.5831
    """

    block_size: int = param(1000, Integer(1))

    shrinkage_: float

    def _regularised(self, covariance: Floats, location: Floats, data: FitData, n: float) -> Floats:
        self.shrinkage_ = 0.0
        if is_one_column(covariance):
            return covariance
        self.shrinkage_ = ledoit_wolf_amount(data.X, location, data.sample_weight, covariance)
        return shrunk(covariance, self.shrinkage_)


class OAS(EmpiricalCovariance):
    """The covariance, shrunk by the amount that approximates the oracle (Chen et al., 2010).

    For rows of a normal distribution it is closer to the best amount than that of Ledoit and Wolf.

    Parameters
    ----------
    store_precision : bool, default=True
        Whether to keep the inverse.
    assume_centered : bool, default=False
        Whether the means are known to be zero.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Means of the columns.
    covariance_ : ndarray of shape (n_features, n_features)
        The shrunk covariance.
    precision_ : ndarray of shape (n_features, n_features) or None
        Its (pseudo-)inverse.
    shrinkage_ : float
        The amount, from 0 to 1.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.covariance import OAS
    >>> model = OAS().fit([[1.0, 2.0], [3.0, 3.0], [5.0, 7.0], [2.0, 1.0]])
    >>> round(model.shrinkage_, 4)
    0.9016
    """

    shrinkage_: float

    def _regularised(self, covariance: Floats, location: Floats, data: FitData, n: float) -> Floats:
        self.shrinkage_ = 0.0
        if is_one_column(covariance):
            return covariance
        self.shrinkage_ = oas_amount(covariance, n)
        return shrunk(covariance, self.shrinkage_)


def ledoit_wolf_shrinkage(X: Any, assume_centered: bool = False, block_size: int = 1000) -> float:
    """Return the amount of shrinkage of Ledoit and Wolf.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    assume_centered : bool, default=False
        Whether the means are known to be zero.
    block_size : int, default=1000
        Taken for scikit-learn's sake.

    Examples
    --------
    >>> from gramian.covariance import ledoit_wolf_shrinkage
    >>> round(ledoit_wolf_shrinkage([[1.0, 2.0], [3.0, 3.0], [5.0, 7.0], [2.0, 1.0]]), 4)
    0.5831
    """
    check_arguments("ledoit_wolf_shrinkage", block_size=(block_size, Integer(1)))
    rows = check_array(X, dtype=(np.float64, np.float32))
    if is_one_column(rows):
        return 0.0
    warn_of_one_row(rows)
    n, p = rows.shape
    location = np.zeros(p) if assume_centered else column_means(rows)
    if n < p:  # the squares of a Gram matrix sum to those of the other one
        gram = CentredRows(rows, location).kernel() / n
    else:
        gram = covariance_of(rows, None, location)[1]
    return ledoit_wolf_amount(rows, location, None, gram)


def ledoit_wolf(
    X: Any, *, assume_centered: bool = False, block_size: int = 1000
) -> tuple[Floats, float]:
    """Return the covariance shrunk by the amount of Ledoit and Wolf, and that amount.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    assume_centered : bool, default=False
        Whether the means are known to be zero.
    block_size : int, default=1000
        Taken for scikit-learn's sake.

    Examples
    --------
    >>> from gramian.covariance import ledoit_wolf
    >>> covariance, amount = ledoit_wolf([[1.0, 2.0], [3.0, 3.0], [5.0, 7.0], [2.0, 1.0]])
    >>> round(amount, 4)
    0.5831
    """
    model = LedoitWolf(
        assume_centered=assume_centered, block_size=block_size, store_precision=False
    ).fit(X)
    return model.covariance_, model.shrinkage_


def oas(X: Any, *, assume_centered: bool = False) -> tuple[Floats, float]:
    """Return the covariance shrunk as `OAS` does, and the amount.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    assume_centered : bool, default=False
        Whether the means are known to be zero.

    Examples
    --------
    >>> from gramian.covariance import oas
    >>> covariance, amount = oas([[1.0, 2.0], [3.0, 3.0], [5.0, 7.0], [2.0, 1.0]])
    >>> round(amount, 4)
    0.9016
    """
    model = OAS(assume_centered=assume_centered, store_precision=False).fit(X)
    return model.covariance_, model.shrinkage_
