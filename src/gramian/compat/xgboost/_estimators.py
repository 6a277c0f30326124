"""XGBoost's estimators on our engine."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.inputs import known_codes, of_sets
from gramian._boosting.ranking import Ranked, measure_of
from gramian._typing import Singles
from gramian.base import ClassifierMixin, RegressorMixin, Tags
from gramian.compat._links import class_probabilities, predicted
from gramian.compat.xgboost._base import Range, XGBModel
from gramian.compat.xgboost._data import DMatrix
from gramian.compat.xgboost._parameters import declared
from gramian.multiclass import check_classification_targets
from gramian.params import Callables

__all__ = ["XGBClassifier", "XGBRanker", "XGBRegressor"]


class XGBRegressor(RegressorMixin, XGBModel):
    """Regression by boosted trees, under the names and with the defaults of XGBoost's class.

    Parameters that are None have XGBoost's defaults. The guide says what becomes of each, and what
    is refused. Aliases, and parameters that XGBoost's class takes by ``**kwargs``, are accepted.

    Parameters
    ----------
    objective : str or callable, default="reg:squarederror"
        What is minimised, or a function of target and scores that returns gradient and hessian.
    n_estimators, learning_rate, max_depth, max_leaves, grow_policy, min_child_weight, gamma, \
reg_lambda, reg_alpha, max_delta_step, max_bin
        How trees grow: 100 rounds, 0.3, 6, no limit, "depthwise", 1, 0, 1, 0, 0 and 256.
    subsample, sampling_method, colsample_bytree, colsample_bylevel, colsample_bynode, \
num_parallel_tree
        Fractions of the rows and columns that are drawn, all by default, and trees of a round.
    booster, tree_method, device, multi_strategy
        "gbtree" or "dart"; any but "exact"; "cpu"; "one_output_per_tree".
    base_score, scale_pos_weight
        The prediction that trees are added to, estimated by default; weight of class 1.
    monotone_constraints, interaction_constraints
        Directions in which predictions may go, and columns that may be together.
    missing : float, default=nan
        The value that means missing.
    enable_categorical, feature_types, feature_weights, max_cat_to_onehot, max_cat_threshold
        Columns of text and categories always are categorical; "c" in `feature_types` marks codes.
    importance_type : str, optional
        What `feature_importances_` are: "gain", "weight", "cover", "total_gain" or "total_cover".
    eval_metric : str, callable or list of these, optional
        What evaluation sets are judged by.
    early_stopping_rounds : int, optional
        End after so many rounds that did not better the last metric of the last evaluation set.
    callbacks : list of TrainingCallback, optional
        What is called before and after each round.
    random_state, n_jobs, verbosity, validate_parameters
        Seed, 0 by default; number of threads; without effect.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Importance of each feature; the sum is 1.
    best_iteration, best_score : int, float
        What early stopping found.
    intercept_ : ndarray of shape (n_outputs,)
        What the trees are added to.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.compat.xgboost import XGBRegressor
    >>> from gramian.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = XGBRegressor(n_estimators=20, max_depth=3, learning_rate=0.2).fit(X, y)
    >>> bool(model.score(X, y) > 0.6)
    True
    """

    _multi_output: ClassVar[bool] = True

    objective: Any = declared("objective", "reg:squarederror", Callables())


class XGBClassifier(ClassifierMixin, XGBModel):
    """Classification by boosted trees, under the names and with the defaults of XGBoost's class.

    Labels may be of any kind; XGBoost's own class takes 0, 1, ... only. Files that `save_model`
    writes know their numbers.

    Parameters
    ----------
    objective : str or callable, default="binary:logistic"
        What is minimised; of more than two classes "multi:softprob".
    n_estimators, learning_rate, max_depth, max_leaves, grow_policy, min_child_weight, gamma, \
reg_lambda, reg_alpha, max_delta_step, max_bin, subsample, sampling_method, colsample_bytree, \
colsample_bylevel, colsample_bynode, num_parallel_tree, booster, tree_method, device, \
multi_strategy, base_score, scale_pos_weight, monotone_constraints, interaction_constraints, \
missing, enable_categorical, feature_types, feature_weights, max_cat_to_onehot, \
max_cat_threshold, importance_type, eval_metric, early_stopping_rounds, callbacks, random_state, \
n_jobs, verbosity, validate_parameters
        As for `XGBRegressor`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_classes_ : int
        Their number.
    feature_importances_ : ndarray of shape (n_features,)
        Importance of each feature; the sum is 1.
    best_iteration, best_score : int, float
        What early stopping found.
    intercept_ : ndarray of shape (n_outputs,)
        What the trees are added to.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.compat.xgboost import XGBClassifier
    >>> from gramian.datasets import load_breast_cancer
    >>> from gramian.model_selection import train_test_split
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    >>> model = XGBClassifier(n_estimators=200, early_stopping_rounds=10)
    >>> model = model.fit(X, y, eval_set=[(X_new, y_new)], verbose=False)
    >>> bool(model.score(X_new, y_new) > 0.95), model.best_iteration < 199
    (True, True)
    """

    objective: Any = declared("objective", "binary:logistic", Callables())

    _predicts_by_scores = True
    classes_: NDArray[Any]
    n_classes_: int

    def _read_target(self, y: NDArray[Any]) -> Any:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        return codes.reshape(-1).astype(np.float64)

    def _read_known_target(self, y: NDArray[Any]) -> Any:
        return known_codes(self.classes_, y)

    def _train_params(self) -> dict[str, Any]:
        params = self.get_xgb_params()
        is_multi = self.n_classes_ > 2
        if is_multi and not str(params["objective"]).startswith("multi:"):
            params["objective"] = "multi:softprob"
        if params["objective"] is None:
            params["objective"] = "binary:logistic"
        if str(params["objective"]).startswith("multi:"):
            params["num_class"] = max(self.n_classes_, 2)
        return params

    def _answer(self, scores: Singles) -> Any:
        places = (scores > 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[np.minimum(places, self.n_classes_ - 1)]

    def predict_proba(
        self,
        X: Any,
        validate_features: bool = True,
        base_margin: Any = None,
        iteration_range: Range | None = None,
    ) -> Singles:
        """Predict the probability of each class; the arguments are those of `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self._predicted(X, base_margin, iteration_range, output_margin=True)
        link = "sigmoid" if scores.ndim == 1 else "softmax"
        found = predicted(scores.astype(np.float64), link, 1.0)
        return class_probabilities(found, self.n_classes_).astype(np.float32)

    def load_model(self, fname: Any) -> None:
        """Read the trees from a file that XGBoost, or `save_model`, has written."""
        super().load_model(fname)
        assert self._booster._bias is not None
        self.n_classes_ = max(len(self._booster._bias), 2)
        self.classes_ = np.arange(self.n_classes_)


class XGBRanker(XGBModel):
    """Ranking by boosted trees, under the names and with the defaults of XGBoost's class.

    Parameters
    ----------
    objective : {"rank:ndcg", "rank:map", "rank:pairwise"}, default="rank:ndcg"
        The measure.
    n_estimators, learning_rate, max_depth, max_leaves, grow_policy, min_child_weight, gamma, \
reg_lambda, reg_alpha, max_delta_step, max_bin, subsample, sampling_method, colsample_bytree, \
colsample_bylevel, colsample_bynode, num_parallel_tree, booster, tree_method, device, \
multi_strategy, base_score, scale_pos_weight, monotone_constraints, interaction_constraints, \
missing, enable_categorical, feature_types, feature_weights, max_cat_to_onehot, \
max_cat_threshold, importance_type, eval_metric, early_stopping_rounds, callbacks, random_state, \
n_jobs, verbosity, validate_parameters
        As for `XGBRegressor`.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Importance of each feature; the sum is 1.
    best_iteration, best_score : int, float
        What early stopping found.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.compat.xgboost import XGBRanker
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.random((600, 3)), np.repeat(np.arange(30), 20)
    >>> y = np.round(3.0 * X[:, 0])
    >>> model = XGBRanker(n_estimators=20).fit(X, y, qid=qid)
    >>> bool(model.score(X, y, qid=qid) > 0.95)
    True
    """

    objective: Any = declared("objective", "rank:ndcg", Callables())

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        group: Any = None,
        qid: Any = None,
        sample_weight: Any = None,
        base_margin: Any = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        eval_group: Sequence[Any] | None = None,
        eval_qid: Sequence[Any] | None = None,
        verbose: bool | int | None = False,
        xgb_model: Any = None,
        sample_weight_eval_set: Sequence[Any] | None = None,
        base_margin_eval_set: Sequence[Any] | None = None,
        feature_weights: Any = None,
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Relevances, from 0 to 31.
        group : array-like of int, optional
            Sizes of the queries, whose rows follow each other.
        qid : array-like of shape (n_samples,), optional
            Instead of it the query of each row, rising. Without either all rows are one query.
        sample_weight : array-like of shape (n_queries,) or (n_samples,), optional
            Weights of the queries, or of the rows.
        base_margin, eval_set, verbose, xgb_model, sample_weight_eval_set, base_margin_eval_set, \
feature_weights
            As for `XGBRegressor`.
        eval_group, eval_qid : list of array-likes, optional
            The queries of each evaluation set.
        """
        rows = self._training_rows(X, y, None, base_margin)
        rows.set_info(weight=sample_weight, **_queries(rows, group, qid))
        sets, n_sets = [], len(eval_set or ())
        info = zip(
            eval_set or (),
            of_sets("eval_group", eval_group, n_sets),
            of_sets("eval_qid", eval_qid, n_sets),
            of_sets("sample_weight_eval_set", sample_weight_eval_set, n_sets),
            of_sets("base_margin_eval_set", base_margin_eval_set, n_sets),
            strict=True,
        )
        for pair, sizes, ids, weight, margin in info:
            part = self._eval_rows(*pair, base_margin=margin)
            part.set_info(weight=weight, **_queries(part, sizes, ids))
            sets.append(part)
        return self._grow(rows, sets, verbose, xgb_model, feature_weights)

    def score(self, X: Any, y: Any, *, qid: Any = None, group: Any = None) -> float:
        """Return the mean over the queries of the measure of the objective, of all places.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their relevances.
        qid, group : array-like, optional
            Their queries, as in ``fit``.
        """
        rows = self._eval_rows(X, y)
        rows.set_info(**_queries(rows, group, qid))
        assert rows._label is not None and rows._offsets is not None
        scores = self.predict(X).astype(np.float64)
        measure = "map" if self.objective == "rank:map" else "ndcg"
        return float(measure_of(measure, None, Ranked(rows._label, rows._offsets), scores).mean())

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.required_y = True
        return tags


def _queries(rows: DMatrix, group: Any, qid: Any) -> dict[str, Any]:
    """Return what tells the queries of rows; all are one without any hint."""
    if group is None and qid is None:
        group = [rows.num_row()]
    return {"group": group, "qid": qid}
