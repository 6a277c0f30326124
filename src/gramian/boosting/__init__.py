"""Gradient boosting on binned tables."""

from gramian.boosting._bundles import FeatureBundles, bundle_exclusive_features
from gramian.boosting._sampling import goss_sample

__all__ = ["FeatureBundles", "bundle_exclusive_features", "goss_sample"]
