"""Extra arguments reach the parts that request them, across both libraries, and only those."""

import io
import pickle

import numpy as np
import pytest
import sklearn
import sklearn.linear_model
import sklearn.model_selection
import sklearn.pipeline
import sklearn.preprocessing
from sklearn.exceptions import UnsetMetadataPassedError as TheirUnset

import gramian
from gramian.base import BaseEstimator, OutlierMixin, RegressorMixin, TransformerMixin, clone
from gramian.calibration import CalibratedClassifierCV
from gramian.compose import ColumnTransformer, TransformedTargetRegressor
from gramian.dummy import DummyClassifier
from gramian.exceptions import UnsetMetadataPassedError
from gramian.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
from gramian.linear_model import LinearRegression, Ridge
from gramian.metrics import check_scoring, get_scorer, make_scorer, mean_squared_error
from gramian.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score, cross_validate
from gramian.pipeline import FeatureUnion, make_pipeline
from gramian.preprocessing import StandardScaler, TargetEncoder

RNG = np.random.RandomState(0)
X = RNG.normal(size=(60, 4))
Y = X @ [1.0, 2.0, -1.0, 0.0] + RNG.normal(size=60)
WEIGHT = RNG.uniform(0.1, 2.0, size=60)
GROUPS = np.arange(60) % 5
RIDGES = [Ridge, sklearn.linear_model.Ridge]
SCALERS = [StandardScaler, sklearn.preprocessing.StandardScaler]
LIBRARIES = [gramian.model_selection, sklearn.model_selection]
weighted = pytest.mark.parametrize("ridge", RIDGES, ids=["ours", "theirs"])


@pytest.fixture(autouse=True)
def routing():
    """Turn routing on in both libraries."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Recorder(RegressorMixin, TransformerMixin, BaseEstimator):
    def fit(self, X, y, sample_weight=None, extra=None):
        self.seen_ = {"sample_weight": sample_weight, "extra": extra}
        return self

    def transform(self, X, scale=1.0):
        return np.asarray(X) * scale

    def predict(self, X, shift=0.0):
        return np.zeros(len(X)) + shift


class Plain(Recorder):
    def fit(self, X, y):
        self.seen_ = {}
        return self


def test_setters_are_there_for_extra_arguments_only():
    assert "set_fit_request" in dir(Recorder) and "set_transform_request" in dir(Recorder)
    assert not hasattr(Recorder, "set_partial_fit_request")
    assert not hasattr(Ridge, "set_predict_request")
    with pytest.raises(TypeError, match="Unexpected args"):
        Recorder().set_fit_request(shift=True)
    with pytest.raises(TypeError, match="Unexpected args"):
        Plain().set_fit_request(extra=True)  # the parent's fit had it
    with pytest.raises(ValueError, match="valid identifier"):
        Recorder().set_fit_request(extra="not a name")
    assert Recorder().get_metadata_routing().fit.requests == {"sample_weight": None, "extra": None}


def test_setters_need_routing():
    with sklearn.config_context(enable_metadata_routing=False):
        with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
            Ridge().set_fit_request(sample_weight=True)
        with gramian.config(enable_metadata_routing=True):
            Ridge().set_fit_request(sample_weight=True)
        with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
            get_scorer("r2").set_score_request(sample_weight=True)


def test_requests_are_copied_saved_and_pickled():
    model = Ridge().set_fit_request(sample_weight="w").set_score_request(sample_weight=False)
    file = io.BytesIO()
    gramian.save(model, file)
    copies = [clone(model), sklearn.clone(model), gramian.load(file)]
    for copy in [*copies, pickle.loads(pickle.dumps(model))]:
        assert copy.get_metadata_routing().fit.requests == {"sample_weight": "w"}
        assert copy.get_metadata_routing().score.requests == {"sample_weight": False}
    clone(model).set_fit_request(sample_weight=True)
    assert model.get_metadata_routing().fit.requests == {"sample_weight": "w"}


@weighted
@pytest.mark.parametrize(
    "library", [gramian.model_selection, sklearn.model_selection], ids=["o", "t"]
)
def test_cross_validation_serves_both_libraries(ridge, library):
    model = ridge().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    params = {"sample_weight": WEIGHT, "groups": GROUPS}
    folds = library.GroupKFold(3)
    found = library.cross_validate(model, X, Y, cv=folds, params=params)["test_score"]
    wanted = []
    for train, test in folds.split(X, Y, GROUPS):
        fitted = ridge().fit(X[train], Y[train], WEIGHT[train])
        wanted.append(fitted.score(X[test], Y[test], WEIGHT[test]))
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


def test_unset_and_unknown_arguments():
    with pytest.raises(UnsetMetadataPassedError, match=r"within cross_validate\. Call") as error:
        cross_validate(Ridge(), X, Y, params={"sample_weight": WEIGHT})
    assert isinstance(error.value, TheirUnset)
    assert list(error.value.unrequested_params) == ["sample_weight"]
    with pytest.raises(TypeError, match=r"cross_val.* got unexpected argument.*nothing"):
        cross_val_score(Ridge(), X, Y, params={"nothing": 1})
    with pytest.raises(ValueError, match="`params` argument"):
        cross_validate(Ridge(), X, Y, groups=GROUPS)
    refused = Ridge().set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
    found = cross_val_score(refused, X, Y, params={"sample_weight": WEIGHT}, cv=KFold(2))
    wanted = [
        Ridge().fit(X[train], Y[train]).score(X[test], Y[test], WEIGHT[test])
        for train, test in KFold(2).split(X)
    ]
    np.testing.assert_allclose(found, wanted)


def test_scorers():
    scorer = make_scorer(mean_squared_error, greater_is_better=False)
    scorer.set_score_request(sample_weight="w")
    model = Ridge().set_fit_request(sample_weight=True)
    params = {"w": WEIGHT, "sample_weight": np.ones(60)}
    several = {"mse": scorer, "r2": get_scorer("r2").set_score_request(sample_weight=False)}
    found = cross_validate(model, X, Y, params=params, scoring=several, cv=KFold(2))
    wanted = []
    for train, test in KFold(2).split(X):
        predicted = Ridge().fit(X[train], Y[train]).predict(X[test])
        wanted.append(-mean_squared_error(Y[test], predicted, sample_weight=WEIGHT[test]))
    np.testing.assert_allclose(found["test_mse"], wanted, rtol=1e-10)
    with pytest.warns(UserWarning, match="already set as kwargs"):
        make_scorer(mean_squared_error, sample_weight=None).set_score_request(sample_weight=True)


@weighted
def test_searches(ridge):
    model = ridge().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    grid = {"alpha": [0.1, 10.0]}
    params = {"sample_weight": WEIGHT, "groups": GROUPS}
    found = GridSearchCV(model, grid, cv=GroupKFold(3)).fit(X, Y, **params)
    wanted = sklearn.model_selection.GridSearchCV(
        model, grid, cv=sklearn.model_selection.GroupKFold(3)
    ).fit(X, Y, **params)
    np.testing.assert_allclose(
        found.cv_results_["mean_test_score"], wanted.cv_results_["mean_test_score"], rtol=1e-10
    )
    np.testing.assert_allclose(
        found.score(X, Y, sample_weight=WEIGHT), wanted.score(X, Y, sample_weight=WEIGHT)
    )


@weighted
@pytest.mark.parametrize("scaler", SCALERS, ids=["ours", "theirs"])
def test_pipelines(ridge, scaler):
    scale = scaler().set_fit_request(sample_weight=True)
    model = ridge().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    found = make_pipeline(scale, model).fit(X, Y, sample_weight=WEIGHT)
    wanted = sklearn.pipeline.make_pipeline(clone(scale), clone(model))
    wanted.fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_allclose(found.predict(X), wanted.predict(X), rtol=1e-10)
    assert found.score(X, Y, sample_weight=WEIGHT) == pytest.approx(
        wanted.score(X, Y, sample_weight=WEIGHT)
    )
    params = {"sample_weight": WEIGHT}
    scores = [each.cross_val_score(found, X, Y, params=params, n_jobs=2) for each in LIBRARIES]
    np.testing.assert_allclose(*scores)


def test_arguments_of_every_method():
    first = Recorder().set_fit_request(extra=True, sample_weight=False)
    first.set_transform_request(scale=True)
    last = (
        Recorder()
        .set_predict_request(shift="offset")
        .set_fit_request(sample_weight="w", extra=False)
    )
    model = make_pipeline(first, last).fit(X, Y, extra=3, w=WEIGHT)
    assert model[0].seen_ == {"sample_weight": None, "extra": 3}
    assert model[1].seen_["extra"] is None
    np.testing.assert_array_equal(model[1].seen_["sample_weight"], WEIGHT)
    np.testing.assert_array_equal(model.predict(X, offset=2.0), np.full(60, 2.0))
    np.testing.assert_array_equal(model[:1].transform(X, scale=3.0), X * 3.0)


def test_unions_and_columns():
    asking = Recorder().set_fit_request(extra=True, sample_weight=False)
    asking.set_transform_request(scale=True)
    refusing = Recorder().set_fit_request(extra=False, sample_weight=False)
    refusing.set_transform_request(scale=False)
    union = FeatureUnion([("a", asking), ("b", refusing)])
    columns = ColumnTransformer([("a", asking, [0, 1]), ("b", refusing, [2, 3])])
    np.testing.assert_array_equal(
        union.fit(X, Y, extra=1).transform(X, scale=2.0), np.hstack([X * 2, X])
    )
    np.testing.assert_array_equal(
        columns.fit(X, Y, extra=1).transform(X, scale=2.0), np.hstack([X[:, :2] * 2, X[:, 2:]])
    )
    assert [part.seen_["extra"] for _, part, _ in columns.transformers_] == [1, None]


@pytest.mark.parametrize(
    "make", [SelectFromModel, RFE, SequentialFeatureSelector, RFECV, TransformedTargetRegressor]
)
def test_weights_reach_the_model_inside(make):
    asking = LinearRegression().set_fit_request(sample_weight=True)
    asking.set_score_request(sample_weight=False)
    options = {"cv": 2} if make in (RFECV, SequentialFeatureSelector) else {}
    if make in (RFECV, SequentialFeatureSelector):
        options["scoring"] = get_scorer("r2").set_score_request(sample_weight=False)
    first, second = (
        make(asking, **options).fit(X, Y, sample_weight=weight)
        for weight in (WEIGHT, np.where(X[:, 0] > 0, 1e-6, 1.0))
    )
    inner = [getattr(m, "estimator_", getattr(m, "regressor_", None)) for m in (first, second)]
    if inner[0] is not None:  # a sequential selector keeps no model
        assert not np.array_equal(inner[0].coef_, inner[1].coef_)
    with pytest.raises(UnsetMetadataPassedError):
        make(LinearRegression(), **options).fit(X, Y, sample_weight=WEIGHT)


def test_splitters_ask_for_groups():
    assert GroupKFold().get_metadata_routing().split.requests == {"groups": True}
    assert KFold().get_metadata_routing().split.requests == {}
    renamed = GroupKFold(3).set_split_request(groups="who")
    found = cross_val_score(Ridge(), X, Y, cv=renamed, params={"who": GROUPS})
    with sklearn.config_context(enable_metadata_routing=False):
        wanted = cross_val_score(Ridge(), X, Y, cv=GroupKFold(3), groups=GROUPS)
    np.testing.assert_array_equal(found, wanted)


def test_off_is_as_before():
    with sklearn.config_context(enable_metadata_routing=False):
        model = make_pipeline(StandardScaler(), Ridge()).fit(X, Y, ridge__sample_weight=WEIGHT)
        direct = Ridge().fit(StandardScaler().fit_transform(X), Y, WEIGHT)
        np.testing.assert_allclose(model[-1].coef_, direct.coef_)
        with pytest.raises(ValueError, match="stepname__parameter"):
            make_pipeline(Ridge()).fit(X, Y, sample_weight=WEIGHT)
        with pytest.raises(ValueError, match="enable_metadata_routing"):
            ColumnTransformer([("a", StandardScaler(), [0])]).fit(X, sample_weight=WEIGHT)


def test_calibration_and_target_means_route_to_the_splitter():
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(60, 2)), np.repeat(np.arange(6), 10)
    y, weight = (X[:, 0] > 0).astype(int), rng.integers(1, 4, 60)
    inner = DummyClassifier(strategy="prior").set_fit_request(sample_weight=True)
    model = CalibratedClassifierCV(inner, cv=GroupKFold(3))
    model.fit(X, y, sample_weight=weight, groups=groups)
    encoder = TargetEncoder(cv=GroupKFold(3), target_type="continuous", smooth=0.0)
    means = encoder.fit_transform(np.zeros((60, 1), dtype=int), X[:, 0], groups=groups)
    with pytest.raises(TypeError, match="not routed to any object"):
        encoder.fit_transform(X, y, fold=groups)
    splits = list(GroupKFold(3).split(X, y, groups))
    for pair, (train, _) in zip(model.calibrated_classifiers_, splits, strict=True):
        share = np.average(y[train], weights=weight[train])
        np.testing.assert_allclose(pair.estimator.class_prior_[1], share)
    for train, test in splits:
        np.testing.assert_allclose(means[test, 0], X[train, 0].mean())
    off = sklearn.config_context(enable_metadata_routing=False)
    with off, pytest.raises(ValueError, match="enable_metadata_routing=True"):
        encoder.fit_transform(X, y, groups=groups)


def test_arguments_that_the_second_step_would_want():
    class Shift(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None, by=None):
            return self

        def transform(self, X, by=None):
            return X

    class Detector(OutlierMixin, BaseEstimator):
        def fit(self, X, y=None, by=None):
            return self

        def predict(self, X, by=None):
            return np.ones(len(X))

    with pytest.warns(UserWarning, match="`transform` method which consumes metadata"):
        Shift().set_transform_request(by=True).fit_transform([[1.0]], by=1)
    with pytest.warns(UserWarning, match="`predict` method which consumes metadata"):
        Detector().set_predict_request(by=True).fit_predict([[1.0]], by=1)
    Shift().set_transform_request(by=True).fit_transform([[1.0]])


def test_several_scores_share_their_arguments():
    def first(y_true, y_pred, bonus=0.0):
        return bonus

    def second(y_true, y_pred, bonus=0.0, sample_weight=None):
        return bonus + sum(sample_weight)

    model = Ridge().fit([[0.0], [1.0]], [0.0, 1.0])
    scorer = check_scoring(model, {"a": make_scorer(first), "b": make_scorer(second)})
    with sklearn.config_context(enable_metadata_routing=False):
        scores = scorer(model, [[0.0], [1.0]], [0.0, 1.0], bonus=2.0, sample_weight=[1.0, 3.0])
    assert scores == {"a": 2.0, "b": 6.0}
