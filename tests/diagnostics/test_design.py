"""Rank decisions and invariances of the factorised design."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gramian import diagnostics
from gramian.diagnostics import Design


@pytest.fixture(name="X")
def normal_features():
    return np.random.default_rng(3).normal(size=(60, 4))


def test_exactly_collinear_columns_have_infinite_vif(X):
    X = np.column_stack([X, X[:, 1] - 2.0 * X[:, 3]])
    vif = diagnostics.variance_inflation_factor(X)
    assert np.isinf(vif).tolist() == [False, True, False, True, True]
    assert_allclose(vif[[0, 2]], diagnostics.variance_inflation_factor(X[:, :4])[[0, 2]], rtol=1e-9)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1e9])
def test_constant_column_beside_an_intercept_is_collinear(X, value):
    X[:, 2] = value
    design = Design(X)
    assert design.rank == 4
    assert design.collinear.tolist() == [2]
    assert Design(X, fit_intercept=False).rank == (3 if value == 0.0 else 4)


def test_rank_does_not_depend_on_units(X):
    scaled = X * [1e-12, 1.0, 1e9, 1e3] + [0.0, 1e3, 0.0, -50.0]
    assert Design(scaled).rank == 5
    assert_allclose(Design(scaled).vif, Design(X).vif, rtol=1e-8)


@pytest.mark.parametrize("scale", [1.0, 1e-8])
def test_minimum_norm_inverse_for_dependent_columns(X, scale):
    X[:, 0] *= scale
    X = np.column_stack([X, X[:, 1] + X[:, 2]])
    centred = X - X.mean(axis=0)
    factor = Design(X).inverse_factor
    expected = np.linalg.pinv(centred / [scale, 1, 1, 1, 1], rcond=1e-12)
    expected = (expected.T / [scale, 1, 1, 1, 1]).T
    assert_allclose(factor @ factor.T, expected @ expected.T, rtol=1e-8, atol=1e-12)


def test_fewer_rows_than_columns():
    X = np.random.default_rng(0).normal(size=(5, 9))
    design = Design(X)
    assert design.rank == 5
    assert_allclose(design.leverage(), 1.0)
    assert np.isinf(design.vif).all()


def test_leverages_sum_to_the_rank(X):
    X = np.column_stack([X, X[:, 0]])
    weight = np.random.default_rng(0).uniform(0.1, 3.0, size=len(X))
    assert_allclose(diagnostics.leverage(X, sample_weight=weight).sum(), 5.0)


def test_weight_zero_leaves_a_row_out(X):
    weight = np.ones(len(X))
    weight[:7] = 0.0
    actual = diagnostics.variance_inflation_factor(X, sample_weight=weight)
    assert_allclose(actual, diagnostics.variance_inflation_factor(X[7:]), rtol=1e-10)


def test_blocks_change_nothing(monkeypatch):
    X = np.random.default_rng(5).normal([0.0, 10.0, 100.0], size=(2000, 3))
    whole = Design(X)
    monkeypatch.setattr("gramian.diagnostics._design._BLOCK_ENTRIES", 900)
    parts = Design(X)
    assert_allclose(parts.vif, whole.vif, rtol=1e-10)
    assert_allclose(parts.leverage(), whole.leverage(), rtol=1e-9)
    assert_allclose(parts.residuals(X[:, 0] ** 2), whole.residuals(X[:, 0] ** 2), atol=1e-10)


def test_ridge_leverage(X):
    centred = X - X.mean(axis=0)
    hat = centred @ np.linalg.solve(centred.T @ centred + 3.0 * np.eye(4), centred.T) + 1 / 60
    assert_allclose(Design(X).leverage(penalty=3.0), np.diag(hat), rtol=1e-10)


def test_implicit_constant_is_seen(X):
    dummies = np.eye(3)[np.arange(60) % 3]
    assert Design(dummies, fit_intercept=False).spans_constant()
    assert not Design(X, fit_intercept=False).spans_constant()


def test_design_may_stand_for_the_features(X):
    y = X[:, 0] ** 2 + np.arange(60.0)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=60)
    design = Design(X, sample_weight=weight)
    resid = design.residuals(y)
    for features in [X, design, Design(X)]:
        assert_allclose(
            diagnostics.breusch_pagan(resid, features).pvalue,
            diagnostics.breusch_pagan(resid, X).pvalue,
        )
        assert_allclose(diagnostics.leverage(features, sample_weight=weight), design.leverage())


def test_saturated_row_is_not_blamed():
    X = np.zeros((10, 1))
    X[3] = 1.0
    result = diagnostics.influence(np.linspace(-1, 1, 10) * (X[:, 0] == 0), X)
    assert result.leverage[3] == pytest.approx(1.0)
    assert result.cooks_distance[3] == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: diagnostics.durbin_watson([[1.0, 2.0], [3.0, 4.0]]), "resid must be one-dim"),
        (lambda: diagnostics.jarque_bera([1.0, np.nan]), "NaN or infinity"),
        (lambda: diagnostics.leverage(np.eye(3), sample_weight=[1.0, 2.0]), "one weight per row"),
        (lambda: diagnostics.leverage(np.eye(3), sample_weight=[1.0, -1.0, 1.0]), "not negative"),
        (lambda: diagnostics.ljung_box(np.arange(5.0), lags=5), "lags=5"),
        (lambda: diagnostics.ramsey_reset(np.eye(4), np.ones(4), power=1), "power=1"),
        (lambda: diagnostics.ramsey_reset(np.eye(4), np.ones(4), test_type="x"), "test_type='x'"),
        (lambda: diagnostics.ramsey_reset(np.eye(4)[:, :2], np.arange(4.0)), "degrees of freedom"),
        (lambda: diagnostics.rainbow_test(np.eye(4), np.ones(4), fraction=1.5), "fraction=1.5"),
        (lambda: diagnostics.cooks_distance(np.ones(3), np.eye(4)), "3 values, but X has 4 rows"),
        (lambda: diagnostics.cooks_distance(np.ones(3), np.eye(3)), "no degrees of freedom"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
