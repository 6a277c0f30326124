"""The pictures of distributions show what the models have learnt."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from gramian.datasets import load_iris
from gramian.linear_model import Ridge
from gramian.mixture import BayesianGaussianMixture, GaussianMixture
from gramian.naive_bayes import GaussianNB, MixedNB
from gramian.plot import ClassDensitiesDisplay, MixtureDisplay, class_densities, mixture_ellipses

pytestmark = pytest.mark.usefixtures("pyplot")
X, Y = load_iris(return_X_y=True)


def test_normal_densities_of_each_class(tmp_path):
    model = GaussianNB().fit(X, Y)
    display = class_densities(model, 2)
    frame = display.frame()
    for k in range(3):
        normal = stats.norm(model.theta_[k, 2], np.sqrt(model.var_[k, 2]))
        assert_allclose(frame[str(k)], normal.pdf(frame["value"]), rtol=1e-9)
    assert [line.get_label() for line in display.ax_.lines] == ["0", "1", "2"]
    display.figure_.savefig(tmp_path / "densities.png")


def test_every_family_of_a_mixed_table(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "hair": rng.choice(["long", "short", None], 90),
            "height": rng.normal(size=90),
            "visits": rng.poisson(3.0, 90),
            "ill": rng.integers(0, 2, 90),
            "age": rng.exponential(10.0, 90),
            "dose": rng.normal(size=90),
        }
    )
    families = {"height": "gaussian", "visits": "poisson", "age": "histogram", "dose": "kernel"}
    model = MixedNB(distributions=families).fit(table, rng.choice(["a", "b"], 90))
    for name in table:
        display = class_densities(model, name)
        frame = display.frame()
        if name in ("hair", "ill", "visits"):
            assert_allclose(frame[["a", "b"]].sum(), 1.0, atol=1e-2)
        assert display.ax_.get_xlabel() == name
        display.figure_.savefig(tmp_path / f"{name}.png")
    assert len(class_densities(model, "hair").ax_.patches) == 4


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("cls", [GaussianMixture, BayesianGaussianMixture])
def test_ellipses_have_the_spread_of_the_components(cls, covariance_type, tmp_path):
    model = cls(
        n_components=3, covariance_type=covariance_type, random_state=0, max_iter=300, tol=0.05
    ).fit(X)
    display = mixture_ellipses(model, X, columns=(3, 1))
    frame = display.frame()
    assert_allclose(frame["mean_0"], model.means_[:, 3])
    precision = {
        "full": lambda k: model.precisions_[k],
        "tied": lambda k: model.precisions_,
        "diag": lambda k: np.diag(model.precisions_[k]),
        "spherical": lambda k: np.eye(4) * model.precisions_[k],
    }[covariance_type]
    for k in range(3):
        covariance = np.linalg.inv(precision(k))
        assert_allclose(frame["deviation_1"][k], np.sqrt(covariance[1, 1]), rtol=1e-6)
        line = np.column_stack(display.ax_.lines[3 * k].get_data())  # of one deviation
        apart = line - model.means_[k, [3, 1]]
        plane = np.linalg.inv(covariance[np.ix_([3, 1], [3, 1])])
        assert_allclose(np.einsum("ij,jk,ik->i", apart, plane, apart), 1.0, rtol=1e-6)
    display.figure_.savefig(tmp_path / "mixture.png")


def test_what_cannot_be_drawn_is_refused():
    model = GaussianNB().fit(X, Y)
    with pytest.raises(ValueError, match="number below 4"):
        class_densities(model, 4)
    with pytest.raises(ValueError, match="name or a number"):
        class_densities(model, "petal")
    with pytest.raises(ValueError, match="not Ridge"):
        class_densities(Ridge().fit(X, Y))
    with pytest.raises(ValueError, match="two numbers below 4"):
        mixture_ellipses(GaussianMixture().fit(X), columns=(0, 4))
    with pytest.raises(ValueError, match="a row for each of 2 values"):
        ClassDensitiesDisplay([1.0, 2.0], [[1.0]], ["a"])
    with pytest.raises(ValueError, match="2 weights need"):
        MixtureDisplay([[0.0, 1.0]], [np.eye(2)], [0.5, 0.5])
