"""Python code in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
