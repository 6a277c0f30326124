"""Parameters are declared once; signature, order, defaults and messages come from there."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramian._constructor import default_values
from gramian.base import BaseEstimator
from gramian.exceptions import InvalidParameterError
from gramian.linear_model import LinearRegression, Ridge
from gramian.params import (
    REQUIRED,
    Anything,
    Arrays,
    Boolean,
    Callables,
    Constraint,
    Estimator,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Real,
    Strings,
    param,
    param_names,
)


class Model(BaseEstimator):
    alpha: float = param(1.0, Real(0.0), positional=True)
    kind: str = param("plain", OneOf("plain", "fancy"))
    limit: int | None = param(None, Integer(1) | Nothing())


class Child(Model):
    alpha: float = param(2.0, Real(0.0, closed="right"), positional=True)
    extra: bool = param(False, Boolean())


class Grandchild(Child):
    pass


def _signature(cls):
    return [
        (name, p.kind.name, p.default)
        for name, p in list(inspect.signature(cls).parameters.items())
    ]


def test_signature():
    assert _signature(Model) == [
        ("alpha", "POSITIONAL_OR_KEYWORD", 1.0),
        ("kind", "KEYWORD_ONLY", "plain"),
        ("limit", "KEYWORD_ONLY", None),
    ]
    assert Model.__init__.__qualname__ == "Model.__init__"
    assert Model.__init__.__module__ == __name__


def test_unknown_argument_is_refused_by_the_name_that_was_meant():
    class Child(Model):
        pass

    message = (
        r"^Child.__init__\(\) got an unexpected keyword argument 'aplha'. Did you mean 'alpha'"
    )
    with pytest.raises(TypeError, match=message):
        Child(aplha=2.0)
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'zzz'$"):
        Model(zzz=2.0)


def test_subclass_inherits_and_overrides():
    names = [name for name, *_ in _signature(Child)]
    assert names == ["alpha", "kind", "limit", "extra"]
    assert Child().alpha == 2.0
    assert _signature(Grandchild) == _signature(Child)
    assert param_names(Child) == ["alpha", "extra", "kind", "limit"]
    assert default_values(Child) == {"alpha": 2.0, "kind": "plain", "limit": None, "extra": False}


def test_listed_order():
    class Listed(Model):
        _signature = "limit, alpha, *, depth"
        depth: int = param(3, Integer(0))

    class Child(Listed):
        width: int = param(1, Integer(0))

    positional, keyword = "POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY"
    expected = [("limit", positional, None), ("alpha", positional, 1.0), ("depth", keyword, 3)]
    assert _signature(Listed) == expected  # without kind, which is not listed
    assert _signature(Child) == [*expected, ("width", keyword, 1)]
    assert param_names(Child) == ["alpha", "depth", "limit", "width"]


def test_mixed_parents():
    class Other(BaseEstimator):
        depth: int = param(3, Integer(0))

    class Both(Other, Model):
        width: int = param(1, Integer(0))

    assert set(param_names(Both)) == {"alpha", "depth", "kind", "limit", "width"}
    assert Both(5.0, depth=1).get_params() == {
        "alpha": 5.0,
        "depth": 1,
        "kind": "plain",
        "limit": None,
        "width": 1,
    }


def test_only_positional_ones_by_position():
    assert Model(3.0).alpha == 3.0
    with pytest.raises(TypeError, match="positional"):
        Model(3.0, "fancy")
    with pytest.raises(TypeError, match="colour"):
        Model(colour="red")


def test_class_holds_no_value():
    """A value that an instance lost must not be replaced by something on the class."""
    model = Model()
    del model.alpha
    with pytest.raises(AttributeError):
        _ = model.alpha


def test_init_does_not_check():
    model = Model(alpha=-1.0, kind=object(), limit="many")
    assert model.alpha == -1.0
    with pytest.raises(InvalidParameterError):
        model._validate_params()


def test_own_init_wins():
    class Own(Model):
        def __init__(self, beta=1):
            self.beta = beta

    assert param_names(Own) == ["beta"]
    assert Own(beta=3).get_params() == {"beta": 3}


def test_own_init_without_declared_parameters_is_not_checked():
    class Own(BaseEstimator):
        def __init__(self, beta=1):
            self.beta = beta

    Own(beta="anything")._validate_params()


def test_own_init_with_star_arguments():
    class Stars(BaseEstimator):
        def __init__(self, *parts):
            self.parts = parts

    with pytest.raises(RuntimeError, match=r"Stars.__init__ takes \*parts"):
        Stars().get_params()


def test_keyword_dictionary_is_no_parameter():
    class Loose(BaseEstimator):
        def __init__(self, a=1, **rest):
            self.a = a

    assert Loose().get_params() == {"a": 1}


def test_no_parameters():
    assert BaseEstimator().get_params() == {}
    assert param_names(BaseEstimator) == []


@pytest.mark.parametrize(
    ("cls", "name", "value", "message"),
    [
        (
            Model,
            "alpha",
            -1.0,
            r"The 'alpha' parameter of Model must be a float in the range \[0.0, inf\). Got -1.0",
        ),
        (Model, "alpha", "x", "The 'alpha' parameter of Model must be a float .* Got 'x' instead"),
        (Model, "kind", "odd", r"must be a str among \{'plain', 'fancy'\}. Got 'odd' instead"),
        (Model, "limit", 0, r"'limit' .* must be an int in the range \[1, inf\) or None. Got 0"),
        (
            Child,
            "alpha",
            0.0,
            r"'alpha' parameter of Child must be a float in the range \(0.0, inf\)",
        ),
        (Ridge, "solver", "qr", r"of Ridge must be a str among \{'auto', .*Got 'qr'"),
        (Ridge, "alpha", None, "must be a float in the range .* or an array-like. Got None"),
        (LinearRegression, "positive", 1, r"must be a bool \(True or False\). Got 1 instead"),
    ],
)
def test_messages(cls, name, value, message):
    with pytest.raises(InvalidParameterError, match=message) as caught:
        cls(**{name: value})._validate_params()
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)


GOOD_AND_BAD = [
    (
        Real(),
        [0, 1.5, np.float32(2), np.int8(3), -1e300],
        [None, "1", True, np.True_, math.nan, 1j, [1.0]],
    ),
    (Real(0.0, 1.0), [0.0, 0.5], [1.0, -0.1, math.inf]),
    (Real(0.0, 1.0, "right"), [1.0, 0.5], [0.0, 1.1]),
    (Real(0.0, 1.0, "both"), [0.0, 1.0], [-0.1, 1.1]),
    (Real(0.0, 1.0, "neither"), [0.5], [0.0, 1.0]),
    (Integer(1), [1, np.int64(5), 2**63 - 1], [0, 2**63, 1.0, True, np.True_, "1", None]),
    (Integer(0, 3, "both"), [0, 3], [4, -1]),
    (Boolean(), [True, False, np.True_], [0, 1, None, "True"]),
    (
        OneOf("a", "b", 3),
        ["a", np.str_("a"), 3],
        ["c", np.str_("c"), 3.0, True, None, np.array(["a"])],
    ),
    (Nothing(), [None], [0, False, ""]),
    (
        Arrays(),
        [[1.0], (1, 2), np.ones(3), {1, 2}],
        ["ab", b"ab", {"a": 1}, 3.0, np.float64(1.0), np.array(1.0), None],
    ),
    (Strings(), ["", "x"], [b"x", None, 1]),
    (Callables(), [len, lambda: 0, int], ["len", None]),
    (Estimator(), [Ridge()], [Ridge, None, "Ridge"]),
    (Estimator(("fit", "predict")), [Ridge()], [BaseEstimator()]),
    (
        RandomState(),
        [None, 0, 2**32 - 1, np.random.default_rng(0), np.random.RandomState(0)],
        [-1, 2**32, 1.0, "0", True],
    ),
    (Anything(), [None, object()], []),
    (Integer(1) | Nothing() | OneOf("auto"), [1, None, "auto"], [0, "other", 1.5]),
]


@pytest.mark.parametrize(
    ("constraint", "good", "bad"),
    GOOD_AND_BAD,
    ids=lambda c: c.describe() if isinstance(c, Constraint) else "",
)
def test_constraints(constraint, good, bad):
    assert [value for value in good if not constraint.accepts(value)] == []
    assert [value for value in bad if constraint.accepts(value)] == []
    assert constraint.describe()


@given(
    st.floats(-10, 10),
    st.floats(-10, 10),
    st.sampled_from(["left", "right", "both", "neither"]),
    st.floats(-10, 10),
)
def test_ranges(low, high, closed, value):
    expected = low < value < high
    expected |= value == low and closed in ("left", "both") and (low < high or closed == "both")
    expected |= value == high and closed in ("right", "both") and (low < high or closed == "both")
    assert Real(low, high, closed).accepts(value) == (expected and low <= high)


def test_unions_are_flat():
    union = Integer(1) | (Nothing() | (OneOf("auto") | Strings()))
    assert union.describe() == "an int in the range [1, inf), None, a str among {'auto'} or a str"


def test_base_constraint_is_abstract():
    with pytest.raises(NotImplementedError):
        Constraint().accepts(1)
    with pytest.raises(NotImplementedError):
        Constraint().describe()


def test_parameters_without_default():
    class Needs(BaseEstimator):
        inner = param(REQUIRED, Anything(), positional=True)
        size = param(1, Integer(1))

    with pytest.raises(TypeError, match="inner"):
        Needs()
    assert Needs(3).get_params() == {"inner": 3, "size": 1}
    assert default_values(Needs)["inner"] is inspect.Parameter.empty
    assert repr(Needs(3)) == "Needs(inner=3)"


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (OneOf("zero"), "a str among {'zero'}"),
        (OneOf(0, 1), "one of {0, 1}"),
        (Integer(), "an int of any size"),
        (Estimator(("fit", "predict_proba")), "an object implementing 'fit' and 'predict_proba'"),
    ],
)
def test_words_of_scikit_learn(constraint, text):
    assert constraint.describe() == text
