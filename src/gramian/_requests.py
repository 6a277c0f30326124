"""What consumers of metadata request: estimators, scorers and splitters, for each of their methods.

`gramian._routing` sorts the extra arguments of a composition's methods by these requests.
"""

import inspect
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from gramian.config import get_config
from gramian.exceptions import UnsetMetadataPassedError, shared
from gramian.persistence import persistable

SIMPLE_METHODS = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
    "split",
    "transform",
    "inverse_transform",
)
COMPOSITE_METHODS = {"fit_transform": ("fit", "transform"), "fit_predict": ("fit", "predict")}
METHODS = (*SIMPLE_METHODS, *COMPOSITE_METHODS)

# Requests are True (pass it), False (do not), None (raise if it is given), the name under which it
# is given, or one of these; UNCHANGED is the default of the set_..._request methods.
UNUSED, WARN, UNCHANGED = "$UNUSED$", "$WARN$", "$UNCHANGED$"

_DATA = frozenset({"X", "y", "Y", "Xt", "yt"})

_HOW = "gramian.set_config(enable_metadata_routing=True)"


def routing_enabled() -> bool:
    """Tell whether routing is on, in our settings or in those of a scikit-learn that is loaded."""
    if get_config()["enable_metadata_routing"]:
        return True
    theirs = getattr(sys.modules.get("sklearn"), "get_config", None)
    return bool(theirs is not None and theirs().get("enable_metadata_routing", False))


def raise_for_params(
    params: Iterable[str], owner: Any, method: str | None, allow: Iterable[str] = ()
) -> None:
    """Raise ValueError for extra arguments while routing is off."""
    if not routing_enabled() and set(params) - set(allow):
        caller = f"{name_of(owner)}.{method}" if method else name_of(owner)
        raise ValueError(
            f"Passing extra keyword arguments to {caller} is only supported if "
            f"enable_metadata_routing=True, which you can set using {_HOW}. Extra parameters "
            f"passed are: {set(params)}"
        )


def name_of(owner: Any) -> str:
    """Return what messages call a consumer or router."""
    if hasattr(owner, "_routing_repr"):
        return str(owner._routing_repr())
    return owner if isinstance(owner, str) else type(owner).__name__


# -- consumers -------------------------------------------------------------------------------------


class MethodRequest:
    """What one method requests: a view of the entry of a `MetadataRequest`.

    Parameters
    ----------
    owner : str
        What messages call the consumer.
    method : str
    requests : dict of str to request
        Is changed by `add_request`.
    """

    def __init__(self, owner: Any, method: str, requests: dict[str, Any]) -> None:
        self.owner = owner
        self.method = method
        self.requests = requests

    def add_request(self, *, param: str, alias: Any) -> "MethodRequest":
        """Set the request for an argument; return self."""
        if not (alias is None or isinstance(alias, bool) or _is_name(alias)):
            raise ValueError(
                f"The alias you're setting for `{param}` should be either a valid identifier or "
                f"one of {{None, True, False}}, but given value is: `{alias}`"
            )
        if alias != UNUSED:
            self.requests[param] = True if alias == param else alias
        elif self.requests.pop(param, UNUSED) == UNUSED:
            raise ValueError(f"Trying to remove parameter {param} with UNUSED which doesn't exist.")
        return self

    def names(self, return_alias: bool) -> set[str]:
        """Return the names of what may be given; under those of the caller with `return_alias`."""
        return {
            alias if return_alias and _is_alias(alias) else name
            for name, alias in self.requests.items()
            if alias is not False
        }

    def consumed(self, params: Iterable[str]) -> set[str]:
        """Return those of the given names that the method would take."""
        wanted = {
            name if alias is True else alias
            for name, alias in self.requests.items()
            if alias is True or _is_alias(alias)
        }
        return wanted & set(params)

    def route(self, params: dict[str, Any], parent: Any, caller: str) -> dict[str, Any]:
        """Return the arguments of the method; raise for what is neither requested nor refused."""
        self.warn(params)
        given = {name: value for name, value in params.items() if value is not None}
        routed = {}
        for name, alias in self.requests.items():
            source = name if alias is True else alias
            if alias is not False and alias is not None and source in given:
                routed[name] = given[source]
        unset = {
            name: given[name]
            for name, alias in self.requests.items()
            if alias is None and name in given
        }
        if unset:
            self._raise_unset(unset, routed, f"{name_of(parent)}.{caller}")
        return routed

    def warn(self, params: Iterable[str]) -> None:
        """Warn about arguments that are ignored until a request is set."""
        for name in (name for name, alias in self.requests.items() if alias == WARN):
            if name in params:
                warnings.warn(
                    f"Support for {name} has recently been added to {name_of(self.owner)} class. "
                    "To maintain backward compatibility, it is ignored now. Using "
                    f"`set_{self.method}_request({name}={{True, False}})` on this method of the "
                    "class, you can set the request value to False to silence this warning, or to "
                    "True to consume and use the metadata.",
                    UserWarning,
                    stacklevel=2,
                )

    def _raise_unset(self, unset: dict[str, Any], routed: dict[str, Any], caller: str) -> None:
        owner = name_of(self.owner)
        setters = "".join(
            f".set_{method}_request({{metadata}}=True/False)"
            for method in COMPOSITE_METHODS.get(self.method, (self.method,))
        )
        error = shared(UnsetMetadataPassedError)(
            f"[{', '.join(unset)}] are passed but are not explicitly set as requested or not "
            f"requested for {owner}.{self.method}, which is used within {caller}. Call "
            f"`{owner}{setters}` for each metadata you want to request/ignore."
        )
        error.unrequested_params, error.routed_params = unset, routed
        raise error

    def __repr__(self) -> str:
        return str(self.requests)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and (value.isidentifier() or value in (UNUSED, WARN))


def _is_alias(value: Any) -> bool:
    return isinstance(value, str) and value not in (UNUSED, WARN)


@persistable
class MetadataRequest:
    """What a consumer requests, for each of its methods: ``request.fit``, ``request.score``, ...

    Parameters
    ----------
    owner : object
        The consumer; its name is kept, for messages.
    requests : dict of str to dict, optional
        Method -> argument -> request.
    """

    _type = "metadata_request"

    def __init__(self, owner: Any, requests: dict[str, dict[str, Any]] | None = None) -> None:
        self.owner = name_of(owner)
        self._methods = {
            method: dict((requests or {}).get(method, {})) for method in SIMPLE_METHODS
        }

    def __getattr__(self, name: str) -> MethodRequest:
        if name in SIMPLE_METHODS:
            return MethodRequest(self.owner, name, self._methods[name])
        if name in COMPOSITE_METHODS:
            return MethodRequest(self.owner, name, self._composed(name))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _composed(self, name: str) -> dict[str, Any]:
        joined: dict[str, Any] = {}
        for method in COMPOSITE_METHODS[name]:
            requests = self._methods[method]
            conflicts = [key for key in requests if joined.get(key, requests[key]) != requests[key]]
            if conflicts:
                raise ValueError(
                    f"Conflicting metadata requests for {', '.join(conflicts)} while composing the "
                    f"requests for {name}. Metadata with the same name for methods "
                    f"{', '.join(COMPOSITE_METHODS[name])} should have the same request value."
                )
            joined |= requests
        return joined

    def __sklearn_clone__(self) -> "MetadataRequest":
        return MetadataRequest(self.owner, self._methods)

    def consumes(self, method: str, params: Iterable[str]) -> set[str]:
        """Return those of some names that a method takes."""
        return self._of(method).consumed(params)

    def _of(self, method: str) -> MethodRequest:
        found: MethodRequest = getattr(self, method)
        return found

    def _get_param_names(
        self, method: str, return_alias: bool, ignore_self_request: bool | None = None
    ) -> set[str]:
        return self._of(method).names(return_alias)

    def _route_params(
        self, *, params: dict[str, Any], method: str, parent: Any, caller: str
    ) -> dict[str, Any]:
        return self._of(method).route(params, parent, caller)

    def _check_warnings(self, *, method: str, params: dict[str, Any]) -> None:
        self._of(method).warn(params)

    def _serialize(self) -> dict[str, dict[str, Any]]:
        return {method: requests for method, requests in self._methods.items() if requests}

    def __repr__(self) -> str:
        return str(self._serialize())

    def _check_state(self) -> None:
        methods = vars(self).get("_methods")
        if not isinstance(self.owner, str) or not isinstance(methods, dict):
            raise TypeError("a request needs the name of its owner and a dict of methods")
        if set(methods) != set(SIMPLE_METHODS):
            raise ValueError("a request needs an entry for each method")
        for requests in methods.values():
            for name, alias in requests.items():
                if not isinstance(name, str) or not isinstance(alias, (bool, str, type(None))):
                    raise TypeError("a request is True, False, None or a name")


def signature_requests(function: Callable[..., Any], ignored: Iterable[str] = ()) -> dict[str, Any]:
    """Return an unset request for each argument of a method besides the first and the data."""
    names = _argument_names(function)[1:]
    return {name: None for name in names if name not in _DATA and name not in ignored}


def _argument_names(function: Callable[..., Any]) -> list[str]:
    plain = inspect.unwrap(function)
    if inspect.isfunction(plain) and not hasattr(plain, "__signature__"):  # much the quickest
        code = plain.__code__
        return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind not in variable]


def class_requests(cls: type, method: str) -> dict[str, Any]:
    """Return the requests for a method of a class, as its signature and its declarations say.

    A class attribute ``__metadata_request__<method>`` adds or changes requests; `UNUSED` removes.
    """
    function = getattr(cls, method, None)
    if not inspect.isfunction(function):
        return {}
    requests = signature_requests(function)
    for base in reversed(cls.__mro__):
        for attribute, declared in list(vars(base).items()):
            if f"__metadata_request__{method}" not in attribute:  # Python puts the class in front
                continue
            for name, alias in declared.items():
                if alias == UNUSED and name not in requests:
                    raise ValueError(
                        f"Trying to remove parameter {name} with UNUSED which doesn't exist."
                    )
                requests[name] = alias
    return {name: alias for name, alias in requests.items() if alias != UNUSED}


class MetadataRequester:
    """Mixin of consumers: ``get_metadata_routing``, and ``set_<method>_request`` where it fits."""

    _metadata_request: MetadataRequest

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declare_requests(cls)

    def _get_metadata_request(self) -> MetadataRequest:
        if "_metadata_request" in vars(self):
            return self._metadata_request.__sklearn_clone__()
        requests = {method: class_requests(type(self), method) for method in SIMPLE_METHODS}
        return MetadataRequest(self, requests)

    def get_metadata_routing(self) -> Any:
        """Return which arguments each method requests."""
        return self._get_metadata_request()


def declare_requests(cls: type) -> None:
    """Give a class ``set_<method>_request`` for each method that takes more than the data."""
    for method in SIMPLE_METHODS:
        setter = f"set_{method}_request"
        present = getattr(cls, setter, None)
        if present is not None and not hasattr(present, "_requests_of"):
            continue  # written by hand
        try:
            keys = sorted(class_requests(cls, method))
        except ValueError:  # a wrong declaration; get_metadata_routing says so
            continue
        if keys or present is not None:
            setattr(cls, setter, _request_setter(cls, method, keys))


def _request_setter(cls: type, method: str, keys: list[str]) -> Callable[..., Any]:
    def set_request(self: Any, /, **requests: Any) -> Any:
        require_routing()
        unknown = set(requests) - set(keys)
        if unknown:
            raise TypeError(
                f"Unexpected args: {unknown} in {method}. Accepted arguments are: {set(keys)}"
            )
        changed = self._get_metadata_request()
        for name, alias in requests.items():
            if alias is not UNCHANGED:
                getattr(changed, method).add_request(param=name, alias=alias)
        self._metadata_request = changed
        return self

    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)] + [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=UNCHANGED) for key in keys
    ]
    described: Any = set_request
    described.__signature__ = inspect.Signature(parameters)
    described.__name__ = f"set_{method}_request"
    described.__qualname__ = f"{cls.__qualname__}.{described.__name__}"
    described.__module__ = cls.__module__
    described._requests_of = method
    described.__doc__ = _setter_doc(method, keys)
    return set_request


def _setter_doc(method: str, keys: list[str]) -> str:
    listed = "".join(f"        {key} : bool, None or str\n" for key in keys)
    section = f"        Parameters\n        ----------\n{listed}" if keys else ""
    return f"""Say which arguments a composition shall hand to ``{method}``; return self.

        Only while metadata routing is on. For each argument, True asks for it, False refuses it,
        None makes it an error to give it, and a str is the name under which it will be given.

{section}"""


def require_routing() -> None:
    """Raise RuntimeError while routing is off."""
    if not routing_enabled():
        raise RuntimeError(
            "This method is only available when metadata routing is enabled. You can enable it "
            f"using {_HOW}."
        )
