"""Gradient boosting on binned tables."""

from gramian.boosting._sampling import goss_sample

__all__ = ["goss_sample"]
