"""Comparisons: same folds, honest ranking, nothing hidden."""

import re
import time
import warnings

import numpy as np
import polars as pl
import pytest
import scipy.stats
import sklearn.metrics

from gramian._text import difference, number, plus_minus, seconds, signed
from gramian.model_selection import KFold
from gramian.report import (
    ModelResult,
    Settings,
    Standardised,
    TableError,
    collect,
    compare,
    prepare,
    read_table,
    render,
)
from gramian.report._candidates import models_for, suitable_models, turn
from gramian.report._intervals import differences_to
from gramian.report._json import to_dict
from gramian.report._metrics import metrics_for
from gramian.report._text import (
    _alternatives,
    difference_to_best,
    is_as_good_as_best,
    verdict,
)
from gramian.svm import SVC

RNG = np.random.default_rng(5)
X = RNG.normal(size=120)
TABLE = pl.DataFrame({"x": X, "label": ["u", "v"] * 60, "y": 3 * X + RNG.normal(size=120)})
CLASSES = TABLE.with_columns(y=pl.when(pl.col("y") > 0).then(pl.lit("yes")).otherwise(pl.lit("no")))


def names(comparison):
    return [result.name for result in comparison.results]


def test_ranking(use_models, models):
    use_models(models["Median"], models["Line"])
    comparison = compare(TABLE, "y")
    assert names(comparison)[0] == "Line" == comparison.best.name
    assert set(names(comparison)) == {"Line", "Median", "DummyRegressor"}
    assert comparison.best.difference is None
    assert not comparison.baseline.difference.includes_zero
    low, high = comparison.best.interval
    assert low < comparison.best.mean("r2") < high
    assert "Line predicts 'y' best: R²" in verdict(comparison)


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_smaller_is_better_for_errors(use_models, models, metric):
    use_models(models["Median"], models["Line"])
    comparison = compare(TABLE, "y", Settings(metric=metric))
    assert comparison.best.name == "Line"
    means = [result.mean(metric) for result in comparison.ranked]
    assert means == sorted(means)


def test_scores_are_those_of_the_folds(use_models, models):
    use_models(models["Line"])
    comparison = compare(TABLE, "y", Settings(cv=4, seed=3, repeats=1))
    y, expected = TABLE["y"].to_numpy(), []
    for train, test in KFold(4, shuffle=True, random_state=3).split(X):
        line = np.polyfit(X[train], y[train], 1)
        expected.append(sklearn.metrics.r2_score(y[test], np.polyval(line, X[test])))
        np.testing.assert_allclose(comparison.best.predictions[test], np.polyval(line, X[test]))
    np.testing.assert_allclose(comparison.best.scores["r2"], expected)


def test_repeats_cut_the_rows_anew(use_models, models):
    use_models(models["Line"])
    comparison = compare(TABLE, "y", Settings(cv=3, repeats=2))
    scores = comparison.best.scores["r2"]
    assert len(scores) == 6 and scores[:3] != scores[3:]
    assert scores[:3] == compare(TABLE, "y", Settings(cv=3, repeats=1)).best.scores["r2"]


def test_failures_and_warnings_are_told(use_models, models):
    use_models(models["Broken"], models["Noisy"])
    comparison = compare(TABLE, "y")
    broken = comparison.results[-1]
    assert (broken.name, broken.status) == ("Broken", "failed")
    assert broken.reason == "the <moon> is not right"
    assert comparison.best.warnings == ("this may be wrong (in 10 of 10 fits)",)
    alone = to_dict(comparison)["models"][-1]
    assert alone["scores"] == {} and alone["difference_to_baseline"] is None


def test_changes_to_come_are_not_told(use_models, models):
    class Changing(models["Noisy"]):
        def fit(self, X, y):
            warnings.warn("the default will change", FutureWarning, stacklevel=2)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                return super().fit(X, y)

    use_models(Changing)
    comparison = compare(TABLE, "y")
    assert comparison.best.name == "Changing" and comparison.best.warnings == ()
    collect(comparison)  # warnings are errors here


def test_nothing_works(use_models, models):
    use_models(models["Broken"])
    comparison = compare(TABLE, "y")
    assert comparison.best is None
    assert verdict(comparison) == "No model could be fitted to this table."


def test_no_better_than_the_baseline(use_models, models):
    use_models(models["Median"])
    assert "No model beats that baseline" in verdict(compare(TABLE, "y"))


def test_as_good_as_the_best(use_models, models):
    use_models(models["Line"], models["Noisy"])
    comparison = compare(TABLE, "y")
    found = comparison.ranked[1].difference
    assert (found.mean, found.low, found.high) == (0.0, 0.0, 0.0) and found.includes_zero
    assert "Noisy is within noise of it (≈ best)" in verdict(comparison)


def test_few_models_are_as_good_as_the_best_on_auto_mpg():
    comparison = compare("auto_mpg", "mpg")
    as_good = [r.name for r in comparison.ranked if is_as_good_as_best(r)]
    assert 1 <= len(as_good) <= 6
    assert "GammaRegressor" not in as_good
    assert "BoostingRegressor" in (comparison.ranked[0].name, *as_good)
    for result in comparison.ranked:
        if result is not comparison.best:
            gap = result.mean("r2") - comparison.best.mean("r2")
            assert result.difference.mean == pytest.approx(gap, abs=1e-12)
    told = verdict(comparison)
    assert f"{len(as_good)} other models are within noise of it (≈ best)" in told
    named = set(re.findall(r"\w+Regressor|SVR", told.split("within noise")[1]))
    assert len(named) <= 2 and named <= set(as_good)


def result_of(name, family, seconds):
    times = {"fit_seconds": (seconds,), "predict_seconds": (0.0,)}
    return ModelResult(name, "ok", family=family, **times)


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ([("A", "tree", 1.0)], "A is within noise of it (≈ best); it is simpler and faster"),
        ([("A", "ensemble", 9.0)], "A is within noise of it (≈ best)"),
        (
            [("A", "ensemble", 1.0), ("B", "svm", 9.0)],
            "2 other models are within noise of it (≈ best); the simplest is B; the fastest is A",
        ),
        (
            [("A", "boosting", 7.0), ("B", "linear_model", 1.0)],
            "2 other models are within noise of it (≈ best); the simplest and the fastest of them "
            "is B",
        ),
        (
            [("A", "boosting", 7.0), ("B", "elsewhere", 9.0)],
            "2 other models are within noise of it (≈ best)",
        ),
    ],
)
def test_words_about_the_others(others, words):
    best = result_of("Best", "ensemble", 5.0)
    assert _alternatives(best, [result_of(*other) for other in others]) == words


def test_classification(use_models, models):
    use_models(models["Threshold"], models["Line"])
    comparison = compare(CLASSES, "y")
    assert names(comparison) == ["Threshold", "DummyClassifier"]
    assert comparison.best.mean("accuracy") > 0.75
    assert set(comparison.best.scores) == {metric.name for metric in metrics_for("classification")}
    assert set(comparison.best.predictions) == {"yes", "no"}


@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
@pytest.mark.parametrize("table", ["iris", "breast_cancer", "wine"])
def test_every_classifier_runs_on_the_built_in_tables(table, metric):
    problem = prepare(read_table(table), "target")
    models = dict(suitable_models(problem))
    settings = Settings(cv=3, metric=metric, repeats=1, models=tuple(models))
    comparison = compare(table, "target", settings)
    failed = [(r.name, r.reason) for r in comparison.results if r.status != "ok"]
    assert not failed
    without_probabilities = {
        name for name, cls in models.items() if not hasattr(cls(), "predict_proba")
    }
    assert {"LinearSVC", "Perceptron", "RidgeClassifier", "SVC"} <= without_probabilities
    assert ("FirthLogisticRegression" in names(comparison)) == (table == "breast_cancer")
    calibrated = {result.name for result in comparison.results if result.calibrated}
    calibrable = {n for n in without_probabilities if hasattr(models[n](), "decision_function")}
    assert calibrated == (calibrable if metric == "log_loss" else set())
    for result in comparison.ranked:
        has_log_loss = metric == "log_loss" or result.name not in without_probabilities
        assert ("log_loss" in result.scores) == has_log_loss


def test_calibrated_models_are_told(use_models):
    use_models(SVC)
    comparison = compare(CLASSES, "y", Settings(metric="log_loss"))
    assert comparison.best.calibrated and comparison.best.standardised
    assert to_dict(comparison)["models"][0]["calibrated"]
    report = collect(comparison)
    assert "Models that give no probabilities were calibrated" in render(report)
    assert "Standardised(estimator=CalibratedClassifierCV(" in report.code
    assert "from gramian.calibration import CalibratedClassifierCV" in report.code
    assert "from gramian.svm import SVC" in report.code
    plain = compare(CLASSES, "y")
    assert not plain.best.calibrated and "were calibrated" not in render(collect(plain))


def test_models_for_two_classes_are_left_out_of_three():
    settings = Settings(models=("FirthLogisticRegression",))
    with pytest.raises(TableError, match="is for two classes, and 'target' has 3; leave it out"):
        compare("iris", "target", settings)


def test_a_class_of_few_rows_is_worth_fewer_folds(use_models, models):
    use_models(models["Threshold"])
    x = np.arange(20.0)
    table = pl.DataFrame({"x": x, "y": np.where(x < 16, "low", "high")})
    comparison = compare(table, "y")
    assert comparison.folds.n_folds == 4 == comparison.settings.cv
    assert comparison.problem.n_rows == 20
    assert comparison.problem.notes == ("4 folds, not 5: the class 'high' has 4 rows.",)
    assert "--cv 4" in collect(comparison).command


def test_time_limit_skips_what_did_not_begin(use_models, models):
    use_models(models["Line"], models["Median"])
    comparison = compare(TABLE, "y", Settings(time_limit=1e-9))
    assert comparison.baseline.status == "ok"
    assert comparison.best.name == "Line"  # an answer there is, whatever the time
    assert comparison.results[-1].name == "Median"
    assert "time was up before" in comparison.results[-1].reason


def test_time_limit_ends_a_model_in_the_middle(use_models, models):
    class Slow(models["Line"]):
        def fit(self, X, y):
            time.sleep(60)

    use_models(models["Line"], Slow)
    began = time.monotonic()
    comparison = compare(TABLE, "y", Settings(time_limit=1.0))
    assert time.monotonic() - began < 30  # whatever else the machine does
    assert comparison.best.name == "Line"
    assert comparison.results[-1].reason == "the time was up after 0 of 10 folds"


def test_chosen_models(use_models, models):
    use_models(models["Line"], models["Median"])
    comparison = compare(TABLE, "y", Settings(models=("Median",)))
    assert set(names(comparison)) == {"Median", "DummyRegressor"}
    with pytest.raises(TableError, match=r"no regression model 'Lime'; did you mean Line"):
        compare(TABLE, "y", Settings(models=("Lime",)))


def test_progress(use_models, models):
    use_models(models["Line"])
    seen = []
    compare(TABLE, "y", Settings(cv=2, repeats=1), progress=seen.append)
    assert seen[-3:] == [("Line", 0, 2, 2, 2), ("Line", 1, 2, 2, 2), ("Line", 2, 2, 2, 2)]


def test_interrupt_keeps_what_is_done(use_models, models):
    class Stopped(models["Line"]):
        def fit(self, X, y):
            raise KeyboardInterrupt

    use_models(models["Median"], Stopped, models["Line"])
    comparison = compare(TABLE, "y")
    assert comparison.was_cut
    assert names(comparison)[:2] in (["Median", "DummyRegressor"], ["DummyRegressor", "Median"])
    skipped = [(r.name, r.reason) for r in comparison.results if r.status == "skipped"]
    assert skipped == [("Stopped", "interrupted"), ("Line", "interrupted")]
    assert to_dict(comparison)["was_cut"]
    assert "Median" in render(collect(comparison))
    use_models(Stopped, models["Line"])
    comparison = compare(TABLE, "y")
    assert comparison.was_cut and comparison.best is None
    assert comparison.audit is not None  # what was done before
    assert "No model was done when it was interrupted" in render(collect(comparison))


def test_cheap_and_strong_models_have_the_first_turns():
    for task, linear in (
        ("regression", "LinearRegression"),
        ("classification", "LogisticRegression"),
    ):
        kind = "Regressor" if task == "regression" else "Classifier"
        turns = sorted((name for name, _ in models_for(task)), key=turn)
        assert turns[:3] == [linear, f"HistGradientBoosting{kind}", f"RandomForest{kind}"]
        assert "SVR" in turns[-6:] or "SVC" in turns[-6:]
        assert len(turns) == len(models_for(task))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": 1}, "cv must be 2 or more, not 1"),
        ({"repeats": 0}, "repeats must be 1 or more"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"seed": 2**32}, "seed must be below"),
        ({"time_limit": 0.0}, "time must be a positive number"),
        ({"time_limit": float("nan")}, "time must be a positive number"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(TableError, match=message):
        Settings(**options)


def test_refusals(use_models, models):
    use_models(models["Line"])
    with pytest.raises(TableError, match="'accuracy' does not measure a regression"):
        compare(TABLE, "y", Settings(metric="accuracy"))
    with pytest.raises(TableError, match="8 rows are too few for 5 folds"):
        compare(TABLE.head(8), "y")
    with pytest.raises(TableError, match="no model for that yet"):
        compare(CLASSES, "y")
    use_models(models["Threshold"])
    is_rare = pl.when(pl.arange(120) < 1).then(pl.lit("rare"))
    with pytest.raises(TableError, match="the rarest class of 'y' has 1 row, "):
        compare(CLASSES.with_columns(y=is_rare.otherwise(pl.lit("x"))), "y")


def test_rare_classes_are_left_out(use_models, models):
    use_models(models["Threshold"])
    is_rare = pl.when(pl.arange(120) < 3).then(pl.lit("rare"))
    comparison = compare(CLASSES.with_columns(y=is_rare.otherwise("y")), "y")
    assert comparison.problem.n_rows == 117
    assert "class 'rare' (3 rows) left out: fewer than 5 rows." in comparison.problem.notes
    assert "min_class_rows=5" in collect(comparison).code


def test_standardised(models):
    frame = pl.DataFrame(
        {"x": [1, 2, 3, 6], "c": [5.0] * 4, "t": list("abab"), "gap": [1.0, None, 3.0, None]}
    )
    y = np.array([1.0, 2.0, 3.0, 6.0])
    model = Standardised(models["Line"]()).fit(frame, y)
    seen = model.transform(frame)
    assert seen["x"].mean() == pytest.approx(0.0) and seen["x"].std(ddof=0) == pytest.approx(1.0)
    assert seen["c"].to_list() == [0.0] * 4
    assert seen["t"].to_list() == list("abab")
    assert seen["gap"].to_list() == [-1.0, None, 1.0, None]
    np.testing.assert_allclose(model.predict(frame), y)
    infinite = Standardised(models["Median"]()).fit(pl.DataFrame({"x": [1.0, np.inf]}), y[:2])
    assert infinite.transform(pl.DataFrame({"x": [np.inf]}))["x"].to_list() == [np.inf]
    assert model.estimator_ is not model.estimator


def test_columns_of_many_labels_are_standardised(models):
    rng = np.random.default_rng(0)
    names = [f"car {i % 60}" for i in range(240)]
    frame = pl.DataFrame({"name": names, "x": rng.standard_normal(240)})
    y = 1e4 * (np.arange(240) % 60) + rng.standard_normal(240)
    model = Standardised(models["Line"]()).fit(frame, y)
    seen = model.training_rows(frame, y)
    assert seen.columns[0] == "x" and seen.width == 2
    assert seen.to_series(1).std(ddof=0) == pytest.approx(1.0)
    # New rows take the means of all rows of their label: close to, not equal to, those of a fold.
    assert model.transform(frame).to_series(1).std(ddof=0) == pytest.approx(1.0, rel=0.1)
    unseen = model.transform(pl.DataFrame({"name": ["bus"], "x": [0.0]}))
    assert abs(unseen.to_series(1)[0]) < 0.1


def test_differences_to_the_best(use_models, models):
    use_models(models["Line"], models["Median"])
    comparison = compare(TABLE, "y", Settings(cv=4, repeats=2, metric="rmse"))
    rows = {result.name: result.row_values for result in comparison.ranked}
    expected = differences_to("Line", rows)
    assert {r.name: r.difference for r in comparison.ranked if r.difference} == expected
    best = rows["Line"]
    assert best.mean() == pytest.approx(comparison.best.mean("rmse"), rel=1e-12)
    interval = scipy.stats.t.interval(0.95, 119, best.mean(), scipy.stats.sem(best))
    assert comparison.best.interval == pytest.approx(interval)
    median = next(result for result in comparison.ranked if result.name == "Median")
    mean, ends = difference_to_best(median)
    assert mean.startswith("+") and ends.startswith("[+")
    assert difference_to_best(comparison.best) == ("", "")
    told = {model["name"]: model["difference_to_best"] for model in to_dict(comparison)["models"]}
    assert told["Line"] is None and not told["Median"]["includes_zero"]
    assert told["Median"]["interval"] == [expected["Median"].low, expected["Median"].high]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.81234, "0.812"),
        (-0.0081, "-0.008"),
        (-0.0001, "0.000"),
        (0, "0.000"),
        (12.3456, "12.35"),
        (5140, "5140"),
        (123456.7, "123457"),
        (1.5e9, "1.5e+09"),
        (float("nan"), "nan"),
    ],
)
def test_numbers(value, shown):
    assert number(value) == shown


def test_words():
    assert plus_minus(0.8123, 0.0249) == "0.812 ± 0.025"
    assert plus_minus(54.49, 3.2) == "54.49 ± 3.20"
    assert difference(0.5, 0.5, 0.5) == ("+0.500", "[+0.500, +0.500]")
    assert difference(-1234.0, -1334.0, -1134.0) == ("-1234", "[-1334, -1134]")
    assert difference(0.05, 0.0001, 0.0999) == ("+0.0500", "[+0.0001, +0.0999]")
    assert difference(np.nan, np.nan, np.nan) == ("nan", "[nan, nan]")
    assert signed(0.5) == "+0.500" and signed(-0.5) == "-0.500"
    assert seconds((0.5e-3,)) == "500 µs" and seconds((0.02,)) == "20.0 ms"
    assert seconds((2.0, 4.0)) == "3.00 s"


def test_models_that_need_a_radius_are_not_compared():
    tasks = ("classification", "regression")
    names = {name for task in tasks for name, _ in models_for(task)}
    assert "KNeighborsClassifier" in names and "KNeighborsRegressor" in names
    assert not any(name.startswith("Radius") for name in names)
