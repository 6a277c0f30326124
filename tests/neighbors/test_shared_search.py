"""Grids over the number of neighbours and the weights search once for the most neighbours."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from gramian._distance.search import SearchedRows
from gramian.model_selection import GridSearchCV
from gramian.neighbors import KNeighborsClassifier, KNeighborsRegressor
from gramian.pipeline import make_pipeline
from gramian.preprocessing import StandardScaler

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4)).round(1)
LABELS = RNG.integers(0, 3, 120)
GRID = {"n_neighbors": [1, 4, 9], "weights": ["uniform", "distance"]}


def scores(model, data, target, grid):
    search = GridSearchCV(model, grid, cv=3, return_train_score=True).fit(data, target)
    return {name: search.cv_results_[name] for name in ("mean_test_score", "mean_train_score")}


@pytest.mark.parametrize("kind", ["dense", "sparse", "table", "brute", "manhattan", "gower"])
@pytest.mark.parametrize("model", [KNeighborsClassifier(), KNeighborsRegressor()])
def test_scores_are_those_of_single_fits(kind, model, monkeypatch):
    data = {"sparse": csr_matrix(X), "table": pd.DataFrame(X, columns=list("abcd"))}.get(kind, X)
    if kind in ("manhattan", "gower"):
        model = type(model)(metric=kind)
    elif kind == "brute":
        model = type(model)(algorithm="brute")
    together = scores(model, data, LABELS, GRID)
    monkeypatch.setattr(type(model), "_shares_fits", lambda self, candidates: False)
    alone = scores(model, data, LABELS, GRID)
    for name, values in together.items():
        assert_array_equal(values, alone[name])


def test_a_grid_searches_once_for_each_part(monkeypatch):
    searched = []
    nearest = SearchedRows.nearest

    def counted(self, queries, n_neighbors, **how):
        searched.append(n_neighbors)
        return nearest(self, queries, n_neighbors, **how)

    monkeypatch.setattr(SearchedRows, "nearest", counted)
    scores(KNeighborsClassifier(), X, LABELS, GRID)
    assert searched == [9] * 6  # test and training rows of three splits
    searched.clear()
    pipeline = make_pipeline(StandardScaler(), KNeighborsClassifier())
    scores(pipeline, X, LABELS, {f"kneighborsclassifier__{k}": v for k, v in GRID.items()})
    assert searched == [9] * 6


def test_other_parameters_are_fitted_alone():
    model = KNeighborsClassifier()
    assert model._shares_fits([{"n_neighbors": 3}, {"weights": "distance"}])
    assert not model._shares_fits([{"n_neighbors": 3}, {"metric": "manhattan"}])

    class Own(KNeighborsClassifier):
        def fit(self, X, y):
            return super().fit(X, y)

    assert not Own()._shares_fits([{"n_neighbors": 3}])


@pytest.mark.filterwarnings("ignore:One or more of the test scores", "ignore:Scoring failed")
def test_a_number_beyond_the_rows_fails_alone():
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 100]}, cv=3)
    found = search.fit(X, LABELS).cv_results_["mean_test_score"]
    assert np.isfinite(found[0])
    assert np.isnan(found[1])


def test_models_fitted_together_answer_other_rows():
    models = KNeighborsClassifier()._fit_candidates(
        [{"n_neighbors": 2}, {"n_neighbors": 7}], X, LABELS
    )
    rows = X.copy()
    first = models[0].kneighbors(rows)[1]
    rows[:, 0] += 1.0  # changed in place, and not mistaken for what it was
    assert (models[0].kneighbors(rows)[1] != first).any()
    for model in models:
        alone = KNeighborsClassifier(model.n_neighbors).fit(X, LABELS)
        for rows in (X, X + 0.3, X[:1], None):
            assert_array_equal(model.predict(rows), alone.predict(rows))
        assert_array_equal(model.kneighbors(X, 12)[1], alone.kneighbors(X, 12)[1])
