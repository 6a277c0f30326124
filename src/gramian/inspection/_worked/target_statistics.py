"""The worked calculation of ordered target statistics: each row by the rows before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import indexable, take_rows
from gramian._typing import Floats
from gramian.base import clone
from gramian.inspection._worked.queries import as_rows
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.preprocessing import OrderedTargetEncoder
from gramian.validation import check_is_fitted, check_random_state, n_samples_of

Ints = NDArray[np.intp]
_MAX_COLUMNS = 3  # output columns that are shown
_MAX_EARLIER = 6  # earlier rows that are listed
_FORMULA = r"s_i = \frac{\sum_k y_k + a p}{n_i + a}"


@dataclass(frozen=True)
class _Column:
    """One column of categories and one target: what each row sees of the rows before it."""

    name: str
    categories: NDArray[Any]
    codes: Ints
    target: Floats
    prior: float
    strength: float
    fitted: Floats

    def value(self, total: float, count: int) -> float:
        """Return the statistic of a sum over so many rows."""
        weight = count + self.strength
        return (total + self.strength * self.prior) / weight if weight > 0 else self.prior

    def level(self, code: int) -> str:
        """Return the name of a level."""
        return escape_text(str(self.categories[code]))

    def rows_step(self, order: Ints, is_of_fit: bool) -> Step:
        """Return the table of the rows, in the order in which they see each other."""
        earlier: list[list[int]] = [[] for _ in self.categories]
        table: list[list[Any]] = []
        for place, row in enumerate(order.tolist(), start=1):
            before = earlier[self.codes[row]]
            total = float(self.target[before].sum())
            shown = ", ".join(map(str, before[-_MAX_EARLIER:]))
            listed = shown if len(before) <= _MAX_EARLIER else f"…, {shown}"
            table.append(
                [
                    place,
                    row,
                    self.level(self.codes[row]),
                    float(self.target[row]),
                    listed or "none",
                    total,
                    len(before),
                    self.value(total, len(before)),
                ]
            )
            before.append(row)
        headers = ["place", "row", "level", "$y_i$", "earlier rows"]
        headers += [r"$\sum_k y_k$", "$n_i$", "$s_i$"]
        text = "Each row sees the rows of its level that come before it, and never its own target."
        if not is_of_fit:
            text += (
                " Without a number as random_state the order of the fit is not known; this is the "
                "order of the table."
            )
        values = {"p": self.prior, "a": self.strength}
        return Step(f"The rows of {self.name}", _FORMULA, text, values, StepTable(headers, table))

    def levels_step(self) -> Step:
        """Return the statistics of all rows of each level, which new rows are given."""
        table, found = [], []
        for code in range(len(self.categories)):
            inside = self.codes == code
            total, count = float(self.target[inside].sum()), int(inside.sum())
            found.append(self.value(total, count))
            table.append([self.level(code), total, count, found[-1], float(self.fitted[code])])
        agrees = np.allclose(found, self.fitted, rtol=1e-9, atol=1e-12)
        text = "The targets of new rows are in no sum: they are given those of all rows. "
        text += "The model has the same." if agrees else "The model has others: it saw other rows."
        headers = ["level", r"$\sum_k y_k$", "$n$", "$s$", "model"]
        formula = r"s = \frac{\sum_k y_k + a p}{n + a}"
        return Step(f"The levels of {self.name}", formula, text, {}, StepTable(headers, table))


@register_worked(OrderedTargetEncoder)
def work_ordered_statistics(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the statistic of each row and of each level."""
    check_is_fitted(model)
    columns = list(_columns(model, indexable(X), y))
    n_rows = len(columns[0].codes)
    is_of_fit = isinstance(model.random_state, (int, np.integer))
    order = np.arange(n_rows)
    if is_of_fit:
        order = check_random_state(model.random_state).permutation(n_rows)
    steps = [_prior_step(model, columns[0])]
    for column in columns[:_MAX_COLUMNS]:
        steps += [column.rows_step(order, is_of_fit), column.levels_step()]
    if query is not None:
        asked = as_rows(query)
        for i in range(n_samples_of(asked)):
            values = np.asarray(model.transform(take_rows(asked, np.array([i]))), np.float64)[0]
            text = "Each column of the row is given the statistic of its level, or the prior."
            steps.append(Step("A new row", "", text, {"s": values}))
    return Worked("Ordered target statistics", steps)


def _columns(model: Any, X: Any, y: Any) -> Iterator[_Column]:
    """Yield the output columns of the encoder."""
    fresh = clone(model)
    codes, target = fresh._fit_all(X, y)
    names = [escape_text(str(name)) for name in fresh.get_feature_names_out()]
    priors = np.atleast_1d(fresh._value_of_unknown())
    for j, column in enumerate(codes):
        for c in range(target.shape[1]):
            place = j * target.shape[1] + c
            yield _Column(
                names[place],
                fresh.categories_[j],
                column,
                target[:, c],
                float(priors[c]),
                float(model.smooth),
                np.asarray(model.encodings_[place]),
            )


def _prior_step(model: Any, column: _Column) -> Step:
    text = f"A level without earlier rows has the prior p, which counts for a = {model.smooth:g} "
    text += "row." if model.smooth == 1.0 else "rows."
    if model.target_type_ != "continuous":
        text += " The target says whether a row is of the class."
    formula = r"p = \frac{1}{n} \sum_i y_i" if model.prior is None else ""
    return Step("The prior", formula, text, {"p": column.prior})
