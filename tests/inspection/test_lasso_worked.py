"""Soft-thresholding by hand, and models on basis functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import linear_model as reference

from gramian._linear.regressor import LinearRegressorBase
from gramian.inspection import worked
from gramian.inspection._worked.lasso import Penalties, epoch, soft_threshold, work_lasso
from gramian.linear_model import LinearRegression
from gramian.params import Boolean, Real, param
from gramian.pipeline import make_pipeline
from gramian.preprocessing import PolynomialFeatures
from gramian.validation import check_fit


class Net(LinearRegressorBase):
    """scikit-learn's elastic net behind our interface."""

    alpha: float = param(1.0, Real(0.0))
    l1_ratio: float = param(1.0, Real(0.0))
    fit_intercept: bool = param(True, Boolean())

    def fit(self, X, y):
        data = check_fit(self, X, y)
        model = reference.ElasticNet(**self.get_params(), tol=1e-13, max_iter=100_000)
        model.fit(data.X, data.y)
        self.coef_, self.intercept_ = model.coef_, model.intercept_
        return self


def test_soft_threshold():
    assert [soft_threshold(v, 1.0) for v in (3.0, -3.0, 0.5, -1.0)] == [2.0, -2.0, 0.0, 0.0]


def test_one_epoch_by_hand():
    # Orthogonal columns with m = 2: c = 1/2, rho = 1/2 z'y, so w = 2 S(rho, 1/2).
    w, rows = epoch(np.eye(2), np.array([3.0, 0.5]), np.zeros(2), Penalties(0.5))
    assert rows == [[1.5, 0.5, 0.0, 2.0], [0.25, 0.5, 0.0, 0.0]]
    assert w.tolist() == [2.0, 0.0]


@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_agrees_with_the_model(l1_ratio, fit_intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4)) + 1.0
    y = X @ [2.0, 0.0, -1.0, 0.1] + rng.normal(size=40)
    model = Net(alpha=0.2, l1_ratio=l1_ratio, fit_intercept=fit_intercept).fit(X, y)
    calculation = work_lasso(model, X, y, [1.0, 2.0, 3.0, 4.0])
    assert_allclose(calculation.values["w"], model.coef_, atol=1e-9)
    assert "agree." in calculation[-1].text
    prediction = calculation.values[r"\hat{y}"]
    assert_allclose(prediction, model.predict([[1.0, 2.0, 3.0, 4.0]])[0], atol=1e-8)
    assert "One epoch of coordinate descent" in str(calculation)
    assert r"\lambda" in calculation.to_latex()
    assert calculation._repr_html_()


@pytest.mark.parametrize("include_bias", [False, True])
def test_parabola_of_the_notes(include_bias):
    """f(x) = (x + 1)^2 is a + 2 b + 1 with a = x^2 and b = x."""
    x = np.linspace(-2.0, 2.0, 9)[:, None]
    y = (x[:, 0] + 1.0) ** 2
    model = make_pipeline(PolynomialFeatures(2, include_bias=include_bias), LinearRegression())
    calculation = worked(model.fit(x, y), x, y, query=[3.0])
    expected = [1.0, 0.0, 2.0, 1.0] if include_bias else [1.0, 2.0, 1.0]
    assert_allclose(calculation.values[r"\theta"], expected, atol=1e-9)
    assert_allclose(calculation.values[r"\hat{y}"], 16.0)
    assert calculation[0].title == "Basis functions"
    assert calculation[0].table.headers[-2:] == ["x0", "x0^2"]
