"""Estimators that keep what they have learnt."""

from typing import Any

from gramian._composition import available_if
from gramian._parts import is_fitted
from gramian._tags import tags_of
from gramian.base import BaseEstimator, Tags
from gramian.params import Estimator, param
from gramian.validation import check_is_fitted

__all__ = ["FrozenEstimator"]

_DISABLED = ("fit_predict", "fit_transform")


def _is_indexed(frozen: Any) -> bool:
    return hasattr(frozen.estimator, "__getitem__")


class FrozenEstimator(BaseEstimator):
    """A fitted estimator that ``fit`` leaves as it is.

    Everything else is the estimator's own: its methods, its attributes, its tags. A clone is the
    object itself, so that a pipeline, a search or `gramian.calibration.CalibratedClassifierCV`
    uses the estimator without fitting it anew.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.

    Examples
    --------
    >>> from gramian.frozen import FrozenEstimator
    >>> from gramian.linear_model import Ridge
    >>> frozen = FrozenEstimator(Ridge(alpha=0.0).fit([[0.0], [1.0]], [1.0, 3.0]))
    >>> frozen.fit([[0.0], [1.0]], [0.0, 0.0]).predict([[2.0]]).round(6)
    array([5.])
    """

    estimator: Any = param(None, Estimator())

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any = None, *args: Any, **kwargs: Any) -> "FrozenEstimator":
        """Return self; raise NotFittedError if the estimator is not fitted.

        Parameters
        ----------
        X, y, *args, **kwargs : object
            What the estimator's own ``fit`` would take; not looked at.
        """
        check_is_fitted(self.estimator)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return ``{"estimator": estimator}``; the estimator's own parameters are frozen.

        Parameters
        ----------
        deep : bool, default=True
            Makes no difference.
        """
        return {"estimator": self.estimator}

    def set_params(self, **params: Any) -> "FrozenEstimator":
        """Set `estimator`; its own parameters cannot be set, since ``fit`` would not use them."""
        unknown = sorted(set(params) - {"estimator"})
        if unknown:
            raise ValueError(
                "You cannot set parameters of the inner estimator in a frozen estimator since "
                "calling `fit` has no effect. You can use `frozenestimator.estimator.set_params` "
                f"to set parameters of the inner estimator. Got {unknown}."
            )
        self.estimator = params.get("estimator", self.estimator)
        return self

    @available_if(_is_indexed)
    def __getitem__(self, key: Any) -> Any:
        return self.estimator[key]

    def __getattr__(self, name: str) -> Any:
        if name in _DISABLED:
            raise AttributeError(f"{name} is not available for frozen estimators.")
        if name == "estimator" or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(f"{type(self).__name__} object has no attribute {name!r}")
        return getattr(self.estimator, name)

    def __sklearn_clone__(self) -> "FrozenEstimator":
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return is_fitted(self.estimator)

    def _tags(self) -> Tags:
        return tags_of(self.estimator)
