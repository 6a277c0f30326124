"""Dimension reduction: directions that keep most of the variance."""

from gramian.decomposition._pca import PCA

__all__ = ["PCA"]
