"""Check that imports and includes go down only: people, models, families, contract, native core.

Usage: ``python tools/check_layers.py [root]``. Prints each offence and then exits with 1.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

CONTRACT = (
    "base certificate config encoding exceptions params persistence registry table validation"
)
LEVELS = {
    "_core": 0,
    **dict.fromkeys(CONTRACT.split(), 1),  # and each private module; anything else is a family: 2
    **dict.fromkeys(["inspection", "plot"], 3),
    **dict.fromkeys(["cli", "report"], 4),
}
# Imports that may go up, inside functions only, and why.
LAZY = {("base", "metrics"): "the mixins' score; metrics need validation, which needs base"}
DYNAMIC = {  # modules that may import what they name at run time, and why
    "__init__": "sub-modules are loaded at their first use",
    "registry": "the families are listed by name",
    "_output": "the data frame library is chosen by the user",
    "persistence": "the modules whose classes a model file may name are listed",
}
# The first may use private modules of the second.
ONE_PACKAGE = {
    ("cli", "report"),
    ("compat", "boosting"),
    ("compat", "tree"),
    ("ensemble", "tree"),
    ("boosting", "tree"),
    ("ensemble", "boosting"),
    ("svm", "linear_model"),
}
OPTIONAL = {"dask", "jinja2", "matplotlib", "pandas", "polars", "pyarrow", "rich", "typer"}
NEEDS_OPTIONAL = {"cli", "report"}

ENGINES = {
    "base": 0,
    **dict.fromkeys(["parallel", "random", "simd"], 1),
    "linalg": 2,
    **dict.fromkeys(["loss", "kernel", "distance", "metrics", "preprocessing"], 3),
    **dict.fromkeys(["solve", "tree"], 4),
    **dict.fromkeys(["boost", "ensemble"], 5),
}
"""Folder of ``core/`` -> level; an engine may include itself and those on lower levels."""

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
Import = tuple[int, str, bool]  # line, dotted name, whether it is inside a function


def level_of(module: str) -> int:
    """Return the layer of a module at the top of the package."""
    return LEVELS.get(module, 1 if module.startswith("_") else 2)


def imports_of(node: ast.AST, inside: bool = False) -> Iterator[Import]:
    """Yield the imports below a node, except those for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((child.lineno, alias.name, inside) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = "." * child.level + (child.module or "")
            yield from ((child.lineno, f"{base}.{alias.name}", inside) for alias in child.names)
        elif isinstance(child, ast.Call) and ast.unparse(child.func).endswith("import_module"):
            yield child.lineno, "import_module", inside
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from (found for part in child.orelse for found in imports_of(part, inside))
        else:
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from imports_of(child, inside or is_function)


def python_offence(source: str, target: str, inside: bool) -> str | None:
    """Return what is wrong with an import, by dotted name, in the top module `source`."""
    package, _, rest = target.partition(".")
    if target.startswith("."):
        return "relative import; write the full name"
    if target == "import_module":
        return None if source in DYNAMIC else "imports by name at run time"
    if package == "sklearn" and not (source == "_sklearn" and inside):
        return "scikit-learn is imported in functions of _sklearn.py only"
    if package in OPTIONAL and not inside and source not in NEEDS_OPTIONAL:
        return f"optional dependency {package} at module level"
    if package != "gramian" or not rest:
        return None
    top, _, member = rest.partition(".")
    if level_of(top) > level_of(source) and not (inside and (source, top) in LAZY):
        return f"{source} (layer {level_of(source)}) imports {top} (layer {level_of(top)})"
    is_private = any(part.startswith("_") and not part.endswith("__") for part in member.split("."))
    if is_private and top != source and (source, top) not in ONE_PACKAGE:
        return f"{source} uses a private part of {top}: {member}"
    return None


def core_offence(engine: str, target: str) -> str | None:
    """Return what is wrong with an include in a folder of ``core/``."""
    folder = target.split("/")[0]
    if target == "Python.h" or folder in ("nanobind", "bindings"):
        return f"core/ knows no Python: {target}"
    if engine not in ENGINES:
        return f"core/{engine} is not in the order of engines"
    if folder != engine and ENGINES.get(folder, -1) >= ENGINES[engine]:
        return f"core/{engine} includes {target} from its own level or above"
    return None


def offences(root: Path) -> Iterator[str]:
    """Yield ``file:line: what is wrong`` for a checkout."""
    for path in sorted((root / "src/gramian").rglob("*.py")):
        source = path.relative_to(root / "src/gramian").parts[0].removesuffix(".py")
        for line, target, inside in imports_of(ast.parse(path.read_text())):
            if why := python_offence(source, target, inside):
                yield f"{path.relative_to(root)}:{line}: {why}"
    for path in sorted((root / "core").rglob("*.[ch]pp")):
        for number, text in enumerate(path.read_text().splitlines(), 1):
            include = INCLUDE.match(text)
            if include and (why := core_offence(path.relative_to(root).parts[1], include[1])):
                yield f"{path.relative_to(root)}:{number}: {why}"


if __name__ == "__main__":
    found = list(offences(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
    print("\n".join(found) or "layers: ok")
    sys.exit(bool(found))
