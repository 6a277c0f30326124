"""Predictions that read a net's weights where they lie."""

import numpy as np
import pytest

from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning
from gramian.neural_network import MLPRegressor


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("hidden", [(64, 96), (64, 50), (7,), (128, 64, 32)])
def test_weights_are_read_where_they_lie(dtype, hidden):
    """Large layers of whole vectors are not copied for a prediction; the bits are the same."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 80)).astype(dtype)
    params = {"max_iter": 1, "random_state": 0, "solver": "sgd"}
    with pytest.warns(ConvergenceWarning):
        net = MLPRegressor(hidden_layer_sizes=hidden, **params).fit(rows, rows[:, 0])

    def copied():
        out = np.empty((len(rows), 1), dtype)
        net._network(dtype).predict(rows, out=out, ctx=core_context())
        return out[:, 0]

    np.testing.assert_array_equal(net.predict(rows), copied())
    before = net.predict(rows[:1])
    net.coefs_[0][:, 0] += 1.0  # in place
    assert net.predict(rows[:1]) != before
    net.coefs_[0] = np.asfortranarray(net.coefs_[0])
    net.coefs_[-1].flags.writeable = False
    np.testing.assert_array_equal(net.predict(rows), copied())


def test_lent_weights_are_for_predictions():
    net = MLPRegressor(hidden_layer_sizes=64, solver="lbfgs", max_iter=1000, tol=1e-2)
    rows = np.random.default_rng(0).normal(size=(50, 64))
    net.fit(rows, rows[:, 0])
    with pytest.raises(ValueError, match="for predictions"):
        net._network(lends=True).get_parameters(net.coefs_, net.intercepts_, [])
