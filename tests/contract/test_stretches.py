"""No fit or transform keeps Python from hearing of signals: not in copies of rows, nor in sorts.

A timer knocks every 10 ms; what is measured is the processor time of the main thread between two
knocks that were answered, so that a busy machine makes no difference.
"""

import pytest
from tests.contract.processes import run_python

LONGEST = 0.2
"""Seconds: the promise for Ctrl-C."""

_SCRIPT = """
import signal, time, warnings
import numpy as np
import joblib, joblib.parallel, scipy.linalg, scipy.sparse, scipy.special, scipy.stats
from gramian.registry import models, parts
warnings.simplefilter("ignore")
globals().update({{**models(), **parts()}})
rng = np.random.default_rng(0)
X = rng.standard_normal(({n_rows}, {n_columns}), dtype=np.float32)
y = X[:, 0]
few = slice(0, 1000)
call = {call}
{model}.fit(X[few], y[few])  # imports what it needs
gaps, last = [], 0.0

def knock(number, frame):
    global last
    now = time.thread_time()
    gaps.append(now - last)
    last = now

signal.signal(signal.SIGALRM, knock)
last = time.thread_time()
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
call({model})
signal.setitimer(signal.ITIMER_REAL, 0.0)
print(max(gaps))
"""

_FIT = "lambda model: model.fit(X, y)"
_TRANSFORM = "lambda model: model.fit(X[few], y[few]).transform(X)"


@pytest.mark.parametrize(
    ("model", "call", "n_rows", "n_columns"),
    [
        ("IsolationForest(n_estimators=8, max_samples=1.0)", _FIT, 600_000, 4),
        ("IsolationForest(n_estimators=8, max_samples=0.7)", _FIT, 600_000, 4),
        ("AdaBoostRegressor(n_estimators=1)", _FIT, 1_500_000, 1),
        ("PolynomialFeatures(3)", _TRANSFORM, 600_000, 6),
        ("HistGradientBoostingRegressor(max_iter=1, early_stopping=True)", _FIT, 1_000_000, 40),
    ],
)
def test_longest_stretch(model, call, n_rows, n_columns):
    script = _SCRIPT.format(model=model, call=call, n_rows=n_rows, n_columns=n_columns)
    longest = float(run_python(script))
    print(f"{longest:.3f} s")
    assert longest < LONGEST
