"""A run of boosting: rows that follow, settings that change, rounds that are left out."""

import itertools

import numpy as np
import pytest

import gramian
from gramian._boosting.categories import StatisticsPlan, TrainingColumns
from gramian._boosting.losses import Loss
from gramian._boosting.progress import Progress
from gramian._boosting.rows import Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.settings import BoostingSettings, DropPlan, LinearPlan, TreePlan
from gramian.config import core_context

TREES = TreePlan(max_leaves=6, min_rows=5)
SQUARED = Loss("squared_error")
DROPS = DropPlan(0.5, 0.0, 0)


def make_rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 2] = rng.integers(0, 40, size=n)
    return X, X[:, 0] + np.sin(X[:, 2]) + 0.1 * rng.normal(size=n)


def run_of(settings, statistics=False, loss=SQUARED):
    X, y = make_rows()
    columns = None
    if statistics:
        plan = StatisticsPlan(native_levels=2, n_orders=3, combined_columns=1)
        levels = np.array([0, 0, 40], np.int32)
        columns = TrainingColumns(X, levels, [y], None, plan, settings.seed)
    return BoostingRun(Part(X, y, None), loss, settings, columns=columns), columns


KINDS = [
    (statistics, drops, n_orders)
    for statistics, drops, n_orders in itertools.product((False, True), (None, DROPS), (0, 2))
    if drops is None or not n_orders
]


@pytest.mark.parametrize(("statistics", "drops", "n_orders"), KINDS)
def test_followed_rows_have_the_scores_of_the_model(statistics, drops, n_orders):
    settings = BoostingSettings(TREES, seed=3, drops=drops, n_orders=n_orders)
    run, columns = run_of(settings, statistics)
    X, y = make_rows(100, seed=1)
    encoded = X if columns is None else columns.tables.encode(X)
    rows = run.follow(encoded, y)
    for number in range(8):
        run.step(number)
    model = run.model()
    assert run.n_rounds == model.n_rounds == 8
    np.testing.assert_allclose(rows.scores.T, model.scores(encoded), atol=1e-9)
    if columns is None:
        np.testing.assert_allclose(run.train.scores.T, model.scores(make_rows()[0]), atol=1e-9)
    assert len(run.views) == (3 if statistics else 1)


def test_linear_leaves_shrink_with_their_rounds():
    settings = BoostingSettings(TREES, seed=3, drops=DROPS, linear=LinearPlan(1.0, True))
    run, _ = run_of(settings)
    for number in range(8):
        run.step(number)
    np.testing.assert_allclose(run.train.scores.T, run.model().scores(make_rows()[0]), atol=1e-9)


def test_parallel_trees_do_not_see_each_other():
    run, _ = run_of(BoostingSettings(TREES, learning_rate=0.6, n_parallel=3))
    alone, _ = run_of(BoostingSettings(TREES, learning_rate=0.6))
    run.step(0)
    alone.step(0)
    assert (run.n_rounds, len(run.grown)) == (1, 3)
    np.testing.assert_allclose(run.train.scores, alone.train.scores, rtol=1e-12)


def test_a_run_goes_on_from_a_model_and_with_other_settings():
    settings = BoostingSettings(TREES)
    whole, _ = run_of(settings)
    for number in range(6):
        whole.step(number)
    first, _ = run_of(settings)
    for number in range(4):
        first.step(number)
    X, y = make_rows()
    second = BoostingRun(Part(X, y, None), SQUARED, settings, before=first.model())
    rows = second.follow(X, y)
    np.testing.assert_array_equal(rows.scores, second.train.scores)
    assert second.n_before == 4 and second.model() is second.before
    for number in range(4, 6):
        second.step(number)
    np.testing.assert_allclose(second.model().scores(X), whole.model().scores(X), rtol=1e-12)
    second.use(BoostingSettings(TreePlan(max_leaves=2, min_rows=5)))
    second.step(6)
    assert second.grown[-1].n_leaves == 2
    assert [tree.n_leaves for tree in second.forget_last()] == [2]
    assert second.model().n_rounds == 6


@pytest.mark.parametrize(
    ("limit", "reason", "ending"),
    [
        (None, None, "all 5 rounds were grown"),
        (None, 2, "ended after 3 of 5 rounds"),
        (1e-9, None, "stopped by the time limit after 1 of 5 rounds"),
    ],
)
def test_how_a_run_ends(limit, reason, ending):
    run, _ = run_of(BoostingSettings(TREES))
    with gramian.config(time_limit=limit):
        ctx = core_context()
        found = run.grow(
            Progress(0, 0, 5),
            ended=lambda number: "ended" if number == reason else None,
            summary=str,
            ctx=ctx,
        )
    assert found == ending
