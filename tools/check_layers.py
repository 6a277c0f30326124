"""Check that imports and includes go down only, from people to the native core.

Usage: ``python tools/check_layers.py [root]``. Prints each offence and then exits with 1; with
``--picture`` instead of a root it prints the layers.
"""

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

LAYERS: dict[str, tuple[str, str]] = {
    "people": ("cli report", "speak to people"),
    "models": ("inspection plot", "speak about models"),
    "families": ("", "the models, in modules as in scikit-learn: all that is in no other layer"),
    "engines": (
        "_boosting _distance _kernel _linear _network _spectral _trees",
        "what several families rest on",
    ),
    "base": ("base", "the base class, and a mixin for each kind of estimator, with its score"),
    "measures": ("diagnostics metrics", "what models are judged by"),
    "contract": (
        "blocks certificate config encoding exceptions params persistence "
        "registry table validation",
        "what every estimator does, the path of data; the other private modules",
    ),
    "_core": ("_core", "bindings: arrays in, arrays out, no logic"),
}
"""Layer -> its modules at the top of the package, and what it is for, from the top down."""

DYNAMIC = {  # modules that may import what they name at run time, and why
    "__init__": "sub-modules are loaded at their first use",
    "registry": "the families are listed by name",
    "_output": "the data frame library is chosen by the user",
    "persistence": "the modules whose classes a model file may name are listed",
}
# The first may use private modules of the second: the command line is the report's other half.
ONE_PACKAGE = {("cli", "report")}
OPTIONAL = {
    *("dask", "distributed", "jinja2", "matplotlib", "pandas", "polars", "pyarrow", "rich"),
    "typer",
}
NEEDS_OPTIONAL = {"cli", "report"}

ENGINES = {
    "base": 0,
    **dict.fromkeys(["parallel", "random", "simd"], 1),
    "graph": 2,
    "linalg": 2,
    **dict.fromkeys(["bayes", "loss", "kernel", "distance", "metrics", "preprocessing"], 3),
    **dict.fromkeys(["cluster", "linkage", "manifold", "mixture", "solve", "tree"], 4),
    **dict.fromkeys(["boost", "ensemble", "network"], 5),
}
"""Folder of ``core/`` -> level; an engine may include itself and those on lower levels."""

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
Import = tuple[int, str, bool]  # line, dotted name, whether it is inside a function


def layer_of(module: str) -> str:
    """Return the name of the layer of a module at the top of the package."""
    for layer, (modules, _) in LAYERS.items():
        if module in modules.split():
            return layer
    return "contract" if module.startswith("_") else "families"


def level_of(module: str) -> int:
    """Return how high the layer of a module is; the native core is 0."""
    return list(reversed(LAYERS)).index(layer_of(module))


def picture() -> str:
    """Return the layers, from the top down, as text; `docs/developers/architecture.md` shows it."""
    width = max(len(modules) for modules, _ in LAYERS.values() if len(modules) < 64)
    lines = []
    for layer, (modules, purpose) in LAYERS.items():
        *names, last = textwrap.wrap(modules, width) or [layer]
        lines += [*names, f"{last:{width}}  {purpose}"]
    return "\n".join([*lines, f"{'core/':{width}}  C++20: algorithms on plain memory, no Python"])


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
    if level_of(top) > level_of(source):
        return f"{source} ({layer_of(source)}) imports {top} ({layer_of(top)})"
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
    if "--picture" in sys.argv:
        sys.exit(print(picture()))
    found = list(offences(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
    print("\n".join(found) or "layers: ok")
    sys.exit(bool(found))
