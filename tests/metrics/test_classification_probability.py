"""Losses of probabilities and of decision values are scikit-learn's."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics

from gramian import metrics
from gramian.exceptions import UndefinedMetricWarning

RNG = np.random.default_rng(7)
N = 40
WEIGHT = RNG.uniform(0.0, 2.0, N)
CODES = RNG.integers(0, 3, N)
TEXT = np.array(["ant", "bee", "cat"])[CODES]
PROBA = RNG.dirichlet(np.ones(3), N)
BINARY, P = CODES % 2, RNG.random(N)
SURE = (P > 0.5).astype(float)
DECISION = RNG.normal(size=(N, 3))
LOSSES = ["log_loss", "d2_log_loss_score", "brier_score_loss", "d2_brier_score"]
WEIGHTED = pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])


def outcome(function, args, options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args, **options)
        except (ValueError, TypeError) as error:
            return type(error), []
    return result, sorted({w.category.__name__ for w in caught})


def assert_same(function, *args, rtol=1e-10, **options):
    ours, our_warnings = outcome(getattr(metrics, function), args, options)
    theirs, their_warnings = outcome(getattr(sklearn.metrics, function), args, options)
    if isinstance(theirs, type):
        kind = ValueError if issubclass(theirs, ValueError) else TypeError
        assert issubclass(ours, kind)
        return
    assert our_warnings == their_warnings
    assert isinstance(ours, float)
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=1e-14)


@pytest.mark.parametrize("function", LOSSES)
@WEIGHTED
@pytest.mark.parametrize(
    "pair",
    [
        (CODES, PROBA),
        (TEXT, PROBA),
        (pd.Series(TEXT), pd.DataFrame(PROBA)),
        (TEXT.astype(object), PROBA.tolist()),
        (BINARY, P),
        (BINARY, P[:, None]),
        (BINARY, np.column_stack([1 - P, P])),
        (BINARY, SURE),
        (2 * BINARY - 1, P),
        (BINARY + 1, P),
        (BINARY == 1, P),
        (BINARY * 1.0, P),
        (np.eye(3, dtype=int)[CODES], PROBA),
        ((RNG.random((N, 3)) < 0.5).astype(int), PROBA),
        (CODES, PROBA / 2),
        (BINARY[:, None], P),
    ],
    ids=lambda pair: f"{np.asarray(pair[0]).dtype}{np.shape(pair[0])}{np.shape(pair[1])}",
)
def test_losses(function, pair, weight):
    assert_same(function, *pair, sample_weight=weight)


@pytest.mark.parametrize("function", LOSSES)
def test_single_precision(function):
    assert_same(function, CODES, PROBA.astype(np.float32), rtol=1e-5)
    assert_same(function, BINARY, P.astype(np.float32), rtol=1e-5)


@WEIGHTED
def test_sum_of_log_losses(weight):
    assert_same("log_loss", CODES, PROBA, normalize=False, sample_weight=weight)


@pytest.mark.parametrize("function", LOSSES)
@pytest.mark.parametrize(
    ("y", "labels"),
    [
        (CODES[CODES < 2], [0, 1, 2]),
        (CODES[CODES < 1], [0, 1, 2]),
        (CODES[CODES < 2], [2, 0, 1]),
        (CODES[CODES < 2], [0, 1]),
        (CODES[CODES < 2], None),
        (CODES, [0, 1, 3]),
        (CODES, [0]),
        (TEXT, ["ant", "bee", "cat"]),
        (TEXT, [0, 1, 2]),
    ],
    ids=str,
)
def test_labels(function, y, labels):
    assert_same(function, y, PROBA[: len(y)], labels=labels)


@pytest.mark.parametrize("function", LOSSES)
@pytest.mark.parametrize(
    "pair",
    [
        (BINARY, P + 1),
        (BINARY, P - 1),
        (BINARY, P[:-1]),
        (BINARY, np.where(P > 0.5, np.nan, P)),
        (CODES, P),
        (CODES, PROBA[:, :2]),
        (P, P),
        (np.zeros(N, int), P),
        ([], []),
        (PROBA, PROBA),
        (np.column_stack([CODES, CODES + 1]), PROBA[:, :2]),
        (3, 0.5),
        (BINARY, None),
    ],
    ids=lambda pair: f"{np.shape(pair[0])}{np.shape(pair[1])}",
)
def test_refused_losses(function, pair):
    assert_same(function, *pair)


@pytest.mark.parametrize("function", ["brier_score_loss", "d2_brier_score"])
@pytest.mark.parametrize("pos_label", [None, 0, 1, 2, "ant", "bee", [1]])
def test_positive_label(function, pos_label):
    assert_same(function, BINARY, P, pos_label=pos_label)
    assert_same(function, TEXT[CODES < 2], P[CODES < 2], pos_label=pos_label)


@pytest.mark.parametrize("scale", [True, False, "auto", "half"])
def test_scale_of_the_brier_score(scale):
    assert_same("brier_score_loss", BINARY, P, scale_by_half=scale)
    assert_same("brier_score_loss", CODES, PROBA, scale_by_half=scale)


@pytest.mark.parametrize("function", ["d2_log_loss_score", "d2_brier_score"])
def test_one_row_has_no_d2(function):
    with pytest.warns(UndefinedMetricWarning, match="less than two samples"):
        assert np.isnan(getattr(metrics, function)([0], [0.3]))


@pytest.mark.parametrize("function", ["log_loss", "d2_log_loss_score"])
def test_old_name_of_the_probabilities(function):
    ours = getattr(metrics, function)
    with pytest.warns(FutureWarning, match="y_proba"):
        assert ours(CODES, y_pred=PROBA) == ours(CODES, PROBA)
    with pytest.raises(ValueError, match="Cannot use both"):
        ours(CODES, PROBA, y_pred=PROBA)


# -- decision values -------------------------------------------------------------------------------


@WEIGHTED
@pytest.mark.parametrize(
    ("y", "decision", "labels"),
    [
        (BINARY, DECISION[:, 0], None),
        (2 * BINARY - 1, DECISION[:, :1], None),
        (TEXT, DECISION, None),
        (CODES, DECISION, None),
        (np.minimum(CODES, 1), DECISION, [0, 1, 2]),
        (np.zeros(N, int), DECISION[:, 0], None),
        (CODES, DECISION[:, 0], None),
        (CODES, DECISION[:, :2], None),
        (CODES, DECISION[:, :2], [0, 1, 2]),
        (CODES + 1, DECISION, [0, 1, 2]),
        (BINARY, DECISION, None),
        (BINARY + 0.5, DECISION[:, 0], None),
        (BINARY, DECISION[1:, 0], None),
        (BINARY, TEXT, None),
    ],
    ids=str,
)
def test_hinge_loss(y, decision, labels, weight):
    assert_same("hinge_loss", y, decision, labels=labels, sample_weight=weight)


@WEIGHTED
@pytest.mark.parametrize("k", [1, 2, 3, 0])
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize(
    ("y", "score", "labels"),
    [
        (CODES, DECISION, None),
        (CODES, DECISION.round(), None),
        (TEXT, PROBA, ["ant", "bee", "cat"]),
        (np.minimum(CODES, 1), DECISION, [0, 1, 2]),
        (BINARY, P, None),
        (BINARY, DECISION[:, 0], None),
        (BINARY, DECISION, None),
        (CODES, P, None),
        (CODES, DECISION[:, :2], None),
        (CODES, DECISION, [0, 2, 1]),
        (CODES, DECISION, [0, 1, 1]),
        (CODES, DECISION, [1, 2, 3]),
        (CODES, DECISION, [0, 1, 2, 3]),
        (P, P, None),
    ],
    ids=str,
)
def test_top_k_accuracy(y, score, labels, k, normalize, weight):
    options = {"k": k, "normalize": normalize, "labels": labels, "sample_weight": weight}
    assert_same("top_k_accuracy_score", y, score, **options)
