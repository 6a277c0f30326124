"""Which models take part, against whom, and with which arguments."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from benchmarks import THREADS
from benchmarks._row import MODULES, OURS, Contender
from benchmarks.shapes.draw import Kind

NEEDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("GammaRegressor", "PoissonRegressor"), frozenset({"positive"})),
    **dict.fromkeys(("MultinomialNB", "ComplementNB", "CategoricalNB"), frozenset({"counts"})),
    **dict.fromkeys(
        ("MultiTaskElasticNet", "MultiTaskElasticNetCV", "MultiTaskLasso", "MultiTaskLassoCV"),
        frozenset({"outputs"}),
    ),
    "IsotonicRegression": frozenset({"column"}),
}
"""Class -> what its data must be."""

MOST_ROWS = {
    **dict.fromkeys(("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"), 5_000),
    **dict.fromkeys(("TheilSenRegressor", "QuantileRegressor", "LinearSVR"), 5_000),
    **dict.fromkeys(("GradientBoostingClassifier", "GradientBoostingRegressor"), 10_000),
    **dict.fromkeys(("LogisticRegressionCV", "MultiTaskElasticNetCV", "MultiTaskLassoCV"), 5_000),
    **dict.fromkeys(("HuberRegressor", "KNNImputer", "RANSACRegressor"), 10_000),
}
"""Class -> the most rows, where a peer would take minutes."""

ARGUMENTS: dict[str, dict[str, Any]] = {
    "IsotonicRegression": {"out_of_bounds": "clip"},
    "NuSVC": {"nu": 0.1},
}
"""Class -> what is passed to it and to its peers, other than the threads."""

_ROUNDS = {"n_estimators": 100, "learning_rate": 0.1}
BOOSTERS = {
    "BoostingClassifier": ("LGBMClassifier", "XGBClassifier"),
    "BoostingRegressor": ("LGBMRegressor", "XGBRegressor"),
}
"""Ours -> LightGBM's and XGBoost's, at equal rounds and leaves."""


@dataclass(frozen=True)
class Duel:
    """A model of ours and its peers, by the label that they have in the tables."""

    name: str
    kind: Kind
    contenders: Mapping[str, Contender]
    needs: frozenset[str] = field(default_factory=frozenset)
    most_rows: int = 50_000


def duels(wanted: tuple[str, ...] = ()) -> Iterator[Duel]:
    """Yield every registered model that has a peer; only those whose name has one of `wanted`."""
    from gramian.registry import FAMILIES, PARTS, estimators_of

    for family in dict.fromkeys(FAMILIES + PARTS):
        for name, cls in estimators_of((family,)).items():
            if wanted and not any(text.lower() in name.lower() for text in wanted):
                continue
            contenders = _contenders(family, name, cls)
            if contenders is not None:
                needs = NEEDS.get(name, frozenset())
                most = MOST_ROWS.get(name, 50_000)
                yield Duel(name, _kind(cls), contenders, needs, most)


def _kind(cls: Any) -> Kind:
    kind = cls._estimator_type
    return kind if kind in ("classifier", "regressor") else "other"


def _contenders(family: str, name: str, cls: Any) -> dict[str, Contender] | None:
    if name in BOOSTERS:
        return _boosters(name)
    peer = _peer_class(f"sklearn.{family}", name)
    if peer is None or _needs_arguments(cls):
        return None
    params = dict(ARGUMENTS.get(name, {}))
    found = {OURS: Contender(f"gramian.{family}", name, params)}
    for label, package in MODULES.items():
        if label != OURS:
            threads = {"n_jobs": THREADS} if hasattr(peer(**params), "n_jobs") else {}
            found[label] = Contender(f"{package}.{family}", name, {**params, **threads})
    return found


def _boosters(name: str) -> dict[str, Contender]:
    light, extreme = BOOSTERS[name]
    return {
        OURS: Contender("gramian.boosting", name, {**_ROUNDS, "preset": "lightgbm"}),
        "lightgbm": Contender("lightgbm", light, {**_ROUNDS, "n_jobs": THREADS, "verbose": -1}),
        "xgboost": Contender(
            "xgboost", extreme, {**_ROUNDS, "n_jobs": THREADS, "max_leaves": 31, "max_depth": 0}
        ),
    }


def _peer_class(module: str, name: str) -> Any:
    try:
        return getattr(import_module(module), name, None)
    except ImportError:
        return None


def _needs_arguments(cls: Any) -> bool:
    """Tell whether a class cannot be made without arguments: it is composed of others."""
    try:
        cls()
    except TypeError:
        return True
    return False
