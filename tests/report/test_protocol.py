"""How models are judged: folds of groups and in time, test files, weights, what is left out."""

import numpy as np
import polars as pl
import pytest

from gramian.base import BaseEstimator, RegressorMixin
from gramian.linear_model import GammaRegressor, LinearRegression, QuantileRegressor, Ridge
from gramian.neighbors import KNeighborsRegressor, NearestCentroid
from gramian.report import Settings, Standardised, TableError, compare, prepare
from gramian.report import _candidates as candidates
from gramian.report._candidates import make_model, reason_to_skip
from gramian.report._folds import make_folds
from gramian.report._metrics import metrics_for
from gramian.report._text import verdict
from gramian.svm import SVC, NuSVC

RNG = np.random.default_rng(7)
N = 120
X = RNG.normal(size=N)
TABLE = pl.DataFrame(
    {
        "x": X,
        "who": [f"p{i % 15}" for i in range(N)],
        "day": RNG.permutation(N),
        "w": RNG.integers(1, 4, size=N),
        "y": 3 * X + RNG.normal(size=N),
    }
)
LABELS = TABLE.with_columns(y=pl.when(pl.col("y") > 2).then(pl.lit("yes")).otherwise(pl.lit("no")))
REGRESSION = {metric.name: metric for metric in metrics_for("regression")}
CLASSIFICATION = {metric.name: metric for metric in metrics_for("classification")}


def folds_of(table, **options):
    settings = Settings(**options)
    roles = {name: getattr(settings, name) for name in ("group", "time_column", "weight", "drop")}
    problem = prepare(table, "y", **roles)
    return problem, make_folds(problem, settings)


@pytest.mark.parametrize("table", [TABLE, LABELS], ids=["regression", "classification"])
def test_groups_are_kept_whole(table):
    problem, folds = folds_of(table, group="who", cv=4, repeats=2)
    assert "who" not in problem.X.columns
    assert len(folds.splits) == 8 and folds.n_folds == 4
    who = table["who"].to_numpy()
    for train, test in folds.splits:
        assert not set(who[train]) & set(who[test])
    np.testing.assert_array_equal(folds.units, problem.groups)
    assert "whole groups (15 of 'who')" in folds.explanation


def test_test_parts_come_later_than_training_parts():
    problem, folds = folds_of(TABLE, time_column="day", cv=5)
    day = problem.X["day"].to_numpy()
    assert (np.diff(day) > 0).all()
    assert "rows put into the order of 'day'." in problem.notes
    assert len(folds.splits) == 5 and folds.n_repeats == 1
    for train, test in folds.splits:
        assert day[train].max() < day[test].min()
    assert len(folds.tested) == 100 == len(folds.units)
    assert (np.diff(folds.units) >= 0).all() and folds.units[-1] == 49


def test_results_in_time_speak_of_the_tested_rows(use_models, models):
    use_models(models["Line"])
    comparison = compare(TABLE, "y", Settings(time_column="day", metric="mae"))
    best = comparison.best
    assert len(best.row_values) == 100
    assert best.row_values.mean() == pytest.approx(best.mean("mae"))
    assert np.isnan(best.predictions[:20]).all() and np.isfinite(best.predictions[20:]).all()


def test_texts_are_times():
    times = pl.Series("day", [f"2024-03-{d:02d} 10:00" for d in range(30, 0, -1)])
    table = TABLE.head(30).with_columns(times)
    problem, _ = folds_of(table, time_column="day")
    assert problem.y.tolist() == table["y"].to_list()[::-1]
    with pytest.raises(TableError, match="holds text that is no time, such as 'p0'"):
        prepare(TABLE, "y", time_column="who")


def test_a_test_file_judges_models_fitted_to_the_table(use_models, models):
    use_models(models["Line"])
    table, test = TABLE.head(80), TABLE.tail(40)
    comparison = compare(table.select("x", "y"), "y", test=test)
    line = np.polyfit(table["x"], table["y"], 1)
    errors = test["y"].to_numpy() - np.polyval(line, test["x"].to_numpy())
    assert comparison.best.scores["mae"] == pytest.approx((np.abs(errors).mean(),))
    assert len(comparison.best.row_values) == 40
    assert "40 rows of the test file judge models fitted to the 80" in comparison.folds.explanation


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop("x"), "the test file lacks columns of the table: 'x'"),
        (lambda t: t.with_columns(x=pl.lit("a")), "'x' holds numbers in the table and text in the"),
        (lambda t: t.with_columns(y=pl.lit(None, pl.Float64)), "'y' has no value in any row of"),
    ],
)
def test_a_test_file_that_does_not_fit(change, message):
    with pytest.raises(TableError, match=message):
        prepare(TABLE, "y", test=change(TABLE))


def test_weights_are_copies(use_models):
    """With a test file there are no folds whose rows would change with the copies."""
    use_models(Ridge)
    test = TABLE.tail(40)
    weighted = compare(TABLE.head(80), "y", Settings(weight="w", drop=("who",)), test=test)
    copies = [part[np.repeat(np.arange(len(part)), part["w"])] for part in (TABLE.head(80), test)]
    copied = compare(copies[0], "y", Settings(drop=("who", "w")), test=copies[1])
    for metric in REGRESSION.values():
        if metric.name in weighted.best.scores and metric.name != "poisson":
            mean = weighted.best.mean(metric.name)
            assert mean == pytest.approx(copied.best.mean(metric.name), rel=1e-9), metric.name


def test_models_without_weights_are_skipped(use_models):
    use_models(Ridge, KNeighborsRegressor)
    comparison = compare(TABLE, "y", Settings(weight="w", drop=("who",)))
    skipped = next(r for r in comparison.results if r.name == "KNeighborsRegressor")
    assert (skipped.status, skipped.reason) == ("skipped", "it takes no weights")
    assert comparison.best.name == "Ridge"


def test_standardised_takes_weights_as_copies():
    frame = TABLE.select("x", "who").with_columns(many=pl.Series([f"m{i % 60}" for i in range(N)]))
    y, w = TABLE["y"].to_numpy(), TABLE["w"].to_numpy()
    rows = np.repeat(np.arange(N), w)
    weighted = Standardised(Ridge(), scale_target=True).fit(frame, y, w)
    copied = Standardised(Ridge(), scale_target=True).fit(frame[rows], y[rows])
    assert weighted.means_ == pytest.approx(copied.means_)
    assert weighted.scales_ == pytest.approx(copied.scales_)
    assert weighted.target_scale_ == pytest.approx(copied.target_scale_)
    np.testing.assert_allclose(weighted.predict(frame), copied.predict(frame), rtol=1e-9)


def test_predictions_of_a_scaled_target_are_in_its_units():
    y = 1e4 + 1e3 * TABLE["y"].to_numpy()
    frame = TABLE.select("x")
    plain = Standardised(LinearRegression()).fit(frame, y)
    scaled = Standardised(LinearRegression(), scale_target=True).fit(frame, y)
    np.testing.assert_allclose(scaled.predict(frame), plain.predict(frame))
    assert scaled.training_target(y).std() == pytest.approx(1.0)
    assert plain.training_target(y) is y


def test_columns_to_drop():
    problem = prepare(TABLE, "y", drop=["who", "w"])
    assert problem.X.columns == ["x", "day"]


def test_the_rarer_class_is_looked_for_unless_another_is_asked_for():
    assert prepare(LABELS, "y").positive == "yes"
    assert prepare(LABELS, "y", positive="no").positive == "no"
    three = LABELS.with_columns(y=pl.Series([str(i % 3) for i in range(N)]))
    assert prepare(three, "y").positive is None
    assert prepare(TABLE, "y").positive is None


def test_where_one_class_has_nearly_all_rows_accuracy_is_not_the_measure(use_models, models):
    use_models(models["Threshold"])
    table = pl.DataFrame({"x": X, "y": np.where(X > 1.2, "rare", "usual")})
    comparison = compare(table, "y")
    assert comparison.metric.name == "auc"
    balanced = pl.DataFrame({"x": X, "y": np.where(X > 0, "a", "b")})
    assert compare(balanced, "y").metric.name == "accuracy"


@pytest.mark.parametrize("metric", CLASSIFICATION)
def test_every_measure_of_classes_ranks(use_models, models, metric):
    use_models(models["Threshold"], SVC, NearestCentroid)
    comparison = compare(LABELS.select("x", "y"), "y", Settings(metric=metric, repeats=1))
    assert comparison.metric.name == metric
    means = [result.mean(metric) for result in comparison.ranked]
    assert means == sorted(means, reverse=comparison.metric.larger_is_better)
    values = comparison.best.row_values
    assert values.mean() == pytest.approx(comparison.best.mean(metric))
    assert "'y' best" in verdict(comparison)


@pytest.mark.parametrize("metric", REGRESSION)
def test_every_measure_of_numbers_ranks(use_models, models, metric):
    use_models(models["Line"], models["Median"])
    counts = TABLE.with_columns(y=pl.Series(np.exp(X)))
    comparison = compare(counts, "y", Settings(metric=metric, repeats=1))
    assert comparison.best.name == "Line"


def test_pinball_loss_asks_models_for_the_quantile(use_models):
    use_models(QuantileRegressor, LinearRegression)
    settings = Settings(metric="pinball", quantile=0.9, drop=("who",))
    comparison = compare(TABLE, "y", settings)
    assert comparison.best.name == "QuantileRegressor"
    share = (TABLE["y"].to_numpy() <= comparison.best.predictions).mean()
    assert 0.8 <= share <= 0.97
    assert "always predicting the quantile 0.9" in verdict(comparison)


def test_settings_that_a_table_allows():
    labels = prepare(pl.DataFrame({"x": X, "y": np.where(X > 1.2, "rare", "usual")}), "y")
    metric = CLASSIFICATION["accuracy"]
    nu = make_model(NuSVC, labels, metric, Settings()).estimator.nu
    assert nu < 0.5
    assert 0.8 * nu < 2 * (X > 1.2).mean()
    numbers = prepare(TABLE, "y")
    gamma = make_model(GammaRegressor, numbers, REGRESSION["r2"], Settings())
    options = {"is_wanted": False}
    reason = reason_to_skip("GammaRegressor", gamma, numbers, REGRESSION["r2"], 96, **options)
    assert reason.startswith("it needs a target above 0, and the least is -")


class KernelRidge(RegressorMixin, BaseEstimator):
    """Stands for a model that holds a matrix of all pairs of rows."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(X.height)


def test_a_matrix_of_all_pairs_of_rows_has_to_fit_into_memory(use_models, models, monkeypatch):
    monkeypatch.setattr(candidates, "available_bytes", lambda: 200_000)
    use_models(KernelRidge, models["Line"])
    comparison = compare(TABLE, "y")
    skipped = comparison.results[-1]
    assert (skipped.name, skipped.status) == ("KernelRidge", "skipped")
    assert skipped.reason.startswith("a matrix of 96 x 96 rows")
    monkeypatch.setattr(candidates, "available_bytes", lambda: None)
    assert all(result.status == "ok" for result in compare(TABLE, "y").results)


def test_variants_are_left_out_unless_they_are_asked_for():
    problem = prepare(TABLE.select("x", "w", "y"), "y")
    usual = [name for name, _ in candidates.choose_models(problem, None)]
    assert "RidgeCV" in usual and "Ridge" not in usual
    assert [name for name, _ in candidates.choose_models(problem, ("Ridge",))] == ["Ridge"]
    known = {
        name for task in ("regression", "classification") for name, _ in candidates.models_for(task)
    }
    assert set(candidates.STAND_INS) | set(candidates.STAND_INS.values()) <= known


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "whom"}, "there is no column 'whom'; did you mean 'who'"),
        ({"group": "y"}, "column 'y' cannot be target and group at once"),
        ({"drop": ("x",), "weight": "x"}, "column 'x' cannot be weight and drop at once"),
        ({"weight": "who"}, "the weight 'who' holds String"),
        ({"weight": "x"}, "must be finite, not negative and not all zero; they go from -"),
        ({"group": "who", "cv": 16}, "'who' has 15 groups, too few for 16 folds; use --cv 15"),
        ({"positive": "yes"}, "positive='yes' is a class, and the task is a regression"),
        ({"metric": "poisson"}, "is for counts and rates, and the least value of 'y' is -"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(TableError, match=message):
        compare(TABLE, "y", Settings(**options))


def test_refusals_of_classes():
    with pytest.raises(TableError, match="positive must be one of two classes, not 'maybe'"):
        compare(LABELS, "y", Settings(positive="maybe"))
    late = LABELS.sort("y").with_columns(day=pl.Series(range(N)))
    with pytest.raises(TableError, match="AUC needs two classes in every test part"):
        compare(late, "y", Settings(time_column="day", metric="auc"))
    for options, message in (
        ({"quantile": 1.0}, "quantile must be between 0 and 1"),
        ({"group": "a", "time_column": "b"}, "give one of them"),
        ({"n_threads": 0}, "threads must be 1 or more"),
    ):
        with pytest.raises(TableError, match=message):
            Settings(**options)
