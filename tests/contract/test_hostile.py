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
    takes_many_columns,
    takes_rows,
)
from tests.contract.refusals import (
    FEW_ROWS,
    NOTHING_TO_LEARN,
    ONE_CLASS,
    WRONG_SHAPE,
    assert_names,
)

from gramian.registry import parts

N_ROWS = 30
ROWS = np.random.default_rng(0).standard_normal((N_ROWS, 4))

NO_TABLE = r"Expected (2D array|a 2-dimensional container)|at least 1 dimension"
OTHER_LENGTH = r"inconsistent numbers of samples"

MISLEADING = {
    "a vector": (lambda: ROWS[:, 0], NO_TABLE),
    "three axes": (lambda: ROWS.reshape(N_ROWS, 2, 2), rf"dim 3|{NO_TABLE}"),
    "a number": (lambda: np.float64(3.0), NO_TABLE),
    "nothing": (lambda: None, rf"NoneType|{NO_TABLE}"),
    "text": (lambda: "abc", rf"string to float|{NO_TABLE}|{OTHER_LENGTH}"),
    "a generator": (lambda: (row for row in ROWS), rf"'generator'|{NO_TABLE}"),
    "a dict of unlike columns": (
        lambda: {"a": [1.0, 2.0], "b": [3.0]},
        rf"'dict'|{NO_TABLE}|{OTHER_LENGTH}",
    ),
    "ragged lists": (
        lambda: [[1.0, 2.0], [3.0]],
        rf"different lengths|inhomogeneous shape|{OTHER_LENGTH}",
    ),
    "complex numbers": (lambda: ROWS + 1j, r"Complex data"),
    "a series": (lambda: pd.Series(ROWS[:, 0]), NO_TABLE),
    "repeated names": (
        lambda: pd.DataFrame(ROWS, columns=["a", "a", "b", "c"]),
        r"(same name|unique column names)[^']*'a'",
    ),
    "names of several types": (
        lambda: pd.DataFrame(ROWS, columns=["a", 1, "b", 2]),
        rf"string names|{WRONG_SHAPE}",
    ),
    "no rows": (
        lambda: pd.DataFrame({"a": [], "b": []}, dtype=float),
        rf"0 sample|{OTHER_LENGTH}",
    ),
    "no columns": (lambda: pd.DataFrame(index=range(N_ROWS)), r"0 (feature|sample)"),
}
"""What is no table, and what the words of the refusal name."""

TEXT = r"string to float|uniformly strings or numbers|does not support data with dtype"
GAPS = r"contains NaN"
NEGATIVE = r"Negative values in data"
SPARSE = r"[Ss]parse (data was passed|input|matrices)"

ODD = {
    "one row": (lambda: ROWS[:1], rf"{FEW_ROWS}|{ONE_CLASS}|{NOTHING_TO_LEARN}"),
    "one column": (lambda: ROWS[:, :1], FEW_ROWS),
    "a column of gaps": (lambda: np.column_stack([ROWS, np.full(N_ROWS, np.nan)]), GAPS),
    "infinity": (lambda: np.vstack([np.full((1, 4), np.inf), ROWS[1:]]), r"contains infinity"),
    "long integers": (
        lambda: np.full((N_ROWS, 2), 2**62) + np.arange(2 * N_ROWS).reshape(-1, 2),
        NOTHING_TO_LEARN,  # as float64 they are all the same
    ),
    "longer integers": (
        lambda: np.array([[10**30 * k, 2] for k in range(N_ROWS)], dtype=object),
        NOTHING_TO_LEARN,
    ),
    "text among numbers": (lambda: np.where(ROWS > 1.0, "x", ROWS.astype(object)), TEXT),
    "booleans": (lambda: ROWS > 0, TEXT),
    "half precision": (lambda: ROWS.astype(np.float16), None),
    "extended precision": (lambda: ROWS.astype(np.longdouble), None),
    "masked values": (lambda: np.ma.masked_array(ROWS, ROWS > 1.0), GAPS),
    "numbers as names": (lambda: pd.DataFrame(ROWS, columns=[3, 1, 0, 2]), None),
    "bytes": (lambda: np.full((N_ROWS, 2), b"1"), rf"{TEXT}|{NOTHING_TO_LEARN}"),
    "durations": (
        lambda: np.arange(2 * N_ROWS).reshape(-1, 2).astype("m8[s]"),
        r"dtype timedelta64\[s\], which is no number",
    ),
    "a sparse matrix": (
        lambda: sparse.csr_array(np.abs(ROWS)),
        rf"{SPARSE}|{NOTHING_TO_LEARN}",
    ),
}
"""What some estimators take and others do not: they answer for each row, or refuse in words that
name the trouble; None if only the number of columns may be refused."""


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
    for kind, (make, reason) in MISLEADING.items():
        if kind in ("a vector", "a series") and takes_vectors:
            continue
        with pytest.raises((ValueError, TypeError)) as caught:
            fit(fresh(estimator), make(), _target(estimator, N_ROWS))
        assert_names(caught.value, reason, of=kind)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
@each_estimator("odd", where=_reads_columns)
def test_odd_tables(estimator):
    limits = () if takes_many_columns(estimator) else (WRONG_SHAPE,)
    limits += (NEGATIVE,) if estimator._tags().positive_only else ()
    for kind, (make, reason) in ODD.items():
        X = make()
        try:
            found = outputs(fit(fresh(estimator), X, _target(estimator, X.shape[0])), X)
        except (ValueError, TypeError) as error:
            assert_names(error, *filter(None, (reason, *limits)), of=kind)
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
