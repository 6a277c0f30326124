"""The calibration curve and its picture."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.calibration as sk
from sklearn.linear_model import LogisticRegression

from gramian.calibration import CalibrationDisplay, calibration_curve
from gramian.dummy import DummyClassifier, DummyRegressor

mpl.use("agg")
RNG = np.random.default_rng(0)
PROB = RNG.random(300)
TRUE = (RNG.random(300) < PROB**2).astype(int)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n_bins", [1, 5, 40])
def test_curve_is_that_of_sklearn(strategy, n_bins):
    options = {"strategy": strategy, "n_bins": n_bins}
    for y, p, label in (
        (TRUE, PROB, None),
        (TRUE, np.round(PROB, 1), 0),
        (np.where(TRUE, "yes", "no"), PROB / 3, "yes"),
        (2 * TRUE - 1, PROB, None),
    ):
        ours = calibration_curve(y, p, pos_label=label, **options)
        theirs = sk.calibration_curve(y, p, pos_label=label, **options)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("y", "p", "options"),
    [
        (TRUE, PROB * 2, {}),
        (TRUE, PROB - 1, {}),
        (TRUE, PROB[1:], {}),
        (np.arange(300) % 3, PROB, {"pos_label": 1}),
        (np.where(TRUE, "yes", "no"), PROB, {}),
        (TRUE, PROB, {"strategy": "percentile"}),
        (TRUE, PROB, {"n_bins": 0}),
    ],
)
def test_curve_refuses(y, p, options):
    for function in (calibration_curve, sk.calibration_curve):
        with pytest.raises(ValueError):
            function(y, p, **options)


def test_display_from_estimator():
    X, names = PROB.reshape(-1, 1), np.where(TRUE, "yes", "no")
    model = LogisticRegression().fit(X, names)
    display = CalibrationDisplay.from_estimator(model, X, names, n_bins=8, color="red")
    prob_true, prob_pred = sk.calibration_curve(
        names, model.predict_proba(X)[:, 1], n_bins=8, pos_label="yes"
    )
    np.testing.assert_allclose(display.line_.get_ydata(), prob_true)
    np.testing.assert_allclose(display.line_.get_xdata(), prob_pred)
    assert display.line_.get_color() == "red"
    assert display.ax_.get_xlabel() == "Mean predicted probability (Positive class: yes)"
    assert display.figure_ is display.ax_.figure
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["Perfectly calibrated", "LogisticRegression"]
    again = CalibrationDisplay.from_estimator(
        model, X, names, pos_label="no", ax=display.ax_, name="no", ls="--"
    )
    labels = [text.get_text() for text in again.ax_.get_legend().get_texts()]
    assert labels == ["Perfectly calibrated", "LogisticRegression", "no"]
    assert again.line_.get_linestyle() == "--"
    np.testing.assert_allclose(again.y_prob, model.predict_proba(X)[:, 0])


def test_display_of_predictions():
    display = CalibrationDisplay.from_predictions(pl.Series(TRUE), pl.Series(PROB), ref_line=False)
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["Classifier"]
    frame = display.frame()
    assert isinstance(frame, pd.DataFrame)
    np.testing.assert_array_equal(frame["prob_true"], display.prob_true)
    assert display.frame("polars").columns == ["prob_pred", "prob_true"]
    assert display.plot(name="other").line_.get_label() == "other"


def test_display_refuses():
    X, three = PROB.reshape(-1, 1), np.arange(300) % 3
    with pytest.raises(ValueError, match="Got DummyRegressor"):
        CalibrationDisplay.from_estimator(DummyRegressor().fit(X, TRUE), X, TRUE)
    with pytest.raises(ValueError, match="Got 3 classes"):
        CalibrationDisplay.from_estimator(DummyClassifier().fit(X, three), X, three)
    with pytest.raises(ValueError, match="pos_label=9"):
        CalibrationDisplay.from_estimator(DummyClassifier().fit(X, TRUE), X, TRUE, pos_label=9)
    with pytest.raises(ValueError, match="not binary"):
        CalibrationDisplay.from_predictions(three, PROB, pos_label=1)
