"""The helpers do what scikit-learn's of the same names do."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn.utils as sk
import sklearn.utils.multiclass as sk_multiclass
import sklearn.utils.validation as sk_validation

import gramian.utils as ours
import gramian.utils.multiclass as ours_multiclass
import gramian.utils.validation as ours_validation
from gramian.base import BaseEstimator, RegressorMixin
from gramian.exceptions import InvalidParameterError
from gramian.utils.metaestimators import available_if

SEEDS = range(10)
TWO = np.arange(2)


def same(found, expected):
    if isinstance(expected, (list, tuple)):
        assert type(found) is type(expected)
        assert len(found) == len(expected)
        for mine, theirs in zip(found, expected, strict=True):
            same(mine, theirs)
    elif scipy.sparse.issparse(expected):
        np.testing.assert_array_equal(found.toarray(), expected.toarray())
    else:
        np.testing.assert_array_equal(found, expected)


# -- draws -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"replace": False},
        {"n_samples": 7},
        {"n_samples": 7, "replace": False},
        {"n_samples": 50},
        {"stratify": [0, 0, 0, 1, 1, 1, 1, 2, 2, 2] * 2},
        {"stratify": [0, 0, 0, 1, 1, 1, 1, 2, 2, 2] * 2, "n_samples": 9, "replace": False},
        {"stratify": np.column_stack([np.arange(20) % 2, np.arange(20) % 3]), "n_samples": 12},
        {"sample_weight": np.arange(20.0)},
    ],
    ids=str,
)
def test_resample_draws_the_same_rows(options, seed):
    X, y = np.arange(40).reshape(20, 2), list(range(20))
    expected = sk.resample(X, y, random_state=seed, **options)
    same(ours.resample(X, y, random_state=seed, **options), expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_shuffle_gives_the_same_order(seed):
    X = scipy.sparse.csc_matrix(np.arange(12.0).reshape(6, 2))
    y = np.arange(6)
    same(ours.shuffle(X, y, random_state=seed), sk.shuffle(X, y, random_state=seed))
    same(ours.shuffle(y, random_state=seed, n_samples=3), sk.shuffle(y, random_state=seed)[:3])
    state = np.random.RandomState(seed)
    same(ours.shuffle(y, random_state=state), sk.shuffle(y, random_state=seed))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_keep_their_kind(library):
    table = library({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    drawn, y = ours.shuffle(table, [1, 2, 3], random_state=0)
    assert type(drawn) is type(table)
    assert list(drawn["a"].to_numpy()) == y


def test_draws_that_cannot_be():
    assert ours.resample() is None
    with pytest.raises(ValueError, match="Cannot sample 5 out of arrays with dim 3"):
        ours.resample([1, 2, 3], replace=False, n_samples=5)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        ours.shuffle([1, 2], [1, 2, 3])
    with pytest.raises(NotImplementedError, match="replace=True"):
        ours.resample([1, 2], sample_weight=[1, 2], replace=False)
    with pytest.raises(NotImplementedError, match="stratify=None"):
        ours.resample([1, 2], sample_weight=[1, 2], stratify=[0, 1])
    with pytest.raises(InvalidParameterError, match="n_samples"):
        ours.resample([1, 2], n_samples=0)


# -- weights ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("class_weight", "y"),
    [
        (None, [0, 1, 1]),
        ("balanced", [2, 2, 2, 0, 1, 1]),
        ("balanced", ["a", "b", "b"]),
        ({0: 2.0, 1: 0.5}, [0, 1, 1]),
        ({1: 3.0}, [0, 1, 1]),
        ({0: 1.0, 1: 2.0, 7: 5.0}, [0, 1, 1]),
        ({}, [0, 1]),
        ({"a": 4.0}, ["a", "b"]),
    ],
)
def test_weights_of_classes_and_rows(class_weight, y):
    classes = np.unique(y)
    expected = sk.compute_class_weight(class_weight, classes=classes, y=np.array(y))
    np.testing.assert_allclose(
        ours.compute_class_weight(class_weight, classes=classes, y=y), expected
    )
    np.testing.assert_allclose(
        ours.compute_sample_weight(class_weight, y), sk.compute_sample_weight(class_weight, y)
    )


def test_weights_of_classes_in_any_order_and_weighted():
    y, weight = np.array(["b", "a", "c", "b"]), [1.0, 2.0, 3.0, 4.0]
    for classes in (["a", "b", "c"], ["c", "a", "b"]):
        names = np.array(classes)
        expected = sk.compute_class_weight("balanced", classes=names, y=y, sample_weight=weight)
        found = ours.compute_class_weight("balanced", classes=names, y=y, sample_weight=weight)
        np.testing.assert_allclose(found, expected)


def test_weights_of_several_targets_and_of_subsamples():
    Y = np.array([[0, 1], [1, 1], [1, 2], [1, 1]])
    lists = [{0: 2.0, 1: 1.0}, {1: 1.0, 2: 3.0}]
    for given in ("balanced", lists):
        expected = sk.compute_sample_weight(given, Y)
        np.testing.assert_allclose(ours.compute_sample_weight(given, Y), expected)
        sparse = scipy.sparse.csc_array(Y)
        np.testing.assert_allclose(ours.compute_sample_weight(given, sparse), expected)
    y = [1, 1, 1, -1, -1, -1, 5]
    for indices in (range(6), range(4), [0, 1, 1, 2, 2, 3]):
        expected = sk.compute_sample_weight("balanced", y, indices=indices)
        found = ours.compute_sample_weight("balanced", y, indices=indices)
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda u: u.compute_class_weight("balanced", classes=TWO, y=[0, 1, 2]), "include all"),
        (lambda u: u.compute_class_weight("balanced", classes=TWO, y=[1, 1, 1]), "that are in y"),
        (lambda u: u.compute_class_weight({0: 1.0, 7: 2.0}, classes=TWO, y=[0, 1]), "are not in"),
        (lambda u: u.compute_class_weight("even", classes=TWO, y=[0, 1]), "class_weight"),
        (lambda u: u.compute_sample_weight({0: 1.0}, [0, 1], indices=[0]), "only valid"),
        (lambda u: u.compute_sample_weight(None, [[0, 1], [1, 1]]), "list of dicts"),
        (lambda u: u.compute_sample_weight([{0: 1, 1: 1}], [[0, 1], [1, 1]]), "match number"),
    ],
)
def test_weights_that_cannot_be(call, message):
    for utils in (sk, ours):
        with pytest.raises(ValueError, match=message):
            call(utils)


# -- pieces ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 6, 7, 10])
@pytest.mark.parametrize("size", [1, 3, 4, 12])
def test_slices(n, size):
    for least in (0, 2):
        expected = list(sk.gen_batches(n, size, min_batch_size=least))
        assert list(ours.gen_batches(n, size, min_batch_size=least)) == expected
    assert list(ours.gen_even_slices(n, size)) == list(sk.gen_even_slices(n, size))
    limited = list(sk.gen_even_slices(n, size, n_samples=5))
    assert list(ours.gen_even_slices(n, size, n_samples=5)) == limited


def test_masks_of_sparse_rows():
    X, mask = scipy.sparse.csr_matrix(np.eye(3)), [True, False, True]
    assert ours.safe_mask(X, mask).tolist() == [0, 2]
    assert ours.safe_mask(X.toarray(), mask).tolist() == mask
    assert ours.safe_mask(X, [1, 2]).tolist() == [1, 2]


# -- targets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        [0, 1],
        [[0, 1], [1, 0]],
        [[0, 2], [1, 0]],
        [[0], [1]],
        np.array([[0.5, 1.0]]),
        scipy.sparse.csr_matrix([[0, 1], [1, 0]]),
        scipy.sparse.csr_matrix([[-1, 1], [1, -1]]),
        [[1, 2, 3], [1]],
    ],
    ids=str,
)
def test_label_matrices(y):
    assert ours_multiclass.is_multilabel(y) == sk_multiclass.is_multilabel(y)


def test_shares_of_classes():
    Y = np.array([[1, 0], [2, 2], [1, 3], [4, 2]])
    for weight in (None, [1.0, 2.0, 1.0, 2.0]):
        for mine, theirs in zip(
            ours_multiclass.class_distribution(Y, weight),
            sk_multiclass.class_distribution(Y, weight),
            strict=True,
        ):
            for found, expected in zip(mine, theirs, strict=True):
                np.testing.assert_allclose(found, expected)


def test_too_many_classes():
    with pytest.warns(UserWarning, match="greater than 50%"):
        ours_multiclass.check_classification_targets(np.arange(25))
    ours_multiclass.check_classification_targets(np.arange(10))


# -- arrays ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        [[1, 2], [3, 4]],
        [[1.5, 2.5]],
        np.array([[1, 2]], dtype=np.float32),
        np.array([[1, 2]], dtype=np.int8),
        np.array([[1, 2.5]], dtype=object),
        pd.DataFrame({"a": [1, 2], "b": [3, 4]}),
        pd.DataFrame({"a": [True, False], "b": [3, 4]}),
        pd.DataFrame({"a": np.array([1, 2], dtype=np.float32)}),
        scipy.sparse.csr_matrix([[1, 0]]),
    ],
    ids=lambda X: f"{type(X).__name__}-{getattr(X, 'dtype', '')}",
)
def test_check_array(X):
    for options in ({}, {"dtype": np.float64}, {"order": "F"}, {"dtype": None}):
        expected = sk.check_array(X, accept_sparse=True, **options)
        found = ours.check_array(X, accept_sparse=True, **options)
        assert found.dtype == expected.dtype
        same(found, expected)


def test_check_array_options():
    cube = np.zeros((2, 2, 2))
    assert ours.check_array(cube, allow_nd=True) is cube
    with pytest.raises(ValueError, match="dim 3"):
        ours.check_array(cube)
    with pytest.raises(ValueError, match="Negative values in data passed to X"):
        ours.check_array([[-1.0]], ensure_non_negative=True, input_name="X")
    fixed = np.ones((2, 2))
    fixed.flags.writeable = False
    assert ours.check_array(fixed) is fixed
    assert ours.check_array(fixed, force_writeable=True).flags.writeable
    assert ours.check_array(np.ones((3, 2)), order="F").flags.f_contiguous
    with pytest.raises(ValueError, match=r"Input contains NaN\."):
        ours.check_array([[np.nan]], dtype=np.int64)
    with pytest.raises(TypeError, match="Sparse data was passed, but dense data is required"):
        ours.check_array(scipy.sparse.eye(2))
    dictionary = scipy.sparse.dok_array(np.eye(2))
    assert ours.check_array(dictionary, True, copy=True).format == "dok"


def test_other_checks_of_arrays():
    X, y = ours.check_X_y([[1], [2]], [1, 2], y_numeric=True)
    assert (X.dtype, y.dtype) == (np.int64, np.float64)
    with pytest.raises(ValueError, match="inconsistent"):
        ours.check_X_y([[1], [2]], [1])
    assert ours.as_float_array(np.array([1, 2], dtype=np.int32)).dtype == np.float32
    assert ours.as_float_array(np.array([1, 2])).dtype == np.float64
    floats = np.array([1.0, 2.0])
    assert ours.as_float_array(floats, copy=False) is floats
    assert ours.as_float_array(floats) is not floats
    with pytest.raises(ValueError, match="Input X contains infinity"):
        ours.assert_all_finite([np.inf], input_name="X")
    ours.assert_all_finite([np.nan, 1.0], allow_nan=True)
    assert ours.indexable([1, 2], None, scipy.sparse.eye(2))[2].format == "csr"


def test_symmetric_matrices():
    even, uneven = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0.0, 1.0], [3.0, 0.0]])
    assert ours.check_symmetric(even) is even
    for make in (np.array, scipy.sparse.csr_matrix, scipy.sparse.coo_array):
        with pytest.warns(UserWarning, match="not symmetric"):
            mean = ours.check_symmetric(make(uneven))
        same(mean, make([[0.0, 2.0], [2.0, 0.0]]))
    with pytest.raises(ValueError, match="must be symmetric"):
        ours.check_symmetric(uneven, raise_exception=True)
    with pytest.raises(ValueError, match="square"):
        ours.check_symmetric(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("x", "options"),
    [
        (3, {"target_type": int, "min_val": 2, "max_val": 5}),
        (2, {"target_type": int, "min_val": 2, "include_boundaries": "neither"}),
        (5, {"target_type": int, "max_val": 5, "include_boundaries": "left", "min_val": 0}),
        (1, {"target_type": int, "min_val": 2}),
        ("a", {"target_type": int}),
        (1.5, {"target_type": (int, str)}),
        (1, {"target_type": int, "include_boundaries": "left"}),
        (1, {"target_type": int, "include_boundaries": "wide"}),
    ],
)
def test_scalars(x, options):
    try:
        expected = sk.check_scalar(x, "x", **options)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)) as caught:
            ours.check_scalar(x, "x", **options)
        assert str(caught.value) == str(error)
    else:
        assert ours.check_scalar(x, "x", **options) == expected


class Mean(RegressorMixin, BaseEstimator):
    """An estimator such as users write."""

    def fit(self, X, y):
        X, y = ours_validation.validate_data(self, X, y)
        self.mean_ = X.mean(axis=0)
        return self

    def predict(self, X):
        return ours_validation.validate_data(self, X, reset=False) @ self.mean_

    @available_if(lambda self: self.mean_ is not None)
    def score_samples(self, X):
        return X


def test_data_of_an_estimator():
    frame = pd.DataFrame({"a": [1.0, 3.0], "b": [2.0, 2.0]})
    model = Mean().fit(frame, [1, 2])
    assert model.n_features_in_ == 2
    assert model.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict(frame[["b", "a"]]), model.predict(frame))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "c"}))
    with pytest.raises(ValueError, match="expecting 2 features"):
        Mean().fit(frame.to_numpy(), [1, 2]).predict([[1.0]])
    with pytest.raises(ValueError, match="requires y to be passed"):
        Mean().fit(frame, None)
    with pytest.raises(ValueError, match="X, y or both"):
        ours_validation.validate_data(model)
    assert ours_validation.validate_data(model, y=[1, 2]).tolist() == [1, 2]
    X, y = ours_validation.validate_data(
        model, [[1, 2]], [[3]], validate_separately=({"dtype": float}, {"dtype": int})
    )
    assert (X.dtype.kind, y.dtype.kind) == ("f", "i")
    assert ours_validation.validate_data(model, frame, skip_check_array=True) is frame
    assert hasattr(model, "score_samples")
    assert not hasattr(Mean(), "score_samples")


def test_the_rest():
    assert ours_validation.has_fit_parameter(Mean(), "y")
    assert not ours_validation.has_fit_parameter(Mean(), "sample_weight")
    assert ours_validation.check_memory("folder").location == "folder"
    with pytest.raises(ValueError, match="same interface as joblib"):
        ours_validation.check_memory(1)
    assert "Ridge" in dict(ours.all_estimators("regressor"))
    assert ours.Bunch(a=1).a == 1


def test_names_are_scikit_learns():
    for mine, theirs in (
        (ours, sk),
        (ours_validation, sk_validation),
        (ours_multiclass, sk_multiclass),
    ):
        assert not [name for name in mine.__all__ if not hasattr(theirs, name)]


def test_strata_are_dense():
    with pytest.raises(TypeError, match="Sparse data was passed for stratify"):
        ours.resample([1, 2], stratify=scipy.sparse.csr_matrix([[0], [1]]))
