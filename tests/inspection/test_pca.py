"""Principal components by hand, and what can be wrong with them."""

import numpy as np
import pytest

from gramian.decomposition import PCA, KernelPCA
from gramian.inspection import diagnose, worked

FIRST = [2.5, 0.5, 2.2, 1.9, 3.1, 2.3, 2.0, 1.0, 1.5, 1.1]
SECOND = [2.4, 0.7, 2.9, 2.2, 3.0, 2.7, 1.6, 1.1, 1.6, 0.9]
LINE = np.column_stack([FIRST, SECOND])


def test_the_textbook_by_hand():
    steps = worked(PCA(1).fit(LINE), LINE, None, query=[2.5, 2.4])
    np.testing.assert_allclose(steps.values[r"\bar{x}"], [1.81, 1.91])
    np.testing.assert_allclose(steps.values["C"][0], [0.61655556, 0.61544444], atol=1e-8)
    np.testing.assert_allclose(steps.values[r"\lambda"], [1.28402771, 0.0490834], atol=1e-8)
    np.testing.assert_allclose(steps.values["V"][:, 0], [0.6778734, 0.73517866], atol=1e-8)
    np.testing.assert_allclose(steps.values["Z"], [[0.82797019]], atol=1e-8)
    assert "0.0e+00" in steps[-1].text


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_the_centring_of_a_kernel_by_hand(kernel):
    model = KernelPCA(2, kernel=kernel).fit(LINE)
    steps = worked(model, LINE, None)
    np.testing.assert_allclose(steps.values["K'"].sum(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(steps.values["Z"], model.transform(LINE), atol=1e-9)


def test_findings():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)) * [8.0, 4.0, 2.0, 1.0]
    assert diagnose(PCA().fit(X), X, None).ok
    unscaled = X * [1000.0, 1.0, 1.0, 1.0]
    found = diagnose(PCA().fit(unscaled), unscaled, None)
    assert found["scale"].verdict == "problem"
    assert found["rows"].verdict == "ok"
    few = X[:3]
    assert diagnose(PCA().fit(few), few, None)["rows"].verdict == "problem"
    round_cloud = np.tile([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], (50, 1))
    assert diagnose(PCA().fit(round_cloud), round_cloud, None)["gaps"].verdict == "problem"
    assert diagnose(PCA(1).fit(X[:, :1]), X[:, :1], None)["scale"].verdict == "not applicable"
