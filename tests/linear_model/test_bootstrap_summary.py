"""Bootstrap of coefficients, clustered errors and prediction intervals of least squares."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose, assert_array_equal

from gramian.linear_model import LinearRegression, Ridge


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2)) * [1.0, 3.0]
    groups = rng.integers(0, 15, size=120)
    y = 1.0 + X @ [2.0, -0.5] + rng.normal(size=15)[groups] + rng.normal(size=120)
    return X, y, groups, rng.uniform(0.5, 2.0, size=120)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_clustered_errors(data, weighted, fit_intercept):
    X, y, groups, weight = data
    weight = weight if weighted else np.ones(len(y))
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y, weight)
    summary = model.summary(X, y, weight, cov_type="cluster", groups=groups.astype(str))
    exog = sm.add_constant(X) if fit_intercept else X
    oracle = sm.WLS(y, exog, weights=weight)
    expected = oracle.fit(cov_type="cluster", cov_kwds={"groups": groups})
    for ours, theirs in {
        "std_err": "bse",
        "pvalue": "pvalues",
        "fvalue": "fvalue",
        "f_pvalue": "f_pvalue",
        "conf_int": "conf_int",
    }.items():
        value = getattr(expected, theirs)
        value = value() if callable(value) else value
        assert_allclose(getattr(summary, ours), value, rtol=1e-8, err_msg=ours)
    assert "15 clusters" in summary.notes[0]


def test_rows_of_weight_zero_leave_their_clusters(data):
    X, y, groups, weight = data
    weight[groups == 3] = 0.0
    used = weight > 0.0
    summary = LinearRegression().fit(X, y, weight)
    summary = summary.summary(X, y, weight, cov_type="cluster", groups=groups)
    expected = LinearRegression().fit(X[used], y[used], weight[used])
    expected = expected.summary(
        X[used], y[used], weight[used], cov_type="cluster", groups=groups[used]
    )
    assert_allclose(summary.std_err, expected.std_err, rtol=1e-10)


@pytest.mark.parametrize("cov_type", ["nonrobust", "HC3"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_prediction_intervals(data, cov_type, fit_intercept):
    X, y, _, weight = data
    new = np.random.default_rng(2).normal(size=(20, 2))
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y, weight)
    prediction = model.summary(X, y, weight, cov_type=cov_type).predict(new, alpha=0.1)
    expected = sm.WLS(y, sm.add_constant(X) if fit_intercept else X, weights=weight)
    expected = expected.fit(cov_type=cov_type)
    expected = expected.get_prediction(sm.add_constant(new) if fit_intercept else new)
    frame = expected.summary_frame(alpha=0.1)
    names = ["mean", "mean_se", "mean_ci_lower", "mean_ci_upper", "obs_ci_lower", "obs_ci_upper"]
    assert_allclose(prediction.frame(), frame[names], rtol=1e-8)
    assert_allclose(prediction.mean, model.predict(new), rtol=1e-10)


def test_prediction_intervals_hold_what_they_promise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 1))
    hits = []
    for _ in range(200):
        y = 1.0 + X[:, 0] + rng.normal(size=40)
        summary = LinearRegression().fit(X, y).summary(X, y)
        interval = summary.predict(np.array([[0.5]]), alpha=0.2).obs_conf_int[0]
        hits.append(interval[0] < 1.5 + rng.normal() < interval[1])
    assert 0.72 < np.mean(hits) < 0.88


def test_prediction_of_a_data_frame(data):
    X, y, _, _ = data
    frame = pd.DataFrame({"a": X[:, 0], "level": np.where(X[:, 1] > 0, "high", "low")})
    summary = LinearRegression().fit(frame, y).summary(frame, y)
    assert_allclose(summary.predict(frame).mean, summary.model.predict(frame))
    with pytest.raises(ValueError, match="alpha=2"):
        summary.predict(frame, alpha=2.0)


def test_bootstrap_is_reproducible_and_near_the_formula(data):
    X, y, _, _ = data
    model = LinearRegression().fit(X, y)
    first = model.summary(X, y, method="bootstrap", n_bootstrap=300, random_state=0)
    again = model.summary(X, y, method="bootstrap", n_bootstrap=300, random_state=0)
    assert_array_equal(first.replicates, again.replicates)
    expected = model.summary(X, y, cov_type="HC0")
    assert_allclose(first.std_err, expected.std_err, rtol=0.2)
    limits = np.quantile(first.replicates, [0.025, 0.975], axis=0).T
    assert_allclose(first.conf_int, limits)
    assert_allclose(first.bias, first.replicates.mean(axis=0) - first.coef)
    assert "Bootstrap of LinearRegression: y" in str(first)
    assert "percentiles" in first.notes[0]


def test_a_replicate_is_a_refit(data):
    X, y, _, weight = data
    model = Ridge(alpha=3.0).fit(X, y, weight)
    summary = model.summary(X, y, weight, method="bootstrap", n_bootstrap=3, random_state=5)
    rows = np.random.RandomState(5).choice(len(y), size=len(y))
    refit = Ridge(alpha=3.0).fit(X[rows], y[rows], weight[rows])
    assert_allclose(summary.replicates[0], np.append(refit.intercept_, refit.coef_), rtol=1e-12)
    assert any("penalised (alpha=3.0)" in note for note in summary.notes)


def test_clusters_are_drawn_whole(data):
    X, y, groups, _ = data
    model = LinearRegression().fit(X, y)
    options = {"method": "bootstrap", "n_bootstrap": 300, "random_state": 0}
    by_group = model.summary(X, y, groups=groups, **options)
    clustered = model.summary(X, y, cov_type="cluster", groups=groups)
    by_row = model.summary(X, y, **options)
    assert_allclose(by_group.std_err[0], clustered.std_err[0], rtol=0.25)
    assert by_group.std_err[0] > 1.3 * by_row.std_err[0]


def test_several_outputs_and_tables(data):
    X, y, _, _ = data
    Y = pd.DataFrame({"one": y, "two": -2.0 * y})
    frame = pd.DataFrame({"a": X[:, 0], "level": np.where(X[:, 1] > 0, "high", "low")})
    model = Ridge().fit(frame, Y)
    parts = model.summary(frame, Y, method="bootstrap", n_bootstrap=20, random_state=0)
    assert [part.target for part in parts] == ["one", "two"]
    assert_allclose(parts[1].replicates, -2.0 * parts[0].replicates, rtol=1e-8, atol=1e-10)
    assert parts[0].names == ("const", "a", "level=high", "level=low")


def test_arguments_without_effect_are_refused(data):
    X, y, _, _ = data
    model = LinearRegression().fit(X, y)
    for bad, match in [
        ({"n_bootstrap": 10}, "method='bootstrap' only"),
        ({"random_state": 0}, "method='bootstrap' only"),
        ({"method": "bootstrap", "cov_type": "HC3"}, "method='analytic'"),
        ({"method": "bootstrap", "n_bootstrap": 1}, "at least 2"),
        ({"method": "bootstrap", "alpha": 0.0}, "between 0 and 1"),
        ({"method": "jackknife"}, "one of analytic, bootstrap"),
    ]:
        with pytest.raises(ValueError, match=match):
            model.summary(X, y, **bad)
    with pytest.raises(ValueError, match=r"method='bootstrap'\)"):
        Ridge().fit(X, y).summary(X, y)
