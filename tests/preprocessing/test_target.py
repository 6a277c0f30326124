"""Encodings by the target: folds as in scikit-learn, and in a random order."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.preprocessing as sk
from tests.preprocessing.cases import labels

import gramian.preprocessing as ours
from gramian.model_selection import KFold


def target(kind, n_rows=80):
    rng = np.random.default_rng(4)
    if kind == "continuous":
        return rng.standard_normal(n_rows)
    names = ["no", "yes"] if kind == "binary" else ["x", "y", "z"]
    return np.array(names)[rng.integers(0, len(names), n_rows)]


@pytest.mark.parametrize("kind", ["continuous", "binary", "multiclass"])
@pytest.mark.parametrize("smooth", ["auto", 0.0, 2.5])
def test_target_encoder(kind, smooth):
    from sklearn.model_selection import KFold as TheirKFold

    X, y = labels(), target(kind)
    model = ours.TargetEncoder(smooth=smooth, cv=KFold(4, shuffle=True, random_state=0))
    expected = sk.TargetEncoder(smooth=smooth, cv=TheirKFold(4, shuffle=True, random_state=0))
    found, wanted = model.fit_transform(X, y), expected.fit_transform(X, y)
    np.testing.assert_allclose(found, wanted, rtol=1e-10)
    assert model.target_type_ == expected.target_type_
    np.testing.assert_allclose(model.target_mean_, expected.target_mean_)
    for encoding, right in zip(model.encodings_, expected.encodings_, strict=True):
        np.testing.assert_allclose(encoding, right, rtol=1e-10)
    assert model.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    new = labels(1)
    new[0, 0] = "yew"
    np.testing.assert_allclose(model.transform(new), expected.transform(new), rtol=1e-10)


@pytest.mark.parametrize("kind", ["continuous", "binary"])
def test_target_encoder_with_a_seed(kind):
    X, y = labels(), target(kind)
    found = []
    for family in (ours, sk):
        with pytest.warns(FutureWarning, match="deprecated"):
            found.append(family.TargetEncoder(cv=3, random_state=7).fit_transform(X, y))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-10)


def test_target_encoder_of_frames_and_errors():
    columns = {"city": ["Rome", None, "Oslo", "Rome"] * 5}
    y = np.arange(20.0)
    expected = ours.TargetEncoder(smooth=1.0).fit(pd.DataFrame(columns), y)
    model = ours.TargetEncoder(smooth=1.0).fit(pl.DataFrame(columns), y)
    np.testing.assert_array_equal(model.encodings_[0], expected.encodings_[0])
    for family in (ours, sk):
        with pytest.raises(ValueError, match=r"Target type was inferred|Unknown label type"):
            family.TargetEncoder().fit([["a"], ["b"]], [[1, 2], [3, 4]])
        with pytest.raises(ValueError, match="inconsistent"):
            family.TargetEncoder().fit([["a"], ["b"]], [1])
    overlapping = [(np.arange(10), np.arange(20)), (np.arange(10), np.arange(5))]
    with pytest.raises(ValueError, match="exactly once"):
        ours.TargetEncoder(cv=overlapping).fit_transform(pd.DataFrame(columns), y)


def by_hand(codes, y, order, prior, smooth):
    """Encode by the definition, one row after the other."""
    sums, counts = {}, {}
    out = np.empty(len(codes))
    for row in order:
        code = codes[row]
        weight = counts.get(code, 0) + smooth
        out[row] = (sums.get(code, 0.0) + smooth * prior) / weight if weight else prior
        sums[code] = sums.get(code, 0.0) + y[row]
        counts[code] = counts.get(code, 0) + 1
    return out


@pytest.mark.parametrize("prior", [None, 0.25])
@pytest.mark.parametrize("smooth", [0.0, 1.0, 10.0])
def test_ordered_target_encoder(prior, smooth):
    X, y = labels(), target("continuous")
    model = ours.OrderedTargetEncoder(smooth=smooth, prior=prior, random_state=3)
    found = model.fit_transform(X, y)
    order = np.random.RandomState(3).permutation(len(y))
    start = y.mean() if prior is None else prior
    for j in range(2):
        np.testing.assert_allclose(found[:, j], by_hand(X[:, j], y, order, start, smooth))
    rows = X[:, 0] == "ash"
    own = (y[rows].sum() + smooth * start) / (rows.sum() + smooth)
    np.testing.assert_allclose(model.transform(X)[rows, 0], own)
    new = labels(1)[:1]
    new[0, 0] = "yew"
    np.testing.assert_allclose(model.transform(new)[0, 0], start)


def test_ordered_target_encoder_of_classes():
    X, y = labels(), target("multiclass")
    model = ours.OrderedTargetEncoder(random_state=0).fit(X, y)
    found = model.fit_transform(X, y)
    assert found.shape == (80, 9)
    np.testing.assert_allclose(found.reshape(80, 3, 3).sum(axis=2), 1.0)
    assert model.get_feature_names_out()[:3].tolist() == ["x0_x", "x0_y", "x0_z"]
    again = ours.OrderedTargetEncoder(random_state=0).fit_transform(X, y)
    np.testing.assert_array_equal(found, again)
    whole = np.arange(80.0) % 7
    assert ours.OrderedTargetEncoder().fit(X, whole).target_type_ == "continuous"
    assert ours.OrderedTargetEncoder().fit(X, whole.astype(int)).target_type_ == "multiclass"
    numbers = ours.OrderedTargetEncoder(target_type="continuous").fit(X, whole.astype(int))
    assert numbers.target_type_ == "continuous"
    two = ours.OrderedTargetEncoder().fit(X, target("binary"))
    assert two.classes_.tolist() == ["no", "yes"] and len(two.encodings_) == 3


def test_no_row_sees_its_own_target():
    """With a category for each row, nothing but the prior can be told."""
    X = np.arange(50).reshape(-1, 1)
    y = np.random.default_rng(0).standard_normal(50)
    found = ours.OrderedTargetEncoder(prior=0.0).fit_transform(X, y)
    assert (found == 0.0).all()
