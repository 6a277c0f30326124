"""The fits of a search."""

from collections.abc import Iterable
from itertools import product
from typing import Any

from gramian.base import clone
from gramian.model_selection._fit_score import (
    Evaluation,
    Outcome,
    fit_and_score,
    report_failures,
)
from gramian.model_selection._parallel import run_all
from gramian.model_selection._search_results import results_table

__all__ = ["SearchWork"]


class SearchWork:
    """The fits of a search, and what came of them."""

    def __init__(
        self,
        search: Any,
        data: tuple[Any, Any],
        groups: Any,
        splitter: Any,
        evaluation: Evaluation,
    ) -> None:
        self.search = search
        self.data = data
        self.groups = groups
        self.splitter = splitter
        self.evaluation = evaluation
        self.n_splits = splitter.get_n_splits(*data, groups)
        self.candidates: list[dict[str, Any]] = []
        self.outcomes: list[Outcome] = []
        self.more: dict[str, list[Any]] = {}
        self.results: dict[str, Any] = {}

    def evaluate(
        self,
        candidate_params: Iterable[dict[str, Any]],
        cv: Any = None,
        more_results: dict[str, list[Any]] | None = None,
    ) -> dict[str, Any]:
        """Fit and score candidates, and return the table of all so far."""
        candidates = list(candidate_params)
        splits = list((cv or self.splitter).split(*self.data, groups=self.groups))
        if len(splits) != self.n_splits:
            raise ValueError(
                "cv.split and cv.get_n_splits return inconsistent results. Expected "
                f"{self.n_splits} splits, got {len(splits)}"
            )
        outcomes = self._fit(candidates, splits)
        report_failures(outcomes, self.evaluation)
        self.candidates += candidates
        self.outcomes += outcomes
        for name, values in (more_results or {}).items():
            self.more.setdefault(name, []).extend(values)
        self.results = results_table(
            self.candidates,
            self.outcomes,
            self.more,
            with_train_score=self.evaluation.with_train_score,
        )
        return self.results

    def _fit(self, candidates: list[dict[str, Any]], splits: list[Any]) -> list[Outcome]:
        n_candidates, n_splits = len(candidates), len(splits)
        if self.evaluation.verbose > 0:
            print(
                f"Fitting {n_splits} folds for each of {n_candidates} candidates, totalling "
                f"{n_candidates * n_splits} fits"
            )
        pairs = product(enumerate(candidates, 1), enumerate(splits, 1))
        outcomes = run_all(
            fit_and_score,
            (
                (
                    clone(self.search.estimator),
                    self.data,
                    rows,
                    self.evaluation,
                    parameters,
                    self._progress(f" {split}/{n_splits}", f"; {number}/{n_candidates}"),
                )
                for (number, parameters), (split, rows) in pairs
            ),
            n_jobs=self.search.n_jobs,
            pre_dispatch=self.search.pre_dispatch,
        )
        if not outcomes:
            raise ValueError(
                "No fits were performed. Was the CV iterator empty? Were there no candidates?"
            )
        return outcomes

    def _progress(self, split: str, candidate: str) -> str:
        verbose = self.evaluation.verbose
        return (split if verbose > 2 else "") + (candidate if verbose > 9 else "")
