"""Filling gaps in the data, and marking where they were."""

from gramian.impute._indicator import MissingIndicator
from gramian.impute._knn import KNNImputer
from gramian.impute._simple import SimpleImputer

__all__ = ["KNNImputer", "MissingIndicator", "SimpleImputer"]
