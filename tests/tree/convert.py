"""Fitted trees of scikit-learn as `Trees`, and a plain walk through trees to compare with."""

import numpy as np

from gramian._trees.trees import Trees


def preorder(tree):
    """Node numbers of a ``sklearn.tree._tree.Tree`` in preorder, whatever order it was grown in."""
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        if tree.children_left[node] >= 0:
            stack += [tree.children_right[node], tree.children_left[node]]
    return np.array(order)


def from_tree(tree, *, is_classifier):
    """Flat form of one ``sklearn.tree._tree.Tree``."""
    order = preorder(tree)
    is_leaf = tree.children_left[order] < 0
    splits, leaves = order[~is_leaf], order[is_leaf]
    value, weight = tree.value[leaves], tree.weighted_n_node_samples[leaves]
    arrays = {
        "node_offsets": np.array([0, len(order)], np.int64),
        "feature": np.where(is_leaf, -1, tree.feature[order]).astype(np.int32),
        "threshold": tree.threshold[splits].astype(np.float64),
        "flags": tree.missing_go_to_left[splits].astype(np.uint8),
        "n_levels": np.zeros(tree.n_features, np.int32),
        "is_double": np.zeros(tree.n_features, np.uint8),
        "leaf_count": tree.n_node_samples[leaves].astype(np.int32),
    }
    if is_classifier:
        n_classes = np.asarray(tree.n_classes)
        parts = [value[:, k, :n] for k, n in enumerate(n_classes)]
        counts = np.hstack(parts) * weight[:, None]
        near = np.rint(counts)
        arrays["leaf_value"] = np.where(np.abs(counts - near) < 1e-9, near, counts)
        arrays["n_classes"] = n_classes.astype(np.int32)
    else:
        arrays["leaf_value"] = np.ascontiguousarray(value[:, :, 0])
        arrays["leaf_impurity"] = tree.impurity[leaves].astype(np.float64)
        if not np.array_equal(weight, arrays["leaf_count"]):
            arrays["leaf_weight"] = weight.astype(np.float64)
    return Trees.from_native(arrays)


def from_sklearn(model):
    """Flat form of a fitted tree or forest of scikit-learn."""
    is_classifier = hasattr(model, "predict_proba")
    members = getattr(model, "estimators_", [model])
    return Trees.concatenate([from_tree(m.tree_, is_classifier=is_classifier) for m in members])


def goes_left(trees, split, column, x):
    """Where one value goes at a split: the definition, one step at a time."""
    flags, threshold = trees.flags[split], trees.threshold[split]
    if flags & 2:
        n_levels = trees.n_levels[column]
        if not (x == np.floor(x) and 0 <= x < n_levels):
            return bool(flags & 1)
        word = trees.category_words[int(threshold) + int(x) // 64]
        return bool((int(word) >> (int(x) % 64)) & 1)
    if np.isnan(x):
        return bool(flags & 1)
    with np.errstate(over="ignore"):
        return bool((x if trees.is_double[column] else np.float64(np.float32(x))) <= threshold)


def walk(trees, X):
    """Preorder number of each row's leaf in each tree, and the number of the leaf in the forest."""
    nodes = np.empty((len(X), trees.n_trees), np.int64)
    leaves = np.empty_like(nodes)
    is_leaf = trees.feature < 0
    leaf_of = np.cumsum(is_leaf) - 1
    split_of = np.cumsum(~is_leaf) - 1
    for t in range(trees.n_trees):
        begin = trees.node_offsets[t]
        right = right_children(trees.feature[begin : trees.node_offsets[t + 1]])
        for i, row in enumerate(X):
            node = 0
            while (column := trees.feature[begin + node]) >= 0:
                is_left = goes_left(trees, split_of[begin + node], column, row[column])
                node = node + 1 if is_left else right[node]
            nodes[i, t], leaves[i, t] = node, leaf_of[begin + node]
    return nodes, leaves


def right_children(feature):
    """Number of each split's right child in a preorder sequence; -1 for leaves."""
    right, open_splits = np.full(len(feature), -1), []
    for node, column in enumerate(feature):
        if node and feature[node - 1] < 0:
            right[open_splits.pop()] = node
        if column >= 0:
            open_splits.append(node)
    return right
