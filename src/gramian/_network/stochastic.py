"""The epochs of a stochastic fit: order of the rows, learning rate, and when to stop."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._network.rows import TrainingData
from gramian._network.schedule import Schedule
from gramian.persistence import persistable

__all__ = ["Descent", "OptimizerState", "StochasticModel"]

_LEAST_RATE = 1e-6  # below it an adaptive rate is divided no further


class StochasticModel(Protocol):
    """The settings and records of an estimator that a descent reads and writes."""

    solver: str
    alpha: float
    learning_rate: str
    learning_rate_init: float
    power_t: float
    max_iter: int
    shuffle: bool
    tol: float
    verbose: Any
    momentum: float
    nesterovs_momentum: bool
    beta_1: float
    beta_2: float
    epsilon: float
    n_iter_no_change: float
    weight_decay: float
    schedule: str | None
    warm_up: float | None
    max_grad_norm: float | None
    dropout: float
    n_iter_: int
    t_: int
    loss_: float
    loss_curve_: list[float]
    best_loss_: float | None
    validation_scores_: list[float] | None
    best_validation_score_: float | None
    _no_improvement_count: int


@persistable
@dataclass
class OptimizerState:
    """What an optimiser carries from one call of ``partial_fit`` to the next.

    Attributes
    ----------
    learning_rate : float
        The present rate; for Adam that of the last step, corrected for the start.
    n_steps : int
        Steps so far.
    first, second : ndarray of shape (1, n) or None
        Velocity, or mean of the gradient and of its square, in the native layout.
    dropout_seed : int
        Seed of the neurons that are left out.
    """

    learning_rate: float
    n_steps: int = 0
    dropout_seed: int = 0
    first: NDArray[Any] | None = None
    second: NDArray[Any] | None = None

    def restore(self, network: _core.Network) -> None:
        """Put the moments into a network."""
        if self.first is not None and self.second is not None:
            network.set_moments(self.first, self.second, self.n_steps)

    def take(self, network: _core.Network, dtype: Any) -> None:
        """Copy the moments from a network."""
        self.first, self.second = (np.empty((1, network.size), dtype=dtype) for _ in range(2))
        network.get_moments(self.first, self.second)
        self.n_steps = network.n_steps


@dataclass
class Descent:
    """A stochastic fit: epochs on a native network until one of the reasons to stop."""

    model: StochasticModel
    network: _core.Network
    data: TrainingData
    batch_rows: int
    state: OptimizerState
    rng: np.random.RandomState
    ctx: _core.Context
    score: Callable[[], float] | None = None  # of the validation rows
    stops_by_score: bool = False
    keep_best: Callable[[], None] | None = None
    callback: Callable[[], bool] | None = None  # after each epoch; whether to stop
    end: str = field(default="max_iter", init=False)
    _options_made: tuple[tuple[float, float], _core.NetworkEpochOptions] | None = field(
        default=None, init=False
    )

    def __post_init__(self) -> None:
        """Read the plan of the rates."""
        self._schedule = Schedule(self.model.schedule, self.model.warm_up)

    def run(self, max_iter: int) -> None:
        """Run at most so many epochs; `end` then says why they ended."""
        model, n = self.model, self.data.n_rows
        rows = self.data.native()
        order = np.arange(n)
        model.n_iter_ = 0
        begin = time.perf_counter()
        for epoch in range(max_iter):
            if model.shuffle:
                self.rng.shuffle(order)
            taken = order if model.shuffle else None
            options = self._options(epoch / max_iter, (epoch + 1) / max_iter)
            loss, n_done = self.network.epoch(rows, taken, options, self.ctx)
            if n_done < n:
                self.end = "time_limit"
                return
            self._record(loss)
            self._tell(max_iter, time.perf_counter() - begin)
            if self._has_reason_to_end(loss):
                return
        if self._has_plan:
            self.end = "schedule"

    def _has_reason_to_end(self, loss: float) -> bool:
        if not math.isfinite(loss):
            self.end = "not_finite"
        elif self._is_over():
            self.end = "tolerance"
        elif self.callback is not None and self.callback():
            self.end = "callback"
        else:
            return False
        return True

    @property
    def _has_plan(self) -> bool:
        return self.model.schedule is not None

    def _options(self, begin: float, end: float) -> _core.NetworkEpochOptions:
        """Return the settings of an epoch, from one share of the fit to another."""
        model = self.model
        is_sgd = model.solver == "sgd"
        rate = self.state.learning_rate if is_sgd else float(model.learning_rate_init)
        rates = rate * self._schedule.at(begin), rate * self._schedule.at(end)
        if self._options_made is None or self._options_made[0] != rates:
            self._options_made = rates, self._options_at(*rates)
        return self._options_made[1]

    def _options_at(self, rate: float, last_rate: float) -> _core.NetworkEpochOptions:
        model = self.model
        is_sgd = model.solver == "sgd"
        return _core.NetworkEpochOptions(
            solver=model.solver,
            rate=rate,
            last_rate=last_rate,
            first=float(model.momentum if is_sgd else model.beta_1),
            second=float(model.beta_2),
            epsilon=float(model.epsilon),
            nesterov=bool(model.nesterovs_momentum),
            alpha=float(model.alpha),
            weight_decay=float(model.weight_decay) if model.solver == "adamw" else 0.0,
            max_norm=float(model.max_grad_norm or 0.0),
            dropout=float(model.dropout),
            dropout_seed=self.state.dropout_seed,
            batch_rows=self.batch_rows,
        )

    def _tell(self, max_iter: int, seconds: float) -> None:
        """Print the line of an epoch; from ``verbose=2`` on with the time it may still take."""
        model = self.model
        if not model.verbose:
            return
        line = f"Iteration {model.n_iter_}, loss = {model.loss_:.8f}"
        if model.verbose > 1:
            left = seconds / model.n_iter_ * (max_iter - model.n_iter_)
            line += f", {seconds:.1f} s, at most {left:.1f} s to go"
        print(line)
        if self.score is not None and model.validation_scores_:
            print(f"Validation score: {model.validation_scores_[-1]:f}")

    def _record(self, loss: float) -> None:
        model = self.model
        model.n_iter_ += 1
        model.t_ += self.data.n_rows
        model.loss_ = loss
        model.loss_curve_.append(loss)
        if self.score is not None:
            self._compare_score(self.score() if math.isfinite(loss) else math.nan)
        if not self.stops_by_score:
            self._compare_loss(loss)
        if model.solver == "sgd" and model.learning_rate == "invscaling":
            rate = float(model.learning_rate_init)
            self.state.learning_rate = rate / (model.t_ + 1) ** model.power_t

    def _compare_loss(self, loss: float) -> None:
        model = self.model
        best = math.inf if model.best_loss_ is None else model.best_loss_
        model._no_improvement_count = (
            model._no_improvement_count + 1 if loss > best - model.tol else 0
        )
        if loss < best:
            model.best_loss_ = loss
            if self.keep_best is not None and self.score is None:
                self.keep_best()

    def _compare_score(self, score: float) -> None:
        model = self.model
        assert model.validation_scores_ is not None
        model.validation_scores_.append(score)
        best = -math.inf if model.best_validation_score_ is None else model.best_validation_score_
        if self.stops_by_score:
            has_gain = not score < best + model.tol
            model._no_improvement_count = 0 if has_gain else model._no_improvement_count + 1
        if score > best:
            model.best_validation_score_ = score
            if self.keep_best is not None:
                self.keep_best()

    def _is_over(self) -> bool:
        """Tell whether to stop; an adaptive rate is divided by 5 instead, while it is not tiny."""
        model = self.model
        if self._has_plan and not self.stops_by_score:
            return False
        if model._no_improvement_count <= model.n_iter_no_change:
            return False
        what = "Validation score" if self.stops_by_score else "Training loss"
        message = (
            f"{what} did not improve more than tol={model.tol:f} for {model.n_iter_no_change} "
            "consecutive epochs."
        )
        is_adaptive = model.solver == "sgd" and model.learning_rate == "adaptive"
        if is_adaptive and self.state.learning_rate > _LEAST_RATE:
            self.state.learning_rate /= 5.0
            model._no_improvement_count = 0
            message += f" Setting learning rate to {self.state.learning_rate:f}"
        elif is_adaptive:
            message += " Learning rate too small. Stopping."
        else:
            message += " Stopping."
        if model.verbose:
            print(message)
        return message.endswith("Stopping.")
