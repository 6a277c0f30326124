"""Naive Bayes by counts against scikit-learn and closed forms, sparse as dense."""

import numpy as np
import pytest
import sklearn.naive_bayes
from scipy import sparse

import gramian
from gramian.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

MODELS = [
    MultinomialNB(),
    MultinomialNB(alpha=np.linspace(0.1, 2.0, 30), fit_prior=False),
    MultinomialNB(class_prior=[0.5, 0.3, 0.2]),
    ComplementNB(),
    ComplementNB(alpha=0.1, norm=True),
    BernoulliNB(),
    BernoulliNB(alpha=0.5, binarize=1.0),
]
IDS = [f"{type(model).__name__}{number}" for number, model in enumerate(MODELS)]
ATTRIBUTES = ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_")
ANSWERS = ("predict_joint_log_proba", "predict_log_proba", "predict_proba")


@pytest.fixture
def counts(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(0, 3, 400)
    X = rng.poisson(rng.gamma(0.5, size=(3, 30))[y]).astype(np.float64)
    return X, y, rng


@pytest.mark.parametrize("model", MODELS, ids=IDS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_same_as_sklearn(counts, model, is_weighted):
    X, y, rng = counts
    weight = rng.random(len(y)) if is_weighted else None
    ours = model.fit(X, y, sample_weight=weight)
    theirs = getattr(sklearn.naive_bayes, type(model).__name__)(**model.get_params())
    theirs.fit(X, y, sample_weight=weight)
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10)
    for name in ANSWERS:
        answers = getattr(ours, name)(X), getattr(theirs, name)(X)
        np.testing.assert_allclose(*answers, rtol=1e-10, atol=1e-12)  # of logarithms near 0
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("n_classes", [1, 2, 9, 40])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_rows_have_the_bits_of_dense_ones(counts, n_classes, dtype):
    X, _, rng = counts
    X, y = X.astype(dtype), rng.integers(0, n_classes, len(X))
    dense = MultinomialNB().fit(X, y)
    model = MultinomialNB().fit(sparse.csr_array(X), y)
    assert gramian.fingerprint(model) == gramian.fingerprint(dense)
    for rows in (X, X[:1], X[:0:-3], np.asfortranarray(X)):
        answer = dense.predict_log_proba(rows)
        assert answer.dtype == np.float64  # as scikit-learn's
        np.testing.assert_array_equal(model.predict_log_proba(sparse.csr_array(rows)), answer)


@pytest.mark.parametrize("model", MODELS[3:], ids=repr)
def test_rows_in_any_parts_and_order(counts, model):
    """Whole numbers are summed exactly: the same bits however the rows arrive."""
    X, y, rng = counts
    whole = gramian.base.clone(model).fit(X, y)
    parts = gramian.base.clone(model)
    for rows in np.array_split(rng.permutation(len(y)), 6):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    for name in ATTRIBUTES:
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


def test_integer_weights_are_copies(counts):
    X, y, rng = counts
    weight = rng.integers(0, 4, len(y))
    weighted = BernoulliNB().fit(X, y, sample_weight=weight)
    copied = BernoulliNB().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert gramian.fingerprint(weighted) == gramian.fingerprint(copied)


def test_laplace():
    """The smoothed frequency of a word is (N + 1) / (N_k + V)."""
    model = MultinomialNB().fit([[2, 0, 1], [0, 3, 0]], ["a", "b"])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0]), np.array([3, 1, 2]) / 6)


def test_without_smoothing_what_was_never_seen_is_impossible():
    X = [[2, 0, 1], [1, 0, 0], [0, 3, 1]]
    model = MultinomialNB(alpha=0.0).fit(X, [0, 0, 1])
    np.testing.assert_allclose(model.predict_proba([[1, 0, 5], [0, 1, 1]]), [[1, 0], [0, 1]])
    # Nobody can have both words: the priors are all that is left.
    np.testing.assert_allclose(model.predict_proba([[1, 1, 0]]), [[2 / 3, 1 / 3]])
    joint = model.predict_joint_log_proba(sparse.csr_array([[1.0, 0.0, 1.0]]))
    np.testing.assert_allclose(joint, [[np.log(2 / 3 * 3 / 4 * 1 / 4), -np.inf]])


def test_without_smoothing_a_missing_one_can_be_impossible():
    """Every row of class 0 has the first event, so a row without it is of class 1."""
    model = BernoulliNB(alpha=0.0).fit([[1, 0], [1, 1], [1, 0], [0, 1]], [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[0, 1], [1, 1]]), [[0, 1], [2 / 3, 1 / 3]])
    assert model.predict([[0, 1]]) == [1]


def test_without_smoothing_the_complement_knows_its_own_words():
    model = ComplementNB(alpha=0.0).fit([[2, 0, 1, 0], [0, 3, 1, 0]], [0, 1])
    assert model.predict([[1, 0, 0, 5], [0, 1, 3, 0]]).tolist() == [0, 1]


def test_thousands_of_columns_do_not_underflow(counts):
    """Each column twice doubles the evidence: the price of taking them for independent."""
    X, y, _ = counts
    model = BernoulliNB().fit(np.tile(X, 100), y)
    once = BernoulliNB().fit(X, y)
    evidence = once.predict_joint_log_proba(X) - once.class_log_prior_
    assert evidence.min() * 100 < -745  # the exponential of which is 0
    expected = 100 * evidence + once.class_log_prior_
    np.testing.assert_allclose(model.predict_joint_log_proba(np.tile(X, 100)), expected, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(np.tile(X, 100)).sum(axis=1), 1.0)


@pytest.mark.parametrize("model", [MultinomialNB(), ComplementNB()], ids=repr)
def test_negative_counts_are_refused(model):
    for X in (np.array([[1.0, -2.0]]), sparse.csr_array([[1.0, -2.0]])):
        with pytest.raises(ValueError, match=r"Negative values .* the least is -2\.0"):
            model.fit(X, [0])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"class_prior": [0.5, 0.5]}, "Number of priors must match number of classes: 3"),
        ({"class_prior": [0.5, 0.7, -0.2]}, "Priors must be non-negative"),
        ({"alpha": [1.0, 2.0]}, "Got 2 elements instead of 30"),
        ({"alpha": [-1.0] * 30}, "All values in alpha must be greater than 0"),
    ],
)
def test_wrong_parameters(counts, params, message):
    X, y, _ = counts
    with pytest.raises(ValueError, match=message):
        MultinomialNB(**params).fit(X, y)


def test_tiny_alpha_is_raised_where_asked_for(counts):
    X, y, _ = counts
    model = MultinomialNB(alpha=0.0, force_alpha=False)
    with pytest.warns(UserWarning, match="alpha too small"):
        model.fit(X, y)
    assert np.isfinite(model.feature_log_prob_).all()


def test_weights_of_zero_leave_nothing_to_count(counts):
    X, y, _ = counts
    with pytest.raises(ValueError, match="at least one non-zero number"):
        MultinomialNB().fit(X, y, sample_weight=np.zeros(len(y)))


@pytest.mark.parametrize("n_classes", [1, 2, 7, 8, 9, 20])
@pytest.mark.parametrize("n_features", [1, 5, 130, 301])
def test_sparse_rows_are_answered_as_dense_ones(n_classes, n_features, global_random_seed):
    """Tables of any width: their last vectors end in the midst of a class or of a feature."""
    rng = np.random.default_rng(global_random_seed)
    X = rng.poisson(0.4, (200, n_features)) * rng.choice([1.0, 0.5], (200, 1))
    y = np.arange(200) % n_classes
    alpha = rng.uniform(1e-320, 2.0, n_features)
    for alphas in (1.0, 1e-12, alpha):
        for cls in (MultinomialNB, ComplementNB, BernoulliNB):
            dense = cls(alpha=alphas).fit(X, y)
            by_rows = cls(alpha=alphas).fit(sparse.csr_array(X), y)
            np.testing.assert_allclose(
                by_rows.feature_log_prob_, dense.feature_log_prob_, rtol=1e-12, atol=1e-12
            )
            rows = sparse.csr_array(X)
            joint = dense.predict_joint_log_proba(X)
            for model, new in ((by_rows, rows), (by_rows, X), (dense, rows), (by_rows, rows[:1])):
                found = model.predict_joint_log_proba(new)
                np.testing.assert_allclose(found, joint[: len(found)], rtol=1e-10, atol=1e-10)
