"""Whole weights are copies, and a weight of 0 is an absent row, where medians and quantiles tie.

Few distinct targets and even counts put quantiles between two values, where an interpolation that
counts rows instead of weights shows. Fits of copies and of weights have the same bits but for the
models in `ROUNDED`, whose sums are not exact.
"""

import numpy as np
import pytest
from tests.contract.cases import as_array, short_name

from gramian.base import clone
from gramian.boosting import BoostingRegressor
from gramian.compat.catboost import CatBoostRegressor
from gramian.compat.lightgbm import LGBMRegressor
from gramian.compat.xgboost import XGBRegressor
from gramian.dummy import DummyRegressor
from gramian.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from gramian.linear_model import HuberRegressor, QuantileRegressor
from gramian.metrics import (
    d2_absolute_error_score,
    d2_pinball_score,
    mean_pinball_loss,
    median_absolute_error,
)
from gramian.preprocessing import KBinsDiscretizer, SplineTransformer
from gramian.tree import DecisionTreeRegressor, ExtraTreeRegressor

LEVELS = (0.25, 0.5, 0.8)

_ABSOLUTE = {"criterion": "absolute_error", "max_depth": 2, "random_state": 0}
_FOREST = {"n_estimators": 3, "bootstrap": False}
_HIST = {"max_iter": 5, "min_samples_leaf": 2}
_BOOSTING = {"n_estimators": 5, "min_samples_leaf": 2}
_LGBM = {"n_estimators": 5, "min_child_samples": 2}
_CATBOOST = {"iterations": 5, "depth": 3, "bootstrap_type": "No", "random_strength": 0.0}


def _trees():
    yield DecisionTreeRegressor(**_ABSOLUTE)
    yield DecisionTreeRegressor(**_ABSOLUTE, monotonic_cst=[1, 0, -1])
    yield ExtraTreeRegressor(**_ABSOLUTE)
    yield RandomForestRegressor(**_FOREST, **_ABSOLUTE)
    yield ExtraTreesRegressor(**_FOREST, **_ABSOLUTE)


def _boosted():
    yield HistGradientBoostingRegressor(loss="absolute_error", **_HIST)
    yield GradientBoostingRegressor(loss="absolute_error", n_estimators=5)
    yield GradientBoostingRegressor(loss="huber", n_estimators=5)
    for growth in ("leaf", "level", "symmetric"):
        options = {"growth": growth, **_BOOSTING}
        yield from (BoostingRegressor(loss=x, **options) for x in ("absolute_error", "huber"))
        yield BoostingRegressor(loss="quantile", quantile=list(LEVELS), **options)
    for level in LEVELS:
        yield HistGradientBoostingRegressor(loss="quantile", quantile=level, **_HIST)
        yield GradientBoostingRegressor(loss="quantile", alpha=level, n_estimators=5)
        yield BoostingRegressor(loss="expectile", quantile=level, **_BOOSTING)


def _compatible():
    yield from (LGBMRegressor(objective=name, **_LGBM) for name in ("mae", "huber", "fair"))
    yield from (LGBMRegressor(objective="quantile", alpha=level, **_LGBM) for level in LEVELS)
    yield XGBRegressor(objective="reg:absoluteerror", n_estimators=5)
    yield XGBRegressor(objective="reg:pseudohubererror", n_estimators=5)
    yield XGBRegressor(objective="reg:quantileerror", quantile_alpha=LEVELS, n_estimators=5)
    for loss in ("MAE", "Quantile:alpha=0.25", "MultiQuantile:alpha=0.25,0.5", "Huber:delta=1.0"):
        yield CatBoostRegressor(loss_function=loss, **_CATBOOST)


def _others():
    yield DummyRegressor(strategy="median")
    yield from (DummyRegressor(strategy="quantile", quantile=level) for level in (0, *LEVELS, 1))
    yield from (QuantileRegressor(quantile=level, alpha=0.1) for level in LEVELS)
    yield HuberRegressor(tol=1e-10)
    for method in ("inverted_cdf", "averaged_inverted_cdf"):
        yield KBinsDiscretizer(4, encode="ordinal", quantile_method=method)
    yield SplineTransformer(n_knots=4, knots="quantile")


ESTIMATORS = [*_trees(), *_boosted(), *_compatible(), *_others()]
"""Every estimator with a median or quantile and weights whose fit does not draw rows by position,
as AdaBoostRegressor and ordered boosting do."""

ROUNDED = {
    "HuberRegressor": 1e-10,
    "QuantileRegressor": 1e-10,
    "XGBRegressor": 1e-6,  # its gradients are single numbers, and start at a mean of them
}
"""Class -> how far apart predictions may be, if anything."""

each_seed = pytest.mark.parametrize("seed", range(8))


def _tied_data(seed):
    """Return rows with few values, few targets, and weights of 0 to 3, or of 0 and 1.

    The targets of rows without a weight lie between the others, where they would show.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 20))
    X = rng.integers(0, 3, (n, 3)) + (1e-3 * rng.random((n, 3)) if seed % 2 else 0.0)
    weight = rng.integers(0, 4 if seed % 3 else 2, n)
    y = rng.integers(0, 4, n) + np.where(weight == 0, 0.3, 0.0)
    return X, y, weight, np.repeat(np.arange(n), weight)


def _outputs(model, X):
    return as_array(model.predict(X) if hasattr(model, "predict") else model.transform(X))


@each_seed
@pytest.mark.filterwarnings("ignore:Bins whose width are too small:UserWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=short_name)
def test_weights_are_copies_of_tied_rows(estimator, seed):
    X, y, weight, copies = _tied_data(seed)
    weighted = clone(estimator).fit(X, y, sample_weight=weight)
    repeated = clone(estimator).fit(X[copies], y[copies])
    atol = ROUNDED.get(type(estimator).__name__, 0.0)
    np.testing.assert_allclose(_outputs(weighted, X), _outputs(repeated, X), rtol=0, atol=atol)


@pytest.mark.parametrize("loss", ["absolute_error", "quantile"])
def test_a_row_without_weight_is_no_neighbour_of_the_median(loss):
    X, y, weight = np.zeros((3, 1)), np.array([1.0, 1.1, 3.0]), np.array([1.0, 0.0, 1.0])
    quantile = {"quantile": 0.5} if loss == "quantile" else {}
    model = HistGradientBoostingRegressor(loss=loss, max_iter=1, **quantile)
    assert model.fit(X, y, sample_weight=weight).predict(X).tolist() == [2.0, 2.0, 2.0]


@each_seed
@pytest.mark.parametrize("level", LEVELS)
def test_quantile_regression_without_penalty_loses_as_little(level, seed):
    """Its optimum on tied rows is a face, of which each fit may take another corner."""
    X, y, weight, copies = _tied_data(seed)
    model = QuantileRegressor(quantile=level, alpha=0.0)
    losses = [
        mean_pinball_loss(y[copies], fitted.predict(X[copies]), alpha=level)
        for fitted in (clone(model).fit(X, y, weight), clone(model).fit(X[copies], y[copies]))
    ]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-10, atol=1e-12)


@each_seed
def test_quantiles_of_a_forest(seed):
    X, y, weight, copies = _tied_data(seed)
    model = RandomForestRegressor(**_FOREST, max_depth=2, random_state=0, keep_leaf_rows=True)
    weighted = clone(model).fit(X, y, sample_weight=weight).predict_quantiles(X, LEVELS)
    repeated = clone(model).fit(X[copies], y[copies]).predict_quantiles(X, LEVELS)
    np.testing.assert_array_equal(weighted, repeated)


@each_seed
@pytest.mark.parametrize(
    "metric", [median_absolute_error, d2_absolute_error_score, d2_pinball_score]
)
def test_metrics(metric, seed):
    _, y, weight, copies = _tied_data(seed)
    predicted = np.roll(y, 1)
    weighted = metric(y, predicted, sample_weight=weight)
    assert weighted == pytest.approx(metric(y[copies], predicted[copies]), rel=1e-12, abs=1e-12)


@each_seed
@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeRegressor(**_ABSOLUTE),
        HistGradientBoostingRegressor(loss="absolute_error", **_HIST),
        DummyRegressor(strategy="median"),
    ],
    ids=short_name,
)
def test_weights_of_a_tenth_are_none(estimator, seed):
    """A median ties as well where the sums of the weights are rounded."""
    X, y, _, _ = _tied_data(seed)
    weighted = clone(estimator).fit(X, y, sample_weight=np.full(len(y), 0.1))
    plain = clone(estimator).fit(X, y)
    np.testing.assert_allclose(_outputs(weighted, X), _outputs(plain, X), rtol=0, atol=1e-12)
