"""What the machines with kernels share: parameters, data, and sums over support vectors."""

import numbers
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix, issparse

from gramian._kernel.kernels import Kernel, group_sums, require_kernel
from gramian._kernel.machine import Machine, Solved, certify, solve
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import BaseEstimator, Tags
from gramian.certificate import Certificate
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import Boolean, Callables, Integer, OneOf, Real, param
from gramian.validation import (
    FitData,
    all_finite,
    check_array,
    check_fit,
    check_is_fitted,
    check_predict,
    check_sample_weight,
    check_sparse,
    check_y,
)

KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "precomputed")


class KernelMachine(BaseEstimator):
    """Base of the estimators that are a sum of kernels over support vectors."""

    _own_tags = tagged(scales_tables=True, reads_words=True)

    kernel: Any = param("rbf", OneOf(*KERNELS) | Callables())
    degree: int = param(3, Integer(0))
    gamma: Any = param("scale", OneOf("scale", "auto") | Real(0.0))
    coef0: float = param(0.0, Real(closed="neither"))
    tol: float = param(1e-3, Real(0.0, closed="neither"))
    shrinking: bool = param(True, Boolean())
    cache_size: float = param(200, Real(0.0, closed="neither"))
    verbose: Any = param(False, Boolean() | Integer(0))
    max_iter: int = param(-1, Integer(-1))

    support_: NDArray[np.int32]
    support_vectors_: Any
    dual_coef_: Any
    intercept_: Floats
    shape_fit_: tuple[int, ...]
    fit_status_: int
    certificate_: Certificate
    _n_support: NDArray[np.int32]
    _gamma: float

    # -- fit --------------------------------------------------------------------------------------

    def _read(self, X: Any, y: Any, sample_weight: Any, *, y_numeric: bool) -> FitData:
        """Check the data; with a callable kernel X becomes the matrix of its values."""
        if self.kernel == "precomputed" and issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")
        weight = positive_weights(X, sample_weight)
        if callable(self.kernel):
            data = self._called(X, y, weight, y_numeric=y_numeric)
        else:
            data = check_fit(self, X, y, weight, y_numeric=y_numeric)
            require_kernel(self.kernel, data.X)
        is_gram = callable(self.kernel) or self.kernel == "precomputed"
        if is_gram and data.X.shape[0] != data.X.shape[1]:
            raise ValueError(
                "Precomputed matrix must be a square matrix. Input is a "
                f"{data.X.shape[0]}x{data.X.shape[1]} matrix."
            )
        return data

    def _called(self, X: Any, y: Any, weight: Floats | None, *, y_numeric: bool) -> FitData:
        X = check_sparse(X) if issparse(X) else X
        gram = _values(self.kernel(X, X))
        if y is not None:
            y = check_y(y, y_numeric=y_numeric, estimator=self)
            if len(y) != gram.shape[0]:
                raise ValueError(
                    "Found input variables with inconsistent numbers of samples: "
                    f"{[gram.shape[0], len(y)]}"
                )
        if len(getattr(X, "shape", ())) == 2:
            self.n_features_in_ = int(X.shape[1])
        self.encoding_ = None
        return FitData(gram, y, weight)

    def _contradiction(self, part: Solved, labels: tuple[str, str]) -> str:
        """Say why a machine without errors is impossible."""
        raise NotImplementedError

    def _solve(
        self,
        kernel: Kernel,
        X: Any,
        machines: list[Machine],
        labels: Sequence[tuple[str, str]] = (("", ""),),
    ) -> list[Solved]:
        """Solve the machines' dual problems, and warn if `max_iter` was too few.

        `labels` are the classes that each machine sets apart.
        """
        if kernel.name == "precomputed":
            X = X.astype(np.float64, copy=False)
        solved = solve(self, kernel, X, machines)
        for part, pair in zip(solved, labels, strict=True):
            if not part.is_feasible:
                raise ValueError(self._contradiction(part, pair))
        certificate = certify(solved, self.tol)
        if self.verbose:
            print(f"[{type(self).__name__}] {certificate.statement}")
        if not all(part.converged or part.timed_out for part in solved):
            warnings.warn(
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing "
                "your data with StandardScaler or MinMaxScaler.",
                shared(ConvergenceWarning),
                stacklevel=4,
            )
        if not all(np.isfinite([part.rho, part.margin]).all() for part in solved):
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may contain "
                "large values and need to be preprocessed."
            )
        self.certificate_ = certificate
        self.fit_status_ = 0 if certificate.converged else 1
        return solved

    def _store_vectors(
        self, kernel: Kernel, X: Any, given: Any, support: NDArray[np.intp], dual_coef: Floats
    ) -> None:
        """Keep the support vectors and their coefficients; a callable kernel needs all of X."""
        self._X_fit = given if callable(self.kernel) else None
        self._gamma = kernel.gamma
        self._sparse = bool(issparse(X))
        self.support_ = support.astype(np.int32)
        if kernel.name == "precomputed":
            self.support_vectors_ = np.empty((0, 0))
        else:
            self.support_vectors_ = X[support]
        self.dual_coef_ = type(X)(dual_coef) if self._sparse else dual_coef
        self.shape_fit_ = tuple(getattr(X if self._X_fit is None else self._X_fit, "shape", ()))
        if not self.shape_fit_:
            self.shape_fit_ = (X.shape[0],)

    # -- predict ----------------------------------------------------------------------------------

    def _rows(self, X: Any) -> Any:
        """Check new rows; those of a precomputed or callable kernel become its values."""
        check_is_fitted(self)
        if callable(self.kernel):
            X = check_sparse(X) if issparse(X) else X
            rows = _values(self.kernel(X, self._X_fit))
        else:
            rows = check_predict(self, X)
            require_kernel(self.kernel, rows)
        if callable(self.kernel) or self.kernel == "precomputed":
            if rows.shape[1] != self.shape_fit_[0]:
                raise ValueError(
                    f"X.shape[1] = {rows.shape[1]} should be equal to {self.shape_fit_[0]}, the "
                    "number of samples at training time"
                )
            return rows
        vectors = self.support_vectors_
        if not self._sparse and vectors.size > 0 and self.n_support_.sum() != len(vectors):
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        if self._sparse and not issparse(rows):
            return (csr_array if isinstance(vectors, csr_array) else csr_matrix)(rows)
        if issparse(rows) and not self._sparse:
            raise ValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data"
            )
        return rows

    def _sums(self, rows: Any) -> Floats:
        """Return the sums of kernels over the support vectors, for each row of dual_coef_."""
        sums: Floats = self._group_sums(rows, [len(self.support_)])[0].T
        return sums

    def _group_sums(self, rows: Any, ends: list[int]) -> Floats:
        """Return the same over groups of adjacent ones: (n_groups, n_sums, n_rows)."""
        coef = self._dense_dual_coef()
        if callable(self.kernel) or self.kernel == "precomputed":
            groups = [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
            sums = [(rows[:, self.support_[g]] @ coef[:, g].T).T for g in groups]
            return np.array(sums)
        kernel = Kernel(self.kernel, self._gamma, float(self.coef0), int(self.degree))
        return group_sums(kernel, rows, self.support_vectors_, coef, ends)

    def _dense_dual_coef(self) -> Floats:
        dense: Floats = self.dual_coef_.toarray() if issparse(self.dual_coef_) else self.dual_coef_
        return dense

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors, for each class of a classifier."""
        if "_n_support" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no n_support_ before it is fitted")
        return self._n_support

    @property
    def coef_(self) -> Any:
        """Coefficients of the features, if ``kernel="linear"``; read-only."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._linear_coef()
        (coef.data if issparse(coef) else coef).flags.writeable = False
        return coef

    def _linear_coef(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_

    def _linear_scores(self, rows: Any) -> Floats:
        """Return ``X @ coef_.T + intercept_``."""
        coef = self.coef_
        scores = rows @ (coef.toarray() if issparse(coef) else coef).T
        return np.asarray(scores, dtype=np.float64) + self.intercept_

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.pairwise = self.kernel == "precomputed"
        tags.sparse = self.kernel != "precomputed"
        tags.positive_only = self.kernel == "chi2"
        return tags


def _values(kernel: Any) -> Floats:
    """Return the values of a callable kernel as a matrix."""
    dense = check_sparse(kernel, "the kernel").toarray() if issparse(kernel) else kernel
    values: Floats = np.asarray(dense, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(
            f"A callable kernel must return a matrix, but returned shape {values.shape}."
        )
    if not all_finite(values):
        raise ValueError("A callable kernel must return finite numbers, but returned others.")
    return values


def positive_weights(X: Any, sample_weight: Any) -> Floats | None:
    """Return the weights of the rows, 0 for negative ones: those rows are left out."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, numbers.Number):
        sample_weight = check_array(
            sample_weight, dtype=np.float64, ensure_2d=False, input_name="sample_weight"
        )
    if not np.any(sample_weight > 0):
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    result: Floats | None = np.maximum(
        check_sample_weight(sample_weight, X, ensure_non_negative=False), 0.0
    )
    return result


def weights_of(data: FitData) -> Floats:
    """Return the weights of the rows, 1 without any."""
    if data.sample_weight is None:
        return np.ones(data.X.shape[0])
    weight: Floats = np.asarray(data.sample_weight, dtype=np.float64)
    return weight
