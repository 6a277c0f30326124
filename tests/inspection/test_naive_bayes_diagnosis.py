"""Diagnosis of naive Bayes on data made to break, or to keep, each hypothesis."""

import numpy as np
import pytest

from gramian.inspection import diagnose
from gramian.naive_bayes import CategoricalNB, GaussianNB


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    return rng.standard_normal((600, 4)) + y[:, None], y, rng


def _finding(model, X, y, code):
    return next(f for f in diagnose(model.fit(X, y), X, y) if f.code == code)


def test_independent_normal_columns_are_fine(rows):
    X, y, _ = rows
    for code in ("independence", "normality", "calibration"):
        assert _finding(GaussianNB(), X, y, code).verdict == "ok", code


def test_columns_that_repeat_each_other_are_named(rows):
    X, y, rng = rows
    again = np.column_stack([X, X[:, 1] + 0.1 * rng.standard_normal(len(y))])
    found = _finding(GaussianNB(), again, y, "independence")
    assert found.verdict == "problem"
    assert found.columns == ("x1", "x4")
    levels = (again > 0.5).astype(np.int64)
    assert _finding(CategoricalNB(), levels, y, "independence").columns == ("x1", "x4")
    assert _finding(CategoricalNB(), levels[:, :4], y, "independence").verdict == "ok"


def test_information_of_normal_columns_is_that_of_their_correlation(rows):
    """-log(1 - r^2) / 2 with r^2 = 1 / 2."""
    _, y, rng = rows
    y = np.repeat(y, 50)
    a, b = rng.standard_normal((2, len(y)))
    found = _finding(GaussianNB(), np.column_stack([a, a + b]), y, "independence")
    assert found.statistic == pytest.approx(0.5 * np.log(2), rel=0.03)


def test_skewed_columns_are_named(rows):
    X, y, _ = rows
    X[:, 2] = np.exp(1.5 * X[:, 2])
    found = _finding(GaussianNB(), X, y, "normality")
    assert found.verdict == "problem"
    assert found.columns == ("x2",)


def test_zero_counts_without_smoothing(rows):
    _, y, rng = rows
    levels = rng.integers(0, 3, (len(y), 2))
    levels[y == 0, 1] = 0
    found = _finding(CategoricalNB(alpha=0.0), levels, y, "zero_counts")
    assert (found.verdict, found.statistic, found.columns) == ("problem", 2.0, ("x1",))
    assert _finding(CategoricalNB(), levels, y, "zero_counts").verdict == "ok"


def test_repeated_columns_make_the_model_too_sure(rows):
    X, y, _ = rows
    found = _finding(GaussianNB(), np.tile(X[:, :1], 12), y, "calibration")
    assert found.verdict != "ok"
    assert "CalibratedClassifierCV" in found.remedy
