"""Weights and targets at the ends of the range of numbers: a finite answer or a clear refusal."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from tests.contract.processes import run_python

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
SCALES = [1e-306, 1e-160, 1e160, 1e306, 1e307]
N_ROWS = 60

REFUSAL = re.compile("sample_weight|values of y|gradients are not finite|infinity|too large")
"""What a refusal names: the argument, or what became of it."""


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
    outcome(model, X, scale * y)


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


def test_weights_of_ordinary_size_are_taken_in_any_unit():
    X, y = rows("classifier")
    weight = np.random.default_rng(1).uniform(0.5, 1.5, N_ROWS)
    for model in (ID3Classifier(), DecisionTreeClassifier(random_state=0)):
        expected = model.fit(X, y, sample_weight=weight).predict_proba(X)
        for scale in (2.0**-300, 2.0**300):
            found = model.fit(X, y, sample_weight=scale * weight).predict_proba(X)
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_message_names_the_sum():
    X, y = rows("classifier")
    with pytest.raises(ValueError, match=r"sample_weight add up to 6e\+301.*between 1e-100 and"):
        ID3Classifier().fit(X, y, sample_weight=np.full(N_ROWS, 1e300))
    with pytest.raises(ValueError, match=r"sample_weight, up to 1e\+307, have no finite sum"):
        ID3Classifier().fit(X, y, sample_weight=np.full(N_ROWS, 1e307))
    with pytest.raises(ValueError, match=r"y are as large as 1e\+300.*none is above 2\.15e\+147"):
        DecisionTreeRegressor().fit(X, np.full(N_ROWS, 1e300))


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
