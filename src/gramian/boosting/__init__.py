"""Gradient boosting on binned tables."""

from gramian._boosting.bundles import FeatureBundles, bundle_exclusive_features
from gramian._boosting.evaluation import RoundReport
from gramian._boosting.sampling import goss_sample
from gramian._boosting.statistics import ordered_target_statistics
from gramian.boosting._base import BaseBoosting as BaseBoosting
from gramian.boosting._classifier import BoostingClassifier
from gramian.boosting._ranker import BoostingRanker
from gramian.boosting._regressor import BoostingRegressor

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
