"""The built-in tables are whole, and the shared one is scikit-learn's."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from gramian.datasets import Bunch, find_table, load_auto_mpg, load_diabetes, table_names


@pytest.mark.parametrize("scaled", [True, False])
def test_diabetes_is_scikit_learns(scaled):
    ours, theirs = load_diabetes(scaled=scaled), sklearn.datasets.load_diabetes(scaled=scaled)
    assert set(ours) == set(theirs)
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-10, atol=1e-14)
    np.testing.assert_array_equal(ours.target, theirs.target)
    assert ours.feature_names == theirs.feature_names
    assert ours.frame is None


def test_diabetes_as_frame():
    ours, theirs = load_diabetes(as_frame=True), sklearn.datasets.load_diabetes(as_frame=True)
    pd.testing.assert_frame_equal(ours.frame, theirs.frame)
    pd.testing.assert_series_equal(ours.target, theirs.target)
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    assert X.shape == (442, 10) and y.name == "target"


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
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


@pytest.mark.parametrize(
    ("load", "options"),
    [(load_diabetes, {"scaled": "no"}), (load_auto_mpg, {"library": "numpy"})],
)
def test_refusals(load, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        load(**options)


def test_registry():
    assert table_names() == ["auto_mpg", "diabetes"]
    assert find_table("iris") is None
    for name in table_names():
        table = find_table(name)
        columns = table.columns()
        assert table.target in columns
        assert "Source:" in table.descr
        assert len({len(values) for values in columns.values()}) == 1


def test_bunch():
    bunch = Bunch(a=1)
    bunch.b = 2
    assert bunch["b"] == 2 and bunch.a == 1 and dir(bunch) == ["a", "b"]
    assert pickle.loads(pickle.dumps(bunch)) == bunch
    with pytest.raises(AttributeError, match="c"):
        _ = bunch.c
