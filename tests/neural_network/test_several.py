"""Several nets as one model: each is the net of its seed, the outputs are their means."""

import numpy as np
import pytest

import gramian
from gramian.datasets import make_classification, make_regression
from gramian.exceptions import ConvergenceWarning
from gramian.inspection import diagnose, gradient_check, worked
from gramian.neural_network import MLPClassifier, MLPRegressor
from gramian.plot import loss_curve

X, Y = make_classification(160, 7, n_informative=5, n_classes=3, random_state=0)
XR, YR = make_regression(150, 5, noise=3.0, random_state=1)
YR = YR / 40
QUICK = {"hidden_layer_sizes": 6, "learning_rate_init": 0.02, "tol": 1e-2, "random_state": 4}


def classifier(**params):
    return MLPClassifier(**{**QUICK, "n_nets": 3, **params})


def regressor(**params):
    return MLPRegressor(**{**QUICK, "n_nets": 3, **params})


def test_each_net_is_that_of_its_seed():
    model = regressor().fit(XR, YR)
    seeds = np.random.RandomState(4).randint(np.iinfo(np.int32).max, size=3)
    for net, seed in zip(model.nets_, seeds, strict=True):
        alone = regressor(n_nets=1, random_state=int(seed)).fit(XR, YR)
        assert net.random_state == seed
        assert gramian.fingerprint(net) == gramian.fingerprint(alone)
    assert model.n_iter_ == max(net.n_iter_ for net in model.nets_)
    assert model.loss_ == pytest.approx(np.mean([net.loss_ for net in model.nets_]))
    assert not hasattr(model, "coefs_")


def test_outputs_are_means_with_their_spread():
    model = regressor().fit(XR, YR)
    each = np.array([net.predict(XR) for net in model.nets_])
    mean, std = model.predict(XR, return_std=True)
    np.testing.assert_allclose(mean, each.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(std, each.std(axis=0), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(model.predict(XR), mean)


@pytest.mark.parametrize("y", [Y, Y == 1], ids=["three classes", "two classes"])
def test_probabilities_are_means_with_their_spread(y):
    model = classifier().fit(X, y)
    each = np.array([net.predict_proba(X) for net in model.nets_])
    mean, std = model.predict_proba(X, return_std=True)
    np.testing.assert_allclose(mean, each.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(std, each.std(axis=0), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.classes_[mean.argmax(axis=1)])


def test_several_targets_have_a_spread_each():
    targets = np.column_stack([YR, -YR])
    mean, std = regressor().fit(XR, targets).predict(XR, return_std=True)
    assert mean.shape == std.shape == targets.shape
    assert (std > 0).any(axis=0).all()


def test_bits_do_not_depend_on_threads():
    found = []
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            found.append(gramian.fingerprint(classifier(dropout=0.2).fit(X, Y)))
    assert len(set(found)) == 1


def test_means_are_better_than_single_nets():
    rows = slice(0, 100)
    model = regressor(n_nets=8, tol=1e-4, max_iter=400).fit(XR[rows], YR[rows])
    each = [net.score(XR[100:], YR[100:]) for net in model.nets_]
    assert model.score(XR[100:], YR[100:]) > np.mean(each)


@pytest.mark.parametrize("settings", [{"warm_start": True}, {"early_stopping": True}])
def test_further_fits_and_validation_rows(settings):
    model = classifier(**settings).fit(X, Y, validation_set=(X[:40], Y[:40]))
    assert all(len(net.validation_scores_) == net.n_iter_ for net in model.nets_)
    before = [net.t_ for net in model.nets_]
    model.fit(X, Y)
    goes_on = "warm_start" in settings
    assert all((net.t_ > t) == goes_on for net, t in zip(model.nets_, before, strict=True))


def test_partial_fits_go_on():
    model = classifier()
    for part in (slice(0, 80), slice(80, None)):
        model.partial_fit(X[part], Y[part], classes=[0, 1, 2])
    assert [net.t_ for net in model.nets_] == [160] * 3
    assert not hasattr(model, "certificate_")
    alone = classifier(n_nets=1, random_state=model.nets_[0].random_state)
    for part in (slice(0, 80), slice(80, None)):
        alone.partial_fit(X[part], Y[part], classes=[0, 1, 2])
    np.testing.assert_array_equal(alone.coefs_[0], model.nets_[0].coefs_[0])


def test_a_failed_fit_leaves_the_nets_as_they_were():
    model = regressor(warm_start=True).fit(XR, YR)
    before = gramian.fingerprint(model)
    model.set_params(learning_rate_init=1e300, solver="sgd", n_iter_no_change=50)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="non-finite"):
        model.fit(XR, YR)
    model.set_params(
        learning_rate_init=QUICK["learning_rate_init"], solver="adam", n_iter_no_change=10
    )
    assert gramian.fingerprint(model) == before


def test_one_net_and_several_leave_nothing_of_each_other():
    model = regressor().fit(XR, YR)
    model.set_params(n_nets=1).fit(XR, YR)
    assert not hasattr(model, "nets_")
    model.set_params(n_nets=2).fit(XR, YR)
    assert not hasattr(model, "coefs_")
    assert not hasattr(model, "loss_curve_")


def test_saved_nets_predict_the_same(tmp_path):
    model = classifier().fit(X, Y)
    gramian.save(model, tmp_path / "nets.gramian")
    loaded = gramian.load(tmp_path / "nets.gramian")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_one_warning_speaks_for_all():
    with pytest.warns(
        ConvergenceWarning, match=r"^3 of 3 nets: .*Maximum iterations \(2\)"
    ) as told:
        model = regressor(max_iter=2).fit(XR, YR)
    assert len(told) == 1
    assert not model.certificate_.converged
    assert model.certificate_.statement.startswith("0 of 3 nets ended by themselves")


def test_what_needs_one_net_or_several_says_so():
    single, model = regressor(n_nets=1).fit(XR, YR), regressor().fit(XR, YR)
    with pytest.raises(ValueError, match="needs several nets"):
        single.predict(XR, return_std=True)
    with pytest.raises(ValueError, match="cannot go on"):
        model.set_params(n_nets=2, warm_start=True).fit(XR, YR)
    model.set_params(n_nets=3, warm_start=False)
    with pytest.raises(ValueError, match="single net"):
        model.fit(XR, YR, callbacks=[print])
    with pytest.raises(ValueError, match="nets_"):
        worked(model, XR, YR)
    with pytest.raises(ValueError, match="nets_"):
        gradient_check(model, XR, YR)
    assert "first of 3 nets" in str(diagnose(model, XR, YR))
    assert gradient_check(model.nets_[0], XR, YR).error < 1e-5
    assert list(loss_curve(model).curves) == ["net 1", "net 2", "net 3"]
