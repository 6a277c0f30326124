"""Firth's logistic regression gives published numbers, and finite ones under separation."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from gramian.diagnostics import check_separation
from gramian.exceptions import ConvergenceWarning
from gramian.linear_model import FirthLogisticRegression, LogisticRegression
from gramian.linear_model._firth_solver import FirthLikelihood
from gramian.linear_model._separation import separation_warning

# Endometrial cancer study of Heinze and Schemper (2002): NV, PI, EH and histology grade HG.
# fmt: off
ENDOMETRIAL = np.array([
    (0, 13, 1.64, 0), (0, 16, 2.26, 0), (0, 8, 3.14, 0), (0, 34, 2.68, 0), (0, 20, 1.28, 0),
    (0, 5, 2.31, 0), (0, 17, 1.8, 0), (0, 10, 1.68, 0), (0, 26, 1.56, 0), (0, 17, 2.31, 0),
    (0, 8, 2.01, 0), (0, 7, 1.89, 0), (0, 20, 3.15, 0), (0, 10, 1.23, 0), (0, 18, 1.27, 0),
    (0, 16, 1.76, 0), (0, 18, 2, 0), (0, 8, 2.64, 1), (0, 29, 0.88, 1), (0, 12, 1.27, 1),
    (0, 20, 1.37, 1), (1, 38, 0.97, 1), (1, 22, 1.14, 1), (1, 7, 0.88, 1), (1, 25, 0.91, 1),
    (1, 15, 0.58, 1), (0, 7, 0.97, 1), (0, 28, 1.5, 0), (0, 11, 1.33, 0), (0, 19, 2.37, 0),
    (0, 10, 1.82, 0), (0, 10, 3.13, 0), (0, 18, 1.31, 0), (0, 14, 1.92, 0), (0, 21, 1.64, 0),
    (0, 11, 2.01, 0), (0, 17, 1.88, 0), (0, 25, 1.93, 0), (0, 16, 2.11, 0), (0, 19, 1.29, 0),
    (0, 15, 1.72, 0), (0, 33, 0.75, 0), (0, 24, 1.92, 0), (0, 48, 1.84, 1), (0, 12, 1.11, 1),
    (0, 19, 1.61, 1), (0, 2, 1.18, 1), (1, 22, 1.44, 1), (1, 40, 1.18, 1), (1, 5, 0.93, 1),
    (1, 0, 1.17, 1), (0, 21, 1.19, 1), (0, 15, 1.06, 1), (0, 29, 2.02, 0), (0, 15, 2.29, 0),
    (0, 12, 2.33, 0), (0, 3, 2.9, 0), (0, 20, 1.7, 0), (0, 23, 1.41, 0), (0, 12, 2.25, 0),
    (0, 22, 1.54, 0), (0, 42, 1.97, 0), (0, 15, 1.75, 0), (0, 13, 2.16, 0), (0, 14, 2.57, 0),
    (0, 19, 1.37, 0), (0, 12, 3.61, 0), (0, 13, 2.04, 0), (0, 10, 2.17, 0), (0, 12, 1.69, 1),
    (1, 49, 0.27, 1), (0, 6, 1.84, 1), (0, 5, 1.3, 1), (0, 17, 0.96, 1), (1, 11, 1.01, 1),
    (1, 21, 0.98, 1), (0, 5, 0.35, 1), (1, 19, 1.02, 1), (0, 33, 0.85, 1),
])

# Urinary tract infection study (Cytel; the data set sex2 of R's package logistf): the digits are
# case, age, oc, vic, vicl, vis, dia, and the values how many women there are.
URINARY = {
    "0000010": 1, "0001000": 2, "0001010": 1, "0001100": 8, "0001110": 18, "0010000": 42,
    "0010010": 1, "0011000": 1, "0011100": 5, "0011110": 6, "0101100": 2, "0101110": 4,
    "0110000": 14, "0110010": 1, "0111000": 1, "0111110": 2, "1000010": 1, "1001000": 14,
    "1001010": 3, "1001100": 10, "1001110": 12, "1001111": 1, "1010000": 44, "1010001": 3,
    "1011000": 15, "1011001": 1, "1011010": 2, "1011100": 7, "1011110": 3, "1101000": 2,
    "1101010": 1, "1101011": 1, "1101100": 1, "1101111": 1, "1110000": 5, "1111000": 3,
}
# fmt: on


@pytest.fixture
def endometrial():
    return ENDOMETRIAL[:, :3], ENDOMETRIAL[:, 3].astype(int)


@pytest.fixture
def urinary():
    rows = np.array([[int(digit) for digit in key] for key in URINARY], dtype=float)
    return rows[:, 1:], rows[:, 0].astype(int), np.array(list(URINARY.values()), dtype=float)


def test_endometrial_cancer(endometrial):
    """Table of Heinze and Schemper (2002), and the digits of their R package logistf."""
    X, y = endometrial
    assert check_separation(X, y, names=["NV", "PI", "EH"]).columns == ("NV",)
    summary = FirthLogisticRegression().fit(X, y).summary(X, y)
    assert_allclose(summary.coef[1:].round(2), [2.93, -0.03, -2.60])
    limits = [[0.61, 7.85], [-0.12, 0.04], [-4.37, -1.23]]
    assert_allclose(summary.conf_int[1:].round(2), limits)
    assert_allclose(summary.coef, [3.77455951, 2.92927330, -0.03475175, -2.60416387], rtol=1e-6)
    digits = [
        [1.0825371, 7.20928050],
        [0.6097244, 7.85463171],
        [-0.1244587, 0.04045547],
        [-4.3651832, -1.23272106],
    ]
    assert_allclose(summary.conf_int, digits, rtol=1e-6)


def test_urinary_tract_infections(urinary):
    """Output of logistf for its data set sex2, in its documentation."""
    X, y, count = urinary
    model = FirthLogisticRegression().fit(X, y, count)
    summary = model.summary(X, y, count)
    coef = [0.12025404, -1.10598130, -0.06881673, 2.26887464, -2.11140816, -0.78831694, 3.09601263]
    assert_allclose(summary.coef, coef, rtol=1e-6)
    std_err = [0.4855415, 0.4236601, 0.4437934, 0.5484160, 0.5430824, 0.4173676, 1.6750220]
    assert_allclose(summary.std_err, std_err, rtol=1e-5)
    chi2 = [0.06286298, 7.50773092, 0.02467044, 22.93139022, 19.10407252, 3.69740975, 7.89693139]
    assert_allclose(summary.statistic, chi2, rtol=1e-5)
    assert_allclose(summary.conf_int[-1], [0.7745682, 8.03029352], rtol=1e-5)
    assert_allclose(summary.penalised_loglik, -132.5394, rtol=1e-6)
    assert_allclose([summary.lr_statistic, summary.lr_pvalue], [49.09064, 7.15089e-09], rtol=1e-5)
    assert summary.n_samples == 239 and summary.df_model == 6


def test_the_maximum_is_that_of_the_definition(endometrial):
    X, y = endometrial
    design = np.column_stack([np.ones(len(y)), X / X.std(axis=0)])

    def objective(beta):
        p = 1.0 / (1.0 + np.exp(-design @ beta))
        information = design.T @ ((p * (1.0 - p))[:, None] * design)
        likelihood = (y * np.log(p) + (1 - y) * np.log1p(-p)).sum()
        return -likelihood - 0.5 * np.linalg.slogdet(information)[1]

    best = minimize(objective, np.zeros(4), method="BFGS", options={"gtol": 1e-9})
    model = FirthLogisticRegression().fit(X / X.std(axis=0), y)
    assert_allclose(np.append(model.intercept_, model.coef_), best.x, rtol=1e-4)
    assert_allclose(model.certificate_.objective, best.fun, rtol=1e-10)
    assert model.certificate_.converged


def test_score_is_the_gradient(endometrial):
    X, y = endometrial
    weight = np.random.default_rng(0).integers(1, 4, size=len(y)).astype(float)
    likelihood = FirthLikelihood(X, y.astype(float), weight, True)
    gamma = np.array([0.3, -0.5, 0.2, 0.1])
    step = 1e-6 * np.eye(4)
    numeric = [
        (likelihood.at(gamma + h).value - likelihood.at(gamma - h).value) / 2e-6 for h in step
    ]
    assert_allclose(likelihood.at(gamma).score, numeric, rtol=1e-5, atol=1e-6)


def test_one_table_of_counts_in_closed_form():
    """In a 2x2 table Firth's estimate adds one half to each cell."""
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y, count = np.array([0, 1, 0, 1]), np.array([7.0, 0.0, 3.0, 12.0])
    model = FirthLogisticRegression().fit(X, y, count)
    assert_allclose(model.intercept_, np.log(0.5 / 7.5), rtol=1e-7)
    assert_allclose(model.coef_[0, 0], np.log(12.5 / 3.5) - np.log(0.5 / 7.5), rtol=1e-7)


def test_weights_are_copies(endometrial):
    X, y = endometrial
    weight = np.random.default_rng(1).integers(0, 4, size=len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    first = FirthLogisticRegression().fit(X, y, weight)
    second = FirthLogisticRegression().fit(X[rows], y[rows])
    assert_allclose(first.coef_, second.coef_, rtol=1e-7)
    first, second = first.summary(X, y, weight), second.summary(X[rows], y[rows])
    assert_allclose(first.conf_int, second.conf_int, rtol=1e-5)
    assert_allclose(first.pvalue, second.pvalue, rtol=1e-5)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_profile_meets_the_quantile(endometrial, fit_intercept):
    from scipy.stats import chi2

    X, y = endometrial
    X = X - X.mean(axis=0)
    model = FirthLogisticRegression(fit_intercept=fit_intercept).fit(X, y)
    summary = model.summary(X, y, alpha=0.1)
    likelihood = FirthLikelihood(X, y.astype(float), np.ones(len(y)), fit_intercept)
    j = int(fit_intercept)
    for limit in summary.conf_int[j]:
        others = np.delete(np.arange(len(summary.coef)), j)

        def value(rest, limit=limit, others=others):
            theta = np.empty(len(summary.coef))
            theta[j], theta[others] = limit, rest
            return -likelihood.at(np.linalg.solve(likelihood.to_parameters, theta)).value

        best = minimize(
            value,
            summary.coef[others],
            method="Nelder-Mead",
            options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 5000},
        )
        drop = 2.0 * (summary.penalised_loglik + best.fun)
        assert_allclose(drop, chi2.ppf(0.9, 1), rtol=1e-5)


def test_dependent_columns_and_tables(endometrial):
    X, y = endometrial
    frame = pd.DataFrame({"PI": X[:, 1], "NV": np.where(X[:, 0] == 1, "yes", "no")})
    target = pd.Series(np.where(y == 1, "high", "low"), name="grade")
    model = FirthLogisticRegression().fit(frame, target)
    summary = model.summary(frame, target)
    assert "Firth's logistic regression: grade" in str(summary)
    assert summary.names == ("const", "PI", "NV=no", "NV=yes")
    reference = FirthLogisticRegression().fit(X[:, [1, 0]], np.where(y == 1, 0, 1))
    assert_allclose(summary.coef[3] - summary.coef[2], reference.coef_[0, 1], rtol=1e-6)
    assert_allclose(model.predict_proba(frame)[:, 1], reference.predict_proba(X[:, [1, 0]])[:, 1])
    assert any("rank 3" in note for note in summary.notes)
    assert_allclose(summary.exp_conf_int, np.exp(summary.conf_int))


def test_predictions_and_errors(endometrial):
    X, y = endometrial
    model = FirthLogisticRegression().fit(scipy.sparse.csr_array(X), y)
    proba = model.predict_proba(X)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert_allclose(np.log(proba), model.predict_log_proba(X))
    assert (model.predict(X) == (proba[:, 1] > 0.5)).all()
    with pytest.raises(ValueError, match="Only binary classification"):
        model.fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, y, (y == 1).astype(float))
    with pytest.raises(ValueError, match="not fitted on these data"):
        model.summary(X[:40], y[:40])
    with pytest.raises(ValueError, match="alpha=0"):
        model.summary(X, y, alpha=0.0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        FirthLogisticRegression(max_iter=1).fit(X, y)


def test_the_warning_names_the_columns(endometrial):
    X, y = endometrial
    with pytest.warns(ConvergenceWarning, match="quasi-complete.*by NV:.*FirthLogistic"):
        found = separation_warning(X, y, names=["NV", "PI", "EH"])
    assert found.separated.sum() == 13
    assert not separation_warning(X[:, 1:], y)


def test_logistic_regression_without_penalty_reports_separation(endometrial):
    X, y = endometrial
    frame = pd.DataFrame(X, columns=["NV", "PI", "EH"])
    with pytest.warns(ConvergenceWarning, match="quasi-complete, 13 of 79 rows.* by NV"):
        LogisticRegression(C=np.inf).fit(frame, y)
    LogisticRegression().fit(frame, y)
    LogisticRegression(C=np.inf).fit(frame[["PI", "EH"]], y)


@pytest.mark.parametrize("spread", [1.0, 12.0])
def test_blocks_of_rows_change_nothing(monkeypatch, spread):
    """Many rows go through a Gram matrix in blocks, unless that loses digits."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 3))
    y = (X[:, 0] + rng.standard_normal(1000) > 0.0).astype(np.float64)
    weight = rng.integers(1, 4, 1000).astype(np.float64)
    monkeypatch.setattr("gramian.diagnostics._design._BLOCK_ENTRIES", 1)
    likelihood = FirthLikelihood(X, y, weight, True)
    gamma = spread * 10.0 * rng.standard_normal(4)
    assert len(likelihood._parts) == 4
    several = likelihood.at(gamma)
    basis = np.vstack([part for _, part in likelihood._parts])
    likelihood._parts = [(slice(0, 1000), np.asfortranarray(basis))]
    one = likelihood.at(gamma)
    assert several.value == pytest.approx(one.value, rel=1e-11)
    assert_allclose(several.score, one.score, rtol=1e-8, atol=1e-10)
    assert_allclose(several.information, one.information, rtol=1e-8, atol=1e-12)
