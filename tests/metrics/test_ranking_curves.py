"""Threshold curves give scikit-learn's points, errors and warnings."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics

import gramian
from gramian import metrics
from gramian.exceptions import UndefinedMetricWarning

CURVES = ["roc_curve", "precision_recall_curve", "det_curve", "confusion_matrix_at_thresholds"]
DROPPING = CURVES[:3]


def both(name):
    return getattr(metrics, name), getattr(sklearn.metrics, name)


def draw(seed, n=300, n_levels=None):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = rng.normal(size=n) + y
    return y, score if n_levels is None else np.round(score * n_levels) / n_levels


def assert_same_curve(ours, theirs, **options):
    assert len(ours) == len(theirs)
    for our_values, their_values in zip(ours, theirs, strict=True):
        assert our_values.dtype == their_values.dtype
        np.testing.assert_allclose(our_values, their_values, rtol=1e-12, atol=1e-14, **options)


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("n_levels", [None, 3], ids=["distinct", "ties"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2, 5, 300, 2000])
def test_points(name, n_levels, weighted, n, global_random_seed):
    ours, theirs = both(name)
    y, score = draw(global_random_seed, n, n_levels)
    y[:2] = 0, 1
    weight = np.random.default_rng(1).integers(0, 4, n) / 2.0 if weighted else None
    if weighted:
        weight[:2] = 1.0
    assert_same_curve(ours(y, score, sample_weight=weight), theirs(y, score, sample_weight=weight))


@pytest.mark.parametrize("name", DROPPING)
@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("n_levels", [None, 4])
def test_drop_intermediate(name, drop, n_levels):
    ours, theirs = both(name)
    y, score = draw(3, 500, n_levels)
    assert_same_curve(
        ours(y, score, drop_intermediate=drop), theirs(y, score, drop_intermediate=drop)
    )


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize(
    "dtype",
    [np.float64, np.float32, np.float16, np.int64, np.int8, np.uint8, np.uint64, np.longdouble],
)
def test_types_of_scores(name, dtype):
    ours, theirs = both(name)
    y, score = draw(4, 100)
    score = (20 * np.abs(score)).astype(dtype)
    assert_same_curve(ours(y, score), theirs(y, score))


def test_scores_that_only_differ_in_their_last_bit():
    score = np.array([1.0, np.nextafter(1.0, 2.0), 1.0, -0.0, 0.0, 5e-324])
    y = [0, 1, 1, 0, 1, 0]
    assert_same_curve(
        metrics.confusion_matrix_at_thresholds(y, score),
        sklearn.metrics.confusion_matrix_at_thresholds(y, score),
    )
    large = np.array([2**63 - 1, 2**63 - 2, 2**62])
    assert metrics.roc_curve([1, 0, 0], large, drop_intermediate=False)[0].tolist() == [
        0.0, 0.0, 0.5, 1.0
    ]  # fmt: skip


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [((-1, 1), None), ((False, True), None), ((0.0, 1.0), None), (("a", "b"), "a"), ((3, 5), 5)],
)
def test_labels(name, labels, pos_label):
    ours, theirs = both(name)
    y, score = draw(5, 80)
    y = np.array(labels)[y]
    for truth in (y, y.reshape(-1, 1), y.tolist(), y.astype(object)):
        if y.dtype.kind not in "U" and isinstance(truth, np.ndarray) and truth.dtype == object:
            continue
        assert_same_curve(
            ours(truth, score, pos_label=pos_label), theirs(y, score, pos_label=pos_label)
        )


@pytest.mark.parametrize("name", ["roc_curve", "precision_recall_curve"])
def test_one_of_three_classes(name):
    ours, theirs = both(name)
    y = np.random.default_rng(6).integers(0, 3, 60)
    score = np.random.default_rng(7).normal(size=60)
    assert_same_curve(ours(y, score, pos_label=2), theirs(y, score, pos_label=2))


def test_series_of_any_library():
    y, score = draw(8, 50)
    weight = np.arange(50) % 3 + 1.0
    expected = sklearn.metrics.roc_curve(y, score, sample_weight=weight)
    for series in (pd.Series, pl.Series, list):
        result = metrics.roc_curve(series(y), series(score), sample_weight=series(weight))
        assert_same_curve(result, expected)


@pytest.mark.parametrize("name", CURVES)
def test_integer_weight_is_repetition(name):
    ours, _ = both(name)
    y, score = draw(9, 200, 5)
    weight = np.random.default_rng(2).integers(0, 4, 200)
    weighted = ours(y, score, sample_weight=weight)
    repeated = ours(np.repeat(y, weight), np.repeat(score, weight))
    for a, b in zip(weighted, repeated, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("weighted", [False, True])
def test_same_bits_for_any_number_of_threads(weighted):
    y, score = draw(10, 200_000)
    weight = np.random.default_rng(3).uniform(size=len(y)) if weighted else None
    results = []
    for n_threads in (1, 2, 3):
        with gramian.config_context(n_threads=n_threads):
            curve = metrics.confusion_matrix_at_thresholds(y, score, sample_weight=weight)
            area = metrics.roc_auc_score(y, score, sample_weight=weight)
        results.append((area, *(values.tobytes() for values in curve)))
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_as_scikit_learn(weighted):
    y, score = draw(11, 150_000, 2000)
    weight = np.random.default_rng(4).integers(1, 5, len(y)) / 4.0 if weighted else None
    for name in CURVES:
        ours, theirs = both(name)
        assert_same_curve(
            ours(y, score, sample_weight=weight), theirs(y, score, sample_weight=weight)
        )


@pytest.mark.parametrize("label", [0, 1])
def test_roc_curve_of_one_class(label):
    with pytest.warns(sklearn.exceptions.UndefinedMetricWarning):
        theirs = sklearn.metrics.roc_curve([label] * 3, [0.1, 0.2, 0.3])
    with pytest.warns(UndefinedMetricWarning, match="samples in y_true") as caught:
        ours = metrics.roc_curve([label] * 3, [0.1, 0.2, 0.3])
    assert_same_curve(ours, theirs)
    assert caught[0].filename == __file__


def test_precision_recall_curve_without_positives():
    with pytest.warns(UserWarning, match="No positive class"):
        theirs = sklearn.metrics.precision_recall_curve([0, 0, 0], [0.1, 0.2, 0.3])
    with pytest.warns(UserWarning, match="No positive class") as caught:
        ours = metrics.precision_recall_curve([0, 0, 0], [0.1, 0.2, 0.3])
    assert_same_curve(ours, theirs)
    assert caught[0].filename == __file__


def test_constant_scores():
    for name in CURVES:
        ours, theirs = both(name)
        assert_same_curve(ours([0, 1, 1], [0.5] * 3), theirs([0, 1, 1], [0.5] * 3))


BAD = [
    (([0, 1], [0.1, 0.2, 0.3]), {}),
    (([0, 1, 2], [0.1, 0.2, 0.3]), {}),
    (([0, 2], [0.1, 0.2]), {}),
    ((["a", "b"], [0.1, 0.2]), {}),
    (([0.5, 1.5], [0.1, 0.2]), {}),
    (([0, 1], [0.1, np.nan]), {}),
    (([0, 1], [0.1, np.inf]), {}),
    (([0, 1], [[0.1, 0.2], [0.3, 0.4]]), {}),
    (([[0, 1], [1, 0]], [0.1, 0.2]), {}),
    (([0, 1], [0.1, 0.2]), {"sample_weight": [0.0, 0.0]}),
    (([0, 1], [0.1, 0.2]), {"sample_weight": [1.0, np.nan]}),
    (([0, 1], [0.1, 0.2]), {"sample_weight": [1.0]}),
    (([0, 1], [0.1, 0.2]), {"pos_label": [1]}),
    ((0, 1), {}),
]


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize(("args", "options"), BAD)
def test_refusals(name, args, options):
    ours, theirs = both(name)
    for function in (theirs, ours):
        with pytest.raises(ValueError):
            function(*args, **options)


@pytest.mark.parametrize("name", CURVES)
def test_empty_input_is_refused(name):
    with pytest.raises(ValueError, match="at least one row"):
        both(name)[0]([], [])


@pytest.mark.parametrize("name", CURVES)
def test_missing_labels_are_refused(name):
    with pytest.raises(ValueError):
        both(name)[0]([0, np.nan], [0.1, 0.2])


@pytest.mark.parametrize("name", DROPPING)
def test_refused_switch_is_named(name):
    with pytest.raises(ValueError, match=f"'drop_intermediate' parameter of {name} .*'yes'"):
        both(name)[0]([0, 1], [0.1, 0.2], drop_intermediate="yes")


def test_det_curve_needs_both_classes():
    for function in (metrics.det_curve, sklearn.metrics.det_curve):
        with pytest.raises(ValueError, match="Only one class"):
            function([1, 1], [0.1, 0.2])


@pytest.mark.parametrize("x", [[0.0, 0.2, 0.2, 1.0], [1.0, 0.4, 0.4, 0.0], [0, 1, 2, 3]])
def test_auc(x):
    y = [0.3, 0.1, 0.8, 1.0]
    assert metrics.auc(x, y) == pytest.approx(sklearn.metrics.auc(x, y), abs=1e-15)


@pytest.mark.parametrize("x", [[0.0, 0.5, 0.2], [1.0], []])
def test_auc_refusals(x):
    for function in (metrics.auc, sklearn.metrics.auc):
        with pytest.raises(ValueError):
            function(x, [1.0] * len(x))
