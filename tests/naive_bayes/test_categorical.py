"""Naive Bayes on levels: numbers as scikit-learn's, text and data frames as they are."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.naive_bayes

import gramian
from gramian.naive_bayes import CategoricalNB


@pytest.fixture
def levels(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(0, 3, 300)
    return (rng.integers(0, 4, (300, 5)) + rng.integers(0, 2, (300, 5)) * (y[:, None] > 0)), y, rng


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"alpha": 0.2, "min_categories": 7},
        {"min_categories": [5, 6, 7, 8, 9], "fit_prior": False},
        {"class_prior": [0.2, 0.3, 0.5]},
    ],
)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_same_as_sklearn(levels, params, is_weighted):
    X, y, rng = levels
    weight = rng.random(len(y)) if is_weighted else None
    ours = CategoricalNB(**params).fit(X, y, sample_weight=weight)
    theirs = sklearn.naive_bayes.CategoricalNB(**params).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(ours.n_categories_, theirs.n_categories_)
    for name in ("category_count_", "feature_log_prob_"):
        for a, b in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10)
    for name in ("predict_joint_log_proba", "predict_proba"):
        np.testing.assert_allclose(getattr(ours, name)(X), getattr(theirs, name)(X), rtol=1e-10)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_text_in_any_form_is_one_model(levels):
    X, y, _ = levels
    text = np.array(["low", "mid", "high", "top", "max"])[X]
    frame = pd.DataFrame(text, columns=list("abcde"))
    expected = CategoricalNB().fit(X, y).predict_proba(X)
    for rows in (text, text.astype(object), text.tolist(), frame, pl.from_pandas(frame)):
        np.testing.assert_allclose(CategoricalNB().fit(rows, y).predict_proba(rows), expected)
    model = CategoricalNB().fit(frame.astype("category"), y)
    assert model.categories_[0] == ("high", "low", "max", "mid", "top")
    np.testing.assert_allclose(model.predict_proba(frame[list("ecadb")]), expected)


@pytest.mark.parametrize("as_text", [False, True])
def test_rows_in_any_parts_and_order(levels, as_text):
    X, y, rng = levels
    X = X.astype(str) if as_text else X
    whole = CategoricalNB().fit(X, y)
    parts = CategoricalNB()
    for rows in np.array_split(rng.permutation(len(y)), 9):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    assert gramian.fingerprint(parts) == gramian.fingerprint(whole)


@pytest.mark.parametrize("as_text", [False, True])
def test_rows_of_weight_zero_are_absent(levels, as_text):
    """Also where such a row has the only one of a level."""
    X, y, rng = levels
    X[0] = 9
    X = X.astype(str) if as_text else X
    weight = rng.integers(0, 3, len(y))
    weight[0] = 0
    weighted = CategoricalNB().fit(X, y, sample_weight=weight)
    copied = CategoricalNB().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert gramian.fingerprint(weighted) == gramian.fingerprint(copied)


def test_missing_values_leave_their_factor_out(levels):
    """The model of the other columns answers, and columns are counted where they are known."""
    X, y, _ = levels
    gaps = X.astype(np.float64)
    gaps[::3, 1] = np.nan
    model = CategoricalNB().fit(gaps, y)
    counted = CategoricalNB().fit(X[np.arange(len(y)) % 3 != 0], y[np.arange(len(y)) % 3 != 0])
    np.testing.assert_array_equal(model.category_count_[1], counted.category_count_[1])
    others = CategoricalNB().fit(X[:, [0, 2, 3, 4]], y)
    expected = others.predict_proba(X[::3][:, [0, 2, 3, 4]])
    np.testing.assert_allclose(model.predict_proba(gaps[::3]), expected, rtol=1e-12)


def test_column_without_any_value_says_nothing(levels):
    X, y, _ = levels
    frame = pd.DataFrame(X.astype(str)).assign(empty=None)
    frame.columns = list("abcdef")
    model = CategoricalNB().fit(frame, y)
    expected = CategoricalNB().fit(frame[list("abcde")], y).predict_proba(frame[list("abcde")])
    np.testing.assert_array_equal(model.predict_proba(frame.assign(f="new")), expected)
    assert model.n_categories_[5] == 0


def test_column_of_one_level_says_nothing(levels):
    X, y, _ = levels
    more = np.column_stack([X, np.zeros(len(y), dtype=np.int64)])
    expected = CategoricalNB(alpha=0.0).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(CategoricalNB(alpha=0.0).fit(more, y).predict_proba(more), expected)


def test_unseen_levels_of_numbers_are_refused(levels):
    X, y, _ = levels
    new = X[:4].copy()
    new[2, 3] = 9
    with pytest.raises(ValueError, match=r"Column 'x3' has the level '9' in row 2, .* not seen"):
        CategoricalNB().fit(X, y).predict(new)
    joint = CategoricalNB(unseen="ignore").fit(X, y).predict_joint_log_proba(new)
    gap = np.where(new == 9, np.nan, new)
    np.testing.assert_array_equal(joint, CategoricalNB().fit(X, y).predict_joint_log_proba(gap))


def test_unseen_levels_of_tables_are_left_out_or_smoothed():
    frame = pd.DataFrame({"town": ["Oslo", "Oslo", "Rome"], "sex": ["f", "m", "m"]})
    new = pd.DataFrame({"town": ["Bern"], "sex": ["m"]})
    y = ["a", "a", "b"]
    joint = CategoricalNB().fit(frame, y).predict_joint_log_proba(new)
    np.testing.assert_allclose(np.exp(joint), [[2 / 3 * 2 / 4, 1 / 3 * 2 / 3]])
    joint = CategoricalNB(unseen="smooth").fit(frame, y).predict_joint_log_proba(new)
    np.testing.assert_allclose(np.exp(joint), [[2 / 3 * 2 / 4 * 1 / 4, 1 / 3 * 2 / 3 * 1 / 3]])
    with pytest.raises(ValueError, match="Column 'town' has the level 'Bern' in row 0"):
        CategoricalNB(unseen="error").fit(frame, y).predict(new)


def test_saved_and_loaded(levels, tmp_path):
    X, y, _ = levels
    model = CategoricalNB().fit(X.astype(str), y)
    gramian.save(model, tmp_path / "model.gramian")
    again = gramian.load(tmp_path / "model.gramian")
    np.testing.assert_array_equal(
        again.predict_proba(X.astype(str)), model.predict_proba(X.astype(str))
    )


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[-1, 0]], "Negative values .* the least is -1"),
        ([[0, 3e9]], "level 3e.09 of X is too large"),
        ([[0, np.inf]], "infinity"),
    ],
)
def test_wrong_levels(X, message):
    with pytest.raises(ValueError, match=message):
        CategoricalNB().fit(X, [0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 3), (10, 1), (700, 5), (5000, 3)])
def test_numbers_in_frames_are_the_levels_that_sorting_finds(shape, dtype, global_random_seed):
    """Whole numbers are found by their value; beside a half in each column they are sorted."""
    rng = np.random.default_rng(global_random_seed)
    X = rng.integers(-3, 9, shape).astype(dtype)
    X[rng.random(shape) < 0.1] = np.nan
    y = np.arange(shape[0]) % 3
    weight = rng.integers(0, 3, shape[0]).astype(float) + (np.arange(shape[0]) == 0)
    new = rng.integers(-5, 12, (50, shape[1])) / rng.choice([1.0, 2.0], (50, 1))
    frames = [pl.DataFrame(np.asarray(X, order=order)) for order in "CF"]
    halved = pl.DataFrame(X / 2)  # levels "-1.5", "0", "0.5", ...
    for sample_weight in (None, weight):
        for frame in frames:
            whole = CategoricalNB().fit(frame, y, sample_weight=sample_weight)
            sorted_ = CategoricalNB().fit(halved, y, sample_weight=sample_weight)
            for names, others in zip(whole.categories_, sorted_.categories_, strict=True):
                assert sorted(float(v) / 2 for v in names) == sorted(map(float, others))
            np.testing.assert_allclose(
                whole.predict_joint_log_proba(pl.DataFrame(new)),
                sorted_.predict_joint_log_proba(pl.DataFrame(new / 2)),
                rtol=1e-12,
                atol=1e-12,
            )


def test_numbers_of_any_size_in_frames_are_levels():
    values = np.array([0.0, -0.0, 1e15, -1e15, 3e9, 2.5, np.nan, 7.0])
    frame = pd.DataFrame({"x": values, "one": 1.0, "none": np.nan})
    model = CategoricalNB(alpha=0.5).fit(frame, np.arange(8) % 2)
    assert model.categories_[0] == tuple(
        sorted(["0", "1000000000000000", "-1000000000000000", "3000000000", "2.5", "7"])
    )
    assert model.categories_[1:] == [("1",), ()]
    text = frame.astype(object).map(lambda v: None if np.isnan(v) else f"{v + 0.0:g}")
    text["x"] = ["0", "0", "1e15", "-1e15", "3e9", "2.5", None, "7"]
    other = CategoricalNB(alpha=0.5).fit(text, np.arange(8) % 2)
    np.testing.assert_allclose(model.predict_proba(frame), other.predict_proba(text), rtol=1e-12)


def test_fractions_and_far_numbers_in_arrays_are_levels_as_before(global_random_seed):
    """Numbers of an array are cut to whole ones, as scikit-learn does."""
    rng = np.random.default_rng(global_random_seed)
    X = rng.integers(0, 5, (60, 3)) + rng.choice([0.0, 0.25], (60, 3))
    y = np.arange(60) % 3
    ours, theirs = CategoricalNB().fit(X, y), sklearn.naive_bayes.CategoricalNB().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-10)
    far = np.array([[0.0], [200_000.0], [3.0]])
    model = CategoricalNB().fit(far, [0, 1, 1])
    assert model.n_categories_[0] == 200_001 and model.predict([[200_000]])[0] == 1
