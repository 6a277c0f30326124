"""Threshold classifiers decide as scikit-learn's do, around its classifiers and ours."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.metrics
import sklearn.model_selection as theirs
import sklearn.naive_bayes
import sklearn.tree
from sklearn.utils.estimator_checks import check_estimator

import gramian.model_selection as ours
from gramian.base import clone, is_classifier
from gramian.datasets import load_breast_cancer
from gramian.dummy import DummyClassifier
from gramian.exceptions import InvalidParameterError, NotFittedError
from gramian.metrics import f1_score, make_scorer
from gramian.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:300, :5], Y[:300]
NAMES = np.where(Y == 1, "good", "bad")
LDA = sklearn.discriminant_analysis.LinearDiscriminantAnalysis()
RIDGE = sklearn.linear_model.RidgeClassifier()
TREE = sklearn.tree.DecisionTreeClassifier(max_depth=3, random_state=0)


def both(name, *args, data=(X, Y), **options):
    return tuple(getattr(module, name)(*args, **options).fit(*data) for module in (ours, theirs))


@pytest.mark.parametrize("model", [LDA, RIDGE, TREE], ids=["lda", "ridge", "tree"])
@pytest.mark.parametrize("threshold", ["auto", -0.5, 0, 0.3, 2])
@pytest.mark.parametrize("pos_label", [None, "good", "bad"])
def test_fixed(model, threshold, pos_label):
    found, wanted = both(
        "FixedThresholdClassifier",
        model,
        data=(X, NAMES),
        threshold=threshold,
        pos_label=pos_label,
    )
    np.testing.assert_array_equal(found.predict(X), wanted.predict(X))
    np.testing.assert_array_equal(found.classes_, wanted.classes_)
    assert found.score(X, NAMES) == wanted.score(X, NAMES)
    assert found.n_features_in_ == wanted.n_features_in_


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_response_method(method):
    found, wanted = both("FixedThresholdClassifier", LDA, response_method=method, threshold=0.4)
    np.testing.assert_array_equal(found.predict(X), wanted.predict(X))
    for name in ("predict_proba", "predict_log_proba", "decision_function"):
        np.testing.assert_array_equal(getattr(found, name)(X), getattr(wanted, name)(X))


TUNED = [
    {},
    {"scoring": "f1", "cv": 3, "thresholds": 17},
    {"scoring": "accuracy", "response_method": "decision_function"},
    {"thresholds": [0.1, 0.3, 0.35, 0.9], "scoring": "recall"},
    {"thresholds": 400, "scoring": "jaccard", "cv": 2},
    {"cv": 0.3, "random_state": 4, "refit": False},
    {"cv": 0.4, "random_state": 0},
    {"cv": theirs.StratifiedKFold(4, shuffle=True, random_state=1), "scoring": "precision"},
    {"cv": ours.ShuffleSplit(1, random_state=0), "refit": False},
    {"scoring": "matthews_corrcoef", "store_cv_results": True},
]


@pytest.mark.parametrize("options", TUNED, ids=range(len(TUNED)))
def test_tuned(options):
    options = {"store_cv_results": True, "thresholds": 40, **options}
    found, wanted = both("TunedThresholdClassifierCV", LDA, **options)
    for key in ("thresholds", "scores"):
        np.testing.assert_allclose(found.cv_results_[key], wanted.cv_results_[key], rtol=1e-10)
    np.testing.assert_allclose(found.best_threshold_, wanted.best_threshold_, rtol=1e-10)
    np.testing.assert_allclose(found.best_score_, wanted.best_score_, rtol=1e-10)
    np.testing.assert_array_equal(found.predict(X), wanted.predict(X))
    np.testing.assert_allclose(found.estimator_.coef_, wanted.estimator_.coef_, rtol=1e-10)


@pytest.mark.parametrize("pos_label", ["good", "bad"])
@pytest.mark.parametrize("model", [LDA, RIDGE, sklearn.naive_bayes.GaussianNB()], ids=range(3))
def test_tuned_for_a_class_of_names(pos_label, model):
    scorers = [
        make_scorer(f1_score, pos_label=pos_label),
        sklearn.metrics.make_scorer(sklearn.metrics.f1_score, pos_label=pos_label),
    ]
    options = {"cv": 3, "thresholds": 20}
    wanted = theirs.TunedThresholdClassifierCV(model, scoring=scorers[1], **options).fit(X, NAMES)
    for scoring in scorers:
        found = TunedThresholdClassifierCV(model, scoring=scoring, **options).fit(X, NAMES)
        np.testing.assert_allclose(found.best_threshold_, wanted.best_threshold_, rtol=1e-10)
        np.testing.assert_array_equal(found.predict(X), wanted.predict(X))


def test_a_loss_is_minimised():
    scoring = make_scorer(lambda y, p: np.mean(y != p), greater_is_better=False)
    model = TunedThresholdClassifierCV(LDA, scoring=scoring).fit(X, Y)
    same = TunedThresholdClassifierCV(LDA, scoring="accuracy").fit(X, Y)
    assert model.best_threshold_ == same.best_threshold_
    np.testing.assert_allclose(model.best_score_, same.best_score_ - 1)


def test_prefit():
    fitted = clone(LDA).fit(X[:200], Y[:200])
    found, wanted = both("TunedThresholdClassifierCV", fitted, cv="prefit", refit=False)
    assert found.estimator_ is fitted
    np.testing.assert_array_equal(found.predict(X), wanted.predict(X))
    fixed = FixedThresholdClassifier(fitted, threshold=0.8)
    np.testing.assert_array_equal(fixed.predict(X), (fitted.predict_proba(X)[:, 1] >= 0.8) * 1)
    np.testing.assert_array_equal(fixed.classes_, [0, 1])


@pytest.mark.parametrize("container", ["frame", "sparse", "list"])
def test_containers(container):
    data = {"frame": pd.DataFrame(X), "sparse": scipy.sparse.csr_array(X), "list": X.tolist()}
    model = sklearn.naive_bayes.MultinomialNB()
    found = TunedThresholdClassifierCV(model, cv=3).fit(data[container], Y.tolist())
    wanted = theirs.TunedThresholdClassifierCV(model, cv=3).fit(X, Y)
    np.testing.assert_allclose(found.best_threshold_, wanted.best_threshold_, rtol=1e-5)


@pytest.mark.parametrize(
    ("options", "data"),
    [
        ({"cv": "prefit"}, (X, Y)),
        ({"cv": "prefit", "refit": False}, (X, Y)),
        ({"cv": 4, "refit": False}, (X, Y)),
        ({"cv": 1.5}, (X, Y)),
        ({"thresholds": 0}, (X, Y)),
        ({"scoring": "no_such_score"}, (X, Y)),
        ({"response_method": "predict"}, (X, Y)),
        ({"refit": "yes"}, (X, Y)),
        ({}, (X, np.arange(300) % 3)),
        ({}, (X, X[:, 0])),
        ({}, (X[:10], Y)),
        ({"estimator": sklearn.linear_model.LinearRegression()}, (X, Y)),
        ({"estimator": RIDGE, "response_method": "predict_proba"}, (X, Y)),
        ({"estimator": DummyClassifier()}, (X, Y)),
    ],
    ids=range(14),
)
def test_errors(options, data):
    options = {"estimator": LDA, **options}
    with pytest.raises((ValueError, AttributeError)) as expected:
        theirs.TunedThresholdClassifierCV(**options).fit(*data)
    kinds = (ValueError, AttributeError)
    with pytest.raises(next(kind for kind in kinds if isinstance(expected.value, kind))):
        TunedThresholdClassifierCV(**options).fit(*data)


def test_errors_in_words():
    with pytest.raises(InvalidParameterError, match="made by make_scorer"):
        TunedThresholdClassifierCV(LDA, scoring=lambda e, X, y: 0.0).fit(X, Y)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        FixedThresholdClassifier(LDA).fit(X, Y, sample_weight=np.ones(300))
    with pytest.raises(NotFittedError):
        FixedThresholdClassifier(LDA).predict(X)
    with pytest.raises(NotFittedError):
        TunedThresholdClassifierCV(LDA).predict(X)
    with pytest.raises(AttributeError, match="not fitted"):
        _ = FixedThresholdClassifier(LDA).classes_
    three = clone(LDA).fit(X, np.arange(300) % 3)
    with pytest.raises(ValueError, match="3 classes"):
        FixedThresholdClassifier(three).predict(X)
    with pytest.raises(ValueError, match="not a valid label"):
        FixedThresholdClassifier(LDA, pos_label="x").fit(X, Y).predict(X)


@pytest.mark.parametrize("name", ["FixedThresholdClassifier", "TunedThresholdClassifierCV"])
def test_parameters_and_tags(name):
    found, wanted = (getattr(module, name)(LDA) for module in (ours, theirs))
    assert found.get_params() == wanted.get_params()
    assert is_classifier(found)
    assert found.__sklearn_tags__() == wanted.__sklearn_tags__()
    assert not hasattr(type(found)(RIDGE), "predict_proba")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["FixedThresholdClassifier", "TunedThresholdClassifierCV"])
def test_contract_of_scikit_learn(name):
    tuned = {"check_classifiers_train": "a tuned threshold is not the default one"}
    model = getattr(ours, name)(sklearn.linear_model.LogisticRegression())
    if name == "TunedThresholdClassifierCV":
        model.set_params(cv=3, thresholds=10)
    check_estimator(model, expected_failed_checks=tuned, on_skip=None)
