"""The estimator base class: parameters, cloning, tags, pickling, mixins."""

import copy
import pickle

import numpy as np
import pytest
import sklearn
from sklearn.utils import get_tags

import gramian
from gramian._tags import tags_of
from gramian.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    MetaEstimatorMixin,
    OutlierMixin,
    RegressorMixin,
    Tags,
    TransformerMixin,
    clone,
    is_classifier,
    is_clusterer,
    is_outlier_detector,
    is_regressor,
)
from gramian.dummy import DummyClassifier
from gramian.exceptions import InconsistentVersionWarning
from gramian.linear_model import LinearRegression, Ridge
from gramian.model_selection import GridSearchCV
from gramian.params import Anything, param
from gramian.validation import check_is_fitted


class Wrapper(MetaEstimatorMixin, BaseEstimator):
    inner = param(None, Anything())
    other = param(None, Anything())


# -- parameters ------------------------------------------------------------------------------------


def test_get_params_deep_and_shallow():
    model = Wrapper(inner=Ridge(alpha=3.0))
    assert set(model.get_params(deep=False)) == {"inner", "other"}
    deep = model.get_params()
    assert deep["inner__alpha"] == 3.0
    assert deep["inner"] is model.inner
    assert deep["inner__solver"] == "auto"


def test_classes_are_not_opened():
    assert set(Wrapper(inner=Ridge).get_params()) == {"inner", "other"}


def test_nested_set_params():
    model = Wrapper(inner=Wrapper(inner=Ridge()), other=LinearRegression())
    returned = model.set_params(inner__inner__alpha=7.0, other__positive=True, inner__other=5)
    assert returned is model
    assert model.inner.inner.alpha == 7.0
    assert model.other.positive
    assert model.inner.other == 5


@pytest.mark.parametrize("order", [("inner", "inner__alpha"), ("inner__alpha", "inner")])
def test_nested_value_goes_to_the_new_estimator(order):
    new, old = Ridge(), Ridge()
    values = {"inner": new, "inner__alpha": 5.0}
    Wrapper(inner=old).set_params(**{name: values[name] for name in order})
    assert new.alpha == 5.0
    assert old.alpha == 1.0


def test_set_nothing():
    model = Ridge()
    assert model.set_params() is model


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "gamma",
            r"Invalid parameter 'gamma' for estimator Ridge\(\). Valid parameters are: \['alpha', ",
        ),
        ("gamma__depth", "Invalid parameter 'gamma' for estimator"),
        ("alhpa", r"Valid parameters are: \[.*\]. Did you mean 'alpha'\?$"),
    ],
)
def test_unknown_parameter(name, message):
    model = Ridge()
    with pytest.raises(ValueError, match=message):
        model.set_params(**{name: 1})


def test_unknown_nested_parameter():
    with pytest.raises(ValueError, match="Invalid parameter 'gamma' for estimator Ridge"):
        Wrapper(inner=Ridge()).set_params(inner__gamma=1)


def test_works_inside_sklearn_params():
    pipeline = sklearn.pipeline.make_pipeline(sklearn.preprocessing.StandardScaler(), Ridge())
    pipeline.set_params(ridge__alpha=4.0)
    assert pipeline.get_params()["ridge__alpha"] == 4.0
    model = Wrapper(inner=pipeline).set_params(inner__ridge__alpha=6.0)
    assert model.inner[-1].alpha == 6.0


# -- cloning ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("make_clone", [clone, sklearn.clone], ids=["gramian", "sklearn"])
def test_clone_is_deep_and_unfitted(make_clone):
    alpha = np.array([1.0, 2.0])
    model = Wrapper(inner=Ridge(alpha=alpha), other=[Ridge(), 3])
    model.fitted_ = 1
    twin = make_clone(model)
    assert not hasattr(twin, "fitted_")
    assert twin.inner is not model.inner
    assert twin.inner.alpha is not alpha
    assert np.array_equal(twin.inner.alpha, alpha)
    assert twin.other[0] is not model.other[0]


def test_clone_containers():
    models = [Ridge(alpha=2.0), LinearRegression()]
    twins = clone(models)
    assert [type(twin) for twin in twins] == [Ridge, LinearRegression]
    assert isinstance(clone(tuple(models)), tuple)
    assert clone(models)[0].alpha == 2.0


def test_clone_of_sklearn_estimators():
    assert clone(sklearn.linear_model.Ridge(alpha=3.0)).alpha == 3.0
    frozen = sklearn.frozen.FrozenEstimator(sklearn.linear_model.Ridge())
    assert clone(frozen) is frozen


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (Ridge, "it is a class. You should provide an instance"),
        (3.0, "Cannot clone 3.0: it is no estimator"),
        ("text", "it is no estimator"),
    ],
)
def test_clone_errors(thing, message):
    with pytest.raises(TypeError, match=message):
        clone(thing)


def test_unsafe_clone_copies():
    value = {"a": [1]}
    twin = clone(value, safe=False)
    assert twin == value
    assert twin["a"] is not value["a"]


def test_clone_of_a_constructor_that_changes_its_argument():
    class Bad(BaseEstimator):
        def __init__(self, sizes=()):
            self.sizes = list(sizes)

    with pytest.raises(RuntimeError, match=r"its constructor changes or does not set .* 'sizes'"):
        clone(Bad(sizes=(1, 2)))


def test_clone_keeps_output_choice():
    class Same(TransformerMixin, BaseEstimator):
        def transform(self, X):
            return X

    twin = clone(Same().set_output(transform="pandas"))
    assert twin._sklearn_output_config == {"transform": "pandas"}


# -- tags ------------------------------------------------------------------------------------------


class Regressor(RegressorMixin, BaseEstimator):
    pass


class Classifier(ClassifierMixin, BaseEstimator):
    pass


class Clusterer(ClusterMixin, BaseEstimator):
    pass


class Detector(OutlierMixin, BaseEstimator):
    pass


class Transformer(TransformerMixin, BaseEstimator):
    pass


@pytest.mark.parametrize(
    ("cls", "kind", "needs_y"),
    [
        (Regressor, "regressor", True),
        (Classifier, "classifier", True),
        (Clusterer, "clusterer", False),
        (Detector, "outlier_detector", False),
        (Transformer, None, False),
        (BaseEstimator, None, False),
    ],
)
def test_kinds(cls, kind, needs_y):
    ours, theirs = cls()._tags(), get_tags(cls())
    assert ours.estimator_type == theirs.estimator_type == kind
    assert ours.required_y == theirs.target_tags.required == needs_y
    assert (theirs.transformer_tags is not None) == (cls is Transformer)
    assert (theirs.classifier_tags is not None) == (kind == "classifier")
    assert (theirs.regressor_tags is not None) == (kind == "regressor")
    assert is_regressor(cls()) == sklearn.base.is_regressor(cls()) == (kind == "regressor")
    assert is_classifier(cls()) == sklearn.base.is_classifier(cls()) == (kind == "classifier")
    assert is_clusterer(cls()) == sklearn.base.is_clusterer(cls()) == (kind == "clusterer")


def test_kinds_of_others():
    assert is_regressor(sklearn.linear_model.Ridge())
    assert not is_classifier(sklearn.linear_model.Ridge())
    assert is_classifier(sklearn.pipeline.make_pipeline(DummyClassifier()))
    assert not is_regressor(3)


def test_every_tag_reaches_sklearn():
    class Special(ClassifierMixin, BaseEstimator):
        def _tags(self):
            tags = super()._tags()
            for name in vars(tags):
                if isinstance(getattr(tags, name), bool):
                    setattr(tags, name, not getattr(tags, name))
            return tags

    plain, special = get_tags(Classifier()), get_tags(Special())
    assert special.requires_fit is not plain.requires_fit
    assert special.no_validation and special.non_deterministic
    assert special.classifier_tags.poor_score and special.classifier_tags.multi_label
    assert not special.classifier_tags.multi_class
    inputs, targets = special.input_tags, special.target_tags
    assert inputs.sparse and inputs.categorical and inputs.string and inputs.allow_nan
    assert inputs.positive_only and inputs.pairwise
    assert targets.multi_output and targets.positive_only and not targets.single_output
    assert not targets.required


def test_tags_start_the_same_as_sklearns():
    ours, theirs = get_tags(BaseEstimator()), get_tags(sklearn.base.BaseEstimator())
    assert ours == theirs
    assert Tags() == BaseEstimator()._tags()


# -- pickling and showing --------------------------------------------------------------------------


def test_pickle_of_another_version_warns():
    state = Ridge().__getstate__()
    assert state["_gramian_version"] == gramian.__version__
    state["_gramian_version"] = "0.0.1"
    model = Ridge.__new__(Ridge)
    with pytest.warns(InconsistentVersionWarning, match="pickled by gramian 0.0.1") as caught:
        model.__setstate__(state)
    assert issubclass(caught[0].category, sklearn.exceptions.InconsistentVersionWarning)
    assert not hasattr(model, "_gramian_version")


def test_pickle_does_not_change_the_model():
    model = Ridge(alpha=3.0)
    before = dict(vars(model))
    twin = pickle.loads(pickle.dumps(model))
    assert vars(model) == before == vars(twin)
    assert vars(copy.deepcopy(model)) == before


def test_mimebundle():
    assert set(Ridge()._repr_mimebundle_()) == {"text/plain", "text/html"}
    with gramian.config(display="text"):
        assert set(Ridge()._repr_mimebundle_()) == {"text/plain"}


# -- mixins ----------------------------------------------------------------------------------------


def test_scores_are_sklearns():
    rng = np.random.default_rng(0)
    X, weight = rng.standard_normal((50, 3)), rng.random(50)
    y = X @ [1.0, 2.0, 0.5] + rng.standard_normal(50)
    model = LinearRegression().fit(X, y)
    expected = sklearn.metrics.r2_score(y, model.predict(X), sample_weight=weight)
    assert model.score(X, y, weight) == pytest.approx(expected, rel=1e-12)
    labels = np.where(y > 0.3, "high", "low")
    guess = DummyClassifier().fit(X, labels)
    expected = sklearn.metrics.accuracy_score(labels, guess.predict(X), sample_weight=weight)
    assert guess.score(X, labels, weight) == pytest.approx(expected, rel=1e-12)


def test_fit_predict_of_clusterers_and_detectors():
    class Halves(ClusterMixin, BaseEstimator):
        def fit(self, X, y=None, shift=0):
            self.labels_ = np.arange(len(X)) % 2 + shift
            return self

    class Nothing(OutlierMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def predict(self, X):
            return np.ones(len(X), dtype=int)

    assert Halves().fit_predict(np.zeros((3, 1))).tolist() == [0, 1, 0]
    assert Halves().fit_predict(np.zeros((3, 1)), shift=1).tolist() == [1, 2, 1]
    assert Nothing().fit_predict(np.zeros((2, 1))).tolist() == [1, 1]


def test_fit_transform_passes_everything_on():
    class Shift(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None, by=0.0):
            self.shift_ = by + (0.0 if y is None else float(np.sum(y)))
            return self

        def transform(self, X):
            return np.asarray(X) + self.shift_

    assert Shift().fit_transform([[1.0]]).tolist() == [[1.0]]
    assert Shift().fit_transform([[1.0]], [2.0]).tolist() == [[3.0]]
    assert Shift().fit_transform([[1.0]], by=5.0).tolist() == [[6.0]]


def test_tags_written_as_for_scikit_learn():
    class Kernel(BaseEstimator):
        def fit(self, X, y=None):
            return self

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.estimator_type = "outlier_detector"
            tags.input_tags.pairwise = tags.input_tags.allow_nan = True
            tags.requires_fit = False
            return tags

    class Inner(Kernel):
        pass

    for model in (Kernel(), Inner()):
        assert tags_of(model).pairwise
        assert is_outlier_detector(model)
        check_is_fitted(model)
        assert GridSearchCV(model, {}, scoring="r2")._tags().pairwise
    assert not is_outlier_detector(DummyClassifier())


def test_slots_are_refused_and_dictionaries_cloned():
    class WithSlots:
        __slots__ = ("x",)

    class Slotted(BaseEstimator, WithSlots):
        pass

    with pytest.raises(TypeError, match="You cannot use `__slots__`"):
        pickle.dumps(Slotted())
    models = {"a": Ridge(alpha=2.0)}
    copies = clone(models)
    assert copies["a"] is not models["a"]
    assert copies["a"].alpha == 2.0
