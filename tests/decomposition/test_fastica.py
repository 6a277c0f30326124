"""Independent components: scikit-learn's numbers, and signals found in their mixtures."""

import numpy as np
import pytest
from sklearn import decomposition as theirs_of
from sklearn.exceptions import ConvergenceWarning

import gramian
from gramian.datasets import load_iris
from gramian.decomposition import FastICA, fastica


def signals(n=2000):
    t = np.linspace(0.0, 8.0, n)
    return np.column_stack([np.sin(2.0 * t), np.sign(np.sin(3.0 * t)), t % 1.0])


def mixed(n=2000, p=5, noise=0.01):
    rng = np.random.default_rng(0)
    return signals(n) @ rng.normal(size=(3, p)) + noise * rng.normal(size=(n, p)) + 4.0


def cube(y):
    return y**3, (3.0 * y**2).mean(axis=-1)


@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube", cube])
@pytest.mark.parametrize("whiten", ["unit-variance", "arbitrary-variance"])
def test_as_scikit_learn(algorithm, fun, whiten):
    X = mixed()
    ours, theirs = (
        cls(3, algorithm=algorithm, fun=fun, whiten=whiten, random_state=0, max_iter=500).fit(X)
        for cls in (FastICA, theirs_of.FastICA)
    )
    assert ours.n_iter_ == theirs.n_iter_
    for name in ("components_", "mixing_", "mean_", "whitening_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-7)
    Z = ours.transform(X)
    np.testing.assert_allclose(Z, theirs.transform(X), atol=1e-7)
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), atol=1e-7)
    assert ours.certificate_.converged


@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
@pytest.mark.parametrize("n_components", [1, 2, 3, 4])
def test_certificate_is_the_turn_of_one_more_step(algorithm, n_components):
    X, _ = load_iris(return_X_y=True)
    options = {"algorithm": algorithm, "fun": "exp", "random_state": 0, "max_iter": 1000}
    model = FastICA(n_components, **options).fit(X)
    assert model.certificate_.converged
    assert model.certificate_.optimality < 2e-4  # tol is 1e-4, and steps need not shrink


def test_mixed_signals_are_found():
    found = FastICA(3, random_state=0, fun_args={"alpha": 1.5}).fit_transform(mixed(noise=0.0))
    agreement = np.abs(np.corrcoef(signals().T, found.T)[:3, 3:])
    assert agreement.max(axis=1).min() > 0.99


def test_white_rows_are_rotated():
    white = np.random.default_rng(0).uniform(-1.0, 1.0, size=(500, 3))
    ours, theirs = (
        cls(whiten=False, random_state=0).fit(white) for cls in (FastICA, theirs_of.FastICA)
    )
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-8)
    np.testing.assert_allclose(ours.components_ @ ours.components_.T, np.eye(3), atol=1e-10)
    with pytest.raises(ValueError, match="2 samples and 3 features"):
        FastICA(whiten=False).fit(white[:2])


def test_function_returns_what_the_model_holds():
    X = mixed()
    model = FastICA(3, random_state=0).fit(X)
    K, W, S, mean, n_iter = fastica(X, 3, random_state=0, return_X_mean=True, return_n_iter=True)
    np.testing.assert_array_equal(K, model.whitening_)
    np.testing.assert_allclose(W @ K, model.components_, atol=1e-12)
    np.testing.assert_allclose(S, (X - mean) @ (W @ K).T, atol=1e-9)
    assert n_iter == model.n_iter_
    assert fastica(X, 3, random_state=0, compute_sources=False)[2] is None


def test_bits_do_not_depend_on_threads():
    X, prints = mixed(9000), set()
    for n_threads in (1, 2, 3):
        with gramian.config_context(n_threads=n_threads):
            prints.add(gramian.fingerprint(FastICA(3, random_state=0).fit(X)))
    assert len(prints) == 1


@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
def test_too_few_steps_warn(algorithm):
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        model = FastICA(2, algorithm=algorithm, max_iter=2, tol=0.0, random_state=0).fit(mixed())
    assert not model.certificate_.converged


def test_bad_functions_are_refused():
    with pytest.raises(ValueError, match="two arrays"):
        FastICA(2, fun=np.tanh).fit(mixed())
    with pytest.raises(ValueError, match=r"alpha must be in \[1,2\]"):
        FastICA(2, fun_args={"alpha": 3.0}).fit(mixed())
