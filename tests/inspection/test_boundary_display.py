"""Pictures of decision boundaries: scikit-learn's numbers, colours, data drawn over them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.inspection import DecisionBoundaryDisplay as Theirs
from sklearn.linear_model import LogisticRegression

from gramian.datasets import load_iris, make_moons
from gramian.inspection import DecisionBoundaryDisplay
from gramian.linear_model import Ridge

matplotlib = pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def close_figures():
    matplotlib.use("Agg")
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(80, noise=0.2, random_state=0)
    return X, np.array(["no", "yes"])[y]


@pytest.fixture(scope="module")
def iris():
    bunch = load_iris(as_frame=True)
    return bunch.data.iloc[:, [2, 3]], bunch.target_names[bunch.target]


def assert_same(ours, expected):
    assert ours.n_classes == expected.n_classes
    for name in ("xx0", "xx1", "response"):
        assert_allclose(getattr(ours, name), getattr(expected, name), rtol=0, atol=1e-10)
    assert ours.ax_.get_xlabel() == expected.ax_.get_xlabel()


@pytest.mark.parametrize("plot_method", ["contourf", "contour", "pcolormesh"])
@pytest.mark.parametrize("response_method", ["auto", "predict_proba", "predict"])
def test_same_as_scikit_learn(moons, iris, response_method, plot_method):
    for X, y in (moons, iris):
        model = LogisticRegression().fit(X, y)
        options = {
            "response_method": response_method,
            "plot_method": plot_method,
            "grid_resolution": 12,
            "eps": 0.3,
        }
        ours = DecisionBoundaryDisplay.from_estimator(model, X, **options)
        expected = Theirs.from_estimator(model, X, **options)
        assert_same(ours, expected)
        assert isinstance(ours.surface_, list) == isinstance(expected.surface_, list)
        if len(set(y)) == 3:
            assert_allclose(ours.multiclass_colors_, expected.multiclass_colors_)


@pytest.mark.parametrize(
    "model", [KMeans(3, n_init=1), IsolationForest(n_estimators=5), Ridge()], ids=str
)
def test_other_models(moons, model):
    X, _ = moons
    model.fit(X, X[:, 0])
    options = {"grid_resolution": 10}
    assert_same(
        DecisionBoundaryDisplay.from_estimator(model, X, **options),
        Theirs.from_estimator(model, X, **options),
    )


@pytest.mark.parametrize("response_method", ["predict_proba", "decision_function"])
def test_class_of_interest(moons, iris, response_method):
    for X, y in (moons, iris):
        model = LogisticRegression().fit(X, y)
        for name in model.classes_:
            options = {
                "class_of_interest": name,
                "grid_resolution": 6,
                "response_method": response_method,
            }
            assert_same(
                DecisionBoundaryDisplay.from_estimator(model, X, **options),
                Theirs.from_estimator(model, X, **options),
            )


def test_every_data_frame(make_frame, iris):
    X, y = iris
    frame = make_frame({name: X[name].tolist() for name in X})
    seen = []

    class Spy(Ridge):
        def predict(self, X):
            seen.append(type(X))
            return super().predict(X)

    codes = np.unique(y, return_inverse=True)[1]
    display = DecisionBoundaryDisplay.from_estimator(Spy().fit(frame, codes), frame)
    assert seen == [type(frame)]
    assert display.ax_.get_ylabel() == "petal width (cm)"
    expected = Ridge().fit(X.to_numpy(), codes).predict(np.c_[display.xx0.flat, display.xx1.flat])
    assert_allclose(display.response.ravel(), expected, atol=1e-10)


# -- two colours and a line ------------------------------------------------------------------------


def test_colours_meet_at_the_boundary(moons):
    X, y = moons
    model = LogisticRegression().fit(X, y)
    for method, middle in (("predict_proba", 0.5), ("decision_function", 0.0)):
        display = DecisionBoundaryDisplay.from_estimator(model, X, response_method=method)
        assert display.boundary == middle
        white = display.surface_.cmap(display.surface_.norm(middle))
        assert_allclose(white[:3], 1.0, atol=0.02)
        lines = display.ax_.collections[1]
        assert_array_equal(lines.levels, [middle])
        assert len(lines.get_paths()[0].vertices) > 1
    chosen = DecisionBoundaryDisplay.from_estimator(model, X, cmap="plasma")
    assert chosen.surface_.cmap.name == "plasma"
    assert len(chosen.ax_.collections) == 1
    regression = DecisionBoundaryDisplay.from_estimator(Ridge().fit(X, X[:, 0]), X)
    assert regression.boundary is None


# -- data ------------------------------------------------------------------------------------------


def test_data_have_the_colours_of_their_classes(iris, moons):
    for X, y in (iris, moons):
        model = LogisticRegression().fit(X, y)
        display = DecisionBoundaryDisplay.from_estimator(model, X, y=y, response_method="predict")
        assert len(display.scatter_) == len(model.classes_)
        for name, points in zip(model.classes_, display.scatter_, strict=True):
            assert points.get_label() == name
            assert_array_equal(points.get_offsets(), np.asarray(X)[y == name])
        if display.n_classes == 3:
            found = [points.get_facecolor()[0] for points in display.scatter_]
            assert_allclose(found, display.multiclass_colors_)
            assert display.surface_.get_alpha() == 0.5
        texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert texts == list(model.classes_)


def test_a_target_of_numbers_has_the_scale_of_the_surface(moons, tmp_path):
    X, _ = moons
    display = DecisionBoundaryDisplay.from_estimator(Ridge().fit(X, X[:, 0]), X, y=X[:, 0])
    (points,) = display.scatter_
    assert points.norm is display.surface_.norm
    display.figure_.savefig(tmp_path / "surface.png")


def test_data_need_a_colour_for_every_class(iris):
    X, y = iris
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="3 classes, but 2 colours"):
        DecisionBoundaryDisplay.from_estimator(model, X, y=y, class_of_interest="setosa")
    with pytest.raises(ValueError, match="inconsistent numbers"):
        DecisionBoundaryDisplay.from_estimator(model, X, y=y[:5])


def test_numbers_behind_the_picture(iris, moons):
    X, y = iris
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(model, X, grid_resolution=7)
    frame = display.frame("polars")
    assert frame.columns == [*X.columns, *(f"response_{name}" for name in model.classes_)]
    points = pd.DataFrame(frame[:, :2].to_numpy(), columns=X.columns)
    assert_allclose(frame[:, 2:].to_numpy(), model.predict_proba(points))
    X, y = moons
    plain = DecisionBoundaryDisplay.from_estimator(LogisticRegression().fit(X, y), X)
    assert list(plain.frame().columns) == ["x0", "x1", "response"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"grid_resolution": 1}, ValueError, "greater than 1"),
        ({"eps": -0.1}, ValueError, "greater than or equal to 0"),
        ({"plot_method": "imshow"}, ValueError, "must be one of contourf"),
        ({"response_method": "transform_all"}, AttributeError, "none of the following"),
        ({"class_of_interest": "rose"}, ValueError, "not a valid label"),
        ({"multiclass_colors": "no map"}, ValueError, "valid Matplotlib colormap"),
        ({"multiclass_colors": ["red"]}, ValueError, "same length"),
        ({"multiclass_colors": ("red", "blue", "green")}, TypeError, "list or a str"),
        ({"multiclass_colors": ["red", "blue", "no"]}, ValueError, "color names"),
    ],
    ids=str,
)
def test_wrong_arguments(iris, options, error, message):
    X, y = iris
    with pytest.raises(error, match=message):
        DecisionBoundaryDisplay.from_estimator(LogisticRegression().fit(X, y), X, **options)


def test_ignored_colours_are_told(iris):
    X, y = iris
    with pytest.warns(UserWarning, match="'cmap' is ignored"):
        DecisionBoundaryDisplay.from_estimator(LogisticRegression().fit(X, y), X, cmap="jet")


def test_two_features_are_needed(moons):
    X, y = moons
    wide = np.column_stack([X, X])
    with pytest.raises(ValueError, match="n_features must be equal to 2"):
        DecisionBoundaryDisplay.from_estimator(LogisticRegression().fit(wide, y), wide)
