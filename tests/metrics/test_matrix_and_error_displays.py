"""Pictures of confusion matrices and of the errors of regressions, against scikit-learn's."""

import inspect

import numpy as np
import pytest
import sklearn.metrics
from numpy.testing import assert_allclose, assert_array_equal

import gramian.metrics
from gramian.datasets import load_diabetes
from gramian.linear_model import Ridge
from gramian.metrics import ConfusionMatrixDisplay, PredictionErrorDisplay

pytestmark = pytest.mark.usefixtures("pyplot")


def labels(n_classes, n_rows=500, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n_classes, size=n_rows)
    return true, np.where(rng.random(n_rows) < 0.8, true, rng.integers(0, n_classes, size=n_rows))


@pytest.mark.parametrize("name", ["ConfusionMatrixDisplay", "PredictionErrorDisplay"])
def test_arguments_are_scikit_learns(name):
    ours, theirs = getattr(gramian.metrics, name), getattr(sklearn.metrics, name)
    for method in ("__init__", "plot", "from_estimator", "from_predictions"):
        mine, other = (
            [(p.name, p.kind, p.default) for p in inspect.signature(f).parameters.values()]
            for f in (getattr(ours, method), getattr(theirs, method))
        )
        assert mine == other


@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
@pytest.mark.parametrize("n_classes", [2, 5, 20])
def test_matrix_is_scikit_learns(n_classes, normalize):
    true, predicted = labels(n_classes)
    weight = np.random.default_rng(1).random(500) if normalize == "all" else None
    ours, theirs = (
        module.ConfusionMatrixDisplay.from_predictions(
            true, predicted, normalize=normalize, sample_weight=weight
        )
        for module in (gramian.metrics, sklearn.metrics)
    )
    assert_allclose(ours.im_.get_array(), theirs.im_.get_array(), rtol=1e-10)
    assert_array_equal(
        [text.get_text() for text in ours.text_.flat],
        [text.get_text() for text in theirs.text_.flat],
    )
    for read in ("get_xlabel", "get_ylabel", "get_ylim"):
        assert getattr(ours.ax_, read)() == getattr(theirs.ax_, read)()
    ticks = [[t.get_text() for t in d.ax_.get_xticklabels()] for d in (ours, theirs)]
    assert ticks[0] == ticks[1]


def test_frame_has_a_row_for_each_cell():
    display = ConfusionMatrixDisplay.from_predictions(["b", "a", "b"], ["a", "a", "b"])
    assert display.frame("polars").to_dict(as_series=False) == {
        "true": ["a", "a", "b", "b"],
        "predicted": ["a", "b", "a", "b"],
        "value": [1, 0, 1, 1],
    }


def test_large_counts_are_written_out():
    display = ConfusionMatrixDisplay(np.array([[40190, 9851], [0, 49959]])).plot()
    assert [text.get_text() for text in display.text_.flat] == ["40190", "9851", "0", "49959"]


@pytest.mark.parametrize("matrix", [np.full((2, 2), 7), np.array([[0.0, 0.5], [0.45, 0.55]])])
@pytest.mark.parametrize("limits", [{}, {"vmin": 0.0, "vmax": 100.0}])
@pytest.mark.parametrize("cmap", ["viridis", "gray", "Blues"])
def test_numbers_stand_out(matrix, limits, cmap):
    display = ConfusionMatrixDisplay(matrix).plot(cmap=cmap, im_kw=limits)
    grounds = display.im_.cmap(display.im_.norm(matrix))
    for text, ground in zip(display.text_.flat, grounds.reshape(-1, 4), strict=True):
        assert np.abs(np.subtract(text.get_color(), ground))[:3].max() > 0.35


@pytest.mark.parametrize("n_classes", [2, 20, 40])
@pytest.mark.parametrize("is_named", [False, True])
def test_nothing_overlaps(n_classes, is_named):
    true, predicted = labels(n_classes, 5000)
    names = np.array([f"a class of number {k:02d}" for k in range(n_classes)])
    shown = names if is_named else np.arange(n_classes)
    display = ConfusionMatrixDisplay.from_predictions(true, predicted, display_labels=shown)
    display.figure_.canvas.draw()
    cell = display.ax_.get_window_extent().width / n_classes
    for text in display.text_.flat:
        assert text.get_window_extent().width <= cell
    ticks = display.ax_.get_yticklabels()
    assert all(tick.get_window_extent().height <= cell for tick in ticks)
    below = display.ax_.get_xticklabels()
    angle = below[0].get_rotation()
    assert angle in (0.0, 45.0, 90.0)
    assert (angle == 0.0) == (not is_named or n_classes == 2)
    if angle != 45.0:
        assert all(label.get_window_extent().width <= cell for label in below)


def test_angle_zero_is_kept():
    display = ConfusionMatrixDisplay(
        np.eye(3), display_labels=["a class with a very long name"] * 3
    )
    assert display.plot(xticks_rotation=0.0).ax_.get_xticklabels()[0].get_rotation() == 0.0
    assert display.plot().ax_.get_xticklabels()[0].get_rotation() == 45.0


def test_colour_bar_is_as_high_as_the_matrix_and_may_be_left_out():
    display = ConfusionMatrixDisplay(np.eye(4)).plot()
    display.figure_.canvas.draw()
    matrix, bar = (axes.get_window_extent() for axes in display.figure_.axes)
    assert_allclose([bar.y0, bar.y1], [matrix.y0, matrix.y1])
    assert bar.width < 0.08 * matrix.width
    assert len(display.plot(colorbar=False).figure_.axes) == 1


def test_layout_can_be_asked_for_again(pyplot):
    ConfusionMatrixDisplay(np.eye(3)).plot()
    pyplot.tight_layout()
    pyplot.subplots_adjust(left=0.2)


def test_only_classifiers_have_a_matrix():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match="from_estimator only supports classifiers"):
        ConfusionMatrixDisplay.from_estimator(Ridge().fit(X, y), X, y)


@pytest.mark.parametrize("kind", ["actual_vs_predicted", "residual_vs_predicted"])
@pytest.mark.parametrize("subsample", [None, 50, 0.3])
def test_errors_are_scikit_learns(kind, subsample):
    X, y = load_diabetes(return_X_y=True)
    model = Ridge().fit(X, y)
    options = {"kind": kind, "subsample": subsample, "random_state": 0}
    ours, theirs = (
        module.PredictionErrorDisplay.from_estimator(model, X, y, **options)
        for module in (gramian.metrics, sklearn.metrics)
    )
    assert_allclose(ours.scatter_.get_offsets(), theirs.scatter_.get_offsets(), rtol=1e-10)
    assert_allclose(ours.line_.get_xydata(), theirs.line_.get_xydata(), rtol=1e-10)
    assert ours.ax_.get_xlabel() == theirs.ax_.get_xlabel()
    assert ours.ax_.get_ylabel() == theirs.ax_.get_ylabel()
    frame = ours.frame()
    assert_allclose(frame["residual"], frame["y_true"] - frame["y_pred"])


def test_series_of_any_library_are_drawn(frame_library, make_frame):
    frame = make_frame({"y": [1.0, 2.0, 4.0], "p": [1.5, 2.0, 3.0]})
    display = PredictionErrorDisplay.from_predictions(frame["y"], frame["p"], subsample=2)
    assert len(display.scatter_.get_offsets()) == 2


@pytest.mark.parametrize("value", [3.0, 0.0])
def test_constant_values_are_drawn(value):
    display = PredictionErrorDisplay(y_true=np.full(4, value), y_pred=np.full(4, value))
    display.plot(kind="actual_vs_predicted").figure_.canvas.draw()
    assert display.ax_.get_xlim() == display.ax_.get_ylim()


@pytest.mark.parametrize(
    "options", [{"subsample": 0}, {"subsample": 1.0}, {"subsample": -0.5}, {"kind": "guess"}]
)
def test_wrong_arguments_are_refused(options):
    for module in (gramian.metrics, sklearn.metrics):
        with pytest.raises(ValueError, match=r"subsample|`kind` must be one of"):
            module.PredictionErrorDisplay.from_predictions([1.0, 2.0], [1.0, 2.0], **options)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        PredictionErrorDisplay.from_predictions([1.0, 2.0], [1.0, 2.0, 3.0])
