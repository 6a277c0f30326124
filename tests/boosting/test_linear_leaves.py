"""Linear leaves against normal equations in NumPy, and what models with them can do."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import gramian
from gramian import config
from gramian.boosting import BoostingClassifier, BoostingRanker, BoostingRegressor
from gramian.inspection import tree_shap


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 4)) * [1.0, 100.0, 0.01, 1.0] + [0.0, 5000.0, 1.0, 0.0]
    y = np.sin(2.0 * X[:, 0]) + 0.01 * X[:, 1] + 30.0 * X[:, 2] * X[:, 0]
    return X, y + 0.1 * rng.normal(size=3000)


def paths_of(node, path=()):
    """Yield the leaves of a dumped tree, with the names of the features on their paths."""
    if "children" not in node:
        yield node, sorted(set(path))
        return
    for child in node["children"]:
        yield from paths_of(child, (*path, node["feature"]))


def expected_leaf(X, gradient, hessian, columns, penalty, l2, rate):
    """Return what the model of a leaf gives to its rows, by the normal equations."""
    total = hessian.sum()
    centred = X[:, columns] - (hessian @ X[:, columns]) / total
    gram = centred.T @ (hessian[:, None] * centred)
    gram += np.diag(penalty * np.diag(gram) / total)
    slopes = -np.linalg.lstsq(gram, centred.T @ gradient, rcond=None)[0]
    return rate * (-gradient.sum() / (total + l2) + centred @ slopes)


@pytest.mark.parametrize("penalty", [0.0, 5.0])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_round_is_the_normal_equations(waves, penalty, is_weighted):
    X, y = waves
    weight = np.random.default_rng(0).random(len(y)) + 0.5 if is_weighted else np.ones(len(y))
    options = {"n_estimators": 1, "max_leaves": 6, "reg_lambda": 2.0, "base_score": 1.0}
    model = BoostingRegressor(linear_leaves=True, linear_lambda=penalty, **options)
    model.fit(X, y, weight if is_weighted else None)
    (tree,) = json.loads(model.dump("json"))["trees"]
    leaf_of = model.apply(X)[:, 0]
    for leaf, path in paths_of(tree["root"]):
        rows = leaf_of == leaf["node"]
        columns = [int(name[1:]) for name in path]
        gradient = weight[rows] * (1.0 - y[rows])
        step = expected_leaf(X[rows], gradient, weight[rows], columns, penalty, 2.0, 0.1)
        np.testing.assert_allclose(model.predict(X[rows]), 1.0 + step, rtol=1e-6)
        shown = leaf["intercept"] + sum(
            slope * X[rows, int(name[1:])] for name, slope in leaf["coefficients"].items()
        )
        np.testing.assert_allclose(model.predict(X[rows]), 1.0 + shown, rtol=1e-12)


def test_a_classifiers_second_round_uses_the_hessians():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6]
    options = {"learning_rate": 0.5, "max_leaves": 4, "linear_leaves": True, "linear_lambda": 3.0}
    model = BoostingClassifier(n_estimators=2, **options).fit(X, y)
    before = model[:1].decision_function(X)
    after = model.decision_function(X)
    share = 1.0 / (1.0 + np.exp(-before))
    gradient, hessian = share - y, share * (1.0 - share)
    leaf_of = model.apply(X)[:, 1]
    tree = json.loads(model.dump("json"))["trees"][1]
    for leaf, path in paths_of(tree["root"]):
        rows = leaf_of == leaf["node"]
        columns = [int(name[1:]) for name in path]
        step = expected_leaf(X[rows], gradient[rows], hessian[rows], columns, 3.0, 1.0, 0.5)
        np.testing.assert_allclose((after - before)[rows], step, rtol=1e-4, atol=1e-6)


def test_a_linear_target_needs_no_more_than_one_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 1))
    y = 3.0 * X[:, 0] - 2.0
    model = BoostingRegressor(
        n_estimators=1, learning_rate=1.0, linear_leaves=True, linear_lambda=0.0, reg_lambda=0.0
    ).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)
    outside = [[10.0], [-10.0]]
    np.testing.assert_allclose(model.predict(outside), [y.max(), y.min()], rtol=1e-5)
    model.set_params(linear_leaves="unbounded").fit(X, y)
    np.testing.assert_allclose(model.predict(outside), [28.0, -32.0], rtol=1e-5)
    assert "within" not in model.dump()


def test_units_do_not_matter(waves):
    X, y = waves
    units = np.array([1e-3, 1e4, 7.0, 0.5])
    fits = [
        BoostingRegressor(n_estimators=10, linear_leaves=True).fit(part, y).predict(part)
        for part in (X, X * units)
    ]
    np.testing.assert_allclose(fits[0], fits[1], rtol=1e-7)


def test_linear_leaves_predict_better_where_lines_are(waves):
    X, y = waves
    plain, linear = (
        BoostingRegressor(n_estimators=60, max_leaves=8, linear_leaves=flag)
        .fit(X[:2000], y[:2000])
        .score(X[2000:], y[2000:])
        for flag in (False, True)
    )
    assert 1.0 - linear < 0.5 * (1.0 - plain)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_rows_with_gaps_get_the_plain_value(waves, bad):
    X, y = waves
    X = X.copy()
    X[::7, 0] = bad
    X[3::11, 2] = bad
    model = BoostingRegressor(n_estimators=1, max_leaves=6, linear_leaves=True, base_score=0.0)
    model.fit(X, y)
    plain = BoostingRegressor(n_estimators=1, max_leaves=6, base_score=0.0).fit(X, y)
    found, values = model.predict(X), plain.predict(X)
    tree = json.loads(model.dump("json"))["trees"][0]
    leaf_of = model.apply(X)[:, 0]
    n_plain = 0
    for leaf, path in paths_of(tree["root"]):
        columns = [int(name[1:]) for name in path]
        rows = leaf_of == leaf["node"]
        has_gap = rows & ~np.isfinite(X[:, columns]).all(axis=1)
        np.testing.assert_array_equal(found[has_gap], values[has_gap])
        n_plain += has_gap.sum()
        whole = rows & ~has_gap
        if whole.any():
            step = expected_leaf(X[whole], -y[whole], np.ones(whole.sum()), columns, 1.0, 1.0, 0.1)
            np.testing.assert_allclose(found[whole], step, rtol=1e-5, atol=1e-6)
    assert n_plain > 0
    assert np.isfinite(found).all()


def test_columns_that_others_determine_get_no_coefficient():
    rng = np.random.default_rng(1)
    x = rng.normal(size=2000)
    X = np.column_stack([x, 2.0 * x + 1.0, np.where(x > 0, x, -x)])
    y = np.sin(3.0 * x)
    model = BoostingRegressor(
        n_estimators=30, linear_leaves=True, linear_lambda=0.0, colsample_bynode=0.5, random_state=0
    ).fit(X, y)
    assert model.score(X, y) > 0.98
    assert np.abs(model._model.linear.coefficient).max() < 10.0


def test_columns_that_are_constant_in_a_leaf_get_no_coefficient():
    rng = np.random.default_rng(2)
    kind = np.array([0.0, 123.456, 300.1])[rng.integers(0, 3, 2000)]
    X = np.column_stack([kind, rng.normal(size=2000)])
    y = np.sin(3.0 * X[:, 1]) * (kind > 1.0)
    model = BoostingRegressor(n_estimators=30, linear_leaves="unbounded", linear_lambda=0.0)
    model.fit(X, y)
    moved = X + np.array([0.5, 0.0])
    assert np.abs(model.predict(moved) - model.predict(X)).max() < 0.1


@pytest.mark.parametrize("growth", ["leaf", "level", "symmetric"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_model_gives_the_scores_of_the_fit(waves, growth, dtype):
    X, y = waves[0].astype(dtype), waves[1]
    X[::13, 1] = np.nan
    model = BoostingRegressor(
        n_estimators=6,
        growth=growth,
        max_depth=4,
        linear_leaves=True,
        subsample=0.7,
        sampling="uniform",
        random_state=0,
    ).fit(X, y, eval_set=[(X[:500], y[:500])], eval_metric="rmse")
    stages = list(model.staged_predict(X[:500]))
    errors = [np.sqrt(np.mean((stage - y[:500]) ** 2)) for stage in stages]
    np.testing.assert_allclose(model.evals_result_["validation_0"]["rmse"], errors, rtol=1e-12)
    np.testing.assert_array_equal(stages[-1], model.predict(X[:500]))
    np.testing.assert_array_equal(stages[2], model[:3].predict(X[:500]))
    one_by_one = np.concatenate([model.predict(row[None]) for row in X[:20]])
    np.testing.assert_array_equal(one_by_one, model.predict(X)[:20])
    np.testing.assert_array_equal(model.predict(np.asfortranarray(X)), model.predict(X))
    middle = model[2:5].predict(X) + model[:2].predict(X) - model._model.baseline[0]
    np.testing.assert_allclose(middle, model[:5].predict(X), rtol=1e-9)


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 6))
    y = np.sin(X[:, 0]) * X[:, 1] + X[:, 2]
    prints = set()
    for n_threads in (1, 2, 3):
        with config(n_threads=n_threads):
            model = BoostingRegressor(n_estimators=3, linear_leaves=True, random_state=0)
            prints.add(gramian.fingerprint(model.fit(X, y)))
    assert len(prints) == 1


def test_whole_weights_are_copies(waves):
    X, y = waves
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    options = {"n_estimators": 5, "linear_leaves": True, "min_samples_leaf": 50}
    weighted = BoostingRegressor(**options).fit(X, y, weight)
    copied = BoostingRegressor(**options).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict(X), copied.predict(X), rtol=1e-9, atol=1e-9)


def test_several_classes_dart_and_warm_starts():
    X, y = load_iris(return_X_y=True)
    model = BoostingClassifier(n_estimators=10, linear_leaves=True).fit(X, y)
    assert model.score(X, y) > 0.95
    dart = BoostingRegressor(
        n_estimators=12, linear_leaves=True, drop_rate=0.5, random_state=0
    ).fit(X, y, eval_set=[(X, y)], eval_metric="rmse")
    error = np.sqrt(np.mean((dart.predict(X) - y) ** 2))
    assert dart.evals_result_["validation_0"]["rmse"][-1] == pytest.approx(error, rel=1e-9)
    warm = BoostingRegressor(n_estimators=4, warm_start=True, random_state=0).fit(X, y)
    plain = warm.predict(X)
    warm.set_params(n_estimators=8, linear_leaves=True).fit(X, y)
    np.testing.assert_array_equal(warm[:4].predict(X), plain)
    assert warm._model.linear is not None
    assert np.abs(warm.predict(X) - plain).max() > 1e-3


def test_files_keep_linear_leaves():
    X, y = load_diabetes(return_X_y=True)
    model = BoostingRegressor(n_estimators=5, linear_leaves=True).fit(X, y)
    file = io.BytesIO()
    gramian.save(model, file)
    again = gramian.load(file)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert gramian.fingerprint(again) == gramian.fingerprint(model)
    for name, change in (("column", 99), ("offsets", 1 << 40), ("lower", 1e9)):
        broken = io.BytesIO()
        getattr(again._model.linear, name)[-1] = change
        gramian.save(again, broken)
        with pytest.raises(ValueError, match="linear lea"):
            gramian.load(broken)
        again = gramian.load(file)


def test_categories_have_no_slope():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=800), "kind": rng.choice(["a", "b", "c"], 800)})
    y = np.where(table["kind"] == "a", 2.0 * table["x"], -table["x"])
    model = BoostingRegressor(n_estimators=40, linear_leaves=True).fit(table, y)
    assert set(model._model.linear.column.tolist()) == {0}
    assert model.score(table, y) > 0.99
    assert "kind in" in model.dump()
    assert " * x" in model.dump()


def test_rankers_take_linear_leaves():
    rng = np.random.default_rng(0)
    X, qid = rng.random((600, 3)), np.repeat(np.arange(30), 20)
    y = np.round(3.0 * X[:, 0])
    model = BoostingRanker(n_estimators=20, linear_leaves=True).fit(X, y, qid=qid)
    assert model.score(X, y, qid=qid) > 0.97


def test_what_cannot_be_done_is_refused(waves):
    X, y = waves
    model = BoostingRegressor(n_estimators=2, linear_leaves=True)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        model.fit(sparse.csr_matrix(X), y)
    with pytest.raises(ValueError, match="needs a loss with second derivatives"):
        BoostingRegressor("absolute_error", linear_leaves=True).fit(X, y)
    with pytest.raises(ValueError, match="cannot be used with monotonic_cst"):
        BoostingRegressor(linear_leaves=True, monotonic_cst=[1, 0, 0, 0]).fit(X, y)
    with pytest.raises(ValueError, match="linear leaves"):
        tree_shap(model.fit(X, y), X[:5])
