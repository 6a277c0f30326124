"""Encodings of whole tables."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import gramian
from gramian.encoding import TableEncoding
from gramian.exceptions import InvalidParameterError, NotFittedError
from gramian.table import as_table

FRAME = {"x": [1.0, None, 3.0, 4.0], "s": ["b", "a", None, "b"]}


def wide_frame(n_rows=300, n_levels=60, seed=0):
    """Return a frame with a column of many levels, and a target with level effects."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, n_levels, n_rows)
    frame = pd.DataFrame(
        {
            "zip": [f"z{code:03d}" for code in level],
            "x": rng.normal(size=n_rows),
            "s": rng.choice(["a", "b", None], n_rows),
        }
    )
    y = rng.normal(size=n_levels)[level] + 0.5 * rng.normal(size=n_rows)
    return frame, y


def test_mean_indicator_and_one_hot(make_frame):
    encoding = TableEncoding()
    encoded = encoding.encode_fit(make_frame(FRAME))
    names = ["x", "x is missing", "s=a", "s=b", "s=<missing>"]
    assert encoding.get_feature_names_out().tolist() == names
    assert_allclose(
        encoded,
        [[1, 0, 0, 1, 0], [8 / 3, 1, 1, 0, 0], [3, 0, 0, 0, 1], [4, 0, 0, 1, 0]],
    )
    assert_array_equal(encoding.transform(make_frame(FRAME)), encoded)


@pytest.mark.parametrize("classification", [False, True])
def test_training_rows_are_encoded_again(classification):
    frame, y = wide_frame()
    y = np.digitize(y, [-0.5, 0.5]) if classification else y
    encoding = TableEncoding(n_folds=3, smooth=5.0)
    matrix = encoding.encode_fit(frame, y, classification=classification)
    again = encoding.encode_again(frame, y, classification=classification)
    assert_array_equal(again, matrix)
    assert encoding.encode_again(frame[:-1], y[:-1], classification=classification) is None
    assert encoding.encode_again(frame, y[::-1], classification=classification) is None
    without_zip = frame.assign(zip="z000")
    assert encoding.encode_again(without_zip, y, classification=classification) is None


def test_unseen_levels_become_the_average_row(make_frame):
    encoding = TableEncoding().fit(make_frame({"s": ["a", "a", "b", "c"]}))
    assert_allclose(encoding.transform(make_frame({"s": ["z"]})), [[0.5, 0.25, 0.25]])
    nothing = make_frame({"s": ["a", None]})
    assert_allclose(encoding.transform(nothing)[1], [0.5, 0.25, 0.25])


def test_unseen_levels_can_be_refused(make_frame):
    encoding = TableEncoding(unseen="error").fit(make_frame({"s": ["a", "b"]}))
    with pytest.raises(ValueError, match=r"Column 's' holds the level 'z'"):
        encoding.transform(make_frame({"s": ["a", "z"]}))
    encoding.transform(make_frame({"s": ["a", None]}))


def test_value_missing_for_the_first_time_becomes_the_mean(make_frame):
    encoding = TableEncoding().fit(make_frame({"x": [1.0, 3.0]}))
    assert_allclose(encoding.transform(make_frame({"x": [None, 5.0]})), [[2.0], [5.0]])


def test_all_missing_column_becomes_zeros_with_an_indicator(make_frame):
    frame = make_frame({"x": [float("nan")] * 2, "z": [1.0, 2.0]})
    if hasattr(frame, "with_columns"):
        frame = frame.fill_nan(None)
    assert_allclose(TableEncoding().encode_fit(frame), [[0, 1, 1], [0, 1, 2]])


def test_weighted_mean():
    frame = pd.DataFrame({"x": [1.0, 4.0, None]})
    encoded = TableEncoding().encode_fit(frame, sample_weight=[1.0, 2.0, 1.0])
    assert_allclose(encoded[:, 0], [1.0, 4.0, 3.0])


def test_row_of_weight_zero_is_absent():
    frame = pd.DataFrame({"x": [1.0, 3.0, None], "s": ["a", "a", "b"]})
    encoding = TableEncoding()
    encoded = encoding.encode_fit(frame, sample_weight=[1.0, 1.0, 0.0])
    assert encoding.get_feature_names_out().tolist() == ["x", "s=a"]
    assert_allclose(encoded, [[1, 1], [3, 1], [2, 1]])


def test_frequency_without_a_target(make_frame):
    encoding = TableEncoding(max_one_hot=1).fit(make_frame({"s": ["a", "a", "b", None]}))
    assert encoding.get_feature_names_out().tolist() == ["s (frequency)"]
    new = make_frame({"s": ["a", "b", None, "z"]})
    assert_allclose(encoding.transform(new)[:, 0], [0.5, 0.25, 0.25, 0.0])


def test_target_means_of_levels_at_predict(make_frame):
    frame = make_frame({"s": ["a", "a", "b", "b"], "x": [1.0, 2.0, 3.0, 4.0]})
    encoding = TableEncoding(max_one_hot=1, smooth=2.0).fit(frame, [1.0, 2.0, 5.0, 8.0])
    new = make_frame({"s": ["a", "b", "z", None], "x": [0.0] * 4})
    expected = [(3 + 8) / 4, (13 + 8) / 4, 4.0, 4.0]
    assert_allclose(encoding.transform(new)[:, 0], expected)


def test_outputs_for_classes_and_several_targets():
    frame, y = wide_frame()
    labels = np.digitize(y, [-0.5, 0.5])
    encoding = TableEncoding().fit(frame[["zip"]], labels, classification=True)
    names = [f"zip (target mean of {c})" for c in range(3)]
    assert encoding.get_feature_names_out().tolist() == names
    assert_allclose(encoding.transform(frame[["zip"]]).sum(axis=1), 1, atol=0.3)
    binary = TableEncoding().fit(frame[["zip"]], np.where(y > 0, "yes", "no"), classification=True)
    assert binary.get_feature_names_out().tolist() == ["zip (target mean)"]
    several = TableEncoding().fit(frame[["zip"]], np.column_stack([y, -y]))
    assert_allclose(several.transform(frame[["zip"]]) @ [1, 1], 0, atol=1e-12)


def test_numeric_frame_passes_through_without_a_copy():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc"))
    encoding = TableEncoding()
    encoded = encoding.encode_fit(frame)
    assert encoding.is_identity
    assert np.shares_memory(encoded, frame.to_numpy())
    assert np.shares_memory(encoding.transform(frame), frame.to_numpy())


def test_single_precision_is_kept():
    frame = pd.DataFrame({"x": np.array([1, np.nan], dtype=np.float32), "s": ["a", "b"]})
    assert TableEncoding().encode_fit(frame).dtype == np.float32
    assert TableEncoding().encode_fit(frame.astype({"x": float})).dtype == np.float64


def test_categories_that_are_numbers_match_plain_numbers():
    encoding = TableEncoding().fit(pd.DataFrame({"c": pd.Categorical([1, 2, 10])}))
    assert_array_equal(encoding.transform(pd.DataFrame({"c": [10.0, 1.0]})), np.eye(3)[[2, 0]])
    numeric = TableEncoding().fit(pd.DataFrame({"c": [1.0, 2.0]}))
    assert_array_equal(numeric.transform(pd.DataFrame({"c": pd.Categorical([2, 1])})), [[2], [1]])


def test_column_that_changes_its_kind_is_refused(make_frame):
    text = TableEncoding().fit(make_frame({"c": ["a", "b"]}))
    with pytest.raises(ValueError, match=r"'c' was categorical at fit .* holds numbers now"):
        text.transform(make_frame({"c": [1.0]}))
    numbers = TableEncoding().fit(make_frame({"c": [1.0, 2.0]}))
    with pytest.raises(ValueError, match=r"could not convert string to float: column 'c'"):
        numbers.transform(make_frame({"c": ["a"]}))


def test_frames_of_several_libraries_give_the_same(make_frame):
    frame, y = wide_frame()
    expected = TableEncoding().encode_fit(frame, y)
    data = frame.astype(object).where(frame.notna(), None).to_dict("list")
    assert_allclose(TableEncoding().encode_fit(make_frame(data), y), expected, rtol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), n_rows=st.integers(50, 200))
def test_order_of_rows_and_columns_does_not_matter(seed, n_rows):
    frame, y = wide_frame(n_rows, 45, seed)
    order = np.random.default_rng(seed).permutation(n_rows)
    encoding, shuffled = TableEncoding(), TableEncoding()
    encoded = encoding.encode_fit(frame, y)
    again = shuffled.encode_fit(frame.iloc[order][["s", "zip", "x"]], y[order])
    column = [
        shuffled.get_feature_names_out().tolist().index(n) for n in encoding.get_feature_names_out()
    ]
    assert_allclose(again[:, column], encoded[order], rtol=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), smooth=st.sampled_from(["auto", 3.0]))
def test_integer_weights_are_copies(seed, smooth):
    frame, y = wide_frame(150, 50, seed)
    weight = np.random.default_rng(seed).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    weighted, repeated = TableEncoding(smooth=smooth), TableEncoding(smooth=smooth)
    encoded = weighted.encode_fit(frame, y, weight)
    again = repeated.encode_fit(frame.iloc[copies], y[copies])
    assert_allclose(encoded[copies], again, rtol=1e-9)
    assert_allclose(weighted.transform(frame), repeated.transform(frame), rtol=1e-9)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.floats(-1e6, 1e6)),
            st.one_of(st.none(), st.text(max_size=3)),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_any_frame_encodes_finitely_and_consistently(rows):
    frame = pd.DataFrame(rows, columns=["x", "s"]).astype({"x": float})
    encoding = TableEncoding()
    encoded = encoding.encode_fit(frame)
    assert np.isfinite(encoded).all()
    assert encoded.shape == (len(rows), len(encoding.get_feature_names_out()))
    assert_array_equal(encoding.transform(frame), encoded)


def test_round_trip_through_a_file():
    frame, y = wide_frame()
    encoding = TableEncoding().fit(frame, y)
    file = io.BytesIO()
    gramian.save(encoding, file)
    file.seek(0)
    assert_array_equal(gramian.load(file).transform(frame), encoding.transform(frame))


def test_showing():
    encoding = TableEncoding()
    assert repr(encoding) == "TableEncoding (not fitted)"
    frame, y = wide_frame()
    encoding.fit(frame.rename(columns={"x": "<x>"}), y)
    assert "zip: 60 levels: smoothed mean of the target" in repr(encoding)
    assert "&lt;x&gt;" in encoding._repr_html_()
    kinds = [(name, kind) for name, kind, _ in encoding.describe()]
    assert kinds == [("zip", "categorical"), ("<x>", "numeric"), ("s", "categorical")]


def test_errors_before_fit_and_for_wrong_parameters():
    with pytest.raises(NotFittedError):
        TableEncoding().transform(as_table(pd.DataFrame({"x": [1.0]})))
    with pytest.raises(TypeError, match="takes a data frame"):
        TableEncoding().fit(np.eye(2))
    for wrong in ({"max_one_hot": -1}, {"smooth": 0.0}, {"unseen": "zero"}, {"n_folds": 1}):
        with pytest.raises(InvalidParameterError, match=next(iter(wrong))):
            TableEncoding(**wrong)
    encoding = TableEncoding().fit(pd.DataFrame({"x": [1.0]}))
    with pytest.raises(ValueError, match="2 columns"):
        encoding.transform(pd.DataFrame({"x": [1.0], "z": [1.0]}))
