"""CatBoost's class without a kind, and the parameters of those with one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from numpy.typing import NDArray

from gramian.compat.catboost._base import CatBoostModel, pool_of
from gramian.compat.catboost._parameters import declared
from gramian.params import Mappings, Nothing, param

__all__ = ["CatBoost", "CatBoostEstimator", "SupervisedCatBoost"]


class CatBoost(CatBoostModel):
    """Boosted trees with CatBoost's parameters: classes, numbers or orders, as the loss says.

    Parameters
    ----------
    params : dict, optional
        CatBoost's parameters, by any of their names; see the guide for what becomes of each. An
        unknown one is refused, and so is one that our engine has nothing for.

    Attributes
    ----------
    tree_count_ : int
        Number of rounds that are kept.
    classes_ : ndarray of shape (n_classes,)
        The classes, if the loss has any.
    learning_rate_ : float
        The learning rate, given or chosen.
    evals_result_ : dict
        Set -> metric -> list of its values; the sets are "learn", "validation" or, if there are
        several, "validation_0" and so on.
    best_iteration_ : int or None
        Round, from 0, after which `eval_metric` was best on the last evaluation set.
    best_score_ : dict
        Set -> metric -> its best value.
    feature_importances_ : ndarray of shape (n_features,)
        By how much predictions change with each feature, on the average; sum 100.
    feature_names_ : list of str
        Names of the columns.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.compat.catboost import CatBoost, Pool
    >>> from gramian.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = CatBoost({"loss_function": "MAE", "iterations": 50, "depth": 4})
    >>> model = model.fit(Pool(X, y))
    >>> model.tree_count_, model.predict(X[:2]).shape
    (50, (2,))
    """

    params: dict[str, Any] | None = param(None, Mappings() | Nothing(), positional=True)

    def _given(self) -> dict[str, Any]:
        others = super()._given()
        return {**(others.pop("params", None) or {}), **others}

    def fit(
        self,
        X: Any,
        y: Any = None,
        cat_features: Any = None,
        *,
        sample_weight: Any = None,
        group_id: Any = None,
        baseline: Any = None,
        eval_set: Any = None,
        **options: Any,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features; a Pool has all that belongs to the rows.
        y : array-like, optional
            Target.
        cat_features : array-like of int or str, optional
            Places or names of categorical columns.
        sample_weight, group_id, baseline : array-like, optional
            As for `Pool`.
        eval_set : Pool, (X, y) or list of these, optional
            Rows that are judged after each round; the last set decides early stopping.
        **options
            `use_best_model`, `early_stopping_rounds`, `verbose`, `verbose_eval`, `silent`,
            `logging_level` and `metric_period`, which are parameters as well; `init_model`, a
            fitted model whose rounds are kept; `callbacks`, objects whose method
            ``after_iteration(info)`` returns whether to go on.
        """
        pool = pool_of(X, y, cat_features, sample_weight, baseline, group_id)
        return self._fit(pool, eval_set, options)

    def predict(
        self,
        data: Any,
        prediction_type: str = "RawFormulaVal",
        ntree_start: int = 0,
        ntree_end: int = 0,
        **options: Any,
    ) -> NDArray[Any]:
        """Predict rows.

        Parameters
        ----------
        data : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        prediction_type : str, default="RawFormulaVal"
            "RawFormulaVal", the sums of the trees; "Exponent" of these; of classes also "Class",
            "Probability" and "LogProbability".
        ntree_start, ntree_end : int, default=0
            The rounds to use; an end of 0 is the last one.
        **options
            `thread_count`, `verbose` and `task_type="CPU"`, without effect.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return self._predicted(data, prediction_type, ntree_start, ntree_end, options)

    def staged_predict(
        self,
        data: Any,
        prediction_type: str = "RawFormulaVal",
        ntree_start: int = 0,
        ntree_end: int = 0,
        eval_period: int = 1,
        **options: Any,
    ) -> Iterator[NDArray[Any]]:
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
        yield from self._staged(data, prediction_type, ntree_start, ntree_end, eval_period, options)


class CatBoostEstimator(CatBoostModel):
    """The classes with parameters of their own."""

    iterations: int | None = declared("iterations", positional=True)
    learning_rate: float | None = declared("learning_rate", positional=True)
    depth: int | None = declared("depth", positional=True)
    l2_leaf_reg: float | None = declared("l2_leaf_reg", positional=True)
    model_size_reg: float | None = declared("model_size_reg", positional=True)
    rsm: float | None = declared("rsm", positional=True)
    loss_function: Any = declared("loss_function", positional=True)
    border_count: int | None = declared("border_count", positional=True)
    nan_mode: str | None = declared("nan_mode")
    leaf_estimation_iterations: int | None = declared("leaf_estimation_iterations")
    thread_count: int | None = declared("thread_count")
    random_seed: int | None = declared("random_seed")
    use_best_model: bool | None = declared("use_best_model")
    verbose: Any = declared("verbose")
    one_hot_max_size: int | None = declared("one_hot_max_size")
    random_strength: float | None = declared("random_strength")
    ignored_features: Any = declared("ignored_features")
    custom_metric: Any = declared("custom_metric")
    eval_metric: Any = declared("eval_metric")
    bootstrap_type: str | None = declared("bootstrap_type")
    subsample: float | None = declared("subsample")
    bagging_temperature: float | None = declared("bagging_temperature")
    early_stopping_rounds: int | None = declared("early_stopping_rounds")
    cat_features: Any = declared("cat_features")
    grow_policy: str | None = declared("grow_policy")
    min_data_in_leaf: int | None = declared("min_data_in_leaf")
    max_leaves: int | None = declared("max_leaves")
    score_function: str | None = declared("score_function")
    monotone_constraints: Any = declared("monotone_constraints")
    boost_from_average: bool | None = declared("boost_from_average")


class SupervisedCatBoost(CatBoostEstimator):
    """What the classifier and the regressor share."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        cat_features: Any = None,
        text_features: Any = None,
        embedding_features: Any = None,
        graph: Any = None,
        sample_weight: Any = None,
        baseline: Any = None,
        use_best_model: bool | None = None,
        eval_set: Any = None,
        **options: Any,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : Pool, array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features; a Pool has all that belongs to the rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
            Classes, or numbers.
        cat_features : array-like of int or str, optional
            Places or names of categorical columns.
        text_features, embedding_features, graph : None
            Not supported.
        sample_weight, baseline : array-like, optional
            As for `Pool`.
        use_best_model : bool, optional
            Whether rounds after the best one are dropped; by default if there is an `eval_set`.
        eval_set : Pool, (X, y) or list of these, optional
            Rows that are judged after each round; the last set decides early stopping.
        **options
            As for `CatBoost.fit`.
        """
        pool = pool_of(X, y, cat_features, sample_weight, baseline)
        options |= {"text_features": text_features, "embedding_features": embedding_features}
        options |= {"graph": graph, "use_best_model": use_best_model}
        return self._fit(pool, eval_set, options)
