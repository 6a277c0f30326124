"""Diagnosis of trees: depth, a column that gives the target away, importances."""

import numpy as np
import pandas as pd
import pytest

from gramian.datasets import load_diabetes, load_iris
from gramian.inspection import diagnose
from gramian.inspection._diagnosis.tree_trials import TreeTrials
from gramian.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor


def steps(n=400, noise=0.3, seed=0):
    """Return four columns and a target of two steps, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, 3.0 * (X[:, 0] > 0) + 1.0 * (X[:, 1] > 0) + noise * rng.normal(size=n)


def test_a_sound_tree_raises_no_alarm():
    X, y = steps()
    model = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y)
    diagnosis = diagnose(model, X, y)
    assert diagnosis.ok
    assert [finding.code for finding in diagnosis] == ["generalisation", "leakage", "importances"]
    assert "depth 2 on 400 rows and 4 columns" in diagnosis.title


def test_too_deep():
    X, y = steps(noise=3.0)
    model = DecisionTreeRegressor(random_state=0).fit(X, y)
    finding = diagnose(model, X, y)["generalisation"]
    assert finding.verdict == "problem"
    assert "R² is 1.000" in finding.explanation
    assert "max_depth=1" in finding.remedy or "max_depth=2" in finding.remedy
    trials = TreeTrials(model, X, y, None)
    left_out = [
        DecisionTreeRegressor(random_state=0).fit(X[train], y[train]).score(X[test], y[test])
        for train, test in trials.folds
    ]
    assert finding.statistic == pytest.approx(1.0 - np.mean(left_out))


def test_too_shallow():
    X, _ = steps()
    y = np.digitize(X[:, 0], [-1.0, 0.0, 1.0]) * 1.0
    finding = diagnose(DecisionTreeRegressor(max_depth=1).fit(X, y), X, y)["generalisation"]
    assert finding.verdict == "warning"
    assert finding.remedy.startswith("Let the tree grow: raise max_depth to 2")


def test_classes_that_are_noise():
    X, _ = steps()
    y = np.random.default_rng(1).choice(["a", "b"], 400)
    finding = diagnose(DecisionTreeClassifier(random_state=0).fit(X, y), X, y)["generalisation"]
    assert finding.verdict in ("warning", "problem")
    assert finding.statistic > 0.35
    assert finding.statistic_name == "Accuracy lost on other rows"


@pytest.mark.parametrize(("noise", "verdict"), [(0.0, "problem"), (0.25, "warning"), (1.0, "ok")])
def test_a_column_that_gives_the_target_away(noise, verdict):
    X, _ = steps()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "settled"])
    y = np.where(X[:, 3] > 0, 1.0, -1.0) + noise * np.random.default_rng(0).normal(size=400)
    finding = diagnose(DecisionTreeRegressor(max_depth=4).fit(frame, y), frame, y)["leakage"]
    assert finding.verdict == verdict
    assert finding.columns == (("settled",) if verdict != "ok" else ())
    assert finding.statistic == pytest.approx(1.0 / (1.0 + noise**2), abs=0.05)
    assert bool(finding.remedy) == (verdict != "ok")


def test_a_group_as_text_that_decides_the_class():
    """Names of single rows are kept together by the tree; names of groups are not."""
    frame = pd.DataFrame({"id": [f"c{i // 5}" for i in range(80)], "x": np.arange(80) % 7})
    y = np.random.default_rng(0).integers(0, 2, 16).repeat(5)
    finding = diagnose(DecisionTreeClassifier().fit(frame, y), frame, y)["leakage"]
    assert (finding.verdict, finding.columns) == ("problem", ("id",))
    assert "one of some levels" in finding.explanation


def test_iris_has_no_leak():
    X, y = load_iris(return_X_y=True)
    diagnosis = diagnose(DecisionTreeClassifier(random_state=0).fit(X, y), X, y)
    assert diagnosis["leakage"].statistic == pytest.approx(0.5)
    assert diagnosis["leakage"].verdict == "ok"


def test_twins_take_turns():
    X, y = steps()
    rng = np.random.default_rng(3)
    twins = np.column_stack([X[:, :2], X[:, 0] + 0.05 * rng.normal(size=400)])
    y = y + 2.0 * rng.normal(size=400)
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(twins, y)
    finding = diagnose(model, twins, y)["importances"]
    assert finding.verdict in ("warning", "problem")
    assert set(finding.columns) == {"x0", "x2"}
    assert "permutation_importance" in finding.remedy


def test_weights_and_other_trees():
    X, y = steps()
    w = np.random.default_rng(0).integers(1, 3, 400)
    model = ExtraTreeRegressor(max_depth=3, random_state=0).fit(X, y, w)
    diagnosis = diagnose(model, X, y, sample_weight=w)
    assert diagnosis["leakage"].verdict == "ok"  # by the best split, not by a drawn one
    assert diagnosis["leakage"].statistic > 0.7


def test_what_does_not_apply():
    X = np.zeros((8, 1))
    diagnosis = diagnose(DecisionTreeClassifier().fit(X, [0, 1] * 4), X, [0, 1] * 4)
    assert [finding.verdict for finding in diagnosis] == ["not applicable"] * 3
    A, b = load_diabetes(return_X_y=True)
    two = np.column_stack([b, b])
    with pytest.raises(ValueError, match="one output"):
        diagnose(DecisionTreeRegressor(max_depth=1).fit(A, two), A, two)


def test_many_rows_are_drawn():
    X, y = steps(25_000)
    model = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y)
    trials = TreeTrials(model, X, y, np.ones(25_000))
    assert trials.n_samples == len(trials.weight) == 20_000
    again = TreeTrials(model, X, y, None)
    np.testing.assert_array_equal(trials.y, again.y)
