"""Losses that users write, DART, presets, several quantiles and several outputs."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from gramian._boosting.presets import PRESETS
from gramian._boosting.settings import DropPlan
from gramian.boosting import BoostingClassifier, BoostingRegressor

X, Y = load_diabetes(return_X_y=True)


def squared(y, scores):
    return scores - y, np.ones_like(scores)


def test_a_custom_loss_is_the_built_in_one():
    own = BoostingRegressor(squared, n_estimators=20, base_score=150.0).fit(X, Y)
    known = BoostingRegressor(n_estimators=20, base_score=150.0).fit(X, Y)
    np.testing.assert_allclose(own.predict(X), known.predict(X), rtol=1e-5)
    np.testing.assert_allclose(BoostingRegressor(squared).fit(X, Y)._model.baseline, 0.0)


def test_a_custom_loss_of_two_classes():
    features, classes = load_breast_cancer(return_X_y=True)

    def logistic(y, scores):
        shares = expit(scores)
        return shares - y, shares * (1.0 - shares)

    own = BoostingClassifier(logistic, n_estimators=20).fit(features, classes == 1)
    known = BoostingClassifier(n_estimators=20, base_score=0.0).fit(features, classes == 1)
    shares = own.predict_proba(features)
    np.testing.assert_allclose(shares, known.predict_proba(features), atol=1e-4)
    assert own.classes_.tolist() == [False, True]


def test_a_custom_loss_of_three_classes_and_weights():
    features, classes = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, 150)

    def multinomial(y, scores):
        assert scores.shape == (150, 3)
        shares = softmax(scores, axis=1)
        return shares - (y[:, None] == np.arange(3)), shares * (1.0 - shares)

    own = BoostingClassifier(multinomial, n_estimators=10).fit(features, classes, weight)
    known = BoostingClassifier(n_estimators=10, base_score=0.0).fit(features, classes, weight)
    np.testing.assert_allclose(
        own.predict_proba(features), known.predict_proba(features), atol=1e-4
    )


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (lambda y, s: s - y, "tuple of gradient and hessian"),
        (lambda y, s: (s[1:] - y[1:], s), "gradient of a custom loss must have the shape"),
        (lambda y, s: (s - y, np.full_like(s, np.nan)), "hessian of a custom loss must be finite"),
        (lambda y, s: (s - y, -np.ones_like(s)), "must not be negative"),
    ],
)
def test_faulty_losses_are_refused(loss, message):
    with pytest.raises(ValueError, match=message):
        BoostingRegressor(loss).fit(X, Y)


def test_a_loss_cannot_change_the_data():
    y = Y.copy()

    def careless(target, scores):
        gradient = scores - target
        target[:] = 0.0
        scores[:] = 0.0
        return gradient, np.ones_like(gradient)

    own = BoostingRegressor(careless, n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(y, Y)
    known = BoostingRegressor(squared, n_estimators=5).fit(X, Y)
    np.testing.assert_array_equal(own.predict(X), known.predict(X))


# -- DART ------------------------------------------------------------------------------------------


def test_drops_follow_their_plan():
    counts = [len(DropPlan(0.3, 0.25, 0).draw(np.ones(100), seed)) for seed in range(400)]
    assert np.mean(np.equal(counts, 0)) == pytest.approx(0.25, abs=0.07)
    assert np.mean([count for count in counts if count]) == pytest.approx(30.0, abs=1.5)
    assert max(len(DropPlan(0.9, 0.0, 5).draw(np.ones(100), seed)) for seed in range(20)) == 5


def test_dart_keeps_scores_and_trees_together():
    model = BoostingRegressor(n_estimators=30, drop_rate=0.4, random_state=0)
    model.fit(X, Y, eval_set=[(X, Y)], eval_metric="rmse")
    expected = np.sqrt(np.mean((Y - model.predict(X)) ** 2))
    assert model.evals_result_["validation_0"]["rmse"][-1] == pytest.approx(expected, rel=1e-9)


def test_dart_normalises_as_its_definition_says():
    # A plan that leaves out all rounds: the second is grown as the first was.
    options = {"drop_rate": 1.0, "learning_rate": 0.5, "max_leaves": 4}
    first = BoostingRegressor(n_estimators=1, **options).fit(X, Y)
    both = BoostingRegressor(n_estimators=2, **options).fit(X, Y)
    whole = (first.predict(X) - Y.mean()) / 0.5  # a tree before the learning rate
    # The new one times r / (1 + r), the old one times 1 / (1 + r) of what it was.
    expected = Y.mean() + whole * (0.5 / 1.5) + whole * 0.5 * (1.0 / 1.5)
    np.testing.assert_allclose(both.predict(X), expected, rtol=1e-6)


def test_dart_never_drops_at_skip_one():
    plain = BoostingRegressor(n_estimators=10).fit(X, Y)
    skipping = BoostingRegressor(n_estimators=10, drop_rate=0.5, skip_drop=1.0).fit(X, Y)
    np.testing.assert_allclose(skipping.predict(X), plain.predict(X), rtol=1e-12)


# -- presets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["xgboost", "lightgbm", "catboost"])
def test_a_preset_is_its_parameters_and_gives_way_to_the_users(preset):
    named = BoostingRegressor(preset=preset, n_estimators=20, random_state=0).fit(X, Y)
    values = {**PRESETS[preset], "n_estimators": 20, "learning_rate": named.learning_rate_}
    written = BoostingRegressor(random_state=0, **values).fit(X, Y)
    np.testing.assert_array_equal(named.predict(X), written.predict(X))
    assert named.n_estimators_ == 20
    assert named.get_params()["learning_rate"] is None


def test_presets_have_the_same_parameters():
    names = set(BoostingRegressor().get_params())
    for values in PRESETS.values():
        assert set(values) == set(PRESETS[None])
        assert set(values) < names


def test_lightgbms_defaults_are_lightgbm():
    lightgbm = pytest.importorskip("lightgbm")
    coarse = np.round(X, 2)
    theirs = lightgbm.LGBMRegressor(verbose=-1, max_bin=1000, min_data_in_bin=1).fit(coarse, Y)
    ours = BoostingRegressor(preset="lightgbm").fit(coarse, Y)
    expected = theirs.predict(coarse)
    assert np.mean(np.abs(ours.predict(coarse) - expected) < 1e-3 * Y.std()) > 0.9


# -- several quantiles, several outputs ------------------------------------------------------------


def test_quantiles_never_cross_and_cover_their_share():
    rng = np.random.default_rng(0)
    features = rng.random((2000, 3))
    y = features[:, 0] + (0.2 + features[:, 1]) * rng.standard_normal(2000)
    shares = [0.9, 0.05, 0.5, 0.25]
    model = BoostingRegressor(loss="quantile", quantile=shares, n_estimators=100).fit(features, y)
    found = model.predict(rng.random((500, 3)))
    assert (np.diff(np.sort(shares)) > 0).all()
    assert (np.diff(found[:, np.argsort(shares)], axis=1) >= 0.0).all()
    covered = (y[:, None] <= model.predict(features)).mean(axis=0)
    np.testing.assert_allclose(covered, shares, atol=0.05)
    alone = BoostingRegressor(loss="quantile", quantile=0.5, n_estimators=100).fit(features, y)
    np.testing.assert_array_equal(model.predict_raw(features)[:, 2], alone.predict(features))


def test_sorting_quantiles_does_not_raise_their_loss():
    model = BoostingRegressor(loss="quantile", quantile=[0.4, 0.5, 0.6], learning_rate=0.5)
    model.fit(X[:200], Y[:200])
    losses = []
    for found in (model.predict_raw(X[200:]), model.predict(X[200:])):
        left = Y[200:, None] - found
        losses.append(np.maximum(left * [0.4, 0.5, 0.6], left * [-0.6, -0.5, -0.4]).mean())
    assert (np.diff(model.predict_raw(X[200:]), axis=1) < 0.0).any()
    assert losses[1] < losses[0]


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "absolute_error"])
def test_outputs_are_models_of_their_own(loss):
    targets = np.column_stack([Y, Y.max() - Y + 1.0])
    both = BoostingRegressor(loss, n_estimators=15).fit(
        X, targets, eval_set=[(X, targets)], eval_metric="mae"
    )
    for k in range(2):
        alone = BoostingRegressor(loss, n_estimators=15).fit(X, targets[:, k])
        np.testing.assert_array_equal(both.predict(X)[:, k], alone.predict(X))
    error = np.abs(both.predict(X) - targets).mean()
    assert both.evals_result_["validation_0"]["mae"][-1] == pytest.approx(error)
    assert both.score(X, targets) > 0.4
    with pytest.raises(ValueError, match="one column"):
        BoostingRegressor(loss="quantile", quantile=[0.1, 0.9]).fit(X, targets)
    with pytest.raises(ValueError, match="one column"):
        BoostingRegressor(squared).fit(X, targets)
