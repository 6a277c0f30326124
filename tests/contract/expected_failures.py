"""The checks that an estimator is known to fail, and why: class -> check -> reason.

The key ``"*"`` stands for every estimator. An entry may be limited to some instances by `when`. A
listed check that passes fails the suite, so entries cannot outlive their reason.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Expected:
    """One expected failure: its reason, and for which instances it is expected."""

    reason: str
    when: Callable[[Any], bool] = lambda estimator: True


_DRAWN = Expected(
    "predictions are drawn, the i-th row's by the i-th draw; scikit-learn's is exempt too",
    when=lambda estimator: estimator.strategy == "stratified",
)

_BLAS_THREADS = (
    "calls LAPACK and BLAS through SciPy and NumPy, whose own threads change the order of sums"
)

_HALF_FITTED = Expected(
    "check_fit sets n_features_in_, feature_names_in_ and encoding_ before the solver is done, so "
    "that a failed or interrupted fit leaves a mixture"
)

EXPECTED_FAILURES: dict[str, dict[str, Expected]] = {
    "*": {
        "check_dataframe_column_names_consistency": Expected(
            "columns of a data frame in another order are matched by name, not refused; "
            "test_column_names in test_sklearn_checks.py checks the rest",
            when=lambda estimator: not estimator._tags().no_validation,
        ),
    },
    "DummyClassifier": {
        "check_methods_sample_order_invariance": _DRAWN,
        "check_methods_subset_invariance": _DRAWN,
    },
    "LinearRegression": {
        "failed_fit": _HALF_FITTED,
        "blas_threads": Expected(_BLAS_THREADS, when=lambda estimator: estimator.positive),
    },
    "Ridge": {
        "failed_fit": _HALF_FITTED,
        "blas_threads": Expected(
            _BLAS_THREADS,
            when=lambda estimator: (
                estimator.solver in ("svd", "lsqr", "sparse_cg", "sag")
                or (estimator.positive and estimator.solver == "auto")
            ),
        ),
        "extreme_scales": Expected(
            "conjugate gradients on the normal equations square the data",
            when=lambda estimator: estimator.solver == "sparse_cg",
        ),
        "check_non_transformer_estimators_n_iter": Expected(
            "n_iter_ is None for direct solvers and conjugate gradients, as for scikit-learn's "
            "Ridge, which is exempt from this check too",
            when=lambda estimator: estimator.solver in ("auto", "svd", "cholesky", "sparse_cg"),
        ),
        "check_sample_weight_equivalence_on_sparse_data": Expected(
            "sparse data with more columns than rows go to conjugate gradients, which the default "
            "tol=1e-4 stops at 1e-6 of the solution; test_weights.py checks it with a tight tol",
            when=lambda estimator: estimator.solver == "auto" and not estimator.fit_intercept,
        ),
    },
}


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return check -> reason for one instance."""
    entries = {**EXPECTED_FAILURES["*"], **EXPECTED_FAILURES.get(type(estimator).__name__, {})}
    return {check: entry.reason for check, entry in entries.items() if entry.when(estimator)}
