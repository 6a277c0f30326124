"""Many models as one: forests of trees; boosting, votes, stacks and bags of any estimators."""

from gramian.ensemble._ada_classifier import AdaBoostClassifier
from gramian.ensemble._ada_regressor import AdaBoostRegressor
from gramian.ensemble._bagging import BaggingClassifier, BaggingRegressor
from gramian.ensemble._blend import BlendClassifier, BlendRegressor
from gramian.ensemble._embedding import RandomTreesEmbedding
from gramian.ensemble._forest_classifiers import ExtraTreesClassifier, RandomForestClassifier
from gramian.ensemble._forest_regressors import ExtraTreesRegressor, RandomForestRegressor
from gramian.ensemble._gradient_boosting import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from gramian.ensemble._hist_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from gramian.ensemble._isolation import IsolationForest
from gramian.ensemble._stacking import StackingClassifier, StackingRegressor
from gramian.ensemble._voting import VotingClassifier, VotingRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BlendClassifier",
    "BlendRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "IsolationForest",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomTreesEmbedding",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
]
