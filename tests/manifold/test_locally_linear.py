"""Locally linear embeddings: eigenvectors of dense solvers, scikit-learn's errors, closed forms."""

import numpy as np
import pytest
import sklearn.manifold
from scipy import linalg, sparse
from sklearn.manifold._locally_linear import barycenter_kneighbors_graph, barycenter_weights

from gramian._spectral.null_space import LocalErrors, least_pairs
from gramian.datasets import make_s_curve
from gramian.manifold import LocallyLinearEmbedding, locally_linear_embedding
from gramian.manifold._local_blocks import barycentre_weights
from gramian.persistence import load, save

METHODS = ["standard", "hessian", "modified", "ltsa"]


def _rows(n=300, p=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def _angle(A, B):
    """Return the largest angle between the spans of columns."""
    return linalg.subspace_angles(A, B).max()


@pytest.mark.parametrize(("k", "p", "reg"), [(3, 5, 1e-3), (9, 4, 1e-3), (4, 6, 0.0)])
def test_weights_are_those_of_scikit_learn(k, p, reg):
    X, Y = _rows(50, p), _rows(80, p, seed=1)
    index = np.array([np.random.default_rng(i).permutation(80)[:k] for i in range(50)])
    ours = barycentre_weights(X, Y, index, reg)
    np.testing.assert_allclose(ours, barycenter_weights(X, Y, index, reg=reg), rtol=1e-8)
    np.testing.assert_allclose(ours.sum(axis=1), 1.0, rtol=1e-12)


def test_rows_amid_their_neighbours_are_their_means():
    Y = np.array([[0.0], [2.0], [3.0]])
    weights = barycentre_weights(np.array([[1.0]]), Y, np.array([[0, 1]]), 0.001)
    np.testing.assert_allclose(weights, [[0.5, 0.5]])
    alike = barycentre_weights(np.array([[2.0]]), np.full((3, 1), 2.0), np.array([[0, 1, 2]]), 0.1)
    np.testing.assert_allclose(alike, 1.0 / 3.0)


@pytest.mark.parametrize("method", METHODS)
def test_errors_and_points_are_those_of_scikit_learn(method):
    X = make_s_curve(400, random_state=0)[0]
    params = {"n_neighbors": 10, "method": method, "eigen_solver": "dense"}
    ours = LocallyLinearEmbedding(**params).fit(X)
    theirs = sklearn.manifold.LocallyLinearEmbedding(**params).fit(X)
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error_, rel=1e-6)
    assert _angle(ours.embedding_, theirs.embedding_) < 1e-6
    np.testing.assert_allclose(ours.embedding_.T @ ours.embedding_, np.eye(2), atol=1e-10)
    np.testing.assert_allclose(ours.embedding_.sum(axis=0), 0.0, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_iteration_finds_what_dense_solvers_find(method):
    X = make_s_curve(900, random_state=1)[0]
    params = {"n_neighbors": 10, "method": method, "random_state": 0}
    some = LocallyLinearEmbedding(**params).fit(X)
    every = LocallyLinearEmbedding(eigen_solver="dense", **params).fit(X)
    assert some.certificate_.details["solver"] == "shift-invert"
    assert some.certificate_.converged
    assert some.reconstruction_error_ == pytest.approx(every.reconstruction_error_, rel=1e-4)
    assert _angle(some.embedding_, every.embedding_) < 1e-4


def test_filters_find_what_dense_solvers_find(monkeypatch):
    from gramian._spectral import null_space

    monkeypatch.setattr(null_space, "_CHEAP_FACTOR", 0.0)
    X = _rows(800, 6)
    some = LocallyLinearEmbedding(n_neighbors=8, n_components=3, random_state=0).fit(X)
    assert some.certificate_.details["solver"] == "filter"
    every = LocallyLinearEmbedding(n_neighbors=8, n_components=3, eigen_solver="dense").fit(X)
    assert some.reconstruction_error_ == pytest.approx(every.reconstruction_error_, rel=1e-8)
    assert _angle(some.embedding_, every.embedding_) < 1e-5


def test_least_eigenvalues_of_a_path_are_those_of_the_formula():
    n = 900
    ends = np.arange(n - 1)
    rows = np.concatenate([ends, ends])
    A = sparse.csr_array(
        (np.r_[np.ones(n - 1), -np.ones(n - 1)], (rows, np.concatenate([ends, ends + 1]))),
        shape=(n, n),
    )
    start = np.random.default_rng(0).normal(size=(n, 8))
    found = least_pairs(LocalErrors(root=A), 4, solver="auto", tol=1e-8, max_iter=100, start=start)
    true = 4.0 * np.sin(0.5 * np.pi * np.arange(1, 5) / n) ** 2
    np.testing.assert_allclose(found.values, true, rtol=1e-7)


def test_the_error_is_what_the_points_are_missed_by():
    X = make_s_curve(300, random_state=0)[0]
    points, error = locally_linear_embedding(X, n_neighbors=8, n_components=2)
    W = barycenter_kneighbors_graph(X, 8)
    assert error == pytest.approx(np.sum((points - W @ points) ** 2), rel=1e-6)


def test_a_plane_is_found_again():
    flat = np.random.default_rng(0).uniform(size=(250, 2))
    X = np.c_[flat, flat @ [0.3, -0.7]]
    for method in ("hessian", "ltsa", "modified"):
        points = LocallyLinearEmbedding(n_neighbors=12, method=method).fit_transform(X)
        assert _angle(points, flat - flat.mean(axis=0)) < 1e-3, method


def test_new_rows_are_means_of_their_neighbours():
    X = make_s_curve(320, random_state=0)[0]
    ours = LocallyLinearEmbedding(n_neighbors=10, random_state=0).fit(X[:300])
    theirs = sklearn.manifold.LocallyLinearEmbedding(n_neighbors=10, random_state=0).fit(X[:300])
    theirs.embedding_ = ours.embedding_
    np.testing.assert_allclose(ours.transform(X[300:]), theirs.transform(X[300:]), atol=1e-10)
    np.testing.assert_array_equal(ours.transform(X[:20]), ours.embedding_[:20])


def test_points_do_not_depend_on_threads_or_units(tmp_path):
    X = make_s_curve(700, random_state=0)[0]
    params = {"n_neighbors": 9, "random_state": 0}
    one, two = (LocallyLinearEmbedding(n_jobs=jobs, **params).fit(X) for jobs in (1, 2))
    np.testing.assert_array_equal(one.embedding_, two.embedding_)
    for scale in (2.0**-500, 2.0**500):
        scaled = LocallyLinearEmbedding(**params).fit(scale * X)
        np.testing.assert_array_equal(scaled.embedding_, one.embedding_)
    save(one, tmp_path / "model.gramian")
    again = load(tmp_path / "model.gramian")
    np.testing.assert_array_equal(again.transform(X[:9] + 0.01), one.transform(X[:9] + 0.01))


def test_parts_are_named():
    X = np.concatenate([_rows(60), 40.0 + _rows(30)])
    with pytest.warns(UserWarning, match="is 2 > 1, of 60, 30 rows"):
        model = LocallyLinearEmbedding().fit(X)
    assert model.component_sizes_.tolist() == [60, 30]
    assert "2 components" in model.certificate_.statement
    assert model.reconstruction_error_ < 1.0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_components": 5}, "n_components=5 for 4 columns"),
        ({"n_neighbors": 40}, "n_samples = 40, n_neighbors = 40"),
        ({"method": "hessian"}, r"\(n_components \+ 3\) / 2\] = 5; got n_neighbors=5"),
        (
            {"method": "modified", "n_neighbors": 1},
            "'modified' requires n_neighbors >= n_components",
        ),
        ({"reg": 0.0, "n_neighbors": 8}, "neighbours of row .* not determined with reg=0"),
    ],
)
def test_bad_arguments_are_named(params, message):
    X = np.round(_rows(40), 1) if "reg" in params else _rows(40)
    with pytest.raises(ValueError, match=message):
        LocallyLinearEmbedding(**params).fit(X)


def test_rows_that_are_alike_are_refused():
    with pytest.raises(ValueError, match="all rows of X are alike"):
        LocallyLinearEmbedding().fit(np.ones((30, 3)))


def test_memory_is_asked_for_before_the_work(monkeypatch):
    from gramian.manifold import _locally_linear

    monkeypatch.setattr(_locally_linear, "available_bytes", lambda: 10_000)
    with pytest.raises(MemoryError, match="300 rows with n_neighbors=5"):
        LocallyLinearEmbedding().fit(_rows())
