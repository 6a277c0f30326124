"""The path of data into an estimator, at fit and at predict."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_estimator,
)

import gramian
from gramian.base import BaseEstimator, ClassifierMixin, RegressorMixin
from gramian.exceptions import NotFittedError
from gramian.table import Table
from gramian.validation import FitData, check_fit, check_is_fitted, check_predict

X = np.array([[1.0, 2.0], [3.0, 5.0], [5.0, 4.0], [0.0, 1.0]])
y = np.array([1.0, 2.0, 3.0, 4.0])
MIXED = {"x": [1.0, None, 3.0, 2.0], "s": ["a", "b", "a", None]}


class LeastSquares(RegressorMixin, BaseEstimator):
    """The plainest model that uses all of the path."""

    def _tags(self):
        tags = super()._tags()
        tags.multi_output = tags.sparse = True
        return tags

    def fit(self, X, y, sample_weight=None):
        data = check_fit(self, X, y, sample_weight, multi_output=True, y_numeric=True)
        root = 1.0 if data.sample_weight is None else np.sqrt(data.sample_weight)[:, None]
        design = np.column_stack([np.ones(data.n_samples), _dense(data.X)])
        target = data.y.reshape(data.n_samples, -1)
        solution = np.linalg.lstsq(design * root, target * root, rcond=None)[0]
        self.solution_ = solution if data.y.ndim == 2 else solution[:, 0]
        return self

    def predict(self, X):
        matrix = _dense(check_predict(self, X))
        return np.column_stack([np.ones(len(matrix)), matrix]) @ self.solution_


class DenseLeastSquares(LeastSquares):
    """The same for dense data and one output."""

    def _tags(self):
        tags = super()._tags()
        tags.multi_output = tags.sparse = False
        return tags

    def fit(self, X, y, sample_weight=None):
        data = check_fit(self, X, y, sample_weight, accept_sparse=False, y_numeric=True)
        root = 1.0 if data.sample_weight is None else np.sqrt(data.sample_weight)
        design = np.column_stack([np.ones(data.n_samples), data.X])
        self.solution_ = np.linalg.lstsq((design.T * root).T, data.y * root, rcond=None)[0]
        return self


class Classifier(ClassifierMixin, BaseEstimator):
    """A classifier that only checks."""

    def fit(self, X, y):
        self.data = check_fit(self, X, y)
        return self


class Native(LeastSquares):
    """An estimator that uses tables natively."""

    def _tags(self):
        tags = super()._tags()
        tags.native_table = tags.allow_nan = True
        return tags


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit from `sklearn.base")
@pytest.mark.parametrize("estimator", [LeastSquares(), DenseLeastSquares()])
def test_scikit_learn_checks(estimator):
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert not failed


# -- fit -----------------------------------------------------------------------------------------


def test_arrays_pass_untouched():
    weight = np.ones(4)
    model = LeastSquares()
    data = check_fit(model, X, y, weight, y_numeric=True)
    assert isinstance(data, FitData)
    assert data.X is X and data.y is y and data.sample_weight is weight
    assert (data.n_samples, data.n_features) == (4, 2)
    assert model.n_features_in_ == 2 and model.encoding_ is None
    assert not hasattr(model, "feature_names_in_")


def test_single_precision_stays_unless_refused():
    small = X.astype(np.float32)
    assert check_fit(LeastSquares(), small, y).X is small
    assert check_fit(LeastSquares(), small, y, dtype=np.float64).X.dtype == np.float64
    frame = pd.DataFrame(small, columns=["a", "b"])
    assert check_fit(LeastSquares(), frame, y, dtype=np.float64).X.dtype == np.float64


def test_frames_are_encoded(make_frame):
    model = LeastSquares()
    data = check_fit(model, make_frame(MIXED), y, y_numeric=True)
    names = ["x", "x is missing", "s=a", "s=b", "s=<missing>"]
    assert model.encoding_.get_feature_names_out().tolist() == names
    assert model.n_features_in_ == 2 and data.n_features == 5
    assert model.feature_names_in_.tolist() == ["x", "s"]
    assert np.isfinite(data.X).all()


def test_frames_with_sparse_columns():
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0, 0.0, 0.0]), "b": y})
    assert_array_equal(check_fit(LeastSquares(), frame, y).X, np.column_stack([[0, 1, 0, 0], y]))


def test_classes_are_no_numbers_to_the_encoding():
    levels = [f"z{i % 50}" for i in range(200)]
    labels = np.array(["no", "yes"])[np.arange(200) % 2]
    model = Classifier().fit(pd.DataFrame({"zip": levels}), labels)
    assert model.encoding_.get_feature_names_out().tolist() == ["zip (target mean)"]
    assert model.data.y is labels


def test_native_tables_are_not_encoded(make_frame):
    model = Native()
    data = check_fit(model, make_frame(MIXED), y)
    assert isinstance(data.X, Table) and model.encoding_ is None
    assert isinstance(check_predict(model, make_frame(MIXED)), Table)
    array = np.array([[1.0, np.nan]] * 4)
    assert check_fit(model, array, y).X is array
    with pytest.raises(ValueError, match="infinity"):
        check_fit(model, np.array([[np.inf, np.nan]] * 4), y)


def test_infinity_in_a_frame_is_named():
    frame = pd.DataFrame({"a": [1.0, np.inf, 2.0, 3.0], "s": list("xyxy")})
    with pytest.raises(ValueError, match=r"contains infinity.*\nColumn: 'a' \(1 of 4 rows\)"):
        check_fit(LeastSquares(), frame, y)


def test_search_for_nan_can_be_left_to_the_estimator():
    broken = np.where(X == 5.0, np.nan, X)
    assert check_fit(LeastSquares(), broken, y, check_finite=False).X is broken
    with gramian.config(assume_finite=True):
        assert check_fit(LeastSquares(), broken, y).X is broken
    with pytest.raises(ValueError, match="Input X contains NaN"):
        check_fit(LeastSquares(), broken, y)


def test_estimator_is_unchanged_if_a_check_fails():
    model = LeastSquares()
    with pytest.raises(ValueError, match="inconsistent"):
        check_fit(model, pd.DataFrame(X, columns=["a", "b"]), y[:3])
    assert vars(model) == {}


def test_second_fit_forgets_the_first():
    model = LeastSquares().fit(pd.DataFrame(X, columns=["a", "b"]), y)
    model.fit(X[:, :1], y)
    assert model.n_features_in_ == 1 and model.encoding_ is None
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ((X, None), "requires y to be passed, but the target y is None"),
        ((X, y[:3]), r"inconsistent numbers of samples: \[4, 3\]"),
        ((X, y, y[:3]), r"sample_weight.shape == \(3,\)"),
        ((X[:1], y[:1]), "1 sample.* minimum of 2 is required by LeastSquares"),
        ((pd.DataFrame({"a": []}), []), "0 sample"),
        ((pd.DataFrame(index=range(4)), y), "0 feature"),
    ],
)
def test_refused_calls(call, message):
    with pytest.raises(ValueError, match=message):
        check_fit(LeastSquares(), *call, min_samples=2)


# -- names ---------------------------------------------------------------------------------------


def test_columns_are_matched_by_name(make_frame):
    model = LeastSquares().fit(make_frame(MIXED), y)
    reordered = make_frame({name: MIXED[name] for name in ("s", "x")})
    assert_allclose(model.predict(reordered), model.predict(make_frame(MIXED)))


def test_missing_and_extra_columns_are_named(make_frame):
    model = LeastSquares().fit(make_frame({"a": [1.0, 2.0], "b": [1.0, 3.0]}), y[:2])
    expected = (
        "The feature names should match those that were passed during fit.\n"
        "Feature names unseen at fit time:\n- c\n"
        "Feature names seen at fit time, yet now missing:\n- b\n"
    )
    with pytest.raises(ValueError) as info:
        model.predict(make_frame({"a": [1.0], "c": [1.0]}))
    assert str(info.value) == expected
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- c\n$"):
        model.predict(make_frame({"a": [1.0], "b": [1.0], "c": [1.0]}))


def test_scikit_learn_refuses_only_the_order_that_we_match():
    with pytest.raises(AssertionError) as info:
        check_dataframe_column_names_consistency("LeastSquares", LeastSquares())
    assert "did not raise" in str(info.value)


def test_names_on_one_side_only():
    frame = pd.DataFrame(X, columns=["a", "b"])
    named, unnamed = LeastSquares().fit(frame, y), LeastSquares().fit(X, y)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but LeastSquares"):
        assert_allclose(named.predict(X), unnamed.predict(X))
    with pytest.warns(
        UserWarning, match="X has feature names, but LeastSquares was fitted without"
    ):
        assert_allclose(unnamed.predict(frame), unnamed.predict(X))


def test_names_that_are_no_strings():
    frame = pd.DataFrame(X)
    model = LeastSquares().fit(frame, y)
    assert not hasattr(model, "feature_names_in_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_allclose(model.predict(X), model.predict(frame))
    with pytest.raises(TypeError, match=r"your input has \['int', 'str'\] as feature name"):
        LeastSquares().fit(pd.DataFrame(X, columns=["a", 1]), y)


# -- predict -------------------------------------------------------------------------------------


def test_not_fitted():
    for error in (NotFittedError, SklearnNotFittedError, ValueError, AttributeError):
        with pytest.raises(error, match="This LeastSquares instance is not fitted yet"):
            check_predict(LeastSquares(), X)
    with pytest.raises(TypeError, match="is a class"):
        check_is_fitted(LeastSquares)
    with pytest.raises(TypeError, match="is not an estimator"):
        check_is_fitted(3)
    model = LeastSquares().fit(X, y)
    check_is_fitted(model, "solution_")
    check_is_fitted(model, ["solution_", "other_"], all_or_any=any)
    with pytest.raises(NotFittedError, match=r"^no LeastSquares$"):
        check_is_fitted(model, ["solution_", "other_"], msg="no %(name)s")


def test_wrong_number_of_features():
    for data in (X, pd.DataFrame(X)):
        with pytest.raises(ValueError, match="X has 1 features, but LeastSquares is expecting 2 f"):
            LeastSquares().fit(data, y).predict(X[:, :1])


def test_models_fitted_on_arrays_take_numeric_frames_only(make_frame):
    model = LeastSquares().fit(X, y)
    with pytest.warns(UserWarning, match="fitted without"), pytest.raises(ValueError, match="'s'"):
        model.predict(make_frame(MIXED))


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_arrays_take_the_encoding_of_the_frame(make_frame):
    model = LeastSquares().fit(make_frame(MIXED), y)
    rows = np.array(list(zip(*MIXED.values(), strict=True)), dtype=object)
    assert_allclose(model.predict(rows), model.predict(make_frame(MIXED)))
    with pytest.raises(TypeError, match=r"Sparse data was passed for X.*data frame"):
        model.predict(sparse.csr_array(X))


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_sparse_rows_for_a_model_of_a_numeric_frame():
    model = LeastSquares().fit(pl.DataFrame(X), y)
    assert_allclose(model.predict(sparse.csr_array(X)), model.predict(X))


def test_data_frames_give_what_arrays_give(make_frame):
    frame = make_frame({"a": X[:, 0].tolist(), "b": X[:, 1].tolist()})
    assert_allclose(
        LeastSquares().fit(frame, y).predict(frame), LeastSquares().fit(X, y).predict(X)
    )


@pytest.mark.parametrize("weights", [[2, 1, 3, 0, 1, 2] * 30])
def test_rows_permuted_or_repeated_by_weight_give_the_same_model(weights):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "zip": rng.integers(0, 45, 180).astype(str),
            "x": rng.normal(size=180),
            "s": list("abc") * 60,
        }
    )
    target = rng.normal(size=180)
    copies = rng.permutation(np.repeat(np.arange(180), weights))
    weighted = LeastSquares().fit(frame, target, weights)
    repeated = LeastSquares().fit(frame.iloc[copies], target[copies])
    assert_allclose(weighted.predict(frame), repeated.predict(frame), rtol=1e-7)
