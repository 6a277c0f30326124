"""Fisher's ratio worked out, and the diagnosis of discriminant analysis."""

import numpy as np
import pytest

from gramian.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from gramian.inspection import diagnose, worked

X = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 3.0], [5.0, 1.0], [6.0, 2.0], [7.0, 2.0]])
Y = np.array([0, 0, 0, 1, 1, 1])


def test_fisher_by_hand():
    """S_W = [[4, 2], [2, 4/3]], its inverse [[1, -3/2], [-3/2, 3]], m_1 - m_0 = (4, -1)."""
    model = LinearDiscriminantAnalysis().fit(X, Y)
    steps = worked(model, X, Y, query=[4.0, 2.0])
    values = {symbol: value for step in steps for symbol, value in step.values.items()}
    np.testing.assert_allclose(values["S_W"], [[4.0, 2.0], [2.0, 4.0 / 3.0]])
    np.testing.assert_allclose(values["w"], [5.5, -9.0], rtol=1e-10)
    assert values["J"] == pytest.approx(4.0 * 5.5 + 9.0)
    np.testing.assert_allclose(values["c"], 6.0 * values["w"], rtol=1e-9)
    assert values["s(x)"] == pytest.approx(float(model.decision_function([[4.0, 2.0]])[0]))
    assert "The answer is" in str(steps)
    with pytest.raises(ValueError, match="two classes"):
        three = LinearDiscriminantAnalysis().fit(X, [0, 0, 1, 1, 2, 2])
        worked(three, X, [0, 0, 1, 1, 2, 2])


@pytest.fixture
def clouds():
    rng = np.random.default_rng(0)
    return rng.normal(size=(800, 3)), np.arange(800) % 2, rng


def test_equal_covariances(clouds):
    rows, y, _ = clouds
    same = rows + y[:, None]
    found = diagnose(LinearDiscriminantAnalysis().fit(same, y), same, y)
    assert [finding.verdict for finding in found] == ["ok"] * 3
    assert diagnose(QuadraticDiscriminantAnalysis().fit(same, y), same, y)[0].verdict == "warning"
    other = rows * (1.0 + 2.0 * y[:, None])
    found = diagnose(LinearDiscriminantAnalysis().fit(other, y), other, y)[0]
    assert found.verdict == "problem" and "QuadraticDiscriminantAnalysis" in found.remedy
    assert diagnose(QuadraticDiscriminantAnalysis().fit(other, y), other, y)[0].verdict == "ok"


def test_box_m_has_its_level(clouds):
    """On classes that are alike the p-value is uniform: few of 200 are below 0.05."""
    rng = clouds[2]
    y = np.arange(120) % 3
    small = 0
    for _ in range(200):
        rows = rng.normal(size=(120, 3))
        model = LinearDiscriminantAnalysis().fit(rows, y)
        small += diagnose(model, rows, y)["equal covariances"].pvalue < 0.05
    assert 2 <= small <= 22


def test_normality_and_few_rows(clouds):
    rows, y, rng = clouds
    heavy = rng.standard_t(3, size=rows.shape)
    found = diagnose(LinearDiscriminantAnalysis().fit(heavy, y), heavy, y)
    assert found["normality"].verdict in ("warning", "problem")
    wide = rng.normal(size=(40, 20))
    labels = np.arange(40) % 2
    found = diagnose(LinearDiscriminantAnalysis().fit(wide, labels), wide, labels)
    assert found["rows per column"].verdict == "warning"
    assert "shrinkage='auto'" in found["rows per column"].remedy
    assert found["equal covariances"].verdict == "not applicable"
