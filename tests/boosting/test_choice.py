"""What boosting chooses for a table, and the mean of models without a fold each."""

import json
import pickle
import warnings

import numpy as np
import pytest
from sklearn.metrics import log_loss

import gramian
from gramian._boosting.choice import TableFacts, choices_for
from gramian._boosting.folds import FoldedRun, folds_of
from gramian._boosting.losses import Loss
from gramian._boosting.rows import Part
from gramian._boosting.settings import BoostingSettings, TreePlan
from gramian.boosting import BoostingClassifier, BoostingRanker, BoostingRegressor
from gramian.inspection import diagnose, partial_dependence, tree_shap
from gramian.plot import RoundsDisplay
from gramian.tree import export_text


def numbers(n=300, p=4, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    return X, np.sin(6.0 * X[:, 0]) + X[:, 1] * X[:, 2] + noise * rng.standard_normal(n)


def classes(n=300, k=2, seed=0):
    X, y = numbers(n, seed=seed)
    return X, np.digitize(y, np.quantile(y, np.arange(1, k) / k))


@pytest.fixture(scope="module")
def fitted():
    return BoostingClassifier(random_state=0).fit(*classes())


# -- folds -----------------------------------------------------------------------------------------


def test_each_row_is_left_out_once():
    y = np.random.default_rng(0).standard_normal(103)
    folds = folds_of(y, None, 5, 3, has_classes=False)
    assert sorted(np.concatenate(folds)) == list(range(103))
    assert {len(fold) for fold in folds} <= {20, 21}
    means = [y[fold].mean() for fold in folds]
    assert np.ptp(means) < 0.2  # folds by chance alone differ by about 0.5


def test_classes_are_alike_in_all_folds_and_rare_ones_in_none():
    y = np.repeat([0.0, 1.0, 2.0], [50, 20, 3])
    folds = folds_of(y, None, 5, 0, has_classes=True)
    counts = np.array([np.bincount(y[fold].astype(int), minlength=3) for fold in folds])
    assert (counts[:, 2] == 0).all()
    assert (abs(counts[:, 0] - 10) <= 1).all() and (abs(counts[:, 1] - 4) <= 1).all()


def test_rows_of_no_weight_are_in_no_fold():
    weight = np.tile([1.0, 0.0], 30)
    folds = folds_of(np.arange(60.0), weight, 3, 0, has_classes=False)
    assert sorted(np.concatenate(folds)) == list(range(0, 60, 2))


def test_a_member_does_not_see_its_fold():
    X, y = numbers(120)
    settings = BoostingSettings(TreePlan(min_rows=2, max_leaves=4))
    folds = folds_of(y, None, 3, 0, has_classes=False)
    changed = y.copy()
    changed[folds[1]] = -changed[folds[1]]
    first, second = (
        FoldedRun(
            Part(X, target, None),
            lambda rows: Loss("squared_error"),
            settings,
            folds,
            n_levels=np.zeros(4, np.int32),
            baseline=np.zeros(1),
            columns=None,
        )
        for target in (y, changed)
    )
    for run in (first, second):
        for number in range(5):
            run.step(number)
    own = [[member.model().scores(X) for member in run.members] for run in (first, second)]
    np.testing.assert_array_equal(own[0][1], own[1][1])
    assert (own[0][0] != own[1][0]).any()
    np.testing.assert_allclose(first.model().scores(X), np.mean(own[0], axis=0), rtol=1e-12)


def test_scores_of_rows_left_out_are_of_models_that_have_not_seen_them():
    X, y = numbers(90)
    folds = folds_of(y, None, 3, 0, has_classes=False)
    run = FoldedRun(
        Part(X, y, None),
        lambda rows: Loss("squared_error"),
        BoostingSettings(TreePlan(min_rows=2)),
        folds,
        n_levels=np.zeros(4, np.int32),
        baseline=None,
        columns=None,
    )
    left_out = run.follow_left_out()
    run.step(0)
    for member, fold in zip(run.members, folds, strict=True):
        places = np.searchsorted(np.arange(90), fold)
        found = left_out.scores[0][np.isin(np.concatenate(folds), places)]
        np.testing.assert_allclose(found, member.model().scores(X[fold])[:, 0], rtol=1e-6)
    np.testing.assert_array_equal(left_out.y, y[np.concatenate(folds)])


# -- the models ------------------------------------------------------------------------------------


def test_rounds_are_those_that_rows_left_out_are_predicted_best_by(fitted):
    losses = fitted.evals_result_["left_out"]["loss"]
    assert fitted.n_estimators_ == fitted.best_iteration_ + 1 == int(np.argmin(losses)) + 1
    assert fitted.best_score_ == min(losses)
    assert len(losses) < fitted.settings_["n_estimators"][0]


def test_noise_is_not_learnt():
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 5)), rng.integers(0, 2, 200)
    new, truth = rng.random((2000, 5)), rng.integers(0, 2, 2000)
    chosen = BoostingClassifier(random_state=0).fit(X, y).predict_proba(new)
    fixed = BoostingClassifier(n_estimators=100).fit(X, y).predict_proba(new)
    assert log_loss(truth, chosen) < 0.71 < 0.8 < log_loss(truth, fixed)


@pytest.mark.parametrize("k", [2, 4])
def test_better_than_a_fixed_number_of_rounds(k):
    X, y = classes(400, k)
    new, truth = classes(3000, k, seed=1)
    chosen = BoostingClassifier(random_state=0).fit(X, y)
    fixed = BoostingClassifier(n_estimators=100, random_state=0).fit(X, y)
    losses = [log_loss(truth, model.predict_proba(new)) for model in (chosen, fixed)]
    assert losses[0] < 0.95 * losses[1]


def test_symmetric_trees_for_a_smooth_function():
    rng = np.random.default_rng(0)
    X, new = rng.random((500, 5)), rng.random((2000, 5))
    y, truth = (np.cos(2.0 * rows.sum(axis=1)) for rows in (X, new))
    model = BoostingRegressor(random_state=0).fit(X, y)
    assert model.settings_["growth"][0] == "symmetric"
    leaves = BoostingRegressor(growth="leaf", random_state=0).fit(X, y)
    errors = [np.mean((m.predict(new) - truth) ** 2) for m in (model, leaves)]
    assert errors[0] < errors[1]
    assert leaves.settings_["growth"] == ("leaf", "given")


def test_a_time_limit_is_for_the_model_itself():
    X, _ = numbers(300)
    smooth = np.cos(2.0 * X.sum(axis=1))
    with gramian.config_context(time_limit=600.0):
        model = BoostingRegressor(random_state=0).fit(X, smooth)
    assert model.settings_["growth"][0] == "leaf"
    with gramian.config_context(time_limit=1e-3):
        model = BoostingRegressor(random_state=0).fit(X, smooth)
    assert model.n_estimators_ == 1 and not model.certificate_.converged


def test_the_same_bits_for_any_number_of_threads():
    X, y = numbers(200)
    found = [BoostingRegressor(random_state=0, n_jobs=n).fit(X, y).predict(X) for n in (1, 2)]
    np.testing.assert_array_equal(*found)


def test_slices_and_stages_are_those_of_whole_rounds(fitted):
    X, _ = classes()
    stages = list(fitted.staged_predict_proba(X))
    assert len(stages) == fitted.n_estimators_
    np.testing.assert_allclose(stages[4], fitted[:5].predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(stages[-1], fitted.predict_proba(X), rtol=1e-12)


def test_saved_models_keep_what_was_chosen(fitted, tmp_path):
    gramian.save(fitted, tmp_path / "model")
    again = gramian.load(tmp_path / "model")
    X, _ = classes()
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert again.settings_ == fitted.settings_ and len(again[:3].predict(X)) == len(X)


def test_columns_with_target_statistics():
    rng = np.random.default_rng(0)
    town = rng.integers(0, 400, 1500)
    level = rng.standard_normal(400)
    y = level[town] + 0.3 * rng.standard_normal(1500)
    X = [[f"t{t}", float(v)] for t, v in zip(town, rng.random(1500), strict=True)]
    X = np.array(X, dtype=object)
    model = BoostingRegressor(categorical_features=[0], random_state=0).fit(X[:1000], y[:1000])
    assert model.score(X[1000:], y[1000:]) > 0.4


def test_evaluation_sets_follow_the_mean_and_decide_nothing(fitted):
    X, y = classes()
    new = classes(100, seed=1)
    model = BoostingClassifier(random_state=0).fit(X, y, eval_set=[new])
    np.testing.assert_array_equal(model.predict_proba(X), fitted.predict_proba(X))
    seen = model.evals_result_["validation_0"]["loss"][model.best_iteration_]
    np.testing.assert_allclose(seen, log_loss(new[1], model.predict_proba(new[0])), rtol=1e-6)


# -- what is left open -----------------------------------------------------------------------------


def test_given_rounds_leave_nothing_to_choose():
    X, y = numbers()
    plain = BoostingRegressor(n_estimators=100).fit(X, y)
    written = BoostingRegressor(
        n_estimators=100, learning_rate=0.1, growth="leaf", max_leaves=31, min_samples_leaf=20
    ).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), written.predict(X))
    assert plain.settings_["learning_rate"] == (0.1, "always")
    assert plain.settings_["n_estimators"] == (100, "given")


def test_each_choice_can_be_set_by_hand():
    X, y = classes()
    model = BoostingClassifier(learning_rate=0.2, max_leaves=4, n_folds=3, random_state=0).fit(X, y)
    assert model.learning_rate_ == 0.2 and model._model.n_members == 3
    assert model.settings_["max_leaves"] == (4, "given")
    assert model._model.trees.n_trees == 3 * model.n_estimators_
    single = BoostingClassifier(n_folds=0).fit(X, y)
    assert single.n_estimators_ == 100 and single._model.n_members == 1


@pytest.mark.parametrize(
    "params",
    [
        {"preset": "lightgbm"},
        {"early_stopping_rounds": 5},
        {"warm_start": True},
        {"boosting_type": "ordered"},
        {"drop_rate": 0.1},
    ],
)
def test_one_model_where_rounds_are_counted_otherwise(params):
    X, y = classes()
    model = BoostingClassifier(random_state=0, **params).fit(X, y)
    assert model._model.n_members == 1 and "left_out" not in model.evals_result_


def test_one_model_for_few_rows_and_for_rankings():
    X, y = numbers(9)
    assert BoostingRegressor().fit(X, y)._model.n_members == 1
    ranks = np.digitize(y, [0.0, 1.0])
    model = BoostingRanker().fit(X, ranks, group=[5, 4])
    assert model.n_estimators_ == 100 and model._model.n_members == 1


def test_whole_weights_count_as_copies_for_the_rules():
    X, y, weight = np.zeros((3, 1)), np.zeros(3), np.array([2.0, 0.0, 3.0])

    def n_rows(weight):
        return TableFacts.of(X, y, weight, 1, has_classes=False).n_rows

    assert (n_rows(weight), n_rows(weight / 7.0), n_rows(None)) == (5, 2, 3)


def test_rows_of_rare_classes_judge_nothing():
    y = np.repeat(np.arange(30.0), [60, *[2] * 29])
    X = np.zeros((len(y), 1))
    facts = TableFacts.of(X, y, None, 30, has_classes=True)
    assert (facts.n_rows, facts.n_judges) == (118, 60)
    model = BoostingClassifier().fit(X[60:], y[60:])
    assert model._model.n_members == 1
    with pytest.raises(ValueError, match="n_folds=5 is more than"):
        BoostingClassifier(n_folds=5).fit(X[60:], y[60:])


def test_large_and_wide_tables_are_not_fitted_twice():
    def n_choices(n_rows, n_columns, may_be_symmetric=True):
        facts = TableFacts(n_rows, n_columns, 1, has_classes=False, n_judges=n_rows)
        return len(choices_for(facts, may_be_symmetric=may_be_symmetric))

    assert (n_choices(30_000, 5), n_choices(500, 60), n_choices(500, 5)) == (1, 1, 2)
    assert n_choices(500, 5, may_be_symmetric=False) == 1


@pytest.mark.parametrize(
    "params", [{"early_stopping_rounds": 5}, {"warm_start": True}, {"drop_rate": 0.1}]
)
def test_folds_are_refused_where_there_can_be_none(params):
    with pytest.raises(ValueError, match="n_folds=5 cannot be used with"):
        BoostingClassifier(n_folds=5, **params).fit(*classes())


def test_a_mean_takes_no_further_rounds(fitted):
    X, y = classes()
    model = BoostingClassifier(random_state=0).fit(X, y)
    model.set_params(warm_start=True, n_estimators=500)
    with pytest.raises(ValueError, match="mean of 5 models"):
        model.fit(X, y)


def test_diagnoses_try_what_was_chosen(fitted):
    X, y = classes()
    report = diagnose(fitted, X, y)
    assert report.findings


# -- what follows from a mean ----------------------------------------------------------------------


@pytest.fixture(scope="module", params=["two", "three", "number"])
def mean(request):
    if request.param == "number":
        X, y = numbers()
        return BoostingRegressor(random_state=0).fit(X, y), X, y
    X, y = classes(k=2 if request.param == "two" else 3)
    return BoostingClassifier(random_state=0).fit(X, y), X, y


def test_shapley_values_add_up_to_the_mean(mean):
    model, X, _ = mean
    found = tree_shap(model, X[:20])
    total = np.asarray(found.values).sum(axis=1) + found.base_values
    scores = model._raw_scores(X[:20])
    np.testing.assert_allclose(total.reshape(scores.shape), scores, atol=1e-12)


def test_members_are_the_models_before_they_were_averaged(mean):
    model, X, _ = mean
    members = [model._model.member(k) for k in range(5)]
    assert {member.n_rounds for member in members} == {model.n_estimators_}
    each = [member.scores(X) for member in members]
    assert np.abs(each[0] - each[1]).max() > 0.01
    np.testing.assert_allclose(np.mean(each, axis=0), model._raw_scores(X), atol=1e-12)
    gains = sum(member.importances("gain") for member in members)
    np.testing.assert_allclose(gains, model.importances("gain"))


def test_dumps_count_rounds_and_members(mean):
    model, _, _ = mean
    n_groups = len(model._model.baseline)
    trees = json.loads(model.dump("json"))["trees"]
    assert len(trees) == 5 * n_groups * model.n_estimators_
    assert trees[-1]["round"] == model.n_estimators_ - 1
    places = [(tree["round"], tree["member"], tree["group"]) for tree in trees]
    assert places == sorted(set(places))
    assert f"round {model.n_estimators_ - 1}, member 4" in model.dump()
    assert '"member"' not in BoostingRegressor(n_estimators=2).fit(*numbers()).dump("json")


def test_slices_add_up_and_pictures_are_of_the_rounds(mean):
    model, X, _ = mean
    parts = model[:3]._raw_scores(X) + model[3:]._raw_scores(X) - model._model.baseline
    np.testing.assert_allclose(parts, model._raw_scores(X), atol=1e-12)
    curve = model.evals_result_["left_out"]["loss"]
    display = RoundsDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.curves["left_out"], curve)
    assert display.best == model.n_estimators_
    last = model._model.trees.n_trees - 1
    assert "<=" in export_text(model, tree_index=last)
    with pytest.raises(ValueError, match="tree_index"):
        export_text(model, tree_index=last + 1)


def test_recursion_is_the_mean_of_the_members(mean):
    model, X, _ = mean
    found = partial_dependence(model, X, [0], method="recursion")
    grid = np.asarray(found["grid_values"][0])[:, None]
    column = np.array([0], dtype=np.intp)
    each = [model._model.member(k).dependence(grid, column, model._table_levels) for k in range(5)]
    expected = np.mean(each, axis=0)
    np.testing.assert_allclose(np.squeeze(found["average"]), np.squeeze(expected), atol=1e-9)


def test_pickles_predict_the_same(mean):
    model, X, _ = mean
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again._raw_scores(X), model._raw_scores(X))
    assert again.settings_ == model.settings_


def test_intervals_of_a_mean_hold_new_rows():
    X, y = numbers(400)
    new, truth = numbers(2000, seed=1)
    model = BoostingRegressor(interval_folds=4, n_folds=3, random_state=0).fit(X, y)
    ends = model.predict_interval(new, coverage=0.8)
    assert 0.74 < np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])) < 0.87


@pytest.mark.parametrize("model", [BoostingClassifier, BoostingRegressor])
def test_rows_of_no_weight_are_as_if_they_were_not_there(model):
    X, y = classes() if model is BoostingClassifier else numbers()
    weight = (np.random.default_rng(0).random(len(y)) > 0.4).astype(float)
    seen = weight > 0.0
    strange = np.where(seen[:, None], X, 1e6)
    other = np.where(seen, y, y[seen][0])
    whole = model(random_state=0).fit(strange, other, weight)
    part = model(random_state=0).fit(X[seen], y[seen])
    np.testing.assert_array_equal(whole._raw_scores(X), part._raw_scores(X))


@pytest.mark.parametrize("n_rows", [11, 60])
def test_nothing_to_learn_is_no_divergence(n_rows):
    empty = np.full((n_rows, 1), np.nan)
    y = np.random.default_rng(0).standard_normal(n_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        number = BoostingRegressor(random_state=0).fit(empty, y)
        label = BoostingClassifier(random_state=0).fit(empty, np.arange(n_rows) < 1)
        constant = BoostingRegressor(random_state=0).fit(empty, np.full(n_rows, 3.7))
    for model in (number, label, constant):
        assert model._model.n_members == 5 and model.certificate_.converged
        assert (model.feature_importances_ == 0.0).all()
    np.testing.assert_allclose(number.predict(empty), y.mean(), atol=0.1)
    np.testing.assert_array_equal(constant.predict(empty), 3.7)


def test_too_long_steps_of_a_mean_are_a_divergence():
    X, y = numbers(200)
    with pytest.warns(gramian.exceptions.ConvergenceWarning, match="diverged"):
        BoostingRegressor(learning_rate=6.0, random_state=0).fit(X, y)


def test_importances_are_shares():
    """A column of no use loses in symmetric trees, whose depths have one split each."""
    X, y = numbers()
    X[:, 1] = np.nan
    model = BoostingRegressor(growth="symmetric", split_score="cosine", random_state=0).fit(X, y)
    shares = BoostingRegressor(random_state=0).fit(X, y).feature_importances_
    for found in (model.feature_importances_, shares):
        assert (found >= 0.0).all() and found[1] == 0.0
        assert found.sum() == pytest.approx(1.0)


def test_two_rows():
    X = [[0.0], [1.0]]
    np.testing.assert_allclose(BoostingClassifier().fit(X, [0, 1]).predict_proba(X), 0.5)
    np.testing.assert_allclose(BoostingRegressor(n_folds=2).fit(X, [0.0, 1.0]).predict(X), 0.5)
    with pytest.raises(ValueError, match="n_folds=2 is more than"):
        BoostingClassifier(n_folds=2).fit(X, [0, 1])


def test_a_class_of_as_many_rows_as_folds_is_known_to_all_members():
    X, _ = numbers()
    y = np.arange(300) < 5
    model = BoostingClassifier(random_state=0).fit(X, y)
    proba = model.predict_proba(X)
    assert model._model.n_members == 5 and np.isfinite(proba).all()
    assert proba[:5, 1].mean() > proba[5:, 1].mean()
