"""What the multilayer perceptrons share: rows and targets, one net or several, the outputs."""

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._finite import FLOATS, all_finite
from gramian._levels.matrix import matrix_of
from gramian._network.embedding import LevelEmbedding, plain_numbers
from gramian._network.rows import TrainingData, contiguous_rows
from gramian._network.tables import OPTIONS, waves_of
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.config import core_context
from gramian.neural_network._net_fit import Callbacks, NetFit, NetJob, Notes
from gramian.neural_network._several import fit_nets, mean_outputs
from gramian.table import Table, as_table, table_from_array
from gramian.validation import (
    FitData,
    check_array,
    check_consistent_length,
    check_fit,
    check_predict,
    check_sample_weight,
    check_y,
    is_sparse,
    raise_non_finite,
)

_OF_ONE_NET = (
    *("coefs_", "intercepts_", "loss_curve_", "best_loss_", "validation_scores_"),
    *("best_validation_score_", "_optimizer", "_no_improvement_count", "shares_"),
)


class MLPBase(NetFit):
    """Base of the multilayer perceptrons."""

    _own_tags = tagged(scales_tables=True, sparse=True, multi_output=True)
    _y_numeric: ClassVar[bool] = False

    nets_: list[Any]
    embedding_: LevelEmbedding

    def _encode_target(self, y: NDArray[Any], *, is_partial: bool) -> NDArray[Any]:
        """Set what the target tells (`n_outputs_`, ...); return numbers (n, outputs), or codes."""
        raise NotImplementedError

    def _scale_target(self, y: NDArray[Any], weight: Floats | None) -> None:
        """Look at the targets of a first fit."""

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
        self._require_calls(validation_set, callbacks)
        hidden = self._hidden_sizes()
        is_first = not self._has_weights() or not (self.warm_start or is_partial)
        data = self._check_rows(X, y, sample_weight, is_first=is_first)
        assert data.y is not None
        if is_first:
            self._scale_target(data.y, data.sample_weight)
        target = self._encode_target(data.y, is_partial=is_partial)
        dtype = self._dtype() if not is_first else self._first_dtype(data.X.dtype)
        job = NetJob(
            self._training_data(data, target, dtype),
            None if validation_set is None else self._validation_data(validation_set, dtype),
            (*self._input_sizes(data), *hidden, self.n_outputs_),
            dtype,
            is_first=is_first,
            is_partial=is_partial,
            ctx=core_context(),
        )
        for text, category in self._fit_one_or_more(job, callbacks):
            warnings.warn(text, category, stacklevel=4)
        return self

    def _fit_one_or_more(self, job: NetJob, callbacks: Callbacks) -> Notes:
        if self._n_nets() == 1:
            vars(self).pop("nets_", None)
            return self._fit_net(job, callbacks)
        for name in _OF_ONE_NET:
            vars(self).pop(name, None)
        return fit_nets(self, job)

    def _has_weights(self) -> bool:
        """Tell whether there is a fit of as many nets, to go on with."""
        return hasattr(self, "coefs_" if self._n_nets() == 1 else "nets_")

    def _require_calls(self, validation_set: Any, callbacks: Callbacks) -> None:
        if self._settings().solver == "lbfgs" and (validation_set is not None or callbacks):
            raise ValueError(
                "validation_set and callbacks are for epochs, which solver='lbfgs' has not."
            )
        if self._n_nets() > 1 and callbacks:
            raise ValueError(
                f"callbacks are for a single net, which several (n_nets={self._n_nets()}) side by "
                "side have not."
            )

    def _hidden_sizes(self) -> tuple[int, ...]:
        sizes = self._settings().hidden_layer_sizes
        listed = list(sizes) if hasattr(sizes, "__iter__") else [sizes]
        if not all(isinstance(each, (int, np.integer)) for each in listed):
            raise ValueError(f"hidden_layer_sizes must be whole numbers, got {listed}.")
        if any(each <= 0 for each in listed):
            raise ValueError(f"hidden_layer_sizes must be > 0, got {listed}.")
        return tuple(int(each) for each in listed)

    def _check_rows(self, X: Any, y: Any, sample_weight: Any, *, is_first: bool) -> FitData:
        if is_first or not hasattr(self, "n_features_in_"):
            data = check_fit(
                self, X, y, sample_weight, multi_output=True, y_numeric=self._y_numeric
            )
            return self._embed(data)
        rows = self._rows_of(X)
        target = check_y(y, multi_output=True, y_numeric=self._y_numeric, estimator=self)
        check_consistent_length(rows, target)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
        return FitData(rows, target, weight)

    def _input_sizes(self, data: FitData) -> tuple[int, ...]:
        layer = self._embedding()
        if layer is None:
            return (data.X.shape[1],)
        waves = (layer.n_neurons + len(waves_of(layer)),) if layer.bound else ()
        return (layer.n_inputs, layer.n_neurons, *waves)

    def _embed(self, data: FitData) -> FitData:
        """Return rows for the first layer, and remember how a data frame became them."""
        vars(self).pop("embedding_", None)
        is_for_tables = self._settings().encoding == "table"
        X = data.X
        if is_for_tables and not isinstance(X, Table):
            if is_sparse(X):
                raise TypeError(
                    "Sparse data was passed for X, which encoding='table' (preset='table') has no "
                    "use for. Pass X.toarray(), or leave both at their defaults."
                )
            X = table_from_array(X)
        if not isinstance(X, Table):
            return data
        if not is_for_tables and (numbers := plain_numbers(X)) is not None:
            return replace(data, X=numbers)
        options = OPTIONS if is_for_tables else None
        with np.errstate(all="ignore"):  # infinite numbers are told of below
            self.embedding_ = LevelEmbedding.of(X, data.sample_weight, options)
        return replace(data, X=self._embedded(self.embedding_, X))

    def _embedded(self, layer: LevelEmbedding, table: Table) -> Any:
        matrix = layer.matrix(table)
        if not all_finite(matrix) and np.isinf(matrix).any():
            raise_non_finite(matrix, "X", self, allow_nan=True)
        return layer.rows(table, matrix)

    def _rows_of(self, X: Any) -> Any:
        """Check new rows, and return them for the first layer."""
        layer = self._embedding()
        if layer is not None and as_table(X) is None:
            if is_sparse(X):
                raise TypeError(
                    f"Sparse data was passed for X, but {type(self).__name__} was fitted on a data "
                    "frame. Pass a data frame with the same columns."
                )
            rows = check_array(X, dtype=None, ensure_all_finite=False)
            table = table_from_array(rows)
            check_predict(self, np.broadcast_to(0.0, table.shape))
            return self._embedded(layer, table)
        rows = check_predict(self, X)
        if not isinstance(rows, Table):
            return rows
        if layer is not None:
            return self._embedded(layer, rows)
        matrix = matrix_of(rows, None)  # the fit was on an array
        if not all_finite(matrix):
            raise_non_finite(matrix, "X", self)
        return matrix

    def _tags(self) -> Any:
        tags = super()._tags()
        encoding = self._settings().encoding
        tags.native_table = encoding != "columns"
        tags.allow_nan = encoding == "table"
        tags.sparse = tags.sparse and encoding != "table"
        return tags

    @property
    def embeddings_(self) -> dict[str, dict[str | None, NDArray[Any]]]:
        """For each column of levels the numbers that stand for a level; None are the gaps.

        Rare and unseen levels are not in it.
        """
        layer = self._embedding()
        if layer is None or not hasattr(self, "coefs_"):
            raise AttributeError(
                "embeddings_ is of a net that was fitted to a data frame by encoding='embedding'; "
                "of several nets, each of the nets_ has its own."
            )
        return layer.tables(np.asarray(self.coefs_[0]))

    def _training_data(self, data: FitData, target: NDArray[Any], dtype: Any) -> TrainingData:
        weight = self._row_weights(target, data.sample_weight)
        training = TrainingData.of(data.X, target, weight, dtype).without_weightless()
        if training.n_rows == 0:
            raise ValueError("sample_weight is zero for all rows: there is nothing to fit.")
        return training

    def _row_weights(self, target: NDArray[Any], weight: Floats | None) -> Floats | None:
        """Return the weights of the rows, with those of their classes."""
        return weight

    def _judged_data(
        self, X: Any, y: Any, sample_weight: Any = None, *, dtype: Any = np.float64
    ) -> TrainingData:
        """Return any rows and targets in one precision, for what looks at a net."""
        rows = self._rows_of(X)
        y = check_y(y, multi_output=True, y_numeric=self._y_numeric, estimator=self)
        check_consistent_length(rows, y)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
        target = self._encode_target(y, is_partial=True)
        return TrainingData.of(rows, target, weight, dtype)

    def _validation_data(self, given: Any, dtype: Any) -> TrainingData:
        """Return the rows of ``validation_set``."""
        if not isinstance(given, tuple) or len(given) not in (2, 3):
            raise ValueError(
                "validation_set must be a tuple (X, y) or (X, y, sample_weight). Got "
                f"{type(given).__name__}."
            )
        n_outputs = self.n_outputs_
        data = self._judged_data(given[0], given[1], *given[2:], dtype=dtype)
        if self.n_outputs_ != n_outputs:
            raise ValueError(
                f"The targets of validation_set have {self.n_outputs_} columns, but `y` has "
                f"{n_outputs}."
            )
        return data

    def _first_dtype(self, dtype: Any) -> Any:
        """Return the type of first weights; a net for tables is fitted in single precision."""
        layer = self._embedding()
        return dtype if layer is None or not layer.bound else np.dtype(np.float32)

    def _dtype(self) -> Any:
        """Return the type of the weights; what a user has set may be whole numbers."""
        if self._n_nets() > 1:
            return self.nets_[0]._dtype()
        dtype = np.asarray(self.coefs_[0]).dtype
        return dtype if dtype in FLOATS else np.dtype(np.float64)

    # -- new rows -------------------------------------------------------------------------------

    def _outputs(self, X: Any) -> NDArray[Any]:
        """Return what the last layer gives for each row, the mean over nets if there are more."""
        rows = self._rows_of(X)
        return mean_outputs(self.nets_, rows)[0] if self._n_nets() > 1 else self._outputs_of(rows)

    def _outputs_and_std(self, X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return mean and standard deviation of what the nets give for each row."""
        if self._n_nets() == 1:
            raise ValueError("return_std=True needs several nets: set n_nets, for example to 10.")
        return mean_outputs(self.nets_, self._rows_of(X))

    def _outputs_of(self, rows: Any) -> NDArray[Any]:
        """Return what the last layer gives for rows that are checked."""
        dtype = np.result_type(rows.dtype, self._dtype())
        outputs = np.empty((rows.shape[0], self.coefs_[-1].shape[1]), dtype=dtype)
        network = self._network(dtype, lends=True)
        network.predict(contiguous_rows(rows, dtype), out=outputs, ctx=core_context())
        return outputs
