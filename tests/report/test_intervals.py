"""Intervals of differences: the right mean, the right width, and no false claims."""

import numpy as np
import pytest
import scipy.stats

from gramian.report._intervals import (
    differences_to,
    max_t_quantile,
    mean_interval,
    row_means,
    unit_means,
)


def test_row_means_have_the_mean_of_the_folds():
    rng = np.random.default_rng(0)
    splits = []
    for _ in range(3):
        splits += [(None, test) for test in np.array_split(rng.permutation(23), 5)]
    values = [rng.normal(5.0, size=len(test)) for _, test in splits]
    means = row_means(values, splits, 23)
    assert means.mean() == pytest.approx(np.mean([fold.mean() for fold in values]), rel=1e-14)
    equal = [(None, test) for test in np.arange(20).reshape(4, 5)]
    values = [rng.normal(size=5) for _ in equal]
    np.testing.assert_allclose(row_means(values, equal, 20), np.concatenate(values))
    values[0][0] = np.inf
    assert not np.isfinite(row_means(values, equal, 20)).all()


def test_interval_of_one_model_is_that_of_the_t_test():
    values = np.random.default_rng(0).normal(size=30)
    expected = scipy.stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert mean_interval(values) == pytest.approx(tuple(expected))
    values[3] = np.inf
    assert np.isnan(mean_interval(values)).all()


def test_two_models_have_the_paired_t_test():
    a, b = np.random.default_rng(1).normal(size=(2, 15))
    found = differences_to("b", {"a": a, "b": b})["a"]
    expected = scipy.stats.ttest_rel(a, b).confidence_interval(0.95)
    assert found.mean == pytest.approx((a - b).mean())
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.02)


@pytest.mark.parametrize("n_models", [3, 8])
def test_independent_models_have_the_quantile_of_tukey(n_models):
    n_rows = 41
    values = np.linalg.qr(np.random.default_rng(2).normal(size=(n_rows, n_models + 1)))[0]
    values -= values.mean(axis=0)
    independent = np.linalg.qr(values[:, :n_models])[0].T  # equal variances, no correlation
    # The variance has one estimate of n_rows - 1 degrees of freedom in both.
    tukey = scipy.stats.studentized_range.ppf(0.95, n_models, n_rows - 1) / np.sqrt(2)
    assert max_t_quantile(independent) == pytest.approx(tukey, rel=0.01)


def test_chance_of_a_false_claim():
    """Equal models: the best is the luckiest, and still in 95 % of tables all are within noise."""
    rng = np.random.default_rng(3)
    mixing = np.eye(6) + 1.0  # rows that are hard for one model are hard for all
    n_claims = 0
    for _ in range(200):
        values = mixing @ rng.standard_normal((6, 60))
        rows = dict(zip("abcdef", values, strict=True))
        best = max(rows, key=lambda name: rows[name].mean())
        n_claims += any(not d.includes_zero for d in differences_to(best, rows).values())
    assert n_claims <= scipy.stats.binom.ppf(0.999, 200, 0.05)


def test_a_wild_model_changes_nothing_for_the_others():
    rng = np.random.default_rng(4)
    common = rng.normal(size=100)
    rows = {name: common + 0.1 * rng.normal(size=100) for name in "abc"}
    wild = {**rows, "wild": 1e90 * rng.normal(size=100)}
    broken = {**wild, "broken": np.full(100, np.inf)}
    plain, beside_wild, beside_broken = (differences_to("a", r)["b"] for r in (rows, wild, broken))
    # one model more widens the interval, by the number of pairs alone
    assert 1.0 < (beside_wild.high - beside_wild.low) / (plain.high - plain.low) < 1.3
    assert beside_wild.mean == plain.mean and beside_broken == beside_wild
    lost = differences_to("a", broken)["broken"]
    assert np.isnan(lost.mean) and not lost.includes_zero


def test_rounding_is_no_difference():
    values = np.random.default_rng(5).uniform(1.0, 2.0, size=50)
    rows = {"a": values, "b": np.nextafter(values, 3.0), "c": values + 0.5, "d": values[::-1]}
    found = differences_to("a", rows)
    assert (found["b"].mean, found["b"].low, found["b"].high) == (0.0, 0.0, 0.0)
    assert found["b"].includes_zero
    assert not found["c"].includes_zero  # better on every row by the same amount
    assert found["d"].includes_zero


def test_same_numbers_each_time():
    values = np.random.default_rng(6).normal(size=(5, 30))
    assert max_t_quantile(values) == max_t_quantile(values)


def test_rows_outside_the_test_parts_have_no_value():
    values, splits = [np.array([1.0, 3.0]), np.array([5.0])], [(None, [1, 2]), (None, [4])]
    means = row_means(values, splits, 5)
    assert np.isnan(means[[0, 3]]).all()
    assert np.nanmean(means) == pytest.approx((2.0 + 5.0) / 2)  # folds weigh the same


def test_intervals_of_groups_are_as_wide_as_if_each_group_were_a_row():
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(40), 6)
    values = rng.normal(size=40)[groups]  # all rows of a group are alike
    found = unit_means(values, groups)
    np.testing.assert_allclose(found, values[::6])
    assert unit_means(values, None) is values
    uneven = np.repeat(np.arange(3), [1, 2, 7])
    values = rng.normal(size=10)
    found = unit_means(values, uneven)
    assert found.mean() == pytest.approx(values.mean())
    # The cluster-robust variance of a mean: G / (G - 1) times the squared sums over n squared.
    sums = np.bincount(uneven, values - values.mean())
    robust = 3 / 2 * (sums**2).sum() / 10**2
    assert found.var(ddof=1) / 3 == pytest.approx(robust)
