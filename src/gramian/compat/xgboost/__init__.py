"""XGBoost's classes and functions on our engine, and its model files."""

from gramian.compat.xgboost import callback
from gramian.compat.xgboost._booster import Booster
from gramian.compat.xgboost._cv import cv
from gramian.compat.xgboost._data import DMatrix, QuantileDMatrix
from gramian.compat.xgboost._estimators import XGBClassifier, XGBRanker, XGBRegressor
from gramian.compat.xgboost._forests import XGBRFClassifier, XGBRFRegressor
from gramian.compat.xgboost._load import load_model
from gramian.compat.xgboost._parameters import PARAMETERS
from gramian.compat.xgboost._plot import plot_importance
from gramian.compat.xgboost._train import train

__all__ = [
    "PARAMETERS",
    "Booster",
    "DMatrix",
    "QuantileDMatrix",
    "XGBClassifier",
    "XGBRFClassifier",
    "XGBRFRegressor",
    "XGBRanker",
    "XGBRegressor",
    "callback",
    "cv",
    "load_model",
    "plot_importance",
    "train",
]
