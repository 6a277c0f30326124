"""What ``import gramian`` loads, and that it needs no optional package."""

import pytest
from tests.contract.processes import run_python

OPTIONAL = (
    "dask",
    "distributed",
    "jinja2",
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "rich",
    "sklearn",
    "statsmodels",
    "typer",
)

_LOADED = f"import sys; print(sorted(set(sys.modules) & set({OPTIONAL!r})))"
_BLOCK = f"import sys\nfor name in {OPTIONAL!r}: sys.modules[name] = None\n"


@pytest.mark.parametrize(
    "code",
    [
        "import gramian",
        "from gramian.registry import all_estimators; all_estimators()",
        "from gramian.linear_model import Ridge; Ridge().fit([[0.0], [1.0]], [0, 1])",
        "import gramian.validation, gramian.encoding, gramian.metrics, gramian.model_selection",
        "from gramian.linear_model import Ridge; repr(Ridge()); Ridge()._repr_html_()",
    ],
)
def test_loads_no_optional_package(code):
    assert run_python(f"{code}\n{_LOADED}").strip() == "[]"


def test_loads_no_slow_part_of_scipy():
    code = "import gramian, sys; print([n for n in sys.modules if n.startswith('scipy.')])"
    loaded = run_python(code)
    assert not [name for name in ("stats", "optimize", "linalg") if f"'scipy.{name}'" in loaded]


def test_works_without_optional_packages():
    """Fit, predict, score, clone, pickle, save and load, with all of them missing."""
    code = (
        "import os, pickle, tempfile\n"
        "import gramian\n"
        "from gramian.exceptions import NotFittedError\n"
        "import numpy as np\n"
        "from gramian.registry import all_estimators\n"
        "given = np.random.default_rng(0).standard_normal((40, 3))\n"
        "for name, cls in all_estimators():\n"
        "    is_positive = cls()._tags().positive_only or name == 'CategoricalNB'\n"
        "    X = np.floor(np.abs(2 * given)) if is_positive else given\n"
        "    y = (X[:, 0] > 0).astype(int)\n"
        "    y = y if cls()._tags().single_output else np.column_stack([y, 1 - y])\n"
        "    y = y + 1 if cls()._tags().positive_y else y\n"
        "    uses = ('predict', 'transform', 'kneighbors_graph', 'score_samples')\n"
        "    use = next((use for use in uses if hasattr(cls(), use)), None)\n"
        "    try:\n"
        "        if use is not None:\n"
        "            getattr(cls(), use)(X)\n"
        "            raise AssertionError(name)\n"
        "    except NotFittedError:\n"
        "        pass\n"
        "    model = gramian.clone(cls()).fit(X, y)\n"
        "    if hasattr(model, 'score'):\n"
        "        model.score(X, y)\n"
        "    path = os.path.join(tempfile.mkdtemp(), 'model')\n"
        "    gramian.save(model, path)\n"
        "    for copy in (gramian.load(path), pickle.loads(pickle.dumps(model))):\n"
        "        assert gramian.fingerprint(copy) == gramian.fingerprint(model), name\n"
        "        if use is not None:\n"
        "            made, again = (getattr(m, use)(X) for m in (model, copy))\n"
        "            assert (made != again).sum() == 0\n"
        "print('done')\n"
    )
    assert run_python(_BLOCK + code).strip() == "done"


def test_sub_modules_are_attributes():
    code = (
        "import gramian\n"
        "names = gramian._MODULES\n"
        "assert names <= set(dir(gramian))\n"
        "print(all(getattr(gramian, n).__name__ == f'gramian.{n}' for n in sorted(names)))\n"
    )
    assert run_python(code).strip() == "True"


def test_unknown_attribute():
    import gramian

    with pytest.raises(AttributeError, match="module 'gramian' has no attribute 'nothing'"):
        gramian.nothing  # noqa: B018
