"""Neural networks: layers of neurons, fitted by back-propagation."""

from gramian.neural_network._classifier import MLPClassifier
from gramian.neural_network._regressor import MLPRegressor

__all__ = ["MLPClassifier", "MLPRegressor"]
