"""What the fuzz has found, one test for each fault."""

import io
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from tests.contract.cases import (
    each_estimator,
    fit,
    fresh,
    is_registered,
    make_data,
    outputs,
    reads_features,
    takes_weight,
)

import gramian
from gramian.boosting import BoostingRegressor
from gramian.compat.catboost import CatBoostRegressor, Pool
from gramian.compat.xgboost import XGBClassifier
from gramian.ensemble import AdaBoostClassifier, RandomForestRegressor, StackingRegressor
from gramian.exceptions import InvalidParameterError, ModelFileError
from gramian.feature_selection import RFE, SelectPercentile
from gramian.linear_model import Lasso, Ridge
from gramian.model_selection import HalvingGridSearchCV, cross_val_score
from gramian.multiclass import OutputCodeClassifier
from gramian.naive_bayes import GaussianNB
from gramian.pipeline import Pipeline
from gramian.preprocessing import (
    LabelBinarizer,
    LabelEncoder,
    MinMaxScaler,
    MultiLabelBinarizer,
    PolynomialFeatures,
    RobustScaler,
    SplineTransformer,
)
from gramian.svm import SVC, LinearSVR
from gramian.tree import DecisionTreeRegressor

X = np.random.default_rng(0).standard_normal((20, 3))
Y = np.arange(20) % 2


def misaligned(array):
    """Return the same numbers, one byte off."""
    buffer = np.zeros(array.nbytes + 1, dtype=np.uint8)
    out = buffer[1:].view(array.dtype).reshape(array.shape)
    out[...] = array
    assert not out.flags.aligned
    return out


@pytest.mark.filterwarnings("ignore")
@each_estimator("strided_weights", where=lambda e: is_registered(e) and takes_weight(e))
def test_weights_of_any_strides(estimator):
    """A broadcast weight, and every second of some, are weights like others."""
    rows, y = make_data(estimator)
    weight = np.repeat(np.random.default_rng(0).uniform(0.5, 2.0, len(rows)), 2)[::2]
    for strided in (weight, misaligned(weight), np.broadcast_to(weight[:1], weight.shape)):
        found = outputs(fit(fresh(estimator), rows, y, strided), rows)
        expected = outputs(fit(fresh(estimator), rows, y, strided.copy()), rows)
        for method, values in expected.items():
            np.testing.assert_array_equal(found[method], values)


@pytest.mark.filterwarnings("ignore")
@each_estimator("misaligned", where=lambda e: is_registered(e) and reads_features(e))
def test_misaligned_memory(estimator):
    rows, y = make_data(estimator)
    target = misaligned(y) if isinstance(y, np.ndarray) and y.dtype.kind == "f" else y
    found = outputs(fit(fresh(estimator), misaligned(rows), target), misaligned(rows))
    expected = outputs(fit(fresh(estimator), rows, y), rows)
    for method, values in expected.items():
        np.testing.assert_array_equal(found[method], values)


@pytest.mark.parametrize("model", [Ridge(), GaussianNB(), SVC()], ids=str)
def test_masked_targets(model):
    whole = np.ma.masked_array(Y, np.zeros(20, dtype=bool))
    np.testing.assert_array_equal(model.fit(X, whole).predict(X), model.fit(X, Y).predict(X))
    with pytest.raises(ValueError, match=r"y contains NaN: 2 of its values are masked"):
        model.fit(X, np.ma.masked_array(Y, np.arange(20) < 2))


def test_integers_of_more_than_64_bits():
    with pytest.raises(InvalidParameterError, match=r"'max_iter' .*an int of 100 bits"):
        Lasso(max_iter=10**30).fit(X, Y)
    assert Lasso(max_iter=2**63 - 1).fit(X, Y).n_iter_ < 100


@pytest.mark.parametrize("model", [SVC(), LinearSVR()], ids=str)
def test_weights_that_are_no_vector(model):
    with pytest.raises(TypeError, match=r"Sparse data was passed for sample_weight"):
        model.fit(X, Y, sparse.csr_array(np.ones((1, 20))))
    with pytest.raises(ValueError, match=r"Complex data not supported"):
        model.fit(X, Y, np.array([1j] + [1.0] * 19, dtype=object))


def test_degrees_without_end():
    with pytest.raises(ValueError, match=r"degree=2147483648 is too large"):
        PolynomialFeatures(2**31).fit(X)
    assert PolynomialFeatures(1023, interaction_only=True).fit(X).n_output_features_ == 8


@pytest.mark.parametrize("given", [(1.0, np.nan), (0.0, np.inf), (1.0,), ("a", "b")])
def test_ranges_that_are_none(given):
    with pytest.raises(ValueError, match=r"feature_range must be two finite numbers"):
        MinMaxScaler(given).fit(X)


def test_lists_of_other_things():
    with pytest.raises(TypeError, match=r"steps must be a pair \(name, estimator\). Got None"):
        Pipeline([None]).fit(X, Y)
    with pytest.raises(ValueError, match=r"cv must be pairs \(train, test\).* Got 'x'"):
        cross_val_score(Ridge(), X, Y, cv={"x": 1})
    with pytest.raises(InvalidParameterError, match=r"eval_metric must be a str, a callable or a"):
        XGBClassifier(n_estimators=2, eval_metric=0).fit(X, Y)
    with pytest.raises(InvalidParameterError, match=r"custom_metric must be a str or a list"):
        CatBoostRegressor(iterations=2, custom_metric=True).fit(X, Y)


def test_labels_of_several_types():
    words = "Labels must be uniformly strings or numbers. Got int, str, type"
    with pytest.raises(TypeError, match=words):
        LabelBinarizer().fit(np.array(["a", 1, object], dtype=object))
    with pytest.raises(TypeError, match=words):
        MultiLabelBinarizer().fit([["a", 1], [object]])


def test_collections_that_are_none():
    with pytest.raises(TypeError, match=r"Each row of y must be a collection of labels. Got 3"):
        MultiLabelBinarizer().fit([["a"]]).transform([3])
    with pytest.raises(TypeError, match=r"Labels and levels must be strings.* Got list, str"):
        LabelEncoder().fit(["a"]).transform(np.array(["a", []], dtype=object))
    with pytest.raises(TypeError, match=r"y must be collections of labels.* Got None"):
        MultiLabelBinarizer().fit(None)
    with pytest.raises(ValueError, match=r"code_size=1e\+300 gives 2e\+300 digits"):
        OutputCodeClassifier(SVC(), code_size=1e300).fit(X, Y)
    with pytest.raises(InvalidParameterError, match=r"eval_metric must be a str or an object"):
        CatBoostRegressor(iterations=2, eval_metric=np.array([1.0, 2.0])).fit(X, Y)
    with pytest.raises(ValueError, match=r"cv holds no pairs"):
        cross_val_score(Ridge(), X, Y, cv=[])
    with pytest.raises(ValueError, match=r"Expected 2D array, got scalar"):
        Pool(np.array(2.0))
    with pytest.raises(TypeError, match="Sparse data was passed for label"):
        Pool(X, sparse.csr_matrix(X[:, :1]))
    with pytest.raises(ValueError, match=r"y has 0 columns"):
        DecisionTreeRegressor().fit(X, np.empty((20, 0)))


def test_parameters_that_only_look_right():
    with pytest.raises(InvalidParameterError, match=r"'percentile' .* Got Fraction\(1, 3\)"):
        SelectPercentile(percentile=Fraction(1, 3)).fit(X, Y)
    with pytest.raises(InvalidParameterError, match=r"'quantile_range' .* an array-like"):
        RobustScaler(quantile_range=np.array(0.5)).fit(X)
    with pytest.raises(ValueError, match=r"quantile_range must be two numbers"):
        RobustScaler(quantile_range=(None, 3)).fit(X)
    with pytest.raises(ValueError, match=r"factor=1 .* at least 1.001"):
        HalvingGridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, factor=1).fit(X, Y)
    with pytest.raises(TypeError, match=r"is a class; an instance"):
        AdaBoostClassifier(estimator=Ridge)._tags()
    with pytest.raises(ValueError, match=r"importance_getter must name an attribute. Got ''"):
        RFE(Ridge(), importance_getter="").fit(X, Y)


def test_booleans_of_numpy():
    model = BoostingRegressor(n_estimators=3, min_samples_leaf=2, linear_leaves=np.True_)
    same = BoostingRegressor(n_estimators=3, min_samples_leaf=2, linear_leaves=True)
    np.testing.assert_array_equal(model.fit(X, Y).predict(X), same.fit(X, Y).predict(X))


def _numbers_as_numpy(estimator):
    """Yield the parameters of an estimator that are numbers, as the same numbers of NumPy."""
    for name, value in estimator.get_params(deep=False).items():
        if name not in ("n_jobs", "thread_count", "random_state", "verbose"):
            if isinstance(value, bool):
                yield name, np.bool_(value)
            elif isinstance(value, int):
                yield name, np.int64(value)
            elif isinstance(value, float) and np.isfinite(value):
                yield name, np.longdouble(value)


@pytest.mark.filterwarnings("ignore")
@each_estimator("numpy_parameters", where=is_registered)
def test_parameters_of_numpy_types(estimator):
    """A number means the same in any type, as in a grid that NumPy has made."""
    rows, y = make_data(estimator)
    params = dict(_numbers_as_numpy(estimator))
    try:
        found = outputs(fit(fresh(estimator).set_params(**params), rows, y), rows)
    except InvalidParameterError:  # some parameters must be of Python's type, as in other libraries
        return
    expected = outputs(fit(fresh(estimator), rows, y), rows)
    for method, values in expected.items():
        if values.dtype.kind == "f":
            np.testing.assert_allclose(found[method], values, rtol=1e-6, atol=1e-9)
        else:
            np.testing.assert_array_equal(found[method], values)


def test_degrees_of_unsigned_integers():
    expected = SplineTransformer(degree=2).fit_transform(X)
    np.testing.assert_array_equal(SplineTransformer(degree=np.uint64(2)).fit_transform(X), expected)


def test_widths_of_a_stack_in_a_file():
    stack = StackingRegressor([("plane", Ridge())], Ridge(), cv=2).fit(X, Y)
    stack._widths = [2**32]
    file = io.BytesIO()
    gramian.save(stack, file)
    with pytest.raises(ModelFileError, match=r"the widths of the members do not fit"):
        gramian.load(file)


def test_draws_of_a_forest_in_a_file():
    """They are not bounded by an array, but by what a row number can be."""
    forest = RandomForestRegressor(n_estimators=2).fit(X, Y)
    object.__setattr__(forest._row_draws, "n_draws", 2**40)
    file = io.BytesIO()
    gramian.save(forest, file)
    with pytest.raises(ModelFileError, match="is no number of rows"):
        gramian.load(file)
