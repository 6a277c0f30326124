"""Examples of a course's chapter on dimension reduction, as printed, with the import changed.

Where it prints no number, the reference is scikit-learn, with which it was written. Its examples of
70,000 digits are left out: the rows are not in the package.
"""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn.datasets
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.preprocessing

from gramian.datasets import load_iris, make_circles, make_swiss_roll
from gramian.decomposition import PCA, IncrementalPCA, KernelPCA, choose_components
from gramian.discriminant_analysis import LinearDiscriminantAnalysis
from gramian.preprocessing import StandardScaler

SAME = {"rtol": 1e-7, "atol": 1e-7}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def _same_up_to_signs(ours, theirs):
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, **SAME)


def _draw(points, colours):
    """Draw points as the notes do, with a legend of the classes."""
    scatter = plt.scatter(points[:, 0], points[:, 1], c=colours)
    handles, _ = scatter.legend_elements(prop="colors")
    plt.legend(handles, ["Setosa", "Versicolor", "Virginica"], title="Classes")


def test_example_1_line():
    X = np.array([[2.5, 2.4], [0.5, 0.7], [2.2, 2.9], [1.9, 2.2], [3.1, 3.0]])
    X = np.vstack([X, [[2.3, 2.7], [2, 1.6], [1, 1.1], [1.5, 1.6], [1.1, 0.9]]])
    X_c = X - np.mean(X, axis=0)
    pca = PCA(n_components=1)
    X_r = pca.fit_transform(X_c)
    # The notes print both signs negative; either is right.
    np.testing.assert_allclose(np.abs(pca.components_), [[0.6778734, 0.73517866]], atol=5e-9)
    np.testing.assert_allclose(pca.explained_variance_ratio_, [0.96318131], atol=5e-9)
    plt.scatter(X_r[:, 0], np.zeros(X_r.shape), color="red", label="Reduced Data")
    arrow = {"facecolor": "black", "arrowstyle": "->"}
    plt.annotate("", xy=pca.components_[0], xytext=(0, 0), arrowprops=arrow)


def test_example_2_iris():
    iris = load_iris()
    X_r = PCA(n_components=2).fit_transform(iris.data)
    _same_up_to_signs(X_r, sklearn.decomposition.PCA(2).fit_transform(iris.data))
    _draw(X_r, iris.target)


def test_choice_of_components():
    X = load_iris().data
    pca = PCA()
    pca.fit(X)
    printed = [4.22824171, 0.24267075, 0.0782095, 0.02383509]
    np.testing.assert_allclose(pca.explained_variance_, printed, atol=5e-9)
    cumsum = np.cumsum(pca.explained_variance_ratio_)
    np.testing.assert_allclose(cumsum, [0.92461872, 0.97768521, 0.99478782, 1.0], atol=5e-9)
    assert np.argmax(cumsum >= 0.95) + 1 == 2
    assert PCA(n_components=0.95).fit(X).n_components_ == 2
    found = choose_components(X)
    np.testing.assert_allclose(np.cumsum(found.ratios), cumsum, rtol=1e-12)


def test_example_4_batches():
    X = sklearn.datasets.load_digits().data
    ours, theirs = IncrementalPCA(n_components=30), sklearn.decomposition.IncrementalPCA(30)
    for first in range(0, 1700, 100):
        for ipca in (ours, theirs):
            ipca.partial_fit(X[first : first + 100])
    np.testing.assert_allclose(
        np.cumsum(ours.explained_variance_ratio_),
        np.cumsum(theirs.explained_variance_ratio_),
        atol=1e-9,
    )


def test_example_5_circles():
    X, y = make_circles(n_samples=400, factor=0.3, noise=0.05, random_state=32)
    expected, _ = sklearn.datasets.make_circles(
        n_samples=400, factor=0.3, noise=0.05, random_state=32
    )
    np.testing.assert_array_equal(X, expected)
    kpca = KernelPCA(n_components=2, kernel="rbf", gamma=15)
    X_kpca = kpca.fit_transform(X)
    theirs = sklearn.decomposition.KernelPCA(n_components=2, kernel="rbf", gamma=15).fit(X)
    np.testing.assert_allclose(kpca.eigenvalues_, theirs.eigenvalues_, rtol=1e-7)
    # The kernel leaves the outer circle near the origin; without it the shapes are as they were.
    inner, outer = (np.linalg.norm(X_kpca[y == label], axis=1) for label in (1, 0))
    assert inner.min() > 10.0 * outer.max()
    X_pca = PCA(n_components=2).fit_transform(X)
    apart = np.linalg.norm(X[:, None] - X, axis=2)
    np.testing.assert_allclose(np.linalg.norm(X_pca[:, None] - X_pca, axis=2), apart, atol=1e-9)
    plt.scatter(X_kpca[y == 0, 0], X_kpca[y == 0, 1], color="red", label="Class 1")


def test_example_6_iris():
    iris = load_iris()
    assert list(iris.target_names) == ["setosa", "versicolor", "virginica"]
    X_scaled = StandardScaler().fit_transform(iris.data)
    kpca = KernelPCA(n_components=2, kernel="rbf", gamma=0.1)
    X_kpca = kpca.fit_transform(X_scaled)
    theirs = sklearn.decomposition.KernelPCA(n_components=2, kernel="rbf", gamma=0.1)
    _same_up_to_signs(X_kpca, theirs.fit_transform(X_scaled))
    np.testing.assert_allclose(kpca.eigenvalues_, theirs.eigenvalues_, rtol=1e-7)
    _draw(X_kpca, iris.target)


def test_example_7_swiss_roll():
    X, color = make_swiss_roll(n_samples=1000, noise=0.2, random_state=24)
    expected = sklearn.datasets.make_swiss_roll(n_samples=1000, noise=0.2, random_state=24)
    np.testing.assert_allclose(X, expected[0], rtol=1e-12)
    pca, kpca = PCA(n_components=2), KernelPCA(n_components=2, kernel="rbf", gamma=0.02)
    X_pca, X_kpca = pca.fit_transform(X), kpca.fit_transform(X)
    theirs = sklearn.decomposition.KernelPCA(n_components=2, kernel="rbf", gamma=0.02).fit(X)
    np.testing.assert_allclose(kpca.eigenvalues_, theirs.eigenvalues_, rtol=1e-7)
    _same_up_to_signs(X_pca, sklearn.decomposition.PCA(2).fit_transform(X))
    # The notes say that the roll comes out flat; in numbers it does not, in neither map.
    along = [abs(np.corrcoef(Z[:, k], color)[0, 1]) for Z in (X_pca, X_kpca) for k in (0, 1)]
    assert max(along) < 0.9
    axis = plt.figure(figsize=(12, 4)).add_subplot(131, projection="3d")
    axis.scatter(X[:, 0], X[:, 1], X[:, 2], c=color)


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_discriminants_of_iris(solver):
    X, y = load_iris(return_X_y=True)
    ours = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis(solver=solver).fit(X, y)
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-7
    )
    np.testing.assert_allclose(ours.explained_variance_ratio_, [0.9912126, 0.0087874], atol=1e-7)
