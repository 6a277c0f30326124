"""Data on which the transformers are compared with scikit-learn's."""

from typing import Any

import numpy as np

import gramian.preprocessing as ours


def theirs(estimator: Any) -> Any:
    """Return scikit-learn's estimator of the same name and parameters."""
    import sklearn.preprocessing

    return getattr(sklearn.preprocessing, type(estimator).__name__)(**estimator.get_params())


def numbers(seed: int = 0, n_rows: int = 60, n_columns: int = 5, *, gaps: bool = False) -> Any:
    """Return columns of unlike scales: one constant, one with ties, and NaN if asked for."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)) * np.logspace(-2, 3, n_columns) + 1.5
    X[:, 1] = 4.25
    X[:, 2] = np.round(X[:, 2])
    if gaps:
        X[rng.random(X.shape) < 0.15] = np.nan
        X[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, 4.25)
    return X


def labels(seed: int = 0, n_rows: int = 80) -> Any:
    """Return an object array of a text, a number and a column with None and NaN."""
    rng = np.random.default_rng(seed)
    X = np.empty((n_rows, 3), dtype=object)
    X[:, 0] = np.array(["ash", "birch", "cedar", "elm"], dtype=object)[
        rng.choice(4, n_rows, p=[0.5, 0.3, 0.15, 0.05])
    ]
    X[:, 1] = rng.integers(0, 6, n_rows)
    X[:, 2] = np.array(["a", None, float("nan"), "b"], dtype=object)[rng.integers(0, 4, n_rows)]
    return X


def assert_same_state(found: Any, expected: Any, names: str, rtol: float = 1e-10) -> None:
    """Assert that fitted attributes agree."""
    for name in names.split():
        value, wanted = getattr(found, name), getattr(expected, name)
        if wanted is None:
            assert value is None, name
            continue
        np.testing.assert_allclose(value, wanted, rtol=rtol, atol=1e-12, err_msg=name)


def dense(X: Any) -> Any:
    """Return a matrix of any kind as an array."""
    return X.toarray() if hasattr(X, "toarray") else X


ALL = [name for name in ours.__all__ if isinstance(getattr(ours, name), type)]
