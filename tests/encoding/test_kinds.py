"""Columns by what they hold: free text, numbers and dates as text, identifiers, sentinels."""

import io

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gramian
from gramian.encoding import TableEncoding, sentinel_of
from gramian.encoding._kinds import is_free_text, parsed_numbers, text_dates, text_numbers
from gramian.linear_model import LogisticRegression, Ridge
from gramian.neighbors import KNeighborsClassifier
from gramian.svm import SVC, LinearSVR

WORDS = np.array(
    [
        "ship",
        "wheat",
        "oil",
        "trade",
        "grain",
        "crude",
        "sea",
        "port",
        "bank",
        "loan",
        "rate",
        "money",
    ]
)


def texts_of(n_rows=200, seed=0):
    """Return sentences about two topics, and which one each is about."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 2, n_rows)
    texts = [
        " ".join([*rng.choice(WORDS[6 * t : 6 * t + 6], 5), f"n{i}"]) for i, t in enumerate(topic)
    ]
    return pd.DataFrame({"text": texts}), topic


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("$1,234", "$80"), [1234.0, 80.0]),
        (("45 %", "7 %"), [45.0, 7.0]),
        (("1 234,5", "7,25"), [1234.5, 7.25]),
        (("(3.5)", "- 2.0"), [-3.5, -2.0]),
        (("1", "2"), None),
        (("$1", "2 %"), None),
        (("01.5", "2.5"), None),
        (("1.5", "high"), None),
        ((), None),
    ],
)
def test_numbers_as_text(texts, expected):
    found = text_numbers(texts)
    assert (found is None) == (expected is None)
    if expected is not None:
        assert_allclose(found, expected)


def test_texts_that_are_no_numbers_are_missing_later():
    encoding = TableEncoding().fit(pd.DataFrame({"price": ["$1,000", "$3,000"]}))
    new = pd.DataFrame({"price": ["$5", "on request", None, "7"]})
    assert_allclose(encoding.transform(new)[:, 0], [5.0, 2000.0, 2000.0, 7.0])
    assert_allclose(encoding.transform(pd.DataFrame({"price": [5.0]})), [[5.0]])
    assert_array_equal(np.isnan(parsed_numbers(["12", "a"])), [False, True])


def test_dates_have_a_place_in_day_week_and_year(make_frame):
    moments = pd.date_range("2023-01-02", periods=400, freq="31h")
    encoding = TableEncoding()
    encoded = encoding.encode_fit(make_frame({"when": moments.to_pydatetime().tolist()}))
    names = encoding.get_feature_names_out().tolist()
    assert names[1:3] == ["when sin of day", "when cos of day"]
    assert len(names) == 7
    waves = dict(zip(names, encoded.T, strict=True))
    monday = moments.day_of_week == 0
    assert_allclose(waves["when cos of week"][monday], 1.0)
    expected = (1 + np.sin(2 * np.pi * moments.hour / 24)) / 2
    assert_allclose(waves["when sin of day"], expected, atol=1e-9)
    midnight = make_frame({"day": moments.normalize()[:5].to_pydatetime().tolist()})
    assert TableEncoding().fit(midnight).get_feature_names_out().tolist() == ["day"]


def test_dates_as_text():
    assert text_dates(["2024-02-29", "x"]) is None
    assert_array_equal(np.isnan(text_dates(["2023-02-30", "1970-01-02"])), [True, False])
    frame = pd.DataFrame({"when": ["1970-01-02", "1970-01-04T12:00"]})
    assert_allclose(TableEncoding().encode_fit(frame)[:, 0], [1.0, 3.5])


def test_sentinels_of_scaled_tables_are_missing():
    rng = np.random.default_rng(0)
    values = rng.normal(50.0, 10.0, 300)
    frame = pd.DataFrame({"x": np.where(np.arange(300) % 5 == 0, -999.0, values), "s": ["a"] * 300})
    encoding = TableEncoding(scale=True)
    encoded = encoding.encode_fit(frame)
    assert encoding.get_feature_names_out().tolist() == ["x", "x is missing", "s=a"]
    assert_array_equal(encoded[:, 1], np.arange(300) % 5 == 0)
    assert_allclose(encoded[::5, 0], 0.0)
    assert "-999 is missing" in repr(encoding)
    assert sentinel_of(values) is None
    assert sentinel_of(np.array([])) is None


def test_scaled_numbers_have_mean_zero_and_deviation_one(make_frame):
    rng = np.random.default_rng(0)
    x, weight = rng.normal(1e6, 3.0, 80), rng.integers(0, 4, 80).astype(float)
    frame = make_frame({"x": x.tolist(), "s": ["a", "b"] * 40, "k": [5.0] * 80})
    encoding = TableEncoding(scale=True)
    encoded = encoding.encode_fit(frame, sample_weight=weight)
    assert_allclose(weight @ encoded[:, 0], 0.0, atol=1e-6)
    assert_allclose(weight @ encoded[:, 0] ** 2 / weight.sum(), 1.0)
    assert_array_equal(encoded[:, -1], 0.0)
    assert_allclose(encoding.transform(frame), encoded)


def test_plain_numbers_are_not_scaled(make_frame):
    frame = make_frame({"x": [1.0, 2.0, 9.0], "flag": [True, False, True]})
    assert_array_equal(TableEncoding(scale=True).encode_fit(frame), [[1, 1], [2, 0], [9, 1]])


def test_models_that_depend_on_scales_do_not_with_mixed_tables():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=120), "z": rng.normal(size=120), "s": list("abc") * 40})
    wide = X.assign(z=1000.0 * X["z"] + 7.0)
    y = X["x"] + (X["s"] == "a")
    for model in (LinearSVR(), SVC(), KNeighborsClassifier()):
        target = y if isinstance(model, LinearSVR) else y > 0.3
        expected = model.fit(X, target).predict(X)
        assert_allclose(model.fit(wide, target).predict(wide), expected, rtol=1e-5, atol=1e-6)


def test_free_text_is_told_from_labels():
    frame, _ = texts_of()
    assert is_free_text(tuple(frame["text"]), 200.0)
    assert not is_free_text(tuple(f"street {i}" for i in range(60)), 180.0)
    assert not is_free_text(tuple(f"id{i}" for i in range(200)), 200.0)


def test_words_are_columns_of_linear_models():
    frame, topic = texts_of()
    model = LogisticRegression().fit(frame, topic)
    names = model.encoding_.get_feature_names_out().tolist()
    assert sorted(names) == sorted(f"text: {word}" for word in WORDS)  # n0, n1, ... occur once
    assert model.coef_.shape == (1, len(WORDS))
    weights = dict(zip(names, model.coef_[0], strict=True))
    assert all((weights[f"text: {word}"] > 0) == (k >= 6) for k, word in enumerate(WORDS))
    new, topics = texts_of(50, seed=3)
    assert model.score(new, topics) == 1.0
    assert model.predict_proba(pd.DataFrame({"text": [None, "", "zebra"]})).shape == (3, 2)


def test_weights_of_words():
    texts = ["a b", "a A c!", "b c"] * 30
    frame = pd.DataFrame({"t": [f"{text} x{i} y{i} z{i}" for i, text in enumerate(texts)]})
    encoding = TableEncoding(text="words")
    matrix = encoding.encode_fit(frame).toarray()
    names = [name.removeprefix("t: ") for name in encoding.get_feature_names_out()]
    row = dict(zip(names, matrix[1], strict=True))
    idf = {word: 1 + np.log(91 / (1 + d)) for word, d in {"a": 60, "c": 60, "!": 30}.items()}
    expected = {"a": (1 + np.log(2)) * idf["a"], "c": idf["c"], "!": idf["!"], "b": 0.0}
    norm = np.sqrt(sum(value**2 for value in expected.values()))
    for word, value in expected.items():
        assert_allclose(row[word], 4.0 * value / norm)


def test_directions_are_singular_vectors_of_the_words():
    frame, _ = texts_of(seed=2)
    words = TableEncoding(text="words").encode_fit(frame).toarray()
    encoding = TableEncoding(n_directions=3)
    found = encoding.encode_fit(frame)
    _, s, _ = np.linalg.svd(words, full_matrices=False)
    assert_allclose(np.linalg.norm(found, axis=0), s[:3], rtol=1e-6)
    permuted = np.random.default_rng(0).permutation(len(frame))
    again = TableEncoding(n_directions=3).encode_fit(frame.iloc[permuted])
    assert_allclose(again, found[permuted], rtol=1e-8, atol=1e-10)


def test_a_weight_of_text_is_copies():
    frame, topic = texts_of(120)
    weight = np.random.default_rng(0).integers(0, 3, 120)
    copies = np.repeat(np.arange(120), weight)
    for text in ("words", "directions"):
        weighted, copied = (TableEncoding(text=text, n_directions=4) for _ in range(2))
        weighted.fit(frame, topic, weight)
        copied.fit(frame.iloc[copies], topic[copies])
        a, b = (encoding.transform(frame) for encoding in (weighted, copied))
        assert weighted.get_feature_names_out().tolist() == copied.get_feature_names_out().tolist()
        assert abs(a - b).max() < 1e-8


def test_text_and_numbers_side_by_side(make_frame):
    texts, topic = texts_of()
    columns = {"x": topic * 1.0, "text": texts["text"].tolist(), "s": ["u", "v"] * 100}
    frame = make_frame(columns)
    model = Ridge().fit(frame, topic)
    assert model.coef_.shape == (len(WORDS) + 3,)
    stored = io.BytesIO()
    gramian.save(model, stored)
    stored.seek(0)
    assert_array_equal(gramian.load(stored).predict(frame), model.predict(frame))
    dense = KNeighborsClassifier().fit(frame, topic)
    assert dense.score(frame, topic) > 0.95


def test_directions_are_at_most_the_rank_of_the_texts():
    texts = ["red house by the sea", "blue house by the lake", "green barn near the old mill"]
    frame = pd.DataFrame({"text": [f"{text} {k}" for k, text in enumerate(texts * 20)]})
    matrix = TableEncoding().encode_fit(frame)
    assert matrix.shape[1] == 3
    assert matrix.std(axis=0).min() > 1e-3
