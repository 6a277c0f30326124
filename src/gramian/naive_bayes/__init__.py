"""Naive Bayes: classes by Bayes' rule, as if the columns were independent within each class."""

from gramian.naive_bayes._gaussian import GaussianNB

__all__ = ["GaussianNB"]
