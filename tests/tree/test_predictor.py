"""The predictor against scikit-learn's trees and against a plain walk, bit for bit."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.tree.convert import from_sklearn, preorder, walk

from gramian import _core
from gramian._trees.trees import Trees
from gramian.config import core_context

RNG = np.random.default_rng(1)
X = RNG.normal(size=(600, 6)).astype(np.float32)
HOLES = np.where(RNG.random((600, 6)) < 0.1, np.float32(np.nan), X)
LABELS = (X[:, 0] + X[:, 1] ** 2 + RNG.normal(size=600) > 1).astype(int) + (X[:, 2] > 1)
TARGETS = np.column_stack([X[:, 0] * X[:, 1], X[:, 2]]) + RNG.normal(size=(600, 2))


def results(trees, rows, n_threads=1):
    """Everything that a predictor returns."""
    ctx = core_context(n_threads)
    predictor = _core.TreePredictor(trees, ctx=ctx)
    width = trees.leaf_value.shape[1]
    shapes = {"mean": width, "each": width * trees.n_trees, "apply": trees.n_trees}
    if trees.n_classes.size:
        shapes["votes"] = width
    found = {}
    for name, n_cols in shapes.items():
        found[name] = np.empty((len(rows), n_cols), np.int64 if name == "apply" else np.float64)
        getattr(predictor, name)(rows, out=found[name], ctx=ctx)
    return found


def expected(trees, rows):
    """The same from a plain walk."""
    nodes, leaves = walk(trees, rows)
    value = trees.leaf_value.astype(float)
    first, votes = 0, np.zeros((len(rows), value.shape[1]))
    for n in trees.n_classes:
        part = value[:, first : first + n]
        value[:, first : first + n] = part / part.sum(axis=1, keepdims=True)
        for column in leaves.T:
            votes[np.arange(len(rows)), first + part[column].argmax(axis=1)] += 1
        first += n
    each = value[leaves]
    mean = np.zeros_like(each[:, 0])
    for t in range(trees.n_trees):
        mean += each[:, t]
    found = {"mean": mean / trees.n_trees, "each": each.reshape(len(rows), -1), "apply": nodes}
    return {**found, "votes": votes} if trees.n_classes.size else found


def narrowed(rows):
    with np.errstate(over="ignore"):
        return rows.astype(np.float32)


def assert_same(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        assert np.array_equal(array, theirs[name]), name


def forests():
    """Forests of all kinds that scikit-learn fits: deep, shallow, with missing values, ..."""
    y, Y = TARGETS[:, 0], TARGETS
    pairs = np.column_stack([LABELS, LABELS > 0])
    weight = RNG.uniform(0.5, 2.0, 600)
    return {
        "deep": RandomForestClassifier(9, random_state=0).fit(X, LABELS),
        "shallow": RandomForestClassifier(9, max_depth=3, random_state=0).fit(X, LABELS),
        "two outputs": RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, pairs),
        "two deep outputs": RandomForestClassifier(5, random_state=0).fit(X, pairs),
        "regression": RandomForestRegressor(9, random_state=0).fit(X, y),
        "small": RandomForestRegressor(40, max_leaf_nodes=31, random_state=0).fit(X, y),
        "targets": RandomForestRegressor(5, max_depth=6, random_state=0).fit(X, Y),
        "random": ExtraTreesRegressor(5, random_state=0).fit(X, y),
        "holes": RandomForestClassifier(9, random_state=0).fit(HOLES, LABELS),
        "small holes": RandomForestRegressor(40, max_depth=4, random_state=0).fit(HOLES, y),
        "best first": DecisionTreeRegressor(max_leaf_nodes=40, random_state=0).fit(X, y),
        "weighted": DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, LABELS, weight),
        "leaf": DecisionTreeRegressor().fit(X, np.ones(600)),
    }


FORESTS = forests()


@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scikit_learns_numbers(name, dtype):
    model = FORESTS[name]
    rows = (HOLES if "holes" in name else X).astype(dtype)
    ours = results(from_sklearn(model), rows)
    members = getattr(model, "estimators_", [model])
    nodes = [np.argsort(preorder(m.tree_))[m.apply(rows)] for m in members]
    assert np.array_equal(ours["apply"], np.column_stack(nodes))
    method = getattr(model, "predict_proba", model.predict)
    theirs = method(rows)
    theirs = np.hstack(theirs) if isinstance(theirs, list) else theirs.reshape(600, -1)
    assert np.abs(ours["mean"] - theirs).max() <= 1e-15 * max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("name", FORESTS)
def test_a_plain_walk_finds_the_same(name):
    rows = HOLES[:90]
    trees = from_sklearn(FORESTS[name])
    theirs = expected(trees, rows)
    assert_same(results(trees, rows), theirs)
    assert_same(results(trees, rows.astype(np.float64), 2), theirs)


@pytest.mark.parametrize("name", ["deep", "small", "holes"])
def test_rows_next_to_thresholds(name):
    """Doubles one step beside a threshold, and those that round to a float on either side."""
    trees = from_sklearn(FORESTS[name])
    column = trees.feature[trees.feature >= 0]
    t = trees.threshold[:60]
    near = np.float64(np.float32(t))
    steps = [t, np.nextafter(t, -np.inf), np.nextafter(t, np.inf), near]
    for side in (-np.inf, np.inf):
        beside = np.float64(np.nextafter(np.float32(t), np.float32(side)))
        middle = (near + beside) / 2
        steps += [beside, middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)]
    values = np.concatenate(steps)
    rows = np.float64(X[np.arange(len(values)) % 600])
    rows[np.arange(len(values)), np.tile(column[:60], len(steps))] = values
    assert_same(results(trees, rows), expected(trees, rows))
    narrow = narrowed(rows)
    assert_same(results(trees, narrow), expected(trees, narrow))


def test_zeros_and_infinities_and_numbers_beyond_floats():
    trees = from_sklearn(DecisionTreeRegressor(max_depth=1).fit(X, TARGETS[:, 0]))
    huge = float(np.finfo(np.float32).max)
    edges = [0.0, -0.0, np.inf, -np.inf, huge, -huge, 1e300, -1e300, 5e-324, -5e-324, 1e-45]
    rows = np.zeros((len(edges), 6))
    rows[:] = np.array(edges)[:, None]
    for threshold in edges:
        split = replace(trees, threshold=np.array([threshold]))
        assert_same(results(split, rows), expected(split, rows))


def random_trees(rng, n_trees=6, n_splits=12, n_levels=(0, 5, 70, 0, 0)):
    """Trees with numeric splits, sets of levels and columns compared in double."""
    n_levels = np.array(n_levels, np.int32)
    parts = []
    for _ in range(n_trees):
        feature = [-1]
        for _ in range(n_splits):
            leaf = rng.choice([i for i, f in enumerate(feature) if f < 0])
            feature[leaf : leaf + 1] = [rng.integers(len(n_levels)), -1, -1]
        feature = np.array(feature, np.int32)
        column = feature[feature >= 0]
        is_set = n_levels[column] > 0
        n_words = np.where(is_set, (n_levels[column] + 63) // 64, 0)
        starts = np.cumsum(n_words) - n_words
        numbers = 1e9 + rng.integers(-3, 4, n_splits) * 1e-3
        numbers = np.where(column == 3, rng.integers(-3, 4, n_splits) / 2, numbers)
        arrays = {
            "node_offsets": np.array([0, len(feature)]),
            "feature": feature,
            "threshold": np.where(is_set, starts, numbers).astype(float),
            "flags": (rng.integers(0, 2, n_splits) + 2 * is_set).astype(np.uint8),
            "category_words": rng.integers(0, 2**63, n_words.sum(), dtype=np.uint64) * 2 + 1,
            "n_levels": n_levels,
            "is_double": np.array([1, 0, 0, 0, 1], np.uint8),
            "leaf_value": rng.normal(size=(n_splits + 1, 2)),
            "leaf_count": np.ones(n_splits + 1, np.int32),
        }
        parts.append(Trees.from_native(arrays))
    return Trees.concatenate(parts)


def random_rows(rng, n):
    rows = np.column_stack(
        [
            1e9 + rng.integers(-4, 5, n) * 1e-3,
            rng.choice([-1.0, 0.0, 1.0, 4.0, 5.0, 2.5, np.nan, np.inf, 1e300], n),
            rng.integers(-2, 72, n),
            rng.integers(-4, 5, n) / 2,
            1e9 + rng.integers(-4, 5, n) * 1e-3,
        ]
    )
    return np.where(rng.random(rows.shape) < 0.1, np.nan, rows)


@pytest.mark.parametrize("n_levels", [(0, 5, 70, 0, 0), (0, 0, 0, 0, 0)])
@pytest.mark.parametrize("n_splits", [1, 12, 300])
def test_sets_of_levels_and_double_columns(n_splits, n_levels):
    rng = np.random.default_rng(n_splits)
    trees = random_trees(rng, n_splits=n_splits, n_levels=n_levels)
    rows = random_rows(rng, 150)
    assert_same(results(trees, rows), expected(trees, rows))
    narrow = narrowed(rows)
    assert_same(results(trees, narrow), expected(trees, narrow))


def layouts(rows):
    spread = np.zeros((2 * len(rows), 3 * rows.shape[1]), rows.dtype)
    spread[::2, 1::3] = rows
    frozen = rows.copy()
    frozen.flags.writeable = False
    backwards = np.ascontiguousarray(rows[::-1, ::-1])[::-1, ::-1]
    return [np.asfortranarray(rows), spread[::2, 1::3], frozen, backwards]


@pytest.mark.parametrize("name", ["deep", "small", "small holes", "leaf"])
@pytest.mark.parametrize("n", [0, 1, 2, 8, 9, 63, 64, 65, 600])
def test_layouts_blocks_and_threads_do_not_matter(name, n):
    trees = from_sklearn(FORESTS[name])
    whole = results(trees, HOLES)
    rows = HOLES[:n]
    for layout in [rows, *layouts(rows)]:
        found = results(trees, layout)
        assert_same(found, {k: v[:n] for k, v in whole.items()})


@pytest.mark.parametrize("name", ["deep", "small", "small holes"])
def test_the_number_of_threads_does_not_matter(name):
    trees = from_sklearn(FORESTS[name])
    rows = np.tile(HOLES, (40, 1))
    assert_same(results(trees, rows, 1), results(trees, rows, 2))


def test_many_rows_in_many_large_trees():
    """Rows then pass in an order of their own; what they get does not depend on it."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(5000, 4))
    model = RandomForestRegressor(10, random_state=0).fit(rows, rng.normal(size=5000))
    trees = from_sklearn(model)
    assert len(trees.leaf_count) > 1024 * trees.n_trees
    ours = results(trees, rows)
    assert np.abs(ours["mean"][:, 0] - model.predict(rows)).max() < 1e-15
    assert np.array_equal(ours["apply"], model.apply(rows))
    for other in (results(trees, rows, 2), results(trees, np.asfortranarray(rows))):
        assert_same(other, ours)
    for part in (slice(0, 4000), slice(4000, 5000)):
        assert_same(results(trees, rows[part]), {k: v[part] for k, v in ours.items()})


def test_results_go_into_arrays_of_any_layout():
    trees = from_sklearn(FORESTS["shallow"])
    whole = results(trees, X)
    predictor = _core.TreePredictor(trees, ctx=core_context())
    for name, array in whole.items():
        out = np.asfortranarray(np.full_like(array, 7))
        getattr(predictor, name)(X, out=out, ctx=core_context())
        assert np.array_equal(out, array)


def test_columns_that_no_split_uses_are_not_read():
    wide = np.full((600, 40), np.nan, np.float32)
    wide[:, [7, 30]] = X[:, :2]
    model = DecisionTreeClassifier(max_depth=6).fit(np.nan_to_num(wide), LABELS)
    trees = from_sklearn(model)
    assert set(trees.feature) == {-1, 7, 30}
    assert_same(results(trees, wide), expected(trees, wide))


def test_trees_too_large_for_packed_nodes():
    n = 40_000  # each split has a column of its own: 16 bits for it and 17 for its children
    feature = np.full(2 * n + 1, -1, np.int32)
    feature[0 : 2 * n : 2] = np.arange(n)  # a chain: each left child is a leaf
    arrays = {
        "node_offsets": np.array([0, 2 * n + 1]),
        "feature": feature,
        "threshold": np.zeros(n),
        "flags": np.zeros(n, np.uint8),
        "n_levels": np.zeros(n, np.int32),
        "is_double": np.zeros(n, np.uint8),
        "leaf_value": np.arange(n + 1.0)[:, None],
        "leaf_count": np.ones(n + 1, np.int32),
    }
    rows = np.ones((12, n), np.float32)
    stop = np.append(RNG.integers(0, n, 11), n)
    rows[np.arange(11), stop[:11]] = -1.0
    trees = Trees.from_native(arrays)
    assert np.array_equal(results(trees, rows)["mean"][:, 0], stop)
    assert np.array_equal(results(trees, rows[:3])["mean"][:, 0], stop[:3])


@pytest.mark.parametrize("name", ["deep", "best first", "leaf"])
def test_decision_paths_are_scikit_learns(name):
    model = FORESTS[name]
    trees, rows = from_sklearn(model), X[:50]
    leaves, ctx = results(trees, rows)["apply"], core_context()
    indptr = np.empty(len(rows) + 1, np.int64)
    _core.tree_path_offsets(trees, leaves, indptr=indptr)
    indices = np.empty(indptr[-1], np.int64)
    _core.tree_path_nodes(trees, leaves, indptr=indptr, indices=indices, ctx=ctx)
    theirs = model.decision_path(rows)
    theirs = theirs[0] if isinstance(theirs, tuple) else theirs
    assert np.array_equal(indptr, theirs.indptr)
    members = getattr(model, "estimators_", [model])
    order = np.concatenate(
        [first + preorder(m.tree_) for m, first in zip(members, trees.node_offsets, strict=False)]
    )
    for i in range(len(rows)):
        span = slice(indptr[i], indptr[i + 1])
        assert np.all(np.diff(indices[span]) > 0)
        assert set(order[indices[span]]) == set(theirs.indices[span])
    leaves[0, 0] = len(trees.feature)
    with pytest.raises(ValueError, match="not a leaf"):
        _core.tree_path_offsets(trees, leaves, indptr=indptr)


@pytest.mark.parametrize("name", ["regression", "small", "targets", "ordered"])
@pytest.mark.parametrize("n_groups", [1, 3])
def test_sums_of_trees_that_take_turns(name, n_groups):
    """The bias, then one tree after another: the same bits for any thread count and row number."""
    trees = from_sklearn(FORESTS["regression"])
    rows = HOLES
    if name == "ordered":  # enough rows, trees and leaves for rows in an order of their own
        rng = np.random.default_rng(0)
        parts = [random_trees(rng, n_trees=1, n_splits=1100) for _ in range(12)]
        trees, rows = Trees.concatenate(parts), random_rows(rng, 4500)[:, : len(parts[0].n_levels)]
    elif name != "regression":
        trees = from_sklearn(FORESTS[name])
    width = trees.leaf_value.shape[1]
    bias = np.linspace(0.1, 0.7, n_groups * width)
    theirs = np.tile(bias, (len(rows), 1))
    each = results(trees, rows)["each"].reshape(len(rows), trees.n_trees, width)
    for t in range(trees.n_trees):
        group = t % n_groups
        theirs[:, group * width : (group + 1) * width] += each[:, t]
    predictor = _core.TreePredictor(trees, ctx=core_context())
    for n_rows, n_threads in [(len(rows), 1), (len(rows), 2), (5, 1)]:
        ours = np.empty((n_rows, n_groups * width))
        predictor.sums(rows[:n_rows], bias=bias, out=ours, ctx=core_context(n_threads))
        assert np.array_equal(ours, theirs[:n_rows])


def deep_trees(n_levels, n_splits=600):
    """Trees deep enough for ranks, in two columns of which floats would be too coarse."""
    return random_trees(np.random.default_rng(9), n_trees=4, n_splits=n_splits, n_levels=n_levels)


@pytest.mark.parametrize("n_levels", [(0, 5, 70, 0, 0), (0, 0, 0, 0, 0)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_forests_that_are_asked_often(n_levels, dtype):
    """They change to ranks on the way; sets of levels never do."""
    trees, rows = deep_trees(n_levels), random_rows(np.random.default_rng(3), 700)
    rows = narrowed(rows) if dtype == np.float32 else rows
    theirs = expected(trees, rows)
    predictor = _core.TreePredictor(trees, ctx=core_context())
    for _ in range(9):
        for n_threads in (1, 2):
            ctx = core_context(n_threads)
            for name, array in theirs.items():
                ours = np.empty_like(array)
                getattr(predictor, name)(rows, out=ours, ctx=ctx)
                assert np.array_equal(ours, array), name


@pytest.mark.parametrize("kind", ["classes", "weights", "outputs", "numbers"])
def test_deep_forests_that_are_asked_often(kind):
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(3000, 5)).astype(np.float32)
    labels = rng.integers(0, 3, 3000)
    if kind == "numbers":
        model = RandomForestRegressor(5, random_state=0).fit(rows, rng.normal(size=(3000, 2)))
    else:
        target = np.column_stack([labels, labels[::-1] > 0]) if kind == "outputs" else labels
        leaf = 2 if kind == "weights" else 1  # leaves of several classes
        model = RandomForestClassifier(5, min_samples_leaf=leaf, random_state=0)
        model.fit(rows, target, rng.uniform(0.5, 2.0, 3000) if kind == "weights" else None)
    trees = from_sklearn(model)
    assert len(trees.leaf_count) > 512 * trees.n_trees
    holes = np.where(rng.random(rows.shape) < 0.1, np.float32(np.nan), rows)
    predictor = _core.TreePredictor(trees, ctx=core_context())
    for asked in (rows, holes):
        first = results(trees, asked)
        for _ in range(5):
            for name, array in first.items():
                ours = np.empty_like(array)
                getattr(predictor, name)(asked, out=ours, ctx=core_context(2))
                assert np.array_equal(ours, array), name


@pytest.mark.parametrize("odd", [None, (1.0, 2.0), (1e300, 1e-300), (3.0, 1e-320), (1e-40, 0.0)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_leaves_of_one_class_but_for_one(odd, dtype):
    trees = from_sklearn(FORESTS["deep"])
    rng = np.random.default_rng(8)
    value = np.zeros(trees.leaf_value.shape, dtype)
    value[np.arange(len(value)), rng.integers(0, 3, len(value))] = rng.uniform(1, 9, len(value))
    if odd is not None:
        value[len(value) // 2] = 0
        value[len(value) // 2, 1:] = np.minimum(np.array(odd), np.finfo(dtype).max)
    trees = replace(trees, leaf_value=value)
    assert_same(results(trees, X), expected(trees, X))


def test_wrong_arguments_are_refused():
    trees = from_sklearn(FORESTS["regression"])
    ctx = core_context()
    predictor = _core.TreePredictor(trees, ctx=ctx)
    with pytest.raises(ValueError, match="number of columns"):
        predictor.mean(X[:, :5], out=np.empty((600, 1)), ctx=ctx)
    with pytest.raises(ValueError, match="shape of the result"):
        predictor.mean(X, out=np.empty((600, 2)), ctx=ctx)
    with pytest.raises(ValueError, match="shape of the result"):
        predictor.apply(X, out=np.empty((599, 9), np.int64), ctx=ctx)
    with pytest.raises(ValueError, match="do not vote"):
        predictor.votes(X, out=np.empty((600, 1)), ctx=ctx)
    with pytest.raises(ValueError, match="bias"):
        predictor.sums(X, bias=np.zeros(2), out=np.empty((600, 3)), ctx=ctx)
    with pytest.raises(ValueError, match="shape of the result"):
        predictor.sums(X, bias=np.zeros(0), out=np.empty((600, 0)), ctx=ctx)
    with pytest.raises(ValueError, match="not added up"):
        classes = _core.TreePredictor(from_sklearn(FORESTS["deep"]), ctx=ctx)
        classes.sums(X, bias=np.zeros(3), out=np.empty((600, 3)), ctx=ctx)
    with pytest.raises(TypeError):
        predictor.mean(X.astype(np.int64), out=np.empty((600, 1)), ctx=ctx)
    with pytest.raises(ValueError, match="corrupt"):
        _core.TreePredictor(replace(trees, feature=trees.feature + 1), ctx=ctx)


def test_damaged_arrays_never_crash():
    rng = np.random.default_rng(5)
    n_accepted = 0
    for trial in range(300):
        trees = random_trees(np.random.default_rng(trial % 7), n_trees=3, n_splits=5)
        name = rng.choice([k for k, v in trees.arrays().items() if v.size])
        raw = bytearray(getattr(trees, name).tobytes())
        for _ in range(rng.integers(1, 3)):
            raw[rng.integers(len(raw))] = rng.integers(256)
        array = np.frombuffer(bytes(raw), getattr(trees, name).dtype)
        damaged = replace(trees, **{name: array.reshape(getattr(trees, name).shape)})
        try:
            found = results(damaged, random_rows(rng, 20)[:, : len(trees.n_levels)])
        except ValueError as error:
            assert "corrupt" in str(error)
            continue
        n_accepted += 1
        assert np.all(found["apply"] >= 0)
    assert n_accepted > 50


SCRIPT = """
import hashlib
from tests.tree.test_predictor import FORESTS, HOLES, from_sklearn, np, random_rows, random_trees
from tests.tree.test_predictor import results
from tests.tree.test_predictor import _core, core_context, deep_trees
digest = hashlib.sha256()
forests = [from_sklearn(model) for model in FORESTS.values()]
for trees, rows in [(f, HOLES) for f in forests] + [
    (random_trees(np.random.default_rng(0)), random_rows(np.random.default_rng(1), 100))
]:
    for array in results(trees, rows).values():
        digest.update(array.tobytes())
predictor = _core.TreePredictor(deep_trees((0, 0, 0, 0, 0)), ctx=core_context())
rows, out = random_rows(np.random.default_rng(3), 700), np.empty((700, 4), np.int64)
for _ in range(9):
    predictor.apply(rows, out=out, ctx=core_context())
    digest.update(out.tobytes())
print(digest.hexdigest())
"""


def test_every_instruction_set_gives_the_same_bits():
    def digest(level):
        environment = {**os.environ, "GRAMIAN_ISA": level}
        run = [sys.executable, "-W", "ignore", "-c", SCRIPT]
        return subprocess.run(run, env=environment, check=True, capture_output=True).stdout

    levels = ["v2", "v3", "v4"][: ["v2", "v3", "v4"].index(_core.cpu_level()) + 1]
    assert len({digest(level) for level in levels}) == 1
