"""Worked calculations: right numbers, readable in a terminal, as HTML and as LaTeX."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from gramian.exceptions import ConvergenceWarning
from gramian.inspection import Step, StepTable, Worked, register_worked, worked
from gramian.inspection._worked.math import math_ml, math_text
from gramian.inspection._worked.numbers import matrix_cells, matrix_text, number_text
from gramian.linear_model import LinearRegression, Ridge

DIFFERENCE = r"\max_j \lvert \theta_j - \theta_j^{\text{model}} \rvert"


@pytest.fixture(name="notes")
def data_of_the_notes():
    """The notes' listing: y = 4 + 3 x + noise."""
    generator = np.random.RandomState(42)
    X = 2 * generator.rand(100, 1)
    return X, 4 + 3 * X + generator.normal(0, 1, (100, 1))


def assert_well_formed(page):
    """HTML of ours is XML once the entities of text are resolved."""
    ElementTree.fromstring(page)


def assert_balanced(latex):
    text = re.sub(r"\\[\\{}]", "", latex)
    assert text.count("{") == text.count("}")
    begun = re.findall(r"\\begin\{(\w+)\}", latex)
    ended = re.findall(r"\\end\{(\w+)\}", latex)
    assert sorted(begun) == sorted(ended)
    assert latex.isascii()


def test_notes_example(notes):
    X, y = notes
    model = LinearRegression().fit(X, y)
    calculation = worked(model, X, y, query=[1.5])
    values = calculation.values
    # Least squares of this well-known listing: 4.215 + 2.770 x.
    assert_allclose(values[r"\theta"], [4.21509616, 2.77011339], atol=5e-9)
    assert_allclose(values[r"X^\top X"], [[100.0, X.sum()], [X.sum(), (X**2).sum()]])
    resid = y[:, 0] - model.predict(X).reshape(-1)
    assert_allclose(values[r"\text{SSE}"], resid @ resid)
    assert_allclose(values[r"J(\theta)"], resid @ resid / 200)
    assert_allclose(values["R^2"], model.score(X, y))
    assert_allclose(values[r"\hat{y}"], 4.21509616 + 2.77011339 * 1.5, atol=1e-7)
    assert values[DIFFERENCE] < 1e-12
    text = str(calculation)
    for line in [
        "θ = (XᵀX)⁻¹Xᵀy",
        "ŷ = xᵀθ = 4.2151 + 2.77011 · 1.5",
        "The calculation and the fitted model agree.",
        "J(θ) = 0.403292",
    ]:
        assert line in text


def test_polynomial_of_the_notes():
    # (x + 1)^2 = a + 2 b + 1 with a = x^2, b = x.
    x = np.linspace(-2.0, 3.0, 11)
    X = np.column_stack([x**2, x])
    model = LinearRegression().fit(X, (x + 1) ** 2)
    calculation = worked(model, X, (x + 1) ** 2, query=[[4.0, 2.0]])
    assert_allclose(calculation.values[r"\theta"], [1.0, 1.0, 2.0], atol=1e-12)
    assert_allclose(calculation.values[r"\hat{y}"], 9.0)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 100.0])
def test_ridge(alpha, fit_intercept):
    rng = np.random.default_rng(0)
    X = rng.normal([0.0, 5.0, -2.0], size=(30, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=30) + 4.0
    model = Ridge(alpha=alpha, fit_intercept=fit_intercept).fit(X, y)
    calculation = worked(model, X, y, query=X[0])
    assert calculation.values[DIFFERENCE] < 1e-8
    assert_allclose(calculation.values["w"], model.coef_, rtol=1e-8)
    assert_allclose(calculation.values[r"\hat{y}"], model.predict(X[:1])[0], rtol=1e-8)
    resid = y - model.predict(X)
    cost = (resid @ resid + alpha * model.coef_ @ model.coef_) / 60
    assert_allclose(calculation.values["J(w)"], cost, rtol=1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_dependent_columns_give_the_solution_of_least_norm(fit_intercept):
    X = np.random.default_rng(0).normal(size=(20, 2))
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    y = X @ [1.0, 2.0, 3.0] + np.arange(20.0)
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
    calculation = worked(model, X, y)
    assert calculation.values[DIFFERENCE] < 1e-8
    assert "No: its rank is" in str(calculation)
    assert_well_formed(calculation._repr_html_())
    assert_balanced(calculation.to_latex())


def test_ill_conditioned_columns_are_solved_by_qr():
    year = np.arange(1950.0, 1970.0)
    X = np.column_stack([year, year**2, year**3 / 1e3])
    y = np.sin(year / 3.0)
    calculation = worked(LinearRegression().fit(X, y), X, y)
    assert any(step.title == "Parameters by QR" for step in calculation)
    assert "agree" in calculation[-1].text


def test_single_precision_model_agrees(notes):
    X, y = (part.astype(np.float32) for part in notes)
    assert "model agree." in str(worked(LinearRegression().fit(X, y), X, y))


def test_encoded_categories():
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0], "city": list("abcabc")})
    y = np.array([1.0, 3.0, 2.0, 5.0, 4.0, 7.0])
    calculation = worked(LinearRegression().fit(frame, y), frame, y, query=frame.iloc[[1]])
    assert "city=b" in str(calculation)
    assert "model agree." in calculation[-1].text


@pytest.mark.parametrize("model", [LinearRegression(), Ridge()])
def test_training_rows_have_the_target_means_of_fit(many_levels, model):
    frame, y = many_levels
    calculation = worked(model.fit(frame, y), frame, y, query=frame.iloc[:1])
    assert calculation.values[DIFFERENCE] < 1e-8
    assert "model agree." in calculation[-1].text
    assert_allclose(calculation.values[r"\hat{y}"], model.predict(frame.iloc[:1])[0])


@pytest.mark.parametrize("fitted", ["other rows", "weights", "short of the optimum"])
def test_difference_is_explained(many_levels, fitted):
    frame, y = many_levels
    model = Ridge()
    if fitted == "other rows":
        model.fit(frame[:200], y[:200])
    elif fitted == "weights":
        model.fit(frame, y, sample_weight=np.arange(1.0, 301.0))
    else:
        model.set_params(solver="sparse_cg", max_iter=1)
        with pytest.warns(ConvergenceWarning):
            model.fit(frame, y)
    text = worked(model, frame, y)[-1].text
    assert "differ: the model was fitted on other data or with weights, or its solver" in text


def test_other_data_are_noticed(notes):
    X, y = notes
    calculation = worked(LinearRegression().fit(X[:50], y[:50]), X, y)
    assert "differ: the model was fitted on other data" in str(calculation)


def test_data_frame_names_and_their_escapes():
    frame = pd.DataFrame({"price_$": [1.0, 2.0, 3.0, 5.0], "<a&b>": [1.0, 0.0, 2.0, 1.0]})
    y = [1.0, 2.0, 2.5, 4.0]
    calculation = worked(LinearRegression().fit(frame, y), frame, y, query=frame.iloc[:2])
    assert "price_$" in str(calculation)
    assert [step.title for step in calculation][-3:-1] == [
        "Prediction for query 0",
        "Prediction for query 1",
    ]
    assert r"price\_\$" in calculation.to_latex()
    assert "&lt;a&amp;b&gt;" in calculation._repr_html_()


def test_html_and_latex_are_well_formed(notes):
    X, y = notes
    for model in [LinearRegression(), Ridge(), LinearRegression(fit_intercept=False)]:
        calculation = worked(model.fit(X, y), X, y, query=[-1e-9])
        assert_well_formed(calculation._repr_html_())
        assert_balanced(calculation.to_latex(document=True))
        assert r"\begin{bmatrix}" in calculation.to_latex()
    assert calculation.to_latex(document=True).startswith(r"\documentclass")


def test_wide_model_elides():
    X = np.random.default_rng(0).normal(size=(60, 15))
    y = X.sum(axis=1)
    text = str(worked(LinearRegression().fit(X, y), X, y, query=X[0]))
    assert "(60 × 16)" in text  # noqa: RUF001
    assert "⋱" in text
    assert "(XᵀX)⁻¹ = ⎡" not in text
    assert "+ … +" in text
    assert max(len(line) for line in text.splitlines()) < 140


def test_constrained_fit_is_refused(notes):
    X, y = notes
    with pytest.raises(ValueError, match="positive=True"):
        worked(LinearRegression(positive=True).fit(X, y[:, 0]), X, y)


def test_dispatch():
    class Oracle:
        pass

    calculation = Worked("Oracle", [Step("Guess", values={"y": 42})])
    register_worked(Oracle)(lambda model, X, y, query: calculation)
    assert worked(Oracle(), None, None) is calculation
    with pytest.raises(TypeError, match="worked does not know"):
        worked(object(), None, None)


def test_table_shows_first_last_and_highlighted_rows():
    table = StepTable(["i", "$x_i$"], [[i, i**2] for i in range(40)], frozenset({(20, 1)}))
    shown = [row for row, _ in table.cells()]
    assert shown == [*range(8), None, 20, None, 37, 38, 39]
    calculation = Worked("Squares", [Step("Table", table=table)])
    assert "400*" in str(calculation)
    assert "<mark>400</mark>" in calculation._repr_html_()
    assert r"\textbf{$400$}" in calculation.to_latex()


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\hat{y} = \theta_0 + \theta_1 x_1", "ŷ = θ₀ + θ₁x₁"),
        (r"-\frac{1}{2} \sum_i x_i^2", "-1/2 ∑ᵢxᵢ²"),
        (r"\frac{a + b}{c}", "(a + b)/c"),
        (r"x^{n+1}, \quad 2 \cdot (-3)", "xⁿ⁺¹, 2 · (-3)"),
        (r"\max_j \lvert x_j \rvert", "maxⱼ |xⱼ|"),
        (r"\sqrt{x} \le \log(2.5)", "√x ≤ log(2.5)"),
        (r"e^{-x}", "e^(-x)"),
        (r"X \in \{0, 1\}", "X ∈ {0, 1}"),
    ],
)
def test_formulas(latex, text):
    assert math_text(latex) == text
    ElementTree.fromstring(math_ml(latex))


@pytest.mark.parametrize("latex", [r"\unknown", "{x", "x}", "x^", r"\frac{1}"])
def test_wrong_formulas_are_refused(latex):
    with pytest.raises(ValueError, match="formula"):
        math_text(latex)


def test_matrices():
    assert matrix_text([[1.0]]) == ["[ 1 ]"]
    assert matrix_text([1.0, 2.5]) == ["⎡ 1.0 ⎤", "⎣ 2.5 ⎦"]
    cells = matrix_cells(np.arange(400.0).reshape(20, 20))
    assert (len(cells), len(cells[0])) == (8, 9)
    assert cells[5][6] == "⋱"
    assert matrix_cells([[1e-12, 1.0], [1.0, np.inf]]) == [["1e-12", "1"], ["1", "∞"]]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1 / 3, "0.333333"), (123456789.0, "123456789"), (1e15, "1e+15"), (True, "True")],
)
def test_numbers(value, text):
    assert number_text(value) == text


def test_slices_and_repr(notes):
    X, y = notes
    calculation = worked(LinearRegression().fit(X, y), X, y)
    assert isinstance(calculation[1:3], Worked)
    assert len(calculation[1:3]) == 2
    assert repr(calculation) == "<Worked: Linear regression by the normal equation, 8 steps>"
