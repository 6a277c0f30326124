"""Worked calculations of logistic regression: the notes' formulas, checked by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gramian.datasets import load_iris, make_classification
from gramian.inspection import worked
from gramian.linear_model import LogisticRegression
from gramian.model_selection import train_test_split

X, Y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [0, 0, 1, 0, 1, 1]


def test_first_steps_by_hand():
    calculation = worked(LogisticRegression(C=np.inf).fit(X, Y), X, Y, query=[3.5])
    values = calculation.values
    assert_allclose(values[r"J(\theta^{(0)})"], np.log(2.0))
    # (1/m) X'(1/2 - y): the sums of (1/2 - y) and of x (1/2 - y) are 0 and -7/2
    assert_allclose(values[r"\nabla J(\theta^{(0)})"], [0.0, -7.0 / 12.0], atol=1e-15)
    assert_allclose(values[r"\theta_{\text{gradient}}"], [0.0, 7.0 / 12.0], atol=1e-15)
    # H = 1/4 (1/m) X'X = [[1/4, 7/8], [7/8, 91/24]]
    assert_allclose(values["H"], [[0.25, 0.875], [0.875, 91.0 / 24.0]])
    assert_allclose(values[r"\theta_{\text{Newton}}"], [-2.8, 0.8])
    assert_allclose(values[r"\hat{p}"], 0.5, atol=1e-9)
    assert "agree" in calculation[-1].text
    assert "cost rises" in str(calculation)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.5, np.inf])
def test_the_end_is_the_fitted_model(C, fit_intercept):
    model = LogisticRegression(C=C, fit_intercept=fit_intercept, tol=1e-10)
    calculation = worked(model.fit(X, Y), X, Y)
    theta = np.append(model.intercept_ if fit_intercept else [], model.coef_)
    assert_allclose(calculation.values[r"\theta"], theta, rtol=1e-6)
    assert_allclose(calculation.values[r"\text{accuracy}"], model.score(X, Y))


def test_the_notes_example():
    """Data and model of the notes' section on logistic regression."""
    data, y = make_classification(
        n_samples=200,
        n_features=2,
        n_redundant=0,
        n_informative=2,
        random_state=42,
        n_clusters_per_class=1,
    )
    train, test, y_train, _ = train_test_split(data, y, test_size=0.2, random_state=42)
    model = LogisticRegression().fit(train, y_train)
    calculation = worked(model, train, y_train, query=test[0])
    design = np.column_stack([np.ones(len(train)), train])
    gradient = design.T @ (0.5 - y_train) / len(train)
    assert_allclose(calculation.values[r"\nabla J(\theta^{(0)})"], gradient, atol=1e-12)
    assert_allclose(calculation.values[r"\hat{p}"], model.predict_proba(test[:1])[0, 1], atol=1e-4)
    assert "agree" in calculation[-1].text


@pytest.mark.filterwarnings("ignore:.*separat")  # setosa stands apart
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_softmax(C):
    data, y = load_iris(return_X_y=True)
    data, y = data[:, :2], y
    model = LogisticRegression(C=C, tol=1e-8).fit(data, y)
    calculation = worked(model, data, y, query=data[0])
    values = calculation.values
    assert_allclose(values[r"J(\theta^{(0)})"], np.log(3.0))
    design = np.column_stack([np.ones(len(y)), data])
    expected = design.T @ (1.0 / 3.0 - np.eye(3)[y]) / len(y)
    assert_allclose(values[r"\nabla J(\theta^{(0)})"], expected, atol=1e-12)
    if C == 1.0:
        theta = np.vstack([model.intercept_, model.coef_.T])
        centred = theta - theta.mean(axis=1, keepdims=True)
        found = values[r"\theta"] - values[r"\theta"].mean(axis=1, keepdims=True)
        assert_allclose(found, centred, atol=1e-4)
        assert_allclose(values[r"\hat{p}"], model.predict_proba(data[:1])[0], atol=1e-4)
    else:  # setosa is separated from the others
        assert "separated" in str(calculation)
    assert "Softmax" in calculation.title
    assert r"\begin{document}" in calculation.to_latex(document=True)
    assert "<math>" in calculation._repr_html_()


def test_what_has_no_newton_step_is_refused():
    for params in [{"l1_ratio": 1.0, "solver": "saga"}, {"class_weight": "balanced"}]:
        model = LogisticRegression().fit(X, Y)
        model.set_params(**params)
        with pytest.raises(ValueError, match="worked"):
            worked(model, X, Y)


def test_other_data_are_noticed():
    model = LogisticRegression(C=np.inf).fit(X, Y)
    assert "differ" in worked(model, X, [0, 1, 0, 0, 1, 1])[-1].text
