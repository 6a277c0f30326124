"""Feature unions against scikit-learn's."""

import copy

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import pipeline as sk
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

import gramian
from gramian.feature_selection import VarianceThreshold
from gramian.impute import MissingIndicator, SimpleImputer
from gramian.pipeline import FeatureUnion, make_union

X = np.random.default_rng(1).standard_normal((20, 3))
PARTS = [("scale", StandardScaler()), ("range", MinMaxScaler()), ("no", "drop")]


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("weights", [None, {"range": 10.0}])
def test_same_as_sklearn(n_jobs, weights):
    options = {"n_jobs": n_jobs, "transformer_weights": weights}
    theirs = sk.FeatureUnion(copy.deepcopy(PARTS), **options)
    ours = FeatureUnion(copy.deepcopy(PARTS), **options)
    with joblib.parallel_config("threading"):
        np.testing.assert_array_equal(ours.fit_transform(X), theirs.fit_transform(X))
        np.testing.assert_array_equal(ours.fit(X).transform(X), theirs.transform(X))
    names = ours.get_feature_names_out()
    assert names.tolist() == theirs.get_feature_names_out().tolist()
    assert ours["range"].data_max_.shape == (3,)
    assert ours.n_features_in_ == 3


def test_passthrough_and_names():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    union = FeatureUnion([("same", "passthrough"), ("scale", StandardScaler())])
    joined = union.fit_transform(frame)
    np.testing.assert_array_equal(joined[:, :3], X)
    names = union.get_feature_names_out().tolist()
    assert names == [f"{part}__{name}" for part in ("same", "scale") for name in "abc"]
    assert union.feature_names_in_.tolist() == ["a", "b", "c"]
    union.set_params(verbose_feature_names_out=False)
    with pytest.raises(ValueError, match=r"\['a', 'b', 'c'\] are not unique"):
        union.get_feature_names_out()


@pytest.mark.parametrize("library", [pd, pl])
def test_frames(library):
    frame = library.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    union = make_union(VarianceThreshold(), SimpleImputer())
    union.set_output(transform=library.__name__)
    joined = union.fit_transform(frame)
    assert isinstance(joined, library.DataFrame)
    assert list(joined.columns) == union.get_feature_names_out().tolist()
    np.testing.assert_array_equal(joined.to_numpy(), np.hstack([X[:, :2], X[:, :2]]))


def test_frames_without_names_of_their_own():
    class Plain:
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return X.rename(columns=str.upper)

    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    union = FeatureUnion([("plain", Plain())])
    with pytest.raises(AttributeError, match="does not provide get_feature_names_out"):
        union.fit(frame).get_feature_names_out()
    union.fit_transform(frame)
    assert union.get_feature_names_out().tolist() == ["plain__A", "plain__B", "plain__C"]
    with pytest.raises(ValueError, match="Unable to configure output"):
        union.set_output(transform="pandas")


def test_sparse():
    levels = X[:, :1].round()
    ours = FeatureUnion([("hot", OneHotEncoder()), ("scale", StandardScaler())])
    theirs = sk.FeatureUnion([("hot", OneHotEncoder()), ("scale", StandardScaler())])
    joined = ours.fit_transform(levels)
    assert sparse.issparse(joined)
    assert joined.format == "csr"
    np.testing.assert_allclose(joined.toarray(), theirs.fit_transform(levels).toarray())


def test_fit_parameters_and_empty(capsys):
    union = FeatureUnion([("scale", StandardScaler())], verbose=True)
    weight = np.linspace(1, 2, 20)
    union.fit(X, sample_weight=weight)
    np.testing.assert_allclose(union["scale"].mean_, np.average(X, axis=0, weights=weight))
    printed = capsys.readouterr().out
    assert printed.startswith("[FeatureUnion] ....")
    assert "(step 1 of 1) Processing scale, total=" in printed
    assert FeatureUnion([("a", "drop")]).fit_transform(X).shape == (20, 0)


@pytest.mark.parametrize(
    ("union", "error", "message"),
    [
        (FeatureUnion([("a", object())]), TypeError, "All estimators should implement fit"),
        (FeatureUnion([("a", StandardScaler())] * 2), ValueError, "not unique"),
        (FeatureUnion(PARTS, transformer_weights={"z": 1.0}), ValueError, 'transformer "z"'),
        (
            FeatureUnion([("a", FunctionTransformer(lambda X: X[:, 0]))]),
            ValueError,
            "expected 2 dimensions",
        ),
    ],
)
def test_errors(union, error, message):
    with pytest.raises(error, match=message):
        union.fit_transform(X)


def test_saved(tmp_path):
    gaps = X.copy()
    gaps[2, 1] = np.nan
    parts = [("fill", SimpleImputer()), ("gaps", MissingIndicator()), ("same", "passthrough")]
    union = FeatureUnion(parts).fit(gaps)
    gramian.save(union, tmp_path / "union.gramian")
    loaded = gramian.load(tmp_path / "union.gramian")
    np.testing.assert_array_equal(loaded.transform(gaps), union.transform(gaps))
    assert "FunctionTransformer" in union._repr_html_()
