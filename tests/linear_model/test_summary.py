"""The regression summary gives statsmodels' numbers, and NIST's for Longley's data."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import statsmodels.api as sm
from numpy.testing import assert_allclose
from statsmodels.stats import stattools

from gramian.linear_model import LinearRegression, Ridge
from gramian.linear_model._summary import summarize

RTOL = 1e-8
COV_TYPES = ["nonrobust", "HC0", "HC1", "HC2", "HC3"]

# NIST StRD "Longley": y, then GNP deflator, GNP, unemployed, armed forces, population, year.
LONGLEY = np.array(
    [
        [60323, 83.0, 234289, 2356, 1590, 107608, 1947],
        [61122, 88.5, 259426, 2325, 1456, 108632, 1948],
        [60171, 88.2, 258054, 3682, 1616, 109773, 1949],
        [61187, 89.5, 284599, 3351, 1650, 110929, 1950],
        [63221, 96.2, 328975, 2099, 3099, 112075, 1951],
        [63639, 98.1, 346999, 1932, 3594, 113270, 1952],
        [64989, 99.0, 365385, 1870, 3547, 115094, 1953],
        [63761, 100.0, 363112, 3578, 3350, 116219, 1954],
        [66019, 101.2, 397469, 2904, 3048, 117388, 1955],
        [67857, 104.6, 419180, 2822, 2857, 118734, 1956],
        [68169, 108.4, 442769, 2936, 2798, 120445, 1957],
        [66513, 110.8, 444546, 4681, 2637, 121950, 1958],
        [68655, 112.6, 482704, 3813, 2552, 123366, 1959],
        [69564, 114.2, 502601, 3931, 2514, 125368, 1960],
        [69331, 115.7, 518173, 4806, 2572, 127852, 1961],
        [70551, 116.9, 554894, 4007, 2827, 130081, 1962],
    ]
)
CERTIFIED_COEF = [
    -3482258.63459582,
    15.0618722713733,
    -0.358191792925910e-01,
    -2.02022980381683,
    -1.03322686717359,
    -0.511041056535807e-01,
    1829.15146461355,
]
CERTIFIED_STD_ERR = [
    890420.383607373,
    84.9149257747669,
    0.334910077722432e-01,
    0.488399681651699,
    0.214274163161675,
    0.226073200069370,
    455.478499142212,
]


@pytest.fixture
def data():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(70, 3)) * [1.0, 5.0, 0.2] + [0.0, 20.0, 1.0]
    y = 3.0 + X @ [1.0, -0.5, 4.0] + rng.standard_t(5, size=70) * (1.0 + np.abs(X[:, 0]))
    return X, y, rng.uniform(0.2, 3.0, size=70)


def assert_same(summary, result):
    """Compare every number of a summary with a fitted statsmodels model."""
    names = {
        "coef": "params",
        "std_err": "bse",
        "statistic": "tvalues",
        "pvalue": "pvalues",
        "n_samples": "nobs",
        "df_model": "df_model",
        "df_resid": "df_resid",
        "rsquared": "rsquared",
        "rsquared_adj": "rsquared_adj",
        "fvalue": "fvalue",
        "f_pvalue": "f_pvalue",
        "loglik": "llf",
        "aic": "aic",
        "bic": "bic",
        "scale": "scale",
    }
    for ours, theirs in names.items():
        expected = np.asarray(getattr(result, theirs))
        assert_allclose(getattr(summary, ours), expected, rtol=RTOL, atol=1e-12, err_msg=ours)
    assert_allclose(summary.conf_int, result.conf_int(alpha=summary.alpha), rtol=1e-7)
    assert_allclose(summary.covariance, result.cov_params(), rtol=1e-7, atol=1e-12)
    assert_allclose(summary.condition_number, result.condition_number, rtol=1e-6)
    assert_allclose(summary.durbin_watson, stattools.durbin_watson(result.wresid), rtol=RTOL)
    assert_allclose(summary.jarque_bera, stattools.jarque_bera(result.wresid), rtol=1e-7)
    assert_allclose(summary.omnibus[:2], stattools.omni_normtest(result.wresid), rtol=1e-7)


@pytest.mark.parametrize("cov_type", COV_TYPES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_matches_statsmodels(data, cov_type, fit_intercept, weighted):
    X, y, weight = data
    design = sm.add_constant(X) if fit_intercept else X
    oracle = sm.WLS(y, design, weights=weight) if weighted else sm.OLS(y, design)
    weight = weight if weighted else None
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y, sample_weight=weight)
    summary = summarize(model, X, y, weight, cov_type=cov_type, alpha=0.1)
    assert_same(summary, oracle.fit(cov_type=cov_type))


@pytest.mark.parametrize("cov_type", COV_TYPES)
def test_constant_column_counts_as_constant(data, cov_type):
    X, y, _ = data
    X = np.column_stack([X, np.full(len(X), 2.0)])
    model = LinearRegression(fit_intercept=False).fit(X, y)
    assert_same(summarize(model, X, y, cov_type=cov_type), sm.OLS(y, X).fit(cov_type=cov_type))


def test_implicit_constant_counts_as_constant(data):
    X, y, _ = data
    X = np.column_stack([X, np.eye(2)[np.arange(len(X)) % 2]])
    model = LinearRegression(fit_intercept=False).fit(X, y)
    assert_same(summarize(model, X, y), sm.OLS(y, X).fit())
    assert np.isnan(summarize(model, X, y, cov_type="HC1").fvalue)


def test_longley_has_the_certified_values():
    X, y = LONGLEY[:, 1:], LONGLEY[:, 0]
    summary = summarize(LinearRegression().fit(X, y), X, y)
    assert_allclose(summary.coef, CERTIFIED_COEF, rtol=1e-7)
    assert_allclose(summary.std_err, CERTIFIED_STD_ERR, rtol=1e-9)
    assert_allclose(np.sqrt(summary.scale), 304.854073561965, rtol=1e-10)
    assert_allclose(summary.rsquared, 0.995479004577296, rtol=1e-12)
    assert_allclose(summary.fvalue, 330.285339234588, rtol=1e-9)
    assert summary.rank == 7


@pytest.mark.filterwarnings("ignore:The design matrix is rank-deficient")
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rank_deficient_design(data, fit_intercept):
    X, y, _ = data
    X = np.column_stack([X, X[:, 0] - X[:, 1]])
    centred = X - X.mean(axis=0) if fit_intercept else X
    inverse = np.linalg.pinv(centred, rcond=1e-12)
    coef = inverse @ y
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
    model.coef_ = coef
    model.intercept_ = y.mean() - X.mean(axis=0) @ coef if fit_intercept else 0.0
    summary = summarize(model, X, y)
    expected = sm.OLS(y, sm.add_constant(X) if fit_intercept else X).fit()
    for ours, theirs in {"rsquared": "rsquared", "fvalue": "fvalue", "loglik": "llf"}.items():
        assert_allclose(getattr(summary, ours), getattr(expected, theirs), rtol=RTOL)
    for name in ["aic", "bic", "scale", "df_resid", "df_model"]:
        assert_allclose(getattr(summary, name), getattr(expected, name), rtol=RTOL)
    slopes = slice(int(fit_intercept), None)
    std_err = np.sqrt(expected.scale * np.diag(inverse @ inverse.T))
    assert_allclose(summary.std_err[slopes], std_err, rtol=1e-7)
    assert summary.rank == 3 + int(fit_intercept)
    assert any("x0, x1, x3 depend on each other" in note for note in summary.notes)


def test_weight_zero_leaves_the_row_out(data):
    X, y, weight = data
    weight[:5] = 0.0
    model = LinearRegression().fit(X, y, sample_weight=weight)
    expected = sm.WLS(y[5:], sm.add_constant(X[5:]), weights=weight[5:]).fit()
    assert_same(summarize(model, X, y, weight), expected)


def test_single_precision_and_sparse_input(data):
    X, y, _ = data
    X32 = X.astype(np.float32)
    model = LinearRegression().fit(X32.astype(np.float64), y)
    expected = summarize(model, X32.astype(np.float64), y)
    for other in [X32, scipy.sparse.csr_array(X32.astype(np.float64))]:
        actual = summarize(model, other, y)
        assert_allclose(actual.std_err, expected.std_err, rtol=1e-10)
        assert_allclose(actual.loglik, expected.loglik, rtol=1e-10)


def test_model_fitted_in_single_precision(data):
    X, y, _ = data
    model = LinearRegression().fit(X.astype(np.float32), y.astype(np.float32))
    summary = summarize(model, X.astype(np.float32), y.astype(np.float32))
    expected = sm.OLS(y, sm.add_constant(X)).fit()
    assert_allclose(summary.std_err, expected.bse, rtol=1e-4)


def test_several_outputs_give_one_summary_each(data):
    X, y, _ = data
    Y = np.column_stack([y, np.random.default_rng(0).normal(size=len(y))])
    summaries = summarize(LinearRegression().fit(X, Y), X, Y)
    assert [summary.target for summary in summaries] == ["y0", "y1"]
    for t, summary in enumerate(summaries):
        assert_same(summary, sm.OLS(Y[:, t], sm.add_constant(X)).fit())


def test_target_given_as_one_column(data):
    X, y, _ = data
    model = LinearRegression().fit(X, y[:, None])
    assert_same(summarize(model, X, y[:, None]), sm.OLS(y, sm.add_constant(X)).fit())


def test_shown_as_text_html_and_frame(data):
    X, y, _ = data
    frame = pd.DataFrame(X, columns=["age", "dose", "<b>"])
    target = pd.Series(y, name="response")
    summary = summarize(LinearRegression().fit(frame, target), frame, target)
    text = str(summary)
    assert summary.names == ("const", "age", "dose", "<b>")
    assert max(len(line) for line in text.splitlines()[:-1]) <= 82
    for word in ["response", "const", "dose", "R-squared", "P>|t|", "[0.025", "Durbin-Watson"]:
        assert word in text
    assert "&lt;b&gt;" in summary._repr_html_()
    table = summary.frame()
    assert list(table["parameter"]) == list(summary.names)
    assert_allclose(table["std err"], summary.std_err)
    assert summary.frame("polars").shape == (4, 7)


def test_penalised_model_is_refused(data):
    X, y, _ = data
    with pytest.raises(ValueError, match=r"Ridge is penalised \(alpha=1.0\).*not valid"):
        summarize(Ridge().fit(X, y), X, y)


def test_category_is_one_hot_encoded_and_its_dependence_noted():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "city": rng.choice(list("abc"), size=60)})
    y = frame["x"] + (frame["city"] == "a") + rng.normal(size=60)
    summary = LinearRegression().fit(frame, y).summary(frame, y)
    dummies = pd.get_dummies(frame, columns=["city"], drop_first=True, dtype=float)
    expected = sm.OLS(y, sm.add_constant(dummies)).fit()
    assert_allclose(summary.rsquared, expected.rsquared, rtol=RTOL)
    assert_allclose(summary.fvalue, expected.fvalue, rtol=RTOL)
    assert_allclose(summary.std_err[1], expected.bse["x"], rtol=RTOL)
    contrast = np.array([0.0, 0.0, -1.0, 1.0, 0.0])
    assert_allclose(contrast @ summary.coef, expected.params["city_b"], rtol=RTOL)
    assert_allclose(
        np.sqrt(contrast @ summary.covariance @ contrast), expected.bse["city_b"], rtol=RTOL
    )
    assert any("city=a, city=b, city=c" in note for note in summary.notes)


def test_target_encoded_column_is_refused():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=900), "id": rng.integers(300, size=900).astype(str)})
    y = rng.normal(size=900)
    model = LinearRegression().fit(frame, y)
    with pytest.raises(ValueError, match="column 'id' is encoded by means of the target"):
        model.summary(frame, y)


def test_constrained_model_is_refused(data):
    X, y, _ = data
    with pytest.raises(ValueError, match="positive=True"):
        summarize(LinearRegression(positive=True).fit(X, y), X, y)


def test_other_data_are_refused(data):
    X, y, weight = data
    model = LinearRegression().fit(X[:50], y[:50])
    with pytest.raises(ValueError, match="that the model was fitted on"):
        summarize(model, X[50:], y[50:])
    weighted = LinearRegression().fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="sample_weight that the model was fitted on"):
        summarize(weighted, X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"alpha": 1.0}, "alpha=1.0"), ({"cov_type": "HC9"}, "cov_type='HC9' must be one of")],
)
def test_wrong_arguments(data, arguments, message):
    X, y, _ = data
    with pytest.raises(ValueError, match=message):
        summarize(LinearRegression().fit(X, y), X, y, **arguments)


def test_no_degrees_of_freedom_left():
    X, y = np.array([[0.0], [1.0]]), np.array([1.0, 3.0])
    summary = summarize(LinearRegression().fit(X, y), X, y)
    assert summary.df_resid == 0
    assert np.isnan(summary.std_err).all()
    assert_allclose(summary.coef, [1.0, 2.0])
