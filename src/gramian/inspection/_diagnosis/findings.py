"""Findings about a model's hypotheses, and how they are shown."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

Verdict = Literal["ok", "warning", "problem", "not applicable"]

_MARKS: dict[Verdict, str] = {"ok": "✓", "warning": "!", "problem": "✗", "not applicable": "-"}
_COLOURS: dict[Verdict, str] = {
    "ok": "#2a7d3f",
    "warning": "#b26a00",
    "problem": "#b3261e",
    "not applicable": "#777777",
}
_MAX_LISTED = 6
_WIDTH = 88
# A departure is reported if it is beyond chance and large enough to matter. At this level 14 of
# 1,500 sound simulated data sets raised any alarm.
SIGNIFICANCE = 0.001


@dataclass(frozen=True)
class Finding:
    """One hypothesis of a model, checked on data.

    Attributes
    ----------
    code : str
        Stable name of the check, such as ``"multicollinearity"``.
    hypothesis : str
        What the model assumes.
    statistic_name : str
        Name of the measure the verdict rests on.
    statistic : float or None
        Its value; None if the check does not apply.
    pvalue : float or None
        p-value, where the measure has one.
    verdict : {"ok", "warning", "problem", "not applicable"}
        The judgement.
    explanation : str
        What was seen, and how much it matters.
    remedy : str
        What to do about it; empty if nothing need be done.
    columns : tuple of str
        Columns concerned.
    rows : tuple of int
        Rows concerned.
    """

    code: str
    hypothesis: str
    statistic_name: str
    statistic: float | None
    pvalue: float | None
    verdict: Verdict
    explanation: str
    remedy: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()

    @classmethod
    def not_applicable(cls, code: str, hypothesis: str, reason: str) -> Finding:
        """Return the finding of a check that does not apply, with the reason."""
        return cls(code, hypothesis, "", None, None, "not applicable", reason)

    @property
    def measure(self) -> str:
        """The statistic and its p-value as short text."""
        if self.statistic is None:
            return ""
        text = f"{self.statistic_name} = {self.statistic:.4g}"
        return text if self.pvalue is None else f"{text}, p = {self.pvalue:.2g}"

    @property
    def where(self) -> str:
        """The columns or rows concerned as short text."""
        if self.columns:
            return _listed(self.columns)
        if self.rows:
            return ("rows " if len(self.rows) > 1 else "row ") + _listed(self.rows)
        return ""


class Diagnosis(Sequence[Finding]):
    """Findings about one model on one data set; a sequence that prints as a table.

    Parameters
    ----------
    title : str
        What was diagnosed.
    findings : sequence of Finding
        The findings, in the order to show them.

    Examples
    --------
    >>> from gramian.inspection import Diagnosis, Finding
    >>> finding = Finding("scale", "Columns have like scales", "ratio", 3.0, None, "ok", "Alike.")
    >>> diagnosis = Diagnosis("Model on 5 rows", [finding])
    >>> print(diagnosis)
    Model on 5 rows: no problem found
      ✓ scale  ok  ratio = 3
    >>> diagnosis["scale"].verdict, diagnosis.ok
    ('ok', True)
    """

    def __init__(self, title: str, findings: Sequence[Finding]) -> None:
        self.title = title
        self.findings = tuple(findings)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Diagnosis: ...
    @overload
    def __getitem__(self, index: str) -> Finding: ...
    def __getitem__(self, index: int | slice | str) -> Finding | Diagnosis:
        """Return a finding by position or by code, or a shorter diagnosis for a slice."""
        if isinstance(index, slice):
            return Diagnosis(self.title, self.findings[index])
        if isinstance(index, int):
            return self.findings[index]
        for finding in self.findings:
            if finding.code == index:
                return finding
        codes = ", ".join(finding.code for finding in self.findings)
        raise KeyError(f"no finding has the code {index!r}; there are {codes}")

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def ok(self) -> bool:
        """Whether there is neither a warning nor a problem."""
        return not self.alarms

    @property
    def alarms(self) -> tuple[Finding, ...]:
        """The findings that are warnings or problems, problems first."""
        found = [f for f in self.findings if f.verdict in ("problem", "warning")]
        return tuple(sorted(found, key=lambda f: f.verdict != "problem"))

    def to_dict(self) -> dict[str, Any]:
        """Return title and findings as plain dicts and lists, ready for JSON."""
        plain = [asdict(finding) for finding in self.findings]
        for entry in plain:
            entry["columns"], entry["rows"] = list(entry["columns"]), list(entry["rows"])
        return {"title": self.title, "findings": plain}

    def frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return one row per finding as a data frame of the named library."""
        import narwhals as nw

        fields = ["code", "hypothesis", "statistic_name", "statistic", "pvalue", "verdict"]
        fields += ["explanation", "remedy", "where"]
        columns = {name: [getattr(finding, name) for finding in self] for name in fields}
        return nw.from_dict(columns, backend=backend).to_native()

    def __repr__(self) -> str:
        return f"<Diagnosis: {self.title}: {self.summary}>"

    def __str__(self) -> str:
        """Return the table of findings, then an explanation of each alarm."""
        code_width = max((len(f.code) for f in self), default=0)
        verdict_width = max((len(f.verdict) for f in self), default=0)
        lines = [f"{self.title}: {self.summary}"]
        for f in self:
            head = f"  {_MARKS[f.verdict]} {f.code:<{code_width}}  {f.verdict:<{verdict_width}}"
            seen = f.explanation if f.verdict == "not applicable" else f.measure
            lines.append("  ".join([head, *filter(None, [seen, f.where])]).rstrip())
        for f in self.alarms:
            lines += ["", f"{f.verdict.capitalize()}, {f.code}. Hypothesis: {f.hypothesis}."]
            lines += _wrapped(f.explanation, "  ")
            if f.remedy:
                lines += _wrapped(f.remedy, "  → ")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(_html_row(finding) for finding in self)
        head = "".join(
            f"<th style='text-align:left'>{name}</th>"
            for name in ["", "hypothesis", "measure", "finding", "remedy"]
        )
        return (
            f"<div><b>{html.escape(self.title)}</b>: {self.summary}"
            f"<table style='text-align:left'><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
        )

    @property
    def summary(self) -> str:
        """How many problems and warnings there are, in words."""
        parts = []
        for verdict in ("problem", "warning"):
            number = sum(finding.verdict == verdict for finding in self)
            if number:
                parts.append(counted(number, verdict))
        return ", ".join(parts) or "no problem found"


About = tuple[str, str]
"""Code and hypothesis of a check."""


def conclude(
    about: About,
    statistic_name: str,
    statistic: float,
    verdict: Verdict,
    explanation: str,
    remedy: str = "",
    *,
    columns: Sequence[str] = (),
    rows: Sequence[int] = (),
    pvalue: float | None = None,
) -> Finding:
    """Return the finding of a check; what to do, and where, only if the verdict asks for it."""
    if verdict == "ok":
        remedy, columns, rows = "", (), ()
    return Finding(
        *about,
        statistic_name,
        statistic,
        pvalue,
        verdict,
        explanation,
        remedy,
        tuple(columns),
        tuple(rows),
    )


def graded(value: float, warning: float, problem: float) -> Verdict:
    """Return the verdict on a measure that is a warning, or a problem, from some value on."""
    if value < warning:
        return "ok"
    return "problem" if value >= problem else "warning"


def beyond_chance(pvalue: float, effect: float, warning: float, problem: float) -> Verdict:
    """Return the verdict on an effect that counts only if chance does not explain it."""
    return graded(effect, warning, problem) if pvalue < SIGNIFICANCE else "ok"


def lost_score(better: NDArray[np.float64], worse: NDArray[np.float64]) -> tuple[float, Verdict]:
    """Return by how much the first of two scores on the same folds is better, and the verdict.

    A difference of less than two standard errors, or of a hundredth, is no loss.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.inspection._diagnosis.findings import lost_score
    >>> lost, verdict = lost_score(np.array([0.9, 0.91]), np.array([0.8, 0.8]))
    >>> round(lost, 3), verdict
    (0.105, 'problem')
    """
    differences = better - worse
    lost = float(differences.mean())
    error = float(differences.std(ddof=1) / np.sqrt(len(differences)))
    if not lost > max(2.0 * error, 0.01):
        return lost, "ok"
    return lost, "problem" if lost > 0.05 else "warning"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(items: Sequence[Any]) -> str:
    shown = ", ".join(str(item) for item in items[:_MAX_LISTED])
    more = len(items) - _MAX_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def _wrapped(text: str, prefix: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=prefix, subsequent_indent=" " * len(prefix))


def _html_row(finding: Finding) -> str:
    mark = f"{_MARKS[finding.verdict]} {finding.verdict}"
    style = f"color:{_COLOURS[finding.verdict]};white-space:nowrap"
    seen = f"{finding.explanation} ({finding.where})" if finding.where else finding.explanation
    cells = [finding.hypothesis, finding.measure, seen, finding.remedy]
    body = "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in cells)
    return f"<tr><td style='{style}'>{mark}</td>{body}</tr>"
