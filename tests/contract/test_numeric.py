"""How the numbers are stored must not matter; how large they are must not break anything."""

import inspect
import warnings

import numpy as np
import pytest
from scipy import sparse
from tests.contract.cases import (
    assert_finite,
    assert_identical,
    assert_same,
    comparable,
    draws_rows,
    each_estimator,
    fit,
    fresh,
    in_folds,
    make_data,
    outputs,
    parameters,
    reads_features,
    takes_rows,
    takes_sparse,
    takes_weight,
    tolerance,
    without_draws,
)
from tests.contract.refusals import (
    FEW_ROWS,
    NOTHING_TO_LEARN,
    ONE_CLASS,
    TOO_LARGE,
    WRONG_SHAPE,
    assert_names,
)
from tests.contract.settings import IN_ANY_ORDER, SPARSE_AS_DENSE


def _name(estimator):
    return type(estimator).__name__


# -- types and layouts -----------------------------------------------------------------------------


def _wide_indices(matrix):
    result = sparse.csr_matrix(matrix)
    result.indices, result.indptr = result.indices.astype(np.int64), result.indptr.astype(np.int64)
    return result


def _unsorted(matrix):
    """Return CSR with the entries of each row backwards, and one entry split in two."""
    result = sparse.csr_matrix(matrix)
    for start, end in zip(result.indptr[:-1], result.indptr[1:], strict=True):
        result.indices[start:end] = result.indices[start:end][::-1].copy()
        result.data[start:end] = result.data[start:end][::-1].copy()
    return sparse.csr_matrix((result.data, result.indices, result.indptr), result.shape)


SPARSE = {
    "csr_array": sparse.csr_array,
    "csr_matrix": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "int64": _wide_indices,
    "unsorted": _unsorted,
}


def _strided(X):
    holder = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    holder[::2, 1::3] = X
    return holder[::2, 1::3]


def _backwards(X):
    return X[::-1, ::-1].copy()[::-1, ::-1]


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _swapped_bytes(X):
    return X.astype(X.dtype.newbyteorder())


LAYOUTS = {
    "F": np.asfortranarray,
    "strided": _strided,
    "backwards": _backwards,
    "read_only": _read_only,
    "swapped_bytes": _swapped_bytes,
    "lists": np.ndarray.tolist,
}


@each_estimator("layouts", where=takes_rows)
def test_layouts(estimator):
    X, y = make_data(estimator)
    expected = comparable(fit(fresh(estimator, precise=True), X, y), X)
    for name, layout in LAYOUTS.items():
        model = fit(fresh(estimator, precise=True), layout(X), y)
        found = comparable(model, layout(X))
        assert_same(found, expected, tolerance(estimator), name)


def _data_for_sparse(estimator):
    """Return data with many zeros, and without negative numbers if those must not be sparse."""
    X, y = make_data(estimator)
    X[np.abs(X) < 0.7] = 0.0
    is_positive = {"QuantileTransformer", "SpectralBiclustering", "SpectralCoclustering"}
    return (np.abs(X) if type(estimator).__name__ in is_positive else X), y


@each_estimator("sparse", where=takes_sparse)
def test_sparse_equals_dense(estimator):
    X, y = _data_for_sparse(estimator)
    alike = fresh(estimator, precise=True)
    alike.set_params(**SPARSE_AS_DENSE.get(_name(estimator), {}))
    expected = comparable(fit(fresh(alike), X, y), X)
    for name, container in SPARSE.items():
        model = fit(fresh(alike), container(X), y)
        found = comparable(model, container(X))
        assert_same(found, expected, tolerance(estimator), name)


@each_estimator("sparse_refused", where=lambda e: takes_rows(e) and not takes_sparse(e))
def test_sparse_is_refused_in_words(estimator):
    X, y = make_data(estimator)
    with pytest.raises((TypeError, ValueError), match=r"(?i)sparse"):
        fit(fresh(estimator), sparse.csr_array(X), y)


@each_estimator("float32", where=takes_rows)
def test_float32(estimator):
    """Predictions are near those in float64, and of the type that scikit-learn would give."""
    X, y = make_data(estimator)
    single = y.astype(np.float32) if y is not None and y.dtype.kind == "f" else y
    expected = comparable(fit(fresh(estimator, precise=True), X, y), X)
    model = fit(fresh(estimator), X.astype(np.float32), single)
    assert_same(expected, comparable(model, X.astype(np.float32)), 2e-3)
    twin = _sklearn_twin(estimator)
    if twin is not None and reads_features(estimator):
        sklearn_model = twin.fit(X.astype(np.float32), single)
        for method, values in outputs(model, X.astype(np.float32)).items():
            if not hasattr(sklearn_model, method):  # such as DBSCAN's predict
                continue
            answer = getattr(sklearn_model, method)(X.astype(np.float32))
            theirs = (answer[0] if method == "kneighbors" else answer).dtype
            widens = _stays_single(estimator) and theirs == np.float64
            assert values.dtype == (np.float32 if widens else theirs), method


def _stays_single(estimator):
    """Tell whether float32 stays float32 where scikit-learn's makes float64 of it.

    Its intercept widens predictions, shrunk covariances do, and its sparse splines are float64.
    """
    is_sparse_spline = getattr(estimator, "extrapolation", None) and estimator.sparse_output
    is_widened = type(estimator).__name__ in (
        "LinearDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis",
        "SGDOneClassSVM",
        "SGDRegressor",
    )
    return bool(is_sparse_spline) or is_widened


def _sklearn_twin(estimator):
    """Return scikit-learn's estimator of the same name, or None if it has none."""
    from sklearn.utils import all_estimators

    cls = dict(all_estimators()).get(type(estimator).__name__)
    defaults = inspect.signature(type(estimator)).parameters
    given = estimator.get_params(deep=False)
    changed = {name: value for name, value in given.items() if value is not defaults[name].default}
    if cls is None:
        return None
    known = inspect.signature(cls).parameters  # ours may have more
    return cls(**{name: value for name, value in changed.items() if name in known})


@each_estimator("integers", where=takes_rows)
def test_integers(estimator):
    X, y = make_data(estimator)
    X = np.round(10.0 * X)
    expected = outputs(fit(fresh(estimator, precise=True), X, y), X)
    for dtype in (np.int64, np.int16, object):
        model = fit(fresh(estimator, precise=True), X.astype(dtype), y)
        assert_same(outputs(model, X.astype(dtype)), expected, tolerance(estimator))


# -- order -----------------------------------------------------------------------------------------


@each_estimator("row_order", where=lambda e: not draws_rows(e))
def test_order_of_rows(estimator, global_random_seed):
    X, y = make_data(estimator, seed=global_random_seed)
    order = np.random.default_rng(global_random_seed).permutation(len(X))
    models = []
    for rows in (np.arange(len(X)), order):
        model = without_draws(estimator).set_params(**IN_ANY_ORDER.get(_name(estimator), {}))
        models.append(fit(in_folds(model, rows), X[rows], None if y is None else y[rows]))
    found, expected = (comparable(model, X) for model in models[::-1])
    assert_same(found, expected, 10 * tolerance(estimator))


def _by_name(model, names):
    """Return the order of the output's columns by their names; a product's factors are sorted."""
    given = model.get_feature_names_out(names) if hasattr(model, "get_feature_names_out") else names
    return np.argsort([" ".join(sorted(name.split())) for name in given])


@each_estimator("column_order", where=lambda e: takes_rows(e) and not e._tags().pairwise)
def test_order_of_columns(estimator, global_random_seed):
    X, y = make_data(estimator, seed=global_random_seed)
    order = np.random.default_rng(global_random_seed).permutation(X.shape[1])
    first = fit(without_draws(estimator), X, y)
    second = fit(without_draws(estimator), X[:, order], y)
    found, expected = comparable(second, X[:, order]), comparable(first, X)
    if np.ndim(expected.get("transform")) == 2:
        names = np.array([f"x{j}" for j in range(X.shape[1])], dtype=object)
        expected["transform"] = expected["transform"][:, _by_name(first, names)]
        found["transform"] = found["transform"][:, _by_name(second, names[order])]
    assert_same(found, expected, 10 * tolerance(estimator))


# -- nothing is changed ----------------------------------------------------------------------------


@each_estimator("untouched")
def test_fit_and_predict_change_nothing(estimator):
    X, y = make_data(estimator)
    weight = np.linspace(1.0, 2.0, len(X)) if takes_weight(estimator) else None
    given = [array for array in (X, y, weight) if array is not None]
    before = [array.tobytes() for array in given]
    model = fresh(estimator)
    params = {name: id(value) for name, value in model.get_params(deep=False).items()}
    texts = parameters(model)
    fit(model, X, y, weight)
    state = {name: id(value) for name, value in vars(model).items()}
    first = outputs(model, X)
    assert [array.tobytes() for array in given] == before
    assert {name: id(value) for name, value in model.get_params(deep=False).items()} == params
    assert parameters(model) == texts
    assert {name: id(value) for name, value in vars(model).items()} == state
    assert_identical(outputs(model, X), first)


@each_estimator("untouched_sparse", where=takes_sparse)
def test_fit_and_predict_leave_sparse_input_alone(estimator):
    X, y = _data_for_sparse(estimator)
    matrix = _unsorted(X)
    before = [matrix.data.tobytes(), matrix.indices.tobytes(), matrix.indptr.tobytes()]
    outputs(fit(fresh(estimator), matrix, y), matrix)
    assert [matrix.data.tobytes(), matrix.indices.tobytes(), matrix.indptr.tobytes()] == before


# -- degenerate data -------------------------------------------------------------------------------


def _finite_or_refused(estimator, X, y, *reasons):
    """Fit and predict; the outputs are finite, or a ValueError names one of the reasons.

    Warnings may say that a solver did not converge, or that no column was worth keeping.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found = outputs(fit(fresh(estimator), X, y), X)
    except ValueError as error:
        assert_names(error, *reasons)
        return
    assert_finite(found)


@each_estimator("constant_column", where=takes_rows)
@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1e15])
def test_constant_column(estimator, value):
    X, y = make_data(estimator)
    X[:, -1] = value
    # A number that stands for a level is counted from 0 on.
    _finite_or_refused(estimator, X, y, *([TOO_LARGE] if estimator._tags().categorical else []))


@each_estimator("all_constant", where=takes_rows)
def test_constant_data(estimator):
    X, y = make_data(estimator)
    _finite_or_refused(estimator, np.ones_like(X), y, NOTHING_TO_LEARN)
    one_class = None if y is None else y[:1].repeat(len(y), axis=0)
    _finite_or_refused(estimator, np.zeros_like(X), one_class, NOTHING_TO_LEARN, ONE_CLASS)


@each_estimator("duplicated_column", where=takes_rows)
def test_duplicated_column(estimator):
    X, y = make_data(estimator)
    _finite_or_refused(estimator, np.hstack([X, X[:, :2]]), y, WRONG_SHAPE)


@each_estimator("single", where=takes_rows)
@pytest.mark.parametrize("shape", [(1, 4), (60, 1), (1, 1), (2, 4), (4, 40)])
def test_few_rows_or_columns(estimator, shape):
    X, y = make_data(estimator)
    X = np.tile(X, (1, 10))[: shape[0], : shape[1]]
    reasons = (FEW_ROWS, ONE_CLASS, WRONG_SHAPE, NOTHING_TO_LEARN)
    _finite_or_refused(estimator, X, None if y is None else y[: shape[0]], *reasons)


def _check_scales(estimator, scales):
    X, y = make_data(estimator)
    for scale in scales:
        # Columns of tiny numbers may say nothing to a model with a penalty.
        reason = TOO_LARGE if scale > 1 else NOTHING_TO_LEARN
        _finite_or_refused(estimator, scale * X, y, reason)
        first = np.where(np.arange(X.shape[1]) == 0, scale, 1.0)
        _finite_or_refused(estimator, X * first, y, reason)
        if y is not None and y.dtype.kind == "f":
            _finite_or_refused(estimator, X, scale * y, reason)


@each_estimator("scales", where=takes_rows)
def test_scales(estimator):
    _check_scales(estimator, [1e-30, 1e-12, 1e12, 1e30])


@each_estimator("extreme_scales", where=takes_rows)
def test_extreme_scales(estimator):
    """Even where squares are at the ends of the range of numbers."""
    _check_scales(estimator, [1e-150, 1e150])


@each_estimator("non_finite", where=lambda e: reads_features(e) and not e._tags().allow_nan)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_non_finite_values_are_refused(estimator, value):
    X, y = make_data(estimator)
    model = fit(fresh(estimator), X, y)
    X[7, -1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        fit(fresh(estimator), X, y)
    for method in outputs(model, X[:5]):
        if method != "labels_":
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                getattr(model, method)(X)


@each_estimator("empty", where=reads_features)
@pytest.mark.parametrize("shape", [(0, 4), (60, 0)])
def test_empty_data_are_refused(estimator, shape):
    X, y = make_data(estimator)
    with pytest.raises(ValueError, match=r"0 (sample|feature)"):
        fit(fresh(estimator), X[: shape[0], : shape[1]], None if y is None else y[: shape[0]])
