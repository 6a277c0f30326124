"""LightGBM's names on the engine of `gramian.boosting`, and its models, read without it."""

from gramian.compat.lightgbm._booster import Booster
from gramian.compat.lightgbm._callbacks import (
    CallbackEnv,
    EarlyStopException,
    early_stopping,
    log_evaluation,
    record_evaluation,
    reset_parameter,
)
from gramian.compat.lightgbm._classifier import LGBMClassifier
from gramian.compat.lightgbm._dataset import Dataset
from gramian.compat.lightgbm._load import load_model
from gramian.compat.lightgbm._parameters import PARAMETERS
from gramian.compat.lightgbm._ranker import LGBMRanker
from gramian.compat.lightgbm._regressor import LGBMRegressor
from gramian.compat.lightgbm._train import CVBooster, cv, train
from gramian.compat.lightgbm._training import EvalResult

__all__ = [
    "PARAMETERS",
    "Booster",
    "CVBooster",
    "CallbackEnv",
    "Dataset",
    "EarlyStopException",
    "EvalResult",
    "LGBMClassifier",
    "LGBMRanker",
    "LGBMRegressor",
    "cv",
    "early_stopping",
    "load_model",
    "log_evaluation",
    "record_evaluation",
    "reset_parameter",
    "train",
]
