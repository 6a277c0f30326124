"""Column transformers against scikit-learn's."""

import copy
import importlib
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn import compose as sk
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MinMaxScaler, Normalizer, OneHotEncoder, StandardScaler

import gramian
from gramian.compose import ColumnTransformer, make_column_selector, make_column_transformer
from gramian.exceptions import InvalidParameterError
from gramian.feature_selection import VarianceThreshold
from gramian.impute import SimpleImputer
from gramian.linear_model import Ridge
from gramian.pipeline import make_pipeline

X = np.random.default_rng(0).standard_normal((12, 4))
FRAME = pd.DataFrame(X, columns=list("abcd"))
PANDAS_ONLY = (
    "b",
    ["b"],
    ["c", "a"],
    slice("b", "c"),
    slice(None, "b"),
    slice("c", None),
    slice(None),
    make_column_selector("[bc]"),
)
ANYWHERE = (
    [1],
    [2, 0],
    [-1],
    slice(1, 3),
    [False, True, True, False],
    np.array([False, True, False, False]),
    np.array([2, 1]),
    [],
    lambda X: [0, 3],
)


class FirstColumn:
    """Takes a vector and makes a column of it."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y=None):
        assert np.ndim(X) == 1
        return self

    def transform(self, X):
        return np.asarray(X).reshape(-1, 1)


def same(ours, theirs, data=X, new=None):
    new = data if new is None else new
    expected, found = theirs.fit_transform(data), ours.fit_transform(data)
    for one, two in ((found, expected), (ours.transform(new), theirs.transform(new))):
        assert sparse.issparse(one) == sparse.issparse(two)
        dense = [m.toarray() if sparse.issparse(m) else m for m in (one, two)]
        np.testing.assert_allclose(*dense, rtol=1e-12, atol=1e-14)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    if expected.shape[1]:  # else scikit-learn's has no such attributes
        assert ours.output_indices_ == theirs.output_indices_
        assert ours.sparse_output_ == theirs.sparse_output_
    assert [(n, c) for n, _, c in ours.transformers_[2:]] == [
        (n, c) for n, _, c in theirs.transformers_[2:]
    ]


def pair(transformers, **options):
    entries = copy.deepcopy(transformers)
    return ColumnTransformer(transformers, **options), sk.ColumnTransformer(entries, **options)


@pytest.mark.parametrize("remainder", ["drop", "passthrough", MinMaxScaler()])
@pytest.mark.parametrize("key", ANYWHERE)
def test_columns_of_arrays(key, remainder):
    parts = [("scale", StandardScaler(), key), ("no", "drop", [0])]
    same(*pair(parts, remainder=remainder))
    if not callable(key):
        same(*pair([("scale", StandardScaler(), key), ("norm", Normalizer(), [0])]))


@pytest.mark.parametrize("remainder", ["drop", "passthrough", MinMaxScaler()])
@pytest.mark.parametrize("key", [*PANDAS_ONLY[1:], *ANYWHERE])
def test_columns_of_pandas(key, remainder):
    parts = [("scale", StandardScaler(), key), ("no", "drop", ["a"])]
    same(*pair(parts, remainder=remainder), data=FRAME, new=FRAME[list("dcba")])


@pytest.mark.parametrize("key", [*PANDAS_ONLY, *ANYWHERE])
def test_columns_of_any_table(key, make_frame):
    frame = make_frame({name: X[:, j].tolist() for j, name in enumerate("abcd")})
    part = FirstColumn() if isinstance(key, str) else StandardScaler()
    expected = sk.ColumnTransformer([("part", part, key)], remainder="passthrough")
    found = ColumnTransformer([("part", part, key)], remainder="passthrough").fit(frame)
    np.testing.assert_allclose(found.transform(frame), expected.fit_transform(FRAME))
    turned = make_frame({name: X[:, "abcd".index(name)].tolist() for name in "dacb"})
    np.testing.assert_array_equal(found.transform(turned), found.transform(frame))


def test_single_columns():
    found = ColumnTransformer([("one", FirstColumn(), "b")]).fit_transform(FRAME)
    np.testing.assert_array_equal(found, X[:, [1]])
    with pytest.raises(ValueError, match="1D data passed to a transformer that expects 2D"):
        ColumnTransformer([("one", StandardScaler(), 1)]).fit(X)


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.6, 1.0])
def test_sparse_threshold(threshold):
    data = np.column_stack([np.arange(12) % 4, X[:, 0]])
    parts = [("hot", OneHotEncoder(), [0]), ("scale", StandardScaler(), [1])]
    same(*pair(parts, sparse_threshold=threshold), data=data)
    same(*pair(parts, sparse_threshold=threshold, remainder="passthrough"), data=data)


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csc_array])
def test_sparse_input(container):
    data = container(np.where(X > 0, X, 0.0))
    parts = [("scale", StandardScaler(with_mean=False), [0, 2])]
    same(*pair(parts, remainder="passthrough", sparse_threshold=0.9), data=data)
    ours = ColumnTransformer(parts, sparse_threshold=1.0)
    expected = ours.fit_transform(data).toarray()
    np.testing.assert_array_equal(ours.fit_transform(data.tocoo()).toarray(), expected)


@pytest.mark.parametrize("names", [True, False, "{feature_name}<{transformer_name}>", str.join])
def test_names_and_weights(names):
    parts = [("scale", StandardScaler(), ["a", "b"]), ("norm", Normalizer(), ["c"])]
    weights = {"norm": 100.0}
    options = {"verbose_feature_names_out": names, "transformer_weights": weights}
    same(*pair(parts, **options), data=FRAME)
    parts[1] = ("norm", Normalizer(), ["a"])
    clash = ColumnTransformer(parts, verbose_feature_names_out=False).fit(FRAME)
    with pytest.raises(ValueError, match=r"\['a'\] are not unique"):
        clash.get_feature_names_out()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(library):
    frame = importlib.import_module(library).DataFrame({n: X[:, j] for j, n in enumerate("abcd")})
    columns = make_column_transformer(
        (SimpleImputer(), ["a"]), (StandardScaler(), ["b"]), remainder="passthrough"
    ).set_output(transform=library)
    found = columns.fit_transform(frame)
    assert type(found) is type(frame)
    assert list(found.columns) == columns.get_feature_names_out().tolist()
    np.testing.assert_array_equal(found.to_numpy()[:, [0, 2, 3]], X[:, [0, 2, 3]])
    assert type(sklearn.clone(columns).fit(frame).transform(frame)) is type(frame)
    again = pd.DataFrame(X, columns=list("abcd"), index=range(100, 112))
    if library == "pandas":
        assert columns.fit_transform(again).index.tolist() == list(range(100, 112))


def test_dates_text_and_gaps_pass_through(make_frame):
    frame = make_frame({"n": [1, None, 3], "t": ["x", None, "y"], "b": [True, False, True]})
    numbers = ColumnTransformer([("same", "passthrough", ["n", "b"])]).fit_transform(frame)
    np.testing.assert_array_equal(numbers, [[1.0, 1.0], [np.nan, 0.0], [3.0, 1.0]])
    text = ColumnTransformer([("same", "passthrough", ["t"])]).fit_transform(frame)
    assert text[::2].tolist() == [["x"], ["y"]]


def test_new_tables():
    columns = ColumnTransformer([("scale", StandardScaler(), ["b"])]).fit(FRAME)
    expected = columns.transform(FRAME)
    np.testing.assert_array_equal(columns.transform(FRAME[["d", "b"]].assign(z=1)), expected)
    with pytest.raises(ValueError, match=r"columns are missing: \{'b'\}"):
        columns.transform(FRAME[["a", "c", "d"]])
    with pytest.raises(ValueError, match="only supported for dataframes"):
        columns.transform(X)
    by_position = ColumnTransformer([("scale", Normalizer(), [1])]).fit(X)
    expected = by_position.transform(X)
    with pytest.warns(UserWarning, match="X has feature names, but Normalizer"):
        np.testing.assert_array_equal(by_position.transform(FRAME), expected)
    with pytest.raises(ValueError, match="X has 3 features, but ColumnTransformer is expecting 4"):
        by_position.transform(X[:, :3])


def test_parameters_items_and_jobs(capsys):
    columns = ColumnTransformer(
        [("scale", StandardScaler(), [0]), ("no", "drop", [1])],
        remainder=MinMaxScaler(),
        n_jobs=2,
        verbose=True,
    )
    columns.set_params(scale__with_mean=False, remainder__clip=True, no=Normalizer())
    assert columns.get_params()["remainder__clip"]
    with pytest.raises(TypeError, match="after it is fitted"):
        columns["scale"]
    with joblib.parallel_config("threading"):
        columns.fit(X)
    assert "(1 of 3) Processing scale, total=" in capsys.readouterr().out
    assert not columns["scale"].with_mean
    assert columns.named_transformers_.remainder.clip
    assert not hasattr(columns.transformers[0][1], "mean_")
    with pytest.raises(KeyError, match="not a valid transformer name"):
        columns["nothing"]
    page = columns._repr_html_()
    assert "StandardScaler" in page
    assert page.count("<details") == page.count("</details>")


@pytest.mark.parametrize(
    ("transformers", "error"),
    [
        ([("a", object(), [0])], TypeError),
        ([("a", StandardScaler, [0])], TypeError),
        ([("a", StandardScaler(), [0]), ("a", StandardScaler(), [1])], ValueError),
        ([("a__b", StandardScaler(), [0])], ValueError),
        ([("a", StandardScaler(), [7])], ValueError),
        ([("a", StandardScaler(), ["x"])], ValueError),
        ([("a", StandardScaler(), [0.5])], ValueError),
        ([("a", StandardScaler(), [0, "x"])], ValueError),
        ([("a", StandardScaler(), slice(0, "x"))], ValueError),
        (7, InvalidParameterError),
    ],
)
def test_errors(transformers, error):
    with pytest.raises(error):
        ColumnTransformer(transformers).fit(X)
    with pytest.raises((TypeError, ValueError)):
        sk.ColumnTransformer(transformers).fit(X)


def test_selector(make_frame):
    frame = make_frame(
        {"age": [1, 2], "height": [1.5, 2.5], "name": ["x", "y"], "ok": [True, True]}
    )
    assert make_column_selector(dtype_include="number")(frame) == ["age", "height"]
    assert make_column_selector(dtype_include=[np.number, bool])(frame) == ["age", "height", "ok"]
    assert make_column_selector(dtype_exclude=["number", "bool"])(frame) == ["name"]
    assert make_column_selector("a.e", dtype_include="number")(frame) == ["age"]
    with pytest.raises(ValueError, match="can only be applied to pandas dataframes and"):
        make_column_selector()(X)


def test_model_on_any_table(make_frame, tmp_path):
    """Numbers are filled and chosen, text goes through to a model that encodes it; then a file."""
    rng = np.random.default_rng(0)
    size, city = rng.uniform(1, 9, 80), rng.choice(["Oslo", "Rome"], 80)
    gaps = size.tolist()
    gaps[5] = None
    columns = {"size": gaps, "same": [1.0] * 80, "city": city.tolist()}
    numbers = make_pipeline(SimpleImputer(), VarianceThreshold())
    table = ColumnTransformer(
        [("numbers", numbers, make_column_selector(dtype_include="number"))],
        remainder="passthrough",
    ).set_output(transform="pandas")
    y = size + 3.0 * (city == "Rome")
    model = make_pipeline(table, Ridge(alpha=0.1)).fit(make_frame(columns), y)
    assert model.score(make_frame(columns), y) > 0.95
    names = model[:-1].get_feature_names_out().tolist()
    assert names == ["numbers__size", "remainder__city"]
    gramian.save(model, tmp_path / "model.gramian")
    for twin in (gramian.load(tmp_path / "model.gramian"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(
            twin.predict(make_frame(columns)), model.predict(make_frame(columns))
        )


def test_inside_sklearn():
    ours = ColumnTransformer([("scale", StandardScaler(), [0, 1])])
    outer = sk.ColumnTransformer([("ours", ours, [0, 1, 2])]).fit_transform(X)
    np.testing.assert_allclose(outer, StandardScaler().fit_transform(X[:, :2]), rtol=1e-12)
    model = sklearn.pipeline.make_pipeline(ours, LogisticRegression()).fit(X, X[:, 0] > 0)
    assert model.score(X, X[:, 0] > 0) > 0.8
    filled = sk.ColumnTransformer([("fill", SimpleImputer(), ["a"])]).fit_transform(FRAME)
    np.testing.assert_array_equal(filled, X[:, [0]])
