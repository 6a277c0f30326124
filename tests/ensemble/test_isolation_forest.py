"""Isolation forests against scikit-learn's and the definition of the score."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as sk
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.ensemble._iforest import _average_path_length
from sklearn.metrics import roc_auc_score

import gramian
from gramian._trees.isolation_trees import average_path_length
from gramian.ensemble import IsolationForest


def rows_with_outliers(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    is_out = np.arange(n) < n // 50
    X[is_out] *= 5
    return X, is_out


def test_average_path_length():
    sizes = np.array([1, 2, 3, 5, 256, 10**6])
    assert_allclose(average_path_length(sizes), _average_path_length(sizes), rtol=1e-12)
    exact = 2 * (sum(1 / k for k in range(1, 256)) - 255 / 256)
    assert_allclose(average_path_length(np.array([256]))[0], exact, rtol=1e-3)


@pytest.mark.parametrize(
    "options",
    [{}, {"max_features": 2}, {"bootstrap": True, "max_samples": 0.3}, {"max_samples": 50}],
    ids=str,
)
def test_as_good_as_scikit_learn(options):
    X, is_out = rows_with_outliers()
    ours = IsolationForest(random_state=0, **options).fit(X)
    theirs = sk.IsolationForest(random_state=0, **options).fit(X)
    assert ours.max_samples_ == theirs.max_samples_
    for name in ("estimators_samples_", "estimators_features_"):
        for mine, other in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            assert_array_equal(mine, other)
    found, expected = ours.score_samples(X), theirs.score_samples(X)
    assert roc_auc_score(is_out, -found) > roc_auc_score(is_out, -expected) - 0.01
    assert np.corrcoef(found, expected)[0, 1] > 0.9
    assert abs(found.mean() - expected.mean()) < 0.02


def test_score_is_that_of_the_definition():
    X, _ = rows_with_outliers(400)
    model = IsolationForest(n_estimators=20, max_samples=64, random_state=0).fit(X)
    cuts = np.zeros(len(X))
    for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        leaves = tree.apply(X)
        depth = tree.decision_path(X).sum(axis=1) - 1
        inside = np.bincount(tree.apply(X[rows]), minlength=tree.tree_.node_count)
        cuts += np.asarray(depth).ravel() + average_path_length(inside[leaves])
        assert tree.get_depth() <= 6 and len(np.unique(rows)) == 64
    usual = average_path_length(np.array([64]))[0]
    assert_allclose(model.score_samples(X), -(2.0 ** (-cuts / 20 / usual)), rtol=1e-12)
    assert_array_equal(model.decision_function(X), model.score_samples(X) + 0.5)
    assert_array_equal(model.predict(X), np.where(model.decision_function(X) < 0, -1, 1))


def test_contamination_sets_the_share():
    X, is_out = rows_with_outliers()
    model = IsolationForest(contamination=0.02, random_state=0).fit(X)
    assert abs((model.predict(X) == -1).mean() - 0.02) < 0.002
    assert (model.predict(X)[is_out] == -1).mean() > 0.8
    assert model.offset_ == np.percentile(model.score_samples(X), 2.0)


def test_threads_saving_warm_start_and_weights(tmp_path):
    X, _ = rows_with_outliers(600)
    one, two = (IsolationForest(random_state=1, n_jobs=n).fit(X) for n in (1, 2))
    expected = one.score_samples(X)
    assert_array_equal(two.score_samples(X), expected)
    gramian.save(two, tmp_path / "forest.gram")
    for copy in (gramian.load(tmp_path / "forest.gram"), pickle.loads(pickle.dumps(two))):
        assert_array_equal(copy.score_samples(X), expected)
    model = IsolationForest(n_estimators=4, random_state=1, warm_start=True).fit(X)
    first = model.estimators_[0]
    model.set_params(n_estimators=9).fit(X)
    assert len(model) == len(model.estimators_samples_) == 9 and model[0] is first
    with pytest.warns(UserWarning, match="without increasing"):
        model.fit(X)
    weight = np.arange(600) % 2
    heavy = IsolationForest(random_state=0, max_samples=100).fit(X, sample_weight=weight)
    assert all((rows % 2 == 1).all() for rows in heavy.estimators_samples_)


def test_sparse_text_and_missing_values():
    X, _ = rows_with_outliers(300)
    X[np.abs(X) < 0.5] = 0.0
    dense = IsolationForest(random_state=0).fit(X).score_samples(X)
    rows = sparse.csr_array(X)
    assert_array_equal(IsolationForest(random_state=0).fit(rows).score_samples(rows), dense)
    kind = np.where(np.arange(300) < 5, "rare", "usual")
    frame = pd.DataFrame({"kind": kind, "size": X[:, 1]})
    frame.loc[::10, "size"] = np.nan
    scores = IsolationForest(random_state=0).fit(frame).score_samples(frame)
    assert np.isfinite(scores).all()
    assert scores[:5].mean() < scores[5:].mean()


def test_errors_and_edges(capsys):
    X, _ = rows_with_outliers(100)
    with pytest.warns(UserWarning, match="max_samples will be set to n_samples"):
        assert IsolationForest(max_samples=1000).fit(X).max_samples_ == 100
    for wrong in ({"contamination": 0.6}, {"max_samples": "all"}, {"max_features": 2.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            IsolationForest(**wrong).fit(X)
    one = IsolationForest(max_samples=1, random_state=0).fit(X)
    assert_array_equal(one.score_samples(X), np.full(100, -0.5))
    same = IsolationForest(random_state=0).fit(np.zeros((10, 2)))
    assert (same.predict(np.zeros((3, 2))) == 1).all()
    IsolationForest(n_estimators=5, verbose=1).fit(X)
    assert capsys.readouterr().out.startswith("grown 5 of 5 trees")
