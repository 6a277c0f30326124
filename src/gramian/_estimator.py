"""What every estimator is: parameters, tags, cloning, repr and pickling."""

import copy
import warnings
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self

from gramian import _repr
from gramian._as_scan import SurveyNeededError, settle, with_scan, with_survey
from gramian._magnitude import check_fitted_numbers
from gramian._requests import MetadataRequester
from gramian._tags import Tagged, tags_of
from gramian._text import meant
from gramian.config import get_config
from gramian.exceptions import InconsistentVersionWarning, shared
from gramian.params import check_params, declare_params, param_names


class BaseEstimator(MetadataRequester, Tagged):
    """Base class of all estimators.

    A subclass declares its parameters in its body (see `gramian.params`) and writes ``fit``. It may
    also write an ordinary ``__init__`` with named arguments, as for scikit-learn's class of
    this name.

    Examples
    --------
    >>> from gramian.base import BaseEstimator
    >>> class Scale(BaseEstimator):
    ...     def __init__(self, factor=1.0):
    ...         self.factor = factor
    >>> Scale(factor=3.0)
    Scale(factor=3.0)
    """

    if TYPE_CHECKING:

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            """Take the declared parameters; the real signature is made by `declare_params`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declare_params(cls)
        _check_fits(cls)

    # -- parameters ---------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Also give the parameters of nested estimators, as ``<parameter>__<name>``.
        """
        params: dict[str, Any] = {}
        for name in param_names(type(self)):
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                params.update({f"{name}__{k}": v for k, v in value.get_params().items()})
            params[name] = value
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of nested estimators as ``<parameter>__<name>``; return self."""
        valid = self.get_params(deep=True)
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, found, rest = key.partition("__")
            if name not in valid:
                names = param_names(type(self))
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {names!r}.{meant(name, names)}"
                )
            if found:
                nested.setdefault(name, {})[rest] = value
            else:
                setattr(self, key, value)
                valid[key] = value
        for name, values in nested.items():
            valid[name].set_params(**values)
        return self

    def _validate_params(self) -> None:
        """Check the parameters against their declaration, before every ``fit``."""
        check_params(self)

    # -- showing and pickling --------------------------------------------------------------------

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return _repr.estimator_text(self, n_char_max=N_CHAR_MAX)

    def _repr_html_(self) -> str:
        return _repr.estimator_html(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_()
        return bundle

    def __getstate__(self) -> dict[str, Any]:
        from gramian import __version__

        if getattr(self, "__slots__", None):
            raise TypeError(
                "You cannot use `__slots__` in objects inheriting from "
                "`gramian.base.BaseEstimator`: their values would be lost."
            )
        return {**vars(self), "_gramian_version": __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from gramian import __version__

        state = dict(state)
        saved = state.pop("_gramian_version", "unknown")
        if saved != __version__:
            warnings.warn(
                f"This {type(self).__name__} was pickled by gramian {saved} and is read by "
                f"{__version__}; it may not work. gramian.save writes files that stay readable.",
                shared(InconsistentVersionWarning),
                stacklevel=2,
            )
        vars(self).update(state)


def _check_fits(cls: type) -> None:
    """Wrap what a class, or a mixin of it, writes to be fitted by."""
    for name in ("fit", "partial_fit", "fit_transform", "fit_predict"):
        owner = next((base for base in cls.__mro__ if name in vars(base)), BaseEstimator)
        calls_fit = owner.__module__ == "gramian.base"  # the general mixins only call ``fit``
        if owner is not cls and (issubclass(owner, BaseEstimator) or calls_fit):
            continue
        method = vars(owner)[name]
        if isinstance(method, FunctionType):
            setattr(cls, name, _checked_fit(method))
        else:  # made by `available_if`
            setattr(cls, name, method.wrapped(_checked_fit))


def _checked_fit(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Check the parameters first, and let a fit that fails leave the estimator as it was.

    Otherwise a model could hold the encoding of the new data beside the coefficients of the old.
    """

    @wraps(fit)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            self._validate_params()
            args, kwargs = with_scan(self, args, kwargs)
            # Called from here alone: warnings count the frames between them and the user's.
            try:
                found = fit(self, *args, **kwargs)
                settle(args, kwargs)
                is_done = True
            except SurveyNeededError:
                is_done = False
            if not is_done:
                vars(self).clear()
                vars(self).update(before)
                with_survey(args, kwargs)
                found = fit(self, *args, **kwargs)
            check_fitted_numbers(self, args, kwargs)
            return found
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return wrapped


class MetaEstimatorMixin:
    """Mixin of estimators that are built around others."""


def clone(estimator: Any, *, safe: bool = True) -> Any:
    """Return a new, unfitted estimator with the same parameters.

    Parameters
    ----------
    estimator : estimator, or list, tuple, set or dict of estimators
    safe : bool, default=True
        Whether something that is no estimator raises; otherwise it is deep-copied.

    Examples
    --------
    >>> from gramian import clone
    >>> from gramian.linear_model import Ridge
    >>> clone(Ridge(alpha=2.0))
    Ridge(alpha=2.0)
    """
    if type(estimator) in (list, tuple, set, frozenset):
        return type(estimator)(clone(item, safe=safe) for item in estimator)
    if type(estimator) is dict:
        return {key: clone(item, safe=safe) for key, item in estimator.items()}
    if hasattr(estimator, "__sklearn_clone__") and not isinstance(estimator, type):
        return estimator.__sklearn_clone__()
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        if not safe:
            return copy.deepcopy(estimator)
        what = "no estimator: it has no get_params"
        if isinstance(estimator, type):
            what = "a class. You should provide an instance of scikit-learn estimator or ours"
        raise TypeError(f"Cannot clone {estimator!r}: it is {what}.")
    return _clone_parametrised(estimator)


def _clone_parametrised(estimator: Any) -> Any:
    params = {k: clone(v, safe=False) for k, v in estimator.get_params(deep=False).items()}
    new = type(estimator)(**params)
    kept = new.get_params(deep=False)
    for name, value in params.items():
        if kept[name] is not value:
            raise RuntimeError(
                f"Cannot clone {type(estimator).__name__}: its constructor changes or does not set "
                f"the parameter {name!r}."
            )
    if "_sklearn_output_config" in vars(estimator):
        new._sklearn_output_config = copy.deepcopy(estimator._sklearn_output_config)
    if "_metadata_request" in vars(estimator):
        new._metadata_request = clone(estimator._metadata_request)
    return new


def _type_test(kind: str) -> Callable[[Any], bool]:
    def test(estimator: Any) -> bool:
        return tags_of(estimator).estimator_type == kind

    test.__name__ = f"is_{kind}"
    test.__doc__ = f"Tell whether an estimator, ours or scikit-learn's, is a {kind}."
    return test


is_classifier = _type_test("classifier")
is_regressor = _type_test("regressor")
is_clusterer = _type_test("clusterer")
is_outlier_detector = _type_test("outlier_detector")
