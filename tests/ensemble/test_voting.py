"""Votes against scikit-learn's, the notes' example, weights, names and routing."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.ensemble as sk
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import gramian
from gramian.base import BaseEstimator, ClassifierMixin
from gramian.datasets import load_diabetes, load_iris
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.ensemble import VotingClassifier, VotingRegressor
from gramian.exceptions import InvalidParameterError
from gramian.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge
from gramian.model_selection import GridSearchCV

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


class Known(ClassifierMixin, BaseEstimator):
    """Gives the same probability of the first of two classes for every row."""

    def __init__(self, p=0.5):
        self.p = p

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict_proba(self, X):
        return np.tile([self.p, 1.0 - self.p], (len(X), 1))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


NOTES = [("f1", Known(0.7)), ("f2", Known(0.4)), ("f3", Known(0.8))]


def classifiers():
    return [
        ("near", KNeighborsClassifier()),
        ("bayes", GaussianNB()),
        ("out", "drop"),
        ("tree", DecisionTreeClassifier(random_state=0)),
    ]


def regressors():
    return [("near", KNeighborsRegressor()), ("out", "drop"), ("flat", DummyRegressor())]


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("weights", [None, [1, 1, 5, 1], [0.2, 0.1, 9.0, 0.5]])
@pytest.mark.parametrize("names", [False, True])
def test_classifier_equals_sklearn(voting, weights, names):
    X, y = IRIS
    X = X[:, 1:3]  # where the classifiers disagree
    y = np.array(["setosa", "versicolor", "virginica"])[y] if names else y
    ours = VotingClassifier(classifiers(), voting=voting, weights=weights).fit(X, y)
    theirs = sk.VotingClassifier(classifiers(), voting=voting, weights=weights).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.named_estimators_.keys() == theirs.named_estimators_.keys()
    assert ours.named_estimators_.out == "drop"
    assert ours.named_estimators_.bayes is ours.estimators_[1]
    if voting == "soft":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("weights", [None, [3, 9, 1]])
def test_regressor_equals_sklearn(weights):
    X, y = DIABETES
    ours = VotingRegressor(regressors(), weights=weights).fit(X, y)
    theirs = sk.VotingRegressor(regressors(), weights=weights).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.n_features_in_ == 10


def test_notes_soft_vote():
    """Three models say 0.7, 0.4 and 0.8: the mean is 0.63 against 0.37."""
    X, y = np.zeros((4, 1)), [1, 2, 1, 2]
    model = VotingClassifier(NOTES, voting="soft").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[1.9 / 3, 1.1 / 3]])
    assert model.predict_proba(X[:1]).round(2).tolist() == [[0.63, 0.37]]
    assert model.predict(X[:1]).tolist() == [1]
    heavy = VotingClassifier(NOTES, voting="soft", weights=[1, 8, 1]).fit(X, y)
    np.testing.assert_allclose(heavy.predict_proba(X[:1]), [[0.47, 0.53]])
    assert heavy.predict(X[:1]).tolist() == [2]


def test_hard_vote_ties_go_to_the_first_class():
    X, y = np.zeros((2, 1)), ["b", "a"]
    tie = VotingClassifier([("a", Known(0.9)), ("b", Known(0.1))]).fit(X, y)
    assert tie.predict(X).tolist() == ["a", "a"]
    heavy = VotingClassifier([("a", Known(0.9)), ("b", Known(0.1))], weights=[1, 2]).fit(X, y)
    assert heavy.predict(X).tolist() == ["b", "b"]


def test_dropped_after_fit():
    """Fitted members and their weights stay those of the fit until the next one."""
    X, y = IRIS
    model = VotingClassifier(classifiers(), voting="soft", weights=[1, 2, 3, 4]).fit(X, y)
    before = model.predict_proba(X)
    model.set_params(near="drop")
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert [name.split("_")[1] for name in model.get_feature_names_out()[::3]] == [
        "near0",
        "bayes0",
        "tree0",
    ]
    assert len(model.fit(X, y).estimators_) == 2


def test_weights_are_copies():
    X, y = IRIS
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    members = [("logistic", LogisticRegression(tol=1e-10)), ("flat", DummyClassifier())]
    model = VotingClassifier(members, voting="soft")
    weighted = model.fit(X, y, sample_weight=weight).predict_proba(X)
    copied = model.fit(X[rows], y[rows]).predict_proba(X)
    np.testing.assert_allclose(weighted, copied, atol=1e-7)
    plain = model.fit(X, y, sample_weight=None).predict_proba(X)
    assert np.abs(plain - weighted).max() > 0.01
    with pytest.raises(TypeError, match="KNeighborsClassifier does not support sample weights"):
        VotingClassifier(classifiers()).fit(X, y, sample_weight=weight)


def test_flatten_transform_and_output():
    X, y = load_iris(return_X_y=True, as_frame=True)
    members = [("one", LogisticRegression()), ("two", LogisticRegression(C=0.1))]
    model = VotingClassifier(members, voting="soft", flatten_transform=False).fit(X, y)
    assert model.transform(X).shape == (2, 150, 3)
    with pytest.raises(ValueError, match="flatten_transform=False"):
        model.get_feature_names_out()
    model.set_params(flatten_transform=True).set_output(transform="pandas")
    frame = model.transform(X.iloc[40:60])
    assert frame.index.tolist() == list(range(40, 60))
    assert frame.columns[3] == "votingclassifier_two0"
    with pytest.raises(ValueError, match="input_features is not equal"):
        model.get_feature_names_out(["a", "b", "c", "d"])


def test_text_columns_reach_the_members():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.normal(size=90), "city": rng.choice(list("xyz"), 90)})
    y = np.where(frame["city"] == "x", "dear", "cheap")
    members = [("logistic", LogisticRegression()), ("line", Perceptron(random_state=0))]
    model = VotingClassifier(members).fit(pl.from_pandas(frame), y)
    assert model.score(frame[["city", "size"]], y) == 1.0
    assert model.feature_names_in_.tolist() == ["size", "city"]


def test_parameters_of_the_members():
    model = VotingRegressor([("a", Ridge()), ("b", Ridge(alpha=3.0))])
    assert model.get_params()["b__alpha"] == 3.0
    model.set_params(b__alpha=7.0, a="drop")
    assert model.named_estimators.a == "drop"
    X, y = DIABETES
    np.testing.assert_allclose(model.fit(X, y).predict(X), Ridge(alpha=7.0).fit(X, y).predict(X))
    search = GridSearchCV(VotingRegressor([("a", Ridge())]), {"a__alpha": [1e-3, 1e5]}, cv=3)
    assert search.fit(X, y).best_params_ == {"a__alpha": 1e-3}


def test_verbose_and_jobs(capsys):
    X, y = DIABETES
    members = [("plane", LinearRegression()), ("ridge", Ridge()), ("flat", "drop")]
    loud = VotingRegressor(members, verbose=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("[Voting] ")
    assert "(1 of 2) Processing plane, total=" in lines[0]
    assert "(2 of 2) Processing ridge, total=" in lines[1]
    with joblib.parallel_config("threading"):
        parallel = VotingRegressor(members, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(parallel.predict(X), loud.predict(X))


@pytest.mark.parametrize(
    ("model", "error", "match"),
    [
        (VotingClassifier([]), ValueError, "non-empty list of"),
        (VotingClassifier([LogisticRegression()]), ValueError, "non-empty list of"),
        (VotingClassifier([("a", "drop")]), ValueError, "All estimators are dropped"),
        (VotingClassifier([("a", Ridge())]), ValueError, "Ridge should be a classifier"),
        (VotingRegressor([("a", DummyClassifier())]), ValueError, "should be a regressor"),
        (VotingClassifier(NOTES, weights=[1, 2]), ValueError, "got 2 weights, 3 estimators"),
        (VotingClassifier([NOTES[0], NOTES[0]]), ValueError, "not unique"),
        (VotingClassifier([("voting", Known())]), ValueError, "conflict with constructor"),
        (VotingClassifier([("a__b", Known())]), ValueError, "must not contain __"),
        (VotingClassifier(NOTES, voting="loud"), InvalidParameterError, "among {'hard', 'soft'}"),
        (VotingClassifier(NOTES, weights=3), InvalidParameterError, "an array-like or None"),
    ],
)
def test_errors(model, error, match):
    with pytest.raises(error, match=match):
        model.fit(np.zeros((4, 1)), [0, 1, 0, 1])


def test_wrong_targets():
    X = np.zeros((4, 1))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        VotingClassifier(NOTES).fit(X, [0.5, 1.5, 0.2, 0.1])
    with pytest.raises(NotImplementedError, match="only supports binary or multiclass"):
        VotingClassifier(NOTES).fit(X, np.array([[1, 0], [0, 1], [1, 1], [0, 0]]))
    with pytest.raises(AttributeError, match="has no attribute 'predict_proba'") as failure:
        VotingClassifier(NOTES).fit(X, [0, 1, 0, 1]).predict_proba(X)
    assert "voting='hard'" in str(failure.value.__cause__)


def test_metadata_routing():
    X, y = DIABETES
    weight = np.random.default_rng(2).random(len(y))
    with gramian.config(enable_metadata_routing=True):
        weighted = Ridge().set_fit_request(sample_weight=True)
        plain = Ridge().set_fit_request(sample_weight=False)
        model = VotingRegressor([("w", weighted), ("p", plain)])
        model.fit(X, y, sample_weight=weight)
        with pytest.raises(ValueError, match="not explicitly set as requested"):
            VotingRegressor([("r", Ridge())]).fit(X, y, sample_weight=weight)
    expected = Ridge().fit(X, y, weight).coef_
    np.testing.assert_array_equal(model.named_estimators_.w.coef_, expected)
    np.testing.assert_array_equal(model.named_estimators_.p.coef_, Ridge().fit(X, y).coef_)
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        VotingRegressor([("r", Ridge())]).fit(X, y, metadata=1)
