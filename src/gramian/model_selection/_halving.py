"""Searches that drop the worse candidates early, and give the rest more rows or iterations."""

from typing import Any

from gramian.model_selection._candidates import ParameterGrid, ParameterSampler
from gramian.model_selection._halving_base import BaseSuccessiveHalving
from gramian.model_selection._search_work import SearchWork
from gramian.params import REQUIRED, Anything, Integer, OneOf, param


class HalvingGridSearchCV(BaseSuccessiveHalving):
    """Try every combination of some values, the worse ones with few rows only.

    All candidates are scored with few resources (rows, or what `resource` names); the best
    1/`factor` of them with `factor` times as many; and so on until fewer than `factor` are left or
    the resources are used up. The same integer `random_state` gives scikit-learn's samples.

    Parameters
    ----------
    estimator : estimator
        Cloned for each fit.
    param_grid : dict of str to sequence, or list of such dicts
        The values to try; parameters of nested estimators as ``<part>__<name>``.
    factor : int or float, default=3
        The fraction of candidates that each iteration keeps is 1/`factor`.
    resource : "n_samples" or str, default="n_samples"
        What grows: the rows, or a parameter of the estimator with positive whole values.
    max_resources : int or "auto", default="auto"
        The most that a candidate may get; "auto" is the number of rows.
    min_resources : {"exhaust", "smallest"} or int, default="exhaust"
        What each candidate gets at first. "smallest" is twice the number of splits (times that of
        classes) for rows, else 1; "exhaust" is as much as lets the last iteration use it all.
    aggressive_elimination : bool, default=False
        Whether to begin with several rounds at the least resources, if otherwise too many
        candidates would be left in the end.
    cv : int, splitter or iterable of (train, test), default=5
        As for `cross_validate`; its splits must be the same each time.
    scoring : str, callable or None, default=None
        A single score, as for `cross_val_score`.
    refit : bool or callable, default=True
        Whether to fit the best candidate on all rows.
    error_score : "raise" or number, default=nan
        The score of a fit that fails, with a warning.
    return_train_score : bool, default=True
        Whether to score on the training parts too.
    random_state : int, RandomState, Generator or None, default=None
        The source of the samples of rows.
    n_jobs : int or None, default=None
        How many fits run at a time, through joblib.
    verbose : int, default=0
        How much is printed.

    Attributes
    ----------
    cv_results_ : dict of arrays
        As for `GridSearchCV`, with ``iter`` and ``n_resources`` of each row.
    n_resources_, n_candidates_ : list of int
        Of each iteration.
    n_remaining_candidates_ : int
        How many would have gone on after the last iteration.
    min_resources_, max_resources_ : int
        What the first iteration gave, and the most that one may give.
    n_iterations_, n_required_iterations_, n_possible_iterations_ : int
        The number of iterations, the number that leaves fewer than `factor` candidates, and the
        number that the resources allow.
    best_estimator_, best_params_, best_score_, best_index_
        The best of the last iteration; the first with `refit` only.
    n_splits_, refit_time_, scorer_, multimetric_, classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import HalvingGridSearchCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> grid = {"alpha": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]}
    >>> search = HalvingGridSearchCV(Ridge(), grid, random_state=0).fit(X, y)
    >>> search.n_candidates_, search.n_resources_
    ([6, 2], [147, 441])
    """

    param_grid: Any = param(REQUIRED, Anything(), positional=True)

    _signature = (
        "estimator, param_grid, *, factor, resource, max_resources, min_resources, "
        "aggressive_elimination, cv, scoring, refit, error_score, return_train_score, "
        "random_state, n_jobs, verbose"
    )

    def _generate_candidate_params(self) -> ParameterGrid:
        return ParameterGrid(self.param_grid)


class HalvingRandomSearchCV(BaseSuccessiveHalving):
    """Try random combinations of the parameters, the worse ones with few rows only.

    Parameters
    ----------
    estimator : estimator
        Cloned for each fit.
    param_distributions : dict of str to sequence or distribution, or list of such dicts
        As for `ParameterSampler`.
    n_candidates : int or "exhaust", default="exhaust"
        How many combinations to draw; "exhaust" is as many as let the last iteration use all
        resources, which needs another `min_resources`.
    factor, resource, max_resources, aggressive_elimination
        As for `HalvingGridSearchCV`.
    min_resources : {"exhaust", "smallest"} or int, default="smallest"
        As for `HalvingGridSearchCV`.
    cv, scoring, refit, error_score, return_train_score, n_jobs, verbose
        As for `HalvingGridSearchCV`.
    random_state : int, RandomState, Generator or None, default=None
        The source of the combinations and of the samples of rows.

    Attributes
    ----------
    cv_results_, n_resources_, n_candidates_, n_remaining_candidates_, min_resources_,
    max_resources_, n_iterations_, n_required_iterations_, n_possible_iterations_,
    best_estimator_, best_params_, best_score_, best_index_, n_splits_, refit_time_, scorer_,
    multimetric_, classes_, n_features_in_, feature_names_in_
        As for `HalvingGridSearchCV`.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import HalvingRandomSearchCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = HalvingRandomSearchCV(
    ...     Ridge(), {"alpha": loguniform(1e-3, 10)}, min_resources=45, random_state=0
    ... )
    >>> search.fit(X, y).n_candidates_
    [9, 3, 1]
    """

    param_distributions: Any = param(REQUIRED, Anything(), positional=True)
    n_candidates: Any = param("exhaust", OneOf("exhaust") | Integer(1))
    min_resources: Any = param("smallest", OneOf("exhaust", "smallest") | Integer(1))

    _signature = (
        "estimator, param_distributions, *, n_candidates, factor, resource, max_resources, "
        "min_resources, aggressive_elimination, cv, scoring, refit, error_score, "
        "return_train_score, random_state, n_jobs, verbose"
    )

    def _check_resource(self, work: SearchWork) -> None:
        super()._check_resource(work)
        if self.n_candidates == self.min_resources == "exhaust":
            raise ValueError("n_candidates and min_resources cannot be both set to 'exhaust'.")

    def _generate_candidate_params(self) -> ParameterSampler:
        n_candidates = self.n_candidates
        if n_candidates == "exhaust":
            n_candidates = self.max_resources_ // self.min_resources_
        return ParameterSampler(
            self.param_distributions, n_candidates, random_state=self.random_state
        )
