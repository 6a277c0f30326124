"""Errors and warnings, one class for each kind that a caller may want to catch."""

import sys
from typing import TypeVar

__all__ = [
    "ConvergenceWarning",
    "DataConversionWarning",
    "DataDimensionalityWarning",
    "EfficiencyWarning",
    "FitFailedWarning",
    "InconsistentVersionWarning",
    "InvalidParameterError",
    "ModelFileError",
    "NotFittedError",
    "PositiveSpectrumWarning",
    "UndefinedMetricWarning",
    "UnsetMetadataPassedError",
    "shared",
]


class NotFittedError(ValueError, AttributeError):
    """A method that needs a fitted model was called before ``fit``."""


class InvalidParameterError(ValueError, TypeError):
    """A constructor parameter has a value that the estimator does not allow."""


class ModelFileError(ValueError):
    """A model file is damaged, hostile, or from a version this one cannot read."""


class ConvergenceWarning(UserWarning):
    """An iterative solver stopped before it reached its tolerance."""


class DataConversionWarning(UserWarning):
    """Input was converted into another type or shape than the caller gave."""


class DataDimensionalityWarning(UserWarning):
    """The number of features or components looks unsuitable for the data."""


class EfficiencyWarning(UserWarning):
    """The computation is correct, but another call would be much cheaper."""


class FitFailedWarning(RuntimeWarning):
    """Some of the fits of an evaluation failed, and their scores were set by convention."""


class InconsistentVersionWarning(UserWarning):
    """A pickled estimator comes from another version of gramian."""


class PositiveSpectrumWarning(UserWarning):
    """A spectrum that should be non-negative has significant negative values."""


class UndefinedMetricWarning(UserWarning):
    """A metric is not defined for the given data and was set by convention."""


class UnsetMetadataPassedError(ValueError):
    """An extra argument was given for a part that neither requests nor refuses it."""

    unrequested_params: dict[str, object]
    routed_params: dict[str, object]


E = TypeVar("E", bound=Exception)

_joined: dict[type, type] = {}


def shared(cls: type[E]) -> type[E]:
    """Return `cls`, joined with scikit-learn's class of that name once that is loaded.

    Code written for scikit-learn catches ``sklearn.exceptions.NotFittedError``; code written for
    gramian catches ``gramian.exceptions.NotFittedError``. What we raise must be caught by both, and
    scikit-learn must not be imported for it.

    Examples
    --------
    >>> from gramian.exceptions import NotFittedError, shared
    >>> issubclass(shared(NotFittedError), NotFittedError)
    True
    """
    if cls in _joined:
        return _joined[cls]
    theirs = getattr(sys.modules.get("sklearn.exceptions"), cls.__name__, None)
    if theirs is None:
        return cls
    namespace = {
        "__module__": cls.__module__,
        "__doc__": cls.__doc__,
        "__init__": Exception.__init__,  # some of scikit-learn's take keywords instead of a message
        "__str__": Exception.__str__,
        "__reduce__": _reduce,
    }
    _joined[cls] = type(cls.__name__, (cls, theirs), namespace)
    return _joined[cls]


def _reduce(error: Exception) -> tuple[object, ...]:
    """Pickle a joined exception by the name of its gramian parent."""
    return _rebuild, (type(error).__name__, error.args)


def _rebuild(name: str, args: tuple[object, ...]) -> Exception:
    error: Exception = shared(globals()[name])(*args)
    return error
