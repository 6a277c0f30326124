"""Trees as text, graphs, rules and pictures; text and graphs against scikit-learn's."""

import io
import sqlite3

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from matplotlib import pyplot as plt

from gramian.exceptions import NotFittedError
from gramian.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    export_graphviz,
    export_rules,
    export_text,
    plot_tree,
)

RNG = np.random.default_rng(1)
X = RNG.normal(size=(250, 3))
NAMES = ["age", 'the "size"', "b"]
CLASSES = np.array(["no", "perhaps", "yes"])[np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.4, 0.6])]
WEIGHT = RNG.uniform(0.5, 1.5, 250)
TARGETS = {
    "classes": (DecisionTreeClassifier, CLASSES, None),
    "weighted": (DecisionTreeClassifier, CLASSES, WEIGHT),
    "two outputs": (DecisionTreeClassifier, np.c_[X[:, 0] > 0, X[:, 1] > 0.2].astype(int), None),
    "numbers": (DecisionTreeRegressor, X[:, 0] + X[:, 2] ** 2, None),
    "two numbers": (DecisionTreeRegressor, X[:, :2] + X[:, 1:], None),
    "one value": (DecisionTreeRegressor, np.ones(250), None),
    "one class": (DecisionTreeClassifier, np.ones(250), None),
}


def both(name, **params):
    """The same tree, ours and scikit-learn's."""
    cls, y, weight = TARGETS[name]
    params = {"max_depth": 3, "min_samples_leaf": 10, "random_state": 0, **params}
    ours = cls(**params).fit(X, y, weight)
    theirs = getattr(sklearn.tree, cls.__name__)(**params).fit(X, y, weight)
    np.testing.assert_array_equal(ours.tree_.feature, theirs.tree_.feature)
    return ours, theirs


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"feature_names": NAMES, "decimals": 4, "spacing": 1},
        {"max_depth": 0},
        {"max_depth": 1, "show_weights": True},
    ],
    ids=str,
)
def test_text_is_scikit_learns(name, params):
    ours, theirs = both(name)
    assert export_text(ours, **params) == sklearn.tree.export_text(theirs, **params)


def test_text_with_other_class_names():
    ours, theirs = both("classes")
    names = ["a", "b", "c"]
    expected = sklearn.tree.export_text(theirs, class_names=names)
    assert export_text(ours, class_names=names) == expected
    with pytest.raises(ValueError, match="as many items"):
        export_text(ours, class_names=["a"])
    with pytest.raises(ValueError, match="must contain 3 elements, got 2"):
        export_text(ours, feature_names=["a", "b"])


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"filled": True, "rounded": True, "special_characters": True, "class_names": True},
        {"filled": True, "max_depth": 1, "leaves_parallel": True, "proportion": True},
        {"feature_names": NAMES, "label": "root", "rotate": True, "node_ids": True},
        {"label": "none", "impurity": False, "precision": 1, "fontname": "times"},
    ],
    ids=str,
)
def test_graph_is_scikit_learns(name, params):
    ours, theirs = both(name)
    assert export_graphviz(ours, **params) == sklearn.tree.export_graphviz(theirs, **params)


def test_graph_goes_into_a_file(tmp_path):
    ours, _ = both("classes")
    expected = export_graphviz(ours)
    file = io.StringIO()
    assert export_graphviz(ours, file) is None
    assert file.getvalue() == expected
    export_graphviz(ours, str(tmp_path / "tree.dot"))
    assert (tmp_path / "tree.dot").read_text() == expected
    with pytest.raises(TypeError, match="not an estimator instance"):
        export_graphviz(ours.tree_)
    with pytest.raises(ValueError, match="does not match number of features"):
        export_graphviz(ours, feature_names=["a"])
    with pytest.raises(ValueError, match="must be strings"):
        export_graphviz(ours, feature_names=[1, 2, 3])


@pytest.mark.parametrize("export", [export_text, export_graphviz, export_rules, plot_tree])
def test_only_fitted_trees_are_written(export):
    with pytest.raises(NotFittedError):
        export(DecisionTreeClassifier())


# -- rules ---------------------------------------------------------------------------------------


def shops(n_rows, seed):
    rng = np.random.default_rng(seed)
    city = rng.choice(["Oslo", "Rome", "O'Hara", "Bonn"], n_rows).astype(object)
    size = rng.normal(size=n_rows).round(3)
    y = np.where(np.isin(city, ["Oslo", "Bonn"]), size > 0.2, size < -0.3)
    city[rng.random(n_rows) < 0.1] = None
    size[rng.random(n_rows) < 0.1] = np.nan
    return pd.DataFrame({"city": city, "shop size": size}), np.where(y, "open", "shut")


def run_python(source, frame):
    scope = {}
    exec(source, scope)
    return [scope["predict"](*row) for row in frame.itertuples(index=False)]


def run_sql(expression, frame):
    with sqlite3.connect(":memory:") as connection:
        frame.to_sql("shops", connection, index=False)
        rows = connection.execute(f"SELECT {expression} FROM shops ORDER BY rowid").fetchall()
    connection.close()
    return [value for (value,) in rows]


@pytest.mark.parametrize("run, language", [(run_python, "python"), (run_sql, "sql")])
def test_code_predicts_what_the_tree_predicts(run, language):
    frame, y = shops(400, 0)
    new, _ = shops(200, 1)
    model = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(frame, y)
    assert model.tree_.is_categorical.any()
    rules = export_rules(model, language=language)
    assert run(rules, new) == model.predict(new).tolist()
    regressor = DecisionTreeRegressor(max_depth=4).fit(new[["shop size"]], new["shop size"].isna())
    rules = export_rules(regressor, language=language)
    np.testing.assert_allclose(
        run(rules, new[["shop size"]]), regressor.predict(new[["shop size"]])
    )


def test_code_of_a_single_leaf():
    model = DecisionTreeRegressor().fit([[1.0], [2.0]], [3.0, 3.0])
    assert export_rules(model, language="sql") == "3.0"
    assert export_rules(model, language="python") == "def predict(x0):\n    return 3.0"
    assert export_rules(model) == "3 (2 rows)"


def test_names_become_arguments():
    X = np.eye(5)
    names = ["class", "2 b", "a-b", "a b", "!"]
    model = DecisionTreeRegressor(random_state=0).fit(X, np.arange(5.0))
    source = export_rules(model, language="python", feature_names=names)
    assert source.startswith("def predict(_class, _2_b, a_b, a_b_2, x):")
    compile(source, "rules", "exec")


def test_sentences_join_the_conditions_on_a_feature():
    X = np.arange(8.0).reshape(-1, 1)
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1, 1, 1, 2, 2])
    assert export_rules(model, feature_names=["size"], class_names=["s", "m", "l"]).split("\n") == [
        "if size <= 1.5: s (2 rows, 100.0 %)",
        "if 1.5 < size <= 5.5: m (4 rows, 100.0 %)",
        "if size > 5.5: l (2 rows, 100.0 %)",
    ]


def test_sets_are_written_in_all_forms():
    frame, y = shops(400, 0)
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(frame, y)
    for text in (export_text(model), export_graphviz(model), export_rules(model)):
        assert "city in {" in text
    assert "city not in {" in export_text(model)
    assert any("city in {" in box.get_text() for box in plot_tree(model))


def test_rules_are_for_one_output():
    ours, _ = both("two numbers")
    with pytest.raises(ValueError, match="one output"):
        export_rules(ours)


# -- pictures ------------------------------------------------------------------------------------


def test_boxes_say_what_scikit_learns_say():
    ours, theirs = both("classes")
    params = {"feature_names": NAMES, "class_names": ["a", "b", "c"], "max_depth": 1}
    found = plot_tree(ours, **params)
    expected = sklearn.tree.plot_tree(theirs, **params, ax=plt.figure().gca())
    assert [note.get_text() for note in found] == [note.get_text() for note in expected]


def test_boxes_do_not_overlap():
    ours = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, CLASSES)
    figure, axes = plt.subplots(figsize=(9, 5))
    notes = plot_tree(ours, ax=axes)
    figure.canvas.draw()
    boxes = [note.get_bbox_patch().get_window_extent() for note in notes if note.get_bbox_patch()]
    assert len(boxes) == ours.tree_.node_count
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])


def test_bars_tell_rows_and_classes():
    ours, _ = both("classes", max_depth=1)
    axes = plt.figure().gca()
    plot_tree(ours, ax=axes)
    bars = axes.patches
    assert len(bars) == 3 * (1 + 3)  # a track and three classes for each node
    tracks, shares = bars[::4], [bars[4 * i + 1 : 4 * i + 4] for i in range(3)]
    counts = ours.tree_.value[:, 0] * ours.tree_.n_node_samples[:, None] / 250
    for node in range(3):
        found = [bar.get_width() / tracks[node].get_width() for bar in shares[node]]
        np.testing.assert_allclose(found, counts[node], atol=1e-12)
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["no", "perhaps", "yes"]


def test_names_of_a_data_frame_are_used():
    frame = pd.DataFrame(X, columns=["age", "size", "b"])
    model = DecisionTreeClassifier(max_depth=1).fit(frame, CLASSES)
    assert plot_tree(model, filled=False)[0].get_text().startswith("age <= ")
    assert not plt.gca().patches
