"""The machines with kernels against scikit-learn's, their definitions and their certificates."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal

import gramian
from gramian.datasets import load_iris, make_classification, make_regression
from gramian.exceptions import ConvergenceWarning
from gramian.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

KERNELS = ["linear", "poly", "rbf", "sigmoid"]
TIGHT = 1e-7


def classes(n=120, k=2, seed=0):
    X, y = make_classification(
        n, 6, n_informative=4, n_classes=k, flip_y=0.1, random_state=seed, class_sep=0.8
    )
    return X, y


def targets(n=120, seed=0):
    X, y = make_regression(n, 5, noise=5.0, random_state=seed)
    return X, y / y.std()


def pair(name, **params):
    return getattr(gramian.svm, name)(**params), getattr(sklearn.svm, name)(**params)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_classifiers_find_the_solution_of_scikit_learn(kernel, n_classes):
    X, y = classes(k=n_classes)
    machines = [("SVC", {"C": 0.7})]
    if kernel == "rbf":  # others do not separate the classes: the width of the margin would be 0
        machines.append(("NuSVC", {"nu": 0.3}))
    for name, extra in machines:
        ours, theirs = pair(name, kernel=kernel, tol=TIGHT, coef0=0.1, **extra)
        ours.fit(X, y)
        theirs.fit(X, y)
        # nu-machines are divided by the width of their margin, which may be small
        atol = 2e-5 if name == "SVC" else 2e-3
        assert_array_equal(ours.predict(X), theirs.predict(X))
        assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=atol)
        assert_allclose(ours.intercept_, theirs.intercept_, atol=atol)
        assert_array_equal(ours.n_support_, theirs.n_support_)
        assert_array_equal(ours.support_, theirs.support_)
        assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=10 * atol)
        assert ours.shape_fit_ == theirs.shape_fit_
        assert ours.n_iter_.shape == theirs.n_iter_.shape


@pytest.mark.parametrize("kernel", KERNELS)
def test_regressors_and_one_class_find_the_solution_of_scikit_learn(kernel):
    X, y = targets()
    machines = [("SVR", {"epsilon": 0.2, "C": 0.5})]
    if kernel == "rbf":
        machines += [("NuSVR", {"nu": 0.3}), ("OneClassSVM", {"nu": 0.2})]
    for name, extra in machines:
        ours, theirs = pair(name, kernel=kernel, tol=1e-6, **extra)
        ours.fit(X, y)
        theirs.fit(X, y)
        score = "predict" if name != "OneClassSVM" else "decision_function"
        assert_allclose(getattr(ours, score)(X), getattr(theirs, score)(X), atol=5e-5)
        assert_allclose(ours.intercept_, theirs.intercept_, atol=5e-5)
        assert_array_equal(ours.support_, theirs.support_)
        assert isinstance(ours.n_iter_, int)


@pytest.mark.parametrize("decision_function_shape", ["ovr", "ovo"])
def test_shapes_of_the_decision_function(decision_function_shape):
    X, y = load_iris(return_X_y=True)
    ours, theirs = pair("SVC", decision_function_shape=decision_function_shape, tol=TIGHT)
    expected = theirs.fit(X, y).decision_function(X)
    assert_allclose(ours.fit(X, y).decision_function(X), expected, atol=1e-5)


def test_ties_are_broken_by_the_scores():
    X, y = classes(200, 4, seed=3)
    ours, theirs = pair("SVC", break_ties=True, C=0.05)
    assert_array_equal(ours.fit(X, y).predict(X), theirs.fit(X, y).predict(X))
    with pytest.raises(ValueError, match="break_ties must be False"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_many_rows_in_working_sets(kernel):
    X, y = classes(2600)
    ours, theirs = pair("SVC", kernel=kernel, C=2.0)
    ours.fit(X, y)
    theirs.fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=5e-3, atol=5e-3)
    assert ours.certificate_.optimality <= 1e-3
    assert ours.certificate_.gap < 1e-3
    free = SVC(kernel=kernel, C=2.0, shrinking=False, cache_size=1).fit(X, y)
    assert_allclose(free.decision_function(X), theirs.decision_function(X), rtol=5e-3, atol=5e-3)


def test_many_rows_of_regression_and_of_one_class():
    X, y = targets(1500)
    for name, extra in [("SVR", {}), ("NuSVR", {"nu": 0.4}), ("OneClassSVM", {"nu": 0.1})]:
        ours, theirs = pair(name, **extra)
        score = "predict" if name != "OneClassSVM" else "decision_function"
        found, wanted = getattr(ours.fit(X, y), score)(X), getattr(theirs.fit(X, y), score)(X)
        assert_allclose(found, wanted, atol=5e-3 * np.abs(wanted).max())


def primal(model, X, y):
    """Return the objective of a linear two-class machine, from its definition."""
    slack = np.maximum(0.0, 1.0 - (2 * y - 1) * (X @ model.coef_[0] + model.intercept_))
    return 0.5 * (model.coef_**2).sum() + model.C * slack.sum()


def test_certificate_bounds_the_optimum():
    X, y = classes()
    rough, fine = (SVC(kernel="linear", tol=tol).fit(X, y) for tol in (0.5, 1e-9))
    assert_allclose(rough.certificate_.objective, primal(rough, X, y), rtol=1e-6)
    optimum = primal(fine, X, y)
    assert rough.certificate_.dual_bound <= optimum <= rough.certificate_.objective
    assert rough.certificate_.gap > fine.certificate_.gap
    assert fine.certificate_.gap < 1e-8
    for model in (NuSVC(), SVR(), NuSVR(), OneClassSVM()):
        certificate = model.set_params(tol=1e-9).fit(X, y).certificate_
        assert abs(certificate.objective - certificate.dual_bound) < 1e-6


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_weights_are_counts(name):
    X, y = classes(60)
    counts = np.random.default_rng(0).integers(0, 3, size=60)
    params = {"tol": 1e-10, **({"nu": 0.3} if "u" in name or "One" in name else {})}
    model = getattr(gramian.svm, name)(**params)
    score = "predict" if name.endswith("R") else "decision_function"
    weighted = getattr(model.fit(X, y, sample_weight=counts), score)(X)
    again = np.repeat(np.arange(60), counts)
    repeated = getattr(model.fit(X[again], y[again]), score)(X)
    assert_allclose(weighted, repeated, atol=1e-6)


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_sparse_rows(name, kernel):
    X, y = classes()
    X[np.abs(X) < 0.7] = 0.0
    model = getattr(gramian.svm, name)(kernel=kernel, tol=1e-8)
    score = "predict" if name.endswith("R") else "decision_function"
    dense = getattr(model.fit(X, y), score)(X)
    for container in (sp.csr_matrix, sp.csr_array):
        model.fit(container(X), y)
        assert sp.issparse(model.support_vectors_)
        assert sp.issparse(model.dual_coef_)
        atol = 1e-6 if name != "NuSVC" else 1e-3
        assert_allclose(getattr(model, score)(container(X)), dense, atol=atol)
        assert_allclose(getattr(model, score)(X), dense, atol=atol)
    with pytest.raises(ValueError, match="cannot use sparse input"):
        getattr(model.fit(X, y), score)(sp.csr_array(X))


def test_precomputed_and_callable_kernels():
    X, y = classes(90, 3)
    wanted = SVC(kernel="linear", tol=1e-9).fit(X, y)
    gram = X @ X.T
    given = SVC(kernel="precomputed", tol=1e-9).fit(gram, y)
    called = SVC(kernel=lambda a, b: a @ b.T, tol=1e-9).fit(X, y)
    scores = wanted.decision_function(X)
    assert_allclose(given.decision_function(gram), scores, atol=1e-6)
    assert_allclose(called.decision_function(X), scores, atol=1e-6)
    assert_array_equal(given.support_, wanted.support_)
    with pytest.raises(ValueError, match="square matrix"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="expecting 90 features"):
        given.predict(X)


def test_words_can_be_classified_by_a_kernel_of_their_own():
    words = ["aab", "aba", "abb", "xyz", "xxy", "zzy"]

    def shared_letters(a, b):
        return np.array([[len(set(v) & set(w)) for w in b] for v in a], dtype=float)

    model = SVC(kernel=shared_letters).fit(words, [0, 0, 0, 1, 1, 1])
    assert_array_equal(model.predict(["ba", "zy"]), [0, 1])


def test_too_few_steps_warn():
    X, y = classes()
    with pytest.warns(ConvergenceWarning, match="Solver terminated early"):
        model = SVC(max_iter=3).fit(X, y)
    assert model.fit_status_ == 1
    assert model.n_iter_.tolist() == [3]
    assert not model.certificate_.converged


def test_probabilities_are_those_of_platt():
    X, y = classes(300, 3)
    message = "`probability` parameter was deprecated"
    ours, theirs = pair("SVC", probability=True, random_state=0)
    with pytest.warns(FutureWarning, match=message):
        ours.fit(X, y)
    with pytest.warns(FutureWarning, match=message):
        theirs.fit(X, y)
    found, wanted = ours.predict_proba(X), theirs.predict_proba(X)
    assert_allclose(found.sum(axis=1), 1.0)
    assert np.abs(found - wanted).mean() < 0.02  # the folds are others
    assert_allclose(np.exp(ours.predict_log_proba(X)), found)
    assert not hasattr(SVC(), "predict_proba")
    with pytest.warns(FutureWarning, match="probA_"):
        assert ours.probA_.shape == (3,)


def test_infeasible_nu():
    X = np.arange(10.0)[:, None]
    with pytest.raises(ValueError, match="nu is infeasible"):
        NuSVC(nu=0.9).fit(X, [0] * 9 + [1])


def test_no_weight_at_all():
    X, y = classes()
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        SVC().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="belong to the same class"):
        SVC().fit(X, y, sample_weight=(y == 0).astype(float))
    ours, theirs = pair("SVC", tol=1e-8, gamma=0.3)
    weight = np.where(np.arange(len(y)) < 5, -1.0, 1.0)
    expected = theirs.fit(X, y, sample_weight=weight).decision_function(X)
    assert_allclose(ours.fit(X, y, sample_weight=weight).decision_function(X), expected, atol=1e-5)


def test_coef_is_read_only_and_linear_only():
    X, y = classes(90, 3)
    ours, theirs = pair("SVC", kernel="linear", tol=1e-8)
    assert_allclose(ours.fit(X, y).coef_, theirs.fit(X, y).coef_, atol=1e-5)
    with pytest.raises(ValueError, match="read-only"):
        ours.coef_[0, 0] = 1.0
    assert not hasattr(SVC().fit(X, y), "coef_")


def test_class_weight_multiplies_the_price():
    X, y = classes()
    ours, theirs = pair("SVC", class_weight={0: 3.0, 1: 0.5}, tol=1e-8)
    expected = theirs.fit(X, y).decision_function(X)
    assert_allclose(ours.fit(X, y).decision_function(X), expected, atol=1e-5)
    assert_allclose(ours.class_weight_, [3.0, 0.5])


def test_far_from_the_origin_no_digits_are_lost():
    X, y = classes(400)
    near, far = (SVC(tol=1e-6).fit(X + shift, y) for shift in (0.0, 1e5))
    assert_allclose(far.decision_function(X + 1e5), near.decision_function(X), atol=1e-4)
