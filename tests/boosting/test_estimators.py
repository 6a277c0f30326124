"""BoostingClassifier and BoostingRegressor: parameters, evaluation sets, and what a fit leaves."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import gramian
from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.inspection import tree_shap
from gramian.metrics import log_loss, mean_absolute_error

X, Y = load_diabetes(return_X_y=True)
X = np.round(X, 2)  # columns of so few values that bins hold one each


def test_the_defaults_of_scikit_learn_give_its_model():
    ours = BoostingRegressor(reg_lambda=0.0, n_estimators=30).fit(X, Y)
    theirs = HistGradientBoostingRegressor(max_iter=30, early_stopping=False).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
    features, classes = load_iris(return_X_y=True)
    ours = BoostingClassifier(reg_lambda=0.0, n_estimators=20).fit(features, classes)
    theirs = HistGradientBoostingClassifier(max_iter=20, early_stopping=False)
    expected = theirs.fit(features, classes).predict_proba(features)
    np.testing.assert_allclose(ours.predict_proba(features), expected, atol=1e-5)


def test_level_growth_is_xgboosts():
    xgboost = pytest.importorskip("xgboost")
    features, classes = load_breast_cancer(return_X_y=True)
    ranks = np.argsort(np.argsort(features, axis=0), axis=0)
    features = (ranks // 10).astype(np.float32)  # 57 values: bins hold one each
    options = {"n_estimators": 10, "gamma": 0.5, "reg_alpha": 0.1, "max_depth": 4}
    ours = BoostingClassifier(preset="xgboost", **options).fit(features, classes)
    theirs = xgboost.XGBClassifier(tree_method="hist", max_bin=255, **options)
    expected = theirs.fit(features, classes).predict_proba(features)[:, 1]
    np.testing.assert_allclose(ours.predict_proba(features)[:, 1], expected, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_leaves", 4),
        ("max_depth", 2),
        ("min_samples_leaf", 60),
        ("min_child_weight", 80.0),
        ("gamma", 1e5),
        ("growth", "symmetric"),
    ],
)
def test_limits_make_smaller_trees(name, value):
    free = BoostingRegressor(n_estimators=5).fit(X, Y)
    bound = BoostingRegressor(n_estimators=5, **{name: value}).fit(X, Y)
    assert len(bound._model.trees.leaf_value) < len(free._model.trees.leaf_value)


@pytest.mark.parametrize(
    "options",
    [
        {"reg_alpha": 500.0},
        {"reg_lambda": 50.0},
        {"max_delta_step": 1.0},
        {"subsample": 0.5},
        {"sampling": "goss"},
        {"sampling": "mvs", "subsample": 0.5},
        {"colsample_bytree": 0.5},
        {"colsample_bylevel": 0.5},
        {"colsample_bynode": 0.5},
        {"max_bins": 4},
        {"base_score": 0.0},
        {"interaction_cst": "no_interactions"},
        {"drop_rate": 0.5},
    ],
)
def test_every_option_has_an_effect_and_is_repeatable(options):
    plain = BoostingRegressor(n_estimators=10, random_state=0).fit(X, Y).predict(X)
    first, second = (
        BoostingRegressor(n_estimators=10, random_state=0, **options).fit(X, Y).predict(X)
        for _ in range(2)
    )
    assert np.abs(first - plain).max() > 0.1
    np.testing.assert_array_equal(first, second)


def test_splits_by_gradients_have_newton_values_of_all_rows():
    features, classes = load_breast_cancer(return_X_y=True)
    options = {"n_estimators": 1, "max_leaves": 6, "learning_rate": 1.0, "reg_lambda": 2.0}
    model = BoostingClassifier(
        split_score="gradient", subsample=0.5, random_state=0, **options
    ).fit(features, classes)
    leaves, scores = model.apply(features)[:, 0], model.decision_function(features)
    share = classes.mean()
    start = np.log(share / (1.0 - share))
    assert len(np.unique(leaves)) > 3
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        step = (classes[rows] - share).sum() / (rows.sum() * share * (1.0 - share) + 2.0)
        np.testing.assert_allclose(scores[rows], start + step, rtol=1e-5)


def test_monotonic_constraints_are_kept_by_newton_splits():
    features, classes = load_breast_cancer(return_X_y=True)
    options = {"n_estimators": 20, "random_state": 0}
    signs = [0] * 29 + [-1]
    newton, gradient, bound = (
        BoostingClassifier(**options, split_score=score, monotonic_cst=cst)
        .fit(features, classes)
        .decision_function(features)
        for score, cst in (("newton", signs), ("gradient", signs), ("gradient", None))
    )
    np.testing.assert_array_equal(newton, gradient)
    assert not np.array_equal(gradient, bound)


def test_max_delta_step_bounds_the_leaves():
    model = BoostingRegressor(max_delta_step=1.0, learning_rate=0.5, n_estimators=3).fit(X, Y)
    assert np.abs(model._model.trees.leaf_value).max() <= 0.5 + 1e-12


def test_monotonic_constraints_hold():
    model = BoostingRegressor(monotonic_cst=[0, 0, 1] + [0] * 7).fit(X, Y)
    grid = np.repeat(X[:20], 30, axis=0)
    grid[:, 2] = np.tile(np.linspace(-0.1, 0.2, 30), 20)
    steps = np.diff(model.predict(grid).reshape(20, 30), axis=1)
    assert steps.min() >= 0.0


@pytest.mark.parametrize("growth", ["leaf", "level", "symmetric"])
def test_whole_weights_are_copies(growth):
    weight = np.random.default_rng(0).integers(0, 4, len(Y))
    options = {"growth": growth, "n_estimators": 10, "min_samples_leaf": 1}
    weighted = BoostingRegressor(**options).fit(X, Y, weight)
    copied = BoostingRegressor(**options).fit(np.repeat(X, weight, 0), np.repeat(Y, weight))
    np.testing.assert_allclose(weighted.predict(X), copied.predict(X), rtol=1e-9)


def test_class_weight_is_a_weight():
    features, classes = load_breast_cancer(return_X_y=True)
    options = {"n_estimators": 5}
    by_class = BoostingClassifier(class_weight={0: 3.0}, **options).fit(features, classes)
    by_row = BoostingClassifier(**options).fit(features, classes, np.where(classes == 0, 3.0, 1.0))
    np.testing.assert_array_equal(by_class.predict_proba(features), by_row.predict_proba(features))


def test_text_columns_are_split_by_levels():
    rng = np.random.default_rng(0)
    towns = rng.choice(list("abcdefgh"), 600)
    frame = pd.DataFrame({"town": towns, "size": rng.random(600)})
    y = np.isin(towns, ["a", "d", "e"]) * 10.0 + frame["size"]
    model = BoostingRegressor(cat_l2=0.0, cat_smooth=0.0).fit(frame, y)
    assert model.score(frame, y) > 0.99
    assert model.is_categorical_.tolist() == [True, False]
    assert "town in [" in model.dump()


# -- evaluation sets -------------------------------------------------------------------------------


def test_metrics_are_those_of_the_staged_predictions():
    model = BoostingRegressor(n_estimators=8).fit(
        X[:300],
        Y[:300],
        eval_set=[(X[:300], Y[:300]), (X[300:], Y[300:])],
        eval_metric=["rmse", "mae", mean_absolute_error],
        eval_sample_weight=[None, np.arange(142.0)],
    )
    assert list(model.evals_result_) == ["validation_0", "validation_1"]
    result = model.evals_result_["validation_1"]
    stages = list(model.staged_predict(X[300:]))
    weight = np.arange(142.0)
    expected = [mean_absolute_error(Y[300:], stage, sample_weight=weight) for stage in stages]
    np.testing.assert_allclose(result["mae"], expected)
    np.testing.assert_allclose(result["mean_absolute_error"], expected)
    assert model.best_iteration_ == int(np.argmin(expected))
    assert model.best_score_ == pytest.approx(min(expected))
    assert model.n_estimators_ == 8


def test_early_stopping_keeps_the_best_rounds():
    features, classes = load_breast_cancer(return_X_y=True)
    eval_set = [(features[400:], classes[400:])]
    model = BoostingClassifier(
        n_estimators=500, learning_rate=0.3, early_stopping_rounds=5, random_state=0
    ).fit(features[:400], classes[:400], eval_set=eval_set, eval_metric=["error", "log_loss"])
    values = model.evals_result_["validation_0"]["log_loss"]
    assert len(values) < 500
    assert model.best_iteration_ == int(np.argmin(values)) == len(values) - 6
    assert model.n_estimators_ == model.best_iteration_ + 1
    found = log_loss(classes[400:], model.predict_proba(features[400:]))
    assert found == pytest.approx(min(values))
    held = BoostingClassifier(n_estimators=500, early_stopping_rounds=5, random_state=0)
    held.fit(features, classes)
    assert list(held.evals_result_) == ["validation"]
    assert held.n_estimators_ < 500
    assert "early stopping" in str(held.certificate_)


def test_early_stopping_in_fit_overrides_the_parameter():
    features, classes = load_breast_cancer(return_X_y=True)
    parts = {"eval_set": [(features[400:], classes[400:])]}
    train = features[:400], classes[:400]
    options = {"n_estimators": 120, "learning_rate": 0.3, "random_state": 0}
    expected = BoostingClassifier(early_stopping_rounds=5, **options).fit(*train, **parts)
    model = BoostingClassifier(**options).fit(*train, early_stopping_rounds=5, **parts)
    assert model.early_stopping_rounds is None
    assert model.evals_result_ == expected.evals_result_
    assert model.n_estimators_ == expected.n_estimators_ < 120
    expected.fit(*train, early_stopping_rounds=0, **parts)
    assert expected.n_estimators_ == 120
    assert list(model.fit(*train, early_stopping_rounds=5).evals_result_) == ["validation"]
    with pytest.raises(ValueError, match="'early_stopping_rounds' parameter of fit must be"):
        model.fit(*train, early_stopping_rounds=-1)
    with pytest.raises(ValueError, match="early_stopping_rounds cannot"):
        BoostingClassifier(drop_rate=0.1).fit(*train, early_stopping_rounds=5)


def test_a_metric_may_say_that_higher_is_better():
    def hits(y, shares):
        return "hits", float(((shares > 0.5) == y).sum()), True

    features, classes = load_breast_cancer(return_X_y=True)
    model = BoostingClassifier(n_estimators=10)
    model.fit(features, classes, eval_set=(features, classes), eval_metric=hits)
    values = model.evals_result_["validation_0"]["hits"]
    assert model.best_score_ == max(values)
    expected = [(stage == classes).sum() for stage in model.staged_predict(features)]
    assert values == expected


@pytest.mark.parametrize("loss", ["log_loss", "one_vs_all"])
def test_class_metrics(loss):
    features, classes = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[classes]
    model = BoostingClassifier(loss, n_estimators=5)
    metrics = ["loss", "log_loss", "error", "accuracy", "auc"]
    model.fit(features, names, eval_set=[(features, names)], eval_metric=metrics)
    result = model.evals_result_["validation_0"]
    assert set(result) == set(metrics)
    shares = model.predict_proba(features)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert result["log_loss"][-1] == pytest.approx(log_loss(names, shares))
    assert result["accuracy"][-1] == pytest.approx(model.score(features, names))
    if loss == "log_loss":
        np.testing.assert_allclose(result["loss"], result["log_loss"])


def test_callbacks_see_rounds_and_may_end_the_fit():
    seen = []

    def watch(report):
        seen.append((report.iteration, report.n_estimators, len(report.evals_result)))
        return report.iteration == 3

    model = BoostingRegressor(n_estimators=10).fit(X, Y, eval_set=[(X, Y)], callbacks=[watch])
    assert seen == [(k, 10, 1) for k in range(4)]
    assert model.n_estimators_ == 4


def test_progress_is_told(capsys):
    BoostingRegressor(n_estimators=4, verbose=2).fit(X, Y, eval_set=[(X, Y)], eval_metric="mae")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert "validation_0 mae" in lines[0]
    BoostingRegressor(n_estimators=2, verbose=2).fit(X, Y)
    assert "training loss" in capsys.readouterr().out


# -- after the fit ---------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"subsample": 0.5, "colsample_bynode": 0.5}])
def test_a_warm_start_ends_where_one_fit_does(options):
    whole = BoostingRegressor(n_estimators=12, random_state=0, **options).fit(X, Y)
    parts = BoostingRegressor(n_estimators=5, warm_start=True, random_state=0, **options).fit(X, Y)
    parts.set_params(n_estimators=12).fit(X, Y)
    np.testing.assert_allclose(parts.predict(X), whole.predict(X), rtol=1e-12)
    with pytest.raises(ValueError, match="n_estimators=3 must be larger"):
        parts.set_params(n_estimators=3).fit(X, Y)


def test_slices_are_stages():
    model = BoostingRegressor(n_estimators=9).fit(X, Y)
    stages = list(model.staged_predict(X))
    np.testing.assert_array_equal(model[:4].predict(X), stages[3])
    start = model._model.baseline[0]
    rest = model[4:].predict(X) - start
    np.testing.assert_allclose(model[:4].predict(X) + rest, model.predict(X))
    assert model[-1].n_estimators_ == 1
    assert len(list(model)) == 9
    with pytest.raises(ValueError, match="follow each other"):
        model[::2]
    with pytest.raises(IndexError, match="no round 9"):
        model[9]


def test_the_dump_holds_the_model():
    model = BoostingRegressor(n_estimators=3, max_leaves=6).fit(X, Y)
    content = json.loads(model.dump("json"))

    def value(node, row):
        while "leaf" not in node:
            goes_right = row[int(node["feature"][1:])] > node["threshold"]
            node = node["children"][int(goes_right)]
        return node["leaf"]

    sums = [
        content["baseline"][0] + sum(value(tree["root"], row) for tree in content["trees"])
        for row in X[:50]
    ]
    np.testing.assert_allclose(sums, model.predict(X[:50]))
    text = model.dump()
    assert text.count("leaf=") == model._model.trees.leaf_value.shape[0]
    assert text.count("round ") == 3
    with pytest.raises(ValueError, match="format"):
        model.dump("xml")


def test_importances():
    model = BoostingRegressor(n_estimators=20).fit(X, Y)
    splits = model.importances("split")
    assert splits.sum() == (model._model.trees.feature >= 0).sum()
    assert model.importances("cover").argmax() in (2, 8)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(
        model.feature_importances_, model.importances() / model.importances().sum()
    )
    with pytest.raises(ValueError, match="kind"):
        model.importances("weight")


def test_leaves_of_apply_add_up():
    model = BoostingRegressor(n_estimators=4).fit(X, Y)
    leaves = model.apply(X)
    sums = np.full(len(X), model._model.baseline[0])
    for number in range(4):
        tree = model._model.trees.tree(number)
        values = np.full(len(tree.feature), np.nan)
        values[tree.feature < 0] = tree.leaf_value[:, 0]
        sums += values[leaves[:, number]]
    np.testing.assert_allclose(sums, model.predict(X))


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_shap_values_add_up(loss):
    model = BoostingRegressor(loss, n_estimators=10).fit(X, Y)
    found = tree_shap(model, X[:20])
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, model.predict_raw(X[:20]))


def test_a_file_gives_the_same_model(tmp_path):
    features, classes = load_iris(return_X_y=True)
    model = BoostingClassifier("one_vs_all", n_estimators=5, drop_rate=0.3, random_state=0)
    model.fit(features, classes, eval_set=[(features, classes)])
    gramian.save(model, tmp_path / "model")
    other = gramian.load(tmp_path / "model")
    np.testing.assert_array_equal(other.predict_proba(features), model.predict_proba(features))
    assert other.evals_result_ == model.evals_result_


# -- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        ({"sampling": "goss", "subsample": 0.5}, {}, "leave subsample at None"),
        ({"sampling": "goss", "top_rate": 0.9, "other_rate": 0.3}, {}, "at most 1"),
        ({"growth": "symmetric", "max_leaves": 0}, {}, "needs a limit"),
        ({"drop_rate": 0.1, "warm_start": True}, {}, "warm_start cannot be used"),
        ({"drop_rate": 0.1, "early_stopping_rounds": 5}, {}, "early_stopping_rounds cannot"),
        ({"quantile": 0.5}, {}, "has a meaning for"),
        ({"loss": "quantile"}, {}, "needs a quantile"),
        ({"loss": "quantile", "quantile": [0.1, 1.5]}, {}, "between 0 and 1"),
        ({"loss": "quantile", "quantile": [0.1, 0.1]}, {}, "different numbers"),
        ({"loss": "gamma"}, {"y": Y - 100.0}, "strictly positive"),
        ({"loss": "tweedie"}, {"y": Y - 100.0}, "non-negative"),
        ({}, {"eval_metric": "auc"}, "eval_metric must be"),
        ({}, {"eval_metric": ["mae", "mae"]}, "different metrics"),
        ({}, {"eval_set": [X]}, "pairs"),
        ({}, {"eval_set": [(X, Y)], "eval_sample_weight": []}, "one entry for each"),
        ({}, {"eval_set": [(X, Y[:-1])]}, "inconsistent"),
    ],
)
def test_what_makes_no_sense_is_refused(options, arguments, message):
    arguments = {"y": Y, **arguments}
    with pytest.raises(ValueError, match=message):
        BoostingRegressor(n_estimators=2, **options).fit(X, **arguments)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_sparse_rows_give_the_model_of_dense_ones(form):
    rng = np.random.default_rng(0)
    X = sparse.random_array((1500, 60), density=0.05, format=form, rng=rng)
    y = (X.toarray()[:, :10].sum(axis=1) > 0.3).astype(int)
    options = {"n_estimators": 15, "early_stopping_rounds": 5, "random_state": 0}
    model = BoostingClassifier(**options).fit(X, y)
    dense = BoostingClassifier(**options).fit(X.toarray(), y)
    np.testing.assert_array_equal(model.predict_proba(X), dense.predict_proba(X.toarray()))
    np.testing.assert_array_equal(model.apply(X), dense.apply(X.toarray()))
    assert model.evals_result_ == dense.evals_result_
