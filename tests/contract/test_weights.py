"""An integer weight k means k copies of the row; a weight of 0 means that it is not there.

Where weights mean something else, that is checked instead: chances of a draw, of which the copies'
are the same on average; lengths of steps; weights of queries.
"""

import numpy as np
import pytest
from scipy import sparse
from tests.contract.cases import (
    assert_same,
    comparable,
    draws_rows,
    each_estimator,
    fit,
    fresh,
    in_folds,
    is_ranker,
    make_data,
    outputs,
    steps_by_row,
    takes_any_scale,
    takes_sparse,
    takes_weight,
    tolerance,
    without_draws,
)
from tests.contract.frames import columns_for, make_frame, take, target_of
from tests.contract.settings import STAYS_WITHOUT_WEIGHT

pytestmark = pytest.mark.filterwarnings("ignore:Bins whose width are too small:UserWarning")


def _repeats(estimator):
    """Tell whether a weight k of a row is k copies of it, to the last digits."""
    other = draws_rows(estimator) or steps_by_row(estimator) or is_ranker(estimator)
    return takes_weight(estimator) and not other


def _omits(estimator):
    """Tell whether a weight of 0 omits a row, to the last digits: rankers' does too."""
    stays = type(estimator).__name__ in STAYS_WITHOUT_WEIGHT
    ranks = takes_weight(estimator) and is_ranker(estimator)
    return (_repeats(estimator) or ranks) and not stays


def _rows(y, order):
    return None if y is None else y[order]


@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray], ids=["C", "F"])
@each_estimator("integer_weights", where=_repeats)
def test_integer_weights_are_copies(estimator, container, global_random_seed):
    _check_copies(estimator, container, global_random_seed)


@each_estimator("integer_weights_sparse", where=lambda e: _repeats(e) and takes_sparse(e))
def test_integer_weights_are_copies_sparse(estimator, global_random_seed):
    _check_copies(estimator, sparse.csr_array, global_random_seed)


def _check_copies(estimator, container, seed):
    X, y = make_data(estimator, seed=seed)
    weight = np.random.default_rng(seed).integers(0, 4, len(X))
    copies = np.repeat(np.arange(len(X)), weight)
    weighted = in_folds(without_draws(estimator), np.arange(len(X)))
    repeated = in_folds(without_draws(estimator), copies)
    fit(weighted, container(X), y, weight)
    fit(repeated, container(X[copies]), _rows(y, copies))
    assert_same(comparable(repeated, X), comparable(weighted, X), tolerance(estimator))


@pytest.mark.parametrize("size", [1.0, 1e4])
@each_estimator("zero_weights", where=_omits)
def test_zero_weights_are_absent_rows(estimator, size):
    """However far away the rows without a weight are."""
    X, y = make_data(estimator)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    weight[::3] = 0.0
    X[::3] *= size
    X_new = make_data(estimator, seed=9)[0]
    _check_absence(estimator, X, y, weight, X_new)


@each_estimator("zero_weights_sparse", where=lambda e: _omits(e) and takes_sparse(e))
def test_zero_weights_are_absent_rows_sparse(estimator):
    X, y = make_data(estimator)
    X[X < 0] = 0.0
    matrix = sparse.csr_array(X)
    _check_absence(estimator, matrix, y, np.arange(len(X)) % 3 * 0.5, matrix)


def _check_absence(estimator, X, y, weight, X_new):
    present = np.flatnonzero(weight)
    weighted = in_folds(without_draws(estimator), np.arange(len(weight)))
    removed = in_folds(without_draws(estimator), present)
    fit(weighted, X, y, weight)
    fit(removed, X[present], _rows(y, present), weight[present])
    assert_same(comparable(removed, X_new), comparable(weighted, X_new), tolerance(estimator))


@each_estimator("equal_weights", where=takes_weight)
def test_equal_weights_are_none(estimator):
    X, y = make_data(estimator)
    plain = fit(fresh(estimator, precise=True), X, y)
    weighted = fit(fresh(estimator, precise=True), X, y, np.ones(len(X)))
    assert_same(outputs(weighted, X), outputs(plain, X), tolerance(estimator))


@each_estimator("frame_weights", where=lambda e: _repeats(e) and takes_any_scale(e))
def test_weights_in_a_data_frame(estimator, frame_library):
    """Means, levels and target means of the encoding follow the weights too."""
    columns = columns_for(estimator, 240)
    y = target_of(columns, estimator)
    weight = np.random.default_rng(2).integers(0, 4, 240)
    copies = np.repeat(np.arange(240), weight)
    frame = make_frame(frame_library, columns)
    repeated_frame = make_frame(frame_library, take(columns, copies))
    weighted = in_folds(without_draws(estimator), np.arange(240))
    repeated = in_folds(without_draws(estimator), copies)
    fit(weighted, frame, y, weight)
    fit(repeated, repeated_frame, _rows(y, copies))
    found, expected = comparable(repeated, frame), comparable(weighted, frame)
    assert_same(found, expected, 1e3 * tolerance(estimator))


# -- other meanings --------------------------------------------------------------------------------

N_SEEDS = 200


def _on_average(estimator, X, y, X_new, *, weight=None, first_seed=0):
    """Return the mean of each output over the seeds, and the mean's standard error."""
    found = []
    for seed in range(first_seed, first_seed + N_SEEDS):
        model = fresh(estimator, precise=True).set_params(random_state=seed)
        answers = outputs(fit(model, X, y, weight), X_new)
        found.append(np.hstack([np.c_[v] for v in answers.values() if v.dtype.kind == "f"]))
    return np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(N_SEEDS)


def _distance(first, second):
    """Return the largest difference of two means, in standard errors."""
    (a, error_a), (b, error_b) = first, second
    return float(np.max(np.abs(a - b) / (np.hypot(error_a, error_b) + 1e-9)))


@each_estimator("weights_on_average", where=lambda e: takes_weight(e) and draws_rows(e))
def test_weights_are_copies_on_average(estimator):
    """The weights sum to the number of rows, so that as many are drawn with them as of copies."""
    X, y = make_data(estimator)
    weight = np.random.default_rng(0).permutation(np.arange(len(X)) % 3)
    copies = np.repeat(np.arange(len(X)), weight)
    weighted = _on_average(estimator, X, y, X, weight=weight)
    repeated = _on_average(estimator, X[copies], _rows(y, copies), X, first_seed=1000)
    assert _distance(weighted, repeated) < 4.0
    # The seeds are enough to tell that weights are not ignored.
    assert _distance(weighted, _on_average(estimator, X, y, X, first_seed=2000)) > 5.0


@each_estimator("weights_of_steps", where=steps_by_row)
def test_weights_are_lengths_of_steps(estimator):
    """Twice the weight is twice the step, of half the penalty, which steps along."""
    X, y = make_data(estimator)
    constant = {"eta0": 0.125, "tol": None, "max_iter": 7}
    if "learning_rate" in estimator.get_params():  # the perceptron's is constant
        constant["learning_rate"] = "constant"
    weighted, longer = (fresh(estimator).set_params(**constant) for _ in range(2))
    penalty = "nu" if hasattr(estimator, "nu") else "alpha"
    longer.set_params(eta0=0.25, **{penalty: getattr(estimator, penalty) / 2})
    fit(weighted, X, y, np.full(len(X), 2.0))
    fit(longer, X, y)
    assert_same(outputs(longer, X), outputs(weighted, X), 1e-12)


@each_estimator("weights_of_queries", where=is_ranker)
def test_weights_are_those_of_queries(estimator):
    """A weight k of all rows of a query is k copies of the query; 0 omits it."""
    n_queries, size = 6, 10
    X, _ = make_data(estimator, n_queries * size)
    relevance = np.random.default_rng(0).integers(0, 4, len(X))
    weight = np.array([1, 2, 0, 3, 1, 2])
    copies = np.repeat(np.arange(n_queries), weight)
    rows = (size * copies[:, None] + np.arange(size)).ravel()
    by_query = type(estimator).__name__ == "XGBRanker"
    weighted = fresh(estimator).fit(
        X,
        relevance,
        sample_weight=weight if by_query else weight.repeat(size),
        **_queries(estimator, n_queries, size),
    )
    repeated = fresh(estimator).fit(
        X[rows], relevance[rows], **_queries(estimator, len(copies), size)
    )
    assert np.ptp(weighted.predict(X)) > 0.1
    np.testing.assert_allclose(repeated.predict(X), weighted.predict(X), rtol=1e-10)


def _queries(estimator, n_queries, size):
    """Return the argument that says which rows are of one query."""
    numbers = np.repeat(np.arange(n_queries), size)
    given = {
        "BoostingRanker": {"qid": numbers},
        "CatBoostRanker": {"group_id": numbers},
        "LGBMRanker": {"group": [size] * n_queries},
        "XGBRanker": {"qid": numbers},
    }
    return given[type(estimator).__name__]
