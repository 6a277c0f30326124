"""Components of rows in batches: scikit-learn's numbers, and those of all rows at once."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import decomposition as theirs_of

import gramian
from gramian.decomposition import PCA, IncrementalPCA

NAMES = (
    "components_",
    "singular_values_",
    "explained_variance_",
    "explained_variance_ratio_",
    "mean_",
    "var_",
    "noise_variance_",
)


def rows(n, p, seed=0, offset=3.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) * np.geomspace(8.0, 0.5, p) + offset


@pytest.mark.parametrize("shape", [(300, 12), (90, 40), (64, 12), (300, 2)])
@pytest.mark.parametrize("k", [2, None])
@pytest.mark.parametrize("batch_size", [None, 32])
def test_as_scikit_learn(shape, k, batch_size):
    X = rows(*shape)
    if k is None and batch_size == 32 and shape == (90, 40):
        k = 20  # theirs makes no sense of a rest that is shorter than its components
    ours, theirs = (
        cls(k, batch_size=batch_size).fit(X) for cls in (IncrementalPCA, theirs_of.IncrementalPCA)
    )
    for name in NAMES:
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), atol=1e-9, err_msg=name
        )
    Z = ours.transform(X)
    np.testing.assert_allclose(Z, theirs.transform(X), atol=1e-9)
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), atol=1e-9)


def test_partial_fit_as_scikit_learn():
    X = rows(400, 10)
    ours, theirs = IncrementalPCA(3, whiten=True), theirs_of.IncrementalPCA(3, whiten=True)
    for begin, end in [(0, 50), (50, 51), (51, 250), (250, 400)]:
        ours.partial_fit(X[begin:end])
        theirs.partial_fit(X[begin:end].copy())
        for name in NAMES:
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-9)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-9)
    assert ours.certificate_.converged


def test_exact_components_are_those_of_all_rows():
    X = rows(500, 15)
    whole = PCA(4).fit(X)
    order = np.random.default_rng(0).permutation(500)
    for batches, given in [(37, X), (500, X), (120, X[order])]:
        model = IncrementalPCA(4, batch_size=batches, exact=True).fit(given)
        for name in ("components_", "explained_variance_", "mean_"):
            np.testing.assert_allclose(getattr(model, name), getattr(whole, name), atol=1e-10)
        np.testing.assert_allclose(model.noise_variance_, whole.noise_variance_, rtol=1e-9)
    truncated = IncrementalPCA(4, batch_size=37).fit(X)
    assert truncated.explained_variance_.sum() < whole.explained_variance_.sum() - 1e-6


def test_exact_partial_fit():
    X = rows(300, 8)
    model = IncrementalPCA(3, exact=True)
    for part in np.array_split(X, 7):
        model.partial_fit(part)
    whole = PCA(3).fit(X)
    np.testing.assert_allclose(model.components_, whole.components_, atol=1e-10)
    assert model.n_samples_seen_ == 300


def test_fit_starts_anew():
    model = IncrementalPCA(2).fit(rows(100, 5, seed=1))
    first = gramian.fingerprint(IncrementalPCA(2).fit(rows(80, 5)))
    assert gramian.fingerprint(model.fit(rows(80, 5))) == first


def test_sparse_rows_in_batches():
    X = sparse.random(300, 20, 0.2, format="csr", random_state=0)
    of_sparse, of_dense = (IncrementalPCA(3, batch_size=90).fit(A) for A in (X, X.toarray()))
    np.testing.assert_allclose(of_sparse.components_, of_dense.components_, atol=1e-12)
    np.testing.assert_allclose(of_sparse.transform(X), of_dense.transform(X.toarray()), atol=1e-10)
    with pytest.raises(TypeError, match="partial_fit does not support sparse"):
        of_sparse.partial_fit(X)


def test_bits_do_not_depend_on_threads():
    X, prints = rows(6000, 40), set()
    for n_threads in (1, 2, 3):
        with gramian.config_context(n_threads=n_threads):
            prints.add(gramian.fingerprint(IncrementalPCA(5, batch_size=2500).fit(X)))
    assert len(prints) == 1


def test_too_many_components_are_refused():
    with pytest.raises(ValueError, match="n_components=9 invalid for n_features=5"):
        IncrementalPCA(9).fit(rows(100, 5))
    with pytest.raises(ValueError, match="n_components=4 must be less or equal to the batch"):
        IncrementalPCA(4).partial_fit(rows(3, 5))
    model = IncrementalPCA(4).partial_fit(rows(10, 5))
    with pytest.raises(ValueError, match="has changed from 4 to 3"):
        model.set_params(n_components=3).partial_fit(rows(10, 5))
