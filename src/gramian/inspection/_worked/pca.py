"""The worked principal components, and the centring of a kernel matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.decomposition import PCA, KernelPCA
from gramian.inspection._worked.steps import Step, Worked
from gramian.inspection._worked.worked import register_worked
from gramian.metrics.pairwise import pairwise_kernels
from gramian.validation import check_predict, is_sparse

_SHOWN = 12  # rows of a matrix that fits on a page


@register_worked(PCA)
def work_pca(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the mean, the covariance, its eigenvectors and the coordinates."""
    rows = _dense(check_predict(model, X))
    n, mean = len(rows), rows.mean(axis=0)
    centred = rows - mean
    covariance = centred.T @ centred / (n - 1)
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = values[::-1].clip(0.0), vectors[:, ::-1]
    k = model.n_components_
    signs = np.sign((vectors[:, :k] * model.components_.T).sum(axis=0))
    V = vectors[:, :k] * np.where(signs < 0.0, -1.0, 1.0)
    asked = centred[:_SHOWN] if query is None else _queries(query, model) - mean
    Z = asked @ V
    if model.whiten:
        Z /= np.sqrt(values[:k])
    steps = [
        Step(
            "Centre the columns",
            r"\bar{x} = \frac{1}{m} \sum_i x_i",
            f"The mean of the {n} rows is taken off each.",
            {r"\bar{x}": mean, r"X_c": centred[:_SHOWN]},
        ),
        Step(
            "Covariance",
            r"C = \frac{1}{m - 1} X_c^\top X_c",
            "Its trace is the variance of all columns.",
            {"C": covariance, r"\operatorname{tr} C": float(np.trace(covariance))},
        ),
        Step(
            "Eigenvalues",
            r"C v_k = \lambda_k v_k",
            "Each eigenvalue is the variance along its component.",
            {r"\lambda": values, r"\lambda / \operatorname{tr} C": _ratios(values)},
        ),
        Step(
            "Components",
            "",
            f"Eigenvectors of the largest eigenvalues (k = {k}), as columns; the largest entry of "
            "each is positive.",
            {"V": V},
        ),
        Step(
            "Coordinates",
            r"z = V^\top (x - \bar{x})" + (r" / \sqrt{\lambda}" if model.whiten else ""),
            "Of the first rows." if query is None else "Of the queries.",
            {"Z": Z},
        ),
        _comparison(np.abs(V - model.components_.T).max(initial=0.0)),
    ]
    return Worked("Principal components", steps)


@register_worked(KernelPCA)
def work_kernel_pca(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the kernel matrix, its centring, its eigenvalues and the coordinates."""
    if query is not None:
        raise ValueError("worked: the components of a kernel are worked out for training rows.")
    rows = check_predict(model, X)
    K = _kernel(model, rows)
    n = len(K)
    centred = K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean()
    values, vectors = np.linalg.eigh(centred)
    k = len(model.eigenvalues_)
    values, vectors = values[::-1][:k].clip(0.0), vectors[:, ::-1][:, :k]
    signs = np.sign((vectors * model.eigenvectors_).sum(axis=0))
    vectors = vectors * np.where(signs < 0.0, -1.0, 1.0)
    page = slice(_SHOWN)
    steps = [
        Step("Kernel matrix", r"K_{ij} = k(x_i, x_j)", "", {"K": K[page, page]}),
        Step(
            "Take the mean off in feature space",
            r"K' = K - \frac{1}{m} 1 1^\top K - \frac{1}{m} K 1 1^\top"
            r" + \frac{1}{m^2} 1 1^\top K 1 1^\top",
            f"The sums run over the m = {n} rows; those of $K'$ are zero.",
            {r"\frac{1}{m} 1^\top K": K.mean(axis=0)[page], "K'": centred[page, page]},
        ),
        Step(
            "Eigenvalues",
            r"K' a_k = \lambda_k a_k",
            "",
            {r"\lambda": values, "a": vectors[page]},
        ),
        Step(
            "Coordinates",
            r"z_k = \sqrt{\lambda_k} \, a_k",
            "Of the training rows.",
            {"Z": (vectors * np.sqrt(values))[page]},
        ),
        _comparison(np.abs(values - model.eigenvalues_).max(initial=0.0) / max(values[0], 1e-300)),
    ]
    return Worked("Kernel principal components", steps)


def _kernel(model: Any, rows: Any) -> Floats:
    if model.kernel == "precomputed":
        return _dense(rows)
    params = {"gamma": model.gamma_, "degree": model.degree, "coef0": model.coef0}
    params = model.kernel_params or {} if callable(model.kernel) else params
    found: Floats = pairwise_kernels(rows, metric=model.kernel, filter_params=True, **params)
    return found.astype(np.float64)


def _dense(rows: Any) -> Floats:
    dense: Floats = (rows.toarray() if is_sparse(rows) else np.asarray(rows)).astype(np.float64)
    return dense


def _queries(query: Any, model: Any) -> Floats:
    if isinstance(query, (list, tuple, np.ndarray)) and np.ndim(query) == 1:
        query = np.reshape(query, (1, -1))
    return _dense(check_predict(model, query))


def _ratios(values: Floats) -> Floats:
    return values / max(float(values.sum()), 1e-300)


def _comparison(difference: float) -> Step:
    text = f"The largest difference from the fitted model is {float(difference):.1e}."
    return Step("The fitted model", "", text)
