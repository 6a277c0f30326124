"""Every diagnostic gives statsmodels' number."""

import numpy as np
import pytest
import scipy.sparse
import statsmodels.api as sm
from numpy.testing import assert_allclose
from statsmodels.stats import diagnostic, outliers_influence, stattools

from gramian import diagnostics

RTOL = 1e-8


@pytest.fixture(params=["plain", "shifted", "binary"])
def data(request):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 3))
    if request.param == "shifted":
        X = X * [1.0, 50.0, 1e-3] + [0.0, 400.0, 2.0]
    if request.param == "binary":
        X[:, 2] = X[:, 2] > 0
    y = 1.0 + X @ [2.0, -0.1, 0.5] + rng.standard_t(4, size=80) * (1 + np.abs(X[:, 0]))
    return X, y


def ols(X, y, fit_intercept=True):
    return sm.OLS(y, sm.add_constant(X) if fit_intercept else X).fit()


def test_variance_inflation_factor(data):
    X, _ = data
    X = np.column_stack([X, X[:, 0] + 0.1 * X[:, 1]])
    X[:, 3] += 0.05 * np.random.default_rng(0).normal(size=len(X))
    design = np.column_stack([np.ones(len(X)), X])
    expected = [outliers_influence.variance_inflation_factor(design, j) for j in range(1, 5)]
    assert_allclose(diagnostics.variance_inflation_factor(X), expected, rtol=RTOL)


def test_variance_inflation_factor_without_intercept(data):
    X = data[0][:, :2]
    factor = outliers_influence.variance_inflation_factor
    expected = [factor(X, j, standardize=False) for j in range(2)]
    actual = diagnostics.variance_inflation_factor(X, fit_intercept=False)
    assert_allclose(actual, expected, rtol=RTOL)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_condition_number(data, fit_intercept):
    X, y = data
    expected = ols(X, y, fit_intercept).condition_number
    assert_allclose(
        diagnostics.condition_number(X, fit_intercept=fit_intercept), expected, rtol=1e-7
    )


def test_condition_number_weighted(data):
    X, y = data
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=len(y))
    expected = sm.WLS(y, sm.add_constant(X), weights=weight).fit().condition_number
    assert_allclose(diagnostics.condition_number(X, sample_weight=weight), expected, rtol=1e-7)


def test_condition_number_scaled(data):
    design = sm.add_constant(data[0])
    expected = np.linalg.cond(design / np.linalg.norm(design, axis=0))
    assert_allclose(diagnostics.condition_number(data[0], scaled=True), expected, rtol=1e-7)


def test_durbin_watson(data):
    resid = ols(*data).resid
    assert_allclose(diagnostics.durbin_watson(resid), stattools.durbin_watson(resid), rtol=RTOL)


def test_jarque_bera(data):
    resid = ols(*data).resid
    assert_allclose(diagnostics.jarque_bera(resid), stattools.jarque_bera(resid), rtol=RTOL)


@pytest.mark.parametrize("n", [8, 20, 80])
def test_omnibus(data, n):
    resid = ols(*data).resid[:n]
    expected = stattools.omni_normtest(resid)
    assert_allclose(diagnostics.omnibus(resid)[:2], expected, rtol=RTOL)


def test_omnibus_needs_eight_values():
    assert np.isnan(diagnostics.omnibus(np.arange(7.0)).statistic)


def test_tests_of_weighted_residuals_use_whitened_ones(data):
    resid = ols(*data).resid
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=len(resid))
    white = resid * np.sqrt(weight)
    for name in ["jarque_bera", "omnibus", "durbin_watson"]:
        function = getattr(diagnostics, name)
        assert_allclose(function(resid, sample_weight=weight), function(white), rtol=RTOL)
    X = data[0]
    for name in ["breusch_pagan", "white_test"]:
        function = getattr(diagnostics, name)
        assert_allclose(function(resid, X, sample_weight=weight), function(white, X), rtol=RTOL)


@pytest.mark.parametrize("lags", [None, 1, 5])
def test_ljung_box(data, lags):
    resid = ols(*data).resid
    expected = diagnostic.acorr_ljungbox(resid, lags=lags)
    actual = diagnostics.ljung_box(resid, lags=lags)
    assert_allclose(actual.statistic, expected["lb_stat"], rtol=RTOL)
    assert_allclose(actual.pvalue, expected["lb_pvalue"], rtol=RTOL)
    assert actual.lags.tolist() == expected.index.tolist()


@pytest.mark.parametrize("robust", [True, False])
def test_breusch_pagan(data, robust):
    X, y = data
    resid = ols(X, y).resid
    expected = diagnostic.het_breuschpagan(resid, sm.add_constant(X), robust=robust)
    assert_allclose(diagnostics.breusch_pagan(resid, X, robust=robust), expected, rtol=RTOL)


@pytest.mark.filterwarnings("ignore:The design matrix is rank-deficient")
def test_white_test(data):
    X, y = data
    resid = ols(X, y).resid
    expected = diagnostic.het_white(resid, sm.add_constant(X))
    # statsmodels works on raw products, whose condition is worse than ours.
    assert_allclose(diagnostics.white_test(resid, X), expected, rtol=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lags", [None, 1, 4])
def test_breusch_godfrey(data, lags, fit_intercept):
    X, y = data
    X = X - X.mean(axis=0) if not fit_intercept else X
    result = ols(X, y, fit_intercept)
    expected = diagnostic.acorr_breusch_godfrey(result, nlags=lags, result_object=True)
    actual = diagnostics.breusch_godfrey(result.resid, X, lags)
    assert_allclose(actual, expected[:4], rtol=1e-7)


@pytest.mark.parametrize("test_type", ["fitted", "exog"])
@pytest.mark.parametrize("power", [2, 3])
def test_ramsey_reset(data, test_type, power):
    X, y = data
    # Same span, better conditioned for statsmodels; a binary column must stay as it is.
    columns = [x if len(np.unique(x)) == 2 else (x - x.mean()) / x.std() for x in X.T]
    result = ols(np.column_stack(columns), y)
    expected = diagnostic.linear_reset(result, power=power, test_type=test_type, use_f=True)
    actual = diagnostics.ramsey_reset(X, y, power=power, test_type=test_type)
    assert_allclose(actual.statistic, expected.fvalue, rtol=1e-6)
    assert_allclose(actual.pvalue, expected.pvalue, rtol=1e-6)
    assert (actual.df_num, actual.df_denom) == (expected.df_num, expected.df_denom)


def test_ramsey_reset_without_intercept(data):
    X, y = data
    X = X / np.abs(X).max(axis=0)
    expected = diagnostic.linear_reset(ols(X, y, False), power=3, use_f=True)
    actual = diagnostics.ramsey_reset(X, y, fit_intercept=False)
    assert_allclose(actual[:2], [expected.fvalue, expected.pvalue], rtol=1e-6)


def test_rainbow_test(data):
    X, y = data
    expected = diagnostic.linear_rainbow(ols(X, y))
    assert_allclose(diagnostics.rainbow_test(X, y)[:2], expected, rtol=RTOL)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_influence(data, fit_intercept):
    X, y = data
    result = ols(X, y, fit_intercept)
    expected = result.get_influence()
    actual = diagnostics.influence(result.resid, X, fit_intercept=fit_intercept)
    assert_allclose(actual.leverage, expected.hat_matrix_diag, rtol=RTOL)
    assert_allclose(actual.studentized, expected.resid_studentized_internal, rtol=RTOL)
    assert_allclose(actual.studentized_external, expected.resid_studentized_external, rtol=RTOL)
    assert_allclose(actual.cooks_distance, expected.cooks_distance[0], rtol=RTOL)
    assert_allclose(actual.dffits, expected.dffits[0], rtol=RTOL)


def test_weighted_leverage(data):
    X, _ = data
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=len(X))
    white = np.sqrt(weight)[:, None] * sm.add_constant(X)
    expected = np.diag(white @ np.linalg.pinv(white))
    assert_allclose(diagnostics.leverage(X, sample_weight=weight), expected, rtol=1e-7)


def test_sparse_and_single_precision_agree_with_dense(data):
    X = np.round(data[0] * 8) / 8
    if np.abs(X).max() > 1e3 or np.ptp(X[:, 2]) == 0:
        X = X[:, :2]
    expected = diagnostics.variance_inflation_factor(X)
    sparse = scipy.sparse.csr_array(X)
    assert_allclose(diagnostics.variance_inflation_factor(sparse), expected, rtol=1e-10)
    single = X.astype(np.float32)
    assert_allclose(diagnostics.variance_inflation_factor(single), expected, rtol=1e-10)
