"""Random projections: scikit-learn's directions, and distances that stay."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import random_projection as theirs_of

from gramian.metrics.pairwise import euclidean_distances
from gramian.random_projection import (
    GaussianRandomProjection,
    SparseRandomProjection,
    johnson_lindenstrauss_min_dim,
)

CLASSES = ["GaussianRandomProjection", "SparseRandomProjection"]
OURS = {cls.__name__: cls for cls in (GaussianRandomProjection, SparseRandomProjection)}


def dense(A):
    return A.toarray() if sparse.issparse(A) else A


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("params", [{}, {"density": 0.3}, {"density": 1.0}])
def test_as_scikit_learn(name, params):
    if params and name == "GaussianRandomProjection":
        params = {"compute_inverse_components": True}
    X = np.random.default_rng(0).normal(size=(9, 80))
    ours, theirs = (
        cls(7, random_state=3, **params).fit(X) for cls in (OURS[name], getattr(theirs_of, name))
    )
    np.testing.assert_allclose(dense(ours.components_), dense(theirs.components_), rtol=1e-14)
    Z = ours.transform(X)
    np.testing.assert_allclose(Z, theirs.transform(X), atol=1e-12)
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), atol=1e-10)
    of_sparse = ours.transform(sparse.csr_matrix(X))
    np.testing.assert_allclose(dense(of_sparse), Z, atol=1e-12)


@pytest.mark.parametrize("name", CLASSES)
def test_distances_stay(name):
    X = np.random.default_rng(0).normal(size=(20, 3000))
    Z = OURS[name](eps=0.3, random_state=0).fit_transform(X)
    assert Z.shape[1] == johnson_lindenstrauss_min_dim(20, eps=0.3)
    pairs = np.triu_indices(20, 1)
    change = (euclidean_distances(Z)[pairs] / euclidean_distances(X)[pairs]) ** 2
    assert 0.7 < change.min() < change.max() < 1.3


def test_dimensions():
    assert johnson_lindenstrauss_min_dim(100, eps=1e-5) == 368416070986
    with pytest.raises(ValueError, match="eps"):
        johnson_lindenstrauss_min_dim(100, eps=1.0)
    with pytest.raises(ValueError, match="n_samples"):
        johnson_lindenstrauss_min_dim(0)
    with pytest.raises(ValueError, match=r"5920 which is larger .* n_features=100"):
        SparseRandomProjection().fit(np.ones((1000, 100)))


@pytest.mark.parametrize("cls", [GaussianRandomProjection, SparseRandomProjection])
def test_more_directions_than_fit_into_memory(cls):
    with pytest.warns(UserWarning), pytest.raises(MemoryError, match="n_components=4000000000000"):
        cls(n_components=4_000_000_000_000).fit([[1.0, 2.0], [3.0, 4.0]])
