"""What each column adds to a prediction: exact where it can be, and always adding up."""

from itertools import permutations

import numpy as np
import polars as pl
import pytest

from gramian.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from gramian.inspection import tree_shap
from gramian.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from gramian.neighbors import NearestCentroid
from gramian.report import Standardised, TableError, explain_table, work_out

RNG = np.random.default_rng(2)
N = 60
TABLE = pl.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": RNG.normal(size=N),
        "c": [None if i % 9 == 0 else "uvw"[i % 3] for i in range(N)],
    }
)
Y = (
    2 * TABLE["a"].to_numpy()
    - TABLE["b"].to_numpy()
    + TABLE["c"].is_in(["u"]).fill_null(False).to_numpy()
)
LABELS = np.where(Y > 0, "up", "down")


def total(explanation):
    return explanation.base + sum(part.amount for part in explanation.contributions)


@pytest.mark.parametrize(
    "model",
    [
        Ridge(),
        Standardised(LinearRegression(), scale_target=True),
        RandomForestRegressor(n_estimators=5, random_state=0),
    ],
    ids=str,
)
def test_the_parts_add_up_to_numbers(model):
    model.fit(TABLE, Y)
    for explanation in explain_table(model, TABLE, (0, 7, 9)):
        expected = model.predict(TABLE[[explanation.row]])[0]
        assert explanation.prediction == explanation.explained == pytest.approx(expected)
        assert total(explanation) == pytest.approx(expected)
        amounts = [abs(part.amount) for part in explanation.contributions]
        assert amounts == sorted(amounts, reverse=True)


@pytest.mark.parametrize(
    "model", [Standardised(LogisticRegression()), HistGradientBoostingClassifier()], ids=str
)
def test_the_parts_add_up_to_the_probability_of_the_class(model):
    model.fit(TABLE, LABELS)
    explanation = explain_table(model, TABLE, (3,))[0]
    assert explanation.prediction == model.predict(TABLE[[3]])[0]
    assert explanation.explained == pytest.approx(model.predict_proba(TABLE[[3]]).max())
    assert total(explanation) == pytest.approx(explanation.explained)


def test_without_probabilities_it_is_the_choice_that_is_explained():
    model = Standardised(RidgeClassifier()).fit(TABLE, LABELS)
    explanation = explain_table(model, TABLE, (3,))[0]
    assert explanation.explained == 1.0 and total(explanation) == pytest.approx(1.0)


def test_linear_models_add_coefficients_times_distances():
    numbers = TABLE.select("a", "b")
    model = LinearRegression().fit(numbers, Y)
    explanation = explain_table(model, numbers, (4,))[0]  # all 60 rows are the background
    distance = numbers.to_numpy()[4] - numbers.to_numpy().mean(axis=0)
    expected = dict(zip("ab", model.coef_ * distance, strict=True))
    found = {part.column: part.amount for part in explanation.contributions}
    assert found == pytest.approx(expected)
    assert explanation.base == pytest.approx(model.predict(numbers).mean())


def test_the_average_over_all_orders_is_approached():
    class Product:
        def predict(self, X):
            return X["a"].to_numpy() * X["b"].to_numpy() + X["b"].to_numpy() * X["d"].to_numpy()

        def _tags(self):
            return Ridge()._tags()

    numbers = TABLE.select("a", "b", d=pl.col("a") ** 2)
    row, expected = numbers[[4]], np.zeros(3)
    for order in permutations(range(3)):
        mixed = numbers
        for j in order:
            name = numbers.columns[j]
            after = mixed.with_columns(pl.lit(row[name][0]).alias(name))
            change = Product().predict(after) - Product().predict(mixed)
            expected[j] += change.mean() / 6
            mixed = after
    explanation = explain_table(Product(), numbers, (4,))[0]
    for part in explanation.contributions:
        j = numbers.columns.index(part.column)
        assert part.amount == pytest.approx(expected[j], abs=4 * part.error + 1e-9)
    assert any(part.error > 0 for part in explanation.contributions)


def test_trees_have_exact_values():
    model = RandomForestRegressor(n_estimators=5, random_state=0).fit(TABLE, Y)
    explanation = explain_table(model, TABLE, (5,))[0]
    values = tree_shap(model, TABLE[[5]])
    found = {part.column: part.amount for part in explanation.contributions}
    assert found == pytest.approx(dict(zip(TABLE.columns, values.values[0], strict=True)))
    assert explanation.method.startswith("exact")
    assert all(part.error == 0 for part in explanation.contributions)


def test_values_are_shown_as_they_are():
    explanation = explain_table(Ridge().fit(TABLE, Y), TABLE, (9,))[0]
    shown = {part.column: part.value for part in explanation.contributions}
    assert shown["c"] == "missing" and float(shown["a"]) == pytest.approx(TABLE["a"][9], rel=1e-4)


def test_the_calculation():
    table = TABLE.with_columns(y=pl.Series(Y))
    model = Standardised(LinearRegression()).fit(TABLE, Y)
    text = work_out(model, table, "y", [2])
    assert "The calculation and the fitted model agree." in text
    assert f"{model.predict(TABLE[[2]])[0]:.4f}"[:6] in text
    with pytest.raises(TableError, match="no calculation can be shown: worked does not know"):
        work_out(NearestCentroid().fit(TABLE, LABELS), table.with_columns(y=LABELS), "y", [2])


def test_rows_that_are_not_there():
    with pytest.raises(TableError, match="row 60 is not there: the table's rows are 0 to 59"):
        explain_table(Ridge().fit(TABLE, Y), TABLE, (60,))
