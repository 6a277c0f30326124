"""The calculations of trees: candidate splits, weakest links, ID3, bags."""

import numpy as np
import pandas as pd
import pytest
from tests.tree.tennis import tennis

from gramian.datasets import load_diabetes, load_iris
from gramian.ensemble import BaggingClassifier, BaggingRegressor, IsolationForest
from gramian.inspection import worked
from gramian.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ID3Classifier,
)

X, Y = load_iris(return_X_y=True)
FRAME, PLAY = tennis()


def shows(calculation):
    """Assert that a calculation can be shown in all ways; return it as text."""
    assert "<math" in calculation._repr_html_()
    assert r"\section*" in calculation.to_latex()
    return str(calculation)


# -- decision trees ------------------------------------------------------------------------------


def test_candidates_of_the_root_of_iris():
    """Both petal splits leave (0, 50, 50): gain 0.9183 bits, Gini down from 2/3 to 1/3."""
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
    calculation = worked(model, X, Y)
    shows(calculation)
    assert calculation.values["G"] == pytest.approx(2 / 3)
    assert calculation.values["H"] == pytest.approx(np.log2(3))
    splits = calculation[1].table
    assert splits.rows[0][0] == "x2 <= 2.45"
    assert splits.rows[0][1:3] == [50, 100]
    np.testing.assert_allclose(
        splits.rows[0][3:], [0, 1, np.log2(3) - 2 / 3, 0, 0.5, 1 / 3], atol=1e-12
    )
    assert len(splits.rows) == sum(len(np.unique(column)) - 1 for column in X.T)
    decreases = [row[-1] for row in splits.rows]
    assert decreases == sorted(decreases, reverse=True)
    ((row, column),) = splits.highlight
    assert (splits.rows[row][0], column) in [("x2 <= 2.45", 8), ("x3 <= 0.8", 8)]
    assert "2 candidates tie" in calculation[2].text


def test_way_and_prediction_of_a_query():
    """The notes' flower: 0.907 and 0.093."""
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[:, 2:], Y)
    calculation = worked(model, X[:, 2:], Y, query=[4.5, 1.6])
    np.testing.assert_allclose(calculation.values["p"], [0, 49 / 54, 5 / 54])
    way = next(step for step in calculation if step.title == "The way of the query")
    assert [row[3] for row in way.table.rows] == ["no", "yes"]
    assert "most are of class 1" in str(calculation)
    assert "They agree." in str(calculation)


@pytest.mark.parametrize("prune_by", ["impurity", "misclassification"])
def test_weakest_links_are_those_of_the_path(prune_by):
    model = DecisionTreeClassifier(random_state=0, prune_by=prune_by).fit(X, Y)
    step = worked(model, X, Y)[-1]
    path = model.cost_complexity_pruning_path(X, Y)
    ours = {round(row[1], 10): (row[3], row[4]) for row in step.table.rows}
    theirs = dict(zip(path.ccp_alphas.round(10).tolist(), path.impurities, strict=True))
    assert set(ours) == set(theirs)
    for alpha, (n_leaves, risk) in ours.items():
        assert risk == pytest.approx(theirs[alpha], abs=1e-9)
        pruned = DecisionTreeClassifier(
            random_state=0, prune_by=prune_by, ccp_alpha=alpha + 1e-9
        ).fit(X, Y)
        assert pruned.get_n_leaves() == n_leaves


def test_misclassification_has_columns_of_its_own():
    model = DecisionTreeClassifier(criterion="misclassification", max_depth=1).fit(X, Y)
    calculation = worked(model, X, Y)
    assert calculation[1].table.headers[-1] == r"$\Delta E$"
    assert calculation.values["E"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("criterion", ["squared_error", "r2"])
def test_regression(criterion):
    A, b = load_diabetes(return_X_y=True, as_frame=True)
    model = DecisionTreeRegressor(criterion=criterion, max_depth=2).fit(A, b)
    calculation = worked(model, A, b, query=A.iloc[[0]])
    shows(calculation)
    assert calculation.values["V"] == pytest.approx(np.var(b))
    assert calculation[1].table.rows[0][0].startswith("s5 <=")
    assert "They agree." in calculation[2].text
    assert calculation.values[r"\hat{y}"] == pytest.approx(model.predict(A.iloc[[0]])[0])
    left = b[A["s5"] <= model.tree_.threshold[0]]
    assert calculation[1].table.rows[0][3] == pytest.approx(np.var(left))


def test_levels_and_missing_values():
    frame = FRAME.assign(Wind=[1.0, 2, 3, 4, 5, 6, np.nan, 8, 9, 10, np.nan, 12, 13, 14])
    model = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(frame, PLAY)
    calculation = worked(model, frame, PLAY, query=frame.iloc[[0]])
    conditions = [row[0] for row in calculation[1].table.rows]
    assert "Outlook = Overcast" in conditions
    assert any(condition.endswith("or missing") for condition in conditions)
    assert calculation[1].table.highlight
    shows(calculation)


def test_drawn_splits_are_told_from_the_best():
    model = ExtraTreeClassifier(max_depth=1, random_state=1).fit(X, Y)
    assert "It gains less" in worked(model, X, Y)[2].text


def test_a_leaf_and_constant_columns():
    model = DecisionTreeClassifier().fit([[1.0], [1.0]], [0, 1])
    calculation = worked(model, [[1.0], [1.0]], [0, 1], query=[2.0])
    assert "nothing to ask" in calculation[1].text
    assert "The root is a leaf." in str(calculation)
    model = DecisionTreeClassifier(min_samples_split=5).fit([[1.0], [2.0]], [0, 1])
    assert "it is a leaf" in worked(model, [[1.0], [2.0]], [0, 1])[2].text


def test_refusals():
    A, b = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match="absolute_error"):
        worked(DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(A, b), A, b)
    two = np.column_stack([b, b])
    with pytest.raises(ValueError, match="one output"):
        worked(DecisionTreeRegressor(max_depth=1).fit(A, two), A, two)
    with pytest.raises(ValueError, match="not fitted to"):
        worked(DecisionTreeClassifier().fit(X, Y), X, Y + 1)
    long = np.zeros((500_001, 2))
    with pytest.raises(ValueError, match="1000002 entries"):
        worked(DecisionTreeRegressor().fit(long, long[:, 0]), long, long[:, 0])
    with pytest.raises(TypeError, match="IsolationForest"):
        worked(IsolationForest(2).fit(A), A, b)


# -- ID3 -----------------------------------------------------------------------------------------


def test_play_tennis():
    model = ID3Classifier().fit(FRAME, PLAY)
    calculation = worked(model, FRAME, PLAY, query=["Sunny", "Cool", "High", "True"])
    text = shows(calculation)
    assert calculation.values["H(S)"] == pytest.approx(0.9402860)
    gains = {
        "Outlook": 0.2467498, "Temp": 0.0292226, "Humidity": 0.1518355, "Windy": 0.0481270
    }  # fmt: skip
    for name, gain in gains.items():
        assert calculation.values[rf"IG(S, \text{{{name}}})"] == pytest.approx(gain, abs=5e-8)
    table = calculation[5].table
    assert [row[0] for row in table.rows] == ["root", "Outlook = Rainy", "Outlook = Sunny"]
    assert table.highlight == {(0, 2), (1, 5), (2, 4)}
    assert table.rows[1][5] == pytest.approx(0.9709506)
    assert "agree." in calculation[5].text
    assert "leaf Outlook = Sunny, Humidity = High: the class is No" in " ".join(text.split())


def test_id3_of_numbers_and_unseen_levels():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan], "town": ["a", "a", "b", "b"]})
    model = ID3Classifier().fit(frame, [0, 0, 1, 1])
    calculation = worked(
        model, frame, [0, 0, 1, 1], query=pd.DataFrame({"x": [1.0], "town": ["z"]})
    )
    assert [row[0] for row in calculation[1].table.rows] == ["x <= 2.5", "x > 2.5"]
    assert "agree." in calculation[3].text
    assert "The way ends at the leaf" in calculation[-1].text


# -- bagging -------------------------------------------------------------------------------------


def test_bags_of_a_classifier():
    model = BaggingClassifier(DecisionTreeClassifier(), 30, oob_score=True, random_state=0)
    model.fit(X, Y)
    calculation = worked(model, X, Y)
    shows(calculation)
    assert calculation.values[r"\text{accuracy}_{OOB}"] == pytest.approx(model.oob_score_)
    assert "The model has the same score." in calculation[-1].text
    drawn = np.bincount(model.estimators_samples_[0], minlength=150)
    assert calculation[0].table.rows[0] == [1, (drawn > 0).sum(), (drawn == 0).sum()]
    shares = np.array([row[3:6] for row in calculation[1].table.rows])
    shares = shares / shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, model.oob_decision_function_)


def test_bags_of_few_rows_are_listed_row_by_row():
    model = BaggingClassifier(DecisionTreeClassifier(), 2, random_state=0).fit(FRAME, PLAY)
    calculation = worked(model, FRAME, PLAY)
    table = calculation[0].table
    assert table.rows[0][1:15] == np.bincount(model.estimators_samples_[0], minlength=14).tolist()
    assert sum(table.rows[0][1:15]) == 14
    assert calculation.values[r"(1 - \frac{1}{n})^{m}"] == pytest.approx((13 / 14) ** 14)
    assert "have no prediction" in calculation[-1].text


def test_bags_of_a_regressor():
    A, b = load_diabetes(return_X_y=True)
    model = BaggingRegressor(DecisionTreeRegressor(), 40, oob_score=True, random_state=0).fit(A, b)
    calculation = worked(model, A, b)
    assert calculation.values["R^2_{OOB}"] == pytest.approx(model.oob_score_)
    found = [row[3] for row in calculation[1].table.rows]
    np.testing.assert_allclose(found, model.oob_prediction_)
    with pytest.raises(ValueError, match="query"):
        worked(model, A, b, query=A[0])
