"""The members of a blend: models that differ in kind, ready for the rows that they get."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gramian._column_blocks import as_frame
from gramian.base import clone
from gramian.table import as_table
from gramian.validation import is_sparse, n_samples_of

__all__ = ["auto_members", "with_chances", "with_weights"]

_MOST_FOR_KERNELS = 10_000  # rows; time grows with their square
_MOST_FOR_NEIGHBORS = 50_000
_MOST_FOR_TABLE_NETS = 20_000  # an epoch costs twenty times that of a plain net
_N_NEIGHBORS = 15
_N_TREES = 300
_FOLDS_OF_CHANCES = 3  # by which scores are turned into probabilities
_PENALTIES = tuple(float(10.0**k) for k in range(-3, 5))

Members = list[tuple[str, Any]]


def auto_members(X: Any, y: Any, seed: int, *, is_classifier: bool, has_weights: bool) -> Members:
    """Return names and models for some rows, those first that are quick or strong.

    Parameters
    ----------
    X : table, array or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        The target; classes as numbers from 0.
    seed : int
        For whatever the members draw.
    is_classifier : bool
        Whether the target is one of classes.
    has_weights : bool
        Whether rows have weights, which models of neighbours do not take.
    """
    n_rows, ready = n_samples_of(X), _preparation(X)
    net = _table_net if n_rows <= _MOST_FOR_TABLE_NETS and not is_sparse(X) else _plain_net
    members = (_classifiers if is_classifier else _regressors)(seed, ready, net)
    rarest = int(np.bincount(y).min()) if is_classifier else n_rows
    left_out = set()
    if n_rows > _MOST_FOR_KERNELS or rarest < 2 * _FOLDS_OF_CHANCES:
        left_out.add("svm")
    if has_weights or not 4 * _N_NEIGHBORS <= n_rows <= _MOST_FOR_NEIGHBORS:
        left_out.add("neighbors")
    return [(name, model) for name, model in members if name not in left_out]


def _table_net(kind: Any, seed: int, ready: Callable[[Any], Any]) -> Any:
    """Return two nets that prepare the rows themselves; the folds add further ones."""
    return kind(preset="table", n_nets=2, random_state=seed)


def _plain_net(kind: Any, seed: int, ready: Callable[[Any], Any]) -> Any:
    net = kind(random_state=seed)
    return ready(net if net._estimator_type == "classifier" else _of_scaled_target(net))


def _classifiers(seed: int, ready: Callable[[Any], Any], net: Callable[..., Any]) -> Members:
    # Here, since the ensembles of trees need none of these families.
    from gramian.boosting import BoostingClassifier
    from gramian.ensemble._forest_classifiers import ExtraTreesClassifier, RandomForestClassifier
    from gramian.linear_model import LogisticRegression
    from gramian.neighbors import KNeighborsClassifier
    from gramian.neural_network import MLPClassifier
    from gramian.svm import SVC

    return [
        ("linear", ready(LogisticRegression())),
        ("boosting", BoostingClassifier(random_state=seed)),
        ("extra_trees", ExtraTreesClassifier(n_estimators=_N_TREES, random_state=seed)),
        ("forest", RandomForestClassifier(n_estimators=_N_TREES, random_state=seed)),
        ("symmetric", BoostingClassifier(preset="catboost", random_state=seed)),
        ("svm", ready(with_chances(SVC()))),
        ("network", net(MLPClassifier, seed, ready)),
        ("neighbors", ready(KNeighborsClassifier(_N_NEIGHBORS, weights="distance"))),
    ]


def _regressors(seed: int, ready: Callable[[Any], Any], net: Callable[..., Any]) -> Members:
    from gramian.boosting import BoostingRegressor
    from gramian.ensemble._forest_regressors import ExtraTreesRegressor, RandomForestRegressor
    from gramian.linear_model import RidgeCV
    from gramian.neighbors import KNeighborsRegressor
    from gramian.neural_network import MLPRegressor
    from gramian.svm import SVR

    return [
        ("linear", ready(RidgeCV(alphas=_PENALTIES))),
        ("boosting", BoostingRegressor(random_state=seed)),
        ("extra_trees", ExtraTreesRegressor(n_estimators=_N_TREES, random_state=seed)),
        ("forest", RandomForestRegressor(n_estimators=_N_TREES, random_state=seed)),
        ("symmetric", BoostingRegressor(preset="catboost", random_state=seed)),
        ("svm", ready(_of_scaled_target(SVR()))),
        ("network", net(MLPRegressor, seed, ready)),
        ("neighbors", ready(KNeighborsRegressor(_N_NEIGHBORS, weights="distance"))),
    ]


def _of_scaled_target(model: Any) -> Any:
    """Return a model whose penalties suit a target in any unit."""
    from gramian.compose import TransformedTargetRegressor
    from gramian.preprocessing import StandardScaler

    return TransformedTargetRegressor(model, transformer=StandardScaler())


def with_chances(model: Any) -> Any:
    """Return a classifier that gives probabilities: a calibrated one, unless it does by itself."""
    if hasattr(model, "predict_proba"):
        return model
    from gramian.calibration import CalibratedClassifierCV

    return CalibratedClassifierCV(model, cv=_FOLDS_OF_CHANCES, ensemble=False)


def _preparation(X: Any) -> Callable[[Any], Any]:
    """Return what makes a model that depends on units and knows no gaps ready for some rows.

    A mixed data frame is imputed and scaled by the models themselves, and sparse rows stay as they
    are: to centre them would fill them.
    """
    if is_sparse(X) or _is_mixed(X):
        return clone
    from gramian.impute import SimpleImputer
    from gramian.pipeline import make_pipeline
    from gramian.preprocessing import StandardScaler

    def ready(model: Any) -> Any:
        return make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler(), model)

    return ready


def _is_mixed(X: Any) -> bool:
    """Tell whether a data frame has columns of another kind than numbers."""
    if as_frame(X) is None:
        return False
    table = as_table(X)
    return table is not None and table.matrix is None


def with_weights(model: Any, weight: Any) -> dict[str, Any]:
    """Return the arguments of ``fit`` that give a member the weights of the rows."""
    steps = getattr(model, "steps", None)
    if steps is None:
        return {"sample_weight": weight}
    return {f"{name}__sample_weight": weight for name, _ in steps[1:]}
