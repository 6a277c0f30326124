"""TSNE: its forces, its affinities, its descent, and points for new rows."""

import numpy as np
import pytest

import gramian
from gramian import _core
from gramian.config import core_context
from gramian.datasets import load_iris, make_blobs
from gramian.manifold import TSNE, trustworthiness
from gramian.manifold._affinities import affinities_of_neighbours, affinities_of_pairs, conditional
from gramian.neighbors import KNeighborsClassifier, NearestNeighbors


def _points(n, n_planes, scale=20.0):
    rng = np.random.default_rng(n)
    return rng.normal(scale=scale, size=(n, n_planes)).astype(np.float32)


def _forces(points, method, angle=0.5, n_threads=None):
    forces = np.empty_like(points)
    ctx = core_context(n_threads)
    total = _core.repulsive_forces(points, method=method, angle=angle, forces=forces, ctx=ctx)
    return total, forces


def _true_forces(points):
    offset = points[:, None].astype(float) - points[None]
    freedom = max(points.shape[1] - 1, 1)
    q = 1.0 / (1.0 + (offset**2).sum(axis=2) / freedom)
    w = q ** ((freedom + 1) / 2)
    return w.sum() - len(points), ((w * q)[:, :, None] * offset).sum(axis=1)


def _relative(found, true):
    return np.linalg.norm(found - true) / np.linalg.norm(true)


@pytest.mark.parametrize("n", [2, 17, 700])
@pytest.mark.parametrize("n_planes", [2, 3, 5])
def test_exact_forces_are_those_of_all_pairs(n, n_planes):
    points = _points(n, n_planes, scale=3.0)
    total, forces = _forces(points, "exact")
    true_total, true_forces = _true_forces(points)
    assert total == pytest.approx(true_total, rel=1e-5, abs=1e-6 * n)  # less n ones
    assert _relative(forces, true_forces) < 1e-5


@pytest.mark.parametrize("n_planes", [2, 3])
def test_tree_of_angle_zero_is_exact_and_a_wide_angle_is_near(n_planes):
    points = _points(900, n_planes)
    total, forces = _true_forces(points)
    for angle, most in [(0.0, 1e-5), (0.3, 0.01), (0.5, 0.03), (1.0, 0.2)]:
        found_total, found = _forces(points, "barnes_hut", angle)
        assert found_total == pytest.approx(total, rel=most)
        assert _relative(found, forces) < most


@pytest.mark.parametrize("scale", [1e-4, 0.1, 3.0, 20.0])
def test_grid_is_near_at_any_extent(scale):
    points = _points(1500, 2, scale)
    total, forces = _true_forces(points)
    found_total, found = _forces(points, "fft")
    assert found_total == pytest.approx(total, rel=1e-3)
    assert _relative(found, forces) < 0.02


@pytest.mark.parametrize("method", ["exact", "barnes_hut", "fft"])
def test_points_in_one_place_do_not_push(method):
    total, forces = _forces(np.ones((100, 2), np.float32), method)
    assert total == pytest.approx(100 * 99, rel=1e-4)
    assert np.abs(forces).max() < 1e-3


@pytest.mark.parametrize("method", ["exact", "barnes_hut", "fft"])
def test_forces_have_the_same_bits_for_any_number_of_threads(method):
    points = _points(5000, 2)
    one, two = (_forces(points, method, n_threads=n) for n in (1, 2))
    assert one[0] == two[0]
    np.testing.assert_array_equal(one[1], two[1])


@pytest.mark.parametrize("perplexity", [2.0, 5.0, 29.5])
def test_probabilities_have_the_perplexity(perplexity):
    distance = np.sort(np.random.default_rng(0).exponential(size=(40, 60)), axis=1) + 100.0
    p, betas = conditional(distance, perplexity, core_context())
    wide = p.astype(float)
    entropy = -(wide * np.log(np.maximum(wide, 1e-300))).sum(axis=1)
    np.testing.assert_allclose(np.exp(entropy), perplexity, rtol=1e-5)
    squared = distance**2
    weights = np.exp(-betas[:, None] * (squared - squared.min(axis=1, keepdims=True)))
    np.testing.assert_allclose(
        p, weights / weights.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-30
    )


def test_probabilities_where_no_rate_gives_the_perplexity():
    ctx = core_context()
    p, _ = conditional(np.array([[1.0, 2.0, 3.0]]), 5.0, ctx)  # more than there are neighbours
    np.testing.assert_allclose(p, 1 / 3, rtol=1e-6)
    p, _ = conditional(np.array([[1.0, 1.0, 1.0, 9.0]]), 2.0, ctx)  # three are nearest
    np.testing.assert_allclose(p, [[1 / 3, 1 / 3, 1 / 3, 0.0]], rtol=1e-6)
    p, _ = conditional(np.full((1, 4), 7.0), 2.0, ctx)
    np.testing.assert_allclose(p, 0.25, rtol=1e-6)


def test_affinities_of_all_neighbours_are_those_of_all_pairs():
    X = np.random.default_rng(0).normal(size=(40, 3))
    distance, index = NearestNeighbors(n_neighbors=39).fit(X).kneighbors()
    some = affinities_of_neighbours(distance, index, 8.0, core_context())
    every = affinities_of_pairs(X, "euclidean", {}, 8.0, None, core_context())
    dense = np.zeros((40, 40))
    rows = np.repeat(np.arange(40), np.diff(some.starts))
    dense[rows, some.places] = some.values
    np.testing.assert_allclose(dense, every.all, atol=1e-8)
    np.testing.assert_array_equal(every.all, every.all.T)
    assert every.all.sum() == pytest.approx(1.0, rel=1e-5)


def test_divergence_is_that_of_the_formula():
    X = np.random.default_rng(0).normal(size=(60, 3))
    affinities = affinities_of_pairs(X, "euclidean", {}, 8.0, None, core_context())
    points = _points(60, 2, 2.0)
    found, error = _core.tsne_divergence(
        *affinities.parts, points=points, n_sampled=60, ctx=core_context()
    )
    squared = ((points[:, None].astype(float) - points[None]) ** 2).sum(axis=2)
    q = 1.0 / (1.0 + squared)
    np.fill_diagonal(q, 0.0)
    q /= q.sum()
    p, is_other = affinities.all.astype(float), ~np.eye(60, dtype=bool)
    true = (p[is_other] * np.log(np.maximum(p[is_other], 1e-300) / q[is_other])).sum()
    assert found == pytest.approx(true, rel=1e-5)
    assert error == 0.0
    sampled, error = _core.tsne_divergence(
        *affinities.parts, points=points, n_sampled=40, ctx=core_context()
    )
    assert 0.0 < abs(sampled - true) < 5.0 * error


def test_methods_find_equally_good_maps():
    X, y = make_blobs(400, n_features=10, centers=5, random_state=0)
    divergences = {}
    for method in ("auto", "barnes_hut", "fft"):
        model = TSNE(method=method, random_state=0).fit(X)
        divergences[method] = model.kl_divergence_
        assert KNeighborsClassifier(1).fit(model.embedding_, y).score(model.embedding_, y) == 1.0
        assert trustworthiness(X, model.embedding_) > 0.95
    assert max(divergences.values()) < 1.02 * min(divergences.values())


def test_new_rows_come_near_their_kind():
    X, y = make_blobs(600, n_features=8, centers=4, random_state=1)
    model = TSNE(random_state=0, max_iter=500).fit(X[:400])
    placed = model.transform(X[400:])
    assert placed.dtype == np.float32
    near = KNeighborsClassifier(1).fit(model.embedding_, y[:400])
    assert near.score(placed, y[400:]) > 0.97
    np.testing.assert_array_equal(model.transform(X[410:411]), placed[10:11])
    np.testing.assert_array_equal(model.transform(X[:400]), model.embedding_)


def test_new_point_is_at_a_minimum_of_its_divergence():
    X = make_blobs(200, n_features=4, centers=2, random_state=0)[0]
    model = TSNE(random_state=0, perplexity=10, angle=0.0, max_iter=400).fit(X)
    new = X[:5] + 0.3
    placed = model.transform(new).astype(float)
    distance, index = NearestNeighbors(n_neighbors=31).fit(X).kneighbors(new)
    p, _ = conditional(distance, 10.0, core_context())
    all_points = model.embedding_.astype(float)

    def divergence(i, point):
        attraction = p[i] @ np.log1p(((point - all_points[index[i]]) ** 2).sum(axis=1))
        return attraction + np.log((1.0 / (1.0 + ((point - all_points) ** 2).sum(axis=1))).sum())

    for i, point in enumerate(placed):
        here = divergence(i, point)
        for step in ([0.05, 0], [-0.05, 0], [0, 0.05], [0, -0.05]):
            assert divergence(i, point + step) > here - 1e-6


@pytest.mark.parametrize("n_components", [1, 3, 4])
def test_other_numbers_of_components(n_components):
    X = load_iris().data
    model = TSNE(n_components, random_state=0, max_iter=300, perplexity=20).fit(X)
    assert model.embedding_.shape == (150, n_components)
    assert model.transform(X[:3] + 0.01).shape == (3, n_components)
    assert trustworthiness(X, model.embedding_) > 0.9


def test_precomputed_distances_and_their_transform():
    X = load_iris().data
    distance = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    model = TSNE(metric="precomputed", init="random", random_state=0, max_iter=300)
    model.fit(distance[:120, :120])
    assert model.transform(distance[120:, :120]).shape == (30, 2)


def test_time_limit_returns_the_best_so_far():
    X = make_blobs(3000, n_features=10, random_state=0)[0]
    with gramian.config(time_limit=0.2):
        model = TSNE(random_state=0, max_iter=100_000, n_iter_without_progress=10**9).fit(X)
    assert np.isfinite(model.embedding_).all()
    assert model.n_iter_ < 99_999
    assert "time allowed" in model.certificate_.statement
    assert not model.certificate_.converged


def test_learning_rate_that_is_far_too_large_is_named():
    X = make_blobs(4000, random_state=0)[0]
    with pytest.raises(ValueError, match="lower learning_rate"):
        TSNE(learning_rate=1e18, random_state=0).fit(X)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"perplexity": 30.0}, r"perplexity \(30.0\) must be less than n_samples \(30\)"),
        ({"perplexity": 5.0, "init": np.zeros((3, 2))}, r"init must have the shape .*\(30, 2\)"),
        ({"perplexity": 5.0, "n_components": 3, "method": "fft"}, "inferior to 3"),
        ({"perplexity": 5.0, "n_components": 9}, r"n_components=9 .* min\(.*\)=4"),
    ],
)
def test_errors_name_both_numbers(params, message):
    with pytest.raises(ValueError, match=message):
        TSNE(**params).fit(np.random.default_rng(0).normal(size=(30, 4)))


def test_trustworthiness_of_ties_takes_rows_in_order():
    X = np.array([[0.0], [1.0], [1.0], [1.0], [5.0], [9.0]])
    true = trustworthiness(X, X, n_neighbors=2)
    assert true == 1.0
    swapped = np.array([[0.0], [9.0], [1.0], [1.0], [5.0], [1.0]])
    assert trustworthiness(X, swapped, n_neighbors=2) < 1.0


def test_worked_search_is_that_of_the_fit():
    from gramian.inspection import worked

    X = load_iris().data
    model = TSNE(perplexity=10, random_state=0, max_iter=250).fit(X)
    calculation = worked(model, X, None, query=7)
    distance, _ = NearestNeighbors(n_neighbors=31).fit(X).kneighbors()
    _, betas = conditional(distance[7:8], 10.0, core_context())
    assert calculation.values[r"\beta"] == pytest.approx(betas[0], rel=1e-4)
    with pytest.raises(ValueError, match="below 150"):
        worked(model, X, None, query=150)


def test_diagnosis_names_a_perplexity_that_is_too_large():
    from gramian.inspection import diagnose

    X = load_iris().data
    good = diagnose(TSNE(random_state=0).fit(X), X, None)
    assert [finding.verdict for finding in good if finding.code != "descent"] == ["ok", "ok"]
    bad = diagnose(TSNE(perplexity=100, random_state=0).fit(X), X, None)
    verdicts = {finding.code: finding.verdict for finding in bad}
    assert verdicts["perplexity"] == "problem"


def test_picture_names_many_classes():
    from gramian.plot import embedding

    rng = np.random.default_rng(0)
    points, y = rng.normal(size=(300, 2)), rng.integers(0, 20, 300)
    display = embedding(points, y)
    assert {text.get_text() for text in display.ax_.texts} == {str(k) for k in range(20)}
    assert list(display.frame().columns) == ["x", "y", "class"]
    numbers = embedding(points, rng.normal(size=300))
    assert len(numbers.figure_.axes) == 2
    with pytest.raises(ValueError, match="two columns"):
        embedding(points[:, :1])
