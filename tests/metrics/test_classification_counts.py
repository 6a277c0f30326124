"""Confusion matrices and the numbers made of them are scikit-learn's."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn.metrics

from gramian import metrics

RNG = np.random.default_rng(3)
N = 60
WEIGHT = RNG.uniform(0.0, 2.0, N)
CODES = RNG.integers(0, 4, N), RNG.integers(0, 4, N)
TEXT = np.array(["ant", "bee", "cat", "dog"])
INDICATOR = (RNG.random((N, 4)) < 0.4).astype(int), (RNG.random((N, 4)) < 0.4).astype(int)

LABELS = {
    "codes": CODES,
    "shifted": (CODES[0] - 7, CODES[1] - 7),
    "far apart": (10**12 * CODES[0], 10**12 * CODES[1]),
    "apart": (3_000 * CODES[0] + 5, 3_000 * CODES[1] + 5),
    "small": (CODES[0].astype(np.int8), CODES[1].astype(np.uint8)),
    "unsigned": (CODES[0].astype(np.uint64), CODES[1].astype(np.uint64)),
    "whole floats": (CODES[0].astype(float), CODES[1]),
    "text": (TEXT[CODES[0]], TEXT[CODES[1]]),
    "objects": (TEXT[CODES[0]].astype(object), TEXT[CODES[1]]),
    "unlike": (CODES[0] + 2, CODES[1]),
    "binary": (CODES[0] % 2, CODES[1] % 2),
    "booleans": (CODES[0] > 1, CODES[1] > 1),
    "signs": (2 * (CODES[0] % 2) - 1, 2 * (CODES[1] % 2) - 1),
    "many": (RNG.integers(0, 1500, N), RNG.integers(0, 1500, N)),
    "constant": (np.zeros(N, int), CODES[0]),
    "one label": (np.ones(N, int), np.ones(N, int)),
    "lists": (CODES[0].tolist(), CODES[1].tolist()),
}
SINGLE = pytest.mark.parametrize("name", LABELS)
WEIGHTS = pytest.mark.parametrize(
    "weight",
    [None, WEIGHT, RNG.integers(0, 4, N), RNG.random(N) < 0.7, WEIGHT.astype(np.float32)],
    ids=["plain", "weighted", "whole", "booleans", "float32"],
)


def call(function, args, options):
    """Return the result (or the type of the error), and the types of the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args, **options)
        except (ValueError, TypeError, ZeroDivisionError) as error:
            kinds = [t for t in (ValueError, TypeError) if isinstance(error, t)]
            return kinds[:1], []
    # scikit-learn divides by zero in places, and warns of that
    kinds = {w.category.__name__ for w in caught} - {"RuntimeWarning"}
    return result, sorted(kinds)


def assert_same(function, *args, rtol=1e-10, **options):
    ours, our_warnings = call(getattr(metrics, function), args, options)
    theirs, their_warnings = call(getattr(sklearn.metrics, function), args, options)
    assert our_warnings == their_warnings
    if isinstance(theirs, str | dict | list):
        assert ours == theirs
        return
    ours, theirs = (x if isinstance(x, tuple) else (x,) for x in (ours, theirs))
    for mine, yours in zip(ours, theirs, strict=True):
        if yours is None:
            assert mine is None
            continue
        np.testing.assert_allclose(mine, yours, rtol=rtol, atol=1e-12)
        assert np.shape(mine) == np.shape(yours)
        if np.ndim(yours):
            assert mine.dtype == yours.dtype
        else:
            assert isinstance(mine, float)


@SINGLE
@WEIGHTS
@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
def test_confusion_matrix(name, weight, normalize):
    assert_same("confusion_matrix", *LABELS[name], sample_weight=weight, normalize=normalize)


@pytest.mark.parametrize(
    "labels", [[0, 1], [3, 1, 0], [1, 7, 2], [9], [], [2, 2, 1], [2], np.array([0, 3])]
)
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_chosen_labels(labels, weight):
    for function in ("confusion_matrix", "multilabel_confusion_matrix", "cohen_kappa_score"):
        if function != "multilabel_confusion_matrix" or len(set(labels)) == len(labels) > 0:
            assert_same(function, *CODES, labels=labels, sample_weight=weight)


@SINGLE
@WEIGHTS
def test_numbers_of_single_labels(name, weight):
    for function in (
        "accuracy_score",
        "zero_one_loss",
        "hamming_loss",
        "matthews_corrcoef",
        "balanced_accuracy_score",
        "multilabel_confusion_matrix",
        "cohen_kappa_score",
    ):
        assert_same(function, *LABELS[name], sample_weight=weight)
    for function in ("accuracy_score", "zero_one_loss"):
        assert_same(function, *LABELS[name], sample_weight=weight, normalize=False)


@pytest.mark.parametrize("name", ["codes", "binary", "text", "unlike"])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_options(name, weight):
    assert_same("balanced_accuracy_score", *LABELS[name], sample_weight=weight, adjusted=True)
    for weights in ("linear", "quadratic"):
        assert_same("cohen_kappa_score", *LABELS[name], sample_weight=weight, weights=weights)


@WEIGHTS
@pytest.mark.parametrize("samplewise", [False, True])
@pytest.mark.parametrize("labels", [None, [0, 2], [3, 1], [0, 4], [-1, 0]])
def test_multilabel_confusion_matrix(weight, samplewise, labels):
    options = {"sample_weight": weight, "samplewise": samplewise, "labels": labels}
    assert_same("multilabel_confusion_matrix", *INDICATOR, **options)
    sparse = [scipy.sparse.csr_array(y) for y in INDICATOR]
    np.testing.assert_array_equal(
        call(metrics.multilabel_confusion_matrix, sparse, options)[0],
        call(metrics.multilabel_confusion_matrix, INDICATOR, options)[0],
    )


@WEIGHTS
def test_numbers_of_indicators(weight):
    rtol = 1e-6 if weight is not None and weight.dtype == np.float32 else 1e-10
    for function in ("accuracy_score", "zero_one_loss", "hamming_loss"):
        assert_same(function, *INDICATOR, sample_weight=weight, rtol=rtol)


def test_weights_are_copies():
    times = RNG.integers(0, 4, N)
    copies = [np.repeat(y, times) for y in CODES]
    for function in ("confusion_matrix", "matthews_corrcoef", "balanced_accuracy_score"):
        ours = getattr(metrics, function)
        np.testing.assert_allclose(ours(*CODES, sample_weight=times), ours(*copies), rtol=1e-13)


def test_more_labels_than_a_table_of_counts_can_hold():
    y_true, y_pred = RNG.integers(0, 50_000, (2, 4_000))
    y_pred[:2_000] = y_true[:2_000]
    for weight in (None, RNG.uniform(0, 1, 4_000)):
        for function in ("accuracy_score", "matthews_corrcoef"):
            ours = getattr(metrics, function)(y_true, y_pred, sample_weight=weight)
            theirs = getattr(sklearn.metrics, function)(y_true, y_pred, sample_weight=weight)
            assert ours == pytest.approx(theirs, rel=1e-10)
        options = {"average": "macro", "sample_weight": weight, "zero_division": 0.0}
        ours = metrics.f1_score(y_true, y_pred, **options)
        assert ours == pytest.approx(sklearn.metrics.f1_score(y_true, y_pred, **options), rel=1e-10)


@pytest.mark.parametrize("name", ["binary", "booleans", "signs", "codes", "one label", "constant"])
@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("undefined", [np.nan, 1.0, {"LR+": 2.0, "LR-": 0.5}, {"LR+": 0.0}, 0.3])
def test_class_likelihood_ratios(name, weight, undefined):
    assert_same(
        "class_likelihood_ratios",
        *LABELS[name],
        sample_weight=weight,
        replace_undefined_by=undefined,
    )


@pytest.mark.parametrize(
    ("y_true", "y_pred"),
    [
        ([0, 0, 1, 1], [0, 0, 0, 0]),
        ([0, 0, 1, 1], [1, 1, 1, 1]),
        ([0, 0, 0, 0], [0, 1, 0, 1]),
        ([1, 1, 1, 1], [0, 1, 0, 1]),
        ([0, 0, 1, 1], [0, 0, 1, 1]),
    ],
)
@pytest.mark.parametrize("undefined", [np.nan, 1.0, {"LR+": np.inf, "LR-": 0.0}])
def test_undefined_likelihood_ratios(y_true, y_pred, undefined):
    assert_same("class_likelihood_ratios", y_true, y_pred, replace_undefined_by=undefined)


FRAMES = {
    "pandas": pd.Series,
    "categorical": lambda y: pd.Series(y).astype("category"),
    "nullable": lambda y: pd.Series(y).convert_dtypes(),
    "pandas frame": lambda y: pd.DataFrame({"y": y}),
    "polars": pl.Series,
    "pyarrow": lambda y: pa.chunked_array([pa.array(y)]),
}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name", ["codes", "text"])
def test_columns_of_data_frames(kind, name):
    y_true, y_pred = LABELS[name]
    columns = FRAMES[kind](y_true), FRAMES[kind](y_pred)
    expected = metrics.confusion_matrix(y_true, y_pred)
    np.testing.assert_array_equal(metrics.confusion_matrix(*columns), expected)
    report = metrics.classification_report(y_true, y_pred)
    assert metrics.classification_report(*columns) == report


@pytest.mark.parametrize(
    "pair",
    [
        ([1, 2, 3], [1, 2]),
        ([0.5, 1.5], [1, 2]),
        ([0.5, 1.5], [0.5, 1.5]),
        (["a", "b"], [1, 2]),
        (INDICATOR[0][:3], [0, 1, 1]),
        (INDICATOR[0], INDICATOR[1][:, :3]),
        ([], []),
        ([0, np.nan], [0, 1]),
        ([0, np.inf], [0, 1]),
        (np.zeros((2, 2, 2)), np.zeros((2, 2, 2))),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ([b"a"], [b"a"]),
        (np.array([1, 0], dtype=object), [1, 0]),
        (np.array(["a", 1], dtype=object), ["a", "b"]),
        (np.array(["a", None], dtype=object), ["a", "b"]),
        ("ab", "ab"),
        (1, 1),
        (scipy.sparse.csr_array([[0], [1]]), scipy.sparse.csr_array([[0], [1]])),
    ],
    ids=str,
)
@pytest.mark.parametrize("function", ["accuracy_score", "confusion_matrix", "hamming_loss"])
def test_refused_labels(function, pair):
    with pytest.raises((ValueError, TypeError)) as theirs, np.errstate(invalid="ignore"):
        getattr(sklearn.metrics, function)(*pair)
    with pytest.raises((ValueError, TypeError)) as ours:
        getattr(metrics, function)(*pair)
    wanted = [kind for kind in (ValueError, TypeError) if issubclass(theirs.type, kind)]
    assert any(issubclass(ours.type, kind) for kind in wanted)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        ("confusion_matrix", {"normalize": "rows"}),
        ("confusion_matrix", {"labels": "ab"}),
        ("confusion_matrix", {"sample_weight": np.ones(N + 1)}),
        ("confusion_matrix", {"sample_weight": np.zeros(N)}),
        ("confusion_matrix", {"sample_weight": np.full(N, np.nan)}),
        ("accuracy_score", {"normalize": "yes"}),
        ("balanced_accuracy_score", {"adjusted": 3}),
        ("cohen_kappa_score", {"weights": "cubic"}),
        ("cohen_kappa_score", {"replace_undefined_by": 2.0}),
        ("multilabel_confusion_matrix", {"samplewise": True}),
        ("multilabel_confusion_matrix", {"samplewise": "no"}),
    ],
)
def test_refused_arguments(function, options):
    for module in (sklearn.metrics, metrics):
        with pytest.raises(ValueError):
            getattr(module, function)(*CODES, **options)


@pytest.mark.parametrize("function", ["confusion_matrix", "cohen_kappa_score", "matthews_corrcoef"])
def test_no_indicators(function):
    for module in (sklearn.metrics, metrics):
        with pytest.raises(ValueError, match="multilabel-indicator is not supported"):
            getattr(module, function)(*INDICATOR)
