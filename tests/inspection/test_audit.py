"""The audit of a table: planted defects are named, clean tables raise no alarm."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import gramian
from gramian.datasets import load_auto_mpg, load_breast_cancer, load_iris, load_wine
from gramian.inspection import audit


def clean(n_rows=400, seed=0):
    """Return a table of numbers and a category, and a target with noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "length": rng.normal(20.0, 3.0, n_rows),
            "width": rng.gamma(2.0, 2.0, n_rows),
            "height": rng.normal(size=n_rows),
            "kind": rng.choice(["oak", "ash", "elm"], n_rows),
        }
    )
    y = 0.5 * X["length"] + X["width"] + (X["kind"] == "oak") + rng.normal(size=n_rows)
    return X, np.array(y)


def classes_of(y):
    return np.where(y > np.median(y), "high", "low")


def alarms(X, y=None, **params):
    return {finding.code: finding for finding in audit(X, y, **params).alarms}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("is_classes", [False, True])
def test_clean_tables_raise_no_alarm(seed, is_classes):
    X, y = clean(seed=seed)
    assert alarms(X, classes_of(y) if is_classes else y) == {}


@pytest.mark.parametrize("is_classes", [False, True])
@pytest.mark.parametrize("copy", [lambda y: y, lambda y: np.exp(-y / 10), lambda y: -3 * y + 7])
def test_a_copy_of_the_target_is_a_leak(copy, is_classes):
    X, y = clean()
    X["later"] = copy(y)
    found = alarms(X, classes_of(y) if is_classes else y)["leakage"]
    assert found.verdict == "problem"
    assert found.columns == ("later",)
    assert "['later']" in found.remedy


def test_whether_a_value_is_there_is_a_leak():
    X, y = clean()
    labels = classes_of(y)
    X["settled"] = np.where(labels == "high", 1.0 + X["height"], np.nan)
    X["bill"] = np.where((labels == "high") & (X["height"] > 0.5), X["width"], np.nan)
    found = alarms(X, labels)["leakage"]
    assert set(found.columns) == {"settled", "bill"}


def test_a_missing_value_that_says_little_is_no_leak():
    X, y = clean()
    X.loc[X.index[::3], "width"] = np.nan
    assert "leakage" not in alarms(X, classes_of(y))


def test_a_rare_class():
    X, y = clean(1000)
    labels = np.where(y >= np.sort(y)[-10], "fraud", "honest")
    found = alarms(X, labels)["rare classes"]
    assert "'fraud' (10 rows)" in found.explanation
    assert found.statistic == pytest.approx(0.01)


def test_outliers_of_the_target():
    X, y = clean()
    rows = [3, 77, 200]
    y[rows] *= 100.0
    found = alarms(X, y)["target outliers"]
    assert sorted(found.rows) == rows
    assert found.verdict == "problem"


def test_a_long_tail_is_no_outlier():
    X, y = clean()
    assert "target outliers" not in alarms(X, np.exp(y / 3.0))


@pytest.mark.parametrize("share", [0.0, 0.06])
def test_wrong_labels_where_classes_overlap(share):
    """One row in seven is on the wrong side by chance, near the border; wrong ones are all over."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2_500, 4))
    is_yes = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=len(X)) > 0
    wrong = rng.random(len(X)) < share
    found = alarms(X, np.where(is_yes ^ wrong, "yes", "no"))
    assert ("labels" in found) == (share > 0)
    if share:
        assert np.mean(wrong[list(found["labels"].rows)]) > 0.8


def test_the_leak_of_a_rare_class():
    """Its border cuts a bin of 64 in two, and 15 rows are a fifth of it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5_000, 3))
    labels = np.where(X[:, 0] >= np.sort(X[:, 0])[-50], "fraud", "honest")
    X[:, 0] += 1e-9 * rng.normal(size=len(X))
    assert alarms(X, labels)["leakage"].columns == ("x0",)


def test_prose_is_no_identifier():
    rng = np.random.default_rng(0)
    words = np.array(
        ["the", "a", "dog", "cat", "runs", "sees", "big", "red", "old", "slowly", "house", "tree"]
    )
    prose = [" ".join(rng.choice(words, 14)) for _ in range(200)]
    names = [" ".join(rng.choice(words, 4)) + f" {i}" for i in range(200)]
    found = alarms(pd.DataFrame({"text": prose, "name": names}))
    assert found["identifiers"].columns == ("name",)


def test_what_rises_with_the_rows_is_no_copy():
    rng = np.random.default_rng(0)
    X = np.cumsum(rng.random((40, 2)), axis=0)
    assert "duplicate columns" not in alarms(X)
    shuffled = rng.permutation(X[:, 0])
    found = alarms(np.column_stack([shuffled, np.log(shuffled)]))
    assert found["duplicate columns"].columns == ("x1",)


def test_a_small_table_has_no_rare_classes():
    X = np.random.default_rng(0).normal(size=(16, 2))
    assert "rare classes" not in alarms(X, ["a", "b"] * 8)


def test_wrong_labels():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(800, 4))
    labels = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    wrong = rng.random(800) < 0.12
    labels[wrong] = np.where(labels[wrong] == "yes", "no", "yes")
    found = alarms(X, labels)["labels"]
    assert np.mean(wrong[list(found.rows)]) > 0.8


def test_rows_sorted_by_the_target():
    X, y = clean()
    order = np.argsort(y)
    assert "order" in alarms(X.iloc[order], y[order])
    assert "drift" not in alarms(X.iloc[order], y[order])  # said once


def test_drift():
    X, y = clean(1000)
    X["length"] += np.linspace(0.0, 12.0, 1000)
    found = alarms(X, y)["drift"]
    assert found.columns[0] == "length"


def test_a_running_number_with_rows_added_below_is_no_drift():
    X, y = clean(1000)
    X["number"] = np.arange(1000)
    again = np.append(np.arange(1000), np.arange(40))
    found = alarms(X.iloc[again], y[again])
    assert "drift" not in found and found["identifiers"].columns == ("number",)


def test_a_leak_is_no_reason_to_doubt_labels():
    X, y = clean(1000)
    X["copy"] = np.round(3 * y, 1)
    found = alarms(X, y)
    assert found["leakage"].columns == ("copy",)
    assert "labels" not in found


def test_rows_sorted_by_a_column_are_no_drift():
    X, y = clean(1000)
    order = np.argsort(X["kind"], kind="stable")
    found = audit(X.iloc[order], y[order])["drift"]
    assert found.verdict == "not applicable"
    assert "kind" in found.explanation


def test_copies_of_rows():
    X, y = clean()
    twice = np.r_[np.arange(400), np.arange(30)]
    found = alarms(X.iloc[twice], y[twice])["duplicate rows"]
    assert found.rows == tuple(range(400, 420))
    assert found.statistic == pytest.approx(30 / 430)


def test_rows_of_few_levels_meet_by_chance():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(["a", "b"], 300) for name in "pqr"})
    assert audit(X)["duplicate rows"].verdict == "not applicable"


def test_copies_of_columns_in_other_words():
    X, _ = clean()
    X["species"] = X["kind"].map({"oak": "Quercus", "ash": "Fraxinus", "elm": "Ulmus"})
    assert alarms(X)["duplicate columns"].columns == ("species",)


@pytest.mark.parametrize("value", [4.0, "same", np.nan])
def test_constants(value):
    X, _ = clean()
    X["station"] = value
    assert alarms(X)["constants"].columns == ("station",)


@pytest.mark.parametrize(
    "values",
    [
        lambda n: np.arange(1000, 1000 + n),
        lambda n: np.random.default_rng(0).permutation(n),
        lambda n: [f"ID-{i:05d}" for i in range(n)],
    ],
)
def test_identifiers(values):
    X, y = clean()
    X["number"] = values(400)
    assert alarms(X, y)["identifiers"].columns == ("number",)


def test_missing_values():
    X, _ = clean()
    X.loc[X.index[:380], "height"] = np.nan
    assert alarms(X)["missing values"].columns == ("height",)


@pytest.mark.parametrize("value", [-999.0, 9999.0, 0.0])
def test_sentinel_values(value):
    X, _ = clean()
    X.loc[X.index[::20], "length"] = value
    found = alarms(X)["sentinel values"]
    assert found.columns == ("length",)
    assert f"replace({value:g}," in found.remedy


def test_spellings():
    X, _ = clean()
    X.loc[X.index[::7], "kind"] = " Oak"
    X["price"] = [f"{i}.50" if i % 50 else "on request" for i in range(400)]
    found = alarms(X)["spellings"]
    assert found.columns == ("kind", "price")
    assert "on request" in found.explanation


def test_extreme_values_of_a_column():
    X, y = clean()
    X.loc[[5, 60], "length"] *= 1e4
    found = alarms(X, y)["extreme values"]
    assert found.columns == ("length",)
    assert found.rows == (5, 60)


def test_collinearity():
    X, y = clean()
    rng = np.random.default_rng(1)
    X["area"] = 2.0 * X["length"] - X["width"] + 1e-4 * rng.normal(size=400)
    assert set(alarms(X, y)["collinearity"].columns) == {"area", "length", "width"}


def test_scales():
    X, _ = clean()
    X["length"] *= 1e7
    assert alarms(X)["scales"].columns[0] == "length"


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        (load_iris, {"order"}),
        (load_wine, {"order"}),
        (load_breast_cancer, {"collinearity", "scales"}),
        (load_auto_mpg, set()),
    ],
)
def test_embedded_tables(load, expected):
    assert set(alarms(*load(return_X_y=True))) <= expected


def test_arrays_and_frames_agree():
    X, y = clean()
    columns = ["length", "width", "height"]
    frame = audit(X[columns], y)
    array = audit(X[columns].to_numpy(), y)
    other = audit(pl.from_pandas(X[columns]), y)
    assert [f.statistic for f in frame] == [f.statistic for f in array]
    assert [f.statistic for f in frame] == [f.statistic for f in other]


def test_the_audit_is_the_same_each_time():
    X, y = clean()
    assert audit(X, y).to_dict() == audit(X, y).to_dict()


def test_rows_are_those_of_a_long_table(monkeypatch):
    from gramian.inspection._audit import audited

    monkeypatch.setattr(audited, "MOST_READ", 300)
    X, y = clean()
    y[[3, 77, 200, 350]] *= 100.0
    found = audit(X, y)
    assert found.title == "Table of 400 rows and 4 columns, of which 300 were drawn"
    assert set(found["target outliers"].rows) <= {3, 77, 200, 350}


def test_gaps_infinities_and_dates_are_read():
    X, y = clean()
    X.loc[X.index[:5], "length"] = np.inf
    X.loc[X.index[5:9], "kind"] = None
    X["day"] = pd.date_range("2024-01-01", periods=400)
    audit(X, y)
    audit(X.iloc[:3], y[:3])
    audit(X.iloc[:1], y[:1])


@pytest.mark.parametrize(
    ("X", "y", "error", "message"),
    [
        (np.empty((0, 3)), None, ValueError, "shape \\(0, 3\\)"),
        (np.zeros(5), None, ValueError, "two dimensions; X has 1"),
        (np.zeros((5, 2)), np.zeros(4), ValueError, "5 rows of X; it has the shape \\(4,\\)"),
        (np.zeros((3, 2)), [1.0, np.nan, 2.0], ValueError, "no value in 1 of 3 rows"),
        (np.zeros((3, 2)), [1.0, np.inf, 2.0], ValueError, "infinite"),
        (sparse.eye(4, format="csr"), None, TypeError, "toarray"),
    ],
)
def test_what_cannot_be_audited(X, y, error, message):
    with pytest.raises(error, match=message):
        audit(X, y)


def test_tasks():
    X, y = clean()
    with pytest.raises(ValueError, match="not 'clustering'"):
        audit(X, y, task="clustering")
    with pytest.raises(ValueError, match="y holds text"):
        audit(X, classes_of(y), task="regression")
    assert audit(X, np.round(y), task="classification")["target outliers"].verdict == (
        "not applicable"
    )


def test_it_is_at_the_top_of_the_package():
    assert gramian.audit is audit
