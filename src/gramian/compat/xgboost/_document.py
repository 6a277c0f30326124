"""The document of a model in XGBoost's own format, which XGBoost itself reads."""

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.model import BoostedModel
from gramian._levels.matrix import TableLevels
from gramian.compat.xgboost._nodes import NodeTable, node_tables, written_order

__all__ = ["json_text", "model_document"]

_NO_PARENT = 2147483647
_VERSION = [3, 2, 0]  # of the format
_SCALED = ("reg:squarederror", "reg:logistic", "binary:logistic", "binary:logitraw", "reg:gamma")
_PARAMETERS = {
    "reg:pseudohubererror": ("pseudo_huber_param", "huber_slope"),
    "reg:quantileerror": ("quantile_loss_param", "quantile_alpha"),
    "count:poisson": ("poisson_regression_param", "max_delta_step"),
    "reg:tweedie": ("tweedie_regression_param", "tweedie_variance_power"),
    "multi": ("softmax_multiclass_param", "num_class"),
    "rank": (
        "lambdarank_param",
        *("lambdarank_num_pair_per_sample", "lambdarank_pair_method", "lambdarank_unbiased"),
        *("lambdarank_bias_norm", "ndcg_exp_gain"),
        *("lambdarank_normalization", "lambdarank_score_normalization"),
    ),
}  # objective, or what it begins with -> what its parameters are under, and their names
_FIXED = {
    "lambdarank_pair_method": "topk",
    "lambdarank_unbiased": "0",
    "lambdarank_bias_norm": "1",
    "ndcg_exp_gain": "1",
}


def model_document(
    *,
    model: BoostedModel | None,
    n_parallel: int,
    n_features: int,
    base_score: NDArray[np.float64],
    objective: str,
    own: Mapping[str, Any],
    attributes: Mapping[str, str],
    names: Sequence[str] | None,
    types: Sequence[str] | None,
    levels: TableLevels | None,
) -> dict[str, Any]:
    """Return the document of a model.

    Parameters
    ----------
    model : BoostedModel or None
        The trees.
    n_parallel : int
        Trees of a round and group.
    n_features : int
        Number of columns.
    base_score : ndarray of shape (n_groups,)
        The base scores, as predictions.
    objective, own : str, mapping
        The objective, and parameters by XGBoost's names.
    attributes : mapping of str to str
        What users have attached.
    names, types : list of str or None
        Names and types of the columns.
    levels : TableLevels or None
        Categories of the columns.
    """
    n_groups, is_multi = len(base_score), objective.startswith("multi:")
    shown = ",".join(str(np.float32(score)).upper() for score in base_score)
    return {
        "learner": {
            "attributes": dict(attributes),
            "feature_names": list(names or []),
            "feature_types": list(types or []),
            "gradient_booster": {
                "model": _booster(model, n_groups, n_parallel, n_features, levels),
                "name": "gbtree",
            },
            "learner_model_param": {
                "base_score": f"[{shown}]",
                "boost_from_average": "1",
                "num_class": str(n_groups if is_multi else 0),
                "num_feature": str(n_features),
                "num_target": str(1 if is_multi else n_groups),
            },
            "objective": _objective(objective, own),
        },
        "version": _VERSION,
    }


def json_text(document: dict[str, Any]) -> str:
    """Return a document as JSON, numbers in single precision with the digits that they need."""

    def plain(value: Any) -> Any:
        if value.dtype == np.float32:
            return value.astype("U").astype(np.float64).tolist()
        return value.tolist()

    return json.dumps(document, default=plain, separators=(",", ":"))


def _booster(
    model: BoostedModel | None,
    n_groups: int,
    n_parallel: int,
    n_features: int,
    levels: TableLevels | None,
) -> dict[str, Any]:
    tables = [] if model is None else list(node_tables(model))
    in_round = n_parallel * n_groups
    order = written_order(len(tables), n_parallel, n_groups)
    trees = [_tree(tables[t], k, n_features) for k, t in enumerate(order.tolist())]
    return {
        "cats": _categories(levels),
        "gbtree_model_param": {
            "num_parallel_tree": str(n_parallel),
            "num_trees": str(len(trees)),
        },
        "iteration_indptr": list(range(0, len(trees) + 1, in_round)),
        "tree_info": (order % n_groups).tolist(),
        "trees": trees,
    }


def _tree(table: NodeTable, number: int, n_features: int) -> dict[str, Any]:
    n_nodes = len(table.left)
    sets = [table.sets[node] for node in sorted(table.sets)]
    sizes = np.array([len(codes) for codes in sets], dtype=np.int64)
    is_set = np.zeros(n_nodes, np.uint8)
    is_set[sorted(table.sets)] = 1
    return {
        "base_weights": table.value,
        "categories": np.array([code for codes in sets for code in codes], dtype=np.int32),
        "categories_nodes": np.array(sorted(table.sets), dtype=np.int32),
        "categories_segments": np.cumsum(sizes) - sizes,
        "categories_sizes": sizes,
        "default_left": table.default_left.astype(np.uint8),
        "id": number,
        "left_children": table.left.astype(np.int32),
        "loss_changes": table.gain,
        "parents": np.where(table.parent < 0, _NO_PARENT, table.parent).astype(np.int32),
        "right_children": table.right.astype(np.int32),
        "split_conditions": table.condition,
        "split_indices": table.feature.astype(np.int32),
        "split_type": is_set,
        "sum_hessian": table.hessian,
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(n_features),
            "num_nodes": str(n_nodes),
            "size_leaf_vector": "1",
        },
    }


def _categories(levels: TableLevels | None) -> dict[str, Any]:
    """Return the names of the categories, as text in one list of bytes for each column."""
    if levels is None:
        empty = np.empty(0, np.int32)
        return {"enc": [], "feature_segments": empty, "sorted_idx": empty}
    encodings, sizes = [], [0]
    places: list[int] = []
    for known in levels.levels:
        texts = [] if known is None else [name.encode() for name in known]
        offsets = [] if known is None else [0, *accumulate(map(len, texts))]
        encodings.append(
            {
                "offsets": np.array(offsets, dtype=np.int32),
                "values": np.frombuffer(b"".join(texts), np.int8),
            }
        )
        sizes.append(len(texts))
        places += sorted(range(len(texts)), key=texts.__getitem__)
    return {
        "enc": encodings,
        "feature_segments": np.cumsum(sizes).astype(np.int32),
        "sorted_idx": np.array(places, dtype=np.int32),
    }


def _objective(name: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the objective with the parameters that XGBoost writes with it."""
    name = "reg:squarederror" if name == "reg:linear" else name
    found: dict[str, Any] = {"name": name}
    if name in _SCALED:
        found["reg_loss_param"] = {"scale_pos_weight": f"{own['scale_pos_weight']}"}
    key = name if name in _PARAMETERS else name.partition(":")[0]
    if key in _PARAMETERS:
        title, *parameters = _PARAMETERS[key]
        values = {**own, **_FIXED}
        found[title] = {one: _text(one, values[one]) for one in parameters}
    return found


def _text(name: str, value: Any) -> str:
    """Return the value of an objective's parameter as XGBoost writes it."""
    if name == "quantile_alpha":
        alphas = np.atleast_1d(0.5 if value is None else value)
        return f"[{','.join(str(float(alpha)) for alpha in alphas)}]"
    if name == "max_delta_step" and value is None:
        return "0.7"
    return str(int(value)) if isinstance(value, bool) else str(value)
