"""Boosted models whose categorical columns become ordered target statistics."""

import json

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.boosting import BoostingClassifier, BoostingRanker, BoostingRegressor
from gramian.inspection import tree_shap
from gramian.metrics import log_loss, roc_auc_score

QUICK = {"n_estimators": 40, "learning_rate": 0.1, "random_state": 0}


def shops(n=4000, n_towns=400, seed=0):
    """Return a town of many levels, two columns that matter together only, and a number."""
    rng = np.random.default_rng(seed)
    town, first, second = (rng.integers(0, size, n) for size in (n_towns, 9, 9))
    size = rng.normal(size=n)
    effect = rng.normal(size=n_towns)[town] + 0.7 * size
    effect += 1.5 * rng.choice([-1.0, 1.0], (9, 9))[first, second]
    names = {"town": town, "first": first, "second": second}
    frame = pd.DataFrame({name: [f"{name[0]}{k}" for k in codes] for name, codes in names.items()})
    frame["size"] = size
    frame.loc[rng.random(n) < 0.03, "town"] = None
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-effect))).astype(int)
    return frame, y


X, Y = shops()
TRAIN, TEST = slice(0, 3000), slice(3000, None)
ORDERED = {**QUICK, "categorical_encoding": "ordered", "max_cat_levels": 8}


def auc_of(**options):
    model = BoostingClassifier(**{**QUICK, **options}).fit(X[TRAIN], Y[TRAIN])
    return roc_auc_score(Y[TEST], model.predict_proba(X[TEST])[:, 1])


def test_columns_of_more_levels_than_bins_become_statistics():
    model = BoostingClassifier(**QUICK).fit(X, Y)
    assert model._target_tables.columns.tolist() == [0]
    by_levels = BoostingClassifier(**QUICK, categorical_encoding="levels").fit(X, Y)
    assert by_levels._target_tables is None
    for preset, columns in (("catboost", [0, 1, 2]), ("lightgbm", None), ("xgboost", None)):
        tables = BoostingClassifier(preset=preset, n_estimators=2).fit(X, Y)._target_tables
        assert (None if tables is None else tables.columns.tolist()) == columns


def test_statistics_and_combinations_help():
    by_levels = auc_of(categorical_encoding="levels")
    single = auc_of(**ORDERED, cat_combination_size=1)
    pairs = auc_of(**ORDERED, cat_combination_size=2)
    assert auc_of() > by_levels + 0.005
    assert pairs > single + 0.02


def test_declared_categories_of_any_number():
    frame = X.assign(town=X["town"].astype("category"))
    with pytest.raises(ValueError, match="cardinality <= 254"):
        BoostingClassifier(categorical_encoding="levels", max_bins=254).fit(frame, Y)
    by_levels = [
        BoostingClassifier(n_estimators=10, categorical_encoding="levels").fit(rows, Y)
        for rows in (frame, X)
    ]
    np.testing.assert_array_equal(*(m.predict_proba(X) for m in by_levels))
    as_categories = BoostingClassifier(**QUICK).fit(frame, Y).decision_function(frame)
    as_text = BoostingClassifier(**QUICK).fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(as_categories, as_text)


@pytest.mark.parametrize("growth", ["leaf", "symmetric"])
def test_a_column_of_noise_does_not_leak(growth):
    rng = np.random.default_rng(1)
    number = rng.normal(size=4000)
    y = (rng.random(4000) < 1.0 / (1.0 + np.exp(-number))).astype(int)
    frame = pd.DataFrame({"number": number, "id": [f"i{k}" for k in rng.integers(0, 1500, 4000)]})
    options = {**QUICK, "growth": growth, "max_depth": 4, "n_estimators": 60}
    gaps = {}
    for columns in (["number"], ["number", "id"]):
        model = BoostingClassifier(**options).fit(frame[columns][:3000], y[:3000])
        new = log_loss(y[3000:], model.predict_proba(frame[columns][3000:])[:, 1])
        gaps[len(columns)] = new - model.certificate_.objective
    assert gaps[2] < gaps[1] + 0.03
    # The mean over all rows of a level holds the target of the row itself: that does leak.
    means = pd.Series(y[:3000]).groupby(frame["id"][:3000]).mean()
    leaking = frame.assign(id=frame["id"].map(means).fillna(0.5))
    model = BoostingClassifier(**options).fit(leaking[:3000], y[:3000])
    new = log_loss(y[3000:], model.predict_proba(leaking[3000:])[:, 1])
    assert new - model.certificate_.objective > gaps[1] + 0.1


def test_evaluation_sets_see_what_predictions_see():
    model = BoostingClassifier(**ORDERED)
    model.fit(X[TRAIN], Y[TRAIN], eval_set=[(X[TEST], Y[TEST])], eval_metric="log_loss")
    staged = [log_loss(Y[TEST], p[:, 1]) for p in model.staged_predict_proba(X[TEST])]
    np.testing.assert_allclose(model.evals_result_["validation_0"]["log_loss"], staged, rtol=1e-9)
    np.testing.assert_allclose(
        model[:7].predict_proba(X[TEST]), list(model.staged_predict_proba(X[TEST]))[6], rtol=1e-12
    )


def test_early_stopping_keeps_the_best_rounds():
    options = {**ORDERED, "n_estimators": 300, "learning_rate": 0.5}
    model = BoostingClassifier(**options, early_stopping_rounds=5).fit(X, Y)
    losses = model.evals_result_["validation"]["loss"]
    assert model.n_estimators_ == int(np.argmin(losses)) + 1 < 300


def test_a_warm_start_goes_on_with_the_same_rows():
    whole = BoostingClassifier(**ORDERED).fit(X, Y)
    parts = BoostingClassifier(**{**ORDERED, "n_estimators": 15}, warm_start=True).fit(X, Y)
    first = parts.decision_function(X)
    parts.set_params(n_estimators=40).fit(X, Y)
    np.testing.assert_array_equal(parts[:15].decision_function(X), first)
    assert parts.certificate_.objective == pytest.approx(whole.certificate_.objective, rel=0.03)
    parts.set_params(n_estimators=45)
    with pytest.raises(ValueError, match="must be those of the fit before"):
        parts.fit(X, 1 - Y)
    with pytest.raises(ValueError, match="must be those of the fit before"):
        parts.set_params(categorical_encoding="levels").fit(X, Y)


def test_a_file_gives_the_same_model(tmp_path):
    model = BoostingClassifier(**ORDERED).fit(X, Y)
    gramian.save(model, tmp_path / "model")
    again = gramian.load(tmp_path / "model")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)


def test_what_features_are_worth():
    model = BoostingClassifier(**ORDERED).fit(X, Y)
    tables = model._target_tables
    raw = model._model.importances("split")
    worth = model.importances("split")
    assert worth.shape == (4,)
    np.testing.assert_allclose(worth.sum(), raw.sum())
    members = tables.members
    of_town = sum(v / len(m) for v, m in zip(raw, members, strict=True) if 0 in m)
    np.testing.assert_allclose(worth[0], of_town)
    assert any(len(m) == 2 for m in members)
    assert model.feature_importances_.min() > 0.05


@pytest.mark.parametrize("background", [None, X[:20]])
def test_shap_values_add_up_by_feature(background):
    model = BoostingClassifier(**ORDERED).fit(X, Y)
    kind = "tree_path_dependent" if background is None else "interventional"
    found = tree_shap(
        model,
        X[:50],
        background=background,
        feature_perturbation=kind,
        interactions=background is None,
    )
    found.check()
    assert found.values.shape == found.data.shape == found.codes.shape == (50, 4)
    assert found.feature_names == ["town", "first", "second", "size"]
    if background is None:
        np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-9)


def test_the_dump_names_the_statistics():
    model = BoostingClassifier(**ORDERED).fit(X, Y)
    text = model.dump()
    assert "[target_mean(town) <= " in text
    assert "[target_mean(first & second) <= " in text
    assert len(json.loads(model.dump("json"))["trees"]) == 40


def test_missing_and_unseen_levels():
    model = BoostingClassifier(**ORDERED, cat_combination_size=1).fit(X, Y)
    rows = X[:3].assign(town=[None, "nowhere", "t1"])
    encoded = model._rows(rows)
    mean_of_missing = encoded[0, 1]
    is_missing = X["town"].isna().to_numpy()
    wanted = (Y[is_missing].sum() + 3.0 * Y.mean()) / (is_missing.sum() + 3.0)
    np.testing.assert_allclose(mean_of_missing, wanted)
    assert np.isfinite(model.decision_function(rows)).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_matter(weighted):
    weight = np.random.default_rng(0).integers(0, 3, len(Y)) if weighted else None
    scores = [
        BoostingClassifier(**{**ORDERED, "sampling": "mvs", "subsample": 0.8}, n_jobs=n_jobs)
        .fit(X, Y, sample_weight=weight)
        .decision_function(X)
        for n_jobs in (1, 2)
    ]
    np.testing.assert_array_equal(*scores)


def test_rows_of_no_weight_do_not_count():
    weight = np.ones(len(Y))
    weight[TEST] = 0.0
    weighted = BoostingClassifier(**ORDERED).fit(X, Y, sample_weight=weight)
    tables = BoostingClassifier(**ORDERED).fit(X[TRAIN], Y[TRAIN])._target_tables
    for mine, theirs in zip(weighted._target_tables.means, tables.means, strict=False):
        if mine.shape == theirs.shape:
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    assert weighted._target_tables.counts[0].sum() == 3000.0


def test_classes_outputs_quantiles_and_ranks():
    target = Y + (X["size"] > 0.5).to_numpy()
    classes = BoostingClassifier(**ORDERED).fit(X, target)
    assert classes.score(X, target) > 0.7
    assert "target_mean[2](town)" in classes.dump()
    each = BoostingClassifier("one_vs_all", **ORDERED).fit(X, target)
    assert each.score(X, target) > 0.7
    pair = np.column_stack([Y, 2.0 * X["size"]])
    outputs = BoostingRegressor(**ORDERED).fit(X, pair)
    assert outputs.predict(X).shape == pair.shape
    assert outputs.score(X, pair) > 0.6
    band = BoostingRegressor("quantile", quantile=[0.2, 0.8], **ORDERED).fit(X, pair[:, 1])
    assert (np.diff(band.predict(X)) >= 0.0).all()
    dart = BoostingRegressor(**ORDERED, drop_rate=0.2).fit(X, Y.astype(float))
    assert dart.score(X, Y) > 0.3
    ranker = BoostingRanker(**ORDERED).fit(X, Y, qid=np.arange(len(Y)) // 20)
    assert ranker.score(X, Y, qid=np.arange(len(Y)) // 20) > 0.85


def test_a_custom_loss():
    def squares(y, scores):
        return scores - y, np.ones_like(y)

    ours = BoostingRegressor(squares, **ORDERED, base_score=Y.mean()).fit(X, Y)
    named = BoostingRegressor(**ORDERED).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), named.predict(X), atol=1e-3)


def test_constraints_are_those_of_the_features():
    alone = BoostingClassifier(**ORDERED, interaction_cst="no_interactions").fit(X, Y)
    used = np.flatnonzero(alone._model.importances("split"))
    assert all(len(alone._target_tables.members[k]) == 1 for k in used)
    rising = BoostingClassifier(**ORDERED, monotonic_cst={"size": 1}).fit(X, Y)
    rows = pd.concat([X[:1]] * 50, ignore_index=True).assign(size=np.linspace(-3, 3, 50))
    assert (np.diff(rising.decision_function(rows)) >= 0.0).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cat_orders", 1),
        ("cat_orders", 7),
        ("cat_prior", 50.0),
        ("cat_combination_size", 1),
        ("max_cat_combinations", 1),
        ("max_cat_levels", 100),
        ("cat_bins", 200),
    ],
)
def test_every_option_has_an_effect(name, value):
    plain = BoostingClassifier(**ORDERED).fit(X, Y).decision_function(X)
    other = BoostingClassifier(**{**ORDERED, name: value}).fit(X, Y).decision_function(X)
    assert not np.array_equal(plain, other)


def test_the_learning_rate_is_catboosts():
    catboost = pytest.importorskip("catboost")
    numbers = X[["size"]].to_numpy()
    targets = {"Logloss": Y, "RMSE": Y + 0.5, "MultiClass": Y + (numbers[:, 0] > 0.0)}
    for loss, target in targets.items():
        options = {} if loss == "MultiClass" else {"boost_from_average": True}
        theirs = catboost.CatBoost(
            {"loss_function": loss, "iterations": 3, "verbose": 0, "thread_count": 1}
            | {"allow_writing_files": False}
            | options
        ).fit(numbers, target)
        kind = BoostingRegressor if loss == "RMSE" else BoostingClassifier
        ours = kind(preset="catboost", n_estimators=3).fit(numbers, target)
        expected = theirs.get_all_params()["learning_rate"]
        assert ours.learning_rate_ == pytest.approx(expected, abs=2e-6)
    assert BoostingRegressor("huber", preset="catboost", n_estimators=2).fit(
        numbers, Y
    ).learning_rate_ == pytest.approx(0.03)
