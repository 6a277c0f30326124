"""Intervals from refits on resampled rows: valid for penalised models too."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.base import clone
from gramian.diagnostics import column_names
from gramian.linear_model._sandwich import Groups
from gramian.linear_model._summary import penalty_text, target_names
from gramian.linear_model._summary_table import CoefficientSummary, Facts, interval_columns
from gramian.validation import check_random_state, check_sample_weight, training_matrix

Indices = NDArray[np.intp]

_MOST_DRAWS = 100


@dataclass(frozen=True)
class BootstrapSummary(CoefficientSummary):
    """How much the coefficients vary when rows are drawn anew.

    Has the attributes of `CoefficientSummary`: `std_err` and `covariance` are those of the
    replicates, `conf_int` holds their percentiles, and `statistic` and `pvalue` are NaN, since
    percentiles make no test.

    Attributes
    ----------
    replicates : ndarray of shape (n_bootstrap, n_parameters)
        Parameters of each refit.
    bias : ndarray of shape (n_parameters,)
        Mean of the replicates minus `coef`: the bias of drawing again, not that of a penalty.
    """

    replicates: Floats
    bias: Floats

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "parameter": list(self.names),
            "coef": self.coef.tolist(),
            "std err": self.std_err.tolist(),
            "bias": self.bias.tolist(),
            **interval_columns(self.conf_int, self.alpha),
        }

    def _title(self) -> str:
        return f"Bootstrap of {type(self.model).__name__}: {self.target}"

    def _facts(self) -> Facts:
        rows = ("Rows", f"{self.n_samples:.10g}")
        return [(rows, ("Replicates", str(len(self.replicates))))]


def bootstrap_summary(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    alpha: float = 0.05,
    groups: Any = None,
    n_bootstrap: int = 1000,
    random_state: Any = None,
) -> BootstrapSummary | tuple[BootstrapSummary, ...]:
    """Refit a linear model on rows drawn with replacement, and summarise its coefficients.

    Parameters
    ----------
    model : estimator
        Fitted linear model.
    X, y, sample_weight
        The data of ``fit``.
    alpha : float, default=0.05
        One minus the level of the intervals.
    groups : array-like of shape (n_samples,), default=None
        Clusters, which are then drawn whole.
    n_bootstrap : int, default=1000
        Number of refits.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.

    Returns
    -------
    summary : BootstrapSummary or tuple of BootstrapSummary
        One for each output of a regression with several.
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha={alpha} must lie strictly between 0 and 1.")
    if isinstance(n_bootstrap, bool) or int(n_bootstrap) != n_bootstrap or n_bootstrap < 2:
        raise ValueError(f"n_bootstrap={n_bootstrap!r} must be an integer of at least 2.")
    matrix = training_matrix(model, X, y, sample_weight)
    data = _Data(
        matrix,
        np.asarray(y),
        None if sample_weight is None else check_sample_weight(sample_weight, matrix),
        None if groups is None else Groups.of(groups, matrix.shape[0]),
    )
    generator = check_random_state(random_state)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        replicates = np.stack(
            [_refit(model, data, generator) for _ in range(int(n_bootstrap))], axis=1
        )
    notes = _notes(model, data, len(caught))
    names = _output_names(model, y)
    parts = tuple(
        _summary(model, data, names[t], theta, replicates[t], alpha, notes)
        for t, theta in enumerate(_parameters(model, model))
    )
    return parts[0] if len(parts) == 1 else parts


@dataclass(frozen=True)
class _Data:
    X: Any
    y: NDArray[Any]
    weight: Floats | None
    groups: Groups | None

    def draw(self, generator: Any) -> Indices:
        """Return rows, or the rows of clusters, drawn with replacement."""
        n = self.X.shape[0]
        if self.groups is None:
            rows: Indices = generator.choice(n, size=n)
            return rows
        order = np.argsort(self.groups.codes, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(self.groups.codes))[:-1])
        drawn = generator.choice(self.groups.n_groups, size=self.groups.n_groups)
        return np.concatenate([members[g] for g in drawn])


def _refit(model: Any, data: _Data, generator: Any) -> Floats:
    n_classes = len(getattr(model, "classes_", ()))
    for _ in range(_MOST_DRAWS):
        rows = data.draw(generator)
        if n_classes == 0 or len(np.unique(data.y[rows])) == n_classes:
            weight = None if data.weight is None else data.weight[rows]
            fitted = clone(model).fit(data.X[rows], data.y[rows], sample_weight=weight)
            return _parameters(fitted, model)
    raise ValueError(
        f"{_MOST_DRAWS} draws of rows in a row lacked one of the {n_classes} classes; a "
        "bootstrap needs more rows of the rarest class."
    )


def _parameters(fitted: Any, model: Any) -> Floats:
    """Return the parameters, one row for each output, the intercept first."""
    coef = np.atleast_2d(np.asarray(fitted.coef_, dtype=np.float64))
    if model.fit_intercept:
        coef = np.column_stack([np.broadcast_to(np.ravel(fitted.intercept_), len(coef)), coef])
    if getattr(model, "classes_", None) is not None:
        coef = coef.reshape(1, -1)
    return coef


def _summary(
    model: Any,
    data: _Data,
    target: str,
    theta: Floats,
    replicates: Floats,
    alpha: float,
    notes: tuple[str, ...],
) -> BootstrapSummary:
    names = ("const",) * bool(model.fit_intercept) + column_names(model)
    classes = getattr(model, "classes_", ())
    if len(theta) > len(names):
        names = tuple(f"{label}: {name}" for label in classes for name in names)
    covariance = np.cov(replicates, rowvar=False).reshape(len(theta), len(theta))
    limits = np.quantile(replicates, [alpha / 2.0, 1.0 - alpha / 2.0], axis=0).T
    return BootstrapSummary(
        target=target,
        names=names,
        coef=theta,
        std_err=np.sqrt(np.diag(covariance)),
        statistic=np.full_like(theta, np.nan),
        pvalue=np.full_like(theta, np.nan),
        conf_int=limits,
        covariance=covariance,
        alpha=alpha,
        cov_type="bootstrap",
        n_samples=data.X.shape[0],
        notes=notes,
        model=model,
        replicates=replicates,
        bias=replicates.mean(axis=0) - theta,
    )


def _output_names(model: Any, y: Any) -> tuple[str, ...]:
    is_matrix = np.ndim(y) == 2 and not hasattr(model, "classes_")
    return target_names(y, np.shape(y)[1] if is_matrix else 1)


def _notes(model: Any, data: _Data, n_warnings: int) -> tuple[str, ...]:
    unit = "rows" if data.groups is None else f"{data.groups.n_groups} clusters"
    notes = [f"Limits are percentiles of refits on {unit} drawn with replacement."]
    if penalty := penalty_text(model):
        notes.append(
            f"The fit is penalised ({penalty}): intervals show how much its coefficients vary, and "
            "are centred on shrunk values, not on the true ones."
        )
    encoding = getattr(model, "encoding_", None)
    if encoding is not None and not encoding.is_identity:
        notes.append("The encoding of the columns is taken as given in each refit.")
    if n_warnings:
        notes.append(f"The refits gave {n_warnings} warnings; see a single fit for their text.")
    return tuple(notes)
