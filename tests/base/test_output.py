"""``set_output``: transformers return the container that was asked for."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gramian
from gramian.base import BaseEstimator, TransformerMixin


class Double(TransformerMixin, BaseEstimator):
    """Twice the input, in a container of its own choice."""

    def __init__(self, returns=np.asarray):
        self.returns = returns

    def fit(self, X, y=None):
        self.n_features_in_ = np.shape(X)[1]
        return self

    def transform(self, X):
        return self.returns(2.0 * np.asarray(X, dtype=np.float64))

    def get_feature_names_out(self, input_features=None):
        return np.array([f"double {j}" for j in range(self.n_features_in_)], dtype=object)


class Nameless(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.asarray(X)


X = np.arange(6.0).reshape(3, 2)
NAMES = ["double 0", "double 1"]


def test_default_is_what_the_method_returns():
    assert isinstance(Double().fit(X).transform(X), np.ndarray)
    assert isinstance(Double().fit_transform(X), np.ndarray)


@pytest.mark.parametrize(
    "returns", [np.asarray, pd.DataFrame, pl.DataFrame], ids=["numpy", "pandas", "polars"]
)
@pytest.mark.parametrize(
    ("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_containers(container, kind, returns):
    model = Double(returns=returns).set_output(transform=container)
    for frame in (model.fit(X).transform(X), model.fit_transform(X)):
        assert isinstance(frame, kind)
        assert list(frame.columns) == NAMES
        np.testing.assert_array_equal(frame.to_numpy(), 2.0 * X)


def test_index_of_pandas_input_is_kept():
    frame = pd.DataFrame(X, index=["u", "v", "w"])
    result = Double().set_output(transform="pandas").fit(frame).transform(frame)
    assert result.index.tolist() == ["u", "v", "w"]


def test_set_output_returns_self_and_none_changes_nothing():
    model = Double()
    assert model.set_output(transform="pandas") is model
    assert model.set_output() is model
    assert isinstance(model.fit(X).transform(X), pd.DataFrame)
    model.set_output(transform="default")
    assert isinstance(model.transform(X), np.ndarray)


def test_global_setting_and_own_choice():
    model = Double().fit(X)
    with gramian.config(transform_output="polars"):
        assert isinstance(model.transform(X), pl.DataFrame)
        assert isinstance(model.set_output(transform="pandas").transform(X), pd.DataFrame)
    assert isinstance(model.set_output(transform="default").transform(X), np.ndarray)


def test_subclasses_are_wrapped_once():
    class Child(Double):
        def transform(self, X):
            return super().transform(X)

    class Silent(Double):
        pass

    for cls in (Child, Silent):
        frame = cls().set_output(transform="pandas").fit(X).transform(X)
        assert list(frame.columns) == NAMES
        np.testing.assert_array_equal(frame.to_numpy(), 2.0 * X)


def test_method_keeps_its_name_and_text():
    assert Double.transform.__name__ == "transform"
    assert Double.transform.__wrapped__ is not Double.transform


def test_bad_container():
    with pytest.raises(
        ValueError, match=r"must be one of 'default', 'pandas', 'polars'. Got 'arrow'"
    ):
        Double().set_output(transform="arrow")


def test_sparse_output_has_no_frame():
    model = Double(returns=sparse.csr_array).fit(X)
    assert sparse.issparse(model.transform(X))
    for container in ("pandas", "polars"):
        message = f"{container.capitalize()} output does not support sparse data. Set sparse_output"
        with pytest.raises(ValueError, match=message):
            model.set_output(transform=container).transform(X)


def test_without_names_there_is_no_frame():
    assert isinstance(Nameless().set_output(transform="pandas").fit(X).transform(X), np.ndarray)


@pytest.mark.parametrize(
    ("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_in_sklearns_pipeline(container, kind):
    pipeline = make_pipeline(StandardScaler(), Double()).set_output(transform=container)
    result = pipeline.fit_transform(X)
    assert isinstance(result, kind)
    assert list(result.columns) == NAMES
    assert isinstance(sklearn.clone(pipeline).fit(X).transform(X), kind)


def test_in_sklearns_column_transformer():
    from sklearn.compose import make_column_transformer

    frame = pd.DataFrame(X, columns=["a", "b"])
    transformer = make_column_transformer((Double(), ["a"]), (StandardScaler(), ["b"]))
    result = transformer.set_output(transform="pandas").fit_transform(frame)
    assert list(result.columns) == ["double__double 0", "standardscaler__b"]


@pytest.mark.parametrize("library", [pd, pl])
def test_names_that_nobody_knows(library):
    class Nameless(Double):
        def get_feature_names_out(self, input_features=None):
            return input_features

    name = library.__name__
    model = Nameless().fit([[1.0, 2.0]]).set_output(transform=name)
    assert [str(column) for column in model.transform([[1.0, 2.0]]).columns] == ["0", "1"]
    frame = library.DataFrame({"a": [1.0], "b": [2.0]})
    own = Nameless(lambda X: frame).fit(frame).set_output(transform=name)
    assert list(own.transform(frame).columns) == ["a", "b"]


def test_settings_of_scikit_learn_hold_too():
    frame = pd.DataFrame({"a": [1.0, 3.0]})
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(gramian.preprocessing.StandardScaler().fit_transform(frame), pd.DataFrame)
        plain = gramian.preprocessing.StandardScaler().set_output(transform="default")
        assert isinstance(plain.fit_transform(frame), np.ndarray)
