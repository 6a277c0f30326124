"""Boosting round by round: the tables of textbooks, and what diagnosis says of the rounds."""

import numpy as np
import pytest

from gramian.datasets import load_diabetes, load_iris
from gramian.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from gramian.inspection import diagnose, worked

X = np.arange(10.0)[:, None]
Y = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])


def test_adaboost_of_ten_rows():
    """Errors 0.3, 3/14 and 2/11, as is found by hand; the vote has no errors."""
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    calculation = worked(model, X, Y, query=[2.0])
    errors = [0.3, 3 / 14, 2 / 11]
    for t, error in enumerate(errors, start=1):
        step = calculation[t]
        assert step.values[rf"\varepsilon_{{{t}}}"] == pytest.approx(error)
        alpha = 0.5 * np.log((1 - error) / error)
        assert step.values[rf"\alpha_{{{t}}}"] == pytest.approx(alpha)
    new = [row[-1] for row in calculation[1].table.rows]
    np.testing.assert_allclose(new, np.where(np.isin(X[:, 0], [6, 7, 8]), 1 / 6, 1 / 14))
    assert "at most 2.5: 1 if so, else -1" in calculation[1].text
    bound = np.exp(-2 * np.sum((0.5 - np.array(errors)) ** 2))
    assert calculation[4].values["E"] == pytest.approx(bound)
    assert "The class is 1" in calculation[5].text
    assert "The model predicts the same." in calculation[5].text
    assert calculation[-1].text.endswith("and agrees.")
    assert calculation[-1].values["E"] == 0.0
    assert r"\varepsilon" in calculation.to_latex()


def test_adaboost_says_if_the_fit_was_another():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y, np.arange(1.0, 11.0))
    assert "differ" in worked(model, X, Y)[-1].text
    iris = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=4, learning_rate=0.5).fit(*iris)
    assert worked(model, *iris)[-1].text.endswith("and agrees.")


def test_residuals_of_three_stumps():
    """The sum of three stumps, each fitted to the residuals, is the model of three rounds."""
    np.random.seed(10)
    x = np.linspace(0, 2 * np.pi, 100)
    y = 2 * x + np.sin(x) + np.random.normal(0, 0.5, x.size)
    model = GradientBoostingRegressor(n_estimators=3, max_depth=1, learning_rate=1)
    calculation = worked(model.fit(x[:, None], y), x[:, None], y)
    assert calculation[0].values["F_0"] == pytest.approx(y.mean())
    assert "at most 3.33199" in calculation[2].text
    total = np.full(100, y.mean())
    for t in (1, 2, 3):
        rows = np.array(calculation[2 * t - 1].table.rows)
        np.testing.assert_allclose(rows[:, 3], y - total)
        total += rows[:, 4]
        np.testing.assert_allclose(rows[:, 5], total)
        for _, _, mean, value in calculation[2 * t].table.rows:
            assert mean == pytest.approx(value)
    np.testing.assert_allclose(total, model.predict(x[:, None]))
    assert "is what the model predicts" in calculation[-1].text
    with pytest.raises(ValueError, match="query"):
        worked(model, x[:, None], y, query=[1.0])


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
@pytest.mark.parametrize("step", ["leaf", "global"])
def test_other_losses(loss, step):
    rows, y = load_diabetes(return_X_y=True)
    model = GradientBoostingRegressor(loss=loss, step=step, n_estimators=4).fit(rows, y)
    calculation = worked(model, rows, y)
    assert calculation[-1].values[r"\max_i |F(x_i) - \hat{F}(x_i)|"] < 1e-9
    # The residuals of the table are those that the tree was fitted to.
    tree = model.estimators_[2, 0].tree_
    residuals = np.array(calculation[5].table.rows)[:, 3]
    assert tree.value[0, 0, 0] == pytest.approx(residuals.mean())
    assert "<math" in calculation._repr_html_()


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_classes(loss):
    rows, y = load_diabetes(return_X_y=True)
    model = GradientBoostingClassifier(loss=loss, n_estimators=4).fit(rows, y > 100)
    calculation = worked(model, rows, y > 100)
    residuals = np.array(calculation[5].table.rows)[:, 3]
    assert model.estimators_[2, 0].tree_.value[0, 0, 0] == pytest.approx(residuals.mean())
    iris = load_iris(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=2).fit(*iris)
    with pytest.raises(ValueError, match="3 classes"):
        worked(model, *iris)


def test_too_many_rounds_and_too_long_steps():
    rows, y = load_diabetes(return_X_y=True)
    long = GradientBoostingRegressor(n_estimators=100, learning_rate=1.0, random_state=0)
    found = diagnose(long.fit(rows, y), rows, y)
    assert found["rounds"].verdict == "problem"
    assert found["learning_rate"].verdict in ("warning", "problem")
    assert "learning_rate=0.2" in found["learning_rate"].remedy
    sound = GradientBoostingRegressor(n_estimators=60, max_depth=1, random_state=0)
    found = diagnose(sound.fit(rows, y), rows, y)
    assert found.ok


def test_too_few_rounds():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 4))
    y = rows @ [1.0, 2.0, 3.0, 4.0]
    model = GradientBoostingRegressor(n_estimators=10).fit(rows, y)
    finding = diagnose(model, rows, y)["rounds"]
    assert finding.verdict == "warning"
    assert "raise n_estimators" in finding.remedy


def test_adaboost_is_diagnosed():
    rows, y = load_iris(return_X_y=True)
    found = diagnose(AdaBoostClassifier(n_estimators=20).fit(rows, y), rows, y)
    assert found["rounds"].statistic_name.startswith("Accuracy")
    few = diagnose(AdaBoostClassifier(n_estimators=3).fit(X, Y), X, Y)
    assert few["rounds"].verdict == few["learning_rate"].verdict == "not applicable"
