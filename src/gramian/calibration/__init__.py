"""Probabilities that mean what they say."""

from gramian.calibration._classifier import CalibratedClassifierCV
from gramian.calibration._curve import calibration_curve
from gramian.calibration._display import CalibrationDisplay

__all__ = ["CalibratedClassifierCV", "CalibrationDisplay", "calibration_curve"]
