"""Lasso, elastic net, their paths, their multi-task and cross-validated forms."""

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn.linear_model as reference
from scipy import sparse

import gramian
from gramian import linear_model
from gramian._requests import MetadataRequest
from gramian.exceptions import ConvergenceWarning
from gramian.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    MultiTaskElasticNet,
    MultiTaskElasticNetCV,
    MultiTaskLasso,
    MultiTaskLassoCV,
    Ridge,
    enet_path,
    lasso_path,
)
from gramian.model_selection import GroupKFold

CONTAINERS = [np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_array]
PRECISE = {"tol": 1e-12, "max_iter": 100_000}


def make(n=60, p=20, n_targets=None, seed=0, mean=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + mean
    shape = (5,) if n_targets is None else (5, n_targets)
    y = X[:, :5] @ rng.standard_normal(shape)
    return X, y + rng.standard_normal(y.shape)


def objective(model, X, Y, sample_weight=None):
    """The objective of a fitted model, from its definition."""
    residual = np.asarray(Y - model.predict(X))
    squares = residual**2 if residual.ndim == 1 else (residual**2).sum(axis=1)
    ratio = getattr(model, "l1_ratio", 1.0)
    coef = np.atleast_2d(model.coef_)
    sizes = np.sqrt((coef**2).sum(axis=0))
    penalty = ratio * sizes.sum() + (1 - ratio) / 2 * (sizes**2).sum()
    return np.average(squares, weights=sample_weight) / 2 + model.alpha * penalty


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("shape", [(60, 20), (40, 150)], ids=["tall", "wide"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"positive": True},
        {"fit_intercept": False},
        {"selection": "random", "random_state": 0},
    ],
    ids=["plain", "positive", "through_zero", "random"],
)
def test_same_coefficients_as_scikit_learn(container, shape, params):
    X, y = make(*shape)
    weight = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    for name, ratio in (("Lasso", {}), ("ElasticNet", {"l1_ratio": 0.3})):
        for w in (None, weight):
            options = {"alpha": 0.1, **PRECISE, **params, **ratio}
            ours = getattr(linear_model, name)(**options).fit(container(X), y, w)
            theirs = getattr(reference, name)(**options).fit(container(X), y, w)
            np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
            np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
            assert ours.certificate_.converged
            assert objective(ours, X, y, w) <= objective(theirs, X, y, w) * (1 + 1e-12)


def test_orthogonal_columns_are_thresholded():
    X = np.linalg.qr(np.random.default_rng(0).standard_normal((50, 6)))[0] * np.sqrt(50)
    y = X @ np.array([3.0, -2.0, 1.0, 0.4, -0.1, 0.0])
    model = Lasso(alpha=0.5, fit_intercept=False, tol=1e-14).fit(X, y)
    np.testing.assert_allclose(model.coef_, [2.5, -1.5, 0.5, 0.0, 0.0, 0.0], atol=1e-12)
    net = ElasticNet(alpha=1.0, l1_ratio=0.5, fit_intercept=False, tol=1e-14).fit(X, y)
    np.testing.assert_allclose(net.coef_, np.array([2.5, -1.5, 0.5, 0, 0, 0]) / 1.5, atol=1e-12)


def test_largest_penalty_of_the_path_is_where_coefficients_leave_zero():
    X, y = make()
    X, y = X - X.mean(axis=0), y - y.mean()
    alphas, coefs, _ = lasso_path(X, y, alphas=5)
    assert alphas[0] == pytest.approx(np.abs(X.T @ y).max() / len(y), rel=1e-14)
    assert np.abs(coefs[:, 0]).max() < 1e-12
    assert Lasso(alpha=alphas[0] * 0.999, tol=1e-10).fit(X, y).coef_.any()


@pytest.mark.parametrize("container", CONTAINERS)
def test_certificate_is_what_the_data_say(container):
    X, y = make(50, 200)
    model = ElasticNet(alpha=0.2, l1_ratio=0.8, tol=1e-6).fit(container(X), y)
    certificate = model.certificate_
    assert certificate.objective == pytest.approx(objective(model, X, y), rel=1e-12)
    best = ElasticNet(alpha=0.2, l1_ratio=0.8, **PRECISE).fit(X, y)
    assert certificate.dual_bound <= objective(best, X, y) * (1 + 1e-13)
    assert 0.0 <= certificate.gap <= 1e-6
    assert model.dual_gap_ == pytest.approx(certificate.objective - certificate.dual_bound)
    assert "of 200 coefficients" in certificate.statement


def test_no_l1_penalty_is_ridge():
    X, y = make()
    net = ElasticNet(alpha=0.3, l1_ratio=0.0, **PRECISE).fit(X, y)
    np.testing.assert_allclose(net.coef_, Ridge(alpha=0.3 * len(y)).fit(X, y).coef_, atol=1e-6)


@pytest.mark.parametrize("container", CONTAINERS)
def test_weights_are_copies(container):
    X, y = make(40, 60)
    weight = np.random.default_rng(2).integers(0, 3, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    a = Lasso(alpha=0.1, **PRECISE).fit(container(X), y, weight.astype(float))
    b = Lasso(alpha=0.1, **PRECISE).fit(container(X[copies]), y[copies])
    np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-6)


@pytest.mark.parametrize("offset", [1e4, 1e6])
def test_large_means_cost_no_digits(offset):
    X, y = make(60, 100, mean=0.0)
    plain = Lasso(alpha=0.1, **PRECISE).fit(X, y)
    for layout in (np.asarray, np.asfortranarray):
        moved = Lasso(alpha=0.1, tol=1e-10).fit(layout(X + offset), y)
        np.testing.assert_allclose(moved.coef_, plain.coef_, atol=1e-6)


def test_degenerate_columns():
    X, y = make()
    X[:, 3] = 0.1
    X[:, 7] = X[:, 6]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for alpha in (0.0, 0.1):
            model = Lasso(alpha=alpha, tol=1e-10).fit(X, y)
            assert model.coef_[3] == 0.0
            assert np.isfinite(model.coef_).all()
    constant = Lasso(alpha=0.1).fit(X, np.full(len(y), 2.5))
    assert not constant.coef_.any() and constant.intercept_ == 2.5


def test_support_larger_than_the_rows():
    X, y = make(40, 300)
    for alpha in (0.01, 0.001):
        model = Lasso(alpha=alpha, tol=1e-8, max_iter=5000).fit(X, y)
        assert model.certificate_.converged
        assert np.count_nonzero(model.coef_) <= 40


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_residual_space_agrees_with_gram_space(container):
    X, y = make(30, 4000)  # a weak L1 penalty keeps all columns: too many for a Gram matrix
    params = {"alpha": 100.0, "l1_ratio": 1e-7, "tol": 1e-8}
    large = ElasticNet(**params).fit(container(X), y)
    small = ElasticNet(**params, precompute=True).fit(X, y)
    assert np.count_nonzero(large.coef_) > 2048
    assert large.certificate_.converged
    np.testing.assert_allclose(large.coef_, small.coef_, atol=1e-5)


def test_float32_stays_float32():
    X, y = make(50, 80)
    model = Lasso(alpha=0.1).fit(X.astype(np.float32), y.astype(np.float32))
    assert (
        model.coef_.dtype == np.float32 and model.predict(X.astype(np.float32)).dtype == np.float32
    )
    np.testing.assert_allclose(model.coef_, Lasso(alpha=0.1).fit(X, y).coef_, atol=1e-3)
    assert model.certificate_.converged


def test_targets_are_separate_and_multi_task_joins_them():
    X, Y = make(n_targets=3)
    separate = Lasso(alpha=0.3, **PRECISE).fit(X, Y)
    for c in range(3):
        one = Lasso(alpha=0.3, **PRECISE).fit(X, Y[:, c])
        np.testing.assert_allclose(separate.coef_[c], one.coef_, atol=1e-8)
    assert len(separate.n_iter_) == 3 and separate.dual_gap_.shape == (3,)
    joint = MultiTaskLasso(alpha=0.5, **PRECISE).fit(X, Y)
    used = joint.coef_ != 0
    assert (used.all(axis=0) | ~used.any(axis=0)).all() and not used.all()


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("shape", [(60, 20), (40, 150)], ids=["tall", "wide"])
def test_multi_task_as_scikit_learn(container, shape):
    X, Y = make(*shape, n_targets=3)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(Y))
    for name, ratio in (("MultiTaskLasso", {}), ("MultiTaskElasticNet", {"l1_ratio": 0.3})):
        for w in (None, weight):
            ours = getattr(linear_model, name)(0.2, **ratio, **PRECISE).fit(container(X), Y, w)
            theirs = getattr(reference, name)(0.2, **ratio, **PRECISE).fit(container(X), Y, w)
            np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
            np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
            assert ours.certificate_.objective == pytest.approx(objective(ours, X, Y, w))


@pytest.mark.parametrize(
    "name", ["LassoCV", "ElasticNetCV", "MultiTaskLassoCV", "MultiTaskElasticNetCV"]
)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_cross_validation_as_scikit_learn(name, container, weighted):
    X, y = make(80, 12, n_targets=2 if "Multi" in name else None)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
    params = {"alphas": 15, "cv": 4, "tol": 1e-11, "max_iter": 100_000}
    if "Elastic" in name:
        params["l1_ratio"] = [0.4, 0.9]
    ours = getattr(linear_model, name)(**params).fit(container(X), y, weight)
    theirs = getattr(reference, name)(**params).fit(container(X), y, weight)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-12)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=2e-5)
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_, rtol=1e-12)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert getattr(ours, "l1_ratio_", 1.0) == getattr(theirs, "l1_ratio_", 1.0)


def test_cross_validation_from_moments_and_from_data_agree():
    X, y = make(80, 12)
    splits = [(np.arange(50), np.arange(40, 80)), (np.arange(30, 80), np.arange(30))]
    runs = [LassoCV(alphas=10, cv=splits, precompute=p, tol=1e-11).fit(X, y) for p in (True, False)]
    np.testing.assert_allclose(runs[0].mse_path_, runs[1].mse_path_, rtol=1e-5)


def test_threads_do_not_change_bits():
    X, y = make(200, 300)
    prints = set()
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            model = LassoCV(alphas=10, cv=3).fit(X, y)
            prints.add((model.mse_path_.tobytes(), model.coef_.tobytes()))
    assert len(prints) == 1


def test_paths_as_scikit_learn():
    X, y = make(40, 60)
    for params in ({}, {"positive": True}, {"precompute": False}, {"precompute": X.T @ X}):
        ours = enet_path(X, y, alphas=12, tol=1e-10, max_iter=100_000, **params)
        theirs = reference.enet_path(X, y, alphas=12, tol=1e-10, max_iter=100_000, **params)
        np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
        np.testing.assert_allclose(ours[1], theirs[1], atol=1e-4)
        assert (ours[2] >= 0).all()
    assert lasso_path(X, np.c_[y, y], alphas=4)[1].shape == (2, 60, 4)


def test_warm_start_goes_on_from_the_solution():
    X, y = make(50, 100)
    model = Lasso(alpha=0.1, warm_start=True).fit(X, y)
    assert model.n_iter_ > 0
    assert model.fit(X, y).n_iter_ == 0


def test_gram_matrix_of_the_user():
    X, y = make()
    X = X - X.mean(axis=0)
    plain = Lasso(alpha=0.1, **PRECISE).fit(X, y)
    given = Lasso(alpha=0.1, precompute=X.T @ X, **PRECISE).fit(X, y)
    np.testing.assert_allclose(given.coef_, plain.coef_, atol=1e-8)
    with pytest.raises(ValueError, match="did not pass validation"):
        Lasso(precompute=X.T @ X + 1.0).fit(X, y)
    with pytest.warns(UserWarning, match="recomputing Gram"):
        Lasso(precompute=X.T @ X).fit(X + 5.0, y)


def test_warnings_and_errors():
    X, y = make(n_targets=2)
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        Lasso(alpha=1e-3, max_iter=1, tol=1e-12).fit(X * np.logspace(0, 3, 20), y[:, 0])
    with pytest.warns(UserWarning, match="alpha=0"):
        Lasso(alpha=0.0).fit(X, y[:, 0])
    with pytest.raises(ValueError, match="use Lasso"):
        MultiTaskLasso().fit(X, y[:, 0])
    with pytest.raises(ValueError, match=r"use ElasticNet$"):
        MultiTaskElasticNet().fit(X, y[:, 0])
    with pytest.raises(ValueError, match="use MultiTaskElasticNetCV"):
        ElasticNetCV().fit(X, y)
    with pytest.raises(ValueError, match="use LassoCV"):
        MultiTaskLassoCV().fit(X, y[:, 0])
    with pytest.raises(ValueError, match="l1_ratio=0"):
        enet_path(X, y[:, 0], l1_ratio=0.0)
    with pytest.raises(ValueError, match=r"LassoCV\.fit is only supported if enable_metadata_rout"):
        LassoCV().fit(X, y[:, 0], groups=[1])
    for bad in (np.nan, np.inf):
        X_bad = X.copy()
        X_bad[3, 4] = bad
        for layout in CONTAINERS:
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                Lasso().fit(layout(X_bad), y[:, 0])


def test_time_limit_ends_with_the_best_so_far():
    X, y = make(60, 500)
    with gramian.config(time_limit=1e-9):
        model = Lasso(alpha=1e-3, tol=1e-12).fit(X, y)
    assert not model.certificate_.converged
    assert "time limit" in model.certificate_.statement


@pytest.mark.parametrize(
    "model",
    [LassoCV, ElasticNetCV, MultiTaskLassoCV, MultiTaskElasticNetCV],
    ids=lambda m: m.__name__,
)
def test_one_warning_for_all_paths(model):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 20))
    X[:, 1] = X[:, 0] + 1e-3 * X[:, 1]
    y = X @ rng.standard_normal((20, 2)) + rng.standard_normal((80, 2))
    target = y if model.__name__.startswith("Multi") else y[:, 0]
    with pytest.warns(ConvergenceWarning) as found:
        fitted = model(alphas=10, cv=3, max_iter=1, tol=1e-12).fit(X, target)
    assert [one.filename for one in found] == [__file__]
    told = str(found[0].message)
    assert "Objective did not converge in " in told
    assert "of 31 fits" in told
    assert "largest duality gap" in told
    assert "raise max_iter=1" in told
    assert not fitted.certificate_.converged


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("precompute", [False, True])
@pytest.mark.parametrize("scale", [0.0, 1e-20, 1.0, 1e20])
def test_paths_that_converge_do_not_warn(dtype, precompute, scale):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 8)).astype(dtype)
    y = scale * (X @ rng.standard_normal(8) + rng.standard_normal(60))
    model = LassoCV(precompute=precompute, alphas=20).fit(X, y)
    assert model.certificate_.converged


class WeightedHalves:
    """Two folds, of which the first test fold is the heavier half of the rows."""

    def get_metadata_routing(self):
        return MetadataRequest(self, {"split": {"sample_weight": True}})

    def split(self, X, y=None, sample_weight=None):
        order = np.argsort(sample_weight)
        halves = order[len(order) // 2 :], order[: len(order) // 2]
        yield from ((np.sort(rest), np.sort(test)) for test, rest in (halves, halves[::-1]))

    def get_n_splits(self, X=None, y=None):
        return 2


@pytest.mark.parametrize("name", ["LassoCV", "ElasticNetCV", "MultiTaskLassoCV"])
def test_metadata_reaches_the_splitter(name):
    X, y = make(n_targets=2 if name.startswith("Multi") else None)
    groups, weight = np.arange(len(y)) % 6, np.linspace(1.0, 2.0, len(y))[::-1].copy()
    cls = getattr(linear_model, name)
    with gramian.config(enable_metadata_routing=True):
        by_group = cls(alphas=5, cv=GroupKFold(3).set_split_request(groups=True))
        by_group.fit(X, y, weight, groups=groups)
        by_weight = cls(alphas=5, cv=WeightedHalves()).fit(X, y, weight)
        with pytest.raises(TypeError, match="not routed"):
            by_group.fit(X, y, groups=groups, other=1)
        unset = cls(cv=GroupKFold(3).set_split_request(groups=None))
        with pytest.raises(ValueError, match=r"groups.*not explicitly set"):
            unset.fit(X, y, groups=groups)
    for model, folds in (
        (by_group, GroupKFold(3).split(X, y, groups)),
        (by_weight, WeightedHalves().split(X, y, weight)),
    ):
        expected = cls(alphas=5, cv=list(folds)).fit(X, y, weight)
        np.testing.assert_array_equal(model.mse_path_, expected.mse_path_)


@pytest.mark.parametrize("kind", ["rows", "columns", "sparse", "float32"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("positive", [False, True])
def test_penalties_around_the_one_that_leaves_nothing(
    kind: str, weighted: bool, positive: bool
) -> None:
    """With many rows a sample of them is asked first, and must not decide."""
    rng = np.random.default_rng(7)
    X = rng.standard_normal((9_000, 9)) + 3.0
    y = -0.3 * X[:, 0] + 0.2 * X[:, 4] + rng.standard_normal(9_000)
    weight = rng.uniform(0.0, 2.0, len(y)) if weighted else None
    shares = np.full(len(y), 1 / len(y)) if weight is None else weight / weight.sum()
    slopes = ((X - shares @ X) * (shares * (y - shares @ y))[:, None]).sum(axis=0)
    largest = slopes.max() if positive else np.abs(slopes).max()
    given: Any = X
    if kind == "columns":
        given = np.asfortranarray(X)
    elif kind == "sparse":
        given = sparse.csr_array(X)
    elif kind == "float32":
        given = X.astype(np.float32)
    for share, n_active in ((1.001, 0), (0.97, 1), (3.0, 0)):
        model = Lasso(alpha=share * largest, positive=positive).fit(given, y, weight)
        assert np.count_nonzero(model.coef_) == n_active
        assert model.certificate_.converged
        joint = MultiTaskLasso(alpha=share * largest * np.sqrt(2.0))
        if not positive:
            joint.fit(given, np.column_stack([y, y]), weight)
            assert np.count_nonzero(joint.coef_.any(axis=0)) == n_active
    np.testing.assert_allclose(model.intercept_, shares @ y, rtol=1e-6)
    assert model.certificate_.gap == 0.0
