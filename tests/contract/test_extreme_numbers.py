"""Weights and targets at the ends of the range of numbers: a finite answer or a clear refusal."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from tests.contract.processes import run_python

from gramian.base import clone
from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from gramian.svm import SVC, SVR
from gramian.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    ID3Classifier,
    ObliviousTreeClassifier,
    ObliviousTreeRegressor,
)

CLASSIFIERS = [
    ID3Classifier(),
    ID3Classifier(criterion="gain_ratio"),
    DecisionTreeClassifier(),
    DecisionTreeClassifier(criterion="entropy"),
    ExtraTreeClassifier(),
    RandomForestClassifier(n_estimators=3),
    ExtraTreesClassifier(n_estimators=3),
    ObliviousTreeClassifier(),
    ObliviousTreeClassifier(criterion="entropy"),
    AdaBoostClassifier(n_estimators=3),
    GradientBoostingClassifier(n_estimators=3),
    HistGradientBoostingClassifier(max_iter=3),
    BoostingClassifier(n_estimators=3),
    BoostingClassifier(n_estimators=3, growth="symmetric"),
]
REGRESSORS = [
    DecisionTreeRegressor(),
    DecisionTreeRegressor(criterion="absolute_error"),
    DecisionTreeRegressor(criterion="poisson"),
    ExtraTreeRegressor(),
    RandomForestRegressor(n_estimators=3),
    ExtraTreesRegressor(n_estimators=3),
    ObliviousTreeRegressor(),
    ObliviousTreeRegressor(criterion="poisson"),
    AdaBoostRegressor(n_estimators=3),
    GradientBoostingRegressor(n_estimators=3),
    HistGradientBoostingRegressor(max_iter=3),
    BoostingRegressor(n_estimators=3),
    BoostingRegressor(n_estimators=3, growth="symmetric"),
]

KERNEL_MACHINES = [SVC(), SVC(kernel="linear"), SVR(), SVR(kernel="linear")]
SCALES = [1e-306, 1e-160, 1e160, 1e305, 1e307]
N_ROWS = 60

REFUSAL = re.compile(r"sample_weight|values of y|\by\b")
"""What a refusal names: the argument."""


def rows(kind):
    """Return rows and a target, noisy, so that trees have something to cut."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_ROWS, 4))
    signal = X[:, 0] + 0.3 * rng.standard_normal(N_ROWS)
    if kind == "classifier":
        return X, (signal > 0).astype(int)
    return X, np.abs(signal)


def with_levels(X):
    """Return the rows with a column of many levels, which is ordered by its targets."""
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["level"] = [f"level {i % 20}" for i in range(len(X))]
    return frame


def outcome(model, X, y, sample_weight=None):
    """Return the finite predictions of a model, or the sentence by which it refuses the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X, y, sample_weight=sample_weight)
        except ValueError as error:
            assert REFUSAL.search(str(error)), error
            return str(error)
        answers = getattr(model, "predict_proba", model.predict)(X)
    assert np.isfinite(answers).all()
    return answers


def each(models):
    return pytest.mark.parametrize("model", models, ids=str)


@each(CLASSIFIERS + REGRESSORS)
@pytest.mark.parametrize("scale", SCALES)
def test_weights(model, scale):
    """Weights mean the same in any unit: where they are taken, the trees find what ones find."""
    X, y = rows(model._tags().estimator_type)
    weight = scale * np.random.default_rng(1).uniform(0.5, 1.5, N_ROWS)
    answers = outcome(model, X, y, weight)
    if scale == 1e307:
        assert "sample_weight" in answers and "finite sum" in answers
    elif not isinstance(answers, str):
        assert len(np.unique(answers, axis=0)) > 1


@each(REGRESSORS)
@pytest.mark.parametrize("scale", SCALES)
def test_targets(model, scale):
    X, y = rows("regressor")
    answers = outcome(model, X, scale * y)
    # Sums of several trees may be beyond the largest number, and those alone are refused.
    assert not isinstance(answers, str) or scale == 1e307 or "sum of" in answers
    if not isinstance(answers, str):
        assert len(np.unique(answers)) > 1


@each([model for model in REGRESSORS if getattr(model, "criterion", None) != "poisson"])
@pytest.mark.parametrize("scale", [1e100, 1e306])
def test_targets_of_both_signs_on_levels(model, scale):
    """Sums of such targets may be no number, by which levels cannot be ordered."""
    X, y = rows("regressor")
    outcome(model, with_levels(X), scale * np.where(np.arange(N_ROWS) % 2, y, -y))


@each(KERNEL_MACHINES)
@pytest.mark.parametrize("scale", [1e-160, 1e80, 1e160, 1e300])
def test_rows_of_kernel_machines(model, scale):
    """Kernels of such rows are infinite, and differences of them no numbers."""
    X, y = rows(model._tags().estimator_type)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.set_params(max_iter=1000).fit(scale * X, y)
        except ValueError as error:
            assert str(error)


def test_weights_are_taken_in_any_unit():
    X, y = rows("classifier")
    weight = np.random.default_rng(1).uniform(0.5, 1.5, N_ROWS)
    for model in (ID3Classifier(), DecisionTreeClassifier(random_state=0)):
        expected = model.fit(X, y, sample_weight=weight).predict_proba(X)
        for scale in (2.0**-1000, 2.0**-300, 2.0**300, 2.0**1000):
            found = model.fit(X, y, sample_weight=scale * weight).predict_proba(X)
            np.testing.assert_array_equal(found, expected)


@each(
    [
        DecisionTreeRegressor(random_state=0),
        DecisionTreeRegressor(criterion="absolute_error", min_samples_leaf=4, random_state=0),
        DecisionTreeRegressor(criterion="r2", min_impurity_decrease=0.01, random_state=0),
        DecisionTreeRegressor(prune="cv", random_state=0),
        ObliviousTreeRegressor(max_depth=3),
        RandomForestRegressor(n_estimators=5, random_state=0),
        AdaBoostRegressor(n_estimators=5, random_state=0),
        GradientBoostingRegressor(n_estimators=5, random_state=0),
        GradientBoostingRegressor(loss="absolute_error", n_estimators=5, random_state=0),
        GradientBoostingRegressor(step="global", n_estimators=5, random_state=0),
        HistGradientBoostingRegressor(max_iter=5),
        BoostingRegressor(n_estimators=5, reg_lambda=3.0),
        BoostingRegressor(n_estimators=5, linear_leaves=True),
    ]
)
@pytest.mark.parametrize("exponent", [-1000, -160, 160, 1000])
def test_targets_times_a_power_of_two(model, exponent):
    """The same model to the last bit, in other units, and so are the shares of the features."""
    X, y = rows("regressor")
    before, after = clone(model).fit(X, y), clone(model).fit(X, np.ldexp(y, exponent))
    np.testing.assert_array_equal(np.ldexp(after.predict(X), -exponent), before.predict(X))
    if hasattr(before, "feature_importances_"):
        shares = [each.feature_importances_ for each in (before, after)]
        shares = [each / each.sum() for each in shares]
        np.testing.assert_allclose(*shares, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("exponent", [-900, 900])
def test_spread_of_a_forest_in_other_units(exponent):
    X, y = rows("regressor")
    forest = RandomForestRegressor(
        n_estimators=20, oob_score=True, keep_leaf_rows=True, random_state=0
    )
    expected = [
        *forest.fit(X, y).predict(X, return_std=True),
        forest.predict_interval(X, 0.8),
        forest.predict_quantiles(X, [0.2, 0.5]),
        forest.oob_prediction_,
    ]
    score = forest.oob_score_
    forest.fit(X, np.ldexp(y, exponent))
    found = [
        *forest.predict(X, return_std=True),
        forest.predict_interval(X, 0.8),
        forest.predict_quantiles(X, [0.2, 0.5]),
        forest.oob_prediction_,
    ]
    for scaled, plain in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.ldexp(scaled, -exponent), plain)
    assert forest.oob_score_ == score


def test_single_trees_know_the_largest_numbers():
    """As scikit-learn's, which refuses nothing either; sums over trees are another matter."""
    X, y = rows("regressor")
    large = np.where(np.arange(N_ROWS) % 2, 1.5e308, -1.5e308)
    model = DecisionTreeRegressor(random_state=0).fit(X, large)
    np.testing.assert_array_equal(model.predict(X), large)
    with pytest.raises(ValueError, match=r"values of y are as large as 1\.5e\+308"):
        RandomForestRegressor(n_estimators=3).fit(X, large)
    with pytest.raises(ValueError, match=r"sample_weight, up to 1e\+307, have no finite sum"):
        ID3Classifier().fit(X, y > 0.5, sample_weight=np.full(N_ROWS, 1e307))


def test_weights_that_weigh_nothing_against_a_penalty_are_refused():
    X, y = rows("regressor")
    weight = np.full(N_ROWS, 1e-200)
    with pytest.raises(ValueError, match=r"sample_weight.*so small"):
        BoostingRegressor(n_estimators=3, reg_lambda=1.0).fit(X, y, sample_weight=weight)
    free = BoostingRegressor(n_estimators=3, reg_lambda=0.0, min_child_weight=0.0)
    expected = free.fit(X, y).predict(X)
    found = free.fit(X, y, sample_weight=weight).predict(X)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_kernel_machines_without_a_step():
    """No step of two variables has a gain that is a number: the fit has to end all the same."""
    code = (
        "import warnings\n"
        "import numpy as np\n"
        "from gramian.svm import SVR\n"
        "warnings.simplefilter('ignore')\n"
        "y = 1e200 * np.random.default_rng(0).standard_normal(20)\n"
        "model = SVR(kernel='precomputed').fit(1e308 * np.eye(20), y)\n"
        "print(np.isfinite(model.predict(np.eye(20))).all())\n"
    )
    assert run_python(code, timeout=60) == "True\n"
