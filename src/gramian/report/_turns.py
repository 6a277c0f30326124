"""The models in turn: what each may take of the time, and what there is when it is up."""

from gramian.report._candidates import BASELINES, Candidate, is_core
from gramian.report._evaluation import Protocol, Run
from gramian.report._folds import Folds
from gramian.report._metrics import Metric
from gramian.report._results import ModelResult
from gramian.report._time_plan import TimePlan

_N_DESCRIBED = 5  # models whose predictions are kept for the report in any case
_MOST_KEPT = 10_000_000  # predictions and probabilities that are kept of all


class Turns:
    """The baseline and the models, evaluated one after the other on the same folds.

    Parameters
    ----------
    protocol : Protocol
    models : list of (name, class)
        In the order of their turns.
    """

    def __init__(self, protocol: Protocol, models: list[Candidate]) -> None:
        self.protocol = protocol
        self.was_cut = False
        baseline = BASELINES[protocol.problem.task]
        todo = [(baseline.__name__, baseline), *models]
        self.runs = [
            Run(protocol, name, cls, (number, len(todo)))
            for number, (name, cls) in enumerate(todo, start=1)
        ]

    def take(self, plan: TimePlan, *, only_core: bool = False) -> None:
        """Evaluate the models that have not had their turn, or as the first answer the core."""
        core = self._core
        for run in self.runs:
            if run.has_ended or (only_core and not (run.is_baseline or run in core)):
                continue
            limit = self._limit_for(run, plan, only_core)
            if limit is not None and limit <= 0:
                run.skip()
                continue
            run.go(limit, may_give_up=self.has_answer and not only_core)
            self._forget_predictions()

    @property
    def _core(self) -> list[Run]:
        """The models that a first answer needs."""
        return [run for run in self.runs if is_core(run.name)] or self.runs[1:2]

    @property
    def seconds_of_core(self) -> float | None:
        """How long a fit of each of them, and its predictions, take; None if that is not known."""
        seconds = [run.seconds_of_fold for run in self._core]
        known = [value for value in seconds if value is not None]
        return sum(known) if len(known) == len(seconds) else None

    def _limit_for(self, run: Run, plan: TimePlan, only_core: bool) -> float | None:
        if run.is_baseline:
            return None
        if only_core:
            has_answer = any(other.n_done for other in self.runs if not other.is_baseline)
            return plan.seconds_for_first_answer(has_answer=has_answer)
        return plan.seconds_for(run.name, has_answer=self.has_answer)

    @property
    def has_answer(self) -> bool:
        """Whether a model besides the baseline has scores."""
        return any(run.result.status == "ok" and not run.is_baseline for run in self.runs)

    def results(self) -> tuple[list[ModelResult], Folds]:
        """Return the results; if no model has all folds, those on the folds that one has."""
        folds = self.protocol.folds
        most = max((run.n_done for run in self.runs if not run.is_baseline), default=0)
        if not self.has_answer and 0 < most < len(folds.splits):
            folds = folds.first(most)
            return [run.cut(folds) for run in self.runs], folds
        return [run.result for run in self.runs], folds

    def _forget_predictions(self) -> None:
        """Keep the predictions of the best models only, where those of all need much memory."""
        of_name = {run.name: run for run in self.runs}
        kept = 0
        scored = by_score([run.result for run in self.runs], self.protocol.metric)
        for place, result in enumerate(scored):
            kept += sum(a.size for a in (result.predictions, result.probabilities) if a is not None)
            if kept > _MOST_KEPT and place > _N_DESCRIBED and result.predictions is not None:
                of_name[result.name].forget_predictions()


def by_score(results: list[ModelResult], metric: Metric) -> list[ModelResult]:
    """Return the models that have the ranking score, best first."""
    scored = [r for r in results if r.status == "ok" and metric.name in r.scores]
    return sorted(scored, key=lambda result: -metric.sign * result.mean(metric.name))
