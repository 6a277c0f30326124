"""The calculation of boosted models that are averaged: settings, folds, one member, the mean."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.metrics import log_loss

from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.inspection import worked

GAP = r"\delta_{\operatorname{Gain}}"
CURVE = r"\max_t |\bar{L}_t - \hat{L}_t|"
SCORES = r"\max_i |F(x_i) - \hat{F}(x_i)|"


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4))
    return X, np.sin(6.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)


def step_of(calculation, title):
    return next(step for step in calculation if step.title.startswith(title))


def checked(model, X, y, query=None):
    """Return a calculation that agrees with the model everywhere."""
    calculation = worked(model, X, y, query)
    last, own = calculation[-1], step_of(calculation, "Model 1: its scores")
    assert last.text.startswith("The mean of 5 models is what the model predicts. The losses")
    assert last.text.endswith("are those of the fit.")
    assert last.values[SCORES] < 1e-12 and last.values[CURVE] < 1e-9
    assert own.values[GAP] < 1e-6 and "The gains are those of the model." in own.text
    return calculation


def test_two_classes():
    X, y = table()
    y = np.where(y > np.median(y), "yes", "no")
    model = BoostingClassifier(random_state=0).fit(X, y)
    calculation = checked(model, X, y, query=X[7])
    settings = {row[0]: row[1:] for row in calculation[0].table.rows}
    assert set(settings) == set(model.settings_)
    assert settings["learning_rate"] == ["0.05", model.settings_["learning_rate"][1]]
    assert str(calculation).count("⋮") > 0 and "cat_orders" in str(calculation)
    assert calculation[1].values["K"] == 5
    assert sum(row[1] for row in calculation[1].table.rows) == 200
    assert {row[1] + row[2] for row in calculation[1].table.rows} == {200}
    curve = calculation[2]
    known = model.evals_result_["left_out"]["loss"]
    assert curve.values["T"] == model.n_estimators_ == int(np.argmin(known)) + 1
    assert curve.values[r"\bar{L}_T"] == pytest.approx(min(known), rel=1e-12)
    for t, own, kept in curve.table.rows:
        assert kept == known[t - 1] and (own == "" or own == pytest.approx(kept, rel=1e-12))
    prediction = step_of(calculation, "The prediction")
    *members, (_, mean) = prediction.table.rows
    assert len(members) == 5
    assert mean == pytest.approx(np.mean([score for _, score in members]))
    assert mean == pytest.approx(model.decision_function(X[7:8])[0])
    assert prediction.values["p"] == pytest.approx(model.predict_proba(X[7:8])[0, 1])
    assert "log-odds of yes" in prediction.text
    assert "<math" in calculation._repr_html_() and r"\bar{L}" in calculation.to_latex()


def test_a_member_is_a_fit_without_its_fold():
    """The first tree follows from the rows that are drawn of those that model 1 has seen."""
    X, y = table()
    y = (y > np.median(y)).astype(int)
    model = BoostingClassifier(random_state=0).fit(X, y)
    calculation = worked(model, X, y)
    rows = step_of(calculation, "Model 1: round 1").table.rows
    assert len(rows) == calculation[1].table.rows[0][2] == 160
    sample = step_of(calculation, "Model 1: the rows of the tree of round 1")
    assert sample.values == {"n": 160, "m": 128}
    drawn = [row[0] for row in sample.table.rows if row[4] > 0]
    start = step_of(calculation, "Model 1: the start").values["F_0"]
    gain = step_of(calculation, "Model 1: the gain of the first split of round 1")
    assert gain.table.rows[0][2] == pytest.approx(np.sum(expit(start) - y[drawn]))
    leaves = step_of(calculation, "Model 1: the leaves of round 1")
    for *_, found, fitted in leaves.table.rows:
        assert found == pytest.approx(fitted, rel=1e-5)


@pytest.mark.parametrize("growth", ["leaf", "symmetric"])
@pytest.mark.parametrize("loss", ["squared_error", "huber", "poisson"])
def test_numbers(loss, growth):
    X, y = table()
    y = np.floor(np.exp(y)) if loss == "poisson" else y
    chosen = {} if growth == "leaf" else {"split_score": "cosine", "random_strength": 1.0}
    model = BoostingRegressor(loss, growth=growth, random_state=0, **chosen).fit(X, y)
    calculation = checked(model, X, y, query=X[:2])
    assert "same leaves" in step_of(calculation, "Model 1: the leaves of round 2").text
    second = step_of(calculation, "The prediction for query 1")
    assert second.values[r"\hat{y}"] == pytest.approx(model.predict(X[1:2])[0])


def test_splits_by_gradients_have_leaves_of_all_rows():
    X, y = table()
    y = np.floor(np.exp(y))
    model = BoostingRegressor("poisson", preset="catboost", n_estimators=3, random_state=0)
    calculation = worked(model.fit(X, y), X, y)
    leaves = step_of(calculation, "The leaves of round 2")
    assert leaves.text.startswith("The model has the same leaves.")
    assert sum(row[1] for row in leaves.table.rows) == len(y)
    assert calculation[-1].values[GAP] < 1e-6


@pytest.mark.parametrize("n_estimators", [None, 5])
def test_linear_leaves_add_up(n_estimators):
    X, y = table()
    model = BoostingRegressor(n_estimators=n_estimators, linear_leaves=True, random_state=0)
    calculation = worked(model.fit(X, y), X, y, query=X[:1])
    assert calculation[-1].values[SCORES] < 1e-12
    assert "linear functions" in step_of(calculation[3:], _leaves(n_estimators)).text
    score = step_of(calculation, "The prediction").values["F(x)"]
    assert score == pytest.approx(model.predict(X[:1])[0])


def _leaves(n_estimators):
    return "The leaves of round 2" if n_estimators else "Model 1: the leaves of round 2"


def test_weights_of_classes_and_a_rare_class():
    X, y = table()
    rare = (y > np.quantile(y, 0.98)).astype(int)  # four rows, fewer than folds
    model = BoostingClassifier(class_weight="balanced", random_state=0).fit(X, rare)
    calculation = checked(model, X, rare)
    assert "4 rows are in no fold" in calculation[1].text


def test_the_curve_is_the_loss_of_rows_not_seen():
    X, y = table()
    y = (y > np.median(y)).astype(int)
    model = BoostingClassifier(random_state=0).fit(X, y)
    case = model._replay(X, y)
    folds = case.folds(5, has_classes=True)
    proba = np.empty(len(y))
    for k, fold in enumerate(folds):
        proba[fold] = expit(case.member(k, fold).model.scores(X[fold])[:, 0])
    assert model.best_score_ == pytest.approx(log_loss(y, proba))


def test_what_differs_is_said():
    X, y = table()
    weighted = BoostingRegressor(growth="leaf", random_state=0)
    weighted.fit(X, y, np.random.default_rng(0).random(len(y)))
    assert "are not those of the fit" in worked(weighted, X, y)[-1].text
    model = BoostingRegressor(growth="leaf", random_state=0).fit(X, y, eval_metric="mae")
    calculation = worked(model, X, y)
    assert "own have chosen" in calculation[2].text and CURVE not in calculation[-1].values
    part = worked(model[:4], X, y)
    assert part[2].values["T"] == 4
    three = BoostingClassifier(random_state=0).fit(X, np.digitize(y, [0.0, 1.0]))
    with pytest.raises(ValueError, match="3 scores"):
        worked(three, X, np.digitize(y, [0.0, 1.0]))


def test_text_and_gaps():
    X, y = table(300)
    X[::7, 1] = np.nan
    rows = pd.DataFrame(X).assign(side=np.where(X[:, 3] > 0.5, "north", "south"))
    rows.columns = rows.columns.astype(str)
    model = BoostingRegressor(growth="leaf", random_state=0).fit(rows, y)
    checked(model, rows, y, query=rows[:1])


@pytest.mark.parametrize("n_estimators", [None, 4])
def test_target_statistics_have_names(n_estimators):
    """The trees of the fit saw statistics of earlier rows alone: gains differ, and it is said."""
    rng = np.random.default_rng(0)
    town = rng.integers(0, 300, 600)
    y = rng.standard_normal(300)[town] + 0.3 * rng.standard_normal(600)
    rows = pd.DataFrame({"v": rng.random(600), "town": [f"t{t}" for t in town]})
    model = BoostingRegressor(
        n_estimators=n_estimators, growth="leaf", categorical_features=["town"], random_state=0
    ).fit(rows, y)
    calculation = worked(model, rows, y, query=rows[:1])
    assert "target_mean(town)" in str(calculation)
    assert calculation[-1].values[SCORES] < 1e-12
    assert any("gains differ" in step.text for step in calculation)
    if n_estimators is None:
        assert calculation[-1].text.endswith("target statistics of earlier rows alone.")
