"""What the documentation says, tried: code, outputs, links, and a page for every model."""

import contextlib
import doctest
import io
import os
import re
import runpy
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from gramian.registry import all_estimators

ROOT = Path(__file__).parents[2]
model_index = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "model_index.py")))
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!`)\[[^\]]+\]\(([^)\s]+)\)")
# What is left by rounding differs between machines; any such number stands for any other.
ROUNDING = re.compile(r"\b\d(\.\d+)?e-(1[3-9]|[2-9]\d|[1-9]\d\d)\b")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """Python code of a page, and what it should print if a block of text follows at once."""

    code: str
    line: int
    output: str | None


def blocks_of(page: Path) -> list[Block]:
    """Return the Python blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    blocks = []
    for fence, after in pairwise([*FENCE.finditer(text), None]):
        if fence is None or fence[1] != "python":
            continue
        output = None
        if after is not None and after[1] == "text":
            between = text[fence.end() : after.start()]
            output = after[2] if not between.strip() else None
        blocks.append(Block(fence[2], text.count("\n", 0, fence.start()) + 2, output))
    return blocks


def compare(block: Block, printed: str) -> str:
    """Return how what was printed differs from what the page says; empty if it does not."""
    wanted = ROUNDING.sub("rounding", block.output)
    checker = doctest.OutputChecker()
    if checker.check_output(wanted, printed, FLAGS):
        return ""
    return checker.output_difference(doctest.Example(block.code, wanted), printed, FLAGS)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, made as MkDocs makes them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", h).strip().lower()) for h in headings}


@pytest.fixture
def quiet_pictures(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.parametrize("page", [p for p in PAGES if blocks_of(p)], ids=name_of)
def test_code_of_page(page, tmp_path, monkeypatch, quiet_pictures):
    """The blocks of a page run as one session, and print what the page says they print."""
    monkeypatch.chdir(tmp_path)
    session = {"__name__": "__page__"}
    for block in blocks_of(page):
        printed = io.StringIO()
        # Blank lines keep the line numbers of tracebacks those of the page.
        code = compile("\n" * (block.line - 1) + block.code, name_of(page), "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, session)
        if block.output is not None:
            difference = compare(block, ROUNDING.sub("rounding", printed.getvalue()))
            assert not difference, f"{name_of(page)}, line {block.line}:\n{difference}"


@pytest.mark.parametrize("script", SCRIPTS, ids=name_of)
def test_example_makes_its_picture(script, tmp_path):
    environment = {**os.environ, "MPLBACKEND": "agg"}
    subprocess.run([sys.executable, script], cwd=tmp_path, env=environment, check=True, timeout=120)
    picture = tmp_path / f"{script.stem}.svg"
    assert "<svg" in picture.read_text(encoding="utf-8")
    shown = [p for p in PAGES if f"images/{picture.name}" in p.read_text(encoding="utf-8")]
    assert shown, f"no page shows the picture of {script.name}"


@pytest.mark.parametrize("name", [name for name, _ in all_estimators()])
def test_every_estimator_has_a_guide(name):
    """The head of one page of the guide names the model."""
    pages = [entry.page for entry in model_index.all_entries() if name in entry.names]
    assert len(pages) == 1


def test_tables_of_models_are_fresh():
    """The README and the guide's index show what the heads of the pages say."""
    entries = model_index.all_entries()
    readme, index = ROOT / "README.md", DOCS / "guide" / "index.md"
    for page, table in (
        (readme, model_index.readme_table(entries)),
        (index, model_index.guide_table(entries)),
    ):
        fresh = model_index.written(page, table)
        assert page.read_text(encoding="utf-8") == fresh, f"run `make index`: {page.name}"


@pytest.mark.parametrize(
    "family", sorted({cls.__module__.split(".")[1] for _, cls in all_estimators()})
)
def test_every_family_is_in_the_reference(family):
    assert f"::: gramian.{family}\n" in (DOCS / "api" / f"{family}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_formulas_use_what_becomes_mathml(page):
    """Some commands of LaTeX would be left as text, which fails when the pages are built."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    formulas = re.findall(r"\$\$(.+?)\$\$", text, re.DOTALL)
    for formula in formulas:
        assert not re.search(r"\\arg(?![a-z])|\\_", formula), f"{name_of(page)}: {formula}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_resolve(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        is_picture = target.parent == DOCS / "images"
        if is_picture:
            assert target.stem in {script.stem for script in SCRIPTS}, f"{link}: no such example"
            continue
        assert target.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in anchors_of(target), f"{link}: no such heading"


def test_command_line_page_lists_every_option():
    from typer.main import get_command

    from gramian.cli._app import app

    text = (DOCS / "guide" / "command_line.md").read_text(encoding="utf-8")
    for name, command in get_command(app).commands.items():
        assert f"gramian {name}" in text
        for option in command.params:
            long_names = [flag for flag in option.opts if flag.startswith("--")]
            assert all(f"`{flag}" in text for flag in long_names), f"{name} {long_names}"
