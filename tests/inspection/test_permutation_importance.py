"""Permutation importance: scikit-learn's numbers, groups, intervals, any table."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.inspection import permutation_importance as theirs
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from gramian.inspection import permutation_importance
from gramian.linear_model import LinearRegression, Ridge
from gramian.metrics import get_scorer


@pytest.fixture(scope="module")
def regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    return X, X @ [1.0, 0.5, 0.0, 2.0] + rng.normal(size=150)


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3))
    return X, np.array(["a", "b", "c"])[np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])]


def assert_same(ours, expected):
    for name in ("importances", "importances_mean", "importances_std"):
        assert_allclose(ours[name], expected[name], rtol=0, atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("max_samples", [1.0, 0.5, 20, 0.995, 1])
def test_numbers_of_scikit_learn(regression, seed, max_samples):
    X, y = regression
    options = {"random_state": seed, "max_samples": max_samples, "n_repeats": 3}
    if max_samples == 1:  # the R² of one row is undefined
        options["scoring"] = "neg_mean_absolute_error"
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    assert_same(permutation_importance(model, X, y, **options), theirs(model, X, y, **options))


def test_weights_and_several_scorers(classes):
    X, y = classes
    weight = np.random.default_rng(2).integers(0, 4, size=len(y))
    model = LogisticRegression().fit(X, y)
    for scoring in (["accuracy", "neg_log_loss"], {"kappa": get_scorer("balanced_accuracy")}):
        options = {"random_state": 3, "sample_weight": weight, "max_samples": 60}
        ours = permutation_importance(model, X, y, scoring=scoring, **options)
        expected = theirs(model, X, y, scoring=scoring, **options)
        assert set(ours) == set(expected)
        for name in ours:
            assert_same(ours[name], expected[name])


def test_a_stream_goes_on(regression):
    X, y = regression
    model = Ridge().fit(X, y)
    ours, expected = np.random.RandomState(7), np.random.RandomState(7)
    for _ in range(2):
        assert_same(
            permutation_importance(model, X, y, random_state=ours),
            theirs(model, X, y, random_state=expected),
        )
    generator = np.random.default_rng(0)
    one = permutation_importance(model, X, y, random_state=generator)
    assert not np.allclose(
        one.importances, permutation_importance(model, X, y, random_state=generator).importances
    )


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_workers_change_nothing(regression, n_jobs):
    from joblib import parallel_backend

    X, y = regression
    model = Ridge().fit(X, y)
    options = {"random_state": 0, "max_samples": 0.7, "confidence_level": 0.9}
    alone = permutation_importance(model, X, y, **options)
    with parallel_backend("threading"):
        together = permutation_importance(model, X, y, n_jobs=n_jobs, **options)
    for name in ("importances", "importances_ci"):
        assert_array_equal(alone[name], together[name])


def test_every_data_frame(make_frame):
    rng = np.random.default_rng(0)
    columns = {
        "size": rng.normal(size=60).tolist(),
        "city": rng.choice(["Oslo", "Rome"], size=60).tolist(),
        "age": [None, *rng.normal(size=59).tolist()],
    }
    frame = make_frame(columns)
    y = np.array(columns["size"]) + 3.0 * (np.array(columns["city"]) == "Oslo")
    model = Ridge().fit(frame, y)
    result = permutation_importance(model, frame, y, random_state=0, max_samples=50)
    pandas = pd.DataFrame(columns, index=np.arange(60) % 7)  # an index that repeats
    assert_same(result, theirs(model, pandas, y, random_state=0, max_samples=50))
    assert result.frame()["feature"].tolist()[0] == "city"
    assert result.features == ["size", "city", "age"]


def test_the_data_stay_as_they_are(regression):
    X, y = regression
    before = X.copy()
    X = np.asfortranarray(X)
    X.flags.writeable = False
    permutation_importance(Ridge().fit(X, y), X, y, random_state=0)
    assert_array_equal(X, before)


# -- groups ----------------------------------------------------------------------------------------


def test_twins_share_their_importance_and_have_it_whole_together():
    """Ridge gives each twin half the coefficient, so each alone a quarter of the importance."""
    rng = np.random.default_rng(0)
    signal = rng.normal(size=400)
    X = np.column_stack([signal, signal, rng.normal(size=400)])
    model = Ridge().fit(X, signal)
    alone = permutation_importance(model, X, signal, random_state=0).importances_mean
    grouped = permutation_importance(model, X, signal, random_state=0, groups={"signal": [0, 1]})
    assert grouped.features == ["signal", "x2"]
    assert_allclose(grouped.importances_mean[0] / alone[:2], 4.0, rtol=0.02)


def test_a_group_is_shuffled_as_one(regression):
    """The score of a group is that of the rows with all its columns in the one other order."""
    X, y = regression
    model = LinearRegression().fit(X, y)
    result = permutation_importance(model, X, y, n_repeats=2, random_state=0, groups=[[0, 3]])
    seed = np.random.RandomState(0).randint(2**31)
    source, shuffle, order = np.random.RandomState(seed), np.arange(150), np.arange(150)
    for repeat in range(2):
        source.shuffle(shuffle)
        order = order[shuffle]
        moved = X.copy()
        moved[:, [0, 3]] = X[order][:, [0, 3]]
        loss = model.score(X, y) - model.score(moved, y)
        assert_allclose(result.importances[0, repeat], loss, atol=1e-12)
    assert result.features == ["x0 + x3", "x1", "x2"]


def test_groups_of_one_are_no_groups(regression):
    X, y = regression
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = Ridge().fit(frame, y)
    plain = permutation_importance(model, frame, y, random_state=0)
    grouped = permutation_importance(
        model, frame, y, random_state=0, groups={"first": "d", "second": ["b"]}
    )
    assert_array_equal(grouped.importances, plain.importances[[3, 1, 0, 2]])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"g": ["nothing"]}, "'nothing' is no column of X; it has a, b"),
        ([["a", "b"], ["b"]], "belongs to one group only; b to more"),
        ({"g": []}, "g has no columns"),
        ([[5]], "5 is no column"),
    ],
)
def test_wrong_groups(groups, message):
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 0.0]})
    model = LinearRegression().fit(frame, [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match=message):
        permutation_importance(model, frame, [0.0, 1.0, 2.0], groups=groups)


# -- intervals -------------------------------------------------------------------------------------


def test_interval_of_noise_covers_zero():
    """On new rows a column of noise has no importance: the interval says so in 95 % of cases."""
    rng, covered = np.random.default_rng(0), []
    for seed in range(60):
        X = rng.normal(size=(300, 3))
        y = X[:, 0] + rng.normal(size=300)
        model = LinearRegression().fit(X[:40], y[:40])
        result = permutation_importance(
            model, X[40:], y[40:], n_repeats=5, random_state=seed, confidence_level=0.95
        )
        covered.extend((result.importances_ci[1:, 0] <= 0) & (result.importances_ci[1:, 1] >= 0))
        assert result.importances_ci[0, 0] > 0  # the column that matters
    assert np.mean(covered) > 0.9


def test_interval_changes_no_other_number(classes):
    X, y = classes
    model = LogisticRegression().fit(X, y)
    options = {"random_state": 0, "scoring": ["accuracy", "neg_log_loss"]}
    plain = permutation_importance(model, X, y, **options)
    more = permutation_importance(model, X, y, confidence_level=0.8, **options)
    for name in plain:
        assert_array_equal(plain[name].importances, more[name].importances)
        interval = more[name].importances_ci
        assert_allclose(interval.mean(axis=1), plain[name].importances_mean)
        assert list(more[name].frame("polars").columns)[-2:] == ["lower", "upper"]
        assert "importances_ci" not in plain[name]


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"n_repeats": 0},
        {"max_samples": 0},
        {"max_samples": 1.5},
        {"max_samples": 1000},
        {"max_samples": 0.0001},
        {"n_jobs": 1.5},
        {"random_state": "seed"},
        {"scoring": "no such score"},
        {"confidence_level": 1.0},
        {"confidence_level": 0.9, "max_samples": 15},
        {"sample_weight": [1.0]},
    ],
    ids=str,
)
def test_wrong_arguments(regression, options):
    X, y = regression
    with pytest.raises(ValueError):
        permutation_importance(Ridge().fit(X, y), X, y, **options)


def test_sparse_data_are_refused(regression):
    from scipy.sparse import csr_array

    X, y = regression
    with pytest.raises(TypeError, match="dense data is required"):
        permutation_importance(Ridge().fit(X, y), csr_array(X), y)
