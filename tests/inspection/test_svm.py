"""The worked calculation and the diagnosis of support vector machines."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gramian.datasets import load_iris, make_circles
from gramian.inspection import diagnose, worked
from gramian.preprocessing import StandardScaler
from gramian.svm import SVC, SVR, LinearSVC, LinearSVR

X = np.array([[1.0, 1.0], [2.0, 2.0], [0.0, 0.0], [-1.0, 0.0]])
y = np.array([1, 1, 0, 0])


def by_title(work):
    return {step.title: step for step in work.steps}


def test_the_widest_margin_between_two_points():
    """The nearest rows, (1, 1) and (0, 0), carry the margin: w = (1, 1), b = -1."""
    work = worked(SVC(kernel="linear", C=10.0).fit(X, y), X, y, query=[3.0, 0.0])
    steps = by_title(work)
    assert_allclose(steps["Margin"].values["w"], [1.0, 1.0])
    assert_allclose(steps["Margin"].values[r"\text{margin}"], np.sqrt(2.0))
    assert_allclose(steps["Constant"].values["b"], -1.0)
    assert [row[0] for row in steps["Support vectors"].table.rows] == [0, 2]
    assert_allclose(steps["Dual problem"].values[r"\text{dual}"], 1.0)
    assert_allclose(steps["Prediction"].values["f(x)"], 2.0)
    assert "agree" in str(work)


def test_kernel_scores_are_those_of_the_model():
    rings, labels = make_circles(n_samples=60, factor=0.3, noise=0.1, random_state=10)
    for kernel in ("rbf", "poly", "sigmoid"):
        model = SVC(kernel=kernel, gamma=0.7, tol=1e-8).fit(rings, labels)
        steps = by_title(worked(model, rings, labels, query=rings[:1]))
        score = steps["Prediction"].values["f(x)"]
        assert_allclose(score, model.decision_function(rings[:1])[0], atol=1e-6)
        assert "agree" in steps["Comparison with the fitted SVC"].text


def test_other_data_do_not_agree():
    model = SVC(kernel="linear", C=10.0).fit(X, y)
    assert "differ" in str(worked(model, X + 5.0, y))


def test_what_cannot_be_worked_out():
    with pytest.raises(ValueError, match="two classes"):
        iris = load_iris()
        worked(SVC().fit(iris.data, iris.target), iris.data, iris.target)
    with pytest.raises(ValueError, match="kernels"):
        worked(SVC(kernel="precomputed").fit(X @ X.T, y), X @ X.T, y)
    many = np.arange(300.0)[:, None]
    with pytest.raises(ValueError, match="at most 200"):
        worked(SVC().fit(many, many[:, 0] > 100), many, many[:, 0] > 100)


def findings(model, rows, target):
    return {f.hypothesis: f for f in diagnose(model.fit(rows, target), rows, target).findings}


def test_unlike_scales_are_found_and_scaling_mends_them():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(150, 3)) * [1.0, 1.0, 1000.0]
    labels = (rows[:, 0] + rows[:, 1] > 0).astype(int)
    raw = findings(SVC(), rows, labels)["The columns have like scales"]
    assert raw.verdict == "problem"
    assert "StandardScaler" in raw.remedy
    scaled = findings(SVC(), StandardScaler().fit_transform(rows), labels)
    assert all(finding.verdict == "ok" for finding in scaled.values())


def test_a_kernel_that_remembers_every_row():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(150, 2))
    narrow = findings(SVR(gamma=50.0, epsilon=0.0), rows, rows[:, 0])
    assert narrow["The boundary rests on a part of the rows"].verdict == "problem"
    assert narrow["C and gamma fit the data"].verdict != "ok"


@pytest.mark.parametrize("params", [{"loss": "hinge"}, {}, {"penalty": "l1"}])
def test_a_linear_machine_adds_up_to_its_certificate(params):
    model = LinearSVC(C=10.0, intercept_scaling=3.0, **params).fit(X, y)
    work = worked(model, X, y, query=[3.0, 0.0])
    steps = by_title(work)
    assert "agree" in steps["Objective"].text
    assert_allclose(steps["Objective"].values["P"], model.certificate_.objective)
    assert_allclose(steps["Prediction"].values["f(x)"], model.decision_function([[3.0, 0.0]])[0])
    assert_allclose(steps["Margin"].values[r"\text{margin}"], 2.0 / np.linalg.norm(model.coef_))
    assert "differ" in str(worked(model, X + 5.0, y))


def test_what_cannot_be_worked_out_of_a_linear_machine():
    iris = load_iris()
    with pytest.raises(ValueError, match="two classes"):
        worked(LinearSVC().fit(iris.data, iris.target), iris.data, iris.target)
    with pytest.raises(ValueError, match="class_weight=None"):
        worked(LinearSVC(class_weight="balanced").fit(X, y), X, y)


def test_linear_machines_are_diagnosed():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(150, 3)) * [1.0, 1.0, 1000.0]
    labels = (rows[:, 0] + rows[:, 1] > 0).astype(int)
    raw = findings(LinearSVC(), rows, labels)
    assert raw["The columns have like scales"].verdict == "problem"
    assert "margin" in raw["The columns have like scales"].explanation
    weak = findings(LinearSVR(C=1e-4), rows / [1.0, 1.0, 1000.0], rows[:, 0])
    assert weak["The columns have like scales"].verdict == "ok"
    assert weak["C fits the data"].verdict != "ok"
    assert "C=0.001" in weak["C fits the data"].remedy
