"""Neighbourhood components analysis: its objective, its gradient, and scikit-learn's maps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification
from sklearn.neighbors import NeighborhoodComponentsAnalysis as ScikitLearns

from gramian import _core, config
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning
from gramian.neighbors import NeighborhoodComponentsAnalysis

IRIS = load_iris()


def objective(rows, codes):
    """The expected number of right rows and half its gradient, by all pairs."""
    squares = ((rows[:, None] - rows) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    shares = np.exp(squares.min(axis=1, keepdims=True) - squares)
    shares /= shares.sum(axis=1, keepdims=True)
    alike = codes[:, None] == codes
    chances = (shares * alike).sum(axis=1)
    pulls = shares * (alike - chances[:, None])
    pulls = pulls + pulls.T
    return chances, pulls @ rows - pulls.sum(axis=1, keepdims=True) * rows


def chosen(rows, codes):
    chances, pull = np.empty(len(rows)), np.empty(rows.shape)
    _core.choose_neighbours(
        rows, codes.astype(np.int64), probabilities=chances, pull=pull, ctx=core_context()
    )
    return chances, pull


@pytest.mark.parametrize("n", [2, 3, 8, 63, 64, 65, 200])
@pytest.mark.parametrize("p", [1, 3])
def test_chances_and_pulls_are_those_of_all_pairs(n, p):
    rng = np.random.default_rng(n)
    rows, codes = 3.0 * rng.normal(size=(n, p)), rng.integers(0, 3, n)
    rows[-1] = rows[0]  # two rows at one place
    for mine, expected in zip(chosen(rows, codes), objective(rows, codes), strict=True):
        assert_allclose(mine, expected, rtol=1e-10, atol=1e-12)


def test_a_far_row_chooses_the_nearest():
    rows = np.array([[0.0], [0.1], [1e4], [2e4]])
    chances, pull = chosen(rows, np.array([0, 1, 1, 0]))
    assert_allclose(chances, [0.0, 0.0, 1.0, 0.0], atol=1e-300)
    assert np.isfinite(pull).all()


def test_the_pull_is_half_the_gradient():
    rng = np.random.default_rng(3)
    rows, codes, step = rng.normal(size=(30, 2)), rng.integers(0, 2, 30), 1e-6
    _, pull = chosen(rows, codes)
    for i, k in [(0, 0), (7, 1), (29, 0)]:
        moved = [rows.copy(), rows.copy()]
        moved[0][i, k] += step
        moved[1][i, k] -= step
        slope = (chosen(moved[0], codes)[0].sum() - chosen(moved[1], codes)[0].sum()) / (2 * step)
        assert_allclose(2.0 * pull[i, k], slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("init", ["identity", "pca", "random", "auto"])
def test_maps_are_scikit_learns(init):
    X, y = make_classification(n_samples=80, n_features=5, n_informative=3, random_state=1)
    params = {"n_components": 2, "init": init, "random_state": 4, "max_iter": 30, "tol": 1e-9}
    mine = NeighborhoodComponentsAnalysis(**params).fit(X, y)
    theirs = ScikitLearns(**params).fit(X, y)
    assert mine.certificate_.objective == pytest.approx(-expected_right(theirs, X, y), rel=1e-3)
    if mine.n_iter_ == theirs.n_iter_:
        assert_allclose(mine.transform(X), X @ mine.components_.T)


def expected_right(model, X, y):
    return objective(X @ model.components_.T, y)[0].sum()


def test_the_first_steps_are_scikit_learns():
    for max_iter in (1, 3):
        params = {"init": "identity", "max_iter": max_iter}
        mine = NeighborhoodComponentsAnalysis(**params).fit(IRIS.data, IRIS.target)
        theirs = ScikitLearns(**params).fit(IRIS.data, IRIS.target)
        assert_allclose(mine.components_, theirs.components_, rtol=1e-6)
        assert mine.n_iter_ == theirs.n_iter_


def test_the_certificate_tells_the_objective_of_the_map():
    model = NeighborhoodComponentsAnalysis(n_components=2).fit(IRIS.data, IRIS.target)
    right = expected_right(model, IRIS.data, IRIS.target)
    assert model.certificate_.objective == pytest.approx(-right)
    assert right > 140
    assert "of 150 rows" in str(model.certificate_)


def test_threads_do_not_change_the_map():
    maps = []
    for n_threads in (1, 2):
        with config(n_threads=n_threads):
            model = NeighborhoodComponentsAnalysis(n_components=2, max_iter=10)
            maps.append(model.fit(IRIS.data, IRIS.target).components_)
    assert_array_equal(*maps)


def test_callback_warm_start_and_verbose(capsys):
    steps = []
    model = NeighborhoodComponentsAnalysis(
        max_iter=4,
        verbose=1,
        warm_start=True,
        callback=lambda flat, n: steps.append((flat.size, n)),
    )
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        model.fit(IRIS.data, IRIS.target)
    assert steps == [(16, 1), (16, 2), (16, 3), (16, 4)]
    assert "Objective Value" in capsys.readouterr().out
    before = model.certificate_.objective
    model.set_params(verbose=0, max_iter=20).fit(IRIS.data, IRIS.target)
    assert model.certificate_.objective < before


def test_wrong_shapes_are_named():
    X, y = np.arange(12.0).reshape(4, 3), [1, 1, 2, 2]
    for params, match in [
        ({"n_components": 4}, r"\(4\) cannot be greater than the given data dimensionality \(3\)"),
        ({"init": np.ones((2, 4))}, r"input dimensionality \(4\)"),
        ({"init": np.ones((4, 3))}, r"output dimensionality \(4\)"),
        ({"init": np.ones((2, 3)), "n_components": 3}, r"\(3\) does not match"),
    ]:
        with pytest.raises(ValueError, match=match):
            NeighborhoodComponentsAnalysis(**params).fit(X, y)
