"""t-SNE."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian import _core
from gramian._draws import random_state_of
from gramian._tags import tagged
from gramian.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    Tags,
    TransformerMixin,
)
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.decomposition import PCA
from gramian.manifold._affinities import (
    Affinities,
    affinities_of_neighbours,
    affinities_of_pairs,
    conditional,
)
from gramian.manifold._trustworthiness import METRICS
from gramian.manifold._tsne_descent import Descent, Phase
from gramian.neighbors import NearestNeighbors
from gramian.params import (
    Arrays,
    Boolean,
    Callables,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    RandomState,
    Real,
    param,
)
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict

__all__ = ["TSNE"]

_MOST_EXACT = 3000  # points for which all pairs cost less than a grid
_MOST_EXACT_IN_SPACE = 1500  # than a tree, in three components
_MOST_CERTIFIED = 50_000  # points for which all pairs are summed at the end
_SAMPLED = 2000  # of more
_AT_REST = 0.05  # of the attraction: a gradient that moves single points, not groups


class TSNE(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """t-SNE: a map of the rows in two or three components, on which near rows are near.

    Minimises the divergence ``KL = sum_ij p_ij log(p_ij / q_ij)`` of the probabilities
    ``q_ij ~ 1 / (1 + |y_i - y_j|²)`` of pairs of points from those of pairs of rows, by gradient
    descent with momentum. The latter are ``p_ij = (p_j|i + p_i|j) / 2 n`` of Gaussians of widths
    such that each row has `perplexity` effective neighbours.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates of the points.
    perplexity : float, default=30.0
        Effective number of neighbours of each row; less than the number of rows.
    early_exaggeration : float, default=12.0
        What the p are multiplied by in the first 250 steps, in which groups form.
    learning_rate : float or "auto", default="auto"
        Length of the steps; "auto" is ``n_samples / early_exaggeration / 4``, and 50 at least.
    max_iter : int, default=1000
        Most steps.
    n_iter_without_progress : int, default=300
        Stop after so many steps without a smaller divergence; it is looked at every 50 steps.
    min_grad_norm : float, default=1e-7
        Stop when the norm of the gradient is at most this.
    metric : str or callable, default="euclidean"
        How far apart two rows are: a metric of `gramian.neighbors.NearestNeighbors`, or
        "precomputed".
    metric_params : dict, default=None
        Further arguments of the metric.
    init : {"pca", "random"} or ndarray, default="pca"
        Where the points start: at the leading principal components, scaled to a deviation of 1e-4;
        at normal draws of that size; or where the array of shape (n_samples, n_components) says.
    verbose : int, default=0
        1 prints the stages, 2 the divergence every 50 steps.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws.
    method : {"auto", "exact", "barnes_hut", "fft"}, default="auto"
        What pushes points apart. "exact": all pairs, with p of all pairs, too. The others take p of
        the ``3 * perplexity`` nearest neighbours only: "barnes_hut" takes groups of far points as
        one, for up to three components; "fft" reads the forces from a grid, for up to two; and
        "auto" takes all pairs of few points, a grid in two components and a tree in three for more.
    angle : float, default=0.5
        With "barnes_hut", how large a group may be against its distance; 0 is exact.
    n_jobs : int, default=None
        Number of threads; None for what the settings say. The embedding is the same for any.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points, in single precision.
    kl_divergence_ : float
        Divergence at ``embedding_``.
    learning_rate_ : float
        Length of the steps that was used.
    n_iter_ : int
        Number of the last step, counted from 0.
    certificate_ : Certificate
        The divergence over all pairs (from a sample of points, with its error, beyond 50,000 of
        them), and the gradient relative to the attraction in it.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.manifold import TSNE, trustworthiness
    >>> X = load_iris().data
    >>> points = TSNE(random_state=0).fit_transform(X)
    >>> points.shape, trustworthiness(X, points) > 0.98
    ((150, 2), True)
    """

    _own_tags = tagged(scales_tables=True)

    n_components: int = param(2, Integer(1), positional=True)
    perplexity: float = param(30.0, Real(0.0, closed="neither"))
    early_exaggeration: float = param(12.0, Real(1.0))
    learning_rate: Any = param("auto", OneOf("auto") | Real(0.0, closed="neither"))
    max_iter: int = param(1000, Integer(250))
    n_iter_without_progress: int = param(300, Integer(-1))
    min_grad_norm: float = param(1e-7, Real(0.0))
    metric: Any = param("euclidean", OneOf(*METRICS) | Callables())
    metric_params: dict[str, Any] | None = param(None, Mappings() | Nothing())
    init: Any = param("pca", OneOf("pca", "random") | Arrays())
    verbose: int = param(0, Integer(0) | Boolean())
    random_state: Any = param(None, RandomState())
    method: str = param("auto", OneOf("auto", "exact", "barnes_hut", "fft"))
    angle: float = param(0.5, Real(0.0, 1.0, closed="both"))
    n_jobs: int | None = param(None, Integer() | Nothing())

    embedding_: NDArray[np.float32]
    certificate_: Certificate
    _search: NearestNeighbors

    _EXPLORATION_MAX_ITER: ClassVar[int] = 250
    _N_ITER_CHECK: ClassVar[int] = 50

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the points.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows; with ``metric="precomputed"`` their distances, where a sparse matrix
            stores those of neighbours only.
        y : None
            Not used.
        """
        ctx = core_context(self.n_jobs)
        rows = self._checked_rows(X)
        start = self._start(rows)
        affinities = self._affinities(rows, ctx)
        n = rows.shape[0]
        auto_rate = max(n / self.early_exaggeration / 4.0, 50.0)
        self.learning_rate_ = auto_rate if self.learning_rate == "auto" else self.learning_rate
        descent = Descent(
            affinities,
            start,
            self._native_method(n),
            self.angle,
            self.learning_rate_,
            self.min_grad_norm,
            self._N_ITER_CHECK,
            int(self.verbose),
            ctx,
        )
        self._descend(descent)
        self.n_iter_ = max(descent.n_done - 1, 0)
        self.certificate_ = _certify(affinities, descent)
        self.kl_divergence_ = self.certificate_.objective
        self.embedding_ = np.ascontiguousarray(descent.points[:, : self.n_components])
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find the points, and return them.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows, as for `fit`.
        y : None
            Not used.
        """
        return self.fit(X).embedding_

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Return points for rows, on the map as it is.

        A row that was among the training rows gets its point. Another is placed where its own
        divergence from the training points is least, whatever the other new rows are.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their distances to the training rows.
        """
        check_is_fitted(self)
        ctx = core_context(self.n_jobs)
        rows = X if self._is_graph(X) else check_predict(self, X)
        distance, index = self._search.kneighbors(rows)
        p, _ = conditional(distance, self.perplexity, ctx)
        placed = np.empty((len(index), max(self.n_components, 2)), np.float32)
        _core.tsne_place(
            self._planar(self.embedding_),
            index=np.ascontiguousarray(index),
            p=p,
            angle=self.angle,
            placed=placed,
            ctx=ctx,
        )
        points = np.ascontiguousarray(placed[:, : self.n_components])
        is_known = distance[:, 0] == 0.0
        points[is_known] = self.embedding_[index[is_known, 0]]
        return points

    # -- the rows ---------------------------------------------------------------------------------

    def _is_graph(self, X: Any) -> bool:
        is_precomputed = isinstance(self.metric, str) and self.metric == "precomputed"
        return is_precomputed and issparse(X)

    def _checked_rows(self, X: Any) -> Any:
        is_precomputed = isinstance(self.metric, str) and self.metric == "precomputed"
        rows = check_fit(self, X, min_samples=2).X
        n = rows.shape[0]
        if self.perplexity >= n:
            raise ValueError(f"perplexity ({self.perplexity}) must be less than n_samples ({n})")
        if is_precomputed:
            self._check_distances(rows)
        most = {"barnes_hut": 3, "fft": 2}.get(self.method, self.n_components)
        if self.n_components > most:
            raise ValueError(
                f"'n_components' should be inferior to {most + 1} for method={self.method!r}. "
                f"Got {self.n_components}; method='exact' takes any number."
            )
        return X if is_precomputed and issparse(X) else rows

    def _check_distances(self, rows: Any) -> None:
        if isinstance(self.init, str) and self.init == "pca":
            raise ValueError('The parameter init="pca" cannot be used with metric="precomputed".')
        if rows.shape[0] != rows.shape[1]:
            raise ValueError(
                f"X should be a square distance matrix. Got {rows.shape[0]} rows and "
                f"{rows.shape[1]} columns."
            )
        stored = rows.data if issparse(rows) else rows
        if stored.size and stored.min() < 0:
            raise ValueError(
                "Negative values in data passed to TSNE.fit(). With metric='precomputed', X "
                f"should contain positive distances. Got {stored.min()}."
            )
        if self.method == "exact" and issparse(rows):
            raise TypeError(
                'TSNE with method="exact" does not accept sparse precomputed distance matrix. Use '
                'method="barnes_hut" or provide the dense distance matrix.'
            )

    def _start(self, rows: Any) -> NDArray[np.float32]:
        """Return where the points start, with two coordinates at least."""
        shape = (rows.shape[0], self.n_components)
        if not isinstance(self.init, str):
            given = check_array(self.init, input_name="init")
            if given.shape != shape:
                raise ValueError(
                    f"init must have the shape (n_samples, n_components) = {shape}. Got "
                    f"{given.shape}."
                )
            return self._planar(given.astype(np.float32))
        source = random_state_of(self.random_state)
        if self.init == "random":
            return self._planar(1e-4 * source.standard_normal(size=shape).astype(np.float32))
        if self.n_components > min(rows.shape):
            raise ValueError(
                f"n_components={self.n_components} must be between 1 and "
                f"min(n_samples, n_features)={min(rows.shape)} with init='pca'; init='random' "
                "takes more."
            )
        pca = PCA(n_components=self.n_components, random_state=source)
        pca.set_output(transform="default")
        points = pca.fit_transform(rows).astype(np.float64)
        deviation = float(points[:, 0].std())
        return self._planar(points * (1e-4 / deviation if deviation > 0 else 0.0))

    def _planar(self, points: Any) -> NDArray[np.float32]:
        """Return points in single precision; one coordinate gets a second one, 0."""
        planar = np.zeros((len(points), max(self.n_components, 2)), np.float32)
        planar[:, : self.n_components] = points
        return planar

    def _affinities(self, rows: Any, ctx: Any) -> Affinities:
        n = rows.shape[0]
        n_neighbors = min(n - 1, int(3.0 * self.perplexity + 1))
        self._say(f"Computing {n_neighbors} nearest neighbors...")
        self._search = NearestNeighbors(
            n_neighbors=n_neighbors,
            metric=self.metric,
            metric_params=self.metric_params,
            n_jobs=self.n_jobs,
        )
        if self.method == "exact":
            params = self.metric_params or {}
            found = affinities_of_pairs(
                rows, self.metric, params, self.perplexity, self.n_jobs, ctx
            )
            self._search.fit(rows)
        else:
            self._search.fit(rows)
            distance, index = self._search.kneighbors()
            found = affinities_of_neighbours(distance, index, self.perplexity, ctx)
        self._say(f"Computed conditional probabilities for {n} samples")
        self._say(f"Mean sigma: {found.mean_sigma:f}")
        return found

    # -- the descent ------------------------------------------------------------------------------

    def _native_method(self, n: int) -> str:
        """Return what pushes points apart."""
        if self.method != "auto":
            return self.method
        if self.n_components > 3:
            return "exact"
        if self.n_components == 3:
            return "exact" if n <= _MOST_EXACT_IN_SPACE else "barnes_hut"
        return "exact" if n <= _MOST_EXACT else "fft"

    def _descend(self, descent: Descent) -> None:
        explored = self._EXPLORATION_MAX_ITER
        descent.run(Phase(min(explored, self.max_iter), 0.5, self.early_exaggeration, explored))
        self._say(
            f"KL divergence after {descent.n_done} iterations with early exaggeration: "
            f"{descent.divergence:f}"
        )
        descent.run(Phase(self.max_iter, 0.8, 1.0, self.n_iter_without_progress))
        self._say(f"KL divergence after {descent.n_done} iterations: {descent.divergence:f}")

    def _say(self, what: str) -> None:
        if self.verbose:
            print(f"[t-SNE] {what}")

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = True
        tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.preserves_dtype = ("float32",)
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


def _certify(affinities: Affinities, descent: Descent) -> Certificate:
    """Return the divergence at the points, and how far from rest they are."""
    n = len(descent.points)
    divergence, error = _core.tsne_divergence(
        *affinities.parts,
        points=descent.points,
        n_sampled=n if n <= _MOST_CERTIFIED else _SAMPLED,
        ctx=core_context(),
    )
    gradient, pull = descent.gradient_norm, descent.attraction_norm
    relative = gradient / pull if 0.0 < pull < np.inf else 0.0
    within = f" (standard error {error:.1e})" if error > 0.0 else ""
    how = f"in the time allowed, {descent.n_done}," if descent.is_timed_out else descent.n_done
    statement = (
        f"KL divergence {divergence:.6g}{within} after {how} steps; the gradient is {relative:.1e} "
        "of the attraction in it"
    )
    details: dict[str, float | int | str] = {
        "gradient_norm": gradient,
        "divergence_error": error,
        "method": descent.method,
    }
    is_at_rest = descent.is_settled or relative <= _AT_REST
    is_done = is_at_rest and not descent.is_timed_out
    return Certificate(divergence, relative, is_done, statement, descent.n_done, details=details)
