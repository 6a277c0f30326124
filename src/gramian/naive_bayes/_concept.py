"""Bayesian concept learning: which of some hypotheses explains the examples."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import BaseEstimator
from gramian.exceptions import NotFittedError, shared
from gramian.params import REQUIRED, Mappings, Nothing, OneOf, Real, param

if TYPE_CHECKING:
    from typing import Self

__all__ = ["BayesianConceptLearner"]


class BayesianConceptLearner(BaseEstimator):
    """The posterior of hypotheses about a set, from examples of what is in it.

    ``P(h | D) = P(D | h) P(h) / P(D)``: the likelihood of the examples under each hypothesis, times
    its prior, divided by the sum over all hypotheses, which is the evidence.

    Parameters
    ----------
    hypotheses : dict of str to set, range, list or function
        What each hypothesis says is in the set; a function tells of an item whether it is.
    prior : dict of str to float, default=None
        Probabilities of the hypotheses; None takes them all as equally likely, and the most
        probable hypothesis then is that of maximum likelihood.
    likelihood : {"consistent", "size", "noisy"}, default="consistent"
        Of examples under a hypothesis: 1 if it allows all of them and otherwise 0; the same, but
        each positive example is drawn from the set and has the probability ``1 / size``; or
        ``1 - noise`` for each example that it allows and `noise` for each that it does not.
    noise : float, default=0.05
        Probability that an example is wrong, of ``likelihood="noisy"``.

    Attributes
    ----------
    posterior_ : dict of str to float
        Probability of each hypothesis, given the examples.
    map_ : str
        The most probable hypothesis.
    ml_ : str
        The hypothesis under which the examples are most likely.
    evidence_ : float
        Probability of the examples over all hypotheses.
    version_space_ : list of str
        The hypotheses that allow every example.
    examples_ : list of (item, bool)
        What was learnt from, and whether it is in the set.

    Examples
    --------
    >>> from gramian.naive_bayes import BayesianConceptLearner
    >>> sets = {"even": range(2, 101, 2), "powers of two": {2, 4, 8, 16, 32, 64}}
    >>> model = BayesianConceptLearner(sets, likelihood="size").fit([16, 8])
    >>> model.map_
    'powers of two'
    >>> model.predict_proba([10, 32]).round(3)
    array([0.014, 1.   ])
    """

    # The examples are items of any kind, one after the other, and not rows of a table.
    _own_tags = tagged(two_d_array=False, no_validation=True)

    hypotheses: Mapping[str, Collection[Any] | Callable[[Any], bool]] = param(
        REQUIRED, Mappings(), positional=True
    )
    prior: Mapping[str, float] | None = param(None, Mappings() | Nothing(), positional=True)
    likelihood: str = param("consistent", OneOf("consistent", "size", "noisy"), positional=True)
    noise: float = param(0.05, Real(0.0, 1.0, closed="both"), positional=True)

    posterior_: dict[str, float]
    map_: str
    ml_: str
    evidence_: float
    version_space_: list[str]
    examples_: list[tuple[Any, bool]]

    def fit(self, data: Iterable[Any], y: Sequence[Any] | None = None) -> "Self":
        """Learn from examples, and from nothing before them.

        Parameters
        ----------
        data : iterable
            The examples.
        y : sequence of bool, optional
            Whether each is in the set; by default all are.
        """
        return self._learn([], list(data), y)

    def update(self, data: Iterable[Any], y: Sequence[Any] | None = None) -> "Self":
        """Learn from further examples.

        Parameters
        ----------
        data : iterable
            The examples.
        y : sequence of bool, optional
            Whether each is in the set; by default all are.
        """
        self._validate_params()
        return self._learn(getattr(self, "examples_", []), list(data), y)

    def predict_proba(self, items: Iterable[Any]) -> Floats:
        """Return the probability that each item is in the set: the mean over the hypotheses.

        Parameters
        ----------
        items : iterable
            The items.

        Returns
        -------
        ndarray of shape (n_items,)
        """
        self._require_fitted()
        return np.array(
            [
                math.fsum(p for name, p in self.posterior_.items() if self._allows(name, item))
                for item in items
            ]
        )

    def log_likelihood(self, name: str, examples: Iterable[tuple[Any, bool]]) -> float:
        """Return the logarithm of the likelihood of examples under one hypothesis.

        Parameters
        ----------
        name : str
            The hypothesis.
        examples : iterable of (item, bool)
            Items, and whether they are in the set.
        """
        return math.fsum(self._log_term(name, item, is_in) for item, is_in in examples)

    def _learn(
        self, before: list[tuple[Any, bool]], data: list[Any], y: Sequence[Any] | None
    ) -> "Self":
        prior = self._checked_prior()
        labels = [True] * len(data) if y is None else [bool(label) for label in y]
        if len(labels) != len(data):
            raise ValueError(f"y must have one entry for each of {len(data)} examples.")
        examples = [*before, *zip(data, labels, strict=True)]
        logs = {name: self.log_likelihood(name, examples) for name in prior}
        joint = {name: _log(p) + logs[name] for name, p in prior.items()}
        highest = max(joint.values())
        if highest == -math.inf:
            self._refuse(prior, examples)
        parts = {name: math.exp(value - highest) for name, value in joint.items()}
        total = math.fsum(parts.values())
        self.examples_ = examples
        self.posterior_ = {name: part / total for name, part in parts.items()}
        self.evidence_ = math.exp(highest + math.log(total))
        self.map_ = max(joint, key=joint.__getitem__)
        self.ml_ = max(logs, key=logs.__getitem__)
        self.version_space_ = [
            name for name in prior if all(self._allows(name, x) == label for x, label in examples)
        ]
        return self

    def _refuse(self, prior: dict[str, float], examples: list[tuple[Any, bool]]) -> None:
        """Say which example no hypothesis allows any more, and which did before."""
        alive = [name for name, p in prior.items() if p > 0]
        for number, (item, is_in) in enumerate(examples):
            left = [name for name in alive if self._log_term(name, item, is_in) > -math.inf]
            if not left:
                kind = "in" if is_in else "not in"
                raise ValueError(
                    f"No hypothesis allows example {number}, {item!r} {kind} the set, after the "
                    f"examples before it, which left {', '.join(map(repr, alive))}. Add a "
                    "hypothesis, or take likelihood='noisy'."
                )
            alive = left

    def _log_term(self, name: str, item: Any, is_in: bool) -> float:
        agrees = self._allows(name, item) == is_in
        if self.likelihood == "noisy":
            return _log(1.0 - self.noise if agrees else self.noise)
        if not agrees:
            return -math.inf
        return -math.log(self._size(name)) if self.likelihood == "size" and is_in else 0.0

    def _allows(self, name: str, item: Any) -> bool:
        members: Any = self.hypotheses[name]
        return bool(members(item)) if callable(members) else item in members

    def _size(self, name: str) -> int:
        members = self.hypotheses[name]
        if callable(members):
            raise ValueError(
                f"likelihood='size' needs to know how many items {name!r} has, but it is a "
                "function. Pass a set, a range or a list."
            )
        return len(members)

    def _checked_prior(self) -> dict[str, float]:
        if not self.hypotheses:
            raise ValueError("hypotheses must not be empty.")
        if self.prior is None:
            return dict.fromkeys(self.hypotheses, 1.0 / len(self.hypotheses))
        if set(self.prior) != set(self.hypotheses):
            odd = sorted(set(self.prior) ^ set(self.hypotheses))
            raise ValueError(
                f"prior must name the hypotheses, each once; {odd[0]!r} is in one of the two only."
            )
        total = math.fsum(self.prior.values())
        if min(self.prior.values()) < 0 or not math.isclose(total, 1.0, rel_tol=1e-9):
            raise ValueError(f"prior must be probabilities that add up to 1. Got a sum of {total}.")
        return {name: float(self.prior[name]) for name in self.hypotheses}

    def _require_fitted(self) -> None:
        if not hasattr(self, "posterior_"):
            raise shared(NotFittedError)(
                "This BayesianConceptLearner has not learnt yet; call 'fit' first."
            )


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf
