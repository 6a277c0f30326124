"""Scaling: points of scikit-learn's, stresses that fall, orders that alone count, closed forms."""

from itertools import pairwise

import numpy as np
import pytest
import sklearn.manifold
from scipy.optimize import approx_fprime
from scipy.spatial.distance import pdist, squareform
from sklearn.isotonic import IsotonicRegression

from gramian import _core
from gramian.config import config, core_context
from gramian.decomposition import PCA
from gramian.exceptions import ConvergenceWarning
from gramian.manifold import MDS, ClassicalMDS, smacof


def _rows(n=60, p=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def _distances(n=60, p=5, seed=0):
    return squareform(pdist(_rows(n, p, seed)))


def _pass(D, X):
    following, apart = np.empty_like(X), np.empty_like(D)
    raw, squares = _core.smacof_pass(D, X, next=following, distances=apart, ctx=core_context())
    return raw, squares, following, apart


@pytest.mark.parametrize(("n", "k"), [(1, 1), (7, 1), (8, 2), (33, 3), (50, 11)])
def test_a_pass_is_its_formula(n, k):
    D, X = _distances(n), _rows(n, k, seed=1)
    raw, squares, following, apart = _pass(D, X)
    expected = np.linalg.norm(X[:, None] - X, axis=2)
    np.testing.assert_allclose(apart, expected, rtol=1e-14)
    assert raw == pytest.approx(0.5 * ((expected - D) ** 2).sum(), rel=1e-13)
    assert squares == pytest.approx(0.5 * (expected**2).sum(), rel=1e-13)
    ratio = np.divide(D, expected, out=np.zeros_like(D), where=expected > 0)
    moved = (ratio[:, :, None] * (X[:, None] - X)).sum(axis=1) / n
    np.testing.assert_allclose(following, moved, atol=1e-13)


def test_points_at_one_place_do_not_push_each_other():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0]])
    raw, _, following, _ = _pass(np.ones((3, 3)) - np.eye(3), X)
    assert raw == pytest.approx(1.0 + 2 * 16.0)
    np.testing.assert_allclose(following[0], following[1])


def test_ranks_hold_ties_and_leave_zeros_out():
    D = squareform(np.array([3.0, 1.0, 0.0, 1.0 + 2e-16, 2.0, 3.0]))
    pairs = _core.ranked_pairs(D, ctx=core_context())
    assert pairs.n_ranks == 3
    means, counts = np.empty(3), np.empty(3)
    values = np.arange(16.0).reshape(4, 4)
    pairs.means(values, means=means, counts=counts, ctx=core_context())
    np.testing.assert_array_equal(counts, [2, 1, 2])
    np.testing.assert_array_equal(means, [(2 + 6) / 2, 7, (1 + 11) / 2])
    spread = np.zeros((4, 4))
    pairs.spread(np.array([1.0, 2.0, 3.0]), scale=10.0, out=spread, ctx=core_context())
    np.testing.assert_array_equal(spread, squareform([30.0, 10.0, 0.0, 10.0, 20.0, 30.0]))


@pytest.mark.parametrize("n", [5, 200])
def test_ranks_are_the_order_of_the_dissimilarities(n):
    D = np.round(_distances(n), 1)
    pairs = _core.ranked_pairs(D, ctx=core_context())
    known = np.unique(squareform(D))
    assert pairs.n_ranks == len(known[known > 0])
    means, counts = np.empty(pairs.n_ranks), np.empty(pairs.n_ranks)
    pairs.means(D, means=means, counts=counts, ctx=core_context())
    np.testing.assert_allclose(means, known[known > 0], rtol=1e-13)
    assert counts.sum() == (squareform(D) > 0).sum()


@pytest.mark.parametrize("init", ["random", "classical_mds"])
@pytest.mark.parametrize("metric_mds", [True, False])
@pytest.mark.parametrize("normalized_stress", [True, False, "auto"])
def test_points_are_those_of_scikit_learn(metric_mds, init, normalized_stress):
    X = np.round(_rows(80, 4), 1)  # ties among the distances
    params = {
        "n_components": 3,
        "metric_mds": metric_mds,
        "init": init,
        "eps": 1e-5,
        "max_iter": 1000,
        "normalized_stress": normalized_stress,
        "random_state": 5,
    }
    ours, theirs = MDS(**params).fit(X), sklearn.manifold.MDS(**params).fit(X)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.stress_ == pytest.approx(theirs.stress_, rel=1e-9)
    np.testing.assert_allclose(ours.embedding_, theirs.embedding_, atol=1e-7)
    np.testing.assert_allclose(ours.dissimilarity_matrix_, theirs.dissimilarity_matrix_, atol=1e-12)
    assert ours.certificate_.converged


@pytest.mark.parametrize("metric", [True, False])
def test_several_starts_keep_the_best(metric):
    D = _distances(30)
    params = {"metric": metric, "random_state": 3, "eps": 1e-4, "max_iter": 1000}
    ours = smacof(D, n_init=5, return_n_iter=True, **params)
    theirs = sklearn.manifold.smacof(D, n_init=5, return_n_iter=True, **params)
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-8)
    assert ours[1] == pytest.approx(theirs[1], rel=1e-9)
    assert ours[2] == theirs[2]
    source = np.random.RandomState(3)
    each = [smacof(D, n_init=1, **{**params, "random_state": source})[1] for _ in range(5)]
    assert ours[1] == min(each) < max(each)


def test_a_step_never_raises_the_stress(capsys):
    smacof(_distances(40), init=_rows(40, 2, seed=1), eps=0.0, max_iter=50, verbose=2)
    stresses = [float(line.rsplit(" ", 1)[1]) for line in capsys.readouterr().out.splitlines()]
    assert len(stresses) == 50
    assert all(later <= former for former, later in pairwise(stresses))


def test_the_certificate_measures_the_gradient():
    D = _distances(20)
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model = MDS(init="random", metric="precomputed", max_iter=3, random_state=0).fit(D)
    Y = model.embedding_

    def stress(flat):
        return ((pdist(flat.reshape(Y.shape)) - squareform(D)) ** 2).sum()

    gradient = approx_fprime(Y.ravel(), stress, 1e-7)
    terms = 2 * len(Y) * np.linalg.norm(Y)
    relative = np.linalg.norm(gradient) / terms
    assert model.certificate_.optimality == pytest.approx(relative, rel=1e-4)
    assert model.certificate_.objective == pytest.approx(stress(Y.ravel()), rel=1e-12)
    assert not model.certificate_.converged
    settled = MDS(init="random", metric="precomputed", max_iter=5000, eps=1e-13, random_state=0)
    certificate = settled.fit(D).certificate_
    assert certificate.converged
    assert certificate.optimality < 1e-6
    stress_1 = np.sqrt(settled.stress_ / (pdist(settled.embedding_) ** 2).sum())
    assert certificate.details["stress_1"] == pytest.approx(stress_1, rel=1e-10)


def test_disparities_are_the_isotonic_fit():
    D = _distances(25)
    X, stress = smacof(D, metric=False, random_state=0, max_iter=2000, eps=1e-12)
    apart = pdist(X)
    fitted = IsotonicRegression().fit_transform(squareform(D), apart)
    fitted *= np.sqrt(len(apart) / (fitted**2).sum())
    expected = np.sqrt(((apart - fitted) ** 2).sum() / (apart**2).sum())
    assert stress == pytest.approx(expected, rel=1e-3)


def test_only_the_order_counts_without_a_metric():
    D = _distances(30)
    params = {"metric": False, "init": _rows(30, 2, seed=4), "max_iter": 2000}
    X, stress = smacof(D, **params)
    other_stress = smacof(np.exp(D), **params)[1]
    # The first step still sees the dissimilarities themselves.
    assert other_stress == pytest.approx(stress, rel=0.2)
    longer, longer_stress = smacof(100.0 * D, **params)
    np.testing.assert_allclose(longer, X, atol=1e-9)
    assert longer_stress == pytest.approx(stress, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-160, 1e160])
def test_far_scales_lose_nothing(scale):
    D = _distances(20)
    known = smacof(D, random_state=0, normalized_stress=True)
    found = smacof(scale * D, random_state=0, normalized_stress=True)
    np.testing.assert_allclose(found[0] / scale, known[0], rtol=1e-9, atol=1e-12)
    assert found[1] == pytest.approx(known[1], rel=1e-9)


@pytest.mark.parametrize("metric_mds", [True, False])
def test_threads_change_no_bit(metric_mds):
    X = _rows(150)
    params = {"metric_mds": metric_mds, "init": "random", "random_state": 0, "eps": 1e-3}
    one, two = (MDS(n_jobs=jobs, **params).fit_transform(X) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_a_time_limit_keeps_the_best_so_far():
    with config(time_limit=0.05):
        model = MDS(init="random", eps=0.0, max_iter=10**9, random_state=0).fit(_rows(400))
    assert "in the time allowed" in model.certificate_.statement
    assert not model.certificate_.converged
    assert np.isfinite(model.embedding_).all()


def test_metrics_and_their_parameters():
    X = _rows(40)
    D = squareform(pdist(X, "cityblock"))
    given = MDS(init="random", metric="precomputed", random_state=0, eps=1e-4).fit_transform(D)
    for metric, params in (("manhattan", None), ("minkowski", {"p": 1}), (_cityblock, None)):
        model = MDS(init="random", metric=metric, metric_params=params, random_state=0, eps=1e-4)
        np.testing.assert_allclose(model.fit_transform(X), given, atol=1e-8)


def _cityblock(x, y):
    return np.abs(x - y).sum()


def test_names_that_will_go():
    X, D = _rows(10, 2), _distances(10, 2)
    params = {"random_state": 0, "eps": 1e-3}
    expected = MDS(init="random", **params).fit_transform(X)
    with pytest.warns(FutureWarning, match="default value of `init`"):
        np.testing.assert_array_equal(MDS(**params).fit_transform(X), expected)
    with pytest.warns(FutureWarning, match="Use metric_mds=True"):
        model = MDS(init="random", metric=True, **params)
        np.testing.assert_array_equal(model.fit_transform(X), expected)
    with pytest.warns(FutureWarning, match="`dissimilarity` parameter"):
        model = MDS(init="random", dissimilarity="precomputed", **params)
        np.testing.assert_allclose(model.fit_transform(D), expected, atol=1e-9)
    with pytest.raises(ValueError, match="both `dissimilarity` and `metric`"):
        MDS(init="random", metric="cosine", dissimilarity="euclidean").fit(X)


def test_starts_that_are_given():
    X, start = _rows(20, 3), _rows(20, 2, seed=1)
    model = MDS(init="random", eps=1e-4).fit(X, init=start)
    points, stress = smacof(model.dissimilarity_matrix_, init=start, eps=1e-4)
    np.testing.assert_array_equal(model.embedding_, points)
    assert model.stress_ == stress
    with pytest.warns(UserWarning, match="only one init of the MDS instead of 3"):
        MDS(init="classical_mds", n_init=3, eps=1e-4).fit(X)


@pytest.mark.parametrize(
    ("D", "what"),
    [
        (np.ones((3, 2)), "square"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), "symmetric"),
        (np.array([[0.0, -1.0], [-1.0, 0.0]]), "Negative values"),
    ],
)
def test_what_is_no_dissimilarity_is_refused(D, what):
    for model in (MDS(init="random", metric="precomputed"), ClassicalMDS(metric="precomputed")):
        with pytest.raises(ValueError, match=what):
            model.fit(D)
    with pytest.raises(ValueError, match=what):
        smacof(D)


def test_what_cannot_be_scaled_is_refused(monkeypatch):
    with pytest.raises(ValueError, match=r"init matrix should be of shape \(4, 2\)"):
        smacof(_distances(4), init=np.ones((3, 2)))
    with pytest.raises(ValueError, match="all of them are zero"):
        smacof(np.zeros((4, 4)), metric=False)
    with pytest.raises(ValueError, match=r"n_components=4 must be at most .* 3"):
        ClassicalMDS(4).fit(_rows(3))
    from gramian._spectral import scaling

    monkeypatch.setattr(scaling, "available_bytes", lambda: 100_000)
    for model in (MDS(init="random"), ClassicalMDS()):
        with pytest.raises(MemoryError, match="200 rows"):
            model.fit(_rows(200))


def test_equal_rows_become_one_point():
    model = MDS(init="random", random_state=0).fit(np.ones((5, 2)))
    assert model.stress_ == 0.0
    np.testing.assert_array_equal(model.embedding_, 0.0)
    np.testing.assert_array_equal(ClassicalMDS().fit_transform(np.ones((5, 2))), 0.0)


@pytest.mark.parametrize("n", [50, 400])  # a dense solver, and iteration
def test_classical_scaling_is_pca(n):
    X = _rows(n, 6) * np.arange(6, 0, -1)
    model, pca = ClassicalMDS(3).fit(X), PCA(3).fit(X)
    expected = pca.transform(X)
    signs = np.sign((model.embedding_ * expected).sum(axis=0))
    np.testing.assert_allclose(model.embedding_ * signs, expected, atol=1e-9)
    np.testing.assert_allclose(np.sqrt(model.eigenvalues_), pca.singular_values_, rtol=1e-9)
    assert model.certificate_.converged
    assert model.certificate_.optimality < 1e-9
    new = _rows(30, 6, seed=3)
    np.testing.assert_allclose(model.transform(new) * signs, pca.transform(new), atol=1e-9)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-9)


@pytest.mark.parametrize(("metric", "params"), [("cityblock", None), ("minkowski", {"p": 1.5})])
def test_classical_points_are_those_of_scikit_learn(metric, params):
    X = _rows(70, 4)
    args = {"n_components": 3, "metric": metric, "metric_params": params}
    ours = ClassicalMDS(**args).fit(X)
    theirs = sklearn.manifold.ClassicalMDS(**args).fit(X)
    np.testing.assert_allclose(ours.embedding_, theirs.embedding_, atol=1e-9)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-10)
    given = ClassicalMDS(3, metric="precomputed").fit(ours.dissimilarity_matrix_)
    np.testing.assert_allclose(given.embedding_, ours.embedding_, atol=1e-10)
    np.testing.assert_allclose(
        given.transform(ours.dissimilarity_matrix_[:5]), ours.embedding_[:5], atol=1e-9
    )


def test_distances_of_no_plane_space_are_named():
    D = squareform(np.array([1.0, 1.0, 5.0]))  # no triangle
    with pytest.raises(ValueError, match="only 1 of the 3 leading ones are positive"):
        ClassicalMDS(3, metric="precomputed").fit(D)


@pytest.mark.parametrize("metric_mds", [True, False])
def test_new_rows_are_placed_where_their_stress_is_least(metric_mds):
    X, new = _rows(60, 3), _rows(8, 3, seed=2)
    model = MDS(init="classical_mds", metric_mds=metric_mds, eps=1e-8, max_iter=3000).fit(X)
    np.testing.assert_array_equal(model.transform(X), model.embedding_)
    placed = model.transform(new)
    np.testing.assert_array_equal(model.transform(new[3:4]), placed[3:4])
    asked = np.linalg.norm(new[:, None] - X, axis=2)
    if not metric_mds:
        order = IsotonicRegression(out_of_bounds="clip")
        order.fit(pdist(X), pdist(model.embedding_))
        asked = order.predict(asked.ravel()).reshape(asked.shape)
    for point, aim in zip(placed, asked, strict=True):

        def stress(y, aim=aim):
            return ((np.linalg.norm(model.embedding_ - y, axis=1) - aim) ** 2).sum()

        assert np.abs(approx_fprime(point, stress, 1e-7)).max() < 1e-4
        nearest = model.embedding_[aim.argmin()]
        assert stress(point) < stress(nearest)


def test_new_rows_of_a_plane_find_their_place():
    X, new = _rows(50, 2), _rows(20, 2, seed=2)
    model = MDS(init="classical_mds").fit(X)
    apart = np.linalg.norm(new[:, None] - X, axis=2)
    found = np.linalg.norm(model.transform(new)[:, None] - model.embedding_, axis=2)
    np.testing.assert_allclose(found, apart, atol=1e-6)
    given = MDS(init="classical_mds", metric="precomputed").fit(squareform(pdist(X)))
    np.testing.assert_allclose(given.transform(apart), model.transform(new), atol=1e-6)
