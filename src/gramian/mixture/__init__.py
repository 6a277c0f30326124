"""Mixtures of normal distributions: densities, and clusters with probabilities."""

from gramian.mixture._bayesian import BayesianGaussianMixture
from gramian.mixture._choice import ComponentChoice, choose_components
from gramian.mixture._gaussian import GaussianMixture

__all__ = ["BayesianGaussianMixture", "ComponentChoice", "GaussianMixture", "choose_components"]
