"""Pictures of ROC, precision-recall and DET curves, against scikit-learn's."""

import inspect
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

import gramian.metrics
from gramian.dummy import DummyClassifier
from gramian.metrics import DetCurveDisplay, PrecisionRecallDisplay, RocCurveDisplay

pytestmark = pytest.mark.usefixtures("pyplot")

NAMES = ["RocCurveDisplay", "PrecisionRecallDisplay", "DetCurveDisplay"]
WITH_FOLDS = NAMES[:2]


@pytest.fixture
def data(global_random_seed):
    """Features, labels and whole weights."""
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0.3).astype(np.int64)
    return X, y, rng.integers(1, 4, size=120)


def displays(name):
    return getattr(gramian.metrics, name), getattr(sklearn.metrics, name)


def lines_of(display):
    lines = display.line_ if isinstance(display.line_, list) else [display.line_]
    chance = getattr(display, "chance_level_", None)
    return [*lines, *(chance if isinstance(chance, list) else [chance] if chance else [])]


def assert_same_picture(ours, theirs):
    """Check the points of all lines, the labels of axes and legend, and the limits."""
    assert len(lines_of(ours)) == len(lines_of(theirs))
    for mine, other in zip(lines_of(ours), lines_of(theirs), strict=True):
        assert_allclose(mine.get_xydata(), other.get_xydata(), rtol=1e-10, atol=1e-12)
        assert mine.get_label() == other.get_label()
        assert mine.get_drawstyle() == other.get_drawstyle()
    for read in ("get_xlabel", "get_ylabel", "get_xlim", "get_ylim"):
        assert getattr(ours.ax_, read)() == getattr(theirs.ax_, read)()
    texts = [[t.get_text() for t in d.ax_.get_legend().get_texts()] for d in (ours, theirs)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("is_weighted", "drop_intermediate"), [(False, True), (True, False)])
@pytest.mark.parametrize("pos_label", [None, 0])
def test_curve_of_an_estimator_is_scikit_learns(
    data, name, is_weighted, drop_intermediate, pos_label
):
    X, y, weight = data
    model = LogisticRegression().fit(X, y)
    options = {
        "sample_weight": weight if is_weighted else None,
        "drop_intermediate": drop_intermediate,
        "pos_label": pos_label,
        "response_method": "decision_function",
    }
    assert_same_picture(*(cls.from_estimator(model, X, y, **options) for cls in displays(name)))


@pytest.mark.parametrize("name", WITH_FOLDS)
@pytest.mark.parametrize("curve_kwargs", [None, [{"c": "red"}, {"c": "green"}, {"ls": ":"}]])
def test_curves_of_folds_are_scikit_learns(data, name, curve_kwargs):
    X, y, weight = data
    labels = np.array(["no", "yes"])[y]
    results = cross_validate(
        LogisticRegression(), X, labels, cv=3, return_estimator=True, return_indices=True
    )
    options = {"curve_kwargs": curve_kwargs, "sample_weight": weight}
    ours, theirs = (
        cls.from_cv_results(results, X, labels, pos_label="no", name="Model", **options)
        for cls in displays(name)
    )
    assert_same_picture(ours, theirs)
    lengths = [len(line.get_xdata()) for line in ours.line_]
    assert ours.frame()["curve"].tolist() == np.repeat([0, 1, 2], lengths).tolist()


@pytest.mark.parametrize("name", WITH_FOLDS)
def test_chance_level_is_scikit_learns(data, name):
    X, y, _ = data
    results = cross_validate(
        LogisticRegression(), X, y, cv=3, return_estimator=True, return_indices=True
    )
    model = results["estimator"][0]
    for make in (
        lambda cls: cls.from_estimator(model, X, y, plot_chance_level=True),
        lambda cls: cls.from_cv_results(results, X, y, plot_chance_level=True),
    ):
        assert_same_picture(*(make(cls) for cls in displays(name)))


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_copies(data, name):
    X, y, weight = data
    score, rows = X[:, 0], np.repeat(np.arange(120), weight)
    cls = getattr(gramian.metrics, name)
    weighted = cls.from_predictions(y, score, sample_weight=weight)
    copied = cls.from_predictions(y[rows], score[rows])
    pd.testing.assert_frame_equal(weighted.frame(), copied.frame())
    if name == "PrecisionRecallDisplay":
        assert_allclose(weighted.prevalence_pos_label, copied.prevalence_pos_label)
        assert_allclose(weighted.average_precision, copied.average_precision)


@pytest.mark.parametrize("name", NAMES)
def test_arguments_are_scikit_learns(name):
    ours, theirs = displays(name)
    for method in ("__init__", "plot", "from_estimator", "from_predictions", "from_cv_results"):
        if hasattr(theirs, method):
            mine, other = (
                [(p.name, p.kind, p.default) for p in inspect.signature(f).parameters.values()]
                for f in (getattr(ours, method), getattr(theirs, method))
            )
            assert mine == other


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", ["regressor", "classes", "target", "method", "label", "length"])
def test_errors_are_scikit_learns(data, name, case):
    X, y, _ = data
    three = np.digitize(X[:, 0], [-0.5, 0.5])
    model = LogisticRegression().fit(X, y)
    arguments = {
        "regressor": (SklearnLinearRegression().fit(X, y), X, y, {}),
        "classes": (LogisticRegression().fit(X, three), X, three, {}),
        "target": (model, X, three, {}),
        "method": (model, X, y, {"response_method": "guess"}),
        "label": (model, X, y, {"pos_label": 7}),
        "length": (model, X, y[:-1], {}),
    }
    *data, options = arguments[case]
    errors = []
    for cls in displays(name):
        with pytest.raises((ValueError, AttributeError)) as error:
            cls.from_estimator(*data, **options)
        errors.append(error.value)
    assert type(errors[0]) is type(errors[1])
    assert str(errors[0])[:60] == str(errors[1])[:60]


def test_labels_without_a_clear_positive_class_are_refused():
    with pytest.raises(ValueError, match="pos_label is not specified"):
        RocCurveDisplay.from_predictions(["a", "b"], [0.1, 0.9])


def test_dummy_classifier_is_drawn(frame_library, make_frame):
    frame = make_frame({"a": [0.0, 1.0, 2.0, 3.0]})
    model = DummyClassifier().fit(frame, [0, 1, 0, 1])
    assert RocCurveDisplay.from_estimator(model, frame, [0, 1, 0, 1]).roc_auc == 0.5
    assert type(RocCurveDisplay(fpr=[0.0], tpr=[0.0]).fpr) is list


def test_axes_are_square_with_equal_limits(data):
    _, y, _ = data
    for cls in (RocCurveDisplay, PrecisionRecallDisplay, DetCurveDisplay):
        display = cls.from_predictions(y, y)
        display.figure_.canvas.draw()
        box = display.ax_.get_window_extent()
        assert display.ax_.get_xlim() == display.ax_.get_ylim()
        assert_allclose(box.width, box.height, rtol=1e-6)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_legend_covers_no_curve(data, sign):
    X, y, _ = data
    display = RocCurveDisplay.from_predictions(
        y, sign * X[:, 0], name="A classifier with a long name", plot_chance_level=True
    )
    display.figure_.canvas.draw()
    legend = display.ax_.get_legend().get_window_extent()
    for line in display.ax_.lines:
        path = line.get_transform().transform_path(line.get_path())
        assert not path.intersects_bbox(legend, filled=False)


def test_several_curves_have_colours_of_their_own(data):
    X, y, _ = data
    display = RocCurveDisplay.from_predictions(y, X[:, 0])
    other = RocCurveDisplay.from_predictions(y, X[:, 1], ax=display.ax_)
    assert other.figure_ is display.figure_
    assert other.line_.get_color() != display.line_.get_color()


def test_rates_of_zero_and_one_are_kept_in_the_numbers():
    display = DetCurveDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.9])
    assert display.frame("polars")["fnr"].to_list()[0] == 0.0
    assert np.isfinite(display.line_.get_xydata()).all()


def test_import_loads_no_matplotlib():
    code = "import sys, gramian.metrics, gramian.model_selection; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "gramian.metrics" in done.stdout.split()
    assert "matplotlib" not in done.stdout.split()


def test_missing_matplotlib_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "gramian\[plot\]"'):
        RocCurveDisplay.from_predictions([0, 1], [0.1, 0.9])
