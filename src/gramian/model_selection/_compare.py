"""Several models on the same splits, and whether they differ."""

import numbers
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import indexable
from gramian.base import clone, is_classifier, is_regressor
from gramian.exceptions import InvalidParameterError
from gramian.metrics import check_scoring
from gramian.model_selection._arguments import check_arguments
from gramian.model_selection._comparison import MetricComparison, ModelComparison
from gramian.model_selection._corrected_test import best_of, compare_scores
from gramian.model_selection._fit_score import (
    Evaluation,
    Outcome,
    fit_and_score,
    report_failures,
    scores_by_name,
)
from gramian.model_selection._parallel import run_all
from gramian.model_selection._split import (
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from gramian.model_selection._split_base import Indices
from gramian.model_selection._split_leave import check_cv
from gramian.validation import check_consistent_length, n_samples_of

Split = tuple[Indices, Indices]

_MAX_NAME = 40


def compare(
    models: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = None,
    n_repeats: int = 3,
    scoring: Any = None,
    baseline: str | None = None,
    pairs: bool = False,
    confidence: float = 0.95,
    groups: Any = None,
    params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    error_score: Any = np.nan,
    random_state: Any = 0,
) -> ModelComparison:
    """Cross-validate models on the same splits, and test which of them differ.

    Each model is compared with the best one, with the named `baseline`, or with every other, by
    the t-test of Nadeau and Bengio (2003), which allows for the overlap of the training parts
    (`corrected_ttest`); Holm's method allows for the number of tests (`compare_scores`).

    Parameters
    ----------
    models : dict of str to estimator, list of (str, estimator), or list of estimators
        The models; those without a name are called by their class, or by their text if several
        are of that class, with a number if that is taken too.
    X : table, array or sparse matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        The target.
    cv : int, splitter, iterable of (train, test) or None, default=None
        A number of folds (None is 5), shuffled `n_repeats` times, stratified if a model is a
        classifier and the target has classes; an object with ``split``; or the row numbers.
    n_repeats : int, default=3
        How often the rows are cut into folds, if `cv` is a number.
    scoring : str, callable, list, tuple, dict or None, default=None
        As for `cross_validate`; None asks the models' own ``score``. Larger must be better.
    baseline : str, optional
        The name of the model to compare all others with, instead of the best.
    pairs : bool, default=False
        Whether to compare all pairs of models.
    confidence : float, default=0.95
        Of the intervals, and of all claims of a difference together.
    groups, params, n_jobs, verbose, error_score
        As for `cross_validate`. A model that fails on a split has no mean and is ranked last; an
        error is raised only if all models fail on all splits.
    random_state : int, RandomState, Generator or None, default=0
        The source of the shuffles, if `cv` is a number. Models keep their own ``random_state``.

    Returns
    -------
    ModelComparison
        Prints as a table; has ``frame``, ``plot``, the scores of each split and the times.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.dummy import DummyRegressor
    >>> from gramian.linear_model import LinearRegression, Ridge
    >>> from gramian.model_selection import compare
    >>> X, y = load_diabetes(return_X_y=True)
    >>> result = compare([LinearRegression(), Ridge(1.0), DummyRegressor()], X, y)
    >>> for difference in result.differences:
    ...     print(difference.model, round(difference.test.mean, 3), difference.is_different)
    Ridge -0.071 True
    DummyRegressor -0.497 True
    """
    check_arguments(
        "compare",
        n_repeats=n_repeats,
        pairs=pairs,
        confidence=confidence,
        params=params,
        n_jobs=n_jobs,
        verbose=verbose,
        error_score=error_score,
        random_state=random_state,
    )
    named = name_models(models)
    _check_comparable(named, scoring, baseline, pairs)
    X, y = indexable(X), indexable(y, "y")
    check_consistent_length(X, y, groups)
    splitter = _splitter(named, cv, y, n_repeats, random_state)
    splits = _numbered(splitter.split(X, y, groups=groups), n_samples_of(X))
    evaluation = Evaluation(None, fit_params=params or {}, error_score=error_score, verbose=verbose)
    outcomes = _evaluate(named, (X, y), splits, scoring, evaluation, n_jobs)
    ratio = sum(len(test) for _, test in splits) / sum(len(train) for train, _ in splits)
    return ModelComparison(
        metrics={
            metric: _rank(metric, scores, ratio, baseline, pairs, confidence)
            for metric, scores in _scores(outcomes, scoring).items()
        },
        fit_times=_times(outcomes, "fit_time"),
        score_times=_times(outcomes, "score_time"),
        confidence=confidence,
        test_train_ratio=ratio,
        splitter=repr(splitter) if cv is None or _is_int(cv) or hasattr(cv, "split") else "",
    )


def _evaluate(
    named: dict[str, Any],
    data: tuple[Any, Any],
    splits: list[Split],
    scoring: Any,
    evaluation: Evaluation,
    n_jobs: int | None,
) -> dict[str, list[Outcome]]:
    """Fit and score all models on all splits, split by split; return the outcomes by model."""
    raises = isinstance(evaluation.error_score, str)
    evaluations = {
        name: replace(evaluation, scorer=check_scoring(model, scoring, raise_exc=raises))
        for name, model in named.items()
    }
    outcomes = run_all(
        fit_and_score,
        (
            (clone(model), data, split, evaluations[name])
            for split in splits
            for name, model in named.items()
        ),
        n_jobs=n_jobs,
        verbose=evaluation.verbose,
    )
    report_failures(outcomes, evaluation)
    return {name: outcomes[i :: len(named)] for i, name in enumerate(named)}


def name_models(models: Any) -> dict[str, Any]:
    """Return models by name; what has none is called by its class or its text."""
    if isinstance(models, Mapping):
        pairs = list(models.items())
    elif isinstance(models, (list, tuple)):
        pairs = [item if isinstance(item, tuple) else (None, item) for item in models]
    else:
        pairs = []
    for pair in pairs:
        is_named = len(pair) == 2 and (pair[0] is None or isinstance(pair[0], str))
        if not is_named or isinstance(pair[1], type) or not hasattr(pair[1], "fit"):
            raise InvalidParameterError(
                "The 'models' parameter of compare must hold estimators (instances), or pairs of "
                f"a str and an estimator. Got {pair[1] if pair[0] is None else pair!r} instead."
            )
    if len(pairs) < 2:
        raise InvalidParameterError(
            "The 'models' parameter of compare must be a dict, a list of (name, estimator) or a "
            f"list of estimators, two or more. Got {models!r} instead."
        )
    given = [name for name, _ in pairs if name is not None]
    if len(set(given)) < len(given):
        raise ValueError(f"the names of the models must be unique, not {given}.")
    named: dict[str, Any] = {}
    made = iter(_made_names([model for name, model in pairs if name is None], given))
    for name, model in pairs:
        named[next(made) if name is None else name] = model
    return named


def _made_names(models: list[Any], taken: list[str]) -> list[str]:
    """Name models by their class; several of a class by their text, or else by a number."""
    names = [type(model).__name__ for model in models]
    texts = [" ".join(repr(model).split()) for model in models]
    count = Counter([*names, *taken])
    made: list[str] = []
    for name, text in zip(names, texts, strict=True):
        if count[name] > 1:
            name = text if len(text) <= _MAX_NAME else name
        number, first = 1, name
        while name in (*made, *taken):
            number += 1
            name = f"{first} {number}"
        made.append(name)
    return made


def _check_comparable(named: dict[str, Any], scoring: Any, baseline: Any, pairs: bool) -> None:
    if baseline is not None and baseline not in named:
        raise InvalidParameterError(
            "The 'baseline' parameter of compare must be the name of a model, one of "
            f"{', '.join(named)}. Got {baseline!r} instead."
        )
    if pairs and baseline is not None:
        raise ValueError("give a baseline or pairs=True, not both.")
    classifiers = [name for name, model in named.items() if is_classifier(model)]
    regressors = [name for name, model in named.items() if is_regressor(model)]
    if scoring is None and classifiers and regressors:
        raise ValueError(
            f"the own scores of classifiers ({', '.join(classifiers)}) and regressors "
            f"({', '.join(regressors)}) cannot be compared; give scoring."
        )


def _splitter(named: dict[str, Any], cv: Any, y: Any, n_repeats: int, random_state: Any) -> Any:
    folds = check_cv(cv, y, classifier=any(is_classifier(model) for model in named.values()))
    if cv is not None and not _is_int(cv):
        return folds
    is_stratified = isinstance(folds, StratifiedKFold)
    repeated = RepeatedStratifiedKFold if is_stratified else RepeatedKFold
    return repeated(n_splits=folds.n_splits, n_repeats=n_repeats, random_state=random_state)


def _is_int(cv: Any) -> bool:
    return isinstance(cv, numbers.Integral)


def _numbered(splits: Any, n_samples: int) -> list[Split]:
    """Return the row numbers of all splits, masks of rows too."""
    rows = np.arange(n_samples)
    pairs = [(rows[np.asarray(train)], rows[np.asarray(test)]) for train, test in splits]
    if len(pairs) < 2:
        raise ValueError(f"cv gives {len(pairs)} split; models are compared on two or more.")
    return pairs


def _scores(
    by_model: dict[str, list[Outcome]], scoring: Any
) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Return the scores by measure, then by model; a single measure has the name it was given."""
    by_metric: dict[str, dict[str, NDArray[np.float64]]] = {}
    for model, outcomes in by_model.items():
        scores = scores_by_name([outcome.test_scores for outcome in outcomes])
        for name, values in scores.items():
            metric = scoring if isinstance(scoring, str) else name
            by_metric.setdefault(metric, {})[model] = np.asarray(values, dtype=np.float64)
    return by_metric


def _rank(
    metric: str,
    scores: dict[str, NDArray[np.float64]],
    ratio: float,
    baseline: str | None,
    pairs: bool,
    confidence: float,
) -> MetricComparison:
    """Sort the models, best first, and test their differences."""
    means = {name: values.mean() for name, values in scores.items()}
    order = sorted(scores, key=lambda name: np.inf if np.isnan(means[name]) else -means[name])
    ranked = {name: scores[name] for name in order}
    reference = best_of(ranked) if baseline is None else baseline
    against = None if pairs else reference
    differences = compare_scores(
        ranked, ratio, baseline=against, pairs=pairs, confidence=confidence
    )
    return MetricComparison(metric, ranked, reference, tuple(differences))


def _times(by_model: dict[str, list[Outcome]], field: str) -> dict[str, NDArray[np.float64]]:
    return {
        name: np.array([getattr(outcome, field) for outcome in outcomes])
        for name, outcomes in by_model.items()
    }
