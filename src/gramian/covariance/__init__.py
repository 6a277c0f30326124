"""Covariance matrices, as they are or shrunk towards a multiple of the identity."""

from gramian.covariance._empirical import EmpiricalCovariance, empirical_covariance, log_likelihood
from gramian.covariance._shrunk import (
    OAS,
    LedoitWolf,
    ShrunkCovariance,
    ledoit_wolf,
    ledoit_wolf_shrinkage,
    oas,
    shrunk_covariance,
)

__all__ = [
    "OAS",
    "EmpiricalCovariance",
    "LedoitWolf",
    "ShrunkCovariance",
    "empirical_covariance",
    "ledoit_wolf",
    "ledoit_wolf_shrinkage",
    "log_likelihood",
    "oas",
    "shrunk_covariance",
]
