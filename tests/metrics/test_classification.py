"""The accuracy is scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.metrics

from gramian.metrics import accuracy_score

INDICATOR = np.array([[0, 1], [1, 1], [1, 0]])


@pytest.mark.parametrize(
    ("y_true", "y_pred"),
    [
        ([0, 2, 1, 3], [0, 1, 2, 3]),
        (["a", "b", "b"], ["a", "b", "a"]),
        (np.array(["a", "bb"], dtype=object), np.array(["a", "b"])),
        ([True, False, True], [True, True, True]),
        ([1.0, 2.0, 3.0], [1, 2, 2]),
        ([[1], [2], [2]], [1, 2, 1]),
        (INDICATOR, np.ones((3, 2))),
        (scipy.sparse.csr_array(INDICATOR), INDICATOR),
    ],
)
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_same_as_scikit_learn(y_true, y_pred, normalize, weighted):
    n_samples = INDICATOR.shape[0] if scipy.sparse.issparse(y_true) else len(y_true)
    weight = np.arange(1.0, n_samples + 1) if weighted else None
    options = {"normalize": normalize, "sample_weight": weight}
    expected = sklearn.metrics.accuracy_score(y_true, y_pred, **options)
    result = accuracy_score(y_true, y_pred, **options)
    assert isinstance(result, float)
    assert result == pytest.approx(expected)


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([1, 2, 3], [1, 2], "inconsistent numbers of samples"),
        ([0.5, 1.5], [1, 2], "mix of continuous and binary"),
        ([0.5, 1.5], [0.5, 1.5], "continuous is not supported"),
        (["a", "b"], [1, 2], "Mix of label input types"),
        (INDICATOR, [0, 1, 1], "mix of multilabel-indicator and binary"),
        (INDICATOR, np.ones((3, 3), dtype=int), "different numbers of labels"),
        ([], [], "Found empty input array"),
    ],
)
def test_refusals(y_true, y_pred, message):
    with pytest.raises(ValueError):
        sklearn.metrics.accuracy_score(y_true, y_pred)
    with pytest.raises(ValueError, match=message):
        accuracy_score(y_true, y_pred)
