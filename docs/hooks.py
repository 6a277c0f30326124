"""What MkDocs does besides rendering pages: formulas become MathML, scripts become pictures.

All of it happens while the site is built, so that the pages need neither the network nor JavaScript
for it, and the repository holds no pictures. Tables of other libraries' parameters are written from
those that the package itself reads. Tables in docstrings, which are reStructuredText there,
become Markdown. Pages about models stand in the order that their heads give.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from latex2mathml import converter
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent

sys.path.insert(0, str(ROOT / "tools"))
import model_index  # noqa: E402 beside this package, in tools/

# What the extension pymdownx.arithmatex leaves of $...$ and $$...$$.
FORMULA = re.compile(
    r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>([.,;:)]*)', re.DOTALL
)

# A logarithm after a factor, or before a letter: MathML leaves no space there, as TeX does.
AFTER_FACTOR = re.compile(r"(?<=[\w})]) *(?=\\log(?![a-z]))")
BEFORE_LETTER = re.compile(r"(\\log(?:_\w)?) +(?=[A-Za-z])")

# A ruler of a simple table in reStructuredText: ===== ========
RULER = re.compile(r"=+( +=+)+")


# Where a page wants the parameters of another library, and what becomes of them.
PARAMETERS = re.compile(r"<!-- parameters of (\w+) -->")


def on_config(config: Any) -> None:
    """Let docstrings have tables in reStructuredText, and list the pages about models."""
    config.markdown_extensions.append(SimpleTables())
    guide = next(part["User guide"] for part in config.nav if "User guide" in part)
    models = next(part for part in guide if "Models" in part)
    pages = model_index.model_pages(ROOT / "docs" / "guide")
    models["Models"] = [f"guide/{page.name}" for page in pages]


class SimpleTables(Extension):
    """Markdown with simple tables of reStructuredText."""

    def extendMarkdown(self, md: Any) -> None:  # noqa: N802 the name that Markdown calls
        # Before code blocks are taken out, after line ends are made one kind.
        md.preprocessors.register(_TablePreprocessor(md), "simple_tables", 28)


class _TablePreprocessor(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        rulers = [i for i, line in enumerate(lines) if RULER.fullmatch(line.strip())]
        for top, _, bottom in reversed(list(zip(*[iter(rulers)] * 3, strict=False))):
            lines[top : bottom + 1] = ["", *_markdown_table(lines[top : bottom + 1]), ""]
        return lines


def _markdown_table(lines: list[str]) -> list[str]:
    """Return a simple table, from its top ruler to its bottom ruler, as a Markdown table."""
    starts = [match.start() for match in re.finditer(r"=+", lines[0])]
    spans = list(zip(starts, [*starts[1:], None], strict=True))
    rows: list[list[str]] = []
    for line in (line for line in lines if not RULER.fullmatch(line.strip())):
        cells = [line[start:stop].strip() for start, stop in spans]
        if rows and len(rows) > 1 and not all(cells):  # the row before goes on
            rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    rows.insert(1, ["---"] * len(spans))
    return [f"| {' | '.join(cells)} |" for cells in rows]


def on_files(files: Any, config: Any) -> Any:
    """Add the picture of every script in ``examples/`` as ``images/<script>.svg``."""
    for script in sorted((ROOT / "examples").glob("*.py")):
        files.append(File.generated(config, f"images/{script.stem}.svg", content=picture(script)))
    return files


@cache
def picture(script: Path) -> bytes:
    """Run a script in an empty directory and return the picture it saves there."""
    environment = {**os.environ, "MPLBACKEND": "agg"}
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(
            [sys.executable, script], cwd=directory, env=environment, capture_output=True, text=True
        )
        saved = Path(directory, f"{script.stem}.svg")
        if done.returncode != 0 or not saved.exists():
            raise PluginError(f"{script.name} made no picture {saved.name}:\n{done.stderr}")
        return saved.read_bytes()


def on_page_markdown(markdown: str, **kwargs: Any) -> str:
    """Write the gallery, or the table of a library's parameters, where a page asks for it."""
    if "<!-- gallery -->" in markdown:
        markdown = markdown.replace("<!-- gallery -->", gallery())
    return PARAMETERS.sub(
        lambda match: import_module(f"gramian.compat.{match[1]}").PARAMETERS.markdown(),
        markdown,
    )


def gallery() -> str:
    """Return a card for each script in ``examples/``: its picture, its line, a link to its page."""
    docs = ROOT / "docs"
    pages = {page: page.read_text(encoding="utf-8") for page in sorted(docs.glob("*/*.md"))}
    cards = []
    for script in sorted((ROOT / "examples").glob("*.py")):
        place = f"images/{script.stem}.svg"
        line = html.escape(script.read_text(encoding="utf-8").split('"""')[1].splitlines()[0])
        shown = [page.relative_to(docs) for page, text in pages.items() if f"../{place})" in text]
        if not shown:
            raise PluginError(f"no page shows the picture of {script.name}")
        cards.append(
            f'<a href="{shown[0].with_suffix(".html").as_posix()}">'
            f'<img src="{place}" alt="{line}" loading="lazy"><span>{line}</span></a>'
        )
    return f'<div class="gallery">{"".join(cards)}</div>'


def on_page_content(content: str, page: Any, **kwargs: Any) -> str:
    """Replace the formulas of a page by MathML."""

    def replace(match: re.Match[str]) -> str:
        latex = html.unescape(match[2]).strip()
        spaced = BEFORE_LETTER.sub(r"\1 \\, ", AFTER_FACTOR.sub(r" \\, ", latex))
        markup = converter.convert(spaced, display="block" if match[1] == "div" else "inline")
        if "\\" in markup:  # an unknown command passes through as text
            raise PluginError(f"{page.file.src_uri}: cannot turn {latex!r} into MathML")
        if match[1] == "div":
            return f'<div class="formula">{markup}</div>{match[3]}'
        return f'<span class="formula">{markup}{match[3]}</span>'  # no comma begins a line

    return FORMULA.sub(replace, content)
