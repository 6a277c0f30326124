"""The picture of a regularisation path."""

import numpy as np
import pytest

from gramian.linear_model import ElasticNet, LassoCV, enet_path
from gramian.plot import RegularizationPathDisplay, regularization_path

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def _data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 6)) + 2.0
    return X, 3.0 * X[:, 0] - X[:, 1] + rng.standard_normal(40)


def test_numbers_are_those_of_the_path():
    X, y = _data()
    model = ElasticNet(alpha=0.1, l1_ratio=0.7, tol=1e-10).fit(X, y)
    display = regularization_path(model, X, y, alphas=[1.0, 0.1])
    expected = enet_path(X - X.mean(axis=0), y - y.mean(), l1_ratio=0.7, alphas=[1.0, 0.1])[1]
    np.testing.assert_allclose(display.coefs, expected)
    np.testing.assert_allclose(display.coefs[:, 1], model.coef_, atol=1e-4)
    frame = display.frame()
    assert list(frame.columns) == ["feature", "alpha", "coefficient"] and len(frame) == 12
    matplotlib.pyplot.close(display.figure_)


def test_chosen_penalty_is_marked():
    X, y = _data()
    model = LassoCV(alphas=10, cv=3).fit(X, y)
    display = RegularizationPathDisplay.from_estimator(model, X, y, alphas=10)
    assert display.alpha == model.alpha_
    assert len(display.ax_.lines) == 6 + 1
    matplotlib.pyplot.close(display.figure_)


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="one column for each"):
        RegularizationPathDisplay([1.0, 0.5], [[0.0]])
