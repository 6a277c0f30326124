"""The contenders at their defaults, each with categories passed as its documentation says."""

from typing import Any

import numpy as np
import pandas as pd

Frames = tuple[Any, Any]


def build(name: str, *, is_classification: bool, seed: int, n_threads: int, params: Any) -> Any:
    """Return a model, and what prepares its rows."""
    make = _MODELS[name]
    return make("Classifier" if is_classification else "Regressor", seed, n_threads, params)


def prepare(name: str, X: Any, X_new: Any) -> Frames:
    """Return training rows and new ones as a contender takes them."""
    if not hasattr(X, "columns"):
        return X, X_new
    return _PREPARED.get(name, _as_they_are)(X, X_new)


# -- rows ------------------------------------------------------------------------------------------


def _as_they_are(X: Any, X_new: Any) -> Frames:
    return X, X_new


def _categories_of(X: Any) -> list[str]:
    return [name for name in X.columns if not pd.api.types.is_numeric_dtype(X[name])]


def _as_category(X: Any, X_new: Any) -> Frames:
    """Return text as pandas categories, those of the training rows."""
    X, X_new = X.copy(), X_new.copy()
    for name in _categories_of(X):
        kind = pd.CategoricalDtype(sorted(X[name].dropna().astype(str).unique()))
        X[name], X_new[name] = _strings(X[name]).astype(kind), _strings(X_new[name]).astype(kind)
    return X, X_new


def _few_as_category(X: Any, X_new: Any) -> Frames:
    """Return text as categories, and as their numbers where there are more than 255."""
    X, X_new = _as_category(X, X_new)
    for name in _categories_of(X):
        if len(X[name].cat.categories) > 255:
            X[name], X_new[name] = X[name].cat.codes, X_new[name].cat.codes
    return X, X_new


def _as_text(X: Any, X_new: Any) -> Frames:
    """Return text as strings, missing ones too."""
    X, X_new = X.copy(), X_new.copy()
    for name in _categories_of(X):
        for frame in (X, X_new):
            frame[name] = _strings(frame[name]).fillna("missing")
    return X, X_new


def _strings(column: Any) -> Any:
    return column.astype(object).where(column.notna(), None).map(str, na_action="ignore")


_PREPARED = {
    "catboost": _as_text,
    "lightgbm": _as_category,
    "xgboost": _as_category,
    "sklearn": _few_as_category,
}


# -- models ----------------------------------------------------------------------------------------


def _gramian(kind: str, seed: int, n_threads: int, params: Any) -> Any:
    from gramian import boosting

    return getattr(boosting, f"Boosting{kind}")(random_state=seed, n_jobs=n_threads, **params)


def _catboost(kind: str, seed: int, n_threads: int, params: Any) -> Any:
    import catboost

    class Model(getattr(catboost, f"CatBoost{kind}")):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            names = _categories_of(X) if hasattr(X, "columns") else None
            return super().fit(X, y, cat_features=names)

    settings = {"verbose": False, "allow_writing_files": False}
    return Model(random_seed=seed, thread_count=n_threads, **settings, **params)


def _lightgbm(kind: str, seed: int, n_threads: int, params: Any) -> Any:
    import lightgbm

    make = getattr(lightgbm, f"LGBM{kind}")
    return make(random_state=seed, n_jobs=n_threads, verbose=-1, **params)


def _xgboost(kind: str, seed: int, n_threads: int, params: Any) -> Any:
    import xgboost

    make = getattr(xgboost, f"XGB{kind}")
    return make(random_state=seed, n_jobs=n_threads, enable_categorical=True, **params)


def _sklearn(kind: str, seed: int, n_threads: int, params: Any) -> Any:
    from sklearn import ensemble

    make = getattr(ensemble, f"HistGradientBoosting{kind}")
    return make(random_state=seed, **params)


_MODELS = {
    "gramian": _gramian,
    "catboost": _catboost,
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
    "sklearn": _sklearn,
}
NAMES = tuple(_MODELS)


def predicted(model: Any, X: Any, *, is_classification: bool) -> np.ndarray:
    """Return probabilities or numbers."""
    found = model.predict_proba(X) if is_classification else model.predict(X)
    return np.asarray(found, dtype=np.float64)
