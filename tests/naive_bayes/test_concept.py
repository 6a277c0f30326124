"""Bayesian concept learning: the number game by hand."""

import pickle

import numpy as np
import pytest
from sklearn.utils import get_tags

from gramian import clone, fingerprint, load, save
from gramian.exceptions import NotFittedError
from gramian.naive_bayes import BayesianConceptLearner
from gramian.registry import find_estimator

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
        ({"likelihood": "strong"}, "'likelihood' parameter .* must be a str among"),
        ({"noise": 2.0}, r"'noise' parameter .* must be a float in the range \[0.0, 1.0\]"),
        ({"hypotheses": [GAME]}, "'hypotheses' parameter .* must be"),
        ({"hypotheses": {}}, "hypotheses must not be empty"),
        ({"hypotheses": {"f": bool}, "likelihood": "size"}, "how many items 'f' has"),
    ],
)
def test_wrong_arguments(params, message):
    with pytest.raises(ValueError, match=message):
        BayesianConceptLearner(**{"hypotheses": GAME, **params}).fit([16])


def test_prediction_needs_examples():
    with pytest.raises(NotFittedError, match="has not learnt yet"):
        BayesianConceptLearner(GAME).predict_proba([1])


def test_it_is_an_estimator_like_others(tmp_path):
    model = BayesianConceptLearner(GAME, PRIOR, "size", 0.1).fit([16, 8], [True, True])
    params = {"hypotheses": GAME, "prior": PRIOR, "likelihood": "size", "noise": 0.1}
    assert model.get_params() == params
    assert find_estimator("BayesianConceptLearner") is BayesianConceptLearner
    fresh = clone(model)
    assert fresh.get_params() == params and not hasattr(fresh, "posterior_")
    assert fresh.set_params(likelihood="noisy").fit([7]).map_ == "all"
    save(model, tmp_path / "concept.gram")
    for copied in (load(tmp_path / "concept.gram"), pickle.loads(pickle.dumps(model))):
        assert copied.posterior_ == model.posterior_
        assert copied.examples_ == [(16, True), (8, True)]
        assert fingerprint(copied) == fingerprint(model)
        np.testing.assert_array_equal(copied.predict_proba([10, 32]), model.predict_proba([10, 32]))
    assert get_tags(model).input_tags.two_d_array is False


def test_a_fit_that_fails_leaves_what_was_learnt():
    model = BayesianConceptLearner(GAME).fit([16])
    before = fingerprint(model)
    with pytest.raises(ValueError, match="allows example 0, 101"):
        model.fit([101])
    with pytest.raises(ValueError, match="'noise' parameter"):
        model.set_params(noise=-1.0).update([8])
    assert fingerprint(model.set_params(noise=0.05)) == before


def test_functions_are_refused_in_files_by_name(tmp_path):
    model = BayesianConceptLearner({"even": lambda x: x % 2 == 0}).fit([2])
    with pytest.raises(TypeError, match=r"hypotheses.*is a Python function"):
        save(model, tmp_path / "concept.gram")
