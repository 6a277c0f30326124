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
from gramian.validation import training_matrix

RTOL = 1e-8
COV_TYPES = ["nonrobust", "HC0", "HC1", "HC2", "HC3"]


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


def test_longley_has_the_certified_values(longley):
    X, y = longley.X, longley.y
    summary = summarize(LinearRegression().fit(X, y), X, y)
    assert_allclose(summary.coef, longley.coef, rtol=1e-7)
    assert_allclose(summary.std_err, longley.std_err, rtol=1e-9)
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


@pytest.mark.parametrize("weighted", [False, True])
def test_target_encoded_column_is_noted(many_levels, weighted):
    frame, y = many_levels
    frame = frame[["size", "street"]]
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y)) if weighted else None
    model = LinearRegression().fit(frame, y, sample_weight=weight)
    matrix = training_matrix(model, frame, y, weight)
    oracle = sm.WLS(y, sm.add_constant(matrix), weights=1.0 if weight is None else weight)
    summary = model.summary(frame, y, weight)
    assert_same(summary, oracle.fit())
    assert summary.names == ("const", "size", "street (target mean)")
    assert any("street" in note and "uncertainty" in note for note in summary.notes)
    with pytest.raises(ValueError, match="that the model was fitted on"):
        model.summary(frame[:200], y[:200])


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
