"""Features, target and task of a table."""

from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest

from gramian.report import TableError, prepare, prepare_features

N = 60


def table(**columns):
    return pl.DataFrame({"x": np.arange(float(N)), **columns})


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.linspace(0, 1, N), "regression"),
        (np.arange(N), "regression"),
        (np.arange(N) % 7, "regression"),
        (np.arange(N) % 3, "classification"),
        (np.arange(N) % 3 * 1.0, "classification"),
        (np.arange(N) % 2 == 0, "classification"),
        (["a", "b"] * (N // 2), "classification"),
        (np.arange(N) % 2 / 2, "regression"),
    ],
)
def test_task(y, task):
    assert prepare(table(y=y), "y").task == task


def test_task_can_be_chosen():
    levels = np.arange(N) % 3
    problem = prepare(table(y=levels), "y", task="regression")
    assert problem.task == "regression" and problem.y.dtype == np.float64
    problem = prepare(table(y=np.arange(N)), "y", task="classification")
    assert problem.y.dtype.kind == "U"


def test_rows_without_target_are_left_out():
    y = [None, float("nan"), *np.linspace(0, 1, N - 2)]
    problem = prepare(table(y=y), "y")
    assert problem.n_rows == problem.X.height == N - 2
    assert problem.notes == ("2 rows without a value of 'y' left out.",)


def test_columns_that_models_cannot_use():
    frame = table(y=np.linspace(0, 1, N), empty=[None] * N, nested=[[1, 2]] * N, raw=[b"x"] * N)
    problem = prepare(frame, "y")
    assert problem.X.columns == ["x"]
    assert any("'empty'" in note for note in problem.notes)
    assert any("'nested', 'raw'" in note for note in problem.notes)


def test_dates_become_days():
    frame = pl.DataFrame(
        {
            "y": [0.5, 1.5, 2.5],
            "day": [date(1970, 1, 2), None, date(1970, 1, 11)],
            "moment": [datetime(1970, 1, 1, 12)] * 3,
            "span": [timedelta(hours=6)] * 3,
        }
    )
    problem = prepare(frame, "y")
    assert problem.X["day"].to_list() == [1.0, None, 10.0]
    assert problem.X["moment"].to_list() == [0.5] * 3
    assert problem.X["span"].to_list() == [0.25] * 3
    assert problem.X["day weekday"].to_list() == ["Fri", None, "Sun"]
    assert "moment hour" not in problem.X.columns  # it is the same in all rows
    assert problem.dates == ("day", "moment")
    assert problem.notes == (
        "column 'span' turned into numbers of days.",
        "column 'day' turned into days since 1970 and weekday.",
        "column 'moment' turned into days since 1970.",
    )


def test_new_rows_have_all_parts_of_a_date():
    """One row is enough to predict: whether a part varies is a question of the fit."""
    row = pl.DataFrame({"t": [datetime(2024, 2, 29, 13, 30)], "t month": ["taken"]})
    X, _ = prepare_features(row)
    assert X["t weekday"].to_list() == ["Thu"] and X["t hour"].to_list() == [13.5]
    assert X["t month"].to_list() == ["taken"] and X.width == 4


def test_columns_are_described():
    frame = pl.DataFrame(
        {
            "y": [0.5, 1.5, 2.5],
            "n": [1.0, None, 3.0],
            "t": ["b", "a", "b"],
            "f": [True, False, None],
            "c": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
        }
    )
    n, t, f, c = prepare(frame, "y").columns
    assert (n.kind, n.n_missing, n.n_distinct, n.summary) == ("number", 1, 2, "1 to 3, mean 2")
    assert (t.kind, t.summary) == ("text", "b (2), a (1)")
    assert (f.kind, f.n_missing) == ("yes/no", 1)
    assert c.kind == "category"


def test_any_data_frame_library():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0], "y": [0.5, 1.5, 2.5]})
    problem = prepare(frame, "y")
    assert problem.X["x"].null_count() == 1


@pytest.mark.parametrize(
    ("columns", "target", "message"),
    [
        ({"Price": [1.0, 2.0]}, "price", "did you mean 'Price'"),
        ({"length": [1.0, 2.0]}, "lenght", "did you mean 'length'"),
        ({"abc": [1.0, 2.0]}, "zzz", "the columns are abc"),
        ({"y": [1.0, 1.0]}, "y", "is constant"),
        ({"y": ["a", "a", None]}, "y", "is constant"),
        ({"y": [None, None]}, "y", "no value in any row"),
        ({"y": [1.0, float("inf")]}, "y", "infinite"),
        ({"y": [date(2024, 1, 1), date(2024, 1, 2)]}, "y", "must hold numbers or labels"),
        ({"y": [0.5, 1.5]}, "y", "no column to predict from"),
        ({"y": [0.5, 1.5], "x": [None, None]}, "y", "no column to predict from"),
    ],
)
def test_refusals(columns, target, message):
    with pytest.raises(TableError, match=message):
        prepare(pl.DataFrame(columns), target)


def test_bad_task():
    with pytest.raises(TableError, match="task must be one of"):
        prepare(table(y=np.arange(N)), "y", task="ranking")
    with pytest.raises(TableError, match="a regression needs numbers"):
        prepare(table(y=["a", "b"] * (N // 2)), "y", task="regression")


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["$1,234", "$5", None], [1234.0, 5.0, None]),
        (["45 %", "3.5%"], [45.0, 3.5]),
        (["1 234,5", "7"], [1234.5, 7.0]),
        (["1.234.567,5 €", "-2 €"], [1234567.5, -2.0]),
        (["(1,200)", "- 3"], [-1200.0, -3.0]),
        (["USD 12", "USD 1,000.25"], [12.0, 1000.25]),
    ],
)
def test_numbers_written_as_text_are_read(cells, numbers):
    frame = pl.DataFrame(
        {"x": cells, "z": range(len(cells)), "y": [float(i) for i in range(len(cells))]}
    )
    problem = prepare(frame, "y", "regression")
    assert problem.X["x"].to_list() == numbers
    assert "column 'x' read as numbers." in problem.notes


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2"],
        ["$5", "5 %"],
        ["1,2", "1,234 a"],
        ["01,234", "5,000"],
        ["1-2", "3, 4"],
        ["a", "b,c"],
    ],
)
def test_labels_stay_text(cells):
    problem = prepare(pl.DataFrame({"x": cells, "y": [1.0, 2.5]}), "y", "regression")
    assert problem.X["x"].to_list() == cells and not problem.notes


def test_infinite_values_are_taken_for_missing():
    frame = pl.DataFrame(
        {"x": [1.0, float("inf"), float("-inf")], "z": [1, 2, 3], "y": [0.5, 1.0, 2]}
    )
    problem = prepare(frame, "y", "regression")
    assert problem.X["x"].to_list() == [1.0, None, None]
    assert problem.notes == ("infinite values of column 'x' taken for missing.",)


def test_a_target_of_names_is_refused():
    frame = pl.DataFrame({"x": range(50), "y": [f"n{max(i, 3)}" for i in range(50)]})
    with pytest.raises(TableError, match="47 different labels in 50 rows, most of them in one"):
        prepare(frame, "y", min_class_rows=5)


def test_rare_classes_are_left_out_where_two_remain():
    frame = pl.DataFrame({"x": range(9), "y": ["a"] * 4 + ["b"] * 4 + ["c"]})
    problem = prepare(frame, "y", min_class_rows=3)
    assert problem.X["x"].to_list() == list(range(8)) and set(problem.y) == {"a", "b"}
    assert problem.notes == ("class 'c' (1 row) left out: fewer than 3 rows.",)
    # Without half of the rows it would be another table: fewer folds are better.
    problem = prepare(frame, "y", min_class_rows=5)
    assert problem.n_rows == 8
    assert problem.notes == ("class 'c' (1 row) left out: fewer than 2 rows.",)
