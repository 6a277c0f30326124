"""How many components three rules keep."""

import numpy as np
import pytest

from gramian.decomposition import PCA, choose_components


def test_two_strong_directions_are_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 10)) * 3.0 + rng.normal(size=(300, 10))
    choice = choose_components(X, threshold=0.9)
    model = PCA().fit(X)
    np.testing.assert_allclose(choice.variances, model.explained_variance_)
    assert choice.n_cumulative == PCA(0.9).fit(X).n_components_
    assert choice.n_broken_stick == choice.n_parallel == 2
    assert str(choice).endswith("2 beyond shuffled columns")


def test_columns_without_connexion_keep_nothing():
    X = np.random.default_rng(0).normal(size=(200, 8))
    choice = choose_components(X)
    assert choice.n_parallel == choice.n_broken_stick == 0
    assert choose_components(X, n_shuffles=None).n_parallel is None


def test_the_stick_is_that_of_the_formula():
    stick = choose_components(np.random.default_rng(0).normal(size=(20, 4))).broken_stick
    expected = [(1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, (1 / 2 + 1 / 3 + 1 / 4) / 4, 7 / 48, 1 / 16]
    np.testing.assert_allclose(stick, expected)
    assert stick.sum() == pytest.approx(1.0)


def test_constant_rows_are_refused():
    with pytest.raises(ValueError, match="zero variance"):
        choose_components(np.ones((5, 3)))
