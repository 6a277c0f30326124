"""LightGBM's functions on our engine: data sets, training, boosters and their files."""

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from gramian.compat import lightgbm as lgb
from gramian.config import config_context
from gramian.exceptions import ConvergenceWarning, InvalidParameterError, ModelFileError

QUIET = {"verbosity": -1}
CITIES = np.array(["Oslo", "Rome", "Ulm", "Bonn", "Pisa"])


def rows_of(seed: int, n: int = 300) -> Any:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[::7, 1] = np.nan
    X[:, 2] = rng.integers(0, 12, n)
    return X


def signal(X: Any) -> Any:
    return X[:, 0] + 0.5 * np.nan_to_num(X[:, 1]) + (X[:, 2] % 3 == 0)


X_TRAIN, X_NEW = rows_of(0), rows_of(1)
X_NEW[::5, 0] = np.nan  # missing where no training row was
X_NEW[::6, 2] = np.nan
X_NEW[::11, 2] = 40.0  # a code that is not known
TARGETS: dict[str, Any] = {
    "regression": signal(X_TRAIN),
    "regression_l1": signal(X_TRAIN),
    "huber": signal(X_TRAIN),
    "fair": signal(X_TRAIN),
    "quantile": signal(X_TRAIN),
    "poisson": np.floor(np.exp(signal(X_TRAIN) / 2)),
    "gamma": np.exp(signal(X_TRAIN) / 2),
    "tweedie": np.floor(np.exp(signal(X_TRAIN) / 2)),
    "binary": signal(X_TRAIN) > 0.3,
    "cross_entropy": 1.0 / (1.0 + np.exp(-signal(X_TRAIN))),
    "multiclass": np.digitize(signal(X_TRAIN), [-0.5, 0.7]),
    "multiclassova": np.digitize(signal(X_TRAIN), [-0.5, 0.7]),
    "lambdarank": np.digitize(signal(X_TRAIN), [-0.5, 0.7]),
}


def params_of(objective: str, **others: Any) -> dict[str, Any]:
    n_classes = 3 if objective.startswith("multi") else 1
    return {"objective": objective, "num_class": n_classes, "num_leaves": 7, **QUIET, **others}


def data_of(objective: str, **others: Any) -> lgb.Dataset:
    group = [30] * 10 if objective == "lambdarank" else None
    label = TARGETS[objective]
    return lgb.Dataset(X_TRAIN, label, group=group, categorical_feature=[2], **others)


@pytest.fixture(scope="module", params=list(TARGETS))
def booster(request):
    return lgb.train(params_of(request.param), data_of(request.param), 8)


# -- files -----------------------------------------------------------------------------------------


def test_files_are_read_as_those_of_the_real_library(booster):
    text = booster.model_to_string()
    model = lgb.load_model(text)
    raw = model.decision_function if hasattr(model, "decision_function") else model.predict_raw
    np.testing.assert_allclose(raw(X_NEW), booster.predict(X_NEW, raw_score=True), rtol=1e-12)
    value = model.predict_proba if hasattr(model, "predict_proba") else model.predict
    expected = booster.predict(X_NEW)
    if booster.num_model_per_iteration() == 1 and hasattr(model, "predict_proba"):
        expected = np.column_stack([1.0 - expected, expected])
    np.testing.assert_allclose(value(X_NEW), expected, rtol=1e-12)


def test_a_booster_from_a_file_is_the_same(booster, tmp_path):
    booster.save_model(tmp_path / "model.txt")
    for again in (
        lgb.Booster(model_file=tmp_path / "model.txt"),
        lgb.Booster(model_str=booster.model_to_string()),
        pickle.loads(pickle.dumps(booster)),
    ):
        assert (again.predict(X_NEW) == booster.predict(X_NEW)).all()
        assert (
            again.predict(X_NEW, pred_leaf=True) == booster.predict(X_NEW, pred_leaf=True)
        ).all()
        contributions = again.predict(X_NEW, pred_contrib=True)
        np.testing.assert_allclose(contributions, booster.predict(X_NEW, pred_contrib=True))
        assert again.model_to_string() == booster.model_to_string()
        assert (again.feature_importance("gain") > 0).sum() >= 2


def test_the_real_library_reads_our_files(booster):
    real = pytest.importorskip("lightgbm")
    again = real.Booster(model_str=booster.model_to_string())
    for options in (
        {},
        {"raw_score": True},
        {"pred_leaf": True},
        {"pred_contrib": True},
        {"start_iteration": 2, "num_iteration": 3},
        {"num_iteration": 1},
    ):
        ours, theirs = booster.predict(X_NEW, **options), again.predict(X_NEW, **options)
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)
    assert (again.feature_importance() == booster.feature_importance()).all()
    assert again.feature_name() == booster.feature_name()
    assert (
        again.dump_model()["feature_infos"].keys() == booster.dump_model()["feature_infos"].keys()
    )


def test_missing_values_where_there_were_none_are_zero(booster):
    zeros = X_NEW.copy()
    zeros[np.isnan(zeros[:, 0]), 0] = 0.0
    assert (booster.predict(X_NEW) == booster.predict(zeros)).all()


def test_evaluation_sets_are_read_as_new_rows_are():
    data, other = data_of("regression"), lgb.Dataset(X_NEW, TARGETS["regression"])
    booster = lgb.train(params_of("regression"), data, 5, valid_sets=[other])
    expected = np.mean((booster.predict(X_NEW) - TARGETS["regression"]) ** 2)
    assert booster.best_score["valid_0"]["l2"] == pytest.approx(expected)


def test_contributions_add_up(booster):
    n_groups = booster.num_model_per_iteration()
    parts = booster.predict(X_NEW, pred_contrib=True).reshape(len(X_NEW), n_groups, 5)
    scores = booster.predict(X_NEW, raw_score=True).reshape(len(X_NEW), n_groups)
    np.testing.assert_allclose(parts.sum(axis=2), scores, atol=1e-12)


def test_rounds_add_up(booster):
    first = booster.predict(X_NEW, raw_score=True, num_iteration=3)
    rest = booster.predict(X_NEW, raw_score=True, start_iteration=3)
    np.testing.assert_allclose(first + rest, booster.predict(X_NEW, raw_score=True), atol=1e-12)
    with pytest.raises(ValueError, match="no round from 8"):
        booster.predict(X_NEW, start_iteration=8)


def test_dump_holds_what_leaves_give(booster):
    dump = json.loads(json.dumps(booster.dump_model()))
    assert len(dump["tree_info"]) == booster.num_trees()
    leaves = booster.predict(X_NEW, pred_leaf=True).reshape(len(X_NEW), -1)
    for number, tree in enumerate(dump["tree_info"]):
        row = X_NEW[1]
        node = tree["tree_structure"]
        while "split_feature" in node:
            value = row[node["split_feature"]]
            if node["decision_type"] == "==":
                is_left = str(int(value)) in node["threshold"].split("||")
            elif np.isnan(value):
                is_left = node["default_left"]
            else:
                is_left = value <= node["threshold"]
            node = node["left_child" if is_left else "right_child"]
        if "leaf_index" in node:
            assert node["leaf_index"] == leaves[1, number]
        assert node["leaf_value"] == booster.get_leaf_output(number, int(leaves[1, number]))


def test_categories_of_data_frames():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=400), "size of": rng.integers(2, 5, 400)})
    frame["city"] = pd.Categorical(CITIES[rng.integers(0, 5, 400)])
    frame["size of"] = pd.Categorical(frame["size of"])
    y = frame["x"] + frame["city"].isin(["Rome", "Pisa"]) + frame["size of"].astype(int)
    booster = lgb.train(params_of("regression", cat_smooth=1), lgb.Dataset(frame, y), 10)
    expected = booster.predict(frame)
    assert booster.pandas_categorical == [[2, 3, 4], ["Bonn", "Oslo", "Pisa", "Rome", "Ulm"]]
    again = lgb.Booster(model_str=booster.model_to_string())
    renamed = frame.rename(columns={"size of": "size_of"})
    assert (again.predict(renamed) == expected).all()
    assert (booster.predict(frame[["city", "size of", "x"]]) == expected).all()
    codes = frame.assign(city=frame["city"].cat.codes, **{"size of": frame["size of"].cat.codes})
    assert (booster.predict(codes.to_numpy(dtype=float)) == expected).all()
    other = frame.assign(city=pd.Categorical(np.full(400, "Vienna")))
    missing = frame.assign(city=pd.Categorical([None] * 400, categories=["Rome"]))
    assert (booster.predict(other) == booster.predict(missing)).all()
    with pytest.raises(ValueError, match="validate_features"):
        booster.predict(frame.rename(columns={"x": "z"}), validate_features=True)


@pytest.mark.parametrize("options", [{"zero_as_missing": True}, {"use_missing": False}])
def test_what_is_missing(options):
    X = np.round(X_TRAIN[:, [0, 1]], 0)
    y = np.where(X[:, 0] == 0.0, 2.0, X[:, 0]) + np.isnan(X[:, 1])
    booster = lgb.train({**options, **QUIET}, lgb.Dataset(X, y), 20)
    missing, zero = X.copy(), X.copy()
    missing[X[:, 0] == 0.0, 0] = np.nan
    zero[np.isnan(X)] = 0.0
    changed = missing if "zero_as_missing" in options else zero
    assert (booster.predict(changed) == booster.predict(X)).all()
    again = lgb.Booster(model_str=booster.model_to_string())
    assert (again.predict(changed) == booster.predict(X)).all()
    assert np.abs(booster.predict(X) - y).mean() < 0.6


def test_sparse_rows_are_dense_ones():
    X = np.where(np.abs(X_TRAIN) < 0.7, 0.0, np.nan_to_num(X_TRAIN))
    y = X[:, 0] + X[:, 3]
    dense = lgb.train(QUIET, lgb.Dataset(X, y), 10)
    for made in (sparse.csr_matrix(X), sparse.csc_array(X)):
        booster = lgb.train(QUIET, lgb.Dataset(made, y), 10)
        assert (booster.predict(made) == dense.predict(X)).all()
        assert booster.model_to_string() == dense.model_to_string()


def test_random_forests_and_other_texts_are_refused():
    text = lgb.train(QUIET, data_of("regression"), 2).model_to_string()
    with pytest.raises(ModelFileError, match="random forest"):
        lgb.Booster(model_str=text.replace("label_index=0", "label_index=0\naverage_output"))
    with pytest.raises(ModelFileError, match="tree"):
        lgb.Booster(model_str="nothing")
    with pytest.raises(ModelFileError):
        lgb.Booster(model_str=text.replace("leaf_count=", "leaf_count=-"))
    with pytest.raises(TypeError, match="needs train_set"):
        lgb.Booster()


def test_damaged_texts_are_refused_or_used():
    rng = np.random.default_rng(0)
    text = lgb.train(params_of("binary"), data_of("binary"), 2).model_to_string()
    n_refused = 0
    for _ in range(200):
        letters = list(text[: text.index("parameters:")])
        for at in rng.integers(0, len(letters), 3):
            letters[at] = str(rng.choice(["", "9" * 12, "-", "x", " "]))
        try:
            booster = lgb.Booster(model_str="".join(letters))
        except ModelFileError:
            n_refused += 1
            continue
        rows = np.zeros((2, booster.num_feature()))
        for options in ({}, {"pred_leaf": True}, {"pred_contrib": True}):
            assert len(booster.predict(rows, **options)) == 2
        assert booster.dump_model() and booster.model_to_string()
    assert 50 < n_refused < 200


# -- training --------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("objective", ["regression", "binary", "multiclass", "poisson"])
def test_refit_moves_the_leaves(objective):
    booster = lgb.train(params_of(objective, lambda_l2=1.0), data_of(objective), 6)
    y = TARGETS[objective]
    old = booster.refit(X_NEW, y, decay_rate=1.0)
    assert (old.predict(X_NEW) == booster.predict(X_NEW)).all()
    new = booster.refit(X_TRAIN, y, decay_rate=0.0)
    assert (new.predict(X_NEW, pred_leaf=True) == booster.predict(X_NEW, pred_leaf=True)).all()
    again = lgb.Booster(model_str=booster.model_to_string()).refit(X_TRAIN, y, decay_rate=0.0)
    np.testing.assert_allclose(again.predict(X_NEW), new.predict(X_NEW))
    real = pytest.importorskip("lightgbm")
    theirs = real.Booster(model_str=booster.model_to_string())
    other = np.roll(np.asarray(y, float), 1)
    found = booster.refit(X_NEW, other, decay_rate=0.3).predict(X_NEW)
    expected = theirs.refit(X_NEW, other, decay_rate=0.3).predict(X_NEW)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_the_last_round_can_be_taken_back():
    data = data_of("multiclass")
    booster = lgb.train(params_of("multiclass"), data, 3, keep_training_booster=True)
    expected = lgb.train(params_of("multiclass"), data, 3).model_to_string()
    booster.update()
    booster.rollback_one_iter()
    assert booster.current_iteration() == 3
    assert booster.model_to_string() == expected
    for _ in range(3):
        booster.rollback_one_iter()
    with pytest.raises(ValueError, match="no round"):
        booster.rollback_one_iter()
    booster.update()
    first = lgb.train(params_of("multiclass"), data, 1)
    np.testing.assert_allclose(booster.predict(X_NEW), first.predict(X_NEW), rtol=1e-6)


def test_nodes_as_a_table(booster):
    frame = booster.trees_to_dataframe()
    assert len(frame) == sum(
        2 * tree["num_leaves"] - 1 for tree in booster.dump_model()["tree_info"]
    )
    roots = frame[frame["node_depth"] == 1]
    assert roots["parent_index"].isna().all() and (roots["count"] == 300).all()
    splits = frame[frame["left_child"].notna()]
    np.testing.assert_allclose(splits["split_gain"].sum(), booster.feature_importance("gain").sum())


# -- data sets -------------------------------------------------------------------------------------


def test_dataset_holds_what_it_is_given():
    data = data_of("lambdarank", free_raw_data=False)
    assert (data.num_data(), data.num_feature()) == X_TRAIN.shape
    assert data.get_feature_name() == ["Column_0", "Column_1", "Column_2", "Column_3"]
    assert (data.get_label() == TARGETS["lambdarank"]).all()
    assert data.get_data() is X_TRAIN
    part = data.subset(np.arange(15, 75))
    assert part.get_group().tolist() == [15, 30, 15]
    assert (part.get_label() == TARGETS["lambdarank"][15:75]).all()
    data.set_field("weight", np.arange(300.0) + 1.0)
    assert data.get_field("weight")[-1] == 300.0
    assert data.set_weight(None).get_weight() is None
    valid = data.create_valid(X_NEW, label=TARGETS["binary"])
    assert valid.construct().num_data() == 300
    for name in ("label", "weight"):
        with pytest.raises(ValueError, match=f"{name} must have one entry"):
            data.set_field(name, [1.0])
    with pytest.raises(ValueError, match="group must add up"):
        data.set_group([3])
    with pytest.raises(ValueError, match="field_name"):
        data.get_field("nothing")
    freed = lgb.Dataset(X_TRAIN, TARGETS["binary"]).construct()
    with pytest.raises(ValueError, match="free_raw_data"):
        freed.get_data()
    with pytest.raises(InvalidParameterError, match="position"):
        lgb.Dataset(X_TRAIN, position=[0])


def test_categorical_columns_by_name_and_their_mistakes():
    frame = pd.DataFrame(X_TRAIN, columns=list("abcd"))
    y = signal(X_TRAIN)
    expected = lgb.train(QUIET, lgb.Dataset(X_TRAIN, y, categorical_feature=[2]), 5)
    for options in (
        {"categorical_feature": ["c"]},
        {"params": {"categorical_feature": [2]}},
        {"params": {"cat_feature": "name:c"}},
    ):
        booster = lgb.train(QUIET, lgb.Dataset(frame, y, **options), 5)
        assert (booster.predict(frame) == expected.predict(X_TRAIN)).all()
    for wrong, message in (("z", "names 'z'"), (7, "from 0 to 3"), (1.5, "from 0 to 3")):
        with pytest.raises(ValueError, match=message):
            lgb.Dataset(frame, y, categorical_feature=[wrong]).construct()
    huge = X_TRAIN.copy()
    huge[0, 2] = 1e9
    with pytest.raises(ValueError, match="number the categories"):
        lgb.Dataset(huge, y, categorical_feature=[2]).construct()


# -- parameters ------------------------------------------------------------------------------------


def test_aliases_mean_the_same():
    data = data_of("regression")
    expected = lgb.train({"num_leaves": 5, "lambda_l2": 3.0, **QUIET}, data, 5).predict(X_NEW)
    given = {"max_leaf_nodes": 5, "lambda": 3.0, "n_estimators": 5, "verbose": -1}
    assert (lgb.train(given, data).predict(X_NEW) == expected).all()
    with pytest.warns(UserWarning, match="num_leaves counts"):
        lgb.train({"num_leaves": 5, "max_leaves": 6, **QUIET}, data, 1)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"num_leafs": 3}, "Did you mean 'num_leaf"),
        ({"boosting": "rf"}, "RandomForest"),
        ({"objective": "mape"}, "not supported by gramian; use regression_l1"),
        ({"objective": "nonsense"}, "objective must be"),
        ({"objective": "multiclass"}, "needs num_class"),
        ({"num_class": 3}, "needs objective='multiclass'"),
        ({"objective": "quantile", "alpha": 1.5}, "alpha must be below 1"),
        ({"metric": "auc_mu"}, "not supported"),
        ({"metric": "nonsense"}, "metric must be one of"),
        ({"linear_tree": True}, "not supported"),
        ({"extra_trees": True}, "ExtraTrees"),
        ({"path_smooth": 1.0}, "lambda_l2"),
        ({"device": "gpu"}, "one kind of device"),
        ({"max_bin": 1000}, "'max_bin' parameter"),
        ({"monotone_constraints_method": "advanced"}, "the method is basic"),
        ({"learning_rate": "fast"}, "'learning_rate' parameter"),
        ({"seed": "x"}, "seed must be"),
        ({"top_rate": 0.9, "other_rate": 0.9, "boosting": "goss"}, "at most 1"),
    ],
)
def test_what_is_refused(params, message):
    with pytest.raises(InvalidParameterError, match=message):
        lgb.train({**QUIET, **params}, data_of("regression"), 2)


def test_what_a_call_ignores_gives_a_warning():
    with pytest.warns(UserWarning, match="LightGBM ignores 'task' in train"):
        lgb.train({"task": "train", **QUIET}, lgb.Dataset(X_TRAIN, TARGETS["regression"]), 1)
    booster = lgb.train({"force_row_wise": True, "nthread": 1, **QUIET}, data_of("regression"), 1)
    with pytest.warns(UserWarning, match="ignores 'output_result' in predict"):
        booster.predict(X_NEW, output_result="x")
    with pytest.raises(InvalidParameterError, match="pred_early_stop"):
        booster.predict(X_NEW, pred_early_stop=True)


@pytest.mark.parametrize(
    ("objective", "label", "message"),
    [
        ("poisson", -1.0, "from 0 to inf"),
        ("cross_entropy", 2.0, "from 0 to 1"),
        ("multiclass", 3.0, "whole numbers from 0 to 2"),
        ("lambdarank", 0.5, "whole numbers"),
    ],
)
def test_labels_are_checked(objective, label, message):
    target = np.zeros(300)
    target[3] = label
    data = lgb.Dataset(X_TRAIN, target, group=[300] if objective == "lambdarank" else None)
    with pytest.raises(ValueError, match=message):
        lgb.train(params_of(objective), data, 2)


def test_missing_parts_are_named():
    with pytest.raises(ValueError, match="needs a label"):
        lgb.train(QUIET, lgb.Dataset(X_TRAIN), 2)
    with pytest.raises(ValueError, match="needs group"):
        lgb.train({"objective": "lambdarank"}, lgb.Dataset(X_TRAIN, np.zeros(300)), 2)
    with pytest.raises(TypeError, match="Dataset"):
        lgb.train(QUIET, X_TRAIN, 2)
    with pytest.raises(ValueError, match="above 0"):
        lgb.train(QUIET, data_of("regression"), 0)
    with pytest.raises(ValueError, match="3 features"):
        lgb.train(QUIET, data_of("regression"), 1).predict(X_TRAIN[:, :3])


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
