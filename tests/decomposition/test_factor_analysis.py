"""Factor analysis: scikit-learn's numbers, likelihoods, and rotations."""

import numpy as np
import pytest
from scipy import stats
from sklearn import decomposition as theirs_of
from sklearn.exceptions import ConvergenceWarning

from gramian.decomposition import FactorAnalysis


def rows(n, p, seed=0):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 3)) @ rng.normal(size=(3, p))
    return common + rng.normal(size=(n, p)) * rng.gamma(1.0, size=p) + 2.0


@pytest.mark.parametrize("shape", [(300, 8), (40, 60)])
@pytest.mark.parametrize("rotation", [None, "varimax", "quartimax"])
def test_as_scikit_learn(shape, rotation):
    X, new = rows(*shape), rows(5, shape[1], seed=1)
    ours = FactorAnalysis(2, rotation=rotation).fit(X)
    theirs = theirs_of.FactorAnalysis(2, rotation=rotation, svd_method="lapack").fit(X)
    assert ours.n_iter_ == theirs.n_iter_
    np.testing.assert_allclose(ours.loglike_, theirs.loglike_, rtol=1e-10)
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, atol=1e-9)
    np.testing.assert_allclose(abs(ours.components_), abs(theirs.components_), atol=1e-9)
    np.testing.assert_allclose(abs(ours.transform(new)), abs(theirs.transform(new)), atol=1e-8)
    np.testing.assert_allclose(ours.score_samples(new), theirs.score_samples(new), rtol=1e-8)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-7)


@pytest.mark.parametrize("k", [0, 2, 8, None])
def test_the_likelihood_is_that_of_the_normal_distribution(k):
    X = rows(300, 8)
    model = FactorAnalysis(k).fit(X)
    normal = stats.multivariate_normal(model.mean_, model.get_covariance())
    np.testing.assert_allclose(model.score_samples(X), normal.logpdf(X), rtol=1e-7)
    assert model.loglike_[-1] == pytest.approx(normal.logpdf(X).sum(), rel=1e-7)
    assert (np.diff(model.loglike_) >= -1e-9 * abs(model.loglike_[-1])).all()
    assert model.certificate_.converged
    np.testing.assert_allclose(model.get_precision() @ model.get_covariance(), np.eye(8), atol=1e-9)


def test_factors_that_were_there_are_found():
    rng = np.random.default_rng(0)
    W, noise = rng.normal(size=(2, 6)), rng.uniform(0.2, 2.0, 6)
    X = rng.normal(size=(100_000, 2)) @ W + rng.normal(size=(100_000, 6)) * np.sqrt(noise)
    model = FactorAnalysis(2, tol=1e-3).fit(X)
    np.testing.assert_allclose(model.noise_variance_, noise, atol=0.05)
    np.testing.assert_allclose(model.get_covariance(), W.T @ W + np.diag(noise), atol=0.1)


def test_bad_noise_and_too_few_steps():
    with pytest.raises(ValueError, match="3 != 5"):
        FactorAnalysis(1, noise_variance_init=np.ones(3)).fit(rows(30, 5))
    with pytest.raises(ValueError, match="positive"):
        FactorAnalysis(1, noise_variance_init=np.zeros(5)).fit(rows(30, 5))
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = FactorAnalysis(1, max_iter=2, tol=0.0).fit(rows(30, 5))
    assert not model.certificate_.converged
