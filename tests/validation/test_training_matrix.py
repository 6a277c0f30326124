"""The training data given once more become the matrix that was fitted."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gramian.dummy import DummyRegressor
from gramian.exceptions import NotFittedError
from gramian.linear_model import LinearRegression, Ridge
from gramian.validation import check_fit, check_predict, training_matrix


def fit_with_matrix(frame, y, weight=None):
    """Return a fitted model and the matrix that it was fitted on."""
    matrix = check_fit(DummyRegressor(), frame, y, weight, y_numeric=True, multi_output=True).X
    return LinearRegression().fit(frame, y, sample_weight=weight), matrix


@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_target_means_are_those_of_fit(many_levels, convert):
    frame, y = many_levels
    model, matrix = fit_with_matrix(frame, y)
    assert_array_equal(training_matrix(model, convert(frame), y), matrix)
    assert np.abs(check_predict(model, frame) - matrix).max() > 0.1


def test_order_of_rows_and_columns_does_not_matter(many_levels):
    frame, y = many_levels
    model, matrix = fit_with_matrix(frame, y)
    order = np.random.default_rng(0).permutation(len(y))
    turned = frame.iloc[order][["city", "street", "size"]]
    assert_allclose(training_matrix(model, turned, y[order]), matrix[order], rtol=1e-12)


def test_weights_are_needed(many_levels):
    frame, y = many_levels
    weight = np.random.default_rng(0).integers(3, size=len(y)).astype(float)
    model, matrix = fit_with_matrix(frame, y, weight)
    assert_array_equal(training_matrix(model, frame, y, weight), matrix)
    assert_array_equal(training_matrix(model, frame, y), check_predict(model, frame))


def test_several_targets(many_levels):
    frame, y = many_levels
    both = np.column_stack([y, -(y**2)])
    model, matrix = fit_with_matrix(frame, both)
    assert_array_equal(training_matrix(model, frame, both), matrix)


@pytest.mark.parametrize("numbers", [False, True])
def test_array_is_matched_by_position(many_levels, numbers):
    frame, y = many_levels
    if numbers:
        codes = frame["street"].str.removeprefix("street ").astype(int)
        frame = frame.assign(street=codes.astype("category"), city=frame["city"] == "Oslo")
    model, matrix = fit_with_matrix(frame, y)
    with pytest.warns(UserWarning, match="does not have valid feature names") as caught:
        found = training_matrix(model, frame.to_numpy(), y)
    assert_array_equal(found, matrix)
    assert len(caught) == 1


def test_other_rows_are_encoded_as_new_ones(many_levels):
    frame, y = many_levels
    model, _ = fit_with_matrix(frame[:200], y[:200])
    for rows in (slice(200, None), slice(0, 100)):
        found = training_matrix(model, frame[rows], y[rows])
        assert_array_equal(found, check_predict(model, frame[rows]))
    assert_array_equal(
        training_matrix(model, frame[:200], -y[:200]), check_predict(model, frame[:200])
    )


def test_single_precision_is_kept(many_levels):
    frame, y = many_levels
    frame = frame.astype({"size": np.float32})
    assert training_matrix(Ridge().fit(frame, y), frame, y).dtype == np.float32


def test_without_such_columns_it_is_check_predict(many_levels):
    frame, y = many_levels
    plain = frame[["size", "city"]]
    model = Ridge().fit(plain, y)
    assert_array_equal(training_matrix(model, plain, y), check_predict(model, plain))
    X = plain[["size"]].to_numpy()
    assert training_matrix(Ridge().fit(X, y), X, y) is X


def test_wrong_data_are_refused(many_levels):
    frame, y = many_levels
    with pytest.raises(NotFittedError):
        training_matrix(Ridge(), frame, y)
    model = Ridge().fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        training_matrix(model, frame.rename(columns={"city": "town"}), y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        training_matrix(model, frame, y[:-1])
