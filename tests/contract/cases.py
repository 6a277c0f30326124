"""The estimators under test, the data that suit them, and what they compute."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.contract.expected_failures import expected_failures
from tests.contract.toys import TOYS

from gramian.base import clone
from gramian.registry import all_estimators

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "DummyClassifier": [{"strategy": "stratified"}],
    "DummyRegressor": [{"strategy": "median"}],
    "LinearRegression": [{"positive": True}, {"fit_intercept": False}],
    "Ridge": [
        {"positive": True},
        {"fit_intercept": False},
        {"solver": "svd"},
        {"solver": "cholesky"},
        {"solver": "lsqr"},
        {"solver": "sparse_cg"},
        {"solver": "sag"},
        {"solver": "saga"},
        {"solver": "lbfgs", "positive": True},
    ],
}
"""Further parameters under which a class takes part in the checks."""

PRECISE: dict[tuple[str, str | None], tuple[dict[str, Any], float]] = {
    ("LinearRegression", None): ({"tol": 1e-13}, 1e-10),
    ("Ridge", "auto"): ({"tol": 1e-12}, 1e-9),  # iterates on some sparse data
    ("Ridge", "lsqr"): ({"tol": 1e-12, "max_iter": 10_000}, 1e-8),
    ("Ridge", "sparse_cg"): ({"tol": 1e-12, "max_iter": 10_000}, 1e-8),
    ("Ridge", "sag"): ({"tol": 1e-12, "max_iter": 100_000}, 1e-7),
    ("Ridge", "saga"): ({"tol": 1e-12, "max_iter": 100_000}, 1e-7),
    ("Ridge", "lbfgs"): ({"tol": 1e-9, "max_iter": 2_000}, 1e-5),
}
"""Class and solver -> parameters with which an iterative solver comes close to the optimum, and how
close its predictions then are."""

EXACT: tuple[dict[str, Any], float] = ({}, 1e-10)
"""The same for solvers that do not iterate."""

METHODS = ("predict", "predict_proba", "decision_function", "score_samples", "transform")


def registered() -> list[Any]:
    """Return an instance of every registered estimator, and its variants."""
    return [
        cls(**params) for name, cls in all_estimators() for params in [{}, *VARIANTS.get(name, [])]
    ]


def instances() -> list[Any]:
    """Return every estimator that the checks are about: the registered ones and the toys."""
    return [*registered(), *(toy() for toy in TOYS)]


def short_name(estimator: Any) -> str:
    """Return a test's name for an estimator."""
    return "".join(repr(estimator).split())


def each_estimator(
    check: str, where: Callable[[Any], bool] = lambda estimator: True
) -> pytest.MarkDecorator:
    """Parametrise a test with the estimators; those in the table of failures must fail."""
    params = []
    for estimator in filter(where, instances()):
        reason = expected_failures(estimator).get(check)
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        params.append(pytest.param(estimator, id=short_name(estimator), marks=marks))
    return pytest.mark.parametrize("estimator", params)


def fresh(estimator: Any, *, precise: bool = False) -> Any:
    """Return an unfitted copy with a fixed seed, and with tight tolerances if `precise`."""
    copy = clone(estimator)
    if "random_state" in copy.get_params(deep=False):
        copy.set_params(random_state=0)
    return copy.set_params(**_precision(copy)[0]) if precise else copy


def tolerance(estimator: Any) -> float:
    """Return how well a precise fit reproduces its optimum, relative to the largest output."""
    return _precision(estimator)[1]


def _precision(estimator: Any) -> tuple[dict[str, Any], float]:
    return PRECISE.get((type(estimator).__name__, getattr(estimator, "solver", None)), EXACT)


def is_registered(estimator: Any) -> bool:
    """Tell the library's estimators from the toys."""
    return not isinstance(estimator, TOYS)


def takes_any_scale(estimator: Any) -> bool:
    """Tell whether ``fit`` converges on columns of unlike scales; gradient descent does not."""
    return getattr(estimator, "solver", None) not in ("sag", "saga", "lbfgs")


def takes_weight(estimator: Any) -> bool:
    """Tell whether ``fit`` takes `sample_weight`."""
    return "sample_weight" in inspect.signature(estimator.fit).parameters


def takes_sparse(estimator: Any) -> bool:
    """Tell whether ``fit`` takes sparse matrices."""
    return bool(estimator._tags().sparse)


def reads_features(estimator: Any) -> bool:
    """Tell whether ``fit`` looks at the values of X."""
    return not estimator._tags().no_validation


def make_data(
    estimator: Any, n_samples: int = 60, n_features: int = 4, seed: int = 0
) -> tuple[Any, Any]:
    """Return X and y that suit the estimator's kind: three groups, or a linear trend."""
    tags = estimator._tags()
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    groups = rng.permutation(np.arange(n_samples) % (3 if tags.multi_class else 2))
    if tags.estimator_type != "regressor":
        X[:, 0] += 4.0 * groups
        X[:, -1] -= 2.0 * groups
    X = np.abs(X) if tags.positive_only else X
    y = make_target(estimator, X, groups, rng)
    return (X @ X.T, y) if tags.pairwise else (X, y)


def make_target(estimator: Any, X: Any, groups: Any, rng: np.random.Generator) -> Any:
    """Return a target for the rows of `X`, or None if the estimator takes none."""
    tags = estimator._tags()
    if tags.estimator_type == "classifier":
        return np.array(["ash", "birch", "cedar"])[groups]
    if tags.estimator_type != "regressor":
        return None
    slopes = np.linspace(1.0, 2.0, X.shape[1])
    y = 0.5 + X @ slopes + 0.3 * rng.standard_normal(len(X))
    return np.exp(0.2 * y) if tags.positive_y else y


def fit(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Fit with the arguments that are there."""
    weight = {} if sample_weight is None else {"sample_weight": sample_weight}
    return estimator.fit(X, **weight) if y is None else estimator.fit(X, y, **weight)


def outputs(estimator: Any, X: Any) -> dict[str, Any]:
    """Return what a fitted estimator says about rows, by method."""
    found = {name: getattr(estimator, name)(X) for name in METHODS if hasattr(estimator, name)}
    return found or {"labels_": estimator.labels_}


def assert_same(first: dict[str, Any], second: dict[str, Any], rtol: float) -> None:
    """Assert that outputs agree up to `rtol` of the largest one; labels agree exactly."""
    assert first.keys() == second.keys()
    for method, values in first.items():
        if np.asarray(values).dtype.kind != "f":
            np.testing.assert_array_equal(second[method], values, err_msg=method)
            continue
        size = float(np.abs(values).max(initial=0.0))
        np.testing.assert_allclose(
            second[method], values, rtol=rtol, atol=rtol * size, err_msg=method
        )


def assert_identical(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Assert that outputs have the same types and bits."""
    assert first.keys() == second.keys()
    for method, values in first.items():
        assert second[method].dtype == values.dtype, method
        assert second[method].tobytes() == values.tobytes(), method
