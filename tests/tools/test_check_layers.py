"""The check of the layers finds what it is for, and nothing in the repository itself."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "check_layers.py"
offences = runpy.run_path(str(SCRIPT))["offences"]


def _run(root):
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(root)], capture_output=True, text=True, timeout=60
    )


def _plant(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return list(offences(root))


def test_repository_is_clean():
    done = _run(ROOT)
    assert done.returncode == 0, done.stdout
    assert done.stdout == "layers: ok\n"


VIOLATIONS = [
    (
        "src/gramian/base.py",
        1,
        "from gramian.linear_model import Ridge\n",
        "base .* imports linear_model",
    ),
    (
        "src/gramian/_estimator.py",
        2,
        "def score():\n    from gramian.metrics import r2_score\n",
        "_estimator .contract. imports metrics .measures.",
    ),
    (
        "src/gramian/metrics/_x.py",
        1,
        "from gramian._trees.grow import grow\n",
        "metrics .measures. imports _trees .engines.",
    ),
    (
        "src/gramian/_trees/grow.py",
        1,
        "from gramian.tree import DecisionTreeClassifier\n",
        "_trees .engines. imports tree .families.",
    ),
    ("src/gramian/base.py", 2, "def f():\n    import gramian.svm\n", "base .* imports svm"),
    ("src/gramian/base.py", 1, "from gramian import report\n", "base .* imports report"),
    ("src/gramian/_repr.py", 1, "import gramian.tree\n", "_repr .* imports tree"),
    (
        "src/gramian/__init__.py",
        1,
        "from gramian.linear_model import Ridge\n",
        "imports linear_model",
    ),
    (
        "src/gramian/svm/_svc.py",
        1,
        "from gramian.inspection import worked\n",
        "svm .* imports inspection",
    ),
    (
        "src/gramian/svm/_svc.py",
        2,
        "try:\n    import gramian.cli\nexcept ImportError:\n    pass\n",
        "cli",
    ),
    ("src/gramian/plot/_x.py", 1, "from gramian.report import render\n", "plot .* imports report"),
    (
        "src/gramian/svm/_svc.py",
        1,
        "import gramian.tree._grow\n",
        "private part of tree: _grow",
    ),
    (
        "src/gramian/svm/_svc.py",
        1,
        "from gramian.tree import _grow\n",
        "private part of tree: _grow",
    ),
    (
        "src/gramian/svm/_svc.py",
        1,
        "from gramian.base import _hidden\n",
        "private part of base: _hidden",
    ),
    ("src/gramian/svm/_svc.py", 1, "from ..tree import Tree\n", "relative import"),
    ("src/gramian/svm/_svc.py", 2, "def f():\n    import sklearn.svm\n", "scikit-learn"),
    ("src/gramian/_sklearn.py", 1, "from sklearn.utils import Tags\n", "scikit-learn"),
    ("src/gramian/svm/_svc.py", 1, "import pandas as pd\n", "optional dependency pandas"),
    (
        "src/gramian/table.py",
        2,
        "class A:\n    from polars import DataFrame\n",
        "optional dependency polars",
    ),
    (
        "src/gramian/svm/_svc.py",
        2,
        "from importlib import import_module\nimport_module('x')\n",
        "by name",
    ),
    ("core/solve/a.cpp", 1, "#include <Python.h>\n", "core/ knows no Python: Python.h"),
    ("core/solve/a.hpp", 1, '#include "nanobind/nanobind.h"\n', "core/ knows no Python"),
    ("core/base/a.hpp", 1, '#include "bindings/arrays.hpp"\n', "core/ knows no Python"),
    (
        "core/linalg/a.cpp",
        3,
        '#include <vector>\n\n#include "solve/sgd/sag.hpp"\n',
        "core/linalg includes solve",
    ),
    (
        "core/solve/a.cpp",
        1,
        '#include "tree/grow/grow.hpp"\n',
        "core/solve includes tree/grow/grow.hpp",
    ),
    ("core/svd/a.cpp", 1, "#include <vector>\n", "core/svd is not in the order of engines"),
]


@pytest.mark.parametrize(("name", "line", "text", "message"), VIOLATIONS)
def test_violations(tmp_path, name, line, text, message):
    (found,) = _plant(tmp_path, name, text)
    assert found.startswith(f"{name}:{line}: ")
    assert re.search(message, found)


ALLOWED = [
    ("src/gramian/base.py", "def score():\n    from gramian.metrics import r2_score\n"),
    ("src/gramian/svm/_svc.py", "from gramian._trees.grow import grow\n"),
    ("src/gramian/base.py", "from gramian import _output, _repr, __version__\n"),
    ("src/gramian/svm/_svc.py", "from gramian.tree import Tree\nfrom gramian import _core\n"),
    ("src/gramian/svm/_svc.py", "from gramian.svm._solver import solve\nimport numpy as np\n"),
    ("src/gramian/svm/_svc.py", "def f():\n    import pandas\n"),
    (
        "src/gramian/svm/_svc.py",
        "if TYPE_CHECKING:\n    import pandas\n    from gramian.cli import x\n",
    ),
    ("src/gramian/_sklearn.py", "def f():\n    from sklearn.utils import Tags\n"),
    ("src/gramian/cli/_app.py", "import typer\nfrom gramian.report._text import table\n"),
    ("src/gramian/plot/_x.py", "from gramian.linear_model import Ridge\n"),
    (
        "src/gramian/registry.py",
        "from importlib import import_module\nimport_module('gramian.svm')\n",
    ),
    ("core/solve/a.cpp", '#include "solve/a.hpp"\n#include "linalg/blas.hpp"\n#include <map>\n'),
    ("bindings/solve.cpp", "#include <nanobind/nanobind.h>\n"),
]


@pytest.mark.parametrize(("name", "text"), ALLOWED)
def test_allowed(tmp_path, name, text):
    assert _plant(tmp_path, name, text) == []


def test_exit_code_and_output(tmp_path):
    _plant(tmp_path, "src/gramian/base.py", "import gramian.svm\nimport gramian.report\n")
    done = _run(tmp_path)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "src/gramian/base.py:1",
        "src/gramian/base.py:2",
    ]


def test_picture_in_the_docs():
    """The page of the architecture shows the layers as the script knows them."""
    picture = subprocess.run(
        [sys.executable, str(SCRIPT), "--picture"], capture_output=True, text=True, timeout=60
    )
    page = (ROOT / "docs" / "developers" / "architecture.md").read_text()
    assert f"```text\n{picture.stdout}```" in page
