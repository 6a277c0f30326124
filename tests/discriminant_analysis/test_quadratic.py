"""Quadratic discriminants: scikit-learn's numbers, weights as copies, hard tables."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as Theirs

import gramian
from gramian.covariance import LedoitWolf
from gramian.discriminant_analysis import QuadraticDiscriminantAnalysis


def clouds(n, p, k, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    shapes = rng.normal(size=(k, p, p))
    return np.einsum("ij,ijk->ik", rng.normal(size=(n, p)), shapes[y]) + y[:, None], y


@pytest.mark.parametrize("shape", [(300, 5, 3), (400, 12, 2), (900, 33, 4)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "params",
    [{}, {"reg_param": 0.2}, {"solver": "eigen", "shrinkage": "auto"}, {"solver": "eigen"}],
)
def test_as_scikit_learn(shape, order, params):
    X, y = clouds(*shape)
    X = np.asarray(X, order=order)
    params = {"store_covariance": True, "tol": 1e-8, **params}
    ours, theirs = (cls(**params).fit(X, y) for cls in (QuadraticDiscriminantAnalysis, Theirs))
    np.testing.assert_allclose(ours.means_, theirs.means_, atol=1e-12)
    for k in range(shape[2]):
        np.testing.assert_allclose(ours.scalings_[k], theirs.scalings_[k], rtol=1e-7)
        np.testing.assert_allclose(ours.covariance_[k], theirs.covariance_[k], atol=1e-9)
    scale = np.abs(theirs.decision_function(X)).max()
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), atol=1e-9 * scale
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.certificate_.converged


def test_variances_of_unlike_size_keep_their_digits():
    """Columns of sizes 1e6 and 1e-2: the small variance is lost in a Gram matrix."""
    rng = np.random.default_rng(3)
    y = np.arange(500) % 2
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    X = (rng.normal(size=(500, 3)) * [1e6, 1.0, 1e-1]) @ turn
    ours, theirs = (cls(tol=1e-9).fit(X, y) for cls in (QuadraticDiscriminantAnalysis, Theirs))
    for k in range(2):
        np.testing.assert_allclose(ours.scalings_[k], theirs.scalings_[k], rtol=1e-6)


def test_weights_are_copies():
    X, y = clouds(120, 4, 3)
    weight = np.random.default_rng(1).integers(0, 4, 120)
    for params in ({}, {"solver": "eigen", "shrinkage": "auto"}):
        ours = QuadraticDiscriminantAnalysis(**params).fit(X, y, sample_weight=weight)
        copies = QuadraticDiscriminantAnalysis(**params).fit(X.repeat(weight, 0), y.repeat(weight))
        np.testing.assert_allclose(
            ours.decision_function(X), copies.decision_function(X), rtol=1e-9, atol=1e-9
        )


def test_an_estimator_of_the_covariance():
    X, y = clouds(90, 5, 2)
    model = QuadraticDiscriminantAnalysis(
        solver="eigen", covariance_estimator=LedoitWolf(), store_covariance=True
    ).fit(X, y)
    for k in range(2):
        np.testing.assert_array_equal(model.covariance_[k], LedoitWolf().fit(X[y == k]).covariance_)


def test_threads_give_the_same_bits():
    X, y = clouds(20_000, 9, 3)
    prints = set()
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            model = QuadraticDiscriminantAnalysis().fit(X, y)
            prints.add(model.predict_proba(X).tobytes())
    assert len(prints) == 1


def test_refusals():
    X, y = clouds(60, 4, 3)
    with pytest.raises(LinAlgError, match=r"class 0 is not full rank.*Its rank is 4 of 5"):
        QuadraticDiscriminantAnalysis().fit(np.column_stack([X, X[:, 0]]), y)
    with pytest.raises(LinAlgError, match="class 0 has 3 samples and 4 features"):
        QuadraticDiscriminantAnalysis().fit(X[:9], y[:9])
    with pytest.raises(NotImplementedError, match="shrinkage not supported"):
        QuadraticDiscriminantAnalysis(shrinkage=0.1).fit(X, y)
    with pytest.raises(ValueError, match="only 1 sample in class 2"):
        QuadraticDiscriminantAnalysis().fit(X[:21], [0] * 10 + [1] * 10 + [2])
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        QuadraticDiscriminantAnalysis().fit(X, np.zeros(60))
