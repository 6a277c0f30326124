"""Exact intervals of least squares for new rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import gramian
from gramian.linear_model import LinearRegression

RNG = np.random.default_rng(0)
X = RNG.standard_normal((25, 3)) + 5.0
Y = X @ [1.0, 2.0, -1.0] + RNG.standard_normal(25)
NEW = RNG.standard_normal((10, 3)) * 3.0
MODEL = LinearRegression(keep_covariance=True)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("is_weighted", [True, False])
def test_is_that_of_the_summary(fit_intercept, is_weighted):
    weight = RNG.integers(0, 4, 25) if is_weighted else None
    model = LinearRegression(keep_covariance=True, fit_intercept=fit_intercept).fit(X, Y, weight)
    expected = model.summary(X, Y, weight).predict(NEW, alpha=0.2).obs_conf_int
    np.testing.assert_allclose(model.predict_interval(NEW, coverage=0.8), expected, rtol=1e-10)


def test_closed_form_of_a_line():
    """A textbook's: mean ± t s sqrt(1 + 1/n + (x - mean)² / Sxx)."""
    x, y = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.1, 1.9, 3.2, 3.8, 5.3])
    model = LinearRegression(keep_covariance=True).fit(x[:, None], y)
    s = np.sqrt(np.square(y - model.predict(x[:, None])).sum() / 3)
    reach = 3.182446305284263 * s * np.sqrt(1 + 1 / 5 + (7 - 3) ** 2 / 10)
    centre = model.predict([[7.0]])[0]
    np.testing.assert_allclose(
        model.predict_interval([[7.0]], 0.95), [[centre - reach, centre + reach]], rtol=1e-9
    )


def test_share_is_exact_with_few_rows():
    """2,000 samples of 8 rows, one new row each: the share is 0.8 within 3.5 standard errors."""
    rng, held = np.random.default_rng(1), []
    for _ in range(2_000):
        rows = rng.standard_normal((9, 3))
        y = rows.sum(axis=1) + rng.standard_normal(9)
        low, high = MODEL.fit(rows[:8], y[:8]).predict_interval(rows[8:], 0.8)[0]
        held.append(low <= y[8] <= high)
    assert abs(np.mean(held) - 0.8) < 3.5 * np.sqrt(0.8 * 0.2 / 2_000)


def test_several_targets_single_precision_and_sparse_rows(tmp_path):
    both = np.column_stack([Y, -2.0 * Y])
    model = LinearRegression(keep_covariance=True).fit(X, both)
    ends = model.predict_interval(NEW)
    assert ends.shape == (10, 2, 2)
    alone = MODEL.fit(X, Y).predict_interval(NEW)
    np.testing.assert_allclose(ends[..., 0], alone)
    np.testing.assert_allclose(ends[..., 1], -2.0 * alone[:, ::-1])
    sparse_ends = MODEL.fit(sparse.csr_matrix(X), Y).predict_interval(sparse.csr_matrix(NEW))
    np.testing.assert_allclose(sparse_ends, alone, rtol=1e-6)
    single = MODEL.fit(X.astype(np.float32), Y).predict_interval(NEW.astype(np.float32))
    np.testing.assert_allclose(single, alone, rtol=1e-3)
    gramian.save(model, tmp_path / "model.gramian")
    loaded = gramian.load(tmp_path / "model.gramian")
    np.testing.assert_array_equal(loaded.predict_interval(NEW), ends)


def test_columns_that_depend_on_others():
    """All levels of a text column and a constant: rows of known levels have an interval."""
    frame = pd.DataFrame({"x": X[:, 0], "city": np.array(["Oslo", "Rome"])[np.arange(25) % 2]})
    model = LinearRegression(keep_covariance=True).fit(frame, Y)
    plain = np.column_stack([X[:, 0], np.arange(25) % 2])
    expected = MODEL.fit(plain, Y).predict_interval(plain)
    np.testing.assert_allclose(model.predict_interval(frame), expected, rtol=1e-8)
    twice = LinearRegression(keep_covariance=True).fit(X[:, [0, 0]], Y)
    ends = twice.predict_interval([[5.0, 5.0], [5.0, 6.0]])
    assert np.isfinite(ends[0]).all() and np.isinf(ends[1]).all()


def test_refusals():
    with pytest.raises(ValueError, match="needs a fit with keep_covariance=True"):
        LinearRegression().fit(X, Y).predict_interval(NEW)
    with pytest.raises(ValueError, match="keep_covariance=True is not for positive=True"):
        LinearRegression(keep_covariance=True, positive=True).fit(X, Y)
    with pytest.raises(ValueError, match="coverage"):
        MODEL.fit(X, Y).predict_interval(NEW, 90)
    assert np.isinf(MODEL.fit(X[:4], Y[:4]).predict_interval(NEW)).all()
