"""LogisticRegression: scikit-learn's optimum for every solver and penalty, and what it proves."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression as Theirs

import gramian
from gramian.exceptions import ConvergenceWarning, InvalidParameterError
from gramian.linear_model import LogisticRegression

Arrays = tuple[Any, Any]


def make(n: int = 400, p: int = 6, n_classes: int = 2, seed: int = 0) -> Arrays:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + rng.standard_normal(p)
    Z = X @ rng.standard_normal((p, n_classes)) / 2.0
    return X, (Z + rng.gumbel(size=Z.shape)).argmax(axis=1)


def objective(model: Any, X: Any, y: Any, C: float, ratio: float = 0.0) -> float:
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(y)), scores])
    losses = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y]
    sizes = ratio * np.abs(model.coef_).sum() + (1 - ratio) / 2 * (model.coef_**2).sum()
    return float(C * losses.sum() + sizes)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.01, 1.0, np.inf])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_optimum_is_scikit_learns(n_classes: int, C: float, fit_intercept: bool) -> None:
    X, y = make(n_classes=n_classes)
    options: dict[str, Any] = {"C": C, "fit_intercept": fit_intercept}
    theirs = Theirs(solver="newton-cholesky", tol=1e-10, **options).fit(X, y)
    ours = LogisticRegression(**options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert ours.certificate_.converged


@pytest.mark.parametrize("solver", ["newton-cholesky", "newton-cg", "sag", "saga", "gd"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_solvers_agree(solver: str, n_classes: int) -> None:
    X, y = make(n_classes=n_classes)
    best = LogisticRegression(tol=1e-8).fit(X, y)
    other = LogisticRegression(solver=solver, tol=1e-8, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(other.coef_, best.coef_, atol=1e-6)
    np.testing.assert_allclose(other.intercept_, best.intercept_, atol=1e-6)


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("scaling", [1.0, 3.0])
def test_liblinear_penalises_the_constant(l1_ratio: float, scaling: float) -> None:
    X, y = make()
    options: dict[str, Any] = {
        "solver": "liblinear",
        "C": 0.1,
        "l1_ratio": l1_ratio,
        "intercept_scaling": scaling,
    }
    theirs = Theirs(tol=1e-10, max_iter=10_000, **options).fit(X, y)
    ours = LogisticRegression(**options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.3, 1.0])
def test_sparse_penalties(n_classes: int, l1_ratio: float) -> None:
    X, y = make(n_classes=n_classes, p=10)
    options: dict[str, Any] = {"solver": "saga", "C": 0.05, "l1_ratio": l1_ratio}
    theirs = Theirs(tol=1e-10, max_iter=50_000, **options).fit(X, y)
    ours = LogisticRegression(**options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert objective(ours, X, y, 0.05, l1_ratio) <= objective(theirs, X, y, 0.05, l1_ratio) + 1e-10
    assert ours.certificate_.gap < 1e-5
    assert ours.certificate_.dual_bound <= ours.certificate_.objective


def test_l1_penalty_above_the_largest_gradient_leaves_nothing() -> None:
    X, y = make()
    largest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max()
    nothing = LogisticRegression(solver="saga", l1_ratio=1.0, C=0.99 / largest).fit(X, y)
    something = LogisticRegression(solver="saga", l1_ratio=1.0, C=1.01 / largest).fit(X, y)
    assert not nothing.coef_.any()
    assert np.count_nonzero(something.coef_) == 1
    share = y.mean()
    np.testing.assert_allclose(nothing.intercept_, np.log(share / (1 - share)), atol=1e-8)


def test_sample_as_start_and_preconditioner() -> None:
    """More rows than the sample, columns of unlike scale: few iterations, the same optimum."""
    X, y = make(30_000, 40, seed=3)
    X = X * 10.0 ** np.linspace(-2, 2, 40)
    ours = LogisticRegression(C=1e4).fit(X, y)
    newton = LogisticRegression(C=1e4, solver="newton-cholesky", tol=1e-9).fit(X, y)
    assert ours.n_iter_[0] < 15
    np.testing.assert_allclose(ours.coef_, newton.coef_, rtol=1e-5, atol=1e-6)


def test_many_classes_by_preconditioned_lbfgs() -> None:
    X, y = make(6_000, 60, 12, seed=1)
    exact = LogisticRegression(solver="newton-cg", tol=1e-9).fit(X, y)
    ours = LogisticRegression(tol=1e-7).fit(X, y)
    np.testing.assert_allclose(ours.coef_, exact.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.coef_.sum(axis=0), 0.0, atol=1e-10)
    rough = LogisticRegression().fit(X, y)
    excess = rough.certificate_.objective - exact.certificate_.objective
    assert 0.0 <= excess <= 1e-7 * exact.certificate_.objective
    assert rough.certificate_.gap < 1e-4


@pytest.mark.parametrize("n_classes", [8, 9, 10, 17])
def test_numbers_of_classes_around_those_that_fill_vectors(n_classes: int) -> None:
    X, y = make(1_500, 6, n_classes, seed=2)
    ours = LogisticRegression(tol=1e-8).fit(X, y)
    theirs = Theirs(tol=1e-8, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    rows = sparse.csr_array(X)
    again = LogisticRegression(tol=1e-8).fit(rows, y)
    np.testing.assert_allclose(again.coef_, ours.coef_, atol=1e-7)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"solver": "saga", "l1_ratio": 1.0, "C": 0.1}])
def test_layouts_agree(n_classes: int, options: dict[str, Any]) -> None:
    X, y = make(n_classes=n_classes)
    X[np.abs(X) < 0.5] = 0.0
    dense = LogisticRegression(tol=1e-8, **options).fit(X, y)
    for other in (np.asfortranarray(X), sparse.csr_array(X), X[::-1].copy()[::-1]):
        again = LogisticRegression(tol=1e-8, **options).fit(other, y)
        np.testing.assert_allclose(again.coef_, dense.coef_, atol=1e-8)
    single = LogisticRegression(**options).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    assert single.predict_proba(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.coef_, dense.coef_, atol=1e-4)


def test_wide_data_take_the_diagonal() -> None:
    X, y = make(200, 2500)
    ours = LogisticRegression(C=0.1, max_iter=500).fit(X, y)
    theirs = Theirs(C=0.1, solver="newton-cg", tol=1e-9, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_class_weights() -> None:
    X, y = make(n_classes=3)
    weights = np.random.default_rng(0).uniform(0.0, 2.0, len(y))
    for class_weight in ("balanced", {0: 2.0, 2: 0.5}):
        ours = LogisticRegression(class_weight=class_weight).fit(X, y, weights)
        theirs = Theirs(class_weight=class_weight, solver="newton-cholesky", tol=1e-10)
        np.testing.assert_allclose(ours.coef_, theirs.fit(X, y, weights).coef_, atol=1e-6)


def test_certificate_holds() -> None:
    X, y = make(n_classes=3)
    rough = LogisticRegression(solver="gd", tol=1e-2, max_iter=1000).fit(X, y).certificate_
    best = LogisticRegression(tol=1e-9).fit(X, y)
    assert rough.dual_bound <= best.certificate_.objective <= rough.objective
    assert best.certificate_.gap < 1e-10
    np.testing.assert_allclose(best.certificate_.objective, objective(best, X, y, 1.0), rtol=1e-12)


def test_log_probabilities_of_certain_rows() -> None:
    model = LogisticRegression(C=1e6).fit([[-1.0], [1.0]], [0, 1])
    logs = model.predict_log_proba([[1e4]])
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(logs[0, 0], -model.decision_function([[1e4]])[0])
    X, y = make(n_classes=3)
    several = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(several.predict_log_proba(X), np.log(several.predict_proba(X)))


def test_separable_data_end() -> None:
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    with pytest.warns(ConvergenceWarning, match="separate"):
        model = LogisticRegression(C=np.inf).fit(X, [0, 0, 1, 1])
    assert np.isfinite(model.coef_).all()
    assert model.score(X, [0, 0, 1, 1]) == 1.0


def test_warm_start() -> None:
    X, y = make(n_classes=3)
    model = LogisticRegression(warm_start=True, tol=1e-8).fit(X, y)
    first = model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_[0] <= 1
    np.testing.assert_allclose(model.coef_, first, atol=1e-8)
    with pytest.raises(ValueError, match="warm_start"):
        model.fit(X[:, :3], y)


def test_not_converged_says_what_to_do() -> None:
    X, y = make()
    X[:, 0] *= 1e5
    with pytest.warns(ConvergenceWarning, match="Increase the number of iterations.*scale"):
        model = LogisticRegression(solver="gd", max_iter=3).fit(X, y)
    assert not model.certificate_.converged
    assert model.n_iter_[0] == 3


def test_time_limit_keeps_the_best_so_far() -> None:
    X, y = make(20_000, 30)
    with gramian.config(time_limit=1e-6):
        model = LogisticRegression(solver="gd", tol=1e-12, max_iter=100_000).fit(X, y)
    assert model.certificate_.details["stopped"] == "time limit"


def test_errors() -> None:
    X, y = make(n_classes=3)
    with pytest.raises(ValueError, match=r"liblinear.*multiclass"):
        LogisticRegression(solver="liblinear").fit(X, y)
    with pytest.raises(ValueError, match="supports only 'l2' or None penalties, got l1"):
        LogisticRegression(l1_ratio=1.0).fit(X, y)
    with pytest.raises(ValueError, match="Only 'saga'"):
        LogisticRegression(l1_ratio=0.5, solver="liblinear").fit(X, y)
    with pytest.raises(ValueError, match="dual=False"):
        LogisticRegression(dual=True).fit(X, y)
    with pytest.raises(ValueError, match="one class"):
        LogisticRegression().fit(X, np.zeros(len(y)))
    with pytest.raises(InvalidParameterError, match="'C'"):
        LogisticRegression(C=0.0).fit(X, y)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        LogisticRegression().fit(X, y)


def test_deprecated_penalty() -> None:
    X, y = make()
    with pytest.warns(FutureWarning, match="penalty"):
        plain = LogisticRegression(penalty=None).fit(X, y)
    np.testing.assert_allclose(plain.coef_, LogisticRegression(C=np.inf).fit(X, y).coef_)
    with pytest.warns(FutureWarning, match="l1_ratio=None"):
        LogisticRegression(l1_ratio=None).fit(X, y)


def test_verbose_prints_the_certificate(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = make()
    LogisticRegression(verbose=1).fit(X, y)
    assert "gradient" in capsys.readouterr().out
