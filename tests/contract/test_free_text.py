"""Columns of free text go into every model that reads their words."""

import warnings

import numpy as np
import polars as pl
import pytest

from gramian.registry import all_estimators

WORDS = ("late", "kind", "cold", "broken", "quick", "clean", "loud", "cheap")
RNG = np.random.default_rng(0)
TEXTS = [" ".join(RNG.choice(WORDS, size=6)) for _ in range(80)]
TABLE = pl.DataFrame({"stay": TEXTS, "nights": RNG.integers(1, 9, size=80)})
SCORE = np.array([text.count("kind") - text.count("broken") for text in TEXTS], dtype=float)
TARGETS = {"classifier": np.where(SCORE > 0, "good", "bad"), "regressor": SCORE + 10.0}
MODELS = [
    (cls, kind)
    for kind in TARGETS
    for _, cls in all_estimators(kind)
    if cls()._tags().reads_words and cls()._tags().single_output
]


@pytest.mark.parametrize(("cls", "kind"), MODELS, ids=[cls.__name__ for cls, _ in MODELS])
def test_free_text_is_read(cls, kind):
    y = TARGETS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = cls().fit(TABLE, y)
    assert any(column.name == "stay" for column in model.encoding_.columns_)
    predicted = model.predict(TABLE)
    assert predicted.shape == y.shape
