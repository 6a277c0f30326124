"""The picture of coefficients shows the numbers of a summary."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gramian.linear_model import FirthLogisticRegression, LinearRegression, Ridge
from gramian.plot import CoefficientsDisplay, coefficients

pytestmark = pytest.mark.usefixtures("pyplot")


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, X @ [1.0, 0.0, -1.0] + rng.normal(size=80)


def test_numbers_and_marks(data, tmp_path):
    X, y = data
    summary = LinearRegression().fit(X, y).summary(X, y)
    display = coefficients(summary)
    frame = display.frame()
    assert_allclose(frame["coef"], summary.coef[1:])
    assert_allclose(frame[["lower", "upper"]], summary.conf_int[1:])
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["x0", "x1", "x2"]
    clear, unclear = (line.get_xdata() for line in display.ax_.lines[1:])
    assert_allclose(clear, summary.coef[[1, 3]])
    assert_allclose(unclear, summary.coef[[2]])
    display.figure_.savefig(tmp_path / "coefficients.png")


def test_odds_ratios_and_intercept(data):
    X, y = data
    model = FirthLogisticRegression().fit(X, y > 0)
    display = coefficients(model.summary(X, y > 0), exponentiate=True, intercept=True)
    assert display.ax_.get_xscale() == "log"
    assert display.names[0] == "const"
    assert_allclose(display.frame()["coef"], np.exp(display.coef))


def test_bootstrap_of_several_targets(data):
    X, y = data
    Y = np.column_stack([y, -y])
    parts = Ridge().fit(X, Y).summary(X, Y, method="bootstrap", n_bootstrap=10, random_state=0)
    with pytest.raises(ValueError, match="2 targets"):
        coefficients(parts)
    assert "Ridge: y1" in coefficients(parts[1]).ax_.get_title()


def test_drawn_in_given_axes(pyplot, data):
    _, axes = pyplot.subplots()
    display = CoefficientsDisplay(names=["a"], coef=[1.0], conf_int=[[0.5, 1.5]])
    assert display.plot(axes).ax_ is axes
    with pytest.raises(ValueError, match="as many coefficients"):
        CoefficientsDisplay(names=["a", "b"], coef=[1.0], conf_int=[[0.5, 1.5]])
