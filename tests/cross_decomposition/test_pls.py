"""Partial least squares and canonical correlation, against scikit-learn and their definitions."""

import warnings

import numpy as np
import pytest

from gramian.cross_decomposition import CCA, PLSSVD, PLSCanonical, PLSRegression
from gramian.exceptions import ConvergenceWarning
from gramian.linear_model import LinearRegression

theirs = pytest.importorskip("sklearn.cross_decomposition")

FITTED = (
    "x_weights_",
    "y_weights_",
    "x_loadings_",
    "y_loadings_",
    "x_rotations_",
    "y_rotations_",
    "coef_",
    "intercept_",
)


def make_tables(rng, n, p, q, offset=5.0):
    hidden = rng.normal(size=(n, 3))
    X = hidden @ rng.normal(size=(3, p)) + rng.normal(size=(n, p)) + offset
    return X, hidden @ rng.normal(size=(3, q)) + rng.normal(size=(n, q)) - offset


@pytest.mark.parametrize("cls", [PLSRegression, PLSCanonical, CCA, PLSSVD])
def test_same_numbers_as_scikit_learn(cls, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(8):
        # Correlations of fewer rows than columns are all one, and their directions arbitrary.
        n, p, q = rng.integers(40, 80), rng.integers(1, 30), rng.integers(1, 8)
        X, y = make_tables(rng, n, p, q, offset=float(rng.choice([0.0, 5.0, 1e4])))
        most = p if cls is PLSRegression else min(p, q)
        options = {"n_components": int(rng.integers(1, most + 1)), "scale": bool(rng.integers(2))}
        model = cls(**options).fit(X, y)
        expected = getattr(theirs, cls.__name__)(**options).fit(X, y)
        assert model.certificate_.converged
        assert getattr(model, "n_iter_", None) == getattr(expected, "n_iter_", None)
        for name in FITTED if cls is not PLSSVD else FITTED[:2]:
            size = np.abs(getattr(expected, name)).max()
            np.testing.assert_allclose(
                getattr(model, name), getattr(expected, name), rtol=1e-6, atol=1e-8 * size
            )
        for found, right in zip(model.transform(X, y), expected.transform(X, y), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-6, atol=1e-8 * np.abs(right).max())


@pytest.mark.parametrize("q", [1, 3])
def test_regression_on_all_components_is_least_squares(q):
    X, y = make_tables(np.random.default_rng(1), 50, 6, q)
    model = PLSRegression(n_components=6, tol=0.0).fit(X, y)
    expected = LinearRegression().fit(X, y).predict(X)
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-9)


def test_wide_tables():
    X, y = make_tables(np.random.default_rng(2), 30, 200, 2)
    for n_components in (1, 5, 20):
        model = PLSRegression(n_components).fit(X, y)
        expected = theirs.PLSRegression(n_components).fit(X, y)
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-10)


def test_correlations_are_those_of_the_whitened_tables():
    X, y = make_tables(np.random.default_rng(3), 300, 8, 4)
    model = CCA(n_components=4, tol=0.0).fit(X, y)
    first, second = model.transform(X, y)
    found = [np.corrcoef(first[:, k], second[:, k])[0, 1] for k in range(4)]
    bases = [np.linalg.qr(A - A.mean(axis=0))[0] for A in (X, y)]
    expected = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_dependent_columns_take_no_part_in_correlations():
    X, y = make_tables(np.random.default_rng(4), 100, 5, 3)
    doubled = np.hstack([X, X[:, :2] + X[:, 2:4]])
    plain, wider = (CCA(n_components=3, tol=0.0).fit(A, y) for A in (X, doubled))
    for first, second in zip(plain.transform(X, y), wider.transform(doubled, y), strict=True):
        scaled = [A / np.sqrt((A**2).sum(axis=0)) for A in (first, second)]
        np.testing.assert_allclose(np.abs((scaled[0] * scaled[1]).sum(axis=0)), 1.0, rtol=1e-9)


@pytest.mark.parametrize("algorithm", ["nipals", "svd"])
def test_exact_pairs_lead(algorithm):
    """Without a tolerance the covariance of the first scores is the largest singular value."""
    X, y = make_tables(np.random.default_rng(5), 60, 10, 7)
    model = PLSCanonical(3, scale=False, algorithm=algorithm, tol=0.0).fit(X, y)
    centred = X - X.mean(axis=0), y - y.mean(axis=0)
    largest = np.linalg.svd(centred[0].T @ centred[1], compute_uv=False)[0]
    first, second = model.transform(X, y)
    np.testing.assert_allclose(first[:, 0] @ second[:, 0], largest, rtol=1e-12)
    assert model.certificate_.optimality < 1e-12
    assert model.n_iter_ == []
    loose = PLSCanonical(3, scale=False).fit(X, y).certificate_
    assert 1e-9 < loose.optimality < 1e-2  # what the default tolerance leaves


def test_equal_values_take_the_direction_of_the_start():
    """Of a space in which all pairs are leading, the first column of y decides."""
    rng = np.random.default_rng(6)
    basis = np.linalg.qr(rng.normal(size=(40, 6)) - rng.normal(size=(40, 6)).mean(axis=0))[0]
    X = basis - basis.mean(axis=0)
    X = np.linalg.qr(X)[0][:, :4]
    found = PLSCanonical(1, scale=False, tol=0.0).fit(X, X[:, :3]).y_weights_[:, 0]
    np.testing.assert_allclose(np.abs(found), [1.0, 0.0, 0.0], atol=1e-7)


def test_rows_are_restored():
    X, y = make_tables(np.random.default_rng(7), 40, 4, 4)
    model = PLSCanonical(4).fit(X, y)
    back = model.inverse_transform(*model.transform(X, y))
    np.testing.assert_allclose(back[0], X, rtol=1e-9)
    np.testing.assert_allclose(back[1], y, rtol=1e-9)
    with pytest.raises(ValueError, match="X has 2 columns, but there are 4 components"):
        model.inverse_transform(np.ones((3, 2)))


def test_certificate_sees_wrong_weights():
    from gramian.cross_decomposition._blocks import Block
    from gramian.cross_decomposition._steps import Search, fit_components, stationarity

    X, y = make_tables(np.random.default_rng(8), 80, 6, 3)
    for is_whitened in (False, True):
        search = Search(True, is_whitened, None, 0.0)
        x, Y = Block(X, scale=True), Block(y, scale=True).dense()
        found, _ = fit_components(x, Y, 2, search)
        assert stationarity(x, Y, found, search)[0] < 1e-12
        found.x_weights[0, 0] += 1e-3
        assert stationarity(x, Y, found, search)[0] > 1e-5


def test_nothing_left_of_the_target():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(30, 4))
    with pytest.warns(UserWarning, match="y residual is constant at iteration 0"):
        model = PLSRegression(2).fit(X, np.ones(30))
    np.testing.assert_array_equal(model.predict(X), np.ones(30))
    np.testing.assert_array_equal(model.x_rotations_, 0.0)
    with pytest.warns(UserWarning, match="y residual is constant at iteration 1"):
        exact = PLSRegression(2, scale=False).fit(X[:, :1] * [1.0, 0.0], 3.0 * X[:, 0])
    np.testing.assert_allclose(exact.predict(X[:, :1] * [1.0, 0.0]), 3.0 * X[:, 0])


def test_too_few_steps_are_told():
    X, y = make_tables(np.random.default_rng(10), 40, 6, 5)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = PLSCanonical(3, max_iter=2, tol=1e-12).fit(X, y)
    assert not model.certificate_.converged


def test_copy_says_whether_arrays_are_overwritten():
    X, y = make_tables(np.random.default_rng(11), 40, 4, 2)
    for cls in (PLSRegression, CCA, PLSSVD):
        own, kept = X.copy(), cls().fit(X, y)
        model = cls(copy=False).fit(own, y.copy())
        np.testing.assert_allclose(own.std(axis=0, ddof=1), 1.0)
        np.testing.assert_allclose(own.mean(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(model.x_weights_, kept.x_weights_, rtol=1e-9)
        np.testing.assert_allclose(model.transform(X), kept.transform(X), rtol=1e-8, atol=1e-10)
    rows = X.copy()
    in_place = PLSRegression().fit(X, y).predict(rows, copy=False)
    np.testing.assert_allclose(in_place, PLSRegression().fit(X, y).predict(X))
    assert np.abs(rows.mean(axis=0)).max() < 1e-12


def test_single_precision_rows():
    X, y = make_tables(np.random.default_rng(12), 60, 5, 2)
    wide = PLSRegression(3).fit(X.astype(np.float32).astype(np.float64), y)
    narrow = PLSRegression(3).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(narrow.coef_, wide.coef_, rtol=1e-6)


@pytest.mark.parametrize("cls", [PLSRegression, PLSCanonical, CCA, PLSSVD])
def test_refusals(cls):
    X, y = make_tables(np.random.default_rng(13), 20, 5, 3)
    with pytest.raises(ValueError, match=r"upper bound is \d+. Got 9 instead"):
        cls(n_components=9).fit(X, y)
    with pytest.raises(ValueError, match="requires y"):
        cls().fit(X, None)
    with pytest.raises(ValueError, match="too large"):
        cls(n_components=1).fit(1e200 * X, y)
    with pytest.raises(TypeError, match="sample_weight"):
        cls().fit(X, y, sample_weight=np.ones(20))
    with pytest.raises(ValueError, match=r"y has shape \(20, 1\)"):
        cls(n_components=1).fit(X, y).transform(X, y[:, 0])


def test_set_output_names_the_scores():
    pd = pytest.importorskip("pandas")
    X, y = make_tables(np.random.default_rng(14), 20, 5, 3)
    table = pd.DataFrame(X, columns=list("abcde"))
    model = PLSRegression(2).set_output(transform="pandas").fit(table, y)
    first, second = model.transform(table, y)
    assert list(first.columns) == ["plsregression0", "plsregression1"]
    assert isinstance(second, np.ndarray)


def test_larger_products_by_iteration():
    """PLSSVD of tables too wide for the whole spectrum of X'y."""
    rng = np.random.default_rng(15)
    X, y = make_tables(rng, 100, 700, 650)
    model = PLSSVD(3).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = theirs.PLSSVD(3).fit(X, y)
    assert model.certificate_.converged
    np.testing.assert_allclose(np.abs((model.x_weights_ * expected.x_weights_).sum(axis=0)), 1.0)
