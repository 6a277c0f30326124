"""Scores and cross-validation of rows that are read from blocks: those of the rows in memory."""

import numpy as np
import pytest
from tests.blocks.made import FEATURES, columns_for, make_rows, write_files

from gramian import blocks
from gramian.boosting import BoostingClassifier
from gramian.linear_model import LinearRegression, LogisticRegression, PoissonRegressor
from gramian.metrics import get_scorer
from gramian.model_selection import KFold, ShuffleSplit, cross_val_score, cross_validate
from gramian.naive_bayes import GaussianNB


@pytest.fixture(scope="module")
def rows():
    return make_rows(n_rows=6_000)


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"), rows, [0, 999, 999, 3_000])


CASES = [
    (LinearRegression(), "y", None),
    (LinearRegression(), "y", ["r2", "neg_mean_absolute_error"]),
    (LogisticRegression(), "sign", "roc_auc"),
    (LogisticRegression(), "kind", None),
    (GaussianNB(), "kind", "neg_log_loss"),
    (PoissonRegressor(), "count", "neg_mean_poisson_deviance"),
    (BoostingClassifier(n_estimators=5, random_state=0), "sign", "roc_auc"),
]


@pytest.mark.parametrize("model, y, scoring", CASES, ids=str)
def test_scores_of_folds_are_those_of_memory(model, y, scoring, rows, folder):
    cv = KFold(3, shuffle=True, random_state=0) if y == "y" else 3
    scan = blocks.scan(folder, columns=columns_for(y), block_rows=1_000)
    options = {"cv": cv, "scoring": scoring, "return_train_score": True, "error_score": "raise"}
    found = cross_validate(model, scan, y, **options)
    whole = cross_validate(model, rows[FEATURES], rows[y], **options)
    assert found.keys() == whole.keys()
    for name in found:
        if not name.endswith("_time"):
            assert (found[name] == whole[name]).all()


def test_weights_are_split_with_the_rows(rows, folder):
    scan = blocks.scan(folder, columns=columns_for("y", "weight"))
    found = cross_val_score(
        LinearRegression(), scan, "y", params={"sample_weight": "weight"}, error_score="raise"
    )
    weight = {"sample_weight": rows["weight"]}
    assert (
        found == cross_val_score(LinearRegression(), rows[FEATURES], rows["y"], params=weight)
    ).all()


def test_a_scorer_takes_a_scan(rows, folder):
    model = LogisticRegression().fit(rows[FEATURES], rows["sign"])
    scorer = get_scorer("roc_auc")
    scan = blocks.scan(folder, columns=columns_for("sign"), block_rows=700)
    assert scorer(model, scan, "sign") == scorer(model, rows[FEATURES], rows["sign"])


def test_rows_that_are_taken(rows, folder):
    scan = blocks.scan(folder)
    mask = np.arange(6_000) % 7 == 3
    some = scan.take(mask)
    assert some.n_rows == mask.sum()
    assert (some.target("y") == rows["y"][mask]).all()
    assert (some.take([0, 2]).target("count") == rows["count"][mask].iloc[[0, 2]]).all()


def test_what_has_no_order_or_no_name(rows, folder):
    scan = blocks.scan(folder, columns=columns_for("y"))
    with pytest.raises(ValueError, match="taken in their order"):
        cross_validate(LinearRegression(), scan, "y", cv=ShuffleSplit(2), error_score="raise")
    with pytest.raises(TypeError, match="y is the name of one of its columns"):
        cross_validate(LinearRegression(), scan, rows["y"])
    with pytest.raises(TypeError, match="come only once"):
        cross_validate(LinearRegression(), blocks.scan(iter([rows])), "y")


def test_rows_that_change_between_folds(rows):
    frames = [rows.iloc[:4_000], rows.iloc[4_000:]]
    scan = blocks.scan(lambda: iter(list(frames)), columns=columns_for("y"))
    some = scan.take(np.arange(6_000) < 5_000)
    frames.append(rows.iloc[:10])
    with pytest.raises(ValueError, match="must stay the same"):
        some.target("y")
