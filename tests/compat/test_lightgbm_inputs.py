"""What LightGBM's training takes on our engine: data sets and parameters."""

import numpy as np
import pandas as pd
import pytest
from tests.compat.lightgbm_cases import (
    QUIET,
    TARGETS,
    X_NEW,
    X_TRAIN,
    data_of,
    params_of,
    signal,
)

from gramian.compat import lightgbm as lgb
from gramian.exceptions import InvalidParameterError

# -- data sets -------------------------------------------------------------------------------------


def test_dataset_holds_what_it_is_given():
    data = data_of("lambdarank", free_raw_data=False)
    assert (data.num_data(), data.num_feature()) == X_TRAIN.shape
    assert data.get_feature_name() == ["Column_0", "Column_1", "Column_2", "Column_3"]
    assert (data.get_label() == TARGETS["lambdarank"]).all()
    assert data.get_data() is X_TRAIN
    part = data.subset(np.arange(15, 75))
    assert part.get_group().tolist() == [15, 30, 15]
    assert (part.get_label() == TARGETS["lambdarank"][15:75]).all()
    data.set_field("weight", np.arange(300.0) + 1.0)
    assert data.get_field("weight")[-1] == 300.0
    assert data.set_weight(None).get_weight() is None
    valid = data.create_valid(X_NEW, label=TARGETS["binary"])
    assert valid.construct().num_data() == 300
    for name in ("label", "weight"):
        with pytest.raises(ValueError, match=f"{name} must have one entry"):
            data.set_field(name, [1.0])
    with pytest.raises(ValueError, match="group must add up"):
        data.set_group([3])
    with pytest.raises(ValueError, match="field_name"):
        data.get_field("nothing")
    freed = lgb.Dataset(X_TRAIN, TARGETS["binary"]).construct()
    with pytest.raises(ValueError, match="free_raw_data"):
        freed.get_data()
    with pytest.raises(InvalidParameterError, match="position"):
        lgb.Dataset(X_TRAIN, position=[0])


def test_categorical_columns_by_name_and_their_mistakes():
    frame = pd.DataFrame(X_TRAIN, columns=list("abcd"))
    y = signal(X_TRAIN)
    expected = lgb.train(QUIET, lgb.Dataset(X_TRAIN, y, categorical_feature=[2]), 5)
    for options in (
        {"categorical_feature": ["c"]},
        {"params": {"categorical_feature": [2]}},
        {"params": {"cat_feature": "name:c"}},
    ):
        booster = lgb.train(QUIET, lgb.Dataset(frame, y, **options), 5)
        assert (booster.predict(frame) == expected.predict(X_TRAIN)).all()
    for wrong, message in (("z", "are not there: .'z'"), (7, "from 0 to 3"), (1.5, "from 0 to 3")):
        with pytest.raises(ValueError, match=message):
            lgb.Dataset(frame, y, categorical_feature=[wrong]).construct()
    huge = X_TRAIN.copy()
    huge[0, 2] = 1e9
    with pytest.raises(ValueError, match="number the categories"):
        lgb.Dataset(huge, y, categorical_feature=[2]).construct()


# -- parameters ------------------------------------------------------------------------------------


def test_aliases_mean_the_same():
    data = data_of("regression")
    expected = lgb.train({"num_leaves": 5, "lambda_l2": 3.0, **QUIET}, data, 5).predict(X_NEW)
    given = {"max_leaf_nodes": 5, "lambda": 3.0, "n_estimators": 5, "verbose": -1}
    assert (lgb.train(given, data).predict(X_NEW) == expected).all()
    with pytest.warns(UserWarning, match="num_leaves counts"):
        lgb.train({"num_leaves": 5, "max_leaves": 6, **QUIET}, data, 1)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"num_leafs": 3}, "Did you mean 'num_leaf"),
        ({"boosting": "rf"}, "RandomForest"),
        ({"objective": "mape"}, "not supported by gramian; use regression_l1"),
        ({"objective": "nonsense"}, "objective must be"),
        ({"objective": "multiclass"}, "needs num_class"),
        ({"num_class": 3}, "needs objective='multiclass'"),
        ({"objective": "quantile", "alpha": 1.5}, "alpha must be below 1"),
        ({"metric": "auc_mu"}, "not supported"),
        ({"metric": "nonsense"}, "metric must be one of"),
        ({"linear_tree": True}, "not supported"),
        ({"extra_trees": True}, "ExtraTrees"),
        ({"path_smooth": 1.0}, "lambda_l2"),
        ({"device": "gpu"}, "one kind of device"),
        ({"max_bin": 1000}, "'max_bin' parameter"),
        ({"monotone_constraints_method": "advanced"}, "the method is basic"),
        ({"learning_rate": "fast"}, "'learning_rate' parameter"),
        ({"seed": "x"}, "seed must be"),
        ({"top_rate": 0.9, "other_rate": 0.9, "boosting": "goss"}, "at most 1"),
    ],
)
def test_what_is_refused(params, message):
    with pytest.raises(InvalidParameterError, match=message):
        lgb.train({**QUIET, **params}, data_of("regression"), 2)


def test_what_a_call_ignores_gives_a_warning():
    with pytest.warns(UserWarning, match="LightGBM ignores 'task' in train"):
        lgb.train({"task": "train", **QUIET}, lgb.Dataset(X_TRAIN, TARGETS["regression"]), 1)
    booster = lgb.train({"force_row_wise": True, "nthread": 1, **QUIET}, data_of("regression"), 1)
    with pytest.warns(UserWarning, match="ignores 'output_result' in predict"):
        booster.predict(X_NEW, output_result="x")
    with pytest.raises(InvalidParameterError, match="pred_early_stop"):
        booster.predict(X_NEW, pred_early_stop=True)


@pytest.mark.parametrize(
    ("objective", "label", "message"),
    [
        ("poisson", -1.0, "from 0 to inf"),
        ("cross_entropy", 2.0, "from 0 to 1"),
        ("multiclass", 3.0, "whole numbers from 0 to 2"),
        ("lambdarank", 0.5, "whole numbers"),
    ],
)
def test_labels_are_checked(objective, label, message):
    target = np.zeros(300)
    target[3] = label
    data = lgb.Dataset(X_TRAIN, target, group=[300] if objective == "lambdarank" else None)
    with pytest.raises(ValueError, match=message):
        lgb.train(params_of(objective), data, 2)


def test_missing_parts_are_named():
    with pytest.raises(ValueError, match="needs a label"):
        lgb.train(QUIET, lgb.Dataset(X_TRAIN), 2)
    with pytest.raises(ValueError, match="needs group"):
        lgb.train({"objective": "lambdarank"}, lgb.Dataset(X_TRAIN, np.zeros(300)), 2)
    with pytest.raises(TypeError, match="Dataset"):
        lgb.train(QUIET, X_TRAIN, 2)
    with pytest.raises(ValueError, match="above 0"):
        lgb.train(QUIET, data_of("regression"), 0)
    with pytest.raises(ValueError, match="3 features"):
        lgb.train(QUIET, data_of("regression"), 1).predict(X_TRAIN[:, :3])
