"""Naive Bayes on mixed columns against the models of one kind, closed forms and sums."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gramian
from gramian.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB


@pytest.fixture
def table(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(0, 3, 500)
    frame = pd.DataFrame(
        {
            "height": rng.normal(y, 1.0),
            "visits": rng.poisson(1.0 + 2.0 * y),
            "member": rng.integers(0, 2, 500),
            "town": np.array(["Oslo", "Rome", "Bern"])[(y + (rng.random(500) < 0.4)) % 3],
            "income": np.where(rng.random(500) < 0.5, 0.0, rng.gamma(0.5, 1e4, 500)),
        }
    )
    return frame, y, rng


def test_columns_of_one_kind_are_the_model_of_that_kind(table):
    frame, y, _ = table
    numbers = frame[["height", "visits"]]
    one = GaussianNB(var_smoothing=0.0).fit(numbers, y).predict_joint_log_proba(numbers)
    mixed = MixedNB(distributions="gaussian", var_smoothing=0.0).fit(numbers, y)
    np.testing.assert_allclose(mixed.predict_joint_log_proba(numbers), one, rtol=1e-10)
    levels = frame[["town"]]
    one = CategoricalNB(alpha=0.5).fit(levels, y).predict_proba(levels)
    np.testing.assert_allclose(MixedNB(alpha=0.5).fit(levels, y).predict_proba(levels), one)
    events = frame[["member"]]
    one = BernoulliNB().fit(events, y).predict_proba(events)
    np.testing.assert_allclose(MixedNB().fit(events, y).predict_proba(events), one)


def test_families_are_chosen_by_the_column(table):
    frame, y, _ = table
    model = MixedNB().fit(frame, y)
    expected = ["gaussian", "poisson", "bernoulli", "categorical", "histogram"]
    assert model.distributions_ == expected
    same = MixedNB(distributions=dict(zip(frame.columns, expected, strict=True)))
    np.testing.assert_array_equal(
        same.fit(frame, y).predict_proba(frame), model.predict_proba(frame)
    )
    coded = MixedNB(categorical_features=["visits"]).fit(frame, y)
    assert coded.distributions_[1] == "categorical"


def test_poisson_rates(table):
    frame, y, _ = table
    counts = frame[["visits"]]
    model = MixedNB(distributions="poisson", alpha=0.0).fit(counts, y)
    rates = [counts["visits"][y == k].mean() for k in range(3)]
    expected = stats.poisson.logpmf(counts.to_numpy(), rates) + np.log(np.bincount(y) / len(y))
    np.testing.assert_allclose(model.predict_joint_log_proba(counts), expected, rtol=1e-10)


def test_histogram_is_a_density(table):
    """Its integral over a grid is one in every class."""
    frame, y, _ = table
    values = frame[["height"]].to_numpy()
    model = MixedNB(distributions="histogram").fit(values, y)
    gap = (values.max() - values.min()) / (len(values) - 1)
    grid = np.linspace(values.min() - gap / 2, values.max() + gap / 2, 200_001)[:-1, None]
    density = np.exp(model.predict_joint_log_proba(grid)) / model.class_prior_
    np.testing.assert_allclose(density.mean(axis=0) * (np.ptp(values) + gap), 1.0, atol=2e-3)


def test_missing_and_unseen_values_leave_their_factor_out(table):
    frame, y, _ = table
    model = MixedNB().fit(frame, y)
    gaps = frame.assign(height=np.nan, town="Paris")
    fewer = MixedNB().fit(frame.drop(columns=["height", "town"]), y)
    expected = fewer.predict_proba(frame.drop(columns=["height", "town"]))
    np.testing.assert_allclose(model.predict_proba(gaps), expected, rtol=1e-10)


def test_columns_without_values_say_nothing(table):
    frame, y, _ = table
    expected = MixedNB().fit(frame, y).predict_proba(frame)
    more = frame.assign(empty=np.nan, nothing=None)
    np.testing.assert_allclose(MixedNB().fit(more, y).predict_proba(more), expected, rtol=1e-12)


def test_contributions_add_up(table):
    frame, y, _ = table
    two = MixedNB().fit(frame, y > 0)
    odds = np.log(two.class_prior_[1] / two.class_prior_[0])
    log_p = two.predict_log_proba(frame)
    total = odds + two.feature_contributions(frame).sum(axis=1)
    np.testing.assert_allclose(total, log_p[:, 1] - log_p[:, 0], rtol=1e-9, atol=1e-9)
    three = MixedNB().fit(frame, y)
    scores = np.log(three.class_prior_) + three.feature_contributions(frame).sum(axis=1)
    differences = np.diff(three.predict_joint_log_proba(frame), axis=1)
    np.testing.assert_allclose(np.diff(scores, axis=1), differences, rtol=1e-9, atol=1e-9)


def test_integer_weights_are_copies(table):
    frame, y, rng = table
    weight = rng.integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    weighted = MixedNB().fit(frame, y, sample_weight=weight)
    copied = MixedNB().fit(frame.iloc[rows], y[rows])
    assert weighted.distributions_ == copied.distributions_
    np.testing.assert_allclose(
        weighted.predict_joint_log_proba(frame), copied.predict_joint_log_proba(frame), rtol=1e-9
    )


def test_saved_and_loaded(table, tmp_path):
    frame, y, _ = table
    model = MixedNB().fit(frame, y)
    gramian.save(model, tmp_path / "model.gramian")
    again = gramian.load(tmp_path / "model.gramian")
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))


@pytest.mark.parametrize(
    ("distributions", "message"),
    [
        ({"weight": "gaussian"}, "names 'weight', which is no column"),
        (
            {"town": "gaussian"},
            "'gaussian' is for numbers, but a column holds levels such as 'Bern'",
        ),
        ({"height": "poisson"}, "must hold whole numbers from 0 on"),
        ({"height": "categorical"}, "name columns of numbers in categorical_features"),
        ({"height": "normal"}, "Got 'normal'"),
        (["auto"], "one entry for each of the 5 columns"),
    ],
)
def test_wrong_distributions(table, distributions, message):
    frame, y, _ = table
    with pytest.raises(ValueError, match=message):
        MixedNB(distributions=distributions).fit(frame, y)


def test_kernel_densities_are_those_of_scipy(tmp_path):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=60), rng.normal(4.0, 0.3, 40), rng.exponential(1.0, 50)])
    y = np.repeat(["two", "two", "one"], [60, 40, 50])
    X = np.column_stack([x, rng.normal(size=150)])
    X[5, 0] = np.nan
    model = MixedNB(distributions=["kernel", "gaussian"]).fit(X, y)
    new = np.linspace(-3.0, 6.0, 40)
    own = model.columns_[0].log_likelihood(new)
    for k, name in enumerate(["one", "two"]):
        values = x[(y == name) & ~np.isnan(X[:, 0])]
        scale = 1.06 * values.std() * len(values) ** -0.2 / values.std(ddof=1)
        expected = stats.gaussian_kde(values, bw_method=scale).logpdf(new)
        np.testing.assert_allclose(own[:, k], expected, rtol=1e-8, atol=1e-8)
    assert (model.columns_[0].log_likelihood(np.array([np.nan])) == 0.0).all()
    gramian.save(model, tmp_path / "model.gram")
    loaded = gramian.load(tmp_path / "model.gram")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_kernel_densities_take_weights_as_copies_and_classes_without_spread():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 3
    X[y == 2, 0] = 7.0  # all alike in one class
    weight = rng.integers(0, 4, 40).astype(float)
    weight[:3] = 1.0
    weighted = MixedNB(distributions="kernel").fit(X, y, sample_weight=weight)
    copies = np.repeat(np.arange(40), weight.astype(int))
    copied = MixedNB(distributions="kernel").fit(X[copies], y[copies])
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-9)
    assert (weighted.predict([[7.0, 0.0]]) == 2).all()


@pytest.mark.parametrize("family", ["gaussian", "poisson", "histogram", "kernel"])
def test_distributions_of_columns_add_up_to_one(family):
    rng = np.random.default_rng(2)
    X, y = rng.poisson(4.0, (200, 1)) + 0.0, rng.integers(0, 2, 200)
    model = MixedNB(distributions=family).fit(X, y)
    values, densities = model.column_distribution(0, 4001)
    step = np.gradient(values) if family != "poisson" else np.ones(len(values))
    np.testing.assert_allclose(step @ densities, 1.0, atol=0.03)
