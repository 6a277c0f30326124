"""Worked calculations of models on basis functions, that is of a pipeline of maps and a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked, worked
from gramian.pipeline import Pipeline

_MAX_ROWS = 10_000


@register_worked(Pipeline)
def work_pipeline(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Map the data through the first steps, then work out the last one on what they give."""
    before, last = model[:-1], model[-1]
    if len(model.steps) == 1:
        return worked(last, X, y, query)
    mapped = before.transform(X)
    names = [str(name) for name in before.get_feature_names_out()]
    if query is not None and np.ndim(query) == 1:
        query = np.reshape(query, (1, -1))
    inner = worked(last, mapped, y, None if query is None else before.transform(query))
    return Worked(inner.title, [_basis_step(mapped, names, last), *inner])


def _basis_step(mapped: Any, names: list[str], last: Any) -> Step:
    values = mapped.toarray() if hasattr(mapped, "toarray") else np.asarray(mapped)
    first = values[:_MAX_ROWS]
    return Step(
        "Basis functions",
        r"f(x) = w_0 + \sum_j w_j \phi_j(x)",
        f"The {type(last).__name__} is linear in the weights, not in the inputs: its columns are "
        f"the $M = {values.shape[1]}$ functions of the earlier steps.",
        table=StepTable(
            ["row", *(escape_text(name) for name in names)],
            [[i, *row] for i, row in enumerate(first)],
        ),
    )
