"""LambdaMART: orders within queries, how queries are named, and what is judged."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import ndcg_score

import gramian
from gramian._boosting.ranking import RankLoss
from gramian.boosting import BoostingRanker
from gramian.config import core_context
from gramian.inspection import tree_shap


@pytest.fixture(scope="module")
def queries():
    """Queries of 5 to 39 rows with four relevances."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(5, 40, 120)
    qid = np.repeat(np.arange(120), sizes)
    X = rng.standard_normal((len(qid), 5))
    good = X[:, 0] + 0.5 * X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(len(qid))
    y = np.digitize(good, [-0.5, 0.8, 1.6]).astype(float)
    return X, y, qid, sizes


def mean_ndcg(y, scores, qid, k=None):
    """Return scikit-learn's mean NDCG with the gains 2^relevance - 1."""
    values = []
    for query in np.unique(qid):
        own = qid == query
        gains = 2.0 ** y[own] - 1.0
        values.append(ndcg_score([gains], [scores[own]], k=k) if gains.any() else 1.0)
    return float(np.mean(values))


def test_the_score_is_scikit_learns_and_far_above_chance(queries):
    X, y, qid, _ = queries
    train = qid < 80
    model = BoostingRanker(n_estimators=60).fit(X[train], y[train], qid=qid[train])
    scores = model.predict(X[~train])
    found = model.score(X[~train], y[~train], qid=qid[~train])
    assert found == pytest.approx(mean_ndcg(y[~train], scores, qid[~train]), abs=1e-3)  # ties
    assert found > 0.9
    noise = np.random.default_rng(1).standard_normal(len(scores))
    assert found > mean_ndcg(y[~train], noise, qid[~train]) + 0.2


def expected_lambdas(y, scores, truncation, divides_by_gap):
    """Return the gradient of one query for NDCG by its definition, pair by pair."""
    order = np.argsort(-scores, kind="stable")
    discount = np.empty(len(y))
    discount[order] = 1.0 / np.log2(2.0 + np.arange(len(y)))
    place = np.argsort(order)
    gains = 2.0**y - 1.0
    best = np.sort(gains)[::-1][:truncation] @ np.sort(discount)[::-1][:truncation]
    gradient, total = np.zeros(len(y)), 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            if y[i] <= y[j] or min(place[i], place[j]) >= truncation:
                continue
            change = (gains[i] - gains[j]) * abs(discount[i] - discount[j]) / best
            if divides_by_gap:
                change /= 0.01 + abs(scores[i] - scores[j])
            pull = change / (1.0 + np.exp(scores[i] - scores[j]))
            gradient[i] -= pull
            gradient[j] += pull
            total += 2.0 * pull
    return gradient * np.log2(1.0 + total) / total


@pytest.mark.parametrize("divides_by_gap", [False, True])
@pytest.mark.parametrize("truncation", [3, 30])
def test_gradients_are_those_of_pairs(divides_by_gap, truncation):
    rng = np.random.default_rng(0)
    sizes = [7, 12, 2]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    y = np.concatenate([rng.permutation(np.arange(size) % 4) for size in sizes]).astype(float)
    scores = rng.standard_normal((1, len(y)))
    gradient, hessian = np.empty((2, 1, len(y)), np.float32)
    loss = RankLoss("ndcg", truncation, offsets, divides_by_gap=divides_by_gap)
    loss.differentiate(y, scores, gradient, hessian, core_context())
    for begin, end in itertools.pairwise(offsets):
        own = slice(begin, end)
        expected = expected_lambdas(y[own], scores[0, own], truncation, divides_by_gap)
        np.testing.assert_allclose(gradient[0, own], expected, rtol=1e-5, atol=1e-7)
    assert (hessian > 0.0).any()


def test_close_pairs_first_fits_faster(queries):
    X, y, qid, _ = queries
    slow, fast = (
        BoostingRanker(n_estimators=30, score_normalization=flag)
        .fit(X, y, qid=qid)
        .score(X, y, qid=qid)
        for flag in (False, True)
    )
    assert 1.0 - fast < 0.9 * (1.0 - slow)


def test_it_ranks_as_lightgbm_does(queries):
    lightgbm = pytest.importorskip("lightgbm")
    X, y, qid, sizes = queries
    n_train = int(sizes[:80].sum())
    theirs = lightgbm.LGBMRanker(n_estimators=60, verbose=-1, n_jobs=1)
    theirs.fit(X[:n_train], y[:n_train].astype(int), group=sizes[:80])
    ours = BoostingRanker(preset="lightgbm", n_estimators=60)
    ours.fit(X[:n_train], y[:n_train], group=sizes[:80])
    rest = slice(n_train, None)
    found, expected = (
        mean_ndcg(y[rest], model.predict(X[rest]), qid[rest], 10) for model in (ours, theirs)
    )
    assert found > expected - 0.01


def test_queries_by_number_by_size_and_in_any_order(queries):
    X, y, qid, sizes = queries
    options = {"n_estimators": 5}
    by_size = BoostingRanker(**options).fit(X, y, group=sizes)
    by_name = BoostingRanker(**options).fit(X, y, qid=[f"q{number:03d}" for number in qid])
    np.testing.assert_array_equal(by_size.predict(X), by_name.predict(X))
    # Rows of a query in their order, queries mixed.
    mixed = np.argsort(np.concatenate([np.arange(n) for n in sizes]), kind="stable")
    other = BoostingRanker(**options).fit(X[mixed], y[mixed], qid=qid[mixed])
    np.testing.assert_array_equal(by_size.predict(X), other.predict(X))
    assert by_size.score(X, y, group=sizes) == other.score(X[mixed], y[mixed], qid=qid[mixed])


@pytest.mark.parametrize("loss", ["ndcg", "map"])
def test_metrics_follow_the_rounds(queries, loss):
    X, y, qid, sizes = queries

    def first_hit(relevance, scores, offsets):
        return "first", float(relevance[offsets[0] :][scores[: offsets[1]].argmax()]), True

    model = BoostingRanker(loss, n_estimators=6)
    model.fit(
        X,
        y,
        qid=qid,
        eval_set=[(X, y)],
        eval_group=[sizes],
        eval_metric=["loss", "ndcg", "ndcg@5", "map", first_hit],
    )
    result = model.evals_result_["validation_0"]
    stages = list(model.staged_predict(X))
    expected = [mean_ndcg(y, stage, qid, 5) for stage in stages]
    np.testing.assert_allclose(result["ndcg@5"], expected, atol=0.02)  # ties count otherwise
    assert result["ndcg@5"][-1] > result["ndcg@5"][0]
    assert result["loss"][-1] == pytest.approx(model.certificate_.objective)
    assert result["first"][-1] == y[: sizes[0]][stages[-1][: sizes[0]].argmax()]


def test_average_precision_is_as_defined():
    X = np.array([[3.0], [2.0], [1.0], [0.0]] * 50)
    y = np.array([1.0, 0.0, 1.0, 0.0] * 50)
    model = BoostingRanker("map", n_estimators=1, monotonic_cst=[1], min_samples_leaf=1)
    model.fit(X, y, group=[4] * 50)
    order = np.argsort(-model.predict(X[:4]), kind="stable")
    hits = y[:4][order]
    expected = (hits * np.cumsum(hits) / np.arange(1, 5)).sum() / 2.0
    assert model.score(X, y, group=[4] * 50) == pytest.approx(expected)


def test_early_stopping_sets_queries_apart(queries):
    X, y, qid, _ = queries
    model = BoostingRanker(n_estimators=300, early_stopping_rounds=5, random_state=0)
    model.fit(X, y, qid=qid)
    values = model.evals_result_["validation"]["ndcg"]
    assert model.best_iteration_ == int(np.argmax(values)) == model.n_estimators_ - 1
    assert len(values) < 300
    other = BoostingRanker(n_estimators=300, random_state=0)
    other.fit(X, y, qid=qid, early_stopping_rounds=5)
    assert other.evals_result_ == model.evals_result_
    with pytest.raises(ValueError, match="none would be left"):
        model.fit(X, y)


def test_queries_without_pairs_teach_nothing():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    for options in ({}, {"reg_lambda": 0.0}, {"preset": "catboost", "n_estimators": 3}):
        model = BoostingRanker(**options).fit(X, np.ones(60), group=[20, 40])
        np.testing.assert_array_equal(model.predict(X), 0.0)
        assert model.score(X, np.zeros(60), group=[60]) == 1.0


def test_frames_files_warm_starts_and_explanations(queries, tmp_path):
    X, y, qid, _ = queries
    frame = pd.DataFrame(X, columns=list("abcde")).assign(f=np.where(X[:, 3] > 0, "up", "down"))
    whole = BoostingRanker(n_estimators=8, random_state=0).fit(frame, y, qid=qid)
    parts = BoostingRanker(n_estimators=3, random_state=0, warm_start=True).fit(frame, y, qid=qid)
    parts.set_params(n_estimators=8).fit(frame, y, qid=qid)
    np.testing.assert_allclose(parts.predict(frame), whole.predict(frame), rtol=1e-12)
    gramian.save(whole, tmp_path / "model")
    np.testing.assert_array_equal(
        gramian.load(tmp_path / "model").predict(frame), whole.predict(frame)
    )
    found = tree_shap(whole, frame[:10])
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, whole.predict(frame[:10]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [-1.0] * 20}, "relevances from 0 to 31"),
        ({"group": [10, 9]}, "add up to the number of rows, 20"),
        ({"group": [20, 0]}, "positive whole numbers"),
        ({"group": [20], "qid": np.zeros(20)}, "either qid"),
        ({"qid": np.zeros(19)}, "inconsistent"),
        ({"eval_metric": "ndcg@0"}, "number of places"),
        ({"eval_metric": "auc"}, "eval_metric must be"),
        ({"eval_qid": [np.zeros(20)]}, "eval_qid must have one entry"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message):
    X = np.random.default_rng(0).random((20, 2))
    with pytest.raises(ValueError, match=message):
        BoostingRanker().fit(X, **{"y": np.arange(20) % 3, **arguments})


@pytest.mark.parametrize("divides", [False, True])
def test_pairs_that_count_alike(divides):
    """The derivatives of pairs are those of their logistic loss, one by one."""
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 3, 12).astype(float), rng.normal(size=12)
    offsets = np.array([0, 5, 12])
    first, second = np.zeros(12), np.zeros(12)
    for begin, end in itertools.pairwise(offsets):
        for i, j in itertools.product(range(begin, end), repeat=2):
            if y[i] > y[j]:
                gap = scores[i] - scores[j]
                scale = 1.0 / (0.01 + abs(gap)) if divides else 1.0
                p = 1.0 / (1.0 + np.exp(gap))
                first[[i, j]] += np.array([-p, p]) * scale
                second[[i, j]] += p * (1.0 - p) * scale
    loss = RankLoss("pairwise", 100, offsets, normalises=False, divides_by_gap=divides)
    gradient, hessian = np.empty((2, 1, 12), np.float32)
    loss.differentiate(y, scores[None], gradient, hessian, core_context())
    np.testing.assert_allclose(gradient[0], first, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(hessian[0], second, rtol=1e-5, atol=1e-6)
