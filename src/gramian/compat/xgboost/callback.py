"""What is called while trees grow, under the names of ``xgboost.callback``."""

from collections.abc import Callable, Sequence
from typing import Any

from gramian.compat.xgboost._metrics import is_maximised
from gramian.params import Integer, Real, check_arguments

__all__ = [
    "EarlyStopping",
    "EvaluationMonitor",
    "LearningRateScheduler",
    "TrainingCallback",
]

EvalsLog = dict[str, dict[str, list[Any]]]


class TrainingCallback:
    """Base of callbacks: four methods that `train` calls.

    Examples
    --------
    >>> import gramian.compat.xgboost as xgb
    >>> class Stop(xgb.callback.TrainingCallback):
    ...     def after_iteration(self, model, epoch, evals_log):
    ...         return epoch == 2
    >>> rows = xgb.DMatrix([[0.0], [1.0]], label=[0.0, 1.0])
    >>> xgb.train({}, rows, 10, callbacks=[Stop()]).num_boosted_rounds()
    3
    """

    def before_training(self, model: Any) -> Any:
        """Return the model to begin with."""
        return model

    def after_training(self, model: Any) -> Any:
        """Return the model that is the result."""
        return model

    def before_iteration(self, model: Any, epoch: int, evals_log: EvalsLog) -> bool:
        """Return whether to end before a round."""
        return False

    def after_iteration(self, model: Any, epoch: int, evals_log: EvalsLog) -> bool:
        """Return whether to end after a round."""
        return False


class EarlyStopping(TrainingCallback):
    """Ends after so many rounds that did not better a metric.

    Parameters
    ----------
    rounds : int
        How many.
    metric_name : str, optional
        The metric; by default the last.
    data_name : str, optional
        The evaluation set; by default the last.
    maximize : bool, optional
        Whether large values are good; by default known from the name.
    save_best : bool, default=False
        Whether to keep the rounds up to the best one only.
    min_delta : float, default=0.0
        By how much a value must be better to count.

    Examples
    --------
    >>> import gramian.compat.xgboost as xgb
    >>> rows = xgb.DMatrix([[0.0], [1.0]], label=[0.0, 1.0])
    >>> other = xgb.DMatrix([[0.0], [1.0]], label=[1.0, 0.0])
    >>> stop = xgb.callback.EarlyStopping(rounds=3, save_best=True)
    >>> booster = xgb.train(
    ...     {}, rows, 100, evals=[(other, "other")], callbacks=[stop], verbose_eval=False
    ... )
    >>> booster.num_boosted_rounds()
    1
    """

    def __init__(
        self,
        *,
        rounds: int,
        metric_name: str | None = None,
        data_name: str | None = None,
        maximize: bool | None = None,
        save_best: bool | None = False,
        min_delta: float = 0.0,
    ) -> None:
        check_arguments(
            "EarlyStopping",
            rounds=(rounds, Integer(1)),
            min_delta=(min_delta, Real(0.0)),
        )
        self.rounds, self.metric_name, self.data_name = rounds, metric_name, data_name
        self.maximize, self.save_best, self.min_delta = maximize, save_best, min_delta
        self._best: float | None = None
        self._best_round = 0
        self._first = 0

    def before_training(self, model: Any) -> Any:
        """Begin anew."""
        self._first = model.num_boosted_rounds() if hasattr(model, "num_boosted_rounds") else 0
        self._best = None
        return model

    def after_iteration(self, model: Any, epoch: int, evals_log: EvalsLog) -> bool:
        """Compare the newest value with the best one."""
        if not evals_log:
            raise ValueError("Must have at least 1 validation dataset for early stopping.")
        data_name = self.data_name or list(evals_log)[-1]
        if data_name not in evals_log:
            raise ValueError(f"No dataset named: {data_name}; there are {list(evals_log)}.")
        found = evals_log[data_name]
        metric = self.metric_name or list(found)[-1]
        if metric not in found:
            raise ValueError(f"No metric named: {metric}; there are {list(found)}.")
        newest = found[metric][-1]
        value = float(newest[0] if isinstance(newest, tuple) else newest)
        wants_more = is_maximised(metric) if self.maximize is None else self.maximize
        number = epoch + self._first
        ahead = None if self._best is None else (value - self._best) * (1 if wants_more else -1)
        if ahead is None or ahead > self.min_delta:
            self._best, self._best_round = value, number
            if hasattr(model, "set_attr"):
                model.set_attr(best_score=str(value), best_iteration=str(number))
        return number - self._best_round >= self.rounds

    def after_training(self, model: Any) -> Any:
        """Keep the rounds up to the best one with `save_best`."""
        if not self.save_best:
            return model
        if not hasattr(model, "attr"):
            raise ValueError("save_best is not applicable to the current booster")
        kept, best = model[: model.best_iteration + 1], model.attributes()
        kept.set_attr(best_score=best["best_score"], best_iteration=best["best_iteration"])
        return kept


class EvaluationMonitor(TrainingCallback):
    """Prints the metrics of the evaluation sets.

    Parameters
    ----------
    rank : int, default=0
        Without effect: all runs in one process.
    period : int, default=1
        After how many rounds to print.
    show_stdv : bool, default=False
        Whether to print standard deviations in `cv`.
    logger : callable, default=print
        What is called with each line.

    Examples
    --------
    >>> import gramian.compat.xgboost as xgb
    >>> rows = xgb.DMatrix([[0.0], [1.0]], label=[0.0, 1.0])
    >>> monitor = xgb.callback.EvaluationMonitor()
    >>> booster = xgb.train(
    ...     {}, rows, 2, evals=[(rows, "train")], callbacks=[monitor], verbose_eval=False
    ... )
    [0]	train-rmse:0.42500
    [1]	train-rmse:0.36125
    """

    def __init__(
        self,
        rank: int = 0,
        period: int = 1,
        show_stdv: bool = False,
        logger: Callable[[str], Any] = print,
    ) -> None:
        check_arguments("EvaluationMonitor", period=(period, Integer(1)))
        self.rank, self.period, self.show_stdv = rank, period, show_stdv
        self._logger = logger
        self._latest: str | None = None

    def after_iteration(self, model: Any, epoch: int, evals_log: EvalsLog) -> bool:
        """Print, or remember what to print at the end."""
        if not evals_log:
            return False
        entries = [
            f"\t{data}-{metric}:{self._shown(values[-1])}"
            for data, found in evals_log.items()
            for metric, values in found.items()
        ]
        line = f"[{epoch}]{''.join(entries)}"
        if epoch % self.period:
            self._latest = line
        else:
            self._logger(line)
            self._latest = None
        return False

    def after_training(self, model: Any) -> Any:
        """Print the last round if it was not."""
        if self._latest is not None:
            self._logger(self._latest)
        return model

    def _shown(self, value: Any) -> str:
        if not isinstance(value, tuple):
            return f"{value:.5f}"
        return f"{value[0]:.5f}+{value[1]:.5f}" if self.show_stdv else f"{value[0]:.5f}"


class LearningRateScheduler(TrainingCallback):
    """Sets the learning rate of each round.

    Parameters
    ----------
    learning_rates : callable or sequence of float
        The rates, or what makes one of the number of a round.

    Examples
    --------
    >>> import gramian.compat.xgboost as xgb
    >>> rows = xgb.DMatrix([[0.0], [1.0]], label=[0.0, 1.0])
    >>> slower = xgb.callback.LearningRateScheduler(lambda epoch: 0.5 * 0.9**epoch)
    >>> xgb.train({}, rows, 4, callbacks=[slower]).num_boosted_rounds()
    4
    """

    def __init__(self, learning_rates: Callable[[int], float] | Sequence[float]) -> None:
        self._rates = learning_rates

    def before_iteration(self, model: Any, epoch: int, evals_log: EvalsLog) -> bool:
        """Set the rate of a round."""
        rate = self._rates(epoch) if callable(self._rates) else self._rates[epoch]
        model.set_param("learning_rate", rate)
        return False
