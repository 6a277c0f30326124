"""Precision, recall, F, Jaccard and the report are scikit-learn's, word for word."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gramian import metrics
from gramian.exceptions import UndefinedMetricWarning

RNG = np.random.default_rng(5)
N = 50
WEIGHT = RNG.uniform(0.0, 2.0, N)
CODES = RNG.integers(0, 4, N), RNG.integers(1, 6, N)
INDICATOR = (RNG.random((N, 4)) < 0.3).astype(int), (RNG.random((N, 4)) < 0.3).astype(int)
INDICATOR[0][:, 3] = 0
PAIRS = {
    "binary": (CODES[0] % 2, CODES[1] % 2),
    "negative": (np.zeros(N, int), CODES[1] % 2),
    "none": (np.zeros(N, int), np.zeros(N, int)),
    "booleans": (CODES[0] > 1, CODES[1] > 3),
    "codes": CODES,
    "text": (np.array(list("abcdef"))[CODES[0]], np.array(list("abcdef"))[CODES[1]]),
    "floats": (CODES[0] * 1.0, CODES[1] * 1.0),
    "indicator": INDICATOR,
    "sparse": tuple(scipy.sparse.csr_array(y) for y in INDICATOR),
}
PAIR = pytest.mark.parametrize("name", PAIRS)
WEIGHTED = pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
ZERO = pytest.mark.parametrize("zero_division", ["warn", 0, 1.0, np.nan], ids=str)
AVERAGES = ["binary", "micro", "macro", "weighted", "samples", None]


def outcome(function, args, options):
    """Return the result or the error's message, and the messages of all warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*args, **options)
        except ValueError as error:
            return type(error).__mro__[-4:], str(error), []
    return None, result, [(w.category.__name__, str(w.message)) for w in caught]


def assert_same(function, *args, **options):
    error, ours, our_warnings = outcome(getattr(metrics, function), args, options)
    their_error, theirs, their_warnings = outcome(getattr(sklearn.metrics, function), args, options)
    assert (error is None) == (their_error is None), (ours, theirs)
    if error is not None:
        return
    assert our_warnings == their_warnings
    if isinstance(theirs, str | dict):
        np.testing.assert_equal(ours, theirs)
        return
    for mine, yours in zip(
        ours if isinstance(ours, tuple) else (ours,),
        theirs if isinstance(theirs, tuple) else (theirs,),
        strict=True,
    ):
        if yours is None:
            assert mine is None
        else:
            np.testing.assert_allclose(mine, yours, rtol=1e-12, atol=1e-14)
            assert np.asarray(mine).dtype == np.asarray(yours).dtype


@PAIR
@WEIGHTED
@ZERO
@pytest.mark.parametrize("average", AVERAGES)
def test_scores(name, weight, zero_division, average):
    options = {"average": average, "sample_weight": weight, "zero_division": zero_division}
    for function in ("precision_score", "recall_score", "f1_score", "jaccard_score"):
        assert_same(function, *PAIRS[name], **options)
    assert_same("precision_recall_fscore_support", *PAIRS[name], **options)


@PAIR
@pytest.mark.parametrize("beta", [0, 0.5, 2, np.inf])
def test_fbeta(name, beta):
    for average in ("macro", None):
        assert_same("fbeta_score", *PAIRS[name], beta=beta, average=average)
    assert_same("precision_recall_fscore_support", *PAIRS[name], beta=beta)


@pytest.mark.parametrize("labels", [[1, 2], [3, 0], [2], [1, 3, 0, 2]])
@pytest.mark.parametrize("name", ["codes", "indicator", "sparse", "binary"])
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples", None])
def test_chosen_labels(name, labels, average):
    if name == "binary":
        labels = [label % 2 for label in labels[:1]]
    for weight in (None, WEIGHT):
        options = {"labels": labels, "average": average, "sample_weight": weight}
        assert_same("precision_recall_fscore_support", *PAIRS[name], **options)
        assert_same("jaccard_score", *PAIRS[name], **options)
        assert_same("classification_report", *PAIRS[name], labels=labels, sample_weight=weight)


@pytest.mark.parametrize("pos_label", [0, 1, 2, True, "a", "b"])
@pytest.mark.parametrize("name", ["binary", "booleans", "none", "text", "codes"])
@pytest.mark.parametrize("average", ["binary", "macro"])
def test_positive_label(name, pos_label, average):
    assert_same("f1_score", *PAIRS[name], pos_label=pos_label, average=average)


@pytest.mark.parametrize("warn_for", [(), ["recall"], {"precision", "f-score"}])
def test_warn_for(warn_for):
    assert_same("precision_recall_fscore_support", *CODES, warn_for=warn_for)


@pytest.mark.parametrize(
    "options",
    [
        {"average": "mean"},
        {"zero_division": 0.5},
        {"zero_division": "zero"},
        {"beta": -1.0},
        {"beta": "1"},
        {"pos_label": [1]},
        {"warn_for": "recall"},
        {"labels": 3},
    ],
)
def test_refused_arguments(options):
    for module in (sklearn.metrics, metrics):
        with pytest.raises(ValueError) as caught:
            module.precision_recall_fscore_support(*CODES, **options)
        assert issubclass(caught.type, TypeError)


def test_the_warning_points_at_the_caller():
    with pytest.warns(UndefinedMetricWarning) as caught:
        metrics.precision_score([0, 1], [0, 0])
        metrics.jaccard_score([0, 0], [0, 0])
        metrics.classification_report([0, 1], [0, 0])
        metrics.f1_score([0, 0], [0, 0], average="binary")
    assert {warning.filename for warning in caught} == {__file__}


# -- report --------------------------------------------------------------------------------------


@PAIR
@WEIGHTED
@ZERO
@pytest.mark.parametrize("output_dict", [False, True])
def test_report(name, weight, zero_division, output_dict):
    for digits in (2, 14):
        assert_same(
            "classification_report",
            *PAIRS[name],
            sample_weight=weight,
            zero_division=zero_division,
            output_dict=output_dict,
            digits=digits,
        )


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (None, ["a", "b", "c", "d", "e", "f"]),
        (None, ["only", "two"]),
        ([2, 1], ["a rather long name of a label", "b"]),
        ([1, 2], ["one"]),
        ([0, 1, 2, 3, 4, 5, 6], None),
        (np.array([5, 4, 3, 2, 1, 0]), np.array(list("abcdef"))),
    ],
)
@pytest.mark.parametrize("output_dict", [False, True])
def test_names_in_the_report(labels, names, output_dict):
    options = {"labels": labels, "target_names": names, "output_dict": output_dict}
    assert_same("classification_report", *CODES, zero_division=0, **options)


@given(
    arrays(np.int64, 12, elements=st.integers(-2, 3)),
    arrays(np.int64, 12, elements=st.integers(-2, 3)),
    st.none() | arrays(np.float64, 12, elements=st.floats(0.1, 10.0)),
)
@settings(max_examples=60, deadline=None)
def test_any_report(y_true, y_pred, weight):
    assert_same("classification_report", y_true, y_pred, sample_weight=weight, digits=6)


@pytest.mark.parametrize(
    "options", [{"digits": -1}, {"digits": 2.0}, {"output_dict": "yes"}, {"target_names": 4}]
)
def test_refused_report(options):
    for module in (sklearn.metrics, metrics):
        with pytest.raises(ValueError):
            module.classification_report(*CODES, **options)


def test_a_weight_is_as_many_copies():
    times = RNG.integers(1, 4, N)
    copies = [np.repeat(y, times) for y in CODES]
    options = {"output_dict": True, "zero_division": 0}
    weighted = metrics.classification_report(*CODES, sample_weight=times, **options)
    copied = metrics.classification_report(*copies, **options)
    for name, row in copied.items():
        assert weighted[name] == pytest.approx(row, rel=1e-12)
