"""What stacks and blends share: the folds of all members, and what these say as columns."""

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.ensemble._named import NamedEnsemble
from gramian.model_selection import check_cv, cross_val_predict
from gramian.validation import check_is_fitted

__all__ = ["HeldOutEnsemble", "out_of_fold"]

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def out_of_fold(model: Any, data: tuple[Any, Any], options: dict[str, Any]) -> Any:
    """Return what copies of a model say of the rows they were not fitted to."""
    return cross_val_predict(model, *data, **options)


def _columns(predicted: Any, *, is_complement: bool) -> NDArray[Any]:
    """Return predictions as a matrix, without columns that follow from the others.

    `is_complement` says that the first column is one minus the second. The probabilities of
    several labels come as a list, with two columns for each.
    """
    if isinstance(predicted, list):
        return np.hstack([label[:, 1:] for label in predicted])
    if predicted.ndim == 1:
        return np.asarray(predicted).reshape(-1, 1)
    return np.asarray(predicted[:, 1:] if is_complement else predicted)


class HeldOutEnsemble(NamedEnsemble):
    """Base of ensembles that learn from what their members predict for rows held out."""

    cv: Any
    classes_: Any
    stack_method_: list[str]
    _widths: list[int]

    def _splits(self, X: Any, y: Any) -> list[Split]:
        """Return training and test rows of the folds, the same for all members."""
        splitter = check_cv(self._splitter(), y, classifier=self._estimator_type == "classifier")
        # A copy, since the splits of a splitter that shuffles may differ from call to call.
        return list(deepcopy(splitter).split(X, y))

    def _splitter(self) -> Any:
        return self.cv

    def _blocks(self, predicted: list[Any]) -> list[NDArray[Any]]:
        """Return the columns that each estimator gives."""
        classes = vars(self).get("classes_")
        is_binary = isinstance(classes, np.ndarray) and len(classes) == 2
        return [
            _columns(values, is_complement=is_binary and method == "predict_proba")
            for values, method in zip(predicted, self.stack_method_, strict=True)
        ]

    def _said_of(self, X: Any) -> list[Any]:
        """Return what the fitted estimators say of new rows."""
        check_is_fitted(self)
        models = zip(self.estimators_, self.stack_method_, strict=True)
        return [getattr(model, method)(X) for model, method in models]

    def _blocks_of(self, X: Any) -> list[NDArray[Any]]:
        """Return the columns that the fitted estimators give for new rows."""
        return self._blocks(self._said_of(X))

    def _block_names(self) -> list[str]:
        head = type(self).__name__.lower()
        names = []
        for name, width in zip(self._kept_names(), self._widths, strict=True):
            suffixes = [""] if width == 1 else range(width)
            names += [f"{head}_{name}{suffix}" for suffix in suffixes]
        return names
