"""Columns of dates in trees, forests and boosting: the time, and the parts of time."""

import io

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.boosting import BoostingRegressor
from gramian.encoding import fit_readings
from gramian.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from gramian.table import as_table
from gramian.tree import DecisionTreeRegressor, export_text

MODELS = [
    DecisionTreeRegressor(max_depth=8),
    RandomForestRegressor(n_estimators=10),
    ExtraTreesRegressor(n_estimators=10),
    GradientBoostingRegressor(),
    HistGradientBoostingRegressor(),
    BoostingRegressor(n_estimators=50),
]


def _visits(n=900, seed=0):
    """Return hours of two years, and a number that depends on the hour and the weekday."""
    rng = np.random.default_rng(seed)
    when = pd.Timestamp("2023-01-02") + pd.to_timedelta(rng.integers(0, 700 * 24, n), unit="h")
    frame = pd.DataFrame({"when": when, "other": rng.normal(size=n)})
    return frame, np.sin(when.hour / 24 * 2 * np.pi) + (when.day_of_week >= 5)


def _readings(frame):
    return fit_readings(as_table(frame), None, None, classification=False)[0]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_hour_and_the_weekday_are_seen(model):
    X, y = _visits()
    model.set_params(random_state=0).fit(X, y)
    assert model.score(*_visits(300, seed=1)) > 0.9
    assert model.n_features_in_ == 2
    if hasattr(model, "feature_importances_"):
        assert model.feature_importances_.shape == (2,)
        assert model.feature_importances_[0] > 0.8


def test_parts_that_do_not_differ_are_left_out():
    days = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"] * 20)
    (reading,) = _readings(pd.DataFrame({"d": days}))
    assert reading.outputs == ()
    X, _ = _visits()
    assert _readings(X)[0].outputs == ("when (hour)", "when (weekday)", "when (day of year)")


def test_parts_by_hand():
    first = ["2024-07-01 06:30", "2023-01-01 00:00", None, "2024-02-02 18:00"]
    others = pd.date_range("2024-01-01", periods=20).strftime("%Y-%m-%d %H:%M")
    X = pd.DataFrame({"when": pd.to_datetime([*first, *others])})
    (reading,) = _readings(X)
    out = np.empty((len(X), 3))
    reading.write(as_table(X).columns[0], out)
    assert out[0, :2].tolist() == [6.5, 0.0]  # a Monday
    assert out[1, :2].tolist() == [0.0, 6.0]  # a Sunday
    assert np.isnan(out[2]).all()
    assert abs(out[3, 2] - 32.0) < 1.0


def test_text_of_dates_is_as_good_as_dates():
    X, y = _visits()
    text = X.assign(when=X["when"].dt.strftime("%Y-%m-%d %H:%M"))
    model = DecisionTreeRegressor(max_depth=5, random_state=0)
    assert (model.fit(text, y).predict(text) == model.fit(X, y).predict(X)).all()


def test_files_missing_dates_and_names():
    X, y = _visits()
    X.loc[::7, "when"] = None
    model = RandomForestRegressor(5, random_state=0).fit(X, y)
    file = io.BytesIO()
    gramian.save(model, file)
    file.seek(0)
    assert (gramian.load(file).predict(X) == model.predict(X)).all()
    assert (model.predict(X[["other", "when"]]) == model.predict(X)).all()
    assert np.isfinite(model.predict(X.assign(when=pd.NaT))).all()
    assert "when (hour)" in export_text(DecisionTreeRegressor(max_depth=2).fit(X, y))


def test_frames_of_numbers_have_no_more_columns():
    X, y = _visits()
    numbers = X.assign(when=X["when"].dt.hour)
    assert DecisionTreeRegressor().fit(numbers, y)._table_levels is None
