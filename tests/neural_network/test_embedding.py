"""Nets on data frames with a first layer that learns numbers for the levels of columns."""

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.inspection import diagnose, gradient_check, worked
from gramian.neural_network import MLPClassifier, MLPRegressor

CITIES = ("Bern", "Oslo", "Rome", "Wien", "Zug")
EFFECTS = {"Bern": 0.0, "Oslo": 2.0, "Rome": -1.0, "Wien": 1.0, "Zug": -2.0}


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    city = rng.choice(CITIES, n)
    frame = pd.DataFrame(
        {
            "area": rng.normal(50.0, 10.0, n),
            "city": city,
            "floor": pd.Categorical(rng.choice(["low", "mid", "top"], n)),
        }
    )
    frame.loc[::17, "area"] = np.nan
    frame.loc[::23, "floor"] = np.nan
    y = np.vectorize(EFFECTS.get)(city) + 0.05 * np.nan_to_num(frame["area"] - 50.0)
    return frame, y


def regressor(**params):
    settings = {"hidden_layer_sizes": 8, "learning_rate_init": 0.01, "tol": 1e-3, "random_state": 0}
    return MLPRegressor(**{**settings, "max_iter": 500, "encoding": "embedding", **params})


X, Y = table()


def test_levels_become_their_numbers():
    """The net is one on the numbers of the levels, the scaled area, and the mark of its gaps."""
    model = regressor(activation="tanh").fit(X, Y)
    area = X["area"].to_numpy()
    numbers = [(area - np.nanmean(area)) / np.nanstd(area)]
    columns = [np.nan_to_num(numbers[0])[:, None], np.isnan(area)[:, None]]
    for name in ("city", "floor"):
        known = model.embeddings_[name]
        levels = [None if pd.isna(level) else level for level in X[name]]
        columns.append(np.array([known[level] for level in levels]))
    plain = MLPRegressor(hidden_layer_sizes=8, activation="tanh")
    plain.coefs_, plain.intercepts_ = model.coefs_[1:], model.intercepts_[1:]
    np.testing.assert_allclose(plain.predict(np.hstack(columns)), model.predict(X), rtol=1e-10)


def test_levels_are_learned():
    model = regressor(tol=1e-5).fit(X, Y)
    fresh, y = table(seed=1)
    assert model.score(fresh, y) > 0.97
    assert set(model.embeddings_) == {"city", "floor"}
    assert set(model.embeddings_["city"]) == set(CITIES)
    assert set(model.embeddings_["floor"]) == {"low", "mid", "top", None}


@pytest.mark.parametrize("solver", ["adam", "adamw", "sgd", "lbfgs"])
def test_only_numbers_of_levels_are_learned(solver):
    model = regressor(solver=solver, alpha=0.5, tol=1e-2, max_iter=5000).fit(X, Y)
    layer = model.embedding_
    rest = np.where(layer.mask(), 0.0, model.coefs_[0])
    is_frozen = layer.begins == layer.ends
    expected = np.zeros_like(rest)
    expected[is_frozen, layer.begins[is_frozen]] = 1.0
    np.testing.assert_array_equal(rest, expected)
    assert not model.intercepts_[0].any()


@pytest.mark.parametrize("activation", ["tanh", "silu"])
def test_gradients_are_those_of_differences(activation):
    model = regressor(activation=activation, alpha=0.3, tol=1e-2).fit(X, Y)
    check = gradient_check(model, X, Y)
    assert check.error < 1e-7
    assert "coefs_[0]" in check.blocks
    assert "intercepts_[0]" not in check.blocks  # fixed


def test_rare_levels_are_unseen_ones():
    frame, y = X.copy(), Y.copy()
    frame.loc[5, "city"] = "Lund"
    model = regressor(tol=1e-2).fit(frame, y)
    assert set(model.embeddings_["city"]) == set(CITIES)
    rows = frame.iloc[[5, 5, 5]].reset_index(drop=True)
    rows["city"] = ["Lund", "Paris", None]  # a gap, where there were none at fit
    assert len(np.unique(model.predict(rows))) == 1


def test_unseen_levels_are_the_mean_where_none_is_rare():
    model = regressor(tol=1e-2).fit(X, Y)
    tables = model.embeddings_["city"]
    mean = sum(tables[city] for city in X["city"]) / len(X)
    layer = model.embedding_
    rare = layer.places[1][-1]
    learned = model.coefs_[0][rare, layer.begins[rare] : layer.ends[rare]]
    np.testing.assert_allclose(learned, mean, rtol=1e-10, atol=1e-12)


def test_copies_are_weights():
    weight = np.random.default_rng(1).integers(0, 3, len(X))
    copies = np.repeat(np.arange(len(X)), weight)
    settings = {"solver": "lbfgs", "tol": 1e-6, "max_iter": 20000, "alpha": 1.0}
    weighted = regressor(**settings).fit(X, Y, sample_weight=weight)
    copied = regressor(**settings).fit(X.iloc[copies].reset_index(drop=True), Y[copies])
    np.testing.assert_allclose(weighted.embedding_.centre, copied.embedding_.centre, rtol=1e-12)
    assert weighted.embedding_.n_inputs == copied.embedding_.n_inputs
    assert weighted.loss_ == pytest.approx(copied.loss_, rel=1e-2)


def test_more_levels_have_more_numbers():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 400, 4000)
    frame = pd.DataFrame({"many": codes.astype(str), "few": np.where(codes % 2, "odd", "even")})
    model = regressor(tol=1.0).fit(frame, codes % 2)
    sizes = {name: len(next(iter(each.values()))) for name, each in model.embeddings_.items()}
    assert sizes["few"] == 2  # even, odd, and what is rare or unseen
    assert sizes["many"] == 32


@pytest.mark.parametrize("n_nets", [1, 2])
def test_threads_files_and_further_fits(tmp_path, n_nets):
    y = np.where(Y > 1, "high", np.where(Y < -1, "low", "mid"))
    settings = {"encoding": "embedding", "tol": 1e-2, "random_state": 0, "n_nets": n_nets}
    prints = set()
    for n_threads in (1, 3):
        with gramian.config(n_threads=n_threads):
            model = MLPClassifier(6, dropout=0.1, learning_rate_init=0.02, **settings).fit(X, y)
        prints.add(gramian.fingerprint(model))
    assert len(prints) == 1
    gramian.save(model, tmp_path / "net.gramian")
    loaded = gramian.load(tmp_path / "net.gramian")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    for each in (model, loaded):
        each.partial_fit(X[:100], y[:100])
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert "layers" in str(diagnose(model, X, y))


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame], ids=["array", "frame"])
def test_complete_numbers_need_no_embedding(kind):
    numbers = kind(np.random.default_rng(0).normal(size=(80, 3)))
    y = np.asarray(numbers)[:, 0]
    ours = regressor(tol=1e-2).fit(numbers, y)
    plain = regressor(tol=1e-2, encoding="columns").fit(numbers, y)
    np.testing.assert_array_equal(ours.coefs_[0], plain.coefs_[0])
    with pytest.raises(AttributeError, match="data frame"):
        ours.embeddings_  # noqa: B018


def test_bad_tables_are_refused():
    model = regressor(tol=1e-2).fit(X, Y)
    bad = X.copy()
    bad.loc[3, "area"] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.predict(bad)
    with pytest.raises(ValueError, match="infinity"):
        regressor().fit(bad, Y)
    with pytest.raises(ValueError, match="not worked out"):
        worked(model, X, Y)
