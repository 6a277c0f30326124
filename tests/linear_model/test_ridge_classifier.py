"""RidgeClassifier, RidgeClassifierCV and ridge_regression against scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import RidgeClassifier as Reference
from sklearn.linear_model import RidgeClassifierCV as ReferenceCV
from sklearn.linear_model import ridge_regression as reference_regression

from gramian.exceptions import ConvergenceWarning
from gramian.linear_model import Ridge, RidgeClassifier, RidgeClassifierCV, ridge_regression
from gramian.model_selection import GridSearchCV

ALPHAS = np.logspace(-3, 3, 15)


def make(n_classes, n=90, p=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    codes = (X[:, 0] + 0.7 * rng.normal(size=n)).argsort().argsort() * n_classes // n
    return X, np.array(["ash", "birch", "cedar", "dogwood"])[codes], rng.uniform(0.5, 2, size=n)


def make_labels(n=80, p=4):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, p))
    return X, (X[:, :3] + 0.5 * rng.normal(size=(n, 3)) > 0.3).astype(int)


@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("class_weight", [None, {"ash": 3.0}, "balanced"], ids=str)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_same_as_scikit_learn(n_classes, weighted, class_weight, fit_intercept):
    X, y, weight = make(n_classes)
    weight = weight if weighted and class_weight != "balanced" else None
    options = {"alpha": 0.3, "class_weight": class_weight, "fit_intercept": fit_intercept}
    ours = RidgeClassifier(**options).fit(X, y, weight)
    theirs = Reference(**options).fit(X, y, weight)
    assert ours.coef_.shape == theirs.coef_.shape
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-12)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10, atol=1e-12)
    assert_array_equal(ours.classes_, theirs.classes_)
    if n_classes > 1 or fit_intercept:  # otherwise scikit-learn looks for a second class
        assert_array_equal(ours.predict(X), theirs.predict(X))
    assert set(ours.predict(X)) <= set(y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-10)
    assert ours.certificate_.converged


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, {"ash": 3.0}], ids=str)
def test_leave_one_out_is_as_in_scikit_learn(n_classes, class_weight):
    X, y, weight = make(n_classes)
    options = {"class_weight": class_weight, "store_cv_results": True}
    ours = RidgeClassifierCV(ALPHAS, **options).fit(X, y, weight)
    theirs = ReferenceCV(ALPHAS, **options).fit(X, y, weight)
    assert ours.alpha_ == theirs.alpha_
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-10)
    assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-8, atol=1e-10)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_leave_one_out_accuracy_is_that_of_refits(n_classes):
    # scikit-learn 1.9 compares columns of targets, which with two classes are always right
    X, y, _ = make(n_classes, n=40)
    model = RidgeClassifierCV(ALPHAS, scoring="accuracy").fit(X, y)
    hits = []
    for alpha in ALPHAS:
        rest = [np.arange(40) != i for i in range(40)]
        found = [RidgeClassifier(alpha).fit(X[r], y[r]).predict(X[~r])[0] for r in rest]
        hits.append(np.mean(np.array(found) == y))
    assert_allclose(model.best_score_, max(hits))
    assert model.alpha_ == ALPHAS[int(np.argmax(hits))]
    assert max(hits) < 1.0


def test_leave_one_out_scores_of_rows():
    X, y, _ = make(2)
    model = RidgeClassifierCV(ALPHAS, scoring="roc_auc").fit(X, y)
    assert 0.5 < model.best_score_ < 1.0


@pytest.mark.parametrize("options", [{}, {"cv": 4}, {"class_weight": "balanced"}], ids=str)
def test_several_labels_as_in_scikit_learn(options):
    X, Y = make_labels()
    pairs = [(RidgeClassifierCV(ALPHAS, **options), ReferenceCV(ALPHAS, **options))]
    if "cv" not in options:
        pairs.append((RidgeClassifier(**options), Reference(**options)))
    for ours, theirs in pairs:
        ours.fit(X, Y)
        theirs.fit(X, Y)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
        assert_array_equal(ours.predict(X), theirs.predict(X))
        assert ours.predict(X).dtype == theirs.predict(X).dtype
        assert_array_equal(ours.classes_, theirs.classes_)
    with pytest.raises(ValueError, match="class_weight must be 'balanced'"):
        RidgeClassifier(class_weight={0: 2.0}).fit(X, Y)


def test_other_splits_are_a_grid_search():
    X, y, weight = make(3)
    ours = RidgeClassifierCV(ALPHAS, cv=4).fit(X, y, weight)
    theirs = ReferenceCV(ALPHAS, cv=4).fit(X, y, weight)
    assert ours.alpha_ == theirs.alpha_
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-10)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    search = GridSearchCV(RidgeClassifier(), {"alpha": ALPHAS}, cv=4).fit(X, y)
    assert_array_equal(search.predict(X), search.best_estimator_.predict(X))
    single = RidgeClassifier(search.best_params_["alpha"]).fit(X, y)
    assert_allclose(search.best_estimator_.coef_, single.coef_, rtol=1e-10)


def test_balanced_counts_weights_as_copies():
    X, y, _ = make(3)
    counts = np.random.default_rng(4).integers(1, 4, size=len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    weighted = RidgeClassifier(class_weight="balanced").fit(X, y, counts)
    copied = RidgeClassifier(class_weight="balanced").fit(X[rows], y[rows])
    assert_allclose(weighted.coef_, copied.coef_, rtol=1e-10)


@pytest.mark.parametrize("model", [RidgeClassifier(), RidgeClassifierCV()], ids=str)
def test_targets_that_are_no_classes_are_refused(model):
    X, y, _ = make(2)
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(X, X[:, 0])
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(X, np.arange(180).reshape(90, 2))
    with pytest.raises(ValueError, match="class_weight"):
        type(model)(class_weight="even").fit(X, y)


@pytest.mark.parametrize("t", [None, 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "lsqr", "sparse_cg"])
def test_ridge_regression_as_in_scikit_learn(t, weighted, solver):
    X, _, weight = make(2)
    rng = np.random.default_rng(5)
    y = 4.0 + rng.normal(size=(90, t) if t else 90)
    options = {"solver": solver, "tol": 1e-12, "sample_weight": weight if weighted else None}
    ours = ridge_regression(X, y, [0.5, 2.0] if t else 0.5, **options)
    theirs = reference_regression(X, y, [0.5, 2.0] if t else 0.5, **options)
    assert ours.shape == theirs.shape
    assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10)


def test_ridge_regression_returns_what_is_asked_for(capsys):
    X, _, _ = make(2)
    y = X @ np.arange(5.0) + 3.0
    coef, intercept = ridge_regression(sp.csr_array(X), y, 0.1, return_intercept=True)
    ridge = Ridge(0.1).fit(X, y)
    assert_allclose(coef, ridge.coef_, rtol=1e-9)
    assert_allclose(intercept, ridge.intercept_, rtol=1e-9)
    assert ridge_regression(X, y, 1.0, return_n_iter=True)[1] is None
    found = ridge_regression(
        X, y, 1.0, solver="sag", return_n_iter=True, return_intercept=True, random_state=0
    )
    assert len(found) == 3
    assert found[1].shape == (1,)
    assert capsys.readouterr().out == ""
    with pytest.warns(ConvergenceWarning, match="sparse_cg did not converge after [0-9]+ iter"):
        ridge_regression(X, y, 1.0, solver="sparse_cg", tol=0.0, verbose=1)
    assert "gradient" in capsys.readouterr().out
    assert (ridge_regression(X, -y, 1.0, positive=True) >= 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "svd", "positive": True}, "only 'lbfgs' solver can be used"),
        ({"solver": "svd", "return_intercept": True}, "only 'sag' solver"),
        ({"positive": True, "return_intercept": True}, "only 'sag' solver"),
        ({"solver": "lbfgs"}, "only when positive=True"),
        ({"solver": "qr"}, "solver"),
        ({"alpha": [1.0, 2.0]}, "penalties do not correspond"),
    ],
    ids=str,
)
def test_ridge_regression_refuses(options, message):
    X, _, _ = make(2)
    with pytest.raises(ValueError, match=message):
        ridge_regression(X, X[:, 0], **{"alpha": 1.0, **options})


def test_ridge_regression_unchecked():
    with pytest.raises(ValueError, match="NaN"):
        ridge_regression([[1.0], [np.nan]], [1.0, 2.0], 1.0)
