"""The worked calculation of naive Bayes: priors, likelihoods, their product, the posterior."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._rows import indexable, take_rows
from gramian._typing import Floats
from gramian.diagnostics import column_names
from gramian.inspection._worked.queries import as_rows
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.naive_bayes import CategoricalNB, GaussianNB
from gramian.validation import check_is_fitted, check_predict

_PRIOR = r"P(k) = \frac{N_k}{N}"
_FREQUENCY = r"P(v \mid k) = \frac{N_{kv} + \alpha}{N_k + \alpha V}"
_DENSITY = r"p(x \mid k) = \frac{1}{\sqrt{2 \pi \sigma_k^2}} e^{-(x - \mu_k)^2 / (2 \sigma_k^2)}"
_POSTERIOR = r"P(k \mid x) = \frac{P(k) P(x \mid k)}{\sum_l P(l) P(x \mid l)}"


@dataclass(frozen=True)
class _Ratio:
    """A probability, with its fraction where it is one of counts."""

    value: float
    above: float | None = None
    below: float | None = None

    @property
    def is_fraction(self) -> bool:
        parts = (self.above, self.below)
        return all(part is not None and float(part).is_integer() for part in parts)

    def __str__(self) -> str:
        if not self.is_fraction:
            return f"{self.value:.5g}"
        return f"{self.above:.0f}/{self.below:.0f} = {self.value:.5g}"


@register_worked(CategoricalNB)
def work_categorical(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the class of some rows, by default of the first, from counts."""
    check_is_fitted(model)
    rows = _queries(X, query)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a row of a list has no names
        codes = model._coded(rows)
    priors = _priors(np.exp(model.class_log_prior_), model.class_count_)
    steps = [_prior_step(model, priors)]
    for row in codes:
        terms = [_frequencies(model, j, int(code)) for j, code in enumerate(row)]
        shown = [
            [escape_text(f"{_name(model, j)} = {_level(model, j, int(row[j]))}"), *map(str, found)]
            for j, found in enumerate(terms)
            if found
        ]
        steps += _row_steps(model, _FREQUENCY, shown, priors, [found for found in terms if found])
    return Worked("Naive Bayes by counting", steps)


@register_worked(GaussianNB)
def work_gaussian(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the class of some rows, by default of the first, from normal densities."""
    check_is_fitted(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        rows = check_predict(model, _queries(X, query), accept_sparse=False)
    priors = _priors(model.class_prior_, model.class_count_)
    steps = [_prior_step(model, priors), *map(_moments_step(model), range(len(model.classes_)))]
    for row in rows:
        apart = (row - model.theta_) ** 2 / (2.0 * model.var_)
        density = np.exp(-apart) / np.sqrt(2.0 * np.pi * model.var_)
        terms = [[_Ratio(float(p)) for p in column] for column in density.T]
        shown = [
            [f"{escape_text(_name(model, j))} = {row[j]:.5g}", *map(str, found)]
            for j, found in enumerate(terms)
        ]
        steps += _row_steps(model, _DENSITY, shown, priors, terms)
    return Worked("Naive Bayes with normal columns", steps)


def _queries(X: Any, query: Any) -> Any:
    return take_rows(indexable(X), [0]) if query is None else as_rows(query)


def _name(model: Any, j: int) -> str:
    return column_names(model)[j]


def _level(model: Any, j: int, code: int) -> str:
    return str(code) if model.categories_ is None else model.categories_[j][code]


def _priors(values: Floats, count: Floats) -> list[_Ratio]:
    total = float(count.sum())
    is_share = np.allclose(values, count / total)
    return [
        _Ratio(float(p), float(n) if is_share else None, total if is_share else None)
        for p, n in zip(values, count, strict=True)
    ]


def _frequencies(model: Any, j: int, code: int) -> list[_Ratio]:
    """Return the smoothed frequency of a level in each class; none if its factor is left out."""
    if code < 0:
        return []
    smoothed = model.category_count_[j] + model.alpha
    return [
        _Ratio(float(above / below) if below > 0 else 0.0, float(above), float(below))
        for above, below in zip(smoothed[:, code], smoothed.sum(axis=1), strict=True)
    ]


def _heads(model: Any) -> list[str]:
    return [escape_text(str(name)) for name in model.classes_]


def _prior_step(model: Any, priors: list[_Ratio]) -> Step:
    table = StepTable(["", *_heads(model)], [["$P(k)$", *map(str, priors)]])
    return Step("Priors", _PRIOR, "", {"P(k)": np.array([p.value for p in priors])}, table)


def _moments_step(model: Any) -> Any:
    def step(k: int) -> Step:
        rows = [
            [escape_text(_name(model, j)), float(model.theta_[k, j]), float(model.var_[k, j])]
            for j in range(model.theta_.shape[1])
        ]
        table = StepTable(["column", r"$\mu_k$", r"$\sigma_k^2$"], rows)
        return Step(f"Means and variances of class {_heads(model)[k]}", table=table)

    return step


def _row_steps(
    model: Any,
    formula: str,
    shown: list[list[str]],
    priors: list[_Ratio],
    terms: list[list[_Ratio]],
) -> list[Step]:
    """Return the likelihoods of one row, their products with the priors, and the posterior."""
    likelihoods = Step("Likelihoods", formula, table=StepTable(["", *_heads(model)], shown))
    products = []
    for k, prior in enumerate(priors):
        factors = [prior, *(found[k] for found in terms)]
        value = float(np.prod([factor.value for factor in factors]))
        fractions = all(factor.is_fraction for factor in factors)
        above = math.prod(f.above or 0.0 for f in factors) if fractions else None
        below = math.prod(f.below or 0.0 for f in factors) if fractions else None
        products.append(_Ratio(value, above, below))
    joint = np.array([product.value for product in products])
    product = Step(
        "Priors times likelihoods",
        r"P(k) \prod_j P(x_j \mid k)",
        values={"P(k, x)": joint},
        table=StepTable(["", *_heads(model)], [["$P(k, x)$", *map(str, products)]]),
    )
    best = int(joint.argmax())
    text = f"By the law of total probability. The answer is {_heads(model)[best]}."
    posterior = joint / joint.sum() if joint.sum() > 0 else np.array([p.value for p in priors])
    return [likelihoods, product, Step("Posterior", _POSTERIOR, text, {r"P(k \mid x)": posterior})]
