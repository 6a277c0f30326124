"""Bayesian concept learning: the number game by hand."""

import numpy as np
import pytest

from gramian.naive_bayes import BayesianConceptLearner

GAME = {
    "even": range(2, 101, 2),
    "powers of two": {2, 4, 8, 16, 32, 64},
    "all": range(1, 101),
}
PRIOR = {"even": 0.5, "powers of two": 0.1, "all": 0.4}


def test_consistent_examples_leave_the_priors():
    model = BayesianConceptLearner(GAME, prior=PRIOR).fit([16, 10])
    assert model.version_space_ == ["even", "all"]
    assert model.posterior_ == pytest.approx({"even": 5 / 9, "powers of two": 0.0, "all": 4 / 9})
    assert model.evidence_ == pytest.approx(0.9)
    np.testing.assert_allclose(model.predict_proba([8, 7]), [1.0, 4 / 9])


@pytest.mark.parametrize("prior", [None, PRIOR])
def test_small_sets_are_likely(prior):
    """Four examples: (1/50)^4, (1/6)^4 and (1/100)^4, times the priors."""
    model = BayesianConceptLearner(GAME, prior=prior, likelihood="size").fit([16, 8, 2, 64])
    weights = {"even": 1 / 3, "powers of two": 1 / 3, "all": 1 / 3} if prior is None else PRIOR
    joint = {name: weights[name] * len(GAME[name]) ** -4.0 for name in GAME}
    evidence = sum(joint.values())
    assert model.evidence_ == pytest.approx(evidence)
    assert model.posterior_ == pytest.approx({n: p / evidence for n, p in joint.items()})
    assert model.map_ == model.ml_ == "powers of two"


def test_noise_forgives():
    model = BayesianConceptLearner(GAME, likelihood="noisy", noise=0.1).fit([16, 8, 7])
    joint = np.array([0.9**2 * 0.1, 0.9**2 * 0.1, 0.9**3]) / 3
    np.testing.assert_allclose(list(model.posterior_.values()), joint / joint.sum())
    assert model.version_space_ == ["all"]


def test_negative_examples_and_functions():
    sets = {"even": lambda x: x % 2 == 0, "above 10": lambda x: x > 10}
    model = BayesianConceptLearner(sets).fit([12, 4], y=[True, False])
    assert model.posterior_ == {"even": 0.0, "above 10": 1.0}


def test_uniform_prior_turns_map_into_maximum_likelihood():
    for data in ([16], [10], [7], [2, 4, 6]):
        model = BayesianConceptLearner(GAME, likelihood="size").fit(data)
        assert model.map_ == model.ml_
    assert BayesianConceptLearner(GAME, prior=PRIOR, likelihood="size").fit([16]).ml_ != "even"


def test_updates_are_one_fit():
    whole = BayesianConceptLearner(GAME, prior=PRIOR, likelihood="size").fit([16, 8, 2])
    parts = BayesianConceptLearner(GAME, prior=PRIOR, likelihood="size").update([16]).update([8, 2])
    assert parts.posterior_ == whole.posterior_
    assert parts.evidence_ == whole.evidence_


def test_examples_that_nobody_allows_are_named():
    model = BayesianConceptLearner(GAME).fit([16])
    with pytest.raises(
        ValueError, match=r"allows example 2, 101 in the set, .* left 'even', 'all'"
    ):
        model.update([10, 101])
    assert len(model.examples_) == 1  # as before


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"prior": {"even": 1.0}}, "must name the hypotheses"),
        ({"prior": {**PRIOR, "all": 0.5}}, r"add up to 1. Got a sum of 1\.1"),
        ({"likelihood": "strong"}, "likelihood must be one of"),
        ({"noise": 2.0}, "noise must be a probability"),
        ({"hypotheses": {}}, "hypotheses must not be empty"),
        ({"hypotheses": {"f": bool}, "likelihood": "size"}, "how many items 'f' has"),
    ],
)
def test_wrong_arguments(params, message):
    with pytest.raises(ValueError, match=message):
        BayesianConceptLearner(**{"hypotheses": GAME, **params}).fit([16])


def test_prediction_needs_examples():
    with pytest.raises(ValueError, match="has not learnt yet"):
        BayesianConceptLearner(GAME).predict_proba([1])
