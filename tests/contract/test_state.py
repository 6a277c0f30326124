"""What an estimator is made of survives copying, pickling, saving and refitting."""

import copy
import pickle

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from tests.contract.cases import (
    ARGUMENTS,
    METHODS,
    as_array,
    assert_identical,
    classes,
    each_estimator,
    fit,
    fresh,
    is_registered,
    make_data,
    outputs,
    parameters,
    reads_features,
)
from tests.contract.toys import ToyClassifier

import gramian
from gramian.certificate import Certificate
from gramian.exceptions import InvalidParameterError, NotFittedError


def _by_joblib(model, tmp_path):
    joblib.dump(model, tmp_path / "model.joblib")
    return joblib.load(tmp_path / "model.joblib")


def _by_file(model, tmp_path):
    gramian.save(model, tmp_path / "model.gramian")
    return gramian.load(tmp_path / "model.gramian")


COPIES = {
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "old_pickle": lambda model, _: pickle.loads(pickle.dumps(model, protocol=2)),
    "joblib": _by_joblib,
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "copy": lambda model, _: copy.copy(model),
    "file": _by_file,
}


@each_estimator("copies")
def test_copies_of_fitted_models(estimator, tmp_path):
    X, y = make_data(estimator)
    model = fit(fresh(estimator), X, y)
    expected, fingerprint = outputs(model, X), gramian.fingerprint(model)
    for name, duplicate in COPIES.items():
        twin = duplicate(model, tmp_path)
        assert type(twin) is type(model), name
        assert twin is not model, name
        assert vars(twin).keys() == vars(model).keys(), name
        assert_identical(outputs(twin, X), expected)
        assert gramian.fingerprint(twin) == fingerprint, name
        assert gramian.fingerprint(fit(twin, X, y)) == fingerprint, name


@each_estimator("copies_unfitted")
def test_copies_of_unfitted_models(estimator, tmp_path):
    for name, duplicate in COPIES.items():
        twin = duplicate(estimator, tmp_path)
        assert vars(twin).keys() == vars(estimator).keys(), name
        assert parameters(twin) == parameters(estimator), name
        assert repr(twin) == repr(estimator), name


@each_estimator("clone")
def test_clone(estimator):
    X, y = make_data(estimator)
    model = fit(fresh(estimator), X, y)
    for clone in (gramian.clone, sklearn.clone):
        twin = clone(model)
        assert vars(twin).keys() == model.get_params(deep=False).keys()
        assert parameters(twin) == parameters(model)
        assert gramian.fingerprint(fit(twin, X, y)) == gramian.fingerprint(model)


@each_estimator("not_fitted", where=lambda e: e._tags().requires_fit)
def test_unfitted_models_say_so(estimator):
    X, _ = make_data(estimator)
    names = [name for name in (*METHODS, "kneighbors") if hasattr(estimator, name)]
    assert names or hasattr(estimator, "fit_predict") or hasattr(estimator, "get_indices")
    for name in names:
        for kind in (NotFittedError, SklearnNotFittedError, ValueError, AttributeError):
            with pytest.raises(kind, match=f"{type(estimator).__name__} instance is not fitted"):
                getattr(fresh(estimator), name)(X)


@each_estimator("params")
def test_params_round_trip(estimator):
    params = estimator.get_params(deep=False)
    twin = type(estimator)(**params)
    assert twin.get_params() == estimator.get_params()
    arguments = ARGUMENTS.get(type(estimator).__name__, {})
    other = type(estimator)(**arguments).set_params(**params)
    assert other.get_params() == estimator.get_params()
    with pytest.raises(ValueError, match="Invalid parameter 'no_such_name'"):
        twin.set_params(no_such_name=1)


@each_estimator("masked_arrays")
def test_in_masked_arrays(estimator):
    """Searches list candidates in them; NumPy looks for `_data` in what it stores there."""
    column = np.ma.MaskedArray(np.empty(2, dtype=object), mask=True)
    column[0] = estimator
    assert column[0] is estimator
    assert column.mask.tolist() == [False, True]


@each_estimator("bad_params")
def test_bad_parameters_are_named(estimator):
    """Setting one is silent; fitting with it names the class, the parameter and the value."""
    X, y = make_data(estimator)
    checked = 0
    for name, declared in type(estimator)._declared_params.items():
        bad = type("Odd", (), {"__repr__": lambda self: "<odd>"})()
        if declared.constraint.accepts(bad) or name not in estimator.get_params(deep=False):
            continue
        model = fresh(estimator).set_params(**{name: bad})
        message = rf"The '{name}' parameter of {type(model).__name__} must be .*Got <odd>"
        with pytest.raises(InvalidParameterError, match=message):
            fit(model, X, y)
        checked += 1
    assert checked or not estimator.get_params(deep=False)


@each_estimator("repr")
def test_repr_evaluates(estimator):
    known = {"inf": np.inf, "nan": np.nan, "np": np, "ToyClassifier": ToyClassifier, **classes()}
    names = {type(estimator).__name__: type(estimator), **known}
    assert parameters(eval(repr(estimator), names)) == parameters(estimator)
    if "<" in "".join(parameters(estimator).values()):
        return  # a function or a class, which Python does not print as code
    with gramian.config(print_changed_only=False):
        whole = estimator.__repr__(N_CHAR_MAX=10_000)
    assert parameters(eval(whole, names)) == parameters(estimator)


@each_estimator("html")
def test_html(estimator):
    page = estimator._repr_html_()
    assert type(estimator).__name__ in page
    assert all(name in page for name in estimator.get_params(deep=False))
    assert page.count("<table>") == page.count("</table>")
    assert "(fitted)" in fit(fresh(estimator), *make_data(estimator))._repr_html_()


@each_estimator("docstring", where=is_registered)
def test_docstring_lists_everything(estimator):
    """Every parameter and every fitted attribute is documented."""
    X, y = make_data(estimator)
    text = type(estimator).__doc__
    params = estimator.get_params(deep=False)
    fitted = vars(fit(fresh(estimator), X, y)).keys() - params.keys()
    public = [name for name in fitted if not name.startswith("_")]
    missing = [name for name in [*params, *public] if f"{name}" not in text]
    assert not missing


@each_estimator("certificate", where=lambda e: not e._tags().no_validation)
def test_certificate_survives(estimator, tmp_path):
    X, y = make_data(estimator)
    model = fit(fresh(estimator), X, y)
    if not hasattr(model, "certificate_"):
        pytest.skip("has no optimum to certify")
    certificate = model.certificate_
    assert isinstance(certificate, Certificate)
    assert certificate.converged, certificate.statement
    assert np.isfinite(certificate.objective)
    for duplicate in COPIES.values():
        assert duplicate(model, tmp_path).certificate_ == certificate


def _refuses_gaps(estimator):
    tags = estimator._tags()
    return reads_features(estimator) and tags.requires_fit and not tags.allow_nan


@each_estimator("failed_fit", where=_refuses_gaps)
def test_failed_fit_leaves_no_half_fitted_model(estimator):
    X, y = make_data(estimator)
    model = fresh(estimator)
    with pytest.raises((ValueError, TypeError)):
        fit(model, np.full_like(X, np.nan), y)
    names = [name for name in METHODS if hasattr(model, name)]
    for name in names:
        with pytest.raises(NotFittedError):
            getattr(model, name)(X)


def _returns_columns(estimator):
    """Tell whether ``transform`` gives columns with names, and not a sparse matrix."""
    is_graph = type(estimator).__name__.endswith("NeighborsTransformer")
    is_sparse = (
        is_graph
        or getattr(estimator, "sparse_output", False)
        or getattr(estimator, "encode", "") == "onehot"
    )
    return (
        hasattr(estimator, "get_feature_names_out")
        and hasattr(estimator, "transform")
        and not is_sparse
    )


@each_estimator("set_output", where=_returns_columns)
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output(estimator, container):
    X, y = make_data(estimator)
    model = fit(fresh(estimator), X, y)
    plain = as_array(model.transform(X)).reshape(len(X), -1)
    frame = model.set_output(transform=container).transform(X)
    assert type(frame).__module__.split(".")[0] == container
    assert list(frame.columns) == model.get_feature_names_out().tolist()
    np.testing.assert_array_equal(frame.to_numpy(), plain)
    for twin in (
        pickle.loads(pickle.dumps(model)),
        fit(gramian.clone(model), X, y),
        fit(sklearn.clone(model), X, y),
    ):
        assert type(twin.transform(X)) is type(frame)
    assert isinstance(model.set_output(transform="default").transform(X), np.ndarray)
    with gramian.config(transform_output=container):
        assert isinstance(model.transform(X), np.ndarray)  # its own choice goes first
        assert type(fit(gramian.clone(estimator), X, y).transform(X)) is type(frame)
    with pytest.raises(ValueError, match="transform must be one of"):
        model.set_output(transform="excel")
