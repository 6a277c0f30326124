"""Linear support vector machines against scikit-learn's, their definitions and certificates."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal

import gramian
from gramian.datasets import load_iris, make_classification
from gramian.exceptions import ConvergenceWarning
from gramian.svm import SVC, LinearSVC

PRECISE = {"tol": 1e-9, "max_iter": 100_000, "random_state": 0}
WAYS = [
    ({}, "newton"),
    ({"dual": False}, "newton"),
    ({"dual": True}, "dual-coordinate-descent"),
    ({"loss": "hinge"}, "interior-point"),
    ({"loss": "hinge", "dual": True}, "dual-coordinate-descent"),
    ({"penalty": "l1"}, "proximal-newton"),
]


def classes(n=150, k=2, seed=0):
    X, y = make_classification(
        n, 6, n_informative=4, n_classes=k, flip_y=0.1, random_state=seed, class_sep=1.5
    )
    return X / X.std(axis=0), y


def objective(model, X, signs, price):
    """The objective of one machine, from its definition."""
    w, b = model.coef_[0], float(np.sum(model.intercept_)) / model.intercept_scaling
    slack = np.maximum(1.0 - signs * (X @ w + b * model.intercept_scaling), 0.0)
    losses = slack if model.loss == "hinge" else slack**2
    penalty = np.abs(w).sum() + abs(b) if model.penalty == "l1" else (w @ w + b * b) / 2
    return penalty + (price * losses).sum()


@pytest.mark.parametrize(("params", "way"), WAYS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("as_matrix", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_the_optimum_is_that_of_scikit_learn(params, way, n_classes, as_matrix):
    X, y = classes(k=n_classes)
    params = {"C": 0.5, "intercept_scaling": 2.0, **params}
    ours = LinearSVC(**params, **PRECISE).fit(as_matrix(X), y)
    dual = params.get("dual", False if params.get("penalty") == "l1" else "auto")
    theirs = sklearn.svm.LinearSVC(
        **{**params, "dual": dual}, tol=1e-10, max_iter=1_000_000, random_state=0
    ).fit(X, y)
    assert ours.certificate_.details["solver"] == way
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)
    assert ours.coef_.shape == theirs.coef_.shape
    assert isinstance(ours.n_iter_, int)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize(("params", "way"), WAYS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_certificates_hold(params, way, fit_intercept):
    X, y = classes(400)
    signs = 2.0 * y - 1.0
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    for tol in (1e-2, 1e-6):
        model = LinearSVC(
            C=0.3, fit_intercept=fit_intercept, tol=tol, max_iter=10_000, random_state=0, **params
        ).fit(X, y, weight)
        found = model.certificate_
        assert_allclose(found.objective, objective(model, X, signs, 0.3 * weight), rtol=1e-12)
        assert found.converged
        assert 0.0 <= found.gap <= tol
        assert_allclose(found.gap, 1.0 - found.dual_bound / found.objective, atol=1e-15)
        best = LinearSVC(
            C=0.3, fit_intercept=fit_intercept, loss=model.loss, penalty=model.penalty, tol=1e-10
        ).fit(X, y, weight)
        assert found.dual_bound <= best.certificate_.objective * (1.0 + 1e-12)
        assert best.certificate_.objective <= found.objective * (1.0 + 1e-10)


def test_hinge_is_the_limit_of_svc_without_penalty_of_the_intercept():
    X, y = classes(200)
    linear = LinearSVC(loss="hinge", intercept_scaling=1e4, **PRECISE).fit(X, y)
    kernel = SVC(kernel="linear", tol=1e-8).fit(X, y)
    assert_allclose(linear.coef_, kernel.coef_, atol=1e-3)
    assert_allclose(linear.intercept_, kernel.intercept_, atol=1e-3)


@pytest.mark.parametrize("params", [params for params, _ in WAYS])
def test_class_weights_and_row_weights(params):
    X, y = classes(150, 3)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    options = {"class_weight": {0: 2.0, 1: 0.5}, **PRECISE, **params}
    ours = LinearSVC(**options).fit(X, y, weight)
    copies = LinearSVC(**options).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(ours.coef_, copies.coef_, atol=2e-4)
    dual = False if params.get("penalty") == "l1" else "auto"
    theirs = sklearn.svm.LinearSVC(
        **{"dual": dual, **options, "tol": 1e-10, "max_iter": 1_000_000}
    ).fit(X, y, sample_weight=weight)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    balanced = LinearSVC(**{**options, "class_weight": "balanced"}).fit(X, y)
    factors = len(y) / (3 * np.bincount(y))
    by_hand = LinearSVC(**{**options, "class_weight": dict(enumerate(factors))}).fit(X, y)
    assert_array_equal(balanced.coef_, by_hand.coef_)


@pytest.mark.parametrize("params", [{}, {"loss": "hinge"}])
def test_a_class_of_weight_zero_has_no_say(params):
    X, y = classes(120, 3)
    model = LinearSVC(class_weight={0: 0.0}, **params, **PRECISE).fit(X, y)
    assert model.certificate_.converged
    assert (model.decision_function(X)[y != 0, 0] < 0).all()  # all that count are on one side
    assert np.abs(model.coef_[1:]).max() > 0.1


def test_rows_with_a_column_twice():
    X, y = classes(100)
    twice = sp.csr_matrix(
        (
            np.repeat(X.ravel() / 2, 2),
            np.repeat(np.tile(np.arange(6), 100), 2),
            np.arange(0, 1201, 12),
        ),
        shape=X.shape,
    )
    for params, _ in WAYS:
        model = LinearSVC(**params, **PRECISE)
        assert_allclose(model.fit(twice, y).coef_, model.fit(X, y).coef_, atol=1e-4)
    assert twice.nnz == 1200


def test_wide_data_go_to_dual_descent():
    X, y = make_classification(60, 300, random_state=0)
    model = LinearSVC(C=0.01, tol=1e-6).fit(X, y)
    assert model.certificate_.details["solver"] == "dual-coordinate-descent"
    other = LinearSVC(C=0.01, tol=1e-6, dual=False).fit(X, y)
    assert_allclose(model.coef_, other.coef_, atol=1e-5)
    assert model.certificate_.gap <= 1e-6


@pytest.mark.parametrize("params", [params for params, _ in WAYS])
def test_float32_is_not_copied_to_double_and_gives_the_same(params):
    X, y = classes(200, 3)
    X = X.astype(np.float32)
    single, double = (LinearSVC(**params, **PRECISE).fit(Z, y) for Z in (X, X.astype(float)))
    assert single.coef_.dtype == np.float64
    assert_allclose(single.coef_, double.coef_, atol=1e-5)


@pytest.mark.parametrize("params", [params for params, _ in WAYS])
def test_the_bits_do_not_depend_on_threads(params):
    X, y = classes(3000, 4)
    prints = set()
    for n_threads in (1, 2, 3):
        with gramian.config(n_threads=n_threads):
            model = LinearSVC(**params, random_state=0, max_iter=50_000, tol=1e-3).fit(X, y)
            prints.add(gramian.fingerprint(model))
    assert len(prints) == 1


def test_random_state_is_used_by_dual_descent():
    X, y = classes(100)
    first, again, other = (
        LinearSVC(dual=True, tol=1e-2, random_state=seed).fit(X, y).coef_ for seed in (0, 0, 1)
    )
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"penalty": "l1", "loss": "hinge"}, "penalty='l1' and loss='hinge' is not supported,"),
        ({"loss": "hinge", "dual": False}, "is not supported when dual=False"),
        ({"penalty": "l1", "dual": True}, "is not supported when dual=True"),
        ({"C": -1.0}, "C"),
        ({"intercept_scaling": 0.0}, "intercept_scaling"),
    ],
)
def test_errors_name_what_is_wrong(params, message):
    X, y = classes(20)
    with pytest.raises(ValueError, match=message):
        LinearSVC(**params).fit(X, y)


def test_too_few_iterations_warn():
    X, y = classes()
    for params, _ in WAYS:
        with pytest.warns(ConvergenceWarning, match="Liblinear failed to converge"):
            model = LinearSVC(**params, max_iter=1, tol=1e-9, random_state=0).fit(X, y)
        assert not model.certificate_.converged
        assert model.n_iter_ == 1


def test_verbose_prints_the_certificate(capsys):
    X, y = load_iris(return_X_y=True)
    model = LinearSVC(verbose=1).fit(X, y)
    assert model.certificate_.statement in capsys.readouterr().out


def test_sparse_coefficients_and_persistence(tmp_path):
    X, y = classes(200, 3)
    model = LinearSVC(penalty="l1", C=0.01).fit(X, y)
    assert 0 < (model.coef_ == 0).sum() < model.coef_.size
    scores = model.decision_function(X)
    model.sparsify()
    assert_allclose(model.decision_function(X), scores)
    gramian.save(model.densify(), tmp_path / "model")
    assert_array_equal(gramian.load(tmp_path / "model").decision_function(X), scores)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("as_matrix", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_crammer_singer(n_classes, as_matrix, fit_intercept):
    X, y = classes(k=n_classes)
    weight = np.random.default_rng(2).integers(0, 3, len(y))
    params = {
        "multi_class": "crammer_singer",
        "C": 0.5,
        "intercept_scaling": 2.0,
        "fit_intercept": fit_intercept,
        "class_weight": {0: 2.0},
        "random_state": 0,
    }
    ours = LinearSVC(**params, tol=1e-7, max_iter=100_000).fit(as_matrix(X), y, weight)
    theirs = sklearn.svm.LinearSVC(**params, tol=1e-9, max_iter=1_000_000)
    theirs.fit(X, y, sample_weight=weight)
    assert ours.coef_.shape == theirs.coef_.shape
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    assert ours.certificate_.converged
    assert 0.0 <= ours.certificate_.gap <= 1e-7
    if n_classes > 2:
        scores = ours.decision_function(X)
        own = scores[np.arange(len(y)), y].copy()
        scores += 1.0
        scores[np.arange(len(y)), y] -= 1.0
        price = 0.5 * weight * np.where(y == 0, 2.0, 1.0)
        squares = (ours.coef_**2).sum() + (np.asarray(ours.intercept_) ** 2).sum() / 4.0
        by_hand = squares / 2 + (price * (scores.max(axis=1) - own)).sum()
        assert_allclose(ours.certificate_.objective, by_hand, rtol=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("as_matrix", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_machines_in_lanes_are_those_of_one_at_a_time(loss, as_matrix, dtype):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((220, 40)) * (rng.random((220, 40)) < 0.5)).astype(dtype)
    y = (X[:, :11] + 0.3 * rng.standard_normal((220, 11))).argmax(axis=1)
    params = {"loss": loss, "dual": True, "C": 0.3, **PRECISE}
    together = LinearSVC(class_weight={3: 0.0, 4: 3.0}, **params).fit(as_matrix(X), y)
    assert together.certificate_.gap <= 1e-9
    for k, factor in ((0, 1.0), (4, 3.0), (10, 1.0)):
        alone = LinearSVC(class_weight={1: factor}, **params).fit(as_matrix(X), y == k)
        assert_allclose(together.coef_[k], alone.coef_[0], atol=2e-4)
        assert_allclose(together.intercept_[k], alone.intercept_[0], atol=2e-4)
    with gramian.config(n_threads=1):
        again = LinearSVC(class_weight={3: 0.0, 4: 3.0}, **params).fit(as_matrix(X), y)
    assert_array_equal(again.coef_, together.coef_)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_dual_descent_on_columns_of_unlike_scale_gives_way(loss):
    rng = np.random.default_rng(0)
    X = sp.random_array((400, 300), density=0.3, rng=rng, format="csr")
    y = (X @ rng.standard_normal(300) + 0.3 * rng.standard_normal(400) > 0).astype(int)
    gentle = LinearSVC(loss=loss, max_iter=2_000).fit(X, y)
    assert gentle.certificate_.details["solver"] == "dual-coordinate-descent"
    harsh = LinearSVC(loss=loss, max_iter=2_000).fit(
        X @ sp.diags_array(10.0 ** (np.arange(300) % 5)), y
    )
    assert harsh.certificate_.details["solver"] != "dual-coordinate-descent"
    for model in (gentle, harsh):
        assert model.certificate_.converged
