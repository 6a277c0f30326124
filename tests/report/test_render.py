"""The page: whole, safe, and readable by everyone."""

import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from gramian.report import Settings, collect, compare, render, write_report
from gramian.report._charts import make_histogram, make_profile, make_ticks

RNG = np.random.default_rng(5)
X = RNG.normal(size=80)
EVIL = "<script>alert('x')</script>"
TABLE = pl.DataFrame({"x": X, EVIL: [EVIL, "b&c"] * 40, "y": 3 * X + RNG.normal(size=80)})

VOID = {"meta", "link", "br", "line", "rect", "circle", "path", "polyline", "polygon", "input"}


class Page(HTMLParser):
    """Checks that tags nest, and counts them."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.tags, self.ids, self.references = [], [], [], []
        self.feed(text)
        assert self.stack == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src"):
                self.references.append(value)
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.stack.pop() == tag

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture
def page(use_models, models):
    use_models(models["Line"], models["Median"], models["Broken"])
    return render(collect(compare(TABLE, "y", Settings(repeats=2))))


def test_page_is_well_formed_and_complete(page):
    parsed = Page(page)
    assert len(set(parsed.ids)) == len(parsed.ids)
    assert set(parsed.references) == {"data:,", "#ranking"}
    assert len(page) < 1_500_000
    assert "url(" not in page and "@import" not in page
    assert parsed.named("script") == [{"type": "application/json", "id": "data-json"}, {}]
    policy = next(tag["content"] for tag in parsed.named("meta") if "http-equiv" in tag)
    assert policy.startswith("default-src 'none';") and "http" not in policy
    for heading in (
        "Ranking by R²",
        "What to do next",
        "The models",
        "The data",
        "How it was measured",
    ):
        assert heading in page


def test_page_tells_the_difference_to_the_best(page):
    assert "against the best" in page and "the largest |t| among all pairs of models" in page
    assert re.search(r"-\d\.\d+ <small>\[-\d\.\d+, -\d\.\d+\]", page)


def test_page_is_accessible(page):
    parsed = Page(page)
    assert parsed.named("html") == [{"lang": "en"}]
    assert len(parsed.named("table")) == len(parsed.named("caption"))
    for picture in parsed.named("svg"):
        assert picture["role"] == "img"
        assert picture.get("aria-label") or picture["aria-labelledby"] in parsed.ids
    assert all("scope" in cell for cell in parsed.named("th"))
    levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_text_of_the_table_is_escaped(page):
    assert EVIL not in page
    assert "&lt;script&gt;" in page
    assert "the &lt;moon&gt; is not right" in page


def test_page_tells_how_to_repeat_it(use_models, models):
    use_models(models["Line"])
    settings = Settings(cv=3, models=("Line",), task="regression")
    report = collect(compare("diabetes", "target", settings))
    command = "gramian compare diabetes --target target --cv 3 --models Line --task regression"
    assert report.command == command
    assert "prepare(read_table('diabetes'), 'target', task='regression')" in report.code
    assert "Standardised(estimator=Line())" in report.code
    compile(report.code, "report", "exec")


def test_model_without_diagnosis_is_reported_all_the_same(page):
    assert "No diagnosis: diagnose does not know Line" in page
    assert "no optimum to certify" in page


def test_nothing_worked(use_models, models):
    use_models(models["Broken"])
    page = render(collect(compare(TABLE, "y")))
    Page(page)
    assert "No model could be fitted" in page
    assert "The models" not in page and "Most accurate" not in page


def test_classification_page(use_models, models):
    use_models(models["Threshold"])
    labels = pl.when(pl.col("y") > 0).then(pl.lit(EVIL)).otherwise(pl.lit("no"))
    page = render(collect(compare(TABLE.with_columns(y=labels), "y")))
    Page(page)
    assert EVIL not in page
    assert "Actual classes (rows)" in page and "2 classes" in page
    assert "ROC of" in page and "Calibration of the probability of" in page
    assert "Where to draw the line" in page


def test_write_replaces_a_file_whole(use_models, models, tmp_path):
    use_models(models["Line"])
    report = collect(compare(TABLE, "y"))
    path = tmp_path / "report.html"
    path.write_text("old")
    write_report(report, path)
    assert path.read_text(encoding="utf-8") == render(report)
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.7, 12.2), (1e6, 1.1e6), (0.001, 0.0032)])
def test_ticks_are_round_and_inside(low, high):
    ticks = make_ticks(low, high)
    assert 2 <= len(ticks) <= 7
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)
    assert np.allclose(np.diff(ticks), ticks[1] - ticks[0])


def test_histogram_counts_every_row():
    chart = make_histogram(RNG.normal(size=500), "regression")
    assert sum(bar.count for bar in chart.bars) == 500
    assert max(bar.height for bar in chart.bars) == pytest.approx(chart.bottom - 10)
    many = np.array([f"class {i}" for i in range(20)] * 3)
    chart = make_histogram(many, "classification")
    assert len(chart.bars) == 12 and chart.bars[-1].label == "9 others"
    assert sum(bar.count for bar in chart.bars) == 60


def test_profiles_count_numbers_and_levels():
    numbers = make_profile(pl.Series("x", [0.0, 0.0, 0.0, 1.0, None]))
    assert [round(height, 1) for *_, height in numbers.bars] == [27.0, 9.0]
    levels = make_profile(pl.Series("c", ["a", "b", "a"]))
    assert len(levels.bars) == 2
    assert make_profile(pl.Series("e", [None, None], dtype=pl.Float64)) is None
