"""Data frames as matrices of numbers and level codes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import gramian
from gramian._levels.matrix import TableLevels
from gramian.table import as_table
from gramian.tree import DecisionTreeClassifier, DecisionTreeRegressor


def shops():
    return pd.DataFrame(
        {
            "city": ["Rome", None, "Oslo", "Bonn"],
            "size": pd.Categorical(["S", "L", "M", None], categories=["S", "M", "L"], ordered=True),
            "rent": [1.5, np.nan, 2.5, 4.0],
            "is_open": [True, False, True, True],
            "floors": pd.Categorical([10, 2, 2, 10]),
        }
    )


def levels_of(frame):
    levels = TableLevels.of(as_table(frame))
    assert levels is not None
    return levels


def test_levels_are_codes_and_numbers_stay():
    levels = levels_of(shops())
    nan = np.nan
    expected = [[2, 0, 1.5, 1, 1], [nan, 2, nan, 0, 0], [1, 1, 2.5, 1, 0], [0, nan, 4, 1, 1]]
    np.testing.assert_array_equal(levels.matrix(as_table(shops())), expected)
    assert levels.n_levels.tolist() == [3, 0, 0, 0, 2]
    assert levels.levels[1] == ("S", "M", "L")


def test_unseen_levels_are_missing():
    levels = levels_of(shops())
    new = shops().assign(city=["Paris", "Oslo", None, "Rome"], floors=[2.0, 10.0, 7.0, np.nan])
    matrix = levels.matrix(as_table(new))
    np.testing.assert_array_equal(matrix[:, 0], [np.nan, 1, np.nan, 2])
    np.testing.assert_array_equal(matrix[:, 4], [0, 1, np.nan, np.nan])


def test_levels_without_rows_are_unseen():
    frame = pd.DataFrame({"city": pd.Categorical(["b", "a", "c"], categories=["a", "b", "c", "d"])})
    assert levels_of(frame).levels == (("a", "b", "c"),)
    weighted = TableLevels.of(as_table(frame), np.array([1.0, 0.0, 2.0]))
    assert weighted is not None
    assert weighted.levels == (("b", "c"),)
    np.testing.assert_array_equal(weighted.matrix(as_table(frame)), [[0], [np.nan], [1]])


def test_single_precision_is_kept():
    frame = pd.DataFrame({"city": ["a", "b"], "x": np.array([1.5, 2.5], np.float32)})
    assert levels_of(frame).matrix(as_table(frame)).dtype == np.float32


def test_text_where_numbers_were_is_refused():
    levels = levels_of(shops())
    with pytest.raises(ValueError, match="Column 'rent' held numbers at fit"):
        levels.matrix(as_table(shops().assign(rent=["a", "b", "c", "d"])))
    gap = levels.matrix(as_table(shops().assign(rent=pd.Series([None] * 4, dtype="str"))))
    assert np.isnan(gap[:, 2]).all()


def test_numbers_alone_need_no_levels():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [True, False]})
    assert TableLevels.of(as_table(frame)) is None


def fitted(cls=DecisionTreeClassifier):
    rng = np.random.default_rng(0)
    cities = np.array([f"city {i}" for i in range(90)])
    frame = pd.DataFrame({"city": rng.choice(cities, 1500), "x": rng.normal(size=1500)})
    y = np.isin(frame["city"], cities[::3]) ^ (frame["x"] > 1.5)
    return cls(random_state=0).fit(frame, y), frame, y


def test_a_split_by_many_levels_is_one_split():
    """Thirty of ninety levels, more than a word of bits, are told apart at once."""
    model, frame, y = fitted()
    assert model.score(frame, y) == 1.0
    assert model.get_n_leaves() <= 6
    assert model.tree_.is_categorical.sum() >= 1
    root = np.flatnonzero(model.tree_.is_categorical)[0]
    assert np.isnan(model.tree_.threshold[root])
    left = set(model.tree_.left_levels(root))
    names = [model._table_levels.levels[0][code] for code in left]
    thirds = {int(name.split()[1]) % 3 == 0 for name in names}
    assert len(thirds) == 1


def test_arrays_stand_for_the_columns_of_the_frame():
    model, frame, _ = fitted()
    with pytest.warns(UserWarning, match="valid feature names"):
        found = model.predict(frame.to_numpy(dtype=object))
    np.testing.assert_array_equal(found, model.predict(frame))
    np.testing.assert_array_equal(model.predict(pl.from_pandas(frame)), model.predict(frame))


def test_levels_are_saved(tmp_path):
    model, frame, _ = fitted(DecisionTreeRegressor)
    gramian.save(model, tmp_path / "tree.gramian")
    loaded = gramian.load(tmp_path / "tree.gramian")
    assert gramian.fingerprint(loaded) == gramian.fingerprint(model)
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))


def test_pruned_sets_of_levels_stay_whole():
    model, frame, y = fitted(DecisionTreeRegressor)
    path = model.cost_complexity_pruning_path(frame, y)
    for alpha in path.ccp_alphas[1:]:
        pruned = DecisionTreeRegressor(random_state=0, ccp_alpha=alpha + 1e-12).fit(frame, y)
        errors = np.mean((pruned.predict(frame) - y) ** 2)
        expected = path.impurities[np.flatnonzero(path.ccp_alphas <= alpha + 1e-12)[-1]]
        assert errors == pytest.approx(expected, abs=1e-12)


def test_monotonic_constraints_need_an_order():
    frame = pd.DataFrame({"city": ["a", "b", "c"], "x": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="levels without an order"):
        DecisionTreeRegressor(monotonic_cst=[1, 0]).fit(frame, [1.0, 2.0, 3.0])
