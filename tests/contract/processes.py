"""Python code in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parents[2]


def run_python(code: str, *, timeout: float = 120.0, **environment: str) -> str:
    """Run code in a new interpreter that can import the tests, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr}"
    return done.stdout


@contextmanager
def answering_python(code: str, **environment: str) -> Iterator[Callable[[str], Any]]:
    """Start an interpreter whose code defines ``answer(text)``, and yield it as a function here.

    What it returns must be fit for JSON.
    """
    loop = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps(answer(line[:-1])), flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code + loop],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        asked, answers = process.stdin, process.stdout

        def answer(text: str) -> Any:
            asked.write(f"{text}\n")
            asked.flush()
            line = answers.readline()
            assert line, f"the process with {environment} has ended"
            return json.loads(line)

        answer.__name__ = str(environment)
        yield answer  # at the end no more questions come, and the process ends


def failures_in_child(
    cases: Mapping[str, Callable[[], str | None]], *, timeout: int = 120
) -> dict[str, str]:
    """Run cases in a forked child; return what they say, and which one ended the process.

    A case returns None if all is well. After a crash, or a hang, the other cases are not run.
    """
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads
        pid = os.fork()
    if pid == 0:
        os.close(reader)
        _run_and_exit(cases, writer, timeout)
    os.close(writer)
    with os.fdopen(reader) as told:
        lines = [json.loads(line) for line in told]
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    found = {name: text for name, text in lines if text}
    if status:
        last = lines[-1][0] if lines else "before the first case"
        found[last] = f"the process ended with status {status} ({_signal_name(-status)})"
    return found


def _run_and_exit(
    cases: Mapping[str, Callable[[], str | None]], writer: int, timeout: int
) -> NoReturn:
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(timeout)  # ends the child, and so tells which case hangs
        for name, case in cases.items():
            os.write(writer, f"{json.dumps([name, None])}\n".encode())
            os.write(writer, f"{json.dumps([name, case()])}\n".encode())
    except BaseException as error:
        os.write(writer, f"{json.dumps(['the cases', repr(error)])}\n".encode())
    finally:
        os._exit(0)


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number > 0 else "no signal"
