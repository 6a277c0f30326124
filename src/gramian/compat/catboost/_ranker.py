"""CatBoost's ranker on our engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from gramian._boosting.ranking import Ranked
from gramian._typing import Floats
from gramian.compat.catboost._base import pool_of
from gramian.compat.catboost._metrics import metric_of
from gramian.compat.catboost._models import CatBoostEstimator
from gramian.compat.catboost._pool import Pool

__all__ = ["CatBoostRanker"]


class CatBoostRanker(CatBoostEstimator):
    """Ranking with CatBoost's class and parameters, on our engine.

    By ``**kwargs`` all other parameters of CatBoost are taken, and other names of these: the guide
    says what becomes of each. An unknown one is refused, and so is one that our engine has nothing
    for.

    Parameters
    ----------
    iterations, learning_rate, depth, l2_leaf_reg, model_size_reg, rsm, border_count, \
grow_policy, max_leaves, min_data_in_leaf, score_function, random_strength, \
leaf_estimation_iterations, bootstrap_type, subsample, bagging_temperature, \
monotone_constraints, cat_features, ignored_features, one_hot_max_size, nan_mode, \
boost_from_average, eval_metric, custom_metric, early_stopping_rounds, use_best_model, \
random_seed, thread_count, verbose
        As for `CatBoostClassifier`.
    loss_function : str, optional
        "YetiRank", which is the default and in whose place stands LambdaMART for NDCG,
        "LambdaMart:metric=NDCG", "LambdaMart:metric=MAP", "QueryRMSE", or a loss of
        `CatBoostRegressor`, which takes no notice of the queries.

    Attributes
    ----------
    tree_count_, learning_rate_, evals_result_, best_iteration_, best_score_, \
feature_importances_, feature_names_, n_features_in_, feature_names_in_
        As for `CatBoost`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.compat.catboost import CatBoostRanker
    >>> rng = np.random.default_rng(0)
    >>> X, group_id = rng.random((600, 3)), np.repeat(np.arange(30), 20)
    >>> y = np.round(3.0 * X[:, 0])
    >>> model = CatBoostRanker(iterations=50).fit(X, y, group_id=group_id)
    >>> bool(model.score(X, y, group_id) > 0.9)
    True
    """

    _model_kind = "ranker"

    def fit(
        self,
        X: Any,
        y: Any = None,
        group_id: Any = None,
        cat_features: Any = None,
        text_features: Any = None,
        embedding_features: Any = None,
        pairs: Any = None,
        graph: Any = None,
        sample_weight: Any = None,
        *,
        baseline: Any = None,
        eval_set: Any = None,
        **options: Any,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features; a Pool has all that belongs to the rows.
        y : array-like of shape (n_samples,), optional
            Relevances, not negative.
        group_id : array-like of shape (n_samples,), optional
            The query of each row; without it all rows are one.
        pairs : None
            Not supported.
        cat_features, text_features, embedding_features, graph, sample_weight, baseline, eval_set, \
**options
            As for `CatBoostClassifier.fit`; evaluation sets are Pools with `group_id`.
        """
        pool = pool_of(X, y, cat_features, sample_weight, baseline, group_id)
        options |= {"text_features": text_features, "embedding_features": embedding_features}
        return self._fit(pool, eval_set, options | {"pairs": pairs, "graph": graph})

    def predict(self, X: Any, ntree_start: int = 0, ntree_end: int = 0, **options: Any) -> Floats:
        """Return the score of each row, by which the rows of a query are put in order.

        Parameters
        ----------
        X : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        ntree_start, ntree_end : int, default=0
            The rounds to use; an end of 0 is the last one.
        **options
            `thread_count`, `verbose` and `task_type="CPU"`, without effect.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._predicted(X, "RawFormulaVal", ntree_start, ntree_end, options)

    def staged_predict(
        self, X: Any, ntree_start: int = 0, ntree_end: int = 0, eval_period: int = 1, **options: Any
    ) -> Iterator[Floats]:
        """Return the scores after every `eval_period` rounds.

        Parameters
        ----------
        X, ntree_start, ntree_end
            As for ``predict``.
        eval_period : int, default=1
            Rounds between two predictions.
        **options
            As for ``predict``.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        yield from self._staged(X, "RawFormulaVal", ntree_start, ntree_end, eval_period, options)

    def score(
        self,
        X: Any,
        y: Any = None,
        group_id: Any = None,
        top: int | None = None,
        type: str = "Base",
    ) -> float:
        """Return the mean NDCG of the queries.

        Parameters
        ----------
        X : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y, group_id : array-like of shape (n_samples,), optional
            Their relevances and queries, unless the Pool has them.
        top : int, optional
            How many first places count; by default all.
        type : {"Base", "Exp"}, default="Base"
            Whether gains are the relevances, or powers of two less one.
        """
        pool = X if isinstance(X, Pool) else Pool(X, y, group_id=group_id)
        if pool.label is None:
            raise ValueError("score needs the relevances y.")
        groups = np.zeros(pool.num_row()) if pool.group_id is None else pool.group_id
        order = np.argsort(groups, kind="stable")
        _, sizes = np.unique(groups, return_counts=True)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        rows = Ranked(np.ascontiguousarray(pool.label[order], dtype=np.float64), offsets)
        metric = metric_of(f"NDCG:type={type}" + (f";top={top}" if top else ""), None)
        assert metric.function is not None
        return float(metric.function(rows, self._raw(pool, 0, 0)[order], None))
