"""Boosting by second derivatives worked out: gains, leaves, rows that are drawn, statistics."""

import numpy as np
import pandas as pd
import pytest

from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.datasets import load_breast_cancer, load_diabetes, load_iris
from gramian.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from gramian.inspection import worked
from gramian.preprocessing import OrderedTargetEncoder

X = np.arange(10.0)[:, None]
Y = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
SMALL = {"n_estimators": 3, "max_leaves": 3, "min_samples_leaf": 1, "random_state": 0}
GAP = r"\delta_{\operatorname{Gain}}"


def step_of(calculation, title):
    return next(step for step in calculation if step.title.startswith(title))


def test_gain_by_hand():
    """Six of ten rows are of the class: p = 0.6, so g = -0.4 or 0.6, and h = 0.24."""
    model = BoostingClassifier(**SMALL, min_child_weight=0.0, gamma=0.2, reg_lambda=2.0)
    calculation = worked(model.fit(X, Y), X, Y, query=[2.0])
    assert calculation[0].values["F_0"] == pytest.approx(np.log(1.5))
    rows = np.array(calculation[1].table.rows)
    np.testing.assert_allclose(rows[:, 3], np.where(Y == 1, -0.4, 0.6))
    np.testing.assert_allclose(rows[:, 4], 0.24)
    step = calculation[2]  # three of the class, against three and four of the others
    (left, right), lamda = ((-1.2, 0.72), (1.2, 1.68)), 2.0
    bracket = sum(g**2 / (h + lamda) for g, h in (left, right))
    assert "x0 <= 2.5" in step.text
    assert "$\\gamma$ = 0.1" in step.text
    assert step.values[r"\operatorname{Gain}"] == pytest.approx(0.5 * bracket - 0.1)
    assert model._model.split_gain[0] == pytest.approx(bracket)
    for row, (g, h) in zip(step.table.rows[1:], (left, right), strict=True):
        assert row[2:] == pytest.approx([g, h, -g / (h + lamda), g**2 / (h + lamda)])
    assert step.table.rows[0][2:] == pytest.approx([0.0, 2.4, 0.0, 0.0])
    leaves = step_of(calculation, "The leaves of round 1")
    assert leaves.table.rows[0][4] == pytest.approx(1.2 / 2.72)
    assert leaves.table.rows[0][5] == pytest.approx(0.1 * 1.2 / 2.72)
    assert leaves.text == "The model has the same leaves."
    prediction = step_of(calculation, "The prediction")
    assert prediction.values["F(x)"] == pytest.approx(model.decision_function([[2.0]])[0])
    assert prediction.values["p"] == pytest.approx(model.predict_proba([[2.0]])[0, 1])
    assert "what the model predicts. The gains are those of the model." in calculation[-1].text
    assert r"\operatorname{Gain}" in calculation.to_latex()
    assert "<math" in calculation._repr_html_()


@pytest.mark.parametrize("loss", ["squared_error", "huber", "expectile", "poisson", "gamma"])
@pytest.mark.parametrize("growth", ["leaf", "level", "symmetric"])
def test_losses_and_growth(loss, growth):
    rows, y = load_diabetes(return_X_y=True)
    quantile = {"quantile": 0.8} if loss == "expectile" else {}
    model = BoostingRegressor(
        loss, growth=growth, max_depth=3, n_estimators=4, reg_alpha=2.0, **quantile
    )
    calculation = worked(model.fit(rows, y), rows, y)
    assert calculation[-1].values[GAP] < 1e-5
    assert calculation[-1].values[r"\max_i |F(x_i) - \hat{F}(x_i)|"] < 1e-9
    for t in (1, 2):
        assert "the same leaves" in step_of(calculation, f"The leaves of round {t}").text


def test_leaves_that_are_quantiles():
    rows, y = load_diabetes(return_X_y=True)
    model = BoostingRegressor("quantile", quantile=0.9, n_estimators=2).fit(rows, y)
    calculation = worked(model, rows, y)
    assert "quantile of what its rows have left" in step_of(calculation, "The leaves").text
    assert calculation[-1].values[GAP] < 1e-5


@pytest.mark.parametrize(
    "params",
    [
        {"tweedie_power": 1.3, "loss": "tweedie"},
        {"max_delta_step": 0.5},
        {"sampling": "uniform", "subsample": 0.5},
        {"sampling": "mvs", "subsample": 0.5},
        {"early_stopping_rounds": 2},
    ],
)
def test_ways_of_fitting(params):
    rows, y = load_diabetes(return_X_y=True)
    model = BoostingRegressor(n_estimators=10, random_state=3, **params).fit(rows, y)
    assert worked(model, rows, y)[-1].values[GAP] < 1e-5


@pytest.mark.parametrize("weight", [None, "balanced"])
def test_goss_rows(weight):
    """The rows of the largest gradients are kept, and the others stand for the rest."""
    rows, y = load_breast_cancer(return_X_y=True)
    model = BoostingClassifier(
        sampling="goss", top_rate=0.1, other_rate=0.05, n_estimators=3, class_weight=weight
    )
    calculation = worked(model.fit(rows, y), rows, y)
    for t in (1, 2):
        step = step_of(calculation, f"The rows of the tree of round {t}")
        table = step.table.rows
        size, kept, weights = (np.array([row[k] for row in table]) for k in (2, 3, 4))
        n_top, n_other = step.values["n_a"], step.values["n_b"]
        assert (n_top, n_other) == (56, 28)
        assert (kept == "top").sum() == n_top
        assert (kept == "drawn").sum() == n_other
        # Balanced classes start from a score of 0 but for rounding, where all sizes are equal.
        assert size[kept == "top"].min() >= size[kept != "top"].max() * (1.0 - 1e-12)
        np.testing.assert_allclose(weights[kept == "top"], 1.0)
        np.testing.assert_allclose(weights[kept == "drawn"], (569 - 56) / 28)
        assert not weights[kept == ""].any()
        assert "drawn*" in str(calculation)
    # The tree was grown on these rows and weights: its gains are theirs.
    assert calculation[-1].values[GAP] < 1e-5


@pytest.mark.parametrize("stops", [False, True])
def test_histogram_models(stops):
    rows, y = load_breast_cancer(return_X_y=True)
    model = HistGradientBoostingClassifier(max_iter=5, early_stopping=stops, random_state=0)
    calculation = worked(model.fit(rows, y), rows, y)
    assert calculation[-1].values[GAP] < 1e-5
    n_rows = 569 - 57 if stops else 569
    assert len(calculation[1].table.rows) == n_rows
    numbers = load_diabetes(return_X_y=True)
    model = HistGradientBoostingRegressor(max_iter=3, l2_regularization=1.0).fit(*numbers)
    assert worked(model, *numbers)[-1].values[GAP] < 1e-5


def test_levels_and_missing_values():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": rng.choice(["Rome", "Oslo", "Lyon"], 300), "x": rng.random(300)})
    frame.loc[::7, "x"] = np.nan
    y = (frame["town"] == "Rome") * 2.0 + frame["x"].fillna(3.0)
    model = BoostingRegressor(n_estimators=3).fit(frame, y)
    calculation = worked(model, frame, y, query=frame.iloc[:2])
    assert calculation[-1].values[GAP] < 1e-5
    conditions = [row[1] for row in step_of(calculation, "The splits").table.rows]
    assert "town = Rome" in conditions
    assert any(condition.startswith("x <= ") for condition in conditions)


@pytest.mark.parametrize("growth", ["leaf", "symmetric"])
def test_many_levels_are_charged(growth):
    """Levels in the order of their gradients are split with a larger penalty."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": rng.integers(0, 30, 500).astype(str), "x": rng.random(500)})
    y = frame["town"].astype(int) % 3 + frame["x"] + rng.normal(size=500)
    model = BoostingRegressor(n_estimators=2, growth=growth, max_depth=3).fit(frame, y)
    calculation = worked(model, frame, y)
    assert calculation[-1].values[GAP] < 1e-5
    text = step_of(calculation, "The splits of round 1").text
    assert ("cat_l2 = 10" in text) == (growth == "leaf")


def test_loss_of_the_user():
    model = BoostingRegressor(lambda y, f: (f - y, np.ones(len(y))), n_estimators=2, reg_lambda=0.5)
    y = 3.0 * X[:, 0]
    calculation = worked(model.set_params(min_samples_leaf=2).fit(X, y), X, y)
    assert "start with 0" in calculation[0].text
    assert calculation[-1].values[GAP] < 1e-5


def test_says_if_the_fit_was_another():
    model = BoostingRegressor(**SMALL).fit(X, X[:, 0], np.arange(1.0, 11.0))
    calculation = worked(model, X, X[:, 0])
    assert "differ from the model's" in calculation[-1].text
    assert "other leaves" in step_of(calculation, "The leaves").text


def test_refusals():
    iris = load_iris(return_X_y=True)
    model = BoostingClassifier(n_estimators=2).fit(*iris)
    with pytest.raises(ValueError, match="3 scores for each row"):
        worked(model, *iris)
    dart = BoostingRegressor(drop_rate=0.5, n_estimators=2).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="DART"):
        worked(dart, X, X[:, 0])


def test_ordered_target_statistics():
    towns = np.array(["Rome", "Oslo", "Rome", "Rome", "Oslo", "Rome"] * 3)[:, None]
    bought = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 1.0] * 3)
    encoder = OrderedTargetEncoder(smooth=2.0, random_state=5)
    encoded = encoder.fit_transform(towns, bought)[:, 0]
    calculation = worked(encoder, towns, bought, query=["Oslo"])
    table = calculation[1].table.rows
    for place, row, level, y, earlier, total, count, value in table:
        before = [r[1] for r in table[: place - 1] if r[2] == level]
        assert (count, total) == (len(before), bought[before].sum())
        assert y == bought[row]
        assert earlier.endswith(str(before[-1]) if before else "none")
        assert value == pytest.approx((total + 2.0 * bought.mean()) / (count + 2.0))
        assert value == pytest.approx(encoded[row])
    assert "The model has the same." in calculation[2].text
    assert calculation[-1].values["s"] == pytest.approx(encoder.transform([["Oslo"]])[0])
    other = worked(encoder.set_params(random_state=None), towns, bought)
    assert "order of the table" in other[1].text
    assert [row[1] for row in other[1].table.rows] == list(range(18))


def test_ordered_statistics_of_classes():
    towns = [["a"], ["b"], ["a"], ["a"], ["b"], ["a"]]
    y = ["x", "y", "z", "x", "y", "x"]
    encoder = OrderedTargetEncoder(prior=0.0, random_state=0).fit(towns, y)
    calculation = worked(encoder, towns, y)
    assert [step.title for step in calculation[1::2]] == [f"The rows of x0_{k}" for k in "xyz"]
    assert "whether a row is of the class" in calculation[0].text
    assert calculation[1].values["p"] == 0.0
    changed = worked(encoder, towns, sorted(y))
    assert "it saw other rows" in changed[2].text
