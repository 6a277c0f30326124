"""All estimators of the library, found by looking at what the families export.

The contract tests, the documentation and the command line read this list, so a new model takes part
in them by being named in its family's ``__all__``.
"""

from functools import cache
from importlib import import_module

from gramian._estimator import BaseEstimator, MetaEstimatorMixin

__all__ = [
    "COMPATIBLE",
    "FAMILIES",
    "MODULES",
    "PARTS",
    "all_estimators",
    "estimators_of",
    "find_estimator",
    "models",
    "parts",
]

MODULES = {
    "boosting": "models",
    "calibration": "parts",
    "cluster": "models",
    "compose": "parts",
    "covariance": "parts",
    "cross_decomposition": "parts",
    "decomposition": "parts",
    "discriminant_analysis": "models",
    "dummy": "models",
    "ensemble": "models and parts",
    "feature_selection": "parts",
    "frozen": "parts",
    "impute": "parts",
    "isotonic": "parts",
    "linear_model": "models",
    "manifold": "parts",
    "mixture": "models",
    "model_selection": "parts",
    "multiclass": "parts",
    "multioutput": "parts",
    "naive_bayes": "models",
    "neighbors": "models",
    "neural_network": "models",
    "pipeline": "parts",
    "preprocessing": "parts",
    "random_projection": "parts",
    "svm": "models",
    "tree": "models",
}
"""Every module with estimators, and what it has: models, or transformers and compositions."""

FAMILIES = tuple(name for name, has in MODULES.items() if "models" in has)
"""Families of models, compared by the command line."""

PARTS = tuple(name for name, has in MODULES.items() if "parts" in has)
"""Families of transformers and compositions, most of which need another estimator to be made.

A family in both lists has models, and compositions (`MetaEstimatorMixin`), which are parts.
"""

COMPATIBLE = ("compat.catboost", "compat.lightgbm", "compat.xgboost")
"""Modules with the classes of other libraries, whose models are those of `gramian.boosting`.

Model files and the contract know them; they are not compared beside their equals.
"""

_KINDS = ("classifier", "regressor", "transformer", "cluster", "outlier_detector")


@cache
def estimators_of(families: tuple[str, ...]) -> dict[str, type[BaseEstimator]]:
    """Return name -> class of what some families export, sorted by name."""
    found: dict[str, type[BaseEstimator]] = {}
    for family in families:
        module = import_module(f"gramian.{family}")
        for name in module.__all__:
            member = getattr(module, name)
            if isinstance(member, type) and issubclass(member, BaseEstimator):
                found[name] = member
    return dict(sorted(found.items()))


def models() -> dict[str, type[BaseEstimator]]:
    """Return name -> class of every model that is fitted to rows, sorted by name."""
    compositions = _compositions()
    found = estimators_of(FAMILIES)
    return {
        name: cls
        for name, cls in found.items()
        if name not in compositions and cls._fixed_tags.get("two_d_array", True)
    }


def parts() -> dict[str, type[BaseEstimator]]:
    """Return name -> class of every transformer and composition, sorted by name."""
    only = tuple(family for family in PARTS if family not in FAMILIES)
    return dict(sorted({**estimators_of(only), **_compositions()}.items()))


def _compositions() -> dict[str, type[BaseEstimator]]:
    """Return the compositions of families that have models, too."""
    both = estimators_of(tuple(family for family in FAMILIES if family in PARTS))
    return {name: cls for name, cls in both.items() if issubclass(cls, MetaEstimatorMixin)}


def all_estimators(
    type_filter: str | list[str] | None = None,
) -> list[tuple[str, type[BaseEstimator]]]:
    """Return (name, class) of every model, sorted by name.

    Parameters
    ----------
    type_filter : str or list of str, optional
        Keep those of a kind: "classifier", "regressor", "transformer", "cluster" or
        "outlier_detector".

    Examples
    --------
    >>> from gramian.registry import all_estimators
    >>> "Ridge" in dict(all_estimators("regressor"))
    True
    """
    kinds = [type_filter] if isinstance(type_filter, str) else type_filter
    for kind in kinds or ():
        if kind not in _KINDS:
            raise ValueError(f"type_filter must be one of {', '.join(_KINDS)}. Got {kind!r}.")
    wanted = {"clusterer" if kind == "cluster" else kind for kind in kinds or ()}
    return [
        (name, cls)
        for name, cls in models().items()
        if kinds is None
        or cls._estimator_type in wanted
        or ("transformer" in wanted and cls._transforms)
    ]


def find_estimator(name: str) -> type[BaseEstimator] | None:
    """Return the class of that name, model or part, or None."""
    return estimators_of(FAMILIES + PARTS + COMPATIBLE).get(name)
