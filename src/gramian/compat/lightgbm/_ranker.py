"""LightGBM's ranker."""

from dataclasses import replace
from typing import Any, Self

from gramian.base import Tags
from gramian.compat.lightgbm._estimator import LightEstimator
from gramian.compat.lightgbm._eval_sets import EvalSets

__all__ = ["LGBMRanker"]


class LGBMRanker(LightEstimator):
    """Ranking by boosted trees, LambdaMART, with LightGBM's parameters on our engine.

    By ``**kwargs`` any other parameter of LightGBM is taken, by any of its names; see the guide.

    Parameters
    ----------
    boosting_type, num_leaves, max_depth, learning_rate, n_estimators, subsample_for_bin
        As for `LGBMRegressor`.
    objective : str or callable, optional
        What is minimised: "lambdarank", or a function of the relevances, the scores, the weights
        and the sizes of the queries that returns gradient and hessian.
    class_weight : None
        For classifiers.
    min_split_gain, min_child_weight, min_child_samples, subsample, subsample_freq, \
colsample_bytree, reg_alpha, reg_lambda, random_state, n_jobs, importance_type
        As for `LGBMRegressor`.

    Attributes
    ----------
    booster_, best_iteration_, best_score_, evals_result_, feature_importances_, feature_name_, \
n_estimators_, n_iter_, objective_, n_features_in_, n_features_, feature_names_in_
        As for `LGBMRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.compat.lightgbm import LGBMRanker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((600, 3))
    >>> y = np.round(3.0 * X[:, 0])
    >>> model = LGBMRanker(n_estimators=20).fit(X, y, group=[20] * 30)
    >>> bool(np.corrcoef(model.predict(X), y)[0, 1] > 0.9)
    True
    """

    _default_objective = "lambdarank"

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        init_score: Any = None,
        group: Any = None,
        eval_set: Any = None,
        eval_names: Any = None,
        eval_sample_weight: Any = None,
        eval_init_score: Any = None,
        eval_group: Any = None,
        eval_metric: Any = None,
        eval_at: Any = (1, 2, 3, 4, 5),
        feature_name: Any = "auto",
        categorical_feature: Any = "auto",
        callbacks: Any = None,
        init_model: Any = None,
        *,
        eval_X: Any = None,
        eval_y: Any = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : array-like of shape (n_samples,)
            Relevances, whole numbers from 0 on.
        group : array-like of int, optional
            Sizes of the queries, whose rows follow each other; without it, which LightGBM refuses,
            all rows are one query.
        eval_group : list of array-likes, optional
            Those of each evaluation set.
        eval_at : list or tuple of int, default=(1, 2, 3, 4, 5)
            Places that metrics judge.
        sample_weight, init_score, eval_set, eval_names, eval_sample_weight, eval_init_score, \
eval_metric, feature_name, categorical_feature, callbacks, init_model, eval_X, eval_y
            As for `LGBMRegressor.fit`.
        """
        self._eval_at = list(eval_at)
        sets = EvalSets(eval_set, eval_names, eval_sample_weight, eval_init_score, eval_X, eval_y)
        sets = replace(sets, eval_group=eval_group)
        names = feature_name, categorical_feature
        return self._fit(
            X, y, sample_weight, init_score, sets, eval_metric, names, callbacks, init_model, group
        )

    @property
    def _usual_metric(self) -> str:
        return "ndcg"

    def _group(self, group: Any, rows: Any) -> Any:
        return [rows.shape[0]] if group is None else group

    def _task_params(self) -> dict[str, Any]:
        return {"objective": "lambdarank", "eval_at": self._eval_at}

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.required_y = True
        return tags
