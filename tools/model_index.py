"""Write the tables of models in the README and in the guide from the heads of the guide's pages.

A page about models begins with a head such as ::

    ---
    order: 20
    models:
      - names: Ridge
        what: "least squares with an L2 penalty"
        when: "prediction; columns that resemble each other; few rows"
    ---

where `order` is its place among the pages, and `anchor` may name the heading of one entry. A model
is named there and in the ``__all__`` of its family, and nowhere else.

Usage: ``python tools/model_index.py`` rewrites the tables; with ``--check`` it exits with 1 if one
is out of date.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from gramian.registry import find_estimator

ROOT = Path(__file__).parents[1]
HEAD = re.compile(r"\A---\n(.*?)^---$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"(<!-- models -->\n).*?(<!-- end of models -->)", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """Models that are described in one row."""

    page: str
    names: tuple[str, ...]
    what: str
    when: str
    anchor: str = ""

    @property
    def link(self) -> str:
        """Where they are described, as seen from the guide's index."""
        return f"{self.page}#{self.anchor}" if self.anchor else self.page


def head_of(page: Path) -> str | None:
    """Return the head of a page, or None."""
    found = HEAD.match(page.read_text(encoding="utf-8"))
    return found[1] if found else None


def order_of(head: str) -> int | None:
    """Return the place that a head gives its page, or None if it is no page about models."""
    found = re.search(r"^order: (\d+)$", head, re.MULTILINE)
    return int(found[1]) if found else None


def model_pages(guide: Path) -> list[Path]:
    """Return the pages about models, in their order."""
    heads = {page: head_of(page) or "" for page in guide.glob("*.md")}
    placed = {page: order_of(head) for page, head in heads.items()}
    return sorted((p for p, order in placed.items() if order is not None), key=lambda p: placed[p])


def entries_of(page: Path) -> list[Entry]:
    """Return the entries of a page's head."""
    _, _, models = (head_of(page) or "").partition("models:\n")
    entries = []
    for block in re.split(r"^  - ", models, flags=re.MULTILINE)[1:]:
        pairs = (line.strip().split(": ", 1) for line in block.strip().splitlines())
        fields = {key: value.strip('"') for key, value in pairs}
        names = tuple(fields.pop("names").split(", "))
        entries.append(Entry(page.name, names, **fields))
    return entries


def all_entries() -> list[Entry]:
    """Return the entries of all pages, in their order."""
    return [entry for page in model_pages(ROOT / "docs" / "guide") for entry in entries_of(page)]


def _path_of(name: str) -> str:
    """Return a model's name with its module, ``linear_model.Ridge``."""
    cls = find_estimator(name)
    if cls is None:
        raise ValueError(f"a page of the guide is about {name}, but no family exports it")
    return f"{cls.__module__.split('.')[1]}.{name}"


def guide_table(entries: list[Entry]) -> str:
    """Return the table of the guide's index."""
    rows = ["| model | what it is | when |", "|---|---|---|"]
    for entry in entries:
        names = ", ".join(f"`{name}`" for name in entry.names)
        rows.append(f"| [{names}]({entry.link}) | {entry.what} | {entry.when} |")
    return "\n".join(rows)


def readme_table(entries: list[Entry]) -> str:
    """Return the table of the README."""
    rows = ["| model | what it is |", "|---|---|"]
    for entry in entries:
        first, *others = entry.names
        names = ", ".join(f"`{name}`" for name in (_path_of(first), *others))
        rows.append(f"| [{names}](docs/guide/{entry.link}) | {entry.what} |")
    return "\n".join(rows)


def written(page: Path, table: str) -> str:
    """Return a page with its table of models written anew."""
    text, n_tables = TABLE.subn(rf"\1{table}\n\2", page.read_text(encoding="utf-8"))
    if n_tables != 1:
        raise ValueError(f"{page.name} must have one place for models, and has {n_tables}")
    return text


def main() -> int:
    """Write or check the tables."""
    entries = all_entries()
    stale = []
    tables = {"README.md": readme_table(entries), "docs/guide/index.md": guide_table(entries)}
    for name, table in tables.items():
        page = ROOT / name
        text = written(page, table)
        if text != page.read_text(encoding="utf-8"):
            stale.append(name)
            if "--check" not in sys.argv:
                page.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"out of date: {', '.join(stale)}; run `make index`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
