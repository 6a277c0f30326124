"""The fit of one multilayer perceptron to rows that are prepared."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._linear.advice import scale_advice
from gramian._network.certificate import Ending, certify
from gramian._network.embedding import LevelEmbedding
from gramian._network.rows import TrainingData
from gramian._network.shape import Shape, draw_parameters, native_network, require_memory
from gramian._network.stochastic import Descent, OptimizerState
from gramian._network.tables import (
    N_FREQUENCIES,
    draw_from_rows,
    layer_rates,
    rows_of_step,
    waves_of,
)
from gramian._network.waves import Waves
from gramian.exceptions import ConvergenceWarning, shared
from gramian.neural_network._parameters import MLPParameters

__all__ = ["Callbacks", "NetFit", "NetJob", "Notes"]

_LEAST_ROWS = 10  # of which a preset sets some apart

Callbacks = Iterable[Callable[[Any], Any]]
Notes = list[tuple[str, type[Warning]]]  # what a fit has to warn of


@dataclass(frozen=True)
class NetJob:
    """What a net is to be fitted to.

    Attributes
    ----------
    data, judged : TrainingData
        Rows to learn from, and rows to judge the epochs by, if any are given.
    sizes : tuple of int
        Of the layers, from the inputs to the outputs.
    dtype : dtype
        Of new weights.
    is_first, is_partial : bool
        Whether weights are drawn, and whether one epoch is run.
    ctx : Context
        Of all native calls.
    """

    data: TrainingData
    judged: TrainingData | None
    sizes: tuple[int, ...]
    dtype: Any
    is_first: bool
    is_partial: bool
    ctx: _core.Context


class NetFit(MLPParameters):
    """The fit of one net: first weights, steps, certificate."""

    # -- what a subclass says of its target -------------------------------------------------------

    def _output_activation(self) -> str:
        raise NotImplementedError

    def _loss_parameter(self) -> float:
        return 0.0

    def _dtype(self) -> Any:
        """Return the type of the weights."""
        raise NotImplementedError

    def _score_outputs(self, data: TrainingData, outputs: NDArray[Any]) -> float:
        """Return the score of a network's outputs for rows set apart."""
        raise NotImplementedError

    def _stratify(self, data: TrainingData) -> NDArray[Any] | None:
        """Return the classes whose shares a split has to keep, if any."""
        return None

    def _fit_net(self, job: NetJob, callbacks: Callbacks = ()) -> Notes:
        """Fit the weights; return what there is to warn of."""
        rng = random_state_of(self.random_state)
        if job.is_first:
            self._initialise(job, rng)
        self._begin_records(is_first=job.is_first, is_judged=job.judged is not None)
        if job.sizes != self._sizes():
            raise ValueError(
                f"The network has layers of {self._sizes()} neurons, from the inputs to the "
                f"outputs, and cannot go on with {job.sizes}. Leave hidden_layer_sizes as it was, "
                "or set warm_start=False to begin anew."
            )
        if self._settings().solver == "lbfgs":
            return self._fit_quasi_newton(job.data, job.ctx)
        return self._fit_stochastic(job, callbacks, rng)

    # -- its numbers ------------------------------------------------------------------------------

    def _initialise(self, job: NetJob, rng: np.random.RandomState) -> None:
        sizes, dtype = job.sizes, job.dtype
        self.out_activation_ = self._output_activation()
        shape = self._shape(sizes)
        require_memory(shape, dtype)
        layer = self._embedding()
        vars(self).pop("shares_", None)
        if layer is not None and layer.bound:
            found = draw_from_rows(shape, layer, job.data, rng, dtype, job.ctx)
            self.coefs_, self.intercepts_, shares = found
            if shape.is_parametric:
                self.shares_ = shares
            return
        if shape.is_parametric:
            self.shares_ = [np.ones(n, dtype) for n in shape.with_shares()]
        if layer is None:
            self.coefs_, self.intercepts_ = draw_parameters(shape, dtype, rng)
            return
        rest = replace(shape, sizes=sizes[1:])
        self.coefs_, self.intercepts_ = draw_parameters(rest, dtype, rng)
        self.coefs_.insert(0, layer.draw(rng, dtype))
        self.intercepts_.insert(0, np.zeros(layer.n_neurons, dtype))

    def _embedding(self) -> LevelEmbedding | None:
        """Return how the columns of a data frame are embedded, if they are."""
        found: LevelEmbedding | None = vars(self).get("embedding_")
        return found

    def _begin_records(self, *, is_first: bool, is_judged: bool) -> None:
        """Set what a fit records; of weights that the user has set, what is not there yet."""
        records: dict[str, Any] = {
            "n_iter_": 0,
            "t_": 0,
            "n_layers_": len(self.coefs_) + 1,
            "out_activation_": self._output_activation(),
        }
        settings = self._settings()
        if settings.solver != "lbfgs":
            early = settings.early_stopping
            records |= {
                "loss_curve_": [],
                "_no_improvement_count": 0,
                "validation_scores_": [] if early or is_judged else None,
                "best_validation_score_": -math.inf if early or is_judged else None,
                "best_loss_": None if early else math.inf,
            }
        for name, value in records.items():
            if is_first or getattr(self, name, None) is None:
                setattr(self, name, value)

    def _sizes(self) -> tuple[int, ...]:
        """Return the sizes of the layers, from the inputs to the outputs."""
        return (len(self.coefs_[0]), *(coef.shape[1] for coef in self.coefs_))

    def _shape(self, sizes: tuple[int, ...] | None = None) -> Shape:
        sizes = self._sizes() if sizes is None else sizes
        output = getattr(self, "out_activation_", None) or self._output_activation()
        layer = self._embedding()
        blocks = ([], []) if layer is None else (layer.begins.tolist(), layer.ends.tolist())
        waves = Waves(N_FREQUENCIES, waves_of(layer)) if layer and layer.bound else Waves()
        settings = self._settings()
        return Shape(
            sizes,
            settings.activation,
            output,
            self.loss,
            self._loss_parameter(),
            blocks,
            waves,
            settings.parametric,
        )

    def _network(self, dtype: Any = None, *, lends: bool = False) -> _core.Network:
        """Return the native network with the present weights, in their type or another.

        With ``lends`` it is for predictions alone.
        """
        dtype = self._dtype() if dtype is None else dtype
        return native_network(
            self._shape(), self.coefs_, self.intercepts_, dtype, self._shares(), lends=lends
        )

    def _shares(self) -> list[NDArray[Any]]:
        """Return the shares of the activations, if they are parametric."""
        found: list[NDArray[Any]] = vars(self).get("shares_", [])
        return found

    def _take_parameters(self, network: _core.Network) -> None:
        """Set weights and biases to new arrays with those of a network."""
        dtype = self._dtype()
        self.coefs_ = [np.empty(each.shape, dtype=dtype) for each in self.coefs_]
        self.intercepts_ = [np.empty(each.shape, dtype=dtype) for each in self.intercepts_]
        shares = [np.empty(each.shape, dtype=dtype) for each in self._shares()]
        network.get_parameters(self.coefs_, self.intercepts_, shares)
        if shares:
            self.shares_ = shares
        layer = self._embedding()
        if layer is not None:
            layer.fill(self.coefs_[0])

    # -- by quasi-Newton steps --------------------------------------------------------------------

    def _fit_quasi_newton(self, data: TrainingData, ctx: _core.Context) -> Notes:
        network = self._network()
        settings = self._settings()
        options = _core.NetworkMinimiseOptions(
            alpha=float(settings.alpha),
            tol=float(settings.tol),
            max_iter=int(settings.max_iter),
            max_fun=int(settings.max_fun),
        )
        end, n_iter, _, loss, _, losses = network.minimise(data.native(), options, ctx)
        self.n_iter_, self.loss_ = n_iter, loss
        if self.verbose:
            for k, each in enumerate(losses, start=1):
                print(f"Iteration {k}, loss = {each:.8f}")
        self._take_parameters(network)
        ending = Ending(end, n_iter, losses.tolist(), self.tol, "lbfgs")
        return self._finish(network, data, ending, ctx)

    # -- by stochastic steps ----------------------------------------------------------------------

    def _fit_stochastic(
        self, job: NetJob, callbacks: Callbacks, rng: np.random.RandomState
    ) -> Notes:
        network, ctx = self._network(), job.ctx
        self._restore_optimizer(network, rng, is_partial=job.is_partial)
        train, judged = job.data, job.judged
        settings = self._settings()
        if settings.early_stopping and judged is None and not self._is_too_small(train):
            train, judged = self._split(train, rng)
        batch_rows, notes = self._batch_rows(train.n_rows)
        descent = Descent(self, network, train, batch_rows, self._optimizer, rng, ctx, settings)
        layer = self._embedding()
        if layer is not None and layer.bound:
            descent.rates = layer_rates(self._shape())
        restores = settings.early_stopping or settings.restore_best
        if judged is not None:
            rows = judged
            descent.score = lambda: self._score_network(network, rows, ctx)
            descent.stops_by_score = settings.early_stopping
        if restores:
            descent.keep_best = lambda: self._take_parameters(network)
        if callbacks:
            descent.callback = lambda: self._call(callbacks, network, restores=restores)
        descent.run(1 if job.is_partial else settings.max_iter)
        if not restores:
            self._take_parameters(network)
        self._optimizer.take(network, self._dtype())
        ending = Ending(
            descent.end,
            self.n_iter_,
            self.loss_curve_[-self.n_iter_ :],
            settings.tol,
            settings.solver,
        )
        if job.is_partial:
            vars(self).pop("certificate_", None)
            self._require_finite(job.data, ending)
            return notes
        return notes + self._finish(self._network() if restores else network, train, ending, ctx)

    def _restore_optimizer(
        self, network: _core.Network, rng: np.random.RandomState, *, is_partial: bool
    ) -> None:
        if not (is_partial and hasattr(self, "_optimizer")):
            settings = self._settings()
            self._optimizer = OptimizerState(float(settings.learning_rate_init))
            if settings.dropout > 0:
                self._optimizer.dropout_seed = int(rng.randint(2**31))
        self._optimizer.restore(network)

    def _call(self, callbacks: Callbacks, network: _core.Network, *, restores: bool) -> bool:
        """Call each callback with the weights of the epoch; return whether one wants to stop."""
        best = self.coefs_, self.intercepts_, self._shares()
        self._take_parameters(network)
        says_stop = [bool(callback(self)) for callback in callbacks]
        if restores:
            self.coefs_, self.intercepts_, shares = best
            if shares:
                self.shares_ = shares
        return any(says_stop)

    def _batch_rows(self, n_rows: int) -> tuple[int, Notes]:
        if isinstance(self.batch_size, str):
            wanted = 200 if self.preset is None else rows_of_step(n_rows)
            return min(wanted, n_rows), []
        notes: Notes = []
        if self.batch_size > n_rows:
            text = (
                f"Got `batch_size` less than 1 or larger than sample size: {self.batch_size} for "
                f"{n_rows} rows. It is going to be clipped"
            )
            notes = [(text, UserWarning)]
        return min(int(self.batch_size), n_rows), notes

    def _is_too_small(self, data: TrainingData) -> bool:
        """Tell whether a preset leaves all rows to the steps: it takes any table."""
        return self.preset is not None and data.n_rows < _LEAST_ROWS

    def _split(
        self, data: TrainingData, rng: np.random.RandomState
    ) -> tuple[TrainingData, TrainingData]:
        """Set rows apart to judge the epochs by."""
        from gramian.model_selection import train_test_split

        rows, judged = train_test_split(
            np.arange(data.n_rows),
            test_size=self._settings().validation_fraction,
            random_state=rng,
            stratify=self._shared_classes(data),
        )
        if len(judged) < 2:
            raise ValueError(
                "The validation set is too small. Increase 'validation_fraction' or the size of "
                "your dataset."
            )
        return data.take(rows), data.take(judged)

    def _shared_classes(self, data: TrainingData) -> NDArray[Any] | None:
        """Return the classes whose shares a split keeps; a preset's where that can be done."""
        classes = self._stratify(data)
        if self.preset is None or classes is None:
            return classes
        counts = np.unique(classes, return_counts=True)[1]
        return classes if counts.min() >= 2 else None

    def _score_network(
        self, network: _core.Network, data: TrainingData, ctx: _core.Context
    ) -> float:
        outputs = np.empty((data.n_rows, self.n_outputs_), dtype=data.X.dtype)
        network.predict(data.X, out=outputs, ctx=ctx)
        return self._score_outputs(data, outputs)

    def _finish(
        self, network: _core.Network, data: TrainingData, ending: Ending, ctx: _core.Context
    ) -> Notes:
        """Refuse weights that are not finite; certify the others, and note if they are not done."""
        self._require_finite(data, ending)
        settings = self._settings()
        self.certificate_ = certify(network, data, settings.alpha, ending, ctx)
        if ending.has_converged or ending.reason in ("time_limit", "callback"):
            return []
        if ending.solver == "lbfgs":
            start = f"lbfgs failed to converge after {ending.n_iter} iteration(s)."
        else:
            start = (
                f"Stochastic Optimizer: Maximum iterations ({settings.max_iter}) reached and the "
                "optimization hasn't converged yet."
            )
        limit = "max_fun" if ending.reason == "max_fun" else "max_iter"
        text = (
            f"{start} {self.certificate_.statement}. Raise {limit}, or `tol`; scaled columns need "
            f"fewer steps. {self._advice(data)}"
        )
        return [(text.rstrip(), shared(ConvergenceWarning))]

    def _require_finite(self, data: TrainingData, ending: Ending) -> None:
        early = self._settings().early_stopping
        weights = [*self.coefs_, *self.intercepts_]
        is_finite = all(np.isfinite(each).all() for each in weights)
        if is_finite and not (ending.reason == "not_finite" and not early):
            return
        raise ValueError(
            "Solver produced non-finite parameter weights. The input data may contain large values "
            f"and need to be preprocessed. The loss was {self.loss_} in epoch {self.n_iter_}. "
            f"The largest entry of X is {self._largest(data.X)}. StandardScaler or a smaller "
            "learning_rate_init may help."
        )

    def _advice(self, data: TrainingData) -> str:
        names = None
        if getattr(self, "encoding_", None) is None:
            names = getattr(self, "feature_names_in_", None)
        return scale_advice(data.X, names)

    def _largest(self, X: Any) -> str:
        """Return the largest absolute entry, and the name of its column."""
        size = np.abs(X).max(axis=0)
        tops = np.asarray(size if isinstance(X, np.ndarray) else size.toarray()).ravel()
        j = int(tops.argmax())
        names: Any = getattr(self, "feature_names_in_", None)
        if names is None or getattr(self, "encoding_", None) is not None:
            return f"{tops[j]:.3g}, in column {j}"
        return f"{tops[j]:.3g}, in column {str(names[j])!r}"
