"""Model files, and the two libraries inside each other."""

import io

import numpy as np
import pandas as pd
import pytest
import sklearn.compose
import sklearn.pipeline
from tests.preprocessing.cases import ALL, dense, labels, numbers

import gramian
import gramian.preprocessing as ours

VARIANTS = {
    "StandardScaler": [{"with_mean": False}],
    "RobustScaler": [{"with_centering": False}],
    "OneHotEncoder": [{"sparse_output": False, "handle_unknown": "ignore"}],
    "KBinsDiscretizer": [{"encode": "ordinal", "strategy": "kmeans"}],
    "SplineTransformer": [{"extrapolation": "linear", "sparse_output": True}],
    "PowerTransformer": [{"standardize": False}],
    "QuantileTransformer": [{"output_distribution": "normal", "n_quantiles": 5}],
}
INSTANCES = [
    getattr(ours, name)(**params) for name in ALL for params in [{}, *VARIANTS.get(name, [])]
]


def fitted(estimator):
    if isinstance(estimator, (ours.LabelEncoder, ours.LabelBinarizer)):
        return estimator.fit(["b", "a", "c"]), ["a", "c"]
    if isinstance(estimator, ours.MultiLabelBinarizer):
        return estimator.fit([{"b", "a"}, {"c"}]), [{"a"}]
    if isinstance(estimator, ours.KernelCenterer):
        return estimator.fit(np.eye(4)), np.eye(4)
    if estimator._tags().categorical:
        y = {"y": np.arange(80.0)} if estimator._tags().required_y else {}
        return estimator.fit(labels(), **y), labels()
    X = np.delete(numbers(), 1, axis=1)
    return estimator.fit(X), X


@pytest.mark.filterwarnings("ignore:n_quantiles:UserWarning", "ignore:Bins whose:UserWarning")
@pytest.mark.parametrize("estimator", INSTANCES)
def test_save_and_load(estimator):
    model, rows = fitted(gramian.clone(estimator))
    file = io.BytesIO()
    gramian.save(model, file)
    loaded = gramian.load(file)
    assert repr(loaded) == repr(model)
    found, expected = loaded.transform(rows), model.transform(rows)
    np.testing.assert_array_equal(dense(found), dense(expected))
    assert gramian.fingerprint(loaded) == gramian.fingerprint(model)


def test_inside_sklearn():
    frame = pd.DataFrame({"city": ["Oslo", "Rome", "Oslo"], "area": [1.0, np.nan, 3.0]})
    columns = sklearn.compose.ColumnTransformer(
        [
            ("text", ours.OneHotEncoder(sparse_output=False), ["city"]),
            ("number", ours.StandardScaler(), ["area"]),
        ]
    ).set_output(transform="pandas")
    result = columns.fit_transform(frame)
    assert result.columns.tolist() == ["text__city_Oslo", "text__city_Rome", "number__area"]
    pipe = sklearn.pipeline.make_pipeline(ours.PolynomialFeatures(2), ours.MinMaxScaler())
    assert pipe.fit_transform(frame[["area"]].fillna(0.0)).shape == (3, 3)
    assert pipe.get_feature_names_out().tolist() == ["1", "area", "area^2"]
