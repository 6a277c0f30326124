"""Two steps of EM worked out, and the diagnosis of mixtures."""

import numpy as np
import pytest

from gramian.inspection import diagnose, worked
from gramian.mixture import GaussianMixture

pytestmark = pytest.mark.filterwarnings("ignore:Best performing initialization")


def test_two_steps_are_those_of_the_fit():
    X = np.array([[0.0], [0.5], [1.0], [4.0], [5.0], [6.5]])
    params = {"n_components": 2, "weights_init": [0.5, 0.5], "means_init": [[0.0], [5.0]]}
    params |= {"precisions_init": [[[1.0]], [[1.0]]], "tol": 0.0}
    model = GaussianMixture(**params).fit(X)
    steps = worked(model, X, None)
    titles = [step.title for step in steps]
    assert titles[:3] == ["Start", "Step 1: expectation", "Step 1: maximisation"]
    once = GaussianMixture(**params, max_iter=1).fit(X)
    np.testing.assert_allclose(steps[2].values["m_0"], once.means_[0], rtol=1e-10)
    np.testing.assert_allclose(steps[2].values["w"], once.weights_, rtol=1e-10)
    twice = GaussianMixture(**params, max_iter=2).fit(X)
    np.testing.assert_allclose(steps[4].values["C_1"], twice.covariances_[1], rtol=1e-9)
    assert steps[1].values[r"\log L"] == pytest.approx(6 * twice.lower_bounds_[0])
    assert steps[3].values[r"\log L"] == pytest.approx(6 * twice.lower_bounds_[1])


def test_collapsed_and_superfluous_components():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    good = np.vstack([X, X[:100] + 12.0])
    found = diagnose(GaussianMixture(2, random_state=0).fit(good), good, None)
    assert [finding.verdict for finding in found] == ["ok", "ok", "ok"]
    line = np.vstack([X, np.tile([9.0, 9.0], (50, 1))])
    found = diagnose(GaussianMixture(2, random_state=0).fit(line), line, None)
    assert found["collapsed components"].verdict == "problem"
    assert set(found["collapsed components"].rows) <= set(range(200, 250))
    assert "reg_covar" in found["collapsed components"].remedy
    short = GaussianMixture(4, init_params="random", max_iter=1, random_state=0).fit(X)
    found = diagnose(short, X, None)
    assert found["superfluous components"].verdict == "warning"
    assert found["convergence"].verdict == "warning"
