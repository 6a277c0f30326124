"""Several classes by classifiers of two; and what kind of target an array holds."""

from gramian._labels import (
    as_label_array,
    check_classification_targets,
    type_of_target,
    unique_labels,
)
from gramian.multiclass._one_vs_one import OneVsOneClassifier
from gramian.multiclass._one_vs_rest import OneVsRestClassifier
from gramian.multiclass._output_code import OutputCodeClassifier

__all__ = [
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "as_label_array",
    "check_classification_targets",
    "type_of_target",
    "unique_labels",
]
