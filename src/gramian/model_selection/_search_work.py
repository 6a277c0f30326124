"""The fits of a search."""

from collections.abc import Callable, Iterable
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
from gramian.model_selection._shared_fits import fit_and_score_many, shares_fits


class SearchWork:
    """The fits of a search, and what came of them."""

    def __init__(
        self,
        search: Any,
        data: tuple[Any, Any],
        split_params: dict[str, Any],
        splitter: Any,
        evaluation: Evaluation,
    ) -> None:
        self.search = search
        self.data = data
        self.split_params = split_params
        self.splitter = splitter
        self.evaluation = evaluation
        self.n_splits = splitter.get_n_splits(*data, **split_params)
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
        splits = list((cv or self.splitter).split(*self.data, **self.split_params))
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
        if shares_fits(self.search.estimator, candidates, n_splits, self.search.n_jobs):
            outcomes = self._fit_many(candidates, splits)
        else:
            outcomes = self._fit_singly(candidates, splits)
        if not outcomes:
            raise ValueError(
                "No fits were performed. Was the CV iterator empty? Were there no candidates?"
            )
        return outcomes

    def _fit_singly(self, candidates: list[dict[str, Any]], splits: list[Any]) -> list[Outcome]:
        pairs = product(enumerate(candidates, 1), enumerate(splits, 1))
        return self._run(
            fit_and_score,
            (
                (
                    clone(self.search.estimator),
                    self.data,
                    rows,
                    self.evaluation,
                    parameters,
                    self._progress(f" {split}/{len(splits)}", f"; {number}/{len(candidates)}"),
                )
                for (number, parameters), (split, rows) in pairs
            ),
        )

    def _fit_many(self, candidates: list[dict[str, Any]], splits: list[Any]) -> list[Outcome]:
        n_candidates = len(candidates)
        by_split = self._run(
            fit_and_score_many,
            (
                (
                    clone(self.search.estimator),
                    self.data,
                    rows,
                    self.evaluation,
                    candidates,
                    [
                        self._progress(f" {split}/{len(splits)}", f"; {number}/{n_candidates}")
                        for number in range(1, n_candidates + 1)
                    ],
                )
                for split, rows in enumerate(splits, 1)
            ),
        )
        return [outcome for of_candidate in zip(*by_split, strict=True) for outcome in of_candidate]

    def _run(self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> list[Any]:
        return run_all(
            function, calls, n_jobs=self.search.n_jobs, pre_dispatch=self.search.pre_dispatch
        )

    def _progress(self, split: str, candidate: str) -> str:
        verbose = self.evaluation.verbose
        return (split if verbose > 2 else "") + (candidate if verbose > 9 else "")
