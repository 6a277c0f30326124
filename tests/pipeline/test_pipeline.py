"""Pipelines against scikit-learn's, and with its steps."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn import pipeline as sk
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import gramian
from gramian.base import BaseEstimator, TransformerMixin, is_classifier, is_regressor
from gramian.exceptions import InvalidParameterError, NotFittedError
from gramian.feature_selection import SelectKBest, VarianceThreshold, f_regression
from gramian.impute import SimpleImputer
from gramian.linear_model import LinearRegression, Ridge
from gramian.pipeline import FeatureUnion, Pipeline, make_pipeline

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4))
Y = X @ [1.0, 2.0, 0.0, 0.0] + 0.1 * RNG.standard_normal(60)
LABELS = (Y > 0).astype(int)


class Counting(TransformerMixin, BaseEstimator):
    """Counts its fits; keeps the weight it was given."""

    fits = 0

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, y=None, sample_weight=None, reference=None):
        type(self).fits += 1
        self.weight_, self.reference_ = sample_weight, reference
        return self

    def transform(self, X):
        return np.asarray(X) + self.shift


class FitOnly(BaseEstimator):
    """Has no transform."""

    def fit(self, X, y=None):
        return self


def ridge_pipeline():
    return Pipeline([("best", SelectKBest(f_regression, k=2)), ("ridge", Ridge())])


@pytest.mark.parametrize("final", [LogisticRegression(), KMeans(2, random_state=0, n_init=1)])
def test_same_as_sklearn(final):
    steps = [("scale", StandardScaler()), ("final", final)]
    theirs = sk.Pipeline(copy.deepcopy(steps)).fit(X, LABELS)
    ours = Pipeline(copy.deepcopy(steps)).fit(X, LABELS)
    methods = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform")
    for name in (*methods, "score_samples", "inverse_transform", "fit_predict", "fit_transform"):
        assert hasattr(ours, name) == hasattr(theirs, name), name
    for name in methods:
        if hasattr(theirs, name):
            np.testing.assert_array_equal(getattr(ours, name)(X), getattr(theirs, name)(X))
    assert ours.score(X, LABELS) == theirs.score(X, LABELS)
    weight = np.arange(60.0)
    assert ours.score(X, LABELS, weight) == theirs.score(X, LABELS, weight)
    if hasattr(theirs, "fit_predict"):
        np.testing.assert_array_equal(ours.fit_predict(X), theirs.fit_predict(X))


def test_nested_parameters():
    model = make_pipeline(StandardScaler(), ridge_pipeline())
    model.set_params(pipeline__ridge__alpha=3.0, standardscaler__with_mean=False)
    assert model["pipeline"]["ridge"].alpha == 3.0
    assert model.get_params()["pipeline__ridge__alpha"] == 3.0
    model.set_params(standardscaler=MinMaxScaler(), pipeline__best__k=1)
    assert isinstance(model[0], MinMaxScaler)
    assert model[1][0].k == 1
    model.set_params(steps=[("only", Ridge())])
    assert len(model) == 1
    with pytest.raises(ValueError, match="Invalid parameter 'nothing' for estimator Pipeline"):
        model.set_params(nothing=1)
    with pytest.raises(ValueError, match="Invalid parameter 'wrong' for estimator Ridge"):
        model.set_params(only__wrong=1)


def test_items_and_slices():
    model = ridge_pipeline().fit(X, Y)
    assert model[-1] is model["ridge"] is model.named_steps.ridge
    assert len(model[:-1]) == 1
    assert model[:1].transform(X).shape == (60, 2)
    with pytest.raises(ValueError, match="step of 1"):
        model[::2]
    with pytest.raises(KeyError):
        model["nothing"]


@pytest.mark.parametrize("nothing", ["passthrough", None])
def test_passthrough(nothing):
    model = Pipeline([("same", nothing), ("ridge", Ridge())]).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Ridge().fit(X, Y).predict(X))
    model = Pipeline([("scale", StandardScaler()), ("same", nothing)])
    np.testing.assert_array_equal(model.fit_transform(X), StandardScaler().fit_transform(X))
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X)
    assert not hasattr(model, "predict")
    assert not hasattr(ridge_pipeline(), "transform")


def test_fit_parameters_reach_their_step():
    weight = np.linspace(0.1, 2.0, 60)
    model = Pipeline([("count", Counting()), ("ridge", Ridge())])
    model.fit(X, Y, ridge__sample_weight=weight, count__sample_weight=weight[::-1])
    expected = Ridge().fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(model[-1].coef_, expected.coef_, rtol=1e-12)
    np.testing.assert_array_equal(model[0].weight_, weight[::-1])
    with pytest.raises(ValueError, match="does not accept the sample_weight parameter"):
        model.fit(X, Y, sample_weight=weight)
    with pytest.raises(KeyError, match="nothing"):
        model.fit(X, Y, nothing__sample_weight=weight)


def test_transform_input():
    steps = [("scale", StandardScaler()), ("count", Counting())]
    model = Pipeline(steps, transform_input=["reference"])
    model.fit(X, Y, count__reference=X[:5], count__sample_weight=Y)
    np.testing.assert_allclose(model[1].reference_, model[0].transform(X[:5]))
    np.testing.assert_array_equal(model[1].weight_, Y)
    model.fit(X, Y, count__reference=(X[:5], X[5:7]))
    assert [len(part) for part in model[1].reference_] == [5, 2]


@pytest.mark.parametrize("as_object", [False, True])
def test_memory(tmp_path, as_object):
    memory = joblib.Memory(str(tmp_path), verbose=0) if as_object else str(tmp_path)
    step = Counting(shift=1.0 + as_object)
    Counting.fits = 0
    for _ in range(2):
        model = Pipeline([("count", step), ("ridge", Ridge())], memory=memory).fit(X, Y)
        assert not hasattr(step, "weight_")
        assert hasattr(model[0], "weight_")
    assert Counting.fits == 1
    model.set_params(count__shift=5.0).fit(X, Y)
    assert Counting.fits == 2
    np.testing.assert_allclose(model.predict(X), Ridge().fit(X, Y).predict(X), rtol=1e-9)


def test_verbose(capsys):
    steps = [("scale", StandardScaler()), ("same", "passthrough"), ("ridge", Ridge())]
    sk.Pipeline(steps, verbose=True).fit(X, Y)
    expected = capsys.readouterr().out
    Pipeline(steps, verbose=True).fit(X, Y)
    assert capsys.readouterr().out == expected


def test_names_through_steps():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make_pipeline(VarianceThreshold(), SelectKBest(f_regression, k=2), Ridge())
    model.fit(frame, Y)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert model.n_features_in_ == 4
    assert model[:-1].get_feature_names_out().tolist() == ["a", "b"]
    with pytest.raises(AttributeError, match="Did you mean to call pipeline"):
        model.get_feature_names_out()
    model.set_output(transform="pandas").fit(frame, Y)
    assert model[:-1].transform(frame).columns.tolist() == ["a", "b"]
    assert model[-1].feature_names_in_.tolist() == ["a", "b"]
    twin = gramian.clone(model).fit(frame, Y)
    assert isinstance(twin[:-1].transform(frame), pd.DataFrame)


def test_any_table(make_frame):
    columns = {name: X[:, j].tolist() for j, name in enumerate("abcd")}
    columns["a"][3] = None
    model = make_pipeline(SimpleImputer(), Ridge()).fit(make_frame(columns), Y)
    turned = make_frame({name: columns[name] for name in "dcba"})
    np.testing.assert_array_equal(model.predict(turned), model.predict(make_frame(columns)))


def test_tags_and_state():
    assert is_regressor(ridge_pipeline())
    assert is_classifier(make_pipeline(StandardScaler(), LogisticRegression()))
    assert not ridge_pipeline()._tags().transformer
    assert make_pipeline(StandardScaler())._tags().transformer
    assert make_pipeline(SimpleImputer(), Ridge())._tags().allow_nan
    assert not make_pipeline(VarianceThreshold(), Ridge())._tags().allow_nan
    model = ridge_pipeline()
    assert not model.__sklearn_is_fitted__()
    for kind in (NotFittedError, sklearn.exceptions.NotFittedError):
        with pytest.raises(kind, match="Pipeline instance is not fitted"):
            model.predict(X)
    assert model.fit(X, Y).__sklearn_is_fitted__()
    assert not hasattr(model, "classes_")
    classes = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, LABELS).classes_
    assert classes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("steps", "error", "message"),
    [
        ([], ValueError, "The pipeline is empty"),
        ([("a", FitOnly()), ("b", Ridge())], TypeError, "All intermediate steps should be transf"),
        ([("a", StandardScaler()), ("b", 3)], TypeError, "Last step of Pipeline should"),
        ([("a", StandardScaler), ("b", Ridge())], TypeError, "Expected an estimator instance"),
        ([("a", StandardScaler()), ("a", Ridge())], ValueError, "not unique"),
        ([("a__b", StandardScaler()), ("b", Ridge())], ValueError, "must not contain __"),
        ([("steps", StandardScaler()), ("b", Ridge())], ValueError, "conflict with constructor"),
        (3, InvalidParameterError, "must be a list of"),
    ],
)
def test_errors(steps, error, message):
    with pytest.raises(error, match=message):
        Pipeline(steps).fit(X, Y)
    with pytest.raises((ValueError, TypeError)):
        sk.Pipeline(steps).fit(X, Y)


def test_failed_fit_keeps_the_steps():
    model = ridge_pipeline()
    steps = model.steps
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full_like(X, np.nan), Y)
    assert model.steps is steps


def test_repr_and_html():
    model = ridge_pipeline()
    assert repr(make_pipeline(Ridge())) == "Pipeline(steps=[('ridge', Ridge())])"
    page = model._repr_html_()
    assert page.count("<details") == page.count("</details>") == 3
    assert "not fitted" in page
    assert page.count("(fitted)") < model.fit(X, Y)._repr_html_().count("(fitted)")
    assert "Ridge" in make_pipeline(StandardScaler(), Ridge())._repr_html_()


def test_copies(tmp_path):
    model = ridge_pipeline().fit(X, Y)
    gramian.save(model, tmp_path / "model.gramian")
    for twin in (pickle.loads(pickle.dumps(model)), gramian.load(tmp_path / "model.gramian")):
        np.testing.assert_array_equal(twin.predict(X), model.predict(X))
        assert gramian.fingerprint(twin) == gramian.fingerprint(model)
    for clone in (gramian.clone, sklearn.clone):
        twin = clone(model)
        assert not twin.__sklearn_is_fitted__()
        np.testing.assert_array_equal(twin.fit(X, Y).predict(X), model.predict(X))


def test_inside_sklearn():
    search = GridSearchCV(ridge_pipeline(), {"ridge__alpha": [0.1, 1.0], "best__k": [1, 2]}, cv=3)
    assert search.fit(X, Y).best_params_ == {"best__k": 2, "ridge__alpha": 0.1}
    assert cross_val_score(ridge_pipeline(), X, Y).mean() > 0.9
    outer = sk.make_pipeline(make_pipeline(VarianceThreshold()), LinearRegression()).fit(X, Y)
    assert outer.score(X, Y) > 0.9
    union = sk.FeatureUnion([("ours", FeatureUnion([("a", StandardScaler())]))])
    assert union.fit_transform(X).shape == X.shape


def test_extra_arguments_need_routing():
    class Scored(BaseEstimator):
        def fit(self, X, y=None):
            return self

        def decision_function(self, X):
            return X

    model = Pipeline([("scored", Scored())]).fit(X)
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        model.decision_function(X, sample_weight=Y)
