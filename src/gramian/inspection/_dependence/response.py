"""What a fitted estimator says about some rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from gramian.metrics import make_scorer


def response_of(
    estimator: Any, X: Any, methods: Sequence[str], pos_label: Any = None
) -> tuple[Any, str]:
    """Return the response of the first method that the estimator has, and the method's name.

    For two classes the response is one number for each row, about `pos_label` or, if that is
    None, the second class.
    """
    used = next((name for name in methods if hasattr(estimator, name)), None)
    if used is None:
        raise AttributeError(
            f"{type(estimator).__name__} has none of the following attributes: "
            f"{', '.join(methods)}."
        )
    if used == "predict":
        return estimator.predict(X), used
    # A scorer asks for the response of the positive class; this one returns it as its score.
    ask = make_scorer(_response, response_method=used, pos_label=pos_label)
    return ask(estimator, X, None), used


def _response(y_true: None, response: NDArray[Any], *, pos_label: Any) -> NDArray[Any]:
    return response
