"""The list of all estimators."""

import pytest

import gramian
from gramian.base import BaseEstimator, is_classifier, is_regressor
from gramian.registry import FAMILIES, all_estimators, find_estimator, models, parts


def test_sorted_pairs_of_names_and_classes():
    found = all_estimators()
    assert [name for name, _ in found] == sorted(name for name, _ in found)
    for name, cls in found:
        assert cls.__name__ == name
        assert issubclass(cls, BaseEstimator)
        assert not name.startswith("_")


def test_classes_can_be_imported_from_their_families():
    for family in FAMILIES:
        module = getattr(gramian, family)
        for name in module.__all__:
            assert hasattr(module, name)
    for name, cls in all_estimators():
        family = cls.__module__.split(".")[1]
        assert getattr(getattr(gramian, family), name) is cls


def test_filters():
    everything = all_estimators()
    regressors, classifiers = all_estimators("regressor"), all_estimators("classifier")
    assert all(is_regressor(cls()) for _, cls in regressors)
    assert all(is_classifier(cls()) for _, cls in classifiers)
    assert {"Ridge", "LinearRegression", "DummyRegressor"} <= dict(regressors).keys()
    both = all_estimators(["regressor", "classifier"])
    assert both == sorted(regressors + classifiers)
    assert set(all_estimators("cluster")) <= set(everything)
    assert all_estimators([]) == []


def test_result_is_the_callers():
    all_estimators().clear()
    assert all_estimators()


@pytest.mark.parametrize("kind", ["Regressor", "clusterer", ["regressor", "tree"]])
def test_unknown_kind(kind):
    with pytest.raises(ValueError, match="type_filter must be one of classifier, regressor, "):
        all_estimators(kind)


def test_find():
    assert find_estimator("Ridge") is gramian.linear_model.Ridge
    assert find_estimator("NoSuchModel") is None
    assert find_estimator("BaseEstimator") is None


OWN_DEFAULTS = {("QuantileRegressor", "solver"): "'auto'"}
"""Defaults that differ: our own interior-point method is exact, and hundreds of times as fast."""


def test_same_signature_as_sklearn():
    """Names, order, kinds and defaults of the parameters are scikit-learn's."""
    import inspect

    from sklearn.utils import all_estimators as sklearn_estimators

    theirs = dict(sklearn_estimators())
    for name, cls in all_estimators():
        if name not in theirs:
            continue
        expected = inspect.signature(theirs[name]).parameters
        found = inspect.signature(cls).parameters
        for parameter, p in expected.items():
            default = OWN_DEFAULTS.get((name, parameter), repr(p.default))
            assert repr(found[parameter].default) == default, (name, parameter)
            assert found[parameter].kind == p.kind, (name, parameter)


def test_a_model_of_items_and_not_of_rows_is_found_by_its_name_only():
    assert "BayesianConceptLearner" not in models() | parts()
    assert find_estimator("BayesianConceptLearner") is not None
