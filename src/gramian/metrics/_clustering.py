"""How much two clusterings say about each other, by the information that they share."""

import math
import warnings
from typing import Any

import numpy as np

from gramian import _core
from gramian._label_codes import Ints
from gramian.config import core_context
from gramian.metrics._arguments import DENSE, OPTIONAL_ARRAY
from gramian.metrics._contingency import (
    Contingency,
    code_labels,
    entropy_of,
    read_clusterings,
)
from gramian.params import Arrays, Nothing, OneOf, Real, check_arguments
from gramian.validation import check_array

_EPS = float(np.finfo(np.float64).eps)
_AVERAGE = OneOf("min", "geometric", "arithmetic", "max")


def homogeneity_completeness_v_measure(
    labels_true: Any, labels_pred: Any, *, beta: float = 1.0
) -> tuple[float, float, float]:
    """Return homogeneity, completeness and their weighted harmonic mean.

    With the mutual information I and the entropies H, homogeneity is ``I / H(classes)``,
    completeness ``I / H(clusters)``, and the mean is ``(1 + beta) h c / (beta h + c)``.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.
    beta : float, default=1.0
        Above 1, completeness weighs more; below 1, homogeneity.

    Returns
    -------
    homogeneity : float
        1 if each cluster holds rows of one class only.
    completeness : float
        1 if each class lies in one cluster only.
    v_measure : float
        Their mean.

    Examples
    --------
    >>> from gramian.metrics import homogeneity_completeness_v_measure
    >>> h, c, v = homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])
    >>> round(h, 3), round(c, 3), round(v, 3)
    (1.0, 0.667, 0.8)
    """
    return _measures("homogeneity_completeness_v_measure", labels_true, labels_pred, beta)


def homogeneity_score(labels_true: Any, labels_pred: Any) -> float:
    """Return how far each cluster holds rows of one class only; 1 is best.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import homogeneity_score
    >>> round(homogeneity_score([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    1.0
    """
    return _measures("homogeneity_score", labels_true, labels_pred)[0]


def completeness_score(labels_true: Any, labels_pred: Any) -> float:
    """Return how far each class lies in one cluster only; 1 is best.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import completeness_score
    >>> round(completeness_score([0, 0, 1, 2], [0, 0, 1, 1]), 3)
    1.0
    """
    return _measures("completeness_score", labels_true, labels_pred)[1]


def v_measure_score(labels_true: Any, labels_pred: Any, *, beta: float = 1.0) -> float:
    """Return the weighted harmonic mean of homogeneity and completeness.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.
    beta : float, default=1.0
        Above 1, completeness weighs more; below 1, homogeneity.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import v_measure_score
    >>> round(v_measure_score([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.8
    """
    return _measures("v_measure_score", labels_true, labels_pred, beta)[2]


def mutual_info_score(labels_true: Any, labels_pred: Any, *, contingency: Any = None) -> float:
    """Return the mutual information of two clusterings, in nats.

    ``I = sum_ij n_ij / n log(n n_ij / (n_i n_j))`` with the counts of classes, clusters and both.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.
    contingency : array or sparse matrix of shape (n_classes, n_clusters), optional
        Their `contingency_matrix`; the labels are not looked at then, and may be None.

    Returns
    -------
    float
        Not negative.

    Examples
    --------
    >>> from gramian.metrics import mutual_info_score
    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.6931
    """
    check_arguments(
        "mutual_info_score",
        labels_true=(labels_true, OPTIONAL_ARRAY),
        labels_pred=(labels_pred, OPTIONAL_ARRAY),
        contingency=(contingency, Arrays() | Nothing()),
    )
    if contingency is None:
        cells = read_clusterings(labels_true, labels_pred)
    else:
        cells = _cells_of(contingency)
    if cells.n_samples == 0:
        raise ValueError("mutual_info_score needs at least one row; there is none.")
    return cells.mutual_information()


def adjusted_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic"
) -> float:
    """Return the mutual information, adjusted for chance: ``(I - E[I]) / (mean H - E[I])``.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.
    average_method : {"min", "geometric", "arithmetic", "max"}, default="arithmetic"
        The mean of both entropies.

    Returns
    -------
    float
        1 for equal clusterings, about 0 for random labels.

    Examples
    --------
    >>> from gramian.metrics import adjusted_mutual_info_score
    >>> round(adjusted_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.571
    """
    cells = _read("adjusted_mutual_info_score", labels_true, labels_pred, average_method)
    if cells.shape in ((0, 0), (1, 1)):
        return 1.0
    if 1 in cells.shape:
        return 0.0
    by_chance = _expected(cells.class_sizes, cells.cluster_sizes, cells.n_samples)
    highest = _mean_entropy(cells, average_method)
    # Equal clusterings can give 0 / 0, or rounding in its place.
    above, range_ = cells.mutual_information() - by_chance, highest - by_chance
    return _away_from_zero(above) / _away_from_zero(range_)


def normalized_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic"
) -> float:
    """Return the mutual information as a fraction of a mean of both entropies.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        The classes.
    labels_pred : array-like of shape (n_samples,)
        The clusters.
    average_method : {"min", "geometric", "arithmetic", "max"}, default="arithmetic"
        The mean of both entropies.

    Returns
    -------
    float
        Between 0 and 1, for equal clusterings. It is not adjusted for chance.

    Examples
    --------
    >>> from gramian.metrics import normalized_mutual_info_score
    >>> round(normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.8
    """
    cells = _read("normalized_mutual_info_score", labels_true, labels_pred, average_method)
    if cells.shape in ((0, 0), (1, 1)):
        return 1.0
    information = cells.mutual_information()
    return information / _mean_entropy(cells, average_method) if information else 0.0


def expected_mutual_information(contingency: Any, n_samples: int) -> float:
    """Return the mean mutual information of random clusterings with the same cluster sizes.

    Parameters
    ----------
    contingency : array or sparse matrix of shape (n_classes, n_clusters)
        A `contingency_matrix`; only its margins matter.
    n_samples : int
        Number of rows.

    Returns
    -------
    float
        In nats.

    Examples
    --------
    >>> from gramian.metrics.cluster import contingency_matrix, expected_mutual_information
    >>> counts = contingency_matrix([0, 0, 1, 1], [0, 0, 1, 2])
    >>> round(expected_mutual_information(counts, 4), 4)
    0.4621
    """
    classes, clusters = (np.ravel(contingency.sum(axis=axis)).astype(np.int64) for axis in (1, 0))
    largest = max(classes.max(initial=0), clusters.max(initial=0))
    if largest > n_samples:
        raise ValueError(f"A cluster has {largest} rows, but n_samples={n_samples}.")
    return _expected(classes, clusters, int(n_samples))


def entropy(labels: Any) -> float:
    """Return the entropy of a clustering, in nats: ``-sum_k n_k / n log(n_k / n)``.

    Deprecated, as in scikit-learn: ``scipy.stats.entropy`` of the cluster sizes is the same.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        The clusters.

    Returns
    -------
    float
        1 for no rows at all.

    Examples
    --------
    >>> import warnings
    >>> from gramian.metrics.cluster import entropy
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", FutureWarning)
    ...     round(entropy([0, 0, 1, 1]), 4)
    0.6931
    """
    warnings.warn(
        "Function entropy is deprecated, as in scikit-learn, and will be removed. Use "
        "scipy.stats.entropy(numpy.unique_counts(labels).counts).",
        FutureWarning,
        stacklevel=2,
    )
    coded = code_labels(np.ravel(np.asarray(labels)), "labels")
    return entropy_of(np.bincount(coded.codes, minlength=len(coded.levels)))


def _expected(class_sizes: Ints, cluster_sizes: Ints, n_samples: int) -> float:
    if 1 in (len(class_sizes), len(cluster_sizes)):
        return 0.0
    # Cells of clusters of equal sizes have equal terms.
    groups = (
        np.unique(sizes[sizes > 0], return_counts=True) for sizes in (class_sizes, cluster_sizes)
    )
    parts = (np.ascontiguousarray(part, dtype=np.int64) for group in groups for part in group)
    return _core.expected_mutual_information(*parts, n_samples=n_samples, ctx=core_context())


def _measures(
    function: str, labels_true: Any, labels_pred: Any, beta: float = 1.0
) -> tuple[float, float, float]:
    check_arguments(
        function,
        labels_true=(labels_true, DENSE),
        labels_pred=(labels_pred, DENSE),
        beta=(beta, Real(0.0)),
    )
    cells = read_clusterings(labels_true, labels_pred, stacklevel=4)
    if cells.n_samples == 0:
        return 1.0, 1.0, 1.0
    information = cells.mutual_information()
    of_classes, of_clusters = entropy_of(cells.class_sizes), entropy_of(cells.cluster_sizes)
    # Rosenberg and Hirschberg (2007): I / H(classes), I / H(clusters), and their harmonic mean V.
    homogeneity = information / of_classes if of_classes else 1.0
    completeness = information / of_clusters if of_clusters else 1.0
    if homogeneity + completeness == 0.0:
        return homogeneity, completeness, 0.0
    mean = (1 + beta) * homogeneity * completeness / (beta * homogeneity + completeness)
    return homogeneity, completeness, float(mean)


def _read(function: str, labels_true: Any, labels_pred: Any, average_method: str) -> Contingency:
    check_arguments(
        function,
        labels_true=(labels_true, DENSE),
        labels_pred=(labels_pred, DENSE),
        average_method=(average_method, _AVERAGE),
    )
    return read_clusterings(labels_true, labels_pred, stacklevel=4)


def _cells_of(contingency: Any) -> Contingency:
    checked = check_array(
        contingency,
        accept_sparse=("csr", "csc", "coo"),
        dtype=(np.int64, np.int32),
        input_name="contingency",
    )
    return Contingency.of_matrix(checked)


def _mean_entropy(cells: Contingency, method: str) -> float:
    of_classes, of_clusters = entropy_of(cells.class_sizes), entropy_of(cells.cluster_sizes)
    if method == "geometric":
        return math.sqrt(of_classes * of_clusters)
    if method == "arithmetic":
        return (of_classes + of_clusters) / 2.0
    return min(of_classes, of_clusters) if method == "min" else max(of_classes, of_clusters)


def _away_from_zero(value: float) -> float:
    """Return the value, or the smallest number of its sign that is not rounding."""
    return min(value, -_EPS) if value < 0 else max(value, _EPS)
