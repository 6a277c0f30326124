"""Stochastic gradient descent: scikit-learn's numbers, and what holds by itself."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model as reference
from scipy import sparse

import gramian
from gramian.exceptions import ConvergenceWarning
from gramian.linear_model import Perceptron, SGDClassifier, SGDOneClassSVM, SGDRegressor
from gramian.linear_model._sgd_classifier import CLASSIFIER_LOSSES
from gramian.linear_model._sgd_regressor import REGRESSION_LOSSES

SCHEDULES = ("constant", "optimal", "invscaling", "adaptive")
PENALTIES = ("l2", "l1", "elasticnet", None)
# With long first steps these losses grow until a rounding error decides the sign of the result.
CHAOTIC = (
    "squared_error",
    "squared_hinge",
    "squared_epsilon_insensitive",
    "modified_huber",
    "huber",
)


def make_rows(n=150, p=11, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[rng.random((n, p)) < 0.4] = 0.0
    y = X @ rng.normal(size=p) + 0.3 * rng.normal(size=n)
    return X, y, rng.uniform(0.2, 2.0, n)


def targets(y):
    return {"two": np.where(y > 0, "yes", "no"), "three": np.digitize(y, [-1.0, 1.0])}


def fit_both(name, params, X, y, sample_weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = getattr(gramian.linear_model, name)(**params)
        theirs = getattr(reference, name)(**params)
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        return ours.fit(X, y, **weight), theirs.fit(X, y, **weight)


def assert_same(ours, theirs, offset="intercept_", rtol=1e-9):
    size = max(1.0, float(np.abs(theirs.coef_).max()))
    assert ours.coef_.shape == theirs.coef_.shape
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=rtol, atol=rtol * size)
    np.testing.assert_allclose(
        getattr(ours, offset), getattr(theirs, offset), rtol=rtol, atol=rtol * size
    )
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.t_ == theirs.t_


# -- against scikit-learn --------------------------------------------------------------------------


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", CLASSIFIER_LOSSES)
def test_classifier_gives_the_known_numbers(loss, penalty, container):
    X, y, weight = make_rows()
    for schedule in SCHEDULES:
        alpha = 1.0 if schedule == "optimal" and loss in CHAOTIC else 0.01
        for kind, average in (("two", False), ("three", False), ("two", 40), ("three", True)):
            params = {
                "loss": loss,
                "penalty": penalty,
                "learning_rate": schedule,
                "alpha": alpha,
                "average": average,
                "shuffle": kind == "two" and average is False,
                "max_iter": 8,
                "random_state": 3,
            }
            if kind == "three":
                params["class_weight"] = {0: 2.0, 1: 0.5}
            ours, theirs = fit_both("SGDClassifier", params, container(X), targets(y)[kind], weight)
            assert_same(ours, theirs)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", REGRESSION_LOSSES)
def test_regressor_gives_the_known_numbers(loss, penalty, container):
    X, y, weight = make_rows()
    for schedule in SCHEDULES:
        alpha = 1.0 if schedule == "optimal" and loss in CHAOTIC else 0.01
        for average in (False, True, 300):
            params = {
                "loss": loss,
                "penalty": penalty,
                "learning_rate": schedule,
                "alpha": alpha,
                "average": average,
                "shuffle": average is not True,
                "max_iter": 8,
                "random_state": 5,
            }
            ours, theirs = fit_both("SGDRegressor", params, container(X), y, weight)
            assert_same(ours, theirs)


@pytest.mark.parametrize("rate", ["pa1", "pa2"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_passive_aggressive_steps(rate, container):
    X, y, weight = make_rows()
    X[5] = 0.0  # has no direction to step along
    shared = {"learning_rate": rate, "eta0": 0.5, "random_state": 0, "max_iter": 7}
    params = {**shared, "penalty": None}
    assert_same(*fit_both("SGDClassifier", params, container(X), targets(y)["three"], weight))
    params = {**shared, "loss": "epsilon_insensitive", "average": True}
    assert_same(*fit_both("SGDRegressor", params, container(X), y, weight))


@pytest.mark.parametrize("params", [{}, {"penalty": "elasticnet"}, {"class_weight": "balanced"}])
@pytest.mark.parametrize("kind", ["two", "three"])
def test_perceptron_gives_the_known_numbers(params, kind):
    X, y, weight = make_rows()
    for container in (np.asarray, sparse.csr_matrix):
        ours, theirs = fit_both("Perceptron", params, container(X), targets(y)[kind], weight)
        assert_same(ours, theirs)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("params", [{}, {"nu": 0.1, "average": 50}, {"learning_rate": "adaptive"}])
def test_one_class_gives_the_known_numbers(params):
    X, _, weight = make_rows()
    params = {"max_iter": 12, "random_state": 1, **params}
    for container in (np.asarray, sparse.csr_array):
        ours, theirs = fit_both("SGDOneClassSVM", params, container(X), None, weight)
        assert_same(ours, theirs, "offset_")
        for method in ("predict", "decision_function", "score_samples"):
            expected = getattr(theirs, method)(X)
            np.testing.assert_allclose(getattr(ours, method)(X), expected, rtol=1e-9, atol=1e-9)


def test_stops_after_as_many_epochs():
    X, y, _ = make_rows(400)
    for params in ({}, {"tol": 1e-5}, {"n_iter_no_change": 2}, {"penalty": "l1", "alpha": 0.01}):
        ours, theirs = fit_both("SGDRegressor", {"random_state": 0, **params}, X, y)
        assert_same(ours, theirs)
        assert ours.n_iter_ < 1000


def test_partial_fit_gives_the_known_numbers():
    X, y, weight = make_rows()
    labels = targets(y)["three"]
    ours = SGDClassifier(random_state=0)
    theirs = reference.SGDClassifier(random_state=0)
    for rows in (slice(0, 50), slice(50, 90), slice(90, 150)):
        for model in (ours, theirs):
            model.partial_fit(X[rows], labels[rows], classes=[0, 1, 2], sample_weight=weight[rows])
    assert_same(ours, theirs)
    ours, theirs = SGDRegressor(random_state=0), reference.SGDRegressor(random_state=0)
    for rows in (slice(0, 50), slice(50, 150)):
        for model in (ours, theirs):
            model.partial_fit(X[rows], y[rows])
    assert_same(ours, theirs)


def test_warm_start_and_initial_values_give_the_known_numbers():
    X, y, _ = make_rows()
    labels = targets(y)["two"]
    models = [
        library.SGDClassifier(random_state=0, warm_start=True, tol=None, max_iter=3)
        for library in (gramian.linear_model, reference)
    ]
    for model in models:
        model.fit(X, labels).fit(X, labels)
    assert_same(*models)
    for model in models:
        model.set_params(warm_start=False)
        model.fit(X, labels, coef_init=np.ones((1, 11)), intercept_init=[0.5])
    assert_same(*models)


def test_probabilities():
    X, y, _ = make_rows()
    for loss in ("log_loss", "modified_huber"):
        for labels in targets(y).values():
            params = {"loss": loss, "random_state": 0, "alpha": 0.1}
            ours, theirs = fit_both("SGDClassifier", params, X, labels)
            np.testing.assert_allclose(
                ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8, atol=1e-9
            )
    labels = targets(y)["two"]
    assert not hasattr(SGDClassifier().fit(X, labels), "predict_proba")
    # Far from all classes modified Huber finds each of them impossible.
    model = SGDClassifier("modified_huber", random_state=0).fit(X, targets(y)["three"])
    model.coef_[:] = 0.0
    model.intercept_[:] = -2.0
    np.testing.assert_allclose(model.predict_proba(X[:2]), 1 / 3)


def test_float32_is_kept():
    X, y, _ = make_rows(400)
    single = SGDRegressor(random_state=0).fit(X.astype(np.float32), y)
    double = SGDRegressor(random_state=0).fit(X, y)
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, double.coef_, atol=1e-5)


# -- by themselves ---------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["C", "F", "sparse"])
def test_full_batch_is_gradient_descent(layout):
    X, y, weight = make_rows()
    alpha, eta, fit_intercept = 0.05, 0.1, layout != "sparse"  # where its steps are shorter
    coef, intercept = np.zeros(X.shape[1]), 0.0
    for _ in range(30):
        slope = weight * (X @ coef + intercept - y) / len(y)
        coef = (1 - eta * alpha) * coef - eta * X.T @ slope
        intercept -= eta * slope.sum() * fit_intercept
    model = SGDRegressor(
        batch_size="full",
        learning_rate="constant",
        eta0=eta,
        alpha=alpha,
        tol=None,
        max_iter=30,
        fit_intercept=fit_intercept,
    )
    rows = sparse.csr_array(X) if layout == "sparse" else np.asarray(X, order=layout)
    model.fit(rows, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-12)
    np.testing.assert_allclose(model.intercept_, intercept, rtol=1e-12)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_batches_step_along_the_mean_gradient(container):
    X, y, _ = make_rows(10, 9)
    params = {"learning_rate": "constant", "eta0": 0.1, "alpha": 0.01, "shuffle": False}
    model = SGDRegressor(batch_size=4, fit_intercept=False, tol=None, max_iter=2, **params)
    coef = np.zeros(X.shape[1])
    for rows in 2 * [slice(0, 4), slice(4, 8), slice(8, 10)]:
        slope = (X[rows] @ coef - y[rows]) / len(y[rows])
        coef = (1 - 0.1 * 0.01) * coef - 0.1 * X[rows].T @ slope
    np.testing.assert_allclose(model.fit(container(X), y).coef_, coef, rtol=1e-12)
    one = SGDRegressor(batch_size=1, max_iter=2, tol=None, **params).fit(container(X), y)
    assert np.abs(one.coef_ - model.coef_).max() > 1e-3


def test_bits_do_not_depend_on_threads():
    X, y, _ = make_rows(3000)
    labels = np.digitize(y, [-2.0, -1.0, 0.0, 1.0])
    for params in ({}, {"batch_size": "full", "learning_rate": "constant"}, {"average": True}):
        prints = set()
        for n_threads in (1, 2):
            with gramian.config(n_threads=n_threads):
                model = SGDClassifier(random_state=0, tol=None, max_iter=5, **params)
                prints.add(gramian.fingerprint(model.fit(X, labels)))
        assert len(prints) == 1


def test_early_stopping_judges_by_rows_it_does_not_train_on():
    X, y, _ = make_rows(500)
    labels = (y > 0).astype(int)
    model = SGDClassifier(early_stopping=True, random_state=0, validation_fraction=0.2)
    model.fit(X, labels)
    assert model.n_iter_ < 100
    assert model.score(X, labels) > 0.9
    # Of the log loss too: negative rows count as right when they are.
    model = SGDClassifier("log_loss", early_stopping=True, random_state=0, alpha=0.01)
    assert model.fit(X, labels).score(X, labels) > 0.9
    regressor = SGDRegressor(early_stopping=True, random_state=0).fit(X, y)
    assert regressor.score(X, y) > 0.9
    with pytest.raises(ValueError, match="early_stopping should be False"):
        regressor.partial_fit(X, y)
    first = model.random_state
    train, validation = next(
        gramian.model_selection.StratifiedShuffleSplit(test_size=0.1, random_state=first).split(
            X, labels
        )
    )
    changed = X.copy()
    changed[validation] *= -1.0  # as wrong as can be, but never trained on
    params = {"early_stopping": True, "random_state": 0, "tol": None, "max_iter": 4}
    again = SGDClassifier(**params).fit(changed, labels)
    np.testing.assert_array_equal(again.coef_, SGDClassifier(**params).fit(X, labels).coef_)
    assert len(train) + len(validation) == len(X)


def test_averaged_partial_fit_is_one_long_average():
    X, y, _ = make_rows()
    params = {"average": True, "shuffle": False, "learning_rate": "constant"}
    whole = SGDRegressor(tol=None, max_iter=1, **params).fit(X, y)
    parts = SGDRegressor(**params)
    for rows in (slice(0, 60), slice(60, 150)):
        parts.partial_fit(X[rows], y[rows])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-12)
    np.testing.assert_allclose(parts.intercept_, whole.intercept_, rtol=1e-12)


def test_perceptron_separates_what_can_be_separated():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X = X[np.abs(X @ [1.0, -2.0, 0.5]) > 0.3]
    labels = np.where(X @ [1.0, -2.0, 0.5] > 0, "above", "below")
    model = Perceptron(tol=None, max_iter=200).fit(X, labels)
    assert model.score(X, labels) == 1.0
    assert model.certificate_.objective == 0.0
    assert model.certificate_.optimality == 0.0
    # The length of the steps scales the coefficients and nothing else.
    longer = Perceptron(tol=None, max_iter=200, eta0=4.0).fit(X, labels)
    np.testing.assert_allclose(longer.coef_, 4.0 * model.coef_, rtol=1e-12)


# -- certificates and errors -----------------------------------------------------------------------


@pytest.mark.parametrize("penalty", PENALTIES)
def test_certificate_is_the_objective_and_its_gradient(penalty):
    X, y, weight = make_rows()
    model = SGDRegressor("huber", penalty=penalty, alpha=0.1, epsilon=0.5, random_state=0)
    model.fit(X, y, sample_weight=weight)
    certificate = model.certificate_
    share = {"l1": 1.0, "l2": 0.0, "elasticnet": 0.15}.get(penalty, 0.0)
    alpha = 0.1 if penalty else 0.0
    size = np.abs(model.predict(X) - y)
    loss = np.where(size <= 0.5, size**2 / 2, 0.5 * (size - 0.25))
    coef = model.coef_
    penalised = share * np.abs(coef).sum() + (1 - share) * (coef @ coef) / 2
    expected = np.mean(weight * loss) + alpha * penalised
    assert certificate.objective == pytest.approx(expected, rel=1e-12)
    assert certificate.converged
    assert 0.0 < certificate.optimality < 0.3
    # Steps that shorten come closer to where the gradient vanishes.
    model.set_params(tol=1e-9, max_iter=3000, learning_rate="adaptive", n_iter_no_change=2)
    closer = model.fit(X, y, sample_weight=weight).certificate_
    assert closer.converged
    assert closer.objective < certificate.objective
    assert closer.optimality < 0.5 * certificate.optimality


def test_unfinished_descents_say_so():
    X, y, _ = make_rows()
    X[:, 0] *= 1e3
    with pytest.warns(ConvergenceWarning, match=r"increasing max_iter.*very different scale"):
        model = SGDRegressor(max_iter=2, eta0=1e-9, random_state=0).fit(X, y)
    assert not model.certificate_.converged
    assert model.certificate_.details["stopped"] == "max iter"
    with gramian.config(time_limit=1e-9):
        model = SGDRegressor(eta0=1e-9, random_state=0).fit(X, y)
    assert model.n_iter_ == 1
    assert "time limit" in model.certificate_.statement
    with pytest.raises(ValueError, match=r"overflow occurred at epoch #1.*StandardScaler"):
        SGDRegressor(learning_rate="constant", max_iter=5).fit(1e200 * X, y)
    X[:, 0] *= 1e147  # clipped steps keep the coefficients finite, but not the predictions
    with pytest.raises(ValueError, match=r"overflow occurred in the losses.*StandardScaler"):
        SGDRegressor(random_state=0).fit(X, y)


def test_verbose_prints_every_epoch(capsys):
    X, y, _ = make_rows()
    SGDRegressor(verbose=1, max_iter=3, tol=None, random_state=0).fit(X, y)
    text = capsys.readouterr().out
    assert text.count("-- Epoch") == 3
    assert "T: 450, Avg. loss: " in text
    quiet = SGDRegressor(max_iter=3, tol=None, random_state=0).fit(X, y)
    assert capsys.readouterr().out == ""
    SGDClassifier(verbose=1, early_stopping=True, random_state=0).fit(X, y > 0)
    assert "Validation score" in capsys.readouterr().out
    assert quiet.n_iter_ == 3


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SGDClassifier(alpha=0), "alpha must be > 0"),
        (SGDClassifier("log_loss", learning_rate="pa1"), "only works with loss 'hinge'"),
        (SGDClassifier(learning_rate="pa1", batch_size=2), "Use batch_size=1"),
        (SGDRegressor(penalty="elasticnet", l1_ratio=None), "l1_ratio must be set"),
        (SGDRegressor(learning_rate="pa2"), "only works with loss 'epsilon_insensitive'"),
        (SGDClassifier(batch_size="half"), "batch_size"),
        (Perceptron(eta0=0.0), "eta0"),
        (SGDOneClassSVM(nu=0.0), "nu"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_parameters_that_do_not_go_together(model, message):
    X, y, _ = make_rows(20)
    with pytest.raises(ValueError, match=message):
        model.fit(X, (y > 0).astype(int))


def test_data_that_cannot_be_fitted():
    X, y, _ = make_rows(20)
    labels = (y > 0).astype(int)
    with pytest.raises(ValueError, match="class"):
        SGDClassifier().fit(X, np.ones(20))
    with pytest.raises(ValueError, match="classes must be passed"):
        SGDClassifier().partial_fit(X, labels)
    model = SGDClassifier().partial_fit(X, labels, classes=[0, 1])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, labels, classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"\[5\]"):
        model.partial_fit(X, np.where(labels == 0, 0, 5))
    with pytest.raises(ValueError, match="coef_init does not match"):
        SGDClassifier().fit(X, labels, coef_init=np.ones(3))
    with pytest.warns(FutureWarning, match="power_t"):
        SGDRegressor(power_t=-0.1, eta0=1e-4, tol=None, max_iter=2).fit(X, y)
    weight = np.zeros(20)
    weight[:2] = 1.0
    with pytest.raises(ValueError, match="weights for validation set are all zero"):
        SGDRegressor(early_stopping=True, random_state=3).fit(X, y, sample_weight=weight)
