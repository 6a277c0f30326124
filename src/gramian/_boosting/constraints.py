"""What constrains the trees of boosting: monotonic columns, and columns that may interact."""

import numbers
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["interaction_sets", "monotone_signs"]

Mask = NDArray[np.bool_]


def monotone_signs(
    monotonic_cst: Any,
    n_features: int,
    *,
    is_categorical: Mask | None = None,
    names: NDArray[Any] | None = None,
    model: str = "The model",
) -> tuple[int, ...]:
    """Return the monotonic constraint of each column; nothing if there is none.

    Parameters
    ----------
    monotonic_cst : array-like of int, dict or None
        As given by users.
    n_features : int
        Number of columns.
    is_categorical : ndarray of bool or None
        Which columns are categorical and thus have no order.
    names : ndarray of str or None
        The names of the columns.
    model : str
        What is fitted, for messages.
    """
    if monotonic_cst is None:
        return ()
    if isinstance(monotonic_cst, dict):
        signs = _signs_by_name(monotonic_cst, names, model)
    else:
        given = np.asarray(monotonic_cst)
        others = np.setdiff1d(given, [-1, 0, 1])
        if len(others):
            raise ValueError(
                "monotonic_cst must be an array-like of -1, 0 or 1. Observed values: "
                f"{others.tolist()}."
            )
        if given.shape != (n_features,):
            raise ValueError(
                f"monotonic_cst has shape {given.shape} but the input data X has {n_features} "
                "features."
            )
        signs = given.astype(np.int8)
    if is_categorical is not None and signs[is_categorical].any():
        raise ValueError("Categorical features cannot have monotonic constraints.")
    return tuple(signs.tolist()) if signs.any() else ()


def _signs_by_name(
    monotonic_cst: dict[str, int], names: NDArray[Any] | None, model: str
) -> NDArray[np.int8]:
    if names is None:
        raise ValueError(
            f"{model} was not fitted on data with feature names. Pass monotonic_cst as an integer "
            "array instead."
        )
    known = names.tolist()
    unknown = sorted(str(name) for name in set(monotonic_cst) - set(known))
    if unknown:
        shown = [*unknown[:5], "..."] if len(unknown) > 5 else unknown
        raise ValueError(
            f"monotonic_cst contains {len(unknown)} unexpected feature names: {shown}."
        )
    for name, sign in monotonic_cst.items():
        if sign not in (-1, 0, 1):
            raise ValueError(f"monotonic_cst['{name}'] must be either -1, 0 or 1. Got {sign!r}.")
    return np.array([monotonic_cst.get(name, 0) for name in known], dtype=np.int8)


def interaction_sets(interaction_cst: Any, n_features: int) -> tuple[tuple[int, ...], ...]:
    """Return the sets of columns that may be on one path; nothing if all may.

    Columns in none of the sets form one more.

    Parameters
    ----------
    interaction_cst : sequence of sets of int, "pairwise", "no_interactions" or None
        As given by users.
    n_features : int
        Number of columns.
    """
    if interaction_cst is None:
        return ()
    if isinstance(interaction_cst, str):
        size = 1 if interaction_cst == "no_interactions" else 2
        # A single column has no pair.
        return tuple(combinations(range(n_features), min(size, n_features)))
    try:
        sets = [set(group) for group in interaction_cst]
    except TypeError:
        raise ValueError(
            "Interaction constraints must be a sequence of tuples or lists, got: "
            f"{interaction_cst!r}."
        ) from None
    for group in sets:
        if not all(isinstance(f, numbers.Integral) and 0 <= int(f) < n_features for f in group):
            raise ValueError(
                "Interaction constraints must consist of integer indices in [0, n_features - 1] = "
                f"[0, {n_features - 1}], specifying the position of features, got invalid "
                f"indices: {group!r}"
            )
    rest = set(range(n_features)).difference(*sets)
    if rest:
        sets.append(rest)
    return tuple(tuple(sorted(int(f) for f in group)) for group in sets)
