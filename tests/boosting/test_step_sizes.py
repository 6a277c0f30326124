"""Steps of leaves where second derivatives vanish: scores stay bounded, and losses fall."""

import warnings

import numpy as np
import pytest

from gramian._boosting.step_sizes import proven_step
from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.compat.lightgbm import LGBMClassifier
from gramian.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from gramian.exceptions import ConvergenceWarning


def rare_classes(seed):
    """Return four classes, three of them rare, that are told apart but for some wrong labels."""
    rng = np.random.default_rng(seed)
    y = rng.choice(4, size=600, p=[0.9, 0.06, 0.025, 0.015])
    X = rng.normal(size=(600, 3))
    X[:, 0] += 4 * y
    X[:, 1] -= 3 * (y == 2)
    is_wrong = rng.random(600) < 0.01
    y[is_wrong] = rng.choice(4, is_wrong.sum())
    return X, y


def rare_counts():
    """Return counts of a few units, and six of some thousands."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    y[:6] = rng.integers(2000, 9000, 6)
    return X, y


@pytest.mark.parametrize("seed", [2, 3, 5])
@pytest.mark.parametrize(
    "model",
    [
        HistGradientBoostingClassifier(learning_rate=0.3),
        BoostingClassifier(preset="lightgbm", learning_rate=0.3),
        LGBMClassifier(learning_rate=0.3, verbose=-1),
    ],
    ids=lambda model: type(model).__name__,
)
def test_scores_stay_bounded_where_rare_classes_are_told_apart(model, seed):
    X, y = rare_classes(seed)
    model.fit(X, y)
    shares = model.predict_proba(X)
    assert (model.predict(X) == y).mean() > 0.99
    assert -np.log(shares[np.arange(len(y)), y]).mean() < 0.05
    if not isinstance(model, LGBMClassifier):
        assert np.abs(model.decision_function(X)).max() < 50.0
        assert model.certificate_.converged


@pytest.mark.parametrize(
    "model",
    [
        HistGradientBoostingRegressor(loss="poisson", learning_rate=0.5, min_samples_leaf=3),
        BoostingRegressor(loss="gamma", learning_rate=0.5, reg_lambda=0.0, min_samples_leaf=1),
        BoostingRegressor(loss="poisson", learning_rate=1.0, preset="catboost", n_estimators=100),
    ],
    ids=lambda model: f"{type(model).__name__}-{model.loss}",
)
def test_means_of_rare_large_counts_stay_finite(model):
    X, y = rare_counts()
    y = np.maximum(y, 0.1)
    model.fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert model.predict(X).max() < 100 * y.max()
    assert model.certificate_.converged


def test_shortened_steps_keep_monotone_constraints():
    X, y = rare_counts()
    model = HistGradientBoostingRegressor(
        loss="poisson", learning_rate=0.5, min_samples_leaf=3, monotonic_cst=[1, 0, 0]
    ).fit(X, y)
    grid = np.zeros((50, 3))
    grid[:, 0] = np.linspace(-3.0, 3.0, 50)
    assert (np.diff(model.predict(grid)) >= 0.0).all()
    assert np.isfinite(model.predict(X)).all()


def test_a_proven_step_lowers_the_bound_and_a_longer_one_may_not():
    for rate in (0.01, 0.1, 0.3, 1.0):
        step = proven_step(rate)
        newton = step / rate  # |G| / H
        for factor, sign in ((0.999, -1.0), (1.001, 1.0)):
            s = factor * step
            change = -factor * newton * s + np.expm1(s) - s
            assert np.sign(change) == sign
    assert proven_step(5.0) == proven_step(1.0)


def test_a_loss_that_rises_is_not_converged_and_warns_once():
    X, y = rare_counts()
    model = BoostingRegressor(learning_rate=2.5, reg_lambda=0.0, n_estimators=20)
    with pytest.warns(ConvergenceWarning, match="rose from .* reg_lambda") as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert not model.certificate_.converged
    assert model.certificate_.optimality > 1.0
    model = HistGradientBoostingRegressor(learning_rate=2.5, max_iter=20)
    with pytest.warns(ConvergenceWarning, match="rose from .* l2_regularization") as caught:
        model.fit(X, y)
    assert caught[0].filename == __file__
    assert not model.certificate_.converged


def test_a_loss_that_stays_is_converged():
    X = np.zeros((30, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BoostingRegressor(n_estimators=3).fit(X, np.arange(30.0))
    assert model.certificate_.converged
