"""A data frame of any library goes into every estimator, text, dates and gaps included."""

import numpy as np
import pandas as pd
import pytest
from tests.contract.cases import (
    assert_finite,
    assert_identical,
    assert_same,
    each_estimator,
    fills_gaps,
    fit,
    fresh,
    judges_rows,
    make_data,
    n_columns,
    outputs,
    reads_features,
    takes_any_scale,
    takes_gaps,
    takes_many_columns,
    takes_rows,
    takes_table,
    takes_text,
)
from tests.contract.frames import (
    columns_for,
    make_frame,
    mixed_columns,
    scaled_frame,
    select,
    take,
    target_of,
)

import gramian

pytestmark = pytest.mark.filterwarnings("ignore:Bins whose width are too small:UserWarning")

N_ROWS = 180
LIBRARIES = ("pandas", "polars", "pyarrow")
# By default their penalty drops or shrinks columns that matter.
STRONGLY_PENALISED = (
    "Lasso",
    "ElasticNet",
    "QuantileRegressor",
    "GammaRegressor",
    "TweedieRegressor",
)
# The largest column rules the distances between rows: users scale them, and so does the check.
BY_DISTANCE = ("NearestCentroid", "NuSVC", "NuSVR", "SVC", "SVR")
# What a model explains of a target that depends on a number and a text column, at least. A boundary
# halfway between two means leans towards the columns without effect, and so does one of shrunken
# covariances.
LEAST_SCORE = {"LinearDiscriminantAnalysis": 0.8, "NearestCentroid": 0.8}
# A level that was not seen at fit goes the way of missing values, at every split.
UNSEEN_IS_MISSING = ("ExtraTreeRegressor", "ExtraTreesRegressor")


def reads_tables(estimator):
    """Tell whether an estimator looks at columns, and converges on those of these tests."""
    return reads_features(estimator) and takes_table(estimator)


def _fitted(estimator, library, *, missing=True):
    columns = columns_for(estimator, N_ROWS, missing=missing)
    y = target_of(columns, estimator)
    return fit(fresh(estimator), make_frame(library, columns), y), columns


@each_estimator("any_table", where=takes_table)
def test_fits_and_predicts(estimator, frame_library):
    model, _ = _fitted(estimator, frame_library)
    found = outputs(model, make_frame(frame_library, columns_for(estimator, 25, seed=3)))
    for method, values in found.items():
        if method != "labels_":
            assert len(values) == 25, method
    if fills_gaps(estimator):
        assert_finite(found)


def learns_from_tables(estimator):
    """Tell whether a fitted estimator can be asked how well it fits these tables, and fits well."""
    is_fit_for_any = takes_any_scale(estimator) and not estimator._tags().poor_score
    return reads_tables(estimator) and hasattr(estimator, "score") and is_fit_for_any


@each_estimator("any_table_learns", where=learns_from_tables)
def test_columns_are_used(estimator):
    """The target depends on a number and a text column; a model that ignored them would not fit."""
    weak = fresh(estimator)
    if type(weak).__name__.endswith(STRONGLY_PENALISED):
        weak.set_params(alpha=0.001)
    columns = columns_for(estimator, N_ROWS, missing=False)
    y = target_of(columns, estimator)
    by_distance = type(weak).__name__ in BY_DISTANCE
    frame = scaled_frame(columns) if by_distance else make_frame("pandas", columns)
    least = LEAST_SCORE.get(type(weak).__name__, 0.85)
    assert fit(weak, frame, y).score(frame, y) > least


@each_estimator("same_in_all_libraries", where=takes_table)
def test_same_in_all_libraries(estimator):
    """Fitted on any library and given rows of any other, the model is the same bits."""
    new = columns_for(estimator, 25, seed=3)
    models = {library: _fitted(estimator, library)[0] for library in LIBRARIES}
    assert len({gramian.fingerprint(model) for model in models.values()}) == 1
    expected = outputs(models["pandas"], make_frame("pandas", new))
    for library in LIBRARIES:
        assert_identical(outputs(models["pandas"], make_frame(library, new)), expected)


@each_estimator("column_order_of_frames", where=takes_table)
def test_columns_in_another_order(estimator, frame_library):
    model, _ = _fitted(estimator, frame_library)
    new = columns_for(estimator, 25, seed=3)
    expected = outputs(model, make_frame(frame_library, new))
    turned = make_frame(frame_library, select(new, list(new)[::-1]))
    assert_identical(outputs(model, turned), expected)


@each_estimator("unseen_level", where=lambda e: reads_tables(e) and takes_text(e))
def test_unseen_level(estimator, frame_library):
    """A level not seen at fit is the average row's: the outputs lie between those of the levels.

    Or it is a missing value.
    """
    model, columns = _fitted(estimator, frame_library)
    rows = take(columns_for(estimator, 25, seed=3, missing=False), range(5))
    levels = sorted({city for city in columns["city"] if city is not None})
    by_level = [
        outputs(model, make_frame(frame_library, {**rows, "city": [city] * 5})) for city in levels
    ]
    unseen = outputs(model, make_frame(frame_library, {**rows, "city": ["Atlantis"] * 5}))
    if type(estimator).__name__ in UNSEEN_IS_MISSING:
        gap = make_frame(frame_library, {**rows, "city": [None] * 5})
        assert_identical(unseen, outputs(model, gap))
        return
    for method, values in unseen.items():
        if method == "predict" and values.dtype.kind == "f":
            known = np.array([found[method] for found in by_level])
            assert (values >= known.min(axis=0) - 1e-9).all()
            assert (values <= known.max(axis=0) + 1e-9).all()
    if fills_gaps(estimator):
        assert_finite(unseen)


@pytest.mark.filterwarnings("ignore:X has feature names:UserWarning")
@pytest.mark.parametrize("is_frame", [False, True], ids=["array", "frame"])
@each_estimator("numbers_as_categories", where=reads_tables)
def test_categories_that_are_numbers(estimator, is_frame):
    """Where a column held numbers at fit, categories that are numbers are these numbers."""
    X, y = make_data(estimator)
    X = X.round(1) + 0.0  # no category is -0
    numbers = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    model = fit(fresh(estimator), numbers if is_frame else X, y)
    expected = outputs(model, numbers if is_frame else X)
    assert_same(outputs(model, numbers.astype("category")), expected, 1e-12)


@each_estimator("missing_later", where=lambda e: takes_table(e) and takes_gaps(e))
def test_missing_at_predict_only(estimator, frame_library):
    tolerant = fresh(estimator)
    if hasattr(tolerant, "error_on_new"):  # by default it refuses them
        tolerant.set_params(error_on_new=False)
    model, columns = _fitted(tolerant, frame_library, missing=False)
    for column in columns:
        rows = take(columns_for(estimator, 25, seed=3, missing=False), range(6))
        rows[column][2] = None
        found = outputs(model, make_frame(frame_library, rows))
        if fills_gaps(estimator):
            assert_finite(found)


@pytest.mark.filterwarnings("ignore::UserWarning")  # that a column is constant, or left out
@each_estimator("all_missing", where=lambda e: takes_table(e) and takes_gaps(e))
def test_column_without_any_value(estimator, frame_library):
    columns = columns_for(estimator, N_ROWS)
    y = target_of(columns, estimator)
    for name in {"city", "sold"} & columns.keys():
        columns[name] = [None] * N_ROWS
    model = fit(fresh(estimator), make_frame(frame_library, columns), y)
    found = outputs(model, make_frame(frame_library, columns_for(estimator, 25, seed=3)))
    if fills_gaps(estimator):
        assert_finite(found)


@each_estimator(
    "wrong_columns",
    where=lambda e: reads_tables(e) and takes_many_columns(e) and judges_rows(e),
)
def test_missing_and_extra_columns_are_named(estimator, frame_library):
    model, _ = _fitted(estimator, frame_library)
    rows = columns_for(estimator, 25, seed=3)
    fewer = make_frame(frame_library, select(rows, [name for name in rows if name != "rooms"]))
    more = make_frame(frame_library, {**rows, "district": [1.5] * 25}, district="number")
    for method in outputs(model, make_frame(frame_library, rows)):
        with pytest.raises(ValueError, match="yet now missing:\n- rooms"):
            getattr(model, method)(fewer)
        with pytest.raises(ValueError, match="unseen at fit time:\n- district"):
            getattr(model, method)(more)


@each_estimator("feature_names", where=takes_table)
def test_feature_names(estimator, frame_library):
    model, columns = _fitted(estimator, frame_library)
    assert model.feature_names_in_.tolist() == list(columns)
    assert model.feature_names_in_.dtype == object
    assert model.n_features_in_ == len(columns)
    if getattr(model, "encoding_", None) is not None:
        assert "city=Oslo" in model.encoding_.get_feature_names_out()


@each_estimator("text_refused", where=lambda e: takes_table(e) and not takes_text(e))
def test_text_is_refused_in_words(estimator, frame_library):
    columns = mixed_columns(N_ROWS, missing=False)
    with pytest.raises(ValueError, match=r"string to float|non-numeric"):
        fit(fresh(estimator), make_frame(frame_library, columns), target_of(columns, estimator))


@each_estimator("saved_frames", where=takes_table)
def test_saved_and_loaded(estimator, frame_library, tmp_path):
    model, _ = _fitted(estimator, frame_library)
    gramian.save(model, tmp_path / "model.gramian")
    loaded = gramian.load(tmp_path / "model.gramian")
    new = make_frame(frame_library, columns_for(estimator, 25, seed=3))
    assert_identical(outputs(loaded, new), outputs(model, new))
    assert gramian.fingerprint(loaded) == gramian.fingerprint(model)


@each_estimator("numeric_frames", where=lambda e: takes_rows(e) and not e._tags().pairwise)
def test_numbers_in_a_frame_are_an_array(estimator, frame_library):
    """A frame of plain numbers gives what the array of its values gives."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_ROWS, n_columns(estimator, 2)))
    tags = estimator._tags()
    X = np.round(X) if tags.categorical else X
    X = np.abs(X) if tags.positive_only else X
    columns = dict(zip(("size", "height"), X.T.tolist(), strict=False))
    slopes = np.array([1.0, 2.0]) if tags.single_output else np.array([[1.0, 2.0], [2.0, 0.0]])
    trend = X @ slopes[: X.shape[1]]
    y = trend if tags.estimator_type == "regressor" else trend > np.median(trend)
    y = np.exp(0.2 * y) if tags.positive_y else y
    frame = make_frame(frame_library, columns, height="number")
    expected = outputs(fit(fresh(estimator), X, y), X)
    assert_same(outputs(fit(fresh(estimator), frame, y), frame), expected, 1e-12)
