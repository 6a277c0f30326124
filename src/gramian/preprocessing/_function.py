"""Any function as a transformer."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import feature_names
from gramian._output import output_container
from gramian.base import BaseEstimator, Tags, TransformerMixin
from gramian.params import Boolean, Callables, Mappings, Nothing, OneOf, param
from gramian.preprocessing._checks import (
    fit_matrix,
    frame_of,
    is_sparse,
    transform_matrix,
)
from gramian.table import number_names
from gramian.validation import check_array, check_is_fitted, check_sparse, set_feature_names


class FunctionTransformer(TransformerMixin, BaseEstimator):
    """Apply a function to the rows.

    Parameters
    ----------
    func : callable, default=None
        The function; None returns the rows as they are. Model files hold named functions of
        declared modules only (see `gramian.persistence.persistable`).
    inverse_func : callable, default=None
        The function of ``inverse_transform``.
    validate : bool, default=False
        Whether to convert `X` to an array of numbers first; otherwise the function gets what the
        user passed.
    accept_sparse : bool, default=False
        Whether sparse matrices are allowed, with `validate`.
    check_inverse : bool, default=True
        Whether ``fit`` warns if `inverse_func` does not undo `func` on some of the rows.
    feature_names_out : "one-to-one" or callable, default=None
        The names of the output columns: those of the input, or what
        ``callable(transformer, input_names)`` returns.
    kw_args : dict, default=None
        Further arguments of `func`.
    inv_kw_args : dict, default=None
        Further arguments of `inverse_func`.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.preprocessing import FunctionTransformer
    >>> FunctionTransformer(np.log1p).fit_transform([[0.0, np.e - 1.0]])
    array([[0., 1.]])
    """

    func: Any = param(None, Callables() | Nothing(), positional=True)
    inverse_func: Any = param(None, Callables() | Nothing(), positional=True)
    validate: bool = param(False, Boolean())
    accept_sparse: bool = param(False, Boolean())
    check_inverse: bool = param(True, Boolean())
    feature_names_out: Any = param(None, Callables() | OneOf("one-to-one") | Nothing())
    kw_args: Any = param(None, Mappings() | Nothing())
    inv_kw_args: Any = param(None, Mappings() | Nothing())

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.no_validation = not self.validate
        tags.requires_fit = False
        tags.sparse = not self.validate or self.accept_sparse
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters, and that `inverse_func` undoes `func`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        """
        if self.validate:
            data = fit_matrix(self, X, accept_sparse=self._sparse_formats())
        else:
            data = check_sparse(X) if is_sparse(X) else X
            frame = frame_of(X) if number_names(X) is None else None
            set_feature_names(self, X if frame is None else frame.head(0).to_native())
        if self.check_inverse and self.func is not None and self.inverse_func is not None:
            self._check_inverse(data)
        return self

    def _sparse_formats(self) -> Any:
        return ("csr", "csc") if self.accept_sparse else False

    def _check_inverse(self, X: Any) -> None:
        """Warn unless a hundred rows are the same after both functions."""
        step = max(1, X.shape[0] // 100)
        some = X.iloc[::step] if hasattr(X, "iloc") else X[::step]
        dtypes = [some.dtype] if hasattr(some, "dtype") else list(some.dtypes)
        if not all(getattr(dtype, "kind", "O") in "biufc" for dtype in dtypes):
            raise ValueError(
                "'check_inverse' is only supported when all the elements in `X` is numerical."
            )
        again = self.inverse_transform(self.transform(some))
        if is_sparse(some):
            some, again = some.toarray(), again.toarray()
        if not np.allclose(np.asarray(some), np.asarray(again), rtol=1e-7, equal_nan=True):
            warnings.warn(
                "The provided functions are not strictly inverse of each other. If you are sure "
                "you want to proceed regardless, set 'check_inverse=False'.",
                UserWarning,
                stacklevel=4,
            )

    def transform(self, X: Any) -> Any:
        """Return ``func(X)``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        data = check_sparse(X) if is_sparse(X) else X
        if self.validate:
            data = transform_matrix(self, X, accept_sparse=self._sparse_formats())
        result = data if self.func is None else self.func(data, **(self.kw_args or {}))
        return self._named(result, data)

    def _named(self, result: Any, data: Any) -> Any:
        """Return a data frame under the names that were declared, which must be its own or new."""
        if self.feature_names_out is None:
            container = output_container(self)
            if container != "default" and not _is_frame_of(result, container):
                warnings.warn(
                    f"When `set_output` is configured to be '{container}', `func` should return a "
                    f"{container} DataFrame to follow the `set_output` API or "
                    "`feature_names_out` should be defined.",
                    UserWarning,
                    stacklevel=4,
                )
        elif "n_features_in_" in vars(self) and (frame := frame_of(result)) is not None:
            declared = [str(name) for name in self._names_out()]
            names = list(frame.columns)
            if names == declared:
                return result
            given = frame_of(data)
            is_new = given is None or names != list(given.columns)
            if is_new and all(isinstance(n, str) for n in names):
                raise ValueError(
                    "The output generated by `func` have different column names than the ones "
                    f"provided by `get_feature_names_out`. Got output with columns names: {names} "
                    f"and `get_feature_names_out` returned: {declared}. The column names can be "
                    "overridden by setting `set_output(transform='pandas')` or "
                    "`set_output(transform='polars')` such that the column names are set to the "
                    "names provided by `get_feature_names_out`."
                )
            if hasattr(result, "set_axis"):
                return result.set_axis(declared, axis="columns")
            return frame.rename(dict(zip(names, declared, strict=True))).to_native()
        return result

    def inverse_transform(self, X: Any) -> Any:
        """Return ``inverse_func(X)``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        if self.validate:
            X = check_array(X, self._sparse_formats(), estimator=self, input_name="X")
        return X if self.inverse_func is None else self.inverse_func(X, **(self.inv_kw_args or {}))

    @property
    def get_feature_names_out(self) -> Callable[..., NDArray[Any]]:
        """Return the names of the output columns; only with `feature_names_out`."""
        if self.feature_names_out is None:
            raise AttributeError(
                "This 'FunctionTransformer' has no attribute 'get_feature_names_out': its "
                "parameter feature_names_out is None."
            )
        return self._names_out

    def _names_out(self, input_features: Any = None) -> NDArray[Any]:
        check_is_fitted(self, "n_features_in_")
        names = feature_names(self, input_features)
        if self.feature_names_out == "one-to-one":
            return names
        return np.asarray(self.feature_names_out(self, names), dtype=object)


def _is_frame_of(result: Any, library: str) -> bool:
    kind = type(result)
    return kind.__name__ == "DataFrame" and kind.__module__.split(".")[0] == library
