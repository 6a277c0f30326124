"""Support vector machines, with kernels and linear."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._row import Data, Row, Score, same_api


def overlapping(n: int, p: int) -> Data:
    """Return two classes with a curved boundary, of which one row in twenty is mislabelled."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    bend = X[:, : p // 2] @ rng.standard_normal(p // 2) / np.sqrt(p)
    y = (bend + 0.5 * X[:, -1] * X[:, -2] + 0.2 * rng.standard_normal(n) > 0).astype(int)
    wrong = rng.choice(n, n // 20, replace=False)
    y[wrong] = 1 - y[wrong]
    return X, y


def waves(n: int, p: int) -> Data:
    """Return a curved target with noise."""
    X, _ = overlapping(n, p)
    rng = np.random.default_rng(1)
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.standard_normal(n)
    return X, y


def linear_classes(n: int, p: int) -> Data:
    """Return two classes with a straight boundary and noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    scores = X @ rng.standard_normal(p) / np.sqrt(p) + 0.7 * rng.standard_normal(n)
    return X, (scores > 0.2).astype(int)


def linear_target(n: int, p: int) -> Data:
    """Return a linear target with noise."""
    X, _ = linear_classes(n, p)
    rng = np.random.default_rng(1)
    return X, X @ rng.standard_normal(p) / np.sqrt(p) + rng.standard_normal(n)


def texts(n: int, p: int, n_topics: int = 2) -> Data:
    """Return sparse rows of a hundred words each, whose frequencies depend on a topic."""
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    topic = rng.integers(0, n_topics, n)
    shares = 1.0 / np.arange(1, p + 1) ** 0.9
    words = np.searchsorted(np.cumsum(shares / shares.sum()), rng.random((n, 100)))
    words = words.clip(0, p - 1)
    own = np.array([rng.permutation(p) for _ in range(n_topics)])
    words = np.where(rng.random(words.shape) < 0.15, own[topic[:, None], words], words)
    starts = np.arange(0, words.size + 1, 100)
    X = csr_matrix((np.ones(words.size), words.ravel(), starts), shape=(n, p))
    X.sum_duplicates()
    X.data = 1.0 + np.log(X.data)
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X.data /= np.repeat(lengths, np.diff(X.indptr))
    wrong = rng.random(n) < 0.05
    return X, np.where(wrong, rng.integers(0, n_topics, n), topic)


def ten_topics(n: int, p: int) -> Data:
    """Return sparse rows of words on ten topics."""
    return texts(n, p, 10)


def linear_objective(model: Any, X: Any, y: Any) -> Score:
    """Return the objective of a linear machine with C = 1, summed over its classes."""
    total = 0.0
    coef, intercept = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    is_classifier = hasattr(model, "classes_")
    for k, (w, b) in enumerate(zip(coef, intercept, strict=True)):
        scores = X @ w + b
        if is_classifier:
            signs = np.where(y == (k if len(coef) > 1 else 1), 1.0, -1.0)
            errors = np.maximum(1.0 - signs * scores, 0.0)
        else:
            errors = np.abs(y - scores)
        losses = errors**2 if model.loss.startswith("squared") else errors
        is_l1 = getattr(model, "penalty", "l2") == "l1"
        penalty = np.abs(w).sum() + abs(b) if is_l1 else (w @ w + b * b) / 2.0
        total += float(penalty + losses.sum())
    return Score(total, 0.0)


def dual_objective(model: Any, X: Any, y: Any) -> Score:
    """Return minus the dual objective of a two-class machine with a Gaussian kernel."""
    gamma = 1.0 / (X.shape[1] * X.var())
    vectors = np.asarray(model.support_vectors_, dtype=np.float64)
    coef = np.asarray(model.dual_coef_)[0]
    norms = np.einsum("ij,ij->i", vectors, vectors)
    total = 0.0
    for begin in range(0, len(coef), 512):
        part = slice(begin, begin + 512)
        squares = norms[part, None] + norms - 2.0 * vectors[part] @ vectors.T
        total += float(coef[part] @ (np.exp(-gamma * squares) @ coef))
    return Score(0.5 * total - float(np.abs(coef).sum()), 0.0)


def error_rate(model: Any, X: Any, y: Any) -> Score:
    """Return the share of training rows that are predicted wrongly."""
    return Score(float((model.predict(X) != y).mean()), 0.01)


def squared_error(model: Any, X: Any, y: Any) -> Score:
    """Return the mean squared error on the training rows."""
    return Score(float(((model.predict(X) - y) ** 2).mean()), 0.01)


_SVC = same_api("svm", "SVC")


def _linear(
    label: str,
    shape: tuple[int, int],
    make: Callable[[int, int], Data],
    name: str = "LinearSVC",
    **params: Any,
) -> Row:
    """Return a row of linear machines, which scikit-learn-intelex does not have."""
    contenders = same_api("svm", name, random_state=0, **params)
    del contenders["intelex"]
    quick = (1_000, min(shape[1], 500))
    return Row(label, shape, quick, make, contenders, "fit", linear_objective)


ROWS: list[Row] = [
    Row("SVC fit 10,000x20", (10_000, 20), (1_500, 10), overlapping, _SVC, "fit", dual_objective),
    Row("SVC fit 20,000x50", (20_000, 50), (1_500, 20), overlapping, _SVC, "fit", dual_objective),
    Row(
        "SVC fit 10,000x50, C=100",
        (10_000, 50),
        (1_200, 20),
        overlapping,
        same_api("svm", "SVC", C=100.0),
        "fit",
        dual_objective,
    ),
    Row(
        "SVC predict 10,000x20", (10_000, 20), (1_500, 10), overlapping, _SVC, "predict", error_rate
    ),
    Row(
        "SVR fit 10,000x20",
        (10_000, 20),
        (1_000, 10),
        waves,
        same_api("svm", "SVR"),
        "fit",
        squared_error,
    ),
    _linear("LinearSVC fit 100,000x50", (100_000, 50), linear_classes),
    _linear(
        "LinearSVC fit 100,000x50, L1", (100_000, 50), linear_classes, penalty="l1", dual=False
    ),
    _linear("LinearSVC fit 20,000x50, hinge", (20_000, 50), linear_classes, loss="hinge"),
    _linear("LinearSVC fit 20,000x50,000 sparse", (20_000, 50_000), texts),
    _linear("LinearSVC fit 20,000x50,000 sparse, 10 classes", (20_000, 50_000), ten_topics),
    _linear("LinearSVR fit 20,000x50", (20_000, 50), linear_target, name="LinearSVR"),
]
