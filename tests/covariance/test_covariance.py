"""Covariances: scikit-learn's numbers, weights as copies, wide tables."""

import numpy as np
import pytest
from sklearn import covariance as theirs_of

from gramian import covariance as ours_of

NAMES = ("EmpiricalCovariance", "ShrunkCovariance", "LedoitWolf", "OAS")


def rows(shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) @ rng.normal(size=(shape[1], shape[1])) + 5.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(200, 7), (12, 30), (50, 1)])
@pytest.mark.parametrize("assume_centered", [False, True])
def test_as_scikit_learn(name, shape, assume_centered):
    X = rows(shape)
    ours, theirs = (
        getattr(module, name)(assume_centered=assume_centered).fit(X)
        for module in (ours_of, theirs_of)
    )
    size = np.abs(theirs.covariance_).max()
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-12 * size)
    np.testing.assert_allclose(ours.location_, theirs.location_, rtol=1e-12)
    if hasattr(theirs, "shrinkage_"):
        assert ours.shrinkage_ == pytest.approx(theirs.shrinkage_, rel=1e-10, abs=1e-14)
    if shape[0] > shape[1]:
        np.testing.assert_allclose(ours.mahalanobis(X), theirs.mahalanobis(X), rtol=1e-7, atol=1e-9)
        assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-9)


def test_functions():
    X = rows((30, 6))
    assert ours_of.ledoit_wolf_shrinkage(X) == pytest.approx(theirs_of.ledoit_wolf_shrinkage(X))
    wide = rows((8, 50))
    expected = theirs_of.ledoit_wolf_shrinkage(wide)
    assert ours_of.ledoit_wolf_shrinkage(wide) == pytest.approx(expected, rel=1e-10)
    for name in ("oas", "ledoit_wolf"):
        ours, theirs = getattr(ours_of, name)(X), getattr(theirs_of, name)(X)
        np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-10)
    stacked = np.stack([ours_of.empirical_covariance(rows((30, 4), seed)) for seed in range(3)])
    np.testing.assert_allclose(
        ours_of.shrunk_covariance(stacked, 0.3),
        theirs_of.shrunk_covariance(stacked, 0.3),
        rtol=1e-12,
    )
    with pytest.raises(ValueError, match="shrinkage"):
        ours_of.shrunk_covariance(stacked, 1.5)


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_copies(name):
    X = rows((40, 5))
    weight = np.random.default_rng(1).integers(0, 4, 40)
    ours = getattr(ours_of, name)().fit(X, sample_weight=weight)
    copies = getattr(ours_of, name)().fit(X.repeat(weight, 0))
    np.testing.assert_allclose(ours.covariance_, copies.covariance_, rtol=1e-11)


def test_single_precision_is_summed_in_double():
    X = rows((5000, 4)).astype(np.float32)
    ours = ours_of.LedoitWolf().fit(X)
    wide = ours_of.LedoitWolf().fit(X.astype(np.float64))
    np.testing.assert_array_equal(ours.covariance_, wide.covariance_)


def test_columns_far_from_zero_keep_their_digits():
    X = rows((100, 3))
    far = np.round(X * 2**20) / 2**20 + 2.0**22
    near = ours_of.empirical_covariance(far - 2.0**22)
    np.testing.assert_allclose(ours_of.empirical_covariance(far), near, rtol=1e-12)


def test_error_norm():
    model = ours_of.EmpiricalCovariance().fit(rows((40, 5)))
    other = np.eye(5)
    theirs = theirs_of.EmpiricalCovariance().fit(rows((40, 5)))
    for norm in ("frobenius", "spectral"):
        for scaling in (False, True):
            for squared in (False, True):
                assert model.error_norm(other, norm, scaling, squared) == pytest.approx(
                    theirs.error_norm(other, norm, scaling, squared)
                )
    with pytest.raises(NotImplementedError, match="norm='foo'"):
        model.error_norm(other, norm="foo")
