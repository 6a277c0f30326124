"""The members of a bag: fitted to their draws, and asked one after another."""

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._requests import routing_enabled
from gramian._routing import get_routing_for_object
from gramian._rows import rows_of_params, take_rows
from gramian._trees.member_draws import Draws, Indices
from gramian.base import clone
from gramian.ensemble._columns import take_columns
from gramian.validation import names_checked

__all__ = [
    "add_up",
    "answer_of",
    "fit_members",
    "log_proba_of",
    "make_member",
    "make_trees",
    "proba_of",
    "votes_of",
]

_HIGHEST_SEED = np.iinfo(np.int32).max
_PLAIN = (bool, int, float, str, type(None))  # parameters that a copy may share


def takes_weights(estimator: Any) -> bool:
    """Tell whether ``fit`` takes weights; while metadata routing is on, whether it requests any."""
    if routing_enabled():
        return bool(get_routing_for_object(estimator).consumes("fit", ("sample_weight",)))
    return "sample_weight" in signature(estimator.fit).parameters


def make_member(estimator: Any, seed: Any) -> Any:
    """Return a copy whose every ``random_state`` is derived from a seed or a ``RandomState``."""
    member = clone(estimator)
    rng = random_state_of(seed)
    names = [n for n in sorted(member.get_params()) if n.split("__")[-1] == "random_state"]
    seeds = {name: int(rng.randint(_HIGHEST_SEED)) for name in names}
    return member.set_params(**seeds) if seeds else member


def make_trees(estimator: Any, seeds: Sequence[int]) -> list[Any]:
    """Return what `make_member` makes of each of some seeds, for one of our own trees."""
    if not seeds:
        return []
    first = make_member(estimator, seeds[0])
    params = vars(first)
    if not all(isinstance(value, _PLAIN) for value in params.values()):
        return [first, *(make_member(estimator, seed) for seed in seeds[1:])]
    rng, members = np.random.RandomState(0), [first]
    for seed in seeds[1:]:
        rng.seed(seed)
        member = object.__new__(type(first))
        vars(member).update(params, random_state=int(rng.randint(_HIGHEST_SEED)))
        members.append(member)
    return members


def fit_members(
    estimator: Any,
    draws: Draws,
    seeds: Sequence[int],
    data: tuple[Any, Any],
    params: dict[str, Any],
    n_told: int = 0,
) -> list[Any]:
    """Fit a copy of an estimator to the draw of each of some seeds.

    One that takes weights gets all rows with the number of times that each was drawn. If `n_told`
    is positive, each fit is announced as one of so many.
    """
    X, y = data
    by_weight, fitted = takes_weights(estimator), []
    for position, seed in enumerate(seeds, 1):
        if n_told:
            print(
                f"Building estimator {position} of {len(seeds)} for this parallel run "
                f"(total {n_told})..."
            )
        member = make_member(estimator, seed)
        rows, columns = draws.draw(seed)
        if by_weight:
            counts = np.bincount(rows, minlength=draws.n_samples)
            member.fit(_columns(X, columns, draws), y, **{**params, "sample_weight": counts})
        else:
            part = X[rows] if hasattr(X, "tocsr") else take_rows(X, rows)
            part = _columns(part, columns, draws)
            member.fit(part, take_rows(y, rows), **rows_of_params(X, params, rows))
        fitted.append(member)
    return fitted


def _columns(X: Any, columns: Indices, draws: Draws) -> Any:
    return X if draws.takes_all_columns else take_columns(X, columns)


# -- what a member says ----------------------------------------------------------------------------


def add_up(
    ask: Callable[..., NDArray[Any]],
    members: Sequence[tuple[Any, Indices | None]],
    X: Any,
    params: dict[str, Any],
    join: Callable[..., NDArray[Any]] = np.add,
) -> NDArray[Any]:
    """Return the answers of some members, joined; each sees its columns, None for all."""
    total: NDArray[Any] | None = None
    for member, columns in members:
        with names_checked():
            answer = ask(member, X if columns is None else take_columns(X, columns), params)
        total = answer if total is None else join(total, answer)
    assert total is not None
    return total


def proba_of(member: Any, X: Any, params: dict[str, Any], n_classes: int) -> NDArray[Any]:
    """Return the probabilities of all classes; those that the member does not know have none."""
    found = np.asarray(member.predict_proba(X, **params), dtype=np.float64)
    return _all_classes(member, found, n_classes, 0.0)


def log_proba_of(member: Any, X: Any, params: dict[str, Any], n_classes: int) -> NDArray[Any]:
    """Return the logarithms of the probabilities of all classes."""
    found = np.asarray(member.predict_log_proba(X, **params), dtype=np.float64)
    return _all_classes(member, found, n_classes, -np.inf)


def _all_classes(member: Any, known: NDArray[Any], n_classes: int, rest: float) -> NDArray[Any]:
    if len(member.classes_) == n_classes:
        return known
    complete = np.full((len(known), n_classes), rest)
    complete[:, member.classes_] = known
    return complete


def votes_of(member: Any, X: Any, params: dict[str, Any], n_classes: int) -> NDArray[Any]:
    """Return a one for the class that the member predicts, and zeros."""
    codes = np.asarray(member.predict(X, **params))
    result: NDArray[Any] = (codes[:, None] == np.arange(n_classes)).astype(np.float64)
    return result


def answer_of(member: Any, X: Any, params: dict[str, Any], method: str) -> NDArray[Any]:
    """Return what a method of the member says."""
    return np.asarray(getattr(member, method)(X, **params))
