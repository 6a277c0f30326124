"""Nearest rows and rows within a radius: as of float64 over all pairs, and as scikit-learn's."""

import tracemalloc

import numpy as np
import pytest
import sklearn.neighbors
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import gramian
from gramian.neighbors import (
    KNeighborsTransformer,
    NearestNeighbors,
    RadiusNeighborsTransformer,
    kneighbors_graph,
    radius_neighbors_graph,
    sort_graph_by_row_values,
)

RNG = np.random.default_rng(0)
METRICS = [
    ("euclidean", {}),
    ("l2", {}),
    ("sqeuclidean", {}),
    ("manhattan", {}),
    ("chebyshev", {}),
    ("minkowski", {"p": 3}),
    ("cosine", {}),
    ("correlation", {}),
    ("hamming", {}),
    ("canberra", {}),
    ("braycurtis", {}),
    ("jaccard", {}),
    ("yule", {}),
    ("nan_euclidean", {}),
    ("seuclidean", {"metric_params": {"V": np.array([1.0, 2.0, 0.5, 1.5])}}),
    ("mahalanobis", {"metric_params": {"VI": np.diag([1.0, 2.0, 0.5, 1.5])}}),
    (lambda x, y: float(np.abs(x - y).sum()), {}),
]


def brute_force(X, Y, k):
    """Return the k nearest by a loop over the definition, ties by number."""
    square = ((X[:, None, :].astype(np.float64) - Y[None].astype(np.float64)) ** 2).sum(axis=2)
    index = np.argsort(square, axis=1, kind="stable")[:, :k]
    return np.sqrt(np.take_along_axis(square, index, axis=1)), index


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n_features", [1, 3, 30])
def test_neighbours_are_those_of_float64(dtype, order, n_features):
    Y = np.asarray(RNG.normal(size=(400, n_features)), dtype=dtype, order=order)
    X = np.asarray(RNG.normal(size=(50, n_features)), dtype=dtype, order=order)
    distance, index = NearestNeighbors(n_neighbors=7).fit(Y).kneighbors(X)
    expected = brute_force(X, Y, 7)
    assert_array_equal(index, expected[1])
    assert_allclose(distance, expected[0], rtol=1e-14)


def test_points_far_from_the_origin_keep_their_neighbours():
    """Near (4208848, 2334863.5, 4171170.2) float32 knows steps of 0.25 to 0.5 (faiss#3245)."""
    origin = np.array([4208848.0, 2334863.5, 4171170.2])
    Y = origin + 1e-3 * RNG.normal(size=(500, 3))
    X = origin + 1e-3 * RNG.normal(size=(20, 3))
    assert_array_equal(NearestNeighbors().fit(Y).kneighbors(X)[1], brute_force(X, Y, 5)[1])


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
def test_equally_near_rows_come_in_their_order(algorithm):
    Y = RNG.integers(0, 3, size=(300, 3)).astype(np.float64)
    search = NearestNeighbors(n_neighbors=20, radius=1.0, algorithm=algorithm).fit(Y)
    expected = brute_force(Y, Y, 20)
    assert_array_equal(search.kneighbors(Y)[1], expected[1])
    near = search.radius_neighbors(Y[:5], return_distance=False)
    for row, found in zip(Y, near, strict=False):
        assert_array_equal(found, np.flatnonzero(((Y - row) ** 2).sum(axis=1) <= 1.0))


@pytest.mark.parametrize(("metric", "params"), METRICS, ids=lambda v: str(v)[:20])
def test_as_scikit_learn_by_any_metric(metric, params):
    Y, X = RNG.random((90, 4)) + 0.1, RNG.random((30, 4)) + 0.1
    if metric in ("jaccard", "yule"):
        Y, X = Y > 0.6, X > 0.6
    ours = NearestNeighbors(metric=metric, **params).fit(Y)
    algorithm = "auto" if metric == "minkowski" else "brute"
    theirs = sklearn.neighbors.NearestNeighbors(metric=metric, algorithm=algorithm, **params).fit(Y)
    assert_allclose(ours.kneighbors(X)[0], theirs.kneighbors(X)[0], atol=1e-7)
    assert_allclose(ours.kneighbors()[0], theirs.kneighbors()[0], atol=1e-7)
    radius = float(np.median(ours.kneighbors(X)[0])) + 1e-9
    found, expected = (model.radius_neighbors(X, radius) for model in (ours, theirs))
    for mine, yours in zip(found[1], expected[1], strict=True):
        assert_array_equal(mine, np.sort(yours))


def test_no_row_is_its_own_neighbour_among_the_training_rows():
    Y = np.repeat(RNG.normal(size=(30, 2)), 3, axis=0)
    index = NearestNeighbors(n_neighbors=2).fit(Y).kneighbors(return_distance=False)
    own = np.arange(90)
    assert_array_equal(np.sort(index, axis=1) // 3, np.repeat(own // 3, 2).reshape(-1, 2))
    assert not (index == own[:, None]).any()
    near = NearestNeighbors(radius=0.0).fit(Y).radius_neighbors(return_distance=False)
    assert [len(found) for found in near] == [2] * 90


def drawn_sparse(rng, n, p, density, scale):
    """Return sparse rows of whole numbers, so that ties are exact, with columns in any order."""
    X = rng.integers(-3, 4, (n, p)) * (rng.random((n, p)) < density) * scale
    rows = sparse.csr_array(X.astype(rng.choice(["float32", "float64"])))
    if rng.random() < 0.5:  # entries of a row the other way round
        for begin, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
            rows.indices[begin:end] = rows.indices[begin:end][::-1].copy()
            rows.data[begin:end] = rows.data[begin:end][::-1].copy()
        rows.has_sorted_indices = False
    if rng.random() < 0.5:
        rows.indices, rows.indptr = rows.indices.astype("int64"), rows.indptr.astype("int64")
    return X.astype(np.float64), rows


@pytest.mark.parametrize("seed", range(12))
def test_sparse_neighbours_are_those_of_float64(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.choice([3, 30, 100, 500]))
    density, scale = rng.choice([0.005, 0.05, 0.3]), rng.choice([1, 1000])
    Y, rows = drawn_sparse(rng, int(rng.integers(10, 400)), p, density, scale)
    X, queries = drawn_sparse(rng, int(rng.integers(1, 40)), p, density, scale)
    given = rows.copy()
    k = int(rng.integers(1, 10))
    model = NearestNeighbors(n_neighbors=k).fit(rows)
    apart, order = brute_force(X, Y, len(Y))
    for asked in (queries, X):
        distance, index = model.kneighbors(asked)
        assert_array_equal(index, order[:, :k])
        assert_allclose(distance, apart[:, :k], rtol=1e-14)
    radius = float(np.median(apart[:, :k]))
    found = model.radius_neighbors(queries, radius)
    for near, distance, row in zip(found[1], found[0], apart, strict=True):
        assert len(near) == (row <= radius).sum() and (np.diff(near) > 0).all()
        assert_allclose(np.sort(distance), row[: len(near)], rtol=1e-14)
    own = model.kneighbors(return_distance=False)
    assert not (own == np.arange(len(Y))[:, None]).any()
    assert_array_equal(rows.indices, given.indices)  # what is given stays as it is


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array])
def test_sparse_rows(container):
    Y = RNG.normal(size=(80, 6)) * (RNG.random((80, 6)) < 0.4) + 0.0
    ours = NearestNeighbors(radius=1.0).fit(container(Y))
    dense = NearestNeighbors(radius=1.0).fit(Y)
    assert_array_equal(ours.kneighbors(container(Y))[1], dense.kneighbors(Y)[1])
    assert_allclose(ours.kneighbors(container(Y))[0], dense.kneighbors(Y)[0], rtol=1e-14)
    for found, expected in zip(
        ours.radius_neighbors(container(Y))[1], dense.radius_neighbors(Y)[1], strict=True
    ):
        assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="not valid for sparse input"):
        NearestNeighbors(metric="chebyshev").fit(container(Y))


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("include_self", [True, False, "auto"])
def test_graphs(mode, include_self):
    X = RNG.normal(size=(40, 3))
    options = {"mode": mode, "include_self": include_self}
    for name, value in [("kneighbors_graph", 4), ("radius_neighbors_graph", 1.2)]:
        ours = {"kneighbors_graph": kneighbors_graph}.get(name, radius_neighbors_graph)
        theirs = getattr(sklearn.neighbors, name)
        found, expected = ours(X, value, **options), theirs(X, value, **options)
        assert_allclose(found.toarray(), expected.toarray(), atol=1e-7)


def test_transformers_hand_graphs_to_other_models():
    X = RNG.normal(size=(60, 3))
    graph = KNeighborsTransformer(n_neighbors=10).fit_transform(X)
    expected = sklearn.neighbors.KNeighborsTransformer(n_neighbors=10).fit_transform(X)
    assert_allclose(graph.toarray(), expected.toarray(), atol=1e-7)
    found = NearestNeighbors(n_neighbors=5, metric="precomputed").fit(graph).kneighbors(graph)
    assert_array_equal(found[1], NearestNeighbors().fit(X).kneighbors(X)[1])
    near = RadiusNeighborsTransformer(radius=2.0).fit_transform(X)
    search = NearestNeighbors(radius=1.0, metric="precomputed").fit(near)
    for mine, yours in zip(
        search.radius_neighbors(near)[1],
        NearestNeighbors(radius=1.0).fit(X).radius_neighbors(X, sort_results=True)[1],
        strict=True,
    ):
        assert_array_equal(mine, yours)
    with pytest.raises(ValueError, match=r"12 neighbors per samples are required, but .* only 11"):
        search.set_params(n_neighbors=12).fit(graph).kneighbors(graph)


def test_given_distances():
    X = RNG.normal(size=(30, 3))
    D = gramian.metrics.pairwise.euclidean_distances(X)
    model = NearestNeighbors(metric="precomputed").fit(D)
    assert_array_equal(model.kneighbors()[1], NearestNeighbors().fit(X).kneighbors()[1])
    with pytest.raises(ValueError, match="must be square"):
        NearestNeighbors(metric="precomputed").fit(D[:10])
    with pytest.raises(ValueError, match="Negative values"):
        NearestNeighbors(metric="precomputed").fit(D - 1.0)
    unsorted = sparse.csr_matrix(D)
    with pytest.warns(match="not sorted by row values"):
        again = sort_graph_by_row_values(unsorted, copy=True)
    assert (np.diff(again.data.reshape(30, 29), axis=1) >= 0).all()


def test_bad_input_is_named():
    model = NearestNeighbors(n_neighbors=5).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="n_neighbors = 5, n_samples_fit = 2"):
        model.kneighbors([[0.0]])
    with pytest.raises(ValueError, match="n_neighbors < n_samples_fit, but n_neighbors = 2"):
        model.kneighbors(n_neighbors=2)
    with pytest.raises(ValueError, match=r"n_neighbors > 0\. Got -1"):
        model.kneighbors([[0.0]], n_neighbors=-1)
    with pytest.raises(ValueError, match="NaN"):
        model.kneighbors([[np.nan]], n_neighbors=1)
    with pytest.raises(ValueError, match="kd_tree does not support callable"):
        NearestNeighbors(algorithm="kd_tree", metric=lambda x, y: 0.0).fit([[0.0]])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_memory_is_not_that_of_all_distances(metric):
    """20,000 x 5,000 distances would be 800 MB; a block of them is 64."""
    Y, X = RNG.normal(size=(20_000, 8)), RNG.normal(size=(5_000, 8))
    model = NearestNeighbors(metric=metric).fit(Y)
    tracemalloc.start()
    model.kneighbors(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (1e6 if metric == "euclidean" else 2e8)


def test_the_same_bits_for_any_number_of_threads():
    Y, X = RNG.normal(size=(5_000, 20)), RNG.normal(size=(2_000, 20))
    answers = []
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            answers.append(NearestNeighbors().fit(Y).kneighbors(X))
    for distance, index in answers[1:]:
        assert_array_equal(distance, answers[0][0])
        assert_array_equal(index, answers[0][1])


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, np.inf])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_tree_answers_as_all_pairs(p, dtype):
    """Also for ties, rows outside of all boxes and equal rows."""
    Y = np.vstack([RNG.normal(size=(700, 3)), RNG.integers(0, 2, (200, 3))]).astype(dtype)
    X = np.vstack([RNG.normal(size=(30, 3)), 50.0 * RNG.normal(size=(5, 3)), Y[:5]]).astype(dtype)
    tree = NearestNeighbors(algorithm="kd_tree", p=p).fit(Y)
    pairs = NearestNeighbors(algorithm="brute", p=p).fit(Y)
    assert tree._tree is not None and pairs._tree is None
    for query, k in [(X, 5), (X, 60), (None, 7)]:
        found, expected = (model.kneighbors(query, k) for model in (tree, pairs))
        if p == 2:
            assert_array_equal(found[1], expected[1])
        assert_allclose(found[0], expected[0], rtol=1e-6 if dtype == np.float32 else 1e-14)
    if p in (1.5, 3) or dtype == np.float32:
        return
    for options in ({}, {"sort_results": True}):
        found, expected = (m.radius_neighbors(X, 1.0, **options) for m in (tree, pairs))
        for mine, yours in zip(found[1], expected[1], strict=True):
            assert_array_equal(mine, yours)


def test_the_tree_is_chosen_by_shape():
    for n, columns, chosen in [
        (2000, 3, True),
        (100, 3, False),
        (2000, 20, False),
        (600, 900, False),
    ]:
        search = NearestNeighbors().fit(RNG.normal(size=(n, columns)))
        assert (search._tree is not None) is chosen
    assert NearestNeighbors(p=1).fit(RNG.normal(size=(100, 20)))._tree is not None


def test_a_damaged_tree_is_refused():
    search = NearestNeighbors(algorithm="kd_tree").fit(RNG.normal(size=(500, 2)))
    order = search._tree[0].copy()
    order[3] = 7000
    search._tree = (order, *search._tree[1:])
    with pytest.raises(ValueError, match="corrupt"):
        search.kneighbors([[0.0, 0.0]])
    search._tree = (order[:10], *search._tree[1:])
    with pytest.raises(ValueError, match="not those of a tree"):
        search.kneighbors([[0.0, 0.0]])
