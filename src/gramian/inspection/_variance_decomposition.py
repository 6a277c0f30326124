"""Why averaging trees helps, and where it stops: variance and correlation of a forest's trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._drawing import Backend, frame_of
from gramian._typing import Floats
from gramian.params import Estimator, check_arguments


@dataclass(frozen=True)
class VarianceDecomposition:
    """The variance of a forest's prediction, from that of its trees.

    Attributes
    ----------
    rho : float
        Correlation between the predictions of two trees over the rows, the mean over all pairs.
    sigma2 : float
        Variance of one tree's prediction, the mean over the trees.
    n_trees : int
        Number of trees, B.
    measured : float
        Variance of the forest's own prediction.

    Examples
    --------
    >>> from gramian.inspection import VarianceDecomposition
    >>> found = VarianceDecomposition(rho=0.5, sigma2=2.0, n_trees=100, measured=1.0)
    >>> found.shared, found.averaged
    (1.0, 0.01)
    """

    rho: float
    sigma2: float
    n_trees: int
    measured: float

    @property
    def shared(self) -> float:
        """The part that more trees do not take away: ``rho * sigma2``."""
        return self.rho * self.sigma2

    @property
    def averaged(self) -> float:
        """The part that they do: ``(1 - rho) * sigma2 / n_trees``."""
        return (1.0 - self.rho) * self.sigma2 / self.n_trees

    @property
    def predicted(self) -> float:
        """The variance of the mean by the formula: ``shared + averaged``."""
        return self.shared + self.averaged

    def curve(self, n_trees: Any) -> Floats:
        """Return the variance that the formula gives for other numbers of trees."""
        counts = np.asarray(n_trees, dtype=np.float64)
        result: Floats = self.shared + (1.0 - self.rho) * self.sigma2 / counts
        return result

    def frame(self, backend: Backend = "pandas") -> Any:
        """Return the numbers as a data frame with the columns ``quantity`` and ``value``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the data frame.
        """
        names = ("rho", "sigma2", "n_trees", "shared", "averaged", "predicted", "measured")
        values = [float(getattr(self, name)) for name in names]
        return frame_of({"quantity": list(names), "value": values}, backend)

    def __str__(self) -> str:
        return (
            f"rho = {self.rho:.4g}, sigma^2 = {self.sigma2:.4g}, B = {self.n_trees}: "
            f"rho sigma^2 + (1 - rho) sigma^2 / B = {self.shared:.4g} + {self.averaged:.4g} = "
            f"{self.predicted:.4g}; measured {self.measured:.4g}"
        )


def variance_decomposition(model: Any, X: Any) -> VarianceDecomposition:
    """Measure the variance of a forest and of its trees, and the correlation between the trees.

    The mean of B trees of variance sigma^2, any two of which are correlated by rho, has the
    variance ``rho sigma^2 + (1 - rho) sigma^2 / B``: more trees shrink the second part only, and
    randomness in the splits lowers rho. Variances and correlations are those of the predictions
    over the rows of `X`; variances of several outputs are added up. The formula is exact for trees
    of equal variance; how near it comes to the measured variance tells how alike the trees are.

    Parameters
    ----------
    model : fitted forest or bagging of trees
    X : array-like or data frame of shape (n_samples, n_features)
        At least two rows; best such as the model has not seen.

    Returns
    -------
    VarianceDecomposition
        With `rho`, `sigma2`, `n_trees`, `measured`, and what the formula makes of them.
    """
    check_arguments(
        "variance_decomposition", model=(model, Estimator(("fit", "_tree_predictions")))
    )
    trees = np.asarray(model._tree_predictions(X), dtype=np.float64)
    n_rows, n_trees = trees.shape[:2]
    if n_rows < 2:
        raise ValueError(f"X must have at least 2 rows, for a variance. Got {n_rows}.")
    shifted = (trees - trees[:1]).reshape(n_rows, n_trees, -1)  # a constant tree gives zeros
    centred = shifted - shifted.mean(axis=0)
    variances = np.square(centred).mean(axis=0).sum(axis=1)
    measured = float(np.square(centred.mean(axis=1)).mean(axis=0).sum())
    rho = _mean_correlation(centred, variances)
    return VarianceDecomposition(rho, float(variances.mean()), n_trees, measured)


def _mean_correlation(centred: Floats, variances: Floats) -> float:
    """Return the mean correlation of two different trees; 1 if fewer than two vary at all.

    The correlations of all pairs, each tree with itself among them, add up to the variance of the
    sum of the standardised trees: no matrix of pairs is needed.
    """
    varies = variances > 0.0
    n_trees = int(varies.sum())
    if n_trees < 2:
        return 1.0
    standardised = np.einsum("ibk,b->ik", centred[:, varies], variances[varies] ** -0.5)
    total = float(np.square(standardised).mean(axis=0).sum())
    return (total - n_trees) / (n_trees * (n_trees - 1))
