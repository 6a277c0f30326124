"""Gradient boosting on binned tables."""
