"""Mixtures: scikit-learn's numbers from the same start, weights as copies, limits and refusals."""

import time

import mpmath
import numpy as np
import pytest
from sklearn import mixture as theirs_of
from sklearn.exceptions import ConvergenceWarning

import gramian
import gramian.mixture
from gramian.mixture import BayesianGaussianMixture, GaussianMixture, choose_components

FORMS = ("full", "tied", "diag", "spherical")
BAYES = ("dirichlet_process", "dirichlet_distribution")

pytestmark = pytest.mark.filterwarnings("ignore:Best performing initialization")


def clouds(n=400, p=4, k=3, seed=0, apart=3.0):
    rng = np.random.default_rng(seed)
    shape = rng.normal(size=(p, p)) / np.sqrt(p)
    return rng.normal(size=(n, p)) @ shape + apart * rng.normal(size=(k, p))[np.arange(n) % k]


def assert_alike(ours, theirs, X):
    np.testing.assert_allclose(
        np.ravel(ours.lower_bounds_), np.ravel(theirs.lower_bounds_), rtol=1e-10, atol=1e-9
    )
    for name in ("weights_", "means_", "covariances_", "precisions_"):
        expected = getattr(theirs, name)
        size = np.abs(expected).max()
        np.testing.assert_allclose(getattr(ours, name), expected, atol=1e-8 * size, err_msg=name)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(400, 4, 3), (300, 9, 2), (200, 1, 2)])
def test_as_scikit_learn(form, shape):
    X = clouds(*shape)
    params = {
        "n_components": shape[2],
        "covariance_type": form,
        "init_params": "random",
        "max_iter": 12,
        "tol": 0.0,
        "random_state": 0,
    }
    ours, theirs = (m.GaussianMixture(**params).fit(X) for m in (gramian.mixture, theirs_of))
    assert_alike(ours, theirs, X)
    assert ours.bic(X) == pytest.approx(theirs.bic(X), rel=1e-10)
    assert ours.aic(X) == pytest.approx(theirs.aic(X), rel=1e-10)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("prior", BAYES)
def test_bayesian_as_scikit_learn(form, prior):
    X = clouds()
    params = {
        "n_components": 4,
        "covariance_type": form,
        "weight_concentration_prior_type": prior,
        "init_params": "random",
        "max_iter": 12,
        "tol": 0.0,
        "random_state": 0,
    }
    ours, theirs = (
        m.BayesianGaussianMixture(**params).fit(X) for m in (gramian.mixture, theirs_of)
    )
    assert_alike(ours, theirs, X)


@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random_from_data"])
@pytest.mark.parametrize("form", FORMS)
def test_starts_find_clouds_far_apart(init, form):
    if form == "tied" and init != "kmeans":
        pytest.skip("the first covariance is that of all rows about zero, as scikit-learn has it")
    X = clouds(apart=40.0)
    model = GaussianMixture(3, covariance_type=form, init_params=init, n_init=5, random_state=0)
    parts = model.fit(X).predict(X)
    assert all(len(set(parts[k::3])) == 1 for k in range(3)) and len(set(parts)) == 3
    assert model.certificate_.converged


@pytest.mark.parametrize("form", FORMS)
def test_a_given_start(form):
    X = clouds(p=3)
    precisions = {
        "full": np.tile(np.eye(3), (2, 1, 1)), "tied": np.eye(3), "diag": np.ones((2, 3)),
        "spherical": np.ones(2),
    }[form]  # fmt: skip
    params = {
        "n_components": 2,
        "covariance_type": form,
        "weights_init": [0.3, 0.7],
        "means_init": X[:2],
        "precisions_init": precisions,
        "max_iter": 5,
        "tol": 0.0,
    }
    ours, theirs = (m.GaussianMixture(**params).fit(X) for m in (gramian.mixture, theirs_of))
    assert_alike(ours, theirs, X)


def start_at(X, k, **params):
    p = X.shape[1]
    return GaussianMixture(
        k,
        weights_init=np.full(k, 1.0 / k),
        means_init=X[:k],
        precisions_init=np.tile(np.eye(p), (k, 1, 1)),
        **params,
    )


def test_weights_are_copies():
    X = clouds()
    weight = np.random.default_rng(1).integers(0, 4, len(X))
    for form in FORMS:
        models = [
            GaussianMixture(2, covariance_type=form, means_init=X[:2], tol=0.0, max_iter=6)
            for _ in range(2)
        ]
        k, p = 2, X.shape[1]
        precisions = {
            "full": np.tile(np.eye(p), (k, 1, 1)), "tied": np.eye(p), "diag": np.ones((k, p)),
            "spherical": np.ones(k),
        }[form]  # fmt: skip
        for model in models:
            model.set_params(weights_init=[0.5, 0.5], precisions_init=precisions)
        ours = models[0].fit(X, sample_weight=weight)
        copies = models[1].fit(X.repeat(weight, axis=0))
        np.testing.assert_allclose(ours.lower_bounds_, copies.lower_bounds_, rtol=1e-11)
        np.testing.assert_allclose(ours.means_, copies.means_, rtol=1e-9, atol=1e-10)


def test_threads_and_layouts_give_the_same_bits():
    X = clouds(9000, 5, 3)
    prints = set()
    for n_threads in (1, 2, 4):
        for order in "CF":
            with gramian.config(n_threads=n_threads):
                model = start_at(X, 3, max_iter=4, tol=0.0).fit(np.asarray(X, order=order))
            prints.add(model.covariances_.tobytes())
    assert len(prints) == 1


def test_single_precision_is_summed_in_double():
    X = clouds(2000).astype(np.float32)
    single = start_at(X, 3, max_iter=5, tol=0.0).fit(X)
    double = start_at(X.astype(np.float64), 3, max_iter=5, tol=0.0).fit(X.astype(np.float64))
    assert single.means_.dtype == single.covariances_.dtype == np.float32
    np.testing.assert_allclose(single.lower_bounds_, double.lower_bounds_, rtol=1e-13)


def test_ill_conditioned_densities():
    """Covariances of condition 1e6 and columns far from zero, against 50 digits."""
    rng = np.random.default_rng(2)
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    X = (rng.normal(size=(200, 4)) * [1e3, 1.0, 1.0, 1e0]) @ turn + 1e4
    model = GaussianMixture(2, random_state=0, reg_covar=0.0, max_iter=3, tol=0.0).fit(X)
    ours = model.score_samples(X[:5])
    with mpmath.workdps(50):
        for row, found in zip(X[:5], ours, strict=True):
            total = mpmath.mpf(0)
            for w, m, P in zip(
                model.weights_, model.means_, model.precisions_cholesky_, strict=True
            ):
                d = [
                    mpmath.mpf(float(a)) - mpmath.mpf(float(b)) for a, b in zip(row, m, strict=True)
                ]
                z = [sum(d[j] * mpmath.mpf(float(P[j, c])) for j in range(4)) for c in range(4)]
                log_det = sum(mpmath.log(mpmath.mpf(float(P[c, c]))) for c in range(4))
                quadratic = sum(value**2 for value in z) / 2
                constant = -2 * mpmath.log(2 * mpmath.pi) + log_det
                total += mpmath.mpf(float(w)) * mpmath.exp(constant - quadratic)
            assert abs(float(mpmath.log(total)) - found) < 1e-9 * abs(found)


def test_the_certificate_is_the_next_step():
    X = clouds()
    model = start_at(X, 3, max_iter=5, tol=0.0).fit(X)
    further = start_at(X, 3, max_iter=7, tol=0.0).fit(X)
    assert -model.certificate_.objective == pytest.approx(model.score(X), rel=1e-12)
    assert -model.certificate_.objective == pytest.approx(further.lower_bounds_[5], rel=1e-12)
    gain = further.lower_bounds_[6] - further.lower_bounds_[5]
    assert model.certificate_.details["gain"] == pytest.approx(gain, rel=1e-6)


def test_warm_start_goes_on():
    X = clouds()
    model = GaussianMixture(
        3, init_params="random", random_state=0, max_iter=3, tol=0.0, warm_start=True
    )
    model.fit(X).fit(X)
    once = GaussianMixture(3, init_params="random", random_state=0, max_iter=6, tol=0.0).fit(X)
    np.testing.assert_allclose(model.means_, once.means_, rtol=1e-10)


def test_time_limit_gives_the_best_so_far():
    X = clouds(20_000, 20, 10)
    model = GaussianMixture(10, init_params="random", random_state=0, max_iter=100_000, tol=0.0)
    began = time.monotonic()
    with gramian.config(time_limit=0.5), pytest.warns(ConvergenceWarning):
        model.fit(X)
    assert time.monotonic() - began < 5.0
    assert 1 <= model.n_iter_ < 100_000 and not model.certificate_.converged


def test_samples_follow_the_mixture():
    X = clouds(apart=10.0)
    for form in FORMS:
        model = GaussianMixture(3, covariance_type=form, random_state=0).fit(X)
        rows, parts = model.sample(20_000)
        np.testing.assert_allclose(rows.mean(axis=0), model.weights_ @ model.means_, atol=0.3)
        assert (model.predict(rows) == parts).mean() > 0.95
    with pytest.raises(ValueError, match="at least one sample"):
        model.sample(0)


def test_superfluous_components_lose_their_weight():
    X = clouds(apart=20.0)
    model = BayesianGaussianMixture(
        n_components=8, weight_concentration_prior=1e-3, random_state=0, max_iter=500
    ).fit(X)
    assert (model.weights_ > 0.01).sum() == 3


def test_choose_components():
    choice = choose_components(clouds(apart=15.0), range(1, 6))
    assert choice.best == 3 and len(choice.model.weights_) == 3
    assert "<" in str(choice).splitlines()[3]
    np.testing.assert_allclose(choice.bic[2], choice.model.bic(clouds(apart=15.0)), rtol=1e-8)
    axes = choice.plot()
    assert len(axes.lines) == 3
    with pytest.raises(ValueError, match="at least one"):
        choose_components(clouds(), [])


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_components": 500}, "n_components = 500, n_samples = 400"),
        ({"n_components": 2, "weights_init": [0.5, 0.6]}, "normalized"),
        ({"n_components": 2, "means_init": np.ones((3, 4))}, "shape of"),
        (
            {"n_components": 2, "precisions_init": -np.ones((2, 4, 4))},
            "symmetric, positive-definite",
        ),
    ],
)
def test_refusals(params, words):
    with pytest.raises(ValueError, match=words):
        GaussianMixture(**params).fit(clouds())


def test_collapsed_components_are_refused_with_the_remedy():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0)
    with pytest.raises(ValueError, match="increase reg_covar"):
        GaussianMixture(2, reg_covar=0.0, random_state=0).fit(X)


def test_a_next_step_that_would_collapse_is_named(monkeypatch):
    """The returned parameters are sound, and the certificate's own step is what fails."""
    X = clouds()
    model = start_at(X, 3, max_iter=2, tol=0.0)
    steps = []
    original = GaussianMixture._step

    def third_fails(self, given, state):
        steps.append(state)
        if len(steps) == 3:
            raise ValueError("collapsed")
        return original(self, given, state)

    monkeypatch.setattr(GaussianMixture, "_step", third_fails)
    model.fit(X)
    assert not model.certificate_.converged
    assert "collapse" in model.certificate_.statement
    assert np.isfinite(model.score(X))
