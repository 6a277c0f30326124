"""From CatBoost's parameters to a model of our engine that can be fitted."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.metrics import Metric
from gramian._boosting.rates import chosen_rate
from gramian.compat._chosen_columns import column_signs, places_of
from gramian.compat._parameters import Translation
from gramian.compat.catboost._engine import (
    CatBoostTrees,
    ClassifierTrees,
    MetricPlan,
    RankerTrees,
    RegressorTrees,
)
from gramian.compat.catboost._losses import LossPlan, loss_plan
from gramian.compat.catboost._metrics import is_on_learn, metric_of
from gramian.compat.catboost._parameters import PARAMETERS
from gramian.compat.catboost._pool import Pool
from gramian.exceptions import InvalidParameterError

__all__ = ["FitPlan", "fit_plan", "plain_label"]

_MODELS: dict[str, type[CatBoostTrees]] = {
    "classifier": ClassifierTrees,
    "regressor": RegressorTrees,
    "ranker": RankerTrees,
}
_SUBSAMPLES = {"MVS": 0.8, "Bernoulli": 0.66}
_FEW_ROWS = 100  # of fewer, all are taken
_MANY_ROUNDS, _MANY_COLUMNS = 200, 20  # with fewer of both, one Newton step finds the leaves
_PATIENCE = 20
_RATED = {"RMSE": "squared_error", "Logloss": "logistic", "MultiClass": "softmax"}


@dataclass(frozen=True)
class FitPlan:
    """What a fit does.

    Attributes
    ----------
    engine : CatBoostTrees
        The model, not fitted.
    label : ndarray
        The target.
    loss : LossPlan
        What is minimised.
    metrics : MetricPlan
        What is followed while it grows.
    keeps_best : bool
        Whether rounds after the best one are dropped.
    least_rounds : int
        How many are kept at least.
    print_period : int
        Rounds between two lines; 0: nothing is printed.
    own : dict
        Parameters that the call itself uses.
    given : dict
        All that the user gave.
    """

    engine: CatBoostTrees
    label: NDArray[Any]
    loss: LossPlan
    metrics: MetricPlan
    keeps_best: bool
    least_rounds: int
    print_period: int
    own: dict[str, Any]
    given: dict[str, Any]


def fit_plan(
    params: Mapping[str, Any], call: str, kind: str | None, pool: Pool, has_sets: bool
) -> FitPlan:
    """Return what a fit does.

    Parameters
    ----------
    params : mapping
        CatBoost's parameters, by any of their names.
    call : str
        What was called, for messages.
    kind : {"classifier", "regressor", "ranker"} or None
        Kind of the class that is fitted; None: by the loss.
    pool : Pool
        The training rows.
    has_sets : bool
        Whether there are evaluation sets.
    """
    found = PARAMETERS.translate(params, call, stacklevel=6)
    own = found.own
    label = plain_label(pool, own["target_border"], kind)
    loss = loss_plan(own["loss_function"], kind, label)
    if kind == "ranker" and loss.kind != "ranker":
        warnings.warn(
            f"The loss {loss.text} takes no notice of group_id.", RuntimeWarning, stacklevel=5
        )
    keeps_best = has_sets if own["use_best_model"] is None else own["use_best_model"]
    if keeps_best and not has_sets:
        raise ValueError("use_best_model=True needs an eval_set.")
    options = {**found.engine, **loss.engine}
    options |= _tree_options(found) | _row_options(own, found.given, loss, pool)
    options |= _column_options(own, pool) | _class_options(own, loss, label, pool)
    options |= _start_options(found, loss, options, pool, keeps_best)
    _check_leaf_method(own["leaf_estimation_method"], loss)
    metrics = _metric_plan(own, loss, label, has_sets, options["n_estimators"])
    return FitPlan(
        engine=_MODELS[loss.kind](**options),
        label=label,
        loss=loss,
        metrics=metrics,
        keeps_best=keeps_best,
        least_rounds=own["best_model_min_trees"],
        print_period=_print_period(own),
        own=own,
        given=found.given,
    )


def plain_label(pool: Pool, border: float | None, kind: str | None) -> Any:
    """Return the target of a pool: a column of numbers as a vector, or classes by a border."""
    label = pool.label
    if label is not None and border is not None:
        label = (np.asarray(label, dtype=np.float64) > border).astype(np.intp)
    is_column = label is not None and label.ndim == 2 and label.shape[1] == 1
    return label[:, 0] if label is not None and is_column and kind != "classifier" else label


# -- trees and rows --------------------------------------------------------------------------------


def _tree_options(found: Translation) -> dict[str, Any]:
    own, growth = found.own, found.engine["growth"]
    if own["max_leaves"] is not None and growth != "leaf":
        raise InvalidParameterError(
            "max_leaves is for grow_policy='Lossguide' only; the others have 2**depth leaves."
        )
    if own["min_data_in_leaf"] is not None and growth == "symmetric":
        _warn_ignored("min_data_in_leaf", "SymmetricTree")
    return {
        "max_leaves": (own["max_leaves"] or 31) if growth == "leaf" else 0,
        "min_samples_leaf": 1 if growth == "symmetric" else own["min_data_in_leaf"] or 1,
        "min_child_weight": 0.0,
        "split_score": "gradient",
        "categorical_encoding": "ordered",
        "cat_orders": 8,
    }


def _row_options(
    own: dict[str, Any], given: dict[str, Any], loss: LossPlan, pool: Pool
) -> dict[str, Any]:
    kind, fraction = own["bootstrap_type"], own["subsample"]
    if kind is None:
        is_bayesian = loss.has_outputs and loss.engine["loss"] != "quantile" and fraction is None
        kind = "Bayesian" if is_bayesian else "MVS"
    if fraction is not None and kind not in _SUBSAMPLES:
        raise InvalidParameterError(f"subsample has no meaning for bootstrap_type={kind!r}.")
    if "bagging_temperature" in given and kind != "Bayesian":
        _warn_ignored("bagging_temperature", f"bootstrap_type {kind!r}")
    if kind == "Bayesian":
        return {"sampling": "bayesian", "subsample": 1.0}
    if fraction is None:
        fraction = _SUBSAMPLES.get(kind, 1.0) if pool.num_row() >= _FEW_ROWS else 1.0
    return {"sampling": "mvs" if kind == "MVS" else "uniform", "subsample": float(fraction)}


def _warn_ignored(name: str, where: str) -> None:
    warnings.warn(
        f"CatBoost ignores {name} for {where}, and so does gramian.", UserWarning, stacklevel=7
    )


def _check_leaf_method(method: str | None, loss: LossPlan) -> None:
    is_exact = loss.engine["loss"] in ("absolute_error", "quantile")
    is_gradient = method == "Gradient" and loss.engine["loss"] == "squared_error"
    if method is not None and method != ("Exact" if is_exact else "Newton") and not is_gradient:
        raise InvalidParameterError(
            f"leaf_estimation_method={method!r} is not supported by gramian for the loss "
            f"{loss.text}; leaves are found by {'quantiles (Exact)' if is_exact else 'Newton'}."
        )


# -- columns and classes ---------------------------------------------------------------------------


def _column_options(own: dict[str, Any], pool: Pool) -> dict[str, Any]:
    names = pool.get_feature_names()
    places = set(pool.get_cat_feature_indices())
    if own["cat_features"] is not None:
        places |= set(places_of(own["cat_features"], names, "cat_features"))
    ignored = own["ignored_features"]
    options: dict[str, Any] = {
        "categorical_features": sorted(places) or None,
        "ignored_features": None
        if ignored is None
        else places_of(ignored, names, "ignored_features"),
        "monotonic_cst": _signs(own["monotone_constraints"], names),
    }
    return options


def _signs(given: Any, names: Sequence[str]) -> list[int] | None:
    """Return 1, 0 or -1 for each column; places may be keys of a dict, too."""
    if isinstance(given, str):
        parts = given.strip().strip("()").split(",")
        pairs = [part.partition(":") for part in parts]
        given = {a.strip(): int(b) for a, _, b in pairs} if ":" in given else [*map(int, parts)]
    if isinstance(given, Mapping):
        numbered = {str(place): name for place, name in enumerate(names)}
        given = {numbered.get(str(key), str(key)): value for key, value in given.items()}
    return None if given is None else column_signs(given, names)


def _class_options(own: dict[str, Any], loss: LossPlan, label: Any, pool: Pool) -> dict[str, Any]:
    names = ("class_weights", "auto_class_weights", "scale_pos_weight")
    given = [name for name in names if own[name] not in (None, "None")]
    if loss.kind != "classifier":
        if given:
            raise InvalidParameterError(f"{given[0]} is for classes, and the loss is {loss.text}.")
        return {}
    classes = np.unique(label)
    _check_class_names(own, classes)
    if len(given) > 1:
        raise InvalidParameterError(f"{given[0]} and {given[1]} cannot be given both.")
    weights = own["class_weights"]
    if own["scale_pos_weight"] is not None:
        weights = [1.0, own["scale_pos_weight"]]
    elif given == ["auto_class_weights"]:
        rows = pool.get_weight()
        sums = np.array([rows[label == one].sum() for one in classes])
        weights = sums.max() / sums
        weights = np.sqrt(weights) if own["auto_class_weights"] == "SqrtBalanced" else weights
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        values = [float(value) for value in weights]
        if len(values) != len(classes):
            raise InvalidParameterError(
                f"There are {len(values)} weights for {len(classes)} classes."
            )
        weights = dict(zip(classes.tolist(), values, strict=True))
    return {"class_weight": dict(weights)}


def _check_class_names(own: dict[str, Any], classes: NDArray[Any]) -> None:
    """Refuse other classes than those of the target, in ascending order."""
    names, count = own["class_names"], own["classes_count"]
    if names is not None and not np.array_equal(np.asarray(names), classes):
        raise InvalidParameterError(
            f"class_names must be the classes of the target in ascending order, "
            f"{classes.tolist()}. Got {list(names)}."
        )
    if count and not np.array_equal(classes, np.arange(count)):
        raise InvalidParameterError(
            f"classes_count={count} needs rows of the classes 0 to {count - 1}. "
            f"The target has {classes.tolist()}."
        )


# -- the start, the rate, and what is followed -----------------------------------------------------


def _start_options(
    found: Translation, loss: LossPlan, options: dict[str, Any], pool: Pool, keeps_best: bool
) -> dict[str, Any]:
    given = found.given
    from_average = found.own["boost_from_average"]
    from_average = loss.from_average if from_average is None else from_average
    n_rounds = options["n_estimators"]
    is_short = n_rounds < _MANY_ROUNDS and pool.num_col() < _MANY_COLUMNS
    n_steps = 1 if is_short else loss.n_steps
    chosen: dict[str, Any] = {"leaf_steps": options.get("leaf_steps", n_steps)}
    if not from_average and loss.kind != "ranker":
        chosen["base_score"] = 0.0
    if "learning_rate" not in options:
        about_leaves = ("l2_leaf_reg", "leaf_estimation_iterations", "leaf_estimation_method")
        is_usual = not any(name in given for name in about_leaves)
        chosen["learning_rate"] = chosen_rate(
            _RATED.get(loss.name, "") if is_usual else "",
            pool.num_row(),
            n_rounds,
            keeps_best=keeps_best,
            from_average=from_average,
        )
    return chosen


def _metric_plan(
    own: dict[str, Any], loss: LossPlan, label: Any, has_sets: bool, n_rounds: int
) -> MetricPlan:
    """Return the metrics, the last of which decides, and when to stop."""
    n_classes = len(np.unique(label)) if loss.kind == "classifier" else None
    is_custom = not isinstance(loss.engine["loss"], str)
    deciding = own["eval_metric"]
    base: Any = None if is_custom else loss.text
    if loss.engine["loss"] in ("ndcg", "map"):
        base = loss.engine["loss"].upper()
    if deciding is None and is_custom and has_sets:
        raise InvalidParameterError(
            "A loss_function of one's own needs an eval_metric, by which eval_set is judged."
        )
    is_known = deciding is None or isinstance(deciding, str) or hasattr(deciding, "evaluate")
    if not is_known:
        raise InvalidParameterError(
            f"eval_metric must be a str or an object with evaluate. Got {deciding!r} instead."
        )
    more = own["custom_metric"]
    if not (more is None or isinstance(more, (str, list, tuple))):
        raise InvalidParameterError(
            f"custom_metric must be a str or a list of str. Got {more!r} instead."
        )
    items = [] if more is None else [more] if isinstance(more, str) else list(more)
    last = deciding if deciding is not None else base
    wanted = [item for item in (*items, base) if item is not None and item != last]
    texts = list(dict.fromkeys(wanted)) + ([last] if last is not None else [])
    metrics = [metric_of(item, n_classes) for item in texts]
    on_learn = [not isinstance(item, str) or is_on_learn(item) for item in texts]
    pairs = zip(metrics, on_learn, strict=True)
    learn: tuple[Metric, ...] = tuple(metric for metric, is_on in pairs if is_on)
    return MetricPlan(metrics, learn, _patience(own, has_sets), own["metric_period"], n_rounds)


def _patience(own: dict[str, Any], has_sets: bool) -> int | None:
    if own["od_pval"]:
        raise InvalidParameterError(
            "od_pval is not supported by gramian; use od_type='Iter' with od_wait."
        )
    if own["od_wait"] is None and own["od_type"] != "Iter":
        return None
    if not has_sets:
        warnings.warn(
            "Without an eval_set there is nothing to stop early for.", UserWarning, stacklevel=6
        )
        return None
    return _PATIENCE if own["od_wait"] is None else int(own["od_wait"])


def _print_period(own: dict[str, Any]) -> int:
    given = [name for name in ("verbose", "silent", "logging_level") if own[name] is not None]
    if len(given) > 1:
        raise InvalidParameterError(f"Only one of {given} may be given.")
    verbose = own["verbose"]
    if own["silent"] is not None:
        verbose = not own["silent"]
    if own["logging_level"] is not None:
        verbose = own["logging_level"] != "Silent"
    if not verbose:
        return 0
    return own["metric_period"] if verbose is True else int(verbose)
