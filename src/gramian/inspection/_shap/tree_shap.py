"""Shapley values of tree models: what each feature adds to each prediction, exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._column_blocks import as_frame
from gramian._drawing import Backend, frame_of
from gramian._typing import Floats
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.inspection._columns import columns_of
from gramian.params import Arrays, Boolean, Integer, Nothing, OneOf, check_arguments

if TYPE_CHECKING:
    from gramian._trees.ensemble import TreeEnsemble


TOLERANCE = 1e-10
"""Largest difference, relative to the largest prediction, with which values add up."""


@dataclass(frozen=True, eq=False)
class ShapValues:
    """Shapley values of predictions: what `tree_shap` returns.

    Each prediction is the base value plus the values of its features.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_outputs)
        What each feature adds. The last axis is there for probabilities and several targets.
    base_values : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        The mean prediction, the same for all rows.
    predictions : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        What the model predicts, by its own method.
    data : ndarray of shape (n_samples, n_features)
        The rows.
    feature_names : list of str
        Names of the columns.
    output_names : list
        Names of the outputs: the classes of a classifier, else numbers.
    interactions : ndarray or None
        Of shape (n_samples, n_features, n_features) or with n_outputs behind: the values cut into
        what features add together (half for each of the two) and alone (on the diagonal).
    codes : ndarray of shape (n_samples, n_features)
        The rows as numbers, with levels of text columns as codes.

    Examples
    --------
    >>> from gramian.inspection import tree_shap
    >>> from gramian.tree import DecisionTreeRegressor
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 0.0, 0.0, 4.0]
    >>> result = tree_shap(DecisionTreeRegressor(random_state=0).fit(X, y), X)
    >>> result.values[3].tolist(), float(result.base_values[3]), float(result.predictions[3])
    ([1.5, 1.5], 1.0, 4.0)
    >>> result.check().converged
    True
    """

    values: Floats
    base_values: Floats
    predictions: Floats
    data: NDArray[Any]
    feature_names: list[str]
    output_names: list[Any]
    interactions: Floats | None
    codes: NDArray[Any]

    @property
    def certificate(self) -> Certificate:
        """How exactly base values and values add up to the predictions."""
        error = self.base_values + self.values.sum(axis=1) - self.predictions
        largest = float(np.abs(error).max(initial=0.0))
        scale = float(np.abs(self.predictions).max(initial=0.0))
        relative = largest / scale if scale > 0.0 else largest
        verb = "add" if relative <= TOLERANCE else "do not add"
        statement = (
            f"Base values and Shapley values {verb} up to the predictions of {len(self.values)} "
            f"rows; the largest difference is {largest:.2g}."
        )
        return Certificate(largest, relative, relative <= TOLERANCE, statement)

    def check(self) -> Certificate:
        """Return the certificate; raise ArithmeticError if the values do not add up."""
        certificate = self.certificate
        if not certificate.converged:
            raise ArithmeticError(certificate.statement)
        return certificate

    def output(self, output: Any = None) -> ShapValues:
        """Return the values of one output.

        Parameters
        ----------
        output : class label or int, optional
            The output by its name. By default the only one, or the second of two classes.

        Returns
        -------
        ShapValues
            With arrays that have no axis of outputs.
        """
        if self.values.ndim == 2:
            if output is not None and output not in self.output_names:
                raise ValueError(f"output={output!r}: the model has one output only.")
            return self
        names = list(self.output_names)
        if output is None and len(names) > 2:
            raise ValueError(f"output must be one of {names}; the model has {len(names)} outputs.")
        if output is not None and output not in names:
            raise ValueError(f"output must be one of {names}. Got {output!r}.")
        at = len(names) - 1 if output is None else names.index(output)
        return ShapValues(
            self.values[..., at],
            self.base_values[..., at],
            self.predictions[..., at],
            self.data,
            self.feature_names,
            [names[at]],
            None if self.interactions is None else self.interactions[..., at],
            self.codes,
        )

    def frame(self, backend: Backend = "pandas") -> Any:
        """Return the features with the mean size of their values, the largest first.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the data frame.

        Returns
        -------
        data frame
            ``feature``, and ``mean_abs``, the mean of the absolute values over rows and outputs.
        """
        sizes = np.abs(self.values).mean(axis=0)
        sizes = sizes if sizes.ndim == 1 else sizes.mean(axis=1)
        order = np.argsort(-sizes, kind="stable")
        names = [self.feature_names[j] for j in order]
        return frame_of({"feature": names, "mean_abs": sizes[order]}, backend)


def tree_shap(
    model: Any,
    X: Any,
    *,
    feature_perturbation: str = "tree_path_dependent",
    background: Any = None,
    interactions: bool = False,
    n_jobs: int | None = None,
) -> ShapValues:
    """Explain predictions of a tree model by exact Shapley values.

    The value of a feature is what it adds to the prediction of a row when it becomes known,
    averaged over all orders in which the features can become known. The values of a row add up to
    its prediction less the mean prediction.

    Parameters
    ----------
    model : fitted tree, forest or boosted trees
        Classifiers of the forest kind are explained in probabilities, boosting in its raw score.
    X : array-like or data frame of shape (n_samples, n_features)
        The rows to explain.
    feature_perturbation : {"tree_path_dependent", "interventional"}, default="tree_path_dependent"
        What a prediction is when some features are not known. ``"tree_path_dependent"``: at a
        split on one of them the row goes both ways, in the proportions of the training rows.
        ``"interventional"``: they are taken from the rows of `background`, each in turn.
    background : array-like or data frame, optional
        Rows for ``"interventional"``; a hundred are usual. The time grows with their number.
    interactions : bool, default=False
        Also compute interaction values; for ``"tree_path_dependent"`` only. It takes as many times
        longer as a tree has features.
    n_jobs : int or None, default=None
        Number of threads; None follows the settings.

    Returns
    -------
    ShapValues
        With `values`, `base_values`, ``check()`` and ``frame()``; `gramian.plot` draws it.

    See Also
    --------
    gramian.plot.shap_summary, gramian.plot.shap_waterfall, gramian.plot.shap_dependence

    Notes
    -----
    Along the path to a leaf the value is an integral over a polynomial, which Gauss-Legendre
    quadrature gives exactly, in O(leaves * features on a path) for each row and tree.

    Boosted trees may read target statistics of categorical features instead of these. A statistic's
    value then counts for its feature, and that of a combination for its features in equal parts.

    References
    ----------
    Lundberg, S. M. et al. (2020). From local explanations to global understanding with explainable
    AI for trees. Nature Machine Intelligence 2, 56-67.

    Yu, P. et al. (2022). Linear TreeShap. Advances in Neural Information Processing Systems 35.

    Examples
    --------
    >>> from gramian.inspection import tree_shap
    >>> from gramian.tree import DecisionTreeRegressor
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 0.0, 0.0, 4.0]
    >>> result = tree_shap(DecisionTreeRegressor(random_state=0).fit(X, y), X)
    >>> result.values.round(2)
    array([[-0.5, -0.5],
           [-1.5,  0.5],
           [ 0.5, -1.5],
           [ 1.5,  1.5]])
    """
    check_arguments(
        "tree_shap",
        feature_perturbation=(
            feature_perturbation,
            OneOf("tree_path_dependent", "interventional"),
        ),
        background=(background, Arrays() | Nothing()),
        interactions=(interactions, Boolean()),
        n_jobs=(n_jobs, Integer(-math.inf) | Nothing()),
    )
    _check_combination(feature_perturbation, background, interactions)
    if not hasattr(model, "_tree_ensemble"):
        raise TypeError(f"tree_shap explains tree models. Got {type(model).__name__}.")
    rows = _dense(model._tree_rows(X))
    others = None if background is None else _dense(model._tree_rows(background))
    sums = _Sums(model._tree_ensemble(), n_jobs)
    values, base = sums.values(rows, others)
    pairs = sums.interactions(rows, values) if interactions else None
    fractions = sums.ensemble.shares
    if fractions is not None:
        rows = _dense(_feature_rows(model, X))[:, : fractions.shape[1]]
        values = np.einsum("njc,jp->npc", values, fractions)
        if pairs is not None:
            pairs = np.einsum("njkc,jp,kq->npqc", pairs, fractions, fractions, optimize=True)
    return _result(model, X, rows, sums.ensemble, values, base, pairs)


def _check_combination(feature_perturbation: str, background: Any, interactions: bool) -> None:
    is_interventional = feature_perturbation == "interventional"
    if is_interventional and background is None:
        raise ValueError(
            "feature_perturbation='interventional' needs background rows: pass background=, for "
            "instance a hundred training rows."
        )
    if not is_interventional and background is not None:
        raise ValueError("background is for feature_perturbation='interventional' only.")
    if is_interventional and interactions:
        raise ValueError("interactions=True needs feature_perturbation='tree_path_dependent'.")


def _feature_rows(model: Any, X: Any) -> Any:
    """Return the rows with the features in front."""
    return getattr(model, "_feature_rows", model._tree_rows)(X)


def _dense(rows: Any) -> NDArray[Any]:
    """Return rows as a dense matrix of float32 or float64."""
    matrix = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)
    return matrix if matrix.dtype == np.float32 else matrix.astype(np.float64, copy=False)


class _Sums:
    """The native calls for one ensemble, made for no more outputs than needed.

    Class shares add up to one, so that the values of the last class follow from the others'.
    """

    def __init__(self, ensemble: TreeEnsemble, n_jobs: int | None) -> None:
        self.ensemble = ensemble
        self.n_jobs = n_jobs
        outputs = ensemble.leaf_outputs()
        self.is_fractions = (
            len(ensemble.trees.n_classes) > 0
            and outputs.shape[1] > 1
            and bool(np.all(np.abs(outputs.sum(axis=1) - 1.0) < 1e-12))
        )
        self.outputs = np.ascontiguousarray(outputs[:, :-1] if self.is_fractions else outputs)
        self.n_outputs = ensemble.n_outputs - int(self.is_fractions)
        self.scale = np.ascontiguousarray(ensemble.scale, dtype=np.float64)

    def values(self, rows: NDArray[Any], others: NDArray[Any] | None) -> tuple[Floats, Floats]:
        """Return values (n, p, outputs) and base values (outputs,)."""
        shape = (*rows.shape, self.n_outputs)
        phi, expected = np.zeros(int(np.prod(shape))), np.zeros(self.n_outputs)
        trees, turns = self.ensemble.trees, self.ensemble.takes_turns
        model = trees, self.outputs, self.scale, self.n_outputs, turns
        context = core_context(self.n_jobs)
        if others is None:
            _core.path_shap(*model, rows, phi, expected, ctx=context)
        else:
            others = others.astype(rows.dtype, copy=False)
            _core.background_shap(*model, rows, others, phi, expected, ctx=context)
        total = float(np.sum(self.ensemble.scale))
        base = self._completed(expected, total) + self.ensemble.base
        return self._completed(phi.reshape(shape), 0.0), base

    def interactions(self, rows: NDArray[Any], values: Floats) -> Floats:
        """Return interaction values (n, p, p, outputs), which add up to the values."""
        n, p = rows.shape
        phi = np.zeros(n * p * p * self.n_outputs)
        trees, turns = self.ensemble.trees, self.ensemble.takes_turns
        model = trees, self.outputs, self.scale, self.n_outputs, turns
        _core.path_interactions(*model, rows, phi, ctx=core_context(self.n_jobs))
        pairs = self._completed(phi.reshape(n, p, p, self.n_outputs), 0.0)
        at = np.arange(p)
        pairs[:, at, at] = values - pairs.sum(axis=2)
        return pairs

    def _completed(self, array: Floats, total: float) -> Floats:
        """Return an array with the last class, for which the sum over the classes is known."""
        if not self.is_fractions:
            return array
        return np.concatenate([array, total - array.sum(axis=-1, keepdims=True)], axis=-1)


def _result(
    model: Any,
    X: Any,
    rows: NDArray[Any],
    ensemble: TreeEnsemble,
    values: Floats,
    base: Floats,
    pairs: Floats | None,
) -> ShapValues:
    predictions = np.asarray(getattr(model, ensemble.response)(X), dtype=np.float64)
    names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    outputs = list(range(ensemble.n_outputs))
    if hasattr(model, "classes_") and len(model.classes_) == len(outputs):
        outputs = np.asarray(model.classes_).tolist()
    if ensemble.n_outputs == 1 and ensemble.response != "predict_proba":
        values, base, predictions = values[..., 0], base[0], predictions.reshape(len(rows))
        pairs = None if pairs is None else pairs[..., 0]
    return ShapValues(
        values,
        np.broadcast_to(base, predictions.shape),
        predictions,
        _data(X, rows),
        names or [f"x{j}" for j in range(rows.shape[1])],
        outputs,
        pairs,
        rows,
    )


def _data(X: Any, rows: NDArray[Any]) -> NDArray[Any]:
    """Return the rows as the user gave them: numbers, or objects if columns hold anything else."""
    if as_frame(X) is None:
        return rows
    table = columns_of(X)
    columns = [table.values(j) for j in range(table.n_columns)]
    if len(columns) != rows.shape[1] or all(column.dtype.kind in "fiub" for column in columns):
        return rows
    data = np.empty(rows.shape, dtype=object)
    for j, column in enumerate(columns):
        data[:, j] = column
    return data
