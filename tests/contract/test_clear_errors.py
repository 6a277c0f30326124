"""Numbers beyond what a fit can take, and requests beyond what a machine has: a clear answer."""

import warnings

import numpy as np
import pytest
from tests.contract.processes import run_python

from gramian.calibration import CalibratedClassifierCV
from gramian.ensemble import BaggingRegressor, StackingRegressor
from gramian.linear_model import (
    ElasticNetCV,
    HuberRegressor,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    MultiTaskLassoCV,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
    RidgeCV,
    SGDClassifier,
)
from gramian.metrics import explained_variance_score, r2_score
from gramian.preprocessing import Normalizer, PolynomialFeatures, StandardScaler
from gramian.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM


def rows(n=60):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    return X, X @ [1.0, 2.0, 3.0] + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("model", [LassoCV(), ElasticNetCV(), MultiTaskLassoCV()], ids=str)
def test_paths_of_targets_that_are_too_large(model):
    X, y = rows()
    target = np.column_stack([y, -y]) if isinstance(model, MultiTaskLassoCV) else y
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=r"values of y"):
        model.fit(X, target * 1e305)


def test_ridge_chooses_the_same_penalty_for_targets_of_any_size():
    X, y = rows()
    expected = RidgeCV().fit(X, y)
    for exponent in (-1000, -600, 600, 1000):
        model = RidgeCV().fit(X, np.ldexp(y, exponent))
        assert model.alpha_ == expected.alpha_
        np.testing.assert_allclose(np.ldexp(model.coef_, -exponent), expected.coef_, rtol=1e-9)


@pytest.mark.parametrize("model", [LinearRegression(), Lasso(alpha=0.1), QuantileRegressor()])
def test_weights_of_any_size(model):
    X, y = rows()
    expected = model.fit(X, y).predict(X)
    found = model.fit(X, y, sample_weight=np.full(60, 1e306)).predict(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_weights_that_have_no_finite_sum_are_named():
    X, y = rows()
    for model in (Ridge(), HuberRegressor(), PoissonRegressor(), SVR()):
        with pytest.raises(ValueError, match=r"sample_weight, up to 1e\+307, have no finite sum"):
            model.fit(X, np.abs(y), sample_weight=np.full(60, 1e307))


@pytest.mark.parametrize("n_jobs", [10**6, 2**63, -(10**20)])
def test_more_jobs_than_any_machine_has(n_jobs):
    """Each of these ended in an error of joblib, or of the conversion to a number of C."""
    code = (
        "from gramian.calibration import CalibratedClassifierCV\n"
        "from gramian.ensemble import BaggingRegressor, StackingRegressor\n"
        "from gramian.linear_model import LinearRegression, LogisticRegression\n"
        "import joblib, numpy as np\n"
        "X = np.random.default_rng(0).standard_normal((60, 3))\n"
        "y = X[:, 0]\n"
        f"n = {n_jobs}\n"
        "with joblib.parallel_backend('threading'):\n"
        "    StackingRegressor([('a', LinearRegression())], cv=2, n_jobs=n).fit(X, y)\n"
        "    CalibratedClassifierCV(LogisticRegression(), cv=2, n_jobs=n).fit(X, y > 0)\n"
        "    BaggingRegressor(n_estimators=2, n_jobs=n).fit(X, y).predict(X)\n"
        "print('done')\n"
    )
    assert run_python(code, timeout=60) == "done\n"


def test_calibration_and_stacking_of_numbers_near_the_ends():
    X, y = rows()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for size in (1e-200, 1e200, 1e300):
            weight = np.full(60, size)
            calibrated = CalibratedClassifierCV(LogisticRegression(), cv=2)
            shares = calibrated.fit(X, y > 0, sample_weight=weight).predict_proba(X)
            assert np.isfinite(shares).all()
            stacked = StackingRegressor([("a", Ridge()), ("b", LinearRegression())], cv=2)
            try:
                assert np.isfinite(stacked.fit(X, size * y).predict(X)).all()
            except ValueError as error:
                assert "values of X are too" in str(error)
            assert np.isfinite(BaggingRegressor(n_estimators=2).fit(X, size * y).predict(X)).all()


def test_machines_end_whose_tolerance_is_below_rounding():
    """Steps of two variables went on for ever where weights spread over 24 powers of ten."""
    code = (
        "import warnings\n"
        "import numpy as np\n"
        "from gramian.svm import NuSVR\n"
        "warnings.simplefilter('ignore')\n"
        "rng = np.random.default_rng(0)\n"
        "X = rng.standard_normal((60, 4))\n"
        "y = X @ np.ones(4) + 0.3 * rng.standard_normal(60)\n"
        "weight = np.ldexp(rng.uniform(0.5, 1.5, 60), 160)\n"
        "model = NuSVR().fit(X, y, sample_weight=weight)\n"
        "print(np.isfinite(model.predict(X)).all(), model.certificate_.converged)\n"
        "for seed in range(5):\n"
        "    rng = np.random.default_rng(seed)\n"
        "    X = rng.standard_normal((130, 1))\n"
        "    weight = 10.0 ** rng.uniform(-12, 12, 130)\n"
        "    NuSVR().fit(X, np.sin(X[:, 0]), sample_weight=weight)\n"
    )
    assert run_python(code, timeout=60) == "True False\n"


@pytest.mark.parametrize("exponent", [-300, 300])
def test_nu_machines_take_weights_in_any_unit(exponent):
    X, y = rows()
    weight = np.random.default_rng(1).uniform(0.5, 1.5, 60)
    for model, target, unit in ((NuSVC(tol=1e-6), y > 0, 0), (OneClassSVM(tol=1e-6), None, 1)):
        expected = model.fit(X, target, sample_weight=weight).decision_function(X)
        model.fit(X, target, sample_weight=np.ldexp(weight, exponent))
        found = np.ldexp(model.decision_function(X), -unit * exponent)
        size = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4 * size)


@pytest.mark.parametrize("model", [SVC, SVR, NuSVC, NuSVR, OneClassSVM])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_precomputed_kernels_at_predict(model, bad):
    X, y = rows()
    target = y > 0 if model in (SVC, NuSVC) else y
    machine = model(kernel="precomputed").fit(X @ X.T, target)
    unused = np.setdiff1d(np.arange(60), machine.support_)
    for column in (machine.support_[0], *unused[:1]):
        kernel = X @ X.T
        kernel[0, column] = bad
        with pytest.raises(ValueError, match="Input X contains"):
            machine.predict(kernel)


@pytest.mark.parametrize("model", [SVC, SVR, NuSVC, NuSVR, OneClassSVM])
def test_values_of_a_callable_kernel_at_predict(model):
    """These went into the sums: SVR predicted NaN, and SVC the first class."""
    X, y = rows()

    def kernel(a, b):
        return a @ b.T * (1.0 if len(a) == len(X) else np.nan)

    machine = model(kernel=kernel).fit(X, y > 0 if model in (SVC, NuSVC) else y)
    with pytest.raises(ValueError, match="callable kernel must return finite numbers"):
        machine.predict(X[:5])


def test_columns_beyond_squares_are_named():
    X, y = rows()
    with np.errstate(all="ignore"):
        for scale in (1e-200, 1e200):
            for model in (Lasso(alpha=1e-3), StandardScaler(), SVC(), PoissonRegressor()):
                with warnings.catch_warnings(), pytest.raises(ValueError, match=r"\bX\b"):
                    warnings.simplefilter("ignore")
                    model.fit(scale * X, y > 0 if isinstance(model, SVC) else np.abs(y))
        with pytest.raises(ValueError, match="norm of row 0 is beyond"):
            Normalizer().fit_transform(1e200 * X)
        with pytest.raises(ValueError, match="products of degree 2"):
            PolynomialFeatures().fit_transform(1e200 * X)
        with warnings.catch_warnings(), pytest.raises(ValueError, match="too large"):
            warnings.simplefilter("ignore")
            model = SGDClassifier(random_state=0).fit(1e250 * X, y > 0)
            model.decision_function(1e250 * X)


def test_weights_are_no_number_of_rows_for_a_scaler():
    X, _ = rows()
    expected = StandardScaler().fit_transform(X)
    found = StandardScaler().fit(X, sample_weight=np.full(60, 1e100)).transform(X)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("score", [r2_score, explained_variance_score])
@pytest.mark.parametrize("exponent", [-900, 900])
def test_scores_do_not_depend_on_the_unit(score, exponent):
    _, y = rows()
    predicted = y + 0.1 * np.sin(np.arange(60))
    expected = score(y, predicted)
    assert score(np.ldexp(y, exponent), np.ldexp(predicted, exponent)) == pytest.approx(expected)
    weight = np.ldexp(np.ones(60), exponent)
    assert score(y, predicted, sample_weight=weight) == pytest.approx(expected)
