"""LinearRegression against scikit-learn, and on the shapes and scales that break solvers."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression as Reference

import gramian
from gramian.exceptions import NotFittedError
from gramian.linear_model import LinearRegression

SHAPES = [(50, 1), (200, 7), (1000, 65), (3000, 300), (12, 40), (1, 3), (5, 5)]


def make(rng, n, p, t=None, offset=3.0):
    X = rng.normal(size=(n, p)) + offset * rng.normal(size=p)
    coef = rng.normal(size=(p, t or 1))
    Y = X @ coef + rng.normal(size=(n, t or 1)) + 2.0
    return X, Y if t else Y[:, 0]


@pytest.mark.parametrize(("n", "p"), SHAPES)
@pytest.mark.parametrize("n_targets", [None, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_same_solution_as_scikit_learn(n, p, n_targets, weighted, fit_intercept):
    rng = np.random.default_rng(n * p)
    X, y = make(rng, n, p, n_targets)
    weight = rng.uniform(0.5, 2.0, size=n) if weighted else None
    ours = LinearRegression(fit_intercept=fit_intercept).fit(X, y, weight)
    theirs = Reference(fit_intercept=fit_intercept, tol=1e-14).fit(X, y, weight)
    assert ours.coef_.shape == theirs.coef_.shape
    scale = np.abs(theirs.coef_).max()
    assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-10 * max(scale, 1e-3))
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-9)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9, atol=1e-9)
    assert ours.certificate_.converged
    assert ours.certificate_.optimality < 1e-12


def test_attributes_of_a_dense_fit():
    X, y = make(np.random.default_rng(0), 100, 4)
    ours, theirs = LinearRegression().fit(X, y), Reference().fit(X, y)
    assert ours.rank_ == theirs.rank_ == 4
    assert_allclose(ours.singular_, theirs.singular_, rtol=1e-10)
    assert ours.n_features_in_ == 4
    assert ours.encoding_ is None
    assert np.ndim(ours.intercept_) == 0
    assert LinearRegression(fit_intercept=False).fit(X, y).intercept_ == 0.0


def test_column_target_keeps_two_dimensions():
    X, y = make(np.random.default_rng(0), 30, 3)
    model = LinearRegression().fit(X, y[:, None])
    assert model.coef_.shape == (1, 3)
    assert model.intercept_.shape == (1,)
    assert model.predict(X).shape == (30, 1)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_sparse_equals_dense(container, fit_intercept):
    rng = np.random.default_rng(1)
    X = sp.random_array((400, 30), density=0.2, rng=rng).toarray()
    y = X @ rng.normal(size=30) + rng.normal(size=400) + 5.0
    weight = rng.integers(0, 3, size=400).astype(float)
    dense = LinearRegression(fit_intercept=fit_intercept).fit(X, y, weight)
    sparse = LinearRegression(fit_intercept=fit_intercept).fit(container(X), y, weight)
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9)
    assert_allclose(sparse.predict(container(X)), dense.predict(X), rtol=1e-9, atol=1e-9)
    assert not hasattr(sparse, "rank_")


def test_wide_sparse_data_are_solved_iteratively_and_say_so():
    rng = np.random.default_rng(2)
    X = sp.random_array((300, 3000), density=0.01, rng=rng, format="csr")
    y = rng.normal(size=300)
    model = LinearRegression(tol=1e-12).fit(X, y)
    assert model.certificate_.details["solver"] == "lsqr"
    reference = Reference(tol=1e-14).fit(X.toarray(), y)
    assert_allclose(model.coef_, reference.coef_, atol=1e-6)


def test_float32_stays_float32_and_is_summed_in_float64():
    X, y = make(np.random.default_rng(3), 5000, 20, offset=100.0)
    single = LinearRegression().fit(X.astype(np.float32), y.astype(np.float32))
    double = LinearRegression().fit(X.astype(np.float32).astype(np.float64), y.astype(np.float32))
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    assert single.predict(X.astype(np.float32)).dtype == np.float32
    assert_allclose(single.coef_, double.coef_, rtol=2e-6)
    assert single.certificate_.converged


def test_duplicated_columns_share_their_coefficient():
    rng = np.random.default_rng(4)
    X, y = make(rng, 200, 5)
    model = LinearRegression().fit(np.column_stack([X, X[:, :2]]), y)
    assert model.rank_ == 5
    assert_allclose(model.coef_[:2], model.coef_[5:], rtol=1e-12)
    single = LinearRegression().fit(X, y)
    assert_allclose(model.coef_[:2] * 2, single.coef_[:2], rtol=1e-10)
    assert_allclose(model.predict(np.column_stack([X, X[:, :2]])), single.predict(X), rtol=1e-10)


def test_one_hot_columns_have_the_least_norm_solution():
    rng = np.random.default_rng(5)
    levels = rng.integers(0, 4, size=300)
    X = np.column_stack([np.eye(4)[levels], rng.normal(size=300)])
    y = levels + rng.normal(size=300)
    ours, theirs = LinearRegression().fit(X, y), Reference().fit(X, y)
    assert ours.rank_ == theirs.rank_ == 4
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)


def test_constant_columns_get_no_coefficient():
    X, y = make(np.random.default_rng(6), 100, 3)
    X = np.column_stack([X[:, 0], np.full(100, 0.1), X[:, 1:], np.full(100, 1e9 / 3)])
    model = LinearRegression().fit(X, y)
    assert_allclose(model.coef_[[1, 4]], 0.0)
    assert_allclose(model.predict(X), Reference().fit(X, y).predict(X), rtol=1e-8)


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8, 1e150])
def test_scaling_a_column_scales_its_coefficient(scale):
    X, y = make(np.random.default_rng(7), 300, 4)
    plain = LinearRegression().fit(X, y)
    scaled = LinearRegression().fit(X * np.array([1, 1, scale, 1]), y)
    assert_allclose(scaled.coef_[2] * scale, plain.coef_[2], rtol=1e-9)
    assert_allclose(scaled.coef_[[0, 1, 3]], plain.coef_[[0, 1, 3]], rtol=1e-9)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_squares_that_overflow_or_vanish(scale):
    X, y = make(np.random.default_rng(7), 50, 3)
    plain, scaled = LinearRegression().fit(X, y), LinearRegression().fit(X * scale, y)
    assert_allclose(scaled.coef_ * scale, plain.coef_, rtol=1e-9)
    assert scaled.certificate_.converged


def test_rows_without_weight_may_hold_anything():
    X, y = make(np.random.default_rng(7), 60, 3)
    weight = np.ones(60)
    weight[[0, 7]] = 0.0
    spoiled, spoiled_y = X.copy(), y.copy()
    spoiled[0], spoiled[7], spoiled_y[0] = 1e200, -1e150, 1e100
    reference = LinearRegression().fit(X, y, weight).coef_
    assert_allclose(LinearRegression().fit(spoiled, spoiled_y, weight).coef_, reference, rtol=1e-9)
    wide = LinearRegression().fit(np.tile(spoiled, 30), spoiled_y, weight)
    assert_allclose(wide.coef_, np.tile(reference, 30) / 30, rtol=1e-8)


@pytest.mark.parametrize("offset", [1e5, 1e8])
def test_sparse_columns_with_large_means(offset):
    """Centring happens on the moments of sparse data, where a large mean would eat the spread."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(500, 3))
    y = X @ np.array([1.0, 2.0, 3.0]) + 0.1 * rng.normal(size=500)
    X[:, 1] += offset
    dense = LinearRegression().fit(X, y)
    sparse = LinearRegression(tol=1e-14).fit(sp.csr_array(X), y)
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-5)


@pytest.mark.parametrize("offset", [1e6, 1e8, 1e10])
def test_large_offsets_do_not_cost_the_spread(offset):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(2000, 5))
    y = X @ np.arange(1.0, 6.0) + rng.normal(size=2000)
    shifted = X + offset
    exact = shifted - offset  # the data as they can be held at this offset
    reference = LinearRegression().fit(exact, y)
    assert_allclose(LinearRegression().fit(shifted, y).coef_, reference.coef_, rtol=1e-9)


def test_an_early_run_of_other_values_does_not_spoil_the_centring():
    """The cheap guess of the means must not decide the precision of the result."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(40_000, 3))
    X[:39_000, 0] += 1e9
    y = rng.normal(size=40_000) + X[:, 1]
    sorted_first = LinearRegression().fit(X, y)
    shuffled = rng.permutation(40_000)
    assert_allclose(
        sorted_first.coef_, LinearRegression().fit(X[shuffled], y[shuffled]).coef_, rtol=1e-6
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_positive_coefficients(weighted):
    rng = np.random.default_rng(10)
    X, Y = make(rng, 200, 6, 3)
    weight = rng.uniform(0.1, 2.0, size=200) if weighted else None
    ours = LinearRegression(positive=True).fit(X, Y, weight)
    theirs = Reference(positive=True).fit(X, Y, weight)
    assert (ours.coef_ >= 0).all()
    assert (ours.coef_ == 0).any()
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
    assert ours.certificate_.converged
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        LinearRegression(positive=True).fit(sp.csr_array(X), Y)


def test_a_wrong_solution_is_not_certified():
    """The certificate is taken from the data, so it cannot be fooled by a solver."""
    from gramian._linear.problem import Problem, centred_means, certify, measure
    from gramian.validation import FitData

    X, y = make(np.random.default_rng(11), 100, 3)
    problem = Problem.of(LinearRegression(), FitData(X, y, None), alpha=0.0)
    right = LinearRegression().fit(X, y).coef_[:, None]
    for coef, expected in ((right, True), (right * (1 + 1e-4), False)):
        solution = measure(problem, coef, solver="svd", means=centred_means(problem))
        assert certify(problem, solution, tol=0.0).converged is expected


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(60, 4), (4, 60)])
def test_non_finite_values_are_named(bad, shape):
    X = np.random.default_rng(12).normal(size=shape)
    X[2, 1] = bad
    with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity)"):
        LinearRegression().fit(X, np.ones(shape[0]))
    with pytest.raises(ValueError, match="Input y contains"):
        LinearRegression().fit(np.ones((3, 2)), [1.0, bad, 2.0])


def test_not_fitted():
    with pytest.raises(NotFittedError, match="not fitted"):
        LinearRegression().predict([[1.0]])


def test_interrupt_leaves_no_half_fitted_model():
    """Fitted attributes are set after the solver has returned, never before."""
    X, y = make(np.random.default_rng(13), 50, 3)
    model = LinearRegression().fit(X, y)
    before = gramian.fingerprint(model)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((5, 3), np.nan), np.ones(5))
    assert_allclose(model.predict(X), LinearRegression().fit(X, y).predict(X))
    assert gramian.fingerprint(model) == before


def test_listing_of_the_notes():
    """The course notes' program (linear regression, implementation), import changed."""
    rng = np.random.RandomState(42)
    X = 2 * rng.rand(100, 1)
    y = 4 + 3 * X + rng.normal(0, 1, (100, 1))
    ours, theirs = LinearRegression().fit(X, y), Reference().fit(X, y)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-12)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
