"""The programs of the notes on networks, with only the import changed."""

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.neural_network

import gramian.linear_model
import gramian.neural_network
from gramian.datasets import make_classification, make_friedman1
from gramian.metrics import accuracy_score, mean_squared_error, r2_score
from gramian.model_selection import train_test_split
from gramian.preprocessing import StandardScaler

LIBRARIES = {"ours": gramian, "theirs": sklearn}


def test_perceptron_of_example_10_1():
    X, y = make_classification(
        n_samples=200,
        n_features=2,
        n_informative=2,
        n_redundant=0,
        n_clusters_per_class=1,
        n_classes=2,
        random_state=50,
    )
    ours, theirs = (
        library.linear_model.Perceptron(max_iter=1000, tol=1e-3, random_state=50).fit(X, y)
        for library in LIBRARIES.values()
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
    assert accuracy_score(y, ours.predict(X)) == 0.955


def test_regression_like_that_of_example_10_5():
    """The same steps on drawn rows, since those of the example are not in the library."""
    X, y = make_friedman1(900, 8, noise=1.0, random_state=22)
    y = y / 5
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=22)
    scaler = StandardScaler()
    X_train = scaler.fit_transform(X_train)
    X_test = scaler.transform(X_test)
    fits = {}
    for name, library in LIBRARIES.items():
        mlp = library.neural_network.MLPRegressor(
            hidden_layer_sizes=(50, 50), max_iter=1000, random_state=77
        )
        mlp.fit(X_train, y_train)
        y_pred = mlp.predict(X_test)
        fits[name] = mlp.loss_curve_, mean_squared_error(y_test, y_pred), r2_score(y_test, y_pred)
    n = min(len(curve) for curve, *_ in fits.values())
    np.testing.assert_allclose(fits["ours"][0][:n], fits["theirs"][0][:n], rtol=1e-6)
    assert fits["ours"][1] == pytest.approx(fits["theirs"][1], rel=1e-6)
    assert fits["ours"][2] > 0.85


def test_neurons_are_functions_of_functions():
    """A net is f_j(f_i(x)): the layers one after the other, each a net of its own."""
    X, y = make_friedman1(60, 5, random_state=0)
    net = gramian.neural_network.MLPRegressor(
        hidden_layer_sizes=(4, 3), activation="tanh", solver="lbfgs", random_state=0, max_iter=20000
    ).fit(X, y / 10)
    inner = gramian.neural_network.MLPRegressor(
        hidden_layer_sizes=4, activation="tanh", out_activation="tanh"
    )
    inner.coefs_, inner.intercepts_ = net.coefs_[:2], net.intercepts_[:2]
    outer = gramian.neural_network.MLPRegressor(hidden_layer_sizes=())
    outer.coefs_, outer.intercepts_ = net.coefs_[2:], net.intercepts_[2:]
    np.testing.assert_allclose(outer.predict(inner.predict(X)), net.predict(X), rtol=1e-12)
