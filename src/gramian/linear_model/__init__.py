"""Models that are linear in their coefficients."""

from gramian.linear_model._elastic_net import ElasticNet, Lasso
from gramian.linear_model._linear_regression import LinearRegression
from gramian.linear_model._path import enet_path, lasso_path
from gramian.linear_model._ridge import Ridge

__all__ = ["ElasticNet", "Lasso", "LinearRegression", "Ridge", "enet_path", "lasso_path"]
