"""What the report tells of its best models, and what to do next."""

import re
import shlex

import numpy as np
import polars as pl
import pytest
import sklearn.metrics

from gramian.cli._app import run
from gramian.dummy import DummyRegressor
from gramian.linear_model import LinearRegression, LogisticRegression
from gramian.report import ModelResult, Settings, collect, compare, render
from gramian.report._charts import Tick
from gramian.report._importance import Importance
from gramian.report._model_charts import (
    make_calibration,
    make_importances,
    make_residuals,
    make_roc,
    make_scatter,
    make_thresholds,
)
from gramian.report._recommendation import advise, described
from gramian.report._stories import tell
from gramian.tree import DecisionTreeRegressor

RNG = np.random.default_rng(11)
N = 200
X = RNG.normal(size=(N, 2))
TABLE = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": 5 * X[:, 0] + RNG.normal(size=N)})
TABLE[7, "y"] = 100.0
LABELS = pl.DataFrame(
    {
        "a": X[:, 0],
        "b": X[:, 1],
        "y": np.where(X[:, 0] + 0.5 * RNG.normal(size=N) > 0.8, "yes", "no"),
    }
)


@pytest.fixture
def comparison(use_models):
    use_models(LinearRegression, DecisionTreeRegressor)
    return compare(TABLE, "y", Settings(metric="mae", repeats=1))


@pytest.fixture
def classes(use_models):
    use_models(LogisticRegression)
    return compare(LABELS, "y", Settings(repeats=1))


def test_an_interrupted_report_has_the_stories_that_were_done(comparison, monkeypatch):
    told = []

    def interrupted(comparison, result, seconds):
        if told:
            raise KeyboardInterrupt
        told.append(result)
        return tell(comparison, result, seconds)

    monkeypatch.setattr("gramian.report._collect.tell", interrupted)
    report = collect(comparison)
    assert report.was_cut
    assert [story.name for story in report.stories] == [comparison.best.name]
    assert "DecisionTreeRegressor" in render(report)


def test_a_story_names_what_matters_and_where_it_is_wrong(comparison):
    story = tell(comparison, comparison.best, None)
    assert story.name == "LinearRegression"
    assert "Standardised(estimator=LinearRegression" in story.call
    first = story.importances[0]
    assert first.column == "a" and 0 < first.low < first.mean < first.high
    assert [importance.column for importance in story.importances] == ["a", "b"]
    assert story.worst[0].row == 7 and story.worst[0].actual == 100.0
    errors = np.abs(TABLE["y"].to_numpy() - comparison.best.predictions)
    assert [row.loss for row in story.worst] == sorted(errors, reverse=True)[:5]
    assert story.worst[0].values[0][0] == "a"
    assert {finding.code for finding in story.findings} >= {"linearity", "multicollinearity"}
    assert story.certificate.startswith("optimal")
    assert story.remarks == {}


def test_a_story_that_has_no_time_is_not_told(comparison):
    assert tell(comparison, comparison.best, 0.0) is None
    assert tell(comparison, comparison.best, 1e-6) is None


def test_what_goes_wrong_becomes_a_remark(use_models, models):
    use_models(models["Line"])
    compared = compare(TABLE, "y", Settings(repeats=1))
    story = tell(compared, compared.best, None)
    assert story.findings == ()
    assert story.remarks["diagnosis"].startswith("diagnose does not know Line")


def test_the_advice_has_three_sentences(comparison):
    best, simplest, fastest = advise(comparison)
    assert (best.purpose, best.name) == ("Most accurate", "LinearRegression")
    assert re.match(r"MAE \d.* \(95 % interval .* to .*\), against .* for always", best.sentence)
    assert simplest.sentence == "No simpler model is within noise of the best."
    assert fastest.purpose == "Fastest within noise"
    assert "predicts 40 rows in" in fastest.sentence
    assert [r.name for r in described(comparison)] == ["LinearRegression", "DecisionTreeRegressor"]


def test_a_model_that_is_no_better_than_the_baseline_is_said_to_be(use_models, models):
    use_models(models["Median"])
    sentence = advise(compare(TABLE, "y"))[0].sentence
    assert "no better than" in sentence


def test_next_steps_have_commands_that_work(comparison, tmp_path, monkeypatch):
    steps = {step.why: step.command for step in collect(comparison).next_steps}
    save = next(command for why, command in steps.items() if "save it" in why)
    words = shlex.split(save)
    assert words[:5] == ["gramian", "compare", "a data frame", "--target", "y"]
    assert words[-4:] == ["--models", "LinearRegression", "--save", "best.gramian"]
    monkeypatch.chdir(tmp_path)
    TABLE.write_csv("table.csv")
    assert run(["compare", "table.csv", *words[3:]]) == 0
    assert run(["predict", "best.gramian", "table.csv"]) == 0


def test_a_leak_is_dropped_by_a_command(use_models):
    use_models(LinearRegression)
    leaky = TABLE.with_columns(later=pl.col("y") * 2.0)
    first = collect(compare(leaky, "y")).next_steps[0]
    assert first.why.startswith("later may give the target away")
    assert first.command.endswith("--drop later")


def test_pictures_of_a_regression(comparison):
    problem, best = comparison.problem, comparison.best
    scatter, residuals = make_scatter(problem, best), make_residuals(problem, best)
    assert scatter.points.count("M") == N == residuals.points.count("M")
    assert all(isinstance(tick, Tick) for tick in scatter.x_ticks)
    for chart in (scatter, residuals):
        places = np.array(re.findall(r"M([\d.]+) ([\d.]+)h0", chart.points), dtype=float)
        assert (places[:, 0] >= chart.left).all() and (places[:, 0] <= chart.right).all()
        assert (places[:, 1] >= chart.top).all() and (places[:, 1] <= chart.bottom).all()
    many = ModelResult("m", "ok", predictions=np.zeros(5000))
    long = comparison.problem.rows(np.arange(5000) % N)
    assert make_scatter(long, many).n_shown == 1000


def test_the_curve_encloses_the_area(classes):
    problem, best = classes.problem, classes.best
    chart = make_roc(problem, best)
    (name, points), *rest = chart.curves
    assert (name, rest) == ("yes", [])
    places = np.array([pair.split(",") for pair in points.split()], dtype=float)
    across = (places[:, 0] - chart.left) / (chart.right - chart.left)
    up = (chart.bottom - places[:, 1]) / (chart.bottom - chart.top)
    k = 1  # "yes"
    area = sklearn.metrics.roc_auc_score(problem.y == "yes", best.probabilities[:, k])
    assert sklearn.metrics.auc(across, up) == pytest.approx(area, abs=2e-3)
    assert make_calibration(problem, best).n_all == N


def test_thresholds_trade_precision_for_recall(classes):
    rows = make_thresholds(classes.problem, classes.best)
    at_half = next(row for row in rows if row.threshold == 0.5)
    called = classes.best.probabilities[:, 1] >= 0.5
    truth = classes.problem.y == "yes"
    precision = sklearn.metrics.precision_score(truth, called)
    assert at_half.precision == pytest.approx(precision)
    assert at_half.recall == pytest.approx(sklearn.metrics.recall_score(truth, called))
    assert at_half.f1 == pytest.approx(sklearn.metrics.f1_score(truth, called))
    recalls = [row.recall for row in rows]
    assert recalls == sorted(recalls, reverse=True)


def test_bars_share_a_scale():
    bars = make_importances((Importance("a", 2.0, 1.0, 3.0), Importance("b", -1.0, None, None)))
    assert bars[0].zero == bars[1].zero and bars[1].end < bars[0].zero < bars[0].end
    assert bars[0].label == "2.000 [1.000, 3.000]" and bars[1].label == "-1.000"
    assert bars[1].low is None
    assert make_importances(()) == ()
    assert make_importances((Importance("a", 0.0, None, None),))[0].end == 4.0


def test_pages_of_all_protocols_render(use_models):
    use_models(LinearRegression, DummyRegressor)
    table = TABLE.with_columns(
        day=pl.Series(range(N)), who=pl.Series([f"p{i % 20}" for i in range(N)]), w=pl.lit(2.0)
    )
    for settings in (
        Settings(time_column="day"),
        Settings(group="who"),
        Settings(weight="w", drop=("who",)),
    ):
        page = render(collect(compare(table, "y", settings)))
        assert "Most accurate" in page
    test = render(collect(compare(table.head(150), "y", Settings(), test=table.tail(50))))
    assert "50 rows of the test file" in test
