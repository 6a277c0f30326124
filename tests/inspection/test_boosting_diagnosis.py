"""Diagnosis of boosting: each finding where it must be raised, and where it must not."""

import numpy as np
import pandas as pd
import pytest

from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.datasets import load_breast_cancer, load_diabetes, make_classification
from gramian.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from gramian.inspection import diagnose
from gramian.inspection._diagnosis import tree_trials

CLASSIFIERS = {
    "engine": lambda n, rate: BoostingClassifier(n_estimators=n, learning_rate=rate),
    "histograms": lambda n, rate: HistGradientBoostingClassifier(max_iter=n, learning_rate=rate),
    "gradient": lambda n, rate: GradientBoostingClassifier(n_estimators=n, learning_rate=rate),
}
REGRESSORS = {
    "engine": lambda n, rate: BoostingRegressor(n_estimators=n, learning_rate=rate),
    "histograms": lambda n, rate: HistGradientBoostingRegressor(max_iter=n, learning_rate=rate),
    "gradient": lambda n, rate: GradientBoostingRegressor(n_estimators=n, learning_rate=rate),
}
classifiers = pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)
regressors = pytest.mark.parametrize("make", REGRESSORS.values(), ids=REGRESSORS)


@pytest.fixture(scope="module")
def classes():
    """Two classes that overlap a little, each label right."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    return X, (X[:, 0] + X[:, 1] ** 2 - 1.0 + 0.2 * rng.normal(size=500) > 0.0).astype(int)


@pytest.fixture(scope="module")
def numbers():
    """A curve and noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    return X, 2.0 * X[:, 0] + np.sin(3.0 * X[:, 1]) + 0.5 * rng.normal(size=500)


def flipped(y, share):
    rng = np.random.default_rng(1)
    rows = np.sort(rng.choice(len(y), int(share * len(y)), replace=False))
    other = y.copy()
    other[rows] = 1 - other[rows]
    return other, rows


# -- sound models ----------------------------------------------------------------------------------


@classifiers
def test_sound_classifiers(make, classes):
    found = diagnose(make(60, 0.1).fit(*classes), *classes)
    assert [f.code for f in found] == ["rounds", "learning_rate", "leakage", "labels"]
    assert {f.verdict for f in found} == {"ok"}, str(found)
    assert "of 60 rounds on 500 rows" in found.title


@regressors
def test_sound_regressors(make, numbers):
    found = diagnose(make(60, 0.1).fit(*numbers), *numbers)
    assert {f.verdict for f in found} == {"ok"}, str(found)


def test_sound_adaboost(classes):
    found = diagnose(AdaBoostClassifier(n_estimators=40, random_state=0).fit(*classes), *classes)
    assert found.ok, str(found)
    assert found["rounds"].statistic_name.startswith("Accuracy")


# -- rounds and rate -------------------------------------------------------------------------------


@classifiers
def test_too_many_rounds(make, classes):
    """The log loss of rows left out turns long before the accuracy does."""
    X, y = classes
    y, _ = flipped(y, 0.2)
    finding = diagnose(make(60, 0.6).fit(X, y), X, y)["rounds"]
    assert finding.verdict == "problem"
    assert finding.statistic_name.startswith("D²")
    assert "Set max_iter=" in finding.remedy or "Set n_estimators=" in finding.remedy


@classifiers
def test_too_few_rounds(make, classes):
    finding = diagnose(make(5, 0.05).fit(*classes), *classes)["rounds"]
    assert finding.verdict == "warning"
    assert "still rises" in finding.remedy


@regressors
def test_too_long_steps(make, numbers):
    finding = diagnose(make(40, 1.5).fit(*numbers), *numbers)["learning_rate"]
    assert finding.verdict in ("warning", "problem")
    assert "learning_rate=0.3" in finding.remedy


def test_stopped_models_are_judged_by_the_rounds_they_have(numbers):
    """What early stopping has ended in time has not too many rounds."""
    X, y = numbers
    stopped = BoostingRegressor(
        n_estimators=1000, learning_rate=0.3, early_stopping_rounds=10, random_state=0
    )
    found = diagnose(stopped.fit(X, y), X, y)
    assert stopped.n_estimators_ < 200
    assert f"{stopped.n_estimators_} rounds" in found.title
    assert found["rounds"].verdict == "ok"
    grown = GradientBoostingRegressor(n_estimators=1000, n_iter_no_change=5, random_state=0)
    assert f"{grown.fit(X, y).n_estimators_} rounds" in diagnose(grown, X, y).title
    hist = HistGradientBoostingRegressor(max_iter=1000, early_stopping=True, random_state=0)
    assert f"{hist.fit(X, y).n_iter_} rounds" in diagnose(hist, X, y).title


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (BoostingRegressor("poisson", n_estimators=20), "D²"),
        (BoostingRegressor("tweedie", tweedie_power=1.4, n_estimators=20), "D²"),
        (BoostingRegressor("expectile", quantile=0.8, n_estimators=20), "D²"),
        (BoostingRegressor(lambda y, f: (f - y, np.ones(len(y))), n_estimators=20), "R²"),
        (HistGradientBoostingRegressor("gamma", max_iter=20), "D²"),
        (HistGradientBoostingRegressor("quantile", quantile=0.9, max_iter=20), "D²"),
        (GradientBoostingRegressor(loss="huber", n_estimators=20), "D²"),
        (GradientBoostingRegressor(loss="quantile", n_estimators=20), "D²"),
        (AdaBoostRegressor(n_estimators=10, random_state=0), "R²"),
    ],
)
def test_models_are_judged_by_their_own_loss(model, name):
    X, y = load_diabetes(return_X_y=True)
    found = diagnose(model.fit(X, y), X, y)
    assert found["rounds"].statistic_name.startswith(name)
    assert 0.0 < found["leakage"].statistic < 0.9


# -- leakage ---------------------------------------------------------------------------------------


@classifiers
def test_leaking_column_of_classes(make, classes):
    X, y = classes
    leak = np.column_stack([X, y + 0.1 * np.random.default_rng(0).normal(size=len(y))])
    finding = diagnose(make(60, 0.1).fit(leak, y), leak, y)["leakage"]
    assert finding.verdict == "problem"
    assert finding.columns == ("x4",)


@regressors
def test_leaking_column_of_numbers(make, numbers):
    X, y = numbers
    frame = pd.DataFrame(X, columns=list("abcd")).assign(paid=y + 0.1)
    finding = diagnose(make(60, 0.1).fit(frame, y), frame, y)["leakage"]
    assert finding.verdict == "problem"
    assert finding.columns == ("paid",)
    assert "leave it out" in finding.remedy


def test_leaking_level_and_parameters_of_columns(classes):
    """What names columns must not get into the way of models of one column."""
    X, y = classes
    leak = np.column_stack([X, y])
    model = HistGradientBoostingClassifier(
        max_iter=30, categorical_features=[4], monotonic_cst=[1, 0, 0, 0, 0]
    )
    finding = diagnose(model.fit(leak, y), leak, y)["leakage"]
    assert finding.verdict in ("warning", "problem")
    assert finding.columns == ("x4",)
    boosted = GradientBoostingClassifier(n_estimators=30, max_features=3, random_state=0)
    assert diagnose(boosted.fit(leak, y), leak, y)["leakage"].columns == ("x4",)
    ada = AdaBoostClassifier(n_estimators=20).fit(leak, y)
    assert diagnose(ada, leak, y)["leakage"].columns == ("x4",)


def test_too_good_to_be_true():
    """No column tells much of the target, but each row has copies on both sides of a split."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 8, size=(40, 4)).astype(float), 15, axis=0)
    y = np.repeat(rng.permutation(40) * 1.0, 15)
    model = BoostingRegressor(
        n_estimators=100, learning_rate=0.3, min_samples_leaf=1, reg_lambda=0.0
    )
    finding = diagnose(model.fit(X, y), X, y)["leakage"]
    assert finding.verdict == "warning"
    assert "copies of a row" in finding.remedy
    assert finding.columns == ()


# -- labels ----------------------------------------------------------------------------------------


@classifiers
def test_wrong_labels(make):
    X, y = make_classification(600, 8, n_informative=4, flip_y=0.0, class_sep=1.5, random_state=0)
    assert diagnose(make(40, 0.1).fit(X, y), X, y)["labels"].verdict == "ok"
    noisy, rows = flipped(y, 0.12)
    finding = diagnose(make(40, 0.1).fit(X, noisy), X, noisy)["labels"]
    assert finding.verdict in ("warning", "problem")
    assert finding.pvalue < 0.01
    assert np.isin(finding.rows, rows).mean() > 0.8


def test_wrong_labels_hold_the_weight_of_adaboost():
    X, y = load_breast_cancer(return_X_y=True)
    assert diagnose(AdaBoostClassifier(n_estimators=30).fit(X, y), X, y)["labels"].verdict == "ok"
    noisy, rows = flipped(y, 0.1)
    finding = diagnose(AdaBoostClassifier(n_estimators=30).fit(X, noisy), X, noisy)["labels"]
    assert finding.verdict in ("warning", "problem")
    assert "of the weight after the last round" in finding.explanation
    assert np.isin(finding.rows, rows).mean() > 0.8


def test_classes_that_overlap_are_not_wrong_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = (X[:, 0] + X[:, 1] + rng.logistic(size=600) > 0).astype(int)
    assert diagnose(BoostingClassifier(n_estimators=30).fit(X, y), X, y)["labels"].verdict == "ok"
    random = rng.integers(0, 2, 600)
    model = BoostingClassifier(n_estimators=30).fit(X, random)
    assert diagnose(model, X, random)["labels"].verdict == "ok"


@pytest.mark.parametrize("library", [np.asarray, pd.DataFrame])
def test_nothing_tells_wrong_labels_from_chance_among_copies(library):
    """Where rows of few levels are copies of each other, a share of each class is what there is."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(400, 3)).astype(float)
    y = (rng.random(400) < np.where(X[:, 0] + X[:, 1] > 2, 0.85, 0.1)).astype(int)
    model = BoostingClassifier(n_estimators=20).fit(library(X), y)
    finding = diagnose(model, library(X), y)["labels"]
    assert finding.verdict == "not applicable"
    assert "copies" in finding.explanation


@regressors
def test_gross_errors(make, numbers):
    X, y = numbers
    wrong = y.copy()
    wrong[[7, 80, 200, 333, 421]] += 40.0
    finding = diagnose(make(60, 0.1).fit(X, wrong), X, wrong)["labels"]
    assert finding.verdict == "problem"
    assert set(finding.rows) >= {7, 80, 200, 333, 421}
    assert len(finding.rows) < 10


@pytest.mark.parametrize("noise", ["laplace", "spread", "skewed"])
def test_tails_are_not_gross_errors(noise):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = 2.0 * X[:, 0] + X[:, 1]
    y = {
        "laplace": y + rng.laplace(size=600),
        "spread": y + np.exp(X[:, 0]) * rng.normal(size=600),
        "skewed": np.exp(y / 2 + 0.5 * rng.normal(size=600)),
    }[noise]
    model = HistGradientBoostingRegressor(max_iter=40).fit(X, y)
    assert diagnose(model, X, y)["labels"].verdict == "ok"


# -- data ------------------------------------------------------------------------------------------


def test_rows_are_named_by_their_place_in_the_table(numbers, monkeypatch):
    """Of many rows some are drawn; the findings still speak of those that were given."""
    X, y = numbers
    wrong = y.copy()
    wrong[::50] += 40.0
    model = BoostingRegressor(n_estimators=60).fit(X, wrong)
    monkeypatch.setattr(tree_trials, "_MAX_ROWS", 300)
    found = diagnose(model, X, wrong)
    assert "on 300 rows" in found.title
    assert found["labels"].rows
    assert all(row % 50 == 0 for row in found["labels"].rows)


def test_lists_weights_and_text(classes):
    X, y = classes
    model = BoostingClassifier(n_estimators=20).fit(X, y)
    assert len(diagnose(model, X.tolist(), y.tolist())) == 4
    frame = pd.DataFrame(X, columns=list("abcd")).assign(town=np.where(X[:, 0] > 0, "Rome", "Oslo"))
    weight = np.random.default_rng(0).integers(1, 3, len(y))
    model = HistGradientBoostingClassifier(max_iter=20).fit(frame, y, weight)
    assert diagnose(model, frame, y, weight)["labels"].verdict == "ok"


def test_what_cannot_be_diagnosed():
    X, y = load_diabetes(return_X_y=True)
    few = diagnose(BoostingRegressor(n_estimators=2).fit(X[:20], y[:20]), X[:20], y[:20])
    assert {finding.verdict for finding in few} == {"not applicable"}
    rare = np.r_[1, 1, np.zeros(98)]
    model = BoostingClassifier(n_estimators=2).fit(X[:100], rare)
    assert "fewer than 3 rows" in diagnose(model, X[:100], rare)["rounds"].explanation
    band = BoostingRegressor("quantile", quantile=[0.1, 0.9], n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="one quantile"):
        diagnose(band, X, y)
    two = BoostingRegressor(n_estimators=2).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="one target"):
        diagnose(two, X, np.column_stack([y, y]))
