"""The perceptron's calculation, update by update."""

import numpy as np
import pytest
from scipy import sparse

from gramian.datasets import make_classification
from gramian.inspection import worked
from gramian.linear_model import Perceptron

AND = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["off", "off", "off", "on"]


def test_every_update_of_the_logical_and():
    """By hand, in the order of the rows: the first row, at the origin, moves the bias alone."""
    X, y = [AND[0][i] for i in (3, 0, 1, 2)], [AND[1][i] for i in (3, 0, 1, 2)]
    model = Perceptron(shuffle=False, tol=None, max_iter=10).fit(X, y)
    calculation = worked(model, X, y, query=[1.0, 1.0])
    table = calculation[2].table
    first = [list(row) for row in table.rows[:3]]
    assert first[0] == [1, 0, "(1, 1)", 1.0, 0.0, "(1, 1)", 1.0]
    assert first[1] == [1, 1, "(0, 0)", -1.0, -1.0, "(1, 1)", 0.0]
    assert first[2] == [1, 2, "(0, 1)", -1.0, -1.0, "(1, 0)", -1.0]
    assert calculation.values[r"\max_j \lvert w_j - w_j^{\text{model}} \rvert"] == 0.0
    np.testing.assert_array_equal(calculation.values["w"], model.coef_[0])
    assert "no row is on the wrong side" in calculation[2].text
    assert calculation[4].text == "The class is on."
    assert "agree" in calculation[-1].text
    assert "updates in 10 epochs" in str(calculation)


def test_the_shuffled_order_is_repeated():
    """The notes' example."""
    X, y = make_classification(
        n_samples=200,
        n_features=2,
        n_informative=2,
        n_redundant=0,
        n_clusters_per_class=1,
        random_state=50,
    )
    model = Perceptron(random_state=50).fit(X, y)
    calculation = worked(model, X, y)
    np.testing.assert_allclose(calculation.values["w"], model.coef_[0], rtol=1e-12)
    assert "agree" in calculation[-1].text
    weighted = Perceptron(random_state=50).fit(X, y, sample_weight=np.linspace(1, 2, 200))
    assert "differ" in worked(weighted, X, y)[-1].text


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"penalty": "l2"}, "penalty"),
        ({"random_state": None}, "random_state"),
        ({"class_weight": "balanced"}, "class_weight"),
    ],
)
def test_what_cannot_be_worked_out(params, message):
    model = Perceptron(tol=None, max_iter=5, **params).fit(*AND)
    with pytest.raises(ValueError, match=message):
        worked(model, *AND)


def test_too_much_to_read():
    X, y = np.random.default_rng(0).normal(size=(300, 2)), np.arange(300) % 2
    with pytest.raises(ValueError, match="too many to read"):
        worked(Perceptron(tol=None, max_iter=400).fit(X, y), X, y)
    model = Perceptron(tol=None, max_iter=4).fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="dense"):
        worked(model, sparse.csr_array(X), y)
    model = Perceptron(tol=None, max_iter=4).fit(X, np.arange(300) % 3)
    with pytest.raises(ValueError, match="two classes"):
        worked(model, X, np.arange(300) % 3)
