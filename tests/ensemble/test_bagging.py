"""Bagging against scikit-learn's: the same draws, and so the same numbers."""

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as sk
from scipy import sparse
from sklearn.linear_model import Ridge as SkRidge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import gramian
from gramian.base import BaseEstimator, ClassifierMixin, clone
from gramian.datasets import load_diabetes, load_iris
from gramian.dummy import DummyClassifier
from gramian.ensemble import BaggingClassifier, BaggingRegressor
from gramian.exceptions import InvalidParameterError
from gramian.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge
from gramian.model_selection import GridSearchCV

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)

BAGS = {
    "bagging": {},
    "pasting": {"bootstrap": False, "max_samples": 0.7},
    "subspaces": {"bootstrap": False, "max_features": 0.5},
    "patches": {"max_samples": 60, "max_features": 3, "bootstrap_features": True},
    "most": {"bootstrap": False, "max_samples": 0.995},
    "few": {"max_samples": 10, "max_features": 0.01, "n_estimators": 3},
}


def assert_same_draws(ours, theirs):
    for mine, other in zip(ours.estimators_samples_, theirs.estimators_samples_, strict=True):
        np.testing.assert_array_equal(mine, other)
    for mine, other in zip(ours.estimators_features_, theirs.estimators_features_, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("bag", BAGS)
@pytest.mark.parametrize("base", [KNeighborsRegressor(), SkRidge()], ids=["rows", "weights"])
def test_regressor_equals_sklearn(base, bag, seed):
    X, y = DIABETES
    options = {**BAGS[bag], "random_state": seed}
    ours = BaggingRegressor(base, **options).fit(X, y)
    theirs = sk.BaggingRegressor(base, **options).fit(X, y)
    assert_same_draws(ours, theirs)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)


@pytest.mark.parametrize("bag", BAGS)
@pytest.mark.parametrize(
    "base",
    [KNeighborsClassifier(), GaussianNB(), SVC(), DecisionTreeClassifier()],
    ids=["rows", "weights", "scores", "seeds"],
)
def test_classifier_equals_sklearn(base, bag):
    X, y = IRIS
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    options = {**BAGS[bag], "random_state": 1}
    if bag == "few":
        options["max_samples"] = 30  # so that each draw has all classes, which SVC's scores need
    ours = BaggingClassifier(base, **options).fit(X, names)
    theirs = sk.BaggingClassifier(base, **options).fit(X, names)
    assert_same_draws(ours, theirs)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
    with np.errstate(divide="ignore"):  # theirs takes logarithms of zero aloud
        expected = theirs.predict_log_proba(X)
        np.testing.assert_allclose(ours.predict_log_proba(X), expected, rtol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if hasattr(base, "decision_function"):
        found = ours.decision_function(X)
        np.testing.assert_allclose(found, theirs.decision_function(X), rtol=1e-12)
    else:
        assert not hasattr(ours, "decision_function")


@pytest.mark.parametrize("max_samples", [None, 40, 0.4])
def test_weights_are_the_chances_of_a_draw(max_samples):
    X, y = DIABETES
    weight = np.random.default_rng(0).integers(0, 5, len(y)).astype(float)
    options = {"max_samples": max_samples, "random_state": 3}
    ours = BaggingRegressor(SkRidge(), **options).fit(X, y, sample_weight=weight)
    theirs = sk.BaggingRegressor(SkRidge(), **options).fit(X, y, sample_weight=weight)
    assert_same_draws(ours, theirs)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    assert not set(np.concatenate(ours.estimators_samples_)) & set(np.flatnonzero(weight == 0))


def test_weights_are_copies_on_average():
    """Rows drawn by weight are those drawn from the rows repeated: the same mean target."""
    y = np.arange(30.0)
    weight = np.arange(30) % 4
    X = np.zeros((30, 1))
    model = BaggingRegressor(LinearRegression(), 400, max_samples=50, random_state=0)
    mean = model.fit(X, y, sample_weight=weight).predict(X[:1])[0]
    assert mean == pytest.approx(np.average(y, weights=weight), abs=0.2)


def test_weights_without_replacement_warn():
    X, y = DIABETES
    model = BaggingRegressor(Ridge(), bootstrap=False, max_samples=50)
    with pytest.warns(UserWarning, match="recommended to use bootstrap=True"):
        model.fit(X, y, sample_weight=np.ones(len(y)))


@pytest.mark.parametrize("base", [KNeighborsRegressor(), SkRidge()], ids=["rows", "weights"])
def test_out_of_bag_regression(base):
    X, y = DIABETES
    options = {"n_estimators": 60, "oob_score": True, "random_state": 0}
    ours = BaggingRegressor(base, **options).fit(X, y)
    theirs = sk.BaggingRegressor(base, **options).fit(X, y)
    np.testing.assert_allclose(ours.oob_prediction_, theirs.oob_prediction_, rtol=1e-10)
    assert ours.oob_score_ == pytest.approx(theirs.oob_score_, rel=1e-12)


@pytest.mark.parametrize("base", [DecisionTreeClassifier(), SVC()], ids=["proba", "votes"])
def test_out_of_bag_classification(base):
    X, y = IRIS
    options = {"n_estimators": 50, "oob_score": True, "random_state": 0, "max_features": 2}
    ours = BaggingClassifier(base, **options).fit(X, y)
    theirs = sk.BaggingClassifier(base, **options).fit(X, y)
    np.testing.assert_allclose(ours.oob_decision_function_, theirs.oob_decision_function_)
    assert ours.oob_score_ == theirs.oob_score_


def test_notes_out_of_bag_score():
    """Fifty trees on petal length and width, each fitted to a hundred rows."""
    X, y = IRIS
    model = BaggingClassifier(
        DecisionTreeClassifier(), 50, max_samples=100, oob_score=True, random_state=42
    ).fit(X[:, 2:], y)
    assert abs(model.oob_score_ - 0.96) <= 0.02


def test_rows_that_are_never_out_of_bag():
    X, y = IRIS
    model = BaggingClassifier(GaussianNB(), 2, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        model.fit(X, y)
    drawn = [np.isin(np.arange(150), rows) for rows in model.estimators_samples_]
    np.testing.assert_array_equal(
        np.isnan(model.oob_decision_function_).all(axis=1), drawn[0] & drawn[1]
    )
    X, y = DIABETES
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        model = BaggingRegressor(Ridge(), 1, oob_score=True, random_state=0).fit(X, y)
    assert (model.oob_prediction_[model.estimators_samples_[0]] == 0.0).all()


def test_out_of_bag_scores_of_several_outputs():
    X, y = DIABETES
    targets = np.column_stack([y, -2.0 * y])
    model = BaggingRegressor(Ridge(), 40, oob_score=True, random_state=0).fit(X, targets)
    assert model.predict(X).shape == targets.shape
    np.testing.assert_allclose(model.oob_prediction_[:, 1], -2.0 * model.oob_prediction_[:, 0])


class Sure(ClassifierMixin, BaseEstimator):
    """Is nearly sure of the class of large values, and just leans towards the other."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.cut_ = np.median(X)
        return self

    def predict_proba(self, X):
        high = np.where(np.asarray(X)[:, 0] > self.cut_, 0.99, 0.45)
        return np.column_stack([1.0 - high, high])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def test_hard_votes_count_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 1))
    y = X[:, 0] > 0
    soft = BaggingClassifier(Sure(), 25, max_samples=9, random_state=0).fit(X, y)
    hard = clone(soft).set_params(voting="hard", oob_score=True).fit(X, y)
    votes = np.mean([member.predict(X) for member in hard.estimators_], axis=0)
    np.testing.assert_allclose(hard.predict_proba(X)[:, 1], votes, rtol=1e-12)
    np.testing.assert_array_equal(hard.predict(X), votes > 0.5)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(hard.predict_log_proba(X), np.log(hard.predict_proba(X)))
    assert (soft.predict(X) != hard.predict(X)).any()
    assert ((hard.oob_decision_function_ * 25).round(9) <= 25).all()
    assert soft.voting == "soft"


def test_members_that_lack_classes():
    """A draw without some classes gives them no probability."""
    X = np.arange(12.0).reshape(-1, 1)
    y = np.array(["a"] * 9 + ["b"] * 2 + ["c"])
    model = BaggingClassifier(KNeighborsClassifier(1), 8, max_samples=5, random_state=0)
    model.set_params(oob_score=True).fit(X, y)
    known = [len(member.classes_) for member in model.estimators_]
    assert min(known) < 3
    assert model.predict_proba(X).shape == (12, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    logarithms = BaggingClassifier(GaussianNB(), 8, max_samples=6, random_state=0)
    with np.errstate(divide="ignore"):  # a class of one row has no variance
        assert logarithms.fit(X, y).predict_log_proba(X).shape == (12, 3)


def test_warm_start_continues_the_draws():
    X, y = IRIS
    warm = BaggingClassifier(DecisionTreeClassifier(), 4, random_state=5, warm_start=True)
    warm.fit(X, y)
    first = warm.estimators_
    warm.set_params(n_estimators=9).fit(X, y)
    cold = BaggingClassifier(DecisionTreeClassifier(), 9, random_state=5).fit(X, y)
    assert warm.estimators_[:4] == first
    assert_same_draws(warm, cold)
    np.testing.assert_array_equal(warm.predict_proba(X), cold.predict_proba(X))
    with pytest.warns(UserWarning, match="does not fit new trees"):
        warm.fit(X, y)
    with pytest.raises(ValueError, match="n_estimators=3 must be larger or equal to"):
        warm.set_params(n_estimators=3).fit(X, y)
    assert len(warm) == 9


def test_warm_start_on_other_rows_keeps_the_draws_apart():
    X, y = DIABETES
    model = BaggingRegressor(Ridge(), 2, random_state=0, warm_start=True).fit(X, y)
    before = model.estimators_samples_
    model.set_params(n_estimators=3).fit(X[:50], y[:50])
    np.testing.assert_array_equal(model.estimators_samples_[:2], before)
    assert len(model.estimators_samples_[2]) == 50


def test_same_bits_for_any_number_of_jobs():
    X, y = DIABETES
    model = BaggingRegressor(Ridge(), 37, max_features=0.6, random_state=0)
    serial = model.fit(X, y).predict(X)
    with joblib.parallel_config("threading"):
        for n_jobs in (2, 3, -1):
            model.set_params(n_jobs=n_jobs).fit(X, y)
            np.testing.assert_array_equal(model.predict(X), serial)


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("base", [make_pipeline(Ridge()), Ridge()], ids=["rows", "weights"])
def test_sparse(form, base):
    y = DIABETES[1]
    X = sparse.random_array((len(y), 8), density=0.4, format=form, rng=0)
    model = BaggingRegressor(base, max_features=5, random_state=0)
    dense = clone(model).fit(X.toarray(), y).predict(X.toarray())
    np.testing.assert_allclose(model.fit(X, y).predict(X), dense, rtol=1e-9)


def make_flats():
    rng = np.random.default_rng(3)
    size, city = rng.normal(80.0, 20.0, 150), rng.choice(["Bern", "Oslo", "Rome"], 150)
    columns = {"size": size.tolist(), "city": city.tolist()}
    columns["rooms"] = [None if i % 10 == 0 else float(i % 5) for i in range(150)]
    return columns, 0.1 * size + 5.0 * (city == "Oslo")


@pytest.mark.parametrize("max_features", [1.0, 2])
@pytest.mark.parametrize("bootstrap_features", [False, True])
def test_tables_reach_the_members(make_frame, max_features, bootstrap_features):
    columns, y = make_flats()
    model = BaggingRegressor(
        Ridge(0.1),
        30,
        max_features=max_features,
        bootstrap_features=bootstrap_features,
        oob_score=True,
        random_state=0,
    ).fit(make_frame(columns), y)
    names = list(columns)
    for member, drawn in zip(model.estimators_, model.estimators_features_, strict=True):
        seen = [name.split(" (")[0] for name in member.feature_names_in_]
        assert seen == [names[j] for j in drawn]
    assert model.oob_score_ > (0.9 if max_features == 1.0 and not bootstrap_features else 0.4)
    turned = make_frame({name: columns[name] for name in ("rooms", "size", "city")})
    np.testing.assert_array_equal(model.predict(turned), model.predict(make_frame(columns)))
    assert model.feature_names_in_.tolist() == names


def test_rows_of_tables_reach_members_without_weights(make_frame):
    """A pipeline takes no weights by that name: it is fitted to the rows drawn, as a frame."""
    columns, y = make_flats()
    model = BaggingRegressor(make_pipeline(LinearRegression()), 3, max_samples=70, random_state=0)
    model.fit(make_frame(columns), y)
    rows = model.estimators_samples_[0]
    part = {name: [values[i] for i in rows] for name, values in columns.items()}
    expected = LinearRegression().fit(make_frame(part), y[rows])
    np.testing.assert_allclose(model[0][-1].coef_, expected.coef_, rtol=1e-9)


def test_columns_without_names_of_text():
    X, y = DIABETES
    frame = pd.DataFrame(X)
    model = BaggingRegressor(Ridge(), max_features=0.5, bootstrap_features=True, random_state=0)
    array = clone(model).fit(X, y).predict(X)
    np.testing.assert_allclose(model.fit(frame, y).predict(frame), array, rtol=1e-10)
    assert not hasattr(model, "feature_names_in_")


def test_members_get_seeds_of_their_own():
    X, y = IRIS
    base = make_pipeline(Perceptron(max_iter=5, tol=None, random_state=1))
    ours = BaggingClassifier(base, 3, random_state=0).fit(X, y)
    theirs = sk.BaggingClassifier(base, 3, random_state=0).fit(X, y)
    seeds = [member[-1].random_state for member in ours.estimators_]
    assert seeds == [member[-1].random_state for member in theirs.estimators_]
    assert len(set(seeds)) == 3
    assert base[-1].random_state == 1


class AllAtOnce(BaggingRegressor):
    """Fits its members to their draws in a way of its own."""

    def _fit_members(self, draws, X, y, params):
        fitted = []
        for seed in draws.seeds:
            rows, columns = draws.draw(seed)
            fitted.append(clone(self.estimator_).fit(X[np.ix_(rows, columns)], y[rows]))
        return fitted


def test_members_may_be_fitted_all_at_once():
    X, y = DIABETES
    options = {"estimator": Ridge(), "max_features": 4, "oob_score": True, "n_estimators": 30}
    quick = AllAtOnce(**options, random_state=0).fit(X, y)
    plain = BaggingRegressor(**options, random_state=0).fit(X, y)
    np.testing.assert_allclose(quick.predict(X), plain.predict(X), rtol=1e-9)
    assert quick.oob_score_ == pytest.approx(plain.oob_score_, rel=1e-9)


def test_generator_and_unseeded():
    X, y = DIABETES
    models = [
        BaggingRegressor(Ridge(), 2, random_state=np.random.default_rng(8)).fit(X, y)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(models[0].predict(X), models[1].predict(X))
    first, second = (BaggingRegressor(Ridge(), 2).fit(X, y) for _ in range(2))
    assert (first.estimators_samples_[0] != second.estimators_samples_[0]).any()


def test_sequence_and_saved(tmp_path):
    X, y = IRIS
    model = BaggingClassifier(LogisticRegression(), 3, max_features=2, random_state=0).fit(X, y)
    assert len(model) == 3
    assert list(model) == model.estimators_
    assert model[1] is model.estimators_[1]
    gramian.save(model, tmp_path / "bag.gramian")
    loaded = gramian.load(tmp_path / "bag.gramian")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.estimators_samples_, model.estimators_samples_)


def test_verbose(capsys):
    BaggingRegressor(Ridge(), 2, verbose=2).fit(*DIABETES)
    printed = capsys.readouterr().out
    assert "Building estimator 2 of 2 for this parallel run (total 2)..." in printed


def test_searched():
    search = GridSearchCV(
        BaggingRegressor(Ridge(), 5, random_state=0), {"estimator__alpha": [0.01, 1e4]}, cv=3
    )
    assert search.fit(*DIABETES).best_params_ == {"estimator__alpha": 0.01}


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"max_features": 11}, "max_features must be <= n_features"),
        ({"bootstrap": False, "max_samples": 443}, "max_samples=443 must be <= n_samples=442"),
        ({"bootstrap": False, "oob_score": True}, "only available if bootstrap=True"),
        ({"warm_start": True, "oob_score": True}, "only available if warm_start=False"),
        ({"n_estimators": 0}, "'n_estimators' parameter"),
        ({"max_samples": 0.0}, "'max_samples' parameter"),
        ({"max_features": 1.5}, "'max_features' parameter"),
        ({"oob_score": "yes"}, "'oob_score' parameter"),
        ({"estimator": Ridge}, "'estimator' parameter"),
    ],
)
def test_errors(options, match):
    model = BaggingRegressor(**{"estimator": Ridge(), **options})
    with pytest.raises(ValueError, match=match):
        model.fit(*DIABETES)


def test_voting_is_checked():
    with pytest.raises(InvalidParameterError, match="'voting' parameter"):
        BaggingClassifier(DummyClassifier(), voting="loud").fit(*IRIS)
    with pytest.raises(ValueError, match="Unknown label type"):
        BaggingClassifier(DummyClassifier()).fit(IRIS[0], IRIS[0][:, 0])


def test_few_rows_by_a_share_warn():
    X, y = DIABETES
    with pytest.warns(UserWarning, match=r"results in a low number \(4\) of bootstrap samples"):
        BaggingRegressor(Ridge(), 2, max_samples=0.01).fit(X, y)


def test_metadata_routing():
    X, y = IRIS
    with gramian.config(enable_metadata_routing=True):
        asked = LogisticRegression().set_fit_request(sample_weight=True)
        by_weight = BaggingClassifier(asked, 2, random_state=0).fit(X, y)
        by_rows = BaggingClassifier(LogisticRegression(), 2, random_state=0).fit(X, y)
        assert "predict_proba" in str(by_rows.get_metadata_routing())
        hard = by_rows.set_params(voting="hard").get_metadata_routing()
        assert "predict_proba', 'callee': 'predict'" in str(hard)
    np.testing.assert_allclose(by_weight[0].coef_, by_rows[0].coef_, atol=1e-3)
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        BaggingClassifier(GaussianNB()).fit(X, y, metadata=1)
