"""Programs as courses print them, run twice: only the name of the library differs."""

from importlib import import_module

import numpy as np
import pytest

LIBRARIES = ["gramian", "sklearn"]


def imported(library, module, *names):
    """What ``from library.module import names`` gives."""
    found = import_module(f"{library}.{module}")
    return [getattr(found, name) for name in names]


def boundary(model, X):
    """What a model predicts on a grid over two features, as a picture of it needs it."""
    low, high = X.min(axis=0) - 0.1, X.max(axis=0) + 0.1
    first, second = np.meshgrid(*np.linspace(low, high, 100).T)
    return model.predict(np.column_stack([first.ravel(), second.ravel()])).reshape(first.shape)


def petals(library):
    iris = import_module(f"{library}.datasets").load_iris()
    return iris, iris["data"][:, 2:], iris.target


def held_out(library, load, **options):
    """The four parts of an embedded table, with three tenths held out."""
    (loader,) = imported(library, "datasets", load)
    (split,) = imported(library, "model_selection", "train_test_split")
    table = loader()
    return table, split(table.data, table.target, test_size=0.3, **options)


# -- trees --------------------------------------------------------------------------------------


def drawn_tree(library):
    iris, X, y = petals(library)
    classifier, export = imported(library, "tree", "DecisionTreeClassifier", "export_graphviz")
    tree = classifier(max_depth=2, random_state=32)
    assert tree.fit(X, y) is tree
    dot = export(
        tree,
        out_file=None,
        feature_names=iris.feature_names[2:],
        class_names=iris.target_names,
        rounded=True,
        filled=True,
    )
    return repr(tree), dot, boundary(tree, X), tree.predict_proba([[4.5, 1.6]])


def grown_on_points(library, **limits):
    (make,) = imported(library, "datasets", "make_classification")
    (classifier,) = imported(library, "tree", "DecisionTreeClassifier")
    X, y = make(
        n_samples=100,
        n_features=2,
        n_informative=2,
        n_redundant=0,
        n_clusters_per_class=1,
        random_state=21,
    )
    return X, y, classifier(random_state=20, **limits).fit(X, y)


def curve_of_steps(library):
    (make,) = imported(library, "datasets", "make_regression")
    (regressor,) = imported(library, "tree", "DecisionTreeRegressor")
    X, y = make(n_samples=200, n_features=1, noise=2.0, random_state=86)
    tree = regressor(min_samples_leaf=6).fit(X, y)
    grid = np.linspace(X[:, 0].min(), X[:, 0].max(), 100)[:, np.newaxis]
    return X, y, repr(tree), tree.predict(grid)


@pytest.mark.parametrize("listing", [drawn_tree, curve_of_steps])
def test_a_tree_gives_what_scikit_learns_gives(listing):
    for mine, theirs in zip(*map(listing, LIBRARIES), strict=True):
        if isinstance(mine, str):
            assert mine == theirs
        else:
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("limits", "score"), [({}, 1.0), ({"max_depth": 4}, 0.96)])
def test_an_overfitting_tree(limits, score):
    X, y, tree = grown_on_points("gramian", **limits)
    their_X, their_y, theirs = grown_on_points("sklearn", **limits)
    np.testing.assert_array_equal(X, their_X)
    np.testing.assert_array_equal(y, their_y)
    assert repr(tree) == repr(theirs)
    assert tree.score(X, y) == theirs.score(X, y) == score
    # Some splits are equally good: scikit-learn lets the seed decide, and we take the first.
    labels = boundary(tree, X)
    seeded = (theirs.set_params(random_state=seed).fit(X, y) for seed in range(60))
    assert any(np.array_equal(labels, boundary(other, X)) for other in seeded)


def test_shares_of_a_leaf():
    shares = drawn_tree("gramian")[-1]
    assert np.array2string(shares) == "[[0.         0.90740741 0.09259259]]"


# -- bags and forests ---------------------------------------------------------------------------


@pytest.mark.parametrize("library", LIBRARIES)
def test_bagging_on_petals(library):
    _, X, y = petals(library)
    (tree,) = imported(library, "tree", "DecisionTreeClassifier")
    (bagging,) = imported(library, "ensemble", "BaggingClassifier")
    bag = bagging(estimator=tree(), n_estimators=50, max_samples=100, random_state=32)
    labels = boundary(bag.fit(X, y), X)
    assert set(np.unique(labels)) == {0, 1, 2}
    bag = bagging(
        estimator=tree(), n_estimators=50, max_samples=100, oob_score=True, random_state=32
    ).fit(X, y)
    assert repr(bag).replace("\n" + " " * 17, "") == (
        "BaggingClassifier(estimator=DecisionTreeClassifier(), max_samples=100, "
        "n_estimators=50, oob_score=True, random_state=32)"
    )
    assert bag.oob_score_ == pytest.approx(0.96, abs=0.02)
    shares = bag.oob_decision_function_
    assert shares.shape == (150, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shares[:50], np.tile([1.0, 0.0, 0.0], (50, 1)))
    assert np.argmax(shares[-1]) == 2


@pytest.mark.parametrize("library", LIBRARIES)
def test_forest_on_wine(library):
    wine, (X_train, X_test, y_train, y_test) = held_out(library, "load_wine", random_state=42)
    (forest_class,) = imported(library, "ensemble", "RandomForestClassifier")
    forest = forest_class(n_estimators=100, random_state=21)
    forest.fit(X_train, y_train)
    assert forest.score(X_test, y_test) == 1.0
    assert forest.feature_importances_.size == 13
    ranked = np.argsort(forest.feature_importances_)[::-1]
    assert {wine["feature_names"][k] for k in ranked[:5]} == {
        "alcohol",
        "flavanoids",
        "color_intensity",
        "od280/od315_of_diluted_wines",
        "proline",
    }


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
def test_forests_on_iris(library, name):
    _, (X_train, X_test, y_train, y_test) = held_out(library, "load_iris", random_state=42)
    (forest_class,) = imported(library, "ensemble", name)
    (accuracy_score,) = imported(library, "metrics", "accuracy_score")
    forest = forest_class(n_estimators=100, random_state=42)
    forest.fit(X_train, y_train)
    assert f"{accuracy_score(y_test, forest.predict(X_test)):.4f}" == "1.0000"


def test_extra_trees_without_seeds():
    _, (X_train, X_test, y_train, y_test) = held_out("gramian", "load_iris")
    (forest_class,) = imported("gramian", "ensemble", "ExtraTreesClassifier")
    forest = forest_class(n_estimators=100).fit(X_train, y_train)
    assert (forest.predict(X_test) == y_test).mean() > 0.8


# -- stacking by hand ---------------------------------------------------------------------------


def base_learners(library):
    forest, boosting = imported(
        library, "ensemble", "RandomForestClassifier", "GradientBoostingClassifier"
    )
    (machine,) = imported(library, "svm", "SVC")
    return [
        ("rf", forest(n_estimators=100, random_state=42)),
        ("gb", boosting(n_estimators=100, random_state=42)),
        ("svc", machine(probability=True, random_state=42)),
    ]


@pytest.mark.filterwarnings("ignore:The `probability` parameter was deprecated:FutureWarning")
@pytest.mark.parametrize("library", LIBRARIES)
def test_stacking_by_hand(library):
    _, (X_train, X_test, y_train, y_test) = held_out(library, "load_iris", random_state=42)
    (cross_val_predict,) = imported(library, "model_selection", "cross_val_predict")
    (logistic,) = imported(library, "linear_model", "LogisticRegression")
    (accuracy_score,) = imported(library, "metrics", "accuracy_score")
    learners = base_learners(library)
    meta_train = np.zeros((len(X_train), len(learners) * 3))
    meta_test = np.zeros((len(X_test), len(learners) * 3))
    for i, (_, model) in enumerate(learners):
        columns = slice(i * 3, (i + 1) * 3)
        model.fit(X_train, y_train)
        meta_test[:, columns] = model.predict_proba(X_test)
        meta_train[:, columns] = cross_val_predict(
            model, X_train, y_train, cv=5, method="predict_proba"
        )
    meta_learner = logistic(max_iter=1000, random_state=42).fit(meta_train, y_train)
    accuracy = accuracy_score(y_test, meta_learner.predict(meta_test))
    assert f"{accuracy:.4f}" == "1.0000"
