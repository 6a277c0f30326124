"""The calculation of a vote: probabilities, weights and sums."""

import numpy as np
import pandas as pd
import pytest

from gramian.base import BaseEstimator, ClassifierMixin
from gramian.datasets import load_iris
from gramian.ensemble import VotingClassifier
from gramian.exceptions import NotFittedError
from gramian.inspection import worked
from gramian.linear_model import LogisticRegression

X, Y = [[0.0], [1.0]], ["one", "two"]


class Known(ClassifierMixin, BaseEstimator):
    def __init__(self, p=0.5):
        self.p = p

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile([self.p, 1.0 - self.p], (len(X), 1))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


MEMBERS = [("f1", Known(0.7)), ("f2", Known(0.4)), ("f3", Known(0.8)), ("no", "drop")]


def test_soft_vote_of_the_notes():
    """(0.7 + 0.4 + 0.8)/3 = 0.63 against (0.3 + 0.6 + 0.2)/3 = 0.37."""
    model = VotingClassifier(MEMBERS, voting="soft").fit(X, Y)
    calculation = worked(model, X, Y)
    np.testing.assert_allclose(calculation.values[r"\bar{p}"], [1.9 / 3, 1.1 / 3])
    rows = calculation[1].table.rows
    np.testing.assert_allclose(rows[1][1:], [1.0, 0.4, 0.6, 0.4, 0.6])
    np.testing.assert_allclose(rows[-2][-2:], [1.9, 1.1])
    assert calculation[1].table.highlight == {(4, 4)}
    assert "0.633333" in str(calculation)
    assert "The class is one: it has the highest mean probability." in calculation[-1].text
    assert "The model predicts the same." in calculation[-1].text
    assert "<math" in calculation._repr_html_()
    assert r"\bar{p}" in calculation.to_latex()


def test_weights_and_several_rows():
    model = VotingClassifier(MEMBERS, voting="soft", weights=[1, 8, 1, 50]).fit(X, Y)
    calculation = worked(model, X, Y, query=[[5.0], [6.0]])
    assert len(calculation) == 5
    assert calculation.values[r"\sum_i w_i"] == 10
    np.testing.assert_allclose(calculation.values[r"\bar{p}"], [0.47, 0.53])
    assert "The class is two" in calculation[-1].text


@pytest.mark.parametrize(
    ("weights", "votes", "words"),
    [
        (None, [2, 1], "one: it has the most votes"),
        ([1, 2, 1, 9], [2, 2], "one: it is the first of 2 that tie"),
        ([1, 3, 1, 9], [2, 3], "two: it has the most votes"),
    ],
)
def test_hard_vote(weights, votes, words):
    model = VotingClassifier(MEMBERS, weights=weights).fit(X, Y)
    calculation = worked(model, X, Y, query=[5.0])
    np.testing.assert_array_equal(calculation.values["v"], votes)
    assert f"The class is {words}." in calculation[-1].text
    assert "predicts the same" in calculation[-1].text


def test_rows_of_a_data_frame():
    frame, y = load_iris(return_X_y=True, as_frame=True)
    frame = pd.DataFrame(frame)
    members = [("free", LogisticRegression()), ("tight", LogisticRegression(C=0.1))]
    model = VotingClassifier(members, voting="soft").fit(frame, y)
    calculation = worked(model, frame, y, query=frame.iloc[[70]])
    expected = model.predict_proba(frame.iloc[[70]])[0]
    np.testing.assert_allclose(calculation.values[r"\bar{p}"], expected, rtol=1e-12)


def test_unfitted():
    with pytest.raises(NotFittedError):
        worked(VotingClassifier(MEMBERS), X, Y)
