"""What columns do to predictions: Shapley values, dependence, and their pictures."""

import json
import re

import numpy as np
import polars as pl
import pytest

from gramian.ensemble import HistGradientBoostingRegressor
from gramian.linear_model import LinearRegression, LogisticRegression
from gramian.naive_bayes import GaussianNB
from gramian.report import Settings, Standardised, TableError, collect, compare, prepare, render
from gramian.report._effect_charts import make_beeswarm, make_curve, make_example
from gramian.report._effects import (
    Dependence,
    Effects,
    dependences_of,
    effects_of,
    examples_of,
    shapley_values,
)
from gramian.report._explanation import number_of
from gramian.report._json import embedded, report_dict

RNG = np.random.default_rng(4)
N = 120
A, B = RNG.normal(size=N), RNG.integers(0, 5, N)
KIND = RNG.choice(["red", "green", "blue"], N)
TABLE = pl.DataFrame(
    {
        "a": A,
        "b": B,
        "kind": KIND,
        "idle": RNG.normal(size=N),
        "y": 3 * A - 2 * B + 5 * (KIND == "red"),
    }
)
TABLE[3, "a"] = None


@pytest.fixture(scope="module")
def problem():
    return prepare(TABLE, "y")


@pytest.fixture(scope="module")
def line(problem):
    return Standardised(LinearRegression()).fit(problem.X, problem.y)


@pytest.fixture(scope="module")
def labels():
    return prepare(
        TABLE.with_columns(y=pl.when(pl.col("y") > 0).then(pl.lit("up")).otherwise(pl.lit("down"))),
        "y",
        positive="down",
    )


def test_shapley_values_of_a_sum_are_its_terms(problem, line):
    """For a sum they are each term less its mean over the other rows."""
    rows, others = problem.X[:8], problem.X[20:21]
    values = shapley_values(number_of(line, None), rows, others, 3, np.random.default_rng(0))
    slope = 3 * (rows["a"].to_numpy()[[0, 1, 2, 4, 5, 6, 7]] - others["a"][0])
    np.testing.assert_allclose(values[[0, 1, 2, 4, 5, 6, 7], 0], slope, rtol=0.05, atol=0.1)
    start = line.predict(others)[0]
    np.testing.assert_allclose(values.sum(axis=1), line.predict(rows) - start)


def test_shapley_values_share_what_two_columns_do_together():
    frame = pl.DataFrame({"u": [1.0], "v": [2.0]})
    origin = pl.DataFrame({"u": [0.0], "v": [0.0]})
    values = shapley_values(
        lambda X: (X["u"] * X["v"]).to_numpy(), frame, origin, 1, np.random.default_rng(0)
    )
    np.testing.assert_allclose(values, [[1.0, 1.0]])


def test_effects_put_the_columns_that_matter_first(problem, line):
    found = effects_of(line, problem, 0)
    assert set(found.columns[:3]) == {"a", "b", "kind"} and found.columns[3] == "idle"
    assert found.what == "prediction of y" and found.amounts.shape == (100, 4)
    places = dict(zip(found.columns, found.places.T, strict=True))
    assert np.isnan(places["kind"]).all()
    assert np.nanmin(places["a"]) == 0.0 and np.nanmax(places["a"]) == 1.0


def test_effects_of_trees_are_exact(problem):
    model = HistGradientBoostingRegressor(max_iter=20).fit(problem.X, problem.y)
    found = effects_of(model, problem, 0)
    assert found.method == "exact Shapley values of the trees"


def test_effects_of_classes_are_of_the_positive_one(labels):
    model = Standardised(LogisticRegression()).fit(labels.X, labels.y)
    found = effects_of(model, labels, 0)
    assert found.what == "probability of down"
    b = found.columns.index("b")
    rising = np.corrcoef(found.amounts[:, b], found.places[:, b])[0, 1]
    assert rising > 0.8  # more of b, less of y


def test_effects_need_a_number(labels):
    class Silent(GaussianNB):
        predict_proba = property(doc="none")

    with pytest.raises(TableError, match="it gives no probabilities"):
        effects_of(Silent(), labels, 0)


def test_dependence_of_a_line_is_its_slope(problem, line):
    a, b, kind = dependences_of(line, problem, ["a", "b", "kind"], 0)
    assert len(a.values) == 20 and list(a.values) == sorted(a.values)
    slope = np.diff(a.means) / np.diff(a.values)
    np.testing.assert_allclose(slope, slope[0])
    assert slope[0] == pytest.approx(3, rel=0.05)
    assert b.values == (0.0, 1.0, 2.0, 3.0, 4.0)
    heights = dict(zip(kind.values, kind.means, strict=True))
    assert heights["red"] - heights["blue"] == pytest.approx(5, rel=0.1)
    assert all(low <= mean <= high for low, mean, high in zip(a.low, a.means, a.high, strict=True))


def test_dependence_of_the_first_class_is_its_own(labels):
    model = Standardised(LogisticRegression()).fit(labels.X, labels.y)
    assert list(model.classes_) == ["down", "up"] and labels.positive == "down"
    (b,) = dependences_of(model, labels, ["b"], 0)
    assert b.what == "probability of down" and b.means[-1] > b.means[0]


def test_examples_are_the_least_the_middle_and_the_largest(problem, line):
    told = examples_of(line, problem, 0)
    predicted = [one.prediction for one in told]
    assert len(told) == 3 and predicted == sorted(predicted)
    for one in told:
        total = one.base + sum(part.amount for part in one.contributions)
        assert total == pytest.approx(one.prediction)


def test_beeswarm_places_points_by_amount_and_side_by_side():
    amounts = np.array([[-1.0, 0.5], [0.0, 0.5], [1.0, 0.5]])
    places = np.array([[0.0, np.nan], [0.5, np.nan], [1.0, np.nan]])
    chart = make_beeswarm(Effects("prediction", ("a", "long " * 9), amounts, places, "method"))
    first, second = chart.swarms
    assert [shade for shade, _ in first.paths] == ["0", "2", "3"]
    assert [shade for shade, _ in second.paths] == ["none"]
    x = [float(v) for _, path in first.paths for v in re.findall(r"M([\d.]+)", path)]
    assert x == sorted(x) and x[1] == pytest.approx(chart.zero, abs=0.06)
    y = set(re.findall(r"M[\d.]+ ([\d.]+)", second.paths[0][1]))
    assert len(y) == 3  # three equal amounts do not hide each other
    assert second.label.endswith("…") and len(second.label) == 20
    assert make_beeswarm(None) is None


def test_curves_draw_numbers_as_a_line_and_levels_as_points():
    line = make_curve(Dependence("a", "y", (0.0, 2.0), (1.0, 3.0), (0.5, 2.5), (1.5, 3.5)))
    assert line.line.startswith(f"{line.left:.1f},") and line.band.count(",") == 4
    levels = make_curve(Dependence("k", "y", ("x", "z"), (1.0, 3.0), (0.5, 2.5), (1.5, 3.5)))
    assert levels.line == "" and [dot[4] for dot in levels.dots] == ["x", "z"]
    assert levels.dots[0][1] > levels.dots[1][1]  # upwards on the page is less


def test_example_bars_go_to_the_side_of_their_sign(problem, line):
    chart = make_example(examples_of(line, problem, 0)[0])
    assert chart.headline.startswith("row ") and "on average" in chart.headline
    for part in chart.parts:
        assert (part.label.startswith("+")) == part.is_up
        assert part.start == pytest.approx(60 if part.is_up else 60 - part.width, abs=0.02)


def test_every_number_is_in_the_json_of_the_page(use_models):
    use_models(LinearRegression)
    report = collect(compare(TABLE.drop_nulls(), "y", Settings(repeats=1)))
    page = render(report)
    text = re.search(r'<script type="application/json" id="data-json">(.*?)</script>', page)[1]
    data = json.loads(text)
    assert data == json.loads(embedded(report_dict(report)))
    told = data["told"][0]
    assert told["effects"]["columns"] and len(told["effects"]["amounts"]) == 100
    assert told["fingerprint"] == report.best.fingerprint != ""
    assert len(told["dependences"]) == 4 and len(told["examples"]) == 3


def test_embedded_json_cannot_end_its_script():
    text = embedded({"a": "</script><!--", "b": float(1), "c": np.float64(2), "d": (1, 2)})
    assert "<" not in text and ">" not in text
    assert json.loads(text) == {"a": "</script><!--", "b": 1.0, "c": 2.0, "d": [1, 2]}
