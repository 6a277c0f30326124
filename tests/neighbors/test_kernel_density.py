"""Kernel densities, against scikit-learn's and against their definition."""

import math

import mpmath
import numpy as np
import pytest
import sklearn.neighbors
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate

import gramian
from gramian.neighbors import KernelDensity
from gramian.neighbors._kernel_sums import KERNELS, log_kernel_norm


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("bandwidth", [0.3, 2.0, "scott", "silverman"])
@pytest.mark.parametrize("weighted", [False, True])
def test_as_scikit_learn(kernel, bandwidth, weighted):
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(300, 3)), rng.normal(size=(50, 3))
    weight = rng.random(300) if weighted else None
    params = {"kernel": kernel, "bandwidth": bandwidth}
    ours = KernelDensity(**params).fit(X, sample_weight=weight)
    theirs = sklearn.neighbors.KernelDensity(**params).fit(X, sample_weight=weight)
    assert ours.bandwidth_ == pytest.approx(theirs.bandwidth_)
    densities = [np.exp(model.score_samples(new)) for model in (ours, theirs)]
    assert_allclose(*densities, rtol=1e-9, atol=1e-12)  # scikit-learn's zeros are not quite zero
    if kernel in ("gaussian", "tophat"):
        assert_allclose(ours.sample(9, random_state=3), theirs.sample(9, random_state=3))
    else:
        with pytest.raises(NotImplementedError, match="gaussian"):
            ours.sample()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_features", [1, 2, 5, 30])
def test_kernels_integrate_to_one(kernel, n_features):
    shapes = {
        "gaussian": lambda r: math.exp(-r * r / 2),
        "tophat": lambda r: 1.0,
        "epanechnikov": lambda r: 1 - r * r,
        "exponential": lambda r: math.exp(-r),
        "linear": lambda r: 1 - r,
        "cosine": lambda r: math.cos(math.pi * r / 2),
    }
    end = 200.0 if kernel in ("gaussian", "exponential") else 1.0
    radial = integrate.quad(lambda r: r ** (n_features - 1) * shapes[kernel](r), 0, end, limit=500)[
        0
    ]
    surface = 2 * math.pi ** (n_features / 2) / math.gamma(n_features / 2)
    expected = -math.log(radial * surface) - n_features * math.log(0.7)
    assert log_kernel_norm(kernel, 0.7, n_features) == pytest.approx(expected, rel=1e-9)


def test_far_rows_keep_their_digits():
    X = np.array([[0.0], [0.5], [7.0]])
    found = KernelDensity(bandwidth=0.01).fit(X).score_samples([[100.0], [-3.0]])
    for value, at in zip(found, (100.0, -3.0), strict=True):
        total = sum(mpmath.exp(-(((at - x) / 0.01) ** 2) / 2) for x in (0.0, 0.5, 7.0))
        exact = mpmath.log(total / 3 / (mpmath.sqrt(2 * mpmath.pi) * 0.01))
        assert value == pytest.approx(float(exact), rel=1e-13)


def test_same_bits_for_any_number_of_threads():
    X = np.random.default_rng(0).normal(size=(3000, 3))
    found = []
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            found.append(KernelDensity(bandwidth=0.2).fit(X).score_samples(X))
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])


def test_tolerances_bound_the_error():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(5000, 2)), rng.normal(size=(100, 2))
    exact = np.exp(KernelDensity(bandwidth=0.3).fit(X).score_samples(new))
    loose = np.exp(KernelDensity(bandwidth=0.3, rtol=0.05).fit(X).score_samples(new))
    absolute = np.exp(KernelDensity(bandwidth=0.3, atol=0.01).fit(X).score_samples(new))
    assert_allclose(loose, exact, rtol=0.051)
    assert_allclose(absolute, exact, atol=0.0101)
    assert np.abs(loose - exact).max() > 0.0


@pytest.mark.parametrize("metric", ["haversine", "hamming", "canberra"])
def test_other_metrics_take_all_distances(metric):
    rng = np.random.default_rng(0)
    X, new = rng.random((80, 2)).round(1), rng.random((20, 2)).round(1)
    weight = rng.random(80)
    ours = KernelDensity(metric=metric, bandwidth=0.4).fit(X, sample_weight=weight)
    theirs = sklearn.neighbors.KernelDensity(metric=metric, bandwidth=0.4)
    expected = theirs.fit(X, sample_weight=weight).score_samples(new)
    assert_allclose(ours.score_samples(new), expected, rtol=1e-9, atol=1e-9)


def test_refuses_weights_that_are_all_zero():
    with pytest.raises(ValueError, match="at least one non-zero"):
        KernelDensity().fit([[0.0], [1.0]], sample_weight=[0.0, 0.0])
