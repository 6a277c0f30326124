"""Several classes by classifiers of two: scikit-learn's numbers, any table, model files."""

import io
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn.multiclass as sk
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Perceptron
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator

import gramian
import gramian.multiclass as ours
from gramian.base import clone
from gramian.datasets import make_classification, make_multilabel_classification
from gramian.dummy import DummyClassifier
from gramian.exceptions import InvalidParameterError, NotFittedError
from gramian.linear_model import Ridge
from gramian.model_selection import GridSearchCV

CLASSES = ("OneVsRestClassifier", "OneVsOneClassifier", "OutputCodeClassifier")
MODELS = {
    "svm": LinearSVC(random_state=0),
    "bayes": GaussianNB(),
    "discriminant": LinearDiscriminantAnalysis(),
    "regressor": SklearnRidge(),
}
NAMES = np.array(["ash", "birch", "cedar", "date"])


def rows(n_classes=4, n=120, seed=0):
    X, y = make_classification(
        n, 6, n_informative=5, n_redundant=0, n_classes=n_classes, flip_y=0.2, random_state=seed
    )
    return X, NAMES[y]


def both(name, estimator, **params):
    if name == "OutputCodeClassifier":
        params["random_state"] = 0
    return getattr(sk, name)(estimator, **params), getattr(ours, name)(clone(estimator), **params)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", CLASSES)
def test_same_as_scikit_learn(name, model, n_classes):
    if name == "OutputCodeClassifier" and model == "regressor":
        pytest.skip("needs scores of a classifier")
    X, y = rows(n_classes)
    theirs, mine = (m.fit(X, y) for m in both(name, MODELS[model]))
    new = X + 0.3
    assert mine.n_classes_ == n_classes
    np.testing.assert_array_equal(mine.classes_, theirs.classes_)
    np.testing.assert_array_equal(mine.predict(new), theirs.predict(new))
    assert mine.score(X, y) == theirs.score(X, y)
    for method in ("decision_function", "predict_proba"):
        assert hasattr(mine, method) == hasattr(theirs, method)
        if hasattr(mine, method):
            expected = getattr(theirs, method)(new)
            np.testing.assert_allclose(getattr(mine, method)(new), expected, rtol=1e-10)
    assert mine.n_features_in_ == 6


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("model", ["svm", "bayes", "discriminant"])
def test_several_labels_of_a_row(model, as_sparse):
    X, Y = make_multilabel_classification(80, 5, n_classes=4, random_state=3)
    Y[:, 0], Y[:, 1] = 1, 0  # labels that all rows, or none, have
    target = scipy.sparse.csr_matrix(Y) if as_sparse else Y
    found = []
    for estimator in both("OneVsRestClassifier", MODELS[model]):
        with pytest.warns(UserWarning, match="is present in all training examples") as caught:
            estimator.fit(X, target)
        found.append(sorted(str(w.message) for w in caught))
    theirs, mine = found
    assert mine == theirs


def test_several_labels_predicted():
    X, Y = make_multilabel_classification(100, 6, n_classes=3, random_state=1)
    theirs, mine = (m.fit(X, Y) for m in both("OneVsRestClassifier", MODELS["discriminant"]))
    assert mine.multilabel_
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_allclose(mine.decision_function(X), theirs.decision_function(X))
    sparse = clone(mine).fit(X, scipy.sparse.csr_matrix(Y)).predict(X)
    assert scipy.sparse.issparse(sparse)
    np.testing.assert_array_equal(sparse.toarray(), theirs.predict(X))


@pytest.mark.parametrize("name", CLASSES[:2])
def test_fitted_in_parts(name):
    X, y = rows(3)
    theirs, mine = both(name, Perceptron(random_state=0))
    codes = np.searchsorted(NAMES, y)  # theirs cannot do pairs of text
    for start in (0, 40, 80):
        part = slice(start, start + 40)
        theirs.partial_fit(X[part], codes[part], range(3) if start == 0 else None)
        mine.partial_fit(X[part], y[part], NAMES[:3] if start == 0 else None)
    np.testing.assert_array_equal(mine.predict(X), NAMES[theirs.predict(X)])
    with pytest.raises(ValueError, match="must be subset of"):
        mine.partial_fit(X[:2], ["oak", "ash"])
    with pytest.raises(ValueError, match="not the same as on last call"):
        mine.partial_fit(X[:2], y[:2], ["oak", "ash"])
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        clone(mine).partial_fit(X, y)
    assert not hasattr(getattr(ours, name)(SVC()), "partial_fit")


def test_pairs_without_rows_are_left_alone():
    X, y = rows(3)
    mine = ours.OneVsOneClassifier(Perceptron(random_state=0))
    first = y != "cedar"
    mine.partial_fit(X[first], y[first], NAMES[:3])
    untouched = [hasattr(part, "coef_") for part in mine.estimators_]
    assert untouched == [True, True, True]
    only = y == "ash"
    before = mine.estimators_[2].coef_.copy()
    mine.partial_fit(X[only], y[only])
    np.testing.assert_array_equal(mine.estimators_[2].coef_, before)


def test_votes_win_over_sums_and_sums_break_ties():
    """Three classes in a circle: each wins one pair, so the scores decide."""
    X, y = rows(3)
    mine = ours.OneVsOneClassifier(LinearSVC(random_state=0)).fit(X, y)
    scores = mine.decision_function(X)
    votes = np.round(scores)
    assert np.abs(scores - votes).max() < 1 / 3
    np.testing.assert_array_equal(votes.sum(axis=1), 3)


@pytest.mark.parametrize("name", CLASSES[:2])
def test_kernel_matrices(name):
    X, y = rows(3)
    kernel = X @ X.T
    theirs, mine = (m.fit(kernel, y) for m in both(name, SVC(kernel="precomputed")))
    assert mine._tags().pairwise
    np.testing.assert_array_equal(mine.predict(kernel), theirs.predict(kernel))
    plain = getattr(ours, name)(SVC(kernel="linear")).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), mine.predict(kernel))


@pytest.mark.parametrize("container", [scipy.sparse.csr_matrix, scipy.sparse.csc_array])
@pytest.mark.parametrize("name", CLASSES)
def test_sparse_features(name, container):
    X, y = rows(3)
    X[np.abs(X) < 0.5] = 0.0
    _, mine = both(name, LinearSVC(random_state=0))
    dense = clone(mine).fit(X, y).predict(X)
    np.testing.assert_array_equal(mine.fit(container(X), y).predict(container(X)), dense)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", CLASSES[:2])
def test_any_table(name, library):
    X, y = rows(3)
    columns = {f"x{j}": X[:, j] for j in range(6)} | {"wood": np.where(X[:, 0] > 0, "hard", "soft")}
    table = library(columns)
    mine = getattr(ours, name)(Ridge()).fit(table, y)
    assert mine.feature_names_in_.tolist() == [*columns]
    reordered = library(dict(reversed(columns.items())))
    np.testing.assert_array_equal(mine.predict(reordered), mine.predict(table))
    assert mine.score(table, y) > 0.4


@pytest.mark.parametrize("name", CLASSES)
def test_model_files(name):
    X, y = rows(3)
    _, mine = both(name, DummyClassifier(strategy="prior"))
    mine.fit(X, y)
    file = io.BytesIO()
    gramian.save(mine, file)
    again = gramian.load(file)
    np.testing.assert_array_equal(again.predict(X), mine.predict(X))
    assert gramian.fingerprint(again) == gramian.fingerprint(mine)


def test_model_files_hold_constants():
    X, Y = make_multilabel_classification(30, 4, n_classes=3, random_state=0)
    Y[:, 2] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = ours.OneVsRestClassifier(DummyClassifier(strategy="prior")).fit(X, Y)
    file = io.BytesIO()
    gramian.save(mine, file)
    again = gramian.load(file)
    np.testing.assert_array_equal(again.predict(X)[:, 2], 1)
    np.testing.assert_array_equal(again.predict_proba(X), mine.predict_proba(X))


@pytest.mark.parametrize("name", CLASSES)
def test_weights_are_routed(name):
    X, y = rows(3)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    with gramian.config_context(enable_metadata_routing=True):
        mine = both(name, DummyClassifier().set_fit_request(sample_weight=True))[1]
        mine.fit(X, y, sample_weight=weight)
        copies = clone(mine).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_array_equal(mine.predict(X), copies.predict(X))
    for part, other in zip(mine.estimators_, copies.estimators_, strict=True):
        if isinstance(part, DummyClassifier):
            np.testing.assert_allclose(part.class_prior_, other.class_prior_)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        mine.fit(X, y, sample_weight=weight)


def test_workers_and_searches():
    X, y = rows(3)
    alone, shared = (ours.OneVsRestClassifier(GaussianNB(), n_jobs=n) for n in (None, 2))
    with joblib.parallel_config("threading"):
        np.testing.assert_array_equal(shared.fit(X, y).predict(X), alone.fit(X, y).predict(X))
    search = GridSearchCV(alone, {"estimator__var_smoothing": [1e-9, 10.0]}, cv=2).fit(X, y)
    assert search.best_params_ == {"estimator__var_smoothing": 1e-9}


def test_what_cannot_work():
    X, y = rows(3)
    with pytest.raises(TypeError, match="estimator"):
        ours.OneVsRestClassifier()
    with pytest.raises(InvalidParameterError, match="estimator"):
        ours.OneVsRestClassifier(3).fit(X, y)
    with pytest.raises(InvalidParameterError, match="code_size"):
        ours.OutputCodeClassifier(GaussianNB(), code_size=0.0).fit(X, y)
    with pytest.raises(InvalidParameterError, match="estimator"):
        ours.OutputCodeClassifier(Ridge()).fit(X, y)
    with pytest.raises(ValueError, match=r"code_size=0\.1 gives no digit for 3 classes"):
        ours.OutputCodeClassifier(GaussianNB(), code_size=0.1).fit(X, y)
    with pytest.raises(ValueError, match="only one class"):
        ours.OneVsOneClassifier(GaussianNB()).fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="Unknown label type"):
        ours.OneVsOneClassifier(GaussianNB()).fit(X, X[:, 0])
    with pytest.raises(NotFittedError):
        ours.OneVsRestClassifier(GaussianNB()).predict(X)
    with pytest.raises(ValueError, match="expecting 6 features"):
        ours.OneVsOneClassifier(GaussianNB()).fit(X, y).predict(X[:, :2])


def test_one_class_alone():
    X = np.zeros((4, 1))
    for model in both("OneVsRestClassifier", GaussianNB()):
        with pytest.warns(UserWarning, match="is present in all training examples"):
            model.fit(X, ["ash"] * 4)
        assert model.predict(X).tolist() == ["ash"] * 4


@pytest.mark.filterwarnings("ignore:Label not .* is present in all:UserWarning")
@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit:UserWarning")
@pytest.mark.parametrize("name", CLASSES)
def test_estimator_checks(name):
    estimator = both(name, LinearDiscriminantAnalysis())[1]
    failed = {"check_dataframe_column_names_consistency": "columns are matched by name"}
    check_estimator(
        estimator, expected_failed_checks=failed if "VsOne" in name else None, on_skip=None
    )
