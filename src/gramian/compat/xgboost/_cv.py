"""Cross-validation of boosted trees: XGBoost's cv."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.compat._folds import Fold, cut_folds, given_folds
from gramian.compat.xgboost._booster import Booster
from gramian.compat.xgboost._data import DMatrix
from gramian.compat.xgboost._metrics import Metric
from gramian.compat.xgboost._parameters import as_params
from gramian.compat.xgboost._session import CustomObjective, Settings
from gramian.compat.xgboost._train import CustomMetric, Growth, Verbose, all_callbacks
from gramian.compat.xgboost.callback import TrainingCallback
from gramian.model_selection import KFold, StratifiedKFold
from gramian.params import Integer, check_arguments

__all__ = ["cv"]

Places = NDArray[np.intp]


def cv(
    params: Any,
    dtrain: DMatrix,
    num_boost_round: int = 10,
    *,
    nfold: int = 3,
    stratified: bool = False,
    folds: Any = None,
    metrics: str | Sequence[str] = (),
    obj: CustomObjective | None = None,
    maximize: bool | None = None,
    early_stopping_rounds: int | None = None,
    fpreproc: Callable[..., Any] | None = None,
    as_pandas: bool = True,
    verbose_eval: Verbose = None,
    show_stdv: bool = True,
    seed: int = 0,
    callbacks: Sequence[TrainingCallback] | None = None,
    shuffle: bool = True,
    custom_metric: CustomMetric | None = None,
) -> Any:
    """Grow trees on all but one part of the rows, each part in turn, and judge them on that part.

    Parameters
    ----------
    params : dict
        Parameters by XGBoost's names; see the guide for what becomes of each.
    dtrain : DMatrix
        The rows with their labels. Queries stay whole.
    num_boost_round : int, default=10
        Number of rounds.
    nfold : int, default=3
        Number of parts.
    stratified : bool, default=False
        Whether parts are stratified by the classes.
    folds : splitter or list of (train, test), optional
        The parts as numbers of rows, or what makes them.
    metrics : str or list of str, optional
        Metrics; by default `eval_metric` of the parameters.
    obj, maximize, callbacks, custom_metric
        As for `train`.
    early_stopping_rounds : int, optional
        End after so many rounds that did not better the mean of the last metric; the result ends
        with the best round.
    fpreproc : callable, optional
        Takes the training rows, the other rows and the parameters of a fold, and returns them.
    as_pandas : bool, default=True
        Whether to return a pandas data frame, if pandas is there, or a dict of lists.
    verbose_eval : bool or int, optional
        Whether, or after how many rounds, to print the metrics.
    show_stdv : bool, default=True
        Whether to print standard deviations.
    seed : int, default=0
        Seed of the parts.
    shuffle : bool, default=True
        Whether rows are shuffled before they are cut into parts.

    Returns
    -------
    data frame or dict
        Mean and standard deviation of each metric on training and other rows after each round.

    Examples
    --------
    >>> import gramian.compat.xgboost as xgb
    >>> from gramian.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = xgb.cv({"max_depth": 2}, xgb.DMatrix(X, label=y), 3, as_pandas=False)
    >>> list(found)
    ['train-rmse-mean', 'train-rmse-std', 'test-rmse-mean', 'test-rmse-std']
    """
    check_arguments("cv", nfold=(nfold, Integer(2)), num_boost_round=(num_boost_round, Integer(1)))
    given = as_params(params)
    if metrics:
        given["eval_metric"] = [metrics] if isinstance(metrics, str) else list(metrics)
    settings = Settings.read(given, "train", stacklevel=3)
    given = dict(settings.translation.given)  # without what is ignored
    rows = _folds(dtrain, nfold, bool(stratified), folds, int(seed) if shuffle else None)
    group = _Folds([_Fold.of(dtrain, *one, given, fpreproc) for one in rows])
    growth = Growth(
        all_callbacks(callbacks, early_stopping_rounds, maximize, verbose_eval, show_stdv)
    )
    growth.run(
        group,
        int(num_boost_round),
        lambda number: group.update(number, obj),
        lambda: group.evaluate(settings.metrics(), custom_metric, obj is not None),
    )
    return _table(growth.history, group.best_round, as_pandas)


@dataclass(frozen=True)
class _Fold:
    """One fold: its rows, and the trees that grow on them."""

    train: DMatrix
    test: DMatrix
    booster: Booster

    @classmethod
    def of(
        cls,
        data: DMatrix,
        fitted: Places,
        held_out: Places,
        params: dict[str, Any],
        fpreproc: Callable[..., Any] | None,
    ) -> "_Fold":
        """Return the fold of some rows."""
        train, test = (_taken(data, np.sort(places)) for places in (fitted, held_out))
        if fpreproc is not None:
            train, test, params = fpreproc(train, test, dict(params))
        return cls(train, test, Booster(params))


class _Folds:
    """All folds, as callbacks see them: what they set and ask of a model is done for each."""

    def __init__(self, packs: list[_Fold]) -> None:
        self.cvfolds = packs
        self.best_round: int | None = None

    def num_boosted_rounds(self) -> int:
        """Return the number of rounds."""
        return self.cvfolds[0].booster.num_boosted_rounds()

    def set_attr(self, **attributes: Any) -> None:
        """Set attributes of all boosters."""
        if "best_iteration" in attributes:
            self.best_round = int(attributes["best_iteration"])
        for pack in self.cvfolds:
            pack.booster.set_attr(**attributes)

    def set_param(self, params: Any, value: Any = None) -> None:
        """Set parameters of all boosters."""
        for pack in self.cvfolds:
            pack.booster.set_param(params, value)

    def update(self, number: int, obj: CustomObjective | None) -> None:
        """Grow a round of each."""
        for pack in self.cvfolds:
            pack.booster.update(pack.train, number, obj)

    def evaluate(
        self, metrics: Sequence[Metric], custom: CustomMetric | None, custom_takes_scores: bool
    ) -> list[tuple[str, str, tuple[float, float]]]:
        """Return set, metric, and its mean and standard deviation over the folds."""
        each = []
        for pack in self.cvfolds:
            sets = [(pack.train, "train"), (pack.test, "test")]
            each.append(pack.booster._evaluated(sets, metrics, custom, custom_takes_scores))
        values = np.array([[value for _, _, value in found] for found in each])
        ends = zip(values.mean(axis=0).tolist(), values.std(axis=0).tolist(), strict=True)
        return [(name, metric, end) for (name, metric, _), end in zip(each[0], ends, strict=True)]


def _folds(
    data: DMatrix, n_folds: int, is_stratified: bool, folds: Any, seed: int | None
) -> list[Fold]:
    """Return the rows of each fold: those to fit, and those to test."""
    n_rows, shuffles = data.num_row(), seed is not None
    if folds is None and data._offsets is not None:
        queries = np.repeat(np.arange(len(data._offsets) - 1), np.diff(data._offsets))
        splitter = KFold(n_folds, shuffle=shuffles, random_state=seed)
        return [
            (np.flatnonzero(np.isin(queries, a)), np.flatnonzero(np.isin(queries, b)))
            for a, b in splitter.split(np.zeros((len(data._offsets) - 1, 1)))
        ]
    if folds is None and is_stratified:
        folds = StratifiedKFold(n_folds, shuffle=shuffles, random_state=seed)
    if folds is None:
        return cut_folds(n_rows, n_folds, seed)
    return given_folds(folds, n_rows, data._label)


def _taken(data: DMatrix, places: Places) -> DMatrix:
    """Return some rows, and the queries that they make up."""
    part = data.slice(places, allow_groups=True)
    if data._offsets is not None:
        numbers = np.repeat(np.arange(len(data._offsets) - 1), np.diff(data._offsets))
        part.set_info(qid=numbers[places])
    return part


def _table(history: Any, best: int | None, as_pandas: bool) -> Any:
    """Return the values of all rounds, up to the best one if it is known."""
    columns: dict[str, list[float]] = {}
    for name, metrics in history.items():
        for metric, values in metrics.items():
            kept = values if best is None else values[: best + 1]
            columns[f"{name}-{metric}-mean"] = [mean for mean, _ in kept]
            columns[f"{name}-{metric}-std"] = [deviation for _, deviation in kept]
    if not as_pandas:
        return columns
    try:
        import pandas as pd
    except ImportError:
        return columns
    return pd.DataFrame(columns)
