"""Isomap: paths against SciPy's, points against scikit-learn's, closed forms, parts of graphs."""

import numpy as np
import pytest
import sklearn.manifold
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from gramian import _core
from gramian.config import core_context
from gramian.datasets import load_digits, make_s_curve
from gramian.manifold import Isomap
from gramian.neighbors import kneighbors_graph
from gramian.persistence import load, save


def _rows(n=400, p=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def _all_paths(graph, n_jobs=None):
    n = graph.shape[0]
    found = np.empty((n, n))
    arrays = graph.data, graph.indices.astype(np.int64), graph.indptr.astype(np.int64)
    _core.shortest_paths(*arrays, np.arange(n), out=found, ctx=core_context(n_jobs))
    return found


@pytest.mark.parametrize("k", [1, 3, 10])
def test_paths_are_those_of_scipy(k):
    graph = kneighbors_graph(_rows(500), k, mode="distance").tocsr()
    expected = shortest_path(graph, method="D", directed=False)
    np.testing.assert_array_equal(_all_paths(graph), expected)
    np.testing.assert_array_equal(_all_paths(graph, 1), _all_paths(graph, 2))


def test_paths_of_rows_that_are_alike():
    X = np.repeat(np.arange(6.0), 4)[:, None]
    model = Isomap(n_neighbors=5, n_components=1).fit(X)
    np.testing.assert_array_equal(model.dist_matrix_, np.abs(X - X.T))
    spread = model.embedding_[:, 0] - model.embedding_[0, 0]
    np.testing.assert_allclose(np.abs(spread), X[:, 0], atol=1e-12)


def test_points_of_a_plane_are_kept():
    X = np.stack(np.meshgrid(np.arange(5.0), np.arange(4.0)), axis=-1).reshape(-1, 2)
    model = Isomap(n_neighbors=None, radius=np.inf).fit(X)
    apart = np.linalg.norm(X[:, None] - X, axis=2)
    found = np.linalg.norm(model.embedding_[:, None] - model.embedding_, axis=2)
    np.testing.assert_allclose(found, apart, atol=1e-12)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(
        model.eigenvalues_, np.linalg.eigvalsh(centred.T @ centred)[::-1], rtol=1e-12
    )
    assert model.reconstruction_error() < 1e-5
    assert model.certificate_.details["captured"] == pytest.approx(1.0)


@pytest.mark.parametrize("solver", ["auto", "arpack", "dense"])
@pytest.mark.parametrize(
    "params",
    [{"n_neighbors": 8}, {"n_neighbors": None, "radius": 1.4}, {"n_neighbors": 9, "p": 1}],
)
def test_points_are_those_of_scikit_learn(params, solver):
    X = make_s_curve(350, random_state=0)[0]
    ours = Isomap(n_components=3, eigen_solver=solver, **params).fit(X[:330])
    theirs = sklearn.manifold.Isomap(n_components=3, **params).fit(X[:330])
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-12)
    signs = np.sign((ours.embedding_ * theirs.embedding_).sum(axis=0))
    np.testing.assert_allclose(ours.embedding_ * signs, theirs.embedding_, atol=1e-7)
    np.testing.assert_allclose(
        ours.transform(X[330:]) * signs, theirs.transform(X[330:]), atol=1e-7
    )
    assert ours.reconstruction_error() == pytest.approx(theirs.reconstruction_error(), rel=1e-8)
    assert ours.certificate_.converged
    np.testing.assert_allclose(ours.eigenvalues_, theirs.kernel_pca_.eigenvalues_, rtol=1e-9)


def test_training_rows_keep_their_points():
    X = make_s_curve(300, random_state=1)[0]
    for params in ({}, {"n_landmarks": 60, "random_state": 0}):
        model = Isomap(n_neighbors=8, **params).fit(X)
        np.testing.assert_allclose(model.transform(X[:50]), model.embedding_[:50], atol=1e-10)


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")  # of scikit-learn
def test_parts_are_named_and_joined_as_by_scikit_learn():
    X = np.concatenate([_rows(40), 30.0 + _rows(25, seed=1), 60.0 + _rows(10, seed=2)])
    with pytest.warns(UserWarning, match="connected components.* is 3 > 1, of 40, 25, 10 rows"):
        ours = Isomap().fit(X)
    with pytest.warns(UserWarning, match="connected components"):
        theirs = sklearn.manifold.Isomap().fit(X)
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-12)
    assert ours.component_sizes_.tolist() == [40, 25, 10]
    assert "3 components, of 40, 25, 10 rows" in ours.certificate_.statement


def test_a_given_graph_in_parts_is_refused():
    X = np.array([[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]])
    graph = kneighbors_graph(X, 2, mode="distance")
    with pytest.raises(RuntimeError, match=r"is 2 > 1, of 3, 3 rows.*cannot be completed"):
        Isomap(n_neighbors=1, metric="precomputed").fit(graph)


def test_landmarks_hold_the_shape():
    X = make_s_curve(900, random_state=0)[0]
    whole = Isomap(n_neighbors=10).fit(X)
    some = Isomap(n_neighbors=10, n_landmarks=120, random_state=0).fit(X)
    assert some.dist_matrix_.shape == (900, 120)
    np.testing.assert_array_equal(some.dist_matrix_, whole.dist_matrix_[some.landmarks_].T)
    for ours, column in zip(some.embedding_.T, whole.embedding_.T, strict=True):
        assert abs(np.corrcoef(ours, column)[0, 1]) > 0.97
    every = Isomap(n_neighbors=10, n_landmarks=900).fit(X)
    np.testing.assert_allclose(np.abs(every.embedding_), np.abs(whole.embedding_), atol=1e-7)


def test_distances_and_graphs_may_be_given():
    X = make_s_curve(120, random_state=0)[0]
    direct = Isomap(n_neighbors=8).fit(X)
    apart = np.linalg.norm(X[:, None] - X, axis=2)
    given = Isomap(n_neighbors=8, metric="precomputed").fit(apart)
    np.testing.assert_allclose(given.embedding_, direct.embedding_, atol=1e-9)
    np.testing.assert_allclose(given.transform(apart[:5]), direct.embedding_[:5], atol=1e-9)
    graph = kneighbors_graph(X, 9, mode="distance", include_self=True)
    by_graph = Isomap(n_neighbors=8, metric="precomputed").fit(sparse.csr_array(graph))
    np.testing.assert_allclose(by_graph.embedding_, direct.embedding_, atol=1e-9)


def test_sparse_rows_and_single_precision():
    X = np.maximum(_rows(150, 6), 0.0)
    dense = Isomap(n_neighbors=9).fit(X)
    thin = Isomap(n_neighbors=9).fit(sparse.csr_array(X))
    np.testing.assert_allclose(thin.embedding_, dense.embedding_, atol=1e-8)
    single = Isomap(n_neighbors=9).fit(X.astype(np.float32))
    assert single.dist_matrix_.dtype == single.embedding_.dtype == np.float32
    assert single.transform(X[:3].astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.embedding_, dense.embedding_, atol=2e-5)


def test_points_do_not_depend_on_threads():
    X = load_digits().data[:500]
    one, two = (Isomap(n_neighbors=7, n_jobs=jobs).fit(X) for jobs in (1, 2))
    np.testing.assert_array_equal(one.embedding_, two.embedding_)
    np.testing.assert_array_equal(one.dist_matrix_, two.dist_matrix_)


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_scales_near_the_ends_of_numbers(scale):
    X = make_s_curve(80, random_state=0)[0]
    plain, scaled = (Isomap(n_neighbors=8).fit(factor * X) for factor in (1.0, scale))
    np.testing.assert_allclose(scaled.embedding_ / scale, plain.embedding_, atol=1e-10)


def test_saved_models_place_alike(tmp_path):
    X = make_s_curve(100, random_state=0)[0]
    model = Isomap(n_neighbors=8).fit(X[:90])
    save(model, tmp_path / "model.gramian")
    np.testing.assert_array_equal(
        load(tmp_path / "model.gramian").transform(X[90:]), model.transform(X[90:])
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_neighbors": 5, "radius": 1.0}, r"Both n_neighbors and radius.*radius=1\.0"),
        ({"n_neighbors": None}, "needs n_neighbors or radius, and both are None"),
        ({"n_landmarks": 61}, "n_landmarks=61 must be at most the number of samples, 60"),
        ({"n_neighbors": 60}, "n_neighbors"),
        ({"n_components": 40, "n_neighbors": 12}, "significant negative eigenvalues: only .* 40"),
    ],
)
def test_bad_arguments_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        Isomap(**params).fit(_rows(60))


def test_rows_out_of_reach_are_named():
    model = Isomap(n_neighbors=None, radius=5.0).fit(_rows(60))
    with pytest.raises(ValueError, match=r"Row 1 of X has no training row within radius=5\.0"):
        model.transform([[0.0, 0.0, 0.0], [99.0, 0.0, 0.0]])


def test_memory_is_asked_for_before_the_work(monkeypatch):
    from gramian._spectral import scaling

    monkeypatch.setattr(scaling, "available_bytes", lambda: 100_000)
    with pytest.raises(MemoryError, match=r"Isomap of 300 rows .*n_landmarks=1000"):
        Isomap().fit(_rows(300))
    assert Isomap(n_landmarks=20, random_state=0, n_neighbors=20).fit(_rows(300)) is not None
