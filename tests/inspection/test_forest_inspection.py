"""Worked calculations and diagnoses of forests and oblivious trees."""

import numpy as np
import pytest

from gramian.datasets import load_diabetes, load_iris
from gramian.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from gramian.inspection import diagnose, worked
from gramian.tree import ObliviousTreeClassifier, ObliviousTreeRegressor

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True, as_frame=True)


def noisy(n=300, seed=0):
    """Return columns of which the first alone matters, and a noisy target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, 2.0 * X[:, 0] + 3.0 * rng.normal(size=n)


# -- worked ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_a_forest_is_worked_out_to_its_own_score(voting):
    X, y = IRIS
    model = RandomForestClassifier(40, oob_score=True, voting=voting, random_state=0).fit(X, y)
    calculation = worked(model, X, y, query=X[70])
    assert calculation.values[r"\text{accuracy}_{OOB}"] == model.oob_score_
    assert "The model has the same score." in str(calculation)
    np.testing.assert_allclose(calculation.values["p"], model.predict_proba(X[70:71])[0])
    members = [row[2] for row in calculation[1].table.rows]
    drawn = np.array([np.bincount(rows, minlength=150) for rows in model.estimators_samples_])
    assert members == (drawn == 0).sum(axis=0).tolist()


def test_a_forest_of_numbers_is_worked_out():
    X, y = DIABETES
    model = RandomForestRegressor(30, oob_score=True, random_state=0).fit(X, y)
    calculation = worked(model, X, y, query=X.iloc[:2])
    assert calculation.values["R^2_{OOB}"] == pytest.approx(model.oob_score_)
    mean, std = model.predict(X.iloc[1:2], return_std=True)
    assert calculation[-1].values[r"\hat{y}"] == pytest.approx(mean[0])
    assert calculation[-1].values["s"] == pytest.approx(std[0])


def test_a_forest_without_draws_has_no_rows_out_of_the_bag():
    X, y = DIABETES
    calculation = worked(ExtraTreesRegressor(3, random_state=0).fit(X, y), X, y)
    assert len(calculation) == 1
    assert "none is out of the bag" in str(calculation)


def test_too_many_answers_and_several_outputs_are_refused():
    X, y = noisy(2000)
    forest = RandomForestRegressor(6000, max_depth=1, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="12000000 numbers"):
        worked(forest, X, y)
    both = np.column_stack([y, y])
    with pytest.raises(ValueError, match="one output"):
        worked(RandomForestRegressor(2).fit(X, both), X, y)
    with pytest.raises(ValueError, match="one output"):
        diagnose(RandomForestRegressor(2).fit(X, both), X, both)


def test_an_oblivious_tree_is_worked_out():
    X, y = IRIS
    model = ObliviousTreeClassifier(max_depth=2).fit(X[:, 2:], y)
    calculation = worked(model, X[:, 2:], y, query=[4.5, 1.6])
    assert str(calculation).count("The model has the same decrease.") == 2
    np.testing.assert_allclose(calculation.values["p"], [0.0, 49 / 54, 5 / 54])
    assert calculation[0].values[r"\Delta G"] == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="classes that the tree"):
        worked(model, X[:, 2:], y + 1)


def test_an_oblivious_tree_of_numbers_is_worked_out():
    X, y = DIABETES
    model = ObliviousTreeRegressor(max_depth=3).fit(X, y)
    calculation = worked(model, X, y, query=X.iloc[:1])
    assert calculation.values[r"\hat{y}"] == pytest.approx(model.predict(X.iloc[:1])[0])
    assert "another decrease" not in str(calculation)
    poisson = ObliviousTreeRegressor(criterion="poisson").fit(X, y)
    with pytest.raises(ValueError, match="'poisson'"):
        worked(poisson, X, y)


# -- diagnose -------------------------------------------------------------------------------------


def test_a_forest_that_follows_noise():
    X, y = noisy()
    diagnosis = diagnose(RandomForestRegressor(10, random_state=0).fit(X, y), X, y)
    assert [finding.code for finding in diagnosis] == [
        "generalisation",
        "number of trees",
        "leakage",
        "importances",
    ]
    assert diagnosis["generalisation"].verdict == "problem"
    assert "min_samples_leaf=" in diagnosis["generalisation"].remedy
    assert diagnosis["number of trees"].verdict == "problem"
    assert "n_estimators" in diagnosis["number of trees"].remedy
    assert diagnosis["importances"].verdict == "problem"
    assert "x0" not in diagnosis["importances"].columns


def test_a_sound_forest_and_a_leak():
    X, y = IRIS
    diagnosis = diagnose(RandomForestClassifier(random_state=0).fit(X, y), X, y)
    assert diagnosis["number of trees"].verdict == diagnosis["generalisation"].verdict == "ok"
    leaky = np.column_stack([X, y == 0])
    model = ExtraTreesRegressor(20, random_state=0).fit(leaky, 1.0 * (y == 0))
    finding = diagnose(model, leaky, 1.0 * (y == 0))["leakage"]
    assert finding.verdict == "problem"


def test_few_rows_cannot_be_left_out():
    X, y = noisy(12)
    diagnosis = diagnose(RandomForestRegressor(5, random_state=0).fit(X, y), X, y)
    assert diagnosis["generalisation"].verdict == "not applicable"
    assert diagnosis["number of trees"].verdict == "not applicable"


def test_an_oblivious_tree_that_is_too_deep():
    X, y = noisy(200)
    finding = diagnose(ObliviousTreeRegressor(max_depth=10).fit(X, y), X, y)["generalisation"]
    assert finding.verdict == "problem"
    assert "Set max_depth=" in finding.remedy
    assert "prune" not in finding.remedy
