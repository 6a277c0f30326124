"""k-means on small batches of rows."""

import math
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.cluster._kmeans_base import CentresBase, mean_variance
from gramian.cluster._kmeans_start import dense_rows, nearest
from gramian.config import core_context
from gramian.params import Boolean, Integer, Nothing, Real, param
from gramian.validation import check_fit, check_sample_weight, is_sparse

__all__ = ["MiniBatchKMeans"]


class MiniBatchKMeans(CentresBase):
    """k-means by small batches of rows: each centre moves to the mean of all rows it was given.

    A step draws `batch_size` rows, labels them by their nearest centres, and takes them into the
    running means. The draws are those of scikit-learn for the same number.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "k-means||", "random"}, callable or array, default="k-means++"
        Where the centres start, among `init_size` rows: as in `KMeans`.
    max_iter : int, default=100
        Most passes over the data, counted in rows drawn.
    batch_size : int, default=1024
        Number of rows of a step.
    verbose : int, default=0
        Whether to print the inertia of each step.
    compute_labels : bool, default=True
        Whether to label all rows at the end.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws.
    tol : float, default=0.0
        Stop when the sum of the centres' squared moves is at most this part of the columns' mean
        variance; 0 for no such stop.
    max_no_improvement : int or None, default=10
        Stop when so many steps did not lower the smoothed inertia of the batches.
    init_size : int or None, default=None
        Number of rows to start among; None for three batches, or three times the clusters.
    n_init : int or "auto", default="auto"
        How many starts to compare on a sample; the best one is used. "auto" is 3 for "random" and
        functions, and 1 otherwise.
    reassignment_ratio : float, default=0.01
        Centres that were given less than this part of the rows of the largest one move to random
        rows now and then.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres; for a data frame in the columns of ``encoding_``.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each training row, if ``compute_labels``.
    inertia_ : float
        Weighted sum of squared distances of the rows to their centres; without labels an estimate
        from the batches.
    n_iter_ : int
        Number of passes over the data.
    n_steps_ : int
        Number of batches.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    References
    ----------
    Sculley, D. (2010). Web-scale k-means clustering. WWW, 1177-1178.

    Examples
    --------
    >>> from gramian.cluster import MiniBatchKMeans
    >>> X = [[1.0, 2.0], [1.0, 4.0], [10.0, 2.0], [10.0, 4.0]]
    >>> model = MiniBatchKMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.round().tolist())
    [[1.0, 3.0], [10.0, 3.0]]
    """

    _n_random_starts: ClassVar[int] = 3
    _signature = (
        "n_clusters, *, init, max_iter, batch_size, verbose, compute_labels, random_state, tol, "
        "max_no_improvement, init_size, n_init, reassignment_ratio"
    )

    max_iter: int = param(100, Integer(1))
    tol: float = param(0.0, Real(0.0))
    batch_size: int = param(1024, Integer(1))
    compute_labels: bool = param(True, Boolean())
    max_no_improvement: int | None = param(10, Integer(0) | Nothing())
    init_size: int | None = param(None, Integer(1) | Nothing())
    reassignment_ratio: float = param(0.01, Real(0.0))

    n_steps_: int
    _counts: Floats
    _n_since_reassign: int
    _random_state: np.random.RandomState

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the centres.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows: how probable each is to be drawn.
        """
        data = check_fit(self, X, None, sample_weight, accept_sparse=("csr",))
        rows, weight = self._checked_rows(data), data.sample_weight
        rng = random_state_of(self.random_state)
        n, batch = rows.shape[0], min(self.batch_size, rows.shape[0])
        tol = self.tol * mean_variance(rows, weight) if self.tol > 0.0 else 0.0
        vars(self).pop("_random_state", None)  # of an earlier partial_fit
        self.cluster_centers_ = self._best_start(rows, weight, rng, self._n_initial_rows(n))
        self._forget()
        mass = np.ones(n) if weight is None else weight
        shares = np.cumsum(mass / mass.sum())
        shares /= shares[-1]
        watch = _Watch(batch, min(2.0 * batch / (n + 1), 1.0), tol, self.max_no_improvement)
        n_steps = self.max_iter * n // batch
        for step in range(n_steps):
            # rng.choice(n, batch, p=mass / mass.sum()), whose sums are taken once
            drawn = shares.searchsorted(rng.random_sample(batch), side="right")
            inertia, moved = self._step(rows[drawn], None, rng, batch)
            if self.verbose:
                print(f"Minibatch step {step + 1}/{n_steps}: mean batch inertia: {inertia / batch}")
            reason = watch.reason_to_stop(inertia, moved)
            if reason:
                if self.verbose:
                    print(f"Converged ({reason}) at step {step + 1}/{n_steps}")
                break
        self.n_steps_ = step + 1
        self.n_iter_ = math.ceil(self.n_steps_ * batch / n)
        if self.compute_labels:
            self._label(rows, weight)
        else:
            self.inertia_ = watch.smoothed * float(mass.sum())
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take a batch of rows into the means; the first one also gives the start.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        is_first = "cluster_centers_" not in vars(self)
        if is_first:
            data = check_fit(self, X, None, sample_weight, accept_sparse=("csr",))
            rows, weight = self._checked_rows(data), data.sample_weight
            rng = self._random_state = random_state_of(self.random_state)
            size = self._n_initial_rows(rows.shape[0])
            self.cluster_centers_ = self._first_centres(rows, weight, rng, size)
            self._forget()
            self.n_steps_ = 0
        else:
            rows = self._in_dtype(self._rows(X))
            rows = rows if is_sparse(rows) else np.ascontiguousarray(rows)
            weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
        if "_random_state" not in vars(self):  # after fit
            self._random_state = random_state_of(self.random_state)
        batch = min(self.batch_size, rows.shape[0])
        self._step(rows, weight, self._random_state, batch)
        if self.compute_labels:
            self._label(rows, weight)
        self.n_steps_ += 1
        return self

    # -- starts -----------------------------------------------------------------------------------

    def _n_initial_rows(self, n: int) -> int:
        size = self.init_size
        if size is not None and size < self.n_clusters:
            warnings.warn(
                f"init_size={size} should be larger than n_clusters={self.n_clusters}. Setting it "
                "to min(3*n_clusters, n_samples)",
                RuntimeWarning,
                stacklevel=3,
            )
            size = 3 * self.n_clusters
        if size is None:
            size = 3 * min(self.batch_size, n)
            size = 3 * self.n_clusters if size < self.n_clusters else size
        return min(size, n)

    def _first_centres(
        self, rows: Any, weight: Floats | None, rng: np.random.RandomState, size: int
    ) -> NDArray[Any]:
        if size < rows.shape[0]:
            some = rng.randint(0, rows.shape[0], size)
            rows, weight = rows[some], None if weight is None else weight[some]
        return self._start(rows, weight, rng)

    def _best_start(
        self, rows: Any, weight: Floats | None, rng: np.random.RandomState, size: int
    ) -> NDArray[Any]:
        """Return the centres that are best on a sample of rows."""
        sample = rng.randint(0, rows.shape[0], size)
        judged, mass = rows[sample], None if weight is None else weight[sample]
        best: tuple[float, NDArray[Any]] | None = None
        self._n_init = self._n_starts()
        for number in range(self._n_init):
            centres = self._first_centres(rows, weight, rng, size)
            squared = nearest(judged, centres)[1]
            inertia = row_sum(squared if mass is None else squared * mass)
            if self.verbose:
                print(f"Inertia for init {number + 1}: {inertia}")
            if best is None or inertia < best[0]:
                best = inertia, centres
        assert best is not None
        return best[1]

    # -- steps ------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._counts = np.zeros(self.n_clusters)
        self._n_since_reassign = 0

    def _step(
        self, rows: Any, weight: Floats | None, rng: np.random.RandomState, batch: int
    ) -> tuple[float, float]:
        """Take a batch into the means; return its inertia before, and the squared moves."""
        old = self.cluster_centers_
        labels, squared = nearest(rows, old)
        sums, masses = np.empty(old.shape), np.empty(len(old))
        shift = np.zeros(old.shape[1])
        _core.cluster_sums(
            rows, weight, labels, shift=shift, sums=sums, weights=masses, ctx=core_context()
        )
        reassigns = self._reassigns(batch)
        totals = self._counts + masses
        is_given = masses > 0.0
        means = (old * self._counts[:, None] + sums)[is_given] / totals[is_given, None]
        new = old.copy()
        new[is_given] = means
        self._counts, self.cluster_centers_ = totals, new
        if reassigns and self.reassignment_ratio > 0.0:
            self._reassign(rows, rng)
        inertia = row_sum(squared if weight is None else squared * weight)
        return inertia, float(((self.cluster_centers_ - old) ** 2).sum())

    def _reassigns(self, batch: int) -> bool:
        """Tell whether small clusters are looked at: if one is empty, or after many rows."""
        self._n_since_reassign += batch
        if not (self._counts == 0.0).any() and self._n_since_reassign < 10 * self.n_clusters:
            return False
        self._n_since_reassign = 0
        return True

    def _reassign(self, rows: Any, rng: np.random.RandomState) -> None:
        """Move centres that were given few rows to random ones of the batch."""
        counts, n = self._counts, rows.shape[0]
        is_small = counts < self.reassignment_ratio * counts.max()
        if is_small.sum() > 0.5 * n:  # at most so many rows of a batch become centres
            is_small[np.argsort(counts)[int(0.5 * n) :]] = False
        n_small = int(is_small.sum())
        if n_small == 0:
            return
        chosen = rng.choice(n, replace=False, size=n_small)
        if self.verbose:
            print(f"[MiniBatchKMeans] Reassigning {n_small} cluster centers.")
        self.cluster_centers_[is_small] = dense_rows(rows, chosen)
        counts[is_small] = counts[~is_small].min()  # or they would move again at once

    def _label(self, rows: Any, weight: Floats | None) -> None:
        self.labels_, squared = nearest(rows, self.cluster_centers_)
        self.inertia_ = row_sum(squared if weight is None else squared * weight)


@dataclass
class _Watch:
    """When to stop: the centres rest, or the smoothed inertia of the batches no longer falls."""

    batch: int
    alpha: float
    tol: float
    patience: int | None
    smoothed: float = math.nan
    least: float = math.inf
    n_seen: int = 0
    n_idle: int = 0

    def reason_to_stop(self, inertia: float, moved: float) -> str:
        """Return why to stop after a batch, or ""; the first one has the inertia of the start."""
        mean = inertia / self.batch
        self.n_seen += 1
        if self.n_seen == 1:
            return ""
        is_second = math.isnan(self.smoothed)
        self.smoothed = mean if is_second else self.smoothed + self.alpha * (mean - self.smoothed)
        if self.tol > 0.0 and moved <= self.tol:
            return "small centers change"
        self.n_idle = 0 if self.smoothed < self.least else self.n_idle + 1
        self.least = min(self.least, self.smoothed)
        is_idle = self.patience is not None and self.n_idle >= self.patience
        return "lack of improvement in inertia" if is_idle else ""
