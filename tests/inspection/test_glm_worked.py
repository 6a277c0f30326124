"""Worked calculations of generalised linear models, checked by hand and against the models."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gramian.inspection import worked
from gramian.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor

X, Y = [[0.0], [1.0], [2.0]], [1.0, 2.0, 6.0]


def test_first_step_by_hand():
    calculation = worked(PoissonRegressor(alpha=0.0, tol=1e-10).fit(X, Y), X, Y, query=[3.0])
    values = calculation.values
    # All means are 3, so that the weights are equal and z = ln 3 + (y - 3) / 3: a straight line.
    assert_allclose(values[r"\theta^{(0)}"], [np.log(3.0), 0.0])
    assert_allclose(values[r"\theta^{(1)}"], [np.log(3.0) - 5.0 / 6.0, 5.0 / 6.0])
    assert_allclose(values[r"\hat{\mu}"], np.exp(values[r"\theta"] @ [1.0, 3.0]))
    assert "agree" in calculation[-1].text and "Newton" in str(calculation)
    assert r"\mu" in calculation.to_latex()


@pytest.mark.parametrize("alpha", [0.0, 0.3])
@pytest.mark.parametrize(
    "model",
    [
        PoissonRegressor(),
        PoissonRegressor(fit_intercept=False),
        GammaRegressor(),
        TweedieRegressor(power=1.5),
        TweedieRegressor(power=3.0),
        TweedieRegressor(),
        TweedieRegressor(power=1.0, link="identity"),
    ],
    ids=lambda model: "".join(repr(model).split()),
)
def test_the_end_is_the_fitted_model(model, alpha):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(40, 2))
    y = rng.gamma(4.0, (5.0 + data @ [0.5, 0.2]) / 4.0)
    model.set_params(alpha=alpha, tol=1e-10).fit(data, y)
    calculation = worked(model, data, y)
    constant = [model.intercept_] if model.fit_intercept else []
    assert_allclose(calculation.values[r"\theta"], np.append(constant, model.coef_), atol=1e-7)
    assert_allclose(calculation.values["D^2"], model.score(data, y), rtol=1e-6)
    assert "agree" in calculation[-1].text


def test_refusals_and_other_data():
    model = PoissonRegressor(alpha=0.0).fit(X, Y)
    assert "differ" in worked(model, X, [6.0, 2.0, 1.0])[-1].text
    model = TweedieRegressor(power=1.0, link="identity", fit_intercept=False)
    with pytest.raises(ValueError, match="fit_intercept=True"):
        worked(model.fit([[1.0], [2.0]], [1.0, 2.0]), [[1.0], [2.0]], [1.0, 2.0])
