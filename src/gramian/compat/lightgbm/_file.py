"""Boosters from the text format: what `load_model` reads, and what writing it again needs."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._trees.trees import Trees
from gramian.compat._model_parts import ModelParts
from gramian.compat._nodes import LEAF, Nodes, flat_trees
from gramian.compat._untrusted import reading
from gramian.compat.lightgbm._columns import Columns, info_facts
from gramian.compat.lightgbm._model import LightModel
from gramian.compat.lightgbm._reader import Section, lightgbm_parts, tree_nodes
from gramian.exceptions import ModelFileError

__all__ = ["model_from_text", "parameters_from_text"]


def parameters_from_text(text: str) -> list[tuple[str, str]]:
    """Return the parameters that a file names, and their values."""
    _, _, rest = text.partition("\nparameters:\n")
    body, _, _ = rest.partition("\nend of parameters")
    found: list[tuple[str, str]] = re.findall(r"^\[(\w+): (.*)\]$", body, flags=re.MULTILINE)
    return found


def model_from_text(text: str) -> LightModel:
    """Return the model of a file, whose text is not trusted."""
    text = text.replace("\r\n", "\n")
    with reading("LightGBM"):
        if not text.startswith("tree"):
            raise ModelFileError("it does not begin with 'tree'; write it with save_model")
        parts = lightgbm_parts(text, len(text), "all", may_grow=True)
        body, _, _ = text.partition("\nend of trees")
        head_text, *tree_texts = body.split("\nTree=")
        head = Section(head_text, "its head")
        if "average_output" in head:
            raise ModelFileError("it is a random forest (boosting='rf'); use load_model")
        sections = [Section(part, "a tree") for part in tree_texts]
        assert parts.split_gain is not None
        return LightModel(
            trees=_weighted(parts, sections, len(text)),
            split_gain=parts.split_gain,
            shrinkage=np.array([_shrinkage(section) for section in sections]),
            n_groups=len(parts.bias),
            objective=head.text("objective") if "objective" in head else "custom",
            link=parts.link,
            slope=parts.slope,
            columns=_columns(parts, head, sections),
        )


def _shrinkage(section: Section) -> float:
    return float(section.array("shrinkage", 1)[0]) if "shrinkage" in section else 1.0


def _weighted(parts: ModelParts, sections: list[Section], n_bytes: int) -> Trees:
    """Return the trees with the numbers of rows and the hessians of their leaves.

    The hessians take the place of the values in another reading, and thus end up in their order.
    """
    made = []
    for section in sections:
        nodes, _ = tree_nodes(section)
        is_leaf = nodes.left == LEAF
        if section.words("leaf_weight"):
            n_leaves = int(np.count_nonzero(is_leaf))
            nodes.weight[is_leaf] = section.array("leaf_weight", n_leaves)
        made.append(nodes)
    trees = parts.trees
    counts = trees.leaf_weight
    if ((counts < 0) | (counts > np.iinfo(np.int32).max)).any():
        raise ModelFileError("the number of rows of a leaf is wrong")
    again = flat_trees(
        Nodes.joined(made), len(trees.n_levels), trees.n_levels, is_double=True, n_bytes=n_bytes
    )
    if (again.leaf_weight < 0).any():
        raise ModelFileError("the weight of a leaf is wrong")
    return replace(trees, leaf_count=counts.astype(np.int32), leaf_weight=again.leaf_weight)


def _columns(parts: ModelParts, head: Section, sections: list[Section]) -> Columns:
    n_features = len(parts.trees.n_levels)
    missing: NDArray[np.uint8] = np.zeros(n_features, np.uint8)
    for section in sections:
        n_splits = section.integer("num_leaves") - 1
        decision = section.array("decision_type", n_splits, np.int64)
        feature = section.array("split_feature", n_splits, np.int64)
        np.maximum.at(missing, feature, ((decision >> 2) & 3).astype(np.uint8))
    infos = tuple(head.text("feature_infos").split())
    if len(infos) != n_features or missing.max(initial=0) > 2:
        raise ModelFileError("feature_infos does not have one entry for each feature")
    for info in infos:
        if info != "none":
            info_facts(info)  # raises if it is damaged
    levels = parts.rules.levels
    categories: tuple[Any, ...] = ()
    if levels is not None:
        categories = tuple(known for known in levels.levels if known is not None)
    names = tuple(head.text("feature_names").split())
    is_named = parts.feature_names is not None
    return Columns(names, parts.rules, missing, infos, categories, is_named)
