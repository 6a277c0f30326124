"""Metadata routing: which extra arguments of a composition's methods reach which of its parts.

A *consumer* (an estimator, a scorer, a splitter) says for each method which arguments besides X and
y it requests: a `MetadataRequest`. A *router* (a pipeline, a search) lists its parts and which of
its methods call which of theirs: a `MetadataRouter`. `process_routing` sorts the arguments of a
call by part and method. The objects have the methods of scikit-learn's of the same names, so that
either library's routers can read the other's parts.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from gramian._requests import (
    COMPOSITE_METHODS,
    METHODS,
    MetadataRequest,
    name_of,
    routing_enabled,
)


class MethodPair(NamedTuple):
    """A method of a router, and the method of its part that it calls."""

    caller: str
    callee: str


class Route(NamedTuple):
    """Which methods of a part are called by which of the router's, and what the part requests."""

    mapping: "MethodMapping"
    router: Any


class MethodMapping:
    """Which methods of a router call which methods of a part."""

    def __init__(self, **callers: str | tuple[str, ...]) -> None:
        self._routes: list[MethodPair] = []
        for caller, callees in callers.items():
            for callee in (callees,) if isinstance(callees, str) else callees:
                self.add(caller=caller, callee=callee)

    def add(self, *, caller: str, callee: str) -> "MethodMapping":
        """Add a pair of methods; return self."""
        for role, method in (("caller", caller), ("callee", callee)):
            if method not in METHODS:
                raise ValueError(
                    f"Given {role}:{method} is not a valid method. Valid methods are: "
                    f"{list(METHODS)}"
                )
        self._routes.append(MethodPair(caller, callee))
        return self

    def __iter__(self) -> Iterator[MethodPair]:
        return iter(self._routes)

    def _serialize(self) -> list[dict[str, str]]:
        return [pair._asdict() for pair in self._routes]

    def __repr__(self) -> str:
        return str(self._serialize())


class MetadataRouter:
    """The parts of a router, and what each requests.

    Parameters
    ----------
    owner : object
        The router; its name is kept, for messages.
    """

    _type = "metadata_router"

    def __init__(self, owner: Any) -> None:
        self.owner = name_of(owner)
        self._route_mappings: dict[str, Route] = {}
        self._self_request: Any = None

    def add_self_request(self, obj: Any) -> "MetadataRouter":
        """Add what the router itself consumes; return self."""
        request = obj if hasattr(obj, "_route_params") else obj._get_metadata_request()
        self._self_request = request.__sklearn_clone__()
        return self

    def add(self, *, method_mapping: MethodMapping, **objs: Any) -> "MetadataRouter":
        """Add parts by name, whose methods are called as the mapping says; return self."""
        for name, part in objs.items():
            self._route_mappings[name] = Route(method_mapping, get_routing_for_object(part))
        return self

    def __sklearn_clone__(self) -> "MetadataRouter":
        new = MetadataRouter(self.owner)
        if self._self_request is not None:
            new._self_request = self._self_request.__sklearn_clone__()
        new._route_mappings = {
            name: Route(route.mapping, route.router.__sklearn_clone__())
            for name, route in self._route_mappings.items()
        }
        return new

    def __iter__(self) -> Iterator[tuple[str, Route]]:
        if self._self_request is not None:
            yield (
                "$self_request",
                Route(MethodMapping(**{m: m for m in METHODS}), self._self_request),
            )
        yield from self._route_mappings.items()

    def consumes(self, method: str, params: Iterable[str]) -> set[str]:
        """Return those of some names that a method, or a part that it calls, takes."""
        consumed: set[str] = set()
        for _, route in self:
            for caller, callee in route.mapping:
                if caller == method:
                    consumed |= route.router.consumes(method=callee, params=params)
        return consumed

    def _get_param_names(
        self, *, method: str, return_alias: bool, ignore_self_request: bool
    ) -> set[str]:
        names: set[str] = set()
        if self._self_request is not None and not ignore_self_request:
            names |= self._self_request._get_param_names(method=method, return_alias=return_alias)
        callers = (method, *COMPOSITE_METHODS.get(method, ()))
        for route in self._route_mappings.values():
            for caller, callee in route.mapping:
                if caller in callers:
                    names |= route.router._get_param_names(
                        method=callee, return_alias=True, ignore_self_request=False
                    )
        return names

    def _route_params(
        self, *, params: dict[str, Any], method: str, parent: Any, caller: str
    ) -> dict[str, Any]:
        """Return what this router, as a part of another, is to be given."""
        own: dict[str, Any] = {}
        if self._self_request is not None:
            own = self._self_request._route_params(
                params=params, method=method, parent=parent, caller=caller
            )
        names = self._get_param_names(method=method, return_alias=True, ignore_self_request=True)
        passed_on = {name: value for name, value in params.items() if name in names}
        for name in own.keys() & passed_on.keys():
            if own[name] is not passed_on[name]:
                raise ValueError(
                    f"In {self.owner}, there is a conflict on {name} between what is requested for "
                    "this estimator and what is requested by its children. You can resolve this "
                    "conflict by using an alias for the child estimators' requested metadata."
                )
        return {**own, **passed_on}

    def route_params(self, *, caller: str, params: dict[str, Any]) -> "Routed":
        """Return the arguments of a call, by part and by the part's method."""
        if self._self_request is not None:
            self._self_request._check_warnings(params=params, method=caller)
        routed = Routed()
        for name, route in self._route_mappings.items():
            routed[name] = RoutedMethods()
            for own_method, callee in route.mapping:
                if own_method == caller:
                    routed[name][callee] = route.router._route_params(
                        params=params, method=callee, parent=self.owner, caller=caller
                    )
        return routed

    def validate_metadata(self, *, method: str, params: dict[str, Any]) -> None:
        """Raise TypeError for arguments that no part, nor the router itself, knows."""
        known = self._get_param_names(method=method, return_alias=False, ignore_self_request=False)
        extra = set(params) - known
        if extra:
            raise TypeError(
                f"{self.owner}.{method} got unexpected argument(s) {extra}, which are not routed "
                "to any object."
            )

    def _serialize(self) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        if self._self_request is not None:
            parts["$self_request"] = self._self_request._serialize()
        for name, route in self._route_mappings.items():
            parts[name] = {
                "mapping": route.mapping._serialize(),
                "router": route.router._serialize(),
            }
        return parts

    def __repr__(self) -> str:
        return str(self._serialize())


def get_routing_for_object(obj: Any = None) -> Any:
    """Return a copy of the requests of a consumer or router; of anything else, none."""
    if hasattr(obj, "get_metadata_routing"):
        return obj.get_metadata_routing().__sklearn_clone__()
    if getattr(obj, "_type", None) in ("metadata_request", "metadata_router"):
        return obj.__sklearn_clone__()
    return MetadataRequest(None)


class RoutedMethods(dict[str, dict[str, Any]]):
    """Method -> arguments; none for a method that is not there."""

    def __missing__(self, method: str) -> dict[str, Any]:
        return {}


class Routed(dict[str, RoutedMethods]):
    """Part -> method -> arguments; none for what is not there."""

    def __missing__(self, part: str) -> RoutedMethods:
        return RoutedMethods()


def fitting(params: dict[str, Any]) -> RoutedMethods:
    """Return the same arguments for each method that fits."""
    return RoutedMethods(fit=params, fit_transform=params, fit_predict=params, partial_fit=params)


def route(router: Any, caller: str, params: dict[str, Any], otherwise: Routed) -> Routed:
    """Return `process_routing`'s result while routing is on, else what the caller says."""
    return process_routing(router, caller, params) if routing_enabled() else otherwise


def process_routing(router: Any, caller: str, params: dict[str, Any]) -> Routed:
    """Return the arguments of a call of a router's method, by part and by the part's method.

    Parameters
    ----------
    router : router or MetadataRouter
    caller : str
        The method that was called.
    params : dict
        The extra arguments that it was given.
    """
    if not params:
        return Routed()
    routing = get_routing_for_object(router)
    routing.validate_metadata(method=caller, params=params)
    routed: Routed = routing.route_params(caller=caller, params=params)
    return routed
