"""Programs of the course notes, run with both libraries: only the imports differ."""

from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

LIBRARIES = ("sklearn", "gramian")


def grid_of(X):
    x1 = np.linspace(X[:, 0].min(), X[:, 0].max(), 100)
    x2 = np.linspace(X[:, 1].min(), X[:, 1].max(), 100)
    X1, X2 = np.meshgrid(x1, x2)
    return np.hstack([X1.reshape(-1, 1), X2.reshape(-1, 1)])


def blobs(library):
    datasets, svm = import_module(f"{library}.datasets"), import_module(f"{library}.svm")
    X, y = datasets.make_blobs(n_samples=200, n_features=2, centers=2, random_state=3)
    svm_classifier = svm.SVC(kernel="sigmoid", gamma="scale")
    svm_classifier.fit(X, y)
    return svm_classifier, X, y


def circles(library):
    datasets, svm = import_module(f"{library}.datasets"), import_module(f"{library}.svm")
    X, y = datasets.make_circles(n_samples=100, factor=0.3, noise=0.1, random_state=10)
    svm_classifier = svm.SVC(kernel="rbf", gamma=0.7)
    svm_classifier.fit(X, y)
    return svm_classifier, X, y


@pytest.mark.parametrize("example", [blobs, circles])
def test_boundaries_are_those_of_scikit_learn(example):
    (theirs, X, y), (ours, our_X, _) = (example(library) for library in LIBRARIES)
    assert_array_equal(our_X, X)
    assert_array_equal(ours.support_, theirs.support_)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3)
    grid = grid_of(X)
    assert (ours.predict(grid) == theirs.predict(grid)).mean() > 0.999
    assert ours.score(X, y) == theirs.score(X, y) == 1.0


def test_regression_of_a_sine():
    rng = np.random.RandomState(20)
    X = np.sort(5 * rng.rand(50))
    y = np.sin(X)
    X = X[:, np.newaxis]
    errors = {}
    for params in (
        {"kernel": "rbf", "C": 100, "gamma": 0.1, "epsilon": 0.1},
        {"kernel": "linear", "C": 100, "epsilon": 0.1},
        {"kernel": "poly", "C": 100, "degree": 3, "epsilon": 0.1, "coef0": 1},
    ):
        theirs, ours = (
            import_module(f"{library}.svm").SVR(**params).fit(X, y).predict(X)
            for library in LIBRARIES
        )
        assert_allclose(ours, theirs, atol=5e-3)
        errors[params["kernel"]] = np.abs(ours - y).max()
    assert errors["rbf"] < 0.11 < errors["linear"]


@pytest.mark.parametrize("columns", [[0, 3], [2, 3]])
def test_linear_classifier_of_virginica(columns):
    fitted = []
    for library in LIBRARIES:
        names = ("datasets", "pipeline", "preprocessing", "svm")
        datasets, pipeline, preprocessing, svm = (import_module(f"{library}.{n}") for n in names)
        iris = datasets.load_iris()
        X = iris["data"][:, columns]
        y = (iris["target"] == 2).astype("int")
        svm_clf = pipeline.Pipeline(
            [
                ("scaler", preprocessing.StandardScaler()),
                ("linear_svc", svm.LinearSVC(C=1.0, loss="hinge", dual="auto", random_state=36)),
            ]
        )
        svm_clf.fit(X, y)
        X_scaled = svm_clf["scaler"].transform(X)
        beta0 = svm_clf["linear_svc"].intercept_[0]
        beta1 = svm_clf["linear_svc"].coef_[0][0]
        beta2 = svm_clf["linear_svc"].coef_[0][1]
        line = -beta0 / beta2 - beta1 / beta2 * X_scaled[:, 0]
        fitted.append((svm_clf.predict(X), line))
        is_on_line = np.abs(svm_clf.decision_function(X)) < 1e-3  # one row is, at the optimum
    (theirs, their_line), (ours, our_line) = fitted
    assert_array_equal(ours[~is_on_line], theirs[~is_on_line])
    assert is_on_line.sum() <= 1
    assert_allclose(our_line, their_line, atol=1e-3)
