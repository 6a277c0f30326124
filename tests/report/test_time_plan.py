"""The time of a comparison counts from the start of the program."""

from gramian.cli import _app
from gramian.report._time_plan import TimePlan


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
