"""One-hot and ordinal encoding against scikit-learn's, and data frames of any library."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.preprocessing as sk
from tests.preprocessing.cases import dense, labels, theirs

import gramian
import gramian.preprocessing as ours

ONE_HOT = [
    {},
    {"drop": "first"},
    {"drop": "if_binary"},
    {"drop": ["birch", 2, "a"]},
    {"drop": ["ash", 0, float("nan")]},
    {"sparse_output": False, "dtype": np.int32},
    {"handle_unknown": "ignore"},
    {"handle_unknown": "infrequent_if_exist", "min_frequency": 10},
    {"handle_unknown": "infrequent_if_exist", "max_categories": 3},
    {"handle_unknown": "warn", "min_frequency": 0.2},
    {"handle_unknown": "ignore", "max_categories": 1},
    {"min_frequency": 12, "drop": "first"},
    {"feature_name_combiner": lambda feature, category: f"{feature}={category!r}"},
]
ORDINAL = [
    {},
    {"dtype": np.float32},
    {"handle_unknown": "use_encoded_value", "unknown_value": -1},
    {"handle_unknown": "use_encoded_value", "unknown_value": float("nan")},
    {"encoded_missing_value": -5},
    {"min_frequency": 12},
    {"max_categories": 2, "handle_unknown": "use_encoded_value", "unknown_value": 99},
]
CASES = [ours.OneHotEncoder(**params) for params in ONE_HOT]
CASES += [ours.OrdinalEncoder(**params) for params in ORDINAL]


def same_categories(found, expected):
    assert len(found) == len(expected)
    for ours_, theirs_ in zip(found, expected, strict=True):
        assert (ours_ is None) == (theirs_ is None)
        if ours_ is not None:
            assert ours_.dtype == theirs_.dtype
            pd.testing.assert_index_equal(pd.Index(ours_), pd.Index(theirs_))


@pytest.mark.parametrize("encoder", CASES)
def test_against_sklearn(encoder):
    X = labels()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        expected, model = theirs(encoder).fit(X), gramian.clone(encoder).fit(X)
        same_categories(model.categories_, expected.categories_)
        names = ["tree", "n", "mark"]
        assert model.get_feature_names_out(names).tolist() == (
            expected.get_feature_names_out(names).tolist()
        )
        if encoder.min_frequency or encoder.max_categories:
            same_categories(model.infrequent_categories_, expected.infrequent_categories_)
        if getattr(encoder, "drop", None) is not None:
            assert model.drop_idx_.tolist() == expected.drop_idx_.tolist()
        rows = [X]
        if encoder.handle_unknown != "error":
            new = labels(1)
            new[3, 0], new[4, 1] = "yew", 77
            rows.append(new)
        for data in rows:
            encoded, wanted = model.transform(data), expected.transform(data)
            assert encoded.dtype == wanted.dtype
            assert type(encoded) is type(wanted)
            np.testing.assert_array_equal(dense(encoded), dense(wanted))
            if isinstance(encoder, ours.OrdinalEncoder) and encoder.max_categories:
                continue  # scikit-learn 1.9.1 does not invert NaN beside infrequent categories
            back, back_wanted = (e.inverse_transform(encoded) for e in (model, expected))
            assert back.dtype == back_wanted.dtype
            pd.testing.assert_frame_equal(pd.DataFrame(back), pd.DataFrame(back_wanted))
        again = gramian.clone(encoder).fit_transform(X)
        np.testing.assert_array_equal(dense(again), dense(model.transform(X)))


ARRAYS = {
    "int": np.random.default_rng(0).integers(-3, 3, (40, 2)),
    "float": np.array([[1.5, np.nan], [np.nan, 2.0], [1.5, 2.0]]),
    "bool": np.array([[True, False], [False, False]]),
    "U": np.array([["b", "aa"], ["a", "b"]]),
    "S": np.array([[b"b", b"aa"], [b"a", b"b"]]),
    "lists": [["b", 1], ["a", 2]],
    "lists of text": [["b", "x"], ["a", "y"]],
}


@pytest.mark.parametrize("X", ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize("name", ["OneHotEncoder", "OrdinalEncoder"])
def test_types_of_arrays(name, X):
    model, expected = getattr(ours, name)().fit(X), getattr(sk, name)().fit(X)
    same_categories(model.categories_, expected.categories_)
    np.testing.assert_array_equal(dense(model.transform(X)), dense(expected.transform(X)))


@pytest.mark.parametrize("name", ["OneHotEncoder", "OrdinalEncoder"])
def test_given_categories(name):
    X = np.array([["b", "x"], ["a", "y"]], dtype=object)
    params = {"categories": [["b", "a", "c"], ["y", "x"]]}
    model, expected = getattr(ours, name)(**params).fit(X), getattr(sk, name)(**params).fit(X)
    np.testing.assert_array_equal(dense(model.transform(X)), dense(expected.transform(X)))


@pytest.mark.parametrize(
    ("params", "X", "error", "match"),
    [
        ({"categories": [["a"]]}, [["a", "b"]], ValueError, "Shape mismatch"),
        ({"categories": [["a", "a"]]}, [["a"]], ValueError, "duplicate"),
        ({"categories": [[3, 1]]}, [[1], [3]], ValueError, "Unsorted"),
        ({"categories": [[float("nan"), 1.0]]}, [[1.0]], ValueError, "Nan should be the last"),
        ({"categories": [["b"]]}, [["a"]], ValueError, "during fit"),
        ({"drop": ["z"]}, [["a"], ["b"]], ValueError, "supposed to be"),
        ({"drop": ["a", "b"]}, [["a"], ["b"]], ValueError, "should have length"),
        ({"drop": [1], "min_frequency": 2}, [[1], [2], [2]], ValueError, "infrequent"),
        ({"min_frequency": 1.5}, [["a"]], ValueError, "min_frequency"),
        ({"handle_unknown": "no"}, [["a"]], ValueError, "handle_unknown"),
        ({}, np.array([[1, "a"], ["b", 2]], dtype=object), TypeError, "uniformly strings"),
        ({}, ["a", "b"], ValueError, "Expected 2D array"),
        ({}, [[np.inf]], ValueError, "infinity"),
    ],
)
def test_errors(params, X, error, match):
    with pytest.raises(error, match=match):
        ours.OneHotEncoder(**params).fit(X)
    with pytest.raises(error):
        sk.OneHotEncoder(**params).fit(X)


def test_errors_of_unknown_categories():
    model = ours.OneHotEncoder().fit([["a"], ["b"]])
    with pytest.raises(ValueError, match=r"unknown categories \['c'\] in column 0 during transf"):
        model.transform([["c"]])
    with pytest.raises(ValueError, match="can not be inverted"):
        model.inverse_transform([[0.0, 0.0]])
    with pytest.raises(ValueError, match="Expected 2 columns"):
        model.inverse_transform([[0.0]])
    warner = ours.OneHotEncoder(handle_unknown="warn").fit([["a"], ["b"]])
    with pytest.warns(UserWarning, match=r"Found unknown categories in columns \[0\]"):
        assert warner.transform([["c"]]).sum() == 0
    dropper = ours.OneHotEncoder(handle_unknown="ignore", drop="first").fit([["a"], ["b"]])
    with pytest.warns(UserWarning, match="all zeros"):
        dropper.transform([["c"]])


def test_a_failed_fit_transform_changes_nothing():
    model = ours.OneHotEncoder().fit([["a"], ["b"]])
    model.drop = ["z", "z"]
    with pytest.raises(ValueError, match="should have length"):
        model.fit_transform([["c"]])
    assert model.categories_[0].tolist() == ["a", "b"]


def test_ordinal_errors():
    X = [["a"], [float("nan")]]
    for params, match in (
        ({"unknown_value": 1}, "unknown_value should only be set"),
        ({"handle_unknown": "use_encoded_value"}, "should be an integer or np.nan"),
        ({"handle_unknown": "use_encoded_value", "unknown_value": 0}, "already used"),
        ({"encoded_missing_value": 0}, "already used to encode"),
        ({"dtype": np.int32}, "There are missing values"),
    ):
        objects = np.array(X, dtype=object)
        with pytest.raises((TypeError, ValueError), match=match):
            ours.OrdinalEncoder(**params).fit(objects)
        with pytest.raises((TypeError, ValueError), match=match):
            sk.OrdinalEncoder(**params).fit(objects)


# -- data frames -----------------------------------------------------------------------------------

COLUMNS = {
    "city": ["Rome", None, "Oslo", "Rome", "Bonn"],
    "rooms": [3, 1, 2, 3, 1],
    "area": [55.5, None, 80.0, 55.5, 60.0],
    "old": [True, False, True, True, False],
}


def frames():
    pandas = pd.DataFrame(COLUMNS)
    categories = pandas.astype({"city": "category"})
    categories["city"] = categories["city"].cat.set_categories(["Rome", "Paris", "Oslo", "Bonn"])
    polars = pl.DataFrame(COLUMNS)
    return {
        "pandas": pandas,
        "pandas object": pandas.assign(city=pandas["city"].astype(object)),
        "pandas categorical": categories,
        "polars": polars,
        "polars categorical": polars.with_columns(pl.col("city").cast(pl.Categorical)),
        "polars enum": polars.with_columns(
            pl.col("city").cast(pl.Enum(["Rome", "Oslo", "Paris", "Bonn"]))
        ),
        "pyarrow": pa.table(COLUMNS),
        "pyarrow dictionary": pa.table(
            {**COLUMNS, "city": pa.array(COLUMNS["city"]).dictionary_encode()}
        ),
    }


@pytest.mark.parametrize("kind", frames())
@pytest.mark.parametrize("name", ["OneHotEncoder", "OrdinalEncoder"])
def test_frames(name, kind):
    expected = getattr(sk, name)().fit(frames()["pandas"])
    model = getattr(ours, name)().fit(frames()[kind])
    same_categories(model.categories_, expected.categories_)
    assert model.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    wanted = dense(expected.transform(frames()["pandas"]))
    for frame in frames().values():  # fitted on one library, given rows of another
        np.testing.assert_array_equal(dense(model.transform(frame)), wanted)


def test_frame_columns_are_matched_by_name():
    frame = frames()["polars"]
    model = ours.OrdinalEncoder().fit(frame)
    turned = frame.select(frame.columns[::-1])
    np.testing.assert_array_equal(model.transform(turned), model.transform(frame))
    with pytest.raises(ValueError, match="yet now missing:\n- city"):
        model.transform(frame.drop("city"))


def test_dates_are_categories_in_every_library():
    days = pd.to_datetime(["2020-01-02", None, "2020-01-01"])
    found = [
        ours.OrdinalEncoder().fit_transform(frame)
        for frame in (
            pd.DataFrame({"day": days}),
            pl.DataFrame({"day": [days[0].to_pydatetime(), None, days[2].to_pydatetime()]}),
        )
    ]
    np.testing.assert_array_equal(found[0][[0, 2]], [[1.0], [0.0]])
    np.testing.assert_array_equal(found[1][[0, 2]], [[1.0], [0.0]])


def test_missing_text_is_one_category_whatever_it_is_called():
    objects = np.array([["a"], [None]], dtype=object)
    model = ours.OneHotEncoder(sparse_output=False).fit(objects)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        encoded = model.transform(pl.DataFrame({"text": ["a", None]}))
    np.testing.assert_array_equal(encoded, np.eye(2))


def test_output_as_frames():
    frame = frames()["pandas"]
    model = ours.OneHotEncoder(sparse_output=False).set_output(transform="polars")
    result = model.fit_transform(frame)
    assert isinstance(result, pl.DataFrame)
    assert result.columns == model.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="Set sparse_output=False"):
        ours.OneHotEncoder().set_output(transform="pandas").fit_transform(frame)


def test_empty_and_lazy_frames():
    with pytest.raises(ValueError, match="0 sample"):
        ours.OneHotEncoder().fit(pd.DataFrame({"a": pd.Series([], dtype=str)}))
    fitted = ours.OneHotEncoder().fit(pl.LazyFrame({"a": ["x", "y"]}))
    assert fitted.categories_[0].tolist() == ["x", "y"]
    with pytest.raises(TypeError, match="lazy"):
        fitted.transform(pl.LazyFrame({"a": ["x"]}))
    with pytest.raises(TypeError, match="takes rows in memory"):
        fitted.fit_transform(pl.LazyFrame({"a": ["x"]}))


@pytest.mark.parametrize("n_rows", [4, 5000])
def test_zero_is_one_category_without_a_sign(n_rows):
    X = np.resize([0.0, -0.0, 1.0, -0.0], n_rows)[:, None]
    for rows in (X, -X, X.astype(np.float32)):
        encoder = ours.OneHotEncoder().fit(rows)
        (categories,) = encoder.categories_
        assert len(categories) == 2
        assert not np.signbit(categories[categories == 0.0]).any()
