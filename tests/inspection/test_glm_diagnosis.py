"""The diagnosis of Poisson, gamma and Tweedie regression finds what was put into the data."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose

from gramian.inspection import diagnose
from gramian.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor


def rows(n=500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return rng, X, np.exp(1.0 + X @ [0.5, 0.2, 0.0])


def poisson(X, y, weight=None):
    return diagnose(PoissonRegressor(alpha=0.0).fit(X, y, weight), X, y, weight)


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
def test_sound_data_seldom_raise_an_alarm(power):
    """About one in a hundred does, by chance: at most 2 of 40 data sets may."""
    alarms = 0
    for seed in range(40):
        rng, X, mean = rows(seed=seed)
        draws = {1.0: rng.poisson, 2.0: lambda m, r=rng: r.gamma(2.0, m / 2.0)}
        y = draws.get(power, lambda m, r=rng: r.wald(m, 3.0))(mean)
        model = TweedieRegressor(power=power, alpha=0.0).fit(X, y)
        alarms += not diagnose(model, X, y).ok
    assert alarms <= 2


def test_overdispersion_is_named_with_advice():
    rng, X, mean = rows()
    y = rng.negative_binomial(1.0, 1.0 / (1.0 + mean)).astype(float)
    finding = poisson(X, y)["dispersion"]
    glm = sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson()).fit()
    assert_allclose(finding.statistic, glm.pearson_chi2 / glm.df_resid, rtol=1e-5)
    assert finding.verdict == "problem" and finding.pvalue < 1e-6
    for advice in ["HC1", "quasi-Poisson", "TweedieRegressor(power=1.5)"]:
        assert advice in finding.remedy


def test_underdispersion_is_named():
    _, X, mean = rows()
    finding = poisson(X, np.round(mean))["dispersion"]
    assert finding.verdict == "warning" and "less than independent" in finding.remedy


def test_too_many_zeros():
    rng, X, mean = rows()
    y = rng.poisson(mean) * (rng.random(len(X)) < 0.6)
    finding = poisson(X, y)["zeros"]
    assert finding.verdict == "warning" and finding.statistic > 1.5
    assert poisson(X, rng.poisson(mean))["zeros"].verdict == "ok"


def test_weights_count_rows():
    rng, X, mean = rows()
    y = rng.negative_binomial(1.0, 1.0 / (1.0 + mean)).astype(float)
    weight = rng.integers(0, 4, size=len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    weighted, copied = poisson(X, y, weight), poisson(X[copies], y[copies])
    for code in ["dispersion", "zeros"]:
        assert_allclose(weighted[code].statistic, copied[code].statistic, rtol=1e-5)


def test_a_curve_is_found_and_its_column_named():
    rng, X, mean = rows()
    frame = pd.DataFrame(X, columns=["dose", "age", "trace"])
    y = rng.poisson(mean * np.exp(0.5 * X[:, 0] ** 2 - 0.5))
    finding = diagnose(PoissonRegressor(alpha=0.0).fit(frame, y), frame, y)["linearity"]
    assert finding.verdict != "ok" and "dose" in finding.columns
    assert "logarithm of the mean" in finding.hypothesis


def test_a_wrong_power_of_the_variance():
    rng, X, mean = rows(n=3000)
    y = rng.normal(mean**1.5, 0.3) + 1.0
    model = TweedieRegressor(power=3.0, alpha=0.0).fit(X, np.maximum(y, 0.1))
    finding = diagnose(model, X, np.maximum(y, 0.1))["homoscedasticity"]
    assert finding.verdict != "ok" and "power" in finding.hypothesis


def test_collinear_columns_and_a_row_that_steers():
    rng, X, mean = rows()
    y = rng.poisson(mean).astype(float)
    doubled = np.column_stack([X, X[:, 0]])
    found = poisson(doubled, y)
    assert found["rank"].verdict == "problem" and found["multicollinearity"].verdict == "problem"
    X[7], y[7] = [6.0, 0.0, 0.0], 0.0
    finding = poisson(X, y)["influence"]
    assert finding.verdict != "ok" and finding.rows[0] == 7


def test_what_does_not_apply_says_why():
    rng, X, mean = rows()
    y = rng.gamma(2.0, mean / 2.0)
    found = diagnose(GammaRegressor().fit(X, y), X, y)
    assert found["dispersion"].verdict == found["zeros"].verdict == "not applicable"
    assert found["rank"].verdict == "not applicable"
    few = diagnose(PoissonRegressor(alpha=0.0).fit(X[:5], np.arange(5)), X[:5], np.arange(5))
    assert few["dispersion"].verdict == "not applicable"
