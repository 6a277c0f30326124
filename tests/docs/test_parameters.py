"""Every parameter of every model has a type, its real default and a sentence in the reference."""

import ast
import inspect
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.registry import all_estimators

ROOT = Path(__file__).parents[2]
parameter_docs = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "parameter_docs.py")))

ENTRY = re.compile(r"^(\w+) : (.+?)(?:, default=(.*))?$", re.MULTILINE)


def entries_of(cls):
    """Return kind, default and text by name, as a reader of the completed docstring finds them."""
    text = parameter_docs.completed(cls)
    section = text.split("Parameters\n----------\n", 1)[1]
    section = re.split(r"\n\w[\w ]*\n-+\n", section)[0]
    parts = re.split(r"(?m)^(?=\w)", section)[1:]
    found = {}
    for part in parts:
        head, _, body = part.partition("\n")
        name, kind, default = ENTRY.fullmatch(head).groups()
        found[name] = (kind, default, " ".join(body.split()))
    return found


def value_of(text):
    """Return what a default is; names and numbers that are no literals stay text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


@pytest.mark.parametrize("cls", [cls for _, cls in all_estimators()], ids=lambda c: c.__name__)
def test_parameters_of_a_model(cls):
    found = entries_of(cls) if inspect.signature(cls).parameters else {}
    assert set(found) == set(inspect.signature(cls).parameters)
    for name, parameter in inspect.signature(cls).parameters.items():
        kind, default, text = found[name]
        assert re.search(r"\w", kind), f"{name} has no type"
        is_sentence = re.match(r"[A-Z0-9\"`'].* .*\S$", text) and not text.endswith("...")
        assert is_sentence, f"{name} has no sentence: {text!r}"
        if parameter.default is inspect.Parameter.empty:
            assert default is None, name
        elif callable(parameter.default):
            assert default.endswith(parameter.default.__name__)
        else:
            value = value_of(default)
            assert value == parameter.default or default == repr(parameter.default), name


def test_lists_of_names_take_the_entry_that_is_meant():
    text = entries_of(BoostingClassifier)
    for name in ("n_estimators", "max_depth", "gamma"):
        assert text[name][2] == entries_of(BoostingRegressor)[name][2]
    assert "second of two classes" in text["monotonic_cst"][2]
    assert "second of two classes" not in text["max_bins"][2]


def test_a_class_that_is_silent_on_a_parameter_is_found():
    class Silent:
        """Nothing.

        Parameters
        ----------
        alpha : float, default=1.0
            A number.
        """

        def __init__(self, alpha=2.0, beta=3.0):
            pass

    with pytest.raises(AssertionError, match="Silent says nothing of \\['beta'\\]"):
        parameter_docs.completed(Silent)
