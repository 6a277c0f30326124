"""SimpleImputer and MissingIndicator against scikit-learn's."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import impute as sk
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gramian
from gramian.exceptions import InvalidParameterError
from gramian.impute import MissingIndicator, SimpleImputer

STRATEGIES = ["mean", "median", "most_frequent", "constant", np.ptp]


def with_gaps(seed, mark=np.nan, shape=(23, 5), *, empty=False):
    """Return numbers with ties, zeros and gaps; the last column without any value if `empty`."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, shape).astype(float)
    X[rng.random(shape) < 0.3] = mark
    X[0] = 1.0
    if empty:
        X[:, -1] = mark
    return X


def both(X, new, **params):
    """Return what scikit-learn's and our imputer make of new rows, and the imputers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, ours = sk.SimpleImputer(**params).fit(X), SimpleImputer(**params).fit(X)
        return theirs.transform(new), ours.transform(new), theirs, ours


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("mark", [np.nan, -1, 0])
@pytest.mark.parametrize("options", [{}, {"add_indicator": True}, {"keep_empty_features": True}])
def test_dense(strategy, mark, options, global_random_seed):
    empty = strategy is not np.ptp
    X = with_gaps(global_random_seed, mark, empty=empty)
    new = with_gaps(global_random_seed + 1, mark)
    params = {"strategy": strategy, "missing_values": mark, "fill_value": 7.0, **options}
    expected, found, theirs, ours = both(X, new, **params)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    if not isinstance(mark, int) or strategy != "constant":
        np.testing.assert_allclose(
            ours.statistics_.astype(float), theirs.statistics_.astype(float), rtol=1e-12
        )
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.parametrize("strategy", STRATEGIES[:-1])
@pytest.mark.parametrize("mark", [np.nan, -1])
@pytest.mark.parametrize("container", [sparse.csc_matrix, sparse.csr_array])
@pytest.mark.parametrize("options", [{}, {"add_indicator": True}, {"keep_empty_features": True}])
def test_sparse(strategy, mark, container, options, global_random_seed):
    X = container(with_gaps(global_random_seed, mark, empty=True))
    before = X.copy()
    new = container(with_gaps(global_random_seed + 1, mark))
    params = {"strategy": strategy, "missing_values": mark, "fill_value": 7.0, **options}
    expected, found, *_ = both(X, new, **params)
    assert sparse.issparse(found)
    np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-12)
    assert (before != X).nnz <= np.isnan(before.data).sum()
    np.testing.assert_array_equal(X.indices, before.indices)


@pytest.mark.parametrize("strategy", ["most_frequent", "constant"])
@pytest.mark.parametrize("mark", [np.nan, None, "", "?"])
def test_text(strategy, mark):
    X = np.array([["a", "x"], [mark, "y"], ["b", mark], ["b", "y"], ["a", "x"]], dtype=object)
    params = {"strategy": strategy, "missing_values": mark, "fill_value": "none"}
    expected, found, *_ = both(X, X, **params)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == object
    from_lists = SimpleImputer(**params).fit_transform(X.tolist())
    np.testing.assert_array_equal(from_lists, expected)


def test_tables(make_frame):
    columns = {"size": [1.0, None, 3.0, 4.0], "city": ["Oslo", "Rome", None, "Rome"]}
    frame = make_frame(columns)
    imputer = SimpleImputer(strategy="most_frequent").fit(frame)
    assert imputer.transform(frame).tolist()[1:3] == [[1.0, "Rome"], [3.0, "Rome"]]
    turned = make_frame({name: columns[name] for name in ("city", "size")})
    np.testing.assert_array_equal(imputer.transform(turned), imputer.transform(frame))
    numbers = make_frame({"a": [1.0, None, 3.0], "b": [None, 2, 4]})
    np.testing.assert_array_equal(
        SimpleImputer().fit_transform(numbers), [[1.0, 3.0], [2.0, 2.0], [3.0, 4.0]]
    )
    with pytest.raises(ValueError, match="Cannot use mean strategy with non-numeric data"):
        SimpleImputer().fit(frame)
    assert MissingIndicator().fit_transform(frame).tolist() == [
        [False, False],
        [True, False],
        [False, True],
        [False, False],
    ]


def test_pandas_na():
    frame = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64")})
    imputer = SimpleImputer(missing_values=pd.NA)
    np.testing.assert_array_equal(imputer.fit_transform(frame), [[1.0], [2.0], [3.0]])


def test_empty_column_warns():
    X = with_gaps(0, empty=True)
    with pytest.warns(UserWarning, match=r"without any observed values: \[4\]"):
        assert SimpleImputer().fit(X).transform(X).shape == (23, 4)
    frame = pd.DataFrame(X, columns=list("abcde"))
    with pytest.warns(UserWarning, match="without any observed values: \\['e'\\]"):
        SimpleImputer().fit(frame).transform(frame)


def test_copy():
    X = with_gaps(0)
    same = X.copy()
    SimpleImputer().fit_transform(X)
    np.testing.assert_array_equal(X, same)
    assert SimpleImputer(copy=False).fit_transform(X) is X
    X = with_gaps(0)
    X.setflags(write=False)
    assert not np.isnan(SimpleImputer(copy=False).fit_transform(X)).any()


@pytest.mark.parametrize("mark", [np.nan, -1])
def test_inverse(mark):
    X = with_gaps(3, mark)
    imputer = SimpleImputer(missing_values=mark, add_indicator=True).fit(X)
    np.testing.assert_array_equal(imputer.inverse_transform(imputer.transform(X)), X)
    with pytest.raises(ValueError, match="add_indicator=True"):
        SimpleImputer(missing_values=mark).fit(X).inverse_transform(X)


@pytest.mark.parametrize(
    ("params", "X", "error"),
    [
        ({}, [["a"], ["b"]], ValueError),
        ({}, [[np.inf], [1.0]], ValueError),
        ({"missing_values": 0}, [[np.nan], [1.0]], ValueError),
        ({"missing_values": "x"}, [[1.0], [2.0]], ValueError),
        ({"missing_values": 0}, sparse.csc_array(np.eye(2)), ValueError),
        ({"strategy": "constant", "fill_value": "x"}, [[np.nan], [1.0]], ValueError),
        ({"strategy": "most_frequent"}, np.array([["a"], ["b"]]), ValueError),
        ({"strategy": "mode"}, [[1.0]], InvalidParameterError),
        ({"missing_values": [1]}, [[1.0]], InvalidParameterError),
    ],
)
def test_errors(params, X, error):
    with pytest.raises(error):
        SimpleImputer(**params).fit(X)
    with pytest.raises(ValueError):
        sk.SimpleImputer(**params).fit(X)


@pytest.mark.parametrize("features", ["missing-only", "all"])
@pytest.mark.parametrize("as_sparse", [True, False, "auto"])
@pytest.mark.parametrize("container", [np.array, sparse.csc_matrix, sparse.csr_matrix])
@pytest.mark.parametrize("mark", [np.nan, -1])
def test_indicator(features, as_sparse, container, mark):
    X = container(with_gaps(1, mark))
    params = {"features": features, "sparse": as_sparse, "missing_values": mark}
    theirs, ours = sk.MissingIndicator(**params), MissingIndicator(**params)
    expected, found = theirs.fit_transform(X), ours.fit_transform(X)
    assert type(found) is type(expected)
    assert found.dtype == bool
    dense = [m.toarray() if sparse.issparse(m) else m for m in (found, expected)]
    np.testing.assert_array_equal(*dense)
    np.testing.assert_array_equal(ours.features_, theirs.features_)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_indicator_of_new_gaps():
    ours = MissingIndicator().fit([[1.0, np.nan], [2.0, 3.0]])
    with pytest.raises(ValueError, match=r"The features \[0\] have missing values in transform"):
        ours.transform([[np.nan, 1.0]])
    ours = MissingIndicator(error_on_new=False).fit([[1.0, np.nan], [2.0, 3.0]])
    assert ours.transform([[np.nan, 1.0]]).tolist() == [[False]]


def test_saved_and_in_sklearn(tmp_path):
    X = with_gaps(0)
    imputer = SimpleImputer(add_indicator=True).fit(X)
    gramian.save(imputer, tmp_path / "imputer.gramian")
    loaded = gramian.load(tmp_path / "imputer.gramian")
    np.testing.assert_array_equal(loaded.transform(X), imputer.transform(X))
    assert not np.isnan(make_pipeline(SimpleImputer(), StandardScaler()).fit_transform(X)).any()
