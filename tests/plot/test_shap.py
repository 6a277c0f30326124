"""Pictures of Shapley values show the numbers of `tree_shap`."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from tests.tree.random_trees import N_LEVELS, TreeSum, random_forest, random_rows

from gramian.inspection import tree_shap
from gramian.plot import shap_dependence, shap_summary, shap_waterfall
from gramian.plot._shap_marks import partner_of, relative, stacked

pytestmark = pytest.mark.usefixtures("pyplot")

NAMES = ["size", "age", "price", "street", "city"]


class Named(TreeSum):
    """Trees on a data frame whose last column is text."""

    feature_names_in_ = np.array(NAMES)

    def _tree_rows(self, X):
        rows = X.assign(city=X["city"].map({"Bern": 0.0, "Oslo": 1.0, "Rome": 2.0}))
        return rows.to_numpy(dtype=float)

    def predict(self, X):
        return super().predict(self._tree_rows(X))


@pytest.fixture(scope="module")
def explained():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(random_rows(rng, 80), columns=NAMES)
    frame["city"] = rng.choice(["Bern", "Oslo", "Rome"], 80)
    return tree_shap(Named(random_forest(rng, 4, 5)), frame)


def test_data_are_shown_as_given(explained):
    assert explained.check().converged
    assert explained.data[0, 4] in ("Bern", "Oslo", "Rome")
    assert explained.codes.dtype == np.float64


def test_summary(explained, tmp_path):
    display = shap_summary(explained, max_display=3)
    frame = display.frame()
    sizes = np.abs(explained.values).mean(axis=0)
    assert_allclose(frame["mean_abs"], np.sort(sizes)[::-1])
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels[::-1] == frame["feature"].tolist()[:3]
    lines = [points.get_offsets() for points in display.ax_.collections]
    top = NAMES.index(frame["feature"][0])
    assert_allclose(np.asarray(lines[2])[:, 0], explained.values[:, top])
    assert np.abs(np.asarray(lines[2])[:, 1] - 2.0).max() < 0.5
    display.figure_.savefig(tmp_path / "summary.png")


def test_waterfall(explained, tmp_path):
    display = shap_waterfall(explained, 7, max_display=4)
    frame = display.frame()
    assert len(frame) == 4 and frame["label"].iloc[-1] == "2 other features"
    assert_allclose(frame["value"].sum(), explained.values[7].sum())
    assert_allclose(frame["end"].iloc[0], explained.predictions[7])
    assert_allclose(frame["start"].iloc[-1], explained.base_values[7])
    assert_allclose(frame["start"].to_numpy()[:-1], frame["end"].to_numpy()[1:])
    everything = shap_waterfall(explained, 7).frame()
    assert len(everything) == len(N_LEVELS)
    assert f"city = {explained.data[7, 4]}" in everything["label"].tolist()
    display.figure_.savefig(tmp_path / "waterfall.png")
    with pytest.raises(ValueError, match="row must be a row of the 80 explained"):
        shap_waterfall(explained, 80)


def test_dependence(explained, tmp_path):
    display = shap_dependence(explained, "city", colour_by="age")
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["Bern", "Oslo", "Rome"]
    frame = display.frame()
    assert list(frame.columns) == ["value", "shap_value", "age"]
    assert_allclose(frame["shap_value"], explained.values[:, 4])
    display.figure_.savefig(tmp_path / "dependence.png")
    plain = shap_dependence(explained, 0, colour_by=None)
    assert plain.colour_by is None and list(plain.frame().columns) == ["value", "shap_value"]
    assert shap_dependence(explained, 0).colour_by in range(1, 5)
    with pytest.raises(ValueError, match="'colour' is no feature"):
        shap_dependence(explained, "colour")


def test_one_output_of_several(pyplot):
    rng = np.random.default_rng(0)
    trees = random_forest(rng, 3, 4, width=3, is_classifier=True)
    model = TreeSum(trees, response="predict_proba")
    model.classes_ = np.array(["a", "b", "c"])
    result = tree_shap(model, random_rows(rng, 20))
    with pytest.raises(ValueError, match="3 outputs"):
        shap_summary(result)
    _, axes = pyplot.subplots()
    display = shap_summary(result, output="b", ax=axes)
    assert display.ax_ is axes and axes.get_xlabel() == "Shapley value: b"
    assert_allclose(display.shap_values.values, result.values[..., 1])
    assert shap_waterfall(result, output="c").ax_.get_xlabel() == "prediction: c"


def test_the_partner_is_the_feature_that_interacts():
    rng = np.random.default_rng(0)
    codes = rng.normal(size=(400, 3))

    class Values:
        values = codes * codes[:, [2, 1, 0]]

    Values.codes = codes
    assert partner_of(Values, 0) == 2
    assert partner_of(Values, 2) == 0


def test_marks():
    assert_allclose(relative(np.array([0.0, 0.0, np.nan])), [0.5, 0.5, np.nan])
    assert np.isnan(relative(np.array([np.nan]))).all()
    assert relative(np.arange(101.0))[[0, 50, 100]].tolist() == [0.0, 0.5, 1.0]
    assert stacked(np.zeros(0)).size == 0 and stacked(np.ones(1)).tolist() == [0.0]
    places = stacked(np.repeat([0.0, 1.0], 50))
    assert len(np.unique(places)) == 50 and np.abs(places).max() <= 0.4
