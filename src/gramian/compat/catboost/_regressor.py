"""CatBoost's regressor on our engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gramian._typing import Floats
from gramian.base import RegressorMixin, Tags
from gramian.compat.catboost._losses import described
from gramian.compat.catboost._models import SupervisedCatBoost
from gramian.compat.catboost._pool import Pool
from gramian.compat.catboost._reader import LINKS

__all__ = ["CatBoostRegressor"]


class CatBoostRegressor(RegressorMixin, SupervisedCatBoost):
    """Regression with CatBoost's class and parameters, on our engine.

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
    loss_function : str or object, optional
        "RMSE", which is the default, "MAE", "Quantile:alpha=0.9", "MultiQuantile:alpha=0.1,0.9",
        "Expectile:alpha=0.9", "Huber:delta=1", "Poisson", "Tweedie:variance_power=1.5", "MultiRMSE"
        for several targets, or an object with the method `calc_ders_range`.

    Attributes
    ----------
    tree_count_, learning_rate_, evals_result_, best_iteration_, best_score_, \
feature_importances_, feature_names_, n_features_in_, feature_names_in_
        As for `CatBoost`.

    Examples
    --------
    >>> from gramian.compat.catboost import CatBoostRegressor
    >>> from gramian.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = CatBoostRegressor(iterations=100, depth=4, random_seed=1).fit(X, y)
    >>> bool(model.score(X, y) > 0.6)
    True
    """

    _model_kind = "regressor"

    def predict(
        self,
        data: Any,
        prediction_type: str | None = None,
        ntree_start: int = 0,
        ntree_end: int = 0,
        **options: Any,
    ) -> Floats:
        """Predict the target of each row.

        Parameters
        ----------
        data : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        prediction_type : {"RawFormulaVal", "Exponent"}, optional
            The sums of the trees, or the exponentials of these, which is the default for Poisson
            and Tweedie.
        ntree_start, ntree_end : int, default=0
            The rounds to use; an end of 0 is the last one.
        **options
            `thread_count`, `verbose` and `task_type="CPU"`, without effect.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        kind = self._usual_kind() if prediction_type is None else prediction_type
        return self._predicted(data, kind, ntree_start, ntree_end, options)

    def _usual_kind(self) -> str:
        self._ensemble()
        is_exponent = LINKS.get(described(self._loss)[0]) == "exp"
        return "Exponent" if is_exponent else "RawFormulaVal"

    def predict_raw(self, X: Any) -> Floats:
        """Return the sums of the trees.

        Parameters
        ----------
        X : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return self.predict(X, "RawFormulaVal")

    def staged_predict(
        self,
        data: Any,
        prediction_type: str | None = None,
        ntree_start: int = 0,
        ntree_end: int = 0,
        eval_period: int = 1,
        **options: Any,
    ) -> Iterator[Floats]:
        """Predict rows after every `eval_period` rounds.

        Parameters
        ----------
        data, prediction_type, ntree_start, ntree_end
            As for ``predict``.
        eval_period : int, default=1
            Rounds between two predictions.
        **options
            As for ``predict``.

        Yields
        ------
        ndarray of the shape of ``predict``
        """
        kind = self._usual_kind() if prediction_type is None else prediction_type
        yield from self._staged(data, kind, ntree_start, ntree_end, eval_period, options)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the coefficient of determination.

        Parameters
        ----------
        X : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,), optional
            Their target, unless the Pool has it.
        sample_weight : array-like of shape (n_samples,), optional
            Weights.
        """
        if isinstance(X, Pool):
            X, y = X.data, X.label
        return super().score(X, y, sample_weight)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_output = True
        return tags
