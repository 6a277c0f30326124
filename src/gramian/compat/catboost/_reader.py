"""The models of CatBoost: symmetric and other trees in JSON, compared in single precision."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels
from gramian._typing import Floats
from gramian.compat._input_rules import InputRules
from gramian.compat._model_parts import ModelParts, rounds_used
from gramian.compat._nodes import CATEGORICAL, LEAF, MISSING_LEFT, Nodes, flat_trees
from gramian.compat._untrusted import Fields, check_n_features
from gramian.exceptions import ModelFileError

__all__ = ["LINKS", "catboost_parts"]

_MOST_DEPTH = 16  # of symmetric trees, in CatBoost itself
LINKS = {
    **dict.fromkeys(["Logloss", "CrossEntropy", "Focal", "MultiClassOneVsAll"], "sigmoid"),
    **dict.fromkeys(["MultiLogloss", "MultiCrossEntropy"], "sigmoid"),
    **dict.fromkeys(["Poisson", "Tweedie"], "exp"),
    "MultiClass": "softmax",
}
_OTHER_KINDS = ("text_features", "embedding_features")


def catboost_parts(document: Any, n_bytes: int, n_iterations: Any) -> ModelParts:
    """Return what the JSON document of a model says."""
    model = Fields(document, "the document")
    columns = _Columns(model.object("features_info"), n_bytes)
    is_symmetric = "oblivious_trees" in model
    trees = model.list("oblivious_trees" if is_symmetric else "trees")
    n_rounds = rounds_used(n_iterations, len(trees))
    scale, bias = _scale_and_bias(model)
    make = _symmetric_nodes if is_symmetric else _free_nodes
    parts = [make(Fields(tree, "a tree"), columns, len(bias)) for tree in trees[:n_rounds]]
    nodes = Nodes.joined(parts)
    nodes.value *= scale
    n_levels = columns.n_levels()
    _add_sets(nodes)
    n_features = columns.n_features
    flat = flat_trees(
        nodes, n_features, n_levels, is_double=False, n_bytes=n_bytes, sets_go_left=False
    )
    loss, classes = _loss(model.object("model_info"), len(bias))
    return ModelParts(
        library="CatBoost",
        objective=loss,
        trees=flat,
        bias=bias,
        link=LINKS.get(loss, "identity"),
        rules=InputRules(
            levels=columns.levels(),
            n_levels=n_levels,
            codes_in_arrays=False,
            has_other=False,
            zero_is_missing=np.zeros(n_features, np.bool_),
            absent_is_missing=False,
        ),
        classes=classes,
        feature_names=columns.names(),
        n_iterations=n_rounds,
    )


def _scale_and_bias(model: Fields) -> tuple[float, Floats]:
    """Return what the trees are multiplied by, and what is added for each output."""
    pair = model.list("scale_and_bias")
    if len(pair) != 2 or isinstance(pair[0], bool) or not isinstance(pair[0], int | float):
        raise ModelFileError("scale_and_bias is not a number and a list of numbers")
    bias = pair[1] if isinstance(pair[1], list) else [pair[1]]
    both = Fields({"scale_and_bias": [pair[0], *bias]}, "the document").numbers("scale_and_bias")
    if len(both) < 2:
        raise ModelFileError("scale_and_bias has no bias")
    return float(both[0]), both[1:]


def _loss(info: Fields, n_outputs: int) -> tuple[str, NDArray[Any] | None]:
    """Return the name of the loss, and the classes of a classifier."""
    params = info.object("params") if "params" in info else Fields({}, "params")
    named = "loss_function" in params
    loss = params.object("loss_function").text("type") if named else "RawFormulaVal"
    if loss == "RMSEWithUncertainty":
        raise ModelFileError(
            "it predicts a mean and its variance (RMSEWithUncertainty), which is not supported"
        )
    if LINKS.get(loss) not in ("sigmoid", "softmax"):
        return loss, None
    if loss in ("MultiLogloss", "MultiCrossEntropy"):
        return loss, np.arange(2)
    n_classes = max(n_outputs, 2)
    names = list(range(n_classes))
    if "class_params" in info and info.object("class_params").list("class_names"):
        names = info.object("class_params").list("class_names")
    if not all(isinstance(name, str | int | float) for name in names):
        raise ModelFileError("class_names holds something else than text and numbers")
    classes = np.array(names)
    if len(classes) != n_classes or classes.ndim != 1:
        raise ModelFileError(f"it has {len(classes)} class names for {n_outputs} outputs")
    return loss, classes


class _Columns:
    """The features: columns of numbers, and of categories with those that splits ask for."""

    def __init__(self, info: Fields, n_bytes: int) -> None:
        for kind in _OTHER_KINDS:
            if kind in info and info.list(kind):
                raise ModelFileError(f"it uses {kind}, which are not supported")
        self.numeric = self._features(info, "float_features")
        self.categorical = self._features(info, "categorical_features")
        self.column = {
            kind: [feature.integer("flat_feature_index") for feature in features]
            for kind, features in (("float", self.numeric), ("cat", self.categorical))
        }
        every = self.column["float"] + self.column["cat"]
        self.n_features = check_n_features(max(every, default=-1) + 1, n_bytes)
        if min(every) < 0 or len(set(every)) != len(every):
            raise ModelFileError("two features have the same flat_feature_index")
        self.missing_left = [self._goes_left(feature) for feature in self.numeric]
        self.text_of = self._texts(info)
        self.code_of: dict[int, dict[str, int]] = {column: {} for column in self.column["cat"]}

    @staticmethod
    def _features(info: Fields, name: str) -> list[Fields]:
        return [Fields(one, name) for one in (info.list(name) if name in info else [])]

    @staticmethod
    def _goes_left(feature: Fields) -> bool:
        """Whether NaN is on the lower side of a border; as it is, NaN is above no border."""
        return feature.text("nan_value_treatment") != "AsTrue"

    @staticmethod
    def _texts(info: Fields) -> dict[int, str]:
        """Return the category of each hash; the file has them if save_model was given a pool."""
        listed = info.list("cat_features_hash") if "cat_features_hash" in info else []
        pairs = [Fields(one, "cat_features_hash") for one in listed]
        return {pair.integer("hash") & 0xFFFFFFFF: pair.text("value") for pair in pairs}

    def split(self, split: Fields) -> tuple[int, float, int]:
        """Return column, threshold and flags of a split; the threshold is a code for categories."""
        kind = split.text("split_type")
        if kind == "FloatFeature":
            number = self._checked(split.integer("float_feature_index"), "float")
            border = split.number("border")
            flags = MISSING_LEFT if self.missing_left[number] else 0
            return self.column["float"][number], border, flags
        if kind != "OneHotFeature":
            raise ModelFileError(
                f"it has splits of the kind {kind}: statistics of the target for categories "
                "(CTR), which are not supported. Fit with a larger one_hot_max_size"
            )
        column = self.column["cat"][self._checked(split.integer("cat_feature_index"), "cat")]
        hashed = split.integer("value") & 0xFFFFFFFF
        if hashed not in self.text_of:
            raise ModelFileError(
                "it does not name its categories; write it with save_model('model.json', "
                "format='json', pool=...), where pool holds the training rows"
            )
        codes = self.code_of[column]
        code = codes.setdefault(self.text_of[hashed], len(codes))
        return column, float(code), MISSING_LEFT | CATEGORICAL

    def _checked(self, number: int, kind: str) -> int:
        if not 0 <= number < len(self.column[kind]):
            raise ModelFileError("a split is on a column that does not exist")
        return number

    def n_levels(self) -> NDArray[np.int32]:
        """Return the number of categories of each column that splits ask for."""
        sizes = np.zeros(self.n_features, np.int32)
        for column, codes in self.code_of.items():
            sizes[column] = len(codes)
        return sizes

    def levels(self) -> TableLevels | None:
        """Return the categories of each column that splits ask for, in the order of codes."""
        if not self.code_of:
            return None
        of = [tuple(self.code_of[j]) if j in self.code_of else None for j in range(self.n_features)]
        return TableLevels(tuple(of), (False,) * self.n_features)

    def names(self) -> list[str] | None:
        """Return the names of the columns, unless they have none."""
        names = [""] * self.n_features
        for kind, features in (("float", self.numeric), ("cat", self.categorical)):
            for column, feature in zip(self.column[kind], features, strict=True):
                names[column] = feature.text("feature_id") if "feature_id" in feature else ""
        is_named = all(names) and len(set(names)) == len(names)
        is_numbered = names == [str(j) for j in range(len(names))]
        return names if is_named and not is_numbered else None


def _symmetric_nodes(tree: Fields, columns: _Columns, n_outputs: int) -> Nodes:
    """Return the nodes of a symmetric tree in preorder.

    The bits of a leaf's number tell on which side of the splits it is, the first split being the
    lowest bit. With the last split at the root the leaves then stand in the order of their numbers.
    """
    depth = len(tree.list("splits"))
    if depth > _MOST_DEPTH:
        raise ModelFileError(f"a symmetric tree has {depth} splits")
    splits = [columns.split(Fields(one, "a split")) for one in tree.list("splits")]
    n_leaves = 1 << depth
    value = tree.numbers("leaf_values", n_leaves * n_outputs).reshape(n_leaves, n_outputs)
    left, right, level_of = _full_tree(depth)
    is_split = level_of < depth
    of_level = np.array([*splits[::-1], (0, 0.0, 0)], dtype=np.float64)[level_of]
    values, weight = np.zeros((len(left), n_outputs)), np.zeros(len(left))
    values[~is_split] = value
    weight[~is_split] = _weights(tree, n_leaves)
    return Nodes(
        left=left,
        right=right,
        feature=of_level[:, 0].astype(np.int64),
        threshold=of_level[:, 1].copy(),
        flags=of_level[:, 2].astype(np.uint8),
        value=values,
        weight=weight,
    )


def _weights(tree: Fields, n_leaves: int) -> Floats:
    if "leaf_weights" not in tree:
        return np.ones(n_leaves)
    return tree.numbers("leaf_weights", n_leaves)


def _full_tree(depth: int) -> tuple[Any, Any, Any]:
    """Return children and depth of each node of a full tree, in preorder."""
    left = np.full((1 << (depth + 1)) - 1, LEAF, np.int64)
    right, level_of = left.copy(), np.full(len(left), depth, np.int64)
    nodes = np.zeros(1, np.int64)
    for level in range(depth):
        below = (1 << (depth - level)) - 1  # nodes of a subtree below
        level_of[nodes] = level
        left[nodes], right[nodes] = nodes + 1, nodes + 1 + below
        nodes = np.concatenate([nodes + 1, nodes + 1 + below])
    return left, right, level_of


def _free_nodes(tree: Fields, columns: _Columns, n_outputs: int) -> Nodes:
    """Return the nodes of a tree of nested splits, in preorder."""
    nodes = _Lists(n_outputs)
    waiting: list[tuple[Fields, int]] = [(tree, -1)]  # a subtree, and whose right child it is
    while waiting:
        node, parent = waiting.pop()
        own = nodes.add(node, columns)
        if parent >= 0:
            nodes.right[parent] = own
        if nodes.left[own] != LEAF:
            waiting.append((node.object("right"), own))
            waiting.append((node.object("left"), -1))
    return nodes.done()


class _Lists:
    """Nodes, added one by one in preorder."""

    def __init__(self, n_outputs: int) -> None:
        self.n_outputs = n_outputs
        self.left: list[int] = []
        self.right: list[int] = []
        self.splits: list[tuple[int, float, int]] = []
        self.values: list[Any] = []
        self.weights: list[float] = []

    def add(self, node: Fields, columns: _Columns) -> int:
        """Add a node; its left child, if any, comes next."""
        own = len(self.left)
        is_split = "split" in node
        self.left.append(own + 1 if is_split else LEAF)
        self.right.append(LEAF)
        if is_split:
            self.splits.append(columns.split(node.object("split")))
            self.values.append(np.zeros(self.n_outputs))
            self.weights.append(0.0)
        else:
            self.splits.append((0, 0.0, 0))
            self.values.append(self._value(node))
            self.weights.append(node.number("weight") if "weight" in node else 1.0)
        return own

    def _value(self, leaf: Fields) -> Floats:
        """Return the values of a leaf; a single one need not stand in a list."""
        if self.n_outputs == 1 and not isinstance(leaf.get("value"), list):
            return np.array([leaf.number("value")])
        return leaf.numbers("value", self.n_outputs)

    def done(self) -> Nodes:
        """Return all nodes."""
        splits = np.array(self.splits, dtype=np.float64)
        return Nodes(
            left=np.array(self.left, np.int64),
            right=np.array(self.right, np.int64),
            feature=splits[:, 0].astype(np.int64),
            threshold=splits[:, 1].copy(),
            flags=splits[:, 2].astype(np.uint8),
            value=np.array(self.values).reshape(-1, self.n_outputs),
            weight=np.array(self.weights),
        )


def _add_sets(nodes: Nodes) -> None:
    """Give each categorical split a set of its own: the one category whose rows go right."""
    is_set = (nodes.left != LEAF) & ((nodes.flags & CATEGORICAL) != 0)
    nodes.set_levels = nodes.threshold[is_set].astype(np.int64)
    nodes.set_offsets = np.arange(len(nodes.set_levels) + 1)
    nodes.threshold[is_set] = np.arange(len(nodes.set_levels))
