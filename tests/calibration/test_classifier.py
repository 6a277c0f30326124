"""Calibrated classifiers: scikit-learn's probabilities, optimal calibrators, any table."""

import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.calibration as sk
import sklearn.frozen
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import gramian.svm
from gramian.base import BaseEstimator, ClassifierMixin
from gramian.calibration import CalibratedClassifierCV
from gramian.calibration._calibrators import SigmoidCalibration, TemperatureScaling, as_logits
from gramian.dummy import DummyClassifier
from gramian.exceptions import NotFittedError
from gramian.frozen import FrozenEstimator
from gramian.model_selection import KFold, LeaveOneOut
from gramian.pipeline import make_pipeline
from gramian.preprocessing import StandardScaler

METHODS = ("sigmoid", "isotonic", "temperature")
MODELS = {
    "svm": LinearSVC(random_state=0),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
}
TOLERANCE = {"sigmoid": 2e-6, "isotonic": 1e-10, "temperature": 1e-6}
"""How precise scikit-learn's own solver of each method is."""


def rows(n_classes=2, n=180, seed=0):
    return make_classification(
        n, 6, n_informative=4, n_classes=n_classes, flip_y=0.15, random_state=seed
    )


def platt_targets(positive, weight):
    ahead, behind = weight[positive].sum(), weight[~positive].sum()
    return np.where(positive, (ahead + 1) / (ahead + 2), 1 / (behind + 2))


def sigmoid_loss(a, b, scores, positive, weight):
    z = -(a * scores + b)
    return weight @ (np.logaddexp(0, z) - platt_targets(positive, weight) * z)


# -- calibrators -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-6, 1.0, 50.0, 1e9])
@pytest.mark.parametrize("weighted", [True, False])
def test_sigmoid_is_optimal(scale, weighted):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        raw = rng.normal(0.5, 1.5, 300)
        positive = rng.random(300) < expit(2 * raw - 0.7)
        weight = rng.integers(0, 3, 300).astype(float) if weighted else np.ones(300)
        found = SigmoidCalibration().fit(scale * raw, positive, weight)
        z = -(found.a_ * scale * raw + found.b_)
        slack = weight * (platt_targets(positive, weight) - expit(z))
        assert abs(slack @ raw) + abs(slack.sum()) < 1e-9 * weight.sum()
        if scale >= 1.0:  # theirs stops early on tiny scores
            a, b = sk._sigmoid_calibration(scale * raw, positive * 1.0, weight)
            ours = sigmoid_loss(found.a_, found.b_, scale * raw, positive, weight)
            theirs = sigmoid_loss(a, b, scale * raw, positive, weight)
            assert ours <= theirs * (1 + 1e-14)
            expected = expit(-(a * scale * raw + b))
            np.testing.assert_allclose(found.predict(scale * raw), expected, atol=1e-5)


@pytest.mark.parametrize("value", [0.0, 0.3, -5.0, 200.0])
def test_sigmoid_of_one_score_is_that_of_sklearn(value):
    y = np.array([0, 1, 1, 0, 1])
    found = SigmoidCalibration().fit(np.full(5, value), y)
    expected = sk._sigmoid_calibration(np.full(5, value), y * 1.0)
    np.testing.assert_allclose((found.a_, found.b_), expected, atol=1e-5)


def test_sigmoid_of_one_class_ignores_the_score():
    found = SigmoidCalibration().fit(np.arange(10.0), np.zeros(10))
    np.testing.assert_allclose(found.predict([0.0, 5.0, 99.0]), 1 / 12, atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_temperature_is_optimal(n_classes):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        logits = rng.normal(size=(400, n_classes))
        y = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)  # softmax(logits) draws it
        weight = rng.integers(0, 3, 400).astype(float)
        found = TemperatureScaling().fit(5 * logits, y, weight)
        theirs = sk._TemperatureScaling().fit(5 * logits, y, weight)
        np.testing.assert_allclose(found.beta_, theirs.beta_, rtol=1e-6)
        proba = found.predict(5 * logits)
        gap = (proba * logits).sum(axis=1) - logits[np.arange(400), y]
        assert abs(weight @ gap) < 1e-10 * weight.sum()
        copies = TemperatureScaling().fit(
            np.repeat(5 * logits, weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
        )
        np.testing.assert_allclose(copies.beta_, found.beta_, rtol=1e-12)


def test_temperature_stays_in_its_range():
    logits = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert TemperatureScaling().fit(logits, [1, 0]).beta_ == pytest.approx(np.exp(-10), rel=1e-9)
    assert TemperatureScaling().fit(1e-9 * logits, [0, 1]).beta_ == pytest.approx(np.exp(10))
    np.testing.assert_allclose(TemperatureScaling().fit(logits, [0, 1]).predict(logits), np.eye(2))


def test_logits():
    np.testing.assert_array_equal(as_logits([1.0, -2.0]), [[-1, 1], [2, -2]])
    np.testing.assert_allclose(as_logits([[0.25, 0.75]]), np.log([[0.25, 0.75]]))
    np.testing.assert_array_equal(as_logits([[0.25, 0.5]]), [[0.25, 0.5]])


# -- the classifier --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"ensemble": False, "cv": 3}], ids=str)
def test_probabilities_are_those_of_sklearn(method, model, n_classes, options):
    X, y = rows(n_classes)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    for sample_weight in (None, weight):
        ours = CalibratedClassifierCV(MODELS[model], method=method, **options)
        theirs = sk.CalibratedClassifierCV(MODELS[model], method=method, **options)
        found = ours.fit(X, y, sample_weight).predict_proba(X)
        expected = theirs.fit(X, y, sample_weight).predict_proba(X)
        np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE[method])
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert len(ours.calibrated_classifiers_) == len(theirs.calibrated_classifiers_)
        assert ours.n_features_in_ == 6
        assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.99


@pytest.mark.parametrize("method", METHODS)
def test_frozen_classifier(method):
    X, y = rows(3)
    model = LogisticRegression().fit(X[:90], y[:90])
    expected = sk.CalibratedClassifierCV(sklearn.frozen.FrozenEstimator(model), method=method)
    expected = expected.fit(X[90:], y[90:]).predict_proba(X)
    for frozen in (FrozenEstimator(model), sklearn.frozen.FrozenEstimator(model)):
        ours = CalibratedClassifierCV(frozen, method=method).fit(X[90:], y[90:])
        assert len(ours.calibrated_classifiers_) == 1
        assert ours.calibrated_classifiers_[0].estimator is frozen
        np.testing.assert_allclose(ours.predict_proba(X), expected, atol=TOLERANCE[method])
    theirs = sk.CalibratedClassifierCV(FrozenEstimator(model), method=method, ensemble=False)
    theirs.fit(X[90:], y[90:])
    np.testing.assert_allclose(theirs.predict_proba(X), expected, atol=TOLERANCE[method])


def test_labels_of_text_and_gaps():
    X, y = rows(3)
    names = np.array(["pear", "apple", "fig"])
    for method in METHODS:
        expected = CalibratedClassifierCV(GaussianNB(), method=method).fit(X, y)
        for labels in (names[y], 10 * y + 7):
            found = CalibratedClassifierCV(GaussianNB(), method=method).fit(X, labels)
            order = np.argsort(names) if labels.dtype.kind == "U" else [0, 1, 2]
            assert found.classes_.tolist() == np.unique(labels).tolist()
            np.testing.assert_allclose(
                found.predict_proba(X), expected.predict_proba(X)[:, order], atol=1e-12
            )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ensemble", [True, False])
def test_split_without_a_class(method, ensemble):
    """A class that a training part lacks has no probability there."""
    X, y = rows(3)
    order = np.argsort(y, kind="stable")
    model = CalibratedClassifierCV(
        DecisionTreeClassifier(max_depth=2), method=method, cv=KFold(3), ensemble=ensemble
    )
    if not ensemble:
        with pytest.warns(RuntimeWarning, match="Number of classes in training fold"):
            model.fit(X[order], y[order])
    else:
        model.fit(X[order], y[order])
        assert model.calibrated_classifiers_[0].predict_proba(X)[:, 0].max() == 0.0
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_weights_are_copies_for_a_frozen_classifier(method):
    X, y = rows(3)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    model = FrozenEstimator(GaussianNB().fit(X, y))
    same = [(np.arange(len(y)), np.arange(len(y)))]
    copies = np.repeat(np.arange(len(y)), weight)
    copied = CalibratedClassifierCV(
        model, method=method, cv=[(np.arange(len(copies)), np.arange(len(copies)))]
    ).fit(X[copies], y[copies])
    weighted = CalibratedClassifierCV(model, method=method, cv=same)
    with pytest.warns(UserWarning, match="sample weights will only be used"):
        weighted.fit(X, y, weight)
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-10)


@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("routing", [True, False])
def test_default_is_a_linear_machine(ensemble, routing):
    X, y = rows()
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    with sklearn.config_context(enable_metadata_routing=routing):
        default = CalibratedClassifierCV(ensemble=ensemble).fit(X, y, weight)
        machine = gramian.svm.LinearSVC(random_state=0)
        machine = machine.set_fit_request(sample_weight=True) if routing else machine
        given = CalibratedClassifierCV(machine, ensemble=ensemble).fit(X, y, weight)
        asked = default.get_metadata_routing().consumes("fit", ["sample_weight"])
    assert bool(asked) == routing
    assert isinstance(default.calibrated_classifiers_[0].estimator, gramian.svm.LinearSVC)
    np.testing.assert_array_equal(default.predict_proba(X), given.predict_proba(X))
    assert default.estimator is None


@pytest.mark.parametrize(
    ("options", "target", "error", "words"),
    [
        ({"method": "platt"}, None, ValueError, "method"),
        ({"ensemble": "yes"}, None, ValueError, "ensemble"),
        ({"estimator": gramian.linear_model.Ridge()}, None, ValueError, "estimator"),
        ({"estimator": "svc"}, None, ValueError, "estimator"),
        ({"cv": LeaveOneOut()}, None, ValueError, "LeaveOneOut"),
        ({"cv": 150}, None, ValueError, "150-fold"),
        ({}, np.linspace(0, 1, 180), ValueError, "continuous"),
    ],
)
def test_refuses(options, target, error, words):
    X, y = rows()
    model = CalibratedClassifierCV(**{"estimator": GaussianNB(), **options})
    with pytest.raises(error, match=words):
        model.fit(X, y if target is None else target)
    with pytest.raises(NotFittedError):
        model.predict_proba(X)


class Mean(ClassifierMixin, BaseEstimator):
    """A classifier without weights: the decision is the mean of the row."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = np.shape(X)[1]
        return self

    def decision_function(self, X):
        return np.asarray(X, dtype=float).mean(axis=1)


def test_containers():
    X, y = rows()
    expected = CalibratedClassifierCV(Mean()).fit(X, y).predict_proba(X)
    names = [f"c{j}" for j in range(6)]
    frames = (
        pd.DataFrame(X, columns=names),
        pl.DataFrame(X, schema=names),
        pa.table(dict(zip(names, X.T, strict=True))),
        X.tolist(),
    )
    for frame in frames:
        for labels in (y.tolist(), pd.Series(y), pl.Series(y)):
            found = CalibratedClassifierCV(Mean(), n_jobs=1).fit(frame, labels)
            np.testing.assert_array_equal(found.predict_proba(frame), expected)


def test_parameters_of_fit_reach_the_classifier():
    X, y = rows()
    weight = np.random.default_rng(0).random(len(y))
    with pytest.raises(TypeError):
        CalibratedClassifierCV(Mean()).fit(X, y, depth=3)
    with pytest.warns(UserWarning, match="Mean does not appear to accept sample_weight"):
        CalibratedClassifierCV(Mean()).fit(X, y, weight)
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    model = CalibratedClassifierCV(pipeline).fit(X, y, gaussiannb__sample_weight=weight)
    plain = CalibratedClassifierCV(pipeline).fit(X, y)
    assert not np.allclose(model.predict_proba(X), plain.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_state(method):
    X, y = rows(3)
    inner = make_pipeline(StandardScaler(), DummyClassifier())
    model = CalibratedClassifierCV(inner, method=method, cv=3).fit(X, y)
    file = io.BytesIO()
    gramian.save(model, file)
    for copy in (gramian.load(file), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    frozen = CalibratedClassifierCV(FrozenEstimator(DummyClassifier().fit(X, y)), method=method)
    frozen.fit(X, y)
    file = io.BytesIO()
    gramian.save(frozen, file)
    np.testing.assert_array_equal(gramian.load(file).predict_proba(X), frozen.predict_proba(X))


@pytest.mark.filterwarnings("ignore:Estimator CalibratedClassifierCV does not inherit from")
@pytest.mark.filterwarnings("ignore:X (has feature|does not have valid feature) names:UserWarning")
@pytest.mark.parametrize("method", METHODS)
def test_sklearn_checks(method):
    check_estimator(CalibratedClassifierCV(LogisticRegression(), method=method, cv=2), on_skip=None)


@pytest.mark.parametrize("ensemble", [True, False])
def test_one_class_is_refused(ensemble):
    X, y = np.zeros((10, 2)), ["yes"] * 10
    model = CalibratedClassifierCV(DummyClassifier(), cv=2, ensemble=ensemble)
    with pytest.raises(ValueError, match=r"two classes at least.*one class: yes"):
        model.fit(X, y)


def test_one_class_in_a_training_part_is_refused():
    halves = [(np.arange(5), np.arange(5, 10)), (np.arange(5, 10), np.arange(5))]
    model = CalibratedClassifierCV(DummyClassifier(), cv=halves)
    with pytest.raises(ValueError, match=r"two classes at least.*one class: yes"):
        model.fit(np.zeros((10, 2)), ["yes"] * 5 + ["no"] * 5)
