"""Selectors that ask a model, against scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn import feature_selection as sk
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import Lasso, LogisticRegression, SGDClassifier
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline

import gramian
from gramian.exceptions import InvalidParameterError, NotFittedError
from gramian.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
from gramian.linear_model import Ridge

RNG = np.random.default_rng(3)
X = RNG.standard_normal((80, 7))
Y = X @ [3.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.5] + 0.5 * RNG.standard_normal(80)
LABELS = np.array(["a", "b", "c"])[np.digitize(Y, [-1.5, 1.5])]


def forest():
    return RandomForestClassifier(10, random_state=0)


# -- from a model ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threshold": "median"},
        {"threshold": "1.25*mean"},
        {"threshold": 0.5},
        {"max_features": 2},
        {"max_features": lambda X: X.shape[1] // 2, "threshold": -np.inf},
        {"max_features": 0},
        {"norm_order": 2},
        {"norm_order": np.inf},
        {"importance_getter": "coef_"},
        {"importance_getter": lambda model: np.abs(model.coef_) ** 2},
    ],
)
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
def test_from_model(options):
    cases = [(LogisticRegression(), LABELS), (SklearnRidge(), Y), (SklearnRidge(), np.c_[Y, X])]
    for model, y in [*cases, (Lasso(0.1), Y)]:
        theirs = sk.SelectFromModel(model, **options).fit(X, y)
        ours = SelectFromModel(model, **options).fit(X, y)
        np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
        np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
        assert ours.threshold_ == pytest.approx(theirs.threshold_)
    matrix = sparse.csr_matrix(X)
    ours = SelectFromModel(Ridge(), **options).fit(matrix, Y)
    expected = sk.SelectFromModel(SklearnRidge(), **options).fit(X, Y).transform(X)
    np.testing.assert_allclose(np.asarray(ours.transform(matrix).sum(0)).ravel(), expected.sum(0))


def test_from_forest_and_partial_fit():
    ours = SelectFromModel(forest()).fit(X, LABELS)
    theirs = sk.SelectFromModel(forest()).fit(X, LABELS)
    np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
    assert not hasattr(ours, "partial_fit")
    model = SGDClassifier(random_state=0, shuffle=False)
    ours, theirs = SelectFromModel(model), sk.SelectFromModel(model)
    for part in (slice(40), slice(40, None)):
        for selector in (ours, theirs):
            selector.partial_fit(X[part], LABELS[part], classes=["a", "b", "c"])
    np.testing.assert_array_equal(ours.estimator_.coef_, theirs.estimator_.coef_)
    np.testing.assert_array_equal(ours.get_support(), theirs.get_support())


def test_prefit():
    model = SklearnRidge().fit(X, Y)
    ours, theirs = SelectFromModel(model, prefit=True), sk.SelectFromModel(model, prefit=True)
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
    np.testing.assert_array_equal(ours.fit(X).transform(X), theirs.transform(X))
    with pytest.raises(NotFittedError, match="expected to be a fitted estimator"):
        SelectFromModel(SklearnRidge(), prefit=True).transform(X)
    with pytest.raises(NotFittedError, match="call `fit` before"):
        SelectFromModel(model, prefit=True, max_features=len).transform(X)
    with pytest.raises(ValueError, match="X has 3 features"):
        SelectFromModel(model, prefit=True).transform(X[:, :3])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"threshold": "gobbledigook"}, ValueError),
        ({"threshold": "2*max"}, ValueError),
        ({"max_features": -1}, InvalidParameterError),
        ({"max_features": lambda X: 1.5}, TypeError),
        ({"max_features": lambda X: -1}, ValueError),
        ({"norm_order": 0}, InvalidParameterError),
        ({"importance_getter": "nothing_"}, AttributeError),
    ],
)
def test_from_model_errors(options, error):
    with pytest.raises(error):
        SelectFromModel(Ridge(), **options).fit(X, Y).transform(X)
    with pytest.raises((ValueError, TypeError, AttributeError)):
        sk.SelectFromModel(SklearnRidge(), **options).fit(X, Y).transform(X)
    with pytest.raises(ValueError, match="`coef_` or `feature_importances_`"):
        SelectFromModel(HistGradientBoostingRegressor(max_iter=2)).fit(X, Y).transform(X)


def test_from_model_tables(make_frame):
    columns = {f"c{j}": X[:, j].tolist() for j in range(7)}
    columns["city"] = np.where(Y > 0, "Oslo", "Rome").tolist()
    ours = SelectFromModel(Ridge()).fit(make_frame(columns), Y)
    names = ours.get_feature_names_out().tolist()
    assert "c0" in names
    assert ours.transform(make_frame(columns)).shape == (80, len(names))
    plain = {name: columns[name] for name in columns if name != "city"}
    foreign = SelectFromModel(SklearnRidge()).fit(make_frame(plain), Y)
    expected = sk.SelectFromModel(SklearnRidge()).fit(X, Y).get_support(indices=True)
    assert foreign.get_feature_names_out().tolist() == [f"c{j}" for j in expected]


# -- elimination -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_kept", [None, 3, 0.5, 1])
@pytest.mark.parametrize("step", [1, 3, 0.4])
def test_rfe(n_kept, step):
    options = {"n_features_to_select": n_kept, "step": step}
    for model, y in ((SklearnRidge(), Y), (LogisticRegression(), LABELS), (forest(), LABELS)):
        theirs, ours = sk.RFE(model, **options).fit(X, y), RFE(model, **options).fit(X, y)
        np.testing.assert_array_equal(ours.ranking_, theirs.ranking_)
        np.testing.assert_array_equal(ours.support_, theirs.support_)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        assert ours.score(X, y) == theirs.score(X, y)
        assert ours.n_features_ == theirs.n_features_
        assert hasattr(ours, "predict_proba") == hasattr(theirs, "predict_proba")
    matrix = sparse.csr_matrix(X)
    ours = RFE(Ridge(), **options).fit(matrix, Y)
    np.testing.assert_array_equal(
        ours.ranking_, sk.RFE(SklearnRidge(), **options).fit(X, Y).ranking_
    )


def test_rfe_parameters(capsys):
    weight = np.linspace(0.1, 3, 80)
    ours = RFE(Ridge(), verbose=1).fit(X, Y, sample_weight=weight)
    expected = Ridge().fit(X[:, ours.support_], Y, sample_weight=weight)
    np.testing.assert_allclose(ours.estimator_.coef_, expected.coef_)
    assert capsys.readouterr().out.startswith("Fitting estimator with 7 features.\n")
    with pytest.warns(UserWarning, match="no feature selection"):
        assert RFE(Ridge(), n_features_to_select=9).fit(X, Y).support_.all()
    classifier = RFE(LogisticRegression()).fit(X, LABELS)
    assert classifier.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(np.exp(classifier.predict_log_proba(X)).sum(axis=1), 1.0)
    assert classifier.decision_function(X).shape == (80, 3)
    for options in ({"step": 0}, {"n_features_to_select": 1.5}, {"n_features_to_select": 0}):
        with pytest.raises(InvalidParameterError):
            RFE(Ridge(), **options).fit(X, Y)
    with pytest.raises(ValueError, match="minimum of 2 is required by RFE"):
        RFE(Ridge()).fit(X[:, :1], Y)


@pytest.mark.parametrize("step", [1, 2])
def test_rfecv(step):
    groups = np.arange(80) % 4
    for options in ({}, {"cv": GroupKFold(4)}, {"scoring": "neg_mean_squared_error", "cv": 3}):
        given = {"groups": groups} if isinstance(options.get("cv"), GroupKFold) else {}
        theirs = sk.RFECV(SklearnRidge(), step=step, **options).fit(X, Y, **given)
        ours = RFECV(SklearnRidge(), step=step, **options).fit(X, Y, **given)
        np.testing.assert_array_equal(ours.ranking_, theirs.ranking_)
        assert ours.n_features_ == theirs.n_features_
        assert ours.cv_results_.keys() == theirs.cv_results_.keys()
        for name, values in theirs.cv_results_.items():
            np.testing.assert_allclose(ours.cv_results_[name], values, rtol=1e-10, err_msg=name)
        assert ours.score(X, Y) == pytest.approx(theirs.score(X, Y))
    theirs = sk.RFECV(LogisticRegression(), min_features_to_select=2).fit(X, LABELS)
    ours = RFECV(LogisticRegression(), min_features_to_select=2).fit(X, LABELS)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    with pytest.warns(UserWarning, match="no feature selection"):
        RFECV(Ridge(), min_features_to_select=9).fit(X, Y)


# -- sequential ------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_features_to_select": 3},
        {"n_features_to_select": 0.3},
        {"tol": 1e-2},
        {"scoring": "neg_mean_squared_error", "cv": 3},
    ],
)
def test_sequential(direction, options):
    params = {"direction": direction, **options}
    theirs = sk.SequentialFeatureSelector(SklearnRidge(), **params).fit(X, Y)
    ours = SequentialFeatureSelector(Ridge(), **params).fit(X, Y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    assert ours.n_features_to_select_ == theirs.n_features_to_select_
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


def test_sequential_others():
    model = KMeans(2, n_init=1, random_state=0)
    params = {"n_features_to_select": 1, "cv": 2}
    theirs = sk.SequentialFeatureSelector(model, **params).fit(X[:, :4])
    ours = SequentialFeatureSelector(model, **params).fit(X[:, :4])
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    with pytest.raises(ValueError, match="must be < n_features"):
        SequentialFeatureSelector(Ridge(), n_features_to_select=7).fit(X, Y)
    with pytest.raises(ValueError, match="strictly positive"):
        SequentialFeatureSelector(Ridge(), tol=-1.0).fit(X, Y)


# -- all -------------------------------------------------------------------------------------------

SELECTORS = [SelectFromModel(Ridge()), RFE(Ridge()), RFECV(Ridge(), cv=3)]
SELECTORS += [SequentialFeatureSelector(Ridge(), cv=2)]


@pytest.mark.parametrize("selector", SELECTORS)
def test_copies_and_names(selector, tmp_path):
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    fitted = sklearn.clone(selector).fit(frame, Y)
    names = fitted.get_feature_names_out().tolist()
    assert names == frame.columns[fitted.get_support()].tolist()
    gramian.save(fitted, tmp_path / "selector.gramian")
    loaded = gramian.load(tmp_path / "selector.gramian")
    np.testing.assert_array_equal(loaded.transform(frame), fitted.transform(frame))
    search = GridSearchCV(make_pipeline(selector, SklearnRidge()), {"ridge__alpha": [0.1, 10.0]})
    assert search.fit(X, Y).best_params_ == {"ridge__alpha": 0.1}
