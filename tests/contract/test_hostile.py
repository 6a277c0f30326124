"""Input that nobody should pass: it is refused in words, and never crashes or is misread."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.contract.cases import (
    as_array,
    each_estimator,
    fit,
    fresh,
    make_data,
    outputs,
    reads_features,
    takes_rows,
)

from gramian.registry import parts

N_ROWS = 30
ROWS = np.random.default_rng(0).standard_normal((N_ROWS, 4))

MISLEADING = {
    "a vector": lambda: ROWS[:, 0],
    "three axes": lambda: ROWS.reshape(N_ROWS, 2, 2),
    "a number": lambda: np.float64(3.0),
    "nothing": lambda: None,
    "text": lambda: "abc",
    "a generator": lambda: (row for row in ROWS),
    "a dict of unlike columns": lambda: {"a": [1.0, 2.0], "b": [3.0]},
    "ragged lists": lambda: [[1.0, 2.0], [3.0]],
    "complex numbers": lambda: ROWS + 1j,
    "a series": lambda: pd.Series(ROWS[:, 0]),
    "repeated names": lambda: pd.DataFrame(ROWS, columns=["a", "a", "b", "c"]),
    "names of several types": lambda: pd.DataFrame(ROWS, columns=["a", 1, "b", 2]),
    "no rows": lambda: pd.DataFrame({"a": [], "b": []}, dtype=float),
    "no columns": lambda: pd.DataFrame(index=range(N_ROWS)),
}
"""What is no table: must be refused."""

ODD = {
    "one row": lambda: ROWS[:1],
    "one column": lambda: ROWS[:, :1],
    "a column of gaps": lambda: np.column_stack([ROWS, np.full(N_ROWS, np.nan)]),
    "infinity": lambda: np.vstack([np.full((1, 4), np.inf), ROWS[1:]]),
    "long integers": lambda: np.full((N_ROWS, 2), 2**62) + np.arange(2 * N_ROWS).reshape(-1, 2),
    "longer integers": lambda: np.array([[10**30 * k, 2] for k in range(N_ROWS)], dtype=object),
    "text among numbers": lambda: np.where(ROWS > 1.0, "x", ROWS.astype(object)),
    "booleans": lambda: ROWS > 0,
    "half precision": lambda: ROWS.astype(np.float16),
    "extended precision": lambda: ROWS.astype(np.longdouble),
    "masked values": lambda: np.ma.masked_array(ROWS, ROWS > 1.0),
    "numbers as names": lambda: pd.DataFrame(ROWS, columns=[3, 1, 0, 2]),
    "bytes": lambda: np.full((N_ROWS, 2), b"1"),
    "durations": lambda: np.arange(2 * N_ROWS).reshape(-1, 2).astype("m8[s]"),
    "a sparse matrix": lambda: sparse.csr_array(np.abs(ROWS)),
}
"""What some estimators take and others do not: they answer for each row, or refuse."""


def _is_part(estimator):
    return type(estimator).__name__ in parts() and takes_rows(estimator)


def _reads_columns(estimator):
    return _is_part(estimator) and reads_features(estimator) and not estimator._tags().pairwise


def _target(estimator, n_rows):
    """Return two classes, in two columns if one does not suffice."""
    column = np.arange(n_rows) % 2
    return column if estimator._tags().single_output else np.column_stack([column, 1 - column])


@each_estimator("misleading", where=_reads_columns)
def test_what_is_no_table_is_refused(estimator):
    takes_vectors = estimator._tags().one_d_array
    for kind, make in MISLEADING.items():
        if kind in ("a vector", "a series") and takes_vectors:
            continue
        with pytest.raises((ValueError, TypeError)) as caught:
            fit(fresh(estimator), make(), _target(estimator, N_ROWS))
        assert len(str(caught.value)) > 20, kind


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
@each_estimator("odd", where=_reads_columns)
def test_odd_tables(estimator):
    for kind, make in ODD.items():
        X = make()
        try:
            found = outputs(fit(fresh(estimator), X, _target(estimator, X.shape[0])), X)
        except (ValueError, TypeError) as error:
            assert len(str(error)) > 20, kind
            continue
        for method, values in found.items():
            assert len(values) == X.shape[0], (kind, method)


@each_estimator("other_width", where=_reads_columns)
def test_another_number_of_columns(estimator):
    X, y = make_data(estimator)
    model = fit(fresh(estimator), X, y)
    others = [X[:, :-1], np.hstack([X, X])]
    for other in others if estimator._tags().one_d_array else [*others, X[:, 0]]:
        for method in outputs(model, X):
            with pytest.raises(ValueError, match=r"feature|2D array"):
                getattr(model, method)(other)


@each_estimator("memory_map", where=lambda e: _is_part(e) and not e._tags().pairwise)
def test_read_only_memory_map(estimator, tmp_path):
    X, y = make_data(estimator)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    found = outputs(fit(fresh(estimator), mapped, y), mapped)
    expected = outputs(fit(fresh(estimator), X, y), X)
    for method, values in expected.items():
        np.testing.assert_array_equal(found[method], values)


@each_estimator("sparse_frames", where=lambda e: _is_part(e) and hasattr(e, "set_output"))
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_no_frame_of_sparse_columns(estimator, container):
    """A sparse result cannot be a data frame: it is refused, and the words say what to do."""
    X, y = make_data(estimator)
    model = fit(fresh(estimator), X, y)
    plain = model.transform(X) if hasattr(model, "transform") else None
    model.set_output(transform=container)
    if hasattr(plain, "tocsr"):
        with pytest.raises(ValueError, match=r"(?i)sparse"):
            model.transform(X)
    elif plain is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            frame = model.transform(X)
        np.testing.assert_array_equal(np.asarray(frame), as_array(plain).reshape(len(X), -1))
