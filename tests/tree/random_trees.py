"""Random trees with numeric, categorical and repeated splits, and a model made of trees."""

import numpy as np
from tests.tree.convert import walk

from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.trees import Trees

N_LEVELS = np.array([0, 0, 0, 70, 3], np.int32)


def random_rows(rng, n_rows, n_levels=N_LEVELS):
    """Rows with missing values, and in categorical columns levels that no tree has seen."""
    X = rng.normal(size=(n_rows, len(n_levels)))
    for j in np.flatnonzero(n_levels):
        X[:, j] = rng.integers(0, n_levels[j] + 2, n_rows)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def random_tree(rng, max_depth, n_levels=N_LEVELS, width=1, is_classifier=False):
    """One tree; splits anywhere, leaves of any weight, zero among them."""
    feature, threshold, flags, words = [], [], [], []

    def grow(depth):
        if depth == max_depth or (depth > 1 and rng.random() < 0.2):
            feature.append(-1)
            return
        column = int(rng.integers(len(n_levels)))
        feature.append(column)
        is_set = n_levels[column] > 0
        flags.append(int(rng.integers(2)) + 2 * int(is_set))
        threshold.append(float(len(words)) if is_set else float(rng.normal()))
        if is_set:
            words.extend(rng.integers(0, 2**63, (n_levels[column] + 63) // 64).tolist())
        grow(depth + 1)
        grow(depth + 1)

    grow(0)
    n_leaves = feature.count(-1)
    value = rng.normal(size=(n_leaves, width))
    arrays = {
        "node_offsets": np.array([0, len(feature)], np.int64),
        "feature": np.array(feature, np.int32),
        "threshold": np.array(threshold, np.float64),
        "flags": np.array(flags, np.uint8),
        "category_words": np.array(words, np.uint64),
        "n_levels": n_levels,
        "is_double": (np.arange(len(n_levels)) % 2).astype(np.uint8),
        "leaf_value": rng.integers(1, 9, value.shape).astype(float) if is_classifier else value,
        "leaf_count": rng.integers(1, 30, n_leaves).astype(np.int32),
    }
    if is_classifier:
        arrays["n_classes"] = np.array([width], np.int32)
    else:
        arrays["leaf_weight"] = rng.random(n_leaves) * (rng.random(n_leaves) > 0.2)
    return Trees.from_native(arrays)


def random_forest(rng, n_trees, max_depth, **options):
    """Some random trees."""
    return Trees.concatenate([random_tree(rng, max_depth, **options) for _ in range(n_trees)])


class TreeSum:
    """A model made of trees, predicting by the plain walk."""

    def __init__(self, trees, *, scale=None, base=None, response="predict", takes_turns=False):
        scale = np.full(trees.n_trees, 1.0 / trees.n_trees) if scale is None else scale
        base = np.zeros(trees.leaf_value.shape[1]) if base is None else base
        self.ensemble = TreeEnsemble(trees, scale, base, response, takes_turns)

    def fit(self, X, y):
        return self

    def _tree_ensemble(self):
        return self.ensemble

    def _tree_rows(self, X):
        return np.asarray(X)

    def _tree_predictions(self, X):
        _, leaves = walk(self.ensemble.trees, np.asarray(X))
        return self.ensemble.leaf_outputs()[leaves]

    def _outputs(self, X):
        each = self._tree_predictions(X) * self.ensemble.scale[:, None]
        if self.ensemble.takes_turns:
            n = self.ensemble.n_outputs
            each = np.concatenate([each[:, c::n].sum(axis=1) for c in range(n)], axis=1)
        else:
            each = each.sum(axis=1)
        return self.ensemble.base + each

    def predict(self, X):
        outputs = self._outputs(X)
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def predict_proba(self, X):
        return self._outputs(X)

    def decision_function(self, X):
        return self.predict(X)
