"""Several targets by estimators of one: scikit-learn's numbers, any table, model files."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn.multioutput as sk
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

import gramian
import gramian.multioutput as ours
from gramian.base import clone
from gramian.datasets import make_multilabel_classification, make_regression
from gramian.dummy import DummyClassifier
from gramian.exceptions import InvalidParameterError, NotFittedError
from gramian.linear_model import Ridge
from gramian.model_selection import KFold

REGRESSORS = ("MultiOutputRegressor", "RegressorChain")
CLASSIFIERS = ("MultiOutputClassifier", "ClassifierChain")


def numbers(n=60, seed=0):
    return make_regression(n, 4, n_targets=3, noise=20.0, random_state=seed)


def labels(n=80, seed=0):
    return make_multilabel_classification(n, 5, n_classes=3, random_state=seed)


def both(name, estimator, **params):
    return getattr(sk, name)(estimator, **params), getattr(ours, name)(clone(estimator), **params)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors_as_scikit_learn(name):
    X, Y = numbers()
    model = GradientBoostingRegressor(n_estimators=5, random_state=0)
    theirs, mine = (m.fit(X, Y) for m in both(name, model))
    np.testing.assert_allclose(mine.predict(X), theirs.predict(X), rtol=1e-12)
    assert mine.score(X, Y) == pytest.approx(theirs.score(X, Y), rel=1e-12)
    assert len(mine.estimators_) == 3
    assert mine.n_features_in_ == 4


@pytest.mark.parametrize("name", REGRESSORS)
def test_weights_as_copies(name):
    X, Y = numbers()
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    model = getattr(ours, name)(Ridge())
    weighted = clone(model).fit(X, Y, sample_weight=weight).predict(X)
    copies = model.fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0)).predict(X)
    np.testing.assert_allclose(weighted, copies, rtol=1e-9)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), GaussianNB(), LinearSVC(random_state=0)]
)
def test_classifiers_as_scikit_learn(name, model):
    X, Y = labels()
    theirs, mine = (m.fit(X, Y) for m in both(name, model))
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    assert mine.score(X, Y) == theirs.score(X, Y)
    for method in ("predict_proba", "decision_function"):
        assert hasattr(mine, method) == hasattr(theirs, method)
        if hasattr(mine, method):
            np.testing.assert_allclose(getattr(mine, method)(X), getattr(theirs, method)(X))
    for found, expected in zip(mine.classes_, theirs.classes_, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "decision_function"]
)
@pytest.mark.parametrize("cv", [None, 3, KFold(4)])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_chain_methods(method, cv, as_sparse):
    X, Y = labels()
    data = scipy.sparse.csr_array(X) if as_sparse else X
    params = {"order": [2, 0, 1], "cv": cv, "chain_method": method}
    # The scores of this classifier are exact; an iterative one would stop elsewhere.
    model = GaussianNB() if method != "decision_function" and not as_sparse else Linear()
    if as_sparse and method.endswith("proba"):
        pytest.skip("the exact classifier has no probabilities")
    theirs, mine = (m.fit(data, Y) for m in both("ClassifierChain", model, **params))
    np.testing.assert_array_equal(mine.predict(data), theirs.predict(data))
    assert mine.chain_method_ == method
    np.testing.assert_array_equal(mine.order_, [2, 0, 1])
    output = "decision_function" if isinstance(model, Linear) else "predict_proba"
    expected = getattr(theirs, output)(data)
    np.testing.assert_allclose(getattr(mine, output)(data), expected, rtol=1e-7, atol=1e-10)


class Linear(SklearnRidge):
    """A classifier of zeros and ones with an exact fit."""

    _estimator_type = "classifier"

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return super().fit(X, y)

    def decision_function(self, X):
        return super().predict(X) - 0.5

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags


@pytest.mark.parametrize("cv", [None, 4])
def test_regressor_chain_with_held_out_predictions(cv):
    X, Y = numbers()
    params = {"order": "random", "random_state": 3, "cv": cv}
    theirs, mine = (m.fit(X, Y) for m in both("RegressorChain", SklearnRidge(), **params))
    np.testing.assert_array_equal(mine.order_, theirs.order_)
    np.testing.assert_allclose(mine.predict(X), theirs.predict(X), rtol=1e-9)


def test_chain_sees_the_targets_before():
    """The second target is the first one, which the features do not tell."""
    rng = np.random.default_rng(0)
    X, first = rng.normal(size=(50, 2)), rng.normal(size=50)
    chain = ours.RegressorChain(Ridge(alpha=1e-8)).fit(X, np.column_stack([first, 3 * first]))
    np.testing.assert_allclose(chain.estimators_[1].coef_, [0, 0, 3], atol=1e-6)
    np.testing.assert_allclose(chain.predict(X)[:, 1], 3 * chain.predict(X)[:, 0], atol=1e-5)


def test_verbose_chain_prints_its_steps(capsys):
    X, Y = numbers()
    ours.RegressorChain(Ridge(), order=[1, 0, 2], verbose=True).fit(X, Y)
    printed = capsys.readouterr().out
    assert "[Chain]" in printed
    assert "(1 of 3) Processing order 1, total=" in printed


def test_fitted_in_parts():
    X, Y = numbers()
    theirs, mine = both("MultiOutputRegressor", SGDRegressor(random_state=0))
    weight = np.linspace(1, 2, 30)
    for part in (slice(0, 30), slice(30, 60)):
        theirs.partial_fit(X[part], Y[part], sample_weight=weight)
        assert mine.partial_fit(X[part], Y[part], sample_weight=weight) is mine
    np.testing.assert_allclose(mine.predict(X), theirs.predict(X))
    with pytest.raises(ValueError, match="was fitted to 3"):
        mine.partial_fit(X, Y[:, :2])
    assert not hasattr(ours.MultiOutputRegressor(Ridge()), "partial_fit")


def test_classifiers_fitted_in_parts():
    X, Y = labels()
    theirs, mine = both("MultiOutputClassifier", SGDClassifier(random_state=0))
    classes = [np.unique(column) for column in Y.T]
    for part in (slice(0, 40), slice(40, 80)):
        theirs.partial_fit(X[part], Y[part], classes=classes)
        mine.partial_fit(X[part], Y[part], classes=classes)
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    assert [c.tolist() for c in mine.classes_] == [[0, 1]] * 3


def test_targets_of_text_and_many_classes():
    X, _ = labels()
    Y = np.column_stack([np.resize(["a", "b", "c"], 80), np.resize(["u", "v"], 80)])
    theirs, mine = (m.fit(X, Y) for m in both("MultiOutputClassifier", GaussianNB()))
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    for found, expected in zip(mine.predict_proba(X), theirs.predict_proba(X), strict=True):
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", REGRESSORS)
def test_any_table(name, library):
    X, Y = numbers()
    columns = {f"x{j}": X[:, j] for j in range(4)} | {"wood": np.where(X[:, 0] > 0, "hard", "soft")}
    table = library(columns)
    mine = getattr(ours, name)(Ridge()).fit(table, Y)
    assert mine.feature_names_in_.tolist() == [*columns]
    reordered = library(dict(reversed(columns.items())))
    np.testing.assert_allclose(mine.predict(reordered), mine.predict(table))
    assert mine.score(table, Y) > 0.5


@pytest.mark.parametrize("name", [*REGRESSORS, *CLASSIFIERS])
def test_model_files(name):
    X, Y = labels() if name in CLASSIFIERS else numbers()
    estimator = DummyClassifier() if name in CLASSIFIERS else Ridge()
    mine = getattr(ours, name)(estimator).fit(X, Y)
    file = io.BytesIO()
    gramian.save(mine, file)
    again = gramian.load(file)
    np.testing.assert_array_equal(again.predict(X), mine.predict(X))
    assert gramian.fingerprint(again) == gramian.fingerprint(mine)


@pytest.mark.parametrize("name", [*REGRESSORS, *CLASSIFIERS])
def test_weights_are_routed(name):
    X, Y = labels() if name in CLASSIFIERS else numbers()
    weight = np.linspace(1, 5, len(X))
    make = getattr(ours, name)
    with gramian.config_context(enable_metadata_routing=True):
        inner = DummyClassifier(strategy="prior") if name in CLASSIFIERS else Ridge()
        mine = make(clone(inner).set_fit_request(sample_weight=True))
        mine.fit(X, Y, sample_weight=weight)
        alone = clone(inner).fit(X, Y[:, 0], sample_weight=weight)
        np.testing.assert_allclose(mine.predict(X)[:, 0], alone.predict(X))
        refusing = make(clone(inner).set_fit_request(sample_weight=False))
        with pytest.raises(TypeError, match="not routed to any object"):
            refusing.fit(X, Y, sample_weight=weight)


def test_workers():
    X, Y = numbers()
    one, two = ours.MultiOutputRegressor(Ridge()), ours.MultiOutputRegressor(Ridge(), n_jobs=2)
    np.testing.assert_array_equal(one.fit(X, Y).predict(X), two.fit(X, Y).predict(X))


def test_what_cannot_work():
    X, Y = labels()
    with pytest.raises(TypeError, match="estimator"):
        ours.RegressorChain()
    with pytest.raises(ValueError, match="at least two dimensions"):
        ours.MultiOutputRegressor(Ridge()).fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="Unknown label type"):
        ours.MultiOutputClassifier(GaussianNB()).fit(X, X[:, :2] / 3)
    with pytest.raises(ValueError, match="two dimensions"):
        ours.RegressorChain(Ridge()).fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="invalid order"):
        ours.RegressorChain(Ridge(), order=[0, 0, 1]).fit(X, Y)
    with pytest.raises(InvalidParameterError, match="order"):
        ours.RegressorChain(Ridge(), order="reverse").fit(X, Y)
    with pytest.raises(AttributeError, match="has none of the following attributes"):
        ours.ClassifierChain(GaussianNB(), chain_method="decision_function").fit(X, Y)
    with pytest.raises(ValueError, match="one number for each row"):
        many = np.column_stack([np.arange(80) % 3, Y[:, 0]])
        ours.ClassifierChain(GaussianNB()).fit(X, many).predict_proba(X)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        ours.ClassifierChain(GaussianNB()).fit(X, Y, sample_weight=np.ones(80))
    with pytest.raises(NotFittedError):
        ours.MultiOutputRegressor(Ridge()).predict(X)


def test_weights_that_nobody_takes():
    from sklearn.neighbors import KNeighborsRegressor

    X, Y = numbers()
    with pytest.raises(ValueError, match="does not support sample weights"):
        ours.MultiOutputRegressor(KNeighborsRegressor()).fit(X, Y, sample_weight=np.ones(60))


def test_score_needs_all_targets():
    X, Y = labels()
    mine = ours.MultiOutputClassifier(GaussianNB()).fit(X, Y)
    right = (mine.predict(X) == Y).all(axis=1).mean()
    assert mine.score(X, Y.tolist()) == right
    with pytest.raises(ValueError, match="only one"):
        mine.score(X, Y[:, 0])
    with pytest.raises(ValueError, match="should be same"):
        mine.score(X, Y[:, :2])


@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit:UserWarning")
@pytest.mark.parametrize(
    "estimator",
    [
        ours.MultiOutputRegressor(SklearnRidge()),
        ours.RegressorChain(SklearnRidge()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_estimator_checks(estimator):
    failed = {"check_dataframe_column_names_consistency": "columns are matched by name"}
    check_estimator(
        estimator,
        expected_failed_checks=failed if isinstance(estimator, ours.RegressorChain) else None,
        on_skip=None,
    )
