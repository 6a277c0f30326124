"""Lines about a fit, in the form of CatBoost's."""

from __future__ import annotations

from gramian.boosting import RoundReport
from gramian.compat.catboost._engine import MetricPlan

__all__ = ["MetricLog"]


class MetricLog:
    """Prints the deciding metric of a fit.

    Parameters
    ----------
    period : int
        Rounds between two lines; 0: nothing is printed.
    metrics : MetricPlan
        What is followed.
    """

    def __init__(self, period: int, metrics: MetricPlan) -> None:
        self.period, self.metrics = period, metrics

    def report(self, report: RoundReport) -> None:
        """Print a line, if it is time."""
        number = report.iteration
        if not self.period or (number % self.period and number + 1 < report.n_estimators):
            return
        print("\t".join([f"{number}:", *self._values(report), *_times(report)]))

    def _values(self, report: RoundReport) -> list[str]:
        """Return the newest values, and the best one."""
        found = []
        metric = self.metrics.metrics[-1] if self.metrics.metrics else None
        values: list[float] = []
        for part, metrics in report.evals_result.items():
            name = metric.name if metric is not None and metric.name in metrics else None
            if name is None:
                name = next(iter(reversed(metrics)), None)
            if name is not None:
                values = metrics[name]
                found.append(f"{'learn' if part == 'learn' else 'test'}: {values[-1]:.7f}")
        if metric is not None and len(report.evals_result) > 1 and values:
            best = max(values) if metric.is_higher_better else min(values)
            found.append(f"best: {best:.7f} ({values.index(best) * self.metrics.period})")
        return found


def _times(report: RoundReport) -> list[str]:
    done = report.iteration + 1
    left = report.seconds / done * (report.n_estimators - done)
    return [f"total: {report.seconds:.3g}s", f"remaining: {left:.3g}s"]
