"""Imports the modules that register the diagnoses of models."""

from gramian.inspection._diagnosis import (  # noqa: F401
    boosting,
    forest,
    glm,
    linear,
    logistic,
    naive_bayes,
    neighbors,
    network,
    svm,
    tree,
)
