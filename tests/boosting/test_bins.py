"""Columns that share tracks give the same trees, and sparse tables those of dense ones."""

import numpy as np
import pytest
import scipy.sparse as sp

from gramian import _core
from gramian._boosting.bins import bins_like, make_bins
from gramian._boosting.losses import Loss
from gramian._boosting.rows import Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.settings import BoostingSettings, TreePlan
from gramian.boosting import bundle_exclusive_features
from gramian.config import core_context


def mixed_table(n, seed):
    """Return one-hot variables, booleans, numbers, gaps, constants and levels."""
    rng = np.random.default_rng(seed)
    hot = [np.eye(7)[rng.integers(0, 7, n)] for _ in range(2)]
    booleans = rng.integers(0, 2, (n, 11))
    few = rng.integers(0, 3, (n, 3))
    numbers = rng.normal(size=(n, 2)).round(2)
    gaps = np.where(rng.random((n, 2)) < 0.95, np.nan, rng.integers(0, 3, (n, 2)))
    usual = np.where(rng.random((n, 1)) < 0.9, 1.0, rng.integers(0, 4, (n, 1)))
    levels = rng.integers(0, 5, (n, 1))
    X = np.hstack([*hot, booleans, few, numbers, gaps, np.ones((n, 1)), usual, levels])
    n_levels = np.zeros(X.shape[1], np.int32)
    n_levels[-2:] = 4, 5
    y = X[:, 0] - X[:, 15] * X[:, 14] + X[:, 28] + 0.3 * X[:, -1] + rng.normal(size=n)
    return X, n_levels, (y > 0.4).astype(float)


def grown(bins, y, others, growth):
    """Return the arrays of some trees, and the scores of other rows."""
    plan = TreePlan(growth=growth, max_leaves=12, min_rows=30)
    grower, ctx = _core.BoostGrower(bins), core_context(None)
    scores, other_scores, arrays = np.zeros(len(y)), np.zeros(others.n_rows), []
    for seed in range(6):
        p = 1.0 / (1.0 + np.exp(-scores))
        gradient, hessian = (p - y).astype(np.float32), (p * (1.0 - p)).astype(np.float32)
        options = plan.options()
        options.learning_rate, options.seed = 0.3, seed
        tree = grower.grow(
            gradient, hessian=hessian, weight=None, rows=None, options=options, ctx=ctx
        )
        grower.add_last(tree, scores, ctx=ctx)
        tree.add(others, other_scores, scale=1.0, ctx=ctx)
        arrays.append(_core.join_flat_trees([tree.flat(bins)]))
    return arrays, scores, other_scores


@pytest.mark.parametrize("growth", ["leaf", "level", "symmetric"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sharing_tracks_changes_no_bit(growth, dtype):
    X, n_levels, y = mixed_table(1500, 0)
    V = mixed_table(200, 1)[0]
    V[0, :14] = 1.0  # what never meets in training, and gaps where it had none
    V[1, 3] = V[2, 20] = np.nan
    V[3] = np.nan
    X, V = X.astype(dtype), V.astype(dtype)
    bins = make_bins(X, n_levels=n_levels, max_bins=50, sharing="none")
    arrays, scores, other_scores = grown(bins, y, bins_like(bins, V), growth)
    cases = [
        ("exclusive", X, V),
        ("all", X, V),
        ("all", np.asfortranarray(X), sp.csr_array(V)),
        ("all", sp.csr_matrix(X), sp.csc_matrix(V)),
        ("none", sp.csc_array(X), V),
    ]
    for sharing, rows, others in cases:
        same = make_bins(rows, n_levels=n_levels, max_bins=50, sharing=sharing)
        found = grown(same, y, bins_like(same, others), growth)
        assert (same.n_tracks < bins.n_tracks) == (sharing != "none")
        np.testing.assert_array_equal(found[1], scores)
        np.testing.assert_array_equal(found[2], other_scores)
        for tree, expected in zip(found[0], arrays, strict=True):
            for name, value in expected.items():
                np.testing.assert_array_equal(tree[name], value)


def test_a_constant_column_has_no_track():
    X = np.column_stack([np.ones(50), np.arange(50.0), np.zeros(50)])
    assert make_bins(X, sharing="none").n_tracks == 1
    assert make_bins(sp.csr_array(X)).n_tracks == 1


def test_dense_booleans_are_packed_by_eight():
    X = np.random.default_rng(0).integers(0, 2, (500, 40)).astype(np.float32)
    assert make_bins(X).n_tracks == 5
    assert make_bins(X, sharing="exclusive").n_tracks == 40


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.coo_array])
def test_boosting_of_sparse_rows_is_that_of_dense_rows(make):
    X, n_levels, y = mixed_table(800, 2)
    X = np.nan_to_num(X)
    models = []
    for rows in (X, make(X)):
        settings = BoostingSettings(TreePlan(max_leaves=8), learning_rate=0.3)
        run = BoostingRun(Part(rows, y, None), Loss("logistic"), settings, n_levels=n_levels)
        other = run.follow(rows, y)
        for number in range(5):
            run.step(number)
        np.testing.assert_allclose(other.scores, run.train.scores, rtol=1e-12)
        models.append(run.model())
    dense, sparse = models
    np.testing.assert_array_equal(sparse.scores(make(X)), dense.scores(X))
    for a, b in zip(sparse.staged_scores(make(X)), dense.staged_scores(X), strict=True):
        np.testing.assert_array_equal(a, b)


def test_duplicate_entries_of_a_sparse_matrix_add_up():
    values, columns, starts = np.ones(4), np.array([0, 0, 1, 1]), np.array([0, 2, 4])
    doubled = sp.csr_matrix((values, columns, starts), shape=(2, 2))
    found, expected = make_bins(doubled), make_bins(doubled.toarray())
    for track in range(expected.n_tracks):
        np.testing.assert_array_equal(found.codes(track), expected.codes(track))
    assert doubled.nnz == 4  # the caller's matrix is left alone


def test_a_wide_sparse_table_is_never_written_out():
    rng = np.random.default_rng(3)
    n, n_levels = 4000, 500_000  # 16 GB of float64 if it were
    columns = (rng.zipf(1.3, (n, 5)) % (n_levels // 5) + np.arange(5) * (n_levels // 5)).ravel()
    X = sp.csr_array((np.ones(5 * n), columns, np.arange(0, 5 * n + 1, 5)), shape=(n, n_levels))
    bins = make_bins(X)
    assert bins.n_features == n_levels
    assert bins.n_tracks < 100


def test_sparse_arrays_that_point_outside_are_refused():
    X = sp.csr_array(np.ones((1, 2)))
    X.indices[1] = 5
    with pytest.raises(ValueError, match="corrupt"):
        _core.BoostBins(X, n_levels=None, max_bins=255, weight=None, ctx=core_context(None))


def decoded(found, column, n_bins):
    """Return the bins of a column of two or more bins from the codes of its bundle."""
    track = next(t for t, columns in enumerate(found.bundles) if column in columns)
    codes = found.codes[:, track].astype(int)
    if len(found.bundles[track]) == 1:
        return codes
    first = int(found.offsets[track][found.bundles[track].index(column)])
    usual = found.usual_bins[column]
    others = np.delete(np.arange(n_bins), usual)
    is_own = (codes >= first) & (codes < first + n_bins - 1)
    return np.where(is_own, others[np.where(is_own, codes - first, 0)], usual)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_bundles_can_be_decoded(make):
    rng = np.random.default_rng(4)
    X = np.hstack([np.eye(5)[rng.integers(0, 5, 300)], 2.0 * np.eye(3)[rng.integers(0, 3, 300)]])
    X = np.column_stack([X, rng.integers(0, 2, 300), np.full(300, 7.0)])
    found = bundle_exclusive_features(make(X))
    assert sorted(np.concatenate(found.bundles)) == list(range(9))  # the constant column is in none
    assert [0, 1, 2, 3, 4] in found.bundles and [5, 6, 7] in found.bundles
    for column in range(9):
        np.testing.assert_array_equal(decoded(found, column, 2), X[:, column] > 0)


def test_conflicts_are_kept_within_the_rate():
    X = np.zeros((100, 2))
    X[:40, 0] = 1.0
    X[38:70, 1] = 1.0  # two rows in a hundred meet
    assert bundle_exclusive_features(X).bundles == [[0], [1]]
    assert bundle_exclusive_features(X, 0.01).bundles == [[0], [1]]
    found = bundle_exclusive_features(X, max_conflict_rate=0.02)
    assert found.bundles == [[0, 1]]
    np.testing.assert_array_equal(found.codes[[0, 39, 40, 80], 0], [1, 1, 2, 0])


@pytest.mark.parametrize("rate", [-0.1, 1.0, "much", np.nan])
def test_the_rate_is_checked(rate):
    with pytest.raises(ValueError, match="max_conflict_rate"):
        bundle_exclusive_features(np.eye(3), rate)
