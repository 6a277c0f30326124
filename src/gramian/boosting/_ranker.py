"""Boosting of orders: LambdaMART."""

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.inputs import Monitor, as_pairs, checked_callbacks, of_sets
from gramian._boosting.losses import Objective
from gramian._boosting.ranking import (
    Ranked,
    RankLoss,
    measure_of,
    rank_metrics,
    rows_of_queries,
    with_queries,
)
from gramian._boosting.rows import Part
from gramian._typing import Floats
from gramian.base import Tags
from gramian.boosting._base import BaseBoosting
from gramian.config import core_context
from gramian.params import Boolean, Integer, OneOf, param

__all__ = ["BoostingRanker"]


_HIGHEST = 31.0  # relevance whose gain 2^relevance - 1 is still of a useful size


class BoostingRanker(BaseBoosting):
    """Ranking by boosted trees: LambdaMART.

    Rows belong to queries, and within each of them the relevant ones should come first. A pair of
    rows of one query, the first of which is more relevant, wishes its scores apart by
    ``1 / (1 + exp(s_i - s_j))`` times what the measure would change if the two changed places.
    Trees are grown for these gradients as by `BoostingRegressor`.

    Parameters that are None are those of `preset`.

    Parameters
    ----------
    loss : {"ndcg", "map"}, default="ndcg"
        The measure: discounted cumulative gain with the gains ``2**relevance - 1``, relative to
        that of the best order, or average precision, for which relevances above 0 are alike.
    truncation : int, default=30
        Pairs count if one of their rows is among so many first ones.
    score_normalization : bool, default=True
        Whether the change of a pair is divided by the distance of its scores, plus 0.01, so that
        pairs that are about to change places count the most. That fits faster; where relevances are
        very noisy, False may be better.
    n_estimators, learning_rate, growth, max_leaves, max_depth, min_samples_leaf, \
min_child_weight, reg_lambda, reg_alpha, split_score, random_strength, leaf_steps, gamma, \
max_delta_step, linear_leaves, linear_lambda
        How trees grow; as for `BoostingRegressor`.
    n_folds : {0, None}, default=None
        Queries are not parted into folds; more are refused.
    boosting_type : "plain", default="plain"
        Where gradients come from. Those of rankings belong to whole queries; "ordered" is refused.
    sampling, subsample, top_rate, other_rate, colsample_bytree, colsample_bylevel, \
colsample_bynode
        Rows and features that are drawn; as for `BoostingRegressor`.
    max_bins, categorical_features, max_cat_to_onehot, cat_smooth, cat_l2, \
min_samples_category, max_cat_threshold, min_data_per_group, categorical_encoding, \
max_cat_levels, cat_orders, cat_prior, cat_combination_size, max_cat_combinations, cat_bins, \
monotonic_cst, interaction_cst
        The columns; as for `BoostingRegressor`.
    drop_rate, skip_drop, max_drop, base_score, preset, early_stopping_rounds, \
validation_fraction, warm_start, verbose, random_state, n_jobs
        As for `BoostingRegressor`; whole queries are set apart.

    Attributes
    ----------
    n_estimators_ : int
        Number of rounds that are kept.
    evals_result_ : dict
        Set -> metric -> list of its values after each round of the last ``fit``.
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
        How the fit ended: ``objective`` is what the mean measure of the training queries is short
        of 1.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    References
    ----------
    C. Burges, "From RankNet to LambdaRank to LambdaMART: An overview", MSR-TR-2010-82, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.boosting import BoostingRanker
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.random((600, 3)), np.repeat(np.arange(30), 20)
    >>> y = np.round(3.0 * X[:, 0])
    >>> model = BoostingRanker(n_estimators=20).fit(X, y, qid=qid)
    >>> bool(model.score(X, y, qid=qid) > 0.95)
    True
    """

    loss: str = param("ndcg", OneOf("ndcg", "map"), positional=True)
    truncation: int = param(30, Integer(1))
    score_normalization: bool = param(True, Boolean())

    # -- fit --------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
        eval_sample_weight: Any = None,
        eval_metric: Any = None,
        early_stopping_rounds: int | None = None,
        callbacks: Any = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Relevances, from 0 to 31.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows' gradients; rows of weight 0 are left out.
        qid : array-like of shape (n_samples,), optional
            The query of each row, in any order.
        group : array-like of int, optional
            Instead of it the sizes of the queries, whose rows follow each other. Without either
            all rows are one query.
        eval_set : list of (X, y), optional
            Rows that are judged after each round, by the names ``"validation_0"`` and so on in
            `evals_result_`. The last one decides early stopping.
        eval_qid, eval_group : list of array-likes, optional
            The queries of each evaluation set.
        eval_sample_weight : list of array-like or None, optional
            Weights of the rows of each evaluation set.
        eval_metric : str, callable or list of these, optional
            What they are judged by: ``"ndcg"``, which is the default, ``"map"``, ``"ndcg@5"`` and
            the like, ``"loss"``, or a callable of the relevances, the scores and the offsets of
            the queries. The last one decides early stopping.
        early_stopping_rounds : int, optional
            Overrides the parameter of that name for this fit; 0: no early stopping.
        callbacks : list of callables, optional
            Each is called with a `RoundReport` after each round; the fit ends if one returns True.
        """
        ctx = core_context(self.n_jobs)  # the time limit is that of the whole fit
        patience = self._patience(early_stopping_rounds)
        before = self._grown_before(patience)
        train = with_queries(self._training_rows(X, y, sample_weight, before), qid, group)
        if train.weight is not None and not train.weight.all():
            train = rows_of_queries(train, train.weight > 0.0)
        parts = self._eval_parts(eval_set, eval_sample_weight)
        n_sets = len(as_pairs(eval_set))
        queries = zip(
            of_sets("eval_qid", eval_qid, n_sets),
            of_sets("eval_group", eval_group, n_sets),
            strict=True,
        )
        sets = {
            name: with_queries(part, ids, sizes)
            for (name, part), (ids, sizes) in zip(parts.items(), queries, strict=True)
        }
        metrics = rank_metrics(eval_metric)
        monitor = Monitor(sets, metrics, checked_callbacks(callbacks), patience)
        return self._fit_parts(train, monitor, before, ctx)

    def _read_target(self, y: NDArray[Any]) -> Floats:
        return self._read_known_target(y)

    def _read_known_target(self, y: NDArray[Any]) -> Floats:
        target = np.ascontiguousarray(y, dtype=np.float64)
        if not ((target >= 0.0) & (target <= _HIGHEST)).all():
            raise ValueError(
                f"y must hold relevances from 0 to {_HIGHEST:.0f}. Got numbers from "
                f"{target.min():g} to {target.max():g}."
            )
        return target

    def _labels(self, part: Part) -> Ranked:
        assert part.offsets is not None
        return Ranked(part.y, part.offsets)

    def _objective(self, rows: Part) -> Objective:
        assert rows.offsets is not None
        by_gap = bool(self.score_normalization)
        return RankLoss(self.loss, int(self.truncation), rows.offsets, divides_by_gap=by_gap)

    def _metric_response(self, objective: Objective) -> Callable[[Floats], Floats]:
        return lambda scores: scores[:, 0]

    def _split(self, train: Part) -> tuple[Part, Part]:
        assert train.offsets is not None
        n_queries = len(train.offsets) - 1
        fraction = self.validation_fraction
        n_held = fraction if isinstance(fraction, int) else max(1, round(fraction * n_queries))
        if n_held >= n_queries:
            raise ValueError(
                f"Early stopping without eval_set sets apart {n_held} of {n_queries} queries, and "
                "none would be left. Pass eval_set, or a smaller validation_fraction."
            )
        order = np.random.default_rng(self._seed).permutation(n_queries)
        is_held = np.zeros(n_queries, dtype=np.bool_)
        is_held[order[:n_held]] = True
        is_held_row = np.repeat(is_held, np.diff(train.offsets))
        return rows_of_queries(train, ~is_held_row), rows_of_queries(train, is_held_row)

    # -- predictions ------------------------------------------------------------------------------

    def predict(self, X: Any) -> Floats:
        """Return the score of each row, by which the rows of a query are put in order.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._raw_scores(X)[:, 0]

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Return the scores after each round.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for scores in self._staged_raw_scores(X):
            yield scores[:, 0]

    def score(self, X: Any, y: Any, *, qid: Any = None, group: Any = None) -> float:
        """Return the mean over the queries of the measure, of all places.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their relevances.
        qid, group : array-like, optional
            Their queries, as in ``fit``.
        """
        rows = with_queries(self._known_part(X, y, None), qid, group)
        scores = self._model.scores(self._encoded(rows.X), self.n_jobs)[:, 0]
        return float(measure_of(self.loss, None, self._labels(rows), scores).mean())

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.required_y, tags.blocks = True, False
        return tags
