"""Nets that show their work: the notes' numbers, and back-propagation against differences."""

import warnings

import numpy as np
import pytest

from gramian.datasets import make_classification, make_regression
from gramian.exceptions import ConvergenceWarning
from gramian.inspection import diagnose, gradient_check, worked
from gramian.neural_network import MLPClassifier, MLPRegressor
from gramian.neural_network._parameters import ACTIVATIONS
from gramian.plot import loss_curve

SMOOTH = [name for name in ACTIVATIONS if name not in ("relu", "leaky_relu")]


def two_by_two():
    """The net of the notes' example 10-2, its weights set by hand."""
    model = MLPRegressor(
        hidden_layer_sizes=2,
        activation="logistic",
        out_activation="logistic",
        alpha=0.0,
        learning_rate_init=0.5,
    )
    model.coefs_ = [np.array([[0.15, 0.25], [0.2, 0.3]]), np.array([[0.4, 0.5], [0.45, 0.55]])]
    model.intercepts_ = [np.full(2, 0.35), np.full(2, 0.6)]
    return model


def titled(calculation, title):
    return next(step for step in calculation if step.title == title)


def test_forward_pass_of_the_notes():
    calculation = worked(two_by_two(), [[0.05, 0.1]], [[0.01, 0.99]])
    hidden, output = (
        titled(calculation, "Forward, layer 1"),
        titled(calculation, "Forward, layer 2"),
    )
    assert hidden.values[r"\mathrm{net}"][0] == pytest.approx(0.3775, abs=1e-12)
    np.testing.assert_allclose(
        hidden.values[r"\mathrm{out}"], [0.593269992, 0.596884378], atol=5e-10
    )
    assert output.values[r"\mathrm{net}"][0] == pytest.approx(1.105905967, abs=5e-10)
    np.testing.assert_allclose(
        output.values[r"\mathrm{out}"], [0.75136507, 0.772928465], atol=5e-10
    )
    assert titled(calculation, "Error").values["E"] == pytest.approx(0.298371109, abs=5e-10)


def test_back_propagation_of_the_notes():
    calculation = worked(two_by_two(), [[0.05, 0.1]], [[0.01, 0.99]])
    output = titled(calculation, "Back, outputs").table.rows[0]
    assert output[1:3] == pytest.approx([0.74136507, 0.186815602], abs=5e-10)
    first = titled(calculation, "Back, weights of layer 2").table.rows[0]
    assert (first[0], first[-1]) == ("$w_{5}$", pytest.approx(0.082167041, abs=5e-10))
    hidden = titled(calculation, "Back, neurons H").table.rows[0]
    assert hidden[1] == pytest.approx(0.055399425, abs=5e-10)
    step = titled(calculation, "A step of gradient descent on this row").table.rows
    after = {row[0]: row[-1] for row in step}
    assert after["$w_{5}$"] == pytest.approx(0.4 - 0.5 * 0.082167041, abs=1e-9)
    assert "agree" in calculation[-1].text


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_hand_and_fit_agree(activation, n_classes):
    X, y = make_classification(
        30,
        4,
        n_informative=3,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        random_state=0,
    )
    model = MLPClassifier(
        (3, 2), activation, solver="lbfgs", random_state=0, alpha=1.0, max_iter=20
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    calculation = worked(model, X, y, query=X[1])
    assert "agree" in titled(calculation, "Comparison").text
    np.testing.assert_allclose(
        calculation[-1].values[r"\hat{y}"][-1], model.predict_proba(X[1:2])[0, -1], atol=1e-12
    )
    assert calculation.to_latex()


def test_large_nets_are_not_worked_out():
    X, y = make_regression(30, 4, random_state=0)
    model = MLPRegressor(solver="lbfgs", tol=10.0, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="too large to read"):
        worked(model, X, y)


@pytest.mark.parametrize("activation", SMOOTH)
@pytest.mark.parametrize(
    "loss, out",
    [(loss, "identity") for loss in ("poisson", "gamma", "huber", "quantile")]
    + [("squared_error", out) for out in ("identity", "logistic", "tanh", "softplus")],
)
def test_gradients_are_those_of_differences(activation, loss, out):
    X, y = make_regression(25, 3, n_targets=2, random_state=0)
    y = np.abs(y / np.abs(y).max()) + 0.1
    model = MLPRegressor(
        loss, (4, 3), activation, out_activation=out, solver="lbfgs", random_state=0, tol=0.5
    )
    weight = np.arange(25) % 3 + 1.0
    assert gradient_check(model.fit(X, y), X, y, weight).error < 1e-7


@pytest.mark.parametrize("activation", SMOOTH)
def test_gradients_of_classes(activation):
    X, y = make_classification(40, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
    model = MLPClassifier(4, activation, solver="lbfgs", random_state=0, tol=0.5).fit(X, y)
    check = gradient_check(model, X, y)
    assert list(check.blocks) == ["coefs_[0]", "coefs_[1]", "intercepts_[0]", "intercepts_[1]"]
    assert check.error < 1e-7
    assert "relative" in str(check)


def test_other_models_have_no_back_propagation():
    from gramian.linear_model import Ridge

    with pytest.raises(TypeError, match="takes an MLPClassifier"):
        gradient_check(Ridge(), [[0.0]], [0.0])


def finding(diagnosis, code):
    return next(each for each in diagnosis if each.code == code)


def fitted(X, y, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MLPRegressor(random_state=0, **params).fit(X, y)


def diagnosed(X, y, **params):
    return diagnose(fitted(X, y, **params), X, y)


def sound_rows():
    X = np.random.default_rng(0).normal(size=(600, 3))
    return X, X @ [1.0, -1.0, 0.5] + 0.5 * np.random.default_rng(1).normal(size=600)


def test_a_sound_fit_raises_no_alarm():
    X, y = sound_rows()
    found = diagnosed(X, y, hidden_layer_sizes=(5, 4), activation="tanh", learning_rate_init=0.02)
    assert {each.verdict for each in found} <= {"ok", "not applicable"}


def test_unscaled_columns_are_named():
    X, y = sound_rows()
    found = finding(diagnosed(X * [1.0, 1e4, 1e-4], y, hidden_layer_sizes=5), "scale")
    assert (found.verdict, found.columns) == ("problem", ("x1", "x2"))


def test_lost_neurons_are_counted():
    X, y = sound_rows()
    model = fitted(X, y, hidden_layer_sizes=4)
    model.intercepts_[0][:3] = -100.0
    found = finding(diagnose(model, X, y), "neurons")
    assert (found.verdict, found.statistic) == ("problem", 0.75)
    bent = fitted(X, y, hidden_layer_sizes=4, activation="tanh")
    bent.intercepts_[0][:1] = 100.0
    assert finding(diagnose(bent, X, y), "neurons").statistic == 0.25


def test_steps_that_are_too_long_or_too_few_show_in_the_curve():
    X, y = sound_rows()
    wild = {"solver": "sgd", "activation": "tanh", "learning_rate_init": 1.0, "max_iter": 60}
    assert finding(diagnosed(X, y, **wild), "learning rate").verdict == "problem"
    slow = {"learning_rate_init": 1e-3, "max_iter": 20}
    assert finding(diagnosed(X, y, hidden_layer_sizes=5, **slow), "epochs").verdict == "problem"


def test_nets_with_more_parameters_than_targets_are_told():
    X, y = sound_rows()
    found = finding(diagnosed(X[:50], y[:50], hidden_layer_sizes=100), "size")
    assert (found.verdict, found.statistic) == ("problem", pytest.approx(50 / 501))


def test_loss_curve_is_drawn_by_epochs():
    X, y = sound_rows()
    model = fitted(X, y, hidden_layer_sizes=5, max_iter=7)
    display = loss_curve(model)
    np.testing.assert_array_equal(display.curves["training rows"], model.loss_curve_)
    assert display.ax_.get_xlabel() == "epochs"
    with pytest.raises(ValueError, match="no loss_curve_"):
        loss_curve(fitted(X, y, solver="lbfgs", max_iter=5))
