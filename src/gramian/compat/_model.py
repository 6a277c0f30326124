"""Models that another library fitted, as estimators of this one."""

from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.model import BoostedModel
from gramian._composition import available_if
from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.trees import Trees
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassifierMixin, RegressorMixin, Tags
from gramian.compat._input_rules import InputRules
from gramian.compat._links import LINKS, PROBABILITY_LINKS, class_probabilities, predicted
from gramian.compat._model_parts import ModelParts, in_single_precision
from gramian.persistence import persistable
from gramian.validation import check_is_fitted

__all__ = ["LoadedClassifier", "LoadedRegressor", "loaded_model"]


class _LoadedModel(BaseEstimator):
    """Base of loaded models."""

    library_: str
    objective_: str
    trees_: Trees
    bias_: Floats
    link_: str
    slope_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iterations_: int
    best_iteration_: int | None
    _rules: InputRules

    @classmethod
    def _of(cls, parts: ModelParts) -> Self:
        model = cls()
        model.library_, model.objective_ = parts.library, parts.objective
        model.bias_, model.link_, model.slope_ = parts.bias, parts.link, parts.slope
        model.n_features_in_ = len(parts.trees.n_levels)
        if parts.feature_names is not None:
            model.feature_names_in_ = np.array(parts.feature_names, dtype=object)
        model.n_iterations_, model.best_iteration_ = parts.n_iterations, parts.best_iteration
        model._rules, model.trees_ = parts.rules, parts.trees
        return model

    def fit(self, X: Any, y: Any = None) -> Self:
        """Raise: the model cannot be fitted again.

        Parameters
        ----------
        X, y : object
            Not looked at.
        """
        raise TypeError(
            f"{type(self).__name__} holds a model that another library has fitted, and cannot be "
            "fitted again. Where a composition calls fit, wrap it in "
            "gramian.frozen.FrozenEstimator."
        )

    def __getstate__(self) -> dict[str, Any]:
        derived = ("_boosted", "_single")
        return {k: v for k, v in super().__getstate__().items() if k not in derived}

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        if "trees_" not in vars(self):
            return f"{type(self).__name__}()"
        return (
            f"<{type(self).__name__} of {self.library_}: {self.objective_}, "
            f"{self.trees_.n_trees} trees, {self.n_features_in_} features>"
        )

    def _check_state(self) -> None:
        """Refuse attributes of a model file that do not fit together."""
        n_features, width = len(self.trees_.n_levels), self.trees_.leaf_value.shape[1]
        if self.link_ not in LINKS or self.n_features_in_ != n_features:
            raise ValueError("link_ or n_features_in_ is wrong")
        if self.bias_.ndim != 1 or len(self.bias_) == 0 or len(self.bias_) % width:
            raise ValueError("bias_ does not have one number for each output")
        if not len(self._rules.n_levels) == len(self._rules.zero_is_missing) == n_features:
            raise ValueError("the rules of the columns are wrong")

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.allow_nan = tags.native_table = True
        return tags

    # -- rows -----------------------------------------------------------------------------------

    @cached_property
    def _boosted(self) -> BoostedModel:
        """The trees as the engine holds them; files need not tell what splits have gained."""
        return BoostedModel(self.trees_, np.empty(0), self.bias_, "custom", 0.0)

    @cached_property
    def _single(self) -> BoostedModel:
        """The trees for float32, which no threshold in double precision can tell apart."""
        is_double = self.trees_.is_double.any()
        return in_single_precision(self._boosted) if is_double else self._boosted

    def _scores(self, X: Any) -> Floats:
        """Return the sums of the trees, of shape (n_samples,) or (n_samples, n_outputs)."""
        check_is_fitted(self)
        rows = self._rules.read(self, X)
        model = self._single if rows.dtype == np.float32 else self._boosted
        out = self._rules.scores(model, rows)
        return out[:, 0] if out.shape[1] == 1 else out

    def _tree_ensemble(self) -> TreeEnsemble:
        check_is_fitted(self)
        ones = np.ones(self.trees_.n_trees)
        takes_turns = self.trees_.leaf_value.shape[1] < len(self.bias_)
        return TreeEnsemble(self.trees_, ones, self.bias_, self._score_method, takes_turns)

    def _tree_rows(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        return self._rules.dense(self._rules.read(self, X))

    _score_method = ""


def _has_probabilities(model: Any) -> bool:
    return model.link_ in PROBABILITY_LINKS


@persistable
class LoadedClassifier(ClassifierMixin, _LoadedModel):
    """A classifier that another library fitted: what `load_model` returns.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes: those that the file names, else 0, 1, ...
    library_ : str
        The library that wrote the file.
    objective_ : str
        What the fit minimised, by the library's name for it.
    trees_ : Trees
        The trees.
    bias_ : ndarray of shape (n_outputs,)
        What the trees are added to.
    link_ : str
        What turns the sum into probabilities: ``"sigmoid"``, ``"softmax"`` or ``"identity"``.
    slope_ : float
        What the sum is multiplied by before.
    n_iterations_ : int
        Rounds of boosting that are used.
    best_iteration_ : int or None
        The best round by early stopping, counted from 0, if the file names one.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, if the file has them.

    See Also
    --------
    gramian.compat.xgboost.load_model, gramian.compat.lightgbm.load_model,
    gramian.compat.catboost.load_model

    Examples
    --------
    >>> from gramian.compat.lightgbm import load_model
    >>> text = '''tree
    ... version=v4
    ... num_class=1
    ... num_tree_per_iteration=1
    ... max_feature_idx=0
    ... objective=binary sigmoid:1
    ... feature_names=age
    ... feature_infos=[0:90]
    ...
    ... Tree=0
    ... num_leaves=2
    ... num_cat=0
    ... split_feature=0
    ... threshold=40.5
    ... decision_type=2
    ... left_child=-1
    ... right_child=-2
    ... leaf_value=-1 2
    ... leaf_count=30 10
    ... is_linear=0
    ... shrinkage=1
    ...
    ... end of trees
    ... '''
    >>> model = load_model(text)
    >>> model
    <LoadedClassifier of LightGBM: binary, 1 trees, 1 features>
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [25, 60]})
    >>> model.predict(people), model.predict_proba(people).round(3)
    (array([0, 1]), array([[0.731, 0.269],
           [0.119, 0.881]]))
    """

    classes_: NDArray[Any]
    _score_method = "decision_function"

    @classmethod
    def _of(cls, parts: ModelParts) -> Self:
        model = super()._of(parts)
        assert parts.classes is not None
        model.classes_ = parts.classes
        return model

    def _check_state(self) -> None:
        super()._check_state()
        if self.classes_.ndim != 1 or len(self.classes_) < max(2, len(self.bias_) * self._is_multi):
            raise ValueError("classes_ does not have one class for each output")

    @property
    def _is_multi(self) -> bool:
        """Whether there is one score for each class; else each score is of a class of its own."""
        return len(self.bias_) > 1 and len(self.classes_) == len(self.bias_)

    def decision_function(self, X: Any) -> Floats:
        """Return the sum of the trees, the raw score: log-odds, if probabilities follow from it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows; columns of data frames are matched by name.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._scores(X)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows; columns of data frames are matched by name.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            For several yes-or-no targets the probability of each.
        """
        found = predicted(self._scores(X), self.link_, self.slope_)
        return class_probabilities(found, len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows; columns of data frames are matched by name.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Classes; several columns for several yes-or-no targets.
        """
        scores = self._scores(X)
        places = scores.argmax(axis=1) if self._is_multi else (scores > 0.0).astype(np.intp)
        return np.asarray(self.classes_[places])


@persistable
class LoadedRegressor(RegressorMixin, _LoadedModel):
    """A regressor or ranker that another library fitted: what `load_model` returns.

    Attributes
    ----------
    library_ : str
        The library that wrote the file.
    objective_ : str
        What the fit minimised, by the library's name for it.
    trees_ : Trees
        The trees.
    bias_ : ndarray of shape (n_outputs,)
        What the trees are added to.
    link_ : str
        What turns the sum into the prediction, such as ``"identity"`` or ``"exp"``.
    slope_ : float
        What the sum is multiplied by before.
    n_iterations_ : int
        Rounds of boosting that are used.
    best_iteration_ : int or None
        The best round by early stopping, counted from 0, if the file names one.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, if the file has them.

    See Also
    --------
    gramian.compat.xgboost.load_model, gramian.compat.lightgbm.load_model,
    gramian.compat.catboost.load_model

    Examples
    --------
    >>> from gramian.compat.catboost import load_model
    >>> split = {"split_type": "FloatFeature", "float_feature_index": 0, "border": 0.5}
    >>> column = {"flat_feature_index": 0, "nan_value_treatment": "AsIs", "feature_id": ""}
    >>> tree = {"splits": [split], "leaf_values": [-1.0, 1.0], "leaf_weights": [5, 5]}
    >>> model = load_model({
    ...     "features_info": {"float_features": [column]},
    ...     "model_info": {"params": {"loss_function": {"type": "RMSE"}}},
    ...     "oblivious_trees": [tree],
    ...     "scale_and_bias": [1, [10.0]],
    ... })
    >>> model.predict([[0.0], [1.0]])
    array([ 9., 11.])
    """

    _score_method = "predict_raw"

    def predict_raw(self, X: Any) -> Floats:
        """Return the sum of the trees, before the link.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows; columns of data frames are matched by name.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return self._scores(X)

    def predict(self, X: Any) -> Floats:
        """Return the prediction for each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows; columns of data frames are matched by name.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return predicted(self._scores(X), self.link_, self.slope_)


def loaded_model(parts: ModelParts) -> LoadedClassifier | LoadedRegressor:
    """Return the model that a file describes."""
    kind = LoadedRegressor if parts.classes is None else LoadedClassifier
    return kind._of(parts)
