"""Shapley values of tree ensembles."""
