"""Summaries of generalised linear models give statsmodels' numbers."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import statsmodels.api as sm
from numpy.testing import assert_allclose

from gramian.linear_model import (
    LogisticRegression,
    TweedieRegressor,
)

RTOL = 1e-6


def Logistic(C=np.inf, **params):  # noqa: N802 reads as the class that it makes
    return LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10, **params)


def Generalised(alpha=0.0, link="log", **params):  # noqa: N802
    return TweedieRegressor(alpha=alpha, link=link, tol=1e-11, **params)


@pytest.fixture
def binary():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(180, 3)) * [1.0, 10.0, 0.1] + [0.0, 50.0, 0.0]
    eta = -4.0 + X @ [0.8, 0.08, -5.0]
    y = (rng.uniform(size=180) < 1.0 / (1.0 + np.exp(-eta))).astype(int)
    return X, y, rng.integers(1, 4, size=180), rng.integers(0, 25, size=180)


@pytest.fixture
def counts():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 2))
    mu = np.exp(0.5 + X @ [0.4, -0.3])
    return X, mu, rng, rng.integers(1, 4, size=150), rng.integers(0, 20, size=150)


def target_of(power, mu, rng):
    if power == 1.0:
        return rng.poisson(mu).astype(float)
    if power == 1.5:
        return np.array([rng.gamma(2.0, m / 2.0, size=rng.poisson(1.5)).sum() for m in mu])
    if power == 3.0:
        return rng.wald(mu, 3.0)
    return rng.gamma(3.0, mu / 3.0)


def assert_same(summary, result, *, alpha=0.05):
    names = {"coef": "params", "std_err": "bse", "statistic": "tvalues", "pvalue": "pvalues"}
    names |= {"loglik": "llf", "loglik_null": "llnull", "df_model": "df_model"}
    names |= {"df_resid": "df_resid", "aic": "aic"}
    for ours, theirs in names.items():
        expected = np.asarray(getattr(result, theirs)).ravel(order="F")
        actual = np.ravel(getattr(summary, ours))
        assert_allclose(actual, expected, rtol=RTOL, atol=1e-9, err_msg=ours)
    limits = np.asarray(result.conf_int(alpha))
    assert_allclose(summary.conf_int, limits.reshape(-1, 2), rtol=RTOL)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("cov_type", ["nonrobust", "HC0", "cluster"])
def test_logit(binary, cov_type, fit_intercept):
    X, y, _, groups = binary
    X = X if fit_intercept else X - X.mean(axis=0)
    kwds = {"groups": groups} if cov_type == "cluster" else {}
    exog = sm.add_constant(X) if fit_intercept else X
    expected = sm.Logit(y, exog).fit(
        disp=0, tol=1e-12, cov_type=cov_type, **({"cov_kwds": kwds} if kwds else {})
    )
    model = Logistic(fit_intercept=fit_intercept).fit(X, y)
    summary = model.summary(X, y, alpha=0.1, cov_type=cov_type, **kwds)
    if fit_intercept:
        assert_same(summary, expected, alpha=0.1)
        assert_allclose(summary.lr_statistic, expected.llr, rtol=RTOL)
        assert_allclose(summary.lr_pvalue, expected.llr_pvalue, rtol=1e-5)
        assert_allclose(summary.bic, expected.bic, rtol=RTOL)
    else:
        assert np.isnan(summary.lr_statistic)
        assert_allclose(summary.std_err, expected.bse, rtol=RTOL)
    assert_allclose(summary.mcfadden, expected.prsquared, rtol=RTOL)
    assert_allclose(summary.exp_coef, np.exp(expected.params), rtol=RTOL)
    assert_allclose(summary.exp_conf_int, np.exp(expected.conf_int(0.1)), rtol=RTOL)
    assert_allclose(summary.deviance, -2.0 * expected.llf, rtol=RTOL)


@pytest.mark.parametrize("cov_type", ["nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster"])
def test_a_weight_is_as_many_rows(binary, cov_type):
    X, y, weight, groups = binary
    weight[:7] = 0
    copies = np.repeat(np.arange(len(y)), weight)
    model = Logistic().fit(X, y, weight)
    groups = {"groups": groups} if cov_type == "cluster" else {}
    copied = {"groups": groups["groups"][copies]} if groups else {}
    summary = model.summary(X, y, weight, cov_type=cov_type, **groups)
    expected = Logistic().fit(X[copies], y[copies])
    expected = expected.summary(X[copies], y[copies], cov_type=cov_type, **copied)
    for name in ["std_err", "loglik", "aic", "bic", "df_resid", "nagelkerke", "pearson_chi2"]:
        assert_allclose(getattr(summary, name), getattr(expected, name), rtol=RTOL, err_msg=name)


@pytest.mark.parametrize("cov_type", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_kinds_by_their_formula(binary, cov_type):
    X, y, _, _ = binary
    model = Logistic().fit(X, y)
    design = sm.add_constant(X)
    theta = np.append(model.intercept_, model.coef_)
    p = 1.0 / (1.0 + np.exp(-design @ theta))
    bread = np.linalg.inv(design.T @ ((p * (1.0 - p))[:, None] * design))
    leverage = p * (1.0 - p) * np.einsum("ij,jk,ik->i", design, bread, design)
    n, k = design.shape
    factor = {
        "HC0": 1.0,
        "HC1": n / (n - k),
        "HC2": 1 / (1 - leverage),
        "HC3": (1 - leverage) ** -2,
    }
    meat = design.T @ ((factor[cov_type] * (y - p) ** 2)[:, None] * design)
    summary = model.summary(X, y, cov_type=cov_type)
    assert_allclose(summary.covariance, bread @ meat @ bread, rtol=RTOL)


@pytest.mark.parametrize("cov_type", ["nonrobust", "HC0", "cluster"])
def test_multinomial(cov_type):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(200, 2)) * [1.0, 4.0]
    scores = np.column_stack([np.zeros(200), 0.4 + X @ [1.0, 0.1], -0.3 + X @ [-0.5, 0.3]])
    labels = np.array(["a", "b", "c"])
    codes = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    groups = rng.integers(0, 30, size=200)
    kwds = {"groups": groups} if cov_type == "cluster" else {}
    model = Logistic().fit(X, labels[codes])
    summary = model.summary(X, labels[codes], cov_type=cov_type, **kwds)
    result = sm.MNLogit(codes, sm.add_constant(X))
    kwds = {"cov_kwds": kwds} if kwds else {}
    result = result.fit(disp=0, tol=1e-12, cov_type=cov_type, **kwds)
    assert_same(summary, result)
    assert_allclose(summary.covariance, result.cov_params(), rtol=1e-5, atol=1e-10)
    assert_allclose(summary.lr_pvalue, result.llr_pvalue, rtol=1e-5)
    assert_allclose(summary.bic, result.bic, rtol=RTOL)
    assert summary.names[0] == "b: const" and summary.names[-1] == "c: x1"
    weight = rng.integers(0, 3, size=200)
    weighted = Logistic().fit(X, labels[codes], weight).summary(X, labels[codes], weight)
    rows = np.repeat(np.arange(200), weight)
    copied = Logistic().fit(X[rows], labels[codes][rows]).summary(X[rows], labels[codes][rows])
    assert_allclose(weighted.std_err, copied.std_err, rtol=RTOL)
    with pytest.raises(ValueError, match="leverage"):
        model.summary(X, labels[codes], cov_type="HC3")
    with pytest.raises(ValueError, match="two classes"):
        summary.predict(X)


FAMILIES = {
    1.0: sm.families.Poisson(),
    1.5: sm.families.Tweedie(sm.families.links.Log(), var_power=1.5, eql=False),
    2.0: sm.families.Gamma(sm.families.links.Log()),
    3.0: sm.families.InverseGaussian(sm.families.links.Log()),
}


@pytest.mark.parametrize("cov_type", ["nonrobust", "HC0", "cluster"])
@pytest.mark.parametrize("power", list(FAMILIES))
def test_generalised(counts, power, cov_type):
    X, mu, rng, weight, groups = counts
    y = target_of(power, mu, rng)
    kwds = {"groups": groups} if cov_type == "cluster" else {}
    # statsmodels counts rows, not copies, in its correction for few clusters
    weight = None if cov_type == "cluster" else weight
    model = Generalised(power=power).fit(X, y, weight)
    summary = model.summary(X, y, weight, cov_type=cov_type, **kwds)
    glm = sm.GLM(y, sm.add_constant(X), family=FAMILIES[power], freq_weights=weight)
    result = glm.fit(tol=1e-13, maxiter=300, cov_type=cov_type, cov_kwds=kwds or None)
    assert_same(summary, result)
    for ours, theirs in {
        "deviance": "deviance",
        "null_deviance": "null_deviance",
        "pearson_chi2": "pearson_chi2",
        "scale": "scale",
        "bic": "bic_llf",
    }.items():
        assert_allclose(getattr(summary, ours), getattr(result, theirs), rtol=RTOL, err_msg=ours)
    n = result.nobs if weight is None else weight.sum()
    ratio = 2.0 * (result.llf - result.llnull)
    assert_allclose(summary.lr_statistic, ratio, rtol=RTOL)
    assert_allclose(summary.mcfadden, 1.0 - result.llf / result.llnull, rtol=1e-5)
    assert_allclose(summary.cox_snell, 1.0 - np.exp(-ratio / n), rtol=RTOL)
    prediction, expected = summary.predict(X[:9]), result.get_prediction(sm.add_constant(X)[:9])
    frame = expected.summary_frame()
    assert_allclose(prediction.mean, frame["mean"], rtol=RTOL)
    assert_allclose(prediction.std_err, frame["mean_se"], rtol=RTOL)
    limits = frame[["mean_ci_lower", "mean_ci_upper"]]
    assert_allclose(prediction.mean_conf_int, limits, rtol=RTOL)
    assert prediction.obs_conf_int is None


def test_identity_link_is_least_squares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = 1.0 + X @ [2.0, -1.0] + rng.normal(size=60)
    summary = Generalised(power=0.0, link="identity").fit(X, y).summary(X, y, cov_type="HC3")
    expected = sm.OLS(y, sm.add_constant(X)).fit(cov_type="HC3")
    assert_allclose(summary.std_err, expected.bse, rtol=RTOL)
    assert_allclose(summary.loglik, expected.llf, rtol=RTOL)
    with pytest.raises(AttributeError, match="no meaning"):
        summary.exp_coef  # noqa: B018
    assert list(summary.frame().columns)[-1] == "0.975]"


def test_power_without_a_likelihood(counts):
    X, mu, rng, _, _ = counts
    y = target_of(2.0, mu, rng)
    summary = Generalised(power=2.5).fit(X, y).summary(X, y)
    assert np.isnan(summary.aic) and np.isfinite(summary.std_err).all()
    assert any("no closed form" in note for note in summary.notes)


def test_penalised_and_weighted_classes_are_refused(binary, counts):
    X, y, _, _ = binary
    model = Logistic(C=1.0).fit(X, y)
    with pytest.raises(ValueError, match=r"penalised \(C=1.0\).*bootstrap"):
        model.summary(X, y)
    with pytest.raises(ValueError, match="class_weight='balanced'"):
        Logistic(class_weight="balanced").fit(X, y).summary(X, y)
    X, mu, rng, _, _ = counts
    y = target_of(1.0, mu, rng)
    with pytest.raises(ValueError, match=r"penalised \(alpha=0.5\)"):
        Generalised(alpha=0.5).fit(X, y).summary(X, y)


def test_other_data_are_refused(binary):
    X, y, _, groups = binary
    model = Logistic().fit(X, y)
    with pytest.raises(ValueError, match="standard errors from the optimum"):
        model.summary(X[:90], y[:90])
    with pytest.raises(ValueError, match="has not seen"):
        model.summary(X, y + 1)
    with pytest.raises(ValueError, match="one value per row"):
        model.summary(X, y[:5])
    for bad in [{"groups": groups}, {"cov_type": "cluster"}, {"alpha": 1.0}, {"cov_type": "HC9"}]:
        with pytest.raises(ValueError, match=r"groups|alpha|must be one of"):
            model.summary(X, y, **bad)
    with pytest.raises(ValueError, match="single cluster"):
        model.summary(X, y, cov_type="cluster", groups=np.zeros(len(y)))
    with pytest.raises(ValueError, match="one label per row"):
        model.summary(X, y, cov_type="cluster", groups=[1, 2])


def test_tables_of_any_kind(binary):
    X, y, _, _ = binary
    frame = pd.DataFrame(X, columns=["dose", "age", "trace"])
    target = pd.Series(np.where(y == 1, "ill", "well"), name="state")
    summary = Logistic().fit(frame, target).summary(frame, target)
    text = str(summary)
    assert "Logistic regression: state" in text and "odds ratio" in text
    assert "log-odds of well against ill" in text
    assert summary.frame("polars")["parameter"].to_list() == ["const", "dose", "age", "trace"]
    assert "<table>" in summary._repr_html_()
    sparse = scipy.sparse.csr_array(X)
    other = Logistic().fit(sparse, target).summary(sparse, target)
    assert_allclose(other.std_err, summary.std_err, rtol=RTOL)


def test_a_fit_that_stopped_early_says_so(binary):
    X, y, _, _ = binary
    model = Logistic().fit(X, y)
    error = model.summary(X, y).std_err
    model.coef_ = model.coef_ + 0.01 * error[1:]
    assert any("from the optimum" in note for note in model.summary(X, y).notes)
