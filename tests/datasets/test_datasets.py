"""The built-in tables are whole, and the shared ones are scikit-learn's."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

import gramian.datasets
from gramian.datasets import (
    Bunch,
    find_table,
    load_auto_mpg,
    load_diabetes,
    load_digits,
    load_iris,
    load_play_tennis,
    table_names,
)
from gramian.report import read_table

LIBRARIES = ["pandas", "polars", "pyarrow"]
CASES = [
    ("load_iris", {}),
    ("load_wine", {}),
    ("load_breast_cancer", {}),
    ("load_diabetes", {"scaled": False}),
    *[("load_digits", {"n_class": n}) for n in (1, 3, 10)],
]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_arrays_are_scikit_learns(name, options):
    ours = getattr(gramian.datasets, name)(**options)
    theirs = getattr(sklearn.datasets, name)(**options)
    assert set(ours) == set(theirs)
    same = {"DESCR", "data_module", "filename", "data_filename", "target_filename"}
    for key in set(theirs) - same:
        assert type(ours[key]) is type(theirs[key]), key
        np.testing.assert_array_equal(ours[key], theirs[key])
        if isinstance(theirs[key], np.ndarray):
            assert ours[key].dtype == theirs[key].dtype
            assert ours[key].flags.c_contiguous
    X, y = getattr(gramian.datasets, name)(return_X_y=True, **options)
    np.testing.assert_array_equal(X, theirs.data)
    np.testing.assert_array_equal(y, theirs.target)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_frames_are_scikit_learns(name, options):
    ours = getattr(gramian.datasets, name)(as_frame=True, **options)
    theirs = getattr(sklearn.datasets, name)(as_frame=True, **options)
    pd.testing.assert_frame_equal(ours.frame, theirs.frame)
    pd.testing.assert_frame_equal(ours.data, theirs.data)
    pd.testing.assert_series_equal(ours.target, theirs.target)
    X, y = getattr(gramian.datasets, name)(as_frame=True, return_X_y=True, **options)
    pd.testing.assert_frame_equal(X, theirs.data)
    pd.testing.assert_series_equal(y, theirs.target)


def test_scaled_diabetes():
    ours, theirs = load_diabetes(), sklearn.datasets.load_diabetes()
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose((ours.data**2).sum(axis=0), 1.0, rtol=1e-12)


@pytest.mark.parametrize("library", LIBRARIES)
def test_auto_mpg(library):
    cars = load_auto_mpg(library=library)
    assert type(cars.data).__module__.split(".")[0] == library
    assert cars.data.shape == (398, 8) and cars.frame.shape == (398, 9)
    assert cars.target.mean() == pytest.approx(23.514573, abs=1e-6)
    assert cars.feature_names[-2:] == ["origin", "name"]
    assert "CC BY 4.0" in cars.DESCR
    X, y = load_auto_mpg(library=library, return_X_y=True)
    assert X.shape == (398, 8) and y.shape == (398,)


def test_auto_mpg_has_text_categories_and_gaps():
    cars = load_auto_mpg(library="polars").data
    assert cars["horsepower"].null_count() == 6
    assert cars["name"].n_unique() == 305
    assert sorted(cars["origin"].cast(str).unique()) == ["europe", "japan", "usa"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_play_tennis_has_the_textbooks_counts(library):
    days = load_play_tennis(library=library)
    assert type(days.data).__module__.split(".")[0] == library
    assert days.feature_names == ["Outlook", "Temp", "Humidity", "Windy"]
    columns = {name: np.array(days.data[name], dtype=str) for name in days.feature_names}
    query = {"Outlook": "Sunny", "Temp": "Cool", "Humidity": "High", "Windy": "True"}
    counts = {
        play: [int((columns[k][days.target == play] == v).sum()) for k, v in query.items()]
        for play in ("Yes", "No")
    }
    assert counts == {"Yes": [2, 3, 3, 3], "No": [3, 1, 4, 3]}
    assert days.target.tolist().count("Yes") == 9 and len(days.target) == 14
    X, y = load_play_tennis(return_X_y=True, library=library)
    assert X.shape == (14, 4) and y.shape == (14,)


@pytest.mark.parametrize(
    ("load", "options"),
    [
        (load_diabetes, {"scaled": "no"}),
        (load_auto_mpg, {"library": "numpy"}),
        (load_iris, {"return_X_y": 1}),
        (load_digits, {"n_class": 0}),
        (load_digits, {"n_class": 11}),
        (load_digits, {"as_frame": "yes"}),
    ],
)
def test_refusals(load, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        load(**options)


def test_registry():
    assert table_names() == sorted(table_names())
    assert {"iris", "wine", "breast_cancer", "digits", "play_tennis"} < set(table_names())
    assert find_table("no such table") is None
    for name in table_names():
        table = find_table(name)
        columns = table.columns()
        assert table.target in columns
        assert "Source:" in table.descr
        assert len({len(values) for values in columns.values()}) == 1
        assert set(table.classes) in (set(), set(columns[table.target]))


@pytest.mark.parametrize("name", ["iris", "play_tennis", "digits"])
def test_command_line_reads_classes_by_name(name):
    table = find_table(name)
    frame = read_table(name)
    assert set(frame[table.target].cast(str)) == set(table.classes)


def test_bunch():
    bunch = Bunch(a=1)
    bunch.b = 2
    assert bunch["b"] == 2 and bunch.a == 1 and dir(bunch) == ["a", "b"]
    assert pickle.loads(pickle.dumps(bunch)) == bunch
    with pytest.raises(AttributeError, match="c"):
        _ = bunch.c
