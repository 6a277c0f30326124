"""Estimators that take parameters beyond those of their signature, by any name of the library."""

from typing import Any, ClassVar, Self

from gramian.base import BaseEstimator
from gramian.compat._parameters import Parameters
from gramian.exceptions import InvalidParameterError

__all__ = ["LibraryParams"]


class LibraryParams(BaseEstimator):
    """Base of estimators whose ``**kwargs`` are parameters of the library, or aliases of them.

    They are parameters like the others: `get_params`, `set_params` and `clone` know them.
    """

    _library: ClassVar[Parameters]

    def _take_others(self, others: dict[str, Any]) -> None:
        """Remember what the constructor was given beyond its signature."""
        for name in others:
            if self._library.find(name) is None:
                raise InvalidParameterError(self._library.unknown(name, type(self).__name__))
        if others:
            self._other_params = dict(others)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Without effect, since no parameter is an estimator.
        """
        return {**super().get_params(deep), **vars(self).get("_other_params", {})}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by any of their names; return self."""
        named = super().get_params(deep=False)
        others = {name: value for name, value in params.items() if name not in named}
        for name in others:
            if self._library.find(name) is None:
                raise InvalidParameterError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"{self._library.unknown(name, type(self).__name__)}"
                )
        self._take_others({**vars(self).get("_other_params", {}), **others})
        return super().set_params(**{name: params[name] for name in params if name in named})
