"""Inference for logistic regression with more than two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gramian._typing import Floats
from gramian.diagnostics import Design, column_names
from gramian.linear_model._sandwich import score_product

if TYPE_CHECKING:
    from gramian.linear_model._likelihood_summary import Sample


def multinomial_evidence(sample: Sample, cov_type: str) -> dict[str, Any]:
    """Return the fields of `Evidence` of a softmax model, relative to its first class.

    Parameters
    ----------
    sample : Sample
        Training data.
    cov_type : {"nonrobust", "HC0", "HC1", "cluster"}
        Covariance of the estimates.
    """
    from scipy.special import xlogy

    model, weight = sample.model, sample.weight
    design = Design(sample.X, sample_weight=weight, fit_intercept=bool(model.fit_intercept))
    theta = _relative_parameters(model)
    mu = _probabilities(sample, theta)
    indicator = np.eye(mu.shape[1])[sample.y.astype(np.intp)]
    errors = (indicator - mu)[:, 1:]
    information = _information(design, mu[:, 1:])
    bread = np.asarray(np.linalg.inv(information), dtype=np.float64)
    score = np.sum([block.sum(axis=0) for _, block in _scores(design, errors, weight)], axis=0)
    rank = design.rank * errors.shape[1]
    fraction = weight @ indicator / sample.n_samples
    loglik = float(weight @ xlogy(indicator, mu).sum(axis=1))
    loglik_null = float(sample.n_samples * xlogy(fraction, fraction).sum())
    return {
        "design": design,
        "names": _names(model),
        "theta": theta.ravel(),
        "covariance": _covariance(sample, design, errors, bread, cov_type),
        "distance": float(np.sqrt(score @ bread @ score)),
        "rank": rank,
        "deviance": -2.0 * loglik,
        "null_deviance": -2.0 * loglik_null,
        "pearson_chi2": float(weight @ (np.square(indicator - mu) / np.maximum(mu, 1e-300)).sum(1)),
        "scale": 1.0,
        "loglik": loglik,
        "loglik_null": loglik_null,
    }


def _relative_parameters(model: Any) -> Floats:
    """Return one row of parameters for each class but the first, from which all are measured."""
    coef = np.asarray(model.coef_, dtype=np.float64)
    if model.fit_intercept:
        coef = np.column_stack([np.ravel(model.intercept_), coef])
    relative: Floats = coef[1:] - coef[0]
    return relative


def _probabilities(sample: Sample, theta: Floats) -> Floats:
    from scipy.special import softmax

    start = int(bool(sample.model.fit_intercept))
    eta = np.zeros((sample.X.shape[0], len(theta) + 1))
    eta[:, 1:] = sample.X @ theta[:, start:].T
    if start:
        eta[:, 1:] += theta[:, 0]
    probabilities: Floats = softmax(eta, axis=1)
    return probabilities


def _information(design: Design, mu: Floats) -> Floats:
    """Return sum_i (diag(mu_i) - mu_i mu_i') (x) q_i q_i' in coordinates of the design's basis."""
    k, r = mu.shape[1], design.rank
    total = np.zeros((k, r, k, r))
    for rows, part in design.basis():
        for a in range(k):
            for b in range(a, k):
                factor = mu[rows, a] * ((a == b) - mu[rows, b])
                block = part.T @ (factor[:, None] * part)
                total[a, :, b, :] += block
                if a != b:
                    total[b, :, a, :] += block
    return total.reshape(k * r, k * r)


def _scores(design: Design, errors: Floats, weight: Floats) -> Any:
    """Yield the scores of blocks of rows; the design's basis holds the root of the weights."""
    root = np.sqrt(weight)
    for rows, part in design.basis():
        block = (errors[rows] * root[rows, None])[:, :, None] * part[:, None, :]
        yield rows, block.reshape(len(part), -1)


def _covariance(
    sample: Sample, design: Design, errors: Floats, bread: Floats, cov_type: str
) -> Floats:
    to_parameters = np.kron(np.eye(errors.shape[1]), design.parameter_map) @ bread
    if cov_type == "nonrobust":
        meat = np.linalg.inv(bread)
    else:
        n, rank = sample.n_samples, design.rank * errors.shape[1]
        weight = sample.weight if cov_type == "cluster" else np.ones_like(sample.weight)
        meat = score_product(_scores(design, errors, weight), sample.groups, n, rank)
        meat = meat * (n / (n - rank) if cov_type == "HC1" else 1.0)
    covariance: Floats = to_parameters @ meat @ to_parameters.T
    return covariance


def _names(model: Any) -> tuple[str, ...]:
    columns = ("const",) * bool(model.fit_intercept) + column_names(model)
    return tuple(f"{name}: {column}" for name in model.classes_[1:] for column in columns)
