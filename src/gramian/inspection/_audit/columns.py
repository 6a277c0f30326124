"""Checks of columns by themselves: constants, identifiers, gaps, codes for gaps, spellings."""

from __future__ import annotations

import re

import numpy as np

from gramian.encoding import sentinel_of
from gramian.inspection._audit.audited import AuditedTable, Floats
from gramian.inspection._diagnosis.findings import (
    About,
    Finding,
    Verdict,
    conclude,
    counted,
    graded,
)
from gramian.table import CategoricalColumn, NumericColumn

_NEARLY_ALL = 0.95  # distinct values per row of an identifier
_MIN_ROWS = 30
_IN_ORDER = 0.99  # of the steps from row to row, of a running number
_MANY_MISSING, _NEARLY_EMPTY = 0.8, 0.95
_FEW_OTHERS = 10  # distinct values beside the sentinel
_NUMBER = re.compile(r"[-+]?[\d.,\s]*\d[\d.,\s]*(?:[eE][-+]?\d+)?")
_WORDS_OF_PROSE = 8
_MOST_SPELLINGS = 10_000


def check_constants(audited: AuditedTable, about: About) -> Finding:
    """Are there columns that say nothing?"""
    levels = audited.n_distinct + (audited.n_missing > 0)
    found = [name for name, n in zip(audited.names, levels, strict=True) if n < 2]
    return conclude(
        about,
        "constant columns",
        float(len(found)),
        "warning" if found else "ok",
        f"{counted(len(found), 'column')} with the same value in every row.",
        _drop(found),
        columns=found,
    )


def check_identifiers(audited: AuditedTable, about: About) -> Finding:
    """Are there columns that number or name the rows?"""
    if audited.n_rows < _MIN_ROWS:
        return Finding.not_applicable(*about, f"There are fewer than {_MIN_ROWS} rows.")
    found = [audited.names[j] for j in range(len(audited.columns)) if _is_identifier(audited, j)]
    return conclude(
        about,
        "identifiers",
        float(len(found)),
        "warning" if found else "ok",
        f"{counted(len(found), 'column')} in which (almost) every row has a value of its own. A "
        "model can only learn them by heart.",
        _drop(found) + " If it is text with a meaning, take out what matters (a title, a place).",
        columns=found,
    )


def _is_identifier(audited: AuditedTable, j: int) -> bool:
    n_present = audited.n_rows - int(audited.n_missing[j])
    n_distinct = int(audited.n_distinct[j])
    if n_present < _MIN_ROWS or n_distinct < _NEARLY_ALL * n_present:
        return False
    column = audited.columns[j]
    if isinstance(column, CategoricalColumn):
        return not _is_free_text(column, _WORDS_OF_PROSE)  # names have fewer words
    values = column.values[np.isfinite(column.values)]
    if not bool((values == np.round(values)).all()):
        return False
    steps = np.diff(values)  # rows may have been added or moved afterwards
    n_in_order = max(int((steps > 0).sum()), int((steps < 0).sum()))
    is_run = n_in_order >= _IN_ORDER * len(steps)
    # Numbers drawn from a range so narrow would meet more often.
    return is_run or float(values.max() - values.min()) < 1.5 * n_present


def check_missing(audited: AuditedTable, about: About) -> Finding:
    """Are there columns with hardly any value?"""
    fractions = audited.n_missing / audited.n_rows
    worst = float(fractions.max())
    found = [audited.names[j] for j in np.argsort(-fractions) if fractions[j] >= _MANY_MISSING]
    return conclude(
        about,
        "most missing",
        worst,
        graded(worst, _MANY_MISSING, _NEARLY_EMPTY),
        f"{counted(len(found), 'column')} with less than a fifth of the values; the emptiest lacks "
        f"{100 * worst:.1f} %."
        if found
        else f"The emptiest column lacks {100 * worst:.1f} % of its values.",
        "Ask why they are missing. Keep whether a value is there (impute.MissingIndicator) rather "
        "than what it is, or leave the columns out.",
        columns=found,
    )


def check_sentinels(audited: AuditedTable, about: About) -> Finding:
    """Do some numbers stand for a missing value?"""
    found: list[str] = []
    said: list[str] = []
    n_most = 0
    for j, column in enumerate(audited.columns):
        if not isinstance(column, NumericColumn) or audited.n_distinct[j] < _FEW_OTHERS:
            continue
        seen = _sentinel(np.asarray(column.values[np.isfinite(column.values)], np.float64))
        if seen is not None:
            value, n_rows, nearest = seen
            found.append(audited.names[j])
            said.append(f"{audited.names[j]} is {value:g} in {n_rows} rows, else {nearest}")
            n_most = max(n_most, n_rows)
    return conclude(
        about,
        "rows with a sentinel",
        float(n_most),
        "warning" if found else "ok",
        "; ".join(said[:4]) + "." if said else "No value is set apart from all others.",
        "Make them missing before the fit, for example "
        f"X[{found[0]!r}] = X[{found[0]!r}].replace({_value(said)}, float('nan'))."
        if found
        else "",
        columns=found,
    )


def _value(said: list[str]) -> str:
    return said[0].rpartition(" is ")[2].partition(" ")[0]


def _sentinel(values: Floats) -> tuple[float, int, str] | None:
    """Return a value far from all others that many rows have, their number, and the others."""
    value = sentinel_of(values, zero=True)
    if value is None:
        return None
    others = values[values != value]
    return value, len(values) - len(others), f"{others.min():g} to {others.max():g}"


def check_spellings(audited: AuditedTable, about: About) -> Finding:
    """Is one level written in several ways, or are numbers mixed with text?"""
    said: dict[str, str] = {}
    for name, column in zip(audited.names, audited.columns, strict=True):
        if not isinstance(column, CategoricalColumn) or column.is_numbers:
            continue
        if _is_free_text(column):
            continue
        levels = column.categories[:_MOST_SPELLINGS]
        twins = _twins(levels)
        odd = _odd_among_numbers(levels)
        if twins:
            both = " and ".join(map(repr, twins))
            said[name] = f"{name} has {both}, the same but for case, blanks or dots"
        elif odd:
            said[name] = f"{name} holds numbers beside {', '.join(map(repr, odd[:3]))}"
    return conclude(
        about,
        "columns of mixed spellings",
        float(len(said)),
        "warning" if said else "ok",
        "; ".join(list(said.values())[:4]) + "." if said else "No level has a twin.",
        "Clean the text before the fit: strip blanks, one case for all; make the words for a "
        "missing number missing.",
        columns=tuple(said),
    )


def _is_free_text(column: CategoricalColumn, words: int = 3) -> bool:
    """Tell whether levels have more than so many words, and hardly repeat."""
    n_levels = len(column.categories)
    n_words = sum(len(level.split()) for level in column.categories[:1000])
    return 2 * n_levels > len(column.codes) and n_words > words * min(n_levels, 1000)


def _twins(levels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first levels that differ in case, blanks and dots only."""
    seen: dict[str, str] = {}
    for level in levels:
        plain = re.sub(r"[\s._-]+", " ", level).strip().casefold()
        if plain in seen:
            return seen[plain], level
        seen[plain] = level
    return ()


def _odd_among_numbers(levels: tuple[str, ...]) -> list[str]:
    """Return the levels that are no numbers where nine in ten are."""
    if len(levels) < _FEW_OTHERS:
        return []
    odd = [level for level in levels if not _NUMBER.fullmatch(level.strip())]
    return odd if 0 < len(odd) <= len(levels) // 10 else []


def check_extremes(audited: AuditedTable, about: About) -> Finding:
    """Do a few rows hold numbers of another order of magnitude?"""
    worst, found, rows = 0.0, [], np.empty(0, np.intp)
    for j, column in enumerate(audited.columns):
        if not isinstance(column, NumericColumn) or audited.n_distinct[j] < _FEW_OTHERS:
            continue
        distance = robust_distance(np.asarray(column.values, np.float64))
        far = np.flatnonzero(distance > _FAR)
        if 0 < len(far) <= max(1, audited.n_rows // 200):
            found.append(audited.names[j])
            if distance[far].max() > worst:
                worst, rows = float(distance[far].max()), far
    verdict: Verdict = "warning" if found else "ok"
    return conclude(
        about,
        "robust standard deviations",
        worst,
        verdict,
        f"{counted(len(found), 'column')} with values more than {_FAR:g} robust standard "
        "deviations away, on the scale of logarithms too.",
        "Look at these rows: another unit, a slip of a decimal point, a code for a missing value?",
        columns=found,
        rows=tuple(rows[:20].tolist()),
    )


_FAR = 20.0


def robust_distance(values: Floats) -> Floats:
    """Return how far values are from the median, in robust standard deviations.

    The smaller of the distances of the values and of their signed logarithms about the median:
    long tails, such as those of prices and counts, are not far.
    """
    plain = _distance(values)
    spread = np.nanmedian(np.abs(values - np.nanmedian(values)))
    scale = spread if spread > 0 else 1.0
    logs = np.sign(values) * np.log1p(np.abs(values) / scale)
    return np.fmin(plain, _distance(logs))


def _distance(values: Floats) -> Floats:
    finite = np.where(np.isfinite(values), values, np.nan)
    low, middle, high = np.nanquantile(finite, [0.25, 0.5, 0.75])
    spread = (high - low) / 1.349
    if not spread > 0.0:
        return np.zeros(len(values))
    return np.asarray(np.nan_to_num(np.abs(finite - middle) / spread), np.float64)


def _drop(columns: list[str]) -> str:
    return f"X = X.drop(columns={columns[:6]!r})."
