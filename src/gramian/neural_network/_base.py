"""What the multilayer perceptrons share: parameters, the fit, and the outputs of new rows."""

import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._finite import FLOATS
from gramian._linear.advice import scale_advice
from gramian._network.certificate import Ending, certify
from gramian._network.rows import TrainingData, contiguous_rows
from gramian._network.shape import Shape, draw_parameters, native_network, require_memory
from gramian._network.stochastic import Descent, OptimizerState
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared
from gramian.neural_network._parameters import MLPParameters
from gramian.validation import (
    FitData,
    check_consistent_length,
    check_fit,
    check_predict,
    check_sample_weight,
    check_y,
)

Callbacks = Iterable[Callable[[Any], Any]]


class MLPBase(MLPParameters):
    """Base of the multilayer perceptrons."""

    _own_tags = tagged(scales_tables=True, sparse=True, multi_output=True)
    _y_numeric: ClassVar[bool] = False

    # -- what a subclass says of its target ------------------------------------------------------

    def _encode_target(self, y: NDArray[Any], *, is_partial: bool) -> NDArray[Any]:
        """Set what the target tells (`n_outputs_`, ...); return numbers (n, outputs), or codes."""
        raise NotImplementedError

    def _output_activation(self) -> str:
        raise NotImplementedError

    def _loss_parameter(self) -> float:
        return 0.0

    def _score_outputs(self, data: TrainingData, outputs: NDArray[Any]) -> float:
        """Return the score of a network's outputs for rows set apart."""
        raise NotImplementedError

    def _stratify(self, data: TrainingData) -> NDArray[Any] | None:
        """Return the classes whose shares a split has to keep, if any."""
        return None

    # -- the fit ----------------------------------------------------------------------------------

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        is_partial: bool = False,
        validation_set: Any = None,
        callbacks: Callbacks = (),
    ) -> Self:
        self._require_settings(is_partial=is_partial)
        hidden = self._hidden_sizes()
        is_first = not hasattr(self, "coefs_") or not (self.warm_start or is_partial)
        data = self._check_rows(X, y, sample_weight, is_first=is_first)
        assert data.y is not None
        target = self._encode_target(data.y, is_partial=is_partial)
        rng = random_state_of(self.random_state)
        sizes = (data.n_features, *hidden, self.n_outputs_)
        if is_first:
            self._initialise(sizes, data.X.dtype, rng)
        self._begin_records(is_first=is_first, is_judged=validation_set is not None)
        if sizes != self._sizes():
            raise ValueError(
                f"The network has layers of {self._sizes()} neurons, from the inputs to the "
                f"outputs, and cannot go on with {sizes}. Leave hidden_layer_sizes as it was, or "
                "set warm_start=False to begin anew."
            )
        training = self._training_data(data, target)
        judged = None if validation_set is None else self._validation_data(validation_set)
        if self.solver == "lbfgs":
            if validation_set is not None or callbacks:
                raise ValueError(
                    "validation_set and callbacks are for epochs, which solver='lbfgs' has not."
                )
            self._fit_quasi_newton(training)
        else:
            self._fit_stochastic(training, judged, callbacks or (), rng, is_partial=is_partial)
        return self

    def _hidden_sizes(self) -> tuple[int, ...]:
        sizes = self.hidden_layer_sizes
        listed = list(sizes) if hasattr(sizes, "__iter__") else [sizes]
        if not all(isinstance(each, (int, np.integer)) for each in listed):
            raise ValueError(f"hidden_layer_sizes must be whole numbers, got {listed}.")
        if any(each <= 0 for each in listed):
            raise ValueError(f"hidden_layer_sizes must be > 0, got {listed}.")
        return tuple(int(each) for each in listed)

    def _check_rows(self, X: Any, y: Any, sample_weight: Any, *, is_first: bool) -> FitData:
        if is_first or not hasattr(self, "n_features_in_"):
            return check_fit(
                self, X, y, sample_weight, multi_output=True, y_numeric=self._y_numeric
            )
        rows = check_predict(self, X)
        target = check_y(y, multi_output=True, y_numeric=self._y_numeric, estimator=self)
        check_consistent_length(rows, target)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
        return FitData(rows, target, weight)

    def _training_data(self, data: FitData, target: NDArray[Any]) -> TrainingData:
        weight = self._row_weights(target, data.sample_weight)
        training = TrainingData.of(data.X, target, weight, self._dtype()).without_weightless()
        if training.n_rows == 0:
            raise ValueError("sample_weight is zero for all rows: there is nothing to fit.")
        return training

    def _row_weights(self, target: NDArray[Any], weight: Floats | None) -> Floats | None:
        """Return the weights of the rows, with those of their classes."""
        return weight

    def _initialise(self, sizes: tuple[int, ...], dtype: Any, rng: np.random.RandomState) -> None:
        self.out_activation_ = self._output_activation()
        shape = self._shape(sizes)
        require_memory(shape, dtype)
        self.coefs_, self.intercepts_ = draw_parameters(shape, dtype, rng)

    def _begin_records(self, *, is_first: bool, is_judged: bool) -> None:
        """Set what a fit records; of weights that the user has set, what is not there yet."""
        records: dict[str, Any] = {
            "n_iter_": 0,
            "t_": 0,
            "n_layers_": len(self.coefs_) + 1,
            "out_activation_": self._output_activation(),
        }
        if self.solver != "lbfgs":
            early = self.early_stopping
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

    def _dtype(self) -> Any:
        """Return the type of the weights; what a user has set may be whole numbers."""
        dtype = np.asarray(self.coefs_[0]).dtype
        return dtype if dtype in FLOATS else np.dtype(np.float64)

    def _sizes(self) -> tuple[int, ...]:
        """Return the sizes of the layers, from the inputs to the outputs."""
        return (len(self.coefs_[0]), *(coef.shape[1] for coef in self.coefs_))

    def _shape(self, sizes: tuple[int, ...] | None = None) -> Shape:
        sizes = self._sizes() if sizes is None else sizes
        output = getattr(self, "out_activation_", None) or self._output_activation()
        return Shape(sizes, self.activation, output, self.loss, self._loss_parameter())

    def _network(self, dtype: Any = None) -> _core.Network:
        """Return the native network with the present weights, in their type or another."""
        dtype = self._dtype() if dtype is None else dtype
        return native_network(self._shape(), self.coefs_, self.intercepts_, dtype)

    def _take_parameters(self, network: _core.Network) -> None:
        """Set weights and biases to new arrays with those of a network."""
        dtype = self._dtype()
        self.coefs_ = [np.empty(each.shape, dtype=dtype) for each in self.coefs_]
        self.intercepts_ = [np.empty(each.shape, dtype=dtype) for each in self.intercepts_]
        network.get_parameters(self.coefs_, self.intercepts_)

    def _judged_data(
        self, X: Any, y: Any, sample_weight: Any = None, *, dtype: Any = np.float64
    ) -> TrainingData:
        """Return any rows and targets in one precision, for what looks at a net."""
        rows = check_predict(self, X)
        y = check_y(y, multi_output=True, y_numeric=self._y_numeric, estimator=self)
        check_consistent_length(rows, y)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
        target = self._encode_target(y, is_partial=True)
        return TrainingData.of(rows, target, weight, dtype)

    def _validation_data(self, given: Any) -> TrainingData:
        """Return the rows of ``validation_set``."""
        if not isinstance(given, tuple) or len(given) not in (2, 3):
            raise ValueError(
                "validation_set must be a tuple (X, y) or (X, y, sample_weight). Got "
                f"{type(given).__name__}."
            )
        n_outputs = self.n_outputs_
        data = self._judged_data(given[0], given[1], *given[2:], dtype=self._dtype())
        if self.n_outputs_ != n_outputs:
            raise ValueError(
                f"The targets of validation_set have {self.n_outputs_} columns, but `y` has "
                f"{n_outputs}."
            )
        return data

    # -- by quasi-Newton steps --------------------------------------------------------------------

    def _fit_quasi_newton(self, data: TrainingData) -> None:
        ctx = core_context()
        network = self._network()
        options = _core.NetworkMinimiseOptions(
            alpha=float(self.alpha),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            max_fun=int(self.max_fun),
        )
        end, n_iter, _, loss, _, losses = network.minimise(data.native(), options, ctx)
        self.n_iter_, self.loss_ = n_iter, loss
        if self.verbose:
            for k, each in enumerate(losses, start=1):
                print(f"Iteration {k}, loss = {each:.8f}")
        self._take_parameters(network)
        self._finish(network, data, Ending(end, n_iter, losses.tolist(), self.tol, "lbfgs"))

    # -- by stochastic steps ----------------------------------------------------------------------

    def _fit_stochastic(
        self,
        data: TrainingData,
        judged: TrainingData | None,
        callbacks: Callbacks,
        rng: np.random.RandomState,
        *,
        is_partial: bool,
    ) -> None:
        ctx = core_context()
        network = self._network()
        self._restore_optimizer(network, rng, is_partial=is_partial)
        train = data
        if self.early_stopping and judged is None:
            train, judged = self._split(data, rng)
        descent = Descent(
            self, network, train, self._batch_rows(train.n_rows), self._optimizer, rng, ctx
        )
        restores = self.early_stopping or self.restore_best
        if judged is not None:
            rows = judged
            descent.score = lambda: self._score_network(network, rows, ctx)
            descent.stops_by_score = self.early_stopping
        if restores:
            descent.keep_best = lambda: self._take_parameters(network)
        if callbacks:
            descent.callback = lambda: self._call(callbacks, network, restores=restores)
        descent.run(1 if is_partial else self.max_iter)
        if not restores:
            self._take_parameters(network)
        self._optimizer.take(network, self._dtype())
        ending = Ending(
            descent.end, self.n_iter_, self.loss_curve_[-self.n_iter_ :], self.tol, self.solver
        )
        if is_partial:
            vars(self).pop("certificate_", None)
            self._require_finite(data, ending)
        else:
            self._finish(self._network() if restores else network, train, ending)

    def _restore_optimizer(
        self, network: _core.Network, rng: np.random.RandomState, *, is_partial: bool
    ) -> None:
        if not (is_partial and hasattr(self, "_optimizer")):
            self._optimizer = OptimizerState(float(self.learning_rate_init))
            if self.dropout > 0:
                self._optimizer.dropout_seed = int(rng.randint(2**31))
        self._optimizer.restore(network)

    def _call(self, callbacks: Callbacks, network: _core.Network, *, restores: bool) -> bool:
        """Call each callback with the weights of the epoch; return whether one wants to stop."""
        best = self.coefs_, self.intercepts_
        self._take_parameters(network)
        says_stop = [bool(callback(self)) for callback in callbacks]
        if restores:
            self.coefs_, self.intercepts_ = best
        return any(says_stop)

    def _batch_rows(self, n_rows: int) -> int:
        if isinstance(self.batch_size, str):
            return min(200, n_rows)
        if self.batch_size > n_rows:
            warnings.warn(
                f"Got `batch_size` less than 1 or larger than sample size: {self.batch_size} for "
                f"{n_rows} rows. It is going to be clipped",
                stacklevel=6,
            )
        return min(int(self.batch_size), n_rows)

    def _split(
        self, data: TrainingData, rng: np.random.RandomState
    ) -> tuple[TrainingData, TrainingData]:
        """Set rows apart to judge the epochs by."""
        from gramian.model_selection import train_test_split

        rows, judged = train_test_split(
            np.arange(data.n_rows),
            test_size=self.validation_fraction,
            random_state=rng,
            stratify=self._stratify(data),
        )
        if len(judged) < 2:
            raise ValueError(
                "The validation set is too small. Increase 'validation_fraction' or the size of "
                "your dataset."
            )
        return data.take(rows), data.take(judged)

    def _score_network(
        self, network: _core.Network, data: TrainingData, ctx: _core.Context
    ) -> float:
        outputs = np.empty((data.n_rows, self.n_outputs_), dtype=data.X.dtype)
        network.predict(data.X, out=outputs, ctx=ctx)
        return self._score_outputs(data, outputs)

    def _finish(self, network: _core.Network, data: TrainingData, ending: Ending) -> None:
        """Refuse weights that are not finite; certify the others, and warn if they are not done."""
        self._require_finite(data, ending)
        self.certificate_ = certify(network, data, self.alpha, ending, core_context())
        if ending.has_converged or ending.reason in ("time_limit", "callback"):
            return
        if ending.solver == "lbfgs":
            start = f"lbfgs failed to converge after {ending.n_iter} iteration(s)."
        else:
            start = (
                f"Stochastic Optimizer: Maximum iterations ({self.max_iter}) reached and the "
                "optimization hasn't converged yet."
            )
        limit = "max_fun" if ending.reason == "max_fun" else "max_iter"
        warnings.warn(
            f"{start} {self.certificate_.statement}. Raise {limit}, or `tol`; scaled columns need "
            f"fewer steps. {self._advice(data)}".rstrip(),
            shared(ConvergenceWarning),
            stacklevel=6,
        )

    def _require_finite(self, data: TrainingData, ending: Ending) -> None:
        weights = [*self.coefs_, *self.intercepts_]
        is_finite = all(np.isfinite(each).all() for each in weights)
        if is_finite and not (ending.reason == "not_finite" and not self.early_stopping):
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

    # -- new rows -------------------------------------------------------------------------------

    def _outputs(self, X: Any) -> NDArray[Any]:
        """Return what the last layer gives for each row."""
        rows = check_predict(self, X)
        dtype = np.result_type(rows.dtype, self._dtype())
        outputs = np.empty((rows.shape[0], self.coefs_[-1].shape[1]), dtype=dtype)
        network = self._network(dtype)
        network.predict(contiguous_rows(rows, dtype), out=outputs, ctx=core_context())
        return outputs
