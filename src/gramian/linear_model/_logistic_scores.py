"""Scores of logistic regressions on the rows that their folds hold out."""

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._linear.path_cv import as_rows
from gramian._linear.regressor import affine
from gramian._rows import gather, rows_of_params
from gramian._typing import Floats
from gramian.linear_model._logistic import LogisticRegression
from gramian.linear_model._logistic_paths import LogisticSearch, Paths
from gramian.metrics import make_scorer


class _FoldModel(LogisticRegression):
    """A model of one fold, which knows its scores of the rows held out."""

    def expect(self, rows: Any, scores: NDArray[Any]) -> None:
        """Remember the scores of some rows."""
        self._rows, self._scores = rows, scores

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the scores of rows, those held out without computing them again."""
        return self._scores.copy() if X is self._rows else super().decision_function(X)


def held_out_scores(
    search: LogisticSearch,
    paths: Paths,
    data: tuple[NDArray[Any], NDArray[Any]],
    scorer: Any,
    params: dict[str, Any],
) -> Floats:
    """Return the scores of all fits, of shape (n_folds, n_ratios, n_Cs).

    Parameters
    ----------
    search : LogisticSearch
        What was fitted.
    paths : Paths
        The fits.
    data : (y, classes)
        The target as it was given, and its classes.
    scorer : callable
        Called for one fold after the other, for each ratio with C in the order given.
    params : dict
        Further arguments of the scorer; those with one value for each row are cut to the fold.
    """
    y, classes = data
    scorer = _with_labels(scorer, classes)
    scores = np.empty(paths.n_iter.shape)
    for f, (_, test) in enumerate(search.folds):
        rows = as_rows(test, search.X.shape[0])
        X_test, y_test = gather(search.X, rows), y[rows]
        own = rows_of_params(search.X, params, rows)
        found = _decisions(search, paths.params[f], X_test)
        for k in np.ndindex(scores.shape[1:]):
            model = _model(search, paths.params[(f, *k)], classes, float(search.Cs[k[1]]))
            model.expect(X_test, found[k])
            scores[(f, *k)] = scorer(model, X_test, y_test, **own)
    return scores


def _decisions(search: LogisticSearch, params: Floats, rows: Any) -> NDArray[Any]:
    """Return the scores of some rows by the fits of a fold, all from one product."""
    shape = params.shape[:2]
    stacked = LogisticRegression(n_jobs=search.model.n_jobs)
    flat = params.reshape(-1, params.shape[-1])
    stacked.coef_, stacked.intercept_ = flat[:, :-1], flat[:, -1]
    stacked.n_features_in_ = rows.shape[1]
    scores = np.moveaxis(affine(stacked, rows).reshape(-1, *shape, search.n_outputs), 0, 2)
    return np.ascontiguousarray(scores[..., 0] if search.n_outputs == 1 else scores)


def _model(search: LogisticSearch, params: Floats, classes: NDArray[Any], C: float) -> _FoldModel:
    model = _FoldModel(C=C, solver=search.model.solver)
    model.classes_ = classes
    model.coef_, model.intercept_ = params[:, :-1], params[:, -1]
    model.n_features_in_ = params.shape[1] - 1
    return model


def _with_labels(scorer: Any, classes: NDArray[Any]) -> Any:
    """Tell a metric that takes `labels` the classes, of which held-out rows may lack some."""
    metric = getattr(scorer, "_score_func", None)
    names = inspect.signature(metric).parameters if metric is not None else {}
    if "labels" not in names:
        return scorer
    options: dict[str, Any] = {"labels": classes}
    if len(classes) == 2 and "pos_label" in names:
        options["pos_label"] = classes[-1]
    return make_scorer(
        scorer._score_func,
        greater_is_better=scorer._sign == 1,
        response_method=scorer._response_method,
        **{**options, **scorer._kwargs},
    )
