"""Pictures and texts of single trees of boosted models."""

import sys

import numpy as np
import pandas as pd
import pytest

from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.datasets import load_breast_cancer, load_diabetes, load_iris
from gramian.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from gramian.exceptions import NotFittedError
from gramian.tree import DecisionTreeClassifier, export_text, plot_tree

plt = pytest.importorskip("matplotlib.pyplot")
plt.switch_backend("agg")

CANCER = load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def boxes_of(model, **options):
    """Return the texts of the boxes, without the answers beside the arrows."""
    notes = plot_tree(model, precision=6, **options)
    return [note.get_text() for note in notes if "samples" in note.get_text()]


@pytest.mark.parametrize("index", [None, 3, -1])
def test_tree_of_the_engine(index):
    model = BoostingClassifier(n_estimators=5, max_leaves=4, random_state=0).fit(*CANCER)
    boxes = boxes_of(model, tree_index=index)
    tree, gains = model._model.tree({None: 0, 3: 3, -1: 4}[index])
    assert len(boxes) == tree.node_count
    for node, text in enumerate(boxes):
        lines = text.split("\n")
        assert f"samples = {tree.n_node_samples[node]}" in lines
        assert f"value = {np.around(tree.value[node, 0, 0], 6)}" in lines
        if tree.feature[node] >= 0:
            name = CANCER[0].columns[tree.feature[node]]
            assert lines[0] == f"{name} <= {round(tree.threshold[node], 6)}"
            assert f"gain = {round(gains[node], 6)}" in lines
        else:
            assert len(lines) == 2  # a leaf gains nothing


def test_colours_tell_the_direction():
    model = BoostingClassifier(n_estimators=1, max_leaves=4).fit(*CANCER)
    tree, _ = model._model.tree(0)
    notes = [note for note in plot_tree(model) if "samples" in note.get_text()]
    for node, note in enumerate(notes):
        red, _, blue, _ = note.get_bbox_patch().get_facecolor()
        value = tree.value[node, 0, 0]
        assert (red >= blue) if value > 0 else (blue >= red)


def test_trees_of_several_classes_follow_each_other():
    X, y = load_iris(return_X_y=True)
    model = BoostingClassifier(n_estimators=2, max_leaves=3).fit(X, y)
    text = boxes_of(model, tree_index=4)[0]  # the second class in the second round
    assert f"gain = {round(model._model.tree(4)[1][0], 6)}" in text
    with pytest.raises(ValueError, match="from 0 to 5"):
        plot_tree(model, tree_index=6)


def test_histograms_and_gradient_boosting():
    hist = HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4).fit(*CANCER)
    assert "gain = " in boxes_of(hist, tree_index=2)[0]
    grown = GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0).fit(*CANCER)
    first = boxes_of(grown, tree_index=1)[0]
    assert "squared_error = " in first
    assert grown.estimators_[1, 0].tree_.n_node_samples[0] == 569
    assert CANCER[0].columns[grown.estimators_[1, 0].tree_.feature[0]] in first


def test_text_of_a_tree():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = BoostingRegressor(n_estimators=3, max_leaves=3).fit(X, y)
    text = export_text(model, tree_index=1, decimals=4)
    tree, _ = model._model.tree(1)
    assert f"{X.columns[tree.feature[0]]} <= {tree.threshold[0]:.4f}" in text
    leaves = np.flatnonzero(tree.feature < 0)
    assert all(f"value: [{tree.value[leaf, 0, 0]:.4f}]" in text for leaf in leaves)
    plain = BoostingRegressor(n_estimators=3, max_leaves=3).fit(X.to_numpy(), y)
    assert "feature_" in export_text(plain)


def test_long_sets_of_levels_are_wrapped():
    rng = np.random.default_rng(0)
    towns = np.array([f"the town of number {k}" for k in range(12)])
    frame = pd.DataFrame({"town": rng.choice(towns, 600)})
    y = np.where(frame["town"].isin(towns[::2]), 5.0, 0.0) + rng.normal(size=600)
    box = plot_tree(BoostingRegressor(n_estimators=1, max_leaves=2).fit(frame, y))[0]
    assert max(map(len, box.get_text().split("\n"))) <= 44
    assert box.get_fontsize() > 6


def test_what_is_refused(monkeypatch):
    tree = DecisionTreeClassifier(max_depth=1).fit(*CANCER)
    for show in (plot_tree, export_text):
        with pytest.raises(ValueError, match="is one tree"):
            show(tree, tree_index=0)
        with pytest.raises(NotFittedError):
            show(BoostingClassifier())
        with pytest.raises(ValueError, match="or a boosted model"):
            show(RandomForestClassifier(n_estimators=2).fit(*CANCER))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="export_text"):
        plot_tree(tree)
