"""Multidimensional scaling."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._magnitude import require_squares
from gramian._rows import row_slices
from gramian._typing import Floats
from gramian.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    Tags,
    TransformerMixin,
)
from gramian.certificate import Certificate
from gramian.exceptions import ConvergenceWarning, shared
from gramian.manifold._classical_mds import ClassicalMDS
from gramian.manifold._dissimilarities import dissimilarities_of
from gramian.manifold._smacof import Majorisation, Scaled
from gramian.manifold._stress_placement import Disparity, place
from gramian.manifold._trustworthiness import METRICS
from gramian.metrics.pairwise import pairwise_distances
from gramian.params import (
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
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["MDS"]

_BYTES_PER_PAIR, _BYTES_PER_RANKED_PAIR = 8, 56
_SLICES = 16  # of new rows at once


class MDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Multidimensional scaling: points whose distances are near given dissimilarities.

    Minimises the stress ``sum_{i<j} (|x_i - x_j| - d_ij)^2`` over the points. Each step minimises a
    quadratic function that is nowhere below the stress and touches it at the present points
    (SMACOF), so that the stress never rises. Without a metric, ``d_ij`` are in every step those
    numbers in the order of the dissimilarities that are nearest to the present distances.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates.
    metric_mds : bool, default=True
        Whether distances should be near the dissimilarities, or only in their order. In the order a
        dissimilarity of 0 has no place: its ``d_ij`` is 0.
    n_init : int, default=1
        Number of drawn starts, of which the one that ends with the least stress is taken.
    init : {"random", "classical_mds"}, default="random"
        Where the points start: drawn, or as `ClassicalMDS` places them. As in scikit-learn, the
        default warns that it will be "classical_mds", which usually ends lower, and sooner.
    max_iter : int, default=300
        Most steps from a start.
    verbose : int, default=0
        1 prints when steps end early, 2 also the stress after each.
    eps : float, default=1e-6
        Steps end when one lowers the stress by less than this part of the sum of the squared
        distances.
    n_jobs : int, default=None
        Number of threads; None for what the settings say. The points are the same for any.
    random_state : int, RandomState, Generator or None, default=None
        Source of the starts.
    dissimilarity : {"euclidean", "precomputed"}, default="deprecated"
        Deprecated name of `metric`.
    metric : str or callable, default="euclidean"
        How far apart two rows are: a metric of `gramian.metrics.pairwise_distances`, or
        "precomputed". A truth value is a deprecated `metric_mds`.
    metric_params : dict, default=None
        Further arguments of the metric.
    normalized_stress : bool or "auto", default="auto"
        Whether `stress_` is Kruskal's Stress-1, ``sqrt(stress / sum_{i<j} |x_i - x_j|^2)``, which
        does not depend on units; "auto" takes it for ``metric_mds=False``.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The points.
    stress_ : float
        Their stress.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
        The dissimilarities.
    n_iter_ : int
        Number of steps from the best start.
    certificate_ : Certificate
        The stress, and the norm of its gradient as a part of what its terms come to.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_digits
    >>> from gramian.manifold import MDS
    >>> X = load_digits().data[:100]
    >>> MDS(init="classical_mds").fit_transform(X).shape
    (100, 2)
    """

    n_components: int = param(2, Integer(1), positional=True)
    metric_mds: bool = param(True, Boolean())
    n_init: int = param(1, Integer(1))
    init: str = param("warn", OneOf("random", "classical_mds", "warn"))
    max_iter: int = param(300, Integer(1))
    verbose: int = param(0, Integer(0) | Boolean())
    eps: float = param(1e-6, Real(0.0))
    n_jobs: int | None = param(None, Integer() | Nothing())
    random_state: Any = param(None, RandomState())
    dissimilarity: str = param("deprecated", OneOf("euclidean", "precomputed", "deprecated"))
    metric: Any = param("euclidean", OneOf(*METRICS) | Callables() | Boolean())
    metric_params: dict[str, Any] | None = param(None, Mappings() | Nothing())
    normalized_stress: bool | str = param("auto", Boolean() | OneOf("auto"))

    embedding_: Floats
    dissimilarity_matrix_: NDArray[Any]
    _disparity: Disparity

    def fit(self, X: Any, y: Any = None, init: Any = None) -> Self:
        """Find the points.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their dissimilarities.
        y : None
            Not used.
        init : array-like of shape (n_samples, n_components), default=None
            Where the points start, instead of what the parameter `init` says.
        """
        rows = check_fit(self, X, min_samples=2, accept_sparse=False).X
        start, metric, is_metric = self._named()
        is_given = isinstance(metric, str) and metric == "precomputed"
        if rows.shape[0] == rows.shape[1] and not is_given:
            warnings.warn(
                "The provided input is a square matrix. Note that ``fit`` constructs a "
                "dissimilarity matrix from data and will treat rows as samples and columns as "
                "features. To use a pre-computed dissimilarity matrix, set "
                "``metric='precomputed'``.",
                stacklevel=3,
            )
        self._metric, self._rows = metric, None if is_given else rows.copy()
        if not is_given:
            require_squares(self, rows)
        n_bytes = _BYTES_PER_PAIR if is_metric else _BYTES_PER_RANKED_PAIR
        self.dissimilarity_matrix_ = dissimilarities_of(
            rows, metric, self.metric_params, "MDS", n_bytes, self.n_jobs
        )
        if init is None and start == "classical_mds":
            scaling = ClassicalMDS(self.n_components, metric="precomputed")
            init = scaling.fit_transform(self.dissimilarity_matrix_)
        self._set_points(self._majorisation(is_metric), init)
        self._disparity = (
            Disparity.identity()
            if is_metric
            else Disparity.of_order(self.dissimilarity_matrix_, self.embedding_)
        )
        return self

    def fit_transform(  # type: ignore[override]
        self, X: Any, y: Any = None, init: Any = None
    ) -> Any:
        """Find the points, and return them.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows, as for `fit`.
        y : None
            Not used.
        init : array-like of shape (n_samples, n_components), default=None
            Where the points start, as for `fit`.
        """
        return self.fit(X, init=init).embedding_

    def transform(self, X: Any) -> Floats:
        """Return points for rows, on the map as it is.

        A row that was among the training rows gets its point. Another is placed where its own
        stress is least, whatever the other new rows are; without a metric, the distances asked for
        are those of the training rows by the order of the dissimilarities.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their dissimilarities to the training rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        placed = np.empty((rows.shape[0], self.embedding_.shape[1]))
        for part in row_slices(len(placed), max(len(self.embedding_) // _SLICES, 1)):
            apart = rows[part]
            if self._rows is not None:
                params = self.metric_params or {}
                apart = pairwise_distances(rows[part], self._rows, metric=self._metric, **params)
            apart = np.asarray(apart, np.float64)
            placed[part] = place(self.embedding_, apart, self._disparity(apart))
        return placed

    def _named(self) -> tuple[str, Any, bool]:
        """Return the start, the metric and `metric_mds` by whichever name they were given."""
        start, metric, is_metric = self.init, self.metric, self.metric_mds
        if start == "warn":
            start = "random"
            self._warn_of_future(
                "The default value of `init` will change from 'random' to 'classical_mds' in 1.10 "
                "of scikit-learn, and here. To suppress this warning, provide some value of `init`."
            )
        if isinstance(metric, (bool, np.bool_)):
            is_metric, metric = bool(metric), "euclidean"
            self._warn_of_future(
                f"Use metric_mds={is_metric} instead of metric={is_metric}. The support for "
                "metric={True/False} will be dropped in 1.10 of scikit-learn, and here."
            )
        if self.dissimilarity != "deprecated":
            if not (isinstance(metric, str) and metric == "euclidean"):
                raise ValueError(
                    "You provided both `dissimilarity` and `metric`. Please use only `metric`."
                )
            metric = self.dissimilarity
            self._warn_of_future(
                "The `dissimilarity` parameter is deprecated and will be removed in 1.10 of "
                "scikit-learn, and here. Use `metric` instead."
            )
        return start, metric, is_metric

    def _warn_of_future(self, what: str) -> None:
        warnings.warn(what, FutureWarning, stacklevel=5)

    def _majorisation(self, is_metric: bool) -> Majorisation:
        return Majorisation(
            is_metric,
            self.n_components,
            self.n_init,
            self.max_iter,
            self.eps,
            int(self.verbose),
            self.n_jobs,
            self.normalized_stress,
        )

    def _set_points(self, majorisation: Majorisation, init: Any) -> None:
        found = majorisation.run(self.dissimilarity_matrix_, init, self.random_state)
        self.embedding_, self.stress_, self.n_iter_ = found.points, found.stress, found.n_iter
        self.certificate_ = self._certify(found)
        if not found.is_settled and not found.is_timed_out:
            warnings.warn(
                f"After max_iter={self.max_iter} steps the stress still falls by more than "
                f"eps={self.eps:g} of the squared distances; raise max_iter or eps.",
                shared(ConvergenceWarning),
                stacklevel=4,
            )

    def _certify(self, found: Scaled) -> Certificate:
        within = " in the time allowed" if found.is_timed_out else ""
        statement = (
            f"stress {found.stress:.6g} (Stress-1 {found.stress_1:.3g}) after {found.n_iter} steps"
            f"{within}; the gradient is {found.optimality:.1e} of what its terms come to"
        )
        # The square is a part of the squared distances that the next step gains at least.
        is_at_rest = found.is_settled and found.optimality**2 <= max(self.eps, 1e-15)
        details: dict[str, float | int | str] = {"stress_1": found.stress_1}
        return Certificate(
            found.stress, found.optimality, is_at_rest, statement, found.n_iter, details=details
        )

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.scales_tables = True
        tags.pairwise = "precomputed" in (self.dissimilarity, str(self.metric))
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])
