"""Naive Bayes: classes by Bayes' rule, as if the columns were independent within each class."""

from gramian.naive_bayes._bernoulli import BernoulliNB
from gramian.naive_bayes._categorical import CategoricalNB
from gramian.naive_bayes._concept import BayesianConceptLearner
from gramian.naive_bayes._counts import ComplementNB, MultinomialNB
from gramian.naive_bayes._gaussian import GaussianNB
from gramian.naive_bayes._mixed import MixedNB

__all__ = [
    "BayesianConceptLearner",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "MixedNB",
    "MultinomialNB",
]
