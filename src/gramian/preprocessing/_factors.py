"""Columns of categories as codes of their distinct values, whatever they are stored in.

Text in a data frame is coded by its library; Python sees the distinct values only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.blocks import Scan
from gramian.preprocessing._checks import frame_of
from gramian.table import text_codes
from gramian.validation import check_array, check_predict, require_blocks, set_feature_names


@dataclass(frozen=True, eq=False)
class Factor:
    """A column: its distinct values, sorted, and their positions in the rows.

    None and NaN are values too, and the last ones. From a data frame, a missing text is NaN,
    whatever its library calls it. Positions are found when they are asked for, where only the
    `rows` are given: that takes ten times as long as finding the distinct numbers.
    """

    values: NDArray[Any]
    known_codes: NDArray[Any] | None = None
    rows: NDArray[Any] | None = None
    from_frame: bool = False

    @cached_property
    def codes(self) -> NDArray[Any]:
        """The position of each row's value in `values`."""
        if self.known_codes is not None:
            return self.known_codes
        assert self.rows is not None
        return np.unique(self.rows, return_inverse=True)[1].reshape(-1)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each value."""
        return np.bincount(self.codes, minlength=len(self.values))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes if self.rows is None else self.rows)

    def positions(self, categories: NDArray[Any]) -> NDArray[np.intp]:
        """Return where each distinct value stands in `categories`; -1 if it does not."""
        if self.values.dtype.kind in "biuf" and categories.dtype.kind in "biuf":
            return _numeric_positions(self.values, categories)
        place = {_key(value): k for k, value in enumerate(_listed(categories))}
        if self.from_frame:  # a missing value is the same, whichever mark was used at fit
            for mark, other in ((_NAN, None), (None, _NAN)):
                if mark not in place and other in place:
                    place[mark] = place[other]
        return np.array([place.get(_key(v), -1) for v in _listed(self.values)], dtype=np.intp)


@dataclass(frozen=True, eq=False)
class CountedFactor(Factor):
    """A column of which only the distinct values are known, and how often they occur."""

    n_each: NDArray[np.int64] = field(kw_only=True)

    @classmethod
    def of(cls, factor: Factor) -> "CountedFactor":
        """Return what remains of a column whose rows are let go."""
        return cls(factor.values, from_frame=factor.from_frame, n_each=factor.counts)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each value."""
        return self.n_each

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.n_each.sum())

    def joined(self, other: Factor) -> "CountedFactor":
        """Return the column of the rows of both."""
        both = factorise(np.concatenate([self.values, other.values]))
        counts = np.zeros(len(both.values), np.int64)
        np.add.at(counts, both.codes, np.concatenate([self.counts, other.counts]))
        return CountedFactor(both.values, from_frame=self.from_frame, n_each=counts)


_NAN = object()  # stands for NaN, which does not equal itself


def _key(value: Any) -> Any:
    return _NAN if is_nan(value) else value


def _listed(values: NDArray[Any]) -> list[Any]:
    return list(values) if values.dtype.kind in "mM" else values.tolist()


def is_nan(value: Any) -> bool:
    """Tell whether a value is NaN, NaT or pandas' mark for a missing value."""
    if type(value).__name__ == "NAType":
        return True
    return isinstance(value, (float, np.floating, np.datetime64, np.timedelta64)) and bool(
        value != value
    )


def _numeric_positions(values: NDArray[Any], categories: NDArray[Any]) -> NDArray[np.intp]:
    n_categories = len(categories)
    found = np.minimum(np.searchsorted(categories, values), n_categories - 1)
    is_same = categories[found] == values
    if values.dtype.kind == "f" and categories.dtype.kind == "f":
        is_same |= np.isnan(categories[found]) & np.isnan(values)
    return np.where(is_same, found, -1)


# -- arrays ----------------------------------------------------------------------------------------


def factorise(values: NDArray[Any], *, is_coded: bool = True) -> Factor:
    """Return a vector as distinct values and codes, these later if not `is_coded`."""
    if values.dtype.kind not in "OUS":
        if not is_coded:
            return Factor(_without_sign_of_zero(np.unique(values)), rows=values)
        distinct, codes = np.unique(values, return_inverse=True)
        return Factor(_without_sign_of_zero(distinct), codes.reshape(-1))
    rows = values.tolist()
    try:
        seen = list(dict.fromkeys(rows))
    except TypeError as error:
        kinds = ", ".join(sorted({type(value).__name__ for value in rows}))
        raise TypeError(f"Labels and levels must be strings or numbers. Got {kinds}.") from error
    marks = [value for value in seen if value is None or is_nan(value)]
    is_marked = set(map(id, marks))
    try:
        plain = sorted(value for value in seen if id(value) not in is_marked)
    except TypeError:
        types = sorted({type(value).__qualname__ for value in seen})
        raise TypeError(
            "Encoders require their input argument must be uniformly strings or numbers. Got "
            f"{types}"
        ) from None
    place = {value: k for k, value in enumerate(plain)}
    if any(value is None for value in marks):
        place[None] = len(plain)
        plain.append(None)
    if any(value is not None for value in marks):
        place |= {value: len(plain) for value in marks if value is not None}
        plain.append(float("nan"))
    codes = np.fromiter(map(place.__getitem__, rows), dtype=np.int32, count=len(rows))
    return Factor(_array_of(plain, values.dtype), codes)


def _without_sign_of_zero(values: NDArray[Any]) -> NDArray[Any]:
    """Return 0 for -0: which of them stands for both would be an accident of the sort."""
    return values + values.dtype.type(0) if values.dtype.kind == "f" else values


def _array_of(values: Sequence[Any], dtype: Any) -> NDArray[Any]:
    array: NDArray[Any] = np.empty(len(values), dtype=dtype)
    array[:] = values
    return array


# -- data frames -----------------------------------------------------------------------------------


def _from_series(series: Any, *, is_coded: bool) -> Factor:
    """Return one narwhals series as a factor."""
    dtype = str(series.dtype)
    native = series.to_native()
    is_pandas = series.implementation.is_pandas_like()
    if is_pandas and dtype.startswith(("Categorical", "Enum")):
        return _from_pandas_categorical(native)
    is_text = dtype.startswith(("String", "Categorical", "Enum"))
    if is_text and str(getattr(native, "dtype", "")) != "object":
        return _sorted_text(*text_codes(series))
    values = series.to_numpy()
    if values.dtype.kind == "O" and series.dtype.is_numeric():
        values = values.astype(np.float64)
    if values.dtype.kind == "O" and not is_pandas:
        values = np.where(series.is_null().to_numpy(), np.nan, values)
    if values.dtype.kind in "mM":  # the unit differs between libraries
        values = values.astype(f"{values.dtype.kind}8[us]")
    _refuse_infinity(values, series.name)
    factor = factorise(values, is_coded=is_coded)
    return replace(factor, from_frame=True)


def _sorted_text(codes: NDArray[Any], distinct: list[str]) -> Factor:
    """Return a factor of text; a code of -1 is a missing value."""
    n_distinct = len(distinct)
    order = sorted(range(n_distinct), key=distinct.__getitem__)
    lookup = np.empty(n_distinct + 1, dtype=np.int32)
    lookup[order] = np.arange(n_distinct)
    lookup[n_distinct] = n_distinct
    codes = lookup.take(codes)
    counts = np.bincount(codes, minlength=n_distinct + 1)
    values = [*(distinct[k] for k in order), float("nan")]
    if (counts == 0).any():  # levels that no row has, or no missing value
        kept = np.flatnonzero(counts)
        values = [values[k] for k in kept]
        if (kept != np.arange(len(kept))).any():
            codes = np.cumsum(counts > 0, dtype=np.int32).take(codes) - np.int32(1)
    return Factor(_array_of(values, object), codes, from_frame=True)


def _from_pandas_categorical(series: Any) -> Factor:
    levels = series.cat.categories.tolist()
    codes = series.cat.codes.to_numpy()
    if all(type(level) is str for level in levels):
        return _sorted_text(codes, levels)
    factor = factorise(np.asarray(series))
    return replace(factor, from_frame=True)


# -- what users pass -------------------------------------------------------------------------------


def read_factors(estimator: Any, X: Any, *, reset: bool) -> list[Factor]:
    """Return the columns of `X` as factors, in the order of ``fit``.

    `reset` says that this is ``fit``: number and names of the columns are noted, not compared, and
    positions in the rows may not be wanted.
    """
    if reset and isinstance(X, Scan):
        return _scanned_factors(estimator, X)
    frame = frame_of(X)
    if frame is not None:
        return [
            _from_series(series, is_coded=not reset) for series in _series(estimator, frame, reset)
        ]
    if reset:
        array = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
        set_feature_names(estimator, array)
    else:
        array = check_predict(estimator, X, accept_sparse=False, dtype=None, check_finite=False)
    if not hasattr(X, "dtype") and array.dtype.kind == "U":
        array = np.asarray(X, dtype=object)
    _refuse_infinity(array, "X")
    return [factorise(array[:, j], is_coded=not reset) for j in range(array.shape[1])]


def _scanned_factors(estimator: Any, scan: Scan) -> list[Factor]:
    """Return the columns of a scan, counted in one pass."""
    import narwhals.stable.v2 as nw

    require_blocks(estimator)
    found: list[CountedFactor] = []
    for _, native in scan.frames():
        frame = nw.from_native(native, eager_only=True)
        if not found:
            few = frame.head(1).select(scan.columns)
            set_feature_names(estimator, few.to_native() if scan.has_names else few.to_numpy())
        factors = [_from_series(frame.get_column(name), is_coded=True) for name in scan.columns]
        if found:
            found = [old.joined(new) for old, new in zip(found, factors, strict=True)]
        else:
            found = [CountedFactor.of(factor) for factor in factors]
    return [*found]


def _series(estimator: Any, frame: Any, reset: bool) -> list[Any]:
    columns = list(frame.iter_columns())
    few = frame.head(1).to_native()
    if reset:
        if 0 in frame.shape:
            check_array(np.empty(frame.shape), estimator=estimator)  # says what is missing
        set_feature_names(estimator, few)
        return columns
    names = check_predict(estimator, few).names
    place = {series.name: series for series in columns}
    return [place[name] for name in names]


def _refuse_infinity(values: NDArray[Any], name: Any) -> None:
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError(
            f"Input X contains infinity or a value too large for {values.dtype!r} (in {name})."
        )
