"""Histogram boosting against scikit-learn's, and what it adds."""

import numpy as np
import pytest
from sklearn import ensemble as reference
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

import gramian
from gramian.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from gramian.exceptions import NotFittedError
from gramian.inspection import partial_dependence, permutation_importance, tree_shap, worked
from gramian.metrics import make_scorer, mean_absolute_error

pytestmark = pytest.mark.usefixtures("one_thread_for_others")

MODELS = [HistGradientBoostingClassifier, HistGradientBoostingRegressor]


@pytest.fixture(scope="module")
def one_thread_for_others():
    """Keep OpenMP from waiting for busy cores."""
    with threadpool_limits(1, user_api="openmp"):
        yield


@pytest.fixture(scope="module")
def coarse():
    """Columns of up to 100 distinct values, in which both libraries find the same bins."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 100, (3_000, 5)).astype(np.float64)
    return X, 0.1 * X[:, 0] + np.sin(X[:, 1]) + rng.normal(size=3_000)


def classes_of(y, n_classes):
    return np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))


# -- the same numbers as scikit-learn's ------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "is_weighted"),
    [
        ("squared_error", False),
        ("absolute_error", False),
        ("poisson", False),
        ("gamma", False),
        ("squared_error", True),
        ("poisson", True),
    ],
)
def test_regressor_equals_sklearn(coarse, loss, is_weighted):
    X, y = coarse
    y = y if loss.endswith("error") else np.exp(0.3 * y - 2.0)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if is_weighted else None
    params = {"loss": loss, "early_stopping": True, "random_state": 0, "max_iter": 40}
    ours = HistGradientBoostingRegressor(**params).fit(X, y, weight)
    theirs = reference.HistGradientBoostingRegressor(**params).fit(X, y, weight)
    assert ours.n_iter_ == theirs.n_iter_
    # Weighted gradients are rounded once more, which may decide between cuts of equal gain.
    tolerance = 1e-12 if not is_weighted else 2e-2
    scale = np.abs(theirs.predict(X)).max()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=tolerance * scale)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=max(tolerance, 1e-9))
    np.testing.assert_allclose(
        ours.validation_score_, theirs.validation_score_, rtol=max(tolerance, 1e-9)
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scoring", ["loss", "accuracy", None, "neg_log_loss"])
def test_classifier_equals_sklearn(coarse, n_classes, scoring):
    X, y = coarse
    labels = np.array(["a", "b", "c"])[classes_of(y, n_classes)]
    params = {"early_stopping": True, "random_state": 0, "scoring": scoring, "max_iter": 30}
    ours = HistGradientBoostingClassifier(**params).fit(X, labels)
    theirs = reference.HistGradientBoostingClassifier(**params).fit(X, labels)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.n_trees_per_iteration_ == theirs.n_trees_per_iteration_
    for method in ("predict_proba", "decision_function"):
        found, expected = (getattr(model, method)(X) for model in (ours, theirs))
        np.testing.assert_allclose(found, expected, atol=1e-11)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-9)
    np.testing.assert_allclose(ours.validation_score_, theirs.validation_score_, rtol=1e-9)


@pytest.mark.parametrize(
    "params",
    [
        {"max_leaf_nodes": 5, "l2_regularization": 2.0},
        {"max_depth": 3, "max_leaf_nodes": None, "min_samples_leaf": 50},
        {"interaction_cst": [{0, 1}]},
        {"interaction_cst": "no_interactions"},
        {"interaction_cst": "pairwise"},
        {"max_bins": 100, "learning_rate": 0.5},
    ],
    ids=str,
)
def test_parameters_mean_the_same(coarse, params):
    X, y = coarse
    ours = HistGradientBoostingRegressor(max_iter=20, **params).fit(X, y)
    theirs = reference.HistGradientBoostingRegressor(max_iter=20, **params).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-10)


def test_monotonic_constraints_cost_no_more_than_sklearns(coarse):
    """Gains of bounded leaves are exact here, and approximate there."""
    X, y = coarse
    params = {"max_iter": 30, "monotonic_cst": [1, 0, 0, 0, -1]}
    ours = HistGradientBoostingRegressor(**params).fit(X, y).score(X, y)
    assert ours > reference.HistGradientBoostingRegressor(**params).fit(X, y).score(X, y) - 1e-3


def test_missing_values_equal_sklearn(coarse):
    X, y = coarse
    rng = np.random.default_rng(2)
    X = np.where(rng.uniform(size=X.shape) < 0.2, np.nan, X)
    ours = HistGradientBoostingRegressor(max_iter=20).fit(X, y)
    theirs = reference.HistGradientBoostingRegressor(max_iter=20).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-10)


@pytest.mark.parametrize("features", [[2], [False, False, True, False, False], [2, 3]])
def test_categories_equal_sklearn(coarse, features):
    X, y = coarse
    X = X.copy()
    X[:, 2] //= 10
    y = y + np.array([3, 0, 1, 0, 2, 0, 0, 4, 0, 1])[X[:, 2].astype(int)]
    X[::17, 2] = np.nan
    params = {"max_iter": 20, "categorical_features": features}
    ours = HistGradientBoostingRegressor(**params).fit(X, y)
    theirs = reference.HistGradientBoostingRegressor(**params).fit(X, y)
    np.testing.assert_array_equal(ours.is_categorical_, theirs.is_categorical_)
    new = X.copy()
    new[:5, 2] = 77.0  # a level that was not seen
    np.testing.assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-10)


def test_continuous_columns_are_as_accurate():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 8)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.3 * rng.normal(size=20_000) > 0
    errors = [
        log_loss(y[15_000:], model.fit(X[:15_000], y[:15_000]).predict_proba(X[15_000:]))
        for model in (
            HistGradientBoostingClassifier(early_stopping=False),
            reference.HistGradientBoostingClassifier(early_stopping=False),
        )
    ]
    assert errors[0] < 1.02 * errors[1]


# -- weights ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_weights_are_copies(coarse, loss):
    X, y = coarse
    X, y = X[:500], np.abs(y[:500])
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    model = HistGradientBoostingRegressor(loss, max_iter=20)
    weighted = model.fit(X, y, counts).predict(X)
    copied = model.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts)).predict(X)
    np.testing.assert_allclose(weighted, copied, rtol=1e-10)


def test_class_weight(coarse):
    X, y = coarse
    labels = (y > np.quantile(y, 0.9)).astype(int)
    balanced = HistGradientBoostingClassifier(class_weight="balanced", max_iter=20).fit(X, labels)
    by_hand = 1500.0 / np.bincount(labels)
    weighted = HistGradientBoostingClassifier(max_iter=20).fit(X, labels, by_hand[labels])
    np.testing.assert_allclose(balanced.predict_proba(X), weighted.predict_proba(X), atol=1e-9)
    mean = balanced.predict_proba(X)[:, 1].mean()
    assert mean > HistGradientBoostingClassifier().fit(X, labels).predict_proba(X)[:, 1].mean()


# -- early stopping --------------------------------------------------------------------------------


def test_early_stopping_auto(coarse):
    X, y = coarse
    assert not HistGradientBoostingRegressor(max_iter=1).fit(X, y).do_early_stopping_
    many = np.tile(X, (4, 1)), np.tile(y, 4)
    model = HistGradientBoostingRegressor(max_iter=2).fit(*many)
    assert model.do_early_stopping_
    assert len(model.validation_score_) == len(model.train_score_) == 3


def test_scores_of_training_rows_only(coarse):
    X, y = coarse
    model = HistGradientBoostingRegressor(
        early_stopping=True, validation_fraction=None, n_iter_no_change=3, tol=0.05
    ).fit(X, y)
    assert model.n_iter_ < 100
    assert len(model.validation_score_) == 0
    assert len(model.train_score_) == model.n_iter_ + 1


def test_given_validation_rows(coarse):
    X, y = coarse
    model = HistGradientBoostingRegressor(early_stopping=True, n_iter_no_change=5)
    model.fit(X[:2000], y[:2000], X_val=X[2000:], y_val=y[2000:])
    error = y[2000:] - model.predict(X[2000:])
    assert model.validation_score_[-1] == pytest.approx(-0.5 * np.mean(error**2))
    weight = np.arange(1000.0)
    model.fit(X[:2000], y[:2000], X_val=X[2000:], y_val=y[2000:], sample_weight_val=weight)
    error = y[2000:] - model.predict(X[2000:])
    expected = -0.5 * np.average(error**2, weights=weight)
    assert model.validation_score_[-1] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"X_val": [[1.0]]}, "X_val is provided, but y_val"),
        ({"y_val": [1.0]}, "y_val is provided, but X_val"),
        ({"sample_weight_val": [1.0]}, "sample_weight_val is provided"),
        ({"X_val": [[1.0]], "y_val": [1.0]}, "early_stopping is False"),
    ],
)
def test_wrong_validation_rows(given, message):
    model = HistGradientBoostingRegressor(early_stopping=False)
    with pytest.raises(ValueError, match=message):
        model.fit([[0.0], [1.0]], [0.0, 1.0], **given)


def test_unknown_label_in_validation_rows():
    model = HistGradientBoostingClassifier(early_stopping=True)
    with pytest.raises(ValueError, match=r"previously unseen labels: \['c'\]"):
        model.fit([[0.0], [1.0]], ["a", "b"], X_val=[[0.0]], y_val=["c"])


def test_scorer_sees_the_users_rows_and_the_growing_model(coarse):
    """A callable gets the rows as they were given, and may predict any others."""
    pd = pytest.importorskip("pandas")
    X, y = coarse
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    frame["text"] = np.where(X[:, 2] > 50, "high", "low")
    seen = []

    def score(model, rows, target):
        assert list(rows.columns) == ["a", "b", "text"]
        known, anew = model.predict(rows), model.predict(rows.copy())
        np.testing.assert_allclose(known, anew, rtol=1e-12)
        seen.append(len(rows))
        return -np.mean((target - known) ** 2)

    model = HistGradientBoostingRegressor(early_stopping=True, scoring=score, max_iter=3)
    model.fit(frame, y)
    assert seen == [2700, 300] * 4
    mean = make_scorer(mean_absolute_error, greater_is_better=False)
    model.set_params(scoring=mean).fit(frame, y)
    assert model.validation_score_[-1] > model.validation_score_[0]


# -- warm start ------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_warm_start_equals_one_fit(coarse, model):
    X, y = coarse
    y = classes_of(y, 3)
    params = {"max_features": 0.5, "random_state": 0, "early_stopping": True, "tol": 0.0}
    whole = model(max_iter=12, **params).fit(X, y)
    parts = model(max_iter=5, warm_start=True, **params).fit(X, y)
    parts.set_params(max_iter=12).fit(X, y)
    assert parts.n_iter_ == 12
    np.testing.assert_allclose(parts.predict(X), whole.predict(X), rtol=1e-12)
    np.testing.assert_allclose(parts.validation_score_, whole.validation_score_, rtol=1e-9)
    before = gramian.fingerprint(parts)
    assert gramian.fingerprint(parts.fit(X, y)) == before  # no round is wanting
    with pytest.raises(ValueError, match=r"max_iter=3 must be larger than or equal to n_iter_=12"):
        parts.set_params(max_iter=3).fit(X, y)


def test_warm_start_refuses_other_classes(coarse):
    X, y = coarse
    model = HistGradientBoostingClassifier(max_iter=2, warm_start=True).fit(X, classes_of(y, 3))
    with pytest.raises(ValueError, match="same classes"):
        model.set_params(max_iter=3).fit(X, classes_of(y, 4))


# -- columns ---------------------------------------------------------------------------------------


def frame_of(library, rng):
    """Return a frame with numbers, text and categories, and a target that they decide."""
    colours = np.array(["red", "green", "blue"])[rng.integers(0, 3, 600)]
    size = rng.normal(size=600)
    y = size + np.where(colours == "green", 3.0, 0.0)
    if library == "pandas":
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"size": size, "colour": pd.Categorical(colours), "text": colours})
    elif library == "polars":
        pl = pytest.importorskip("polars")
        frame = pl.DataFrame({"size": size, "colour": pl.Series(colours), "text": colours})
        frame = frame.with_columns(pl.col("colour").cast(pl.Categorical))
    else:
        pa = pytest.importorskip("pyarrow")
        coded = pa.array(colours.tolist()).dictionary_encode()
        frame = pa.table({"size": size, "colour": coded, "text": colours.tolist()})
    return frame, y


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_any_library(library):
    frame, y = frame_of(library, np.random.default_rng(0))
    model = HistGradientBoostingRegressor(max_iter=60).fit(frame, y)
    assert model.is_categorical_.tolist() == [False, True, True]
    assert model.feature_names_in_.tolist() == ["size", "colour", "text"]
    assert model.score(frame, y) > 0.99


def test_columns_by_name_and_text_arrays():
    pd = pytest.importorskip("pandas")
    frame, y = frame_of("pandas", np.random.default_rng(0))
    frame = frame[["size", "text"]]
    named = HistGradientBoostingRegressor(categorical_features=["text"]).fit(frame, y)
    array = frame.to_numpy(dtype=object)
    placed = HistGradientBoostingRegressor(categorical_features=[1]).fit(array, y)
    np.testing.assert_array_equal(named.predict(frame), placed.predict(array))
    new = pd.DataFrame({"size": [0.0, 0.0], "text": ["violet", None]})
    unseen, missing = named.predict(new)
    assert unseen == missing
    with pytest.raises(ValueError, match="Column 'text' holds text"):
        HistGradientBoostingRegressor(categorical_features=None).fit(frame, y)


def test_many_levels():
    """Declared categories have the limit that is set, as in scikit-learn; else rare ones share."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    levels = np.minimum(rng.geometric(0.02, 5_000), 400)
    text = pd.DataFrame({"f": np.char.add("level ", levels.astype(str))})
    y = np.where(levels < 10, 1.0, 0.0)
    model = HistGradientBoostingRegressor(max_bins=20, early_stopping=False).fit(text, y)
    assert model.score(text, y) > 0.99
    message = "Categorical feature 'f' is expected to have a cardinality <= 20"
    with pytest.raises(ValueError, match=message):
        model.fit(text.astype("category"), y)
    with pytest.raises(ValueError, match="at index 0 is expected to have a cardinality <= 20"):
        HistGradientBoostingRegressor(max_bins=20, categorical_features=[0]).fit(levels[:, None], y)
    many = pd.DataFrame({"f": np.char.add("town ", rng.integers(0, 400, 5_000).astype(str))})
    found = [
        HistGradientBoostingRegressor(early_stopping=False).fit(rows, y).predict(rows)
        for rows in (many, many.astype("category"))
    ]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"categorical_features": ["f0"]}, "without feature names"),
        ({"categorical_features": [0, 9]}, r"in \[0, n_features - 1\]"),
        ({"categorical_features": [True]}, "boolean mask"),
        ({"categorical_features": [0.5]}, "bool, int or str, got: float64"),
        ({"monotonic_cst": [1, 0]}, r"monotonic_cst has shape \(2,\)"),
        ({"monotonic_cst": [3, 0, 0]}, r"Observed values: \[3\]"),
        ({"monotonic_cst": {"a": 1}}, "was not fitted on data with feature names"),
        ({"monotonic_cst": [1, 0, 0], "categorical_features": [0]}, "Categorical features cannot"),
        ({"interaction_cst": [0, 1]}, "sequence of tuples or lists"),
        ({"interaction_cst": [{0, 9}]}, "integer indices in"),
        ({"loss": "quantile"}, "needs a quantile"),
        ({"loss": "gamma"}, "strictly positive"),
        ({"loss": "poisson"}, "non-negative"),
        ({"max_features": 0.0}, "max_features"),
    ],
    ids=str,
)
def test_wrong_parameters(params, message):
    X = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(ValueError, match=message):
        HistGradientBoostingRegressor(**params).fit(X, X[:, 0])


def test_monotonic_by_name(coarse):
    pd = pytest.importorskip("pandas")
    X, y = coarse
    frame = pd.DataFrame(X, columns=list("abcde"))
    named = HistGradientBoostingRegressor(monotonic_cst={"a": 1, "b": -1}).fit(frame, y)
    placed = HistGradientBoostingRegressor(monotonic_cst=[1, -1, 0, 0, 0]).fit(X, y)
    np.testing.assert_array_equal(named.predict(frame), placed.predict(X))
    grid = np.repeat(X[:1], 100, axis=0)
    grid[:, 0] = np.arange(100)
    assert (np.diff(placed.predict(grid)) >= 0.0).all()
    with pytest.raises(ValueError, match=r"1 unexpected feature names: \['z'\]"):
        named.set_params(monotonic_cst={"z": 1}).fit(frame, y)


def test_several_classes_take_no_monotonic_constraint(coarse):
    X, y = coarse
    model = HistGradientBoostingClassifier(monotonic_cst=[1, 0, 0, 0, 0])
    with pytest.raises(ValueError, match="multiclass"):
        model.fit(X, classes_of(y, 3))


def test_infinite_values_and_no_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    X = np.array([[-np.inf], [0.0], [1.0], [np.inf]])
    y = np.array([0.0, 0.0, 1.0, 1.0])
    model = HistGradientBoostingRegressor(min_samples_leaf=1).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-4)
    for call in (
        lambda: model.fit(sparse.csr_array(X), y),
        lambda: model.predict(sparse.eye(4, 1)),
    ):
        with pytest.raises(TypeError, match="Sparse data was passed"):
            call()


# -- after the fit ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_staged(coarse, n_classes):
    X, y = coarse
    model = HistGradientBoostingClassifier(max_iter=6).fit(X, classes_of(y, n_classes))
    for method in ("predict", "predict_proba", "decision_function"):
        stages = list(getattr(model, f"staged_{method}")(X))
        assert len(stages) == 6
        np.testing.assert_allclose(stages[-1], getattr(model, method)(X), rtol=1e-12)
        short = HistGradientBoostingClassifier(max_iter=2).fit(X, classes_of(y, n_classes))
        np.testing.assert_allclose(stages[1], getattr(short, method)(X), rtol=1e-12)


def test_staged_numbers(coarse):
    X, y = coarse
    model = HistGradientBoostingRegressor("poisson", max_iter=4).fit(X, np.abs(y))
    *_, last = model.staged_predict(X)
    np.testing.assert_allclose(last, model.predict(X), rtol=1e-12)


def test_importances_and_inspection(coarse):
    X, y = coarse
    model = HistGradientBoostingRegressor(max_iter=30).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_.argmax() == 0
    found = permutation_importance(model, X[:500], y[:500], n_repeats=2, random_state=0)
    assert found.importances_mean.argmax() == 0
    curve = partial_dependence(model, X[:200], [0], grid_resolution=10)
    assert curve["average"][0, -1] > curve["average"][0, 0] + 5.0
    values = tree_shap(model, X[:20])
    total = np.asarray(values.values).sum(axis=1) + values.base_values
    np.testing.assert_allclose(total, model.predict(X[:20]), rtol=1e-9)


def test_shap_of_classes(coarse):
    X, y = coarse
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, classes_of(y, 3))
    values = tree_shap(model, X[:20])
    total = np.asarray(values.values).sum(axis=1) + values.base_values
    np.testing.assert_allclose(total, model.decision_function(X[:20]), atol=1e-9)


def test_time_limit_keeps_the_best_so_far(coarse):
    X, y = coarse
    with gramian.config(time_limit=1e-9):
        model = HistGradientBoostingRegressor().fit(X, y)
    assert model.n_iter_ == 1
    assert not model.certificate_.converged
    assert "stopped by the time limit after 1 of 100 rounds" in str(model.certificate_)
    whole = HistGradientBoostingRegressor().fit(X, y).certificate_
    assert whole.converged
    assert whole.objective < model.certificate_.objective


def test_progress(coarse, capsys):
    X, y = coarse
    HistGradientBoostingRegressor(max_iter=20, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("[2/20] loss ")
    assert "s to go" in lines[0]
    HistGradientBoostingRegressor(max_iter=3, verbose=2, early_stopping=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert "validation loss" in lines[0]


@pytest.mark.parametrize("model", MODELS)
def test_saved_models_predict_the_same(coarse, tmp_path, model):
    X, y = coarse
    fitted = model(max_iter=5).fit(X, classes_of(y, 3))
    gramian.save(fitted, tmp_path / "model.gram")
    np.testing.assert_array_equal(
        gramian.load(tmp_path / "model.gram").predict(X), fitted.predict(X)
    )


@pytest.mark.parametrize("model", MODELS)
def test_not_fitted(model):
    for method in ("predict", "staged_predict"):
        with pytest.raises(NotFittedError):
            list(getattr(model(), method)([[1.0]]))


def test_parameters_after_the_fit_change_nothing(coarse):
    X, y = coarse
    model = HistGradientBoostingRegressor("poisson", max_iter=3).fit(X, np.abs(y))
    before = model.predict(X)
    np.testing.assert_array_equal(model.set_params(loss="squared_error").predict(X), before)


# -- sampling by gradients -----------------------------------------------------------------------


def test_goss_is_that_of_the_boosting_models(coarse):
    X, y = coarse
    rates = {"sampling": "goss", "top_rate": 0.3, "other_rate": 0.2}
    seed = 5
    model = HistGradientBoostingRegressor(
        max_iter=30, max_features=1.0, random_state=seed, early_stopping=False, **rates
    ).fit(X, y)
    again = HistGradientBoostingRegressor(
        max_iter=30, random_state=seed, early_stopping=False, **rates
    ).fit(X, y)
    assert gramian.fingerprint(model) == gramian.fingerprint(again)
    whole = HistGradientBoostingRegressor(max_iter=30, early_stopping=False).fit(X, y)
    everything = HistGradientBoostingRegressor(
        max_iter=30, early_stopping=False, sampling="goss", top_rate=1.0, other_rate=0.0
    ).fit(X, y)
    np.testing.assert_array_equal(everything.predict(X), whole.predict(X))
    assert (model.predict(X) != whole.predict(X)).any()
    assert model.score(X, y) > 0.97 * whole.score(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_goss_of_classes(coarse, n_classes):
    X, y = coarse
    labels = classes_of(y, n_classes)
    params = {"max_iter": 20, "random_state": 0}
    whole = HistGradientBoostingClassifier(**params).fit(X, labels)
    part = HistGradientBoostingClassifier(sampling="goss", **params).fit(X, labels)
    assert part.score(X, labels) > 0.95 * whole.score(X, labels)
    assert log_loss(labels, part.predict_proba(X)) < 1.2 * log_loss(labels, whole.predict_proba(X))


@pytest.mark.parametrize("stops", [False, True])
def test_goss_is_worked(coarse, stops):
    X, y = (values[:300] for values in coarse)
    for model, target in zip(MODELS, (classes_of(y, 2), y), strict=True):
        fitted = model(max_iter=3, sampling="goss", random_state=1, early_stopping=stops)
        steps = worked(fitted.fit(X, target), X, target)
        drawn = next(s for s in steps if s.title.startswith("The rows of the tree of round 1"))
        n = 270 if stops else 300
        assert (drawn.values["n_a"], drawn.values["n_b"]) == (n // 5, n // 10)


def test_goss_refuses_rates_that_are_no_part_of_the_rows(coarse):
    X, y = coarse
    for rates, message in [((0.9, 0.3), "at most 1"), ((0.0, 0.0), "above 0")]:
        model = HistGradientBoostingRegressor(
            sampling="goss", top_rate=rates[0], other_rate=rates[1]
        )
        with pytest.raises(ValueError, match=message):
            model.fit(X, y)
    with pytest.raises(ValueError, match="'sampling' parameter"):
        HistGradientBoostingRegressor(sampling="mvs").fit(X, y)
