"""Numbers that arrive as text: with a currency, a percent sign, or digits in groups."""

import polars as pl

# Digits in groups of three: by commas before a point; or by points, blanks or apostrophes before a
# comma.
_POINT = r"^[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$"
_COMMA = r"^[+-]?(\d{1,3}([.'\u2019\u00a0\u202f ]\d{3})+|\d+)(,\d+)?$"
_GROUPS = r"[.'\u2019\u00a0\u202f ]"
_CURRENCY = r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY)\b)"
_LEADING_ZERO = r"^[+-]?0\d"  # of a code, such as a post code


def numbers_of_text(column: pl.Series) -> pl.Series | None:
    """Return the numbers of a column of text such as "$1,234", "45 %" or "1 234,5".

    All cells must be numbers of one unit, and one at least more than plain digits: digits alone in
    a column of text are taken for labels. Otherwise None.
    """
    text = column.str.strip_chars()
    if not text.str.contains(rf"[,'\u2019\u00a0\u202f %]|\d\.\d{{3}}\.|{_CURRENCY}").any():
        return None
    units = [text.str.contains(unit) for unit in (_CURRENCY, "%")]
    if sum(bool(unit.any()) for unit in units) > 1:
        return None
    digits = text.str.replace(rf"{_CURRENCY}|%", "").str.strip_chars()
    digits = digits.str.replace(r"^\((.*)\)$", "-$1").str.replace(r"^([+-])\s+", "$1")
    if digits.str.contains(_LEADING_ZERO).any():
        return None
    for pattern, group, point in ((_POINT, ",", "."), (_COMMA, _GROUPS, ",")):
        if digits.str.contains(pattern).all():
            plain = digits.str.replace_all(group, "").str.replace(point, ".", literal=True)
            return plain.cast(pl.Float64)
    return None
