"""Blends: weights from rows held out, their bound, time limits, tables, weights of rows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier as SkTree

import gramian
from gramian.datasets import load_breast_cancer, load_diabetes, load_iris
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.ensemble import (
    BlendClassifier,
    BlendRegressor,
    ExtraTreesClassifier,
    _blend_base,
    _clock,
)
from gramian.ensemble._blend_weights import HeldOutLoss, blend_weights
from gramian.exceptions import ConvergenceWarning, FitFailedWarning, InvalidParameterError
from gramian.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from gramian.model_selection import KFold, StratifiedKFold
from gramian.naive_bayes import GaussianNB
from gramian.neighbors import KNeighborsClassifier, KNeighborsRegressor

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def classifiers():
    return [("near", KNeighborsClassifier(20)), ("no", "drop"), ("bayes", GaussianNB())]


def regressors():
    return [("near", KNeighborsRegressor(20)), ("ridge", Ridge(0.1)), ("mean", DummyRegressor())]


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["three", "two"])
def test_losses_are_those_of_rows_held_out(data):
    """The same folds through scikit-learn's functions give the losses and the certificate."""
    X, y = data
    names = np.array(["ash", "birch", "cedar"])[y]
    folds = list(StratifiedKFold(4, shuffle=True, random_state=1).split(X, y))
    model = BlendClassifier(classifiers(), cv=folds).fit(X, names)
    held_out = {
        name: cross_val_predict(part, X, y, cv=folds, method="predict_proba")
        for name, part in classifiers()
        if part != "drop"
    }
    losses = {row["name"]: row["loss"] for row in model.leaderboard_}
    assert list(losses) == sorted(held_out, key=lambda name: log_loss(y, held_out[name]))
    for name, chances in held_out.items():
        assert losses[name] == pytest.approx(log_loss(y, chances), rel=1e-9)
    blended = sum(weight * held_out[name] for name, weight in model.weights_.items())
    certificate = model.certificate_
    assert certificate.objective == pytest.approx(log_loss(y, blended), rel=1e-9)
    assert certificate.details["best_member"] == model.leaderboard_[0]["name"]
    assert certificate.details["best_member_loss"] == pytest.approx(min(losses.values()))
    assert certificate.objective <= min(losses.values())
    assert str(model.leaderboard_[0]["name"]) in str(certificate)


def test_regressor_blends_what_its_members_predict():
    X, y = DIABETES
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    model = BlendRegressor(regressors(), cv=folds).fit(X, y)
    held_out = {name: cross_val_predict(part, X, y, cv=folds) for name, part in regressors()}
    blended = sum(weight * held_out[name] for name, weight in model.weights_.items())
    assert model.certificate_.objective == pytest.approx(mean_squared_error(y, blended))
    assert set(model.weights_) == {"near", "ridge"}
    assert sum(model.weights_.values()) == pytest.approx(1.0)
    assert model.named_estimators_["mean"] == "drop"
    assert model.leaderboard_[-1] == {
        "name": "mean",
        "loss": pytest.approx(mean_squared_error(y, held_out["mean"])),
        "weight": 0.0,
        "outcome": "not chosen",
    }
    fitted = {name: part.fit(X, y).predict(X) for name, part in regressors()}
    expected = sum(weight * fitted[name] for name, weight in model.weights_.items())
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-12)
    np.testing.assert_array_equal(model.transform(X)[:, 0], fitted["near"])
    assert model.get_feature_names_out().tolist() == ["blendregressor_near", "blendregressor_ridge"]


def test_classes_have_the_mean_of_the_probabilities():
    X, y = CANCER
    members = [("near", KNeighborsClassifier(20)), ("forest", ExtraTreesClassifier(20))]
    members[1][1].random_state = 0
    model = BlendClassifier(members, random_state=0).fit(X, y.astype(str))
    expected = sum(
        weight * dict(members)[name].fit(X, y).predict_proba(X)
        for name, weight in model.weights_.items()
    )
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), expected.argmax(axis=1).astype(str))
    assert model.transform(X).shape == (len(X), len(model.weights_))
    assert model.score(X, y.astype(str)) > 0.95


@pytest.mark.parametrize("is_log", [True, False])
def test_no_weights_come_below_the_bound(is_log, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, m = 300, 4
    columns = rng.beta(3.0, 1.0, (n, m)) if is_log else rng.normal(0.1, 1.0, (n, m))
    loss = HeldOutLoss.of(columns, rng.uniform(0.0, 2.0, n), is_log=is_log)
    weights, unseen = blend_weights(loss, np.arange(n) % 5, 50)
    certificate = _blend_base.blend_certificate(loss, weights, unseen, list("abcd"))
    exact = minimize(
        loss.of_weights,
        np.full(m, 1.0 / m),
        jac=loss.gradient,
        bounds=[(0.0, 1.0)] * m,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0},
        method="SLSQP",
        tol=1e-12,
    )
    assert certificate.dual_bound <= exact.fun + 1e-12
    assert exact.fun <= certificate.objective + 1e-12
    assert certificate.objective <= 1.01 * exact.fun
    assert certificate.converged == (certificate.gap <= 0.01)
    assert certificate.details["loss_of_unseen_weights"] >= exact.fun


def test_greedy_steps_by_hand():
    """Rows that two members get right by turns: each alone is bad, the mean of both is best."""
    good, bad = 0.9, 0.1
    columns = np.array([[good, bad, 0.2], [bad, good, 0.2]] * 10)
    loss = HeldOutLoss.of(columns, np.ones(20), is_log=True)
    weights, unseen = blend_weights(loss, np.repeat(np.arange(5), 4), 2)
    np.testing.assert_array_equal(weights, [0.5, 0.5, 0.0])
    assert unseen == pytest.approx(-np.log(0.5))
    alone, _ = blend_weights(loss, np.repeat(np.arange(5), 4), 1)
    np.testing.assert_array_equal(alone, [1.0, 0.0, 0.0])


def test_a_blend_is_never_worse_than_its_best_member_on_rows_held_out():
    """Weights that are averaged over the folds could be, by a hair."""
    columns = np.array([[1.0, 0.9], [0.1, 0.5]])
    loss = HeldOutLoss.of(columns, np.array([1.0, 1.0]), is_log=False)
    weights, _ = blend_weights(loss, np.array([0, 1]), 10)
    assert loss.of_weights(weights) <= min(loss.of_weights(unit) for unit in np.eye(2))


@pytest.fixture
def clock(monkeypatch):
    """A clock that only `Slow` moves on."""
    seconds = [0.0]
    monkeypatch.setattr(_clock.time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(Slow, "clock", seconds)
    return seconds


class Slow(SkTree):
    """A tree that says that a fit took some seconds."""

    clock = None

    def __init__(self, seconds=1.0, max_depth=3):
        super().__init__(max_depth=max_depth)
        self.seconds = seconds

    def fit(self, X, y, sample_weight=None):
        type(self).clock[0] += self.seconds
        return super().fit(X, y, sample_weight=sample_weight)


def slow_members():
    return [("quick", Slow(1.0, max_depth=1)), ("slow", Slow(10.0)), ("second", Slow(1.0))]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(1000.0, ["quick", "slow", "second"]), (30.0, ["quick", "second"]), (8.0, ["quick"])],
)
def test_members_that_would_not_be_done_are_left_out(clock, limit, expected):
    model = BlendClassifier(slow_members(), time_limit=limit).fit(*IRIS)
    tried = [row["name"] for row in model.leaderboard_ if row["loss"] is not None]
    assert sorted(tried) == sorted(expected)
    others = [row for row in model.leaderboard_ if row["loss"] is None]
    assert all(row["outcome"] == "the time was up" for row in others)
    assert clock[0] <= limit + 10.0  # the first fold of a slow member


def test_a_limit_too_short_for_one_fold_gives_the_baseline(clock):
    with pytest.warns(
        ConvergenceWarning, match="done with its 5 folds in the time limit of 0.5 sec"
    ):
        model = BlendClassifier(slow_members(), time_limit=0.5).fit(*IRIS)
    assert model.weights_ == {"baseline": 1.0}
    expected = DummyClassifier().fit(*IRIS).predict_proba(IRIS[0][:3])
    np.testing.assert_array_equal(model.predict_proba(IRIS[0][:3]), expected)
    assert model.leaderboard_[0]["name"] == "baseline"
    assert model.certificate_.objective == pytest.approx(np.log(3.0))


def test_auto_of_no_time_at_all():
    with pytest.warns(ConvergenceWarning, match="Raise time_limit"):
        model = BlendRegressor(time_limit=1e-9).fit(*DIABETES, np.ones(442))
    assert model.predict(DIABETES[0][:1]) == pytest.approx(DIABETES[1].mean())


def test_the_setting_limits_too(clock):
    with gramian.config(time_limit=8.0):
        model = BlendClassifier(slow_members()).fit(*IRIS)
    assert set(model.weights_) == {"quick"}
    with gramian.config(time_limit=8.0):
        model = BlendClassifier(slow_members(), time_limit=1000.0).fit(*IRIS)
    assert all(row["loss"] is not None for row in model.leaderboard_)


def mixed_rows(n=90):
    rng = np.random.default_rng(0)
    size = rng.standard_normal(n)
    city = rng.choice(["Rome", "Oslo", "Bonn"], n)
    size[rng.integers(0, n, 10)] = np.nan
    words = ["deep blue sea", "high green hill", "cold white snow"]
    text = [f"{words[i % 3]} number {i}" for i in rng.integers(0, 900, n)]
    frame = pd.DataFrame({"size": size, "city": city, "text": text})
    return frame, np.nan_to_num(size) + 2.0 * (city == "Rome")


def test_auto_takes_any_table():
    X, y = mixed_rows()
    classes = np.where(y > 0.7, "large", "small")
    model = BlendClassifier(cv=2, random_state=0).fit(X, classes)
    names = {"boosting", "extra_trees", "forest", "linear", "neighbors", "network", "svm"}
    assert {row["name"] for row in model.leaderboard_} == names | {"symmetric"}
    assert all(row["loss"] < 3.0 for row in model.leaderboard_)
    assert model.score(X, classes) > 0.8
    assert model.feature_names_in_.tolist() == ["size", "city", "text"]
    other = X.assign(city="Bern", size=np.nan)
    assert np.isfinite(model.predict_proba(other)).all()


@pytest.mark.parametrize(("n_rows", "is_wide"), [(50, False), (20_001, False), (50, True)])
@pytest.mark.parametrize("is_classifier", [True, False])
def test_auto_takes_the_net_for_tables_where_it_suits(n_rows, is_wide, is_classifier):
    from scipy import sparse

    from gramian.ensemble._blend_members import auto_members

    X = np.zeros((n_rows, 2))
    options = {"is_classifier": is_classifier, "has_weights": False}
    rows = sparse.csr_array(X) if is_wide else X
    found = dict(auto_members(rows, np.arange(n_rows) % 2, 3, **options))["network"]
    is_for_tables = getattr(found, "preset", None) == "table"
    assert is_for_tables == (n_rows == 50 and not is_wide)
    if is_for_tables:
        assert (found.random_state, found.n_nets) == (3, 2)


def test_auto_of_numbers_with_gaps_and_weights():
    """Weights go to all members; neighbours take none and are left out."""
    X, y = DIABETES
    X, y, weight = X[:60].copy(), y[:60], np.r_[np.zeros(20), np.ones(40)]
    X[::7, 2] = np.nan
    y[:20] = 1e6  # of no weight
    X[:20, 0] = -1e3
    model = BlendRegressor(cv=2, random_state=0).fit(X, y, weight)
    assert "neighbors" not in {row["name"] for row in model.leaderboard_}
    assert model.predict(X[20:]).max() < 400.0
    assert model.leaderboard_[0]["loss"] < 3.0 * y[20:].var()


def test_sparse_rows():
    from scipy import sparse

    X = (IRIS[0] > [5.8, 3.0, 4.0, 1.3]).astype(float)
    members = [("line", LogisticRegression()), ("forest", ExtraTreesClassifier(random_state=0))]
    dense = BlendClassifier(members, random_state=0).fit(X, IRIS[1])
    thin = BlendClassifier(members, random_state=0).fit(sparse.csr_array(X), IRIS[1])
    np.testing.assert_allclose(thin.predict_proba(X), dense.predict_proba(X), atol=1e-6)
    assert BlendClassifier()._tags().sparse and not BlendClassifier(classifiers())._tags().sparse


def test_a_classifier_without_probabilities_is_calibrated():
    model = BlendClassifier([("line", RidgeClassifier())], cv=3).fit(*IRIS)
    assert type(model.estimators_[0]).__name__ == "CalibratedClassifierCV"
    np.testing.assert_allclose(model.predict_proba(IRIS[0]).sum(axis=1), 1.0)


def test_a_class_that_a_fold_lacks():
    X, y = IRIS[0][:104], IRIS[1][:104]  # four rows of the last class
    with pytest.warns(UserWarning, match="least populated class"):
        model = BlendClassifier(classifiers(), random_state=0).fit(X, y)
    assert model.predict_proba(X).shape == (104, 3)


def test_members_that_fail(monkeypatch):
    """A named member's error is the user's; of those that nobody named, others are left."""

    class Broken(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("no such rows")

    with pytest.raises(ValueError, match="no such rows"):
        BlendRegressor([("a", Ridge()), ("b", Broken())]).fit(*DIABETES)
    members = [("a", Ridge()), ("b", Broken())]
    monkeypatch.setattr(_blend_base, "auto_members", lambda *_, **__: members)
    with pytest.warns(FitFailedWarning, match="b failed: no such rows"):
        model = BlendRegressor().fit(*DIABETES)
    assert model.weights_ == {"a": 1.0}
    assert model.leaderboard_[1]["outcome"] == "failed: no such rows"
    members.pop(0)
    with warnings.catch_warnings(), pytest.raises(ValueError, match="no such rows"):
        warnings.simplefilter("ignore", FitFailedWarning)
        BlendRegressor().fit(*DIABETES)


def test_ctrl_c_leaves_the_blend_as_it_was():
    class Stopped(Ridge):
        def fit(self, X, y, sample_weight=None):
            raise KeyboardInterrupt

    model = BlendRegressor(regressors(), random_state=0).fit(*DIABETES)
    before = gramian.fingerprint(model)
    model.estimators = [("a", Ridge()), ("b", Stopped())]
    with pytest.raises(KeyboardInterrupt):
        model.fit(*DIABETES)
    model.estimators = model.set_params(estimators=regressors()).estimators
    assert gramian.fingerprint(model) == before


@pytest.mark.parametrize("kind", [BlendClassifier, BlendRegressor])
def test_bad_parameters(kind):
    X, y = IRIS
    for params, word in [
        ({"estimators": "best"}, "estimators"),
        ({"time_limit": 0.0}, "time_limit"),
        ({"time_limit": "1 h"}, "time_limit"),
        ({"n_steps": 0}, "n_steps"),
    ]:
        with pytest.raises(InvalidParameterError, match=word):
            kind(**params).fit(X, y)
    with pytest.raises(ValueError, match="non-empty list"):
        kind([]).fit(X, y)
    with pytest.raises(ValueError, match=r"n_splits=5 .* n_samples=2|number of members in each"):
        kind().fit(X[:2], y[[0, 50]])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kind().fit(X, y[:-1])


def test_bad_targets():
    X, y = IRIS
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        BlendClassifier().fit(X, X[:, 0] + 0.5)
    with pytest.raises(NotImplementedError, match="only supports binary or multiclass"):
        BlendClassifier().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="regressor"):
        BlendRegressor([("a", LogisticRegression())]).fit(X, y)


def test_weights_while_routing_is_on():
    X, y = DIABETES
    with gramian.config(enable_metadata_routing=True):
        asked = [("a", Ridge().set_fit_request(sample_weight=True))]
        model = BlendRegressor(asked, cv=2).fit(X, y, sample_weight=np.ones(len(y)))
        with pytest.raises(ValueError, match="only while metadata routing is off"):
            BlendRegressor(cv=2).fit(X, y, sample_weight=np.ones(len(y)))
    assert model.weights_ == {"a": 1.0}
