"""Codes of labels: always what numpy.unique gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramian._label_codes import label_codes, quick_codes
from gramian._labels import distinct_labels, encode_labels
from gramian.compat.catboost import CatBoostClassifier
from gramian.feature_selection import SelectKBest
from gramian.preprocessing import MultiLabelBinarizer


def same_as_unique(labels):
    classes, codes = np.unique(labels, return_inverse=True)
    found, places = label_codes(labels)
    assert found.dtype == classes.dtype and places.dtype == codes.dtype
    np.testing.assert_array_equal(found, classes)
    np.testing.assert_array_equal(places, codes)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 1, 3, -2], dtype=np.int8),
        np.array([0, 255, 7], dtype=np.uint8),
        np.array([2**63, 5, 2**63], dtype=np.uint64),
        np.array([2**61, 2**61 + 3], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1]),
        np.array([3, 1, 3], dtype=">i4"),
        np.array([True, False, True]),
        np.array([True, True]),
        np.array([2.0, -1.0, 2.0]),
        np.array([2.0, -1.0, 2.0], dtype=np.float16),
        np.array([1.0, np.nan, 2.0, np.nan]),
        np.array([np.inf, 0.0]),
        np.array([0.5, 1.0, 0.5]),
        np.array([1e300, 2.0]),
        np.array(["b", "a", "", "b"]),
        np.array(["no", "yes", "no"], dtype=object),
        np.array(["no", "yes"]).astype(np.dtypes.StringDType()),
        np.array([b"a", b"c", b"a"]),
        np.array([2, 1, 2], dtype=object),
        np.array([], dtype=np.int64),
    ],
    ids=str,
)
def test_same_as_unique(labels):
    same_as_unique(labels)


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5), min_size=1))
def test_same_as_unique_for_any_integers(values):
    same_as_unique(np.array(values, dtype=np.int64))


@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=3), min_size=1))
def test_same_as_unique_for_any_text(values):
    same_as_unique(np.array(values))
    same_as_unique(np.array(values, dtype=object))


def test_mixed_objects_are_left_to_unique():
    assert quick_codes(np.array(["a", 1], dtype=object)) is None
    assert quick_codes(np.array([["a"], ["b"]])) is None


def test_encode_labels_refuses_what_is_no_class():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        encode_labels(np.array([0.5, 1.5, 2.0]))
    with pytest.raises(ValueError, match="NaN"):
        encode_labels(np.array([1.0, np.nan, 2.0]))
    with pytest.raises(ValueError, match="Unknown label type: unknown"):
        encode_labels(np.array([1, "a"], dtype=object))


def test_encode_labels_warns_of_a_regression():
    with pytest.warns(UserWarning, match="unique classes is greater than 50%"):
        encode_labels(np.arange(30))


@pytest.mark.parametrize(
    "fit",
    [
        lambda y: distinct_labels(np.array([y, y], dtype=object)),
        lambda y: SelectKBest(k=1).fit(np.eye(3), np.array(y, dtype=object)),
        lambda y: CatBoostClassifier().fit(np.eye(3), np.array(y, dtype=object)),
        lambda y: MultiLabelBinarizer().fit([y]),
        lambda y: MultiLabelBinarizer().fit([[{}], [{}]]),
    ],
)
def test_labels_of_several_kinds_are_refused_in_words(fit):
    with pytest.raises(TypeError, match=r"Labels must be (uniformly )?strings or numbers\. Got"):
        fit([1, "a", b"b"])
