"""XGBoost's Booster on our engine."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.model import BoostedModel
from gramian._typing import Floats
from gramian.compat._metric_rows import MetricRows
from gramian.compat.xgboost import _prediction as prediction
from gramian.compat.xgboost._data import DMatrix
from gramian.compat.xgboost._metrics import Metric
from gramian.compat.xgboost._parameters import as_params
from gramian.compat.xgboost._session import CustomObjective, Session, Settings
from gramian.compat.xgboost._statistics import TreeStatistics
from gramian.exceptions import NotFittedError
from gramian.params import OneOf, check_arguments
from gramian.persistence import persistable

__all__ = ["Booster"]

Range = tuple[int, int]


@persistable
class Booster(TreeStatistics):
    """Boosted trees, under the names of XGBoost's class.

    Parameters
    ----------
    params : dict or list of pairs, optional
        Parameters by XGBoost's names; see the guide for what becomes of each.
    cache : sequence of DMatrix, optional
        Without effect.
    model_file : path, bytes or Booster, optional
        A model to begin with; see `load_model`.

    Attributes
    ----------
    feature_names, feature_types : list of str or None
        Names and types of the columns.
    best_iteration, best_score : int, float
        What early stopping found.

    Examples
    --------
    >>> import gramian.compat.xgboost as xgb
    >>> rows = xgb.DMatrix([[0.0], [1.0], [2.0], [3.0]], label=[0.0, 0.0, 4.0, 4.0])
    >>> booster = xgb.train({"max_depth": 1, "eta": 1.0, "lambda": 0.0}, rows, 1)
    >>> booster.predict(rows)
    array([0., 0., 4., 4.], dtype=float32)
    >>> print(booster.get_dump()[0], end="")
    0:[f0<...] yes=1,no=2,missing=...
        1:leaf=-2
        2:leaf=2
    """

    def __init__(
        self, params: Any = None, cache: Sequence[DMatrix] | None = None, model_file: Any = None
    ) -> None:
        self._params = as_params(params)
        self._model = self._bias = self._rules = None
        self._n_parallel, self._n_features = 1, 0
        self._attributes = {}
        self.feature_names = self.feature_types = None
        if isinstance(model_file, Booster):
            vars(self).update(model_file.__getstate__())
        elif model_file is not None:
            self.load_model(model_file)
        if model_file is not None:
            self._params = {**self._params, **as_params(params)}
            self._attributes = dict(self._attributes)

    # -- parameters -------------------------------------------------------------------------------

    def set_param(self, params: Any, value: Any = None) -> None:
        """Set parameters from the next round on.

        Parameters
        ----------
        params : dict, list of pairs or str
            The parameters, or the name of one.
        value : object, optional
            Its value.
        """
        self._params |= {params: value} if isinstance(params, str) else as_params(params)
        vars(self).pop("_settings", None)

    # -- growing ----------------------------------------------------------------------------------

    def update(self, dtrain: DMatrix, iteration: int, fobj: CustomObjective | None = None) -> None:
        """Grow the trees of one round.

        Parameters
        ----------
        dtrain : DMatrix
            The rows.
        iteration : int
            Number of the round.
        fobj : callable, optional
            An objective: a function of scores and rows that returns gradient and hessian.
        """
        _check_matrix(dtrain)
        settings = self._settings
        session = self._session
        if session is None or session.data is not dtrain or session.custom is not fobj:
            session = self._begin(dtrain, fobj, settings)
        session.use(settings)
        session.run.step(iteration)
        self._is_stale = True

    def boost(self, dtrain: DMatrix, iteration: int, *, grad: Any, hess: Any) -> None:
        """Grow the trees of one round for gradients and hessians of the user's.

        Parameters
        ----------
        dtrain : DMatrix
            The rows.
        iteration : int
            Number of the round.
        grad, hess : array-like of shape (n_rows,) or (n_rows, n_groups)
            Derivatives of the loss.
        """
        self.update(dtrain, iteration, lambda scores, rows: (np.asarray(grad), np.asarray(hess)))

    def _begin(self, train: DMatrix, custom: CustomObjective | None, settings: Settings) -> Session:
        """Return trees that begin to grow on some rows, after those that are there."""
        before = self._model_now()
        if self._rules is not None:
            self._check_columns(train)
        session = Session(settings, train, before, self._bias, custom)
        self._session = session
        self._bias, self._n_parallel = session.bias, session.n_parallel
        if self._rules is None:
            self._n_features = train.num_col()
            self.feature_names, self.feature_types = train.feature_names, train.feature_types
            self._rules = session.rules
        return session

    def reset(self) -> "Booster":
        """Forget the rows that the trees grew on, which frees their memory; return self."""
        self._model_now()
        self._forget()
        return self

    # -- judging ----------------------------------------------------------------------------------

    def eval(self, data: DMatrix, name: str = "eval", iteration: int = 0) -> str:
        """Return the metrics of rows in words; see `eval_set`."""
        return self.eval_set([(data, name)], iteration)

    def eval_set(
        self,
        evals: Sequence[tuple[DMatrix, str]],
        iteration: int = 0,
        feval: Any = None,
        output_margin: bool = True,
    ) -> str:
        """Return the metrics of sets of rows in words.

        Parameters
        ----------
        evals : sequence of (DMatrix, str)
            The rows and their names.
        iteration : int, default=0
            Number of the round, which is printed.
        feval : callable, optional
            A metric: a function of predictions and rows that returns a name and a number.
        output_margin : bool, default=True
            Whether it is given scores.
        """
        settings = self._settings
        found = self._evaluated(evals, settings.metrics(), feval, bool(output_margin))
        shown = "".join(f"\t{name}-{metric}:{value:.17f}" for name, metric, value in found)
        return f"[{iteration}]{shown}"

    def _evaluated(
        self,
        evals: Sequence[tuple[DMatrix, str]],
        metrics: Sequence[Metric],
        custom: Any,
        custom_takes_scores: bool,
    ) -> list[tuple[str, str, float]]:
        """Return set, metric and value."""
        spec, found = self._settings.spec, []
        for data, name in evals:
            _check_matrix(data)
            scores = self._scores(data)
            if metrics and data._label is None:
                raise ValueError(f"The rows {name!r} have no label; pass label= to DMatrix.")
            if metrics:
                assert data._label is not None
                predicted = _shaped(spec.for_metrics(scores))
                rows = MetricRows(data._label, predicted, data._weight, data._offsets)
                found += [(name, metric.name, metric.function(rows)) for metric in metrics]
            if custom is not None:
                given = scores if custom_takes_scores else spec.predicted(scores)
                result = custom(_shaped(given).astype(np.float32), data)
                results = result if isinstance(result, list) else [result]
                found += [(name, str(metric), float(value)) for metric, value in results]
        return found

    def _scores(self, data: DMatrix, rounds: Range = (0, 0)) -> Floats:
        """Return the scores of rows, of shape (n_rows, n_groups)."""
        if self._session is not None and rounds == (0, 0):
            return self._session.follow(data).scores.T
        model, bias = self._part(rounds), self._bias
        assert bias is not None and self._rules is not None
        rows = self._rows(data)
        if model is None:
            found = np.repeat(bias[None], data.num_row(), axis=0)
        else:
            found = self._rules.scores(model, rows, self._settings.n_jobs)
        if data._margin is not None:
            found += data._margin.reshape(data.num_row(), -1) - bias
        return found

    # -- predicting -------------------------------------------------------------------------------

    def _check_columns(self, data: DMatrix) -> None:
        names, given = self.feature_names, data.feature_names
        if names is not None and given is not None and names != given:
            missing = [name for name in names if name not in given]
            other = [name for name in given if name not in names]
            message = f"feature_names mismatch: {names} {given}"
            message += f"\nexpected {', '.join(missing)} in input data" if missing else ""
            message += f"\ntraining data did not have: {', '.join(other)}" if other else ""
            raise ValueError(message)
        if names is not None and given is None:
            raise ValueError(
                f"feature_names mismatch: the trees know {names}, and the data has no names; "
                "pass feature_names, or validate_features=False."
            )

    def _rows(self, data: DMatrix) -> Any:
        """Return rows as the trees read them."""
        if self._rules is None:
            raise NotFittedError("This Booster has no trees yet; use train, or load_model.")
        if data.num_col() != self._n_features:
            raise ValueError(
                f"Feature shape mismatch, expected: {self._n_features}, got {data.num_col()}"
            )
        return self._rules.of_matrix(data._matrix(self._rules.levels))

    def _part(self, rounds: Range) -> BoostedModel | None:
        """Return the trees of the rounds from the first up to, and without, the last; 0: all."""
        model = self._model_now()
        first, last = (int(number) for number in rounds)
        n_rounds = self.num_boosted_rounds()
        last = last or n_rounds
        if not 0 <= first <= last <= n_rounds:
            raise ValueError(f"iteration_range={rounds} is outside of the {n_rounds} rounds.")
        if model is None or first == last:
            return None
        if (first, last) == (0, n_rounds):
            return model
        return model.rounds(first * self._n_parallel, last * self._n_parallel)

    def predict(
        self,
        data: DMatrix,
        *,
        output_margin: bool = False,
        pred_leaf: bool = False,
        pred_contribs: bool = False,
        approx_contribs: bool = False,
        pred_interactions: bool = False,
        validate_features: bool = True,
        training: bool = False,
        iteration_range: Range = (0, 0),
        strict_shape: bool = False,
    ) -> NDArray[np.float32]:
        """Predict the label of each row.

        Parameters
        ----------
        data : DMatrix
            The rows.
        output_margin : bool, default=False
            Return scores: sums of leaves, before they become means or probabilities.
        pred_leaf : bool, default=False
            Return the number of the leaf of each tree.
        pred_contribs : bool, default=False
            Return Shapley values of the scores, and in the last column their base.
        approx_contribs : bool, default=False
            Not supported: the values are exact.
        pred_interactions : bool, default=False
            Return Shapley interaction values.
        validate_features : bool, default=True
            Whether names of columns must be those of the fit.
        training : bool, default=False
            Whether DART leaves out trees: not supported.
        iteration_range : (int, int), default=(0, 0)
            First round and the one after the last; 0 for the latter: all.
        strict_shape : bool, default=False
            Whether shapes are those of several outputs even if there is one.

        Returns
        -------
        ndarray of float32
            Of shape (n_rows,), or (n_rows, n_groups); for leaves (n_rows, n_trees), for Shapley
            values (n_rows, n_features + 1) or with n_groups in the middle.
        """
        _check_matrix(data)
        if approx_contribs or training:
            raise ValueError("approx_contribs and training are not supported by gramian.")
        rows = self._rows(data)
        if validate_features:
            self._check_columns(data)
        if not (pred_leaf or pred_contribs or pred_interactions):
            scores = self._scores(data, iteration_range)
            found = scores if output_margin else self._settings.spec.predicted(scores)
            return (found if strict_shape else _shaped(found)).astype(np.float32)
        return self._described(rows, iteration_range, pred_leaf, pred_interactions, strict_shape)

    def _described(
        self, rows: Any, rounds: Range, wants_leaves: bool, wants_pairs: bool, is_strict: bool
    ) -> NDArray[np.float32]:
        """Return leaves, Shapley values or interaction values."""
        model, rules = self._part(rounds), self._rules
        if model is None or rules is None:
            raise NotFittedError("This Booster has no trees.")
        n_jobs, n_groups = self._settings.n_jobs, len(model.baseline)
        if wants_leaves:
            found = prediction.leaves(model, rules, rows, n_jobs)
            order = self._written_order(model)
            shape = (len(found), -1, n_groups, self._n_parallel)
            return found[:, order].reshape(shape) if is_strict else found[:, order]
        make = prediction.interactions if wants_pairs else prediction.contributions
        values = make(model, rules, rows, n_jobs).astype(np.float32)
        return values if is_strict or n_groups > 1 else values[:, 0]

    def inplace_predict(
        self,
        data: Any,
        *,
        iteration_range: Range = (0, 0),
        predict_type: str = "value",
        missing: float = np.nan,
        validate_features: bool = True,
        base_margin: Any = None,
        strict_shape: bool = False,
    ) -> NDArray[np.float32]:
        """Predict rows that are not in a DMatrix.

        Parameters
        ----------
        data : array-like, sparse matrix or data frame
            The rows.
        predict_type : {"value", "margin"}, default="value"
            Whether to return predictions or scores.
        missing, base_margin
            As for `DMatrix`.
        iteration_range, validate_features, strict_shape
            As for `predict`.
        """
        check_arguments("inplace_predict", predict_type=(predict_type, OneOf("value", "margin")))
        rows = DMatrix(data, missing=missing, base_margin=base_margin)
        has_names = rows.feature_names is not None
        return self.predict(
            rows,
            output_margin=predict_type == "margin",
            validate_features=validate_features and has_names,
            iteration_range=iteration_range,
            strict_shape=strict_shape,
        )


def _check_matrix(data: Any) -> None:
    if not isinstance(data, DMatrix):
        raise TypeError(f"Expecting data to be a DMatrix object, got: {type(data).__name__}")


def _shaped(values: Floats) -> Floats:
    """Return a vector if there is one output."""
    return values[:, 0] if values.shape[1] == 1 else values
