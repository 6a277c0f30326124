"""What boosting does where the user leaves it open: chosen for the table, in one place.

Rounds come from rows that folds leave out, so that nothing else has to fit the number of rows
exactly: a low learning rate, small trees, and draws of rows and columns are good on most tables.
The numbers were learnt on tables other than those they are judged by. Symmetric trees are better
where a number depends on columns smoothly, and two or three times slower; one fold tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.persistence import persistable

__all__ = ["Choice", "TableFacts", "choices_for"]

_FEWEST_ROWS = 10  # of fewer no fold tells anything
_FOLDS = 5
_SOME_ROWS, _MANY_ROWS = 5_000, 20_000
_MOST_ROUNDS = 1500
_MOST_COLUMNS = 32  # of which symmetric trees are tried


@dataclass(frozen=True)
class TableFacts:
    """What the rules look at.

    Attributes
    ----------
    n_rows : int
        Number of rows, copies by whole weights included; rows of no weight do not count.
    n_columns : int
        Number of columns.
    n_groups : int
        Number of scores of a row: 1 for numbers and two classes.
    has_classes : bool
        Whether the target is one of classes.
    n_judges : int
        Number of rows that folds may leave out.
    """

    n_rows: int
    n_columns: int
    n_groups: int
    has_classes: bool
    n_judges: int

    @classmethod
    def of(
        cls,
        X: Any,
        target: Floats,
        weight: Floats | None,
        n_groups: int,
        *,
        has_classes: bool,
    ) -> TableFacts:
        """Return the facts of training rows."""
        n_rows = n_judges = X.shape[0]
        if weight is not None:
            is_whole = (weight == np.floor(weight)).all() and weight.sum() < 2.0**53
            n_rows = int(weight.sum()) if is_whole else int(np.count_nonzero(weight))
        counted = slice(None) if weight is None else weight > 0.0
        if has_classes:
            sizes = np.bincount(target[counted].astype(np.intp))
            n_judges = int(sizes[sizes >= _FOLDS].sum())
        elif weight is not None:
            n_judges = int(np.count_nonzero(weight))
        return cls(n_rows, X.shape[1], n_groups, has_classes, n_judges)


@persistable
@dataclass(frozen=True)
class Choice:
    """Parameters that were chosen, and why.

    Attributes
    ----------
    values : dict
        Parameter -> value.
    reasons : dict
        Parameter -> reason.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, **chosen: tuple[Any, str]) -> Choice:
        """Return a choice from pairs of value and reason."""
        return cls(
            {name: value for name, (value, _) in chosen.items()},
            {name: reason for name, (_, reason) in chosen.items()},
        )

    def followed_by(self, other: Choice) -> Choice:
        """Return this choice, but for what another one chooses."""
        return Choice({**self.values, **other.values}, {**self.reasons, **other.reasons})


def choices_for(facts: TableFacts, *, may_be_symmetric: bool) -> list[Choice]:
    """Return what may be good for a table, the likeliest first; nothing for too few rows.

    Parameters
    ----------
    facts : TableFacts
        The table.
    may_be_symmetric : bool
        Whether the user leaves open how trees grow.
    """
    if facts.n_judges < _FEWEST_ROWS:
        return []
    leaves = _common(facts).followed_by(_by_leaf(facts))
    is_small = facts.n_rows <= _MANY_ROWS and facts.n_columns <= _MOST_COLUMNS
    if facts.has_classes or not (may_be_symmetric and is_small):
        return [leaves]
    return [leaves, leaves.followed_by(_symmetric())]


def _common(facts: TableFacts) -> Choice:
    is_large = facts.n_rows > _MANY_ROWS
    return Choice.of(
        n_estimators=(_MOST_ROUNDS, "the most; the rows that folds leave out end the fit"),
        n_folds=(
            3 if is_large else _FOLDS,
            "as many models are averaged, each without one fold, whose rows tell when to stop",
        ),
        learning_rate=(
            0.1 if is_large else 0.08 if facts.n_rows > _SOME_ROWS else 0.05,
            "low, since the number of rounds is found",
        ),
        subsample=(0.8, "draws of rows make the trees of rounds differ"),
    )


def _by_leaf(facts: TableFacts) -> Choice:
    classes = facts.has_classes
    leaves = 16 if facts.n_rows <= _SOME_ROWS else 31 if facts.n_rows <= _MANY_ROWS else 63
    return Choice.of(
        growth=("leaf", "the better one on most tables"),
        max_leaves=(leaves, f"{facts.n_rows:,} rows"),
        min_samples_leaf=(5 if classes else 2, "classes" if classes else "numbers"),
        colsample_bylevel=(0.4 if classes else 0.7, "classes" if classes else "numbers"),
    )


def _symmetric() -> Choice:
    why = "a fold is predicted better by symmetric trees"
    return Choice.of(
        growth=("symmetric", why),
        max_depth=(6, why),
        max_leaves=(0, why),
        min_samples_leaf=(1, why),
        min_child_weight=(0.0, why),
        reg_lambda=(3.0, why),
        split_score=("cosine", why),
        random_strength=(1.0, why),
        learning_rate=(0.1, why),
        colsample_bylevel=(1.0, why),
        max_cat_levels=(8, why),
        max_bins=(64, why),
    )
