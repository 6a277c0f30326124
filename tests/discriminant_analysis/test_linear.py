"""Linear discriminants: scikit-learn's numbers, weights as copies, hard tables."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs

import gramian
from gramian.covariance import OAS
from gramian.datasets import load_iris
from gramian.discriminant_analysis import LinearDiscriminantAnalysis
from gramian.preprocessing import StandardScaler


def clouds(n, p, k, seed=0, apart=2.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + apart * rng.normal(size=(k, p))[y], y


@pytest.mark.parametrize("shape", [(300, 5, 3), (200, 12, 2), (40, 60, 3), (90, 4, 7)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_as_scikit_learn(shape, order):
    X, y = clouds(*shape)
    ours, theirs = (
        cls().fit(np.asarray(X, order=order), y) for cls in (LinearDiscriminantAnalysis, Theirs)
    )
    for name in ("coef_", "intercept_", "explained_variance_ratio_", "means_", "xbar_", "priors_"):
        expected = getattr(theirs, name)
        np.testing.assert_allclose(
            getattr(ours, name),
            expected,
            rtol=1e-9,
            atol=1e-9 * np.abs(expected).max(),
            err_msg=name,
        )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-8)
    assert ours.certificate_.converged


@pytest.mark.parametrize(
    "params",
    [
        {"solver": "lsqr"},
        {"solver": "lsqr", "shrinkage": "auto"},
        {"solver": "lsqr", "shrinkage": 0.2, "priors": [0.5, 0.3, 0.2]},
        {"solver": "eigen"},
        {"solver": "eigen", "shrinkage": "auto", "priors": [0.5, 0.3, 0.2]},
        {"solver": "svd", "priors": [0.5, 0.3, 0.2], "store_covariance": True},
    ],
)
def test_solvers_as_scikit_learn(params):
    X, y = clouds(150, 6, 3)
    ours, theirs = (cls(**params).fit(X, y) for cls in (LinearDiscriminantAnalysis, Theirs))
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)


def test_an_estimator_of_the_covariance():
    X, y = clouds(90, 6, 3)
    ours = LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=OAS()).fit(X, y)
    expected = sum(OAS().fit(X[y == k]).covariance_ for k in range(3)) / 3.0
    np.testing.assert_allclose(ours.covariance_, expected, rtol=1e-12)
    with pytest.raises(ValueError, match="does not have a covariance_"):
        LinearDiscriminantAnalysis(solver="eigen", covariance_estimator=StandardScaler()).fit(X, y)


def test_classes_far_apart_keep_the_digits_of_the_spread():
    """Means a million deviations apart: the spread within comes from rows about their own means."""
    X, y = clouds(400, 4, 2, apart=0.0)
    far = X + 1e6 * y[:, None]
    near = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    ours = LinearDiscriminantAnalysis(solver="lsqr").fit(far, y)
    np.testing.assert_allclose(ours.covariance_, near.covariance_, rtol=1e-9)


def test_iris_ratios():
    X, y = load_iris(return_X_y=True)
    ratio = LinearDiscriminantAnalysis().fit(X, y).explained_variance_ratio_
    np.testing.assert_allclose(ratio, [0.9912126, 0.0087874], atol=1e-7)


def test_weights_are_copies():
    X, y = clouds(60, 4, 3)
    weight = np.random.default_rng(1).integers(0, 4, 60)
    for params in ({}, {"solver": "lsqr", "shrinkage": "auto"}, {"solver": "eigen"}):
        ours = LinearDiscriminantAnalysis(**params).fit(X, y, sample_weight=weight)
        copies = LinearDiscriminantAnalysis(**params).fit(X.repeat(weight, 0), y.repeat(weight))
        np.testing.assert_allclose(ours.coef_, copies.coef_, rtol=1e-10)
        np.testing.assert_allclose(ours.intercept_, copies.intercept_, rtol=1e-10)


def test_directions_without_spread_are_left_out():
    X, y = clouds(100, 4, 3)
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.full(100, 0.1)])
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert model.certificate_.details["rank"] == 4
    assert model.certificate_.converged
    expected = LinearDiscriminantAnalysis().fit(X[:, :4], y).predict_proba(X[:, :4])
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)
    with pytest.raises(LinAlgError, match="solver='svd'"):
        LinearDiscriminantAnalysis(solver="eigen").fit(X, y)


def test_a_small_tolerance_keeps_small_directions():
    """A direction of spread 1e-7 of the others has its digits from the rows, not their Gram."""
    X, y = clouds(300, 4, 2)
    X = np.column_stack([X, X.sum(axis=1) + 1e-7 * np.random.default_rng(2).normal(size=300)])
    ours, theirs = (cls(tol=1e-12).fit(X, y) for cls in (LinearDiscriminantAnalysis, Theirs))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


def test_answers_agree():
    X, y = clouds(80, 3, 4)
    model = LinearDiscriminantAnalysis().fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p, rtol=1e-10, atol=1e-300)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(X)).all()


def test_threads_and_layouts_give_the_same_bits():
    X, y = clouds(20_000, 9, 3)
    prints = set()
    for n_threads in (1, 2, 4):
        for order in "CF":
            with gramian.config(n_threads=n_threads):
                model = LinearDiscriminantAnalysis().fit(np.asarray(X, order=order), y)
            prints.add(model.coef_.tobytes())
    assert len(prints) == 1


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"n_components": 3}, ValueError, "n_components=3, and 2 is the most"),
        ({"shrinkage": 0.1}, NotImplementedError, "shrinkage not supported"),
        ({"priors": [0.5, 0.5]}, ValueError, "3 classes"),
        ({"priors": [0.5, 0.6, -0.1]}, ValueError, "non-negative"),
        (
            {"solver": "lsqr", "shrinkage": 0.1, "covariance_estimator": OAS()},
            ValueError,
            "Only one",
        ),
    ],
)
def test_refusals(params, error, words):
    X, y = clouds(60, 4, 3)
    with pytest.raises(error, match=words):
        LinearDiscriminantAnalysis(**params).fit(X, y)
