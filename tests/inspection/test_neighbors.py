"""The worked vote of neighbours, and the diagnosis of their number and scales."""

import numpy as np
import pytest

from gramian.inspection import diagnose, worked
from gramian.neighbors import KNeighborsClassifier, KNeighborsRegressor

X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [4.0, 3.0]])
LABELS = np.array(["a", "b", "b", "a"])


def test_the_vote_by_hand():
    model = KNeighborsClassifier(3, weights="distance").fit(X, LABELS)
    steps = worked(model, X, LABELS, query=[0.0, 1.0])
    assert [step.title for step in steps] == ["Model", "Neighbours of query 0", "Vote"]
    assert [row[0] for row in steps[1].table.rows] == [0, 2, 1]
    np.testing.assert_allclose(steps[1].values["d"], [1.0, 1.0, np.sqrt(2.0)])
    np.testing.assert_allclose(steps[2].values["votes"], [1.0, 1.0 + 1.0 / np.sqrt(2.0)])
    assert "The class is b, as the model says." in str(steps)


def test_the_mean_by_hand():
    model = KNeighborsRegressor(2, weights="distance").fit(X, [1.0, 2.0, 3.0, 4.0])
    steps = worked(model, X, [1.0, 2.0, 3.0, 4.0], query=[[0.25, 0.0], [0.0, 2.0]])
    assert steps[2].values[r"\hat{y}"] == pytest.approx(1.25)  # weights 4 and 4 / 3
    assert steps[4].values[r"\hat{y}"] == 3.0  # at distance 0
    with pytest.raises(ValueError, match="give a query"):
        worked(model, X, [1.0, 2.0, 3.0, 4.0])


def test_scales_and_numbers_that_do_not_fit():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 3)) * [1.0, 1.0, 500.0]
    y = (rows[:, 0] > 0).astype(int)
    y[:6] = 2
    found = diagnose(KNeighborsClassifier(25).fit(rows, y), rows, y)
    assert found["scale"].verdict == "problem" and "x2" in found["scale"].explanation
    assert found["class size"].verdict == "problem" and "6 rows" in found["class size"].explanation
    good = rng.normal(size=(200, 2))
    target = good @ [1.0, 2.0]
    found = diagnose(KNeighborsRegressor(60).fit(good, target), good, target)
    assert found["scale"].verdict == "ok"
    assert found["generalisation"].verdict == "problem"
    assert "n_neighbors=20" in found["generalisation"].remedy
