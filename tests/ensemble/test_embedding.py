"""Codes of rows by the leaves of random trees."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as sk
from numpy.testing import assert_array_equal
from scipy import sparse

from gramian.datasets import make_circles
from gramian.ensemble import RandomTreesEmbedding
from gramian.linear_model import LogisticRegression
from gramian.preprocessing import OneHotEncoder


def test_codes_are_the_leaves_one_hot():
    X, _ = make_circles(200, factor=0.5, noise=0.1, random_state=0)
    model = RandomTreesEmbedding(10, random_state=0)
    codes = model.fit_transform(X)
    assert sparse.issparse(codes)
    encoder = OneHotEncoder().fit(model.apply(X))
    assert (codes != encoder.transform(model.apply(X))).nnz == 0
    own = model.one_hot_encoder_
    assert (codes != own.transform(model.apply(X))).nnz == 0
    assert all(map(np.array_equal, own.categories_, encoder.categories_))
    names = model.get_feature_names_out()
    assert len(names) == codes.shape[1]
    leaves = encoder.categories_
    expected = [f"randomtreesembedding_{t}_{n}" for t, kept in enumerate(leaves) for n in kept]
    assert names.tolist() == expected
    dense = RandomTreesEmbedding(10, random_state=0, sparse_output=False).fit(X).transform(X)
    assert_array_equal(dense, codes.toarray())
    assert (dense.sum(axis=1) == 10).all()


def test_a_circle_becomes_linear():
    X, y = make_circles(600, factor=0.6, noise=0.1, random_state=0)
    codes = RandomTreesEmbedding(50, random_state=0).fit(X[:300])
    model = LogisticRegression().fit(codes.transform(X[:300]), y[:300])
    assert model.score(codes.transform(X[300:]), y[300:]) > 0.9
    theirs = sk.RandomTreesEmbedding(50, random_state=0).fit(X[:300])
    ratio = codes.transform(X).shape[1] / theirs.transform(X).shape[1]
    assert 0.9 < ratio < 1.1


def test_frames_threads_weights_and_warm_start():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "b": rng.choice(["x", "y", "z"], 90)})
    one, two = (RandomTreesEmbedding(6, random_state=0, n_jobs=n).fit(frame) for n in (1, 2))
    assert_array_equal(one.apply(frame), two.apply(frame))
    out = RandomTreesEmbedding(2, sparse_output=False).set_output(transform="pandas")
    assert list(out.fit_transform(frame).columns) == out.get_feature_names_out().tolist()
    more = RandomTreesEmbedding(3, random_state=0, warm_start=True).fit(frame)
    more.set_params(n_estimators=6).fit(frame)
    assert_array_equal(more.apply(frame), one.apply(frame))
    half = np.arange(90) % 2
    weighted = RandomTreesEmbedding(6, random_state=0).fit(frame, sample_weight=half)
    assert all(tree.tree_.n_node_samples[0] == 45 for tree in weighted)
    with pytest.raises(TypeError, match="oob_score"):
        RandomTreesEmbedding(oob_score=True)
