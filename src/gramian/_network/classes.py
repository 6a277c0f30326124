"""Classes as a net sees them: codes or indicators, and how well outputs meet them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import type_of_target
from gramian._network.rows import TrainingData

__all__ = ["codes_of_known", "mean_log_loss", "require_indicators"]


def require_indicators(y: NDArray[Any], n_labels: int | None) -> None:
    """Raise ValueError for several columns that are no zeros and ones, or not as many as known."""
    kind = type_of_target(y)
    if kind != "multilabel-indicator":
        raise ValueError(
            f"Unknown label type: {kind}. Several columns must be zeros and ones, one column "
            "for each label; MultiOutputClassifier fits a model for each column of classes."
        )
    if n_labels is not None and y.shape[1] != n_labels:
        raise ValueError(f"`y` has {y.shape[1]} columns of labels, but the model {n_labels}.")


def codes_of_known(
    known: NDArray[Any], classes: NDArray[Any], codes: NDArray[np.intp], *, is_partial: bool
) -> NDArray[np.intp]:
    """Return the codes of rows among the classes of the first fit, from those among their own."""
    if not is_partial and not np.array_equal(classes, known):
        raise ValueError(
            "warm_start can only be used where `y` has the same classes as in the previous "
            f"call to fit. Previously got {known}, `y` has {classes}"
        )
    places = np.searchsorted(known, classes).clip(max=len(known) - 1)
    if (known[places] != classes).any():
        raise ValueError(
            f"`y` has classes not in `self.classes_`. `self.classes_` has {known}. "
            f"'y' has {classes}."
        )
    found: NDArray[np.intp] = places[codes]
    return found


def mean_log_loss(data: TrainingData, outputs: NDArray[Any]) -> float:
    """Return the weighted mean of the log loss; of several labels their sum is taken."""
    p = outputs.astype(np.float64)
    if data.values is None:
        assert data.codes is not None
        chosen = p[np.arange(len(p)), data.codes]
    else:
        chosen = np.where(data.values > 0.5, p, 1.0 - p)
    losses = -np.log(np.maximum(chosen, np.finfo(np.float64).eps)).reshape(len(p), -1).sum(axis=1)
    return float(np.average(losses, weights=data.weight))
