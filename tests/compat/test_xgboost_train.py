"""XGBoost's DMatrix, train, cv and callbacks on our engine."""

import numpy as np
import pytest
from scipy import sparse

import gramian
import gramian.compat.xgboost as xgb
from gramian.boosting import BoostingRegressor
from gramian.exceptions import ConvergenceWarning, InvalidParameterError
from gramian.metrics import log_loss, mean_squared_error, roc_auc_score
from gramian.model_selection import train_test_split


def make_rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32)
    return X, 2.0 * X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=n)


def test_listing_of_the_notes(tmp_path, monkeypatch, capsys):
    """The program of section 3.3.2, with only the import changed; its data set is made here."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(42)
    X = rng.normal(size=(506, 13))
    y = 22.0 + 5.0 * X[:, 0] - 3.0 * np.abs(X[:, 1]) + rng.normal(size=506)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=42)
    dtrain = xgb.DMatrix(X_train, label=y_train)
    dtest = xgb.DMatrix(X_test, label=y_test)
    params = {
        "objective": "reg:squarederror",
        "max_depth": 6,
        "learning_rate": 0.1,
        "n_estimators": 100,
        "eval_metric": "rmse",
    }
    with pytest.warns(UserWarning, match=r"ignores 'n_estimators' in train.*num_boost_round") as w:
        bst = xgb.train(params, dtrain, num_boost_round=100)
    assert w[0].filename == __file__
    y_pred = bst.predict(dtest)
    mse = mean_squared_error(y_test, y_pred)
    print(f"Mean Squared Error: {mse:.4f}")
    bst.save_model("xgboost_model.json")
    bst_loaded = xgb.Booster()
    bst_loaded.load_model("xgboost_model.json")
    y_pred_loaded = bst_loaded.predict(dtest)
    np.testing.assert_array_equal(y_pred_loaded, y_pred)
    assert bst.num_boosted_rounds() == 100
    assert mse < 0.2 * y_test.var()
    assert capsys.readouterr().out.startswith("Mean Squared Error: ")


def test_same_trees_as_our_own_estimator():
    X, y = make_rows()
    booster = xgb.train({"seed": 0}, xgb.DMatrix(X, y), 20)
    model = BoostingRegressor(preset="xgboost", n_estimators=20).fit(X, y)
    np.testing.assert_allclose(booster.predict(xgb.DMatrix(X)), model.predict(X), rtol=1e-5)


def test_gamma_is_twice_that_of_the_notes():
    """The gain of the notes has the factor 1/2; XGBoost's, and so gamma, has not."""
    rows = xgb.DMatrix([[0.0], [1.0]], label=[-1.0, 1.0])
    options = {"lambda": 0.0, "eta": 1.0, "base_score": 0.0, "min_child_weight": 0.0}
    (table,) = [xgb.train(options, rows, 1).get_dump(with_stats=True)[0]]
    assert "gain=2," in table  # 1² / 1 + 1² / 1 - 0² / 2
    grown = [
        len(xgb.train({**options, "gamma": gamma}, rows, 1).get_dump()[0].splitlines())
        for gamma in (1.9, 2.1)
    ]
    assert grown == [3, 1]


# -- parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_dept": 3}, r"no parameter 'max_dept'.*Did you mean 'max_depth'\?"),
        ({"max_depth": "deep"}, "'max_depth' parameter of train must be an int"),
        ({"tree_method": "exact"}, "tree_method='exact' is not supported by gramian; columns are"),
        ({"booster": "gblinear"}, "gramian.linear_model has linear models"),
        ({"objective": "survival:cox"}, "no survival models"),
        ({"max_bin": 1024}, "max_bin=1024 is not supported"),
        ({"multi_strategy": "multi_output_tree"}, "each tree is for one output"),
        ({"sample_type": "weighted"}, "sample_type='weighted' is not supported"),
        ({"eta": 0.1, "learning_rate": 0.2}, "are one parameter of XGBoost"),
        ({"objective": "multi:softprob"}, "needs num_class"),
        ({"num_class": 3}, "takes no num_class"),
        ({"objective": "reg:quantileerror"}, "needs quantile_alpha"),
        ({"eval_metric": "rmsee"}, "eval_metric must be one of"),
        ({"monotone_constraints": "(1"}, "not the text of a tuple"),
        ({"monotone_constraints": {"no": 1}}, "columns that are not there: .'no'."),
        ({"interaction_constraints": [["f0", "no"]]}, "columns that are not there: .'no'."),
        ({"scale_pos_weight": 2.0}, "for logistic objectives"),
        ({"objective": "count:poisson", "base_score": -1.5}, "base_score must be positive"),
    ],
)
def test_refused_parameters(params, message):
    X, y = make_rows(50)
    with pytest.raises(ValueError, match=message):
        xgb.train(params, xgb.DMatrix(X, np.abs(y)), 2)


def test_accepted_without_effect():
    X, y = make_rows(100)
    plain = xgb.train({}, xgb.DMatrix(X, y), 3)
    idle = {"tree_method": "hist", "device": "cpu", "nthread": 2, "verbosity": 0, "max_depth": "6"}
    other = xgb.train({**idle, "validate_parameters": True}, xgb.DMatrix(X, y), 3)
    assert plain.get_dump() == other.get_dump()
    with pytest.warns(UserWarning, match="gramian runs on the CPU"):
        xgb.train({"device": "cuda"}, xgb.DMatrix(X, y), 1)
    with pytest.warns(UserWarning, match="rate_drop"):
        xgb.train({"rate_drop": 0.5}, xgb.DMatrix(X, y), 1)


def test_pairs_of_parameters():
    X, y = make_rows(100)
    result = {}
    pairs = [("max_depth", 2), ("eval_metric", "mae"), ("eval_metric", "rmse")]
    rows = xgb.DMatrix(X, y)
    xgb.train(pairs, rows, 2, evals=[(rows, "t")], evals_result=result, verbose_eval=False)
    assert list(result["t"]) == ["mae", "rmse"]


def test_monotone_and_interaction_constraints():
    X, y = make_rows()
    names = ["a", "b", "c", "d"]
    rows = xgb.DMatrix(X, -y, feature_names=names)
    signs = [
        xgb.train({"monotone_constraints": given}, rows, 5).get_dump()
        for given in ({"a": 1}, "(1,0,0,0)", (1, 0), [1, 0, 0, 0])
    ]
    assert all(dump == signs[0] for dump in signs)
    grid = np.zeros((50, 4), np.float32)
    grid[:, 0] = np.linspace(-2, 2, 50)
    booster = xgb.train({"monotone_constraints": {"a": 1}}, rows, 20)
    rising = booster.predict(xgb.DMatrix(grid, feature_names=names))
    assert (np.diff(rising) >= 0.0).all()
    sets = [
        xgb.train({"interaction_constraints": given}, rows, 3).get_dump()
        for given in ('[["a","b"]]', [[0, 1]], "[[0, 1], [2], [3]]")
    ]
    assert all(dump == sets[0] for dump in sets)


# -- rows ------------------------------------------------------------------------------------------


def test_information_of_rows():
    X, y = make_rows(6)
    rows = xgb.DMatrix(X, label=y, weight=np.arange(6), base_margin=y, group=[2, 4])
    assert (rows.num_row(), rows.num_col(), rows.num_nonmissing()) == (6, 4, 24)
    assert rows.get_label().dtype == rows.get_weight().dtype == np.float32
    np.testing.assert_array_equal(rows.get_group(), [2, 4])
    np.testing.assert_allclose(rows.get_base_margin(), y, rtol=1e-6)
    np.testing.assert_array_equal(rows.get_data().toarray(), X)
    rows.set_info(weight=[1.0, 3.0], feature_names=list("wxyz"))
    np.testing.assert_array_equal(rows.get_weight(), [1, 1, 3, 3, 3, 3])
    assert rows.feature_names == list("wxyz")
    part = rows.slice([4, 1], allow_groups=True)
    np.testing.assert_array_equal(part.get_data().toarray(), X[[4, 1]])
    with pytest.raises(ValueError, match="allow_groups"):
        rows.slice([0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": [1.0]}, "label has 1 entries for 3 rows"),
        ({"label": [1.0, np.nan, 2.0]}, "Label contains NaN"),
        ({"label": [1.0, 1e300, 2.0]}, "Label contains NaN, infinity or a value too large"),
        ({"group": [1, 1]}, "group must add up to the number of rows, 3"),
        ({"qid": [1, 0, 0]}, "`qid` must be sorted"),
        ({"group": [3], "qid": [0, 0, 0]}, "either group"),
        ({"feature_names": ["a"]}, "expected 1, got 1|expected 2, got 1"),
        ({"feature_types": ["x", "q"]}, "feature_types knows"),
        ({"feature_weights": [1, 2]}, "feature_weights is not supported"),
        ({"weight": [1.0, -1.0, 1.0]}, "[Nn]egative"),
    ],
)
def test_wrong_information(options, message):
    with pytest.raises(ValueError, match=message):
        xgb.DMatrix([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], **options)


def test_values_that_cannot_be():
    with pytest.raises(ValueError, match="contains `inf`"):
        xgb.DMatrix([[np.inf, 1.0]])
    with pytest.raises(ValueError, match="contains `inf`"):
        xgb.DMatrix([[1e300, 1.0]])
    with pytest.raises(TypeError, match="reads no files"):
        xgb.DMatrix("rows.csv")
    assert xgb.DMatrix([[np.inf, 1.0]], missing=np.inf).num_nonmissing() == 1


def test_missing_values():
    X, y = make_rows()
    X[::3, 0] = np.nan
    filled = np.where(np.isnan(X), -999.0, X)
    dumps = [
        xgb.train({}, rows, 3).get_dump()
        for rows in (xgb.DMatrix(X, y), xgb.DMatrix(filled, y, missing=-999.0))
    ]
    assert dumps[0] == dumps[1]


@pytest.mark.parametrize("density", [0.02, 0.7])  # columns that share bytes, and those that do not
def test_what_a_sparse_matrix_does_not_store_is_missing(density):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 30)).astype(np.float32)
    X[rng.random(X.shape) > density] = np.nan
    y = np.nan_to_num(X, nan=1.0)[:, :10].sum(axis=1)
    stored = sparse.csr_matrix(np.nan_to_num(X))
    rows = [
        (xgb.DMatrix(data[:500], y[:500]), xgb.DMatrix(data[500:], y[500:])) for data in (X, stored)
    ]
    results: list[dict] = [{}, {}, {}]
    options = {"min_child_weight": 0.0}
    boosters = [
        xgb.train(options, train, 5, evals=[(test, "t")], evals_result=result, verbose_eval=False)
        for (train, _), (_, test), result in zip(
            [rows[0], rows[1], rows[0]], [rows[0], rows[1], rows[1]], results, strict=True
        )
    ]
    assert boosters[0].get_dump() == boosters[1].get_dump()
    assert results[0] == results[1] == results[2]
    np.testing.assert_array_equal(boosters[0].predict(rows[0][1]), boosters[0].predict(rows[1][1]))
    on = [xgb.train(options, train, 2, xgb_model=boosters[0]).get_dump() for train, _ in rows]
    assert on[0] == on[1]


def test_categories():
    import pandas as pd

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, 300)
    frame = pd.DataFrame(
        {
            "kind": pd.Categorical(np.array(list("abcdef"))[codes]),
            "size": rng.normal(size=300),
            "n": rng.integers(0, 5, 300),
            "flag": rng.random(300) < 0.5,
        }
    )
    y = np.isin(codes, [1, 4]) * 3.0 + frame["flag"]
    rows = xgb.DMatrix(frame, y, enable_categorical=True)
    assert rows.feature_names == ["kind", "size", "n", "flag"]
    assert rows.feature_types == ["c", "float", "int", "i"]
    booster = xgb.train({"max_cat_to_onehot": 2}, rows, 10)
    assert "0:[kind:{" in booster.get_dump()[0]
    np.testing.assert_allclose(booster.predict(rows), y, atol=0.3)
    again = xgb.Booster(model_file=booster.save_raw())
    np.testing.assert_array_equal(again.predict(rows), booster.predict(rows))
    other = frame.assign(kind=frame["kind"].cat.set_categories(list("fedcba")))
    np.testing.assert_array_equal(booster.predict(xgb.DMatrix(other)), booster.predict(rows))
    numbers = frame.assign(kind=codes).to_numpy(np.float32)
    coded = xgb.DMatrix(numbers, y, feature_types=["c", "float", "int", "i"])
    same = xgb.train({"max_cat_to_onehot": 2}, coded, 10)
    np.testing.assert_allclose(same.predict(coded), booster.predict(rows), rtol=1e-6)
    with pytest.raises(ValueError, match="Column 1 has the type 'c'"):
        xgb.train({}, xgb.DMatrix(numbers, y, feature_types=["c", "c", "int", "i"]), 1)


def test_base_margin():
    X, y = make_rows()
    shifted = xgb.DMatrix(X, y, base_margin=np.full(len(y), 3.0))
    plain = xgb.DMatrix(X, y)
    by_margin = xgb.train({}, shifted, 5)
    by_score = xgb.train({"base_score": 3.0}, plain, 5)
    np.testing.assert_allclose(by_margin.predict(shifted), by_score.predict(plain), rtol=1e-5)
    with pytest.raises(ValueError, match="base_margin must have 1 columns"):
        xgb.train({}, xgb.DMatrix(X, y, base_margin=np.zeros((len(y), 2))), 1)


# -- objectives and metrics ------------------------------------------------------------------------

X_ANY, Y_ANY = make_rows()
COUNTS = np.random.default_rng(1).poisson(np.exp(0.5 * X_ANY[:, 0])).astype(float)
CLASSES = (X_ANY[:, 0] + np.random.default_rng(2).normal(size=400) > 0.0).astype(float)
OBJECTIVES = {
    "reg:squarederror": (Y_ANY, {}),
    "reg:squaredlogerror": (COUNTS, {}),
    "reg:pseudohubererror": (Y_ANY, {"base_score": 0.5}),
    "reg:absoluteerror": (Y_ANY, {}),
    "reg:quantileerror": (Y_ANY, {"quantile_alpha": [0.2, 0.8]}),
    "reg:logistic": (CLASSES, {}),
    "binary:logistic": (CLASSES, {"scale_pos_weight": 2.0}),
    "binary:logitraw": (CLASSES, {"eval_metric": "auc"}),
    "binary:hinge": (CLASSES, {}),
    "count:poisson": (COUNTS, {}),
    "reg:gamma": (COUNTS + 1.0, {}),
    "reg:tweedie": (COUNTS, {"tweedie_variance_power": 1.3}),
    "multi:softmax": (CLASSES + (X_ANY[:, 1] > 0.5), {"num_class": 3}),
    "multi:softprob": (CLASSES + (X_ANY[:, 1] > 0.5), {"num_class": 3}),
    "rank:ndcg": (np.clip(np.round(X_ANY[:, 0] + 1.0), 0, 4), {}),
    "rank:map": (CLASSES, {}),
    "rank:pairwise": (np.clip(np.round(X_ANY[:, 0] + 1.0), 0, 4), {}),
}


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_objective(objective):
    """Its metric gets better, and a file holds all there is to know."""
    y, params = OBJECTIVES[objective]
    queries = {"group": [40] * 10} if objective.startswith("rank") else {}
    rows, result = xgb.DMatrix(X_ANY, y, **queries), {}
    booster = xgb.train(
        {"objective": objective, "max_depth": 3, **params},
        rows,
        10,
        evals=[(rows, "t")],
        evals_result=result,
        verbose_eval=False,
    )
    ((metric, values),) = result["t"].items()
    gain = values[-1] - values[0]
    assert gain > 0.0 if metric.startswith(("auc", "ndcg", "map")) else gain < 0.0
    for data in (booster.save_raw("json"), booster.save_raw("ubj")):
        again = xgb.Booster(model_file=data)
        np.testing.assert_array_equal(again.predict(rows), booster.predict(rows))
        assert again.get_dump(with_stats=True) == booster.get_dump(with_stats=True)
        assert again.save_raw("json") == booster.save_raw("json")
    read = xgb.load_model(bytes(booster.save_raw("json")))
    scores = booster.predict(rows, output_margin=True)
    method = "decision_function" if hasattr(read, "decision_function") else "predict_raw"
    np.testing.assert_allclose(getattr(read, method)(X_ANY), scores, rtol=1e-5, atol=1e-6)
    shown = f"[3]\tt-{metric}:{values[-1]:.5f}"
    assert booster.eval(rows, "t", 3).startswith(shown[:-2])


@pytest.mark.parametrize(
    ("objective", "label", "message"),
    [
        ("binary:logistic", 2.0, r"label must be in \[0, 1\]"),
        ("multi:softprob", 3.0, "whole numbers from 0 to num_class - 1"),
        ("count:poisson", -1.0, "non-negative"),
        ("reg:gamma", 0.0, "positive"),
        ("reg:squaredlogerror", -2.0, "above -1"),
        ("rank:ndcg", 40.0, "relevances from 0 to 31"),
    ],
)
def test_wrong_labels(objective, label, message):
    params = {"objective": objective, **({"num_class": 3} if "multi" in objective else {})}
    rows = xgb.DMatrix([[0.0], [1.0]], label=[0.5, label], group=[2])
    if objective == "multi:softprob":
        rows.set_label([0.0, label])
    with pytest.raises(ValueError, match=message):
        xgb.train(params, rows, 1)


def test_metrics_are_their_definitions():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), (rng.random(200) < 0.5).astype(float)
    weight = rng.random(200)
    rows, result = xgb.DMatrix(X, y, weight=weight), {}
    names = ["logloss", "error", "error@0.3", "auc", "rmse", "mae"]
    booster = xgb.train(
        {"objective": "binary:logistic", "eval_metric": names},
        rows,
        3,
        evals=[(rows, "t")],
        evals_result=result,
        verbose_eval=False,
    )
    p = booster.predict(rows).astype(float)
    found = {name: values[-1] for name, values in result["t"].items()}
    expected = {
        "logloss": log_loss(y, p, sample_weight=weight),
        "error": np.average((p > 0.5) != y, weights=weight),
        "error@0.3": np.average((p > 0.3) != y, weights=weight),
        "auc": roc_auc_score(y, p, sample_weight=weight),
        "rmse": np.sqrt(np.average((p - y) ** 2, weights=weight)),
        "mae": np.average(np.abs(p - y), weights=weight),
    }
    assert found == pytest.approx(expected, rel=1e-5)


def test_custom_objective_and_metric():
    X, y = make_rows()
    rows, result = xgb.DMatrix(X, y), {}

    def squares(scores, data):
        return scores - data.get_label(), np.ones(len(scores))

    def largest(scores, data):
        return "largest", float(np.abs(scores - data.get_label()).max())

    booster = xgb.train(
        {"base_score": 0.5},
        rows,
        10,
        obj=squares,
        custom_metric=largest,
        evals=[(rows, "t")],
        evals_result=result,
        verbose_eval=False,
    )
    assert list(result["t"]) == ["rmse", "largest"]
    plain = xgb.train({"base_score": 0.5}, rows, 10)
    np.testing.assert_allclose(booster.predict(rows), plain.predict(rows), rtol=1e-4)


# -- callbacks -------------------------------------------------------------------------------------


def test_early_stopping():
    X, y = make_rows(300)
    rows, other = xgb.DMatrix(X[:200], y[:200]), xgb.DMatrix(X[200:], y[200:])
    result = {}
    booster = xgb.train(
        {"eta": 0.8},
        rows,
        200,
        evals=[(rows, "train"), (other, "test")],
        early_stopping_rounds=5,
        evals_result=result,
        verbose_eval=False,
    )
    values = result["test"]["rmse"]
    assert booster.best_iteration == int(np.argmin(values))
    assert booster.best_score == min(values)
    assert booster.num_boosted_rounds() == len(values) == booster.best_iteration + 6
    assert booster.attributes()["best_iteration"] == str(booster.best_iteration)
    stop = xgb.callback.EarlyStopping(rounds=5, save_best=True)
    kept = xgb.train(
        {"eta": 0.8}, rows, 200, evals=[(other, "test")], callbacks=[stop], verbose_eval=False
    )
    assert kept.num_boosted_rounds() == booster.best_iteration + 1
    best = booster.predict(other, iteration_range=(0, booster.best_iteration + 1))
    np.testing.assert_array_equal(kept.predict(other), best)
    with pytest.raises(ValueError, match="at least 1 validation dataset"):
        xgb.train({}, rows, 3, early_stopping_rounds=2)
    with pytest.raises(AttributeError, match="only defined when early stopping is used"):
        xgb.train({}, rows, 3).best_iteration  # noqa: B018


@pytest.mark.parametrize(("metric", "maximize", "first"), [("auc", None, 1), ("auc", False, 0)])
def test_direction_of_early_stopping(metric, maximize, first):
    callback = xgb.callback.EarlyStopping(rounds=2, maximize=maximize)
    booster = callback.before_training(xgb.Booster())
    log = {"t": {metric: []}}
    for number, value in enumerate([0.5, 0.6, 0.55, 0.55]):
        log["t"][metric].append(value)
        if callback.after_iteration(booster, number, log):
            break
    assert booster.best_iteration == first


def test_printing(capsys):
    X, y = make_rows(60)
    rows = xgb.DMatrix(X, y)
    xgb.train({}, rows, 4, evals=[(rows, "train")], verbose_eval=2)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["[0]", "[2]", "[3]"]
    assert lines[0].startswith("[0]\ttrain-rmse:")


def test_learning_rates_and_order_of_callbacks():
    X, y = make_rows(60)
    rows, calls = xgb.DMatrix(X, y), []

    class Tell(xgb.callback.TrainingCallback):
        def before_training(self, model):
            calls.append("start")
            return model

        def after_iteration(self, model, epoch, evals_log):
            calls.append((epoch, model.num_boosted_rounds()))
            return False

        def after_training(self, model):
            calls.append("end")
            return model

    rates = xgb.callback.LearningRateScheduler([0.5, 0.0625])
    booster = xgb.train({"eta": 1.0}, rows, 2, callbacks=[rates, Tell()])
    assert calls == ["start", (0, 1), (1, 2), "end"]
    first = xgb.train({"eta": 0.5}, rows, 1)
    assert booster.get_dump()[0] == first.get_dump()[0]
    with pytest.raises(TypeError, match="instance of `TrainingCallback`"):
        xgb.train({}, rows, 1, callbacks=[print])


# -- cv --------------------------------------------------------------------------------------------


def test_cv():
    X, y = make_rows(150)
    rows = xgb.DMatrix(X, y)
    frame = xgb.cv({"max_depth": 2}, rows, 4, nfold=5, seed=1)
    assert list(frame) == ["train-rmse-mean", "train-rmse-std", "test-rmse-mean", "test-rmse-std"]
    held_out = np.array_split(np.random.RandomState(1).permutation(150), 5)
    errors = []
    for test in held_out:
        fitted = np.setdiff1d(np.arange(150), test)
        booster = xgb.train({"max_depth": 2}, xgb.DMatrix(X[fitted], y[fitted]), 4)
        predicted = booster.predict(xgb.DMatrix(X[test]))
        errors.append(np.sqrt(np.mean((predicted - y[test]) ** 2)))
    assert frame["test-rmse-mean"].iloc[-1] == pytest.approx(np.mean(errors), rel=1e-5)
    assert frame["test-rmse-std"].iloc[-1] == pytest.approx(np.std(errors), rel=1e-4)


def test_cv_of_classes_and_queries():
    labels = xgb.DMatrix(X_ANY, CLASSES)
    found = xgb.cv(
        {"objective": "binary:logistic", "eta": 1.0},
        labels,
        60,
        stratified=True,
        metrics="logloss",
        early_stopping_rounds=3,
        as_pandas=False,
    )
    values = found["test-logloss-mean"]
    assert len(values) < 60
    assert values[-1] == min(values)
    ranks = xgb.DMatrix(X_ANY, CLASSES, group=[40] * 10)
    assert "test-map@32-mean" in xgb.cv({"objective": "rank:map"}, ranks, 2, as_pandas=False)
    folds = [(np.arange(200), np.arange(200, 400))]
    assert xgb.cv({}, labels, 2, folds=folds)["test-rmse-std"].tolist() == [0.0, 0.0]


def test_invalid_parameter_error_is_a_value_error():
    with pytest.raises(InvalidParameterError):
        xgb.train({"eta": -1.0}, xgb.DMatrix([[0.0]], label=[1.0]), 1)


def test_time_limit():
    X, y = make_rows()
    rows = xgb.DMatrix(X, y)
    with (
        gramian.config(time_limit=1e-6),
        pytest.warns(ConvergenceWarning, match="Stopped by the time limit after 1 of 500 rounds"),
    ):
        assert xgb.train({}, rows, 500).num_boosted_rounds() == 1
