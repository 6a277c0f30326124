"""A comparison with a limit of time has an answer in time, and says what it rests on."""

import time

import numpy as np
import polars as pl
import pytest

from gramian.cli import _app
from gramian.inspection import audit
from gramian.report import Settings, compare, prepare
from gramian.report import _time_plan as time_plan
from gramian.report._evaluation import Protocol, Run
from gramian.report._folds import make_folds
from gramian.report._metrics import metrics_for
from gramian.report._time_plan import TimePlan, first_answer, plan_rows

RNG = np.random.default_rng(3)
N = 9_000
X = RNG.normal(size=N)
TABLE = pl.DataFrame({"x": X, "y": X + RNG.normal(size=N)})


def test_the_limit_counts_from_the_start():
    assert TimePlan(10.0, started=5.0).deadline == 15.0
    assert TimePlan(None, started=5.0).deadline is None


def test_the_command_line_passes_its_start_on(monkeypatch):
    seen = []

    def compare(*_args, started, **_options):
        seen.append(started)
        raise KeyboardInterrupt

    monkeypatch.setattr("gramian.report.compare", compare)
    arguments = ["compare", "auto_mpg", "--target", "mpg", "--time", "60"]
    assert _app.run(arguments, started=123.0) == 130
    assert seen == [123.0]


@pytest.mark.parametrize(("trial", "n_rows"), [(1e6, 2_000), (0.0, N)])
def test_an_answer_on_few_rows_comes_first(use_models, models, monkeypatch, trial, n_rows):
    monkeypatch.setattr(time_plan, "_trial_seconds", lambda *_: trial)
    use_models(models["Line"], models["Median"])
    comparison = compare(TABLE, "y", Settings(time_limit=600.0))
    assert comparison.problem.n_rows == n_rows
    assert comparison.problem.n_given == N
    assert [r.status for r in comparison.results] == ["ok"] * 3
    is_part = any(f"2,000 of {N:,} rows, drawn at random" in n for n in comparison.problem.notes)
    assert is_part == (n_rows < N)


def test_rows_are_as_many_as_the_time_allows(use_models, models, monkeypatch):
    """A row costs as much in each fold: the folds of the core take half of the time."""
    use_models(models["Line"])
    problem, settings = prepare(TABLE, "y"), Settings(time_limit=600.0)
    first = first_answer(problem, settings)
    assert first[0].n_rows == 2_000 and first[1].repeats == 1
    monkeypatch.setattr(TimePlan, "seconds_for_models", lambda _: 100.0)
    monkeypatch.setattr(time_plan, "_trial_seconds", lambda *_: 6_000 * 2e-3)
    candidates = [("Line", models["Line"])], metrics_for("regression")[0]
    plan = TimePlan(600.0)
    planned, how = plan_rows((problem, settings), first, 1_600 * 2e-3, candidates, plan)
    assert how.repeats == 1
    assert planned.n_rows == pytest.approx(50.0 / 5 / 0.8 / 2e-3, rel=0.05)
    assert plan_rows((problem, settings), first, None, candidates, plan) is first


def test_the_folds_that_are_done_give_an_answer(use_models, models):
    class Slower(models["Line"]):
        n_fits = 0

        def fit(self, X, y):
            Slower.n_fits += 1
            if Slower.n_fits > 2:
                time.sleep(60)
            return super().fit(X, y)

    use_models(Slower)
    comparison = compare(TABLE.head(400), "y", Settings(time_limit=3.0))
    assert comparison.best.name == "Slower"
    assert len(comparison.best.scores["r2"]) == 2 == len(comparison.folds.splits)
    assert len(comparison.baseline.scores["r2"]) == 2
    assert comparison.folds.explanation.startswith("the first 2 of 5 folds")
    assert len(comparison.best.row_values) == len(comparison.folds.tested) == 160
    assert comparison.best.row_values.mean() == pytest.approx(comparison.best.mean("r2"))


def test_a_stopped_model_goes_on_where_it_was(models):
    class Stopped(models["Line"]):
        n_fits = 0

        def fit(self, X, y):
            Stopped.n_fits += 1
            if Stopped.n_fits == 3:
                raise KeyboardInterrupt
            return super().fit(X, y)

    problem, settings = prepare(TABLE.head(300), "y"), Settings()
    folds = make_folds(problem, settings)
    protocol = Protocol(problem, settings, metrics_for("regression")[0], folds)
    run = Run(protocol, "Stopped", Stopped, (1, 1))
    with pytest.raises(KeyboardInterrupt):
        run.go()
    assert run.n_done == 2 and not run.has_ended
    again, whole = run.go(), Run(protocol, "Line", models["Line"], (1, 1)).go()
    assert again.scores["r2"] == whole.scores["r2"] and len(again.scores["r2"]) == 10
    np.testing.assert_array_equal(again.row_values, whole.row_values)


def test_drawn_rows_have_all_classes_and_test_rows():
    labels = np.where(np.arange(N) < 12, "rare", np.where(X > 0, "high", "low"))
    table = TABLE.select("x", y=pl.Series(RNG.permutation(labels)))
    drawn, _ = first_answer(prepare(table, "y"), Settings())
    counts = dict(zip(*np.unique(drawn.y, return_counts=True), strict=True))
    assert counts["rare"] == 10
    assert drawn.n_rows == pytest.approx(2_000, abs=10)
    problem = prepare(TABLE.head(6_000), "y", test=TABLE.tail(3_000))
    drawn, _ = first_answer(problem, Settings())
    assert drawn.is_test.sum() == pytest.approx(667, abs=1)
    timed, _ = first_answer(prepare(TABLE, "y", time_column="x"), Settings())
    assert timed.X["x"].min() == np.sort(X)[-2_000]


def test_the_first_folds_of_groups_have_their_units():
    who = pl.Series([f"p{i % 40}" for i in range(400)])
    settings = Settings(group="who")
    problem = prepare(TABLE.head(400).with_columns(who=who), "y", group="who")
    folds = make_folds(problem, settings)
    part = folds.first(2)
    assert set(part.units) == set(range(16)) and len(part.units) == len(part.tested)
    assert len(folds.first(7).splits) == 5
    assert folds.first(10) is folds


def test_an_audit_says_what_it_had_no_time_for():
    whole, hurried = audit(X[:500, None], X[:500]), audit(X[:500, None], X[:500], time_limit=1e-9)
    assert [f.code for f in whole] == [f.code for f in hurried]
    assert {f.explanation for f in hurried} == {"There was no time for it."}
    patient = audit(X[:500, None], X[:500], time_limit=600.0)
    assert patient.to_dict() == whole.to_dict()
