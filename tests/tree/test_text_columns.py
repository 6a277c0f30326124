"""Columns of free text in trees, forests and boosting: read, instead of taken for levels."""

import io

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.compat.catboost import CatBoostClassifier
from gramian.encoding import fit_readings
from gramian.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from gramian.inspection import partial_dependence, permutation_importance, tree_shap
from gramian.table import as_table
from gramian.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text, plot_tree

N = 400
CLASSIFIERS = [
    DecisionTreeClassifier(max_depth=4),
    RandomForestClassifier(n_estimators=20),
    ExtraTreesClassifier(n_estimators=20),
    GradientBoostingClassifier(n_estimators=10),
    HistGradientBoostingClassifier(max_iter=10),
    AdaBoostClassifier(n_estimators=10),
    BaggingClassifier(n_estimators=5),
    BoostingClassifier(n_estimators=10),
]
REGRESSORS = [
    DecisionTreeRegressor(max_depth=4),
    RandomForestRegressor(n_estimators=20),
    HistGradientBoostingRegressor(max_iter=20),
    BoostingRegressor(n_estimators=20),
]


def _letters(n=N, seed=0, copies=1):
    """Return a frame with sentences, some of whose words tell the class, and the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    plain = np.array([f"word{k}" for k in range(60)])
    telling = np.array([["good", "fine", "glad"], ["bad", "poor", "sad"]])
    texts = [
        " ".join(rng.permutation([*rng.choice(plain, 7), *rng.choice(telling[c], 2)])) for c in y
    ]
    frame = pd.DataFrame({"size": rng.normal(size=n), "letter": texts, "town": rng.choice(3, n)})
    frame["town"] = frame["town"].map({0: "Rome", 1: "Oslo", 2: "Bonn"})
    return frame, np.array(["no", "yes"])[y]


def _seeded(model):
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def _name(model):
    return type(model).__name__


@pytest.mark.parametrize("model", CLASSIFIERS, ids=_name)
def test_classes_are_learnt_from_sentences(model):
    X, y = _letters()
    new, labels = _letters(200, seed=1)
    assert _seeded(model).fit(X, y).score(new, labels) > 0.95
    assert model.n_features_in_ == 3


@pytest.mark.parametrize("model", REGRESSORS, ids=_name)
def test_numbers_are_learnt_from_sentences(model):
    X, y = _letters()
    new, labels = _letters(200, seed=1)
    fitted = _seeded(model).fit(X, 3.0 + 2.0 * (y == "yes"))
    assert fitted.score(new, 3.0 + 2.0 * (labels == "yes")) > 0.8


def test_three_classes():
    X, y = _letters()
    third = np.where(X["size"] > 1.0, "maybe", y)
    new, labels = _letters(200, seed=1)
    model = RandomForestClassifier(random_state=0).fit(X, third)
    assert model.score(new, np.where(new["size"] > 1.0, "maybe", labels)) > 0.9


def test_words_without_a_meaning_change_little():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(size=N)})
    y = X["a"] * X["b"] + 0.1 * rng.normal(size=N)
    noisy = X.assign(text=[" ".join(f"w{k}" for k in rng.integers(0, 200, 9)) for _ in range(N)])
    model = DecisionTreeRegressor(random_state=0)
    alone = model.fit(X, y).predict(X)
    assert (model.fit(noisy, y).predict(noisy) == alone).all()
    assert model.feature_importances_[2] == 0.0


def test_names_stay_levels():
    """Two or three words are a name, which few words of a target's score can help."""
    frame = pd.DataFrame({"name": [f"first{k} last{k % 7}" for k in range(N)]})
    readings, rows = fit_readings(as_table(frame), np.arange(N) % 2, None, classification=True)
    assert readings == (None,)
    assert rows == {}


def test_training_rows_do_not_see_their_target():
    """A text of random words fits its own row only, so that the scores say nothing."""
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{k}" for k in rng.integers(0, 2000, 12)) for _ in range(N)]
    table, y = as_table(pd.DataFrame({"text": texts})), rng.integers(0, 2, N)
    (reading,), rows = fit_readings(table, y, None, classification=True)
    assert reading.scores is None
    assert reading.outputs == ()
    assert reading.words.words == ()
    assert rows == {}


def test_weights_are_copies():
    X, y = _letters()
    weight = np.random.default_rng(5).integers(0, 3, N)
    copies = np.repeat(np.arange(N), weight)
    weighted = fit_readings(as_table(X), y, weight.astype(float), classification=True)
    copied = fit_readings(as_table(X.iloc[copies]), y[copies], None, classification=True)
    ours, theirs = weighted[0][1], copied[0][1]
    assert ours.words.words == theirs.words.words
    np.testing.assert_allclose(ours.scores.coef, theirs.scores.coef, atol=1e-3)
    np.testing.assert_allclose(weighted[1][1][copies, -1], copied[1][1][:, -1], atol=1e-3)


def test_rows_of_no_weight_and_unused_categories_are_no_texts():
    X, y = _letters()
    counted = np.arange(N) < 250
    weighted = fit_readings(as_table(X), y, counted.astype(float), classification=True)[0][1]
    alone = fit_readings(as_table(X[counted]), y[counted], None, classification=True)[0][1]
    assert weighted.outputs == alone.outputs
    typed = X.assign(letter=X["letter"].astype("category"))[counted]  # keeps all categories
    part = fit_readings(as_table(typed), y[counted], None, classification=True)[0][1]
    assert part.is_same(alone)
    np.testing.assert_allclose(weighted.scores.coef, alone.scores.coef, atol=1e-3)


@pytest.mark.parametrize(
    "model",
    [RandomForestClassifier(5, random_state=0), BoostingClassifier(n_estimators=5)],
    ids=_name,
)
def test_files_and_frames(model):
    X, y = _letters()
    polars = pytest.importorskip("polars")
    model.set_params(random_state=0).fit(X, y)
    expected = model.predict_proba(X)
    file = io.BytesIO()
    gramian.save(model, file)
    file.seek(0)
    assert (gramian.load(file).predict_proba(X) == expected).all()
    assert (model.predict_proba(polars.DataFrame(X.to_dict("list"))) == expected).all()
    assert (model.predict_proba(X[["letter", "town", "size"]]) == expected).all()
    with pytest.warns(UserWarning, match="valid feature names"):
        assert (model.predict_proba(X.to_numpy()) == expected).all()
    assert np.isfinite(model.predict_proba(X.assign(letter=None))).all()


@pytest.mark.parametrize("model", [*CLASSIFIERS[:2], CLASSIFIERS[4], CLASSIFIERS[7]], ids=_name)
def test_what_is_told_of_a_model_is_by_column(model):
    X, y = _letters()
    _seeded(model).fit(X, y)
    if hasattr(model, "feature_importances_"):
        assert model.feature_importances_.shape == (3,)
        assert model.feature_importances_.argmax() == 1
        assert np.isclose(model.feature_importances_.sum(), 1.0)
    importance = permutation_importance(model, X, y, n_repeats=2, random_state=0)
    assert importance.importances_mean.argmax() == 1
    shap = tree_shap(model, X.head(5))
    assert shap.values.shape[:2] == (5, 3)
    found = partial_dependence(model, X, ["size"], grid_resolution=3)
    assert np.isfinite(found["average"]).all()


def test_texts_and_pictures_name_the_score():
    X, y = _letters()
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert "letter (text" in export_text(model)
    assert any("letter" in box.get_text() for box in plot_tree(model))
    boosted = BoostingClassifier(n_estimators=2, random_state=0).fit(X, y)
    assert "letter (score)" in boosted.dump()


def test_constraints_are_on_the_columns_of_the_table():
    X, y = _letters()
    target = 1.0 * (y == "yes") + X["size"]
    for model in (
        DecisionTreeRegressor(max_depth=5, monotonic_cst=[1, 0, 0]),
        BoostingRegressor(n_estimators=20, monotonic_cst=[1, 0, 0]),
        BoostingRegressor(n_estimators=20, interaction_cst=[{0}, {1, 2}]),
    ):
        model.fit(X, target)
        line = pd.concat([X.head(1)] * 30).assign(size=np.linspace(-3.0, 3.0, 30))
        if model.monotonic_cst is not None:
            assert (np.diff(model.predict(line)) >= 0.0).all()
        assert model.score(X, target) > 0.7


def test_warm_start_goes_on_with_the_same_texts():
    X, y = _letters()
    model = RandomForestClassifier(5, warm_start=True, random_state=0).fit(X, y)
    model.set_params(n_estimators=8).fit(X, y)
    whole = RandomForestClassifier(8, random_state=0).fit(X, y)
    assert (model.predict_proba(X) == whole.predict_proba(X)).all()
    with pytest.raises(ValueError, match="same levels"):
        model.set_params(n_estimators=9).fit(*_letters(seed=9))


def test_outliers_among_texts():
    X, _ = _letters()
    model = IsolationForest(random_state=0).fit(X)
    assert np.isfinite(model.score_samples(X)).all()


def test_columns_named_categorical_stay_so():
    X, y = _letters()
    model = HistGradientBoostingClassifier(max_iter=5, categorical_features=["letter", "town"])
    model.fit(X, y)
    assert model.is_categorical_.tolist() == [False, True, True]
    assert HistGradientBoostingClassifier(max_iter=5).fit(X, y).is_categorical_.tolist() == [
        False,
        False,
        True,
    ]


def test_catboost_takes_text_for_categories():
    X, y = _letters()
    model = CatBoostClassifier(iterations=3, cat_features=["letter", "town"], verbose=False)
    assert model.fit(X, y).score(X, y) < 0.95


def test_numbers_and_dates_written_as_text():
    rng = np.random.default_rng(0)
    price = rng.integers(1000, 90000, N)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, N), unit="D")
    X = pd.DataFrame({"price": [f"${p:,}" for p in price], "day": day.strftime("%Y-%m-%d")})
    y = np.log(price) + (day.day_of_year > 150)
    for model in (RandomForestRegressor(30, random_state=0), BoostingRegressor(random_state=0)):
        assert model.fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.95


def test_rows_in_any_order_and_threads():
    X, y = _letters()
    order = np.random.default_rng(1).permutation(N)
    first = fit_readings(as_table(X), y, None, classification=True)[0][1]
    second = fit_readings(as_table(X.iloc[order]), y[order], None, classification=True)[0][1]
    np.testing.assert_allclose(first.scores.coef, second.scores.coef, atol=1e-10)
    expected = RandomForestClassifier(5, random_state=0, n_jobs=1).fit(X, y).predict_proba(X)
    again = RandomForestClassifier(5, random_state=0, n_jobs=2).fit(X, y).predict_proba(X)
    assert (again == expected).all()
