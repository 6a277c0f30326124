"""The names of scorers, and the metric that each of them stands for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_SCORES = ("decision_function", "predict_proba")


@dataclass(frozen=True)
class NamedScorer:
    """A metric by name, its sign, what it takes of the estimator, and its arguments."""

    function: str
    sign: int = 1
    response: str | tuple[str, ...] = "predict"
    options: dict[str, Any] = field(default_factory=dict)

    def metric(self) -> Callable[..., Any] | None:
        """Return the function; None as long as `gramian.metrics` has none of that name."""
        from gramian import metrics

        if self.function in _RATIOS:
            return _RATIOS[self.function] if hasattr(metrics, "class_likelihood_ratios") else None
        found: Callable[..., Any] | None = getattr(metrics, self.function, None)
        return found


def positive_likelihood_ratio(y_true: Any, y_pred: Any) -> Any:
    """Return the ratio of the rates of true and of false positives; 1 where it is undefined."""
    from gramian import metrics

    return metrics.class_likelihood_ratios(y_true, y_pred, replace_undefined_by=1.0)[0]


def negative_likelihood_ratio(y_true: Any, y_pred: Any) -> Any:
    """Return the ratio of the rates of false and of true negatives; 1 where it is undefined."""
    from gramian import metrics

    return metrics.class_likelihood_ratios(y_true, y_pred, replace_undefined_by=1.0)[1]


_RATIOS: dict[str, Callable[..., Any]] = {
    "positive_likelihood_ratio": positive_likelihood_ratio,
    "negative_likelihood_ratio": negative_likelihood_ratio,
}


def _averages() -> dict[str, NamedScorer]:
    """Return the scorers of metrics that are averaged over classes in several ways."""
    found = {}
    for name in ("precision", "recall", "f1", "jaccard"):
        metric = f"{name}_score"
        found[name] = NamedScorer(metric, options={"average": "binary"})
        for average in ("macro", "micro", "samples", "weighted"):
            options = {"pos_label": None, "average": average}
            found[f"{name}_{average}"] = NamedScorer(metric, options=options)
    return found


def _areas() -> dict[str, NamedScorer]:
    """Return the scorers of the area under the ROC curve with several classes."""
    found = {}
    for scheme in ("ovr", "ovo"):
        for suffix, average in (("", {}), ("_weighted", {"average": "weighted"})):
            options = {"multi_class": scheme, **average}
            found[f"roc_auc_{scheme}{suffix}"] = NamedScorer(
                "roc_auc_score", response="predict_proba", options=options
            )
    return found


_ERRORS = (
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_gamma_deviance",
    "mean_poisson_deviance",
    "mean_squared_error",
    "mean_squared_log_error",
    "median_absolute_error",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
)
_CLUSTERINGS = (
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
)

SCORERS: dict[str, NamedScorer] = {
    "accuracy": NamedScorer("accuracy_score"),
    "average_precision": NamedScorer("average_precision_score", response=_SCORES),
    "balanced_accuracy": NamedScorer("balanced_accuracy_score"),
    "d2_absolute_error_score": NamedScorer("d2_absolute_error_score"),
    "d2_brier_score": NamedScorer("d2_brier_score", response="predict_proba"),
    "d2_log_loss_score": NamedScorer("d2_log_loss_score", response="predict_proba"),
    "explained_variance": NamedScorer("explained_variance_score"),
    "matthews_corrcoef": NamedScorer("matthews_corrcoef"),
    "neg_brier_score": NamedScorer("brier_score_loss", -1, "predict_proba"),
    "neg_log_loss": NamedScorer("log_loss", -1, "predict_proba"),
    "neg_negative_likelihood_ratio": NamedScorer("negative_likelihood_ratio", -1),
    "positive_likelihood_ratio": NamedScorer("positive_likelihood_ratio"),
    "r2": NamedScorer("r2_score"),
    "roc_auc": NamedScorer("roc_auc_score", response=_SCORES),
    "top_k_accuracy": NamedScorer("top_k_accuracy_score", response=_SCORES),
    **{f"neg_{name}": NamedScorer(name, -1) for name in _ERRORS},
    **{name: NamedScorer(name) for name in _CLUSTERINGS},
    **_averages(),
    **_areas(),
}
"""Name in a `scoring` parameter -> what it stands for."""
