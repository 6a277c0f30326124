"""An integer weight k means k copies of the row; a weight of 0 means that it is not there."""

import numpy as np
import pytest
from scipy import sparse
from tests.contract.cases import (
    assert_same,
    each_estimator,
    fit,
    fresh,
    make_data,
    outputs,
    takes_any_scale,
    takes_sparse,
    takes_weight,
    tolerance,
)
from tests.contract.frames import columns_for, make_frame, take, target_of

pytestmark = pytest.mark.filterwarnings("ignore:Bins whose width are too small:UserWarning")


def _takes_sparse_weight(estimator):
    return takes_weight(estimator) and takes_sparse(estimator)


def _rows(y, order):
    return None if y is None else y[order]


@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray], ids=["C", "F"])
@each_estimator("integer_weights", where=takes_weight)
def test_integer_weights_are_copies(estimator, container, global_random_seed):
    _check_copies(estimator, container, global_random_seed)


@each_estimator("integer_weights_sparse", where=_takes_sparse_weight)
def test_integer_weights_are_copies_sparse(estimator, global_random_seed):
    _check_copies(estimator, sparse.csr_array, global_random_seed)


def _check_copies(estimator, container, seed):
    X, y = make_data(estimator, seed=seed)
    weight = np.random.default_rng(seed).integers(0, 4, len(X))
    copies = np.repeat(np.arange(len(X)), weight)
    weighted = fit(fresh(estimator, precise=True), container(X), y, weight)
    repeated = fit(fresh(estimator, precise=True), container(X[copies]), _rows(y, copies))
    assert_same(outputs(repeated, X), outputs(weighted, X), tolerance(estimator))


@pytest.mark.parametrize("size", [1.0, 1e4])
@each_estimator("zero_weights", where=takes_weight)
def test_zero_weights_are_absent_rows(estimator, size):
    """However far away the rows without a weight are."""
    X, y = make_data(estimator)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    weight[::3] = 0.0
    X[::3] *= size
    present = np.flatnonzero(weight)
    weighted = fit(fresh(estimator, precise=True), X, y, weight)
    removed = fit(fresh(estimator, precise=True), X[present], _rows(y, present), weight[present])
    X_new = make_data(estimator, seed=9)[0]
    assert_same(outputs(removed, X_new), outputs(weighted, X_new), tolerance(estimator))


@each_estimator("zero_weights_sparse", where=_takes_sparse_weight)
def test_zero_weights_are_absent_rows_sparse(estimator):
    X, y = make_data(estimator)
    X[X < 0] = 0.0
    weight = np.arange(len(X)) % 3 * 0.5
    present = np.flatnonzero(weight)
    matrix = sparse.csr_array(X)
    weighted = fit(fresh(estimator, precise=True), matrix, y, weight)
    part = (matrix[present], _rows(y, present), weight[present])
    removed = fit(fresh(estimator, precise=True), *part)
    assert_same(outputs(removed, matrix), outputs(weighted, matrix), tolerance(estimator))


@each_estimator("equal_weights", where=takes_weight)
def test_equal_weights_are_none(estimator):
    X, y = make_data(estimator)
    plain = fit(fresh(estimator, precise=True), X, y)
    weighted = fit(fresh(estimator, precise=True), X, y, np.ones(len(X)))
    assert_same(outputs(weighted, X), outputs(plain, X), tolerance(estimator))


@each_estimator("frame_weights", where=lambda e: takes_weight(e) and takes_any_scale(e))
def test_weights_in_a_data_frame(estimator, frame_library):
    """Means, levels and target means of the encoding follow the weights too."""
    columns = columns_for(estimator, 240)
    y = target_of(columns, estimator)
    weight = np.random.default_rng(2).integers(0, 4, 240)
    copies = np.repeat(np.arange(240), weight)
    frame = make_frame(frame_library, columns)
    weighted = fit(fresh(estimator, precise=True), frame, y, weight)
    repeated_frame = make_frame(frame_library, take(columns, copies))
    repeated = fit(fresh(estimator, precise=True), repeated_frame, _rows(y, copies))
    assert_same(outputs(repeated, frame), outputs(weighted, frame), 1e3 * tolerance(estimator))
