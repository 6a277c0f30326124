"""CatBoost's functions: training, and cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian.compat._folds import Fold, given_folds
from gramian.compat.catboost._call_options import pandas_frame
from gramian.compat.catboost._losses import described
from gramian.compat.catboost._models import CatBoost
from gramian.compat.catboost._parameters import PARAMETERS
from gramian.compat.catboost._pool import Pool
from gramian.model_selection import KFold, StratifiedKFold

__all__ = ["cv", "train"]

_STRATIFIED = ("Logloss", "MultiClass", "MultiClassOneVsAll", "CrossEntropy")


def train(
    pool: Any = None,
    params: Mapping[str, Any] | None = None,
    dtrain: Any = None,
    *,
    iterations: int | None = None,
    num_boost_round: int | None = None,
    eval_set: Any = None,
    evals: Any = None,
    **options: Any,
) -> CatBoost:
    """Fit a model.

    Parameters
    ----------
    pool, dtrain : Pool or (X, y)
        The training rows, by either name.
    params : dict
        CatBoost's parameters.
    iterations, num_boost_round : int, optional
        Number of rounds, by either name; it may also be in `params`.
    eval_set, evals : Pool, (X, y) or list of these, optional
        Rows that are judged after each round, by either name.
    **options
        As for `CatBoost.fit`, such as `early_stopping_rounds`, `verbose` or `init_model`.

    Returns
    -------
    CatBoost
        The model.

    Examples
    --------
    >>> from gramian.compat.catboost import Pool, train
    >>> from gramian.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = train(Pool(X, y), {"loss_function": "MultiClass", "iterations": 30})
    >>> model.predict(X[:1], prediction_type="Class")
    array([0])
    """
    rows = _one_of(pool=pool, dtrain=dtrain)
    given = dict(_checked(params))
    rounds = _one_of(iterations=iterations, num_boost_round=num_boost_round)
    if rounds is not None:
        _set_rounds(given, rounds)
    X, y = (rows, None) if isinstance(rows, Pool) else rows
    return CatBoost(given).fit(X, y, eval_set=_one_of(eval_set=eval_set, evals=evals), **options)


def _checked(params: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if params is None:
        raise ValueError("params must be given: a dict of CatBoost's parameters.")
    return params


def _one_of(**arguments: Any) -> Any:
    """Return the one of two synonyms that is given."""
    given = {name: value for name, value in arguments.items() if value is not None}
    if len(given) > 1:
        raise ValueError(f"Only one of {list(given)} may be given.")
    return next(iter(given.values()), None)


def _set_rounds(params: dict[str, Any], rounds: int) -> None:
    """Set the number of rounds in place of any that the parameters have."""
    entry = PARAMETERS.entries["iterations"]
    for name in (entry.name, *entry.aliases):
        params.pop(name, None)
    params[entry.name] = rounds


def cv(
    pool: Pool | None = None,
    params: Mapping[str, Any] | None = None,
    dtrain: Pool | None = None,
    *,
    iterations: int | None = None,
    num_boost_round: int | None = None,
    fold_count: int | None = None,
    nfold: int | None = None,
    inverted: bool = False,
    partition_random_seed: int = 0,
    seed: int | None = None,
    shuffle: bool = True,
    stratified: bool | None = None,
    as_pandas: bool = True,
    folds: Any = None,
    type: str = "Classical",
    return_models: bool = False,
    **options: Any,
) -> Any:
    """Fit a model to each of several parts of the rows, and judge it by the others.

    Parameters
    ----------
    pool, dtrain : Pool
        The rows, by either name.
    params : dict
        CatBoost's parameters, `loss_function` among them.
    iterations, num_boost_round : int, optional
        Number of rounds, by either name.
    fold_count, nfold : int, optional
        Number of parts, by either name; 3 by default.
    inverted : bool, default=False
        Whether to fit to one part and judge by the others.
    partition_random_seed, seed : int, default=0
        Seed of the partition, by either name.
    shuffle : bool, default=True
        Whether rows are shuffled before.
    stratified : bool, optional
        Whether parts are stratified by the classes; by default for losses of classes.
    as_pandas : bool, default=True
        Whether to return a data frame of pandas, which must be installed, or a dict.
    folds : splitter or iterable of (train, test), optional
        The parts, in place of all that.
    type : {"Classical", "Inverted"}, default="Classical"
        "Inverted" is ``inverted=True``.
    return_models : bool, default=False
        Whether to return the models, too.
    **options
        As for `CatBoost.fit`, such as `early_stopping_rounds`, which ends each fit on its own: its
        last values then stand for the rounds that it has not.

    Returns
    -------
    DataFrame or dict
        ``iterations``, and mean and standard deviation over the parts of each metric of the test
        and training rows, such as ``test-Logloss-mean``.
    list of CatBoost
        The models, with `return_models`.

    Examples
    --------
    >>> from gramian.compat.catboost import Pool, cv
    >>> from gramian.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = cv(Pool(X, y), {"loss_function": "Logloss"}, iterations=20, as_pandas=False)
    >>> bool(found["test-Logloss-mean"][-1] < found["test-Logloss-mean"][0])
    True
    """
    rows = _one_of(pool=pool, dtrain=dtrain)
    if not isinstance(rows, Pool):
        raise TypeError("cv needs a Pool.")
    given = dict(_checked(params))
    loss = PARAMETERS.given(given, "cv").get("loss_function")
    if loss is None:
        raise ValueError("Parameter loss_function should be specified for cross-validation")
    rounds = _one_of(iterations=iterations, num_boost_round=num_boost_round)
    if rounds is not None:
        _set_rounds(given, rounds)
    if type not in ("Classical", "Inverted"):
        raise ValueError(f"type={type!r} is not supported by gramian; pass the folds.")
    if folds is None:
        n_splits = _one_of(fold_count=fold_count, nfold=nfold) or 3
        state = (partition_random_seed if seed is None else seed) if shuffle else None
        folds = _splitter(loss, stratified)(n_splits, shuffle=shuffle, random_state=state)
    parts = given_folds(folds, rows.num_row(), rows.label, rows.group_id)
    if inverted or type == "Inverted":
        parts = [(test, fit) for fit, test in parts]
    models = [_fitted(given, rows, part, options) for part in parts]
    found = _summary([model.get_evals_result() for model in models])
    result = pandas_frame(found) if as_pandas else found
    return (result, models) if return_models else result


def _splitter(loss: Any, stratified: bool | None) -> Any:
    """Return what makes the folds; those of classes are stratified unless the user says no."""
    if stratified is None:
        stratified = isinstance(loss, str) and described(loss)[0] in _STRATIFIED
    return StratifiedKFold if stratified else KFold


def _fitted(params: dict[str, Any], pool: Pool, fold: Fold, options: dict[str, Any]) -> CatBoost:
    fit, test = (pool.slice(rows) for rows in fold)
    return CatBoost({**params, "use_best_model": False}).fit(fit, eval_set=test, **options)


def _summary(results: list[dict[str, dict[str, list[float]]]]) -> dict[str, list[float]]:
    """Return mean and standard deviation over the parts, by names of columns."""
    longest = max(len(values) for one in results for values in one["validation"].values())
    found: dict[str, list[float]] = {"iterations": list(range(longest))}
    for part, shown in (("validation", "test"), ("learn", "train")):
        for name in results[0].get(part, {}):
            padded = [_padded(one[part][name], longest) for one in results]
            found[f"{shown}-{name}-mean"] = np.mean(padded, axis=0).tolist()
            found[f"{shown}-{name}-std"] = np.std(padded, axis=0, ddof=1).tolist()
    return found


def _padded(values: list[float], size: int) -> list[float]:
    return values + [values[-1]] * (size - len(values))
