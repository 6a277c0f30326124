"""Tests and measures of logistic regression agree with statsmodels and with their formulas."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.stats import chi2

from gramian.diagnostics import box_tidwell, hosmer_lemeshow, logistic_influence


@pytest.fixture
def fitted():
    rng = np.random.default_rng(4)
    X = np.column_stack(
        [rng.uniform(0.5, 4.0, 150), rng.uniform(1.0, 2.0, 150), np.arange(150) % 2]
    )
    y = (X @ [1.0, -1.0, 0.5] - 1.0 + rng.logistic(size=150) > 0).astype(float)
    result = sm.GLM(y, sm.add_constant(X), family=sm.families.Binomial()).fit(tol=1e-14)
    return X, y, result


def test_box_tidwell_is_the_score_test_of_x_log_x(fitted):
    X, y, result = fitted
    found = box_tidwell(y, result.fittedvalues, X)
    curves = X[:, :2] * np.log(X[:, :2])
    statistic, pvalue = result.score_test(exog_extra=curves)
    assert_allclose(
        [found.statistic, found.pvalue], [np.ravel(statistic)[0], np.ravel(pvalue)[0]], rtol=1e-6
    )
    assert found.df == 2 and found.columns.tolist() == [0, 1]
    for j in range(2):
        single = result.score_test(exog_extra=curves[:, [j]])
        assert_allclose(found.column_statistic[j], np.ravel(single[0])[0], rtol=1e-6)


def test_box_tidwell_shifts_columns_that_are_not_positive(fitted):
    X, y, result = fitted
    shifted = X - [2.0, 0.0, 0.0]
    found = box_tidwell(y, result.fittedvalues, shifted)
    low, spread = X[:, 0].min(), X[:, 0].std()
    moved = np.column_stack([X[:, 0] - low + spread, X[:, 1:]])
    assert_allclose(found.statistic, box_tidwell(y, result.fittedvalues, moved).statistic)


def test_weights_are_copies(fitted):
    X, y, result = fitted
    weight = np.random.default_rng(0).integers(1, 4, size=len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    p = result.fittedvalues
    first = box_tidwell(y, p, X, sample_weight=weight)
    second = box_tidwell(y[rows], p[rows], X[rows])
    assert_allclose(first.statistic, second.statistic, rtol=1e-8)
    first = hosmer_lemeshow(y, p, sample_weight=weight)
    second = hosmer_lemeshow(y[rows], p[rows])
    assert_allclose(first.statistic, second.statistic, rtol=1e-8)
    assert_allclose(first.size, second.size)


def test_hosmer_lemeshow_by_hand(fitted):
    _, y, result = fitted
    p = result.fittedvalues
    found = hosmer_lemeshow(y, p)
    groups = np.array_split(np.argsort(p), 10)
    observed = np.array([y[g].sum() for g in groups])
    expected = np.array([p[g].sum() for g in groups])
    size = np.array([len(g) for g in groups])
    statistic = ((observed - expected) ** 2 / (expected * (1 - expected / size))).sum()
    assert_allclose(found.statistic, statistic)
    assert_allclose(found.pvalue, chi2.sf(statistic, 8))
    assert_allclose(found.observed, observed)


def test_hosmer_lemeshow_keeps_ties_together():
    p = np.repeat([0.1, 0.2, 0.4, 0.7], 25)
    y = np.tile([1.0, 0.0, 0.0, 0.0, 0.0], 20)
    found = hosmer_lemeshow(y, p)
    assert found.size.tolist() == [25.0] * 4 and found.df == 2


def test_influence_matches_statsmodels(fitted):
    X, y, result = fitted
    found = logistic_influence(y, result.fittedvalues, X)
    theirs = result.get_influence()
    assert_allclose(found.leverage, theirs.hat_matrix_diag, rtol=1e-6)
    assert_allclose(found.standardized, theirs.resid_studentized, rtol=1e-6)
    assert_allclose(found.dbeta, theirs.cooks_distance[0] * 4, rtol=1e-6)
    assert_allclose(found.pearson, result.resid_pearson, rtol=1e-7)
    assert_allclose(found.deviance, result.resid_deviance, rtol=1e-7)
    assert_allclose(found.dchi2, found.standardized**2)


def test_dbeta_is_near_the_refit(fitted):
    X, y, result = fitted
    found = logistic_influence(y, result.fittedvalues, X)
    row = int(found.dbeta.argmax())
    rest = np.delete(np.arange(len(y)), row)
    refit = sm.GLM(y[rest], sm.add_constant(X)[rest], family=sm.families.Binomial()).fit()
    moved = refit.params - result.params
    exact = moved @ np.linalg.solve(result.cov_params(), moved)
    assert_allclose(found.dbeta[row], exact, rtol=0.5)


def test_errors():
    p = np.linspace(0.1, 0.9, 20)
    y = (np.arange(20) % 2).astype(float)
    X = np.arange(20.0)[:, None]
    with pytest.raises(ValueError, match="at least 3"):
        hosmer_lemeshow(y, p, n_groups=2)
    with pytest.raises(ValueError, match="only 1 groups"):
        hosmer_lemeshow(y, np.full(20, 0.5))
    with pytest.raises(ValueError, match="0 and 1 only"):
        hosmer_lemeshow(y + 1.0, p)
    with pytest.raises(ValueError, match="between 0 and 1"):
        hosmer_lemeshow(y, 2.0 * p)
    with pytest.raises(ValueError, match="no curve"):
        box_tidwell(y, p, y[:, None])
    with pytest.raises(ValueError, match="but proba has"):
        logistic_influence(y, p[:5], X)
