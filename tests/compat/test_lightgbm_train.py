"""LightGBM's training on our engine: rounds, evaluation and cross-validation."""

from typing import Any

import numpy as np
import pytest
from tests.compat.lightgbm_cases import QUIET, TARGETS, X_NEW, X_TRAIN, data_of, params_of

from gramian.compat import lightgbm as lgb
from gramian.config import config_context
from gramian.exceptions import ConvergenceWarning, InvalidParameterError


def test_scores_start_where_lightgbm_starts_them():
    y = TARGETS["binary"]
    params = params_of("binary", min_data_in_leaf=10_000)
    booster = lgb.train(params, lgb.Dataset(X_TRAIN, y), 5)
    assert booster.num_trees() == 1  # rounds without a split are not kept
    np.testing.assert_allclose(booster.predict(X_NEW), y.mean())
    booster = lgb.train({**params, "boost_from_average": False}, lgb.Dataset(X_TRAIN, y), 1)
    assert (booster.predict(X_NEW, raw_score=True) == 0.0).all()
    y = TARGETS["multiclass"]
    params = params_of("multiclass", min_data_in_leaf=10_000)
    booster = lgb.train(params, lgb.Dataset(X_TRAIN, y), 1)
    expected = np.log(np.bincount(y) / len(y))
    np.testing.assert_allclose(booster.predict(X_NEW, raw_score=True)[0], expected)


def test_gains_have_no_factor():
    """G_l²/(H_l + l2) + G_r²/(H_r + l2) - G²/(H + l2), for hessians of 1."""
    X, y = np.repeat([[0.0], [1.0]], 20, axis=0), np.repeat([0.0, 1.0], 20)
    params = {"min_data_in_leaf": 1, "lambda_l2": 2.0, **QUIET}
    booster = lgb.train(params, lgb.Dataset(X, y), 1)
    root = booster.dump_model()["tree_info"][0]["tree_structure"]
    gain = 2 * 10.0**2 / 22.0
    np.testing.assert_allclose(root["split_gain"], gain)
    np.testing.assert_allclose(booster.predict([[0.0]]), 0.5 - 0.1 * 10.0 / 22.0)
    for least, n_leaves in ((gain * 0.99, 2), (gain * 1.01, 1)):
        booster = lgb.train({**params, "min_gain_to_split": least}, lgb.Dataset(X, y), 1)
        assert booster.dump_model()["tree_info"][0]["num_leaves"] == n_leaves


@pytest.mark.parametrize("objective", ["binary", "multiclass", "poisson"])
def test_custom_objective_with_the_same_derivatives(objective):
    """LightGBM's hessians: K / (K - 1) times those of softmax, exp(0.7) times poisson's."""
    from scipy.special import expit, softmax

    def derivatives(scores, data):
        y = data.get_label()
        if objective == "binary":
            p = expit(scores)
            return p - y, p * (1.0 - p)
        if objective == "poisson":
            return np.exp(scores) - y, np.exp(scores + 0.7)
        p = softmax(scores, axis=1)
        return p - (y[:, None] == np.arange(3)), 1.5 * p * (1.0 - p)

    own = lgb.train(params_of(objective, boost_from_average=False), data_of(objective), 5)
    params = {**params_of(objective), "objective": derivatives}
    custom = lgb.train(params, data_of(objective), 5)
    np.testing.assert_allclose(
        custom.predict(X_NEW), own.predict(X_NEW, raw_score=True), rtol=1e-4, atol=1e-5
    )


def test_evaluation_and_early_stopping(capsys):
    rng = np.random.default_rng(0)
    X, y = rng.random((400, 3)), rng.integers(0, 2, 400)
    data = lgb.Dataset(X[:300], y[:300])
    other = lgb.Dataset(X[300:], y[300:], reference=data)
    history: dict[str, Any] = {}

    def share(predictions, rows):
        return "share", float((predictions > 0.5).mean()), True

    booster = lgb.train(
        {"objective": "binary", "metric": ["auc", "binary_logloss"], **QUIET},
        data,
        60,
        valid_sets=[data, other],
        valid_names=["train", "test"],
        feval=share,
        callbacks=[
            lgb.record_evaluation(history),
            lgb.early_stopping(5, first_metric_only=True),
            lgb.log_evaluation(10),
        ],
    )
    shown = capsys.readouterr().out
    assert "Early stopping, best iteration is:" in shown and "Evaluated only: auc" in shown
    assert list(history) == ["train", "test"]
    assert list(history["test"]) == ["auc", "binary_logloss", "share"]
    curve = history["test"]["auc"]
    assert booster.best_iteration == int(np.argmax(curve)) + 1
    assert len(curve) == booster.best_iteration + 5 == booster.current_iteration()
    assert booster.best_score["test"]["auc"] == max(curve)
    best = booster.predict(X[300:], num_iteration=booster.best_iteration)
    assert (booster.predict(X[300:]) == best).all()
    assert booster.model_to_string().count("Tree=") == booster.best_iteration
    from gramian.metrics import log_loss, roc_auc_score

    at = booster.best_iteration - 1
    np.testing.assert_allclose(curve[at], roc_auc_score(y[300:], best))
    np.testing.assert_allclose(history["test"]["binary_logloss"][at], log_loss(y[300:], best))


def test_early_stopping_by_parameters_and_without_sets():
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 3)), rng.random(300)
    data, other = lgb.Dataset(X[:200], y[:200]), lgb.Dataset(X[200:], y[200:])
    params = {"n_iter_no_change": 3, **QUIET}
    booster = lgb.train(params, data, 50, valid_sets=other)
    assert 0 < booster.best_iteration == booster.current_iteration() - 3
    with pytest.raises(ValueError, match="at least one evaluation set"):
        lgb.train(params, lgb.Dataset(X, y), 5)
    whole = lgb.Dataset(X, y)
    assert lgb.train(params, whole, 5, valid_sets=[whole]).best_iteration == 0


@pytest.mark.parametrize(
    ("metric", "objective"),
    [
        ("l1", "regression"),
        ("rmse", "regression"),
        ("mape", "regression"),
        ("quantile", "quantile"),
        ("huber", "huber"),
        ("fair", "fair"),
        ("poisson", "poisson"),
        ("gamma", "gamma"),
        ("gamma_deviance", "gamma"),
        ("tweedie", "tweedie"),
        ("binary_error", "binary"),
        ("average_precision", "binary"),
        ("multi_error", "multiclass"),
        ("kullback_leibler", "cross_entropy"),
        ("map", "lambdarank"),
    ],
)
def test_metrics_are_those_of_the_real_library(metric, objective):
    real = pytest.importorskip("lightgbm")
    weight = None if objective == "lambdarank" else np.linspace(0.5, 1.5, len(X_TRAIN))
    params = params_of(objective, metric=metric)
    data = data_of(objective, weight=weight)
    booster = lgb.train(params, data, 3, valid_sets=[data])
    again = real.Booster(model_str=booster.model_to_string())
    group = None if data.group is None else data.group
    theirs = real.Dataset(
        X_TRAIN, np.asarray(TARGETS[objective], float), weight=weight, group=group, params=params
    )
    start = again.predict(X_TRAIN, raw_score=True)
    theirs.set_init_score(start.T.ravel() if start.ndim == 2 else start)
    judge = real.Booster(dict(params, num_threads=1), theirs)
    for (_, name, value, maximize), ours in zip(
        judge.eval_train(), booster.best_score["training"].items(), strict=True
    ):
        assert ours[0] == name
        assert ours[1] == pytest.approx(value, rel=1e-6)
        assert maximize == (metric in ("average_precision", "map"))


def test_reset_parameter():
    data = data_of("regression")
    rates = [0.5, 0.4, 0.3]
    booster = lgb.train(QUIET, data, 3, callbacks=[lgb.reset_parameter(learning_rate=rates)])
    shown = [tree["shrinkage"] for tree in booster.dump_model()["tree_info"]]
    assert shown == [1.0, 0.4, 0.3]  # the first tree holds the start of the scores
    slow = lgb.train({"eta": 0.5, **QUIET}, data, 1)
    np.testing.assert_allclose(
        booster.predict(X_NEW, num_iteration=1), slow.predict(X_NEW), rtol=1e-12
    )
    with pytest.raises(ValueError, match="one entry for each of the 3"):
        lgb.train(QUIET, data, 3, callbacks=[lgb.reset_parameter(learning_rate=[0.1])])
    with pytest.raises(ValueError, match="max_bin cannot change"):
        lgb.train(QUIET, data, 3, callbacks=[lgb.reset_parameter(max_bin=[9, 8, 7])])


def test_training_goes_on(tmp_path):
    data = data_of("binary", free_raw_data=False)
    whole = lgb.train(params_of("binary"), data, 6)
    first = lgb.train(params_of("binary"), data, 4)
    first.save_model(tmp_path / "first.txt")
    for start in (first, tmp_path / "first.txt"):
        both = lgb.train(params_of("binary"), data, 2, init_model=start, valid_sets=[data])
        assert both.current_iteration() == 6
        np.testing.assert_allclose(both.predict(X_NEW), whole.predict(X_NEW), rtol=1e-5)
    kept = lgb.train(params_of("binary"), data, 4, keep_training_booster=True)
    kept.add_valid(lgb.Dataset(X_NEW, TARGETS["binary"]), "new")
    kept.update()
    (result,) = kept.eval_valid()
    assert result[:2] == ("new", "binary_logloss") and len(result) == 4
    for judged in (kept, kept.free_dataset()):
        (again,) = judged.eval(lgb.Dataset(X_NEW, TARGETS["binary"]), "new")
        assert again.metric_value == pytest.approx(result.metric_value)
    with pytest.raises(ValueError, match="let go of its data"):
        whole.update()


def test_init_scores_take_the_place_of_the_start():
    y = TARGETS["regression"]
    start = np.full(len(y), 100.0)
    booster = lgb.train(QUIET, lgb.Dataset(X_TRAIN, y + 100.0, init_score=start), 5)
    other = lgb.train({"boost_from_average": False, **QUIET}, lgb.Dataset(X_TRAIN, y), 5)
    np.testing.assert_allclose(booster.predict(X_NEW), other.predict(X_NEW), rtol=1e-5, atol=1e-6)


def test_weights_of_classes():
    y = np.arange(300) % 5 == 0
    params = params_of("binary", min_data_in_leaf=5)
    expected = lgb.train(
        {**params, "boost_from_average": False},
        lgb.Dataset(X_TRAIN, y, weight=np.where(y, 4.0, 1.0)),
        5,
    )
    for options in ({"is_unbalance": True}, {"scale_pos_weight": 4.0}):
        booster = lgb.train(
            {**params, **options, "boost_from_average": False}, lgb.Dataset(X_TRAIN, y), 5
        )
        np.testing.assert_allclose(booster.predict(X_NEW), expected.predict(X_NEW))


@pytest.mark.parametrize(
    "options",
    [
        {"boosting": "dart"},
        {"boosting": "dart", "xgboost_dart_mode": True, "uniform_drop": True, "skip_drop": 0.0},
        {"boosting": "goss", "learning_rate": 0.5},
        {"data_sample_strategy": "goss", "learning_rate": 0.5},
        {"bagging_fraction": 0.5, "bagging_freq": 2},
        {"feature_fraction": 0.5, "feature_fraction_bynode": 0.5},
        {"objective": "binary", "sigmoid": 3.0, "lambda_l2": 5.0},
        {"reg_sqrt": True},
        {"max_depth": 2, "max_delta_step": 0.3, "lambda_l1": 0.1},
    ],
)
def test_options_have_an_effect(options):
    target = TARGETS["binary" if "objective" in options else "regression"]
    data = lgb.Dataset(X_TRAIN, target)
    shared = {k: v for k, v in options.items() if k in ("objective", "lambda_l2")}
    plain = lgb.train({**shared, **QUIET}, data, 12)
    booster = lgb.train({**options, **QUIET}, data, 12)
    again = lgb.train({**options, **QUIET}, data, 12)
    assert (booster.predict(X_TRAIN) == again.predict(X_TRAIN)).all()
    assert not np.allclose(booster.predict(X_TRAIN), plain.predict(X_TRAIN), rtol=1e-4)
    assert np.corrcoef(booster.predict(X_TRAIN), target)[0, 1] > 0.6
    text = booster.model_to_string()
    np.testing.assert_allclose(lgb.Booster(model_str=text).predict(X_NEW), booster.predict(X_NEW))


def test_a_time_limit_ends_a_fit():
    with config_context(time_limit=1e-6), pytest.warns(ConvergenceWarning, match="time limit"):
        booster = lgb.train(QUIET, data_of("regression"), 50)
    assert 1 <= booster.current_iteration() < 50
    with config_context(time_limit=1e-6), pytest.warns(ConvergenceWarning, match="time limit"):
        found = lgb.cv(QUIET, data_of("regression"), 50, stratified=False)
    assert 1 <= len(found["valid l2-mean"]) < 50


def test_seeds_draw_differently():
    data, bagging = data_of("regression"), {"bagging_fraction": 0.5, "bagging_freq": 1, **QUIET}
    found = [
        lgb.train({**bagging, **seed}, data, 5).predict(X_NEW)
        for seed in ({}, {"seed": 0}, {"seed": 1}, {"bagging_seed": 4})
    ]
    assert (found[0] == found[1]).all()
    assert not (found[0] == found[2]).all() and not (found[0] == found[3]).all()


def test_constraints():
    X = np.random.default_rng(0).random((400, 3))
    y = np.sin(6.0 * X[:, 0]) + X[:, 1] * X[:, 2]
    rising = lgb.train({"monotone_constraints": "1,0,0", **QUIET}, lgb.Dataset(X, y), 20)
    line = np.column_stack([np.linspace(0, 1, 50), np.full(50, 0.5), np.full(50, 0.5)])
    assert (np.diff(rising.predict(line)) >= 0.0).all()
    params = {"interaction_constraints": [[0], [1]], **QUIET}
    booster = lgb.train(params, lgb.Dataset(X, y), 20)
    assert booster.feature_importance()[2] == 0  # named by no set, a column is not used
    for tree in booster.dump_model()["tree_info"]:
        assert len(set(split_columns(tree["tree_structure"]))) == 1
    by_text = lgb.train({**params, "interaction_constraints": "[0],[1]"}, lgb.Dataset(X, y), 20)
    assert (by_text.predict(X) == booster.predict(X)).all()
    with pytest.raises(InvalidParameterError, match="each of the 3 features"):
        lgb.train({"monotone_constraints": [1], **QUIET}, lgb.Dataset(X, y), 2)
    with pytest.raises(InvalidParameterError, match="from 0 to 2"):
        lgb.train({"interaction_constraints": [[3]], **QUIET}, lgb.Dataset(X, y), 2)


def split_columns(node: Any) -> list[int]:
    if "split_feature" not in node:
        return []
    below = split_columns(node["left_child"]) + split_columns(node["right_child"])
    return [node["split_feature"], *below]


def test_evaluation_sets_are_read_as_new_rows_are():
    data, other = data_of("regression"), lgb.Dataset(X_NEW, TARGETS["regression"])
    booster = lgb.train(params_of("regression"), data, 5, valid_sets=[other])
    expected = np.mean((booster.predict(X_NEW) - TARGETS["regression"]) ** 2)
    assert booster.best_score["valid_0"]["l2"] == pytest.approx(expected)


# -- cross-validation ------------------------------------------------------------------------------


def test_cv_follows_the_folds():
    data = lgb.Dataset(X_TRAIN, TARGETS["regression"])
    folds = [(np.arange(100, 300), np.arange(100)), (np.arange(200), np.arange(200, 300))]
    found = lgb.cv(QUIET, data, 6, folds=folds, return_cvbooster=True, eval_train_metric=True)
    boosters = found["cvbooster"]
    values = []
    for (train_rows, test_rows), booster in zip(folds, boosters.boosters, strict=True):
        part = lgb.Dataset(X_TRAIN[train_rows], TARGETS["regression"][train_rows])
        alone = lgb.train(QUIET, part, 6)
        new = X_TRAIN[test_rows]
        np.testing.assert_allclose(alone.predict(new), booster.predict(new), rtol=1e-6)
        values.append(np.mean((booster.predict(new) - TARGETS["regression"][test_rows]) ** 2))
    assert found["valid l2-mean"][-1] == pytest.approx(np.mean(values))
    assert found["valid l2-stdv"][-1] == pytest.approx(np.std(values))
    assert len(found["train l2-mean"]) == 6 and boosters.num_trees() == [6, 6]
    with pytest.raises(AttributeError, match="no attribute"):
        _ = boosters.nothing


@pytest.mark.parametrize("objective", ["binary", "lambdarank", "regression"])
def test_cv_makes_folds_and_stops(objective):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300).astype(float)
    group = [30] * 10 if objective == "lambdarank" else None
    found = lgb.cv(
        params_of(objective),
        lgb.Dataset(rng.random((300, 3)), y, group=group),
        60,
        nfold=3,
        stratified=objective == "binary",
        callbacks=[lgb.early_stopping(4, verbose=False)],
        return_cvbooster=True,
    )
    best = found.pop("cvbooster").best_iteration
    assert {len(values) for values in found.values()} == {best}
    assert 0 < best < 60


def test_cv_metrics_and_preprocessing():
    seen = []

    def fpreproc(train_set, valid_set, params):
        seen.append((train_set.num_data(), valid_set.num_data()))
        return train_set, valid_set, {**params, "learning_rate": 0.5}

    data = lgb.Dataset(X_TRAIN, TARGETS["binary"])
    params = {**params_of("binary"), "metric": "auc"}
    found = lgb.cv(params, data, 3, nfold=3, metrics="binary_error", fpreproc=fpreproc)
    assert seen == [(200, 100)] * 3
    assert list(found) == ["valid binary_error-mean", "valid binary_error-stdv"]
    with pytest.raises(InvalidParameterError, match="init_model"):
        lgb.cv(params, data, 3, init_model=lgb.train(params, data, 1))
