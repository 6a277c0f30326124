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
from gramian._network.schedule import Schedule, fading
from gramian.persistence import persistable

__all__ = ["Descent", "OptimizerState", "StochasticModel"]

_LEAST_RATE = 1e-6  # below it an adaptive rate is divided no further


class StochasticModel(Protocol):
    """The records of an estimator that a descent reads and writes."""

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
    settings: Any  # the parameters of the model
    score: Callable[[], float] | None = None  # of the validation rows
    stops_by_score: bool = False
    keep_best: Callable[[], None] | None = None
    callback: Callable[[], bool] | None = None  # after each epoch; whether to stop
    rates: list[float] = field(default_factory=list)  # factors for weights, biases, shares
    end: str = field(default="max_iter", init=False)
    _options_made: tuple[tuple[float, ...], _core.NetworkEpochOptions] | None = field(
        default=None, init=False
    )

    def __post_init__(self) -> None:
        """Read the plan of the rates."""
        self._schedule = Schedule(self.settings.schedule, self.settings.warm_up)

    def run(self, max_iter: int) -> None:
        """Run at most so many epochs; `end` then says why they ended."""
        model, n = self.model, self.data.n_rows
        rows = self.data.native()
        order = np.arange(n)
        model.n_iter_ = 0
        begin = time.perf_counter()
        for epoch in range(max_iter):
            if self.settings.shuffle:
                self.rng.shuffle(order)
            taken = order if self.settings.shuffle else None
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
        return self.settings.schedule is not None

    def _options(self, begin: float, end: float) -> _core.NetworkEpochOptions:
        """Return the settings of an epoch, from one share of the fit to another."""
        is_sgd = self.settings.solver == "sgd"
        rate = self.state.learning_rate if is_sgd else float(self.settings.learning_rate_init)
        fades = fading(0.5 * (begin + end)) if self.settings.fade else 1.0
        plan = rate * self._schedule.at(begin), rate * self._schedule.at(end), fades
        if self._options_made is None or self._options_made[0] != plan:
            self._options_made = plan, self._options_at(*plan)
        return self._options_made[1]

    def _options_at(self, rate: float, last_rate: float, fades: float) -> _core.NetworkEpochOptions:
        is_sgd = self.settings.solver == "sgd"
        return _core.NetworkEpochOptions(
            solver=self.settings.solver,
            rate=rate,
            last_rate=last_rate,
            first=float(self.settings.momentum if is_sgd else self.settings.beta_1),
            second=float(self.settings.beta_2),
            epsilon=float(self.settings.epsilon),
            nesterov=bool(self.settings.nesterovs_momentum),
            alpha=float(self.settings.alpha),
            weight_decay=fades * self.settings.weight_decay
            if self.settings.solver == "adamw"
            else 0.0,
            max_norm=float(self.settings.max_grad_norm or 0.0),
            dropout=fades * self.settings.dropout,
            dropout_seed=self.state.dropout_seed,
            batch_rows=self.batch_rows,
            rates=self.rates,
        )

    def _tell(self, max_iter: int, seconds: float) -> None:
        """Print the line of an epoch; from ``verbose=2`` on with the time it may still take."""
        model = self.model
        if not self.settings.verbose:
            return
        line = f"Iteration {model.n_iter_}, loss = {model.loss_:.8f}"
        if self.settings.verbose > 1:
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
        if self.settings.solver == "sgd" and self.settings.learning_rate == "invscaling":
            rate = float(self.settings.learning_rate_init)
            self.state.learning_rate = rate / (model.t_ + 1) ** self.settings.power_t

    def _compare_loss(self, loss: float) -> None:
        model = self.model
        best = math.inf if model.best_loss_ is None else model.best_loss_
        model._no_improvement_count = (
            model._no_improvement_count + 1 if loss > best - self.settings.tol else 0
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
            has_gain = not score < best + self.settings.tol
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
        if model._no_improvement_count <= self.settings.n_iter_no_change:
            return False
        what = "Validation score" if self.stops_by_score else "Training loss"
        settings = self.settings
        message = (
            f"{what} did not improve more than tol={settings.tol:f} for "
            f"{settings.n_iter_no_change} consecutive epochs."
        )
        is_adaptive = self.settings.solver == "sgd" and self.settings.learning_rate == "adaptive"
        if is_adaptive and self.state.learning_rate > _LEAST_RATE:
            self.state.learning_rate /= 5.0
            model._no_improvement_count = 0
            message += f" Setting learning rate to {self.state.learning_rate:f}"
        elif is_adaptive:
            message += " Learning rate too small. Stopping."
        else:
            message += " Stopping."
        if self.settings.verbose:
            print(message)
        return message.endswith("Stopping.")
