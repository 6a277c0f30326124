"""Models in LightGBM's text format, and as nested dicts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._typing import Floats, Ints
from gramian.compat.lightgbm._columns import info_facts
from gramian.compat.lightgbm._model import CATEGORICAL, MISSING_LEFT, LightModel

__all__ = ["dumped", "model_text"]


_MISSING_KINDS = ("None", "Zero", "NaN")
_SET, _DEFAULT_LEFT = 1, 2  # bits of the decision type; the kind of missing value follows
_WORD_BITS = 32


@dataclass(frozen=True)
class _Written:
    """One tree: its splits and leaves in preorder; leaf number c is the child ``-c - 1``."""

    feature: Ints
    gain: Floats
    threshold: Floats
    decision: Ints
    left: Ints
    right: Ints
    leaf_value: Floats
    leaf_weight: Floats
    leaf_count: Ints
    value: Floats
    weight: Floats
    count: Ints
    sets: list[Ints]
    shrinkage: float


def _written(model: LightModel, number: int) -> _Written:
    """Return tree `number` of a model."""
    tree, gains = model.tree(number)
    is_split = tree.feature >= 0
    split, leaf = np.cumsum(is_split) - 1, np.cumsum(~is_split) - 1
    code = np.where(is_split, split, -leaf - 1)
    left, right = code[tree.children_left[is_split]], code[tree.children_right[is_split]]
    feature, flags = tree.feature[is_split], tree.trees.flags
    threshold = tree.trees.threshold.astype(np.float64)
    is_set = (flags & CATEGORICAL) != 0
    sets: list[Ints] = []
    for at in np.flatnonzero(is_set):
        levels = np.array(tree.left_levels(int(np.flatnonzero(is_split)[at])), np.int64)
        threshold[at] = len(sets)
        sets.append(levels)
    missing = model.columns.missing[feature].astype(np.int64)
    # Where nothing was missing, LightGBM looks at the number itself.
    default_left = ~is_set & (((flags & MISSING_LEFT) != 0) | (missing == 0))
    return _Written(
        feature=feature,
        gain=gains[is_split],
        threshold=threshold,
        decision=_SET * is_set + _DEFAULT_LEFT * default_left + 4 * missing,
        left=left,
        right=right,
        leaf_value=tree.trees.leaf_value[:, 0],
        leaf_weight=tree.weighted_n_node_samples[~is_split],
        leaf_count=tree.n_node_samples[~is_split],
        value=tree.value[is_split, 0, 0],
        weight=tree.weighted_n_node_samples[is_split],
        count=tree.n_node_samples[is_split],
        sets=sets,
        shrinkage=float(model.shrinkage[number]),
    )


def _all_written(model: LightModel) -> list[_Written]:
    return [_written(model, number) for number in range(model.trees.n_trees)]


# -- text ------------------------------------------------------------------------------------------


def _words(numbers: Any, form: str = "d") -> str:
    return " ".join(format(number, form) for number in np.asarray(numbers).tolist())


def _bit_words(sets: list[Ints]) -> tuple[list[int], list[int]]:
    """Return where the words of each set begin, the last ends, and the words."""
    ends, words = [0], list[int]()
    for levels in sets:
        bits = np.zeros((int(levels.max(initial=0)) // _WORD_BITS + 1) * _WORD_BITS, np.uint8)
        bits[levels] = 1
        words += np.packbits(bits, bitorder="little").view("<u4").tolist()
        ends.append(len(words))
    return ends, words


def _tree_text(tree: _Written, number: int) -> str:
    has_splits = len(tree.feature) > 0
    lines = [
        f"Tree={number}",
        f"num_leaves={len(tree.leaf_value)}",
        f"num_cat={len(tree.sets)}",
        f"split_feature={_words(tree.feature)}",
        f"split_gain={_words(tree.gain, '.9g')}",
        f"threshold={_words(tree.threshold, '.17g')}",
        f"decision_type={_words(tree.decision)}",
        f"left_child={_words(tree.left)}",
        f"right_child={_words(tree.right)}",
        f"leaf_value={_words(tree.leaf_value, '.17g')}",
        f"leaf_weight={_words(tree.leaf_weight, '.17g') if has_splits else ''}",
        f"leaf_count={_words(tree.leaf_count)}",
        f"internal_value={_words(tree.value, '.9g')}",
        f"internal_weight={_words(tree.weight, '.9g')}",
        f"internal_count={_words(tree.count)}",
    ]
    if tree.sets:
        ends, words = _bit_words(tree.sets)
        lines += [f"cat_boundaries={_words(ends)}", f"cat_threshold={_words(words)}"]
    return "\n".join([*lines, "is_linear=0", f"shrinkage={tree.shrinkage:g}", "", "", ""])


def _safe(names: Sequence[str]) -> list[str]:
    """Return names without white space, which would part them."""
    return ["_".join(name.split()) if name.split() != [name] else name for name in names]


def _ranked(model: LightModel, kind: str) -> list[tuple[str, float]]:
    """Return the names of the columns that are used, by falling importance."""
    sums = model.importances(kind)
    order = np.argsort(-sums, kind="stable")
    names = _safe(model.columns.names)
    return [(names[j], float(sums[j])) for j in order if sums[j] > 0.0]


def model_text(model: LightModel, parameters: Sequence[tuple[str, str]], kind: str) -> str:
    """Return a model as LightGBM writes it.

    Parameters
    ----------
    model : LightModel
        The model.
    parameters : sequence of (str, str)
        Names and values of the parameters of its fit.
    kind : {"split", "gain"}
        Which importances of the columns to write.
    """
    trees = [_tree_text(tree, number) for number, tree in enumerate(_all_written(model))]
    columns = model.columns
    head = [
        "tree",
        "version=v4",
        f"num_class={model.n_groups}",
        f"num_tree_per_iteration={model.n_groups}",
        "label_index=0",
        f"max_feature_idx={len(columns.names) - 1}",
        f"objective={model.objective}",
        f"feature_names={' '.join(_safe(columns.names))}",
        f"feature_infos={' '.join(columns.infos)}",
        f"tree_sizes={_words([len(tree.encode()) for tree in trees])}",
    ]
    form = "d" if kind == "split" else ".9g"
    ranked = [
        f"{name}={format(int(worth) if kind == 'split' else worth, form)}"
        for name, worth in _ranked(model, kind)
    ]
    rest = [
        "end of trees",
        "",
        "feature_importances:",
        *ranked,
        "",
        "parameters:",
        *(f"[{name}: {value}]" for name, value in parameters),
        "",
        "end of parameters",
        "",
        f"pandas_categorical:{json.dumps(columns.categories or None)}",
        "",
    ]
    return "\n".join([*head, "", ""]) + "".join(trees) + "\n".join(rest)


# -- dicts -----------------------------------------------------------------------------------------


def _split_dict(tree: _Written, at: int) -> dict[str, Any]:
    decision = int(tree.decision[at])
    threshold: Any = float(tree.threshold[at])
    if decision & _SET:
        threshold = "||".join(str(level) for level in tree.sets[int(threshold)].tolist())
    return {
        "split_index": at,
        "split_feature": int(tree.feature[at]),
        "split_gain": float(tree.gain[at]),
        "threshold": threshold,
        "decision_type": "==" if decision & _SET else "<=",
        "default_left": bool(decision & _DEFAULT_LEFT),
        "missing_type": _MISSING_KINDS[decision >> 2],
        "internal_value": float(tree.value[at]),
        "internal_weight": float(tree.weight[at]),
        "internal_count": int(tree.count[at]),
    }


def _tree_dict(tree: _Written, number: int) -> dict[str, Any]:
    leaves = [
        {
            "leaf_index": at,
            "leaf_value": float(tree.leaf_value[at]),
            "leaf_weight": float(tree.leaf_weight[at]),
            "leaf_count": int(tree.leaf_count[at]),
        }
        for at in range(len(tree.leaf_value))
    ]
    splits = [_split_dict(tree, at) for at in range(len(tree.feature))]
    for at, split in enumerate(splits):
        for side, children in (("left_child", tree.left), ("right_child", tree.right)):
            child = int(children[at])
            split[side] = leaves[-child - 1] if child < 0 else splits[child]
    return {
        "tree_index": number,
        "num_leaves": len(leaves),
        "num_cat": len(tree.sets),
        "shrinkage": tree.shrinkage,
        "tree_structure": splits[0] if splits else {"leaf_value": leaves[0]["leaf_value"]},
    }


def dumped(model: LightModel, kind: str) -> dict[str, Any]:
    """Return a model as nested dicts; see `model_text` for the arguments."""
    columns = model.columns
    infos = {
        name: info_facts(info)
        for name, info in zip(columns.names, columns.infos, strict=True)
        if info != "none"
    }
    trees = [_tree_dict(tree, number) for number, tree in enumerate(_all_written(model))]
    return {
        "name": "tree",
        "version": "v4",
        "num_class": model.n_groups,
        "num_tree_per_iteration": model.n_groups,
        "label_index": 0,
        "max_feature_idx": len(columns.names) - 1,
        "objective": model.objective,
        "average_output": False,
        "feature_names": list(columns.names),
        "monotone_constraints": [],
        "feature_infos": infos,
        "tree_info": trees,
        "feature_importances": {
            name: int(worth) if kind == "split" else worth for name, worth in _ranked(model, kind)
        },
        "pandas_categorical": [list(values) for values in columns.categories] or None,
    }
