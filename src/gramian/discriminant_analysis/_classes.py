"""What both analyses share: classed rows, priors, and covariances within the classes."""

import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._class_moments import ClassMoments, class_scatters, pooled_scatter
from gramian._covariance import ledoit_wolf_amount, shrunk
from gramian._labels import encode_labels
from gramian._linalg import matmul
from gramian._magnitude import require_squares
from gramian._spectral.operator import project
from gramian._typing import Floats
from gramian.base import clone
from gramian.blocks import is_blocks
from gramian.validation import check_fit

__all__ = [
    "ClassedRows",
    "checked_priors",
    "class_covariances",
    "pooled_covariance",
    "read_classes",
    "total_covariance",
]


@dataclass
class ClassedRows:
    """Rows with their classes, and the weight, means and variances of these."""

    X: Any
    weight: Floats | None
    classes: NDArray[Any]
    codes: NDArray[np.int64]
    moments: ClassMoments

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.moments.weight.sum())

    @cached_property
    def pooled(self) -> Floats:
        """The covariance within the classes, weighted as the rows are."""
        return self.scatter(self.weight) / self.total

    @property
    def within_variance(self) -> Floats:
        """The variances of the columns within the classes."""
        variance: Floats = self.moments.weight @ self.moments.variance / self.total
        return variance

    def times_pooled(self, V: Floats) -> Floats:
        """Return ``S V``, S the covariance within the classes, without it for wide rows."""
        n, p = self.X.shape
        if n >= p:
            return matmul(self.pooled, V)
        root = 1.0 if self.weight is None else np.sqrt(self.weight)[:, None]
        along = root * self.along(V) / self.total
        sums = np.zeros((self.n_classes, V.shape[1]))
        np.add.at(sums, self.codes, along)
        return matmul(self.X.astype(np.float64, copy=False).T, along) - self.moments.mean.T @ sums

    def scatter(self, row_weight: Floats | None) -> Floats:
        """Return the pooled scatter about the means of the classes."""
        return pooled_scatter(self.X, self.codes, row_weight, self.moments.mean)

    def scatters(self) -> Floats:
        """Return the scatter of each class."""
        return class_scatters(self.X, self.codes, self.weight, self.moments.mean)

    def along(self, directions: Floats) -> Floats:
        """Return the rows less the means of their classes, along some directions."""
        if is_blocks(self.X):
            products = np.concatenate([self._projected(rows, directions) for rows in self._blocks])
        else:
            products = self._projected(self.X, directions)
        products -= (self.moments.mean @ directions)[self.codes]
        return products if self.weight is None else products * np.sqrt(self.weight)[:, None]

    @property
    def _blocks(self) -> Iterator[NDArray[Any]]:
        found: Iterator[NDArray[Any]] = self.X.row_blocks()
        return found

    @staticmethod
    def _projected(X: Any, directions: Floats) -> Floats:
        rows = X.astype(np.float64, copy=False)
        constant = np.zeros(directions.shape[1])
        products: Floats = project(rows, np.ascontiguousarray(directions), constant)
        return products

    def parts(self) -> Iterator[tuple[Any, Floats | None]]:
        """Yield the rows of each class, and their weights."""
        for k in range(self.n_classes):
            own = self.codes == k
            yield self.X[own], None if self.weight is None else self.weight[own]


def read_classes(model: Any, X: Any, y: Any, sample_weight: Any, min_samples: int) -> ClassedRows:
    """Check what was passed to ``fit``; rows without weight are as good as absent."""
    data = check_fit(model, X, y, sample_weight, accept_sparse=False, min_samples=min_samples)
    assert data.y is not None
    rows, target, weight = data.X, data.y, data.sample_weight
    if weight is not None and not (weight > 0).all():
        present = weight > 0
        if not present.any():
            raise ValueError("The sum of sample_weight is 0; some row must have a positive weight.")
        rows, target, weight = rows[present], target[present], weight[present]
    classes, codes = encode_labels(target)
    codes = codes.astype(np.int64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        moments = ClassMoments.of(rows, codes, weight, len(classes))
        spread = float(moments.variance.sum())
    if not np.isfinite(spread) or spread < np.finfo(np.float64).tiny:
        require_squares(model, rows)
    if not np.isfinite(spread):
        raise ValueError("The variances of X are too large for double precision; scale X.")
    return ClassedRows(rows, weight, classes, codes, moments)


def checked_priors(priors: Any, moments: ClassMoments, *, normalise: bool) -> Floats:
    """Return the probabilities of the classes: given ones, or their fractions of the weight."""
    n_classes = len(moments.weight)
    if priors is None:
        fractions: Floats = moments.weight / moments.weight.sum()
        return fractions
    given = np.array(priors, dtype=np.float64)
    if given.shape != (n_classes,):
        raise ValueError(
            f"priors must hold one number for each of the {n_classes} classes, got {priors!r}."
        )
    if not (given >= 0).all():
        raise ValueError(f"priors must be non-negative, got {priors!r}.")
    total = float(given.sum())
    if not 0.0 < total < np.inf:
        raise ValueError(f"priors must have a positive, finite sum, got {priors!r}.")
    if normalise and abs(total - 1.0) > 1e-5:
        warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=3)
        given /= total
    return given


def pooled_covariance(rows: ClassedRows, priors: Floats, shrinkage: Any, estimator: Any) -> Floats:
    """Return ``sum_k priors_k C_k`` over the covariances of the classes."""
    if estimator is not None or shrinkage == "auto":
        by_class = class_covariances(rows, shrinkage, estimator)
        summed: Floats = np.einsum("k,kij->ij", priors, by_class)
        return summed
    fraction = rows.moments.weight / rows.total
    if np.array_equal(fraction, priors):
        pooled = rows.pooled
    else:
        by_row = (priors / rows.moments.weight)[rows.codes]
        pooled = rows.scatter(by_row if rows.weight is None else by_row * rows.weight)
    return pooled if shrinkage is None else shrunk(pooled, float(shrinkage))


def class_covariances(rows: ClassedRows, shrinkage: Any, estimator: Any) -> Floats:
    """Return the covariance of each class, shrunk or by an estimator where one is asked for."""
    if estimator is not None:
        return _estimated(rows, shrinkage, estimator)
    covariances = rows.scatters() / rows.moments.weight[:, None, None]
    if shrinkage is None:
        return covariances
    if shrinkage != "auto":
        return shrunk(covariances, float(shrinkage))
    for k, (part, weight) in enumerate(rows.parts()):
        covariances[k] = shrunk_by_ledoit_wolf(covariances[k], part, rows.moments.mean[k], weight)
    return covariances


def shrunk_by_ledoit_wolf(
    covariance: Floats, X: Any, mean: Floats, weight: Floats | None
) -> Floats:
    """Return a covariance shrunk in units of the columns' standard deviations."""
    p = len(covariance)
    scale = np.sqrt(np.diagonal(covariance))
    scale = np.where(scale > 0, scale, 1.0)
    if p == 1:
        return covariance
    correlation = covariance / scale / scale[:, None]
    amount = ledoit_wolf_amount(X, mean, weight, correlation, scale)
    return shrunk(correlation, amount) * scale * scale[:, None]


def _estimated(rows: ClassedRows, shrinkage: Any, estimator: Any) -> Floats:
    parts = [estimated_covariance(*part, shrinkage, estimator) for part in rows.parts()]
    return np.stack(parts)


def estimated_covariance(X: Any, weight: Floats | None, shrinkage: Any, estimator: Any) -> Floats:
    """Return the covariance that an estimator finds in some rows."""
    if shrinkage is not None and shrinkage != 0:
        raise ValueError(
            "covariance_estimator and shrinkage parameters are not None. Only one of the two can "
            "be set."
        )
    own = clone(estimator) if hasattr(estimator, "get_params") else deepcopy(estimator)
    if weight is None:
        own.fit(X)
    else:
        own.fit(X, sample_weight=weight)
    if not hasattr(own, "covariance_"):
        raise ValueError(f"{type(own).__name__} does not have a covariance_ attribute")
    return np.atleast_2d(np.asarray(own.covariance_, np.float64))


def total_covariance(rows: ClassedRows, shrinkage: Any, estimator: Any) -> Floats:
    """Return the covariance of all rows, about the mean of all."""
    if estimator is not None:
        return estimated_covariance(rows.X, rows.weight, shrinkage, estimator)
    fraction = rows.moments.weight / rows.total
    mean = fraction @ rows.moments.mean
    apart = np.sqrt(fraction)[:, None] * (rows.moments.mean - mean)
    covariance = rows.pooled + matmul(np.ascontiguousarray(apart.T), apart)
    if shrinkage == "auto":
        return shrunk_by_ledoit_wolf(covariance, rows.X, mean, rows.weight)
    return covariance if shrinkage is None else shrunk(covariance, float(shrinkage))
