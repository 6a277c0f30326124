"""What all models of neighbours share: the metric, the rows that are searched, and new rows."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse

from gramian._distance.metric import effective_metric
from gramian._distance.search import EUCLIDEAN, SearchedRows
from gramian._distance.tree import TREE_METRICS, TreeArrays, build_tree, tree_measure, tree_pays
from gramian._magnitude import require_squares
from gramian._powers import largest_of
from gramian._tags import tagged
from gramian.base import BaseEstimator, Tags
from gramian.metrics import DistanceMetric
from gramian.neighbors._gower import GowerColumns
from gramian.neighbors._metrics import ALL_METRICS, GOWER, VALID_METRICS, VALID_METRICS_SPARSE
from gramian.neighbors._precomputed import check_precomputed
from gramian.neighbors._tree_queries import BinaryTree
from gramian.params import Callables, Estimator, Integer, Mappings, Nothing, OneOf, Real, param
from gramian.validation import FitData, check_fit, check_is_fitted, check_predict, check_y

__all__ = ["NeighborsBase"]


class NeighborsBase(BaseEstimator):
    """Base of the models that keep the training rows and search them."""

    _own_tags = tagged(scales_tables=True)

    algorithm: str = param("auto", OneOf("auto", "ball_tree", "kd_tree", "brute"))
    leaf_size: int = param(30, Integer(1))
    metric: Any = param(
        "minkowski", OneOf(*ALL_METRICS) | Callables() | Estimator(("named", "pairwise"))
    )
    p: float | None = param(2, Real(0.0, closed="right") | Nothing())
    metric_params: dict[str, Any] | None = param(None, Mappings() | Nothing())
    n_jobs: int | None = param(None, Integer() | Nothing())

    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    n_samples_fit_: int
    _fit_X: Any
    _fit_method: str
    _tree: TreeArrays | None
    _gower: GowerColumns | None = None

    # -- fit --------------------------------------------------------------------------------------

    def _keep_rows(self, X: Any, y: Any = None, *, y_numeric: bool = False) -> Any:
        """Check and keep the rows; return the checked target."""
        self._check_metric()
        if isinstance(X, NeighborsBase):
            self._take_from(X)
            return y
        if isinstance(X, BinaryTree):
            X = self._rows_of_tree(X)
        vars(self).pop("_gower", None)
        if self.metric == GOWER:
            return self._keep_table(X, y, y_numeric=y_numeric)
        data = self._training_data(X, y, y_numeric=y_numeric)
        metric, params = self._effective_metric()
        if issparse(data.X):
            self._check_sparse_metric(metric)
        if metric in EUCLIDEAN:
            require_squares(self, data.X)
        self._fit_method = self._chosen_method(metric, params, data.X)
        self._fit_X = data.X if issparse(data.X) else np.ascontiguousarray(data.X)
        is_tree = self._fit_method != "brute" and tree_measure(metric, _given(params)) is not None
        self._tree = build_tree(self._fit_X) if is_tree else None
        self.effective_metric_, self.effective_metric_params_ = metric, params
        self.n_samples_fit_ = int(data.X.shape[0])
        return data.y

    def _keep_table(self, X: Any, y: Any, *, y_numeric: bool) -> Any:
        """Keep rows of numbers, levels and gaps."""
        self._gower, data, self._fit_X = GowerColumns.fit(
            self, X, y, multi_output=True, y_numeric=y_numeric
        )
        self._fit_method, self._tree = "brute", None
        self.effective_metric_ = GOWER
        self.effective_metric_params_ = {"is_level": self._gower.is_level}
        self.n_samples_fit_ = len(self._fit_X)
        return data.y

    def _training_data(self, X: Any, y: Any, *, y_numeric: bool) -> FitData:
        if self.metric == "precomputed" and issparse(X):
            X = check_precomputed(X)
            self.n_features_in_, self.encoding_ = int(X.shape[1]), None
            if y is not None or self._tags().required_y:
                y = check_y(y, multi_output=True, y_numeric=y_numeric, estimator=self)
            data = FitData(X, y, None)
        else:
            data = check_fit(self, X, y, multi_output=True, y_numeric=y_numeric)
        if self.metric == "precomputed":
            check_precomputed(data.X)
            if data.X.shape[0] != data.X.shape[1]:
                raise ValueError(
                    "Precomputed matrix must be square. Input is a "
                    f"{data.X.shape[0]}x{data.X.shape[1]} matrix."
                )
        return data

    def _take_from(self, fitted: "NeighborsBase") -> None:
        """Search the rows of another model."""
        check_is_fitted(fitted)
        state = vars(fitted)
        for name in (
            "_fit_X",
            "_tree",
            "_fit_method",
            "n_samples_fit_",
            "n_features_in_",
            "encoding_",
        ):
            setattr(self, name, state[name])
        self.effective_metric_, self.effective_metric_params_ = self._effective_metric()
        if (self.metric == GOWER) != (fitted._gower is not None):
            raise ValueError(
                f"metric={self.metric!r} cannot search the rows of a model that was fitted with "
                f"metric={fitted.metric!r}: Gower's distance needs rows of its own."
            )
        if fitted._gower is not None:
            self._gower, self.effective_metric_params_ = (
                fitted._gower,
                fitted.effective_metric_params_,
            )

    def _rows_of_tree(self, tree: BinaryTree) -> Any:
        """Return the rows of a tree of the same metric; the model builds its own."""
        own, theirs = self._effective_metric(), tree.effective_metric()
        kinds = {TREE_METRICS.get(name, name) for name, _ in (own, theirs)}
        if len(kinds) > 1 or not _are_alike(_given(own[1]), _given(theirs[1])):
            raise ValueError(
                f"The tree measures {theirs[0]!r} distances, and metric={self.metric!r} asks for "
                f"{own[0]!r} ones. Pass the metric of the tree, or its rows, which are tree.data."
            )
        return tree.data

    def _check_metric(self) -> None:
        """Raise if the algorithm does not take the metric."""
        metric = self._metric_itself()
        if metric == GOWER:
            if self.algorithm not in ("auto", "brute"):
                raise ValueError(
                    f"metric='gower' is searched over all pairs: algorithm={self.algorithm!r} does "
                    "not take it. Use algorithm='brute' or 'auto'."
                )
            return
        if callable(metric):
            if self.algorithm == "kd_tree":
                raise ValueError(
                    f"kd_tree does not support callable metric '{metric}': use "
                    "algorithm='ball_tree', 'brute' or 'auto'."
                )
            return
        checked = self.algorithm
        if checked == "auto":
            checked = "ball_tree" if metric in VALID_METRICS["ball_tree"] else "brute"
        if metric not in VALID_METRICS[checked]:
            raise ValueError(
                f"Metric '{metric}' not valid. Use "
                f"sorted(gramian.neighbors.VALID_METRICS['{checked}']) to get valid options. "
                "Metric can also be a callable function."
            )

    def _metric_itself(self) -> Any:
        """Return the name or the function of the metric."""
        return self.metric.named()[0] if isinstance(self.metric, DistanceMetric) else self.metric

    def _effective_metric(self) -> tuple[Any, dict[str, Any]]:
        if isinstance(self.metric, DistanceMetric):
            return effective_metric(self._metric_itself(), None, self.metric.named()[1])
        return effective_metric(self.metric, self.p, self.metric_params)

    def _check_sparse_metric(self, metric: Any) -> None:
        if self.algorithm not in ("auto", "brute"):
            warnings.warn("cannot use tree with sparse input: using brute force", stacklevel=4)
        if not callable(metric) and metric not in VALID_METRICS_SPARSE["brute"]:
            raise ValueError(
                f"Metric '{metric}' not valid for sparse input. Use "
                "sorted(gramian.neighbors.VALID_METRICS_SPARSE['brute']) to get valid options. "
                "Metric can also be a callable function."
            )

    def _chosen_method(self, metric: Any, params: dict[str, Any], X: Any) -> str:
        """Return the algorithm, in scikit-learn's words."""
        is_semimetric = metric == "minkowski" and params["p"] < 1
        method = "brute" if issparse(X) else self.algorithm
        if method == "auto":
            measure = tree_measure(metric, _given(params))
            number = getattr(self, "n_neighbors", None)
            n_rows, n_features = X.shape
            pays = measure is not None and tree_pays(measure[0], n_rows, n_features, number)
            method = "kd_tree" if pays else "brute"
        if is_semimetric and method != "brute":
            raise ValueError(
                f'algorithm="{method}" does not support 0 < p < 1 for the Minkowski metric. To '
                'resolve this problem either set p >= 1 or algorithm="brute".'
            )
        if is_semimetric:
            warnings.warn(
                "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing "
                "the execution with `algorithm='brute'`.",
                stacklevel=4,
            )
        if method == "kd_tree" and metric == "minkowski" and params["w"] is not None:
            raise ValueError(
                "algorithm='kd_tree' is not valid for metric='minkowski' with a weight parameter "
                "'w': try algorithm='ball_tree' or algorithm='brute' instead."
            )
        return method

    # -- searches ---------------------------------------------------------------------------------

    def _searched(self) -> SearchedRows:
        params = _given(self.effective_metric_params_)
        metric, tree = self.effective_metric_, self._tree
        return SearchedRows(self._fit_X, metric, params, self.n_jobs, tree)

    def _queries(self, X: Any) -> Any:
        """Return checked new rows, or the training rows for None."""
        check_is_fitted(self)
        if X is None or (self._gower is not None and X is self._fit_X):
            return self._fit_X
        if self.metric == "precomputed":
            queries = check_precomputed(X)
            if queries.shape[1] != self.n_samples_fit_:
                raise ValueError(
                    "Precomputed metric requires shape (n_queries, n_indexed). Got "
                    f"{tuple(queries.shape)} for {self.n_samples_fit_} indexed."
                )
            return queries
        if self._gower is not None:
            return self._gower.rows_of(self, X)
        queries = check_predict(self, X)
        # Small queries are near zero; squares of large ones would be infinite.
        if self.effective_metric_ in EUCLIDEAN and largest_of(_stored(queries)) > 1.0:
            require_squares(self, queries)
        if issparse(queries) and self._fit_method != "brute":
            raise ValueError(
                f"{self._fit_method} does not work with sparse matrices. Densify the data, or set "
                "algorithm='brute'"
            )
        return queries

    def _tags(self) -> Tags:
        tags = super()._tags()
        is_named = isinstance(self.metric, str)
        tags.pairwise = tags.positive_only = is_named and self.metric == "precomputed"
        tags.native_table = tags.string = is_named and self.metric == GOWER
        tags.allow_nan = is_named and self.metric in ("nan_euclidean", GOWER)
        tags.sparse = not tags.native_table
        tags.multi_output = True
        return tags


def _are_alike(own: dict[str, Any], theirs: dict[str, Any]) -> bool:
    return own.keys() == theirs.keys() and all(
        np.array_equal(own[name], theirs[name]) for name in own
    )


def _stored(rows: Any) -> Any:
    return rows.data if issparse(rows) else rows


def _given(params: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a metric without weights that are None."""
    return {name: value for name, value in params.items() if name != "w" or value is not None}
