"""The picture of residuals: drawn without a display, with the numbers behind it."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from gramian.linear_model import LinearRegression
from gramian.plot import ResidualsDisplay, residuals
from gramian.plot._trend import local_trend
from gramian.validation import training_matrix

pytestmark = pytest.mark.usefixtures("pyplot")


@pytest.mark.parametrize("n_features", [1, 3])
@pytest.mark.parametrize("n", [5, 300, 12_000])
def test_four_panels_and_their_numbers(n, n_features, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, n_features))
    y = X.sum(axis=1) + rng.normal(size=n)
    model = LinearRegression().fit(X, y)
    display = residuals(model, X, y)
    assert display.axes_.shape == (2, 2)
    assert_allclose(display.frame()["residual"], y - model.predict(X))
    assert display.frame("polars").columns == ["y", "fitted", "residual"]
    title = display.axes_[0, 0].get_title(loc="left")
    assert title == ("Fit" if n_features == 1 else "Actual against predicted")
    display.figure_.savefig(tmp_path / "residuals.png")
    assert (tmp_path / "residuals.png").stat().st_size > 10_000


def test_name_of_the_only_feature_is_shown():
    frame = pd.DataFrame({"dose": np.arange(10.0)})
    y = 2.0 * np.arange(10.0) + np.tile([0.1, -0.1], 5)
    display = residuals(LinearRegression().fit(frame, y), frame, y[:, None])
    assert display.axes_[0, 0].get_xlabel() == "dose"


def test_legends_cover_no_data():
    X = np.random.default_rng(0).normal(size=(300, 3))
    display = residuals(LinearRegression().fit(X, X.sum(axis=1)), X, X.sum(axis=1) + 1e-3 * X[:, 0])
    display.figure_.canvas.draw()
    for axes in display.axes_.flat:
        assert not axes.texts
        assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1
    assert "R² = 1.000" in display.axes_[0, 0].get_legend().get_texts()[0].get_text()


def test_training_rows_are_shown_as_fitted(many_levels):
    frame, y = many_levels
    model = LinearRegression().fit(frame, y)
    display = residuals(model, frame, y)
    assert_allclose(display.resid.mean(), 0.0, atol=1e-10)
    assert_allclose(display.resid @ training_matrix(model, frame, y), 0.0, atol=1e-8)
    others = residuals(model, frame[:100], y[:100])
    assert_allclose(others.fitted, model.predict(frame[:100]))


def test_display_is_drawn_again_in_given_axes(pyplot):
    y, fitted = np.arange(6.0), np.arange(6.0) + 0.1
    display = ResidualsDisplay.from_predictions(y, fitted, name="Guess")
    assert display.figure_.get_suptitle() == "Guess: 6 rows"
    figure, axes = pyplot.subplots(1, 4)
    assert display.plot(axes) is display
    assert display.figure_ is figure
    assert display.axes_.ravel().tolist() == axes.tolist()
    with pytest.raises(ValueError, match="4 axes"):
        display.plot(axes[:2])


def test_from_estimator_is_what_residuals_returns():
    X = np.random.default_rng(0).normal(size=(50, 1))
    y = X[:, 0] ** 2
    model = LinearRegression().fit(X, y)
    first = ResidualsDisplay.from_estimator(model, X, y)
    second = residuals(model, X, y)
    pd.testing.assert_frame_equal(first.frame(), second.frame())
    assert_allclose(first.feature, X[:, 0])


def test_exact_fit_is_drawn():
    X = np.arange(6.0)[:, None]
    display = residuals(LinearRegression().fit(X, np.zeros(6)), X, np.zeros(6))
    display.figure_.canvas.draw()


def test_several_targets_are_refused():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(ValueError, match="one target"):
        residuals(LinearRegression().fit(X, X), X, X)


def test_trend_follows_a_curve():
    x = np.linspace(0.0, np.pi, 400)
    at, trend = local_trend(x, np.sin(x), fraction=0.2)
    assert_allclose(trend, np.sin(at), atol=0.06)


def test_missing_matplotlib_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    X = np.arange(6.0)[:, None]
    with pytest.raises(ImportError, match=r'pip install "gramian\[plot\]"'):
        residuals(LinearRegression().fit(X, X[:, 0]), X, X[:, 0])


def test_import_loads_no_matplotlib():
    code = "import sys, gramian.plot, gramian.inspection; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
