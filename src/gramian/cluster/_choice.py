"""How many clusters: a table of criteria, a verdict with its uncertainty, and a picture."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._class_moments import ClassMoments
from gramian._draws import random_state_of
from gramian._typing import Floats
from gramian.base import clone
from gramian.cluster._kmeans import KMeans
from gramian.metrics import adjusted_rand_score, silhouette_samples
from gramian.params import Integer, Nothing, OneOf, RandomState, check_arguments
from gramian.validation import check_array

__all__ = ["ClusterChoice", "choose_k"]

_RESAMPLES = 20
_PART = 0.8  # of the rows, of which a resample for stability is made
_SUPPORT = 0.1  # part of the resamples that a number must win to be plausible
_ERRORS = 2.0  # standard errors within which two numbers are not told apart

_WHAT = {
    "silhouette": "mean silhouette",
    "gap": "gap",
    "elbow": "scatter within",
    "stability": "mean agreement",
}


@dataclass(frozen=True)
class ClusterChoice:
    """A criterion for several numbers of clusters.

    Attributes
    ----------
    method : str
        Which criterion: "silhouette", "gap", "elbow" or "stability".
    ks : ndarray of shape (n_candidates,)
        The numbers.
    criterion : ndarray of shape (n_candidates,)
        The criterion of each.
    error : ndarray of shape (n_candidates,)
        Its standard error: of the mean over rows (silhouette), over references (gap), and of
        resamples (elbow, stability).
    plausible : ndarray of shape (n_candidates,)
        Whether a number cannot be told from the best one.
    best : int
        The number that the method chooses.
    model : estimator
        The model with so many clusters, fitted to all rows.
    """

    method: str
    ks: NDArray[np.int64]
    criterion: Floats
    error: Floats
    plausible: NDArray[np.bool_]
    best: int
    model: Any

    def __str__(self) -> str:
        lines = [f"{'clusters':>8}  {_WHAT[self.method]:>15}  {'standard error':>14}"]
        for k, value, error, is_plausible in zip(
            self.ks, self.criterion, self.error, self.plausible, strict=True
        ):
            mark = "  <" if k == self.best else "  ~" if is_plausible else ""
            lines.append(f"{k:>8}  {value:>15.4g}  {error:>14.2g}{mark}")
        return "\n".join([*lines, self.verdict()])

    def verdict(self) -> str:
        """Return the choice in a sentence, with the numbers that are as good."""
        others = [str(k) for k in self.ks[self.plausible] if k != self.best]
        if not others:
            return f"{self.best} clusters, clearly, by the {self.method} criterion"
        return (
            f"{self.best} clusters by the {self.method} criterion, which does not tell them from "
            f"{', '.join(others)}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the criterion against the number of clusters, with two standard errors.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default on new axes.

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = plt.subplots(layout="constrained")[1] if ax is None else ax
        ax.errorbar(self.ks, self.criterion, _ERRORS * self.error, marker="o", capsize=3)
        is_other = self.plausible & (self.ks != self.best)
        if is_other.any():
            style = {"marker": "o", "linestyle": "", "color": "C1", "zorder": 3}
            ax.plot(self.ks[is_other], self.criterion[is_other], label="as plausible", **style)
        ax.axvline(self.best, color="gray", linestyle=":", label=f"{self.best} clusters")
        ax.set(xlabel="number of clusters", ylabel=_WHAT[self.method], xticks=self.ks)
        ax.legend()
        return ax


def choose_k(
    X: Any,
    estimator: Any = None,
    ks: Iterable[int] = range(2, 11),
    *,
    method: str = "silhouette",
    n_resamples: int | None = None,
    random_state: Any = 0,
) -> ClusterChoice:
    """Cluster with several numbers of clusters, and choose one.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Rows; "gap" and "elbow" take dense ones.
    estimator : clusterer, optional
        A model with a parameter `n_clusters`; ten starts of `KMeans` by default. A hierarchical one
        is fitted once and cut.
    ks : iterable of int, default=range(2, 11)
        The numbers to try.
    method : {"silhouette", "gap", "elbow", "stability"}, default="silhouette"
        "silhouette": the largest mean silhouette. "gap": the smallest number whose gap, between the
        logarithms of the scatter within clusters of evenly drawn rows and of these, is within a
        standard error of that of the next one (Tibshirani et al. 2001). "elbow": where the curve of
        the scatter within clusters is farthest below its chord. "stability": the number for which
        clusterings of two parts of the rows agree best, by the adjusted Rand index on the rows that
        they share.
    n_resamples : int, default=None
        How many even references, bootstrap samples or pairs of parts to draw, 20 by default.
        Silhouettes need none.
    random_state : int, RandomState, Generator or None, default=0
        Draws them.

    Returns
    -------
    ClusterChoice

    Examples
    --------
    >>> from gramian.cluster import choose_k
    >>> from gramian.datasets import make_blobs
    >>> X, _ = make_blobs(150, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> choice = choose_k(X, ks=range(2, 6))
    >>> print(choice.verdict())
    3 clusters, clearly, by the silhouette criterion
    """
    check_arguments(
        "choose_k",
        method=(method, OneOf(*_WHAT)),
        n_resamples=(n_resamples, Integer(2) | Nothing()),
        random_state=(random_state, RandomState()),
    )
    if method == "silhouette" and n_resamples is not None:
        raise ValueError("method='silhouette' draws no resamples: n_resamples must be None.")
    template = KMeans(n_init=10, random_state=0) if estimator is None else estimator
    if not hasattr(template, "fit_predict") or "n_clusters" not in template.get_params():
        raise ValueError(
            "estimator must be a clusterer with a parameter n_clusters. Got "
            f"{type(template).__name__}."
        )
    takes_sparse = "csr" if method in ("silhouette", "stability") else False
    rows = check_array(X, accept_sparse=takes_sparse, dtype=np.float64, input_name="X")
    numbers = _numbers(ks, rows.shape[0], 1 if method in ("gap", "elbow") else 2)
    rng, n = random_state_of(random_state), n_resamples or _RESAMPLES
    judge = {"gap": _by_gap, "elbow": _by_elbow, "stability": _by_stability}
    if method == "silhouette":
        criterion, error, plausible, best = _by_silhouette(rows, template, numbers)
    else:
        criterion, error, plausible, best = judge[method](rows, template, numbers, n, rng)
    model = _with_clusters(template, int(numbers[best])).fit(rows)
    plausible[best] = True
    return ClusterChoice(method, numbers, criterion, error, plausible, int(numbers[best]), model)


Judged = tuple[Floats, Floats, NDArray[np.bool_], int]
"""Criterion, standard error and plausibility of each number, and the place of the best one."""


def _numbers(ks: Iterable[int], n_rows: int, least: int) -> NDArray[np.int64]:
    given = list(ks)
    most = n_rows - 1
    if not given or not all(Integer(least, most, closed="both").accepts(k) for k in given):
        raise ValueError(
            f"ks must be numbers of clusters from {least} to {most}, one fewer than the rows. Got "
            f"{given}."
        )
    return np.unique(np.array(given, dtype=np.int64))


def _with_clusters(template: Any, k: int) -> Any:
    return clone(template).set_params(n_clusters=k)


def _labels(rows: Any, template: Any, numbers: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the labels of clusterings with each number of clusters, counted from zero."""
    if hasattr(template, "cut"):
        model = clone(template).set_params(n_clusters=int(numbers[0]))
        if "compute_full_tree" in model.get_params():
            model.set_params(compute_full_tree=True)
        cut = model.fit(rows).cut
        found = [cut(k=int(k)) for k in numbers]
    else:
        found = [_with_clusters(template, int(k)).fit_predict(rows) for k in numbers]
    return [np.unique(labels, return_inverse=True)[1].astype(np.int64) for labels in found]


def _scatter(rows: Floats, labels: NDArray[np.int64]) -> float:
    """Return the sum of the squared distances of the rows from the means of their clusters."""
    moments = ClassMoments.of(rows, labels, None, int(labels.max()) + 1)
    return float((moments.weight[:, None] * moments.variance).sum())


def _scatters(rows: Floats, template: Any, numbers: NDArray[np.int64]) -> Floats:
    return np.array([_scatter(rows, labels) for labels in _labels(rows, template, numbers)])


def _standard_error(values: Floats, axis: int = 0) -> Floats:
    n = values.shape[axis]
    error: Floats = np.std(values, axis=axis, ddof=1) / np.sqrt(n)
    return error


def _by_silhouette(rows: Any, template: Any, numbers: NDArray[np.int64]) -> Judged:
    """The largest mean; differences from it are judged row by row, which are the same rows."""
    of_rows = np.empty((len(numbers), rows.shape[0]))
    for i, labels in enumerate(_labels(rows, template, numbers)):
        if labels.max() == 0:
            raise ValueError(
                f"{type(template).__name__} found one cluster where {numbers[i]} were asked for, "
                "of which there are no silhouettes."
            )
        of_rows[i] = silhouette_samples(rows, labels)
    criterion = of_rows.mean(axis=1)
    best = int(criterion.argmax())
    behind = of_rows[best] - of_rows
    plausible = behind.mean(axis=1) <= _ERRORS * _standard_error(behind, axis=1)
    return criterion, _standard_error(of_rows, axis=1), plausible, best


def _by_gap(
    rows: Floats, template: Any, numbers: NDArray[np.int64], n: int, rng: np.random.RandomState
) -> Judged:
    """The smallest number from which the next one does not gain more than its error."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    logarithms = np.array(
        [
            _log(_scatters(rng.uniform(low, high, size=rows.shape), template, numbers))
            for _ in range(n)
        ]
    )
    criterion = logarithms.mean(axis=0) - _log(_scatters(rows, template, numbers))
    error = np.std(logarithms, axis=0) * np.sqrt(1.0 + 1.0 / n)
    is_enough = criterion[:-1] >= criterion[1:] - error[1:]
    best = int(is_enough.argmax()) if is_enough.any() else int(criterion.argmax())
    plausible = criterion >= criterion[best] - error[best]
    return criterion, error, plausible, best


def _log(scatters: Floats) -> Floats:
    tiny = np.finfo(np.float64).tiny
    logarithms: Floats = np.log(np.maximum(scatters, tiny))
    return logarithms


def _by_elbow(
    rows: Floats, template: Any, numbers: NDArray[np.int64], n: int, rng: np.random.RandomState
) -> Judged:
    """The elbow of the curve; plausible are those of enough bootstrap samples."""
    if len(numbers) < 3:
        raise ValueError(f"An elbow needs three numbers of clusters; ks has {len(numbers)}.")
    total = _scatter(rows, np.zeros(len(rows), dtype=np.int64))
    if total == 0.0:
        raise ValueError("All rows of X are the same: there are no clusters to choose from.")
    criterion = _scatters(rows, template, numbers) / total
    drawn, votes = np.empty((n, len(numbers))), np.zeros(len(numbers))
    for b in range(n):
        sample = rows[rng.randint(0, len(rows), len(rows))]
        of_all = _scatter(sample, np.zeros(len(sample), dtype=np.int64))
        drawn[b] = _scatters(sample, template, numbers) / (of_all or 1.0)
        votes[_elbow(numbers, drawn[b])] += 1.0
    error = np.std(drawn, axis=0, ddof=1)
    return criterion, error, votes >= _SUPPORT * n, _elbow(numbers, criterion)


def _elbow(numbers: NDArray[np.int64], curve: Floats) -> int:
    """Return the place where a falling curve is farthest below the line between its ends."""
    along = (numbers - numbers[0]) / (numbers[-1] - numbers[0])
    fall = curve[0] - curve[-1]
    if fall <= 0.0:
        return 0
    return int(((curve[0] - curve) / fall - along).argmax())


def _by_stability(
    rows: Any, template: Any, numbers: NDArray[np.int64], n: int, rng: np.random.RandomState
) -> Judged:
    """The largest agreement of clusterings of two parts of the rows."""
    n_rows = rows.shape[0]
    size = max(int(_PART * n_rows), int(numbers[-1]) + 1)
    agreement = np.empty((n, len(numbers)))
    for b in range(n):
        parts = [np.sort(rng.permutation(n_rows)[:size]) for _ in range(2)]
        first, second = (np.isin(one, two) for one, two in (parts, parts[::-1]))
        labels = [_labels(rows[part], template, numbers) for part in parts]
        agreement[b] = [
            adjusted_rand_score(one[first], two[second]) for one, two in zip(*labels, strict=True)
        ]
    criterion = agreement.mean(axis=0)
    best = int(criterion.argmax())
    behind = agreement[:, [best]] - agreement
    plausible = behind.mean(axis=0) <= _ERRORS * _standard_error(behind)
    return criterion, _standard_error(agreement), plausible, best
