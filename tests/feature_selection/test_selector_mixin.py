"""Selectors of any base class, and masks about the columns of a data frame as they are."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
import sklearn.base
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import validate_data

import gramian.base
from gramian.feature_selection import SelectKBest, SelectorMixin

FRAME = pd.DataFrame(
    {
        "area": np.array([1.0, 2.5, 4.5], dtype=np.float32),
        "city": pd.Categorical(["Rome", "Oslo", "Rome"]),
        "street": ["a", "b", "c"],
        "rooms": [3, 2, 1],
    },
    index=[7, 5, 6],
)


def every(step, *bases):
    """Return a selector of every `step`-th column over some base classes."""

    class Selector(SelectorMixin, *bases):
        def fit(self, X, y=None):
            self.n_features_in_ = X.shape[1]
            if hasattr(X, "columns"):
                self.feature_names_in_ = np.array(list(X.columns), dtype=object)
            return self

        def _get_support_mask(self):
            mask = np.zeros(self.n_features_in_, dtype=bool)
            mask[::step] = True
            return mask

    return Selector()


@pytest.fixture(
    params=[(gramian.base.BaseEstimator,), (sklearn.base.BaseEstimator,), ()],
    ids=["gramian", "sklearn", "none"],
)
def bases(request):
    return request.param


def test_any_base_class(bases):
    X = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(every(2, *bases).fit_transform(X), X[:, ::2])
    assert sklearn.utils.get_tags(every(2, *bases)).transformer_tags is not None


@pytest.mark.parametrize("step", [1, 2, 3])
def test_columns_keep_their_types(bases, step):
    chosen = every(step, *bases).set_output(transform="pandas").fit_transform(FRAME)
    pd.testing.assert_frame_equal(chosen, FRAME.iloc[:, ::step])
    frame = pl.from_pandas(FRAME)
    chosen = every(step, *bases).set_output(transform="polars").fit_transform(frame)
    assert chosen.equals(frame[:, ::step])


def test_columns_as_an_array(bases):
    selector = every(3, *bases).fit(FRAME)
    np.testing.assert_array_equal(selector.transform(FRAME), FRAME[["area", "rooms"]])
    turned = FRAME[FRAME.columns[::-1]]
    np.testing.assert_array_equal(selector.transform(turned), FRAME[["area", "rooms"]])
    mixed = every(2, *bases).fit(FRAME)
    assert mixed.transform(FRAME).tolist() == FRAME[["area", "street"]].to_numpy().tolist()
    assert mixed.get_feature_names_out().tolist() == ["area", "street"]


def test_refuses_other_columns(bases):
    with pytest.raises(ValueError, match="3 features, but Selector is expecting 4"):
        every(2, *bases).fit(np.ones((3, 4))).transform(np.ones((3, 3)))
    gap = FRAME.assign(area=[1.0, np.nan, np.inf])[["area", "rooms"]]
    with pytest.raises(ValueError, match="NaN"):
        every(2, *bases).fit(gap).transform(gap)


def test_in_a_pipeline_of_sklearn():
    """With what scikit-learn's own reader leaves on a selector of its base class."""

    class First(SelectorMixin, sklearn.base.BaseEstimator):
        def fit(self, X, y=None):
            validate_data(self, X, skip_check_array=True)
            return self

        def _get_support_mask(self):
            return np.arange(self.n_features_in_) == 0

    model = make_pipeline(First()).set_output(transform="pandas").fit(FRAME)
    assert list(model.transform(FRAME)) == ["area"]
    assert sklearn.base.clone(model).fit(FRAME)[:1].get_feature_names_out().tolist() == ["area"]


def test_tags_of_another_base_class_are_kept():
    class TakesGaps(sklearn.base.BaseEstimator):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.allow_nan = True
            return tags

    X = np.array([[np.nan, 1.0], [2.0, 3.0]])
    np.testing.assert_array_equal(every(2, TakesGaps).fit_transform(X), X[:, :1])


@pytest.mark.parametrize("mixin", ["ClassifierMixin", "RegressorMixin", "TransformerMixin"])
def test_mixins_over_a_base_class_of_sklearn(mixin):
    class Model(getattr(gramian.base, mixin), sklearn.base.BaseEstimator):
        pass

    kind = mixin.removesuffix("Mixin").lower()
    tags = sklearn.utils.get_tags(Model())
    assert tags.estimator_type == (None if kind == "transformer" else kind)
    assert (tags.transformer_tags is not None) == (kind == "transformer")


def scores_of_columns(X, y):
    return np.array([1.0, 4.0, 2.0, 3.0])


def test_scores_of_the_columns_of_a_frame():
    """A score of each column of the frame chooses columns of the frame, not of the encoding."""
    y = [0, 1, 0]
    selector = SelectKBest(scores_of_columns, k=2).fit(FRAME, y)
    assert selector.get_support().tolist() == [False, True, False, True]
    assert selector.get_feature_names_out().tolist() == ["city", "rooms"]
    assert selector.transform(FRAME).tolist() == FRAME[["city", "rooms"]].to_numpy().tolist()
    chosen = selector.set_output(transform="pandas").transform(FRAME)
    pd.testing.assert_frame_equal(chosen, FRAME[["city", "rooms"]])


def test_scores_of_the_columns_of_the_encoding():
    selector = SelectKBest(k=3).fit(FRAME.iloc[[0, 1, 2, 0, 1, 2]], [0, 1, 0, 0, 1, 1])
    width = len(selector.encoding_.get_feature_names_out())
    assert len(selector.get_support()) == width > 4
    assert selector.transform(FRAME).shape == (3, 3)


def test_scores_of_another_number_are_refused():
    with pytest.raises(ValueError, match=r"of the 7 of the matrix .* or of the 4 of the data fram"):
        SelectKBest(lambda X, y: np.ones(3), k=1).fit(FRAME, [0, 1, 0])
