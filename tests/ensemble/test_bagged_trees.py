"""Bags of our trees, which are grown together, against the same trees fitted one by one."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as sk
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeClassifier as SkTree

import gramian
from gramian._trees.member_draws import Draws
from gramian.datasets import load_diabetes, load_iris
from gramian.ensemble import BaggingClassifier, BaggingRegressor
from gramian.ensemble._members import make_member, make_trees
from gramian.inspection import tree_shap, variance_decomposition
from gramian.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)

TREES = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier(criterion="entropy", max_features=2, max_leaf_nodes=6),
    DecisionTreeClassifier(class_weight="balanced", min_samples_leaf=0.05, ccp_alpha=0.01),
    ExtraTreeClassifier(min_weight_fraction_leaf=0.05),
    DecisionTreeRegressor(max_depth=4),
    DecisionTreeRegressor(criterion="absolute_error", max_depth=3),
    DecisionTreeRegressor(monotonic_cst=[1] + [0] * 9),
    DecisionTreeRegressor(criterion="r2", max_depth=3),
    ExtraTreeRegressor(ccp_alpha=5.0),
]


def fit_both(tree, monkeypatch, **options):
    """Return the bag of trees that are grown together, and that of trees fitted one by one."""
    is_classifier = tree._estimator_type == "classifier"
    X, y = IRIS if is_classifier else DIABETES
    cls = BaggingClassifier if is_classifier else BaggingRegressor
    together = cls(tree, random_state=3, **options).fit(X, y)
    with monkeypatch.context() as patch:
        patch.setattr("gramian.ensemble._bagging_base.can_fit_many", lambda model: False)
        alone = cls(tree, random_state=3, **options).fit(X, y)
    return X, together, alone


@pytest.mark.parametrize("options", [{}, {"bootstrap": False, "max_samples": 0.6}])
@pytest.mark.parametrize("tree", TREES, ids=str)
def test_together_as_one_by_one(tree, options, monkeypatch):
    X, together, alone = fit_both(tree, monkeypatch, **options)
    for one, other in zip(together.estimators_, alone.estimators_, strict=True):
        assert vars(one).keys() == vars(other).keys()
        assert one.get_params() == other.get_params()
        assert_array_equal(one.apply(X), other.apply(X))
        assert_array_equal(one.predict(X), other.predict(X))
        assert_array_equal(one.tree_.weighted_n_node_samples, other.tree_.weighted_n_node_samples)
    assert_array_equal(together.predict(X), alone.predict(X))


def test_trees_are_grown_in_one_call(monkeypatch):
    calls = []
    grow = gramian._trees.fit_many.grow
    monkeypatch.setattr(
        "gramian._trees.fit_many.grow", lambda *a, **k: calls.append(1) or grow(*a, **k)
    )
    BaggingClassifier(n_estimators=20).fit(*IRIS)
    assert calls == [1]
    BaggingClassifier(n_estimators=20, max_features=2).fit(*IRIS)  # each its own columns
    BaggingClassifier(DecisionTreeClassifier(prune="cv"), 2, max_samples=120).fit(*IRIS)
    assert calls == [1]


def test_tables_and_missing_values():
    rng = np.random.default_rng(0)
    colour, number = rng.choice(["red", "green", "blue"], 300), rng.normal(size=300)
    y = np.where(colour == "red", number > 0, number < 0)
    number[::9] = np.nan
    frame = pd.DataFrame({"colour": colour, "number": number})
    model = BaggingClassifier(n_estimators=20, oob_score=True, random_state=0).fit(frame, y)
    assert model.oob_score_ > 0.85
    assert model.estimators_[0].feature_names_in_.tolist() == ["colour", "number"]


def test_iris_of_the_notes():
    X, y = IRIS
    model = BaggingClassifier(
        estimator=DecisionTreeClassifier(),
        n_estimators=50,
        max_samples=100,
        oob_score=True,
        random_state=32,
    ).fit(X[:, 2:], y)
    assert abs(model.oob_score_ - 0.96) <= 0.02
    theirs = sk.BaggingClassifier(
        SkTree(), n_estimators=50, max_samples=100, oob_score=True, random_state=32
    ).fit(X[:, 2:], y)
    assert abs(model.oob_score_ - theirs.oob_score_) <= 0.01
    assert_array_equal(model.estimators_samples_, theirs.estimators_samples_)


def test_shapley_values_of_a_bag():
    X, y = DIABETES
    model = BaggingRegressor(DecisionTreeRegressor(max_depth=3), random_state=0).fit(X, y)
    found = tree_shap(model, X[:10])
    assert_allclose(found.values.sum(axis=1) + found.base_values, model.predict(X[:10]), rtol=1e-9)
    assert variance_decomposition(model, X).n_trees == 10
    some = BaggingRegressor(max_features=3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="'model' parameter"):
        variance_decomposition(some, X)


@pytest.mark.parametrize("class_weight", [None, {0: 2.0, 1: 1.0}])
def test_trees_of_a_bag_have_the_parameters_and_seeds_of_single_members(class_weight):
    tree = DecisionTreeClassifier(max_depth=3, class_weight=class_weight)
    seeds = [3, 2**31 - 2, 0]
    trees, members = make_trees(tree, seeds), [make_member(tree, seed) for seed in seeds]
    assert make_trees(tree, []) == []
    assert len({tree.random_state for tree in trees}) == len(seeds)
    for one, other in zip(trees, members, strict=True):
        assert type(one) is type(other)
        assert one.get_params() == other.get_params()
        if class_weight is not None:  # nobody's but its own
            assert one.class_weight is not tree.class_weight


def test_a_generator_that_is_seeded_anew_draws_what_another_does():
    rng = np.random.RandomState(5)
    for bootstrap, max_features in [(True, 4), (False, 4), (True, 2)]:
        draws = Draws(np.arange(3), 30, 4, 30, max_features, bootstrap)
        for seed in (0, 7, 2**31 - 2):
            for first, second in zip(draws.draw(seed), draws.draw(seed, rng), strict=True):
                assert np.array_equal(first, second)
            columns = draws.columns(seed)
            assert np.array_equal(columns, draws.draw(seed)[1]) and columns.dtype == np.int64
