"""Pictures of models; they need matplotlib: ``pip install "gramian[plot]"``."""

from gramian.plot._regularization import RegularizationPathDisplay, regularization_path
from gramian.plot._residuals import ResidualsDisplay, residuals

__all__ = [
    "RegularizationPathDisplay",
    "ResidualsDisplay",
    "regularization_path",
    "residuals",
]
from gramian.plot._coefficients import CoefficientsDisplay, coefficients

__all__ = ["CoefficientsDisplay", "ResidualsDisplay", "coefficients", "residuals"]
