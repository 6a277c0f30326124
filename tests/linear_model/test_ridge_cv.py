"""RidgeCV against scikit-learn, refits without each row, and exact arithmetic."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import RidgeCV as Reference

import gramian
from gramian._linear.problem import Problem
from gramian._linear.ridge_spectrum import spectrum_of
from gramian.linear_model import Ridge, RidgeCV
from gramian.model_selection import KFold
from gramian.validation import FitData

ALPHAS = np.logspace(-3, 4, 20)
SHAPES = [(60, 5), (700, 20), (30, 29), (30, 30), (12, 40)]


def make(n, p, t=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(size=p)
    Y = X @ rng.normal(size=(p, t or 1)) + 2.0 * rng.normal(size=(n, t or 1))
    return X, Y if t else Y[:, 0], rng.uniform(0.5, 3.0, size=n)


def assert_same(ours, theirs, rtol=1e-8):
    assert_array_equal(ours.alpha_, theirs.alpha_)
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-9)
    assert ours.cv_results_.shape == theirs.cv_results_.shape
    size = np.abs(theirs.cv_results_).max()
    assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=rtol, atol=rtol * size)
    assert ours.coef_.shape == theirs.coef_.shape
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-11)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("t", [None, 1, 3])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_as_scikit_learn(shape, t, fit_intercept, weighted):
    X, y, weight = make(*shape, t)
    weight = weight if weighted else None
    options = {"fit_intercept": fit_intercept, "store_cv_results": True}
    ours = RidgeCV(ALPHAS, **options).fit(X, y, weight)
    assert_same(ours, Reference(ALPHAS, **options).fit(X, y, weight))
    assert ours.certificate_.converged


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "options",
    [
        {"alpha_per_target": True},
        {"scoring": "neg_mean_absolute_error"},
        {"scoring": "r2"},
        {"scoring": "neg_mean_absolute_error", "alpha_per_target": True},
        {"gcv_mode": "svd"},
        {"gcv_mode": "eigen"},
    ],
    ids=str,
)
def test_options_as_in_scikit_learn(shape, options):
    X, y, weight = make(*shape, 3)
    ours = RidgeCV(ALPHAS, store_cv_results=True, **options).fit(X, y, weight)
    assert_same(ours, Reference(ALPHAS, store_cv_results=True, **options).fit(X, y, weight))


@pytest.mark.parametrize("shape", [(80, 9), (20, 50)])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_data_are_as_dense_ones(shape, fit_intercept, dtype):
    rng = np.random.default_rng(1)
    X = sp.random_array(shape, density=0.3, rng=rng, format="csr", dtype=dtype)
    y = rng.normal(size=(shape[0], 2))
    weight = rng.uniform(0.5, 2.0, size=shape[0])
    options = {"fit_intercept": fit_intercept, "store_cv_results": True}
    ours = RidgeCV(ALPHAS, **options).fit(X, y, weight)
    dense = RidgeCV(ALPHAS, **options).fit(X.toarray(), y, weight)
    rtol = 1e-9 if dtype == np.float64 else 1e-4
    assert ours.coef_.dtype == ours.cv_results_.dtype == dtype
    assert_allclose(ours.cv_results_, dense.cv_results_, rtol=rtol, atol=rtol)
    assert_allclose(ours.coef_, dense.coef_, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("shape", [(25, 4), (9, 15)])
@pytest.mark.parametrize("weighted", [False, True])
def test_errors_are_those_of_refits_without_the_row(shape, weighted):
    X, y, weight = make(*shape)
    weight = weight if weighted else np.ones(len(y))
    model = RidgeCV(ALPHAS, scoring="r2", store_cv_results=True).fit(X, y, weight)
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        for k, alpha in enumerate(ALPHAS):
            alone = Ridge(alpha).fit(X[rest], y[rest], weight[rest])
            assert_allclose(model.cv_results_[i, k], alone.predict(X[[i]])[0], rtol=1e-9)


def _exact_errors(X, y, alphas):
    """Return squared leave-one-out errors from refits with 40 digits."""
    mp = pytest.importorskip("mpmath")
    errors = np.empty((len(y), len(alphas)))
    with mp.workdps(40):
        for i in range(len(y)):
            rest = [k for k in range(len(y)) if k != i]
            A, b = mp.matrix(X[rest].tolist()), mp.matrix(y[rest].tolist())
            means = [mp.fsum(A[:, j]) / len(rest) for j in range(X.shape[1])]
            mean = mp.fsum(b) / len(rest)
            for row in range(len(rest)):
                b[row] -= mean
                for j in range(X.shape[1]):
                    A[row, j] -= means[j]
            for k, alpha in enumerate(alphas):
                coef = mp.lu_solve(A.T * A + mp.mpf(alpha) * mp.eye(X.shape[1]), A.T * b)
                fit = mean + mp.fsum((X[i, j] - means[j]) * coef[j] for j in range(X.shape[1]))
                errors[i, k] = float((y[i] - fit) ** 2)
    return errors


@pytest.mark.parametrize("kind", ["wide", "as many columns as rows", "dependent", "near", "scales"])
def test_tiny_penalties_cost_no_digits(kind):
    n, p = {"wide": (6, 9), "as many columns as rows": (8, 7)}.get(kind, (14, 4))
    X, y, _ = make(n, p)
    if kind == "dependent":
        X[:, 1] = X[:, 0]
    elif kind == "near":
        X[:, 1] = X[:, 0] + 1e-5 * X[:, 1]
    elif kind == "scales":
        X *= np.logspace(-3, 3, p)
    alphas = [1e-10, 1e-6, 1e-2]
    exact = _exact_errors(X, y, alphas)
    model = RidgeCV(alphas, store_cv_results=True).fit(X, y)
    error = np.abs(model.cv_results_ - exact).max(axis=0) / exact.max(axis=0)
    assert (error < 1e-9).all(), error


def test_the_decomposition_is_orthogonal_only_where_that_is_needed():
    X, y, _ = make(50, 4)
    plain = Problem.of(RidgeCV(), FitData(X, y, None), alpha=1.0)
    assert spectrum_of(plain, 1e-10, "auto").resolves(1e-10)
    X[:, 1] = X[:, 0] + 1e-6 * X[:, 1]
    near = Problem.of(RidgeCV(), FitData(X, y, None), alpha=1.0)
    eigen, auto = spectrum_of(near, 1e-10, "eigen"), spectrum_of(near, 1e-10, "auto")
    assert not eigen.resolves(1e-10)
    smallest = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[-1] ** 2
    assert_allclose(auto.values.min(), smallest, rtol=1e-6)
    assert abs(eigen.values.min() / smallest - 1.0) > 1e-6


@pytest.mark.parametrize("shape", [(20, 3), (8, 12)])
@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_rows_without_weight_change_nothing(shape, scoring):
    X, y, weight = make(*shape)
    weight[::3] = 0.0
    used = weight > 0
    with_zeros = RidgeCV(ALPHAS, scoring=scoring, store_cv_results=True).fit(X, y, weight)
    without = RidgeCV(ALPHAS, scoring=scoring, store_cv_results=True)
    without.fit(X[used], y[used], weight[used])
    assert with_zeros.alpha_ == without.alpha_
    assert_allclose(with_zeros.coef_, without.coef_, rtol=1e-9, atol=1e-12)
    assert_allclose(with_zeros.cv_results_[used], without.cv_results_, rtol=1e-8, atol=1e-10)
    if scoring is not None:  # a row without weight is predicted by the fit of all others
        k = list(ALPHAS).index(without.alpha_)
        assert_allclose(with_zeros.cv_results_[~used, k], without.predict(X[~used]), rtol=1e-9)


def test_a_weight_is_copies_that_are_left_out_together():
    X, y, _ = make(30, 4)
    counts = np.random.default_rng(2).integers(1, 4, size=30)
    groups = np.repeat(np.arange(30), counts)
    splits = [(np.flatnonzero(groups != g), np.flatnonzero(groups == g)) for g in range(30)]
    weighted = RidgeCV(ALPHAS, store_cv_results=True).fit(X, y, counts)
    for k, alpha in enumerate(ALPHAS):
        squares = [
            (
                (Ridge(alpha).fit(X[groups[a]], y[groups[a]]).predict(X[groups[b]]) - y[groups[b]])
                ** 2
            ).sum()
            for a, b in splits
        ]
        assert_allclose(weighted.cv_results_[:, k], squares, rtol=1e-9)


@pytest.mark.parametrize("sparse", [False, True])
def test_other_splits_are_a_grid_search(sparse):
    X, y, weight = make(60, 5)
    data = sp.csr_array(X) if sparse else X
    ours = RidgeCV(ALPHAS, cv=KFold(3)).fit(data, y, weight)
    theirs = Reference(ALPHAS, cv=3).fit(X, y, weight)
    assert ours.alpha_ == theirs.alpha_
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-9)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    assert ours.certificate_.converged


def test_a_search_says_what_is_wrong_and_forgets_the_last_fit():
    pd = pytest.importorskip("pandas")
    X, y, _ = make(30, 3)
    model = RidgeCV(cv=3).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert not hasattr(model.fit(X, y), "feature_names_in_")
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="requires y"):
        model.fit(X, None)


def test_coefficients_are_those_of_ridge():
    X, y, weight = make(300, 6, 2)
    model = RidgeCV(ALPHAS).fit(X, y, weight)
    ridge = Ridge(model.alpha_).fit(X, y, weight)
    assert_array_equal(model.coef_, ridge.coef_)
    assert model.certificate_.objective == ridge.certificate_.objective


def test_threads_memory_layout_and_grouping_change_no_bit(monkeypatch):
    X, y, weight = make(3000, 11, 2)
    one = RidgeCV(ALPHAS, store_cv_results=True, scoring="r2")
    with gramian.config(n_threads=1):
        one.fit(X, y, weight)
    monkeypatch.setattr("gramian._linear.leave_one_out._GROUP_ENTRIES", 3 * y.size)
    other = RidgeCV(ALPHAS, store_cv_results=True, scoring="r2")
    with gramian.config(n_threads=2):
        other.fit(np.asfortranarray(X), y, weight)
    assert one.cv_results_.tobytes() == other.cv_results_.tobytes()
    assert one.coef_.tobytes() == other.coef_.tobytes()


def test_more_columns_and_penalties_than_fit_one_block():
    X, y, _ = make(650, 270)
    alphas = np.logspace(-2, 3, 70)
    ours = RidgeCV(alphas, store_cv_results=True).fit(X, y)
    assert_same(ours, Reference(alphas, store_cv_results=True).fit(X, y))


def test_constant_column_and_extreme_units():
    X, y, _ = make(40, 4)
    X[:, 2] = 7.0
    plain = RidgeCV([0.1, 1.0]).fit(X, y)
    assert plain.coef_[2] == 0.0
    for unit in (1e-150, 1e150):
        scaled = RidgeCV([0.1 * unit * unit, unit * unit]).fit(X * unit, y)
        assert_allclose(scaled.best_score_, plain.best_score_, rtol=1e-9)
        assert_allclose(scaled.coef_ * unit, plain.coef_, rtol=1e-9, atol=1e-12)


def test_sparse_rows_with_very_many_columns_need_no_iterations():
    rng = np.random.default_rng(6)
    X = sp.random_array((25, 3000), density=0.02, rng=rng, format="csr")
    y = rng.normal(size=25)
    model = RidgeCV([0.1, 1.0]).fit(X, y)
    assert_allclose(model.coef_, Ridge(model.alpha_).fit(X.toarray(), y).coef_, atol=1e-10)
    assert model.certificate_.converged
    assert model.certificate_.details["solver"] == "eigen"


def test_single_penalty_and_data_frame():
    pd = pytest.importorskip("pandas")
    X, y, _ = make(40, 2)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": ["u", "v"] * 20})
    for model in (RidgeCV(2.0), RidgeCV([2.0]), RidgeCV(np.array(2.0)), RidgeCV(2.0, cv=4)):
        model.fit(frame, y)
        assert model.alpha_ == 2.0
        assert list(model.feature_names_in_) == ["a", "b", "c"]
        assert_allclose(model.predict(frame), Ridge(2.0).fit(frame, y).predict(frame))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"alphas": (1, -1, -100)}, ValueError, r"alphas\[1\] == -1, must be > 0.0"),
        ({"alphas": (0.0, 1.0)}, ValueError, r"alphas\[0\] == 0.0, must be > 0.0"),
        ({"alphas": (-0.1, 1.0), "cv": 3}, ValueError, r"alphas\[0\] == -0.1, must be >= 0.0"),
        (
            {"alphas": (1, 1.0, "1")},
            TypeError,
            r"alphas\[2\] must be an instance of float, not str",
        ),
        ({"alphas": ()}, ValueError, "at least one"),
        ({"alphas": -1.0}, ValueError, "alphas"),
        ({"gcv_mode": "qr"}, ValueError, "gcv_mode"),
        ({"cv": 3, "store_cv_results": True}, ValueError, "incompatible"),
        ({"cv": 3, "alpha_per_target": True}, ValueError, "incompatible"),
        ({"scoring": "no such"}, ValueError, "not a valid scoring"),
    ],
    ids=str,
)
def test_kind_errors(options, error, message):
    X, y, _ = make(20, 3)
    with pytest.raises(error, match=message):
        RidgeCV(**options).fit(X, y)


def test_non_finite_data_and_sparse_svd():
    X, y, _ = make(20, 3)
    wide = np.full((4, 9), np.nan)
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        RidgeCV().fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        RidgeCV().fit(wide, y[:4])
    with pytest.warns(FutureWarning, match="'svd' mode is not supported for sparse"):
        RidgeCV(gcv_mode="svd").fit(sp.csr_array(np.eye(5)), np.arange(5.0))
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        RidgeCV().fit(np.eye(5), np.arange(5.0), groups=[1, 2, 3, 4, 5])
