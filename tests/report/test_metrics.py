"""Every measure is scikit-learn's, and its row values are those of the infinitesimal jackknife."""

import numpy as np
import pytest
import sklearn.metrics as peers

from gramian.report._metrics import Predicted, metrics_for, metrics_shown

METRICS = {m.name: m for task in ("regression", "classification") for m in metrics_for(task)}


def peer_score(name, p, weight):
    """Return scikit-learn's value for what a model predicts."""
    options = {"sample_weight": weight}
    y, values = p.actual, p.values
    if name in ("auc", "pr_auc"):
        function = peers.roc_auc_score if name == "auc" else peers.average_precision_score
        classes = np.unique(y) if p.positive is None else [p.positive]
        return np.mean([function(y == k, p.scores[:, k], **options) for k in classes])
    if name == "f1":
        average = {"average": "macro"} if p.positive is None else {"pos_label": p.positive}
        return peers.f1_score(y, values, **average, **options)
    if name == "brier":
        truth = np.eye(p.probabilities.shape[1])[y]
        squares = (truth - p.probabilities) ** 2
        losses = squares.sum(axis=1) if p.positive is None else squares[:, p.positive]
        return np.average(losses, weights=weight)
    if name == "log_loss":
        labels = range(p.probabilities.shape[1])
        return peers.log_loss(y, p.probabilities, labels=labels, **options)
    if name == "pinball":
        return peers.mean_pinball_loss(y, values, alpha=p.quantile, **options)
    functions = {
        "r2": peers.r2_score,
        "rmse": peers.root_mean_squared_error,
        "mae": peers.mean_absolute_error,
        "poisson": peers.mean_poisson_deviance,
        "accuracy": peers.accuracy_score,
        "balanced_accuracy": peers.balanced_accuracy_score,
    }
    return functions[name](y, values, **options)


def predicted(name, seed, n_classes, n=60):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, size=n) / 2.0
    weight /= weight.mean()
    if name in {m.name for m in metrics_for("regression")}:
        y = rng.poisson(3.0, size=n).astype(float)
        return Predicted(y, np.exp(rng.normal(1.0, 0.4, size=n)), weight, quantile=0.8)
    y = rng.integers(n_classes, size=n)
    scores = rng.normal(size=(n, n_classes)) + 1.5 * np.eye(n_classes)[y]
    proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    proba = np.round(proba, 1)  # ties
    proba[:, 0] += 1.0 - proba.sum(axis=1)
    proba = np.clip(proba, 0.05, None)
    proba /= proba.sum(axis=1, keepdims=True)
    positive = 1 if n_classes == 2 else None
    return Predicted(y, proba.argmax(axis=1), weight, proba, proba, positive)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", METRICS)
def test_row_values_are_those_of_the_infinitesimal_jackknife(name, n_classes, global_random_seed):
    p = predicted(name, global_random_seed, n_classes)
    values, score = METRICS[name].of(p), peer_score(name, p, p.weight)
    assert values.mean() == pytest.approx(score, rel=1e-9)
    step = 1e-6
    for row in range(6):
        weight = p.weight.copy()
        weight[row] += step
        derivative = (peer_score(name, p, weight) - score) / step
        jackknife = score + len(values) * p.weight[row] * derivative
        assert values[row] == pytest.approx(jackknife, abs=2e-3)


def test_without_weights_means_of_losses_have_the_losses():
    y, values = np.array([0, 1, 1]), np.array([0, 0, 1])
    ones = np.ones(3)
    np.testing.assert_allclose(METRICS["accuracy"].of(Predicted(y, values, ones)), [1, 0, 1])
    proba = np.array([[0.8, 0.2], [0.3, 0.7], [1.0, 0.0]])
    losses = METRICS["log_loss"].of(Predicted(y, values, ones, proba, proba))
    np.testing.assert_allclose(losses, -np.log([0.8, 0.7, np.finfo(float).eps]))


def test_where_there_is_nothing_to_explain():
    y, ones = np.array([2.0, 2.0, 2.0]), np.ones(3)
    r2, rmse = METRICS["r2"], METRICS["rmse"]
    np.testing.assert_array_equal(r2.of(Predicted(y, y, ones)), 1.0)
    np.testing.assert_array_equal(r2.of(Predicted(y, y + 1, ones)), 0.0)
    np.testing.assert_array_equal(rmse.of(Predicted(y, y, ones)), 0.0)


def test_what_a_model_or_the_rows_do_not_give_has_no_value():
    labels = np.array([0, 1])
    p = Predicted(labels, labels, np.ones(2))
    assert METRICS["auc"].of(p) is None and METRICS["log_loss"].of(p) is None
    one_class = Predicted(labels * 0, labels, np.ones(2), np.eye(2), np.eye(2), 1)
    assert METRICS["auc"].of(one_class) is None and METRICS["f1"].of(one_class) is None
    assert METRICS["accuracy"].of(one_class).mean() == 0.5


def test_tables_show_three_measures():
    shown = {task: metrics_shown(task, metrics_for(task)[-1]) for task in ("regression",)}
    assert [m.name for m in shown["regression"]] == ["poisson", "r2", "rmse", "mae"]
