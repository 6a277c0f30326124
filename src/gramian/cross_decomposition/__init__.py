"""Directions of two tables that vary together: partial least squares, canonical correlation."""

from gramian.cross_decomposition._pls import CCA, PLSCanonical, PLSRegression
from gramian.cross_decomposition._svd import PLSSVD

__all__ = ["CCA", "PLSSVD", "PLSCanonical", "PLSRegression"]
