"""`train` and `cv` with LightGBM's arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from gramian._boosting.run import is_out_of_time
from gramian.compat._folds import Fold, cut_folds, given_folds
from gramian.compat.lightgbm._booster import Booster
from gramian.compat.lightgbm._callbacks import CallbackEnv, EarlyStopException, early_stopping
from gramian.compat.lightgbm._dataset import Dataset
from gramian.compat.lightgbm._parameters import PARAMETERS
from gramian.compat.lightgbm._training import EvalResult
from gramian.config import core_context
from gramian.exceptions import InvalidParameterError
from gramian.model_selection import GroupKFold, StratifiedKFold

__all__ = ["CVBooster", "cv", "train"]

_RANKING = ("lambdarank",)


class _Callbacks:
    """Callbacks in their order, those before a round and those after it."""

    def __init__(self, given: Any, params: Mapping[str, Any]) -> None:
        found = [] if given is None else list(given)
        for callback in found:
            if not callable(callback):
                raise TypeError(f"callbacks must be callables. Got {type(callback).__name__}.")
        keyed = [(getattr(cb, "order", at - len(found)), at, cb) for at, cb in enumerate(found)]
        patience = int(params.get("early_stopping_round", 0))
        if patience > 0:
            stop = early_stopping(
                patience,
                bool(params.get("first_metric_only", False)),
                params.get("verbosity", 1) > 0,
                params.get("early_stopping_min_delta", 0.0),
            )
            keyed.append((stop.order, len(found), stop))  # type: ignore[attr-defined]
        keyed.sort(key=lambda item: item[:2])
        self.before = [cb for *_, cb in keyed if getattr(cb, "before_iteration", False)]
        self.after = [cb for *_, cb in keyed if not getattr(cb, "before_iteration", False)]


def _rounds(given: dict[str, Any], num_boost_round: int) -> int:
    """Return the number of rounds, which parameters may give."""
    n_rounds = given.get("num_iterations", num_boost_round)
    if n_rounds <= 0:
        raise ValueError(f"num_boost_round must be above 0. Got {n_rounds}.")
    return int(n_rounds)


def _init_booster(init_model: Any) -> Booster | None:
    if init_model is None or isinstance(init_model, Booster):
        return init_model
    if isinstance(init_model, (str, PathLike)):
        return Booster(model_file=init_model)
    raise TypeError(
        f"init_model must be a Booster, a path or None. Got {type(init_model).__name__}."
    )


def _checked_set(data: Any, function: str) -> None:
    if not isinstance(data, Dataset):
        raise TypeError(f"{function}() takes Dataset objects. Got {type(data).__name__}.")


def train(
    params: Mapping[str, Any],
    train_set: Dataset,
    num_boost_round: int = 100,
    valid_sets: Sequence[Dataset] | Dataset | None = None,
    valid_names: Sequence[str] | str | None = None,
    feval: Any = None,
    init_model: Any = None,
    keep_training_booster: bool = False,
    callbacks: Iterable[Callable[[CallbackEnv], Any]] | None = None,
) -> Booster:
    """Grow boosted trees.

    Parameters
    ----------
    params : dict
        Parameters of LightGBM by any of their names; see the guide for what becomes of each. An
        `objective` may be a function of the scores and the Dataset that returns gradient and
        hessian.
    train_set : Dataset
        The training rows.
    num_boost_round : int, default=100
        Number of rounds, unless `params` gives it.
    valid_sets : list of Dataset, optional
        Sets to judge after each round; `train_set` may be among them.
    valid_names : list of str, optional
        Their names; ``"valid_0"`` and so on by default, ``"training"`` for the training rows.
    feval : callable or list of callables, optional
        Further metrics: functions of the predictions and the Dataset that return name, value and
        whether higher is better, or a list of these.
    init_model : Booster or path, optional
        Trees to go on from; they stay the first ones.
    keep_training_booster : bool, default=False
        Whether the booster keeps its data, so that `Booster.update` can go on.
    callbacks : list of callables, optional
        What is called after each round, or before it; see `early_stopping`, `log_evaluation`,
        `record_evaluation` and `reset_parameter`.

    Returns
    -------
    Booster

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.compat.lightgbm import Dataset, train
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((500, 4))
    >>> y = (X[:, 0] > 0.5).astype(int)
    >>> booster = train({"objective": "binary", "num_leaves": 7}, Dataset(X, label=y), 20)
    >>> bool(((booster.predict(X) > 0.5) == y).all())
    True
    """
    _checked_set(train_set, "train")
    before = _init_booster(init_model)
    given = PARAMETERS.given({**train_set.params, **params}, "train", stacklevel=3)
    n_rounds = given["num_iterations"] = _rounds(given, num_boost_round)
    called = _Callbacks(callbacks, given)
    booster = _new_booster(given, train_set, before)
    params = dict(params)
    has_train = _watch(booster, train_set, valid_sets, valid_names)
    begin = 0 if before is None else before.current_iteration()
    booster.best_iteration = 0

    def evaluate() -> list[EvalResult]:
        return (booster.eval_train(feval) if has_train else []) + booster.eval_valid(feval)

    rounds = range(begin, begin + n_rounds)
    results, stop = _grow(booster, params, rounds, evaluate, called)
    if stop is not None:
        booster.best_iteration, results = stop.best_iteration + 1, stop.best_score
    booster.best_score = {}
    for result in results:
        metrics = booster.best_score.setdefault(result.dataset_name, {})
        metrics[result.metric_name] = result.metric_value
    return booster if keep_training_booster else booster.free_dataset()


def _grow(
    model: Any,
    params: dict[str, Any],
    rounds: range,
    evaluate: Callable[[], list[EvalResult]],
    callbacks: _Callbacks,
) -> tuple[list[EvalResult], EarlyStopException | None]:
    """Grow a booster, or those of all folds; return the last metrics, and why it ended early."""
    ctx = core_context()  # the time limit is that of the whole fit
    results: list[EvalResult] = []
    for number in rounds:
        env = CallbackEnv(model, params, number, rounds.start, rounds.stop, None)
        for callback in callbacks.before:
            callback(env)
        model.update()
        results = evaluate()
        try:
            for callback in callbacks.after:
                callback(replace(env, evaluation_result_list=results))
        except EarlyStopException as stop:
            return results, stop
        if is_out_of_time(ctx, number + 1 - rounds.start, len(rounds), stacklevel=3):
            break
    return results, None


def _new_booster(params: dict[str, Any], data: Dataset, before: Booster | None) -> Booster:
    """Return a booster that grows, from parameters by their main names."""
    booster = Booster.__new__(Booster)
    booster._prepare(params)
    booster._begin(data, None if before is None else before._trees)
    return booster


def _watch(booster: Booster, train_set: Dataset, valid_sets: Any, valid_names: Any) -> bool:
    """Add the evaluation sets; return whether the training rows are among them."""
    if valid_sets is None:
        return False
    sets = [valid_sets] if isinstance(valid_sets, Dataset) else list(valid_sets)
    names = [valid_names] if isinstance(valid_names, str) else list(valid_names or ())
    has_train = False
    for at, data in enumerate(sets):
        _checked_set(data, "train")
        if data is train_set:
            has_train = True
            if at < len(names):
                booster.set_train_data_name(names[at])
            continue
        booster.add_valid(data, names[at] if at < len(names) else f"valid_{at}")
    return has_train


class CVBooster:
    """The boosters of the folds of `cv`; a method is called on each, and gives a list.

    Attributes
    ----------
    boosters : list of Booster
        The boosters.
    best_iteration : int
        Number of rounds that early stopping found best.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.compat.lightgbm import Dataset, cv
    >>> X = np.random.default_rng(0).random((200, 2))
    >>> found = cv({}, Dataset(X, X[:, 0]), 5, nfold=3, stratified=False, return_cvbooster=True)
    >>> found["cvbooster"].num_trees()
    [5, 5, 5]
    """

    def __init__(self, boosters: list[Booster] | None = None) -> None:
        self.boosters: list[Booster] = list(boosters or [])
        self.best_iteration = -1

    def __getattr__(self, name: str) -> Callable[..., list[Any]]:
        if name.startswith("_") or not hasattr(Booster, name):
            raise AttributeError(f"CVBooster has no attribute {name!r}.")

        def call(*args: Any, **kwargs: Any) -> list[Any]:
            return [getattr(booster, name)(*args, **kwargs) for booster in self.boosters]

        return call


def _folds(
    data: Dataset, folds: Any, nfold: int, stratified: bool, shuffle: bool, seed: int, rank: bool
) -> list[Fold]:
    """Return the rows of each fold: those to fit, and those to test."""
    n_rows, offsets, state = data.num_data(), data.offsets, seed if shuffle else None
    queries = np.zeros(n_rows, np.int64)
    if offsets is not None:
        queries = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    if folds is None and rank:
        folds = GroupKFold(n_splits=nfold)
    elif folds is None and stratified:
        splitter = StratifiedKFold(n_splits=nfold, shuffle=shuffle, random_state=state)
        return given_folds(splitter, n_rows, data.label)
    if folds is None:
        return cut_folds(n_rows, nfold, state)
    return given_folds(folds, n_rows, data.label, queries)


def _mean_results(of_folds: list[list[EvalResult]]) -> list[EvalResult]:
    """Return mean and standard deviation of each metric over the folds."""
    found: dict[tuple[str, str], list[EvalResult]] = {}
    for results in of_folds:
        for result in results:
            found.setdefault((result.dataset_name, result.metric_name), []).append(result)
    means = []
    for (data, metric), results in found.items():
        values = [result.metric_value for result in results]
        spread = float(np.std(values))
        means.append(EvalResult(data, metric, float(np.mean(values)), results[0].maximize, spread))
    return means


def cv(
    params: Mapping[str, Any],
    train_set: Dataset,
    num_boost_round: int = 100,
    folds: Any = None,
    nfold: int = 5,
    stratified: bool = True,
    shuffle: bool = True,
    metrics: Any = None,
    feval: Any = None,
    init_model: Any = None,
    fpreproc: Callable[..., tuple[Dataset, Dataset, dict[str, Any]]] | None = None,
    seed: int = 0,
    callbacks: Iterable[Callable[[CallbackEnv], Any]] | None = None,
    eval_train_metric: bool = False,
    return_cvbooster: bool = False,
) -> dict[str, Any]:
    """Cross-validate boosted trees, round by round.

    Parameters
    ----------
    params, train_set, num_boost_round, feval, callbacks
        As for `train`.
    folds : splitter, or iterable of (train rows, test rows), optional
        The folds.
    nfold : int, default=5
        Number of folds.
    stratified : bool, default=True
        Whether folds are stratified by the classes.
    shuffle : bool, default=True
        Whether rows are shuffled before.
    metrics : str or list of str, optional
        Metrics in place of those in `params`.
    init_model : None
        Going on from a model is not supported here.
    fpreproc : callable, optional
        Takes the Datasets of a fold and the parameters, and returns them changed.
    seed : int, default=0
        Seed of the folds.
    eval_train_metric : bool, default=False
        Whether to judge the training rows of the folds, too.
    return_cvbooster : bool, default=False
        Whether to return the boosters, as ``"cvbooster"``.

    Returns
    -------
    dict
        ``"valid <metric>-mean"`` and ``"valid <metric>-stdv"`` -> values after each round.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.compat.lightgbm import Dataset, cv
    >>> X = np.random.default_rng(0).random((300, 3))
    >>> found = cv({}, Dataset(X, X[:, 0]), 10, nfold=3, stratified=False)
    >>> sorted(found), len(found["valid l2-mean"])
    (['valid l2-mean', 'valid l2-stdv'], 10)
    """
    _checked_set(train_set, "cv")
    if init_model is not None:
        raise InvalidParameterError("init_model is not supported by gramian in cv.")
    given = PARAMETERS.given({**train_set.params, **params}, "cv", stacklevel=3)
    n_rounds = given["num_iterations"] = _rounds(given, num_boost_round)
    if metrics is not None:
        given["metric"] = metrics
    train_set._construct(given)
    is_ranking = given.get("objective") in _RANKING
    made = _folds(train_set, folds, nfold, stratified, shuffle, seed, is_ranking)
    boosters = CVBooster(
        [_fold_booster(train_set, fold, given, fpreproc, eval_train_metric) for fold in made]
    )
    results = _cv_rounds(boosters, dict(params), n_rounds, feval, _Callbacks(callbacks, given))
    if return_cvbooster:
        results["cvbooster"] = boosters
    return results


def _fold_booster(
    data: Dataset, fold: Fold, params: dict[str, Any], fpreproc: Any, eval_train_metric: bool
) -> Booster:
    train_set, valid_set = (data.subset(rows) for rows in fold)
    if fpreproc is not None:
        train_set, valid_set, params = fpreproc(train_set, valid_set, copy(params))
        params = PARAMETERS.given(params, "cv")
    booster = _new_booster(params, train_set, None)
    if eval_train_metric:
        booster.add_valid(train_set, "train")
    return booster.add_valid(valid_set, "valid")


def _cv_rounds(
    boosters: CVBooster, params: dict[str, Any], n_rounds: int, feval: Any, callbacks: _Callbacks
) -> dict[str, Any]:
    """Grow the boosters of all folds side by side; return the history of the metrics."""
    history: dict[str, Any] = {}

    def evaluate() -> list[EvalResult]:
        means = _mean_results(boosters.eval_valid(feval))
        for mean in means:
            name = f"{mean.dataset_name} {mean.metric_name}"
            history.setdefault(f"{name}-mean", []).append(mean.metric_value)
            history.setdefault(f"{name}-stdv", []).append(mean.metric_std_dev)
        return means

    _, stop = _grow(boosters, params, range(n_rounds), evaluate, callbacks)
    if stop is None:
        return history
    boosters.best_iteration = stop.best_iteration + 1
    for booster in boosters.boosters:
        booster.best_iteration = boosters.best_iteration
    return {name: values[: boosters.best_iteration] for name, values in history.items()}
