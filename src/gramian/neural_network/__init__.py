"""Neural networks: layers of neurons, fitted by back-propagation, and Boltzmann machines."""

from gramian.neural_network._classifier import MLPClassifier
from gramian.neural_network._rbm import BernoulliRBM
from gramian.neural_network._regressor import MLPRegressor

__all__ = ["BernoulliRBM", "MLPClassifier", "MLPRegressor"]
