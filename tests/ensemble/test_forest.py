"""Random forests and extra-trees against scikit-learn, closed forms and single trees."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as sk
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.utils.class_weight import compute_sample_weight

import gramian
from gramian.datasets import load_diabetes, load_iris, load_wine, make_classification
from gramian.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from gramian.inspection import tree_shap, variance_decomposition
from gramian.metrics import f1_score
from gramian.model_selection import train_test_split
from gramian.tree import DecisionTreeClassifier, ExtraTreeRegressor

CLASSIFIERS = [RandomForestClassifier, ExtraTreesClassifier]
REGRESSORS = [RandomForestRegressor, ExtraTreesRegressor]
ALL = CLASSIFIERS + REGRESSORS


def data_for(cls, n=300, seed=0):
    X, y = make_classification(n, 8, n_informative=5, n_classes=3, random_state=seed)
    return X, (X[:, 0] * X[:, 1] + y if cls in REGRESSORS else y)


def in_bag(model):
    """Return how often each tree has drawn each row."""
    n = model._row_draws.n_samples
    return np.array([np.bincount(rows, minlength=n) for rows in model.estimators_samples_])


def test_wine_of_the_notes():
    wine = load_wine()
    parts = train_test_split(wine.data, wine.target, test_size=0.3, random_state=42)
    model = RandomForestClassifier(n_estimators=100, random_state=21).fit(parts[0], parts[2])
    assert f"{model.score(parts[1], parts[3]):.2f}" == "1.00"
    best = np.argsort(model.feature_importances_)[-5:]
    assert {wine.feature_names[j] for j in best} == {
        "alcohol",
        "flavanoids",
        "color_intensity",
        "od280/od315_of_diluted_wines",
        "proline",
    }


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_as_accurate_as_scikit_learn(cls):
    X, y = data_for(cls, 1200)
    theirs_of = getattr(sk, cls.__name__)
    ours, theirs = (
        [
            make(60, random_state=seed, n_jobs=1).fit(X[:600], y[:600]).score(X[600:], y[600:])
            for seed in range(3)
        ]
        for make in (cls, theirs_of)
    )
    assert np.mean(ours) > np.mean(theirs) - 0.02


@pytest.mark.parametrize("cls", REGRESSORS)
def test_regression_as_accurate_as_scikit_learn(cls):
    X, y = load_diabetes(return_X_y=True)
    theirs_of = getattr(sk, cls.__name__)
    ours, theirs = (
        [
            make(60, random_state=seed).fit(X[:300], y[:300]).score(X[300:], y[300:])
            for seed in (0, 1)
        ]
        for make in (cls, theirs_of)
    )
    assert np.mean(ours) > np.mean(theirs) - 0.03


@pytest.mark.parametrize("cls", ALL)
def test_forest_is_the_mean_of_its_trees(cls):
    X, y = data_for(cls)
    model = cls(7, random_state=3, max_depth=5).fit(X, y)
    trees = model.estimators_
    assert len(trees) == len(model) == 7 and model[2] is trees[2] is model.estimators_[2]
    if cls in CLASSIFIERS:
        mean = np.mean([tree.predict_proba(X) for tree in trees], axis=0)
        assert_allclose(model.predict_proba(X), mean, rtol=1e-13)
        assert_array_equal(model.predict(X), model.classes_[mean.argmax(axis=1)])
        assert_allclose(np.exp(model.predict_log_proba(X)), mean, rtol=1e-12)
    else:
        mean = np.mean([tree.predict(X) for tree in trees], axis=0)
        assert_allclose(model.predict(X), mean, rtol=1e-12)
    assert_array_equal(model.apply(X), np.column_stack([tree.apply(X) for tree in trees]))
    path, offsets = model.decision_path(X)
    expected = sparse.hstack([tree.decision_path(X) for tree in trees])
    assert (path != expected).nnz == 0
    assert_array_equal(np.diff(offsets), [tree.tree_.node_count for tree in trees])
    importances = np.mean([tree.feature_importances_ for tree in trees], axis=0)
    assert_allclose(model.feature_importances_, importances / importances.sum(), rtol=1e-12)


def test_without_draws_of_rows_each_tree_is_a_tree():
    X, y = data_for(ExtraTreesRegressor)
    model = ExtraTreesRegressor(4, random_state=0, max_features=3).fit(X, y)
    for tree in model.estimators_:
        alone = ExtraTreeRegressor(max_features=3, random_state=tree.random_state).fit(X, y)
        assert_array_equal(alone.predict(X), tree.predict(X))
        assert alone.max_features_ == tree.max_features_ == 3


@pytest.mark.parametrize("weight", [None, "weighted"])
def test_trees_of_draws_are_trees_of_weights(weight):
    """A tree is one of all rows, weighted by how often it has drawn them."""
    X, y = data_for(RandomForestClassifier)
    given = None if weight is None else np.arange(len(y)) % 4
    model = RandomForestClassifier(3, random_state=0).fit(X, y, given)
    counts = in_bag(model)
    assert (counts.sum(axis=1) == len(y)).all()
    if given is not None:
        assert counts[:, given == 0].sum() == 0
        assert counts[:, given == 3].sum() > 2 * counts[:, given == 1].sum()
    for count, tree in zip(counts, model.estimators_, strict=True):
        alone = DecisionTreeClassifier(max_features="sqrt", random_state=tree.random_state)
        assert_array_equal(
            alone.fit(X, y, sample_weight=count).predict_proba(X), tree.predict_proba(X)
        )


def test_classes_balanced_in_each_draw():
    X, y = make_classification(400, 5, weights=[0.9], random_state=0)
    model = RandomForestClassifier(
        3, class_weight="balanced_subsample", random_state=0, max_depth=3
    ).fit(X, y)
    for rows, tree in zip(model.estimators_samples_, model.estimators_, strict=True):
        counts = np.bincount(rows, minlength=len(y))
        weight = counts * compute_sample_weight("balanced", y, indices=rows)
        alone = DecisionTreeClassifier(
            max_features="sqrt", max_depth=3, random_state=tree.random_state
        )
        expected = alone.fit(X, y, sample_weight=weight).predict_proba(X)
        assert_allclose(tree.predict_proba(X), expected, rtol=1e-12)
        assert_allclose(tree.tree_.value[0, 0], 0.5, rtol=1e-12)


def test_class_weights_make_rows_likely():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(20, class_weight={0: 1, 1: 1, 2: 8}, random_state=0).fit(X, y)
    drawn = in_bag(model).sum(axis=0)
    assert_allclose(drawn[y == 2].sum() / drawn.sum(), 0.8, atol=0.03)
    with pytest.warns(UserWarning, match="not recommended for warm_start"):
        RandomForestClassifier(2, class_weight="balanced", warm_start=True).fit(X, y)
    extra = ExtraTreesClassifier(3, class_weight="balanced_subsample", random_state=0).fit(X, y)
    same = ExtraTreesClassifier(3, class_weight="balanced", random_state=0).fit(X, y)
    assert_array_equal(extra.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize(
    ("max_samples", "n_draws"), [(None, 300), (50, 50), (0.5, 150), (1.5, 450), (700, 700)]
)
def test_number_of_rows_drawn(max_samples, n_draws):
    X, y = data_for(RandomForestRegressor)
    model = RandomForestRegressor(2, max_samples=max_samples, random_state=0).fit(X, y)
    assert [len(rows) for rows in model.estimators_samples_] == [n_draws] * 2


@pytest.mark.parametrize("cls", ALL)
def test_out_of_bag(cls):
    X, y = data_for(cls)
    model = cls(40, bootstrap=True, oob_score=True, random_state=0).fit(X, y)
    is_out = in_bag(model) == 0
    method = "predict_proba" if cls in CLASSIFIERS else "predict"
    each = np.array([getattr(tree, method)(X).reshape(len(X), -1) for tree in model.estimators_])
    for n_trees in (5, 40):
        out = is_out[:n_trees]
        mean = (each[:n_trees] * out[:, :, None]).sum(axis=0)
        mean /= np.maximum(out.sum(axis=0), 1)[:, None]
        has_any = out.any(axis=0)
        if cls in CLASSIFIERS:
            error = np.mean(model.classes_[mean.argmax(axis=1)][has_any] != y[has_any])
        else:
            error = np.mean((mean[:, 0] - y)[has_any] ** 2)
        assert_allclose(model.oob_error_curve_[n_trees - 1], error, rtol=1e-10)
    if cls in CLASSIFIERS:
        assert_allclose(model.oob_decision_function_, mean, rtol=1e-12)
        assert_allclose(model.oob_score_, 1 - error, rtol=1e-12)
    else:
        assert_allclose(model.oob_prediction_, mean[:, 0], rtol=1e-12)
        assert_allclose(model.oob_score_, 1 - error / y.var(), rtol=1e-10)
    assert len(model.oob_error_curve_) == 40


@pytest.mark.parametrize("cls", ALL)
def test_out_of_bag_for_any_threads_batches_and_form_of_the_rows(cls, monkeypatch):
    X, y = data_for(cls)
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    model = cls(20, bootstrap=True, oob_score=True, random_state=0, n_jobs=1).fit(X, y)
    others = [cls(20, bootstrap=True, oob_score=True, random_state=0, n_jobs=2).fit(X, y)]
    others.append(gramian.base.clone(model).fit(sparse.csr_matrix(X), y))
    monkeypatch.setattr("gramian._trees.out_of_bag._TREES_AT_ONCE", 3)
    monkeypatch.setattr("gramian._trees.row_blocks._BLOCK_SIZE", 100)
    others.append(gramian.base.clone(model).fit(sparse.csr_matrix(X), y))
    name = "oob_decision_function_" if cls in CLASSIFIERS else "oob_prediction_"
    for other in others:
        assert_allclose(other.oob_error_curve_, model.oob_error_curve_, rtol=1e-12)
        assert_array_equal(getattr(other, name), getattr(model, name))
    assert_array_equal(others[0].oob_error_curve_, model.oob_error_curve_)


def test_out_of_bag_by_a_callable_of_several_outputs_and_of_too_few_trees():
    X, y = make_classification(200, random_state=0)
    model = RandomForestClassifier(40, oob_score=f1_score, random_state=0).fit(X, y)
    assert model.oob_score_ == f1_score(y, model.oob_decision_function_.argmax(axis=1))
    Y = np.column_stack([y, 1 - y])
    model = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X, Y)
    assert model.oob_decision_function_.shape == (200, 2, 2)
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        few = RandomForestRegressor(1, oob_score=True, random_state=0).fit(X, y)
    assert (few.oob_prediction_[few.estimators_samples_[0]] == 0).all()
    with pytest.raises(ValueError, match="cannot be used to compute OOB estimates"):
        RandomForestClassifier(2, oob_score=True).fit(X, np.column_stack([y, np.arange(200) % 3]))
    with pytest.raises(ValueError, match="only available if bootstrap=True"):
        ExtraTreesClassifier(oob_score=True).fit(X, y)
    with pytest.raises(ValueError, match="bootstrap=False"):
        ExtraTreesClassifier(max_samples=0.5).fit(X, y)


@pytest.mark.parametrize("cls", ALL)
def test_several_outputs(cls):
    X, y = data_for(cls)
    Y = np.column_stack([y, np.roll(y, 1)])
    model = cls(5, random_state=0).fit(X, Y)
    assert model.n_outputs_ == 2 and model.predict(X).shape == Y.shape
    if cls in CLASSIFIERS:
        assert model.n_classes_ == [3, 3] and len(model.classes_) == 2
        assert [p.shape for p in model.predict_proba(X)] == [(300, 3)] * 2
        assert len(model.predict_log_proba(X)) == 2


@pytest.mark.parametrize("cls", ALL)
def test_warm_start_adds_the_trees_that_are_wanting(cls):
    X, y = data_for(cls)
    whole = cls(9, random_state=5).fit(X, y)
    model = cls(4, random_state=5, warm_start=True).fit(X, y)
    model.set_params(n_estimators=9).fit(X, y)
    assert_array_equal(model.apply(X), whole.apply(X))
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="must be larger or equal to"):
        model.set_params(n_estimators=3).fit(X, y)


def test_warm_start_of_out_of_bag_and_other_columns():
    X, y = data_for(RandomForestRegressor)
    whole = RandomForestRegressor(40, oob_score=True, random_state=5).fit(X, y)
    model = RandomForestRegressor(20, random_state=5, warm_start=True).fit(X, y)
    model.set_params(n_estimators=40, oob_score=True).fit(X, y)
    assert_array_equal(model.oob_prediction_, whole.oob_prediction_)
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(y > 0, "x", "y")})
    model = RandomForestRegressor(3, warm_start=True).fit(frame, y)
    other = frame.assign(b=np.where(y > 0, "x", "z"))
    with pytest.raises(ValueError, match="the same levels as in the fit before"):
        model.set_params(n_estimators=5).fit(other, y)


@pytest.mark.parametrize("cls", ALL)
def test_same_trees_for_any_number_of_threads_and_after_saving(cls, tmp_path):
    X, y = data_for(cls)
    one, two = (cls(8, random_state=0, n_jobs=n).fit(X, y) for n in (1, 2))
    assert_array_equal(one.predict(X), two.predict(X))
    assert_array_equal(one.apply(X), two.apply(X))
    two.estimators_[0]  # the views are not saved
    gramian.save(two, tmp_path / "forest.gram")
    for copy in (gramian.load(tmp_path / "forest.gram"), pickle.loads(pickle.dumps(two))):
        assert_array_equal(copy.predict(X), one.predict(X))
        assert copy.estimators_[3].random_state == one.estimators_[3].random_state


def test_a_quarter_of_the_size():
    X, y = make_classification(3000, 20, n_informative=8, random_state=0)
    ours = len(pickle.dumps(RandomForestClassifier(20, random_state=0).fit(X, y)))
    theirs = len(pickle.dumps(sk.RandomForestClassifier(20, random_state=0).fit(X, y)))
    assert 4 * ours < theirs


def test_text_missing_values_and_sparse_rows():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 400)
    number = rng.normal(size=400)
    y = np.where(colour == "red", number > 0, number < 0)
    number[::7] = np.nan
    frame = pd.DataFrame({"colour": colour, "number": number})
    model = RandomForestClassifier(30, oob_score=True, random_state=0, max_features=None)
    assert model.fit(frame, y).oob_score_ > 0.85
    assert model.estimators_[0].predict(frame).shape == (400,)
    X = sparse.random_array((300, 6), density=0.3, rng=rng, format="csr")
    z = X.toarray()[:, 0] + rng.normal(size=300) / 10
    for cls in REGRESSORS:
        dense, packed = (cls(5, random_state=0).fit(rows, z) for rows in (X.toarray(), X))
        assert_array_equal(dense.predict(X.toarray()), packed.predict(X))
        assert_array_equal(dense.apply(X), packed.apply(X.toarray()))


def check_pruned(whole, small, alpha):
    """Assert that `small` is `whole` without its branches that are not worth `alpha` a leaf.

    A branch of k leaves at a node t is worth (R(t) - R(branch)) / (k - 1).
    """

    def worth(tree, t):
        cost = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
        branch = [t]
        for node in branch:
            branch += [c[node] for c in (tree.children_left, tree.children_right) if c[node] >= 0]
        leaves = [node for node in branch if tree.children_left[node] < 0]
        return (cost[t] - sum(cost[node] for node in leaves)) / (len(leaves) - 1)

    pending = [(0, 0)]
    for t, s in pending:
        if small.children_left[s] >= 0:  # a split that is kept
            assert (whole.feature[t], whole.threshold[t]) == (small.feature[s], small.threshold[s])
            assert worth(small, s) > alpha
            pending.append((whole.children_left[t], small.children_left[s]))
            pending.append((whole.children_right[t], small.children_right[s]))
        elif whole.children_left[t] >= 0:
            assert worth(whole, t) <= alpha


def test_pruned_limited_and_monotonic():
    X, y = load_diabetes(return_X_y=True)
    whole = RandomForestRegressor(5, random_state=0).fit(X, y)
    pruned = RandomForestRegressor(5, random_state=0, ccp_alpha=20.0).fit(X, y)
    for tree, small in zip(whole, pruned, strict=True):
        assert small.get_n_leaves() < tree.get_n_leaves()
        check_pruned(tree.tree_, small.tree_, 20.0)
    heavy = RandomForestRegressor(5, random_state=0, min_weight_fraction_leaf=0.1).fit(X, y)
    assert min(tree.tree_.weighted_n_node_samples.min() for tree in heavy) >= 0.1 * len(y)
    rising = RandomForestRegressor(5, random_state=0, monotonic_cst=[0, 0, 1] + [0] * 7).fit(X, y)
    rows = np.repeat(X[:50], 9, axis=0)
    rows[:, 2] = np.tile(np.linspace(X[:, 2].min(), X[:, 2].max(), 9), 50)
    assert (np.diff(rising.predict(rows).reshape(50, 9), axis=1) >= -1e-9).all()


def test_shapley_values_and_variance_of_a_forest():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(10, max_depth=4, random_state=0).fit(X, y)
    found = tree_shap(model, X[:20])
    assert_allclose(found.values.sum(axis=1) + found.base_values, model.predict(X[:20]), rtol=1e-9)
    parts = variance_decomposition(model, X)
    assert parts.n_trees == 10 and 0 < parts.rho < 1
    hard = RandomForestClassifier(3, voting="hard").fit(X, y > 100)
    with pytest.raises(ValueError, match="voting='soft'"):
        tree_shap(hard, X[:2])


def test_errors_warnings_and_progress(capsys):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match="sparse multilabel-indicator"):
        RandomForestClassifier().fit(X, sparse.csr_array(y[:, None]))
    with pytest.warns(UserWarning, match="column-vector y was passed"):
        RandomForestRegressor(2).fit(X, y[:, None])
    with pytest.warns(UserWarning, match="results in a low number"):
        RandomForestRegressor(2, max_samples=1e-3).fit(X, y)
    with pytest.raises(ValueError, match="Negative values"):
        RandomForestRegressor(2).fit(X, y, np.linspace(-1, 1, len(y)))
    with pytest.raises(ValueError, match="zero"):
        RandomForestRegressor(2).fit(X, y, np.zeros(len(y)))
    for wrong in ({"n_estimators": 0}, {"max_samples": 0.0}, {"voting": "loud"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            RandomForestClassifier(**wrong).fit(X, y > 100)
    with pytest.raises(AttributeError):
        _ = RandomForestRegressor().estimators_
    RandomForestRegressor(20, verbose=1).fit(X, y)
    assert capsys.readouterr().out.splitlines()[-1].startswith("grown 20 of 20 trees in ")


def test_extra_trees_are_no_random_forests():
    assert not issubclass(ExtraTreesClassifier, RandomForestClassifier)
    assert not issubclass(ExtraTreesRegressor, RandomForestRegressor)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_the_old_name_of_a_criterion_is_read_with_a_warning(cls):
    with pytest.warns(FutureWarning, match="friedman_mse"):
        model = cls(criterion="friedman_mse")
    assert model.criterion == "squared_error"
    with pytest.raises(ValueError, match="'criterion' parameter"):
        model.set_params(criterion="friedman_mse").fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("forest", [RandomForestRegressor, RandomForestClassifier])
def test_columns_that_say_the_same_share_their_importance(forest):
    """Of equal splits not always that of the first column is taken."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(300)
    y = (x > 0.3) + (x > -0.5) if forest is RandomForestClassifier else x + rng.standard_normal(300)
    model = forest(60, max_features=None, random_state=0).fit(np.column_stack([x] * 4), y)
    assert_allclose(model.feature_importances_, 0.25, atol=0.15)
