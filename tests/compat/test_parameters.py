"""The tables of other libraries' parameters."""

import numpy as np
import pytest

from gramian.base import clone
from gramian.compat._library_params import LibraryParams
from gramian.compat._parameters import Parameters, engine, idle, own, refused
from gramian.exceptions import InvalidParameterError
from gramian.params import Anything, Boolean, Integer, OneOf, Real, Strings, param


def table(**options):
    return Parameters(
        "Woods",
        engine("eta learning_rate rate", 0.3, Real(0.0), target="learning_rate"),
        engine("gamma", 0.0, Real(0.0), convert=lambda value: 2.0 * value, note="doubled"),
        engine(
            "kind",
            "wide",
            OneOf("wide", "deep"),
            target=("growth", "max_leaves"),
            convert=lambda kind: ("level", 0) if kind == "wide" else ("leaf", 31),
        ),
        engine("subsample", None, Real(0.0, 1.0)),
        engine(
            "rounds",
            100,
            Integer(1),
            target="n_estimators",
            calls=("Woods",),
            instead="pass num_round",
        ),
        own("objective", "squares", Strings(), "what is minimised"),
        own("early", False, Boolean(), "whether to stop early"),
        idle(
            "device",
            "cpu",
            "all runs here",
            OneOf("cpu", "tpu"),
            refuses={"tpu": "there is none"},
        ),
        refused("linear linear_tree", False, "leaves are constants"),
        **options,
    )


def test_defaults_are_those_of_the_library():
    found = table().translate({}, "train")
    assert found.engine == {
        "learning_rate": 0.3,
        "gamma": 0.0,
        "growth": "level",
        "max_leaves": 0,
        "n_estimators": 100,
    }
    assert found.own == {"objective": "squares", "early": False}
    assert found.given == {}


def test_values_are_translated():
    params = {"rate": 0.1, "gamma": 1, "kind": "deep", "subsample": 0.5, "objective": "ranks"}
    found = table().translate(params, "train")
    assert found.engine["learning_rate"] == 0.1
    assert found.engine["gamma"] == 2.0
    assert (found.engine["growth"], found.engine["max_leaves"]) == ("leaf", 31)
    assert found.engine["subsample"] == 0.5
    assert found.own["objective"] == "ranks"
    assert set(found.given) == {"eta", "gamma", "kind", "subsample", "objective"}


def test_none_is_the_default():
    assert table().translate({"eta": None, "rate": 0.2}, "f").engine["learning_rate"] == 0.2
    assert table().translate({"eta": None}, "f").given == {}


def test_unknown_name_is_refused_with_a_hint():
    with pytest.raises(InvalidParameterError, match=r"no parameter 'gama'.*train.*mean 'gamma'\?"):
        table().given({"gama": 1.0}, "train")
    with pytest.raises(InvalidParameterError, match=r"'zzz', which train was given\.$"):
        table().given({"zzz": 1.0}, "train")


def test_name_that_the_call_ignores():
    message = "Woods ignores 'rounds' in train, and so does gramian; pass num_round"
    with pytest.warns(UserWarning, match=message) as caught:
        assert table().translate({"rounds": 7}, "train").given == {}
    assert caught[0].filename == __file__
    assert table().translate({"rounds": 7}, "Woods").engine["n_estimators"] == 7


def test_value_out_of_range():
    with pytest.raises(InvalidParameterError, match="The 'rate' parameter of f must be a float"):
        table().given({"rate": -1.0}, "f")
    with pytest.raises(InvalidParameterError, match="'device' parameter of f must be a str among"):
        table().given({"device": "cuda"}, "f")


def test_refused_unless_default():
    assert table().given({"linear": False}, "f") == {"linear": False}
    with pytest.raises(InvalidParameterError, match="linear_tree=True is not supported by gramian"):
        table().given({"linear_tree": True}, "f")
    with pytest.raises(InvalidParameterError, match=r"device='tpu' is not supported.*is none"):
        table().given({"device": "tpu"}, "f")


@pytest.mark.parametrize(
    ("name", "value", "meaning"),
    [
        ("rounds", "7", 7),
        ("eta", "1e-1", 0.1),
        ("early", "true", True),
        ("early", 1, True),
        ("rounds", True, 1),
        ("rounds", np.int64(3), 3),
    ],
)
def test_texts_and_truths(name, value, meaning):
    found = table().given({name: value}, "Woods")[name]
    assert found == meaning
    assert isinstance(found, bool) is isinstance(meaning, bool)


def test_two_names_of_one_parameter():
    both = {"learning_rate": 0.1, "eta": 0.2}
    assert table().given({"rate": 0.2, "eta": 0.2}, "f") == {"eta": 0.2}
    with pytest.raises(InvalidParameterError, match=r"eta=0.2 and learning_rate=0.1 are one"):
        table().given(both, "f")
    with pytest.warns(UserWarning, match="eta counts") as caught:
        assert table(first_counts=True).given(both, "f") == {"eta": 0.2}
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="learning_rate counts"):
        table(first_counts=True).given({"rate": 0.4, "learning_rate": 0.1}, "f")


def test_markdown():
    lines = table().markdown().splitlines()
    assert len(lines) == 2 + len(table().entries)
    assert lines[2] == "| `eta`, `learning_rate`, `rate` | `0.3` | `learning_rate` |"
    assert lines[3] == "| `gamma` | `0.0` | `gamma`; doubled |"
    assert "`growth` and `max_leaves`" in lines[4]
    assert lines[6].endswith("(only in `Woods`) |")
    assert lines[-2].endswith(
        "| accepted without effect: all runs here; not `'tpu'`: there is none |"
    )
    assert lines[-1].startswith("| `linear`, `linear_tree` |")


def test_markdown_joins_reasons_and_leaves_no_emphasis():
    refused = dict.fromkeys(("rf", "forest"), "use Forest*")
    entry = own("kind", "tree", OneOf("tree", "rf", "forest"), "of `rank:*`", refuses=refused)
    shown = Parameters("Wood", entry).markdown().splitlines()[-1]
    assert shown == "| `kind` | `'tree'` | of `rank:*`; not `'rf'` or `'forest'`: use Forest\\* |"


class Woods(LibraryParams):
    _library = table()

    gamma: float | None = param(None, Anything())


class Beeches(Woods):
    height: float = param(30.0, Anything())


@pytest.mark.parametrize("cls", [Woods, Beeches])
def test_estimator_takes_other_names(cls):
    model = cls(gamma=1.0, rate=0.1)
    assert vars(cls()).keys() == {"gamma"} | ({"height"} if cls is Beeches else set())
    assert model.get_params()["rate"] == 0.1
    assert repr(model) == f"{cls.__name__}(gamma=1.0, rate=0.1)"
    again = clone(model).set_params(rate=0.2, kind="deep", gamma=None)
    assert again.get_params() == {**cls().get_params(), "rate": 0.2, "kind": "deep"}
    assert model.get_params()["rate"] == 0.1


def test_estimator_refuses_unknown_names():
    with pytest.raises(TypeError, match=r"no parameter 'ratte', which Woods was given.*'rate'"):
        Woods(ratte=1)
    with pytest.raises(ValueError, match="no parameter 'ratte'"):
        Woods().set_params(ratte=1)
