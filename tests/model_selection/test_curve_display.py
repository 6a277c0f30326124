"""Pictures of learning and validation curves, against scikit-learn's."""

import inspect

import numpy as np
import pytest
import sklearn.model_selection
from numpy.testing import assert_allclose, assert_array_equal

import gramian.model_selection
from gramian.datasets import load_diabetes
from gramian.linear_model import Ridge
from gramian.metrics import make_scorer, mean_absolute_error
from gramian.model_selection import LearningCurveDisplay, ValidationCurveDisplay

pytestmark = pytest.mark.usefixtures("pyplot")

SPECIFIC = {
    "LearningCurveDisplay": {"train_sizes": [0.3, 0.6, 0.9]},
    "ValidationCurveDisplay": {"param_name": "alpha", "param_range": [0.01, 0.1, 1.0, 10.0]},
}


@pytest.fixture(scope="module")
def data():
    return load_diabetes(return_X_y=True)


def draw(name, data, **options):
    """Return our picture and scikit-learn's."""
    options = {**SPECIFIC[name], **options}
    return [
        getattr(module, name).from_estimator(Ridge(), *data, **options)
        for module in (gramian.model_selection, sklearn.model_selection)
    ]


@pytest.mark.parametrize("name", SPECIFIC)
def test_arguments_are_scikit_learns(name):
    ours, theirs = (
        getattr(module, name) for module in (gramian.model_selection, sklearn.model_selection)
    )
    for method in ("__init__", "plot", "from_estimator"):
        mine, other = (
            [(p.name, p.kind, str(p.default)) for p in inspect.signature(f).parameters.values()]
            for f in (getattr(ours, method), getattr(theirs, method))
        )
        assert mine == other


@pytest.mark.parametrize("name", SPECIFIC)
@pytest.mark.parametrize("score_type", ["both", "train", "test"])
@pytest.mark.parametrize("negate_score", [False, True])
def test_lines_and_areas_are_scikit_learns(data, name, score_type, negate_score):
    ours, theirs = draw(
        name,
        data,
        score_type=score_type,
        negate_score=negate_score,
        scoring="neg_mean_absolute_error",
    )
    assert len(ours.lines_) == len(theirs.lines_)
    for mine, other in zip(ours.lines_, theirs.lines_, strict=True):
        assert_allclose(mine.get_xydata(), other.get_xydata(), rtol=1e-10)
        assert mine.get_label() == other.get_label()
    for mine, other in zip(ours.fill_between_, theirs.fill_between_, strict=True):
        assert_allclose(
            mine.get_paths()[0].vertices, other.get_paths()[0].vertices, rtol=1e-10, atol=1e-10
        )
    assert ours.errorbar_ is None
    for read in ("get_xlabel", "get_ylabel", "get_xscale"):
        assert getattr(ours.ax_, read)() == getattr(theirs.ax_, read)()


@pytest.mark.parametrize("name", SPECIFIC)
def test_error_bars_are_scikit_learns(data, name):
    ours, theirs = draw(name, data, std_display_style="errorbar")
    assert ours.lines_ is None and ours.fill_between_ is None
    for mine, other in zip(ours.errorbar_, theirs.errorbar_, strict=True):
        assert_allclose(mine.lines[0].get_xydata(), other.lines[0].get_xydata(), rtol=1e-10)
        assert_allclose(mine.lines[2][0].get_segments(), other.lines[2][0].get_segments())


@pytest.mark.parametrize(
    ("scoring", "negate_score"),
    [(None, False), (None, True), ("r2", False), ("r2", True), ("neg_max_error", False)],
)
def test_name_of_the_score_is_scikit_learns(data, scoring, negate_score):
    ours, theirs = draw(
        "LearningCurveDisplay", data, scoring=scoring, negate_score=negate_score, cv=2
    )
    assert ours.score_name == theirs.score_name
    assert ours.plot(score_name="R²").ax_.get_ylabel() == "R²"


def test_scorer_without_a_name_is_called_score(data):
    scorer = make_scorer(mean_absolute_error, greater_is_better=False)
    display = LearningCurveDisplay.from_estimator(Ridge(), *data, scoring=scorer, cv=2)
    assert display.ax_.get_ylabel() == "Score"


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([5, 10, 15], "linear"),
        ([5, 50, 500], "log"),
        ([-50, 5, 50, 500], "symlog"),
        ([3.0], "linear"),
        ([1.0, 1.0, 2.0], "linear"),
    ],
)
def test_scale_follows_the_values(values, scale):
    scores = np.arange(2.0 * len(values)).reshape(-1, 2)
    display = ValidationCurveDisplay(
        param_name="p", param_range=values, train_scores=scores, test_scores=scores
    ).plot()
    assert display.ax_.get_xscale() == scale


def test_values_that_are_no_numbers_stand_at_equal_distances(data):
    values = ["svd", "cholesky", None]
    scores = np.arange(6.0).reshape(-1, 2)
    display = ValidationCurveDisplay(
        param_name="solver", param_range=values, train_scores=scores, test_scores=scores
    ).plot()
    display.figure_.canvas.draw()
    ticks = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert ticks == ["svd", "cholesky", "None"]
    assert display.frame("polars")["solver"].to_list() == ticks


@pytest.mark.parametrize("name", SPECIFIC)
def test_frame_has_means_and_spreads(data, name):
    display, _ = draw(name, data)
    frame = display.frame("polars")
    assert frame.columns[1:] == ["train_mean", "train_std", "test_mean", "test_std"]
    assert_array_equal(frame[frame.columns[0]], display.lines_[0].get_xdata())
    assert_allclose(frame["test_std"], display.test_scores.std(axis=1))


@pytest.mark.parametrize("options", [{"std_display_style": "box"}, {"score_type": "validation"}])
def test_unknown_choices_are_refused(data, options):
    display, _ = draw("LearningCurveDisplay", data)
    with pytest.raises(ValueError, match=f"Unknown {next(iter(options))}"):
        display.plot(**options)


def test_area_has_a_shade_of_its_line_unless_given(data):
    display, _ = draw("LearningCurveDisplay", data)
    assert (
        display.fill_between_[0].get_facecolor()[0, 2]
        > display.fill_between_[0].get_facecolor()[0, 0]
    )
    display.plot(fill_between_kw={"color": "red", "alpha": 1.0})
    assert_allclose(display.fill_between_[0].get_facecolor(), [[1.0, 0.0, 0.0, 1.0]])


def test_legend_covers_no_score(data):
    for style in ("fill_between", "errorbar", None):
        display = LearningCurveDisplay.from_estimator(Ridge(), *data, std_display_style=style, cv=3)
        display.figure_.canvas.draw()
        legend = display.ax_.get_legend().get_window_extent()
        for line in display.ax_.lines:
            path = line.get_transform().transform_path(line.get_path())
            assert not path.intersects_bbox(legend, filled=False)
