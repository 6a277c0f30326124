"""Deviances, quantile losses and explained shares give scikit-learn's numbers and errors."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics

from gramian import metrics
from gramian.exceptions import UndefinedMetricWarning

OUTPUTS = [
    "median_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_log_error",
    "root_mean_squared_log_error",
    "explained_variance_score",
    "mean_pinball_loss",
    "d2_pinball_score",
    "d2_absolute_error_score",
]
DEVIANCES = ["mean_tweedie_deviance", "d2_tweedie_score"]
SINGLE = ["mean_poisson_deviance", "mean_gamma_deviance", *DEVIANCES]

RNG = np.random.default_rng(0)
ONE = RNG.uniform(0.1, 5.0, 31), RNG.uniform(0.1, 5.0, 31)
TWO = RNG.uniform(0.1, 5.0, (31, 2)), RNG.uniform(0.1, 5.0, (31, 2))
WEIGHT = RNG.integers(0, 4, 31) / 2.0
POWERS = [-2, -0.5, 0, 1, 1.0, 1.5, 2, 2.5, 3]


def both(name):
    return getattr(metrics, name), getattr(sklearn.metrics, name)


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("multioutput", ["raw_values", "uniform_average", [0.3, 0.7]])
def test_two_outputs(name, weight, multioutput):
    ours, theirs = both(name)
    options = {"sample_weight": weight, "multioutput": multioutput}
    np.testing.assert_allclose(ours(*TWO, **options), theirs(*TWO, **options), rtol=1e-13)


@pytest.mark.parametrize("name", [*OUTPUTS, *SINGLE])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_one_output(name, dtype, weight):
    ours, theirs = both(name)
    y_true, y_pred = ((10 * values).astype(dtype) for values in ONE)
    if weight is not None:
        weight = weight.astype(np.float32 if dtype is np.float32 else np.float64)
    result = ours(y_true, y_pred, sample_weight=weight)
    assert isinstance(result, float)
    rtol = 1e-5 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(result, theirs(y_true, y_pred, sample_weight=weight), rtol=rtol)


@pytest.mark.parametrize("name", OUTPUTS)
def test_float32_raw_values_keep_their_type(name):
    ours, theirs = both(name)
    pair = [values.astype(np.float32) for values in TWO]
    for weight in (None, WEIGHT.astype(np.float32)):
        options = {"multioutput": "raw_values", "sample_weight": weight}
        assert ours(*pair, **options).dtype == theirs(*pair, **options).dtype == np.float32


@pytest.mark.parametrize("name", [*OUTPUTS, *SINGLE])
def test_integer_weight_is_repetition(name):
    ours, _ = both(name)
    weight = RNG.integers(0, 4, size=31)
    repeated = [np.repeat(values, weight) for values in ONE]
    assert ours(*ONE, sample_weight=weight) == pytest.approx(ours(*repeated))


@pytest.mark.parametrize("name", [*OUTPUTS, *SINGLE, "max_error"])
@pytest.mark.parametrize("series", [list, pd.Series, pl.Series])
def test_series_of_any_library(name, series):
    ours, _ = both(name)
    assert ours(*map(series, ONE)) == ours(*ONE)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", DEVIANCES)
def test_deviances(power, weight, name):
    ours, theirs = both(name)
    options = {"power": power, "sample_weight": weight}
    np.testing.assert_allclose(ours(*ONE, **options), theirs(*ONE, **options), rtol=1e-10)


def test_deviances_of_zeros_and_negative_values():
    for power, y_true in ((1, [0.0, 1.0, 0.0]), (1.5, [0.0, 1.0, 0.0]), (-1, [-1.0, 0.0, 2.0])):
        ours, theirs = both("mean_tweedie_deviance")
        y_pred = [0.5, 1.0, 2.0]
        expected = theirs(y_true, y_pred, power=power)
        assert ours(y_true, y_pred, power=power) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", DEVIANCES)
@pytest.mark.parametrize(
    ("power", "y_true", "y_pred"),
    [(-1, 1.0, 0.0), (1, -1.0, 1.0), (1.5, 1.0, 0.0), (2, 0.0, 1.0), (3, 1.0, -1.0)],
)
def test_values_outside_of_the_distribution(name, power, y_true, y_pred):
    messages = []
    for function in both(name):
        with pytest.raises(ValueError, match="can only be used on") as refusal:
            function([1.0, y_true], [1.0, y_pred], power=power)
        messages.append(str(refusal.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("name", DEVIANCES)
@pytest.mark.parametrize("power", [0.5, "1", math.nan])
def test_powers_without_a_distribution(name, power):
    for function in both(name):
        with pytest.raises(ValueError, match="'power' parameter"):
            function(*ONE, power=power)


def test_d2_of_a_constant_target():
    for function in both("d2_tweedie_score"):
        with pytest.raises(ZeroDivisionError):
            function([2.0, 2.0], [1.0, 2.0])


@pytest.mark.parametrize("alpha", [0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", ["mean_pinball_loss", "d2_pinball_score"])
def test_quantiles(alpha, weight, name):
    ours, theirs = both(name)
    options = {"alpha": alpha, "sample_weight": weight}
    rounded = [np.round(values) for values in ONE]
    for pair in (ONE, rounded):
        expected = theirs(*pair, **options)
        np.testing.assert_allclose(ours(*pair, **options), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["mean_pinball_loss", "d2_pinball_score"])
def test_shares_beyond_one(name):
    for function in both(name):
        with pytest.raises(ValueError, match="'alpha' parameter"):
            function(*ONE, alpha=1.5)


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_weighted_median(n):
    ours, theirs = both("median_absolute_error")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y_true, y_pred = rng.integers(0, 5, n), rng.integers(0, 5, n)
        weight = rng.integers(0, 3, n)
        weight[0] += not weight.any()
        expected = theirs(y_true, y_pred, sample_weight=weight)
        assert ours(y_true, y_pred, sample_weight=weight) == expected


def test_percentage_error_of_zero():
    ours, theirs = both("mean_absolute_percentage_error")
    assert ours([0.0, 1.0], [1.0, 1.0]) == theirs([0.0, 1.0], [1.0, 1.0])


@pytest.mark.parametrize("name", ["mean_squared_log_error", "root_mean_squared_log_error"])
def test_logarithms_need_values_above_minus_one(name):
    messages = []
    for function in both(name):
        with pytest.raises(ValueError, match="less than or equal to -1") as refusal:
            function([1.0, -1.0], [1.0, 2.0])
        messages.append(str(refusal.value))
    assert messages[0] == messages[1]
    ours, theirs = both(name)
    assert ours([-0.5, 1.0], [0.5, 2.0]) == pytest.approx(theirs([-0.5, 1.0], [0.5, 2.0]))


@pytest.mark.parametrize("multioutput", ["variance_weighted", "raw_values"])
@pytest.mark.parametrize("force_finite", [True, False])
def test_explained_variance(multioutput, force_finite):
    ours, theirs = both("explained_variance_score")
    options = {"multioutput": multioutput, "force_finite": force_finite}
    np.testing.assert_allclose(ours(*TWO, **options), theirs(*TWO, **options), rtol=1e-13)
    constant = np.ones((4, 2))
    if force_finite:
        np.testing.assert_array_equal(
            ours(constant, constant, **options), theirs(constant, constant, **options)
        )


@pytest.mark.parametrize("name", ["d2_pinball_score", "d2_absolute_error_score"])
@pytest.mark.parametrize("y_pred", [[2.0, 2.0, 2.0], [2.0, 2.0, 3.0]])
def test_d2_of_the_median_of_a_constant(name, y_pred):
    ours, theirs = both(name)
    assert ours([2.0] * 3, y_pred) == theirs([2.0] * 3, y_pred)


@pytest.mark.parametrize(
    "name", ["d2_tweedie_score", "d2_pinball_score", "d2_absolute_error_score"]
)
def test_one_row_warns(name):
    with pytest.warns(UndefinedMetricWarning, match="less than two samples"):
        assert math.isnan(getattr(metrics, name)([1.0], [2.0]))


def test_max_error():
    ours, theirs = both("max_error")
    assert ours(*ONE) == theirs(*ONE)
    assert isinstance(ours([1, 2], [2, 4]), float)


@pytest.mark.parametrize("name", ["max_error", *SINGLE])
def test_one_output_only(name):
    for function in both(name):
        with pytest.raises(ValueError, match="Multioutput not supported"):
            function(*TWO)


@pytest.mark.parametrize("name", [*OUTPUTS, *SINGLE, "max_error"])
@pytest.mark.parametrize(
    "args",
    [
        ([1.0, 2.0], [1.0]),
        ([1.0, np.nan], [1.0, 2.0]),
        ([[1.0, 2.0]] * 3, [1.0] * 3),
        ([], []),
        (["a", "b"], [1.0, 2.0]),
        (1.0, 2.0),
    ],
)
def test_refusals(name, args):
    for function in both(name):
        with pytest.raises(ValueError):
            function(*args)


@pytest.mark.parametrize("name", OUTPUTS)
def test_refused_average_is_named(name):
    with pytest.raises(ValueError, match=f"'multioutput' parameter of {name} .*'median'"):
        both(name)[0](*TWO, multioutput="median")
    for function in both(name):
        with pytest.raises(ValueError, match="useful only in multi-output"):
            function(*ONE, multioutput=[1.0])


def test_refused_switch_is_named():
    with pytest.raises(ValueError, match="'force_finite' parameter of explained_variance_score"):
        metrics.explained_variance_score(*ONE, force_finite="yes")
