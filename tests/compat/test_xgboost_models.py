"""XGBoost's Booster and estimators on our engine."""

import copy
import inspect
import json
import pickle

import numpy as np
import pytest

import gramian
import gramian.compat.xgboost as xgb
from gramian.base import clone
from gramian.exceptions import ModelFileError, NotFittedError
from gramian.inspection import tree_shap
from gramian.model_selection import GridSearchCV


def make_rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32)
    X[::9, 2] = np.nan
    return X, 2.0 * X[:, 0] + X[:, 1] ** 2 + np.nan_to_num(X[:, 2]) + 0.1 * rng.normal(size=n)


def make_booster(n_rounds=8, **params):
    X, y = make_rows()
    rows = xgb.DMatrix(X, y)
    return xgb.train({"max_depth": 3, **params}, rows, n_rounds), rows


def make_classes():
    X, y = make_rows()
    return X, np.digitize(y, [0.0, 2.0])


# -- Booster ---------------------------------------------------------------------------------------


def test_rounds_and_slices():
    booster, rows = make_booster()
    scores = booster.predict(rows)
    assert (booster.num_boosted_rounds(), booster.num_features()) == (8, 4)
    assert booster[2:6].num_boosted_rounds() == 4
    assert booster[-1].get_dump() == booster.get_dump()[-1:]
    assert booster[::2].get_dump() == booster.get_dump()[::2]
    base = booster._bias[0]
    parts = sum(part.predict(rows).astype(float) - base for part in booster)
    np.testing.assert_allclose(parts + base, scores, rtol=1e-5, atol=1e-5)
    part = booster.predict(rows, iteration_range=(2, 6))
    np.testing.assert_array_equal(part, booster[2:6].predict(rows))
    with pytest.raises(ValueError, match="outside of the 8 rounds"):
        booster.predict(rows, iteration_range=(0, 9))
    with pytest.raises(ValueError, match="Empty slice"):
        booster[3:3]
    with pytest.raises(IndexError, match="no round 8"):
        booster[8]


def test_copies():
    booster, rows = make_booster()
    booster.set_attr(note="first")
    for other in (booster.copy(), copy.deepcopy(booster), pickle.loads(pickle.dumps(booster))):
        np.testing.assert_array_equal(other.predict(rows), booster.predict(rows))
        other.set_attr(note=None)
    assert booster.attributes() == {"note": "first"}
    assert booster.attr("nothing") is None
    with pytest.raises(ValueError, match="string values"):
        booster.set_attr(note=1)


def test_saved_by_gramian(tmp_path):
    booster, rows = make_booster()
    gramian.save(booster, tmp_path / "booster")
    again = gramian.load(tmp_path / "booster")
    np.testing.assert_array_equal(again.predict(rows), booster.predict(rows))


def test_growing_on():
    booster, rows = make_booster(10)
    half, _ = make_booster(5)
    both = xgb.train({"max_depth": 3}, rows, 5, xgb_model=half)
    assert both.num_boosted_rounds() == 10
    assert half.num_boosted_rounds() == 5
    np.testing.assert_allclose(both.predict(rows), booster.predict(rows), rtol=1e-4, atol=1e-4)
    by_hand = xgb.Booster({"max_depth": 3})
    for number in range(10):
        by_hand.update(rows, number)
    assert by_hand.get_dump() == booster.get_dump()
    given = xgb.Booster({"max_depth": 3, "base_score": 0.0})
    given.boost(rows, 0, grad=-rows.get_label(), hess=np.ones(rows.num_row()))
    zero = xgb.train({"max_depth": 3, "base_score": 0.0}, rows, 1)
    np.testing.assert_allclose(given.predict(rows), zero.predict(rows), rtol=1e-5)
    other = xgb.DMatrix(make_rows(50, 1)[0], make_rows(50, 1)[1])
    assert xgb.train({}, other, 2, xgb_model=half.save_raw()).num_boosted_rounds() == 7
    with pytest.raises(ValueError, match="cannot go on from other trees"):
        xgb.train({"booster": "dart", "rate_drop": 0.5}, rows, 1, xgb_model=half)


def test_no_rounds():
    X, y = make_rows()
    rows = xgb.DMatrix(X, y)
    booster = xgb.train({}, rows, 0)
    np.testing.assert_allclose(booster.predict(rows), y.mean(), rtol=1e-5)
    with pytest.raises(NotFittedError, match="no trees"):
        xgb.Booster().predict(rows)
    with pytest.raises(TypeError, match="Expecting data to be a DMatrix"):
        booster.predict(X)


def test_description_of_predictions():
    booster, rows = make_booster()
    scores = booster.predict(rows, output_margin=True)
    values = booster.predict(rows, pred_contribs=True)
    assert values.shape == (300, 5)
    np.testing.assert_allclose(values.sum(axis=1), scores, rtol=1e-4, atol=1e-4)
    pairs = booster.predict(rows, pred_interactions=True)
    np.testing.assert_allclose(pairs.sum(axis=2), values, rtol=1e-3, atol=1e-4)
    leaves = booster.predict(rows, pred_leaf=True)
    assert leaves.shape == (300, 8)
    table = booster.trees_to_dataframe().set_index(["Tree", "Node"])
    found = [table.loc[(t, int(leaf)), "Gain"] for t, leaf in enumerate(leaves[7])]
    assert sum(found) + booster._bias[0] == pytest.approx(scores[7], rel=1e-5)
    strict = [
        booster.predict(rows, strict_shape=True, **{name: True}).shape
        for name in ("output_margin", "pred_leaf", "pred_contribs", "pred_interactions")
    ]
    assert strict == [(300, 1), (300, 8, 1, 1), (300, 1, 5), (300, 1, 5, 5)]
    with pytest.raises(ValueError, match="approx_contribs"):
        booster.predict(rows, pred_contribs=True, approx_contribs=True)
    inplace = booster.inplace_predict(rows.get_data().toarray(), missing=0.0)
    np.testing.assert_array_equal(inplace, booster.predict(rows))


def test_importances():
    booster, _ = make_booster()
    table = booster.trees_to_dataframe()
    splits = table[table["Feature"] != "Leaf"].groupby("Feature")
    expected = {
        "weight": splits.size(),
        "gain": splits["Gain"].mean(),
        "total_gain": splits["Gain"].sum(),
        "cover": splits["Cover"].mean(),
        "total_cover": splits["Cover"].sum(),
    }
    for kind, values in expected.items():
        assert booster.get_score(importance_type=kind) == pytest.approx(values.to_dict(), rel=1e-5)
    assert booster.get_fscore() == booster.get_score()
    counts = booster.get_split_value_histogram("f0")
    assert counts["Count"].sum() == booster.get_score()["f0"]
    with pytest.raises(ValueError, match="fmap"):
        booster.get_score("names.txt")


def test_texts(tmp_path):
    rows = xgb.DMatrix([[1.0], [2.0], [np.nan]], label=[0.0, 1.0, 1.0], feature_names=["age"])
    options = {"eta": 1.0, "lambda": 0.0, "base_score": 0.0, "min_child_weight": 0.0}
    booster = xgb.train({**options, "max_depth": 1}, rows, 1)
    (text,) = booster.get_dump(with_stats=True)
    first, *leaves = text.splitlines()
    assert first.startswith("0:[age<")
    assert first.endswith("] yes=1,no=2,missing=2,gain=0.666666687,cover=3")
    assert leaves == ["\t1:leaf=0,cover=1", "\t2:leaf=1,cover=2"]
    (root,) = [json.loads(tree) for tree in booster.get_dump(dump_format="json")]
    assert [child["leaf"] for child in root["children"]] == [0.0, 1.0]
    assert {"nodeid", "depth", "split", "split_condition", "yes", "no", "missing"} < root.keys()
    booster.dump_model(tmp_path / "trees.txt")
    assert (tmp_path / "trees.txt").read_text() == "booster[0]:\n" + booster.get_dump()[0]
    booster.dump_model(tmp_path / "trees.json", dump_format="json")
    assert json.loads((tmp_path / "trees.json").read_text()) == [root]


def test_names_of_columns():
    X, y = make_rows()
    rows = xgb.DMatrix(X, y, feature_names=list("abcd"))
    booster = xgb.train({}, rows, 2)
    with pytest.raises(ValueError, match="feature_names mismatch"):
        booster.predict(xgb.DMatrix(X, feature_names=list("abdc")))
    with pytest.raises(ValueError, match="the data has no names"):
        booster.predict(xgb.DMatrix(X))
    bare = booster.predict(xgb.DMatrix(X), validate_features=False)
    np.testing.assert_array_equal(bare, booster.predict(rows))
    with pytest.raises(ValueError, match="Feature shape mismatch, expected: 4, got 3"):
        booster.predict(xgb.DMatrix(X[:, :3]), validate_features=False)


def test_files(tmp_path):
    booster, rows = make_booster()
    booster.set_attr(best_iteration="4", best_score="0.5")
    for name in ("model.json", "model.ubj", "model.bin"):
        booster.save_model(tmp_path / name)
        again = xgb.Booster()
        again.load_model(tmp_path / name)
        np.testing.assert_array_equal(again.predict(rows), booster.predict(rows))
        assert (again.best_iteration, again.best_score) == (4, 0.5)
    assert json.loads((tmp_path / "model.json").read_text())["version"] == [3, 2, 0]
    with pytest.raises(ModelFileError, match="cannot be read"):
        xgb.Booster(model_file=b"{}")
    document = json.loads(booster.save_raw("json"))
    document["learner"]["objective"]["name"] = "survival:cox"
    with pytest.raises(ModelFileError, match="use load_model"):
        xgb.Booster(model_file=json.dumps(document).encode())


def test_forests_and_dart_in_files():
    for params in (
        {"num_parallel_tree": 3, "subsample": 0.5},
        {"booster": "dart", "rate_drop": 0.5},
    ):
        booster, rows = make_booster(4, **params)
        again = xgb.Booster(model_file=booster.save_raw())
        assert again.num_boosted_rounds() == 4
        np.testing.assert_array_equal(again.predict(rows), booster.predict(rows))
        np.testing.assert_array_equal(
            again.predict(rows, iteration_range=(1, 3)),
            booster.predict(rows, iteration_range=(1, 3)),
        )


# -- estimators ------------------------------------------------------------------------------------


def test_signature():
    """Names and defaults are those of XGBoost's class."""
    parameters = inspect.signature(xgb.XGBClassifier).parameters
    assert len(parameters) == 40
    assert parameters["objective"].default == "binary:logistic"
    assert np.isnan(parameters["missing"].default)
    assert parameters["enable_categorical"].default is False
    others = {"objective", "missing", "enable_categorical"}
    assert all(p.default is None for name, p in parameters.items() if name not in others)
    forest = inspect.signature(xgb.XGBRFRegressor).parameters
    shown = [forest[name].default for name in ("learning_rate", "subsample", "reg_lambda")]
    assert shown == [1.0, 0.8, 1e-5]


def test_regressor_is_train():
    X, y = make_rows()
    model = xgb.XGBRegressor(n_estimators=10, max_depth=3, learning_rate=0.2).fit(X, y)
    booster = xgb.train({"max_depth": 3, "eta": 0.2}, xgb.DMatrix(X, y), 10)
    assert model.get_booster().get_dump() == booster.get_dump()
    np.testing.assert_array_equal(model.predict(X), booster.predict(xgb.DMatrix(X)))
    np.testing.assert_array_equal(model.apply(X), booster.predict(xgb.DMatrix(X), pred_leaf=True))
    gains = booster.get_score(importance_type="gain")
    shares = np.array([gains.get(f"f{k}", 0.0) for k in range(4)]) / sum(gains.values())
    np.testing.assert_allclose(model.feature_importances_, shares, rtol=1e-6)
    assert model.intercept_[0] == pytest.approx(y.mean(), rel=1e-6)
    assert model.get_xgb_params()["max_depth"] == 3
    assert "n_estimators" not in model.get_xgb_params()
    assert model.get_num_boosting_rounds() == 10


def test_other_names():
    X, y = make_rows()
    model = xgb.XGBRegressor(n_estimators=3, eta=0.1, tweedie_variance_power=1.2)
    assert clone(model).get_params()["eta"] == 0.1
    plain = xgb.XGBRegressor(n_estimators=3, learning_rate=0.1).fit(X, y)
    np.testing.assert_array_equal(model.fit(X, y).predict(X), plain.predict(X))
    with pytest.raises(TypeError, match=r"'n_estimator', which XGBRegressor.*'n_estimators'\?"):
        xgb.XGBRegressor(n_estimator=3)
    with pytest.raises(ValueError, match="'max_depth' parameter of XGBRegressor must be an int"):
        xgb.XGBRegressor(max_depth=-1).fit(X, y)
    with pytest.raises(ValueError, match="grow_policy"):
        GridSearchCV(xgb.XGBRegressor(), {"grow_policy": ["wide"]}, error_score="raise").fit(X, y)


def test_names_of_former_versions():
    X, y = make_classes()
    model = xgb.XGBClassifier(n_estimators=2, use_label_encoder=False)
    with pytest.warns(UserWarning, match="ignores 'use_label_encoder' in XGBClassifier") as caught:
        model.fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]


def test_several_targets():
    X, y = make_rows()
    model = xgb.XGBRegressor(n_estimators=5).fit(X, np.column_stack([y, -y]))
    single = xgb.XGBRegressor(n_estimators=5).fit(X, -y)
    assert model.predict(X).shape == (300, 2)
    np.testing.assert_allclose(model.predict(X)[:, 1], single.predict(X), rtol=1e-5, atol=1e-5)


def test_classifier():
    X, y = make_classes()
    names = np.array(["low", "middle", "high"])
    model = xgb.XGBClassifier(n_estimators=10).fit(X, names[y])
    assert model.classes_.tolist() == ["high", "low", "middle"]
    assert model.n_classes_ == 3
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-5)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(X)).all()
    assert model.score(X, names[y]) > 0.9
    assert model.predict(X, output_margin=True).shape == (300, 3)
    two = xgb.XGBClassifier(n_estimators=10).fit(X, y > 0)
    booster = two.get_booster()
    np.testing.assert_allclose(
        two.predict_proba(X)[:, 1], booster.predict(xgb.DMatrix(X)), rtol=1e-5
    )
    with pytest.raises(ValueError, match="unseen labels"):
        xgb.XGBClassifier(n_estimators=2).fit(X, y, eval_set=[(X, y + 1)])


def test_early_stopping_of_estimators(capsys):
    X, y = make_classes()
    model = xgb.XGBClassifier(
        n_estimators=200,
        learning_rate=1.0,
        early_stopping_rounds=3,
        eval_metric=["merror", "mlogloss"],
    )
    model.fit(X[:200], y[:200], eval_set=[(X[:200], y[:200]), (X[200:], y[200:])], verbose=False)
    assert capsys.readouterr().out == ""
    result = model.evals_result()
    assert list(result) == ["validation_0", "validation_1"]
    values = result["validation_1"]["mlogloss"]
    assert model.best_iteration == int(np.argmin(values)) < 199
    assert model.best_score == min(values)
    best = model.predict_proba(X, iteration_range=(0, model.best_iteration + 1))
    np.testing.assert_array_equal(model.predict_proba(X), best)
    assert not np.array_equal(model.predict_proba(X, iteration_range=(0, 2)), best)


def test_functions_of_users():
    X, y = make_rows()

    def squares(target, predicted):
        return predicted - target, np.ones_like(target)

    def largest(target, predicted):
        return float(np.abs(target - predicted).max())

    model = xgb.XGBRegressor(
        n_estimators=5, objective=squares, base_score=0.5, eval_metric=[largest, "mae"]
    )
    model.fit(X, y, eval_set=[(X, y)], verbose=False)
    assert list(model.evals_result()["validation_0"]) == ["mae", "largest"]
    plain = xgb.XGBRegressor(n_estimators=5, base_score=0.5).fit(X, y)
    np.testing.assert_allclose(model.predict(X), plain.predict(X), rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match="doesn't have the `sample_weight` parameter"):
        model.fit(X, y, sample_weight=np.ones(len(y)))


def test_files_of_estimators(tmp_path):
    X, y = make_classes()
    model = xgb.XGBClassifier(n_estimators=5).fit(X, y)
    model.save_model(tmp_path / "model.json")
    again = xgb.XGBClassifier()
    again.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.n_features_in_ == 4
    grown = xgb.XGBClassifier(n_estimators=3).fit(X, y, xgb_model=model)
    assert grown.get_booster().num_boosted_rounds() == 8


def test_explained():
    X, y = make_rows()
    model = xgb.XGBRegressor(n_estimators=5).fit(X, y)
    found = tree_shap(model, X)
    np.testing.assert_allclose(
        found.values,
        model.get_booster().predict(xgb.DMatrix(X), pred_contribs=True)[:, :-1],
        rtol=1e-3,
        atol=1e-4,
    )


def test_ranker():
    X, _ = make_rows()
    y = np.clip(np.round(X[:, 0] + 1.0), 0, 4)
    qid = np.repeat(np.arange(10), 30)
    model = xgb.XGBRanker(n_estimators=10).fit(X, y, qid=qid)
    by_size = xgb.XGBRanker(n_estimators=10).fit(X, y, group=[30] * 10)
    np.testing.assert_array_equal(model.predict(X), by_size.predict(X))
    assert model.score(X, y, qid=qid) > 0.95
    model.fit(X, y, qid=qid, eval_set=[(X, y)], eval_qid=[qid], sample_weight=np.ones(10))
    assert list(model.evals_result()["validation_0"]) == ["ndcg@32"]
    with pytest.raises(ValueError, match="sorted"):
        model.fit(X, y, qid=qid[::-1])


def test_forests():
    X, y = make_classes()
    model = xgb.XGBRFClassifier(n_estimators=7, random_state=1).fit(X, y)
    booster = model.get_booster()
    assert booster.num_boosted_rounds() == 1
    assert len(booster.get_dump()) == 7 * 3
    assert model.score(X, y) > 0.85
    with pytest.raises(NotImplementedError, match="random forest"):
        xgb.XGBRFRegressor(early_stopping_rounds=3).fit(X, y)


def test_pictures():
    import matplotlib.pyplot as plt

    booster, _ = make_booster()
    axes = xgb.plot_importance(booster, max_num_features=2)
    labels = [text.get_text() for text in axes.get_yticklabels()]
    largest = sorted(booster.get_score().items(), key=lambda item: item[1])[-2:]
    assert labels == [name for name, _ in largest]
    plt.close("all")
    with pytest.raises(ValueError, match="nothing to draw"):
        xgb.plot_importance({})
