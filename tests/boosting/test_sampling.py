"""Samples of rows: their sizes, their factors, and that sums over them estimate sums over all."""

import numpy as np
import pytest

from gramian._boosting.losses import Loss
from gramian._boosting.rows import Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.sampling import (
    GossSampling,
    MinimalVarianceSampling,
    UniformSampling,
)
from gramian._boosting.settings import BoostingSettings, TreePlan
from gramian.boosting import BoostingRegressor, goss_sample


def test_goss_keeps_the_largest_and_some_others():
    gradient = np.random.default_rng(0).normal(size=1000)
    rows, weights = goss_sample(gradient, 0.2, 0.1, random_state=3)
    largest = np.argsort(-np.abs(gradient))[:200]
    assert len(rows) == 300
    assert np.isin(largest, rows).all()
    assert (np.diff(rows) > 0).all()
    is_top = np.isin(rows, largest)
    assert (weights[is_top] == 1.0).all()
    np.testing.assert_allclose(weights[~is_top], 0.8 / 0.1)


def test_goss_estimates_the_sum_without_bias():
    gradient = np.random.default_rng(1).normal(size=500) + 0.3
    sums = []
    for seed in range(300):
        rows, weights = goss_sample(gradient, 0.3, 0.2, random_state=seed)
        sums.append(weights @ gradient[rows])
    error = np.std(sums) / np.sqrt(len(sums))
    assert abs(np.mean(sums) - gradient.sum()) < 4.0 * error


def test_goss_takes_all_rows_or_none_at_random():
    gradient = np.arange(10.0)
    rows, weights = goss_sample(gradient, 1.0, 0.0)
    assert len(rows) == 10
    assert (weights == 1.0).all()
    rows, weights = goss_sample(gradient, 0.3, 0.0, random_state=0)
    assert rows.tolist() == [7, 8, 9]
    rows, weights = goss_sample(gradient[:, None] * [1.0, -1.0], 0.0, 1.0, random_state=0)
    assert len(rows) == 10
    assert (weights == 1.0).all()


@pytest.mark.parametrize(
    ("rates", "message"),
    [((1.5, 0.1), "top_rate"), ((0.6, 0.6), "at most 1"), ((0.0, 0.0), "above 0")],
)
def test_goss_refuses_rates(rates, message):
    with pytest.raises(ValueError, match=message):
        goss_sample([1.0, 2.0], *rates)


def test_uniform_draws_a_share_of_all_rows():
    gradient = np.zeros(1000, np.float32)
    counts = np.zeros(1000)
    for seed in range(400):
        rows, factors = UniformSampling(0.25).draw(seed, gradient, None)
        assert len(rows) == 250
        assert factors is None
        counts[rows] += 1
    assert abs(counts.mean() - 100.0) < 1e-9
    assert counts.std() < 1.3 * np.sqrt(400 * 0.25 * 0.75)


def test_minimal_variance_draws_large_gradients_and_weighs_the_others():
    rng = np.random.default_rng(2)
    gradient = rng.exponential(size=20_000).astype(np.float32)
    rows, factors = MinimalVarianceSampling(0.3, 0.0).draw(5, gradient, None)
    assert abs(len(rows) - 6000) < 4.0 * np.sqrt(6000)
    largest = np.argsort(-gradient)[:500]
    assert np.isin(largest, rows).all()
    total = (factors[rows] * gradient[rows]).sum()
    assert abs(total / gradient.sum() - 1.0) < 0.02


@pytest.mark.parametrize(
    "sampling", [UniformSampling(0.5), GossSampling(0.2, 0.2), MinimalVarianceSampling(0.5, 1.0)]
)
def test_a_sampled_fit_learns_nearly_as_much(sampling):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(4000, 5))
    y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=4000) > 0).astype(float)
    weight = (rng.random(4000) < 0.9).astype(float)
    losses = []
    for drawn in (None, sampling):
        settings = BoostingSettings(TreePlan(), sampling=drawn)
        fit = BoostingRun(Part(X, y, weight), Loss("logistic"), settings)
        for number in range(30):
            fit.step(number)
        scores = fit.train.scores[0]
        losses.append(np.mean(np.logaddexp(0.0, scores) - y * scores))
    assert losses[1] < losses[0] + 0.06


@pytest.mark.parametrize("seed", range(8))
def test_two_rows_by_minimal_variance(seed):
    """Each row is drawn for itself, so that of two rows none may be: then all are taken."""
    model = BoostingRegressor(
        n_estimators=10, sampling="mvs", subsample=0.5, min_samples_leaf=1, random_state=seed
    )
    assert np.isfinite(model.fit([[1.0], [2.0]], [1.0, 2.0]).predict([[1.0]])).all()
