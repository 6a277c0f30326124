"""The memory that the fit of a forest adds to that of its data."""

import subprocess
import sys
from pathlib import Path

import pytest

CLEAR_REFS = Path("/proc/self/clear_refs")
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from gramian import ensemble

def kilobytes(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))

rng = np.random.default_rng(0)
X = rng.standard_normal((200_000, 40), dtype=np.float32)
y = X[:, :5].sum(axis=1) + rng.standard_normal(200_000)
y = y if "Regressor" in sys.argv[1] else (y > 0).astype(int)
depth = None if sys.argv[2] == "None" else int(sys.argv[2])
forest = getattr(ensemble, sys.argv[1])(
    n_estimators=6, max_depth=depth, max_features="sqrt", random_state=0, n_jobs=2
)
forest.set_params(max_depth=2).fit(X[:1000], y[:1000]).set_params(max_depth=depth)
before = kilobytes("VmRSS")
Path("/proc/self/clear_refs").write_text("5")  # sets the highest size back to the present one
forest.fit(X, y)
print((kilobytes("VmHWM") - before) * 1024 / X.nbytes, forest._forest.trees.nbytes / X.nbytes)
"""


@pytest.mark.skipif(not CLEAR_REFS.exists(), reason="the kernel does not tell the peak")
@pytest.mark.parametrize(
    ("name", "depth"),
    [
        ("RandomForestClassifier", 8),
        ("RandomForestRegressor", 8),
        ("ExtraTreesRegressor", 8),
        ("RandomForestClassifier", None),
        ("RandomForestRegressor", None),
        ("ExtraTreesRegressor", None),
    ],
)
def test_the_fit_needs_little_beside_the_data(name, depth):
    command = [sys.executable, "-c", PROGRAM, name, str(depth)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    peak, model = (float(number) for number in printed.split())
    assert 0.7 < peak < 2.0 + model  # a copy or codes of the data, and the nodes in work
