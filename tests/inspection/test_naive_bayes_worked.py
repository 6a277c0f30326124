"""Naive Bayes worked out: the notes' numbers, and those of the models."""

import numpy as np
import pandas as pd

from gramian.datasets import load_iris
from gramian.inspection import worked
from gramian.naive_bayes import BayesianConceptLearner, CategoricalNB, GaussianNB

TENNIS = """sunny hot high no No
sunny hot high yes No
overcast hot high no Yes
rainy mild high no Yes
rainy cool normal no Yes
rainy cool normal yes No
overcast cool normal yes Yes
sunny mild high no No
sunny cool normal no Yes
rainy mild normal no Yes
sunny mild normal yes Yes
overcast mild high yes Yes
overcast hot normal no Yes
rainy mild high yes No"""
ROWS = [line.split() for line in TENNIS.splitlines()]
DAYS = pd.DataFrame([row[:4] for row in ROWS], columns=["outlook", "temp", "humidity", "windy"])
PLAY = [row[4] for row in ROWS]
QUERY = pd.DataFrame(
    {"outlook": ["sunny"], "temp": ["cool"], "humidity": ["high"], "windy": ["yes"]}
)


def test_play_tennis_as_in_the_notes():
    model = CategoricalNB(alpha=0.0).fit(DAYS, PLAY)
    steps = worked(model, DAYS, PLAY, query=QUERY)
    text = str(steps)
    for printed in ("5/14", "9/14", "3/5", "1/5", "4/5", "2/9", "3/9"):
        assert printed in text
    assert "180/8750 = 0.020571" in text
    assert "486/91854 = 0.005291" in text
    assert "The answer is No." in text
    np.testing.assert_allclose(steps.values["P(k, x)"], [180 / 8750, 486 / 91854])
    expected = model.predict_proba(QUERY)[0]
    np.testing.assert_allclose(steps.values[r"P(k \mid x)"], expected)


def test_laplace():
    """Outlook has three levels: (3 + 1) / (5 + 3)."""
    model = CategoricalNB().fit(DAYS, PLAY)
    steps = worked(model, DAYS, PLAY, query=QUERY)
    assert "4/8 = 0.5" in str(steps)
    np.testing.assert_allclose(steps.values[r"P(k \mid x)"], model.predict_proba(QUERY)[0])


def test_missing_values_have_no_factor():
    model = CategoricalNB().fit(DAYS, PLAY)
    steps = worked(model, DAYS, PLAY, query=QUERY.assign(temp=None, windy="perhaps"))
    assert len(steps[1].table.rows) == 2
    expected = model.predict_proba(QUERY.assign(temp=None, windy="perhaps"))[0]
    np.testing.assert_allclose(steps.values[r"P(k \mid x)"], expected)


def test_normal_densities_give_the_posterior():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    steps = worked(model, X, y, query=np.asarray(X)[[70]])
    np.testing.assert_allclose(
        steps.values[r"P(k \mid x)"], model.predict_proba(np.asarray(X)[[70]])[0], rtol=1e-9
    )
    assert "Means and variances" in str(steps)
    assert steps.to_latex().startswith(r"\section*")


def test_concepts_example_by_example():
    game = {"even": range(2, 101, 2), "powers of two": {2, 4, 8, 16, 32, 64}}
    model = BayesianConceptLearner(game, likelihood="size").fit([16, 8])
    steps = worked(model, [16, 8], None, query=[10])
    after_one = [row[4] for row in steps[1].table.rows]
    np.testing.assert_allclose(after_one, [(1 / 50) / (1 / 50 + 1 / 6), (1 / 6) / (1 / 50 + 1 / 6)])
    after_two = [row[4] for row in steps[2].table.rows]
    np.testing.assert_allclose(after_two, list(model.posterior_.values()))
    assert steps[3].table.rows[0][1] == model.predict_proba([10])[0]
    assert model.examples_ == [(16, True), (8, True)]  # untouched
