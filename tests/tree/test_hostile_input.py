"""Decision trees on targets and tables that are odd, or wrong."""

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from scipy import sparse

from gramian.tree import DecisionTreeClassifier, DecisionTreeRegressor, ObliviousTreeRegressor


@pytest.mark.parametrize(
    ("y", "message"), [([0, 0, 0], "y is not positive"), ([5, -0.1, 2], "y are negative")]
)
def test_counts_are_looked_at_before_the_rows(y, message):
    with pytest.raises(ValueError, match=f"{message}.*Poisson"):
        DecisionTreeRegressor(criterion="poisson").fit([[0, 1, 2]], y)


def test_rows_without_weight_need_no_counts():
    model = ObliviousTreeRegressor(criterion="poisson")
    model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, -1.0], sample_weight=[1, 1, 0])
    assert model.predict([[0.0], [1.0]]).tolist() == [1.0, 3.0]
    with pytest.raises(ValueError, match="not positive"):
        model.fit([[0.0], [1.0]], [0.0, 2.0], sample_weight=[1, 0])


@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [True, False, False, True], list("abba")])
def test_classes_of_a_frame_keep_their_type(labels):
    X, y = np.arange(4.0)[:, None], pd.DataFrame({"target": labels})
    found = DecisionTreeClassifier().fit(X, y).predict(X)
    assert found.tolist() == labels
    assert found.dtype == sklearn.tree.DecisionTreeClassifier().fit(X, y).predict(X).dtype


@pytest.mark.parametrize("method", ["apply", "predict", "decision_path"])
def test_nodes_take_arrays_of_floats_only(method):
    X = np.arange(6.0)[:, None]
    ask = getattr(DecisionTreeClassifier().fit(X, [0, 0, 1, 1, 2, 2]).tree_, method)
    with pytest.raises(ValueError, match=r"np\.ndarray format"):
        ask(X.tolist())
    with pytest.raises(ValueError, match=r"X.dtype should be np.float32 or np.float64, got int64"):
        ask(X.astype(np.int64))
    for rows in (X.astype(np.float32), X, sparse.csr_matrix(X), sparse.coo_array(X)):
        assert ask(rows).shape[0] == 6


@pytest.mark.parametrize("cls", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_limits_that_no_integer_of_the_machine_holds(cls):
    X, y = np.arange(6.0)[:, None], [0, 0, 1, 1, 2, 2]
    free = cls(max_depth=2**70, max_leaf_nodes=2**70, max_features=2**70).fit(X, y)
    assert free.get_n_leaves() == 3
    for name in ("min_samples_leaf", "min_samples_split"):
        for value in (2**62, 2**70):
            assert cls(**{name: value}).fit(X, y).get_n_leaves() == 1


def test_of_equal_columns_a_tree_takes_the_first():
    X, y = np.repeat(np.arange(6.0)[:, None], 3, axis=1), [0, 0, 0, 1, 1, 1]
    for seed in range(10):
        assert DecisionTreeClassifier(random_state=seed).fit(X, y).tree_.feature[0] == 0


@pytest.mark.parametrize("factor", [1e-80, 1e15, 1e80])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_huge_and_tiny_weights_grow_the_same_tree(criterion, factor):
    rng = np.random.default_rng(0)
    X, model = rng.normal(size=(200, 3)), DecisionTreeRegressor(criterion=criterion, max_depth=3)
    y = X[:, 0] + rng.normal(size=200)
    plain = model.fit(X, y).tree_
    scaled = model.fit(X, y, sample_weight=np.full(200, factor)).tree_
    np.testing.assert_array_equal(scaled.threshold, plain.threshold)
    np.testing.assert_allclose(scaled.impurity, plain.impurity)
