"""Classifiers by votes: targets of one or several columns, and what is made of the votes."""

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._distance.lists import NeighbourLists, Places
from gramian._labels import check_classification_targets, encode_labels
from gramian._typing import Floats
from gramian.base import ClassifierMixin, Tags
from gramian.exceptions import DataConversionWarning, shared
from gramian.neighbors._base import NeighborsBase

__all__ = ["VotingNeighbors"]


class VotingNeighbors(ClassifierMixin, NeighborsBase):
    """Base of the classifiers whose neighbours vote."""

    _estimator_type: ClassVar[str | None] = "classifier"

    classes_: Any
    outputs_2d_: bool
    _y: NDArray[np.int64]

    def _keep_classes(self, y: Any) -> None:
        """Number the classes of each column of the target."""
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the "
                "shape of y to (n_samples,), for example using ravel().",
                shared(DataConversionWarning),
                stacklevel=4,
            )
            y = y.ravel()
        self.outputs_2d_ = y.ndim == 2
        if not self.outputs_2d_:
            self.classes_, codes = encode_labels(y)
            self._y = np.array(codes, dtype=np.int64)
            return
        check_classification_targets(y)
        coded = [np.unique(column, return_inverse=True) for column in y.T]
        self.classes_ = [classes for classes, _ in coded]
        self._y = np.column_stack([codes for _, codes in coded]).astype(np.int64)

    def _outputs(self) -> list[tuple[NDArray[Any], Places]]:
        """Return the classes and the training rows' codes, for each column of the target."""
        if not self.outputs_2d_:
            return [(self.classes_, self._y)]
        columns = np.ascontiguousarray(self._y.T)
        return list(zip(self.classes_, columns, strict=True))

    def _votes(self, lists: NeighbourLists, weights: Floats | None) -> list[Floats]:
        """Return the weight of each class, for each column of the target."""
        return [lists.votes(weights, codes, len(classes)) for classes, codes in self._outputs()]

    def _labels(self, votes: list[Floats]) -> NDArray[Any]:
        """Return the class with the most votes, the first of several."""
        outputs = self._outputs()
        labels = [
            classes[found.argmax(axis=1)]
            for (classes, _), found in zip(outputs, votes, strict=True)
        ]
        return np.column_stack(labels) if self.outputs_2d_ else labels[0]

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_label = True
        return tags
