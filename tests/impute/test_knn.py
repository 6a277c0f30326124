"""KNNImputer against scikit-learn's."""

import numpy as np
import pytest
from sklearn import impute as sk
from sklearn.metrics.pairwise import nan_euclidean_distances

import gramian
from gramian import metrics
from gramian.impute import KNNImputer, _knn


def with_gaps(seed, mark=np.nan, shape=(40, 6), share=0.25):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal(shape)
    X[rng.random(shape) < share] = mark
    return X


def inverse_square(distances):
    return 1.0 / (1.0 + distances**2)


@pytest.mark.parametrize("weights", ["uniform", "distance", None, inverse_square])
@pytest.mark.parametrize("mark", [np.nan, -9.0])
@pytest.mark.parametrize("n_neighbors", [1, 3, 100])
@pytest.mark.parametrize("options", [{}, {"add_indicator": True}, {"keep_empty_features": True}])
def test_same_as_sklearn(weights, mark, n_neighbors, options, global_random_seed):
    X, new = (with_gaps(seed, mark) for seed in (global_random_seed, global_random_seed + 1))
    X[:, 2] = mark
    params = {"weights": weights, "missing_values": mark, "n_neighbors": n_neighbors, **options}
    theirs, ours = sk.KNNImputer(**params).fit(X), KNNImputer(**params).fit(X)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-10, atol=1e-12)
    if "keep_empty_features" not in options:  # scikit-learn then has a name too few
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert len(ours.get_feature_names_out()) == ours.transform(new).shape[1]


def test_in_blocks(monkeypatch):
    X = with_gaps(0)
    expected = KNNImputer().fit_transform(X)
    monkeypatch.setattr(_knn, "_BLOCK", 90)
    np.testing.assert_allclose(KNNImputer().fit_transform(X), expected, rtol=1e-13)


def test_distances_keep_their_digits():
    """Rows far from zero, some equal: a distance of 0 is 0, others are not lost."""
    rng = np.random.default_rng(0)
    X = 1e7 + np.repeat(rng.standard_normal((5, 3)), 2, axis=0)
    X[0, 1] = np.nan
    found = metrics.nan_euclidean_distances(X)
    np.testing.assert_allclose(found, nan_euclidean_distances(X - 1e7), rtol=1e-6, atol=1e-7)
    assert found[2, 3] == 0.0
    assert np.isnan(KNNImputer(weights="distance").fit_transform(X)).sum() == 0


def test_rows_without_common_columns():
    X = np.array([[1.0, np.nan], [np.nan, 4.0], [3.0, np.nan], [np.nan, 8.0]])
    np.testing.assert_array_equal(KNNImputer().fit_transform(X), sk.KNNImputer().fit_transform(X))


def test_own_metric():
    def cityblock(x, z, *, missing_values):
        return np.nansum(np.abs(x - z))

    X = with_gaps(2)
    expected = sk.KNNImputer(metric=cityblock).fit_transform(X)
    np.testing.assert_allclose(KNNImputer(metric=cityblock).fit_transform(X), expected)


def test_tables_copies_and_files(make_frame, tmp_path):
    X = with_gaps(3)
    gaps = [[None if v != v else v for v in column] for column in X.T.tolist()]
    frame = make_frame(dict(zip("abcdef", gaps, strict=True)))
    imputer = KNNImputer().fit(frame)
    filled = KNNImputer().fit_transform(X)
    np.testing.assert_allclose(imputer.transform(frame), filled)
    gramian.save(imputer, tmp_path / "knn.gramian")
    loaded = gramian.load(tmp_path / "knn.gramian")
    np.testing.assert_array_equal(loaded.transform(frame), imputer.transform(frame))
    assert np.isnan(X).any()
    assert KNNImputer(copy=False).fit(X.copy()).transform(X) is X
    with pytest.raises(ValueError, match="infinity"):
        KNNImputer().fit([[np.inf], [1.0]])


def test_of_equally_near_donors_the_first_are_taken():
    X = np.array([[0.0, np.nan], [1.0, 10.0], [-1.0, 20.0], [1.0, 30.0]])
    assert KNNImputer(n_neighbors=1).fit_transform(X)[0, 1] == 10.0
    assert KNNImputer(n_neighbors=2).fit_transform(X)[0, 1] == 15.0


def test_rows_filled_in_place_do_not_change_what_others_get(monkeypatch):
    X = with_gaps(3)
    expected = KNNImputer().fit_transform(X)
    monkeypatch.setattr(_knn, "_BLOCK", 50)
    np.testing.assert_array_equal(KNNImputer(copy=False).fit_transform(X.copy()), expected)
