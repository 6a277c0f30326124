"""Scores of columns, and the selectors that use them, against scikit-learn's."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn import feature_selection as sk
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import gramian
from gramian import feature_selection as ours
from gramian.exceptions import InvalidParameterError

FORMATS = {"dense": np.asarray, "csr": sparse.csr_matrix, "csc": sparse.csc_array}


def make_data(seed, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.poisson(2.0, (60, 8)).astype(float)
    y = rng.integers(0, n_classes, 60)
    X[:, 0] += 3 * y
    X[:, 1] += y
    return X, y, X @ np.linspace(-1, 1, 8) + rng.standard_normal(60)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores(kind, n_classes, global_random_seed):
    X, y, target = make_data(global_random_seed, n_classes)
    data = FORMATS[kind](X)
    labels = np.array(["a", "b", "c"])[y]
    for name in ("f_classif", "chi2"):
        expected = getattr(sk, name)(data, labels)
        np.testing.assert_allclose(getattr(ours, name)(data, labels), expected, rtol=1e-9)
    for center in (True, False):
        expected = sk.r_regression(data, target, center=center)
        found = ours.r_regression(data, target, center=center)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)
        expected = sk.f_regression(data, target, center=center)
        found = ours.f_regression(data, target, center=center)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-14)


def test_oneway():
    groups = [np.random.default_rng(seed).standard_normal((9 + seed, 4)) for seed in range(3)]
    np.testing.assert_allclose(ours.f_oneway(*groups), sk.f_oneway(*groups), rtol=1e-10)
    vectors = [group[:, 0] for group in groups]
    found = np.ravel(ours.f_oneway(*vectors))
    np.testing.assert_allclose(found, stats.f_oneway(*vectors), rtol=1e-10)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("force_finite", [True, False])
def test_degenerate_columns(force_finite):
    y = np.arange(6.0)
    X = np.column_stack([np.ones(6), y, -y, [0, 1, 0, 1, 0, 1]])
    options = {"force_finite": force_finite}
    expected = sk.f_regression(X, y, **options)
    np.testing.assert_allclose(ours.f_regression(X, y, **options), expected, rtol=1e-9)
    constant = ours.f_regression(X, np.ones(6), **options)
    np.testing.assert_array_equal(constant, sk.f_regression(X, np.ones(6), **options))
    with pytest.warns(UserWarning, match=r"Features \[0\] are constant"):
        f, p = ours.f_classif(X, [0, 0, 0, 1, 1, 1])
    assert np.isnan(f[0])
    assert f[1] == pytest.approx(13.5)
    perfect, p = ours.f_classif([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])
    assert perfect[0] == np.inf
    assert p[0] == 0.0
    assert np.isnan(ours.chi2([[1.0], [2.0]], [0, 0])[0]).all()


def test_errors_of_scores():
    X, y, _ = make_data(0)
    with pytest.raises(ValueError, match="non-negative"):
        ours.chi2(-X, y)
    for score in (ours.f_classif, ours.chi2, ours.f_regression):
        with pytest.raises(ValueError):
            score(X, y[:5])
        with pytest.raises(ValueError):
            score(np.where(X > 3, np.nan, X), y)


SELECTORS = [
    ("SelectKBest", {"k": 3}),
    ("SelectKBest", {"k": "all"}),
    ("SelectKBest", {"k": 0}),
    ("SelectPercentile", {"percentile": 30}),
    ("SelectPercentile", {"percentile": 100}),
    ("SelectFpr", {"alpha": 0.3}),
    ("SelectFdr", {"alpha": 0.3}),
    ("SelectFwe", {"alpha": 0.3}),
    ("GenericUnivariateSelect", {"mode": "k_best", "param": 2}),
    ("GenericUnivariateSelect", {"mode": "percentile", "param": 50}),
    ("GenericUnivariateSelect", {"mode": "fdr", "param": 0.2}),
]


@pytest.mark.parametrize(("name", "params"), SELECTORS)
@pytest.mark.parametrize("kind", FORMATS)
def test_selectors(name, params, kind, global_random_seed):
    X, y, target = make_data(global_random_seed)
    data = FORMATS[kind](X)
    for score, labels in (("f_classif", y), ("chi2", y), ("f_regression", target)):
        theirs = getattr(sk, name)(getattr(sk, score), **params).fit(data, labels)
        mine = getattr(ours, name)(getattr(ours, score), **params).fit(data, labels)
        np.testing.assert_array_equal(mine.get_support(), theirs.get_support())
        np.testing.assert_array_equal(mine.get_support(indices=True), theirs.get_support(True))
        np.testing.assert_allclose(mine.scores_, theirs.scores_, rtol=1e-9)
        np.testing.assert_allclose(mine.pvalues_, theirs.pvalues_, rtol=1e-9, atol=1e-15)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nothing may be selected
            expected, found = theirs.transform(data), mine.transform(data)
        _same(found, expected)
        if found.shape[1]:
            _same(mine.inverse_transform(found), theirs.inverse_transform(expected))


def _same(found, expected):
    assert sparse.issparse(found) == sparse.issparse(expected)
    dense = [m.toarray() if sparse.issparse(m) else m for m in (found, expected)]
    np.testing.assert_array_equal(*dense)


def test_ties_and_missing_scores():
    scores = np.array([1.0, 2.0, 2.0, np.nan, 2.0, 0.0])
    X, y = np.zeros((4, 6)), [0, 1, 0, 1]
    for k in range(7):
        theirs = sk.SelectKBest(lambda X, y: scores, k=k).fit(X, y).get_support()
        mine = ours.SelectKBest(lambda X, y: scores, k=k).fit(X, y).get_support()
        np.testing.assert_array_equal(mine, theirs)
    for percentile in (10, 34, 50, 80):
        params = {"score_func": lambda X, y: scores, "percentile": percentile}
        theirs = sk.SelectPercentile(**params).fit(X, y).get_support()
        mine = ours.SelectPercentile(**params).fit(X, y).get_support()
        np.testing.assert_array_equal(mine, theirs)


def test_selector_without_target_and_warnings():
    X, y, _ = make_data(0)
    selector = ours.SelectKBest(lambda X, y: X.var(axis=0), k=2).fit(X)
    assert selector.pvalues_ is None
    with pytest.warns(UserWarning, match="k=99 is greater than n_features=8"):
        ours.SelectKBest(k=99).fit(X, y)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert ours.SelectKBest(k=0).fit(X, y).transform(X).shape == (60, 0)
    with pytest.raises(ValueError, match="needs p-values"):
        ours.SelectFpr(lambda X, y: X.var(axis=0)).fit(X, y).get_support()
    with pytest.raises(ValueError, match="requires y"):
        ours.SelectFpr().fit(X)
    with pytest.raises(InvalidParameterError, match="percentile"):
        ours.SelectPercentile(percentile=101).fit(X, y)
    with pytest.raises(ValueError, match="different shape than during fitting"):
        ours.SelectKBest(k=2).fit(X, y).inverse_transform(X)


def test_tables(make_frame):
    X, _, target = make_data(0)
    columns = {f"c{j}": X[:, j].tolist() for j in range(8)}
    selector = ours.SelectKBest(ours.f_regression, k=3).fit(make_frame(columns), target)
    plain = ours.SelectKBest(ours.f_regression, k=3).fit(X, target)
    np.testing.assert_array_equal(selector.get_support(), plain.get_support())
    turned = make_frame(dict(reversed(columns.items())))
    np.testing.assert_array_equal(selector.transform(turned), plain.transform(X))
    names = [f"c{j}" for j in plain.get_support(indices=True)]
    assert selector.get_feature_names_out().tolist() == names
    text = {**columns, "city": np.where(target > 0, "Oslo", "Rome").tolist()}
    labels = np.where(target > 0, "high", "low")
    best = ours.SelectKBest(k=1).fit(make_frame(text), labels)
    assert best.get_feature_names_out()[0].startswith("city=")


def test_frames_keep_their_types():
    X, y, _ = make_data(0)
    frame = pd.DataFrame(X, columns=list("abcdefgh")).astype({"a": "int32", "b": "float32"})
    selector = ours.SelectKBest(k=2).set_output(transform="pandas")
    assert selector.fit_transform(frame, y).dtypes.to_dict() == {"a": "int32", "b": "float32"}


def test_saved_and_in_sklearn(tmp_path):
    X, y, _ = make_data(0)
    selector = ours.SelectKBest(ours.chi2, k=2).fit(X, y)
    gramian.save(selector, tmp_path / "selector.gramian")
    loaded = gramian.load(tmp_path / "selector.gramian")
    np.testing.assert_array_equal(loaded.transform(X), selector.transform(X))
    assert make_pipeline(selector, LogisticRegression()).fit(X, y).score(X, y) > 0.6


@pytest.mark.parametrize("threshold", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("gaps", [False, True])
def test_variance(threshold, kind, gaps):
    X, *_ = make_data(1)
    X[:, 3], X[:, 4], X[:, 5] = 0.5, 0.0, X[:, 5] / 10
    if gaps:
        X[::7, 2] = np.nan
        X[::5, 3] = np.nan
    data = FORMATS[kind](X)
    theirs = sk.VarianceThreshold(threshold).fit(data)
    mine = ours.VarianceThreshold(threshold).fit(data)
    np.testing.assert_allclose(mine.variances_, theirs.variances_, rtol=1e-10, atol=1e-25)
    np.testing.assert_array_equal(mine.get_support(), theirs.get_support())
    _same(mine.transform(data), theirs.transform(data))


def test_variance_errors_and_checks():
    with pytest.raises(ValueError, match=r"variance threshold 0\.00000 \(X contains only one"):
        ours.VarianceThreshold().fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="could not convert string to float"):
        ours.VarianceThreshold().fit(pd.DataFrame({"a": [1, 2], "t": ["x", "y"]}))
    ints = ours.VarianceThreshold().fit_transform(np.array([[1, 2], [1, 3]]))
    assert ints.dtype == int


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_sparse_columns_far_from_zero_and_constant_ones(kind):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 5)) < 0.8, 0.0, rng.standard_normal((300, 5)))
    X[:, 1] = 1e6 + rng.standard_normal(300)  # squares less squared means lose all digits
    X[:, 2:4] = 3.0, 0.0
    y = rng.integers(0, 4, 300)
    with pytest.warns(UserWarning, match=r"Features \[2 3\] are constant"):
        found = ours.f_classif(FORMATS[kind](X), y)
    with pytest.warns(UserWarning, match=r"Features \[2 3\] are constant"):
        expected = ours.f_classif(X, y)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
