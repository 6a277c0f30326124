"""Which models are compared on a table, in what turn, and how they are set up."""

import warnings
from typing import Any

import numpy as np

from gramian._memory import available_bytes
from gramian._text import nearest_names
from gramian.base import BaseEstimator
from gramian.calibration import CalibratedClassifierCV
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.encoding import TableEncoding
from gramian.registry import all_estimators
from gramian.report._metrics import Metric
from gramian.report._problem import Problem
from gramian.report._reading import TableError
from gramian.report._results import Settings
from gramian.report._standardised import Standardised
from gramian.utils.validation import has_fit_parameter

Candidate = tuple[str, type[BaseEstimator]]

_CALIBRATION_FOLDS = 3  # with 5 folds the rarest class has at least 4 rows in a training part

BASELINES: dict[str, type[BaseEstimator]] = {
    "regression": DummyRegressor,
    "classification": DummyClassifier,
}

# A useful answer early, when the time is short or somebody presses Ctrl-C: cheap and strong models
# first, and last those whose time grows faster than the rows or columns.
_FIRST = (
    "LinearRegression",
    "LogisticRegression",
    "HistGradientBoosting",
    "RandomForest",
    "Boosting",
    "ExtraTrees",
    "Ridge",
    "MixedNB",
)
_LAST = ("GradientBoosting", "SVR", "SVC", "NuSVR", "NuSVC", "Quantile", "FirthLogisticRegression")

# Models that another one stands for: the same with its penalty chosen, or the same
# machine in other parameters.
STAND_INS = {
    "ElasticNet": "ElasticNetCV",
    "ExtraTreeClassifier": "DecisionTreeClassifier",
    "ExtraTreeRegressor": "DecisionTreeRegressor",
    "GaussianNB": "MixedNB",
    "Lasso": "LassoCV",
    "NuSVC": "SVC",
    "NuSVR": "SVR",
    "Perceptron": "SGDClassifier",
    "Ridge": "RidgeCV",
    "RidgeClassifier": "RidgeClassifierCV",
}

# How many matrices of n x n numbers a fit to n rows holds at once.
_SQUARE_MATRICES = {
    "GaussianProcessClassifier": 4,
    "GaussianProcessRegressor": 3,
    "KernelRidge": 2,
    "LabelPropagation": 2,
    "LabelSpreading": 2,
}
_MEMORY_SHARE = 0.5  # of what the machine has left

# Fits whose time grows with the square of the rows or faster: hours beyond so many.
_MOST_ROWS = {
    "GaussianProcessClassifier": 3_000,
    "GaussianProcessRegressor": 5_000,
    "KernelRidge": 10_000,
    "NuSVC": 50_000,
    "NuSVR": 50_000,
    "SVC": 50_000,
    "SVR": 50_000,
}

_ROWS_READ = 5_000  # to count the levels of columns

# Parameters without which a model refuses tables whose columns follow from each other, or shrinks
# to a constant on standardised columns.
_FOR_ANY_TABLE: dict[str, dict[str, Any]] = {
    "MLPClassifier": {"max_iter": 1000},
    "MLPRegressor": {"max_iter": 1000},
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.01},
    "QuantileRegressor": {"alpha": 0.001},
}

# Models whose penalty, tube or step length is in units of the target.
_IN_TARGET_UNITS = (
    "GaussianProcessRegressor",
    "KernelRidge",
    "LinearSVR",
    "MLPRegressor",
    "NuSVR",
    "QuantileRegressor",
    "SGDRegressor",
    "SVR",
)


def suitable_models(problem: Problem) -> list[Candidate]:
    """Return (name, class) of the registered models for a problem, without baselines."""
    return [(name, cls) for name, cls in models_for(problem.task) if _takes(cls, problem)]


def models_for(task: str) -> list[Candidate]:
    """Return the registered models of a task that predict one target, without baselines."""
    kind = "regressor" if task == "regression" else "classifier"
    baselines = {cls.__name__ for cls in BASELINES.values()}
    return [
        (name, cls)
        for name, cls in all_estimators(kind)
        if name not in baselines and _suits_any_table(cls)
    ]


def _suits_any_table(cls: type[BaseEstimator]) -> bool:
    """Tell whether a model predicts one target of columns in any unit, as it is.

    Models of counts need columns of one unit, none of them negative. A radius has to suit the
    table: with the default, rows have no neighbours or all. Some models need another to be made.
    """
    try:
        model = cls()
    except TypeError:
        return False
    tags = model._tags()
    is_plain = tags.single_output and not tags.positive_only and not tags.one_d_array
    return is_plain and hasattr(model, "predict") and not hasattr(model, "radius")


def _takes(cls: type[BaseEstimator], problem: Problem) -> bool:
    return problem.task == "regression" or problem.n_classes == 2 or cls()._tags().multi_class


def choose_models(problem: Problem, wanted: tuple[str, ...] | None) -> list[Candidate]:
    """Return the models to compare, cheap and strong ones first."""
    task, known = problem.task, dict(models_for(problem.task))
    if not known:
        raise TableError(f"the target asks for a {task}, and there is no model for that yet.")
    for name in wanted or ():
        if name not in known:
            close = nearest_names(name, list(known))
            there_are = f"did you mean {', '.join(close)}?" if close else _others(name, task, known)
            raise TableError(f"there is no {task} model {name!r}; {there_are}")
        if not _takes(known[name], problem):
            raise TableError(
                f"{name} is for two classes, and {problem.target!r} has {problem.n_classes}; "
                "leave it out."
            )
    suitable = suitable_models(problem)
    names = dict(suitable)
    chosen = [
        (name, cls)
        for name, cls in suitable
        if (STAND_INS.get(name) not in names if wanted is None else name in wanted)
    ]
    return sorted(chosen, key=lambda named: turn(named[0]))


def _others(name: str, task: str, known: dict[str, type[BaseEstimator]]) -> str:
    """Say what a name that no model of the task is like may be, and which models there are."""
    other = next(other for other in BASELINES if other != task)
    what = f"{name} is one for a {other}. " if name in dict(models_for(other)) else ""
    return f"{what}There are {', '.join(known)}."


def turn(name: str) -> int:
    """Return when a model has its turn."""
    kind = name.removesuffix("Classifier").removesuffix("Regressor")
    for names, first in ((_FIRST, -len(_FIRST)), (_LAST, 1)):
        for known in (name, kind):
            if known in names:
                return first + names.index(known)
    return 0


def is_core(name: str) -> bool:
    """Tell whether a model is one of the three that a useful answer needs."""
    return turn(name) <= turn("RandomForest")


def reason_to_skip(
    name: str, model: Any, problem: Problem, metric: Metric, n_train: int, *, is_wanted: bool
) -> str:
    """Say why a model cannot be fitted to the table here; empty if it can."""
    if problem.weight is not None and not has_fit_parameter(plain_model(model), "sample_weight"):
        return "it takes no weights"
    gives = hasattr(model, "predict_proba") or hasattr(model, "decision_function")
    if metric.needs != "values" and not gives:
        return f"it gives nothing that {metric.label} could be taken of"
    return _reason_of_target(name, model, problem, n_train) or _reason_of_size(
        name, problem, n_train, is_wanted=is_wanted
    )


def _reason_of_target(name: str, model: Any, problem: Problem, n_train: int) -> str:
    if problem.task == "regression":
        least = float(problem.y.min())
        if name == "GammaRegressor" and least <= 0:
            return f"it needs a target above 0, and the least is {least:.4g}"
        if plain_model(model)._tags().positive_y and least < 0:
            return f"it needs a target that is not negative, and the least is {least:.4g}"
        return ""
    rarest = int(np.unique(problem.y, return_counts=True)[1].min() * n_train / problem.n_rows)
    width = _encoded_width(problem) if name == "QuadraticDiscriminantAnalysis" else 0
    if rarest <= width:
        return (
            f"it has a covariance for each class, and the rarest class has {rarest} training rows "
            f"for {width} columns{' of numbers' if width > problem.X.width else ''}"
        )
    return ""


def _encoded_width(problem: Problem) -> int:
    """Return how many columns of numbers a model sees that cannot read labels."""
    if all(dtype.is_numeric() for dtype in problem.X.dtypes):
        return problem.X.width
    n_rows = min(problem.n_rows, _ROWS_READ)
    encoding = TableEncoding().fit(problem.X[:n_rows], problem.y[:n_rows], classification=True)
    return len(encoding.get_feature_names_out())


def _reason_of_size(name: str, problem: Problem, n_train: int, *, is_wanted: bool) -> str:
    needed = 8 * _SQUARE_MATRICES.get(name, 0) * n_train**2
    allowed = available_bytes()
    if allowed is not None and needed > _MEMORY_SHARE * allowed:
        return (
            f"a matrix of {n_train} x {n_train} rows, {needed / 1e9:.1f} GB with its copies, does "
            f"not fit into half of the {allowed / 1e9:.1f} GB that are free"
        )
    if n_train > _MOST_ROWS.get(name, n_train) and not is_wanted:
        return (
            f"its time grows with the square of the rows and more, and there are {n_train}; "
            f"--models {name} fits it all the same"
        )
    return ""


def make_model(
    cls: type[BaseEstimator], problem: Problem, metric: Metric, settings: Settings
) -> Any:
    """Return a model of the class, ready for the table and for the measure.

    Parameters are the class's own, but for those without which it would fail on many tables. It is
    wrapped in `CalibratedClassifierCV` if the measure needs probabilities that it does not give,
    and in `Standardised` unless it reads tables.
    """
    name = cls.__name__
    model: Any = cls(**_FOR_ANY_TABLE.get(name, {}))
    parameters = model.get_params(deep=False)
    if "random_state" in parameters:
        model.set_params(random_state=settings.seed)
    if name == "NuSVC":
        model.set_params(nu=min(model.nu, _feasible_nu(problem.y)))
    if metric.name == "pinball" and settings.quantile != 0.5:
        _ask_for_quantile(model, settings.quantile)
    is_native = cls in BASELINES.values() or model._tags().native_table
    gives_decisions = hasattr(model, "decision_function")
    if metric.needs_probabilities and not hasattr(model, "predict_proba") and gives_decisions:
        model = CalibratedClassifierCV(model, cv=_CALIBRATION_FOLDS, ensemble=False)
    if is_native:
        return model
    return Standardised(estimator=model, scale_target=name in _IN_TARGET_UNITS)


def _feasible_nu(y: Any) -> float:
    """Return the largest share of margin errors that a pair of classes allows, a tenth less."""
    counts = np.sort(np.unique(y, return_counts=True)[1])
    return float(round(0.9 * 2 * counts[0] / (counts[0] + counts[-1]), 4))


def _ask_for_quantile(model: Any, quantile: float) -> None:
    """Have a model predict a quantile, if it can."""
    parameters = model.get_params(deep=False)
    if isinstance(model, DummyRegressor):
        model.set_params(strategy="quantile", quantile=quantile)
    elif "loss" in parameters and "quantile" in parameters:
        model.set_params(loss="quantile", quantile=quantile)
    elif "quantile" in parameters:
        model.set_params(quantile=quantile)
    elif type(model).__name__ == "GradientBoostingRegressor":
        model.set_params(loss="quantile", alpha=quantile)


def plain_model(model: Any) -> Any:
    """Return the model inside what `make_model` has put around it."""
    while isinstance(model, (Standardised, CalibratedClassifierCV)):
        model = model.estimator
    return model


def is_calibrated(model: Any) -> bool:
    """Tell whether `make_model` has calibrated the model."""
    return isinstance(getattr(model, "estimator", model), CalibratedClassifierCV)


def ignore_changes_to_come() -> None:
    """Ignore warnings of defaults that will change: only who writes the call can act on them."""
    warnings.simplefilter("ignore", FutureWarning)
