"""Models that are linear in their coefficients."""

from gramian.linear_model._elastic_net import ElasticNet, Lasso
from gramian.linear_model._elastic_net_cv import (
    ElasticNetCV,
    LassoCV,
    MultiTaskElasticNetCV,
    MultiTaskLassoCV,
)
from gramian.linear_model._firth import FirthLogisticRegression
from gramian.linear_model._glm_regressor import (
    GammaRegressor,
    PoissonRegressor,
    TweedieRegressor,
)
from gramian.linear_model._huber import HuberRegressor
from gramian.linear_model._linear_regression import LinearRegression
from gramian.linear_model._logistic import LogisticRegression
from gramian.linear_model._logistic_cv import LogisticRegressionCV
from gramian.linear_model._multi_task import MultiTaskElasticNet, MultiTaskLasso
from gramian.linear_model._path import enet_path, lasso_path
from gramian.linear_model._perceptron import Perceptron
from gramian.linear_model._quantile import QuantileRegressor
from gramian.linear_model._ridge import Ridge
from gramian.linear_model._ridge_classifier import RidgeClassifier
from gramian.linear_model._ridge_cv import RidgeClassifierCV, RidgeCV
from gramian.linear_model._ridge_regression import ridge_regression
from gramian.linear_model._sgd_classifier import SGDClassifier
from gramian.linear_model._sgd_one_class import SGDOneClassSVM
from gramian.linear_model._sgd_regressor import SGDRegressor

__all__ = [
    "ElasticNet",
    "ElasticNetCV",
    "FirthLogisticRegression",
    "GammaRegressor",
    "HuberRegressor",
    "Lasso",
    "LassoCV",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "Perceptron",
    "PoissonRegressor",
    "QuantileRegressor",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
    "SGDOneClassSVM",
    "SGDRegressor",
    "TweedieRegressor",
    "enet_path",
    "lasso_path",
    "ridge_regression",
]
