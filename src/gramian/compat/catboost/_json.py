"""Models as the JSON documents that CatBoost reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._trees.ensemble import TreeEnsemble
from gramian.compat.catboost._cityhash import city_hash
from gramian.compat.catboost._losses import described
from gramian.compat.catboost._trees import Split, TreeView, views

__all__ = ["WrittenModel"]

_LABEL_TYPES = {"b": "Boolean", "i": "Integer", "u": "Integer", "f": "Float"}


@dataclass(frozen=True)
class WrittenModel:
    """A model that is to be written.

    Attributes
    ----------
    ensemble : TreeEnsemble
        Its trees.
    loss : str
        The loss as CatBoost writes it.
    names : sequence of str
        Names of the columns.
    levels : sequence of (sequence of str or None)
        Levels of the categorical columns; None for numbers.
    has_missing : ndarray of bool of shape (n_features,)
        Columns whose missing values are above all numbers.
    classes : ndarray or None
        The classes.
    params : mapping
        The parameters that the user gave.
    metadata : mapping of str to str
        Texts that are kept with the model.
    """

    ensemble: TreeEnsemble
    loss: str
    names: Sequence[str]
    levels: Sequence[Sequence[str] | None]
    goes_above: NDArray[np.bool_]
    classes: NDArray[Any] | None
    params: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return the document."""
        return json.dumps(self.document(), indent=1)

    def document(self) -> dict[str, Any]:
        """Return the document as a dict.

        Raises
        ------
        ValueError
            If CatBoost has no such splits.
        """
        trees = list(views(self.ensemble))
        columns = _Columns(self, trees)
        levels = [tree.levels() for tree in trees]
        found: dict[str, Any] = {
            "features_info": columns.info(),
            "model_info": self._info(),
            "scale_and_bias": [1, self.ensemble.base.tolist()],
        }
        if all(nodes is not None for nodes in levels):
            pairs = zip(trees, levels, strict=True)
            found["oblivious_trees"] = [
                columns.symmetric(tree, n) for tree, n in pairs if n is not None
            ]
        else:
            found["trees"] = [columns.nested(tree) for tree in trees]
        return found

    def _info(self) -> dict[str, Any]:
        name, params = described(self.loss)
        loss: dict[str, Any] = {"type": name}
        if params:
            loss["params"] = params
        info: dict[str, Any] = {
            "params": {"loss_function": loss, "flat_params": _plain(self.params)}
        }
        if self.classes is not None:
            kind = _LABEL_TYPES.get(self.classes.dtype.kind, "String")
            labels = self.classes.tolist()
            info["class_params"] = {
                "class_label_type": kind,
                "class_names": labels if kind != "String" else [str(label) for label in labels],
                "class_to_label": list(range(len(labels))),
                "classes_count": 0,
            }
        return {**info, **{str(key): str(value) for key, value in self.metadata.items()}}


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the parameters that JSON has a form for."""
    kinds = (str, bool, int, float)
    return {key: value for key, value in params.items() if isinstance(value, kinds)}


class _Columns:
    """The columns of a model, and the splits that its trees make."""

    def __init__(self, model: WrittenModel, trees: Sequence[TreeView]) -> None:
        self.model = model
        self.borders: dict[int, list[float]] = {}
        self.hashes: dict[int, list[int]] = {}
        self.texts: dict[int, str] = {}
        self.conditions = [self._conditions(tree) for tree in trees]
        self.place = {id(tree): k for k, tree in enumerate(trees)}
        is_text = [levels is not None for levels in model.levels]
        self.number_of = _numbered([k for k, is_one in enumerate(is_text) if not is_one])
        self.category_of = _numbered([k for k, is_one in enumerate(is_text) if is_one])
        self.first: dict[int, int] = {}
        count = 0
        for column in (*self.number_of, *self.category_of):
            self.first[column] = count
            used: dict[int, Any] = self.hashes if column in self.category_of else self.borders
            used[column] = sorted(set(used.get(column, [])))
            count += len(used[column])

    def _conditions(self, view: TreeView) -> dict[int, tuple[Split, bool]]:
        """Return the condition of each split; remember borders and levels."""
        found = {
            int(node): view.split(int(node)) for node in np.flatnonzero(view.tree.feature >= 0)
        }
        for split, _ in found.values():
            if split.level is None:
                self.borders.setdefault(split.feature, []).append(split.border)
            else:
                self.hashes.setdefault(split.feature, []).append(self._hash(split))
        return found

    def _hash(self, split: Split) -> int:
        """Return the number that stands for a category, signed."""
        levels = self.model.levels[split.feature]
        assert levels is not None and split.level is not None
        text = levels[split.level]
        hashed = city_hash(text.encode()) & 0xFFFFFFFF
        self.texts[hashed] = text
        return hashed - (1 << 32) if hashed >> 31 else hashed

    def info(self) -> dict[str, Any]:
        """Return what the document says of the columns."""
        found: dict[str, Any] = {"float_features": [self._float(c) for c in self.number_of]}
        if self.category_of:
            found["categorical_features"] = [
                {**self._column(column, number), "values": self.hashes[column]}
                for column, number in self.category_of.items()
            ]
            pairs = sorted(self.texts.items())
            found["cat_features_hash"] = [{"hash": h, "value": text} for h, text in pairs]
        return found

    def _column(self, column: int, number: int) -> dict[str, Any]:
        """Return what is said of any column, which is of a number among those of its kind."""
        name = self.model.names[column]
        return {
            "feature_id": name,
            "feature_name": name,
            "feature_index": number,
            "flat_feature_index": column,
        }

    def _float(self, column: int) -> dict[str, Any]:
        return {
            "borders": self.borders[column],
            **self._column(column, self.number_of[column]),
            "has_nans": True,
            "nan_value_treatment": "AsTrue" if self.model.goes_above[column] else "AsFalse",
        }

    def _described(self, split: Split) -> dict[str, Any]:
        column = split.feature
        if split.level is None:
            return {
                "split_type": "FloatFeature",
                "float_feature_index": self.number_of[column],
                "border": split.border,
                "split_index": self.first[column] + self.borders[column].index(split.border),
            }
        hashed = self._hash(split)
        return {
            "split_type": "OneHotFeature",
            "cat_feature_index": self.category_of[column],
            "value": hashed,
            "split_index": self.first[column] + self.hashes[column].index(hashed),
        }

    def symmetric(self, view: TreeView, levels: Sequence[int]) -> dict[str, Any]:
        """Return a symmetric tree; the last split is the highest bit of a leaf's number.

        CatBoost's Shapley values take the last split for the root.
        """
        conditions = self.conditions[self.place[id(view)]]
        values, weights = view.values[view.leaves], view.weights[view.leaves]
        shape = (2,) * len(levels)
        values, weights = values.reshape(*shape, -1), weights.reshape(shape)
        for axis, node in enumerate(levels):
            if conditions[node][1]:  # those that answer yes are on the left
                values, weights = np.flip(values, axis), np.flip(weights, axis)
        return {
            "leaf_values": values.reshape(-1).tolist(),
            "leaf_weights": weights.reshape(-1).tolist(),
            "splits": [self._described(conditions[node][0]) for node in reversed(levels)],
        }

    def nested(self, view: TreeView) -> dict[str, Any]:
        """Return any tree, nodes within nodes; children are made before their parents."""
        conditions, tree = self.conditions[self.place[id(view)]], view.tree
        found: list[dict[str, Any]] = [{}] * tree.node_count
        for node in range(tree.node_count - 1, -1, -1):
            if node not in conditions:
                value = view.values[node].tolist()
                found[node] = {
                    "value": value[0] if len(value) == 1 else value,
                    "weight": float(view.weights[node]),
                }
                continue
            split, is_yes_left = conditions[node]
            below = [found[tree.children_left[node]], found[tree.children_right[node]]]
            left, right = reversed(below) if is_yes_left else below
            found[node] = {"left": left, "right": right, "split": self._described(split)}
        return found[0]


def _numbered(columns: Sequence[int]) -> dict[int, int]:
    return {column: number for number, column in enumerate(columns)}
