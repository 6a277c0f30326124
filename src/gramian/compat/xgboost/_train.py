"""Growing trees round by round: XGBoost's train and cv."""

import os
from collections.abc import Callable, Sequence
from typing import Any

from gramian._boosting.run import is_out_of_time
from gramian.compat.xgboost._booster import Booster
from gramian.compat.xgboost._data import DMatrix
from gramian.compat.xgboost._session import CustomObjective, Settings
from gramian.compat.xgboost.callback import EarlyStopping, EvaluationMonitor, TrainingCallback
from gramian.config import core_context
from gramian.params import Integer, check_arguments

__all__ = ["Growth", "all_callbacks", "train"]

CustomMetric = Callable[[Any, DMatrix], Any]
Verbose = bool | int | None


class Growth:
    """A booster, or several, that grow with callbacks and metrics.

    Parameters
    ----------
    callbacks : sequence of TrainingCallback
        What is called before and after rounds.
    """

    def __init__(self, callbacks: Sequence[TrainingCallback]) -> None:
        for callback in callbacks:
            if not isinstance(callback, TrainingCallback):
                raise TypeError(
                    "callback must be an instance of `TrainingCallback`. "
                    f"Got {type(callback).__name__}."
                )
        self.callbacks = list(callbacks)
        self.history: dict[str, dict[str, list[Any]]] = {}

    def run(
        self,
        model: Any,
        n_rounds: int,
        grow: Callable[[int], None],
        judge: Callable[[], list[tuple[str, str, Any]]],
    ) -> Any:
        """Grow rounds until all are there, or a callback ends it; return the model."""
        ctx = core_context()  # the time limit is that of the whole fit
        for callback in self.callbacks:
            model = callback.before_training(model)
        for number in range(n_rounds):
            answers = [c.before_iteration(model, number, self.history) for c in self.callbacks]
            if any(answers):
                break
            grow(number)
            for data, metric, value in judge():
                self.history.setdefault(data, {}).setdefault(metric, []).append(value)
            answers = [c.after_iteration(model, number, self.history) for c in self.callbacks]
            if any(answers):
                break
            if is_out_of_time(ctx, number + 1, n_rounds, stacklevel=3):
                break
        for callback in self.callbacks:
            model = callback.after_training(model)
        return model


def all_callbacks(
    given: Sequence[TrainingCallback] | None,
    early_stopping_rounds: int | None,
    maximize: bool | None,
    verbose: Verbose,
    show_stdv: bool = False,
) -> list[TrainingCallback]:
    """Return the callbacks of a user, and those that other arguments ask for."""
    callbacks = [] if given is None else list(given)
    if verbose:
        period = 1 if verbose is True else int(verbose)
        callbacks.append(EvaluationMonitor(period=period, show_stdv=show_stdv))
    if early_stopping_rounds is not None:
        callbacks.append(EarlyStopping(rounds=early_stopping_rounds, maximize=maximize))
    return callbacks


def train(
    params: Any,
    dtrain: DMatrix,
    num_boost_round: int = 10,
    *,
    evals: Sequence[tuple[DMatrix, str]] | None = None,
    obj: CustomObjective | None = None,
    maximize: bool | None = None,
    early_stopping_rounds: int | None = None,
    evals_result: dict[str, dict[str, list[float]]] | None = None,
    verbose_eval: Verbose = True,
    xgb_model: str | os.PathLike[str] | Booster | bytearray | None = None,
    callbacks: Sequence[TrainingCallback] | None = None,
    custom_metric: CustomMetric | None = None,
) -> Booster:
    """Grow boosted trees.

    Parameters
    ----------
    params : dict
        Parameters by XGBoost's names; see the guide for what becomes of each.
    dtrain : DMatrix
        The rows with their labels.
    num_boost_round : int, default=10
        Number of rounds.
    evals : sequence of (DMatrix, str), optional
        Rows that are judged after each round, and their names.
    obj : callable, optional
        An objective: a function of scores and rows that returns gradient and hessian.
    maximize : bool, optional
        Whether early stopping wants large values; by default known from the metric's name.
    early_stopping_rounds : int, optional
        End after so many rounds that did not better the last metric of the last rows. All rounds
        are kept; ``iteration_range=(0, booster.best_iteration + 1)`` predicts by the best ones.
    evals_result : dict, optional
        Is filled with rows -> metric -> values after each round.
    verbose_eval : bool or int, default=True
        Whether, or after how many rounds, to print the metrics.
    xgb_model : path, bytes or Booster, optional
        Trees to go on from.
    callbacks : sequence of TrainingCallback, optional
        What is called before and after each round.
    custom_metric : callable, optional
        A metric: a function of predictions and rows that returns a name and a number. It is given
        scores if `obj` is given, too.

    Returns
    -------
    Booster

    Examples
    --------
    >>> import gramian.compat.xgboost as xgb
    >>> from gramian.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> rows = xgb.DMatrix(X[:300], label=y[:300])
    >>> other = xgb.DMatrix(X[300:], label=y[300:])
    >>> params = {"objective": "reg:squarederror", "max_depth": 3, "eta": 0.1}
    >>> booster = xgb.train(params, rows, 50, evals=[(other, "test")], verbose_eval=False)
    >>> bool(booster.predict(other).std() > 30.0)
    True
    """
    check_arguments("train", num_boost_round=(num_boost_round, Integer(0)))
    booster = Booster(params, model_file=xgb_model)
    settings = booster._settings = Settings.read(booster._params, "train", stacklevel=3)
    booster._params = dict(settings.translation.given)  # without what is ignored
    sets, metrics = list(evals or ()), settings.metrics()
    session = booster._begin(_checked(dtrain), obj, settings)
    for data, _ in sets:
        booster._check_columns(_checked(data))
        session.follow(data)
    growth = Growth(all_callbacks(callbacks, early_stopping_rounds, maximize, verbose_eval))
    first = booster.num_boosted_rounds()
    booster = growth.run(
        booster,
        int(num_boost_round),
        lambda number: booster.update(dtrain, first + number, obj),
        lambda: booster._evaluated(sets, metrics, custom_metric, obj is not None),
    )
    if evals_result is not None:
        evals_result.update(growth.history)
    result: Booster = booster.reset()
    return result


def _checked(data: Any) -> DMatrix:
    if not isinstance(data, DMatrix):
        raise TypeError(f"invalid training data: pass a DMatrix. Got {type(data).__name__}.")
    return data
