"""The gap of a certificate bounds how far the objective is above its minimum.

Objectives are written here from their definitions, and evaluated at the coefficients that a model
returned. Minima come from the same solver run to the end and, so that it need not be believed, from
conditions of optimality checked in extended precision: a point whose duality gap in ``longdouble``
is below 1e-13 is a minimum to that precision.
"""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from gramian import config, linear_model

N_PROBLEMS = 20
LONG = np.longdouble


def problem_of(seed, *, n_targets=None, n_classes=None):
    """Random data; the seed decides on shape, scales, weights, sparsity, precision, intercept."""
    rng = np.random.default_rng(seed)
    n, p = [(40, 6), (25, 40), (120, 15), (60, 3)][seed % 4]
    X = rng.standard_normal((n, p)) * 10.0 ** rng.uniform(-1, 1, p) + rng.uniform(-2, 2, p)
    is_sparse = seed % 3 == 0
    if is_sparse:
        X[rng.uniform(size=X.shape) < 0.6] = 0.0
    X = X.astype(np.float32 if seed % 5 == 0 else np.float64)
    shape = (p,) if n_targets is None else (p, n_targets)
    score = (X - X.mean(axis=0)) @ (rng.standard_normal(shape) / X.std(axis=0).max())
    y = score + 0.5 * rng.standard_normal(score.shape) + 1.0
    y = y.astype(X.dtype).astype(np.float64)  # some models take the target in the precision of X
    if n_classes is not None:
        cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
        y = np.searchsorted(cuts, score + 0.5 * rng.logistic(size=n))
    weight = None if seed % 2 else rng.integers(0, 4, n).astype(np.float64)
    return SimpleNamespace(
        X=sparse.csr_array(X) if is_sparse else X,
        dense=X.astype(LONG),
        y=y,
        weight=weight,
        w=np.ones(n, LONG) if weight is None else weight.astype(LONG),
        fit_intercept=seed % 7 != 0,
        strength=10.0 ** rng.uniform(-2, 1),
    )


def fit(model, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data.X, data.y, sample_weight=data.weight)


def check_bound(model, best, objective, slack=1e-12):
    """Check objective, bound and gap of `model` against the minimum that `best` reached."""
    certificate = model.certificate_
    value, minimum = objective(model), objective(best)
    scale = abs(float(value))
    assert certificate.objective == pytest.approx(float(value), rel=max(1e-11, slack))
    assert certificate.dual_bound <= float(minimum) + slack * scale
    assert certificate.gap * scale >= float(value - minimum) - slack * scale
    assert certificate.gap >= 0.0
    return certificate.gap, float(value - minimum) / scale


def scores_of(model, data):
    coef = np.asarray(model.coef_, LONG)
    return data.dense @ coef.T + np.asarray(model.intercept_, LONG)


# Least squares: sum_i w_i |r_i|^2 / 2 + l1 sum_j |v_j| + l2/2 |V|^2, times `factor`.


def least_squares(data, Y, l1, l2, factor):
    Y = np.asarray(Y, LONG).reshape(len(Y), -1)

    def parts(model):
        coef = np.atleast_2d(np.asarray(model.coef_, LONG)).T
        residual = Y - data.dense @ coef - np.asarray(model.intercept_, LONG)
        return coef, residual

    def objective(model):
        coef, residual = parts(model)
        sizes = np.sqrt((coef**2).sum(axis=1))
        loss = (data.w[:, None] * residual**2).sum() / 2
        return factor * (loss + l1 * sizes.sum() + l2 / 2 * (sizes**2).sum())

    def dual(model):
        coef, residual = parts(model)
        X = data.dense
        if data.fit_intercept:
            residual = residual - data.w @ residual / data.w.sum()
        slope = X.T @ (data.w[:, None] * residual)
        reach = np.sqrt(((slope - l2 * coef) ** 2).sum(axis=1)).max()
        share = LONG(1) if l1 == 0 or reach <= l1 else l1 / reach
        found = [dual_at(share, residual, slope)]
        if l2 > 0:  # every multiple of the residuals is feasible then, the whole, too
            found.append(dual_at(LONG(1), residual, slope))
        if l2 > 0 and l1 > 0:  # the L2 penalty as further rows, scaled with the residuals
            whole = (data.w[:, None] * residual * Y).sum(), (data.w[:, None] * residual**2).sum()
            scaled = share**2 * l2 * (coef**2).sum() / 2
            found.append(factor * (share * whole[0] - share**2 * whole[1] / 2 - scaled))
        return max(found)

    def dual_at(share, residual, slope):
        norms = np.sqrt((share**2 * slope**2).sum(axis=1))
        beyond = np.maximum(norms - l1, 0)
        along = share * (data.w[:, None] * residual * Y).sum()
        square = share**2 * (data.w[:, None] * residual**2).sum()
        penalty = (beyond**2).sum() / (2 * l2) if l2 > 0 else LONG(0)
        return factor * (along - square / 2 - penalty)

    return objective, dual


def verified(best, objective, dual, precision=1e-11):
    """Return `best` after a check that no point is better by more than a share of `precision`."""
    value = objective(best)
    assert value - dual(best) <= precision * value
    return best


def double(data):
    """Return the same data as a dense matrix of double precision."""
    return SimpleNamespace(**{**vars(data), "X": data.dense.astype(np.float64)})


RIDGE_SOLVERS = [
    {"solver": "auto"},
    {"solver": "svd"},
    {"solver": "lsqr", "max_iter": 2},
    {"solver": "sparse_cg", "max_iter": 3},
    {"solver": "sag", "max_iter": 2, "random_state": 0},
    {"solver": "saga", "max_iter": 20, "random_state": 0},
]


@pytest.mark.parametrize("name", ["Ridge", "RidgeClassifier"])
def test_ridge(name):
    model_of, gaps = getattr(linear_model, name), []
    for seed in range(N_PROBLEMS):
        n_classes = None if name == "Ridge" else 2 + seed % 3
        data = problem_of(seed, n_targets=None if n_classes else 1 + seed % 3, n_classes=n_classes)
        Y = np.asarray(data.y)
        if n_classes:
            data.y = data.y * 2 - 1 if n_classes == 2 else data.y
            classes = [1] if n_classes == 2 else range(n_classes)
            Y = np.column_stack([np.where(data.y == k, 1.0, -1.0) for k in classes])
        alpha = data.strength
        objective, dual = least_squares(data, Y, 0.0, LONG(alpha), 2)
        common = {"alpha": alpha, "fit_intercept": data.fit_intercept}
        best = verified(fit(model_of(**common), double(data)), objective, dual)
        for options in RIDGE_SOLVERS:
            if options["solver"] == "svd" and sparse.issparse(data.X):
                continue
            model = fit(model_of(**common, **options), data)
            gaps.append(check_bound(model, best, objective))
        if name == "Ridge":
            best = fit(model_of(**common, positive=True), double(data))
            model = fit(model_of(**common, positive=True, solver="lbfgs", max_iter=2), data)
            check_bound(model, best, objective)
    assert_telling(gaps)


def assert_telling(gaps):
    """Check that some fits were far from their minimum, and that the bound is not an empty one."""
    gap, excess = np.transpose(gaps)
    assert excess.max() > 1e-3
    assert gap.max() <= 1.0 + 1e-12
    assert gap.min() < 1e-8


@pytest.mark.parametrize("name", ["Lasso", "ElasticNet", "MultiTaskLasso", "MultiTaskElasticNet"])
def test_coordinate_descent(name):
    model_of, gaps = getattr(linear_model, name), []
    for seed in range(N_PROBLEMS):
        data = problem_of(seed, n_targets=3 if name.startswith("Multi") else None)
        total, ratio = float(data.w.sum()), 1.0
        common = {"alpha": 0.1 * data.strength, "fit_intercept": data.fit_intercept}
        if name.endswith("Net"):
            common["l1_ratio"] = ratio = [0.5, 0.05, 0.95, 0.2][seed % 4]
        scale = LONG(common["alpha"]) * LONG(total)
        objective, dual = least_squares(
            data, data.y, scale * LONG(ratio), scale * (1 - LONG(ratio)), 1 / LONG(total)
        )
        best = fit(model_of(**common, tol=1e-14, max_iter=100_000), double(data))
        verified(best, objective, dual, 1e-10)
        for max_iter in (1, 2, 5, 1000):
            model = fit(model_of(**common, max_iter=max_iter), data)
            gaps.append(check_bound(model, best, objective, 1e-10))
        if not name.startswith("Multi"):
            common["positive"] = True
            best = fit(model_of(**common, tol=1e-14, max_iter=100_000), double(data))
            model = fit(model_of(**common, max_iter=2), data)
            check_bound(model, best, objective)
    assert_telling(gaps)


# Logistic regression: sum_i w_i loss_i + l1 |v|_1 + l2/2 |v|^2.


def log_probabilities(scores):
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def logistic(data, l1, l2, constant_penalty):
    is_one = np.equal.outer(data.y, np.unique(data.y)).astype(LONG)

    def penalty(model):
        params = np.asarray(model.coef_, LONG)
        if constant_penalty:
            params = np.column_stack([params, np.asarray(model.intercept_, LONG)])
        return params, l1 * np.abs(params).sum() + l2 / 2 * (params**2).sum()

    def objective(model):
        logs = log_probabilities(scores_of(model, data))
        return -(data.w[:, None] * is_one * logs).sum() + penalty(model)[1]

    def dual(model):
        """Entropy of probabilities that a feasible scaling makes of the model's."""
        probability = np.exp(log_probabilities(scores_of(model, data)))
        excess = data.w[:, None] * (probability - is_one)
        columns = excess[:, 1:] if probability.shape[1] == 2 else excess
        X = np.column_stack([data.dense, np.ones(len(data.dense))])
        slope = np.abs(columns.T @ (X if constant_penalty else data.dense))
        # The best solution's derivatives cancel, all but exactly, where a constant is free.
        is_free = data.fit_intercept and not constant_penalty
        assert not is_free or np.abs(columns.sum(axis=0)).max() < 1e-9 * data.w.sum()
        share = LONG(1)
        if l2 == 0:
            share = min(share, l1 / slope.max())
        mixed = is_one + share * (probability - is_one)
        entropy = -(data.w[:, None] * mixed * np.log(np.maximum(mixed, LONG(1e-4000)))).sum()
        beyond = np.maximum(share * slope - l1, 0)
        return entropy - ((beyond**2).sum() / (2 * l2) if l2 > 0 else LONG(0))

    return objective, dual


LOGISTIC = {
    "l2": (0.0, ("lbfgs", "newton-cg", "newton-cholesky", "gd")),
    "l1": (1.0, ("saga",)),
    "elastic net": (0.3, ("saga",)),
}


@pytest.mark.parametrize("n_classes", [2, 3], ids=["binary", "multinomial"])
@pytest.mark.parametrize("penalty", LOGISTIC)
def test_logistic(penalty, n_classes):
    (ratio, solvers), gaps = LOGISTIC[penalty], []
    for seed in range(N_PROBLEMS):
        data = problem_of(seed, n_classes=n_classes)
        common = {"C": data.strength, "l1_ratio": ratio, "fit_intercept": data.fit_intercept}
        strength = 1 / LONG(data.strength)
        objective, dual = logistic(
            data, strength * LONG(ratio), strength * (1 - LONG(ratio)), False
        )
        best = fit_logistic(data, common, solvers[0], tol=1e-13, max_iter=10_000)
        verified(best, objective, dual, 1e-10)
        for solver in solvers:
            for max_iter in (0, 1, 3, 100):
                model = linear_model.LogisticRegression(**common, solver=solver, max_iter=max_iter)
                gaps.append(check_bound(fit(model, data), best, objective))
    assert_telling(gaps)


def fit_logistic(data, common, solver, **options):
    return fit(linear_model.LogisticRegression(**common, **options, solver=solver), double(data))


@pytest.mark.parametrize("ratio", [0.0, 1.0], ids=["l2", "l1"])
def test_logistic_with_a_penalised_constant(ratio):
    for seed in range(N_PROBLEMS):
        data = problem_of(seed, n_classes=2)
        common = {"C": data.strength, "l1_ratio": ratio, "fit_intercept": data.fit_intercept}
        strength = 1 / LONG(data.strength)
        penalties = strength * LONG(ratio), strength * (1 - LONG(ratio))
        objective, dual = logistic(data, *penalties, data.fit_intercept)
        best = fit_logistic(data, common, "liblinear", tol=1e-13, max_iter=10_000)
        verified(best, objective, dual, 1e-10)
        for max_iter in (0, 1, 3, 100):
            model = linear_model.LogisticRegression(**common, solver="liblinear", max_iter=max_iter)
            check_bound(fit(model, data), best, objective)


# Generalised: (1 / sum w) sum_i w_i d(y_i, exp(z_i)) / 2 + alpha/2 |v|^2, d the deviance.


def half_deviance(power, y, scores):
    """Return half the deviance of each row, and the sizes of the terms that it is made of."""
    if power == 1:
        terms = [np.where(y > 0, y * np.log(np.where(y > 0, y, 1)), 0), -y, np.exp(scores)]
        terms.append(-y * scores)
    elif power == 2:
        terms = [scores, y * np.exp(-scores), -np.ones_like(y), -np.log(y)]
    else:
        a, b = LONG(2) - power, LONG(1) - power
        terms = [y**a / (a * b), -y * np.exp(b * scores) / b, np.exp(a * scores) / a]
    return sum(terms), sum(np.abs(term) for term in terms)


def generalized(data, power, alpha):
    y, power = np.asarray(data.y, LONG), LONG(power)

    def objective(model):
        losses, _ = half_deviance(power, y, scores_of(model, data))
        penalty = alpha / 2 * (np.asarray(model.coef_, LONG) ** 2).sum()
        return data.w @ losses / data.w.sum() + penalty

    def dual(model):
        """Value at the slopes of the model, whose weighted mean is zero at the best constant."""
        scores = scores_of(model, data)
        slope = np.exp((2 - power) * scores) - y * np.exp((1 - power) * scores)
        w = data.w / data.w.sum()
        if data.fit_intercept:
            assert abs(w @ slope) < 1e-11 * (w @ np.exp((2 - power) * scores))
        # With a constant its gradient times it is left out: the slopes cancel.
        pull = data.dense.T @ (w * slope)
        along = pull @ np.asarray(model.coef_, LONG)
        conjugate = along - w @ half_deviance(power, y, scores)[0]
        return -conjugate - (pull @ pull) / (2 * alpha)

    def slack(model):
        """Share of the objective that rounding of its terms makes."""
        _, sizes = half_deviance(power, y, scores_of(model, data))
        return max(1e-12, float(1e-14 * (data.w @ sizes) / data.w.sum() / objective(model)))

    return objective, dual, slack


GENERALIZED = {
    "PoissonRegressor": (1, {}),
    "GammaRegressor": (2, {}),
    "TweedieRegressor": (1.5, {"power": 1.5}),
}


def positive_problem_of(seed, power):
    """Random data whose target is one of the distribution: counts, positive, or partly zero."""
    data = problem_of(seed)
    rng = np.random.default_rng(1000 + seed)
    mean = np.exp(data.y - data.y.mean() + rng.uniform(-3, 3))
    y = rng.poisson(mean) if power == 1 else mean * rng.gamma(2.0, 0.5, len(mean))
    if power == 1.5:
        y[rng.uniform(size=len(y)) < 0.3] = 0.0
    data.y = np.asarray(y, np.float64)
    data.y[0] = max(data.y[0], 1.0)
    if data.weight is not None:
        data.weight[0] = data.w[0] = 1.0  # so that some target counts that is not zero
    return data


@pytest.mark.parametrize("name", GENERALIZED)
def test_generalized(name):
    (power, options), gaps = GENERALIZED[name], []
    model_of = getattr(linear_model, name)
    for seed in range(N_PROBLEMS):
        data = positive_problem_of(seed, power)
        common = {"alpha": data.strength, "fit_intercept": data.fit_intercept, **options}
        objective, dual, slack = generalized(data, power, LONG(data.strength))
        best = model_of(**common, solver="newton-cholesky", tol=1e-13, max_iter=10_000)
        verified(fit(best, double(data)), objective, dual, 1e-10)
        rounding = slack(best)
        for solver in ("lbfgs", "newton-cholesky"):
            for max_iter in (1, 2, 4, 100):
                model = model_of(**common, solver=solver, max_iter=max_iter)
                gaps.append(check_bound(fit(model, data), best, objective, rounding))
    assert_telling(gaps)


@pytest.mark.parametrize("unit", [1e-9, 1e6], ids=["small", "large"])
def test_generalized_in_other_units(unit):
    """The mean of y may have any size: what cancels is told from what does not by its terms."""
    data = positive_problem_of(2, 1)
    data.y = data.y * unit
    common = {"alpha": 0.1 * unit, "tol": 1e-4 * unit}
    objective, _, _ = generalized(data, 1, LONG(common["alpha"]))
    best = linear_model.PoissonRegressor(**{**common, "tol": 1e-13 * unit}, max_iter=1000)
    fit(best, data)
    for max_iter in (1, 2, 100):
        model = fit(linear_model.PoissonRegressor(**common, max_iter=max_iter), data)
        gap, _ = check_bound(model, best, objective, 1e-9)
    assert gap < 1e-6


@pytest.mark.parametrize("options", [{"power": 3}, {"power": 0, "link": "log"}], ids=["3", "log"])
def test_a_loss_that_is_not_convex_claims_no_bound(options):
    data = positive_problem_of(2, 2)
    certificate = fit(linear_model.TweedieRegressor(**options), data).certificate_
    assert certificate.dual_bound is None and certificate.gap is None
    assert "not convex" in certificate.statement


# Huber: sum_i w_i (s + s H(r_i / s)) + alpha |v|^2, H(z) = z^2 up to epsilon, then linear.


def huber(data, alpha, epsilon):
    def residuals(model):
        return np.asarray(data.y, LONG) - scores_of(model, data)

    def objective(model):
        scale = LONG(model.scale_)
        z = np.abs(residuals(model)) / scale
        losses = np.where(z <= epsilon, z**2, 2 * epsilon * z - epsilon**2)
        coef = np.asarray(model.coef_, LONG)
        return (data.w * scale * (1 + losses)).sum() + alpha * (coef**2).sum()

    def dual(model):
        """Value at slopes u with sum w u = 0, |u| <= 2 epsilon and sum w u^2 <= 4 sum w."""
        u = 2 * np.clip(residuals(model) / LONG(model.scale_), -epsilon, epsilon)
        if (
            data.dense.shape[0] < data.dense.shape[1]
        ):  # an exact fit: X' W u = 2 alpha v at the best
            rows = (data.w[:, None] * np.column_stack([data.dense, data.w > 0])).astype(float)
            pull = np.append(2 * alpha * np.asarray(model.coef_, LONG), 0).astype(float)
            if not data.fit_intercept:
                rows, pull = rows[:, :-1], pull[:-1]
            u = np.linalg.lstsq(rows.T, pull, rcond=None)[0].astype(LONG)
        if data.fit_intercept:
            u = u - data.w @ u / data.w.sum()
        share = min(LONG(1), 2 * epsilon / np.abs(u[data.w > 0]).max())
        share = min(share, 2 * np.sqrt(data.w.sum() / (data.w @ u**2)))
        pull = data.dense.T @ (data.w * u)
        return share * (data.w * u) @ data.y - share**2 * (pull @ pull) / (4 * alpha)

    return objective, dual


def test_huber():
    gaps = []
    for seed in range(N_PROBLEMS):
        data = problem_of(seed)
        data.y[::7] += 5.0  # outliers
        alpha, epsilon = data.strength, [1.35, 1.1, 2.0][seed % 3]
        objective, dual = huber(data, LONG(alpha), LONG(epsilon))
        common = {"alpha": alpha, "epsilon": epsilon, "fit_intercept": data.fit_intercept}
        best = fit(linear_model.HuberRegressor(**common, tol=1e-12, max_iter=1000), double(data))
        verified(best, objective, dual, 1e-9)
        for max_iter in (0, 1, 3, 100):
            model = fit(linear_model.HuberRegressor(**common, max_iter=max_iter), data)
            gaps.append(check_bound(model, best, objective, 1e-9))
    assert_telling(gaps)


def test_huber_without_a_penalty():
    bounds = []
    for seed in range(N_PROBLEMS):
        data = problem_of(seed)
        data.y[::7] += 50.0
        objective, _ = huber(data, LONG(0), LONG(1.35))
        common = {"alpha": 0.0, "fit_intercept": data.fit_intercept}
        best = fit(linear_model.HuberRegressor(**common, tol=1e-12, max_iter=1000), double(data))
        for max_iter in (0, 1, 2, 4, 100):
            model = fit(linear_model.HuberRegressor(**common, max_iter=max_iter), data)
            if model.certificate_.dual_bound is not None:
                bounds.append(model.certificate_.dual_bound / float(objective(best)))
                assert bounds[-1] <= 1.0 + 1e-9
    assert np.median(bounds) > 0.9 and max(bounds) > 1.0 - 1e-9


# Quantiles: (1 / sum w) sum_i w_i pinball(r_i) + alpha |v|_1, a linear program.


def quantile_minimum(data, alpha, q):
    """Return the minimum of the linear program in (v+, v-, b, r+, r-), by another solver."""
    X, w = data.dense.astype(float), (data.w / data.w.sum()).astype(float)
    n, p = X.shape
    cost = np.concatenate([np.full(2 * p, alpha), [0.0], q * w, (1 - q) * w])
    rows = np.hstack([X, -X, np.full((n, 1), float(data.fit_intercept)), np.eye(n), -np.eye(n)])
    bounds = [(0, None)] * (2 * p) + [(None, None)] + [(0, None)] * (2 * n)
    found = linprog(cost, A_eq=rows, b_eq=data.y, bounds=bounds, method="highs")
    assert found.status == 0
    return found.fun


def test_quantile():
    gaps = []
    for seed in range(N_PROBLEMS):
        data = problem_of(seed)
        alpha, q = 0.02 * data.strength, [0.5, 0.1, 0.8][seed % 3]

        def objective(model, data=data, alpha=alpha, q=q):
            residual = np.asarray(data.y, LONG) - scores_of(model, data)
            loss = np.where(residual > 0, q * residual, (q - 1) * residual)
            return data.w @ loss / data.w.sum() + alpha * np.abs(model.coef_).sum()

        minimum = quantile_minimum(data, alpha, q)
        for limit in (None, 1e-9):
            with config(time_limit=limit):
                model = linear_model.QuantileRegressor(
                    alpha=alpha, quantile=q, fit_intercept=data.fit_intercept
                )
                fit(model, data)
            value = float(objective(model))
            certificate = model.certificate_
            assert certificate.objective == pytest.approx(value, rel=1e-11)
            assert certificate.dual_bound <= minimum * (1 + 1e-9)
            gaps.append((certificate.gap, value / minimum - 1.0))
            assert certificate.gap * value >= value - minimum - 1e-9 * value
    assert_telling(gaps)


def test_stochastic_descent_claims_no_bound():
    data = problem_of(2, n_classes=2)
    certificate = fit(linear_model.SGDClassifier(random_state=0), data).certificate_
    assert certificate.dual_bound is None and certificate.gap is None
