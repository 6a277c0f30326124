"""Boosting of numbers, with all that the engine can do."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.intervals import IntervalMixin
from gramian._boosting.losses import Loss, Objective
from gramian._boosting.metrics import NUMBER_METRICS
from gramian._boosting.objectives import CustomLoss, SeparateLosses
from gramian._boosting.rows import Part
from gramian._typing import Floats
from gramian.base import RegressorMixin, Tags
from gramian.boosting._base import BaseBoosting
from gramian.params import Arrays, Callables, Integer, Nothing, OneOf, Real, param

__all__ = ["BoostingRegressor"]


_LOSSES = (
    "squared_error",
    "absolute_error",
    "huber",
    "quantile",
    "expectile",
    "poisson",
    "gamma",
    "tweedie",
)


class BoostingRegressor(IntervalMixin, RegressorMixin, BaseBoosting):
    """Regression by trees that are added one after the other: the whole engine.

    In each round a tree is fitted to first and second derivatives of the loss at the scores so far.
    A leaf with their sums G and H gets the value ``-G / (H + reg_lambda)``, and a split gains
    ``G_l² / (H_l + reg_lambda) + G_r² / (H_r + reg_lambda) - G² / (H + reg_lambda)``.

    Parameters that are None are those of `preset`. Without a preset, and with the number of rounds
    left open, they are chosen for the table: `settings_` says what, and why. Models without a fold
    of the rows each are then grown together, end where the rows left out are predicted best, and
    are averaged; for numbers one fold tells whether trees grow by leaves or symmetric.

    Parameters
    ----------
    loss : str or callable, default="squared_error"
        What is minimised: "squared_error", "absolute_error", "huber", "quantile", "expectile",
        "poisson", "gamma" or "tweedie", the last three of which predict ``exp(score)``; or a
        callable of the target and the scores that returns gradient and hessian, arrays of their
        shape. Scores of a callable's loss start at 0, and are the predictions.
    quantile : float or list of float, optional
        The quantile, or expectile, that is predicted, between 0 and 1. Of several quantiles, each
        of which has trees of its own, predictions are put in order, so that they never cross.
    huber_delta : float, default=1.0
        Size of a residual from which "huber" is linear.
    tweedie_power : float, default=1.5
        Power of the variance for "tweedie", between 1 and 2.
    n_estimators : int, optional
        Number of rounds; with early stopping the most. None: found by folds, and where these cannot
        be, or with fewer than 10 rows, that of the preset.
    n_folds : int, optional
        Number of folds, and of the models that are averaged; with `n_estimators` the most rounds.
        0: one model of all rows. None: chosen with the rounds, else 0. Not with early stopping,
        `warm_start`, DART, ordered boosting, a callable `loss`, or for rankings. The rows of a
        class of fewer rows than folds are in all models.
    learning_rate : float, optional
        What each leaf is multiplied by. With ``preset="catboost"``, None follows CatBoost's rule
        from the numbers of rows and rounds for "squared_error", and for the classes of "log_loss".
    boosting_type : {"plain", "ordered"}, default="plain"
        Where the gradients that a tree is grown for come from: the model so far, which has seen
        the row's target, or "ordered": models of the rows that come before it in a random order,
        against prediction shift. For small tables; a round costs about 3 passes over the rows more
        for each of `cat_orders` - 1 orders. A callable `loss` must then be one of each row alone.
    growth : {"leaf", "level", "symmetric"}, optional
        Which node is split next: the one that gains the most, those of one level after the other,
        or all of a level by one split.
    max_leaves, max_depth : int, optional
        Most leaves of a tree, and most splits between the root and a leaf; 0: no limit.
    min_samples_leaf : int, optional
        Least number of rows of a leaf.
    min_child_weight : float, optional
        Least sum of the hessians of a leaf.
    reg_lambda, reg_alpha : float, default=None, 0.0
        Penalties on the squares and on the sizes of the leaves' values.
    split_score : {"newton", "gradient", "cosine"}, optional
        What splits are judged by: gradients and hessians as above; or gradients alone, with a
        hessian of one for each row, so that rows which the model is sure of do not count for more.
        The values of the leaves are the same Newton steps, then of all rows, drawn or not.
        "cosine", of symmetric trees, takes the cosine between the gradients and the values of the
        leaves for the gain. Monotonic constraints need "newton", and get it.
    random_strength : float, optional
        Deviation of what is added at random to the scores of splits of symmetric trees, in sizes of
        a gradient; it fades with the rounds.
    leaf_steps : int, optional
        Newton steps by which all rows give the values of a leaf; 0: those of the rows drawn, or one
        of all rows where splits are by gradient.
    gamma : float, default=0.0
        What a split must gain. As in XGBoost gains have no factor 1/2; where a text defines them
        with it, its gamma is half of this one.
    max_delta_step : float, default=0.0
        Largest size of a leaf's value before the learning rate; 0: any.
    linear_leaves : bool or "unbounded", default=False
        Whether leaves are linear functions of the numeric features on their paths, fitted to the
        same derivatives, instead of numbers. A row in which one of them is missing gets the number.
        With True a leaf gives nothing beyond what it gives to the rows that it was fitted to, with
        "unbounded" its line goes on. For a dense `X`, smooth losses and no `monotonic_cst`.
    linear_lambda : float, default=1.0
        Penalty on the squares of their slopes, for features scaled to the variance one in each
        leaf: with the sum H of the hessians, a single slope is multiplied by
        ``H / (H + linear_lambda)``.
    sampling : {"uniform", "goss", "mvs"}, optional
        How the rows of a tree are drawn: all alike; those of the largest gradients, and some of
        the others; or with probabilities that minimise the variance of the sums.
    subsample : float, optional
        Fraction of the rows that "uniform" and "mvs" draw.
    top_rate, other_rate : float, default=0.2, 0.1
        Fractions of the rows that "goss" keeps for their gradient, and draws from the rest.
    colsample_bytree, colsample_bylevel, colsample_bynode : float, default=1.0, None, 1.0
        Fractions of the features that are drawn for a tree, for each of its levels out of these,
        and for each node out of those.
    max_bins : int, optional
        Most bins of a feature, without that of missing values.
    categorical_features : "from_dtype", array-like of bool, int or str, or None, \
default="from_dtype"
        Which columns are categorical: those of text or of a categorical type, a mask, positions,
        names, or none.
    max_cat_to_onehot : int, optional
        Categorical columns of at most so many levels are split one level against the others;
        more levels are put in order by their gradients and cut.
    cat_smooth, cat_l2 : float, optional
        For the latter: what is added to the hessians that order them, and to `reg_lambda`.
    min_samples_category : float, optional
        Levels of fewer rows in a node stay together, on the side of most levels: put in order by
        their gradients, levels of a row each would be the target learnt by heart.
    max_cat_threshold : int, optional
        Most levels that a split takes off from either end of their order; 0: any number.
    min_data_per_group : int, optional
        Rows, at the least, of the levels by which one such split and the next differ.
    categorical_encoding : {"levels", "ordered"}, optional
        What becomes of categorical columns: "levels" splits all of them by their levels, of which
        the rarest share a bin if there are more than bins. "ordered" replaces those of more than
        `max_cat_levels` levels by ordered target statistics: for each row the mean of the target
        over the rows of its level that come earlier in a random order, and the weight of the
        level. Levels that were not seen get the mean of all rows.
    max_cat_levels : int, optional
        Most levels of a column that "ordered" leaves to be split by them; None: as many as
        `max_bins`, or those of the preset.
    cat_orders : int, optional
        Number of random orders, of target statistics and of ordered boosting: the splits of a round
        are searched on one of them, the first of several excepted. More of them guard better
        against chance, and take memory and time.
    cat_prior : float, default=3.0
        Rows that the mean of the target counts for in the statistic of a level.
    cat_combination_size : int, default=3
        Most columns whose levels together are given statistics, too; 1: no combinations.
    max_cat_combinations : int, default=40
        Most combinations of each number of columns: those that predict the target best beyond
        their parts.
    cat_bins : int, default=16
        Most bins of a statistic, and no more than `max_bins`.
    monotonic_cst : array-like of int, dict or None, default=None
        1 where the prediction must not fall as the feature rises, -1 where it must not rise, 0
        where it is free; a dict gives them by name.
    interaction_cst : sequence of sets of int, "pairwise", "no_interactions" or None, default=None
        Sets of features that may be on one path from the root; features in none of them form one
        more.
    drop_rate : float, default=0.0
        Above 0: DART. Each earlier round is left out of the scores with this probability while a
        new one grows, and both are shrunk afterwards.
    skip_drop : float, default=0.0
        Probability with which DART leaves out none.
    max_drop : int, default=50
        Most rounds that DART leaves out; 0: any number.
    base_score : float, optional
        Where the scores start; None: at the best constant.
    preset : {"xgboost", "lightgbm", "catboost"} or None, default=None
        Whose defaults to use for the parameters that are None; see the guide for the table.
    early_stopping_rounds : int, optional
        End after so many rounds that did not better the last metric of the last evaluation set, and
        keep the rounds up to the best one. Without an evaluation set, rows are set apart.
    validation_fraction : float or int, default=0.1
        Fraction, or number, of the rows that are set apart.
    warm_start : bool, default=False
        Whether ``fit`` keeps the rounds that are there and adds the missing ones.
    verbose : int, default=0
        1 tells the metrics and the time that is left ten times, 2 after each round.
    random_state : int, RandomState, Generator or None, default=None
        Source of all draws.
    interval_folds : int, optional
        Number of folds by which ``predict_interval`` is calibrated: as many further models are
        fitted, each without one fold. None: none, and no intervals.
    n_jobs : int, optional
        Number of threads.

    Attributes
    ----------
    n_estimators_ : int
        Number of rounds that are kept.
    evals_result_ : dict
        Set -> metric -> list of its values after each round of the last ``fit``. "left_out" are the
        rows of the folds, by models that have not seen them.
    best_iteration_ : int
        Round, from 0, after which the last metric of the last evaluation set was best.
    best_score_ : float
        That metric.
    learning_rate_ : float
        The learning rate.
    settings_ : dict
        Parameter that may be None -> its value, and why.
    is_categorical_ : ndarray of shape (n_features,) or None
        Which features are categorical; None if there is none.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the gains of all splits; combinations of categorical features
        count for these in equal parts.
    certificate_ : Certificate
        How the fit ended: ``objective`` is the mean loss of the training rows (of 100,000 of them,
        if there are more), for a custom loss the mean size of its gradient; ``optimality`` is that
        relative to the start; ``converged`` is False if a time limit ended the fit, or the loss
        is above that of the start. Of target statistics training rows are judged by what they see
        of earlier rows.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Notes
    -----
    ``model[:k]`` is the model of the first k rounds. Targets of several columns get trees of
    their own in each round.

    Examples
    --------
    >>> from gramian.boosting import BoostingRegressor
    >>> from gramian.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BoostingRegressor(random_state=0).fit(X, y)
    >>> model.settings_["subsample"]
    (0.8, 'draws of rows make the trees of rounds differ')
    >>> band = BoostingRegressor(loss="quantile", quantile=[0.1, 0.9], n_estimators=50)
    >>> band = band.fit(X, y).predict(X)
    >>> bool((band[:, 0] <= band[:, 1]).all())
    True
    """

    loss: Any = param("squared_error", OneOf(*_LOSSES) | Callables(), positional=True)
    quantile: Any = param(None, Real(0.0, 1.0, closed="neither") | Arrays() | Nothing())
    huber_delta: float = param(1.0, Real(0.0, closed="neither"))
    tweedie_power: float = param(1.5, Real(1.0, 2.0, closed="neither"))
    interval_folds: int | None = param(None, Integer(2) | Nothing())

    _metrics = NUMBER_METRICS
    _has_outputs: ClassVar[bool] = True

    # -- fit --------------------------------------------------------------------------------------

    def _quantiles(self) -> list[float] | None:
        """Return the quantiles, if there are several."""
        if self.loss not in ("quantile", "expectile"):
            if self.quantile is not None:
                raise ValueError(
                    f"quantile={self.quantile!r} has a meaning for loss='quantile' and "
                    f"loss='expectile' only. Got loss={self.loss!r}."
                )
            return None
        if self.quantile is None:
            raise ValueError(f"loss={self.loss!r} needs a quantile between 0 and 1.")
        if np.ndim(self.quantile) == 0:
            return None
        quantiles = np.asarray(self.quantile, dtype=np.float64)
        is_inside = (quantiles > 0.0) & (quantiles < 1.0)
        if quantiles.ndim != 1 or not len(quantiles) or not is_inside.all():
            raise ValueError(f"quantile must hold numbers between 0 and 1. Got {self.quantile!r}.")
        if len(np.unique(quantiles)) < len(quantiles):
            raise ValueError(f"quantile must hold different numbers. Got {self.quantile!r}.")
        found: list[float] = quantiles.tolist()
        return found

    def _read_target(self, y: NDArray[Any]) -> Floats:
        self._is_matrix = y.ndim == 2
        return self._read_known_target(y)

    def _read_known_target(self, y: NDArray[Any]) -> Floats:
        target = np.ascontiguousarray(y.T, dtype=np.float64)
        if self.loss == "gamma" and not (target > 0.0).all():
            raise ValueError("loss='gamma' requires strictly positive y.")
        if self.loss in ("poisson", "tweedie"):
            total = np.atleast_1d(target.sum(axis=-1))
            if not ((target >= 0.0).all() and (total > 0.0).all()):
                raise ValueError(f"loss={self.loss!r} requires non-negative y and sum(y) > 0.")
        quantiles = self._quantiles()
        if quantiles is None:
            return target
        if target.ndim == 2:
            raise ValueError(
                "Several quantiles need a target of one column. "
                f"Got y of {len(target)} columns; fit them one by one."
            )
        return np.broadcast_to(target, (len(quantiles), len(target)))

    def _labels(self, part: Part) -> NDArray[Any]:
        return part.y.T if self._is_matrix or part.y.ndim == 1 else part.y[0]

    def _statistic_targets(self, target: Floats) -> list[Floats]:
        if target.ndim == 1:
            return [target]
        return list(target) if self._is_matrix else [target[0]]

    def _objective(self, rows: Part) -> Objective:
        quantiles = self._quantiles()
        if quantiles is not None:
            return SeparateLosses(tuple(Loss(self.loss, q) for q in quantiles), self.loss)
        if callable(self.loss):
            if rows.y.ndim == 2:
                raise ValueError(
                    "A custom loss needs a target of one column. "
                    f"Got y of {len(rows.y)} columns; fit them one by one."
                )
            return CustomLoss(self.loss, Loss("squared_error"))
        parameters = {
            "huber": self.huber_delta,
            "tweedie": self.tweedie_power,
            "quantile": self.quantile,
            "expectile": self.quantile,
        }
        loss = Loss(self.loss, float(parameters.get(self.loss, 0.0)))
        if rows.y.ndim == 1:
            return loss
        return SeparateLosses((loss,) * len(rows.y), self.loss)

    def _metric_response(self, objective: Objective) -> Callable[[Floats], Floats]:
        response = Loss(objective.name).predict
        return lambda scores: self._shaped(response(scores))

    # -- predictions ------------------------------------------------------------------------------

    def _shaped(self, response: Floats) -> Floats:
        """Return predictions in the shape of the target; quantiles in their order."""
        quantiles = self._quantiles()
        if quantiles is not None:
            return np.sort(response, axis=1)[:, np.argsort(np.argsort(quantiles))]
        return response if self._is_matrix else response[:, 0]

    def predict(self, X: Any) -> Floats:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_quantiles)
        """
        scores = self._raw_scores(X)
        return self._shaped(self._response(scores))

    def predict_raw(self, X: Any) -> Floats:
        """Return the sums of the trees: what is predicted before ``exp`` and before any sorting.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_outputs) or (n_samples, n_quantiles)
        """
        scores = self._raw_scores(X)
        return scores if scores.shape[1] > 1 else scores[:, 0]

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Predict the target after each round.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Yields
        ------
        ndarray of the shape of ``predict``
        """
        for scores in self._staged_raw_scores(X):
            yield self._shaped(self._response(scores))

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_output = self.loss not in ("quantile", "expectile") and not callable(self.loss)
        return tags
