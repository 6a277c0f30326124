"""The preset for tables: any columns, its layers, and the parts that it brings with it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.metrics import log_loss

import gramian
from gramian import config, fingerprint
from gramian._network.schedule import Schedule, fading
from gramian.exceptions import ConvergenceWarning
from gramian.inspection import diagnose, gradient_check, worked
from gramian.model_selection import cross_val_score
from gramian.neural_network import MLPClassifier, MLPRegressor

SMALL = {
    "preset": "table",
    "hidden_layer_sizes": (16, 8),
    "max_iter": 20,
    "n_nets": 1,
    "random_state": 0,
}


def frame(n=240, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "size": rng.lognormal(3.0, 1.0, n),
            "year": rng.integers(1900, 2020, n).astype(float),
            "kind": rng.choice(["flat", "house", "loft"], n),
            "town": rng.choice([f"town {k}" for k in range(14)], n),
            "lift": rng.random(n) < 0.5,
            "same": 7.0,
        }
    )
    y = np.log(table["size"]) + np.sin(table["year"] / 12) + 2.0 * (table["kind"] == "flat")
    table.loc[::11, "year"] = np.nan
    table.loc[::13, "kind"] = None
    return table, y.to_numpy()


X, Y = frame()
CLASSES = np.digitize(Y, np.quantile(Y, [0.3, 0.7]))


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (MLPRegressor(**SMALL), Y),
        (MLPRegressor(loss="huber", **SMALL), np.column_stack([Y, -100.0 * Y])),
        (MLPRegressor(loss="poisson", **SMALL), np.exp(Y)),
        (MLPClassifier(**SMALL), CLASSES > 0),
        (MLPClassifier(label_smoothing=0.2, **SMALL), CLASSES),
        (MLPClassifier(**SMALL), np.column_stack([CLASSES > 0, CLASSES > 1]).astype(int)),
    ],
)
def test_gradients_are_those_of_differences(model, y):
    found = gradient_check(model.fit(X, y), X[:40], y[:40])
    assert found.error < 1e-6
    # embeddings, waves, three layers; waves and layers have biases, hidden ones shares
    assert set(found.blocks) == {
        *(f"coefs_[{k}]" for k in range(5)),
        *(f"intercepts_[{k}]" for k in range(1, 5)),
        *("shares_[0]", "shares_[1]"),
    }


def test_inputs_are_the_columns():
    model = MLPRegressor(**SMALL).fit(X, Y)
    layer = model.embedding_
    # four numbers and the mark of one's gaps; 3 kinds, gaps, unseen; 14 towns, unseen
    assert layer.n_inputs == 5 + 5 + 15
    assert layer.n_neurons == 5 + 5 + 8
    assert len(layer.numbers) == 2  # two values or one have no waves
    assert model.coefs_[1].shape == (3 * 8 + 1, layer.n_neurons + 3 * 2)
    assert set(model.embeddings_) == {"town"}
    rows = layer.rows(*_table_of(model, X)).toarray()
    numbers = np.sort(X["size"])
    quartiles = numbers[[59, 119, 179]]
    scaled = (X["size"] - quartiles[1]) / (quartiles[2] - quartiles[0])
    np.testing.assert_allclose(rows[:, 0], scaled / np.sqrt(1 + scaled**2 / 9), rtol=1e-12)
    assert np.abs(rows[:, 0]).max() < 3


def _table_of(model, X):
    from gramian.table import as_table

    table = as_table(X)
    return table, model.embedding_.matrix(table)


def test_units_of_columns_and_targets_do_not_matter():
    far = X.assign(size=8.0 * X["size"] - 512.0)  # powers of two: exact
    first = MLPRegressor(**SMALL).fit(X, Y).predict(X)
    second = MLPRegressor(**SMALL).fit(far, 1024.0 * Y).predict(far)
    np.testing.assert_allclose(second / 1024.0, first, rtol=1e-2)
    assert first.min() >= Y.min()
    assert first.max() <= Y.max()


@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
def test_it_learns(kind):
    table, y = frame(600, seed=1)
    y = y if kind is MLPRegressor else (y > np.median(y)).astype(int)
    model = kind(preset="table", hidden_layer_sizes=(32, 32), n_nets=2, random_state=0)
    model.fit(table[:450], y[:450])
    if kind is MLPRegressor:
        assert model.score(table[450:], y[450:]) > 0.7
    else:
        assert log_loss(y[450:], model.predict_proba(table[450:])) < 0.45
    assert len(model.nets_) == 2
    assert model.nets_[0].n_iter_ == 64


def test_parameters_that_are_set_stay():
    model = MLPClassifier(**{**SMALL, "n_nets": None, "activation": "tanh", "dropout": 0.5})
    settings = model._settings()
    assert (settings.activation, settings.dropout, settings.max_iter) == ("tanh", 0.5, 20)
    assert (settings.n_nets, settings.schedule) == (4, "cosine_cycles")
    assert model.get_params()["schedule"] is None
    assert len(model.fit(X, CLASSES).nets_) == 4


@pytest.mark.parametrize("n_nets", [1, 2])
def test_same_bits_and_files(tmp_path, n_nets):
    prints = []
    for n_threads in (1, 2):
        with config(n_threads=n_threads):
            model = MLPClassifier(**{**SMALL, "n_nets": n_nets, "max_iter": 5}).fit(X, CLASSES)
            prints.append(fingerprint(model))
    assert prints[0] == prints[1]
    gramian.save(model, tmp_path / "net.gramian")
    again = gramian.load(tmp_path / "net.gramian")
    fresh = frame(30, seed=5)[0]
    fresh.loc[0, "kind"] = "castle"
    fresh.loc[1, "town"] = None
    np.testing.assert_array_equal(again.predict_proba(fresh), model.predict_proba(fresh))
    np.testing.assert_allclose(model.predict_proba(fresh).sum(axis=1), 1.0, rtol=1e-12)


def test_arrays_gaps_and_other_frames():
    numbers = X[["size", "year"]]
    model = MLPRegressor(**SMALL).fit(numbers.to_numpy(), Y)  # with NaN
    of_frame = MLPRegressor(**SMALL).fit(pl.DataFrame(numbers), Y)
    np.testing.assert_array_equal(model.predict(numbers.to_numpy()), of_frame.predict(numbers))
    short = numbers.astype(np.float32)
    assert MLPRegressor(**SMALL).fit(short, Y).predict(short).dtype == np.float32
    with pytest.raises(TypeError, match="encoding='table'"):
        model.fit(sparse.csr_matrix(np.ones((240, 2))), Y)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.full((240, 1), np.inf), Y)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_few_rows(n):
    for model, y in (
        (MLPRegressor(**SMALL), Y),
        (MLPClassifier(**SMALL), np.arange(n) // (n - 0.5)),
    ):
        model.fit(X[:n], y[:n])
        assert len(model.predict(X)) == len(X)


def test_rows_of_one_class_are_no_obstacle():
    y = np.where(np.arange(len(X)) == 3, "rare", np.where(Y > 2, "high", "low"))
    assert set(MLPClassifier(**SMALL).fit(X, y).classes_) == {"high", "low", "rare"}


def test_weights_of_zero_are_no_rows():
    weight = np.ones(len(X))
    weight[::5] = 0.0
    spoilt = X.copy()
    spoilt.loc[::5, ["size", "kind"]] = [1e9, "palace"]
    model = MLPRegressor(**SMALL).fit(spoilt, np.where(weight > 0, Y, 1e9), weight)
    alone = MLPRegressor(**SMALL).fit(X[weight > 0], Y[weight > 0])
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))


def test_further_fits_and_what_is_refused():
    model = MLPRegressor(warm_start=True, **SMALL).fit(X, Y)
    first = model.coefs_[2].copy()
    assert (model.fit(X, Y).coefs_[2] != first).any()
    assert not hasattr(model, "partial_fit")
    with pytest.raises(ValueError, match="embeddings"):
        worked(model, X, Y)
    with pytest.raises(ValueError, match="fade=True has no effect"):
        MLPRegressor(fade=True).fit(X[["size"]], Y)
    assert np.isfinite(cross_val_score(MLPRegressor(**SMALL), X, Y, cv=3)).all()


def test_diagnosis_and_quasi_newton():
    assert "neurons" in str(diagnose(MLPClassifier(**SMALL).fit(X, CLASSES), X, CLASSES))
    steps = {**SMALL, "solver": "lbfgs", "max_iter": 30, "activation": "tanh"}
    with pytest.warns(ConvergenceWarning):
        model = MLPRegressor(**steps).fit(X, Y)
    assert model.score(X, Y) > 0.8


# -- its parts, each by itself ---------------------------------------------------------------------


def test_cycles_end_where_they_began():
    plan = Schedule("cosine_cycles")
    starts = (2.0 ** np.arange(5) - 1.0) / 15.0
    middles = (2.0 ** (np.arange(4) + 0.5) - 1.0) / 15.0
    np.testing.assert_allclose([plan.at(x) for x in starts], 0.0, atol=1e-12)
    np.testing.assert_allclose([plan.at(x) for x in middles], 1.0, atol=1e-12)
    assert [fading(x) for x in (0.0, 0.5, 0.75, 1.0)] == [1.0, 1.0, 0.5, 0.0]


def test_smoothed_classes_keep_a_net_from_being_sure():
    # with separable rows the best probability of the right class is 1 - s + s / 3
    rows = np.repeat(np.eye(3), 5, axis=0)
    y = np.repeat([0, 1, 2], 5)
    params = {"solver": "lbfgs", "alpha": 0.0, "tol": 1e-9, "random_state": 0, "max_iter": 5000}
    for s in (0.3, 0.05):
        net = MLPClassifier(4, "tanh", label_smoothing=s, **params).fit(rows, y)
        np.testing.assert_allclose(
            net.predict_proba(rows)[np.arange(15), y], 1 - s + s / 3, atol=1e-4
        )
        two = MLPClassifier(4, "tanh", label_smoothing=s, **params).fit(rows, y > 0)
        np.testing.assert_allclose(
            two.predict_proba(rows)[np.arange(15), (y > 0).astype(int)], 1 - s / 2, atol=1e-4
        )


def test_parametric_activations_can_be_linear():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(100, 2))
    params = {"hidden_layer_sizes": 3, "solver": "lbfgs", "random_state": 0, "max_iter": 2000}
    model = MLPRegressor(activation="tanh", parametric=True, **params).fit(rows, rows @ [1.0, 2.0])
    assert [each.shape for each in model.shares_] == [(3,)]
    assert gradient_check(model, rows, rows @ [1.0, 2.0]).error < 1e-7
    model.shares_[0][:] = 0.0  # the identity
    plane = rows @ model.coefs_[0] + model.intercepts_[0]
    expected = plane @ model.coefs_[1] + model.intercepts_[1]
    np.testing.assert_allclose(model.predict(rows), expected[:, 0], rtol=1e-10)
