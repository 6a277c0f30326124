"""Naive Bayes of counts from blocks."""

import numpy as np
import pandas as pd
import pytest
from tests.blocks.made import make_mixed_rows, write_files

import gramian
from gramian import blocks
from gramian.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

WORDS = [f"word {j}" for j in range(9)]
MODELS = {
    "multinomial": MultinomialNB(alpha=0.5),
    "complement": ComplementNB(norm=True),
    "bernoulli": BernoulliNB(binarize=1.0, fit_prior=False),
    "events": BernoulliNB(binarize=None),
}


def make_rows(dtype=np.float64, n_rows=20_000):
    rng = np.random.default_rng(0)
    topic = rng.integers(0, 3, n_rows)
    rates = rng.gamma(0.5, 1.0, (3, len(WORDS)))
    shares = rng.poisson(rates[topic]) * rng.choice([1.0, 0.3], (n_rows, 1))  # no whole numbers
    frame = pd.DataFrame(shares.astype(dtype), columns=WORDS)
    return frame.assign(
        topic=np.array(["art", "law", "sport"])[topic], weight=rng.integers(0, 3, n_rows) * 0.7
    )


def fit_whole(model, rows, weight=None):
    given = {} if weight is None else {"sample_weight": rows[weight]}
    return gramian.clone(model).fit(rows[WORDS], rows["topic"], **given)


def fit_blocks(model, source, weight=None, **options):
    columns = [*WORDS, "topic", *([] if weight is None else [weight])]
    scan = blocks.scan(source, columns=columns, **options)
    return gramian.clone(model).fit(scan, "topic", weight)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weight", [None, "weight"])
def test_blocks_give_the_fingerprint_of_memory(name, weight, tmp_path):
    rows, model = make_rows(), MODELS[name]
    folder = write_files(tmp_path, rows, [0, 999, 999, 12_000, 19_999])
    expected = gramian.fingerprint(fit_whole(model, rows, weight))
    for block_rows in (1_000, 8_192, 1_000_000):
        for n_threads in (1, 2):
            with gramian.config(n_threads=n_threads):
                found = fit_blocks(model, folder, weight, block_rows=block_rows)
            assert gramian.fingerprint(found) == expected


@pytest.mark.parametrize("n_files", [1, 7, 64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_number_of_files_plays_no_role(n_files, dtype, tmp_path):
    rows = make_rows(dtype)
    cuts = np.linspace(0, len(rows), n_files, endpoint=False).astype(int).tolist()
    folder = write_files(tmp_path, rows, cuts)
    for model in (MultinomialNB(), BernoulliNB()):
        found = fit_blocks(model, folder)
        assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows))


def test_mixed_tables():
    rows = make_mixed_rows().drop("price", "y")
    features = rows.drop("sign")
    expected = BernoulliNB().fit(features.to_arrow(), rows["sign"].to_arrow())
    found = BernoulliNB().fit(blocks.scan(rows, block_rows=1_000), "sign")
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_what_cannot_be_counted():
    rows = make_rows(n_rows=2_000)
    rows.loc[1_500, "word 3"] = -1.0
    with pytest.raises(ValueError, match=r"Negative values .*: the least is -1\.0"):
        fit_blocks(MultinomialNB(), rows)
    with pytest.raises(TypeError, match="partial_fit of MultinomialNB takes rows in memory"):
        MultinomialNB().partial_fit(blocks.scan(rows), "topic")
    with pytest.raises(TypeError, match="needs all rows in memory and takes no scan"):
        CategoricalNB().fit(blocks.scan(rows), "topic")


def test_blocks_agree_with_scikit_learn():
    from sklearn.naive_bayes import MultinomialNB as Peer

    rows = make_rows()
    found, peer = fit_blocks(MultinomialNB(), rows), Peer().fit(rows[WORDS], rows["topic"])
    np.testing.assert_allclose(found.feature_log_prob_, peer.feature_log_prob_, rtol=1e-12)
    np.testing.assert_allclose(found.class_log_prior_, peer.class_log_prior_, rtol=1e-12)
