"""What the columns of a table are: free text, identifiers, numbers and dates as text, sentinels."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats

__all__ = ["is_free_text", "is_identifier", "is_prose", "sentinel_of", "text_dates", "text_numbers"]

SENTINELS = (-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
"""Numbers that people write for a missing one."""

_FEW_OTHERS = 10  # distinct values beside the sentinel
_SENTENCE = 6.0  # words; a text of so many is no label, even if it comes again

# Digits in groups of three: by commas before a point; or by points, blanks or apostrophes before a
# comma.
_POINT = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?")
_COMMA = re.compile(r"[+-]?(\d{1,3}([.'\u2019\u00a0\u202f ]\d{3})+|\d+)(,\d+)?")
_GROUPS = re.compile(r"[.'\u2019\u00a0\u202f ]")
_CURRENCY = re.compile(r"[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY)\b")
_MORE_THAN_DIGITS = re.compile(r"[.,'\u2019\u00a0\u202f %$€£¥₹]|USD|EUR|GBP|CHF|JPY")
_LEADING_ZERO = re.compile(r"[+-]?0\d")  # of a code, such as a post code
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?")


def text_numbers(texts: Sequence[str]) -> Floats | None:
    """Return the numbers that texts such as "$1,234", "45 %" or "1 234,5" are.

    All must be numbers of one unit, and one at least more than plain digits: digits alone in a
    column of text are taken for labels. Otherwise None.

    Examples
    --------
    >>> text_numbers(["$1,234", "$80"])
    array([1234.,   80.])
    >>> text_numbers(["1", "2"]) is None
    True
    """
    if not texts or not any(_MORE_THAN_DIGITS.search(text) for text in texts):
        return None
    units = sum(any(unit(text) for text in texts) for unit in (_CURRENCY.search, _has_percent))
    digits = [_digits(text) for text in texts]
    if units > 1 or any(_LEADING_ZERO.match(text) for text in digits):
        return None
    for pattern, drop in ((_POINT, _without_commas), (_COMMA, _with_point)):
        if all(pattern.fullmatch(text) for text in digits):
            return np.array([float(drop(text)) for text in digits])
    return None


def parsed_numbers(texts: Sequence[str]) -> Floats:
    """Return the numbers that texts are, NaN for one that is none."""
    alone = (text_numbers([f"${_digits(text)}"]) for text in texts)
    return np.array([np.nan if number is None else number[0] for number in alone])


def _has_percent(text: str) -> bool:
    return "%" in text


def _digits(text: str) -> str:
    """Return a number without its unit, a negative one in parentheses with its sign."""
    bare = _CURRENCY.sub("", text.replace("%", ""), count=1).strip()
    if bare.startswith("(") and bare.endswith(")"):
        bare = f"-{bare[1:-1]}"
    return re.sub(r"^([+-])\s+", r"\1", bare)


def _without_commas(text: str) -> str:
    return text.replace(",", "")


def _with_point(text: str) -> str:
    return _GROUPS.sub("", text).replace(",", ".")


def text_dates(texts: Sequence[str]) -> Floats | None:
    """Return the days since 1970-01-01 of dates in ISO form, NaN for one that does not exist.

    None if a text has another form.

    Examples
    --------
    >>> text_dates(["1970-01-02", "1970-01-03 12:00"])
    array([1. , 2.5])
    """
    if not texts or not all(_DATE.fullmatch(text.strip()) for text in texts):
        return None
    return parsed_dates(texts)


def parsed_dates(texts: Sequence[str]) -> Floats:
    """Return the days since 1970-01-01 of dates in ISO form, NaN for a text that is none."""
    days = np.full(len(texts), np.nan)
    for place, text in enumerate(texts):
        if _DATE.fullmatch(text.strip()):
            try:
                moment = np.datetime64(text.strip(), "us")
            except ValueError:  # such as the 30th of February
                continue
            days[place] = (moment - np.datetime64(0, "D")) / np.timedelta64(1, "D")
    return days


def is_free_text(levels: Sequence[str], n_rows: float) -> bool:
    """Tell whether the levels of so many rows are text to be read rather than labels.

    They have several words, and hardly repeat.
    """
    is_name = _mean_words(levels) >= 2.0 and len(levels) >= 0.5 * n_rows
    return is_name or is_prose(levels, n_rows)


def is_prose(levels: Sequence[str], n_rows: float) -> bool:
    """Tell whether the levels of so many rows are sentences, rather than labels or names."""
    return _mean_words(levels) >= _SENTENCE and len(levels) >= 0.1 * n_rows


def _mean_words(levels: Sequence[str]) -> float:
    return sum(len(level.split()) for level in levels) / max(len(levels), 1)


def is_identifier(n_levels: int, n_rows: float) -> bool:
    """Tell whether levels name the rows: nearly every row has one of its own."""
    return n_levels >= 0.95 * n_rows


def sentinel_of(values: NDArray[Any], *, zero: bool = False) -> float | None:
    """Return a number that stands for a missing one: many rows have it, and it is far from others.

    Parameters
    ----------
    values : ndarray
        Finite numbers.
    zero : bool, default=False
        Whether 0 may be one.

    Examples
    --------
    >>> sentinel_of(np.r_[np.arange(50.0), np.full(10, -999.0)])
    -999.0
    """
    if not len(values):
        return None
    ends = (float(values.min()), float(values.max()))
    candidates: tuple[float, ...] = (0.0, *SENTINELS) if zero else SENTINELS
    for value in candidates:
        if value in ends and _stands_apart(values, value):
            return value
    return None


def _stands_apart(values: NDArray[Any], value: float) -> bool:
    is_value = values == value
    n_rows, others = int(np.count_nonzero(is_value)), values[~is_value]
    most = len(values) * (0.15 if value == 0.0 else 0.5)
    if n_rows < max(5, len(values) // 500) or n_rows > most:
        return False
    if len(np.unique(others)) < _FEW_OTHERS:
        return False
    low, quarter, three, high = np.quantile(others, [0.0, 0.25, 0.75, 1.0])
    spread = three - quarter
    gap = low - value if value < low else value - high
    needed = spread if value == 0.0 else 2.0 * spread
    return bool(spread > 0.0 and gap >= needed)
