"""Areas under curves give scikit-learn's numbers, errors and warnings."""

import math
from contextlib import nullcontext

import numpy as np
import polars as pl
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gramian import metrics
from gramian.exceptions import UndefinedMetricWarning

AREAS = ["roc_auc_score", "average_precision_score"]
AVERAGES = ["micro", "macro", "weighted", "samples", None]


def both(name):
    return getattr(metrics, name), getattr(sklearn.metrics, name)


def draw(seed, n=300, n_levels=None):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = rng.normal(size=n) + y
    return y, score if n_levels is None else np.round(score * n_levels) / n_levels


def draw_classes(seed, n=200, n_classes=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    score = rng.uniform(size=(n, n_classes)) + np.eye(n_classes)[y] / 2
    return y, score / score.sum(axis=1, keepdims=True)


def draw_labels(seed, n=60, n_labels=5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, (n, n_labels))
    y[:, 0], y[:, 1] = 0, 1  # no row lacks a class
    score = np.round(rng.normal(size=y.shape) + y, 1)
    y[0, 0], y[0, 1] = 1, 0  # nor does a column
    return y, score


def assert_equal(ours, theirs):
    assert type(ours) is type(theirs) or isinstance(theirs, np.float64)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize("n_levels", [None, 3], ids=["distinct", "ties"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2, 20, 3000])
def test_two_classes(name, n_levels, weighted, n, global_random_seed):
    ours, theirs = both(name)
    y, score = draw(global_random_seed, n, n_levels)
    y[:2] = 0, 1
    weight = np.random.default_rng(1).uniform(0.1, 2.0, n) if weighted else None
    assert_equal(ours(y, score, sample_weight=weight), theirs(y, score, sample_weight=weight))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.uint8, bool])
def test_types_of_scores(dtype):
    y, score = draw(2)
    score = np.abs(score * 3).astype(dtype)
    for name in AREAS:
        ours, theirs = both(name)
        assert_equal(ours(y, score), theirs(y, score))


@pytest.mark.parametrize("max_fpr", [1e-3, 0.1, 0.5, 0.999, 1.0, 1])
@pytest.mark.parametrize("n_levels", [None, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_partial_area(max_fpr, n_levels, weighted):
    y, score = draw(3, 400, n_levels)
    options = {"max_fpr": max_fpr, "sample_weight": np.arange(400) % 3 if weighted else None}
    assert_equal(
        metrics.roc_auc_score(y, score, **options),
        sklearn.metrics.roc_auc_score(y, score, **options),
    )


@pytest.mark.parametrize("labels", [(-1, 1), (False, True), (2.0, 3.0), ("no", "yes"), (7, 5)])
def test_the_greater_label_is_positive(labels):
    y, score = draw(4, 90)
    y = np.array(labels)[y]
    assert_equal(metrics.roc_auc_score(y, score), sklearn.metrics.roc_auc_score(y, score))
    assert metrics.roc_auc_score(pl.Series(y), pl.Series(score)) == metrics.roc_auc_score(y, score)


@pytest.mark.parametrize(("labels", "pos_label"), [((0, 1), 0), (("a", "b"), "b"), ((-1, 1), 1)])
def test_average_precision_of_a_named_class(labels, pos_label):
    ours, theirs = both("average_precision_score")
    y, score = draw(5, 90)
    y = np.array(labels)[y]
    assert_equal(ours(y, score, pos_label=pos_label), theirs(y, score, pos_label=pos_label))


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
@pytest.mark.parametrize("weighted", [False, True])
def test_roc_auc_of_many_classes(multi_class, average, weighted, global_random_seed):
    ours, theirs = both("roc_auc_score")
    y, score = draw_classes(global_random_seed)
    weight = np.random.default_rng(1).uniform(size=len(y)) if weighted else None
    options = {"multi_class": multi_class, "average": average, "sample_weight": weight}
    if multi_class == "ovo" and (average in ("micro", None) or weighted):
        for function in (ours, theirs):
            with pytest.raises((ValueError, NotImplementedError)):
                function(y, score, **options)
        return
    assert_equal(ours(y, score, **options), theirs(y, score, **options))
    names = np.array(["d", "a", "c", "b"])
    assert_equal(
        ours(names[y], score[:, [1, 3, 2, 0]], **options),
        theirs(names[y], score[:, [1, 3, 2, 0]], **options),
    )


def test_roc_auc_of_classes_that_do_not_occur():
    ours, theirs = both("roc_auc_score")
    y, score = draw_classes(6)
    rows = y != 2
    options = {"multi_class": "ovo", "labels": [0, 1, 2, 3]}
    assert_equal(ours(y[rows], score[rows], **options), theirs(y[rows], score[rows], **options))
    options["multi_class"] = "ovr"
    with pytest.warns(UndefinedMetricWarning):
        assert math.isnan(ours(y[rows], score[rows], **options))
    rows = y < 2
    options["multi_class"] = "ovo"
    assert_equal(ours(y[rows], score[rows], **options), theirs(y[rows], score[rows], **options))


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_average_precision_of_many_classes(average):
    ours, theirs = both("average_precision_score")
    y, score = draw_classes(7)
    for weight in (None, np.arange(len(y)) % 4):
        options = {"average": average, "sample_weight": weight}
        assert_equal(ours(y, score, **options), theirs(y, score, **options))


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("weighted", [False, True])
def test_several_labels(name, average, weighted, global_random_seed):
    ours, theirs = both(name)
    y, score = draw_labels(global_random_seed)
    weight = np.random.default_rng(1).uniform(size=len(y)) if weighted else None
    options = {"average": average, "sample_weight": weight}
    assert_equal(ours(y, score, **options), theirs(y, score, **options))
    assert_equal(ours(y, np.asfortranarray(score), **options), theirs(y, score, **options))


@pytest.mark.parametrize("average", AVERAGES)
def test_partial_area_of_several_labels(average):
    y, score = draw_labels(8)
    options = {"average": average, "max_fpr": 0.4}
    assert_equal(
        metrics.roc_auc_score(y, score, **options),
        sklearn.metrics.roc_auc_score(y, score, **options),
    )


@pytest.mark.parametrize("average", AVERAGES)
def test_a_label_without_positives(average):
    y, score = draw_labels(9)
    y[:, 2] = 0
    y[3] = 0
    ours, theirs = both("average_precision_score")
    with pytest.warns(UserWarning, match="No positive") if average != "micro" else nullcontext():
        expected = theirs(y, score, average=average)
    with pytest.warns(UserWarning, match="No positive") if average != "micro" else nullcontext():
        assert_equal(ours(y, score, average=average), expected)
    with pytest.warns(UndefinedMetricWarning) if average != "micro" else nullcontext():
        result = metrics.roc_auc_score(y, score, average=average)
    with (
        pytest.warns(sklearn.exceptions.UndefinedMetricWarning)
        if average != "micro"
        else nullcontext()
    ):
        expected = sklearn.metrics.roc_auc_score(y, score, average=average)
    assert_equal(result, expected)


@pytest.mark.parametrize("name", AREAS)
def test_integer_weight_is_repetition(name):
    ours, _ = both(name)
    y, score = draw(10, 200, 4)
    weight = np.random.default_rng(2).integers(0, 4, 200)
    weighted = ours(y, score, sample_weight=weight)
    assert weighted == pytest.approx(ours(np.repeat(y, weight), np.repeat(score, weight)))


@pytest.mark.parametrize("label", [0, 1])
def test_one_class(label):
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present") as caught:
        assert math.isnan(metrics.roc_auc_score([label] * 3, [0.1, 0.2, 0.3]))
    assert isinstance(caught[0].message, sklearn.exceptions.UndefinedMetricWarning)
    assert caught[0].filename == __file__


def test_average_precision_without_positives():
    with pytest.warns(UserWarning, match="No positive class found"):
        assert metrics.average_precision_score([0, 0], [0.1, 0.2]) == 0.0


@given(arrays(np.int64, 12, elements=st.integers(-3, 3)))
def test_area_of_the_opposite_scores(score):
    y = np.arange(12) % 2
    area = metrics.roc_auc_score(y, score)
    assert area + metrics.roc_auc_score(y, -score) == pytest.approx(1.0)
    assert metrics.roc_auc_score(y, np.exp(score.astype(float))) == area


BAD = [
    (([0, 1], [0.1, 0.2, 0.3]), {}),
    (([0.5, 1.5], [0.1, 0.2]), {}),
    (([0, 1], [0.1, np.nan]), {}),
    (([0, 1], [[0.1, 0.2], [0.3, 0.4]]), {}),
    (([0, 1], [0.1, 0.2]), {"average": "mean"}),
    (([0, 1], [0.1, 0.2]), {"sample_weight": [0.0, 0.0]}),
    (([[0, 1, 2], [2, 1, 0]], [[0.1, 0.2, 0.7], [0.3, 0.4, 0.3]]), {}),
    (([[0, 1], [1, 1]], [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]), {"average": "micro"}),
]


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize(("args", "options"), BAD)
def test_refusals(name, args, options):
    for function in both(name):
        with pytest.raises(ValueError):
            function(*args, **options)


Y, P = [0, 1, 2, 2], np.array([[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]])
BAD_MULTICLASS = [
    ((Y, P), {}),
    ((Y, P), {"multi_class": "ovr", "max_fpr": 0.5}),
    ((Y, P), {"multi_class": "ovr", "average": "samples"}),
    ((Y, P), {"multi_class": "ovo", "average": "micro"}),
    ((Y, P), {"multi_class": "ovo", "sample_weight": [1, 1, 1, 1]}),
    ((Y, P[:, 0]), {"multi_class": "ovr"}),
    ((Y, 2 * P), {"multi_class": "ovr"}),
    ((Y, P), {"multi_class": "ovr", "labels": [0, 1]}),
    ((Y, P), {"multi_class": "ovr", "labels": [0, 2, 1]}),
    ((Y, P), {"multi_class": "ovr", "labels": [0, 1, 1]}),
    ((Y, P), {"multi_class": "ovr", "labels": [0, 1, 3]}),
    (([0, 1, 1, 1], P), {"multi_class": "ovr"}),
]


@pytest.mark.parametrize(("args", "options"), BAD_MULTICLASS)
def test_refusals_of_many_classes(args, options):
    messages = []
    for function in both("roc_auc_score"):
        with pytest.raises(ValueError) as refusal:
            function(*args, **options)
        messages.append(str(refusal.value))
    assert messages[0] == messages[1]


def test_refusals_of_average_precision():
    for function in both("average_precision_score"):
        with pytest.raises(ValueError, match="is not a valid label"):
            function([0, 2], [0.1, 0.2])
        with pytest.raises(ValueError, match="pos_label is fixed to 1 for multiclass"):
            function(Y, P, pos_label=2)
        with pytest.raises(ValueError, match="pos_label is fixed to 1 for multilabel"):
            function([[0, 1], [1, 0]], [[0.1, 0.2], [0.3, 0.4]], pos_label=0)
        with pytest.raises(ValueError, match="needs to be of shape"):
            function(Y, P[:, :2])


@pytest.mark.parametrize("name", AREAS)
def test_empty_input_is_refused(name):
    with pytest.raises(ValueError, match="minimum of 1"):
        both(name)[0]([], [])


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match=r"negative entries, the least is -1\.0"):
        metrics.roc_auc_score([0, 1, 1], [0.1, 0.2, 0.3], sample_weight=[1, -1, 1])
