"""Gower's distance: numbers by their range, levels by equality, gaps left out."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gramian import _core, config
from gramian.config import core_context
from gramian.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    LocalOutlierFactor,
    NearestNeighbors,
    RadiusNeighborsRegressor,
    kneighbors_graph,
)

FLATS = pd.DataFrame(
    {
        "area": [50.0, 70.0, None, 150.0],
        "city": ["Oslo", "Rome", "Oslo", None],
        "floor": pd.Categorical(
            ["low", "high", "mid", "low"], categories=["low", "mid", "high"], ordered=True
        ),
    }
)
BETWEEN = np.array(
    [
        [0.0, (0.2 + 1 + 1) / 3, (0 + 0.5) / 2, (1 + 0) / 2],
        [(0.2 + 1 + 1) / 3, 0.0, (1 + 0.5) / 2, (0.8 + 1) / 2],
        [(0 + 0.5) / 2, (1 + 0.5) / 2, 0.0, 0.5],
        [(1 + 0) / 2, (0.8 + 1) / 2, 0.5, 0.0],
    ]
)


def by_definition(X, Y, is_level):
    gap = np.abs(X[:, None] - Y[None])
    apart = np.where(is_level, gap > 0, np.minimum(gap, 1.0))
    known = ~np.isnan(gap)
    n = known.sum(axis=2)
    total = np.where(known, apart, 0.0).sum(axis=2)
    return np.where(n > 0, total / np.maximum(n, 1), 1.0)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_native_distances_are_those_of_the_definition(n_threads):
    rng = np.random.default_rng(0)
    is_level = np.array([0, 1, 0, 1, 0], dtype=np.uint8)
    X, Y = rng.uniform(size=(37, 5)), rng.uniform(size=(2100, 5))
    for rows in (X, Y):
        rows[:, is_level == 1] = rng.integers(0, 3, (len(rows), 2))
        rows[rng.uniform(size=rows.shape) < 0.3] = np.nan
    X[3], Y[5] = np.nan, np.nan
    X[0, 0] = 7.0  # outside of the range
    out = np.empty((len(X), len(Y)))
    with config(n_threads=n_threads):
        _core.gower_distances(X, Y, is_level=is_level, out=out, ctx=core_context())
    assert_allclose(out, by_definition(X, Y, is_level == 1), rtol=1e-14)


def test_distances_of_a_table_worked_by_hand():
    search = NearestNeighbors(n_neighbors=4, metric="gower").fit(FLATS)
    distance, index = search.kneighbors(FLATS)
    found = np.empty((4, 4))
    np.put_along_axis(found, index, distance, axis=1)
    assert_allclose(found, BETWEEN)
    assert_array_equal(index[3], [3, 0, 2, 1])  # equally near: the first row first


def test_new_rows_have_the_ranges_and_levels_of_the_fit():
    search = NearestNeighbors(n_neighbors=1, metric="gower").fit(FLATS)
    new = pd.DataFrame({"area": [400.0, 60.0], "city": ["Paris", "Rome"], "floor": ["low", "high"]})
    distance, index = search.kneighbors(new)
    assert_array_equal(index[:, 0], [3, 1])
    # 400 is beyond the range, and stands at its end; Paris is a gap, as the city of row 3 is.
    assert_allclose(distance[:, 0], [0.0, 0.1 / 3])


def test_models_take_tables_with_gaps():
    rng = np.random.default_rng(1)
    n = 300
    table = pd.DataFrame(
        {
            "kind": rng.choice(["a", "b", "c"], n),
            "size": np.where(rng.uniform(size=n) < 0.1, np.nan, rng.uniform(size=n)),
            "noise": rng.normal(size=n),
        }
    )
    y = (table["kind"] == "b").to_numpy() * 2.0 + table["size"].fillna(0.5).to_numpy()
    train, test = slice(0, 200), slice(200, n)
    for model in (
        KNeighborsRegressor(5, metric="gower"),
        KNeighborsRegressor(5, metric="gower", weights="distance"),
        RadiusNeighborsRegressor(0.15, metric="gower"),
    ):
        assert model.fit(table[train], y[train]).score(table[test], y[test]) > 0.8
    labels = np.where(table["kind"] == "b", "yes", "no")
    model = KNeighborsClassifier(metric="gower").fit(table[train], labels[train])
    assert model.score(table[test], labels[test]) > 0.95
    assert LocalOutlierFactor(metric="gower").fit_predict(table).shape == (n,)
    graph = kneighbors_graph(model, 3, include_self=True, metric="gower")
    assert_allclose(graph.diagonal(), 1.0)


def test_named_columns_of_an_array_are_levels():
    X = np.array([[1.0, 0.0], [2.0, 0.1], [9.0, 0.2]])
    plain = NearestNeighbors(n_neighbors=2, metric="gower").fit(X)
    named = NearestNeighbors(n_neighbors=2, metric="gower", metric_params={"categorical": [0]}).fit(
        X
    )
    assert_allclose(plain.kneighbors([[1.0, 0.0]])[0][0, 1], (1 / 8 + 0.5) / 2)
    assert_allclose(named.kneighbors([[1.0, 0.0]])[0][0, 1], (1 + 0.5) / 2)


def test_a_column_of_one_value_tells_other_values_apart():
    search = NearestNeighbors(n_neighbors=1, metric="gower").fit([[3.0, 0.0], [3.0, 1.0]])
    assert_allclose(search.kneighbors([[3.0, 0.0], [4.0, 0.0]])[0][:, 0], [0.0, 0.5])


def test_what_gower_does_not_take_is_named():
    X = [[0.0], [1.0]]
    for params, match in [
        ({"algorithm": "kd_tree"}, "algorithm='kd_tree'"),
        ({"metric_params": {"w": 1}}, "'w'"),
        ({"metric_params": {"categorical": [3]}}, "column 3"),
        ({"metric_params": {"categorical": ["a"]}}, "numbers of columns"),
    ]:
        with pytest.raises(ValueError, match=match):
            NearestNeighbors(metric="gower", **params).fit(X)
    from scipy.sparse import csr_matrix

    with pytest.raises(TypeError, match="tables and dense arrays"):
        NearestNeighbors(metric="gower").fit(csr_matrix(X))
    with pytest.raises(ValueError, match="cannot search the rows"):
        NearestNeighbors(metric="gower").fit(NearestNeighbors().fit(X))
