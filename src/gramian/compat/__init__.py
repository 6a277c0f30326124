"""Models of XGBoost, LightGBM and CatBoost, read from their files and used without them."""

from gramian.compat import catboost, lightgbm, xgboost
from gramian.compat._model import LoadedClassifier, LoadedRegressor

__all__ = ["LoadedClassifier", "LoadedRegressor", "catboost", "lightgbm", "xgboost"]
