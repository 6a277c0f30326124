"""Write the model files of ``data/`` with the real libraries, and what these predict.

    python tests/compat/make_files.py

Needs xgboost, lightgbm, catboost and pandas. The tests need only what it leaves behind: one
compressed file for each model, and ``expected.npz`` with the rows and the predictions.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import pandas as pd
import xgboost

DATA = Path(__file__).parent / "data"
N_TRAIN, N_NEW = 400, 60
NUMBERS = ["a", "b", "c", "d"]
CITIES = np.array(["Bonn", "Lyon", "Oslo", "Pisa", "Rome", "Ulm"])

Case = tuple[str, bytes, Any, Any]  # name of the file, its content, raw and final predictions


def make_rows(n: int, seed: int) -> pd.DataFrame:
    """Return columns with missing values, ties, zeros and categories."""
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(rng.normal(size=(n, 4)), columns=NUMBERS)
    rows["c"] = rows["c"].round(1)
    rows["d"] = np.where(rng.random(n) < 0.3, 0.0, rows["d"])
    rows[rng.random(rows.shape) < 0.1] = np.nan
    rows["city"] = rng.integers(0, len(CITIES), n)
    rows["size"] = rng.choice([2, 3, 5, 40], n)
    return rows


def targets(rows: pd.DataFrame) -> dict[str, Any]:
    """Return a number, a count, two and three classes, and several numbers."""
    rng = np.random.default_rng(9)
    filled = rows[NUMBERS].fillna(0.3)
    number = filled["a"] * filled["b"] + np.sin(2 * filled["c"]) + (rows["d"] == 0.0)
    number = number + np.where(rows["city"] % 2 == 0, 1.0, -0.5) + 0.2 * (rows["size"] == 5)
    number = (number + 0.1 * rng.normal(size=len(rows))).to_numpy()
    return {
        "number": number,
        "count": rng.poisson(np.exp(0.5 * number.clip(-3, 3))),
        "two": (number > 0.5).astype(int),
        "three": np.digitize(number, [-0.2, 1.0]),
        "several": np.column_stack([number, number**2, rows["a"].fillna(0.0)]),
    }


TRAIN, NEW = make_rows(N_TRAIN, 0), make_rows(N_NEW, 1)
Y = targets(TRAIN)
X, X_NEW = TRAIN[NUMBERS].to_numpy(), NEW[NUMBERS].to_numpy()


def with_categories(rows: pd.DataFrame, cities: Any = CITIES) -> pd.DataFrame:
    """Return the rows with a column of text and one of numbers as categories of pandas."""
    frame = rows.copy()
    frame["city"] = pd.Categorical(CITIES[rows["city"]], categories=cities)
    frame["size"] = pd.Categorical(rows["size"], categories=[40, 5, 3, 2])
    return frame


def codes(rows: pd.DataFrame) -> Any:
    """Return an array with codes of categories in its last two columns."""
    return rows[[*NUMBERS, "city", "size"]].to_numpy(dtype=float)


def strange_codes(rows: pd.DataFrame) -> Any:
    """Return codes of which some are unknown, negative, fractions or missing."""
    array = codes(rows)
    array[::7, 4] = [99.0, -1.0, np.nan, 2.7, 0.4, 6.0, 63.0, 64.0, 1e9][: len(array[::7])]
    array[3::9, 5] = np.nan
    return array


# -- XGBoost -----------------------------------------------------------------------------------


def xgb_file(model: Any, name: str) -> tuple[str, bytes]:
    """Return the name of a file, and the file."""
    booster = model if isinstance(model, xgboost.Booster) else model.get_booster()
    return f"xgboost_{name}", bytes(booster.save_raw(name.rpartition(".")[2]))


def xgb_case(model: Any, name: str, rows: Any = X_NEW) -> Case:
    """Return a case of one of XGBoost's classes."""
    is_classifier = hasattr(model, "predict_proba")
    value = model.predict_proba(rows) if is_classifier else model.predict(rows)
    return (*xgb_file(model, name), model.predict(rows, output_margin=True), value)


def xgboost_cases() -> Iterator[Case]:
    """Yield models of XGBoost."""
    few = {"n_estimators": 6, "max_depth": 3, "learning_rate": 0.5}
    classifier, regressor = xgboost.XGBClassifier, xgboost.XGBRegressor
    yield xgb_case(classifier(**few).fit(X, Y["two"]), "binary.json")
    yield xgb_case(classifier(**few).fit(X, Y["three"]), "multi.ubj")
    yield xgb_case(regressor(objective="count:poisson", **few).fit(X, Y["count"]), "poisson.json")
    gamma = regressor(objective="reg:gamma", base_score=3.0, **few)
    yield xgb_case(gamma.fit(X, Y["count"] + 1.0), "gamma.ubj")
    yield xgb_case(regressor(objective="reg:logistic", **few).fit(X, Y["two"] * 0.8), "logit.json")
    stopping = classifier(n_estimators=60, max_depth=4, early_stopping_rounds=3, learning_rate=0.9)
    stopping.fit(X[:200], Y["two"][:200], eval_set=[(X[200:], Y["two"][200:])], verbose=False)
    assert stopping.best_iteration + 4 == stopping.get_booster().num_boosted_rounds()
    yield xgb_case(stopping, "stopped.json")
    dart = {"booster": "dart", "rate_drop": 0.5, "one_drop": True, "random_state": 1}
    yield xgb_case(classifier(**few, **dart).fit(X, Y["three"]), "dart.ubj")
    forest = {"num_parallel_tree": 3, "subsample": 0.7, "colsample_bynode": 0.7}
    yield xgb_case(
        classifier(n_estimators=2, max_depth=3, **forest).fit(X, Y["three"]), "forest.json"
    )
    yield xgb_case(regressor(**few).fit(X, Y["several"]), "targets.ubj")
    labels = (Y["several"] > 0.5).astype(int)
    yield xgb_case(classifier(**few).fit(X, labels), "labels.json")
    vector = regressor(multi_strategy="multi_output_tree", tree_method="hist", **few)
    yield xgb_case(vector.fit(X, Y["several"]), "vector.json")
    for onehot in (1, 10):
        model = classifier(enable_categorical=True, max_cat_to_onehot=onehot, **few)
        model.fit(with_categories(TRAIN), Y["three"])
        yield xgb_case(model, f"categories_{onehot}.json", with_categories(NEW))
    kinds = ["q"] * 4 + ["c"] * 2
    train = xgboost.DMatrix(codes(TRAIN), Y["number"], feature_types=kinds, enable_categorical=True)
    booster = xgboost.train({"max_depth": 4, "max_cat_to_onehot": 1}, train, 6)
    new = xgboost.DMatrix(strange_codes(NEW), feature_types=kinds, enable_categorical=True)
    raw = booster.predict(new, output_margin=True)
    yield (*xgb_file(booster, "codes.ubj"), raw, booster.predict(new))
    linear = regressor(booster="gblinear", n_estimators=2).fit(np.nan_to_num(X), Y["number"])
    yield (*xgb_file(linear, "linear.json"), np.empty(0), np.empty(0))


# -- LightGBM ----------------------------------------------------------------------------------


def lgb_case(model: Any, name: str, rows: Any = X_NEW) -> Case:
    """Return a case of one of LightGBM's classes."""
    is_classifier = hasattr(model, "predict_proba")
    value = model.predict_proba(rows) if is_classifier else model.predict(rows)
    text = model.booster_.model_to_string().encode()
    return f"lightgbm_{name}.txt", text, model.predict(rows, raw_score=True), value


def lightgbm_cases() -> Iterator[Case]:
    """Yield models of LightGBM."""
    few: dict[str, Any] = {"n_estimators": 6, "num_leaves": 7, "learning_rate": 0.5, "verbose": -1}
    classifier, regressor = lightgbm.LGBMClassifier, lightgbm.LGBMRegressor
    yield lgb_case(classifier(sigmoid=2.0, **few).fit(X, Y["two"]), "binary")
    yield lgb_case(classifier(**few).fit(X, Y["three"]), "multi")
    yield lgb_case(classifier(objective="multiclassova", **few).fit(X, Y["three"]), "ova")
    yield lgb_case(regressor(zero_as_missing=True, **few).fit(X, Y["number"]), "zero")
    yield lgb_case(regressor(use_missing=False, **few).fit(X, Y["number"]), "nothing_missing")
    filled = np.nan_to_num(X, nan=0.3)
    yield lgb_case(regressor(**few).fit(filled, Y["number"]), "filled")
    yield lgb_case(regressor(objective="poisson", **few).fit(X, Y["count"]), "poisson")
    yield lgb_case(regressor(reg_sqrt=True, **few).fit(X, Y["number"]), "sqrt")
    yield lgb_case(regressor(objective="cross_entropy", **few).fit(X, Y["two"] * 0.8), "entropy")
    lambdas = regressor(objective="cross_entropy_lambda", **few)
    yield lgb_case(lambdas.fit(X, Y["two"] * 0.8), "lambda")
    forest = {"boosting_type": "rf", "subsample": 0.6, "subsample_freq": 1}
    name, text, raw, value = lgb_case(classifier(**few, **forest).fit(X, Y["three"]), "forest")
    yield name, text, raw / few["n_estimators"], value  # raw_score=True is a sum, not the mean
    dart = {"boosting_type": "dart", "drop_rate": 0.5}
    yield lgb_case(regressor(**few, **dart).fit(X, Y["number"]), "dart")
    stopping = classifier(**{**few, "n_estimators": 200})
    halves = lightgbm.early_stopping(3, verbose=False)
    stopping.fit(X[:200], Y["two"][:200], eval_set=[(X[200:], Y["two"][200:])], callbacks=[halves])
    yield lgb_case(stopping, "stopped")
    small = {"cat_smooth": 1.0, "cat_l2": 1.0, "min_data_per_group": 5, "max_cat_to_onehot": 1}
    new = with_categories(NEW, CITIES[::-1])
    new.loc[:5, "city"] = np.nan
    new["city"] = new["city"].cat.rename_categories({"Ulm": "Vienna"})
    model = classifier(**few, **small).fit(with_categories(TRAIN), Y["three"])
    yield lgb_case(model, "categories", new)
    model = regressor(**few, **small).fit(codes(TRAIN), Y["number"], categorical_feature=[4, 5])
    yield lgb_case(model, "codes", strange_codes(NEW))
    linear = regressor(linear_tree=True, **few).fit(filled, Y["number"])
    yield "lightgbm_linear.txt", linear.booster_.model_to_string().encode(), *[np.empty(0)] * 2


# -- CatBoost ----------------------------------------------------------------------------------


def cat_case(model: Any, name: str, rows: Any = X_NEW, pool: Any = None) -> Case:
    """Return a case of one of CatBoost's classes."""
    path = DATA / "catboost.tmp"
    model.save_model(str(path), format="json", pool=pool)
    content = path.read_bytes()
    path.unlink()
    is_classifier = hasattr(model, "predict_proba")
    value = model.predict_proba(rows) if is_classifier else model.predict(rows)
    raw = model.predict(rows, prediction_type="RawFormulaVal")
    return f"catboost_{name}.json", content, raw, value


def catboost_cases() -> Iterator[Case]:
    """Yield models of CatBoost."""
    few = {"iterations": 6, "depth": 3, "learning_rate": 0.5, "verbose": 0}
    few["allow_writing_files"] = False
    classifier, regressor = catboost.CatBoostClassifier, catboost.CatBoostRegressor
    names = np.array(["ill", "well"])[Y["two"]]
    yield cat_case(classifier(**few).fit(X, names), "binary")
    yield cat_case(classifier(**few).fit(X, Y["three"]), "multi")
    yield cat_case(classifier(loss_function="MultiClassOneVsAll", **few).fit(X, Y["three"]), "ova")
    labels = (Y["several"] > 0.5).astype(int)
    yield cat_case(classifier(loss_function="MultiLogloss", **few).fit(X, labels), "labels")
    yield cat_case(regressor(nan_mode="Max", **few).fit(X, Y["number"]), "nan_above")
    yield cat_case(regressor(**few).fit(np.nan_to_num(X, nan=0.3), Y["number"]), "filled")
    yield cat_case(regressor(loss_function="Poisson", **few).fit(X, Y["count"]), "poisson")
    yield cat_case(regressor(loss_function="MultiRMSE", **few).fit(X, Y["several"]), "targets")
    for policy in ("SymmetricTree", "Depthwise", "Lossguide"):
        frames = [text_frame(rows) for rows in (TRAIN, NEW)]
        pool = catboost.Pool(frames[0], Y["three"], cat_features=["city", "size"])
        model = classifier(one_hot_max_size=20, grow_policy=policy, **few).fit(pool)
        frames[1].loc[:5, "city"] = "Vienna"
        yield cat_case(model, policy.lower(), frames[1], pool)
    yield cat_case(model, "unnamed", frames[1])
    model = classifier(one_hot_max_size=2, **few).fit(pool)
    yield cat_case(model, "statistics", frames[1], pool)


def text_frame(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with a column of text; the sizes stay numbers."""
    return rows.assign(city=CITIES[rows["city"]])


def main() -> None:
    """Write all files."""
    DATA.mkdir(exist_ok=True)
    arrays = {
        "numbers": X_NEW,
        "city": NEW["city"].to_numpy(),
        "size": NEW["size"].to_numpy(),
        "strange_codes": strange_codes(NEW),
    }
    for cases in (xgboost_cases, lightgbm_cases, catboost_cases):
        for name, content, raw, value in cases():
            (DATA / f"{name}.gz").write_bytes(gzip.compress(content, 9, mtime=0))
            arrays[f"{name}:raw"], arrays[f"{name}:value"] = np.asarray(raw), np.asarray(value)
            print(f"{name}: {len(content):,} bytes")
    np.savez_compressed(DATA / "expected.npz", **arrays)


if __name__ == "__main__":
    main()
