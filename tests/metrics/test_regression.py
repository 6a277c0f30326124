"""Regression metrics give scikit-learn's numbers, errors and warnings."""

import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gramian import metrics
from gramian.exceptions import UndefinedMetricWarning

ERRORS = ["mean_absolute_error", "mean_squared_error", "root_mean_squared_error"]
ALL = [*ERRORS, "r2_score"]

RNG = np.random.default_rng(0)
ONE = RNG.normal(size=30), RNG.normal(size=30)
TWO = RNG.normal(size=(30, 2)), RNG.normal(size=(30, 2))
WEIGHT = RNG.uniform(0.1, 3.0, size=30)


def both(name):
    return getattr(metrics, name), getattr(sklearn.metrics, name)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("multioutput", ["raw_values", "uniform_average", [0.3, 0.7]])
def test_two_outputs(name, weight, multioutput):
    ours, theirs = both(name)
    options = {"sample_weight": weight, "multioutput": multioutput}
    np.testing.assert_allclose(ours(*TWO, **options), theirs(*TWO, **options), rtol=1e-14)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_one_output(name, dtype):
    ours, theirs = both(name)
    y_true, y_pred = ((10 * values).astype(dtype) for values in ONE)
    result = ours(y_true, y_pred, sample_weight=WEIGHT)
    assert isinstance(result, float)
    np.testing.assert_allclose(result, theirs(y_true, y_pred, sample_weight=WEIGHT), rtol=1e-14)


@pytest.mark.parametrize("name", ALL)
def test_float32_raw_values_keep_their_type(name):
    ours, theirs = both(name)
    pair = [values.astype(np.float32) for values in TWO]
    result = ours(*pair, multioutput="raw_values")
    assert result.dtype == theirs(*pair, multioutput="raw_values").dtype == np.float32


@pytest.mark.parametrize("name", ALL)
def test_integer_weight_is_repetition(name):
    ours, _ = both(name)
    weight = RNG.integers(0, 4, size=30)
    repeated = [np.repeat(values, weight) for values in ONE]
    assert ours(*ONE, sample_weight=weight) == pytest.approx(ours(*repeated))


@pytest.mark.parametrize("force_finite", [True, False])
@pytest.mark.parametrize("y_pred", [[2.0, 2.0, 2.0], [2.0, 2.0, 3.0]])
def test_r2_of_a_constant_target(force_finite, y_pred):
    y_true = [2.0, 2.0, 2.0]
    with np.errstate(all="ignore"):
        expected = sklearn.metrics.r2_score(y_true, y_pred, force_finite=force_finite)
    result = metrics.r2_score(y_true, y_pred, force_finite=force_finite)
    assert result == expected or (math.isnan(result) and math.isnan(expected))


@pytest.mark.parametrize("multioutput", ["variance_weighted", None])
def test_r2_averages(multioutput):
    ours, theirs = both("r2_score")
    assert ours(*TWO, multioutput=multioutput) == pytest.approx(
        theirs(*TWO, multioutput=multioutput), rel=1e-14
    )
    constant = np.ones((4, 2))
    assert ours(constant, constant, multioutput=multioutput) == 1.0


def test_r2_of_one_row_warns():
    with pytest.warns(UndefinedMetricWarning, match="less than two samples") as caught:
        assert math.isnan(metrics.r2_score([1.0], [2.0]))
    assert isinstance(caught[0].message, sklearn.exceptions.UndefinedMetricWarning)
    assert caught[0].filename == __file__


@given(arrays(float, (8, 2), elements=st.floats(-1e6, 1e6)))
def test_r2_never_exceeds_one(values):
    assert metrics.r2_score(values[:, 0], values[:, 1]) <= 1.0


BAD_OUTPUT_WEIGHTS = [
    (([1.0, 2.0], [1.0, 2.0]), {"multioutput": [1.0]}),
    (([[1.0, 2.0]] * 3, [[1.0, 2.0]] * 3), {"multioutput": [1.0, 2.0, 3.0]}),
]


@pytest.mark.parametrize("name", ["mean_absolute_error", "mean_squared_error", "r2_score"])
@pytest.mark.parametrize(("args", "options"), BAD_OUTPUT_WEIGHTS)
def test_output_weights(name, args, options):
    ours, theirs = both(name)
    with pytest.raises(ValueError) as their_refusal:
        theirs(*args, **options)
    with pytest.raises(ValueError) as our_refusal:
        ours(*args, **options)
    assert str(our_refusal.value) == str(their_refusal.value)


def test_root_mean_squared_error_takes_one_weight_for_one_output():
    ours, theirs = both("root_mean_squared_error")
    assert ours(*ONE, multioutput=[2.0]) == pytest.approx(theirs(*ONE, multioutput=[2.0]))
    with pytest.raises(ValueError, match="equally many custom weights"):
        ours(*TWO, multioutput=[1.0, 2.0, 3.0])


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("args", "options"),
    [
        (([1.0, 2.0], [1.0]), {}),
        (([1.0, np.nan], [1.0, 2.0]), {}),
        (([[1.0, 2.0]] * 3, [1.0] * 3), {}),
        (([1.0, 2.0], [1.0, 2.0]), {"multioutput": "median"}),
        (([], []), {}),
        ((["a", "b"], [1.0, 2.0]), {}),
    ],
)
def test_refusals(name, args, options):
    ours, theirs = both(name)
    with pytest.raises(ValueError):
        theirs(*args, **options)
    with pytest.raises(ValueError):
        ours(*args, **options)


def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match=r"'multioutput' parameter of r2_score .*'median'"):
        metrics.r2_score([1, 2], [1, 2], multioutput="median")
    with pytest.raises(ValueError, match="'force_finite' parameter of r2_score"):
        metrics.r2_score([1, 2], [1, 2], force_finite="yes")
    with pytest.raises(ValueError, match="'multioutput' parameter of mean_squared_error"):
        metrics.mean_squared_error([1, 2], [1, 2], multioutput="variance_weighted")
