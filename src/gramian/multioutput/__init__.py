"""Several targets by estimators of one."""

from gramian.multioutput._chains import ClassifierChain, RegressorChain
from gramian.multioutput._separate import MultiOutputClassifier, MultiOutputRegressor

__all__ = ["ClassifierChain", "MultiOutputClassifier", "MultiOutputRegressor", "RegressorChain"]
