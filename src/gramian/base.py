"""Base classes: `BaseEstimator`, and a mixin for each kind of estimator."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _output
from gramian._column_blocks import feature_names
from gramian._estimator import (
    BaseEstimator,
    MetaEstimatorMixin,
    clone,
    is_classifier,
    is_clusterer,
    is_outlier_detector,
    is_regressor,
)
from gramian._requests import routing_enabled
from gramian._tags import Tagged, Tags, tagged
from gramian.validation import check_array, check_is_fitted

__all__ = [
    "BaseEstimator",
    "BiclusterMixin",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "ClusterMixin",
    "DensityMixin",
    "MetaEstimatorMixin",
    "OutlierMixin",
    "RegressorMixin",
    "Tags",
    "TransformerMixin",
    "clone",
    "is_classifier",
    "is_clusterer",
    "is_outlier_detector",
    "is_regressor",
]


def _warn_not_forwarded(estimator: Any, method: str, second: str, params: dict[str, Any]) -> None:
    """Warn of arguments that the second of two steps requests, but only the first is given."""
    if not params or not routing_enabled():
        return
    requests = estimator.get_metadata_routing()
    if requests.consumes(method=second, params=params.keys()):
        warnings.warn(
            f"This object ({type(estimator).__name__}) has a `{second}` method which consumes "
            f"metadata, but `{method}` does not forward metadata to `{second}`. Please implement a "
            f"custom `{method}` method to forward metadata to `{second}` as well.",
            stacklevel=3,
        )


class RegressorMixin(Tagged):
    """Mixin of regressors: ``score`` is the coefficient of determination R²."""

    _estimator_type: ClassVar[str | None] = "regressor"

    _own_tags = tagged(required_y=True)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R² of the prediction for `X` against `y`: 1 is perfect, 0 is the mean's.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array of shape (n_samples,), optional
        """
        from gramian.metrics import r2_score

        y_pred = self.predict(X)  # type: ignore[attr-defined]
        return float(r2_score(y, y_pred, sample_weight=sample_weight))


class ClassifierMixin(Tagged):
    """Mixin of classifiers: ``score`` is the accuracy."""

    _estimator_type: ClassVar[str | None] = "classifier"

    _own_tags = tagged(required_y=True)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows of `X` whose predicted class equals `y`.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
        """
        from gramian.metrics import accuracy_score

        y_pred = self.predict(X)  # type: ignore[attr-defined]
        return float(accuracy_score(y, y_pred, sample_weight=sample_weight))


class ClusterMixin(Tagged):
    """Mixin of clusterers: ``fit_predict`` gives the labels of the training rows."""

    _estimator_type: ClassVar[str | None] = "clusterer"
    _own_tags = tagged(scales_tables=True)

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> NDArray[np.intp]:
        """Fit and return ``labels_``."""
        self.fit(X, **kwargs)  # type: ignore[attr-defined]
        labels: NDArray[np.intp] = self.labels_  # type: ignore[attr-defined]
        return labels


class BiclusterMixin:
    """Mixin of biclusterers: parts of a matrix by ``rows_`` and ``columns_``.

    Both have a row for each bicluster, true where it holds a row or column of the matrix.
    """

    rows_: NDArray[np.bool_]
    columns_: NDArray[np.bool_]

    @property
    def biclusters_(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Both indicators, ``rows_`` and ``columns_``."""
        return self.rows_, self.columns_

    def get_indices(self, i: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the numbers of the rows and of the columns of a bicluster.

        Parameters
        ----------
        i : int
            Number of the bicluster.
        """
        check_is_fitted(self)
        return np.flatnonzero(self.rows_[i]), np.flatnonzero(self.columns_[i])

    def get_shape(self, i: int) -> tuple[int, int]:
        """Return how many rows and columns a bicluster has.

        Parameters
        ----------
        i : int
            Number of the bicluster.
        """
        rows, columns = self.get_indices(i)
        return len(rows), len(columns)

    def get_submatrix(self, i: int, data: Any) -> Any:
        """Return the part of a matrix that a bicluster is.

        Parameters
        ----------
        i : int
            Number of the bicluster.
        data : array or sparse matrix of shape (n_samples, n_features)
            The matrix.
        """
        rows, columns = self.get_indices(i)
        return check_array(data, accept_sparse="csr", dtype="numeric")[rows[:, None], columns]


class DensityMixin(Tagged):
    """Mixin of density estimators: ``score`` is the mean log-density of rows."""

    _estimator_type: ClassVar[str | None] = "density_estimator"
    _own_tags = tagged(scales_tables=True)


class OutlierMixin(Tagged):
    """Mixin of outlier detectors: ``fit_predict`` gives -1 for outliers and 1 for inliers."""

    _estimator_type: ClassVar[str | None] = "outlier_detector"

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> NDArray[np.intp]:
        """Fit and return 1 for each inlier and -1 for each outlier of `X`."""
        _warn_not_forwarded(self, "fit_predict", "predict", kwargs)
        labels: NDArray[np.intp] = self.fit(X, **kwargs).predict(X)  # type: ignore[attr-defined]
        return labels


class TransformerMixin(Tagged):
    """Mixin of transformers: ``fit_transform``, and ``set_output`` for the container returned."""

    _transforms: ClassVar[bool] = True
    _sklearn_output_config: dict[str, str]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for method in ("transform", "fit_transform"):
            if method in vars(cls):
                setattr(cls, method, _output.wrap(vars(cls)[method]))

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.transformer = True
        return tags

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit to `X` (and `y`), then return the transformed `X`."""
        _warn_not_forwarded(self, "fit_transform", "transform", fit_params)
        fitted = self.fit(X, **fit_params) if y is None else self.fit(X, y, **fit_params)  # type: ignore[attr-defined]
        return fitted.transform(X)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what ``transform`` returns.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            None leaves the choice as it is; "default" follows the input's kind of array.
        """
        if transform is not None:
            _output.check_container(transform)
            self._sklearn_output_config = {"transform": transform}
        return self


class ClassNamePrefixFeaturesOutMixin:
    """Mixin of transformers whose columns are named by the class: pca0, pca1, ...

    The transformer says how many there are: ``_n_features_out``.
    """

    @property
    def _n_features_out(self) -> int:
        raise NotImplementedError

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns: that of the class in small letters, and a number.

        Parameters
        ----------
        input_features : array-like of str, optional
            Checked against the names at fit, if given.
        """
        check_is_fitted(self)
        feature_names(self, input_features)
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{k}" for k in range(self._n_features_out)], dtype=object)
