"""Multilayer perceptrons: scikit-learn's numbers, the notes' net, and what holds by itself."""

import math
import warnings

import numpy as np
import pytest
import sklearn.neural_network as reference
from scipy import sparse

import gramian
from gramian.datasets import (
    load_iris,
    make_classification,
    make_multilabel_classification,
    make_regression,
)
from gramian.exceptions import ConvergenceWarning
from gramian.metrics import confusion_matrix
from gramian.model_selection import train_test_split
from gramian.neural_network import MLPClassifier, MLPRegressor
from gramian.preprocessing import StandardScaler

ACTIVATIONS = ("identity", "logistic", "tanh", "relu")
SETTINGS = [
    {},
    {"solver": "sgd", "learning_rate_init": 0.05},
    {"solver": "sgd", "nesterovs_momentum": False, "learning_rate": "invscaling"},
    {"solver": "sgd", "learning_rate": "adaptive", "learning_rate_init": 0.02, "tol": 1e-2},
    {"early_stopping": True, "n_iter_no_change": 5},
    {"solver": "sgd", "early_stopping": True, "validation_fraction": 0.3},
    {"hidden_layer_sizes": (12, 6), "batch_size": 17, "alpha": 0.5},
    {"shuffle": False, "hidden_layer_sizes": 3},
]


def tasks():
    X, y = make_classification(180, 9, n_informative=6, n_classes=3, random_state=0)
    Xr, yr = make_regression(160, 6, noise=5.0, random_state=1)
    Xm, ym = make_multilabel_classification(120, 8, random_state=2)
    yr = yr / 50
    return {
        "two classes": ("MLPClassifier", X, y == 1),
        "three classes": ("MLPClassifier", X, np.array(["a", "b", "c"])[y]),
        "labels": ("MLPClassifier", Xm, ym),
        "numbers": ("MLPRegressor", Xr, yr),
        "pairs of numbers": ("MLPRegressor", Xr, np.column_stack([yr, yr**2])),
    }


TASKS = tasks()


def fit_both(name, X, y, weight=None, **params):
    params = {"random_state": 3, "max_iter": 50, **params}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = getattr(gramian.neural_network, name)(**params)
        theirs = getattr(reference, name)(**params)
        return ours.fit(X, y, sample_weight=weight), theirs.fit(X, y, sample_weight=weight)


def quiet(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **kwargs)


def assert_same_fit(ours, theirs, rtol=1e-9):
    np.testing.assert_allclose(ours.loss_curve_, theirs.loss_curve_, rtol=rtol)
    assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)
    assert ours.out_activation_ == theirs.out_activation_
    assert ours.n_outputs_ == theirs.n_outputs_
    for mine, other in zip(
        ours.coefs_ + ours.intercepts_, theirs.coefs_ + theirs.intercepts_, strict=True
    ):
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-9)
    for name in ("best_loss_", "best_validation_score_", "validation_scores_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert (mine is None) == (other is None)
        if mine is not None:
            np.testing.assert_allclose(mine, other, rtol=1e-6)


# -- against scikit-learn --------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("params", SETTINGS, ids=str)
def test_fits_are_those_of_sklearn(task, params):
    name, X, y = TASKS[task]
    ours, theirs = fit_both(name, X, y, **params)
    assert_same_fit(ours, theirs)
    np.testing.assert_array_equal(ours.predict(X).shape, theirs.predict(X).shape)
    if name == "MLPClassifier":
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("task", ["three classes", "numbers"])
def test_activations_are_those_of_sklearn(activation, task):
    name, X, y = TASKS[task]
    assert_same_fit(*fit_both(name, X, y, activation=activation))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("solver", ["sgd", "adam"])
def test_weights_are_those_of_sklearn(task, solver):
    name, X, y = TASKS[task]
    weight = np.random.default_rng(0).uniform(0.2, 3.0, len(X))
    params = {"solver": solver, "early_stopping": solver == "sgd"}
    assert_same_fit(*fit_both(name, X, y, weight, **params))


def test_poisson_loss_is_that_of_sklearn():
    _, X, y = TASKS["numbers"]
    assert_same_fit(*fit_both("MLPRegressor", X, np.exp(y / 3).round(), loss="poisson"))


@pytest.mark.parametrize("solver", ["sgd", "adam"])
def test_further_rows_and_warm_starts_are_those_of_sklearn(solver):
    name, X, y = TASKS["three classes"]
    models = []
    for module in (gramian.neural_network, reference):
        model = getattr(module, name)(8, solver=solver, random_state=1, max_iter=3)
        for part in (slice(0, 50), slice(50, 120)):
            model.partial_fit(X[part], y[part], classes=["a", "b", "c"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            models.append(model.set_params(warm_start=True).fit(X, y))
    assert_same_fit(*models)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("task", TASKS)
def test_quasi_newton_fits_are_no_worse(activation, task):
    name, X, y = TASKS[task]
    params = {"solver": "lbfgs", "activation": activation, "alpha": 1.0, "max_iter": 3000}
    ours, theirs = fit_both(name, X, y, hidden_layer_sizes=6, **params)
    assert ours.certificate_.converged
    assert ours.loss_ <= theirs.loss_ * 1.5 + 1e-3  # another minimum, it may be


def test_single_precision_stays(global_random_seed):
    name, X, y = TASKS["three classes"]
    ours, _ = fit_both(name, X.astype(np.float32), y, random_state=global_random_seed)
    double, _ = fit_both(name, X, y, random_state=global_random_seed)
    assert {each.dtype for each in ours.coefs_ + ours.intercepts_} == {np.dtype(np.float32)}
    assert ours.predict_proba(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(ours.loss_curve_, double.loss_curve_, rtol=2e-4)


# -- the notes -------------------------------------------------------------------------------------


def test_iris_of_the_notes():
    X, y = load_iris(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=96)
    scaler = StandardScaler().fit(X_train)
    model = MLPClassifier(hidden_layer_sizes=(12, 6), max_iter=5000, random_state=86)
    model.fit(scaler.transform(X_train), y_train)
    assert [coef.shape for coef in model.coefs_] == [(4, 12), (12, 6), (6, 3)]
    assert model.coefs_[0][0, 0] == pytest.approx(-0.38639999, abs=1e-6)
    expected = np.diag([20, 14, 11])
    np.testing.assert_array_equal(
        confusion_matrix(y_test, model.predict(scaler.transform(X_test))), expected
    )


def two_by_two():
    """The net of example 10-2, with its weights set by hand."""
    model = MLPRegressor(
        hidden_layer_sizes=2,
        activation="logistic",
        out_activation="logistic",
        solver="sgd",
        momentum=0.0,
        alpha=0.0,
        learning_rate_init=0.5,
    )
    model.coefs_ = [np.array([[0.15, 0.25], [0.2, 0.3]]), np.array([[0.4, 0.5], [0.45, 0.55]])]
    model.intercepts_ = [np.full(2, 0.35), np.full(2, 0.6)]
    model.n_features_in_ = 2
    return model


def test_forward_pass_of_the_notes():
    outputs = two_by_two().predict([[0.05, 0.1]])
    np.testing.assert_allclose(outputs, [[0.75136507, 0.772928465]], atol=5e-10)
    error = 0.5 * ((np.array([0.01, 0.99]) - outputs) ** 2).sum()
    assert error == pytest.approx(0.298371109, abs=5e-10)


def test_step_of_the_notes():
    model = two_by_two()
    before = [each.copy() for each in model.coefs_ + model.intercepts_]
    model.partial_fit([[0.05, 0.1]], [[0.01, 0.99]])
    hidden = np.array([0.593269992, 0.596884378])
    outputs = np.array([0.75136507, 0.772928465])
    delta = (outputs - [0.01, 0.99]) * outputs * (1 - outputs)
    assert delta[0] * hidden[0] == pytest.approx(0.082167041, abs=1e-9)
    back = (before[1] @ delta) * hidden * (1 - hidden)
    gradients = [np.outer([0.05, 0.1], back), np.outer(hidden, delta), back, delta]
    for start, end, slope in zip(before, model.coefs_ + model.intercepts_, gradients, strict=True):
        np.testing.assert_allclose(end, start - 0.5 * slope, atol=1e-8)
    assert model.coefs_[1][0, 0] == pytest.approx(0.4 - 0.5 * 0.082167041, abs=1e-9)


# -- what holds by itself --------------------------------------------------------------------------


def test_weights_may_be_set_in_place():
    name, X, y = TASKS["numbers"]
    model, _ = fit_both(name, X, y)
    model.coefs_[-1][:] = 0.0
    model.intercepts_[-1][:] = 1.5
    np.testing.assert_array_equal(model.predict(X), np.full(len(X), 1.5))


@pytest.mark.parametrize("solver", ["sgd", "adam", "lbfgs"])
def test_sparse_rows_are_dense_ones(solver):
    _name, X, y = TASKS["three classes"]
    X = np.where(np.abs(X) < 1.0, 0.0, X)
    model = {"solver": solver, "random_state": 0, "max_iter": 20}
    dense = quiet(MLPClassifier(**model), X, y)
    thin = quiet(MLPClassifier(**model), sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.loss_, dense.loss_, rtol=1e-8)
    np.testing.assert_allclose(thin.predict_proba(X), dense.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_bits_do_not_depend_on_threads(solver):
    X, y = make_classification(3000, 60, n_informative=20, n_classes=4, random_state=0)
    models = []
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            net = MLPClassifier((120, 40), solver=solver, random_state=0, max_iter=3)
            models.append(gramian.fingerprint(quiet(net, X, y)))
    assert len(set(models)) == 1


def test_batches_of_all_rows_need_no_more_memory_than_passes():
    X, y = make_regression(20_000, 5, random_state=0)
    whole = MLPRegressor(
        hidden_layer_sizes=50, batch_size=20_000, solver="sgd", random_state=0, max_iter=1
    )
    other = reference.MLPRegressor(
        hidden_layer_sizes=50, batch_size=20_000, solver="sgd", random_state=0, max_iter=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole.fit(X, y / 100)
        other.fit(X, y / 100)
    np.testing.assert_allclose(whole.coefs_[0], other.coefs_[0], rtol=1e-9)


def test_zero_weights_are_no_rows():
    _name, X, y = TASKS["numbers"]
    weight = np.ones(len(X))
    weight[::3] = 0.0
    kept = weight > 0
    model = {"random_state": 0, "max_iter": 5}
    a = quiet(MLPRegressor(**model), X, y, sample_weight=weight)
    b = quiet(MLPRegressor(**model), X[kept], y[kept], sample_weight=weight[kept])
    np.testing.assert_array_equal(a.coefs_[0], b.coefs_[0])
    with pytest.raises(ValueError, match="at least one non-zero"):
        MLPRegressor().fit(X, y, sample_weight=np.zeros(len(X)))


def test_certificate_says_how_far():
    _name, X, y = TASKS["three classes"]
    with pytest.warns(ConvergenceWarning, match="Maximum iterations \\(3\\)"):
        model = MLPClassifier(random_state=0, max_iter=3).fit(X, y)
    assert not model.certificate_.converged
    done = MLPClassifier(solver="lbfgs", alpha=1.0, random_state=0, max_iter=5000).fit(X, y)
    assert done.certificate_.converged
    assert done.certificate_.details["gradient_norm"] < 0.1
    assert done.certificate_.optimality < model.certificate_.optimality


def test_time_limit_ends_the_fit():
    X, y = make_classification(20_000, 50, random_state=0)
    with gramian.config(time_limit=0.2):
        model = MLPClassifier((200, 200), max_iter=10_000, tol=0.0, random_state=0).fit(X, y)
    assert model.certificate_.details["stopped"] == "time limit"
    assert model.n_iter_ < 10_000


def test_overflow_names_epoch_and_column():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    X[:, 1] *= 1e200
    with pytest.raises(ValueError, match=r"in epoch \d+.*in column 1"):
        MLPRegressor(random_state=0).fit(X, X[:, 0])


def test_networks_beyond_memory_are_refused():
    with pytest.raises(MemoryError, match="hidden_layer_sizes"):
        MLPRegressor(hidden_layer_sizes=(10**7, 10**7)).fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("sizes", [0, (3, 0), (-1,), (2.5,)])
def test_sizes_are_positive_whole_numbers(sizes):
    with pytest.raises(ValueError, match="hidden_layer_sizes"):
        MLPClassifier(hidden_layer_sizes=sizes).fit([[0.0], [1.0]], [0, 1])


def test_warm_start_needs_the_same_layers():
    _name, X, y = TASKS["numbers"]
    model = quiet(MLPRegressor(hidden_layer_sizes=5, warm_start=True, random_state=0), X, y)
    with pytest.raises(ValueError, match="layers of"):
        model.set_params(hidden_layer_sizes=6).fit(X, y)


def test_no_hidden_layer_is_logistic_regression():
    from gramian.linear_model import LogisticRegression

    _name, X, y = TASKS["two classes"]
    net = MLPClassifier((), solver="lbfgs", alpha=1.0, tol=1e-8, max_iter=5000, random_state=0)
    line = LogisticRegression(C=1.0, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(net.fit(X, y).coefs_[0][:, 0], line.coef_[0], atol=1e-4)


@pytest.mark.parametrize("activation", ["gelu", "silu", "leaky_relu", "softplus"])
def test_further_activations_learn(activation):
    X = np.linspace(-2, 2, 200).reshape(-1, 1)
    y = np.sin(3 * X[:, 0])
    net = MLPRegressor(
        hidden_layer_sizes=(20, 20), activation=activation, solver="lbfgs", random_state=0
    )
    assert quiet(net.set_params(max_iter=500), X, y).score(X, y) > 0.98


@pytest.mark.parametrize(
    "out, low, high", [("logistic", 0, 1), ("tanh", -1, 1), ("softplus", 0, math.inf)]
)
def test_outputs_are_bounded(out, low, high):
    _name, X, y = TASKS["numbers"]
    model = quiet(MLPRegressor(out_activation=out, random_state=0, max_iter=30), X, y)
    found = model.predict(10 * X)
    assert (found >= low).all()
    assert (found <= high).all()
    with pytest.raises(ValueError, match="out_activation"):
        MLPRegressor(loss="poisson", out_activation=out).fit(X, np.abs(y))


def test_interrupt_and_reload_go_on_bit_for_bit(tmp_path):
    _name, X, y = TASKS["three classes"]
    model = MLPClassifier(8, random_state=0)
    classes = np.unique(y)
    model.partial_fit(X, y, classes=classes)
    gramian.save(model, tmp_path / "net.gramian")
    other = gramian.load(tmp_path / "net.gramian")
    assert gramian.fingerprint(other) == gramian.fingerprint(model)
    for each in (model, other):
        each.partial_fit(X, y)
    assert gramian.fingerprint(other) == gramian.fingerprint(model)


def skewed_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    return X, np.exp(0.5 * X[:, 0]) * rng.gamma(2.0, 0.5, 400)


@pytest.mark.parametrize("quantile", [0.2, 0.9])
def test_quantile_loss_leaves_that_share_below(quantile):
    X, y = skewed_rows()
    net = MLPRegressor("quantile", 5, quantile=quantile, learning_rate_init=0.02, random_state=0)
    below = (y < quiet(net, X, y).predict(X)).mean()
    assert below == pytest.approx(quantile, abs=0.04)


def test_huber_loss_is_squared_error_for_large_delta():
    X, y = skewed_rows()
    squared = quiet(MLPRegressor(hidden_layer_sizes=5, random_state=0, max_iter=20), X, y)
    huber = quiet(MLPRegressor("huber", 5, delta=1e9, random_state=0, max_iter=20), X, y)
    np.testing.assert_allclose(huber.loss_curve_, squared.loss_curve_, rtol=1e-12)


def test_gamma_loss_of_constants_finds_the_mean():
    _, y = skewed_rows()
    net = MLPRegressor("gamma", 2, activation="tanh", solver="lbfgs", alpha=0.0, random_state=0)
    found = quiet(net, np.zeros((len(y), 1)), y).predict([[0.0]])
    assert found[0] == pytest.approx(y.mean(), rel=1e-4)
    with pytest.raises(ValueError, match="y > 0"):
        MLPRegressor("gamma").fit([[0.0], [1.0]], [0.0, 1.0])
