"""The pictures of components show their variances, rows and columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gramian.datasets import load_iris
from gramian.decomposition import PCA, KernelPCA, choose_components
from gramian.plot import BiplotDisplay, ScreeDisplay, biplot, scree

pytestmark = pytest.mark.usefixtures("pyplot")
X, Y = load_iris(return_X_y=True)


def test_scree_of_a_model_and_of_a_choice(tmp_path):
    model = PCA().fit(X)
    assert_allclose(scree(model).frame()["variance"], model.explained_variance_)
    choice = choose_components(X, scale=True)
    display = scree(choice)
    frame = display.frame()
    assert_allclose(frame["broken stick"].sum(), choice.variances.sum())
    assert_allclose(frame["shuffled columns"], choice.parallel)
    assert [line.get_label() for line in display.ax_.lines] == [
        "variance",
        "broken stick",
        "shuffled columns",
    ]
    display.figure_.savefig(tmp_path / "scree.png")


def test_biplot(tmp_path):
    model = PCA(3).fit(X)
    display = biplot(model, X, Y, components=(0, 2))
    assert_allclose(display.points, model.transform(X)[:, [0, 2]])
    assert_allclose(display.frame()["second"], model.components_[2])
    assert len(display.ax_.collections) == 3
    assert display.ax_.get_xlabel() == "component 1 (92%)"
    display.figure_.savefig(tmp_path / "biplot.png")


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="two numbers below 1"):
        biplot(PCA(1).fit(X), X)
    with pytest.raises(ValueError, match="KernelPCA does not have"):
        scree(KernelPCA(2).fit(X[:20]))
    with pytest.raises(ValueError, match="one length"):
        ScreeDisplay([1.0, 2.0], limits={"stick": [1.0]})
    with pytest.raises(ValueError, match="two columns"):
        BiplotDisplay(np.ones((3, 3)), np.ones((2, 2)), ["a", "b"])
    with pytest.raises(ValueError, match="one entry for each of 3"):
        BiplotDisplay(np.ones((3, 2)), np.ones((2, 2)), ["a", "b"], labels=[1])
