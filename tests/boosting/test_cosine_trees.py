"""Symmetric trees whose splits are chosen by the cosine, and leaves that all rows give."""

from itertools import product

import numpy as np
import pytest

from gramian import _core
from gramian._boosting.losses import Loss
from gramian._boosting.rows import Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.settings import BoostingSettings, TreePlan
from gramian._boosting.tree_fit import Round

L2 = 2.0


def grown(X, y, loss=None, weight=None, **options):
    plan = options.pop("plan", {})
    plan = {"growth": "symmetric", "max_depth": 2, "max_leaves": 0, "min_rows": 1, **plan}
    trees = TreePlan(min_hessian=0.0, l2=L2, by_cosine=True, **plan)
    run = BoostingRun(
        Part(X, np.asarray(y, dtype=np.float64), weight),
        loss or Loss("squared_error"),
        BoostingSettings(trees, learning_rate=1.0, seed=7, **options),
    )
    run.step(0)
    return run


def first_tree(boosting):
    return _core.join_flat_trees(boosting.grown[:1])


def cosine(X, gradient, splits):
    """Return the score of a set of splits, each a column and a border."""
    sides = np.array([X[:, column] <= border for column, border in splits])
    along = length = 0.0
    for answer in product((False, True), repeat=len(splits)):
        is_in = (sides == np.array(answer)[:, None]).all(axis=0)
        value = gradient[is_in].sum() / (is_in.sum() + L2)
        along += gradient[is_in].sum() * value
        length += is_in.sum() * value**2
    return along / np.sqrt(length)


def test_splits_have_the_largest_cosine():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (80, 3)).astype(np.float64)
    y = X[:, 0] * (X[:, 1] > 2) + rng.normal(size=80)
    tree = first_tree(grown(X, y))
    columns, borders = tree["feature"], tree["threshold"]
    root = (int(columns[0]), float(borders[0]))
    second = (int(columns[1]), float(borders[1]))
    gradient = y.mean() - y
    cuts = [(column, border + 0.5) for column in range(3) for border in range(5)]
    best = max(cosine(X, gradient, [cut]) for cut in cuts)
    assert cosine(X, gradient, [root]) == pytest.approx(best, rel=1e-5)
    best = max(cosine(X, gradient, [root, cut]) for cut in cuts)
    assert cosine(X, gradient, [root, second]) == pytest.approx(best, rel=1e-5)


def test_noise_changes_splits_and_fades():
    rng = np.random.default_rng(0)
    X = rng.random((60, 4))
    y = X[:, 0] + 0.5 * rng.normal(size=60)
    plain = first_tree(grown(X, y))
    noisy = first_tree(grown(X, y, random_strength=50.0))
    again = first_tree(grown(X, y, random_strength=50.0))
    np.testing.assert_array_equal(noisy["threshold"], again["threshold"])
    assert noisy["feature"].tolist() != plain["feature"].tolist() or (
        noisy["threshold"].tolist() != plain["threshold"].tolist()
    )
    fit = grown(X, y, random_strength=1.0)._fit
    gradient = fit.gradient[0]
    first, later = (fit._noise(gradient, Round(number, 0.1, 0, None)) for number in (1, 200))
    assert 0.0 < later < first < np.sqrt(np.mean(gradient.astype(np.float64) ** 2))


def test_leaves_are_newton_steps_on_all_rows():
    rng = np.random.default_rng(0)
    X, weight = rng.random((90, 1)), rng.integers(1, 4, 90).astype(np.float64)
    y = (X[:, 0] + 0.3 * rng.normal(size=90) > 0.5).astype(np.float64)
    plan = {"max_depth": 1}
    for steps in (1, 3):
        boosting = grown(X, y, Loss("logistic"), weight, plan=plan, leaf_steps=steps)
        tree, start = first_tree(boosting), boosting.baseline[0]
        is_left = X[:, 0] <= tree["threshold"][0]
        for side, found in zip((is_left, ~is_left), tree["leaf_value"], strict=True):
            value = 0.0
            for _ in range(steps):
                share = 1.0 / (1.0 + np.exp(-(start + value)))
                slope = (weight[side] * (share - y[side])).sum()
                value -= slope / ((weight[side] * share * (1 - share)).sum() + L2)
            assert found == pytest.approx(value, rel=1e-5)


def test_leaves_of_drawn_rows_are_those_of_all():
    class First:
        """Draws the first rows."""

        def draw(self, seed, gradient, hessian):
            return np.arange(30, dtype=np.uint32), None

    X = np.repeat([[0.0], [1.0]], [30, 60], axis=0)
    X[:10] = 1.0
    y = np.arange(90.0)
    boosting = grown(X, y, plan={"max_depth": 1}, sampling=First(), leaf_steps=1)
    residual = y - y.mean()
    expected = [residual[X[:, 0] == side].sum() / ((X[:, 0] == side).sum() + L2) for side in (0, 1)]
    np.testing.assert_allclose(first_tree(boosting)["leaf_value"].ravel(), expected, rtol=1e-5)
