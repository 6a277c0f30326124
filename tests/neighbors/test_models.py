"""Classifiers and regressors by neighbours, against scikit-learn's."""

import numpy as np
import pytest
import sklearn.neighbors
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import gramian.neighbors as ours
from gramian.metrics.pairwise import euclidean_distances

RNG = np.random.default_rng(1)
X = RNG.normal(size=(200, 4))
NEW = np.vstack([RNG.normal(size=(40, 4)), X[:10]])
LABELS = np.array(["ash", "birch", "cedar"])[RNG.integers(0, 3, 200)]
TARGET = X @ [1.0, 2.0, 0.0, -1.0] + RNG.normal(size=200)


def decaying(distances):
    """Return weights for a row of distances for each query."""
    return np.exp(-distances)


def exponential(distances):
    """Return weights for an array of arrays."""
    return np.array([np.exp(-d) for d in distances], dtype=object)


WEIGHTS = ["uniform", "distance", None, decaying]


@pytest.mark.parametrize("weights", WEIGHTS, ids=lambda given: getattr(given, "__name__", given))
@pytest.mark.parametrize("columns", [1, 2])
def test_votes_of_k(weights, columns):
    y = (
        LABELS
        if columns == 1
        else np.column_stack([LABELS == "ash", LABELS == "birch"]).astype(int)
    )
    models = [
        module.KNeighborsClassifier(7, weights=weights).fit(X, y)
        for module in (ours, sklearn.neighbors)
    ]
    found, expected = (model.predict_proba(NEW) for model in models)
    assert_allclose(found, expected, atol=1e-12)
    assert_array_equal(*(model.predict(NEW) for model in models))
    assert models[0].score(NEW, models[1].predict(NEW)) == 1.0 if columns == 1 else True


@pytest.mark.parametrize("weights", WEIGHTS, ids=lambda given: getattr(given, "__name__", given))
@pytest.mark.parametrize("columns", [1, 2])
def test_means_of_k(weights, columns):
    y = TARGET if columns == 1 else np.column_stack([TARGET, TARGET**2])
    models = [
        module.KNeighborsRegressor(6, weights=weights).fit(X, y)
        for module in (ours, sklearn.neighbors)
    ]
    found, expected = (model.predict(NEW) for model in models)
    assert found.shape == expected.shape
    assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize(
    "weights",
    ["uniform", "distance", exponential],
    ids=lambda given: getattr(given, "__name__", given),
)
@pytest.mark.parametrize("columns", [1, 2])
def test_votes_and_means_within_a_radius(weights, columns):
    y = TARGET if columns == 1 else np.column_stack([TARGET, TARGET**2])
    labels = LABELS if columns == 1 else np.column_stack([LABELS, LABELS])
    for name, target in [("RadiusNeighborsRegressor", y), ("RadiusNeighborsClassifier", labels)]:
        extra = {"outlier_label": "most_frequent"} if "Class" in name else {}
        models = [
            getattr(module, name)(2.5, weights=weights, **extra).fit(X, target)
            for module in (ours, sklearn.neighbors)
        ]
        found, expected = (model.predict(X[:60]) for model in models)
        if "Class" in name:
            assert_array_equal(found, expected)
        else:
            assert_allclose(found, expected, rtol=1e-9)


def test_rows_without_neighbours():
    far = np.full((2, 4), 100.0)
    with pytest.raises(ValueError, match="No neighbors found for test samples"):
        ours.RadiusNeighborsClassifier(1.0).fit(X, LABELS).predict(np.vstack([X[:3], far]))
    model = ours.RadiusNeighborsClassifier(1.0, outlier_label="most_frequent").fit(X, LABELS)
    names, counts = np.unique(LABELS, return_counts=True)
    assert_array_equal(model.predict(far), [names[counts.argmax()]] * 2)
    codes = np.unique(LABELS, return_inverse=True)[1]
    model = ours.RadiusNeighborsClassifier(1.0, outlier_label=-1).fit(X, codes)
    with pytest.warns(match="Outlier label -1 is not in training classes"):
        assert_array_equal(model.predict(far), [-1, -1])
    with pytest.raises(TypeError, match="dtype of outlier_label"):
        ours.RadiusNeighborsClassifier(outlier_label="none").fit(X, codes)
    with pytest.warns(match="predicting NaN"):
        found = ours.RadiusNeighborsRegressor(1.0).fit(X, TARGET).predict(far)
    assert np.isnan(found).all()


def test_a_neighbour_at_distance_0_decides_alone():
    model = ours.KNeighborsRegressor(3, weights="distance").fit([[0.0], [0.0], [1.0]], [1, 3, 50])
    assert_array_equal(model.predict([[0.0]]), [2.0])
    tiny = ours.KNeighborsRegressor(2, weights="distance").fit([[0.0], [1.0]], [1.0, 2.0])
    assert_allclose(tiny.predict([[1e-310]]), [1.0])


def test_weights_of_zero_are_refused():
    model = ours.KNeighborsClassifier(weights=np.zeros_like).fit(X, LABELS)
    with pytest.raises(ValueError, match="zero weights"):
        model.predict(NEW)
    model.set_params(weights=lambda d: d[:, :2])
    with pytest.raises(ValueError, match=r"shape of the distances, \(50, 5\), not \(50, 2\)"):
        model.predict(NEW)


def test_training_rows_are_judged_without_themselves():
    model = ours.KNeighborsClassifier(3).fit(X, LABELS)
    expected = sklearn.neighbors.KNeighborsClassifier(3).fit(X, LABELS)
    assert_array_equal(model.predict(None), expected.predict(None))
    assert_allclose(model.predict_proba(None), expected.predict_proba(None))


def test_given_distances_and_folds():
    D = euclidean_distances(X)
    model = ours.KNeighborsClassifier(metric="precomputed").fit(D, LABELS)
    plain = ours.KNeighborsClassifier().fit(X, LABELS)
    assert_array_equal(model.predict(euclidean_distances(NEW, X)), plain.predict(NEW))
    from gramian.model_selection import cross_val_score

    assert_allclose(cross_val_score(model, D, LABELS), cross_val_score(plain, X, LABELS))


def test_any_table_and_clones():
    import pandas as pd

    frame = pd.DataFrame({"x": X[:, 0], "tree": LABELS, "gap": np.where(X[:, 1] > 1, np.nan, 0.0)})
    model = ours.KNeighborsClassifier(1).fit(frame, LABELS)
    assert model.score(frame, LABELS) == 1.0
    assert clone(model).get_params() == model.get_params()
