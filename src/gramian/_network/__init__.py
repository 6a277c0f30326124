"""Multilayer perceptrons: shapes and first weights, the steps of a fit, its certificate."""
