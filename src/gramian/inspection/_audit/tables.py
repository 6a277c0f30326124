"""Checks of columns and rows against each other: copies, collinearity, scales."""

from __future__ import annotations

import numpy as np

from gramian import _core
from gramian.config import core_context
from gramian.inspection._audit.audited import AuditedTable, Codes, Floats
from gramian.inspection._diagnosis.findings import About, Finding, conclude, counted, graded
from gramian.table import NumericColumn

_MOST_COLUMNS = 500  # of a correlation matrix
_HIGH, _VERY_HIGH = 200.0, 1e6  # variance inflation
_APART, _FAR_APART = 1e5, 1e8  # ratio of scales
_FEW_COPIES, _MANY_COPIES = 0.01, 0.1


def check_row_copies(audited: AuditedTable, about: About) -> Finding:
    """Are there rows that are there twice, though chance could not make them so?"""
    target = [] if audited.target is None else [_target_codes(audited)]
    stacked = np.column_stack([*audited.factors, *target]).astype(np.uint32)
    codes = np.empty(audited.n_rows, np.int32)
    first = np.asarray(_core.distinct_rows(stacked, codes=codes, ctx=core_context()))
    n_copies = audited.n_rows - len(first)
    fraction = n_copies / audited.n_rows
    # Rows of few levels meet by chance: log2 of the number of likely rows against that of pairs.
    if _bits(audited) < 2.0 * np.log2(audited.n_rows) + 6.0:
        return Finding.not_applicable(
            *about,
            f"{n_copies} of {audited.n_rows} rows equal another one, as rows of so few levels do.",
        )
    is_first = np.zeros(audited.n_rows, bool)
    is_first[first] = True
    return conclude(
        about,
        "copies",
        fraction,
        graded(fraction, _FEW_COPIES, _MANY_COPIES),
        f"{n_copies} of {audited.n_rows} rows equal an earlier one in every column. Copies in a "
        "training and a test part make every model look better than it is.",
        "Drop them, X = X.drop_duplicates(), or keep copies together: GroupKFold.",
        rows=tuple(np.flatnonzero(~is_first)[:20].tolist()),
    )


def _target_codes(audited: AuditedTable) -> Codes:
    assert audited.target is not None
    return np.asarray(np.unique(audited.target.values, return_inverse=True)[1], np.intp)


def _bits(audited: AuditedTable) -> float:
    """Return the entropy of all columns together, in bits, as if they were independent."""
    total = 0.0
    for codes in audited.factors:
        counts = np.unique(codes, return_counts=True)[1]
        p = counts / counts.sum()
        total -= float((p * np.log2(p)).sum())
    return total


def check_column_copies(audited: AuditedTable, about: About) -> Finding:
    """Do two columns say the same?"""
    first: dict[bytes, int] = {}
    copies: list[tuple[str, str]] = []
    for j, codes in enumerate(audited.factors):
        if audited.n_distinct[j] < 2:
            continue
        # Where (almost) all values differ, only their order can tell a copy from chance.
        has_few = 2 * int(audited.n_distinct[j]) <= audited.n_rows
        is_number = isinstance(audited.columns[j], NumericColumn)
        if not has_few and (not is_number or _is_sorted(codes)):
            continue
        key = (_in_order_of_appearance(codes) if has_few else codes).tobytes()
        if key in first:
            copies.append((audited.names[j], audited.names[first[key]]))
        else:
            first[key] = j
    said = "; ".join(f"{copy} is a copy of {name}" for copy, name in copies[:4])
    return conclude(
        about,
        "copies",
        float(len(copies)),
        "warning" if copies else "ok",
        f"{said}, in other values at most." if said else "No column is a copy of another.",
        f"X = X.drop(columns={[copy for copy, _ in copies][:6]!r}).",
        columns=[copy for copy, _ in copies],
    )


def _is_sorted(codes: Codes) -> bool:
    """Tell whether values rise or fall with the rows: then their order says nothing of a copy."""
    steps = np.diff(codes[codes >= 0])
    return bool((steps >= 0).all() or (steps <= 0).all())


def _in_order_of_appearance(codes: Codes) -> Codes:
    """Number levels by their first rows, so that columns that differ in names only are equal."""
    levels, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    place = np.empty(len(levels), np.intp)
    place[np.argsort(first, kind="stable")] = np.arange(len(levels))
    return place[inverse]


def check_collinearity(audited: AuditedTable, about: About) -> Finding:
    """Is a column a linear combination of others?"""
    chosen = _numbers(audited)
    if len(chosen) < 2 or audited.n_rows < 2 * len(chosen) or len(chosen) > _MOST_COLUMNS:
        return Finding.not_applicable(*about, "Too few rows, or columns, of numbers for it.")
    z = np.column_stack([_standardised(audited, j) for j in chosen])
    correlation = z.T @ z / len(z)
    inflation = _inflation(correlation)
    worst = float(inflation.max())
    concerned = np.argsort(-inflation, kind="stable")
    concerned = concerned[inflation[concerned] >= _HIGH]
    return conclude(
        about,
        "largest variance inflation",
        worst,
        graded(worst, _HIGH, _VERY_HIGH),
        f"{counted(len(concerned), 'column')} of which 99.5 % or more of the variance follows from "
        "the other columns: coefficients of linear models mean nothing there.",
        f"Leave one of them out, X = X.drop(columns=[{audited.names[chosen[concerned[0]]]!r}]), "
        "or use Ridge."
        if len(concerned)
        else "",
        columns=[audited.names[chosen[k]] for k in concerned],
    )


def _numbers(audited: AuditedTable) -> list[int]:
    """Return the columns of numbers that vary."""
    return [
        j
        for j, column in enumerate(audited.columns)
        if isinstance(column, NumericColumn) and audited.n_distinct[j] > 1
    ]


def _standardised(audited: AuditedTable, j: int) -> Floats:
    column = audited.columns[j]
    assert isinstance(column, NumericColumn)
    values = np.asarray(column.values, np.float64)
    values = np.where(np.isfinite(values), values, np.nan)
    values = values / (np.nanmax(np.abs(values)) or 1.0)
    centred = np.nan_to_num(values - np.nanmean(values))
    spread = float(np.sqrt(np.mean(centred**2)))
    return centred / spread if spread > 0.0 else centred


def _inflation(correlation: Floats) -> Floats:
    """Return the diagonal of the inverse; the smallest eigenvalues are bounded from below."""
    values, vectors = np.linalg.eigh(correlation)
    bounded = np.maximum(values, 1e-12 * float(values[-1]))
    return np.asarray((vectors**2 / bounded).sum(axis=1))


def check_scales(audited: AuditedTable, about: About) -> Finding:
    """Are columns of numbers on scales of like size?"""
    chosen = _numbers(audited)
    spreads = np.array([_spread(audited, j) for j in chosen])
    has_spread = spreads > 0.0
    if has_spread.sum() < 2:
        return Finding.not_applicable(*about, "Fewer than two columns of numbers.")
    names = [audited.names[j] for j, kept in zip(chosen, has_spread, strict=True) if kept]
    order = np.argsort(spreads[has_spread], kind="stable")
    ratio = float(spreads[has_spread].max() / spreads[has_spread].min())
    small, large = names[order[0]], names[order[-1]]
    return conclude(
        about,
        "largest over smallest spread",
        ratio,
        graded(ratio, _APART, _FAR_APART),
        f"{large} varies {ratio:.1g} times as much as {small}: distances, penalties and steps of "
        "descent see the one column only.",
        "make_pipeline(StandardScaler(), model) for linear models, SVMs, neighbours and networks; "
        "trees do not mind.",
        columns=(large, small),
    )


def _spread(audited: AuditedTable, j: int) -> float:
    column = audited.columns[j]
    assert isinstance(column, NumericColumn)
    values = np.asarray(column.values[np.isfinite(column.values)], np.float64)
    low, high = np.quantile(values, [0.05, 0.95])
    return float(high - low)
