"""Target means of levels: smoothing, cross-fitting, and what they must not give away."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from gramian.encoding import TableEncoding
from gramian.encoding._target import hash_rows, smoothing
from gramian.table import as_table


def slope(encoded, y):
    """Return the regression slope of y on an encoded column."""
    return np.polyfit(encoded - encoded.mean(), y, 1)[0]


def test_training_rows_never_see_their_own_target():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": [f"{i}" for i in range(200)], "x": rng.normal(size=200)})
    y = rng.normal(size=200)
    # A column that names the rows is left out; where it is all there is, it gives nothing away.
    assert_allclose(TableEncoding().encode_fit(frame, y), frame[["x"]])
    assert_allclose(TableEncoding().encode_fit(frame[["id"]], y), np.full((200, 1), y.mean()))


@pytest.mark.parametrize("weight", [None, np.full(200, 7.0)])
def test_identifiers_give_nothing_away_whatever_their_weight(weight):
    frame = pd.DataFrame({"id": [f"{i}" for i in range(200)]})
    y = np.random.default_rng(0).normal(size=200)
    encoded = TableEncoding().encode_fit(frame, y, weight)
    assert_allclose(encoded[:, 0], y.mean())


def test_levels_without_effect_do_not_correlate_with_the_target():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"c": rng.integers(0, 1000, 4000).astype(str), "x": rng.normal(size=4000)})
    y = rng.normal(size=4000)
    encoded = TableEncoding(smooth=1.0).encode_fit(frame, y)[:, 0]
    assert np.corrcoef(encoded, y)[0, 1] < 0.05


def test_slope_in_training_is_the_slope_for_new_rows():
    rng = np.random.default_rng(2)
    effect = rng.normal(size=500)
    level = rng.integers(0, 500, (2, 5000))
    frames = [pd.DataFrame({"c": codes.astype(str), "x": rng.normal(size=5000)}) for codes in level]
    y = [effect[codes] + 2 * rng.normal(size=5000) for codes in level]
    encoding = TableEncoding()
    trained = encoding.encode_fit(frames[0], y[0])[:, 0]
    new = encoding.transform(frames[1])[:, 0]
    assert slope(trained, y[0]) == pytest.approx(slope(new, y[1]), abs=0.1)
    assert slope(new, y[1]) == pytest.approx(1.0, abs=0.1)


def test_a_frame_of_one_column_is_still_informative():
    rng = np.random.default_rng(3)
    level = rng.integers(0, 100, 3000)
    y = rng.normal(size=100)[level] + 0.1 * rng.normal(size=3000)
    encoded = TableEncoding().encode_fit(pd.DataFrame({"c": level.astype(str)}), y)[:, 0]
    assert np.corrcoef(encoded, y)[0, 1] > 0.95


def test_cross_fitting_against_a_naive_twin():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"c": rng.integers(0, 50, 400).astype(str), "x": rng.normal(size=400)})
    y, weight = rng.normal(size=400), rng.integers(1, 4, 400).astype(float)
    encoding = TableEncoding(smooth=5.0, n_folds=3)
    encoded = encoding.encode_fit(frame, y, weight)[:, 0]
    fold = hash_rows(as_table(frame)) % np.uint64(3)
    prior = np.average(y, weights=weight)
    for i in range(400):
        other = (frame["c"] == frame["c"][i]).to_numpy() & (fold != fold[i])
        expected = (weight[other] @ y[other] + 5 * prior) / (weight[other].sum() + 5)
        assert encoded[i] == pytest.approx(expected)


def test_smoothing_estimates_the_ratio_of_variances():
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(20_000), 10)
    y = rng.normal(scale=0.5, size=20_000)[codes] + rng.normal(scale=2.0, size=200_000)
    assert smoothing(codes, y, np.ones(200_000), 20_000) == pytest.approx(16.0, rel=0.1)


def test_smoothing_where_the_data_do_not_tell():
    codes = np.arange(5)
    assert smoothing(codes, np.arange(5.0), np.ones(5), 5) == 20.0
    noise = np.tile([1.0, -1.0], 5)
    assert smoothing(np.repeat(codes, 2), noise, np.ones(10), 5) == 10.0


def test_hash_depends_on_content_only():
    frame = pd.DataFrame({"x": [0.0, 1.0, -0.0], "s": ["a", None, "a"]})
    hashes = hash_rows(as_table(frame))
    assert hashes[0] == hashes[2] != hashes[1]
    assert (hash_rows(as_table(frame[["s", "x"]])) == hashes).all()
    assert (hash_rows(as_table(frame.iloc[[1, 0]])) == hashes[[1, 0]]).all()
