"""Scorers give scikit-learn's scores, for its estimators and for ours."""

import pickle
from functools import partial

import numpy as np
import pytest
import sklearn.datasets
import sklearn.linear_model
import sklearn.metrics
import sklearn.multioutput
import sklearn.svm
import sklearn.tree

from gramian import metrics
from gramian.dummy import DummyClassifier
from gramian.linear_model import Ridge
from gramian.metrics import check_scoring, get_scorer, get_scorer_names, make_scorer

X, LABELS = sklearn.datasets.make_classification(
    n_samples=120, n_classes=3, n_informative=4, random_state=1
)
BINARY = np.where(LABELS > 0, "yes", "no")
NUMBERS = LABELS + X[:, 0] ** 2
LOGISTIC = sklearn.linear_model.LogisticRegression()
TARGETS = {
    "three classes": (LOGISTIC, LABELS),
    "two classes": (LOGISTIC, (LABELS > 0).astype(int)),
    "text": (LOGISTIC, BINARY),
    "margin": (sklearn.svm.LinearSVC(), (LABELS > 0).astype(int)),
    "numbers": (sklearn.tree.DecisionTreeRegressor(max_depth=3, random_state=0), NUMBERS),
    "two labels": (
        sklearn.multioutput.MultiOutputClassifier(LOGISTIC),
        np.column_stack([LABELS > 0, LABELS > 1]).astype(int),
    ),
}


def outcome(function):
    """Return a result, or the kind of error."""
    try:
        return function()
    except Exception as error:
        return type(error).__name__


def test_names_are_scikit_learns():
    assert set(get_scorer_names()) <= set(sklearn.metrics.get_scorer_names())
    assert get_scorer_names() == sorted(get_scorer_names())
    assert {"accuracy", "r2", "neg_mean_squared_error"} <= set(get_scorer_names())


@pytest.mark.parametrize("name", get_scorer_names())
def test_repr(name):
    assert repr(get_scorer(name)) == repr(sklearn.metrics.get_scorer(name))
    again = pickle.loads(pickle.dumps(get_scorer(name)))
    assert repr(again) == repr(get_scorer(name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", TARGETS)
def test_named_scores(target):
    model, y = TARGETS[target]
    model = sklearn.base.clone(model).fit(X[:80], y[:80])
    for name in get_scorer_names():
        wanted = outcome(lambda: sklearn.metrics.get_scorer(name)(model, X[80:], y[80:]))  # noqa: B023
        found = outcome(lambda: get_scorer(name)(model, X[80:], y[80:]))  # noqa: B023
        if isinstance(wanted, str):
            assert isinstance(found, str), name
        else:
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-13, err_msg=name)


@pytest.mark.parametrize("response", ["predict", "predict_proba", ("decision_function", "predict")])
@pytest.mark.parametrize("target", ["two classes", "text", "three classes"])
def test_responses(response, target):
    model, y = TARGETS[target]
    model = sklearn.base.clone(model).fit(X, y)

    def first(y_true, y_pred, sample_weight=None):
        values = np.asarray(y_pred)
        return float(np.sum(values)) if values.dtype.kind in "iuf" else values.ravel()[0]

    options = {"response_method": response}
    ours = make_scorer(first, **options)(model, X, y)
    theirs = sklearn.metrics.make_scorer(first, **options)(model, X, y)
    assert ours == theirs


@pytest.mark.parametrize("label", ["yes", "no"])
def test_positive_label(label):
    model = sklearn.base.clone(LOGISTIC).fit(X, BINARY)
    for response in ("predict_proba", "decision_function"):
        options = {"response_method": response, "pos_label": label}
        ours = make_scorer(mean_response, **options)
        theirs = sklearn.metrics.make_scorer(mean_response, **options)
        assert ours(model, X, BINARY) == theirs(model, X, BINARY)
    with pytest.raises(ValueError, match="pos_label=maybe is not a valid label"):
        make_scorer(mean_response, response_method="predict_proba", pos_label="maybe")(
            model, X, BINARY
        )


def mean_response(y_true, y_pred, pos_label=None):
    return float(np.mean(y_pred))


def test_sign_weight_and_options():
    model = Ridge().fit(X, NUMBERS)
    weight = np.arange(len(NUMBERS)) % 3
    loss = make_scorer(metrics.mean_squared_error, greater_is_better=False)
    wanted = -metrics.mean_squared_error(NUMBERS, model.predict(X), sample_weight=weight)
    assert loss(model, X, NUMBERS, sample_weight=weight) == wanted
    fixed = make_scorer(metrics.mean_squared_error, sample_weight=weight)
    with pytest.warns(UserWarning, match="overlap"):
        fixed(model, X, NUMBERS, sample_weight=weight)


def test_partial_is_shown():
    scorer = make_scorer(partial(metrics.r2_score, multioutput="raw_values"))
    assert repr(scorer).startswith("make_scorer(functools.partial(")


def test_missing_response():
    scorer = make_scorer(metrics.r2_score, response_method="predict_proba")
    with pytest.raises(AttributeError, match="Ridge has none of the following attributes"):
        scorer(Ridge().fit(X, NUMBERS), X, NUMBERS)


def test_several_scorers_share_predictions():
    asked = []

    class Counting(DummyClassifier):
        def predict(self, X):
            asked.append("predict")
            return super().predict(X)

    model = Counting().fit(X, LABELS)
    names = [n for n in ("accuracy", "matthews_corrcoef", "balanced_accuracy") if n in NAMES]
    scores = check_scoring(model, names)(model, X, LABELS)
    assert list(scores) == names and asked == ["predict"]


NAMES = get_scorer_names()


def test_several_scorers_and_their_errors():
    def broken(model, X, y):
        raise RuntimeError("no score today")

    model = Ridge().fit(X, NUMBERS)
    scoring = {"r2": "r2", "broken": broken, "own": lambda model, X, y, sample_weight=None: 1.0}
    with pytest.raises(RuntimeError, match="no score today"):
        check_scoring(model, scoring)(model, X, NUMBERS)
    several = check_scoring(model, scoring, raise_exc=False)
    scores = several(model, X, NUMBERS, sample_weight=np.ones(len(NUMBERS)))
    assert scores["own"] == 1.0 and "no score today" in scores["broken"]
    assert repr(several) == 'MultiMetricScorer("r2", "broken", "own")'


def test_no_scoring_asks_the_estimator():
    model = Ridge().fit(X, NUMBERS)
    scorer = check_scoring(model)
    assert repr(scorer) == "Ridge.score"
    assert scorer(model, X, NUMBERS) == model.score(X, NUMBERS)

    class Bare:
        def fit(self, X, y=None):
            return self

    assert check_scoring(Bare(), allow_none=True) is None
    with pytest.raises(TypeError, match="should have a 'score' method"):
        check_scoring(Bare())
    assert check_scoring(Bare(), "r2") is not None


@pytest.mark.parametrize(
    "scoring",
    [
        "auc of all",
        [],
        {},
        ["r2", "r2"],
        ["r2", 3],
        [metrics.r2_score],
        {3: "r2"},
        3,
        metrics.r2_score,
        sklearn.metrics.r2_score,
        ("r2", "nothing"),
    ],
)
def test_refused_scoring(scoring):
    for module in (metrics, sklearn.metrics):
        if scoring is metrics.r2_score and module is sklearn.metrics:
            continue
        with pytest.raises(ValueError):
            module.check_scoring(Ridge(), scoring)


@pytest.mark.parametrize(
    "arguments",
    [
        {"score_func": "r2"},
        {"score_func": metrics.r2_score, "response_method": "transform"},
        {"score_func": metrics.r2_score, "greater_is_better": "yes"},
    ],
)
def test_refused_metric(arguments):
    for module in (metrics, sklearn.metrics):
        with pytest.raises(ValueError):
            module.make_scorer(**arguments)


def test_refused_estimator_and_scorer():
    with pytest.raises(ValueError, match="must be an object implementing 'fit'"):
        check_scoring(3, "r2")
    with pytest.raises(ValueError, match="must be a str, a callable or None"):
        get_scorer(3)
    assert get_scorer(None) is None


def test_our_scorers_in_their_tools():
    from sklearn.model_selection import cross_validate

    ours = {"mse": get_scorer("neg_mean_squared_error"), "r2": make_scorer(metrics.r2_score)}
    found = cross_validate(Ridge(), X, NUMBERS, scoring=ours)
    wanted = cross_validate(
        Ridge(), X, NUMBERS, scoring={"mse": "neg_mean_squared_error", "r2": "r2"}
    )
    for key in ("test_mse", "test_r2"):
        np.testing.assert_allclose(found[key], wanted[key], rtol=1e-10)
