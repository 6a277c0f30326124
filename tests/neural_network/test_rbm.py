"""Restricted Boltzmann machines: scikit-learn's numbers, closed forms, and what holds by itself."""

import itertools

import numpy as np
import pytest
import sklearn.neural_network as reference
from scipy import sparse

import gramian
from gramian.datasets import load_digits
from gramian.neural_network import BernoulliRBM

FITTED = ("components_", "intercept_hidden_", "intercept_visible_", "h_samples_")


def states(n, p, dtype=float, seed=0):
    return (np.random.default_rng(seed).random((n, p)) < 0.3).astype(dtype)


def assert_same(ours, theirs, atol=1e-12):
    for name in FITTED:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=atol)


CASES = [
    # rows, visible and hidden units, rows of a batch
    (200, 20, 7, 10),
    (203, 33, 64, 16),
    (101, 50, 5, 1),
    (50, 9, 40, 64),
]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_fits_are_those_of_sklearn(case, kind):
    n, p, n_hidden, batch_size = case
    X = kind(states(n, p))
    params = {"batch_size": batch_size, "n_iter": 3, "random_state": 4}
    ours = BernoulliRBM(n_hidden, **params).fit(X)
    theirs = reference.BernoulliRBM(n_hidden, **params).fit(X)
    assert_same(ours, theirs)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-12)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-10)
    for _ in range(2):
        np.testing.assert_array_equal(ours.gibbs(X), theirs.gibbs(X))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array], ids=["dense", "sparse"])
def test_further_batches_are_those_of_sklearn(kind):
    X = kind(states(90, 12))
    ours = BernoulliRBM(5, batch_size=7, random_state=1)
    theirs = reference.BernoulliRBM(5, batch_size=7, random_state=1)
    for size in (30, 50, 10):
        ours.partial_fit(X[:size])
        theirs.partial_fit(X[:size])
    assert_same(ours, theirs)
    np.testing.assert_array_equal(ours.gibbs(X), theirs.gibbs(X))


def test_probabilities_between_zero_and_one_are_states():
    X, _ = load_digits(return_X_y=True)
    params = {"n_components": 32, "n_iter": 2, "learning_rate": 0.05, "random_state": 0}
    assert_same(
        BernoulliRBM(**params).fit(X[:300] / 16),
        reference.BernoulliRBM(**params).fit(X[:300] / 16),
    )


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_single_precision_stays(kind):
    X = states(150, 20)
    params = {"batch_size": 10, "n_iter": 3, "random_state": 0}
    single = BernoulliRBM(9, **params).fit(kind(X.astype(np.float32)))
    double = BernoulliRBM(9, **params).fit(kind(X))
    assert {getattr(single, name).dtype for name in FITTED} == {np.dtype(np.float32)}
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    assert_same(single, double, atol=2e-6)


def test_score_is_the_probability_of_one_unit_given_the_others():
    X = states(40, 6)
    model = BernoulliRBM(3, n_iter=20, learning_rate=0.5, random_state=3).fit(X)
    hidden = np.array(list(itertools.product([0, 1], repeat=3)))

    def likelihood(v):  # without its constant, by all states of the hidden units
        energy = v @ model.intercept_visible_
        energy = energy + hidden @ (model.intercept_hidden_ + model.components_ @ v)
        return np.exp(energy).sum()

    units = np.random.RandomState(3).randint(0, 6, 40)
    expected = []
    for row, unit in zip(X, units, strict=True):
        other = row.copy()
        other[unit] = 1 - other[unit]
        expected.append(6 * np.log(likelihood(row) / (likelihood(row) + likelihood(other))))
    np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-10)


def test_it_learns_which_units_go_together(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    half = rng.random((600, 1)) < 0.5
    X = np.hstack([half.repeat(4, axis=1), ~half.repeat(4, axis=1)]).astype(float)
    model = BernoulliRBM(4, n_iter=40, learning_rate=0.1, random_state=global_random_seed).fit(X)
    assert model.score_samples(X).mean() > model.score_samples(1 - states(600, 8)).mean() + 2
    assert model.score_samples(X).mean() > -1.5


def test_bits_do_not_depend_on_threads():
    X = states(400, 300)
    prints = []
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            model = BernoulliRBM(120, batch_size=50, n_iter=2, random_state=0).fit(X)
            prints.append((gramian.fingerprint(model), model.score_samples(X).tobytes()))
    assert len(set(prints)) == 1


def test_saved_machines_go_on_bit_for_bit(tmp_path):
    X = states(60, 10)
    model = BernoulliRBM(6, batch_size=4, random_state=0).partial_fit(X)
    gramian.save(model, tmp_path / "machine.gramian")
    other = gramian.load(tmp_path / "machine.gramian")
    for each in (model, other):
        each.partial_fit(X)
    assert gramian.fingerprint(other) == gramian.fingerprint(model)
    np.testing.assert_array_equal(other.gibbs(X), model.gibbs(X))


def test_steps_are_counted_and_a_time_limit_ends_them():
    X = states(95, 10)
    assert BernoulliRBM(6, n_iter=3, random_state=0).fit(X).n_steps_ == 30
    with gramian.config(time_limit=1e-9):
        assert BernoulliRBM(6, n_iter=3, random_state=0).fit(X).n_steps_ == 0


def test_columns_beyond_all_bounds_are_named():
    with pytest.raises(ValueError, match=r"reach 1e\+308.*MinMaxScaler"):
        BernoulliRBM(2, learning_rate=100.0, random_state=0).fit([[1e308, 1e308], [0.0, 1e308]])


def test_verbose_prints_the_pseudo_likelihood(capsys):
    BernoulliRBM(2, n_iter=2, verbose=True, random_state=0).fit(states(20, 4))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "[BernoulliRBM] Iteration 1",
        "[BernoulliRBM] Iteration 2",
    ]


def test_batch_size_of_a_small_type_of_number():
    X = states(95, 10)
    small, plain = (BernoulliRBM(2, batch_size=b, random_state=0).fit(X) for b in (np.int8(9), 9))
    np.testing.assert_array_equal(small.components_, plain.components_)
