"""Arguments of displays that have got other names."""

import warnings
from typing import Any


def renamed_name(name: Any, estimator_name: Any) -> Any:
    if isinstance(estimator_name, str) and estimator_name == "deprecated":
        return name
    if name:
        raise ValueError(
            "Cannot provide both `estimator_name` and `name`. `estimator_name` is deprecated in "
            "1.8 and will be removed in 1.10 of scikit-learn. Use `name` only."
        )
    warnings.warn(
        "`estimator_name` is deprecated in 1.8 and will be removed in 1.10 of scikit-learn. Use "
        "`name` instead.",
        FutureWarning,
        stacklevel=3,
    )
    return estimator_name


def merged_kwargs(curve_kwargs: Any, kwargs: dict[str, Any]) -> Any:
    if not kwargs:
        return curve_kwargs
    if curve_kwargs:
        raise ValueError(
            "Cannot provide both `curve_kwargs` and `kwargs`. `**kwargs` is deprecated and will be "
            "removed in 1.11 of scikit-learn. Pass all matplotlib arguments to `curve_kwargs` as a "
            "dictionary."
        )
    warnings.warn(
        "`**kwargs` is deprecated and will be removed in 1.11 of scikit-learn. Pass all matplotlib "
        "arguments to `curve_kwargs` as a dictionary instead.",
        FutureWarning,
        stacklevel=3,
    )
    return kwargs
