"""Imports the modules that register the calculations of models."""

from gramian.inspection._worked import (  # noqa: F401
    adaboost,
    bagging,
    basis,
    boosting,
    forest,
    glm,
    gradient,
    id3,
    lasso,
    linear,
    linear_svm,
    logistic,
    naive_bayes,
    neighbors,
    oblivious,
    perceptron,
    svm,
    target_statistics,
    tree,
    voting,
)
