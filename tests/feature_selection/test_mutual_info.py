"""Mutual information of columns and targets gives scikit-learn's numbers and errors."""

import numpy as np
import pandas as pd
import pytest
import sklearn.feature_selection as sk
from scipy import sparse

import gramian
from gramian.exceptions import InvalidParameterError
from gramian.feature_selection import SelectKBest, mutual_info_classif, mutual_info_regression


def draw(seed, n=200):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] = X[:, 2] > 0
    X[:, 4] = 3.0
    y = X[:, 0] + X[:, 1] + 0.5 * rng.standard_normal(n)
    return X, y


@pytest.mark.parametrize("n", [8, 30, 500])
@pytest.mark.parametrize("n_neighbors", [1, 3, 6])
@pytest.mark.parametrize(
    "discrete", ["auto", False, [1, 2, 4], [False, True, True, False, True], np.array([2])]
)
def test_numbers(n, n_neighbors, discrete, global_random_seed):
    X, y = draw(global_random_seed, n)
    classes = np.array(["a", "b", "c"])[np.digitize(y, [-0.5, 1.0])]
    options = {"discrete_features": discrete, "n_neighbors": n_neighbors, "random_state": 7}
    for ours, theirs, target in (
        (mutual_info_regression, sk.mutual_info_regression, y),
        (mutual_info_regression, sk.mutual_info_regression, np.round(y)),
        (mutual_info_classif, sk.mutual_info_classif, classes),
    ):
        expected = theirs(X, target, **options)
        np.testing.assert_allclose(ours(X, target, **options), expected, rtol=0, atol=1e-12)


def test_discrete_columns():
    X, y = draw(1)
    whole = np.round(X[:, :4]).astype(int)
    classes = y > 0
    for matrix in (whole, sparse.csr_array(whole), sparse.csc_matrix(whole)):
        options = {} if sparse.issparse(matrix) else {"discrete_features": True}
        for name, target in (("mutual_info_classif", classes), ("mutual_info_regression", y)):
            ours, theirs = getattr(gramian.feature_selection, name), getattr(sk, name)
            np.testing.assert_allclose(
                ours(matrix, target, random_state=0, **options),
                theirs(matrix, target, random_state=0, **options),
                atol=1e-12,
            )


def test_classes_of_one_row_are_left_out():
    X, _ = draw(2, 40)
    classes = np.arange(40) // 3
    expected = sk.mutual_info_classif(X, classes, random_state=0)
    np.testing.assert_allclose(mutual_info_classif(X, classes, random_state=0), expected)
    with pytest.raises(ValueError, match="one row only"):
        mutual_info_classif(X, np.arange(40))


def test_normal_variables():
    # I = -log(1 - r^2) / 2 for two normal variables of correlation r.
    rng = np.random.default_rng(5)
    for r in (0.0, 0.6, 0.95):
        x = rng.multivariate_normal([0.0, 0.0], [[1.0, r], [r, 1.0]], 20_000)
        found = mutual_info_regression(x[:, :1], x[:, 1], random_state=0)[0]
        assert found == pytest.approx(-0.5 * np.log(1.0 - r**2), abs=0.03)


def test_the_same_for_any_number_of_threads():
    X, y = draw(3, 9000)
    for function, target in ((mutual_info_regression, y), (mutual_info_classif, y > 0)):
        found = [function(X, target, random_state=0, n_jobs=n_jobs) for n_jobs in (1, 2, 7, -1)]
        for other in found[1:]:
            np.testing.assert_array_equal(other, found[0])


def test_float32():
    X, y = draw(4)
    single = X.astype(np.float32), y.astype(np.float32)
    for name, target in (("mutual_info_classif", y > 0), ("mutual_info_regression", single[1])):
        ours, theirs = getattr(gramian.feature_selection, name), getattr(sk, name)
        found = ours(single[0], target, random_state=0)
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, theirs(single[0], target, random_state=0), atol=1e-12)


def test_copy():
    X, y = draw(5)
    before = X.copy()
    mutual_info_regression(X, y, random_state=0)
    np.testing.assert_array_equal(X, before)
    theirs = X.copy()
    sk.mutual_info_regression(theirs, y, copy=False, random_state=0)
    mutual_info_regression(X, y, copy=False, random_state=0)
    np.testing.assert_allclose(X, theirs, rtol=1e-14)


def test_in_a_selector():
    X, y = draw(6)
    frame = pd.DataFrame(X, columns=list("abcde"))
    selector = SelectKBest(mutual_info_regression, k=2).fit(frame, y)
    assert selector.get_feature_names_out().tolist() == ["a", "b"]
    assert selector.pvalues_ is None
    classes = np.where(y > 0, "high", "low")
    assert SelectKBest(mutual_info_classif, k=2).fit_transform(X, classes).shape == (200, 2)


def test_saved_selector(tmp_path):
    X, y = draw(7)
    selector = SelectKBest(mutual_info_classif, k=2).fit(X, y > 0)
    gramian.save(selector, tmp_path / "model")
    loaded = gramian.load(tmp_path / "model")
    assert loaded.score_func is mutual_info_classif
    np.testing.assert_array_equal(loaded.transform(X), selector.transform(X))


def test_wrong_arguments():
    X, y = draw(8, 20)
    for function in (mutual_info_classif, mutual_info_regression):
        for name, value in (
            ("discrete_features", "manual"),
            ("n_neighbors", 0),
            ("copy", 1.5),
            ("random_state", "a"),
            ("n_jobs", 1.5),
        ):
            with pytest.raises(InvalidParameterError, match=f"{name}.*{function.__name__}"):
                function(X, y > 0, **{name: value})
        with pytest.raises(ValueError, match="continuous features"):
            function(sparse.csr_array(X), y > 0, discrete_features=False)
        with pytest.raises(IndexError):
            function(X, y > 0, discrete_features=[True, False])
        with pytest.raises(IndexError):
            function(X, y > 0, discrete_features=[11])
        with pytest.raises(ValueError, match="NaN"):
            function(np.full((3, 1), np.nan), [0, 1, 1])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        mutual_info_classif(X, y)
    with pytest.raises(ValueError, match="n_neighbors < n_samples_fit"):
        mutual_info_regression(X[:3], y[:3])
