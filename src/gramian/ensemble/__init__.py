"""Many models as one: votes, stacks and bags of any estimators."""

from gramian.ensemble._bagging import BaggingClassifier, BaggingRegressor
from gramian.ensemble._stacking import StackingClassifier, StackingRegressor
from gramian.ensemble._voting import VotingClassifier, VotingRegressor

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "VotingClassifier",
    "VotingRegressor",
]
