"""Logistic regression that chooses its penalty, against scikit-learn's and single fits."""

import numpy as np
import pytest
import sklearn.linear_model as peers
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics import get_scorer as peer_scorer

import gramian
from gramian.exceptions import ConvergenceWarning
from gramian.linear_model import LogisticRegression, LogisticRegressionCV
from gramian.metrics import get_scorer, log_loss, make_scorer
from gramian.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold

_COMMON = {"l1_ratios": (0.0,), "scoring": "neg_log_loss", "use_legacy_attributes": False}
_TIGHT = {**_COMMON, "tol": 1e-10, "max_iter": 10_000}


def _data(n_classes=2, n=240, p=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + rng.standard_normal(p)
    scores = (X - X.mean(axis=0)) @ rng.standard_normal((p, n_classes))
    return X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def _weights(n, seed=1):
    return np.random.default_rng(seed).integers(0, 4, n).astype(float)


def _assert_like(ours, theirs, rtol=1e-6):
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_allclose(ours.Cs_, theirs.Cs_)
    assert_allclose(ours.C_, theirs.C_)
    assert_allclose(np.asarray(ours.scores_), np.asarray(theirs.scores_), rtol=rtol, atol=1e-8)
    assert ours.coefs_paths_.shape == theirs.coefs_paths_.shape
    scale = np.abs(theirs.coefs_paths_).max()
    assert_allclose(ours.coefs_paths_, theirs.coefs_paths_, rtol=rtol, atol=1e-6 * scale)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-6 * np.abs(theirs.coef_).max())
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5, atol=1e-5)
    assert ours.n_iter_.shape == theirs.n_iter_.shape


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_like_scikit_learn(n_classes, weighted, fit_intercept):
    X, y = _data(n_classes)
    weight = _weights(len(y)) if weighted else None
    options = {**_TIGHT, "Cs": [1e-3, 0.1, 10.0], "cv": 3, "fit_intercept": fit_intercept}
    ours = LogisticRegressionCV(**options).fit(X, y, sample_weight=weight)
    theirs = peers.LogisticRegressionCV(**options).fit(X, y, sample_weight=weight)
    _assert_like(ours, theirs)


@pytest.mark.parametrize("scoring", [None, "accuracy", "roc_auc", "neg_brier_score", "f1"])
def test_scoring(scoring):
    X, y = _data()
    options = {**_TIGHT, "Cs": [0.01, 1.0], "scoring": scoring}
    weight = _weights(len(y)) + 0.5
    ours = LogisticRegressionCV(**options).fit(X, y, sample_weight=weight)
    theirs = peers.LogisticRegressionCV(**options).fit(X, y, sample_weight=weight)
    _assert_like(ours, theirs)
    assert_allclose(ours.score(X, y), theirs.score(X, y), rtol=1e-6)
    assert_allclose(
        ours.score(X, y, sample_weight=weight), theirs.score(X, y, sample_weight=weight), rtol=1e-6
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("l1_ratios", [(0.0,), (0.2, 1.0)])
@pytest.mark.parametrize("refit", [False, True])
def test_attributes_have_their_forms(n_classes, legacy, l1_ratios, refit):
    X, y = _data(n_classes, n=90)
    y = np.array(["ash", "birch", "cedar"])[y]
    options = {
        **_COMMON,
        "Cs": [0.1, 1.0, 5.0],
        "cv": 2,
        "l1_ratios": np.array(l1_ratios),
        "solver": "saga",
        "max_iter": 20_000,
        "tol": 1e-7,
        "use_legacy_attributes": legacy,
        "refit": refit,
        "random_state": 0,
    }
    ours = LogisticRegressionCV(**options).fit(X, y)
    theirs = peers.LogisticRegressionCV(**options).fit(X, y)
    for name in ("C_", "l1_ratio_", "Cs_", "l1_ratios_", "intercept_"):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-4, err_msg=name)
        assert isinstance(getattr(ours, name), type(getattr(theirs, name)))
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-5)
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    for name in ("scores_", "coefs_paths_"):
        mine, peer = getattr(ours, name), getattr(theirs, name)
        pairs = [(mine, peer)]
        if legacy:
            assert list(mine) == list(peer)
            pairs = list(zip(mine.values(), peer.values(), strict=True))
        for a, b in pairs:
            assert_allclose(a, b, rtol=1e-3, atol=1e-4, err_msg=name)
    assert hasattr(ours, "certificate_") == refit


def test_legacy_attributes_without_ratios():
    X, y = _data(3, n=90)
    options = {"scoring": "accuracy", "use_legacy_attributes": True, "Cs": 4, "cv": 2}
    with pytest.warns(FutureWarning, match="l1_ratios"):
        ours = LogisticRegressionCV(**options).fit(X, y)
    with pytest.warns(FutureWarning, match="l1_ratios"):
        theirs = peers.LogisticRegressionCV(**options).fit(X, y)
    assert ours.scores_[1].shape == theirs.scores_[1].shape == (2, 4)
    assert ours.coefs_paths_[1].shape == theirs.coefs_paths_[1].shape
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    assert_array_equal(ours.l1_ratios_, theirs.l1_ratios_)
    assert_array_equal(ours.l1_ratio_, theirs.l1_ratio_)


@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet"])
def test_deprecated_penalty(penalty):
    X, y = _data(n=80)
    options = {
        **_COMMON,
        "penalty": penalty,
        "l1_ratios": (0.5,) if penalty == "elasticnet" else None,
        "solver": "saga",
        "Cs": [1.0],
        "max_iter": 20_000,
        "tol": 1e-9,
    }
    with pytest.warns(FutureWarning, match="'penalty' was deprecated"):
        ours = LogisticRegressionCV(**options).fit(X, y)
    with pytest.warns(FutureWarning, match="'penalty' was deprecated"):
        theirs = peers.LogisticRegressionCV(**options).fit(X, y)
    assert ours.l1_ratio_ == theirs.l1_ratio_
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)


def test_defaults_warn_of_changes():
    X, y = _data(n=60)
    with pytest.warns(FutureWarning) as found:
        LogisticRegressionCV(Cs=2).fit(X, y)
    told = " ".join(str(one.message) for one in found)
    assert [one.filename for one in found] == [__file__] * 3
    for name in ("l1_ratios", "'scoring'", "use_legacy_attributes"):
        assert name in told


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"l1_ratios": (0.5,)}, "supports only 'l2'"),
        ({"l1_ratios": (0.5, 2.0), "solver": "saga"}, "between 0 and 1"),
        ({"l1_ratios": (), "solver": "saga"}, "between 0 and 1"),
        ({"Cs": [0.0, 1.0]}, "numbers > 0"),
        ({"Cs": []}, "numbers > 0"),
        ({"Cs": 0}, "Cs"),
        ({"dual": True}, "dual=False"),
        ({"solver": "liblinear", "Cs": [np.inf]}, "liblinear"),
        ({"scoring": "unknown"}, "unknown"),
        ({"class_weight": {7: 1.0}}, "class_weight"),
    ],
)
def test_kind_errors(params, message):
    X, y = _data(n=60)
    with pytest.raises(ValueError, match=message):
        LogisticRegressionCV(**{**_COMMON, "penalty": "deprecated", **params}).fit(X, y)


def test_fits_are_those_of_single_models():
    X, y = _data(3)
    model = LogisticRegressionCV(**{**_TIGHT, "Cs": [5.0, 0.01, 0.3]}).fit(X, y)
    for f, (train, test) in enumerate(StratifiedKFold(5).split(X, y)):
        for k, C in enumerate(model.Cs_):
            single = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X[train], y[train])
            assert_allclose(model.coefs_paths_[f, 0, k, :, :-1], single.coef_, atol=1e-7)
            assert_allclose(model.coefs_paths_[f, 0, k, :, -1], single.intercept_, atol=1e-7)
            score = -log_loss(y[test], single.predict_proba(X[test]))
            assert_allclose(model.scores_[f, 0, k], score, rtol=1e-6)
    single = LogisticRegression(C=model.C_, tol=1e-10, max_iter=10_000).fit(X, y)
    assert_allclose(model.coef_, single.coef_, atol=1e-7)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_like_dense(n_classes):
    X, y = _data(n_classes)
    X = np.where(X > 0, X, 0.0)
    options = {**_TIGHT, "Cs": [0.1, 1.0]}
    dense = LogisticRegressionCV(**options).fit(X, y)
    for make in (sparse.csr_matrix, sparse.csr_array):
        thin = LogisticRegressionCV(**options).fit(make(X), y)
        assert_allclose(thin.scores_, dense.scores_, rtol=1e-7)
        assert_allclose(thin.coef_, dense.coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.3, 1: 2.0}])
def test_class_weights(class_weight):
    X, y = _data(seed=3)
    y[:60] = 0
    options = {**_TIGHT, "Cs": [0.1, 1.0], "class_weight": class_weight}
    weight = _weights(len(y)) + 0.5
    ours = LogisticRegressionCV(**options).fit(X, y, sample_weight=weight)
    theirs = peers.LogisticRegressionCV(**options).fit(X, y, sample_weight=weight)
    _assert_like(ours, theirs)


def test_liblinear_penalises_the_constant():
    X, y = _data()
    options = {**_TIGHT, "solver": "liblinear", "Cs": [0.01, 1.0], "tol": 1e-10}
    ours = LogisticRegressionCV(**options).fit(X, y)
    theirs = peers.LogisticRegressionCV(**options).fit(X, y)
    _assert_like(ours, theirs, rtol=1e-4)


@pytest.mark.parametrize(
    "cv", [KFold(3, shuffle=True, random_state=0), ShuffleSplit(4, random_state=1), 3]
)
def test_splitters(cv):
    X, y = _data()
    options = {**_TIGHT, "Cs": [0.1, 1.0]}
    ours = LogisticRegressionCV(**options, cv=cv).fit(X, y)
    folds = list((StratifiedKFold(3) if cv == 3 else cv).split(X, y))
    theirs = peers.LogisticRegressionCV(**options, cv=folds).fit(X, y)
    _assert_like(ours, theirs)


def test_folds_as_masks_and_repeated_rows():
    X, y = _data(n=120)
    numbers = list(StratifiedKFold(3).split(X, y))
    masks = [tuple(np.isin(np.arange(120), part) for part in fold) for fold in numbers]
    options = {**_TIGHT, "Cs": [0.1, 1.0]}
    expected = LogisticRegressionCV(**options, cv=numbers).fit(X, y)
    assert_allclose(LogisticRegressionCV(**options, cv=masks).fit(X, y).scores_, expected.scores_)
    twice = [(np.concatenate([train, train]), test) for train, test in numbers]
    doubled = LogisticRegressionCV(**options, cv=twice).fit(X, y)
    weighted = LogisticRegressionCV(**{**options, "Cs": [0.2, 2.0]}, cv=numbers).fit(X, y)
    assert_allclose(doubled.coefs_paths_, weighted.coefs_paths_, atol=1e-7)


def test_classes_missing_from_folds():
    X, y = _data(3, n=90)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    options = {**_COMMON, "Cs": [1e-4, 0.1], "cv": KFold(3), "scoring": "neg_brier_score"}
    ours = LogisticRegressionCV(**options).fit(X, y)
    theirs = peers.LogisticRegressionCV(**options).fit(X, y)
    assert_allclose(ours.scores_, theirs.scores_, rtol=1e-2)
    assert ours.coefs_paths_.shape[3] == 3


def test_scorers_are_called_in_order():
    X, y = _data(n=60)
    seen = []

    def scorer(model, X_test, y_test):
        seen.append(model.C)
        assert model.predict(X_test).shape == y_test.shape
        assert_allclose(model.predict(X_test[:5]), model.predict(X_test)[:5])
        return -model.C

    model = LogisticRegressionCV(**{**_COMMON, "Cs": [3.0, 0.1, 1.0], "scoring": scorer}, cv=2)
    assert model.fit(X, y).C_ == 0.1
    assert seen == [3.0, 0.1, 1.0] * 2


def test_scorers_of_either_library():
    X, y = _data(n=80)
    scores = [
        LogisticRegressionCV(**{**_COMMON, "Cs": [0.1, 1.0], "scoring": scorer}).fit(X, y).scores_
        for scorer in (get_scorer("f1"), peer_scorer("f1"), "f1")
    ]
    assert_allclose(scores[0], scores[1])
    assert_allclose(scores[0], scores[2])


def test_metadata_reaches_splitter_and_scorer():
    X, y = _data()
    groups = np.arange(len(y)) % 6
    bonus = np.linspace(0.0, 1.0, len(y))

    def metric(y_true, y_pred, bonus):
        assert len(bonus) == len(y_true)
        return float(np.mean((y_true == y_pred) + bonus))

    with gramian.config(enable_metadata_routing=True):
        scorer = make_scorer(metric).set_score_request(bonus=True)
        cv = GroupKFold(3).set_split_request(groups=True)
        model = LogisticRegressionCV(**{**_COMMON, "scoring": scorer, "cv": cv, "Cs": 2})
        model.fit(X, y, groups=groups, bonus=bonus)
        assert model.score(X, y, bonus=bonus) > model.score(X, y, bonus=0 * bonus)
        with pytest.raises(TypeError, match="not routed"):
            model.fit(X, y, groups=groups, bonus=bonus, other=1)
    folds = list(GroupKFold(3).split(X, y, groups))
    for f, (_, test) in enumerate(folds):
        assert model.scores_[f].mean() > bonus[test].mean()
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        LogisticRegressionCV(**_COMMON).fit(X, y, groups=groups)


def test_frames_are_encoded_once():
    pd = pytest.importorskip("pandas")
    X, y = _data(n=200)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(town=np.array(["x", "y"])[y])
    model = LogisticRegressionCV(**{**_COMMON, "Cs": [0.1, 1.0]}).fit(frame, y)
    assert list(model.feature_names_in_) == [*"abcde", "town"]
    assert model.score(frame, y) > -0.2
    assert_array_equal(model.predict(frame), y)


def test_one_warning_for_all_fits():
    X, y = _data()
    X = X * np.array([1e-3, 1.0, 1.0, 1.0, 1e4])
    model = LogisticRegressionCV(**{**_COMMON, "Cs": [1e-2, 1e2]}, max_iter=1, cv=3)
    with pytest.warns(ConvergenceWarning) as found:
        model.fit(X, y)
    assert len(found) == 1
    told = str(found[0].message)
    assert "failed to converge in" in told
    assert "of 7 fits" in told
    assert "largest entry of a gradient" in told
    assert "raise max_iter=1" in told
    assert "very different scale" in told
    assert not model.certificate_.converged
    assert found[0].filename == __file__


def test_certificate_of_the_last_fit():
    X, y = _data()
    model = LogisticRegressionCV(**_COMMON).fit(X, y)
    single = LogisticRegression(C=model.C_).fit(X, y)
    assert model.certificate_.converged
    assert_allclose(model.certificate_.objective, single.certificate_.objective, rtol=1e-9)


def test_folds_of_classes_that_are_all_but_separate():
    """Curvatures of the folds are unlike each other, and folds finish by Newton's method alone."""
    X, _ = _data(n=400, p=15)
    X *= 10.0 ** np.linspace(-1, 2, 15)
    y = (X[:, 0] / X[:, 0].std() + X[:, -1] / X[:, -1].std() > 0.3).astype(int)
    options = {**_COMMON, "Cs": [1e-2, 1e4], "cv": 2, "tol": 1e-9}
    model = LogisticRegressionCV(**options).fit(X, y)  # a warning would be an error
    assert model.n_iter_.max() < 60
    train = next(StratifiedKFold(2).split(X, y))[0]
    single = LogisticRegression(C=1e4, tol=1e-10, solver="newton-cholesky").fit(X[train], y[train])
    path = np.append(single.coef_, single.intercept_)
    assert_allclose(model.coefs_paths_[0, 0, -1, 0], path, rtol=1e-5, atol=1e-5 * abs(path).max())


def test_separated_classes_without_penalty():
    X, y = _data(n=60)
    X[:, 0] = np.where(y == 1, 5.0, -5.0)
    model = LogisticRegressionCV(**{**_COMMON, "Cs": [np.inf]}, cv=2)
    with pytest.warns(ConvergenceWarning, match="penalty"):
        model.fit(X, y)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_same_bits_on_any_number_of_threads(n_jobs):
    X, y = _data(n=3000)
    alone = LogisticRegressionCV(**_COMMON, n_jobs=1).fit(X, y)
    many = LogisticRegressionCV(**_COMMON, n_jobs=n_jobs).fit(X, y)
    assert_array_equal(alone.coefs_paths_, many.coefs_paths_)
    assert_array_equal(alone.coef_, many.coef_)


def test_saved_and_loaded(tmp_path):
    X, y = _data(3, n=90)
    for legacy in (False, True):
        model = LogisticRegressionCV(**{**_COMMON, "use_legacy_attributes": legacy}).fit(X, y)
        gramian.save(model, tmp_path / "model")
        again = gramian.load(tmp_path / "model")
        assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert_array_equal(np.asarray(again.C_), np.asarray(model.C_))
