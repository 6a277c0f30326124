"""The rounds of boosting in a picture, as numbers and as text."""

import sys

import numpy as np
import pytest

from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.datasets import load_diabetes
from gramian.ensemble import (
    AdaBoostClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
)
from gramian.plot import RoundsDisplay, rounds

plt = pytest.importorskip("matplotlib.pyplot")
plt.switch_backend("agg")

X, Y = load_diabetes(return_X_y=True)
NEW = (X[300:], Y[300:])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    boosted = BoostingRegressor(n_estimators=40, learning_rate=0.3, early_stopping_rounds=15)
    sets = [(X[:300], Y[:300]), NEW]
    return boosted.fit(X[:300], Y[:300], eval_set=sets, eval_metric=["mae", "rmse"])


def test_evaluation_sets(model):
    display = rounds(model, names=["training", "new"])
    kept = model.evals_result_
    lines = [line for line in display.ax_.lines if len(line.get_xdata()) > 2]
    for line, name, values in zip(lines, ("training", "new"), kept.values(), strict=True):
        assert line.get_label() == name
        np.testing.assert_array_equal(line.get_ydata(), values["rmse"])
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, len(values["rmse"]) + 1))
    assert display.best == model.n_estimators_ == model.best_iteration_ + 1
    assert display.best_value == model.best_score_
    assert display.ax_.get_ylabel() == "rmse"
    assert f"after {display.best} rounds" in display.ax_.texts[0].get_text()
    frame = display.frame()
    assert frame.columns.tolist() == ["rows", "rounds", "rmse"]
    assert frame["rmse"].tolist() == [*kept["validation_0"]["rmse"], *kept["validation_1"]["rmse"]]


def test_another_metric_has_no_best_round(model):
    display = rounds(model, metric="mae")
    assert (display.metric, display.best, display.best_value) == ("mae", None, None)
    assert list(display.curves) == ["validation_0", "validation_1"]
    with pytest.raises(ValueError, match="metric must be one of"):
        rounds(model, metric="auc")
    with pytest.raises(ValueError, match="a name for each curve"):
        rounds(model, names=["new"])


def test_rounds_of_a_second_fit_are_counted_on():
    boosted = BoostingClassifier(n_estimators=5, warm_start=True)
    boosted.fit(X[:300], Y[:300] > 150, eval_set=(NEW[0], NEW[1] > 150))
    boosted.set_params(n_estimators=12).fit(X[:300], Y[:300] > 150, eval_set=(NEW[0], NEW[1] > 150))
    display = rounds(boosted)
    assert display.first == 6
    assert display.frame()["rounds"].tolist() == list(range(6, 13))


def test_scores_of_histograms():
    stopped = HistGradientBoostingRegressor(early_stopping=True, random_state=0).fit(X, Y)
    display = rounds(stopped)
    np.testing.assert_allclose(display.curves["validation rows"], -stopped.validation_score_)
    assert display.first == 0  # the loss of no tree
    assert display.best == np.argmax(stopped.validation_score_)
    scored = HistGradientBoostingRegressor(early_stopping=True, scoring="r2", max_iter=20)
    display = rounds(scored.fit(X, Y))
    assert display.metric == "score"
    np.testing.assert_allclose(display.curves["training rows"], scored.train_score_)


def test_losses_of_gradient_boosting():
    grown = GradientBoostingRegressor(n_estimators=10, subsample=0.5, random_state=0).fit(X, Y)
    display = rounds(grown)
    assert list(display.curves) == ["training rows", "rows out of the bag"]
    np.testing.assert_array_equal(display.curves["training rows"], grown.train_score_)
    assert display.best is None
    with pytest.raises(ValueError, match="kept 'loss' alone"):
        rounds(grown, metric="mae")


def test_models_without_curves():
    with pytest.raises(ValueError, match="without evaluation sets"):
        rounds(BoostingRegressor(n_estimators=2).fit(X, Y))
    plain = HistGradientBoostingRegressor(max_iter=2, early_stopping=False).fit(X, Y)
    with pytest.raises(ValueError, match="has kept no curve"):
        rounds(plain)
    with pytest.raises(ValueError, match="has kept no curve"):
        rounds(AdaBoostClassifier(n_estimators=2).fit(X, Y > 100))


def test_text(model):
    display = rounds(model, names=["training", "new"])
    lines = str(display).split("\n")
    assert lines[0] == "BoostingRegressor by rounds: rmse"
    values = np.concatenate([display.curves["training"], display.curves["new"]])
    assert lines[1].split()[0] == f"{values.max():.4g}"
    assert lines[12].split()[0] == f"{values.min():.4g}"
    # The training loss falls from the left to the right.
    start = lines[1].index("│") + 1
    area = [line[start:].ljust(64) for line in lines[1:13]]
    heights = [next(at for at, row in enumerate(area) if row[k] == "*") for k in (0, 20, 63)]
    assert heights == sorted(heights)
    assert heights[-1] == 11
    assert lines[-2].split() == ["*", "training", "o", "new"]
    assert lines[-1] == f"best: {display.best_value:.4g} after {display.best} rounds"
    with pytest.raises(ValueError, match="8 columns"):
        display.text(width=3)


def test_text_without_matplotlib(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.warns(UserWarning, match=r"print\(display\) shows the curves as text"):
        display = rounds(model)
    assert "validation_1" in str(display)
    assert not hasattr(display, "ax_")
    with pytest.raises(ImportError, match="gramian"):
        display.plot()


def test_display_of_ones_own_numbers():
    display = RoundsDisplay({"one": [3.0]}, best=1).plot()
    assert display.ax_.lines[0].get_marker() == "o"
    assert "3" in display.text()
    constant = RoundsDisplay({"flat": [1.0, 1.0, np.nan]})
    assert constant.text(width=8, height=3)
    with pytest.raises(ValueError, match="at least one curve"):
        RoundsDisplay({})
    with pytest.raises(ValueError, match="best must be from 1 to 2"):
        RoundsDisplay({"a": [1.0, 2.0]}, best=3)
    _, ax = plt.subplots()
    assert RoundsDisplay({"a": [1.0, 2.0]}).plot(ax).ax_ is ax
