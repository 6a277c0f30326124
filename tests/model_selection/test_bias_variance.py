"""Bias, variance: mlxtend's numbers, an identity, a closed form, labels, curves and pictures."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model
import sklearn.neighbors
import sklearn.tree

from gramian.datasets import load_diabetes, load_iris
from gramian.dummy import DummyClassifier
from gramian.linear_model import LinearRegression, Ridge
from gramian.model_selection import (
    BiasVarianceDisplay,
    bias_variance_curve,
    bias_variance_decomp,
)
from gramian.model_selection._bias_variance import decompose

X, Y = load_diabetes(return_X_y=True)
NUMBERS = (X[:300], Y[:300], X[300:], Y[300:])
IRIS, KIND = load_iris(return_X_y=True)
CLASSES = (IRIS[::2, :2], KIND[::2], IRIS[1::2, :2], KIND[1::2])


def naive(model, X_train, y_train, X_test, y_test, loss, num_rounds, seed):
    """The definition, row by row."""
    rng = np.random.RandomState(seed)
    rounds = []
    for _ in range(num_rounds):
        rows = rng.choice(np.arange(len(X_train)), size=len(X_train), replace=True)
        rounds.append(model.fit(X_train[rows], y_train[rows]).predict(X_test).tolist())
    errors, biases, variances = [], [], []
    for truth, predicted in zip(y_test.tolist(), zip(*rounds, strict=True), strict=True):
        if loss == "mse":
            main = sum(predicted) / len(predicted)
        else:
            main = max(sorted(set(predicted)), key=predicted.count)

        def gap(a, b):
            return (a - b) ** 2 if loss == "mse" else float(a != b)

        errors.append(np.mean([gap(p, truth) for p in predicted]))
        biases.append(gap(main, truth))
        variances.append(np.mean([gap(p, main) for p in predicted]))
    return np.mean(errors), np.mean(biases), np.mean(variances)


def test_numbers_of_mlxtend():
    # mlxtend 0.25.0 with scikit-learn 1.9.1
    squared = (2973.062739757973, 2818.035254302997, 155.02748545497676)
    ours = bias_variance_decomp(LinearRegression(), *NUMBERS, "mse", 25, 7)
    assert ours == pytest.approx(squared, rel=1e-10)
    model = sklearn.linear_model.LinearRegression()
    assert bias_variance_decomp(model, *NUMBERS, "mse", 25, 7) == pytest.approx(squared, rel=1e-12)
    neighbour = sklearn.neighbors.KNeighborsClassifier(1)
    ours = bias_variance_decomp(neighbour, *CLASSES, num_rounds=25, random_seed=7)
    assert ours == pytest.approx((0.29973333333333335, 0.32, 0.1216), rel=1e-12)


@pytest.mark.parametrize("loss", ["mse", "0-1_loss"])
def test_definition(loss, global_random_seed):
    tree = sklearn.tree
    model = tree.DecisionTreeRegressor if loss == "mse" else tree.DecisionTreeClassifier
    data = NUMBERS if loss == "mse" else CLASSES
    ours = bias_variance_decomp(
        model(max_depth=3, random_state=1), *data, loss, 12, global_random_seed
    )
    expected = naive(model(max_depth=3, random_state=1), *data, loss, 12, global_random_seed)
    assert ours == pytest.approx(expected, rel=1e-12)


def test_squared_error_is_bias_plus_variance(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # whole numbers and a power of two of rounds: every sum is exact
    predictions, target = rng.integers(-50, 50, (8, 16)), rng.integers(-50, 50, 16)
    error, bias, variance = decompose(predictions, target, "mse")
    assert error == bias + variance
    error, bias, variance = bias_variance_decomp(
        Ridge(0.1), *NUMBERS, "mse", 20, global_random_seed
    )
    assert error == pytest.approx(bias + variance, rel=1e-12)


def test_closed_form_of_least_squares():
    """With fresh noise: no bias, and variance s^2 x'(X'X)^-1 x; the bootstrap comes near it."""
    rng = np.random.default_rng(0)
    n, p, sigma, n_rounds = 200, 4, 0.5, 3000
    design, test = rng.normal(size=(n, p)), rng.normal(size=(50, p))
    coef = rng.normal(size=p)
    truth = test @ coef
    hat = test @ np.linalg.pinv(design)
    closed = sigma**2 * np.mean(np.sum(hat**2, axis=1))
    noise = sigma * rng.normal(size=(n_rounds, n))
    predictions = (design @ coef + noise) @ hat.T
    error, bias, variance = decompose(predictions, truth, "mse")
    # the mean of n_rounds predictions still has a variance of closed / n_rounds
    assert bias < 6 * closed / n_rounds
    assert variance == pytest.approx(closed, rel=0.06)
    assert error == pytest.approx(closed, rel=0.06)
    # noise of the test target adds its variance, and nothing else
    noisy = truth + sigma * rng.normal(size=50)
    with_noise = decompose(predictions, noisy, "mse")
    assert with_noise[2] == variance
    assert with_noise[1] - np.mean((noisy - truth) ** 2) == pytest.approx(0.0, abs=0.02)
    line = LinearRegression(fit_intercept=False)
    resampled = bias_variance_decomp(
        line, design, design @ coef + noise[0], test, truth, "mse", 300, 0
    )
    assert resampled[2] == pytest.approx(closed, rel=0.2)


def test_labels_ties_and_shapes():
    votes = np.array([["b", "a"], ["a", "a"]])
    assert decompose(votes, np.array(["a", "b"]), "0-1_loss") == (0.75, 0.5, 0.25)
    names = np.array(["setosa", "versicolor", "virginica"])
    tree = sklearn.tree.DecisionTreeClassifier(random_state=0)
    X_train, y_train, X_test, y_test = CLASSES
    by_name = bias_variance_decomp(
        tree, X_train, names[y_train], X_test, names[y_test], num_rounds=5, random_seed=0
    )
    assert by_name == bias_variance_decomp(tree, *CLASSES, num_rounds=5, random_seed=0)
    column = bias_variance_decomp(
        LinearRegression(), X[:300], Y[:300, None], X[300:], Y[300:, None], "mse", 5, 0
    )
    assert column == pytest.approx(bias_variance_decomp(LinearRegression(), *NUMBERS, "mse", 5, 0))
    sparse = (scipy.sparse.csr_array(X[:300]), Y[:300], scipy.sparse.csr_array(X[300:]), Y[300:])
    assert bias_variance_decomp(Ridge(), *sparse, "mse", 5, 0) == pytest.approx(
        bias_variance_decomp(Ridge(), *NUMBERS, "mse", 5, 0), rel=1e-8
    )


def test_any_table(make_frame):
    def table(rows):
        return make_frame({f"x{i}": X[rows, i].tolist() for i in range(10)})

    train, test = slice(0, 300), slice(300, None)
    ours = bias_variance_decomp(Ridge(), table(train), Y[train], table(test), Y[test], "mse", 5, 0)
    assert ours == pytest.approx(bias_variance_decomp(Ridge(), *NUMBERS, "mse", 5, 0), rel=1e-9)


def test_the_estimator_stays_and_weights_go_with_their_rows():
    model = Ridge()
    weight = np.random.default_rng(0).integers(1, 4, size=300)
    ours = bias_variance_decomp(model, *NUMBERS, "mse", 3, 5, sample_weight=weight)
    assert not hasattr(model, "coef_")
    rng, predictions = np.random.RandomState(5), []
    for _ in range(3):
        rows = rng.choice(300, size=300)
        fitted = Ridge().fit(X[rows], Y[rows], sample_weight=weight[rows])
        predictions.append(fitted.predict(X[300:]))
    assert ours == pytest.approx(decompose(np.array(predictions), Y[300:], "mse"), rel=1e-12)


def test_refusals():
    with pytest.raises(NotImplementedError, match="loss must be '0-1_loss' or 'mse', not 'mae'"):
        bias_variance_decomp(Ridge(), *NUMBERS, loss="mae")
    with pytest.raises(ValueError, match="predictions are fractions"):
        bias_variance_decomp(Ridge(), *NUMBERS, num_rounds=2)
    with pytest.raises(ValueError, match="'num_rounds' parameter"):
        bias_variance_decomp(Ridge(), *NUMBERS, num_rounds=0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        bias_variance_decomp(Ridge(), X[:300], Y[:299], X, Y, "mse")
    with pytest.raises(ValueError, match="one value for each test row"):
        bias_variance_decomp(Ridge(), X[:300], Y[:300], X, np.column_stack([Y, Y]), "mse")
    with pytest.raises(ValueError, match="at least one value"):
        bias_variance_curve(Ridge(), *NUMBERS, param_name="alpha", param_range=[])
    with pytest.raises(ValueError, match="Invalid parameter"):
        bias_variance_curve(Ridge(), *NUMBERS, param_name="gamma", param_range=[1.0])


def test_curve():
    options = {"param_name": "alpha", "param_range": [0.01, 1.0, 100.0], "num_rounds": 20}
    curve = bias_variance_curve(Ridge(), *NUMBERS, **options, random_seed=3)
    points = [bias_variance_decomp(Ridge(a), *NUMBERS, "mse", 20, 3) for a in (0.01, 1.0, 100.0)]
    np.testing.assert_array_equal(np.transpose(curve[1:]), points)
    assert np.all(np.diff(curve.bias) > 0) and np.all(np.diff(curve.variance) < 0)
    again = bias_variance_curve(Ridge(), *NUMBERS, **options, random_seed=3, n_jobs=2)
    np.testing.assert_array_equal(curve.error, again.error)
    for source in (np.random.RandomState(0), np.random.default_rng(0)):
        bias_variance_curve(Ridge(), *NUMBERS, **options, random_seed=source)
    tree = sklearn.tree.DecisionTreeClassifier(random_state=0)
    by_depth = bias_variance_curve(
        tree, *CLASSES, param_name="max_depth", param_range=[1, 9], num_rounds=20, random_seed=0
    )
    tree.set_params(max_depth=9)
    assert by_depth[1][1] == bias_variance_decomp(tree, *CLASSES, "0-1_loss", 20, 0)[0]


def test_display(frame_library):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    display = BiasVarianceDisplay.from_estimator(
        Ridge(),
        *NUMBERS,
        param_name="alpha",
        param_range=np.array([0.01, 1.0, 100.0]),
        num_rounds=5,
        random_seed=0,
    )
    drawn = {line.get_label(): line.get_ydata() for line in display.ax_.lines}
    np.testing.assert_array_equal(drawn["bias²"], display.curve.bias)
    assert display.ax_.get_xscale() == "log"
    frame = display.frame(frame_library)
    assert frame.shape == (3, 4)
    np.testing.assert_array_equal(np.asarray(frame["variance"]), display.curve.variance)
    _, ax = pyplot.subplots()
    strategies = BiasVarianceDisplay.from_estimator(
        DummyClassifier(random_state=0),
        *CLASSES,
        param_name="strategy",
        param_range=["most_frequent", "uniform"],
        num_rounds=5,
        random_seed=0,
        ax=ax,
    )
    assert strategies.ax_ is ax
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["most_frequent", "uniform"]
    assert ax.get_ylabel() == "0-1 loss"
    pyplot.close("all")
