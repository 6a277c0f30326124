"""The models of XGBoost: trees in JSON or UBJSON, compared in single precision."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels
from gramian._typing import Floats
from gramian.compat._input_rules import InputRules
from gramian.compat._model_parts import ModelParts, rounds_used
from gramian.compat._nodes import CATEGORICAL, LEAF, MISSING_LEFT, Nodes, flat_trees
from gramian.compat._untrusted import Fields, check_n_features, level_text
from gramian.compat.xgboost._objectives import OBJECTIVES, ObjectiveSpec
from gramian.exceptions import ModelFileError

__all__ = ["xgboost_parts"]


_SURVIVAL = ObjectiveSpec("", "", "exp", "exp")  # which cannot be fitted here
_OBJECTIVES = {**OBJECTIVES, "survival:cox": _SURVIVAL, "survival:aft": _SURVIVAL}


def xgboost_parts(document: Any, n_bytes: int, n_iterations: Any) -> ModelParts:
    """Return what the JSON document of a model says."""
    learner = Fields(document, "the document").object("learner")
    params = learner.object("learner_model_param")
    name = learner.object("objective").text("name")
    if name not in _OBJECTIVES:
        raise ModelFileError(f"the objective {name!r} is not known")
    objective = _OBJECTIVES[name]
    n_features = check_n_features(params.integer("num_feature"), n_bytes)
    booster = _Booster(learner.object("gradient_booster"))
    attributes = learner.object("attributes") if "attributes" in learner else Fields({}, "it")
    best = attributes.integer("best_iteration") if "best_iteration" in attributes else None
    n_classes, n_targets = params.integer("num_class", 0), params.integer("num_target", 1)
    n_outputs = n_classes if n_classes > 1 else max(n_targets, 1)
    n_rounds = rounds_used(n_iterations, booster.n_rounds(n_outputs), best)
    nodes = booster.nodes(n_rounds, n_outputs)
    n_levels, levels = _levels(learner, booster, nodes, n_features)
    trees = flat_trees(
        nodes, n_features, n_levels, is_double=False, n_bytes=n_bytes, sets_go_left=False
    )
    is_zero = np.zeros(n_features, np.bool_)
    rules = InputRules(levels, n_levels, True, True, is_zero, absent_is_missing=True)
    return ModelParts(
        library="XGBoost",
        objective=name,
        trees=trees,
        bias=_bias(params, objective, n_outputs),
        link=_link(name),
        rules=rules,
        classes=np.arange(max(n_classes, 2)) if name.startswith(("binary:", "multi:")) else None,
        feature_names=_names(learner, n_features),
        n_iterations=n_rounds,
        best_iteration=best,
        split_gain=nodes.split_gains(),
    )


def _link(name: str) -> str:
    """Return what turns scores into probabilities or predictions; classes follow from scores."""
    if name == "binary:logitraw":
        return "sigmoid"
    response = _OBJECTIVES[name].response
    return {"class": "softmax", "sign": "identity"}.get(response, response)


def _bias(params: Fields, objective: ObjectiveSpec, n_outputs: int) -> Floats:
    """Return the base score of each output, as a sum of trees."""
    text = params.text("base_score").strip().removeprefix("[").removesuffix("]")
    base = _single(np.array([float(number) for number in text.split(",")]))
    if len(base) not in (1, n_outputs):
        raise ModelFileError(f"it has {len(base)} base scores for {n_outputs} outputs")
    if objective.base_link == "sigmoid":
        base = -np.log(1.0 / base - 1.0)
    elif objective.base_link == "exp":
        base = np.log(base)
    if not np.isfinite(base).all():
        raise ModelFileError(f"the base score {text} does not suit the objective")
    return np.repeat(base, n_outputs // len(base))


def _names(learner: Fields, n_features: int) -> list[str] | None:
    names = learner.list("feature_names") if "feature_names" in learner else []
    if not names:
        return None
    if len(names) != n_features or len(set(map(str, names))) != n_features:
        raise ModelFileError("feature_names does not have one name for each feature")
    return [str(name) for name in names]


class _Booster:
    """The trees of a model, and which output and round each belongs to."""

    def __init__(self, booster: Fields) -> None:
        kind = booster.text("name")
        if kind == "gblinear":
            raise ModelFileError(
                "it is a linear model (booster='gblinear'), and has no trees; "
                "gramian.linear_model has such models"
            )
        if kind not in ("gbtree", "dart"):
            raise ModelFileError(f"the booster {kind!r} is not known")
        is_dart = kind == "dart"
        self.model = (booster.object("gbtree") if is_dart else booster).object("model")
        self.trees = self.model.list("trees")
        self.output = self.model.integers("tree_info", len(self.trees))
        n_trees = len(self.trees)
        self.weight = booster.numbers("weight_drop", n_trees) if is_dart else np.ones(n_trees)

    def ends(self, n_outputs: int) -> NDArray[np.int64]:
        """Return the number of trees up to each round."""
        if "iteration_indptr" in self.model:
            ends = self.model.integers("iteration_indptr")[1:]
        else:
            params = self.model.object("gbtree_model_param")
            is_shared = len(self.trees) > 0 and _leaf_width(self.trees[0]) > 1
            in_round = max(params.integer("num_parallel_tree", 1), 1)
            in_round = in_round if is_shared else min(in_round * n_outputs, len(self.trees) + 1)
            ends = np.arange(in_round, len(self.trees) + 1, in_round)
        if len(ends) > 0 and ((np.diff(ends) <= 0).any() or ends[-1] != len(self.trees)):
            raise ModelFileError("its rounds do not fit its number of trees")
        return ends

    def n_rounds(self, n_outputs: int) -> int:
        """Return the number of rounds."""
        return len(self.ends(n_outputs))

    def nodes(self, n_rounds: int, n_outputs: int) -> Nodes:
        """Return the nodes of the trees of some rounds, ordered such that outputs take turns."""
        n_trees = int(self.ends(n_outputs)[n_rounds - 1])
        if not 1 <= n_trees <= len(self.trees):
            raise ModelFileError("it holds no trees")
        width = _leaf_width(self.trees[0])
        if width not in (1, n_outputs):
            raise ModelFileError(f"its leaves have {width} values for {n_outputs} outputs")
        order = np.arange(n_trees)
        if width < n_outputs:
            output = self.output[:n_trees]
            if n_outputs > n_trees or not 0 <= output.min() <= output.max() < n_outputs:
                raise ModelFileError("a tree is for an output that does not exist")
            in_each = np.bincount(output, minlength=n_outputs)
            if (in_each != in_each[0]).any():
                raise ModelFileError("its outputs differ in their number of trees")
            order = np.argsort(output, kind="stable").reshape(n_outputs, -1).T.ravel()
        return Nodes.joined([_tree_nodes(self.trees[t], width, self.weight[t]) for t in order])


def _single(values: Floats) -> Floats:
    """Return the numbers that XGBoost reads, which keeps them in single precision."""
    return values.astype(np.float32).astype(np.float64)


def _leaf_width(tree: Any) -> int:
    return max(Fields(tree, "a tree").object("tree_param").integer("size_leaf_vector", 1), 1)


def _tree_nodes(document: Any, width: int, scale: float) -> Nodes:
    """Return the nodes of one tree; categories of a set go right, and other rows left."""
    tree = Fields(document, "a tree")
    if _leaf_width(document) != width:
        raise ModelFileError("its trees differ in the size of their leaves")
    left = tree.integers("left_children")
    n = len(left)
    right = tree.integers("right_children", n)
    is_leaf = left == LEAF
    condition = tree.numbers("split_conditions", n).astype(np.float32)
    if not np.isfinite(condition).all():
        raise ModelFileError("a number is too large for single precision")
    split_type = tree.integers("split_type", n) if "split_type" in tree else np.zeros(n, np.int64)
    is_set = (split_type == 1) & ~is_leaf
    flags = np.where(tree.integers("default_left", n) != 0, MISSING_LEFT, 0)
    flags = np.where(is_set, flags | CATEGORICAL, flags).astype(np.uint8)
    offsets, levels, number = _sets(tree, is_set)
    below = np.nextafter(condition, np.float32(-np.inf)).astype(np.float64)
    return Nodes(
        left=left,
        right=right,
        feature=tree.integers("split_indices", n),
        threshold=np.where(is_set, number, below),  # x < t is x <= the float below t
        flags=flags,
        value=_leaf_values(tree, condition, right, is_leaf, width) * scale,
        weight=_single(tree.numbers("sum_hessian", n)),
        set_offsets=offsets,
        set_levels=levels,
        gain=_single(tree.numbers("loss_changes", n)) if "loss_changes" in tree else np.zeros(n),
    )


def _leaf_values(
    tree: Fields,
    condition: NDArray[np.float32],
    right: NDArray[np.int64],
    is_leaf: NDArray[np.bool_],
    width: int,
) -> Floats:
    """Return the values of each node: numbers of leaves stand where splits have a condition."""
    n = len(condition)
    if width == 1:
        return condition.astype(np.float64).reshape(n, 1)
    if "leaf_weights" not in tree:  # before version 3.1
        return tree.numbers("base_weights", n * width).reshape(n, width)
    n_leaves = int(np.count_nonzero(is_leaf))
    values = tree.numbers("leaf_weights", n_leaves * width).reshape(n_leaves, width)
    number = np.where(is_leaf, right, 0)  # the right child of a leaf is its number
    if not 0 <= number.min() <= number.max() < n_leaves:
        raise ModelFileError("a leaf has no values")
    return values[number]


def _sets(
    tree: Fields, is_set: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return where sets begin, their categories, and the number of the set of each node."""
    n = len(is_set)
    if not is_set.any():
        return np.zeros(1, np.int64), np.empty(0, np.int64), np.zeros(n, np.int64)
    nodes = tree.integers("categories_nodes")
    starts = tree.integers("categories_segments", len(nodes))
    sizes = tree.integers("categories_sizes", len(nodes))
    levels = tree.integers("categories")
    ends = np.append(starts[1:], len(levels))
    if not np.array_equal(starts + sizes, ends) or (len(starts) and starts[0] != 0):
        raise ModelFileError("its sets of categories do not follow one another")
    if not np.array_equal(np.sort(nodes), np.flatnonzero(is_set)):
        raise ModelFileError("a categorical split has no set of categories")
    number = np.zeros(n, np.int64)
    number[nodes] = np.arange(len(nodes))
    return np.append(starts, len(levels)), levels, number


def _levels(
    learner: Fields, booster: _Booster, nodes: Nodes, n_features: int
) -> tuple[NDArray[np.int32], TableLevels | None]:
    """Return the number of codes of each column, with one more for unknown ones, and their names.

    A code outside of a set goes left, even one that the fit has not seen; a missing value follows
    the split. Hence unknown codes must not become missing values.
    """
    named = _named_levels(booster.model, n_features)
    n_levels = np.array([0 if of is None else len(of) + 1 for of in named], dtype=np.int64)
    if "feature_types" in learner:
        types = learner.list("feature_types")
        is_category = np.array([kind == "c" for kind in types] or [False] * n_features)
        if len(is_category) != n_features:
            raise ModelFileError("feature_types does not have one type for each feature")
        n_levels = np.maximum(n_levels, is_category.astype(np.int64))
    nodes.check_sets(n_features)
    highest = nodes.highest_levels(n_features)
    n_levels = np.maximum(n_levels, np.where(highest < 0, 0, highest + 2))
    has_names = any(of is not None for of in named)
    levels = TableLevels(named, (False,) * n_features) if has_names else None
    return n_levels.astype(np.int32), levels


def _named_levels(model: Fields, n_features: int) -> tuple[tuple[str, ...] | None, ...]:
    """Return the categories that the file names, from version 3.1 on; None for other columns."""
    encodings = model.object("cats").list("enc") if "cats" in model else []
    if not encodings:
        return (None,) * n_features
    if len(encodings) != n_features:
        raise ModelFileError("cats does not have an entry for each feature")
    return tuple(_category_names(Fields(encoding, "enc")) for encoding in encodings)


def _category_names(encoding: Fields) -> tuple[str, ...] | None:
    values = encoding.list("values")
    if "offsets" not in encoding:
        return tuple(level_text(value) for value in values)
    offsets = encoding.integers("offsets")
    if len(offsets) == 0:
        return None
    text = bytes(value & 0xFF for value in encoding.integers("values").tolist())
    if offsets[0] != 0 or (np.diff(offsets) < 0).any() or offsets[-1] != len(text):
        raise ModelFileError("the names of categories are outside of their text")
    ends = offsets.tolist()
    return tuple(text[a:b].decode() for a, b in pairwise(ends))
