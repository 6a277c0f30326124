"""CatBoost's classes, functions and files, on our engine and without CatBoost."""

from gramian.compat.catboost._classifier import CatBoostClassifier
from gramian.compat.catboost._load import load_model
from gramian.compat.catboost._models import CatBoost
from gramian.compat.catboost._parameters import PARAMETERS
from gramian.compat.catboost._pool import Pool
from gramian.compat.catboost._predictions import EFstrType
from gramian.compat.catboost._ranker import CatBoostRanker
from gramian.compat.catboost._regressor import CatBoostRegressor
from gramian.compat.catboost._train import cv, train

__all__ = [
    "PARAMETERS",
    "CatBoost",
    "CatBoostClassifier",
    "CatBoostRanker",
    "CatBoostRegressor",
    "EFstrType",
    "Pool",
    "cv",
    "load_model",
    "train",
]
