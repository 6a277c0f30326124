"""Fitted trees against scikit-learn's, and what only ours can do."""

import numpy as np
import pytest
import sklearn.tree
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import gramian
from gramian.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 5))
NOISY = X[:, 0] + 0.5 * X[:, 1] + 0.8 * RNG.normal(size=300)
LABELS = np.array(["ash", "birch", "cedar"])[np.digitize(NOISY, [-0.2, 0.7])]
VALUES = X[:, 0] * 2 + np.abs(X[:, 1]) + RNG.normal(size=300)
WEIGHT = RNG.uniform(0.5, 2.0, 300)

NODES = [
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "value",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "n_classes",
]


def assert_same_tree(ours, theirs):
    """The same nodes in the same order."""
    assert (ours.node_count, ours.max_depth) == (theirs.node_count, theirs.max_depth)
    assert (ours.n_leaves, ours.n_outputs, ours.n_features, ours.max_n_classes) == (
        theirs.n_leaves,
        theirs.n_outputs,
        theirs.n_features,
        theirs.max_n_classes,
    )
    for name in NODES:
        mine, yours = getattr(ours, name), getattr(theirs, name)
        np.testing.assert_allclose(mine, yours, rtol=1e-10, atol=1e-10, err_msg=name)
        assert mine.dtype == yours.dtype, name


CASES = {
    "gini": (DecisionTreeClassifier, {"max_depth": 3, "max_features": 5}, LABELS),
    "entropy": (DecisionTreeClassifier, {"criterion": "entropy", "max_depth": 3}, LABELS),
    "balanced": (
        DecisionTreeClassifier,
        {"class_weight": "balanced", "max_depth": 3},
        LABELS,
    ),
    "two labels": (
        DecisionTreeClassifier,
        {"max_depth": 3},
        (X[:, :2] + X[:, 2:4] > 0).astype(int),
    ),
    "squares": (DecisionTreeRegressor, {"min_samples_leaf": 4}, VALUES),
    "absolute": (DecisionTreeRegressor, {"criterion": "absolute_error", "max_depth": 4}, VALUES),
    "poisson": (
        DecisionTreeRegressor,
        {"criterion": "poisson", "max_depth": 3},
        np.exp(VALUES / 3),
    ),
    "two values": (DecisionTreeRegressor, {"min_samples_split": 0.1}, np.c_[VALUES, X[:, 1] ** 2]),
    "price": (DecisionTreeRegressor, {"ccp_alpha": 0.05}, VALUES),
    "rising": (
        DecisionTreeRegressor,
        {"monotonic_cst": [1, 0, 0, 0, -1], "min_samples_leaf": 9},
        VALUES,
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_same_tree_as_scikit_learn(name, is_weighted):
    cls, params, y = CASES[name]
    weight = WEIGHT if is_weighted and params.get("class_weight") is None else None
    if name == "absolute":
        weight = WEIGHT  # else cuts of equal error are many, and rounding decides in scikit-learn
    ours = cls(**params, random_state=0).fit(X, y, weight)
    theirs = getattr(sklearn.tree, cls.__name__)(**params, random_state=0).fit(X, y, weight)
    assert_same_tree(ours.tree_, theirs.tree_)
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-10)
    found, expected = ours.decision_path(X), theirs.decision_path(X)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    if cls is DecisionTreeClassifier:
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    else:
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)
    path, other = (m.cost_complexity_pruning_path(X, y, weight) for m in (ours, theirs))
    if ours.ccp_alpha == 0:
        np.testing.assert_allclose(path.ccp_alphas, other.ccp_alphas, atol=1e-10)
        np.testing.assert_allclose(path.impurities, other.impurities, atol=1e-10)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_absolute_error_is_not_above_scikit_learns(depth):
    """Cuts of equal error are many without weights, so trees may differ; the error may not."""
    params = {"criterion": "absolute_error", "max_depth": depth, "random_state": 0}
    ours = DecisionTreeRegressor(**params).fit(X, VALUES)
    theirs = sklearn.tree.DecisionTreeRegressor(**params).fit(X, VALUES)
    error, expected = (np.abs(m.predict(X) - VALUES).mean() for m in (ours, theirs))
    assert error <= expected * (1 + 1e-12)


def test_best_first_leaves_are_scikit_learns():
    """The numbers of the nodes differ, ours are in preorder; the leaves' values do not."""
    ours = DecisionTreeRegressor(max_leaf_nodes=12, random_state=0).fit(X, VALUES)
    theirs = sklearn.tree.DecisionTreeRegressor(max_leaf_nodes=12, random_state=0).fit(X, VALUES)
    assert ours.get_n_leaves() == theirs.get_n_leaves() == 12
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)


def test_the_notes_numbers():
    iris = load_iris()
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    model.fit(iris.data[:, 2:], iris.target)
    expected = [[0.0, 0.90740741, 0.09259259]]
    np.testing.assert_allclose(model.predict_proba([[4.5, 1.6]]), expected, atol=5e-9)
    with np.errstate(divide="ignore"):
        logs = np.log(model.predict_proba([[4.5, 1.6]]))
    np.testing.assert_array_equal(model.predict_log_proba([[4.5, 1.6]]), logs)


def test_r2_is_the_share_of_the_variance():
    model = DecisionTreeRegressor(criterion="r2", max_depth=3).fit(X, VALUES, WEIGHT)
    squares = DecisionTreeRegressor(max_depth=3).fit(X, VALUES, WEIGHT)
    assert model.tree_.impurity[0] == 1.0
    np.testing.assert_array_equal(model.tree_.feature, squares.tree_.feature)
    gained = model.tree_.compute_feature_importances(normalize=False).sum()
    assert gained == pytest.approx(model.score(X, VALUES, WEIGHT), abs=1e-12)
    limited = DecisionTreeRegressor(criterion="r2", min_impurity_decrease=0.05).fit(X, VALUES)
    variance = np.var(VALUES)
    same = DecisionTreeRegressor(min_impurity_decrease=0.05 * variance).fit(X, VALUES)
    assert limited.get_n_leaves() == same.get_n_leaves() > 1


def test_misclassification_chooses_by_the_wrong_rows():
    model = DecisionTreeClassifier(criterion="misclassification", max_depth=1).fit(X, LABELS)
    wrong = 1.0 - model.score(X, LABELS)
    leaves = model.tree_.children_left < 0
    share = model.tree_.weighted_n_node_samples[leaves] / 300
    assert share @ model.tree_.impurity[leaves] == pytest.approx(wrong, abs=1e-12)
    for j in range(5):
        for cut in np.sort(X[:, j])[:-1]:
            sides = [LABELS[X[:, j] <= cut], LABELS[X[:, j] > cut]]
            right = sum(np.unique(side, return_counts=True)[1].max() for side in sides)
            assert wrong <= 1.0 - right / 300 + 1e-12


def test_weights_are_copies():
    counts = np.random.default_rng(1).integers(0, 4, 300)
    copies = np.repeat(np.arange(300), counts)
    weighted = DecisionTreeClassifier(random_state=0).fit(X, LABELS, counts)
    copied = DecisionTreeClassifier(random_state=0).fit(X[copies], LABELS[copies])
    np.testing.assert_array_equal(weighted.predict_proba(X), copied.predict_proba(X))
    weighted = DecisionTreeRegressor(max_depth=4).fit(X, VALUES, counts)
    copied = DecisionTreeRegressor(max_depth=4).fit(X[copies], VALUES[copies])
    np.testing.assert_allclose(weighted.predict(X), copied.predict(X), rtol=1e-12)


def test_sparse_rows_are_dense_ones():
    from scipy.sparse import csc_matrix, csr_array

    thin = np.where(np.abs(X) > 1, X, 0.0).astype(np.float32)
    dense = DecisionTreeClassifier(random_state=0).fit(thin, LABELS)
    for kind in (csc_matrix, csr_array):
        model = DecisionTreeClassifier(random_state=0).fit(kind(thin), LABELS)
        assert gramian.fingerprint(model) == gramian.fingerprint(dense)
        np.testing.assert_array_equal(model.predict(kind(thin)), dense.predict(thin))
        assert (model.decision_path(kind(thin)) != dense.decision_path(thin)).nnz == 0
    thin[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        DecisionTreeClassifier().fit(csc_matrix(thin), LABELS)


def test_infinity_is_refused_and_nan_is_not():
    hole = X.copy()
    hole[::7, 0] = np.nan
    assert np.isfinite(DecisionTreeRegressor().fit(hole, VALUES).predict(hole)).all()
    hole[5, 2] = np.inf
    with pytest.raises(ValueError, match="infinity or a value too large"):
        DecisionTreeRegressor().fit(hole, VALUES)
    with pytest.raises(ValueError, match="infinity or a value too large"):
        DecisionTreeRegressor().fit(X, VALUES).predict(hole)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"min_samples_split": 1}, "min_samples_split"),
        ({"min_samples_leaf": 1.0}, "min_samples_leaf"),
        ({"max_features": 0.0}, "max_features"),
        ({"criterion": "mse"}, "criterion"),
        ({"prune": "yes"}, "prune"),
        ({"prune": "cv", "ccp_alpha": 0.1}, "ccp_alpha must be 0"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst has shape 2"),
        ({"monotonic_cst": [1, 0, 0, 0, 2]}, "monotonic_cst must be"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        DecisionTreeRegressor(**params).fit(X, VALUES)


def test_wrong_class_weights_are_named():
    two = np.c_[LABELS, LABELS]
    with pytest.raises(ValueError, match="list of dicts"):
        DecisionTreeClassifier(class_weight={"ash": 1.0}).fit(X, two)
    with pytest.raises(ValueError, match="number of outputs"):
        DecisionTreeClassifier(class_weight=[{"ash": 1.0}]).fit(X, two)
    with pytest.raises(ValueError, match="for several outputs, and y has one"):
        DecisionTreeClassifier(class_weight=[{"ash": 1.0}]).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"must not be negative. Got \{'ash': -1.0"):
        DecisionTreeClassifier(class_weight={"ash": -1.0}).fit(X, LABELS)
    with pytest.raises(ValueError, match="multiclass"):
        DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0, 0]).fit(X, LABELS)


@pytest.mark.parametrize("cls", [ExtraTreeClassifier, ExtraTreeRegressor])
def test_random_trees_fit_their_rows(cls):
    y = LABELS if cls is ExtraTreeClassifier else VALUES
    model = cls(random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert gramian.fingerprint(cls(random_state=0).fit(X, y)) == gramian.fingerprint(model)
    other = cls(random_state=1).fit(X, y)
    assert not np.array_equal(other.tree_.threshold[:1], model.tree_.threshold[:1])


# -- pruning -------------------------------------------------------------------------------------


def test_pruning_by_misclassification_follows_the_wrong_rows():
    model = DecisionTreeClassifier(prune_by="misclassification", random_state=0)
    path = model.cost_complexity_pruning_path(X, LABELS)
    assert path.impurities[0] == 0.0
    assert path.impurities[-1] == pytest.approx(1 - np.mean(LABELS == "ash"))
    for alpha, wrong in zip(path.ccp_alphas[1::9], path.impurities[1::9], strict=True):
        if alpha > 0 and alpha < path.ccp_alphas[-1]:
            pruned = model.set_params(ccp_alpha=alpha + 1e-12).fit(X, LABELS)
            assert 1 - pruned.score(X, LABELS) >= wrong - 1e-9


def cv_error_by_fitting(model, alpha, X, y, n_folds):
    """Errors of trees pruned at a price, one fold after another."""
    from gramian.model_selection import KFold, StratifiedKFold

    is_classifier = isinstance(model, DecisionTreeClassifier)
    folds = (StratifiedKFold if is_classifier else KFold)(n_folds)
    losses = []
    for train, test in folds.split(X, y):
        fitted = gramian.clone(model).set_params(prune=None, ccp_alpha=alpha)
        found = fitted.fit(X[train], y[train]).predict(X[test])
        losses.append(found != y[test] if is_classifier else (found - y[test]) ** 2)
    return np.concatenate(losses).astype(float)


@pytest.mark.parametrize("prune_by", ["impurity", "misclassification"])
def test_cross_validated_errors_are_those_of_pruned_trees(prune_by):
    X, y = load_breast_cancer(return_X_y=True)
    model = DecisionTreeClassifier(prune="1se", cv=4, prune_by=prune_by, random_state=0).fit(X, y)
    found = model.pruning_errors_
    alphas = found.ccp_alphas
    for k in (1, len(alphas) // 2, len(alphas) - 2):
        tried = np.sqrt(alphas[k] * alphas[k + 1])
        losses = cv_error_by_fitting(model, tried, X, y, 4)
        assert found.errors[k] == pytest.approx(losses.mean(), abs=1e-12)
        assert found.standard_errors[k] == pytest.approx(losses.std() / np.sqrt(len(y)), abs=1e-12)
    best = int(np.argmin(found.errors))
    bound = found.errors[best] + found.standard_errors[best]
    assert model.ccp_alpha_ == alphas[np.flatnonzero(found.errors <= bound)[-1]]
    least = DecisionTreeClassifier(prune="cv", cv=4, prune_by=prune_by, random_state=0).fit(X, y)
    assert model.get_n_leaves() <= least.get_n_leaves()


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "r2"])
def test_pruned_regression_trees_predict_better(criterion):
    X, y = load_diabetes(return_X_y=True)
    train, test = np.arange(442) % 2 == 0, np.arange(442) % 2 == 1
    whole = DecisionTreeRegressor(criterion=criterion, random_state=0).fit(X[train], y[train])
    for rule in ("cv", "1se", "reduced_error"):
        model = DecisionTreeRegressor(criterion=criterion, prune=rule, random_state=0)
        model.fit(X[train], y[train])
        assert 1 < model.get_n_leaves() < whole.get_n_leaves() / 2
        assert model.score(X[test], y[test]) > whole.score(X[test], y[test])


def test_reduced_error_pruning_only_keeps_what_helps():
    noise = np.random.default_rng(1).permutation(LABELS)
    model = DecisionTreeClassifier(prune="reduced_error", random_state=0).fit(X, noise)
    assert model.get_n_leaves() < 30
    assert not hasattr(model, "ccp_alpha_")


def test_pruning_attributes_do_not_outlive_a_fit():
    model = DecisionTreeRegressor(prune="cv").fit(X, VALUES)
    assert model.ccp_alpha_ > 0
    model.set_params(prune=None).fit(X, VALUES)
    assert not hasattr(model, "ccp_alpha_") and not hasattr(model, "pruning_errors_")


# -- degenerate data -----------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [DecisionTreeClassifier, ExtraTreeRegressor])
def test_nothing_to_split(cls):
    one = cls().fit([[1.0, 2.0]], [3.0])
    assert one.predict([[5.0, 6.0]]).tolist() == [3.0]
    same = cls(prune="reduced_error").fit(np.ones((9, 2)), np.arange(9) % 2)
    assert same.get_n_leaves() == 1 and same.get_depth() == 0
    assert same.feature_importances_.tolist() == [0.0, 0.0]
    empty = cls().fit(np.full((4, 1), np.nan), [1.0, 2.0, 1.0, 2.0])
    assert empty.get_n_leaves() == 1
    assert empty.decision_path([[0.0]]).toarray().tolist() == [[1]]


def test_pruning_what_is_one_leaf():
    model = DecisionTreeClassifier(prune="cv", cv=2).fit(np.ones((8, 1)), [0, 1] * 4)
    assert model.get_n_leaves() == 1
    path = model.cost_complexity_pruning_path(np.ones((8, 1)), [0, 1] * 4)
    assert path.ccp_alphas.tolist() == [0.0] and path.impurities.tolist() == [0.5]


def test_loaded_trees_are_checked(tmp_path):
    from dataclasses import replace

    model = DecisionTreeRegressor(max_depth=2).fit(X, VALUES)
    model.tree_ = replace(model.tree_, criterion="gini")
    gramian.save(model, tmp_path / "tree.gramian")
    with pytest.raises(ValueError, match="cannot have the criterion"):
        gramian.load(tmp_path / "tree.gramian")


def test_of_equal_cuts_by_absolute_error_the_first_wins():
    # Both cuts leave an error of 1.5: [3, 3 | 5, 5, 8] and [3, 3, 5, 5 | 8].
    X = np.array([[3.0], [5.0], [3.0], [8.0], [5.0]])
    y, weight = np.array([6.0, 7.0, 3.0, 4.0, 3.0]), np.array([0.6, 0.3, 0.1, 1.0, 0.3])
    stump = DecisionTreeRegressor(criterion="absolute_error", max_leaf_nodes=2)
    for factor in (0.1, 0.3, 1.0, 7.7):
        tree = stump.fit(X, y, sample_weight=weight * factor).tree_
        np.testing.assert_allclose(tree.impurity, [2.5 / 2.3, 0.3 / 0.7, 1.2 / 1.6])
        assert tree.threshold[0] == 4.0


def test_an_outlier_does_not_hide_the_error_of_the_rest():
    X = np.arange(6.0)[:, None]
    y, weight = np.array([1.0, 1.0, 2.0, 2.0, 2.0, 1e14]), np.array([0.3, 0.7, 0.1, 0.1, 0.9, 0.4])
    model = DecisionTreeRegressor(criterion="absolute_error").fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X), y)
