"""LightGBM's estimators on our engine."""

import inspect
import io
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.compat.lightgbm import (
    Booster,
    Dataset,
    LGBMClassifier,
    LGBMRanker,
    LGBMRegressor,
    early_stopping,
    train,
)
from gramian.datasets import load_breast_cancer, load_diabetes, load_iris
from gramian.exceptions import InvalidParameterError
from gramian.inspection import tree_shap
from gramian.model_selection import GridSearchCV, train_test_split

MODELS = (LGBMClassifier, LGBMRegressor, LGBMRanker)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, y, random_state=0)


@pytest.mark.parametrize("model", MODELS)
def test_signatures_are_those_of_the_real_library(model):
    real = pytest.importorskip("lightgbm")
    theirs = getattr(real, model.__name__)
    for method in ("fit", "predict"):
        ours = inspect.signature(getattr(model, method)).parameters
        expected = inspect.signature(getattr(theirs, method)).parameters
        assert list(ours) == list(expected)
        assert {k: p.default for k, p in ours.items()} == {
            k: p.default for k, p in expected.items()
        }
    assert model().get_params() == theirs().get_params()


def test_the_estimator_is_what_train_gives(cancer):
    X, X_new, y, _ = cancer
    model = LGBMClassifier(n_estimators=10, num_leaves=5).fit(X, y)
    params = {"objective": "binary", "num_leaves": 5}
    booster = train(params, Dataset(X, y), 10)
    assert (model.predict_proba(X_new)[:, 1] == booster.predict(X_new)).all()
    assert (model.booster_.predict(X_new) == booster.predict(X_new)).all()
    assert (model.decision_function(X_new) == booster.predict(X_new, raw_score=True)).all()
    assert (model.predict(X_new, raw_score=True) == model.decision_function(X_new)).all()
    assert (model.predict(X_new, pred_leaf=True) == booster.predict(X_new, pred_leaf=True)).all()
    assert (model.predict(X_new) == (booster.predict(X_new) > 0.5)).all()
    assert model.predict(X_new, pred_contrib=True).shape == (len(X_new), X.shape[1] + 1)
    assert (model.feature_importances_ == booster.feature_importance()).all()
    assert model.feature_importances_.dtype == np.int32
    gains = model.set_params(importance_type="gain").feature_importances_
    assert (gains == booster.feature_importance("gain")).all()
    assert (model.n_estimators_, model.n_iter_, model.n_features_) == (10, 10, X.shape[1])
    assert (model.objective_, model.best_iteration_) == ("binary", 0)
    assert model.feature_name_[:2] == ["Column_0", "Column_1"]


def test_classes_may_be_anything():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for objective in (None, "multiclassova"):
        model = LGBMClassifier(n_estimators=5, objective=objective).fit(X, names)
        assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
        assert model.n_classes_ == 3
        shares = model.predict_proba(X)
        assert shares.shape == (150, 3)
        assert (model.predict(X) == model.classes_[shares.argmax(axis=1)]).all()
        assert model.decision_function(X).shape == (150, 3)
        assert (shares.sum(axis=1) == pytest.approx(1.0)) == (objective is None)
        assert model.score(X, names) > 0.95
    one = LGBMClassifier(n_estimators=2).fit(X, np.full(150, "only"))
    assert (one.predict(X) == "only").all() and one.predict_proba(X).shape == (150, 1)


def test_evaluation_sets(cancer):
    X, X_new, y, y_new = cancer
    stop = early_stopping(5, verbose=False)
    sets = [(X, y), (X_new, y_new)]
    model = LGBMClassifier(n_estimators=200, metric="auc")
    model.fit(X, y, eval_set=sets, eval_metric=["logloss", "error"], callbacks=[stop])
    assert list(model.evals_result_) == ["training", "valid_1"]
    assert list(model.evals_result_["valid_1"]) == ["binary_logloss", "binary_error", "auc"]
    assert 0 < model.best_iteration_ < model.n_estimators_ < 200
    best = model.predict_proba(X_new, num_iteration=model.best_iteration_)
    assert (model.predict_proba(X_new) == best).all()
    shown = model.best_score_["valid_1"]["binary_error"]
    assert shown == pytest.approx(1.0 - model.score(X_new, y_new))
    tupled = LGBMClassifier(n_estimators=3).fit(X, y, eval_X=(X_new,), eval_y=(y_new,))
    single = LGBMClassifier(n_estimators=3).fit(
        X, y, eval_X=X_new, eval_y=y_new, eval_names=["new"]
    )
    assert tupled.evals_result_["valid_0"] == single.evals_result_["new"]
    weights = np.where(y_new == 1, 2.0, 1.0)
    by_class = LGBMClassifier(n_estimators=3).fit(
        X, y, eval_set=[(X_new, y_new)], eval_class_weight=[{0: 1.0, 1: 2.0}]
    )
    by_row = LGBMClassifier(n_estimators=3).fit(
        X, y, eval_set=(X_new, y_new), eval_sample_weight=[weights]
    )
    assert by_class.evals_result_ == by_row.evals_result_ != tupled.evals_result_
    for wrong in ({"eval_X": X}, {"eval_set": [(X, y)], "eval_X": X, "eval_y": y}):
        with pytest.raises(ValueError, match="eval_X"):
            LGBMClassifier().fit(X, y, **wrong)
    with pytest.raises(ValueError, match="unseen labels"):
        LGBMClassifier(n_estimators=2).fit(X, y, eval_set=[(X_new, y_new + 5)])


def test_functions_of_the_user(cancer):
    X, X_new, y, y_new = cancer

    def logistic(y_true, y_pred):
        p = 1.0 / (1.0 + np.exp(-y_pred))
        return p - y_true, p * (1.0 - p)

    def weighted_error(y_true, y_pred, weight):
        return "wrong", float(np.average((y_pred > 0.0) != y_true, weights=weight)), False

    model = LGBMClassifier(n_estimators=10, objective=logistic)
    model.fit(X, y, eval_set=[(X_new, y_new)], eval_metric=weighted_error)
    plain = LGBMClassifier(n_estimators=10, boost_from_average=False).fit(X, y)
    np.testing.assert_allclose(
        model.predict(X_new), plain.decision_function(X_new), rtol=1e-3, atol=1e-4
    )
    assert list(model.evals_result_["valid_0"]) == ["binary_logloss", "wrong"]
    with pytest.raises(TypeError, match="1 arguments"):
        LGBMClassifier(objective=lambda y_true: y_true).fit(X, y)


def test_other_parameters_by_any_name(cancer):
    X, X_new, y, _ = cancer
    named = LGBMClassifier(n_estimators=5, min_child_samples=50, reg_lambda=3.0).fit(X, y)
    model = LGBMClassifier(num_iterations=5, min_data_in_leaf=50, lambda_l2=3.0, verbose=-1)
    assert model.get_params()["min_data_in_leaf"] == 50
    assert "verbose=-1" in repr(model)
    for made in (model, gramian.clone(model), pickle.loads(pickle.dumps(model))):
        assert (made.fit(X, y).predict_proba(X_new) == named.predict_proba(X_new)).all()
    changed = gramian.clone(model).set_params(lambda_l2=0.0, num_leaves=3)
    assert changed.get_params()["lambda_l2"] == 0.0
    with pytest.warns(UserWarning, match="min_data_in_leaf counts"):
        LGBMClassifier(n_estimators=2, min_child_samples=5, min_data_in_leaf=6).fit(X, y)
    with pytest.raises(InvalidParameterError, match="Did you mean 'min_data_in_leaf'"):
        LGBMClassifier(min_data_in_leafs=3)
    with pytest.raises(InvalidParameterError, match="not supported"):
        LGBMClassifier(linear_tree=True).fit(X, y)
    with pytest.raises(InvalidParameterError, match="num_leaves"):
        LGBMClassifier(num_leaves=1).fit(X, y)


def test_saved_models(cancer):
    X, X_new, y, y_new = cancer
    model = LGBMClassifier(n_estimators=20, verbosity=-1)
    model.fit(X, y, eval_set=[(X_new, y_new)], callbacks=[early_stopping(3, verbose=False)])
    file = io.BytesIO()
    gramian.save(model, file)
    for again in (gramian.load(file), pickle.loads(pickle.dumps(model))):
        assert (again.predict_proba(X_new) == model.predict_proba(X_new)).all()
        assert again.booster_.model_to_string() == model.booster_.model_to_string()
        assert again.best_iteration_ == model.best_iteration_
        assert gramian.fingerprint(again) == gramian.fingerprint(model)
    text = model.booster_.model_to_string()
    assert (Booster(model_str=text).predict(X_new) == model.predict_proba(X_new)[:, 1]).all()


def test_data_frames_with_text():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300), "city": rng.choice(["Oslo", "Rome"], 300)})
    y = frame["x"] + 3.0 * (frame["city"] == "Rome")
    model = LGBMRegressor(n_estimators=30, min_child_samples=5).fit(frame, y)
    assert model.score(frame, y) > 0.9
    assert model.feature_names_in_.tolist() == model.feature_name_ == ["x", "city"]
    assert (model.predict(frame[["city", "x"]]) == model.predict(frame)).all()
    codes = np.column_stack([frame["x"], frame["city"] == "Rome"])
    with pytest.warns(UserWarning, match="feature names"):
        assert (model.predict(codes) == model.predict(frame)).all()
    named = LGBMRegressor(n_estimators=5).fit(codes, y, feature_name=["a", "b"])
    assert named.feature_name_ == ["a", "b"]
    categorical = LGBMRegressor(n_estimators=5).fit(codes, y, categorical_feature=[1])
    assert "==" in str(categorical.booster_.dump_model()["tree_info"])


def test_regression_and_its_objectives():
    X, y = load_diabetes(return_X_y=True)
    for objective in (None, "l1", "huber", "quantile", "poisson", "tweedie", "gamma", "fair"):
        model = LGBMRegressor(objective=objective, n_estimators=30, min_child_samples=10)
        if objective == "huber":
            model.set_params(alpha=50.0)
        if objective == "fair":
            model.set_params(fair_c=50.0)
        model.fit(X, y)
        assert np.corrcoef(model.predict(X), y)[0, 1] > 0.7
    with pytest.raises(ValueError, match="class_weight is for classifiers"):
        LGBMRegressor(class_weight="balanced").fit(X, y)
    more = LGBMRegressor(n_estimators=10).fit(X, y, init_model=LGBMRegressor().fit(X, y))
    assert more.n_estimators_ == 110
    moved = LGBMRegressor(n_estimators=10).fit(X, y + 1000.0, init_score=np.full(len(y), 1000.0))
    plain = LGBMRegressor(n_estimators=10, boost_from_average=False).fit(X, y)
    np.testing.assert_allclose(moved.predict(X), plain.predict(X), rtol=1e-5)


def test_class_weights(cancer):
    X, X_new, y, _ = cancer
    by_class = LGBMClassifier(n_estimators=5, class_weight={0: 3.0, 1: 1.0}).fit(X, y)
    by_row = LGBMClassifier(n_estimators=5).fit(X, y, sample_weight=np.where(y == 0, 3.0, 1.0))
    assert (by_class.predict_proba(X_new) == by_row.predict_proba(X_new)).all()


def test_ranking():
    rng = np.random.default_rng(0)
    X = rng.random((600, 3))
    y = np.round(3.0 * X[:, 0])
    model = LGBMRanker(n_estimators=20)
    model.fit(
        X[:400],
        y[:400],
        group=[20] * 20,
        eval_set=[(X[400:], y[400:])],
        eval_group=[[20] * 10],
        eval_at=[3, 5],
        eval_metric="map",
    )
    found = model.evals_result_["valid_0"]
    assert list(found) == ["map@3", "map@5", "ndcg@3", "ndcg@5"]
    assert found["ndcg@5"][-1] > 0.98
    assert model.objective_ == "lambdarank"
    assert model.predict(X).shape == (600,)
    with pytest.raises(ValueError, match="add up"):
        model.fit(X, y, group=[3])


def test_inside_other_tools(cancer):
    X, X_new, y, _ = cancer
    search = GridSearchCV(LGBMClassifier(n_estimators=5), {"num_leaves": [3, 7]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.85
    explained = tree_shap(search.best_estimator_, X_new[:20])
    explained.check()
    contributions = search.best_estimator_.predict(X_new[:20], pred_contrib=True)
    assert np.allclose(contributions[:, :-1].sum(axis=1), explained.values.sum(axis=1), atol=0.2)


def test_threads_do_not_matter(cancer):
    X, X_new, y, _ = cancer
    found: list[Any] = [
        LGBMClassifier(n_estimators=5, n_jobs=n_jobs).fit(X, y).predict_proba(X_new)
        for n_jobs in (None, 1, 3, -1)
    ]
    for other in found[1:]:
        assert (other == found[0]).all()
