"""The diagnosis as a sequence, as text, as HTML and as data."""

import json

import pytest

from gramian.inspection import Diagnosis, Finding, diagnose, register_diagnosis


@pytest.fixture(name="diagnosis")
def three_findings():
    return Diagnosis(
        "Model on 9 rows",
        [
            Finding("scale", "Like scales", "ratio", 3.0, None, "ok", "Alike."),
            Finding(
                "influence", "No steering row", "Cook", 1.5, 0.002, "warning", "A row steers.",
                "Look at it.", rows=tuple(range(9)),
            ),
            Finding(
                "rank", "Independent columns", "rank", 2.0, None, "problem", "Twins <a>.",
                "Drop one.", columns=("a", "b"),
            ),
            Finding.not_applicable("normality", "Normal errors", "There are no residuals."),
        ],
    )  # fmt: skip


def test_sequence_and_lookup(diagnosis):
    assert len(diagnosis) == 4
    assert diagnosis[0].code == "scale"
    assert diagnosis["rank"].columns == ("a", "b")
    assert [finding.code for finding in diagnosis[1:3]] == ["influence", "rank"]
    assert [finding.code for finding in diagnosis.alarms] == ["rank", "influence"]
    assert not diagnosis.ok
    assert diagnosis[:1].ok
    with pytest.raises(KeyError, match="no finding has the code 'leakage'; there are scale"):
        diagnosis["leakage"]


def test_text(diagnosis):
    text = str(diagnosis)
    assert text.splitlines()[0] == "Model on 9 rows: 1 problem, 1 warning"
    assert "✓ scale      ok              ratio = 3" in text
    assert "Cook = 1.5, p = 0.002  rows 0, 1, 2, 3, 4, 5 and 3 more" in text
    assert "normality  not applicable  There are no residuals." in text
    assert text.index("Problem, rank") < text.index("Warning, influence")
    assert "→ Drop one." in text


def test_html_is_escaped(diagnosis):
    page = diagnosis._repr_html_()
    assert "Twins &lt;a&gt;." in page
    assert page.count("<tr>") == 5


def test_data(diagnosis):
    plain = json.loads(json.dumps(diagnosis.to_dict()))
    assert plain["findings"][2]["columns"] == ["a", "b"]
    table = diagnosis.frame("polars")
    assert table["verdict"].to_list() == ["ok", "warning", "problem", "not applicable"]
    assert list(diagnosis.frame()["where"])[2] == "a, b"


def test_dispatch_follows_inheritance_and_names_what_it_knows(diagnosis):
    class Parent:
        pass

    class Child(Parent):
        pass

    @register_diagnosis(Parent)
    def diagnose_parent(model, X, y, sample_weight):
        return diagnosis

    assert diagnose(Child(), None, None) is diagnosis
    with pytest.raises(TypeError, match=r"diagnose does not know object; it knows .*Ridge"):
        diagnose(object(), None, None)
