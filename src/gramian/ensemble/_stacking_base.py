"""What both stacks share: out-of-fold predictions, and the final model fitted to them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame, as_matrix, feature_names
from gramian._composition import available_if
from gramian._parts import run_parts
from gramian._routing import MetadataRouter, MethodMapping, Routed, RoutedMethods, route
from gramian._tags import tags_of
from gramian.base import clone
from gramian.ensemble._columns import in_order_of_fit, put_in_front
from gramian.ensemble._held_out import HeldOutEnsemble, out_of_fold
from gramian.ensemble._named import fit_member
from gramian.table import as_table
from gramian.validation import all_finite, check_is_fitted, check_sparse, is_sparse

__all__ = ["METHODS", "BaseStacking", "final_has"]

METHODS = ("predict_proba", "decision_function", "predict")


def final_has(method: str) -> Callable[[Callable[..., Any]], Any]:
    """Make a method exist only where the final estimator has one of that name."""

    def check(stack: Any) -> bool:
        final = vars(stack).get("final_estimator_", stack.final_estimator)
        getattr(stack._default_final() if final is None else final, method)
        return True

    return available_if(check)


def _needs_table(X: Any) -> bool:
    """Tell whether columns of a data frame can reach a model only as such: text, dates, gaps."""
    frame = as_frame(X)
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return False
    table = as_table(X)
    return table is not None and (table.matrix is None or not all_finite(table.matrix))


class BaseStacking(HeldOutEnsemble):
    """What both stacks share: the out-of-fold predictions and the final model."""

    final_estimator: Any
    stack_method: str
    passthrough: bool
    verbose: int

    def _default_final(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must write _default_final.")

    def _unfitted_final(self) -> Any:
        final = self._default_final() if self.final_estimator is None else self.final_estimator
        if tags_of(final).estimator_type != self._estimator_type:
            raise ValueError(
                f"'final_estimator' parameter should be a {self._estimator_type}. Got {final}"
            )
        return clone(final)

    def _method_of(self, name: str, part: Any) -> str:
        """Return what is asked of an estimator."""
        is_auto = self.stack_method == "auto"
        wanted = METHODS if is_auto else (self.stack_method,)
        for method in wanted:
            if hasattr(part, method):
                return method
        shown = list(wanted) if is_auto else self.stack_method
        raise ValueError(f"Underlying estimator {name} does not implement the method {shown}.")

    def _fit_to(self, X: Any, y: Any, given: dict[str, Any], routed: Routed) -> None:
        """Fit the estimators to all rows, and the final one to what they predict."""
        final = self._unfitted_final()
        active = self._active()
        is_prefit = isinstance(self.cv, str) and self.cv == "prefit"
        if is_prefit:
            fitted = [part for _, part in active]
            for part in fitted:
                check_is_fitted(part)
        else:
            fitted = self._fit_members(X, y, routed, "Stacking", verbose=False)
        methods = [self._method_of(name, part) for name, part in active]
        if is_prefit:
            predicted = [getattr(p, m)(X) for p, m in zip(fitted, methods, strict=True)]
        else:
            predicted = self._held_out(X, y, methods, routed)
        self._store(fitted)
        self.stack_method_ = methods
        blocks = self._blocks(predicted)
        self._widths = [int(block.shape[1]) for block in blocks]
        self._joins_table = bool(self.passthrough) and _needs_table(X)
        self.final_estimator_ = fit_member(final, self._final_rows(X, blocks), y, given)

    def _held_out(self, X: Any, y: Any, methods: list[str], routed: Routed) -> list[Any]:
        """Return the out-of-fold predictions of each estimator, for the same folds."""
        splits = self._splits(X, y)
        shared = {"cv": splits, "n_jobs": self.n_jobs, "verbose": int(self.verbose)}
        calls = [
            (clone(part), (X, y), {**shared, "method": method, "params": routed[name]["fit"]})
            for (name, part), method in zip(self._active(), methods, strict=True)
        ]
        return run_parts(out_of_fold, calls, self.n_jobs)

    def _joined(self, X: Any, blocks: list[NDArray[Any]]) -> Any:
        if not self.passthrough:
            return np.hstack(blocks)
        X = in_order_of_fit(self, X)
        if is_sparse(X):
            from scipy import sparse

            return sparse.hstack([*blocks, check_sparse(X)], format=X.format)
        return np.hstack([*blocks, as_matrix(X)])

    def _final_rows(self, X: Any, blocks: list[NDArray[Any]]) -> Any:
        """Return the rows of the final estimator: a data frame if it needs one."""
        if self._joins_table and as_frame(X) is not None:
            return put_in_front(X, np.hstack(blocks), self._block_names())
        return self._joined(X, blocks)

    def transform(self, X: Any) -> Any:
        """Return what the final estimator is given: the predictions of the others.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or sparse matrix
            For each estimator one column, or one for each class; of two probabilities the second
            only. With `passthrough` the columns of `X` follow.
        """
        return self._joined(X, self._blocks_of(X))

    def _check_state(self) -> None:
        """Refuse widths of a model file that the final estimator does not take."""
        widths = vars(self).get("_widths", [])
        most = getattr(vars(self).get("final_estimator_"), "n_features_in_", 2**20)
        if not all(type(width) is int and width >= 0 for width in widths) or sum(widths) > most:
            raise ValueError("the widths of the members do not fit the final estimator")

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns of ``transform``.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the columns of `X`, for `passthrough`; by default those seen at fit.
        """
        check_is_fitted(self, "n_features_in_")
        names = self._block_names()
        if self.passthrough or input_features is not None:
            passed_on = feature_names(self, input_features)
            names = [*names, *passed_on] if self.passthrough else names
        return np.array(names, dtype=object)

    def _ask_final(self, method: str, X: Any, params: dict[str, Any] | None = None) -> Any:
        rows = self._final_rows(X, self._blocks_of(X))
        return getattr(self.final_estimator_, method)(rows, **(params or {}))

    def _predict(self, X: Any, params: dict[str, Any]) -> Any:
        check_is_fitted(self)
        otherwise = Routed(final_estimator_=RoutedMethods(predict=params))
        routed = route(self, "predict", params, otherwise)
        return self._ask_final("predict", X, routed["final_estimator_"]["predict"])

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the estimators, and which to the final one."""
        final = vars(self).get("final_estimator_", self.final_estimator)
        mapping = MethodMapping(predict="predict")
        return super().get_metadata_routing().add(final_estimator_=final, method_mapping=mapping)
