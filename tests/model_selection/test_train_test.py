"""train_test_split draws scikit-learn's rows from any kind of container."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn.model_selection

from gramian.model_selection import train_test_split

ROWS = np.arange(40)
LABELS = np.where(ROWS % 5 == 0, "rare", "common")

OPTIONS = [
    {},
    {"test_size": 0.1},
    {"test_size": 7},
    {"train_size": 0.5},
    {"train_size": 11, "test_size": 0.2},
    {"stratify": LABELS},
    {"stratify": np.column_stack([LABELS, ROWS % 2]), "test_size": 12},
    {"stratify": LABELS, "test_size": 9, "train_size": 13},
]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
@pytest.mark.parametrize("seed", range(10))
def test_rows_are_scikit_learns(options, seed):
    theirs = sklearn.model_selection.train_test_split(ROWS, **options, random_state=seed)
    ours = train_test_split(ROWS, **options, random_state=seed)
    for part, their_part in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(part, their_part)


@pytest.mark.parametrize("options", [{}, {"test_size": 3}, {"train_size": 0.3, "test_size": 0.2}])
def test_in_order(options):
    theirs = sklearn.model_selection.train_test_split(ROWS, **options, shuffle=False)
    ours = train_test_split(ROWS, **options, shuffle=False)
    for part, their_part in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(part, their_part)


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "range": lambda rows: range(len(rows)),
    "float32": lambda rows: rows.astype(np.float32),
    "three axes": lambda rows: np.repeat(rows, 6).reshape(-1, 2, 3),
    "csr": lambda rows: scipy.sparse.csr_array(rows[:, None]),
    "coo": lambda rows: scipy.sparse.coo_matrix(rows[:, None]),
    "pandas frame": lambda rows: pd.DataFrame({"row": rows}, index=rows[::-1] + 100),
    "pandas series": lambda rows: pd.Series(rows, index=[f"i{row}" for row in rows]),
    "pandas categories": lambda rows: pd.Series(rows).astype(str).astype("category"),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_container_is_kept_as_scikit_learn_keeps_it(name):
    data = CONTAINERS[name](ROWS)
    theirs = sklearn.model_selection.train_test_split(data, random_state=4)
    ours = train_test_split(data, random_state=4)
    for part, their_part in zip(ours, theirs, strict=True):
        assert type(part) is type(their_part)
        if isinstance(part, (pd.DataFrame, pd.Series)):
            assert part.equals(their_part) and part.index.equals(their_part.index)
        elif scipy.sparse.issparse(part):
            assert part.format == their_part.format
            np.testing.assert_array_equal(part.toarray(), their_part.toarray())
        else:
            np.testing.assert_array_equal(part, their_part)


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: pl.DataFrame({"row": rows, "text": rows.astype(str)}),
        lambda rows: pl.Series("row", rows),
        lambda rows: pa.table({"row": rows, "text": rows.astype(str)}),
        lambda rows: pa.chunked_array([rows[:7], rows[7:]]),
        pa.array,
    ],
    ids=["polars", "polars series", "pyarrow", "chunked", "pyarrow array"],
)
def test_other_tables(make):
    wanted = train_test_split(ROWS, random_state=2)
    parts = train_test_split(make(ROWS), random_state=2)
    for part, rows in zip(parts, wanted, strict=True):
        values = part["row"] if hasattr(part, "columns") else part
        np.testing.assert_array_equal(np.asarray(values), rows)
        assert isinstance(part, type(make(ROWS)))


def test_several_arrays_stay_together():
    frame = pl.DataFrame({"row": ROWS})
    a, b, c, d, e, f = train_test_split(frame, ROWS.tolist(), pd.Series(ROWS), random_state=0)
    for first, second, third in ((a, c, e), (b, d, f)):
        assert first["row"].to_list() == second == third.tolist()


def test_strata_of_any_container():
    wanted = train_test_split(ROWS, stratify=LABELS, random_state=1)
    for labels in (
        LABELS.tolist(),
        pd.Series(LABELS),
        pl.Series(LABELS.tolist()),
        pa.array(LABELS),
    ):
        found = train_test_split(ROWS, stratify=labels, random_state=1)
        np.testing.assert_array_equal(found[0], wanted[0])


@pytest.mark.parametrize(
    ("arrays", "options"),
    [
        ((), {}),
        ((ROWS, ROWS[:-1]), {}),
        ((ROWS,), {"test_size": 1.5}),
        ((ROWS,), {"test_size": 0.0}),
        ((ROWS,), {"test_size": 40}),
        ((ROWS,), {"test_size": 0}),
        ((ROWS,), {"train_size": -2}),
        ((ROWS,), {"train_size": "all"}),
        ((ROWS,), {"train_size": True}),
        ((ROWS,), {"test_size": 0.7, "train_size": 0.5}),
        ((ROWS,), {"test_size": 30, "train_size": 0.5}),
        ((ROWS,), {"random_state": "seed"}),
        ((ROWS,), {"random_state": -1}),
        ((ROWS,), {"shuffle": "no"}),
        ((ROWS,), {"shuffle": False, "stratify": LABELS}),
        ((ROWS,), {"stratify": ROWS}),
        ((ROWS,), {"stratify": LABELS[:-1]}),
        ((ROWS[:1],), {}),
        ((3,), {}),
    ],
    ids=str,
)
def test_refusals(arrays, options):
    with pytest.raises(Exception) as expected:
        sklearn.model_selection.train_test_split(*arrays, **options)
    error = expected.type if expected.type in (ValueError, TypeError) else ValueError
    with pytest.raises(error):
        train_test_split(*arrays, **options)
