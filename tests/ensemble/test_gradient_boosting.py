"""Gradient boosting: scikit-learn's trees and scores, the notes' examples, and the global step."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from scipy.optimize import minimize_scalar

import gramian
from gramian.datasets import make_regression
from gramian.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from gramian.exceptions import ConvergenceWarning
from gramian.inspection import tree_shap
from gramian.linear_model import LinearRegression
from gramian.metrics import mean_squared_error
from gramian.model_selection import train_test_split
from gramian.tree import DecisionTreeRegressor

OPTIONS = {"n_estimators": 12, "random_state": 3, "min_samples_leaf": 20}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 6))
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] ** 2 + rng.normal(size=1200) / 2
    return X, y, rng.uniform(0.5, 2.0, 1200)


def _check_same(ours, theirs, X):
    assert ours.estimators_.shape == theirs.estimators_.shape
    for mine, other in zip(ours.estimators_.flat, theirs.estimators_.flat, strict=True):
        np.testing.assert_array_equal(mine.tree_.feature, other.tree_.feature)
        np.testing.assert_allclose(mine.tree_.threshold, other.tree_.threshold, rtol=1e-10)
        np.testing.assert_allclose(mine.tree_.value, other.tree_.value, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(mine.tree_.impurity, other.tree_.impurity, atol=1e-10)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-10)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-8)
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
    method = "predict" if hasattr(ours, "alpha") else "predict_proba"
    np.testing.assert_allclose(getattr(ours, method)(X), getattr(theirs, method)(X), rtol=1e-9)
    staged = f"staged_{method}"
    for mine, other in zip(getattr(ours, staged)(X), getattr(theirs, staged)(X), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
@pytest.mark.parametrize("subsample", [1.0, 0.7])
def test_same_trees_for_numbers(data, loss, subsample):
    X, y, weight = data
    options = {**OPTIONS, "loss": loss, "subsample": subsample}
    ours = GradientBoostingRegressor(**options).fit(X, y, weight)
    theirs = sklearn.ensemble.GradientBoostingRegressor(**options).fit(X, y, weight)
    _check_same(ours, theirs, X)
    if subsample < 1:
        np.testing.assert_allclose(ours.oob_scores_, theirs.oob_scores_, rtol=1e-10)
        # Huber's delta is not yet known when scikit-learn takes the loss before the first round.
        ours_first = ours.oob_improvement_[loss == "huber" :]
        theirs_first = theirs.oob_improvement_[loss == "huber" :]
        np.testing.assert_allclose(ours_first, theirs_first, atol=1e-10)
        assert ours.oob_score_ == pytest.approx(theirs.oob_score_)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_same_trees_for_classes(data, loss, n_classes):
    X, y, weight = data
    labels = np.array(["low", "middle", "high"])[np.digitize(y, [0.5, 1.5][: n_classes - 1])]
    options = {**OPTIONS, "loss": loss, "subsample": 0.8}
    ours = GradientBoostingClassifier(**options)
    if loss == "exponential" and n_classes == 3:
        with pytest.raises(ValueError, match="binary"):
            ours.fit(X, labels)
        return
    theirs = sklearn.ensemble.GradientBoostingClassifier(**options).fit(X, labels, weight)
    _check_same(ours.fit(X, labels, weight), theirs, X)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"ccp_alpha": 0.01},
        {"min_weight_fraction_leaf": 0.1, "subsample": 0.5},
        {"n_iter_no_change": 2, "learning_rate": 0.8, "n_estimators": 200},
        {"init": "zero", "max_depth": 2, "min_impurity_decrease": 0.01},
    ],
)
def test_limits(data, options):
    X, y, weight = data
    options = {**OPTIONS, **options}
    ours = GradientBoostingRegressor(**options).fit(X, y, weight)
    theirs = sklearn.ensemble.GradientBoostingRegressor(**options).fit(X, y, weight)
    _check_same(ours, theirs, X)
    assert ours.n_estimators_ == theirs.n_estimators_


def test_drawn_columns_and_sparse_rows(data):
    from scipy.sparse import csc_array

    X, y, _ = data
    few = GradientBoostingRegressor(max_features=1, n_estimators=20, random_state=0).fit(X, y)
    assert few.max_features_ == 1
    assert few.score(X, y) > 0.3
    thin = np.where(np.abs(X) > 1, X, 0.0)
    dense = GradientBoostingRegressor(**OPTIONS, subsample=0.5).fit(thin, y)
    sparse = GradientBoostingRegressor(**OPTIONS, subsample=0.5).fit(csc_array(thin), y)
    np.testing.assert_array_equal(dense.predict(thin), sparse.predict(csc_array(thin)))


def test_another_first_model(data):
    X, y, weight = data
    ours = GradientBoostingRegressor(init=LinearRegression(), **OPTIONS).fit(X, y, weight)
    residual = y - LinearRegression().fit(X, y, weight).predict(X)
    alone = GradientBoostingRegressor(init="zero", **OPTIONS).fit(X, residual, weight)
    np.testing.assert_allclose(ours.predict(X), ours.init_.predict(X) + alone.predict(X), atol=1e-9)
    with pytest.raises(ValueError, match="first scores"):
        tree_shap(ours, X[:3])


def test_warm_start_and_monitor(data):
    X, y, _ = data
    options = {**OPTIONS, "subsample": 0.6}
    whole = GradientBoostingRegressor(**options).fit(X, y)
    parts = GradientBoostingRegressor(**{**options, "n_estimators": 5}, warm_start=True).fit(X, y)
    parts.set_params(n_estimators=12).fit(X, y)
    np.testing.assert_allclose(parts.predict(X), whole.predict(X), rtol=1e-12)
    np.testing.assert_allclose(parts.oob_scores_, whole.oob_scores_, rtol=1e-10)
    with pytest.raises(ValueError, match="larger or equal"):
        parts.set_params(n_estimators=3).fit(X, y)
    seen = []

    def monitor(i, model, rows):
        seen.append((i, len(model.estimators_), rows["raw_predictions"].shape))
        return i == 3

    stopped = GradientBoostingRegressor(**OPTIONS).fit(X, y, monitor=monitor)
    assert seen == [(i, i + 1, (1200, 1)) for i in range(4)]
    assert stopped.n_estimators_ == len(stopped.train_score_) == 4


def test_text_and_missing_values(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"colour": rng.choice(["red", "blue", "green"], 300), "size": rng.normal(size=300)}
    )
    y = np.where(frame["colour"] == "red", 2.0, frame["size"])
    frame.loc[::9, "size"] = np.nan
    model = GradientBoostingRegressor(subsample=0.7, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.9
    gramian.save(model, tmp_path / "boosted.gram")
    again = gramian.load(tmp_path / "boosted.gram")
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    found = tree_shap(model, frame[:10])
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, model.predict(frame[:10]), atol=1e-10)


def test_shapley_values_of_three_classes(data):
    X, y, _ = data
    model = GradientBoostingClassifier(**OPTIONS).fit(X, np.digitize(y, [0.0, 1.0]))
    found = tree_shap(model, X[:8])
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, model.decision_function(X[:8]), atol=1e-10)


# -- one step for a whole tree ---------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_global_step_is_the_best(data, loss):
    X, y, weight = data
    model = GradientBoostingRegressor(
        loss=loss, step="global", n_estimators=1, learning_rate=1.0, init="zero", max_depth=2
    )
    model.fit(X, y, weight)
    gamma, h = model.step_sizes_[0, 0], model.predict(X) / model.step_sizes_[0, 0]
    delta = np.quantile(np.abs(y), 0.9, weights=weight, method="inverted_cdf")

    def total(step):
        error = y - step * h
        size = np.abs(error)
        losses = {
            "squared_error": error**2,
            "absolute_error": size,
            "quantile": np.maximum(0.9 * error, -0.1 * error),
            "huber": np.where(size <= delta, size**2 / 2, delta * (size - delta / 2)),
        }
        return weight @ losses[loss]

    best = minimize_scalar(total, bounds=(0, 50), method="bounded", options={"xatol": 1e-9})
    assert total(gamma) <= best.fun * (1 + 1e-12)
    assert gamma == pytest.approx(best.x, abs=1e-3)


def test_global_steps_of_classes(data):
    X, y, _ = data
    for labels in (y > 1, np.digitize(y, [0.0, 1.0])):
        model = GradientBoostingClassifier(step="global", learning_rate=1.0, **OPTIONS)
        model.fit(X, labels)
        assert (np.diff(model.train_score_) < 0).all()
        assert model.step_sizes_.shape == model.estimators_.shape
        assert (model.step_sizes_ > 1).all()


# -- the examples of the notes ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def wave():
    """Noisy values of 2 x + sin x."""
    np.random.seed(10)
    x = np.linspace(0, 2 * np.pi, 100)
    y = 2 * x + np.sin(x) + np.random.normal(0, 0.5, x.size)
    return x[:, None], y


def test_sum_of_three_stumps(wave):
    X, y = wave
    model = GradientBoostingRegressor(n_estimators=3, max_depth=1, learning_rate=1, random_state=1)
    model.fit(X, y)
    r, total = y, np.zeros_like(y)
    for _ in range(3):
        stump = DecisionTreeRegressor(max_depth=1).fit(X, r)
        total += stump.predict(X)
        r = r - stump.predict(X)
    np.testing.assert_allclose(model.predict(X), total, atol=1e-12)


def test_optimal_ensemble_size(wave):
    X, y = wave
    X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.2, random_state=30)
    options = {"learning_rate": 1, "max_depth": 1}
    model = GradientBoostingRegressor(n_estimators=200, random_state=30, **options)
    model.fit(X_train, y_train)
    errors = [mean_squared_error(y_val, predicted) for predicted in model.staged_predict(X_val)]
    best = int(np.argmin(errors))
    assert best + 1 == 39
    again = GradientBoostingRegressor(n_estimators=best, **options).fit(X_train, y_train)
    assert f"{mean_squared_error(y_val, again.predict(X_val)):.2f}" == "0.62"


def test_staged_errors_of_the_listing():
    X, y = make_regression(
        n_samples=1000, n_features=20, n_informative=15, noise=0.1, random_state=42
    )
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=42)
    options = {"n_estimators": 100, "learning_rate": 0.1, "max_depth": 3, "random_state": 42}
    ours = GradientBoostingRegressor(**options).fit(X_train, y_train)
    theirs = sklearn.ensemble.GradientBoostingRegressor(**options).fit(X_train, y_train)
    scores = [
        [mean_squared_error(y_test, predicted) for predicted in model.staged_predict(X_test)]
        for model in (ours, theirs)
    ]
    np.testing.assert_allclose(scores[0][:40], scores[1][:40], rtol=0.02)
    assert np.argmin(scores[0]) + 1 == np.argmin(scores[1]) + 1 == 100


def test_same_bits_for_any_number_of_threads(data):
    X, y, _ = data
    prints = set()
    for n_threads in (1, 2):
        with gramian.config(n_threads=n_threads):
            model = GradientBoostingClassifier(**OPTIONS, subsample=0.8).fit(X, y > 1)
        prints.add(gramian.fingerprint(model))
    assert len(prints) == 1


def test_old_criterion_warns(data):
    X, y, _ = data
    with pytest.warns(FutureWarning, match="criterion"):
        old = GradientBoostingRegressor(criterion="friedman_mse", **OPTIONS).fit(X, y)
    new = GradientBoostingRegressor(**OPTIONS).fit(X, y)
    np.testing.assert_array_equal(old.predict(X), new.predict(X))


def test_a_monitor_can_be_requested():
    with gramian.config(enable_metadata_routing=True):
        model = GradientBoostingRegressor(n_estimators=5).set_fit_request(monitor=True)
    assert model.get_metadata_routing().fit.requests == {"sample_weight": None, "monitor": True}


def test_a_training_loss_that_rises_warns(data):
    X, y, _ = data
    model = GradientBoostingRegressor(learning_rate=2.5, n_estimators=10)
    with pytest.warns(ConvergenceWarning, match="training loss rose from") as caught:
        model.fit(X, y)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert model.train_score_[-1] > model.train_score_[0]
