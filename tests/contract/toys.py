"""Small estimators of the kinds that a family may not have yet, so that no check goes unused."""

from typing import Any

import numpy as np

from gramian.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    OutlierMixin,
    Tags,
    TransformerMixin,
)
from gramian.linear_model import Ridge
from gramian.params import Integer, RandomState, Real, param
from gramian.persistence import persistable
from gramian.validation import check_fit, check_is_fitted, check_predict, check_y


@persistable
class ToyCentring(TransformerMixin, BaseEstimator):
    """Takes the weighted mean off each column."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "ToyCentring":
        data = check_fit(self, X, None, sample_weight, accept_sparse=False)
        self.mean_ = np.average(data.X, axis=0, weights=data.sample_weight)
        return self

    def transform(self, X: Any) -> Any:
        rows = check_predict(self, X, accept_sparse=False)
        return rows - self.mean_.astype(rows.dtype)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        if not hasattr(self, "mean_"):
            check_predict(self, [[0.0]])
        names = getattr(self, "feature_names_in_", None)
        if self.encoding_ is not None:
            names = self.encoding_.get_feature_names_out()
        if input_features is None:
            default = [f"x{j}" for j in range(self.n_features_in_)]
            return np.array(default if names is None else names, dtype=object)
        if len(input_features) != self.n_features_in_:
            raise ValueError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(input_features)}"
            )
        if names is not None and not np.array_equal(input_features, names):
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array(input_features, dtype=object)


@persistable
class ToyClusters(ClusterMixin, BaseEstimator):
    """Lloyd's iterations from centres that are far from one another."""

    n_clusters: int = param(3, Integer(1))
    max_iter: int = param(50, Integer(1))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "ToyClusters":
        data = check_fit(self, X, None, sample_weight, accept_sparse=False, min_samples=2)
        weight = np.ones(data.n_samples) if data.sample_weight is None else data.sample_weight
        centres = _spread_points(data.X[weight > 0].astype(np.float64), self.n_clusters)
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_, labels = n_iter, _nearest(data.X, centres)
            moved = [
                np.average(data.X[labels == k], axis=0, weights=weight[labels == k])
                if weight[labels == k].any()
                else centre
                for k, centre in enumerate(centres)
            ]
            if np.allclose(moved, centres):
                break
            centres = np.array(moved)
        self.cluster_centers_, self.labels_ = centres, _nearest(data.X, centres)
        return self

    def predict(self, X: Any) -> Any:
        return _nearest(check_predict(self, X, accept_sparse=False), self.cluster_centers_)


@persistable
class ToyOutliers(OutlierMixin, BaseEstimator):
    """Calls the share `contamination` of rows that lie farthest from the mean outliers."""

    contamination: float = param(0.1, Real(0.0, 0.5, "right"))
    random_state: Any = param(None, RandomState())

    def fit(self, X: Any, y: Any = None) -> "ToyOutliers":
        data = check_fit(self, X, accept_sparse=False)
        self.mean_ = data.X.mean(axis=0, dtype=np.float64)
        scores = self.score_samples(X)
        self.offset_ = float(np.percentile(scores, 100.0 * self.contamination))
        return self

    def score_samples(self, X: Any) -> Any:
        rows = check_predict(self, X, accept_sparse=False)
        return -np.sqrt(((rows - self.mean_) ** 2).sum(axis=1))

    def decision_function(self, X: Any) -> Any:
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Any:
        return np.where(self.decision_function(X) >= 0, 1, -1)


@persistable
class ToyClassifier(ClassifierMixin, BaseEstimator):
    """Least squares on the classes, coded as 1 and -1; a part for compositions of classifiers."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ToyClassifier":
        classes, codes = np.unique(check_y(y, estimator=self), return_inverse=True)
        if len(classes) == 1:
            raise ValueError("The target y has one class only; two are needed.")
        target = np.where(codes[:, None] == np.arange(len(classes)), 1.0, -1.0)
        target = target[:, 1:] if len(classes) == 2 else target
        self.ridge_ = Ridge(tol=1e-12).fit(X, target, sample_weight)
        self.classes_ = classes
        self.n_features_in_ = self.ridge_.n_features_in_
        vars(self).pop("feature_names_in_", None)
        if hasattr(self.ridge_, "feature_names_in_"):
            self.feature_names_in_ = self.ridge_.feature_names_in_
        return self

    def decision_function(self, X: Any) -> Any:
        check_is_fitted(self)
        scores = self.ridge_.predict(X)
        return scores.reshape(-1) if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Any:
        scores = self.decision_function(X)
        return self.classes_[scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0) * 1]

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = True
        return tags


TOYS = (ToyCentring, ToyClusters, ToyOutliers)


def _spread_points(rows: Any, n_points: int) -> Any:
    """Return rows, each the farthest from those before it; the first is nearest to the middle."""
    middle = 0.5 * (rows.min(axis=0) + rows.max(axis=0))
    points = [rows[((rows - middle) ** 2).sum(axis=1).argmin()]]
    while len(points) < n_points:
        distances = ((rows[:, None] - np.array(points)) ** 2).sum(axis=2).min(axis=1)
        points.append(rows[distances.argmax()])
    return np.array(points)


def _nearest(rows: Any, centres: Any) -> Any:
    return ((rows[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
