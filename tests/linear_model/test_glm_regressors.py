"""Poisson, gamma and Tweedie regression, against scikit-learn and by their own properties."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.linear_model
from numpy.testing import assert_allclose

import gramian
from gramian.exceptions import ConvergenceWarning
from gramian.linear_model import (
    GammaRegressor,
    LinearRegression,
    PoissonRegressor,
    Ridge,
    TweedieRegressor,
)
from gramian.metrics import d2_tweedie_score, r2_score

LOG_POWERS = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0]


def make_data(power, *, link="log", n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    slopes = np.array([0.4, -0.3, 0.2, 0.0])
    mean = np.exp(0.5 + X @ slopes) if link == "log" else np.maximum(4.0 + X @ slopes, 0.5)
    y = rng.gamma(3.0, mean / 3.0) if power >= 2.0 else rng.poisson(mean).astype(float)
    return X, y, rng.integers(0, 4, size=n).astype(float)


def objective(model, X, y, weight=None):
    """Half the mean deviance and the penalty, from the fitted coefficients."""
    score = model.score(X, y, weight)
    null = np.full(len(y), np.average(y, weights=weight))
    deviance = model._family().deviance(y, null, np.ones(len(y)) if weight is None else weight)
    mean = deviance / (len(y) if weight is None else weight.sum())
    return (1.0 - score) * mean / 2.0 + model.alpha / 2.0 * (model.coef_**2).sum()


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
@pytest.mark.parametrize("power", LOG_POWERS)
def test_log_link_gives_scikit_learns_optimum(power, alpha, fit_intercept):
    X, y, weight = make_data(power)
    params = {"power": power, "link": "log", "alpha": alpha, "fit_intercept": fit_intercept}
    params |= {"tol": 1e-9, "max_iter": 2000}
    expected = sklearn.linear_model.TweedieRegressor(**params).fit(X, y, weight)
    for solver in ["lbfgs", "newton-cholesky"]:
        for data in [X, scipy.sparse.csr_array(X)]:
            model = TweedieRegressor(solver=solver, **params).fit(data, y, weight)
            assert_allclose(model.coef_, expected.coef_, atol=2e-6)
            assert_allclose(model.intercept_, expected.intercept_, atol=2e-6)
            assert_allclose(model.predict(data), expected.predict(X), rtol=1e-5)
            assert_allclose(model.score(data, y, weight), expected.score(X, y, weight), rtol=1e-6)
            assert model.certificate_.converged
            assert objective(model, X, y, weight) <= objective_of(expected, model, X, y, weight)


def objective_of(theirs, ours, X, y, weight):
    """The objective at scikit-learn's coefficients, with room for rounding."""
    copy = gramian.clone(ours)
    vars(copy).update(vars(ours))
    copy.coef_, copy.intercept_ = theirs.coef_, theirs.intercept_
    return objective(copy, X, y, weight) + 1e-12


@pytest.mark.parametrize("alpha", [0.0, 0.1])
@pytest.mark.parametrize("power", [-1.0, 0.0, 1.0, 2.0, 3.0])
def test_identity_link_gives_scikit_learns_optimum(power, alpha):
    X, y, _ = make_data(power, link="identity")
    params = {"power": power, "link": "identity", "alpha": alpha, "tol": 1e-8, "max_iter": 2000}
    expected = sklearn.linear_model.TweedieRegressor(**params).fit(X, y)
    model = TweedieRegressor(**params).fit(X, y)
    assert_allclose(model.coef_, expected.coef_, atol=3e-6)
    assert_allclose(model.predict(X), expected.predict(X), rtol=1e-5)


@pytest.mark.parametrize("power", [0.5, 1.0, 1.5, 2.0, 3.0])
def test_identity_link_is_stationary_and_keeps_means_positive(power):
    """Also for the powers at which scikit-learn's solver stops where it began."""
    X, y, weight = make_data(power, link="identity", seed=3)
    X[:5] *= 4.0  # a full Newton step would make means negative
    model = TweedieRegressor(power=power, link="identity", alpha=0.01, tol=1e-9)
    model.fit(X, y, weight)
    mean = model.predict(X[weight > 0])
    assert mean.min() > 0
    pull = weight * (model.predict(X) - y) * np.abs(model.predict(X)) ** -power
    pull[weight == 0] = 0.0
    assert_allclose(X.T @ pull / weight.sum() + 0.01 * model.coef_, 0.0, atol=1e-8)
    assert_allclose(pull.sum(), 0.0, atol=1e-7)


def test_identity_link_without_a_constant():
    X = np.abs(make_data(1.0)[0]) + 0.1
    y = np.random.default_rng(0).poisson(X @ [1.0, 2.0, 0.5, 0.1]).astype(float)
    params = {"power": 1.0, "link": "identity", "fit_intercept": False, "alpha": 0.0, "tol": 1e-9}
    for data in [X, scipy.sparse.csr_array(X)]:
        model = TweedieRegressor(**params).fit(data, y)
        mean = model.predict(X)
        assert mean.min() > 0
        assert_allclose(X.T @ (1.0 - y / mean), 0.0, atol=1e-6)
    narrow = np.column_stack([np.ones(40), np.linspace(-1.0, 30.0, 40) ** 2])
    start = TweedieRegressor(**params).fit(narrow, np.arange(1.0, 41.0))  # least squares will do
    assert start.predict(narrow).min() > 0
    with pytest.raises(ValueError, match="No coefficients give every row a positive mean"):
        TweedieRegressor(**params).fit([[1.0], [-1.0], [2.0]], [1.0, 2.0, 3.0])


def test_a_linear_program_finds_a_start_where_least_squares_does_not():
    X = np.array([[1.0, 0.0], [0.01, 1.0], [1.0, -50.0], [1.0, 3.0], [1.0, 90.0]])
    model = TweedieRegressor(power=1.0, link="identity", fit_intercept=False, alpha=0.0, tol=1e-8)
    model.fit(X, [1.0, 1.0, 2.0, 1.0, 3.0])
    assert model.predict(X).min() > 0 and model.certificate_.converged


@pytest.mark.parametrize(
    ("ours", "power"), [(PoissonRegressor, 1.0), (GammaRegressor, 2.0), (TweedieRegressor, 0.0)]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_defaults_are_scikit_learns(ours, power, dtype):
    X, y, _ = make_data(power)
    X = X.astype(dtype)
    theirs = getattr(sklearn.linear_model, ours.__name__)
    assert ours().get_params() == theirs().get_params()
    model, expected = ours().fit(X, y), theirs(tol=1e-6).fit(X.astype(float), y)
    assert_allclose(model.coef_, expected.coef_, atol=1e-5)
    assert model.coef_.dtype == model.intercept_.dtype == model.predict(X).dtype == dtype
    assert isinstance(model.n_iter_, int)
    assert_allclose(model.score(X, y), d2_tweedie_score(y, model.predict(X), power=power))
    with pytest.raises(TypeError):
        ours(1.0)


def test_normal_target_with_identity_link_is_ridge():
    X, y, weight = make_data(0.0)
    model = TweedieRegressor(alpha=0.2, tol=1e-9).fit(X, y, weight)
    ridge = Ridge(alpha=0.2 * weight.sum()).fit(X, y, weight)
    assert_allclose(model.coef_, ridge.coef_, rtol=1e-9)
    assert_allclose(model.score(X, y, weight), r2_score(y, model.predict(X), sample_weight=weight))
    assert model.certificate_.objective == pytest.approx(
        ridge.certificate_.objective / weight.sum() / 2.0
    )


def test_means_of_groups():
    """One column for each group: without a penalty the predictions are the groups' means."""
    rng = np.random.default_rng(1)
    group = rng.integers(0, 5, size=300)
    y = rng.poisson(1.0 + group).astype(float)
    mean = np.array([y[group == g].mean() for g in range(5)])
    for power in [1.0, 1.5]:
        model = TweedieRegressor(power=power, alpha=0.0, fit_intercept=False, tol=1e-10)
        assert_allclose(model.fit(np.eye(5)[group], y).predict(np.eye(5)), mean, rtol=1e-9)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_columns_that_repeat_share_their_effect(solver, fit_intercept):
    X, y, _ = make_data(1.0)
    params = {"alpha": 0.0, "solver": solver, "fit_intercept": fit_intercept, "tol": 1e-8}
    single = PoissonRegressor(**params).fit(X, y)
    double = PoissonRegressor(**params).fit(np.hstack([X, X]), y)
    assert_allclose(double.coef_, np.tile(single.coef_ / 2.0, 2), rtol=1e-6, atol=1e-9)
    wide = PoissonRegressor(**params).fit(X[:3, :], y[:3] + 1.0)
    line = LinearRegression(fit_intercept=fit_intercept).fit(X[:3], np.log(y[:3] + 1.0))
    assert_allclose(wide.coef_, line.coef_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "model", [PoissonRegressor(), TweedieRegressor(power=1.5)], ids=["poisson", "tweedie"]
)
def test_large_data_are_fitted_from_a_sample(model):
    """Enough columns that the solver begins with some of the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 150)) + 1.0
    y = rng.gamma(2.0, np.exp(0.2 + X @ rng.normal(size=150) * 0.02) / 2.0)
    fitted = model.set_params(alpha=1e-3, tol=1e-7).fit(X, y)
    exact = gramian.clone(model).set_params(solver="newton-cholesky").fit(X, y)
    assert_allclose(fitted.coef_, exact.coef_, atol=1e-7)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_the_gap_bounds_the_distance_from_the_optimum(power):
    for seed in range(7):
        X, y, weight = make_data(power, seed=seed)
        X = X * [1.0, 30.0, 0.1, 1.0]
        model = TweedieRegressor(power=power, alpha=0.01, tol=1e-11, max_iter=500)
        optimum = model.fit(X, y, weight).certificate_.objective
        rough = TweedieRegressor(power=power, alpha=0.01, max_iter=1 + seed % 3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            certificate = rough.fit(X, y, weight).certificate_
        assert certificate.dual_bound <= optimum + 1e-12
        assert certificate.objective * (1.0 - certificate.gap) <= optimum + 1e-12
        assert_allclose(certificate.objective, objective(rough, X, y, weight), rtol=1e-9)


def test_certificates_of_objectives_that_are_not_convex_claim_no_bound():
    X, y, _ = make_data(3.0)
    certificate = TweedieRegressor(power=3.0).fit(X, y).certificate_
    assert certificate.converged and certificate.gap is None
    assert "lower minima" in certificate.statement
    assert "lower minima" not in GammaRegressor().fit(X, y).certificate_.statement


def test_a_fit_that_stops_early_names_the_cause():
    X, y, _ = make_data(1.0)
    with pytest.warns(ConvergenceWarning, match=r"lbfgs failed.*max_iter=1.*different scale"):
        PoissonRegressor(max_iter=1).fit(X * [1.0, 1e-4, 1.0, 1e3], y)


@pytest.mark.parametrize(
    ("model", "bad"),
    [
        (PoissonRegressor(), -1.0),
        (GammaRegressor(), 0.0),
        (TweedieRegressor(power=1.5), -0.1),
        (TweedieRegressor(power=3), 0.0),
        (TweedieRegressor(power=0.5), -2.0),
        (TweedieRegressor(power=1.0, link="identity"), -2.0),
    ],
    ids=lambda value: "".join(str(value).split()),
)
def test_targets_out_of_range(model, bad):
    X, y, _ = make_data(2.0)
    model.fit(X, y)
    y = y.copy()
    y[17] = bad
    with pytest.raises(ValueError, match=r"out of the valid range of the loss.*row 17"):
        gramian.clone(model).fit(X, y)
    with pytest.raises(ValueError, match="out of the valid range"):
        model.score(X, y)
    TweedieRegressor(power=0).fit(X, -y)


@pytest.mark.parametrize(
    "params",
    [
        {"alpha": -1.0},
        {"tol": 0.0},
        {"max_iter": 0},
        {"solver": "sag"},
        {"link": "logit"},
        {"power": np.inf},
        {"fit_intercept": 2},
    ],
    ids=lambda value: next(iter(value)),
)
def test_wrong_parameters(params):
    name = next(iter(params))
    with pytest.raises(ValueError, match=name):
        TweedieRegressor(**params).fit([[1.0], [2.0]], [1.0, 2.0])


def test_counts_that_are_all_zero():
    model = PoissonRegressor().fit([[0.0], [1.0], [2.0]], [0.0, 0.0, 0.0])
    assert (model.predict([[1.0]]) < 1e-3).all() and model.certificate_.converged


def test_warm_start():
    X, y, _ = make_data(1.0)
    model = PoissonRegressor(warm_start=True, tol=1e-8).fit(X, y)
    assert model.n_iter_ > 1
    coef = model.coef_.copy()
    assert model.fit(X, y).n_iter_ <= 1
    assert_allclose(model.coef_, coef, rtol=1e-8)
    with pytest.raises(ValueError, match="warm_start=True"):
        model.fit(X[:, :2], y)
    positive = TweedieRegressor(power=2.0, link="identity", warm_start=True).fit(X, y + 1.0)
    positive.fit(100.0 * X, y + 1.0)  # where the last coefficients give negative means
    assert positive.predict(100.0 * X).min() > 0


def test_verbose(capsys):
    PoissonRegressor(verbose=1).fit([[1.0], [2.0]], [1.0, 2.0])
    assert "PoissonRegressor: optimal" in capsys.readouterr().out


def test_frames():
    rng = np.random.default_rng(0)
    city = rng.choice(["Oslo", "Bern", "Rome"], size=400)
    effect = {"Oslo": 0.0, "Bern": 0.5, "Rome": 1.0}
    age = rng.normal(40.0, 10.0, size=400)
    frame = pd.DataFrame({"city": city, "age": age})
    mean = np.exp(0.02 * age + np.array([effect[c] for c in city]))
    y = rng.poisson(mean).astype(float)
    model = PoissonRegressor(alpha=1e-6).fit(frame, y)
    assert model.coef_.shape == (4,)
    assert_allclose(model.predict(frame).mean(), y.mean(), rtol=1e-4)
    by_city = dict(zip(model.encoding_.get_feature_names_out(), model.coef_, strict=True))
    levels = [v for k, v in by_city.items() if "Rome" in k or "Oslo" in k]
    assert abs(abs(levels[0] - levels[1]) - 1.0) < 0.2


def test_time_limit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 400))
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    with gramian.config(time_limit=1e-9):
        model = PoissonRegressor(tol=1e-12).fit(X, y)
    assert model.certificate_.details["stopped"] == "time limit"
    assert np.isfinite(model.predict(X)).all()


def test_numbers_too_large_are_named():
    X, y, _ = make_data(1.0)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        PoissonRegressor().fit(X, y)
