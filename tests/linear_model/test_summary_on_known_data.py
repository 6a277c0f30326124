"""Summaries on data of textbooks: statsmodels' numbers to six digits, and separation reported."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose

from gramian.exceptions import ConvergenceWarning
from gramian.inspection import diagnose
from gramian.linear_model import (
    FirthLogisticRegression,
    GammaRegressor,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    TweedieRegressor,
)

SIX_DIGITS = 1e-6
LOG = sm.families.links.Log()
COV_TYPES = ["nonrobust", "HC0", "cluster"]
SHARED = {"coef": "params", "std_err": "bse", "statistic": "tvalues", "pvalue": "pvalues"}
LIKELIHOOD = {"loglik": "llf", "loglik_null": "llnull", "aic": "aic", "df_resid": "df_resid"}
DEVIANCE = {"deviance": "deviance", "null_deviance": "null_deviance", "scale": "scale"}


def load(name):
    """Return features, target, and clusters of about five rows."""
    data = getattr(sm.datasets, name).load()
    X, y = np.asarray(data.exog, dtype=float), np.asarray(data.endog, dtype=float)
    return X, y, np.arange(len(y)) // 5


def summaries(model, theirs, X, y, groups, cov_type, **fit_params):
    """Return our summary, and statsmodels' results with the same covariance."""
    clusters = {"groups": groups} if cov_type == "cluster" else {}
    fit_params |= {"cov_kwds": clusters} if clusters else {}
    expected = theirs(y, sm.add_constant(X)).fit(cov_type=cov_type, **fit_params)
    return model.fit(X, y).summary(X, y, cov_type=cov_type, **clusters), expected


def assert_equal(summary, expected, names):
    for ours, theirs in names.items():
        wanted = np.asarray(getattr(expected, theirs)).ravel(order="F")
        actual = np.ravel(getattr(summary, ours))
        assert_allclose(actual, wanted, rtol=SIX_DIGITS, atol=1e-12, err_msg=ours)
    limits = np.asarray(expected.conf_int()).reshape(-1, 2)
    assert_allclose(summary.conf_int, limits, rtol=SIX_DIGITS)


@pytest.mark.parametrize("cov_type", [*COV_TYPES, "HC1", "HC2", "HC3"])
def test_least_squares(cov_type):
    X, y, groups = load("stackloss")
    summary, expected = summaries(LinearRegression(), sm.OLS, X, y, groups, cov_type)
    assert_equal(summary, expected, SHARED)
    names = {"rsquared": "rsquared", "rsquared_adj": "rsquared_adj", "fvalue": "fvalue"}
    for ours, theirs in {**names, "loglik": "llf", "aic": "aic", "bic": "bic"}.items():
        assert_allclose(getattr(summary, ours), getattr(expected, theirs), rtol=SIX_DIGITS)


@pytest.mark.parametrize("cov_type", COV_TYPES)
def test_two_classes(cov_type):
    X, y, groups = load("spector")
    model = LogisticRegression(C=np.inf, tol=1e-10)
    summary, expected = summaries(model, sm.Logit, X, y, groups, cov_type, disp=0, tol=1e-12)
    assert_equal(summary, expected, {**SHARED, **LIKELIHOOD})
    assert_allclose(summary.mcfadden, expected.prsquared, rtol=SIX_DIGITS)
    assert_allclose(summary.exp_coef, np.exp(expected.params), rtol=SIX_DIGITS)


@pytest.mark.parametrize("cov_type", COV_TYPES)
def test_several_classes(cov_type):
    X, y, groups = load("anes96")
    y = np.minimum(y, 3.0)  # four of the seven, each of them frequent
    model = LogisticRegression(C=np.inf, tol=1e-10)
    options = {"disp": 0, "tol": 1e-12, "method": "newton", "maxiter": 200}
    summary, expected = summaries(model, sm.MNLogit, X, y, groups, cov_type, **options)
    assert_equal(summary, expected, {**SHARED, **LIKELIHOOD})


GENERALISED = {
    "poisson": (PoissonRegressor, {}, sm.families.Poisson(), "cpunish"),
    "gamma": (GammaRegressor, {}, sm.families.Gamma(LOG), "scotland"),
    "tweedie": (
        TweedieRegressor,
        {"power": 1.4},
        sm.families.Tweedie(LOG, var_power=1.4, eql=False),
        "cpunish",
    ),
    "inverse_gaussian": (
        TweedieRegressor,
        {"power": 3.0},
        sm.families.InverseGaussian(LOG),
        "scotland",
    ),
}


@pytest.mark.parametrize("cov_type", COV_TYPES)
@pytest.mark.parametrize("name", list(GENERALISED))
def test_generalised(name, cov_type):
    cls, params, family, data = GENERALISED[name]
    X, y, groups = load(data)
    X = (X - X.mean(axis=0)) / X.std(axis=0)  # statsmodels loses digits on the raw columns

    def theirs(endog, exog):
        return sm.GLM(endog, exog, family=family)

    model = cls(alpha=0.0, tol=1e-11, **params)
    options = {"tol": 1e-14, "maxiter": 500}
    summary, expected = summaries(model, theirs, X, y, groups, cov_type, **options)
    assert_equal(summary, expected, {**SHARED, **LIKELIHOOD, **DEVIANCE})
    assert_allclose(summary.pearson_chi2, expected.pearson_chi2, rtol=SIX_DIGITS)
    ratio = summary.loglik / summary.loglik_null
    assert_allclose(summary.mcfadden, 1.0 - ratio, rtol=SIX_DIGITS)
    if name == "poisson":  # statsmodels' measure is about a likelihood of known scale
        assert_allclose(summary.mcfadden, expected.pseudo_rsquared("mcf"), rtol=SIX_DIGITS)
        assert_allclose(summary.cox_snell, expected.pseudo_rsquared("cs"), rtol=SIX_DIGITS)


@pytest.mark.parametrize("cov_type", ["HC1", "HC2", "HC3"])
@pytest.mark.parametrize("power", [1.0, 2.0])
def test_corrections_for_few_rows_by_their_formula(power, cov_type):
    """statsmodels gives the uncorrected HC0 under these names for its generalised models."""
    X, y, _ = load("scotland")
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = TweedieRegressor(power=power, alpha=0.0, tol=1e-11).fit(X, y)
    design, mu = sm.add_constant(X), model.predict(X)
    fisher = design.T @ (mu ** (2.0 - power) * design.T).T
    leverage = mu ** (2.0 - power) * ((design @ np.linalg.inv(fisher)) * design).sum(axis=1)
    n, k = design.shape
    factor = {"HC1": n / (n - k), "HC2": 1 / (1 - leverage), "HC3": (1 - leverage) ** -2.0}
    observed = mu ** (2.0 - power) - (1.0 - power) * (y - mu) * mu ** (1.0 - power)
    bread = np.linalg.inv(design.T @ (observed * design.T).T)
    scores = (y - mu) * mu ** (1.0 - power)
    meat = design.T @ (factor[cov_type] * scores**2 * design.T).T
    summary = model.summary(X, y, cov_type=cov_type)
    assert_allclose(summary.covariance, bread @ meat @ bread, rtol=SIX_DIGITS)


# The textbook example of one column that tells the classes apart at 3, and its variant in which
# both classes meet at 3.
COLUMN = np.array([1.0, 2, 3, 3, 5, 6, 10, 11])
OTHER = np.array([3.0, 2, -1, -1, 2, 4, 1, 0])
COMPLETE = np.array([0, 0, 0, 0, 1, 1, 1, 1])
QUASI_COLUMN = np.array([1.0, 2, 3, 3, 3, 4, 5, 6, 10, 11])
QUASI_OTHER = np.array([3.0, 0, -1, 4, 1, 0, 2, 7, 3, 4])
QUASI = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1])


@pytest.mark.parametrize(
    ("X", "y", "word"),
    [
        (np.column_stack([COLUMN, OTHER]), COMPLETE, r"separated \(complete, all 8 rows\)"),
        (np.column_stack([QUASI_COLUMN, QUASI_OTHER]), QUASI, r"quasi-complete, 7 of 10 rows"),
    ],
    ids=["complete", "quasi"],
)
def test_separation_is_reported(X, y, word):
    with pytest.warns(ConvergenceWarning, match=word):
        model = LogisticRegression(C=np.inf).fit(X, y)
    finding = diagnose(model, X, y)["separation"]
    assert finding.verdict == "problem" and "x0" in finding.columns
    assert np.abs(FirthLogisticRegression().fit(X, y).coef_).max() < 10.0
