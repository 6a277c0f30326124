"""Errors and warnings are caught by the names of both libraries."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import sklearn.exceptions

from gramian import exceptions
from gramian.exceptions import ConvergenceWarning, ModelFileError, NotFittedError, shared

COMMON = [
    name for name in exceptions.__all__ if name != "shared" and hasattr(sklearn.exceptions, name)
]


def test_common_names():
    assert {
        "ConvergenceWarning",
        "DataConversionWarning",
        "NotFittedError",
        "UndefinedMetricWarning",
    } <= set(COMMON)


@pytest.mark.parametrize("name", COMMON)
def test_shared_classes(name):
    ours, theirs = getattr(exceptions, name), getattr(sklearn.exceptions, name)
    joined = shared(ours)
    assert issubclass(joined, ours)
    assert issubclass(joined, theirs)
    assert shared(ours) is joined
    assert joined.__name__ == name
    assert joined.__module__ == "gramian.exceptions"
    assert joined.__doc__ == ours.__doc__


@pytest.mark.parametrize(
    "kind", [NotFittedError, sklearn.exceptions.NotFittedError, ValueError, AttributeError]
)
def test_errors_are_caught_by_each_name(kind):
    with pytest.raises(kind, match="not yet"):
        raise shared(NotFittedError)("not yet")


@pytest.mark.parametrize("kind", [ConvergenceWarning, sklearn.exceptions.ConvergenceWarning])
def test_warnings_are_filtered_by_each_name(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kind)
        warnings.warn("slow", shared(ConvergenceWarning), stacklevel=1)
    with pytest.warns(kind, match="slow"):
        warnings.warn("slow", shared(ConvergenceWarning), stacklevel=1)


@pytest.mark.parametrize("name", COMMON)
@pytest.mark.parametrize("args", [(), ("a message",), ("one", 2, None)], ids=len)
def test_pickles(name, args):
    error = shared(getattr(exceptions, name))(*args)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(error, protocol))
        assert type(twin) is type(error)
        assert twin.args == args
        assert str(twin) == str(getattr(exceptions, name)(*args))


def test_pickle_from_a_process_with_sklearn_to_one_without(tmp_path):
    path = tmp_path / "error.pickle"
    path.write_bytes(pickle.dumps(shared(NotFittedError)("from afar")))
    code = (
        "import pickle, sys\n"
        "from gramian.exceptions import NotFittedError\n"
        f"error = pickle.loads(open({str(path)!r}, 'rb').read())\n"
        "assert type(error) is NotFittedError and error.args == ('from afar',)\n"
        "assert 'sklearn' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_classes_of_ours_alone():
    assert shared(ModelFileError) is ModelFileError
    with pytest.raises(ModelFileError):
        raise shared(ModelFileError)("damaged")


def test_without_sklearn_it_is_the_class_itself():
    code = (
        "from gramian.exceptions import NotFittedError, shared\n"
        "assert shared(NotFittedError) is NotFittedError\n"
        "import sklearn.exceptions\n"
        "assert issubclass(shared(NotFittedError), sklearn.exceptions.NotFittedError)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_all_is_complete():
    classes = {
        name
        for name, value in vars(exceptions).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert classes == set(exceptions.__all__) - {"shared"}
    assert all(getattr(exceptions, name).__doc__ for name in classes)


def test_raised_by_the_library():
    from gramian.linear_model import Ridge

    with pytest.raises(sklearn.exceptions.NotFittedError):
        Ridge().predict(np.zeros((1, 1)))
