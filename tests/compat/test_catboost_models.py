"""CatBoost's classes on our engine."""

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian._boosting.rates import chosen_rate
from gramian.base import clone
from gramian.compat.catboost import (
    CatBoost,
    CatBoostClassifier,
    CatBoostRanker,
    CatBoostRegressor,
    Pool,
)
from gramian.compat.catboost._cityhash import city_hash
from gramian.compat.catboost._plan import fit_plan
from gramian.compat.catboost._trees import views
from gramian.datasets import load_breast_cancer, load_diabetes, load_iris
from gramian.exceptions import InvalidParameterError, NotFittedError
from gramian.metrics import log_loss, roc_auc_score, root_mean_squared_error
from gramian.model_selection import GridSearchCV

X_CANCER, Y_CANCER = load_breast_cancer(return_X_y=True)
X_IRIS, Y_IRIS = load_iris(return_X_y=True)
X_SUGAR, Y_SUGAR = load_diabetes(return_X_y=True)
CANCER = (X_CANCER[:400], Y_CANCER[:400]), (X_CANCER[400:], Y_CANCER[400:])
PLAIN = {"bootstrap_type": "No", "random_strength": 0}


# -- classes ---------------------------------------------------------------------------------------


def test_classifier_of_two_classes():
    (X, y), new = CANCER
    model = CatBoostClassifier(iterations=60).fit(X, y, eval_set=new)
    assert model.score(*new) > 0.95
    shares = model.predict_proba(new[0])
    raw = model.predict(new[0], prediction_type="RawFormulaVal")
    np.testing.assert_allclose(shares[:, 1], 1 / (1 + np.exp(-raw)))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(new[0])), shares)
    np.testing.assert_array_equal(model.predict(new[0]), (raw > 0).astype(int))
    np.testing.assert_array_equal(model.decision_function(new[0]), raw)
    np.testing.assert_array_equal(model.predict_proba(new[0], thread_count=1), shares)
    with pytest.raises(TypeError, match="unexpected argument 'threads'"):
        model.predict(new[0], threads=1)
    with pytest.raises(ValueError, match="task_type='GPU'"):
        model.predict(new[0], task_type="GPU")
    values = model.evals_result_["validation"]["Logloss"]
    assert min(values) == pytest.approx(model.best_score_["validation"]["Logloss"])
    assert values[model.tree_count_ - 1] == pytest.approx(log_loss(new[1], shares))


def test_learning_rates_are_those_of_catboost():
    """Found by CatBoost 1.2.10 for these numbers of rows and rounds."""
    law = {"keeps_best": False, "from_average": True}
    assert chosen_rate("squared_error", 20000, 100, **law) == pytest.approx(0.427309, abs=2e-6)
    law = {"keeps_best": True, "from_average": False}
    assert chosen_rate("logistic", 1000, 400, **law) == pytest.approx(0.047208, abs=2e-6)
    assert chosen_rate("softmax", 1000, 100, **law) == pytest.approx(0.260212, abs=2e-6)
    assert chosen_rate("squared_error", 10**9, 1, **law) == 0.5
    assert chosen_rate("absolute_error", 1000, 100, **law) == 0.03


def test_learning_rate_is_chosen_or_given():
    model = CatBoostRegressor(iterations=10).fit(X_SUGAR, Y_SUGAR)
    law = {"keeps_best": False, "from_average": True}
    assert model.learning_rate_ == chosen_rate("squared_error", len(Y_SUGAR), 10, **law)
    assert CatBoostRegressor(10, l2_leaf_reg=5.0).fit(X_SUGAR, Y_SUGAR).learning_rate_ == 0.03
    assert CatBoostRegressor(10, eta=0.2).fit(X_SUGAR, Y_SUGAR).learning_rate_ == 0.2


def test_classifier_of_three_classes():
    labels = np.array(["a", "b", "c"])[Y_IRIS]
    model = CatBoostClassifier(iterations=30).fit(X_IRIS, labels)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.score(X_IRIS, labels) > 0.97
    np.testing.assert_allclose(model.predict_proba(X_IRIS).sum(axis=1), 1.0)
    assert model.predict(X_IRIS, "RawFormulaVal").shape == (150, 3)
    each = CatBoostClassifier(iterations=30, loss_function="MultiClassOneVsAll")
    shares = each.fit(X_IRIS, labels).predict_proba(X_IRIS)
    raw = each.predict(X_IRIS, "RawFormulaVal")
    np.testing.assert_allclose(shares, 1 / (1 + np.exp(-raw)))


def test_class_weights():
    y = Y_CANCER
    plain = CatBoostClassifier(iterations=15, **PLAIN)
    by_list = clone(plain).set_params(class_weights=[3.0, 1.0]).fit(X_CANCER, y)
    by_dict = clone(plain).set_params(class_weights={0: 3.0, 1: 1.0}).fit(X_CANCER, y)
    by_rows = clone(plain).fit(X_CANCER, y, sample_weight=np.where(y == 0, 3.0, 1.0))
    np.testing.assert_allclose(by_list.predict_proba(X_CANCER), by_dict.predict_proba(X_CANCER))
    np.testing.assert_allclose(by_list.predict_proba(X_CANCER), by_rows.predict_proba(X_CANCER))
    scaled = clone(plain).set_params(scale_pos_weight=0.5).fit(X_CANCER, y)
    halves = clone(plain).fit(X_CANCER, y, sample_weight=np.where(y == 1, 0.5, 1.0))
    np.testing.assert_allclose(scaled.predict_proba(X_CANCER), halves.predict_proba(X_CANCER))
    balanced = clone(plain).set_params(auto_class_weights="Balanced").fit(X_CANCER, y)
    share = (y == 1).sum() / (y == 0).sum()
    rows = clone(plain).fit(X_CANCER, y, sample_weight=np.where(y == 0, share, 1.0))
    np.testing.assert_allclose(balanced.predict_proba(X_CANCER), rows.predict_proba(X_CANCER))
    with pytest.raises(InvalidParameterError, match="cannot be given both"):
        clone(scaled).set_params(class_weights=[1, 2]).fit(X_CANCER, y)
    with pytest.raises(InvalidParameterError, match="3 weights for 2 classes"):
        clone(plain).set_params(class_weights=[1, 2, 3]).fit(X_CANCER, y)


# -- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "metric"),
    [
        ("RMSE", "RMSE"),
        ("MAE", "MAE"),
        ("Quantile:alpha=0.8", "Quantile:alpha=0.8"),
        ("Expectile:alpha=0.8", "Expectile:alpha=0.8"),
        ("Huber:delta=20", "Huber:delta=20"),
        ("Poisson", "Poisson"),
        ("Tweedie:variance_power=1.4", "Tweedie:variance_power=1.4"),
        ("MultiQuantile:alpha=0.1,0.9", "MultiQuantile:alpha=0.1,0.9"),
    ],
)
def test_losses_fall(loss, metric):
    y = Y_SUGAR / 50.0
    model = CatBoostRegressor(iterations=40, learning_rate=0.1, loss_function=loss).fit(X_SUGAR, y)
    values = model.evals_result_["learn"][metric]
    assert values[-1] < 0.9 * values[0]
    whole = model.eval_metrics(Pool(X_SUGAR, y), metric)[metric]
    np.testing.assert_allclose(values, whole, rtol=1e-6)


def test_predictions_of_counts_are_exponentials():
    y = Y_SUGAR / 50.0
    model = CatBoostRegressor(iterations=30, loss_function="Poisson", learning_rate=0.1)
    model.fit(X_SUGAR, y)
    np.testing.assert_allclose(model.predict(X_SUGAR), np.exp(model.predict_raw(X_SUGAR)))
    *_, last = model.staged_predict(X_SUGAR)
    np.testing.assert_allclose(last, model.predict(X_SUGAR))


def test_targets_of_several_columns():
    Y = np.column_stack([Y_SUGAR, -2.0 * Y_SUGAR])
    model = CatBoostRegressor(iterations=30, loss_function="MultiRMSE", **PLAIN).fit(X_SUGAR, Y)
    assert model.predict(X_SUGAR).shape == Y.shape
    assert model.score(X_SUGAR, Y) > 0.4
    column = CatBoostRegressor(iterations=5).fit(X_SUGAR, Y_SUGAR[:, None])
    assert column.predict(X_SUGAR).shape == Y_SUGAR.shape


def test_boost_from_average():
    start = CatBoostRegressor(iterations=1, learning_rate=1e-9).fit(X_SUGAR, Y_SUGAR)
    np.testing.assert_allclose(start.predict(X_SUGAR), Y_SUGAR.mean(), rtol=1e-6)
    assert start.get_scale_and_bias() == (1.0, pytest.approx(Y_SUGAR.mean()))
    zero = clone(start).set_params(boost_from_average=False).fit(X_SUGAR, Y_SUGAR)
    assert zero.get_scale_and_bias() == (1.0, 0.0)


class Squares:
    """CatBoost's protocol of a loss: derivatives of what is maximised."""

    def calc_ders_range(self, approxes, targets, weights):
        return [(t - a, -1.0) for a, t in zip(approxes, targets, strict=True)]


class MaxError:
    """CatBoost's protocol of a metric."""

    def is_max_optimal(self):
        return False

    def evaluate(self, approxes, target, weight):
        return float(np.abs(approxes[0] - target).max()), 1.0

    def get_final_error(self, error, weight):
        return error / weight


def test_a_loss_of_ones_own():
    options = {"iterations": 20, "learning_rate": 0.3, **PLAIN}
    known = CatBoostRegressor(boost_from_average=False, **options).fit(X_SUGAR, Y_SUGAR)
    own = CatBoostRegressor(loss_function=Squares(), **options).fit(X_SUGAR, Y_SUGAR)
    np.testing.assert_allclose(own.predict(X_SUGAR), known.predict(X_SUGAR), rtol=1e-6)
    with pytest.raises(InvalidParameterError, match="needs an eval_metric"):
        clone(own).fit(X_SUGAR, Y_SUGAR, eval_set=(X_SUGAR, Y_SUGAR))
    judged = clone(own).set_params(eval_metric=MaxError())
    judged.fit(X_SUGAR, Y_SUGAR, eval_set=(X_SUGAR, Y_SUGAR), use_best_model=False)
    worst = np.abs(judged.predict(X_SUGAR) - Y_SUGAR).max()
    assert judged.evals_result_["validation"]["MaxError"][-1] == pytest.approx(worst)


# -- orders ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "metric"),
    [(None, "NDCG"), ("LambdaMart:metric=MAP", "MAP"), ("QueryRMSE", "QueryRMSE")],
)
def test_ranker(loss, metric):
    rng = np.random.default_rng(0)
    X, group = rng.random((400, 3)), rng.permutation(np.repeat(np.arange(20), 20))
    y = np.round(3.0 * X[:, 0])
    model = CatBoostRanker(iterations=40, learning_rate=0.1, loss_function=loss)
    model.fit(X, y, group_id=group, eval_set=Pool(X, y, group_id=group))
    assert list(model.evals_result_["validation"]) == [metric]
    if metric == "MAP":  # all relevances above 0 are alike
        assert model.best_score_["validation"]["MAP"] > 0.95
        return
    assert model.score(X, y, group) > 0.95
    assert model.score(Pool(X, y, group_id=group), top=3, type="Exp") > 0.9


def test_query_rmse_takes_no_notice_of_the_level_of_a_query():
    rng = np.random.default_rng(1)
    X, group = rng.random((300, 2)), np.repeat(np.arange(15), 20)
    y = np.round(3.0 * X[:, 0])
    options = {"iterations": 20, "learning_rate": 0.3, "loss_function": "QueryRMSE", **PLAIN}
    model = CatBoostRanker(**options).fit(X, y, group_id=group)
    shifted = CatBoostRanker(**options).fit(X, y + (group % 3), group_id=group)
    np.testing.assert_allclose(model.predict(X), shifted.predict(X), atol=1e-5)


def test_a_regression_loss_of_a_ranker_warns():
    with pytest.warns(RuntimeWarning, match="no notice of group_id"):
        CatBoostRanker(iterations=5, loss_function="RMSE").fit(X_SUGAR, Y_SUGAR)


# -- evaluation ------------------------------------------------------------------------------------


def test_early_stopping_and_the_best_model():
    train, new = CANCER
    model = CatBoostClassifier(iterations=400, learning_rate=0.5, eval_metric="AUC")
    model.fit(*train, eval_set=new, early_stopping_rounds=5)
    values = model.evals_result_["validation"]["AUC"]
    best = int(np.argmax(values))
    assert model.get_best_iteration() == best and model.tree_count_ == best + 1
    assert len(values) == best + 6 < 400
    assert roc_auc_score(new[1], model.predict_proba(new[0])[:, 1]) == pytest.approx(values[best])
    assert list(model.evals_result_["learn"]) == ["Logloss"]  # AUC is costly
    full = clone(model).fit(*train, eval_set=new, early_stopping_rounds=5, use_best_model=False)
    assert full.tree_count_ == len(values) and full.best_iteration_ == best


def test_the_last_of_several_sets_decides():
    train, new = CANCER
    model = CatBoostClassifier(iterations=30, custom_metric=["Accuracy", "F1"])
    model.fit(*train, eval_set=[train, new])
    assert list(model.evals_result_) == ["learn", "validation_0", "validation_1"]
    assert list(model.evals_result_["validation_1"]) == ["Accuracy", "F1", "Logloss"]
    values = model.evals_result_["validation_1"]["Logloss"]
    assert model.best_iteration_ == int(np.argmin(values))
    np.testing.assert_allclose(
        model.evals_result_["learn"]["Logloss"], model.evals_result_["validation_0"]["Logloss"]
    )


def test_metric_period():
    train, new = CANCER
    model = CatBoostClassifier(iterations=12).fit(*train, eval_set=new, metric_period=5)
    every = CatBoostClassifier(iterations=12).fit(*train, eval_set=new)
    expected = [every.evals_result_["validation"]["Logloss"][k] for k in (0, 5, 10, 11)]
    assert model.evals_result_["validation"]["Logloss"] == expected


def test_eval_fraction():
    model = CatBoostClassifier(iterations=10, eval_fraction=0.25).fit(X_CANCER, Y_CANCER)
    assert list(model.evals_result_) == ["learn", "validation"]
    with pytest.raises(ValueError, match="eval_fraction"):
        clone(model).fit(X_CANCER, Y_CANCER, eval_set=CANCER[1])


class Stops:
    """A callback of CatBoost's."""

    def __init__(self):
        self.seen = []

    def after_iteration(self, info):
        self.seen.append((info.iteration, len(info.metrics["validation"]["RMSE"])))
        return info.iteration < 3


def test_callbacks():
    stops = Stops()
    model = CatBoostRegressor(iterations=10, use_best_model=False)
    model.fit(X_SUGAR, Y_SUGAR, eval_set=(X_SUGAR, Y_SUGAR), callbacks=[stops])
    assert stops.seen == [(1, 1), (2, 2), (3, 3)] and model.tree_count_ == 3


def test_lines(capsys):
    model = CatBoostRegressor(iterations=6)
    model.fit(X_SUGAR, Y_SUGAR, eval_set=(X_SUGAR, Y_SUGAR), verbose=5)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["0", "5"]
    assert all(word in lines[0] for word in ("learn:", "test:", "best:", "remaining:"))
    model.fit(X_SUGAR, Y_SUGAR, verbose=False)
    assert not capsys.readouterr().out


# -- rounds ----------------------------------------------------------------------------------------


def test_ranges_of_rounds_add_up():
    model = CatBoostRegressor(iterations=9).fit(X_SUGAR, Y_SUGAR)
    first = model.predict(X_SUGAR, ntree_end=4)
    rest = model.predict(X_SUGAR, ntree_start=4)
    np.testing.assert_allclose(first + rest, model.predict(X_SUGAR))
    staged = list(model.staged_predict(X_SUGAR, eval_period=4))
    assert len(staged) == 3
    np.testing.assert_allclose(staged[0], first)
    np.testing.assert_allclose(staged[-1], model.predict(X_SUGAR))
    with pytest.raises(ValueError, match="rounds of the 9"):
        model.predict(X_SUGAR, ntree_end=10)
    model.shrink(4)
    assert model.tree_count_ == 4
    np.testing.assert_allclose(model.predict(X_SUGAR), first)


def test_fits_go_on():
    options = {"learning_rate": 0.1, **PLAIN}
    whole = CatBoostRegressor(iterations=12, **options).fit(X_SUGAR, Y_SUGAR)
    first = CatBoostRegressor(iterations=7, **options).fit(X_SUGAR, Y_SUGAR)
    second = CatBoostRegressor(iterations=5, **options)
    second.fit(X_SUGAR, Y_SUGAR, init_model=first)
    assert (first.tree_count_, second.tree_count_) == (7, 12)
    np.testing.assert_allclose(second.predict(X_SUGAR), whole.predict(X_SUGAR))
    with pytest.raises(TypeError, match="init_model"):
        second.fit(X_SUGAR, Y_SUGAR, init_model="model.json")


def test_baseline():
    raw = np.linspace(-1.0, 1.0, len(Y_CANCER))
    pool = Pool(X_CANCER, Y_CANCER, baseline=raw)
    model = CatBoostClassifier(iterations=5).fit(pool)
    plain, added = (model.predict(part, "RawFormulaVal") for part in (X_CANCER, pool))
    np.testing.assert_allclose(added - plain, raw)
    found = model.evals_result_["learn"]["Logloss"][-1]
    assert found == pytest.approx(log_loss(Y_CANCER, 1 / (1 + np.exp(-added))))


# -- columns ---------------------------------------------------------------------------------------


def test_missing_numbers_are_below_or_above_all():
    rng = np.random.default_rng(0)
    x = rng.random(200)
    x[::4] = np.nan
    for mode, filled in (("Min", -1.0), ("Max", 2.0)):
        y = np.where(np.isnan(x), 5.0, 0.0)
        options = {"iterations": 5, "learning_rate": 0.5, "nan_mode": mode, **PLAIN}
        model = CatBoostRegressor(**options).fit(x[:, None], y)
        twin = CatBoostRegressor(**options).fit(np.where(np.isnan(x), filled, x)[:, None], y)
        np.testing.assert_allclose(
            model.predict([[np.nan], [0.5]]), twin.predict([[filled], [0.5]])
        )
    with pytest.raises(ValueError, match="Forbidden"):
        CatBoostRegressor(nan_mode="Forbidden").fit(x[:, None], y)


def test_categories():
    rng = np.random.default_rng(0)
    town = np.array(["Lyon", "Oslo", "Rome", "Ulm"])[rng.integers(0, 4, 300)]
    size = rng.integers(0, 3, 300)
    y = np.where(town == "Oslo", 4.0, 0.0) + np.where(size == 1, 2.0, 0.0)
    frame = pd.DataFrame({"town": town, "size": size, "noise": rng.random(300)})
    model = CatBoostRegressor(iterations=40, learning_rate=0.3, cat_features=["size"])
    model.fit(frame, y)
    assert model.get_cat_feature_indices() == [0, 1]  # text is categorical in any case
    assert root_mean_squared_error(y, model.predict(frame)) < 0.1
    array = frame.to_numpy(dtype=object)
    again = CatBoostRegressor(iterations=40, learning_rate=0.3).fit(array, y, cat_features=[0, 1])
    np.testing.assert_allclose(again.predict(array), model.predict(frame))
    importances = model.get_feature_importance(prettified=True)
    assert importances["Feature Id"].tolist() == ["town", "size", "noise"]
    assert importances["Importances"].is_monotonic_decreasing


def test_target_statistics():
    rng = np.random.default_rng(0)
    town = np.array([f"town {k}" for k in range(40)])[rng.integers(0, 40, 800)]
    wealth = dict(zip(np.unique(town), rng.normal(size=40), strict=True))
    y = np.array([wealth[name] for name in town]) + 0.3 * rng.normal(size=800)
    frame = pd.DataFrame({"town": town, "noise": rng.random(800)})
    model = CatBoostRegressor(iterations=60, learning_rate=0.2).fit(frame[:600], y[:600])
    assert model.score(frame[600:], y[600:]) > 0.75
    assert model.feature_importances_[0] > 90.0
    values = model.get_feature_importance(Pool(frame[:9]), type="ShapValues")
    assert values.shape == (9, 3)
    np.testing.assert_allclose(values.sum(axis=1), model.predict(frame[:9]))
    pairs = model.get_feature_importance(Pool(frame[:9]), type="ShapInteractionValues")
    np.testing.assert_allclose(pairs[:, :2, :2].sum(axis=2), values[:, :2], atol=1e-12)
    start = np.linspace(0.0, 1.0, 800)
    based = CatBoostRegressor(iterations=5).fit(Pool(frame, y, baseline=start))
    found = based.predict(Pool(frame, baseline=start)) - based.predict(frame)
    np.testing.assert_allclose(found, start)


def test_ignored_and_monotone_columns():
    model = CatBoostRegressor(iterations=20, ignored_features=[2, 8]).fit(X_SUGAR, Y_SUGAR)
    assert (model.feature_importances_[[2, 8]] == 0.0).all()
    assert (np.delete(model.feature_importances_, [2, 8]) > 0.0).any()
    grid = np.repeat(X_SUGAR[:1], 50, axis=0)
    grid[:, 2] = np.linspace(X_SUGAR[:, 2].min(), X_SUGAR[:, 2].max(), 50)
    for given in ({"2": -1}, {2: -1}, "(0,0,-1)", "2:-1", [0, 0, -1]):
        model = CatBoostRegressor(iterations=20, monotone_constraints=given)
        assert (np.diff(model.fit(X_SUGAR, Y_SUGAR).predict(grid)) <= 1e-12).all()


def test_growth_policies():
    leaves = {}
    for policy in ("SymmetricTree", "Depthwise", "Lossguide"):
        options = {"max_leaves": 5} if policy == "Lossguide" else {"depth": 3}
        model = CatBoostRegressor(iterations=5, grow_policy=policy, **options)
        model.fit(X_SUGAR, Y_SUGAR)
        trees = model._tree_ensemble().trees
        leaves[policy] = len(trees.leaf_count) / trees.n_trees
    assert leaves["SymmetricTree"] == 8 and leaves["Lossguide"] == 5
    with pytest.raises(InvalidParameterError, match="Lossguide"):
        CatBoostRegressor(max_leaves=5).fit(X_SUGAR, Y_SUGAR)


# -- contributions ---------------------------------------------------------------------------------


def test_shapley_values_add_up():
    model = CatBoostClassifier(iterations=15).fit(X_IRIS, Y_IRIS)
    values = model.get_feature_importance(Pool(X_IRIS), type="ShapValues")
    assert values.shape == (150, 3, 5)
    np.testing.assert_allclose(values.sum(axis=2), model.predict(X_IRIS, "RawFormulaVal"))
    pairs = model.get_feature_importance(Pool(X_IRIS[:5]), type="ShapInteractionValues")
    np.testing.assert_allclose(pairs[..., :4, :4].sum(axis=3), values[:5, :, :4], atol=1e-12)


def test_importances():
    model = CatBoostRegressor(iterations=30).fit(X_SUGAR, Y_SUGAR)
    assert model.feature_importances_.sum() == pytest.approx(100.0)
    losses = model.get_feature_importance(Pool(X_SUGAR, Y_SUGAR), type="LossFunctionChange")
    assert losses.argmax() in (2, 8)  # the features that matter in these data
    with pytest.raises(ValueError, match="needs data"):
        model.get_feature_importance(type="ShapValues")


def test_importance_of_a_split_is_the_change_that_it_makes():
    X, y = np.array([[0.0], [0.0], [0.0], [1.0]]), np.array([0.0, 0.0, 0.0, 4.0])
    model = CatBoostRegressor(iterations=1, depth=1, learning_rate=1.0, l2_leaf_reg=0.0, **PLAIN)
    model.fit(np.column_stack([X, np.zeros(4)]), y)
    np.testing.assert_array_equal(model.feature_importances_, [100.0, 0.0])


# -- parameters and state --------------------------------------------------------------------------


def test_synonyms():
    options = {"n_estimators": 7, "max_depth": 3, "reg_lambda": 1.0, "random_state": 4, "eta": 0.3}
    options |= {"max_bin": 20, "colsample_bylevel": 0.5}
    main = {"iterations": 7, "depth": 3, "l2_leaf_reg": 1.0, "random_seed": 4, "border_count": 20}
    main |= {"learning_rate": 0.3, "rsm": 0.5}
    found = [CatBoostRegressor(**given).fit(X_SUGAR, Y_SUGAR) for given in (options, main)]
    np.testing.assert_array_equal(found[0].predict(X_SUGAR), found[1].predict(X_SUGAR))
    assert found[0].tree_count_ == 7
    with pytest.raises(InvalidParameterError, match="one parameter of CatBoost"):
        CatBoostRegressor(iterations=7, n_estimators=8).fit(X_SUGAR, Y_SUGAR)


def test_huber_steps_by_its_own_second_derivative():
    """Leaves of rows beyond delta move by their number: ``rate * n * delta / l2``."""
    X, y = np.arange(10.0)[:, None], np.full(10, 100.0)
    options = {"iterations": 1, "learning_rate": 0.1, "l2_leaf_reg": 4.0, "depth": 1, **PLAIN}
    model = CatBoostRegressor(loss_function="Huber:delta=2", **options).fit(X, y)
    np.testing.assert_allclose(model.predict(X), 0.1 * 5 * 2.0 / 4.0)
    near = CatBoostRegressor(loss_function="Huber:delta=200", **options).fit(X, y)
    np.testing.assert_allclose(near.predict(X), 0.1 * 5 * 100.0 / (5 + 4.0))


def test_huber_on_diabetes_is_catboosts():
    """Found by CatBoost 1.2.10."""
    X = np.round(X_SUGAR / 0.01) * 0.01
    options = {"iterations": 100, "loss_function": "Huber:delta=9.7", **PLAIN}
    model = CatBoostRegressor(**options).fit(X[:300], Y_SUGAR[:300])
    np.testing.assert_allclose(model.predict(X[300:302]), [145.52730, 79.00512], rtol=1e-6)
    options["loss_function"] = "Expectile:alpha=0.7"
    model = CatBoostRegressor(**options).fit(X[:300], Y_SUGAR[:300])
    np.testing.assert_allclose(model.predict(X[300:302]), [221.39512, 103.11595], rtol=1e-6)


@pytest.mark.parametrize(
    ("n_rounds", "n_columns", "n_steps"), [(199, 19, 1), (200, 19, 10), (5, 20, 10), (5, 3, 1)]
)
def test_short_fits_find_leaves_in_one_step(n_rounds, n_columns, n_steps):
    """As CatBoost 1.2.10 does for Logloss."""
    X = np.arange(40.0 * n_columns).reshape(40, n_columns) % 7
    plan = fit_plan(
        {"iterations": n_rounds}, "fit", "classifier", Pool(X, np.arange(40) % 2), False
    )
    assert plan.engine.leaf_steps == n_steps
    given = {"iterations": n_rounds, "leaf_estimation_iterations": 4}
    plan = fit_plan(given, "fit", "classifier", Pool(X, np.arange(40) % 2), False)
    assert plan.engine.leaf_steps == 4


def test_a_tree_ends_where_no_split_betters_the_score():
    """Constant gradients are matched best by equal leaves, and 150 and 150 rows are equal."""
    X = np.repeat([0.0, 1.0], 150)[:, None] + np.array([[0.0, 5.0]])
    X[:40, 1] = 9.0
    model = CatBoostRegressor(iterations=1, loss_function="Huber:delta=1", **PLAIN)
    model.fit(X, np.full(300, 50.0))
    (view,) = views(model._ensemble())
    np.testing.assert_array_equal(view.weights[view.leaves], [150, 150])


def test_weights_of_leaves_are_those_of_all_rows():
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.5, 2.0, len(Y_SUGAR))
    for given in (None, weight):
        model = CatBoostRegressor(iterations=5).fit(X_SUGAR, Y_SUGAR, sample_weight=given)
        total = len(Y_SUGAR) if given is None else weight.sum()
        for view in views(model._ensemble()):
            np.testing.assert_allclose(view.weights[0], total)


@pytest.mark.parametrize("grow_policy", ["SymmetricTree", "Lossguide"])
def test_ordered_boosting(grow_policy):
    (X, y), (X_new, y_new) = CANCER
    options = {"iterations": 30, "grow_policy": grow_policy, "random_seed": 1}
    models = {
        kind: CatBoostClassifier(**options, boosting_type=kind).fit(X, y, eval_set=(X_new, y_new))
        for kind in ("Plain", "Ordered")
    }
    assert models["Ordered"].score(X_new, y_new) > 0.93
    raw = [model.predict(X_new, "RawFormulaVal") for model in models.values()]
    assert (raw[0] != raw[1]).any()
    with pytest.raises(ValueError, match="warm_start cannot be used with boosting_type"):
        CatBoostClassifier(**options, boosting_type="Ordered").fit(
            X, y, init_model=models["Ordered"]
        )
    with pytest.raises(ValueError, match="whole queries"):
        CatBoostRanker(boosting_type="Ordered").fit(X[:20], y[:20], group_id=np.arange(20) // 5)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"boosting_type": "ordered"}, "'boosting_type' parameter of CatBoostRegressor must be"),
        ({"fold_len_multiplier": 3}, "fold_len_multiplier=3 is not supported"),
        ({"task_type": "GPU"}, "task_type='GPU' is not supported"),
        ({"score_function": "NewtonL2"}, "use L2"),
        ({"od_type": "IncToDec", "od_pval": 0.01}, "od_pval is not supported"),
        ({"leaf_estimation_method": "Gradient", "loss_function": "Poisson"}, "Gradient"),
        ({"loss_function": "Lq:q=3"}, "use MAE, Huber or RMSE"),
        ({"loss_function": "Logloss"}, "for a regressor use one of"),
        ({"loss_function": "Huber"}, "Huber:delta="),
        ({"eval_metric": "AUC"}, "'AUC' is not supported by gramian for this model"),
        ({"iterations": 0}, "'iterations' parameter of CatBoostRegressor must be"),
        ({"class_weights": [1, 2]}, "class_weights is for classes"),
    ],
)
def test_what_is_refused(params, message):
    with pytest.raises(InvalidParameterError, match=message):
        CatBoostRegressor(**params).fit(X_SUGAR, Y_SUGAR)


@pytest.mark.parametrize("metric", ["QueryRMSE", "NDCG", "MAP:top=3"])
def test_metrics_of_queries_need_queries(metric):
    with pytest.raises(InvalidParameterError, match="are for rankings, and need group_id"):
        CatBoostRegressor(iterations=2, eval_metric=metric).fit(
            X_SUGAR, Y_SUGAR, eval_set=(X_SUGAR, Y_SUGAR)
        )


def test_unknown_names_are_refused_with_a_hint():
    with pytest.raises(InvalidParameterError, match="Did you mean 'iterations'"):
        CatBoostRegressor(iteration=5)
    with pytest.raises(InvalidParameterError, match="Did you mean 'learning_rate'"):
        CatBoost({"learning_rat": 0.1}).fit(X_SUGAR, Y_SUGAR)
    with pytest.raises(TypeError, match="unexpected argument 'plots'"):
        CatBoostRegressor().fit(X_SUGAR, Y_SUGAR, plots=True)


def test_what_catboost_ignores_warns():
    with pytest.warns(UserWarning, match="ignores bagging_temperature"):
        CatBoostRegressor(iterations=2, bagging_temperature=0.5).fit(X_SUGAR, Y_SUGAR)
    with pytest.warns(UserWarning, match="ignores min_data_in_leaf"):
        CatBoostRegressor(iterations=2, min_data_in_leaf=5).fit(X_SUGAR, Y_SUGAR)
    with pytest.warns(UserWarning, match="ignores plot"):
        CatBoostRegressor(iterations=2).fit(X_SUGAR, Y_SUGAR, plot=True)
    with pytest.warns(UserWarning, match="Without an eval_set"):
        CatBoostRegressor(iterations=2, early_stopping_rounds=5).fit(X_SUGAR, Y_SUGAR)


def test_state(tmp_path):
    model = CatBoostClassifier(iterations=8, num_trees=8).fit(X_IRIS, Y_IRIS)
    gramian.save(model, tmp_path / "model.gramian")
    again = gramian.load(tmp_path / "model.gramian")
    np.testing.assert_array_equal(again.predict_proba(X_IRIS), model.predict_proba(X_IRIS))
    assert again.evals_result_ == model.evals_result_
    assert again.get_all_params()["iterations"] == 8 and again.get_param("depth") is None
    with pytest.raises(NotFittedError):
        _ = CatBoostClassifier().tree_count_
    assert not CatBoostClassifier().is_fitted() and model.copy().is_fitted()


def test_grid_search():
    search = GridSearchCV(
        CatBoostRegressor(iterations=5), {"max_depth": [1, 3], "l2_leaf_reg": [1.0]}, cv=2
    )
    assert search.fit(X_SUGAR, Y_SUGAR).best_estimator_.get_param("max_depth") in (1, 3)


def test_same_seed_same_model():
    options = {"iterations": 10, "bootstrap_type": "Bayesian"}
    found = [
        CatBoostRegressor(random_seed=seed, thread_count=threads, **options)
        .fit(X_SUGAR, Y_SUGAR)
        .predict(X_SUGAR)
        for seed, threads in ((1, 1), (1, 2), (2, 1))
    ]
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).any()


def test_hashes_are_those_of_catboost():
    """The first entries are in a file that CatBoost has written."""
    known = {"Ulm": 2820616710, "3": 593172586, "Bonn": 3723159073, "40": 1435255456}
    assert {text: city_hash(text.encode()) & 0xFFFFFFFF for text in known} == known
    assert len({city_hash(b"x" * n) for n in range(200)}) == 200
