"""Diagnosis of logistic regression: it finds planted defects and keeps quiet on sound data."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from gramian.datasets import load_iris
from gramian.inspection import diagnose
from gramian.linear_model import FirthLogisticRegression, LogisticRegression

HYPOTHESES = [
    "linearity", "independence", "multicollinearity", "homoscedasticity", "influence",
    "sample size", "autocorrelation", "separation", "class balance", "calibration",
]  # fmt: skip


def planted(defect, rng, n=600):
    X = rng.normal(size=(n, 3))
    eta = X @ [1.0, -1.0, 0.5]
    if defect == "linearity":
        eta += 1.2 * X[:, 0] ** 2 - 1.0
    elif defect == "class balance":
        eta -= 5.5
        X = X[:, :1]
    y = (eta + rng.logistic(size=n) > 0).astype(int)
    if defect == "independence":
        X, y = np.vstack([X, X[: n // 4]]), np.append(y, y[: n // 4])
    elif defect == "multicollinearity":
        X[:, 2] = X[:, 0] + 0.1 * rng.normal(size=n)
    elif defect == "influence":
        X[0], y[0] = [6.0, -6.0, 3.0], 0
    elif defect == "sample size":
        X, y = X[:40], y[:40]
    elif defect == "autocorrelation":
        order = np.argsort(y, kind="stable")
        X, y = X[order, 2:] * 0.01, y[order]
    elif defect == "separation":
        X = np.column_stack([X, np.where(y == 1, rng.uniform(size=len(y)) < 0.2, 0)])
    return X, y


@pytest.mark.parametrize("seed", range(8))
def test_sound_data_raise_no_alarm(seed):
    X, y = planted("none", np.random.default_rng(seed))
    findings = diagnose(LogisticRegression(C=np.inf).fit(X, y), X, y)
    assert [finding.code for finding in findings] == HYPOTHESES
    assert findings.ok, findings


@pytest.mark.parametrize(
    "defect", [code for code in HYPOTHESES if code not in ("homoscedasticity", "calibration")]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_planted_defect_is_found(defect, seed):
    X, y = planted(defect, np.random.default_rng(seed))
    finding = diagnose(FirthLogisticRegression().fit(X, y), X, y)[defect]
    assert finding.verdict in ("warning", "problem")
    assert finding.remedy and finding.statistic is not None
    if defect == "linearity":
        assert finding.columns == ("x0",)
    elif defect == "separation":
        assert finding.columns == ("x3",)
    elif defect == "influence":
        assert finding.rows[0] == 0
    elif defect == "multicollinearity":
        assert set(finding.columns) == {"x0", "x2"}


def test_wrong_probabilities_are_not_calibrated():
    X, y = planted("none", np.random.default_rng(0), n=2000)
    model = LogisticRegression(C=np.inf).fit(X, y)
    model.coef_ = 3.0 * model.coef_
    finding = diagnose(model, X, y)["calibration"]
    assert finding.verdict == "warning" or finding.verdict == "problem"
    assert finding.pvalue < 1e-6


def test_separation_without_penalty_is_a_problem():
    X, y = planted("separation", np.random.default_rng(0))
    model = LogisticRegression(C=1e3).fit(X, y)
    assert diagnose(model, X, y)["separation"].verdict == "warning"
    model.C = np.inf
    findings = diagnose(model, X, y)
    assert findings["separation"].verdict == "problem"
    assert findings["influence"].verdict == "not applicable"


def test_several_classes_and_weights():
    X, y = load_iris(return_X_y=True)
    findings = diagnose(LogisticRegression().fit(X, y), X, y)
    assert "3 classes" in findings.title
    assert findings["separation"].columns and findings["multicollinearity"].columns
    rng = np.random.default_rng(2)
    X = rng.normal(size=(900, 2))
    scores = np.column_stack([np.zeros(900), X @ [1.0, 0.0], 1.5 * X[:, 1] ** 2 - 1.0])
    y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    weight = rng.integers(0, 3, size=900)
    model = LogisticRegression(C=np.inf).fit(X, y, weight)
    finding = diagnose(model, X, y, weight)["linearity"]
    assert finding.columns == ("x1",) and "2 against 0" in finding.explanation
    rows = np.repeat(np.arange(900), weight)
    copied = diagnose(model, X[rows], y[rows])["linearity"]
    assert abs(copied.statistic - finding.statistic) < 1e-6 * finding.statistic


def test_tables_and_sparse_data():
    X, y = planted("none", np.random.default_rng(0))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["level"] = np.where(frame["c"] > 0, "high", "low")
    target = np.where(y == 1, "yes", "no")
    findings = diagnose(FirthLogisticRegression().fit(frame, target), frame, target)
    assert findings["multicollinearity"].verdict == "ok"
    sparse = scipy.sparse.csr_array(X)
    model = LogisticRegression(C=np.inf).fit(X, y)
    dense, other = diagnose(model, X, y), diagnose(model, sparse, y)
    for code in HYPOTHESES:
        assert dense[code].verdict == other[code].verdict
    with pytest.raises(ValueError, match="one of the model's classes"):
        diagnose(model, X, y + 7)
