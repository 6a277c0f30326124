"""Pictures of a net: its neurons and weights, and the images of its first layer."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from numpy.testing import assert_array_equal

from gramian._drawing import LINE, POINT
from gramian.datasets import load_digits, load_iris
from gramian.linear_model import Ridge
from gramian.neural_network import MLPClassifier, MLPRegressor
from gramian.plot import FirstLayerDisplay, NetworkDisplay, first_layer, network

pytestmark = pytest.mark.usefixtures("pyplot")
QUICK = {"tol": 1e-2, "learning_rate_init": 0.1, "random_state": 0}


def test_a_line_for_each_weight_in_its_colour_and_width(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = MLPClassifier((5, 2), **QUICK).fit(X, y)
    display = network(model)
    weights = np.concatenate([each.ravel() for each in model.coefs_])
    lines = display.ax_.lines
    assert len(lines) == len(weights) == 4 * 5 + 5 * 2 + 2 * 3
    for line, weight in zip(lines, weights, strict=True):
        assert to_rgba(line.get_color()) == to_rgba(POINT if weight > 0 else LINE)
    widths = np.array([line.get_linewidth() for line in lines[:20]])
    first = np.abs(model.coefs_[0]).ravel()
    np.testing.assert_allclose(widths, 2.0 * first / first.max())
    said = [text.get_text() for text in display.ax_.texts]
    assert said[:4] == ["4", "5", "2", "3"]
    assert said[4:] == [*X.columns, "0", "1", "2"]
    display.figure_.savefig(tmp_path / "network.png")
    frame = display.frame()
    assert_array_equal(frame["weight"], weights)
    assert_array_equal(frame["layer"], np.repeat([1, 2, 3], [20, 10, 6]))


def test_large_layers_are_cut():
    model = MLPRegressor(hidden_layer_sizes=30, **QUICK).fit(np.eye(20), np.arange(20) / 20)
    display = network(model, max_neurons=6)
    assert len(display.ax_.lines) == 6 * 6 + 6
    assert [t.get_text() for t in display.ax_.texts] == ["20, of which 6", "30, of which 6", "1"]


def test_first_layer_is_a_mosaic_of_images(tmp_path):
    X, y = load_digits(return_X_y=True)
    model = MLPClassifier(7, **{**QUICK, "tol": 0.1}).fit(X / 16, y)
    display = first_layer(model)
    mosaic = display.mosaic()
    assert mosaic.shape == (3 * 9 - 1, 3 * 9 - 1)
    longest = np.square(model.coefs_[0]).sum(axis=0).argmax()
    assert display.neurons[0] == longest
    assert_array_equal(mosaic[:8, :8], model.coefs_[0][:, longest].reshape(8, 8))
    assert np.isnan(mosaic[8]).all()
    assert np.isnan(mosaic[18:, 9:]).all()  # seven of nine places
    assert display.ax_.images[0].get_clim()[1] == np.abs(model.coefs_[0]).max()
    display.figure_.savefig(tmp_path / "first_layer.png")
    assert len(display.frame()) == 64 * 7


def test_images_have_the_shape_asked_for():
    weights = np.arange(24.0).reshape(6, 4)
    assert FirstLayerDisplay(weights).shape == (1, 6)
    display = FirstLayerDisplay(weights, shape=(2, 3), max_neurons=2)
    assert_array_equal(display.neurons, [3, 2])
    with pytest.raises(ValueError, match="has not the 6 weights"):
        FirstLayerDisplay(weights, shape=(2, 2))


def test_embeddings_are_drawn_from_their_numbers_on():
    frame = pd.DataFrame({"kind": list("abab") * 10, "size": np.arange(40.0)})
    model = MLPRegressor(hidden_layer_sizes=3, encoding="embedding", **QUICK)
    display = network(model.fit(frame, np.arange(40.0) / 40))
    assert display.sizes == [len(model.coefs_[1]), 3, 1]


def test_what_cannot_be_drawn_says_so():
    X, y = np.eye(8), np.arange(8) / 8
    several = MLPRegressor(hidden_layer_sizes=2, n_nets=2, **QUICK).fit(X, y)
    with pytest.raises(ValueError, match="nets_"):
        network(several)
    with pytest.raises(TypeError, match="Got Ridge"):
        first_layer(Ridge().fit(X, y))
    with pytest.raises(ValueError, match="max_neurons"):
        network(several.nets_[0], max_neurons=0)
    with pytest.raises(ValueError, match="2 names for 1 neurons"):
        NetworkDisplay([[[1.0]]], inputs=["a", "b"])
    with pytest.raises(ValueError, match="row of weights"):
        NetworkDisplay([[[1.0]], [[1.0], [2.0]]])
