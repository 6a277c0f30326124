"""Label tools against scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
import sklearn.preprocessing as sk
from scipy import sparse
from tests.preprocessing.cases import dense

import gramian.preprocessing as ours

TARGETS = {
    "text": np.array(["b", "a", "c", "a"]),
    "objects": np.array(["b", "a", "c", "a"], dtype=object),
    "numbers": np.array([3, 1, 2, 1]),
    "two": np.array([5, 1, 5]),
    "one": np.array([2, 2]),
    "bool": np.array([True, False, True]),
    "floats": np.array([1.0, 3.0, 1.0]),
    "list": ["x", "y", "z"],
}


@pytest.mark.parametrize("y", TARGETS.values(), ids=TARGETS)
def test_label_encoder(y):
    model, expected = ours.LabelEncoder().fit(y), sk.LabelEncoder().fit(y)
    np.testing.assert_array_equal(model.classes_, expected.classes_)
    assert model.classes_.dtype == expected.classes_.dtype
    codes = model.transform(y)
    np.testing.assert_array_equal(codes, expected.transform(y))
    np.testing.assert_array_equal(ours.LabelEncoder().fit_transform(y), codes)
    np.testing.assert_array_equal(model.inverse_transform(codes), expected.inverse_transform(codes))


def test_label_encoder_unseen():
    model = ours.LabelEncoder().fit(["a", "b"])
    with pytest.raises(ValueError, match=r"previously unseen labels: \['c'\]"):
        model.transform(["c"])
    with pytest.raises(ValueError, match="previously unseen labels"):
        model.inverse_transform([2])
    assert len(model.transform([])) == 0
    assert len(model.inverse_transform([])) == 0
    np.testing.assert_array_equal(model.transform(pd.Series(["b", "a"])), [1, 0])


@pytest.mark.parametrize("params", [{}, {"neg_label": -2, "pos_label": 3}, {"sparse_output": True}])
@pytest.mark.parametrize("y", TARGETS.values(), ids=TARGETS)
def test_label_binarizer(y, params):
    model, expected = ours.LabelBinarizer(**params), sk.LabelBinarizer(**params)
    encoded, wanted = model.fit_transform(y), expected.fit_transform(y)
    np.testing.assert_array_equal(dense(encoded), dense(wanted))
    assert model.y_type_ == expected.y_type_
    np.testing.assert_array_equal(
        model.inverse_transform(encoded), expected.inverse_transform(wanted)
    )


def test_label_binarizer_scores_and_indicators():
    y = np.array(["a", "b", "c", "a"])
    scores = np.random.default_rng(0).random((4, 3))
    model, expected = ours.LabelBinarizer().fit(y), sk.LabelBinarizer().fit(y)
    np.testing.assert_array_equal(
        model.inverse_transform(scores), expected.inverse_transform(scores)
    )
    two, two_expected = ours.LabelBinarizer().fit([0, 1]), sk.LabelBinarizer().fit([0, 1])
    for threshold in (0.2, 0.8):
        np.testing.assert_array_equal(
            two.inverse_transform(scores[:, 0], threshold),
            two_expected.inverse_transform(scores[:, 0], threshold),
        )
    matrix = np.array([[1, 0, 1], [0, 0, 1]])
    for container in (np.asarray, sparse.csr_matrix):
        model, expected = ours.LabelBinarizer(), sk.LabelBinarizer()
        encoded, wanted = (m.fit_transform(container(matrix)) for m in (model, expected))
        np.testing.assert_array_equal(dense(encoded), dense(wanted))
        np.testing.assert_array_equal(
            dense(model.inverse_transform(encoded)), dense(expected.inverse_transform(wanted))
        )
    unseen = ours.LabelBinarizer().fit(["a", "b", "c"]).transform(["a", "z"])
    np.testing.assert_array_equal(unseen, [[1, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([1, 6, 3], [6, 3, 1]),
        ([1, 6], [1, 6]),
        ([1, 6], [6, 1]),
        (["a", "b"], ["c", "b", "a"]),
        ([1, 1], [1]),
    ],
)
@pytest.mark.parametrize("pos_label", [1, 4])
def test_label_binarize(y, classes, pos_label):
    found = ours.label_binarize(y, classes=classes, neg_label=-1, pos_label=pos_label)
    expected = sk.label_binarize(y, classes=classes, neg_label=-1, pos_label=pos_label)
    np.testing.assert_array_equal(found, expected)


def test_errors():
    with pytest.raises(ValueError, match="strictly less"):
        ours.LabelBinarizer(neg_label=2).fit([1, 2])
    with pytest.raises(ValueError, match="Sparse binarization"):
        ours.LabelBinarizer(neg_label=-1, sparse_output=True).fit([1, 2])
    with pytest.raises(ValueError, match="Multioutput"):
        ours.LabelBinarizer().fit(np.array([[1, 3], [2, 1]]))
    with pytest.raises(ValueError, match="0 samples"):
        ours.LabelBinarizer().fit([])
    with pytest.raises(ValueError, match="continuous target data is not supported"):
        ours.label_binarize([0.5, 1.2], classes=[1, 2])
    with pytest.raises(ValueError, match="not fitted with multilabel"):
        ours.LabelBinarizer().fit([1, 2, 3]).transform(np.array([[1, 0], [0, 1]]))


@pytest.mark.parametrize("params", [{}, {"sparse_output": True}, {"classes": [9, 1, 2, 3]}])
def test_multi_label_binarizer(params):
    y = [{1, 2}, {3}, set(), (1, 1, 3)]
    model, expected = ours.MultiLabelBinarizer(**params), sk.MultiLabelBinarizer(**params)
    encoded, wanted = model.fit_transform(y), expected.fit_transform(y)
    np.testing.assert_array_equal(dense(encoded), dense(wanted))
    assert model.classes_.tolist() == expected.classes_.tolist()
    assert model.classes_.dtype == expected.classes_.dtype
    assert model.inverse_transform(encoded) == expected.inverse_transform(wanted)
    with pytest.warns(UserWarning, match=r"unknown class\(es\) \[7\] will be ignored"):
        model.transform([[7]])
    with pytest.raises(ValueError, match="only 0s and 1s"):
        model.inverse_transform(np.full((1, len(model.classes_)), 2))
    with pytest.raises(ValueError, match="duplicate"):
        ours.MultiLabelBinarizer(classes=[1, 1]).fit(y)
