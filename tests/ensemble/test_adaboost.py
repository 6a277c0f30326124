"""AdaBoost: the same members as scikit-learn, the textbook's algorithm, and its bound."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
import sklearn.linear_model
import sklearn.tree

import gramian
from gramian.datasets import load_breast_cancer, load_iris, make_classification, make_regression
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.ensemble import AdaBoostClassifier, AdaBoostRegressor
from gramian.inspection import tree_shap
from gramian.linear_model import LogisticRegression
from gramian.metrics import accuracy_score
from gramian.model_selection import train_test_split
from gramian.tree import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.fixture(scope="module")
def two_classes():
    return make_classification(1500, 8, n_informative=5, flip_y=0.1, random_state=3)


@pytest.fixture(scope="module")
def three_classes():
    return make_classification(500, 8, n_informative=5, n_classes=3, random_state=1)


@pytest.fixture(scope="module")
def numbers():
    return make_regression(1500, 6, noise=5.0, random_state=0)


def _same_members(ours, theirs):
    assert len(ours.estimators_) == len(theirs.estimators_)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-10)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-10)
    for mine, other in zip(ours.estimators_, theirs.estimators_, strict=True):
        np.testing.assert_array_equal(mine.tree_.feature, other.tree_.feature)
        np.testing.assert_allclose(mine.tree_.threshold, other.tree_.threshold, rtol=1e-10)
        np.testing.assert_allclose(mine.tree_.value, other.tree_.value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rate", [1.0, 0.5])
@pytest.mark.parametrize("depth", [1, 2])
def test_same_stumps_as_sklearn(two_classes, rate, depth):
    X, y = two_classes
    options = {"n_estimators": 40, "learning_rate": rate, "random_state": 0}
    ours = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=depth, min_samples_leaf=20), **options
    ).fit(X, y)
    base = sklearn.tree.DecisionTreeClassifier(max_depth=depth, min_samples_leaf=20)
    theirs = sklearn.ensemble.AdaBoostClassifier(base, **options).fit(X, y)
    _same_members(ours, theirs)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-10)
    for mine, other in zip(
        ours.staged_decision_function(X), theirs.staged_decision_function(X), strict=True
    ):
        np.testing.assert_allclose(mine, other, atol=1e-10)
    assert list(ours.staged_score(X, y)) == pytest.approx(list(theirs.staged_score(X, y)))


def test_three_classes(three_classes):
    X, y = three_classes
    ours = AdaBoostClassifier(n_estimators=30, random_state=0).fit(X, y)
    theirs = sklearn.ensemble.AdaBoostClassifier(n_estimators=30, random_state=0).fit(X, y)
    _same_members(ours, theirs)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-10)
    staged = list(ours.staged_predict_proba(X))
    np.testing.assert_allclose(staged[-1], theirs.predict_proba(X), atol=1e-10)
    with pytest.raises(AttributeError, match="two classes"):
        _ = ours.training_error_bound_


def test_weights_of_rows(two_classes):
    X, y = two_classes
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    weight[:20] = 0.0
    ours = AdaBoostClassifier(n_estimators=20, random_state=0).fit(X, y, weight)
    theirs = sklearn.ensemble.AdaBoostClassifier(n_estimators=20, random_state=0)
    with np.errstate(divide="ignore"):
        theirs.fit(X, y, weight)
    _same_members(ours, theirs)


def test_any_estimator(two_classes):
    X, y = two_classes
    ours = AdaBoostClassifier(LogisticRegression(tol=1e-10), n_estimators=5).fit(X, y)
    base = sklearn.linear_model.LogisticRegression(tol=1e-10)
    theirs = sklearn.ensemble.AdaBoostClassifier(base, n_estimators=5).fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-5)
    assert ours.score(X, y) == theirs.score(X, y)
    # The same trees, fitted one by one: class weights keep them off the shared columns.
    one_by_one = DecisionTreeClassifier(max_depth=1, class_weight={0: 1.0, 1: 1.0})
    slow = AdaBoostClassifier(one_by_one, n_estimators=20).fit(X, y)
    quick = AdaBoostClassifier(n_estimators=20).fit(X, y)
    np.testing.assert_allclose(slow.estimator_weights_, quick.estimator_weights_, rtol=1e-10)


class TextbookAdaBoost:
    """AdaBoost for labels -1 and 1 as textbooks write it, from scratch on weighted stumps."""

    def train(self, X, y, n_rounds):
        w = np.full(len(y), 1 / len(y))
        self.stumps, self.alphas, history = [], [], []
        for _ in range(n_rounds):
            stump = DecisionTreeClassifier(max_depth=1).fit(X, y, w)
            predicted = stump.predict(X)
            error = np.sum(w * (predicted != y)) / np.sum(w)
            alpha = 0.5 * np.log((1 - error) / error)
            w = w * np.exp(-alpha * y * predicted)
            self.stumps.append(stump)
            self.alphas.append(alpha)
            history.append(np.mean(w))
        return history

    def predict(self, X):
        votes = sum(a * s.predict(X) for a, s in zip(self.alphas, self.stumps, strict=True))
        return np.where(votes >= 0, 1, -1)


def test_textbook_class(two_classes):
    X, codes = two_classes
    y = np.where(codes == 1, 1, -1)
    textbook = TextbookAdaBoost()
    history = textbook.train(X, y, 30)
    ours = AdaBoostClassifier(n_estimators=30).fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_ / 2, textbook.alphas, rtol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), textbook.predict(X))
    # The mean of the weights that are never normalised is the product of 2 sqrt(e (1 - e)).
    e = ours.estimator_errors_
    losses = np.cumprod(2 * np.sqrt(e * (1 - e))) / len(y)
    np.testing.assert_allclose(losses, history, rtol=1e-12)


def test_bound_of_the_training_error(two_classes):
    X, y = two_classes
    for n_rounds in (1, 10, 100):
        model = AdaBoostClassifier(n_estimators=n_rounds).fit(X, y)
        bound = np.exp(-2 * np.sum((0.5 - model.estimator_errors_) ** 2))
        assert model.training_error_bound_ == pytest.approx(bound)
        assert 1 - model.score(X, y) <= bound


def test_breast_cancer_of_the_notes():
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=42)
    model = AdaBoostClassifier(
        estimator=DecisionTreeClassifier(max_depth=1),
        algorithm="SAMME",
        n_estimators=100,
        random_state=90,
    )
    model.fit(X_train, y_train)
    assert f"{accuracy_score(y_test, model.predict(X_test)):.2f}" == "0.97"


def test_ends_early():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    assert len(model) == 1
    assert model.estimator_weights_.tolist() == [1.0] + [0.0] * 9
    assert model.estimator_errors_.tolist() == [0.0] + [1.0] * 9
    noise = np.zeros((6, 1))
    with pytest.raises(ValueError, match="worse than random"):
        AdaBoostClassifier().fit(noise, [0, 1, 0, 1, 0, 1])
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 2)), rng.integers(0, 2, 1000)
    with pytest.warns(UserWarning, match="infinite"):
        AdaBoostClassifier(n_estimators=30, learning_rate=5000.0).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight"):
        AdaBoostClassifier(_NoWeights()).fit(X, y)


class _NoWeights(DecisionTreeClassifier):
    def fit(self, X, y):
        return super().fit(X, y)


def test_text_and_missing_values(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"colour": rng.choice(["red", "blue", "green"], 200), "size": rng.normal(size=200)}
    )
    y = (frame["colour"] == "red") ^ (frame["size"] > 0.5)
    frame.loc[::7, "size"] = np.nan
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.9
    gramian.save(model, tmp_path / "ada.gram")
    again = gramian.load(tmp_path / "ada.gram")
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_regressor_as_sklearn(numbers, loss):
    X, y = numbers
    options = {"n_estimators": 25, "loss": loss, "learning_rate": 0.8, "random_state": 7}
    # Deeper trees of either library have nodes of two rows, which any column parts.
    ours = AdaBoostRegressor(DecisionTreeRegressor(max_depth=2), **options).fit(X, y)
    base = sklearn.tree.DecisionTreeRegressor(max_depth=2)
    theirs = sklearn.ensemble.AdaBoostRegressor(base, **options).fit(X, y)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9)
    assert list(ours.staged_score(X, y))[-1] == pytest.approx(ours.score(X, y))


def test_regressor_with_limits_is_fitted_to_copies(numbers):
    X, y = numbers
    base = DecisionTreeRegressor(max_depth=3, min_samples_leaf=20)
    ours = AdaBoostRegressor(base, n_estimators=10, random_state=0).fit(X, y)
    other = sklearn.tree.DecisionTreeRegressor(max_depth=3, min_samples_leaf=20)
    theirs = sklearn.ensemble.AdaBoostRegressor(other, n_estimators=10, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


def test_a_single_member_of_no_use_still_predicts():
    X, y = np.zeros((4, 1)), np.array([0.0, 0.0, 1.0, 1.0])
    model = AdaBoostRegressor(DummyRegressor(strategy="constant", constant=9.0)).fit(X, y)
    assert not model.estimator_weights_.any()
    assert model.predict(X).tolist() == [9.0] * 4


def test_shapley_values_add_up(two_classes, three_classes):
    for X, y in (two_classes, three_classes):
        model = AdaBoostClassifier(n_estimators=10, random_state=0).fit(X, y)
        found = tree_shap(model, X[:20])
        total = found.values.sum(axis=1) + found.base_values
        np.testing.assert_allclose(total, model.decision_function(X[:20]), atol=1e-12)


def test_same_bits_for_any_number_of_threads():
    X, y = make_classification(4000, 10, random_state=0)
    prints = set()
    for n_threads in (1, 2):
        with gramian.config(n_threads=n_threads):
            model = AdaBoostClassifier(n_estimators=20, random_state=0).fit(X, y)
        prints.add(gramian.fingerprint(model))
    assert len(prints) == 1


def test_iris_listing():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=100, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.93
    assert len(list(model.staged_predict(X))) == len(model)


def test_rows_of_any_shape_for_members_that_take_them():
    X = np.random.default_rng(0).normal(size=(40, 3, 2))
    classes, numbers = X[:, 0, 0] > 0.5, X[:, 0, 0]
    model = AdaBoostClassifier(DummyClassifier(strategy="most_frequent")).fit(X, classes)
    assert model.n_features_in_ == 3 and model.predict_proba(X).shape == (40, 2)
    assert AdaBoostRegressor(DummyRegressor()).fit(X, numbers).predict(X).shape == (40,)
    with pytest.raises(ValueError, match="dim 3, while dim <= 2 is required by DecisionTree"):
        AdaBoostClassifier().fit(X, classes)
