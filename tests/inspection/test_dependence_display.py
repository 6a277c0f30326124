"""Pictures of partial dependence: what is drawn, and the numbers behind it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import PartialDependenceDisplay as Theirs

from gramian.inspection import PartialDependenceDisplay, partial_dependence
from gramian.linear_model import Ridge

matplotlib = pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    matplotlib.use("Agg")
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def forest():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "c"])
    model = RandomForestRegressor(n_estimators=5, random_state=0)
    return model.fit(X, X["a"] ** 2 + X["b"]), X


@pytest.fixture(scope="module")
def flats():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "city": rng.choice(["Bern", "Oslo", "Rome"], size=60),
            "floor": rng.choice(["first", "second"], size=60),
            "size": rng.normal(80.0, 20.0, size=60),
        }
    )
    return Ridge().fit(frame, frame["size"] + 30.0 * (frame["city"] == "Oslo")), frame


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("kind", ["average", "individual", "both"])
def test_same_lines_as_scikit_learn(forest, kind, centered):
    model, X = forest
    options = {
        "kind": kind,
        "centered": centered,
        "subsample": 7,
        "random_state": 3,
        "grid_resolution": 8,
    }
    ours = PartialDependenceDisplay.from_estimator(model, X, ["a", "c"], **options)
    expected = Theirs.from_estimator(model, X, ["a", "c"], **options)
    assert ours.lines_.shape == expected.lines_.shape
    for line, other in zip(ours.lines_.ravel(), expected.lines_.ravel(), strict=True):
        assert_allclose(line.get_data(), other.get_data(), atol=1e-10)
    for axes, other in zip(ours.axes_.ravel(), expected.axes_.ravel(), strict=True):
        assert_allclose(axes.get_ylim(), other.get_ylim(), atol=1e-10)
        assert axes.get_xlabel() == other.get_xlabel()
    for feature, deciles in expected.deciles.items():
        assert_allclose(ours.deciles[feature], deciles, atol=1e-10)


def test_contours_and_deciles(forest):
    model, X = forest
    display = PartialDependenceDisplay.from_estimator(model, X, [("a", "b"), "c"])
    expected = Theirs.from_estimator(model, X, [("a", "b"), "c"])
    assert_allclose(display.contours_[0, 0].levels, expected.contours_[0, 0].levels, atol=1e-10)
    assert display.contours_[0, 1] is None
    assert display.lines_[0, 0] is None
    ends = display.deciles_hlines_[0, 0].get_segments()
    assert_allclose([segment[0][1] for segment in ends], display.deciles[1])
    assert display.deciles_hlines_[0, 1] is None


def test_the_average_stands_out(forest):
    model, X = forest
    display = PartialDependenceDisplay.from_estimator(model, X, ["a"], kind="both", subsample=5)
    curve, average = display.lines_[0, 0, 0], display.lines_[0, 0, -1]
    assert curve.get_color() != average.get_color()
    assert average.get_linewidth() > 2 * curve.get_linewidth()
    display.figure_.canvas.draw()
    legend = display.axes_[0, 0].get_legend().get_window_extent()
    assert legend.y0 >= display.axes_[0, 0].get_window_extent().y1 - 1.0  # covers no data
    wide = PartialDependenceDisplay.from_estimator(model, X, ["a", "b", "c", "a"], n_cols=2)
    assert wide.axes_.shape == (2, 2)
    width, height = wide.figure_.get_size_inches()
    assert width > 8
    assert height > 6


def test_categories_become_bars_and_cells(flats, tmp_path):
    model, frame = flats
    display = PartialDependenceDisplay.from_estimator(
        model, frame, ["city", ("city", "floor"), "size"], categorical_features=["city", "floor"]
    )
    heights = [bar.get_height() for bar in display.axes_[0, 0].patches]
    assert_allclose(heights, display.pd_results[0].average[0])
    assert display.bars_[0, 0] is display.axes_[0, 0].patches[0]
    assert_allclose(display.heatmaps_[0, 1].get_array(), display.pd_results[1].average[0])
    texts = [text.get_text() for text in display.axes_[0, 1].texts]
    assert texts == [f"{value:.2f}" for value in display.pd_results[1].average[0].ravel()]
    display.figure_.savefig(tmp_path / "categories.png")


def test_long_names_of_categories_are_turned(flats):
    model, frame = flats
    long = frame.assign(city=frame["city"] + " and its surroundings")
    model = Ridge().fit(long, frame["size"])
    display = PartialDependenceDisplay.from_estimator(
        model, long, ["city"], categorical_features=["city"]
    )
    assert display.axes_[0, 0].get_xticklabels()[0].get_rotation() == 90


def test_a_class_of_three():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    display = PartialDependenceDisplay.from_estimator(model, X, [0], target="middle")
    expected = partial_dependence(model, X, [0]).average[list(model.classes_).index("middle")]
    assert_array_equal(display.lines_[0, 0].get_ydata(), expected)
    with pytest.raises(ValueError, match="target must be specified for multi-class"):
        PartialDependenceDisplay.from_estimator(model, X, [0])
    with pytest.raises(ValueError, match="target not in"):
        PartialDependenceDisplay.from_estimator(model, X, [0], target="none")


def test_a_target_of_several():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = Ridge().fit(X, np.column_stack([X[:, 0], -X[:, 1]]))
    display = PartialDependenceDisplay.from_estimator(model, X, [1], target=1)
    assert np.all(np.diff(display.lines_[0, 0].get_ydata()) < 0)
    for target in (None, 2, -1):
        with pytest.raises(ValueError, match="target must be"):
            PartialDependenceDisplay.from_estimator(model, X, [1], target=target)


def test_numbers_behind_the_picture(forest, flats):
    model, X = forest
    options = {"kind": "both", "grid_resolution": 4, "subsample": 3}
    display = PartialDependenceDisplay.from_estimator(model, X, ["a", "b"], **options)
    frame = display.frame()
    assert list(frame.columns) == ["panel", "feature", "value", "row", "response"]
    assert len(frame) == 2 * 4 * (1 + len(X))
    average = frame[(frame["panel"] == 1) & frame["row"].isna()]
    assert_array_equal(average["response"], display.pd_results[1].average[0])
    assert set(frame["feature"]) == {"a", "b"}
    model, flat = flats
    display = PartialDependenceDisplay.from_estimator(
        model, flat, ["size", ("city", "floor")], categorical_features=["city", "floor"]
    )
    for backend in ("pandas", "polars", "pyarrow"):
        frame = display.frame(backend)
        names = getattr(frame, "column_names", None) or list(frame.columns)
        assert names == ["panel", "feature", "value", "feature_2", "value_2", "response"]
    pairs = display.frame().query("panel == 1")
    assert pairs["value"].tolist() == ["Bern", "Bern", "Oslo", "Oslo", "Rome", "Rome"]
    assert pairs["value_2"].tolist() == ["first", "second"] * 3


def test_workers_and_frames_change_nothing(forest, make_frame):
    from joblib import parallel_backend

    model, X = forest
    alone = PartialDependenceDisplay.from_estimator(model, X, ["a", "b"])
    ridge = Ridge().fit(X, X["a"])
    frame = make_frame({name: X[name].tolist() for name in X})
    with parallel_backend("threading"):
        together = PartialDependenceDisplay.from_estimator(model, X, ["a", "b"], n_jobs=2)
    for one, other in zip(alone.pd_results, together.pd_results, strict=True):
        assert_array_equal(one.average, other.average)
    display = PartialDependenceDisplay.from_estimator(ridge, frame, ["a", ("a", "b")])
    assert display.axes_[0, 1].get_ylabel() == "b"
    assert_allclose(display.deciles[0], alone.deciles[0])


def test_flat_response_is_drawn(forest):
    _, X = forest
    model = Ridge().fit(X, np.ones(len(X)))
    display = PartialDependenceDisplay.from_estimator(model, X, ["a", ("a", "b")])
    display.figure_.canvas.draw()


def test_axes_of_the_user(forest):
    model, X = forest
    figure, axes = pyplot.subplots(1, 2)
    axes[0].set_ylabel("mine")
    display = PartialDependenceDisplay.from_estimator(model, X, ["a", "b"], ax=axes)
    assert display.figure_ is figure
    assert display.bounding_ax_ is None
    assert axes[0].get_ylabel() == "mine"
    with pytest.raises(ValueError, match="Expected ax to have 1 axes, got 2"):
        PartialDependenceDisplay.from_estimator(model, X, ["a"], ax=axes)
    _, one = pyplot.subplots()
    display.plot(ax=one)
    with pytest.raises(ValueError, match="already used"):
        display.plot(ax=one)


@pytest.mark.parametrize(
    ("features", "options", "message"),
    [
        (["a", ("b", "c")], {"kind": "both"}, "ICE plot cannot be rendered"),
        (["a"], {"kind": ["average", "both"]}, "as many elements"),
        (["a"], {"kind": "all"}, "must be one of"),
        ([("a", "b", "c")], {}, "Each entry in features"),
        ([1.5], {}, "Each entry in features"),
        ([7], {}, "must be less than"),
        (["d"], {}, "not in feature_names"),
        (["a"], {"subsample": 0}, "should be positive"),
        (["a"], {"subsample": 1.5}, "range"),
        ([("a", "b")], {"categorical_features": ["a"]}, "continuous and categorical"),
        (["a"], {"categorical_features": ["a"], "kind": "both"}, "individual effects|resolution"),
        (["a"], {"categorical_features": ["a"], "grid_resolution": 5}, "resolution of the"),
    ],
    ids=str,
)
def test_wrong_arguments(forest, features, options, message):
    model, X = forest
    with pytest.raises(ValueError, match=message):
        PartialDependenceDisplay.from_estimator(model, X, features, **options)
