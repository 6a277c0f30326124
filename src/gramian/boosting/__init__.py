"""Gradient boosting on binned tables."""

from gramian.boosting._bundles import FeatureBundles, bundle_exclusive_features
from gramian.boosting._classifier import BoostingClassifier
from gramian.boosting._evaluation import RoundReport
from gramian.boosting._ranker import BoostingRanker
from gramian.boosting._regressor import BoostingRegressor
from gramian.boosting._sampling import goss_sample
from gramian.boosting._statistics import ordered_target_statistics

__all__ = [
    "BoostingClassifier",
    "BoostingRanker",
    "BoostingRegressor",
    "FeatureBundles",
    "RoundReport",
    "bundle_exclusive_features",
    "goss_sample",
    "ordered_target_statistics",
]
