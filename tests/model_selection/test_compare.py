"""Comparisons of models: the test, the splits, the names, failures, and how they are shown."""

import warnings

import numpy as np
import pytest
import scipy.stats
import sklearn.linear_model
import sklearn.tree
from statsmodels.stats.multitest import multipletests

from gramian.datasets import load_breast_cancer, load_diabetes
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.exceptions import FitFailedWarning
from gramian.linear_model import LinearRegression, Ridge
from gramian.model_selection import (
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    compare,
    compare_scores,
    corrected_ttest,
    cross_validate,
)
from gramian.model_selection._corrected_test import holm

X, Y = load_diabetes(return_X_y=True)
MODELS = {"line": LinearRegression(), "ridge": Ridge(1.0), "dummy": DummyRegressor()}


class Broken(Ridge):
    """Fails on the splits whose first training row is row 0, or on all."""

    def fit(self, X, y, sample_weight=None):
        if self.alpha < 1 or X[0, 0] == BROKEN_ROW:
            raise RuntimeError("broken on purpose")
        return super().fit(X, y)


BROKEN_ROW = X[0, 0]


# -- the test --------------------------------------------------------------------------------------


def test_statistic_by_hand():
    # mean 0.02, variance 0.001 / 4 = 0.00025, factor 1/5 + 1/4 = 0.45
    # error sqrt(0.0001125) = 0.010606601717798213, t = 0.02 / error = 1.885618083164127
    test = corrected_ttest([0.02, 0.01, 0.03, 0.00, 0.04], 0.25)
    assert test.mean == pytest.approx(0.02, rel=1e-14)
    assert test.standard_error == pytest.approx(0.010606601717798213, rel=1e-13)
    assert test.statistic == pytest.approx(1.885618083164127, rel=1e-13)
    assert test.df == 4
    # the t distribution with 4 degrees of freedom has a closed form
    u = test.statistic / np.sqrt(4 + test.statistic**2)
    assert test.pvalue == pytest.approx(1 - 1.5 * (u - u**3 / 3), rel=1e-12)
    # its 97.5 % quantile is 2.7764451052
    assert test.high - 0.02 == pytest.approx(2.7764451051977987 * test.standard_error, rel=1e-12)
    assert test.low + test.high == pytest.approx(0.04)


def test_without_the_correction_it_is_the_t_test(global_random_seed):
    values = np.random.default_rng(global_random_seed).normal(0.3, size=12)
    ours, theirs = corrected_ttest(values, 0.0, confidence=0.9), scipy.stats.ttest_1samp(values, 0)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-12)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval(0.9)), rel=1e-12)


def test_degenerate_values():
    assert corrected_ttest([0.0, 0.0], 0.5)[2:5] == (0.0, 1, 1.0)
    assert corrected_ttest([0.1] * 3, 0.5)[1:5] == (0.0, np.inf, 2, 0.0)
    assert corrected_ttest([-0.1] * 3, 0.5).statistic == -np.inf
    failed = corrected_ttest([0.1, np.nan, 0.2], 0.5)
    assert np.isnan(failed.pvalue) and np.isnan(failed.low)
    for bad in ([0.1], [], [[0.1, 0.2]]):
        with pytest.raises(ValueError, match="two or more splits"):
            corrected_ttest(bad, 0.5)
    with pytest.raises(ValueError, match="'confidence' parameter"):
        corrected_ttest([0.1, 0.2], 0.5, confidence=1.0)
    with pytest.raises(ValueError, match="'test_train_ratio' parameter"):
        corrected_ttest([0.1, 0.2], -0.5)


def test_holm_is_that_of_statsmodels(global_random_seed):
    pvalues = np.random.default_rng(global_random_seed).uniform(size=9) ** 3
    np.testing.assert_allclose(holm(pvalues), multipletests(pvalues, method="holm")[1], rtol=1e-14)
    with_gap = holm([0.01, np.nan, 0.04])
    assert with_gap[0] == 0.02 and np.isnan(with_gap[1]) and with_gap[2] == 0.04
    assert holm([]) == []


def test_rounding_is_no_difference():
    scores = np.random.default_rng(0).uniform(0.5, 0.9, size=15)
    found = compare_scores({"a": scores, "b": np.nextafter(scores, 1.0)}, 0.25, baseline="a")
    assert found[0].test.mean == 0.0 and found[0].pvalue == 1.0


def test_compare_scores_refuses():
    with pytest.raises(ValueError, match="same splits"):
        compare_scores({"a": [1.0, 2.0], "b": [1.0, 2.0, 3.0]}, 0.5)
    with pytest.raises(ValueError, match="'baseline' parameter must be the name"):
        compare_scores({"a": [1.0, 2.0], "b": [1.0, 3.0]}, 0.5, baseline="c")
    with pytest.raises(ValueError, match="not both"):
        compare_scores({"a": [1.0, 2.0], "b": [1.0, 3.0]}, 0.5, baseline="a", pairs=True)


# -- splits and scores -----------------------------------------------------------------------------


def test_scores_are_those_of_cross_validate():
    result = compare(MODELS, X, Y, scoring=["r2", "neg_mean_absolute_error"])
    folds = RepeatedKFold(n_splits=5, n_repeats=3, random_state=0)
    for name, model in MODELS.items():
        expected = cross_validate(model, X, Y, cv=folds, scoring=["r2", "neg_mean_absolute_error"])
        for metric, by in result.metrics.items():
            np.testing.assert_array_equal(by.scores[name], expected[f"test_{metric}"])
    assert result.test_train_ratio == 1 / 4
    assert list(result.scores) == ["line", "ridge", "dummy"]
    assert result.best == result.reference == "line"
    found = {d.model: d for d in result.differences}["ridge"]
    values = result.scores["ridge"] - result.scores["line"]
    error = np.sqrt((1 / 15 + 1 / 4) * values.var(ddof=1))
    p = 2 * scipy.stats.t.sf(abs(values.mean()) / error, 14)
    assert found.test.pvalue == pytest.approx(p, rel=1e-10)
    assert found.pvalue == pytest.approx(p, rel=1e-10)  # the larger of the two p-values
    assert found.is_different
    assert all(len(times) == 15 for times in result.fit_times.values())


def test_default_splits_are_stratified_for_classifiers():
    data, classes = load_breast_cancer(return_X_y=True)
    models = [DummyClassifier(), DummyClassifier(strategy="stratified", random_state=0)]
    result = compare(models, data, classes)
    expected = cross_validate(
        models[1],
        data,
        classes,
        cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0),
    )
    name = list(result.scores)[1]
    np.testing.assert_array_equal(result.scores[name], expected["test_score"])
    assert "RepeatedStratifiedKFold" in repr(result)


def test_cv_and_seed():
    one = compare(MODELS, X, Y, cv=3, n_repeats=2, random_state=1)
    assert len(one.scores["line"]) == 6 and one.test_train_ratio == 0.5
    again = compare(MODELS, X, Y, cv=3, n_repeats=2, random_state=1, n_jobs=2)
    other = compare(MODELS, X, Y, cv=3, n_repeats=2, random_state=2)
    np.testing.assert_array_equal(one.scores["line"], again.scores["line"])
    assert not np.array_equal(one.scores["line"], other.scores["line"])
    shuffled = ShuffleSplit(4, test_size=42, random_state=0)
    assert compare(MODELS, X, Y, cv=shuffled).test_train_ratio == 42 / 400
    masks = [(np.arange(len(X)) % 4 != k, np.arange(len(X)) % 4 == k) for k in range(4)]
    rows = [(np.flatnonzero(train), np.flatnonzero(test)) for train, test in masks]
    by_mask, by_row = (compare(MODELS, X, Y, cv=cv) for cv in (masks, rows))
    np.testing.assert_array_equal(by_mask.scores["line"], by_row.scores["line"])
    assert by_mask.splitter == ""
    with pytest.raises(ValueError, match="cv gives 1 split"):
        compare(MODELS, X, Y, cv=rows[:1])


def test_baseline_and_pairs():
    against = compare(MODELS, X, Y, baseline="ridge")
    assert [(d.model, d.reference) for d in against.differences] == [
        ("line", "ridge"),
        ("dummy", "ridge"),
    ]
    assert against.differences[0].test.mean > 0
    pairs = compare(MODELS, X, Y, pairs=True)
    assert [(d.model, d.reference) for d in pairs.differences] == [
        ("ridge", "line"),
        ("dummy", "line"),
        ("dummy", "ridge"),
    ]
    alone = [d.test.pvalue for d in pairs.differences]
    np.testing.assert_allclose(
        [d.pvalue for d in pairs.differences], multipletests(alone, method="holm")[1]
    )
    assert "against" in repr(pairs) and "other pairs" in pairs._repr_html_()
    assert len(pairs.frame(rows="differences")) == 3


def test_scikit_learns_estimators_and_any_table(make_frame):
    table = make_frame({f"x{i}": X[:, i].tolist() for i in range(3)})
    ours = compare([LinearRegression(), DummyRegressor()], table, Y, cv=3)
    theirs = compare(
        [sklearn.linear_model.LinearRegression(), sklearn.tree.DecisionTreeRegressor(max_depth=1)],
        X[:, :3],
        Y,
        cv=3,
    )
    np.testing.assert_allclose(
        ours.scores["LinearRegression"], theirs.scores["LinearRegression"], rtol=1e-10
    )


def test_weights_are_split_like_the_rows():
    weight = np.random.default_rng(0).integers(1, 4, size=len(X))
    models = {"line": LinearRegression(), "ridge": Ridge(1.0)}
    result = compare(models, X, Y, cv=KFold(3), params={"sample_weight": weight})
    expected = cross_validate(models["ridge"], X, Y, cv=KFold(3), params={"sample_weight": weight})
    np.testing.assert_array_equal(result.scores["ridge"], expected["test_score"])


# -- names and refusals ----------------------------------------------------------------------------


def test_names():
    models = [Ridge(), ("Ridge(alpha=2.0)", Ridge(3.0)), Ridge(2.0), DummyRegressor(), Ridge(2.0)]
    result = compare(models, X[:60], Y[:60], cv=2, n_repeats=1)
    assert set(result.scores) == {
        "Ridge()",
        "Ridge(alpha=2.0)",
        "Ridge(alpha=2.0) 2",
        "Ridge(alpha=2.0) 3",
        "DummyRegressor",
    }
    alike = compare([Ridge(), Ridge(), ("Ridge", Ridge(5.0))], X[:60], Y[:60], cv=2)
    assert set(alike.scores) == {"Ridge()", "Ridge() 2", "Ridge"}


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        ([Ridge()], {}, "two or more"),
        ({}, {}, "two or more"),
        (Ridge(), {}, "must be a dict"),
        ([Ridge, Ridge], {}, "must hold estimators"),
        ([("a", 1), ("b", 2)], {}, "must hold estimators"),
        ([("a", Ridge()), ("a", Ridge())], {}, "must be unique"),
        (MODELS, {"baseline": "lime"}, "one of line, ridge, dummy. Got 'lime'"),
        (MODELS, {"baseline": "line", "pairs": True}, "not both"),
        (MODELS, {"confidence": 95}, "'confidence' parameter of compare"),
        (MODELS, {"n_repeats": 0}, "'n_repeats' parameter of compare"),
        ([Ridge(), DummyClassifier()], {}, "cannot be compared; give scoring"),
    ],
    ids=str,
)
def test_refusals(models, options, message):
    with pytest.raises(ValueError, match=message):
        compare(models, X, Y, **options)


# -- failures --------------------------------------------------------------------------------------


def test_failures():
    models = {"line": LinearRegression(), "some": Broken(2.0), "all": Broken(0.5)}
    cv = KFold(4)
    with pytest.warns(FitFailedWarning, match="7 fits failed out of a total of 12"):
        result = compare(models, X, Y, cv=cv)
    assert list(result.scores) == ["line", "some", "all"]
    assert np.isnan(result.scores["some"]).sum() == 3 and np.isnan(result.scores["all"]).all()
    assert [d.is_different for d in result.differences] == [False, False]
    assert all(np.isnan(d.pvalue) for d in result.differences)
    assert "no score on 3 splits" in repr(result)
    assert "no score on 4 splits" in result._repr_html_()
    result.frame("polars")
    with pytest.raises(RuntimeError, match="broken on purpose"):
        compare(models, X, Y, cv=cv, error_score="raise")
    with pytest.raises(ValueError, match="All the 8 fits failed"):
        compare([Broken(0.1), Broken(0.2)], X, Y, cv=cv)
    with pytest.warns(FitFailedWarning):
        filled = compare(models, X, Y, cv=cv, error_score=-1.0)
    np.testing.assert_array_equal(filled.scores["all"], -1.0)


# -- how it is shown -------------------------------------------------------------------------------


def test_frames(frame_library):
    result = compare(MODELS, X, Y, cv=3, scoring="r2")
    models = result.frame(frame_library)
    assert models.shape == (3, 14)
    assert str(models["model"][0]) == "line"
    assert result.frame(frame_library, rows="differences").shape == (2, 11)
    assert result.frame(frame_library, rows="splits").shape == (27, 6)
    assert result.metric == "r2"
    with pytest.raises(ValueError, match="rows must be one of"):
        result.frame(frame_library, rows="rows")


def test_text():
    result = compare({"<b>": Ridge(), "dummy": DummyRegressor()}, X, Y, cv=3, scoring="r2")
    lines = repr(result).splitlines()
    assert lines[0] == (
        "2 models on 9 splits of RepeatedKFold(n_repeats=3, n_splits=3, random_state=0)"
    )
    heading = "model r2 vs best 95 % interval p fit score"
    assert lines[2].split() == heading.split()
    assert lines[4].startswith("<b>") and lines[4].endswith("best")
    assert lines[5].startswith("dummy") and lines[5].endswith("differs")
    assert "vs baseline" in repr(compare(MODELS, X, Y, cv=3, baseline="dummy"))
    assert "&lt;b&gt;" in result._repr_html_() and "<td style='text-align:left'><b>" not in (
        result._repr_html_()
    )


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    result = compare(MODELS, X, Y, cv=3, scoring=["r2", "neg_mean_absolute_error"])
    assert result.plot() is result
    assert [tick.get_text() for tick in result.ax_.get_yticklabels()] == list(result.scores)
    means = [d.test.mean for d in result.differences]
    drawn = [x for bars in result.ax_.containers for x in bars.lines[0].get_xdata(orig=False)]
    np.testing.assert_allclose(np.sort(drawn), np.sort(means))
    _, ax = pyplot.subplots()
    assert result.plot(ax, metric="neg_mean_absolute_error").ax_ is ax
    with pytest.raises(ValueError, match="metric must be one of r2"):
        result.plot(metric="mse")
    pyplot.close("all")


def test_models_are_not_fitted():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(MODELS, X, Y, cv=2)
    assert not hasattr(MODELS["line"], "coef_")
