"""How the training of nets is controlled: rates, weight decay, clipping, dropout, what ends it."""

import math
import warnings

import numpy as np
import pytest
from scipy import sparse

import gramian
from gramian._network.schedule import Schedule
from gramian.datasets import make_classification, make_multilabel_classification
from gramian.exceptions import ConvergenceWarning
from gramian.neural_network import MLPClassifier, MLPRegressor


def rows(n=120, p=5, n_classes=2):
    return make_classification(
        n, p, n_informative=4, n_redundant=1, n_classes=n_classes, random_state=0
    )


def quiet(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **kwargs)


def lines(**params):
    """A net without hidden layers, whose gradient is known."""
    return MLPRegressor(hidden_layer_sizes=(), alpha=0.0, random_state=0, shuffle=False, **params)


# -- steps -----------------------------------------------------------------------------------------


def test_weight_decay_takes_its_share_of_the_weights():
    X, y = rows()
    params = {"max_iter": 1, "batch_size": len(X), "learning_rate_init": 0.01, "alpha": 0.0}
    plain = quiet(MLPRegressor(hidden_layer_sizes=4, random_state=0, **params), X, y)
    decayed = MLPRegressor(
        hidden_layer_sizes=4, random_state=0, solver="adamw", weight_decay=0.3, **params
    )
    quiet(decayed, X, y)
    start = MLPRegressor(
        hidden_layer_sizes=4, random_state=0, **{**params, "learning_rate_init": 1e-300}
    )
    quiet(start, X, y)
    for before, without, with_decay in zip(start.coefs_, plain.coefs_, decayed.coefs_, strict=True):
        np.testing.assert_allclose(with_decay, without - 0.01 * 0.3 * before, atol=1e-14)
    for without, with_decay in zip(plain.intercepts_, decayed.intercepts_, strict=True):
        np.testing.assert_array_equal(with_decay, without)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("n_rows", [60, 20_000])  # in one pass, and in several
def test_long_gradients_are_shortened(kind, n_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3))
    X[np.abs(X) < 0.3] = 0.0
    y = 5.0 + X @ [3.0, -2.0, 1.0]
    params = {"solver": "sgd", "momentum": 0.0, "batch_size": n_rows, "max_iter": 1}
    plain = quiet(lines(learning_rate_init=0.1, **params), kind(X), y)
    short = quiet(lines(learning_rate_init=0.1, max_grad_norm=0.5, **params), kind(X), y)
    start = quiet(lines(learning_rate_init=1e-300, **params), kind(X), y)

    def move(net):
        return np.concatenate(
            [net.coefs_[0][:, 0] - start.coefs_[0][:, 0], net.intercepts_[0] - start.intercepts_[0]]
        )

    assert np.linalg.norm(move(plain)) > 0.1
    np.testing.assert_allclose(np.linalg.norm(move(short)), 0.1 * 0.5, rtol=1e-9)
    np.testing.assert_allclose(
        move(short) / np.linalg.norm(move(short)),
        move(plain) / np.linalg.norm(move(plain)),
        rtol=1e-9,
    )
    loose = quiet(lines(learning_rate_init=0.1, max_grad_norm=1e9, **params), kind(X), y)
    np.testing.assert_allclose(move(loose), move(plain), rtol=1e-12)


# -- schedules -------------------------------------------------------------------------------------


def test_cosine_rises_evenly_and_falls_to_zero():
    plan = Schedule("cosine", 0.25)
    assert [plan.at(x) for x in (0.0, 0.125, 0.25)] == [0.0, 0.5, 1.0]
    assert plan.at(0.625) == pytest.approx(0.5)
    assert plan.at(1.0) == pytest.approx(0.0)
    assert Schedule("cosine").at(0.0) == 1.0


def test_one_cycle_rises_and_falls_smoothly():
    plan = Schedule("one_cycle")
    assert plan.at(0.0) == pytest.approx(1 / 25)
    assert plan.at(0.3) == pytest.approx(1.0)
    assert plan.at(0.15) == pytest.approx((1 + 1 / 25) / 2)
    assert plan.at(1.0) == pytest.approx(1e-4)


def test_warm_up_alone_stays_at_the_rate():
    plan = Schedule(None, 0.5)
    assert [plan.at(x) for x in (0.25, 0.5, 1.0)] == [0.5, 1.0, 1.0]


def test_rates_change_from_step_to_step():
    # of a loss whose slope is one everywhere, the weight tells the sum of all rates
    n, size, n_epochs = 40, 10, 3
    params = {"solver": "sgd", "momentum": 0.0, "batch_size": size, "max_iter": n_epochs}
    X, y = np.ones((n, 1)), np.full(n, -1e6)
    net = quiet(lines(loss="huber", learning_rate_init=0.2, schedule="cosine", **params), X, y)
    start = quiet(lines(loss="huber", learning_rate_init=1e-300, **params), X, y)
    plan, rates = Schedule("cosine"), []
    for epoch in range(n_epochs):
        begin, end = plan.at(epoch / n_epochs), plan.at((epoch + 1) / n_epochs)
        rates += [begin + (end - begin) * k * size / n for k in range(n // size)]
    moved = start.coefs_[0][0, 0] - net.coefs_[0][0, 0]
    assert moved == pytest.approx(0.2 * sum(rates), rel=1e-12)


def test_a_schedule_is_taken_to_its_end():
    X, y = rows()
    net = MLPClassifier(3, schedule="one_cycle", max_iter=40, tol=10.0, random_state=0).fit(X, y)
    assert net.n_iter_ == 40
    assert net.certificate_.details["stopped"] == "schedule"


# -- dropout ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu"])
def test_dropout_is_the_same_for_all_threads_and_repeats(activation):
    X, y = make_classification(700, 30, n_informative=20, n_classes=3, random_state=0)
    prints = []
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            net = MLPClassifier((80, 40), activation, dropout=0.4, random_state=0, max_iter=3)
            prints.append(gramian.fingerprint(quiet(net, X, y)))
    assert len(set(prints)) == 1
    other = MLPClassifier((80, 40), activation, dropout=0.4, random_state=1, max_iter=3)
    assert gramian.fingerprint(quiet(other, X, y)) not in prints


def test_dropout_leaves_out_its_share_and_keeps_the_mean():
    # one layer of ones, whose outputs have no slope: the loss is that of the mean of the factors
    n, n_hidden, share = 4000, 64, 0.3
    net = MLPRegressor(
        hidden_layer_sizes=n_hidden,
        solver="sgd",
        learning_rate_init=1e-300,
        alpha=0.0,
        dropout=share,
        batch_size=n,
        max_iter=1,
        warm_start=True,
        random_state=0,
    )
    net.coefs_ = [np.ones((1, n_hidden)), np.full((n_hidden, 1), 1 / n_hidden)]
    net.intercepts_ = [np.zeros(n_hidden), np.zeros(1)]
    net.n_features_in_ = 1
    X = np.ones((n, 1))
    np.testing.assert_array_equal(net.predict(X), 1.0)
    variance = share / (1 - share) / n_hidden
    assert quiet(net, X, np.ones(n)).loss_ == pytest.approx(variance / 2, rel=0.1)


def test_dropout_goes_on_bit_for_bit_after_a_reload(tmp_path):
    X, y = rows()
    net = MLPClassifier(8, dropout=0.5, random_state=0).partial_fit(X, y, classes=[0, 1])
    gramian.save(net, tmp_path / "net.gramian")
    other = gramian.load(tmp_path / "net.gramian")
    for each in (net, other):
        each.partial_fit(X, y)
    assert gramian.fingerprint(other) == gramian.fingerprint(net)


# -- what ends a fit, and what it returns ----------------------------------------------------------


def test_validation_set_is_scored_after_each_epoch():
    X, y = rows(200)
    net = MLPClassifier(4, max_iter=6, random_state=0)
    quiet(net, X[:150], y[:150], validation_set=(X[150:], y[150:]))
    plain = quiet(MLPClassifier(4, max_iter=6, random_state=0), X[:150], y[:150])
    assert gramian.fingerprint(net.set_params(max_iter=6)) != gramian.fingerprint(plain)
    np.testing.assert_array_equal(net.coefs_[0], plain.coefs_[0])
    assert len(net.validation_scores_) == 6
    assert net.validation_scores_[-1] == net.score(X[150:], y[150:])
    assert net.best_validation_score_ == max(net.validation_scores_)


def test_early_stopping_takes_the_given_rows():
    X, y = rows(200)
    judged = (X[150:], y[150:], np.linspace(0.5, 2.0, 50))
    net = MLPClassifier(4, early_stopping=True, random_state=0, n_iter_no_change=3)
    quiet(net, X[:150], y[:150], validation_set=judged)
    assert net.t_ == 150 * net.n_iter_
    assert net.best_validation_score_ == pytest.approx(net.score(*judged))


def test_best_epoch_is_restored():
    X, y = rows(60)
    seen = []
    params = {"learning_rate_init": 0.5, "max_iter": 12, "random_state": 0}
    net = MLPClassifier(6, restore_best=True, **params)
    quiet(net, X, y, callbacks=[lambda model: seen.append(model.coefs_[0].copy())])
    assert len(seen) == net.n_iter_
    np.testing.assert_array_equal(net.coefs_[0], seen[int(np.argmin(net.loss_curve_))])

    judged = rows(300)
    scores = []
    quiet(
        net,
        X,
        y,
        validation_set=judged,
        callbacks=[lambda model: scores.append(model.score(*judged))],
    )
    assert scores == net.validation_scores_
    assert net.score(*judged) == max(scores)


def test_a_callback_ends_the_fit_and_warm_start_goes_on():
    X, y = rows()
    net = MLPRegressor(hidden_layer_sizes=4, random_state=0, warm_start=True)
    net.fit(X, y, callbacks=[lambda model: model.n_iter_ == 5])
    assert net.n_iter_ == len(net.loss_curve_) == 5
    assert net.certificate_.details["stopped"] == "callback"
    net.fit(X, y, callbacks=[lambda model: model.n_iter_ == 2])
    assert len(net.loss_curve_) == 7
    assert net.loss_curve_[5] < net.loss_curve_[0]


def test_a_failing_callback_leaves_the_model_as_it_was():
    X, y = rows()
    net = quiet(MLPClassifier(3, max_iter=3, random_state=0), X, y)
    before = gramian.fingerprint(net)

    def fail(model):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        net.fit(X, y, callbacks=[fail])
    assert gramian.fingerprint(net) == before


def test_time_limit_returns_the_best_so_far():
    X, y = make_classification(5000, 40, random_state=0)
    with gramian.config(time_limit=0.3):
        net = MLPClassifier((150, 150), restore_best=True, max_iter=10_000, tol=0.0, random_state=0)
        net.fit(X, y)
    assert net.certificate_.details["stopped"] == "time limit"
    assert net.best_loss_ == min(net.loss_curve_, default=math.inf)


def test_verbose_says_how_long_it_may_take(capsys):
    X, y = rows()
    quiet(MLPClassifier(3, max_iter=2, verbose=2, random_state=0), X, y)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("Iteration 1, loss = ")
    assert second.endswith("at most 0.0 s to go")


# -- classes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_class_weights_are_weights_of_rows(n_classes):
    X, y = rows(200, 5, n_classes)
    by_class = {0: 2.0, 1: 0.5}
    params = {"max_iter": 5, "random_state": 0}
    weight = np.linspace(0.5, 1.5, len(y))
    ours = quiet(MLPClassifier(4, class_weight=by_class, **params), X, y, weight)
    of_rows = weight * np.array([by_class.get(label, 1.0) for label in y])
    np.testing.assert_array_equal(
        ours.coefs_[0], quiet(MLPClassifier(4, **params), X, y, of_rows).coefs_[0]
    )


def test_balanced_classes_have_equal_totals():
    X, y = rows(200)
    y = np.where(np.arange(200) < 20, 1 - y, 0)
    share = y.mean()
    params = {"max_iter": 5, "random_state": 0}
    ours = quiet(MLPClassifier(4, class_weight="balanced", **params), X, y)
    weight = {0: 0.5 / (1 - share), 1: 0.5 / share}
    other = quiet(MLPClassifier(4, class_weight=weight, **params), X, y)
    np.testing.assert_allclose(ours.coefs_[0], other.coefs_[0], rtol=1e-9)


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [
        {"schedule": "cosine"},
        {"warm_up": 0.1},
        {"max_grad_norm": 1.0},
        {"dropout": 0.2},
        {"restore_best": True},
    ],
    ids=str,
)
def test_quasi_newton_steps_refuse_what_is_of_batches(params):
    X, y = rows()
    with pytest.raises(ValueError, match=next(iter(params))):
        MLPClassifier(solver="lbfgs", **params).fit(X, y)


def test_settings_that_cannot_work_are_refused():
    X, y = rows()
    with pytest.raises(ValueError, match="learning_rate='adaptive'"):
        MLPClassifier(solver="sgd", learning_rate="adaptive", schedule="cosine").fit(X, y)
    with pytest.raises(ValueError, match=r"schedule='cosine'.*single epoch"):
        MLPRegressor(schedule="cosine").partial_fit(X, y)
    with pytest.raises(ValueError, match="dropout"):
        MLPRegressor(dropout=1.0).fit(X, y)
    with pytest.raises(ValueError, match="validation_set and callbacks"):
        MLPRegressor(solver="lbfgs").fit(X, y, validation_set=(X, y))
    with pytest.raises(ValueError, match="validation_set must be a tuple"):
        MLPRegressor().fit(X, y, validation_set=X)
    with pytest.raises(ValueError, match="columns"):
        MLPRegressor().fit(X, y, validation_set=(X, np.column_stack([y, y])))
    with pytest.raises(ValueError, match="has classes not in"):
        MLPClassifier().fit(X, y, validation_set=(X, y + 1))
    with pytest.raises(ValueError, match="needs all rows"):
        MLPClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="several labels"):
        Xm, ym = make_multilabel_classification(20, random_state=0)
        MLPClassifier(class_weight={0: 2.0}).fit(Xm, ym)
