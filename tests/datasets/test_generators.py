"""Generated data are scikit-learn's, bit for bit, for the same integer seed."""

import inspect

import numpy as np
import pytest
import scipy.sparse
import sklearn.datasets

import gramian.datasets

CASES = [
    ("make_classification", {}),
    ("make_classification", {"n_samples": 57, "n_classes": 3, "n_informative": 4}),
    ("make_classification", {"weights": [0.7], "flip_y": 0.3, "shuffle": False}),
    (
        "make_classification",
        {"weights": np.array([0.2, 0.5, 0.3]), "n_classes": 3, "n_informative": 3},
    ),
    ("make_classification", {"weights": [1.0, 0.5], "n_informative": 7, "n_repeated": 3}),
    ("make_classification", {"hypercube": False, "shift": None, "scale": None, "class_sep": 2.5}),
    ("make_classification", {"n_informative": 10, "n_features": 14, "n_redundant": 0}),
    ("make_classification", {"n_informative": 33, "n_features": 40, "shift": list(range(40))}),
    (
        "make_classification",
        {
            "n_samples": 1,
            "n_features": 1,
            "n_informative": 1,
            "n_redundant": 0,
            "n_clusters_per_class": 1,
        },
    ),
    ("make_regression", {}),
    ("make_regression", {"n_features": 5, "n_targets": 3, "noise": 2.5, "coef": True, "bias": 4.0}),
    ("make_regression", {"effective_rank": 4, "n_features": 30, "coef": True, "shuffle": False}),
    ("make_regression", {"n_samples": 1, "n_features": 1, "coef": True}),
    ("make_regression", {"n_informative": 0, "n_features": 3, "tail_strength": 0.0}),
    ("make_blobs", {}),
    ("make_blobs", {"n_samples": 7, "centers": 3, "shuffle": False, "center_box": (0.0, 1.0)}),
    ("make_blobs", {"n_samples": [3, 0, 5], "n_features": 4, "cluster_std": [0.1, 1, 10]}),
    ("make_blobs", {"centers": [[0, 0], [5, 5]], "return_centers": True, "cluster_std": 0.0}),
    ("make_blobs", {"n_samples": (4, 6), "centers": np.eye(2, 5), "return_centers": True}),
    ("make_blobs", {"n_samples": 1, "centers": 4}),
    ("make_circles", {}),
    ("make_circles", {"n_samples": 7, "noise": 0.1, "factor": 0.3}),
    ("make_circles", {"n_samples": (2, 5), "noise": 0.0, "shuffle": False}),
    ("make_circles", {"n_samples": 0}),
    ("make_moons", {}),
    ("make_moons", {"n_samples": 7, "noise": 0.1}),
    ("make_moons", {"n_samples": (2, 5), "noise": 0.3, "shuffle": False}),
    ("make_swiss_roll", {}),
    ("make_swiss_roll", {"n_samples": 33, "noise": 0.2, "hole": True}),
    ("make_swiss_roll", {"n_samples": 1}),
    ("make_s_curve", {}),
    ("make_s_curve", {"n_samples": 33, "noise": 0.2}),
    ("make_friedman1", {}),
    ("make_friedman1", {"n_samples": 17, "n_features": 5, "noise": 1.5}),
    ("make_friedman2", {}),
    ("make_friedman2", {"n_samples": 17, "noise": 1.5}),
    ("make_friedman3", {}),
    ("make_friedman3", {"n_samples": 17, "noise": 1.5}),
    ("make_low_rank_matrix", {}),
    ("make_low_rank_matrix", {"n_samples": 20, "n_features": 50, "effective_rank": 3}),
    ("make_low_rank_matrix", {"n_samples": 50, "n_features": 20, "tail_strength": 1.0}),
    ("make_sparse_uncorrelated", {}),
    ("make_sparse_uncorrelated", {"n_samples": 7, "n_features": 4}),
    ("make_gaussian_quantiles", {}),
    ("make_gaussian_quantiles", {"mean": [1, 2, 3], "cov": 2.5, "n_features": 3, "n_samples": 11}),
    ("make_gaussian_quantiles", {"n_classes": 7, "n_samples": 25, "shuffle": False}),
    ("make_hastie_10_2", {"n_samples": 100}),
    ("make_multilabel_classification", {}),
    ("make_multilabel_classification", {"n_classes": 40, "n_labels": 9, "n_features": 7}),
    ("make_multilabel_classification", {"allow_unlabeled": False, "n_labels": 1, "length": 3}),
    ("make_multilabel_classification", {"sparse": True, "return_indicator": "sparse"}),
    ("make_multilabel_classification", {"return_indicator": False, "return_distributions": True}),
    ("make_multilabel_classification", {"return_indicator": True, "n_labels": 0}),
    ("make_spd_matrix", {"n_dim": 6}),
    ("make_spd_matrix", {"n_dim": 1}),
    ("make_sparse_spd_matrix", {}),
    ("make_sparse_spd_matrix", {"n_dim": 20, "alpha": 0.7, "norm_diag": True}),
    ("make_sparse_spd_matrix", {"n_dim": 15, "alpha": 0.0, "sparse_format": "csr"}),
    (
        "make_sparse_spd_matrix",
        {"n_dim": 15, "smallest_coef": 0.4, "largest_coef": 0.5, "sparse_format": "dok"},
    ),
    (
        "make_sparse_coded_signal",
        {"n_samples": 9, "n_components": 8, "n_features": 10, "n_nonzero_coefs": 3},
    ),
    (
        "make_sparse_coded_signal",
        {"n_samples": 1, "n_components": 8, "n_features": 4, "n_nonzero_coefs": 8},
    ),
    ("make_biclusters", {"shape": (12, 9), "n_clusters": 3}),
    (
        "make_biclusters",
        {"shape": (5, 8), "n_clusters": 4, "noise": 2.0, "minval": -5, "maxval": 5},
    ),
    ("make_biclusters", {"shape": (5, 8), "n_clusters": 1, "shuffle": False}),
    ("make_checkerboard", {"shape": (12, 9), "n_clusters": 3}),
    ("make_checkerboard", {"shape": (12, 9), "n_clusters": (2, 4), "noise": 2.0}),
    ("make_checkerboard", {"shape": (5, 8), "n_clusters": [3, 1], "shuffle": False}),
]
FIRST = dict(reversed(CASES))
NAMES = sorted(FIRST)


def results(module, name, **options):
    result = getattr(module, name)(**options)
    return [result] if hasattr(result, "shape") else list(result)


def assert_same(ours, theirs):
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert type(mine) is type(other)
        if scipy.sparse.issparse(other):
            assert mine.format == other.format
            mine, other = mine.toarray(), other.toarray()
        if isinstance(other, list):
            assert mine == other
            continue
        assert mine.dtype == other.dtype and mine.shape == other.shape
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize(("name", "options"), CASES, ids=lambda part: str(part)[:60])
def test_same_arrays_for_ten_seeds(name, options):
    for seed in range(10):
        ours = results(gramian.datasets, name, random_state=seed, **options)
        assert_same(ours, results(sklearn.datasets, name, random_state=seed, **options))


@pytest.mark.parametrize("name", NAMES)
def test_takes_as_many_numbers_from_the_stream(name):
    """A generator that is passed on is left in the same state."""
    options = FIRST[name]
    sources = np.random.RandomState(3), np.random.RandomState(3)
    ours = results(gramian.datasets, name, random_state=sources[0], **options)
    assert_same(ours, results(sklearn.datasets, name, random_state=sources[1], **options))
    assert sources[0].uniform() == sources[1].uniform()


@pytest.mark.parametrize("name", NAMES)
def test_new_generators_are_taken_and_advanced(name):
    options = {"n_dim": 5} if name.endswith("spd_matrix") else FIRST[name]
    source = np.random.default_rng(0)
    first = results(gramian.datasets, name, random_state=source, **options)
    assert source.random() != np.random.default_rng(0).random()
    again = results(gramian.datasets, name, random_state=np.random.default_rng(0), **options)
    assert_same(again, first)


@pytest.mark.parametrize("name", NAMES)
def test_none_uses_the_global_source(name):
    options = FIRST[name]
    np.random.seed(5)
    ours = results(gramian.datasets, name, **options)
    np.random.seed(5)
    assert_same(ours, results(sklearn.datasets, name, **options))


def test_classification_as_bunch():
    options = {"n_features": 9, "n_repeated": 2, "shift": None, "return_X_y": False}
    ours = gramian.datasets.make_classification(random_state=4, **options)
    theirs = sklearn.datasets.make_classification(random_state=4, **options)
    assert set(ours) == set(theirs) and set(ours.parameters) == set(theirs.parameters)
    assert ours.feature_info == theirs.feature_info
    np.testing.assert_array_equal(ours.X, theirs.X)
    np.testing.assert_array_equal(ours.parameters["shift"], theirs.parameters["shift"])


REFUSED = [
    ("make_classification", {"n_samples": 0}),
    ("make_classification", {"n_features": 3}),
    ("make_classification", {"n_classes": 3}),
    ("make_classification", {"weights": [0.1, 0.2, 0.3]}),
    ("make_classification", {"class_sep": 0.0}),
    ("make_classification", {"flip_y": 1.5}),
    ("make_classification", {"random_state": "seed"}),
    ("make_regression", {"noise": -1}),
    ("make_regression", {"bias": np.inf}),
    ("make_blobs", {"n_samples": [3, 4], "centers": 2}),
    ("make_blobs", {"n_samples": [3, 4], "centers": [[0.0, 0.0]]}),
    ("make_blobs", {"cluster_std": [1.0, 2.0]}),
    ("make_blobs", {"centers": [[np.nan, 0.0]]}),
    ("make_blobs", {"center_box": [0, 1]}),
    ("make_circles", {"n_samples": (1, 2, 3)}),
    ("make_circles", {"factor": 1.0}),
    ("make_moons", {"n_samples": (1, 2, 3)}),
    ("make_moons", {"n_samples": 1.5}),
    ("make_friedman1", {"n_features": 4}),
    ("make_sparse_uncorrelated", {"n_features": 3}),
    ("make_low_rank_matrix", {"tail_strength": 2.0}),
    ("make_gaussian_quantiles", {"n_samples": 2}),
    ("make_gaussian_quantiles", {"mean": [1.0, 2.0, 3.0]}),
    ("make_multilabel_classification", {"return_indicator": "both"}),
    ("make_sparse_spd_matrix", {"sparse_format": "dense"}),
    ("make_spd_matrix", {"n_dim": 0}),
    ("make_biclusters", {"shape": [3, 4], "n_clusters": 2}),
    ("make_biclusters", {"shape": (3, 4, 5), "n_clusters": 2}),
    ("make_checkerboard", {"shape": (3, 4), "n_clusters": (1, 2, 3)}),
    ("make_checkerboard", {"shape": (3, 4), "n_clusters": 0}),
]


@pytest.mark.parametrize(("name", "options"), REFUSED, ids=lambda part: str(part)[:60])
def test_refuses_what_scikit_learn_refuses(name, options):
    with pytest.raises((ValueError, IndexError)) as theirs:
        getattr(sklearn.datasets, name)(**options)
    kind = IndexError if theirs.type is IndexError else ValueError
    with pytest.raises(kind):
        getattr(gramian.datasets, name)(**options)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("make_multilabel_classification", {"n_labels": 0, "allow_unlabeled": False}, "n_labels=0"),
        ("make_multilabel_classification", {"n_labels": 500}, "n_labels=500"),
        ("make_classification", {"weights": [1.5]}, "negative"),
        (
            "make_sparse_coded_signal",
            {"n_samples": 1, "n_components": 2, "n_features": 2, "n_nonzero_coefs": 3},
            "n_nonzero_coefs=3",
        ),
    ],
)
def test_refuses_what_cannot_end_well(name, options, words):
    with pytest.raises(ValueError, match=words):
        getattr(gramian.datasets, name)(**options)


@pytest.mark.parametrize("name", NAMES)
def test_signature_is_scikit_learns(name):
    ours, theirs = (
        {
            p.name: (p.kind, p.default)
            for p in inspect.signature(getattr(module, name)).parameters.values()
        }
        for module in (gramian.datasets, sklearn.datasets)
    )
    assert ours == theirs


@pytest.mark.parametrize("name", ["make_moons", "make_circles"])
def test_pairs_of_sizes_are_pairs(name):
    for module in (gramian.datasets, sklearn.datasets):
        with pytest.raises(ValueError, match=r"two[- ]element"):
            getattr(module, name)(n_samples=(10,))
