"""What MkDocs does besides rendering pages: formulas become MathML, scripts become pictures.

Both happen while the site is built, so that the pages need neither the network nor JavaScript for
them, and the repository holds no pictures.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from latex2mathml import converter
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent

# What the extension pymdownx.arithmatex leaves of $...$ and $$...$$.
FORMULA = re.compile(
    r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>([.,;:)]*)', re.DOTALL
)


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


def on_page_content(content: str, page: Any, **kwargs: Any) -> str:
    """Replace the formulas of a page by MathML."""

    def replace(match: re.Match[str]) -> str:
        latex = html.unescape(match[2]).strip()
        markup = converter.convert(latex, display="block" if match[1] == "div" else "inline")
        if "\\" in markup:  # an unknown command passes through as text
            raise PluginError(f"{page.file.src_uri}: cannot turn {latex!r} into MathML")
        if match[1] == "div":
            return f'<div class="formula">{markup}</div>{match[3]}'
        return f'<span class="formula">{markup}{match[3]}</span>'  # no comma begins a line

    return FORMULA.sub(replace, content)
