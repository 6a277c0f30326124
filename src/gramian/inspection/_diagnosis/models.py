"""Imports the modules that register the diagnoses of models."""

from gramian.inspection._diagnosis import (  # noqa: F401
    boosting,
    cluster_trees,
    dbscan,
    discriminant,
    forest,
    glm,
    kmeans,
    linear,
    logistic,
    mixture,
    naive_bayes,
    neighbors,
    network,
    pca,
    svm,
    tree,
    tsne,
)
