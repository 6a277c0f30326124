"""The models of LightGBM: trees in text, compared in double precision."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.matrix import TableLevels
from gramian._typing import Floats, Ints
from gramian.compat._input_rules import InputRules
from gramian.compat._model_parts import ModelParts, rounds_used
from gramian.compat._nodes import CATEGORICAL, LEAF, MISSING_LEFT, Nodes, flat_trees
from gramian.compat._untrusted import Fields, check_n_features, level_text
from gramian.exceptions import ModelFileError

__all__ = ["Section", "lightgbm_parts", "tree_nodes"]

_ZERO, _NAN = 1, 2  # what is missing at a split, in bits 2 and 3 of its decision type
_DEFAULT_LEFT = 2  # bit of the decision type
_WORD_BITS = 32  # of the sets of categories
_MOST_CODES = 1_000_000  # of a column; each takes a bit of each of its splits

_IDENTITY = "regression regression_l1 huber fair quantile mape lambdarank rank_xendcg custom none"
_LINKS = {
    **dict.fromkeys(_IDENTITY.split(), "identity"),
    **dict.fromkeys(["poisson", "gamma", "tweedie"], "exp"),
    **dict.fromkeys(["binary", "multiclassova", "cross_entropy"], "sigmoid"),
    "multiclass": "softmax",
    "cross_entropy_lambda": "softplus",
}
_CLASSIFIERS = ("binary", "multiclass", "multiclassova")


class Section(Fields):
    """Lines ``name=value`` of a text; a line without a value is a mark."""

    def __init__(self, text: str, where: str) -> None:
        pairs = [line.partition("=") for line in text.splitlines()]
        super().__init__({name: value for name, _, value in pairs}, where)

    def words(self, name: str) -> list[str]:
        """Return the words of a value; none if it is not there."""
        return self.text(name).split() if name in self else []

    def array(
        self, name: str, size: int, dtype: Any = np.float64, *, may_be_infinite: bool = False
    ) -> NDArray[Any]:
        """Return a value that is a list of this many numbers."""
        words = self.words(name)
        if len(words) != size:
            raise ModelFileError(f"{name!r} of {self.where} does not have {size} numbers")
        if dtype is not np.float64 and any(len(word) > 11 for word in words):
            raise ModelFileError(f"{name!r} of {self.where} has a number that is too large")
        found = np.array(words, dtype="U").astype(dtype) if words else np.empty(0, dtype)
        if np.isnan(found).any() or not (may_be_infinite or np.isfinite(found).all()):
            raise ModelFileError(f"{name!r} of {self.where} holds an infinite number or NaN")
        return found


def lightgbm_parts(
    text: str, n_bytes: int, n_iterations: Any, *, may_grow: bool = False
) -> ModelParts:
    """Return what the text of a model says.

    If it `may_grow`, categorical columns have all their codes, also those that no split names.
    """
    body, _, rest = text.partition("\nend of trees")
    head_text, *tree_texts = body.split("\nTree=")
    head = Section(head_text, "its head")
    n_features = check_n_features(head.integer("max_feature_idx") + 1, n_bytes)
    n_outputs = head.integer("num_tree_per_iteration")
    if not 1 <= n_outputs <= max(len(tree_texts), 1) or len(tree_texts) % n_outputs:
        raise ModelFileError(f"{len(tree_texts)} trees for {n_outputs} outputs")
    n_rounds = rounds_used(n_iterations, len(tree_texts) // n_outputs)
    sections = [Section(part, "a tree") for part in tree_texts[: n_rounds * n_outputs]]
    made = [tree_nodes(section) for section in sections]
    nodes = Nodes.joined([tree for tree, _ in made])
    if "average_output" in head:  # a random forest
        nodes.value /= n_rounds
    missing = np.concatenate([kinds for _, kinds in made])
    n_codes = _n_codes(head, n_features) if may_grow else 0
    n_levels = np.maximum(_n_levels(nodes, n_features), n_codes)
    trees = flat_trees(nodes, n_features, n_levels, is_double=True, n_bytes=n_bytes)
    is_zero = _zero_is_missing(nodes, missing, n_features)
    rules = InputRules(_levels(head, rest, n_features), n_levels, True, False, is_zero, False)
    objective, options = _objective(head)
    n_classes = n_outputs if n_outputs > 1 else 2
    return ModelParts(
        library="LightGBM",
        objective=objective,
        trees=trees,
        bias=np.zeros(n_outputs),
        link="signed_square" if "sqrt" in options else _LINKS[objective],
        rules=rules,
        classes=np.arange(n_classes) if objective in _CLASSIFIERS else None,
        feature_names=_names(head, n_features),
        n_iterations=n_rounds,
        slope=_slope(objective, options),
        split_gain=nodes.split_gains(),
    )


def _objective(head: Section) -> tuple[str, dict[str, str]]:
    """Return the name of the objective, and what follows it as ``name:value``."""
    name, *words = (head.text("objective") if "objective" in head else "custom").split() or ["none"]
    if name not in _LINKS:
        raise ModelFileError(f"the objective {name!r} is not known")
    return name, {key: value for key, _, value in (word.partition(":") for word in words)}


def _slope(objective: str, options: dict[str, str]) -> float:
    slope = float(options.get("sigmoid", 1.0)) if objective in _CLASSIFIERS else 1.0
    if not np.isfinite(slope) or slope <= 0.0:
        raise ModelFileError(f"sigmoid is {slope}")
    return slope


def _names(head: Section, n_features: int) -> list[str] | None:
    """Return the names of the columns, unless LightGBM itself has numbered them."""
    names = head.text("feature_names").split()
    if len(names) != n_features or len(set(names)) != n_features:
        raise ModelFileError("feature_names does not have one name for each feature")
    return None if all(name == f"Column_{j}" for j, name in enumerate(names)) else names


def tree_nodes(tree: Section) -> tuple[Nodes, Ints]:
    """Return the nodes of one tree, splits before leaves, and what is missing at each node."""
    n_leaves = tree.integer("num_leaves")
    if n_leaves < 1:
        raise ModelFileError("a tree has no leaves")
    if "is_linear" in tree and tree.integer("is_linear"):
        raise ModelFileError(
            "its leaves are linear models (linear_tree=True), which are not supported"
        )
    value = tree.array("leaf_value", n_leaves)
    n_splits = n_leaves - 1
    decision = tree.array("decision_type", n_splits, np.int64)
    threshold = tree.array("threshold", n_splits, may_be_infinite=True)
    missing = (decision >> 2) & 3
    is_set = (decision & 1) != 0
    # Where nothing counts as missing, NaN is taken for zero. A missing category goes right.
    is_left = np.where(missing == 0, threshold >= 0.0, (decision & _DEFAULT_LEFT) != 0)
    offsets, levels = _sets(tree, bool(is_set.any()))
    if (
        is_set.any()
        and not 0 <= threshold[is_set].min() <= threshold[is_set].max() <= len(offsets) - 2
    ):
        raise ModelFileError("a set of categories does not exist")
    at_leaves = np.zeros(n_leaves, np.int64)
    flags = np.where(is_set, CATEGORICAL, np.where(is_left, MISSING_LEFT, 0))
    nodes = Nodes(
        left=np.append(_children(tree, "left_child", n_splits), at_leaves + LEAF),
        right=np.append(_children(tree, "right_child", n_splits), at_leaves + LEAF),
        feature=np.append(tree.array("split_feature", n_splits, np.int64), at_leaves),
        threshold=np.append(threshold, at_leaves),
        flags=np.append(flags, at_leaves).astype(np.uint8),
        value=np.append(np.zeros(n_splits), value).reshape(-1, 1),
        weight=np.append(np.zeros(n_splits), _counts(tree, n_leaves)),
        set_offsets=offsets,
        set_levels=levels,
        gain=np.append(_gains(tree, n_splits), at_leaves),
    )
    return nodes, np.append(np.where(is_set, 0, missing), at_leaves)


def _gains(tree: Section, n_splits: int) -> Floats:
    """Return what splits have gained; zeros if the file does not tell."""
    if "split_gain" not in tree:
        return np.zeros(n_splits)
    return tree.array("split_gain", n_splits, may_be_infinite=True)


def _counts(tree: Section, n_leaves: int) -> Floats:
    """Return the training rows of each leaf; a tree of one leaf may leave them out."""
    if n_leaves == 1 and not tree.words("leaf_count"):
        return np.zeros(1)
    return tree.array("leaf_count", n_leaves)


def _children(tree: Section, name: str, n_splits: int) -> Ints:
    """Return the children of splits: leaf number c is written as ``-c - 1``."""
    child = tree.array(name, n_splits, np.int64)
    if ((child >= n_splits) | (child < -n_splits - 1)).any():
        raise ModelFileError("a child of a split does not exist")
    return np.where(child < 0, n_splits - 1 - child, child)


def _sets(tree: Section, is_used: bool) -> tuple[Ints, Ints]:
    """Return where the sets of categories begin, and the categories."""
    if not is_used:
        return np.zeros(1, np.int64), np.empty(0, np.int64)
    ends = tree.array("cat_boundaries", tree.integer("num_cat") + 1, np.int64)
    n_words = len(tree.text("cat_threshold").split())
    words = tree.array("cat_threshold", n_words, np.int64)
    if ends[0] != 0 or (np.diff(ends) < 0).any() or ends[-1] != n_words:
        raise ModelFileError("its sets of categories do not follow one another")
    if ((words < 0) | (words >> _WORD_BITS != 0)).any():
        raise ModelFileError("a word of a set of categories has more than 32 bits")
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    place = np.flatnonzero(bits)
    number = np.searchsorted(ends, place // _WORD_BITS, side="right") - 1
    offsets = np.searchsorted(number, np.arange(len(ends)))
    return offsets.astype(np.int64), place - _WORD_BITS * ends[number]


def _n_levels(nodes: Nodes, n_features: int) -> NDArray[np.int32]:
    """Return the number of codes of each column: up to the highest in a set, and at least one."""
    nodes.check_sets(n_features)
    n_levels = nodes.highest_levels(n_features) + 1
    is_set = (nodes.flags & CATEGORICAL) != 0
    n_levels[nodes.feature[is_set]] = np.maximum(n_levels[nodes.feature[is_set]], 1)
    return n_levels.astype(np.int32)


def _n_codes(head: Section, n_features: int) -> NDArray[np.int32]:
    """Return the number of codes of each categorical column of the training rows, else 0."""
    infos = head.text("feature_infos").split()
    if len(infos) != n_features:
        raise ModelFileError("feature_infos does not have one entry for each feature")
    n_codes = np.zeros(n_features, np.int32)
    for column, info in enumerate(infos):
        if info == "none" or info.startswith("["):
            continue
        highest = max(int(code) for code in info.split(":"))
        if not 0 <= highest < _MOST_CODES:
            raise ModelFileError(f"feature_infos has the category {highest}")
        n_codes[column] = highest + 1
    return n_codes


def _zero_is_missing(nodes: Nodes, missing: Ints, n_features: int) -> NDArray[np.bool_]:
    """Return the columns at whose splits zero counts as missing."""
    column = nodes.feature
    is_zero = np.zeros(n_features, np.bool_)
    is_nan = np.zeros(n_features, np.bool_)
    is_zero[column[missing == _ZERO]] = True
    is_nan[column[missing == _NAN]] = True
    if (is_zero & is_nan).any():
        raise ModelFileError(
            "in one column zero is missing at some splits (zero_as_missing=True) and NaN at "
            "others, which is not supported"
        )
    return is_zero


def _levels(head: Section, rest: str, n_features: int) -> TableLevels | None:
    """Return the categories of the pandas columns of the fit, if it is clear whose they are."""
    found = [line for line in rest.splitlines() if line.startswith("pandas_categorical:")]
    categories = json.loads(found[-1].partition(":")[2]) if found else None
    if not categories:
        return None
    infos = head.text("feature_infos").split()
    columns = [j for j, info in enumerate(infos) if info != "none" and not info.startswith("[")]
    if len(infos) != n_features or len(columns) != len(categories):
        return None
    levels: list[tuple[str, ...] | None] = [None] * n_features
    for j, values in zip(columns, categories, strict=True):
        levels[j] = tuple(level_text(value) for value in values)
    return TableLevels(tuple(levels), (False,) * n_features)
