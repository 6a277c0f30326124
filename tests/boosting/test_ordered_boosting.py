"""Ordered boosting: gradients of rows by models that have not seen them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import gramian
from gramian import _core
from gramian._boosting.losses import Loss
from gramian._boosting.rows import Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.settings import BoostingSettings, TreePlan
from gramian.boosting import BoostingClassifier, BoostingRanker, BoostingRegressor
from gramian.config import core_context
from gramian.inspection import worked
from gramian.metrics import log_loss

QUICK = {"n_estimators": 20, "random_state": 0, "boosting_type": "ordered"}


def orders_of(n, n_orders, seed=0):
    return [_core.boost_random_order(n, seed + k) for k in range(n_orders)]


# -- models of the first rows ----------------------------------------------------------------------


def seen_and_known(n):
    """Return how many rows each model has seen, and how many it has scores of."""
    seen = [0]
    while max(2 * seen[-1], 1) < n:
        seen.append(max(2 * seen[-1], 1))
    return seen, [min(max(2 * s, 1), n) for s in seen]


@pytest.mark.parametrize("n", [1, 2, 3, 8, 13])
def test_models_double_and_a_row_is_scored_by_one_that_has_not_seen_it(n):
    order = np.asarray(_core.boost_random_order(n, 3))
    models = _core.BoostPrefixModels(order, weight=None)
    seen, known = seen_and_known(n)
    rows, places = np.asarray(models.rows()), np.asarray(models.own_places())
    np.testing.assert_array_equal(rows, np.concatenate([order[:k] for k in known]))
    np.testing.assert_array_equal(rows[places], np.arange(n))
    assert len(rows) < 3 * n + 1
    model_of = np.repeat(np.arange(len(seen)), known)[places]
    position = np.argsort(order)
    for row in range(n):
        largest = max(k for k in range(len(seen)) if seen[k] <= position[row])
        assert model_of[row] == largest


@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_the_rows_that_a_model_has_seen(weighted):
    rng = np.random.default_rng(0)
    n, n_leaves = 37, 4
    order = np.asarray(_core.boost_random_order(n, 1))
    weight = rng.uniform(0.0, 2.0, n) if weighted else None
    leaf_of = rng.integers(0, n_leaves, n).astype(np.uint32)
    models = _core.BoostPrefixModels(order, weight=weight)
    models.set_leaves(leaf_of, n_leaves=n_leaves)
    seen, known = seen_and_known(n)
    starts = np.concatenate([[0], np.cumsum(known)])
    gradient = rng.normal(size=starts[-1]).astype(np.float32)
    hessian = rng.uniform(0.5, 1.0, starts[-1]).astype(np.float32)
    scores, y = rng.normal(size=starts[-1]), rng.normal(size=n)
    options = _core.BoostOptions()
    options.l2, options.learning_rate = 2.0, 0.3
    ctx = core_context(1)
    newton = np.asarray(models.newton_values(gradient, hessian, options, ctx))
    quantiles = np.asarray(models.quantile_values(y, scores, share=0.5, scale=0.3, ctx=ctx))
    w = np.ones(n) if weight is None else weight
    for k, (n_seen, start) in enumerate(zip(seen, starts[:-1], strict=True)):
        for leaf in range(n_leaves):
            at = np.flatnonzero(leaf_of[order[:n_seen]] == leaf)
            rows = order[at]
            g, h = (np.sum(w[rows] * part[start + at]) for part in (gradient, hessian))
            assert newton[k * n_leaves + leaf] == pytest.approx(-0.3 * g / (h + 2.0), abs=1e-9)
            left = y[rows] - scores[start + at]
            wanted = 0.3 * np.median(left) if len(at) else 0.0
            if weight is None:
                assert quantiles[k * n_leaves + leaf] == pytest.approx(wanted)
    before = scores.copy()
    models.add(newton, scores, ctx)
    copies = np.asarray(models.rows())
    model_of = np.repeat(np.arange(len(seen)), known)
    np.testing.assert_allclose(scores - before, newton[model_of * n_leaves + leaf_of[copies]])


def test_orders_and_leaves_that_are_none_are_refused():
    with pytest.raises(ValueError, match="each row once"):
        _core.BoostPrefixModels(np.array([0, 0], np.uint32), weight=None)
    models = _core.BoostPrefixModels(np.arange(3, dtype=np.uint32), weight=None)
    with pytest.raises(ValueError, match="name leaves"):
        models.set_leaves(np.array([0, 1, 2], np.uint32), n_leaves=2)


# -- rounds ----------------------------------------------------------------------------------------


def rounds_of(X, y, loss, weight=None, n_rounds=15, rate=0.1, plan=None, **options):
    plan = plan or TreePlan(max_leaves=8, min_rows=1, l2=1.0)
    settings = BoostingSettings(plan, learning_rate=rate, **options)
    fit = BoostingRun(Part(X, y, weight), loss, settings)
    for number in range(n_rounds):
        fit.step(number)
    return fit


def test_the_scores_of_an_order_are_those_of_fits_to_its_first_rows():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:101], y[:101]
    fit = rounds_of(X, y, Loss("squared_error"), n_orders=2)
    leaves = fit.model().apply(X, 1)
    seen, known = seen_and_known(101)
    for order, found in zip(orders_of(101, 2), fit.ordering.order_scores, strict=True):
        wanted = []
        for n_seen, n_known in zip(seen, known, strict=True):
            scores = np.full(n_known, fit.baseline[0])
            body, all_rows = order[:n_seen], order[:n_known]
            for tree in range(leaves.shape[1]):
                left = scores[:n_seen] - y[body]
                sums = np.bincount(leaves[body, tree], left, leaves.max() + 1)
                counts = np.bincount(leaves[body, tree], minlength=leaves.max() + 1)
                scores -= 0.1 * (sums / (counts + 1.0))[leaves[all_rows, tree]]
            wanted.append(scores)
        np.testing.assert_allclose(found.scores[0], np.concatenate(wanted), rtol=1e-5)


def residuals(n, trials, plan, draw):
    """Return mean squared residuals that trees see, and those of rows that are new to all models.

    New rows have no weight: they stand among the others in each order, and no value of a leaf
    comes from them.
    """
    found = {"plain": [], "ordered": []}
    rng = np.random.default_rng(0)
    for trial in range(trials):
        X, y = draw(rng, 2 * n)
        weight = (np.arange(2 * n) < n).astype(float)
        given = (X, y, Loss("squared_error"), weight, 20, 0.3, plan)
        plain = rounds_of(*given)
        ordered = rounds_of(*given, n_orders=3, seed=10 * trial)
        first = ordered.ordering.order_scores[0]
        scores = {"plain": plain.train.scores[0], "ordered": first.scores[0, first.own_places]}
        for name, own in scores.items():
            squares = (y - own) ** 2
            found[name].append((squares[:n].mean(), squares[n:].mean()))
    return {name: np.array(pairs) for name, pairs in found.items()}


def test_ordered_residuals_are_those_of_new_rows():
    """Three binary columns have eight cells: leaves are all that a fit can choose."""

    def draw(rng, n):
        X = rng.integers(0, 2, size=(n, 3)).astype(float)
        return X, X @ [1.0, 2.0, 0.0] + rng.normal(size=n)

    plan = TreePlan(growth="symmetric", max_depth=3, min_rows=1, l2=1.0)
    found = residuals(60, 80, plan, draw)
    gaps = {name: pairs[:, 0] - pairs[:, 1] for name, pairs in found.items()}
    errors = {name: gap.std() / len(gap) ** 0.5 for name, gap in gaps.items()}
    assert gaps["plain"].mean() < -8 * errors["plain"]  # about -2 * 8 cells / 60 rows
    assert abs(gaps["ordered"].mean()) < 2.5 * errors["ordered"]
    assert abs(gaps["ordered"].mean()) < 0.3 * abs(gaps["plain"].mean())


def test_shared_splits_leave_a_part_of_the_shift():
    def draw(rng, n):
        X = rng.normal(size=(n, 3))
        return X, X[:, 0] + rng.normal(size=n)

    plan = TreePlan(growth="symmetric", max_depth=3, min_rows=1, l2=1.0)
    found = residuals(200, 10, plan, draw)
    ratios = {name: (pairs[:, 0] / pairs[:, 1]).mean() for name, pairs in found.items()}
    assert ratios["plain"] < 0.6 and ratios["ordered"] > ratios["plain"] + 0.15


def test_threads_do_not_matter_and_seeds_do():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 6))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 2.0 * rng.normal(size=50_000) > 0.0
    options = {"growth": "symmetric", "max_depth": 4, "boosting_type": "ordered"}
    models = [
        BoostingClassifier(n_estimators=6, **options, random_state=seed, n_jobs=n_jobs).fit(X, y)
        for seed, n_jobs in ((0, 1), (0, 2), (1, 1))
    ]
    scores = [model.decision_function(X[:600]) for model in models]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert (scores[0] != scores[2]).any()


LOSSES = {
    "squared_error": {},
    "absolute_error": {},
    "huber": {"huber_delta": 30.0},
    "quantile": {"quantile": 0.4},
    "expectile": {"quantile": 0.6},
    "poisson": {},
    "gamma": {},
    "tweedie": {},
}


@pytest.mark.parametrize("growth", ["leaf", "level", "symmetric"])
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_and_growth(loss, growth):
    X, y = load_diabetes(return_X_y=True)
    options = {"growth": growth, "max_depth": 3, "learning_rate": 0.2, "min_samples_leaf": 5}
    model = BoostingRegressor(loss, **LOSSES[loss], **options, **QUICK).fit(X[:300], y[:300])
    plain = BoostingRegressor(loss, **LOSSES[loss], **options, n_estimators=20, random_state=0)
    plain.fit(X[:300], y[:300])
    errors = [np.abs(m.predict(X[300:]) - y[300:]).mean() for m in (model, plain)]
    assert errors[0] < 1.1 * errors[1]
    assert (model.predict(X) != plain.predict(X)).any()


def test_several_classes_outputs_and_quantiles():
    X, y = load_iris(return_X_y=True)
    for loss in ("log_loss", "one_vs_all"):
        model = BoostingClassifier(loss, **QUICK, min_samples_leaf=5).fit(X[::2], y[::2])
        assert model.score(X[1::2], y[1::2]) > 0.9
    X, y = load_diabetes(return_X_y=True)
    both = np.column_stack([y, -y])
    model = BoostingRegressor(**QUICK).fit(X, both)
    alone = BoostingRegressor(**QUICK).fit(X, y)
    assert model.predict(X).shape == (442, 2)
    assert model.score(X, both) == pytest.approx(alone.score(X, y), abs=0.1)
    band = BoostingRegressor("quantile", quantile=[0.1, 0.9], **QUICK).fit(X, y).predict(X)
    assert (band[:, 0] <= band[:, 1]).all()


def test_sampling_steps_and_losses_of_users():
    X, y = load_breast_cancer(return_X_y=True)
    for sampling in (
        {"subsample": 0.5},
        {"sampling": "goss"},
        {"sampling": "mvs", "subsample": 0.5},
    ):
        model = BoostingClassifier(**QUICK, **sampling).fit(X[::2], y[::2])
        assert model.score(X[1::2], y[1::2]) > 0.88
    model = BoostingClassifier(lambda y, s: (np.tanh(s) - 2 * y + 1, np.ones_like(s)), **QUICK)
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.88
    model = BoostingClassifier(**QUICK, preset="catboost", class_weight="balanced")
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.88


def test_evaluation_sets_see_the_model_and_stop_it():
    X, y = load_breast_cancer(return_X_y=True)
    options = {**QUICK, "n_estimators": 200, "learning_rate": 0.3}
    model = BoostingClassifier(**options, early_stopping_rounds=5)
    model.fit(X[::2], y[::2], eval_set=[(X[1::2], y[1::2])], eval_metric="log_loss")
    assert model.n_estimators_ == model.best_iteration_ + 1 < 200
    staged = [log_loss(y[1::2], p[:, 1]) for p in model.staged_predict_proba(X[1::2])]
    found = model.evals_result_["validation_0"]["log_loss"][: model.n_estimators_]
    np.testing.assert_allclose(found, staged, rtol=1e-9)


def test_the_values_of_the_model_come_from_all_rows():
    X, y = load_diabetes(return_X_y=True)
    model = BoostingRegressor(**{**QUICK, "n_estimators": 1}, learning_rate=1.0, reg_lambda=0.0)
    predicted = model.fit(X, y).predict(X)
    leaves = model.apply(X)[:, 0]
    means = pd.Series(y).groupby(leaves).transform("mean")
    np.testing.assert_allclose(predicted, means, rtol=1e-5)


# -- categorical columns ---------------------------------------------------------------------------


def shops(n, seed=0):
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 200, n)
    effect = 1.5 * rng.normal(size=200)[town]
    size = rng.normal(size=n)
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-effect - size))).astype(int)
    return pd.DataFrame({"town": [f"t{k}" for k in town], "size": size}), y


@pytest.mark.parametrize("cat_orders", [1, 2, 4])
def test_target_statistics_follow_the_same_orders(cat_orders, tmp_path):
    X, y = shops(1500)
    options = {**QUICK, "max_cat_levels": 2, "cat_orders": cat_orders}
    model = BoostingClassifier(**options).fit(X[:1000], y[:1000])
    assert model.score(X[1000:], y[1000:]) > 0.65
    gramian.save(model, tmp_path / "model")
    again = gramian.load(tmp_path / "model").decision_function(X)
    np.testing.assert_array_equal(again, model.decision_function(X))
    plain = BoostingClassifier(**{**options, "boosting_type": "plain"}).fit(X[:1000], y[:1000])
    assert (plain.decision_function(X) != again).any()


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"drop_rate": 0.1},
        {"warm_start": True},
        {"linear_leaves": True},
        {"monotonic_cst": [1] + [0] * 9},
    ],
)
def test_what_cannot_be_ordered_is_refused(options):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(
        ValueError, match=rf"{next(iter(options))} cannot be used with boosting_type"
    ):
        BoostingRegressor(**QUICK, **options).fit(X, y)


def test_rankings_and_worked_are_refused():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match="whole queries"):
        BoostingRanker(**QUICK).fit(X[:20], np.arange(20) % 3, group=[10, 10])
    model = BoostingRegressor(**QUICK).fit(X, y)
    with pytest.raises(ValueError, match="cannot follow boosting_type='ordered'"):
        worked(model, X, y)
