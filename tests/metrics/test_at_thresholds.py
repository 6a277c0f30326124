"""Metrics at every threshold give scikit-learn's numbers and errors."""

import numpy as np
import pytest
import sklearn.metrics

from gramian import metrics
from gramian.exceptions import InvalidParameterError


def both(*args, **options):
    return (module.metric_at_thresholds(*args, **options) for module in (metrics, sklearn.metrics))


@pytest.mark.parametrize("metric", [metrics.accuracy_score, metrics.roc_auc_score, np.stack])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, np.bool_])
@pytest.mark.parametrize("weighted", [False, True])
def test_values(metric, dtype, weighted, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y, score = rng.integers(0, 2, 60), (4 * rng.random(60)).astype(dtype)

    def function(y_true, y_pred, **options):
        if metric is not np.stack:
            return metric(y_true, y_pred, **options)
        weight = options.get("sample_weight", 1.0)
        return (y_true * weight).sum(), (y_pred * weight).sum()

    weight = rng.integers(0, 3, 60) if weighted else None
    for ours, theirs in zip(*both(y, score, function, sample_weight=weight), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def test_parameters_of_the_metric():
    y, score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    options = {"metric_params": {"normalize": False}}
    ours, theirs = both(y, score, metrics.accuracy_score, **options)
    np.testing.assert_array_equal(ours[0], theirs[0])


def test_wrong_arguments():
    y, score = [0, 1], [0.1, 0.4]
    with pytest.raises(InvalidParameterError, match="metric_func"):
        metrics.metric_at_thresholds(y, score, "accuracy")
    with pytest.raises(InvalidParameterError, match="metric_params"):
        metrics.metric_at_thresholds(y, score, metrics.accuracy_score, metric_params=[1])
    with pytest.raises(ValueError, match="inconsistent"):
        metrics.metric_at_thresholds(y, [0.1], metrics.accuracy_score)
    with pytest.raises(ValueError, match="NaN"):
        metrics.metric_at_thresholds(y, [0.1, np.nan], metrics.accuracy_score)
    with pytest.raises(TypeError, match="unexpected keyword"):
        metrics.metric_at_thresholds(y, score, lambda t, p: 1.0, sample_weight=[1.0, 2.0])
