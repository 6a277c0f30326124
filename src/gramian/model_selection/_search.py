"""Search for the parameters that score best in cross-validation."""

from collections.abc import Callable
from typing import Any

from gramian.model_selection._candidates import ParameterGrid, ParameterSampler
from gramian.model_selection._search_base import BaseSearchCV
from gramian.params import REQUIRED, Anything, Integer, RandomState, param


class GridSearchCV(BaseSearchCV):
    """Try every combination of some values of the parameters, by cross-validation.

    Parameters
    ----------
    estimator : estimator
        Cloned for each fit.
    param_grid : dict of str to sequence, or list of such dicts
        The values to try; parameters of nested estimators as ``<part>__<name>``.
    scoring : str, callable, list, tuple, dict or None, default=None
        As for `cross_validate`.
    n_jobs : int or None, default=None
        How many fits run at a time, through joblib.
    refit : bool, str or callable, default=True
        Whether to fit the best candidate on all rows. With several scores, the name of the one
        that decides. A callable takes ``cv_results_`` and returns the number of the best one.
    cv : int, splitter, iterable of (train, test) or None, default=None
        As for `cross_validate`.
    verbose : int, default=0
        How much is printed.
    pre_dispatch : int or str, default="2*n_jobs"
        How many fits are prepared at once.
    error_score : "raise" or number, default=nan
        The score of a fit that fails, with a warning.
    return_train_score : bool, default=False
        Whether to score on the training parts too.

    Attributes
    ----------
    cv_results_ : dict of arrays
        One row for each candidate: ``param_<name>``, ``params``, ``split<i>_test_<score>``,
        ``mean_...``, ``std_...``, ``rank_...`` and the times.
    best_estimator_, best_params_, best_score_, best_index_
        The best candidate; the first with `refit` only.
    n_splits_, refit_time_, scorer_, multimetric_, classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import GridSearchCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = GridSearchCV(Ridge(), {"alpha": [0.01, 0.1, 1.0]}).fit(X, y)
    >>> search.best_params_, round(search.best_score_, 3)
    ({'alpha': 0.01}, np.float64(0.481))
    """

    param_grid: Any = param(REQUIRED, Anything(), positional=True)

    def _run_search(self, evaluate_candidates: Callable[..., dict[str, Any]]) -> None:
        evaluate_candidates(ParameterGrid(self.param_grid))


class RandomizedSearchCV(BaseSearchCV):
    """Try random combinations of the parameters, by cross-validation.

    Parameters
    ----------
    estimator : estimator
        Cloned for each fit.
    param_distributions : dict of str to sequence or distribution, or list of such dicts
        As for `ParameterSampler`.
    n_iter : int, default=10
        How many combinations to try.
    random_state : int, RandomState, Generator or None, default=None
        The source of the draws.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As for `GridSearchCV`.

    Attributes
    ----------
    cv_results_, best_estimator_, best_params_, best_score_, best_index_, n_splits_, refit_time_,
    scorer_, multimetric_, classes_, n_features_in_, feature_names_in_
        As for `GridSearchCV`.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import RandomizedSearchCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = RandomizedSearchCV(Ridge(), {"alpha": loguniform(1e-3, 10)}, random_state=0)
    >>> round(search.fit(X, y).best_score_, 3)
    np.float64(0.481)
    """

    param_distributions: Any = param(REQUIRED, Anything(), positional=True)
    n_iter: int = param(10, Integer(1))
    random_state: Any = param(None, RandomState())

    _signature = (
        "estimator, param_distributions, *, n_iter, scoring, n_jobs, refit, cv, verbose, "
        "pre_dispatch, random_state, error_score, return_train_score"
    )

    def _run_search(self, evaluate_candidates: Callable[..., dict[str, Any]]) -> None:
        evaluate_candidates(
            ParameterSampler(self.param_distributions, self.n_iter, random_state=self.random_state)
        )
