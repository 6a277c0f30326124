"""Diagnosis of linear models: it finds planted defects and keeps quiet on sound data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from gramian.inspection import diagnose
from gramian.linear_model import LinearRegression, Ridge
from gramian.validation import training_matrix

HYPOTHESES = [
    "linearity", "independence", "multicollinearity", "homoscedasticity", "normality",
    "autocorrelation", "rank", "sample size", "scale", "influence", "generalisation", "leakage",
]  # fmt: skip


def sound_data(rng):
    """Data that satisfy every hypothesis: 50 to 5000 rows, several kinds of columns."""
    n = int(np.exp(rng.uniform(np.log(50), np.log(5000))))
    p = int(rng.integers(1, min(8, n // 10 - 1) + 1))
    X = rng.normal(size=(n, p))
    kind = rng.integers(4)
    if kind == 1:
        X = rng.uniform(size=(n, p)) * rng.uniform(1, 100, size=p)
    elif kind == 2:
        X = np.exp(0.5 * X)
    elif kind == 3 and p > 1:
        X[:, 0] = X[:, 0] > 0
        X[:, 1:] = X[:, 1:] @ (np.eye(p - 1) + 0.3)
    coef = rng.normal(size=p)
    signal = X @ (coef + 0.3 * np.sign(coef))
    noise = rng.normal(size=n) * signal.std() * rng.uniform(0.2, 1.0)
    return X, 5.0 * rng.normal() + signal + noise


def planted_data(defect, rng, n=500):
    """Data with three sound columns and one defect."""
    X = rng.normal(size=(n, 3))
    noise = rng.normal(size=n)
    extra = np.zeros(n)
    if defect == "linearity":
        curves = [0.7 * X[:, 0] ** 2, np.exp(X[:, 1]), 1.5 * np.sin(2.0 * X[:, 2])]
        extra = curves[rng.integers(3)]
    elif defect == "homoscedasticity":
        noise *= np.exp(0.7 * X[:, 0])
    elif defect == "normality":
        noise = rng.exponential(size=n) if rng.integers(2) else rng.standard_t(2.5, size=n)
    elif defect == "autocorrelation":
        for i in range(1, n):
            noise[i] += 0.6 * noise[i - 1]
    elif defect == "influence":
        noise[n // 2] += 15.0
    y = X @ [1.0, -1.0, 0.5] + extra + noise
    if defect == "independence":
        X, y = np.vstack([X, X[: n // 5]]), np.append(y, y[: n // 5])
    elif defect == "multicollinearity":
        X = np.column_stack([X, X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=n)])
    elif defect == "rank":
        X = np.column_stack([X, X[:, 0] - 2.0 * X[:, 1]])
    elif defect == "scale":
        X *= [1e7, 1.0, 1.0]
    elif defect in ("sample size", "generalisation"):
        X = np.column_stack([X, rng.normal(size=(n, 17))])[:40]
        y = y[:40]
    elif defect == "leakage":
        X = np.column_stack([X, y + 0.01 * rng.normal(size=n)])
    return X, y


def diagnosis_of(X, y, **parameters):
    return diagnose(LinearRegression(**parameters).fit(X, y), X, y)


def test_few_false_alarms_on_sound_data():
    alarmed = sum(not diagnosis_of(*sound_data(np.random.default_rng(s))).ok for s in range(100))
    assert alarmed <= 4


@pytest.mark.parametrize("defect", HYPOTHESES)
def test_planted_defects_are_found(defect):
    found = 0
    for seed in range(8):
        diagnosis = diagnosis_of(*planted_data(defect, np.random.default_rng(seed)))
        found += any(finding.code == defect for finding in diagnosis.alarms)
    assert found >= 7


def test_every_hypothesis_has_a_finding():
    diagnosis = diagnosis_of(*sound_data(np.random.default_rng(0)))
    assert [finding.code for finding in diagnosis] == HYPOTHESES
    assert all(finding.remedy == "" for finding in diagnosis if finding.verdict == "ok")


def test_trivial_departures_of_a_long_table_are_no_alarm():
    rng = np.random.default_rng(1)
    n = 100_000
    X = rng.normal(size=(n, 3))
    noise = rng.normal(size=n) * (1.0 + 0.03 * X[:, 0])
    noise[1:] += 0.02 * noise[:-1]
    y = X @ [1.0, 2.0, 3.0] + 0.03 * X[:, 1] ** 2 + noise
    diagnosis = diagnosis_of(X, y)
    assert diagnosis["autocorrelation"].pvalue < 1e-6
    assert diagnosis["homoscedasticity"].pvalue < 1e-6
    assert diagnosis.ok


def test_curved_column_is_named():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=["age", "dose", "height"])
    y = frame["age"] + frame["dose"] ** 2 + 0.5 * rng.normal(size=200)
    finding = diagnosis_of(frame, y)["linearity"]
    assert (finding.verdict, finding.columns) == ("problem", ("dose",))


def test_spreading_column_is_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X.sum(axis=1) + rng.normal(size=400) * np.exp(0.6 * X[:, 2])
    finding = diagnosis_of(X, y)["homoscedasticity"]
    assert finding.columns == ("x2",)


def test_collinear_columns_are_named():
    X, y = planted_data("rank", np.random.default_rng(0))
    diagnosis = diagnosis_of(X, y)
    assert diagnosis["rank"].columns == ("x0", "x1", "x3")
    assert diagnosis["rank"].statistic == 4.0
    assert set(diagnosis["multicollinearity"].columns) == {"x0", "x1", "x3"}


def test_influential_row_is_named():
    X, y = planted_data("influence", np.random.default_rng(0), n=200)
    assert diagnosis_of(X, y)["influence"].rows == (100,)


def test_rows_of_weight_zero_are_left_out():
    X, y = planted_data("influence", np.random.default_rng(0), n=200)
    weight = np.ones(200)
    weight[:20] = 0.0
    model = LinearRegression().fit(X, y, sample_weight=weight)
    diagnosis = diagnose(model, X, y, sample_weight=weight)
    assert diagnosis["influence"].rows == (100,)
    assert "180 rows" in diagnosis.title
    weight[100] = 0.0
    model = LinearRegression().fit(X, y, sample_weight=weight)
    assert diagnose(model, X, y, sample_weight=weight)["influence"].verdict == "ok"


def test_precision_weights_restore_homoscedasticity():
    rng = np.random.default_rng(2)
    X = rng.uniform(1.0, 5.0, size=(600, 1))
    y = 2.0 * X[:, 0] + rng.normal(size=600) * X[:, 0]
    weight = 1.0 / X[:, 0] ** 2
    plain = diagnosis_of(X, y)
    weighted = diagnose(LinearRegression().fit(X, y, sample_weight=weight), X, y, weight)
    assert plain["homoscedasticity"].verdict != "ok"
    assert weighted["homoscedasticity"].verdict == "ok"


def test_ridge_says_what_does_not_apply():
    X, y = planted_data("rank", np.random.default_rng(0))
    diagnosis = diagnose(Ridge(alpha=1.0).fit(X, y), X, y)
    for code in ["rank", "multicollinearity", "sample size"]:
        assert diagnosis[code].verdict == "not applicable"
        assert "penalty" in diagnosis[code].explanation
    assert diagnosis["normality"].verdict == "ok"
    scaled = X * [100.0, 1.0, 1.0, 1.0]
    assert diagnose(Ridge().fit(scaled, y), scaled, y)["scale"].columns[0] == "x0"


def test_without_intercept():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) + 3.0
    y = X @ [1.0, 2.0] + rng.normal(size=200)
    assert diagnosis_of(X, y, fit_intercept=False).ok


def test_sparse_agrees_with_dense():
    X, y = planted_data("linearity", np.random.default_rng(0), n=150)
    sparse = scipy.sparse.csr_array(X)
    model = LinearRegression().fit(X, y)
    for dense, other in zip(diagnose(model, X, y), diagnose(model, sparse, y), strict=True):
        assert dense.verdict == other.verdict
        assert dense.statistic == pytest.approx(other.statistic)


@pytest.mark.parametrize("n", [2, 4, 5, 30])
def test_exact_fit_leaves_nothing_to_test(n):
    X = np.random.default_rng(0).normal(size=(n, 3))
    diagnosis = diagnosis_of(X, X @ [1.0, 2.0, 3.0] + 4.0)
    assert diagnosis["normality"].verdict == "not applicable"
    assert diagnosis["linearity"].verdict == "not applicable"
    assert str(diagnosis)


@pytest.mark.parametrize("constant", ["feature", "target"])
def test_constant_data(constant):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 1)), rng.normal(size=40)
    if constant == "feature":
        X[:] = 3.0
    else:
        y[:] = 3.0
    diagnosis = diagnosis_of(X, y)
    assert str(diagnosis)
    if constant == "feature":
        assert diagnosis["rank"].columns == ("x0",)


def test_binary_features_have_no_curves():
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(300, 2)).astype(float)
    y = X @ [1.0, 2.0] + rng.normal(size=300)
    assert diagnosis_of(X, y).ok


def test_several_targets_are_refused():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = LinearRegression().fit(X, X)
    with pytest.raises(ValueError, match=r"y has shape \(30, 2\), but one target"):
        diagnose(model, X, X)


def frame_with_categories(rng, n=300):
    frame = pd.DataFrame({"age": rng.normal(40.0, 10.0, size=n)})
    frame["city"] = rng.choice(["rome", "oslo", "bern"], size=n, p=[0.8, 0.15, 0.05])
    frame["sex"] = rng.choice(["f", "m"], size=n)
    frame.loc[:20, "age"] = np.nan
    y = 0.3 * frame["age"].fillna(40.0) + 2.0 * (frame["city"] == "oslo") + rng.normal(size=n)
    return frame, y


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_one_hot_encoding_is_no_collinearity(fit_intercept):
    frame, y = frame_with_categories(np.random.default_rng(0))
    diagnosis = diagnosis_of(frame, y, fit_intercept=fit_intercept)
    assert diagnosis.ok
    assert diagnosis["rank"].statistic == 6.0


def test_twin_of_a_category_is_collinear():
    frame, y = frame_with_categories(np.random.default_rng(0))
    frame["is_oslo"] = (frame["city"] == "oslo").astype(float)
    diagnosis = diagnosis_of(frame, y)
    assert diagnosis["rank"].columns == ("city=oslo", "is_oslo")
    assert set(diagnosis["multicollinearity"].columns) == {"city=oslo", "is_oslo"}


def test_target_means_are_those_of_fit(many_levels):
    frame, y = many_levels
    frame = frame[["size", "street"]]
    model = LinearRegression().fit(frame, y)
    matrix = training_matrix(model, frame, y)
    expected = diagnosis_of(matrix, y)
    for found, other in zip(diagnose(model, frame, y), expected, strict=True):
        assert (found.code, found.verdict) == (other.code, other.verdict)
        assert found.statistic == pytest.approx(other.statistic)


def test_rows_that_were_not_fitted(many_levels):
    frame, y = many_levels
    model = LinearRegression().fit(frame[:200], y[:200])
    assert "100 rows" in diagnose(model, frame[200:], y[200:]).title


def test_title_counts_one_row_and_one_column():
    diagnosis = diagnose(LinearRegression().fit([[1.0]], [2.0]), [[1.0]], [2.0])
    assert diagnosis.title == "LinearRegression on 1 row and 1 column"
    assert diagnosis["sample size"].explanation == "1 row for 2 coefficients."


def with_date(library, frame, dates):
    native = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library]
    return native({"date": dates, **{name: frame[name].to_numpy() for name in frame}})


def test_autocorrelation_is_a_problem_only_if_the_table_declares_an_order():
    X, y = planted_data("autocorrelation", np.random.default_rng(0))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    dates = pd.date_range("2020-01-01", periods=len(y))
    shuffled = dates[np.random.default_rng(0).permutation(len(y))]
    constant = dates.repeat(len(y))[: len(y)]
    verdicts = {
        "array": diagnosis_of(X, y),
        "frame": diagnosis_of(frame, y),
        "index": diagnosis_of(frame.set_index(dates), y),
        "time zone": diagnosis_of(frame.set_index(dates.tz_localize("Europe/Oslo")), y),
        "shuffled index": diagnosis_of(frame.set_index(shuffled), y),
        "constant index": diagnosis_of(frame.set_index(constant), y),
        "column": diagnosis_of(with_date("pandas", frame, dates), y),
        "polars column": diagnosis_of(with_date("polars", frame, dates.to_numpy()), y),
        "shuffled column": diagnosis_of(with_date("polars", frame, shuffled.to_numpy()), y),
    }
    found = {name for name, d in verdicts.items() if d["autocorrelation"].verdict == "problem"}
    assert found == {"index", "time zone", "column", "polars column"}
    assert {d["autocorrelation"].verdict for d in verdicts.values()} == {"problem", "warning"}
    assert "does not say" in verdicts["frame"]["autocorrelation"].explanation
    assert "order of time" in verdicts["index"]["autocorrelation"].explanation


def test_target_given_as_one_column():
    X, y = sound_data(np.random.default_rng(0))
    model = LinearRegression().fit(X, y[:, None])
    assert diagnose(model, X, y[:, None]).ok
