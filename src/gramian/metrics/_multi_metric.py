"""Several scorers that share the answers of an estimator."""

from traceback import format_exc
from typing import Any

from gramian._requests import (
    routing_enabled,
)
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from gramian.metrics._responses import Responses
from gramian.metrics._score_objects import Scorer, accepts_sample_weight
from gramian.persistence import persistable


@persistable
class MultiMetricScorer:
    """Several scorers by name, of one estimator whose predictions they share.

    Parameters
    ----------
    scorers : dict of str to callable
        The scorers.
    raise_exc : bool, default=True
        Whether an error of a scorer is raised; otherwise its traceback stands for the score.
    """

    def __init__(self, *, scorers: dict[str, Any], raise_exc: bool = True) -> None:
        self.scorers = scorers
        self._raise_exc = raise_exc

    def __call__(self, estimator: Any, X: Any, y: Any = None, **params: Any) -> dict[str, Any]:
        """Return the scores by name.

        Scorers that take no weights are given none. While metadata routing is on, each is given
        what it requests.
        """
        responses = Responses(estimator, X)
        scores = {}
        for name, given in self._params_of_scorers(params).items():
            try:
                scores[name] = _one_score(self.scorers[name], responses, (X, y), given)
            except Exception:
                if self._raise_exc:
                    raise
                scores[name] = format_exc()
        return scores

    def _params_of_scorers(self, params: dict[str, Any]) -> dict[str, dict[str, Any]]:
        if routing_enabled():
            routed = process_routing(self, "score", params)
            return {name: routed[name]["score"] for name in self.scorers}
        weight = params.pop("sample_weight", None)
        weighted = params if weight is None else {**params, "sample_weight": weight}
        return {
            name: weighted if accepts_sample_weight(scorer) else params
            for name, scorer in self.scorers.items()
        }

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to which scorer."""
        return MetadataRouter(self).add(**self.scorers, method_mapping=MethodMapping(score="score"))

    def __repr__(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.scorers)
        return f"MultiMetricScorer({names})"

    def _accept_sample_weight(self) -> bool:
        return any(accepts_sample_weight(scorer) for scorer in self.scorers.values())


def _one_score(
    scorer: Any, responses: Responses, data: tuple[Any, Any], params: dict[str, Any]
) -> Any:
    X, y = data
    if isinstance(scorer, Scorer):
        return scorer.score_with(responses, y, params)
    arguments = (X,) if y is None else (X, y)
    return scorer(responses.estimator, *arguments, **params)
