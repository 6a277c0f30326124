"""Columns that say where values are missing."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import feature_names
from gramian.base import BaseEstimator, Tags, TransformerMixin
from gramian.impute._missing import MissingMark, missing_mask, read_fit, read_new
from gramian.params import Boolean, OneOf, param
from gramian.validation import check_is_fitted

if TYPE_CHECKING:
    from typing import Self

_FORMATS = ("csc", "csr")


class MissingIndicator(TransformerMixin, BaseEstimator):
    """Columns of booleans: where each feature is missing.

    Parameters
    ----------
    missing_values : number, str, NaN, None or pandas.NA, default=NaN
        What stands for a missing value. In a data frame every null does.
    features : {"missing-only", "all"}, default="missing-only"
        Whether there is a column for each feature with missing values at fit, or for every feature.
    sparse : bool or "auto", default="auto"
        Whether the mask is a sparse matrix; "auto" follows the input.
    error_on_new : bool, default=True
        Whether ``transform`` raises if a feature is missing for the first time; only with
        ``features="missing-only"``.

    Attributes
    ----------
    features_ : ndarray of shape (n_columns_out,)
        Positions of the features that have a column.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : None
        Data frames are read as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.impute import MissingIndicator
    >>> MissingIndicator().fit_transform([[1.0, np.nan], [3.0, 4.0]])
    array([[ True],
           [False]])
    """

    missing_values: Any = param(np.nan, MissingMark())
    features: str = param("missing-only", OneOf("missing-only", "all"))
    sparse: Any = param("auto", Boolean() | OneOf("auto"))
    error_on_new: bool = param(True, Boolean())

    def fit(self, X: Any, y: Any = None) -> "Self":
        """Find the features with missing values.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : None
            Not used.
        """
        mask = self._is_missing(read_fit(self, X, sparse=_FORMATS, dtype=None))
        return self.fit_mask(mask)

    def fit_mask(self, mask: Any) -> "Self":
        """Fit to a mask of missing values, dense or CSC, instead of the data."""
        self.n_features_in_ = int(mask.shape[1])
        if self.features == "all":
            self.features_ = np.arange(mask.shape[1])
        else:
            self.features_ = np.flatnonzero(np.asarray(mask.sum(axis=0)).ravel())
        return self

    def transform(self, X: Any) -> Any:
        """Return where values are missing.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool, or CSC matrix, of shape (n_samples, n_columns_out)
        """
        check_is_fitted(self)
        return self.transform_mask(self._is_missing(read_new(self, X, sparse=_FORMATS, dtype=None)))

    def transform_mask(self, mask: Any) -> Any:
        """Return the columns for a mask of missing values, dense or CSC, of new data."""
        if self.features == "missing-only":
            present = np.flatnonzero(np.asarray(mask.sum(axis=0)).ravel())
            new = np.setdiff1d(present, self.features_)
            if self.error_on_new and new.size:
                raise ValueError(
                    f"The features {new} have missing values in transform but have no missing "
                    "values in fit."
                )
            mask = mask[:, self.features_]
        if isinstance(mask, np.ndarray):
            if self.sparse is not True:
                return mask
            from scipy import sparse

            return sparse.csc_matrix(mask)
        return mask.toarray() if self.sparse is False else mask

    def _is_missing(self, data: Any) -> Any:
        """Return where data are missing, as an array or a CSC matrix without stored zeros."""
        if isinstance(data, np.ndarray):
            return missing_mask(data, self.missing_values)
        return sparse_mask(data, self.missing_values)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns: "missingindicator_" and the feature's name.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the columns of `X`; by default those seen at fit.
        """
        check_is_fitted(self)
        names = feature_names(self, input_features)[self.features_]
        return np.array([f"missingindicator_{name}" for name in names], dtype=object)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.native_table = tags.sparse = tags.allow_nan = tags.string = True
        tags.preserves_dtype = ()
        return tags


def sparse_mask(data: Any, mark: Any) -> Any:
    """Return where the stored values of sparse data are missing, as CSC without stored zeros."""
    columns = data.tocsc()
    parts = (missing_mask(columns.data, mark), columns.indices.copy(), columns.indptr.copy())
    mask = type(columns)(parts, shape=columns.shape)
    mask.eliminate_zeros()  # changes the indices too, hence the copies
    return mask
