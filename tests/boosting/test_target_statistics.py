"""Ordered target statistics against their definition, and boosting on them."""

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian import _core
from gramian._boosting.categories import StatisticsPlan, TrainingColumns
from gramian._boosting.losses import Loss
from gramian._boosting.rows import Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.settings import BoostingSettings, TreePlan
from gramian.boosting import ordered_target_statistics
from gramian.config import core_context

LOGISTIC = Loss("logistic")


def many_levels(n=2000, seed=0, dtype=np.float64):
    """Return a number and three categorical columns; two of them matter together only."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, n) for size in (40, 12, 12)])
    effect = rng.normal(size=40)[codes[:, 0]]
    effect += 2.0 * rng.choice([-1.0, 1.0], (12, 12))[codes[:, 1], codes[:, 2]]
    number = rng.normal(size=n)
    X = np.asfortranarray(np.column_stack([number, codes]), dtype=dtype)
    X[rng.random(n) < 0.05, 1] = np.nan
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-effect - number))).astype(float)
    return X, np.array([0, 40, 12, 12], np.int32), y


def defined(codes, y, weight, order, prior, strength):
    """Return the statistics by their definition."""
    out = np.empty(len(y))
    for place, row in enumerate(order):
        before = order[:place][codes[order[:place]] == codes[row]]
        sums = (weight[before] * y[before]).sum(), weight[before].sum()
        out[row] = (sums[0] + strength * prior) / (sums[1] + strength)
    return out


def statistics(codes, y, weight, order, dtype=np.float64, n_jobs=1):
    out = np.empty(codes.shape, dtype)
    _core.boost_ordered_statistics(
        codes,
        n_levels=codes.max(axis=1).astype(np.int32),
        target=y,
        weight=weight,
        order=order,
        prior=0.3,
        strength=2.0,
        out=out,
        ctx=core_context(n_jobs),
    )
    return out


@pytest.mark.parametrize("weighted", [False, True])
def test_the_definition(weighted):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 7, (2, 200), dtype=np.int32)
    y = rng.normal(size=200)
    weight = rng.integers(0, 3, 200).astype(float) if weighted else np.ones(200)
    order = _core.boost_random_order(200, 5)
    got = statistics(codes, y, weight if weighted else None, order)
    for column, row in zip(codes, got, strict=True):
        np.testing.assert_allclose(row, defined(column, y, weight, order, 0.3, 2.0), rtol=1e-12)
    singles = statistics(codes, y, weight, order, np.float32)
    np.testing.assert_array_equal(singles, got.astype(np.float32))
    errors = _core.boost_ordered_errors(
        codes,
        n_levels=codes.max(axis=1).astype(np.int32),
        target=y,
        weight=weight,
        order=order,
        prior=0.3,
        strength=2.0,
        ctx=core_context(1),
    )
    np.testing.assert_allclose(errors, ((y - got) ** 2 @ weight), rtol=1e-12)


def test_orders_are_permutations_and_differ():
    orders = [_core.boost_random_order(1000, seed) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(np.sort(orders[0]), np.arange(1000))
    np.testing.assert_array_equal(orders[0], orders[1])
    assert (orders[0] != orders[2]).mean() > 0.9


def test_no_row_sees_its_own_target():
    X, n_levels, y = many_levels(300)
    plan = StatisticsPlan(native_levels=2, combined_columns=1)
    codes_before = TrainingColumns(X, n_levels, [y], None, plan, 0)
    row, other = 17, np.flatnonzero(y != y[17])[0]
    changed = y.copy()
    changed[[row, other]] = y[[other, row]]  # the mean, which is the prior, stays
    codes_after = TrainingColumns(X, n_levels, [changed], None, plan, 0)
    is_apart = (X[other, 1:] != X[row, 1:]).all()
    assert is_apart
    for order in range(plan.n_orders):
        before, after = codes_before.matrix(order)[row], codes_after.matrix(order)[row]
        np.testing.assert_array_equal(before, after)


def test_pairs_of_levels():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 50, (2, 500), dtype=np.int32)
    keys = _core.boost_pair_keys(first, second, 50, 50)
    np.testing.assert_array_equal(keys, np.unique(first * np.int64(51) + second))
    out = np.empty(500, np.int32)
    _core.boost_pair_codes(first, second, 50, 50, keys, out)
    np.testing.assert_array_equal(keys[out], first * np.int64(51) + second)
    _core.boost_pair_codes(first, second, 50, 50, keys[:0], out)
    assert (out == 0).all()


def test_tables_do_not_depend_on_the_order_of_the_rows():
    X, n_levels, y = many_levels()
    shuffled = np.random.default_rng(3).permutation(len(y))
    plan = StatisticsPlan(native_levels=2, combined_columns=2, max_combinations=3)
    tables = [
        TrainingColumns(np.asfortranarray(X[rows]), n_levels, [y[rows]], None, plan, 0)
        for rows in (slice(None), shuffled)
    ]
    encoded = [np.sort(t.tables.encode(X), axis=1) for t in tables]
    np.testing.assert_array_equal(*encoded)


def test_tables_count_weights_as_copies_and_unseen_levels_as_the_prior():
    X, n_levels, y = many_levels(500)
    weight = np.random.default_rng(2).integers(0, 4, 500).astype(float)
    copies = np.repeat(np.arange(500), weight.astype(int))
    plan = StatisticsPlan(native_levels=2, combined_columns=1, strength=5.0)
    weighted = TrainingColumns(X, n_levels, [y], weight, plan, 0).tables
    copied = TrainingColumns(
        np.asfortranarray(X[copies]), n_levels, [y[copies]], None, plan, 0
    ).tables
    np.testing.assert_allclose(weighted.encode(X), copied.encode(X), rtol=1e-12)
    unseen = weighted.encode(np.array([[0.0, 99.0, np.nan, np.nan]]))
    mean = np.average(y, weights=weight)
    np.testing.assert_allclose(unseen[0, [3, 4, 5, 6]], [mean, 0.0, mean, 0.0])


def test_the_pair_that_matters_is_found():
    X, n_levels, y = many_levels()
    plan = StatisticsPlan(native_levels=2, combined_columns=2, max_combinations=1)
    columns = TrainingColumns(X, n_levels, [y], None, plan, 0)
    np.testing.assert_array_equal(columns.tables.parents, [[1, 2]])


@pytest.mark.parametrize("n_targets", [1, 3])
def test_shapes_of_the_statistics(n_targets):
    X, n_levels, y = many_levels(400, dtype=np.float32)
    plan = StatisticsPlan(native_levels=12, combined_columns=1)
    columns = TrainingColumns(X, n_levels, [y] * n_targets, None, plan, 0)
    matrix, new = columns.matrix(1), columns.tables.encode(X)
    assert matrix.shape == new.shape == (400, 3 + n_targets + 1)
    assert matrix.dtype == new.dtype == np.float32
    np.testing.assert_array_equal(matrix[:, :3], X[:, [0, 2, 3]])
    np.testing.assert_array_equal(columns.tables.n_levels[:3], [0, 12, 12])
    np.testing.assert_array_equal(matrix[:, -1], new[:, -1])  # the counts


def fitted(X, n_levels, y, n_jobs=1, combined=2, n_rounds=40):
    plan = StatisticsPlan(native_levels=2, combined_columns=combined)
    columns = TrainingColumns(X, n_levels, [y], None, plan, 3, n_jobs)
    trees = TreePlan(growth="symmetric", max_depth=4, max_leaves=16, min_rows=1, l2=3.0)
    settings = BoostingSettings(trees, learning_rate=0.2, n_jobs=n_jobs)
    run = BoostingRun(Part(X, y, None), LOGISTIC, settings, columns=columns)
    for number in range(n_rounds):
        run.step(number)
    return columns.tables, run.model()


def test_combinations_help_and_threads_do_not_matter():
    X, n_levels, y = many_levels(4000)
    train, test = np.asfortranarray(X[:3000]), X[3000:]
    errors = []
    for combined in (1, 2):
        tables, model = fitted(train, n_levels, y[:3000], combined=combined)
        scores = model.scores(tables.encode(test))[:, 0]
        errors.append(((scores > 0) != y[3000:]).mean())
    assert errors[1] < errors[0] - 0.05
    tables, model = fitted(train, n_levels, y[:3000], n_jobs=2)
    np.testing.assert_array_equal(model.scores(tables.encode(test))[:, 0], scores)


def test_tables_are_saved(tmp_path):
    X, n_levels, y = many_levels(300)
    plan = StatisticsPlan(native_levels=2, combined_columns=2)
    tables = TrainingColumns(X, n_levels, [y], None, plan, 0).tables
    gramian.save(tables, tmp_path / "tables")
    np.testing.assert_array_equal(gramian.load(tmp_path / "tables").encode(X), tables.encode(X))


def test_codes_outside_the_levels_are_refused():
    codes = np.array([[0, 5]], np.int32)
    with pytest.raises(ValueError, match="codes must be from 0"):
        _core.boost_ordered_errors(
            codes,
            n_levels=np.array([3], np.int32),
            target=np.zeros(2),
            weight=None,
            order=np.arange(2, dtype=np.uint32),
            prior=0.0,
            strength=1.0,
            ctx=core_context(1),
        )


def test_public_function_takes_any_table():
    frame = pd.DataFrame({"town": ["a", "b", None, "a", "a"], "size": [1.0, 2.0, 1.0, 1.0, np.nan]})
    y = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    order = np.array([4, 0, 3, 1, 2])
    got = ordered_target_statistics(frame, y, order=order, strength=2.0)
    for column, codes in enumerate(([0, 1, 2, 0, 0], [0, 1, 0, 0, 2])):
        wanted = defined(np.array(codes), y, np.ones(5), order, 3.0, 2.0)
        np.testing.assert_allclose(got[:, column], wanted)
    as_array = ordered_target_statistics(frame.to_numpy(object), y, order=order, strength=2.0)
    np.testing.assert_array_equal(as_array, got)
    drawn = [ordered_target_statistics(frame, y, random_state=7) for _ in range(2)]
    np.testing.assert_array_equal(*drawn)


def test_public_function_refuses_what_is_no_order():
    with pytest.raises(ValueError, match="order must hold each row number"):
        ordered_target_statistics(["a", "b"], [0, 1], order=[0, 0])
    with pytest.raises(ValueError, match="strength"):
        ordered_target_statistics(["a", "b"], [0, 1], strength=0.0)


def test_nothing_to_replace():
    X, n_levels, y = many_levels(100)
    columns = TrainingColumns(X, n_levels, [y], None, StatisticsPlan(native_levels=40), 0)
    np.testing.assert_array_equal(columns.matrix(0), X)
    np.testing.assert_array_equal(columns.tables.encode(X), X)
    np.testing.assert_array_equal(columns.tables.n_levels, n_levels)
