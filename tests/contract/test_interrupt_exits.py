"""A signal is KeyboardInterrupt however a native call ends: never lost, never SystemError."""

import json

import pytest
from tests.contract.processes import run_python

_BEGIN = """
import os, signal, threading, time
from gramian import _core

def interrupted(call, *args):
    try:
        call(*args)
        while True:  # whatever has been raised comes here at the latest
            time.sleep(0.01)
    except KeyboardInterrupt:
        return True
"""


def run(code):
    """Run code with the functions above; it ends only if it has heard of every signal."""
    assert run_python(_BEGIN + code + "print('end')\n", timeout=60) == "end\n"


def test_a_signal_seen_as_the_call_ends():
    run(
        "ctx = _core.Context()\n"
        "assert interrupted(_core._interrupt_at_end, ctx)\n"
        "for n_threads in (1, 2): _core._spin(0.02, _core.Context(n_threads=n_threads))\n"
        "assert interrupted(_core._spin, 0.0, ctx)  # stays stopped\n"
    )


def test_the_call_does_not_return():
    """The interpreter raises right after the call, before its result is used."""
    run(
        "def call():\n"
        "    global is_used\n"
        "    is_used = False\n"
        "    _core._interrupt_at_end(_core.Context())\n"
        "    is_used = True\n"
        "assert interrupted(call) and not is_used\n"
    )


def test_calls_from_native_code():
    """Between these calls the interpreter has no turn: the next one that polls ends."""
    run(
        "from functools import partial\n"
        "from operator import call\n"
        "first = partial(_core._interrupt_at_end, _core.Context())\n"
        "second = partial(_core._spin, 1000.0, _core.Context(n_threads=2))\n"
        "assert interrupted(lambda: list(map(call, [first, second])))\n"
        "_core._spin(0.02, _core.Context())\n"
    )


def test_what_a_handler_raises():
    run(
        "class Stop(Exception): pass\n"
        "def handler(number, frame): raise Stop(number)\n"
        "signal.signal(signal.SIGINT, handler)\n"
        "try:\n"
        "    _core._interrupt_at_end(_core.Context())\n"
        "    time.sleep(60)\n"
        "except Stop as stop:\n"
        "    assert stop.args == (signal.SIGINT,)\n"
    )


def test_a_handler_that_returns():
    """A signal that the program does not mind stops nothing."""
    run(
        "seen = []\n"
        "signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))\n"
        "ctx = _core.Context()\n"
        "_core._interrupt_at_end(ctx)\n"
        "_core._spin(0.02, ctx)\n"
        "assert seen == [signal.SIGINT]\n"
    )


def test_a_handler_that_computes():
    """Native calls may be nested: an interrupt of the inner one ends the outer one."""
    run(
        "def handler(number, frame):\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    _core._interrupt_at_end(_core.Context())\n"
        "signal.signal(signal.SIGINT, handler)\n"
        "assert interrupted(_core._interrupt_at_end, _core.Context())\n"
        "_core._spin(0.02, _core.Context())\n"
    )


def test_another_thread():
    """There a call goes on, and the main thread is interrupted."""
    run(
        "ended = threading.Event()\n"
        "def work():\n"
        "    _core._interrupt_at_end(_core.Context())\n"
        "    _core._spin(0.02, _core.Context())\n"
        "    ended.set()\n"
        "assert interrupted(threading.Thread(target=work).start)\n"
        "assert ended.wait(60)\n"
    )


_AT_RANDOM = """
import json, random, sys, warnings
import numpy as np
import joblib, joblib.parallel, scipy.linalg, scipy.optimize, scipy.special, scipy.stats
import gramian
from gramian.registry import all_estimators
warnings.simplefilter("ignore")
globals().update(all_estimators())
random.seed(0)
rng = np.random.default_rng(0)
X = rng.standard_normal((20_000, 8))
y = X[:, 0] + rng.standard_normal(20_000)

ignored = []  # in a destructor, where Python drops what is raised
sys.unraisablehook = lambda unraisable: ignored.append(unraisable.exc_type.__name__)

def press(delay):
    time.sleep(delay)
    os.kill(os.getpid(), signal.SIGINT)

def outcome(call, delay):
    sender = threading.Thread(target=press, args=(delay,))
    try:
        sender.start()
        call()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:  # the signal is still to come
            time.sleep(0.01)
            if ignored:
                return ignored.pop()
        return "lost"
    except KeyboardInterrupt:
        return "KeyboardInterrupt"
    except BaseException as error:
        return repr(error)
    finally:
        sender.join()

def try_all(call):
    start = time.monotonic()
    expected = call()  # with all that is imported on the way: that is Python's affair
    lasts = time.monotonic() - start
    seen = {outcome(call, random.uniform(0.0, 1.2) * lasts) for _ in range(N_SIGNALS)}
    assert np.array_equal(call(), expected)
    return sorted(seen)

with gramian.config(n_threads=2):
    model = MODEL
    fitted = MODEL.fit(X, y)
    print(json.dumps(try_all(lambda: model.fit(X, y).predict(X[:100]))
                     + try_all(lambda: fitted.predict(X))))
"""


@pytest.mark.parametrize(
    "model",
    [
        "RandomForestRegressor(n_estimators=4, random_state=0)",
        "HistGradientBoostingRegressor(max_iter=5, early_stopping=False)",
        "Ridge()",
        "Lasso(alpha=0.01)",
        "DecisionTreeRegressor(max_depth=6)",
        "SGDRegressor(max_iter=3, tol=None, random_state=0)",
    ],
)
def test_signals_at_random(model):
    """Whenever it comes, in a fit, a predict or right after."""
    code = _AT_RANDOM.replace("MODEL", model).replace("N_SIGNALS", "12")
    assert set(json.loads(run_python(_BEGIN + code))) == {"KeyboardInterrupt"}
