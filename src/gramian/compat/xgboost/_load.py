"""Models of XGBoost from their files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gramian.compat._loading import read_model
from gramian.compat._model import LoadedClassifier, LoadedRegressor
from gramian.compat._model_parts import ModelParts
from gramian.compat._ubjson import is_ubjson, parsed_ubjson
from gramian.compat._untrusted import Fields, parsed_json, reading, source_bytes
from gramian.compat.xgboost._objectives import OBJECTIVES
from gramian.compat.xgboost._reader import xgboost_parts
from gramian.exceptions import ModelFileError

_NUMBERS = ("scale_pos_weight", "huber_slope", "tweedie_variance_power", "max_delta_step")

__all__ = ["BoosterParts", "booster_parts", "load_model"]


def load_model(
    source: Any, *, n_iterations: int | str | None = None
) -> LoadedClassifier | LoadedRegressor:
    """Read a model that XGBoost has written.

    The file is that of ``save_model("model.json")`` or ``save_model("model.ubj")``, of version 1.3
    or later. Boosters ``gbtree`` and ``dart``, all objectives that XGBoost itself has, missing
    values, categories, several classes and several targets are supported.

    Parameters
    ----------
    source : path, bytes, file object or dict
        The file, what ``save_raw`` returns, or the parsed JSON document.
    n_iterations : int or "all", optional
        Number of rounds to use. By default up to the best one if early stopping has found one, as
        in ``XGBClassifier.predict``, else all.

    Returns
    -------
    LoadedClassifier or LoadedRegressor
        The model. Its `predict` and `predict_proba` agree with those of XGBoost's classes up to
        the rounding of XGBoost's sums in single precision, and `decision_function` or
        `predict_raw` with ``output_margin=True``.

    Raises
    ------
    gramian.exceptions.ModelFileError
        If the file is damaged, or holds something else.

    See Also
    --------
    gramian.compat.lightgbm.load_model, gramian.compat.catboost.load_model

    Notes
    -----
    As in XGBoost, values that a sparse matrix does not store are missing, and arrays hold the codes
    of categories. In data frames a category that the file does not name is missing.

    Examples
    --------
    >>> from gramian.compat.xgboost import load_model
    >>> tree = {
    ...     "left_children": [1, -1, -1], "right_children": [2, -1, -1],
    ...     "split_indices": [0, 0, 0], "split_conditions": [0.5, -1.0, 2.0],
    ...     "default_left": [0, 0, 0], "sum_hessian": [4.0, 2.0, 2.0],
    ...     "tree_param": {"size_leaf_vector": "1"},
    ... }
    >>> model = load_model({"learner": {
    ...     "gradient_booster": {"name": "gbtree", "model": {
    ...         "gbtree_model_param": {"num_parallel_tree": "1"},
    ...         "tree_info": [0], "trees": [tree],
    ...     }},
    ...     "learner_model_param": {"base_score": "1E0", "num_class": "0", "num_feature": "1"},
    ...     "objective": {"name": "reg:squarederror"},
    ... }})
    >>> model.predict([[0.2], [0.5]])
    array([0., 3.])
    """
    return read_model("XGBoost", source, n_iterations, _parsed, xgboost_parts)


def _parsed(data: bytes) -> Any:
    if is_ubjson(data):
        return parsed_ubjson(data)
    if data[:1] != b"{":
        raise ModelFileError(
            "it is neither JSON nor UBJSON; write it with save_model('model.json') or "
            "save_model('model.ubj')"
        )
    return parsed_json(data)


@dataclass(frozen=True)
class BoosterParts:
    """What a file says of a booster.

    Attributes
    ----------
    parts : ModelParts
        Trees, objective and columns.
    n_parallel : int
        Trees of a round and group.
    params : dict
        Parameters of the objective.
    attributes : dict
        What users have attached.
    types : list of str or None
        Types of the columns.
    """

    parts: ModelParts
    n_parallel: int
    params: dict[str, Any]
    attributes: dict[str, str]
    types: list[str] | None


def booster_parts(source: Any) -> BoosterParts:
    """Return what a file says of a booster; the arguments are those of `load_model`."""
    data = source_bytes(source)
    with reading("XGBoost"):
        document = _parsed(data)
        parts = xgboost_parts(document, len(data), "all")
        learner = Fields(document, "the document").object("learner")
        if parts.objective not in OBJECTIVES:
            raise ModelFileError(
                f"a Booster has no objective {parts.objective!r} here; use load_model"
            )
        if parts.trees.leaf_value.shape[1] > 1:
            raise ModelFileError("its leaves have several values; use load_model")
        booster = learner.object("gradient_booster")
        booster = booster.object("gbtree") if "gbtree" in booster else booster
        sizes = booster.object("model").object("gbtree_model_param")
        n_parallel = max(sizes.integer("num_parallel_tree", 1), 1)
        if parts.trees.n_trees != n_parallel * len(parts.bias) * parts.n_iterations:
            raise ModelFileError("its rounds differ in their number of trees")
        given = learner.get("attributes") if "attributes" in learner else {}
        attributes = {str(name): str(value) for name, value in given.items()}
        types = learner.list("feature_types") if "feature_types" in learner else []
        params = _objective_params(learner, parts)
    return BoosterParts(parts, n_parallel, params, attributes, [str(t) for t in types] or None)


def _objective_params(learner: Fields, parts: ModelParts) -> dict[str, Any]:
    """Return the objective and its parameters."""
    found: dict[str, Any] = {"objective": parts.objective}
    if parts.objective.startswith("multi:"):
        found["num_class"] = len(parts.bias)
    objective = learner.get("objective")
    for values in objective.values():
        if isinstance(values, Mapping):
            found |= {name: float(values[name]) for name in _NUMBERS if name in values}
            if "quantile_alpha" in values:
                numbers = str(values["quantile_alpha"]).strip("[]()").split(",")
                found["quantile_alpha"] = [float(number) for number in numbers]
    return found
