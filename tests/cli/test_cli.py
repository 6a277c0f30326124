"""The command line: what it prints, and how it fails."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import polars as pl
import pytest
from rich.console import Console
from typer.testing import CliRunner

import gramian
from gramian import cli, report
from gramian.cli._app import app, run
from gramian.cli._console import Terminal, _ranking
from gramian.linear_model import LinearRegression
from gramian.registry import all_estimators
from gramian.report import _candidates

HEADER = "x,city,y\n"
ROWS = [f"{i},{'ab'[i % 2]},{i * i % 17 + i / 10}\n" for i in range(40)]
COMMAND = [sys.executable, "-m", "gramian.cli"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(HEADER + "".join(ROWS))
    return path


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def spawn(*arguments, **environment):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )


def test_compare_prints_a_ranked_table():
    result = invoke("compare", "auto_mpg", "--target", "mpg")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("auto_mpg: 398 rows, 8 columns, regression of 'mpg', seed 0")
    assert lines[1].startswith("judged by: 5 x 2 folds at random")
    assert lines[2] == "ranked by: R², larger is better."
    for name in ("LinearRegression", "Ridge", "DummyRegressor"):
        assert any(line.strip().startswith(name) for line in lines)
    assert "predicts 'mpg' best: R²" in result.stdout
    assert "\x1b" not in result.stdout


INTERVAL = re.compile(r"\[([+-][\d.]+), ([+-][\d.]+)\]")


@pytest.mark.parametrize(("table", "target"), [("auto_mpg", "mpg"), ("iris", "target")])
def test_remark_and_printed_interval_agree(table, target):
    result = invoke("compare", table, "--target", target)
    found = [(INTERVAL.search(line), line) for line in result.stdout.splitlines()]
    rows = [(bounds, line) for bounds, line in found if bounds]
    assert len(rows) > 15
    for bounds, line in rows:
        low, high = map(float, bounds.groups())
        assert line.rstrip().endswith("≈ best") == (low <= 0 <= high), line
    assert "≈ best: the interval of the difference to the best model includes zero" in result.stdout


def test_narrow_terminals_leave_columns_out():
    settings = report.Settings(cv=3, models=("LinearRegression", "Ridge"))
    comparison = report.compare("auto_mpg", "mpg", settings)
    headings = {
        width: [column.header for column in _ranking(comparison, width).columns]
        for width in (60, 97, 108, 200)
    }
    needed = ["model", "R²", "vs best", "95 % interval", ""]
    assert headings[60] == needed
    assert headings[97] == [*needed[:4], "fit", "predict", ""]
    assert headings[108] == [*needed[:4], "vs baseline", "fit", "predict", ""]
    assert headings[200] == [*needed[:4], "vs baseline", "RMSE", "MAE", "fit", "predict", ""]


def test_json(table):
    arguments = ("compare", table, "--target", "y", "--cv", "3", "--json", "--metric", "mae")
    result = invoke(*arguments)
    content = json.loads(result.stdout)
    assert result.exit_code == 0
    assert content["task"] == "regression" and content["metric"] == "mae"
    assert content["n_rows"] == 40 and content["cv"] == 3
    best = content["models"][0]
    assert best["name"] == content["best"] or best["is_baseline"]
    assert len(best["scores"]["mae"]["folds"]) == 3 * content["repeats"] == 6
    again = json.loads(invoke(*arguments).stdout)
    scores = [[model["scores"] for model in run["models"]] for run in (content, again)]
    assert scores[0] == scores[1]


def test_report_is_written(table, tmp_path):
    out = tmp_path / "report.html"
    result = invoke("compare", table, "--target", "y", "--out", out, "--seed", "7")
    assert result.exit_code == 0, result.stderr
    page = out.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "seed 7" in page and "--seed 7" in page
    assert f"report: {out}" in result.stdout


def test_a_saved_model_predicts_as_the_code_of_the_report_does(tmp_path):
    path, out = tmp_path / "best.gramian", tmp_path / "predicted.parquet"
    chosen = ("--models", "Ridge,LinearRegression")
    result = invoke("compare", "auto_mpg", "--target", "mpg", "--save", path, *chosen)
    assert result.exit_code == 0, result.stderr
    assert f"predict with: gramian predict {path}" in result.stdout
    assert invoke("predict", path, "auto_mpg", "--out", out).exit_code == 0
    settings = report.Settings(models=("Ridge", "LinearRegression"))
    collected = report.collect(report.compare("auto_mpg", "mpg", settings))
    code = collected.code.replace("model.predict", "predicted = model.predict")
    names = {}
    exec(code, names)
    assert pl.read_parquet(out)["prediction"].to_list() == names["predicted"].tolist()


def test_predict_prints_csv_with_probabilities(tmp_path):
    path = tmp_path / "best.gramian"
    invoke("compare", "iris", "--target", "target", "--models", "GaussianNB", "--save", path)
    result = invoke("predict", path, "iris", "--proba")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("prediction,probability of setosa")
    assert lines[1].startswith("setosa,") and len(lines) == 151


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["iris"], "lacks columns that the model was fitted to: 'x', 'city'"),
        (["table", "--proba"], "gives no probabilities"),
        (["table", "--out", "predicted.xlsx"], "must end in .csv or .parquet"),
        (["nowhere.csv"], "nowhere.csv does not exist"),
    ],
)
def test_predict_refuses_in_one_line(arguments, message, table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = report.prepare(report.read_table(table), "y")
    model = report.Standardised(LinearRegression()).fit(frame.X, frame.y)
    gramian.save(model, "model.gramian")
    where = [str(table) if word == "table" else word for word in arguments]
    assert run(["predict", "model.gramian", *where]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_audit_names_a_leak(tmp_path):
    path = tmp_path / "leak.csv"
    rows = [f"{i},{i * i % 17 + i / 100},{2 * (i * i % 17) + i / 50}\n" for i in range(200)]
    path.write_text("number,y,later\n" + "".join(rows))
    result = invoke("audit", path, "--target", "y")
    assert result.exit_code == 0, result.stderr
    assert "✗ leakage" in result.stdout
    found = json.loads(invoke("audit", path, "--target", "y", "--json").stdout)
    leak = next(finding for finding in found["findings"] if finding["code"] == "leakage")
    assert leak["columns"] == ["later"]
    assert "leakage" not in invoke("audit", path).stdout
    compared = invoke("compare", path, "--target", "y", "--models", "Ridge")
    assert "problem: leakage (later)." in compared.stdout
    assert "Look at later first: it may give the target away." in compared.stdout


def test_rows_without_a_target_are_noted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(HEADER + "1,a,\n" + "".join(ROWS))
    result = invoke("compare", path, "--target", "y")
    assert "note: 1 row without a value of 'y' left out." in result.stdout


def test_markup_in_names_is_only_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text((HEADER + "".join(ROWS)).replace("y\n", "[red]y[/red]\n", 1))
    result = invoke("compare", path, "--target", "[red]y[/red]")
    assert result.exit_code == 0
    assert "'[red]y[/red]'" in result.stdout


CONTROL = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202e]")


def test_control_characters_of_names_and_values_are_written_out(tmp_path, capsys):
    """They could clear a terminal, set its title or hide what stands there."""
    evil, target = "\x1b[31m\x07\u202e", "y\x1b[2J"
    values = [i * i % 17 + i / 10 for i in range(40)]
    columns = {f"{evil}a": values[::-1], "b": [f"{evil}{i % 3}\x9b" for i in range(40)]}
    columns |= {target: values, f"{evil}c": [None] * 40}
    path, out = tmp_path / "t.parquet", tmp_path / "report.html"
    pl.DataFrame(columns).write_parquet(path)
    models = ["--models", "Ridge,DecisionTreeRegressor", "--out", out]
    shown = invoke("compare", path, "--target", target, *models)
    assert shown.exit_code == 0, shown.stderr
    page = out.read_text(encoding="utf-8")
    for text in (shown.stdout, page):
        assert not CONTROL.search(text)
        assert "y\\x1b[2J" in text
    assert run(["compare", f"{evil}.csv", "--target", "y"]) == 2
    assert not CONTROL.search(capsys.readouterr().err)


def test_more_columns_than_can_be_compared(tmp_path):
    n_columns = 60_000
    rows = [",".join(["1"] * n_columns) for _ in range(3)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(f"c{j}" for j in range(n_columns)), *rows]))
    began = time.process_time()
    result = invoke("compare", path, "--target", "c0")
    assert time.process_time() - began < 5.0
    assert result.exit_code == 2
    assert "has 60000 columns, and a comparison takes 10000 at most" in result.stderr
    frame = pl.DataFrame({f"c{j}": [1.0, 2.0] for j in range(10_001)})
    with pytest.raises(report.TableError, match="10001 columns"):
        report.compare(frame, "c0")


def test_lists():
    assert "auto_mpg" in invoke("datasets").stdout
    assert invoke("--version").stdout == f"gramian {gramian.__version__}\n"


def test_models_are_a_table():
    shown = invoke("models").stdout.splitlines()
    assert shown[0].split() == ["model", "kind", "module", "takes", "what", "it", "is"]
    ridge = next(line for line in shown if line.startswith("Ridge "))
    assert re.match(r"Ridge +regressor +linear_model +weights, sparse, targets +Linear", ridge)
    content = json.loads(invoke("models", "--kind", "regressor", "--json").stdout)
    assert {line["kind"] for line in content} == {"regressor"}
    assert {line["name"] for line in content} == {name for name, _ in all_estimators("regressor")}


def test_a_bare_call_says_what_to_do():
    shown = invoke().stdout
    for name in ("compare", "predict", "explain", "report", "audit", "models"):
        assert f"gramian {name}" in shown
    assert max(map(len, shown.splitlines())) <= 90


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "best.gramian"
    problem = report.prepare(report.read_table("auto_mpg"), "mpg")
    model = report.Standardised(LinearRegression()).fit(problem.X, problem.y)
    gramian.save(model, path)
    return path


def test_explain_takes_predictions_apart(saved):
    shown = invoke("explain", saved, "auto_mpg", "--rows", "0, 5", "--columns", "3").stdout
    assert "row 0: 14.88, from 23.04 on average" in shown and "row 5: 13.91" in shown
    assert "5 other columns" in shown and "the parts add up to the prediction" in shown
    assert "█" in shown and "Comparison with the fitted" not in shown
    content = json.loads(invoke("explain", saved, "auto_mpg", "--json").stdout)
    parts = [part["amount"] for part in content[0]["contributions"]]
    assert sum(parts) + content[0]["base"] == pytest.approx(content[0]["prediction"])
    worked = invoke("explain", saved, "auto_mpg", "--target", "mpg").stdout
    assert "The calculation and the fitted model agree." in worked


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["auto_mpg", "--rows", "first"], "--rows takes numbers with commas between"),
        (["auto_mpg", "--rows", "400"], "row 400 is not there: the table's rows are 0 to 397"),
        (["iris"], "the table lacks columns that the model was fitted to"),
        (["auto_mpg", "--target", "mgp"], "did you mean 'mpg'"),
    ],
)
def test_explain_refuses_in_one_line(arguments, message, saved, capsys):
    assert run(["explain", str(saved), *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


BAD = {
    "empty.csv": b"",
    "header.csv": b"a,b\n",
    "binary.csv": bytes(range(256)),
    "ragged.csv": b"a,b\n1,2,3\n",
    "page.pdf": b"%PDF",
    "short.csv": (HEADER + "".join(ROWS[:6])).encode(),
    "constant.csv": b"a,y\n1,2\n2,2\n",
    "missing.csv": b"a,y\n1,\n2,\n",
    "good.csv": (HEADER + "".join(ROWS)).encode(),
    "fake.parquet": b"a,b\n1,2\n",
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.csv", "--target", "y"), "does not exist"),
        ((".", "--target", "y"), "is a directory"),
        (("empty.csv", "--target", "y"), "is empty"),
        (("header.csv", "--target", "b"), "has a header but no rows"),
        (("binary.csv", "--target", "b"), "is not text"),
        (("ragged.csv", "--target", "a"), "more cells than the header"),
        (("page.pdf", "--target", "a"), "must end in .csv"),
        (("fake.parquet", "--target", "a"), "is not a Parquet file"),
        (("short.csv", "--target", "y"), "6 rows are too few for 5 folds"),
        (("constant.csv", "--target", "y"), "is constant"),
        (("missing.csv", "--target", "y"), "no value in any row"),
        (("good.csv", "--target", "Citi"), "did you mean 'city'"),
        (("good.csv", "--target", "y", "--metric", "auc"), "use one of r2, rmse, mae"),
        (("good.csv", "--target", "y", "--models", "Rigde"), "did you mean Ridge"),
        (("good.csv", "--target", "y", "--cv", "1"), "cv must be 2 or more"),
        (("good.csv", "--target", "y", "--time", "0"), "positive number of seconds"),
        (("good.csv", "--target", "y", "--task", "ranking"), "task must be one of"),
        (("good.csv", "--target", "y", "--out", "no/where.html"), "there is no directory"),
        (("good.csv", "--target", "y", "--out", "."), "is a directory"),
        (("good.csv", "--target", "y", "--cv", "many"), "--cv"),
        (("good.csv",), "--target names the column to predict; the columns are x, city, y"),
        (("good.csv", "--target", "y", "--nonsense"), "--nonsense"),
    ],
)
def test_errors_are_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    for name, content in BAD.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert run(["compare", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(r"gramian: .*\n", captured.err)
    assert message in captured.err


def test_no_model_for_the_task(table, monkeypatch):
    monkeypatch.setattr(_candidates, "all_estimators", lambda kind: [])
    result = invoke("compare", table, "--target", "city")
    assert result.exit_code == 2
    assert result.stderr == (
        "gramian: the target asks for a classification, and there is no model for that yet.\n"
    )


def break_model(monkeypatch, name):
    from gramian import linear_model

    def fit(self, X, y, sample_weight=None):
        raise ValueError("not today")

    monkeypatch.setattr(getattr(linear_model, name), "fit", fit)


def test_a_failing_model_is_listed(table, monkeypatch):
    break_model(monkeypatch, "LinearRegression")
    result = invoke("compare", table, "--target", "y")
    assert result.exit_code == 0
    assert "LinearRegression failed: not today" in result.stdout


def test_all_models_fail(table, monkeypatch):
    break_model(monkeypatch, "LinearRegression")
    result = invoke("compare", table, "--target", "y", "--models", "LinearRegression")
    assert result.exit_code == 2
    assert "LinearRegression failed: not today" in result.stdout
    assert result.stderr == "gramian: no model could be fitted to this table.\n"


def test_interrupt(table, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "compare", interrupted)
    result = invoke("compare", table, "--target", "y")
    assert result.exit_code == 130
    assert result.stderr == "gramian: interrupted\n"


def test_interrupt_prints_the_models_that_were_done(table, monkeypatch, tmp_path):
    def stopped(self, X, y, sample_weight=None):
        raise KeyboardInterrupt

    monkeypatch.setattr("gramian.linear_model.Ridge.fit", stopped)
    out = tmp_path / "report.html"
    names = "LinearRegression,Ridge"
    result = invoke("compare", table, "--target", "y", "--models", names, "--out", out)
    assert result.exit_code == 130
    assert "LinearRegression predicts" in result.stdout
    assert "Ridge skipped: interrupted" in result.stdout
    assert result.stderr == "gramian: interrupted; ranked are the models that were done\n"
    assert "LinearRegression" in out.read_text(encoding="utf-8")


def test_missing_extra(monkeypatch, capsys):
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == "rich" else object())
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 2
    message = "gramian: the command line needs rich; install with: pip install 'gramian[cli]'\n"
    assert capsys.readouterr().err == message


def test_help_is_there():
    result = invoke("compare", "--help")
    assert result.exit_code == 0
    for option in ("--target", "--out", "--cv", "--repeats", "--seed", "--metric", "--models"):
        assert option in result.stdout


def test_help_names_no_type_for_flags():
    for command in ((), ("compare",)):
        assert "bool" not in invoke(*command, "--help").stdout


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise there")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_closed_pipe_is_no_error(table, options):
    reader, writer = os.pipe()
    os.close(reader)
    result = subprocess.run(
        [*COMMAND, "compare", str(table), "--target", "y", *options],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")


def without_times(text):
    text = re.sub(r"within noise of it.*", "", text)  # names the fastest
    text = re.sub(r"[\d.]+ (µs|ms|s)\b", "TIME", text)
    return re.sub(r"\s+|─+", " ", text).split()


def test_process_output_is_plain_and_stable(table):
    first, second = (spawn("compare", table, "--target", "y", NO_COLOR="1") for _ in range(2))
    assert first.returncode == 0 and first.stderr == ""
    assert "\x1b" not in first.stdout
    assert without_times(first.stdout) == without_times(second.stdout)


def test_process_output_in_ascii(table):
    result = spawn("compare", table, "--target", "y", PYTHONIOENCODING="ascii")
    assert result.returncode == 0 and result.stderr == ""
    assert "Ridge" in result.stdout and result.stdout.isascii()


def test_process_errors():
    result = spawn("compare", "nowhere.csv", "--target", "y")
    assert result.returncode == 2
    assert result.stderr.startswith("gramian: nowhere.csv does not exist")
    assert "Traceback" not in result.stderr


SLOW = """
import sys, time
from gramian import linear_model
from gramian.cli import main

def fit(self, X, y, sample_weight=None):
    print("fitting", flush=True)
    time.sleep(60)

linear_model.Ridge.fit = fit
sys.argv = ["gramian", "compare", "diabetes", "--target", "target", "--models", "Ridge"]
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_ctrl_c_ends_the_process():
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "fitting\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "gramian: interrupted\n"


def test_parquet(tmp_path):
    frame = pl.read_csv((HEADER + "".join(ROWS)).encode())
    frame.write_parquet(tmp_path / "t.parquet")
    result = invoke("compare", tmp_path / "t.parquet", "--target", "y", "--cv", "2")
    assert result.exit_code == 0, result.stderr


@pytest.fixture
def line_file(table, tmp_path):
    path = tmp_path / "line.gramian"
    result = invoke(
        "compare", table, "--target", "y", "--models", "Ridge", "--repeats", 1, "--save", path
    )
    assert result.exit_code == 0, result.stderr
    return path


def test_report_of_a_saved_model(table, line_file, tmp_path):
    out = tmp_path / "one.html"
    result = invoke("report", line_file, table, "--target", "y", "--out", out)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("Ridge predicts 'y': R² ")
    page = out.read_text(encoding="utf-8")
    assert "How well is <em>y</em> predicted?" in page and "always the same" in page
    data = json.loads(
        invoke("report", line_file, table, "--target", "y", "--out", out, "--json").stdout
    )
    model = data["models"][0]
    predicted = report.predict_table(line_file, table)["prediction"].to_numpy()
    y = report.read_table(table)["y"].to_numpy()
    r2 = 1 - ((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert model["scores"]["r2"]["mean"] == pytest.approx(r2)
    assert data["models"][1]["is_baseline"]
    assert data["models"][1]["scores"]["r2"]["mean"] == pytest.approx(0.0, abs=1e-12)
    assert data["told"][0]["fingerprint"] == gramian.fingerprint(gramian.load(line_file))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--target names the column to predict; the columns are x, city, y."),
        (["--target", "z"], "there is no column 'z'"),
        (["--target", "x"], "the table lacks columns that the model was fitted to: 'x'."),
        (["--target", "y", "--metric", "auc"], "metric 'auc' does not measure a regression"),
    ],
)
def test_report_of_a_model_says_what_is_wrong(
    arguments, message, table, line_file, tmp_path, capsys
):
    out = tmp_path / "never.html"
    code = run(["report", str(line_file), str(table), "--out", str(out), *arguments])
    assert code == 2 and message in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["compare", "auto"], "auto_mpg"),
        (["compare", "TABLE"], "TABLE.csv"),
        (["compare", "TABLE.csv", "--target", "c"], "city"),
        (["compare", "auto_mpg", "--drop", "wei"], "weight"),
        (["report", "a.gramian", "auto_mpg", "--target", "m"], "mpg\nmodel_year"),
        (["compare", "auto_mpg", "--models", "Ridge,Lass"], "Ridge,Lasso\nRidge,LassoCV"),
        (["compare", "auto_mpg", "--metric", "rm"], "rmse"),
        (["audit", "auto_mpg", "--task", "r"], "regression"),
        (["compare", "none.csv", "--target", "x"], ""),
    ],
)
def test_tab_key(words, wanted, table):
    place = str(table.with_suffix(""))
    line = [word.replace("TABLE", place) for word in ["gramian", *words]]
    done = spawn(
        _GRAMIAN_COMPLETE="complete_bash",
        COMP_WORDS=" ".join(line),
        COMP_CWORD=str(len(line) - 1),
    )
    assert done.stdout.strip() == wanted.replace("TABLE", place), done.stderr


@pytest.mark.parametrize("is_terminal", [True, False])
def test_sentences_end_at_words_on_a_terminal(is_terminal, table):
    compared = report.compare(str(table), "y", report.Settings(models=("RidgeCV",), repeats=1))
    terminal = Terminal()
    terminal.out = Console(
        file=io.StringIO(), force_terminal=is_terminal, color_system=None, width=60, soft_wrap=True
    )
    terminal.print_comparison(compared, None)
    lines = terminal.out.file.getvalue().splitlines()
    sentence = next(line for line in lines if line.startswith("≈ best: the interval"))
    assert (len(sentence) <= 60) == is_terminal
    assert not is_terminal or max(map(len, lines)) <= 60
