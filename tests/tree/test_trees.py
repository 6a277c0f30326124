"""The flat format: joining, cutting, saving, and refusing arrays that do not fit together."""

import io
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor
from tests.tree.convert import from_sklearn, walk

import gramian
from gramian import _core
from gramian._trees.trees import Trees


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(120, 4)), rng.integers(0, 3, 120)


def with_sets(n_words_before=0):
    """A tree with two sets of levels: 70 levels in two words, then 3 levels in one."""
    words = [0] * n_words_before + [0b1010, 1 << 5, 0b101]
    arrays = {
        "node_offsets": np.array([0, 5]),
        "feature": np.array([0, 1, -1, -1, -1], np.int32),
        "threshold": np.array([n_words_before, n_words_before + 2], np.float64),
        "flags": np.array([2, 3], np.uint8),
        "category_words": np.array(words, np.uint64),
        "n_levels": np.array([70, 3], np.int32),
        "is_double": np.zeros(2, np.uint8),
        "leaf_value": np.array([[1.0], [2.0], [3.0]]),
        "leaf_count": np.array([1, 1, 1], np.int32),
    }
    return Trees.from_native(arrays)


def same(a, b):
    return all(np.array_equal(x, b.arrays()[name]) for name, x in a.arrays().items())


def test_trees_of_a_forest_are_views_and_join_to_the_forest(data):
    forest = from_sklearn(RandomForestClassifier(5, random_state=0).fit(*data))
    parts = [forest.tree(i) for i in range(forest.n_trees)]
    assert np.shares_memory(parts[2].threshold, forest.threshold)
    assert np.shares_memory(parts[2].leaf_value, forest.leaf_value)
    assert same(Trees.concatenate(parts), forest)
    chosen = forest.select([3, 0])
    assert same(chosen.tree(0), parts[3]) and same(chosen.tree(1), parts[0])
    assert same(forest.part(1, 3), Trees.concatenate(parts[1:3]))
    assert forest.nbytes == sum(a.nbytes for a in forest.arrays().values())


def test_sets_of_levels_move_with_their_trees():
    forest = Trees.concatenate([with_sets(4), with_sets(), with_sets(1)])
    _core.check_trees(forest)
    rows = np.array([[1.0, 0.0], [69.0, 1.0], [0.0, 2.0], [np.nan, np.nan]])
    expected, _ = walk(with_sets(), rows)
    for trees in (forest, forest.select([2, 1, 0])):
        assert np.array_equal(walk(trees, rows)[0], np.tile(expected, 3))
    assert len(forest.tree(0).category_words) == 3


def test_weights_that_one_part_leaves_out_are_written_out(data):
    X, y = data
    weighted = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y, np.full(120, 0.5))
    plain = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    both = Trees.concatenate([from_sklearn(weighted), from_sklearn(plain)])
    _core.check_trees(both)
    half = len(both.leaf_count) // 2
    assert np.array_equal(both.leaf_weight[:half], both.leaf_count[:half] / 2)
    assert np.array_equal(both.leaf_weight[half:], both.leaf_count[half:])


def test_trees_of_other_columns_are_not_joined(data):
    X, y = data
    one, other = (from_sklearn(DecisionTreeRegressor().fit(Z, y)) for Z in (X, X[:, :2]))
    with pytest.raises(ValueError, match="cannot be joined"):
        Trees.concatenate([one, other])


def test_a_saved_forest_is_the_same(data):
    forest = from_sklearn(RandomForestRegressor(2, random_state=0).fit(*data))
    file = io.BytesIO()
    gramian.save([forest], file)
    assert same(gramian.load(file)[0], forest)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("node_offsets", lambda a: a[:1], "no tree"),
        ("node_offsets", lambda a: a + 1, "begin with 0"),
        ("node_offsets", lambda a: a * np.array([1, 0]), "not ascending"),
        ("node_offsets", lambda a: a * 2, "end with the number"),
        ("feature", lambda a: np.array([0, -1, -1, 0, -1], np.int32), "behind its last leaf"),
        ("feature", lambda a: np.array([0, 0, -1, 0, -1], np.int32), "before its last leaf"),
        ("feature", lambda a: a + 2, "out of range"),
        ("feature", lambda a: a * np.array([1, 1, 2, 1, 1], np.int32), "out of range"),
        ("threshold", lambda a: a[1:], "threshold does not have"),
        ("threshold", lambda a: a + 0.5, "outside category_words"),
        ("threshold", lambda a: a + 2, "outside category_words"),
        ("threshold", lambda a: a - 1, "outside category_words"),
        ("threshold", lambda a: a * np.nan, "NaN"),
        ("flags", lambda a: a | 8, "unknown bits"),
        ("flags", lambda a: a & 1, "with levels"),
        ("flags", lambda a: a[1:], "flags does not have"),
        ("n_levels", lambda a: -a, "negative"),
        ("n_levels", lambda a: a * 0, "without levels"),
        ("is_double", lambda a: a[1:], "differ in length"),
        ("leaf_value", lambda a: a[1:], "one row per leaf"),
        ("leaf_count", lambda a: a[1:], "leaf_count does not"),
        ("leaf_count", lambda a: -a, "negative"),
        ("leaf_weight", lambda a: np.ones(2), "leaf_weight is neither"),
        ("leaf_impurity", lambda a: np.ones(2), "leaf_impurity is neither"),
        ("node_value", lambda a: np.ones((2, 1)), "node_value is neither"),
        ("node_impurity", lambda a: np.ones(2), "node_impurity is neither"),
        ("n_classes", lambda a: np.array([2], np.int32), "add up"),
        ("n_classes", lambda a: np.array([2, -1], np.int32), "below 1"),
    ],
)
def test_corrupt_arrays_are_named(name, change, message):
    trees = with_sets()
    _core.check_trees(trees)
    with pytest.raises(ValueError, match=message):
        _core.check_trees(replace(trees, **{name: change(getattr(trees, name))}))


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("feature", np.zeros(5)),
        ("threshold", np.zeros(2, np.float32)),
        ("leaf_value", np.zeros((3, 1), np.int64)),
        ("leaf_value", np.zeros(3)),
        ("flags", np.zeros(4, np.uint8)[::2]),
    ],
)
def test_arrays_of_other_types_are_refused(name, array):
    with pytest.raises(TypeError, match=name):
        _core.check_trees(replace(with_sets(), **{name: array}))
