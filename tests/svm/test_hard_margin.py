"""``C=inf``: the widest margin, the flattest tube, and why there is none."""

import time

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog, minimize

from gramian.datasets import load_iris
from gramian.inspection import diagnose, worked
from gramian.metrics.pairwise import pairwise_kernels
from gramian.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVR

INF = float("inf")


def separable(seed):
    """Return rows on both sides of a plane, with a gap between them."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(8, 120)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, p))
    normal = rng.normal(size=p)
    normal /= np.linalg.norm(normal)
    y = np.where(X @ normal + 0.2 * rng.normal() > 0, 1, -1)
    y[:2] = [1, -1]
    side = X @ normal
    gap = 10.0 ** rng.uniform(-2, 0.5)
    X += np.outer(y * (np.abs(side) + gap) - side, normal)
    return X, y


def quadratic_programme(A, b, n_free):
    """Minimise ``|w|^2 / 2`` over (w, b) with ``A (w, b) >= b``; the last `n_free` are free."""
    p = A.shape[1] - n_free
    feasible = linprog(np.zeros(A.shape[1]), A_ub=-A, b_ub=-b, bounds=(None, None))
    found = minimize(
        lambda v: 0.5 * v[:p] @ v[:p],
        feasible.x,
        jac=lambda v: np.concatenate([v[:p], np.zeros(n_free)]),
        constraints={"type": "ineq", "fun": lambda v: A @ v - b, "jac": lambda v: A},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert (A @ found.x - b > -1e-7).all()
    return found.x


@pytest.mark.parametrize("seed", range(20))
def test_margin_is_that_of_the_quadratic_programme(seed):
    X, y = separable(seed)
    model = SVC(kernel="linear", C=INF).fit(X, y)
    solution = quadratic_programme(y[:, None] * np.c_[X, np.ones(len(X))], np.ones(len(X)), 1)
    scale = np.linalg.norm(solution[:-1])
    assert_allclose(model.coef_[0], solution[:-1], atol=1e-6 * scale)
    assert_allclose(model.intercept_, solution[-1], atol=1e-6 * max(scale, abs(solution[-1])))
    assert_allclose(model.margin_, 2.0 / scale, rtol=1e-6)
    score = y * model.decision_function(X)
    assert score.min() == pytest.approx(1.0, abs=1e-9)
    assert_allclose(score[model.support_], 1.0, atol=1e-9)
    assert model.certificate_.converged
    assert model.certificate_.gap < 1e-9
    assert model.certificate_.objective == pytest.approx(0.5 * scale**2, rel=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_penalised_intercept_of_the_linear_machine(seed):
    X, y = separable(seed)
    scaling = 3.0
    model = LinearSVC(C=INF, intercept_scaling=scaling).fit(X, y)
    A = y[:, None] * np.c_[X, np.full(len(X), scaling)]
    solution = quadratic_programme(A, np.ones(len(X)), 0)
    scale = np.linalg.norm(solution)
    assert_allclose(model.coef_[0], solution[:-1], atol=1e-6 * scale)
    assert_allclose(model.intercept_, scaling * solution[-1], atol=3e-6 * scale)
    assert_allclose(model.margin_, 2.0 / np.linalg.norm(model.coef_))
    sparse = LinearSVC(C=INF, intercept_scaling=scaling, loss="hinge").fit(sp.csr_array(X), y)
    assert_allclose(sparse.coef_, model.coef_, rtol=1e-7, atol=1e-9 * scale)


@pytest.mark.parametrize("seed", range(6))
def test_tube_is_that_of_the_quadratic_programme(seed):
    rng = np.random.default_rng(seed)
    n, p = 40, 3
    X = rng.normal(size=(n, p))
    y = X @ [1.0, -2.0, 0.5] + 3.0 + rng.uniform(-0.4, 0.4, n)
    epsilon = 0.5
    sides, targets = np.r_[np.ones(n), -np.ones(n)], np.r_[y - epsilon, -y - epsilon]
    A = sides[:, None] * np.tile(np.c_[X, np.ones(n)], (2, 1))
    solution = quadratic_programme(A, targets, 1)
    model = SVR(kernel="linear", C=INF, epsilon=epsilon).fit(X, y)
    assert_allclose(model.coef_[0], solution[:-1], atol=1e-6)
    assert_allclose(model.intercept_, solution[-1], atol=1e-6)
    assert np.abs(y - model.predict(X)).max() < epsilon + 1e-9
    solution = quadratic_programme(A, targets, 0)
    linear = LinearSVR(C=INF, epsilon=epsilon).fit(X, y)
    assert_allclose(linear.coef_, solution[:-1], atol=1e-6)
    assert_allclose(linear.intercept_, solution[-1], atol=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_conditions_with_kernels_and_several_classes(kernel):
    X, y = load_iris(return_X_y=True)
    _, kept = np.unique(X, axis=0, return_index=True)
    X, y = X[kept], y[kept]
    model = SVC(kernel=kernel, C=INF, gamma=1.0, decision_function_shape="ovo").fit(X, y)
    assert model.score(X, y) == 1.0
    scores = model.decision_function(X)
    for column, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        own = np.where(y == i, 1, -1)[(y == i) | (y == j)]
        margin = own * scores[(y == i) | (y == j), column]
        assert margin.min() == pytest.approx(1.0, abs=1e-6)
    assert model.margin_.shape == (3,)


def test_interpolation_is_a_tube_of_width_zero():
    x = np.linspace(0.0, 5.0, 15)[:, None]
    model = SVR(C=INF, epsilon=0.0, gamma=3.0).fit(x, np.sin(x[:, 0]))
    assert_allclose(model.predict(x), np.sin(x[:, 0]), atol=1e-8)
    gram = pairwise_kernels(x, metric="rbf", gamma=3.0)
    system = np.block([[gram, np.ones((15, 1))], [np.ones((1, 15)), np.zeros((1, 1))]])
    wanted = np.linalg.solve(system, np.r_[np.sin(x[:, 0]), 0.0])
    coef = np.zeros(15)
    coef[model.support_] = model.dual_coef_[0]
    assert_allclose(coef, wanted[:-1], atol=1e-6)


def test_exclusive_or_is_refused_with_the_point_where_the_classes_meet():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    start = time.process_time()
    with pytest.raises(ValueError, match="no plane separates the classes 0 and 1") as raised:
        SVC(kernel="linear", C=INF).fit(X, y)
    assert time.process_time() - start < 1.0
    message = str(raised.value)
    assert "0.5 x row 0 + 0.5 x row 1 (class 0)" in message
    assert "0.5 x row 2 + 0.5 x row 3 (class 1)" in message
    with pytest.raises(ValueError, match="no plane separates"):
        LinearSVC(C=INF).fit(X, y)
    assert SVC(kernel="rbf", C=INF, gamma=1.0).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("make", [lambda: SVC(kernel="linear", C=INF), lambda: LinearSVC(C=INF)])
def test_overlapping_clouds_are_refused_at_once(make):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 10)), rng.integers(0, 2, 5000)
    start = time.process_time()
    with pytest.raises(ValueError, match="same point"):
        make().fit(X, y)
    assert time.process_time() - start < 1.0


def test_named_rows_do_meet():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    with pytest.raises(ValueError, match="same point") as raised:
        SVC(kernel="linear", C=INF).fit(X, y)
    sides = str(raised.value).split("combinations ")[1].split(" are the same")[0].split(" and ")
    points = []
    for side in sides:
        terms = [term.split(" x row ") for term in side.split(" (class")[0].split(" + ")]
        assert {y[int(row)] for _, row in terms} == {len(points)}
        points.append(sum(float(share) * X[int(row)] for share, row in terms))
    assert_allclose(points[0], points[1], atol=0.02)  # shares are printed with three digits


def test_tube_without_a_function_is_refused():
    x = np.array([[0.0], [1.0], [1.0], [2.0]])
    for model in (SVR(kernel="rbf", C=INF), LinearSVR(C=INF, epsilon=0.1)):
        with pytest.raises(ValueError, match=r"of the targets of rows 1, 2: "):
            model.fit(x, [0.0, 1.0, 2.0, 3.0])
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.normal(size=200)
    with pytest.raises(ValueError, match="no function of this kernel"):
        SVR(kernel="linear", C=INF).fit(X, y)
    assert SVR(kernel="linear", C=INF, epsilon=10.0).fit(X, y).n_support_.tolist() == [0]


def test_what_has_no_hard_margin_says_so():
    X, y = separable(0)
    with pytest.raises(ValueError, match="penalty='l1'"):
        LinearSVC(C=INF, penalty="l1").fit(X, y)
    with pytest.raises(ValueError, match="multi_class='crammer_singer'"):
        LinearSVC(C=INF, multi_class="crammer_singer").fit(X, y)
    with pytest.raises(ValueError, match="'C' parameter of NuSVR"):
        NuSVR(C=INF).fit(X, y)


def test_narrow_margins_far_from_the_origin():
    X, y = np.array([[0.0], [1.0], [1.0 + 1e-3], [2.0]]) + 1e5, [0, 0, 1, 1]
    model = SVC(kernel="linear", C=INF).fit(X, y)
    assert_array_equal(model.support_, [1, 2])
    assert model.margin_[0] == pytest.approx(X[2, 0] - X[1, 0], rel=1e-8)
    assert_array_equal(model.predict(X), y)


def test_offsets_that_hide_the_solution_are_blamed():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]) + 1e8, [0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"Centre them, .* SVC\(kernel='linear', C=inf\)"):
        LinearSVC(C=INF, intercept_scaling=1e8).fit(X, y)
    with pytest.raises(ValueError, match=r"SVR\(kernel='linear', C=inf\)"):
        LinearSVR(C=INF, epsilon=0.2, intercept_scaling=1e8).fit(X, X[:, 0] - 1e8)
    assert SVC(kernel="linear", C=INF).fit(X, y).margin_[0] == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(5))
def test_classes_are_separated_where_a_linear_programme_separates_them(seed):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        n, p = int(rng.integers(3, 60)), int(rng.integers(1, 12))
        X = rng.normal(size=(n, p)) + rng.choice([0.0, 1e4])
        y = np.where(X @ rng.normal(size=p) > rng.normal(), 1, -1)
        y[rng.integers(n)] *= rng.choice([1, -1])
        y[:2] = [1, -1]
        A = y[:, None] * np.c_[X - X.mean(axis=0), np.ones(n)]
        widest = linprog(  # the largest t with A v >= t for |v| <= 1
            np.r_[np.zeros(p + 1), -1.0],
            A_ub=np.c_[-A, np.ones(n)],
            b_ub=np.zeros(n),
            bounds=[(-1.0, 1.0)] * (p + 1) + [(0.0, 1.0)],
        )
        if -widest.fun > 1e-7:
            assert SVC(kernel="linear", C=INF).fit(X, y).score(X, y) == 1.0
        else:
            with pytest.raises(ValueError, match="no plane"):
                SVC(kernel="linear", C=INF).fit(X, y)


def test_weights_of_rows_do_not_move_the_margin_but_those_of_zero():
    X, y = separable(3)
    wanted = SVC(kernel="linear", C=INF).fit(X, y)
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    found = SVC(kernel="linear", C=INF).fit(X, y, weight)
    assert_array_equal(found.coef_, wanted.coef_)
    wrong = np.r_[X, X[:1]], np.r_[y, -y[0]]
    with pytest.raises(ValueError, match="no plane"):
        SVC(kernel="linear", C=INF).fit(*wrong)
    found = SVC(kernel="linear", C=INF).fit(*wrong, np.r_[weight, 0.0])
    assert_allclose(found.coef_, wanted.coef_, rtol=1e-12)


def test_a_price_that_nobody_pays_is_that_of_the_hard_margin():
    X, y = separable(2)
    wanted = SVC(kernel="linear", C=INF).fit(X, y)
    for model, weight in ((SVC(kernel="linear", C=1e10), None), (SVC(kernel="linear"), 1e30)):
        found = model.fit(X, y, None if weight is None else np.full(len(y), weight))
        assert_array_equal(found.coef_, wanted.coef_)
        assert found.certificate_.converged
    x = np.linspace(0.0, 5.0, 30)[:, None]
    tubes = [SVR(C=C).fit(x, np.sin(x[:, 0])) for C in (1e10, INF)]
    assert_array_equal(tubes[0].predict(x), tubes[1].predict(x))


def test_large_weights_end():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:]
    for scale in (1e30, 1e300):
        model = SVC(kernel="linear", tol=1e-3)
        start = time.process_time()
        with pytest.warns(match="Solver terminated early"):
            model.fit(X, y, np.full(100, scale))
        assert time.process_time() - start < 20.0
        assert not model.certificate_.converged
        assert np.isfinite(model.intercept_).all()


def test_worked_and_diagnosed():
    X, y = separable(1)
    model = SVC(kernel="linear", C=INF).fit(X, y)
    assert "agree" in worked(model, X, y).steps[-1].text
    assert len(diagnose(model, X, y).findings) == 3
