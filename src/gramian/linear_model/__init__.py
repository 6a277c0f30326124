"""Models that are linear in their coefficients."""

from gramian.linear_model._linear_regression import LinearRegression
from gramian.linear_model._ridge import Ridge

__all__ = ["LinearRegression", "Ridge"]
