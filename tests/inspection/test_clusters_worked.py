"""The worked steps of k-means and DBSCAN."""

import numpy as np
import pytest

from gramian.cluster import DBSCAN, KMeans
from gramian.inspection import worked

LINE = [[0.0], [1.0], [4.0], [5.0], [9.0]]
PACKED = [[0.0], [1.0], [2.0], [3.5], [10.0], [11.0], [12.0], [20.0]]


def test_the_steps_of_lloyd_by_hand():
    model = KMeans(2, init=[[0.0], [1.0]]).fit(LINE)
    calculation = worked(model, LINE, None)
    # Step 1: row 0 alone; the rest has the mean 19/4. Step 2: 1 joins 0; the rest has 6.
    first, means = calculation[1], calculation[2]
    np.testing.assert_allclose(
        [row[1:3] for row in first.table.rows], [[0, 1], [1, 0], [16, 9], [25, 16], [81, 64]]
    )
    assert first.values["J"] == 0.0 + 0.0 + 9.0 + 16.0 + 64.0
    np.testing.assert_allclose(means.values[r"\mu^{(1)}"], [[0.0], [4.75]])
    np.testing.assert_allclose(calculation.values[r"\mu^{(2)}"], [[0.5], [6.0]])
    course = calculation[-2].table.rows
    assert [row[2] for row in course] == ["all", "1", "0"]
    assert calculation.values["J"] == 0.25 + 0.25 + 4.0 + 1.0 + 9.0
    assert "those of the model" in calculation[-1].text
    assert len(course) == model.n_iter_


def test_the_best_of_many_starts_is_that_of_the_model():
    X = np.random.default_rng(3).normal(size=(150, 3)).round(2)
    model = KMeans(7, init="random", n_init=6, random_state=5).fit(X)
    calculation = worked(model, X, None)
    assert calculation.values["J"] == pytest.approx(model.inertia_)
    np.testing.assert_array_equal(calculation.values["c"], model.labels_)
    assert len(calculation[-2].table.rows) == model.n_iter_
    assert "⋮" in str(calculation)
    assert "those of the model" in calculation[-1].text
    calculation.to_latex()
    calculation._repr_html_()


def test_a_cluster_without_rows_takes_the_farthest():
    model = KMeans(2, init=[[0.0], [100.0]]).fit([[0.0], [1.0], [2.0]])
    calculation = worked(model, [[0.0], [1.0], [2.0]], None)
    assert "Cluster 1 has lost all rows and takes row 2" in calculation[2].text
    np.testing.assert_allclose(calculation[2].values[r"\mu^{(1)}"], [[0.5], [2.0]])
    assert calculation[2].values["n"].tolist() == [2, 1]
    assert "those of the model" in calculation[-1].text


def test_single_precision_and_a_query():
    X = np.asarray(LINE, np.float32)
    model = KMeans(2, random_state=0).fit(X)
    calculation = worked(model, X, None, query=[8.5])
    assert "those of the model" in calculation[-2].text
    assert calculation.values[r"\hat{c}"] == model.predict([[8.5]])


def test_weights_of_the_fit_are_noticed():
    model = KMeans(2, init=[[0.0], [9.0]]).fit(LINE, sample_weight=[9.0, 1.0, 1.0, 1.0, 1.0])
    assert "sample_weight" in worked(model, LINE, None)[-1].text
    model = DBSCAN(1.0, min_samples=3).fit(PACKED, sample_weight=[1, 1, 1, 1, 1, 1, 1, 9])
    assert "sample_weight" in worked(model, PACKED, None)[-1].text


def test_what_cannot_be_worked_out():
    with pytest.raises(ValueError, match="integer random_state"):
        worked(KMeans(2).fit(LINE), LINE, None)
    with pytest.raises(ValueError, match="5 training rows"):
        worked(KMeans(2, random_state=0).fit(LINE), LINE[:3], None)
    with pytest.raises(ValueError, match="5 training rows"):
        worked(DBSCAN(1.0).fit(LINE), LINE[:3], None)
    with pytest.raises(ValueError, match="no query"):
        worked(DBSCAN(1.0).fit(LINE), LINE, None, query=[1.0])


def test_the_neighbours_of_dbscan_by_hand():
    model = DBSCAN(1.5, min_samples=3).fit(PACKED)
    calculation = worked(model, PACKED, None)
    assert calculation.values["n"].tolist() == [2, 3, 3, 2, 2, 3, 2, 1]
    kinds = ["border", "core", "core", "border", "border", "core", "border", "noise"]
    assert [row[3] for row in calculation[1].table.rows] == kinds
    assert calculation[2].table.rows == [[0, 1, "0, 2"], [0, 2, "3"], [1, 5, "4, 6"]]
    assert calculation.values["labels"].tolist() == [0, 0, 0, 0, 1, 1, 1, -1]
    assert calculation[3].table.rows == [["0", 2, 2], ["1", 1, 2], ["noise", 0, 1]]
    assert "those of the model" in calculation[3].text


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "minkowski", "precomputed"])
def test_the_labels_of_dbscan_are_those_of_the_model(metric):
    X = np.random.default_rng(0).normal(size=(120, 2))
    if metric == "precomputed":
        X = np.abs(X[:, None] - X).max(axis=2)
    model = DBSCAN(0.4, min_samples=6, metric=metric, p=3 if metric == "minkowski" else None).fit(X)
    calculation = worked(model, X, None)
    np.testing.assert_array_equal(calculation.values["labels"], model.labels_)
    assert model.labels_.max() >= 0 > model.labels_.min()
    assert calculation.to_latex()


def test_noise_only():
    calculation = worked(DBSCAN(0.1).fit(LINE), LINE, None)
    assert "no core row" in calculation[2].text
    assert calculation.values["labels"].tolist() == [-1] * 5
