"""The kernels "laplacian", "cosine" and "chi2" by name, against functions and their conditions."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import chi2_kernel, cosine_similarity, laplacian_kernel

import gramian
from gramian.datasets import make_classification, make_regression
from gramian.inspection import diagnose, worked
from gramian.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

GAMMA = 0.3
FUNCTIONS = {
    "laplacian": lambda A, B: laplacian_kernel(A, B, gamma=GAMMA),
    "cosine": cosine_similarity,
    "chi2": lambda A, B: chi2_kernel(A, B, gamma=GAMMA),
}
KERNELS = list(FUNCTIONS)


def rows(n, kernel, seed=0, p=6):
    X = np.random.default_rng(seed).normal(size=(n, p))
    if kernel == "chi2":
        X = np.abs(X)
        X[X < 0.5] = 0.0
    return X


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_machines_are_those_of_the_function(kernel, name):
    X = rows(90, kernel)
    y = (X[:, 0] + 0.5 * np.random.default_rng(1).normal(size=90) > X[:, 1]).astype(int)
    extra = {"nu": 0.4} if "nu" in vars(gramian.svm)[name]().get_params() else {}
    target = y if name.endswith("SVC") else y + X[:, 2]
    ours = getattr(gramian.svm, name)(kernel=kernel, gamma=GAMMA, tol=1e-7, **extra)
    theirs = getattr(sklearn.svm, name)(kernel=FUNCTIONS[kernel], tol=1e-7, **extra)
    ours.fit(X, target)
    theirs.fit(X, target)
    new = rows(40, kernel, seed=5)
    score = "predict" if name.endswith("SVR") else "decision_function"
    found, wanted = getattr(ours, score)(new), getattr(theirs, score)(new)
    assert_allclose(found, wanted, atol=2e-3 if name == "NuSVC" else 2e-5)
    if kernel != "cosine":  # whose rows have no more than six dimensions: alphas are not unique
        assert_array_equal(ours.support_, theirs.support_)
    assert ours.support_vectors_.shape == (len(ours.support_), 6)
    copy = gramian.clone(ours).fit(sp.csr_array(X), target)
    assert_allclose(getattr(copy, score)(sp.csr_array(new)), found, atol=1e-5)


def largest_violation(gram, y, alpha, C):
    """Return by how much the conditions of the dual problem of a classifier are violated."""
    gradient = y * (gram @ (alpha * y)) - 1.0
    up = np.where(y > 0, alpha < C, alpha > 0)
    low = np.where(y > 0, alpha > 0, alpha < C)
    f = y * gradient
    return max(f[low].max() - f[up].min(), abs(alpha @ y), (-alpha).max(), (alpha - C).max())


@pytest.mark.parametrize("kernel", KERNELS)
def test_conditions_of_optimality_on_random_problems(kernel):
    rng = np.random.default_rng(3)
    for seed in range(50):
        n, p, C = int(rng.integers(10, 90)), int(rng.integers(2, 9)), 10.0 ** rng.uniform(-1, 1.5)
        X = rows(n, kernel, seed, p)
        y = np.where(rng.normal(size=n) + X[:, 0] > 0.5, 1.0, -1.0)
        y[:2] = [1.0, -1.0]
        dtype = rng.choice([np.float32, np.float64])
        X = X.astype(dtype)
        model = SVC(kernel=kernel, gamma=GAMMA, C=C, tol=1e-6).fit(X, y)
        alpha = np.zeros(n)
        alpha[model.support_] = np.abs(model.dual_coef_[0])
        gram = FUNCTIONS[kernel](X.astype(np.float64), X.astype(np.float64))
        assert largest_violation(gram, y, alpha, C) < 3e-6, (seed, n, p, C)


@pytest.mark.parametrize("kernel", KERNELS)
def test_conditions_of_optimality_of_regression(kernel):
    rng = np.random.default_rng(4)
    for seed in range(10):
        n = int(rng.integers(10, 70))
        X, C, epsilon = rows(n, kernel, seed), 2.0, 0.1
        y = X[:, 0] + rng.normal(size=n)
        model = SVR(kernel=kernel, gamma=GAMMA, C=C, epsilon=epsilon, tol=1e-6).fit(X, y)
        coef = np.zeros(n)
        coef[model.support_] = model.dual_coef_[0]
        error = y - FUNCTIONS[kernel](X, X) @ coef - model.intercept_
        assert abs(coef.sum()) < 1e-9
        assert (np.abs(coef) <= C).all()
        assert (np.abs(error[coef == 0]) <= epsilon + 2e-6).all()
        free = (coef != 0) & (np.abs(coef) < C)
        assert_allclose(error[free], np.sign(coef[free]) * epsilon, atol=2e-6)
        at_bound = np.abs(coef) == C
        assert (np.sign(coef[at_bound]) * error[at_bound] >= epsilon - 2e-6).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_many_rows_use_single_precision_and_the_same_bits(kernel):
    X = rows(1500, kernel)
    y = (X[:, 0] + 0.3 * np.random.default_rng(1).normal(size=1500) > X[:, 1]).astype(int)
    rough = SVC(kernel=kernel, gamma=GAMMA).fit(X, y)
    fine = SVC(kernel=kernel, gamma=GAMMA, tol=1e-8).fit(X, y)
    assert_allclose(rough.decision_function(X), fine.decision_function(X), atol=1e-2)
    assert rough.certificate_.gap < 1e-2
    with gramian.config(n_threads=3):
        again = SVC(kernel=kernel, gamma=GAMMA).fit(X, y)
    assert gramian.fingerprint(again) == gramian.fingerprint(rough)


def test_laplacian_keeps_its_digits_far_from_the_origin():
    X = rows(60, "laplacian")
    y = (X[:, 0] > 0).astype(int)
    near = SVC(kernel="laplacian", gamma=GAMMA, tol=1e-6).fit(X, y)
    far = SVC(kernel="laplacian", gamma=GAMMA, tol=1e-6).fit(X + 2.0**30, y)
    assert_allclose(far.dual_coef_, near.dual_coef_, atol=1e-4)


def test_cosine_takes_rows_of_any_length():
    X = rows(40, "cosine")
    y = (X[:, 0] > 0).astype(int)
    wanted = SVC(kernel="cosine").fit(X, y).decision_function(X)
    scale = 2.0 ** np.random.default_rng(0).integers(-900, 900, size=(40, 1))
    found = SVC(kernel="cosine").fit(X * scale, y)
    assert_array_equal(found.decision_function(X * scale), wanted)
    zero = found.decision_function(np.zeros((1, 6)))
    assert_array_equal(zero, found.intercept_)


def test_chi2_takes_histograms_only():
    X = rows(40, "chi2")
    y = (X[:, 0] > X[:, 1]).astype(int)
    model = SVC(kernel="chi2").fit(X, y)
    X[3, 2] = -1.0
    for call in (lambda: model.predict(X), lambda: SVC(kernel="chi2").fit(X, y)):
        with pytest.raises(ValueError, match=r"not negative, but X has -1\.0"):
            call()
    with pytest.raises(ValueError, match="not negative"):
        OneClassSVM(kernel="chi2").fit(sp.csr_array(X))
    assert SVC(kernel="chi2").__sklearn_tags__().input_tags.positive_only
    assert not SVC().__sklearn_tags__().input_tags.positive_only


@pytest.mark.parametrize("kernel", KERNELS)
def test_worked_and_diagnosed(kernel):
    X = np.abs(make_classification(60, 4, random_state=0)[0])
    y = (X[:, 0] > X[:, 1]).astype(int)
    model = SVC(kernel=kernel, tol=1e-6).fit(X, y)
    assert "agree" in worked(model, X, y, X[:1]).steps[-1].text
    assert len(diagnose(model, X, y).findings) == 3


def test_several_classes_and_probabilities():
    X, y = make_classification(150, 6, n_informative=4, n_classes=3, random_state=0)
    ours = SVC(kernel="laplacian", gamma=GAMMA, tol=1e-6).fit(X, y)
    theirs = sklearn.svm.SVC(kernel=FUNCTIONS["laplacian"], tol=1e-6).fit(X, y)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    nu = NuSVC(kernel="laplacian", gamma=GAMMA, nu=0.2).fit(X, y)
    assert nu.score(X, y) > 0.9
    X, t = make_regression(80, 5, random_state=0)
    assert NuSVR(kernel="laplacian", C=100.0).fit(X, t).score(X, t) > 0.5
