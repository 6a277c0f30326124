"""Which arguments of an evaluation go to the estimator, the splitter and the scorer."""

from typing import Any

from gramian._requests import routing_enabled
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    Routed,
    RoutedMethods,
    process_routing,
)
from gramian.exceptions import UnsetMetadataPassedError


def route_params(
    function: str,
    params: dict[str, Any] | None,
    groups: Any,
    *,
    estimator: Any,
    splitter: Any,
    scorer: Any = None,
    callees: tuple[str, ...] = ("fit",),
) -> Routed:
    """Return the arguments of a function that fits and scores, by part and by the part's method.

    Without metadata routing, `params` are those of the estimator's ``fit`` and `groups` those of
    the splitter.

    Parameters
    ----------
    function : str
        The name of the function, for messages.
    params : dict or None
    groups : array-like or None
    estimator, splitter, scorer : the parts
        The scorer is None for a function that does not score.
    callees : tuple of str, default=("fit",)
        The methods by which the estimator is fitted.
    """
    params = {} if params is None else params
    if not routing_enabled():
        return Routed(
            estimator=RoutedMethods(dict.fromkeys(callees, params)),
            splitter=RoutedMethods(split={"groups": groups}),
        )
    if groups is not None:
        raise ValueError(
            "`groups` can only be passed if metadata routing is not enabled. When routing is "
            "enabled, pass `groups` alongside other metadata via the `params` argument instead."
        )
    router = MetadataRouter(function)
    router.add(estimator=estimator, method_mapping=MethodMapping(fit=callees))
    router.add(splitter=splitter, method_mapping=MethodMapping(fit="split"))
    if scorer is not None:
        router.add(scorer=scorer, method_mapping=MethodMapping(fit="score"))
    try:
        return process_routing(router, "fit", params)
    except (UnsetMetadataPassedError, TypeError) as error:
        # A function has no methods, though it is routed like a ``fit``.
        error.args = (str(error).replace(f"{function}.fit", function),)
        raise
