"""ID3: gains, multiway splits, pruning, unseen and missing values."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import binom, entropy
from tests.tree.tennis import NAMES, tennis

import gramian
from gramian.exceptions import NotFittedError
from gramian.tree import DecisionTreeClassifier, ID3Classifier, information_gain

FRAME, PLAY = tennis()
TREE = """\
|--- Outlook = Overcast: Yes (4)
|--- Outlook = Rainy
|   |--- Windy = False: Yes (3)
|   |--- Windy = True: No (2)
|--- Outlook = Sunny
|   |--- Humidity = High: No (3)
|   |--- Humidity = Normal: Yes (2)"""


def noisy(n=400, seed=0):
    """Return levels and classes, a third of which are drawn by chance."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 5)).astype(float)
    y = np.where(rng.random(n) < 0.35, rng.integers(0, 2, n), X[:, 0] >= 2)
    return X, y.astype(int)


def entropy_of(classes, weight=None):
    return entropy(pd.Series(weight if weight is not None else 1.0, classes).groupby(level=0).sum(),
                   base=2)  # fmt: skip


# -- information gain ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "gain"),
    [("Outlook", 0.2467498), ("Temp", 0.0292226), ("Humidity", 0.1518355), ("Windy", 0.0481270)],
)
def test_gains_of_play_tennis(name, gain):
    """The gains of the textbook: 0.247, 0.029, 0.152 and 0.048 bits of 0.940."""
    assert information_gain(PLAY, FRAME[name]) == pytest.approx(gain, abs=5e-8)


def test_gain_ratio_of_play_tennis():
    split = entropy([5, 4, 5], base=2)
    expected = information_gain(PLAY, FRAME["Outlook"]) / split
    assert split == pytest.approx(1.5774063)
    assert information_gain(PLAY, FRAME["Outlook"], ratio=True) == pytest.approx(expected)


def test_gain_by_its_definition():
    rng = np.random.default_rng(1)
    y, x, w = rng.integers(0, 3, 200), rng.integers(0, 6, 200), rng.integers(1, 5, 200)
    after = sum(w[x == v].sum() / w.sum() * entropy_of(y[x == v], w[x == v]) for v in range(6))
    assert information_gain(y, x, w) == pytest.approx(entropy_of(y, w) - after)
    assert information_gain(np.repeat(y, w), np.repeat(x, w)) == pytest.approx(
        information_gain(y, x, w)
    )


def test_gain_of_missing_values_is_that_of_a_level():
    y = [0, 0, 1, 1]
    assert information_gain(y, ["a", "a", None, None]) == 1.0
    assert information_gain(y, [1.0, 1.0, np.nan, np.nan]) == 1.0
    assert information_gain(y, [2.0, 2.0, 2.0, 2.0], ratio=True) == 0.0


def test_gain_refuses():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        information_gain([0, 1], ["a"])
    with pytest.raises(ValueError, match="continuous"):
        information_gain([0.5, 1.5], ["a", "b"])
    with pytest.raises(ValueError, match="ratio"):
        information_gain([0, 1], [0, 1], ratio="yes")


# -- the tree ------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", [pd.DataFrame, pl.DataFrame, pa.table])
def test_play_tennis(backend):
    frame = backend({name: FRAME[name].tolist() for name in NAMES})
    model = ID3Classifier().fit(frame, PLAY)
    assert str(model.tree_) == TREE
    assert model.rules_.splitlines()[-1] == (
        "if Outlook = Sunny and Humidity = Normal: Yes (2 rows, 100.0 %)"
    )
    assert (model.get_depth(), model.get_n_leaves()) == (2, 5)
    assert model.predict(frame).tolist() == PLAY


def test_arrays_and_lists_of_text():
    """The query of the notes: a sunny, cool, humid and windy day."""
    for rows in (FRAME.to_numpy(), FRAME.to_numpy().astype(str), FRAME.to_numpy().tolist()):
        model = ID3Classifier().fit(rows, PLAY)
        assert str(model.tree_) == TREE.replace("Outlook", "x0").replace("Humidity", "x2").replace(
            "Windy", "x3"
        )
        assert model.predict([["Sunny", "Cool", "High", "True"]]).tolist() == ["No"]


def test_importances_are_gains():
    """0.2467 at the root; then 0.971 bits of each five days, by Humidity and by Windy."""
    gains = np.array([0.2467498, 0.0, 5 / 14 * 0.9709506, 5 / 14 * 0.9709506])
    model = ID3Classifier().fit(FRAME, PLAY)
    np.testing.assert_allclose(model.feature_importances_, gains / gains.sum(), atol=1e-6)


def test_numbers_as_levels():
    codes = FRAME.apply(lambda column: pd.factorize(column, sort=True)[0])
    by_text = ID3Classifier().fit(FRAME, PLAY)
    for chosen in ("all", [0, 1, 2, 3], NAMES, [True] * 4):
        model = ID3Classifier(categorical_features=chosen).fit(codes, PLAY)
        np.testing.assert_array_equal(model.tree_.parent, by_text.tree_.parent)
        np.testing.assert_array_equal(model.tree_.feature, by_text.tree_.feature)
        assert str(model.tree_).splitlines()[1] == "|--- Outlook = 1"
    model = ID3Classifier(categorical_features=["Outlook"]).fit(codes, PLAY)
    assert "Windy <= 0.5" in str(model.tree_)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [(["nowhere"], "'nowhere'"), ([9], "9"), ([True], "one entry for each"), ([[0]], "dimension")],
)
def test_wrong_categorical_features(chosen, words):
    with pytest.raises(ValueError, match=words):
        ID3Classifier(categorical_features=chosen).fit(FRAME, PLAY)


def test_unseen_level_takes_the_majority_of_its_node():
    model = ID3Classifier().fit(FRAME, PLAY)
    rows = pd.DataFrame(
        [["Foggy", "Hot", "High", "True"], ["Sunny", "Hot", "Dry", "True"]], columns=NAMES
    )
    np.testing.assert_allclose(model.predict_proba(rows), [[5 / 14, 9 / 14], [3 / 5, 2 / 5]])
    assert model.predict(rows).tolist() == ["Yes", "No"]
    assert model.apply(rows)[0] == 0


def test_missing_level_is_a_level():
    frame = pd.DataFrame({"a": ["u", "u", None, None, "v"], "b": list("ppqqp")})
    model = ID3Classifier().fit(frame, [0, 0, 1, 1, 2])
    assert str(model.tree_).splitlines()[0] == "|--- a is missing: 1 (2)"
    assert model.predict(frame).tolist() == [0, 0, 1, 1, 2]
    unseen = pd.DataFrame({"a": ["w"], "b": ["q"]})  # not the branch of missing values
    np.testing.assert_allclose(model.predict_proba(unseen), [[0.4, 0.4, 0.2]])


def test_missing_numbers():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan]])
    model = ID3Classifier().fit(X, [0, 0, 1, 1, 1])
    assert str(model.tree_) == "|--- x0 <= 2.5: 0 (2)\n|--- x0 > 2.5 or missing: 1 (3)"
    assert model.predict([[np.nan]]).tolist() == [1]
    model = ID3Classifier().fit(X[:4], [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[np.nan]]), [[0.5, 0.5]])


@pytest.mark.parametrize("seed", range(3))
def test_numbers_as_entropy_trees(seed):
    """Thresholds alone are the splits of a binary tree by entropy."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=300) > 0) + (X[:, 2] > 1)
    w = rng.integers(1, 4, 300)
    ours = ID3Classifier(max_depth=5).fit(X, y, w)
    theirs = DecisionTreeClassifier(criterion="entropy", max_depth=5).fit(X, y, w)
    new = rng.normal(size=(200, 4))
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=1e-12)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)


def test_best_split_of_each_node_by_brute_force():
    X, y = noisy()
    model = ID3Classifier(categorical_features="all").fit(X, y)
    tree = model.tree_
    path = {0: np.ones(len(y), dtype=bool)}
    for node in range(1, tree.node_count):
        parent = tree.parent[node]
        level = float(tree.levels[tree.feature[parent]][tree.branch[node]])
        path[node] = path[parent] & (X[:, tree.feature[parent]] == level)
        assert path[node].sum() == tree.n_node_samples[node] > 0
    for node, rows in path.items():
        gains = [information_gain(y[rows], X[rows, j]) for j in range(X.shape[1])]
        if tree.feature[node] >= 0:
            assert gains[tree.feature[node]] == pytest.approx(max(gains), abs=1e-10)
        else:
            assert len(set(y[rows])) == 1 or all(len(set(X[rows, j])) == 1 for j in range(5))


def test_many_levels():
    """A table of counts that would be large is made of the levels in use, with the same result."""
    rng = np.random.default_rng(0)
    town = rng.integers(0, 4, 500)
    frame = pd.DataFrame({"id": [f"i{i}" for i in range(500)], "town": town.astype(str)})
    assert ID3Classifier().fit(frame, town > 1).tree_.max_depth == 1
    ratio = ID3Classifier(criterion="gain_ratio").fit(frame, town > 1)
    assert ratio.tree_.feature_names[ratio.tree_.feature[0]] == "town"
    assert ID3Classifier().fit(frame, town > 1).tree_.feature[0] == 0


def test_exclusive_or_is_learnt_although_nothing_gains():
    X = [["a", "p"], ["a", "q"], ["b", "p"], ["b", "q"]]
    assert ID3Classifier().fit(X, [0, 1, 1, 0]).predict(X).tolist() == [0, 1, 1, 0]
    assert ID3Classifier(min_gain=0.01).fit(X, [0, 1, 1, 0]).get_depth() == 0
    assert str(ID3Classifier(min_gain=0.01).fit(X, [0, 1, 1, 0]).tree_) == "0 (4)"


def test_limits():
    X, y = noisy()
    whole = ID3Classifier(categorical_features="all").fit(X, y)
    assert ID3Classifier(categorical_features="all", max_depth=2).fit(X, y).get_depth() == 2
    few = ID3Classifier(categorical_features="all", min_samples_split=60).fit(X, y).tree_
    assert few.n_node_samples[few.feature >= 0].min() >= 60
    gain = ID3Classifier(categorical_features="all", min_gain=0.2).fit(X, y).tree_
    assert (gain.gains()[1] / gain.counts.sum(axis=1)[gain.feature >= 0]).min() >= 0.2
    assert few.n_leaves < whole.tree_.n_leaves > gain.n_leaves


@pytest.mark.parametrize("prune", ["reduced_error", "pessimistic"])
def test_pruning_helps_on_new_rows(prune):
    X, y = noisy()
    new, truth = noisy(4000, seed=1)
    whole = ID3Classifier(categorical_features="all").fit(X, y)
    pruned = ID3Classifier(categorical_features="all", prune=prune, random_state=0).fit(X, y)
    assert pruned.get_n_leaves() < whole.get_n_leaves() / 3
    assert pruned.score(new, truth) > whole.score(new, truth) + 0.03


def test_reduced_error_leaves_no_split_that_does_not_help():
    X, y = noisy()
    model = ID3Classifier(categorical_features="all", prune="reduced_error", random_state=0)
    tree = model.fit(X, y).tree_
    assert tree.n_node_samples[0] == 320  # a fifth is held out
    assert (np.bincount(tree.parent[1:], minlength=tree.node_count)[tree.feature >= 0] > 0).all()


@pytest.mark.parametrize(("errors", "rows", "limit"), [(0, 6, 0.206), (0, 9, 0.143), (0, 1, 0.75)])
def test_pessimistic_limits_of_the_book(errors, rows, limit):
    """Quinlan's examples; the limit is where so few errors have a chance of a quarter."""
    from scipy.special import betaincinv

    found = betaincinv(errors + 1.0, rows - errors, 0.75)
    assert found == pytest.approx(limit, abs=6e-4)
    assert binom.cdf(errors, rows, found) == pytest.approx(0.25)


def test_pessimistic_prunes_more_when_less_confident():
    X, y = noisy()
    sizes = [
        ID3Classifier(categorical_features="all", prune="pessimistic", confidence=c)
        .fit(X, y)
        .get_n_leaves()
        for c in (0.6, 0.25, 0.01)
    ]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > sizes[-1]


def test_weights_are_counts():
    X, y = noisy(150)
    w = np.random.default_rng(2).integers(0, 4, 150)
    weighted = ID3Classifier(categorical_features="all").fit(X, y, w)
    repeated = ID3Classifier(categorical_features="all").fit(np.repeat(X, w, 0), np.repeat(y, w))
    assert weighted.tree_.condition(1) == repeated.tree_.condition(1)
    np.testing.assert_array_equal(weighted.tree_.feature, repeated.tree_.feature)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_a_column_without_values_says_nothing():
    frame = pd.DataFrame({"a": [None, None, None], "b": ["u", "v", "u"]})
    model = ID3Classifier().fit(frame, [0, 1, 0])
    assert str(model.tree_) == "|--- b = u: 0 (2)\n|--- b = v: 1 (1)"
    new = pd.DataFrame({"a": ["text", 3.0], "b": ["u", "v"]})
    assert model.predict(new).tolist() == [0, 1]


def test_not_fitted():
    with pytest.raises(NotFittedError):
        ID3Classifier().predict(FRAME)
    with pytest.raises(NotFittedError):
        ID3Classifier().rules_  # noqa: B018


def test_save_and_load():
    model = ID3Classifier().fit(FRAME, PLAY)
    file = io.BytesIO()
    gramian.save(model, file)
    file.seek(0)
    again = gramian.load(file)
    assert str(again.tree_) == TREE
    assert again.predict(FRAME).tolist() == PLAY


def test_refusals():
    model = ID3Classifier().fit(pd.DataFrame({"x": [1.0, 2.0]}), [0, 1])
    with pytest.raises(ValueError, match="could not convert string to float"):
        model.predict(pd.DataFrame({"x": ["one"]}))
    with pytest.raises(ValueError, match="infinity"):
        model.predict(pd.DataFrame({"x": [np.inf]}))
    with pytest.raises(TypeError, match="argument must be a string"):
        ID3Classifier().fit(np.array([[{}], [1.0]], dtype=object), [0, 1])
    with pytest.raises(ValueError, match="has 2 features"):
        ID3Classifier().fit(FRAME.to_numpy(), PLAY).predict([["a", "b"]])
