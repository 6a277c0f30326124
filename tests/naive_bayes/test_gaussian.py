"""Gaussian naive Bayes against scikit-learn, closed forms and further rows."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB as SklearnGaussianNB

from gramian.datasets import load_iris
from gramian.naive_bayes import GaussianNB


@pytest.fixture
def table(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(0, 3, 400)
    X = rng.standard_normal((400, 5)) * [1.0, 10.0, 0.1, 1e3, 1.0] + y[:, None]
    return X, y, rng


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_same_as_sklearn(table, priors, is_weighted):
    X, y, rng = table
    weight = rng.random(len(y)) if is_weighted else None
    # scikit-learn's smoothing ignores the weights
    params = {"priors": priors, "var_smoothing": 0.0 if is_weighted else 1e-9}
    ours = GaussianNB(**params).fit(X, y, sample_weight=weight)
    theirs = SklearnGaussianNB(**params).fit(X, y, sample_weight=weight)
    for name in ("class_count_", "class_prior_", "theta_", "var_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10)
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-10, atol=1e-300
    )
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_closed_form():
    """Two classes of one column: the log-odds are a difference of two normal log-densities."""
    model = GaussianNB(var_smoothing=0.0).fit([[0.0], [2.0], [5.0], [9.0]], ["a", "a", "b", "b"])
    np.testing.assert_allclose(model.theta_[:, 0], [1.0, 7.0])
    np.testing.assert_allclose(model.var_[:, 0], [1.0, 4.0])
    joint = model.predict_joint_log_proba([[3.0]])[0]
    expected = np.log(0.5) - 0.5 * np.log(2 * np.pi * np.array([1.0, 4.0])) - np.array([2.0, 2.0])
    np.testing.assert_allclose(joint, expected)


def test_further_rows_give_the_fit_of_all(table):
    X, y, _ = table
    whole = GaussianNB(var_smoothing=0.0).fit(X, y)
    parts = GaussianNB(var_smoothing=0.0)
    for rows in np.array_split(np.argsort(y, kind="stable"), 7):  # some parts miss a class
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(parts.theta_, whole.theta_, rtol=1e-10)
    np.testing.assert_allclose(parts.var_, whole.var_, rtol=1e-10)


def test_columns_far_from_zero_keep_their_digits():
    """A mean of 1e8 and a deviation of 1: squares of plain values would lose all digits."""
    X, y = load_iris(return_X_y=True)
    values = np.asarray(X, dtype=np.float64)
    near, far = GaussianNB().fit(values, y), GaussianNB().fit(values + 1e8, y)
    np.testing.assert_allclose(far.var_, near.var_, rtol=1e-6)


def test_rows_beyond_all_classes_are_judged_by_the_priors():
    model = GaussianNB(priors=[0.25, 0.75]).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1e200]]), [[0.25, 0.75]])
    assert model.predict([[1e200]]) == [1]


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ([0.5, 0.5], "Number of priors must match number of classes: 3"),
        ([0.5, 0.1, 0.1], "sum of the priors should be 1"),
        ([0.5, -0.1, 0.6], "Priors must be non-negative"),
    ],
)
def test_wrong_priors(table, priors, message):
    X, y, _ = table
    with pytest.raises(ValueError, match=message):
        GaussianNB(priors=priors).fit(X, y)


def test_wrong_further_rows(table):
    X, y, _ = table
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        GaussianNB().partial_fit(X, y)
    model = GaussianNB().partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(
        ValueError, match=r"label\(s\) \[3\] in y do not exist in the initial classes"
    ):
        model.partial_fit(X[:1], [3])


def test_variances_beyond_double_precision_are_refused():
    with pytest.raises(ValueError, match="too large for double precision"):
        GaussianNB().fit([[1e300], [-1e300]], [0, 1])
