"""Discriminant analysis: classes with normal distributions, of one covariance or of their own."""

from gramian.discriminant_analysis._linear import LinearDiscriminantAnalysis
from gramian.discriminant_analysis._quadratic import QuadraticDiscriminantAnalysis

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]
