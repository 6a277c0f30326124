"""What `train` and `cv` call after each round, or before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gramian.compat.lightgbm._training import EvalResult
from gramian.params import Integer, check_arguments

__all__ = [
    "CallbackEnv",
    "EarlyStopException",
    "early_stopping",
    "log_evaluation",
    "record_evaluation",
    "reset_parameter",
]


class EarlyStopException(Exception):  # noqa: N818 - the name that users know
    """What a callback raises to end a fit.

    Parameters
    ----------
    best_iteration : int
        The round to keep, counted from 0.
    best_score : list of EvalResult
        The metrics after it.

    Examples
    --------
    >>> from gramian.compat.lightgbm import EarlyStopException
    >>> EarlyStopException(3, []).best_iteration
    3
    """

    def __init__(self, best_iteration: int, best_score: list[Any]) -> None:
        super().__init__(best_iteration)
        self.best_iteration = best_iteration
        self.best_score = [EvalResult(*score) for score in best_score]


@dataclass
class CallbackEnv:
    """What a callback is given.

    Attributes
    ----------
    model : Booster or CVBooster
        What grows.
    params : dict
        The parameters.
    iteration, begin_iteration, end_iteration : int
        The round, the first one, and that after the last.
    evaluation_result_list : list of EvalResult or None
        The metrics after the round; None before it.
    """

    model: Any
    params: dict[str, Any]
    iteration: int
    begin_iteration: int
    end_iteration: int
    evaluation_result_list: list[EvalResult] | None


def _text(results: list[EvalResult], show_stdv: bool) -> str:
    texts = []
    for result in results:
        text = f"{result.dataset_name}'s {result.metric_name}: {result.metric_value:g}"
        if show_stdv and result.metric_std_dev is not None:
            text += f" + {result.metric_std_dev:g}"
        texts.append(text)
    return "\t".join(texts)


@dataclass(eq=False)
class _LogEvaluation:
    period: int
    show_stdv: bool

    order = 10
    before_iteration = False

    def __call__(self, env: CallbackEnv) -> None:
        results, number = env.evaluation_result_list, env.iteration + 1
        if results and self.period > 0 and number % self.period == 0:
            print(f"[{number}]\t{_text(results, self.show_stdv)}")


def log_evaluation(period: int = 1, show_stdv: bool = True) -> Callable[[CallbackEnv], None]:
    """Return a callback that prints the metrics.

    Parameters
    ----------
    period : int, default=1
        After how many rounds; 0 or less: never.
    show_stdv : bool, default=True
        Whether `cv` prints the standard deviations, too.

    Returns
    -------
    callable

    Examples
    --------
    >>> from gramian.compat.lightgbm import Dataset, log_evaluation, train
    >>> data = Dataset([[float(i)] for i in range(40)], label=[0.0] * 20 + [1.0] * 20)
    >>> params = {"min_data_in_leaf": 5, "learning_rate": 0.5}
    >>> booster = train(params, data, 2, valid_sets=[data], callbacks=[log_evaluation()])
    [1]	training's l2: 0.0625
    [2]	training's l2: 0.015625
    """
    check_arguments("log_evaluation", period=(period, Integer()))
    return _LogEvaluation(period, show_stdv)


@dataclass(eq=False)
class _RecordEvaluation:
    eval_result: dict[str, dict[str, list[float]]]

    order = 20
    before_iteration = False

    def __call__(self, env: CallbackEnv) -> None:
        if env.iteration == env.begin_iteration:
            self.eval_result.clear()
        for result in env.evaluation_result_list or ():
            metrics = self.eval_result.setdefault(result.dataset_name, {})
            if result.metric_std_dev is None:
                metrics.setdefault(result.metric_name, []).append(result.metric_value)
                continue
            metrics.setdefault(f"{result.metric_name}-mean", []).append(result.metric_value)
            metrics.setdefault(f"{result.metric_name}-stdv", []).append(result.metric_std_dev)


def record_evaluation(
    eval_result: dict[str, dict[str, list[float]]],
) -> Callable[[CallbackEnv], None]:
    """Return a callback that writes the metrics of all rounds into a dict.

    Parameters
    ----------
    eval_result : dict
        What becomes set -> metric -> values; anything in it is removed.

    Returns
    -------
    callable

    Examples
    --------
    >>> from gramian.compat.lightgbm import Dataset, record_evaluation, train
    >>> data = Dataset([[float(i)] for i in range(40)], label=[0.0] * 20 + [1.0] * 20)
    >>> history = {}
    >>> params = {"min_data_in_leaf": 5, "learning_rate": 0.5}
    >>> booster = train(params, data, 2, valid_sets=[data], callbacks=[record_evaluation(history)])
    >>> history
    {'training': {'l2': [0.0625, 0.015625]}}
    """
    if not isinstance(eval_result, dict):
        raise TypeError(f"eval_result must be a dict. Got {type(eval_result).__name__}.")
    return _RecordEvaluation(eval_result)


@dataclass(eq=False)
class _ResetParameter:
    values: dict[str, Any]

    order = 10
    before_iteration = True

    def __call__(self, env: CallbackEnv) -> None:
        number = env.iteration - env.begin_iteration
        changed = {}
        for name, given in self.values.items():
            if isinstance(given, list):
                n_rounds = env.end_iteration - env.begin_iteration
                if len(given) != n_rounds:
                    raise ValueError(
                        f"The list for {name!r} must have one entry for each of the {n_rounds} "
                        f"rounds. Got {len(given)}."
                    )
                value = given[number]
            elif callable(given):
                value = given(number)
            else:
                raise ValueError(
                    f"reset_parameter takes lists and callables. Got {given!r} for {name!r}."
                )
            if value != env.params.get(name):
                changed[name] = value
        if changed:
            for booster in getattr(env.model, "boosters", [env.model]):
                booster.reset_parameter(changed)
            env.params.update(changed)


def reset_parameter(**kwargs: Any) -> Callable[[CallbackEnv], None]:
    """Return a callback that changes parameters before each round.

    Parameters
    ----------
    **kwargs : list or callable
        For each parameter its values for all rounds, or a function of the round's number.

    Returns
    -------
    callable

    Examples
    --------
    >>> from gramian.compat.lightgbm import Dataset, reset_parameter, train
    >>> data = Dataset([[float(i)] for i in range(40)], label=[0.0] * 20 + [1.0] * 20)
    >>> slower = reset_parameter(learning_rate=lambda number: 0.5 * 0.9**number)
    >>> booster = train({"min_data_in_leaf": 5}, data, 3, callbacks=[slower])
    >>> [round(tree["shrinkage"], 3) for tree in booster.dump_model()["tree_info"]]
    [1.0, 0.45, 0.405]
    """
    return _ResetParameter(kwargs)


class _EarlyStopping:
    order = 30
    before_iteration = False

    def __init__(
        self, patience: int, first_metric_only: bool, verbose: bool, min_delta: Any
    ) -> None:
        self.patience, self.first_metric_only = patience, first_metric_only
        self.verbose, self.min_delta = verbose, min_delta
        self.enabled = patience > 0

    def _begin(self, env: CallbackEnv) -> None:
        self.enabled = self.patience > 0
        results = env.evaluation_result_list
        if not results:
            raise ValueError(
                "For early stopping, at least one evaluation set and one metric are needed."
            )
        names = {result.metric_name for result in results}
        is_training = [self._is_training(result, env) for result in results]
        if any(booster.is_dart for booster in getattr(env.model, "boosters", [env.model])):
            self._tell("Early stopping is not available in dart mode.")
            self.enabled = False
        elif len(results) == 1 and is_training[0]:
            self._tell("The only evaluation set is that of the training rows; no early stopping.")
            self.enabled = False
        else:
            self._tell(f"Training until evaluation sets show no gain for {self.patience} rounds")
        self._deltas = self._spread(len(names), len(results) // len(names))
        self._first = results[0].metric_name
        self._best: list[tuple[float, int, list[EvalResult]] | None] = [None] * len(results)

    def _spread(self, n_metrics: int, n_sets: int) -> list[float]:
        """Return the least gain that counts, for each metric of each set."""
        given = self.min_delta if isinstance(self.min_delta, list) else [self.min_delta]
        if any(delta < 0.0 for delta in given):
            raise ValueError(f"min_delta must not be negative. Got {self.min_delta!r}.")
        if len(given) <= 1:
            given = (given or [0.0]) * n_metrics
        if len(given) != n_metrics:
            raise ValueError(
                f"min_delta must be one number, or one for each of the {n_metrics} metrics. "
                f"Got {self.min_delta!r}."
            )
        return given * n_sets

    @staticmethod
    def _is_training(result: EvalResult, env: CallbackEnv) -> bool:
        if hasattr(env.model, "boosters"):
            return result.dataset_name == "train"
        return bool(result.dataset_name == env.model.train_data_name)

    def _tell(self, text: str) -> None:
        if self.verbose:
            print(text)

    def __call__(self, env: CallbackEnv) -> None:
        if env.iteration == env.begin_iteration:
            self._begin(env)
        results = env.evaluation_result_list
        if not self.enabled or not results:
            return
        for at, result in enumerate(results):
            best, value, delta = self._best[at], result.metric_value, self._deltas[at]
            if best is not None:
                gain = value - best[0] if result.maximize else best[0] - value
            if best is None or gain > delta:
                self._best[at] = best = value, env.iteration, results
            if self.first_metric_only and result.metric_name != self._first:
                continue
            if self._is_training(result, env):
                continue
            number = best[1]
            if env.iteration - number >= self.patience:
                self._end("Early stopping, best iteration is", number, best[2], result)
            if env.iteration == env.end_iteration - 1:
                self._end("Did not meet early stopping. Best iteration is", number, best[2], result)

    def _end(self, what: str, number: int, scores: list[EvalResult], result: EvalResult) -> None:
        self._tell(f"{what}:\n[{number + 1}]\t{_text(scores, True)}")
        if self.first_metric_only:
            self._tell(f"Evaluated only: {result.metric_name}")
        raise EarlyStopException(number, list(scores))


def early_stopping(
    stopping_rounds: int,
    first_metric_only: bool = False,
    verbose: bool = True,
    min_delta: float | list[float] = 0.0,
) -> Callable[[CallbackEnv], None]:
    """Return a callback that ends the fit when a metric of an evaluation set gains no more.

    All metrics of all sets but that of the training rows are watched; the first one that has not
    gained for so many rounds decides.

    Parameters
    ----------
    stopping_rounds : int
        Number of rounds without a gain.
    first_metric_only : bool, default=False
        Whether to watch the first metric only.
    verbose : bool, default=True
        Whether to print what happens.
    min_delta : float or list of float, default=0.0
        The least gain that counts, of all metrics or of each.

    Returns
    -------
    callable

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.compat.lightgbm import Dataset, early_stopping, train
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.random((300, 3)), rng.random(300)
    >>> data, other = Dataset(X[:200], y[:200]), Dataset(X[200:], y[200:])
    >>> stop = early_stopping(5, verbose=False)
    >>> booster = train({}, data, 50, valid_sets=[other], callbacks=[stop])
    >>> 0 < booster.best_iteration < booster.current_iteration() < 50
    True
    """
    check_arguments("early_stopping", stopping_rounds=(stopping_rounds, Integer()))
    return _EarlyStopping(stopping_rounds, first_metric_only, verbose, min_delta)
