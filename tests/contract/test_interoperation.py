"""The two libraries inside each other: gramian in scikit-learn's tools, and the other way round.

Each test fits the same composition twice, with parts of one library and of the other, and compares
what they say.
"""

import io

import numpy as np
import pytest
import sklearn.compose
import sklearn.ensemble
import sklearn.feature_selection
import sklearn.linear_model
import sklearn.model_selection
import sklearn.pipeline
import sklearn.preprocessing
from tests.contract.cases import as_array
from tests.contract.frames import make_frame, mixed_columns

import gramian
import gramian.compose
import gramian.dummy
import gramian.feature_selection
import gramian.impute
import gramian.linear_model
import gramian.metrics
import gramian.model_selection
import gramian.pipeline
import gramian.preprocessing

ALPHAS = {"model__alpha": [0.01, 1.0, 100.0]}
SIDES = {"gramian_in_sklearn": (sklearn, gramian), "sklearn_in_gramian": (gramian, sklearn)}


@pytest.fixture(params=SIDES.values(), ids=SIDES)
def sides(request):
    """The library of the outer object, and that of its parts."""
    return request.param


@pytest.fixture(scope="module")
def regression():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 6)) * [1.0, 10.0, 0.1, 1.0, 5.0, 1.0]
    return X, X @ [1.0, 0.2, 0.0, -2.0, 0.0, 0.5] + 0.5 * rng.standard_normal(90)


@pytest.fixture(scope="module")
def classes(regression):
    X, y = regression
    return X, np.where(y > np.quantile(y, 0.7), "high", np.where(y > 0, "middle", "low"))


def _near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


def _steps(library):
    return [
        ("scale", library.preprocessing.StandardScaler()),
        ("select", library.feature_selection.SelectKBest(library.feature_selection.f_regression)),
        ("model", library.linear_model.Ridge()),
    ]


def _pipeline(outer, inner):
    return outer.pipeline.Pipeline(_steps(inner)).set_params(select__k=4)


# -- both directions -------------------------------------------------------------------------------


def test_pipeline(sides, regression):
    X, y = regression
    model, expected = _pipeline(*sides).fit(X, y), _pipeline(sklearn, sklearn).fit(X, y)
    _near(model.predict(X), expected.predict(X))
    _near(model.score(X, y), expected.score(X, y))
    _near(model[:-1].transform(X), expected[:-1].transform(X))
    assert model[:-1].get_feature_names_out().tolist() == ["x0", "x1", "x3", "x5"]


def test_grid_search(sides, regression):
    X, y = regression
    outer, inner = sides
    found = outer.model_selection.GridSearchCV(_pipeline(inner, inner), ALPHAS, cv=4).fit(X, y)
    expected = sklearn.model_selection.GridSearchCV(_pipeline(sklearn, sklearn), ALPHAS, cv=4)
    expected.fit(X, y)
    assert found.best_params_ == expected.best_params_
    _near(found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    _near(found.predict(X), expected.predict(X))


def test_randomized_search(sides, regression):
    X, y = regression
    options = {"param_distributions": {"alpha": [0.1, 1.0, 5.0, 10.0]}, "n_iter": 3, "cv": 3}
    found, expected = (
        a.model_selection.RandomizedSearchCV(b.linear_model.Ridge(), random_state=3, **options)
        for a, b in (sides, (sklearn, sklearn))
    )
    assert found.fit(X, y).best_params_ == expected.fit(X, y).best_params_
    _near(found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_cross_validation(sides, regression, scoring):
    X, y = regression
    outer, inner = sides
    splitter = inner.model_selection.KFold(5, shuffle=True, random_state=1)
    scores, expected = (
        library.model_selection.cross_val_score(model, X, y, cv=splitter, scoring=scoring)
        for library, model in (
            (outer, _pipeline(inner, inner)),
            (sklearn, _pipeline(sklearn, sklearn)),
        )
    )
    _near(scores, expected)
    predicted = outer.model_selection.cross_val_predict(_pipeline(inner, inner), X, y, cv=splitter)
    theirs = sklearn.model_selection.cross_val_predict(
        _pipeline(sklearn, sklearn), X, y, cv=splitter
    )
    _near(predicted, theirs)


def test_scorers(sides, regression):
    X, y = regression
    outer, inner = sides
    mean_absolute_error = inner.metrics.mean_absolute_error
    scorer = inner.metrics.make_scorer(mean_absolute_error, greater_is_better=False)
    ridge = inner.linear_model.Ridge()
    found = outer.model_selection.cross_val_score(ridge, X, y, scoring=scorer)
    named = outer.model_selection.cross_val_score(ridge, X, y, scoring="neg_mean_absolute_error")
    _near(found, named)


def test_column_transformer(sides, regression):
    X, _ = regression
    results = []
    for a, b in (sides, (sklearn, sklearn)):
        columns = a.compose.ColumnTransformer(
            [
                ("z", b.preprocessing.StandardScaler(), [0, 1]),
                ("bins", b.preprocessing.KBinsDiscretizer(3), [3]),
            ],
            remainder=b.preprocessing.MinMaxScaler(),
        )
        found = as_array(columns.fit_transform(X))
        results.append((found, columns.get_feature_names_out().tolist()))
    assert results[0][1] == results[1][1]
    _near(results[0][0], results[1][0])


def test_column_transformer_of_text(sides):
    frame = make_frame("pandas", mixed_columns(60, missing=False))
    results = []
    for a, b in (sides, (sklearn, sklearn)):
        encoder = b.preprocessing.OneHotEncoder(sparse_output=False)
        columns = a.compose.make_column_transformer(
            (encoder, ["city", "grade"]), (b.preprocessing.StandardScaler(), ["size"])
        )
        results.append(columns.set_output(transform="pandas").fit_transform(frame))
    assert results[0].columns.tolist() == results[1].columns.tolist()
    _near(results[0].to_numpy(), results[1].to_numpy())


def test_feature_union(sides, regression):
    X, _ = regression
    results = []
    for a, b in (sides, (sklearn, sklearn)):
        parts = [
            ("z", b.preprocessing.StandardScaler()),
            ("squares", b.preprocessing.PolynomialFeatures(2, include_bias=False)),
        ]
        union = a.pipeline.FeatureUnion(parts, transformer_weights={"z": 0.5}).fit(X)
        results.append((union.transform(X), union.get_feature_names_out().tolist()))
    assert results[0][1] == results[1][1]
    _near(results[0][0], results[1][0])


SELECTORS = {
    "RFE": {"n_features_to_select": 3},
    "RFECV": {"cv": 3},
    "SelectFromModel": {"threshold": "median"},
    "SequentialFeatureSelector": {"n_features_to_select": 2, "cv": 3},
}


@pytest.mark.parametrize("name", SELECTORS)
def test_selectors(sides, regression, name):
    X, y = regression
    found, expected = (
        getattr(a.feature_selection, name)(b.linear_model.Ridge(), **SELECTORS[name]).fit(X, y)
        for a, b in (sides, (sklearn, sklearn))
    )
    assert found.get_support().tolist() == expected.get_support().tolist()
    _near(found.transform(X), expected.transform(X))


def test_transformed_target(sides, regression):
    X, y = regression
    found, expected = (
        a.compose.TransformedTargetRegressor(
            b.linear_model.Ridge(), transformer=b.preprocessing.StandardScaler()
        ).fit(X, y)
        for a, b in (sides, (sklearn, sklearn))
    )
    _near(found.predict(X), expected.predict(X))


def test_clone_and_tags(sides):
    outer, inner = sides
    model = outer.base.clone(_pipeline(inner, inner))
    assert repr(model) == repr(_pipeline(inner, inner))
    assert outer.base.is_regressor(model)
    assert not outer.base.is_classifier(model)


def test_set_output(sides, regression):
    X, y = regression
    outer, inner = sides
    steps = _pipeline(outer, inner)[:-1].set_output(transform="pandas")
    assert steps.fit_transform(X, y).columns.tolist() == ["x0", "x1", "x3", "x5"]


# -- gramian in tools that gramian has not ---------------------------------------------------------


def test_voting_regressor(regression):
    X, y = regression
    parts = [
        ("ols", gramian.linear_model.LinearRegression()),
        ("pipe", _pipeline(gramian, gramian)),
    ]
    voted = sklearn.ensemble.VotingRegressor(parts, weights=[1.0, 3.0]).fit(X, y)
    each = [gramian.clone(part).fit(X, y).predict(X) for _, part in parts]
    _near(voted.predict(X), 0.25 * each[0] + 0.75 * each[1])


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_voting_classifier(classes, voting):
    X, y = classes
    prior = [("prior", gramian.dummy.DummyClassifier()), ("other", _classifier(gramian))]
    theirs = [("prior", sklearn.dummy.DummyClassifier()), ("other", _classifier(sklearn))]
    found = sklearn.ensemble.VotingClassifier(prior, voting=voting).fit(X, y)
    expected = sklearn.ensemble.VotingClassifier(theirs, voting=voting).fit(X, y)
    assert found.classes_.tolist() == ["high", "low", "middle"]
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    if voting == "soft":
        _near(found.predict_proba(X), expected.predict_proba(X))


def _classifier(library):
    model = sklearn.linear_model.LogisticRegression()
    return library.pipeline.make_pipeline(library.preprocessing.StandardScaler(), model)


def test_stacking_and_bagging(regression):
    X, y = regression
    stacked = sklearn.ensemble.StackingRegressor(
        [("ridge", gramian.linear_model.Ridge()), ("mean", gramian.dummy.DummyRegressor())],
        final_estimator=gramian.linear_model.LinearRegression(),
    )
    assert stacked.fit(X, y).score(X, y) > 0.9
    bagged = sklearn.ensemble.BaggingRegressor(_pipeline(gramian, gramian), 5, random_state=0)
    theirs = sklearn.ensemble.BaggingRegressor(_pipeline(sklearn, sklearn), 5, random_state=0)
    _near(bagged.fit(X, y).predict(X), theirs.fit(X, y).predict(X))


def test_classifiers_of_sklearn_in_our_searches(classes):
    """A foreign classifier is known as one: its folds are stratified, its score is accuracy."""
    X, y = classes
    grid = {"logisticregression__C": [0.1, 1.0]}
    found = gramian.model_selection.GridSearchCV(_classifier(gramian), grid).fit(X, y)
    expected = sklearn.model_selection.GridSearchCV(_classifier(sklearn), grid).fit(X, y)
    assert found.best_params_ == expected.best_params_
    np.testing.assert_allclose(
        found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"], atol=1e-12
    )


# -- tables through a pipeline ---------------------------------------------------------------------

NUMBERS, TEXTS = ["size", "rooms"], ["city", "grade"]
NAMES = [
    *(f"numbers__{name}" for name in NUMBERS),
    *(f"texts__city_{city}" for city in ("Bern", "Oslo", "Rome", "Zürich", "nan")),
    *(f"texts__grade_{grade}" for grade in ("a", "b", "c", "nan")),
]


def _table_pipeline():
    numbers = gramian.pipeline.make_pipeline(
        gramian.impute.SimpleImputer(), gramian.preprocessing.StandardScaler()
    )
    encoder = gramian.preprocessing.OneHotEncoder(handle_unknown="ignore")
    columns = gramian.compose.ColumnTransformer(
        [("numbers", numbers, NUMBERS), ("texts", encoder, TEXTS)]
    )
    return gramian.pipeline.make_pipeline(columns, gramian.linear_model.Ridge())


def _table(library, n_rows, seed):
    columns = mixed_columns(n_rows, seed)
    return make_frame(library, columns)


def _target(n_rows):
    rng = np.random.default_rng(2)
    columns = mixed_columns(n_rows, 0)
    size = np.array([value or 100.0 for value in columns["size"]])
    return (
        0.05 * size + np.array([value == "Rome" for value in columns["city"]]) + rng.random(n_rows)
    )


def test_table_through_a_pipeline(frame_library):
    """Numbers are scaled and text one-hot encoded, with the names of the columns kept."""
    model = _table_pipeline().fit(_table(frame_library, 150, 0), _target(150))
    assert model[:-1].get_feature_names_out().tolist() == NAMES
    assert model.feature_names_in_.tolist() == list(mixed_columns(1))
    assert model.n_features_in_ == 7
    expected = _table_pipeline().fit(_table("pandas", 150, 0), _target(150))
    assert gramian.fingerprint(model) == gramian.fingerprint(expected)
    new = _table(frame_library, 30, 5)
    predicted = model.predict(new)
    np.testing.assert_array_equal(predicted, expected.predict(_table("pandas", 30, 5)))
    file = io.BytesIO()
    gramian.save(model, file)
    loaded = gramian.load(file)
    np.testing.assert_array_equal(loaded.predict(new), predicted)
    assert loaded[:-1].get_feature_names_out().tolist() == NAMES
    assert gramian.fingerprint(loaded) == gramian.fingerprint(model)


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_names_of_a_table_in_every_step(frame_library, container):
    model = _table_pipeline()
    model[0].set_params(sparse_threshold=0.0, texts__sparse_output=False)
    model.set_output(transform=container).fit(_table(frame_library, 150, 0), _target(150))
    frame = model[:-1].transform(_table(frame_library, 30, 5))
    assert type(frame).__module__.split(".")[0] == container
    assert list(frame.columns) == NAMES
    assert model[-1].feature_names_in_.tolist() == NAMES
    plain = _table_pipeline().fit(_table(frame_library, 150, 0), _target(150))
    new = _table(frame_library, 30, 5)
    np.testing.assert_allclose(model.predict(new), plain.predict(new), rtol=1e-6)


def test_table_is_what_sklearn_makes_of_it():
    frame, y, new = _table("pandas", 150, 0), _target(150), _table("pandas", 30, 5)
    frame, new = (data.astype({"rooms": "float64"}) for data in (frame, new))
    numbers = sklearn.pipeline.make_pipeline(
        sklearn.impute.SimpleImputer(), sklearn.preprocessing.StandardScaler()
    )
    encoder = sklearn.preprocessing.OneHotEncoder(handle_unknown="ignore")
    columns = sklearn.compose.ColumnTransformer(
        [("numbers", numbers, NUMBERS), ("texts", encoder, TEXTS)]
    )
    theirs = sklearn.pipeline.make_pipeline(columns, sklearn.linear_model.Ridge(tol=1e-12))
    _near(_table_pipeline().fit(frame, y).predict(new), theirs.fit(frame, y).predict(new))
